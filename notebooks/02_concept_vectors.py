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
# The CCC paper {cite}`kim2024ccc` reads chess concepts off a network's hidden layer: for
# each of Stockfish 8's 21 terms it takes the positions with the highest and the lowest
# values, fits a linear support vector machine between them on the activations, and calls
# the plane's normal vector the concept. Its Table 6 reports a mean test accuracy of
# {glue:text}`paper_mean:.2f` for T78, a network of 40 blocks.
#
# In this chapter we
#
# - regenerate Table 6 on a superhuman network that every reader has, Stockfish 15.1's NNUE;
# - doubt it: what do the bare board, random weights and shuffled labels reach?
# - show what forgetting the point of view costs, where in a network the concepts lie, and
#   what sorting numbers as text did to the published table;
# - steer a network along a concept and watch its evaluation move.

# %% tags=["parameters"]
profile = "book"
seed = 1
expert_name = "nnue"
expert_path = None  # for Leela: the path of a .pb.gz file
layer = "pairwise+clipped"

# %%
import chess
import matplotlib.pyplot as plt
import numpy as np
import pandas as pd
from myst_nb import glue

# %%
from chessgloss import assets, audits, concepts, oracles, probing, report, steering
from chessgloss.book import reference
from chessgloss.positions import Position
from chessgloss.corpora import datasheet, sampling
from chessgloss.corpora.games import read_games
from chessgloss.experts import load_expert
from chessgloss.experts.joined import joined_activations
from chessgloss.experts.lc0 import lc0_is_installed, lc0_values
from chessgloss.heldout import accuracy, full_range, held_out, held_out_turned, table_of
from chessgloss.probing import fit_concepts
from chessgloss.book.profiles import load_sizes
from chessgloss.store import Evidence, default_store, find_project

# %%
sizes = load_sizes("02_concept_vectors", profile)
report.use_house_style()

# %% [markdown]
# ## Positions and labels
#
# At most {glue:text}`per_game` positions of a game, and every game wholly for training, for
# validation or for the test. Positions in check and endings that Stockfish 8 judges by
# special rules carry no ordinary terms and are left out. Labels are kept in the store: a
# second run of this chapter asks the engine nothing. For an expert that sees the board from
# the side to move (Leela) the terms are turned: "White" then reads "own", and the board it is
# compared with is turned too.

# %%
games = list(read_games(find_project() / "data/games/selfplay.tsv.zst", limit=sizes.games))
sample = sampling.sample_positions(games, sizes.per_game, seed=seed)
recipe = {"fens": sample.digest(), "oracle": "Stockfish 8, npm 8.0.0"}


def read_terms():
    table = oracles.evaluate_terms(sample.fens, oracles.stockfish8())
    return {"values": table.middlegame, "status": table.status}


table = default_store().fetch("terms", recipe, read_terms)

# %%
usual = np.flatnonzero(table["status"] == oracles.Status.OK)[: sizes.headline]
fens = [sample.fens[row] for row in usual]
parts = np.array([game.split for game in games])[sample.games[usual]]
expert = load_expert(expert_name, expert_path)
view = expert.orientation(layer.split("+")[0])
seen_by = [view == "white" or " w " in fen for fen in fens]
values = concepts.turn_terms(table["values"][usual], oracles.TERMS, seen_by)
labelled = probing.Labelled(oracles.TERMS, values, sample.games[usual], parts)

# %%
some = np.sort(np.random.default_rng(seed).permutation(len(labelled))[: sizes.control])
control, control_fens = labelled.take(some), [fens[row] for row in some]
print(f"(n_positions, n_terms) = {labelled.values.shape}, of {labelled.games.max() + 1:,} games")
glue("per_game", sizes.per_game, display=False)

# %% [markdown]
# ## The expert
#
# NNUE sees a position twice, once from each side: 1,024 sums a side, clipped, multiplied in
# pairs, then three small layers. We read the network that Stockfish 15.1 exports and check
# our reading against the engine's own word.

# %%
calm = [fen for fen in control_fens[:3_000] if not chess.Board(fen).is_check()]
printed = oracles.network_evaluations(calm)
ours = load_expert("nnue").evaluate(calm).astype(float).round(2)
nnue_difference = float(np.abs(ours - printed).max())
print(f"{len(calm):,} positions, largest difference {nnue_difference:.2f} pawns")

# %% [markdown]
# ## Which layer?
#
# The choice of layer is made here, once, on validation games of half of the smaller set, and
# never looked at again on the test. The what-where plot shows each term's validation accuracy
# layer by layer.

# %%
candidates = ["accumulators", "clipped", "pairwise", "pairwise+clipped", "hidden1", "hidden2"]
if expert_name != "nnue":
    candidates = list(expert.layers)
where, half = {}, np.arange(len(control))[::2]
small, small_fens = control.take(half), [control_fens[row] for row in half]
for name in candidates:
    features = joined_activations(expert, small_fens, name, dtype=np.float32)
    fitted = fit_concepts(features, small, cs=(1e-3,), seed=seed)
    found = held_out(fitted, features, small, "validation")
    where[name] = {one.concept: one.correct.mean() for one in found}
where = pd.DataFrame(where)

# %%
fig, ax = plt.subplots(figsize=(6.4, 5.2))
image = ax.imshow(where, aspect="auto", cmap="viridis", vmin=0.5, vmax=1)
ax.set_xticks(range(len(where.columns)), where.columns, rotation=30, ha="right")
ax.set_yticks(range(len(where)), where.index)
ax.grid(False)
fig.colorbar(image, label="validation accuracy")
plt.show()
where.mean().round(3)

# %% [markdown]
# The products and the clipped sums side by side know most, and become the default. The two
# small layers at the end keep little but the verdict. Neither does another linear probe in
# place of the SVM change the picture; the paper's stays.

# %%
chosen = joined_activations(expert, control_fens, layer)
solvers = {"svm": 1e-3, "logistic": 1e-3, "ridge": 1e-3}
probes = {}
for name, c in solvers.items():
    fit = fit_concepts(chosen[half], small, cs=(c,), seed=seed, solver=name)
    probes[name] = accuracy(held_out(fit, chosen[half], small, "validation"), seed=seed)
report.table(pd.DataFrame({"validation accuracy": probes}).map("{:.3f}".format))

# %% [markdown]
# ## Table 6
#
# The headline rows: the network and, for comparison, the bare board (one bit a piece and
# square, and one for the side to move) on the paper's number of positions. The solver's C is
# chosen for each concept on validation games of the smaller set; the table reports how often
# each was.

# %%
cs = (3e-4, 1e-3)
board = load_expert("onehot", view=view)
board_features = joined_activations(board, fens, "board")
features = joined_activations(expert, fens, layer)
picked = fit_concepts(chosen, control, cs=cs, seed=seed)
board_picked = fit_concepts(board_features[some], control, cs=cs, seed=seed)
pd.Series(picked.c).value_counts().rename("concepts with this C").to_frame()

# %%
fitted = fit_concepts(features, labelled, cs=[(c,) for c in picked.c], seed=seed)
tested = held_out(fitted, features, labelled)
board_fitted = fit_concepts(
    board_features, labelled, cs=[(c,) for c in board_picked.c], seed=seed
)
board_tested = held_out(board_fitted, board_features, labelled)

# %%
paper = reference.table("ccc", "table6")
mine, bare = (table_of(results, seed=seed) for results in (tested, board_tested))
shown = pd.DataFrame(
    {"T78, paper": paper["Accuracy"], "NNUE": mine["accuracy"].map("{:.3f}".format),
     "precision": mine["precision"].map("{:.2f}".format),
     "recall": mine["recall"].map("{:.2f}".format),
     "bare board": bare["accuracy"].map("{:.3f}".format),
     "distinct low/high": [f"{a}/{b}" for a, b in (t.distinct for t in fitted.tails)]}
)
report.table(shown, caption="Test accuracy between the tails, with 95 % intervals over games")

# %%
mean, board_mean = (accuracy(results, seed=seed) for results in (tested, board_tested))
high = pd.Series({name: cell.high for name, cell in mine["accuracy"].items()})
below = [name for name in high.index if high[name] < paper["Accuracy"][name] - 0.005]
glue("paper_mean", float(paper["Accuracy"].mean()), display=False)
glue("mean", mean.value, display=False)
glue("board_mean", board_mean.value, display=False)
glue("below", len(below), display=False)
print(f"NNUE {mean:.3f}, bare board {board_mean:.3f}; below the paper: {below or 'none'}")

# %% [markdown]
# The network's mean is {glue:text}`mean:.3f`; the number of concepts whose interval lies below
# the paper's value (printed with two decimals) is {glue:text}`below`. But the bare board
# reaches {glue:text}`board_mean:.3f`, more than the published network. **A linear probe needs
# no network to tell the tails apart.** Accuracy on the tails proves little; what counts is
# what the network adds.
#
# ## Controls
#
# All with equal data and equal tuning, on {glue:text}`control_n:,` positions: the same
# network with its weights shuffled, the bare board, piece counts, labels shuffled among the
# training rows. A majority guess is right in half of the cases by construction.

# %%
glue("control_n", len(control), display=False)
random_expert = load_expert("nnue", view=view, random_weights=seed)
rows = {
    "NNUE": chosen,
    "random weights": joined_activations(random_expert, control_fens, "pairwise+clipped"),
    "bare board": board_features[some],
    "piece counts": joined_activations(
        load_expert("piece_counts", view=view), control_fens, "board"),
}

# %%
fits = {"NNUE": picked, "bare board": board_picked}
for name in ("random weights", "piece counts"):
    fits[name] = fit_concepts(rows[name], control, cs=cs, seed=seed)
found = {name: held_out(fits[name], rows[name], control) for name in rows}
shuffled = fit_concepts(rows["NNUE"], control, cs=(1e-3,), seed=seed, shuffle=True)
found["shuffled labels"] = held_out(shuffled, rows["NNUE"], control)

# %%
controls = pd.DataFrame(
    {name: table_of(one, seed=seed)["accuracy"].map(lambda cell: cell.value)
     for name, one in found.items()}
)
controls.loc["mean"] = controls.mean()
report.table(controls, caption="Test accuracy with equal data and tuning", digits=3)

# %% [markdown]
# **Balanced positions.** Where one side is a rook up, every term leans its way. Among
# positions within three pawns of equal material the tails are cut anew.

# %%
even = np.abs([datasheet.material(fen) for fen in control_fens]) <= 3
balanced = control.take(even)
balanced_found = {
    name: held_out(fit_concepts(one[even], balanced, cs=(1e-3,), seed=seed), one[even], balanced)
    for name, one in rows.items()
}
balanced_means = {name: accuracy(one, seed=seed) for name, one in balanced_found.items()}
report.table(pd.DataFrame({"all": {n: accuracy(found[n], seed=seed) for n in rows},
                           "balanced": balanced_means}).map("{:.3f}".format))

# %%
level = np.flatnonzero(np.abs([datasheet.material(fen) for fen in fens]) <= 3)
even_fit = fit_concepts(features[level], labelled.take(level), cs=[(c,) for c in picked.c],
                        seed=seed)
balanced_mean = accuracy(held_out(even_fit, features[level], labelled.take(level)), seed=seed)
print(f"NNUE on all {len(level):,} balanced positions of the headline set: {balanced_mean:.3f}")

# %% [markdown]
# **Matched pairs.** Harder still: each positive test position meets a negative one with the
# same material that is nearest in all other terms. What is left to tell them apart is the
# concept.

# %%
signatures = np.unique(
    ["".join(sorted(fen.split(" ")[0].translate(str.maketrans("", "", "12345678/"))))
     for fen in fens], return_inverse=True)[1]
pairs = [probing.matched_pairs(labelled, tails, k, signatures)
         for k, tails in enumerate(fitted.tails)]
matched = held_out(probing.restrict(fitted, pairs), features, labelled)
board_matched = held_out(probing.restrict(board_fitted, pairs), board_features, labelled)
gain = accuracy(tested, minus=board_tested, seed=seed)
matched_gain = accuracy(matched, minus=board_matched, seed=seed)
print(f"gain over the board {gain:.3f}")
print(f"on {sum(map(len, pairs)):,} matched pairs {matched_gain:.3f}")

# %% [markdown]
# The headline of this chapter is not a table of accuracies but this figure: how much better
# than the bare board the network separates the tails, concept by concept.

# %%
gains = pd.Series({a.concept: accuracy([a], minus=[b], seed=seed)
                   for a, b in zip(tested, board_tested, strict=True)})
gains = gains.iloc[np.argsort([cell.value for cell in gains])]
value = gains.map(lambda cell: cell.value)
ends = [value - gains.map(lambda cell: cell.low), gains.map(lambda cell: cell.high) - value]
fig, ax = plt.subplots(figsize=(7.0, 4.8))
ax.errorbar(value, range(len(value)), xerr=ends, fmt="o", capsize=2)
ax.axvline(0, color="black", lw=0.8)
ax.set_yticks(range(len(value)), value.index)
ax.set_xlabel("test accuracy of the network less that of the bare board")
plt.show()

# %% [markdown]
# ## Beyond the tails
#
# The commentary method uses a concept's score on *any* position, and nine tenths of all
# positions lie between the tails, where no fit has been. There the score must still follow
# the term. We have seen this reported nowhere.

# %%
spread = np.sort(np.random.default_rng(seed).permutation(len(labelled))[: sizes.control * 2])
ranges = {
    name: full_range(which, whole, labelled, rows=spread)
    for name, which, whole in (
        ("NNUE", fitted, features), ("bare board", board_fitted, board_features))
}
regression = probing.fit_regression(chosen, control, alphas=(1e3, 1e4), seed=seed)
ranges["NNUE, regression"] = full_range(regression, chosen, control)
middle = pd.concat(ranges, axis=1).swaplevel(axis=1).sort_index(axis=1)
report.table(middle, caption="Middle 90 % of held-out positions", digits=2)

# %% [markdown]
# The score explains {glue:text}`r2:.0%` of the variance of the terms there, the bare board's
# {glue:text}`r2_board:.0%`: the vectors separate extremes well and measure the ordinary
# poorly. It is not that the network does not know: a ridge regression on all positions, tails
# or not, explains {glue:text}`r2_regression:.0%` from the same activations. The chapter on
# prioritisation starts from here.

# %%
glue("r2", float(ranges["NNUE"]["r2"].mean()), display=False)
glue("r2_board", float(ranges["bare board"]["r2"].mean()), display=False)
glue("r2_regression", float(ranges["NNUE, regression"]["r2"].mean()), display=False)

# %% [markdown]
# ## Whose view?
#
# A network that sees every board from the side to move cannot know who is White. Its
# concepts must be *own* and *opponent's*; scores are turned back for the report. The NNUE
# can be read in either order, so we can measure what a wrong label costs with everything
# else equal.

# %%
white_to_move = np.array([" w " in fen for fen in control_fens])
raw = table["values"][usual][some]
own_values = concepts.turn_terms(raw, control.terms, white_to_move)
plain = probing.Labelled(control.terms, raw, control.games, control.splits)
turned = probing.Labelled(control.terms, own_values, control.games, control.splits)

# %%
mover = joined_activations(load_expert("nnue", view="mover"), control_fens, "pairwise")
white = joined_activations(load_expert("nnue"), control_fens, "pairwise")
own = fit_concepts(mover, turned, cs=(1e-3,), seed=seed)

# %%
views = {
    "White's order, White's terms": held_out(
        fit_concepts(white, plain, cs=(1e-3,), seed=seed), white, plain),
    "mover's order, own terms, turned back": held_out_turned(
        own, mover, plain, white_to_move, seed=seed),
    "mover's order, White's terms": held_out(
        fit_concepts(mover, plain, cs=(1e-3,), seed=seed), mover, plain),
}
views = {name: accuracy(one, seed=seed) for name, one in views.items()}
report.table(pd.DataFrame({"mean test accuracy": views}).map("{:.3f}".format))

# %% [markdown]
# ## The sort audit
#
# The script released with the paper keeps the terms as text, so that the lowest 5 % by its
# sort are the *smallest negative* numbers, and 10.00 comes before 2.00. It then trains on
# the first nine tenths of each end and tests on the last: on one side the rows nearest to
# the middle, on the other the most extreme. Same positions, same network, same solver, three
# procedures:

# %%
few = np.sort(np.random.default_rng(seed).permutation(len(control))[: sizes.audit])
seeds = range(seed, seed + sizes.audit_seeds)
audited = audits.audit(white[few], plain.take(few), c=1e-3, seeds=seeds)
audit_table = pd.DataFrame({name: cells.mean(axis=0) for name, cells in audited.items()},
                           index=list(oracles.TERMS))
audit_table.insert(0, "T78, paper", paper["Accuracy"])
audit_table.loc["mean"] = audit_table.mean()
report.table(audit_table, caption="Mean test accuracy over seeds")

# %%
like_paper = audit_table.drop("mean").corr(method="spearman")["T78, paper"].drop("T78, paper")
report.table(like_paper.rename("rank correlation with the paper's column").to_frame())

# %% [markdown]
# The paper's two lowest concepts but the queens are the bishops,
# {glue:text}`bishop_paper:.2f` on average. Under the released procedure our network's bishops
# fall to {glue:text}`bishop_released:.2f`; with the same split and numbers sorted as numbers
# they stand at {glue:text}`bishop_numeric:.2f`. Their low values in the published table say
# nothing about networks: a lower tail of smallest negatives next to an upper tail of ordinary
# positives leaves little to separate. The procedure does not explain the paper's
# {glue:text}`imbalance_paper:.2f` for Imbalance.

# %%
bishops = audit_table.loc[["White Bishop", "Black Bishop"]].mean()
for name, column in (("paper", "T78, paper"), ("released", "released"), ("numeric", "numeric")):
    glue(f"bishop_{name}", float(bishops[column]), display=False)
glue("imbalance_paper", float(paper["Accuracy"]["Imbalance"]), display=False)

# %% [markdown]
# ## Leakage
#
# Splitting by row instead of by game lets the test see sisters of the training positions.
# With few positions a game this costs little to ignore; with many of them it flatters. And a
# probe of three thousand weights remembers what it was fitted on: on the training rows of the
# headline fit it is right in {glue:text}`seen:.1%` of the cases.

# %%
leaks = {}
for per_game in (5, sizes.per_game):
    rows = probing.few_per_game(labelled.games, per_game, seed=seed)[: sizes.control]
    by_game = labelled.take(rows)
    for name, one in (("by game", by_game), ("by row", probing.by_row(by_game, seed=seed))):
        fit = fit_concepts(features[rows], one, cs=(1e-3,), seed=seed)
        leaks[f"{per_game} a game", name] = accuracy(held_out(fit, features[rows], one), seed=seed)
seen_rows = held_out(fitted, features, labelled, "train")
glue("seen", accuracy(seen_rows, seed=seed).value, display=False)
report.table(pd.Series(leaks).unstack().map("{:.3f}".format), caption="Test accuracy by split")

# %% [markdown]
# ## Geometry
#
# Which concepts point the same way? Vectors fitted on the products alone, cosines between
# the unit vectors.

# %%
products = fit_concepts(white, plain, cs=(1e-3,), seed=seed).vectors
unit = products.directions()
fig, ax = plt.subplots(figsize=(6.0, 5.2))
image = ax.imshow(unit @ unit.T, cmap="RdBu_r", vmin=-1, vmax=1)
ax.set_xticks(range(21), oracles.TERMS, rotation=90)
ax.set_yticks(range(21), oracles.TERMS)
ax.grid(False)
fig.colorbar(image, label="cosine")
plt.show()

# %% [markdown]
# ## Does the network use them?
#
# A direction that can be read need not be used. We move the activations a little along each
# concept and let the network finish its evaluation; random directions of equal length show
# what any disturbance does.

# %%
steered = control_fens[: sizes.steered]
effects = steering.steer(load_expert("nnue"), "pairwise", steered, unit, step=10.0)
random_unit = concepts.random_directions(sizes.random_directions, unit.shape[1], seed=seed)
noise = steering.steer(load_expert("nnue"), "pairwise", steered, random_unit, step=10.0)
effect = pd.Series(effects.mean(axis=1), index=oracles.TERMS).sort_values()

# %%
fig, ax = plt.subplots(figsize=(7.0, 4.6))
ax.barh(effect.index, effect)
reach = np.abs(noise.mean(axis=1)).max()
ax.axvspan(-reach, reach, color="#E69F00", alpha=0.3, label="all random directions")
ax.set_xlabel("change of the evaluation, pawns for White, by a step along the concept")
ax.legend()
plt.show()

# %% [markdown]
# {glue:text}`beyond` of 21 concepts move the evaluation further than any of the random
# directions, and White's and Black's terms pull opposite ways. What the network does with
# them is causal, not only legible.

# %%
glue("beyond", int((effect.abs() > reach).sum()), display=False)

# %% [markdown]
# ## One position explained
#
# The position of the CCC paper's Figure A6 again, now as the network sees it: its 21 scores.
# Change the FEN and run the cell for one of yours.

# %%
fen = "r5qr/p1p2k2/1p1pp3/3QbB1N/4P3/1P6/P1P3PP/2B3K1 w - - 0 21"
scores = pd.Series(
    fitted.vectors.scores(joined_activations(expert, [fen], layer))[0], index=oracles.TERMS
)
fig, ax = plt.subplots(figsize=(6.0, 4.2))
ax.barh(scores.index, scores, color=np.where(scores > 0, "#009E73", "#D55E00"))
ax.invert_yaxis()
ax.set_xlabel("score, in units of the margin")
plt.show()
report.board(Position(fen))

# %% [markdown]
# ## A Leela network, block by block
#
# The paper's own kind of network. With a Leela file at hand (the variable
# `CHESSGLOSS_ASSET_LEELA`), these cells show where in its tower the concepts lie; setting
# `expert_name = "leela"` at the top of the chapter runs everything else on it too.

# %%
try:
    leela = load_expert("leela", assets.locate("leela", fetch=False))
except assets.AssetMissing:
    leela = None
    print("asset absent: no Leela network on this machine")

# %%
quarter = np.arange(len(control))[::4]
quarter_fens, quarter_turn = [control_fens[row] for row in quarter], white_to_move[quarter]
blocks = {}
for name in leela.layers if leela else ():
    seen = joined_activations(leela, quarter_fens, name)
    fit = fit_concepts(seen, turned.take(quarter), cs=(1e-3,), seed=seed)
    turned_back = held_out_turned(fit, seen, plain.take(quarter), quarter_turn, seed=seed)
    blocks[name] = accuracy(turned_back, seed=seed)
report.table(pd.DataFrame({"mean test accuracy": blocks}).map("{:.3f}".format))

# %% [markdown]
# Where lc0's Python bindings are installed too, our reading of the network is checked by the
# engine's own value. And the causal test again, on the best block: steps along its own
# concepts, on positions with White to move.

# %%
best_block = max(blocks, key=lambda name: blocks[name].value, default=None)
leela_difference = None
if leela and lc0_is_installed():
    theirs = lc0_values(assets.locate("leela", fetch=False), quarter_fens[:300])
    leela_difference = float(np.abs(leela.evaluate(quarter_fens[:300]) - theirs).max())
    print(f"largest difference of values to lc0: {leela_difference:.6f}")

# %%
if leela:
    seen = joined_activations(leela, quarter_fens, best_block)
    own = fit_concepts(seen, turned.take(quarter), cs=(1e-3,), seed=seed).vectors.directions()
    random_own = concepts.random_directions(sizes.random_directions, own.shape[1], seed=seed)
    theirs = [fen for fen in quarter_fens if " w " in fen][: sizes.steered // 4]
    moved = [steering.steer(leela, best_block, theirs, which, step=10.0).mean(axis=1)
             for which in (own, random_own)]
    print(f"random directions reach {np.abs(moved[1]).max():.3f}")
    print(pd.Series(moved[0], index=concepts.own_terms(oracles.TERMS)).sort_values().round(3))

# %% [markdown]
# ## Recap
#
# - On NNUE the 21 concepts reach {glue:text}`mean:.3f`, against the paper's
#   {glue:text}`paper_mean:.2f` for T78; the bare board reaches {glue:text}`board_mean:.3f`.
# - What the network adds is a few concepts that need more than counting and adding squares,
#   and more on matched pairs than on the plain tails.
# - Between the tails the scores follow the terms only loosely.
# - A wrong point of view costs more than any choice of layer or solver, and sorting numbers
#   as text is enough to make a Table 6 of another kind.
# - The network uses the directions: steering along them moves its verdict.

# %%
source = "CCC paper, Table 6, mean of 21 accuracies"
published = float(paper["Accuracy"].mean())
random_mean = accuracy(found["random weights"], seed=seed)
results = {
    "table6.mean.nnue": report.Result.of(mean, "accuracy", reference=published, source=source),
    "table6.mean.board": report.Result.of(board_mean, "accuracy"),
    "table6.mean.random_weights": report.Result.of(random_mean, "accuracy"),
    "table6.mean.balanced": report.Result.of(balanced_mean, "accuracy"),
    "table6.mean.paper": report.Result(published, unit="accuracy"),
    "table6.below_paper": report.Result(len(below), unit="concepts"),
}

# %%
r2 = {name: float(table["r2"].mean()) for name, table in ranges.items()}
results |= {
    "gain_over_board.mean": report.Result.of(gain, "accuracy"),
    "gain_over_board.matched": report.Result.of(matched_gain, "accuracy"),
    "r2.mean.nnue": report.Result(r2["NNUE"], unit="share of variance"),
    "r2.mean.board": report.Result(r2["bare board"], unit="share of variance"),
    "r2.mean.regression": report.Result(r2["NNUE, regression"], unit="share of variance"),
    "nnue.max_abs_difference_pawns": report.Result(nnue_difference, n=len(calm), unit="pawns"),
}
for name, cells in audited.items():
    value = float(cells.mean())
    results[f"audit.{name}.mean"] = report.Result(value, n=cells.size, unit="accuracy")

# %%
for name, cell in mine["accuracy"].items():
    printed = reference.lookup("ccc", "table6", name, "Accuracy")
    results[f"table6.{name.lower().replace(' ', '_')}.nnue"] = report.Result.of(
        cell, "accuracy", reference=printed.value, source=printed.key
    )
results["table6.mean.leela"] = (
    report.Result.of(blocks[best_block], "accuracy") if blocks
    else report.Result(None, absent="leela network"))
results["leela.max_abs_value_difference"] = (
    report.Result(leela_difference, n=300, unit="expected result") if leela_difference is not None
    else report.Result(None, absent="leela network and lc0's bindings"))
report.write_results("02_concept_vectors", results)

# %%
report.evidence(
    Evidence(
        len(labelled), "positions", seed, len(np.unique(labelled.games)),
        "95 %, bootstrap over games",
        {"expert": f"nn-ad9b42354671, {layer}", "labels": "Stockfish 8"},
    )
)
