"""Annotated games: every position analysed, every move weighed, comments where they matter.

What is written is a copy of the PGN with evaluations, glyphs, comments and better lines, and one
HTML page that plays the game, complete in itself: nothing is asked of the network. Whatever
stood in the game stays: comments are added behind those of others, a glyph or an evaluation only
where there is none, and better lines behind the variations that are there.
"""

from __future__ import annotations

import base64
import hashlib
import html
import json
import re
import time
import warnings
from collections import Counter
from collections.abc import (
    Callable,
    Collection,
    Iterable,
    Iterator,
    Mapping,
    Sequence,
)
from dataclasses import dataclass, replace
from importlib.resources import files
from itertools import takewhile
from math import ceil, inf
from pathlib import Path
from string import Template
from typing import Any, TypeAlias

import chess
import chess.engine
import chess.pgn
import chess.svg

from chessgloss.commentary.briefing import Briefing, Comment, after_pass
from chessgloss.commentary.notes import write_notes
from chessgloss.corpora.pgn import (
    BEHIND,
    NEXT,
    OUTSIDE,
    Builder,
    PgnError,
    PgnGame,
    read_pgn,
)
from chessgloss.facts import Analyse, Verdict, search, weigh
from chessgloss.facts.change import Changes, ConceptChange
from chessgloss.facts.verdict import (
    JUDGEMENT_BOUNDS,
    LEAST_NODES,
    MOST_NODES,
    RANKED_LINES,
)
from chessgloss.llm.text import visible
from chessgloss.notes import gives_up
from chessgloss.positions import MoveInContext, Position, natural_end
from chessgloss.scores import (
    Analysis,
    ScoreWording,
    centipawns,
    score_of,
    score_text,
    win_chance,
)

#: Writes a comment on a move from what is known of it.
Commentator: TypeAlias = Callable[[Briefing], Comment]
#: Ranks the concepts that a move changes, most changed first.
Concepts: TypeAlias = Callable[[MoveInContext], Sequence[ConceptChange]]
#: A node of the page's game tree, as plain JSON values.
Node: TypeAlias = dict[str, Any]

#: A move of the main line, what is written beside it, and a better line that begins there.
_Noted: TypeAlias = "tuple[chess.pgn.ChildNode, Annotation, chess.pgn.ChildNode | None]"

#: The keys of a node, in their order in a page.
_KEYS = (
    "uci",
    "san",
    "marks",
    "before",
    "comment",
    "gloss",
    "score",
    "parent",
    "number",
    "white",
    "chance",
    "main",
    "arrows",
    "next",
    "placement",
)

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

#: The header that says what wrote the comments; a game that has it keeps those it has.
OURS = "ChessglossAnnotator"

#: Plies of a better line that are shown.
LINE_PLIES = 8

#: Longest line that is written; the PGN standard allows 255 (section 4.3).
COLUMNS = 100

_COMMAND = re.compile(r"\[%[^\]]*\]")
_COMMENT_WORD = re.compile(r"(?:\[%[^\]]*\]|\S)+")
_MATE = "mate in {moves}"
_WORDING = ScoreWording(number="{pawns:+.2f}", mate=_MATE, mated=_MATE, level=None)


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
    is decided), so that mistakes come first; ties go to the earlier ply.

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
    return qualified[: max(MOMENT_FEWEST, ceil(share * len(moves)))]


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
class Annotator:
    """All that is needed to annotate a game; every part can be replaced.

    Parameters
    ----------
    analyse
        The engine: analyses positions with so many nodes, in their order; several lines each,
        of an empty hash table.
    comment
        Writes a comment on a move from what is known of it.
    concepts
        Ranks the concepts that a move changes; none unless given.
    nodes
        Nodes of the first and the longest search of a position
        (:func:`~chessgloss.facts.search`): fewer than a single move gets.
    share
        The largest share of a game's moves that get a comment.
    within
        Seconds in which the comments of a game are begun, the weightiest first; what comes
        after them is written without a model.
    progress
        Called with the number of comments that are written, and of all, after each.
    say
        Told of a move on which no comment could be written; the others are.
    """

    analyse: Analyse
    comment: Commentator
    concepts: Concepts = lambda move: ()
    nodes: tuple[int, int] = (LEAST_NODES // 2, MOST_NODES // 4)
    share: float = MOMENT_SHARE
    within: float = inf
    progress: Callable[[int, int], object] = lambda done, total: None
    say: Callable[[str], object] = warnings.warn

    def annotate(self, game: chess.pgn.Game) -> AnnotatedGame:
        """Return the game with a note on each move of its main line, up to a null move.

        A game that has our comments gets no others.

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
        searched = search(moves, self.analyse, self.nodes)
        around = [(move, *pair) for move, pair in zip(moves, searched, strict=True)]
        verdicts = [weigh(*each) for each in around]
        concepts = [tuple(self.concepts(move)) for move in moves]
        chosen = []
        if OURS not in game.headers:
            given = [
                ply
                for ply, each in enumerate(around)
                if gives_up(Briefing(moves[ply].numbered_san, *each))
            ]
            chosen = choose_moments(moves, verdicts, concepts, given, self.share)
        passed = self._after_passes({ply: moves[ply].after() for ply in chosen})
        idle = self._after_passes({ply: moves[ply].position for ply in chosen}, 1)
        comments = self._comments(
            {
                ply: Briefing(
                    moves[ply].numbered_san,
                    *around[ply],
                    concepts[ply],
                    passed=passed.get(ply),
                    idle=idle.get(ply),
                )
                for ply in chosen
            }
        )
        notes = []
        for ply, (_, _, after) in enumerate(around):
            notes.append(_annotation(after, verdicts[ply], comments.get(ply)))
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
        found = self.analyse(list(turned.values()), self.nodes[0], lines)
        return dict(zip(turned, found, strict=True))

    def _comments(self, briefings: Mapping[int, Briefing]) -> dict[int, Comment]:
        """Return comments; those that are not begun in time are written without a model."""
        comments = dict[int, Comment]()
        end = time.monotonic() + self.within
        for ply, briefing in briefings.items():
            write = self.comment if time.monotonic() < end else write_notes
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


# ---------------------------------------------------------------- PGN, read and written


#: The longest game that is annotated, in plies: twice the longest of any tournament.
MOST_PLIES = 1_200


def read_file(path: Path) -> list[PgnGame]:
    """Read every game of a PGN file, with its variations, comments, glyphs and headers.

    ``problem`` of each says why it cannot be annotated, and what to do.

    Raises
    ------
    PgnError
        If the file holds no game, or has a line without end.
    """
    games = [_with_our_problems(read) for read in read_pgn(path)]
    if not games:
        raise PgnError(f"{path} holds no game; give a PGN file with at least one")
    return games


def _with_our_problems(read: PgnGame) -> PgnGame:
    problem = read.problem
    if any(repair.startswith("castling rights") for repair in read.repairs):
        rights = "castling rights without king and rook on their squares"
        problem = f"its FEN has {rights} (Chess960?)"
    if problem:
        other_rules = "variant" in problem or "960" in problem
        remedy = "only standard chess can be annotated"
        problem += f"; {remedy if other_rules else 'correct it and annotate again'}"
    elif read.game.end().ply() - read.game.ply() > MOST_PLIES:
        problem = f"it has over {MOST_PLIES:,} plies; cut it into parts"
    return read._replace(problem=problem)


def read_games(
    path: Path, say: Callable[[str], object] = warnings.warn
) -> list[chess.pgn.Game]:
    """Return the games of a PGN file that can be annotated; ``say`` is told of the others.

    Raises
    ------
    PgnError
        As :func:`read_file`, and if no game can be annotated.
    """
    read = read_file(path)
    games = [each.game for each in read if not each.problem]
    problems = [f"{path}: {name_game(each)}: {each.problem}" for each in read]
    problems = [line for line, each in zip(problems, read, strict=True) if each.problem]
    if not games:
        raise PgnError("; ".join(problems))
    for problem in problems:
        say(problem)
    return games


def name_game(read: PgnGame) -> str:
    """Return a game's place in its file, and its players: ``game 2 (line 6, A – B)``."""
    title = _title(read.game)
    players = f", {title}" if title.strip("? –") else ""
    return f"game {read.number} (line {read.line}{players})"


def write_pgn(games: Iterable[AnnotatedGame | str]) -> str:
    """Return games as the text of one PGN file (to be written as UTF-8).

    Those that are not annotated are given as they are written.
    """
    copies = (
        each
        if isinstance(each, str)
        else annotated_copy(each).accept(_Exporter(columns=COLUMNS))
        for each in games
    )
    return visible("\n".join(f"{copy}\n" for copy in copies))


def annotated_copy(annotated: AnnotatedGame) -> chess.pgn.Game:
    """Return a copy of the game with the notes written into it."""
    copy, moves = _with_better_lines(annotated)
    copy.headers.setdefault(OURS, annotated.sources)
    for node, note, better in moves:
        node.comment, mark, behind = node.comment.partition(BEHIND)
        if note.nag and not node.nags & SIGNS.keys():
            node.nags.add(note.nag)
        if note.text:
            node.comment += (" | chessgloss: " if node.comment else "") + plain(
                note.text
            )
        if note.score and node.eval() is None:
            node.set_eval(note.score)
        node.comment += mark + behind
        if better:
            better.set_eval(note.better_score)
    return copy


def _with_better_lines(annotated: AnnotatedGame) -> tuple[chess.pgn.Game, list[_Noted]]:
    """Return a copy with the better lines, and for each move its note and the line beside it."""
    copy = annotated.game.accept(Builder())
    moves = []
    for node, note in zip(list(copy.mainline()), annotated.notes, strict=True):
        line = [chess.Move.from_uci(uci) for uci in note.better]
        better = None
        if line and not node.parent.has_variation(line[0]):
            better = node.parent.add_variation(line[0])
            better.add_line(line[1:])
        moves.append((node, note, better))
    return copy, moves


def plain(text: str) -> str:
    """Return a comment as it may stand in braces: one line, no braces, no commands."""
    text = text.replace("{", "(").replace("}", ")").replace("[%", "[ %")
    return " ".join(text.split())


class _Exporter(chess.pgn.StringExporter):
    """python-chess's exporter: long comments are broken into lines, and all keep their places.

    A line must not start with a sign that some programs read as a header or an escape: commands
    are kept whole and joined to the word before. A bracket is written when something stands in
    it (:mod:`chessgloss.corpora.pgn`).
    """

    def __init__(self, columns: int) -> None:
        super().__init__(columns=columns)
        self._bracket_waits = False
        self._behind: dict[int, str] = {}

    def begin_variation(self) -> None:
        self._bracket_waits = True

    def end_variation(self) -> None:
        self._open_bracket()
        self._write_behind()
        super().end_variation()

    def visit_move(self, board: chess.Board, move: chess.Move) -> None:
        self._open_bracket()
        super().visit_move(board, move)

    def visit_result(self, result: str) -> None:
        self._write_behind()
        super().visit_result(result)

    def visit_comment(self, comment: str) -> None:
        here, _, behind = comment.partition(BEHIND)
        outside, _, inside = here.rpartition(OUTSIDE)
        self._write_comments(outside)
        self._open_bracket()
        self._write_comments(inside)
        self._behind[self.variation_depth] = behind

    def _open_bracket(self) -> None:
        if self._bracket_waits:
            self._bracket_waits = False
            super().begin_variation()

    def _write_behind(self) -> None:
        self._write_comments(self._behind.pop(self.variation_depth, ""))

    def _write_comments(self, comments: str) -> None:
        for text in filter(None, comments.split(NEXT)):
            self._write_comment(text)

    def _write_comment(self, text: str) -> None:
        token = "{ "
        for word in _COMMENT_WORD.findall(text.replace("}", ")")):
            if token != "{ " and word[0] not in "[%;":
                self.write_token(token)
                token = ""
            token += word + " "
        self.write_token(token + "} ")
        self.force_movenumber = True


# ---------------------------------------------------------------- the page


def write_page(games: Sequence[AnnotatedGame]) -> str:
    """Return the page for one or more annotated games, as the text of an HTML file.

    Comments and headers reach the page as JSON and are shown as text only: nothing in a PGN
    file can run there. The page's own policy forbids it every request and foreign script.
    """
    shown = player(
        [describe_game(annotated) for annotated in games], pgn=write_pgn(games)
    )
    return Template(_part("page.html")).substitute(
        title=html.escape(_title(games[0].game)),
        policy=policy(_part("player.js")),
        player=shown,
    )


def player(games: Sequence[dict[str, Any]], level: int = 1, pgn: str = "") -> str:
    """Return the board that plays games, with what is said of their moves, as HTML for a page.

    Parameters
    ----------
    games
        As :func:`describe_game` gives them. Further keys of a game: ``name`` for links, ``group``
        and ``listed`` for the list of games, ``opens`` for the node shown first, ``turned`` for
        Black below; of a node: ``comments``, ``notes``, ``concepts``, ``players``.
    level
        Level of its heading on the page.
    pgn
        What stands in its place where no script runs.
    """
    small = [
        game | {"nodes": [_without_blanks(node) for node in game["nodes"]]}
        for game in games
    ]
    words = {"pieces": piece_shapes(), "pgn": html.escape(pgn)}
    words |= {"data": embedded(share_texts(small))}
    words |= {"style": _part("player.css"), "script": _part("player.js")}
    return Template(_part("player.html")).substitute(
        words, level=level, below=level + 1
    )


def _without_blanks(node: Node) -> Node:
    kept = (
        key
        for key, each in node.items()
        if each is not False and each not in ("", [], None)
    )
    return {key: node[key] for key in kept}


def _part(name: str) -> str:
    return files("chessgloss.commentary").joinpath(name).read_text("utf-8")


def policy(script: str) -> str:
    """Return a content security policy, escaped for an attribute, that allows one script.

    Nothing else is loaded or run: no address, no other script, no form sent anywhere.
    """
    digest = base64.b64encode(hashlib.sha256(script.encode()).digest()).decode()
    allowed = (
        f"default-src 'none'; script-src 'sha256-{digest}'; style-src 'unsafe-inline'; "
    )
    return html.escape(f"{allowed}base-uri 'none'; form-action 'none'", quote=True)


def embedded(value: object) -> str:
    """Return a value as JSON that cannot end the script element it stands in."""
    text = json.dumps(value, ensure_ascii=False, separators=(",", ":"))
    return (
        text.replace("<", "\\u003c")
        .replace("\u2028", "\\u2028")
        .replace("\u2029", "\\u2029")
    )


def share_texts(games: Sequence[object]) -> dict[str, list]:
    """Return ``games`` with each text that comes again as ``~`` and its place in ``texts``."""

    def walk(value: Any, leaf: Callable[[str], str]) -> Any:
        if isinstance(value, str):
            return leaf(value)
        if isinstance(value, dict):
            return {key: walk(each, leaf) for key, each in value.items()}
        return (
            [walk(each, leaf) for each in value]
            if isinstance(value, list | tuple)
            else value
        )

    counts: Counter[str] = Counter()
    walk(games, lambda text: counts.update([text]) or text)
    texts = [
        text
        for text, n in counts.items()
        if (n > 1 and len(text) > 6) or text[:1] == "~"
    ]
    places = {text: f"~{place}" for place, text in enumerate(texts)}
    return {"texts": texts, "games": walk(games, lambda text: places.get(text, text))}


def piece_shapes() -> str:
    """Return python-chess's twelve pieces as SVG definitions."""
    return "".join(chess.svg.PIECES[letter] for letter in "KQRBNPkqrbnp")


def describe_game(annotated: AnnotatedGame) -> dict[str, str | list]:
    """Return a game as the page reads it: ``nodes`` in order, each with its ``next`` ones.

    Nodes name others by index; node 0 is the first position. ``points`` are the points,
    0 to 1, that White can expect; ``gloss`` is our comment, ``comment`` that of others.
    """
    game = annotated.game
    known = [_header(game, key) for key in ("Event", "Site", "Date")]
    known = [text for text in known if text.strip("?. ")]
    return {
        "title": _title(game),
        "event": " · ".join([*known, _header(game, "Result")]),
        "result": game.headers.get("Result", "*"),
        "headers": [[key, _header(game, key)] for key in game.headers],
        "about": f"Comments: {annotated.sources}",
        "pgn": write_pgn([annotated]),
        "nodes": _nodes(annotated),
    }


def _nodes(annotated: AnnotatedGame) -> list[Node]:
    """Return the nodes of a game, of its variations, and of the engine's better lines."""
    game, moves = _with_better_lines(annotated)
    notes: dict[chess.pgn.GameNode, Annotation] = {
        node: note for node, note, _ in moves
    }
    ours = [(note, better) for _, note, better in moves if better]
    notes |= {
        each: Annotation(note.better_score, text="The engine's choice.")
        for note, each in ours
    }
    beyond = {node for _, better in ours for node in better.mainline()}
    nodes = [_node(game, Annotation(None), -1)]
    waiting: list[tuple[chess.pgn.GameNode, int]] = [(game, 0)]
    while waiting:
        parent, index = waiting.pop()
        for child in parent.variations:
            nodes[index]["next"].append(len(nodes))
            waiting.append((child, len(nodes)))
            nodes.append(_node(child, notes.get(child, Annotation(None)), index))
            if child in beyond:
                nodes[-1] |= {"score": None, "chance": None}
    return nodes


def _node(node: chess.pgn.GameNode, note: Annotation, parent: int) -> Node:
    """Return the position of a node, and what the game and a note say of the move to it."""
    board = node.board()
    names = chess.SQUARE_NAMES
    said: Node = dict.fromkeys(_KEYS) | {
        "parent": parent,
        "number": 0,
        "next": [],
        "comment": _human(node.comment),
        "main": node.is_mainline(),
        "arrows": [
            [names[each.tail], names[each.head], each.color] for each in node.arrows()
        ],
        "placement": board.board_fen(),
    }
    if isinstance(node, chess.pgn.ChildNode):
        before = node.parent.board()
        given = sorted(node.nags & SIGNS.keys())
        nags = given or ([note.nag] if note.nag else [])
        said |= value_of(node.eval() or note.score, board)
        said |= {
            "uci": node.uci(),
            "san": node.san(),
            "marks": "".join(SIGNS[n] for n in nags),
            "before": _human(node.starting_comment),
            "gloss": note.text,
            "number": before.fullmove_number,
            "white": before.turn,
        }
    return said


def value_of(score: chess.engine.PovScore | None, board: chess.Board) -> Node:
    """Return the value of a position in words (``score``), and White's ``chance`` to win."""
    if board.is_checkmate():
        return {"score": "checkmate", "chance": 0.0 if board.turn else 1.0}
    if natural_end(board):
        return {"score": "draw", "chance": 0.5}
    if score is None:
        return {}
    chance = float(win_chance(centipawns(score, chess.WHITE)))
    if score.is_mate():
        chance = float(score.white() > chess.engine.Cp(0))
    return {"score": score_text(score, _WORDING), "chance": round(chance, 3)}


def _human(comment: str) -> str:
    return visible(" ".join(_COMMAND.sub(" ", comment).split()))


def _title(game: chess.pgn.Game) -> str:
    return f"{_header(game, 'White')} – {_header(game, 'Black')}"


def _header(game: chess.pgn.Game, key: str) -> str:
    """Return a header's value; python-chess leaves its escaped quotation marks as they are."""
    return visible(game.headers.get(key, "?").replace('\\"', '"'))
