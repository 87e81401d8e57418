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
# moves so far: if it is to go on legally, it must work out where the pieces are by itself. The
# models of this chapter are {glue:text}`strength` for the questions that were asked of such a one.
# Below stands what it is to know, two positions, and all that it reads. Who draws evenly among
# the legal moves, and knows nothing of play, has a perplexity of {glue:text}`even` on the test
# games. Better than that, of the {glue:text}`n_models` models of Table 4: {glue:text}`above`. Plain
# UCI goes from {glue:text}`uci_S` with the fewest games (S) to {glue:text}`uci_M` (M) and
# {glue:text}`uci_L` (L). What a notation is worth: {glue:text}`notations`

# %% tags=["parameters", "hide-input"]
profile = "book"
seed = 1
moves = "e2e4 e7e5 g1f3 b8c6 d2d4 h7h6"
following = "f1b5"

# %% tags=["hide-input"]
import chess
import chess.svg
import matplotlib.pyplot as plt
import numpy as np
import pandas as pd
import torch
from matplotlib.ticker import LogLocator
from myst_nb import glue
from torch import nn
from torch.nn import functional as F
from torch.nn.utils.rnn import pad_sequence
from chessgloss import report
from chessgloss.book import reference
from chessgloss.stats import mean_interval
from chessgloss.positions import Position
from chessgloss.book.profiles import load_sizes
from chessgloss.store import Evidence
from chessgloss.tracking import (
    baselines, corpus as corpora, perplexities, probes, runs, settings, tables, tokens, trends)
from chessgloss.tracking.checkpoints import read_checkpoint
from chessgloss.tracking.evaluate import game_losses, share_on_own_pieces

sizes = load_sizes("12_state_tracking", profile)
report.use_house_style()


def printed(table, row, column):
    return reference.lookup("state_tracking", table, row, column)

# %%
played = moves.split()
positions = [Position.after(played), Position.after([*played, following])]
pictures = [chess.svg.board(position.board(), size=280, lastmove=position.board().peek())
            for position in positions]
report.boards(*(report.Html(picture, position.fen)
                for picture, position in zip(pictures, positions, strict=True)))

# %%
print("BOS", *(square for uci in played for square in (uci[:2], uci[2:])))
print("after it:", following[:2], following[2:])

# %% [markdown]
# Toshniwal and others {cite}`toshniwal2022chess` made this a testbed: chess is small, exact and
# known, so what a model has understood can be asked by prompt and looked up. This chapter and the
# next two repeat their paper's tables with small models, trained from nothing on two processor
# cores, beside what can be had without any model. The models of this chapter are
# {glue:text}`strength` for the paper's questions: how one model differs from another says something
# of notations or of games only where both are better than the even draw; all other numbers bear
# a †, and no sentence concludes from them.
#
# In this chapter we
#
# - write a game as tokens (Tables 1 and 2, Figure 1), with and without the types of the pieces;
# - describe the games, and how soon a game is one that no model has seen;
# - write out the model in torch, train it for twenty steps, and compute one game's perplexity;
# - compare perplexities for three notations and three sizes of training set (Table 4);
# - vary how often the piece type is shown in training (Figure 2);
# - measure the committed models anew.
#
# Three differences from the paper weigh on every number. Its games are human, ours are
# Stockfish's against itself at mixed strength, with random openings. Its model is GPT-2's small
# one {cite}`radford2019language`, with {glue:text}`their_weights` million parameters; ours have
# {glue:text}`our_weights` million, 1/{glue:text}`ratio` of them. And its training makes ten passes
# over sets four times as large; ours makes {glue:text}`passes`, so that it reads
# {glue:text}`read_S` % of as many games at S, {glue:text}`read_M` % at M and
# {glue:text}`read_L` % at L. What is too weak here may be so for any of the three.

# %% [markdown]
# ## A game as tokens
#
# A move in UCI notation is two squares: where a piece leaves, where it goes (Figure 1, the boards
# above and the names of the squares below). A model's vocabulary is the 64 squares, and a few
# tokens more (Table 1). Castling is the king's move of two squares; a promotion adds the new piece.

# %%
figure, axes = plt.subplots(figsize=(3.2, 3.2))
axes.imshow(np.indices((8, 8)).sum(axis=0) % 2, cmap="Greys", alpha=0.25, origin="lower")
for square in chess.SQUARES:
    axes.text(square % 8, square // 8, chess.square_name(square), ha="center", va="center")
axes.set_axis_off()
plt.show()

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
# be asked where a type stands, by showing the type alone; that is the next chapter. The paper's
# Table 2 prints one of the draws that RAP 15 may make; ours is another one, the first with its
# seed. In the other three rows nothing is left to chance.

# %%
game = tokens.tokenise([played[:3]])
random = np.random.default_rng(seed)
draws = {"UCI": ("uci", 0), "UCI + RAP 15": ("rap", 0.15), "UCI + RAP 100": ("rap", 1),
         "UCI + AP": ("ap", 0)}
table2 = {}
for row, (notation, share) in draws.items():
    ids, _ = tokens.annotate(game, [0], notation, share, random)
    table2[row] = {"training, ours": ", ".join(tokens.VOCABULARY[token] for token in ids[1:-1]),
                   "training, paper": printed("table2", row, "Training").printed}
report.table(pd.DataFrame(table2).T,
             caption=f"Table 2: three moves in four notations; RAP 15 is one draw, seed {seed}")

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
lengths, n_plies = np.diff(games.games.starts), games.games.plies
spans = {name: games.of(name) for name in ("S", "M", "L", "dev", "test", "probe")}
rows = {"S": "Train-S", "M": "Train-M", "L": "Train-L", "probe": "probing"}
sheet = pd.DataFrame({name: {
    "games": at.size, "games, paper": int(printed("text4", rows.get(name, name), "games").value),
    "plies": int(n_plies[at].sum()), "median plies": int(np.median(n_plies[at])),
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
# ## The model, written out
#
# A game's tokens become a row of numbers. Of every token and of its place the model makes a vector;
# in each block a token's vector takes in a mean of the vectors up to its own (causal attention),
# then goes through two layers by itself (feed-forward), and both are added to what was there
# (residuals). The last vector is held against the vectors of all 77 tokens: the more alike, the
# likelier the token comes next. That is GPT-2's transformer {cite}`radford2019language` without the
# biases of its layers and without dropout.

# %%
vocabulary = ["PAD", "BOS", "EOS", *chess.SQUARE_NAMES, *"PNBRQK", *"qrbn"]
number = {token: place for place, token in enumerate(vocabulary)}


def write(ucis):
    squares = [part for uci in ucis for part in (uci[:2], uci[2:4], uci[4:]) if part]
    return torch.tensor([number[token] for token in ("BOS", *squares, "EOS")])


def make_batch(chosen):
    """Return what is read, and the token after each: both (n_games, length)."""
    rows = [write(games.games.ucis(game)) for game in chosen]
    ids = pad_sequence(rows, batch_first=True, padding_value=number["PAD"])
    return ids[:, :-1], ids[:, 1:]


inputs, targets = make_batch(spans["S"][:16])
print("(n_games, length) =", tuple(inputs.shape))
for name, row in (("inputs ", inputs), ("targets", targets)):
    print(f"{name} of the first game:", *(vocabulary[at] for at in row[0, :12]), "...")

# %% [markdown]
# The library writes the same tokens for this game:

# %%
first_game = spans["S"][:1]
library_tokens, _ = tokens.annotate(games.games, first_game, "uci")
assert np.array_equal(write(games.games.ucis(first_game[0])), library_tokens)
print(f"{len(library_tokens)} tokens, all equal")


# %%
class Block(nn.Module):
    def __init__(self, width, heads):
        super().__init__()
        self.heads = heads
        self.norms = nn.ModuleList([nn.LayerNorm(width), nn.LayerNorm(width)])
        self.project = nn.Linear(width, 3 * width, bias=False)
        self.join = nn.Linear(width, width, bias=False)
        self.widen = nn.Linear(width, 4 * width, bias=False)
        self.narrow = nn.Linear(4 * width, width, bias=False)

    def forward(self, vectors):  # (n_games, length, width), and so is what it returns
        n_games, length, width = vectors.shape
        projected = self.project(self.norms[0](vectors))
        projected = projected.view(n_games, length, 3, self.heads, -1)
        query, key, value = projected.permute(2, 0, 3, 1, 4)
        means = F.scaled_dot_product_attention(query, key, value, is_causal=True)
        means = means.transpose(1, 2).reshape(n_games, length, width)
        vectors = vectors + self.join(means)
        return vectors + self.narrow(F.gelu(self.widen(self.norms[1](vectors))))


class GPT(nn.Module):
    def __init__(self, layers, width, heads, context=512):
        super().__init__()
        self.tokens = nn.Embedding(len(vocabulary), width)
        self.positions = nn.Parameter(torch.zeros(context, width))
        self.blocks = nn.ModuleList([Block(width, heads) for _ in range(layers)])
        self.norm = nn.LayerNorm(width)
        nn.init.normal_(self.tokens.weight, std=0.02)

    def forward(self, ids):  # (n_games, length) to logits (n_games, length, n_tokens)
        vectors = self.tokens(ids) + self.positions[: ids.shape[1]]
        for block in self.blocks:
            vectors = block(vectors)
        return self.norm(vectors) @ self.tokens.weight.T


# %% [markdown]
# ## One step of training, and nineteen more
#
# The loss is the cross-entropy: minus the logarithm of the probability of the token that did
# follow, in the mean over all tokens. A step goes down its gradient.

# %%
def loss_of(model, batch):
    inputs, targets = batch
    return F.cross_entropy(model(inputs).flatten(0, 1), targets.flatten(),
                           ignore_index=number["PAD"])


torch.manual_seed(seed)
small = GPT(layers=1, width=64, heads=4)
optimizer = torch.optim.AdamW(small.parameters(), lr=3e-3, weight_decay=0.01)
unread = make_batch(spans["dev"][:16])
with torch.no_grad():
    dev_losses = [loss_of(small, unread).item()]

# %%
logits = small(inputs)
loss = F.cross_entropy(logits.flatten(0, 1), targets.flatten(),
                       ignore_index=number["PAD"])
loss.backward()
optimizer.step()
print("(n_games, length, n_tokens) =", tuple(logits.shape))
print(f"loss of the first batch: {loss.item():.2f}; ln {len(vocabulary)} = "
      f"{np.log(len(vocabulary)):.2f}")

# %% [markdown]
# Nineteen more steps, each on sixteen other games, and the loss on games that are not trained on.
# The baseline looks at nothing: it gives every token its share of the same training games. Change
# the learning rate, the width or the number of layers, and the curve changes.

# %%
batches = [make_batch(spans["S"][first : first + 16])
           for first in range(0, 16 * 20, 16)]
for batch in batches[1:]:
    with torch.no_grad():
        dev_losses.append(loss_of(small, unread).item())
    optimizer.zero_grad()
    loss_of(small, batch).backward()
    optimizer.step()
with torch.no_grad():
    dev_losses.append(loss_of(small, unread).item())
print(f"loss on dev games before: {dev_losses[0]:.2f}, after {len(batches)} steps: "
      f"{dev_losses[-1]:.2f}")

# %%
read = torch.cat([targets.flatten() for _, targets in batches])
counts = read.bincount(minlength=len(vocabulary))[1:] + 1  # PAD left out
frequencies = (counts / counts.sum()).log()
expected = unread[1][unread[1] != number["PAD"]]
by_frequency = -frequencies[expected - 1].mean().item()
figure, axes = plt.subplots(figsize=(5, 2.6))
axes.plot(dev_losses, "o-", markersize=3, label="the model above")
axes.axhline(by_frequency, color="grey", linestyle=":", label="frequency of each token")
axes.set(xlabel="steps of training", ylabel="loss a token, dev games",
         xticks=range(0, 21, 5))
axes.legend()
plt.show()

# %% [markdown]
# The committed models are this one with {glue:text}`gpt_layers` blocks of {glue:text}`gpt_width`
# numbers a token; to train them, the library adds a learning rate that rises and falls, a bound
# on the gradient, first weights that shrink with the number of blocks, and batches of games of
# like length. It computes the same: put into the classes above, committed weights give the
# library's logits.

# %%
library_model, _ = read_checkpoint(runs.checkpoint_path("L-uci-1"))
shape = library_model.settings
plain = GPT(shape.layers, shape.width, shape.heads, shape.context)
plain.load_state_dict({name.removeprefix("body."): weights
                       for name, weights in library_model.state_dict().items()})
with torch.no_grad():
    logits, library_logits = plain(unread[0]), library_model(unread[0])
assert torch.allclose(logits, library_logits, atol=1e-3)
print("logits", tuple(logits.shape), "equal within 0.001")

# %% [markdown]
# ## Perplexity
#
# A model gives every next token a probability. *Canonical perplexity* turns this into one number
# a move: the exponential of the mean of minus the logarithm of a move's probability, the product
# of its tokens' probabilities. A perplexity of ten is the doubt of a fair draw among ten moves.
# Where a model has learned to expect piece types, and there are none, they are masked out, as in
# the paper; the end of a game is not counted as a move. Here is one test game:

# %%
game_at = spans["test"][0]
ucis = games.games.ucis(game_at)
ids = write(ucis)[:-1]  # without EOS, which is no move
with torch.no_grad():
    logits = plain(ids[None, :-1])[0]
logits[:, number["P"] : number["K"] + 1] = -torch.inf  # no piece types in plain UCI
of_next = logits.log_softmax(dim=1)[torch.arange(len(ids) - 1), ids[1:]]
surprise = -of_next  # of each token
first_tokens = np.cumsum([0, *(2 + (len(uci) == 5) for uci in ucis[:-1])])
by_move = np.add.reduceat(surprise.numpy(), first_tokens)

board, n_legal = chess.Board(), []
for uci in ucis:
    n_legal.append(board.legal_moves.count())
    board.push_uci(uci)
print(f"(n_tokens, n_moves) = {surprise.numel(), by_move.size}")
print(f"perplexity: {np.exp(by_move.mean()):.1f}; "
      f"of an even draw among the legal moves: {np.exp(np.log(n_legal).mean()):.1f}")

# %%
figure, axes = plt.subplots(figsize=(7, 2.4))
plies = np.arange(1, len(ucis) + 1)
axes.bar(plies, by_move, label="L-uci-1")
axes.plot(plies, np.log(n_legal), color="grey", label=baselines.EVEN_DRAW.lower())
axes.set(xlabel="ply", ylabel="−ln probability of the move")
axes.legend()
plt.show()

# %% [markdown]
# One game says nothing of the others. The library does the same for all; for this one it gives
# the same sum:

# %%
library_loss = game_losses(library_model, games.games, "uci", np.array([game_at]))[0]
assert np.isclose(by_move.sum(), library_loss, rtol=1e-3)
print(f"sum of −ln probability: {by_move.sum():.2f} above, "
      f"{library_loss:.2f} in the library")

# %% [markdown]
# The baseline is a draw among the legal moves that prefers none: it knows the rules and the
# board, all that these models are to learn by themselves, and nothing of play. Its perplexity is
# the exponential of the mean logarithm of the number of legal moves. A number that does not beat
# it has a †; *beats* means that the whole interval of the difference, on the same games, is on
# the better side. It is computed on test games; the dev games are of the same kind.
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
rows = {"layers": (shape.layers, "GPT2-small"), "heads": (shape.heads, "GPT2-small"),
        "embedding": (shape.width, "GPT2-small"), "context": (shape.context, "GPT2-small"),
        "epochs": (passes, "training"), "batch": (f"{training.tokens} tokens", "training"),
        "learning rate": (training.rate, "training"),
        "weight decay": (training.decay, "training")}
choices = {name: {"ours": str(value), "paper": printed("text4", row, name).printed}
           for name, (value, row) in rows.items()}
report.table(pd.DataFrame(choices).T, caption="The transformer and its training")

# %%
drawn = baselines.even_draw(games.games, games.of("test")[: sizes.drawn])
even = perplexities.perplexity_of(drawn, seed=seed)
longer = tables.read_longer()
names = [one.name for one in (*outcomes, *longer)]
known = baselines.judge_perplexities(names, drawn, seed=seed)
table4 = tables.perplexity_table(outcomes, tables.NOTATION_ROWS, known, even)


# %% tags=["hide-input"]
def finish(axes, at=(1, 2, 5)):
    axes.axhline(even.value, color="grey", linestyle=":", label=baselines.EVEN_DRAW.lower())
    axes.set_ylim(bottom=0.7 * even.low)
    axes.yaxis.set(major_locator=LogLocator(subs=at), major_formatter="{x:g}", minor_formatter="")
    axes.legend()


# %% tags=["hide-input"]
paper4 = reference.table("state_tracking", "table4").reindex(table4.index)
for column, title in (("Dev set", "dev, paper"), ("Test set", "test, paper")):
    table4[title] = paper4[column]
report.boards(
    report.table(table4[["dev", "dev, paper", "test", "test, paper", "RAP, %"]], digits=1,
                 caption=f"Table 4: canonical perplexity. {baselines.MARKED}"),
    report.table(table4.loc[table4["run"] != "", ["epochs", "tokens read", "early stop", "run"]],
                 caption="How the runs were trained"))

# %% [markdown]
# Intervals draw whole test games; dev games say when to stop, and have none. Compare within a
# column, not across: the games differ, and a player's moves that are drawn at random are hard to
# foresee for any model. What could be compared is what a notation is worth: by how much it changes
# the perplexity of plain UCI. The two must be better than the even draw for that; else it is
# told how far two trainings have come.

# %% tags=["hide-input"]
def change(run, plain="S-uci-1"):
    return baselines.judge_change(run, plain, known, seed=seed)


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
report.table(pd.DataFrame(shown).T, caption="Perplexity against plain UCI's, per cent of it. "
             f"{baselines.MARK} not both beat the even draw: no finding")

# %% [markdown]
# How much of this is chance? Runs that differ only in the seed of weights, order and piece types:

# %%
spread = trends.seed_spread(outcomes)
shown = spread.astype(object)
for column in ("lowest", "median", "highest"):
    shown[column] = [baselines.mark_plain(dev, even) for dev in spread[column]]
shown.loc[baselines.EVEN_DRAW] = ["-", "-", f"{even:.1f}", "-"]
report.table(shown, caption=f"Dev perplexity over seeds. {baselines.MARKED}")

# %% [markdown]
# ## More passes over the same games
#
# The paper reads its games ten times. Of the {glue:text}`all_runs` runs for its tables,
# {glue:text}`ended` ended by the dev set, all others by their number of passes. Four of the
# trainings on S were made again with up to fifteen passes (`S-uci-1x15` and its like), RAP 25 also
# with up to thirty; nothing else differs but that the learning rate falls more slowly.
#
# Read so often, games can be learned by heart. Types at random disturb that, whatever they teach
# about the board; so does dropout, which says nothing of chess: plain UCI with 10 % of it
# (`S-uci-1x15d10`) is the control. Each is one training: the intervals below are of games, and
# what another seed would change (above) comes on top.

# %%
glue("all_runs", len(outcomes), display=False)
glue("ended", sum(one.stopped_early for one in outcomes), display=False)
figure, axes = plt.subplots()
for name in (one.name for one in longer):
    log = pd.DataFrame(runs.read_run(name).log)
    axes.plot(log["epoch"], log["dev_perplexity"], "o-", label=name)
axes.set(xlabel="passes over the games of S", ylabel="dev perplexity a move", yscale="log")
finish(axes)
plt.show()

# %%
short = {one.name: one.name.partition("x")[0] for one in longer if not one.dropout}
passes = {one.name: {
    "trained": one.title, "after 5": known.get(short.get(one.name), "-"),
    "after all": known[one.name],
    "early stop": "yes" if one.stopped_early else "no"} for one in longer}
passes_shown = pd.DataFrame(passes).T
passes_shown.loc[baselines.EVEN_DRAW] = ["-", "-", even, "-"]
report.table(passes_shown, digits=1,
             caption=f"S, test perplexity after more passes. {baselines.MARKED}")

# %%
priced = {run: {"after 5": change(short[run]) if run in short else "-",
                "after all": change(run, "S-uci-1x15")}
          for run in passes if run != "S-uci-1x15"}
report.table(pd.DataFrame(priced).T, digits=1,
             caption="Against plain UCI after 5 passes, and after its best; % of its perplexity. "
                     f"{baselines.MARK} not both beat the even draw: no finding")

# %% [markdown]
# ## How often to show the type
#
# Figure 2 draws dev perplexity against the probability of a type. The paper found 25 % best for
# its S and M, 15 % for L, gains up to 50 % at S, and 100 % too high to draw.

# %%
curve = trends.rap_curve(outcomes)
figure, axes = plt.subplots()
for size in curve:
    points = curve[size].dropna()
    axes.plot(points.index, points, "o-", label=f"Train-{size}")
axes.set(xlabel="probability of a piece type in training, %", ylabel="dev perplexity a move",
         yscale="log")
finish(axes)
plt.show()

# %%
figure2 = curve.map(lambda dev: baselines.mark_plain(dev, even)).astype(object)
figure2 = figure2.where(curve.notna(), tables.NOT_TRAINED)
figure2.loc[baselines.EVEN_DRAW] = f"{even:.1f}"
report.table(figure2, caption=f"Figure 2 in numbers: dev perplexity. {baselines.MARKED}")

# %% [markdown]
# ## Whose turn is a token?
#
# With plain UCI every second token is a square that is left, so that a token's place says what is
# due. A type before some of the moves shifts all that follows. Whether a square is to be left or
# to be reached must then be worked out from the moves themselves. Here is how far our models are:
# after whole moves, the share of probability that they give to squares where the side to move has
# a piece. Who knows rules and board gives them everything. The baseline knows which squares White
# and Black leave how often, whatever was played: from counts over the games of S, at any ply for
# the short prefixes, after 40 plies and more for the long ones.

# %% tags=["hide-input"]
kept = probes.read_probes(probes.probes_file())
after = {f"{low} to {high} plies": probes.select(kept, "end_actual", band)[: sizes.live]
         for band, (low, high) in probes.BANDS.items()}
models = {name: read_checkpoint(runs.checkpoint_path(name)) for name in runs.trained_checkpoints()}
bands = dict(zip(probes.BANDS, after, strict=True))
small_moves = baselines.list_moves(games.games, spans["S"])
ground = {span: baselines.share_on_own_pieces(small_moves, some) for span, some in after.items()}


# %%
def share_of(given, span):
    clusters = [one.game for one in after[span]]
    better = mean_interval(given - ground[span], clusters, seed=seed).low > 0
    return baselines.Judged(mean_interval(given, clusters, seed=seed), better)


# %%
turn = pd.DataFrame({name: {span: share_of(share_on_own_pieces(model, some), span)
                            for span, some in after.items()}
                     for name, (model, training) in models.items() if training.reading == "uci"})
for one in longer:
    if one.model != "uci_ap":
        turn[one.name] = [
            share_of(perplexities.read_own_pieces(one.name, band)[: sizes.live], span)
            for band, span in bands.items()]

# %%
own = turn.map(lambda share: f"{share:.2f}").T
counted = {span: mean_interval(shares, [one.game for one in after[span]], seed=seed)
           for span, shares in ground.items()}
own.loc["Counts: squares left by side"] = [f"{counted[span]:.2f}" for span in own]
report.table(own, caption=f"Probability on own pieces, {sizes.live} prefixes each. "
                          f"{baselines.MARKED}")

# %% [markdown]
# ## More games
#
# The same, seen along the size of the training set; bars are the intervals of the table. Only what
# lies below the dotted line is better than an even draw.

# %%
counts = {"S": sizes.small, "M": sizes.medium, "L": sizes.large}
lines = {title: {counts[size]: known[chosen[size, model].name] for size in tables.SIZES
                 if (size, model) in chosen} for model, title in tables.NOTATION_ROWS.items()}
lines = {title: {count: one.value for count, one in line.items()} for title, line in lines.items()}

# %%
figure, axes = plt.subplots()
for title, line in lines.items():
    ends = np.array([[one.value - one.low, one.high - one.value] for one in line.values()]).T
    middle = [one.value for one in line.values()]
    axes.errorbar(list(line), middle, ends, fmt="o-", capsize=3, label=title)
axes.set(xscale="log", yscale="log", xlabel="training games", ylabel="test perplexity a move")
axes.set_xticks(list(counts.values()), [f"{count:,}" for count in counts.values()], minor=False)
axes.xaxis.set_minor_formatter("")
finish(axes)
plt.show()

# %% [markdown]
# ## The committed models, measured anew
#
# The perplexities above were written down when training ended. The models of the headline rows
# are in the repository, in half precision, and are measured here on the first test games.

# %%
first = games.of("test")[: sizes.live]
drawn_first = perplexities.first_games(drawn, sizes.live)
live = {}
for name, (model, training) in models.items():
    losses = perplexities.Losses(game_losses(model, games.games, training.reading, first),
                                 drawn_first.plies)
    better = perplexities.compare_perplexities(losses, drawn_first, seed=seed).high < 0
    live[name] = baselines.Judged(perplexities.perplexity_of(losses, seed=seed), better)

# %%
committed = pd.DataFrame({f"first {sizes.live} test games": live, "as logged, all": known})
committed = committed.loc[list(live)].astype(object)
committed.loc[baselines.EVEN_DRAW] = [perplexities.perplexity_of(drawn_first, seed=seed), even]
report.table(committed, digits=1,
             caption=f"Committed models, perplexity. {baselines.MARKED}")

# %% [markdown]
# ## Recap
#
# - A move is two squares; 77 tokens write any game. A test game has left all training games after
#   {glue:text}`half_new` plies in half of the cases.
# - An even draw among the legal moves has a perplexity of {glue:text}`even`.
#   Better, of the {glue:text}`n_models` models of Table 4: {glue:text}`above`.
# - What a notation is worth: {glue:text}`notations`
# - More passes over S: {glue:text}`longer`
# - More games and more tokens read: plain UCI goes from {glue:text}`uci_S` at S to
#   {glue:text}`uci_M` at M and {glue:text}`uci_L` at L. † is a number worse than the even draw's.
# - After 51 to 100 plies squares of own pieces get {glue:text}`own_uci` of plain UCI's probability
#   and {glue:text}`own_rap` of RAP 25's ({glue:text}`own_of`), {glue:text}`own_counts` by counts of
#   squares alone.

# %% tags=["hide-input"]
in_table4 = {f"{size} {tables.NOTATION_ROWS[model]}": known[one.name]
             for (size, model), one in chosen.items() if model in tables.NOTATION_ROWS}
above = [row for row, one in in_table4.items() if one.above]
comparable = any(row["ours"] and row["ours"].above for row in changes.values())
glue("strength", "strong enough at some sizes only" if comparable else "too weak", display=False)
glue("n_models", len(in_table4), display=False)
glue("above", baselines.enumerate_names(above), display=False)
glue("even", f"{even:.1f}", display=False)

# %% tags=["hide-input"]
glue("gpt_layers", library_model.settings.layers, display=False)
glue("gpt_width", library_model.settings.width, display=False)
weights = [reference.lookup("state_tracking", "text4", "GPT2-small", name).value
           for name in ("layers", "embedding", "context")]
theirs = 12 * weights[0] * weights[1] ** 2 + (tokens.VOCABULARY_SIZE + weights[2]) * weights[1]
ours = chosen["L", "uci"].parameters
for name, value in (("their_weights", theirs / 1e6), ("our_weights", ours / 1e6)):
    glue(name, f"{value:.3g}", display=False)
glue("ratio", f"{theirs / ours:.0f}", display=False)

# %% tags=["hide-input"]
for size, at in spans.items():
    if size in tables.SIZES and (size, "uci") in chosen:
        read = chosen[size, "uci"].epochs * at.size
        theirs_read = printed("text4", "training", "epochs").value * sheet.loc[
            size, "games, paper"]
        glue(f"read_{size}", f"{100 * read / theirs_read:.1f}", display=False)
    if size in tables.SIZES:
        one = chosen.get((size, "uci"))
        glue(f"uci_{size}", tables.told(known[one.name] if one else None, ".1f"), display=False)
glue("passes", ", ".join(f"{chosen[size, 'uci'].epochs} at {size}" for size in tables.SIZES
                         if (size, "uci") in chosen), display=False)
glue("half_new", int(np.argmax(new >= 0.5)) + 1, display=False)

# %% tags=["hide-input"]
sentences = {f"At {size}, {tables.NOTATION_ROWS[model]} changes plain UCI's perplexity by "
        f"{tables.told(row['ours'], '+.0f')} % (in the paper {row['paper']:+.0f} %).": [row["ours"]]
        for (size, model), row in changes.items()}
glue("notations", baselines.only_if_above(
    sentences, "it cannot be told from these trainings; at no size do plain UCI and a model beside "
               "it both beat the even draw."), display=False)

# %% tags=["hide-input"]
best = min(passes, key=lambda run: passes[run]["after all"].value.value)
sentences = {f"{run} changes the perplexity of plain UCI at its best pass by "
        f"{row['after all']:+.0f} %.": [row["after all"]] for run, row in priced.items()}
otherwise = f"the best of the {len(passes)}, {best}, comes to {passes[best]['after all']:.1f}"
if not any(row["after all"].above for row in passes.values()):
    otherwise += "; none beats the even draw, and whether types help where games are few stays open"
glue("longer", baselines.only_if_above(sentences, f"{otherwise}."), display=False)

# %% tags=["hide-input"]
both = [name for name in turn.columns if name.split("-")[1] in ("uci", f"rap{runs.RAP}")]
sized = [name[0] for name in both]
largest = max((size for size in sized if sized.count(size) == 2), key="SML".index, default="L")
for name, label in (("uci", "uci"), ("rap", f"rap{runs.RAP}")):
    run = f"{largest}-{label}-1"
    share = turn[run].iloc[-1] if run in both else None
    glue(f"own_{name}", tables.told(share, ".2f"), display=False)
glue("own_counts", f"{counted[bands['long']]:.2f}", display=False)
glue("own_of", f"runs on {largest}", display=False)

# %% tags=["hide-input"]
results = {f"table1.{kind.split()[0].lower()}": report.Result(
    len(words), unit="tokens", reference=printed("table1", kind, "Count").value,
    source=printed("table1", kind, "Count").key) for kind, words in kinds.items()}
sure = [table2[row] for row, (_, share) in draws.items() if share in (0, 1)]
same = sum(row["training, ours"] == row["training, paper"] for row in sure)
results["table2.without_chance"] = report.Result(same, n=len(sure), unit="rows as printed")
results["figure1.boards"] = report.Result(len(positions), unit="boards")
results["figure2.points"] = report.Result(int(curve.notna().sum().sum()), unit="runs")
for name, at in spans.items():
    results[f"games.{name}"] = report.Result(at.size, unit="games")

# %% tags=["hide-input"]
unit = "perplexity a move"
for (size, model), one in chosen.items():
    if model in tables.NOTATION_ROWS:
        row = f"{size} {tables.NOTATION_ROWS[model]}"
        dev, test = (printed("table4", row, column) for column in ("Dev set", "Test set"))
        results[f"table4.dev.{size}.{model}"] = report.Result(
            one.dev, unit=unit, reference=dev.value, source=dev.key)
        results[f"perplexity.{size}.{model}"] = report.Result.of(
            known[one.name].value, unit, reference=test.value, source=test.key)
for run, row in passes.items():
    results[f"longer.{run.replace('-', '_')}"] = report.Result.of(row["after all"].value, unit)

# %% tags=["hide-input"]
results["baseline.uniform_legal.perplexity"] = report.Result.of(even, unit)
results["baseline.uniform_legal.beaten"] = report.Result(
    len(above), n=len(in_table4), unit="models of Table 4")

# %% tags=["hide-input"]
for percent, row in curve.iterrows():
    for size, value in row.dropna().items():
        results[f"figure2.{size}.rap{percent}"] = report.Result(value, unit="dev perplexity")
for name, row in spread.iterrows():
    results |= {f"seeds.{name.split(' %')[0].replace(' ', '.')}.{column}": report.Result(
        row[column], n=int(row["seeds"]), unit="dev perplexity")
        for column in ("lowest", "median", "highest")}

# %% tags=["hide-input"]
for name, spans in turn.items():
    results |= {f"own_pieces.{name.replace('-', '_')}.{span.replace(' ', '_')}": report.Result.of(
        share.value, "share of probability") for span, share in spans.items()}
results |= {f"baseline.own_pieces.{span.replace(' ', '_')}": report.Result.of(
    share, "share of probability") for span, share in counted.items()}
for name, one in live.items():
    results[f"live.perplexity.{name.replace('-', '_')}"] = report.Result.of(one.value, unit)
report.save("12_state_tracking", results)

# %% tags=["hide-input"]
report.evidence(Evidence(
    len(names), "trained models", seed, interval="95 % bootstrap over games",
    versions={"test": f"{sizes.test:,} games", "live": f"{sizes.live:,} test games"}))
