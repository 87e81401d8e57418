# ---
# jupyter:
#   kernelspec:
#     display_name: Python 3 (ipykernel)
#     language: python
#     name: python3
# ---

# %% [markdown]
# # GCC-Eval: a judge and its scores
#
# {glue:text}`pairs_says` {glue:text}`steps_says` {glue:text}`concepts_say`
#
# {glue:text}`hint_says` Its scores of relevance correlate with the number of words at
# {glue:text}`words:.2f`.
#
# A move can be explained well in many ways, so a word-by-word comparison with a human comment says
# little. The CCC paper {cite}`kim2024ccc` therefore asks a language model to judge, helped by an
# engine. This is GCC-Eval (Section 3.2), the paper's second contribution, built on G-Eval
# {cite}`liu2023geval`. We repeat its Table 5 with the judge {glue:text}`judge`, where the paper has
# GPT-4o, and then test the judge itself.

# %% tags=["parameters"]
profile = "book"
seed = 1
model = "qwen2.5-coder-1.5b-q4_k_m"
judged_by = ""  # another model whose answers as a judge of these comments are recorded
shown = "ccc/figA1"

# %% tags=["hide-input"]
from itertools import combinations

import numpy as np
import pandas as pd
import matplotlib.pyplot as plt
import statsmodels.formula.api as smf
from rouge_score.rouge_scorer import RougeScorer
from sacrebleu.metrics import BLEU
from scipy.special import logsumexp, softmax
from sklearn.linear_model import LogisticRegression
from sklearn.metrics import roc_auc_score
from chessgloss import report
from chessgloss.book import reference
from chessgloss.book.profiles import load_sizes
from chessgloss.commentary.arms import ARMS, CONTRASTS, PURPOSE, ask_arms, read_published
from chessgloss.commentary.asking import NODES, briefings_file, read_briefings
from chessgloss.commentary.methods import TITLES, commentators, gather_comments
from chessgloss.commentary.moves import evaluated_moves
from chessgloss.judges import gcc, trials
from chessgloss.judges.contrasts import holm
from chessgloss.judges.gcc import DIMENSIONS, judge_request, read_score
from chessgloss.judges.injection import without_injections
from chessgloss.llm.client import model_title, recorded_models, replay
from chessgloss.stats import (
    Interval,
    area_under_curve,
    bootstrap,
    correlation,
    mean_interval,
    means_by,
    paired_permutation,
)

sizes = load_sizes("06_gcc_eval", profile)
report.use_house_style()
briefings = read_briefings(briefings_file())
known = briefings | trials.gold_briefings()
arms = [name for name in trials.METHODS if name in ARMS]
written = replay(PURPOSE, model)
published = read_published()
asked_for_comments = pd.DataFrame(
    [
        {"move": name, "request": request}
        for name in briefings
        for request in ask_arms(briefings[name], arms, published[name])
    ]
)
commented = set(gcc.answered_whole(asked_for_comments, written)["move"])
evaluated = [move for move in evaluated_moves(seed) if move.name in commented]
comments = gather_comments(trials.METHODS, evaluated, briefings, written)
texts = trials.trial_texts(comments, briefings)

names = {move.name for move in evaluated[:: len(evaluated) // sizes.moves]} | {shown}
few = trials.spread(list(briefings), trials.FEW_MOVES)[: sizes.few]
first = texts["labelled"].drop_duplicates("variant").groupby("half").head(sizes.labelled)
chosen = {
    "table 5": texts["table 5"].query("move in @names"),
    "without hint": texts["without hint"].query("move in @names"),
    "minimal pairs": texts["minimal pairs"].query("pair < @sizes.pairs"),
    "swapped": texts["swapped"].query("written_on in @names"),
    "changed": texts["changed"].query("move in @few"),
    "labelled": texts["labelled"].query("variant in @first.variant"),
}
# what is judged as a whole or, while the answers are being recorded, not yet
units = {"minimal pairs": "pair", "swapped": "written_on", "labelled": "variant"}
judge_name = judged_by or model
client = replay("gcc_eval", judge_name)
judged = {
    name: gcc.judge(
        rows, known, client, screened=name != "changed", whole=units.get(name, "move")
    )
    for name, rows in chosen.items()
}
choices = trials.choice_questions(comments, briefings)
choices = choices[choices["move"].isin(choices["move"].unique()[: sizes.choices])]
choices = client.answered(gcc.answered_whole(choices, client))
judgements = sum(map(len, judged.values())) + len(choices)

scores = judged["table 5"]
methods = [name for name in trials.METHODS if name in set(scores["method"])]
print(
    f"{judgements:,} judgements; Table 5: {len(scores) // len(DIMENSIONS)} comments on "
    f"{scores['move'].nunique()} of {len(briefings)} moves"
)
example = scores.query("move == @shown and method == 'ccc'")
example_text = example["text"].iloc[0]
example_briefing = briefings[shown]
report.boards(
    report.board(example_briefing.move, size=260),
    report.texts(
        {"CCC": example_text}
        | {row.asked: f"{1 + 4 * row.score:.2f} of 5" for row in example.itertuples()},
        f"A comment on {example_briefing.move.numbered_san}, and the judge's scores",
    ),
)

# %% [markdown]
# In this chapter we
#
# - compute one score from the probabilities of one recorded answer;
# - ask the judge about ten methods in four dimensions (Figure A1, Table 5), step by step of the
#   paper's argument and at equal length;
# - ask whether it notices a false word, and what the engine's hint is worth to it;
# - ask whether it notices a comment on another move, and whether it ignores praise and padding;
# - use it to choose the best of seven comments, and as a reader who learns from a comment;
# - correlate BLEU, ROUGE and GCC-Eval with the checker and with the judge. The paper's Table 4
#   correlates them with ratings by people, which is another quantity; nothing here answers it.
#
# Every answer was given by the model named above and is replayed: {glue:text}`judgements`
# judgements. No person rated anything here. The only human ratings are those of the paper's Table 4,
# quoted as printed. The paper tests its judge by that table alone. The comments are those of the
# experiment of the last two chapters: one prompt, and arms that differ in what it contains.
#
# ## What is asked
#
# A constant part states the criterion and the steps. Then come the position, the move and, for
# relevance and completeness, the engine's hint. The comment comes last, between marks that it cannot
# imitate. The paper writes all of this into one message. We split it, so that a server reads the
# beginning once for all comments on a move. Clarity is judged without the hint, and fluency by the
# comment alone.

# %%
question = judge_request(example_text, example_briefing, "relevance")
turns = {
    f"{turn.role} {place}": " ".join(turn.content.split())
    for place, turn in enumerate(question.messages, start=1)
}
report.texts(turns, "Figure A1 (a): relevance, on the move of the paper's figure")

# %% [markdown]
# ## From a token to a score
#
# The answer is one token. We know its log-probability and those of the nineteen next most likely
# tokens. The score is the mean of the digits from 1 to 5, each weighted by its probability (the
# paper's Equation 1): a softmax over the log-probabilities of the digits. The probability of other
# tokens is left out. For a judge that gives no log-probabilities, the digit that it writes has
# probability 1. Change `asked_dimension`, or the comment above, and the bars change.

# %% mystnb={"figure": {"caption": "GCC-Eval's score of one comment by hand: the probability of each digit, and the expected score that is made of them.", "name": "fig-06-expected-score"}, "image": {"alt": "Five bars of probability for the scores 1 to 5 and a vertical line at the expected score."}}
asked_dimension = "relevance"
answer = client.ask(judge_request(example_text, example_briefing, asked_dimension))
digits = np.arange(1, 6)
given = answer.tokens[0].alternatives if answer.tokens else [(answer.text, 0.0)]
tokens, logprobs = zip(*given, strict=True)
logprob_of_digit = np.array(
    [
        logsumexp([value for token, value in given if token.strip() == str(digit)] or [-np.inf])
        for digit in digits
    ]
)
weights = softmax(logprob_of_digit)
expected_score = weights @ digits

print("logprob_of_digit =", logprob_of_digit.round(3))
print("weights          =", weights.round(4), f" sum {weights.sum():.3f}")
print("mass on 1 to 5   =", np.exp(logsumexp(logprob_of_digit)).round(5))
print(f"expected_score   = {expected_score:.4f}, the answer itself: {answer.text!r}")

figure, axes = plt.subplots(figsize=(5.5, 2.6))
axes.bar(digits, weights, color=report.PALETTE[0])
axes.axvline(
    expected_score, color=report.PALETTE[1], label=f"expected score {expected_score:.2f}"
)
axes.set(
    xlabel="score", ylabel="probability", ylim=(0, 1), title=f"The judge on {asked_dimension}"
)
axes.legend()
plt.show()

# %% [markdown]
# The library does the same for every answer. It also accepts other forms of a digit (`4/5`). An answer
# that is not a score is *unscored*, not zero. Scores are shown as shares of the scale: 1 becomes 0, and
# 5 becomes 1.

# %% tags=["hide-cell"]
# The library's score, and the likeliest tokens.
score = read_score(answer)
assert np.isclose(score.value, expected_score, equal_nan=True)
probabilities = pd.Series(
    np.exp(logprobs), [repr(token) for token in tokens], name="probability"
)
report.boards(
    report.table(
        probabilities.nlargest(8).to_frame(), caption="The likeliest tokens", digits=5
    ),
    report.sheet(
        "The library",
        {"score": score.value, "share of the scale": score.share, "mass on 1 to 5": score.mass},
    ),
)

# %% [markdown]
# ## Table 5
#
# Ten methods, four dimensions. The paper's `GPT-4o` rows are shown beside our rows that are asked in the
# same way, although model, moves and human comments differ. Intervals draw whole moves.

# %% tags=["hide-input"]
read = scores.dropna(subset="score")
means = means_by(read, ["method", "asked"], "score", cluster="move", seed=seed).unstack()
means = means.loc[methods, list(DIMENSIONS)]
rows_of_paper = {
    "reference": "Reference",
    "gac": "GAC",
    "bare": "GPT-4o",
    "verdict": "GPT-4o + expert",
    "ccc": "GPT-4o + expert + concept (CCC)",
}
cells = {
    (method, asked): reference.lookup("ccc", "table5", row, asked.capitalize())
    for method, row in rows_of_paper.items()
    for asked in DIMENSIONS
}
paper = pd.Series({key: cell.value for key, cell in cells.items()}).unstack()[list(DIMENSIONS)]
table5 = pd.concat({"paper": paper.reindex(means.index), "ours": means}, axis=1)
by_dimension = table5.swaplevel(axis=1)
report.boards(
    *(
        report.table(
            by_dimension[list(pair)].rename(index=TITLES),
            caption=f"Table 5, {' and '.join(pair)}: shares of the scale",
        )
        for pair in (("relevance", "completeness"), ("clarity", "fluency"))
    )
)

# %% [markdown]
# The paper argues step by step: first the engine's evaluation, then concepts. Each of our arms
# differs from its neighbour in one part of the prompt, so that a step is the mean difference of two
# arms on the same moves. The sign of each move's difference is drawn at random 9,999 times. An
# asterisk marks a difference that chance reaches in less than one in a thousand draws, as in the
# paper's Table 1. Where this chapter says that a step raises a score, its p-value is below 0.05 by
# Holm's method {cite}`holm1979sequentially` over the five steps.

# %% tags=["hide-input"]
by_move = {
    asked: read[read["asked"] == asked].pivot(index="move", columns="method", values="score")
    for asked in DIMENSIONS
}
step_titles = {
    "verdict": "the engine's verdict",
    "attacks": "the list of attacks",
    "reasoning": "reasoning before the comment",
    "concepts": "five concepts",
    "right_other": "the right five concepts, not five others",
}


# %%
def paired(asked, more, less):
    """Return the mean difference of two methods' scores on the same moves."""
    both = by_move[asked][[more, less]].dropna()
    return paired_permutation(both[more], both[less], seed=seed)


steps = pd.DataFrame(
    {
        asked: {step: paired(asked, *CONTRASTS[step][0]) for step in step_titles}
        for asked in DIMENSIONS
    }
)

# %% tags=["hide-input"]
others = ["bare", "verdict", "notes", "gac", "reference"]
ccc_less = pd.DataFrame(
    {asked: {other: paired(asked, "ccc", other) for other in others} for asked in DIMENSIONS}
)
compared = pd.concat(
    [
        steps.rename(index=step_titles),
        ccc_less.rename(index=lambda other: f"CCC less: {TITLES[other]}"),
    ]
)


def in_points(found):
    """Return a paired difference in hundredths of the scale, with its asterisk."""
    return f"{found.difference.in_percent():.1f}{'*' if found.p < 0.001 else ''}"


report.table(
    compared.map(in_points),
    caption="What a step does, and CCC less others: paired differences, in hundredths of the scale",
)

# %% [markdown]
# {glue:text}`table5_says`

# %% tags=["hide-cell"] mystnb={"figure": {"caption": "How the judge's scores are spread, by dimension and method, as shares of the scale. A box that is only a line means that all scores are alike.", "name": "fig-06-spread"}, "image": {"alt": "Four panels of box plots, one for each dimension, a box for each method."}}
# How widely the scores spread: a judge that gives every comment the same mark says nothing.
figure, axes = plt.subplots(1, 4, figsize=(9, 3), sharey=True)
for axis, asked in zip(axes, DIMENSIONS, strict=True):
    axis.boxplot(
        [by_move[asked][method].dropna() for method in methods],
        orientation="horizontal",
        widths=0.6,
        tick_labels=[TITLES[method] for method in methods],
    )
    axis.set(title=asked, xlim=(0, 1), xlabel="share of the scale")
axes[0].invert_yaxis()

# %% tags=["hide-cell"]
# Spread in numbers, probability on the scale, unscored answers.
weighed = read.dropna(subset="mass")  # a judge without log-probabilities gives none
spreads = pd.DataFrame(
    {
        "standard deviation": read.groupby("asked")["score"].std(),
        "lowest tenth": read.groupby("asked")["score"].quantile(0.1),
        "highest tenth": read.groupby("asked")["score"].quantile(0.9),
        "mass on 1 to 5": means_by(weighed, "asked", "mass", cluster="move", seed=seed),
        "unscored": scores.groupby("asked")["score"].agg(lambda values: values.isna().sum()),
    }
).loc[list(DIMENSIONS)]
mass = mean_interval(weighed["mass"], weighed["move"], seed=seed) if len(weighed) else None
report.table(spreads, caption="Spread of the scores, and probability on the scale")

# %% [markdown]
# ## At equal length
#
# Judges are known to prefer long answers, and the arms write comments of different lengths. A linear
# regression explains the score by the method, the move and the number of words. The coefficient of a
# method is then its difference from CCC among comments on one move that are equally long. It is the
# formula below; its intervals let comments on the same move depend on each other. The plain
# differences are in the table above, with the opposite sign.

# %%
sized = read.assign(ten_words=read["text"].str.split().str.len() / 10)
baseline = "C(method, Treatment('ccc'))"


def fit_score(asked, formula):
    """Return the coefficients of a linear regression, by name, with intervals over moves."""
    rows = sized[sized["asked"] == asked]
    groups = {"groups": pd.factorize(rows["move"])[0]}
    fit = smf.ols(formula, rows).fit(cov_type="cluster", cov_kwds=groups)
    ends = fit.conf_int()
    return {
        name.replace(f"{baseline}[T.", "").rstrip("]"): Interval(
            value, ends.loc[name, 0], ends.loc[name, 1], len(rows)
        )
        for name, value in fit.params.items()
    }


at_equal_length = {
    asked: fit_score(asked, f"score ~ {baseline} + C(move) + ten_words") for asked in DIMENSIONS
}

# %% tags=["hide-input"]
levelled = ["bare", "verdict", "reasoning", "reference"]
of_length = {
    f"{TITLES[method]} less CCC": {
        asked: at_equal_length[asked][method] for asked in DIMENSIONS
    }
    for method in levelled
}
of_length["ten words more"] = {
    asked: at_equal_length[asked]["ten_words"] for asked in DIMENSIONS
}
of_words = {
    asked: correlation(
        10 * rows["ten_words"], rows["score"], "pearson", rows["move"], seed=seed
    )
    for asked, rows in sized.groupby("asked", sort=False)
}
report.boards(
    report.table(
        pd.DataFrame(of_length).T.map(lambda each: f"{each.in_percent():.1f}"),
        caption="At equal length, in hundredths of the scale",
    ),
    report.table(
        pd.DataFrame({"score and number of words": of_words}).T,
        caption="Correlation (Pearson)",
    ),
)

# %% [markdown]
# {glue:text}`length_says`
#
# ## Does it notice a false word?
#
# A minimal pair is a true sentence about a move and its twin with one word exchanged: another
# square, another piece, the other side. Both are about the same things and read equally well;
# only the board tells them apart. A judge that looks at the board scores the true twin higher. A tie
# counts one half, and guessing gives one half.
#
# The judge is asked for relevance in three ways: with the engine's hint, as in GCC-Eval; without it;
# and *with findings*, told below the comment what a program found about its claims (an earlier reader
# of claims, whose words are kept). That program knows the answer, so the last column only shows
# whether the judge uses what it is told.

# %%
pairs = judged["minimal pairs"]
sentences = pairs[pairs["asked"] == "relevance"]
print(" / ".join(sentences["text"].head(2)))
outcome = {}
won = {}
ways = {
    "with the hint": "relevance",
    "without the hint": "relevance_no_hint",
    "with findings": "relevance_verified",
}
for name, asked in ways.items():
    twins = (
        pairs[pairs["asked"] == asked]
        .pivot(index=["pair", "error", "move"], columns="side", values="score")
        .dropna()
        .reset_index("move")
    )
    gap = twins["true"] - twins["false"]
    outcome[name] = twins.assign(gap=gap, won=(np.sign(gap) + 1) / 2)  # one half for a tie
    won[name] = mean_interval(outcome[name]["won"], twins["move"], seed=seed)

# %% tags=["hide-input"]
by_error = pd.DataFrame(
    {
        name: means_by(rows.reset_index(), "error", "won", cluster="move", seed=seed)
        for name, rows in outcome.items()
    }
)
by_error.loc["all"] = won
report.table(by_error, caption="How often the true twin is scored higher")

# %% tags=["hide-cell"]
# Wrong pieces by the true word: what looks like sight may be a preference for a word.
pieces = outcome["with the hint"].query("error == 'wrong_piece'").reset_index()
wording = sentences.pivot(index="pair", columns="side", values="text").loc[pieces["pair"]]
only_true = [set(row.true.split()) - set(row.false.split()) for row in wording.itertuples()]
pieces = pieces.assign(
    word=["pawn" if "pawn" in words else "another piece" for words in only_true]
)
by_word = {
    name: means_by(pieces, "word", name, cluster="move", seed=seed) for name in ("won", "gap")
}
report.table(pd.DataFrame(by_word), caption="Wrong piece, by the true word", digits=3)

# %% [markdown]
# ## Without the engine's hint
#
# What GCC-Eval adds to G-Eval is the engine: its evaluation is part of the prompt for relevance and
# completeness, so that a model which plays chess badly can judge chess. The paper gives this as its
# second contribution and never asks the judge without it. We put the same comments to it once more,
# with the same prompt less the line of the engine and the sentence that announces it.

# %% tags=["hide-input"] mystnb={"figure": {"caption": "Relevance and completeness with the engine's hint (filled) and without it (hollow), as shares of the scale, with 95 % intervals over moves.", "name": "fig-06-hint"}, "image": {"alt": "Two panels with a row for each of nine methods, a filled and a hollow point with intervals in each."}}
hinted = ["relevance", "completeness"]
plain = judged["without hint"].dropna(subset="score")
plain = plain.assign(asked=plain["asked"].str.removesuffix("_no_hint"))
same_comment = ["move", "method", "asked"]
twice = read[[*same_comment, "score"]].merge(
    plain[[*same_comment, "score"]], on=same_comment, suffixes=("_with", "_without")
)
twice["gain"] = twice["score_with"] - twice["score_without"]
tried = [name for name in trials.TRIED_WITHOUT if name in methods]
of_hint = {
    name: means_by(twice, ["method", "asked"], name, cluster="move", seed=seed).unstack()
    for name in ("score_with", "score_without", "gain")
}
figure, axes = plt.subplots(1, 2, figsize=(8, 3.2), sharey=True)
for axis, asked in zip(axes, hinted, strict=True):
    for name, fill, shift in (("score_with", None, -0.12), ("score_without", "white", 0.12)):
        points = [of_hint[name].loc[method, asked] for method in tried]
        axis.errorbar(
            [each.value for each in points],
            np.arange(len(tried)) + shift,
            xerr=np.transpose(
                [(each.value - each.low, each.high - each.value) for each in points]
            ),
            fmt="o",
            color=report.PALETTE[0],
            markerfacecolor=fill,
            label="with the hint" if fill is None else "without",
        )
    axis.set(xlabel="share of the scale", title=asked)
axes[0].set_yticks(range(len(tried)), [TITLES[method] for method in tried])
axes[0].invert_yaxis()
axes[0].legend()
plt.show()

# %% tags=["hide-input"]
hint_gain = means_by(twice, "asked", "gain", cluster="move", seed=seed)
gains = of_hint["gain"].loc[tried, hinted].rename(index=TITLES)
gains.loc["all comments"] = hint_gain[hinted]
report.table(gains, caption="Score with the hint less without, on the same comments", digits=3)

# %% [markdown]
# {glue:text}`gains_say` Does the hint change which method is ahead? For each two methods we compare the sign of their
# difference with the hint and without it. An order is *certain* if the interval of the paired
# difference excludes zero.


# %% tags=["hide-input"]
def differences_of(asked, name):
    """Return the paired difference of each two methods, by their names."""
    wide = twice[twice["asked"] == asked].pivot(index="move", columns="method", values=name)
    return {
        pair: mean_interval(wide[list(pair)].dropna().diff(axis=1).iloc[:, 1], seed=seed)
        for pair in combinations(tried, 2)
    }


orders = {}
for asked in hinted:
    ways_of = [differences_of(asked, name) for name in ("score_with", "score_without")]
    exchanged = [
        [each[pair] for each in ways_of]
        for pair in ways_of[0]
        if ways_of[0][pair].value * ways_of[1][pair].value < 0
    ]
    certain = sum(
        all(each.low > 0 or each.high < 0 for each in exchange) for exchange in exchanged
    )
    orders[asked] = {
        "pairs of methods": len(ways_of[0]),
        "in another order without the hint": len(exchanged),
        "of these, certain in both": certain,
    }
report.table(pd.DataFrame(orders), caption="Does the hint change the order of the methods?")

# %% [markdown]
# Does it help to tell true from false? We have two measures. One is the share of minimal pairs in
# which the true twin is scored higher. The other is the area under the curve by which the score tells
# comments without a false claim, by the rules of the last chapter, from the others: the share of such pairs of comments
# in which the one without is scored higher. Guessing gives one half in both. The last row first
# subtracts from each score its method's mean, so that only comments of one method are told apart.

# %% tags=["hide-input"]
written_comments = scores.drop_duplicates(["move", "method"])[["move", "method", "text"]]
checked = written_comments.join(gcc.claim_counts(written_comments, known)).drop(columns="text")
checked["share_false"] = checked["false"] / (checked["true"] + checked["false"])
labelled_twice = twice.merge(checked, on=["move", "method"])
labelled_twice["clean"] = labelled_twice["false"] == 0


def gain_in_area(values):
    """Return the area with the hint less the one without: columns clean, with, without."""
    clean, with_hint, without = values.T
    if clean.min() == clean.max():
        return np.nan
    return roc_auc_score(clean, with_hint) - roc_auc_score(clean, without)


pair_gain = outcome["with the hint"]["won"] - outcome["without the hint"]["won"]
pair_gain = pair_gain.dropna()
moves_of_pairs = outcome["with the hint"]["move"].loc[pair_gain.index]
told_apart = {
    "minimal pairs": {
        "with the hint": won["with the hint"],
        "without": won["without the hint"],
        "with less without": mean_interval(pair_gain, moves_of_pairs, seed=seed),
    }
}
columns = ["score_with", "score_without"]


def areas_of(rows):
    """Return the areas under the curve with the hint, without it, and their difference."""
    with_hint, without = (
        area_under_curve(rows[name], rows["clean"], rows["move"], seed=seed) for name in columns
    )
    values = rows[["clean", *columns]].to_numpy(float)
    gained_area = bootstrap(values, gain_in_area, rows["move"], seed=seed)
    return {"with the hint": with_hint, "without": without, "with less without": gained_area}


for asked in hinted:
    told_apart[f"area under the curve, {asked}"] = areas_of(
        labelled_twice.query("asked == @asked")
    )
told_apart = pd.DataFrame(told_apart).T
of_relevance = labelled_twice.query("asked == 'relevance'")
method_means = of_relevance.groupby("method")[columns].transform("mean")
within = areas_of(of_relevance.assign(**(of_relevance[columns] - method_means)))
shown_rows = pd.concat(
    [told_apart, pd.DataFrame({"the same for relevance, within methods": within}).T]
)
report.table(shown_rows, caption="Does the hint help to tell true from false?", digits=3)

# %% [markdown]
# {glue:text}`truth_says`
#
# ## Does it know true comments from false ones?
#
# The gold set contains comments whose claims were labelled by one annotator, a language model with
# board and engine at hand. No person and no second annotator labelled them. Besides relevance, the
# judge was asked directly for correctness, which is not a dimension of GCC-Eval.
#
# The *combined* score is a logistic regression on the judge's score and on the numbers of claims that
# the rules read and the board calls true and false. *Verifier alone* is the same without the judge, so the difference
# between the two is what the judge adds. Both are fitted on the half `dev`; everything shown comes
# from the half `test`. An unscored answer counts as the middle of the scale.

# %%
labelled = judged["labelled"]
asked_scores = labelled.pivot(index="variant", columns="asked", values="score").fillna(0.5)
comment_rows = labelled.drop_duplicates("variant").set_index("variant")
claims = gcc.claim_counts(comment_rows, known).clip(upper=3)  # more say nothing more
data = (
    comment_rows[["half", "move", "true"]].join(asked_scores).join(claims.add_prefix("held "))
)
fit, test = (data[data["half"] == half] for half in ("dev", "test"))
features = ["relevance", "held true", "held false"]
combined = LogisticRegression().fit(fit[features], fit["true"])
alone = LogisticRegression().fit(fit[features[1:]], fit["true"])

# %% tags=["hide-input"]
asked_for = {
    "judge, relevance": test["relevance"],
    "judge, correctness": test["correctness"],
    "judge with findings": test["relevance_verified"],
    "verifier alone": alone.predict_proba(test[features[1:]])[:, 1],
    "combined": combined.predict_proba(test[features])[:, 1],
}
auc = {
    name: area_under_curve(values, test["true"], test["move"], seed=seed)
    for name, values in asked_for.items()
}
report.table(
    pd.DataFrame({"area under the curve": auc}),
    caption=(
        f"{len(test)} comments, {test['true'].mean():.0%} all true; labels: one language model "
        "with the board at hand"
    ),
)

# %% [markdown]
# The labelled comments were written to test a checker. They contain claims that a board can settle,
# and the rules were tried on their other half. In free commentary they find less to check. The same
# combination on the minimal pairs is in the fold, with the weights of the regression.

# %% tags=["hide-cell"]
# Weights of the combination, and how often it scores the true twin of a minimal pair higher.
claims = gcc.claim_counts(sentences, known).clip(upper=3).add_prefix("held ")
claims["relevance"] = sentences["score"].fillna(0.5)
twins = {side: claims.loc[sentences["side"] == side, features] for side in ("true", "false")}
chances = {side: combined.predict_proba(rows)[:, 1] for side, rows in twins.items()}
moves = sentences.loc[sentences["side"] == "true", "move"]
won["combined"] = mean_interval(
    (np.sign(chances["true"] - chances["false"]) + 1) / 2, moves, seed=seed
)
weight_names = ["the judge's score, from 0 to 1", "a claim held for true", "one held for false"]
report.boards(
    report.sheet("weight in log-odds", dict(zip(weight_names, combined.coef_[0], strict=True))),
    report.table(pd.DataFrame({"true twin higher": won})),
)

# %% [markdown]
# ACT-Eval asks how many comments that are mostly false a judge rates as relevant, and reports 39.8 %
# for GCC-Eval with large models {cite}`hebbar2026acteval`. Here they are the comments of Table 5 of
# whose decided claims more than half are false by the rules, and a relevance of 0.6 of the scale or
# more. We do not know their threshold, so the two shares cannot be compared.

# %% tags=["hide-input"]
mostly = read[read["asked"] == "relevance"].merge(checked, on=["move", "method"])
mostly = mostly.query("share_false > 0.5")
false_share = mean_interval((mostly["score"] >= 0.6).astype(float), mostly["move"], seed=seed)
report.sheet(
    "mostly false comments", {"in all": len(mostly), "share rated relevant": false_share}
)

# %% [markdown]
# ## Another move, praise and padding
#
# Each comment is moved to a move from another lecture, where its relevance should fall. Then comments
# of CCC get additions that say nothing more about the move, for which a fair judge does not pay. One
# addition addresses the judge and asks for a 5. The library normally drops such sentences before it
# asks; here it is let through. *Praise alone* replaces the comment by "Great move!", however good the
# move is.

# %% tags=["hide-input"]
loss = judged["swapped"].pivot(
    index=["written_on", "method"], columns="variant", values="score"
)
loss = loss.dropna().rename(columns={"": "own", "swapped": "foreign"}).reset_index()
loss["loss"] = loss["own"] - loss["foreign"]
loss["noticed"] = (np.sign(loss["loss"]) + 1) / 2
swap = pd.DataFrame(
    {
        name: means_by(loss, "method", name, cluster="written_on", seed=seed)
        for name in ("own", "foreign", "loss", "noticed")
    }
)
begging = trials.EMPTY_CHANGES["asks for a 5"].format(text="White wins a pawn.")
assert without_injections(begging) == "White wins a pawn."
wide = judged["changed"].pivot(index=["move", "asked"], columns="variant", values="score")
change = wide.drop(columns="").sub(wide[""], axis=0)
change = change.melt(ignore_index=False, value_name="change").dropna().reset_index()
praise = means_by(change, ["variant", "asked"], "change", cluster="move", seed=seed).unstack()
report.boards(
    report.table(
        swap.loc[list(trials.SWAPPED), ["loss", "noticed"]].rename(index=TITLES),
        caption="Relevance lost on another move",
    ),
    report.table(praise.loc[list(trials.EMPTY_CHANGES)], caption="Change of the score"),
)

# %% [markdown]
# ## The best of seven
#
# The paper proposes GCC-Eval as an objective for fine-tuning (Section 5): what it scores higher should
# be the better comment. On each move we take, of the comments by our seven arms, the one with the
# highest mean score. This raises the score, as it must. The question is whether it also lowers the
# number of false claims, as a choice by the rules does. *Any* is the mean over the seven, which is
# what a random choice would give.

# %% tags=["hide-input"]
overall = read.groupby(["move", "method"])["score"].mean().rename("score").reset_index()
candidates = overall.merge(checked, on=["move", "method"]).query("method in @arms")
candidates["with_false_claim"] = (candidates["false"] > 0).astype(float)
candidates = candidates.groupby("move").filter(lambda rows: len(rows) == len(arms))
measured = ["score", "false", "with_false_claim"]
by_score = candidates.sort_values("score", ascending=False, kind="stable")
by_checker = by_score.sort_values("false", kind="stable")
choice = {
    "any": candidates.groupby("move")[measured].mean(),
    "highest score": by_score.groupby("move")[measured].first(),
    "fewest false": by_checker.groupby("move")[measured].first(),
}
choice["highest less any"] = choice["highest score"] - choice["any"]
picked = pd.DataFrame(
    {
        name: {
            measure: mean_interval(rows[measure], rows.index, seed=seed) for measure in measured
        }
        for name, rows in choice.items()
    }
).T
picked.columns = ["score", "false claims", "with false claim"]
report.table(
    picked.set_axis(["mean score", "false claims", "share with a false claim"], axis=1),
    caption=f"Best of {len(arms)}, on {len(choice['any'])} moves",
)

# %% [markdown]
# {glue:text}`best_says`
#
# ## Does a comment teach its reader?
#
# A comment that explains should help a reader to tell a good move from a bad one
# (simulatability, Section 7 of the paper). The model chooses between the move played and one
# that is clearly better or worse, without a comment and with each method's comment. Both orders are
# asked, since a small model prefers one of the letters. Guessing gives one half.

# %% tags=["hide-input"]
chance = trials.chance_of_better(choices)
gained = {
    name: mean_interval((values - chance["no comment"]).dropna(), seed=seed)
    for name, values in chance.items()
    if name != "no comment"
}
learned = pd.DataFrame(
    {
        "chance of the better move": {
            name: mean_interval(values.dropna(), seed=seed) for name, values in chance.items()
        }
    }
)
learned["gained by the comment"] = pd.Series(gained)
report.table(
    learned.rename(index=TITLES), caption=f"{len(chance)} choices between two moves", digits=3
)

# %% [markdown]
# {glue:text}`reader_says`
#
# ## What correlates with what
#
# The paper's Table 4 correlates BLEU, ROUGE and GCC-Eval with ratings by people. We have no ratings
# (the chapter on the human study is ready for them), so **none of our numbers belongs to Table 4**.
# Without people we can compute two other quantities: the correlation of these measures with the
# *truth* of a comment by the rules (the share of its decided claims that are true), and with the
# scores that our judge gave. The paper's numbers are shown on the left, as printed.

# %% tags=["hide-input"]
measures = {"bleu1": "BLEU-1", "rouge1": "ROUGE-1", "rouge2": "ROUGE-2", "rougel": "ROUGE-L"}
bleu = BLEU(max_ngram_order=1, effective_order=True, lowercase=True)
rouge = RougeScorer(["rouge1", "rouge2", "rougeL"], use_stemmer=True)
human = {move.name: move.reference for move in evaluated if move.reference}
similar = []
for row in written_comments[written_comments["move"].isin(human)].itertuples():
    if row.method != "reference":
        overlap = rouge.score(human[row.move], row.text)  # of stems
        similar.append(
            {
                "move": row.move,
                "method": row.method,
                "bleu1": bleu.sentence_score(row.text, [human[row.move]]).score / 100,
                **{name.lower(): each.fmeasure for name, each in overlap.items()},
            }
        )

wide = read.pivot(index=["move", "method"], columns="asked", values="score").reset_index()
table4 = (
    pd.DataFrame(similar)
    .merge(wide, on=["move", "method"])
    .merge(checked.assign(correctness=1 - checked["share_false"]), on=["move", "method"])
)
ours = pd.DataFrame(
    {
        (column, kind): {
            row: correlation(
                table4[row],
                table4[column],
                kind,
                table4["move"],
                seed=seed,
                resamples=sizes.resamples,
            )
            for row in (*measures, *DIMENSIONS)
        }
        for column in ("correctness", *DIMENSIONS)
        for kind in ("pearson", "kendall")
    },
    dtype=object,
)

# %% tags=["hide-input"]
short = [(column, "pearson") for column in ("correctness", *DIMENSIONS)]
theirs = pd.DataFrame(
    {
        f"people: {column}": {
            measure: reference.lookup("ccc", "table4", row, f"{column.capitalize()} rho").value
            for measure, row in measures.items()
        }
        for column in ("correctness", *DIMENSIONS)
    }
)
named = ["checker: truth", *(f"judge: {asked}" for asked in DIMENSIONS)]
report.boards(
    report.table(theirs, caption="The paper's Table 4: Pearson with ratings of people"),
    report.table(
        ours.loc[list(measures), short].set_axis(named, axis=1),
        caption="Other quantities: Pearson correlation with our checker and with our judge",
    ),
)

# %% tags=["hide-cell"]
# Every judge on record: Table 5 and minimal pairs by each, and for each set of comments that it
# judged (`make record PURPOSE=gcc_eval JUDGE=...`). Guessing gives 0.5 in the second table.
by_judge = {}
for writer in commentators(arms, [briefings[move.name] for move in evaluated]):
    theirs_written = comments
    if writer != model:
        theirs_written = gather_comments(
            trials.METHODS, evaluated, briefings, replay(PURPOSE, writer)
        )
    asked = gcc.ask_each(gcc.texts_of(theirs_written, trials.METHODS), DIMENSIONS)
    asked = gcc.with_requests(asked[asked["move"].isin(set(scores["move"]))], known)
    for name in recorded_models("gcc_eval", list(asked["request"])):
        given = gcc.judge(asked, known, replay("gcc_eval", name)).dropna(subset="score")
        by_judge[model_title(name), model_title(writer)] = means_by(
            given, ["method", "asked"], "score", cluster="move", seed=seed
        ).unstack()[list(DIMENSIONS)]
judges = pd.concat(by_judge, names=["judge", "comments by", "method"])
in_order = [(*key, name) for key in by_judge for name in trials.METHODS]
pair_requests = sentences.drop(columns=["request", "answer", "score", "mass"])
pair_requests = gcc.with_requests(pair_requests, known)
pairs_by_judge = {}
for name in recorded_models("gcc_eval", list(pair_requests["request"])):
    given = gcc.judge(pair_requests, known, replay("gcc_eval", name))
    wide = given.pivot(index=["pair", "move"], columns="side", values="score").dropna()
    higher = (np.sign(wide["true"] - wide["false"]) + 1) / 2
    if len(higher):  # a judge that writes no score has no row
        pairs_by_judge[model_title(name)] = mean_interval(
            higher, wide.index.get_level_values("move"), seed=seed
        )
report.boards(
    report.table(
        judges.loc[[row for row in in_order if row in judges.index]].rename(index=TITLES),
        caption="GCC-Eval by every judge, shares of the scale",
    ),
    report.table(
        pd.Series(pairs_by_judge).to_frame("true twin higher"), caption="Minimal pairs"
    ),
)

# %% [markdown]
# ## Recap
#
# - *Readable.* {glue:text}`readable:.0f` % of the answers could be read, and {glue:text}`mass` of the
#   judge's probability is on the scale.
# - *The argument of the paper.* Steps between neighbouring arms that raise relevance beyond chance:
#   {glue:text}`steps_recap` of five.
# - *The hint.* In relevance it is worth {glue:text}`hint_relevance:+.3f` of the scale
#   [{glue:text}`hint_relevance_low:+.3f`, {glue:text}`hint_relevance_high:+.3f`], in minimal pairs
#   {glue:text}`hint_pairs:+.0f` points [{glue:text}`hint_pairs_low:+.0f`,
#   {glue:text}`hint_pairs_high:+.0f`].
# - *The board.* On another move a comment of CCC loses {glue:text}`swapped:+.3f` of the scale. A line
#   that asks for a 5 gains {glue:text}`begged:.2f` if it is let through (for other such lines see
#   [](../reliability.md)). Of {glue:text}`mostly_false` mostly false comments the judge rates
#   {glue:text}`relevant:.0f` % relevant
#   [{glue:text}`relevant_low:.0f`, {glue:text}`relevant_high:.0f`].
# - *With help.* On labelled comments the area under the curve is {glue:text}`auc_judge:.2f` for the
#   judge, {glue:text}`auc_told:.2f` if it is told what the checker found,
#   {glue:text}`auc_combined:.2f` for both together and {glue:text}`auc_alone:.2f` for the checker
#   alone.
# - *Best of seven.* The comment with the highest score has {glue:text}`best:.1f` false claims, any of
#   the seven {glue:text}`any_of_seven:.1f`, and the checker's choice {glue:text}`fewest:.1f`.
# - *As a reader*, the judge gives the better move a chance between {glue:text}`lowest:.3f` and
#   {glue:text}`highest:.3f`, whatever it is told.
# - *Table 4* needs people. Nothing here replaces them.
#
# The paper's judge is GPT-4o and ours a model of 1.5 billion parameters, so none of this is about
# theirs. The tests work for any judge: record its answers, and run them.


# %% tags=["hide-input"]
def says(number, line, *, above, below, neither):
    """Return the sentence that a number's interval allows, seen from a line."""
    if number.low > line:
        return above
    if number.high < line:
        return below
    return neither


def named(names):
    """Return names as a sentence lists them."""
    *most, last = names
    return f"{', '.join(most)} and {last}" if most else last


def beyond_chance(found, sign):
    """Return which paired differences have a sign beyond chance, by Holm's method."""
    adjusted = holm([each.p for each in found])
    return [
        name
        for (name, each), p in zip(found.items(), adjusted, strict=True)
        if p < 0.05 and sign * each.difference.value > 0
    ]


in_pairs = won["with the hint"].in_percent()
pairs_says = (
    "Of two sentences that differ in one word, this judge scores the true one higher in "
    f"{in_pairs.value:.0f} % of pairs [{in_pairs.low:.0f}, {in_pairs.high:.0f}]"
) + says(
    in_pairs,
    50,
    above="; a guess would in half.",
    below=", less often than a guess would.",
    neither=". That is not told from guessing.",
)
raised, lowered = (beyond_chance(steps["relevance"], sign) for sign in (1, -1))
moved = [
    f"{verb} by {named([step_titles[step] for step in found])}"
    for verb, found in (("raised", raised), ("lowered", lowered))
    if found
]
steps_says = (
    "Of five steps between neighbouring arms, from the bare prompt to CCC, none changes its scores "
    "of relevance by more than chance would."
)
if moved:
    steps_says = (
        "Of five steps between neighbouring arms, from the bare prompt to CCC, its scores of "
        f"relevance are {' and '.join(moved)}, and by no other step beyond chance."
    )
ours_step = steps.loc["concepts"]
changed_by_concepts = [
    asked
    for asked in DIMENSIONS
    if ours_step[asked].difference.low > 0 or ours_step[asked].difference.high < 0
]
concept_points = ours_step["relevance"].difference.in_percent()
concepts_say = (
    "The step that is the paper's own, five concepts in the prompt, changes none of the four "
    "scores by more than its interval, relevance by "
    f"{concept_points.value:+.1f} hundredths of the scale "
    f"[{concept_points.low:.1f}, {concept_points.high:.1f}]."
)
if changed_by_concepts:
    concepts_say = (
        "The step that is the paper's own, five concepts in the prompt, changes "
        + named(
            [
                f"{asked} by {ours_step[asked].difference.value:+.3f}"
                for asked in changed_by_concepts
            ]
        )
        + "; no other score changes by more than its interval."
    )
in_words = ("none", "one", "two", "three", "all")
ahead = {
    other: [asked for asked in DIMENSIONS if ccc_less.loc[other, asked].difference.low > 0]
    for other in ("bare", "reference")
}
counts = {other: in_words[len(found)] for other, found in ahead.items()}
table5_says = (
    "In the paper CCC is ahead in all four scores. Here it is ahead of the bare prompt in "
    f"{counts['bare']} of the four, and of the people's comments in {counts['reference']} of them."
)
gain = hint_gain["relevance"]
size = f"{abs(gain.value):.3f} of the scale"
hint_says = says(
    gain,
    0,
    above=f"The engine's hint raises its scores of relevance by {size}.",
    below=f"The engine's hint lowers its scores of relevance by {size}.",
    neither="The engine's hint does not change its mean score of relevance.",
)
per_method = of_hint["gain"].loc[tried, "relevance"]
by_hint = {
    "raises": [TITLES[name] for name, each in per_method.items() if each.low > 0],
    "lowers": [TITLES[name] for name, each in per_method.items() if each.high < 0],
}
gains_say = " ".join(
    f"In relevance the hint {verb} the scores of: {'; '.join(found)}."
    for verb, found in by_hint.items()
    if found
)
in_truth = told_apart["with less without"]
rises = {
    "minimal pairs": "the share of minimal pairs won",
    "area under the curve, relevance": "the area under the curve of relevance",
    "area under the curve, completeness": "the area under the curve of completeness",
}
sharper = [
    f"{rises[name]} by {each.value:.3f}" for name, each in in_truth.items() if each.low > 0
]
blunter = [
    f"{rises[name]} by {-each.value:.3f}" for name, each in in_truth.items() if each.high < 0
]
truth_says = (
    "By none of three measures does the judge tell true from false better with the engine's "
    "evaluation than without it."
)
at_chance = [
    rises[name] for name, row in told_apart.iterrows() if row["with the hint"].low <= 0.5
]
if sharper:
    guessing = ", but not beyond guessing" if len(at_chance) == len(told_apart) else ""
    truth_says = (
        f"Of three measures by which scores tell true from false, the hint raises "
        f"{in_words[len(sharper)]}{guessing}: {named(sharper)}."
    )
if blunter:
    truth_says += f" It lowers {in_words[len(blunter)]} of three: {named(blunter)}."
hint_says += f" {truth_says}"
if at_chance:
    truth_says += f" Even with the hint not better than guessing: {named(at_chance)}."
if len(at_chance) == len(told_apart):
    hint_says += " With the hint too, none of them is better than guessing."
truth_says += says(
    within["with less without"],
    0,
    above=" Within methods, too, the area of relevance rises with the hint.",
    below=" Within methods the area of relevance falls with the hint.",
    neither=" Within methods the area of relevance is not seen to change.",
)
worth = at_equal_length["relevance"]["ten_words"]
length_says = says(
    worth,
    0,
    above=f"Ten words more are worth {worth.value:.3f} in relevance.",
    below=f"Ten words more cost {-worth.value:.3f} in relevance.",
    neither="Between comments of one method, ten words more are not seen to change relevance.",
)
level_bare = at_equal_length["relevance"]["bare"]
length_says += says(
    level_bare,
    0,
    above=" At equal length the bare prompt is ahead of CCC in relevance.",
    below=" At equal length CCC is ahead of the bare prompt in relevance.",
    neither=" At equal length CCC and the bare prompt do not differ in relevance.",
)
fewer = picked.loc["highest less any", "false claims"]
best_says = says(
    fewer,
    0,
    above="What the judge scores highest has more false claims than a random choice.",
    below="What the judge scores highest has fewer false claims than a random choice.",
    neither=(
        "What the judge scores highest is not seen to have fewer false claims than a random "
        f"choice: the difference is {fewer.value:+.2f} [{fewer.low:.2f}, {fewer.high:.2f}]."
    ),
)
helpers = [TITLES[name] for name, each in gained.items() if each.low > 0]
reader_says = (
    f"Of {len(gained)} gains none has an interval above zero: no method's comments are seen to "
    "help."
)
if helpers:
    reader_says = (
        f"Of {len(gained)} gains these have an interval above zero: {'; '.join(helpers)}."
    )
false_claims = picked["false claims"]
hint_in_pairs = told_apart.loc["minimal pairs", "with less without"].in_percent()
of_reader = [each.value for each in learned["chance of the better move"]]
report.paste(
    **{
        "judge": model_title(judge_name),
        "judgements": f"{judgements:,}",
        "mass": f"{100 * mass.value:.1f} %" if mass else "an unknown share",
        "readable": 100 * scores["score"].notna().mean(),
        "words": of_words["relevance"].value,
        "pairs_says": pairs_says,
        "steps_says": steps_says,
        "steps_recap": len(raised) or "none",
        "concepts_say": concepts_say,
        "table5_says": table5_says,
        "hint_says": hint_says,
        "gains_say": gains_say,
        "truth_says": truth_says,
        "length_says": length_says,
        "best_says": best_says,
        "reader_says": reader_says,
        "hint_relevance": gain.value,
        "hint_relevance_low": gain.low,
        "hint_relevance_high": gain.high,
        "hint_pairs": hint_in_pairs.value,
        "hint_pairs_low": hint_in_pairs.low,
        "hint_pairs_high": hint_in_pairs.high,
        "swapped": swap["loss"]["ccc"].value,
        "begged": praise["relevance"]["asks for a 5"].value,
        "auc_judge": auc["judge, relevance"].value,
        "auc_told": auc["judge with findings"].value,
        "auc_combined": auc["combined"].value,
        "auc_alone": auc["verifier alone"].value,
        "relevant": 100 * false_share.value,
        "relevant_low": 100 * false_share.low,
        "relevant_high": 100 * false_share.high,
        "mostly_false": false_share.n,
        "best": false_claims["highest score"].value,
        "fewest": false_claims["fewest false"].value,
        "any_of_seven": false_claims["any"].value,
        "lowest": min(of_reader),
        "highest": max(of_reader),
    }
)

# %% tags=["hide-input"]
unit = "share of the scale"
rows = report.rows
together = "correlation with the {}, not people"
area = "area under the curve"
auc_keys = {
    "judge": "judge, relevance",
    "combined": "combined",
    "verifier": "verifier alone",
    "correctness": "judge, correctness",
    "with_verifier": "judge with findings",
}
areas = {asked: told_apart.loc[f"area under the curve, {asked}"] for asked in hinted}
of_pairs = told_apart.loc["minimal pairs"]
unscored = report.Result(int(scores["score"].isna().sum()), n=len(scores), unit="answers")
report.save(
    "06_gcc_eval",
    rows(
        {
            "accuracy": won["with the hint"],
            "with_verifier": won["with findings"],
            "combined": won["combined"],
        },
        "gcc.minimal_pairs",
        unit="share of pairs",
    ),
    rows({key: auc[name] for key, name in auc_keys.items()}, "gcc.auc", unit=area),
    rows({"mass_on_scale": mass}, "gcc", unit="probability", drop=True),
    rows(
        {"unscored": unscored, "judgements": report.Result(judgements, unit="judgements")},
        "gcc",
    ),
    rows({"relevant_but_false_share": false_share}, "gcc", unit="share of comments"),
    rows({"prompts": len(DIMENSIONS)}, "figure_a1", unit="prompts, in our own words"),
    rows(
        means.T,
        "gcc",
        unit=unit,
        reference={(asked, method): cell for (method, asked), cell in cells.items()},
    ),
    rows(steps.map(lambda each: each.difference), "gcc.step", unit=f"{unit}, paired"),
    rows(ccc_less.T.map(lambda each: each.difference), "gcc.ccc_less", unit=f"{unit}, paired"),
    rows(
        {
            asked: {f"{name}_less_ccc": at_equal_length[asked][name] for name in levelled}
            for asked in DIMENSIONS
        },
        "gcc.equal_length",
        unit=unit,
    ),
    rows(
        {asked: at_equal_length[asked]["ten_words"] for asked in DIMENSIONS},
        "gcc.ten_words",
        unit=unit,
    ),
    rows(of_words, "gcc.words", unit="correlation with the number of words"),
    rows(hint_gain, "gcc.without_hint", unit=f"{unit}, with the hint less without"),
    rows({"pairs": of_pairs["without"]}, "gcc.without_hint", unit="share of pairs"),
    rows(
        {"pairs": of_pairs["with less without"]},
        "gcc.hint_less_none",
        unit="difference in pairs won",
    ),
    rows(
        {asked: each["without"] for asked, each in areas.items()},
        "gcc.without_hint.auc",
        unit=area,
    ),
    rows(
        {asked: each["with the hint"] for asked, each in areas.items()},
        "gcc.with_hint.auc",
        unit=area,
    ),
    rows(
        {asked: each["with less without"] for asked, each in areas.items()},
        "gcc.hint_less_none.auc",
        unit=f"difference in {area}",
    ),
    rows(
        {"relevance": within["with less without"]},
        "gcc.hint_less_none.auc_within_methods",
        unit=f"difference in {area}",
    ),
    rows(
        {asked: orders[asked]["in another order without the hint"] for asked in hinted},
        "gcc.without_hint.exchanged",
        unit="pairs of methods",
    ),
    rows(picked[["score"]], "gcc.best_of_seven", unit=unit),
    rows(picked[["false claims"]], "gcc.best_of_seven", unit="claims a comment"),
    rows(picked[["with false claim"]], "gcc.best_of_seven", unit="proportion of comments"),
    rows(learned["chance of the better move"], "gcc.choice", unit="probability"),
    rows(gained, "gcc.choice.gained", unit="probability, less no comment"),
    rows(swap["loss"], "gcc.swapped", unit=f"{unit} lost"),
    rows(praise.T, "gcc.changed", unit=unit),
    rows(
        ours["correctness"],
        "together.checker.truth",
        unit=together.format("checker"),
        drop=True,
    ),
    rows(
        {asked: ours.loc[list(measures), asked] for asked in DIMENSIONS},
        "together.judge",
        unit=together.format("judge"),
        drop=True,
    ),
)

# %% tags=["hide-input"]
report.evidence(
    judgements,
    "judgements",
    seed,
    interval="95 % over moves; shares Wilson, else bootstrap",
    versions={
        "judge": judge_name,
        "comments": model,
        "prompts": ", ".join(f"gcc_{asked}@1" for asked in gcc.PROMPTS),
        "engine": f"{example_briefing.before.engine}, {NODES:,} nodes",
    },
)

# %% [markdown]
# ## Exercises
#
# **1. Word or expectation?** GCC-Eval's score is an expectation over the digits' probabilities.
# Take the most likely digit of the answer above instead. How far apart are the two, and how much
# probability does the most likely digit have?

# %% tags=["solution", "hide-cell"]
# The likeliest digit beside the expectation.
probability = np.exp(logprob_of_digit - logsumexp(logprob_of_digit))
word_and_mean = {
    "likeliest digit": int(digits[probability.argmax()]),
    "its probability": float(probability.max()),
    "expected digit": float(probability @ digits),
}
report.sheet(asked_dimension, word_and_mean)

# %% tags=["check", "remove-cell"]
report.check(
    "Divide the probabilities of the five digits by their sum first. Three numbers: the "
    "likeliest digit, its probability, the expected digit.",
    word_and_mean=word_and_mean,
)

# %% [markdown]
# **2. A judge that counts words.** Replace the judge by the number of words of a comment. How
# similar is this order to the judge's? Compute the rank correlation for each criterion.

# %% tags=["solution", "hide-cell"]
# Rank correlation of the judge's scores with the number of words.
lengths_of = scores.dropna(subset="score").assign(
    words=lambda rows: rows["text"].str.split().str.len()
)
with_words = {
    asked: rows["score"].corr(rows["words"], method="spearman")
    for asked, rows in lengths_of.groupby("asked", sort=False)
}
report.table(pd.DataFrame({"rank correlation with words": with_words}))

# %% tags=["check", "remove-cell"]
report.check(
    "Leave unscored answers out, count words by `split`, and correlate ranks (Spearman), "
    "one number a criterion.",
    with_words=with_words,
)

# %% [markdown]
# **3. Four criteria or one?** Correlate the judge's scores of the same comment on the four
# criteria. What share of their variance does one axis explain (the largest eigenvalue of the
# correlation matrix, divided by four)?

# %% tags=["solution", "hide-cell"]
# Correlations of the criteria, and the share of the first axis.
by_criterion = (
    scores[scores["asked"].isin(DIMENSIONS)]
    .pivot_table("score", ["move", "method"], "asked")
    .dropna()
)
correlations = by_criterion.corr().fillna(0)
first_axis = np.linalg.eigvalsh(correlations.to_numpy())[-1] / len(correlations)
print(f"share of the first axis: {first_axis:.2f}")
report.table(correlations)

# %% tags=["check", "remove-cell"]
report.check(
    "A row a comment (move and method), a column a criterion; rows that lack one go. The "
    "largest eigenvalue of the correlation matrix over the number of criteria: a share "
    "from a quarter to one.",
    first_axis=first_axis,
)
