"""Questions about the board that a prompt of one token asks of a model of moves.

The state-tracking paper's sections 3.2 to 3.4 and 4. A model reads the beginning of a game
(the prefix) and one token more, and its next token answers:

- ``end_actual``: the square that the piece moved next leaves; where does it go?
- ``end_other``: the square of another piece that can move; where can it go?
- ``start_actual``: the type of the piece moved next; where does one stand that can move?
- ``start_other``: another type of which a piece can move; where does one stand?

Pawns are never asked for, no move asked for is castling, no prefix begins a training game and
no two prefixes are equal. The length of a prefix counts moves of one side (plies): the
paper's bound of 150 moves a game and its window of 512 tokens fit no other reading. The long
band is the paper's, the short one ours. A game gives one prefix a band, and with it one
instance of each task, so that tasks compare on the same positions.
"""

from __future__ import annotations

import sys
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import islice
from pathlib import Path

import chess
import numpy as np
import zstandard

from chessgloss.corpora.games import pack
from chessgloss.tracking.corpus import Corpus, games_file, prefix_hashes, read_corpus
from chessgloss.tracking.tokens import (
    BOS,
    EOS,
    PIECES,
    PROMOTIONS,
    SQUARES,
    VOCABULARY,
    Notation,
    Tokens,
    annotate,
    piece_id,
    square_id,
    tokenise,
)

END_TASKS = ("end_actual", "end_other")
START_TASKS = ("start_actual", "start_other")
TASKS = END_TASKS + START_TASKS

#: Shortest and longest prefix of each band, in plies.
BANDS: dict[str, tuple[int, int]] = {"short": (5, 50), "long": (51, 100)}

#: Where castling puts the rook, by the king's move.
_CASTLED_ROOKS = {"e1g1": "f1", "e1c1": "d1", "e8g8": "f8", "e8c8": "d8"}

_COLUMNS = ("task", "band", "game", "fen", "piece", "prompt", "exact", "legal", "prefix")


class ProbeError(ValueError):
    """Probes that cannot be made of the games given, or are not in their form."""


@dataclass(frozen=True, slots=True)
class Instance:
    """One question.

    Parameters
    ----------
    task, band
        One of :data:`TASKS` and of :data:`BANDS`.
    prefix
        The moves played, in UCI notation.
    fen
        The position they lead to.
    piece
        Id of the type of the piece asked about.
    prompt
        Id of the token that asks: a square (End) or a type (Start).
    exact
        Id of the square that the game's next move answers with; None in the Other tasks.
    legal
        Ids of the squares that are right by the rules: where the piece can go (End), or where
        pieces of the type stand that can move (Start).
    game
        Name of the game, the cluster of the intervals.

    Raises
    ------
    ProbeError
        If a field does not fit the others.
    """

    task: str
    band: str
    prefix: tuple[str, ...]
    fen: str
    piece: int
    prompt: int
    exact: int | None
    legal: frozenset[int]
    game: str

    def __post_init__(self) -> None:
        if self.task not in TASKS or self.band not in BANDS:
            raise ProbeError(f"no task {self.task!r} or no band {self.band!r}")
        shortest, longest = BANDS[self.band]
        if not shortest <= len(self.prefix) <= longest:
            raise ProbeError(f"{len(self.prefix)} plies are not of the {self.band} band")
        asked = range(SQUARES, PIECES) if self.task in END_TASKS else (self.piece,)
        if self.prompt not in asked or self.piece not in range(PIECES + 1, PROMOTIONS):
            raise ProbeError(f"{VOCABULARY[self.prompt]!r} does not prompt {self.task}")
        if not self.legal or not all(one in range(SQUARES, PIECES) for one in self.legal):
            raise ProbeError(f"answers are squares, and at least one; got {set(self.legal)}")
        if (self.exact is None) == self.task.endswith("actual"):
            raise ProbeError(f"{self.task} has {'an' if self.exact is None else 'no'} exact answer")
        if self.exact is not None and self.exact not in self.legal:
            raise ProbeError(f"the exact answer {VOCABULARY[self.exact]} is not legal")

    def board(self) -> chess.Board:
        """Return the position asked about, without its history."""
        return chess.Board(self.fen)


def build_probes(corpus: Corpus, *, seed: int, count: int = 1_000) -> list[Instance]:
    """Make ``count`` instances of each task in each band from the probe games.

    Parameters
    ----------
    corpus
        Its probe games are asked about; its training games bar the prefixes they begin with.
    seed
        Of the order of the games, the length of each prefix and the other pieces.
    count
        Instances of a task in a band: as many games.

    Returns
    -------
    list of Instance
        Band by band, prefix by prefix, in the order of :data:`TASKS`.

    Raises
    ------
    ProbeError
        If the probe games give fewer.
    """
    random = np.random.default_rng(seed)
    unseen = _unseen_plies(corpus)
    found: list[Instance] = []
    for band in BANDS:
        instances = _instances_of_band(corpus, band, unseen, random)
        kept = list(islice(instances, len(TASKS) * count))
        if len(kept) < len(TASKS) * count:
            raise ProbeError(
                f"{corpus.sizes.probe:,} probe games give {len(kept) // len(TASKS):,} prefixes of "
                f"the {band} band, not {count:,}; use more games, or a smaller count"
            )
        found += kept
    return found


def ask(
    prefix: Sequence[str], actual: str, band: str, game: str, random: np.random.Generator
) -> list[Instance]:
    """Return the four instances of one prefix, or none if it does not serve.

    It serves if the next move is neither a pawn's nor castling, and another piece, of another
    type, can move too. A king that may castle is not asked where it goes.

    Parameters
    ----------
    prefix, actual
        The moves played, and the one played next.
    band, game
        As in :class:`Instance`.
    random
        Chooses the other piece and the other type.
    """
    board = _replay(prefix)
    ends, move = _ends(board), chess.Move.from_uci(actual)
    kinds = {square: board.piece_type_at(square) or 0 for square in ends}
    asked = set(ends) - _castling_king(board)
    others = sorted(asked - {move.from_square})
    kind = kinds.get(move.from_square, 0)
    types = sorted(set(kinds.values()) - {kind})
    if board.is_castling(move) or move.from_square not in asked or not others or not types:
        return []
    other, other_kind = int(random.choice(others)), int(random.choice(types))
    standing = {one: [at for at in ends if kinds[at] == one] for one in (kind, other_kind)}
    left, reached = move.from_square, square_id(move.to_square)
    questions: list[tuple[str, int, int, int | None, list[int]]] = [
        ("end_actual", kind, square_id(left), reached, ends[left]),
        ("end_other", kinds[other], square_id(other), None, ends[other]),
        ("start_actual", kind, piece_id(kind), square_id(left), standing[kind]),
        ("start_other", other_kind, piece_id(other_kind), None, standing[other_kind]),
    ]
    shared, fen = tuple(prefix), board.fen()
    return [
        Instance(
            *(task, band, shared, fen, piece_id(asked_kind), prompt, exact),
            *(frozenset(map(square_id, legal)), game),
        )
        for task, asked_kind, prompt, exact, legal in questions
    ]


def contexts(instances: Sequence[Instance], notation: Notation) -> list[Tokens]:
    """Return what a model reads for each instance: BOS, the prefix, the prompt.

    Parameters
    ----------
    instances
        The questions.
    notation
        With ``ap``, every move of the prefix follows its type, and so does the square that
        prompts an End task. Else there is no type but the prompt of a Start task (section 3.1).
    """
    games = tokenise(one.prefix for one in instances)
    typed: Notation = "ap" if notation == "ap" else "uci"
    ids, starts = annotate(games, np.arange(len(games)), typed)
    read = []
    for number, one in enumerate(instances):
        before = ids[starts[number] : starts[number + 1] - 1]
        asked = [one.piece] * (typed == "ap" and one.task in END_TASKS) + [one.prompt]
        read.append(np.append(before, np.array(asked, dtype=np.uint8)))
    assert all(one[0] == BOS and one[-1] != EOS for one in read)
    return read


def plies_since(instance: Instance) -> int | None:
    """Return how many plies ago the piece on the prompted square came there.

    1 is the last move; None is a piece that has not moved yet. Only End tasks prompt a square.

    Raises
    ------
    ProbeError
        If a Start task is given.
    """
    if instance.task not in END_TASKS:
        raise ProbeError(f"{instance.task} prompts no square")
    square = VOCABULARY[instance.prompt]
    arrivals = {square}
    if VOCABULARY[instance.piece] == "R":
        arrivals |= {king for king, rook in _CASTLED_ROOKS.items() if rook == square}
    for since, uci in enumerate(reversed(instance.prefix), start=1):
        if uci[2:4] in arrivals or uci in arrivals:
            return since
    return None


def select(instances: Iterable[Instance], task: str, band: str) -> list[Instance]:
    """Return the instances of one task and band, in order."""
    return [one for one in instances if (one.task, one.band) == (task, band)]


def write_probes(instances: Iterable[Instance], path: Path) -> Path:
    """Write instances as lines under zstd, atomically; the same instances give the same bytes."""
    lines = ("\t".join(_cells(one)) + "\n" for one in instances)
    return pack(["\t".join(_COLUMNS) + "\n", *lines], path)


def read_probes(path: Path) -> list[Instance]:
    """Read what :func:`write_probes` wrote.

    Raises
    ------
    FileNotFoundError
        If there is no such file; the message says how to make it.
    ProbeError
        If the file is damaged, or at the first line that is not an instance.
    """
    if not path.is_file():
        raise FileNotFoundError(f"{path} is missing; run: python -m chessgloss.tracking.probes")
    try:
        text = zstandard.ZstdDecompressor().decompress(path.read_bytes()).decode("ascii")
    except (zstandard.ZstdError, UnicodeDecodeError) as error:
        raise ProbeError(f"{path.name} is damaged or cut off: {error}") from None
    header, *lines = text.splitlines()
    if tuple(header.split("\t")) != _COLUMNS:
        raise ProbeError(f"{path.name}: columns are {header!r}, expected {', '.join(_COLUMNS)}")
    return [_read_line(line, f"{path.name}, line {at}") for at, line in enumerate(lines, start=2)]


def probes_file() -> Path:
    """Return where the project keeps the instances of these chapters."""
    return games_file().with_name("probes.tsv.zst")


def main() -> int:
    """Make the project's instances from its games: ``python -m chessgloss.tracking.probes``."""
    path = write_probes(build_probes(read_corpus(), seed=1), probes_file())
    print(f"{len(read_probes(path)):,} instances in {path}")
    return 0


def _instances_of_band(
    corpus: Corpus, band: str, unseen: dict[int, np.ndarray], random: np.random.Generator
) -> Iterator[Instance]:
    shortest, longest = BANDS[band]
    for game in random.permutation(corpus.of("probe")):
        last = min(longest, int(corpus.games.plies[game]) - 1)
        if last < shortest:
            continue
        length = int(random.integers(shortest, last + 1))
        if not unseen[game][length - 1]:
            continue
        moves = corpus.games.ucis(game)
        yield from ask(moves[:length], moves[length], band, str(corpus.keys[game]), random)


def _unseen_plies(corpus: Corpus) -> dict[int, np.ndarray]:
    """Say of each beginning of each probe game whether it is new: in no other game that counts.

    Other games are the training games and the probe games before it.
    """
    train, _ = prefix_hashes(corpus.games, corpus.of("L"))
    games = corpus.of("probe")
    hashes, starts = prefix_hashes(corpus.games, games)
    _, first = np.unique(hashes, return_index=True)
    new = np.zeros(hashes.size, dtype=bool)
    new[first] = True
    new &= ~np.isin(hashes, train)
    return {int(game): new[starts[k] : starts[k + 1]] for k, game in enumerate(games)}


def _replay(moves: Iterable[str]) -> chess.Board:
    board = chess.Board()
    for uci in moves:
        board.push(chess.Move.from_uci(uci))
    return board


def _castling_king(board: chess.Board) -> set[int]:
    """Return the square of the king to move if it may castle now, else nothing."""
    return {move.from_square for move in board.legal_moves if board.is_castling(move)}


def _ends(board: chess.Board) -> dict[int, list[int]]:
    """Return where each piece but a pawn can go, castling left out."""
    ends: dict[int, list[int]] = {}
    for move in board.legal_moves:
        if board.piece_type_at(move.from_square) != chess.PAWN and not board.is_castling(move):
            ends.setdefault(move.from_square, []).append(move.to_square)
    return ends


def _cells(one: Instance) -> list[str]:
    exact = "-" if one.exact is None else VOCABULARY[one.exact]
    legal = " ".join(VOCABULARY[answer] for answer in sorted(one.legal))
    words = (VOCABULARY[one.piece], VOCABULARY[one.prompt], exact, legal, " ".join(one.prefix))
    return [one.task, one.band, one.game, one.fen, *words]


def _read_line(line: str, where: str) -> Instance:
    try:
        task, band, game, fen, piece, prompt, exact, legal, prefix = line.split("\t")
        answers = frozenset(map(VOCABULARY.index, legal.split(" ")))
        answer = None if exact == "-" else VOCABULARY.index(exact)
        asked = VOCABULARY.index(piece), VOCABULARY.index(prompt)
        moves = tuple(prefix.split(" "))
        return Instance(task, band, moves, fen, *asked, answer, answers, game)
    except ValueError as error:
        raise ProbeError(f"{where} is not an instance: {error}") from None


if __name__ == "__main__":
    sys.exit(main())
