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
import matplotlib.pyplot as plt
import numpy as np
import pandas as pd
from IPython.display import Markdown
from myst_nb import glue

from chessgloss import assets, oracle, report
from chessgloss.book.profiles import load_sizes
from chessgloss.concepts import changes
from chessgloss.concepts import scores as ranking
from chessgloss.concepts.answers import ask_control, read_answers
from chessgloss.concepts.fit import cut_tails, fit_linear, fit_ridge, turn_terms
from chessgloss.concepts.priority import SOURCES, ChangeModel, prioritise, weights_file
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
truth = {"train": train.changes / spread, "test": test.changes / spread}
changed = test.changes != 0
report.paste(
    n_train=len(train),
    n_validation=len(validation),
    n_test=len(test),
    unchanged=1 - changed.mean(),
    few=(changed.sum(axis=1) < 5).mean(),
)


# %%
def constant_lists(train, test):
    """Rankings that know nothing of the move, or its kind alone."""
    sizes = pd.DataFrame(np.abs(train.changes / train.spread()))
    often = ranking.top_mask(sizes) & (sizes.to_numpy() != 0)
    by_kind = sizes.groupby(train.moves["kind"]).mean().reindex(test.moves["kind"])
    each_move = np.ones((len(test), 1))
    return {
        "random": np.random.default_rng(seed).random(test.changes.shape),
        "fixed list, by frequency": each_move * often.mean(axis=0),
        "fixed list, by size": each_move * sizes.mean().to_numpy(),
        "list by kind of move": by_kind.fillna(sizes.mean()).to_numpy(),
    }


rankings = constant_lists(train, test)
frequent = ranking.top_columns(rankings["fixed list, by frequency"])[0]

# %%
true_change = (terms_around[1] - terms_around[0]) / spread
fifth_largest = np.sort(np.abs(true_change))[-5]
hits_named = np.abs(true_change[by_score[:5]]) >= fifth_largest
hits_frequent = np.abs(true_change[frequent]) >= fifth_largest
print(f"precision@5 of {played.numbered_san}: the paper's ranking {hits_named.mean():.1f},")
print(f"the five terms that training moves change most often {hits_frequent.mean():.1f}")

# %% tags=["hide-cell"] mystnb={"code_prompt_show": "This move ranked twice: a figure", "figure": {"caption": "One move ranked twice: the size of each term's change by the concept vectors (left) and by Stockfish 8 (right). In colour the first five of each side; what is coloured on both sides is a hit.", "name": "fig-03-two-rankings"}, "image": {"alt": "Two mirrored bar charts of 21 terms, five bars in colour on each side."}}
order = by_score[::-1]
fig, axes = plt.subplots(1, 2, figsize=(8.0, 4.2), sharey=True)
of_side = {"by the vectors (margins)": score_change, "by Stockfish 8 (st. dev.)": true_change}
for ax, (title, change) in zip(axes, of_side.items(), strict=True):
    size = np.abs(change[order])
    colours = np.where(size >= np.sort(size)[-5], "#0072B2", "#bbbbbb")
    ax.barh([oracle.TERMS[k] for k in order], size, color=colours)
    ax.set_xlabel(f"change {title}")
axes[0].invert_xaxis()
axes[0].set_title(played.numbered_san, loc="left")
plt.show()

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


# %% tags=["hide-input"] mystnb={"code_prompt_show": "Read the activations around all moves"}
def read(moves, side):
    return joined_activations(expert, moves[side].tolist(), layer, dtype=np.float32)


before, after = (
    {name: read(part.moves, side) for name, part in (("train", train), ("test", test))}
    for side in ("before", "after")
)


# %%
def calibrated(score_changes):
    """Test moves' scores in the unit of the truth: a line through zero for each concept."""
    size = np.abs(score_changes["train"]).astype(float)
    along = (size * np.abs(truth["train"])).sum(axis=0)
    return score_changes["test"] * (along / np.maximum((size**2).sum(axis=0), 1e-12))


signed = {}
fitted = fit_linear(before["train"], after["train"], train, penalty=0.1, seed=seed)
svm = fitted["svm"]
paper = {name: svm.score_changes(before[name], after[name]) for name in before}
signed["the paper's, on training moves"] = paper["test"]
replied = read(test.moves, "replied")
signed["that, after the reply"] = svm.score_changes(before["test"], replied)
signed["that, calibrated"] = calibrated(paper)

wide = {name: vectors.score_changes(before[name], after[name]) for name in before}
signed["the paper's ranking"] = wide["test"]
signed["the paper's, calibrated"] = calibrated(wide)

states = fitted["states"].score_changes(before["test"], after["test"])
signed["ridge on states, difference"] = states / spread
signed["ridge on changes"] = fitted["changes"].scores(after["test"] - before["test"])
linear = list(signed)


# %%
def ask_models(moves):
    """The changes that both models say, and the scores by which they rank."""
    around = (moves[side].tolist() for side in ("before", "after"))
    by_network = ChangeModel.load(weights_file("nnue")).predict(SOURCES["nnue"](), *around)
    return {"model on the board": ask_control(moves), "model on NNUE": by_network}


for name, scores in signed.items():
    rankings[name] = np.abs(scores)
for name, (changes_said, scores) in ask_models(test.moves).items():
    signed[name] = changes_said
    rankings[name] = scores

# %% tags=["hide-input"] mystnb={"code_prompt_show": "What the models were trained on, and a measure of the sign"}
logs = {
    source: json.loads(weights_file("nnue").with_name(f"{source}.json").read_text())
    for source in ("onehot", "nnue")
}
asked = np.isfinite(rankings["model on the board"]).all(axis=1).sum()
if asked < len(test):
    print(f"the model on the bare board was asked about {asked:,} of these moves")
report.paste(
    trained_on=logs["nnue"]["moves"],
    tail=cut_tails(train.before[:, 0], seed=seed).positive.sum(),
    tails_from=int(vectors.about["positions"]),
)


def sign_accuracy(scores, predicted, truth):
    """How often the direction is right among the first terms that do change; NaN where none does."""
    first = ranking.top_columns(scores)
    real, said = (np.take_along_axis(each, first, axis=1) for each in (truth, predicted))
    right = np.where((real != 0) & np.isfinite(said), np.sign(real) == np.sign(said), np.nan)
    return pd.DataFrame(right).mean(axis=1).to_numpy()


# %%
def measured(values, moves=test.moves):
    """Their mean over moves on which the measure says something, drawn by games."""
    known = np.isfinite(values)
    return mean_interval(values[known], moves["game"][known], seed=seed)


gains = {name: ranking.ndcg(scores, truth["test"]) for name, scores in rankings.items()}
hits = {name: ranking.precision(scores, truth["test"]) for name, scores in rankings.items()}
signs = {name: sign_accuracy(rankings[name], signed[name], truth["test"]) for name in signed}
summary = pd.DataFrame(
    {
        "nDCG@5": {name: measured(values) for name, values in gains.items()},
        "precision@5": {name: measured(values) for name, values in hits.items()},
        "sign": {name: measured(values) for name, values in signs.items()},
    }
).loc[list(rankings)]
report.table(summary, caption="Test moves, with 95 % intervals over games", digits=3)

# %% tags=["hide-cell"] mystnb={"code_prompt_show": "Differences on the same moves"}
best, bare = "model on NNUE", "model on the board"
published, guess = "the paper's ranking", "list by kind of move"
fixed_lists = ["fixed list, by frequency", "fixed list, by size"]


def better_list(table, title):
    return max(fixed_lists, key=lambda name: table[title][name].value)


five = better_list(summary, "precision@5")
steps_up = (
    (published, five),
    (published, guess),
    ("the paper's, calibrated", guess),
    ("ridge on changes", "the paper's, calibrated"),
    (best, "ridge on changes"),
    (best, bare),
    (published, "the paper's, on training moves"),
)
differences = {
    f"{name} − {other}": [measured(each[name] - each[other]) for each in (gains, hits)]
    for name, other in steps_up
}
report.table(
    pd.DataFrame(differences, index=["nDCG@5", "precision@5"]).T,
    caption="Differences on the same moves, with 95 % intervals",
    digits=3,
)

# %% tags=["remove-input"]
unaided = """**By precision@5 the published ranking does not beat a guess that knows only the kind of
move.**"""
learned = f"""The model that learned the changes is ahead of every linear method. So is the same
model on the bare board, without the network: its nDCG@5 is {summary["nDCG@5"][bare].value:.2f}."""
beaten = measured(hits[published] - hits[guess]).low <= 0
ahead = all(
    measured(gains[model] - gains[name]).low > 0 for model in (best, bare) for name in linear
)
Markdown(f"{unaided if beaten else ''} {learned if ahead else ''}")

# %% tags=["hide-input"] mystnb={"code_prompt_show": "The opening and its figure"}
five_ways = {
    "drawn at random": "random",
    "the paper's ranking": published,
    "a fixed list": five,
    "a model of the bare board": bare,
    "a model of the network": best,
}
shares = [summary["precision@5"][name].in_percent() for name in five_ways.values()]
values = [share.value for share in shares]
reaches = [[share.value - share.low, share.high - share.value] for share in shares]
figure, ax = plt.subplots(figsize=(7.0, 1.9))
colours = ["#bbbbbb", "#D55E00", "#bbbbbb", "#0072B2", "#0072B2"]
bars = ax.barh(list(five_ways), values, xerr=np.transpose(reaches), color=colours, height=0.7)
ax.bar_label(bars, fmt="%.0f", padding=3)
ax.invert_yaxis()
ax.set_xlim(0, 100)
ax.set_xlabel("% of the five concepts that a move changes most")
glue("first_five", figure, display=False)
plt.close(figure)
_, by_paper, by_list, by_board, by_network = values
report.paste(
    opening_published=Markdown(f"""**Of the five concepts that a move changes most, the CCC paper's
ranking names {by_paper:.0f} %, a fixed list of five that does not look at the move
{by_list:.0f} %.**"""),
    opening_model=Markdown(f"""A small model trained on the changes themselves names
{by_network:.0f} %, the same model without the network {by_board:.0f} %."""),
)

# %% [markdown]
# ## Which layer, which expert?
#
# A ridge regression on the change of each layer learns from {glue:text}`line_moves:,` training
# moves and is measured on validation moves.


# %% tags=["hide-input"] mystnb={"code_prompt_show": "Moves to learn from and to measure on"}
def with_returned(part):
    """The moves, and each position after one as its mover sees it: the other side to move."""
    turn = part.moves["before"].str.split(" ").str[1]
    fields = part.moves["after"].str.split(" ").str
    back = fields[0] + " " + turn + " " + fields[2] + " - " + fields[4] + " " + fields[5]
    return replace(part, moves=part.moves.assign(returned=back))


few = with_returned(train.take(np.arange(len(train)) < 6_000))
unseen = with_returned(validation.take(np.arange(len(validation)) < 3_000))
report.paste(line_moves=len(few))


# %%
def read_by_line(network, where, own=False):
    """nDCG@5 of a ridge regression on a layer's change, on each validation move."""
    moved = []
    terms = []
    for part in (few, unseen):
        first, last = (
            joined_activations(network, part.moves[side].tolist(), where, dtype=np.float32)
            for side in ("before", "returned" if own else "after")
        )
        moved.append(last - first)
        white = part.moves["before"].str.contains(" w ") | (not own)
        terms.append(turn_terms(part.changes / spread, oracle.TERMS, white))
    line = fit_ridge(moved[0], terms[0], oracle.TERMS, alpha=0.1 * len(few))
    return ranking.ndcg(np.abs(line.scores(moved[1])), terms[1])


layers = ("accumulators", "clipped", "pairwise", "pairwise+clipped", "hidden1")
by_layer = {f"NNUE, {name}": read_by_line(expert, name) for name in layers}
by_layer["random weights"] = read_by_line(load_expert("nnue", random_weights=seed), layer)
by_layer["bare board"] = read_by_line(load_expert("onehot"), "board")

# %% tags=["hide-input"] mystnb={"code_prompt_show": "A Leela network, and the table"}
try:
    leela = load_expert("leela", assets.locate("leela", fetch=False))
    middle = leela_layer or leela.layers[len(leela.layers) // 2]
    by_layer[f"Leela, {middle}"] = read_by_line(leela, middle, own=True)
except assets.AssetMissing:
    middle = None
by_line = {name: measured(values, unseen.moves) for name, values in by_layer.items()}
committed_leela = {"Leela, a middle block, nDCG@5": "priority.ndcg.leela"}
report.boards(
    report.table(
        pd.DataFrame({"nDCG@5": by_line}),
        caption="Ridge on changes: validation moves, by layer and expert",
        digits=3,
    ),
    *(
        []
        if middle
        else [report.without("a Leela network", "03_prioritisation", committed_leela)]
    ),
)

# %% [markdown]
# ## How much is there to learn from?
#
# The terms follow from the board alone, so a model with enough moves can compute them without a
# network, which should give it a head start. Each point of the curve is one model trained to its
# own optimum: after {glue:text}`patience` passes without a better nDCG@5 on validation games the
# learning rate falls to a fifth; after the third time, or after {glue:text}`most_passes` passes,
# training ends. One seed was tried.

# %%
about = json.loads(weights_file("curve").with_suffix(".json").read_text())
named_first = read_answers("curve", test.moves)
curve = pd.DataFrame(about["points"]).set_index("name")
trained = {name: ranking.ndcg(named_first[name], truth["test"]) for name in curve.index}
curve["nDCG@5"] = {name: measured(values) for name, values in trained.items()}

on_these = curve.index.str.endswith("-equal")  # trained on this chapter's own moves
equal = curve[on_these].set_index("source")["nDCG@5"]
equal_moves = int(curve["moves"][on_these].iloc[0])
curve = curve[~on_these].reset_index().pivot(index="moves", columns="source")
head_start = {
    moves: measured(trained[names["nnue"]] - trained[names["onehot"]])
    for moves, names in curve["name"].iterrows()
}
over_board = measured(gains[best] - gains[bare])

# %% tags=["hide-input"] mystnb={"code_prompt_show": "Draw the curve", "figure": {"caption": "What more training moves bring, with 95 % intervals over games. Filled points are trained to their optimum; hollow ones are the committed models, three passes over their moves.", "name": "fig-03-curve"}, "image": {"alt": "Two lines that rise with the number of training moves on a logarithmic axis."}}
fig, ax = plt.subplots(figsize=(7.0, 3.0))
for source, name in {"nnue": best, "onehot": bare}.items():
    cells = curve["nDCG@5"][source]
    ends = np.transpose([[cell.value - cell.low, cell.high - cell.value] for cell in cells])
    values = [cell.value for cell in cells]
    line = ax.errorbar(cells.index, values, ends, fmt="o-", capsize=2, label=name)[0]
    committed = summary["nDCG@5"][name].value
    ax.plot(logs[source]["moves"], committed, "o", mfc="none", color=line.get_color())
ax.set(xscale="log", xlabel="training moves", ylabel="nDCG@5")
ax.legend(loc="lower right")
plt.show()

# %% tags=["hide-input"] mystnb={"code_prompt_show": "The numbers of the next paragraph"}
points = {**head_start, logs["nnue"]["moves"]: over_board}
report.paste(
    head_starts=report.listed(
        [f"{100 * gain.value:.1f} with {moves:,}" for moves, gain in points.items()]
    ),
    patience=about["stopping"]["patience"],
    most_passes=about["stopping"]["most"],
    equal_moves=equal_moves,
    equal_nnue=equal["nnue"].value,
    equal_board=equal["onehot"].value,
    equal_linear=summary["nDCG@5"]["ridge on changes"].value,
)

# %% [markdown]
# In points of nDCG@5 the network's head start over the bare board is {glue:text}`head_starts` training
# moves. Trained on {glue:text}`equal_moves:,` moves, as many as the linear methods of the book, the model
# on NNUE reaches {glue:text}`equal_nnue:.2f` and that on the board {glue:text}`equal_board:.2f`; the
# regression on the changes {glue:text}`equal_linear:.2f`.

# %% [markdown]
# ## On people's moves
#
# With a file of people's games (`CHESSGLOSS_ASSET_GAMES`) the rankings are measured on its test
# games. Vectors and models are those fitted on self-play; lists and spreads come from people's
# training games. The committed numbers come from Lichess games of two accounts, mostly at 30 to 180
# seconds a side.

# %% tags=["hide-input"] mystnb={"code_prompt_show": "Moves from people's games, and their rankings"}
people = people_games(sizes.people)
people_rankings = {}
if people:
    most = {"train": sizes.people_fitted, "test": sizes.held_out_games}
    people = [game for split in most for game in of_split(people, split)[: most[split]]]
    drawn = changes.sample_moves(people, sizes.per_game, seed=seed)
    once = ~pd.Series(changes.move_keys(drawn)).duplicated()
    by_people = changes.measure_changes(drawn[once].reset_index(drop=True), default_store())
    people_train, people_test = (by_people.part(split) for split in most)
    people_truth = people_test.changes / people_train.spread()
    around = [read(people_test.moves, side) for side in ("before", "after")]
    people_rankings = constant_lists(people_train, people_test)
    people_rankings[published] = np.abs(vectors.score_changes(*around))
    for name, (_, scores) in ask_models(people_test.moves).items():
        if np.isfinite(scores).any():
            people_rankings[name] = scores
        else:
            print(f"{name} was not asked about these moves")

# %% tags=["hide-input"] mystnb={"code_prompt_show": "Measure the rankings on people's moves"}
people_values = {
    title: {name: measure(scores, people_truth) for name, scores in people_rankings.items()}
    for title, measure in (("nDCG@5", ranking.ndcg), ("precision@5", ranking.precision))
}
people_summary = pd.DataFrame(
    {
        title: {name: measured(values, people_test.moves) for name, values in each.items()}
        for title, each in people_values.items()
    }
)
committed_people = {
    f"{title}, {name}": f"priority.people.{measure}.{key}"
    for title, measure in (("nDCG@5", "ndcg"), ("precision@5", "precision_at_5"))
    for key, name in (
        ("paper_tails", published),
        ("constant", "a constant list"),
        ("best", best),
    )
}
beside = pd.DataFrame(
    {
        f"{title}, {whose}": {name: table[title][name].value for name in people_rankings}
        for title in people_values
        for whose, table in (("people's", people_summary), ("self-play", summary))
    }
)
(
    report.table(beside, caption="People's test moves beside self-play's")
    if people
    else report.without("people's games", "03_prioritisation", committed_people)
)

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

# %% tags=["remove-input"]
people_said = "How people's moves are ranked needs people's games: not measured here."
people_over_board = None
if bare in people_rankings:
    of_gains = people_values["nDCG@5"]
    people_over_board = measured(of_gains[best] - of_gains[bare], people_test.moves)
if people:
    there = people_summary["precision@5"]
    people_said = f"""On people's moves the model trained on self-play has a precision@5 of
{there[best].value:.2f}, the published ranking {there[published].value:.2f}, the fixed list of five
{there[better_list(people_summary, "precision@5")].value:.2f}."""
ndcg = {name: cell.value for name, cell in summary["nDCG@5"].items()}
report.paste(
    people_said=Markdown(people_said),
    ndcg_paper=ndcg[published],
    ndcg_guess=ndcg[guess],
    ndcg_line=ndcg["ridge on changes"],
    ndcg_best=ndcg[best],
    start_most=100 * max(gain.value for gain in head_start.values()),
    start_last=100 * over_board.value,
    committed_moves=logs["nnue"]["moves"],
)

# %% [markdown]
# ## Recap
#
# - By nDCG@5 the paper's ranking has {glue:text}`ndcg_paper:.2f`, a guess by kind of move
#   {glue:text}`ndcg_guess:.2f`, a regression on the changes {glue:text}`ndcg_line:.2f`, and the model that
#   the commentary chapters use {glue:text}`ndcg_best:.2f`.
# - The network gives a head start over the bare board: {glue:text}`start_most:.0f` points of nDCG@5 at
#   most, {glue:text}`start_last:.0f` with {glue:text}`committed_moves:,` training moves.
# - {glue:md}`people_said`

# %% tags=["remove-input"]
reported = {
    "best": best,
    "paper": "the paper's, on training moves",
    "calibrated": "that, calibrated",
    "paper_tails": published,
    "calibrated_tails": "the paper's, calibrated",
    "constant_by_kind": guess,
    "random": "random",
    "one_hot": bare,
    "linear": "ridge on changes",
}
of_people = ("paper_tails", "constant_by_kind", "random", "one_hot", "best")
tables = []
for title, measure in (("nDCG@5", "ndcg"), ("precision@5", "precision_at_5")):
    cells = {key: summary[title][name] for key, name in reported.items()}
    cells["constant"] = summary[title][better_list(summary, title)]
    theirs = dict.fromkeys([*of_people, "constant"])
    if people:
        theirs = {key: people_summary[title].get(reported[key]) for key in of_people}
        theirs["constant"] = people_summary[title][better_list(people_summary, title)]
    prefix = f"priority.people.{measure}"
    tables.append(report.rows(cells, f"priority.{measure}", unit=title))
    tables.append(report.rows(theirs, prefix, unit=title, needs="people's games"))

points_of_curve = {
    moves: {"board": each["onehot"], "nnue": each["nnue"], "gain": head_start[moves]}
    for moves, each in curve["nDCG@5"].iterrows()
}
of_equal = {
    "paper": summary["nDCG@5"]["the paper's, on training moves"],
    "calibrated": summary["nDCG@5"]["that, calibrated"],
    "states": summary["nDCG@5"]["ridge on states, difference"],
    "linear": summary["nDCG@5"]["ridge on changes"],
    "board": equal["onehot"],
    "nnue": equal["nnue"],
}
people_moves = len(people_test) if people else None
leela_gain = by_line.get(f"Leela, {middle}")
ours = {"unit": "nDCG@5"}
of_games = {"needs": "people's games"}
report.save(
    "03_prioritisation",
    *tables,
    report.rows(len(test), "priority.moves", unit="moves"),
    report.rows(over_board, "priority.ndcg.over_one_hot", **ours),
    report.rows(
        leela_gain, "priority.ndcg.leela", unit="nDCG@5, validation", needs="a Leela network"
    ),
    report.rows(summary["sign"][best], "priority.sign.best", unit="accuracy"),
    report.rows(people_moves, "priority.people.moves", unit="moves", **of_games),
    report.rows(people_over_board, "priority.people.ndcg.over_one_hot", **ours, **of_games),
    report.rows(of_equal, "priority.equal", **ours),
    report.rows(equal_moves, "priority.equal.moves", unit="training moves"),
    report.rows(points_of_curve, "priority.curve", **ours),
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
