# ---
# jupyter:
#   kernelspec:
#     display_name: Python 3 (ipykernel)
#     language: python
#     name: python3
# ---

# %% [markdown]
# # Positions and engines
#
# White is to play 21. Bxe6+. By the terms that Stockfish 8 has names for, White stands at
# {glue:text}`terms_say:+.2f` pawns; a search of 100,000 positions says
# {glue:text}`search_says:+.2f`. {glue:text}`words_and_knowledge`
#
# ```{glue:} four_verdicts
# ```
#
# A chess engine knows and cannot speak; a language model speaks and does not know. Before the two
# can explain a move together, we need moves to explain, and an engine's verdict on each. The
# position is from Figure A6 of the CCC paper {cite}`kim2024ccc`.

# %% tags=["parameters", "hide-input"] mystnb={"code_prompt_show": "Parameters"}
profile = "book"
seed = 1
games_path = None  # in place of self-play: the path of a PGN of any size

# %% tags=["hide-input"] mystnb={"code_prompt_show": "Imports and sizes"}
from itertools import islice
from operator import attrgetter
from pathlib import Path
import matplotlib.pyplot as plt
import numpy as np
import pandas as pd
from IPython.display import Markdown
from myst_nb import glue
from scipy import stats

from chessgloss import assets, engine, oracle, positions, report
from chessgloss.book import reference
from chessgloss.corpora import lectures, samples
from chessgloss.corpora.games import read_anybody, read_games
from chessgloss.experts import load_expert
from chessgloss.skill.levels import game_values, move_losses
from chessgloss.stats import mean_interval, means_by
from chessgloss.book.profiles import load_sizes
from chessgloss.store import find_project

sizes = load_sizes("01_positions_and_engines", profile)
report.use_house_style()

# %% [markdown]
# ## What an engine says of a position
#
# Stockfish 8 judges a position without any neural network: its verdict is a sum of
# {glue:text}`terms` terms, each with a name that a player knows, most of them one for each side.
# They will be the *concepts* of the book. Values are in pawns, for the middlegame, and positive
# ones are good for the side that the term is named after; *Material*, *Imbalance* and *Pawns* are
# White's less Black's.
#
# Stockfish 15.1's real verdict comes from a network, NNUE, which will be our expert. A search sees
# more than either.

# %%
figure_a6 = positions.read_fen("r5qr/p1p2k2/1p1pp3/3QbB1N/4P3/1P6/P1P3PP/2B3K1 w - - 0 21")
old = oracle.evaluate_terms([figure_a6.fen], oracle.stockfish8(), progress=False)
new = oracle.evaluate_terms([figure_a6.fen], oracle.stockfish15(), progress=False)
network = load_expert("nnue").evaluate([figure_a6.fen])
with engine.open_engine() as stockfish:
    best = stockfish.analyse(figure_a6, nodes=100_000).best
verdicts = {
    "Stockfish 8, terms": old.total[0],
    "Stockfish 15.1, terms": new.total[0],
    "Stockfish 15.1, network": network[0],
    "Stockfish 15.1, 100,000 nodes": best.score.white().score(mate_score=10_000) / 100,
}

# %%
terms = pd.DataFrame(
    {"Stockfish 8": old.middlegame[0], "Stockfish 15.1": new.middlegame[0]}, index=oracle.TERMS
)
largest = terms["Stockfish 8"].abs().nlargest(6).index
report.table(terms.loc[largest], caption="The six largest terms before 21. Bxe6+")

# %% tags=["hide-cell"] mystnb={"code_prompt_show": "All terms of both engines"}
report.table(terms)

# %% [markdown]
# ## Games
#
# The CCC paper takes its positions from Lichess and its commented moves from GameKnot. Neither can
# be shipped with a book. Ours are {glue:text}`games:,` games of {glue:md}`corpus`: Stockfish 15.1
# played against itself at stated levels, a limit of nodes and a seeded choice among the best lines.
#
# A hash of its moves assigns each game to one of three parts: {glue:text}`share_train:.1f` % of the
# games are for training, the rest for validation and test. No chapter splits positions, because two
# positions of one game are almost the same position.

# %%
games_file = find_project() / "data" / "games" / "selfplay.tsv.zst"
selfplay = list(read_games(games_file, limit=sizes.games))
games = selfplay
corpus = "self-play"
if games_path:
    corpus = Path(games_path).name
    read = read_anybody(Path(games_path))
    sound = (game for game in read if isinstance(game, positions.Game))
    games = list(islice(sound, sizes.games))
    print(f"{len(games):,} games of {corpus}; levels are compared on self-play as before")

# %% tags=["hide-cell"] mystnb={"code_prompt_show": "Lengths of the games, by result"}
plies = pd.Series([len(game.moves) for game in games], [game.result for game in games])
lengths = plies.groupby(level=0).agg(["count", "median", "max"])
report.table(lengths, caption=f"Plies; {len({game.key for game in games}):,} distinct games")

# %% [markdown]
# ## Positions and comments
#
# From each game we draw a few positions. With six or fewer knights, bishops, rooks and queens, a
# position is an endgame, as on Lichess.
#
# Thirty-one lectures were once given, move by move, on the Free Internet Chess Server. The program
# PyChess ships them as scripts. We replay those and find {glue:text}`comments:,` moves that a
# person commented on. The texts are read from PyChess's files and are not part of this book. The
# library also streams Lichess's evaluated positions and puzzles, and reads PGN.

# %%
per_game = -(-sizes.term_positions // len(games)) + 2
sample = samples.sample_positions(games, per_game, seed=seed)
rows = np.sort(np.random.default_rng(seed).permutation(len(sample))[: sizes.term_positions])
fens = [sample.fens[row] for row in rows]
talks = lectures.read_lectures(assets.locate("lectures"))
comments = [comment for talk in talks for comment in talk.comments]

# %% tags=["hide-cell"] mystnb={"code_prompt_show": "Positions and comments by phase of the game"}
of_comments = [comment.context.position.fen for comment in comments]
phases = {
    name: pd.Series(map(positions.phase_of, found)).value_counts(normalize=True)
    for name, found in {corpus: fens, "comments": of_comments}.items()
}
report.table(pd.DataFrame(phases), caption="Shares of the phases")

# %% [markdown]
# | document and use | published | here |
# |---|---|---|
# | CCC: concepts | 200,000 Lichess positions | {glue:text}`concepts_n:,` positions of self-play |
# | CCC: comments | 50 GameKnot moves rated | {glue:text}`comments:,` lecture comments |
# | static positions | 10 games, 5 levels | 200 games of 5 levels, 98 recorded positions |
# | state tracking | 200,000 Millionbase games | 70,000 games of another series |

# %% [markdown]
# ## The 21 terms
#
# Stockfish 8 computes every term for many positions. Some terms are almost never zero (mobility,
# king safety). Others usually are: the queens' term is exactly zero in
# {glue:text}`zeros_queens:.0f` % of the positions.

# %%
table = oracle.evaluate_terms(fens, oracle.stockfish8())
usual = table.take(table.status == oracle.Status.OK)
values = pd.DataFrame(usual.middlegame, columns=list(oracle.TERMS))
low = values.quantile(0.05)
high = values.quantile(0.95)

# %% tags=["hide-cell"] mystnb={"code_prompt_show": "Median, tails and zeros of each term"}
spread = values.agg(["median", "std"]).T
report.table(spread.assign(**{"5 %": low, "95 %": high, "zeros": (values == 0).mean()}))

# %% tags=["hide-cell"] mystnb={"code_prompt_show": "Every term in units of its own standard deviation", "figure": {"caption": "Stockfish 8's terms in the corpus, each less its median in units of its own standard deviation. Boxes hold the middle half, whiskers 5 to 95 %. Terms whose box is a line are zero in most positions.", "name": "fig-01-terms-spread"}, "image": {"alt": "Box plots of 21 evaluation terms, most of them White's and Black's: mobility and king safety spread widely, queens and space hardly at all."}}
centred = (values - values.median()) / values.std()
ax = centred.plot.box(vert=False, whis=(5, 95), showfliers=False, figsize=(7.0, 5.0))
ax.invert_yaxis()
ax.set_xlabel("value less the median, in standard deviations; whiskers: 5 % and 95 %")
plt.show()

# %% [markdown]
# ## Where labels come from
#
# The CCC paper calls the 5 % of positions with the highest value of a term *positive* and the 5 %
# with the lowest *negative*, and drops the rest. Where a tail lies within the zeros, as for the
# queens, which of the equal positions enter it is arbitrary; the next chapter draws them at random.

# %% mystnb={"figure": {"caption": "Where the labels of a concept come from: the lowest and highest 5 % of two terms (shaded). King safety has two clear tails; for the queens one of them lies within the zeros. The vertical axis is logarithmic.", "name": "fig-01-tails"}, "image": {"alt": "Two histograms with shaded tails: king safety spreads to both sides, the queens' term is a spike at zero."}}
fig, axes = plt.subplots(1, 2, figsize=(7.0, 2.6))
for ax, name in zip(axes, ("White Kingsafety", "White Queens"), strict=True):
    ax.hist(values[name], bins=60, color="#56B4E9", log=True)
    ax.axvspan(values[name].min(), low[name], color="#D55E00", alpha=0.25, label="negative")
    ax.axvspan(high[name], values[name].max(), color="#009E73", alpha=0.25, label="positive")
    ax.set(xlabel=f"{name}, pawns", ylabel="positions")
    ax.locator_params(axis="x", nbins=5)
axes[1].legend()
plt.show()

# %%
tied_low = (values == low).sum()
tied_high = (values == high).sum()
tails = pd.DataFrame(
    {
        "positions in a tail": int(0.05 * len(values)),
        "equal to the lower cut": tied_low,
        "equal to the upper cut": tied_high,
    }
)
report.table(tails.loc[["Material", "White Kingsafety", "White Queens", "White Threats"]])

# %% [markdown]
# ## Do stronger levels play better?
#
# In the plan for static positions, one game at each of five skill levels, level 20 came out worse
# than levels 15 and 18. One game cannot show how much of this is chance.
#
# Here every move of {glue:text}`games_per_level` games at each level is graded. The loss is the
# value before the move less the value after it, capped at ten pawns, and never below 0.

# %%
levels = (5, 10, 15, 18, 20)
equal = {n: [g for g in selfplay if g.white == g.black == f"level {n}"] for n in levels}
graded = [game for n in levels for game in equal[n][: sizes.games_per_level]]
values_of_games = game_values(graded, nodes=sizes.grading_nodes)
grades = move_losses(graded, values_of_games)

# %% [markdown]
# ### One interval, step by step
#
# How wrong could the mean loss of one level be? Draw as many games as there are, with replacement.
# The mean over their moves is what another sample of games might have given. A thousand such
# samples make the histogram, and 95 % of them lie between its 2.5 % and its 97.5 % line. We draw
# games, because the moves of one game are alike. Change the level, or the number of samples.

# %%
level = 20
level_moves = grades[grades["level"] == level]
by_game = level_moves.groupby("number")["loss"]
game_sums = by_game.sum().to_numpy()
game_counts = by_game.size().to_numpy()
n_games = len(game_sums)
times_drawn = np.random.default_rng(seed).multinomial(
    n_games, np.full(n_games, 1 / n_games), 1_000
)
resampled_means = times_drawn @ game_sums / (times_drawn @ game_counts)
percentiles = np.quantile(resampled_means, [0.025, 0.975])
over_moves = level_moves["loss"].mean() + 1.96 * level_moves["loss"].sem() * np.array([-1, 1])
print(f"{game_sums.shape = }, {times_drawn.shape = }, {resampled_means.shape = }")
print(f"mean {game_sums.sum() / game_counts.sum():.2f} centipawns a move")
print(
    f"95 % over games {percentiles.round(2)}, over moves as if independent {over_moves.round(2)}"
)

# %% [markdown]
# The library's `mean_interval` draws the same samples. It widens the interval a little, because a
# few games do not show the whole spread of all games.

# %% mystnb={"figure": {"caption": "A bootstrap interval by hand: the mean loss of games drawn again, with the 2.5 and 97.5 percentiles (solid) and the library's ends (dashed), which lie a little further out.", "name": "fig-01-bootstrap"}, "image": {"alt": "Histogram of resampled means with two solid and two dashed vertical lines at its ends."}}
interval = mean_interval(level_moves["loss"], level_moves["number"], seed=seed)
fig, ax = plt.subplots(figsize=(7.0, 2.4))
ax.hist(resampled_means, bins=40, color="#56B4E9")
for end in percentiles:
    ax.axvline(end, color="black")
for end in (interval.low, interval.high):
    ax.axvline(end, color="#D55E00", ls="--")
ax.set(xlabel=f"mean loss of {n_games} resampled games of level {level}", ylabel="samples")
plt.show()

# %%
by_level = means_by(grades, "level", "loss", cluster="number", seed=seed)
signed = means_by(grades, "level", "signed", cluster="number", seed=seed)
by_side = means_by(grades, ["level", "side"], "loss", cluster="number", seed=seed).unstack()
plan = reference.table("static_positions", "results").set_axis(levels)["Overall Avg"]

# %% tags=["hide-cell"] mystnb={"code_prompt_show": "Every level by side, and with gains counted"}
shown = pd.DataFrame({"plan, one game": plan, "here": by_level, "gains counted": signed})
shown = shown.join(by_side).assign(moves=grades.groupby("level").size())
report.table(shown, caption="Mean centipawn loss by level", digits=1)

# %% mystnb={"figure": {"caption": "Centipawns lost a move by Stockfish's levels: here over many games with 95 % intervals, and in the plan's single games.", "name": "fig-01-levels"}, "image": {"alt": "Points with interval bars for each level, falling from left to right, and crosses for the plan's values."}}
fig, ax = plt.subplots(figsize=(7.0, 2.5))
value, lower, upper = (by_level.map(attrgetter(end)) for end in ("value", "low", "high"))
players = [f"level {n}" for n in levels]
bars = [value - lower, upper - value]
ax.errorbar(players, value, yerr=bars, fmt="o", capsize=3, label="here, 95 % interval")
ax.plot(players, plan, "x", color="#D55E00", label="plan, one game")
ax.set(ylabel="centipawns lost a move", ylim=(0, None))
ax.legend()
plt.show()

# %% [markdown]
# With {glue:text}`games_per_level` games a level, the rank correlation between level and loss is
# {glue:text}`order:.2f` (−1 is the perfect order). The plan's single games give
# {glue:text}`plan_order:.2f`. Single games differ widely: those of level 10 lose between
# {glue:text}`game_low:.0f` and {glue:text}`game_high:.0f` centipawns a move. If gains are counted,
# level 20 loses {glue:text}`signed_20:.0f`.
#
# The plan's levels are Stockfish's own `Skill Level`, ours node limits with a seeded choice;
# [chapter 10](10_move_grading.ipynb) repeats the plan's own set-up.
#
# ## Recap
#
# - The book uses {glue:text}`games:,` games of {glue:md}`corpus` and {glue:text}`comments:,` moves
#   that a person commented on, in three parts that are the same in every chapter.
# - Stockfish 8 judges a position by {glue:text}`terms` named terms, Stockfish 15.1 by a network and
#   a search.
# - A move of level 5 loses {glue:text}`acpl_05:.0f` centipawns on average, one of level 20
#   {glue:text}`acpl_20:.0f`. One game cannot show that the stronger level plays
#   better{glue:md}`enough_games`.

# %% tags=["remove-input"]
report.paste(
    terms_say=verdicts["Stockfish 8, terms"],
    search_says=verdicts["Stockfish 15.1, 100,000 nodes"],
    words_and_knowledge="What an engine has words for is not what it knows."
    if verdicts["Stockfish 8, terms"] * verdicts["Stockfish 15.1, 100,000 nodes"] < 0
    else "Here the two agree on who is better.",
)
four_verdicts = report.boards(
    report.board(positions.read_move(figure_a6, "21. Bxe6+"), size=240),
    report.table(
        pd.DataFrame({"pawns": verdicts}), caption="White's advantage, by four verdicts"
    ),
)
glue("four_verdicts", four_verdicts, display=False)

# %% tags=["remove-input"]
of_games = grades[grades["level"] == 10].groupby("number")["loss"].mean()
order = stats.spearmanr(levels, value).statistic
enough = by_level[20].high < by_level[5].low
report.paste(
    corpus=Markdown(corpus),
    games=len(games),
    share_train=100 * np.mean([game.split == "train" for game in games]),
    comments=len(comments),
    concepts_n=load_sizes("02_concept_vectors", profile).headline,
    terms=len(oracle.TERMS),
    zeros_queens=100 * (values["White Queens"] == 0).mean(),
    games_per_level=sizes.games_per_level,
    game_low=of_games.min(),
    game_high=of_games.max(),
    order=order,
    plan_order=stats.spearmanr(levels, plan).statistic,
    acpl_05=by_level[5].value,
    acpl_20=by_level[20].value,
    signed_20=signed[20].value,
    enough_games=Markdown(
        f"; {sizes.games_per_level} games a level {'can' if enough else 'cannot either'}"
    ),
)

# %% tags=["remove-input"]
named = "level_{:02d}".format
printed = {
    named(n): reference.lookup("static_positions", "results", f"skill_{n}", "Overall Avg")
    for n in levels
}
ordered = report.Result(float(order), n=len(levels), unit="rank correlation")
report.save(
    "01_positions_and_engines",
    report.rows(len(games), "games.count", unit="games"),
    report.rows(len(fens), "positions.count", unit="positions"),
    report.rows(len(comments), "lectures.comments", unit="commented moves"),
    report.rows(by_level.rename(named), "acpl", unit="centipawns", reference=printed),
    report.rows(signed.rename(named), "acpl.signed", unit="centipawns, gains counted"),
    report.rows(ordered, "acpl.order"),
)

report.evidence(
    len(grades),
    "graded moves",
    seed,
    len(graded),
    "95 %, bootstrap over games",
    {
        "Stockfish": f"15.1, {sizes.grading_nodes:,} nodes",
        "concept oracle": "Stockfish 8",
        "lectures": f"SHA-256 {assets.digest(assets.locate('lectures'))[:12]}",
    },
)

# %% [markdown]
# ## Exercises
#
# **1. Another position.** Compare the terms of the two versions of Stockfish in
# `r1bqk2r/pppp1ppp/2n2n2/2b1p3/2B1P3/2NP1N2/PPP2PPP/R1BQK2R b KQkq - 0 5`, or in a position of your
# own. On which terms do they differ, the largest difference first?

# %% tags=["solution", "hide-cell"] mystnb={"code_prompt_show": "A solution: terms of two versions side by side, the largest difference first"}
# Terms of two versions side by side, the largest difference first.
own = positions.read_fen(
    "r1bqk2r/pppp1ppp/2n2n2/2b1p3/2B1P3/2NP1N2/PPP2PPP/R1BQK2R b KQkq - 0 5"
)
versions = {"Stockfish 8": oracle.stockfish8(), "Stockfish 15.1": oracle.stockfish15()}
two = pd.DataFrame(
    {
        name: oracle.evaluate_terms([own.fen], version, progress=False).middlegame[0]
        for name, version in versions.items()
    },
    index=oracle.TERMS,
)
gaps = (two["Stockfish 15.1"] - two["Stockfish 8"]).abs().sort_values(ascending=False)
report.table(two.loc[gaps.index[:5]].assign(apart=gaps))

# %% tags=["check", "remove-cell"]
report.check(
    "Take the difference of the two columns without its sign, one row a term, then sort. "
    "(Checked for the position named.)",
    within=0.02,
    ordered=True,
    gaps=gaps,
)

# %% [markdown]
# **2. Wider tails.** With 1, 5, 10, 20 and 40 % of the positions in each tail, for how many of the
# terms in `values` are the two cuts the same number, so that no label can be made?

# %% tags=["solution", "hide-cell"] mystnb={"code_prompt_show": "A solution: terms whose lower cut equals the upper one, by the share in a tail"}
# Terms whose lower cut equals the upper one, by the share in a tail.
shares = (0.01, 0.05, 0.1, 0.2, 0.4)
same_cut = {
    f"{tail:.0%}": int((values.quantile(tail) == values.quantile(1 - tail)).sum())
    for tail in shares
}
report.sheet("terms without two tails", same_cut)

# %% tags=["check", "remove-cell"]
report.check(
    "Compare each column's quantile at the share with that at one less the share; a term "
    "that is 0 in most positions has both cuts at 0. Five counts, the narrowest tail first.",
    ordered=True,
    same_cut=same_cut,
)

# %% [markdown]
# **3. An interval without a bootstrap.** Take the mean loss of each game of level 5 in `grades` and
# compute the 95 % interval of their mean by Student's t. Compare it with the library's, which draws
# whole games. Why do the two means differ?

# %% tags=["solution", "hide-cell"] mystnb={"code_prompt_show": "A solution: each game counts once by Student's t, each move once by the library"}
# Each game counts once by Student's t, each move once by the library.
weak = grades[grades["level"] == 5]
of_games = weak.groupby("number")["loss"].mean()
by_t = stats.t.interval(0.95, len(of_games) - 1, of_games.mean(), of_games.sem())
library_interval = mean_interval(weak["loss"], weak["number"], seed=seed)
lengths = weak.groupby("number").size()
print(f"games' means {of_games.mean():.2f} [{by_t[0]:.2f}, {by_t[1]:.2f}]")
print(f"moves, by the library {library_interval:.2f}")
print(f"length and loss of a game: {of_games.corr(lengths, method='spearman'):.2f}")

# %% tags=["check", "remove-cell"]
report.check(
    "First the mean of each game, then mean and standard error over games, with one "
    "degree of freedom less than games: the lower end, then the upper one.",
    within=0.05,
    ordered=True,
    by_t=by_t,
)
