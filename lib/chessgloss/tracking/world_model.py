"""Does a model of moves hold a board? What its hidden states say, and games played against it.

A prompt asks a model what it says (:mod:`chessgloss.tracking.probes`); this module looks at what
it holds. A *board probe* reads the piece on each square off a hidden state by one linear layer.
An *attack* is a game against a model that ends when it answers with an illegal move (Balogh and
Jelasity, "Verification of the Implicit World Model in a Generative Model via Adversarial
Sequences", ICLR 2026); its opponents stand in the chapter.

Hidden states are those of the last token of a move: of layer 0 before the first block, of layer
``k`` after the ``k``-th. A square's code is 0 for none, 1 to 6 for White's pawn, knight, bishop,
rook, queen, king, 7 to 12 for Black's (:func:`chessgloss.experts.boards.read_boards`).
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from typing import Any

import chess
import numpy as np
import pandas as pd
import torch
from numpy.typing import NDArray
from torch import nn
from torch.nn import functional

from chessgloss.positions import Position
from chessgloss.tracking import games as tokens
from chessgloss.tracking.games import Notation
from chessgloss.tracking.models import TOKENS, LanguageModel, continue_games

#: Codes of what can stand on a square: nothing, six pieces of White's, six of Black's.
CODES = 13

#: An attack ends, without success, after so many answers of the model.
ANSWERS = 60

# ---------------------------------------------------------------- hidden states


@torch.no_grad()
def hidden_states(
    model: LanguageModel,
    reading: Notation,
    games: tokens.TokenGames,
    positions: pd.DataFrame,
) -> torch.Tensor:
    """Return the states behind each position's last move: ``(layers + 1, n, width)`` float32.

    Parameters
    ----------
    model
        A transformer.
    reading
        How it reads games: ``ap`` or ``uci``.
    games, positions
        All games, and positions of them, a row each: ``game``, its index in ``games``, and
        ``ply``, the plies played, from 1 up.
    """
    chosen = positions["game"].unique()
    ids, starts = tokens.annotate(games, chosen, reading)
    rows_of = positions.groupby("game").indices
    plies = positions["ply"].to_numpy()
    states = torch.empty(
        model.settings.layers + 1, len(positions), model.settings.width
    )
    order = np.argsort(np.diff(starts), kind="stable")
    for group, read in tokens.cut_batches(ids, starts, order, TOKENS):
        with _layers_of(model) as layers:
            model.states(read)
        for row, game in enumerate(chosen[group]):
            moves = games.moves[games.starts[game] : games.starts[game + 1]]
            at = rows_of[game].tolist()
            last = np.cumsum((moves > 0).sum(axis=1) + (reading == "ap"))[plies[at] - 1]
            for layer, vectors in enumerate(layers):
                states[layer, at] = vectors.view(*read.shape, -1)[row, last]
    return states


@contextmanager
def _layers_of(model: LanguageModel) -> Iterator[list[torch.Tensor]]:
    """Collect the input of the first block and the output of each, while a model reads."""
    layers: list[torch.Tensor] = []
    blocks: Any = model.body.blocks
    hooks = [
        blocks[0].register_forward_pre_hook(lambda _, read: layers.append(read[0]))
    ]
    hooks += [
        block.register_forward_hook(lambda *run: layers.append(run[2]))
        for block in blocks
    ]
    yield layers
    for hook in hooks:
        hook.remove()


def fit_board_probe(
    states: torch.Tensor, squares: NDArray[np.integer], *, seed: int, epochs: int = 5
) -> nn.Linear:
    """Fit multinomial logistic regressions, one a square, at once as one layer.

    Parameters
    ----------
    states, squares
        Shapes ``(n, width)`` and ``(n, 64)``: hidden states and the codes on the board.
    seed
        Of the order in which the rows are read.
    epochs
        Passes over the rows, at a rate that falls to zero.

    Returns
    -------
    torch.nn.Linear
        From states as they come to logits ``(n, 64 * 13)``: view them as ``(n, 64, 13)``.
    """
    mean = states.mean(dim=0)
    spread = states.std(dim=0).clamp(min=1e-6)
    rows = (states - mean) / spread
    codes = torch.from_numpy(squares.astype(np.int64))
    probe = nn.utils.skip_init(nn.Linear, states.shape[1], squares.shape[1] * CODES)
    for weights in probe.parameters():
        nn.init.zeros_(weights)
    adam = torch.optim.Adam(probe.parameters(), lr=0.05)
    batches = -(-len(rows) // 100)
    falling = torch.optim.lr_scheduler.LinearLR(adam, 1.0, 0.0, batches * epochs)
    generator = torch.Generator().manual_seed(seed)
    for _ in range(epochs):
        for batch in torch.randperm(len(rows), generator=generator).chunk(batches):
            adam.zero_grad()
            logits = probe(rows[batch]).view(-1, CODES)
            functional.cross_entropy(logits, codes[batch].flatten()).backward()
            adam.step()
            falling.step()
    with torch.no_grad():
        probe.weight /= spread
        probe.bias -= probe.weight @ mean
    return probe.requires_grad_(False)


# ---------------------------------------------------------------- attacks


def attack(
    model: LanguageModel,
    reading: Notation,
    openings: Sequence[Sequence[str]],
    opponent: Callable[[Sequence[chess.Board]], list[chess.Move]],
) -> pd.DataFrame:
    """Play games against a model, which answers greedily, until one ends or it answers illegally.

    Parameters
    ----------
    model, reading
        The model, and how it reads games.
    openings
        Moves in UCI with which each game begins; the opponent moves next.
    opponent
        Chooses, for the boards of all games that go on, its next moves.

    Returns
    -------
    pandas.DataFrame
        One row a game: ``moves``, the legal ones, in UCI; ``answers`` of the model, at most
        :data:`ANSWERS`; ``illegal``, the last of them if it was, else nothing.
    """
    boards = [Position.after(opening).board() for opening in openings]
    answers = [0] * len(boards)
    illegal = [""] * len(boards)
    for number in range(2 * ANSWERS):
        alive = [
            k
            for k, board in enumerate(boards)
            if not (illegal[k] or board.is_game_over())
        ]
        playing = [boards[k] for k in alive]
        if playing and number % 2 == 0:
            for board, move in zip(playing, opponent(playing), strict=True):
                board.push(move)
        elif playing:
            replies = continue_games(model, reading, list(map(_moves_of, playing)))
            for k, uci in zip(alive, replies, strict=True):
                answers[k] += 1
                if uci in map(chess.Move.uci, boards[k].legal_moves):
                    boards[k].push_uci(uci)
                else:
                    illegal[k] = uci
    moves = [" ".join(_moves_of(board)) for board in boards]
    return pd.DataFrame({"moves": moves, "answers": answers, "illegal": illegal})


def _moves_of(board: chess.Board) -> list[str]:
    return [move.uci() for move in board.move_stack]
