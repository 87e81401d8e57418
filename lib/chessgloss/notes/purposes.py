"""What a move does on the board: captures, checks, attacks, defence, and what it means for pieces.

Each function below yields the purposes of one kind or of a few that exclude each other.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Final

import chess

from chessgloss.notes import placement, traits
from chessgloss.notes.kinds import NOTES, Purpose, Purposes
from chessgloss.notes.played import CENTRE, Played
from chessgloss.predicates import board as boards
from chessgloss.predicates.tactics import VALUES, pins
from chessgloss.predicates.words import named

_LINE_PIECES = (chess.QUEEN, chess.ROOK, chess.BISHOP)
_MINOR_AND_ROOK = (chess.KNIGHT, chess.BISHOP, chess.ROOK)
#: Wings with the corner of White's rook.
_WINGS = (("kingside", chess.H1), ("queenside", chess.A1))


def purposes(played: Played) -> list[Purpose]:
    """Return what a move does on the board, the weightiest first; no square or kind twice."""
    made = [purpose for make in PURPOSES for purpose in make(played)]
    kept = list[Purpose]()
    covered = set[str]()
    for purpose in sorted(made, key=lambda each: (-each.weight, each.kind)):
        subjects = {purpose.kind, *purpose.about}
        if not subjects & covered:
            kept.append(purpose)
            covered |= subjects
    return kept


def telling(played: Played, among: str = "striking") -> list[Purpose]:
    """Return the purposes that matter and that the notation does not show.

    Parameters
    ----------
    played
        A reply, a move further on, or one in place of the played one.
    among
        Entry of ``notes.toml`` that lists the kinds that matter.
    """
    shown = played.gain < VALUES[chess.KNIGHT]
    return [
        purpose
        for purpose in purposes(played)
        if purpose.kind in NOTES[among].split()
        and purpose.weight >= NOTES["telling"]
        and not (purpose.kind == "takes" and shown)
    ]


# ---------------------------------------------------------------- what the notation shows


def castles(played: Played) -> Purposes:
    """Yield castling."""
    if played.castles:
        yield played.purpose("castles")


def promotes(played: Played) -> Purposes:
    """Yield a promotion."""
    if played.move.promotion:
        yield played.purpose("promotes")


def takes(played: Played) -> Purposes:
    """Yield a capture: a trade, where what stands there is covered and nothing is won."""
    victim = played.victim
    if played.taken is None or victim is None:
        return
    even = not played.gain and not played.recaptures and victim != chess.PAWN
    if even and played.after.attackers_mask(played.them, played.end):
        kind = "trades" if victim == played.piece else "gives_for"
        won = None
    else:
        kind = "takes_en_passant" if played.en_passant else "takes"
        won = max(played.gain, 0)
    words = {"target": played.target, "victim": chess.piece_name(victim)}
    yield played.purpose(kind, [played.taken], won, **words)


def checks(played: Played) -> Purposes:
    """Yield a check, and the reply to it if there is only one."""
    replies = list(played.after.legal_moves)
    if replies and played.after.is_check():
        kind = "single_reply" if len(replies) == 1 else "check"
        yield played.purpose(kind, only=played.after.san(replies[0]))


def clears(played: Played) -> Purposes:
    """Yield wings on which the last piece between king and rook has gone."""
    for wing, corner in _WINGS:
        rook, king = (
            s if played.us else chess.square_mirror(s) for s in (corner, chess.E1)
        )
        between = chess.between(rook, king)
        stood = played.before.occupied & between == chess.BB_SQUARES[played.start]
        free = stood and not played.after.occupied & between
        if free and played.after.castling_rights & chess.BB_SQUARES[rook]:
            yield played.purpose("clears", wing=wing)


# ---------------------------------------------------------------- attacks


def _reach(played: Played) -> chess.SquareSet:
    """Return the enemy's pieces that the moved piece attacks."""
    return played.after.attacks(played.end) & played.after.occupied_co[played.them]


def newly_won(played: Played) -> list[chess.Square]:
    """Return the pieces that can be won by exchange only since the move, the dearest first."""
    return played.dearest(played.won.keys() - played.won_before.keys())


def _newly_hit(played: Played) -> list[chess.Square]:
    """Return those of them that the moved piece attacks, where it is not loose itself."""
    reach = _reach(played)
    return [s for s in newly_won(played) if s in reach and not played.loose]


def attacks(played: Played) -> Purposes:
    """Yield an attack by the moved piece on what it can win."""
    targets = _newly_hit(played)
    if not targets:
        return
    value = played.value(targets[0])
    kind = "attacks_two" if len(targets) > 1 else "attacks"
    if played.arrived == chess.PAWN:
        kind = "challenges" if value == VALUES[chess.PAWN] else "kicks"
    if played.after.is_check() and played.after.king(played.them) in [*_reach(played)]:
        kind = "checks_and"
    yield played.purpose(kind, targets[:3], value)


def uncovers(played: Played) -> Purposes:
    """Yield attacks of other pieces that the move has opened."""
    for square in newly_won(played):
        actor = played.won[square].from_square
        opened = actor != played.end and square not in played.before.attacks(actor)
        if opened and (played.after.is_check() or not played.loose):
            by = named(played.after, actor)
            yield played.purpose("uncovers", [square], played.value(square), actor=by)


def pins_piece(played: Played) -> Purposes:
    """Yield pins that the moved piece has made."""
    old = {pin[1:3] for pin in pins(played.before, played.us)}
    for pin in pins(played.after, played.us):
        new = pin.square == played.end and pin[1:3] not in old
        if new and not played.loose:
            yield played.purpose("pins", pin[1:3], played.value(pin.front))


def presses(played: Played) -> Purposes:
    """Yield attacks on what cannot be won: by a pawn, on a piece of the same kind, on others."""
    board = played.after
    if played.arrived == chess.PAWN:
        mine = _newly_hit(played)
        if hit := [s for s in _reach(played) & board.pawns if s not in mine]:
            yield played.purpose("challenges", hit)
        return
    targets = _pressed(played)
    same = [s for s in targets if boards.piece_on(board, s) == played.arrived]
    if played.loose:
        return
    if same and played.arrived in _LINE_PIECES:
        if board.attackers_mask(played.us, played.end):
            yield played.purpose("offers_trade", same[:1], played.value(same[0]))
    elif targets and played.arrived in _MINOR_AND_ROOK:
        more = all(len(board.attackers(played.us, s)) > 1 for s in targets[:2])
        yield played.purpose("adds_pressure" if more else "pressure", targets[:2])


def _pressed(played: Played) -> list[chess.Square]:
    """Return the pieces that the moved one attacks anew and cannot win, the king apart."""
    king = played.after.king(played.them)
    attacked_before = played.before.attacks(played.start)
    return played.dearest(
        {
            square
            for square in _reach(played)
            if square not in played.won
            and square != king
            and square not in attacked_before
        }
    )


# ---------------------------------------------------------------- defence


def protects(played: Played) -> Purposes:
    """Yield what the opponent could have won and cannot any more: it has gone or is covered."""
    board = played.after
    covered = board.attacks(played.end)
    for square, capture in played.lost_before.items():
        words = {"attacker": named(played.before, capture.from_square)}
        value = VALUES[capture.victim]
        safe = not played.loose and played.taken is None
        there = (
            capture.from_square != played.taken and board.color_at(square) == played.us
        )
        if square == played.start and safe and value > VALUES[chess.PAWN]:
            yield played.purpose("escapes", [square], value, **words)
        elif there and square not in played.lost and square in covered:
            yield played.purpose("protects", [square], value, **words)


def guards(played: Played) -> Purposes:
    """Yield pieces that the moved one defends anew, attacked or in the centre."""
    if played.loose:
        return
    board = played.after
    defended_before = played.before.attacks(played.start)
    own = board.occupied_co[played.us] & ~board.kings
    kept = [
        square
        for square in board.attacks(played.end) & own
        if square not in {*played.lost, *played.lost_before}
        and square not in defended_before
        and (board.is_attacked_by(played.them, square) or square in CENTRE)
    ]
    if kept:
        kept.sort(key=lambda square: -played.value(square))
        yield played.purpose("guards", kept[:2])


#: What finds purposes. Of two that weigh the same the one found first is said.
PURPOSES: Final[tuple[Callable[[Played], Purposes], ...]] = (
    castles,
    promotes,
    takes,
    checks,
    clears,
    attacks,
    uncovers,
    pins_piece,
    presses,
    protects,
    guards,
    traits.takes_fianchetto,
    placement.passes_pawn,
    placement.blockades,
    placement.advances_passed_pawn,
    placement.takes_space,
    placement.keeps_out,
    placement.prepares,
    placement.opens,
    placement.develops,
    placement.outpost,
    placement.eyes_king,
    placement.centralises,
    placement.seventh_rank,
    placement.open_file,
    placement.doubles,
    placement.cuts_off,
    placement.opposition,
    placement.activates_king,
)
