"""What a trained model makes of games it has not seen: perplexity, and answers to probes.

Canonical perplexity (the paper's Table 4): a whole move counts as one token. It is
``exp(-sum of ln p / moves)``, the sum over all tokens of all moves: both squares, the new
piece of a promotion, and with AP the type before the move. The end of the game is no move and
is not counted, but what a model gives to it is not given to a move. With UCI, the logits of
the six piece types are masked out, as a model trained with RAP would waste chances on them.
"""

from __future__ import annotations

import math
from collections.abc import Sequence

import chess
import numpy as np
import torch
from numpy.typing import NDArray

from chessgloss.tracking.batches import IGNORED, in_order, pad_rows, read_and_expected, read_length
from chessgloss.tracking.models import LanguageModel
from chessgloss.tracking.probes import Instance, contexts
from chessgloss.tracking.tokens import (
    EOS,
    PIECES,
    PROMOTIONS,
    SQUARES,
    VOCABULARY_SIZE,
    Notation,
    TokenGames,
)

#: Tokens a batch where nothing is learned.
TOKENS = 2048

#: Tokens of a ranking that are kept.
KEPT = 32


def perplexity(
    model: LanguageModel,
    games: TokenGames,
    notation: Notation,
    selected: NDArray | None = None,
) -> float:
    """Return the canonical perplexity of games: one move counts as one token.

    Parameters
    ----------
    model
        A trained model; it is read in evaluation mode, in the precision of its weights.
    games
        The games.
    notation
        How the model reads them: ``ap`` or ``uci`` (RAP is for training alone).
    selected
        Indices of the games to measure on; by default all.
    """
    chosen = np.arange(len(games)) if selected is None else np.asarray(selected)
    losses = game_losses(model, games, notation, chosen)
    return math.exp(losses.sum() / games.plies[chosen].sum())


def game_losses(
    model: LanguageModel, games: TokenGames, notation: Notation, selected: NDArray
) -> NDArray[np.float64]:
    """Return the sum of ``-ln p`` over the moves of each game ``selected``, in their order; (n,).

    Raises
    ------
    ValueError
        If a game is to be read with piece types at random, or there is no move in any.
    """
    if notation == "rap":
        raise ValueError("piece types at random are for training; measure rap models with uci")
    if not games.plies[selected].sum():
        raise ValueError("there is no move to measure perplexity on; choose some games")
    epoch = in_order(games, selected, notation, TOKENS)
    losses = np.empty(len(epoch.lengths))
    for number, group in enumerate(epoch.groups):
        losses[group] = _surprise(model, epoch.rows(number), notation)
    return losses


def predict(
    model: LanguageModel, instances: Sequence[Instance], notation: Notation
) -> NDArray[np.float32]:
    """Return log-probabilities ``(n, 77)`` of the next token after each question.

    Nothing is masked: an answer that is no square is an error of the model's.

    Parameters
    ----------
    model
        A trained model.
    instances
        Questions about the board.
    notation
        How the model reads them; with ``ap`` the history carries its piece types.
    """
    return predict_next(model, contexts(instances, notation))


def share_on_own_pieces(model: LanguageModel, instances: Sequence[Instance]) -> NDArray[np.float32]:
    """Return the probability given, after each prefix, to squares of the side to move; (n,).

    A whole move has been read, so that the next token is where a piece leaves: a model that
    knows the rules and the board gives all to squares where the side to move has a piece. Piece
    types are masked out; the model reads games without them.
    """
    read = [context[:-1] for context in contexts(instances, "uci")]
    answers = predict_next(model, read)
    answers[:, PIECES:PROMOTIONS] = -math.inf
    given = np.exp(answers) / np.exp(answers).sum(axis=1, keepdims=True)
    own = np.zeros_like(given, dtype=bool)
    for row, board in zip(own, (one.board() for one in instances), strict=True):
        row[SQUARES + np.array(list(chess.SquareSet(board.occupied_co[board.turn])))] = True
    return (given * own).sum(axis=1)


def rank(log_probabilities: NDArray) -> NDArray[np.uint8]:
    """Return the best :data:`KEPT` tokens of each row, the most probable first; shape (n, KEPT).

    Of equals the lowest id comes first. A fifth of the size of all probabilities, and enough for
    every score that counts right answers among the first: a queen has 27 moves at most.
    """
    order = np.argsort(-log_probabilities, axis=1, kind="stable")
    return order[:, :KEPT].astype(np.uint8)


def scores_of(ranked: NDArray[np.uint8]) -> NDArray[np.float32]:
    """Return scores ``(n, 77)`` that rank tokens as ``ranked`` does, and all others below."""
    scores = np.full((len(ranked), VOCABULARY_SIZE), -ranked.shape[1], dtype=np.float32)
    places = -np.arange(ranked.shape[1], dtype=np.float32)
    np.put_along_axis(scores, ranked.astype(np.int64), places[None], axis=1)
    return scores


@torch.inference_mode()
def predict_next(model: LanguageModel, read: Sequence[NDArray]) -> NDArray[np.float32]:
    """Return log-probabilities ``(n, 77)`` of the token after each sequence of ids."""
    model.eval()
    lengths = np.array([len(one) for one in read])
    answers = np.empty((len(read), VOCABULARY_SIZE), dtype=np.float32)
    for group in _of_like_length(lengths):
        length = min(read_length(int(lengths[group].max())), model.settings.context)
        rows = pad_rows([read[one] for one in group], length).to(model.device)
        last = model.states(rows)[torch.arange(len(group)), torch.from_numpy(lengths[group] - 1)]
        logits = torch.nn.functional.linear(last, model.tokens.weight)
        answers[group] = logits.float().log_softmax(dim=1).cpu().numpy()
    return answers


def _of_like_length(lengths: NDArray) -> list[NDArray]:
    order = np.argsort(lengths, kind="stable")
    size = max(1, TOKENS // int(lengths.max(initial=1)))
    return [order[first : first + size] for first in range(0, order.size, size)]


@torch.inference_mode()
def _surprise(model: LanguageModel, rows: torch.Tensor, notation: Notation) -> NDArray[np.float64]:
    """Return the sum of ``-ln p`` over the tokens of the moves of each row."""
    model.eval()
    read, expected = read_and_expected(rows.to(model.device))
    logits = model(read).float().flatten(0, 1)
    if notation == "uci":
        logits[:, PIECES:PROMOTIONS] = -math.inf
    moves = expected.masked_fill(expected == EOS, IGNORED).flatten()
    losses = torch.nn.functional.cross_entropy(logits, moves, reduction="none")
    return losses.view(expected.shape).double().sum(dim=1).cpu().numpy()
