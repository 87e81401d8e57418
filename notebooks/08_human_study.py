# ---
# jupyter:
#   kernelspec:
#     display_name: Python 3 (ipykernel)
#     language: python
#     name: python3
# ---

# %% [markdown]
# # A human study
#
# **Only people who play chess can decide whether a comment is good, and we have not asked
# anybody.** In simulation, a study of the paper's size finds a difference of 0.1 in
# {glue:text}`power_paper:.0f` % of the cases at p < 0.05.
#
# ```{glue:figure} power
# :name: fig-08-power
# :alt: Two line charts rising with the number of moves, a line for each number of raters.
# How many moves and raters a study needs: the share of SIMULATED studies that find a difference of 0.1. The
# dashed line is four of five.
# ```
#
# The form below would ask people; try it.

# %% tags=["parameters", "hide-input"] mystnb={"code_prompt_show": "Parameters: the difference to be found"}
profile = "book"
seed = 1
difference = 0.1

# %% tags=["hide-input"] mystnb={"code_prompt_show": "Imports"}
import tempfile
from dataclasses import replace
from html import escape
from itertools import product
from pathlib import Path
import matplotlib.pyplot as plt
import numpy as np
import pandas as pd
from myst_nb import glue
from scipy import stats
from sklearn.metrics import ConfusionMatrixDisplay
from statsmodels.stats import inter_rater
from chessgloss import report
from chessgloss.book import reference
from chessgloss.book.profiles import load_sizes
from chessgloss.commentary.arms import PURPOSE
from chessgloss.commentary.asking import briefings_file, read_briefings
from chessgloss.commentary.moves import documents_examples
from chessgloss.commentary.methods import TITLES, gather_comments
from chessgloss.llm.client import replay
from chessgloss.stats import crossed_mean, mean_interval, share_of, sign_flip_p
from chessgloss.store import find_project
from chessgloss.survey import reading
from chessgloss.survey.simulate import draw, simulate, write_sessions
from chessgloss.survey.study import (
    DIMENSIONS,
    Key,
    Settings,
    Study,
    StudyMove,
    read_key,
    study_of,
    write_form,
)

sizes = load_sizes("08_human_study", profile)
report.use_house_style()

# %%
methods = ["notes", "bare", "verdict", "reasoning", "ccc"]
examples = [each for each in documents_examples() if each.name != "ccc/figA5"]
briefings = read_briefings(briefings_file())
written = gather_comments(methods, examples, briefings, replay(PURPOSE))
two_moves = study_of(
    written,
    {each.name: each.move for each in examples},
    methods,
    title="Comments on two moves",
)
page = write_form(Key(study=two_moves, secret="0" * 64), Settings(pilot_moves=1))

# %% tags=["hide-input"] mystnb={"code_prompt_show": "Show the form in a frame"}
report.Html(
    '<iframe title="The form of the study, to be tried" loading="lazy" '
    'sandbox="allow-scripts allow-forms allow-downloads allow-modals" style="width:100%;'
    'height:400px;border:1px solid #8a9297;border-radius:8px" '
    f'srcdoc="{escape(page)}"></iframe>',
    "(the form, with two moves)",
)

# %% [markdown]
# This is the form with two moves that the CCC paper prints {cite}`kim2024ccc` and five comments on
# each: the program's notes and those of four arms. In this frame nothing is kept.
#
# ## The form
#
# `chessgloss survey build study.json -o form.html --organiser "…"` writes one HTML page and a key.
# The page asks for consent and playing strength, explains each criterion, and shows one comment at
# a time, in an order of the participant's own. Only the key says which method wrote which. Answers
# stay in the browser; at the end there is a file to hand over.
#
# ## What the paper found
#
# Five participants, rated above 1500 on Chess.com, saw fifty moves with five comments each (Section
# 4.2).

# %% tags=["hide-input"] mystnb={"code_prompt_show": "Draw the marks of people", "figure": {"caption": "What five people said in the CCC paper: their marks by method and criterion, as printed. None of these numbers is ours.", "name": "fig-08-people"}, "image": {"alt": "Grouped points of the paper's marks for five methods."}}
people = reference.table("ccc", "table1").drop(columns="Words per comment")
axes = people.T.plot(
    style="o",
    figsize=(8.4, 3),
    ylim=(0, 1),
    ylabel="mean rating, 0 to 1",
    title="The paper's Table 1: what people said",
)
axes.legend(loc="lower left", bbox_to_anchor=(1, 0))
plt.show()

# %% [markdown]
# A star in the printed Table 1 means p < 0.001 against CCC; the paper does not say by which test.
# Table 3 speaks of Fleiss' kappa {cite}`fleiss1971measuring` "of ranks" but cites a work on
# weighted kappa {cite}`fleiss1973equivalence`. We compute kappa over the rank that each rater gives
# to each comment on a move, and Krippendorff's alpha {cite}`krippendorff2004content`, for which
# four points are nearer to five than one is.

# %% [markdown]
# ## From form to tables, on simulated ratings
#
# **No person rated anything in this section.** A simulated rater's impression of a comment is a sum
# of the method's effect, the rater's severity, the move, the comment itself, and noise. The effects
# are chosen so that the expected scores are those of the paper's Table 1, and the spreads so that
# raters agree about as much as the paper's did. What is tested is everything after the rater: file,
# key, checks, tables.

# %%
METHODS = {
    "Reference": "reference",
    "GAC": "gac",
    "GPT-4o": "bare",
    "GPT-4o + expert": "verdict",
    "GPT-4o + expert + concept (CCC)": "ccc",
}
planted = people.rename(index=METHODS, columns=str.lower)[list(DIMENSIONS)]
positions = [briefings[name].move for name in sorted(briefings)[: sizes.moves]]
mute = [
    StudyMove(
        name=f"move {number}",
        fen=move.position.fen,
        move=move.uci,
        comments={
            method: f"The comment by {method} on move {number}." for method in planted.index
        },
    )
    for number, move in enumerate(positions, start=1)
]
simulated_key = Key(study=Study(title="SIMULATED", moves=mute), secret="0" * 64)
drawn = simulate(planted, [move.name for move in mute], sizes.raters, seed=seed)

# %%
with tempfile.TemporaryDirectory() as folder:
    files = write_sessions(Path(folder), simulated_key, drawn)
    simulated = reading.read_ratings(files, simulated_key)
print(
    f"{len(files)} files read, {len(simulated.frame):,} ratings of "
    f"{len(simulated.moves)} moves; {simulated.label}"
)

# %% tags=["hide-input"] mystnb={"code_prompt_show": "Ratings by people, if there are any"}
inbox = find_project() / "data/ratings"
files = sorted(inbox.glob("ratings-*.json"))
ratings, key, scores = simulated, simulated_key, None
if files:
    key = read_key(next(inbox.glob("*.key.json")))
    ratings = reading.read_ratings(files, key)
    if ratings.simulated:
        raise ValueError("these ratings are simulated: they are not what people sent")
    if (inbox / "scores.csv").is_file():
        scores = reading.read_scores(inbox / "scores.csv", ratings)
print(f"shown below: {ratings.label}")

# %%
first = reading.table1(ratings, key.study.words(), key.study.baseline, seed=seed)
printed_so = reading.as_printed(first).rename(index=TITLES)
report.table(
    printed_so.drop(columns="words") if ratings.simulated else printed_so,
    caption=f"Table 1 from {ratings.label}; * p < 0.001 against {TITLES[key.study.baseline]}",
)

# %% [markdown]
# A star is our own test: a method's difference from `ccc` is averaged over raters for each move,
# and the signs of these differences are flipped at random. With fewer than eleven moves no star is
# possible.

# %% tags=["hide-cell"] mystnb={"code_prompt_show": "Table 2 from these ratings: causes of error"}
report.table(
    reading.table2(ratings, seed=seed).map("{:.2f}".format).rename(columns=TITLES),
    caption=f"Table 2 from {ratings.label}: share of all comments",
)

# %% [markdown]
# ### Kappa, from its table
#
# How far do raters agree, beyond what chance gives? Fleiss' kappa needs only counts: for each
# comment, how many raters gave it 1 point, 2 points and so on. Two tables of *pairs* of ratings of
# one comment follow: how often *i* met *j*, and how often it would if every rating were drawn from
# the same pool. Agreement is the diagonal of each.

# %%
criterion = "relevance"
points = ratings.cube(criterion)
n_raters = points.shape[2]
rated = points.reshape(-1, n_raters)
rated = rated[~np.isnan(rated).any(axis=1)]
values = np.arange(1, DIMENSIONS[criterion] + 1)
counts = np.stack([(rated == value).sum(axis=1) for value in values], axis=1)
print(f"points.shape = {points.shape} (moves, methods, raters)")
print(f"counts.shape = {counts.shape} (comments, points 1 to {values[-1]}); first: {counts[0]}")

share = counts.sum(axis=0) / counts.sum()
# of counts [0 1 1 2 1], five ratings, the product pairs each rating with all five: 20 pairs and itself
pairs = counts.T @ counts - np.diag(counts.sum(axis=0))  # a rating is no pair with itself
pairs = pairs / (len(counts) * n_raters * (n_raters - 1))
by_chance = np.outer(share, share)
observed = np.trace(pairs)
expected = np.trace(by_chance)
kappa = (observed - expected) / (1 - expected)
print(f"share of each value: {share.round(3)}")
print(f"observed = {observed:.4f}, expected = {expected:.4f}")
print(f"kappa = (observed - expected) / (1 - expected) = {kappa:.4f}")

# %% tags=["hide-input"] mystnb={"code_prompt_show": "Draw the pairs", "figure": {"caption": "Kappa from its table: pairs of ratings of one comment as observed (left) and as chance would pair them (right). Agreement is the diagonal.", "name": "fig-08-kappa"}, "image": {"alt": "Two square matrices of shares; the observed one is heavier on the diagonal."}}
figure, axes = plt.subplots(1, 2, figsize=(6.0, 2.9), sharey=True)
titles = f"observed, {observed:.2f} on the diagonal", f"by chance, {expected:.2f}"
for ax, matrix, title in zip(axes, (pairs, by_chance), titles, strict=True):
    drawn_pairs = ConfusionMatrixDisplay(matrix, display_labels=values)
    scale = {"vmin": 0, "vmax": 2 * pairs.max()}
    drawn_pairs.plot(
        ax=ax,
        cmap="Blues",
        values_format=".2f",
        colorbar=False,
        im_kw=scale,
        text_kw={"color": "black"},
    )
    ax.set(title=title, xlabel="points of one rater", ylabel="points of another")
    ax.grid(visible=False)
figure.suptitle(f"Pairs of {ratings.label}, {criterion}")
plt.show()

# %% [markdown]
# statsmodels computes the same from the counts; the library adds kappa over ranks and alpha, with
# intervals over moves.

# %%
third = reading.table3(ratings, seed=seed)
from_statsmodels = inter_rater.fleiss_kappa(inter_rater.aggregate_raters(rated)[0])
by_library = third.loc[criterion, "kappa_points"]
assert np.allclose([from_statsmodels, by_library.value], kappa)
print(f"statsmodels: {from_statsmodels:.4f}; library, with interval: {by_library:.2f}")

# %% tags=["hide-cell"] mystnb={"code_prompt_show": "Table 3 from these ratings: agreement, beside the paper's"}
kappas = reference.table("ccc", "table3")["kappa"].rename(str.lower)
report.table(third.assign(paper=kappas), caption=f"Table 3 from {ratings.label}")

# %% [markdown]
# Kappa is lower than alpha, because it counts a rating of four against five as a full disagreement.
# Table 4 needs human ratings and automatic scores of the same comments (`data/ratings/scores.csv`).

# %% tags=["hide-cell"] mystnb={"code_prompt_show": "Table 4: waits for ratings by people"}
fourth = pd.DataFrame({"state": {"Table 4": "waits for human ratings, and scores beside them"}})
if scores is not None:
    fourth = reading.table4(ratings, scores, seed=seed)
report.table(fourth, caption="Table 4")

# %% [markdown]
# ## Are the planted differences recovered?
#
# The same study is simulated many times. Sound intervals contain the planted value about 95 times
# in a hundred. A bootstrap of moves treats these raters as the only ones, but a severe rater shifts
# every score. The intervals shown above therefore allow for other moves *and other raters* (a
# two-way table, Satterthwaite's degrees of freedom).


# %%
def which_hold(cells, truth):
    """Return whether an interval over moves and raters, and one over moves, hold the truth."""
    intervals = {
        "moves and raters": crossed_mean(cells),
        "moves alone": crossed_mean(cells.mean(axis=1, keepdims=True)),
    }
    return {name: each.low <= truth <= each.high for name, each in intervals.items()}


random = np.random.default_rng(seed)
rows = []
for criterion, points in DIMENSIONS.items():
    studies = draw(planted[criterion], (sizes.moves, sizes.raters), random, sizes.repeats)
    *others, ccc = np.moveaxis(studies, 2, 0)  # of each method: studies, moves, raters
    for method, theirs in zip(planted.index, others, strict=False):
        score = planted.loc[method, criterion]
        gap = score - planted.loc["ccc", criterion]
        for repeat, study in enumerate(theirs):
            less = (study - ccc[repeat]) / (points - 1)
            rows.append(
                {
                    "study": repeat,
                    "right sign": less.mean() * gap > 0,
                    "differences": which_hold(less, gap),
                    "scores": which_hold((study - 1) / (points - 1), score),
                }
            )

# %% tags=["hide-input"] mystnb={"code_prompt_show": "Shares of what was planted, with intervals over studies"}
recovery = pd.json_normalize(rows)
held = recovery.drop(columns="study").apply(
    lambda hits: mean_interval(hits, recovery["study"], seed=seed)
)
report.table(
    pd.DataFrame(
        {
            over: {what: held[f"{what}.{over}"] for what in ("differences", "scores")}
            for over in ("moves and raters", "moves alone")
        }
    ),
    digits=3,
    caption="SIMULATED: share of what was planted that the 95 % "
    f"intervals hold; {sizes.repeats} studies",
)

# %% [markdown]
# ## How many raters, how many moves?
#
# Two methods differ by 0.1 in relevance (0.6 and 0.5). How often does a study of a given size
# detect that? The answer is the picture at the head of the chapter.


# %%
def power_curve(raters, moves, gap, unit="move"):
    """Return how often simulated studies of each size find a difference in relevance."""
    rows = []
    for n_raters, n_moves in product(raters, moves):
        random = np.random.default_rng([seed, n_raters, n_moves])
        scores = pd.Series([0.6, 0.6 - gap], name="relevance")
        studies = draw(scores, (n_moves, n_raters), random, sizes.power_repeats)
        less = (studies[:, :, 0] - studies[:, :, 1]).astype(float)
        if unit == "move":
            p = sign_flip_p(less.mean(axis=-1), seed=seed, flips=4_000)
        else:
            p = stats.ttest_1samp(less.reshape(len(less), -1), 0, axis=1).pvalue
        rows += [
            {"raters": n_raters, "moves": n_moves, "level": level, "power": share_of(p < level)}
            for level in (0.05, 0.001)
        ]
    return pd.DataFrame(rows)


curve = power_curve(sizes.power_raters, sizes.power_moves, difference)

# %% tags=["hide-input"] mystnb={"code_prompt_show": "Draw the power, at the head of the chapter"}
fig, axes = plt.subplots(1, 2, sharey=True, figsize=(7.0, 2.2))
shares = curve.assign(share=[each.value for each in curve["power"]])
for ax, (level, of_level) in zip(axes, shares.groupby("level", sort=False), strict=True):
    lines = of_level.pivot(index="moves", columns="raters", values="share")
    lines.plot(ax=ax, marker="o", ylim=(0, 1.02), title=f"p < {level} (SIMULATED)")
    ax.axhline(0.8, color="0.5", linewidth=0.8, linestyle="--")
axes[0].set_ylabel("share that find 0.1")
axes[0].get_legend().remove()
glue("power", fig, display=False)
plt.close(fig)

# %% tags=["hide-input"] mystnb={"code_prompt_show": "How many moves are enough"}
enough = shares[shares["share"] >= 0.8]
needed = enough.pivot_table(index="raters", columns="level", values="moves", aggfunc="min")
needed = needed.reindex(sizes.power_raters, columns=[0.05, 0.001]).rename_axis(columns=None)
report.table(
    needed.rename(columns="p < {}".format).fillna(f"> {max(sizes.power_moves)}"),
    caption="SIMULATED: fewest of the moves tried that find 0.1 in 80 of 100 studies",
    digits=0,
)

# %% [markdown]
# More moves help more than more raters, because only other moves average out the effect of a single
# comment. In the model, raters differ in severity and noise but not in taste; if real raters differ
# in taste, more of them are needed.
#
# ### What is a unit?
#
# The paper stars differences as small as 0.06 with fifty moves. In our simulation, a test over
# moves rarely finds such differences. A test that treats the 250 ratings as independent does, but
# five ratings of one comment are not five comments.

# %%
units = pd.DataFrame(
    {
        (f"units: {unit}s", f"difference {gap:g}"): power_curve(
            [sizes.raters], [sizes.moves], gap, unit
        ).set_index("level")["power"]
        for unit in ("move", "rating")
        for gap in (difference, 0)
    }
)
report.table(
    units.rename(index="p < {}".format).T,
    caption="SIMULATED: share of studies with "
    f"a significant difference; {sizes.raters} raters, {sizes.moves} moves",
)

# %% [markdown]
# When there is no difference at all, the test over ratings reports one in
# {glue:text}`false_ratings:.0f` % of the studies at p < 0.05, the test over moves in
# {glue:text}`false_alarms:.0f` %. We do not know which test the paper used.
#
# ## Running the study
#
# :::{dropdown} Collect, build, read: three commands
# ```{code-block} bash
# chessgloss survey collect -o study.json
# chessgloss survey build study.json -o form.html --organiser "name, address"
# chessgloss survey read ratings-*.json --key form.key.json --scores scores.csv
# ```
#
# `collect` gathers five comments on each move: a person's, GAC's, and those of three arms of the
# experiment in [chapter 4](04_commentary.ipynb) that stand for the paper's prompts. The human comments
# belong to their authors: such a form is not for publication. Put the raters' files, `form.key.json`
# and `scores.csv` into `data/ratings/` and run this chapter again.
# :::
#
# ## Recap
#
# - The form runs in any browser without a network and never names a method. Our values of Tables 1,
#   3 and 4 are missing, because only people can give them.
# - Of the planted differences, {glue:text}`recovered:.0f` % are within their 95 % interval over
#   moves and raters, and {glue:text}`signs:.0f` % are found with the right sign.
# - Intervals over moves alone hold {glue:text}`scores_by_moves:.0f` % of the planted scores, those
#   over moves and raters {glue:text}`scores:.0f` %.

# %% tags=["remove-input"]
power = curve.set_index(["raters", "moves", "level"])["power"]
false = units.loc[0.05].xs("difference 0", level=1)
report.paste(
    recovered=100 * held["differences.moves and raters"].value,
    scores=100 * held["scores.moves and raters"].value,
    scores_by_moves=100 * held["scores.moves alone"].value,
    signs=100 * held["right sign"].value,
    false_alarms=100 * false["units: moves"].value,
    false_ratings=100 * false["units: ratings"].value,
    power_paper=100 * power[5, 50, 0.05].value,
)

# %% tags=["remove-input"]
#: What keys call the paper's rows and columns, where it is not their own name.
NAMES = {
    "GPT-4o": "llm",
    "GPT-4o + expert": "llm_expert",
    "GPT-4o + expert + concept (CCC)": "ccc",
    "GCC-Eval": "gcc_eval",
    "rho": "pearson",
    "tau": "kendall",
}


def key_of(cell):
    """Return the key of a value that the paper prints in Table 1, 3 or 4, None of all others."""
    row = NAMES.get(cell.row, cell.row.replace("-", "").lower())
    criterion, _, sign = cell.column.partition(" ")
    keys = {
        "table1": f"table1.{criterion.lower()}.{row}",
        "table3": f"table3.{row}",
        "table4": f"table4.{row}.{criterion.lower()}.{NAMES.get(sign)}",
    }
    return keys.get(cell.table) if cell.column != "Words per comment" else None


of_people = {}
if not ratings.simulated:
    ours = first.pivot(index="dimension", columns="method", values="mean").loc[[*DIMENSIONS]]
    ours = ours.rename(columns={"bare": "llm", "verdict": "llm_expert"})
    needs = "ratings by people"
    of_people = report.rows(ours, "table1", needs=needs)
    of_people |= report.rows(third["kappa_ranks"], "table3", needs=needs)
if scores is not None:
    of_people |= report.rows(fourth, "table4", needs="automatic scores", drop=True)
compared = of_people | {
    key_of(cell): replace(
        of_people.get(key_of(cell), report.Result(None, needs="ratings by people")),
        reference=cell.value,
        source=cell.key,
    )
    for cell in reference.load("ccc")
    if key_of(cell) and cell.value is not None
}

# %% tags=["remove-input"]
report.save(
    "08_human_study",
    compared,
    report.rows(
        {
            "recovered": held["differences.moves and raters"],
            "recovered.by_moves": held["differences.moves alone"],
            "sign": held["right sign"],
        },
        "survey.simulated",
        unit="share of planted differences",
    ),
    report.rows(
        {
            "scores": held["scores.moves and raters"],
            "scores_by_moves": held["scores.moves alone"],
        },
        "survey.simulated.recovered",
        unit="share of planted scores",
    ),
    report.rows(
        {
            "false_alarms": false["units: moves"],
            "power.p05": power[5, 50, 0.05],
            "power.p001": power[5, 50, 0.001],
        },
        "survey.simulated",
        unit="share of studies",
    ),
    report.rows(len(DIMENSIONS), "figure_a2.criteria", unit="criteria explained"),
    report.rows(
        {
            "correctness_points": DIMENSIONS["correctness"],
            "relevance_points": DIMENSIONS["relevance"],
        },
        "figure_a3",
        unit="points",
        reference={
            "correctness_points": reference.lookup("ccc", "figureA3", "correctness", "points"),
            "relevance_points": reference.lookup("ccc", "figureA3", "other criteria", "points"),
        },
    ),
)

# %% tags=["remove-input"]
report.evidence(
    len(ratings.frame),
    f"{ratings.label} of comments",
    seed,
    interval="95 % over moves and raters; shares: Wilson",
    versions={"raters": str(len(ratings.raters))},
)

# %% [markdown]
# ## Exercises
#
# **1. Kappa and chance.** Two raters toss coins that show 1 with probability 0.9, and else 0, for
# 10,000 comments. How often do they agree, and what is their kappa (`inter_rater` of statsmodels)?

# %% tags=["solution", "hide-cell"] mystnb={"code_prompt_show": "A solution: much agreement, no kappa: chance alone"}
# Much agreement, no kappa: chance alone.
coins = (np.random.default_rng(seed).random((10_000, 2)) < 0.9).astype(int)
counted = inter_rater.aggregate_raters(coins)[0]
two_coins = {
    "agree": float((coins[:, 0] == coins[:, 1]).mean()),
    "Fleiss's kappa": float(inter_rater.fleiss_kappa(counted)),
}
report.sheet("two coins", two_coins)

# %% tags=["check", "remove-cell"]
report.check(
    "Two numbers, agreement first. Two such coins agree in 0.9 x 0.9 + 0.1 x 0.1 = 82 % "
    "of cases, and kappa is near zero; both within 0.05.",
    two_coins=(
        two_coins,
        lambda found: (
            len(found) == 2 and np.allclose(pd.Series(found), [0.82, 0], rtol=0, atol=0.05)
        ),
    ),
)

# %% [markdown]
# **2. One lenient rater.** Let the first rater of `rated` give one point more, up to the maximum.
# What are kappa and Kendall's tau of the first two raters before, and what after?

# %% tags=["solution", "hide-cell"] mystnb={"code_prompt_show": "A solution: a shift of one rater lowers kappa and leaves ranks nearly as they were"}
# A shift of one rater lowers kappa and leaves ranks nearly as they were.
lenient = rated.copy()
lenient[:, 0] = np.minimum(lenient[:, 0] + 1, values[-1])
shifted = {}
for name, table_of_points in (("as rated", rated), ("first rater lenient", lenient)):
    shifted[name] = {
        "kappa": inter_rater.fleiss_kappa(inter_rater.aggregate_raters(table_of_points)[0]),
        "rank correlation": stats.kendalltau(
            table_of_points[:, 0], table_of_points[:, 1]
        ).statistic,
    }
report.table(pd.DataFrame(shifted).T)

# %% tags=["check", "remove-cell"]
report.check(
    "A copy of `rated` whose first column is one higher, at most the highest of `values`. "
    "Kappa and Kendall's tau of the first two raters, as rated and shifted: four numbers.",
    ordered=True,
    shifted=shifted,
)

# %% [markdown]
# **3. A larger difference.** How often would the study find `difference`, and how often 0.2, in
# relevance with `sizes.raters` raters and a quarter of the moves? Use `power_curve`.

# %% tags=["solution", "hide-cell"] mystnb={"code_prompt_show": "A solution: power at a quarter of the moves, for two differences"}
# Power at a quarter of the moves, for two differences.
quarter = max(5, sizes.moves // 4)
powers = {
    f"difference {gap:g}": power_curve([sizes.raters], [quarter], gap).set_index("level")[
        "power"
    ]
    for gap in (difference, 0.2)
}
report.table(
    pd.DataFrame(powers).rename(index="p < {}".format),
    caption=f"SIMULATED: {sizes.raters} raters, {quarter} moves",
)

# %% tags=["check", "remove-cell"]
report.check(
    "One power for each level and difference, from `power_curve` with one number of "
    "raters and one of moves; a larger difference is found at least as often.",
    within=0.02,
    ordered=True,
    powers=powers,
)
