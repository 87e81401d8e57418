# ---
# jupyter:
#   kernelspec:
#     display_name: Python 3 (ipykernel)
#     language: python
#     name: python3
# ---

# %% [markdown]
# # A judge, and what its scores are worth
#
# Commentary on one move can take many good forms, so comparing it with a human comment word by
# word says little. The CCC paper {cite}`kim2024ccc` therefore asks a language model to judge,
# helped by an engine: GCC-Eval (Section 3.2), built on G-Eval {cite}`liu2023geval`. Its Table 5
# is made again here with a small judge, Qwen2.5-Coder-1.5B, where the paper has GPT-4o. Then
# the judge itself is put to the test.
#
# What we find: of two sentences that differ in one word, it scores the true one higher in
# {glue:text}`pairs:.0%`, where guessing gives a half; told what a program found of their claims,
# in {glue:text}`pairs_told:.0%`. Its scores go with the number of words at a correlation of
# {glue:text}`words:.2f`.

# %% tags=["parameters"]
profile = "book"
seed = 1
model = "qwen2.5-coder-1.5b-q4_k_m"
shown = "ccc/figA1"

# %% tags=["hide-input"]
import numpy as np
import pandas as pd
import matplotlib.pyplot as plt
from myst_nb import glue
from scipy.special import logsumexp, softmax
from chessgloss import classical, report
from chessgloss.book import reference
from chessgloss.commentary.briefing import NODES, briefings_file, evaluated_moves, read_briefings
from chessgloss.judges import DIMENSIONS, judge, judge_request, read_score
from chessgloss.judges import gcc, gold, outcomes, questions, shaken, use

from chessgloss.judges.correctness import claim_counts, fit_correctness
from chessgloss.llm import replay
from chessgloss.stats import area_under_curve, correlation, mean_interval, means_by
from chessgloss.commentary.methods import gather_comments
from chessgloss.book.profiles import load_sizes
from chessgloss.store import Evidence
from chessgloss.commentary.verified import read_published

sizes = load_sizes("06_gcc_eval", profile)
report.use_house_style()
evaluated = evaluated_moves(seed)
briefings = read_briefings(briefings_file())
told = list(briefings.values())

written = replay("commentary", model)
published = read_published(told, model)
verified = {one.name: each.comment for one, each in zip(told, published, strict=True)}
comments = gather_comments(questions.METHODS, evaluated, briefings, written, verified)
every = gcc.candidates_of(comments, briefings, questions.METHODS)
names = {one.name for one in evaluated[:: len(evaluated) // sizes.moves]} | {shown}
candidates = [one for one in every if one.briefing.name in names]
client = replay("gcc_eval", model)
example = next(one for one in candidates if (one.briefing.name, one.method) == (shown, "llm"))
print(f"comments: {len(candidates)} of {len(comments)}, on {len(names)} moves")

report.boards(
    report.board(example.briefing.move, size=260),
    report.texts({"llm": example.text} | {
        asked: f"{judge([example], asked, client)[0].value:.2f} of 5" for asked in DIMENSIONS},
        f"A comment on {example.briefing.move.numbered_san}, and the judge's scores"))

# %% [markdown]
# In this chapter we
#
# - compute one score from the probabilities of one recorded answer;
# - ask the judge about eight methods in four dimensions (Figure A1, Table 5);
# - ask whether it notices what a good judge must notice: a false word, a comment on another
#   move; and whether it leaves alone what tells nothing: praise, padding, wording;
# - help it with what a program found of the comment's claims, and combine the two;
# - use it: to choose the best of four comments, and as a reader who learns from a comment;
# - see how BLEU, ROUGE and GCC-Eval go together with the checker and with the judge. Table 4
#   asks how they go together with people: that is another quantity, and nothing here answers it.
#
# Every answer was given by the model named above and is replayed. No human rated anything here:
# what people say of the judge's scores is the paper's Table 4, quoted as printed. The paper
# tests its judge by that table alone.
#
# ## What is asked
#
# A constant part tells the criterion and the steps; then come position, move and, for relevance
# and completeness, the engine's hint; the comment comes last, between marks that it cannot
# imitate. The paper writes all into one message. Splitting it lets a server read the beginning
# once for all comments on a move. Clarity is judged without the hint, fluency by the comment
# alone. Below, the move of the paper's Figure A1.

# %%
question = judge_request(example, "relevance")
turns = {f"{turn.role} {place}": " ".join(turn.content.split())
         for place, turn in enumerate(question.messages, start=1)}
report.boards(report.board(example.briefing.move, size=260),
              report.texts(turns, "Figure A1 (a): relevance"))

# %% [markdown]
# ## From a token to a score
#
# The answer is one token. Its probability is known, and so are those of the nineteen next
# likely ones, as logarithms. The score is the mean of the digits from 1 to 5, each weighted by
# its probability (the paper's Equation 1): a softmax over the log-probabilities of the digits.
# What lies on other tokens is left out. Change `asked_dimension`, or the comment above, and
# the bars change.

# %%
asked_dimension = "relevance"
answer = client.ask(judge_request(example, asked_dimension))
tokens, logprobs = zip(*answer.tokens[0].alternatives, strict=True)
logprobs = np.array(logprobs)
digits = np.arange(1, 6)
logprob_of_digit = np.array([
    logsumexp([value for token, value in zip(tokens, logprobs, strict=True)
               if token.strip() == str(digit)] or [-np.inf])
    for digit in digits])
weights = softmax(logprob_of_digit)
expected_score = weights @ digits

print(f"logprobs.shape = {logprobs.shape}, of which digits: {np.isfinite(logprob_of_digit).sum()}")
print("logprob_of_digit =", logprob_of_digit.round(3))
print("weights          =", weights.round(4), f" sum {weights.sum():.3f}")
print("mass on 1 to 5   =", np.exp(logsumexp(logprob_of_digit)).round(5))
print(f"expected_score   = {expected_score:.4f}, the answer itself: {answer.text!r}")

figure, axes = plt.subplots(figsize=(5.5, 3))
axes.bar(digits, weights, color=report.PALETTE[0])
axes.axvline(expected_score, color=report.PALETTE[1], label=f"expected score {expected_score:.2f}")
axes.set(xlabel="score", ylabel="probability", ylim=(0, 1), title=f"The judge on {asked_dimension}")
axes.legend()
plt.show()

# %% [markdown]
# The library does the same for every answer. It also counts other forms of a digit (`4/5`), and
# reads a score only where the answer stands: an answer that is no score is *unscored*, not
# zero. Scores are shown as shares of the scale: 1 is 0, 5 is 1.

# %%
score = read_score(answer)
assert np.isclose(score.value, expected_score)
chances = pd.Series(np.exp(logprobs), [repr(token) for token in tokens], name="probability")
likeliest = report.table(chances.nlargest(8).to_frame(), caption="The likeliest tokens", digits=5)
report.boards(likeliest,
              report.sheet("The library", {"score": score.value, "share of the scale": score.share,
                                           "mass on 1 to 5": score.mass}))

# %% [markdown]
# ## Table 5
#
# Eight methods, four dimensions. The paper's `GPT-4o` rows stand beside ours of the same
# name, although model, moves and human comments differ. Intervals draw whole moves.

# %%
scores = gcc.score_table(candidates, client)
read = scores.dropna(subset="score")
means = means_by(read, ["method", "asked"], "score", cluster="move", seed=seed).unstack()
means = means.loc[list(questions.METHODS), list(DIMENSIONS)]
rows = {"reference": "Reference", "gac": "GAC", "llm": "GPT-4o", "llm_expert": "GPT-4o + expert",
        "ccc": "GPT-4o + expert + concept (CCC)"}
cells = {(method, asked): reference.lookup("ccc", "table5", row, asked.capitalize())
         for method, row in rows.items() for asked in DIMENSIONS}

# %%
paper = pd.Series({key: cell.value for key, cell in cells.items()}).unstack()[list(DIMENSIONS)]
both = pd.concat({"paper": paper.reindex(means.index), "ours": means}, axis=1)
report.table(both, caption="GCC-Eval, shares of the scale")

# %% [markdown]
# Differences against `ccc` on the same move. The sign of each move's difference is drawn anew
# 9,999 times; an asterisk marks a difference that chance reaches in less than one of a
# thousand draws, as in the paper's Table 1.

# %%
differences = outcomes.paired_differences(read, "ccc", seed=seed)
report.table(differences.map("{:.2f}".format), caption="Method less ccc")

# %% [markdown]
# How the scores are spread: a judge that gives everything the same mark has said nothing.

# %%
figure, axes = plt.subplots(1, 4, figsize=(9, 3), sharey=True)
for axis, asked in zip(axes, DIMENSIONS, strict=True):
    wide = read[read["asked"] == asked]
    axis.boxplot([wide.loc[wide["method"] == one, "score"] for one in questions.METHODS],
                 orientation="horizontal", tick_labels=questions.METHODS, widths=0.6)
    axis.set(title=asked, xlim=(0, 1), xlabel="share of the scale")
axes[0].invert_yaxis()

# %%
spreads = pd.DataFrame({
    "standard deviation": read.groupby("asked")["score"].std(),
    "lowest tenth": read.groupby("asked")["score"].quantile(0.1),
    "highest tenth": read.groupby("asked")["score"].quantile(0.9),
    "mass on 1 to 5": means_by(read, "asked", "mass", cluster="move", seed=seed),
    "unscored": scores.groupby("asked")["score"].agg(lambda one: one.isna().sum()),
}).loc[list(DIMENSIONS)]
mass = mean_interval(read["mass"], read["move"], seed=seed)
report.table(spreads, caption="Spread of the scores, and what lies on the scale")

# %% [markdown]
# ## Does it notice a false word?
#
# A minimal pair is a true sentence on a move and its twin with one word exchanged: another
# square, another piece, the other side. Both speak of the same things and read equally well;
# only the board tells them apart. A judge that looks scores the true twin higher. Ties count
# one half, guessing gives one half.

# %%
pairs = questions.pairs_on(told)[: sizes.pairs]
print(pairs[0].pair.true, "/", pairs[0].pair.false)
judged = {"judge": outcomes.pair_outcomes(pairs, client, "relevance"),
          "with findings": outcomes.pair_outcomes(pairs, client, "relevance_verified")}
won = {name: mean_interval(one["won"].dropna(), one.dropna()["move"], seed=seed)
       for name, one in judged.items()}
by_error = pd.DataFrame({name: means_by(one.dropna(), "error", "won", cluster="move", seed=seed)
                         for name, one in judged.items()})
by_error.loc["all"] = won
report.table(by_error, caption="How often the true twin is scored higher")

# %% [markdown]
# *With findings* the judge is told, below the comment, what a program found of its claims (the
# checker of the last chapter). The checker knows the answer, so this column asks only whether the
# judge uses what it is told.
#
# A wrong piece is preferred to the right one more often than not, which no guess does. The word
# explains it:

# %%
swapped_piece = judged["judge"][judged["judge"]["error"] == "wrong_piece"].dropna()
changed = [pairs[row].pair for row in swapped_piece.index]
true_word = pd.Series(["pawn" if "pawn" in set(one.true.split()) - set(one.false.split())
                       else "another piece" for one in changed], swapped_piece.index)
swapped_piece = swapped_piece.assign(word=true_word, gap=lambda one: one["true"] - one["false"])
words = {name: means_by(swapped_piece, "word", name, cluster="move", seed=seed)
         for name in ("won", "gap")}
report.table(pd.DataFrame(words), caption="Wrong piece, by the true word", digits=3)

# %% [markdown]
# Any piece sounds better to the judge than a pawn, by a few hundredths of the scale. A judge that
# cannot see is not thereby without opinions.
#
# ## Does it know true comments from false ones?
#
# The gold set holds comments whose claims one annotator has labelled, a language model with board
# and engine at hand; no person and no second annotator did. Comments whose claims are all true
# stand against those with a false one; the area under the curve says how often the first is
# scored above the second. Besides relevance the judge was asked outright for correctness, which
# is no dimension of GCC-Eval. The *combined* score is a logistic regression on the judge's score
# and on the claims that the checker holds for true and for false; *verifier alone* is the same
# without the judge, so that the difference of the two is what the judge adds. Both are fitted on
# the half `dev`, and everything shown is the half `test`. An unscored answer counts as the middle
# of the scale.

# %%
fit_on, report_on = (half[: sizes.labelled]
                     for half in questions.labelled_halves(gold.gold_briefings()))
texts = [one.candidate for one in report_on]
labels = np.array([one.true for one in report_on])
places = [one.briefing.name for one in texts]
counts = claim_counts([one.verified() for one in texts])
print(f"sentences: {len(fit_on)} to fit, {len(report_on)} to report, {labels.mean():.0%} all true")


# %%
def shares(texts, asked):
    found = [one.share for one in judge(texts, asked, client)]
    return np.array([0.5 if one is None else one for one in found])


fitted = [one.candidate for one in fit_on]
fit_counts = claim_counts([one.verified() for one in fitted])
fit_labels = [one.true for one in fit_on]
combined = fit_correctness(shares(fitted, "relevance"), fit_counts, fit_labels)
alone = fit_correctness(np.zeros(len(fitted)), fit_counts, fit_labels)
report.sheet("weight in log-odds", {
    "the judge's score, from 0 to 1": combined.judge, "a claim held for true": combined.true,
    "a claim held for false": combined.false})

# %%
told_relevance = shares(texts, "relevance")
asked_for = {"judge, relevance": told_relevance,
             "judge, correctness": shares(texts, "correctness"),
             "judge with findings": shares(texts, "relevance_verified"),
             "verifier alone": alone.score(np.zeros(len(texts)), counts),
             "combined": combined.score(told_relevance, counts)}
auc = {name: area_under_curve(found, labels, places, seed=seed)
       for name, found in asked_for.items()}
report.table(pd.DataFrame({"area under the curve": auc}), caption=f"{len(texts)} comments; "
             "labels: one language model with the board at hand")

# %% [markdown]
# The labelled comments were written to try a checker: they hold what a board can settle, and
# the checker was built on their other half. In free commentary it finds less to check.
#
# The same combination on the minimal pairs:

# %%
told_counts = {side: claim_counts([getattr(one, side).verified() for one in pairs])
               for side in ("true", "false")}
gap = (combined.score(judged["judge"]["true"].fillna(0.5), told_counts["true"])
       - combined.score(judged["judge"]["false"].fillna(0.5), told_counts["false"]))
won["combined"] = mean_interval((np.sign(gap) + 1) / 2, judged["judge"]["move"], seed=seed)
report.table(pd.DataFrame({"true twin higher": won}))

# %% [markdown]
# ## Does it notice a comment on another move?
#
# Each comment is put under a move of another lecture, and must lose relevance.

# %%
loss = outcomes.swap_losses(questions.of(every, questions.SWAPPED), client, names)
swap = pd.DataFrame({name: means_by(loss, "method", name, cluster="move", seed=seed)
                     for name in ("own", "foreign", "loss", "noticed")})
report.table(swap, caption="Relevance lost on a foreign move, and how often it is lower there")

# %% [markdown]
# ## Does the wording of the question matter?
#
# Relevance was asked for in three wordings. A steady judge ranks the same comments alike.

# %%
retested = [one for one in questions.few(every, questions.RETESTED)
            if one.briefing.name in {each.name for each in questions.few_moves(told)[: sizes.few]}]
wordings = outcomes.wordings_table(retested, client, shaken.WORDINGS).dropna()
first, second, third = shaken.WORDINGS
agreement = pd.DataFrame({
    f"{one} and {other}": {
        "Pearson": correlation(wordings[one], wordings[other], "pearson", seed=seed),
        "mean difference": mean_interval(wordings[one] - wordings[other], seed=seed)}
    for one, other in ((first, second), (first, third), (second, third))}).T
report.table(agreement, caption=f"{len(wordings)} comments of three methods")

# %% [markdown]
# ## Does it pay for praise and padding?
#
# Nothing that is added here tells more of the move. A fair judge gives no more for it.

# %%
few = {one.name for one in questions.few_moves(told)[: sizes.few]}
base = [one for one in questions.few(every, questions.CHANGED) if one.briefing.name in few]
plain = gcc.score_table(base, client, questions.CHANGED_ASKED)
moved = outcomes.changes(plain, gcc.score_table(shaken.changed_emptily(base), client,
                                                questions.CHANGED_ASKED)).dropna()
praise = means_by(moved, ["variant", "asked"], "change", cluster="move", seed=seed).unstack()
report.table(praise.loc[list(shaken.EMPTY_CHANGES)], caption="Change of the score")

# %% [markdown]
# *Praise alone* replaces the comment by "Great move!", whatever the move is worth. Length by
# itself, over all comments of Table 5:

# %%
length = pd.Series([len(one.text.split()) for one in candidates] * len(DIMENSIONS))
of_words = pd.DataFrame({asked: {
    "Pearson with words": correlation(
        length[scores["asked"] == asked], scores.loc[scores["asked"] == asked, "score"],
        "pearson", scores.loc[scores["asked"] == asked, "move"], seed=seed)}
    for asked in DIMENSIONS})
report.table(of_words)

# %% [markdown]
# ## Relevant, though mostly false
#
# The checker says of each comment which of its claims are false. Of the comments whose decided
# claims are mostly false, how many does the judge rate relevant, at 0.6 of the scale or above?
# For GCC-Eval with large models ACT-Eval has 39.8 % {cite}`hebbar2026acteval`; we do not know
# where it draws the line, so the two shares are not set against each other. And do
# its scores go together with the verdict of the checker at all? The area below is that of
# telling comments without a false claim from the others.

# %%
checked = outcomes.verified_table(candidates)
mostly = outcomes.relevant_though_false(scores, checked)
held = questions.of(candidates, questions.TOLD_FINDINGS)
helped = gcc.score_table(held, client, ("relevance_verified",))
false_share = {"judge": mean_interval(mostly["relevant"], mostly["move"], seed=seed)}
for name, table in {"judge, four methods": scores[scores["method"].isin(questions.TOLD_FINDINGS)],
                    "with findings": helped}.items():
    some = outcomes.relevant_though_false(table, checked)
    false_share[name] = mean_interval(some["relevant"], some["move"], seed=seed)
report.table(pd.DataFrame({"rated relevant": false_share}),
             caption="Share of mostly false comments")

# %%
merged = read.merge(checked, on=["move", "method", "variant"])
agrees = {asked: area_under_curve(some["score"], some["false"] == 0, some["move"], seed=seed)
          for asked, some in merged.groupby("asked")}
report.table(pd.DataFrame({"area under the curve": agrees}).loc[list(DIMENSIONS)],
             caption="No false claim against at least one, by the score")

# %% [markdown]
# ## The best of four
#
# Four comments of `ccc` are drawn on a move at temperature 0.7 and judged in all dimensions.
# Choosing the one with the highest mean score raises the score, as it must. The question is
# whether it also lowers the number of false claims, as a choice by the checker does.

# %%
drawn = use.sampled_comments(questions.few_moves(told)[: sizes.few], client)
best = outcomes.best_of(drawn, client)
picked = pd.DataFrame({name: means_by(best, "choice", name, cluster="move", seed=seed)
                       for name in ("score", "false", "has_false")})
picked.columns = ["mean score", "false claims", "share with a false claim"]
report.table(picked.loc[["any", "highest score", "fewest false"]],
             caption=f"Best of {use.SAMPLES}, {best['move'].nunique()} moves")

# %% [markdown]
# ## Does a comment teach its reader?
#
# A comment that explains should help a reader to tell a good move from a bad one
# (simulatability, Section 7 of the paper). The model chooses between the move played and one
# that is clearly better or worse, without a comment and with each method's. Both orders are
# asked, since a small model likes one letter. A half is guessing.

# %%
put_up = questions.choices(told)[: sizes.choices]
without = use.chance_of_better(put_up, None, client)
chance = pd.DataFrame({"no comment": without} | {
    method: use.chance_of_better(put_up, questions.comments_by_move(every, method), client)
    for method in questions.READ}, dtype=float)
gained = {name: mean_interval((found - chance["no comment"]).dropna(), seed=seed)
          for name, found in chance.items() if name != "no comment"}
learned = pd.DataFrame({"chance of the better move": {
    name: mean_interval(found.dropna(), seed=seed) for name, found in chance.items()}})
learned["gained by the comment"] = pd.Series(gained)
most = max(gained, key=lambda name: gained[name].value)
shown_gains = [name for name, one in gained.items() if one.low > 0 or one.high < 0]
report.table(learned, caption=f"{len(put_up)} choices between two moves", digits=3)

# %%
print(f"gains whose interval leaves 0 out: {', '.join(shown_gains) or 'none'}, "
      f"of {len(gained)} looked at; n = {len(put_up)} choices")

# %% [markdown]
# Few choices are put up: a gain is seen here only if it is much the same on nearly all of them.
#
# ## What goes together with what
#
# The paper's Table 4 holds BLEU, ROUGE and GCC-Eval against ratings of people. We have no ratings
# (the chapter on asking people is ready for them), so **none of our numbers is one of Table 4**.
# What can be had without people are two other quantities: how the measures go together with the
# *truth* of a comment by the checker (share of its decided claims that hold), and with the scores
# that our judge gave. The paper's numbers stand on the left, as printed, for what they are.

# %%
human = {one.name: one.reference for one in evaluated if one.reference}
like = classical.similarities(comments[comments["move"].isin(names)], human)
wide = read.pivot(index=["move", "method"], columns="asked", values="score").reset_index()
table4 = like.merge(wide, on=["move", "method"]).merge(
    checked.assign(correctness=1 - checked["share_false"]), on=["move", "method"])
ours = classical.correlations(table4, [*classical.MEASURES, *DIMENSIONS],
                              ["correctness", *DIMENSIONS], "move", seed=seed,
                              resamples=sizes.resamples)

# %%
short = [(column, "pearson") for column in ("correctness", *DIMENSIONS)]
theirs = pd.DataFrame({f"people: {column}": {
    measure: reference.lookup("ccc", "table4", row, f"{column.capitalize()} rho").value
    for measure, row in classical.MEASURES.items()} for column in ("correctness", *DIMENSIONS)})
named = ["checker: truth", *(f"judge: {asked}" for asked in DIMENSIONS)]
report.boards(
    report.table(theirs, caption="The paper's Table 4: Pearson with ratings of people"),
    report.table(ours.loc[list(classical.MEASURES), short].set_axis(named, axis=1),
                 caption="Other quantities: Pearson with our checker and with our judge"))

# %%
truth = pd.DataFrame({"Pearson with the checker's truth":
                      ours.loc[list(DIMENSIONS), ("correctness", "pearson")]})
report.table(truth, caption="Scores of our judge")

# %% [markdown]
# ## Recap
#
# - Every answer could be read: {glue:text}`mass:.1%` of the judge's probability lies on the scale.
#   As in the paper's Table 5, `ccc` and `llm` stand above the human comments; the differences
#   between our methods with a model are small.
# - What it pays for is length: over all comments its scores go with the number of words at a
#   correlation of {glue:text}`words:.2f`, and comments without a false claim, which are shorter,
#   get less than the others.
# - This judge does not look at the board. Of minimal pairs it scores the true twin higher in
#   {glue:text}`pairs:.0%`, where guessing gives a half. A comment put under another move loses
#   {glue:text}`swapped:.3f` of the scale, and a line that asks for a 5 gains
#   {glue:text}`begged:.2f`. Of the {glue:text}`mostly_false`
#   mostly false comments it rates {glue:text}`relevant:.0%` relevant (from
#   {glue:text}`relevant_low:.0%` to {glue:text}`relevant_high:.0%`).
# - True and false labelled comments it tells apart with an area of {glue:text}`auc_judge:.2f`. Told
#   what the checker found, {glue:text}`auc_told:.2f`, and it then prefers the true twin in
#   {glue:text}`pairs_told:.0%`: it can read, if not see.
# - Judge and checker combined reach {glue:text}`auc_combined:.2f`, the checker alone
#   {glue:text}`auc_alone:.2f`: what the judge adds to the checker, {glue:text}`labelled` labelled
#   comments do not show.
# - Choosing the best of four by its score raises the score; that it raises the truth is not seen
#   on {glue:text}`few` moves: {glue:text}`best:.1f` false claims a comment against
#   {glue:text}`any_of_four:.1f` for any of them, and {glue:text}`fewest:.1f` if the checker
#   chooses.
# - As a reader it gives the better move a chance between {glue:text}`lowest:.2f` and
#   {glue:text}`highest:.2f`, whatever it is told. The comments that help most, those of
#   {glue:text}`helper`, add {glue:text}`helped:.3f` (from {glue:text}`helped_low:.3f` to
#   {glue:text}`helped_high:.3f`); what others add, {glue:text}`choices` choices cannot say.
# - Table 4 needs people. Nothing here stands in for them.
#
# The paper's judge is GPT-4o and ours a model of one and a half billion parameters, so none of
# this is said of theirs. The tests are here for any judge: record its answers, and run them.

# %% tags=["hide-input"]
claims = picked["false claims"]
for name, value in {
    "mass": mass.value, "pairs": won["judge"].value, "pairs_told": won["with findings"].value,
    "swapped": swap["loss"]["ccc"].value, "begged": praise["relevance"]["asks for a 5"].value,
    "auc_judge": auc["judge, relevance"].value, "auc_told": auc["judge with findings"].value,
    "auc_combined": auc["combined"].value, "auc_alone": auc["verifier alone"].value,
    "relevant": false_share["judge"].value,
    "words": of_words.loc["Pearson with words", "relevance"].value,
    "best": claims["highest score"].value, "fewest": claims["fewest false"].value,
    "any_of_four": claims["any"].value, "choices": len(put_up), "labelled": len(texts),
    "relevant_low": false_share["judge"].low, "relevant_high": false_share["judge"].high,
    "mostly_false": false_share["judge"].n, "few": best["move"].nunique(),
    "lowest": min(one.value for one in learned["chance of the better move"]),
    "highest": max(one.value for one in learned["chance of the better move"]),
    "helper": most, "helped": gained[most].value,
    "helped_low": gained[most].low, "helped_high": gained[most].high,
}.items():
    glue(name, value, display=False)

# %% tags=["hide-input"]
unit = "share of the scale"
results = {
    "gcc.minimal_pairs.accuracy": report.Result.of(won["judge"], "share of pairs"),
    "gcc.minimal_pairs.with_verifier": report.Result.of(won["with findings"], "share of pairs"),
    "gcc.minimal_pairs.combined": report.Result.of(won["combined"], "share of pairs"),
    "gcc.auc.judge": report.Result.of(auc["judge, relevance"], "area under the curve"),
    "gcc.auc.combined": report.Result.of(auc["combined"], "area under the curve"),
    "gcc.auc.verifier": report.Result.of(auc["verifier alone"], "area under the curve"),
    "gcc.auc.correctness": report.Result.of(auc["judge, correctness"], "area under the curve"),
    "gcc.auc.with_verifier": report.Result.of(auc["judge with findings"], "area under the curve"),
}

# %% tags=["hide-input"]
results |= {
    "gcc.mass_on_scale": report.Result.of(mass, "probability"),
    "gcc.unscored": report.Result(int(scores["score"].isna().sum()), n=len(scores), unit="answers"),
    "gcc.relevant_but_false_share": report.Result.of(false_share["judge"], "share of comments"),
    "figure_a1.prompts": report.Result(len(DIMENSIONS), unit="prompts, in our own words"),
}

# %% tags=["hide-input"]
for (method, asked), value in means.stack().items():
    cell = cells.get((method, asked))
    more = {"reference": cell.value, "source": cell.key} if cell else {}
    results[f"gcc.{asked}.{method}"] = report.Result.of(value, unit, **more)
for choice, row in picked.iterrows():
    key = f"gcc.best_of_four.{choice.replace(' ', '_')}"
    results[f"{key}.score"] = report.Result.of(row["mean score"], unit)
    results[f"{key}.false_claims"] = report.Result.of(row["false claims"], "claims a comment")
for name, row in learned.iterrows():
    results[f"gcc.choice.{name.replace(' ', '_')}"] = report.Result.of(
        row["chance of the better move"], "probability")
for name, value in gained.items():
    results[f"gcc.choice.gained.{name}"] = report.Result.of(value, "probability, less no comment")

# %% tags=["hide-input"]
for name, value in swap["loss"].items():
    results[f"gcc.swapped.{name}"] = report.Result.of(value, f"{unit} lost")
for (variant, asked), value in praise.stack().items():
    results[f"gcc.changed.{asked}.{variant.replace(' ', '_')}"] = report.Result.of(value, unit)
for (column, kind), values in ours.items():
    whom = "checker.truth" if column == "correctness" else f"judge.{column}"
    unit = f"correlation with the {'checker' if column == 'correctness' else 'judge'}, not people"
    asked_of = values if column == "correctness" else values[list(classical.MEASURES)]
    results |= {f"together.{whom}.{measure}.{kind}": report.Result.of(value, unit)
                for measure, value in asked_of.items() if value is not None}
report.save("06_gcc_eval", results)

# %% tags=["hide-input"]
report.evidence(Evidence(
    len(scores), "scores", seed, interval="95 % over moves; shares Wilson, else bootstrap",
    versions={"judge": model, "engine": f"{told[0].before.engine}, {NODES:,} nodes",
              "prompts": ", ".join(f"gcc_{one}@1" for one in gcc.PROMPTS)}))
