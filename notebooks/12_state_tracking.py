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
# {glue:text}`result` Who draws evenly among the legal moves, and knows nothing of play, has a
# perplexity of {glue:text}`even` on the test games; who knows neither rules nor board, but counted
# what follows the last tokens in as many games, {glue:text}`sequences_L`. Better than the even draw,
# of the {glue:text}`n_models` models of Table 4: {glue:text}`above`. What a notation is worth:
# {glue:text}`notations` Below stands what a model is to know, two positions, and all that it reads.

# %% tags=["parameters", "hide-input"]
profile = "book"
seed = 1
moves = "e2e4 e7e5 g1f3 b8c6 d2d4 h7h6"
following = "f1b5"

# %% tags=["hide-input"]
from collections import Counter

import chess
import chess.svg
import matplotlib.pyplot as plt
import numpy as np
import pandas as pd
import torch
from matplotlib.ticker import LogLocator
from torch import nn
from torch.nn import functional as F
from torch.nn.utils.rnn import pad_sequence
from IPython.display import Markdown
from chessgloss import report
from chessgloss.book import reference
from chessgloss.stats import mean_interval, paired_difference
from chessgloss.positions import Position
from chessgloss.book.profiles import load_sizes
from chessgloss.tracking import games as tokens, probes, results, runs
from chessgloss.tracking.models import game_losses

sizes = load_sizes("12_state_tracking", profile)
report.use_house_style()


def printed(table, row, column):
    return reference.lookup("state_tracking", table, row, column)


# %%
played = moves.split()
positions = [Position.after(played), Position.after([*played, following])]
pictures = [
    chess.svg.board(position.board(), size=280, lastmove=position.board().peek())
    for position in positions
]
report.boards(
    *(
        report.Html(picture, position.fen)
        for picture, position in zip(pictures, positions, strict=True)
    )
)

# %%
print("BOS", *(square for uci in played for square in (uci[:2], uci[2:])))
print("after it:", following[:2], following[2:])

# %% [markdown]
# Toshniwal and others {cite}`toshniwal2022chess` made this a testbed: chess is small, exact and
# known, so what a model has understood can be asked by prompt and looked up. This chapter and the
# next two repeat their paper's tables with small models, trained from nothing on two processor
# cores, beside what can be had without any model. How one model differs from another says something
# of notations or of games only where at least one of them is better than the even draw; all other
# numbers bear a †, and no sentence concludes from them.
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

# %% mystnb={"figure": {"caption": "The vocabulary of a model of games: the 64 squares, whose names are its tokens.", "name": "fig-12-squares"}, "image": {"alt": "A board with the name of each square written on it."}}
figure, axes = plt.subplots(figsize=(3.2, 3.2))
dark = (np.indices((8, 8)).sum(axis=0) + 1) % 2  # a1 is dark
axes.imshow(dark, cmap="Greys", alpha=0.25, origin="lower")
for square in chess.SQUARES:
    axes.text(square % 8, square // 8, chess.square_name(square), ha="center", va="center")
axes.set_axis_off()
plt.show()

# %%
kinds = {
    "Square names": tokens.VOCABULARY[3:67],
    "Piece type": tokens.VOCABULARY[67:73],
    "Promoted Pawn Piece type": tokens.VOCABULARY[73:],
    "Special symbols": tokens.VOCABULARY[:3],
    "Total": tokens.VOCABULARY,
}
table1 = pd.DataFrame(
    {
        kind: {
            "examples": ", ".join(words[:6]),
            "count": len(words),
            "paper": int(printed("table1", kind, "Count").value),
        }
        for kind, words in kinds.items()
    }
).T
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
draws = {
    "UCI": ("uci", 0),
    "UCI + RAP 15": ("rap", 0.15),
    "UCI + RAP 100": ("rap", 1),
    "UCI + AP": ("ap", 0),
}
table2 = {}
for row, (notation, share) in draws.items():
    ids, _ = tokens.annotate(game, [0], notation, share, random)
    table2[row] = {
        "training, ours": ", ".join(tokens.VOCABULARY[token] for token in ids[1:-1]),
        "training, paper": printed("table2", row, "Training").printed,
    }
report.table(
    pd.DataFrame(table2).T,
    caption=f"Table 2: three moves in four notations; RAP 15 is one draw, seed {seed}",
)

# %% [markdown]
# In the paper's released code castling never has a type before it; here it has the king's, since
# *always* is what the paper says.
#
# ## The games
#
# The games are distinct and 10 to 150 plies long, as in the paper. Training sets S, M and L lie
# within each other; no game is in two of the other sets.

# %%
wanted = {
    "S": sizes.small,
    "M": sizes.medium,
    "L": sizes.large,
    **{name: getattr(sizes, name) for name in ("dev", "test", "probe")},
}
games = tokens.read_corpus(sizes=wanted)
n_plies = games.games.plies
spans = {name: games.of(name) for name in ("S", "M", "L", "dev", "test", "probe")}
rows = {"S": "Train-S", "M": "Train-M", "L": "Train-L", "probe": "probing"}
sheet = pd.DataFrame(
    {
        name: {
            "games": at.size,
            "games, paper": int(printed("text4", rows.get(name, name), "games").value),
            "plies": int(n_plies[at].sum()),
            "median plies": int(np.median(n_plies[at])),
            "tokens": tokens.annotate(games.games, at, "uci")[0].size - 2 * at.size,
        }  # BOS and EOS
        for name, at in spans.items()
    }
).T
report.table(sheet, caption="(n_games, n_plies, n_tokens) of each set")

# %% mystnb={"figure": {"caption": "Share of test games whose beginning is that of no training game, by plies played: after some moves every game is new.", "name": "fig-12-new-positions"}, "image": {"alt": "A line that rises from zero to one within the first plies."}}
trained_on = {
    beginning
    for game in tokens.prefix_hashes(games.games, spans["L"], plies=40)
    for beginning in game
}
new = pd.DataFrame(
    [
        [float(beginning not in trained_on) for beginning in game]
        for game in tokens.prefix_hashes(games.games, spans["test"], plies=40)
    ]
).mean()
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
    return F.cross_entropy(
        model(inputs).flatten(0, 1), targets.flatten(), ignore_index=number["PAD"]
    )


torch.manual_seed(seed)
small = GPT(layers=1, width=64, heads=4)
optimizer = torch.optim.AdamW(small.parameters(), lr=3e-3, weight_decay=0.01)
unread = make_batch(spans["dev"][:16])
with torch.no_grad():
    dev_losses = [loss_of(small, unread).item()]

# %%
logits = small(inputs)
loss = F.cross_entropy(logits.flatten(0, 1), targets.flatten(), ignore_index=number["PAD"])
loss.backward()
optimizer.step()
print("(n_games, length, n_tokens) =", tuple(logits.shape))
print(
    f"loss of the first batch: {loss.item():.2f}; ln {len(vocabulary)} = "
    f"{np.log(len(vocabulary)):.2f}"
)

# %% [markdown]
# Nineteen more steps, each on sixteen other games, and the loss on games that are not trained on.
# The baseline looks at nothing: it gives every token its share of the same training games. Change
# the learning rate, the width or the number of layers, and the curve changes.

# %%
batches = [make_batch(spans["S"][first : first + 16]) for first in range(0, 16 * 20, 16)]
for batch in batches[1:]:
    with torch.no_grad():
        dev_losses.append(loss_of(small, unread).item())
    optimizer.zero_grad()
    loss_of(small, batch).backward()
    optimizer.step()
with torch.no_grad():
    dev_losses.append(loss_of(small, unread).item())
print(
    f"loss on dev games before: {dev_losses[0]:.2f}, after {len(batches)} steps: "
    f"{dev_losses[-1]:.2f}"
)

# %% mystnb={"figure": {"caption": "Twenty steps of training of the forty-line model, and the loss of knowing only how often each token comes.", "name": "fig-12-first-steps"}, "image": {"alt": "A falling line of losses above a dotted horizontal line."}}
read = torch.cat([targets.flatten() for _, targets in batches])
counts = read.bincount(minlength=len(vocabulary))[1:] + 1  # PAD left out
frequencies = (counts / counts.sum()).log()
expected = unread[1][unread[1] != number["PAD"]]
by_frequency = -frequencies[expected - 1].mean().item()
figure, axes = plt.subplots(figsize=(5, 2.6))
axes.plot(dev_losses, "o-", markersize=3, label="the model above")
axes.axhline(by_frequency, color="grey", linestyle=":", label="frequency of each token")
axes.set(xlabel="steps of training", ylabel="loss a token, dev games", xticks=range(0, 21, 5))
axes.legend()
plt.show()

# %% [markdown]
# The committed models are this one with {glue:text}`gpt_layers` blocks of {glue:text}`gpt_width`
# numbers a token; to train them, the library adds a learning rate that rises and falls, a bound
# on the gradient, first weights that shrink with the number of blocks, and batches of games of
# like length. It computes the same: put into the classes above, committed weights give the
# library's logits.

# %%
library_model, _ = runs.read_model("L-uci-1")
shape = library_model.settings
plain = GPT(shape.layers, shape.width, shape.heads, shape.context)
plain.load_state_dict(
    {
        name.removeprefix("body."): weights
        for name, weights in library_model.state_dict().items()
    }
)
with torch.no_grad():
    logits = plain(unread[0])
    library_logits = library_model(unread[0])
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

board = chess.Board()
n_legal = []
for uci in ucis:
    n_legal.append(board.legal_moves.count())
    board.push_uci(uci)
print(f"(n_tokens, n_moves) = {surprise.numel(), by_move.size}")
print(
    f"perplexity: {np.exp(by_move.mean()):.1f}; "
    f"of an even draw among the legal moves: {np.exp(np.log(n_legal).mean()):.1f}"
)

# %% mystnb={"figure": {"caption": "What one game costs the model, move by move: −ln of the probability of the move played, and the same of an even draw among the legal moves (grey).", "name": "fig-12-surprise"}, "image": {"alt": "Bars for each ply and a grey line."}}
figure, axes = plt.subplots(figsize=(7, 2.4))
plies = np.arange(1, len(ucis) + 1)
axes.bar(plies, by_move, label="L-uci-1")
axes.plot(plies, np.log(n_legal), color="grey", label=results.EVEN_DRAW.lower())
axes.set(xlabel="ply", ylabel="−ln probability of the move")
axes.legend()
plt.show()

# %% [markdown]
# One game says nothing of the others. The library does the same for all; for this one it gives
# the same sum:

# %%
library_loss = game_losses(library_model, games.games, "uci", np.array([game_at]))[0]
assert np.isclose(by_move.sum(), library_loss, rtol=1e-3)
print(f"sum of −ln probability: {by_move.sum():.2f} above, {library_loss:.2f} in the library")

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
trained = runs.read_runs()
outcomes = trained[trained["usual"]]
longer = trained[~trained["usual"] & (trained["base"] == "")]
chosen = results.headline(trained, results.NOTATION_ROWS)
first_base = chosen[chosen["base"] == results.BASES[0]]
shape = runs.TRANSFORMER
training = runs.Training()
passes = ", ".join(f"{count} at {size}" for size, count in runs.EPOCHS.items())
rows = {
    "layers": (shape.layers, "GPT2-small"),
    "heads": (shape.heads, "GPT2-small"),
    "embedding": (shape.width, "GPT2-small"),
    "context": (shape.context, "GPT2-small"),
    "epochs": (passes, "training"),
    "batch": (f"{training.tokens} tokens", "training"),
    "learning rate": (training.rate, "training"),
    "weight decay": (training.decay, "training"),
}
choices = {
    name: {"ours": str(value), "paper": printed("text4", row, name).printed}
    for name, (value, row) in rows.items()
}
report.table(pd.DataFrame(choices).T, caption="The transformer and its training")

# %% [markdown]
# Another baseline knows neither rules nor board: it counted, in the training games, which token
# followed the last few, and mixes in what followed fewer of them (an n-gram model with interpolated
# counts, as by MacKay and Peto 1995). A model that is better than this and worse than the even
# draw has learned something of chess, and less than the rules. In plain code:

# %%
padding = 6 * (number["PAD"],)  # before a game
followed = Counter()  # how often a token came after some others
seen = Counter()  # how often these came
counted_here = spans["S"][: 5 * sizes.live]
for at in counted_here:
    said = (*padding, *write(games.games.ucis(at)).tolist())
    for place in range(len(padding) + 1, len(said)):
        for length in range(7):
            before = said[place - length : place]
            followed[before, said[place]] += 1
            seen[before] += 1


def chance(before, token):
    """Probability of a token after six others."""
    share = 1 / len(vocabulary)  # of an even draw
    for length in range(7):
        last = before[len(before) - length :]
        share = (followed[last, token] + results.SHORTER * share) / (
            seen[last] + results.SHORTER
        )
    return share


said = (*padding, *ids.tolist())
places = range(len(padding) + 1, len(said))
by_counts = -sum(np.log(chance(said[place - 6 : place], said[place])) for place in places)
library_counts = results.sequence_losses(games.games, counted_here, np.array([game_at]))
assert np.isclose(by_counts, library_counts["nats"].item())
print(
    f"perplexity of the game above, by counts over {len(counted_here):,} games: "
    f"{np.exp(by_counts / len(ucis)):.0f}"
)

# %% [markdown]
# The library does the same over all games of each set. Its perplexity stands in Table 4.

# %%
drawn = results.even_draw(games.games, games.of("test")[: sizes.drawn])
sequences = {
    size: results.perplexity_of(
        results.sequence_losses(
            games.games, spans[size][: sizes.counted], spans["test"][: sizes.drawn]
        ),
        seed=seed,
    )
    for size in results.SIZES
}
even = results.perplexity_of(drawn, seed=seed)
known = pd.Series(
    {
        run: results.judge_perplexity(results.read_losses(run), drawn, seed=seed)
        for run in sorted({*outcomes.index, *longer.index, *chosen["run"]})
    }
)


def mark(dev):
    return f"{dev:.1f}" + ("" if dev < even.low else f" {results.MARK}")


table4 = (
    chosen.set_index("title").rename_axis(None).assign(test=known[chosen["run"]].to_numpy())
)
table4["RAP, %"] = (100 * table4["probability"]).round().astype(int).replace(0, "")
table4["early stop"] = table4["stopped_early"].map({True: "yes", False: "no"})
shown = table4.assign(dev=table4["dev"].map(mark)).rename(columns={"tokens": "tokens read"})
shown.loc[results.EVEN_DRAW, ["dev", "test"]] = ["-", even]
for size, counted_alone in sequences.items():
    shown.loc[f"{results.SEQUENCES}, {size}", ["dev", "test"]] = ["-", counted_alone]


# %% tags=["hide-input"]
def finish(axes, at=(1, 2, 5)):
    axes.axhline(even.value, color="grey", linestyle=":", label=results.EVEN_DRAW.lower())
    lowest = min(np.nanmin(line.get_ydata()) for line in axes.get_lines())
    axes.set_ylim(bottom=0.85 * min(lowest, even.low))
    axes.yaxis.set(
        major_locator=LogLocator(subs=at), major_formatter="{x:g}", minor_formatter=""
    )
    axes.legend()


# %% tags=["hide-input"]
paper4 = reference.table("state_tracking", "table4")
rows4 = list(dict.fromkeys([*paper4.index, *shown.index]))
paper4 = paper4.rename(columns={"Dev set": "dev, paper", "Test set": "test, paper"})
shown = shown.reindex(rows4)
of_paper = paper4.reindex(shown["paper"].fillna(shown.index.to_series())).set_axis(shown.index)
shown = shown.assign(**of_paper)
report.boards(
    report.table(
        shown[["dev", "dev, paper", "test", "test, paper", "RAP, %"]],
        digits=1,
        caption=f"Table 4: canonical perplexity. {results.MARKED}",
    ),
    report.table(
        shown.loc[table4.index, ["epochs", "tokens read", "early stop", "run"]],
        digits=0,
        caption="How the runs were trained",
    ),
)

# %% [markdown]
# Intervals draw whole test games; dev games say when to stop, and have none. Compare within a
# column, not across: the games differ, and a player's moves that are drawn at random are hard to
# foresee for any model. What can be compared is what a notation is worth: by how much it changes
# the perplexity of plain UCI of the same size and base. One of the two must be better than the even
# draw for that; else it is told how far two trainings have come.


# %% tags=["hide-input"]
def change(run, plain="S-uci-1"):
    return results.judge_change(run, plain, known, seed=seed)


changes = {}
for (block, model), row in chosen.iterrows():
    if model == "uci" or (block, "uci") not in chosen.index:
        continue
    cells = [
        printed("table4", f"{row['size']} {results.NOTATION_ROWS[name]}", "Test set").value
        for name in (model, "uci")
    ]
    changes[row["title"]] = {
        "paper": 100 * (cells[0] / cells[1] - 1),
        "ours": change(row["run"], chosen.loc[(block, "uci"), "run"]),
    }

# %%
shown = pd.DataFrame(changes).T.map("{:+.1f}".format)
report.table(
    shown,
    caption=f"Perplexity against plain UCI's, per cent of it. {results.COMPARED}",
)

# %% [markdown]
# How much of this is chance? Runs that differ only in the seed of weights, order and piece types:

# %%
seeds = outcomes.groupby(["size", "model", "probability"])["dev"]
spread = seeds.agg(seeds="size", lowest="min", median="median", highest="max")
spread = spread[spread["seeds"] > 1]
shown = spread.astype(object)
shown[["lowest", "median", "highest"]] = shown[["lowest", "median", "highest"]].map(mark)
shown.index = [
    f"{size} {model}" + (f" {share:.0%}" if share else "") for size, model, share in shown.index
]
shown.loc[results.EVEN_DRAW] = ["-", "-", f"{even:.1f}", "-"]
report.table(shown, caption=f"Dev perplexity over seeds. {results.MARKED}")

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

# %% mystnb={"figure": {"caption": "Dev perplexity by passes over the games of S, for longer trainings. A line that turns up has begun to learn its games by heart.", "name": "fig-12-longer"}, "image": {"alt": "Lines of perplexity over passes, some of which turn upwards."}}
report.paste(all_runs=len(outcomes), ended=int(outcomes["stopped_early"].sum()))
figure, axes = plt.subplots()
for run, log in longer["log"].items():
    log = pd.DataFrame(log)
    axes.plot(log["epoch"], log["dev_perplexity"], "o-", label=run)
axes.set(xlabel="passes over the games of S", ylabel="dev perplexity a move", yscale="log")
finish(axes)
plt.show()

# %%
short = {run: run.partition("x")[0] for run in longer.index[longer["dropout"] == 0]}
passes = longer.assign(after=known).sort_index()
passes_shown = pd.DataFrame(
    {
        "passes": passes["epochs"],
        "after 5": [known.get(short.get(run), "-") for run in passes.index],
        "after all": passes["after"],
        "early stop": passes["stopped_early"].map({True: "yes", False: "no"}),
    }
)
passes_shown.loc[results.EVEN_DRAW] = ["-", "-", even, "-"]
report.table(
    passes_shown, digits=1, caption=f"S, test perplexity after more passes. {results.MARKED}"
)

# %%
priced = {
    run: {
        "after 5": change(short[run]) if run in short else "-",
        "after all": change(run, "S-uci-1x15"),
    }
    for run in passes.index
    if run != "S-uci-1x15"
}
report.table(
    pd.DataFrame(priced).T,
    digits=1,
    caption="Against plain UCI after 5 passes, and after its best; % of its perplexity. "
    f"{results.COMPARED}",
)

# %% [markdown]
# ## A modern base
#
# GPT-2's form is the paper's. What became usual since then can learn more from the same games:
# rotary positions, keys and values that are mixed with the previous token's (a move is two
# tokens), and matrices moved by Muon, with twice the tokens a step. {glue:text}`modern_runs` has
# the width, depth and games of `L-uci-1`. Its passes are more, too, so that the last points of the
# two lines below do not say what the form alone is worth; at equal tokens read they can be
# compared, with the reserve that one rate of learning is still high where the other has come down.

# %% mystnb={"figure": {"caption": "Dev perplexity by tokens read: the paper's form at our size and the modern base, on a logarithmic axis.", "name": "fig-12-modern"}, "image": {"alt": "Falling lines; those of the modern base lie below the paper's form."}}
one_pass = trained.index.str.endswith("x1")  # the section after the next
modern = trained[(trained["base"] == "modern") & ~one_pass]
at_large, at_small = (modern.index[modern["size"] == size] for size in ("L", "S"))
lines = {run: pd.DataFrame(trained.loc[run, "log"]) for run in ("L-uci-1", *at_large)}
figure, axes = plt.subplots()
for run, log in lines.items():
    axes.plot(log["tokens"] / 1e6, log["dev_perplexity"], "o-", label=run)
axes.set(xlabel="million tokens read", ylabel="dev perplexity a move", yscale="log")
finish(axes)
plt.show()

# %% [markdown]
# How many tokens does a run at L read until its dev perplexity is 40 or less? It is measured after
# each pass, so that the number is one of whole passes.

# %%
measured = pd.concat(
    {run: pd.DataFrame(log) for run, log in trained.loc[trained["size"] == "L", "log"].items()},
    names=["run", "pass"],
).reset_index("run")
to_40 = (
    measured[measured["dev_perplexity"] <= 40]
    .groupby("run")[["tokens", "dev_perplexity"]]
    .first()
)
report.table(
    to_40, digits=1, caption="Tokens read when dev perplexity is first 40 or less, at L"
)

# %%
report.paste(modern_runs=results.enumerate_names(at_large))
asked = probes.read_probes().query("task == 'end_actual'")
end_ground = results.score_baselines(results.list_moves(games.games, spans["S"]), asked)
both_forms = {}
for run in (*lines, "S-uci-1", *at_small):
    scores = results.summarise(
        results.score_run(run, asked),
        results.ground_of(trained.loc[run, "model"], end_ground),
        seed=seed,
    )
    loss = results.judge_perplexity(results.read_losses(run), drawn, seed=seed)
    both_forms[run] = {
        "tokens read": trained.loc[run, "tokens"],
        "test perplexity": loss,
        **{
            f"legal, {low} to {high} plies": scores.loc[("end_actual", band), "lgm"]
            for band, (low, high) in probes.BANDS.items()
        },
    }
both_forms = pd.DataFrame(both_forms).T
beside = both_forms.copy()
beside.loc[results.EVEN_DRAW] = ["-", even, "-", "-"]
for name, rows in end_ground.items():
    legal = results.summarise(rows, seed=seed)["lgm"]
    beside.loc[results.BASELINES[name]] = [
        "-",
        "-",
        *(legal[("end_actual", band)] for band in probes.BANDS),
    ]
report.table(
    beside,
    digits=1,
    caption="Both forms at L and S: perplexity, and legal answers to "
    f"End-Actual questions (next chapter), per cent. {results.MARKED}",
)

# %% [markdown]
# With few games the modern base learns them by heart sooner: at S the dev set ends its training.
# That is where the paper finds piece types to help. At L all read the same games as often: with
# piece types before every move, before a quarter of them or before none, and one sees the last 50
# tokens only (chapter 14). The one that ends in 2 differs from plain UCI by its seed alone: what
# another seed changes is the yardstick for the others. The change of perplexity, games paired:

# %%
plain = {run: f"{size}-modern_uci-1" for run, size in modern["size"].items()}
by_types = {
    run: results.change_of_perplexity(
        results.read_losses(run), results.read_losses(base), seed=seed
    )
    for run, base in plain.items()
    if run != base
}
against_other = {
    run: results.change_of_perplexity(
        results.read_losses(run), results.read_losses(other), seed=seed
    )
    for run, base in plain.items()
    for other in results.other_seeds(trained, base)[1:2]
    if run not in (base, other)
}
ended = {run: f"{len(trained.loc[run, 'log'])} passes" for run in plain}
report.table(
    pd.DataFrame(
        {"passes": ended, "change, %": by_types, "beside the other seed, %": against_other}
    ).fillna(""),
    digits=1,
    caption="Against plain UCI on the same base and games",
)

# %% tags=["hide-input"]
at_strength = {
    run: change
    for run, change in by_types.items()
    if both_forms.loc[[run, plain[run]], "test perplexity"]
    .map(lambda judged: judged.above)
    .all()
}
by_seed = [abs(change.value) for run, change in at_strength.items() if not run.endswith("-1")]


def read_change(run, change):
    """Say what a run changes, and whether another seed changes as much."""
    if change.low < 0 < change.high:
        told = ", which its interval does not tell from nothing"
    elif by_seed and not run.endswith("-1"):
        told = " by its seed alone"
    elif by_seed and min(abs(change.low), abs(change.high)) <= max(by_seed):
        told = ", no more than another seed may"
    else:
        told = ""
    return f"{run} changes the perplexity of plain UCI by {change:+.1f} %{told}."


says = [read_change(run, change) for run, change in at_strength.items()]
Markdown(
    " ".join(["Where both beat the even draw, and each is one training:", *says])
    if says
    else ""
)

# %% tags=["hide-input"]
worse = [run for run in at_small if not both_forms.loc[run, "test perplexity"].above]
Markdown(
    ""
    if not worse
    else f"The perplexity of {results.enumerate_names(worse)} is above that of an even draw among "
    "the legal moves, so that no finding rests on this: a model that reads 3,750 of these "
    "games does not come into the regime in which the question can be put."
)

# %% [markdown]
# ## What each choice is worth
#
# The same base at L once more, for a single pass, with one choice left out at a time: positions are
# learned vectors in place of rotary ones, keys and values are not mixed, or Adam moves the matrices
# too. All read the same games once, as many tokens, from the same seed; a pass ends with the rate at
# zero, as a longer training does. Half the tokens a step was not tried at this length.

# %%
left_out = {
    "modern": "all choices",
    "modern.norotary": "no rotary positions",
    "modern.nomixing": "no mixing with the previous token",
    "modern.nomuon": "Adam in place of Muon",
}
once = trained[one_pass & trained["base"].isin(left_out)]
once_known = pd.Series(
    {
        run: results.judge_perplexity(results.read_losses(run), drawn, seed=seed)
        for run in once.index
    }
)
whole = "L-modern_uci-1x1"
once_scores = {
    run: results.summarise(
        results.score_run(run, asked), results.ground_of("uci", end_ground), seed=seed
    )
    for run in once.index
}
worth = pd.DataFrame(
    {
        left_out[base]: {
            "million tokens": f"{once.loc[run, 'tokens'] / 1e6:.1f}",
            "test perplexity": once_known[run],
            "change, %": "-"
            if run == whole
            else results.judge_change(run, whole, once_known, seed=seed),
            "legal, 51 to 100 plies": once_scores[run].loc[("end_actual", "long"), "lgm"],
        }
        for base in left_out
        for run in once.index[once["base"] == base]
    }
).T
report.table(
    worth,
    digits=1,
    caption="One pass over L: test perplexity, its change against all "
    f"choices together, legal answers in per cent. {results.MARKED}",
)

# %% tags=["hide-input"]
worth_says = {
    f"{name[0].upper()}{name[1:]}: {row['change, %'].value:+.1f} % of perplexity"
    + (
        ", less than another seed may change."
        if by_seed and abs(row["change, %"].value.value) <= max(by_seed)
        else "."
    ): [row["change, %"]]
    for name, row in worth.iterrows()
    if row["change, %"] != "-"
}
Markdown(
    results.only_if_above(
        worth_says,
        "After one pass none of these differences is between two models of which one beats the "
        "even draw: they say how fast each learns, and nothing of how far it comes.",
    )
)

# %% [markdown]
# ## Games that nobody wants to win
#
# Do random games teach the rules better than games that are played to win? The modern base read L
# three times; the same model, from the same seed, read as many random games of the same lengths,
# and as often. Both are then asked about games of both kinds that neither has read. A random game
# is written in four lines:


# %%
def random_game(plies, generator):
    board = chess.Board()
    while board.ply() < plies and (legal := list(board.legal_moves)):
        board.push(legal[generator.integers(len(legal))])
    return [move.uci() for move in board.move_stack]


drawing = np.random.default_rng(seed + 1_000)
asked_about, counted_over = spans["test"][: 2 * sizes.live], spans["S"][: 5 * sizes.live]
by_chance = [random_game(int(n_plies[at]), drawing) for at in (*asked_about, *counted_over)]
print(" ".join(by_chance[0][:12]), "...")


# %%
def ask_about(played, band="long"):
    """Return End-Actual questions, one a game at most, about prefixes of the long band."""
    shortest, longest = probes.BANDS[band]
    rows = []
    for number, ucis in enumerate(played):
        if len(ucis) > shortest:
            length = int(drawing.integers(shortest, min(longest, len(ucis) - 1) + 1))
            rows += probes.ask(ucis[:length], ucis[length], band, str(number), drawing)[:1]
    return pd.DataFrame(rows, columns=probes.COLUMNS)


read_by = {"self-play": "L-modern_uci-1", "random": "L-random_uci-1"}
kinds_of_games = {
    "self-play": [games.games.ucis(at) for at in (*asked_about, *counted_over)],
    "random": by_chance,
}
both_kinds = {}
legal_of = {}
fewer = {}
for kind, played in kinds_of_games.items():
    of_kind = tokens.tokenise(played)
    everywhere = np.arange(len(asked_about))  # then come the games that are counted over
    rows = ask_about(played[: len(asked_about)])
    evenly = results.even_draw(of_kind, everywhere)
    counted_moves = results.list_moves(of_kind, np.arange(len(asked_about), len(played)))
    counted_answers = results.score_baselines(counted_moves, rows)["came_from"]
    both_kinds[("an even draw among legal moves", kind)] = {
        "perplexity": results.perplexity_of(evenly, seed=seed)
    }
    both_kinds[(f"counts over {len(counted_over):,} such games", kind)] = {
        "legal, %": mean_interval(
            counted_answers["lgm"], counted_answers["game"], seed=seed
        ).in_percent()
    }
    for source, run in read_by.items():
        model, training = runs.read_model(run)
        nats = game_losses(model, of_kind, "uci", everywhere)
        losses = pd.DataFrame({"nats": nats, "plies": of_kind.plies[everywhere]})
        answered = probes.score_answers(rows, probes.predict(model, rows, "uci"))
        legal_of[(source, kind)] = answered["lgm"]
        both_kinds[(f"model that read {source}", kind)] = {
            "perplexity": results.judge_perplexity(losses, evenly, seed=seed),
            "legal, %": results.Judged(
                mean_interval(answered["lgm"], answered["game"], seed=seed).in_percent(),
                results.beats(answered, counted_answers["lgm"], seed=seed),
            ),
        }
    fewer[kind] = paired_difference(
        100 * legal_of[("random", kind)],
        100 * legal_of[("self-play", kind)],
        rows["game"],
        seed=seed,
    )

# %%
crossed = pd.DataFrame(both_kinds).T.sort_index()
report.table(
    crossed.rename_axis(["who", "asked about"]).fillna("-").reset_index().set_index("who"),
    digits=1,
    caption="Trained on one kind of game, asked about both: legal answers to "
    f"End-Actual questions after 51 to 100 plies. {results.MARKED}",
)

# %% [markdown]
# In random games no model can beat the even draw, which is how they are made: there the perplexity
# says how far a model is from knowing all legal moves and none other. Legal answers can be compared.

# Of self-play there are more questions on file, a thousand of each task and band (chapter 13); of
# *End-Other* the piece to be moved is one that was not moved in the game. Each is one training; what
# another seed changes is in the column beside.

# %%
filed = probes.read_probes().query("task in @probes.END_TASKS")
answered = {
    source: results.score_run(run, filed)
    for source, run in {**read_by, "self-play, another seed": "L-modern_uci-2"}.items()
}
on_file = pd.DataFrame(
    {
        source: {
            key: mean_interval(100 * rows["lgm"], rows["game"], seed=seed)
            for key, rows in table.groupby(["task", "band"])
        }
        for source, table in answered.items()
    }
)
on_file["random less self-play"] = [
    paired_difference(
        *(
            100
            * answered[source].loc[
                (answered[source]["task"] == task) & (answered[source]["band"] == band), "lgm"
            ]
            for source in ("random", "self-play")
        ),
        filed.loc[(filed["task"] == task) & (filed["band"] == band), "game"],
        seed=seed,
    )
    for task, band in on_file.index
]
report.table(
    on_file.rename_axis(["task", "band"]),
    digits=1,
    caption="Legal answers about self-play games, per cent, by the games that were read",
)

# %% tags=["hide-input"]
random_says = {}
for kind, apart in fewer.items():
    pair = [both_kinds[(f"model that read {source}", kind)]["legal, %"] for source in read_by]
    word = (
        "more" if apart.low > 0 else "less" if apart.high < 0 else "not tellably more or less"
    )
    random_says[
        f"Asked about {kind} games, the model that read random games is {word} often legal "
        f"({apart:+.1f} points)."
    ] = pair
filed_apart = on_file["random less self-play"]
clear = {key: apart for key, apart in filed_apart.items() if apart.low > 0}
seeds_apart = [
    abs(row["self-play"].value - row["self-play, another seed"].value)
    for _, row in on_file.iterrows()
]
random_says[
    f"Of the {len(filed):,} questions on file it answers legally more often in "
    f"{len(clear)} of {len(filed_apart)} tasks and bands, by "
    f"{min(apart.value for apart in clear.values()):.1f} to "
    f"{max(apart.value for apart in clear.values()):.1f} points; another seed of the model "
    f"of self-play differs from it by up to {max(seeds_apart):.1f}."
    if clear
    else "On the questions on file the two are not told apart."
] = [both_kinds[(f"model that read {source}", "self-play")]["legal, %"] for source in read_by]
random_says = results.only_if_above(
    random_says, "on neither kind of game do both beat counting, so that this stays open."
)
Markdown(random_says)

# %% [markdown]
# ## How often to show the type
#
# Figure 2 draws dev perplexity against the probability of a type. The paper found 25 % best for
# its S and M, 15 % for L, gains up to 50 % at S, and 100 % too high to draw.

# %% mystnb={"figure": {"caption": "The paper's Figure 2 with our models: dev perplexity by the probability of a piece type in training, for each size.", "name": "fig-12-figure-2"}, "image": {"alt": "A line for each size over probabilities from 0 to 100 %."}}
drawn_types = outcomes[outcomes["model"].isin(["uci", "uci_rap"]) & (outcomes["seed"] == 1)]
drawn_types = drawn_types.assign(percent=(100 * drawn_types["probability"]).round().astype(int))
curve = drawn_types.pivot(index="percent", columns="size", values="dev")
curve = curve[list(results.SIZES)].rename_axis(index="RAP, %", columns=None)
figure, axes = plt.subplots()
for size in curve:
    points = curve[size].dropna()
    axes.plot(points.index, points, "o-", label=f"Train-{size}")
axes.set(
    xlabel="probability of a piece type in training, %",
    ylabel="dev perplexity a move",
    yscale="log",
)
finish(axes)
plt.show()

# %%
figure2 = curve.map(mark).where(curve.notna(), "not trained")
figure2.loc[results.EVEN_DRAW] = f"{even:.1f}"
report.table(figure2, caption=f"Figure 2 in numbers: dev perplexity. {results.MARKED}")

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
questions = probes.read_probes().query("task == 'end_actual'").groupby("band").head(sizes.live)
bands = {band: f"{low} to {high} plies" for band, (low, high) in probes.BANDS.items()}
after = {band: questions[questions["band"] == band] for band in bands}
own = {band: [probes.own_squares(fen) for fen in rows["fen"]] for band, rows in after.items()}
models = {name: runs.read_model(name) for name in runs.trained_checkpoints()}

# %%
moves_of_s = results.list_moves(games.games, spans["S"])
ground = {}
for band, rows in after.items():
    late = moves_of_s[moves_of_s["ply"] >= results.COUNTED_FROM[band]]
    left = pd.crosstab(late["side"], late["left"], normalize="index").reindex(
        columns=range(64), fill_value=0
    )
    sides = rows["prefix"].str.split().str.len() % 2
    ground[band] = np.array(
        [left.loc[side, squares].sum() for side, squares in zip(sides, own[band], strict=True)]
    )


# %%
def share_of(given, band):
    clusters = after[band]["game"]
    better = paired_difference(given, ground[band], clusters, seed=seed).low > 0
    return results.Judged(mean_interval(given, clusters, seed=seed), better)


# %%
given = {
    name: {band: probes.share_on_own_pieces(model, rows) for band, rows in after.items()}
    for name, (model, training) in models.items()
    if training.reading == "uci"
}
for run in longer.index[longer["model"] != "uci_ap"]:
    kept = runs.read_kept("measures", run)
    given[run] = {band: kept[f"own.{band}"][: sizes.live] for band in bands}
turn = pd.DataFrame(
    {
        run: {bands[band]: share_of(share, band) for band, share in shares.items()}
        for run, shares in given.items()
    }
).T

# %%
counted = pd.Series(
    {
        title: mean_interval(ground[band], after[band]["game"], seed=seed)
        for band, title in bands.items()
    }
)
shown = turn.map("{:.2f}".format)
shown.loc["Counts: squares left by side"] = counted.map("{:.2f}".format)
report.table(
    shown, caption=f"Probability on own pieces, {sizes.live} prefixes each. {results.MARKED}"
)

# %% [markdown]
# ## More games
#
# The same, seen along the size of the training set; bars are the intervals of the table. Only what
# lies below the dotted line is better than an even draw.

# %% mystnb={"figure": {"caption": "Test perplexity by training games, with 95 % intervals. Only what lies below the dotted line is better than an even draw among the legal moves.", "name": "fig-12-more-games"}, "image": {"alt": "Lines falling with the number of games towards a dotted horizontal line."}}
counts = {size: wanted[size] for size in results.SIZES}
figure, axes = plt.subplots()
for model, title in results.NOTATION_ROWS.items():
    rows = first_base[first_base.index.get_level_values("model") == model]
    line = [known[run].value for run in rows["run"]]
    middle, low, high = np.array([(part.value, part.low, part.high) for part in line]).T
    axes.errorbar(
        rows["games"], middle, [middle - low, high - middle], fmt="o-", capsize=3, label=title
    )
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
live = {}
for name, (model, training) in models.items():
    nats = game_losses(model, games.games, training.reading, first)
    losses = pd.DataFrame({"nats": nats, "plies": n_plies[first]})
    live[name] = results.judge_perplexity(losses, drawn[: sizes.live], seed=seed)

# %%
committed = pd.DataFrame({f"first {sizes.live} test games": live, "as logged, all": known})
committed = committed.loc[list(live)].astype(object)
committed.loc[results.EVEN_DRAW] = [results.perplexity_of(drawn[: sizes.live], seed=seed), even]
report.table(committed, digits=1, caption=f"Committed models, perplexity. {results.MARKED}")

# %% [markdown]
# ## Recap
#
# - A move is two squares; 77 tokens write any game. A test game has left all training games after
#   {glue:text}`half_new` plies in half of the cases.
# - {glue:text}`result`
# - An even draw among the legal moves has a perplexity of {glue:text}`even`, counts of what follows
#   the last tokens one of {glue:text}`sequences_L`.
#   Better than the even draw, of the {glue:text}`n_models` models of Table 4: {glue:text}`above`.
# - What a notation is worth: {glue:text}`notations`
# - More passes over S: {glue:text}`longer`
# - A modern base: {glue:text}`modern` Its choices, each left out for one pass: {glue:text}`worth`
# - Random games: {glue:text}`random_games`
# - More games and more tokens read: plain UCI of the first base goes from {glue:text}`uci_S` at S to
#   {glue:text}`uci_M` at M and {glue:text}`uci_L` at L. † is a number worse than the even draw's.
# - After 51 to 100 plies squares of own pieces get {glue:text}`own_uci` of plain UCI's probability
#   and {glue:text}`own_rap` of RAP 25's ({glue:text}`own_of`), {glue:text}`own_counts` by counts of
#   squares alone.

# %% tags=["hide-input"]
above = [row for row, test in table4["test"].items() if test.above]
best_uci = min(chosen.xs("uci", level="model")["run"], key=lambda run: known[run].value.value)
best_row = chosen[chosen["run"] == best_uci].iloc[0]
games_read = f"{int(best_row['games']):,} games"
report.paste(
    result=results.only_if_above(
        {
            f"It can: after {games_read} a model with {best_row['parameters'] / 1e6:.1f} million "
            f"parameters ({best_row['title']}) has a perplexity of {known[best_uci].value:.1f} a "
            "move, better than one who knows rules and board and draws a legal move.": [
                known[best_uci]
            ]
        },
        f"After {games_read} the best model of plain UCI, {best_row['title']}, has a perplexity "
        f"of {known[best_uci].value:.1f} a move: it foresees less than who knows rules and board "
        "and draws a legal move.",
    ),
    sequences_L=f"{sequences['L']:.0f}",
    n_models=len(table4),
    above=results.enumerate_names(above),
    even=f"{even:.1f}",
)

# %% tags=["hide-input"]
report.paste(gpt_layers=library_model.settings.layers, gpt_width=library_model.settings.width)
weights = [
    reference.lookup("state_tracking", "text4", "GPT2-small", name).value
    for name in ("layers", "embedding", "context")
]
theirs = 12 * weights[0] * weights[1] ** 2 + (tokens.VOCABULARY_SIZE + weights[2]) * weights[1]
ours = chosen.loc[("L", "uci"), "parameters"]
for name, value in (("their_weights", theirs / 1e6), ("our_weights", ours / 1e6)):
    report.paste(**{name: f"{value:.3g}"})
report.paste(ratio=f"{theirs / ours:.0f}")

# %% tags=["hide-input"]
uci = first_base.xs("uci", level="model")
for size, row in uci.iterrows():
    read = row["epochs"] * row["games"]
    theirs_read = printed("text4", "training", "epochs").value * sheet.loc[size, "games, paper"]
    report.paste(
        **{
            f"read_{size}": f"{100 * read / theirs_read:.1f}",
            f"uci_{size}": f"{known[row['run']]:.1f}",
        }
    )
report.paste(
    passes=", ".join(f"{count} at {size}" for size, count in uci["epochs"].items()),
    half_new=int(np.argmax(new >= 0.5)) + 1,
)

# %% tags=["hide-input"]
sentences = {
    f"{row} changes plain UCI's perplexity by "
    f"{cells['ours']:+.0f} % (in the paper {cells['paper']:+.0f} %).": [cells["ours"]]
    for row, cells in changes.items()
}
notations = results.only_if_above(
    sentences,
    "it cannot be told from these trainings; at no size does plain UCI or a model beside "
    "it beat the even draw.",
)
if by_seed:
    notations += (
        f" But another seed alone changes the perplexity of plain UCI by up to {max(by_seed):.0f} %; "
        "moves as played are the steadier measure (chapter 13)."
    )
report.paste(notations=notations)

# %% tags=["hide-input"]
best = min(passes.index, key=lambda run: known[run].value.value)
sentences = {
    f"{run} changes the perplexity of plain UCI at its best pass by "
    f"{row['after all']:+.0f} %.": [row["after all"]]
    for run, row in priced.items()
}
otherwise = f"the best of the {len(passes)}, {best}, comes to {known[best]:.1f}"
if not any(judged.above for judged in passes["after"]):
    otherwise += (
        "; none beats the even draw, and whether types help where games are few stays open"
    )
report.paste(longer=results.only_if_above(sentences, f"{otherwise}."))

# %% tags=["hide-input"]
first_form, *_ = lines
sentences = {
    f"{run} has a test perplexity of {row['test perplexity']:.1f}, where {first_form} has "
    f"{both_forms.loc[first_form, 'test perplexity']:.1f}.": [row["test perplexity"]]
    for run, row in both_forms.loc[list(at_large)].iterrows()
}
report.paste(
    modern=results.only_if_above(
        sentences, "at this length of training it does not beat the even draw either."
    ),
    worth=results.only_if_above(
        worth_says, "none of the changes is between models of which one beats the even draw."
    ),
    random_games=random_says,
)

# %% tags=["hide-input"]
for name, run in (("uci", "L-uci-1"), ("rap", f"L-rap{runs.RAP}-1")):
    report.paste(**{f"own_{name}": f"{turn.loc[run, bands['long']]:.2f}"})
report.paste(own_counts=f"{counted[bands['long']]:.2f}", own_of="runs on L")

# %% tags=["hide-input"]
unit = "perplexity a move"
table1_cells = {kind.split()[0].lower(): printed("table1", kind, "Count") for kind in kinds}
table4_cells = {
    key: {
        column: printed("table4", row["paper"], f"{column.title()} set")
        for column in ("dev", "test")
    }
    for key, row in chosen.iterrows()
}
sure = [table2[row] for row, (_, share) in draws.items() if share in (0, 1)]
same = sum(row["training, ours"] == row["training, paper"] for row in sure)


def values(frame):
    return frame.map(lambda judged: judged.value)


def as_keys(frame):
    return frame.set_axis([run.replace("-", "_").replace(".", "_") for run in frame.index])


# %% tags=["hide-input"]
report.save(
    "12_state_tracking",
    report.rows(
        {kind.split()[0].lower(): len(words) for kind, words in kinds.items()},
        "table1",
        unit="tokens",
        reference=table1_cells,
    ),
    report.rows(
        report.Result(same, n=len(sure), unit="rows as printed"), "table2.without_chance"
    ),
    report.rows(len(positions), "figure1.boards", unit="boards"),
    report.rows(int(curve.notna().sum().sum()), "figure2.points", unit="runs"),
    report.rows({name: at.size for name, at in spans.items()}, "games", unit="games"),
    report.rows(
        chosen["dev"],
        "table4.dev",
        unit=unit,
        reference={key: cells["dev"] for key, cells in table4_cells.items()},
    ),
    report.rows(
        values(known[chosen["run"]]).set_axis(chosen.index),
        "perplexity",
        unit=unit,
        reference={key: cells["test"] for key, cells in table4_cells.items()},
    ),
    report.rows(as_keys(values(passes["after"])), "longer", unit=unit),
    report.rows(as_keys(values(both_forms["test perplexity"])), "base.perplexity", unit=unit),
    report.rows(as_keys(to_40["tokens"]), "train.tokens_to_perplexity_40", unit="tokens"),
    report.rows(
        {
            name: {
                band: both_forms.loc[run, column].value
                for band, column in zip(probes.BANDS, both_forms.columns[2:], strict=True)
            }
            for name, run in {
                "gpt2": "L-uci-1",
                "modern": "L-modern_uci-1",
                **{
                    run.removesuffix("-1").removeprefix("L-").replace("-", "_"): run
                    for run in at_large
                    if run != "L-modern_uci-1"
                },
            }.items()
        },
        "base.end_actual.lgm",
        unit="%",
    ),
    report.rows(as_keys(pd.Series(by_types)), "base.change_by_types", unit="% of perplexity"),
    report.rows(
        {
            base.replace(".", "_"): {
                "perplexity": once_known[run].value,
                "end_actual.lgm": once_scores[run].loc[("end_actual", "long"), "lgm"].value,
            }
            for run, base in once["base"].items()
        },
        "once",
        unit="perplexity, or per cent",
    ),
    report.rows(
        {
            f"lgm.{source.replace('-', '')}.{kind.replace('-', '')}": cells["legal, %"].value
            for (who, kind), cells in both_kinds.items()
            for source in read_by
            if who == f"model that read {source}"
        },
        "random_games",
        unit="%",
    ),
    report.rows(
        {
            source.replace("-", "").replace(",", "").replace(" ", "_"): {
                f"{task}.{band}": share for (task, band), share in column.items()
            }
            for source, column in on_file.items()
        },
        "random_games.on_file",
        unit="%",
    ),
    report.rows(even, "baseline.uniform_legal.perplexity", unit=unit),
    report.rows(sequences, "baseline.sequences.perplexity", unit=unit),
    report.rows(as_keys(pd.Series(against_other)), "base.change_beside_other_seed", unit="%"),
    report.rows(
        report.Result(len(above), n=len(table4), unit="models of Table 4"),
        "baseline.uniform_legal.beaten",
    ),
    report.rows(
        curve.rename(index="rap{}".format).T, "figure2", unit="dev perplexity", drop=True
    ),
    report.rows(
        {
            (size, model, *([round(100 * share)] if share else [])): {
                column: report.Result(row[column], n=int(row["seeds"]), unit="dev perplexity")
                for column in ("lowest", "median", "highest")
            }
            for (size, model, share), row in spread.iterrows()
        },
        "seeds",
    ),
    report.rows(as_keys(values(turn)), "own_pieces", unit="share of probability"),
    report.rows(counted, "baseline.own_pieces", unit="share of probability"),
    report.rows(as_keys(values(pd.Series(live))), "live.perplexity", unit=unit),
)

# %% tags=["hide-input"]
report.evidence(
    len(known),
    "trained models",
    seed,
    interval="95 % bootstrap over games",
    versions={"test": f"{sizes.test:,} games", "live": f"{sizes.live:,} test games"},
)

# %% [markdown]
# ## Exercises
#
# **1. Another line.** Give `library_model` the moves of the first page and read its next
# square. Which five squares are likeliest, and how much probability lies on squares of the side
# to move?

# %% tags=["solution", "hide-cell"]
# The next square after `moves`.
asked_ids = write(moves.split())[:-1]
with torch.no_grad():
    next_square = library_model(asked_ids[None])[0, -1].float().softmax(dim=0)
here = Position.after(moves.split()).board()
own_pieces = [
    number[chess.square_name(square)]
    for square in chess.SQUARES
    if here.color_at(square) == here.turn
]
likeliest = next_square.topk(5)
on_own = float(next_square[own_pieces].sum())
print(f"on squares of the side to move: {on_own:.3f}")
report.table(
    pd.DataFrame(
        {
            "probability": {
                vocabulary[place]: float(chance)
                for chance, place in zip(likeliest.values, likeliest.indices, strict=True)
            }
        }
    )
)

# %% tags=["check", "remove-cell"]
report.check(
    "The last token of `moves` is the end: leave it out, take the softmax of the last "
    "place, and sum over the squares on which the side to move has a piece.",
    on_own=on_own,
)

# %% [markdown]
# **2. Another rate.** Train the small model of this chapter twenty steps from the same start
# with rates of 3e-4, 3e-3 and 3e-2. Which ends lowest on the unread games, and does any do
# worse than the frequencies of the squares (`by_frequency`)?

# %% tags=["solution", "hide-cell"]
# Twenty steps at three rates, from one start.
after_steps = {}
for rate in (3e-4, 3e-3, 3e-2):
    torch.manual_seed(seed)
    learner = GPT(layers=1, width=64, heads=4)
    moving = torch.optim.AdamW(learner.parameters(), lr=rate, weight_decay=0.01)
    for batch in batches:
        moving.zero_grad()
        loss_of(learner, batch).backward()
        moving.step()
    with torch.no_grad():
        after_steps[f"rate {rate:g}"] = loss_of(learner, unread).item()
report.sheet("loss on unread games", after_steps | {"frequencies": by_frequency})

# %% tags=["check", "remove-cell"]
report.check(
    "The same seed before each model, the same `batches`, AdamW with weight decay 0.01, "
    "and the loss on `unread`: three numbers.",
    after_steps=after_steps,
)

# %% [markdown]
# **3. Where it is surprised.** `by_move` holds what each move of one test game costs the model.
# Which three moves cost it most, and at how many of the plies does it do better than an even
# draw among the legal moves (`n_legal`)?

# %% tags=["solution", "hide-cell"]
# The dearest moves of one game, and the share of plies below an even draw.
legal_nats = np.log(n_legal)
better_plies = float((np.array(by_move) < legal_nats).mean())
print(f"better than an even draw at {better_plies:.0%} of the plies")
report.table(
    pd.DataFrame(
        {
            "ply": np.arange(1, len(ucis) + 1),
            "move": ucis,
            "nats": by_move,
            "even draw": legal_nats,
        }
    )
    .nlargest(3, "nats")
    .set_index("ply")
)

# %% tags=["check", "remove-cell"]
report.check(
    "An even draw among n legal moves costs log(n) nats; count the plies that cost less.",
    better_plies=better_plies,
)
