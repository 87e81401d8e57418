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
# Of two sentences that differ in one word, this judge scores the true one higher in
# {glue:text}`pairs:.0f` % of pairs; guessing gives 50 %. If it is told what a program found about
# their claims, it does so in {glue:text}`pairs_told:.0f` %. Its scores correlate with the number of
# words at {glue:text}`words:.2f`.
#
# A move can be explained well in many ways, so a word-by-word comparison with a human comment says
# little. The CCC paper {cite}`kim2024ccc` therefore asks a language model to judge, helped by an
# engine. This is GCC-Eval (Section 3.2), built on G-Eval {cite}`liu2023geval`. We repeat its Table 5
# with the judge {glue:text}`judge`, where the paper has GPT-4o, and then test the judge itself.

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
from rouge_score.rouge_scorer import RougeScorer
from sacrebleu.metrics import BLEU
from scipy.special import logsumexp, softmax
from sklearn.linear_model import LogisticRegression
from chessgloss import report
from chessgloss.book import reference
from chessgloss.commentary.asking import NODES, briefings_file, read_briefings
from chessgloss.commentary.moves import evaluated_moves
from chessgloss.judges import gcc, trials
from chessgloss.judges.gcc import DIMENSIONS, judge_request, read_score
from chessgloss.judges.injection import without_injections

from chessgloss.llm.client import model_title, recorded_models, replay
from chessgloss.stats import (
    area_under_curve,
    correlation,
    mean_interval,
    means_by,
    paired_permutation,
)
from chessgloss.commentary.methods import METHODS, commentators, gather_comments
from chessgloss.book.profiles import load_sizes

sizes = load_sizes("06_gcc_eval", profile)
report.use_house_style()
evaluated = evaluated_moves(seed)
briefings = read_briefings(briefings_file())
known = briefings | trials.gold_briefings()

written = replay("commentary", model)
comments = gather_comments(trials.METHODS, evaluated, briefings, written)
methods = [name for name in trials.METHODS if name in set(comments["method"])]
texts = trials.trial_texts(comments, briefings)
names = {move.name for move in evaluated[:: len(evaluated) // sizes.moves]} | {shown}
few = trials.spread(list(briefings), trials.FEW_MOVES)[: sizes.few]
judge_name = judged_by or model
client = replay("gcc_eval", judge_name)


def judge(frame, screened=True):
    return gcc.judge(frame, known, client, screened=screened)


scores = judge(texts["table 5"][texts["table 5"]["move"].isin(names)])
example = scores.query("move == @shown and method == 'llm'")
example_text = example["text"].iloc[0]
example_briefing = briefings[shown]
print(f"comments: {len(scores) // len(DIMENSIONS)} of {len(comments)}, on {len(names)} moves")

report.boards(
    report.board(example_briefing.move, size=260),
    report.texts(
        {"llm": example_text}
        | {row.asked: f"{1 + 4 * row.score:.2f} of 5" for row in example.itertuples()},
        f"A comment on {example_briefing.move.numbered_san}, and the judge's scores",
    ),
)

# %% [markdown]
# In this chapter we
#
# - compute one score from the probabilities of one recorded answer;
# - ask the judge about eight methods in four dimensions (Figure A1, Table 5);
# - ask whether it notices what a good judge must notice (a false word, a comment on another move),
#   and whether it ignores what carries no information (praise, padding, wording);
# - tell it what a program found about the comment's claims, and combine the two;
# - use it to choose the best of four comments, and as a reader who learns from a comment;
# - correlate BLEU, ROUGE and GCC-Eval with the checker and with the judge. The paper's Table 4
#   correlates them with ratings by people, which is another quantity; nothing here answers it.
#
# Every answer was given by the model named above and is replayed. No person rated anything here. The
# only human ratings are those of the paper's Table 4, quoted as printed. The paper tests its judge by
# that table alone.
#
# ## What is asked
#
# A constant part states the criterion and the steps. Then come the position, the move and, for
# relevance and completeness, the engine's hint. The comment comes last, between marks that it cannot
# imitate. The paper writes all of this into one message. We split it, so that a server reads the
# beginning once for all comments on a move. Clarity is judged without the hint, and fluency by the
# comment alone. Below is the move of the paper's Figure A1.

# %%
question = judge_request(example_text, example_briefing, "relevance")
turns = {
    f"{turn.role} {place}": " ".join(turn.content.split())
    for place, turn in enumerate(question.messages, start=1)
}
report.boards(
    report.board(example_briefing.move, size=260),
    report.texts(turns, "Figure A1 (a): relevance"),
)

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


def read_tokens(answer):
    """Return the tokens, their log-probabilities, and what of these falls on each digit."""
    given = answer.tokens[0].alternatives if answer.tokens else [(answer.text, 0.0)]
    tokens, logprobs = zip(*given, strict=True)
    of_digit = [
        logsumexp([value for token, value in given if token.strip() == str(digit)] or [-np.inf])
        for digit in digits
    ]
    return tokens, np.array(logprobs), np.array(of_digit)


tokens, logprobs, logprob_of_digit = read_tokens(answer)
weights = softmax(logprob_of_digit)
expected_score = weights @ digits

print(
    f"logprobs.shape = {logprobs.shape}, of which digits: {np.isfinite(logprob_of_digit).sum()}"
)
print("logprob_of_digit =", logprob_of_digit.round(3))
print("weights          =", weights.round(4), f" sum {weights.sum():.3f}")
print("mass on 1 to 5   =", np.exp(logsumexp(logprob_of_digit)).round(5))
print(f"expected_score   = {expected_score:.4f}, the answer itself: {answer.text!r}")

figure, axes = plt.subplots(figsize=(5.5, 3))
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

# %%
score = read_score(answer)
assert np.isclose(score.value, expected_score, equal_nan=True)
chances = pd.Series(np.exp(logprobs), [repr(token) for token in tokens], name="probability")
likeliest = report.table(
    chances.nlargest(8).to_frame(), caption="The likeliest tokens", digits=5
)
report.boards(
    likeliest,
    report.sheet(
        "The library",
        {"score": score.value, "share of the scale": score.share, "mass on 1 to 5": score.mass},
    ),
)

# %% [markdown]
# ## Table 5
#
# Eight methods, four dimensions. The paper's `GPT-4o` rows are shown beside our rows of the same
# name, although model, moves and human comments differ. Intervals draw whole moves.

# %%
read = scores.dropna(subset="score")
means = means_by(read, ["method", "asked"], "score", cluster="move", seed=seed).unstack()
means = means.loc[methods, list(DIMENSIONS)]
rows = {
    "reference": "Reference",
    "gac": "GAC",
    "llm": "GPT-4o",
    "llm_expert": "GPT-4o + expert",
    "ccc": "GPT-4o + expert + concept (CCC)",
}
cells = {
    (method, asked): reference.lookup("ccc", "table5", row, asked.capitalize())
    for method, row in rows.items()
    for asked in DIMENSIONS
}

# %%
paper = pd.Series({key: cell.value for key, cell in cells.items()}).unstack()[list(DIMENSIONS)]
both = pd.concat({"paper": paper.reindex(means.index), "ours": means}, axis=1)
report.table(both, caption="GCC-Eval, shares of the scale")

# %% [markdown]
# Differences from `ccc` on the same move. The sign of each move's difference is drawn at random 9,999
# times. An asterisk marks a difference that chance reaches in less than one in a thousand draws, as
# in the paper's Table 1.

# %%
differences = {}
for asked in DIMENSIONS:
    by_move = read[read["asked"] == asked].pivot(index="move", columns="method", values="score")
    paired = {method: by_move[[method, "ccc"]].dropna() for method in methods}
    differences[asked] = {
        method: f"{paired_permutation(both[method], both['ccc'], seed=seed):.2f}"
        for method, both in paired.items()
        if method != "ccc"
    }
report.table(pd.DataFrame(differences), caption="Method less ccc")

# %% [markdown]
# How widely do the scores spread? A judge that gives every comment the same mark says nothing.

# %% mystnb={"figure": {"caption": "How the judge's scores are spread, by dimension and method, as shares of the scale. A box that is only a line means that all scores are alike.", "name": "fig-06-spread"}, "image": {"alt": "Four panels of box plots, one for each dimension, a box for each method."}}
figure, axes = plt.subplots(1, 4, figsize=(9, 3), sharey=True)
for axis, asked in zip(axes, DIMENSIONS, strict=True):
    wide = read[read["asked"] == asked]
    axis.boxplot(
        [wide.loc[wide["method"] == method, "score"] for method in methods],
        orientation="horizontal",
        widths=0.6,
        tick_labels=[report.NAMES[method] for method in methods],
    )
    axis.set(title=asked, xlim=(0, 1), xlabel="share of the scale")
axes[0].invert_yaxis()

# %%
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
# ## Does it notice a false word?
#
# A minimal pair is a true sentence about a move and its twin with one word exchanged: another
# square, another piece, the other side. Both are about the same things and read equally well;
# only the board tells them apart. A judge that looks at the board scores the true twin higher. A tie
# counts one half, and guessing gives one half.

# %%
judged = judge(texts["minimal pairs"].query("pair < @sizes.pairs"))
sentences = judged[judged["asked"] == "relevance"]
print(" / ".join(sentences["text"].head(2)))
outcome = {}
for name, asked in {"judge": "relevance", "with findings": "relevance_verified"}.items():
    twins = (
        judged[judged["asked"] == asked]
        .pivot(index=["pair", "error", "move"], columns="side", values="score")
        .dropna()
        .reset_index()
    )
    gap = twins["true"] - twins["false"]
    outcome[name] = twins.assign(gap=gap, won=(np.sign(gap) + 1) / 2)  # one half for a tie
won = {
    name: mean_interval(rows["won"], rows["move"], seed=seed) for name, rows in outcome.items()
}
by_error = pd.DataFrame(
    {
        name: means_by(rows, "error", "won", cluster="move", seed=seed)
        for name, rows in outcome.items()
    }
)
by_error.loc["all"] = won
report.table(by_error, caption="How often the true twin is scored higher")

# %% [markdown]
# *With findings*, the judge is told below the comment what a program found about its claims (the
# checker of the last chapter). The checker knows the answer, so this column only shows whether the
# judge uses what it is told.
#
# The judge prefers the wrong piece to the right one more often than not, which a guess would not do.
# The word explains it:

# %%
pieces = outcome["judge"].query("error == 'wrong_piece'")
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
# The judge gives any other piece a few hundredths of the scale more than a pawn. It cannot see the
# board, but it has preferences.
#
# ## Every judge on record
#
# This table has a row for every judge whose answers to the questions of Table 5 are recorded, for each
# set of comments that it judged (`make record PURPOSE=gcc_eval JUDGE=...`).

# %%
asked_methods = [name for name in trials.METHODS if name in METHODS]
by_judge = {}
for writer in commentators(asked_methods, [briefings[move.name] for move in evaluated]):
    theirs = gather_comments(trials.METHODS, evaluated, briefings, replay("commentary", writer))
    asked = gcc.ask_each(gcc.texts_of(theirs, trials.METHODS), DIMENSIONS)
    asked = gcc.with_requests(asked[asked["move"].isin(names)], known)
    for name in recorded_models("gcc_eval", list(asked["request"])):
        given = gcc.judge(asked, known, replay("gcc_eval", name)).dropna(subset="score")
        by_judge[model_title(name), model_title(writer)] = means_by(
            given, ["method", "asked"], "score", cluster="move", seed=seed
        ).unstack()[list(DIMENSIONS)]
judges = pd.concat(by_judge, names=["judge", "comments by", "method"])
in_order = [(*key, name) for key in by_judge for name in trials.METHODS]
report.table(
    judges.loc[[row for row in in_order if row in judges.index]],
    caption="GCC-Eval by every judge, shares of the scale",
)

# %%
pair_requests = gcc.with_requests(
    texts["minimal pairs"].query("pair < @sizes.pairs and asked == 'relevance'"), known
)
pairs_by_judge = {}
for name in recorded_models("gcc_eval", list(pair_requests["request"])):
    given = gcc.judge(pair_requests, known, replay("gcc_eval", name))
    wide = given.pivot(index=["pair", "move"], columns="side", values="score").dropna()
    higher = (np.sign(wide["true"] - wide["false"]) + 1) / 2
    if len(higher):  # a judge that writes no score has no row
        pairs_by_judge[model_title(name)] = mean_interval(
            higher, wide.index.get_level_values("move"), seed=seed
        )
report.table(
    pd.Series(pairs_by_judge).to_frame("true twin higher"),
    caption="Minimal pairs by every judge that was asked; guessing gives 0.5",
)

# %% [markdown]
# Does another family of models see more? {glue:text}`second` is smaller and was never tuned to follow
# instructions. It was asked about the first {glue:text}`second_pairs` pairs and wrote a score in
# {glue:text}`second_scored` of {glue:text}`second_n` answers. On average it puts
# {glue:text}`second_mass:.0f` % of its probability on digits. A score computed from these tells true
# from false sentences with an area under the curve of {glue:text}`second_auc`; the judge of this
# chapter has {glue:text}`first_auc` on the same sentences, and chance has 0.5. It gets no rows in the
# tables.

# %% tags=["hide-input"]
second_name = "gemma3-270m-q4_k_m"
second_asked = texts["minimal pairs"].query("pair < @sizes.second and asked == 'relevance'")
second = gcc.judge(second_asked, known, replay("gcc_eval", second_name))
of_digits = np.array([read_tokens(answer)[2] for answer in second["answer"]])
second_auc = area_under_curve(
    softmax(of_digits, axis=1) @ digits, second["side"] == "true", second["move"], seed=seed
)
same = sentences.query("pair < @sizes.second").dropna(subset="score")
first_auc = area_under_curve(same["score"], same["side"] == "true", same["move"], seed=seed)
report.paste(
    second=model_title(second_name),
    second_pairs=second["pair"].nunique(),
    second_scored=int(second["score"].notna().sum()),
    second_n=len(second),
    second_mass=100 * np.exp(logsumexp(of_digits, axis=1)).mean(),
    second_auc=f"{second_auc:.2f}",
    first_auc=f"{first_auc:.2f}",
)

# %% [markdown]
# ## Does it know true comments from false ones?
#
# The gold set contains comments whose claims were labelled by one annotator, a language model with
# board and engine at hand. No person and no second annotator labelled them. We compare comments whose
# claims are all true with comments that have a false one. The area under the curve is the share of
# such pairs in which the true comment scores higher.
#
# Besides relevance, the judge was asked directly for correctness, which is not a dimension of
# GCC-Eval. The *combined* score is a logistic regression on the judge's score and on the numbers of
# claims that the checker calls true and false. *Verifier alone* is the same without the judge, so the
# difference between the two is what the judge adds. Both are fitted on the half `dev`; everything
# shown comes from the half `test`. An unscored answer counts as the middle of the scale.

# %%
first = texts["labelled"].drop_duplicates("variant").groupby("half").head(sizes.labelled)
labelled = judge(texts["labelled"][texts["labelled"]["variant"].isin(first["variant"])])
asked_scores = labelled.pivot(index="variant", columns="asked", values="score").fillna(0.5)
comment_rows = first.set_index("variant")
claims = gcc.claim_counts(comment_rows, known).clip(upper=3)  # more say nothing more
data = (
    comment_rows[["half", "move", "true"]].join(asked_scores).join(claims.add_prefix("held "))
)
fit, test = (data[data["half"] == half] for half in ("dev", "test"))
print(
    f"sentences: {len(fit)} to fit, {len(test)} to report, {test['true'].mean():.0%} all true"
)

# %%
features = ["relevance", "held true", "held false"]
combined = LogisticRegression().fit(fit[features], fit["true"])
alone = LogisticRegression().fit(fit[features[1:]], fit["true"])
report.sheet(
    "weight in log-odds",
    dict(
        zip(
            [
                "the judge's score, from 0 to 1",
                "a claim held for true",
                "a claim held for false",
            ],
            combined.coef_[0],
            strict=True,
        )
    ),
)

# %%
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
    caption=f"{len(test)} comments; labels: one language model with the board at hand",
)

# %% [markdown]
# The labelled comments were written to test a checker. They contain claims that a board can settle,
# and the checker was built on their other half. In free commentary it finds less to check.
#
# The same combination on the minimal pairs:

# %%
claims = gcc.claim_counts(sentences, known).clip(upper=3).add_prefix("held ")
claims["relevance"] = sentences["score"].fillna(0.5)
twins = {side: claims.loc[sentences["side"] == side, features] for side in ("true", "false")}
chances = {side: combined.predict_proba(rows)[:, 1] for side, rows in twins.items()}
moves = sentences.loc[sentences["side"] == "true", "move"]
won["combined"] = mean_interval(
    (np.sign(chances["true"] - chances["false"]) + 1) / 2, moves, seed=seed
)
report.table(pd.DataFrame({"true twin higher": won}))

# %% [markdown]
# ## Does it notice a comment on another move?
#
# Each comment is moved to a move from another lecture. Its relevance should fall.

# %%
judged = judge(texts["swapped"][texts["swapped"]["written_on"].isin(names)])
loss = judged.pivot(index=["written_on", "method"], columns="variant", values="score").dropna()
loss = loss.rename(columns={"": "own", "swapped": "foreign"}).reset_index()
loss["loss"] = loss["own"] - loss["foreign"]
loss["noticed"] = (np.sign(loss["loss"]) + 1) / 2
swap = pd.DataFrame(
    {
        name: means_by(loss, "method", name, cluster="written_on", seed=seed)
        for name in ("own", "foreign", "loss", "noticed")
    }
)
report.table(swap, caption="Relevance lost on another move, and how often it is lower there")

# %% [markdown]
# ## Does the wording of the question matter?
#
# The judge was asked about relevance in three wordings. A reliable judge ranks the same comments
# alike.

# %%
judged = judge(texts["wordings"][texts["wordings"]["move"].isin(few)])
wordings = judged.pivot(index=["method", "move"], columns="asked", values="score").dropna()
agreement = pd.DataFrame(
    {
        f"{left} and {right}": {
            "Pearson": correlation(wordings[left], wordings[right], "pearson", seed=seed),
            "mean difference": mean_interval(wordings[left] - wordings[right], seed=seed),
        }
        for left, right in combinations(trials.WORDINGS, 2)
    }
).T
report.table(agreement, caption=f"{len(wordings)} comments of three methods")

# %% [markdown]
# ## Does it pay for praise and padding?
#
# None of these additions says more about the move, so a fair judge would not reward them. One addition
# addresses the judge and asks for a 5. The library normally drops such sentences before it asks
# (`screened`); here it is let through.

# %%
begging = trials.EMPTY_CHANGES["asks for a 5"].format(text="White wins a pawn.")
print(f"{begging!r} is screened to {without_injections(begging)!r}")
judged = judge(texts["changed"][texts["changed"]["move"].isin(few)], screened=False)
wide = judged.pivot(index=["move", "asked"], columns="variant", values="score")
change = wide.drop(columns="").sub(wide[""], axis=0)
change = change.melt(ignore_index=False, value_name="change").dropna().reset_index()
praise = means_by(change, ["variant", "asked"], "change", cluster="move", seed=seed).unstack()
report.table(praise.loc[list(trials.EMPTY_CHANGES)], caption="Change of the score")

# %% [markdown]
# *Praise alone* replaces the comment by "Great move!", however good the move is. The next table shows
# the effect of length alone, over all comments of Table 5.

# %%
of_words = pd.DataFrame(
    {
        asked: {
            "Pearson with words": correlation(
                rows["text"].str.split().str.len(),
                rows["score"],
                "pearson",
                rows["move"],
                seed=seed,
            )
        }
        for asked, rows in scores.groupby("asked", sort=False)
    }
)
report.table(of_words)

# %% [markdown]
# ## Relevant, though mostly false
#
# The checker says which claims of a comment are false. Of the comments whose decided claims are mostly
# false, how many does the judge rate relevant, at 0.6 of the scale or above? ACT-Eval reports 39.8 %
# for GCC-Eval with large models {cite}`hebbar2026acteval`. We do not know its threshold, so the two
# shares cannot be compared.
#
# Do the judge's scores agree with the checker at all? The second table gives the area under the curve
# for telling comments without a false claim from the others.

# %%
written_comments = scores.drop_duplicates(["move", "method"])[["move", "method", "text"]]
checked = written_comments.join(gcc.claim_counts(written_comments, known)).drop(columns="text")
checked["share_false"] = checked["false"] / (checked["true"] + checked["false"])


def rated_relevant(rows):
    mostly = rows.merge(checked, on=["move", "method"]).query("share_false > 0.5")
    return mean_interval((mostly["score"] >= 0.6).astype(float), mostly["move"], seed=seed)


relevance = read[read["asked"] == "relevance"]
helped = judge(texts["findings"][texts["findings"]["move"].isin(names)]).dropna(subset="score")
false_share = {
    "judge": rated_relevant(relevance),
    "judge, four methods": rated_relevant(
        relevance[relevance["method"].isin(trials.WITH_FINDINGS)]
    ),
    "with findings": rated_relevant(helped),
}
report.table(
    pd.DataFrame({"rated relevant": false_share}), caption="Share of mostly false comments"
)

# %%
merged = read.merge(checked, on=["move", "method"])
agrees = {
    asked: area_under_curve(rows["score"], rows["false"] == 0, rows["move"], seed=seed)
    for asked, rows in merged.groupby("asked")
}
report.table(
    pd.DataFrame({"area under the curve": agrees}).loc[list(DIMENSIONS)],
    caption="Area under the curve: comments without a false claim against the others",
)

# %% [markdown]
# ## The best of four
#
# For each move, four comments of `ccc` are sampled at temperature 0.7 and judged in all dimensions.
# Choosing the one with the highest mean score raises the score, as it must. The question is
# whether it also lowers the number of false claims, as a choice by the checker does.

# %%
drawn = trials.drawn_texts(client.answered(trials.sample_questions(briefings, sizes.few)))
overall = judge(gcc.ask_each(drawn, DIMENSIONS)).groupby(["move", "variant"])["score"].mean()
drawn = drawn.join(gcc.claim_counts(drawn, known)).join(
    overall.fillna(0), on=["move", "variant"]
)
drawn["has_false"] = (drawn["false"] > 0).astype(float)
drawn = drawn[drawn.duplicated("move", keep=False)][["move", "score", "false", "has_false"]]
choices = {
    "any": drawn.groupby("move").mean(),
    "highest score": drawn.sort_values("score", ascending=False, kind="stable"),
    "fewest false": drawn.sort_values(
        ["false", "score"], ascending=[True, False], kind="stable"
    ),
}
best = pd.concat(
    {name: rows.groupby("move").first() for name, rows in choices.items()}, names=["choice"]
).reset_index()
picked = pd.DataFrame(
    {
        name: means_by(best, "choice", name, cluster="move", seed=seed)
        for name in ("score", "false", "has_false")
    }
)
picked.columns = ["mean score", "false claims", "share with a false claim"]
report.table(
    picked.loc[["any", "highest score", "fewest false"]],
    caption=f"Best of {trials.SAMPLES}, {best['move'].nunique()} moves",
)

# %% [markdown]
# ## Does a comment teach its reader?
#
# A comment that explains should help a reader to tell a good move from a bad one
# (simulatability, Section 7 of the paper). The model chooses between the move played and one
# that is clearly better or worse, without a comment and with each method's comment. Both orders are
# asked, since a small model prefers one of the letters. Guessing gives one half.

# %%
put_up = trials.choice_questions(comments, briefings)
put_up = put_up[put_up["move"].isin(put_up["move"].unique()[: sizes.choices])]
chance = trials.chance_of_better(client.answered(put_up))
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
most = max(gained, key=lambda name: gained[name].value)
shown_gains = [name for name, gain in gained.items() if gain.low > 0 or gain.high < 0]
report.table(learned, caption=f"{len(chance)} choices between two moves", digits=3)

# %%
print(
    f"gains whose interval excludes 0: {', '.join(shown_gains) or 'none'}, "
    f"of {len(gained)} looked at; n = {len(chance)} choices"
)

# %% [markdown]
# There are few choices, so a gain is detected only if it is similar on nearly all of them.
#
# ## What correlates with what
#
# The paper's Table 4 correlates BLEU, ROUGE and GCC-Eval with ratings by people. We have no ratings
# (the chapter on the human study is ready for them), so **none of our numbers belongs to Table 4**.
# Without people we can compute two other quantities: the correlation of these measures with the
# *truth* of a comment by the checker (the share of its decided claims that are true), and with the
# scores that our judge gave. The paper's numbers are shown on the left, as printed.

# %%
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

# %%
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

# %%
truth = pd.DataFrame(
    {"Pearson with the checker's truth": ours.loc[list(DIMENSIONS), ("correctness", "pearson")]}
)
report.table(truth, caption="Scores of our judge")

# %% [markdown]
# ## Recap
#
# - *Readable.* {glue:text}`readable:.0f` % of the answers could be read, and {glue:text}`mass` of the
#   judge's probability is on the scale. As in the paper's Table 5, `ccc` and `llm` score higher than
#   the human comments; our methods with a model differ little.
# - *Length.* Longer comments score higher. Comments without a false claim are shorter and score lower
#   than the others.
# - *The board.* On another move, a comment loses only {glue:text}`swapped:.3f` of the scale. A line
#   that asks for a 5 gains {glue:text}`begged:.2f` if it is let through (for other such lines see
#   [](../reliability.md)). Of {glue:text}`mostly_false` mostly false comments the judge rates
#   {glue:text}`relevant:.0f` % relevant
#   [{glue:text}`relevant_low:.0f`, {glue:text}`relevant_high:.0f`].
# - *With help.* The judge tells true from false labelled comments with an area under the curve of
#   {glue:text}`auc_judge:.2f`. If it is told what the checker found, the area is
#   {glue:text}`auc_told:.2f`: it can read, even if it cannot see.
# - *Combined.* Judge and checker together reach {glue:text}`auc_combined:.2f`, the checker alone
#   {glue:text}`auc_alone:.2f`. With {glue:text}`labelled` labelled comments, this does not show that
#   the judge adds anything.
# - *Best of four.* The comment with the highest score has {glue:text}`best:.1f` false claims, any of
#   the four {glue:text}`any_of_four:.1f`, and the checker's choice {glue:text}`fewest:.1f`.
#   {glue:text}`few` moves do not show that the judge's choice is truer.
# - *As a reader*, the judge gives the better move a chance between {glue:text}`lowest:.2f` and
#   {glue:text}`highest:.2f`, whatever it is told. The comments of {glue:text}`helper` help most, by
#   {glue:text}`helped:.3f` [{glue:text}`helped_low:.3f`, {glue:text}`helped_high:.3f`].
#   {glue:text}`choices` choices are too few to judge the others.
# - *Table 4* needs people. Nothing here replaces them.
#
# The paper's judge is GPT-4o and ours a model of 1.5 billion parameters, so none of this is about
# theirs. The tests work for any judge: record its answers, and run them.

# %% tags=["hide-input"]
false_claims = picked["false claims"]
report.paste(
    **{
        "judge": model_title(judge_name),
        "mass": f"{100 * mass.value:.1f} %" if mass else "an unknown share",
        "readable": 100 * scores["score"].notna().mean(),
        "pairs": 100 * won["judge"].value,
        "pairs_told": 100 * won["with findings"].value,
        "swapped": swap["loss"]["ccc"].value,
        "begged": praise["relevance"]["asks for a 5"].value,
        "auc_judge": auc["judge, relevance"].value,
        "auc_told": auc["judge with findings"].value,
        "auc_combined": auc["combined"].value,
        "auc_alone": auc["verifier alone"].value,
        "relevant": 100 * false_share["judge"].value,
        "words": of_words.loc["Pearson with words", "relevance"].value,
        "best": false_claims["highest score"].value,
        "fewest": false_claims["fewest false"].value,
        "any_of_four": false_claims["any"].value,
        "choices": len(chance),
        "labelled": len(test),
        "relevant_low": 100 * false_share["judge"].low,
        "relevant_high": 100 * false_share["judge"].high,
        "mostly_false": false_share["judge"].n,
        "few": best["move"].nunique(),
        "lowest": min(each.value for each in learned["chance of the better move"]),
        "highest": max(each.value for each in learned["chance of the better move"]),
        "helper": most,
        "helped": gained[most].value,
        "helped_low": gained[most].low,
        "helped_high": gained[most].high,
    }
)

# %% tags=["hide-input"]
unit = "share of the scale"
rows = report.rows
together = "correlation with the {}, not people"
auc_keys = {
    "judge": "judge, relevance",
    "combined": "combined",
    "verifier": "verifier alone",
    "correctness": "judge, correctness",
    "with_verifier": "judge with findings",
}
unscored = report.Result(int(scores["score"].isna().sum()), n=len(scores), unit="answers")
report.save(
    "06_gcc_eval",
    rows(
        {
            "accuracy": won["judge"],
            "with_verifier": won["with findings"],
            "combined": won["combined"],
        },
        "gcc.minimal_pairs",
        unit="share of pairs",
    ),
    rows(
        {key: auc[name] for key, name in auc_keys.items()},
        "gcc.auc",
        unit="area under the curve",
    ),
    rows({"mass_on_scale": mass}, "gcc", unit="probability", drop=True),
    rows({"unscored": unscored}, "gcc"),
    rows({"auc": second_auc}, "judge.second_family", unit="area under the curve"),
    rows({"relevant_but_false_share": false_share["judge"]}, "gcc", unit="share of comments"),
    rows({"prompts": len(DIMENSIONS)}, "figure_a1", unit="prompts, in our own words"),
    rows(
        means.T,
        "gcc",
        unit=unit,
        reference={(asked, method): cell for (method, asked), cell in cells.items()},
    ),
    rows(
        picked[["mean score"]].rename(columns={"mean score": "score"}),
        "gcc.best_of_four",
        unit=unit,
    ),
    rows(picked[["false claims"]], "gcc.best_of_four", unit="claims a comment"),
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
    len(scores),
    "scores",
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
