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
# {glue:text}`two_verdicts` {glue:text}`words_and_knowledge`
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

# %% tags=["hide-input"] mystnb={"code_prompt_show": "Imports, and four verdicts on one position"}
from itertools import islice
from pathlib import Path
import matplotlib.pyplot as plt
import chess
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

figure_a6 = positions.read_fen("r5qr/p1p2k2/1p1pp3/3QbB1N/4P3/1P6/P1P3PP/2B3K1 w - - 0 21")
bxe6 = positions.read_move(figure_a6, "21. Bxe6+")
old = oracle.evaluate_terms([figure_a6.fen], oracle.stockfish8(), progress=False)
new = oracle.evaluate_terms([figure_a6.fen], oracle.stockfish15(), progress=False)

nnue = load_expert("nnue")
with engine.open_engine() as stockfish:
    searched = stockfish.analyse(figure_a6, nodes=100_000)
verdicts = {
    "Stockfish 8, terms": float(old.total[0]),
    "Stockfish 15.1, terms": float(new.total[0]),
    "Stockfish 15.1, network": float(nnue.evaluate([figure_a6.fen])[0]),
    "Stockfish 15.1, 100,000 nodes": searched.best.score.white().score(mate_score=10_000) / 100,
}

terms_say, search_says = (
    verdicts[name] for name in ("Stockfish 8, terms", "Stockfish 15.1, 100,000 nodes")
)
two_verdicts = (
    "White is to play 21. Bxe6+. By the terms that Stockfish 8 has names for, White stands at "
    f"{terms_say:+.2f} pawns; a search of 100,000 positions says {search_says:+.2f}."
).replace("-", "−")
report.paste(
    two_verdicts=two_verdicts,
    words_and_knowledge="What an engine has words for is not what it knows."
    if terms_say * search_says < 0
    else "Here the two agree on who is better.",
)
four_verdicts = report.boards(
    report.board(bxe6, size=240),
    report.table(
        pd.DataFrame({"pawns": verdicts}).rename(
            lambda name: name.replace(" ", "\N{NO-BREAK SPACE}")
        ),
        caption="White's advantage, by four verdicts",
    ),
)
glue("four_verdicts", four_verdicts, display=False)

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
splits = pd.Series([game.split for game in games]).value_counts()
report.paste(share_train=100 * splits["train"] / len(games))

# %% tags=["hide-cell"] mystnb={"code_prompt_show": "Lengths and results of the games"}
plies = np.array([len(game.moves) for game in games])
ends = pd.Series([game.result for game in games]).value_counts()
sheet = {
    "games": len(games),
    "distinct games": len({game.key for game in games}),
    "plies": int(plies.sum()),
    "median plies": float(np.median(plies)),
    "longest, plies": int(plies.max()),
    **{
        name: float(ends.get(end, 0) / len(games))
        for name, end in [
            ("White wins", "1-0"),
            ("draws", "1/2-1/2"),
            ("Black wins", "0-1"),
            ("unfinished", "*"),
        ]
    },
}

report.sheet(corpus, sheet)

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
stages = pd.Series([positions.phase_of(fen) for fen in fens]).value_counts() / len(fens)

# %% tags=["hide-cell"] mystnb={"code_prompt_show": "Count positions and comments by phase"}
talks = lectures.read_lectures(assets.locate("lectures"))
comments = [comment for talk in talks for comment in talk.comments]
spoken = sum(talk.comment_lines for talk in talks)
problems = sum(len(talk.problems) for talk in talks)
words = np.array([comment.words for comment in comments])
phases = pd.Series([positions.phase_of(each.context.position.fen) for each in comments])
talk_sheet = {
    "lectures": len(talks),
    "lines of play": sum(len(talk.lines) for talk in talks),
    "lines of comment": spoken,
    "lines not understood": problems,
    "comments": len(comments),
    "median words": float(np.median(words)),
    "at most 40 words": int((words <= 40).sum()),
    **{
        f"on {phase} moves": int((phases == phase).sum())
        for phase in ("opening", "middlegame", "endgame")
    },
}

report.boards(
    report.sheet(
        corpus,
        {
            "positions": len(fens),
            "distinct positions": len({fen.rsplit(" ", 2)[0] for fen in fens}),
            **{
                name: float(stages.get(name, 0))
                for name in ("opening", "middlegame", "endgame")
            },
            "in check": float(np.mean([chess.Board(fen).is_check() for fen in fens])),
            "material within 3 pawns": float(
                np.mean([abs(samples.material(fen)) <= 3 for fen in fens])
            ),
        },
    ),
    report.sheet("FICS lectures", talk_sheet),
)

# %% tags=["hide-input"] mystnb={"code_prompt_show": "The documents' corpora and ours"}
published = pd.DataFrame(
    [
        (
            "CCC: concepts",
            "200,000 Lichess positions",
            f"{load_sizes('02_concept_vectors', profile).headline:,} positions of {corpus}",
        ),
        ("CCC: comments", "50 GameKnot moves rated", f"{len(comments):,} lecture comments"),
        (
            "static positions",
            "10 games, 5 levels",
            "200 games of 5 levels (400 positions), 98 recorded positions",
        ),
        (
            "state tracking",
            "200,000 Millionbase games",
            "70,000 of 82,000 games of another series (data/tracking)",
        ),
    ],
    columns=["document and use", "published", "here"],
)
report.table(published.set_index("document and use").rename_axis(None))

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
terms_sheet = pd.DataFrame(
    {
        "median": values.median(),
        "5 %": low,
        "95 %": high,
        "spread (s.d.)": values.std(),
        "share of zeros": (values == 0).mean(),
        "distinct values": values.nunique(),
    }
)
report.table(terms_sheet)

# %% tags=["hide-cell"] mystnb={"code_prompt_show": "Every term in units of its own standard deviation", "figure": {"caption": "Stockfish 8's terms in the corpus, each less its median in units of its own standard deviation. Boxes hold the middle half, whiskers 5 to 95 %. Terms whose box is a line are zero in most positions.", "name": "fig-01-terms-spread"}, "image": {"alt": "Box plots of 42 evaluation terms, White's and Black's: mobility and king safety spread widely, queens and space hardly at all."}}
report.paste(zeros_queens=100 * (values["White Queens"] == 0).mean())
centred = (values - values.median()) / values.std()
fig, ax = plt.subplots(figsize=(7.0, 5.0))
ax.boxplot(
    centred.to_numpy(),
    orientation="horizontal",
    tick_labels=list(values),
    whis=(5, 95),
    showfliers=False,
)
ax.invert_yaxis()
ax.set_xlabel("value less the median, in standard deviations; whiskers: 5 % and 95 %")
plt.show()

# %% [markdown]
# ## Where labels come from
#
# The CCC paper calls the 5 % of positions with the highest value of a term *positive* and the 5 %
# with the lowest *negative*, and drops the rest. Where a tail lies within the zeros, as for the
# queens, which of the equal positions enter it is arbitrary; the next chapter draws them at random.

# %% tags=["hide-input"] mystnb={"code_prompt_show": "Draw the tails of two terms", "figure": {"caption": "Where the labels of a concept come from: the lowest and highest 5 % of two terms (shaded). King safety has two clear tails; for the queens one of them lies within the zeros. The vertical axis is logarithmic.", "name": "fig-01-tails"}, "image": {"alt": "Two histograms with shaded tails: king safety spreads to both sides, the queens' term is a spike at zero."}}
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
report.paste(games_per_level=sizes.games_per_level)
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

# %% tags=["hide-input"] mystnb={"code_prompt_show": "Draw the resampled means, and compare with the library", "figure": {"caption": "A bootstrap interval by hand: the mean loss of games drawn again, with the 2.5 and 97.5 percentiles (solid) and the library's ends (dashed), which lie a little further out.", "name": "fig-01-bootstrap"}, "image": {"alt": "Histogram of resampled means with two solid and two dashed vertical lines at its ends."}}
student = np.sqrt(n_games / (n_games - 1)) * stats.t.ppf(0.975, n_games - 1)
widened = np.quantile(resampled_means, [stats.norm.cdf(-student), stats.norm.cdf(student)])
interval = mean_interval(level_moves["loss"], level_moves["number"], seed=seed)
assert np.allclose(widened, [interval.low, interval.high])
fig, ax = plt.subplots(figsize=(7.0, 2.4))
ax.hist(resampled_means, bins=40, color="#56B4E9")
for end, end_widened in zip(percentiles, widened, strict=True):
    ax.axvline(end, color="black")
    ax.axvline(end_widened, color="#D55E00", ls="--")
ax.set(
    xlabel=f"mean loss of {n_games} resampled games of level {level}, centipawns a move",
    ylabel="samples",
    title="2.5 % and 97.5 %; dashed: the library's ends",
)
plt.show()
print(f"by the cell {widened.round(3)}, by the library {interval:.3f}")

# %% tags=["hide-cell"] mystnb={"code_prompt_show": "Every level by side, and with gains counted"}
by_level = means_by(grades, "level", "loss", cluster="number", seed=seed)
assert by_level[level] == interval
signed = means_by(grades, "level", "signed", cluster="number", seed=seed)
by_side = means_by(grades, ["level", "side"], "loss", cluster="number", seed=seed).unstack()
plan = reference.table("static_positions", "results").set_axis(levels)
shown = pd.DataFrame(
    {
        "plan, one game": plan["Overall Avg"],
        "here": by_level.map("{:.1f}".format),
        "gains counted": signed.map("{:.1f}".format),
        "White": by_side["White"].map("{:.1f}".format),
        "Black": by_side["Black"].map("{:.1f}".format),
        "moves": by_level.map(lambda cell: cell.n),
    }
)
report.table(shown, caption="Mean centipawn loss by level", digits=1)

# %% tags=["hide-input"] mystnb={"code_prompt_show": "Draw the levels beside the plan's games", "figure": {"caption": "Centipawns lost a move by Stockfish's levels: here over many games with 95 % intervals, and in the plan's single games.", "name": "fig-01-levels"}, "image": {"alt": "Points with interval bars for each level, falling from left to right, and crosses for the plan's values."}}
fig, ax = plt.subplots(figsize=(7.0, 2.5))
value = by_level.map(lambda cell: cell.value)
bars = [
    value - by_level.map(lambda cell: cell.low),
    by_level.map(lambda cell: cell.high) - value,
]
at = np.arange(len(levels))
ax.errorbar(at, value, yerr=bars, fmt="o", capsize=3, label="here, 95 % interval")
ax.plot(at, plan["Overall Avg"], "x", color="#D55E00", label="plan, one game")
ax.set_xticks(at, [f"level {n}" for n in levels])
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
per_game = grades[grades["level"] == 10].groupby("number")["loss"].mean()
report.paste(game_low=per_game.min(), game_high=per_game.max())
order = value.rank().corr(pd.Series(levels, index=levels), method="spearman")
plan_order = plan["Overall Avg"].corr(pd.Series(levels, index=levels), method="spearman")
report.paste(order=order, plan_order=plan_order)

enough = by_level[20].high < by_level[5].low
report.paste(
    enough_games=Markdown(
        f"; {sizes.games_per_level} games a level {'can' if enough else 'cannot either'}"
    ),
    acpl_05=by_level[5].value,
    acpl_20=by_level[20].value,
    signed_20=signed[20].value,
)

report.paste(corpus=Markdown(corpus))
report.paste(games=len(games), comments=len(comments), terms=len(oracle.TERMS))
named = "level_{:02d}".format
printed = {
    named(n): reference.lookup("static_positions", "results", f"skill_{n}", "Overall Avg")
    for n in levels
}
report.save(
    "01_positions_and_engines",
    report.rows(len(games), "games.count", unit="games"),
    report.rows(len(fens), "positions.count", unit="positions"),
    report.rows(len(comments), "lectures.comments", unit="commented moves"),
    report.rows(by_level.rename(named), "acpl", unit="centipawns", reference=printed),
    report.rows(signed.rename(named), "acpl.signed", unit="centipawns, gains counted"),
    report.rows(
        report.Result(float(order), n=len(levels), unit="rank correlation"), "acpl.order"
    ),
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
read = {
    name: oracle.evaluate_terms([own.fen], one, progress=False)
    for name, one in versions.items()
}
two = pd.DataFrame(
    {name: terms.middlegame[0] for name, terms in read.items()}, index=oracle.TERMS
)
gaps = (two["Stockfish 15.1"] - two["Stockfish 8"]).abs().sort_values(ascending=False)
report.boards(
    report.board(own, size=260),
    report.table(two.loc[gaps.index[:5]].assign(apart=gaps)),
    report.sheet("total, pawns", {name: float(terms.total[0]) for name, terms in read.items()}),
)

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
report.sheet(
    "level 5, centipawns a move",
    {
        "mean of games' means": float(of_games.mean()),
        "lower end by t": float(by_t[0]),
        "upper end by t": float(by_t[1]),
        "mean of moves, by the library": library_interval,
        "correlation of a game's length and loss": float(
            of_games.corr(weak.groupby("number").size(), method="spearman")
        ),
    },
)

# %% tags=["check", "remove-cell"]
report.check(
    "First the mean of each game, then mean and standard error over games, with one "
    "degree of freedom less than games: the lower end, then the upper one.",
    within=0.05,
    ordered=True,
    by_t=by_t,
)
