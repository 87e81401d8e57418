# ---
# jupyter:
#   kernelspec:
#     display_name: Python 3 (ipykernel)
#     language: python
#     name: python3
# ---

# %% [markdown]
# # Which concepts does a move change?
#
# {glue:md}`opening_published` {glue:md}`opening_model`
#
# ```{glue:figure} first_five
# :name: fig-03-first-five
# :alt: Five horizontal bars, the paper's ranking between random choice and a fixed list, two models far to the right.
# How many of the five concepts that a move changes most are named by five ways of choosing, with 95 %
# intervals over games: moves of games that nothing was fitted to.
# ```
#
# The CCC paper {cite}`kim2024ccc` tells its language model which concepts matter for a move: those
# whose scores differ most before and after it (Section 3.1.2, Figure 2). The paper does not measure
# this ranking. It can be measured: Stockfish 8 gives each of the 21 terms before and after a move,
# and so how much each one really changes.

# %% tags=["parameters", "hide-input"] mystnb={"code_prompt_show": "Parameters: the layer that is read"}
profile = "book"
seed = 1
layer = "pairwise+clipped"
leela_layer = (
    None  # where a Leela network is read: a block such as "block39", else the middle one
)

# %% tags=["hide-input"] mystnb={"code_prompt_show": "Imports"}
import json
from dataclasses import replace
from itertools import pairwise
import matplotlib.pyplot as plt
import numpy as np
import pandas as pd
from IPython.display import Markdown
from myst_nb import glue
from sklearn.metrics import r2_score

from chessgloss import assets, oracle, report
from chessgloss.book.profiles import load_sizes
from chessgloss.concepts import changes
from chessgloss.concepts import scores as ranking
from chessgloss.concepts.answers import ask_control, read_answers
from chessgloss.concepts.fit import (
    SVM_C,
    cut_tails,
    fit_concepts,
    fit_linear,
    fit_ridge,
    labelled_before,
    turn_terms,
)
from chessgloss.concepts.priority import (
    SOURCES,
    ChangeModel,
    prioritise,
    weights_file,
)
from chessgloss.concepts.vectors import ConceptVectors
from chessgloss.corpora.games import of_split, people_games, read_games
from chessgloss.experts import joined_activations, load_expert
from chessgloss.positions import read_move, repair_fen
from chessgloss.stats import mean_interval
from chessgloss.store import default_store, find_project

sizes = load_sizes("03_prioritisation", profile)
report.use_house_style()

# %% [markdown]
# ## One move, step by step
#
# The move 21. Bxe6+ comes from the paper's Figure A6. Change position or move, and run on from
# there.

# %% tags=["hide-input"] mystnb={"code_prompt_show": "The move, and what Stockfish 8 says it changes"}
position = repair_fen("r5qr/p1p2k2/1p1pp3/3QbB1N/4P3/1P6/P1P3PP/2B3K1 w - - 0 21").position
played = read_move(position, "Bxe6+")
around = [position.fen, played.after().fen]
terms_around = oracle.evaluate_terms(around, oracle.stockfish8(), progress=False).middlegame
both = pd.DataFrame(terms_around.T, index=oracle.TERMS, columns=["before", "after"])
both["change"] = both["after"] - both["before"]
largest = both["change"].abs().sort_values(ascending=False, kind="stable").index[:5]
report.boards(
    report.board(played, size=240),
    report.table(both.loc[largest], caption="The five largest changes, in pawns"),
)

# %% [markdown]
# The change of the network's activations is projected on the 21 concept vectors of the chapter
# before. The larger the projection, the earlier the concept is named.

# %%
expert = load_expert("nnue")
activations = joined_activations(expert, around, layer, dtype=np.float32)
activation_change = activations[1] - activations[0]
vectors = ConceptVectors.load(weights_file("nnue-svm-tails"))
score_change = vectors.weights @ activation_change  # the same bias before and after: it cancels
by_score = np.argsort(-np.abs(score_change), kind="stable")
print(f"{activations.shape = }, of which the move changes {(activation_change != 0).sum()}")
print(f"{vectors.weights.shape = }, {score_change.shape = }")
print("named:", ", ".join(oracle.TERMS[k] for k in by_score[:5]))

# %% [markdown]
# What really changed is known. Changes are compared in standard deviations over
# {glue:text}`n_train:,` training moves, so that a pawn of Material and a hundredth of Space count
# alike. *Precision@5* is the share of the five named concepts that are among the five most changed.

# %% tags=["hide-input"] mystnb={"code_prompt_show": "Moves, and the changes of their terms"}
games = list(read_games(find_project() / "data/games/selfplay.tsv.zst"))
wanted = {
    "train": sizes.fitted_games,
    "validation": sizes.held_out_games,
    "test": sizes.held_out_games,
}
chosen = [game for split, most in wanted.items() for game in of_split(games, split)[:most]]
sampled = changes.sample_moves(chosen, sizes.per_game, seed=seed)
moves = changes.measure_changes(sampled, default_store())

train, validation, test = (moves.part(split) for split in wanted)
spread = train.spread()
truth = {
    name: part.changes / spread
    for name, part in (("train", train), ("validation", validation), ("test", test))
}
report.paste(n_train=len(train), n_validation=len(validation), n_test=len(test))
often = ranking.top_mask(np.abs(truth["train"])) & (truth["train"] != 0)
frequent = np.argsort(-often.mean(axis=0), kind="stable")[:5]

# %%
true_change = (terms_around[1] - terms_around[0]) / spread
fifth_largest = np.sort(np.abs(true_change))[-5]
hits_named = np.abs(true_change[by_score[:5]]) >= fifth_largest
hits_frequent = np.abs(true_change[frequent]) >= fifth_largest
print(f"precision@5 of {played.numbered_san}: the paper's ranking {hits_named.mean():.1f},")
print(f"the five terms that training moves change most often {hits_frequent.mean():.1f}")

# %% tags=["hide-cell"] mystnb={"code_prompt_show": "This move ranked twice: a figure", "figure": {"caption": "One move ranked twice: the size of each term's change by the concept vectors (left) and by Stockfish 8 (right). In colour the first five of each side; what is coloured on both sides is a hit.", "name": "fig-03-two-rankings"}, "image": {"alt": "Two mirrored bar charts of 21 terms, five bars in colour on each side."}}
order = by_score[::-1]
names = [oracle.TERMS[k] for k in order]
sides = {
    "by the vectors (margins)": score_change,
    "by Stockfish 8 (st. dev.)": true_change,
}
fig, axes = plt.subplots(1, 2, figsize=(8.0, 4.2), sharey=True)
for ax, (title, change) in zip(axes, sides.items(), strict=True):
    first_five = np.abs(change[order]) >= np.sort(np.abs(change))[-5]
    ax.barh(names, np.abs(change[order]), color=np.where(first_five, "#0072B2", "#bbbbbb"))
    ax.set_xlabel(f"change {title}")
axes[0].invert_xaxis()
axes[0].set_title(played.numbered_san, loc="left")
plt.show()

# %% tags=["hide-cell"] mystnb={"code_prompt_show": "The library counts the same"}
assert np.allclose(
    vectors.score_changes(activations[:1], activations[1:])[0], score_change, atol=1e-3
)
[library_precision] = ranking.precision(np.abs(score_change)[None], true_change[None])
assert library_precision == hits_named.mean() or fifth_largest == 0
print(
    f"precision@5 by the cell {hits_named.mean():.1f}, by the library {library_precision:.1f}"
)

# %% [markdown]
# ## Moves and measures
#
# Moves are drawn from whole games: {glue:text}`n_train:,` to fit on, {glue:text}`n_validation:,` to
# choose on, {glue:text}`n_test:,` for the numbers that are reported. {glue:text}`unchanged:.0%` of
# all changes are exactly zero, and {glue:text}`few:.0%` of the moves change fewer than five terms.
# Hence three measures:
#
# - **nDCG@5**, on all moves: the first five terms named, each worth the size of its true change,
#   earlier ones more. The best possible order has 1.
# - **precision@5**, on moves that change at least five terms.
# - **sign**: of the first five terms that do change, the share whose direction is right.

# %% tags=["hide-cell"] mystnb={"code_prompt_show": "Test moves by kind, and how many terms they change"}
changed = test.changes != 0
kinds = pd.DataFrame(
    {
        "kind": test.moves["kind"],
        "terms changed": changed.sum(axis=1),
        "fewer than five": changed.sum(axis=1) < 5,
    }
)
by_kind = kinds.groupby("kind").mean().loc[list(changes.KINDS)].rename_axis(None)
by_kind.insert(0, "moves", kinds["kind"].value_counts())
report.paste(unchanged=1 - changed.mean(), few=kinds["fewer than five"].mean())
report.table(by_kind, caption="Test moves by kind; a capture with check is a capture")

# %% [markdown]
# ## What was published, what a constant does, what works
#
# :::{dropdown} How each ranking is made
# | ranking | how it is made |
# |---|---|
# | fixed lists | one list for every move, or for every kind of move, learned on training moves: by how often a term is among the first five, or by its mean change |
# | the paper's | difference of two scores, from SVMs fitted on as many positions as the paper's ({glue:text}`tails_from:,`), or on the tails of the training moves' ({glue:text}`tail:,` a tail) |
# | after the reply | as the released code does: the second position is the one after the reply |
# | calibrated | each concept's scores brought to one scale |
# | ridge on states | a regression estimates each term; difference of two estimates |
# | ridge on changes | a regression from the change of the activations to the *change* of the term |
# | the models | two hidden layers, which see the activations (or the board) before the move and their change; trained on {glue:text}`trained_on:,` moves |
# :::
#
# A line cannot say "it depends on the position"; a model with hidden layers can.

# %% tags=["hide-input"] mystnb={"code_prompt_show": "Fixed lists, and the activations of all moves"}
random = np.random.default_rng(seed)
shape = truth["test"].shape
ones = np.ones((len(test), 1))
sizes_of_changes = pd.DataFrame(np.abs(truth["train"]))
by_kind_of_move = sizes_of_changes.groupby(train.moves["kind"]).mean()
rankings = {
    "random": random.random(shape),
    "fixed list, by frequency": ones * often.mean(axis=0),
    "fixed list, by size": ones * sizes_of_changes.mean().to_numpy(),
    "list by kind of move": by_kind_of_move.reindex(test.moves["kind"])
    .fillna(sizes_of_changes.mean())
    .to_numpy(),
}
signed = {}


def read(moves, side):
    return joined_activations(expert, moves[side].tolist(), layer, dtype=np.float32)


def calibrated_units(score_changes, truth):
    """A straight line through zero for each concept, from the size of one to the other's."""
    size = np.abs(score_changes).astype(float)
    return (size * np.abs(truth)).sum(axis=0) / np.maximum((size**2).sum(axis=0), 1e-12)


before, after = (
    {name: read(part.moves, side) for name, part in (("train", train), ("test", test))}
    for side in ("before", "after")
)

# %%
fitted = fit_linear(before["train"], after["train"], train, penalty=0.1, seed=seed)
paper = {name: fitted["svm"].score_changes(before[name], after[name]) for name in before}
units = calibrated_units(paper["train"], truth["train"])
signed["the paper's, on training moves"] = paper["test"]
signed["that, after the reply"] = fitted["svm"].score_changes(
    before["test"], read(test.moves, "replied")
)
signed["that, calibrated"] = paper["test"] * units
report.paste(tail=cut_tails(train.before[:, 0], seed=seed).positive.sum())

wide = {name: vectors.score_changes(before[name], after[name]) for name in before}
signed["the paper's ranking"] = wide["test"]
signed["the paper's, calibrated"] = wide["test"] * calibrated_units(
    wide["train"], truth["train"]
)
report.paste(tails_from=int(vectors.about["positions"]))

states = fitted["states"].score_changes(before["test"], after["test"])
signed["ridge on states, difference"] = states / spread
signed["ridge on changes"] = fitted["changes"].scores(after["test"] - before["test"])

# %% tags=["hide-input"] mystnb={"code_prompt_show": "Ask the two models"}
models = {"model on the board": "onehot", "model on NNUE": "nnue"}


def ask_models(moves):
    """Return changes and ranking of both models."""
    around = (moves[side].tolist() for side in ("before", "after"))
    by_network = ChangeModel.load(weights_file("nnue")).predict(SOURCES["nnue"](), *around)
    return dict(zip(models, (ask_control(moves), by_network), strict=True))


for name, answers in ask_models(test.moves).items():
    signed[name], rankings[name] = answers
bare_asked = np.isfinite(rankings["model on the board"]).all(axis=1)
if not bare_asked.all():
    print(f"the model on the bare board was asked about {bare_asked.sum():,} of these moves")
logs = {
    source: json.loads(weights_file("nnue").with_name(f"{source}.json").read_text())
    for source in models.values()
}
report.paste(trained_on=logs["nnue"]["moves"])

# %% tags=["hide-input"] mystnb={"code_prompt_show": "Measure all rankings"}
for name, scores in signed.items():
    rankings.setdefault(name, np.abs(scores))


def measured(values, rows=True):
    known = np.isfinite(values) & rows
    return mean_interval(values[known], test.moves["game"][known], seed=seed)


def sign_accuracy(scores, predicted, truth, top=ranking.TOP):
    """How often the direction is right among the first terms that do change; NaN where none does."""
    ranked = ranking.top_columns(scores, top)
    real, said = (np.take_along_axis(values, ranked, axis=1) for values in (truth, predicted))
    real[np.isnan(said)] = 0
    right = ((np.sign(real) == np.sign(said)) & (real != 0)).sum(axis=1)
    moved = (real != 0).sum(axis=1)
    return np.divide(right, moved, out=np.full(len(real), np.nan), where=moved > 0)


gains = {name: ranking.ndcg(scores, truth["test"]) for name, scores in rankings.items()}
hits = {name: ranking.precision(scores, truth["test"]) for name, scores in rankings.items()}
signs = {name: sign_accuracy(rankings[name], signed[name], truth["test"]) for name in signed}
by_measure = {"nDCG@5": gains, "precision@5": hits, "sign": signs}
summary = pd.DataFrame(
    {
        title: {name: measured(values) for name, values in each.items()}
        for title, each in by_measure.items()
    }
)
summary = summary.loc[[*(name for name in rankings if name not in signed), *signed]]
report.table(
    summary.map("{:.3f}".format, na_action="ignore"),
    caption="Test moves, with 95 % intervals over games",
)

# %% tags=["hide-cell"] mystnb={"code_prompt_show": "Differences on the same moves"}
best, bare = "model on NNUE", "model on the board"
published = "the paper's, on training moves"
calibrated = "that, calibrated"
wide_name, guess = "the paper's ranking", "list by kind of move"
wide_calibrated = "the paper's, calibrated"
ignorant = summary.loc[["fixed list, by frequency", "fixed list, by size"]]
constant = {
    title: max(ignorant[title], key=lambda cell: cell.value)
    for title in by_measure
    if title != "sign"
}
over_board = measured(gains[best] - gains[bare])
five = max(ignorant.index, key=lambda name: ignorant["precision@5"][name].value)
measures = {"nDCG@5": gains, "precision@5": hits}
steps_up = (
    (wide_name, five),
    (wide_name, guess),
    (wide_calibrated, guess),
    ("ridge on changes", wide_calibrated),
    (best, "ridge on changes"),
    (best, bare),
    (wide_name, published),
)
differences = {
    f"{name} − {other}": {
        title: f"{measured(what[name] - what[other]):.3f}" for title, what in measures.items()
    }
    for name, other in steps_up
}
report.table(
    pd.DataFrame(differences).T, caption="Differences on the same moves, with 95 % intervals"
)


# %% tags=["remove-input"]
def relation(gap, above, below, neither):
    return above if gap.low > 0 else below if gap.high < 0 else neither


lost = [
    title
    for title, what in measures.items()
    if measured(what[wide_name] - what[guess]).low <= 0
]
unaided = (
    f"""**By {" and by ".join(lost)}, the published ranking does not beat a guess that knows only the
kind of move.**"""
    if lost
    else ""
)
linear = [name for name in signed if name not in models]
learned = (
    """The model that learned the changes is ahead of every linear method."""
    if all(measured(gains[best] - gains[name]).low > 0 for name in linear)
    else ""
)
board_has = (
    f"""So is the same model on the bare board, without the network: its nDCG@5 is
{measured(gains[bare]).value:.2f}."""
    if all(measured(gains[bare] - gains[name]).low > 0 for name in linear)
    else ""
)
Markdown(" ".join([unaided, learned, board_has]))

# %% tags=["hide-input"] mystnb={"code_prompt_show": "The opening and its figure"}
shares = {
    name: 100 * summary["precision@5"][name].value for name in (wide_name, five, best, bare)
}
than_five = relation(
    measured(hits[wide_name] - hits[five]),
    "more than",
    "fewer than",
    "not distinguishable from",
)
than_bare = relation(
    measured(hits[best] - hits[bare]), "a little more than", "less than", "no more than"
)
report.paste(
    opening_published=Markdown(f"""**Of the five concepts that a move changes most, the CCC paper's
ranking names {shares[wide_name]:.0f} %, {than_five} the {shares[five]:.0f} % of a fixed list of
five that does not look at the move.**"""),
    opening_model=Markdown(f"""A small model trained on the changes themselves names
{shares[best]:.0f} %, {than_bare} the {shares[bare]:.0f} % of the same model without the network."""),
)

five_ways = {
    "drawn at random": "random",
    "the paper's ranking": wide_name,
    "a fixed list": five,
    "a model of the bare board": bare,
    "a model of the network": best,
}
figure, ax = plt.subplots(figsize=(7.0, 1.9))
for place, (label, name) in enumerate(five_ways.items()):
    cell = summary["precision@5"][name]
    ends = [[100 * (cell.value - cell.low)], [100 * (cell.high - cell.value)]]
    colour = "#D55E00" if name == wide_name else "#0072B2" if name in models else "#bbbbbb"
    ax.barh(label, 100 * cell.value, xerr=ends, color=colour, height=0.7)
    ax.text(100 * cell.high + 1, place, f"{100 * cell.value:.0f}", va="center")
ax.invert_yaxis()
ax.set_xlim(0, 100)
ax.set_xlabel("% of the five concepts that a move changes most")
glue("first_five", figure, display=False)
plt.close(figure)

# %% [markdown]
# ## The same moves for every method, and kinds of move
#
# With the same {glue:text}`equal_moves:,` training moves for every method, {glue:text}`equal_says`.
# The hardest list to beat knows the kind of move; the model on NNUE beats it within
# {glue:text}`kinds_beaten` of five kinds.

# %% tags=["hide-input"] mystnb={"code_prompt_show": "What the models of the curve name first"}
EQUAL = "equal"  # the models trained on this chapter's own moves
about = json.loads(weights_file("curve").with_suffix(".json").read_text())
points = {point["name"]: point for point in about["points"]}
named_first = read_answers("curve", test.moves)


def of_curve(name, measure):
    return measure(named_first[name], truth["test"])


sources = {"board": "onehot", "nnue": "nnue"}
equal = {
    "paper": published,
    "calibrated": calibrated,
    "states": "ridge on states, difference",
    "linear": "ridge on changes",
}
equal_gains = {key: gains[name] for key, name in equal.items()}
equal_hits = {key: hits[name] for key, name in equal.items()}
for key, source in sources.items():
    equal_gains[key] = of_curve(f"{source}-{EQUAL}", ranking.ndcg)
    equal_hits[key] = of_curve(f"{source}-{EQUAL}", ranking.precision)
equal |= {"board": bare, "nnue": best}
fitted_on = {
    key: points[f"{sources[key]}-{EQUAL}"]["moves"] if key in sources else len(train)
    for key in equal
}

# %% tags=["hide-cell"] mystnb={"code_prompt_show": "Every method with the same training moves"}
# The models: `python data/priority/train.py curve`, which keeps what they name first.
equal_table = pd.DataFrame(
    {
        "training moves": pd.Series(fitted_on, dtype=object),
        "nDCG@5": {key: f"{measured(values):.3f}" for key, values in equal_gains.items()},
        "precision@5": {key: f"{measured(values):.3f}" for key, values in equal_hits.items()},
    }
)
report.paste(equal_moves=fitted_on["nnue"])
report.table(
    equal_table.rename(index=equal),
    caption="Test moves; every method with the same training moves",
)

# %% tags=["remove-input"]
same_moves = len(set(fitted_on.values())) == 1
names_of = {"nnue": "the model on NNUE", "board": "the model on the bare board"}
ahead = [
    names_of[key]
    for key in names_of
    if measured(equal_gains[key] - equal_gains["linear"]).low > 0
]
equal_says = f"{' and '.join(ahead) or 'neither model'} came out ahead of the regressions"
if not same_moves:
    equal_says = "nothing can be said here, because at these sizes they are not the same"
report.paste(equal_says=equal_says)

# %% tags=["hide-input"] mystnb={"code_prompt_show": "Measure within each kind of move"}
kind_rows = {kind: (test.moves["kind"] == kind).to_numpy() for kind in changes.KINDS}
within = pd.DataFrame(
    {
        name: {kind: measured(gains[name], rows) for kind, rows in kind_rows.items()}
        for name in (guess, wide_name, "ridge on changes", bare, best)
    }
)
beaten = [kind for kind in changes.KINDS if within[best][kind].low > within[guess][kind].high]
report.paste(kinds_beaten=len(beaten))

# %% tags=["hide-cell"] mystnb={"code_prompt_show": "By kind of move: a figure", "figure": {"caption": "How well the changes are ranked, by kind of move: nDCG@5 of the methods side by side.", "name": "fig-03-kinds"}, "image": {"alt": "Groups of bars, one group for each kind of move and one bar for each method."}}
fig, ax = plt.subplots(figsize=(7.0, 3.0))
for place, name in enumerate(within.columns):
    heights = [cell.value for cell in within[name]]
    ax.bar(np.arange(len(within)) + 0.16 * (place - 2), heights, width=0.15, label=name)
ax.set_xticks(range(len(within)), within.index)
ax.set_ylabel("nDCG@5")
ax.set_ylim(0, 1)
ax.legend(ncols=2, loc="lower center", bbox_to_anchor=(0.5, 1.0))
plt.show()

# %% [markdown]
# ## Which layer, which expert, which terms?
#
# A ridge regression on the change of each layer learns from {glue:text}`line_moves:,` training
# moves and is measured on validation moves.

# %% tags=["hide-input"] mystnb={"code_prompt_show": "A regression on each layer"}
few, unseen = (
    part.take(np.arange(len(part)) < most)
    for part, most in ((train, 6_000), (validation, 3_000))
)
report.paste(line_moves=len(few))
shuffled = load_expert("nnue", random_weights=seed)
board = load_expert("onehot")
candidates = {
    f"NNUE, {name}": (expert, name)
    for name in ("accumulators", "clipped", "pairwise", "pairwise+clipped", "hidden1")
}
candidates |= {"random weights": (shuffled, layer), "bare board": (board, "board")}
by_layer = {}


def change_of(which, moves, where, after="after"):
    first, last = (
        joined_activations(which, moves[side].tolist(), where, dtype=np.float32)
        for side in ("before", after)
    )
    return last - first


for name, (which, where) in candidates.items():
    moved = [change_of(which, part.moves, where) for part in (few, unseen)]
    line = fit_ridge(moved[0], few.changes / spread, oracle.TERMS, alpha=0.1 * len(few))
    by_layer[name] = ranking.ndcg(np.abs(line.scores(moved[1])), unseen.changes / spread)


def give_back(fen):
    """The same board, and the other side to move: the position after a move as the mover sees it."""
    placement, turn, castling, _, *counters = fen.split(" ")
    return " ".join([placement, "b" if turn == "w" else "w", castling, "-", *counters])


try:
    leela = load_expert("leela", assets.locate("leela", fetch=False))
    middle = leela_layer or leela.layers[len(leela.layers) // 2]
    turned = [
        part.moves.assign(returned=part.moves["after"].map(give_back)) for part in (few, unseen)
    ]
    moved = [change_of(leela, moves, middle, after="returned") for moves in turned]
    own = [
        turn_terms(
            part.changes / spread, oracle.TERMS, part.moves["before"].str.contains(" w ")
        )
        for part in (few, unseen)
    ]
    line = fit_ridge(moved[0], own[0], oracle.TERMS, alpha=0.1 * len(few))
    by_layer["Leela, a middle block"] = ranking.ndcg(np.abs(line.scores(moved[1])), own[1])
except assets.AssetMissing:
    leela = None


# %% tags=["hide-cell"] mystnb={"code_prompt_show": "The layers of NNUE, the board and a Leela network"}
def of_unseen(values):
    known = np.isfinite(values)
    return mean_interval(values[known], unseen.moves["game"][known], seed=seed)


layer_means = {name: of_unseen(values) for name, values in by_layer.items()}
no_leela = report.without(
    "a Leela network",
    "03_prioritisation",
    {"Ridge on changes, Leela, a middle block, nDCG@5": "priority.ndcg.leela"},
)
report.boards(
    report.table(
        pd.Series(layer_means, name="nDCG@5").map("{:.3f}".format).to_frame(),
        caption="Ridge on changes: validation moves, by layer and expert",
    ),
    *([] if leela else [no_leela]),
)


# %% tags=["hide-cell"] mystnb={"code_prompt_show": "The published ranking on either network"}
def published_gain(network, where, terms, differences, true_changes):
    """Gains of the paper's ranking on validation moves, its vectors fitted before training moves."""
    states = joined_activations(network, few.moves["before"].tolist(), where)
    seen = replace(labelled_before(few), values=terms)
    svm = fit_concepts(states, seen, cs=(SVM_C,), seed=seed).vectors
    return ranking.ndcg(np.abs(differences @ svm.weights.T), true_changes)


of_published = {}
if leela:
    own_terms = turn_terms(few.before, oracle.TERMS, few.moves["before"].str.contains(" w "))
    of_published[f"Leela, {middle}"] = published_gain(
        leela, middle, own_terms, moved[1], own[1]
    )
moved_nnue = change_of(expert, unseen.moves, layer)
of_published[f"NNUE, {layer}"] = published_gain(
    expert, layer, few.before, moved_nnue, unseen.changes / spread
)
published_means = {name: of_unseen(values) for name, values in of_published.items()}
report.table(
    pd.Series(published_means, name="nDCG@5").map("{:.3f}".format).to_frame(),
    caption="The paper's ranking, validation moves",
)

# %% tags=["remove-input"]
line_gap = of_unseen(by_layer[f"NNUE, {layer}"] - by_layer["bare board"])
read_linearly = relation(line_gap, "more than", "less than", "no measurably other value than")
Markdown(f"""Read by a line, the layers of this chapter give {read_linearly} the change of the bare
board (nDCG@5 {line_gap.value:+.2f}).""")

# %% [markdown]
# Stockfish 8's terms are exact, so a perfect ranking scores 1. The terms most often missed are
# {glue:text}`most_missed_terms`.

# %% tags=["hide-cell"] mystnb={"code_prompt_show": "All 21 terms: how often they change, and how often they are missed"}
wanted_terms, named = (
    ranking.top_mask(each) for each in (np.abs(truth["test"]), rankings[best])
)
missed = np.where(wanted_terms & ~named, np.abs(truth["test"]), 0)
terms = pd.DataFrame(
    {
        "share of moves": changed.mean(axis=0),
        **{
            f"R², {name}": r2_score(
                truth["test"][bare_asked], signed[which][bare_asked], multioutput="raw_values"
            )
            for name, which in (("line", "ridge on changes"), ("board", bare), ("NNUE", best))
        },
        "share of missed gain": missed.sum(axis=0) / missed.sum(),
    },
    index=oracle.TERMS,
)
most_missed = terms.sort_values("share of missed gain", ascending=False, kind="stable")
report.paste(most_missed_terms=f"{', '.join(most_missed.index[:4])} and {most_missed.index[4]}")
report.table(terms, caption="All terms, test moves")

# %% [markdown]
# ## How much is there to learn from?
#
# The terms follow from the board alone, so a model with enough moves can compute them without a
# network, which should give it a head start. Each point of the curve is one model trained to its
# own optimum: after {glue:text}`patience` passes without a better nDCG@5 on validation games the
# learning rate falls to a fifth; after the third time, or after {glue:text}`most_passes` passes,
# training ends. One seed was tried.

# %% tags=["hide-input"] mystnb={"code_prompt_show": "Measure the curve"}
curve = pd.DataFrame([point for name, point in points.items() if not name.endswith(EQUAL)])
curve["nDCG@5"] = [measured(of_curve(name, ranking.ndcg)) for name in curve["name"]]
curve["precision@5"] = [measured(of_curve(name, ranking.precision)) for name in curve["name"]]
by_moves = curve.pivot(
    index="moves", columns="source", values=["passes", "nDCG@5", "precision@5"]
)
by_moves = by_moves.rename(columns={"onehot": "board"}, level=1)

named = {
    moves: dict(zip(each["source"], each["name"], strict=True))
    for moves, each in curve.groupby("moves")
}
of_gain = {
    moves: of_curve(names["nnue"], ranking.ndcg) - of_curve(names["onehot"], ranking.ndcg)
    for moves, names in named.items()
}
head_start = {moves: measured(gain) for moves, gain in of_gain.items()}
by_moves["gain in nDCG@5", ""] = pd.Series(head_start)

rule = about["stopping"]
report.paste(patience=rule["patience"], most_passes=rule["most"])

colours = {"nnue": report.PALETTE[0], "onehot": report.PALETTE[1]}
titles = ("nDCG@5", "precision@5")
lines = {"nnue": best, "onehot": bare}
pairs = [(title, source) for title in titles for source in lines]

# %% tags=["hide-input"] mystnb={"code_prompt_show": "Draw the curve", "figure": {"caption": "What more training moves bring, with 95 % intervals over games. Filled points are trained to their optimum; hollow ones are the committed models, three passes over their moves.", "name": "fig-03-curve"}, "image": {"alt": "Two line charts that rise with the number of training moves on a logarithmic axis."}}
fig, axes = plt.subplots(1, 2, figsize=(8.4, 3.4), sharex=True)
for title, source in pairs:
    ax = axes[titles.index(title)]
    points_of = curve[curve["source"] == source]
    cells = points_of.sort_values("moves").set_index("moves")[title]
    ends = np.transpose([[cell.value - cell.low, cell.high - cell.value] for cell in cells])
    ax.errorbar(
        cells.index,
        [cell.value for cell in cells],
        yerr=ends,
        fmt="o-",
        capsize=2,
        color=colours[source],
        label=lines[source],
    )
    ax.plot(
        logs[source]["moves"],
        summary[title][lines[source]].value,
        "o",
        mfc="none",
        color=colours[source],
    )
    ax.set(xscale="log", xlabel="training moves", ylabel=title)
axes[0].legend(loc="lower right")
plt.show()

# %% tags=["hide-cell"] mystnb={"code_prompt_show": "The head start, by number of training moves"}
gain_table = pd.DataFrame(
    {
        "nDCG@5 added by the network": {
            f"{moves:,} moves": f"{gain:.3f}" for moves, gain in head_start.items()
        }
    }
)
committed_moves = logs["nnue"]["moves"]
gain_table.loc[f"{committed_moves:,} moves (committed models)"] = f"{over_board:.3f}"
report.table(gain_table, caption="The head start, by number of training moves")


# %% tags=["remove-input"]
def changes_to(fewer, more):
    gap = measured(of_gain[more] - of_gain[fewer])
    verb = relation(gap, "rises", "falls", "does not measurably change")
    return f"from {fewer:,} to {more:,} moves it {verb} ({100 * gap.value:+.1f} points)"


steps = [changes_to(*pair) for pair in pairwise(sorted(of_gain))]
Markdown(f"""The head start: {"; ".join(steps)}.""")

# %% [markdown]
# ## On people's moves
#
# With a file of people's games (`CHESSGLOSS_ASSET_GAMES`) the rankings are measured on its test
# games. Vectors and models are those fitted on self-play; lists and spreads come from people's
# training games. The committed numbers come from Lichess games of two accounts, mostly at 30 to 180
# seconds a side.

# %% tags=["hide-input"] mystnb={"code_prompt_show": "Moves from people's games, and their rankings"}
people = people_games(sizes.people)
if people:
    most = {"train": sizes.people_fitted, "test": sizes.held_out_games}
    people = [game for split in most for game in of_split(people, split)[: most[split]]]
    drawn = changes.sample_moves(people, sizes.per_game, seed=seed)
    once = ~pd.Series(changes.move_keys(drawn)).duplicated()
    by_people = changes.measure_changes(drawn[once].reset_index(drop=True), default_store())
    people_train = by_people.part("train")
    people_test = by_people.part("test")
    people_spread = people_train.spread()
    train_sizes = pd.DataFrame(np.abs(people_train.changes / people_spread))
    people_truth = people_test.changes / people_spread
    print(f"moves: {len(people_train):,} for the constants, {len(people_test):,} to test")

people_rankings = {}
if people:
    often_there = ranking.top_mask(train_sizes) & (train_sizes.to_numpy() != 0)
    by_kind_there = train_sizes.groupby(people_train.moves["kind"]).mean()
    each_move = np.ones((len(people_test), 1))
    people_rankings = {
        "random": np.random.default_rng(seed).random(people_truth.shape),
        "fixed list, by frequency": each_move * often_there.mean(axis=0),
        "fixed list, by size": each_move * train_sizes.mean().to_numpy(),
        guess: by_kind_there.reindex(people_test.moves["kind"])
        .fillna(train_sizes.mean())
        .to_numpy(),
        wide_name: np.abs(
            vectors.score_changes(*(read(people_test.moves, s) for s in ("before", "after")))
        ),
    }
    for name, (_, answered) in ask_models(people_test.moves).items():
        if np.isfinite(answered).any():
            people_rankings[name] = answered
        else:
            print(f"{name} was not asked about these moves")

# %% tags=["hide-input"] mystnb={"code_prompt_show": "Measure the rankings on people's moves"}
of_measure = {"nDCG@5": ranking.ndcg, "precision@5": ranking.precision}
people_values = {
    title: {name: measure(scores, people_truth) for name, scores in people_rankings.items()}
    for title, measure in of_measure.items()
}


def of_people(values):
    known = np.isfinite(values)
    return mean_interval(values[known], people_test.moves["game"][known], seed=seed)


people_summary = pd.DataFrame(
    {
        title: {name: of_people(values) for name, values in each.items()}
        for title, each in people_values.items()
    }
)
of_committed = {"paper_tails": wide_name, "constant": "a constant list", "best": best}
committed_people = {
    f"{title}, {name}": f"priority.people.{measure}.{key}"
    for title, measure in (("nDCG@5", "ndcg"), ("precision@5", "precision_at_5"))
    for key, name in of_committed.items()
}
beside = {
    f"{title}, {whose}": table[title].map(lambda cell: f"{cell.value:.2f}")
    for title in of_measure
    for whose, table in {"people's": people_summary, "self-play": summary}.items()
    if people
}
(
    report.table(
        pd.DataFrame(beside).loc[list(people_rankings)],
        caption="People's test moves beside self-play's",
    )
    if people
    else report.without("people's games", "03_prioritisation", committed_people)
)

# %% tags=["remove-input"]
people_said = ""
people_recap = "How people's moves are ranked needs people's games: not measured here."


def on_people(name, other, title):
    gap = of_people(people_values[title][name] - people_values[title][other])
    return relation(gap, "above", "below", "not distinguishable from")


if people:
    fixed = {
        title: max(ignorant.index, key=lambda name: people_summary[title][name].value)
        for title in of_measure
    }
    five_there = fixed["precision@5"]
    people_said = f"""On people's moves, too, the published ranking is
{on_people(wide_name, five_there, "precision@5")} the fixed list of five by precision@5 and
{on_people(wide_name, guess, "nDCG@5")} the guess by kind of move by nDCG@5."""
    if bare in people_rankings:
        people_said += f""" The model on NNUE, trained on self-play, is
{on_people(best, bare, "nDCG@5")} the same model on the bare board."""
    people_recap = f"""On people's moves the model trained on self-play has a precision@5 of
{people_summary["precision@5"][best].value:.2f}, the published ranking
{people_summary["precision@5"][wide_name].value:.2f}, the fixed list of five
{people_summary["precision@5"][five_there].value:.2f}."""
Markdown(people_said) if people else None

# %% [markdown]
# ## The documents' moves, and yours
#
# The paper prints three positions with a FEN (its Figures A1, A5 and A6). The bars are those of its
# Figure 3: the concepts that the model ranks first, before and after the move.

# %% tags=["hide-cell"] mystnb={"code_prompt_show": "The three positions"}
examples = {
    "8/3nk3/1p4pp/1N1P1p2/1bP2KP1/3P1P2/7P/8 b - - 0 0": "30... Bd2+",
    "N6r/1p1k1ppp/2np4/b3p3/4P1b1/N1Q5/P4PPP/R3KB1R b KQ - 0 18": "Bxc3#",
    "r5qr/p1p2k2/1p1pp3/3QbB1N/4P3/1P6/P1P3PP/2B3K1 w - - 0 21": "Bxe6+",
}
ranked = [prioritise(repair_fen(fen).position, move) for fen, move in examples.items()]
report.boards(*(report.board(each.move, size=190) for each in ranked))

# %% tags=["hide-input"] mystnb={"code_prompt_show": "Draw the bars", "figure": {"caption": "The first eight concepts of each move, in pawns: before it (wide, grey) and after it (narrow, blue).", "name": "fig-03-your-moves"}, "image": {"alt": "For each move eight pairs of horizontal bars, before and after."}}
fig, axes = plt.subplots(1, len(ranked), figsize=(9.0, 2.8))
for ax, priorities in zip(axes, ranked, strict=True):
    top = priorities.table(8).iloc[::-1]
    labels = [change.term for change in priorities.top(8)][::-1]
    ax.barh(labels, top["before"], height=0.75, color="#bbbbbb", label="before")
    ax.barh(labels, top["after"], height=0.4, color="#0072B2", label="after")
    ax.set_title(priorities.move.numbered_san)
    ax.tick_params(axis="y", labelsize=7)
fig.legend(*axes[0].get_legend_handles_labels(), loc="outside lower center", ncols=2)
plt.show()

# %% tags=["hide-cell"] mystnb={"code_prompt_show": "The first five concepts of each move as tables"}
report.boards(*(report.table(each.table(), caption=each.move.numbered_san) for each in ranked))

# %% [markdown]
# Change the position and the move. In the browser, [Try it](../try_it.md) draws the bars of
# Stockfish 8's terms.

# %%
fen = "r2q1rk1/pp2bppp/2n1bn2/2pp4/8/1P1PPN2/PBPNBPPP/R2Q1RK1 b - - 2 9"
move = "d4"
by_model = prioritise(fen, move)
by_paper = prioritise(fen, move, method="paper")
report.boards(
    report.board(by_model.move, size=240),
    report.table(by_model.table().rename_axis(None), caption="The model, in pawns"),
    report.table(by_paper.table().rename_axis(None), caption="The paper's ranking, in margins"),
)

# %% [markdown]
# ## Recap

# %% tags=["remove-input"]
recap = [
    f"""By nDCG@5 the paper's ranking has {summary["nDCG@5"][wide_name].value:.2f}, a guess by kind
of move {summary["nDCG@5"][guess].value:.2f}, a regression on the changes
{summary["nDCG@5"]["ridge on changes"].value:.2f}, and the model that the commentary chapters use
{summary["nDCG@5"][best].value:.2f}.""",
    f"""The network gives a head start over the bare board:
{100 * max(gain.value for gain in head_start.values()):.0f} points of nDCG@5 at most,
{100 * over_board.value:.0f} with {committed_moves:,} training moves.""",
    people_recap,
]
Markdown("\n".join("- " + line.replace("\n", " ") for line in recap))

# %% tags=["remove-input"]
reported = {
    "best": best,
    "paper": published,
    "calibrated": calibrated,
    "paper_tails": wide_name,
    "calibrated_tails": "the paper's, calibrated",
    "constant_by_kind": guess,
    "random": "random",
    "one_hot": bare,
    "linear": "ridge on changes",
}
by_key = {
    title: {key: summary[title][name] for key, name in reported.items()}
    | {"constant": constant[title]}
    for title in constant
}
leela_gain = layer_means.get("Leela, a middle block")
curve["key"] = curve["source"].replace("onehot", "board")
points_of_curve = {
    moves: dict(zip(each["key"], each["nDCG@5"], strict=True)) | {"gain": head_start[moves]}
    for moves, each in curve.groupby("moves")
}
people_keys = {
    "paper_tails": wide_name,
    "constant_by_kind": guess,
    "random": "random",
    "one_hot": bare,
    "best": best,
}
people_by_key = {title: dict.fromkeys([*people_keys, "constant"]) for title in of_measure}
people_over_board = people_moves = None
if people:
    people_moves = len(people_test)
    of_gains = people_values["nDCG@5"]
    if bare in people_rankings:
        people_over_board = of_people(of_gains[best] - of_gains[bare])
    people_by_key = {
        title: {key: people_summary[title].get(name) for key, name in people_keys.items()}
        | {"constant": people_summary[title][fixed[title]]}
        for title in of_measure
    }
equal_means = {key: measured(values) for key, values in equal_gains.items()}

report.save(
    "03_prioritisation",
    report.rows(len(test), "priority.moves", unit="moves"),
    report.rows(by_key["nDCG@5"], "priority.ndcg", unit="nDCG@5"),
    report.rows(over_board, "priority.ndcg.over_one_hot", unit="nDCG@5"),
    report.rows(
        leela_gain, "priority.ndcg.leela", unit="nDCG@5, validation", needs="a Leela network"
    ),
    report.rows(by_key["precision@5"], "priority.precision_at_5", unit="precision@5"),
    report.rows(summary["sign"][best], "priority.sign.best", unit="accuracy"),
    report.rows(len(beaten), "priority.kinds_beaten", unit="kinds of move"),
    *(
        report.rows(values, f"priority.people.{key}", unit=unit, needs="people's games")
        for values, key, unit in (
            (people_moves, "moves", "moves"),
            (people_by_key["nDCG@5"], "ndcg", "nDCG@5"),
            (people_over_board, "ndcg.over_one_hot", "nDCG@5"),
            (people_by_key["precision@5"], "precision_at_5", "precision@5"),
        )
    ),
    report.rows(equal_means, "priority.equal", unit="nDCG@5"),
    report.rows(fitted_on["nnue"], "priority.equal.moves", unit="training moves"),
    report.rows(points_of_curve, "priority.curve", unit="nDCG@5"),
)

report.evidence(
    len(test),
    "moves",
    seed,
    test.moves["game"].nunique(),
    "95 %, bootstrap over games",
    {
        "expert": "nn-ad9b42354671",
        "labels": "Stockfish 8",
        "model": f"trained on {logs['nnue']['moves']:,} moves of {logs['nnue']['games']:,} games",
    },
)

# %% [markdown]
# ## Exercises
#
# **1. Another move.** Rank the concepts that `Qd3` changes in the position of the first section, by
# the same `vectors`. Which of the first five are shared with `Bxe6+`?

# %% tags=["solution", "hide-cell"] mystnb={"code_prompt_show": "A solution: the first five of two moves in one position"}
# The first five of two moves in one position.
quiet = read_move(position, "Qd3")
fens_of_quiet = [position.fen, quiet.after().fen]
states = joined_activations(expert, fens_of_quiet, layer, dtype=np.float32)
quiet_change = vectors.weights @ (states[1] - states[0])
first_quiet = np.argsort(-np.abs(quiet_change), kind="stable")[:5]
shared = len(set(first_quiet) & set(by_score[:5]))
print(f"{played.numbered_san}: {', '.join(oracle.TERMS[k] for k in by_score[:5])}")
print(f"{quiet.numbered_san}: {', '.join(oracle.TERMS[k] for k in first_quiet)}")
first_of_quiet = [oracle.TERMS[k] for k in first_quiet]
print(f"shared: {shared} of 5")

# %% tags=["check", "remove-cell"]
report.check(
    "Activations after the move less those before, times the vectors' weights; sort by "
    "size, whatever the sign: the first five names, in this order.",
    ordered=True,
    first_of_quiet=first_of_quiet,
)

# %% [markdown]
# **2. Beat the constant.** Build a ranking that knows only which piece moves and whether it
# captures: the mean size of each change on the first 3,000 training moves, by these two. By how
# much does it beat the list by frequency on the first 3,000 test moves (`ranking.precision`)?

# %% tags=["solution", "hide-cell"] mystnb={"code_prompt_show": "A solution: mean size of change by piece and capture, learned on training moves"}
# Mean size of change by piece and capture, learned on training moves.
import chess


def piece_and_capture(part):
    found = []
    for before_fen, after_fen in zip(part.moves["before"], part.moves["after"], strict=True):
        old = chess.Board(before_fen)
        new = chess.Board(after_fen)
        left = [
            s
            for s in chess.SQUARES
            if old.color_at(s) == old.turn and new.color_at(s) != old.turn
        ]
        taken = chess.popcount(old.occupied) > chess.popcount(new.occupied)
        found.append(f"{old.piece_type_at(left[0]) if left else 0}{taken}")
    return np.array(found)


some_train, some_test = (part.take(np.arange(len(part)) < 3_000) for part in (train, test))
sizes_by = (
    pd.DataFrame(np.abs(truth["train"][:3_000])).groupby(piece_and_capture(some_train)).mean()
)
own_scores = sizes_by.reindex(piece_and_capture(some_test)).fillna(sizes_by.mean()).to_numpy()
few_truth = truth["test"][:3_000]
games_of = some_test.moves["game"]
paired = ranking.precision(own_scores, few_truth) - ranking.precision(
    rankings["fixed list, by frequency"][:3_000], few_truth
)
known = np.isfinite(paired)
beats_by = mean_interval(paired[known], games_of[known], seed=seed)
print(f"precision@5 less the constant's: {beats_by:.3f}")

# %% tags=["check", "remove-cell"]
report.check(
    "Learn the means on the first 3,000 training moves, take the size of each change, and compare "
    "move by move: the mean of the differences.",
    within=0.01,
    beats_by=beats_by,
)

# %% [markdown]
# **3. Does the measure notice?** Give `ranking.ndcg` the true changes themselves as scores, then
# the true changes with their sizes turned round, then scores at random. What are the three values,
# and why is the last not zero?

# %% tags=["solution", "hide-cell"] mystnb={"code_prompt_show": "A solution: the measure at its best, its worst and at random"}
# The measure at its best, its worst and at random.
right = np.abs(truth["test"])
tried = {
    "the truth": right,
    "the truth turned round": -right,
    "at random": np.random.default_rng(seed).random(right.shape),
}
gains_by = {
    name: float(np.nanmean(ranking.ndcg(scores, truth["test"])))
    for name, scores in tried.items()
}
report.sheet("nDCG@5", gains_by)

# %% tags=["check", "remove-cell"]
report.check(
    "The truth must reach 1, whatever is ranked; turned round it must be the least of the "
    "three. Average over moves without those that change nothing.",
    within=0.01,
    ordered=True,
    gains_by=gains_by,
)
