"""The facts of a move, as typed records: gathered from the board and from an engine's verdict.

What the kinds hold, ``side`` being the mover's or the piece's owner's unless said:

===================  ==================================  ======================================
kind                 squares                             value
===================  ==================================  ======================================
capture, en_passant  from, to (and the taken pawn's)     the taken piece's letter
promotion            from, to                            the new piece's letter
castling             king from, to, rook from, to        ``kingside`` or ``queenside``
check, mate          the checking pieces, the king       none; a check that stands before the
                                                         move is a fact of ``before``
discovered_check     the checking pieces that did not
                     move, the king                      none
double_check         the checking pieces, the king       none
stalemate            the king; its side                  none
material             of the move: from, to               pawns that the move brings
material             before, after: none; the side       pawns by which it is ahead, 0 if level
                     ahead, or nobody
exchange             to, from, who can take back         pawns the mover wins by exchange
attack, defence      the acting piece, the other         ``barred`` if the rules forbid taking
hanging              the piece                           pawns that its loss costs
fork                 the piece, what it forks            ``safe``, or ``loose`` if it hangs
pin, skewer          the piece, in front, behind         ``absolute`` (a king) or ``relative``
discovered_attack    the piece, what it attacks          pawns that its capture wins
threat               from, to, what is won               the move in UCI
passed_pawn          the pawn                            ranks that it has still to go
doubled_pawns        the pawns of one file               their number
isolated_pawn        the pawn                            none
open_file            rooks and queens on it (half-open:  the file's letter; half-open if it has
                     the side's own)                     a side, the one without a pawn
king_shelter         the king, its pawns                 their number
opening              of move: from, to; before: none     its ECO code and its name
ending               none; nobody                        its name, by the pieces: ``rook ending``
theory               none; the winner, or nobody         ``win`` or ``draw``, and what is known
opposition           the holder's king, the other; the   ``direct`` or ``distant``; only where
                     holder                              it decides
key_square           the king on it, its pawn            none
outside_square       the pawn, the other king, the       none; the king cannot catch the pawn
                     promotion square
stalemating_move     from, to                            UCI move
repetition           from, to                            how often the position has stood
fifty_moves          none; nobody                        plies without a capture or pawn's move
perpetual            the first check's, the king         UCI moves; see facts/known.py
underpromotion       from, to                            why no queen: ``mate``, ``stalemate``,
                                                         ``mated``, ``fork`` or ``check``
zugzwang             the king                            expected points lost by having to move
centipawn_loss       from, to                            centipawns, at least 0
move_rank            from, to                            1 to 5, or none
mistake              from, to                            ``Excellent`` to ``Blunder``
evaluation           none                                centipawns for the mover (mate in n:
                                                         10,000 - n)
win_probability      none                                chance of the mover, 0 to 1
best_line            the best move's from, to            UCI moves
expected_reply       its from, to; the opponent          UCI move
===================  ==================================  ======================================
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import cache, lru_cache
from typing import Final, Literal, get_args

import chess
import jinja2

from chessgloss.engine import MATES_FROM, ScoreWording, centipawns, read_centipawns, score_text
from chessgloss.facts import board as boards
from chessgloss.facts import tactics
from chessgloss.facts.verdict import MistakeClass, Verdict
from chessgloss.positions import MoveInContext

_Board = Literal[
    "capture", "en_passant", "promotion", "castling",
    "check", "discovered_check", "double_check", "mate", "stalemate",
    "material", "exchange", "attack", "defence", "hanging",
    "fork", "pin", "skewer", "discovered_attack", "threat",
    "passed_pawn", "doubled_pawns", "isolated_pawn", "open_file", "king_shelter",
]  # fmt: skip
_Known = Literal[
    "opening", "ending", "theory", "opposition", "key_square", "outside_square",
    "stalemating_move", "repetition", "fifty_moves", "perpetual", "underpromotion", "zugzwang",
]  # fmt: skip
_Engine = Literal[
    "centipawn_loss", "move_rank", "mistake",
    "evaluation", "win_probability", "best_line", "expected_reply",
]  # fmt: skip

#: The kinds, in the order in which they are listed.
FactKind = Literal[_Board, _Known, _Engine]

#: When a fact holds: of the move itself, in the position before it, or in the one after it.
When = Literal["move", "before", "after"]

_AROUND: Final[tuple[When, When]] = ("before", "after")

#: Kinds that only an engine's analysis can give.
ENGINE_KINDS: Final[frozenset[FactKind]] = frozenset(get_args(_Engine))

#: Kinds of ``facts/known.py``. Perpetual check and zugzwang are asked of it, not gathered: they
#: take an engine's line or scores.
KNOWN_KINDS: Final[frozenset[FactKind]] = frozenset(get_args(_Known))

_PLACE = {name: place for place, name in enumerate((*get_args(When), *get_args(FactKind)))}


@dataclass(frozen=True, slots=True)
class Fact:
    """One thing that is true of a move.

    Parameters
    ----------
    kind
        What it is.
    when
        Before the move, of the move, or after it.
    side
        Whose piece, pawn, king or advantage it is; ``None`` for what belongs to nobody (an
        open file).
    squares
        Squares concerned, the acting piece first, then those acted on: ``("f7", "d8", "h8")``
        for a knight on f7 that forks d8 and h8.
    value
        The amount (pawns of material, centipawns, a probability), a move or a line in UCI, or
        a piece's letter; ``None`` where the squares say all.
    text
        The fact as a plain English clause without a full stop: ``the knight on f7 forks the
        rook on h8 and the queen on d8``.
    provenance
        ``board``, or the name and version of the engine that was asked.
    """

    kind: FactKind
    when: When
    side: chess.Color | None
    squares: tuple[str, ...]
    value: int | float | str | tuple[str, ...] | None
    text: str
    provenance: str = "board"


@dataclass(frozen=True, slots=True)
class Facts:
    """All facts of a move, in a fixed order.

    Parameters
    ----------
    move
        The move.
    facts
        Facts of the move, then of the position before it, then after it.
    """

    move: MoveInContext
    facts: tuple[Fact, ...]

    def of(
        self, *kinds: FactKind, when: When | None = None, side: chess.Color | None = None
    ) -> tuple[Fact, ...]:
        """Return the facts of these kinds (all if none is given), of one time and side if given."""
        of_kind = (fact for fact in self.facts if not kinds or fact.kind in kinds)
        return tuple(f for f in of_kind if when in (None, f.when) and side in (None, f.side))


def gather(move: MoveInContext, verdict: Verdict | None = None) -> Facts:
    """Gather what is true of a move.

    Facts of state (attacks, hanging pieces, pins, passed pawns and so on) are listed for the
    position before the move and for the one after it; what the move itself does is listed
    as of the move: captures, checks, castling, the material it brings, the exchange that it
    begins, and the forks, pins, skewers and discovered attacks that it makes. In threats the
    side to move *can* do at once what the other *threatens* to do after a pass. What goes by
    name, openings, endings and draws, comes from ``facts/known.py``; the history of the
    position counts there, as far as it is known.

    Parameters
    ----------
    move
        The move.
    verdict
        What an engine says of it (see :func:`chessgloss.facts.weigh`); without one there are
        no facts of the kinds in :data:`ENGINE_KINDS`.

    Returns
    -------
    Facts
        Of the move, then before, then after it; within each by kind, White's before Black's.

    Raises
    ------
    ValueError
        If the verdict is seen by the side that does not move.
    """
    from chessgloss.facts.known import known_facts  # which makes facts, of this module

    board = chess.Board(move.position.fen)
    after = boards.after_move(board, move.move)
    facts = [*_checks(board, "before"), *_states(board, "before"), *_states(after, "after")]
    facts += [*_special_moves(board, move.move), *_checks(after, "move", board)]
    facts += [*_gains(board, move.move, after), *_tactics_made(board, move.move, facts)]
    facts += known_facts(move, board, after)
    facts += _engine_facts(move, verdict) if verdict else []
    return Facts(move, tuple(sorted(facts, key=lambda f: (_PLACE[f.when], _PLACE[f.kind]))))


# ---------------------------------------------------------------- names in clauses


@cache
def noun(colour: chess.Color, piece: chess.PieceType, square: chess.Square) -> str:
    """Return a piece's name with its side and square: ``the white knight on f7``."""
    kind = chess.PIECE_NAMES[piece]
    return f"the {chess.COLOR_NAMES[colour]} {kind} on {chess.SQUARE_NAMES[square]}"


def noun_at(board: chess.Board, square: chess.Square) -> str:
    """Return the name of the piece that stands on a square."""
    colour = bool(board.occupied_co[chess.WHITE] & chess.BB_SQUARES[square])
    return noun(colour, boards.piece_on(board, square), square)


def named(board: chess.Board, square: chess.Square) -> str:
    """Return a piece with its square: ``the knight on f7``."""
    return f"the {chess.piece_name(boards.piece_on(board, square))} on {chess.square_name(square)}"


def owned(board: chess.Board, square: chess.Square) -> str:
    """Return a piece with its owner and square: ``Black's knight on f7``."""
    owner = side_name(bool(board.color_at(square)))
    return f"{owner}'s{named(board, square).removeprefix('the')}"


def side_name(colour: chess.Color) -> str:
    """Return ``White`` or ``Black``."""
    return "White" if colour else "Black"


def listed(words: Sequence[str]) -> str:
    """Return words as a list in a sentence: ``a``, ``a and b``, ``a, b and c``."""
    *first, last = words
    return f"{', '.join(first)} and {last}" if first else last


def _pawns_worth(amount: int) -> str:
    return f"{amount} pawn" if amount == 1 else f"{amount} pawns"


def names(squares: Iterable[chess.Square]) -> tuple[str, ...]:
    """Return squares by their names."""
    return tuple(chess.SQUARE_NAMES[square] for square in squares)


# ---------------------------------------------------------------- of a position


def _states(board: chess.Board, when: When) -> Iterator[Fact]:
    """Yield the facts of a position, White's before Black's within each kind."""
    balance = tactics.balance(board)
    text = f"{side_name(balance > 0)} is {_pawns_worth(abs(balance))} ahead in material"
    ahead, text = (balance > 0, text) if balance else (None, "material is level")
    yield Fact("material", when, ahead, (), abs(balance), text)
    for file in boards.open_files(board):
        heavy = [s for side in chess.COLORS for s in boards.heavy_pieces(board, side, file)]
        yield _file(when, None, file, heavy)
    exchanges = {side: tactics.Exchanges(board, side) for side in chess.COLORS}
    taken = {side: tuple(each.captures()) for side, each in exchanges.items()}
    for side in chess.COLORS:
        yield from (_pair(when, side, pair, not side) for pair in boards.attacks(board, side))
        yield from (_pair(when, side, pair, side) for pair in boards.defences(board, side))
        for loss in tactics.hanging(board, side, taken[not side]):
            text = f"{noun(side, loss.victim, loss.square)} is hanging"
            yield Fact("hanging", when, side, names((loss.square,)), loss.gain, text)
        for fork in tactics.forks(board, side, taken[side]):
            targets = listed([noun_at(board, square) for square in fork.targets])
            text = f"{noun_at(board, fork.square)} forks {targets}"
            value = "safe" if fork.safe else "loose"
            yield Fact("fork", when, side, names((fork.square, *fork.targets)), value, text)
        pins, skewers = tactics.line_tactics(board, exchanges[side])
        for line in (*pins, *skewers):
            front, behind = noun_at(board, line.front), noun_at(board, line.behind)
            kind: FactKind = "pin" if line in pins else "skewer"
            verb = f"pins {front} to {behind}" if kind == "pin" else f"skewers {front} and {behind}"
            text = f"{noun_at(board, line.square)} {verb}"
            degree = "absolute" if line.absolute else "relative"
            yield Fact(kind, when, side, names(line[:3]), degree, text)
        for threat in tactics.threats(board, side, taken[side]):
            yield _threat(board, when, side, threat)
        yield from _structure(board, when, side)


@lru_cache(1 << 16)  # the same pairs stand on the board move after move
def _pair(when: When, side: chess.Color, pair: boards.Pair, owner: chess.Color) -> Fact:
    """Return the fact of an attack or a defence, by who owns the target."""
    kind: FactKind = "defence" if owner == side else "attack"
    verb, end = ("defends", "back there") if owner == side else ("attacks", "it")
    target = noun(owner, pair.target_piece, pair.target)
    text = f"{noun(side, pair.piece, pair.square)} {verb} {target}"
    value, text = ("barred", f"{text} but may not take {end}") if pair.barred else (None, text)
    return Fact(kind, when, side, names((pair.square, pair.target)), value, text)


def _threat(board: chess.Board, when: When, side: chess.Color, threat: tactics.Threat) -> Fact:
    start, end, target = names((threat.move.from_square, threat.move.to_square, threat.target))
    mover = named(board, threat.move.from_square)
    aim = {
        "mate": lambda: f"mate with {mover.replace(' on ', ' from ')} to {end}",
        "capture": lambda: f"win {noun_at(board, threat.target)} with {mover}",
        "promotion": lambda: f"promote {mover} on {end}",
    }[threat.kind]()
    text = f"{side_name(side)} {'can' if board.turn == side else 'threatens to'} {aim}"
    return Fact("threat", when, side, (start, end, target), threat.move.uci(), text)


def _structure(board: chess.Board, when: When, side: chess.Color) -> Iterator[Fact]:
    for pawn in boards.passed(board, side):
        steps = 7 - chess.square_rank(pawn) if side else chess.square_rank(pawn)
        text = f"{noun(side, chess.PAWN, pawn)} is passed"
        yield Fact("passed_pawn", when, side, names((pawn,)), steps, text)
    doubled = boards.doubled(board, side)
    for group in filter(None, (doubled & file for file in chess.BB_FILES)):
        squares = listed(names(group))
        text = f"the {chess.COLOR_NAMES[side]} pawns on {squares} are doubled"
        yield Fact("doubled_pawns", when, side, names(group), len(group), text)
    for pawn in boards.isolated(board, side):
        text = f"{noun(side, chess.PAWN, pawn)} is isolated"
        yield Fact("isolated_pawn", when, side, names((pawn,)), None, text)
    for file in boards.half_open_files(board, side):
        yield _file(when, side, file, boards.heavy_pieces(board, side, file))
    king, pawns = boards.shelter(board, side)
    shelterers = f"the pawns on {listed(names(pawns))} shelter" if pawns else "no pawn shelters"
    if len(pawns) == 1:
        shelterers = f"the pawn on {chess.square_name(pawns[0])} shelters"
    text = f"{shelterers} {noun(side, chess.KING, king)}"
    yield Fact("king_shelter", when, side, names((king, *pawns)), len(pawns), text)


def _file(when: When, side: chess.Color | None, file: int, heavy: Iterable[chess.Square]) -> Fact:
    name = chess.FILE_NAMES[file]
    state = "open" if side is None else f"half-open for {side_name(side)}"
    return Fact("open_file", when, side, names(heavy), name, f"the {name}-file is {state}")


def _checks(board: chess.Board, when: When, start: chess.Board | None = None) -> Iterator[Fact]:
    """Yield the facts of a check that stands, or that the move from ``start`` has given."""
    king, checkers = boards.king_of(board, board.turn), [*board.checkers()]
    side, target = not board.turn, noun_at(board, king)
    given: dict[FactKind, list[chess.Square]] = {"check": checkers}
    if start is not None:
        given["discovered_check"] = [s for s in checkers if start.color_at(s) == side]
        given["double_check"] = checkers if len(checkers) > 1 else []
    for kind, pieces in given.items():
        if pieces:
            verb = "gives" if len(pieces) == 1 else "give"
            givers = listed([noun_at(board, square) for square in pieces])
            text = f"{givers} {verb} {kind.replace('_', ' ')} to {target}"
            yield Fact(kind, when, side, names((*pieces, king)), None, text)
    if start is not None and board.is_checkmate():
        text = f"{target} is checkmated"
        yield Fact("mate", when, side, names((*checkers, king)), None, text)
    elif start is not None and board.is_stalemate():
        text = f"{side_name(board.turn)} is stalemated"
        yield Fact("stalemate", when, board.turn, names((king,)), None, text)


# ---------------------------------------------------------------- of the move


def _special_moves(board: chess.Board, move: chess.Move) -> Iterator[Fact]:
    side, ends = board.turn, (move.from_square, move.to_square)
    mover = noun_at(board, move.from_square)
    if (square := boards.taken_on(board, move)) is not None:
        passing = board.is_en_passant(move)
        squares = (*ends, square) if passing else ends
        letter = chess.piece_symbol(boards.piece_on(board, square))
        text = f"{mover} takes {noun_at(board, square)}"
        yield Fact("capture", "move", side, names(squares), letter, text)
        if passing:
            yield Fact("en_passant", "move", side, names(squares), letter, f"{text} en passant")
    if move.promotion:
        kind = chess.PIECE_NAMES[move.promotion]
        text = f"{mover} promotes to a {kind} on {chess.square_name(move.to_square)}"
        yield Fact("promotion", "move", side, names(ends), chess.piece_symbol(move.promotion), text)
    if board.is_castling(move):
        wing = "kingside" if board.is_kingside_castling(move) else "queenside"
        king_and_rook = (*ends, *boards.rook_squares(board, move))
        text = f"{side_name(side)} castles {wing}"
        yield Fact("castling", "move", side, names(king_and_rook), wing, text)


def _gains(board: chess.Board, move: chess.Move, after: chess.Board) -> Iterator[Fact]:
    """Yield what the move brings at once, and by the exchange that it begins."""
    side, end, taken = board.turn, move.to_square, boards.taken_on(board, move)
    gain = 0 if taken is None else tactics.VALUES[boards.piece_on(board, taken)]
    gain += tactics.VALUES[move.promotion] - 1 if move.promotion else 0
    if gain:
        text = f"the move brings {side_name(side)} {_pawns_worth(gain)} of material"
        yield Fact("material", "move", side, names((move.from_square, end)), gain, text)
    answers = after.generate_legal_captures(to_mask=chess.BB_SQUARES[end])
    takers = sorted({each.from_square for each in answers if each.to_square == end})
    worth, square = tactics.exchange(board, move), chess.square_name(end)
    if taken is None and not (worth and takers):
        return
    text = f"exchanges on {square} come out even"
    if worth:
        verb = "wins" if worth > 0 else "loses"
        text = f"by exchanges on {square} {side_name(side)} {verb} {_pawns_worth(abs(worth))}"
    squares = names((end, move.from_square, *takers))
    yield Fact("exchange", "move", side, squares, worth, text)


def _tactics_made(board: chess.Board, move: chess.Move, states: Iterable[Fact]) -> Iterator[Fact]:
    """Yield the tactics of the moved piece that stand after the move, and what it discovers."""
    side = board.turn
    first_squares = {(square,) for square in names(boards.moved_squares(board, move))}
    for fact in states:
        of_mover = (fact.when, fact.side) == ("after", side) and fact.squares[:1] in first_squares
        if of_mover and fact.kind in ("fork", "pin", "skewer"):
            yield replace(fact, when="move")
    for square, target, gain in tactics.discovered_attacks(board, move):
        if gain is not None and gain > 0:
            text = f"{noun_at(board, square)} attacks {noun_at(board, target)} by discovery"
            yield Fact("discovered_attack", "move", side, names((square, target)), gain, text)


# ---------------------------------------------------------------- of an engine's verdict

_ORDINALS: Final = ("first", "second", "third", "fourth", "fifth")

_CLASS_WORDS: Final[dict[MistakeClass, str]] = {
    "Excellent": "an excellent move", "Good": "a good move",
    "Inaccuracy": "an inaccuracy", "Mistake": "a mistake", "Blunder": "a blunder",
}  # fmt: skip

_ENGINE_WORDING: Final = ScoreWording(
    number="the engine puts White at {cp:+d} centipawns",
    mate="the engine sees {ahead} mate in {moves} move{s}",
    level=None,
)

#: Plies of the best line that its clause spells out; the fact's value holds them all.
SPELT_PLIES = 6


def _engine_facts(move: MoveInContext, verdict: Verdict) -> Iterator[Fact]:
    if verdict.mover != move.mover:
        raise ValueError(f"the verdict is not seen by the side that plays {move.numbered_san}")
    mover, source, san = move.mover, verdict.engine, move.san
    ends, best = (move.uci[:2], move.uci[2:4]), (verdict.best[:2], verdict.best[2:4])
    grade, text = verdict.mistake_class, _loss_text(san, verdict)
    yield Fact("centipawn_loss", "move", mover, ends, verdict.loss, text, source)
    text = f"{san} is not among the engine's first {verdict.ranked} choices"
    if verdict.rank is not None:
        text = f"{san} is the engine's {_ORDINALS[verdict.rank - 1]} choice"
    elif verdict.ranked == 1:
        text = f"{san} is not the engine's first choice"
    yield Fact("move_rank", "move", mover, ends, verdict.rank, text, source)
    text = f"by its centipawn loss {san} is {_CLASS_WORDS[grade]}"
    yield Fact("mistake", "move", mover, ends, grade, text, source)
    scores, chances = (verdict.before, verdict.after), (verdict.win_before, verdict.win_after)
    for when, score, chance in zip(_AROUND, scores, chances, strict=True):
        text = score_text(score, _ENGINE_WORDING)
        yield Fact("evaluation", when, mover, (), centipawns(score, mover), text, source)
        share = f"a {100 * chance:.0f} %"
        if not 0.005 <= chance <= 0.995:
            share = "less than a 1 %" if chance < 0.5 else "more than a 99 %"
        text = f"{side_name(mover)} has {share} chance to win"
        yield Fact("win_probability", when, mover, (), chance, text, source)
    board = chess.Board(move.position.fen)
    line = [chess.Move.from_uci(uci) for uci in verdict.best_line[:SPELT_PLIES]]
    text = f"the engine's best line is {board.variation_san(line)}"
    yield Fact("best_line", "before", mover, best, verdict.best_line, text, source)
    if (reply := verdict.reply) is not None:
        board.push(move.move)
        text = f"the engine expects the reply {board.san(chess.Move.from_uci(reply))}"
        squares = (reply[:2], reply[2:4])
        yield Fact("expected_reply", "after", not mover, squares, reply, text, source)


def _loss_text(san: str, verdict: Verdict) -> str:
    """Say what the move loses; between a mate and a score, centipawns would mean nothing."""
    if not verdict.loss:
        return f"{san} loses nothing against the engine's best line"
    best, played = verdict.before.relative.mate() or 0, verdict.played.relative.mate() or 0
    if best > 0 >= played:
        return f"{san} lets a forced mate slip"
    if played < 0 <= best:
        return f"{san} allows a forced mate"
    if best or played:
        return f"{san} changes the length of the forced mate"
    unit = "centipawn" if verdict.loss == 1 else "centipawns"
    return f"{san} loses {verdict.loss} {unit} against the engine's best line"


# ---------------------------------------------------------------- the rubric's feature context

_CONTEXT_WORDING: Final = ScoreWording(
    number="{pawns:+.2f}", mate="{verb} in {moves}", mated="{verb} in 0", level=None
)


def linearise(facts: Facts) -> str:
    """Return the facts of a move as the pairwise rubric's feature context, a line a feature.

    The rubric's judge is shown "a structured/linearized summary of the move and extracted
    signals" and may hold against a comment whatever it lacks. So every line of the template
    ``context.txt.j2`` is always there. Material and exchanges are in pawns, evaluations in pawns
    with two decimals, chances in per cent, all seen by the side that moves.
    """
    move = facts.move
    piece = boards.piece_on(chess.Board(move.position.fen), move.move.from_square)
    return _context().render(
        move=move, of=facts.of, piece=chess.PIECE_NAMES[piece], mates_from=MATES_FROM,
        around=_AROUND, side_name=side_name,
        name=lambda fact: chess.piece_name(chess.PIECE_SYMBOLS.index(fact.value)),
    )  # fmt: skip


@cache
def _context() -> jinja2.Template:
    environment = jinja2.Environment(
        loader=jinja2.PackageLoader("chessgloss.facts", ""), trim_blocks=True, lstrip_blocks=True
    )
    environment.filters["pawns"] = _pawns_worth
    environment.filters["signed"] = lambda pawns: f"{pawns:+g}" if pawns else "0"
    environment.filters["score"] = lambda value: score_text(
        read_centipawns(value, chess.WHITE), _CONTEXT_WORDING
    )
    return environment.get_template("context.txt.j2")
