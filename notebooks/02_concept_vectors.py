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

# %% tags=["hide-input"] mystnb={"code_prompt_show": "Imports; positions, their terms and their games"}
from dataclasses import replace
from functools import partial
from itertools import product
import chess
import matplotlib.pyplot as plt
import numpy as np
import pandas as pd
from IPython.display import Markdown
from myst_nb import glue
from sklearn.base import clone
from sklearn.metrics import explained_variance_score, r2_score
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.svm import LinearSVC

from chessgloss import assets, oracle, report
from chessgloss.book import reference
from chessgloss.book.profiles import load_sizes
from chessgloss.concepts.bulk import sample_evaluated
from chessgloss.concepts.fit import Labelled, cut_tails, fit_concepts, fit_ridge, turn_terms
from chessgloss.concepts.scores import accuracy, held_out
from chessgloss.corpora import samples
from chessgloss.corpora.games import people_games, read_games
from chessgloss.experts import joined_activations, load_expert
from chessgloss.positions import Position
from chessgloss.stats import means_by
from chessgloss.store import default_store, find_project

sizes = load_sizes("02_concept_vectors", profile)
report.use_house_style()
accuracy = partial(accuracy, seed=seed)
accuracy_by = partial(means_by, value="correct", cluster="game", seed=seed)

games = list(read_games(find_project() / "data/games/selfplay.tsv.zst", limit=sizes.games))
sample = samples.sample_positions(games, sizes.per_game, seed=seed)
split_of_game = np.array([game.split for game in games])
if evaluations:  # the file names no games: each position stands for one
    sample, split_of_game = sample_evaluated(evaluations, sizes.headline)
    games = sample.fens
    print(
        f"{len(sample):,} positions of {evaluations} in place of self-play, split by position"
    )
    print("and not by game: sisters of one game may stand on both sides, which flatters.")


def with_terms(sample, rows, most, splits):
    """The first of these rows to have ordinary terms: FENs, and Stockfish 8's terms as printed."""

    def ask():
        table = oracle.evaluate_terms(sample.fens, oracle.stockfish8())
        return {"values": table.middlegame, "status": table.status}

    recipe = {"fens": sample.digest(), "oracle": "Stockfish 8, npm 8.0.0"}
    table = default_store().fetch("terms", recipe, ask)
    usual = rows[table["status"][rows] == oracle.Status.OK][:most]
    games = sample.games[usual]
    printed = Labelled(oracle.TERMS, table["values"][usual], games, splits[games])
    return [sample.fens[row] for row in usual], printed


def as_seen(labelled, fens, view):
    """Terms as White's and Black's, or as the mover's own and the opponent's."""
    white_first = [view == "white" or " w " in fen for fen in fens]
    return replace(labelled, values=turn_terms(labelled.values, labelled.terms, white_first))


fens, printed = with_terms(sample, np.arange(len(sample)), sizes.headline, split_of_game)
expert = load_expert(expert_name, expert_path)
view = expert.orientation(layer.split("+")[0])
labelled = as_seen(printed, fens, view)
drawn = np.random.default_rng(seed).permutation(len(labelled))
some = np.sort(drawn[: sizes.control])
control = labelled.take(some)
control_fens = [fens[row] for row in some]
plain = printed.take(some)
own = as_seen(plain, control_fens, "mover")
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
place = control.terms.index(concept)
term = control.values[:, place]
ends = [term.argmin(), term.argmax()]
report.paste(lowest=term.min(), highest=term.max())
shown = [Position(control_fens[row]) for row in ends]
report.boards(*(report.board(each, size=220) for each in shown))

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
rows = np.concatenate([low, high])
rows.sort()
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
sides = [decision[~truth], decision[truth]]
names = ["lowest 5 %", "highest 5 %"]
colours = ["#D55E00", "#009E73"]
ax.hist(sides, 40, histtype="stepfilled", alpha=0.7, color=colours, label=names)
ax.axvline(0, color="black", lw=0.8)
ax.set(xlabel=f"{concept}: decision value, in margins", ylabel="held-out positions")
ax.legend()
plt.show()

# %% [markdown]
# The library's `fit_concepts` does this for all 21 terms. It standardises over all training
# positions, so that all concepts share one scale.

# %%
chosen = joined_activations(expert, control_fens, layer)
single = Labelled((concept,), term[:, None], control.games, control.splits)
library = fit_concepts(chosen, single, cs=(c,), seed=seed, jobs=1)
found = library.vectors.weights[0] * probe[0].scale_
both = np.stack([normal, found])
both /= np.linalg.norm(both, axis=1, keepdims=True)
library_accuracy = accuracy(held_out(library, chosen, single))
print(f"by the library {library_accuracy:.3f}; cosine of the two {both[0] @ both[1]:.3f}")

# %% [markdown]
# Why 5 %? It is the paper's choice. With all positions in, the plane is right on
# {glue:text}`all_in:.2f` of them, with 5 % at each end on {glue:text}`five_in:.2f`.

# %% tags=["hide-input"] mystnb={"code_prompt_show": "Fit with each cut, and draw", "figure": {"caption": "The cut of the tails: which values of the term are in (left), and how often a plane fitted and tested on them is right, with 95 % intervals over games (right). On screen, a slider moves the cut.", "name": "fig-02-cut"}}
cuts = {}
for share in (0.01, 0.02, 0.03, 0.05, 0.1, 0.2, 0.3, 0.5):
    tails = cut_tails(term, seed=seed, share=share)
    fit = fit_concepts(chosen, single, tails=[tails], cs=(c,), seed=seed, jobs=1)
    results = held_out(fit, chosen, single)
    if len(results):  # of few positions a narrow cut holds no test game
        cuts[share] = (tails, accuracy(results))
_, five_in = cuts[0.05]
_, all_in = cuts[0.5]
report.paste(all_in=all_in.value, five_in=five_in.value)


def lengths(cell):
    """The lengths of an interval's bar, to its left and right."""
    return [[cell.value - cell.low], [cell.high - cell.value]]


fig, (of_term, of_plane) = plt.subplots(1, 2, figsize=(7.0, 2.4))
of_term.hist(term, 60, color="0.6")
of_term.set(xlabel=f"{concept}, pawns", ylabel="positions", yscale="log")
of_plane.set(xlabel="tail at each end, %", ylabel="held-out accuracy")
said_of = {}
for share, (tails, right) in cuts.items():
    percent = 100 * share
    key = f"{percent:g}"
    of_tails = term[tails.rows]
    lowest = of_tails[~tails.positive].max()
    highest = of_tails[tails.positive].min()
    of_term.axvspan(term.min(), lowest, color="#D55E00", alpha=0.35, gid=f"with-{key}")
    of_term.axvspan(highest, term.max(), color="#009E73", alpha=0.35, gid=f"with-{key}")
    of_plane.errorbar(percent, right.value, lengths(right), color="C0", capsize=2)
    of_plane.plot(percent, right.value, "o", color="C0", gid=f"point-{key}")
    n_in = len(tails.rows)
    said_of[key] = (
        f"{key} % at each end: {n_in:,} of {term.size:,} positions are in, up to "
        f"{lowest:+.2f} and from {highest:+.2f} pawns; of the {right.n:,} of games held out, "
        f"{right:.3f} are told right"
    )
alt = "A histogram with its two ends coloured, and accuracies with intervals over the cut."
report.choosable(fig, said_of, "Tails", alt=alt, start="5", slider=True)

# %% [markdown]
# ## Positions, network and layer
#
# Table 6 uses {glue:text}`headline_n:,` positions, as many as the paper, at most
# {glue:text}`per_game` of one game; all else {glue:text}`control_n:,` of them. Positions without
# ordinary terms are left out: those in check, and endings that Stockfish 8 judges by special rules.
#
# NNUE has 1,024 sums for each side (`accumulators`), which are `clipped` and multiplied in pairs
# (`pairwise`); two small layers follow. The layer was chosen on validation games.


# %%
def probe_layer(network, layer, every=1, turn=None, dtype=np.float16, **options):
    """Fit all concepts on one layer: the fit, and its validation and test games' scores."""
    rows = np.arange(0, len(control), every)
    asked = [control_fens[row] for row in rows]
    activations = joined_activations(network, asked, layer, dtype=dtype)
    if turn is None:  # a layer that sees the board from the side to move needs its terms
        first_part = layer.split("+")[0]
        turn = network.orientation(first_part) == "mover"
    terms = (own if turn else plain).take(rows)
    fit = fit_concepts(activations, terms, cs=(1e-3,), seed=seed, **options)
    white = plain.take(rows)
    tails = [cut_tails(values, seed=seed) for values in white.values.T]
    to_move = None
    if turn:
        to_move = np.array([" w " in fen for fen in asked])
    score = partial(held_out, fit, activations, white, tails=tails, white_to_move=to_move)
    return fit, score("validation"), score("test")


candidates = list(expert.layers)
if expert_name == "nnue":
    candidates.insert(3, "pairwise+clipped")
of_layer = {}
for name in candidates:
    _, of_layer[name], _ = probe_layer(expert, name, every=2, dtype=np.float32)
layers = pd.Series({name: accuracy(results) for name, results in of_layer.items()})

# %% tags=["hide-cell"] mystnb={"code_prompt_show": "The layers, concept by concept: a figure", "figure": {"caption": "Validation accuracy of each concept on each layer. A column that is bright from top to bottom is the layer to choose.", "name": "fig-02-where"}, "image": {"alt": "Heat map of 21 concepts by layers, accuracy from 0.5 to 1."}}
by_concept = {
    name: rows.groupby("concept", sort=False)["correct"].mean()
    for name, rows in of_layer.items()
}
shown = pd.DataFrame(by_concept)
fig, ax = plt.subplots(figsize=(6.4, 5.2))
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
asked = {
    "accuracy": tested,
    "precision": tested[tested["score"] > 0],
    "recall": tested[tested["positive"]],
}
measures = pd.DataFrame({name: accuracy_by(rows, "concept") for name, rows in asked.items()})
of_board = dict(iter(board_tested.groupby("concept")))
gains = {
    name: accuracy(rows, minus=of_board[name])
    for name, rows in tested.groupby("concept", sort=False)
}
by_gain = sorted(gains, key=lambda name: -gains[name].value)

paper = reference.table("ccc", "table6")
bare = accuracy_by(board_tested, "concept")
columns = {
    "T78, paper": paper["Accuracy"],
    "NNUE": measures["accuracy"].map("{:.3f}".format),
    "bare board": bare.map("{:.3f}".format),
}
shown = pd.DataFrame(columns).loc[by_gain].rename_axis(None)
mean = accuracy(tested)
board_mean = accuracy(board_tested)
paper_mean = paper["Accuracy"].mean()
shown.loc["mean"] = [paper_mean, f"{mean:.3f}", f"{board_mean:.3f}"]
report.table(
    shown, caption="Table 6: test accuracy between the tails, most added by the network first"
)

# %% tags=["hide-cell"] mystnb={"code_prompt_show": "Precision and recall beside the paper's"}
columns = {
    "precision, paper": paper["Precision"],
    "precision, NNUE": measures["precision"],
    "recall, paper": paper["Recall"],
    "recall, NNUE": measures["recall"],
}
report.table(
    pd.DataFrame(columns).loc[by_gain].rename_axis(None),
    caption="Table 6: precision and recall",
)

# %% tags=["remove-input"]
board_suffices = board_mean.low > paper_mean
suffices = """The probe of the bare board is right more often than the published probe of T78 was on
people's positions. **A linear probe needs no network to tell the tails apart.** What counts is how
much the network adds to the board."""
Markdown(suffices) if board_suffices else None

# %% tags=["hide-input"] mystnb={"code_prompt_show": "Draw the figure at the head of the chapter"}
board_weights = dict(zip(labelled.terms, board_fitted.vectors.weights, strict=True))
pieces_on = board_features[some][:, :-1].reshape(-1, 12, 64)
fig, (ax, squares) = plt.subplots(
    1, 2, figsize=(7.6, 3.1), width_ratios=(3, 2), layout="constrained"
)
said_of = {}
for place, name in enumerate(reversed(by_gain)):
    gain = gains[name]
    ax.errorbar(gain.value, place, xerr=lengths(gain), color="C0", capsize=2)
    ax.plot(gain.value, place, "o", color="C0", gid=f"point-{name}")
    weights = board_weights[name][:-1]
    looks = np.einsum("nps,ps->ns", pieces_on, weights.reshape(12, 64)).std(axis=0)
    darkest = chess.square_name(int(looks.argmax()))
    squares.pcolormesh(looks.reshape(8, 8), cmap="Greys", gid=f"with-{name}")
    said_of[name] = (
        f"{name}: NNUE {measures['accuracy'][name]:.3f}, bare board {bare[name]:.3f}; "
        f"the probe of the board looks most at {darkest}"
    )
ax.axvline(0, color="black", lw=0.8)
ax.set_yticks(range(len(said_of)), [*said_of], fontsize=6)
ax.margins(y=0.02)
ax.set_xlabel("accuracy that the network adds to the bare board")
squares.set_xticks(np.arange(8) + 0.5, "abcdefgh")
squares.set_yticks(np.arange(8) + 0.5, "12345678")
squares.set_aspect("equal")
alt = """Points with intervals for 21 concepts, ordered by their gain over the bare board, and a
chessboard with the squares that one probe uses."""
added = report.choosable(fig, said_of, "Concept", alt=alt, start=by_gain[0])
glue("added", added, display=False)

# %% tags=["hide-cell"] mystnb={"code_prompt_show": "The scores of one position, in margins: change the FEN"}
fen = "r5qr/p1p2k2/1p1pp3/3QbB1N/4P3/1P6/P1P3PP/2B3K1 w - - 0 21"  # the paper's Figure A6
activations = joined_activations(expert, [fen], layer)
[scores] = fitted.vectors.scores(activations)
report.table(pd.DataFrame({"score": scores}, index=oracle.TERMS), digits=1)

# %% [markdown]
# ## Controls
#
# How much of the accuracy needs a trained network? The second column leaves out positions where one
# side is more than three pawns ahead: with a rook more, nearly all terms favour the same side.

# %%
random_expert = load_expert("nnue", view=view, random_weights=seed)
counts = load_expert("piece_counts", view=view)
states = {
    "NNUE": chosen,
    "random weights": joined_activations(random_expert, control_fens, "pairwise+clipped"),
    "bare board": board_features[some],
    "piece counts": joined_activations(counts, control_fens, "board"),
}
fits = {"NNUE": picked, "bare board": board_picked}
for name in ("random weights", "piece counts"):
    fits[name] = fit_concepts(states[name], control, cs=cs, seed=seed)
held = {name: held_out(fits[name], states[name], control) for name in states}
shuffled = fit_concepts(chosen, control, cs=(1e-3,), seed=seed, shuffle=True)
held["shuffled labels"] = held_out(shuffled, chosen, control)
controls = {name: accuracy(results) for name, results in held.items()}

# %% tags=["hide-input"] mystnb={"code_prompt_show": "The same where material is within three pawns, and the table"}
leads = [samples.material(fen) for fen in control_fens]
even = np.abs(leads) <= 3
balanced = control.take(even)
balanced_means = {}
for name, activations in states.items():
    of_even = activations[even]
    fit = fit_concepts(of_even, balanced, cs=(1e-3,), seed=seed)
    results = held_out(fit, of_even, balanced)
    balanced_means[name] = accuracy(results)
both = pd.DataFrame({"all positions": controls, "material within three pawns": balanced_means})
report.table(both, caption="Mean test accuracy of the 21 concepts", digits=3)

# %% [markdown]
# A harder test pairs a position of the upper tail with one of the lower that has the same pieces
# and is the nearest in all other terms.


# %% tags=["hide-input"] mystnb={"code_prompt_show": "Match the pairs, and compare on them"}
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
                apart = place[free] - place[row]
                distances = (apart**2).sum(axis=1)
                nearest = int(np.argmin(distances))
                pairs.append((row, free.pop(nearest)))
    return np.array(pairs, np.int64).reshape(-1, 2)


def pieces_of(fen):
    """The letters of all pieces on the board, sorted."""
    placement = fen.split(" ")[0]
    return "".join(sorted(filter(str.isalpha, placement)))


pieces = pd.Series([pieces_of(fen) for fen in fens])
signatures, _ = pd.factorize(pieces)
pairs = []
paired = []
for k, tails in enumerate(fitted.tails):
    matches = matched_pairs(labelled, tails, k, signatures)
    pairs.extend(matches)
    paired.append(tails.take(np.isin(tails.rows, matches)))

matched = held_out(fitted, features, labelled, tails=paired)
board_matched = held_out(board_fitted, board_features, labelled, tails=paired)
gain = accuracy(tested, minus=board_tested)
n_terms = len(labelled.terms)
matched_gain = accuracy(matched, minus=board_matched, concepts=n_terms)
print(f"the network adds {gain:.3f}; on {len(pairs):,} pairs {matched_gain:.3f}")

# %% [markdown]
# ## On people's positions
#
# The same steps run on a file of people's games (the variable `CHESSGLOSS_ASSET_GAMES`), each
# position once. The committed numbers come from Lichess games of two accounts, mostly at 30 to 180
# seconds a side.

# %% tags=["hide-input"] mystnb={"code_prompt_show": "Positions from people's games; fit and test on both kinds of game"}
people = people_games(sizes.people)
labels = {"self-play": control}
if people:
    sampled = samples.sample_positions(people, sizes.people_per_game, seed=seed)
    boards_seen = [fen.split(" ")[:2] for fen in sampled.fens]
    again = pd.DataFrame(boards_seen).duplicated()
    first_time = np.flatnonzero(~again)
    split_of_people = np.array([game.split for game in people])
    people_fens, as_printed = with_terms(sampled, first_time, len(control), split_of_people)
    numbers = as_printed.games + len(games)  # no number stands for a game of each kind
    seen_by_layer = as_seen(as_printed, people_fens, view)
    labels["people's"] = replace(seen_by_layer, games=numbers)

crossed = {}
for name, network, where in (("NNUE", expert, layer), ("bare board", board, "board")):
    seen = {"self-play": states[name]}
    vectors = {"self-play": fits[name]}
    if people:
        seen["people's"] = joined_activations(network, people_fens, where)
        vectors["people's"] = fit_concepts(
            seen["people's"], labels["people's"], cs=cs, seed=seed
        )
    for trained, asked in product(labels, repeat=2):
        tails = vectors[asked].tails
        results = held_out(vectors[trained], seen[asked], labels[asked], tails=tails)
        crossed[name, trained, asked] = results

# %% tags=["hide-cell"] mystnb={"code_prompt_show": "Accuracy on both kinds of game"}
by_kind = pd.Series({case: accuracy(results) for case, results in crossed.items()})
committed_people = {
    "NNUE, fitted and tested on people's": "table6.people.mean",
    "NNUE, fitted on self-play, tested on people's": "table6.transfer.selfplay_to_people.mean",
    "NNUE, fitted on people's, tested on self-play": "table6.transfer.people_to_selfplay.mean",
    "bare board, fitted and tested on people's": "table6.people.board.mean",
    "the network less the bare board": "table6.people.gain_over_board",
}
shown = by_kind.unstack(0).rename_axis(index=("fitted on", "tested on"))
(
    report.table(shown, caption="Mean test accuracy, by kind of game", digits=3)
    if people
    else report.without("people's games", "02_concept_vectors", committed_people)
)

# %% tags=["remove-input"]
people_gain = None
people_said = ""
if people:
    home, away = ("people's", "people's"), ("self-play", "people's")
    people_gain = accuracy(crossed["NNUE", *home], minus=crossed["bare board", *home])
    people_said = f"""On people's positions the bare board reaches
{by_kind["bare board", *home].value:.3f}, and the network adds {people_gain.value:.3f} to it.
Vectors that were fitted on self-play reach {by_kind["NNUE", *away].value:.3f} there, people's
own {by_kind["NNUE", *home].value:.3f}."""
Markdown(people_said) if people else None

# %% [markdown]
# ## Beyond the tails
#
# Commentary uses a concept's score on *any* position, and nine tenths of all positions lie between
# the tails, where nothing was fitted. A *regression* on all positions shows how much the same
# activations tell there.

# %%
spread = np.sort(drawn[: sizes.control * 2])
split = labelled.splits[spread]


def explained(vectors, whole):
    """Share of each term's variance that scores explain between the tails, on test games."""
    scores = vectors.scores(whole[spread]).astype(float)
    values = labelled.values[spread].astype(float)
    shares = {}
    for k, name in enumerate(labelled.terms):
        middle = ~np.isin(spread, fitted.tails[k].rows)
        train = middle & (split == "train")
        test = middle & (split == "test")
        line = np.polyfit(scores[train, k], values[train, k], 1)  # from margins to pawns
        read = np.polyval(line, scores[test, k])
        varies = values[test, k].var() > 0
        shares[name] = explained_variance_score(values[test, k], read) if varies else np.nan
    return shares


# %% tags=["hide-input"] mystnb={"code_prompt_show": "The regression on all positions, and all three"}
train = np.flatnonzero(control.splits == "train")
validation = np.flatnonzero(control.splits == "validation")
known = control.values[train]
regressions = [
    fit_ridge(chosen[train], known, control.terms, alpha=alpha) for alpha in (1e3, 1e4)
]


def validated(vectors):
    scores = vectors.scores(chosen[validation])
    return r2_score(control.values[validation], scores)


read_by = {
    "NNUE, probe": explained(fitted.vectors, features),
    "bare board, probe": explained(board_fitted.vectors, board_features),
    "NNUE, regression": explained(max(regressions, key=validated), features),
}
varying = pd.DataFrame(read_by).dropna()
r2 = varying.mean()
print(f"share of the variance explained, mean of {len(varying)} concepts that vary there:")
print(r2.round(2).to_dict())

# %% tags=["remove-input"]
more_there = """The network holds more than the probe reads: vectors fitted to separate extremes
measure ordinary positions less well. The next chapter starts from here."""
Markdown(more_there) if r2["NNUE, regression"] > r2["NNUE, probe"] else None

# %% [markdown]
# ## Does the network use them?
#
# A direction that can be read need not be used. To test it we *steer*: we move the activations a
# step along each concept vector, and a step back, and let the network finish its evaluation. Random
# directions of equal length show what any disturbance does.


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


def random_directions(width):
    directions = np.random.default_rng(seed).normal(size=(sizes.random_directions, width))
    return (directions / np.linalg.norm(directions, axis=1, keepdims=True)).astype(np.float32)


nnue = load_expert("nnue")
products, *_ = probe_layer(nnue, "pairwise")
unit = products.vectors.directions()
steered = control_fens[: sizes.steered]
effect = pd.Series(steer(nnue, "pairwise", steered, unit).mean(axis=1), index=oracle.TERMS)
noise = steer(nnue, "pairwise", steered, random_directions(unit.shape[1])).mean(axis=1)
reach = np.abs(noise).max()
beyond = int((effect.abs() > reach).sum())
report.paste(beyond=beyond)

# %% tags=["hide-input"] mystnb={"code_prompt_show": "Draw the steps", "figure": {"caption": "Change of NNUE's evaluation when its activations move one step along each concept. The band holds all random directions of the same length.", "name": "fig-02-steps"}, "image": {"alt": "Horizontal bars for 21 concepts, some far outside a shaded band around zero."}}
fig, ax = plt.subplots(figsize=(7.0, 3.0))
effect.sort_values().plot.barh(ax=ax, width=0.8, fontsize=7)
ax.axvspan(-reach, reach, color="#E69F00", alpha=0.3, label="all random directions")
ax.set_xlabel("change of the evaluation, pawns for White, by a step along the concept")
ax.legend()
plt.show()

# %% [markdown]
# Steps along {glue:text}`beyond` of 21 concepts move the evaluation further than every random
# direction; the others do no more than a random disturbance.
#
# ## What single choices cost
#
# A network that sees each board from the side to move cannot know who is White, so its concepts
# must be the *mover's own* and the *opponent's*.

# %% tags=["hide-input"] mystnb={"code_prompt_show": "Other points of view, layers and linear probes"}
by_mover = load_expert("nnue", view="mover")
_, _, own_terms = probe_layer(by_mover, "pairwise")
_, _, wrong_terms = probe_layer(by_mover, "pairwise", turn=False)
of_solver = {}
for name in ("svm", "logistic", "ridge"):
    _, of_solver[name], _ = probe_layer(expert, layer, every=2, solver=name)

costs = {"view": accuracy(own_terms, minus=wrong_terms)}
for choice, tried in (("layer", of_layer), ("solver", of_solver)):
    worst, *_, best = sorted(tried.values(), key=lambda results: accuracy(results).value)
    costs[choice] = accuracy(best, minus=worst)
report.paste(
    view_costs=costs["view"].value,
    layer_costs=costs["layer"].value,
    solver_costs=costs["solver"].value,
)

# %% [markdown]
# The wrong point of view costs {glue:text}`view_costs:.2f` of accuracy, the worst layer
# {glue:text}`layer_costs:.2f`, the worst linear probe {glue:text}`solver_costs:.2f`. Table 6's fit is
# right on {glue:text}`fitted_rows:.1%` of the positions that it was fitted on.

# %% tags=["hide-cell"] mystnb={"code_prompt_show": "A split by position instead of by game"}
leaks = {}
game_of = labelled.games[drawn]
place_in_game = pd.Series(game_of).groupby(game_of).cumcount()
for per_game in (5, sizes.per_game):
    of_these = drawn[place_in_game < per_game]
    dealt_rows = np.sort(of_these)[: sizes.control]
    by_game = labelled.take(dealt_rows)
    activations = features[dealt_rows]
    dealt = np.random.default_rng(seed).permutation(by_game.splits)
    by_position = replace(by_game, games=np.arange(len(by_game)), splits=dealt)
    for name, parted in (("by game", by_game), ("by position", by_position)):
        fit = fit_concepts(activations, parted, cs=(1e-3,), seed=seed)
        results = held_out(fit, activations, parted)
        leaks[name, f"{per_game} a game"] = accuracy(results)
seen_rows = held_out(fitted, features, labelled, "train")
of_concepts = seen_rows.groupby("concept")["correct"].mean()
report.paste(fitted_rows=of_concepts.mean())
report.table(pd.Series(leaks).unstack(0), caption="Mean test accuracy, by split", digits=3)

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
blocks = {}
for name in leela.layers if leela else ():
    blocks[name] = probe_layer(leela, name, every=4)
report.paste(quarter_n=len(control_fens[::4]))

# %% tags=["hide-cell"] mystnb={"code_prompt_show": "Accuracy by block"}
committed_leela = {
    "its best block": "table6.mean.leela",
    "the board alone": "table6.mean.leela_input",
    "difference": "gain_over_board.leela",
    "concepts, of 21, that steer beyond every random direction": "steering.leela.beyond_random",
}
columns = ["validation accuracy", "test accuracy"]
held = {name: list(map(accuracy, results)) for name, (_, *results) in blocks.items()}
of_leela = pd.DataFrame(held, index=columns).T
(
    report.table(of_leela, caption="Leela: mean accuracy of 21 concepts, by block", digits=3)
    if leela
    else report.without("a Leela network", "02_concept_vectors", committed_leela)
)

# %% tags=["hide-input"] mystnb={"code_prompt_show": "Leela, steered along its own concepts"}
leela_mean = leela_input = leela_gain = leela_beyond = None
if leela:
    validated_by = of_leela["validation accuracy"].map(lambda cell: cell.value)
    best_block = validated_by.idxmax()
    fit, _, best_tested = blocks[best_block]
    _, _, input_tested = blocks["input"]
    leela_mean = accuracy(best_tested)
    leela_input = accuracy(input_tested)
    leela_gain = accuracy(best_tested, minus=input_tested)
    theirs = [fen for fen in control_fens[::4] if " w " in fen]
    theirs = theirs[: sizes.steered // 4]
    along = fit.vectors.directions()
    moved = steer(leela, best_block, theirs, along).mean(axis=1)
    anywhere = random_directions(along.shape[1])
    noise = steer(leela, best_block, theirs, anywhere).mean(axis=1)
    leela_reach = np.abs(noise).max()
    leela_beyond = int((np.abs(moved) > leela_reach).sum())

# %% tags=["remove-input"]
leela_said = None
if leela:
    leela_said = f"""Of the test positions between the tails `{best_block}` is right on
{leela_mean.value:.3f}, the board alone on {leela_input.value:.3f}: a difference of
{leela_gain.value:.3f}. Steered along its own concepts there, its evaluation moves further than by
every random direction for {leela_beyond} of 21."""
Markdown(leela_said) if leela else None

# %% tags=["remove-input"]
finding = "A linear classifier reads chess concepts off a network's hidden layer"
if board_suffices:
    finding += ", but nearly as well off the bare board, with no network behind it"
opening = f"""Its mean accuracy on 21 concepts is {mean.value:.2f} with the network,
{board_mean.value:.2f} with the board alone and {paper_mean:.2f} in the CCC paper."""
most_added = [name for name in by_gain if gains[name].low > 0.1]
if most_added and gain.low > 0:
    opening += f" The network does add something: most to {', '.join(most_added)}."
report.paste(
    finding=Markdown(f"**{finding}.**"),
    opening=Markdown(opening),
    random_weights=controls["random weights"].value,
    piece_counts=controls["piece counts"].value,
    r2_probe=r2["NNUE, probe"],
    r2_regression=r2["NNUE, regression"],
    idle=21 - beyond,
)

# %% [markdown]
# ## Recap
#
# - A probe's accuracy needs a baseline, and the bare board is a strong one; random weights reach
#   {glue:text}`random_weights:.2f`, counts of pieces {glue:text}`piece_counts:.2f`.
# - Commentary needs scores of ordinary positions. There the probe explains
#   {glue:text}`r2_probe:.0%` of a term's variance, a regression on the same activations
#   {glue:text}`r2_regression:.0%`.
# - That a concept can be read does not make it used: {glue:text}`idle` of NNUE's 21 vectors steer no
#   better than random directions.

# %% tags=["remove-input"]
means = {
    "nnue": report.Result.of(
        mean,
        "accuracy",
        reference=float(paper_mean),
        source="CCC paper, Table 6, mean of 21 accuracies",
    ),
    "board": board_mean,
    "paper": float(paper_mean),
    "random_weights": controls["random weights"],
}
names = {name: name.lower().replace(" ", "_") for name in oracle.TERMS}
by_concept = {}
for measure, ending in (
    ("accuracy", ()),
    ("precision", ("precision",)),
    ("recall", ("recall",)),
):
    keys = {(key, "nnue", *ending): name for name, key in names.items()}
    cells = {key: measures[measure].get(name) for key, name in keys.items()}
    published = {
        key: reference.lookup("ccc", "table6", name, measure.capitalize())
        for key, name in keys.items()
    }
    by_concept |= report.rows(cells, "table6", unit=measure, reference=published, drop=True)

people_rows = {
    "mean": by_kind.get(("NNUE", "people's", "people's")),
    ("board", "mean"): by_kind.get(("bare board", "people's", "people's")),
    "gain_over_board": people_gain,
}
transfer_rows = {
    ("selfplay_to_people", "mean"): by_kind.get(("NNUE", "self-play", "people's")),
    ("people_to_selfplay", "mean"): by_kind.get(("NNUE", "people's", "self-play")),
    ("selfplay_to_selfplay", "mean"): by_kind.get(("NNUE", "self-play", "self-play")),
    ("selfplay_to_people", "board", "mean"): by_kind.get(
        ("bare board", "self-play", "people's")
    ),
    ("people_to_selfplay", "board", "mean"): by_kind.get(
        ("bare board", "people's", "self-play")
    ),
}
variance = {
    key: report.Result(r2[name], n=len(varying), unit="share of variance")
    for key, name in zip(("nnue", "board", "regression"), read_by, strict=True)
}


def of_21(concepts, needs=""):
    return report.Result(concepts, n=21, unit="concepts", needs=needs)


leelas = {"unit": "accuracy", "needs": "a Leela network"}
theirs = {"unit": "accuracy", "needs": "people's games"}
of_leela = {"leela": leela_mean, "leela_input": leela_input}
added = {"mean": gain, "matched": matched_gain}
report.save(
    "02_concept_vectors",
    report.rows(means, "table6.mean", unit="accuracy"),
    report.rows(of_leela, "table6.mean", **leelas),
    by_concept,
    report.rows(people_rows, "table6.people", **theirs),
    report.rows(transfer_rows, "table6.transfer", **theirs),
    report.rows(added, "gain_over_board", unit="accuracy"),
    report.rows(leela_gain, "gain_over_board.leela", **leelas),
    report.rows(variance, "r2.mean"),
    report.rows(costs, "cost", unit="accuracy"),
    report.rows(layers, "layer", unit="accuracy, validation"),
    report.rows(of_21(beyond), "steering.nnue.beyond_random"),
    report.rows(of_21(leela_beyond, leelas["needs"]), "steering.leela.beyond_random"),
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
