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
# The last chapter asked a judge for one number. The pairwise rubric shows it two comments on
# the same move and asks for more: six scores for each, their sums, and a winner, in one line
# that a program can read. What it may hold against a comment is a list of signals, the
# *feature context*; a hard rule strikes comments that invent events. Much of the rubric can be
# done by a program: adding up, breaking ties, the hard rule itself. Here it is, and the judge's
# word stands beside the program's.
#
# What we find: asked for the rubric's line, {glue:text}`judge` copies a line of its prompt in
# {glue:text}`copied` of answers. Asked for one score at a time, it names the same winner in
# {glue:text}`consistency_totals:.0%` of pairs when the comments change places; dice with its
# shares of A, B and ties would in {glue:text}`dice:.0%`.

# %% tags=["parameters"]
profile = "book"
seed = 1
model = "qwen2.5-coder-1.5b-q4_k_m"
judged_by = ""  # another model whose answers as a judge of these comments are recorded

# %% tags=["hide-input"]
import json
import tempfile
from itertools import combinations
from pathlib import Path

import matplotlib.pyplot as plt
import numpy as np
import pandas as pd
import statsmodels.api as sm
from IPython.display import Markdown
from IPython.display import display as display_markdown
from scipy.special import expit
from sklearn.linear_model import LogisticRegression
from chessgloss import report
from chessgloss.commentary.asking import NODES, briefings_file, read_briefings
from chessgloss.commentary.briefing import first_words
from chessgloss.commentary.moves import evaluated_moves

from chessgloss.llm.client import model_title, recorded_models, replay
from chessgloss.stats import Interval, mean_interval, means_by
from chessgloss.store import find_project
from chessgloss.judges import pairwise
from chessgloss.judges.pairwise import CRITERIA, strengths
from chessgloss.commentary.methods import METHODS, commentators, gather_comments
from chessgloss.commentary.prompts import load_prompt
from chessgloss.book.profiles import load_sizes

sizes = load_sizes("07_pairwise", profile)
report.use_house_style()
evaluated = evaluated_moves(seed)
moves = pairwise.choose_compared(evaluated, sizes.moves)
kept = read_briefings(briefings_file())
briefings = [kept[move.name] for move in moves]
client = replay("commentary", model)
table = gather_comments(pairwise.METHODS, moves, kept, client)
methods = [name for name in pairwise.METHODS if name in set(table["method"])]
print(f"{len(moves)} moves, {len(methods)} methods")
comments = pairwise.comments_by_move(table)
events = pairwise.claimed_events(briefings, comments)
disqualified = pairwise.disqualified(events)

example = next(each for each in briefings if {"llm", "ccc"} <= set(comments[each.name]))
report.boards(
    report.board(example.move, size=280),
    report.texts(
        {"A": comments[example.name]["llm"], "B": comments[example.name]["ccc"]},
        f"Which of two comments on {example.move.numbered_san} is the better one?",
    ),
)

# %% [markdown]
# A was written by `llm`, which was told the move alone; B by `ccc`, which was told the engine's
# verdict, the attacks and five concepts.
#
# In this chapter we
#
# - show the rubric's criteria and what the judge is given;
# - ask for the rubric's line, read it strictly, and find that this judge copies it;
# - ask for one score at a time instead, and let the program add up;
# - ask whether the winner stays when the comments change places;
# - compare five methods in a win matrix and by Bradley-Terry strengths, first as a logistic
#   regression written out, then with intervals;
# - apply the hard rule by program, and ask how often the board contradicts it;
# - take length out of the comparison, and let the judge score each comment alone;
# - set beside each other what three chapters say of concepts against the verdict alone.
#
# ## The rubric
#
# Every criterion is scored from 1 to 5. The document speaks of "weighted totals to prioritize
# accuracy" and then writes a plain sum of six: we sum, as it is written. Accuracy takes part in
# two other ways: it is the first tie-break, and the hard rule sets it to 1. With plain sums a
# comment that invents a mate can still win by four points for style; the tables below show how
# often that happens.

# %%
_, *parts, _ = load_prompt("pairwise").messages[0].content.split("\n\n")
rubric = [line.partition(":") for part in parts for line in part.splitlines()]
report.texts(
    {name: text.strip() for name, _, text in rubric if text},
    "What the judge is told, in our words",
)

# %% [markdown]
# The feature context is made of facts of the board and of the engine's verdict, all seen by the
# side that moves. `no`, `none` and `NA` are there on purpose: a comment that speaks of a check
# is held against the line that says there is none.

# %%
contexts = pairwise.contexts_of(briefings)
context = dict(line.partition(": ")[::2] for line in contexts[example.name].splitlines())
report.boards(report.board(example.move, size=280), report.texts(context, "Feature context"))

# %% [markdown]
# ## The line
#
# Every third of the evaluated moves with a human comment takes part, and five methods; a
# comment that was cut off is missing. Each pair of a move's comments is judged twice, with A
# and B exchanged: twenty questions a move. First on a few moves as the rubric has it: the judge
# answers with one line of 18 fields. An answer that is not this line, white space and a code
# fence aside, is *unreadable*: it is counted and never guessed at. The prompt shows two made-up
# lines, one for each winner; without them this small model wrote lines of any length.

# %%
judge_name = judged_by or model
judge = replay("pairwise", judge_name)
few = {
    move.name: contexts[move.name]
    for move in pairwise.choose_lined(evaluated)
    if move.name in contexts
}
lined = pairwise.read_lines(judge.answered(pairwise.line_questions(few, comments, methods)))
lines = pairwise.decide(lined, disqualified)
report.sheet("lines", {"asked": len(lined), **lined["state"].value_counts()})

# %% [markdown]
# One of them, step by step. The judge writes the winner *first*, before any score, because the
# rubric's line begins with it. A language model writes from left to right, so whatever it was
# told about scoring each comment independently first, the word comes before the sums. The
# program goes the other way: it takes the scores, adds them up, breaks ties, applies the hard
# rule. A contradiction is no reason to throw an answer away; the winner follows from the scores.
# A judge whose every answer is something else is shown as it answered first.

# %%
contradicts = pd.DataFrame(
    {
        "total of A": lines["stated_a"] != lines["total_a"],
        "total of B": lines["stated_b"] != lines["total_b"],
        "winner": lines["word"] != lines["totals"],
    }
)
struck_and_wrong = 2 * contradicts.any(axis=1) + (lines["struck_a"] | lines["struck_b"])
line = lines.loc[struck_and_wrong.idxmax()] if len(lines) else lined.iloc[0]
shown = {
    place: first_words(comments[line["move"]][name], 15 if name == "reference" else 60)
    for place, name in {"A": line["first"], "B": line["second"]}.items()
}
move = kept[line["move"]].move
report.boards(
    report.board(move, size=280),
    report.texts(
        {**shown, "answer": line["answer"].text},
        f"{line['move']}, {move.numbered_san}: {line['first']} (A) and {line['second']} (B)",
    ),
)


# %%
def step_by_step(line):
    """Show the scores of a line that was read, and what the program makes of them."""
    points = {side: [int(line[f"{name}_{side.lower()}"]) for name in CRITERIA] for side in "AB"}
    struck_sides = [side for side in "AB" if line[f"struck_{side.lower()}"]]
    return report.boards(
        report.table(pd.DataFrame(points, index=list(CRITERIA))),
        report.sheet(
            "step by step",
            {
                "totals told": f"{line['stated_a']:.0f} and {line['stated_b']:.0f}",
                "totals added up": f"{line['total_a']} and {line['total_b']}",
                "winner told": line["word"],
                "winner by the scores": line["totals"],
                "decided by": line["decided_by"],
                "contradictions": ", ".join(contradicts.columns[contradicts.loc[line.name]])
                or "none",
                "struck by the hard rule": " and ".join(struck_sides) or "no candidate",
                "winner after the rule": line["rule"],
            },
        ),
    )


step_by_step(line) if len(lines) else report.sheet("lines read", {"none of": len(lined)})

# %% [markdown]
# How often a line contradicts itself, and how often it gives A or B the very scores of a candidate
# in one of the two lines of the prompt. A judge that reads the comments gives other numbers; one
# that cannot copies what it was shown.

# %%
prompt_lines = load_prompt("pairwise").messages[0].content.split("\n")
samples = [
    pairwise.read_line(text) for text in prompt_lines if text[:9] in ("WINNER,A,", "WINNER,B,")
]
blocks = {scores for sample in samples for scores in (sample.a, sample.b)}
wrong = contradicts.assign(
    any=contradicts.any(axis=1),
    copied=[
        any(tuple(row[f"{name}_{side}"] for name in CRITERIA) in blocks for side in "ab")
        for _, row in lines.iterrows()
    ],
)
contradicted = pd.Series(
    {
        kind: mean_interval(wrong[kind], lines["move"], seed=seed) if len(lines) else None
        for kind in wrong
    },
    dtype=object,
)
report.table(contradicted.dropna().to_frame("share of lines"))

# %% [markdown]
# ## One score at a time
#
# A judge that cannot write the line may still have an opinion. So it is shown the same rubric, the
# same context and both comments, and asked for one number: the score of A for faithfulness, then
# of A for relevance, and so on, twelve for a pair. As in the last chapter a number is weighted by
# its probabilities; then it is rounded, since the rubric has whole points. The program writes the
# line. Everything below is judged in this way.

# %%
asked = pairwise.number_questions(contexts, comments, methods)
numbers = pairwise.read_numbers(judge.answered(asked))
judged = pairwise.decide(numbers, disqualified)
report.sheet("pairs in both orders", {"asked": len(numbers), "read": len(judged)})

# %%
decided = judged["decided_by"].value_counts()
report.sheet(
    "what decides", {name: decided.get(name, 0) for name in ("total", *CRITERIA[:3], "nothing")}
)

# %% [markdown]
# ## Both orders
#
# A judge that reads what is there gives the same winner whichever comment stands first. We
# count the pairs whose winner stays, by the totals of its scores and after the hard rule, and those
# that one comment wins in both orders (two ties are the same winner, but nobody's win). A judge
# that always prefers A scores zero. One that throws dice, with this judge's shares of A, B and
# ties, scores what the column *dice* says. *First* is what candidate A wins, ties half: one half if
# the place does not matter.


# %%
def in_both_orders(answers):
    """Return the answers on pairs of which both orders were read."""
    return answers.groupby(["move", "pair"]).filter(lambda rows: len(rows) == 2)


def same_winner(both):
    """Return in how many pairs the winner is the same in both orders."""
    same = (both.groupby(["move", "pair"])["winner"].nunique() == 1).reset_index()
    return mean_interval(same["winner"], same["move"], seed=seed)


def won_twice(both):
    """Return in how many pairs one comment wins in both orders."""
    winners = both.groupby(["move", "pair"])["winner"].agg(["nunique", "first"])
    won = ((winners["nunique"] == 1) & (winners["first"] != "TIE")).reset_index(name="won")
    return mean_interval(won["won"], won["move"], seed=seed)


ways = ("totals", "rule")
results_by = {by: pairwise.outcomes(judged, by) for by in ways}
consistency = {}
decided_alike = {}
ties = {}
first = {}
dice = {}
for by, answers in results_by.items():
    both = in_both_orders(answers)
    consistency[by] = same_winner(both)
    decided_alike[by] = won_twice(both)
    ties[by] = mean_interval(answers["winner"] == "TIE", answers["move"], seed=seed)
    first[by] = mean_interval(both["points"], both["move"], seed=seed)
    a = first[by].value - ties[by].value / 2
    tie = ties[by].value
    dice[by] = tie**2 + 2 * a * (1 - a - tie)

# %%
report.table(
    pd.DataFrame(
        {
            "same winner both ways": consistency,
            "dice": dice,
            "won by one comment both ways": decided_alike,
            "ties": ties,
            "first": first,
        }
    ),
    caption="By the judge's scores, and after the hard rule",
)

# %% [markdown]
# ## What it gives for what
#
# Mean scores by method, before the hard rule. A judge that gives everyone the same tells
# nothing, however well it adds up; the standard deviation of each criterion over all comments
# shows how much it tells apart at all.

# %%
columns = [*CRITERIA, "total"]
scored = pd.concat(
    [
        judged[
            ["move", method, *(f"{name}_{side}" for name in columns), f"struck_{side}"]
        ].set_axis(["move", "method", *columns, "struck"], axis=1)
        for method, side in (("first", "a"), ("second", "b"))
    ]
)
means = scored.groupby("method")[columns].mean().reindex(methods)
means.loc["standard deviation"] = scored[columns].std()
report.table(means, caption="Mean scores given by the judge")

# %% [markdown]
# ## The hard rule by program
#
# A claim of a check, mate, capture, promotion, trade, of a hanging piece won, or of a forced
# tactic or threat needs a line of the context that carries such an event, on one of the squares
# named. Without it the comment's faithfulness is 1. The board's own verdict stands beside it:
# a claim can be *true on the board* and yet not in the context, such as a pin that was there
# before the move. The rubric strikes it all the same; whoever uses the rubric should
# know that it punishes knowledge which the context lacks.

# %%
claims = events.assign(unsupported=~events["supported"], false=events["board"] == "false")
by_comment = claims.groupby(["move", "method"])[["unsupported", "false"]].any().reset_index()
ruled = table.query("state == 'answered'")[["move", "method"]].merge(by_comment, how="left")
ruled = ruled.fillna({"unsupported": False, "false": False})
shares = pd.DataFrame(
    {
        "disqualified": ruled["unsupported"],
        "false on the board": ruled["false"],
        "struck, not false": ruled["unsupported"] & ~ruled["false"],
    }
).astype(float)
struck = pd.DataFrame(
    {
        name: means_by(ruled.assign(share=share), "method", "share", cluster="move", seed=seed)
        for name, share in shares.items()
    }
).reindex(methods)
report.table(struck, caption="Share of comments")

# %%
counted = events.assign(context=events["in_context"].map({True: "yes", False: "no"}))
counted = counted.groupby(["event", "board", "context"]).size().rename("claims").reset_index()
report.table(
    counted.set_axis(["event", "board says", "in the context", "claims"], axis=1),
    caption="Claims of events that the rule names",
)

# %%
faith = means_by(scored, "struck", "faithfulness", cluster="move", seed=seed)
faith.index = faith.index.map({False: "no event without support", True: "disqualified"})
report.table(
    faith.to_frame("the judge's own faithfulness"),
    caption="Does the judge see what the rule strikes?",
)

# %%
turned = mean_interval(judged["totals"] != judged["rule"], judged["move"], seed=seed)
a, b = judged["struck_a"], judged["struck_b"]
still = (a & ~b & (judged["rule"] == "A")) | (b & ~a & (judged["rule"] == "B"))
report.sheet(
    "answers",
    {
        "A disqualified": (a & ~b).sum(),
        "B disqualified": (b & ~a).sum(),
        "both disqualified": (a & b).sum(),
        "read": (~a & ~b).sum(),
        "one struck, and wins all the same": still.sum(),
    },
)

# %% [markdown]
# ## The win matrix
#
# Each cell is the share of points that the method of the row wins against that of the column,
# over both orders, ties half, after the hard rule.


# %% mystnb={"figure": {"caption": "Who wins against whom: share of points of the row's method against the column's, over both orders, ties half, after the hard rule.", "name": "fig-07-win-matrix"}, "image": {"alt": "Matrix of shares with a number in each cell, blue above and red below one half."}}
def win_matrix(answers):
    """Return the share of points of each row against each column."""
    names = {"first": "second", "second": "first"}
    turned = answers.rename(columns=names).assign(points=1 - answers["points"])
    both = pd.concat([answers, turned])
    points = both.pivot_table(index="first", columns="second", values="points")
    return points.reindex(index=methods, columns=methods)


matrix = win_matrix(results_by["rule"])
figure, axes = plt.subplots(figsize=(5.2, 4.2))
axes.imshow(matrix, cmap="RdBu", vmin=-0.3, vmax=1.3)
axes.grid(visible=False)
for i, j in zip(*matrix.notna().to_numpy().nonzero(), strict=True):
    axes.text(j, i, f"{matrix.iat[i, j]:.2f}", ha="center", va="center")
named = [report.NAMES[method] for method in methods]
axes.set_xticks(range(len(methods)), named, rotation=30, ha="right")
axes.set_yticks(range(len(methods)), named)
axes.set_title("Share of points of the row against the column, after the hard rule")
plt.show()

# %% [markdown]
# ## Strengths
#
# Bradley-Terry strengths put the five methods on one scale: of two methods *d* apart the
# stronger wins with chance 1/(1+e^-d), so 1.1 is three to one. That is a logistic regression
# without intercept. Each answer is a row: +1 in the column of the first method, -1 in that of the
# second, and as outcome the points of the first, one half for a tie. Only differences matter, so
# one column is left out and the strengths are centred at the end. One tie more is added for
# every pair that met, so that no strength is infinite. Take the judge's own `"totals"` for
# `"rule"` and the picture changes.

# %% mystnb={"figure": {"caption": "Bradley-Terry strengths of five methods as a logistic regression, in log-odds with mean zero: 1.1 apart is three to one.", "name": "fig-07-strengths"}, "image": {"alt": "Horizontal bars of strengths, ordered."}}
winner_by = "rule"
answers = results_by[winner_by]
is_first, is_second = (
    answers[side].to_numpy()[:, None] == np.array(methods) for side in ("first", "second")
)
design = pd.DataFrame(is_first.astype(int) - is_second, columns=methods)
points = answers["points"]
print(f"design.shape = {design.shape}, points.shape = {points.shape}; the first rows:")
print(design.assign(points=points).head(4).to_string(), end="\n\n")

added_ties = pd.DataFrame(
    [
        {method: (method == left) - (method == right) for method in methods}
        for left, right in combinations(methods, 2)
        if " / ".join(sorted((left, right))) in set(answers["pair"])
    ]
)
rows = pd.concat([design, added_ties], ignore_index=True)
outcome = pd.concat([points, pd.Series(0.5, added_ties.index)], ignore_index=True)
fit = sm.Logit(outcome, rows[methods[1:]]).fit(disp=False)
log_odds = pd.Series({methods[0]: 0.0} | fit.params.to_dict())
log_odds = (log_odds - log_odds.mean()).sort_values()
print("log_odds, mean 0:", log_odds.round(3).to_dict())

figure, axes = plt.subplots(figsize=(6, 2.6))
axes.barh(log_odds.index, log_odds, color=report.PALETTE[0])
axes.axvline(0, color="black", linewidth=0.8)
axes.set(xlabel="strength in log-odds", title=f"Bradley-Terry strengths, winner by {winner_by}")
plt.show()

# %% [markdown]
# The rows are not independent: a move gives up to twenty of them. So the library fits the same
# strengths and adds intervals that draw whole moves.

# %%
strength = {by: strengths(results_by[by], methods, seed=seed) for by in ways}
report.table(
    pd.DataFrame(
        {
            "its scores": strength["totals"],
            "after the hard rule": strength["rule"],
        }
    ).reindex(strength["rule"].index),
    caption="Bradley-Terry strengths (log-odds, mean 0)",
)

# %%
library = pd.Series({method: value.value for method, value in strength[winner_by].items()})
assert np.allclose(library[log_odds.index], log_odds, atol=1e-4)
report.table(pd.DataFrame({"written out": log_odds, "library": library}), digits=4)

# %% [markdown]
# ## At equal length
#
# Judges are known to like long answers. A logistic regression explains who wins by the two
# methods, by the place, and by the difference in words; with that difference set to nought it
# gives the win rate at equal length.

# %%
answers = results_by["totals"]
words = table.set_index(["move", "method"])["words"].to_dict()
sides = [answers[side].to_numpy()[:, None] == np.array(methods) for side in ("first", "second")]
ten_words = [
    (words[row.move, row.first] - words[row.move, row.second]) / 10
    for row in answers.itertuples()
]
features = np.column_stack([sides[0].astype(float) - sides[1], ten_words])
fit = LogisticRegression(C=10, max_iter=1_000).fit(
    np.vstack([features, features]),
    np.repeat([1, 0], len(answers)),
    sample_weight=np.concatenate([answers["points"], 1 - answers["points"]]),
)
*skill, worth = fit.coef_[0]

level = np.subtract.outer(skill, skill)
place = fit.intercept_[0]
matrix = win_matrix(answers)
equal = pd.DataFrame((expit(level + place) + expit(level - place)) / 2, methods, methods)
rates = pd.DataFrame(
    {"raw": matrix.mean(axis=1), "at equal length": equal.where(matrix.notna()).mean(axis=1)}
)
rates.insert(0, "words", table.groupby("method")["words"].mean())
report.table(
    rates.sort_values("at equal length", ascending=False),
    caption=f"Ten words more than the rival: {worth:+.2f} in log-odds",
)

# %% [markdown]
# ## Each comment alone
#
# The rubric's first advice is to score each comment independently. Taken at its word: the
# same criteria, the same context, one comment and no rival, and one criterion at a time, so that
# the answer is a single number. As in the last chapter it is weighted by its probabilities, and
# then rounded. There is no order to be swayed by; the pairs follow from the scores by the rule.

# %%
alone = pairwise.alone_questions(contexts, comments, methods)
cards = pairwise.read_alone(judge.answered(alone))
solo = pairwise.decide(pairwise.pairs_of(cards), disqualified)
solo_by = {by: pairwise.outcomes(solo, by) for by in ways}
both = results_by["totals"].merge(
    solo_by["totals"], on=["move", "pair"], suffixes=("", "_solo")
)
same = mean_interval(both["winner"] == both["winner_solo"], both["move"], seed=seed)
solo_ties = mean_interval(solo["totals"] == "TIE", solo["move"], seed=seed)
report.sheet(
    "scored alone",
    {
        "asked": len(cards),
        "read": len(cards.dropna()),
        "ties": solo_ties,
        "same winner as in the pair": same,
    },
)

# %%
solo_strength = {by: strengths(solo_by[by], methods, seed=seed) for by in ways}
report.table(
    pd.DataFrame(
        {"its scores": solo_strength["totals"], "after the hard rule": solo_strength["rule"]}
    ),
    caption="Bradley-Terry strengths from comments scored alone",
)

# %% [markdown]
# ## Every judge on record
#
# The pairs once more, by the scores of every model that was asked about them, beside the comments
# that it judged (`make record PURPOSE=pairwise JUDGE=...`). Strengths have mean 0 in each row:
# between judges compare their order.

# %%
asked_methods = [name for name in pairwise.METHODS if name in METHODS]
by_judge = {}
strengths_by_judge = {}
for writer in commentators(asked_methods, [kept[move.name] for move in moves]):
    theirs = pairwise.comments_by_move(
        gather_comments(pairwise.METHODS, moves, kept, replay("commentary", writer))
    )
    struck_there = pairwise.disqualified(pairwise.claimed_events(briefings, theirs))
    questions = pairwise.number_questions(contexts, theirs, pairwise.METHODS)
    for name in recorded_models("pairwise", list(questions["request"])):
        given = pairwise.read_numbers(replay("pairwise", name).answered(questions))
        answers = pairwise.outcomes(pairwise.decide(given, struck_there), "totals")
        both = in_both_orders(answers)
        if both.empty:  # a judge whose answers cannot be read
            continue
        pair_of_models = model_title(name), model_title(writer)
        by_judge[pair_of_models] = {
            "pairs in an order": len(given),
            "read": len(answers),
            "same winner both ways": same_winner(both),
            "ties": mean_interval(answers["winner"] == "TIE", answers["move"], seed=seed),
        }
        strengths_by_judge[pair_of_models] = strengths(answers, pairwise.METHODS, seed=seed)
frames = [pd.DataFrame(by_judge).T, pd.DataFrame(strengths_by_judge).T]
report.boards(*(report.table(frame.rename_axis(["judge", "comments by"])) for frame in frames))

# %% [markdown]
# ## As a file
#
# The judged pairs are one table, scores and winners a row, which any spreadsheet opens.

# %%
with tempfile.TemporaryDirectory() as folder:
    path = Path(folder) / "pairs.csv"
    judged.to_csv(path, index=False)
    again = pd.read_csv(path)
print("read back unchanged:", again["rule"].eq(judged["rule"].to_numpy()).all())
report.table(again[["move", "first", "second", "total_a", "total_b", "totals", "rule"]].head())

# %% [markdown]
# ## Do concepts beat the verdict?
#
# Three chapters compare the method that is given concepts (`ccc`) with the one that is given the
# engine's verdict alone (`llm_expert`): by claims that the board contradicts, by a judge of one
# comment, and here by pairs. Their answers side by side, the other two as committed.


# %% tags=["hide-input"]
def committed(chapter, key):
    """Return a result of an earlier chapter with its interval."""
    stored = json.loads((find_project() / f"book/results/{chapter}.json").read_text())[key]
    return Interval(stored["value"], stored["low"], stored["high"], stored["n"])


# %%
compared = ["llm_expert", "ccc"]
beyond = {
    f"GCC-Eval, {name}": {
        method: committed("06_gcc_eval", f"gcc.{name}.{method}") for method in compared
    }
    for name in ("relevance", "completeness", "clarity", "fluency")
}
beyond["in pairs, strength"] = strength["rule"][compared]
beyond["in pairs, each read alone"] = solo_strength["rule"][compared]
beyond = pd.DataFrame(beyond).T
report.table(beyond, caption="The same two methods by two judges; higher is better")

# %%
arm = "two_examples.ccc_two_less_llm_expert_two"
over = committed("05_claims", f"false_comment_share.arms.{arm}")
report.sheet("Comments with a false claim, ccc_two less llm_expert_two", {"difference": over})

# %%
ahead = [title for title, row in beyond.iterrows() if row["ccc"].low > row["llm_expert"].high]
higher = [
    title for title, row in beyond.iterrows() if row["ccc"].value > row["llm_expert"].value
]
if ahead:
    said = f"`ccc` is ahead of `llm_expert` in: {', '.join(ahead)}."
elif over.high < 0:
    said = "`ccc` is ahead of `llm_expert` in claims alone."
else:
    said = (
        "**With these prompts on this model, concepts do not beat the verdict alone**: not on "
        "claims, not in pairs, not in GCC-Eval (these two judged the arms without examples and "
        "`ccc`). No interval of `ccc` lies wholly on the better side of that of `llm_expert`. "
        "(These intervals are each method's own; pairs of the same move would be sharper.) As "
        f"points, `ccc` is the higher in: {', '.join(higher) or 'none'}."
    )
display_markdown(Markdown(said))

# %% [markdown]
# ## Recap
#
# - Asked for the rubric's line, this judge copies a line of the prompt in
#   {glue:text}`copied` of answers, and contradicts itself in {glue:text}`contradicted`.
# - Asked for one score at a time, it names the same winner in
#   {glue:text}`consistency_totals:.0%` of pairs when the comments change places, and in
#   {glue:text}`consistency_rule:.0%` after the hard rule; dice with its shares of A, B and ties
#   would in {glue:text}`dice:.0%` and {glue:text}`dice_rule:.0%`. {glue:text}`ties:.0%` are ties.
# - After the hard rule {glue:text}`best_rule` is strongest. Where intervals overlap, read no order
#   into them.
# - The hard rule strikes {glue:text}`struck_llm:.0%` of the comments of `llm` and
#   {glue:text}`struck_reference:.0%` of the human ones; the judge gives struck comments
#   {glue:text}`faith_struck:.1f` points of faithfulness, others {glue:text}`faith_clean:.1f`.
# - It turns the winner of {glue:text}`turned:.0%` of answers.
# - Scored without a rival in sight, the same comments win in {glue:text}`same_alone:.0%` of pairs
#   only: what this judge thinks of a comment depends on what stands beside it.
# - Ten words more than the rival are worth {glue:text}`worth:.2f` in log-odds.
#
# What a judge of this size says of two comments should be read beside these numbers: how often
# it names another winner when the order is turned bounds what its matrix can mean.

# %% tags=["hide-input"]
faithful = scored.groupby("struck")["faithfulness"].mean()
report.paste(
    **{
        "judge": model_title(judge_name),
        "copied": f"{contradicted['copied'].value:.0%}" if len(lines) else "none",
        "contradicted": f"{contradicted['any'].value:.0%}" if len(lines) else "none",
        "consistency_totals": consistency["totals"].value,
        "ties": ties["totals"].value,
        "consistency_rule": consistency["rule"].value,
        "best_rule": strength["rule"].index[0],
        "struck_llm": struck.loc["llm", "disqualified"].value,
        "turned": turned.value,
        "struck_reference": struck.loc["reference", "disqualified"].value,
        "worth": worth,
        "dice": dice["totals"],
        "dice_rule": dice["rule"],
        "same_alone": same.value,
        "faith_struck": float(faithful.get(True, np.nan)),
        "faith_clean": float(faithful[False]),
    }
)

# %% tags=["hide-input"]
rows, count = report.rows, report.Result
report.save(
    "07_pairwise",
    rows(
        {
            "answers": count(len(numbers), unit="pairs in an order"),
            "line.unreadable": count(len(lined) - len(lines), n=len(lined)),
            "worth_of_ten_words": count(worth, n=len(judged), unit="log-odds"),
        },
        "pairwise",
    ),
    {
        "scale.points": count(pairwise.HIGHEST, unit="points"),
        "criteria.count": count(len(CRITERIA), unit="criteria"),
        "decision.fields": count(pairwise.FIELDS, unit="fields of the line"),
    },
    rows(
        {"contradiction_share": contradicted["any"], "copied_share": contradicted["copied"]},
        "pairwise.line",
        unit="share of lines read",
        drop=True,
    ),
    rows({"swap_consistency": consistency["rule"]}, "pairwise", unit="share of pairs"),
    rows(consistency, "pairwise.swap_consistency", unit="share of pairs"),
    rows(decided_alike, "pairwise.won_in_both_orders", unit="share of pairs"),
    rows(
        {"tie_rate": ties["rule"], "rule_turns_winner": turned},
        "pairwise",
        unit="share of answers read",
    ),
    rows(ties, "pairwise.tie_rate", unit="share of answers read"),
    rows({"same_winner": same}, "pairwise.alone", unit="share of answers"),
    rows(first, "pairwise.first_wins", unit="share of points"),
    rows({f"strength_by_{by}": strength[by] for by in ways}, "pairwise", unit="log-odds"),
    rows(struck["disqualified"], "pairwise.disqualified_share"),
    rows(rates["raw"], "pairwise.win_rate"),
    rows(rates["at equal length"], "pairwise.win_rate_at_equal_length"),
    rows(strength["rule"], "pairwise.strength", unit="log-odds, after the rule"),
    rows(solo_strength["rule"], "pairwise.alone.strength", unit="log-odds"),
)

# %% tags=["hide-input"]
report.evidence(
    len(numbers),
    "pairs in an order",
    seed,
    interval="95 % over moves; shares Wilson, else bootstrap",
    versions={
        "comments": model,
        "judge": judge_name,
        "engine": f"{example.before.engine}, {NODES:,} nodes",
        "prompts": "pairwise@2, pairwise_number@1, pairwise_alone@2",
    },
)

# %% [markdown]
# ## Exercises
#
# **1. Is the model needed?** A method's mean share of points needs no model. Compare the order
# by it with the order by Bradley-Terry strength. When would the two differ?

# %% tags=["solution", "hide-cell"]
# Mean points beside strengths.
of_rule = results_by["rule"]
mean_points = {
    method: pd.concat(
        [
            of_rule.loc[of_rule["first"] == method, "points"],
            1 - of_rule.loc[of_rule["second"] == method, "points"],
        ]
    ).mean()
    for method in methods
}
both_orders = pd.DataFrame(
    {
        "mean points": mean_points,
        "strength": {method: value.value for method, value in strength["rule"].items()},
    }
)
print(f"rank correlation {both_orders.corr(method='spearman').iloc[0, 1]:.2f}")
report.table(both_orders.sort_values("strength", ascending=False))

# %% tags=["check", "remove-cell"]
report.check(
    "A method's points are those of the first where it stood first, and one less them "
    "where it stood second: one mean a method, in the results after the rule.",
    mean_points=mean_points,
)

# %% [markdown]
# **2. The first comment.** Each pair was asked in both orders. What share of the points goes to
# the comment that stood first, by the judge's scores (`totals`) and after the rule? What should
# it be, and does a judge by lot differ?

# %% tags=["solution", "hide-cell"]
# Points of the place, not of the method.
coin = np.random.default_rng(seed).random(len(judged)) < 0.5
of_first = {by: judged[by].map({"A": 1.0, "TIE": 0.5, "B": 0.0}) for by in ways}
of_first["by lot"] = pd.Series(coin.astype(float), judged.index)
first_shares = {by: float(won.mean()) for by, won in of_first.items() if by in ways}
report.table(
    pd.DataFrame(
        {
            "points of the first": {
                by: mean_interval(won, judged["move"], seed=seed)
                for by, won in of_first.items()
            }
        }
    )
)

# %% tags=["check", "remove-cell"]
report.check(
    "1 where A won, 0 where B did, one half for a tie; the mean over all answers in "
    "`judged`, by the totals and after the rule.",
    first_shares=first_shares,
)

# %% [markdown]
# **3. One criterion less.** Leave out one criterion at a time from the judge's totals. How
# often does the winner of a pair change?


# %% tags=["solution", "hide-cell"]
# Winners when a criterion is left out.
def winners(names):
    gap = sum(
        judged[f"{name}_a"].astype(float) - judged[f"{name}_b"].astype(float) for name in names
    )
    return np.sign(gap)


all_criteria = winners(CRITERIA)
turned_by = {
    left_out: float(
        (winners([name for name in CRITERIA if name != left_out]) != all_criteria).mean()
    )
    for left_out in CRITERIA
}
report.table(pd.DataFrame({"share of pairs whose winner changes": turned_by}))

# %% tags=["check", "remove-cell"]
report.check(
    "The winner is the sign of A's sum less B's, without tie-breaks; compare it with the "
    "sign by all six, one share a criterion.",
    turned_by=turned_by,
)
