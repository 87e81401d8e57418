"""Questions about the board that a prompt of one token asks of a model of moves, and scores.

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
question of each task, so that tasks compare on the same positions.

Questions are a frame, one a row, all columns texts in the vocabulary's words:

============  ===========================================================================
``task``      one of :data:`TASKS`
``band``      one of :data:`BANDS`
``game``      name of the game, the cluster of the intervals
``fen``       the position that the prefix leads to
``piece``     type of the piece asked about
``prompt``    the token that asks: a square (End) or a type (Start)
``exact``     the square that the game's next move answers with; ``-`` in the Other tasks
``legal``     the squares that are right by the rules: where the piece can go (End), or where
              pieces of the type stand that can move (Start)
``prefix``    the moves played
============  ===========================================================================

Three scores of section 3.3. *LgM accuracy*: is the most probable next token right by the rules?
*R-precision*: of the R most probable, how many are, where R is the number of right answers? *ExM
accuracy*: is the most probable one what was played? The model chooses among all 77 tokens: that a
prompt wants a square is part of what it must know. Where tokens are equally probable each of them
counts in part, as if the order of the equal ones were drawn at random.
"""

from __future__ import annotations

import io
from collections.abc import Sequence
from itertools import chain
from pathlib import Path

import chess
import numpy as np
import pandas as pd
from numpy.typing import ArrayLike, NDArray

from chessgloss.corpora.games import pack, unpack
from chessgloss.positions import Position
from chessgloss.tracking import games as tokens
from chessgloss.tracking.models import LanguageModel, predict_next

END_TASKS = ("end_actual", "end_other")
START_TASKS = ("start_actual", "start_other")
TASKS = END_TASKS + START_TASKS

#: Shortest and longest prefix of each band, in plies.
BANDS: dict[str, tuple[int, int]] = {"short": (5, 50), "long": (51, 100)}


COLUMNS = ["task", "band", "game", "fen", "piece", "prompt", "exact", "legal", "prefix"]

#: Names of the scores, which are columns of :func:`score_answers`.
SCORES = ("lgm", "rprec", "exm")


# ---------------------------------------------------------------- the questions


def ask(
    prefix: Sequence[str],
    actual: str,
    band: str,
    game: str,
    random: np.random.Generator,
) -> list[dict[str, str]]:
    """Return the four questions of one prefix as rows, or none if it does not serve.

    It serves if the next move is neither a pawn's nor castling, and another piece, of another
    type, can move too. A king that may castle is not asked where it goes.

    Parameters
    ----------
    prefix, actual
        The moves played, and the one played next.
    band, game
        Columns of the rows.
    random
        Chooses the other piece and the other type.
    """
    board = Position.after(prefix).board()
    ends: dict[int, list[int]] = {}
    castling: set[int] = set()
    for move in board.legal_moves:
        if board.is_castling(move):
            castling.add(move.from_square)
        elif board.piece_type_at(move.from_square) != chess.PAWN:
            ends.setdefault(move.from_square, []).append(move.to_square)
    move = chess.Move.from_uci(actual)
    kinds = {square: board.piece_type_at(square) or 0 for square in ends}
    asked = set(ends) - castling
    others = sorted(asked - {move.from_square})
    types = sorted(set(kinds.values()) - {kinds.get(move.from_square, 0)})
    if (
        board.is_castling(move)
        or move.from_square not in asked
        or not others
        or not types
    ):
        return []
    left = move.from_square
    kind = kinds[move.from_square]
    other = int(random.choice(others))
    other_kind = int(random.choice(types))
    standing = {
        each: [at for at in ends if kinds[at] == each] for each in (kind, other_kind)
    }
    name = chess.SQUARE_NAMES
    letter = ["", *"PNBRQK"]
    questions = [
        ("end_actual", kind, name[left], name[move.to_square], ends[left]),
        ("end_other", kinds[other], name[other], "-", ends[other]),
        ("start_actual", kind, letter[kind], name[left], standing[kind]),
        ("start_other", other_kind, letter[other_kind], "-", standing[other_kind]),
    ]
    fen = board.fen()
    played = " ".join(prefix)
    return [
        {
            "task": task,
            "band": band,
            "game": game,
            "fen": fen,
            "piece": letter[piece],
            "prompt": prompt,
            "exact": exact,
            "legal": " ".join(name[at] for at in sorted(legal)),
            "prefix": played,
        }
        for task, piece, prompt, exact, legal in questions
    ]


#: Of the choice of the project's questions.
SEED = 1


def build_probes(
    corpus: tokens.Corpus, *, seed: int, count: int = 1_000
) -> pd.DataFrame:
    """Make ``count`` questions of each task in each band from the probe games.

    Parameters
    ----------
    corpus
        Its probe games are asked about; its training games bar the prefixes they begin with.
    seed
        Of the order of the games, the length of each prefix and the other pieces.
    count
        Questions of a task in a band: as many games.

    Returns
    -------
    pandas.DataFrame
        Band by band, prefix by prefix, in the order of :data:`TASKS`.

    Raises
    ------
    ValueError
        If the probe games give fewer.
    """
    random = np.random.default_rng(seed)
    known = set(chain(*tokens.prefix_hashes(corpus.games, corpus.of("L"))))
    unseen: dict[int, list[bool]] = {}
    held = corpus.of("probe")
    for game, beginnings in zip(
        held, tokens.prefix_hashes(corpus.games, held), strict=True
    ):
        unseen[game] = [beginning not in known for beginning in beginnings]
        known.update(beginnings)
    rows: list[dict[str, str]] = []
    for band, (shortest, longest) in BANDS.items():
        wanted = len(rows) + len(TASKS) * count
        for game in random.permutation(held):
            last = min(longest, int(corpus.games.plies[game]) - 1)
            if last < shortest or len(rows) == wanted:
                continue
            length = int(random.integers(shortest, last + 1))
            if unseen[game][length - 1]:
                moves = corpus.games.ucis(game)
                rows += ask(
                    moves[:length], moves[length], band, str(corpus.keys[game]), random
                )
        if len(rows) < wanted:
            raise ValueError(
                f"the probe games give too few prefixes of the {band} band"
            )
    return pd.DataFrame(rows, columns=COLUMNS)


def write_probes(questions: pd.DataFrame, path: Path) -> Path:
    """Write questions as lines under zstd, atomically; the same ones give the same bytes."""
    text = questions.to_csv(sep="\t", index=False, lineterminator="\n")
    return pack(text.splitlines(keepends=True), path)


def probes_file() -> Path:
    """Return the project's file of the questions of these chapters."""
    return tokens.data_folder() / "probes.tsv.zst"


def read_probes(path: Path | None = None) -> pd.DataFrame:
    """Read questions, by default the project's.

    Raises
    ------
    FileNotFoundError
        If there is no such file; the message says how to make it.
    chessgloss.corpora.games.GamesFileError
        If the file is damaged or cut off.
    ValueError
        If it is not in its form.
    """
    path = path or probes_file()
    if not path.is_file():
        raise FileNotFoundError(
            f"{path} is missing; run: python data/tracking/train.py S-uci-1"
        )
    text = io.StringIO("\n".join(unpack(path)))
    questions = pd.read_csv(text, sep="\t", dtype=str, keep_default_na=False)
    if list(questions) != COLUMNS:
        raise ValueError(f"{path}: columns are {list(questions)}, expected {COLUMNS}")
    return questions


# ---------------------------------------------------------------- asking a model


def contexts(questions: pd.DataFrame, notation: tokens.Notation) -> list[tokens.Tokens]:
    """Return the tokens that a model reads for each question: BOS, the prefix, the prompt.

    Parameters
    ----------
    questions
        One a row.
    notation
        With ``ap``, every move of the prefix follows its type, and so does the square that
        prompts an End task. Else there is no type but the prompt of a Start task (section 3.1).
    """
    typed = notation == "ap"
    read = []
    before = tokens.read_moves(
        map(str.split, questions["prefix"]), "ap" if typed else "uci"
    )
    for moves, question in zip(before, questions.itertuples(), strict=True):
        words = [question.piece] if typed and question.task in END_TASKS else []
        asked = [tokens.IDS[word] for word in (*words, question.prompt)]
        read.append(np.append(moves, np.array(asked, dtype=np.uint8)))
    return read


def predict(
    model: LanguageModel, questions: pd.DataFrame, notation: tokens.Notation
) -> NDArray[np.float32]:
    """Return log-probabilities ``(n, 77)`` of the next token after each question.

    Parameters
    ----------
    model
        A trained model.
    questions
        One a row.
    notation
        How the model reads them; with ``ap`` the history carries its piece types.
    """
    return predict_next(model, contexts(questions, notation))


def count_right(questions: pd.DataFrame) -> NDArray[np.int64]:
    """Return the number of right answers to each question; shape (n,), from 1 up."""
    return questions["legal"].str.split().str.len().to_numpy(np.int64)


def rank(log_probabilities: NDArray, count: NDArray[np.int64]) -> NDArray[np.uint8]:
    """Return the best tokens of each row, ``count`` of them, in one row (``count.sum()``,).

    The most probable token of an answer stands first, and of equals the lowest id. As many as a
    question has right answers is enough for every score: R-precision asks for no more.
    """
    order = np.argsort(-log_probabilities, axis=1, kind="stable").astype(np.uint8)
    return order[np.arange(order.shape[1]) < count[:, None]]


def scores_of(
    ranked: NDArray[np.uint8], count: NDArray[np.int64]
) -> NDArray[np.float32]:
    """Return scores ``(n, 77)`` that rank tokens as ``ranked`` does, and all others below.

    Parameters
    ----------
    ranked, count
        As of :func:`rank`; there may be more questions than are counted.

    Raises
    ------
    ValueError
        If there are fewer, or the ranking is of another form.
    """
    if ranked.ndim != 1 or len(ranked) < count.sum():
        raise ValueError(
            f"answers of the form {ranked.shape}, not the {count.sum()} tokens of "
            f"{len(count)} questions"
        )
    scores = np.full(
        (len(count), tokens.VOCABULARY_SIZE), -tokens.VOCABULARY_SIZE, np.float32
    )
    rows = np.repeat(np.arange(len(count)), count)
    places = np.arange(len(rows)) - (np.cumsum(count) - count)[rows]
    scores[rows, ranked[: len(rows)]] = -places
    return scores


# ---------------------------------------------------------------- scoring the answers


def score_answers(
    questions: pd.DataFrame, log_probabilities: ArrayLike
) -> pd.DataFrame:
    """Return questions with the scores of their answers, as shares from 0 to 1.

    Parameters
    ----------
    questions
        ``n`` of them.
    log_probabilities
        Of the next token, ``(n, 77)``; of each row only the order matters.

    Returns
    -------
    pandas.DataFrame
        The questions with the columns ``answer`` (the most probable token, the first of
        equals), ``lgm``, ``rprec`` and ``exm`` (NaN where no move was played).

    Raises
    ------
    ValueError
        If the shapes differ, or a value is not a number.
    """
    scores = np.asarray(log_probabilities)
    if (
        scores.shape != (len(questions), tokens.VOCABULARY_SIZE)
        or np.isnan(scores).any()
    ):
        raise ValueError(
            f"need a number for each of 77 tokens a question, got {scores.shape}"
        )
    legal = _right(questions["legal"])
    played = _right(questions["exact"].where(questions["exact"] != "-", ""))
    single = np.ones(len(questions), dtype=np.int64)
    exact = np.where(played.any(axis=1), precision_at(scores, played, single), np.nan)
    return questions.assign(
        answer=np.array(tokens.VOCABULARY)[scores.argmax(axis=1)],
        lgm=precision_at(scores, legal, single),
        rprec=precision_at(scores, legal, legal.sum(axis=1)),
        exm=exact,
    )


def precision_at(
    scores: NDArray, right: NDArray[np.bool_], count: NDArray[np.int64]
) -> NDArray[np.float64]:
    """Return the share of right tokens among the ``count`` of highest score, row by row.

    Parameters
    ----------
    scores, right
        Shape ``(n, tokens)``.
    count
        Shape ``(n,)``, from 1 up: the R of R-precision, or 1 for accuracy.

    Returns
    -------
    numpy.ndarray
        Shape ``(n,)``. Tokens that tie for the last places share them: the expected value over
        all their orders.
    """
    falling = -np.sort(-scores, axis=1)
    last = np.take_along_axis(falling, count[:, None] - 1, axis=1)
    above = scores > last
    level = scores == last
    places = count - above.sum(axis=1)
    shared = (level & right).sum(axis=1) * places / level.sum(axis=1)
    return ((above & right).sum(axis=1) + shared) / count


def _right(answers: pd.Series) -> NDArray[np.bool_]:
    right = np.zeros((len(answers), tokens.VOCABULARY_SIZE), dtype=bool)
    for row, words in zip(right, answers, strict=True):
        row[[tokens.IDS[word] for word in words.split()]] = True
    return right
