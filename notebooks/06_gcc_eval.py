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
# {glue:text}`pairs_says` {glue:text}`table5_says` {glue:text}`reference_says`

# %% tags=["parameters", "hide-input"] mystnb={"code_prompt_show": "Parameters: whose comments, and who judges"}
profile = "book"
seed = 1
model = "claude"  # wrote three of the five kinds of comment
judged_by = ""  # another model whose answers as a judge of these comments are recorded

# %% tags=["hide-input"] mystnb={"code_prompt_show": "Imports"}
import matplotlib.pyplot as plt
import numpy as np
import pandas as pd
from scipy.special import softmax
from chessgloss import report
from chessgloss.book import reference
from chessgloss.commentary import voice
from chessgloss.judges import gcc, strong
from chessgloss.judges.gcc import DIMENSIONS, judge_request, read_decimal, read_score
from chessgloss.llm.client import model_title, replay
from chessgloss.llm.recordings import Answer, Token
from chessgloss.stats import (
    Interval,
    correlation,
    mean_interval,
    means_by,
    paired_difference,
    paired_permutation,
)
from chessgloss.store import data_file

report.use_house_style()

# %% tags=["hide-input"] mystnb={"code_prompt_show": "Read what the judge answered"}
KINDS = {
    "bare": "position and move",
    "ccc": "CCC",
    "lines_checked": "with lines, checked",
    "notes": "notes, by program",
    "reference": "people",
}
CLONE = "a clone of the released repository"
judge, form = strong.judge_of(judged_by or model)
sets = strong.question_sets(replay(voice.PURPOSE, model), form)
scored = {
    name: gcc.scored(questions, judge).dropna(subset="score")
    for name, questions in sets.items()
    if name not in strong.PAIRED
}
asked = sum(map(len, sets.values()))
judgements = sum(map(len, scored.values()))


def twins(name):
    """Scores of pairs of a comment and its broken copy, a row a pair."""
    rows = scored[name].assign(score=1 + 4 * scored[name]["score"])
    index = ["pair", "error", "move"]
    wide = rows.pivot(index=index, columns="variant", values="score")
    return wide.reindex(columns=strong.TWINS).dropna().reset_index()


def share_won(pairs):
    """Share of pairs whose unbroken comment has the higher score, a tie one half."""
    won = (np.sign(pairs["true"] - pairs["broken"]) + 1) / 2
    return mean_interval(won, pairs["move"], seed=seed)


def with_and_without(more, less):
    """Scores of the same comments asked in two ways: a row a comment, and the difference."""
    both = pd.concat({"with": more, "without": less}, names=["hint"]).reset_index("hint")
    wide = both.pivot(index=["move", "method"], columns="hint", values="score")
    return wide.reindex(columns=["with", "without"]).dropna().reset_index()


table5 = scored["table5"]
relevance = table5[table5["asked"] == "relevance"]
in_view = with_and_without(scored["reference"], relevance)
pairs = twins("pairs")
accuracy = share_won(pairs)
clears = accuracy.value >= strong.BAR
small = pd.read_csv(data_file("commentary/judge/small_judge.csv")).iloc[0]

# %% tags=["remove-input"] mystnb={"figure": {"caption": "Left: scores of relevance of a comment and of its copy with one word broken, a dot a pair; below the line the judge noticed. Right: mean relevance of five kinds of comment, and the same with a person's comment in view.", "name": "fig-06-pairs"}, "image": {"alt": "Two panels. Left, dots of the scores of comments and their broken copies, with a diagonal. Right, for each kind of comment two dots, joined by a line: the mean relevance without and with the reference comment in view."}}
panels = 2 if clears and len(in_view) else 1
figure, axes = plt.subplots(1, panels, figsize=(4.2 * panels, 3.1), squeeze=False)
axis = axes[0, 0]
lots = np.random.default_rng(seed).uniform(-0.04, 0.04, (2, len(pairs)))  # so that dots show
noticed = pairs["broken"] < pairs["true"]
for seen, colour in ((True, report.PALETTE[0]), (False, report.PALETTE[1])):
    dots = noticed == seen
    axis.scatter(
        pairs["true"][dots] + lots[0][dots],
        pairs["broken"][dots] + lots[1][dots],
        s=14,
        alpha=0.6,
        color=colour,
        label="broken copy lower" if seen else "not lower",
    )
axis.axline((1, 1), slope=1, color="grey", linewidth=0.8)
axis.set(xlim=(0.8, 5.2), ylim=(0.8, 5.2), xlabel="as written", ylabel="one word broken")
axis.legend(loc="upper left")
if panels == 2:
    axis = axes[0, 1]
    means = in_view.groupby("method")[["without", "with"]].mean().reindex(KINDS).dropna()
    height = np.arange(len(means))[::-1]
    axis.hlines(height, means["without"], means["with"], color="grey", linewidth=1)
    axis.scatter(means["without"], height, color=report.PALETTE[0], label="as printed")
    axis.scatter(
        means["with"], height, color=report.PALETTE[1], marker="s", label="reference in view"
    )
    axis.set_yticks(height, [KINDS[kind] for kind in means.index])
    axis.set(xlim=(0, 1), ylim=(-0.6, len(means) - 0.4), xlabel="relevance, share of scale")
    axis.legend(loc="lower left")
figure.tight_layout()
plt.show()

# %% [markdown]
# {glue:text}`judge` judged, {glue:text}`judgements` times; no person did. One model wrote three of the
# five kinds of comment and judges all five, so its liking for its own words is part of every number
# below. Its answers are replayed.
#
# A move can be explained well in many ways, so a comparison with one human comment, word by word, says
# little. The CCC paper {cite}`kim2024ccc` therefore asks a language model to judge, helped by an engine.
# This is GCC-Eval (Section 3.2), the paper's second contribution, built on G-Eval
# {cite}`liu2023geval`. We repeat its Table 5 on the sixty moves that the authors released. First the judge
# itself is tried: a judge that wins fewer than {glue:text}`bar` % of the pairs gets no Table 5. The
# moves, the questions and this bar were fixed before its first answer.
#
# ## One question
#
# A constant part states the criterion and the steps of judging. Then come position, move and, for
# relevance and completeness, the engine's hint; the comment comes last, between marks that it cannot
# imitate. Every question shows one comment.

# %%
shown = relevance[relevance["method"] == "ccc"].iloc[0]
briefing = voice.voice_moves()[shown["move"]]
question = judge_request(shown["text"], briefing, "relevance", form=form)
print(question.messages[0].content)

# %%
print(question.messages[1].content)
print(question.messages[-1].content)
answer = judge.ask(question)
print("the judge answers:", answer.text)

# %% [markdown]
# ## From an answer to a score
#
# The paper's judge answers with one token, and the score is the mean of the digits, each weighted by its
# probability (its Equation 1). Here are the log-probabilities of one answer of such a judge, a model of
# 1.5 billion parameters, to a question of this form. It answered 5, and its score is lower.

# %%
logprobs = {"1": -2.912, "2": -2.762, "3": -1.757, "4": -1.173, "5": -0.918}
digits = np.arange(1, 6)
weights = softmax(list(logprobs.values()))
expected_score = weights @ digits
print("weights of 1 to 5 =", weights.round(3))
print(f"expected score    = {expected_score:.2f}")

# %%
token = Token("5", logprobs["5"], tuple(logprobs.items()))
print("by the library:", read_score(Answer("answered", "5", (token,))))
print("one decimal:   ", read_decimal(answer))

# %% [markdown]
# {glue:text}`form_says` Tables show scores as shares of the scale, as the paper does: 1 is 0, and 5 is 1.
# An answer that is no score is left out, not counted as zero.
#
# ## Does it notice a false word?
#
# GCC-Eval has no dimension for truth. Of its four, relevance is the one that should fall with it: it is
# judged beside the engine's verdict, and a statement that is false does not bear on the move. For each
# of {glue:text}`pairs_asked` comments a copy was made with one word exchanged (a piece, a square, a
# side), so that the board makes it false. Comment and copy were judged apart, in different batches.

# %%
example = sets["pairs"].query("pair == 0")
print(*example["text"], sep="\n")
print(pairs.query("pair == 0")[["true", "broken"]].to_string(index=False))

# %%
won = (np.sign(pairs["true"] - pairs["broken"]) + 1) / 2  # a tie is half a win
print("pairs won:", mean_interval(won, pairs["move"], seed=seed))

# %% tags=["hide-input"] mystnb={"code_prompt_show": "By what was exchanged, and without the hint"}
blind = twins("pairs_no_hint")
both_ways = pairs.merge(blind, on=["pair", "error", "move"], suffixes=("", " no hint"))
tests = {
    "all pairs": accuracy,
    **{
        error.replace("_", " "): share_won(rows) for error, rows in pairs.groupby("error")
    },
}
hint_in_pairs = None
if len(both_ways):
    tests["all, without the engine's hint"] = share_won(blind)
    won_with, won_without = (
        (np.sign(both_ways[f"true{way}"] - both_ways[f"broken{way}"]) + 1) / 2
        for way in ("", " no hint")
    )
    hint_in_pairs = paired_difference(won_with, won_without, both_ways["move"], seed=seed)
frame = pd.DataFrame({"won": tests})
frame["pairs"] = [each.n for each in tests.values()]
frame.loc[f"{small['judge']}, on single sentences"] = [
    Interval(small["won"], small["low"], small["high"], int(small["pairs"])),
    int(small["pairs"]),
]
report.table(frame, caption="How often the unbroken comment has the higher score")

# %% [markdown]
# {glue:text}`bar_says` {glue:text}`hint_pairs_says`
#
# Four more trials. A comment is put under another move than its own. Praise, or two sentences that say
# nothing, are added. Sixty questions are asked a second time.

# %% tags=["hide-input"] mystnb={"code_prompt_show": "Compare scores of the same comment"}
own = relevance.set_index(["move", "method"])["score"]
foreign = scored["foreign"]
home = own.reindex(pd.MultiIndex.from_frame(foreign[["written_on", "method"]]))
lost = (foreign["score"] - home.to_numpy()).dropna()
trials = {"under another move": mean_interval(lost, seed=seed) if len(lost) else None}
for variant, rows in scored["changed"].groupby("variant", sort=False):
    plain = own.reindex(pd.MultiIndex.from_frame(rows[["move", "method"]])).to_numpy()
    kept = pd.DataFrame({"gain": rows["score"] - plain, "move": rows["move"]}).dropna()
    trials[variant] = mean_interval(kept["gain"], kept["move"], seed=seed)
repeated = scored["again"].merge(table5, on=["move", "method", "asked"], suffixes=("", " first"))
repeated["gap"] = repeated["score"] - repeated["score first"]
if len(repeated) > 1:
    trials["asked a second time"] = mean_interval(repeated["gap"], seed=seed)
trials = {name: each for name, each in trials.items() if each}
changes = pd.DataFrame({"change": trials, "comments": {k: v.n for k, v in trials.items()}})
report.table(changes, caption="What it does to a score, as a share of the scale")

# %% [markdown]
# {glue:text}`again_says`
#
# ## Table 5
#
# Five kinds of comment on the same moves, four dimensions. The paper's values are printed beside those
# of ours that are asked in the same way, though writer, judge and people's comments differ.

# %%
example = relevance[relevance["method"] == "ccc"]
print("relevance of CCC:", mean_interval(example["score"], seed=seed))

# %% tags=["hide-input"] mystnb={"code_prompt_show": "Table 5, the paper's and ours"}
PRINTED = {
    "bare": "GPT-4o",
    "ccc": "GPT-4o + expert + concept (CCC)",
    "reference": "Reference",
}
cells = {
    (dimension, kind): reference.lookup("ccc", "table5", row, dimension.capitalize())
    for kind, row in PRINTED.items()
    for dimension in DIMENSIONS
}
means = means_by(table5, ["asked", "method"], "score", cluster="move", seed=seed)
means = means if clears else means.iloc[:0]
rows = {}
for kind in [each for each in KINDS if ("relevance", each) in means.index]:
    rows[KINDS[kind]] = {}
    for dimension in DIMENSIONS:
        mean = means[dimension, kind]
        reach = (mean.high - mean.low) / 2
        rows[KINDS[kind]][dimension] = f"{mean.value:.2f} ± {reach:.2f}"
        printed = cells.get((dimension, kind))
        rows[KINDS[kind]][f"paper, {dimension}"] = printed.printed if printed else "–"
moves = table5["move"].nunique()
nothing = report.texts({}, "This judge does not clear the bar: no Table 5")
shown_table = report.table(pd.DataFrame(rows).T, caption=f"Table 5 on {moves} moves")
shown_table if clears else nothing

# %% tags=["hide-input"] mystnb={"code_prompt_show": "CCC less each other kind, on the same moves"}
wide = table5.pivot_table("score", ["asked", "move"], "method")
others = [kind for kind in KINDS if kind != "ccc" and kind in wide and clears]
less = pd.DataFrame(
    {
        dimension: {
            kind: paired_permutation(both["ccc"], both[kind], seed=seed)
            for kind in others
            for both in [wide.loc[dimension][["ccc", kind]].dropna()]
        }
        for dimension in DIMENSIONS
    }
)
report.table(
    less.rename(index=KINDS).map(
        lambda found: f"{found.difference.in_percent():.0f}{'*' if found.p < 0.001 else ''}"
    ),
    caption="CCC less each other kind, in hundredths of the scale; * p < .001, signs exchanged",
) if others else nothing

# %% [markdown]
# {glue:text}`less_says` {glue:text}`dimensions_says`
#
# ## With the reference in view
#
# In the authors' released code the question on relevance also shows the *reference*, the person's
# comment, and asks to find the important aspects by it ([chapter 17](17_released_code.ipynb)). People's
# own comment is then judged with itself in view. We asked both ways; figure
# {numref}`fig-06-pairs` shows the means.

# %%
gain = in_view["with"] - in_view["without"]
print(gain.groupby(in_view["method"]).mean().round(3).to_string())

# %% tags=["hide-input"] mystnb={"code_prompt_show": "Relevance with the reference in view, and without"}
viewed = {}
for kind in [each for each in KINDS if each in set(in_view["method"]) and clears]:
    rows = in_view[in_view["method"] == kind]
    viewed[kind] = {
        "without": mean_interval(rows["without"], seed=seed),
        "in view": mean_interval(rows["with"], seed=seed),
        "difference": paired_difference(rows["with"], rows["without"], seed=seed),
    }
absent = report.texts({}, f"Needs {CLONE}, and a judge that clears the bar")
report.table(
    pd.DataFrame(viewed).T.rename(index=KINDS),
    caption="Relevance, share of the scale",
) if viewed else absent

# %% [markdown]
# {glue:text}`view_says`
#
# ## Without the engine's hint
#
# The paper's judge is told the engine's evaluation "for chess knowledge". On thirty of the moves
# relevance and completeness were asked without it too. {glue:text}`hint_says`

# %% tags=["hide-input"] mystnb={"code_prompt_show": "With the hint less without, by kind"}
hinted = {}
for name in gcc.WITHOUT_HINT:
    dimension = name.removesuffix("_no_hint")
    rows = with_and_without(
        table5[table5["asked"] == dimension], scored["no_hint"].query("asked == @name")
    )
    hinted[dimension] = {
        kind: paired_difference(of["with"], of["without"], seed=seed)
        for kind in KINDS
        if clears and len(of := rows[rows["method"] == kind]) > 1
    }
gained = pd.DataFrame(hinted)
report.table(
    gained.rename(index=KINDS), caption="Score with the hint less without, share of the scale"
) if len(gained) else nothing

# %% [markdown]
# ## Recap
#
# - {glue:text}`pairs_says`
# - {glue:text}`less_says`
# - {glue:text}`reference_says`
# - {glue:text}`hint_pairs_says` {glue:text}`hint_says`
# - Writer and judge are one model, and no person was asked. The paper tests its judge by how its scores
#   go together with ratings by people (Table 4); nothing here answers that.

# %% tags=["remove-input"]
judge_name = model_title(judge.model.name)
percent = accuracy.in_percent()
pairs_says = (
    f"Of a comment and its copy with one word broken, {judge_name} gives the unbroken one the higher "
    f"score of relevance in {percent.value:.0f} % of {accuracy.n} pairs "
    f"[{percent.low:.0f}, {percent.high:.0f}]; {small['judge']} did so in {100 * small['won']:.0f} %, "
    "on single sentences."
)
bar_says = (
    f"The bar is {100 * strong.BAR:.0f} %: "
    + ("it is cleared." if clears else "it is not cleared, so that no kinds of comment are compared.")
)
hint_pairs_says = "The pairs were not asked without the engine's hint."
if hint_in_pairs:
    points = hint_in_pairs.in_percent()
    effect = "does not change that for certain"
    effect = "raises the share" if points.low > 0 else effect
    effect = "lowers the share" if points.high < 0 else effect
    hint_pairs_says = (
        f"The engine's hint {effect}: {points.value:+.0f} points [{points.low:.0f}, {points.high:.0f}]."
    )


def listed(names):
    """Return names in a sentence: ``a, b and c``."""
    *first, last = names
    return f"{', '.join(first)} and {last}" if first else last


COUNTS = ("none", "one", "two", "three", "all four")
ahead = {
    kind: [each for each in DIMENSIONS if less.loc[kind, each].difference.low > 0] for kind in others
}
behind = {
    kind: [each for each in DIMENSIONS if less.loc[kind, each].difference.high < 0] for kind in others
}
table5_says = f"Below {100 * strong.BAR:.0f} %, no kinds of comment are compared by its scores."
less_says = table5_says
if others:
    against = [kind for kind in ("bare", "reference") if kind in others]
    table5_says = (
        "By its scores CCC is ahead of "
        + listed(
            [
                f"{'comments from position and move' if kind == 'bare' else 'people'} in "
                f"{COUNTS[len(ahead[kind])]} of four dimensions"
                for kind in against
            ]
        )
        + "."
    )
    told = [
        f"behind {KINDS[kind]} in {listed(found)}" for kind, found in behind.items() if found
    ]
    leads = [f"ahead of {KINDS[kind]} in {listed(found)}" for kind, found in ahead.items() if found]
    less_says = f"CCC is {'; '.join(leads + told)}." if leads + told else (
        "CCC differs from no other kind by more than its interval."
    )
    lacking = "" if "reference" in others else f" (People's row needs {CLONE}.)"
    less_says += lacking
reference_says = f"What the reference in view does needs {CLONE}."
view_says = reference_says
people = viewed.get("reference")
if people:
    reference_says = (
        "With the person's comment in view, as the authors' released code shows it, the score of "
        f"people's own comments goes from {people['without'].value:.2f} to {people['in view'].value:.2f} "
        "of the scale."
    )
    rises = [KINDS[kind] for kind, each in viewed.items() if each["difference"].low > 0]
    falls = [KINDS[kind] for kind, each in viewed.items() if each["difference"].high < 0]
    view_says = " ".join(
        f"In view, the reference {verb} the score of {listed(found)}."
        for verb, found in (("raises", rises), ("lowers", falls))
        if found
    )
    view_says = view_says or "No kind's score changes by more than its interval."
changed = [
    f"{dimension} of {KINDS[kind]} by {each.value:+.2f}"
    for dimension, of in hinted.items()
    for kind, each in of.items()
    if each.low > 0 or each.high < 0
]
hint_says = "The hint changes no kind's score by more than its interval."
if changed:
    hint_says = f"The hint changes {listed(changed)}, and no other score beyond its interval."
if not len(gained):
    hint_says = "These scores are not shown."
together = wide.stack().unstack("asked").dropna() if len(wide) else wide
dimensions_says = ""
if len(together) > 2:
    entries = together[list(DIMENSIONS)].corr().to_numpy()[np.triu_indices(4, 1)]
    dimensions_says = (
        f"The four dimensions correlate at {entries.min():.2f} to {entries.max():.2f} over comments."
    )
again_says = "No question was asked a second time."
if len(repeated) > 1:
    first, second = repeated["score first"], repeated["score"]
    agreement = correlation(first, second, seed=seed)
    again_says = (
        f"Asked again, a score differs by {repeated['gap'].abs().mean():.2f} of the scale in the mean, and the two "
        f"answers correlate at {agreement.value:.2f} [{agreement.low:.2f}, {agreement.high:.2f}]."
    )
form_says = (
    "Our judge gives no log-probabilities, so it was asked for a number with one decimal."
    if form == "decimal"
    else "Our judge gives log-probabilities, and its scores are made in this way."
)
report.paste(
    judge=judge_name,
    judgements=f"{judgements:,}",
    bar=f"{100 * strong.BAR:.0f}",
    pairs_asked=strong.PAIRS,
    pairs_says=pairs_says,
    bar_says=bar_says,
    hint_pairs_says=hint_pairs_says,
    table5_says=table5_says,
    less_says=less_says,
    reference_says=reference_says,
    view_says=view_says,
    hint_says=hint_says,
    dimensions_says=dimensions_says,
    again_says=again_says,
    form_says=form_says,
)

# %% tags=["remove-input"]
UNIT = "share of the scale"
CLEARED = "" if clears else "a judge that clears the bar"


def needs(kind):
    """Return what a kind's numbers take that not every reader has."""
    return CLONE if kind == "reference" else CLEARED or "the judge's answers"


def of_kinds(values, prefix, unit, **more):
    """Return results of the kinds, ``None`` where a kind is absent."""
    found = {}
    for kind in KINDS:
        if kind == "ccc" and "ccc_less" in prefix:
            continue
        value = values.get(kind)
        present = {} if value is not None and kind != "reference" else {"needs": needs(kind)}
        printed = more.get(kind)
        found |= report.rows({kind: value}, prefix, unit=unit, reference=printed, **present)
    return found


tables = [
    report.rows({"minimal_pairs": accuracy}, "judge.strong", unit="share of pairs"),
    report.rows({"clears_bar": int(clears)}, "judge.strong", unit="1: yes, 0: no"),
    report.rows(
        {name: each for name, each in tests.items() if name.startswith("wrong")},
        "judge.strong.pairs",
        unit="share of pairs",
    ),
    report.rows(
        {
            "pairs.no_hint": tests.get("all, without the engine's hint"),
        },
        "judge.strong",
        unit="share of pairs",
        needs="" if len(both_ways) else "the pairs judged without the hint",
    ),
    report.rows(
        {"hint_less_none.pairs": hint_in_pairs},
        "judge.strong",
        unit="share of pairs, with the hint less without",
        needs="" if hint_in_pairs else "the pairs judged without the hint",
    ),
    report.rows(
        {"minimal_pairs": report.Result(small["won"], small["low"], small["high"], int(small["pairs"]))},
        "judge.small",
        unit="share of pairs of sentences",
    ),
    report.rows(trials, "judge.strong.change", unit=UNIT, drop=True),
    report.rows({"prompts": len(DIMENSIONS)}, "figure_a1", unit="prompts, in our own words"),
    report.rows({"judgements": report.Result(judgements, unit="judgements")}, "gcc"),
    of_kinds(
        {kind: each["difference"] for kind, each in viewed.items()},
        "judge.strong.reference_in_view",
        f"{UNIT}, in view less without",
    ),
]
for dimension in DIMENSIONS:
    tables += [
        of_kinds(
            {kind: means.get((dimension, kind)) for kind in KINDS},
            f"gcc.{dimension}",
            UNIT,
            **{kind: {kind: cells[dimension, kind]} for kind in PRINTED},
        ),
        of_kinds(
            {kind: less.loc[kind, dimension].difference for kind in others},
            f"gcc.ccc_less.{dimension}",
            f"{UNIT}, paired",
        ),
    ]
for dimension, of in hinted.items():
    tables.append(
        of_kinds(of, f"gcc.without_hint.{dimension}", f"{UNIT}, with the hint less without")
    )
report.save("06_gcc_eval", *tables)

# %% tags=["remove-input"]
report.evidence(
    judgements,
    "judgements",
    seed,
    interval="95 % over moves; shares Wilson, else bootstrap",
    versions={
        "judge": judge.told(),
        "comments": replay(voice.PURPOSE, model).told(),
        "prompts": ", ".join(f"gcc_{name}@1" for name in gcc.PROMPTS),
    },
)

# %% [markdown]
# ## Exercises
#
# **1. Word or expectation?** Take the likeliest digit of the answer under *From an answer to a score*
# in place of the expectation. How far apart are the two, and how much probability has that digit?

# %% tags=["solution", "hide-cell"]
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
    word_and_mean=word_and_mean,
)

# %% [markdown]
# **2. A judge that counts words.** Replace the judge by the number of words of a comment. How similar is
# this order to the judge's? Compute the rank correlation for each dimension, without people's comments.

# %% tags=["solution", "hide-cell"]
# Rank correlation of the judge's scores with the number of words.
ours = table5[table5["method"] != "reference"]
lengths = ours.assign(words=ours["text"].str.split().str.len())
with_words = {
    dimension: rows["score"].corr(rows["words"], method="spearman")
    for dimension, rows in lengths.groupby("asked", sort=False)
}
report.table(pd.DataFrame({"rank correlation with words": with_words}))

# %% tags=["check", "remove-cell"]
report.check(
    "Count words by `split`, leave people out, and correlate ranks (Spearman), one number a dimension.",
    with_words=with_words,
)

# %% [markdown]
# **3. Four dimensions or one?** Correlate the scores of the same comment in the four dimensions,
# without people's comments. What share of their variance does one axis explain (the largest eigenvalue
# of the correlation matrix, divided by four)?

# %% tags=["solution", "hide-cell"]
# Correlations of the dimensions, and the share of the first axis.
not_people = table5[table5["method"] != "reference"]
by_comment = not_people.pivot_table("score", ["move", "method"], "asked").dropna()
correlations = by_comment.corr()
first_axis = np.linalg.eigvalsh(correlations.to_numpy())[-1] / len(correlations)
print(f"share of the first axis: {first_axis:.2f}")
report.table(correlations)

# %% tags=["check", "remove-cell"]
report.check(
    "A row a comment (move and method), a column a dimension; rows that lack one go. The largest "
    "eigenvalue of the correlation matrix over four: a share from a quarter to one.",
    first_axis=first_axis,
)
