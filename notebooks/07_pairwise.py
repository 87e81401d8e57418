# ---
# jupyter:
#   kernelspec:
#     display_name: Python 3 (ipykernel)
#     language: python
#     name: python3
# ---

# %% [markdown]
# # Two comments on one move
#
# Of a comment and its copy with one word broken, {glue:text}`judge` gives the unbroken one
# {glue:text}`truer` of the points. {glue:text}`three_say` When two comments change places, the winner stays
# in {glue:text}`same` of pairs.

# %% tags=["parameters", "hide-input"] mystnb={"code_prompt_show": "Parameters: whose comments, and who judges"}
profile = "book"
seed = 1
model = "claude"  # wrote the comments, but for the notes by program
judged_by = ""  # another model whose answers as a judge of these comments are recorded

# %% tags=["hide-input"] mystnb={"code_prompt_show": "Imports, and the judge's lines"}
import matplotlib.pyplot as plt
import numpy as np
import pandas as pd
from chessgloss import report
from chessgloss.commentary import voice
from chessgloss.commentary.prompts import load_prompt
from chessgloss.judges import gcc, measures, pairwise, strong
from chessgloss.judges.pairwise import CRITERIA, decide, outcomes, read_line, read_lines
from chessgloss.llm.client import model_title, replay
from chessgloss.stats import mean_interval

report.use_house_style()
KINDS = strong.KINDS | strong.TWINS
briefings = voice.voice_moves()
writer = replay(voice.PURPOSE, model)
judge = replay(strong.PURPOSE, judged_by or model)
questions = strong.question_sets(writer)
lines = {name: read_lines(gcc.recorded(questions[name], judge)) for name in strong.PAIRED}
compared = outcomes(decide(lines["rubric"], set()), "totals")
twins = outcomes(decide(lines["truer"], set()), "totals")
RIVALS = [("true", "broken"), ("ccc", "bare"), ("lines_checked", "ccc"), ("notes", "ccc")]
won = {}
for kind, rival in RIVALS:
    answers = twins if kind == "true" else compared
    points = measures.points_of(answers, kind, rival)
    if len(points):
        won[kind, rival] = mean_interval(points["points"], points["move"], seed=seed)

# %% tags=["remove-input"] mystnb={"figure": {"caption": "Points of one kind of comment against another by the rubric's totals, a tie one half, in both orders, with 95 % intervals over moves.", "name": "fig-07-points"}, "image": {"alt": "For each of four pairs of comments a dot with an interval, on a scale from 0 to 1 with a line at one half."}}
figure, axis = plt.subplots(figsize=(7.2, 1.9), layout="constrained")
names = [f"{KINDS[kind]}, against {KINDS[rival]}" for kind, rival in won][::-1]
ends = [[each.value, each.low, each.high] for each in won.values()]
values = np.array(ends[::-1])
axis.axvline(0.5, color="grey", linewidth=0.8)
axis.hlines(names, values[:, 1], values[:, 2], color=report.PALETTE[0])
axis.scatter(values[:, 0], names, color=report.PALETTE[0], zorder=2)
axis.set(xlim=(-0.02, 1.02), ylim=(-0.6, len(won) - 0.4), xlabel="share of points")
plt.show()

# %% [markdown]
# {glue:text}`judge` judged, {glue:text}`judgements` times; no person did. It also wrote the
# comments, except the notes.
#
# The *pairwise rubric* asks a language model which of two comments on a move is the better one. It
# gives each comment six scores from 1 to 5: faithfulness, relevance, informativeness, clarity,
# human likeness and conciseness. The higher sum wins. Faithfulness breaks a tie first, and a *hard
# rule* sets it to 1 where a comment invents an event. Adding up, breaking ties and the hard rule
# need no model: a program does them.
#
# ## The rubric on one pair
#
# The judge sees no board. It is shown a *feature context*, facts about the move from the board and
# the engine. Most of its {glue:text}`context_lines` lines say what is *not* there. Here are the
# others.

# %%
row = lines["rubric"].iloc[0]
facts = briefings[row["move"]].facts()
context = pairwise.linearise(facts).splitlines()
there = [line for line in context if not line.endswith((": no", ": none", ": 0"))]
print(*there, sep="\n")

# %%
report.texts({"A": row["text_a"], "B": row["text_b"], "the judge writes": row["answer"].text})

# %% [markdown]
# The line names the winner first, then scores and totals. The program adds them up; at equal totals
# the first of three criteria that differs decides.

# %%
ballot = read_line(row["answer"].text)
scores = pd.DataFrame({"A": ballot.a, "B": ballot.b}, index=CRITERIA)
gap = scores["A"] - scores["B"]
breaks = gap[["faithfulness", "relevance", "informativeness"]]
decisive = [gap.sum(), *breaks]
first_to_differ = next((each for each in decisive if each), 0)
print(scores.T.to_string())
print("winner by the scores:", {1: "A", -1: "B", 0: "TIE"}[int(np.sign(first_to_differ))])
print("winner as written:   ", ballot.word)

# %% [markdown]
# Of {glue:text}`judgements` lines {glue:text}`unreadable` could not be read;
# {glue:text}`contradict` contradict themselves, and {glue:text}`repeats` give a comment the scores
# of a line in the prompt.
#
# ## Does the truer comment win?
#
# If it does not, nothing else that the judge says counts. Forty comments were compared with copies
# in which one word is broken ([chapter 6](06_gcc_eval.ipynb)), in both orders.

# %%
example = lines["truer"].iloc[0]
report.texts(
    {KINDS[example["first"]]: example["text_a"], KINDS[example["second"]]: example["text_b"]}
)

# %%
truer = {}
for by in ("totals", "word"):  # by the scores, and by the winner that the judge names
    answers = outcomes(decide(lines["truer"], set()), by)
    points = measures.points_of(answers, "true", "broken")
    truer[by] = mean_interval(points["points"], points["move"], seed=seed)
    print(f"points of the unbroken comment by {by}: {truer[by]:.2f}")

# %% [markdown]
# ## Three pairs
#
# On forty of the moves that the authors released, three pairs of comments were compared, each in
# both orders.

# %%
rows = {}
for kind, rival in RIVALS[1:]:
    pair = measures.points_of(compared, kind, rival)
    tied = pair["winner"] == "TIE"
    rows[f"{KINDS[kind]}, against {KINDS[rival]}"] = {
        "points": mean_interval(pair["points"], pair["move"], seed=seed),
        "ties": mean_interval(tied, pair["move"], seed=seed),
        "answers": len(pair),
    }
report.table(pd.DataFrame(rows).T, caption="Share of points by the totals, a tie one half")

# %%
read = lines["rubric"].query("state == 'read'")
sides = []
for place, letter in (("first", "a"), ("second", "b")):
    given = read[[f"{name}_{letter}" for name in CRITERIA]].set_axis(CRITERIA, axis=1)
    sides.append(given.astype(float).assign(kind=read[place].map(KINDS)))
mean_scores = pd.concat(sides).groupby("kind").mean().rename_axis(None)
report.table(
    mean_scores.rename(columns={"human_likeness": "human"}), caption="Mean scores, 1 to 5"
)

# %% [markdown]
# Faithfulness is to the context, not to the board: a line of moves that goes beyond it counts as
# unsupported. Checked lines get {glue:text}`faith_lines:.1f` for it, CCC
# {glue:text}`faith_ccc:.1f`.
#
# ## Both orders
#
# The rubric has A scored by itself, then B, and only then a winner, so that the order should not
# count.

# %%
stays = measures.same_winner(compared)
same = mean_interval(stays["same"], stays["move"], seed=seed)
print(f"the same winner in both orders: {same:.2f}; by chance {stays['chance'].mean():.2f}")

# %%
both = measures.in_both_orders(compared)
# in each pair 0.5, if the place is nothing
of_pairs = both.groupby(["move", "pair"])["points"]
of_place = of_pairs.mean().reset_index()
first = mean_interval(of_place["points"], of_place["move"], seed=seed)
tied = both["winner"] == "TIE"
ties = mean_interval(tied, both["move"], seed=seed)
print(f"points of the comment shown first: {first:.2f}; ties: {ties:.2f}")

# %% [markdown]
# The one shown first gets {glue:text}`first` of the points: {glue:text}`place`.
#
# ## The hard rule by program
#
# The program looks for claims of an event in a comment (a check, a mate, a capture, a promotion, a
# trade, a hanging piece won, a forced tactic or threat), and asks whether a line of the context
# carries it. If not, faithfulness is 1. The rule should strike broken copies and spare the others.

# %%
texts = {
    each.move: {each.first: each.text_a, each.second: each.text_b}
    for each in questions["truer"].itertuples()
}
moves = [briefings[name] for name in texts]
events = pairwise.claimed_events(moves, texts)
struck = pairwise.disqualified(events)

# %%
ruled = outcomes(decide(lines["truer"], struck), "rule")
ruled = measures.points_of(ruled, "true", "broken")
by_rule = mean_interval(ruled["points"], ruled["move"], seed=seed)
share_struck = {}
for side in strong.TWINS:
    hits = [(name, side) in struck for name in texts]
    share_struck[side] = mean_interval(hits, seed=seed)
report.sheet(
    "the hard rule on forty pairs",
    {
        "broken copies struck": share_struck["broken"],
        "comments as written struck": share_struck["true"],
        "points of the unbroken comment before the rule": truer["totals"],
        "points after it": by_rule,
    },
)

# %% [markdown]
# The program strikes {glue:text}`struck_broken` of the broken copies and {glue:text}`struck_true`
# of the others.
#
# ## Recap
#
# - Of a comment and its copy with one word broken, {glue:text}`judge` gives the unbroken one
#   {glue:text}`truer` of the points. {glue:text}`three_say`
# - When two comments change places, the winner stays in {glue:text}`same` of pairs (by chance in
#   {glue:text}`chance:.0f` %).
# - A language model judged comments that it wrote itself, and no person was asked.

# %% tags=["remove-input"]
every = pd.concat([decide(lines[each], set()) for each in strong.PAIRED])
asked = sum(map(len, lines.values()))
wrong = (
    (every["stated_a"] != every["total_a"])
    | (every["stated_b"] != every["total_b"])
    | (every["word"] != every["totals"])
)
told = load_prompt("pairwise").messages[0].content.splitlines()
samples = [each for text in told if (each := read_line(text))]
prompted = {scores for sample in samples for scores in (sample.a, sample.b)}
copied = np.zeros(len(every), dtype=bool)
for side in "ab":
    scores = every[[f"{criterion}_{side}" for criterion in CRITERIA]]
    copied |= [tuple(each) in prompted for each in scores.to_numpy()]
contradict = mean_interval(wrong, every["move"], seed=seed)
repeats = mean_interval(copied, every["move"], seed=seed)
preferred = []
for kind, rival in RIVALS[1:]:
    against = won[kind, rival]
    if against.low > 0.5:
        preferred.append(f"{KINDS[kind]} to {KINDS[rival]}")
    if against.high < 0.5:
        preferred.append(f"{KINDS[rival]} to {KINDS[kind]}")
three_say = (
    f"By the totals it prefers {report.listed(preferred, 'neither comment of any pair')}."
)
if truer["totals"].low <= 0.5:
    three_say = (
        "It does not prefer the truer of two comments, so its other totals decide nothing."
    )
place = "the place is not seen to count"
if not first.low <= 0.5 <= first.high:
    place = "the place counts"
shares = {
    "truer": truer["totals"],
    "same": same,
    "first": first,
    "struck_broken": share_struck["broken"],
    "struck_true": share_struck["true"],
    "contradict": contradict,
    "repeats": repeats,
}
report.paste(
    judge=model_title(judge.model.name),
    judgements=asked,
    context_lines=len(context),
    three_say=three_say,
    chance=100 * stays["chance"].mean(),
    place=place,
    unreadable=asked - len(every) or "none",
    faith_lines=mean_scores.loc[KINDS["lines_checked"], "faithfulness"],
    faith_ccc=mean_scores.loc["CCC", "faithfulness"],
    **{key: f"{100 * each.value:.0f} %" for key, each in shares.items()},
)

# %% tags=["remove-input"]
rows, count = report.rows, report.Result
points = {f"points.{a}_against_{b}": each for (a, b), each in won.items() if a != "true"}
of_truer = {"truer_gets": truer["totals"], "truer_gets_by_rule": by_rule, "first_wins": first}
of_lines = {"contradiction_share": contradict, "copied_share": repeats}
report.save(
    "07_pairwise",
    rows(of_truer | points, "rubric.strong", unit="share of points"),
    rows(
        {"same_winner": same, "ties": ties}, "rubric.strong", unit="share of pairs or answers"
    ),
    rows(share_struck, "rubric.strong.struck", unit="share of comments"),
    rows(of_lines, "rubric.strong.line", unit="share of lines read"),
    rows({"judgements": asked}, "rubric.strong", unit="judgements"),
    rows({"unreadable": count(asked - len(every), n=asked)}, "rubric.strong.line"),
    {
        "scale.points": count(pairwise.HIGHEST, unit="points"),
        "criteria.count": count(len(CRITERIA), unit="criteria"),
        "decision.fields": count(pairwise.FIELDS, unit="fields of the line"),
    },
)
intervals = "95 % over moves; shares Wilson, else bootstrap"
versions = {"judge": judge.told(), "comments": writer.told()}
report.evidence(asked, "comparisons", seed, None, intervals, versions)

# %% [markdown]
# ## Exercises
#
# **1. One criterion less.** Leave out one criterion at a time from the totals of the three pairs,
# in the order of `CRITERIA`. In what share of the comparisons does the winner change?


# %% tags=["solution", "hide-cell"] mystnb={"code_prompt_show": "A solution: winners when a criterion is left out"}
# Winners when a criterion is left out.
def winners(names):
    gap = sum(
        read[f"{name}_a"].astype(float) - read[f"{name}_b"].astype(float) for name in names
    )
    return np.sign(gap)


all_six = winners(CRITERIA)
turned_by = {
    left_out: float(
        (winners([name for name in CRITERIA if name != left_out]) != all_six).mean()
    )
    for left_out in CRITERIA
}
report.table(pd.DataFrame({"share of comparisons whose winner changes": turned_by}))

# %% tags=["check", "remove-cell"]
report.check(
    "The winner is the sign of A's sum less B's, without tie-breaks; compare it with the sign by all "
    "six, one share a criterion.",
    ordered=True,
    turned_by=turned_by,
)

# %% [markdown]
# **2. Where the false word is felt.** By how much does each criterion of `CRITERIA` fall, in the
# mean, from a comment to its broken copy shown in the same place?

# %% tags=["solution", "hide-cell"] mystnb={"code_prompt_show": "A solution: mean score of each criterion for both, whichever place they stood in"}
# Mean score of each criterion for both, whichever place they stood in.
of_twins = []
for place, letter in (("first", "a"), ("second", "b")):
    pair_lines = lines["truer"].query("state == 'read'")
    given = pair_lines[[f"{name}_{letter}" for name in CRITERIA]].set_axis(CRITERIA, axis=1)
    of_twins.append(given.astype(float).assign(kind=pair_lines[place]))
by_kind = pd.concat(of_twins).groupby("kind").mean()
felt = {
    name: float(by_kind.loc["true", name] - by_kind.loc["broken", name]) for name in CRITERIA
}
report.table(pd.DataFrame({"as written less broken": felt}))

# %% tags=["check", "remove-cell"]
report.check(
    "Six differences: the mean score as written less the mean score of the broken copies, over both "
    "places.",
    ordered=True,
    felt=felt,
)

# %% [markdown]
# **3. The word or the sum.** The judge names a winner before it has written a score. In what share
# of all comparisons is it the winner that its scores give?

# %% tags=["solution", "hide-cell"] mystnb={"code_prompt_show": "A solution: the judge's word beside the winner by its scores"}
# The judge's word beside the winner by its scores.
every_line = pd.concat([decide(lines[name], set()) for name in strong.PAIRED])
alike = every_line["word"] == every_line["totals"]
agree = float(alike.mean())
print(f"the same winner: {agree:.3f}")
report.table(pd.crosstab(every_line["word"], every_line["totals"]))

# %% tags=["check", "remove-cell"]
report.check(
    "Compare `word` with `totals` in the lines of both sets, ties too: one share.",
    agree=agree,
)
