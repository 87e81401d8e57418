"""The method ``template``: a comment from facts and concepts alone, varied and never false.

::

    comment = realise(gather(move, verdict), verdict, concepts, seed=1)
    comment.text, comment.facts

It needs no language model, and every other method falls back on it. Facts become statements,
each with a weight and several phrasings (``phrases.toml``); the weightiest are chosen, worded so
that no two sentences begin alike, and fitted into one to three sentences.
"""

from __future__ import annotations

import hashlib
import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import pairwise
from typing import Final

import chess

from chessgloss.commentary.briefing import PHRASES, Briefing, Comment
from chessgloss.concepts.changes import ConceptChange
from chessgloss.facts import Fact, Facts, Verdict, listed, side_name
from chessgloss.facts.tactics import VALUES

#: Weight from which a statement is worth making for its own sake; below, it only fills up.
WORTH_STATING: Final = 20.0
#: What a statement loses whose acting piece has just moved and can be won.
LOOSE: Final = 18.0
#: What a verdict adds to the weight of statements that it bears out, and takes from others.
SHIFT: Final = 14.0
#: Statements that speak against the move, and some that speak for it.
AGAINST: Final = frozenset({"hangs_moved", "hangs_new", "hangs_still", "exchange_loss"})
FOR: Final = frozenset({"fork", "pin", "skewer", "discovered_attack", "exchange_win"})

#: From this loss on, in centipawns, a move is called bad and a better one is named.
BAD_LOSS: Final = 60
#: Least advantage in centipawns for each word, the strongest first; below the last, the
#: game is about even.
STANDING_BOUNDS: Final = (("winning", 400), ("clear", 200), ("better", 80), ("slight", 50))

#: Smallest change of a concept, in standard deviations, that is put into words; concepts
#: looked at, from the top of the list, and named at most.
LEAST_CHANGE: Final = 0.25
LOOKED_AT, MOST_NAMED = 5, 2

#: Words of a comment at most, and from which on it needs no padding.
MOST_WORDS, ENOUGH_WORDS = 45, 20
#: Sentences at most, and statements in them at most: one sentence may hold two.
MOST_SENTENCES, MOST_STATEMENTS = 3, 4
#: Wordings tried before the shortest is taken.
TRIES: Final = 3

#: Kinds of fact that an opening clause puts into words, and those of the engine's verdict.
MOVE_KINDS = ("capture", "en_passant", "promotion", "castling")
CHECK_KINDS = ("check", "discovered_check", "double_check", "mate")
VERDICT_KINDS = ("mistake", "centipawn_loss", "move_rank", "best_line", "evaluation")

_NUMBERS = ("no", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten")


@dataclass(frozen=True, slots=True)
class Realised:
    """A comment made from facts.

    Parameters
    ----------
    sentences
        The sentences, each with its capital and its full stop.
    facts
        The facts that they put into words, in this order.
    """

    sentences: tuple[str, ...]
    facts: tuple[Fact, ...]

    @property
    def text(self) -> str:
        """The comment: its sentences, one blank between them."""
        return " ".join(self.sentences)


@dataclass(frozen=True, slots=True)
class Statement:
    """One thing that can be stated about a move.

    Parameters
    ----------
    key
        Entry of the phrase tables that words it.
    weight
        How much it matters to a reader, from 0 (padding) to 100 (mate).
    phrasings
        Clauses that all state it; none ends in a full stop.
    facts
        The facts that make it true; empty for what the move alone shows.
    about
        What it speaks of, squares mostly: of statements that share one only the weightiest
        is made.
    """

    key: str
    weight: float
    phrasings: tuple[str, ...]
    facts: tuple[Fact, ...] = ()
    about: frozenset[str] = frozenset()


def write_from_facts(briefing: Briefing, *, seed: int = 0) -> Comment:
    """Write a comment by the method ``template``: no model, nothing but facts."""
    comment = realise(briefing.facts(), briefing.verdict, briefing.concepts, seed=seed)
    return Comment(comment.text, "template")


def realise(
    facts: Facts,
    verdict: Verdict | None = None,
    concepts: Sequence[ConceptChange] = (),
    *,
    seed: int = 0,
) -> Realised:
    """Write a comment of at most :data:`MOST_WORDS` words on a move from its facts.

    What the move is comes first, then why it matters, then what the expert network and the
    engine make of it: one to three sentences. Nothing is stated that is not a fact of the move,
    so that the comment needs no model and no checking. The wording is chosen by a hash of the
    position, the move and the seed: the same on every run, another with another seed.

    Parameters
    ----------
    facts
        Facts of the move (see :func:`chessgloss.facts.gather`), gathered with the same
        verdict if there is one.
    verdict
        What an engine says of the move, seen by the mover.
    concepts
        The concepts that the move changes, most changed first; changes in standard deviations.
    seed
        Chooses among phrasings.

    Raises
    ------
    ValueError
        If the verdict is seen by the other side, or a concept has no name.
    """
    played = PlayedMove(facts)
    closings = [_network_view(played, concepts, bad=_is_bad(verdict)), _judgement(played, verdict)]
    opening, reasons = _opening(played), _ranked(played, verdict)
    key = f"{facts.move.position.fen}|{facts.move.uci}|{seed}"
    return _fit(opening, reasons, [each for each in closings if each], key)


# ---------------------------------------------------------------- the move and its words


class PlayedMove:
    """A move between its two boards, its facts, and words for them.

    Parameters
    ----------
    facts
        All facts of the move.

    Attributes
    ----------
    before, after
        The boards around the move, without their history; read, never changed.
    captured
        Where the captured piece stood; ``None`` if nothing is captured.
    words
        What every phrase may use: sides (``us``, ``them``), ``their_king``, the move and its
        piece and squares (``san``, ``piece``, ``from``, ``to``, ``arrived``, ``moved``), and
        as the move has them ``victim``, ``victim_square``, ``promoted``, ``checker``.
    """

    def __init__(self, facts: Facts) -> None:
        self.facts = facts
        self.move = move = facts.move.move
        self.before = before = chess.Board(facts.move.position.fen)
        self.after = after = before.copy(stack=False)
        after.push(move)
        self.us = before.turn
        self.piece = before.piece_type_at(move.from_square)
        self.start, self.end = facts.move.uci[:2], facts.move.uci[2:4]
        self.captured: str | None = self.end if before.is_capture(move) else None
        if before.is_en_passant(move):
            self.captured = self.end[0] + self.start[1]
        self.words = {
            "us": side_name(self.us),
            "them": side_name(not self.us),
            "san": before.san(move),
            "piece": _kind(before, self.start),
            "from": self.start,
            "to": self.end,
            "arrived": _kind(after, self.end),
            "moved": named(after, self.end),
            "their_king": named(after, chess.square_name(after.king(not self.us) or 0)),
            "promoted": chess.piece_name(move.promotion or chess.PAWN),
        }
        if self.captured:
            self.words["victim"] = _kind(before, self.captured)
            self.words["victim_square"] = self.captured
        if checkers := after.checkers():
            self.words["checker"] = named(after, chess.square_name(min(checkers)))

    @property
    def changes_material(self) -> bool:
        """Whether the move captures or promotes."""
        return self.captured is not None or self.move.promotion is not None

    def is_over(self) -> bool:
        """Tell whether the move leaves the opponent without a legal reply."""
        return not any(self.after.generate_legal_moves())

    def state(
        self,
        key: str,
        weight: float,
        facts: Sequence[Fact] = (),
        about: Iterable[str] = (),
        table: str = "clauses",
        **slots: str,
    ) -> Statement:
        """Return a statement with all phrasings of an entry of a table, its words filled in."""
        words = {**self.words, **slots}
        phrasings = tuple(clause.format(**words) for clause in PHRASES[table][key])
        return Statement(key, weight, phrasings, tuple(facts), frozenset(about))

    def of(self, *kinds: str, when: str) -> tuple[Fact, ...]:
        """Return the facts of these kinds that hold ``before``, ``after`` or by the ``move``."""
        return tuple(fact for fact in self.facts.facts if fact.kind in kinds and fact.when == when)

    def new(self, *kinds: str) -> list[Fact]:
        """Return facts that hold after the move, or by it, and did not hold before it."""

        def identity(fact: Fact) -> tuple[object, ...]:
            return fact.kind, fact.side, fact.squares

        old = {identity(fact) for fact in self.of(*kinds, when="before")}
        new: dict[tuple[object, ...], Fact] = {}
        for fact in (*self.of(*kinds, when="move"), *self.of(*kinds, when="after")):
            new.setdefault(identity(fact), fact)
        return [fact for key, fact in new.items() if key not in old]

    def loss_if_loose(self, fact: Fact) -> float:
        """Return what a statement loses if the fact's acting piece has moved and can be won."""
        hanging = {other.squares[0] for other in self.of("hanging", when="after")}
        return LOOSE if fact.squares[0] == self.end and self.end in hanging else 0


def _kind(board: chess.Board, square: str) -> str:
    """Return the word for the piece on a named square."""
    return chess.piece_name(board.piece_type_at(chess.parse_square(square)) or 0)


def named(board: chess.Board, square: str) -> str:
    """Return a piece with its square: ``the knight on f7``."""
    return f"the {_kind(board, square)} on {square}"


def owned(board: chess.Board, square: str) -> str:
    """Return a piece with its owner and square: ``Black's knight on f7``."""
    owner = side_name(_is_ours(board, chess.WHITE, square))
    return f"{owner}'s {_kind(board, square)} on {square}"


def _is_ours(board: chess.Board, side: chess.Color, square: str) -> bool:
    return board.color_at(chess.parse_square(square)) == side


def _worth(board: chess.Board, square: str) -> int:
    """Return the value in pawns of the piece on a named square; 0 for none and for kings."""
    kind = board.piece_type_at(chess.parse_square(square))
    return VALUES[kind] if kind else 0


# ---------------------------------------------------------------- the opening clause


def _opening(played: PlayedMove) -> Statement:
    """Return the opening clause in all its phrasings: what the move is and does by itself."""
    words, kind = dict(played.words), move_kind(played)
    if kind == "castling":
        short = played.before.is_kingside_castling(played.move)
        words["wing"] = "kingside" if short else "queenside"
        words["rook_to"] = ("f" if short else "d") + played.start[1]
    clauses = []
    for verb in PHRASES["verbs"][kind]:
        for check in PHRASES["checks"].get(check_kind(played), ("",)):
            if not (" and " in verb and check.startswith(" and ")):
                act = (verb + check).format(**words)
                forms = {form: inflect(act, form) for form in ("finite", "participle")}
                clauses += [frame.format(**words, **forms) for frame in PHRASES["frames"]]
    facts = played.of(*MOVE_KINDS, *CHECK_KINDS, when="move")
    return Statement(kind, 100, tuple(clauses), facts, frozenset({"move"}))


def inflect(text: str, form: str) -> str:
    """Return the text with each verb written ``[takes|taking]`` ``finite`` or as ``participle``."""
    return re.sub(r"\[([^|\]]+)\|([^\]]+)\]", r"\1" if form == "finite" else r"\2", text)


def move_kind(played: PlayedMove) -> str:
    """Return the entry of ``verbs`` that fits the move, the most telling first."""
    board, move, piece = played.before, played.move, played.piece
    if board.is_castling(move):
        return "castling"
    if board.is_en_passant(move):
        return "en_passant"
    if move.promotion:
        return "capture_promotion" if played.captured else "promotion"
    if played.captured:
        if piece != chess.KING and move.to_square in board.checkers():
            return "capture_checker"
        return "recapture" if _takes_back(played) else "capture"
    if board.is_check():
        return "escape" if piece == chess.KING else "block"
    forward = (int(played.end[1]) - int(played.start[1])) * (1 if played.us else -1)
    if piece == chess.PAWN:
        return "double_push" if forward == 2 else "push"
    if piece == chess.KING:
        return "king"
    from_home = chess.Board().piece_at(move.from_square) == board.piece_at(move.from_square)
    if forward > 0 and from_home and piece in (chess.KNIGHT, chess.BISHOP):
        return "develop"
    return "retreat" if forward < 0 else "move"


def _takes_back(played: PlayedMove) -> bool:
    """Tell whether the opponent's last move, if it is known, captured on the same square."""
    earlier = played.facts.move.position.board()
    if not earlier.move_stack or earlier.peek().to_square != played.move.to_square:
        return False
    return earlier.is_capture(earlier.pop())


def check_kind(played: PlayedMove) -> str:
    """Return ``mate``, ``double_check``, ``discovered_check``, ``check`` or the empty string."""
    checkers = played.after.checkers()
    if played.after.is_checkmate():
        return "mate"
    if len(checkers) > 1:
        return "double_check"
    direct = played.move.to_square in checkers or played.before.is_castling(played.move)
    return ("check" if direct else "discovered_check") if checkers else ""


# ---------------------------------------------------------------- statements from facts


def _statements(played: PlayedMove, verdict: Verdict | None) -> Iterator[Statement]:
    """Yield all that can be stated of a move beyond its opening clause."""
    for fact in played.of("mate", when="move"):
        yield played.state(_mate_kind(played.after), 99, [fact], ["end"])
    for fact in played.of("stalemate", when="move"):
        yield played.state("stalemate", 98, [fact], ["end"])
    if not played.is_over():
        for make in (_tactics, _threats, _hanging, _exchanges, _material, _pawns, _files):
            yield from make(played)
        yield from _contacts(played)
        yield from _fillers(played)
        if verdict is not None:
            yield from _engine_fillers(played, verdict)


def _mate_kind(board: chess.Board) -> str:
    king, checkers = board.king(board.turn) or 0, board.checkers()
    ring, own = chess.BB_KING_ATTACKS[king], board.occupied_co[board.turn]
    if checkers & board.knights and not ring & ~own:
        return "smothered_mate"
    ranks = chess.BB_RANKS if board.turn else chess.BB_RANKS[::-1]
    back, second = ranks[:2]
    shut_in = chess.BB_SQUARES[king] & back and not ring & second & ~(own & board.pawns)
    on_rank = checkers & (board.rooks | board.queens) & back
    return "back_rank_mate" if shut_in and on_rank else "mate"


def _tactics(played: PlayedMove) -> Iterator[Statement]:
    """Yield forks, pins, skewers and discovered attacks that the move brings about."""
    board = played.after
    old_pins = {fact.squares[1:] for fact in played.of("pin", when="before")}
    for fact in played.new("fork", "pin", "skewer"):
        actor, *targets = fact.squares
        if not _is_ours(board, played.us, actor):
            continue
        names, worth = [named(board, target) for target in targets], _worth(board, targets[0])
        slots = {"actor": named(board, actor), "targets": listed(names)}
        slots |= {"front": names[0], "behind": names[1]}
        if fact.kind == "fork":
            second = sorted(_worth(board, target) or 9 for target in targets)[-2]
            weight = (50.0 if fact.value == "safe" else 26.0) + second
        elif fact.kind == "pin" and fact.squares[1:] in old_pins:
            continue
        else:
            weight = 18 + 2.5 * worth if fact.kind == "pin" else 45.0 + worth
            weight -= played.loss_if_loose(fact)
        yield played.state(fact.kind, weight, [fact], targets, **slots)
    for fact in played.of("discovered_attack", when="move"):
        actor, target = fact.squares[:2]
        slots = {"actor": named(board, actor), "targets": named(board, target)}
        weight = 14 + 3 * _worth(board, target)
        yield played.state("discovered_attack", weight, [fact], fact.squares[1:], **slots)


def _threats(played: PlayedMove) -> Iterator[Statement]:
    """Yield what the mover threatens to do next."""
    if played.after.is_check():
        return
    board = played.after.copy(stack=False)
    board.push(chess.Move.null())
    old = {fact.squares[2] for fact in played.of("threat", when="before")}
    for fact in played.of("threat", when="after"):
        move, target = chess.Move.from_uci(str(fact.value)), fact.squares[2]
        new = target not in old or _kind(board, target) == "king"
        if fact.side != played.us or not new or not board.is_legal(move):
            continue
        key, weight, slots = "threat", 22.0, {"line": board.san(move)}
        if slots["line"].endswith("#"):
            yield played.state("threat_mate", 72, [fact], [target], **slots)
            continue
        if not board.is_capture(move):
            key, weight = "threat_promotion", 44
        elif not board.is_en_passant(move):
            key, weight = "threat_piece", 21 + 3 * _worth(board, target)
            slots["target"] = owned(board, fact.squares[1])
        weight -= played.loss_if_loose(fact)
        yield played.state(key, weight, [fact], [target], **slots)


def _hanging(played: PlayedMove) -> Iterator[Statement]:
    """Yield pieces that the move leaves hanging, saves, or makes hang."""
    before = {fact.squares[0]: fact for fact in played.of("hanging", when="before")}
    after = {fact.squares[0]: fact for fact in played.of("hanging", when="after")}
    for square, fact in after.items():
        worth, target = _worth(played.after, square), owned(played.after, square)
        if square == played.end:
            if played.captured is None:  # else the exchange says it
                yield played.state("hangs_moved", 38 + 3 * worth, [fact], [square], target=target)
            continue
        ours = _is_ours(played.after, played.us, square)
        key, weight, facts = "hangs_new", (32 if ours else 20) + 3 * worth, [fact]
        if square in before:
            key, weight = "hangs_still", (16 if ours else 12) + 2 * worth
            facts = [before[square], fact]
        yield played.state(key if ours else f"theirs_{key}", weight, facts, [square], target=target)
    if played.after.is_check():  # then the opponent has its hands bound for a move only
        return
    for square, fact in before.items():
        worth = _worth(played.before, square)
        if not _is_ours(played.before, played.us, square):
            continue
        if square == played.start:
            if played.end not in after and played.captured is None:
                yield played.state("saved_moved", 22 + 3 * worth, [fact], [square])
        elif square not in after:
            target = owned(played.after, square)
            yield played.state("saved", 20 + 2 * worth, [fact], [square], target=target)


def _exchanges(played: PlayedMove) -> Iterator[Statement]:
    """Yield what the captures that the move begins come to."""
    for fact in played.of("exchange", when="move") if played.captured else ():
        gain = fact.value if isinstance(fact.value, int) else 0
        key, weight = "exchange_win" if gain > 0 else "exchange_loss", 26.0
        if len(fact.squares) == 2:  # nothing can take back
            key, weight = "exchange_free", 24.0
        elif gain == 0:
            key, weight = "exchange_even", 22.0
        yield played.state(key, weight + 2 * abs(gain), [fact], ["exchange", fact.squares[0]])


def _material(played: PlayedMove) -> Iterator[Statement]:
    """Yield who has more material after the move; weightier after a capture."""
    for fact in played.of("material", when="after"):
        surplus = _surplus(played.after, fact.side if fact.side is not None else chess.WHITE)
        amount = "the exchange" if surplus == {"rook": 1, "minor piece": -1} else ""
        if len(surplus) == 1:
            ((name, number),) = surplus.items()
            amount = f"a {name}" if number == 1 else f"{_number_word(number)} {name}s"
        key = "material_ahead" if amount else "material_more"
        if fact.side is None:
            key = "material_points" if surplus else "material_level"
        slots = {"leader": side_name(bool(fact.side)), "amount": amount}
        weight = 14 if played.changes_material else 10
        yield played.state(key, weight, [fact], ["material"], **slots)


def _surplus(board: chess.Board, side: chess.Color) -> dict[str, int]:
    """Return by how many pieces of each kind a side has more, knights and bishops as one."""
    more = {
        chess.piece_name(kind): len(board.pieces(kind, side)) - len(board.pieces(kind, not side))
        for kind in (chess.PAWN, chess.KNIGHT, chess.BISHOP, chess.ROOK, chess.QUEEN)
    }
    more["minor piece"] = more.pop("knight") + more.pop("bishop")
    return {name: number for name, number in more.items() if number}


def _number_word(number: int) -> str:
    return _NUMBERS[number] if 0 <= number < len(_NUMBERS) else str(number)


def _pawns(played: PlayedMove) -> Iterator[Statement]:
    """Yield passed, doubled and isolated pawns that the move makes or moves."""

    def slots(fact: Fact) -> dict[str, str]:
        square = fact.squares[0]
        words = {"square": square, "file": square[0], "target": owned(played.after, square)}
        return {**words, "owner": side_name(bool(fact.side))}

    passed_before = {fact.squares[0] for fact in played.of("passed_pawn", when="before")}
    for fact in played.new("passed_pawn"):
        steps = fact.value if isinstance(fact.value, int) else 0
        advanced = fact.squares[0] == played.end and played.start in passed_before
        key, weight = ("passed_advanced", 30) if advanced else ("passed_new", 34)
        count = "one step" if steps == 1 else f"{_number_word(steps)} steps"
        about = fact.squares
        yield played.state(key, weight - 3 * steps, [fact], about, steps=count, **slots(fact))
    for kind, key, weight in (("doubled_pawns", "doubled", 15), ("isolated_pawn", "isolated", 13)):
        old = {(fact.side, fact.squares[0][0]) for fact in played.of(kind, when="before")}
        for fact in played.new(kind):
            if (fact.side, fact.squares[0][0]) not in old:  # the first on this file
                yield played.state(key, weight, [fact], fact.squares, **slots(fact))


def _files(played: PlayedMove) -> Iterator[Statement]:
    """Yield files that the move opens, open ones on which it puts a rook, and a castled king."""
    old = {(fact.side, fact.value) for fact in played.of("open_file", when="before")}
    enters = played.piece == chess.ROOK and played.start[0] != played.end[0]
    for fact in played.of("open_file", when="after"):
        new, about = (fact.side, fact.value) not in old, [f"{fact.value}-file"]
        slots = {"file": str(fact.value), "owner": side_name(bool(fact.side))}
        if fact.side is None and new:
            yield played.state("open_file", 17, [fact], about, **slots)
        elif fact.side is None and enters and played.end in fact.squares:
            yield played.state("on_open_file", 23, [fact], about, **slots)
        elif fact.side == played.us and new:
            yield played.state("half_open_file", 12, [fact], about, **slots)
    for fact in played.of("king_shelter", when="after"):
        castled = played.before.is_castling(played.move) and fact.side == played.us
        if castled and len(fact.squares) > 2:
            count = f"{_number_word(len(fact.squares) - 1)} pawns"
            yield played.state("castled", 21, [fact], ["shelter"], count=count)


def _contacts(played: PlayedMove) -> Iterator[Statement]:
    """Yield what the moved piece attacks and protects on its new square, the worthiest two."""
    board = played.after

    def worthiest(fact: Fact) -> tuple[int, int]:
        return -_worth(board, fact.squares[1]), _seen_by(played.us, fact.squares[1])

    for kind, weight in (("attack", 8), ("defence", 6)):
        plain = (fact for fact in played.of(kind, when="after") if fact.value is None)
        by_it = [fact for fact in plain if fact.squares[0] == played.end]
        touched = [fact for fact in by_it if _worth(board, fact.squares[1])]
        if chosen := sorted(touched, key=worthiest)[:2]:
            squares = [fact.squares[1] for fact in chosen]
            targets = listed([named(board, square) for square in squares])
            weighted = weight + 0.4 * _worth(board, squares[0])
            yield played.state(kind, weighted, chosen, squares, targets=targets)


def _seen_by(side: chess.Color, name: str) -> chess.Square:
    """Return a square as a side sees it from its end of the board: White's own as they are."""
    square = chess.parse_square(name)
    return square if side else chess.square_mirror(square)


def _fillers(played: PlayedMove) -> Iterator[Statement]:
    """Yield what can be said when nothing happens."""
    if not played.after.is_check():
        if not played.of("hanging", when="after"):
            yield played.state("calm", 5, about=["calm"])
        if not played.changes_material:
            yield played.state("quiet", 3, about=["quiet"])
    yield played.state("reply", 1, about=["reply"])


# ---------------------------------------------------------------- engine and network


def _engine_fillers(played: PlayedMove, verdict: Verdict) -> Iterator[Statement]:
    """Yield the reply that the engine expects, and the chance to win as a number."""
    for fact in played.of("expected_reply", when="after"):
        weight = 22 if _is_bad(verdict) else 11  # it often shows what is wrong with a bad move
        reply = played.after.san(chess.Move.from_uci(str(fact.value)))
        yield played.state("reply", weight, [fact], ["reply"], "verdict", reply=reply)
    for fact in played.of("win_probability", when="after"):
        if verdict.after.relative.mate() is None:
            percent = f"{100 * verdict.win_after:.0f}"
            yield played.state("chance", 9, [fact], ["chance"], "verdict", percent=percent)


def _is_bad(verdict: Verdict | None) -> bool:
    return verdict is not None and verdict.loss >= BAD_LOSS


def _judgement(played: PlayedMove, verdict: Verdict | None) -> Statement | None:
    """Return what the engine makes of the move; ``None`` without one or when the game is over."""
    if verdict is None:
        return None
    if verdict.mover != played.us:
        raise ValueError(
            f"the verdict is seen by {side_name(verdict.mover)}, who does not play "
            f"{played.facts.move.numbered_san}; weigh the same move"
        )
    if played.is_over():
        return None
    value = verdict.centipawns_after
    edges = (name for name, least in STANDING_BOUNDS if abs(value) >= least)
    standing = "mate" if verdict.after.is_mate() else next(edges, "level")
    even = abs(value) < STANDING_BOUNDS[-1][1]
    mate, still = verdict.before.relative.mate(), verdict.played.relative.mate()
    missed = _is_bad(verdict) and (mate or 0) > 0 and (still is None or still < 0)
    key: str = "missed_mate" if missed else verdict.mistake_class
    key = "first" if verdict.best == played.move.uci() else key
    push = played.piece == chess.PAWN and not played.changes_material
    leader = side_name(verdict.mover if value > 0 else not verdict.mover)
    return played.state(
        key,
        80,
        tuple(fact for fact in played.facts.facts if fact.kind in VERDICT_KINDS),
        ["verdict"],
        "verdict",
        played=f"the {played.end} push" if push else played.words["san"],
        best=played.before.san(chess.Move.from_uci(verdict.best)),
        standing=PHRASES["standings"][standing].format(leader=leader),
        link="although" if value > 0 and not even else "and",
        still="but" if value < 0 and not even else "and",
    )


def _network_view(
    played: PlayedMove, concepts: Sequence[ConceptChange], *, bad: bool
) -> Statement | None:
    """Return what the network's estimates show, or ``None`` if nothing fits to be said.

    Of the first concepts those are named that speak the same way as the move's verdict: for
    the mover, or against it if the move is bad. What the board rules out is left unsaid
    (material that shifts without a capture, passed pawns where there are none).
    """
    for each in concepts:
        if "phrase" not in PHRASES["concepts"].get(each.concept, ()):
            raise ValueError(f"unknown concept {each.concept!r}: name it without its side")
    top = [*concepts[:LOOKED_AT]]
    fitting = (each for each in top if (_favours(each) == played.us) != bad)
    chosen = [
        each for each in fitting if abs(each.change) >= LEAST_CHANGE and _is_possible(played, each)
    ][:MOST_NAMED]
    if played.is_over() or not chosen:
        return None
    phrases = []
    for each in chosen:
        phrase = PHRASES["concepts"][each.concept]["phrase"].format(side=each.side)
        direction = f"for the {'better' if each.change > 0 else 'worse'}"
        if each.side == "both":
            direction = f"in favour of {side_name(_favours(each))}"
        phrases.append(f"{phrase} ({direction})" if len(chosen) > 1 else f"{phrase}, {direction}")
    key = "first" if chosen == top[: len(chosen)] else "other"
    statement = played.state(key, 30, (), ["concepts"], "network", concepts=listed(phrases))
    return replace(statement, key="concepts")


def _favours(concept: ConceptChange) -> chess.Color:
    """Return the side for which the change is good."""
    return (concept.side != "Black") == (concept.change > 0)


def _is_possible(played: PlayedMove, concept: ConceptChange) -> bool:
    """Tell whether what the concept counts is there on the board to change."""
    name, white = concept.concept, concept.side == "White"
    if name == "Material":
        return played.changes_material and _favours(concept) == played.us
    if name in ("Imbalance", "Pawns"):
        return played.changes_material or (name == "Pawns" and played.piece == chess.PAWN)
    if name == "Passedpawns":
        return any(fact.side == white for fact in played.of("passed_pawn", when="after"))
    piece = name.lower().removesuffix("s")
    if piece not in chess.PIECE_NAMES:
        return True
    return bool(played.after.pieces(chess.PIECE_NAMES.index(piece), white))


# ---------------------------------------------------------------- choosing and wording


def _ranked(played: PlayedMove, verdict: Verdict | None) -> list[Statement]:
    """Return the statements by weight; of those about the same thing, the first."""

    def shifted(statement: Statement) -> Statement:
        if verdict is None or statement.key not in AGAINST | FOR:
            return statement
        shift = SHIFT if (statement.key in AGAINST) == _is_bad(verdict) else -SHIFT
        return replace(statement, weight=statement.weight + shift)

    def order(statement: Statement) -> tuple[float, str, list[int]]:
        squares = statement.about & set(chess.SQUARE_NAMES)
        return -statement.weight, statement.key, sorted(_seen_by(played.us, sq) for sq in squares)

    kept: list[Statement] = []
    covered: set[str] = set()
    for statement in sorted(map(shifted, _statements(played, verdict)), key=order):
        about = statement.about | {statement.key}
        if not about & covered:
            kept.append(statement)
            covered |= about
    return kept


def _fit(
    opening: Statement, reasons: Sequence[Statement], closings: Sequence[Statement], key: str
) -> Realised:
    """Return a comment of one to three sentences within :data:`MOST_WORDS` words.

    Statements are left out until the rest fits: of the reasons the lighter first, then the
    closings but for the last, then the others. What is too short is padded with lesser
    reasons, before what it ends on.
    """
    strong = [each for each in reasons if each.weight >= WORTH_STATING]
    main = strong[: min(2, MOST_STATEMENTS - 1 - len(closings))]
    selections = [
        [opening, *main, *closings],
        [opening, *main[:1], *closings],
        [opening, *main[:1], *closings[-1:]],
        [opening, *main[:1]],
    ]
    worded = ((statements, _word_within(statements, key)) for statements in selections)
    chosen, comment = next((chosen, short) for chosen, short in worded if short)
    for reason in reasons:
        if len(chosen) >= MOST_STATEMENTS or len(comment.text.split()) >= ENOUGH_WORDS:
            break
        if reason not in chosen:
            ends = [each for each in chosen if each in closings]
            longer = [*(each for each in chosen if each not in closings), reason, *ends]
            if padded := _word_within(longer, key):
                comment, chosen = padded, longer
    return comment


def _word_within(statements: Sequence[Statement], key: str) -> Realised | None:
    """Return the first wording that is short enough, the shortest at last; ``None`` if none is."""
    for attempt in range(TRIES + 1):
        clauses = _phrase(statements, f"{key}|{attempt}", shortest=attempt == TRIES)
        sentences = map(_sentence, _join(clauses, statements, f"{key}|{attempt}"))
        facts = dict.fromkeys(fact for statement in statements for fact in statement.facts)
        comment = Realised(tuple(sentences), tuple(facts))
        if len(comment.text.split()) <= MOST_WORDS:
            return comment
    return None


def _phrase(statements: Sequence[Statement], key: str, *, shortest: bool) -> list[str]:
    """Choose a phrasing of each statement; no two begin alike if that can be helped."""
    clauses: list[str] = []
    beginnings: set[str] = set()
    for statement in statements:
        options = [clause for clause in shuffled(statement.phrasings, key) if _may_open(clause)]
        if shortest:
            options.sort(key=lambda clause: len(clause.split()))
        fresh = (clause for clause in options if _beginning(clause) not in beginnings)
        clauses.append(next(fresh, options[0]))
        beginnings.add(_beginning(clauses[-1]))
    return clauses


def _join(clauses: list[str], statements: Sequence[Statement], key: str) -> list[str]:
    """Join two clauses that follow each other, if there are too many or it reads well."""
    if len(clauses) < 2:
        return clauses
    pairs = map("|".join, pairwise(clauses[:3]))
    # conjunctions and commas that the two would hold together
    load = [2 * pair.count(" and ") + pair.count(",") for pair in pairs]
    best = min(
        range(len(load)), key=lambda n: (load[n], shuffled((clauses[n], clauses[n + 1]), key))
    )
    wanted = shuffled(("join", "leave"), key)[0] == "join" and load[best] == 0
    if len(clauses) <= MOST_SENTENCES and not wanted:
        return clauses
    against = statements[best + 1].key in AGAINST and statements[best].key not in AGAINST
    joined = f"{clauses[best]}, {'but' if against else 'and'} {clauses[best + 1]}"
    return [*clauses[:best], joined, *clauses[best + 2 :]]


def _beginning(clause: str) -> str:
    """Return the first two words of a clause, in lower case: what makes prose sound alike."""
    return " ".join(clause.lower().split()[:2])


def _may_open(clause: str) -> bool:
    """Tell whether a clause may open a sentence: ``exd5`` with a capital would be no move."""
    return re.match(r"[a-h][1-8x]", clause) is None


def _sentence(clause: str) -> str:
    return f"{clause[0].upper()}{clause[1:]}."


def shuffled(options: Iterable[str], key: str) -> list[str]:
    """Return the options in an order that depends on them and on ``key`` alone."""
    return sorted(
        options,
        key=lambda option: hashlib.blake2b(f"{key}|{option}".encode(), digest_size=8).digest(),
    )
