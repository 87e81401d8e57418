"""Notes: what can truly be said of a move, and a comment made of the weightiest.

::

    for note in notes(briefing):  # the weightiest first
        print(note.weight, note.sentence, note.facts)
    compose(notes(briefing)).text

A note is a sentence complete in itself, with the facts that bear it out.
What captures seem to win on the board is a note only where the engine's own line wins it: lines
are replayed until they are quiet, and what they win is counted. The kinds of notes, their weights
and wordings are data (``notes.toml``).
"""

from __future__ import annotations

import hashlib
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import pairwise
from typing import Final, NamedTuple

import chess
from chess.engine import PovScore

from chessgloss.commentary import read_table
from chessgloss.commentary.briefing import Briefing, Comment
from chessgloss.facts import Fact, listed, side_name
from chessgloss.facts import board as boards
from chessgloss.facts.fact import named, perpetual, zugzwang
from chessgloss.facts.tactics import (
    VALUES,
    balance,
    captures,
    exchange,
    mates,
    pins,
    winning,
)
from chessgloss.facts.verdict import Standing, judge, standing
from chessgloss.scores import centipawns

#: The kinds of notes as data: weights, and ways of saying each.
NOTES: Final = read_table("notes.toml")

#: Words of a comment and sentences at most; plies of a line that are spelt out.
MOST_WORDS, MOST_SENTENCES, SPELT = 45, 3, 3

#: A line is replayed so far, and what it wins counts if it is won within so many plies.
LONGEST, SOON = 14, 5

#: Pawns by which an engine's score may contradict a count of material before it is not believed.
DOUBT: Final = 2.0

#: A mate that is threatened is said up to so many moves; up to so many its length is given: of a
#: longer one a short search finds that it is there, and not yet the shortest.
LONGEST_THREAT, LONGEST_EXACT = 4, 4

#: Worth of a side's pieces without pawns, in pawns, up to which the game is an endgame.
ENDGAME = 10

#: The board at the start of a game.
HOME: Final = chess.Board()

_AHEAD: Final = ("winning", "clearly better", "slightly better")
_BAD: Final = frozenset({"inaccuracy", "mistake", "blunder"})
_NUMBERS = ("no", "one", "two", "three", "four", "five", "six", "seven", "eight")
_CENTRE: Final = (chess.D4, chess.E4, chess.D5, chess.E5)
_Of = Sequence[str | chess.Square]
_MINOR = ([chess.KNIGHT], [chess.BISHOP])
_PIECES = (chess.QUEEN, chess.ROOK, chess.BISHOP, chess.KNIGHT, chess.PAWN)


@dataclass(frozen=True, slots=True)
class Note:
    """One true statement about a move.

    Parameters
    ----------
    kind
        Entry of ``notes.toml`` that words it.
    side
        Side that it is good for.
    sentence
        The statement in words, complete in itself.
    weight
        How much it matters to a reader, from 0 (padding) to 100 (mate).
    facts
        The facts that bear it out; empty for what the move alone shows.
    decides
        Whether it tells what decides about the move: a mate, a piece, the only move.
    about
        Squares and subjects that it speaks of.
    value
        Its amount: moves to mate, pawns won; ``None`` without one.
    concept
        The concept of the expert that it puts into chess words; empty without one.
    subject
        Words with which the sentence begins and in whose place another note's may be joined.
    """

    kind: str
    side: chess.Color
    sentence: str
    weight: float
    facts: tuple[Fact, ...] = ()
    decides: bool = False
    about: frozenset[str] = frozenset()
    value: float | None = None
    concept: str = ""
    subject: str = ""


def write_notes(briefing: Briefing) -> Comment:
    """Write a comment by the method ``notes``: no model, only what is true of the move."""
    return compose(notes(briefing))


def notes(briefing: Briefing) -> tuple[Note, ...]:
    """Return every statement worth making of a move, the weightiest first.

    Parameters
    ----------
    briefing
        What is known of the move. With several lines after the move an offer of material can be
        explained that is better declined; with a search after a pass (``passed``) what the
        move threatens.
    """
    made = _Notes(briefing)
    return tuple(
        sorted(made, key=lambda note: (-note.weight, note.kind, note.sentence))
    )


# ---------------------------------------------------------------- what a line comes to


class Outcome(NamedTuple):
    """What a line wins for a side once it is quiet.

    Parameters
    ----------
    gain
        Pawns that the side has won; negative if it has lost.
    won, lost
        Pieces that the side has taken and given; equal ones cancel out.
    plies
        Plies after which the balance stands as it does in the end.
    fallen
        Where the one lost piece stood before the line; ``None`` if that is not so simple.
    """

    gain: int
    won: Counter[chess.PieceType]
    lost: Counter[chess.PieceType]
    plies: int
    fallen: chess.Square | None

    @property
    def stuff(self) -> str:
        """What is won, or lost, in words: ``a knight``, ``two pawns``, ``the exchange``."""
        pair = (self.won, self.lost) if self.gain > 0 else (self.lost, self.won)
        if pair[0] == Counter([chess.ROOK]) and [*pair[1].elements()] in _MINOR:
            return "the exchange"
        ranked = (sorted(pieces.items(), reverse=True) for pieces in pair if pieces)
        return " for ".join(
            listed([_amount(n, kind) for kind, n in each]) for each in ranked
        )


NOTHING: Final = Outcome(0, Counter(), Counter(), 0, None)


def play_out(board: chess.Board, line: Sequence[str], side: chess.Color) -> Outcome:
    """Replay a line of UCI moves until it is quiet and count what it wins for a side.

    Quiet means: nobody is in check, and the line does not go on taking; at its end the side that
    has lost takes back what it can by exchange. Where the balance changes again long after, what
    both counts agree on is what is won: nothing, if one of them says nothing.
    """
    states = [board.copy(stack=False)]
    worth = [0]
    sign = 1 if side else -1
    todo = [chess.Move.from_uci(uci) for uci in reversed(line[:LONGEST])]
    while len(states) < 2 * LONGEST:
        state = states[-1].copy()
        move = todo.pop() if todo else None
        if move is None and worth[-1] and (state.turn == side) == (worth[-1] < 0):
            best = max(
                captures(state, state.turn), key=lambda each: each.gain, default=None
            )
            move = best.move if best and best.gain > 0 else None
        if move is None or not state.is_legal(move):
            break
        state.push(move)
        states.append(state)
        worth.append(sign * (balance(state) - balance(board)))
    taken = [*(after != before for before, after in pairwise(worth)), False]
    forced = [each.is_check() and any(each.legal_moves) for each in states]
    quiet = [n for n in range(len(states)) if not (taken[n] or forced[n])]
    near = max((ply for ply in quiet if ply <= SOON + 2), default=0)
    if not quiet or worth[near] * worth[quiet[-1]] <= 0:
        return NOTHING
    end = near if abs(worth[near]) <= abs(worth[quiet[-1]]) else quiet[-1]
    plies = next(n for n in range(end + 1) if set(worth[n : end + 1]) == {worth[end]})
    (ours, theirs), (our_rest, their_rest) = (
        [_count(each, colour) for colour in (side, not side)]
        for each in (board, states[end])
    )
    won = theirs - their_rest + (our_rest - ours)
    lost = ours - our_rest + (their_rest - theirs)
    for kinds in ((chess.KNIGHT, chess.BISHOP), *((kind,) for kind in _PIECES)):
        for _ in range(min(sum(won[k] for k in kinds), sum(lost[k] for k in kinds))):
            for counter in (won, lost):
                counter[next(k for k in kinds if counter[k])] -= 1
    won = +won
    lost = +lost
    *moves, last = states[plies].move_stack
    fallen = boards.taken_on(states[plies - 1], last)
    for move in reversed(moves):
        fallen = move.from_square if move.to_square == fallen else fallen
    if (
        fallen is None
        or (won + lost).total() > 1
        or board.piece_type_at(fallen) not in won + lost
    ):
        fallen = None
    return Outcome(worth[end], won, lost, plies, fallen)


def _count(board: chess.Board, side: chess.Color) -> Counter[chess.PieceType]:
    return Counter({kind: len(board.pieces(kind, side)) for kind in _PIECES})


def _amount(number: int, kind: chess.PieceType) -> str:
    name = chess.piece_name(kind)
    return f"a {name}" if number == 1 else f"{_NUMBERS[number]} {name}s"


def spelt(board: chess.Board, line: Sequence[str], plies: int = SPELT) -> str:
    """Return the first plies of a line, in SAN with move numbers."""
    return board.variation_san(map(chess.Move.from_uci, line[: min(plies, SPELT)]))


# ---------------------------------------------------------------- what a move does on the board


class Purpose(NamedTuple):
    """One thing that a move does on the board.

    Parameters
    ----------
    kind
        Entry of the purposes in ``notes.toml``.
    clause
        What it does, a verb in the third person first: ``attacks the queen on d5``.
    weight
        How much it matters, as a note's.
    about
        Squares and subjects concerned.
    """

    kind: str
    clause: str
    weight: float
    about: frozenset[str]


class Played:
    """A move between its two boards, and what captures are worth around it.

    Parameters
    ----------
    board
        The board before the move.
    move
        The move, legal there.
    previous
        The opponent's last move, if it is known and took something.

    Attributes
    ----------
    won_before, won
        What the mover could win by exchange before and after the move, by the square of the piece.
    lost_before, lost
        What the opponent could, after a pass before the move.
    """

    def __init__(
        self, board: chess.Board, move: chess.Move, previous: chess.Move | None = None
    ) -> None:
        self.before = board
        self.after = boards.after_move(board, move)
        self.move = move
        self.us = board.turn
        self.them = not board.turn
        self.start, self.end = move.from_square, move.to_square
        self.piece = boards.piece_on(board, self.start)
        self.arrived = boards.piece_on(self.after, self.end)
        self.taken = boards.taken_on(board, move)
        self.gain = exchange(board, move)
        self.recaptures = previous is not None and self.taken == previous.to_square
        self.number = spelt(board, [move.uci()])
        self.won_before, self.won = (
            winning(each, self.us) for each in (board, self.after)
        )
        self.lost_before, self.lost = (
            winning(each, self.them) for each in (board, self.after)
        )
        self.loose = self.end in self.lost
        self.is_endgame = all(
            _army(self.after, side) <= ENDGAME for side in chess.COLORS
        )
        self.words = {"us": side_name(self.us), "them": side_name(self.them)}
        self.words["san"] = board.san(move)
        self.words |= {
            "to": chess.square_name(self.end),
            "piece": chess.piece_name(self.piece),
        }
        self.words["file"] = chess.FILE_NAMES[chess.square_file(self.end)]
        self.words["promoted"] = chess.piece_name(move.promotion or chess.PAWN)

    def then(self, uci: str) -> Played:
        """Return the move that answers this one."""
        taking = self.move if self.taken is not None else None
        return Played(self.after, chess.Move.from_uci(uci), taking)

    def purposes(self) -> list[Purpose]:
        """Return what the move does on the board, the weightiest first; no square or kind twice."""
        kept = list[Purpose]()
        covered = set[str]()
        made = [*self._special(), *self._attacks(), *self._defends(), *self._pawns()]
        made += [*self._lines(), *self._pieces(), *self._king()]
        for each in sorted(made, key=lambda each: (-each.weight, each.kind)):
            if not {each.kind, *each.about} & covered:
                kept.append(each)
                covered |= {each.kind, *each.about}
        return kept

    def telling(self) -> list[Purpose]:
        """Return the purposes that matter and that the notation does not show."""
        least = NOTES["telling"]
        shown = self.gain < VALUES[chess.KNIGHT]
        worth = (each for each in self.purposes() if each.weight >= least)
        return [each for each in worth if each.kind != "takes" or not shown]

    def _make(
        self,
        kind: str,
        squares: Sequence[chess.Square] = (),
        plus: float = 0,
        /,
        **words: str,
    ) -> Purpose:
        entry = NOTES["purposes"][kind]
        names = [chess.square_name(square) for square in squares]
        places = [
            named(self.after, s) for s in squares if self.after.piece_type_at(s)
        ] or ["it"]
        words = {
            **self.words,
            "targets": listed(places[:3]),
            "behind": places[-1],
            **words,
        }
        words |= {"front": places[0], "squares": listed(names) if names else ""}
        clause = _choose(entry["say"], self.before.fen() + self.move.uci()).format(
            **words
        )
        about = frozenset((*names, *entry.get("about", ())))
        return Purpose(kind, clause, entry["weight"] + plus, about)

    def _special(self) -> Iterator[Purpose]:
        """Yield castling, captures, promotion and checks."""
        board = self.before
        if board.is_castling(self.move):
            yield self._make("castles")
        if self.move.promotion:
            yield self._make("promotes")
        if self.taken is not None:
            victim = boards.piece_on(board, self.taken)
            kind = "takes"
            plus = 2.0 * self.gain if self.gain > 0 else -8.0
            even = not self.gain and not self.recaptures and victim != chess.PAWN
            if even and self.after.attackers_mask(self.them, self.end):
                kind = "trades" if victim == self.piece else "gives_for"
                plus = 0
            words = {
                "target": named(board, self.taken),
                "victim": chess.piece_name(victim),
            }
            yield self._make(kind, [self.taken], plus, **words)
        replies = list(self.after.legal_moves)
        if replies and self.after.is_check():
            kind = "single_reply" if len(replies) == 1 else "check"
            yield self._make(kind, only=self.after.san(replies[0]))
        for wing, corner in (("kingside", chess.H1), ("queenside", chess.A1)):
            rook, king = (
                s if self.us else chess.square_mirror(s) for s in (corner, chess.E1)
            )
            between = chess.between(rook, king)
            rights = self.after.castling_rights
            freed = board.occupied & between == chess.BB_SQUARES[self.start]
            if (
                freed
                and not self.after.occupied & between
                and rights & chess.BB_SQUARES[rook]
            ):
                yield self._make("clears", wing=wing)

    def _attacks(self) -> Iterator[Purpose]:
        board = self.after
        king = self.after.king(self.them)
        reach = board.attacks(self.end) & board.occupied_co[self.them]

        def worth(square: chess.Square) -> tuple[int, chess.Square]:
            return -VALUES[boards.piece_on(board, square)], square

        new = sorted(self.won.keys() - self.won_before.keys(), key=worth)
        if mine := [square for square in new if square in reach and not self.loose]:
            pawn = -worth(mine[0])[0] == VALUES[chess.PAWN]
            kind = "attacks_two" if len(mine) > 1 else "attacks"
            if self.arrived == chess.PAWN:
                kind = "challenges" if pawn else "kicks"
            kind = "checks_and" if board.is_check() and king in [*reach] else kind
            yield self._make(kind, mine[:3], -1.5 * worth(mine[0])[0])
        for square in new:
            actor = self.won[square].from_square
            opened = actor != self.end and square not in self.before.attacks(actor)
            if opened and (board.is_check() or not self.loose):
                plus = -1.5 * worth(square)[0]
                yield self._make("uncovers", [square], plus, actor=named(board, actor))
        old = {pin[1:3] for pin in pins(self.before, self.us)}
        for pin in pins(board, self.us):
            if pin.square == self.end and pin[1:3] not in old and not self.loose:
                yield self._make("pins", pin[1:3], -worth(pin.front)[0])
        hit_before = self.before.attacks(self.start)
        left = (
            s for s in reach if s not in self.won and s != king and s not in hit_before
        )
        rest = sorted(left, key=worth)
        same = [s for s in rest if boards.piece_on(board, s) == self.arrived]
        if self.arrived == chess.PAWN:
            if hit := [s for s in reach & board.pawns if s not in mine]:
                yield self._make("challenges", hit)
        elif (
            self.arrived in (chess.QUEEN, chess.ROOK, chess.BISHOP)
            and same
            and not self.loose
        ):
            if board.attackers_mask(self.us, self.end):
                yield self._make("offers_trade", same[:1], -worth(same[0])[0] - 3)
        elif (
            self.arrived in (chess.KNIGHT, chess.BISHOP, chess.ROOK)
            and rest
            and not self.loose
        ):
            more = all(len(board.attackers(self.us, s)) > 1 for s in rest[:2])
            yield self._make("adds_pressure" if more else "pressure", rest[:2])

    def _defends(self) -> Iterator[Purpose]:
        board = self.after
        covered = self.after.attacks(self.end)
        for square, capture in self.lost_before.items():
            attacker = named(self.before, capture.from_square)
            worth = VALUES[capture.victim]
            still = (
                capture.from_square != self.taken and board.color_at(square) == self.us
            )
            if (
                square == self.start
                and not self.loose
                and self.taken is None
                and worth > 1
            ):
                yield self._make("escapes", [self.start], worth, attacker=attacker)
            elif still and square not in self.lost and square in covered:
                yield self._make("protects", [square], worth, attacker=attacker)
        kept = [
            square
            for square in covered & board.occupied_co[self.us] & ~board.kings
            if square not in {*self.lost, *self.lost_before}
            and square not in self.before.attacks(self.start)
            and (board.is_attacked_by(self.them, square) or square in _CENTRE)
        ]
        if kept and not self.loose:
            kept.sort(key=lambda square: -VALUES[boards.piece_on(board, square)])
            yield self._make("guards", kept[:2])

    def _pawns(self) -> Iterator[Purpose]:
        board = self.after
        step = 8 if self.us else -8
        passed = boards.passed(board, self.us)
        old = boards.passed(self.before, self.us)
        for pawn in passed - old:
            if pawn not in self.lost:
                yield self._make("passed_new", [pawn])
        for pawn in boards.passed(board, self.them):
            if self.end == pawn - step and self.piece != chess.PAWN:
                yield self._make("blockades", [pawn])
        if self.arrived != chess.PAWN or self.loose:
            return
        steps = 7 - self._rank()
        if self.end in passed and self.start in old:
            count = "one step" if steps == 1 else f"{_NUMBERS[steps]} steps"
            yield self._make("passed_advanced", [self.end], 9 - 3 * steps, steps=count)
        new = (
            board.attacks(self.end) & ~self.before.attacks(self.start) & ~board.occupied
        )
        covers = list(new) if self.taken is None else []
        turned = None if board.is_check() or self.before.is_check() else _passed(board)
        if (
            covers
            and steps == 4
            and self.end in _CENTRE
            and board.fullmove_number <= 12
        ):
            yield self._make("centre", covers)
        elif covers and steps < 4 and self.end not in passed and not self.is_endgame:
            yield self._make("space", covers)
        if turned is None or steps < 4:
            return
        for square in covers:
            yield from self._keeps_out(square)
            for push in (
                chess.Move(square - step, square),
                chess.Move(square - 2 * step, square),
            ):
                legal = square in _CENTRE and turned.is_legal(push)
                pawn = self.before.piece_type_at(push.from_square) == chess.PAWN
                if (
                    legal
                    and pawn
                    and exchange(self.before, push) < 0 <= exchange(turned, push)
                ):
                    yield self._make("prepares", [square], push=turned.san(push))

    def _keeps_out(self, square: chess.Square) -> Iterator[Purpose]:
        """Yield the knight or bishop that could have gone to a square, and now cannot."""
        turned = _passed(self.before)
        for start in turned.attackers(self.them, square) & (
            turned.knights | turned.bishops
        ):
            move = chess.Move(start, square)
            legal = turned.is_legal(move) and self.after.is_legal(move)
            if legal and exchange(self.after, move) < 0 <= exchange(turned, move):
                yield self._make("keeps_out", [square], target=named(turned, start))

    def _lines(self) -> Iterator[Purpose]:
        """Yield lines that the move opens for other pieces of its side."""
        ours = self.before.occupied_co[self.us] & self.after.occupied_co[self.us]
        gains = {
            square: len(self.after.attacks(square)) - len(self.before.attacks(square))
            for square in chess.SquareSet(
                ours & ~self.before.kings & ~chess.BB_SQUARES[self.end]
            )
        }
        first = sorted(gains, key=lambda square: (-gains[square], square))[:2]
        first = [square for square in first if gains[square] >= 3]
        if first and not self.before.is_castling(self.move):
            yield self._make("opens", first, gains[first[0]] - 3)

    def _pieces(self) -> Iterator[Purpose]:
        board = self.after
        piece = self.arrived
        file = chess.square_file(self.end)
        rank = self._rank()
        if piece in (chess.PAWN, chess.KING) or self.loose:
            return
        if piece in (chess.ROOK, chess.QUEEN):
            yield from self._files(rank, file)
        elif not self.is_endgame and HOME.piece_at(self.start) == self.before.piece_at(
            self.start
        ):
            yield self._make("develops", [self.start])
        if (
            piece == chess.KNIGHT
            and 3 <= rank <= 5
            and 0 < file < 7
            and self._is_outpost()
        ):
            yield self._make("outpost", [self.end])
        king = board.king(self.them)
        if king is not None and not (
            self.is_endgame or piece == chess.ROOK or board.is_check()
        ):
            enemies = board.occupied_co[self.them] & ~board.pawns
            ring = chess.SquareSet(chess.BB_KING_ATTACKS[king] & ~enemies)
            hit = list(
                ring & board.attacks(self.end) & ~self.before.attacks(self.start)
            )
            if len(hit) >= 2:
                yield self._make("eyes_king", hit[:3], len(hit) - 2)
        if self.end in _CENTRE:
            yield self._make("central", [self.end])

    def _rank(self) -> int:
        """Return the rank of the move's end from 0, seen by the mover."""
        return chess.square_rank(self.end if self.us else chess.square_mirror(self.end))

    def _is_outpost(self) -> bool:
        """Tell whether a pawn holds the piece and no enemy pawn can ever attack it."""
        board = self.after
        (rank, file) = divmod(self.end, 8)
        held = board.attackers_mask(self.us, self.end) & board.pieces_mask(
            chess.PAWN, self.us
        )
        theirs = (divmod(pawn, 8) for pawn in board.pieces(chess.PAWN, self.them))
        ahead = (
            r > rank if self.us else r < rank for r, f in theirs if abs(f - file) == 1
        )
        return bool(held) and not any(ahead)

    def _files(self, rank: int, file: int) -> Iterator[Purpose]:
        board = self.after
        theirs = self.after.pieces(chess.PAWN, self.them)
        if (
            rank == 6
            and self.piece == chess.ROOK
            and theirs & chess.BB_RANKS[self.end // 8]
        ):
            yield self._make("seventh", rank="seventh" if self.us else "second")
        if file == chess.square_file(self.start):
            return
        if file in boards.open_files(board):
            yield self._make("open_file")
        heavy = boards.heavy_pieces(board, self.us, file)
        partners = list(heavy & board.attacks(self.end))
        if (
            partners
            and not board.pieces_mask(chess.PAWN, self.us) & chess.BB_FILES[file]
        ):
            kind = "triples" if len(heavy) > 2 else "doubles"
            yield self._make(kind, partner=named(board, partners[0]))

    def _king(self) -> Iterator[Purpose]:
        if self.piece == chess.KING and self.is_endgame and not self.before.is_check():
            far = [
                [chess.square_distance(s, c) for c in _CENTRE]
                for s in (self.start, self.end)
            ]
            if min(far[1]) < min(far[0]):
                yield self._make("king_active")


def _army(board: chess.Board, side: chess.Color) -> int:
    """Return what the pieces of a side are worth without its pawns."""
    return sum(
        VALUES[kind] * number
        for kind, number in _count(board, side).items()
        if kind > 1
    )


def _choose(options: Sequence[str], key: str) -> str:
    """Return one of the options by a hash of the key."""
    return min(
        options, key=lambda each: hashlib.sha256(f"{key}|{each}".encode()).digest()
    )


# ---------------------------------------------------------------- the notes of one move


class _Notes:
    """The notes of one move, made one kind after the other."""

    def __init__(self, briefing: Briefing) -> None:
        self.briefing = briefing
        self.verdict = briefing.verdict
        self.facts = briefing.facts()
        move = briefing.move
        earlier = briefing.move.position.board()
        last = earlier.pop() if earlier.move_stack else None
        taking = last if last and earlier.is_capture(last) else None
        self.played = Played(chess.Board(move.position.fen), move.move, taking)
        self.before, self.after = self.played.before, self.played.after
        self.us = self.played.us
        self.them = self.played.them
        self.uci = move.uci
        self.replies = self.verdict.reply_line
        self.reply = self.played.then(self.replies[0]) if self.replies else None
        self.bad = self.verdict.judgement in _BAD
        self.mate = self.verdict.after.relative.mate()
        self.net = self._outcome(
            self.before, [self.uci, *self.replies], self.verdict.after
        )
        self.best = self._outcome(
            self.before, self.verdict.best_line, self.verdict.before
        )
        self.even = balance(earlier) == balance(
            self.after
        )  # the move makes up for the last
        for _ in range(min(3, len(earlier.move_stack))):
            earlier.pop()
        won = balance(self.before) - balance(earlier)
        self.swing = (
            won if self.us else -won
        )  # what the mover has won in the last four plies

    def __iter__(self) -> Iterator[Note]:
        if not any(self.after.generate_legal_moves()):
            yield from (self._end(), *self._mates())
            return
        yield from (*self._mates(), *self._known(), *self._only(), *self._better())
        if self.mate is None:
            yield from (*self._material(), *self._offers(), *self._threats())
            yield from (*self._replies(), *self._standing(), *self._purposes())

    def _note(
        self,
        kind: str,
        value: float | None = None,
        plus: float = 0,
        about: _Of = (),
        /,
        **new: str,
    ) -> Note:
        entry = NOTES["kinds"][kind]
        words = self.played.words | new
        words |= {f"{key}_cap": _capital(word) for key, word in words.items()}
        sentence = _choose(entry["say"], self.before.fen() + self.uci).format(**words)
        side = self.them if entry.get("theirs") else self.us
        facts = tuple(
            fact for fact in self.facts.facts if fact.kind in entry.get("facts", ())
        )
        squares = (s if isinstance(s, str) else chess.square_name(s) for s in about)
        rest = (
            entry.get("decides", False),
            frozenset((*squares, *entry["about"])),
            value,
        )
        return Note(
            kind, side, _capital(sentence), entry["weight"] + plus, facts, *rest
        )

    def _outcome(
        self, board: chess.Board, line: Sequence[str], score: PovScore
    ) -> Outcome:
        """Return what a line wins for the mover; nothing where the score does not believe it."""
        outcome = play_out(board, line, self.us)
        pawns = centipawns(score, self.us) / 100
        left = (1 if self.us else -1) * balance(board) + outcome.gain
        doubt = max(DOUBT, abs(left) / 2) if abs(outcome.gain) > 1 else DOUBT / 4
        doubtful = pawns < left - doubt if outcome.gain > 0 else pawns > left + doubt
        return NOTHING if doubtful or outcome.plies > SOON else outcome

    def _end(self) -> Note:
        if not self.after.is_check():
            return self._note("stalemate")
        king = self.after.king(self.them) or 0
        checkers = self.after.checkers()
        by = listed([named(self.after, square) for square in checkers])
        own = self.after.occupied_co[self.them]
        smothered = (
            checkers & self.after.knights and not chess.BB_KING_ATTACKS[king] & ~own
        )
        fate = "is smothered by its own pieces" if smothered else "has no way out"
        return self._note("checkmate", 0, by=by, fate=fate)

    # -------------------------------------------------------- mates, and what is known by name

    def _mates(self) -> Iterator[Note]:
        could = self.verdict.before.relative.mate() or 0
        now = self.mate or 0
        if now and self.replies:
            kind = "forces_mate" if now > 0 else "allows_mate"
            if could < 0:
                kind = "mated_anyway" if now <= could + 1 else "hastens_mate"
            elif now < 0 and self.verdict.standing_before == "losing":
                kind = "hastens_mate"
            kind += "_1" * (abs(now) == 1 and f"{kind}_1" in NOTES["kinds"])
            yield self._note(kind, abs(now), **_mate(self.after, self.replies, now))
        line = self.verdict.best_line
        missed = could > 0 and now <= 0 and self.uci not in line[:1]
        if missed and not self.after.is_checkmate():
            yield self._note("misses_mate", could, **_mate(self.before, line, could))

    def _known(self) -> Iterator[Note]:
        """Yield openings, endings and draws by name, and what is proven by lines and scores."""
        proven = list[Fact | None]()
        passed = self.briefing.passed
        if self.verdict.standing == "equal":
            proven.append(perpetual(self.after, self.replies, "after"))
        if passed is not None and passed.lines:
            scores = self.verdict.after, passed.best.score
            proven.append(zugzwang(self.after, *scores, "after"))
        old = {(fact.kind, fact.value) for fact in self.facts.of(when="before")}
        for fact in (*self.facts.facts, *filter(None, proven)):
            weight = NOTES["known"].get(fact.kind)
            text = fact.text
            if (
                weight is None
                or fact.when == "before"
                or (fact.kind, fact.value) in old
            ):
                continue
            if fact.kind == "underpromotion":
                text = f"it has to be a {self.played.words['promoted']}, for {text}"
            side = self.us if fact.side is None else fact.side
            about = {fact.kind, *fact.squares}
            sentence = f"{_capital(text)}."
            decides = weight >= NOTES["decisive"]
            yield Note(
                fact.kind, side, sentence, weight, (fact,), decides, frozenset(about)
            )

    # -------------------------------------------------------- material

    def _material(self) -> Iterator[Note]:
        """Yield what the captures of the move and of the engine's line come to."""
        net = self.net
        played = self.played
        reply = self.reply
        end = self.played.end
        back = reply is not None and reply.end == end and played.taken is not None
        if played.recaptures and self.even:
            yield self._note("recaptures", None, 0, [end])
        elif (
            back
            and not net.gain
            and boards.piece_on(self.before, end) == played.piece > 1
        ):
            line = spelt(self.before, [self.uci, self.replies[0]])
            yield self._note("trade", None, 0, [end], line=line)
        pawns = [
            boards.doubled(each.after, self.them) for each in (played, reply) if each
        ]
        if reply and back and reply.piece == chess.PAWN and pawns[1] - pawns[0]:
            yield self._note("spoils", reply=reply.number, file=reply.words["file"])
        about = list[str | chess.Square]()
        fallen = ""
        if net.fallen is not None:
            square = end if net.fallen == played.start else net.fallen
            fallen = named(self.after if net.gain < 0 else self.before, square)
            about = [square if net.gain < 0 else f"won {chess.square_name(square)}"]
        words = {
            "fallen": fallen,
            "line": spelt(self.after, self.replies, net.plies - 1),
        }
        words["stuff"] = net.stuff
        if net.gain < 0 and self.bad and self.best.gain > net.gain and net.plies > 1:
            kind = "loses_piece" if fallen else "loses"
            plus = -12.0 * (net.gain == -1)
            yield self._note(kind, -net.gain, plus - net.gain / 2, about, **words)
        elif net.gain > 0 and not self.bad:
            if played.recaptures or (self.swing < 0 and net.gain + self.swing <= 0):
                return  # what was lost before comes back
            if net.plies - 1 > SPELT and fallen:
                words["line"] += f", and {fallen} falls"
            plus = 2.0 * net.gain - (4 if net.gain > 1 else 34)
            if net.plies > 1:
                yield self._note("wins", net.gain, plus, about, **words)
            elif self.briefing.move.position.moves:
                yield self._note("wins_now", net.gain, plus, [end], **words)
        elif played.taken is None or self.bad or self.verdict.standing in _AHEAD:
            return
        elif played.gain >= 2 and not played.recaptures:
            words = {
                "target": named(self.before, played.taken),
                "standing": self._stands(),
            }
            yield self._note("accepts", played.gain, 0, [end], **words)

    def _offers(self) -> Iterator[Note]:
        """Yield why what the move offers cannot be taken, or what it is given for."""
        net = self.net
        lines = self.briefing.after.lines
        if self.bad:
            return
        if (
            net.gain < 0
            and net.plies > 1
            and self.verdict.standing in (*_AHEAD, "equal")
        ):
            line = spelt(self.after, self.replies, net.plies - 1)
            words = {"stuff": net.stuff, "standing": self._stands(), "line": line}
            yield self._note("sacrifice", -net.gain, -14.0 * (net.gain == -1), **words)
            return
        victims = [
            boards.taken_on(self.after, chess.Move.from_uci(x.moves[0])) for x in lines
        ]
        for number, each in enumerate(lines[1:], start=1):
            square = victims[number]
            if (
                square is None
                or square in victims[:number]
                or square not in self.played.lost
            ):
                continue
            stands = standing(each.score, self.us)
            gain = self._outcome(self.after, each.moves, each.score)
            worse = judge(lines[0].score, each.score) in ("mistake", "blunder")
            if not worse and gain.gain < max(net.gain, 0) + 2:
                continue
            result = f"leaves {self._leader(stands, '')}"
            if (each.score.pov(self.us).mate() or 0) > 0:
                result = "leads to mate"
            elif gain.gain > 0:
                result = f"wins {gain.stuff}"
            elif stands not in ("winning", "clearly better"):
                continue
            worth = VALUES[boards.piece_on(self.after, square)]
            words = {
                "line": spelt(self.after, each.moves),
                "offer": named(self.after, square),
            }
            yield self._note(
                "poisoned", worth, 2 * worth - 10, [square], **words, result=result
            )

    # -------------------------------------------------------- alternatives

    def _only(self) -> Iterator[Note]:
        verdict = self.verdict
        lines = self.briefing.before.lines
        if len(list(self.before.legal_moves)) == 1:
            yield self._note("forced")
        elif verdict.rank == 1 and len(lines) > 1 and not self.played.recaptures:
            first, second = (each.score.pov(self.us).mate() or 0 for each in lines[:2])
            left = standing(lines[1].score, self.us)
            moves = lines[1].moves
            worse = judge(lines[0].score, lines[1].score) in ("mistake", "blunder")
            keeps = NOTES["keeps"].get(verdict.standing_before, "")
            stays = verdict.standing_before == verdict.standing != left
            if second < 0 <= first:
                yield self._note("only_mate")
            elif worse and keeps and stays and not first and self.played.gain <= 0:
                outcome = self._outcome(self.before, moves, lines[1].score)
                loses = f"loses {outcome.stuff}"
                leaves = f"leaves {self._leader(left, '')}"
                words = {"keeps": keeps, "fate": loses if outcome.gain < 0 else leaves}
                yield self._note("only", **words, other=spelt(self.before, moves[:1]))

    def _better(self) -> Iterator[Note]:
        verdict = self.verdict
        line = self.verdict.best_line
        if (
            not self.bad
            or verdict.best == self.uci
            or (verdict.before.relative.mate() or 0) > 0
        ):
            return
        move = Played(self.before, chess.Move.from_uci(verdict.best))
        best = self.best
        purposes = move.telling()
        if best.gain > max(self.net.gain, 0) and move.end != self.played.end:
            words = {
                "line": spelt(self.before, line, max(best.plies, 1)),
                "stuff": best.stuff,
            }
            yield self._note("better_wins", best.gain, **words)
        elif purposes:
            yield self._note("better", best=move.number, purpose=_both(purposes))
        else:
            yield self._note("better_line", line=spelt(self.before, line))

    # -------------------------------------------------------- threats, replies, standing

    def _threats(self) -> Iterator[Note]:
        checks = self.before.is_check() or self.after.is_check()
        for mate in (
            mates(self.before, self.them)[:1] if not (checks or self.bad) else ()
        ):
            yield self._note(
                "parries_mate", line=spelt(_passed(self.before), [mate.uci()])
            )
        if self.after.is_check():
            return
        turned = _passed(self.after)
        search = self.briefing.passed
        against = -float(NOTES["against"]) if self.bad else 0.0
        for mate in mates(self.after, self.us)[:1]:
            yield self._note(
                "threat_mate_1", 1, 2 * against, line=spelt(turned, [mate.uci()])
            )
            return
        if search is None or not search.lines:
            return
        line = search.best.moves
        moves = search.best.score.pov(self.us).mate() or 0
        first = chess.Move.from_uci(line[0])
        outcome = self._outcome(turned, line, search.best.score)
        direct = (
            outcome.plies == 1 or turned.is_capture(first) or turned.gives_check(first)
        )
        more = centipawns(search.best.score, self.us) - self.verdict.centipawns_after
        if 0 < moves <= LONGEST_THREAT:
            yield self._note(
                "threat_mate", moves, against, **_mate(turned, line, moves)
            )
        elif (
            0 < outcome.plies <= SPELT
            and direct
            and more >= 50 * outcome.gain > 0
            and more >= 60
        ):
            words = {"stuff": outcome.stuff, "line": spelt(turned, line, outcome.plies)}
            about = [f"won {line[0][2:4]}"]
            plus = against + min(outcome.gain, 9) - 3
            yield self._note("threat", outcome.gain, plus, about, **words)

    def _replies(self) -> Iterator[Note]:
        reply = self.reply
        if reply is None:
            return
        purposes = reply.telling()
        words = {"line": spelt(self.after, self.replies)}
        words["reply"] = reply.number
        if purposes and not reply.recaptures:
            kind = "reply_bad" if self.bad else "reply"
            plus = (purposes[0].weight - 25) / 3
            yield self._note(kind, None, plus, **words, purpose=_both(purposes))
        elif self.bad and not reply.recaptures:
            yield self._note("refutes", **words)
        if len(self.replies) > 1 and not self.bad:
            answer = reply.then(self.replies[1])
            purposes = answer.telling()
            words["next"] = answer.number
            if purposes and not answer.recaptures:
                plus = (purposes[0].weight - 25) / 3
                yield self._note(
                    "plan", None, plus, **words, purpose=purposes[0].clause
                )
            yield self._note("continuation", **words)

    def _standing(self) -> Iterator[Note]:
        turned = self.bad and self.verdict.standing_before != self.verdict.standing
        yield self._note("turned" if turned else "standing", standing=self._stands())

    def _stands(self) -> str:
        return self._leader(self.verdict.standing)

    def _leader(self, stands: Standing, verb: str = "is ") -> str:
        """Return a standing of the mover in words: ``Black is slightly better``."""
        if stands == "equal":
            return f"the game {verb}level"
        other = stands.replace("worse", "better").replace("losing", "winning")
        return f"{side_name(self.us if other == stands else self.them)} {verb}{other}"

    # -------------------------------------------------------- purposes

    def _purposes(self) -> Iterator[Note]:
        played = self.played
        words = self.played.words
        place = self.before.fen() + self.uci
        castles = self.before.is_castling(played.move)
        if (
            played.piece == chess.KING
            and self.before.has_castling_rights(self.us)
            and not castles
        ):
            yield self._note("loses_castling")
        purposes = played.purposes()
        subjects = [f"With {words['san']} {words['us']}", "This"]
        if played.piece != chess.PAWN and not castles:
            subjects.append(words["san"])
        if not castles and all(words["piece"] not in each.clause for each in purposes):
            subjects.append(f"The {words['piece']}")
        subject = _choose(subjects, place)
        ranks = {
            each.concept: n
            for n, each in reversed([*enumerate(self.briefing.concepts)])
        }
        for each in purposes:
            entry = NOTES["purposes"][each.kind]
            concept = entry.get("concept", "")
            kinds = entry.get("facts", ("capture", "check"))
            weight = each.weight + max(
                0, NOTES["concept_bonus"] - 2 * ranks.get(concept, 99)
            )
            weight -= NOTES["against"] * self.bad + NOTES["restated"] * (
                each.kind == "takes"
            )
            facts = (fact for fact in self.facts.of(*kinds) if fact.when != "before")
            evidence = tuple(fact for fact in facts if each.about & set(fact.squares))
            note = Note(
                each.kind, self.us, f"{subject} {each.clause}.", weight, evidence
            )
            yield replace(note, about=each.about, concept=concept, subject=subject)


def _mate(board: chess.Board, line: Sequence[str], moves: int) -> dict[str, str]:
    """Return the words for a mate; the length of a short one if the line, replayed, ends in it."""
    end = board.copy(stack=False)
    for uci in line:
        end.push_uci(uci)
    proven = abs(moves) <= LONGEST_EXACT and end.is_checkmate()
    return {
        "mate": f"mate in {abs(moves)}" if proven else "mate",
        "line": spelt(board, line),
    }


def _capital(text: str) -> str:
    return text[:1].upper() + text[1:]


def _passed(board: chess.Board) -> chess.Board:
    turned = board.copy(stack=False)
    turned.push(chess.Move.null())
    return turned


def _both(purposes: Sequence[Purpose]) -> str:
    """Join the clauses of two purposes; the first stands alone if one holds an *and* already."""
    clauses = [each.clause for each in purposes[:2]]
    full = any(" and " in each or "," in each for each in clauses)
    return clauses[0] if full else " and ".join(clauses)


# ---------------------------------------------------------------- the comment


def compose(
    ranked: Sequence[Note], *, words: int = MOST_WORDS, sentences: int = MOST_SENTENCES
) -> Comment:
    """Make a comment of the first notes that fit: decisive things first, nothing twice.

    Parameters
    ----------
    ranked
        The notes of one move, the first to be said first (:func:`notes`, or another's order).
    words, sentences
        The most that the comment may have.
    """
    return Comment(
        " ".join(note.sentence for note in choose(ranked, words, sentences)), "notes"
    )


def choose(
    ranked: Sequence[Note], words: int = MOST_WORDS, sentences: int = MOST_SENTENCES
) -> list[Note]:
    """Return the notes of a comment, two about what the move does joined in one sentence."""
    chosen = list[Note]()
    for note in ranked:
        length = sum(len(each.sentence.split()) for each in chosen)
        weak = note.weight < NOTES["least_weight"] and length >= 14
        covered = any(note.about & each.about for each in chosen)
        if covered or weak or (length >= 26 and note.weight < 40):
            continue
        same = [
            n
            for n, each in enumerate(chosen)
            if note.subject and each.subject == note.subject
        ]
        if same and " and " not in chosen[same[0]].sentence:
            first = chosen[same[0]]
            clause = note.sentence.removeprefix(note.subject)
            link = ", and" if "," in first.sentence else " and"
            sentence = f"{first.sentence[:-1]}{link}{clause}"
            facts = (*first.facts, *note.facts)
            about = first.about | note.about
            if length + len(clause.split()) + 1 <= words:
                chosen[same[0]] = replace(
                    first, sentence=sentence, about=about, facts=facts
                )
        elif (
            not same
            and len(chosen) < sentences
            and length + len(note.sentence.split()) <= words
        ):
            chosen.append(note)
    return sorted(chosen, key=lambda note: NOTES["last"].get(note.kind, 0))
