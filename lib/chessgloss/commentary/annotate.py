"""Annotated games: every position analysed, every move weighed, comments where they matter.

An :class:`Annotator` keeps an engine and the weights at hand, for single moves and for whole games.
A game is written as PGN by :mod:`~chessgloss.commentary.game_pgn` and shown by
:mod:`~chessgloss.commentary.game_page`; many games are a
:class:`~chessgloss.commentary.game_job.Job`.
"""

from __future__ import annotations

import time
import warnings
from collections.abc import (
    Callable,
    Collection,
    Iterable,
    Iterator,
    Mapping,
    Sequence,
)
from contextlib import AbstractContextManager, ExitStack
from dataclasses import dataclass, field, replace
from itertools import takewhile
from math import ceil, inf
from typing import TYPE_CHECKING, TypeAlias

import chess
import chess.engine
import chess.pgn

from chessgloss.commentary.briefing import Briefing, Comment, after_pass, brief_move
from chessgloss.commentary.notes import write_notes
from chessgloss.facts import Analyse, Verdict, search, side_name, weigh
from chessgloss.facts.change import Changes, ConceptChange
from chessgloss.facts.replies import refute_all
from chessgloss.facts.verdict import (
    JUDGEMENT_BOUNDS,
    LEAST_NODES,
    MOST_NODES,
    RANKED_LINES,
)
from chessgloss.notes import gives_up
from chessgloss.positions import MoveInContext, Position, move_in_context
from chessgloss.scores import Analysis, score_of

if TYPE_CHECKING:
    from chessgloss.engine import Engine

#: Writes a comment on a move from what is known of it.
Commentator: TypeAlias = Callable[[Briefing], Comment]
#: Ranks the concepts that a move changes, most changed first.
Concepts: TypeAlias = Callable[[MoveInContext], Sequence[ConceptChange]]
#: Numeric annotation glyphs that judge a move (PGN standard, section 10), as signs.
SIGNS: dict[int, str] = {1: "!", 2: "?", 3: "!!", 4: "??", 5: "!?", 6: "?!"}
NAGS = {sign: nag for nag, sign in SIGNS.items()}

#: A move is a moment that matters if it earns a glyph, or if it changes a concept by so many
#: standard deviations over all moves (about one move in thirty of the self-play games changes
#: one by six).
MOMENT_CONCEPT = 6.0
#: Largest share of the plies that is chosen, rounded up; as many may always be chosen.
MOMENT_SHARE = 0.2
MOMENT_FEWEST = 3
#: What a sacrifice weighs, in the unit of an inaccuracy.
_SACRIFICE = 2.0
#: Nodes of the first and the longest search of a position (:func:`~chessgloss.facts.search`): of a
#: single move, and of one in a game.
MOVE_NODES = (LEAST_NODES, MOST_NODES)
GAME_NODES = (LEAST_NODES // 2, MOST_NODES // 4)

#: The header that says what wrote the comments; a game that has it keeps those it has.
OURS = "ChessglossAnnotator"

#: Plies of a better line that are shown.
LINE_PLIES = 8


@dataclass(frozen=True, slots=True)
class Annotation:
    """What is written beside one move of the main line.

    Parameters
    ----------
    score
        The engine's score of the position after the move; ``None`` where it was not searched.
    nag
        Glyph 1 to 6 that judges the move, or ``None``.
    text
        The comment; empty for most moves.
    better
        UCI moves of a better line from the position before the move; may be empty.
    better_score
        The engine's score of that line.
    """

    score: chess.engine.PovScore | None
    nag: int | None = None
    text: str = ""
    better: tuple[str, ...] = ()
    better_score: chess.engine.PovScore | None = None


@dataclass(frozen=True, slots=True, eq=False)
class AnnotatedGame:
    """A game as it was read, and what is written beside the moves of its main line.

    Parameters
    ----------
    game
        The game as it was read; nothing is written into it.
    notes
        One for each move of the main line, in order; empty ones from a null move on.
    sources
        What wrote the comments and what judged the moves, in one line.
    """

    game: chess.pgn.Game
    notes: tuple[Annotation, ...]
    sources: str


# ---------------------------------------------------------------- moments that matter


def choose_moments(
    moves: Sequence[MoveInContext],
    verdicts: Sequence[Verdict],
    concepts: Sequence[Changes],
    sacrifices: Collection[int] = (),
    share: float = MOMENT_SHARE,
) -> list[int]:
    """Return the plies that deserve a comment, the weightiest first.

    A ply qualifies by one of four: the move is an inaccuracy or worse; it sacrifices; it is the
    only good one, and hard to find (its glyph is ``!``); or it changes a concept strongly without
    being forced or taking back. The move that mates always qualifies. If more qualify than are
    allowed, the weightiest stay: the chance to win given away counts in units of an
    inaccuracy's, a sacrifice two, the others less than one (concepts half as much once the game
    is decided); ties go to the earlier ply. Mistakes do not crowd out the rest: half as many
    good moves may always be chosen beside them.

    Parameters
    ----------
    moves
        The moves of the main line.
    verdicts
        The engine's verdict on each.
    concepts
        The concepts that each changes, most changed first; empty where none are known.
    sacrifices
        The plies of moves that sacrifice material (:func:`chessgloss.notes.sacrifices`).
    share
        The largest share of the moves that get a comment; a few always do.
    """
    weights = [_weight(*row) for row in zip(moves, verdicts, concepts, strict=True)]
    for ply in sacrifices:
        weights[ply] = max(weights[ply], _SACRIFICE)
    qualified = [ply for ply, weight in enumerate(weights) if weight > 0]
    qualified.sort(key=lambda ply: (-weights[ply], ply))
    most = max(MOMENT_FEWEST, ceil(share * len(moves)))
    good = [ply for ply in qualified if verdicts[ply].judgement in ("best", "good")]
    bad = [ply for ply in qualified if ply not in good][:most]
    chosen = {*bad, *good[: max(most - len(bad), ceil(most / 2))]}
    return [ply for ply in qualified if ply in chosen]


def turning_point(verdicts: Sequence[Verdict]) -> int | None:
    """Return the ply from which on one side stays winning to the end; ``None`` if none does."""
    winners = [_winner(verdict) for verdict in verdicts]
    last = winners[-1]
    if last is None:
        return None
    other = (ply for ply in reversed(range(len(winners))) if winners[ply] != last)
    return next(other, -1) + 1


def _winner(verdict: Verdict) -> chess.Color | None:
    if verdict.standing == "winning":
        return verdict.mover
    return not verdict.mover if verdict.standing == "losing" else None


def decided(moves: Sequence[MoveInContext], verdicts: Sequence[Verdict]) -> str:
    """Say from which move on a game was won; empty if at its end neither side is winning."""
    ply = turning_point(verdicts)
    if ply is None:
        return ""
    winner = side_name(bool(_winner(verdicts[ply])))
    by = moves[ply].numbered_san
    if "#" in by:
        return f"The game was decided by the mate {by}."
    return f"From {by} on, {winner} was winning."


def _weight(
    move: MoveInContext, verdict: Verdict, concepts: Sequence[ConceptChange]
) -> float:
    """Return how much a move deserves a comment, 0 if not at all."""
    if "#" in move.san:
        return inf
    if verdict.judgement not in ("best", "good"):
        return max(1.0, verdict.win_chance_lost / JUDGEMENT_BOUNDS["inaccuracy"])
    if verdict.ranked == 1 or verdict.glyph:
        return 0.9 if verdict.glyph else 0.0
    largest = max((abs(each.change) for each in concepts), default=0.0)
    if largest < MOMENT_CONCEPT or _takes_back(move):
        return 0.0
    decided = verdict.standing in ("winning", "losing")
    return (0.4 if decided else 0.8) * (1 - MOMENT_CONCEPT / (2 * largest))


def _takes_back(move: MoveInContext) -> bool:
    """Tell whether a move takes what took a piece on the same square the move before."""
    board = move.position.board()
    if not board.move_stack or not board.is_capture(move.move):
        return False
    last = board.pop()
    return board.is_capture(last) and last.to_square == move.move.to_square


# ---------------------------------------------------------------- a whole game


@dataclass(frozen=True, slots=True)
class Annotator(AbstractContextManager["Annotator"]):
    """All that is needed to comment on moves and games; every part can be replaced.

    ``with Annotator() as annotator:`` starts what is not given, engines and the network that ranks
    concepts, and keeps it until the end; several threads may ask at once. Without ``with`` an
    annotator has what it is given.

    Parameters
    ----------
    analyse
        The engine: a function that analyses positions with so many nodes, in their order, several
        lines each, of an empty hash table; or an engine of :mod:`chessgloss.engine` or of
        python-chess, which stays its owner's.
    write
        Writes a comment on a move from what is known of it.
    concepts
        Ranks the concepts that a move changes.
    nodes
        Nodes of the first and the longest search of a position; :data:`MOVE_NODES` or
        :data:`GAME_NODES` unless given.
    share
        The largest share of a game's moves that get a comment.
    within
        Seconds in which the comments of a game are begun, the weightiest first; what comes
        after them is written without a model.
    progress
        Called with the number of comments that are written, and of all, after each.
    say
        Told of a move on which no comment could be written, and of what is missing.
    processes
        Engines that ``with`` starts at most, each when it is needed; one a core unless given.
    keep_last
        Whether their searches give their last whole result where they take too long
        (:class:`chessgloss.engine.Engine`).
    """

    analyse: Analyse | Engine | chess.engine.SimpleEngine | None = None
    write: Commentator = write_notes
    concepts: Concepts | None = None
    nodes: tuple[int, int] | None = None
    share: float = MOMENT_SHARE
    within: float = inf
    progress: Callable[[int, int], object] = lambda done, total: None
    say: Callable[[str], object] = warnings.warn
    processes: int | None = None
    keep_last: bool = False
    _open: ExitStack = field(default_factory=ExitStack, init=False, repr=False)

    def __enter__(self) -> Annotator:
        analyse = self.analyse
        if analyse is None:
            from chessgloss.engine import EnginePool

            pool = EnginePool(self.processes, keep_last=self.keep_last)
            analyse = self._open.enter_context(pool).analyse
        return replace(self, analyse=analyse, concepts=self.concepts or self._ranking())

    def __exit__(self, *_: object) -> None:
        self._open.close()

    def _ranking(self) -> Concepts:
        """Return what ranks a move's concepts; nothing does, and that is said, without a part."""
        from chessgloss.assets import AssetMissing
        from chessgloss.concepts.priority import load_method, prioritise

        try:
            load_method()
        except (AssetMissing, ValueError, OSError) as error:
            self.say(f"no concepts: {error}")
            return lambda move: ()
        return lambda move: prioritise(move.position, move.uci).changes

    def search(
        self, positions: Sequence[Position], nodes: int, lines: int
    ) -> Sequence[Analysis]:
        """Analyse positions in their order, with so many nodes and lines.

        Raises
        ------
        ValueError
            If there is no engine.
        TypeError
            If what was given is none.
        """
        if self.analyse is None:
            raise ValueError("no engine: write `with Annotator() as annotator:`")
        if callable(self.analyse):
            return self.analyse(positions, nodes, lines)
        from chessgloss.engine import borrow

        engine = borrow(self.analyse)
        return [engine.analyse(each, nodes=nodes, multipv=lines) for each in positions]

    def brief(
        self,
        position: chess.Board | Position | str | MoveInContext,
        move: chess.Move | str | None = None,
    ) -> Briefing:
        """Return what is known of a move, given as for :func:`chessgloss.read_move`."""
        played = move_in_context(position, move, say=self.say)
        briefing = brief_move(played, self.search, self.nodes or MOVE_NODES)
        return replace(briefing, concepts=self._ranked(played))

    def comment(
        self,
        position: chess.Board | Position | str | MoveInContext,
        move: chess.Move | str | None = None,
    ) -> Comment:
        """Return a comment on a move, given as for :func:`chessgloss.read_move`."""
        return self.write(self.brief(position, move))

    def _ranked(self, move: MoveInContext) -> Changes:
        return tuple(self.concepts(move)) if self.concepts else ()

    def annotate(self, game: chess.pgn.Game) -> AnnotatedGame:
        """Return the game with a note on each move of its main line, up to a null move.

        A game that has our comments gets no others. Where a position comes for the third or the
        fifth time, or fifty or seventy-five moves have passed, that is said; where and by what the
        game was decided, beside its first move.

        Raises
        ------
        ValueError
            If there is no move.
        EngineFailed
            If the engine fails on a position.
        """
        moves = list(moves_of(game))
        if not moves:
            raise ValueError("the game has no moves")
        searched = search(moves, self.search, self.nodes or GAME_NODES)
        around = [(move, *pair) for move, pair in zip(moves, searched, strict=True)]
        verdicts = [weigh(*each) for each in around]
        concepts = [self._ranked(move) for move in moves]
        chosen = []
        if OURS not in game.headers:
            given = [
                ply
                for ply, each in enumerate(around)
                if gives_up(Briefing(moves[ply].numbered_san, *each))
            ]
            chosen = choose_moments(moves, verdicts, concepts, given, self.share)
            turned = turning_point(verdicts)
            chosen += [turned] if turned is not None and turned not in chosen else []
        passed = self._after_passes({ply: moves[ply].after() for ply in chosen})
        idle = self._after_passes({ply: moves[ply].position for ply in chosen}, 1)
        asked = [(*around[ply], idle.get(ply)) for ply in chosen]
        failed = dict(zip(chosen, refute_all(asked, self.search), strict=True))
        comments = self._comments(
            {
                ply: Briefing(
                    moves[ply].numbered_san,
                    *around[ply],
                    concepts[ply],
                    passed=passed.get(ply),
                    idle=idle.get(ply),
                    refutations=failed[ply],
                )
                for ply in chosen
            }
        )
        notes = []
        for ply, (_, _, after) in enumerate(around):
            notes.append(_annotation(after, verdicts[ply], comments.get(ply)))
        if OURS not in game.headers:
            for ply, text in draws(moves).items():
                both = " ".join(filter(None, (notes[ply].text, text)))
                notes[ply] = replace(notes[ply], text=both)
            opening = filter(None, (decided(moves, verdicts), notes[0].text))
            notes[0] = replace(notes[0], text=" ".join(opening))
        rest = len(list(game.mainline_moves())) - len(notes)
        notes += [Annotation(None)] * rest
        sources = _sources(comments.values(), verdicts)
        return AnnotatedGame(game, tuple(notes), sources)

    def _after_passes(
        self, positions: Mapping[int, Position], lines: int = RANKED_LINES
    ) -> dict[int, Analysis]:
        """Return analyses after a pass of the side to move, where one can pass."""
        turned = {
            ply: passed
            for ply, position in positions.items()
            if (passed := after_pass(position))
        }
        nodes, _ = self.nodes or GAME_NODES
        found = self.search(list(turned.values()), nodes, lines)
        return dict(zip(turned, found, strict=True))

    def _comments(self, briefings: Mapping[int, Briefing]) -> dict[int, Comment]:
        """Return comments; those that are not begun in time are written without a model."""
        comments = dict[int, Comment]()
        end = time.monotonic() + self.within
        for ply, briefing in briefings.items():
            write = self.write if time.monotonic() < end else write_notes
            try:
                comments[ply] = write(briefing)
            except Exception as error:  # whatever it is, it costs this comment alone
                self.say(f"no comment on {briefing.name}: {fault(error)}")
            self.progress(len(comments), len(briefings))
        return comments


def fault(error: Exception) -> str:
    """Return what went wrong in words; of an error of the program, its kind as well."""
    if isinstance(error, ValueError | RuntimeError | OSError):
        return str(error)
    return f"an error of the program, {type(error).__name__}: {error}"


def _annotation(
    after: Analysis, verdict: Verdict, comment: Comment | None
) -> Annotation:
    """Return what is written beside a move; a better line stands beside a comment on a bad one."""
    note = Annotation(score_of(after), NAGS.get(verdict.glyph))
    if comment is None:
        return note
    note = replace(note, text=comment.text)
    if not comment.text or verdict.judgement in ("best", "good"):
        return note
    line = verdict.best_line[:LINE_PLIES]
    return replace(note, better=line, better_score=verdict.before)


def _sources(comments: Iterable[Comment], verdicts: Sequence[Verdict]) -> str:
    """Return what wrote the comments and what judged the moves, in one line."""
    writers = {f"{each.method}, {each.model or 'no model'}" for each in comments}
    wrote = "; ".join(sorted(writers)) or "no move that asks for a comment"
    nodes = max(verdict.nodes for verdict in verdicts)
    depth = min(verdict.depth for verdict in verdicts)
    judged = f"{verdicts[0].engine}, up to {nodes:,} nodes a move, from depth {depth}"
    return f"{wrote}; {judged}"


_CLAIMED = "a draw can be claimed"
_DRAWN = "the game is drawn"
#: What is said where a position has come so often, and where so many plies have passed without a
#: capture or a pawn's move.
_REPEATED = {
    3: f"The position has come for the third time: {_CLAIMED}.",
    5: f"The position has come for the fifth time: {_DRAWN}.",
}
_PASSED = {
    100: f"Fifty moves have passed without a capture or a pawn's move: {_CLAIMED}.",
    150: f"Seventy-five moves have passed without a capture or a pawn's move: {_DRAWN}.",
}


def draws(moves: Iterable[MoveInContext]) -> dict[int, str]:
    """Return where draws come by repetition or by the count of moves: what is said, by ply."""
    said: dict[int, str] = {}
    for ply, move in enumerate(moves):
        board = move.after().board()
        if board.is_checkmate():
            continue
        found = [
            text
            for times, text in _REPEATED.items()
            if board.halfmove_clock >= 4 * (times - 1)
            and text not in said.values()
            and board.is_repetition(times)
        ]
        found += (
            [_PASSED[board.halfmove_clock]] if board.halfmove_clock in _PASSED else []
        )
        if found:
            said[ply] = found[-1]
    return said


#: Plies of history that a move has at least, as far as there are so many: what it takes back.
_RECENT = 4


def moves_of(game: chess.pgn.Game) -> Iterator[MoveInContext]:
    """Yield the moves of the main line, each with as much history as can matter.

    A null move ends them: no engine can follow it. The history of a position begins at a capture
    or pawn move, for no position before it can come back, some plies ago at least.
    """
    board = game.board()
    fens = list[str]()
    played = list[str]()
    begins = [0]
    for move in takewhile(bool, game.mainline_moves()):
        fens.append(board.fen())
        recent = max(len(played) - _RECENT, 0)
        begin = max(each for each in begins if each <= recent)
        position = Position(board.fen(), tuple(played[begin:]), fens[begin])
        yield MoveInContext(position, move.uci())
        played.append(move.uci())
        if board.is_irreversible(move):
            begins.append(len(played))
        board.push(move)
