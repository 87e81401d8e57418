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
# The CCC paper {cite}`kim2024ccc` tells its language model which concepts matter for a move:
# those whose scores differ most before and after it (its Section 3.1.2 and Figure 2). The
# whole method rests on this step, and the paper does not measure it. The oracle makes that
# easy: Stockfish 8 says what each of the 21 terms was before the move and what it is after.
#
# In this chapter we
#
# - measure the published ranking on moves of games that no fit has seen;
# - compare it with rankings that do not look at the move at all;
# - find out what works: regression in place of tails, changes in place of states, a model in
#   place of a line, and what the network adds to each over the bare board;
# - draw the bars of the paper's Figure 3 for the documents' own moves and for yours.

# %% tags=["parameters"]
profile = "book"
seed = 1
layer = "pairwise+clipped"

# %%
import json
import matplotlib.pyplot as plt
import numpy as np
import pandas as pd
from myst_nb import glue
from chessgloss import assets, change_probes as probes, changes, oracles, ranking, report
from chessgloss.change_features import load_source
from chessgloss.change_model import ChangeModel
from chessgloss.concepts import turn_terms
from chessgloss.corpora.games import of_split, read_games
from chessgloss.experts import load_expert
from chessgloss.experts.joined import joined_activations

# %%
from chessgloss.measures import bootstrap_mean
from chessgloss.positions import repair_fen
from chessgloss.prioritise import prioritise, weights_file
from chessgloss.probing import Labelled
from chessgloss.book.profiles import load_sizes
from chessgloss.store import Evidence, default_store, find_project

sizes = load_sizes("03_prioritisation", profile)
report.use_house_style()

# %% [markdown]
# ## Moves and what they change
#
# Moves are drawn from whole games: training games to fit on, validation games to choose on,
# test games for the numbers that are reported. For each move Stockfish 8 gives the 21 terms
# before and after. The change of a term is counted in standard deviations of that term's
# change over the training moves, so that a pawn of Material and a hundredth of Space can be
# compared. Stockfish 8 counts its piece-square tables as Material, so that every move changes
# this term a little.

# %%
games = list(read_games(find_project() / "data/games/selfplay.tsv.zst"))
wanted = {"train": sizes.fitted_games, "validation": sizes.held_out_games,
          "test": sizes.held_out_games}
chosen = [game for split, most in wanted.items() for game in of_split(games, split)[:most]]
sampled = changes.sample_moves(chosen, sizes.per_game, seed=seed)
recipe = {"moves": sampled.digest(), "oracle": "Stockfish 8, npm 8.0.0"}

# %%
fens = list(dict.fromkeys((*sampled.before, *sampled.after)))
table = default_store().fetch("change_terms", recipe, lambda: {
    "values": oracles.evaluate_terms(fens, oracles.stockfish8(), progress=False).middlegame})
moves = changes.measure_changes(sampled, lambda asked: table["values"])
train, validation, test = (moves.part(split) for split in wanted)
spread = train.spread()
truth = {name: part.changes / spread
         for name, part in (("train", train), ("validation", validation), ("test", test))}
print(f"moves: {len(train):,} to fit on, {len(validation):,} to choose on, {len(test):,} to test")

# %% [markdown]
# A move is first of all a capture, a check, castling, a pawn move or a quiet move of a piece,
# in this order: a capture that gives check counts as a capture.

# %%
changed = test.changes != 0
kinds = pd.DataFrame({"kind": test.moves.kinds, "terms changed": changed.sum(axis=1),
                      "fewer than five": changed.sum(axis=1) < 5})
by_kind = kinds.groupby("kind").mean().loc[list(changes.KINDS)]
by_kind.insert(0, "moves", kinds["kind"].value_counts())
glue("unchanged", float(1 - changed.mean()), display=False)
glue("few", float(kinds["fewer than five"].mean()), display=False)
report.table(by_kind, caption="Test moves by kind")

# %% [markdown]
# Of all term changes {glue:text}`unchanged:.0%` are exactly zero, and {glue:text}`few:.0%` of
# the moves change fewer than five terms. This decides how to measure a ranking:
#
# - **nDCG@5**, on all moves: the first five terms named, each worth the size of its true
#   change, earlier ones more; 1 is the best possible order.
# - **precision@5**, on moves that change at least five terms, so that no tie among zeros
#   decides: how many of the five named are among the five most changed.
# - **sign accuracy**: of the terms named that do change, how many in the direction told.
#
# ## Rankings that ignore the move
#
# Chance, and three constants, all learned on training moves: the terms most often among the
# first five, the terms with the largest mean change, and these means by kind of move.

# %%
random = np.random.default_rng(seed)
shape, ones = truth["test"].shape, np.ones((len(test), 1))
rankings = {
    "random": random.random(shape),
    "constant, by frequency": ones * probes.constant_by_frequency(truth["train"]),
    "constant, by size": ones * probes.constant_by_size(truth["train"]),
    "constant, by kind of move": probes.constant_by_kind(
        truth["train"], train.moves.kinds, test.moves.kinds),
}
signed = {}

# %% [markdown]
# ## The published ranking
#
# Support vector machines between the tails of each term, as in the chapter on concept
# vectors; a move's score for a concept is the difference of its two margins. The margins of
# two concepts have no common unit, so a second row calibrates each on training moves.

# %%
expert = load_expert("nnue")
before = {name: joined_activations(expert, part.moves.before, layer, dtype=np.float32)
          for name, part in (("train", train), ("test", test))}
after = {name: joined_activations(expert, part.moves.after, layer, dtype=np.float32)
         for name, part in (("train", train), ("test", test))}
labelled = Labelled(oracles.TERMS, train.before, train.moves.games, train.moves.splits)
fitted = probes.fit_linear(
    before["train"], after["train"], labelled, truth["train"], penalty=0.1, seed=seed)

# %%
paper = {name: probes.score_change(fitted["svm"], before[name], after[name]) for name in before}
units = probes.calibration(paper["train"], truth["train"])
replied = joined_activations(expert, test.moves.replied, layer, dtype=np.float32)
signed["the paper's: difference of margins"] = paper["test"]
signed["the same, after the game's reply"] = probes.score_change(
    fitted["svm"], before["test"], replied)
signed["the paper's, calibrated"] = paper["test"] * units

# %% [markdown]
# The released code compares with the position after the expected reply. The second row does
# so with the reply that the game went on with.
#
# ## Regression instead of tails, changes instead of states
#
# The vectors were fitted to tell extremes apart, and are used to measure small differences.
# Two ridge regressions do what is asked for: one estimates each term of a position, over its
# whole range, and takes the difference; one estimates the *change* of a term from the change
# of the activations. Both are as linear as the paper's.

# %%
states = probes.score_change(fitted["states"], before["test"], after["test"]) / spread
signed["ridge on states, difference"] = states
signed["ridge on changes"] = fitted["changes"].scores(after["test"] - before["test"])

# %% [markdown]
# ## A small model on top
#
# Whether a change of the activations means anything depends on the position, and a line
# cannot say "it depends". The last step is a network with two hidden layers that sees the
# change of the activations and the activations before the move, and nothing else. It looks
# at each move from both sides with the same weights, since mirroring the board only
# exchanges White's terms and Black's, and gives two answers a term: the signed root of the
# change and the root of its size, of which the second ranks. It was trained by
# `python -m chessgloss.change_training nnue` and is loaded here; its log lies beside it. The
# control, `onehot`, is the same model trained on the same moves, with the bare board in
# place of the activations.

# %%
models = {"the model on the bare board": "onehot", "the model on NNUE": "nnue"}
told = {}
for name, source in models.items():
    model = ChangeModel.load(weights_file(source))
    signed[name], rankings[name] = model.predict(
        load_source(source), test.moves.before, test.moves.after)
logs = {source: json.loads(weights_file(source).with_suffix(".json").read_text())
        for source in models.values()}
glue("trained_on", logs["nnue"]["moves"], display=False)

# %% [markdown]
# ## What was published, what a constant does, what works

# %%
for name, scores in signed.items():
    rankings.setdefault(name, np.abs(scores))


def measured(values, rows=slice(None)):
    known = np.isfinite(values[rows])
    return bootstrap_mean(values[rows][known], test.moves.games[rows][known], seed=seed)


# %%
gains = {name: ranking.ndcg(scores, truth["test"]) for name, scores in rankings.items()}
hits = {name: ranking.precision(scores, truth["test"]) for name, scores in rankings.items()}
signs = {name: ranking.sign_accuracy(rankings[name], signed[name], truth["test"])
         for name in signed}
found = {"nDCG@5": gains, "precision@5": hits, "sign": signs}
summary = pd.DataFrame({title: {name: measured(one) for name, one in each.items()}
                        for title, each in found.items()}).loc[list(rankings)]
report.table(summary.map("{:.3f}".format, na_action="ignore"),
             caption="Test moves, with 95 % intervals over games")

# %% [markdown]
# The published ranking reaches a precision of {glue:text}`paper_hits:.2f`; always naming the
# same five terms reaches {glue:text}`constant_hits:.2f`. Its nDCG is {glue:text}`paper_gain:.2f`,
# that of a guess that knows only the kind of the move {glue:text}`kind_gain:.2f`. **As
# published, the step that chooses what the commentary is about does not beat a guess that
# never looks at the position.** The information is there, though: the same activations, asked
# for changes, give {glue:text}`ridge_gain:.2f` linearly and {glue:text}`best_gain:.2f` with the
# model. Much of that is in the bare board too, given as many moves: the same model reaches
# {glue:text}`bare_gain:.2f` on it.

# %%
best, bare = "the model on NNUE", "the model on the bare board"
published = "the paper's: difference of margins"
ignorant = summary.loc[["constant, by frequency", "constant, by size"]]
constant = {title: max(ignorant[title], key=lambda cell: cell.value) for title in found
            if title != "sign"}
over_board = measured(gains[best] - gains[bare])
print(f"nDCG over the bare board, paired: {over_board:.3f}")

# %%
glue("paper_hits", summary["precision@5"][published].value, display=False)
glue("constant_hits", constant["precision@5"].value, display=False)
glue("paper_gain", summary["nDCG@5"][published].value, display=False)
glue("kind_gain", summary["nDCG@5"]["constant, by kind of move"].value, display=False)
glue("bare_gain", summary["nDCG@5"][bare].value, display=False)
glue("ridge_gain", summary["nDCG@5"]["ridge on changes"].value, display=False)
glue("best_gain", summary["nDCG@5"][best].value, display=False)
glue("best_hits", summary["precision@5"][best].value, display=False)

# %% [markdown]
# ## By kind of move
#
# A constant that knows the kind of move is the hardest of the constants. The model must beat
# it within every kind.

# %%
kind_rows = {kind: test.moves.kinds == kind for kind in changes.KINDS}
within = pd.DataFrame(
    {name: {kind: measured(gains[name], rows) for kind, rows in kind_rows.items()}
     for name in ("constant, by kind of move", published, "ridge on changes", bare, best)})
beaten = [kind for kind in changes.KINDS
          if within[best][kind].low > within["constant, by kind of move"][kind].high]
glue("kinds_beaten", len(beaten), display=False)
report.table(within.map("{:.2f}".format), caption="nDCG@5 on test moves by kind")

# %%
fig, ax = plt.subplots(figsize=(7.0, 3.4))
for place, name in enumerate(within.columns):
    heights = [cell.value for cell in within[name]]
    ax.bar(np.arange(len(within)) + 0.16 * (place - 2), heights, width=0.15, label=name)
ax.set_xticks(range(len(within)), within.index)
ax.set_ylabel("nDCG@5")
ax.set_ylim(0, 1)
ax.legend(ncols=2, loc="lower center", bbox_to_anchor=(0.5, 1.0))
plt.show()

# %% [markdown]
# Clear of the best constant in {glue:text}`kinds_beaten` of five kinds.
#
# ## Which layer, which expert?
#
# Layers were chosen on validation games, with the linear method, which is quick to fit: a
# ridge regression on the change of each layer. Beside them stand the bare board and the same
# network with its weights shuffled.

# %%
few, unseen = (part.take(np.arange(len(part)) < most)
               for part, most in ((train, 6_000), (validation, 3_000)))
shuffled, board = load_expert("nnue", random_weights=seed), load_expert("onehot")
candidates = {f"NNUE, {name}": (expert, name) for name in
              ("accumulators", "clipped", "pairwise", "pairwise+clipped", "hidden1")}
candidates |= {"random weights": (shuffled, layer), "bare board": (board, "board")}
by_layer = {}
for name, (which, where) in candidates.items():
    moved = [probes.activation_changes(which, part.moves, where) for part in (few, unseen)]
    line = probes.fit_ridge(moved[0], few.changes / spread, oracles.TERMS, penalty=0.1)
    gain = ranking.ndcg(np.abs(line.scores(moved[1])), unseen.changes / spread)
    by_layer[name] = float(np.nanmean(gain))

# %% [markdown]
# A Leela network sees every position from the side to move, so a move turns its board
# around. Giving the move back to the mover before comparing makes the two views one; its
# terms are then the mover's own and the opponent's. The row needs a Leela file.

# %%
try:
    leela = load_expert("leela", assets.locate("leela", fetch=False))
    middle = leela.layers[len(leela.layers) // 2]
    moved = [probes.activation_changes(leela, part.moves, middle, give_back=True)
             for part in (few, unseen)]
    own = [turn_terms(part.changes / spread, oracles.TERMS, part.moves.white_to_move())
           for part in (few, unseen)]
    line = probes.fit_ridge(moved[0], own[0], oracles.TERMS, penalty=0.1)
    gain = ranking.ndcg(np.abs(line.scores(moved[1])), own[1])
    by_layer["Leela, a middle block"] = float(np.nanmean(gain))
except assets.AssetMissing:
    print("asset absent: no Leela network on this machine")

# %%
glue("board_line", by_layer["bare board"], display=False)
glue("layer_line", by_layer[f"NNUE, {layer}"], display=False)
report.table(pd.Series(by_layer, name="nDCG@5").to_frame(), digits=3,
             caption="Ridge on changes, validation moves")

# %% [markdown]
# Read linearly, the change of the bare board gives {glue:text}`board_line:.2f`, that of the
# layers used here {glue:text}`layer_line:.2f`: a line cannot tell what the network knows more.
#
# ## What is missing
#
# The oracle is a program without noise: it would score 1. What the model lacks can therefore
# be laid at the door of single terms. For each term, the share of the variance of its change
# that the model explains, how often it changes at all, and how much of the model's lost gain
# falls to moves where it should have been named and was not.

# %%
wanted_terms, named = (ranking.top_mask(one) for one in (np.abs(truth["test"]), rankings[best]))
missed = np.where(wanted_terms & ~named, np.abs(truth["test"]), 0)
terms = pd.DataFrame(
    {"changes in": changed.mean(axis=0),
     "R2, line": ranking.explained(signed["ridge on changes"], truth["test"]),
     "R2, board": ranking.explained(signed[bare], truth["test"]),
     "R2, NNUE": ranking.explained(signed[best], truth["test"]),
     "share of missed gain": missed.sum(axis=0) / missed.sum()}, index=oracles.TERMS)
report.table(terms, caption="Where the ranking falls short, test moves")

# %% [markdown]
# The committed models saw {glue:text}`trained_on:,` moves of training games. What they reached
# on validation games after each pass over these moves:

# %%
passes = pd.DataFrame({source: [epoch["ndcg"] for epoch in log["log"]]
                       for source, log in logs.items()})
passes.index = pd.RangeIndex(1, len(passes) + 1, name="pass over the moves")
passes["gain"] = passes["nnue"] - passes["onehot"]
report.table(passes, digits=3, caption="nDCG@5 on validation moves while training")

# %% [markdown]
# The gain of the network over the bare board shrinks from pass to pass, and from one number
# of games to the next. So it must: the oracle's terms follow from the board alone, and a model
# that has seen enough moves learns to compute them without any expert. What the expert gives is
# a head start. The next table trains both models anew, for one pass over few games.

# %%
curve_file = weights_file("nnue").with_name("curve.json")
curve = pd.DataFrame(json.loads(curve_file.read_text())["rows"])
by_moves = curve.pivot(index="moves", columns="source", values="ndcg")
by_moves["gain"] = by_moves["nnue"] - by_moves["onehot"]
glue("gain_few", float(by_moves["gain"].iloc[0]) * 100, display=False)
glue("gain_all", float(passes["gain"].iloc[-1]) * 100, display=False)
report.table(by_moves, digits=3, caption="nDCG@5 on validation moves, by training moves")

# %% [markdown]
# ## The documents' moves
#
# The documents print three positions with a FEN (Figures A1, A5 and A6 of the paper). For
# each, the board with the move, and the concepts that the model ranks first: grey before the
# move, coloured after it, in pawns, as in the paper's Figure 3.

# %%
examples = {
    "8/3nk3/1p4pp/1N1P1p2/1bP2KP1/3P1P2/7P/8 b - - 0 0": "30... Bd2+",
    "N6r/1p1k1ppp/2np4/b3p3/4P1b1/N1Q5/P4PPP/R3KB1R b KQ - 0 18": "Bxc3#",
    "r5qr/p1p2k2/1p1pp3/3QbB1N/4P3/1P6/P1P3PP/2B3K1 w - - 0 21": "Bxe6+",
}
ranked = [prioritise(repair_fen(fen).position, move) for fen, move in examples.items()]
report.boards(*(report.boards(report.board(one.move, size=260), report.table(one.table()))
                for one in ranked))

# %%
fig, axes = plt.subplots(1, len(ranked), figsize=(9.0, 2.8))
for ax, one in zip(axes, ranked, strict=True):
    top = one.table(8).iloc[::-1]
    labels = [each.term for each in one.top(8)][::-1]
    ax.barh(labels, top["before"], height=0.75, color="#bbbbbb", label="before")
    ax.barh(labels, top["after"], height=0.4, color="#0072B2", label="after")
    ax.set_title(one.move.numbered_san)
    ax.tick_params(axis="y", labelsize=7)
fig.legend(*axes[0].get_legend_handles_labels(), loc="outside lower center", ncols=2)
plt.show()

# %% [markdown]
# ## Your moves
#
# Three moves to replace with yours. `method="paper"` shows what the published ranking says
# of the same move, `method="linear"` the ridge regression.

# %%
yours = [
    ("r1bqkbnr/pppp1ppp/2n5/4p3/2B1P3/5N2/PPPP1PPP/RNBQK2R b KQkq - 3 3", "Nf6"),
    ("r2q1rk1/pp2bppp/2n1bn2/2pp4/8/1P1PPN2/PBPNBPPP/R2Q1RK1 b - - 2 9", "d4"),
    ("8/5pk1/6p1/1P2p2p/4P2P/3K2P1/5P2/8 w - - 0 40", "b6"),
]
mine = [prioritise(fen, move) for fen, move in yours]
report.boards(*(report.boards(report.board(one.move, size=260), report.table(one.table()))
                for one in mine))

# %%
print(prioritise(*yours[0], method="paper"))

# %% [markdown]
# ## Recap
#
# - The published ranking, measured: precision@5 {glue:text}`paper_hits:.2f`, against
#   {glue:text}`constant_hits:.2f` for always naming the same five terms, and nDCG@5
#   {glue:text}`paper_gain:.2f`, against {glue:text}`kind_gain:.2f` for the kind of move alone.
# - Regression over the whole range and on *changes* is what helps, still linearly:
#   nDCG@5 {glue:text}`ridge_gain:.2f`.
# - The default of this book, a small model on the activations, reaches a precision@5 of
#   {glue:text}`best_hits:.2f` and an nDCG@5 of {glue:text}`best_gain:.2f`, and beats the
#   constants in {glue:text}`kinds_beaten` of five kinds of move.
# - Over the bare board the network gains {glue:text}`gain_few:.1f` points of nDCG@5 where
#   training moves are few, and {glue:text}`gain_all:.1f` where they are many.
# - The figures show what the commentary chapters hand to the language model.

# %%
results = {"priority.moves": report.Result(len(test), unit="moves"),
           "priority.ndcg.over_one_hot": report.Result.of(over_board, "nDCG@5"),
           "priority.kinds_beaten": report.Result(len(beaten), unit="kinds of move")}
rows = {"best": best, "paper": published, "constant_by_kind": "constant, by kind of move",
        "random": "random", "one_hot": bare, "linear": "ridge on changes"}
for title, measure in {"nDCG@5": "ndcg", "precision@5": "precision_at_5"}.items():
    results[f"priority.{measure}.constant"] = report.Result.of(constant[title], title)
    for key, name in rows.items():
        results[f"priority.{measure}.{key}"] = report.Result.of(summary[title][name], title)

# %%
leela_gain = by_layer.get("Leela, a middle block")
results["priority.ndcg.leela"] = (
    report.Result(leela_gain, n=len(unseen), unit="nDCG@5, validation") if leela_gain
    else report.Result(None, absent="leela network"))
results["priority.sign.best"] = report.Result.of(summary["sign"][best], "accuracy")
report.write_results("03_prioritisation", results)

# %%
report.evidence(
    Evidence(
        len(test), "moves", seed, len(np.unique(test.moves.games)),
        "95 %, bootstrap over games",
        {"expert": "nn-ad9b42354671", "labels": "Stockfish 8",
         "model": f"trained on {logs['nnue']['moves']:,} moves of {logs['nnue']['games']:,} games"},
    )
)
