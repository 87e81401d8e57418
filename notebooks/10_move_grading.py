# ---
# jupyter:
#   kernelspec:
#     display_name: Python 3 (ipykernel)
#     language: python
#     name: python3
# ---

# %% [markdown]
# # Grading a move
#
# How good is a move? The plan for static positions answers with a number: the centipawns it
# loses against the engine's best move, and a grade from *Excellent* to *Blunder*. Here the
# grader itself sits an exam: of {glue:text}`pairs` pairs of moves of which one is known to be
# better, it puts {glue:text}`right:.0%` in the right order. The plan analysed one game at each
# of five skill levels, and level 20 looked worse than levels 15 and 18; when single games are
# drawn from forty a level, that happens in {glue:text}`worse_cut:.0%` of the drawings, and in
# {glue:text}`worse_uncut:.0%` if mates are not cut.
#
# One move first: after 1. e4 e5 2. Bc4 Nc6 3. Qf3 Black plays Nd4 and leaves f7 as it is.

# %% tags=["parameters"]
profile = "book"
seed = 1
fresh = False

# %% tags=["hide-input"]
from typing import get_args
import chess
import chess.engine
import matplotlib.pyplot as plt
import numpy as np
import pandas as pd
from scipy.stats import mannwhitneyu, spearmanr
from chessgloss import engine, facts, positions, report
from chessgloss.book import reference
from chessgloss.book.profiles import load_sizes
from chessgloss.corpora.games import read_games
from chessgloss.facts.verdict import LEAST_NODES, MARGIN, MOST_NODES, Judgement, mistake_class
from chessgloss.scores import centipawns, score_of
from chessgloss.skill import grading, levels
from chessgloss.skill.grading import MOVE_GRADES, graded_moves, position_key
from chessgloss.skill.suite import (
    DEPTH_GAMES,
    OTHER_GAMES,
    compared_moves,
    data_folder,
    positions_of,
    read_known_sets,
    read_suite,
)
from chessgloss.stats import (
    area_under_curve,
    cluster_weights,
    mean_interval,
    means_by,
    paired_difference,
    percentile_interval,
)
from chessgloss.store import default_store, find_project

sizes = load_sizes("10_move_grading", profile)
report.use_house_style()

# %%
position = positions.read_fen(
    "r1bqkbnr/pppp1ppp/2n5/4p3/2B1P3/5Q2/PPPP1PPP/RNB1K1NR b KQkq - 3 3"
)
played = positions.read_move(position, "Nd4")
report.board(played, size=300)

# %% [markdown]
# In this chapter we
#
# - take the centipawn loss of this one move from two calls of an engine;
# - see one position with the value of every legal move, and how it was searched;
# - grade pairs of moves of which one is known to be better;
# - turn the board round, change the limit of the search, and see which grades stay;
# - judge moves by the chance to win, and search until the class is stable;
# - hold the grades against what lecturers said of moves;
# - repeat the plan's table of levels with forty games a level, and ask what went wrong in it.
#
# ## One move, two searches
#
# The engine searches the position before the move and the position after it. Each score is
# that of the side to move, which has changed: both are turned to the player who moved. What the
# first exceeds the second by is lost. A mate in n counts as 10,000 − n centipawns, so that a
# single overlooked mate outweighs any number of quiet moves; cut at ten pawns first, it does
# not. Try `"Nf6"`, which defends, or a position of your own.
#
# One trap lies here. The search ends when its nodes are used up, which may be in the middle of an
# iteration: what the engine says last is then a *bound* on the value, "at least" or "at most" so
# much, after one or two moves. The last line that is no bound is the one to read.

# %%
BOUNDS = {"lowerbound", "upperbound"}


def said(stockfish, board, nodes):
    """Return all that the engine says of a position that has a score, in its order."""
    limit = chess.engine.Limit(nodes=nodes)
    with stockfish.analysis(
        board, limit, game=object()
    ) as search:  # a game of its own: empty hash
        return [info for info in search if "score" in info]


def last_exact(infos):
    return [info for info in infos if not BOUNDS & info.keys()][-1]


board = position.board()
mover = board.turn
with chess.engine.SimpleEngine.popen_uci(str(engine.find_stockfish())) as stockfish:
    stockfish.configure({"Threads": 1, "Hash": 16})
    before = last_exact(said(stockfish, board, 20_000))["score"]
    board.push(played.move)
    after = last_exact(said(stockfish, board, 20_000))["score"]
print(f"{before = }\n{after = }")

# %%
evaluations = np.array([score.pov(mover).score(mate_score=10_000) for score in (before, after)])
evaluations_cut = np.clip(evaluations, -1_000, 1_000)
loss_uncut = max(0, evaluations[0] - evaluations[1])
loss_cut = max(0, evaluations_cut[0] - evaluations_cut[1])
print(f"{evaluations = }, {evaluations_cut = }")
print(
    f"{played.numbered_san} loses {loss_cut:,} centipawns, cut at ten pawns, a move graded "
    f"{mistake_class(loss_cut)}; {loss_uncut:,} if a mate is not cut"
)

# %% mystnb={"figure": {"caption": "Centipawn loss of one move from two engine calls: the mover's evaluation before and after it, cut at ten pawns (left) and not cut (right).", "name": "fig-10-one-move"}, "image": {"alt": "Two pairs of bars, before and after the move."}}
fig, axes = plt.subplots(1, 2, figsize=(7.0, 2.6))
for ax, values, title in zip(
    axes, (evaluations_cut, evaluations), ("cut at ten pawns", "not cut"), strict=True
):
    ax.bar(["before", f"after {played.numbered_san}"], values, color=["#0072B2", "#D55E00"])
    ax.axhline(0, color="black", lw=0.8)
    ax.set_title(f"{title}: loss {max(0, values[0] - values[1]):,}")
axes[0].set_ylabel("centipawns for the mover")
plt.show()

# %% [markdown]
# The library's engine makes the same two calls, each from an empty hash table, and
# `centipawn_loss` takes the difference.

# %%
with engine.open_engine() as stockfish:
    scores = [
        score_of(stockfish.analyse(where, nodes=20_000)) for where in (position, played.after())
    ]
library_values = [centipawns(score, mover) for score in scores]
library_losses = {
    "cut at ten pawns": engine.centipawn_loss(*library_values),
    "not cut": engine.centipawn_loss(*library_values, cap=None),
}
assert library_values == evaluations.tolist()
assert list(library_losses.values()) == [loss_cut, loss_uncut]
losses = pd.DataFrame(
    {"cells above": [loss_cut, loss_uncut], "library": library_losses.values()},
    index=list(library_losses),
)
report.table(losses, caption="Centipawns lost", digits=0)

# %% tags=["hide-input"]
folder = data_folder()
settings = grading.Settings()
sets = read_known_sets()
kept = grading.read_tables(grading.tables_path(folder, settings))
known = sets.positions()
found = grading.find_tables(known, settings, {} if fresh else kept, default_store())
moves = graded_moves(dict(zip(map(position_key, known), found, strict=True)))
print(f"{len(known)} positions, {len(moves):,} moves valued")

# %% [markdown]
# ## One position, every move
#
# Two searches, as above and in the plan, see different things, and a move can then *gain* what only
# the second one saw. From here on both values come from the same kind of search: Stockfish lists
# its five best moves in one search of 20,000 nodes, and the other moves are searched five at a time
# with as many nodes. The best is the highest value of all, so that no loss is negative. Once a
# position has its table, any answer is graded by looking it up.
#
# This is the plan's own example: 1. e4 has been played. The plan expects ...e5 to be good and
# ...a6 to be bad.

# %%
plan_pair = sets.pairs[0]
plan_moves = moves.loc[position_key(plan_pair.position)]
plan_board = plan_pair.position.board()
shown = plan_moves[["value", "loss", "win_loss", "rank", "grade"]].rename(
    columns={"win_loss": "win chance lost"},
    index=lambda uci: plan_board.san(plan_board.parse_uci(uci)),
)
report.boards(
    report.board(plan_pair.position, size=260),
    report.table(shown.sort_values("value", ascending=False)),
)

# %% [markdown]
# Values are centipawns for the side that moves. A rank of 6 stands for any move outside the
# five best. Grades follow the plan: up to 10 centipawns lost is Excellent, up to 30 Good, 60 an
# Inaccuracy, 100 a Mistake, more a Blunder. Before a loss is taken both values are cut at ten
# pawns, so that a slower mate or a queen more in a won game is no blunder; the chance to win
# that a move gives away (by Lichess's curve) is kept beside it, since a pawn matters less when
# a rook is won. With ...a6 Black loses {glue:text}`plan_bad:.0f` centipawns, with ...e5
# {glue:text}`plan_good:.0f`.

# %% tags=["hide-input"]
report.paste(
    plan_good=plan_moves.loc[plan_pair.good, "loss"],
    plan_bad=plan_moves.loc[plan_pair.bad, "loss"],
)

# %% [markdown]
# ## Moves of which one is known to be better
#
# The plan's pair is one case. For more, the good move must be known without the grader. The
# opening book knows one: its favourite, against a legal move that loses a piece by static
# exchange. Composers know another: the first move of a mate, against another legal move drawn
# by lot. A pair is *right* if the good move loses less, *tied* if the cap hides the difference
# (when everything wins), *wrong* otherwise.


# %%
def losses_of(known, column):
    """Return what a move of each row loses, by the table of its position."""
    keys = [(position_key(row.position), getattr(row, column)) for row in known]
    return moves.loc[keys, "loss"].to_numpy()


paired = pd.DataFrame(
    {
        "source": [pair.source for pair in sets.pairs],
        "good": losses_of(sets.pairs, "good"),
        "bad": losses_of(sets.pairs, "bad"),
    },
    index=[pair.name for pair in sets.pairs],
)
paired["verdict"] = np.select(
    [paired["good"] < paired["bad"], paired["good"] == paired["bad"]],
    ["right", "tied"],
    "wrong",
)
verdicts = pd.crosstab(paired["source"], paired["verdict"])
verdicts = verdicts.reindex(columns=["right", "tied", "wrong"], fill_value=0)
report.table(verdicts.assign(pairs=verdicts.sum(axis=1)))

# %%
decided = paired[paired["verdict"] != "tied"]
right = mean_interval(paired["verdict"] == "right", seed=seed)
right_decided = mean_interval(decided["verdict"] == "right", seed=seed)
wrong = paired[paired["verdict"] == "wrong"]
report.table(
    wrong[["source", "good", "bad"]]
    if len(wrong)
    else pd.DataFrame({"pairs in the wrong order": [0]}),
    caption="What is wrong",
    digits=0,
)

# %% [markdown]
# ## The board turned round
#
# A grade must not depend on the colour of the pieces. Each position is searched as it is and
# with colours exchanged, without its history. The network's verdict on the two is the same; the
# search goes through the moves in another order, and at a fixed number of nodes that is enough
# to change a loss by some centipawns. So the tables here and in the next chapter hold the *mean*
# of both searches, which is the same from either colour by the way it is made. What is left of
# the uncertainty shows when the mean itself is taken with twice the nodes.

# %%
files = levels.read_level_games(folder / "games.tsv.zst")
games = {level: some[: sizes.games] for level, some in files.items()}
suite = read_suite(folder / "suite.json")
chosen = suite[suite["number"] < sizes.games]
turned = chosen.iloc[:: max(1, len(chosen) // sizes.mirrored)]
limit_turned = grading.Settings(sizes.nodes)
limit_doubled = grading.Settings(2 * sizes.nodes)
other_side = str.maketrans("12345678", "87654321")  # a square seen from across the board


def table_of(stockfish, board, uci, limit=limit_turned):
    return grading.analyse_moves(stockfish, positions.Position(board.fen()), limit, [uci])


def loss_and_grade(table, uci):
    return graded_moves({"": table}).loc[("", uci), ["loss", "grade"]]


rows = []
with engine.open_engine() as stockfish:
    for row in turned.itertuples():
        board = chess.Board(row.fen)
        across = row.played.translate(other_side)
        plain = table_of(stockfish, board, row.played)
        exchanged = table_of(stockfish, board.mirror(), across)
        doubled = grading.mean_table(
            table_of(stockfish, board, row.played, limit_doubled),
            table_of(stockfish, board.mirror(), across, limit_doubled),
        )
        rows.append(
            (
                *loss_and_grade(plain, row.played),
                *loss_and_grade(exchanged, across),
                loss_and_grade(grading.mean_table(plain, exchanged), row.played)["grade"],
                loss_and_grade(doubled, row.played)["grade"],
            )
        )
mirror = pd.DataFrame(
    rows,
    columns=[
        "loss",
        "grade",
        "loss exchanged",
        "grade exchanged",
        "grade of the mean",
        "grade of the mean, doubled",
    ],
)

# %%
difference = (mirror["loss"] - mirror["loss exchanged"]).abs()
same_turned = mean_interval(mirror["grade"] == mirror["grade exchanged"], seed=seed)
same_doubled = mean_interval(
    mirror["grade of the mean"] == mirror["grade of the mean, doubled"], seed=seed
)
report.sheet(
    "as it is against colours exchanged",
    {
        "moves": len(mirror),
        "same grade by one search each": same_turned,
        "same grade by the mean and the mean of twice the nodes": same_doubled,
        "median difference of the losses, centipawns": float(difference.median()),
        "mean difference of the losses, centipawns": float(difference.mean()),
    },
)

# %% [markdown]
# ## What a search says last
#
# How often does it matter? Two hundred positions of our games are searched with three limits. On the
# left, what was said last of all; on the right, the last line that is no bound.

# %%
selfplay = read_games(find_project() / "data/games/selfplay.tsv.zst", 2_000)
sampled = [game for number, game in enumerate(selfplay) if not number % 10][: sizes.lines]
asked = [positions.Position.after(game.moves[: len(game.moves) * 2 // 3]) for game in sampled]
streams = {}
with chess.engine.SimpleEngine.popen_uci(str(engine.find_stockfish())) as stockfish:
    stockfish.configure({"Threads": 1, "Hash": 16})
    for nodes in (1_000, 5_000, 20_000):
        streams[nodes] = [said(stockfish, where.board(), nodes) for where in asked]

whole = {}
ends_on_bound = {}
for nodes, searches in streams.items():
    last = [infos[-1] for infos in searches]
    exact = [last_exact(infos) for infos in searches]
    ends_on_bound[nodes] = float(np.mean([bool(BOUNDS & info.keys()) for info in last]))
    for name, lines in (("said last", last), ("last exact", exact)):
        whole[nodes, name] = np.array([len(info["pv"]) >= 3 for info in lines])
long_enough = pd.DataFrame(
    {
        f"{nodes:,} nodes": {
            "ends on a bound": ends_on_bound[nodes],
            "three plies or more, said last": whole[nodes, "said last"].mean(),
            "three plies or more, last exact": whole[nodes, "last exact"].mean(),
        }
        for nodes in streams
    }
).T
report.table(long_enough, caption=f"{len(asked)} positions: what is left of the line")

# %%
exact_lines = {
    str(nodes): mean_interval(whole[nodes, "last exact"].astype(float), seed=seed)
    for nodes in streams
}
bounded = next(infos for infos in streams[20_000] if BOUNDS & infos[-1].keys())
report.table(
    pd.DataFrame(
        {
            "depth": [info["depth"] for info in bounded],
            "value": [info["score"].relative.score(mate_score=10_000) for info in bounded],
            "bound": [" ".join(BOUNDS & info.keys()) for info in bounded],
            "plies": [len(info["pv"]) for info in bounded],
        }
    ).tail(4),
    caption="The end of one search of 20,000 nodes: the last row is no line",
)

# %% [markdown]
# ## How much to search
#
# The plan's grader searches to depth 18 for at most two seconds. What two seconds find depends
# on the machine, so the time is left out. Below, the move really played and another drawn by lot
# are graded at several limits, by one search from their own colour. *Same grade* compares a limit
# with the one in the heading. The last column asks whether more search is better search: how much,
# by the deepest grader, the move loses that each limit takes for the best.

# %%
some, few = suite[suite["number"] < OTHER_GAMES], suite[suite["number"] < DEPTH_GAMES]
names = dict(zip(map(position_key, positions_of(some, files)), some["name"], strict=True))
graded_at = {}
for setting in (settings, *grading.OTHER_NODES, grading.PLAN_DEPTH):
    tables = grading.read_tables(grading.tables_path(folder, setting))
    graded_at[setting.label] = graded_moves(
        {name: tables[key] for key, name in names.items() if key in tables}
    )


# %%
def compare(asked, first, second):
    """Compare two limits on the move played and one drawn by lot in each position."""
    drawn = asked.assign(uci=compared_moves(asked)).explode("uci")
    both = graded_at[first].join(graded_at[second], rsuffix=" other", how="inner")
    both = both[both.index.isin(pd.MultiIndex.from_frame(drawn[["name", "uci"]]))]
    steps = (both["mark"] - both["mark other"]).abs()
    best = graded_at[first].loc[list(asked["name"])].query("rank == 1").index
    return {
        "moves": len(both),
        "same grade": (steps == 0).mean(),
        "within one grade": (steps <= 1).mean(),
        "rank correlation": spearmanr(both["loss"], both["loss other"]).statistic,
        "mean difference": (both["loss"] - both["loss other"]).abs().mean(),
        "best by the other": graded_at[second]["loss"].reindex(best).mean(),
    }


node_limits = sorted((settings, *grading.OTHER_NODES), key=lambda setting: setting.nodes)
deepest = node_limits[-1].label
limits = pd.DataFrame(
    {limit.label: compare(some, limit.label, deepest) for limit in node_limits}
).T
report.table(limits, caption=f"Against {deepest}")

# %%
depth = compare(few, settings.label, grading.PLAN_DEPTH.label)
report.table(pd.DataFrame({f"{settings.label} against the plan's depth 18": depth}))

# %% tags=["hide-input"]
best_falls = limits["best by the other"].to_numpy()
report.paste(
    same_depth=depth["same grade"],
    within_depth=depth["within one grade"],
    rank_depth=depth["rank correlation"],
    best_least=best_falls[0],
    best_used=limits.loc[settings.label, "best by the other"],
)

# %% [markdown]
# Against depth 18, {glue:text}`same_depth:.0%` of moves get the same grade,
# {glue:text}`within_depth:.0%` the same or the next one, and the losses' rank correlation is
# {glue:text}`rank_depth:.2f`. The first choice at the smallest limit loses
# {glue:text}`best_least:.1f` centipawns by the deepest table, that of the limit we use
# {glue:text}`best_used:.1f`. A single grade near a bound is therefore uncertain; means over
# many moves are what the next chapter reads.

# %% [markdown]
# ## One verdict, and when it is stable
#
# The plan's grades belong to its tables. In what is said to a reader one number should speak: a
# pawn is much in a level game and little where a rook is won. Lichess turns centipawns into the
# chance to win by a curve fitted to its games. A move that gives away 5 points of it is an
# inaccuracy, 10 a mistake, 15 a blunder; a mate let slip or allowed has bounds of its own. In this
# book the word for a move, its glyph and the words for the standing come from that curve. One thing
# is added: where the mover is winning, or losing, with either move, none is an inaccuracy.
#
# A class is only as good as the search behind it. Here is one move at more and more nodes.


# %%
def lichess_chance(centipawns):
    """Return the chance to win, 0 to 1 (lila, WinPercent)."""
    return 1 / (1 + np.exp(-0.00368208 * np.clip(centipawns, -1_000, 1_000)))


notes = find_project() / "data" / "notes"
by_nodes = pd.read_csv(notes / "verdicts_by_nodes.tsv", sep="\t")
shown = by_nodes[by_nodes["san"] == "33. c3+"].iloc[0]
doubtful = positions.MoveInContext(positions.Position(shown["fen"]), shown["move"])
mover = doubtful.mover
searched = []
with chess.engine.SimpleEngine.popen_uci(str(engine.find_stockfish())) as stockfish:
    stockfish.configure({"Threads": 1, "Hash": 16})
    for nodes in sizes.doubled:
        board = doubtful.position.board()
        best = last_exact(said(stockfish, board, nodes))
        board.push(doubtful.move)
        after = last_exact(said(stockfish, board, nodes))
        values = [info["score"].pov(mover).score(mate_score=10_000) for info in (best, after)]
        lost = 0.0 if best["pv"][0] == doubtful.move else np.subtract(*lichess_chance(values))
        searched.append(
            (
                nodes,
                best["depth"],
                doubtful.position.board().san(best["pv"][0]),
                *values,
                max(0.0, lost),
            )
        )
columns = ["nodes", "depth", "best", "value before", "value after", "chance lost"]
report.boards(
    report.board(doubtful, size=260),
    report.table(
        pd.DataFrame(searched, columns=columns).set_index("nodes"),
        caption=doubtful.numbered_san,
    ),
)

# %% [markdown]
# The library gives all nodes to one line and doubles them before and after the move, from
# {glue:text}`least_nodes:,` each, until two searches running agree in the glyph and in how the mover
# stood before the move, the chance given away stands {glue:text}`margin:.0%` clear of every bound of
# a class, and what the search before the move says of it is not an inaccuracy's worth away from what
# the search after it says. It stops at {glue:text}`most_nodes:,` in any case. One search of five
# lines then says what else there was.


# %%
def analyse(asked, nodes, lines):
    return [stockfish.analyse(each, nodes=nodes, multipv=lines) for each in asked]


with engine.open_engine() as stockfish:
    ((first, last),) = facts.search([doubtful], analyse, sizes.until_stable)
verdict = facts.weigh(doubtful, first, last)
report.sheet(
    f"{doubtful.numbered_san}{verdict.glyph}",
    {
        "class": verdict.judgement,
        "chance lost": verdict.win_chance_lost,
        "before": verdict.standing_before,
        "after": verdict.standing,
        "nodes, both positions": verdict.nodes,
        "depth": verdict.depth,
    },
)

# %% mystnb={"figure": {"caption": "Lichess's curve from pawns to the chance to win (left), and what moves are said to lose as the search grows (right). Dotted lines are the bounds of the classes.", "name": "fig-10-win-chance"}, "image": {"alt": "An S-shaped curve beside many grey lines over nodes, three of them in colour."}}
fig, axes = plt.subplots(1, 2, figsize=(7.0, 2.8))
pawns = np.linspace(-10, 10, 201)
axes[0].plot(pawns, lichess_chance(100 * pawns))
axes[0].set(xlabel="pawns", ylabel="chance to win", ylim=(0, 1))
for san, row in by_nodes.groupby("san", sort=False):
    axes[1].plot(row["nodes"], row["lost"], color="0.8", lw=0.8, zorder=1)
    if san in ("33. c3+", "19. e5", "7... h6"):
        axes[1].plot(row["nodes"], row["lost"], marker="o", ms=3, label=san, zorder=2)
for bound in (0.05, 0.10, 0.15):
    axes[1].axhline(bound, color="black", lw=0.6, ls=":")
axes[1].set(xscale="log", xlabel="thousand nodes in each position", ylabel="chance lost")
axes[1].set_xticks(by_nodes["nodes"].unique(), by_nodes["nodes"].unique() // 1_000, minor=False)
axes[1].minorticks_off()
axes[1].legend()
fig.tight_layout()
plt.show()

# %% [markdown]
# Dotted lines are the bounds of the classes; grey are {glue:text}`shown_moves` moves by which a
# first search was chosen. It divided its nodes among five lines and agreed badly with longer ones on
# {glue:text}`first_moves` other moves; by these the search of one line was chosen. It was frozen
# (SHA-256 {glue:text}`search`…) before {glue:text}`drawn_moves` fresh moves of the same famous games
# were drawn: half give away little by a first look (*quiet*), half at least an inaccuracy (*losing*).
# {glue:text}`longer_moves` of them were searched until stable and then thirty times longer. A trivial
# answer needs no search: the class that is commonest in the long one, and never a glyph.

# %%
order = {name: place for place, name in enumerate(get_args(Judgement))}


def agreements(said, found):
    """Return where two series of places agree in class, in glyph, and but for one class."""
    return pd.DataFrame(
        {
            "class": said == found,
            "within one": (said - found).abs() <= 1,
            "glyph": said.clip(lower=1) == found.clip(lower=1),
        }
    )  # best, good: none


def agreement(hits, table):
    """Return the share of hits with its interval over games, by name and by half of the draw."""
    found = {name: mean_interval(hits[name], table["game"], seed=seed) for name in hits}
    return found | {
        f"class, {half}": mean_interval(row, seed=seed)
        for half, row in hits["class"].groupby(table["half"])
    }


drawn = pd.read_csv(notes / "verdicts_fresh.tsv", sep="\t")
longer = drawn.dropna(subset="long_judgement")
known_before = pd.read_csv(notes / "verdicts.tsv", sep="\t").dropna(subset="long_judgement")
found = longer["long_judgement"].map(order)
commonest = longer["long_judgement"].mode()[0]
same = agreements(longer["judgement"].map(order), found)
easy = agreements(0 * found + order[commonest], found)
easy["glyph"] = found <= order["good"]
stable = agreement(same, longer)
trivial = agreement(easy, longer)

known_found = known_before["long_judgement"].map(order)
known_same = {
    reading: agreements(known_before[f"{prefix}judgement"].map(order), known_found)
    for reading, prefix in (("exact", ""), ("bound", "bound_"))
}
known_stable = {reading: agreement(hits, known_before) for reading, hits in known_same.items()}
exact_gains = paired_difference(
    known_same["exact"]["class"], known_same["bound"]["class"], known_before["game"], seed=seed
)
moved = (longer["lost"] - longer["long_lost"]).abs()
report.boards(
    report.table(
        pd.DataFrame({"stable": stable, f"always {commonest}; no glyph": trivial}),
        caption=f"{len(longer)} fresh moves: the same in a search thirty times longer",
    ),
    report.table(
        pd.crosstab(longer["judgement"], longer["long_judgement"]).reindex(
            index=list(order), columns=list(order), fill_value=0
        ),
        caption="Until stable (rows), thirty times longer (columns)",
    ),
    report.sheet(
        "the searches",
        {
            "median change of the chance lost": float(moved.median()),
            "median nodes until stable": float(longer["nodes"].median()),
            "searched to the limit": float((longer["nodes"] >= MOST_NODES).mean()),
        },
    ),
)

# %% [markdown]
# {glue:text}`known_moves` other moves had been drawn before, when the last line of a search was taken
# whether it was a bound or not. They are searched once more by the same rule, and the last exact line
# is read. (The longer searches beside them are those of that time.) The difference in the class,
# exact less bound, is {glue:text}`exact_gains`.

# %%
report.table(
    pd.DataFrame(
        {
            "any last line": known_stable["bound"],
            "last exact line": known_stable["exact"],
        }
    ),
    caption=f"{len(known_before)} moves known before: the same in a search thirty times longer",
)

# %% [markdown]
# How many nodes does it take? The {glue:text}`first_moves` moves by which the search was chosen, with
# one line in each position and as many nodes as are said; and how the first search did on them.

# %%
first_search = pd.read_csv(notes / "verdicts_first.tsv", sep="\t")
single = pd.read_csv(notes / "verdicts_single.tsv", sep="\t").merge(
    first_search[["game", "ply", "long_judgement"]], on=["game", "ply"]
)
single["said"], single["found"] = (
    single[name].map(order) for name in ("judgement", "long_judgement")
)
with_nodes = {
    nodes: agreements(rows["said"], rows["found"]).apply(
        lambda hits, games=rows["game"]: mean_interval(hits, games, seed=seed)
    )
    for nodes, rows in single.groupby("nodes")
}
divided = agreements(
    first_search["judgement"].map(order), first_search["long_judgement"].map(order)
)
by_search = pd.DataFrame(with_nodes).T.rename("{:,}".format)
by_search.loc["five lines, until stable"] = divided.apply(
    lambda hits: mean_interval(hits, first_search["game"], seed=seed)
)
report.table(
    by_search.rename_axis("nodes in each position"),
    caption="One line: the same as in the longest search, by nodes",
)

# %% tags=["hide-input"]
ahead = [
    name
    for name in ("class", "glyph")
    if paired_difference(same[name], easy[name], longer["game"], seed=seed).low > 0
]
glyphs = (
    f"the glyph in {stable['glyph'].value:.0%}, never giving one in "
    f"{trivial['glyph'].value:.0%}"
)
verdict_says = (
    f"Of {len(longer)} fresh moves judged by the chance to win and searched until stable, the class is "
    f"that of a search thirty times longer in {stable['class'].value:.0%} (from "
    f"{stable['class'].low:.0%} to {stable['class'].high:.0%}), “{commonest}” without any search "
    f"in {trivial['class'].value:.0%}; {glyphs}. "
    + (
        f"The search is better than the trivial answer in the {' and the '.join(ahead)}."
        if ahead
        else "That a stable search foresees a longer one is not shown by these moves."
    )
    + " Near a bound no search that one waits for is sure."
)
report.paste(
    least_nodes=LEAST_NODES,
    most_nodes=MOST_NODES,
    margin=MARGIN,
    drawn_moves=len(drawn),
    known_moves=len(known_before),
    exact_gains=f"{exact_gains.value:+.2f} [{exact_gains.low:.2f}, {exact_gains.high:.2f}]",
    first_moves=len(first_search),
    search=drawn["search"][0],
    shown_moves=by_nodes["san"].nunique(),
    longer_moves=len(longer),
    verdict_says=verdict_says,
)

# %% [markdown]
# ## What lecturers said
#
# The lectures' authors annotate some moves with `!` or `?`, or begin a comment with words such
# as "very strong" or "the decisive mistake". A rule reads the beginning of the comment alone.
# People praise beautiful moves and blame instructive ones, not the first move of an engine's
# list; but a grader that knew nothing of what they see would not tell the two groups apart.

# %%
lecturers = [move for move, _ in sets.judged]
judged = moves.loc[[(position_key(move.position), move.move) for move in lecturers]]
judged = judged.assign(
    praised=[praised for _, praised in sets.judged],
    lecture=[move.name.split(".")[0] for move in lecturers],
)
by_word = judged.groupby("praised")
words = pd.DataFrame(
    {
        "moves": by_word.size(),
        "mean loss": by_word["loss"].mean(),
        "median loss": by_word["loss"].median(),
        "win chance lost": by_word["win_loss"].mean(),
        "Excellent or Good": by_word["grade"].agg(lambda g: g.isin(MOVE_GRADES[:2]).mean()),
    }
).rename(index={True: "praised", False: "blamed"})
report.table(words)


# %%
def cliffs_delta(first, second):
    """Return how much oftener the first is larger than the second, -1 to 1 (Cliff 1993)."""
    return 2 * mannwhitneyu(first, second).statistic / (len(first) * len(second)) - 1


apart = area_under_curve(
    judged["loss"], ~judged["praised"].to_numpy(), judged["lecture"], seed=seed
)
delta = cliffs_delta(judged["loss"][~judged["praised"]], judged["loss"][judged["praised"]])
report.sheet(
    "do losses tell them apart?",
    {"a blamed move loses more than a praised one": apart, "Cliff's delta": delta},
)

# %% [markdown]
# ## The plan's table again
#
# Stockfish played itself at `Skill Level` 5, 10, 15, 18 and 20, five thousand nodes a move,
# forty games a level from the same forty openings, to the end. Every position was then searched
# once, with 20,000 nodes, as the plan does it: a move's loss is the value before it less the
# value after it. The second search often sees more and then finds a *higher* value. Such a move
# counts as a loss of nothing, so that the mean holds, beside what was played badly, what two
# searches differ by. Without this floor (*signed*) that cancels out as far as it is as often up
# as down; what the first search overlooked is then credited to the player. Both are shown. The
# option draws its mistakes from the clock, so the games are stored; they cannot be played again.
# The plan analysed one game a level.

# %%
every = [game for some_games in games.values() for game in some_games]
stored = levels.read_values(folder / "level_values.tsv.zst")
values = [stored[game.key] for game in every]
cut = levels.move_losses(every, values)
means = means_by(cut, ["level", "side"], "loss", cluster="game", seed=seed).unstack()
means["both"] = means_by(cut, "level", "loss", cluster="game", seed=seed)
signed = means_by(cut, "level", "signed", cluster="game", seed=seed)
plan = reference.table("static_positions", "results").set_axis(levels.LEVELS)
table = pd.DataFrame(
    {
        **{f"plan: {name}": plan[f"{name} Avg CP Loss"] for name in ("White", "Black")},
        "plan: overall": plan["Overall Avg"],
        **{name: means[name].map("{:.1f}".format) for name in ("White", "Black", "both")},
        "both, signed": signed.map("{:.1f}".format),
        "moves": means["both"].map(lambda mean: mean.n),
    }
)
report.table(table, caption="Mean centipawn loss by Skill Level", digits=1)

# %% mystnb={"figure": {"caption": "Mean centipawn loss of each level with 95 % intervals, signed and cut at zero, beside the plan's single games. Point at a level, or choose one, for its numbers.", "name": "fig-10-level-losses"}}
fig, ax = plt.subplots(figsize=(7.0, 3.0))
centre = means["both"].map(lambda mean: mean.value)
ends = [
    centre - means["both"].map(lambda mean: mean.low),
    means["both"].map(lambda mean: mean.high) - centre,
]
ax.errorbar(range(len(means)), centre, yerr=ends, fmt="o", capsize=3, label="here")
ax.plot(range(len(means)), signed.map(lambda mean: mean.value), "_", label="here, signed")
ax.plot(range(len(means)), plan["Overall Avg"], "x", label="plan, one game")
said_of = {}
for place, (level, mean) in enumerate(means["both"].items()):
    ax.plot(place, mean.value, "o", color="C0", gid=f"point-{level}")
    said_of[str(level)] = (
        f"level {level}: loses {mean:.1f} centipawns a move ({mean.n:,} moves), "
        f"{signed[level].value:.1f} signed; in the plan's game {plan.loc[level, 'Overall Avg']}"
    )
ax.set_xticks(range(len(means)), [f"level {level}" for level in means.index])
ax.set(ylabel="centipawns lost a move", ylim=(0, None))
ax.legend()
report.choosable(
    fig,
    said_of,
    "Level",
    alt="Points with intervals falling from low to high levels, dashes and crosses beside them.",
    start="20",
    slider=True,
)


# %%
def drawn_means(moves, column):
    """Return mean losses of resampled games, one column a level: (resamples, 5)."""
    sums = moves.groupby(["level", "game"])[column].agg(["sum", "size"])
    drawn = {}
    for level, played_games in sums.groupby(level=0):
        weights = cluster_weights(len(played_games), seed=seed + level)
        drawn[level] = weights @ played_games["sum"] / (weights @ played_games["size"])
    return pd.DataFrame(drawn)


def order_interval(moves, column):
    """Return Spearman's rank correlation of level and mean loss, resampling each level's games."""
    drawn = drawn_means(moves, column).to_numpy()
    samples = [spearmanr(levels.LEVELS, row).statistic for row in drawn]
    value = spearmanr(levels.LEVELS, moves.groupby("level")[column].mean()).statistic
    games_of = moves.groupby("level")["game"].nunique()
    return percentile_interval(float(value), samples, games_of.sum(), clusters=games_of.min())


more = levels.read_level_games(folder / "more_games.tsv.zst")
close = more[10] + more[15]
fresh = more[10][310:] + more[15][310:]  # with the forty, 350 each had been looked at
stored |= levels.read_values(folder / "more_values.tsv.zst")
all_cut = pd.concat([cut, levels.move_losses(close, [stored[game.key] for game in close])])
holds = order_interval(all_cut, "loss")
signed_holds = order_interval(all_cut, "signed")


def falls(moves):
    """Return by how much more level 10 loses than level 15, with an interval over games."""
    two = moves[moves["level"].isin([10, 15])]
    drawn = drawn_means(moves, "loss")
    loss = two.groupby("level")["loss"].mean()
    played = two["game"].nunique()
    return percentile_interval(
        float(loss[10] - loss[15]), drawn[10] - drawn[15], played, clusters=played // 2
    )


falls_by = falls(all_cut)
two_games = len(close) + len(games[10]) + len(games[15])
fresh_by = falls(levels.move_losses(fresh, [stored[game.key] for game in fresh]))
plan_order = float(spearmanr(plan.index, plan["Overall Avg"]).statistic)
by_game = cut.groupby(["level", "game"])["loss"].mean()
steps = list(zip(levels.LEVELS[:-1], levels.LEVELS[1:], strict=True))
effects = pd.DataFrame(
    {
        f"{low} to {high}": {
            "loss falls by": float(centre[low] - centre[high]),
            "Cliff's delta": cliffs_delta(by_game[low], by_game[high]),
        }
        for low, high in steps
    }
).T
which = (
    f"In {two_games:,} games of both, level 10 loses {falls_by:.1f} centipawns more, in the "
    f"last {len(fresh):,} alone {fresh_by:.1f} ({fresh_by.low:.1f} to {fresh_by.high:.1f}): "
    + (
        "the order of the two is settled."
        if fresh_by.low > 0
        else "it is settled against the order of the names."
        if fresh_by.high < 0
        else "still too few to say which."
    )
)
report.paste(which_of_two=which)
report.boards(
    report.sheet(
        "rank correlation of level and loss",
        {
            "here": holds,
            "here, signed": signed_holds,
            "plan": plan_order,
            "games of levels 10 and 15": two_games,
            "level 10 loses more than 15 by": falls_by,
            f"the same, the last {len(fresh):,} games alone": fresh_by,
        },
    ),
    report.table(effects, caption="Between levels, by game"),
)

# %% [markdown]
# −1 is perfect order. Cliff's delta says how much oftener a game of the lower level loses more
# than one of the higher (0.15 is small, 0.33 medium, 0.47 large). Forty games leave open which of
# levels 10 and 15 loses more, so these two played more, from the next openings; they count here
# alone. At 350 games each the interval still held zero. How many more to play was then fixed, at
# 1,000 each, and these last games, which nobody had looked at, are the test.
# {glue:text}`which_of_two`
#
# ## What made the anomaly
#
# Three things can. *One game*: draw one of our games a level, as the plan did,
# {glue:text}`drawings:,` times, and count how often the order is wrong. *Mates*: the plan counts
# a mate as 10,000 centipawns and does not cut it, so that one missed mate outweighs a hundred
# quiet moves.
# *Length*: a long game holds many moves in which nothing can be lost, or many in a won ending
# where everything can.

# %%
uncut = levels.move_losses(every, values, cap=None)
single = {}
for name, losses in (("cut", cut), ("uncut", uncut)):
    random = np.random.default_rng(seed)
    by_level = losses.groupby(["level", "game"])["loss"].mean()
    single[name] = pd.DataFrame(
        {level: random.choice(by_level[level], sizes.resamples) for level in levels.LEVELS}
    )
worse = {name: (some[20] > some[[15, 18]].max(axis=1)).mean() for name, some in single.items()}
ordered = {
    name: (np.diff(some.to_numpy(), axis=1) < 0).all(axis=1).mean()
    for name, some in single.items()
}
report.table(
    pd.DataFrame({"level 20 worst of the last three": worse, "all five in order": ordered}).T,
    caption="Share of drawings of one game a level",
)

# %%
causes = pd.DataFrame(
    {
        "cut at 10 pawns": centre,
        "uncut": uncut.groupby("level")["loss"].mean(),
        "uncut, median game": uncut.groupby(["level", "game"])["loss"]
        .mean()
        .groupby("level")
        .median(),
        "uncut, worst game": uncut.groupby(["level", "game"])["loss"]
        .mean()
        .groupby("level")
        .max(),
        "moves beside a mate": uncut.groupby("level")["mate"].mean(),
        "their share of the uncut loss": uncut[uncut["mate"]].groupby("level")["loss"].sum()
        / uncut.groupby("level")["loss"].sum(),
        "plies a game": pd.Series(
            {n: np.mean([len(g.moves) for g in some]) for n, some in games.items()}
        ),
    }
)
report.table(causes, caption="Mean centipawn loss and what moves it")

# %% tags=["hide-input"]
gaps = uncut.groupby(["level", "game", "side"])["loss"].mean().unstack()
gap = (gaps["White"] - gaps["Black"]).abs()
printed = {side: plan.loc[10, f"{side} Avg CP Loss"] for side in ("White", "Black")}
gap_plan = abs(printed["White"] - printed["Black"])
lengths = pd.Series({game.key: len(game.moves) for game in every})
long_games = uncut.groupby("game")["loss"].mean().corr(lengths, method="spearman")
long_cut = cut.groupby("game")["loss"].mean().corr(lengths, method="spearman")
report.paste(
    gap_plan=gap_plan,
    gap_share=(gap[10] >= gap_plan).mean(),
    length_uncut=long_games,
    length_cut=long_cut,
)

# %% [markdown]
# The plan's level 10 game has one side lose {glue:text}`gap_plan:.0f` centipawns a move more
# than the other. Uncut, a gap as large is seen in {glue:text}`gap_share:.0%` of our games of
# that level. The rank correlation of a game's length with its mean loss is
# {glue:text}`length_uncut:.2f` uncut and {glue:text}`length_cut:.2f` cut.

# %% [markdown]
# ## Recap
#
# - {glue:text}`pairs` pairs of known moves: {glue:text}`right:.0%` in the right order,
#   {glue:text}`right_decided:.0%` of those that the cap does not tie.
# - With the colours exchanged {glue:text}`same_turned:.0%` of moves keep the grade that one search
#   gives; of the mean of both, with twice the nodes, {glue:text}`same_doubled:.0%`; against
#   the plan's depth 18, {glue:text}`same_depth:.0%`.
# - {glue:text}`verdict_says`
# - A move that a lecturer blames loses more than one he praises in
#   {glue:text}`apart:.0%` of pairs (from {glue:text}`apart_low:.0%` to
#   {glue:text}`apart_high:.0%`): only {glue:text}`blamed` moves are blamed,
#   {glue:text}`praised` praised{glue:text}`apart_says`.
# - With {glue:text}`games_per_level` games a level the rank correlation of level and loss is
#   {glue:text}`order:.2f` (from {glue:text}`order_low:.2f` to {glue:text}`order_high:.2f`); the
#   plan's single games gave {glue:text}`plan_order:.2f`.
# - A mean loss holds what two searches differ by: at level 20 it is
#   {glue:text}`loss_20:.1f` centipawns, and {glue:text}`signed_20:.1f` if moves after which the
#   value rises count as gains; the rank correlation is then {glue:text}`signed_order:.2f`.
# - With one game a level, level 20 comes out worst of the last three in
#   {glue:text}`worse_cut:.0%` of drawings with the cap and in {glue:text}`worse_uncut:.0%`
#   without it, and all five levels come out in order in {glue:text}`in_order:.0%`. That is how far
#   chance, and mates that are not cut, explain the plan's table.

# %% tags=["hide-input"]
report.paste(
    pairs=len(paired),
    right=right.value,
    right_decided=right_decided.value,
    same_turned=same_turned.value,
    same_doubled=same_doubled.value,
    apart=apart.value,
    apart_low=apart.low,
    apart_high=apart.high,
    blamed=(~judged["praised"]).sum(),
    praised=judged["praised"].sum(),
    apart_says="" if apart.low > 0.5 else ", too few to tell the two groups apart",
    loss_20=centre[20],
    signed_20=signed[20].value,
    signed_order=signed_holds.value,
    order=holds.value,
    order_low=holds.low,
    order_high=holds.high,
    plan_order=plan_order,
    games_per_level=sizes.games,
    drawings=sizes.resamples,
    in_order=ordered["cut"],
    worse_cut=worse["cut"],
    worse_uncut=worse["uncut"],
)

# %% tags=["hide-input"]
rows = report.rows
columns = {"both": "Overall Avg", "White": "White Avg CP Loss", "Black": "Black Avg CP Loss"}
acpl = {}
printed = {}
for level in levels.LEVELS:
    for side, column in columns.items():
        key = f"{level:02d}" + ("" if side == "both" else f".{side.lower()}")
        acpl[key] = means.loc[level, side]
        printed[key] = reference.lookup("static_positions", "results", f"skill_{level}", column)
report.save(
    "10_move_grading",
    rows(
        {"right": right, "right_of_decided": right_decided},
        "grading.pairs",
        unit="share of pairs",
    ),
    rows(
        {"same_grade": same_turned, "same_grade_doubled": same_doubled},
        "grading.mirror",
        unit="share of moves",
    ),
    rows(
        {
            "same_grade": report.Result(depth["same grade"], n=depth["moves"]),
            "rank_correlation": depth["rank correlation"],
        },
        "grading.depth18",
    ),
    *(
        rows(
            {"class_stable": some["class"], "glyph_stable": some["glyph"]},
            prefix,
            unit="share of moves",
        )
        for prefix, some in (
            ("verdict", stable),
            ("verdict.trivial", trivial),
            ("verdict.known", known_stable["exact"]),
            ("verdict.known.bound", known_stable["bound"]),
        )
    ),
    rows(
        {
            nodes: {"class_stable": some["class"], "glyph_stable": some["glyph"]}
            for nodes, some in with_nodes.items()
        },
        "verdict.one_line",
        unit="share of moves",
    ),
    rows(exact_lines, "engine.exact_lines", unit="share of positions"),
    rows(
        {str(nodes): share for nodes, share in ends_on_bound.items()},
        "engine.ends_on_bound",
        unit="share of positions",
    ),
    rows(apart, "grading.lecturers.told_apart", unit="share of pairs"),
    rows(int((~judged["praised"]).sum()), "grading.lecturers.blamed", unit="moves"),
    rows(len(MOVE_GRADES) - 1, "grades.bounds", unit="bounds between grades"),
    rows(
        {"order_holds": holds, "order_holds_signed": signed_holds},
        "levels",
        unit="rank correlation",
    ),
    rows(
        {"loss_10_less_15": falls_by, "loss_10_less_15_unseen": fresh_by},
        "levels",
        unit="centipawns",
    ),
    rows(
        {
            "level_20_worst": worse["cut"],
            "level_20_worst_uncut": worse["uncut"],
            "all_in_order": ordered["cut"],
        },
        "levels.one_game",
        unit="share",
    ),
    rows(acpl, "suite.acpl", unit="centipawns", reference=printed),
    rows(signed.rename("{:02d}".format), "suite.acpl_signed", unit="centipawns, gains counted"),
)

# %% tags=["hide-input"]
report.evidence(
    len(cut),
    "graded moves",
    seed,
    len(every),
    "95 % over games; shares Wilson, else bootstrap",
    {
        "Stockfish": f"15.1, {settings.nodes:,} nodes for five lines; "
        f"{levels.VALUE_NODES:,} for each position of a game",
        "games": f"Skill Level, {levels.GAME_NODES:,} nodes a move",
    },
)

# %% [markdown]
# ## Exercises
#
# **1. Another cap.** A loss is cut at ten pawns. Cut the values of `by_game`'s moves at 3, 10
# and 30 pawns (`levels.move_losses(every, values, cap=...)`, in centipawns) and rank the five
# levels. Does the order depend on the cap?

# %% tags=["solution", "hide-cell"]
# Mean loss of each level under four caps.
by_cap = {
    f"{cap / 100:g} pawns": levels.move_losses(every, values, cap=cap)
    .groupby("level")["loss"]
    .mean()
    for cap in (300, 1_000, 3_000)
}
by_cap["uncut"] = levels.move_losses(every, values, cap=None).groupby("level")["loss"].mean()
capped = pd.DataFrame(by_cap)
ordered_levels = {name: bool((np.diff(column) < 0).all()) for name, column in capped.items()}
print("falls from level to level:", ordered_levels)
report.table(capped, digits=1)

# %% tags=["check", "remove-cell"]
report.check(
    "One mean loss for each level, under each of the four caps: twenty numbers.",
    by_cap=by_cap,
)

# %% [markdown]
# **2. Games, not moves.** Level 20's interval rests on games. Compute the standard error of its
# mean loss as if all moves were independent, and over games. By what factor do they differ?

# %% tags=["solution", "hide-cell"]
# Two standard errors of the same mean.
strong = cut[cut["level"] == 20]
per_game = strong.groupby("game")["loss"].mean()
naive = strong["loss"].sem()
clustered = per_game.sem()
factor = float(clustered / naive)
report.sheet(
    "standard error, centipawns",
    {"over moves": naive, "over games": clustered, "factor": factor},
)

# %% tags=["check", "remove-cell"]
report.check(
    "The standard error of games' means over that of all moves, in `cut`, level 20.",
    factor=factor,
)

# %% [markdown]
# **3. How many games?** From the spread of games' means at levels 10 and 15, how many games of
# each would it take to tell a difference of two centipawns a move from none in four studies of
# five (two-sided, 5 %)?

# %% tags=["solution", "hide-cell"]
# Games a level, by the usual formula for two means.
import statsmodels.stats.power as power

both = all_cut[all_cut["level"].isin([10, 15])]
means_of = both.groupby(["level", "game"])["loss"].mean()
spread_of = float(np.sqrt(means_of.groupby("level").var().mean()))
wanted = power.TTestIndPower().solve_power(effect_size=2 / spread_of, power=0.8, alpha=0.05)
games_needed = int(np.ceil(wanted))
print(
    f"a game's mean varies by {spread_of:.1f} centipawns; {games_needed:,} games of each level"
)

# %% tags=["check", "remove-cell"]
report.check(
    "The spread is the root of the mean variance of games' means in `all_cut`, levels 10 "
    "and 15; the effect is two centipawns over it. A whole number, rounded up.",
    games_needed=games_needed,
)
