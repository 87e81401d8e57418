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
# {glue:md}`result`
#
# ```{glue:} reading
# ```
#
# It has nothing but the moves so far: if it is to go on legally, it must work out by itself where the
# pieces are. On the left the board after {glue:text}`read_after` moves of a game of engines, on the right
# the board that a linear layer reads off the model; on the coloured squares it is wrong.

# %% tags=["parameters", "hide-input"] mystnb={"code_prompt_show": "Parameters: the moves of the example"}
profile = "book"
seed = 1
moves = "e2e4 e7e5 g1f3 b8c6 d2d4 h7h6"
following = "f1b5"

# %% tags=["hide-input"] mystnb={"code_prompt_show": "Imports"}
import json

import chess
import chess.pgn
import chess.svg
import matplotlib.pyplot as plt
import numpy as np
import pandas as pd
import torch
from IPython.display import Markdown
from matplotlib.ticker import LogLocator
from myst_nb import glue
from torch import nn
from torch.nn import functional as F
from torch.nn.utils.rnn import pad_sequence
from chessgloss import report
from chessgloss.book import reference
from chessgloss.positions import Position
from chessgloss.book.profiles import load_sizes
from chessgloss.experts.boards import PIECES, read_boards
from chessgloss.store import find_project
from chessgloss.tracking import games as tokens, plan, results, runs, world_model
from chessgloss.tracking.models import game_losses

sizes = load_sizes("12_state_tracking", profile)
report.use_house_style()


def printed(table, row, column):
    return reference.lookup("state_tracking", table, row, column)


# %% tags=["hide-input"] mystnb={"code_prompt_show": "Read the games"}
wanted = {
    "XS": sizes.few,
    "S": sizes.small,
    "M": sizes.medium,
    "L": sizes.large,
    **{name: getattr(sizes, name) for name in ("dev", "test", "probe")},
}
games = tokens.read_corpus(sizes=wanted)
n_plies = games.games.plies
spans = {name: games.of(name) for name in wanted}

# %% tags=["hide-input"] mystnb={"code_prompt_show": "Fit the layer, follow three games"}
library_model, _ = runs.read_model("L-uci-1")
game_at = spans["test"][0]
ucis = games.games.ucis(game_at)


def follow(selected, every=1):
    """Positions of games after every so many plies: game, ply, FEN."""
    rows = []
    for name, moves_of_game in selected.items():
        board = chess.Board()
        for ply, uci in enumerate(moves_of_game, start=1):
            board.push_uci(uci)
            if ply % every == 0:
                rows.append((name, ply, board.fen()))
    return pd.DataFrame(rows, columns=["game", "ply", "fen"])


def exchange(codes):
    """Name pieces by White and Black if they were named by own and opponent's, or back."""
    return np.where(codes == 0, 0, (codes + 5) % 12 + 1)


places = follow({at: games.games.ucis(at) for at in games.of("probe")[: sizes.read]}, every=3)
on_board = read_boards(list(places["fen"]))
own = np.where(on_board.white_to_move[:, None], on_board.squares, exchange(on_board.squares))
vectors = world_model.hidden_states(library_model, "uci", games.games, places)[-1]
fitted = np.array(places["game"] < places["game"].quantile(0.8))
reader = world_model.fit_board_probe(vectors[fitted], own[fitted], seed=seed)
read = reader(vectors[~fitted]).view(-1, 64, 13).argmax(dim=2).numpy()
commonest = [np.bincount(column).argmax() for column in on_board.squares[fitted].T]

with (find_project() / "data/famous/games.pgn").open(encoding="utf-8") as file:
    opera = chess.pgn.read_game(file)
random = np.random.default_rng(seed)
by_lot = chess.Board()
while by_lot.ply() < 60 and (choices := list(by_lot.legal_moves)):
    by_lot.push(choices[random.integers(len(choices))])
followed = {
    "a game of engines, the first of the test": ucis[:60],
    "Morphy's Opera Game, of people": [move.uci() for move in opera.mainline_moves()],
    "legal moves drawn at random": [move.uci() for move in by_lot.move_stack],
}
chances = {}
for name, moves_of_game in followed.items():
    here = follow({0: moves_of_game})
    vectors = world_model.hidden_states(
        library_model, "uci", tokens.tokenise([moves_of_game]), here
    )[-1]
    said = reader(vectors).view(-1, 64, 13).softmax(dim=2).numpy()
    black = np.array(here["fen"].str.contains(" b "))
    said[black] = said[black][:, :, exchange(np.arange(13))]
    chances[name] = (moves_of_game, said)
report.paste(
    squares_right=f"{100 * (read == own[~fitted]).mean():.0f}",
    squares_commonest=f"{100 * (on_board.squares[~fitted] == commonest).mean():.0f}",
)

ply = 24
_, said = chances["a game of engines, the first of the test"]
pair = [chess.Board(), chess.Board(None)]
for uci in ucis[:ply]:
    pair[0].push_uci(uci)
for at, code in enumerate(said[ply - 1].argmax(axis=1)):
    if code:
        pair[1].set_piece_at(at, chess.Piece.from_symbol(PIECES[code - 1]))
misread = [at for at in chess.SQUARES if pair[0].piece_at(at) != pair[1].piece_at(at)]
fills = ({}, dict.fromkeys(misread, "#D55E00d0"))
drawings = [
    chess.svg.board(each, size=270, fill=fill) for each, fill in zip(pair, fills, strict=True)
]
glue("reading", report.boards(*(report.Html(each, "") for each in drawings)), display=False)
report.paste(read_after=ply)

# %% tags=["hide-cell"] mystnb={"code_prompt_show": "Choose game, move and square"}
report.board_readings(chances, ply=ply, square=chess.E4)

# %% [markdown]
# One linear layer is fitted to say, from the vector that the last block hands on after a move, what
# stands on each of the 64 squares. On games that it was not fitted on it is right on
# {glue:text}`squares_right` % of the squares; the commonest content of each square, on
# {glue:text}`squares_commonest` %. (Chapter 16 does this with care and with controls.)
#
# Toshniwal and others {cite}`toshniwal2022chess` made this a testbed: chess is small, exact and
# known, so what a model has understood can be asked by prompt and looked up. This chapter and the
# next two repeat their paper's tables with small models, trained from nothing, beside what can be
# had without any model. Who draws evenly among the legal moves knows the rules and the board, and
# nothing of play: a perplexity of {glue:text}`even` on our test games. A number that does not beat
# it bears a †, and no sentence concludes from it. {glue:text}`enough`
#
# Three differences from the paper weigh on every number. Its games are people's; ours are
# Stockfish's against itself at mixed strength, with random openings. Its model is GPT-2's small one
# {cite}`radford2019language`, with {glue:text}`their_weights` million parameters; ours have
# {glue:text}`our_weights` million, 1/{glue:text}`ratio` of them. Its largest set has 200,000 games,
# ours 50,000.

# %% [markdown]
# ## A game as tokens
#
# A move in UCI notation is two squares: where a piece leaves, where it goes. A model's vocabulary is
# the 64 squares, and a few tokens more (Table 1). Castling is the king's move of two squares; a
# promotion adds the new piece. Of the left board of the paper's Figure 1 a model reads
# *{glue:text}`all_read`*; of the right one, two squares more: *{glue:text}`follows`*.

# %% tags=["hide-cell"] mystnb={"code_prompt_show": "The paper's Figure 1: two positions"}
played = moves.split()
report.paste(
    all_read=" ".join(["BOS", *(part for uci in played for part in (uci[:2], uci[2:]))]),
    follows=f"{following[:2]} {following[2:]}",
)
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

# %% tags=["hide-cell"] mystnb={"code_prompt_show": "The paper's Figure 1: the names of the squares", "figure": {"caption": "The 64 squares, whose names are a model's tokens.", "name": "fig-12-squares"}, "image": {"alt": "A board with the name of each square written on it."}}
figure, axes = plt.subplots(figsize=(2.7, 2.7))
dark = (np.indices((8, 8)).sum(axis=0) + 1) % 2  # a1 is dark
axes.imshow(dark, cmap="Greys", alpha=0.25, origin="lower")
for square in chess.SQUARES:
    name = chess.square_name(square)
    axes.text(square % 8, square // 8, name, ha="center", va="center", fontsize=9)
axes.set_axis_off()
plt.show()

# %% tags=["hide-input"] mystnb={"code_prompt_show": "Count the tokens"}
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
# given probability and only in training; *AP* does it always.[^castling] A model trained with RAP
# can then be asked where a type stands, by showing the type alone; that is the next chapter. In
# Table 2 only RAP 15 is a matter of chance: the paper prints one draw, we another.
#
# [^castling]: In the paper's released code castling never has a type before it; here it has the
#     king's, since *always* is what the paper says.

# %% tags=["hide-input"] mystnb={"code_prompt_show": "Write three moves in each notation"}
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
# The games are distinct and 10 to 150 plies long, as in the paper. The training sets XS, S, M and L
# lie within each other; no game is in two of the other sets. After a few moves every game is new.

# %% tags=["hide-cell"] mystnb={"code_prompt_show": "Games, plies and tokens of each set"}
rows = {"S": "Train-S", "M": "Train-M", "L": "Train-L", "probe": "probing"}
sheet = pd.DataFrame(
    {
        name: {
            "games": at.size,
            "games, paper": "-"
            if name == "XS"
            else int(printed("text4", rows.get(name, name), "games").value),
            "plies": int(n_plies[at].sum()),
            "median plies": int(np.median(n_plies[at])),
            "tokens": tokens.annotate(games.games, at, "uci")[0].size - 2 * at.size,
        }  # BOS and EOS
        for name, at in spans.items()
    }
).T
report.table(sheet, caption="(n_games, n_plies, n_tokens) of each set")

# %% tags=["hide-cell"] mystnb={"code_prompt_show": "After how many plies a test game is new", "figure": {"caption": "Share of test games whose beginning is that of no training game, by plies played.", "name": "fig-12-new-positions"}, "image": {"alt": "A line that rises from zero to one within the first plies."}}
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
figure, axes = plt.subplots(figsize=(5, 2.4))
axes.plot(np.arange(1, 41), new, "o-", markersize=3)
axes.set(xlabel="plies played", ylabel="share of test games", ylim=(0, 1.02))
plt.show()

# %% [markdown]
# ## The model, written out
#
# A game's tokens become a row of numbers. Of every token and of its place the model makes a vector;
# in each block a token's vector takes in a mean of the vectors up to its own (causal attention),
# then goes through two layers by itself (feed-forward), and both are added to what was there
# (residuals). The last vector is held against the vectors of all 77 tokens: the more alike, the
# likelier the token comes next. That is GPT-2's transformer {cite}`radford2019language` without the
# biases of its layers and without dropout, and with one thing more. A move is two tokens, so keys
# and values are *mixed* with those of the token before, in a share that is learned.

# %% tags=["hide-input"] mystnb={"code_prompt_show": "Games as rows of numbers"}
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

# The library writes the same tokens.
library_tokens, _ = tokens.annotate(games.games, spans["S"][:1], "uci")
assert np.array_equal(write(games.games.ucis(spans["S"][0])), library_tokens)


# %%
class Block(nn.Module):
    def __init__(self, width, heads):
        super().__init__()
        self.heads = heads
        self.norms = nn.ModuleList([nn.LayerNorm(width), nn.LayerNorm(width)])
        self.project = nn.Linear(width, 3 * width, bias=False)
        self.mix = nn.Parameter(torch.full((2, width), 0.5))
        self.join = nn.Linear(width, width, bias=False)
        self.widen = nn.Linear(width, 4 * width, bias=False)
        self.narrow = nn.Linear(4 * width, width, bias=False)

    def forward(self, vectors):  # (n_games, length, width), and so is what it returns
        n_games, length, width = vectors.shape
        now = self.norms[0](vectors)
        before = F.pad(now, (0, 0, 1, 0))[:, :-1]
        read = [now, *(now + share * (before - now) for share in self.mix)]
        parts = zip(read, self.project.weight.chunk(3), strict=True)
        query, key, value = (
            F.linear(part, weights).view(n_games, length, self.heads, -1).transpose(1, 2)
            for part, weights in parts
        )
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
# ## Twenty steps of training
#
# The loss is the cross-entropy: minus the logarithm of the probability of the token that did
# follow, in the mean over all tokens. A step goes down its gradient. The baseline looks at nothing: it
# gives every token its share of the same training games. Change the learning rate, the width or the
# number of layers, and the curve changes.


# %%
def loss_of(model, batch):
    inputs, targets = batch
    logits = model(inputs).flatten(0, 1)
    return F.cross_entropy(logits, targets.flatten(), ignore_index=number["PAD"])


torch.manual_seed(seed)
small = GPT(layers=1, width=64, heads=4)
optimizer = torch.optim.AdamW(small.parameters(), lr=3e-3, weight_decay=0.01)
unread = make_batch(spans["dev"][:16])
batches = [make_batch(spans["S"][first : first + 16]) for first in range(0, 16 * 20, 16)]
dev_losses = [loss_of(small, unread).item()]
for batch in batches:
    optimizer.zero_grad()
    loss_of(small, batch).backward()
    optimizer.step()
    dev_losses.append(loss_of(small, unread).item())

# %% tags=["hide-input"] mystnb={"code_prompt_show": "Draw the losses", "figure": {"caption": "Twenty steps of training of the forty-line model, and the loss of knowing only how often each token comes.", "name": "fig-12-first-steps"}, "image": {"alt": "A falling line of losses above a dotted horizontal line."}}
read = torch.cat([targets.flatten() for _, targets in batches])
counts = read.bincount(minlength=len(vocabulary))[1:] + 1  # PAD left out
frequencies = (counts / counts.sum()).log()
expected = unread[1][unread[1] != number["PAD"]]
by_frequency = -frequencies[expected - 1].mean().item()
figure, axes = plt.subplots(figsize=(5, 1.9))
axes.plot(dev_losses, "o-", markersize=3, label="the model above")
axes.axhline(by_frequency, color="grey", linestyle=":", label="frequency of each token")
axes.set(xlabel="steps of training", ylabel="loss a token", xticks=range(0, 21, 5))
axes.legend()
plt.show()

# %% [markdown]
# The committed models are this one with {glue:text}`gpt_layers` blocks of {glue:text}`gpt_width`
# numbers a token. To train them, the library adds a rate that rises and falls, a bound on the
# gradient, first weights that shrink with the number of blocks, batches of games of like length,
# and another rule for the matrices (Muon: each step is made orthogonal, so that no direction
# outgrows the others). It computes the same: put into the classes above, committed weights give
# the library's logits.

# %% tags=["hide-cell"] mystnb={"code_prompt_show": "Committed weights in the classes above"}
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

# %% tags=["hide-cell"] mystnb={"code_prompt_show": "The library does the same for all games"}
library_loss = game_losses(library_model, games.games, "uci", np.array([game_at]))[0]
assert np.isclose(by_move.sum(), library_loss, rtol=1e-3)
print(f"sum of −ln probability: {by_move.sum():.2f} above, {library_loss:.2f} in the library")

# %% [markdown]
# The baseline is a draw among the legal moves that prefers none: it knows the rules and the
# board, all that these models are to learn by themselves. Its perplexity is the exponential of the
# mean logarithm of the number of legal moves. *Beats* means that the whole interval of the
# difference, on the same games, is on the better side.
#
# Another baseline knows neither rules nor board: it counted, in the training games, which token
# followed the last few, and mixes in what followed fewer of them (an n-gram model with interpolated
# counts, as by MacKay and Peto 1995). A model that is better than this and worse than the even
# draw has learned something of chess, and less than the rules.

# %% tags=["hide-input"] mystnb={"code_prompt_show": "Sequences of tokens as numbers, and how often each came"}
# Weight of the answer by one token fewer; chosen on dev games of 5, 15, 50 and 150.
shorter = 50


def sequences(selected, length=6):
    """Each token and the ones before it as a number, for 0 to ``length`` of them; and its game."""
    ids, starts = tokens.annotate(games.games, selected, "uci")
    ids = ids.astype(np.int64)
    game_of = np.repeat(np.arange(len(selected)), np.diff(starts))
    place = np.arange(ids.size) - starts[game_of]
    numbers = [ids]
    for back in range(1, length + 1):
        before = np.where(place >= back, np.roll(ids, back), tokens.PAD)
        numbers.append(numbers[-1] + before * tokens.VOCABULARY_SIZE**back)
    said = place > 0  # what begins a game is given
    return [number[said] for number in numbers], game_of[said]


def count(known, wanted):
    numbers, counts = np.unique(known, return_counts=True)
    at = np.searchsorted(numbers, wanted).clip(max=len(numbers) - 1)
    return np.where(numbers[at] == wanted, counts[at], 0)


# %%
def sequence_losses(counted, measured):
    """What games cost counts of what followed the last tokens in other games: nats and plies."""
    read, _ = sequences(counted)
    wanted, game_of = sequences(measured)
    chances = np.full(len(game_of), 1 / tokens.VOCABULARY_SIZE)  # an even draw
    for known_ones, each in zip(read, wanted, strict=True):
        followed = count(known_ones, each)
        seen = count(known_ones // tokens.VOCABULARY_SIZE, each // tokens.VOCABULARY_SIZE)
        chances = (followed + shorter * chances) / (seen + shorter)
    moves = wanted[0] != tokens.EOS
    nats = np.bincount(game_of[moves], -np.log(chances[moves]))
    return pd.DataFrame({"nats": nats, "plies": n_plies[measured]})


counted_here = spans["S"][: 5 * sizes.live]
by_counts = sequence_losses(counted_here, np.array([game_at]))["nats"].item()
print(
    f"perplexity of the game above, by counts over {len(counted_here):,} games: "
    f"{np.exp(by_counts / len(ucis)):.0f}"
)

# %% [markdown]
# ## Three notations on three numbers of games
#
# All runs but the paper's own model follow one recipe: every pass is made and the rate comes down to
# zero, whatever the dev games say, so that models that are compared have read the same games as
# often. Most were trained on one GPU, some (AP at L among them) on one core of a processor, which
# takes half an hour. The folds give their shape, and the models of the repository measured anew.
# Intervals draw whole test games.

# %% tags=["hide-cell"] mystnb={"code_prompt_show": "The transformer and its training, beside the paper's"}
trained = runs.read_runs()
chosen = results.headline(trained, results.NOTATION_ROWS)
shape = runs.TRANSFORMER
training = plan.RECIPE
passes = ", ".join(f"{count} at {size}" for size, count in plan.EPOCHS.items())
rows = {
    "layers": (shape.layers, "GPT2-small"),
    "heads": (shape.heads, "GPT2-small"),
    "embedding": (shape.width, "GPT2-small"),
    "context": (shape.context, "GPT2-small"),
    "epochs": (passes, "training"),
    "batch": (f"{training.tokens:,} tokens", "training"),
    "learning rate": (
        f"{training.rate} (Adam), {training.matrix_rate} (Muon)",
        "training",
    ),
    "weight decay": (f"{training.decay}, {training.matrix_decay}", "training"),
}
choices = {
    name: {"ours": str(value), "paper": printed("text4", row, name).printed}
    for name, (value, row) in rows.items()
}
report.table(pd.DataFrame(choices).T, caption="The transformer and its training")

# %% tags=["hide-input"] mystnb={"code_prompt_show": "Perplexities of all runs and of the baselines"}
drawn = results.even_draw(games.games, games.of("test")[: sizes.drawn])
by_sequences = {
    size: results.perplexity_of(
        sequence_losses(spans[size][: sizes.counted], spans["test"][: sizes.drawn]), seed=seed
    )
    for size in results.SIZES
}
even = results.perplexity_of(drawn, seed=seed)
known = pd.Series(
    {
        run: results.judge_perplexity(results.read_losses(run), drawn, seed=seed)
        for run in trained.index
    }
)
paper_model = trained[trained["variant"] == "paper"]
paper_rows = pd.DataFrame(
    [
        {
            **row,
            "run": run,
            "title": f"the paper's model, {int(row['games']):,} games: "
            f"{results.NOTATION_ROWS[row['model']]}",
            "paper": f"{'S' if row['games'] == 15_000 else 'M'} "
            f"{results.NOTATION_ROWS[row['model']]}",
        }
        for run, row in paper_model.iterrows()
    ]
)
table4 = pd.concat([chosen.assign(paper=chosen["title"]), paper_rows])
table4 = table4.set_index("title").rename_axis(None)
table4["test"] = known[table4["run"]].to_numpy()


def mark(dev):
    return f"{dev:.1f}" + ("" if dev < even.low else f" {results.MARK}")


def finish(axes, at=(1, 2, 5)):
    axes.axhline(even.value, color="grey", linestyle=":", label=results.EVEN_DRAW.lower())
    lowest = min(np.nanmin(line.get_ydata()) for line in axes.get_lines())
    axes.set_ylim(bottom=0.85 * min(lowest, even.low))
    axes.yaxis.set(
        major_locator=LogLocator(subs=at), major_formatter="{x:g}", minor_formatter=""
    )
    axes.legend()


# %% tags=["hide-input"] mystnb={"code_prompt_show": "Lay out Table 4"}
paper4 = reference.table("state_tracking", "table4")
shown = table4.assign(dev=table4["dev"].map(mark))
shown.loc[results.EVEN_DRAW, ["dev", "test"]] = ["-", even]
for size, counted_alone in by_sequences.items():
    shown.loc[f"Counts: the last tokens, {size}", ["dev", "test"]] = ["-", counted_alone]
order = [*paper4.index, *(row for row in shown.index if row not in paper4.index)]
shown = shown.loc[order]
shown["test, paper"] = paper4["Test set"].reindex(shown["paper"]).to_numpy()
shown["dev, paper"] = paper4["Dev set"].reindex(shown["paper"]).to_numpy()
report.table(
    shown[["dev", "dev, paper", "test", "test, paper"]],
    digits=1,
    caption=f"Table 4: canonical perplexity. {results.MARKED}",
)

# %% tags=["hide-cell"] mystnb={"code_prompt_show": "The models of the repository, measured anew on the first test games"}
first = games.of("test")[: sizes.live]
live = {}
for name in runs.trained_checkpoints():
    model, read = runs.read_model(name)
    nats = game_losses(model, games.games, read.reading, first)
    losses = pd.DataFrame({"nats": nats, "plies": n_plies[first]})
    live[name] = results.judge_perplexity(losses, drawn[: sizes.live], seed=seed)
committed = pd.DataFrame({f"first {sizes.live} test games": live, "as logged, all": known})
committed = committed.loc[list(live)].astype(object)
committed.loc[results.EVEN_DRAW] = [results.perplexity_of(drawn[: sizes.live], seed=seed), even]
report.table(committed, digits=1, caption=f"Committed models, perplexity. {results.MARKED}")

# %% [markdown]
# Compare within a column, not with the paper's: the games differ, and the moves of a player that
# plays at random now and then are hard to foresee for any model. {glue:text}`faithful` Our RAP shows
# 15 % of the types at every size; the paper's rows beside S and M show 25. {glue:text}`unfinished`

# %% tags=["hide-cell"] mystnb={"code_prompt_show": "Perplexity by games", "figure": {"caption": "Test perplexity of plain UCI by training games, with 95 % intervals; other seeds as points, the paper's own model as a cross. Below the dotted line is better than an even draw among the legal moves.", "name": "fig-12-more-games"}, "image": {"alt": "A line that falls steeply from 3,750 to 12,500 games and flattens towards 50,000."}}
plain_uci = trained[trained["usual"] & (trained["model"] == "uci") & (trained["seed"] == 1)]
plain_uci = plain_uci[plain_uci["size"].isin(plan.EPOCHS)].sort_values("games")
other_uci = trained[trained["usual"] & (trained["model"] == "uci") & (trained["seed"] > 1)]
middle, low, high = np.array(
    [(part.value.value, part.value.low, part.value.high) for part in known[plain_uci.index]]
).T
figure, axes = plt.subplots(figsize=(6, 2.8))
axes.errorbar(
    plain_uci["games"],
    middle,
    [middle - low, high - middle],
    fmt="o-",
    capsize=3,
    label="UCI",
)
axes.plot(other_uci["games"], other_uci["test"], "o", mfc="none", label="other seeds")
theirs_uci = paper_model[paper_model["model"] == "uci"]
if len(theirs_uci):
    axes.plot(theirs_uci["games"], theirs_uci["test"], "x", label="the paper's model")
axes.set(xscale="log", yscale="log", xlabel="training games", ylabel="test perplexity a move")
axes.set_xticks(plain_uci["games"], [f"{count:,}" for count in plain_uci["games"]], minor=False)
axes.xaxis.set_minor_formatter("")
finish(axes)
plt.show()

# %% [markdown]
# ## What a notation is worth
#
# A run with types and one of plain UCI with the same seed begin with the same weights and read the
# same games in the same order. The change of perplexity is that of each such pair; *all seeds*
# takes the mean of the seeds' losses game by game. In these chapters a difference is *clear* if
# {glue:text}`clear_means`. Types are tokens too: RAP 15 reads 7 % more of them from the same games, AP
# half as many again. {glue:text}`fewer_steps` The test of AP gives the type before the move, and its
# perplexity counts the doubt about that type too, so that the comparison is fair.

# %% tags=["hide-input"] mystnb={"code_prompt_show": "Compare runs of the same seed"}
typed = {"uci_rap": runs.RAP / 100, "uci_ap": 0.0}
pairs = {}
for size in results.SIZES:
    for model, share in typed.items():
        with_types = trained[
            trained["usual"]
            & (trained["size"] == size)
            & (trained["model"] == model)
            & (trained["probability"] == share)
        ]
        couples = []
        for run, row in with_types.sort_values("seed").iterrows():
            plain_run = f"{size}-uci-{row['seed']}"
            if plain_run in trained.index:
                couples.append((run, plain_run))
        if couples:
            pairs[size, model] = couples


def mean_losses(names):
    losses = [results.read_losses(name) for name in names]
    return losses[0].assign(nats=sum(part["nats"] for part in losses) / len(losses))


def change_of(couples):
    typed_runs, plain_runs = zip(*couples, strict=True)
    value = results.change_of_perplexity(
        mean_losses(typed_runs), mean_losses(plain_runs), seed=seed
    )
    beaten = results.who_beats(
        *(all(known[run].above for run in names) for names in (typed_runs, plain_runs))
    )
    return results.Compared(value, beaten)


changes = {key: change_of(couples) for key, couples in pairs.items()}
by_seed = {key: [change_of([couple]) for couple in couples] for key, couples in pairs.items()}

cells = {}
for (size, model), change in changes.items():
    title = f"{size} {results.NOTATION_ROWS[model]}"
    published = [
        printed("table4", f"{size} {results.NOTATION_ROWS[name]}", "Test set").value
        for name in (model, "uci")
    ]
    cells[title] = {
        "each seed": ", ".join(f"{part.value.value:+.1f}" for part in by_seed[size, model]),
        "all seeds": f"{change:+.1f}",
        "paper": f"{100 * (published[0] / published[1] - 1):+.1f}",
    }
report.table(
    pd.DataFrame(cells).T,
    caption=f"Perplexity against plain UCI's, per cent of it. {results.COMPARED}",
)


# %% tags=["hide-input"] mystnb={"code_prompt_show": "Which changes are decided"}
seed_spread = max(
    (
        abs(
            results.change_of_perplexity(
                results.read_losses(run), results.read_losses(first_seed), seed=seed
            ).value
        )
        for first_seed in chosen.xs("uci", level="model")["run"]
        for run in results.other_seeds(trained, first_seed)[1:]
    ),
    default=0.0,
)


def noise_of(names):
    """By how many per cent the seeds of a model differ in test perplexity, at most."""
    return 100 * np.log([known[run].value.value for run in names])


def is_decided(size, model):
    """Say whether a change is clear: by its interval, its seeds, and what a seed alone changes."""
    arms = [noise_of(names) for names in zip(*pairs[size, model], strict=True)]
    noise = max(seed_spread, results.seed_noise(arms))
    seeds = [part.value.value for part in by_seed[size, model]]
    return results.is_clear(changes[size, model].value, seeds, noise)


def say_changes(model):
    """Say what a notation changes where it can be told, and, apart, where it cannot."""
    shown = f"Types shown {shown_how[model]} ({results.NOTATION_ROWS[model][6:]})"
    clear = {"lower": {}, "raise": {}}
    open_parts = []
    for size in (size for size, name in changes if name == model):
        change = changes[size, model]
        if is_decided(size, model):
            word = "lower" if change.value.high < 0 else "raise"
            count = len(by_seed[size, model])
            part = f"{abs(change.value.value):.0f} % with {wanted[size]:,} games"
            part += "" if count > 1 else " (one seed)"
            clear[word][part] = change
        elif change.above:
            seeds = [part.value.value for part in by_seed[size, model]]
            ends = dict.fromkeys(f"{end:+.0f}" for end in (min(seeds), max(seeds)))
            number = f"{len(seeds)} seeds" if len(seeds) > 1 else "one seed"
            open_parts.append(f"{' to '.join(ends)} % with {wanted[size]:,} games ({number})")
    said = {
        f"{shown} {word} perplexity by {results.enumerate_names(parts)}.": list(parts.values())
        for word, parts in clear.items()
        if parts
    }
    untold = f"{shown} change it by {results.enumerate_names(open_parts)}, which is not clear."
    return said, untold if open_parts else ""


shown_how = {"uci_rap": f"at {runs.RAP} % of the moves", "uci_ap": "at every move"}
said = {model: say_changes(model) for model in typed}
clear_changes = {
    sentence: values for clear, _ in said.values() for sentence, values in clear.items()
}
decided_says = results.only_if_above(
    clear_changes, "What types in the notation are worth, these trainings do not tell."
)
untold = [sentence for _, sentence in said.values() if sentence]
report.paste(all_notations=" ".join([decided_says, *untold]))

# %% [markdown]
# {glue:text}`all_notations`
#
# Changes of the recipe were tried on {glue:text}`recipe_games` games read once: a vector for each pair of
# tokens (*pairs*), a vector of the token in the values of each block (*values*), embeddings that move
# faster (*faster*), an output layer of its own (*untied*), and all four (*together*).
# {glue:text}`recipe_says`

# %% tags=["hide-input"] mystnb={"code_prompt_show": "Read what the changes came to"}
pilot = pd.read_json(tokens.data_folder() / "recipe.json").set_index("arm").rename_axis(None)
columns = {
    "test_perplexity": "test perplexity",
    "lgm": "legal, %",
    "exm": "as played, %",
    "cpu_seconds": "CPU seconds",
}
report.table(
    pilot[list(columns)].rename(columns=columns),
    digits=1,
    caption=f"Changes of the recipe: one training each, {pilot['tokens'].iloc[0] / 1e6:.1f} million tokens",
)

# %% tags=["hide-cell"] mystnb={"code_prompt_show": "Tokens a step and rate, tried beforehand"}
rates = json.loads((tokens.data_folder() / "pilot.json").read_text(encoding="utf-8"))
tried = pd.DataFrame(rates["runs"]).pivot(
    index=["tokens", "rate"], columns="size", values="dev_perplexity"
)
report.table(
    tried.rename_axis(["tokens a step", "rate, of the recipe's"])[["S", "L"]].reset_index(),
    digits=1,
    caption="Dev perplexity of plain UCI by tokens a step and rate, six passes over S and "
    "three over L (1,536 not finished there)",
)

# %% [markdown]
# ## How often to show the type
#
# Figure 2 draws dev perplexity against the probability of a type. The paper found 25 % best for
# its S and M, 15 % for L, gains up to 50 % at S, and 100 % too high to draw. {glue:text}`types_curve`
# {glue:text}`still_falling` {glue:text}`twelve_says`

# %% tags=["hide-input"] mystnb={"code_prompt_show": "Draw Figure 2", "figure": {"caption": "The paper's Figure 2 with our models on S: dev perplexity by the probability of a piece type in training, for two numbers of tokens a step. A point is a training, a line their means.", "name": "fig-12-figure-2"}, "image": {"alt": "Dev perplexity as lines over the probability of a piece type."}}
drawn_types = trained[
    (trained["size"] == "S")
    & (trained["usual"] | (trained["variant"] == "largebatch"))
    & trained["model"].isin(["uci", "uci_rap"])
]
percent = (100 * drawn_types["probability"]).round().astype(int)
batch = {"": f"{training.tokens:,} tokens a step", "largebatch": "6,144 tokens a step"}
figure, axes = plt.subplots(figsize=(6, 2.8))
for variant, rows in drawn_types.assign(percent=percent).groupby("variant"):
    means = rows.groupby("percent")["dev"].mean()
    axes.plot(means.index, means, "-", label=batch[variant])
    axes.plot(rows["percent"], rows["dev"], "o", color=axes.get_lines()[-1].get_color())
axes.set(
    xlabel="probability of a piece type in training, %",
    ylabel="dev perplexity a move",
    yscale="log",
)
finish(axes)
plt.show()

# %% [markdown]
# ## Recap
#
# - A move is two squares; 77 tokens write any game. A test game has left all training games after
#   {glue:text}`half_new` plies in half of the cases.
# - An even draw among the legal moves has a perplexity of {glue:text}`even`, counts of what follows
#   the last tokens one of {glue:text}`sequences_L`. {glue:text}`above_says`
# - Plain UCI comes to {glue:text}`uci_S` at S, {glue:text}`uci_M` at M, {glue:text}`uci_L` at L, where it
#   has read more games and more tokens: {glue:text}`tokens_read` million.
# - Changes of the recipe: {glue:text}`recipe_says`
#
# Perplexity says how well a model foresees moves. What it knows of the board is asked next.

# %% tags=["hide-input"] mystnb={"code_prompt_show": "What the numbers allow to say"}
above = [row for row, test in table4["test"].items() if test.above]
best_uci = min(chosen.xs("uci", level="model")["run"], key=lambda run: known[run].value.value)
best_row = chosen[chosen["run"] == best_uci].iloc[0]
games_read = f"{int(best_row['games']):,} games"
fewest = plain_uci.index[0]
report.paste(
    result=Markdown(
        results.only_if_above(
            {
                f"**{known[best_uci].value.value:.1f} against {even.value:.1f}.** After {games_read}, and no "
                f"board seen, a model is in doubt between {known[best_uci].value:.1f} equally likely moves "
                f"(its perplexity); who draws a legal move by lot, between {even.value:.1f}.": [
                    known[best_uci]
                ]
            },
            f"After {games_read} the best model of plain UCI has a perplexity of "
            f"{known[best_uci].value:.1f} a move: it foresees less than someone who knows rules and "
            "board and draws a legal move.",
        )
    ),
    enough=(
        ""
        if known[fewest].above
        else f"With {int(trained.loc[fewest, 'games']):,} games the same recipe comes to "
        f"{known[fewest].value.value:.0f}, overfitted: dev games had "
        f"{min(each['dev_perplexity'] for each in trained.loc[fewest, 'log']):.0f} after an earlier pass."
    ),
    sequences_L=f"{by_sequences['L']:.0f}",
    above_says=(
        f"All {len(table4)} models of Table 4 are better than the even draw."
        if len(above) == len(table4)
        else f"Better than the even draw, of the {len(table4)} models of Table 4: "
        f"{results.enumerate_names(above)}."
    ),
    even=f"{even:.1f}",
)
report.paste(gpt_layers=library_model.settings.layers, gpt_width=library_model.settings.width)
weights = [
    reference.lookup("state_tracking", "text4", "GPT2-small", name).value
    for name in ("layers", "embedding", "context")
]
theirs = 12 * weights[0] * weights[1] ** 2 + (tokens.VOCABULARY_SIZE + weights[2]) * weights[1]
ours = chosen.loc[("L", "uci"), "parameters"]
for name, value in (("their_weights", theirs / 1e6), ("our_weights", ours / 1e6)):
    report.paste(**{name: f"{value:.3g}"})
ratio_of = theirs / ours
report.paste(ratio=f"{ratio_of:.0f}", half_new=int(np.argmax(new >= 0.5)) + 1)
report.paste(
    tokens_read=results.enumerate_names(
        f"{count / 1e6:.1f}" for count in plain_uci.loc[plain_uci["size"] != "XS", "tokens"]
    )
)
for run, row in plain_uci.iterrows():
    report.paste(**{f"uci_{row['size']}": f"{known[run]:.1f}"})
beyond_plain = 100 * (pilot["test_perplexity"] / pilot.loc["plain", "test_perplexity"] - 1)
changed = (f"{arm} {change:+.0f} %" for arm, change in beyond_plain.drop("plain").items())
recipe_says = (
    f"Against the plain recipe perplexity changes by: {results.enumerate_names(changed)} (another seed: up "
    f"to {seed_spread:.0f} %). The models of these chapters are trained without."
)
report.paste(
    recipe_games=f"{tokens.BOOK_SIZES[pilot['size'].iloc[0]]:,}", recipe_says=recipe_says
)
twelve = {}  # by model: the pass that dev games choose, and its perplexity
for model, run in (("uci", "S-uci-1x12"), ("uci_rap", "S-rap15-1x12")):
    of_dev = [each["dev_perplexity"] for each in trained.loc[run, "log"]]
    twelve[model] = int(np.argmin(of_dev)) + 1, min(of_dev)
twelve_apart = 100 * (twelve["uci_rap"][1] / twelve["uci"][1] - 1)
last_pass = {}
for run, row in trained[(trained["size"] != "XS") & trained["usual"]].iterrows():
    before_last, at_last = (each["dev_perplexity"] for each in row["log"][-2:])
    last_pass[run] = 100 * (at_last / before_last - 1)
rap_runs = {
    share: f"S-rap{share}-1" for share in (15, 25, 50) if f"S-rap{share}-1" in last_pass
}
gains_at_end = results.enumerate_names(
    f"{last_pass[run]:+.0f} % at RAP {share}" for share, run in rap_runs.items()
)
faithful_runs = paper_model[paper_model["model"] == "uci"]
fewest_log = [each["dev_perplexity"] for each in trained.loc[fewest, "log"]]
apart_in_steps = [
    trained.loc[run, "tokens"] / tokens_a_step
    for run, tokens_a_step in (("S-largebatch_ap-1", 6144), ("S-uci-1", training.tokens))
]
report.paste(
    clear_means=results.CLEAR,
    faithful="".join(
        f"The most faithful row is the paper's own model, of {ratio_of:.0f} times the parameters, trained "
        f"as in the paper on {int(row['games']):,} of our games: {known[run].value:.1f}, beside "
        f"{printed('table4', 'S UCI', 'Test set').value:.1f} in print."
        for run, row in faithful_runs.iterrows()
    ),
    unfinished=(
        "Training was cut off early: in its last pass, in which the rate falls to zero, dev perplexity of "
        f"plain UCI at S still changes by {last_pass['S-uci-1']:+.0f} %."
        if last_pass["S-uci-1"] < -5
        else ""
    ),
    still_falling=(
        f"In the last pass dev perplexity still changes by {gains_at_end}, by {last_pass['S-uci-1']:+.0f} % "
        "without types: with types the training was cut off earlier, so that the curve tells nothing of them."
        if rap_runs and all(last_pass[run] < last_pass["S-uci-1"] for run in rap_runs.values())
        else ""
    ),
    twelve_says=(
        f"With twelve passes in place of six, each read at the pass that its dev games choose, plain UCI comes "
        f"to {twelve['uci'][1]:.1f} (pass {twelve['uci'][0]}), RAP 15 to {twelve['uci_rap'][1]:.1f} (pass "
        f"{twelve['uci_rap'][0]}): {twelve_apart:+.0f} %, where another seed alone changes up to "
        f"{seed_spread:.0f} %."
    ),
    fewer_steps=(
        f"It is not a matter of more steps: AP at S comes to {known['S-largebatch_ap-1'].value.value:.1f} with "
        f"{apart_in_steps[0]:,.0f} steps, plain UCI to {known['S-uci-1'].value.value:.1f} with "
        f"{apart_in_steps[1]:,.0f}."
        if known["S-largebatch_ap-1"].value.high < known["S-uci-1"].value.low
        else ""
    ),
)

curve = (
    drawn_types.assign(percent=percent, batch=drawn_types["variant"].map(batch))
    .groupby(["batch", "percent"])["dev"]
    .agg(["size", "min", "mean", "max"])
)
several = curve.loc[batch[""]].query("size > 1 and mean < @even.low")
best_type = several["mean"].idxmin() if len(several) else 0
rest = several.drop(index=best_type, errors="ignore")
types_curve = ""
if len(rest):
    spans_of = results.enumerate_names(
        f"{row['min']:.1f} to {row['max']:.1f} at {share} %"
        for share, row in several.iterrows()
    )
    overlap = (rest["min"] <= several.loc[best_type, "max"]).all()
    types_curve = (
        f"Here the mean is lowest at {best_type} %, but trainings of different probabilities overlap "
        f"({spans_of}): no probability is seen to be best."
        if overlap
        else f"Here the mean is lowest at {best_type} % (trainings: {spans_of})."
    )
report.paste(types_curve=types_curve)

# %% tags=["hide-input"] mystnb={"code_prompt_show": "Results kept in book/results"}
unit = "perplexity a move"
table1_cells = {kind.split()[0].lower(): printed("table1", kind, "Count") for kind in kinds}
table4_cells = {
    key: {
        column: printed("table4", row["title"], f"{column.title()} set")
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


hours = dict.fromkeys(("cpu", "beside_gpu"), 0.0)
for run in trained.index:
    record = json.loads(runs.kept_path("runs", run).read_text(encoding="utf-8"))
    where = "cpu" if record["device"] == "cpu" else "beside_gpu"
    hours[where] += record["cpu_seconds"] / 3600

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
    report.rows(len(curve), "figure2.points", unit="points"),
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
    report.rows(as_keys(values(known)), "perplexity_of_run", unit=unit),
    report.rows(
        {key: change.value for key, change in changes.items()},
        "change",
        unit="% of perplexity",
    ),
    report.rows(
        {
            (*key, order): part.value
            for key, parts in by_seed.items()
            for order, part in enumerate(parts, start=1)
        },
        "change_by_seed",
        unit="% of perplexity",
    ),
    report.rows(
        {
            arm: {
                "perplexity": row["test_perplexity"],
                "end_actual.lgm": row["lgm"],
            }
            for arm, row in pilot.iterrows()
        },
        "recipe",
        unit="perplexity, or per cent",
    ),
    report.rows(
        {f"{model}.dev": lowest for model, (_, lowest) in twelve.items()}
        | {"change": twelve_apart},
        "twelve_passes",
        unit="dev perplexity, or per cent of it",
    ),
    report.rows(seed_spread, "seeds.largest_change", unit="% of perplexity"),
    report.rows(as_keys(pd.Series(last_pass)), "last_pass", unit="% of dev perplexity"),
    report.rows(
        {
            size: {"uci": {"lowest": rows["dev"].min(), "highest": rows["dev"].max()}}
            for size, rows in trained[trained["usual"] & (trained["model"] == "uci")].groupby(
                "size"
            )
            if len(rows) > 1
        },
        "seeds",
        unit="dev perplexity",
    ),
    report.rows(even, "baseline.uniform_legal.perplexity", unit=unit),
    report.rows(by_sequences, "baseline.sequences.perplexity", unit=unit),
    report.rows(
        report.Result(len(above), n=len(table4), unit="models of Table 4"),
        "baseline.uniform_legal.beaten",
    ),
    report.rows(
        {
            f"rap{row['percent']}.{'S' if row['batch'] == batch[''] else 'S_6144'}": report.Result(
                row["mean"], n=int(row["size"]), unit="dev perplexity"
            )
            for _, row in curve.reset_index().iterrows()
        },
        "figure2",
    ),
    report.rows(hours, "train.core_hours", unit="hours"),
    report.rows(as_keys(values(pd.Series(live))), "live.perplexity", unit=unit),
)
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
# **3. Where it is surprised.** `by_move` lists what each move of one test game costs the model.
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
