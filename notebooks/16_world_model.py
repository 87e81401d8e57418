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

# %% tags=["hide-input"] mystnb={"code_prompt_show": "Imports, positions, and a game that is lost"}
from functools import partial

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
from chessgloss.concepts.scores import accuracy, held_out, table_of
from chessgloss.experts import joined_activations, load_expert
from chessgloss.experts.boards import PIECES, read_boards
from chessgloss.stats import mean_interval, paired_difference, share_of
from chessgloss.tracking import games as tokens, probes as questions, results, runs, world_model
from chessgloss.tracking.models import continue_games, make_model, predict_next

sizes = load_sizes("16_world_model", profile)
report.use_house_style()


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


corpus = tokens.read_corpus()
games = corpus.games
probe_games = corpus.of("probe")
read_games = probe_games[: sizes.games]
positions = sample_positions(read_games, sizes.per_game, np.random.default_rng(seed))
parts = np.repeat(
    ["train", "validation", "test"],
    np.diff([0, sizes.games * 3 // 5, sizes.games * 4 // 5, sizes.games]),
)
part = parts[np.searchsorted(read_games, positions["game"])]
boards = read_boards(list(positions["fen"]))
train = part == "train"
held = part == "test"
model, training = runs.read_model(example)
models = {example: model}
readings = {example: training.reading}
states = {example: world_model.hidden_states(model, training.reading, games, positions)}
example_probe = world_model.fit_board_probe(
    states[example][layer][train], boards.squares[train], seed=seed, epochs=sizes.epochs
)
warm_up = 10  # plies of a game before an attack begins
openings = [games.ucis(game)[:warm_up] for game in probe_games[-sizes.attacked :]]


def draw_evenly(random, boards):
    return [
        list(board.legal_moves)[random.integers(board.legal_moves.count())] for board in boards
    ]


def after(moves):
    board = chess.Board()
    for uci in moves:
        board.push_uci(uci)
    return board


def board_of(codes, turn):
    """Return a board with the pieces that codes of 64 squares name."""
    board = chess.Board(None)
    board.turn = turn
    for place in np.flatnonzero(codes):
        board.set_piece_at(int(place), chess.Piece.from_symbol(PIECES[codes[place] - 1]))
    return board


for opening in openings:  # the first game that is lost, if one is
    draws = partial(draw_evenly, np.random.default_rng(seed))
    lost_game = world_model.attack(model, training.reading, [opening], draws).iloc[0]
    if lost_game["illegal"]:
        break
board = after(lost_game["moves"].split())
game = tokens.tokenise([lost_game["moves"].split()])
place = pd.DataFrame({"game": [0], "ply": [len(board.move_stack)]})
last_states = world_model.hidden_states(model, training.reading, game, place)

# %% tags=["hide-input"] mystnb={"code_prompt_show": "Draw the game's end"}
codes = example_probe(last_states[layer]).view(64, 13).argmax(dim=1).numpy()
wrong = np.flatnonzero(codes != read_boards([board.fen()]).squares[0])
answer = lost_game["illegal"]
ends = [
    chess.SQUARE_NAMES.index(name)
    for name in (answer[:2], answer[2:4])
    if name in chess.SQUARE_NAMES
]
arrows = [chess.svg.Arrow(*ends, color="#D55E00c0")] if len(ends) == 2 else []
drawings = (
    chess.svg.board(board, size=270, arrows=arrows, lastmove=board.peek()),
    chess.svg.board(
        board_of(codes, board.turn), size=270, fill=dict.fromkeys(map(int, wrong), "#D55E0080")
    ),
)
report.paste(
    lost_says=f"{example} answers {answer or 'legally to the end'} after {lost_game['answers']} answers; "
    f"{len(wrong)} of 64 squares are read wrongly.",
)
lost_boards = report.boards(*(report.Html(drawing, board.fen()) for drawing in drawings))
glue("lost_boards", lost_boards, display=False)

# %% [markdown]
# The model, {glue:text}`example`, is one of the strong ones of chapters 12 to 14: its perplexity is
# {glue:text}`perplexity`, and it names a legal square in {glue:text}`legal` % of the questions. Those
# chapters asked by prompt. But a model can answer legally and keep no board; it can keep one and not use
# it; and an average says nothing of the game in which it fails. So this chapter looks inside.
#
# ## A hidden state, and what stands on one square
#
# The model reads a game; after each block every token has a vector. We take the vector of each move's
# last token: all that the model hands on to its next layer when the move is over. What stands on one
# square is one of 13: nothing, or one of twelve pieces. A multinomial logistic regression on the vectors
# says which. Whole games are held out. Another `example`, `layer`, `square` or `concept` can be set above.

# %% tags=["hide-cell"] mystnb={"code_prompt_show": "Take the vectors of one game"}
row = positions.iloc[0]
moves = games.ucis(row["game"])[: row["ply"]]
words = ["BOS", *(part for uci in moves for part in (uci[:2], uci[2:4], uci[4:]) if part)]
ids = torch.tensor([[tokens.VOCABULARY.index(word) for word in words]])
kept = []
hooks = [
    block.register_forward_hook(lambda block, read, written: kept.append(written))
    for block in model.body.blocks
]
with torch.no_grad():
    model(ids)
for hook in hooks:
    hook.remove()
vectors = torch.stack(kept)
print("(n_layers, n_tokens, width) =", tuple(vectors.shape))

# %% tags=["hide-cell"] mystnb={"code_prompt_show": "The same for all positions"}
assert torch.allclose(vectors[:, -1], states[example][1:, 0], atol=1e-3)
print("(n_layers + 1, n_positions, width) =", tuple(states[example].shape))
print(
    positions["game"].nunique(),
    "games;",
    ", ".join(
        f"{np.sum(part == name):,} positions to {use}"
        for name, use in (("train", "fit on"), ("validation", "choose on"), ("test", "test on"))
    ),
)

# %%
at = chess.parse_square(square)
x = states[example][layer].numpy()
y = boards.squares[:, at]
regression = make_pipeline(StandardScaler(), LogisticRegression(C=0.05, max_iter=300)).fit(
    x[train], y[train]
)
commonest = np.bincount(y[train]).argmax()
layer_reads = example_probe(states[example][layer]).view(-1, 64, 13).argmax(dim=2).numpy()
answers = {
    "logistic regression": regression.predict(x[held]),
    "the commonest": commonest,
    "the library's layer": layer_reads[held, at],
}
print(
    f"{square}, held-out games:",
    ", ".join(f"{name} {np.mean(codes == y[held]):.3f}" for name, codes in answers.items()),
)

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
# and pictures call a model by the games that it has read, the example *self-play (L)*: it read 50,000,
# and *self-play* below, like the other two, 36,000.

# %% tags=["hide-input"] mystnb={"code_prompt_show": "Models and controls"}
for name in listed(wanted):
    if name != example and runs.kept_path("checkpoints", name).is_file():
        models[name], training = runs.read_model(name)
        readings[name] = training.reading
trained = list(models)
control_of = {}  # the same architecture before any training
for name in trained:
    shape = models[name].settings
    alike = [other for other in control_of if models[other].settings == shape]
    control_of[name] = control_of[alike[0]] if alike else f"random weights like {name}"
    if not alike:
        models[control_of[name]] = make_model(shape, seed=seed).eval()
        readings[control_of[name]] = "uci"
controls = list(dict.fromkeys(control_of.values()))
random_weights = control_of[example]
spoken = [name for name in trained if readings[name] == "uci"]  # squares come first


CALLED = {
    "L-uci-1": "self-play (L)",
    "36000-people_uci-1": "people's games",
    "36000-random_uci-1": "random games",
    random_weights: "random weights",
}


def label(name):
    """Return what a model is called in tables: by the games that it read."""
    return CALLED.get(name, name)


def models_of(names):
    return f"the model{'s' * (len(names) > 1)} of {results.enumerate_names(map(label, names))}"


def key_of(name):
    if name == random_weights:
        return "random_weights"
    return name.removesuffix("-1").replace("-", "_").replace(" ", "_")


def own_codes(boards):
    """Return the codes of squares (n, 64) with the mover's pieces first: 1 to 6, then 7 to 12."""
    exchanged = (boards.squares + 5) % 12 + 1
    same = (boards.squares == 0) | boards.white_to_move[:, None]
    return np.where(same, boards.squares, exchanged)


own = own_codes(boards)
states |= {
    name: world_model.hidden_states(models[name], readings[name], games, positions)
    for name in models
    if name != example
}

# %%
codings = {"White, Black": boards.squares, "own, opponent's": own}
right = {}
probes = {}
for name in models:
    for depth in range(len(states[name])):
        for coding, codes in codings.items():
            if coding == "White, Black" and depth != len(states[name]) - 1:
                continue
            probe = world_model.fit_board_probe(
                states[name][depth][train], codes[train], seed=seed, epochs=sizes.epochs
            )
            reads = probe(states[name][depth][held]).view(-1, 64, 13).argmax(dim=2).numpy()
            right[coding, name, depth] = reads == codes[held]
            probes[coding, name, depth] = probe
right["White, Black", "commonest", 0] = boards.squares[held] == np.array(
    [np.bincount(column).argmax() for column in boards.squares[train].T]
)

# %% tags=["hide-input"] mystnb={"code_prompt_show": "How much is read, of squares, occupied squares and boards"}
held_games = positions["game"].to_numpy()[held]
squares_right = {
    key: mean_interval(hits.mean(axis=1), held_games, seed=seed).in_percent()
    for key, hits in right.items()
}
boards_right = {
    key: mean_interval(hits.all(axis=1), held_games, seed=seed).in_percent()
    for key, hits in right.items()
}
has_piece = boards.squares[held] > 0
games_of_pieces = np.repeat(held_games, has_piece.sum(axis=1))
occupied_right = {
    key: mean_interval(
        hits[has_piece],
        games_of_pieces,
        seed=seed,  # each occupied square counts once
    ).in_percent()
    for key, hits in right.items()
}
shown = pd.DataFrame(
    {
        "squares": squares_right,
        "occupied squares": occupied_right,
        "whole boards": boards_right,
    }
)
last = [key for key in shown.index if key[1] == "commonest" or key[2] == layer]
shown = shown.loc[last]
shown.index = pd.MultiIndex.from_tuples(
    [(label(name), coding if name != "commonest" else "") for coding, name, _ in shown.index]
)
report.table(
    shown,
    digits=1,
    caption="Read rightly off the last layer, % of held-out squares and boards",
)

# %% tags=["hide-cell"] mystnb={"code_prompt_show": "Layer by layer", "figure": {"caption": "How much of the board a linear probe reads from each layer, by model. Grey are models with random weights, one of each architecture, dotted the commonest piece of each square.", "name": "fig-16-layers"}, "image": {"alt": "Lines of percentages over layers for several models, the grey one lowest."}}
figure, axes = plt.subplots()
for name in models:
    line = pd.Series(
        {
            depth: squares_right[coding, model, depth].value
            for coding, model, depth in right
            if model == name and coding == "own, opponent's"
        }
    )
    axes.plot(
        line.index,
        line,
        "o-" if name in trained else "o--",
        label=label(name),
        color=None if name in trained else "grey",
    )
axes.axhline(
    squares_right["White, Black", "commonest", 0].value,
    color="grey",
    linestyle=":",
    label="commonest on each square",
)
axes.set(xlabel="layer", ylabel="squares read rightly, %", xticks=range(layer + 1))
axes.legend(loc="upper left", bbox_to_anchor=(1, 1))
plt.show()

# %% [markdown]
# ## Erase a piece
#
# That a layer reads a board does not say that the model uses it. So we change what the layer reads.
# The model is about to move; we take the square that it would most likely move from, push the hidden
# state along the difference of two rows of the probe, *empty* less *own piece of this type*, and let
# the model go on. If it plays by this board, the probability of moving from there must fall.
#
# A block adds to the state and passes it on, so that a step can reach the output with no block having
# used it. Hence four controls: the step less its part along the output's own row (*around the output*),
# the step that erases another piece, a random direction, each of the same length, and that part alone.
# Layer and strength are chosen on validation games. {glue:text}`edited`


# %% tags=["hide-input"] mystnb={"code_prompt_show": "The steps"}
def steps_for(model, probe, state, erased, other, random):
    """Steps, (5, width), in the order of ``kinds``; of equal length but for the last."""
    output = model.tokens.weight.detach()[tokens.SQUARES : tokens.PIECES]
    straight = model.norm.weight.detach() * (output[erased[0]] - output.mean(dim=0))
    straight = straight / straight.norm()
    rows = probe.weight.view(64, 13, -1)

    def towards_empty(place, code):
        direction = rows[place, 0] - rows[place, code]
        logits = probe(state).view(64, 13)[place]
        return (
            2 * (logits[code] - logits[0]).clamp(min=1) * direction / direction.square().sum()
        )

    step = towards_empty(*erased)
    along = (step @ straight) * straight
    others = [
        step - along,
        towards_empty(*other),
        torch.from_numpy(random.normal(size=len(step))).float(),
    ]
    return torch.stack([step, *(step.norm() * each / each.norm() for each in others), along])


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


@torch.no_grad()
def said_by(model, state):
    """Probabilities (64,) of the next move's square if the output layer reads a state as it is."""
    logits = model.tokens.weight[tokens.SQUARES : tokens.PIECES] @ model.norm(state)
    return logits.softmax(dim=0)


# %% tags=["hide-input"] mystnb={"code_prompt_show": "The controls, and what each step does"}
kinds = ("erased", "around the output", "another", "at random", "along the output")


def edit(name, rows, depth, strengths):
    """Erase, in each position, the piece likeliest to move: one row a position and strength."""
    random = np.random.default_rng(seed)
    model = models[name]
    table = []
    probe = probes["own, opponent's", name, depth]
    read = tokens.read_moves(
        [games.ucis(positions["game"][row])[: positions["ply"][row]] for row in rows], "uci"
    )
    for row, ids in zip(rows, read, strict=True):
        state = states[name][depth, row]
        before = moves_from(model, ids, depth, torch.zeros(1, len(state)))[0]
        movable = [square for square in range(64) if 1 <= own[row, square] <= 6]
        erased = max(movable, key=lambda square: before[square])
        other = random.choice([square for square in movable if square != erased] or movable)
        steps = steps_for(
            model, probe, state, (erased, own[row, erased]), (other, own[row, other]), random
        )
        for strength in strengths:
            now = moves_from(model, ids, depth, strength * steps)[:, erased]
            table.append(
                [
                    positions["game"][row],
                    depth,
                    strength,
                    before[erased].item(),
                    said_by(model, state)[erased].item(),
                    *now.tolist(),
                ]
            )
    return pd.DataFrame(table, columns=["game", "depth", "strength", "before", "said", *kinds])


def fall(table, column):
    """By what share of itself did the probability of moving from there fall?"""
    return 1 - table[column] / table["before"]


# %% tags=["hide-input"] mystnb={"code_prompt_show": "Choose depth and strength"}
some = np.random.default_rng(seed).permutation(np.flatnonzero(part == "validation"))
tuning = some[: sizes.edited // 8]
tested = np.random.default_rng(seed).permutation(np.flatnonzero(held))[: sizes.edited]
edits = {}
chosen = {}
by_depth = {}
for name in spoken:
    tuned = pd.concat([edit(name, tuning, depth, (1, 2)) for depth in range(1, layer)])
    tuned["gain"] = fall(tuned, "around the output") - fall(tuned, "another")
    gains = tuned.groupby(["depth", "strength"])["gain"].mean()
    chosen[name] = gains.idxmax()
    for depth in range(1, layer):
        strength = gains[depth].idxmax()
        by_depth[name, depth] = edit(name, tested, depth, (strength,))
    edits[name] = by_depth[name, int(chosen[name][0])]
at_depth = {
    (name, f"block {depth}"): {
        kind: paired_difference(
            100 * fall(table, kind), 100 * fall(table, "another"), table["game"], seed=seed
        )
        for kind in kinds[:2]
    }
    for (name, depth), table in by_depth.items()
}


# %% tags=["hide-cell"] mystnb={"code_prompt_show": "Squares that become legal without the piece, as others asked of models of Othello"}
def legal_from(fen, without=None):
    """Squares (64,) from which the side to move may move, with a piece taken off or not."""
    board = chess.Board(fen)
    if without is not None:
        board.remove_piece_at(int(without))
    found = np.zeros(64, dtype=bool)
    found[[move.from_square for move in board.legal_moves]] = True
    return found


def share_of_new(probabilities, new, erased):
    """Per cent of the probability, the erased square's left out, on the new squares."""
    return float(100 * probabilities[new].sum() / (1 - probabilities[erased]).clip(min=1e-6))


def new_squares(name):
    """Share of the newly legal squares before and after each step: a row a position."""
    depth, strength = chosen[name]
    probe = probes["own, opponent's", name, int(depth)]
    random = np.random.default_rng(seed)
    rows = []
    for row in some_new:
        moves = games.ucis(positions["game"][row])[: positions["ply"][row]]
        ids = tokens.read_moves([moves], "uci")[0]
        state = states[name][int(depth), row]
        before = moves_from(models[name], ids, int(depth), torch.zeros(1, len(state)))[0]
        opened = opening_pieces[row]
        place = max(opened, key=lambda square: before[square])
        movable = [square for square in range(64) if 1 <= own[row, square] <= 5]
        others = [square for square in movable if square not in opened] or movable
        other = random.choice(others)
        steps = steps_for(
            models[name],
            probe,
            state,
            (place, own[row, place]),
            (other, own[row, other]),
            random,
        )
        after_it = moves_from(models[name], ids, int(depth), strength * steps)
        shares = [share_of_new(each, opened[place], place) for each in (before, *after_it)]
        rows.append([positions["game"][row], *shares])
    return pd.DataFrame(rows, columns=["game", "before", *kinds])


opening_pieces = {}  # by position: own pieces without which more squares can be moved from
for row in tested:
    fen = positions["fen"][row]
    now = legal_from(fen)
    without = {
        square: legal_from(fen, square) & ~now
        for square in range(64)
        if 1 <= own[row, square] <= 5
    }
    opening_pieces[row] = {square: new for square, new in without.items() if new.any()}
some_new = [row for row in tested if opening_pieces[row]]
print(f"{len(some_new)} of {len(tested)} positions have such a piece")
new_shares = {name: new_squares(name) for name in spoken}
shown_new = {
    name: {
        column: mean_interval(table[column], table["game"], seed=seed)
        for column in ("before", *kinds)
    }
    for name, table in new_shares.items()
}
new_gain = {
    name: paired_difference(
        table["around the output"], table["another"], table["game"], seed=seed
    )
    for name, table in new_shares.items()
}
beyond_before = {
    name: paired_difference(
        table["around the output"], table["before"], table["game"], seed=seed
    )
    for name, table in new_shares.items()
}
shown = pd.DataFrame(shown_new).T
shown["around the output less before"] = pd.Series(beyond_before)
shown["less another's"] = pd.Series(new_gain)
report.table(
    shown.rename(label).T,
    digits=2,
    caption="Probability on squares that become legal without the piece, %, before and by step",
)

# %% tags=["hide-input"] mystnb={"code_prompt_show": "The table"}
erased = {
    name: {
        column: mean_interval(100 * fall(table, column), table["game"], seed=seed)
        for column in kinds
    }
    for name, table in edits.items()
}
specific = {
    (name, kind): paired_difference(
        100 * fall(table, kind), 100 * fall(table, "another"), table["game"], seed=seed
    )
    for name, table in edits.items()
    for kind in kinds[:2]
}
shown = pd.DataFrame(erased).T
shown.columns = [
    "the piece's step",
    "around the output",
    "another piece's",
    "random direction",
    "along the output alone",
]
shown["layer, strength"] = ["{:.0f}, {:g}".format(*chosen[name]) for name in shown.index]
said = {
    name: mean_interval(100 * table["said"], table["game"], seed=seed)
    for name, table in edits.items()
}
report.table(
    shown.rename(label).T,
    digits=1,
    caption="Fall of the probability of moving from the erased square, %",
)

# %% [markdown]
# ## Games that nobody wants to win
#
# Do random games teach the rules better than games that are played to win? Three models of one shape
# read as many tokens of 36,000 games each: of Stockfish against itself, of people (quick games of two
# strong accounts of Lichess against everybody), and of random legal moves.


# %% tags=["hide-cell"] mystnb={"code_prompt_show": "Games of random legal moves"}
def random_game(plies, generator):
    board = chess.Board()
    while board.ply() < plies and (legal := list(board.legal_moves)):
        board.push(legal[generator.integers(len(legal))])
    return [move.uci() for move in board.move_stack]


drawing = np.random.default_rng(seed)
test_games = corpus.of("test")[: sizes.by_chance]
by_chance = [random_game(int(plies), drawing) for plies in games.plies[test_games]]
print(" ".join(by_chance[0][:12]), "...")

# %% tags=["hide-cell"] mystnb={"code_prompt_show": "Perplexity of each on games of all three kinds"}
read_by = {
    "self-play": "36000-uci-1",
    "people's games": "36000-people_uci-1",
    "random games": "36000-random_uci-1",
}
filed = {"people's games": "people", "random games": "random"}


def losses_of(run, kind):
    """Return what each test game of a kind cost a run."""
    if kind == "self-play":
        return results.read_losses(run)
    found = runs.read_kept("crossed", run)
    return pd.DataFrame(
        {what: found[f"{filed[kind]}.test.{what}"].astype(float) for what in ("nats", "plies")}
    )


perplexities = {
    (source, kind): results.perplexity_of(losses_of(run, kind), seed=seed)
    for source, run in read_by.items()
    for kind in read_by
}
evenly = {
    "self-play": results.even_draw(games, test_games),
    "random games": results.even_draw(tokens.tokenise(by_chance), np.arange(len(by_chance))),
}
drawn = {kind: results.perplexity_of(losses, seed=seed) for kind, losses in evenly.items()}
judged = {
    (source, kind): results.Judged(value, value.high < drawn[kind].low)
    if kind in drawn
    else value
    for (source, kind), value in perplexities.items()
}
shown = {
    f"a model of {source}": {kind: judged[source, kind] for kind in read_by}
    for source in read_by
}
report.table(
    pd.DataFrame({**shown, "even draw": drawn}).T.fillna("-"),
    digits=1,
    caption=f"Perplexity of three kinds of games (columns). {results.MARKED}",
)

# %% tags=["hide-input"] mystnb={"code_prompt_show": "What random games change, question by question"}
asked_for = {  # task and score
    "the piece moved next": ("end_actual", "lgm"),
    "another piece": ("end_other", "lgm"),
    "as played": ("end_actual", "exm"),
}
deep = questions.read_probes().query("task in @questions.END_TASKS and band == 'long'")
said_by_run = {
    run: results.score_run(run, deep) for run in (*read_by.values(), "L-uci-1", "L-uci-2")
}


def answers_of(source, kind, task):
    """Return scores and game of each question about games of a kind."""
    run = read_by[source]
    if kind == "self-play":
        return said_by_run[run].query("task == @task")
    found = runs.read_kept("crossed", run)
    parts = ("lgm", "exm", "game")
    return pd.DataFrame({part: found[f"{filed[kind]}.{task}.long.{part}"] for part in parts})


less_self_play = {}
for kind in ("self-play", "people's games"):
    for asked, (task, score) in asked_for.items():
        pair = [answers_of(source, kind, task) for source in ("random games", "self-play")]
        less_self_play[kind, asked] = paired_difference(
            *(100 * table[score] for table in pair), pair[0]["game"], seed=seed
        )
of_random = {
    asked: [less_self_play[kind, asked] for kind in ("self-play", "people's games")]
    for asked in asked_for
}
counted = results.score_baselines(results.list_moves(games, corpus.of("S")), deep)["came_from"]
above_counts = all(
    results.beats(answers_of(source, "self-play", task), counted["lgm"], seed=seed)
    for source in ("self-play", "random games")
    for task in questions.END_TASKS
)
seeds_apart = max(
    abs(float(100 * (first[score] - second[score])[first["task"] == task].mean()))
    for task, score in asked_for.values()
    for first, second in [(said_by_run["L-uci-1"], said_by_run["L-uci-2"])]
)


def how_often(pair):
    if all(apart.low > 0 for apart in pair):
        word = "more often"
    elif all(apart.high < 0 for apart in pair):
        word = "less often"
    else:
        return "about as often, as far as these games tell,"
    return f"{word} (by {abs(pair[0].value):.0f} and {abs(pair[1].value):.0f} points)"


taught = "Of random games and self-play, not both teach a model more than counting knows."
taught_short = taught
lesson = ""
if above_counts:
    taught = (
        "Asked about self-play and people's games, the model that read random ones names a legal "
        f"square {how_often(of_random['another piece'])} for a piece that is not moved next than the "
        f"model that read self-play, {how_often(of_random['the piece moved next'])} for the piece "
        f"that is, and the square to which that one goes {how_often(of_random['as played'])}."
    )
    taught_short = taught
    better = all(apart.low > 0 for apart in of_random["another piece"])
    if better and all(apart.high < 0 for apart in of_random["as played"]):
        lesson = "Random games teach what can be played, others what is."
        other, played = (
            [
                100 * answers_of(source, "self-play", task)[score].mean()
                for source in ("random games", "self-play")
            ]
            for task, score in (asked_for["another piece"], asked_for["as played"])
        )
        taught_short = (
            "A model that reads random games instead is more often legal when asked about a piece "
            f"that is not moved next ({other[0]:.0f} against {other[1]:.0f} %), and says less often "
            f"what was played ({played[0]:.0f} against {played[1]:.0f} %)."
        )
Markdown(
    f"{taught} {lesson} Each is one training; two seeds of `L-uci` differ by up to "
    f"{seeds_apart:.1f} points on the questions about self-play."
)

# %% [markdown]
# ## One position, two orders
#
# Two moves of one side, with the opponent's between them, can often change places. The position is
# the same; whoever keeps a board must go on in the same way.


# %%
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


# %% tags=["hide-input"] mystnb={"code_prompt_show": "Draw the pairs"}
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
print(
    f"{len(pairs)} positions; where the first two orders differ:",
    *(
        f"{uci}/{swapped}"
        for _, *both in pairs[:1]
        for uci, swapped in zip(*both, strict=True)
        if uci != swapped
    ),
)

# %% [markdown]
# The distance of two answers is the total variation of the probabilities of the next move's square,
# from 0 to 1. The control is the position of another game, of as many moves. A model that has
# forgotten the game has no distance in either; so both are shown side by side.
#
# Vafa and others {cite}`vafa2024evaluating` ask the same of sequences of tokens. A model *accepts* a
# continuation if it gives each token of it more than 1 %. *Compression*: does it accept, after the
# other order, all continuations that are drawn from it after the first? *Distinction* is about what is
# accepted after one position and not after another. Precision is the share of the model's differences
# that is true by the rules, recall the share of the true ones that it has. Continuations are drawn:
# {glue:text}`n_suffixes` of {glue:text}`suffix_tokens` tokens, for {glue:text}`n_tested` positions.


# %%
def squares_of(name, sequences):
    answers = np.exp(predict_next(models[name], tokens.read_moves(sequences, "uci")))
    squares = answers[:, tokens.SQUARES : tokens.PIECES]
    return squares / squares.sum(axis=1, keepdims=True)


def variation(first, second):
    return np.abs(first - second).sum(axis=1) / 2


other = np.concatenate(
    [np.roll(np.flatnonzero(lengths == length), 1) for length in np.unique(lengths)]
)

# %% tags=["hide-input"] mystnb={"code_prompt_show": "Continuations that are accepted"}
ACCEPTED = 0.01  # least probability of a token
suffix_tokens = 6


def tokens_of(move, board, reading):
    """Return the tokens of a move."""
    kind = [tokens.PIECES - chess.PAWN + board.piece_type_at(move.from_square)]
    became = [tokens.PROMOTIONS + chess.QUEEN - move.promotion] if move.promotion else []
    squares = [tokens.SQUARES + move.from_square, tokens.SQUARES + move.to_square]
    return [*(kind if reading == "ap" else []), *squares, *became]


@torch.no_grad()
def chances_after(name, prefix, suffixes):
    """Probability of each token of suffixes (n, length) after a prefix; the same shape."""
    ids = np.hstack([np.tile(prefix, (len(suffixes), 1)), suffixes]).astype(np.int64)
    given = models[name](torch.from_numpy(ids[:, :-1]))[:, len(prefix) - 1 :].softmax(dim=2)
    return np.take_along_axis(given.numpy(), suffixes[..., None], axis=2)[..., 0]


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
            move = draw_evenly(random, [going])[0]
            row += tokens_of(move, going, "uci")
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
        written = {move: tokens_of(move, going, "uci") for move in going.legal_moves}
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


def is_true(suffix, here, there):
    """Say whether the rules accept a suffix from one board and not from another."""
    return legal_tokens(here, suffix) == len(suffix) > legal_tokens(there, suffix)


def has(name, suffixes, first, second):
    """Say of each suffix whether a model accepts it after one prefix and not after another."""
    if not suffixes:
        return []
    ends = np.array([[len(suffix)] for suffix in suffixes])
    padded = np.array([[*suffix, *(suffix_tokens - len(suffix)) * [0]] for suffix in suffixes])
    behind = np.arange(suffix_tokens) >= ends
    here, there = (
        ((chances_after(name, ids, padded) > ACCEPTED) | behind).all(axis=1)
        for ids in (first, second)
    )
    return list(here & ~there)


# %% tags=["hide-input"] mystnb={"code_prompt_show": "Compression, precision and recall"}
random = np.random.default_rng(seed)
tested_pairs = random.permutation(len(pairs))[: sizes.compared]
boards_of = [after(moves) for _, moves, _ in pairs]
true_boundary = {}
for row in tested_pairs:
    suffixes = draw_legal(boards_of[row], random)
    there = boards_of[other[row]]
    true_boundary[row] = boundary(suffixes, [legal_tokens(there, each) for each in suffixes])
bounded = np.array([bool(true_boundary[row]) for row in tested_pairs])


def compare_suffixes(name):
    """Compression, precision and recall (0 to 1) of each tested pair."""
    random = np.random.default_rng(seed)
    rows = []
    for row in tested_pairs:
        sequences = [*pairs[row][1:], pairs[other[row]][1]]
        first, again, second = tokens.read_moves(sequences, "uci")
        drawn = draw_suffixes(name, first, random)
        compressed = (chances_after(name, again, drawn) > ACCEPTED).all()
        accepted = (chances_after(name, second, drawn) > ACCEPTED).cumprod(axis=1).sum(axis=1)
        own_boundary = boundary(drawn, accepted)
        both = boards_of[row], boards_of[other[row]]
        true = [is_true(suffix, *both) for suffix in own_boundary]
        found = has(name, true_boundary[row], first, second)
        rows.append([compressed, np.mean(true or [1.0]), np.mean(found or [np.nan])])
    return dict(zip(("compression", "precision", "recall"), np.array(rows).T, strict=True))


# %% tags=["hide-input"] mystnb={"code_prompt_show": "Ask in both orders"}
transposed = {}
per_pair = {}
for name in [*spoken, *controls]:
    first, second = (squares_of(name, [pair[order] for pair in pairs]) for order in (1, 2))
    per_pair[name] = compare_suffixes(name)
    transposed[name] = {
        "same position": mean_interval(variation(first, second), seed=seed),
        "other position": mean_interval(variation(first, first[other]), seed=seed),
        "compression": share_of(per_pair[name]["compression"] > 0).in_percent(),
        "precision": mean_interval(100 * per_pair[name]["precision"], seed=seed),
        "recall": mean_interval(100 * per_pair[name]["recall"][bounded], seed=seed),
    }
shown = pd.DataFrame(transposed).T.rename(label)
report.boards(
    report.table(
        shown[["same position", "other position"]],
        caption="Total variation of the next move's square",
    ),
    report.table(
        shown[["compression", "precision", "recall"]],
        digits=0,
        caption=f"Continuations of {suffix_tokens} tokens: compression; precision and recall of "
        "distinction, %",
    ),
)

# %% tags=["hide-input"] mystnb={"code_prompt_show": "What random games change here"}
by_chance_too, by_people = (per_pair[f"36000-{who}_uci-1"] for who in ("random", "people"))
by_random = {
    measure: paired_difference(
        by_chance_too[measure][rows], by_people[measure][rows], seed=seed
    ).in_percent()
    for measure, rows in (("compression", slice(None)), ("recall", bounded))
}
random_says = (
    "The model that read random games, beside the one that read as many of people's, "
    + (
        "accepts the same after both orders more often, and more of what the rules allow"
        if all(apart.low > 0 for apart in by_random.values())
        else "accepts more of what the rules allow"
        if by_random["recall"].low > 0
        else "is not seen to accept more of what the rules allow"
    )
    + f": compression {by_random['compression']:+.0f} points, recall of distinction "
    f"{by_random['recall']:+.0f}."
)
untrained = transposed[random_weights]
report.paste(
    n_suffixes=sizes.suffixes,
    suffix_tokens=suffix_tokens,
    n_tested=len(tested_pairs),
)
Markdown(
    f"{random_says} Recall tells how the games were played as well: in random games every legal move "
    "has its share, where a model of people's games learns that most are never played. Legal first "
    "answers, above, are the fairer evidence. Nor does either measure say anything alone: weights "
    "drawn at random, which give nearly every token more than 1 %, have a compression of "
    f"{untrained['compression'].value:.0f} % and a recall of {untrained['recall'].value:.0f} %."
)

# %% [markdown]
# ## Attacks
#
# An average over games from one source says how often a model errs there; it does not say that it
# knows the rules. Balogh and Jelasity {cite}`balogh2026verification` let an opponent play legal
# moves with the one aim that the model answers illegally, and found no model that withstands. Here
# after {glue:text}`warm_up` plies of a game the opponent plays, the model answers with its likeliest
# tokens, and so on, up to 60 answers.

# %% tags=["hide-cell"] mystnb={"code_prompt_show": "An attack by hand: the opponent draws a legal move"}
board = after(opening)
random = np.random.default_rng(seed)
for _ in range(world_model.ANSWERS):
    if board.is_game_over():
        break
    board.push(draw_evenly(random, [board])[0])
    if board.is_game_over():
        break
    words = [
        "BOS",
        *(
            part
            for move in board.move_stack
            for part in (move.uci()[:2], move.uci()[2:4], move.uci()[4:])
            if part
        ),
    ]
    with torch.no_grad():
        answered = []
        while len(answered) < 3:
            ids = torch.tensor(
                [[tokens.VOCABULARY.index(word) for word in [*words, *answered]]]
            )
            answered.append(tokens.VOCABULARY[models[example](ids)[0, -1].argmax()])
    reply = "".join(answered if answered[2] in "qrbn" else answered[:2])
    if reply not in [move.uci() for move in board.legal_moves]:
        break
    board.push_uci(reply)
print(f"after {len(board.move_stack)} plies the answer to {board.peek().uci()} is {reply}")

# %% [markdown]
# The source's five opponents: *random* moves; the model's *own moves*, as far as they are legal (their
# SMM); *detours* (AD), of the tokens that begin a legal move always the one that the model finds least
# likely; a *board misread* (BSO), the position that the probe above reads worst: if the model went by
# that board, it should be the end of it; and *one move ahead* (IMO), a move that the model answers
# illegally, if there is one. A model that says the game is over while it is not has answered illegally.


# %% tags=["hide-input"] mystnb={"code_prompt_show": "The opponents, and all attacks"}
def moves_of(board):
    return [move.uci() for move in board.move_stack]


def play_by_tokens(choose, model, reading, boards):
    """Play, of what begins a legal move, the token that is chosen by probability, and so on."""
    read = tokens.read_moves([moves_of(board) for board in boards], reading)
    legal = [
        {move: tokens_of(move, board, reading) for move in board.legal_moves}
        for board in boards
    ]
    for place in range(4):
        for row, given in enumerate(predict_next(model, read)):
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


def answered_illegally(model, reading, boards):
    answers = continue_games(model, reading, [moves_of(board) for board in boards])
    asked = zip(boards, answers, strict=True)
    return [float(uci not in map(chess.Move.uci, board.legal_moves)) for board, uci in asked]


def misread(name, boards):
    """Mean cross-entropy of the probe over the 64 squares of each board."""
    played = tokens.tokenise([moves_of(board) for board in boards])
    ends = pd.DataFrame({"game": np.arange(len(boards)), "ply": played.plies})
    states_here = world_model.hidden_states(models[name], readings[name], played, ends)
    logits = probes["own, opponent's", name, layer](states_here[layer]).view(-1, 13)
    codes = own_codes(read_boards([board.fen() for board in boards])).astype(np.int64)
    truth = torch.from_numpy(codes).flatten()
    return (
        functional.cross_entropy(logits, truth, reduction="none")
        .view(-1, 64)
        .mean(dim=1)
        .tolist()
    )


def opponents_of(name):
    said = models[name], readings[name]
    random = np.random.default_rng(seed)
    return {
        "random": partial(draw_evenly, random),
        "own": partial(play_by_tokens, max, *said),
        "detours": partial(play_by_tokens, min, *said),
        "board": partial(play_worst, partial(misread, name), random),
        "lookahead": partial(play_worst, partial(answered_illegally, *said), random),
    }


if lost_game["illegal"]:
    assert lost_game["illegal"] == reply
    assert lost_game["moves"].split() == [move.uci() for move in board.move_stack]
attacks = {}
for name in models:
    for kind, opponent in opponents_of(name).items():
        if name in controls and kind != "random":
            continue
        count = sizes.looked_ahead if kind in ("board", "lookahead") else sizes.attacked
        attacks[name, kind] = world_model.attack(
            models[name], readings[name], openings[:count], opponent
        )

# %% tags=["hide-input"] mystnb={"code_prompt_show": "How the games end"}
titles = {
    "random": "random moves",
    "own": "its own moves",
    "detours": "detours",
    "board": "board misread",
    "lookahead": "one move ahead",
}
lost = {key: share_of(table["illegal"] != "").in_percent() for key, table in attacks.items()}
legal_answers = {
    (name, kind): 1 - (table["illegal"] != "").sum() / table["answers"].sum()
    for (name, kind), table in attacks.items()
}
median = {key: table["answers"].median() for key, table in attacks.items()}


def laid_out(values):
    """A row a model, a column an opponent."""
    return (
        pd.Series(values)
        .unstack()
        .reindex([*trained, *controls])[list(titles)]
        .rename(index=label, columns=titles)
        .fillna("-")
    )


report.boards(
    report.table(laid_out(lost), digits=0, caption="Games that end with an illegal answer, %"),
    report.table(
        laid_out(
            {
                key: f"{100 * share:.1f}, {median[key]:.0f}"
                for key, share in legal_answers.items()
            }
        ),
        caption="Legal answers, %; median of a game's answers",
    ),
)

# %% tags=["hide-input"] mystnb={"code_prompt_show": "Draw the curves", "figure": {"caption": "How long a model stays legal under attack: the share of games without an illegal answer, by the number of its answers (Kaplan and Meier).", "name": "fig-16-survival"}, "image": {"alt": "Five panels of falling step curves, one for each kind of opponent."}}
figure, rows = plt.subplots(1, len(titles), figsize=(11, 2.6), sharey=True)
for axes, kind in zip(rows, titles, strict=True):
    for colour, name in zip(report.PALETTE, trained, strict=False):
        table = attacks[name, kind]
        curve = SurvfuncRight(table["answers"].clip(lower=1), table["illegal"] != "")
        axes.step(
            [0, *curve.surv_times],
            [1, *curve.surv_prob],
            where="post",
            label=label(name),
            color=colour,
        )
    axes.set(title=titles[kind], xlabel="answers", ylim=(0, 1.02))
rows[0].set_ylabel("games still legal")
rows[-1].legend(loc="upper left", bbox_to_anchor=(1, 1))
plt.show()

# %% [markdown]
# The curves are Kaplan and Meier's: a game that ends by the rules, or after 60 answers, is counted
# as long as it lasted. {glue:text}`board_says`
#
# ## Concepts of a model that never saw a board
#
# What does a model that has read nothing but moves know of king safety? Labels are Stockfish 8's
# 21 terms, the classes the lowest and the highest 5 % of the positions, the method chapter 02's. All
# positions have White to move; one such board in {glue:text}`every` is asked. {glue:text}`inside`


# %% tags=["hide-cell"] mystnb={"code_prompt_show": "One concept by hand"}
asked_rows = np.flatnonzero(boards.white_to_move)[:: sizes.every]
table = oracle.evaluate_terms(list(positions["fen"].iloc[asked_rows]), oracle.stockfish8())
usual = asked_rows[table.status == oracle.Status.OK]
values = table.middlegame[table.status == oracle.Status.OK]
labelled = Labelled(
    oracle.TERMS, values, positions["game"].to_numpy(np.int32)[usual], part[usual]
)
tails = cut_tails(values[:, oracle.TERMS.index(concept)], seed=seed)
fitted_on = labelled.splits[tails.rows] == "train"
x = states[example][layer][usual][tails.rows].numpy()
y = tails.positive
machine = make_pipeline(StandardScaler(), LinearSVC(C=1e-2, random_state=seed, max_iter=5_000))
machine.fit(x[fitted_on], y[fitted_on])
unseen = labelled.splits[tails.rows] == "test"
print(
    f"{concept}: {machine.score(x[unseen], y[unseen]):.2f} of {unseen.sum()} held-out "
    f"positions; {len(usual):,} positions in all"
)

# %% tags=["hide-cell"] mystnb={"code_prompt_show": "All concepts on each layer"}
fens = list(positions["fen"].iloc[usual])
features = {
    f"{example}, layer {depth}": vectors[usual].numpy()
    for depth, vectors in enumerate(states[example])
}
features |= {
    f"{name}, layer {layer}": states[name][layer][usual].numpy()
    for name in models
    if name != example
}
features |= {
    "NNUE": joined_activations(load_expert("nnue"), fens, "pairwise+clipped"),
    "bare board": joined_activations(load_expert("onehot"), fens, "board"),
}
insides = {
    name: held_out(fit_concepts(rows, labelled, cs=(1e-3, 1e-2), seed=seed), rows, labelled)
    for name, rows in features.items()
}
means = {name: accuracy(rows, seed=seed) for name, rows in insides.items()}


def label_row(row):
    """Return the row of a model's layer as it is shown."""
    name, comma, rest_of_it = row.partition(", ")
    return f"{label(name)}{comma}{rest_of_it}"


report.table(
    pd.Series(means).rename(label_row).rename("mean accuracy").to_frame(),
    caption="21 concepts between their tails, held-out games; half is a guess",
)

# %% tags=["hide-cell"] mystnb={"code_prompt_show": "Concept by concept"}
top = f"{example}, layer {layer}"
columns = {
    name: table_of(insides[name], seed=seed)["accuracy"]
    for name in (top, f"{random_weights}, layer {layer}", "NNUE", "bare board")
}
report.table(pd.DataFrame(columns).rename(columns=label_row), caption="Concept by concept")

# %% [markdown]
# ## Recap
#
# - {glue:text}`held`
# - Coded as own and opponent's pieces in place of White's and Black's, a linear layer reads
#   {glue:text}`square_own` % of the squares of {glue:text}`example` in place of {glue:text}`square_white` %.
# - {glue:text}`edited_short`
# - {glue:text}`lesson`
# - {glue:text}`transposed`
# - {glue:text}`attacked`
# - What a probe reads is what is there, not what is used; the models are small, each is one
#   training, and attacks are of {glue:text}`n_attacked` games ({glue:text}`n_lookahead` for the
#   two that try every move).

# %% tags=["hide-input"] mystnb={"code_prompt_show": "What the numbers allow to say: the board"}
mine = "own, opponent's"
own_answers = results.score_run(example, deep).query("task == 'end_actual'")
base = squares_right["White, Black", "commonest", 0]
margins = {
    name: paired_difference(
        right[mine, name, layer].mean(axis=1),
        right[mine, control_of[name], layer].mean(axis=1),
        held_games,
        seed=seed,
    ).in_percent()
    for name in trained
}
above = [name for name, margin in margins.items() if margin.low > 0]
of_squares = {
    name: f"{squares_right[key].value:.1f}"
    for name, key in (
        ("square", (mine, example, layer)),
        ("square_own", (mine, example, layer)),
        ("square_white", ("White, Black", example, layer)),
        ("square_random", (mine, random_weights, layer)),
    )
}
read_off = (
    "a linear layer reads that share of the occupied squares off its last hidden state, and "
    f"{occupied_right[mine, random_weights, layer].value:.1f} % "
    "where the weights are random."
)
report.paste(
    held_short=Markdown(
        f"**{occupied_right[mine, example, layer].value:.1f} %.** A model that has read nothing but moves "
        f"holds much of the board: {read_off}"
        if example in above
        else f"Of a board inside a model that has read nothing but moves little is seen: "
        f"of {occupied_right[mine, example, layer].value:.1f} %, {read_off}"
    ),
    held=(
        f"More of the board than in the same architecture with random weights is found in "
        f"{models_of(above)}, by "
        + ", ".join(f"{margins[name]:.1f}" for name in above)
        + " points."
        if above
        else "No model shows more of the board than one with random weights."
    ),
    **of_squares,
    square_majority=f"{base.value:.1f}",
    example=example,
    perplexity=f"{runs.read_runs().loc[example, 'test']:.1f}",
    legal=f"{100 * own_answers['lgm'].mean():.1f}",
    occupied_majority=f"{occupied_right['White, Black', 'commonest', 0].value:.1f}",
    every=sizes.every,
    epochs=sizes.epochs,
    warm_up=warm_up,
    whole=f"{boards_right[mine, example, layer].value:.1f}",
)

# %% tags=["hide-input"] mystnb={"code_prompt_show": "What they allow to say: attacks"}
sooner = {
    kind: paired_difference(
        attacks[example, "board"]["answers"],
        attacks[example, kind]["answers"][: sizes.looked_ahead],
        seed=seed,
    )
    for kind in ("random", "lookahead")
}
board_says = (
    f"How many answers {example} lasts against misread boards, less what it lasts against random "
    f"moves: {sooner['random']:+.1f}; less what it lasts against the look ahead: "
    f"{sooner['lookahead']:+.1f}. "
)
if sooner["random"].high < 0:
    board_says += "Boards that the probe cannot read bring it down sooner than random moves."
elif sooner["lookahead"].low > 0:
    board_says += (
        "Boards that the probe cannot read are not seen to bring it down sooner: what the source "
        "finds for most of its models, too."
    )
else:
    board_says += "Neither difference decides whether a misread board makes the model err."

# %% tags=["hide-input"] mystnb={"code_prompt_show": "What they allow to say: edits"}
follows, indirect = (
    [name for name in spoken if specific[name, kind].low > 0] for kind in kinds[:2]
)
opened = [name for name in spoken if min(new_gain[name].low, beyond_before[name].low) > 0]
sound = [
    f"the model of {label(name)} ({titles[kind]})"
    for (name, kind), share in lost.items()
    if share.value == 0
]
report.paste(
    edited=(
        "Erasing a piece in the state lowers the probability of moving it by more than "
        f"erasing another does in {models_of(follows)} (by "
        + ", ".join(f"{specific[name, 'erased'].value:.0f}" for name in follows)
        + " points); without the output's own direction it does so in "
        + (models_of(indirect) if indirect else "none")
        + "".join(f", by {specific[name, kinds[1]].value:.0f}" for name in indirect)
        + (
            "."
            if indirect
            else ": with one layer edited, at the last token, no block is seen to use what the "
            "probe reads, which is weak evidence that none does."
        )
        + (
            " Squares that become legal without the piece gain probability in "
            f"{models_of(opened)}."
            if opened
            else " Squares that become legal without the piece are not seen to gain probability."
        )
        if follows
        else "No edit does more to the erased piece than one of another piece."
    ),
    edited_short=(
        "When a piece is erased in such a state, the model goes on moving it: what the layer reads "
        "is not seen to be used."
        if example not in follows
        else "When a piece is erased in such a state, the model moves it less often"
        + (
            ", also where the output does not read the change directly"
            if example in indirect
            else ", but not beyond what the output reads directly"
        )
        + (
            f"; with the step around the output, the squares that become legal without it gain "
            f"{beyond_before[example].value:.1f} points of probability "
            f"[{beyond_before[example].low:.1f}, {beyond_before[example].high:.1f}], in "
            f"{len(some_new)} positions."
            if example in opened
            else "."
        )
    ),
    taught_short=taught_short,
    lesson=lesson or "Whether random games teach more of the rules stays open.",
    by_random=random_says,
    transposed=(
        f"Two orders of the same moves lead {example} to answers that are "
        f"{transposed[example]['same position'].value:.2f} apart, two positions to answers that are "
        f"{transposed[example]['other position'].value:.2f} apart."
        if example in transposed
        else f"{example} is not asked in two orders."
    ),
    board_says=board_says,
    attacked=(
        f"No illegal answer was found of {results.enumerate_names(sound)}."
        if sound
        else "No model withstands: each is brought to an illegal answer by each opponent."
    )
    + f" {example} fails in {lost[example, 'random'].value:.0f} % of the games against random "
    f"moves, in {lost[example, 'own'].value:.0f} % against its own.",
    **{f"lost_{kind}": f"{lost[example, kind].value:.0f}" for kind in ("random", "lookahead")},
    median_lookahead=f"{median[example, 'lookahead']:.0f}",
    n_attacked=sizes.attacked,
    n_lookahead=sizes.looked_ahead,
)

# %% tags=["hide-input"] mystnb={"code_prompt_show": "What they allow to say: concepts"}
nothing = insides[f"{random_weights}, layer {layer}"]
gains = {
    name: accuracy(insides[name], minus=nothing, seed=seed)
    for name in (top, "NNUE", "bare board")
}
more = (
    f"{gains[top]:.2f} more than with random weights"
    if gains[top].low > 0
    else ("no more than with random weights")
)
report.paste(
    inside=(
        f"The 21 concepts are told apart in {means[top].value:.2f} of the cases on the last layer of "
        f"{example}, {more}; on NNUE in {means['NNUE'].value:.2f}, on the bare board in "
        f"{means['bare board'].value:.2f}"
        + (
            ": what a model of moves holds says less of them than the bare board does."
            if gains["bare board"].low > gains[top].high
            else "."
        )
    )
)

# %% tags=["hide-input"] mystnb={"code_prompt_show": "Results kept in book/results"}
layers = {
    (depth, key_of(name)): (coding, name, depth)
    for coding, name, depth in right
    if coding == mine
}
keys = {
    "transposition.distance": ("same position", "total variation"),
    "transposition.distance_of_others": ("other position", "total variation"),
    "transposition.compression": ("compression", "%"),
    "transposition.distinction_precision": ("precision", "%"),
    "transposition.distinction_recall": ("recall", "%"),
}
short = {"self-play": "selfplay", "people's games": "people", "random games": "random"}
depths = range(layer + 1)
report.save(
    "16_world_model",
    *(
        report.rows(
            {key: values[of] for key, of in layers.items()}, f"board_probe.{what}", unit="%"
        )
        for what, values in (
            ("square", squares_right),
            ("occupied", occupied_right),
            ("board", boards_right),
        )
    ),
    report.rows(
        {
            "square": base,
            "occupied": occupied_right["White, Black", "commonest", 0],
            "board": boards_right["White, Black", "commonest", 0],
        },
        "board_probe.commonest",
        unit="%",
    ),
    report.rows(
        {key_of(name): squares_right["White, Black", name, layer] for name in models},
        "board_probe.square_by_colour",
        unit="%",
    ),
    report.rows(
        {key_of(name): row["erased"] for name, row in erased.items()},
        "edit.follows",
        unit="% of the probability",
    ),
    report.rows(
        {
            (kind.replace(" ", "_"), key_of(name)): row[kind]
            for name, row in erased.items()
            for kind in kinds[1:]
        },
        "edit.control",
        unit="% of the probability",
    ),
    report.rows(
        {key_of(name): value for name, value in said.items()},
        "edit.said_at_layer",
        unit="% probability",
    ),
    *(
        report.rows(
            {key_of(name): row[column] for name, row in transposed.items()}, key, unit=unit
        )
        for key, (column, unit) in keys.items()
    ),
    report.rows(
        {
            (key_of(name), place.removeprefix("block "), kind.replace(" ", "_")): apart
            for (name, place), row in at_depth.items()
            for kind, apart in row.items()
        },
        "edit.beyond_another",
        unit="points",
    ),
    report.rows(
        {
            (key_of(name), column.replace(" ", "_")): value
            for name, row in shown_new.items()
            for column, value in row.items()
        },
        "edit.newly_legal",
        unit="% probability",
    ),
    report.rows(
        {key_of(name): apart for name, apart in new_gain.items()},
        "edit.newly_legal.less_another",
        unit="points",
    ),
    report.rows(
        {key_of(name): apart for name, apart in beyond_before.items()},
        "edit.newly_legal.less_before",
        unit="points",
    ),
    report.rows(
        {key_of(name): margin for name, margin in margins.items()},
        "board_probe.less_random_weights",
        unit="points",
    ),
    report.rows(by_random, "transposition.random_less_people", unit="points"),
    report.rows(
        {
            (short[source], short[kind], "perplexity"): value
            for (source, kind), value in perplexities.items()
        },
        "transfer",
    ),
    report.rows(
        {(short[kind], "perplexity"): value for kind, value in drawn.items()},
        "transfer.even_draw",
    ),
    report.rows(
        {(kind, key_of(name)): share for (name, kind), share in lost.items()},
        "attack.success",
        unit="%",
    ),
    report.rows(
        {(kind, key_of(name)): value for (name, kind), value in median.items()},
        "attack.median_answers",
        unit="answers",
    ),
    report.rows(
        {depth: means[f"{example}, layer {depth}"] for depth in depths},
        "concepts_inside.mean",
        unit="accuracy",
    ),
    report.rows(
        {key_of(name): means[f"{name}, layer {layer}"] for name in models if name != example},
        "concepts_inside.last_layer",
        unit="accuracy",
    ),
    report.rows(
        {"nnue": means["NNUE"], "board": means["bare board"]},
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
