# ---
# jupyter:
#   kernelspec:
#     display_name: Python 3 (ipykernel)
#     language: python
#     name: python3
# ---

# %% [markdown]
# # A language model that sees no board
#
# A chess engine holds the board. A language model that reads games as text holds nothing but the
# moves so far: if it is to go on legally, it must work out where the pieces are by itself.
# Toshniwal and others {cite}`toshniwal2022chess` made this a testbed: chess is small, exact and
# known, so what a model has understood can be asked by prompt and looked up. This chapter and the
# next two repeat their paper with models a hundredth of the size of theirs, trained from nothing
# on two processor cores.
#
# In this chapter we
#
# - write a game as tokens (Tables 1 and 2, Figure 1), with and without the types of the pieces;
# - describe the games, and how soon a game is one that no model has seen;
# - compare perplexities for three notations and three sizes of training set (Table 4);
# - vary how often the piece type is shown in training (Figure 2);
# - measure the committed models anew.
#
# Two differences from the paper weigh on every number. Its games are human, ours are Stockfish's
# against itself at mixed strength, with random openings. Its model is GPT-2's small one
# {cite}`radford2019language`, 12 layers of 768, and its sets are four times as large.

# %% tags=["parameters"]
profile = "book"
seed = 1
moves = "e2e4 e7e5 g1f3 b8c6 d2d4 h7h6"
following = "f1b5"

# %%
import chess
import chess.svg
import matplotlib.pyplot as plt
import numpy as np
import pandas as pd
from myst_nb import glue
from chessgloss import report
from chessgloss.book import reference
from chessgloss.positions import Position
from chessgloss.book.profiles import load_sizes
from chessgloss.store import Evidence

# %%
from chessgloss.measures import bootstrap_mean
from chessgloss.tracking import (
    corpus as corpora, perplexities, probes, runs, settings, tables, tokens)
from chessgloss.tracking.checkpoints import read_checkpoint
from chessgloss.tracking.evaluate import game_losses, share_on_own_pieces

sizes = load_sizes("12_state_tracking", profile)
report.use_house_style()


# %%
def printed(table, row, column):
    return reference.lookup("state_tracking", table, row, column)

# %% [markdown]
# ## A game as tokens
#
# A move in UCI notation is two squares: where a piece leaves, where it goes (Figure 1). A model's
# vocabulary is the 64 squares, and a few tokens more (Table 1). Castling is the king's move of two
# squares; a promotion adds the new piece.

# %%
figure, axes = plt.subplots(figsize=(3.2, 3.2))
axes.imshow(np.indices((8, 8)).sum(axis=0) % 2, cmap="Greys", alpha=0.25, origin="lower")
for square in chess.SQUARES:
    axes.text(square % 8, square // 8, chess.square_name(square), ha="center", va="center")
axes.set_axis_off()
plt.show()

# %%
played = moves.split()
positions = [Position.after(played), Position.after([*played, following])]
pictures = [chess.svg.board(one.board(), size=280, lastmove=one.board().peek())
            for one in positions]
report.boards(*(report.Html(picture, one.fen)
                for picture, one in zip(pictures, positions, strict=True)))

# %%
kinds = {"Square names": tokens.VOCABULARY[3:67], "Piece type": tokens.VOCABULARY[67:73],
         "Promoted Pawn Piece type": tokens.VOCABULARY[73:],
         "Special symbols": tokens.VOCABULARY[:3], "Total": tokens.VOCABULARY}
table1 = pd.DataFrame({kind: {"examples": ", ".join(words[:6]), "count": len(words),
                              "paper": int(printed("table1", kind, "Count").value)}
                       for kind, words in kinds.items()}).T
report.table(table1, caption="Table 1: the vocabulary")

# %% [markdown]
# The type of the moving piece can be written before its move. *RAP* does so at random, with a
# given probability and only in training; *AP* does it always. A model trained with RAP can then
# be asked where a type stands, by showing the type alone; that is the next chapter. Table 2 prints
# one of the draws that RAP 15 may make; the library's is set beside it, drawn until it is the
# same.

# %%
game = tokens.tokenise([played[:3]])
random = np.random.default_rng(seed)
draws = {"UCI": ("uci", 0), "UCI + RAP 15": ("rap", 0.15), "UCI + RAP 100": ("rap", 1),
         "UCI + AP": ("ap", 0)}
table2 = {}
for row, (notation, share) in draws.items():
    wanted, words = printed("table2", row, "Training").printed, ""
    while words != wanted:
        ids, _ = tokens.annotate(game, [0], notation, share, random)
        words = ", ".join(tokens.VOCABULARY[one] for one in ids[1:-1])
    table2[row] = {"training, ours": words, "training, paper": wanted}
report.table(pd.DataFrame(table2).T, caption="Table 2: three moves in four notations")

# %% [markdown]
# In the paper's released code castling never has a type before it; here it has the king's, since
# *always* is what the paper says.
#
# ## The games
#
# The games are distinct and 10 to 150 plies long, as in the paper. Training sets S, M and L lie
# within each other; no game is in two of the other sets.

# %%
ours = corpora.CorpusSizes(sizes.small, sizes.medium, sizes.large, sizes.dev, sizes.test,
                           sizes.probe)
games = corpora.read_corpus(sizes=ours)
lengths, plies = np.diff(games.games.starts), games.games.plies
spans = {name: games.of(name) for name in ("S", "M", "L", "dev", "test", "probe")}
rows = {"S": "Train-S", "M": "Train-M", "L": "Train-L", "probe": "probing"}
sheet = pd.DataFrame({name: {
    "games": at.size, "games, paper": int(printed("text4", rows.get(name, name), "games").value),
    "plies": int(plies[at].sum()), "median plies": int(np.median(plies[at])),
    "tokens": int(lengths[at].sum())} for name, at in spans.items()}).T
report.table(sheet, caption="(n_games, n_plies, n_tokens) of each set")

# %%
new = corpora.share_new(games, "test", plies=40)
figure, axes = plt.subplots()
axes.plot(np.arange(1, 41), new, "o-", markersize=3)
axes.set(xlabel="plies played", ylabel="share of test games", ylim=(0, 1.02))
plt.show()

# %% [markdown]
# The curve is the share of test games whose beginning is that of no training game. Random
# openings make ours new early: what a model knows of a position after that, it has
# not read but worked out.
#
# ## Perplexity
#
# A model gives every next token a probability. *Canonical perplexity* turns this into one number
# a move: the exponential of the mean of minus the logarithm of a move's probability, the product
# of its tokens' probabilities. A perplexity of ten is the doubt of a fair draw among ten moves.
# Where a model has learned to expect piece types, and there are none, they are masked out, as in
# the paper; the end of a game is not counted as a move.
#
# A model with 1.3 million parameters and a few passes are what two cores can train in a night,
# all rows together. A batch of 1,536 tokens is about nine games, so that a training on S takes
# nearly as many steps as the paper's. Nothing is dropped in training: with so few passes dropout
# only slows a model down.

# %%
outcomes = tables.read_outcomes()
chosen = tables.headline(outcomes)
shape, training = runs.TRANSFORMER, settings.Training()
passes = ", ".join(f"{count} at {size}" for size, count in runs.EPOCHS.items())
told = {"layers": (shape.layers, "GPT2-small"), "heads": (shape.heads, "GPT2-small"),
        "embedding": (shape.width, "GPT2-small"), "context": (shape.context, "GPT2-small"),
        "epochs": (passes, "training"), "batch": (f"{training.tokens} tokens", "training"),
        "learning rate": (training.rate, "training"),
        "weight decay": (training.decay, "training")}
choices = {name: {"ours": str(value), "paper": printed("text4", row, name).printed}
           for name, (value, row) in told.items()}
report.table(pd.DataFrame(choices).T, caption="The transformer and its training")

# %%
longer = tables.read_longer()
names = [one.name for one in (*outcomes, *longer)]
known = perplexities.read_perplexities(names, seed=seed)
table4 = tables.perplexity_table(outcomes, tables.NOTATION_ROWS)
table4["test"] = [known.get(run, tables.NOT_TRAINED) for run in table4["run"]]

# %%
for column, title in (("Dev set", "dev, paper"), ("Test set", "test, paper")):
    table4[title] = [printed("table4", row, column).value for row in table4.index]
report.boards(
    report.table(table4[["dev", "dev, paper", "test", "test, paper", "RAP, %"]],
                 caption="Table 4: canonical perplexity", digits=1),
    report.table(table4.loc[table4["run"] != "", ["epochs", "tokens read", "early stop", "run"]],
                 caption="How the runs were trained"))

# %% [markdown]
# Intervals draw whole test games; dev games say when to stop, and have none. Compare within a
# column, not across: the games differ, and a player's moves that are drawn at random are hard to
# foresee for any model. What can be compared is what a notation is worth: by
# how much it changes the perplexity of plain UCI.

# %%
def change(run, plain="S-uci-1"):
    return perplexities.change_of_perplexity(run, plain, seed=seed)


changes = {}
for size in tables.SIZES:
    for model in ("uci_rap", "uci_ap"):
        both = [chosen.get((size, name)) for name in (model, "uci")]
        cells = [printed("table4", f"{size} {tables.NOTATION_ROWS[name]}", "Test set").value
                 for name in (model, "uci")]
        changes[size, model] = {
            "paper": 100 * (cells[0] / cells[1] - 1),
            "ours": change(*(one.name for one in both)) if all(both) else None}

# %%
shown = {f"{size} {tables.NOTATION_ROWS[model]}": {
    name: tables.told(value, "+.1f") for name, value in row.items()}
    for (size, model), row in changes.items()}
report.table(pd.DataFrame(shown).T, caption="Perplexity against plain UCI's, per cent of it")

# %% [markdown]
# How much of this is chance? Runs that differ only in the seed of weights, order and piece types:

# %%
spread = tables.seed_spread(outcomes)
(report.table(spread, caption="Dev perplexity over seeds") if len(spread)
 else report.sheet("Dev perplexity over seeds", {"runs repeated with another seed": 0}))

# %% [markdown]
# ## More passes over the same games
#
# The paper reads its games ten times. Of the {glue:text}`all_runs` runs for its tables,
# {glue:text}`ended` ended by the dev set, all others by their number of passes: S has more to
# teach than five passes take from it. Four of its trainings were made again with up to fifteen
# passes (`S-uci-1x15` and its like), RAP 25 also with up to thirty; nothing else differs but that
# the learning rate falls more slowly.
#
# Read so often, games can be learned by heart. Types at random work against that, whatever they
# teach about the board. A control tells the two apart: plain UCI with dropout
# (`S-uci-1x15d10`), which disturbs the reading too and says nothing of chess. Each is one training:
# the intervals below are of games, and what another seed would change (above) comes on top.

# %%
glue("all_runs", len(outcomes), display=False)
glue("ended", sum(one.stopped_early for one in outcomes), display=False)
figure, axes = plt.subplots()
for name in (one.name for one in longer):
    log = pd.DataFrame(runs.read_run(name).log)
    axes.plot(log["epoch"], log["dev_perplexity"], "o-", label=name)
axes.set(xlabel="passes over the games of S", ylabel="dev perplexity a move", yscale="log")
axes.yaxis.set_major_formatter("{x:g}")
axes.yaxis.set_minor_formatter("{x:g}")
axes.legend()
plt.show()

# %%
short = {one.name: one.name.partition("x")[0] for one in longer if not one.dropout}
passes = {one.name: {
    "trained": one.title, "after 5": known.get(short.get(one.name), "-"),
    "after all": known[one.name],
    "early stop": "yes" if one.stopped_early else "no"} for one in longer}
report.table(pd.DataFrame(passes).T, caption="S, test perplexity after more passes", digits=1)

# %%
priced = {run: {"after 5": change(short[run]) if run in short else "-",
                "after all": change(run, "S-uci-1x15")}
          for run in passes if run != "S-uci-1x15"}
report.table(pd.DataFrame(priced).T, digits=1,
             caption="Against plain UCI after 5 passes, and after its best; % of its perplexity")

# %% [markdown]
# ## How often to show the type
#
# Figure 2 draws dev perplexity against the probability of a type. The paper found 25 % best for
# its S and M, 15 % for L, gains up to 50 % at S, and 100 % too high to draw.

# %%
curve = tables.rap_curve(outcomes)
figure, axes = plt.subplots()
for size in curve:
    points = curve[size].dropna()
    axes.plot(points.index, points, "o-", label=f"Train-{size}")
axes.set(xlabel="probability of a piece type in training, %", ylabel="dev perplexity a move",
         yscale="log")
axes.yaxis.set_major_formatter("{x:g}")
axes.yaxis.set_minor_formatter("{x:g}")
axes.legend()
plt.show()

# %%
report.table(curve.astype(object).where(curve.notna(), tables.NOT_TRAINED),
             caption="Figure 2 in numbers: dev perplexity", digits=1)

# %% [markdown]
# ## Whose turn is a token?
#
# With plain UCI every second token is a square that is left, so that a token's place says what is
# due. A type before some of the moves shifts all that follows. Whether a square is to be left or
# to be reached must then be worked out from the moves themselves, which the paper's model
# manages and a small one learns slowly. Here is how far ours are: after whole moves, the share of
# probability that a model gives to squares where the side to move has a piece. Who knows rules
# and board gives them everything.

# %%
kept = probes.read_probes(probes.probes_file())
after = {f"{low} to {high} plies": probes.select(kept, "end_actual", band)[: sizes.live]
         for band, (low, high) in probes.BANDS.items()}
models = {name: read_checkpoint(runs.checkpoint_path(name)) for name in runs.trained_checkpoints()}
turn = pd.DataFrame({name: {span: bootstrap_mean(
    share_on_own_pieces(model, some), [one.game for one in some], seed=seed)
    for span, some in after.items()}
    for name, (model, training) in models.items() if training.reading == "uci"})

# %%
bands = dict(zip(probes.BANDS, after, strict=True))
for one in longer:
    if one.model != "uci_ap":
        turn[one.name] = [bootstrap_mean(
            perplexities.read_own_pieces(one.name, band)[: sizes.live],
            [each.game for each in after[span]], seed=seed) for band, span in bands.items()]
report.table(turn.T, caption=f"Probability on own pieces, {sizes.live} prefixes each", digits=2)

# %% [markdown]
# ## More games
#
# The same, seen along the size of the training set; bars are the intervals of the table.

# %%
counts = {"S": sizes.small, "M": sizes.medium, "L": sizes.large}
lines = {title: {counts[size]: known[chosen[size, model].name] for size in tables.SIZES
                 if (size, model) in chosen} for model, title in tables.NOTATION_ROWS.items()}

# %%
figure, axes = plt.subplots()
for title, line in lines.items():
    ends = np.array([[one.value - one.low, one.high - one.value] for one in line.values()]).T
    axes.errorbar(list(line), [one.value for one in line.values()], ends, fmt="o-", capsize=3,
                  label=title)
axes.set(xscale="log", yscale="log", xlabel="training games", ylabel="test perplexity a move")
axes.set_xticks(list(counts.values()), [f"{count:,}" for count in counts.values()])
axes.xaxis.set_minor_formatter("")
axes.yaxis.set_major_formatter("{x:g}")
axes.yaxis.set_minor_formatter("{x:g}")
axes.legend()
plt.show()

# %% [markdown]
# ## The committed models, measured anew
#
# The perplexities above were written down when training ended. The models of the headline rows
# are in the repository, in half precision, and are measured here on the first test games.

# %%
live = {}
for name, (model, training) in models.items():
    first = games.of("test")[: sizes.live]
    losses = perplexities.Losses(game_losses(model, games.games, training.reading, first),
                                 games.games.plies[first].astype(int))
    live[name] = {"test games here": first.size,
                  "perplexity": perplexities.perplexity_of(losses, seed=seed)}
live = pd.DataFrame(live).T
live["whole test set, as logged"] = [
    known.get(name, tables.NOT_TRAINED) for name in live.index]
report.table(live, caption="Committed models")

# %% [markdown]
# ## Recap
#
# - A move is two squares; 77 tokens write any game. A test game has left all training games after
#   {glue:text}`half_new` plies in half of the cases.
# - A type before every move (AP) changes the test perplexity of plain UCI by {glue:text}`ap_S` %
#   at S, {glue:text}`ap_M` % at M and {glue:text}`ap_L` % at L; in the paper by
#   {glue:text}`paper_ap_S`, {glue:text}`paper_ap_M` and {glue:text}`paper_ap_L` %.
# - A type before some of the moves, in training only (RAP, the best share tried:
#   {glue:text}`best_S` at S, {glue:text}`best_M` at M, {glue:text}`best_L` at L), changes it by
#   {glue:text}`rap_S` % at S, {glue:text}`rap_M` % at M and {glue:text}`rap_L` % at L; in the
#   paper by {glue:text}`paper_rap_S`, {glue:text}`paper_rap_M` and {glue:text}`paper_rap_L` %.
# - After 51 to 100 plies plain UCI gives {glue:text}`own_uci` of its probability to pieces of the
#   side to move, RAP 25 {glue:text}`own_rap` ({glue:text}`own_of`): it has to work out whose token
#   is due, and that takes passes. On S it gives them {glue:text}`own_5` after five, and
#   {glue:text}`own_15` after fifteen.
# - More passes over S change the picture. After five, RAP 5 changes the perplexity of plain UCI by
#   {glue:text}`rap5_5` %, RAP 25 by {glue:text}`rap25_5` % and AP by {glue:text}`ap_5` %; after
#   up to fifteen, against plain UCI at its best pass, by {glue:text}`rap5_15`,
#   {glue:text}`rap25_15` and {glue:text}`ap_15` %; RAP 25 after up to thirty by
#   {glue:text}`rap25_30` %. That a few types help where games are few, as the paper finds, is so
#   here too, once the games are read often enough. As far as one control tells, it is not only that
#   games are not learned by heart: dropout of 10 % changes plain UCI's by {glue:text}`dropped` %.
# - More games and more tokens read: plain UCI goes from {glue:text}`uci_S` at S to
#   {glue:text}`uci_M` at M and {glue:text}`uci_L` at L.

# %%
for size in tables.SIZES:
    for name in ("rap", "ap"):
        row = changes[size, f"uci_{name}"]
        glue(f"{name}_{size}", tables.told(row["ours"], "+.0f"), display=False)
        glue(f"paper_{name}_{size}", tables.told(row["paper"], "+.0f"), display=False)
    best = chosen.get((size, "uci_rap"))
    glue(f"best_{size}", tables.told(best and best.probability, ".0%"), display=False)
    one = chosen.get((size, "uci"))
    glue(f"uci_{size}", tables.told(known[one.name] if one else None, ".1f"), display=False)
glue("half_new", int(np.argmax(new >= 0.5)) + 1, display=False)

# %%
both = [name for name in turn.columns if name.split("-")[1] in ("uci", f"rap{runs.RAP}")]
sized = [name[0] for name in both]
largest = max((size for size in sized if sized.count(size) == 2), key="SML".index, default="L")
for name, label in (("uci", "uci"), ("rap", f"rap{runs.RAP}")):
    run = f"{largest}-{label}-1"
    share = turn[run].iloc[-1].value if run in both else None
    glue(f"own_{name}", tables.told(share, ".0%"), display=False)
glue("own_of", f"runs on {largest}", display=False)

# %%
for label in ("rap5", "rap25", "ap"):
    row = priced[f"S-{label}-1x15"]
    glue(f"{label}_5", tables.told(row["after 5"], "+.0f"), display=False)
    glue(f"{label}_15", tables.told(row["after all"], "+.0f"), display=False)
for name, run in (("rap25_30", "S-rap25-1x30"), ("dropped", "S-uci-1x15d10")):
    glue(name, tables.told(priced[run]["after all"], "+.0f"), display=False)
for passed, run in (("5", "S-rap25-1"), ("15", "S-rap25-1x15")):
    glue(f"own_{passed}", format(turn[run].iloc[-1].value, ".0%"), display=False)

# %%
results = {f"table1.{kind.split()[0].lower()}": report.Result(
    len(words), unit="tokens", reference=printed("table1", kind, "Count").value,
    source=printed("table1", kind, "Count").key) for kind, words in kinds.items()}
same = sum(row["training, ours"] == row["training, paper"] for row in table2.values())
results["table2.same_rows"] = report.Result(same, n=len(table2), unit="rows as printed")
results["figure1.boards"] = report.Result(len(positions), unit="boards")
results["figure2.points"] = report.Result(int(curve.notna().sum().sum()), unit="runs")
for name, at in spans.items():
    results[f"games.{name}"] = report.Result(at.size, unit="games")

# %%
unit = "perplexity a move"
for (size, model), one in chosen.items():
    if model in tables.NOTATION_ROWS:
        row = f"{size} {tables.NOTATION_ROWS[model]}"
        dev, test = (printed("table4", row, column) for column in ("Dev set", "Test set"))
        results[f"table4.dev.{size}.{model}"] = report.Result(
            one.dev, unit=unit, reference=dev.value, source=dev.key)
        results[f"perplexity.{size}.{model}"] = report.Result.of(
            known[one.name], unit, reference=test.value, source=test.key)
for run, row in passes.items():
    results[f"longer.{run.replace('-', '_')}"] = report.Result.of(row["after all"], unit)

# %%
for percent, row in curve.iterrows():
    for size, value in row.dropna().items():
        results[f"figure2.{size}.rap{percent}"] = report.Result(value, unit="dev perplexity")
for name, row in spread.iterrows():
    results |= {f"seeds.{name.split(' %')[0].replace(' ', '.')}.{column}": report.Result(
        row[column], n=int(row["seeds"]), unit="dev perplexity")
        for column in ("lowest", "median", "highest")}

# %%
for name, spans in turn.items():
    results |= {f"own_pieces.{name.replace('-', '_')}.{span.replace(' ', '_')}": report.Result.of(
        share, "share of probability") for span, share in spans.items()}
for name, row in live.iterrows():
    results[f"live.perplexity.{name.replace('-', '_')}"] = report.Result.of(
        row["perplexity"], "perplexity a move")
report.write_results("12_state_tracking", results)

# %%
report.evidence(Evidence(
    len(names), "trained models", seed, interval="95 % bootstrap over games",
    versions={"test": f"{sizes.test:,} games", "live": f"{sizes.live:,} test games"}))
