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
# Draw one game for each of Stockfish's five skill levels: they come out in order of strength in
# {glue:text}`in_order:.0f` % of drawings. {glue:text}`many_games_say`
#
# ```{glue:figure} losses
# :name: fig-10-level-losses
# Centipawns lost a move at five skill levels of Stockfish. Grey: each of our games; blue: their mean with a
# 95 % interval; dash: the mean if gains count too; cross: the plan's one game. Point at a level, or choose
# one, for its numbers.
# ```

# %% tags=["parameters", "hide-input"] mystnb={"code_prompt_show": "Parameters"}
profile = "book"
seed = 1
fresh = False

# %% tags=["hide-input"] mystnb={"code_prompt_show": "Imports, the games of five levels, and their picture"}
from typing import get_args
import chess
import chess.engine
import matplotlib.pyplot as plt
import numpy as np
import pandas as pd
from myst_nb import glue
from scipy.stats import spearmanr
from chessgloss import engine, facts, positions, report, stats
from chessgloss.book import reference
from chessgloss.book.profiles import load_sizes
from chessgloss.facts.verdict import LEAST_NODES, MARGIN, MOST_NODES, Judgement, mistake_class
from chessgloss.scores import centipawns, score_of
from chessgloss.skill import grading, levels, suite
from chessgloss.stats import mean_interval, means_by
from chessgloss.store import default_store, find_project

sizes = load_sizes("10_move_grading", profile)
report.use_house_style()

folder = suite.data_folder()
files = levels.read_level_games(folder / "games.tsv.zst")
games = {level: some[: sizes.games] for level, some in files.items()}
every = [game for some_games in games.values() for game in some_games]
stored = levels.read_values(folder / "level_values.tsv.zst")
values = [stored[game.key] for game in every]
cut = levels.move_losses(every, values)
game_means = cut.groupby(["level", "game"])["loss"].mean()
means = means_by(cut, ["level", "side"], "loss", cluster="game", seed=seed).unstack()
means["both"] = means_by(cut, "level", "loss", cluster="game", seed=seed)
signed = means_by(cut, "level", "signed", cluster="game", seed=seed)
plan = reference.table("static_positions", "results").set_axis(levels.LEVELS)

fig, ax = plt.subplots(figsize=(7.0, 2.1))
centre = means["both"].map(lambda mean: mean.value)
below = centre - means["both"].map(lambda mean: mean.low)
above = means["both"].map(lambda mean: mean.high) - centre
at = range(len(means))
for place, level in enumerate(means.index):
    of_games = game_means[level].sort_index().to_numpy()
    across = place + np.linspace(-0.3, 0.3, len(of_games))
    label = None if place else "one game"
    ax.plot(across, of_games, ".", color="0.75", ms=4, zorder=1, label=label)
ax.errorbar(at, centre, yerr=[below, above], fmt="o", capsize=3, label="mean of all games")
ax.plot(at, signed.map(lambda mean: mean.value), "_", label="gains counted")
ax.plot(at, plan["Overall Avg"], "x", label="the plan's game")
said_of = {}
for place, (level, mean) in enumerate(means["both"].items()):
    ax.plot(place, mean.value, "o", color="C0", gid=f"point-{level}", zorder=3)
    said_of[str(level)] = (
        f"level {level}: loses {mean:.1f} centipawns a move ({mean.n:,} moves), "
        f"{signed[level].value:.1f} if gains count; in the plan's game {plan.loc[level, 'Overall Avg']}"
    )
ax.set_xticks(at, [f"level {level}" for level in means.index])
ax.set(ylabel="centipawns lost a move", ylim=(0, None))
ax.legend(ncols=2)
picture = report.choosable(
    fig,
    said_of,
    "Level",
    alt="A grey cloud of games for each level; the means fall from low to high levels, and the "
    "plan's crosses do not.",
    start="20",
    slider=True,
)
glue("losses", picture, display=False)

# %% [markdown]
# A program grades a move by what it loses: the value of the engine's best move less the value of
# the move played, in centipawns (hundredths of a pawn). The plan for static positions graded the
# moves of one game at each level, and level 20, the strongest, looked worse than levels 15 and 18.
# The games here are Stockfish against itself at reduced skill. The grader puts {glue:text}`right:.0f` %
# of pairs of a good and a bad move in the right order.
#
# ## One move, two searches
#
# After 1. e4 e5 2. Bc4 Nc6 3. Qf3 White threatens mate on f7. Black plays {glue:text}`played_san`.
# The engine searches the position before the move and the one after it. Both scores are turned to
# the player who moved; the loss is the first less the second. A mate in n counts as 10,000 − n
# centipawns. Capped at ten pawns, one overlooked mate does not outweigh a hundred quiet moves.
#
# There is one trap. A search that ends in the middle of an iteration reports a *bound* on the value
# ("at least" or "at most" so much). The last line that is no bound is the one to read. Try `"Nf6"`,
# which defends.

# %%
position = positions.read_fen(
    "r1bqkbnr/pppp1ppp/2n5/4p3/2B1P3/5Q2/PPPP1PPP/RNB1K1NR b KQkq - 3 3"
)
played = positions.read_move(position, "Nd4")
report.paste(played_san=played.san)
report.board(played, size=210)

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

# %% tags=["hide-cell"] mystnb={"code_prompt_show": "The library's engine, with the same two calls, loses as much"}
# The library's engine makes the same two calls, each from an empty hash table.
with engine.open_engine() as stockfish:
    scores = [
        score_of(stockfish.analyse(where, nodes=20_000)) for where in (position, played.after())
    ]
library_values = [centipawns(score, mover) for score in scores]
library_losses = [engine.centipawn_loss(*library_values, cap=cap) for cap in (1_000, None)]
assert library_values == evaluations.tolist()
assert library_losses == [loss_cut, loss_uncut]
print(f"{library_values = }, {library_losses = }")

# %% [markdown]
# ## One position, every move
#
# Two separate searches see different things, so a move can seem to *gain* what only the second
# search saw. From here on, one kind of search values all moves: 20,000 nodes for five moves at a
# time. The best move has the highest value, so no loss is negative. Any answer is then graded by
# looking it up.
#
# In the plan's own example, after 1. e4, ...a6 loses {glue:text}`plan_bad:.0f` centipawns, ...e5
# {glue:text}`plan_good:.0f`.

# %% tags=["hide-cell"] mystnb={"code_prompt_show": "Read the tables of all positions of known value"}
settings = grading.Settings()
sets = suite.read_known_sets()
kept = grading.read_tables(grading.tables_path(folder, settings))
known = sets.positions()
found = grading.find_tables(known, settings, {} if fresh else kept, default_store())
moves = grading.graded_moves(dict(zip(map(grading.position_key, known), found, strict=True)))
print(f"{len(known)} positions, {len(moves):,} moves valued")

# %%
plan_pair = sets.pairs[0]
plan_moves = moves.loc[grading.position_key(plan_pair.position)]
plan_board = plan_pair.position.board()
shown = plan_moves[["value", "loss", "win_loss", "grade"]].rename(
    columns={"win_loss": "win chance lost"},
    index=lambda uci: plan_board.san(plan_board.parse_uci(uci)),
)
listed = ["e5", "c5", "e6", "a6", "Nf6", "g5"]
report.paste(
    plan_good=plan_moves.loc[plan_pair.good, "loss"],
    plan_bad=plan_moves.loc[plan_pair.bad, "loss"],
)
report.boards(
    report.board(plan_pair.position, size=260),
    report.table(
        shown.sort_values("value", ascending=False).loc[listed].rename_axis(None),
        "Some of the moves",
    ),
)

# %% [markdown]
# The grades are the plan's: up to 10 centipawns lost is Excellent, up to 30 Good, up to 60 an
# Inaccuracy, up to 100 a Mistake, and more is a Blunder.
#
# ## Moves of which one is known to be better
#
# The opening book knows better moves: its favourite, against a legal move that loses a piece.
# Composers know others: the first move of a mate, against another legal move. A pair is *right* if
# the good move loses less, and *tied* if the cap hides the difference (both moves win).


# %%
def losses_of(known, column):
    """Return what a move of each row loses, by the table of its position."""
    keys = [(grading.position_key(row.position), getattr(row, column)) for row in known]
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
verdicts = verdicts.reindex(columns=["right", "tied", "wrong"], fill_value=0).rename_axis(
    index=None, columns=None
)
verdicts = verdicts.rename(
    {"book": "opening book", "mate": "composed mates", "plan": "the plan's"}
)
report.table(verdicts.assign(pairs=verdicts.sum(axis=1)), "Is the better move graded better?")

# %% [markdown]
# ## The board turned round
#
# A grade must not depend on the colour of the pieces. At a fixed number of nodes it does a little,
# because the search visits the moves in another order: the same position with colours exchanged
# gives the same grade to {glue:text}`same_turned:.0f` % of moves. The tables here and in the next
# chapter give the *mean* of both searches. With twice the nodes, {glue:text}`same_doubled:.0f` % of
# moves keep the grade of the mean.
#
# :::{dropdown} The plan's depth 18
# The plan's grader searches to depth 18, for at most two seconds; we limit the nodes, which are the
# same on every machine. The two give the same grade to {glue:text}`same_depth:.0f` % of moves, the
# same or the next to {glue:text}`within_depth:.0f` %; the rank correlation of the losses is
# {glue:text}`rank_depth:.2f`.
# :::

# %%
limit = grading.Settings(sizes.nodes)
doubled = grading.Settings(2 * sizes.nodes)
entries = suite.read_suite(folder / "suite.json")
chosen = entries[entries["number"] < sizes.games]
turned = chosen.iloc[:: max(1, len(chosen) // sizes.mirrored)]


def both_colours(stockfish, board, uci, limit):
    """Return a move's table as the board is, and with colours exchanged."""
    across = uci.translate(grading.ACROSS)  # its squares from across the board
    plain, mirror = positions.Position(board.fen()), positions.Position(board.mirror().fen())
    return (
        grading.analyse_moves(stockfish, plain, limit, [uci]),
        grading.analyse_moves(stockfish, mirror, limit, [across]),
    )


def grade_of(table, uci):
    return grading.graded_moves({"": table}).loc[("", uci), "grade"]


grades = []
with engine.open_engine() as stockfish:
    for row in turned.itertuples():
        board = chess.Board(row.fen)
        plain, mirror = both_colours(stockfish, board, row.played, limit)
        more = grading.mean_table(*both_colours(stockfish, board, row.played, doubled))
        grades.append(
            {
                "one search": grade_of(plain, row.played),
                "exchanged": grade_of(mirror, row.played.translate(grading.ACROSS)),
                "mean": grade_of(grading.mean_table(plain, mirror), row.played),
                "mean, doubled": grade_of(more, row.played),
            }
        )
grades = pd.DataFrame(grades)
same_turned = mean_interval(grades["one search"] == grades["exchanged"], seed=seed)
same_doubled = mean_interval(grades["mean"] == grades["mean, doubled"], seed=seed)
print(f"{same_turned = :.2f}, {same_doubled = :.2f}")

# %% tags=["hide-cell"] mystnb={"code_prompt_show": "The grades beside those of the plan's depth 18"}
few = entries[entries["number"] < suite.DEPTH_GAMES]
keys = map(grading.position_key, suite.positions_of(few, files))
names = dict(zip(keys, few["name"], strict=True))


def graded_at(limit):
    tables = grading.read_tables(grading.tables_path(folder, limit))
    return grading.graded_moves({name: tables[key] for key, name in names.items()})


# The move played and one drawn at random in each position.
asked = few.assign(uci=suite.compared_moves(few)).explode("uci")[["name", "uci"]]
graded_twice = graded_at(settings).join(
    graded_at(grading.PLAN_DEPTH), rsuffix=" other", how="inner"
)
graded_twice = graded_twice[graded_twice.index.isin(pd.MultiIndex.from_frame(asked))]
steps = (graded_twice["mark"] - graded_twice["mark other"]).abs()
same_depth = (steps == 0).mean()
rank_depth = spearmanr(graded_twice["loss"], graded_twice["loss other"]).statistic
report.sheet(
    "20,000 nodes against the plan's depth 18",
    {
        "moves": len(graded_twice),
        "same grade": same_depth,
        "within one grade": (steps <= 1).mean(),
        "rank correlation of the losses": rank_depth,
    },
)

# %% [markdown]
# ## One verdict, and when it is stable
#
# To a reader a pawn means much in a level game and little where a rook is won. Lichess turns
# centipawns into the chance to win. A move that gives away 5 points of it is an inaccuracy, 10 a
# mistake, 15 a blunder; a missed or allowed mate has bounds of its own. The book's words and glyphs
# come from that curve. We add one rule: if the mover is winning with either move, or losing with
# either, no move is an inaccuracy.
#
# A verdict is only as good as the search behind it. Here is one move at more and more nodes.


# %%
def lichess_chance(centipawns):
    """Return the chance to win, 0 to 1 (lila, WinPercent)."""
    return 1 / (1 + np.exp(-0.00368208 * np.clip(centipawns, -1_000, 1_000)))


# %% tags=["hide-input"] mystnb={"code_prompt_show": "The move 33. c3+ and what it lost at each limit"}
notes = find_project() / "data" / "notes"
by_nodes = pd.read_csv(notes / "verdicts_by_nodes.tsv", sep="\t")
shown = by_nodes[by_nodes["san"] == "33. c3+"].iloc[0]
doubtful = positions.MoveInContext(positions.Position(shown["fen"]), shown["move"])
report.board(doubtful, size=230)

# %%
searched = {}
with chess.engine.SimpleEngine.popen_uci(str(engine.find_stockfish())) as stockfish:
    stockfish.configure({"Threads": 1, "Hash": 16})
    for nodes in sizes.doubled:
        board = doubtful.position.board()
        best = last_exact(said(stockfish, board, nodes))
        first = board.san(best["pv"][0])
        board.push(doubtful.move)
        after = last_exact(said(stockfish, board, nodes))
        both = [
            info["score"].pov(doubtful.mover).score(mate_score=10_000) for info in (best, after)
        ]
        lost = 0.0 if best["pv"][0] == doubtful.move else np.subtract(*lichess_chance(both))
        searched[f"{nodes:,} nodes"] = first, *both, max(0.0, lost)
columns = ["best", "value before", "value after", "chance lost"]
by_limit = pd.DataFrame.from_dict(searched, orient="index", columns=columns)
report.table(by_limit, caption=doubtful.numbered_san)

# %% [markdown]
# The library starts with {glue:text}`least_nodes:,` nodes before and after the move and doubles
# them, up to {glue:text}`most_nodes:,`, until
#
# - two searches in a row agree in the glyph and in who stood better before the move;
# - the chance given away is {glue:text}`margin:.0f` points clear of every bound of a class;
# - the searches before and after the move differ by less than an inaccuracy.


# %% tags=["hide-cell"] mystnb={"code_prompt_show": "The library's verdict on this move"}
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

# %% tags=["hide-input"] mystnb={"code_prompt_show": "Draw the curve and the searches", "figure": {"caption": "Lichess's curve from pawns to the chance to win (left), and the chance that moves lose as the search grows (right; three moves in colour). Dotted lines are the bounds of the classes.", "name": "fig-10-win-chance"}, "image": {"alt": "An S-shaped curve beside many grey lines over nodes, three of them in colour."}}
fig, axes = plt.subplots(1, 2, figsize=(7.0, 2.5))
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
# The search was chosen on {glue:text}`shown_moves` moves, the grey lines, and on
# {glue:text}`first_moves` others, and then frozen (SHA-256 {glue:text}`search`…). Of
# {glue:text}`drawn_moves` fresh moves of the same famous games, half give away little at first
# sight (*quiet*), half at least an inaccuracy (*losing*). {glue:text}`longer_moves` were searched
# until stable and then thirty times longer. The trivial answer needs no search: the most common
# class, and never a glyph.

# %% tags=["hide-input"] mystnb={"code_prompt_show": "Compare with the search thirty times longer"}
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
found = longer["long_judgement"].map(order)
commonest = longer["long_judgement"].mode()[0]
same = agreements(longer["judgement"].map(order), found)
easy = agreements(0 * found + order[commonest], found)
easy["glyph"] = found <= order["good"]
stable = agreement(same, longer)
trivial = agreement(easy, longer)
report.table(
    pd.DataFrame({"searched until stable": stable, f"always {commonest}; no glyph": trivial}),
    caption=f"{len(longer)} fresh moves: same verdict as a search thirty times longer",
)

# %% [markdown]
# Searched until stable, {glue:text}`class_stable:.0f` % of the fresh moves get the class that a search
# thirty times longer gives; “{glue:text}`commonest`” for every move would be right in
# {glue:text}`class_trivial:.0f` %. {glue:text}`verdict_says`

# %% [markdown]
# ## What lecturers said
#
# The authors of the lectures mark some moves with `!` or `?`, or begin a comment with words such as
# "very strong" or "the decisive mistake". A blamed move loses more than a praised one in
# {glue:text}`apart:.0f` % of pairs ({glue:text}`blamed` blamed, {glue:text}`praised` praised).
# {glue:text}`apart_says`

# %% tags=["hide-input"] mystnb={"code_prompt_show": "What lecturers said of the moves"}
lecturers = [move for move, _ in sets.judged]
keys = [(grading.position_key(move.position), move.move) for move in lecturers]
judged = moves.loc[keys].assign(
    praised=[praised for _, praised in sets.judged],
    lecture=[move.name.split(".")[0] for move in lecturers],
)
print(judged.groupby("praised")["loss"].agg(["size", "mean", "median"]))
apart = stats.area_under_curve(
    judged["loss"], ~judged["praised"].to_numpy(), judged["lecture"], seed=seed
)

# %% [markdown]
# ## The plan's table again
#
# Stockfish played itself at `Skill Level` 5, 10, 15, 18 and 20: forty games a level from the same
# forty openings, five thousand nodes a move. As in the plan, every position was searched once, with
# 20,000 nodes.
#
# Where the second search finds a *higher* value, the loss counts as zero, so the mean contains both
# bad play and the differences between two searches. The column with gains lets these cancel. The
# values are committed (`data/static`, `data/notes`); `fresh = True` above searches the positions of
# known value again.

# %% tags=["hide-input"] mystnb={"code_prompt_show": "Lay out the levels beside the plan's games"}
table = pd.DataFrame(
    {
        "plan, one game": plan["Overall Avg"],
        **{name: means[name].map("{:.1f}".format) for name in ("White", "Black", "both")},
        "gains counted": signed.map("{:.1f}".format),
        "moves": means["both"].map(lambda mean: mean.n),
    }
)
report.table(table, caption="Mean centipawn loss by Skill Level", digits=1)

# %% [markdown]
# Does the loss fall from level to level? A rank correlation of −1 is the perfect order.


# %%
def drawn_means(moves, column):
    """Return mean losses of resampled games, one column a level: (resamples, 5)."""
    sums = moves.groupby(["level", "game"])[column].agg(["sum", "size"])
    drawn = {}
    for level, played_games in sums.groupby(level=0):
        weights = stats.cluster_weights(len(played_games), seed=seed + level)
        drawn[level] = weights @ played_games["sum"] / (weights @ played_games["size"])
    return pd.DataFrame(drawn)


def order_interval(moves, column):
    """Return Spearman's rank correlation of level and mean loss, resampling each level's games."""
    drawn = drawn_means(moves, column).to_numpy()
    samples = [spearmanr(levels.LEVELS, row).statistic for row in drawn]
    value = spearmanr(levels.LEVELS, moves.groupby("level")[column].mean()).statistic
    games_of = moves.groupby("level")["game"].nunique()
    return stats.percentile_interval(
        float(value), samples, games_of.sum(), clusters=games_of.min()
    )


# %% tags=["hide-cell"] mystnb={"code_prompt_show": "Rank correlation of level and loss; levels 10 and 15 in 1,000 games each"}
more = levels.read_level_games(folder / "more_games.tsv.zst")
close = more[10] + more[15]
unseen = more[10][310:] + more[15][310:]  # with the forty, 350 each had been looked at
stored |= levels.read_values(folder / "more_values.tsv.zst")
all_cut = pd.concat([cut, levels.move_losses(close, [stored[game.key] for game in close])])
holds = order_interval(all_cut, "loss")
signed_holds = order_interval(all_cut, "signed")
plan_order = float(spearmanr(plan.index, plan["Overall Avg"]).statistic)


def falls(moves):
    """Return by how much more level 10 loses than level 15, with an interval over games."""
    two = moves[moves["level"].isin([10, 15])]
    drawn = drawn_means(moves, "loss")
    loss = two.groupby("level")["loss"].mean()
    played = two["game"].nunique()
    return stats.percentile_interval(
        float(loss[10] - loss[15]), drawn[10] - drawn[15], played, clusters=played // 2
    )


falls_by = falls(all_cut)
unseen_by = falls(levels.move_losses(unseen, [stored[game.key] for game in unseen]))
two_games = len(close) + len(games[10]) + len(games[15])
report.sheet(
    "rank correlation of level and loss",
    {
        "with all games": holds,
        "with all games, gains counted": signed_holds,
        "plan": plan_order,
        "games of levels 10 and 15": two_games,
        "level 10 loses more than level 15 by": falls_by,
        f"the same in the last {len(unseen):,} games": unseen_by,
    },
)

# %% [markdown]
# Levels 10 and 15 lie so close that forty games do not order them. They played on, from the next
# openings; the extra games count here alone. The total was fixed at 1,000 games each after 350, and
# the games from there on are the test. In these {glue:text}`n_unseen:,` games level 10 loses
# {glue:text}`unseen_by:.1f` centipawns a move more than level 15. {glue:text}`which_of_two`
#
# ## What made the anomaly
#
# - *One game.* We draw one of our games a level, as the plan did, {glue:text}`drawings:,` times.
#   Level 20 comes out worse than levels 15 and 18 in {glue:text}`worse_cut:.0f` % of the drawings.
# - *Mates.* The plan counts a mate as 10,000 centipawns and does not cap it. Level 20 is then the
#   worst of the three in {glue:text}`worse_uncut:.0f` %. One side of the plan's game at level 10
#   loses {glue:text}`gap_plan:.0f` centipawns a move more than the other; so do the sides of
#   {glue:text}`gap_share:.0f` % of our games of that level.
# - *Length.* The rank correlation of a game's length with its mean loss is
#   {glue:text}`length_uncut:.2f` without the cap and {glue:text}`length_cut:.2f` with it.

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

# %% tags=["hide-cell"] mystnb={"code_prompt_show": "Shares of drawings; sides and lengths of games"}
gaps = uncut.groupby(["level", "game", "side"])["loss"].mean().unstack()
gap = (gaps["White"] - gaps["Black"]).abs()
printed = {side: plan.loc[10, f"{side} Avg CP Loss"] for side in ("White", "Black")}
gap_plan = abs(printed["White"] - printed["Black"])
lengths = pd.Series({game.key: len(game.moves) for game in every})
long_games = uncut.groupby("game")["loss"].mean().corr(lengths, method="spearman")
long_cut = cut.groupby("game")["loss"].mean().corr(lengths, method="spearman")
report.table(
    pd.DataFrame({"level 20 worst of 15, 18 and 20": worse, "all five in order": ordered}).T,
    caption="Share of drawings of one game a level, values capped and not",
)

# %% [markdown]
# ## Recap
#
# - *The grader.* It orders {glue:text}`right_decided:.0f` % of known pairs that the cap does not tie. A
#   move that lecturers blame loses more than one that they praise in {glue:text}`apart:.0f` % of pairs.
# - *One grade.* One search keeps {glue:text}`same_turned:.0f` % of grades when the colours are exchanged;
#   a mean over many moves is what can be compared.
# - *One game.* All five levels come out in order in {glue:text}`in_order:.0f` % of drawings of one game
#   a level. Level and loss have a rank correlation of {glue:text}`order:.2f` in all our games, of
#   {glue:text}`plan_order:.2f` in the plan's.

# %% tags=["remove-input"]
decided = paired[paired["verdict"] != "tied"]
right = mean_interval(paired["verdict"] == "right", seed=seed)
right_decided = mean_interval(decided["verdict"] == "right", seed=seed)

apart_says = "" if apart.low > 0.5 else "With so few moves, that may be chance."
ahead = [
    name
    for name in ("class", "glyph")
    if stats.paired_difference(same[name], easy[name], longer["game"], seed=seed).low > 0
]
many = f"With {sizes.games} games a level, and {two_games // 2:,} at the two closest, they do."
report.paste(
    in_order=100 * ordered["cut"],
    many_games_say=many if holds.value < -0.999 else "",
    right=100 * right.value,
    right_decided=100 * right_decided.value,
    same_turned=100 * same_turned.value,
    same_doubled=100 * same_doubled.value,
    same_depth=100 * same_depth,
    within_depth=100 * (steps <= 1).mean(),
    rank_depth=rank_depth,
    least_nodes=LEAST_NODES,
    most_nodes=MOST_NODES,
    margin=100 * MARGIN,
    drawn_moves=len(drawn),
    first_moves=len(pd.read_csv(notes / "verdicts_first.tsv", sep="\t")),
    search=drawn["search"][0],
    shown_moves=by_nodes["san"].nunique(),
    longer_moves=len(longer),
    class_stable=100 * stable["class"].value,
    class_trivial=100 * trivial["class"].value,
    commonest=commonest,
    verdict_says=f"The search beats the trivial answer in the {' and the '.join(ahead)}."
    if ahead
    else "",
    apart=100 * apart.value,
    apart_says=apart_says,
    blamed=int((~judged["praised"]).sum()),
    praised=int(judged["praised"].sum()),
    n_unseen=len(unseen),
    unseen_by=unseen_by.value,
    which_of_two="Level 10 is the weaker of the two." if unseen_by.low > 0 else "",
    order=holds.value,
    plan_order=plan_order,
    drawings=sizes.resamples,
    worse_cut=100 * worse["cut"],
    worse_uncut=100 * worse["uncut"],
    gap_plan=gap_plan,
    gap_share=100 * (gap[10] >= gap_plan).mean(),
    length_uncut=long_games,
    length_cut=long_cut,
)

rows = report.rows
columns = {"both": "Overall Avg", "White": "White Avg CP Loss", "Black": "Black Avg CP Loss"}
acpl = {}
printed = {}
for level in levels.LEVELS:
    for side, column in columns.items():
        key = f"{level:02d}" + ("" if side == "both" else f".{side.lower()}")
        acpl[key] = means.loc[level, side]
        printed[key] = reference.lookup("static_positions", "results", f"skill_{level}", column)
share = "share of moves"
pairs = {"right": right, "right_of_decided": right_decided}
mirrored = {"same_grade": same_turned, "same_grade_doubled": same_doubled}
at_depth = {
    "same_grade": report.Result(same_depth, n=len(graded_twice)),
    "rank_correlation": rank_depth,
}
verdicts = {
    name: {"class_stable": some["class"], "glyph_stable": some["glyph"]}
    for name, some in (("verdict", stable), ("verdict.trivial", trivial))
}
orders = {"order_holds": holds, "order_holds_signed": signed_holds}
closest = {"loss_10_less_15": falls_by, "loss_10_less_15_unseen": unseen_by}
one_game = {
    "level_20_worst": worse["cut"],
    "level_20_worst_uncut": worse["uncut"],
    "all_in_order": ordered["cut"],
}
signed = signed.rename("{:02d}".format)
report.save(
    "10_move_grading",
    rows(pairs, "grading.pairs", unit="share of pairs"),
    rows(mirrored, "grading.mirror", unit=share),
    rows(at_depth, "grading.depth18"),
    *(rows(each, name, unit=share) for name, each in verdicts.items()),
    rows(apart, "grading.lecturers.told_apart", unit="share of pairs"),
    rows(int((~judged["praised"]).sum()), "grading.lecturers.blamed", unit="moves"),
    rows(len(grading.MOVE_GRADES) - 1, "grades.bounds", unit="bounds between grades"),
    rows(orders, "levels", unit="rank correlation"),
    rows(closest, "levels", unit="centipawns"),
    rows(one_game, "levels.one_game", unit="share"),
    rows(acpl, "suite.acpl", unit="centipawns", reference=printed),
    rows(signed, "suite.acpl_signed", unit="centipawns, gains counted"),
)

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
# **1. Another cap.** Cap the values of the moves at 3, 10, 30 and 100 pawns
# (`levels.move_losses(every, values, cap=...)`, in centipawns) and give the mean loss of each
# level, cap by cap. Does the order of the levels depend on the cap?

# %% tags=["solution", "hide-cell"] mystnb={"code_prompt_show": "A solution: mean loss of each level under four caps"}
# Mean loss of each level under four caps.
by_cap = {
    f"{cap / 100:g} pawns": levels.move_losses(every, values, cap=cap)
    .groupby("level")["loss"]
    .mean()
    for cap in (300, 1_000, 3_000, 10_000)
}
capped = pd.DataFrame(by_cap)
ordered_levels = {name: bool((np.diff(column) < 0).all()) for name, column in capped.items()}
print("falls from level to level:", ordered_levels)
report.table(capped, digits=1)

# %% tags=["check", "remove-cell"]
report.check(
    "One mean loss for each level, under each of the four caps: twenty numbers, cap by cap.",
    within=0.05,
    ordered=True,
    by_cap=by_cap,
)

# %% [markdown]
# **2. Games, not moves.** Compute the standard error of level 20's mean loss over games, and as if
# all moves were independent. By what factor is the first larger?

# %% tags=["solution", "hide-cell"] mystnb={"code_prompt_show": "A solution: two standard errors of the same mean"}
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
    within=0.02,
    factor=factor,
)

# %% [markdown]
# **3. How many games?** Take the spread of the games' means at levels 10 and 15. How many games of
# each level does a study need to detect two centipawns a move with a power of 80 %
# (two-sided, 5 %)?

# %% tags=["solution", "hide-cell"] mystnb={"code_prompt_show": "A solution: games a level, by the usual formula for two means"}
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
