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
# Of a comment and its copy with one false word, {glue:text}`judge` scores the copy lower in
# {glue:text}`won:.0f` % of pairs. {glue:text}`ahead_says`

# %% tags=["parameters", "hide-input"] mystnb={"code_prompt_show": "Parameters: whose comments, and who judges"}
profile = "book"
seed = 1
model = "claude"  # wrote three of the five kinds of comment
judged_by = ""  # another model whose answers as a judge of these comments are recorded

# %% tags=["hide-input"] mystnb={"code_prompt_show": "Imports, and what the judge answered"}
import matplotlib.pyplot as plt
import numpy as np
import pandas as pd
from scipy.special import softmax
from chessgloss import report
from chessgloss.book import reference
from chessgloss.commentary import voice
from chessgloss.judges import gcc, measures, strong
from chessgloss.judges.gcc import DIMENSIONS, judge_request, read_decimal, read_score
from chessgloss.llm.client import model_title, replay
from chessgloss.llm.recordings import Answer, Token
from chessgloss.stats import Interval, correlation, mean_interval, means_by, paired_permutation
from chessgloss.store import data_file

report.use_house_style()
KINDS = strong.KINDS
PAPER = {
    "bare": "GPT-4o",
    "ccc": "GPT-4o + expert + concept (CCC)",
    "reference": "Reference",
}
writer = replay(voice.PURPOSE, model)
judge, form = strong.judge_of(judged_by or model)
questions = strong.question_sets(writer, form)
scored = {
    name: gcc.scored(frame, judge).dropna(subset="score")
    for name, frame in questions.items()
    if name not in strong.PAIRED
}
relevance = scored["table5"].query("asked == 'relevance'")
pairs = measures.twins(scored["pairs"])
accuracy = mean_interval(pairs["won"], pairs["move"], seed=seed)
clears = accuracy.value >= strong.BAR
table5 = scored["table5"] if clears else scored["table5"][:0]
in_view = measures.beside(scored["reference"], relevance if clears else relevance[:0])

# %% tags=["remove-input"] mystnb={"figure": {"caption": "Left: relevance of a comment, and of its copy with one word broken; a dot a pair, and below the line the judge noticed. Right: mean relevance of each kind of comment, and the same with a person's comment in view.", "name": "fig-06-pairs"}, "image": {"alt": "Two panels. Left, dots of the scores of comments and their broken copies, with a diagonal. Right, for each kind of comment two dots, joined by a line: the mean relevance without and with a person's comment in view."}}
figure, (left, right) = plt.subplots(1, 2, figsize=(8.4, 1.85), layout="constrained")
random = np.random.default_rng(seed)
lots = random.uniform(-0.01, 0.01, (2, len(pairs)))  # so that dots show
noticed = pairs["won"] == 1
colours = np.where(noticed, report.PALETTE[0], report.PALETTE[1])
across = pairs["true"] + lots[0]
upward = pairs["broken"] + lots[1]
left.scatter(across, upward, s=12, alpha=0.6, c=colours)
left.axline((1, 1), slope=1, color="grey", linewidth=0.8)
lowest = min(pairs["true"].min(), pairs["broken"].min())
ends = (lowest - 0.05, 1.03)
left.set(xlim=ends, ylim=ends, xlabel="as written", ylabel="one word broken")
of_kind = in_view.groupby("method")
both = of_kind[["less", "more"]].mean()
of_relevance = table5.query("asked == 'relevance'")
of_kind = of_relevance.groupby("method")
kinds = of_kind["score"].mean()
order = [kind for kind in KINDS if kind in kinds.index][::-1]
drawn = kinds.to_frame("less").join(both["more"])
drawn = drawn.reindex(order)
names = [KINDS[kind] for kind in order]
right.hlines(
    names, drawn["less"], drawn["more"].fillna(drawn["less"]), color="grey", linewidth=1
)
right.scatter(drawn["less"], names, color=report.PALETTE[0], label="as the paper asks")
viewed = drawn["more"].dropna()  # of those who have a clone of the released repository
right.plot(
    viewed,
    [KINDS[kind] for kind in viewed.index],
    "s",
    color=report.PALETTE[1],
    label="reference in view",
)
right.set(xlim=(0, 1), ylim=(-0.5, len(names) + 0.6), xlabel="relevance, share of the scale")
right.legend(loc="upper left", ncols=2, fontsize=8)
plt.show()

# %% [markdown]
# {glue:text}`judge` judged, {glue:text}`judgements` times; no person did. It also wrote three of
# the five kinds of comment, so its liking for its own words is part of every number below.
#
# A move can be explained well in many ways, so a comparison with one human comment, word by word,
# says little. The CCC paper {cite}`kim2024ccc` therefore asks a language model to judge, helped by
# an engine: GCC-Eval (Section 3.2), built on G-Eval {cite}`liu2023geval`. We repeat its Table 5 on
# the sixty moves that the authors released, after a test of the judge: one that wins fewer than
# {glue:text}`bar` % of the pairs gets no Table 5. Moves, questions and this bar were fixed before
# the first answer.
#
# ## One question
#
# A constant part states the criterion and the steps of judging. Then come position, move and, for
# relevance and completeness, the engine's hint, and last the one comment.

# %%
of_ccc = relevance.query("method == 'ccc'")
shown = of_ccc.iloc[0]
briefing = voice.voice_moves()[shown["move"]]
question = judge_request(shown["text"], briefing, "relevance", form=form)
turns = [" ".join(turn.content.split()) for turn in question.messages]
told, position, _, comment = turns
answer = judge.ask(question)
report.texts(
    {"what to do": told, "the move": position, "the text": comment, "answer": answer.text},
    "Figure A1 (a): a question about relevance",
)

# %% [markdown]
# ## From an answer to a score
#
# The paper's judge answers with one token, and the score is the mean of the digits, each weighted
# by its probability (Equation 1). Here are the log-probabilities of one such answer, of a judge of
# 1.5 billion parameters. It said 5; its score is lower.

# %%
logprobs = {"1": -2.912, "2": -2.762, "3": -1.757, "4": -1.173, "5": -0.918}
digits = np.arange(1, 6)
weights = softmax(list(logprobs.values()))
expected = weights @ digits
token = Token("5", logprobs["5"], tuple(logprobs.items()))
given = Answer("answered", "5", (token,))
print("by hand:       ", weights.round(3), "expected score", expected.round(2))
print("by the library:", read_score(given))
print("ours, above:   ", read_decimal(answer))

# %% [markdown]
# {glue:text}`form_says` Tables show scores as shares of the scale, as the paper does: 1 is 0, and 5
# is 1. An answer that is no score is left out.
#
# ## Does it notice a false word?
#
# GCC-Eval has no dimension for truth. Its relevance should fall with it, because it is judged
# beside the engine's verdict. Of {glue:text}`pairs_asked` comments a copy was made with one word
# exchanged (a piece, a square, a side), so that the board makes it false. The two were judged in
# different batches.

# %%
example = scored["pairs"].query("pair == 0")
report.texts(
    {
        f"{strong.TWINS[each.variant]}: {each.score:.2f}": each.text
        for each in example.itertuples()
    }
)

# %%
pairs = measures.twins(scored["pairs"])  # won: 1, one half for a tie, or 0
blind = measures.twins(scored["pairs_no_hint"])
if len(blind) < 0.9 * strong.PAIRS:  # not all were asked
    blind = blind[:0]
small = pd.read_csv(data_file("commentary/judge/small_judge.csv")).iloc[0]
pairs["error"] = pairs["error"].str.replace("_", " ")
by_error = means_by(pairs, "error", "won", cluster="move", seed=seed)
won = {"all pairs": accuracy, **by_error}
if len(blind):
    won["without the engine's hint"] = mean_interval(blind["won"], blind["move"], seed=seed)
won[f"{small['judge']}, single sentences"] = Interval(*small[["won", "low", "high", "pairs"]])
counts = {name: each.n for name, each in won.items()}
frame = pd.DataFrame({"won": won, "pairs": counts})
report.table(frame, caption="How often the unbroken comment has the higher score")

# %% [markdown]
# {glue:text}`bar_says` With the engine's hint it wins {glue:text}`gained` more than without.
#
# Four more trials: a comment is put under another move than its own; praise, or two sentences that
# say nothing, are added; sixty questions are asked a second time.

# %%
foreign = scored["foreign"].drop(columns="move").rename(columns={"written_on": "move"})
gain = measures.beside(foreign, relevance)["gain"]
trials = {"under another move": mean_interval(gain, seed=seed)}
for variant, changed in scored["changed"].groupby("variant"):
    gain = measures.beside(changed, relevance)["gain"]
    trials[variant] = mean_interval(gain, seed=seed)
twice = scored["again"].merge(scored["table5"], on=["move", "method", "asked"])
apart = twice["score_x"] - twice["score_y"]
trials["asked again"] = mean_interval(apart, seed=seed)
counts = {name: each.n for name, each in trials.items()}
frame = pd.DataFrame({"change": trials, "comments": counts})
report.table(frame, caption="What it does to a score, as a share of the scale")

# %% [markdown]
# {glue:text}`filler_says` Asked again, a score differs by {glue:text}`apart:.2f` of the scale in
# the mean. {glue:text}`again_says`
#
# ## Table 5
#
# Five kinds of comment on the same moves, four dimensions. The paper's rows stand below ours.
# {glue:text}`absent_says`

# %%
means = {
    asked: means_by(rows, "method", "score", cluster="move", seed=seed)
    for asked, rows in table5.groupby("asked")
}
ours = pd.DataFrame(means, columns=list(DIMENSIONS))
ours = ours.reindex(list(KINDS)).dropna()
cells = {
    (asked, kind): reference.lookup("ccc", "table5", row, asked.capitalize())
    for kind, row in PAPER.items()
    for asked in DIMENSIONS
}
values = {key: cell.value for key, cell in cells.items()}
printed = pd.Series(values).unstack(0)
names = {kind: f"paper: {row}" for kind, row in PAPER.items()}
printed = printed.rename(index=names)
table = pd.concat([ours.rename(index=KINDS), printed[list(DIMENSIONS)]])
report.table(table, caption="Table 5, shares of the scale")

# %%
wide = table5.pivot_table("score", ["asked", "move"], "method")
kinds = [kind for kind in KINDS if kind in wide]
others = [kind for kind in kinds if kind != "ccc"]
less = pd.DataFrame(
    {
        asked: {
            kind: paired_permutation(
                *wide.loc[asked][["ccc", kind]].dropna().T.values, seed=seed
            )
            for kind in others
        }
        for asked in DIMENSIONS
    },
    index=others,
)
report.table(
    less.rename(index=KINDS).map("{:.2f}".format),
    caption="CCC less each other kind; * if chance gives as much in fewer than one of 1,000 draws",
)

# %% [markdown]
# Over comments, each two of the four dimensions correlate at {glue:text}`lowest:.2f` at least.

# %% tags=["hide-cell"] mystnb={"code_prompt_show": "Correlation of the four scores over comments"}
by_comment = table5.pivot_table("score", ["move", "method"], "asked")
correlated = by_comment.corr()
report.table(correlated, caption="Correlation over comments")

# %% [markdown]
# ## Two other ways to ask
#
# In the authors' released code the question on relevance also shows the *reference*, the person's
# comment ([chapter 17](17_released_code.ipynb)). People's own comment is then judged with itself in
# view. And on thirty moves relevance and completeness were asked without the engine's evaluation.

# %% tags=["hide-cell"] mystnb={"code_prompt_show": "What showing the reference or the evaluation adds to a score"}
ways = {"reference, relevance": in_view}
for asked in ("relevance", "completeness"):
    without = scored["no_hint"].query("asked == @asked + '_no_hint'")
    hinted = table5.query("asked == @asked")
    ways[f"hint, {asked}"] = measures.beside(hinted, without)
gains = {
    way: means_by(both, "method", "gain", cluster="move", seed=seed)
    for way, both in ways.items()
}
frame = pd.DataFrame(gains).reindex(list(KINDS)).dropna(how="all")
frame = frame.rename(index=KINDS)
report.table(frame, caption="What showing it adds to a score, as a share of the scale")

# %% [markdown]
# With a person's comment in view, the relevance of people's own goes from {glue:text}`before` to
# {glue:text}`after`.
#
# ## Recap
#
# - Of a comment and its copy with one false word, {glue:text}`judge` scores the copy lower in
#   {glue:text}`won:.0f` % of pairs; a judge of 1.5 billion parameters, asked about single
#   sentences, in {glue:text}`small_won:.0f` %.
# - To show the judge the person's comment, or the engine's hint, moves its scores: the hint
#   {glue:text}`beyond` of {glue:text}`hints` means beyond their intervals.
# - Writer and judge are one model. The paper compares its judge's scores with ratings by people
#   (Table 4); nothing here answers that.

# %% tags=["remove-input"]
CLONE = "a clone of the released repository"
FORMS = {"token": "one token, as the paper's", "decimal": "a number with one decimal"}
both = pairs.merge(blind, on="pair")
gained = None
if len(both):
    change = both["won_x"] - both["won_y"]
    gained = mean_interval(change, seed=seed)
counts = []
for kind in others:
    gaps = [each.difference for each in less.loc[kind]]
    won_in = sum(gap.low > 0 for gap in gaps)
    lost_in = sum(gap.high < 0 for gap in gaps)
    behind = f" (behind in {lost_in})" if lost_in else ""
    counts.append(f"of {KINDS[kind]} in {won_in}{behind}")
ahead = f"Of four dimensions, CCC is ahead {report.listed(counts)}."
entries = correlated.to_numpy()
people = in_view.query("method == 'reference'")
before = after = f"(needs {CLONE})"
if len(people):
    before = f"{people['less'].mean():.2f}"
    after = f"{people['more'].mean():.2f}"
hints = [each for way in gains if "hint" in way for each in gains[way]]
beyond = sum(each.low > 0 or each.high < 0 for each in hints)
filler = "Praise or filler raises it."
highest = max(trials[variant].low for variant in strong.CHANGES)
if highest <= 0:
    filler = "Praise and filler do not raise it."
lower = (
    f"They were lower by {-trials['asked again'].value:.2f}: between ways of asking, which lie in "
    "different batches, changes of that size mean nothing."
)
sizes = [len(rows) for rows in scored.values()]
judgements = sum(sizes)
agreement = correlation(twice["score_x"], twice["score_y"], seed=seed)
report.paste(
    judge=model_title(judge.model.name),
    judgements=f"{judgements:,}",
    bar=f"{100 * strong.BAR:.0f}",
    pairs_asked=strong.PAIRS,
    won=100 * accuracy.value,
    small_won=100 * small["won"],
    bar_says=f"It {'clears the bar' if clears else 'does not clear the bar: no Table 5'}.",
    form_says=f"Our judge was asked for {FORMS[form]}.",
    gained=f"{gained.in_percent():+.0f} points" if gained else "(not asked)",
    ahead_says=ahead if others else "No kinds of comment are compared by its scores.",
    absent_says="" if "reference" in others else f"People's rows need {CLONE}.",
    lowest=entries.min() if others else np.nan,
    before=before,
    after=after,
    hints=len(hints),
    beyond=beyond,
    filler_says=filler,
    again_says=lower if trials["asked again"].high < 0 else "",
    apart=apart.abs().mean(),
    agreement=f"{agreement:.2f}",
)

# %% tags=["remove-input"]
UNIT = "share of the scale"


def of_kinds(values, prefix, unit=UNIT, published=None):
    """Return results of the kinds; ``None``, with what it needs, where one is absent."""
    kinds = [kind for kind in KINDS if not (kind == "ccc" and "ccc_less" in prefix)]
    models = {kind: values.get(kind) for kind in kinds if kind != "reference"}
    needs = CLONE if clears else "a judge that clears the bar"
    lacking = needs if None in models.values() else ""
    people = {"reference": values.get("reference")}
    found = report.rows(models, prefix, unit=unit, needs=lacking, reference=published)
    rest = report.rows(people, prefix, unit=unit, needs=CLONE, reference=published)
    return found | rest


of_pairs = {f"pairs.{error}": won[error] for error in by_error.index}
of_pairs["minimal_pairs"] = accuracy
without = {"pairs.no_hint": won.get("without the engine's hint")}
change = {"hint_less_none.pairs": gained}
needs = "" if gained else "the pairs judged without the hint"
small_won = won[f"{small['judge']}, single sentences"]
tables = [
    report.rows(of_pairs, "judge.strong", unit="share of pairs"),
    report.rows(without, "judge.strong", unit="share of pairs", needs=needs),
    report.rows(change, "judge.strong", unit="share of pairs, hint less none", needs=needs),
    report.rows({"minimal_pairs": small_won}, "judge.small", unit="share of pairs"),
    report.rows({"clears_bar": int(clears)}, "judge.strong", unit="1: yes, 0: no"),
    report.rows(trials, "judge.strong.change", unit=UNIT),
    report.rows({"again": agreement}, "judge.strong.correlation"),
    report.rows({"prompts": len(DIMENSIONS)}, "figure_a1", unit="prompts, in our own words"),
    of_kinds(
        gains["reference, relevance"], "judge.strong.reference_in_view", f"{UNIT}, gained"
    ),
]
for asked in DIMENSIONS:
    published = {kind: cells[asked, kind] for kind in PAPER}
    of_ccc = less[asked]
    gaps = {kind: of_ccc[kind].difference for kind in others}
    tables.append(of_kinds(ours[asked], f"gcc.{asked}", published=published))
    tables.append(of_kinds(gaps, f"gcc.ccc_less.{asked}", f"{UNIT}, paired"))
for asked in ("relevance", "completeness"):
    hint = gains[f"hint, {asked}"]
    tables.append(
        of_kinds(hint, f"gcc.without_hint.{asked}", f"{UNIT}, with the hint less without")
    )
report.save("06_gcc_eval", *tables)
intervals = "95 % over moves; shares Wilson, else bootstrap"
versions = {"judge": judge.told(), "comments": writer.told()}
report.evidence(judgements, "judgements", seed, None, intervals, versions)

# %% [markdown]
# ## Exercises
#
# **1. Word or expectation?** Of the answer under *From an answer to a score*, give the likeliest
# digit, its probability and the expected digit.

# %% tags=["solution", "hide-cell"] mystnb={"code_prompt_show": "A solution: the likeliest digit beside the expectation"}
# The likeliest digit beside the expectation.
likeliest = int(digits[weights.argmax()])
word_and_mean = {
    "likeliest digit": likeliest,
    "its probability": float(weights.max()),
    "expected digit": float(weights @ digits),
}
report.sheet("relevance", word_and_mean)

# %% tags=["check", "remove-cell"]
report.check(
    "Three numbers: the likeliest digit, its share of the weights, the expected digit.",
    ordered=True,
    word_and_mean=word_and_mean,
)

# %% [markdown]
# **2. A judge that counts words.** Replace the judge by the number of words of a comment. Compute
# the rank correlation with the judge's scores for each dimension, in the order of `DIMENSIONS`,
# without people's comments.

# %% tags=["solution", "hide-cell"] mystnb={"code_prompt_show": "A solution: rank correlation of the judge's scores with the number of words"}
# Rank correlation of the judge's scores with the number of words.
lengths = scored["table5"].query("method != 'reference'").copy()
words = lengths["text"].str.split()
lengths["words"] = words.str.len()
with_words = {}
for dimension in DIMENSIONS:
    rows = lengths.query("asked == @dimension")
    scores = rows["score"]
    counts = rows["words"]
    with_words[dimension] = scores.corr(counts, method="spearman")
report.table(pd.DataFrame({"rank correlation with words": with_words}))

# %% tags=["check", "remove-cell"]
report.check(
    "Count words by `split`, leave people out, and correlate ranks (Spearman), one number a dimension.",
    ordered=True,
    with_words=with_words,
)

# %% [markdown]
# **3. Four dimensions or one?** Correlate the scores of the same comment in the four dimensions,
# without people's comments. What share of their variance does one axis explain (the largest
# eigenvalue of the correlation matrix, divided by four)?

# %% tags=["solution", "hide-cell"] mystnb={"code_prompt_show": "A solution: correlations of the dimensions, and the share of the first axis"}
# Correlations of the dimensions, and the share of the first axis.
not_people = scored["table5"].query("method != 'reference'")
by_comment = not_people.pivot_table(
    values="score",
    index=["move", "method"],
    columns="asked",
)
correlations = by_comment.dropna().corr()
axes = np.linalg.eigvalsh(correlations.to_numpy())
largest = axes[-1]
first_axis = largest / len(correlations)
print(f"share of the first axis: {first_axis:.2f}")
report.table(correlations)

# %% tags=["check", "remove-cell"]
report.check(
    "A row a comment (move and method), a column a dimension; rows that lack one go. The largest "
    "eigenvalue of the correlation matrix over four: a share from a quarter to one.",
    first_axis=first_axis,
)
