# ---
# jupyter:
#   kernelspec:
#     display_name: Python 3 (ipykernel)
#     language: python
#     name: python3
# ---

# %% [markdown]
# # How many moves are there?
#
# One question in a sentence or two, whose words a player knows. What we find: a position of our
# games has {glue:text}`legal_moves:.1f` legal moves in the mean. (A chapter to copy: each part
# stands where the others have it; write yours over it.)

# %% tags=["parameters"]
profile = "book"
seed = 1
shown_ply = 20

# %% tags=["hide-input"]
import chess
import matplotlib.pyplot as plt
import numpy as np
import pandas as pd
from chessgloss import report
from chessgloss.book.profiles import load_sizes
from chessgloss.corpora.games import read_games
from chessgloss.positions import read_fen
from chessgloss.stats import mean_interval
from chessgloss.store import find_project

sizes = load_sizes("18_section", profile)
report.use_house_style()
games = [*read_games(find_project() / "data/games/selfplay.tsv.zst", sizes.games)]
example = games[0].fens()[shown_ply]
print(f"games: {len(games)}")
report.board(read_fen(example))

# %% [markdown]
# In this chapter we
#
# - do it once, by hand;
# - do it for all games by the library, with an interval over games;
# - show how it is spread.
#
# ## One position
#
# The method in the field's own library, small enough to be changed.

# %%
board = chess.Board(example)
moves = sorted(map(board.san, board.legal_moves))
print(f"{len(moves)} legal moves:", *moves)

# %% [markdown]
# ## All of them
#
# Positions of one game are alike, so that the interval draws whole games. Where a paper has the
# number, its value stands beside ours: `reference.lookup(...)`.

# %%
rows = pd.DataFrame(
    [
        (game.key, ply, chess.Board(fen).legal_moves.count())
        for game in games
        for ply, fen in enumerate(game.fens()[:-1])
    ],
    columns=["game", "ply", "legal moves"],
)
print("rows.shape =", rows.shape)
mean = mean_interval(rows["legal moves"], rows["game"], seed=seed)
phases = pd.cut(rows["ply"], [-1, 20, 60, 1_000], labels=["opening", "middle", "end"])
by_phase = rows.groupby(phases, observed=True).apply(
    lambda part: mean_interval(part["legal moves"], part["game"], seed=seed)
)
report.table(
    by_phase.to_frame("legal moves"), caption="Legal moves, by part of the game", digits=1
)

# %% mystnb={"figure": {"caption": "How many legal moves a position has.", "name": "fig-18-moves"}, "image": {"alt": "Histogram of the number of legal moves, with one hump near thirty."}}
figure, axes = plt.subplots(figsize=(6, 2.8))
axes.hist(rows["legal moves"], bins=np.arange(0, 80, 4), color=report.PALETTE[0])
axes.set(xlabel="legal moves", ylabel="positions", title="All positions of the games")
plt.show()

# %% [markdown]
# ## Recap
#
# - A position of these games has {glue:text}`legal_moves:.1f` legal moves in the mean.
# - One line a finding, with its number, and one that says what it does not show.

# %% tags=["hide-input"]
report.paste(legal_moves=mean.value)
report.save("18_section", report.rows({"mean": mean}, "legal_moves", unit="moves"))

# %% tags=["hide-input"]
report.evidence(
    len(rows), "positions", seed, rows["game"].nunique(), "95 % over games: bootstrap"
)

# %% [markdown]
# ## Exercises
#
# **1. Another number.** How many legal moves has a position at the most?

# %% tags=["solution", "hide-cell"]
# The largest number of legal moves.
most = int(rows["legal moves"].max())
print(most)

# %% tags=["check", "remove-cell"]
report.check("One whole number, of all rows.", most=most)

# %% [markdown]
# **2. As if rows were independent.** How wide is the interval if every position is drawn by itself?

# %% tags=["solution", "hide-cell"]
# The interval without games.
alone = mean_interval(rows["legal moves"], seed=seed)
width = alone.high - alone.low
print(f"{width:.2f}")

# %% tags=["check", "remove-cell"]
report.check(
    "`mean_interval` without its second argument; it is narrower than that over games.",
    width=(width, lambda found: found < mean.high - mean.low),
)

# %% [markdown]
# **3. Check.** In what share of the positions is the side to move in check, and how many legal moves
# has it there?

# %% tags=["solution", "hide-cell"]
# Positions in check, and their legal moves.
checked = [chess.Board(fen).is_check() for game in games for fen in game.fens()[:-1]]
in_check = {
    "share": float(np.mean(checked)),
    "moves": float(rows["legal moves"][checked].mean()),
}
report.sheet("in check", in_check)

# %% tags=["check", "remove-cell"]
report.check(
    "Two numbers: a share of all rows, and a mean over these alone.", in_check=in_check
)
