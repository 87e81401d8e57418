# ---
# jupyter:
#   kernelspec:
#     display_name: Python 3 (ipykernel)
#     language: python
#     name: python3
# ---

# %% [markdown]
# # Two comments on one move: the pairwise rubric
#
# {glue:text}`truer_says` {glue:text}`pairs_say` {glue:text}`order_says`

# %% tags=["parameters", "hide-input"] mystnb={"code_prompt_show": "Parameters: whose comments, and who judges"}
profile = "book"
seed = 1
model = "claude"  # wrote the comments, but for the notes by program
judged_by = ""  # another model whose answers as a judge of these comments are recorded

# %% tags=["hide-input"] mystnb={"code_prompt_show": "Imports"}
import matplotlib.pyplot as plt
import numpy as np
import pandas as pd
from chessgloss import report
from chessgloss.commentary import voice
from chessgloss.commentary.prompts import load_prompt
from chessgloss.judges import pairwise, strong
from chessgloss.judges.pairwise import CRITERIA, read_line
from chessgloss.llm.client import model_title, replay
from chessgloss.stats import mean_interval

report.use_house_style()

# %% tags=["hide-input"] mystnb={"code_prompt_show": "Read the judge's lines"}
KINDS = {
    "bare": "position and move",
    "ccc": "CCC",
    "lines_checked": "with lines, checked",
    "notes": "notes, by program",
    "true": "as written",
    "broken": "one word broken",
}
judge = replay(strong.PURPOSE, judged_by or model)
sets = strong.question_sets(replay(voice.PURPOSE, model))
briefings = voice.voice_moves()


def read_set(name):
    """The lines of a set of pairs that are recorded, read."""
    questions = sets[name]
    there = [judge.recordings.get(request) is not None for request in questions["request"]]
    return pairwise.read_lines(judge.answered(questions[there]))


lined = {name: read_set(name) for name in strong.PAIRED}
decided = {name: pairwise.decide(lines, set()) for name, lines in lined.items()}


def points_of(outcomes, kind):
    """Points of one kind in pairs that were read in both orders, with the move of each."""
    first = outcomes["first"] == kind
    points = outcomes["points"].where(first, 1 - outcomes["points"])
    chosen = first | (outcomes["second"] == kind)
    pairs = outcomes[chosen].assign(points=points[chosen])
    return pairs.groupby(["move", "pair"]).filter(lambda rows: len(rows) == 2)


compared = pairwise.outcomes(decided["rubric"], "totals")
twins = pairwise.outcomes(decided["truer"], "totals")
rivals = {
    ("true", "broken"): points_of(twins, "true"),
    ("ccc", "bare"): points_of(compared, "ccc").query("pair == 'bare / ccc'"),
    ("lines_checked", "ccc"): points_of(compared, "lines_checked"),
    ("notes", "ccc"): points_of(compared, "notes"),
}
won = {
    pair: mean_interval(rows["points"], rows["move"], seed=seed)
    for pair, rows in rivals.items()
    if len(rows)
}
truer = won.get(("true", "broken"))
tells = truer is not None and truer.low > 0.5

# %% tags=["remove-input"] mystnb={"figure": {"caption": "Points that the first of two kinds of comment gets against the second by the rubric's totals, a tie one half, both orders, with 95 % intervals over moves.", "name": "fig-07-points"}, "image": {"alt": "For each of four pairs of comments a dot with an interval, on a scale from 0 to 1 with a line at one half."}}
figure, axis = plt.subplots(figsize=(7.2, 2.4))
height = np.arange(len(won))[::-1]
values = np.array([[each.value, each.low, each.high] for each in won.values()])
axis.axvline(0.5, color="grey", linewidth=0.8)
axis.hlines(height, values[:, 1], values[:, 2], color=report.PALETTE[0])
axis.scatter(values[:, 0], height, color=report.PALETTE[0], zorder=2)
axis.set_yticks(height, [f"{KINDS[a]}, not {KINDS[b]}" for a, b in won])
axis.set(xlim=(0, 1), ylim=(-0.6, len(won) - 0.4), xlabel="share of points")
plt.show()

# %% [markdown]
# {glue:text}`judge` judged, {glue:text}`judgements` times; no person did. It also wrote the comments,
# but for the notes. Its answers are replayed.
#
# The *pairwise rubric* asks a language model which of two comments on a move is the better one. It
# gives each comment six scores from 1 to 5: faithfulness, relevance, informativeness, clarity, human
# likeness and conciseness. The higher sum wins, and accuracy counts in two more ways: faithfulness
# breaks a tie first, and a *hard rule* sets it to 1 where a comment invents an event. We add up as it
# is written, without weights ([chapter 17](17_released_code.ipynb)). Adding up, breaking ties and the
# hard rule need no model: a program does them here.
#
# ## The rubric on one pair
#
# The judge sees no board. It is shown a *feature context*, facts about the move from the board and the
# engine, all seen by the side that moves. Most of its {glue:text}`context_lines` lines say what is *not*
# there, so that a comment can be held against them. Here are the others.

# %%
row = decided["rubric"].iloc[0]
context = pairwise.linearise(briefings[row["move"]].facts()).splitlines()
print(*(line for line in context if not line.endswith((": no", ": none", ": 0"))), sep="\n")

# %%
print("A:", row["text_a"])
print("B:", row["text_b"])
print("the judge writes:", row["answer"].text)

# %% [markdown]
# The line names the winner first, then the scores and the total of each comment. The program reads the
# scores, adds them up, and lets the criteria in their order break a tie.

# %%
ballot = read_line(row["answer"].text)
print(pd.DataFrame({"A": ballot.a, "B": ballot.b}, index=CRITERIA).T.to_string())

# %%
gap = sum(ballot.a) - sum(ballot.b)
ties = [a - b for a, b in zip(ballot.a, ballot.b, strict=True)][:3]
deciding = next((each for each in (gap, *ties) if each), 0)
print("winner by the scores:", {1: "A", -1: "B", 0: "TIE"}[int(np.sign(deciding))])
print("winner as written:   ", ballot.word)

# %% [markdown]
# {glue:text}`line_says`
#
# ## Does the truer comment win?
#
# This is asked first, since nothing else that the judge says counts if it fails. Of a comment and its
# copy with one word broken (chapter 6), the copy can only be worse. Forty such pairs were compared, in
# both orders.

# %%
example = sets["truer"].iloc[0]
print(f"{example['first']}: {example['text_a']}\n{example['second']}: {example['text_b']}")

# %%
points = points_of(twins, "true")
print("points of the unbroken comment:", f"{points['points'].mean():.2f} of 1")

# %% [markdown]
# {glue:text}`word_says`
#
# ## Three pairs
#
# On forty of the moves that the authors released, three pairs of comments were compared, each in both
# orders: CCC and position and move, comments with checked lines and CCC, the program's notes and CCC.

# %%
pair = compared[compared["pair"] == "bare / ccc"]
print(pair.groupby(["first", "second"])["winner"].value_counts().unstack(fill_value=0).to_string())

# %% tags=["hide-input"] mystnb={"code_prompt_show": "Points and ties of each pair"}
table = {
    f"{KINDS[a]}, not {KINDS[b]}": {
        "points": won[a, b],
        "ties": mean_interval(rows["winner"] == "TIE", rows["move"], seed=seed),
        "answers": len(rows),
    }
    for (a, b), rows in rivals.items()
    if (a, b) in won
}
report.table(pd.DataFrame(table).T, caption="Share of points by the totals, a tie one half")

# %% tags=["hide-input"] mystnb={"code_prompt_show": "Mean score of each criterion"}
sides = pd.concat(
    decided["rubric"][[side, *(f"{name}_{letter}" for name in CRITERIA)]].set_axis(
        ["kind", *CRITERIA], axis=1
    )
    for side, letter in (("first", "a"), ("second", "b"))
)
given = sides.groupby("kind").mean().astype(float).reindex(KINDS).dropna()
report.table(
    given.rename(index=KINDS).rename(columns=lambda name: name.replace("_", " ")),
    caption="Mean scores, 1 to 5",
)

# %% [markdown]
# {glue:text}`three_say`
#
# ## Both orders
#
# The rubric has A scored by itself, then B, and only then a winner, so that the order should not count.
# A judge that reads what is there names the same comment whichever it sees first.

# %%
orders = compared.groupby(["move", "pair"])["winner"].agg(["nunique", "size"])
both = orders[orders["size"] == 2].reset_index()
same = mean_interval(both["nunique"] == 1, both["move"], seed=seed)
print(f"the same winner in both orders: {same:.2f}")

# %% tags=["hide-input"] mystnb={"code_prompt_show": "What the place is worth"}
in_both = compared.groupby(["move", "pair"]).filter(lambda rows: len(rows) == 2)
first = mean_interval(in_both["points"], in_both["move"], seed=seed)
shares = in_both["winner"].eq("TIE").mean()
wins = {"first": (in_both["points"] == 1).mean(), "second": (in_both["points"] == 0).mean()}
# two answers drawn apart, by this judge's own shares of either comment and of ties
by_pair = in_both.groupby("pair")["winner"].value_counts(normalize=True)
dice = float((by_pair**2).groupby("pair").sum().mean())
ties = mean_interval(in_both["winner"] == "TIE", in_both["move"], seed=seed)
report.sheet(
    f"{len(both)} pairs in both orders",
    {
        "the same winner in both": same,
        "the same by chance, with its shares of winners": dice,
        "points of the comment shown first": first,
        "ties": ties,
    },
)

# %% [markdown]
# {glue:text}`place_says`
#
# ## The hard rule by program
#
# The program looks for claims of an event in a comment (a check, a mate, a capture, a promotion, a trade,
# a hanging piece won, a forced tactic or threat), and asks whether a line of the context carries it. If
# not, faithfulness is 1. Tried on the forty pairs, the rule should strike broken copies and spare the
# others.

# %%
texts = {
    each.move: {each.first: each.text_a, each.second: each.text_b}
    for each in sets["truer"].itertuples()
}
events = pairwise.claimed_events((briefings[name] for name in texts), texts)
struck = pairwise.disqualified(events)
print(pd.Series([side for _, side in struck]).value_counts().to_string())

# %% tags=["hide-input"] mystnb={"code_prompt_show": "Before the rule and after it"}
share_struck = {
    side: mean_interval([(name, side) in struck for name in texts], seed=seed)
    for side in strong.TWINS
}
ruled = pairwise.outcomes(pairwise.decide(lined["truer"], struck), "rule")
after_rule = points_of(ruled, "true")
by_rule = (
    mean_interval(after_rule["points"], after_rule["move"], seed=seed) if len(after_rule) else None
)
faithful = {
    side: decided["truer"][f"faithfulness_{letter}"][decided["truer"][place] == side]
    for side in strong.TWINS
    for place, letter in (("first", "a"),)
}
rule_table = pd.DataFrame(
    {
        "struck by the program": share_struck,
        "faithfulness given by the judge": {side: each.mean() for side, each in faithful.items()},
        "points before the rule": {"true": truer},
        "points after it": {"true": by_rule},
    }
)
report.table(rule_table.rename(index=KINDS), caption="The hard rule on forty pairs")

# %% [markdown]
# {glue:text}`rule_says`
#
# ## Recap
#
# - {glue:text}`truer_says`
# - {glue:text}`three_say`
# - {glue:text}`place_says`
# - {glue:text}`rule_says`
# - {glue:text}`line_says`
# - A language model judged comments that it wrote itself, and no person was asked.

# %% tags=["remove-input"]
judge_name = model_title(judge.model.name)
lines = pd.concat(decided.values())
asked_lines = pd.concat(lined.values())
contradicts = (
    (lines["stated_a"] != lines["total_a"])
    | (lines["stated_b"] != lines["total_b"])
    | (lines["word"] != lines["totals"])
)
contradiction = mean_interval(contradicts, lines["move"], seed=seed) if len(lines) else None
told = load_prompt("pairwise").messages[0].content.splitlines()
samples = [read_line(text) for text in told if text.startswith(("WINNER,A,A", "WINNER,B,A"))]
shown_scores = {scores for sample in samples for scores in (sample.a, sample.b)}
repeats = [
    any(tuple(row[f"{name}_{side}"] for name in CRITERIA) in shown_scores for side in "ab")
    for _, row in lines.iterrows()
]
copied = mean_interval(repeats, lines["move"], seed=seed) if len(lines) else None
unreadable = len(asked_lines) - len(lines)


def per_cent(interval):
    """Return a share in words: ``93 % [88, 97]``."""
    share = interval.in_percent()
    return f"{share.value:.0f} % [{share.low:.0f}, {share.high:.0f}]"


NOT_YET = "Not asked yet."
truer_says = place_says = rule_says = line_says = three_say = word_says = NOT_YET
pairs_say = order_says = ""
if truer:
    truer_says = (
        f"Of a comment and its copy with one word broken, {judge_name} gives the unbroken one "
        f"{per_cent(truer)} of the points by the rubric's totals."
    )
    by_word = points_of(pairwise.outcomes(decided["truer"], "word"), "true")
    in_words = mean_interval(by_word["points"], by_word["move"], seed=seed)
    word_says = (
        f"By the totals it gets {per_cent(truer)} of the points, by the winner that the judge names "
        f"itself {per_cent(in_words)}; a tie is one half."
    )
if len(won) > 1:
    preferred = []
    for (a, b), share in won.items():
        if a == "true" or 0.5 >= share.low and 0.5 <= share.high:
            continue
        better, worse = (a, b) if share.low > 0.5 else (b, a)
        preferred.append(f"{KINDS[better]} to {KINDS[worse]}")
    three_say = "By its totals it prefers neither comment of any of the three pairs for certain."
    if preferred:
        three_say = f"By its totals it prefers {'; '.join(preferred)}."
    if not tells:
        three_say = (
            "Since it does not prefer the truer of two comments, its totals decide nothing between "
            "the kinds."
        )
    pairs_say = three_say
    order_says = f"When two comments change places, it keeps the winner in {per_cent(same)} of pairs."
    place = "the place is not seen to count"
    place = "the comment shown first gains" if first.low > 0.5 else place
    place = "the comment shown second gains" if first.high < 0.5 else place
    place_says = (
        f"When two comments change places, the winner stays in {per_cent(same)} of pairs (by chance "
        f"in {100 * dice:.0f} %); the comment shown first gets {per_cent(first)} of the points: {place}."
    )
if by_rule and truer:
    rule_says = (
        f"The program strikes {per_cent(share_struck['broken'])} of the broken copies and "
        f"{per_cent(share_struck['true'])} of the comments as written; after the rule these get "
        f"{per_cent(by_rule)} of the points, before it {per_cent(truer)}."
    )
if contradiction:
    line_says = (
        f"Of {len(asked_lines)} lines {unreadable or 'none'} could not be read; "
        f"{per_cent(contradiction)} contradict themselves in a total or in the winner, and in "
        f"{per_cent(copied)} a comment has the six scores of one of the two lines that the prompt shows."
    )
report.paste(
    judge=judge_name,
    judgements=len(asked_lines),
    context_lines=len(context),
    truer_says=truer_says,
    word_says=word_says,
    pairs_say=pairs_say,
    three_say=three_say,
    order_says=order_says,
    place_says=place_says,
    rule_says=rule_says,
    line_says=line_says,
)

# %% tags=["remove-input"]
rows, count = report.rows, report.Result
ANSWERS = "the judge's answers"
POINTS = "share of points"


def measured(values, prefix, unit):
    """Return results, ``None`` with what they need where there are no answers yet."""
    return {
        key: result
        for name, value in values.items()
        for key, result in rows(
            {name: value}, prefix, unit=unit, needs="" if value is not None else ANSWERS
        ).items()
    }


report.save(
    "07_pairwise",
    measured({"truer_gets": truer, "truer_gets_by_rule": by_rule}, "rubric.strong", POINTS),
    measured(
        {f"{a}_less_{b}": won.get((a, b)) for a, b in rivals if a != "true"},
        "rubric.strong.points",
        POINTS,
    ),
    measured(
        {"same_winner": same, "ties": ties}, "rubric.strong", "share of pairs in both orders"
    ),
    measured({"first_wins": first}, "rubric.strong", POINTS),
    measured(share_struck, "rubric.strong.struck", "share of comments"),
    measured(
        {"contradiction_share": contradiction, "copied_share": copied},
        "rubric.strong.line",
        "share of lines read",
    ),
    rows({"judgements": count(len(asked_lines), unit="judgements")}, "rubric.strong"),
    rows({"line.unreadable": count(unreadable, n=len(asked_lines))}, "rubric.strong"),
    {
        "scale.points": count(pairwise.HIGHEST, unit="points"),
        "criteria.count": count(len(CRITERIA), unit="criteria"),
        "decision.fields": count(pairwise.FIELDS, unit="fields of the line"),
    },
)

# %% tags=["remove-input"]
report.evidence(
    len(asked_lines),
    "comparisons",
    seed,
    interval="95 % over moves; shares Wilson, else bootstrap",
    versions={
        "judge": judge.told(),
        "comments": replay(voice.PURPOSE, model).told(),
        "prompt": load_prompt("pairwise").label,
    },
)

# %% [markdown]
# ## Exercises
#
# **1. One criterion less.** Leave out one criterion at a time from the totals of the three pairs. How
# often does the winner change?


# %% tags=["solution", "hide-cell"]
# Winners when a criterion is left out.
def winners(names):
    gap = sum(
        decided["rubric"][f"{name}_a"].astype(float) - decided["rubric"][f"{name}_b"].astype(float)
        for name in names
    )
    return np.sign(gap)


all_six = winners(CRITERIA)
turned_by = {
    left_out: float((winners([name for name in CRITERIA if name != left_out]) != all_six).mean())
    for left_out in CRITERIA
}
report.table(pd.DataFrame({"share of comparisons whose winner changes": turned_by}))

# %% tags=["check", "remove-cell"]
report.check(
    "The winner is the sign of A's sum less B's, without tie-breaks; compare it with the sign by all "
    "six, one share a criterion.",
    turned_by=turned_by,
)

# %% [markdown]
# **2. Where the false word is felt.** By how much does each criterion fall, in the mean, from a comment
# to its broken copy shown in the same place?

# %% tags=["solution", "hide-cell"]
# Mean score of each criterion for both, whichever place they stood in.
of_twins = pd.concat(
    decided["truer"][[side, *(f"{name}_{letter}" for name in CRITERIA)]].set_axis(
        ["kind", *CRITERIA], axis=1
    )
    for side, letter in (("first", "a"), ("second", "b"))
)
by_kind = of_twins.groupby("kind").mean().astype(float)
felt = {name: float(by_kind.loc["true", name] - by_kind.loc["broken", name]) for name in CRITERIA}
report.table(pd.DataFrame({"as written less broken": felt}))

# %% tags=["check", "remove-cell"]
report.check(
    "Six differences: the mean score as written less the mean score of the broken copies, over both "
    "places.",
    felt=felt,
)

# %% [markdown]
# **3. The word or the sum.** The judge names a winner before it has written a score. In what share of
# all comparisons is it the winner that its scores give?

# %% tags=["solution", "hide-cell"]
# The judge's word beside the winner by its scores.
every_line = pd.concat([decided[name] for name in strong.PAIRED])
agree = float((every_line["word"] == every_line["totals"]).mean())
print(f"the same winner: {agree:.3f}")
report.table(pd.crosstab(every_line["word"], every_line["totals"]))

# %% tags=["check", "remove-cell"]
report.check(
    "Compare `word` with `totals` in the lines of both sets, ties too: one share.",
    agree=agree,
)
