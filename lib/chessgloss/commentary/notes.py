"""Notes: what can truly be said of a move, and a comment made of the weightiest.

::

    for note in notes(briefing):  # the weightiest first
        print(note.weight, note.sentence, note.facts)
    compose(notes(briefing)).text

A note is a sentence complete in itself, with the facts and the line of moves that bear it out.
What captures seem to win on the board is a note only where the engine's own line wins it: lines
are replayed until they are quiet, and what they win is counted. The kinds of notes, their weights
and wordings are data (``notes.toml``).
"""

from __future__ import annotations

import hashlib
import tomllib
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from importlib.resources import files
from types import MappingProxyType
from typing import Any, Final, NamedTuple

import chess
import chess.engine

from chessgloss.commentary.briefing import Briefing, Comment
from chessgloss.engine import centipawns
from chessgloss.facts import Fact, listed, side_name
from chessgloss.facts import board as boards
from chessgloss.facts.known import perpetual, zugzwang
from chessgloss.facts.tactics import VALUES, Capture, balance, captures, exchange, mates, pins
from chessgloss.facts.verdict import Standing, judge, standing

#: The kinds of notes as data: weights, and ways of saying each.
NOTES: Final[dict[str, Any]] = tomllib.loads(
    files("chessgloss.commentary").joinpath("notes.toml").read_text("utf-8")
)

#: Words of a comment and sentences at most; plies of a line that are spelt out.
MOST_WORDS, MOST_SENTENCES, SPELT = 45, 3, 3

#: A line is replayed so far, and what it wins counts if it is won within so many plies.
LONGEST, SOON = 14, 5

#: Pawns by which an engine's score may contradict a count of material before it is not believed.
DOUBT: Final = 2.0

_BAD: Final = frozenset({"inaccuracy", "mistake", "blunder"})
_NUMBERS = ("no", "one", "two", "three", "four", "five", "six", "seven", "eight")
_CENTRE: Final = (chess.D4, chess.E4, chess.D5, chess.E5)
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
    line
        UCI moves that it rests on, from the position before the move, replayed legally.
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
    line: tuple[str, ...] = ()
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
    return tuple(sorted(made, key=lambda note: (-note.weight, note.kind, note.sentence)))


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


def play_out(board: chess.Board, line: Sequence[str], side: chess.Color) -> Outcome:
    """Replay a line of UCI moves until it is quiet and count what it wins for a side.

    Quiet means: nobody is in check, and neither the line nor, at its end, an exchange goes on
    taking. Where the line goes on long after and the balance changes again, what both counts
    agree on is what is won: nothing, if one of them says nothing.
    """
    walk, states, taken = board.copy(stack=False), [board.copy(stack=False)], list[int]()
    moves = list[chess.Move]()
    for move in map(chess.Move.from_uci, line[:LONGEST]):
        if not walk.is_legal(move):
            break
        taken.append(walk.is_capture(move) or move.promotion is not None)
        walk.push(move)
        moves.append(move)
        states.append(walk.copy(stack=False))
    sign = 1 if side else -1
    worth = [sign * (balance(state) - balance(board)) for state in states]

    def is_quiet(ply: int) -> bool:
        if states[ply].is_check() and not states[ply].is_checkmate():
            return False
        if ply < len(moves):
            return not taken[ply]
        best = max((each.gain for each in captures(states[ply], states[ply].turn)), default=0)
        return 3 * best <= max(abs(worth[ply]), 2)

    quiet = [ply for ply in range(len(states)) if is_quiet(ply)]
    near = max((ply for ply in quiet if ply <= SOON + 2), default=0)
    end = near if quiet and abs(worth[near]) <= abs(worth[quiet[-1]]) else max(quiet, default=0)
    if not quiet or worth[near] * worth[quiet[-1]] <= 0:
        return Outcome(0, Counter(), Counter(), 0, None)
    plies = next(n for n in range(end + 1) if all(w == worth[end] for w in worth[n : end + 1]))
    won = _count(board, not side) - _count(states[end], not side)
    lost = _count(board, side) - _count(states[end], side)
    won += _count(states[end], side) - _count(board, side)  # promoted
    lost += _count(states[end], not side) - _count(board, not side)
    for kinds in ((chess.KNIGHT, chess.BISHOP), *((kind,) for kind in _PIECES)):
        for _ in range(min(sum(won[k] for k in kinds), sum(lost[k] for k in kinds))):
            for counter in (won, lost):
                counter[next(k for k in kinds if counter[k])] -= 1
    won, lost = +won, +lost
    victims = lost if worth[end] < 0 else won
    fallen = None
    if victims.total() == 1 and not (won and lost):
        fallen = _origin(states, moves, plies, next(iter(victims)))
    return Outcome(worth[end], won, lost, plies, fallen)


def _count(board: chess.Board, side: chess.Color) -> Counter[chess.PieceType]:
    return Counter({kind: len(board.pieces(kind, side)) for kind in _PIECES})


def _origin(
    states: Sequence[chess.Board], moves: Sequence[chess.Move], plies: int, kind: chess.PieceType
) -> chess.Square | None:
    """Return where the piece stood at first that is taken by the last of some plies."""
    square = boards.taken_on(states[plies - 1], moves[plies - 1]) if plies else None
    if square is None or states[plies - 1].piece_type_at(square) != kind:
        return None
    for move in reversed(moves[: plies - 1]):
        if move.to_square == square:
            square = move.from_square
    return square


def stuff(won: Counter[chess.PieceType], lost: Counter[chess.PieceType]) -> str:
    """Return what is won in words: ``a knight``, ``two pawns``, ``the exchange``."""
    minor = (Counter([chess.KNIGHT]), Counter([chess.BISHOP]))
    if won == Counter([chess.ROOK]) and lost in minor:
        return "the exchange"

    def words(pieces: Counter[chess.PieceType]) -> str:
        named = [(kind, pieces[kind]) for kind in _PIECES if pieces[kind]]
        return listed(
            [
                f"a {chess.piece_name(kind)}"
                if number == 1
                else f"{_NUMBERS[number]} {chess.piece_name(kind)}s"
                for kind, number in named
            ]
        )

    return f"{words(won)} for {words(lost)}" if lost else words(won)


def spelt(board: chess.Board, line: Sequence[str], plies: int = SPELT) -> str:
    """Return the first plies of a line, in SAN with move numbers."""
    return board.variation_san(map(chess.Move.from_uci, line[: min(plies, SPELT)]))


def mates_at_its_end(board: chess.Board, line: Iterable[str]) -> bool:
    """Tell whether a line of UCI moves, replayed, ends in checkmate."""
    walk = board.copy(stack=False)
    for move in map(chess.Move.from_uci, line):
        if not walk.is_legal(move):
            return False
        walk.push(move)
    return walk.is_checkmate()


# ---------------------------------------------------------------- what a move does on the board


def named(board: chess.Board, square: str | chess.Square) -> str:
    """Return a piece with its square: ``the knight on f7``."""
    place = chess.parse_square(square) if isinstance(square, str) else square
    return f"the {chess.piece_name(boards.piece_on(board, place))} on {chess.square_name(place)}"


def owned(board: chess.Board, square: str) -> str:
    """Return a piece with its owner and square: ``Black's knight on f7``."""
    owner = side_name(board.color_at(chess.parse_square(square)) or False)
    return f"{owner}'s{named(board, square).removeprefix('the')}"


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
    """

    def __init__(
        self, board: chess.Board, move: chess.Move, previous: chess.Move | None = None
    ) -> None:
        self.before, self.move, self.previous = board, move, previous
        self.after = board.copy(stack=False)
        self.after.push(move)
        self.us, self.them = board.turn, not board.turn
        self.start, self.end = move.from_square, move.to_square
        self.piece = boards.piece_on(board, self.start)
        self.arrived = boards.piece_on(self.after, self.end)
        self.taken = boards.taken_on(board, move)
        self.gain = exchange(board, move)
        self.number = f"{board.fullmove_number}{'.' if self.us else '...'} {board.san(move)}"
        self.words = {
            "us": side_name(self.us), "them": side_name(self.them), "to": chess.square_name(self.end),
            "square": chess.square_name(self.end), "piece": chess.piece_name(self.piece),
            "file": chess.FILE_NAMES[chess.square_file(self.end)], "san": board.san(move),
            "promoted": chess.piece_name(move.promotion or chess.PAWN),
        }  # fmt: skip

    @cached_property
    def ours(self) -> dict[chess.Square, Capture]:
        """What the mover could win by exchange after the move, by the square of the piece."""
        return _winning(self.after, self.us)

    @cached_property
    def ours_before(self) -> dict[chess.Square, Capture]:
        """What the mover could win by exchange before it."""
        return _winning(self.before, self.us)

    @cached_property
    def theirs(self) -> dict[chess.Square, Capture]:
        """What the opponent can win by exchange after the move."""
        return _winning(self.after, self.them)

    @cached_property
    def theirs_before(self) -> dict[chess.Square, Capture]:
        """What the opponent could have won by exchange before it, after a pass."""
        return _winning(self.before, self.them)

    @property
    def is_endgame(self) -> bool:
        """Whether so little is left that kings may walk: no more than two rooks' worth a side."""
        count = (_count(self.after, side) for side in chess.COLORS)
        return all(sum(n * VALUES[k] for k, n in c.items() if k != chess.PAWN) <= 10 for c in count)

    @property
    def recaptures(self) -> bool:
        """Whether the move takes what has just taken on the same square."""
        return self.previous is not None and self.taken == self.previous.to_square

    def purposes(self) -> list[Purpose]:
        """Return what the move does on the board, the weightiest first, each square once."""
        kept, covered = list[Purpose](), set[str]()
        for each in sorted(self._all(), key=lambda each: (-each.weight, each.kind)):
            if not each.about & covered:
                kept.append(each)
                covered |= each.about
        return kept

    def _make(
        self, kind: str, about: Iterable[str | chess.Square], *, plus: float = 0, **words: str
    ) -> Purpose:
        entry, place = NOTES["purposes"][kind], self.before.fen() + self.move.uci()
        clause = _choose(entry["say"], place).format(**{**self.words, **words})
        names = (each if isinstance(each, str) else chess.square_name(each) for each in about)
        return Purpose(kind, clause, entry["weight"] + plus, frozenset(names))

    def _all(self) -> Iterator[Purpose]:
        for make in (
            self._special, self._captures, self._attacks, self._defends, self._pawns,
            self._lines, self._pieces, self._king,
        ):  # fmt: skip
            yield from make()

    def _special(self) -> Iterator[Purpose]:
        if self.before.is_castling(self.move):
            yield self._make("castles", ["king"])
        if self.move.promotion:
            yield self._make("promotes", ["promotion"])
        replies = list(self.after.legal_moves)
        if (
            self.after.is_check()
            and self.after.has_castling_rights(self.them)
            and all(self.after.piece_type_at(each.from_square) == chess.KING for each in replies)
        ):
            yield self._make("strips", ["castling"])
        if len(replies) == 1:
            yield self._make("single_reply", ["check"], only=self.after.san(replies[0]))
        elif self.after.is_check():
            yield self._make("check", ["check"])
        if self.piece != chess.KING and self.piece != chess.ROOK:
            for wing, rook in (("kingside", 7), ("queenside", 0)):
                rank = 0 if self.us else 56
                rights = self.after.castling_rights & chess.BB_SQUARES[rank + rook]
                between = chess.between(rank + 4, rank + rook)
                if rights and self.before.occupied & between == chess.BB_SQUARES[self.start]:
                    yield self._make("clears", ["king"], wing=wing)

    def _captures(self) -> Iterator[Purpose]:
        if self.taken is None:
            return
        victim = boards.piece_on(self.before, self.taken)
        kind, words = "takes", {"target": named(self.before, self.taken)}
        words |= {"victim": chess.piece_name(victim), "pieces": f"{chess.piece_name(victim)}s"}
        takers = self.after.attackers_mask(self.them, self.end)
        if takers and not self.gain and not self.recaptures and victim != chess.PAWN:
            kind = "trades" if victim == self.piece else "gives_for"
        plus = 2 * self.gain if self.gain > 0 else 0 if kind != "takes" else -8
        yield self._make(kind, [self.taken], plus=plus, **words)

    def _attacks(self) -> Iterator[Purpose]:
        board, reach = self.after, self.after.attacks(self.end)
        new = {s: c for s, c in self.ours.items() if s not in self.ours_before}
        loose = self.end in self.theirs
        mine = [s for s in new if s in reach and not loose]
        mine += [s for s in chess.scan_forward(board.kings) if s in reach and s != self.end
                 and board.color_at(s) == self.them]  # fmt: skip
        mine.sort(key=lambda s: (-_rank(board, s), s))
        if mine and any(boards.piece_on(board, s) != chess.KING for s in mine):
            solid = [s for s in mine if boards.piece_on(board, s) != chess.KING]
            kings = len(solid) < len(mine)
            targets = listed([named(board, s) for s in solid[:3]])
            kind = "kicks" if self.arrived == chess.PAWN else "attacks"
            if boards.piece_on(board, solid[0]) == chess.PAWN and kind == "kicks":
                kind = "challenges"
            kind = "checks_and" if kings else kind if len(mine) == 1 else "attacks_two"
            yield self._make(
                kind, mine, plus=1.5 * VALUES[boards.piece_on(board, solid[0])], targets=targets
            )
        for square, capture in new.items():
            if square not in reach and capture.from_square != self.end:
                worth = VALUES[capture.victim]
                opened = (
                    not self.before.attackers_mask(self.us, square)
                    & chess.BB_SQUARES[capture.from_square]
                )
                if opened and not (loose and not board.is_check()):
                    yield self._make(
                        "uncovers", [square], plus=1.5 * worth, targets=named(board, square),
                        actor=named(board, capture.from_square),
                    )  # fmt: skip
        for pin in pins(board, self.us):
            old = {(each.front, each.behind) for each in pins(self.before, self.us)}
            if pin.square == self.end and (pin.front, pin.behind) not in old and not loose:
                yield self._make(
                    "pins", [pin.front, pin.behind], plus=VALUES[boards.piece_on(board, pin.front)],
                    front=named(board, pin.front), behind=named(board, pin.behind),
                )  # fmt: skip
        pressed, challenged = list[chess.Square](), list[chess.Square]()
        for square in chess.SquareSet(reach & board.occupied_co[self.them]):
            if loose and not (self.arrived == chess.PAWN == boards.piece_on(board, square)):
                continue
            target = boards.piece_on(board, square)
            if (square in self.ours and not loose) or target == chess.KING:
                continue
            same = target == self.arrived and self.end in board.attacks(square)
            if same and target in (chess.QUEEN, chess.ROOK, chess.BISHOP):
                if board.attackers_mask(self.us, self.end):
                    yield self._make(
                        "offers_trade", [square], plus=VALUES[target] - 3,
                        pieces=f"{chess.piece_name(target)}s",
                    )  # fmt: skip
            elif self.arrived == chess.PAWN == target:
                challenged.append(square)
            elif self.arrived not in (chess.QUEEN, chess.KING):
                pressed.append(square)
        if challenged:
            targets = listed([named(board, s) for s in challenged])
            yield self._make("challenges", challenged, targets=targets)
        if pressed:
            pressed.sort(key=lambda s: (-_rank(board, s), s))
            others = all(len(board.attackers(self.us, s)) > 1 for s in pressed[:2])
            yield self._make(
                "adds_pressure" if others else "pressure", pressed[:2],
                targets=listed([named(board, s) for s in pressed[:2]]),
            )  # fmt: skip

    def _defends(self) -> Iterator[Purpose]:
        board = self.after
        for square, capture in self.theirs_before.items():
            attacker = named(self.before, capture.from_square)
            worth = VALUES[capture.victim]
            if capture.from_square == self.taken:
                continue
            fled = self.end not in self.theirs and self.taken is None and self.piece != chess.PAWN
            if square == self.start and fled:
                yield self._make("escapes", [self.start], plus=worth, attacker=attacker)
            elif square not in self.theirs and square in board.attacks(self.end):
                if board.color_at(square) == self.us:
                    target = named(board, square)
                    yield self._make(
                        "protects", [square], plus=worth, targets=target, attacker=attacker
                    )
        kept = [
            square
            for square in board.attacks(self.end)
            if board.color_at(square) == self.us
            and boards.piece_on(board, square) != chess.KING
            and square not in self.theirs_before
            and (
                self.before.attackers_mask(self.them, square)
                or (square in _CENTRE and boards.piece_on(board, square) == chess.PAWN)
            )
            and not self.before.attackers_mask(self.us, square) & chess.BB_SQUARES[self.start]
        ]
        if kept and not (set(kept) & set(self.theirs)):
            kept.sort(key=lambda s: (-_rank(board, s), s))
            yield self._make(
                "guards", kept[:2], targets=listed([named(board, s) for s in kept[:2]])
            )

    def _pawns(self) -> Iterator[Purpose]:
        board, us = self.after, self.us
        passed, old = boards.passed(board, us), boards.passed(self.before, us)
        if self.arrived == chess.PAWN:
            steps = 7 - chess.square_rank(self.end) if us else chess.square_rank(self.end)
            advanced, safe = 7 - steps, self.end not in self.theirs
            if self.end in passed and self.start in old and safe:
                count = "one step" if steps == 1 else f"{_NUMBERS[steps]} steps"
                yield self._make("passed_advanced", [self.end], plus=9 - 3 * steps, steps=count)
            sign = 1 if us else -1
            covers = [
                s for s in board.attacks(self.end)
                if board.color_at(s) is None and s not in self.before.attacks(self.start)
            ]  # fmt: skip
            squares = listed([chess.square_name(s) for s in covers]) if covers else ""
            file = chess.square_file(self.end)
            if safe and covers and self.taken is None:
                if advanced == 3 and file in (3, 4) and board.fullmove_number <= 12:
                    yield self._make("centre", ["space"], squares=squares)
                elif advanced >= 4 and self.end not in passed and not self.is_endgame:
                    yield self._make("space", ["space"], squares=squares)
                if advanced <= 3:
                    yield from self._keeps_out(covers)
                for push in (
                    chess.Move(s - 8 * step, s) for step in (sign, 2 * sign) for s in covers
                ):
                    yield from self._prepares(push)
        for pawn in passed - old:
            if pawn not in self.theirs:
                yield self._make("passed_new", [pawn], square=chess.square_name(pawn))
        for pawn in boards.passed(board, self.them):
            if self.end == pawn + (8 if self.them else -8) and self.piece != chess.PAWN:
                yield self._make("blockades", [pawn], square=chess.square_name(pawn))

    def _keeps_out(self, covers: Iterable[chess.Square]) -> Iterator[Purpose]:
        """Yield squares that a pawn takes from a knight or bishop that could have gone there."""
        turned = boards.after_pass(self.before)
        if turned is None:
            return
        kept: dict[chess.Square, list[str]] = {}
        for square in covers:
            for start in turned.attackers(self.them, square):
                move = chess.Move(start, square)
                fits = turned.piece_type_at(start) in (chess.KNIGHT, chess.BISHOP)
                if fits and turned.is_legal(move) and exchange(turned, move) >= 0:
                    if self.after.is_legal(move) and exchange(self.after, move) < 0:
                        kept.setdefault(start, []).append(chess.square_name(square))
        for start, squares in kept.items():
            target = named(turned, start)
            yield self._make("keeps_out", squares, target=target, square=listed(squares))

    def _prepares(self, push: chess.Move) -> Iterator[Purpose]:
        """Yield the advance of a centre pawn that the move makes possible without loss."""
        turned = _passed(self.after) if not self.after.is_check() else None
        if turned is None or push.to_square not in _CENTRE or not turned.is_legal(push):
            return
        if self.before.piece_type_at(push.from_square) == chess.PAWN:
            if exchange(self.before, push) < 0 <= exchange(turned, push):
                yield self._make("prepares", ["space"], push=turned.san(push))

    def _lines(self) -> Iterator[Purpose]:
        """Yield lines that the move opens for other pieces of its side."""
        gains = list[tuple[int, chess.Square]]()
        for square in chess.SquareSet(self.before.occupied_co[self.us]):
            kind = self.before.piece_type_at(square)
            if square == self.start or kind not in (chess.BISHOP, chess.ROOK, chess.QUEEN):
                continue
            if self.after.piece_type_at(square) != kind or self.before.is_castling(self.move):
                continue
            more = len(self.after.attacks(square)) - len(self.before.attacks(square))
            if more >= 3:
                gains.append((more, square))
        gains.sort(key=lambda each: (-each[0], each[1]))
        if gains:
            targets = listed([named(self.after, square) for _, square in gains[:2]])
            yield self._make("opens", ["lines"], plus=gains[0][0] - 3, targets=targets)

    def _pieces(self) -> Iterator[Purpose]:
        board, piece, us = self.after, self.arrived, self.us
        rank = chess.square_rank(self.end) if us else 7 - chess.square_rank(self.end)
        if piece in (chess.PAWN, chess.KING) or self.end in self.theirs:
            return
        home = chess.Board().piece_at(self.start) == self.before.piece_at(self.start)
        from_home = home and chess.square_rank(self.start) in (0, 7)
        if piece in (chess.KNIGHT, chess.BISHOP) and from_home and not self.is_endgame:
            yield self._make("develops", [self.start])
        if piece in (chess.ROOK, chess.QUEEN):
            yield from self._heavy(rank)
        if piece == chess.KNIGHT and 3 <= rank <= 5 and 0 < chess.square_file(self.end) < 7:
            held = board.attackers(us, self.end) & board.pieces(chess.PAWN, us)
            if held and not self._can_be_driven(self.end):
                yield self._make("outpost", [self.end], square=chess.square_name(self.end))
        king = board.king(self.them)
        if king is not None and not self.is_endgame and piece != chess.ROOK:
            ring = chess.SquareSet(chess.BB_KING_ATTACKS[king] & ~board.occupied_co[self.them])
            ring |= chess.SquareSet(
                chess.BB_KING_ATTACKS[king] & board.pieces_mask(chess.PAWN, self.them)
            )
            hit = ring & board.attacks(self.end) & ~self.before.attacks(self.start)
            if len(hit) >= 2 and not board.is_check():
                squares = listed([chess.square_name(s) for s in list(hit)[:3]])
                yield self._make("eyes_king", ["king"], plus=len(hit) - 2, squares=squares)
        if self.end in _CENTRE:
            yield self._make("central", [self.end])
        now, then = (self._scope(b, s) for b, s in ((board, self.end), (self.before, self.start)))
        if now >= then + 4 and self.taken is None:
            yield self._make("scope", ["scope"], plus=now - then - 4, now=str(now), then=str(then))

    def _heavy(self, rank: int) -> Iterator[Purpose]:
        board, file = self.after, chess.square_file(self.end)
        if rank == 6 and self.piece == chess.ROOK:
            seventh = chess.BB_RANKS[chess.square_rank(self.end)]
            if board.pieces_mask(chess.PAWN, self.them) & seventh:
                yield self._make("seventh", ["rank"], rank="seventh" if self.us else "second")
        if file == chess.square_file(self.start):
            return
        if file in boards.open_files(board):
            yield self._make("open_file", ["file"])
        elif file in boards.half_open_files(board, self.us) and self.piece == chess.ROOK:
            pawns = (
                board.pieces(chess.PAWN, self.them) & chess.BB_FILES[file] & board.attacks(self.end)
            )
            if pawns:
                yield self._make(
                    "half_open", ["file", min(pawns)], square=chess.square_name(min(pawns))
                )
        heavy = boards.heavy_pieces(board, self.us, file) & board.attacks(self.end)
        pawns_of_ours = board.pieces_mask(chess.PAWN, self.us) & chess.BB_FILES[file]
        if heavy and not pawns_of_ours:
            many = len(boards.heavy_pieces(board, self.us, file)) > 2
            kind = "triples" if many else "doubles"
            yield self._make(kind, ["file"], partner=named(board, min(heavy)))

    def _king(self) -> Iterator[Purpose]:
        board, king = self.after, self.after.king(self.us)
        if self.piece == chess.KING and self.is_endgame and not self.before.is_check():
            far = [min(chess.square_distance(s, c) for c in _CENTRE)
                   for s in (self.start, self.end)]  # fmt: skip
            if far[1] < far[0]:
                yield self._make("king_active", ["king"])
        if king is None or self.piece == chess.KING or self.is_endgame:
            return
        back = 0 if self.us else 7
        room = [
            s for s in chess.SquareSet(chess.BB_KING_ATTACKS[king])
            if chess.square_rank(s) != back and board.color_at(s) is None
            and not board.attackers_mask(self.them, s)
        ]  # fmt: skip
        shut = all(
            self.before.color_at(s) == self.us
            for s in chess.SquareSet(chess.BB_KING_ATTACKS[king])
            if chess.square_rank(s) != back
        )
        corner = chess.square_file(king) in (0, 1, 2, 6, 7)
        if chess.square_rank(king) == back and corner and shut and self.start in room:
            yield self._make("luft", ["king"], square=chess.square_name(self.start))

    def _can_be_driven(self, square: chess.Square) -> bool:
        """Tell whether an enemy pawn attacks a square or may yet advance to attack it."""
        file, rank = chess.square_file(square), chess.square_rank(square)
        return any(
            abs(chess.square_file(pawn) - file) == 1
            and (chess.square_rank(pawn) > rank if self.us else chess.square_rank(pawn) < rank)
            for pawn in self.after.pieces(chess.PAWN, self.them)
        )

    def _scope(self, board: chess.Board, square: chess.Square) -> int:
        """Count the squares that a piece may go to without being lost by exchange."""
        own = board.occupied_co[self.us]
        return sum(
            exchange(board, chess.Move(square, target)) >= 0
            for target in board.attacks(square)
            if not own & chess.BB_SQUARES[target]
        )


def _winning(board: chess.Board, side: chess.Color) -> dict[chess.Square, Capture]:
    best: dict[chess.Square, Capture] = {}
    for each in captures(board, side):
        known = best.get(each.victim_square)
        if each.gain > (known.gain if known else 0):
            best[each.victim_square] = each
    return best


def _rank(board: chess.Board, square: chess.Square) -> int:
    piece = boards.piece_on(board, square)
    return 100 if piece == chess.KING else VALUES[piece]


def _choose(options: Sequence[str], key: str) -> str:
    """Return one of the options by a hash of the key."""
    return min(
        options, key=lambda each: hashlib.blake2b(f"{key}|{each}".encode(), digest_size=8).digest()
    )


# ---------------------------------------------------------------- the notes of one move


class _Notes:
    """The notes of one move, made one kind after the other."""

    def __init__(self, briefing: Briefing) -> None:
        self.briefing, self.verdict, self.facts = briefing, briefing.verdict, briefing.facts()
        move, earlier = briefing.move, briefing.move.position.board()
        last = earlier.pop() if earlier.move_stack else None
        self.before = chess.Board(move.position.fen)
        self.played = Played(
            self.before, move.move, last if last and earlier.is_capture(last) else None
        )
        self.after, self.us, self.them = self.played.after, self.played.us, self.played.them
        self.uci, self.reply_line = move.uci, self.verdict.reply_line
        self.bad = self.verdict.judgement in _BAD
        self.swing = self._swing()
        self.net = self._outcome([self.uci, *self.reply_line], self.verdict.after)
        self.best = self._outcome(self.verdict.best_line, self.verdict.before)

    def __iter__(self) -> Iterator[Note]:
        if self.after.is_checkmate() or not any(self.after.generate_legal_moves()):
            yield self._end()
            return
        for make in (
            self._mates, self._known, self._material, self._offers, self._only, self._threats, self._better,
            self._replies, self._standing, self._purposes,
        ):  # fmt: skip
            yield from make()

    def _note(
        self,
        kind: str,
        about: Iterable[str | chess.Square] = (),
        words: Mapping[str, str] = MappingProxyType({}),
        *,
        facts: Sequence[str] = (),
        side: chess.Color | None = None,
        moves: Sequence[str] = (),
        value: float | None = None,
        plus: float = 0,
        **more: str,
    ) -> Note:
        entry = NOTES["kinds"][kind]
        words = {**self.played.words, **words, **more}
        words |= {f"{key}_cap": word[:1].upper() + word[1:] for key, word in words.items()}
        sentence = _choose(entry["say"], self.before.fen() + self.uci).format(**words)
        names = (each if isinstance(each, str) else chess.square_name(each) for each in about)
        return Note(
            kind, self.us if side is None else side, sentence[:1].upper() + sentence[1:],
            entry["weight"] + plus, tuple(f for f in self.facts.facts if f.kind in facts),
            entry.get("decides", False), frozenset(names), tuple(moves), value,
        )  # fmt: skip

    def _outcome(self, line: Sequence[str], score: chess.engine.PovScore) -> Outcome:
        """Return what a line wins for the mover; nothing where the score does not believe it."""
        outcome = play_out(self.before, line, self.us)
        pawns = centipawns(score, self.us) / 100
        left = (1 if self.us else -1) * balance(self.before) + outcome.gain
        doubt = DOUBT if abs(outcome.gain) > 1 else DOUBT / 4
        doubtful = pawns < left - doubt if outcome.gain > 0 else pawns > left + doubt
        nothing = Outcome(0, Counter(), Counter(), 0, None)
        return nothing if outcome.gain and (doubtful or outcome.plies > SOON) else outcome

    def _swing(self) -> int:
        """Return the pawns that the mover has won by the four plies before the move."""
        board, sign = self.briefing.move.position.board(), 1 if self.us else -1
        for _ in range(min(4, len(board.move_stack))):
            board.pop()
        return sign * (balance(self.before) - balance(board))

    def _end(self) -> Note:
        if not self.after.is_check():
            return self._note("stalemate", ["end"], facts=["stalemate"])
        king, checkers = self.after.king(self.them) or 0, self.after.checkers()
        ring, own = chess.BB_KING_ATTACKS[king], self.after.occupied_co[self.them]
        by = listed([named(self.after, square) for square in checkers])
        verb = "give" if len(checkers) > 1 else "gives"
        reason = f"{by} {verb} check, and {self.played.words['them']}'s king has no way out"
        if checkers & self.after.knights and not ring & ~own:
            reason = f"{by} {verb} check, and the king is smothered by its own pieces"
        return self._note("checkmate", ["end"], facts=["mate"], reason=reason, moves=[self.uci])

    # -------------------------------------------------------- mates

    def _mates(self) -> Iterator[Note]:
        could, now = (s.relative.mate() for s in (self.verdict.before, self.verdict.after))
        kinds = ("evaluation", "mistake", "expected_reply")
        if now is not None:
            slots = self._mate(self.after, self.reply_line, abs(now))
            line, about = (self.uci, *self.reply_line), ["mate", "reply", "standing"]
            if now > 0:
                kind = "forces_mate_1" if now == 1 else "forces_mate"
                yield self._note(kind, about, facts=kinds, moves=line, value=now, words=slots)
            else:
                kind = "allows_mate_1" if now == -1 else "allows_mate"
                if could is not None and could < 0:
                    kind = "mated_anyway" if now <= could + 1 else "hastens_mate"
                elif self.verdict.standing_before == "losing":
                    kind = "hastens_mate"
                yield self._note(
                    kind, about, facts=kinds, side=self.them, moves=line, value=-now, words=slots
                )
        if could is not None and could > 0 and not (now is not None and now > 0):
            slots = self._mate(self.before, self.verdict.best_line, could)
            yield self._note(
                "misses_mate", ["best"], facts=("evaluation", "best_line"), side=self.them,
                moves=self.verdict.best_line, value=could, words=slots,
            )  # fmt: skip

    def _mate(self, board: chess.Board, line: Sequence[str], moves: int) -> dict[str, str]:
        """Return the words for a mate: its length is given if the line, replayed, mates."""
        mate = f"mate in {moves}" if mates_at_its_end(board, line) else "mate"
        return {"mate": mate, "line": spelt(board, line)}

    # -------------------------------------------------------- what is known by name

    def _known(self) -> Iterator[Note]:
        """Yield openings, endings and draws by name, and what is proven by lines and scores."""
        proven = list[Fact | None]()
        if self.verdict.standing == "equal":
            proven.append(perpetual(self.after, self.reply_line, "after"))
        if self.briefing.passed is not None and self.briefing.passed.lines:
            proven.append(
                zugzwang(
                    self.after, self.verdict.after, self.briefing.passed.best.score, "after"
                )
            )
        old = {(fact.kind, fact.value) for fact in self.facts.of(when="before")}
        for fact in (*self.facts.facts, *filter(None, proven)):
            weight = NOTES["known"].get(fact.kind)
            if weight is None or fact.when == "before" or (fact.kind, fact.value) in old:
                continue
            text = fact.text
            if fact.kind == "underpromotion":
                text = f"it has to be a {self.played.words['promoted']}, for {text}"
            yield Note(
                fact.kind, self.us if fact.side is None else fact.side,
                f"{text[0].upper()}{text[1:]}.", weight, (fact,), weight >= 60,
                frozenset({*fact.squares, fact.kind}), (self.uci,), concept="",
            )  # fmt: skip

    # -------------------------------------------------------- material

    def _material(self) -> Iterator[Note]:
        net, played = self.net, self.played
        line, kinds = (self.uci, *self.reply_line), ("capture", "exchange", "hanging", "evaluation")
        mated = self.verdict.after.is_mate()
        if played.recaptures:
            yield self._note(
                "recaptures", [played.end, "capture"], facts=("capture",), moves=line[:1]
            )
        elif played.taken is not None and self.verdict.reply and not net.gain:
            reply = chess.Move.from_uci(self.verdict.reply)
            victim = boards.piece_on(self.before, played.taken)
            if reply.to_square == played.end and victim == played.piece != chess.PAWN:
                yield self._note(
                    "trade", [played.end, "capture", "reply"], facts=("capture", "exchange"),
                    moves=line[:2], line=spelt(self.before, line[:2]),
                    pieces=f"{chess.piece_name(victim)}s",
                )  # fmt: skip
        if self.reply_line:
            yield from self._spoilt(chess.Move.from_uci(self.reply_line[0]))
        if mated or not net.gain:
            stands = self.verdict.standing not in ("winning", "clearly better", "slightly better")
            if played.taken and played.gain >= 2 and stands and not (
                played.recaptures or self.bad or mated
            ):
                yield self._note(
                    "accepts", ["material", "standing", played.end, "capture"], facts=kinds,
                    moves=line[:1], value=played.gain, standing=self._words(),
                    target=named(self.before, played.taken),
                )  # fmt: skip
            return
        about = ["material", "reply", "standing"]
        after = {"line": spelt(self.after, self.reply_line, net.plies - 1)}
        if net.plies - 1 > SPELT and net.fallen is not None and net.gain > 0:
            after["line"] += f", and {named(self.before, net.fallen)} falls"
        if net.gain < 0 and self.bad and self.best.gain > net.gain and net.plies > 1:
            kind, words = "loses", {"stuff": stuff(net.lost, net.won)}
            if net.fallen is not None:
                square = played.end if net.fallen == played.start else net.fallen
                kind, words = "loses_piece", {"fallen": named(self.after, square)}
                about.append(chess.square_name(square))
            yield self._note(
                kind, about, facts=kinds, side=self.them, moves=line, value=-net.gain,
                plus=min(net.gain, 0) * -0.5 - 12 * (net.gain == -1), words={**words, **after},
            )  # fmt: skip
        elif net.gain > 0 and not self.bad:
            words = {"stuff": stuff(net.won, net.lost)}
            known = bool(self.briefing.move.position.moves)
            if self.swing < 0 and net.gain + self.swing <= 0:
                if played.recaptures:
                    return
                if net.plies > 1:
                    yield self._note("wins_back", about, facts=kinds, moves=line, words={**words, **after})
                elif not played.recaptures:
                    yield self._note("regains", [played.end, "capture"], facts=kinds, words=words)
                return
            if played.recaptures and net.plies == 1:
                return
            if net.fallen is not None:
                about.append(f"won {chess.square_name(net.fallen)}")
            plus = 2.0 * net.gain - (4 if net.gain > 1 else 34)
            if net.plies > 1:
                yield self._note(
                    "wins", about, {**words, **after}, facts=kinds, moves=line, value=net.gain,
                    plus=plus,
                )  # fmt: skip
            elif known or not played.taken:
                free = not self.after.attackers_mask(self.them, played.end)
                yield self._note(
                    "wins_now" if free else "wins_exchange", [*about[:1], played.end, "capture"],
                    facts=kinds, moves=line[:1], value=net.gain, plus=plus, words=words,
                )  # fmt: skip

    def _spoilt(self, reply: chess.Move) -> Iterator[Note]:
        """Yield the pawns that the opponent's recapture doubles."""
        if (
            reply.to_square != self.played.end
            or self.after.piece_type_at(reply.from_square) != chess.PAWN
        ):
            return
        answer = Played(self.after, reply)
        new = boards.doubled(answer.after, self.them) - boards.doubled(self.after, self.them)
        if new and self.played.taken is not None:
            file = chess.FILE_NAMES[chess.square_file(min(new))]
            yield self._note(
                "spoils", ["pawns", "reply"], facts=("expected_reply",), reply=answer.number,
                moves=(self.uci, reply.uci()), file=file,
            )  # fmt: skip

    def _offers(self) -> Iterator[Note]:
        """Yield why what the move offers cannot be taken, or what it is given for."""
        verdict, net = self.verdict, self.net
        if self.bad or (self.after.is_check() and not self.played.theirs):
            return
        kinds = ("hanging", "exchange", "evaluation")
        if (
            net.gain <= -1
            and net.plies > 1
            and verdict.standing in ("equal", "slightly better", "clearly better", "winning")
        ):
            yield self._note(
                "sacrifice", ["material", "reply", "standing"], facts=kinds, value=-net.gain,
                moves=(self.uci, *self.reply_line), stuff=stuff(net.lost, net.won),
                line=spelt(self.after, self.reply_line, net.plies - 1), standing=self._words(),
                plus=-14 * (net.gain == -1),
            )  # fmt: skip
            return
        for line in self.briefing.after.lines[1:]:
            capture = chess.Move.from_uci(line.moves[0])
            square = boards.taken_on(self.after, capture)
            if square is None or square not in self.played.theirs:
                continue
            if (
                self.reply_line
                and boards.taken_on(self.after, chess.Move.from_uci(self.reply_line[0])) == square
            ):
                continue
            if judge(self.briefing.after.best.score, line.score) not in ("mistake", "blunder"):
                continue
            worth = VALUES[boards.piece_on(self.after, square)]
            mate = line.score.pov(self.us).mate()
            gain = play_out(self.after, line.moves, self.us)
            if mate is not None and mate > 0:
                result = "leads to mate"
            elif gain.gain > 0 and gain.plies <= SOON:
                result = f"wins {stuff(gain.won, gain.lost)}"
            else:
                stands = standing(line.score, self.us)
                if stands not in ("winning", "clearly better"):
                    continue
                result = f"leaves {self._leader(stands).replace(' is ', ' ')}"
            yield self._note(
                "poisoned", [square, "offer"], facts=kinds, moves=(self.uci, *line.moves), value=worth,
                plus=2 * worth - 10, offer=named(self.after, square), result=result,
                line=spelt(self.after, line.moves),
            )  # fmt: skip

    # -------------------------------------------------------- alternatives

    def _only(self) -> Iterator[Note]:
        verdict, lines = self.verdict, self.briefing.before.lines
        if len(list(self.before.legal_moves)) == 1:
            yield self._note("forced", ["only", "lines", "king", "scope"])
            return
        if verdict.rank != 1 or len(lines) < 2 or self.played.recaptures:
            return
        second = lines[1]
        mate, best = (each.score.pov(self.us).mate() for each in (second, lines[0]))
        kinds = ("move_rank", "evaluation")
        if mate is not None and mate < 0 and (best is None or best > 0):
            yield self._note("only_mate", ["only"], facts=kinds, moves=second.moves)
            return
        if (
            judge(lines[0].score, second.score) not in ("mistake", "blunder")
            or self.played.gain > 0
        ):
            return
        if best is not None:
            return
        stood, left = verdict.standing_before, standing(second.score, self.us)
        if stood != verdict.standing:
            return
        keeps = "keeps the win" if stood == "winning" else "keeps the advantage"
        if stood in ("equal", "slightly worse"):
            keeps = "holds the balance" if stood == "equal" else "limits the damage"
        if stood in ("clearly worse", "losing") or left == stood:
            return
        fate = f"leaves {self._leader(left).replace(' is ', ' ')}"
        outcome = play_out(self.before, second.moves, self.us)
        if outcome.gain < 0 and outcome.plies <= SOON:
            fate = f"loses {stuff(outcome.lost, outcome.won)}"
        other = spelt(self.before, second.moves, 1)
        yield self._note(
            "only", ["only"], facts=kinds, moves=second.moves, keeps=keeps, other=other, fate=fate
        )

    def _better(self) -> Iterator[Note]:
        verdict, net, best = self.verdict, self.net, self.best
        if not self.bad or verdict.best == self.uci or (verdict.before.relative.mate() or 0) > 0:
            return
        move = Played(self.before, chess.Move.from_uci(verdict.best), self.played.previous)
        words, about = {"best": move.number}, ["best"]
        kinds, line = ("best_line", "mistake", "evaluation"), verdict.best_line
        if best.gain > max(net.gain, 0) and not move.recaptures:
            yield self._note(
                "better_wins", about, facts=kinds, moves=line, value=best.gain,
                line=spelt(self.before, line, max(best.plies, 1)),
                stuff=stuff(best.won, best.lost), words=words,
            )  # fmt: skip
            return
        purposes = [each for each in move.purposes() if each.weight >= NOTES["least_weight"]]
        if (verdict.after.relative.mate() or 0) < 0 and not purposes:
            yield self._note("better_averts", about, facts=kinds, moves=line, words=words)
        elif purposes:
            clause = _both([each.clause for each in purposes[:2]])
            yield self._note("better", about, facts=kinds, moves=line, purpose=clause, words=words)
        else:
            yield self._note(
                "better_line", about, facts=kinds, moves=line, line=spelt(self.before, line)
            )

    # -------------------------------------------------------- threats, replies, standing

    def _threats(self) -> Iterator[Note]:
        if not self.before.is_check() and not self.after.is_check() and not self.bad:
            could = _passed(self.before)
            for mate in mates(self.before, self.them):
                if could.is_legal(mate) and (self.verdict.after.relative.mate() or 0) >= 0:
                    yield self._note(
                        "parries_mate", ["parries"], facts=("threat",), moves=(),
                        line=spelt(could, [mate.uci()]),
                    )  # fmt: skip
                    break
        if self.after.is_check() or self.verdict.after.is_mate():
            return
        turned, search = _passed(self.after), self.briefing.passed
        against = -NOTES["against"] if self.bad else 0
        for mate in mates(self.after, self.us)[:1]:
            yield self._note(
                "threat_mate_1", ["threat"], facts=("threat",), moves=(self.uci,), plus=2 * against,
                value=1, line=spelt(turned, [mate.uci()]),
            )  # fmt: skip
            return
        if search is None or not search.lines:
            return
        best, moves = search.best, search.best.score.pov(self.us).mate()
        if moves is not None and 0 < moves <= 4:
            slots = self._mate(turned, best.moves, moves)
            yield self._note(
                "threat_mate", ["threat"], facts=("threat",), moves=(self.uci,), value=moves,
                plus=against, words=slots,
            )  # fmt: skip
            return
        outcome = play_out(turned, best.moves, self.us)
        more = centipawns(best.score, self.us) - self.verdict.centipawns_after
        first = chess.Move.from_uci(best.moves[0])
        direct = outcome.plies == 1 or turned.is_capture(first) or turned.gives_check(first)
        if (
            outcome.gain > 0
            and direct
            and outcome.plies <= SPELT
            and more >= max(60, 50 * outcome.gain)
        ):
            yield self._note(
                "threat", ["threat", f"won {first.uci()[2:4]}"], facts=("threat",), moves=(self.uci,), value=outcome.gain,
                plus=against + min(outcome.gain, 9) - 3,
                stuff=stuff(outcome.won, outcome.lost), line=spelt(turned, best.moves, outcome.plies),
            )  # fmt: skip

    def _replies(self) -> Iterator[Note]:
        if not self.reply_line or self.verdict.after.is_mate():
            return
        reply = Played(
            self.after, chess.Move.from_uci(self.reply_line[0]), self._taking(self.played)
        )
        purposes = _telling(reply)
        kinds = ("expected_reply",)
        if purposes and not reply.recaptures:
            kind = "reply_bad" if self.bad else "reply"
            clause = _both([each.clause for each in purposes[:2]])
            yield self._note(
                kind, ["reply"], facts=kinds, side=self.them, moves=(self.uci, *self.reply_line[:1]),
                plus=(purposes[0].weight - 25) / 3, reply=reply.number, purpose=clause,
            )  # fmt: skip
        elif self.bad and not reply.recaptures:
            yield self._note(
                "refutes", ["reply"], facts=kinds, side=self.them,
                moves=(self.uci, *self.reply_line[:SPELT]), line=spelt(self.after, self.reply_line),
            )  # fmt: skip
        if len(self.reply_line) > 1 and not self.bad:
            answer = Played(
                reply.after, chess.Move.from_uci(self.reply_line[1]), self._taking(reply)
            )
            purposes = _telling(answer)
            if purposes and not answer.recaptures:
                yield self._note(
                    "plan", ["reply"], facts=kinds, moves=(self.uci, *self.reply_line[:2]),
                    next=answer.number, purpose=purposes[0].clause, reply=reply.number,
                    plus=(purposes[0].weight - 25) / 3,
                )  # fmt: skip

        if len(self.reply_line) >= SPELT and not self.bad:
            yield self._note(
                "continuation", ["reply"], facts=kinds, moves=(self.uci, *self.reply_line[:SPELT]),
                line=spelt(self.after, self.reply_line),
            )  # fmt: skip

    @staticmethod
    def _taking(played: Played) -> chess.Move | None:
        return played.move if played.taken is not None else None

    def _standing(self) -> Iterator[Note]:
        if self.verdict.after.is_mate():
            return
        stood, stands = self.verdict.standing_before, self.verdict.standing
        kinds = ("evaluation", "win_probability")
        if self.bad and stood != stands:
            yield self._note(
                "turned", ["standing"], facts=kinds, side=self.them,
                was=self._leader(stood, was=True), standing=self._words(),
            )  # fmt: skip
        else:
            yield self._note("standing", ["standing"], facts=kinds, standing=self._words())

    def _words(self) -> str:
        return self._leader(self.verdict.standing)

    def _leader(self, stands: Standing, *, was: bool = False) -> str:
        """Return a standing of the mover in words: ``Black is slightly better``."""
        other = {"losing": "winning", "clearly worse": "clearly better",
                 "slightly worse": "slightly better"}  # fmt: skip
        verb = "was" if was else "is"
        if stands == "equal":
            return f"the game {verb} level"
        leader = side_name(self.them if stands in other else self.us)
        return f"{leader} {verb} {other.get(stands, stands)}"

    # -------------------------------------------------------- purposes

    def _purposes(self) -> Iterator[Note]:
        rights = self.before.has_castling_rights(self.us)
        if (
            self.played.piece == chess.KING
            and rights
            and not self.before.is_castling(self.played.move)
        ):
            yield self._note("loses_castling", ["king"], facts=("king_shelter",), side=self.them)
        if self.verdict.after.is_mate():
            return
        words, piece = self.played.words, self.played.piece
        subjects = [f"With {words['san']} {words['us']}", f"The {words['piece']}", "This"]
        if piece != chess.PAWN and not self.before.is_castling(self.played.move):
            subjects.append(words["san"])
        place = self.before.fen() + self.uci
        ranks = {each.concept: n for n, each in reversed([*enumerate(self.briefing.concepts)])}
        purposes = self.played.purposes()
        told = any(
            f"the {words['piece']}" in p.clause or p.kind in ("castles", "kicks") for p in purposes
        )
        subject = _choose([s for s in subjects if not (told and s.startswith("The "))], place)
        for each in purposes:
            entry = NOTES["purposes"][each.kind]
            concept = entry.get("concept", "")
            bonus = max(0.0, NOTES["concept_bonus"] - 2 * ranks.get(concept, 99))
            facts = tuple(
                fact
                for fact in self.facts.of(*entry.get("facts", ("capture", "castling", "check")))
                if fact.when != "before" and set(fact.squares) & each.about
            )
            weight = each.weight + bonus - (NOTES["against"] if self.bad else 0)
            if each.kind == "takes":  # the move itself says so
                weight -= NOTES["restated"]
            yield Note(
                each.kind, self.us, f"{subject} {each.clause}.", weight, facts, False, each.about,
                (self.uci,), None, concept, subject,
            )  # fmt: skip


def _telling(played: Played) -> list[Purpose]:
    """Return the purposes of a reply that its notation does not show."""
    return [
        each
        for each in played.purposes()
        if each.weight >= NOTES["telling"] and (each.kind != "takes" or played.gain >= 3)
    ]


def _passed(board: chess.Board) -> chess.Board:
    turned = board.copy(stack=False)
    turned.push(chess.Move.null())
    return turned


def _both(clauses: Sequence[str]) -> str:
    """Join two clauses; the second is left out where the first holds an *and* already."""
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
    return Comment(" ".join(note.sentence for note in choose(ranked, words, sentences)), "notes")


def choose(
    ranked: Sequence[Note], words: int = MOST_WORDS, sentences: int = MOST_SENTENCES
) -> list[Note]:
    """Return the notes of a comment, two about what the move does joined in one sentence."""
    chosen = list[Note]()
    covered = set[str]()
    for note in ranked:
        length = sum(len(each.sentence.split()) for each in chosen)
        weak = note.weight < NOTES["least_weight"] and length >= 14
        if note.about & covered or weak or (length >= 26 and note.weight < 40):
            continue
        same = [n for n, each in enumerate(chosen) if note.subject and each.subject == note.subject]
        if same and " and " not in chosen[same[0]].sentence:
            first = chosen[same[0]]
            clause = note.sentence.removeprefix(note.subject)
            link = ", and" if "," in first.sentence else " and"
            joined = replace(
                first, sentence=f"{first.sentence[:-1]}{link}{clause}", about=first.about | note.about,
                facts=(*first.facts, *note.facts),
            )  # fmt: skip
            if length + len(clause.split()) + 1 <= words:
                chosen[same[0]] = joined
                covered |= note.about
        elif not same and len(chosen) < sentences and length + len(note.sentence.split()) <= words:
            chosen.append(note)
            covered |= note.about
    return sorted(chosen, key=lambda note: note.kind in ("reply", "plan"))
