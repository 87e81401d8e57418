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

# %% tags=["hide-input"] mystnb={"code_prompt_show": "Imports, and the games"}
import json

import chess
import chess.pgn
import chess.svg
import matplotlib.pyplot as plt
import numpy as np
import pandas as pd
import torch
from IPython.display import Markdown
from myst_nb import glue
from torch import nn
from torch.nn import functional as F
from torch.nn.utils.rnn import pad_sequence
from chessgloss import report
from chessgloss.book import reference
from chessgloss.positions import Position
from chessgloss.book.profiles import load_sizes
from chessgloss.experts.boards import read_boards
from chessgloss.store import find_project
from chessgloss.tracking import (
    games as tokens,
    plan,
    probes,
    results,
    runs,
    sources,
    world_model,
)
from chessgloss.tracking.models import game_losses

sizes = load_sizes("12_state_tracking", profile)
report.use_house_style()
wanted = {
    "XS": sizes.few,
    "S": sizes.small,
    "M": sizes.medium,
    "L": sizes.large,
    "dev": sizes.dev,
    "test": sizes.test,
    "probe": sizes.probe,
}
games = tokens.read_corpus(sizes=wanted)
n_plies = games.games.plies
spans = {name: games.of(name) for name in wanted}


def printed(table, row, column):
    return reference.lookup("state_tracking", table, row, column)


def follow(selected, every=1):
    """Positions of games after every so many plies: game, ply, FEN."""
    rows = []
    for name, ucis_of_game in selected.items():
        board = chess.Board()
        for ply, uci in enumerate(ucis_of_game, start=1):
            board.push_uci(uci)
            if ply % every == 0:
                rows.append((name, ply, board.fen()))
    return pd.DataFrame(rows, columns=["game", "ply", "fen"])


# %% [markdown]
# From the vector that the last block hands on after a move, a linear layer is fitted to say what stands
# on each of the 64 squares: nothing, a piece of the side to move, or one of the opponent's. It is tried
# on games that it was not fitted on. (Chapter 16 does this with care and with controls.)

# %%
library_model, _ = runs.read_model("L-uci-1")
places = follow({at: games.games.ucis(at) for at in spans["probe"][: sizes.read]}, every=3)
on_board = read_boards(list(places["fen"]))


def exchange(codes):
    """Name pieces by White and Black if they were named by own and opponent's, or back."""
    return np.where(codes == 0, 0, (codes + 5) % 12 + 1)


own = np.where(on_board.white_to_move[:, None], on_board.squares, exchange(on_board.squares))
vectors = world_model.hidden_states(library_model, "uci", games.games, places)[-1]
fitted = np.array(places["game"] < places["game"].quantile(0.8))
reader = world_model.fit_board_probe(vectors[fitted], own[fitted], seed=seed)

read = reader(vectors[~fitted]).view(-1, 64, 13).argmax(dim=2).numpy()
commonest = [np.bincount(square).argmax() for square in on_board.squares[fitted].T]
print(f"squares right, the layer: {np.mean(read == own[~fitted]):.0%}")
print(f"the commonest content of each: {np.mean(on_board.squares[~fitted] == commonest):.0%}")

# %% tags=["hide-input"] mystnb={"code_prompt_show": "Read the boards of three games: the picture at the top"}
with (find_project() / "data/famous/games.pgn").open(encoding="utf-8") as file:
    opera = chess.pgn.read_game(file)
opera_moves = [move.uci() for move in opera.mainline_moves()]
game_at = spans["test"][0]
ucis = games.games.ucis(game_at)
followed = {
    "a game of engines, the first of the test": ucis[:60],
    "Morphy's Opera Game, of people": opera_moves,
    "legal moves drawn at random": sources.play_random_game(60, seed, 0),
}
chances = {}
other_way = exchange(np.arange(13))
for name, moves_of_game in followed.items():
    here = follow({0: moves_of_game})
    game = tokens.tokenise([moves_of_game])
    states = world_model.hidden_states(library_model, "uci", game, here)[-1]
    logits = reader(states).view(-1, 64, 13)
    said = logits.softmax(dim=2).numpy()
    black = np.array(here["fen"].str.contains(" b "))
    said[black] = said[black][:, :, other_way]
    chances[name] = moves_of_game, said
ply = 24
glue("reading", report.board_readings(chances, ply=ply, square=chess.E4), display=False)
report.paste(read_after=ply)

# %% [markdown]
# Toshniwal and others {cite}`toshniwal2022chess` made this a testbed: chess is small, exact and
# known, so what a model has understood can be asked by prompt and looked up. This chapter and the
# next two repeat their paper's tables with small models, trained from nothing. Who draws evenly among
# the legal moves knows the rules and the board, and nothing of play: a perplexity of
# {glue:text}`even:.1f` on our test games. What does not beat it bears a †, and no sentence concludes from
# it. {glue:text}`enough`
#
# Three differences from the paper weigh on every number. Its games are people's; ours are
# Stockfish's against itself at mixed strength. Its model is GPT-2's small one
# {cite}`radford2019language`, with {glue:text}`their_weights:.3g` million parameters; ours have
# {glue:text}`our_weights:.3g` million. Its largest set has 200,000 games, ours 50,000.
#
# ## A game as tokens
#
# A move in UCI notation is two squares: where a piece leaves, where it goes. The vocabulary is the 64
# squares, and a few tokens more. Castling is the king's move of two squares; a promotion adds the new
# piece. The type of the moving piece can be written before its move: *RAP* does so at random, with a
# given probability and only in training, *AP* always (before castling too, where the paper's released
# code never does). A model trained with RAP can then be asked where a type stands, by showing the type
# alone; that is the next chapter.

# %%
vocabulary = ["PAD", "BOS", "EOS", *chess.SQUARE_NAMES, *"PNBRQK", *"qrbn"]
random = np.random.default_rng(seed)


def write(ucis, probability=0):
    """The tokens of a game; the type of the piece before a move, with a probability."""
    board = chess.Board()
    written = ["BOS"]
    for move in map(chess.Move.from_uci, ucis):
        if random.random() < probability:
            written.append(board.piece_at(move.from_square).symbol().upper())
        uci = move.uci()
        written += [uci[:2], uci[2:4], *uci[4:]]
        board.push(move)
    return [*written, "EOS"]


played = moves.split()
notations = {"UCI": 0, "UCI + RAP 15": 0.15, "UCI + RAP 100": 1, "UCI + AP": 1}
written = {name: write(played[:3], share)[1:-1] for name, share in notations.items()}
for name, words in written.items():
    print(f"{name}:", *words)

# %% tags=["hide-cell"] mystnb={"code_prompt_show": "Tables 1 and 2: the vocabulary, and the notations beside the paper's"}
kinds = {
    "Square names": vocabulary[3:67],
    "Piece type": vocabulary[67:73],
    "Promoted Pawn Piece type": vocabulary[73:],
    "Special symbols": vocabulary[:3],
    "Total": vocabulary,
}
table1 = pd.Series(kinds).to_frame("examples").map(lambda words: ", ".join(words[:6]))
table1["count"] = [len(words) for words in kinds.values()]
table1["paper"] = [int(printed("table1", kind, "Count").value) for kind in kinds]
table2 = pd.Series(written).to_frame("training, ours").map(", ".join)
table2["training, paper"] = [printed("table2", name, "Training").printed for name in written]
report.boards(
    report.table(table1, caption="Table 1: the vocabulary"),
    report.table(table2, caption=f"Table 2: three moves; RAP 15 is one draw, seed {seed}"),
)

# %% tags=["hide-cell"] mystnb={"code_prompt_show": "The paper's Figure 1: two positions, and the tokens that lead there"}
positions = [Position.after(played), Position.after([*played, following])]
left = write(played)[:-1]
right = write([following])[1:-1]
print(*left, "| and to the right one:", *right)
drawings = []
for board in (position.board() for position in positions):
    drawing = chess.svg.board(
        board,
        size=280,
        lastmove=board.peek(),
    )
    drawings.append(report.Html(drawing, board.fen()))
report.boards(*drawings)

# %% tags=["hide-cell"] mystnb={"code_prompt_show": "The paper's Figure 1: the names of the squares", "figure": {"caption": "The 64 squares, whose names are a model's tokens.", "name": "fig-12-squares"}, "image": {"alt": "A board with the name of each square written on it."}}
figure, axes = plt.subplots(figsize=(2.7, 2.7))
dark = (np.indices((8, 8)).sum(axis=0) + 1) % 2  # a1 is dark
axes.imshow(dark, cmap="Greys", alpha=0.25, origin="lower")
for square, name in enumerate(chess.SQUARE_NAMES):
    rank, file = divmod(square, 8)
    axes.text(file, rank, name, ha="center", va="center", fontsize=9)
axes.set_axis_off()
plt.show()

# %% [markdown]
# The games are distinct and 10 to 150 plies long, as in the paper. The training sets XS, S, M and L
# lie within each other; no game is in two of the other sets. After a few moves every game is new.

# %% tags=["hide-cell"] mystnb={"code_prompt_show": "Games, plies and tokens of each set"}
of_paper = {
    "S": "Train-S",
    "M": "Train-M",
    "L": "Train-L",
    "dev": "dev",
    "test": "test",
    "probe": "probing",
}
set_sizes = pd.DataFrame({"games": {name: at.size for name, at in spans.items()}})
paper_games = {name: printed("text4", row, "games").value for name, row in of_paper.items()}
set_sizes["games, paper"] = pd.Series(paper_games).astype(int).astype(object)
lengths = [n_plies[at] for at in spans.values()]
set_sizes["plies"] = [each.sum() for each in lengths]
set_sizes["median plies"] = [int(np.median(each)) for each in lengths]
sequences_of = [tokens.annotate(games.games, at, "uci")[0] for at in spans.values()]
set_sizes["tokens"] = [ids.size for ids in sequences_of]
set_sizes["tokens"] -= 2 * set_sizes["games"]  # without BOS and EOS
report.table(set_sizes, caption="(n_games, n_plies, n_tokens) of each set")

# %% tags=["hide-cell"] mystnb={"code_prompt_show": "After how many plies a test game is new", "figure": {"caption": "Share of test games whose beginning is that of no training game, by plies played.", "name": "fig-12-new-positions"}, "image": {"alt": "A line that rises from zero to one within the first plies."}}
of_training = tokens.prefix_hashes(games.games, spans["L"], plies=40)
of_test = tokens.prefix_hashes(games.games, spans["test"], plies=40)
trained_on = set().union(*of_training)
new = pd.DataFrame(
    [[float(beginning not in trained_on) for beginning in game] for game in of_test],
    columns=range(1, 41),
).mean()
new.plot(
    style="o-",
    markersize=3,
    figsize=(5, 2.4),
    xlabel="plies",
    ylabel="share of games",
)
plt.show()

# %% [markdown]
# ## The model, written out
#
# Of every token and of its place the model makes a vector;
# in each block a token's vector takes in a mean of the vectors up to its own (causal attention),
# then goes through two layers by itself (feed-forward), and both are added to what was there
# (residuals). The last vector is held against the vectors of all 77 tokens: the more alike, the
# likelier the token comes next. That is GPT-2's transformer {cite}`radford2019language` without
# biases and without dropout, and with one thing more: a move is two tokens, so keys and values are
# *mixed* with those of the token before, in a share that is learned.

# %%
number = {token: place for place, token in enumerate(vocabulary)}


def encode(ucis):
    return torch.tensor([number[token] for token in write(ucis)])


def make_batch(chosen):
    """Return what is read, and the token after each: both (n_games, length)."""
    rows = [encode(games.games.ucis(game)) for game in chosen]
    ids = pad_sequence(rows, batch_first=True, padding_value=number["PAD"])
    return ids[:, :-1], ids[:, 1:]


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
# follow, in the mean over all tokens. A step goes down its gradient. The baseline gives every token
# its share of the same training games. Change the learning rate, the width or the number of layers.


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

# %%
seen = torch.cat([targets.flatten() for _, targets in batches])
counts = seen.bincount(minlength=len(vocabulary))[1:] + 1  # PAD left out
frequencies = (counts / counts.sum()).log()
expected = unread[1][unread[1] != number["PAD"]]
by_frequency = -frequencies[expected - 1].mean().item()
print("loss a token, every fifth step:", *(f"{loss:.2f}" for loss in dev_losses[::5]))
print(f"by the frequency of each token: {by_frequency:.2f}")

# %% [markdown]
# The committed models are this one with {glue:text}`gpt_layers` blocks of {glue:text}`gpt_width`
# numbers a token. To train them, the library adds a rate that rises and falls, a bound on the
# gradient, batches of games of like length, and another rule for the matrices (Muon: each step is made
# orthogonal, so that no direction outgrows the others). Put into the classes above, committed weights
# give the library's logits.

# %%
shape = library_model.settings
plain = GPT(shape.layers, shape.width, shape.heads, shape.context)
weights = library_model.state_dict().items()
plain.load_state_dict({name.removeprefix("body."): each for name, each in weights})
with torch.no_grad():
    assert torch.allclose(plain(unread[0]), library_model(unread[0]), atol=1e-3)

# %% [markdown]
# ## Perplexity
#
# A model gives every next token a probability. *Canonical perplexity* turns this into one number
# a move: the exponential of the mean of minus the logarithm of a move's probability, the product
# of its tokens' probabilities. A perplexity of ten is the doubt of a fair draw among ten moves.
# Piece types, where there are none, are masked out, as in the paper; the end of a game is no move. Here
# is one test game:

# %%
ids = encode(ucis)[:-1]  # without EOS, which is no move
with torch.no_grad():
    logits = plain(ids[None, :-1])[0]
logits[:, number["P"] : number["K"] + 1] = -torch.inf  # no piece types in plain UCI
of_next = logits.log_softmax(dim=1)[torch.arange(len(ids) - 1), ids[1:]]
surprise = -of_next  # of each token
first_tokens = np.cumsum([0, *(2 + (len(uci) == 5) for uci in ucis[:-1])])
by_move = np.add.reduceat(surprise.numpy(), first_tokens)

fens = [chess.STARTING_FEN, *follow({0: ucis[:-1]})["fen"]]
n_legal = [chess.Board(fen).legal_moves.count() for fen in fens]
print(f"perplexity of {by_move.size} moves: {np.exp(by_move.mean()):.1f}")
print(f"of an even draw among the legal moves: {np.exp(np.log(n_legal).mean()):.1f}")

# The library does the same for all games.
library_loss = game_losses(library_model, games.games, "uci", np.array([game_at]))[0]
assert np.isclose(by_move.sum(), library_loss, rtol=1e-3)

# %% [markdown]
# The first baseline, a draw among the legal moves that prefers none, knows the rules and the board, all
# that these models are to learn by themselves. *Beats* means that the whole interval of the difference,
# on the same games, is on the better side.
#
# Another baseline knows neither rules nor board: it counted, in the training games, which token
# followed the last few, and mixes in what followed fewer of them (an n-gram model with interpolated
# counts, as by MacKay and Peto 1995).


# %% tags=["hide-input"] mystnb={"code_prompt_show": "Sequences of tokens as numbers, and how often each came"}
def sequences(selected, length=6):
    """Each token and the ones before it as a number, for 0 to ``length`` of them; and its game."""
    ids, starts = tokens.annotate(games.games, selected, "uci")
    ids = ids.astype(np.int64)
    game_of = np.repeat(np.arange(len(selected)), np.diff(starts))
    place = np.arange(ids.size) - starts[game_of]
    numbers = [ids]
    for back in range(1, length + 1):
        before = np.where(place >= back, np.roll(ids, back), tokens.PAD)
        shifted = before * tokens.VOCABULARY_SIZE**back
        numbers.append(numbers[-1] + shifted)
    said = place > 0  # what begins a game is given
    return [number[said] for number in numbers], game_of[said]


def count(known, wanted):
    numbers, counts = np.unique(known, return_counts=True)
    last = len(numbers) - 1
    at = np.searchsorted(numbers, wanted).clip(max=last)
    found = numbers[at] == wanted
    return np.where(found, counts[at], 0)


# %%
# Weight of the answer by one token fewer; chosen on dev games of 5, 15, 50 and 150.
shorter = 50


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


# %% [markdown]
# ## Three notations on three numbers of games
#
# All runs but the paper's own model follow one recipe: every pass is made and the rate comes down to
# zero, whatever the dev games say, so that models that are compared have read the same games as
# often. On one core of a processor a run takes 8 to 37 minutes. Intervals draw whole test games.

# %%
trained = runs.read_runs()
chosen = results.headline(trained, results.NOTATION_ROWS)
test = spans["test"][: sizes.drawn]
drawn = results.even_draw(games.games, test)
even = results.perplexity_of(drawn, seed=seed)
by_sequences = {
    size: results.perplexity_of(sequence_losses(spans[size][: sizes.counted], test), seed=seed)
    for size in results.SIZES
}
known = trained.index.to_series().map(
    lambda run: results.judge_perplexity(results.read_losses(run), drawn, seed=seed)
)

# %% tags=["hide-input"] mystnb={"code_prompt_show": "Lay out Table 4"}
faithful = "15000-paper_uci-1"
in_table4 = [*chosen["run"], faithful]
paper4 = reference.table("state_tracking", "table4")
beside = paper4.loc[[*chosen["title"], "S UCI"]]
table4 = pd.DataFrame(
    {
        "dev": trained.loc[in_table4, "dev"].to_numpy(),
        "dev, paper": beside["Dev set"].to_numpy(),
        "test": known[in_table4].to_numpy(),
        "test, paper": beside["Test set"].to_numpy(),
    },
    index=[*chosen["title"], "the paper's model, 15,000 games: UCI"],
)
table4.loc[results.EVEN_DRAW, "test"] = even
table4.loc["Counts: the last tokens, L", "test"] = by_sequences["L"]
report.table(table4, digits=1, caption=f"Table 4: canonical perplexity. {results.MARKED}")

# %% tags=["hide-cell"] mystnb={"code_prompt_show": "The transformer and its training, beside the paper's"}
recipe = plan.RECIPE
passes = [f"{epochs} at {size}" for size, epochs in plan.EPOCHS.items()]
ours = {
    "layers": shape.layers,
    "heads": shape.heads,
    "embedding": shape.width,
    "context": shape.context,
    "epochs": ", ".join(passes),
    "batch": f"{recipe.tokens:,} tokens",
    "learning rate": f"{recipe.rate} (Adam), {recipe.matrix_rate} (Muon)",
    "weight decay": f"{recipe.decay}, {recipe.matrix_decay}",
}
rows = dict.fromkeys(ours, "training")
rows |= dict.fromkeys(["layers", "heads", "embedding", "context"], "GPT2-small")
theirs = {name: printed("text4", row, name).printed for name, row in rows.items()}
report.table(pd.DataFrame({"ours": ours, "paper": theirs}), caption="Transformer and training")

# %% tags=["hide-cell"] mystnb={"code_prompt_show": "The models of the repository, measured anew on the first test games"}
first = spans["test"][: sizes.live]
as_many = drawn[: sizes.live]
live = {}
for name in runs.trained_checkpoints():
    model, training = runs.read_model(name)
    nats = game_losses(model, games.games, training.reading, first)
    losses = pd.DataFrame({"nats": nats, "plies": n_plies[first]})
    live[name] = results.judge_perplexity(losses, as_many, seed=seed)
committed = pd.DataFrame(
    {f"first {sizes.live} test games": live, "as logged, all": known[[*live]]}
)
report.table(committed, digits=1, caption=f"Committed models, perplexity. {results.MARKED}")

# %% [markdown]
# Compare within a column, not with the paper's: the games differ, and the moves of a player that
# plays at random now and then are hard to foresee. The most faithful row is the paper's own model, of
# {glue:text}`ratio:.0f` times the parameters, trained as in the paper on 15,000 of our games:
# {glue:text}`faithful:.1f`, beside {glue:text}`faithful_printed` in print. Our RAP shows 15 % of the types at
# every size; the paper's rows beside S and M show 25. {glue:text}`unfinished`
#
# ## What a notation is worth
#
# A run with types and one of plain UCI with the same seed begin with the same weights and read the
# same games in the same order; *all seeds* takes the mean of the seeds' losses game by game. In these
# chapters a difference is *clear* if {glue:text}`clear_means`. Types are tokens too: RAP 15 reads 7 %
# more of them from the same games, AP half as many again. {glue:text}`fewer_steps` The perplexity of AP
# counts the doubt about the types too.


# %%
def losses_of(names):
    """What the test games cost several trainings in the mean, game by game."""
    losses = [results.read_losses(name) for name in names]
    return losses[0].assign(nats=sum(each["nats"] for each in losses) / len(losses))


def change_of(first, second):
    """The change of perplexity, in per cent, and who of the two beats the even draw."""
    change = results.change_of_perplexity(losses_of(first), losses_of(second), seed=seed)
    above = [all(known[run].above for run in names) for names in (first, second)]
    return results.Compared(change, results.who_beats(*above))


typed = trained[trained["usual"] & trained["model"].isin(["uci_rap", "uci_ap"])]
typed = typed[typed["probability"].isin([0, runs.RAP / 100])]
plain_of = typed["size"] + "-uci-" + typed["seed"].astype(str)
couples = {key: plain_of[rows.index] for key, rows in typed.groupby(["size", "model"])}
changes = {key: change_of(runs_of.index, runs_of) for key, runs_of in couples.items()}
by_seed = {
    key: [change_of([run], [other]) for run, other in runs_of.items()]
    for key, runs_of in couples.items()
}

# %% tags=["hide-input"] mystnb={"code_prompt_show": "Lay out the changes, and which of them are clear"}
test_of = {run: judged.value.value for run, judged in known.items()}
log_of = {run: 100 * np.log(perplexity) for run, perplexity in test_of.items()}
seed_spread = max(
    abs(change_of([run], [first]).value.value)
    for first in chosen.xs("uci", level="model")["run"]
    for run in results.other_seeds(trained, first)[1:]
)
shown = {}
clear = {}
for key in chosen.index.drop("uci", level="model"):
    size, _ = key
    seeds = [part.value.value for part in by_seed[key]]
    runs_of = couples[key]
    arms = [[log_of[run] for run in runs_of.index], [log_of[run] for run in runs_of]]
    noise = max(seed_spread, results.seed_noise(arms))
    clear[key] = results.is_clear(changes[key].value, seeds, noise)
    ours = chosen.loc[key, "title"]
    plainly = chosen.loc[(size, "uci"), "title"]
    in_print = paper4.loc[ours, "Test set"] / paper4.loc[plainly, "Test set"]
    shown[ours] = {
        "each seed": ", ".join(f"{change:+.1f}" for change in seeds),
        "all seeds": f"{changes[key]:+.1f}",
        "paper": f"{100 * (in_print - 1):+.1f}",
    }
report.table(
    pd.DataFrame(shown).T,
    caption=f"Perplexity against plain UCI's, per cent of it. {results.COMPARED}",
)

# %% [markdown]
# {glue:text}`ap_says` {glue:text}`rap_says`
#
# Changes of the recipe were tried on {glue:text}`recipe_games` games read once: a vector for each pair of
# tokens (*pairs*), a token's vector in the values of each block (*values*), embeddings that move faster
# (*faster*), an output layer of its own (*untied*), and all four (*together*).
# {glue:text}`recipe_says`

# %% tags=["hide-cell"] mystnb={"code_prompt_show": "What the changes of the recipe came to; tokens a step and rate, tried beforehand"}
tried = pd.read_json(tokens.data_folder() / "recipe.json")
pilot = tried[tried["size"] == "S"].set_index("arm").rename_axis(None)
columns = {
    "test_perplexity": "test perplexity",
    "lgm": "legal, %",
    "exm": "as played, %",
    "cpu_seconds": "CPU seconds",
}
n_tokens = pilot["tokens"].iloc[0] / 1e6
rates = json.loads((tokens.data_folder() / "pilot.json").read_text(encoding="utf-8"))
rates = pd.DataFrame(rates["runs"]).rename(columns={"tokens": "tokens a step"})
report.boards(
    report.table(
        pilot[[*columns]].rename(columns=columns),
        digits=1,
        caption=f"Changes of the recipe: one training each, {n_tokens:.1f} million tokens",
    ),
    report.table(
        rates.pivot(index=["tokens a step", "rate"], columns="size", values="dev_perplexity"),
        digits=1,
        caption="Dev perplexity of plain UCI by tokens a step and rate (of the recipe's), six "
        "passes over S and three over L (1,536 not finished there)",
    ),
)

# %% [markdown]
# ## How often to show the type
#
# Figure 2 draws dev perplexity against the probability of a type. The paper found 25 % best for
# its S and M, 15 % for L, gains up to 50 % at S, and 100 % too high to draw. {glue:text}`types_curve`
# {glue:text}`still_falling` {glue:text}`twelve_says`

# %% tags=["hide-input"] mystnb={"code_prompt_show": "Draw Figure 2", "figure": {"caption": "The paper's Figure 2 with our models on S: dev perplexity by the probability of a type. A point is a training, a line their means.", "name": "fig-12-figure-2"}, "image": {"alt": "Dev perplexity as lines over the probability of a piece type."}}
on_few = trained["usual"] | (trained["variant"] == "largebatch")
on_few &= (trained["size"] == "S") & trained["model"].isin(["uci", "uci_rap"])
types = trained[on_few].assign(
    percent=(100 * trained["probability"]).round().astype(int),
    batch=trained["variant"].map({"": "S", "largebatch": "S_6144"}),
)
curve = types.groupby(["batch", "percent"])["dev"].agg(["size", "min", "mean", "max"])
axes = (
    curve["mean"]
    .unstack("batch")
    .plot(
        figsize=(6, 2.3),
        xlabel="probability of a piece type in training, %",
        ylabel="dev perplexity a move",
    )
)
axes.plot(
    types["percent"],
    types["dev"],
    "o",
    color="grey",
    mfc="none",
)
axes.axhline(even.value, color="grey", linestyle=":")
axes.legend(
    [
        f"{recipe.tokens:,} tokens a step",
        "6,144",
        "a training",
        "even draw",
    ]
)
plt.show()

# %% [markdown]
# ## Recap
#
# - A move is two squares; 77 tokens write any game. A test game has left all training games after
#   {glue:text}`half_new` plies in half of the cases.
# - An even draw among the legal moves has a perplexity of {glue:text}`even:.1f`, counts of what follows
#   the last tokens one of {glue:text}`sequences_L:.0f`. Better than the even draw:
#   {glue:text}`n_above` of the {glue:text}`n_models` models of Table 4.
# - Plain UCI comes to {glue:text}`uci_S:.1f` at S, {glue:text}`uci_M:.1f` at M, {glue:text}`uci_L:.1f` at L, where it
#   has read more games and more tokens: {glue:text}`tokens_read` million. That is how well a model foresees
#   moves; what it knows of the board is asked next.

# %% tags=["hide-input"] mystnb={"code_prompt_show": "What the numbers allow to say"}
fewest = "XS-uci-1"
plain_uci = chosen.xs("uci", level="model")
best_size = plain_uci["run"].map(test_of).idxmin()
best = known[plain_uci.loc[best_size, "run"]]
n_read = f"{plain_uci.loc[best_size, 'games']:,}"
dev_of = {run: pd.DataFrame(log)["dev_perplexity"] for run, log in trained["log"].items()}
n_above = sum(judged.above for judged in known[in_table4])
layers = printed("text4", "GPT2-small", "layers").value
width = printed("text4", "GPT2-small", "embedding").value
context = printed("text4", "GPT2-small", "context").value
theirs = 12 * layers * width**2 + (len(vocabulary) + context) * width
weights = chosen.loc[("L", "uci"), "parameters"]
millions = [f"{count:.1f}" for count in plain_uci["tokens"] / 1e6]
ours = f"{best.value.value:.1f}"
by_lot = f"{even.value:.1f}"
report.paste(
    result=Markdown(
        f"**{ours} against {by_lot}.** After {n_read} games a model that sees no "
        f"board is in doubt between {ours} moves; who draws a legal move by lot, between "
        f"{by_lot} (perplexity)."
        if best.above
        else f"After {n_read} games the best model of plain UCI has a perplexity of {best.value:.1f} a move, "
        "which does not beat an even draw among the legal moves."
    ),
    enough=f"With {sizes.few:,} games the same recipe comes to {test_of[fewest]:.0f}, overfitted: dev "
    f"games had {dev_of[fewest].min():.0f} after an earlier pass.",
    even=even.value,
    sequences_L=by_sequences["L"].value,
    n_above=n_above,
    n_models=len(in_table4),
    gpt_layers=shape.layers,
    gpt_width=shape.width,
    their_weights=theirs / 1e6,
    our_weights=weights / 1e6,
    ratio=theirs / weights,
    half_new=int((new >= 0.5).idxmax()),
    tokens_read=results.enumerate_names(millions),
    faithful=test_of[faithful],
    faithful_printed=printed("table4", "S UCI", "Test set").value,
    clear_means=results.CLEAR,
    uci_S=test_of["S-uci-1"],
    uci_M=test_of["M-uci-1"],
    uci_L=test_of["L-uci-1"],
)

usual = trained.index[trained["usual"] & (trained["size"] != "XS")]
last_pass = {}
for run in usual:
    before, after = dev_of[run].iloc[-2:]
    last_pass[run] = 100 * (after / before - 1)
without = last_pass["S-uci-1"]
in_types = [last_pass[f"S-rap{share}-1"] for share in (15, 25, 50)]
falling = [f"{change:+.0f} %" for change in in_types]
twelve = dev_of["S-uci-1x12"]
twelve_rap = dev_of["S-rap15-1x12"]
twelve_apart = 100 * (twelve_rap.min() / twelve.min() - 1)
fewer = "S-largebatch_ap-1"
more = "S-uci-1"
few_steps = trained.loc[fewer, "tokens"] / 6144
many_steps = trained.loc[more, "tokens"] / recipe.tokens
ap = {size: changes[size, "uci_ap"] for size in results.SIZES}
ap_changes = [f"{-each.value.value:.0f} % at {size}" for size, each in ap.items()]
ap_above = all(each.beaten is results.Beaten.BOTH for each in ap.values())
ap_clear = all(clear[size, "uci_ap"] for size in results.SIZES)
ap_lowers = ap_above and ap_clear and all(each.value.high < 0 for each in ap.values())
rap_changes = []
for size in results.SIZES:
    seeds = [part.value.value for part in by_seed[size, "uci_rap"]]
    ends = f"{min(seeds):+.0f} to {max(seeds):+.0f}"
    rap_changes.append(f"{ends} % at {size} ({len(seeds)} seeds)")
rap_clear = any(clear[size, "uci_rap"] for size in results.SIZES)
of_pilot = pilot["test_perplexity"]
beyond_plain = 100 * (of_pilot / of_pilot["plain"] - 1).drop("plain")
pilot_changes = [f"{arm} {change:+.0f} %" for arm, change in beyond_plain.items()]
whole = tried.set_index("run").loc["L-uci-1"]  # all four changes, all passes
long_games = probes.read_probes().query("task == 'end_actual' and band == 'long'")
plain_legal = 100 * results.score_run("L-uci-1", long_games)["lgm"].mean()
several = curve.loc["S"].query("size > 1")
lowest = several["mean"].idxmin()
overlap = several["min"].max() <= several.loc[lowest, "max"]
report.paste(
    ap_says="Types shown at every move (AP) lower perplexity by "
    + results.enumerate_names(ap_changes)
    + "."
    if ap_lowers
    else "",
    rap_says=f"Types shown at {runs.RAP} % of the moves (RAP) change it by "
    + results.enumerate_names(rap_changes)
    + ", which is not clear."
    if not rap_clear
    else "",
    fewer_steps=f"It is not a matter of more steps: AP at S comes to {test_of[fewer]:.1f} with "
    f"{few_steps:,.0f} steps, plain UCI to {test_of[more]:.1f} with {many_steps:,.0f}."
    if known[fewer].value.high < known[more].value.low
    else "",
    recipe_games=f"{tokens.BOOK_SIZES['S']:,}",
    recipe_says="Against the plain recipe perplexity changes by: "
    + results.enumerate_names(pilot_changes)
    + f" (another seed: up to {seed_spread:.0f} %). On L, with all passes, all four together come "
    f"to {whole['test_perplexity']:.1f} and {whole['lgm']:.0f} % legal, the plain recipe to "
    f"{known['L-uci-1'].value.value:.1f} and {plain_legal:.0f} %. The models of these chapters are "
    "trained without.",
    unfinished="Training was cut off early: in its last pass, in which the rate falls to zero, dev "
    f"perplexity of plain UCI at S still changes by {without:+.0f} %."
    if without < -5
    else "",
    still_falling="In the last pass dev perplexity still changes by "
    + results.enumerate_names(falling)
    + f" at RAP 15, 25 and 50, by {without:+.0f} % without types: with types the training "
    "was cut off earlier, so that the curve tells nothing of them."
    if max(in_types) < without
    else "",
    twelve_says="With twelve passes in place of six, each read at the pass that its dev games choose, "
    f"plain UCI comes to {twelve.min():.1f} (pass {twelve.idxmin() + 1}), RAP 15 to "
    f"{twelve_rap.min():.1f} (pass {twelve_rap.idxmin() + 1}): {twelve_apart:+.0f} %, where "
    f"another seed alone changes up to {seed_spread:.0f} %.",
    types_curve=f"Here the mean is lowest at {lowest} %, but trainings of different "
    "probabilities overlap: no probability is seen to be best."
    if overlap
    else "",
)

# %% tags=["hide-input"] mystnb={"code_prompt_show": "Results kept in book/results"}
unit = "perplexity a move"
printed4 = {
    column: {
        key: printed("table4", title, f"{column.title()} set")
        for key, title in chosen["title"].items()
    }
    for column in ("dev", "test")
}
named = {kind.split()[0].lower(): kind for kind in kinds}
sure = table2.drop("UCI + RAP 15")
same = int((sure["training, ours"] == sure["training, paper"]).sum())
of_uci = trained[trained["usual"] & (trained["model"] == "uci")]
of_seeds = of_uci.groupby(["size", "model"])["dev"].agg(["size", "min", "max"])
of_seeds = of_seeds[of_seeds["size"] > 1]
of_seeds = of_seeds.drop(columns="size")


def as_keys(values):
    return {run.replace("-", "_"): value for run, value in values.items()}


def values(judged):
    return {name: each.value for name, each in judged.items()}


report.save(
    "12_state_tracking",
    report.rows(
        {name: len(kinds[kind]) for name, kind in named.items()},
        "table1",
        unit="tokens",
        reference={name: printed("table1", kind, "Count") for name, kind in named.items()},
    ),
    report.rows(
        report.Result(same, n=len(sure), unit="rows as printed"), "table2.without_chance"
    ),
    report.rows(len(positions), "figure1.boards", unit="boards"),
    report.rows(len(curve), "figure2.points", unit="points"),
    report.rows({name: at.size for name, at in spans.items()}, "games", unit="games"),
    report.rows(chosen["dev"], "table4.dev", unit=unit, reference=printed4["dev"]),
    report.rows(
        {key: known[run].value for key, run in chosen["run"].items()},
        "perplexity",
        unit=unit,
        reference=printed4["test"],
    ),
    report.rows(as_keys(values(known)), "perplexity_of_run", unit=unit),
    report.rows(values(changes), "change", unit="% of perplexity"),
    report.rows(
        {key: values(dict(enumerate(parts, start=1))) for key, parts in by_seed.items()},
        "change_by_seed",
        unit="% of perplexity",
    ),
    report.rows(
        pilot[["test_perplexity", "lgm"]].set_axis(["perplexity", "end_actual.lgm"], axis=1),
        "recipe",
        unit="perplexity, or per cent",
    ),
    report.rows(
        whole[["test_perplexity", "lgm"]].set_axis(["perplexity", "end_actual.lgm"]),
        "recipe_whole.L",
        unit="perplexity, or per cent",
    ),
    report.rows(
        {
            "uci.dev": twelve.min(),
            "uci_rap.dev": twelve_rap.min(),
            "change": twelve_apart,
        },
        "twelve_passes",
        unit="dev perplexity, or per cent of it",
    ),
    report.rows(seed_spread, "seeds.largest_change", unit="% of perplexity"),
    report.rows(as_keys(last_pass), "last_pass", unit="% of dev perplexity"),
    report.rows(
        of_seeds.set_axis(["lowest", "highest"], axis=1), "seeds", unit="dev perplexity"
    ),
    report.rows(even, "baseline.uniform_legal.perplexity", unit=unit),
    report.rows(by_sequences, "baseline.sequences.perplexity", unit=unit),
    report.rows(
        report.Result(n_above, n=len(in_table4), unit="models of Table 4"),
        "baseline.uniform_legal.beaten",
    ),
    report.rows(
        {
            f"rap{percent}.{batch}": report.Result(
                row["mean"], n=int(row["size"]), unit="dev perplexity"
            )
            for (batch, percent), row in curve.iterrows()
        },
        "figure2",
    ),
    report.rows(as_keys(values(live)), "live.perplexity", unit=unit),
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
asked_ids = encode(moves.split())[:-1]
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
