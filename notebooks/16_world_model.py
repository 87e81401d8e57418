# ---
# jupyter:
#   kernelspec:
#     display_name: Python 3 (ipykernel)
#     language: python
#     name: python3
# ---

# %% [markdown]
# # Is there a board inside?
#
# {glue:md}`held_short`
#
# ```{glue:} lost_boards
# ```
#
# A game against random moves ends: on the left its board and the model's answer, on the right the board
# that the linear layer reads, with the squares marked where it is wrong. {glue:text}`lost_says` An
# opponent who looks one move ahead brings the model to an illegal answer in {glue:text}`lost_lookahead` %
# of {glue:text}`n_lookahead` games.

# %% tags=["parameters", "hide-input"] mystnb={"code_prompt_show": "Parameters: model, layer, square and concept"}
profile = "book"
seed = 1
example = "L-uci-1"
layer = 4
square = "e4"
concept = "White Kingsafety"
wanted = ("L-uci-1", "36000-people_uci-1", "36000-random_uci-1")

# %% tags=["hide-input"] mystnb={"code_prompt_show": "Imports, and positions of held-out games"}
from functools import partial
from itertools import product

import chess
import chess.svg
import matplotlib.pyplot as plt
import numpy as np
import pandas as pd
import torch
from IPython.display import Markdown
from myst_nb import glue
from sklearn.linear_model import LogisticRegression
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.svm import LinearSVC
from torch.nn import functional
from statsmodels.duration.survfunc import SurvfuncRight

from chessgloss import oracle, report
from chessgloss.book.profiles import listed, load_sizes
from chessgloss.concepts.fit import Labelled, cut_tails, fit_concepts
from chessgloss.concepts.scores import accuracy, held_out
from chessgloss.experts import joined_activations, load_expert
from chessgloss.experts.boards import PIECES, read_boards
from chessgloss.stats import mean_interval, paired_difference, share_of
from chessgloss.tracking import games as tokens, probes as questions, results, runs, world_model
from chessgloss.tracking.models import continue_games, make_model, predict_next

sizes = load_sizes("16_world_model", profile)
report.use_house_style()
corpus = tokens.read_corpus()
games = corpus.games
probe_games = corpus.of("probe")
read_games = probe_games[: sizes.games]


def sample_positions(selected, per_game, random):
    rows = []
    for game in selected:
        moves = games.ucis(game)
        board = chess.Board()
        plies = set(random.permutation(len(moves))[:per_game])
        for ply, uci in enumerate(moves):
            board.push_uci(uci)
            if ply in plies:
                rows.append((int(game), ply + 1, board.fen()))
    return pd.DataFrame(rows, columns=["game", "ply", "fen"])


positions = sample_positions(read_games, sizes.per_game, np.random.default_rng(seed))
boards = read_boards(list(positions["fen"]))
ends = np.diff([0, sizes.games * 3 // 5, sizes.games * 4 // 5, sizes.games])
parts = np.repeat(["train", "validation", "test"], ends)
part = parts[np.searchsorted(read_games, positions["game"])]
train = part == "train"
held = part == "test"

# %% [markdown]
# The model, {glue:text}`example`, is one of the strong ones of chapters 12 to 14: its perplexity is
# {glue:text}`perplexity`, and it names a legal square in {glue:text}`legal` % of the questions. Those
# chapters asked by prompt. But a model can answer legally and keep no board; it can keep one and not use
# it; and an average says nothing of the game in which it fails. So this chapter looks inside.
#
# ## A hidden state, and what stands on one square
#
# The model reads a game; after each block every token has a vector. We take the vector of each move's
# last token: all that the model hands on to its next layer when the move is over. Another `example`,
# `layer`, `square` or `concept` can be set above.

# %%
model = runs.read_model(example)[0]
first = positions.iloc[0]
(ids,) = tokens.read_moves([games.ucis(first["game"])[: first["ply"]]], "uci")
vectors = []
hooks = [
    block.register_forward_hook(lambda block, read, written: vectors.append(written))
    for block in model.body.blocks
]
with torch.no_grad():
    model(torch.tensor([ids.tolist()]))
for hook in hooks:
    hook.remove()
print("(n_layers, n_tokens, width) =", tuple(torch.stack(vectors).shape))

# %% [markdown]
# `hidden_states` does this for all positions, and keeps what enters the first block too. What stands on
# one square is one of 13: nothing, or one of twelve pieces. A multinomial logistic regression on the
# vectors says which. Whole games are held out.

# %%
states = {example: world_model.hidden_states(model, "uci", games, positions)}
print("(n_layers + 1, n_positions, width) =", tuple(states[example].shape))
x = states[example][layer].numpy()
y = boards.squares[:, chess.parse_square(square)]
regression = make_pipeline(StandardScaler(), LogisticRegression(C=0.05, max_iter=300))
regression.fit(x[train], y[train])
commonest = np.bincount(y[train]).argmax()
print(f"{square}, held-out games: {regression.score(x[held], y[held]):.3f}", end=", ")
print(f"the commonest content {np.mean(y[held] == commonest):.3f}")

# %% [markdown]
# ## All squares, all layers
#
# `fit_board_probe` makes the 64 regressions at once: one linear layer with 64 times 13 outputs and
# the cross-entropy of all squares, trained in {glue:text}`epochs` passes. Two codings: White's and
# Black's pieces, or those of the side to move and its opponent's, in which a model of Othello was
# found to represent its board {cite}`nanda2023emergent`. Two controls: the same layer on a model of the
# same architecture before any training (what the last moves and the place in the game give), and no
# model at all: the commonest content of each square. Most squares are empty, and that is easy to
# say; so the occupied ones are counted by themselves too. Two more models are compared with the example:
# of the same shape, but trained on 36,000 games each, one on people's (`36000-people_uci-1`), one on
# games of random legal moves (`36000-random_uci-1`). All are asked about games of self-play. Tables
# and pictures call a model by the games that it has read, the example *self-play (L)*: it read 50,000.

# %% tags=["hide-input"] mystnb={"code_prompt_show": "The models, and what tables call them"}
CALLED = {
    "L-uci-1": "self-play (L)",
    "36000-people_uci-1": "people's games",
    "36000-random_uci-1": "random games",
}
untrained = "random weights"
mine = "own, opponent's"
trained = list(dict.fromkeys([example, *listed(wanted)]))
models = {name: runs.read_model(name)[0] for name in trained}
models[untrained] = make_model(model.settings, seed=seed).eval()
for name in [name for name in models if name not in states]:
    states[name] = world_model.hidden_states(models[name], "uci", games, positions)


def own_codes(boards):
    """Return the codes of squares (n, 64) with the mover's pieces first: 1 to 6, then 7 to 12."""
    exchanged = (boards.squares + 5) % 12 + 1
    same = (boards.squares == 0) | boards.white_to_move[:, None]
    return np.where(same, boards.squares, exchanged)


own = own_codes(boards)

# %%
codings = {"White, Black": boards.squares, mine: own}
probes = {}
right = {}
for name, layers in states.items():
    for depth, rows in enumerate(layers):
        for coding, codes in codings.items():
            if coding == mine or depth == layer:
                probe = world_model.fit_board_probe(
                    rows[train], codes[train], seed=seed, epochs=sizes.epochs
                )
                read = probe(rows[held]).view(-1, 64, 13).argmax(dim=2).numpy()
                probes[coding, name, depth] = probe
                right[coding, name, depth] = read == codes[held]
usual = [np.bincount(contents).argmax() for contents in boards.squares[train].T]
right["", "commonest", layer] = boards.squares[held] == np.array(usual)

# %% tags=["hide-input"] mystnb={"code_prompt_show": "Count squares, occupied squares and whole boards"}
held_games = positions["game"].to_numpy()[held]
occupied = boards.squares[held] > 0
of_occupied = np.repeat(held_games, occupied.sum(axis=1))
reads = pd.DataFrame(
    {
        key: {
            "squares": mean_interval(hits.mean(axis=1), held_games, seed=seed),
            "occupied squares": mean_interval(hits[occupied], of_occupied, seed=seed),
            "whole boards": mean_interval(hits.all(axis=1), held_games, seed=seed),
        }
        for key, hits in right.items()
    }
).T.map(lambda share: share.in_percent())
last = reads.xs(layer, level=2).swaplevel()
report.table(
    last.rename(CALLED),
    digits=1,
    caption="Read rightly off the last layer, % of held-out squares and boards",
)

# %% tags=["hide-cell"] mystnb={"code_prompt_show": "Layer by layer", "figure": {"caption": "How much of the board a linear probe reads from each layer, by model. Grey is a model with random weights, dotted the commonest piece of each square.", "name": "fig-16-layers"}, "image": {"alt": "Lines of percentages over layers for several models, the grey one lowest."}}
curves = (
    reads["squares"].loc[mine].map(lambda share: share.value).unstack(0).rename(columns=CALLED)
)
grey = curves.pop(untrained)
axes = curves[[CALLED.get(name, name) for name in trained]].plot(style="o-")
grey.plot(ax=axes, style="o--", color="grey")
axes.axhline(last["squares"]["commonest"].iloc[0].value, color="grey", linestyle=":")
axes.set(xlabel="layer", ylabel="squares read rightly, %", xticks=curves.index)
axes.legend(loc="upper left", bbox_to_anchor=(1, 1))
plt.show()

# %% [markdown]
# ## Erase a piece
#
# That a layer reads a board does not say that the model uses it. So we change what the layer reads.
# The model is about to move; we take the square that it would most likely move from, push the hidden
# state along the difference of two rows of the probe, *empty* less *own piece of this type*, and let
# the model go on. If it plays by this board, the probability of moving from there must fall.


# %%
def towards_empty(probe, state, place, code):
    """The step after which the probe prefers *empty* on a square as much as it preferred a piece."""
    rows = probe.weight.view(64, 13, -1)
    direction = rows[place, 0] - rows[place, code]
    logits = probe(state).view(64, 13)[place]
    return 2 * (logits[code] - logits[0]).clamp(min=1) * direction / direction.square().sum()


@torch.no_grad()
def moves_from(model, ids, depth, steps):
    """Probabilities (n_steps, 64) of the next move's square when each step was made at a layer."""

    def push(block, read, written):
        changed = written.view(len(steps), -1, written.shape[1]).clone()
        changed[:, -1] += steps
        return changed.view_as(written)

    hook = model.body.blocks[depth - 1].register_forward_hook(push)
    logits = model(torch.as_tensor(ids.astype(np.int64)).expand(len(steps), -1))[:, -1]
    hook.remove()
    return logits[:, tokens.SQUARES : tokens.PIECES].softmax(dim=1)


# %% [markdown]
# A block adds to the state and passes it on, so that a step can reach the output with no block having
# used it. Hence four controls: the step less its part along the output's own row (*around the output*),
# the step that erases another piece, a random direction, each of the same length, and that part alone.
# Layer and strength are chosen on validation games.

# %% tags=["hide-input"] mystnb={"code_prompt_show": "The step and its four controls, in each of some positions"}
kinds = ("erased", "around the output", "another", "at random", "along the output")


def steps_for(model, probe, state, erased, other, random):
    """Steps, (5, width), in the order of ``kinds``; of equal length but for the last."""
    output = model.tokens.weight.detach()[tokens.SQUARES : tokens.PIECES]
    straight = model.norm.weight.detach() * (output[erased[0]] - output.mean(dim=0))
    straight = straight / straight.norm()
    step = towards_empty(probe, state, *erased)
    along = (step @ straight) * straight
    others = [
        step - along,
        towards_empty(probe, state, *other),
        torch.from_numpy(random.normal(size=len(step))).float(),
    ]
    return torch.stack([step, *(step.norm() * each / each.norm() for each in others), along])


def own_pieces(row, last_kind=chess.KING):
    """Squares of the mover's pieces in a position."""
    return [place for place in range(64) if 1 <= own[row, place] <= last_kind]


def erase(name, depth, strength, candidates):
    """Erase the likeliest to move of some pieces: position, square, and probabilities (6, 64).

    ``candidates`` has, of each position, the pieces to choose from, and all to choose the other from.
    The first row of the probabilities is that without a step.
    """
    random = np.random.default_rng(seed)
    probe = probes[mine, name, depth]
    for row, (some, pieces) in candidates.items():
        moves = games.ucis(positions["game"][row])[: positions["ply"][row]]
        (ids,) = tokens.read_moves([moves], "uci")
        state = states[name][depth, row]
        before = moves_from(models[name], ids, depth, torch.zeros(1, len(state)))
        erased = max(some, key=lambda place: before[0, place])
        others = [place for place in pieces if place not in some]
        others = others or [place for place in pieces if place != erased] or pieces
        both = [(place, own[row, place]) for place in (erased, random.choice(others))]
        steps = steps_for(models[name], probe, state, *both, random)
        now = moves_from(models[name], ids, depth, strength * steps)
        yield row, erased, torch.cat([before, now])


def falls(name, depth, strength, rows):
    """By how much of itself, in %, the probability of moving the piece falls: a row a position."""
    candidates = {row: (own_pieces(row), own_pieces(row)) for row in rows}
    found = erase(name, depth, strength, candidates)
    table = pd.DataFrame([chances[:, place].tolist() for _, place, chances in found])
    return 100 * (1 - table[[1, 2, 3, 4, 5]].div(table[0], axis=0)).set_axis(kinds, axis=1)


# %% tags=["hide-input"] mystnb={"code_prompt_show": "Choose layer and strength, and erase"}
some = np.random.default_rng(seed).permutation(np.flatnonzero(part == "validation"))
tuning = some[: sizes.edited // 8]
tested = np.random.default_rng(seed).permutation(np.flatnonzero(held))[: sizes.edited]
chosen = {}
erased = {}
for name in trained:
    gains = {}
    for depth, strength in product(range(1, layer), (1, 2)):
        tuned = falls(name, depth, strength, tuning)
        gains[depth, strength] = (tuned["around the output"] - tuned["another"]).mean()
    chosen[name] = max(gains, key=gains.get)
    erased[name] = falls(name, *chosen[name], tested)
print("layer and strength:", *chosen.values())

# %% [markdown]
# Other squares should gain. A piece of one's own can stand in the way of others; without it, more
# squares can be moved from. That is what was asked of models of Othello: does the probability on
# squares that become legal grow?


# %% tags=["hide-input"] mystnb={"code_prompt_show": "Squares that become legal without the piece, and the table"}
def squares_moved_from(board):
    return {move.from_square for move in board.legal_moves}


def opened_by(row):
    """Own pieces without which more squares can be moved from, with these squares."""
    board = chess.Board(positions["fen"][row])
    opened = {}
    for place in own_pieces(row, chess.QUEEN):
        without = board.copy()
        without.remove_piece_at(place)
        opened[place] = sorted(squares_moved_from(without) - squares_moved_from(board))
    return {place: new for place, new in opened.items() if new}


opened = {row: opened_by(row) for row in tested}
candidates = {
    row: (list(new), own_pieces(row, chess.QUEEN)) for row, new in opened.items() if new
}
gained = {}  # of the probability that is not the erased square's, how much is on the new ones, %
for name in trained:
    gained[name] = pd.DataFrame(
        [
            [
                float(100 * each[opened[row][place]].sum() / (1 - each[place]))
                for each in chances
            ]
            for row, place, chances in erase(name, *chosen[name], candidates)
        ],
        columns=["before", *kinds],
    )


def summarise(tables, rows):
    of_games = positions["game"].iloc[list(rows)]
    return pd.DataFrame(
        {
            name: {each: mean_interval(table[each], of_games, seed=seed) for each in table}
            for name, table in tables.items()
        }
    )


def less(tables, first, second, rows):
    of_games = positions["game"].iloc[list(rows)]
    return {
        name: paired_difference(table[first], table[second], of_games, seed=seed)
        for name, table in tables.items()
    }


mean_falls = summarise(erased, tested)
mean_gains = summarise(gained, candidates)
report.table(
    pd.concat({"moving the piece, fall": mean_falls, "squares opened": mean_gains})
    .rename(CALLED, axis=1)
    .rename(
        {
            "erased": "the piece's step",
            "another": "another piece's",
            "at random": "random direction",
        }
    ),
    digits=1,
    caption="Fall of the probability of moving from the erased square, %; probability "
    "on the squares "
    f"that become legal without a piece, % ({len(candidates)} of {len(tested)} positions)",
)

# %% [markdown]
# {glue:text}`edited`
#
# ## One position, two orders
# Two moves of one side, with the opponent's between them, can often change places. The position is
# the same; whoever keeps a board must go on in the same way.


# %%
def after(moves):
    board = chess.Board()
    for uci in moves:
        board.push_uci(uci)
    return board


def transpose(moves, random):
    """The same moves in another order that leads to the same position; None if none is found."""
    for first in random.permutation(len(moves) - 2):
        swapped = [*moves]
        swapped[first], swapped[first + 2] = swapped[first + 2], swapped[first]
        board = chess.Board()
        for uci in swapped:
            if not board.is_legal(move := chess.Move.from_uci(uci)):
                break
            board.push(move)
        else:
            if swapped != moves and board.epd() == after(moves).epd():
                return swapped
    return None


# %% tags=["hide-input"] mystnb={"code_prompt_show": "Find games in which two moves change places"}
random = np.random.default_rng(seed)
pairs = []
for number, game in enumerate(probe_games[sizes.games :]):
    length = (20, 30, 40)[number % 3]
    moves = games.ucis(game)[:length]
    if len(moves) == length and (swapped := transpose(moves, random)):
        pairs.append((length, moves, swapped))
    if len(pairs) == sizes.pairs:
        break
pairs.sort(key=lambda pair: pair[0])
lengths = np.array([length for length, *_ in pairs])
other = np.concatenate(  # of each position one of another game, of as many moves
    [np.roll(np.flatnonzero(lengths == length), 1) for length in np.unique(lengths)]
)
changed = [f"{one}/{two}" for one, two in zip(*pairs[0][1:], strict=True) if one != two]
print(f"{len(pairs)} positions; where the first two orders differ:", *changed)

# %% [markdown]
# The distance of two answers is the total variation of the probabilities of the next move's square,
# from 0 to 1. The control is the position of another game, of as many moves. A model that has
# forgotten the game has no distance in either; so both are shown side by side.


# %%
def squares_of(name, sequences):
    answers = np.exp(predict_next(models[name], tokens.read_moves(sequences, "uci")))
    squares = answers[:, tokens.SQUARES : tokens.PIECES]
    return squares / squares.sum(axis=1, keepdims=True)


def variation(first, second):
    return np.abs(first - second).sum(axis=1) / 2


# %% [markdown]
# Vafa and others {cite}`vafa2024evaluating` ask the same of sequences of tokens. A model *accepts* a
# continuation if it gives each token of it more than 1 %. *Compression*: does it accept, after the
# other order, all continuations that are drawn from it after the first? *Distinction* is about what is
# accepted after one position and not after another. Precision is the share of the model's differences
# that is true by the rules, recall the share of the true ones that it has. Continuations are drawn:
# {glue:text}`n_suffixes` of {glue:text}`suffix_tokens` tokens, for {glue:text}`n_tested` positions.

# %% tags=["hide-input"] mystnb={"code_prompt_show": "Continuations that a model accepts, and those that the rules accept"}
ACCEPTED = 0.01  # least probability of a token
suffix_tokens = 6


def tokens_of(move):
    """Return the tokens of a move, in plain UCI."""
    became = [tokens.PROMOTIONS + chess.QUEEN - move.promotion] if move.promotion else []
    return [tokens.SQUARES + move.from_square, tokens.SQUARES + move.to_square, *became]


def draw_evenly(random, boards):
    return [
        list(board.legal_moves)[random.integers(board.legal_moves.count())] for board in boards
    ]


@torch.no_grad()
def is_accepted(name, prefix, suffixes):
    """Whether a model accepts each token of suffixes (n, length) after a prefix; the same shape."""
    ids = np.hstack([np.tile(prefix, (len(suffixes), 1)), suffixes]).astype(np.int64)
    given = models[name](torch.from_numpy(ids[:, :-1]))[:, len(prefix) - 1 :].softmax(dim=2)
    return np.take_along_axis(given.numpy(), suffixes[..., None], axis=2)[..., 0] > ACCEPTED


@torch.no_grad()
def draw_suffixes(name, prefix, random):
    """Continuations that a model accepts, drawn from it: (n_suffixes, suffix_tokens)."""
    ids = torch.from_numpy(np.tile(prefix, (sizes.suffixes, 1)).astype(np.int64))
    for _ in range(suffix_tokens):
        chances = models[name](ids)[:, -1].softmax(dim=1)
        chances[(chances <= ACCEPTED) | (torch.arange(chances.shape[1]) == tokens.EOS)] = 0
        up_to = chances.double().cumsum(dim=1)
        drawn = torch.from_numpy(random.random((len(ids), 1))) * up_to[:, -1:]
        ids = torch.hstack([ids, torch.searchsorted(up_to, drawn, right=True)])
    return ids[:, len(prefix) :].numpy()


def draw_legal(board, random):
    """Continuations by random legal moves, the same number; a game that ends first is left out."""
    rows = []
    for _ in range(sizes.suffixes):
        row = []
        going = board.copy(stack=False)
        while len(row) < suffix_tokens and any(going.legal_moves):
            (move,) = draw_evenly(random, [going])
            row += tokens_of(move)
            going.push(move)
        if len(row) >= suffix_tokens:
            rows.append(row[:suffix_tokens])
    return np.array(rows, dtype=np.int64).reshape(-1, suffix_tokens)


def legal_tokens(board, suffix):
    """How many tokens of a suffix the rules accept, from a board."""
    going = board.copy(stack=False)
    begun = []
    for place, token in enumerate(suffix):
        begun.append(token)
        written = {move: tokens_of(move) for move in going.legal_moves}
        fitting = [move for move, ids in written.items() if ids[: len(begun)] == begun]
        if not fitting:
            return place
        if written[fitting[0]] == begun:
            going.push(fitting[0])
            begun = []
    return len(suffix)


def boundary(suffixes, accepted):
    """Suffixes cut behind their first token that is not accepted, each once; the others fall out."""
    cut = zip(suffixes.tolist(), accepted, strict=True)
    return sorted({tuple(row[: length + 1]) for row, length in cut if length < len(row)})


# %% tags=["hide-input"] mystnb={"code_prompt_show": "Compression, precision and recall"}
random = np.random.default_rng(seed)
tested_pairs = random.permutation(len(pairs))[: sizes.compared]
boards_of = [after(moves) for _, moves, _ in pairs]
true_boundary = {}
for row in tested_pairs:
    suffixes = draw_legal(boards_of[row], random)
    there = boards_of[other[row]]
    true_boundary[row] = boundary(suffixes, [legal_tokens(there, each) for each in suffixes])


def accepts(name, prefix, suffixes):
    """Whether a model accepts whole suffixes, of different lengths."""
    padded = np.array([[*suffix, *(suffix_tokens - len(suffix)) * [0]] for suffix in suffixes])
    behind = np.arange(suffix_tokens) >= np.array([[len(suffix)] for suffix in suffixes])
    return (is_accepted(name, prefix, padded) | behind).all(axis=1)


def compare_suffixes(name):
    """Compression, precision and recall (0 to 1, none without a true boundary) of each tested pair."""
    random = np.random.default_rng(seed)
    rows = []
    for row in tested_pairs:
        sequences = [*pairs[row][1:], pairs[other[row]][1]]
        first, again, second = tokens.read_moves(sequences, "uci")
        drawn = draw_suffixes(name, first, random)
        compressed = is_accepted(name, again, drawn).all()
        accepted = is_accepted(name, second, drawn).cumprod(axis=1).sum(axis=1)
        true = [
            legal_tokens(boards_of[row], suffix) == len(suffix)
            and legal_tokens(boards_of[other[row]], suffix) < len(suffix)
            for suffix in boundary(drawn, accepted)
        ]
        recall = np.nan
        if by_rules := true_boundary[row]:
            recall = (accepts(name, first, by_rules) & ~accepts(name, second, by_rules)).mean()
        rows.append([float(compressed), np.mean(true or [1.0]), recall])
    return pd.DataFrame(rows, columns=["compression", "precision", "recall"])


# %% tags=["hide-input"] mystnb={"code_prompt_show": "Ask in both orders"}
transposed = {}
per_pair = {}
for name in models:
    first, second = (squares_of(name, [pair[order] for pair in pairs]) for order in (1, 2))
    per_pair[name] = compare_suffixes(name)
    transposed[name] = {
        "same position": mean_interval(variation(first, second), seed=seed),
        "other position": mean_interval(variation(first, first[other]), seed=seed),
        "compression": share_of(per_pair[name]["compression"]).in_percent(),
        "precision": mean_interval(100 * per_pair[name]["precision"], seed=seed),
        "recall": mean_interval(100 * per_pair[name]["recall"].dropna(), seed=seed),
    }
transposed = pd.DataFrame(transposed)
shown = pd.concat([transposed[:2].map("{:.2f}".format), transposed[2:].map("{:.0f}".format)])
report.table(
    shown.T.rename(CALLED),
    caption="Total variation of the next move's square from that of the same and of "
    "another position; of "
    f"continuations of {suffix_tokens} tokens compression, and precision and recall of "
    "distinction, %",
)

# %% tags=["hide-input"] mystnb={"code_prompt_show": "What random games change here"}
by_random = {
    measure: paired_difference(
        *(per_pair[f"36000-{who}_uci-1"][measure].dropna() for who in ("random", "people")),
        seed=seed,
    ).in_percent()
    for measure in ("compression", "recall")
}
report.paste(n_suffixes=sizes.suffixes, suffix_tokens=suffix_tokens, n_tested=len(tested_pairs))
accepts_more = by_random["recall"].low > 0
of_random = {key: share.value for key, share in transposed[untrained].items()}
Markdown(
    "The model that read random games, less the one that read as many of people's: "
    "compression "
    f"{by_random['compression']:+.0f} points, recall of distinction "
    f"{by_random['recall']:+.0f}"
    + (": it accepts more of what the rules allow." if accepts_more else ".")
    + " Recall tells how the games were played as well: in random games every legal move "
    "has its share, where a model of people's games learns that most are never played. "
    "Legal first "
    "answers, in chapter 13, are the fairer evidence. Nor does either measure say "
    "anything alone: weights "
    "drawn at random, which give nearly every token more than 1 %, have a compression of "
    f"{of_random['compression']:.0f} % and a recall of {of_random['recall']:.0f} %."
)

# %% [markdown]
# ## Attacks
#
# An average over games from one source says how often a model errs there; it does not say that it
# knows the rules. Balogh and Jelasity {cite}`balogh2026verification` let an opponent play legal
# moves with the one aim that the model answers illegally, and found no model that withstands. Here
# after {glue:text}`warm_up` plies of a game the opponent plays, the model answers with its likeliest
# tokens, and so on, up to 60 answers.


# %%
def moves_of(board):
    return [move.uci() for move in board.move_stack]


def play_by_chance(opening):
    """Play random moves against the model: the last position, and its illegal answer, if any."""
    random = np.random.default_rng(seed)
    board = after(opening)
    for number in range(2 * world_model.ANSWERS):
        if board.is_game_over():
            break
        if number % 2 == 0:
            board.push(*draw_evenly(random, [board]))
            continue
        (answer,) = continue_games(model, "uci", [moves_of(board)])
        if answer not in map(chess.Move.uci, board.legal_moves):
            return board, answer
        board.push_uci(answer)
    return board, ""


warm_up = 10  # plies of a game before an attack begins
openings = [games.ucis(game)[:warm_up] for game in probe_games[-sizes.attacked :]]
for opening in openings:  # the first game that is lost, if one is
    board, answer = play_by_chance(opening)
    if answer:
        break
print(f"after {board.ply()} plies the answer to {board.peek().uci()} is {answer or 'legal'}")

# %% tags=["hide-input"] mystnb={"code_prompt_show": "Draw the game's end, and the board that the layer reads"}
place = pd.DataFrame({"game": [0], "ply": [board.ply()]})
last_states = world_model.hidden_states(model, "uci", tokens.tokenise([moves_of(board)]), place)
codes = probes["White, Black", example, layer](last_states[layer]).view(64, 13).argmax(dim=1)
wrong = np.flatnonzero(codes.numpy() != read_boards([board.fen()]).squares[0])
board_read = chess.Board(None)
board_read.turn = board.turn
for at in np.flatnonzero(codes.numpy()):
    board_read.set_piece_at(int(at), chess.Piece.from_symbol(PIECES[codes[at] - 1]))
ends = [answer[:2], answer[2:4]]
arrows = []
if set(ends) <= set(chess.SQUARE_NAMES):
    arrows = [chess.svg.Arrow(*map(chess.parse_square, ends), color="#D55E00c0")]
drawing = chess.svg.board(board, size=270, arrows=arrows, lastmove=board.peek())
marked = dict.fromkeys(wrong.tolist(), "#D55E0080")
reading = chess.svg.board(board_read, size=270, fill=marked)
lost_boards = report.boards(*(report.Html(each, board.fen()) for each in (drawing, reading)))
glue("lost_boards", lost_boards, display=False)
report.paste(
    lost_says=f"{example} answers {answer or 'legally to the end'} after "
    f"{(board.ply() - warm_up + 1) // 2} answers; {len(wrong)} of 64 squares are read "
    "wrongly.",
)

# %% [markdown]
# The source's five opponents: *random* moves; the model's *own moves*, as far as they are legal (their
# SMM); *detours* (AD), of the tokens that begin a legal move always the one that the model finds least
# likely; a *board misread* (BSO), the position that the probe above reads worst: if the model went by
# that board, it should be the end of it; and *one move ahead* (IMO), a move that the model answers
# illegally, if there is one. A model that says the game is over while it is not has answered illegally.


# %% tags=["hide-input"] mystnb={"code_prompt_show": "The other four opponents"}
def play_by_tokens(choose, name, boards):
    """Play, of what begins a legal move, the token that is chosen by probability, and so on."""
    read = tokens.read_moves(map(moves_of, boards), "uci")
    legal = [{move: tokens_of(move) for move in board.legal_moves} for board in boards]
    for place in range(3):
        for row, given in enumerate(predict_next(models[name], read)):
            words = {ids[place] for ids in legal[row].values() if len(ids) > place}
            if words:
                word = choose(words, key=lambda token: given[token])
                legal[row] = {m: ids for m, ids in legal[row].items() if ids[place] == word}
                read[row] = np.append(read[row], np.uint8(word))
    return [next(iter(moves)) for moves in legal]


def play_worst(harm_of, random, boards):
    """Play the move that does most harm by a measure of the boards after it; equals are drawn.

    A move that ends the game is played only if all do.
    """
    choices = []
    for place, board in enumerate(boards):
        moves = list(board.legal_moves)
        for number in random.permutation(len(moves)):
            after_it = board.copy()
            after_it.push(moves[number])
            choices.append((place, moves[number], after_it))
    harm = harm_of([after_it for *_, after_it in choices])
    worst = {}
    for (place, move, after_it), value in zip(choices, harm, strict=True):
        worth = -1.0 if after_it.is_game_over() else value
        if place not in worst or worth > worst[place][0]:
            worst[place] = worth, move
    return [move for _, move in worst.values()]


def answered_illegally(name, boards):
    answers = continue_games(models[name], "uci", [moves_of(board) for board in boards])
    asked = zip(boards, answers, strict=True)
    return [float(uci not in map(chess.Move.uci, board.legal_moves)) for board, uci in asked]


def misread(name, boards):
    """Mean cross-entropy of the probe over the 64 squares of each board."""
    played = tokens.tokenise([moves_of(board) for board in boards])
    ends = pd.DataFrame({"game": np.arange(len(boards)), "ply": played.plies})
    reached = world_model.hidden_states(models[name], "uci", played, ends)[layer]
    logits = probes[mine, name, layer](reached).view(-1, 13)
    codes = own_codes(read_boards([board.fen() for board in boards])).astype(np.int64).flatten()
    losses = functional.cross_entropy(logits, torch.from_numpy(codes), reduction="none")
    return losses.view(-1, 64).mean(dim=1).tolist()


# %% tags=["hide-input"] mystnb={"code_prompt_show": "All attacks, and how the games end"}
attacks = {}
for name in models:
    random = np.random.default_rng(seed)
    opponents = {
        "random": partial(draw_evenly, random),
        "own": partial(play_by_tokens, max, name),
        "detours": partial(play_by_tokens, min, name),
        "board": partial(play_worst, partial(misread, name), random),
        "lookahead": partial(play_worst, partial(answered_illegally, name), random),
    }
    for kind, opponent in opponents.items():
        if name != untrained or kind == "random":
            count = sizes.looked_ahead if kind in ("board", "lookahead") else sizes.attacked
            attacks[kind, name] = world_model.attack(
                models[name], "uci", openings[:count], opponent
            )
titles = {
    "random": "random moves",
    "own": "its own moves",
    "detours": "detours",
    "board": "board misread",
    "lookahead": "one move ahead",
}
lost = {key: share_of(table["illegal"] != "").in_percent() for key, table in attacks.items()}
report.table(
    pd.Series(lost)
    .unstack(0)
    .loc[list(models), list(titles)]
    .rename(CALLED)
    .rename(columns=titles)
    .fillna("-"),
    digits=0,
    caption="Games that end with an illegal answer, %",
)

# %% mystnb={"figure": {"caption": "How long a model stays legal under attack: the share of games without an illegal answer, by the number of its answers (Kaplan and Meier).", "name": "fig-16-survival"}, "image": {"alt": "Five panels of falling step curves, one for each kind of opponent."}}
figure, panels = plt.subplots(1, len(titles), figsize=(11, 2.6), sharey=True)
for axes, (kind, title) in zip(panels, titles.items(), strict=True):
    for name in trained:
        table = attacks[kind, name]
        curve = SurvfuncRight(table["answers"].clip(lower=1), table["illegal"] != "")
        answers, still_legal = [0, *curve.surv_times], [1, *curve.surv_prob]
        axes.step(answers, still_legal, where="post", label=CALLED.get(name, name))
    axes.set(title=title, xlabel="answers", ylim=(0, 1.02))
panels[0].set_ylabel("games still legal")
panels[-1].legend(loc="upper left", bbox_to_anchor=(1, 1))
plt.show()

# %% [markdown]
# The curves are Kaplan and Meier's: a game that ends by the rules, or after 60 answers, is counted
# as long as it lasted. {glue:text}`board_says`
#
# ## Concepts of a model that never saw a board
#
# What does a model that has read nothing but moves know of king safety? Labels are Stockfish 8's
# 21 terms, the classes the lowest and the highest 5 % of the positions, the method chapter 02's. All
# positions have White to move; one such board in {glue:text}`every` is asked.

# %%
asked_rows = np.flatnonzero(boards.white_to_move)[:: sizes.every]
table = oracle.evaluate_terms(list(positions["fen"].iloc[asked_rows]), oracle.stockfish8())
known = table.status == oracle.Status.OK
usual = asked_rows[known]
labelled = Labelled(
    oracle.TERMS,
    table.middlegame[known],
    positions["game"].to_numpy(np.int32)[usual],
    part[usual],
)
tails = cut_tails(labelled.values[:, oracle.TERMS.index(concept)], seed=seed)
x = states[example][layer][usual][tails.rows].numpy()
y = tails.positive
machine = make_pipeline(StandardScaler(), LinearSVC(C=1e-2, random_state=seed, max_iter=5_000))
fitted_on = labelled.splits[tails.rows] == "train"
unseen = labelled.splits[tails.rows] == "test"
machine.fit(x[fitted_on], y[fitted_on])
print(f"{concept}: {machine.score(x[unseen], y[unseen]):.2f} of {unseen.sum()}", end=" ")
print(f"held-out positions; {len(usual):,} positions in all")

# %% tags=["hide-cell"] mystnb={"code_prompt_show": "All concepts on each layer, and beside them NNUE and the bare board"}
fens = list(positions["fen"].iloc[usual])
features = {(example, depth): rows[usual].numpy() for depth, rows in enumerate(states[example])}
features |= {(name, layer): states[name][layer][usual].numpy() for name in models}
features |= {
    ("NNUE", ""): joined_activations(load_expert("nnue"), fens, "pairwise+clipped"),
    ("bare board", ""): joined_activations(load_expert("onehot"), fens, "board"),
}
insides = {
    key: held_out(fit_concepts(rows, labelled, cs=(1e-3, 1e-2), seed=seed), rows, labelled)
    for key, rows in features.items()
}
means = pd.Series({key: accuracy(rows, seed=seed) for key, rows in insides.items()})
report.table(
    means.rename_axis(["", "layer"]).rename(CALLED).to_frame("mean accuracy"),
    caption="21 concepts between their tails, held-out games; half is a guess",
)

# %% [markdown]
# {glue:text}`inside`
#
# ## Recap
#
# - {glue:text}`held`
# - Coded as own and opponent's pieces in place of White's and Black's, a linear layer reads
#   {glue:text}`square_own` % of the squares of {glue:text}`example` in place of {glue:text}`square_white` %.
# - {glue:text}`edited_short`
# - {glue:text}`transposed`
# - {glue:text}`attacked`
# - What a probe reads is what is there, not what is used; the models are small, each is one
#   training, and attacks are of {glue:text}`n_attacked` games ({glue:text}`n_lookahead` for the
#   two that try every move).

# %% tags=["hide-input"] mystnb={"code_prompt_show": "What the numbers allow to say: the board, edits and orders"}
margins = {
    name: paired_difference(
        right[mine, name, layer].mean(axis=1),
        right[mine, untrained, layer].mean(axis=1),
        held_games,
        seed=seed,
    ).in_percent()
    for name in trained
}
more_than_another = {
    kind: less(erased, kind, "another", tested) for kind in ("erased", "around the output")
}
gain = less(gained, "around the output", "before", candidates)
gain_more = less(gained, "around the output", "another", candidates)


def clearly(differences):
    """The models in which a difference is above zero, as a sentence has them."""
    return report.listed(
        [
            f"{CALLED.get(name, name)} {apart.value:.0f}"
            for name, apart in differences.items()
            if apart.low > 0
        ],
        "none",
    )


asked = questions.read_probes().query("task == 'end_actual' and band == 'long'")
of_occupied = {name: last.loc[(name, mine), "occupied squares"] for name in models}
used = min(gain[example].low, gain_more[example].low) > 0
report.paste(
    held_short=Markdown(
        f"**{of_occupied[example].value:.1f} %** of the occupied squares is what a "
        "linear layer reads off "
        "the last hidden state of a model that has read nothing but moves; where the "
        "weights are random it "
        f"is {of_occupied[untrained].value:.1f} %."
    ),
    held="More of the squares is read than in the same architecture with random "
    "weights, by so many "
    f"points: {clearly(margins)}.",
    square_own=f"{last.loc[(example, mine), 'squares'].value:.1f}",
    square_white=f"{last.loc[(example, 'White, Black'), 'squares'].value:.1f}",
    example=example,
    perplexity=f"{runs.read_runs().loc[example, 'test']:.1f}",
    legal=f"{100 * results.score_run(example, asked)['lgm'].mean():.1f}",
    epochs=sizes.epochs,
    warm_up=warm_up,
    every=sizes.every,
    edited="Erasing a piece lowers the probability of moving it by more than erasing "
    "another does, "
    f"in points: {clearly(more_than_another['erased'])}; around the output: "
    f"{clearly(more_than_another['around the output'])}. By this step the squares that "
    "become legal "
    f"gain probability, in points: {clearly(gain)}.",
    edited_short=f"When a piece is erased in such a state, {example} moves it less "
    "often, by "
    f"{mean_falls[example]['erased'].value:.0f} %; around the output, by "
    f"{mean_falls[example]['around the output'].value:.0f} %. Then the squares that "
    "become legal gain "
    f"{gain[example]:.1f} points of probability, in {len(candidates)} positions"
    + (": some of what is read is used." if used else "."),
    transposed=f"Two orders of the same moves lead {example} to answers that are "
    f"{transposed[example]['same position'].value:.2f} apart, two positions to answers "
    "that are "
    f"{transposed[example]['other position'].value:.2f} apart.",
)

# %% tags=["hide-input"] mystnb={"code_prompt_show": "What they allow to say: attacks and concepts"}
sooner = paired_difference(
    attacks["board", example]["answers"],
    attacks["random", example]["answers"][: sizes.looked_ahead],
    seed=seed,
)
withstood = min(share.value for share in lost.values()) == 0
top = insides[example, layer]
more = accuracy(top, minus=insides[untrained, layer], seed=seed)
less_than_board = accuracy(insides["bare board", ""], minus=top, seed=seed).low > 0
report.paste(
    board_says=f"The answers that {example} lasts against misread boards, less those "
    "against random "
    f"moves: {sooner:+.1f}."
    + (
        " Boards that the probe cannot read are not seen to bring it down sooner: what "
        "the source "
        "finds for most of its models, too."
        if sooner.high >= 0
        else ""
    ),
    attacked=(
        "" if withstood else "Each model is brought to an illegal answer by each opponent. "
    )
    + f"{example} fails in {lost['random', example].value:.0f} % of the games against random "
    f"moves, in {lost['own', example].value:.0f} % against its own.",
    lost_lookahead=f"{lost['lookahead', example].value:.0f}",
    n_attacked=sizes.attacked,
    n_lookahead=sizes.looked_ahead,
    inside=f"The 21 concepts are told apart in {means[example, layer].value:.2f} of the "
    "cases on the "
    f"last layer of {example}, {more:+.2f} beside random weights; on NNUE in "
    f"{means['NNUE', ''].value:.2f}, on the bare board in "
    f"{means['bare board', ''].value:.2f}"
    + (
        ": a model of moves holds less of them than the bare board does."
        if less_than_board
        else "."
    ),
)

# %% tags=["hide-input"] mystnb={"code_prompt_show": "Results kept in book/results"}
KEYS = {name: name.removesuffix("-1").replace("-", "_") for name in models}
kept = reads.drop("commonest", level=1).rename(KEYS, level=1)
by_layer = kept.loc[mine].swaplevel()
DISTINCTION = {"precision": "distinction_precision", "recall": "distinction_recall"}
DISTANCES = {"same position": "distance", "other position": "distance_of_others"}
report.save(
    "16_world_model",
    report.rows(by_layer["squares"], "board_probe.square", unit="%"),
    report.rows(by_layer["occupied squares"], "board_probe.occupied", unit="%"),
    report.rows(by_layer["whole boards"], "board_probe.board", unit="%"),
    report.rows(
        last.loc["commonest"].iloc[0].set_axis(["square", "occupied", "board"]),
        "board_probe.commonest",
        unit="%",
    ),
    report.rows(
        kept.loc["White, Black"].droplevel(1)["squares"],
        "board_probe.square_by_colour",
        unit="%",
    ),
    report.rows(
        pd.Series(margins).rename(KEYS), "board_probe.less_random_weights", unit="points"
    ),
    report.rows(
        mean_falls.loc["erased"].rename(KEYS), "edit.follows", unit="% of the probability"
    ),
    report.rows(
        mean_falls.drop("erased").rename(columns=KEYS),
        "edit.control",
        unit="% of the probability",
    ),
    report.rows(mean_gains.rename(columns=KEYS).T, "edit.newly_legal", unit="% probability"),
    report.rows(
        pd.Series(gain_more).rename(KEYS), "edit.newly_legal.less_another", unit="points"
    ),
    report.rows(pd.Series(gain).rename(KEYS), "edit.newly_legal.less_before", unit="points"),
    report.rows(
        transposed[:2].rename(DISTANCES).rename(columns=KEYS),
        "transposition",
        unit="total variation",
    ),
    report.rows(
        transposed[2:].rename(DISTINCTION).rename(columns=KEYS), "transposition", unit="%"
    ),
    report.rows(by_random, "transposition.random_less_people", unit="points"),
    report.rows(pd.Series(lost).rename(KEYS, level=1), "attack.success", unit="%"),
    report.rows(means[example].rename(str), "concepts_inside.mean", unit="accuracy"),
    report.rows(
        means.drop(example).xs(layer, level=1).rename(KEYS),
        "concepts_inside.last_layer",
        unit="accuracy",
    ),
    report.rows(
        {"nnue": means["NNUE", ""], "board": means["bare board", ""]},
        "concepts_inside.beside",
        unit="accuracy",
    ),
)

# %% tags=["hide-input"] mystnb={"code_prompt_show": "Evidence"}
report.evidence(
    len(positions),
    "positions",
    seed,
    clusters=sizes.games,
    interval="95 % bootstrap over games",
    versions={"models": ", ".join(trained), "labels": "Stockfish 8"},
)

# %% [markdown]
# ## Exercises
#
# All three read squares by a linear reader of your own choice, fitted on the same 4,000 rows.


# %% tags=["hide-input"] mystnb={"code_prompt_show": "A reader of one square"}
def read_square(name, states_of, learner, labels=None):
    """Return how often a reader is right about a square on held-out rows, and the commonest content.

    ``labels`` may change the labels of the rows that it is fitted on.
    """
    codes_here = boards.squares[:, chess.parse_square(name)]
    few_rows = np.flatnonzero(train)[:4_000]
    tests = np.flatnonzero(held)
    learned_from = codes_here[few_rows] if labels is None else labels(codes_here[few_rows])
    learner.fit(states_of[few_rows], learned_from)
    most = np.bincount(codes_here[few_rows]).argmax()
    return {
        "read rightly": float((learner.predict(states_of[tests]) == codes_here[tests]).mean()),
        "the commonest": float((codes_here[tests] == most).mean()),
    }


at_layer = states[example][layer].numpy()

# %% [markdown]
# **1. Another square.** The section on one square reads `square`. How well does a ridge classifier
# (standardised, `alpha=100`) read a1, d5 and h7 on the same layer, beside the commonest content of
# each?

# %% tags=["solution", "hide-cell"]
# Three squares, read from the same states.
from sklearn.linear_model import RidgeClassifier

ridge = make_pipeline(StandardScaler(), RidgeClassifier(alpha=100))
three_squares = {name: read_square(name, at_layer, ridge) for name in ("a1", "d5", "h7")}
report.table(pd.DataFrame(three_squares).T)

# %% tags=["check", "remove-cell"]
report.check(
    "`read_square` of the three squares from `at_layer`: six numbers. Scale the states "
    "first, and let the classifier's alpha be 100.",
    three_squares=three_squares,
)

# %% [markdown]
# **2. Layer by layer.** Read a1 from the states before the first block and after each. Where
# does the square become readable?

# %% tags=["solution", "hide-cell"]
# One square, at every depth.
from sklearn.linear_model import RidgeClassifier

by_depth = {
    f"after block {depth}" if depth else "before the blocks": read_square(
        "a1",
        states[example][depth].numpy(),
        make_pipeline(StandardScaler(), RidgeClassifier(alpha=100)),
    )
    for depth in range(len(states[example]))
}
report.table(pd.DataFrame(by_depth).T)

# %% tags=["check", "remove-cell"]
report.check(
    "`states[example]` holds the states before the first block and after each; one row "
    "for each, and the commonest content is the same in all.",
    by_depth=(
        by_depth,
        lambda found: (
            len(found) == len(states[example])
            and len({each["the commonest"] for each in found.values()}) == 1
        ),
    ),
)

# %% [markdown]
# **3. Break the labels.** Permute the labels of a1 among the training rows. What should the
# reading fall to, and does it?

# %% tags=["solution", "hide-cell"]
# Labels that mean nothing.
from sklearn.linear_model import RidgeClassifier

reader_of_lots = make_pipeline(StandardScaler(), RidgeClassifier(alpha=100))
shuffle = np.random.default_rng(seed).permutation
with_lots = {
    "true labels": read_square("a1", at_layer, reader_of_lots),
    "permuted labels": read_square("a1", at_layer, reader_of_lots, shuffle),
}
report.table(pd.DataFrame(with_lots).T)

# %% tags=["check", "remove-cell"]
report.check(
    "Permute the labels that are fitted on (`labels`), not those that are scored: a "
    "reader of permuted labels is right no more often than one of true ones.",
    with_lots=(
        with_lots,
        lambda found: (
            found["permuted labels"]["read rightly"] <= found["true labels"]["read rightly"]
        ),
    ),
)
