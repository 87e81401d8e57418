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
# {glue:text}`judge` compared the comments of five methods on {glue:text}`moves` moves, two at a
# time. {glue:text}`order_says`
#
# {glue:text}`prefers_says` {glue:text}`rule_says` {glue:text}`step_says`

# %% tags=["parameters", "hide-input"]
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
from chessgloss.book.profiles import load_sizes
from chessgloss.commentary.arms import ARMS, PURPOSE, ask_arms, read_published
from chessgloss.commentary.asking import NODES, briefings_file, read_briefings
from chessgloss.commentary.briefing import first_words
from chessgloss.commentary.methods import (
    TITLES,
    commentators,
    gather_comments,
    why_unreadable,
)
from chessgloss.commentary.moves import evaluated_moves
from chessgloss.commentary.prompts import load_prompt
from chessgloss.judges import pairwise
from chessgloss.judges.gcc import answered_whole
from chessgloss.judges.pairwise import CRITERIA, strengths
from chessgloss.llm.client import DEFAULT_MODEL, model_title, recorded_models, replay
from chessgloss.stats import Interval, mean_interval, means_by
from chessgloss.store import find_project

sizes = load_sizes("07_pairwise", profile)
report.use_house_style()
evaluated = evaluated_moves(seed)
kept = read_briefings(briefings_file())
named_methods = (*pairwise.METHODS, "reasoning")
arms = [name for name in named_methods if name in ARMS]
published = read_published()
wanted = pairwise.choose_compared(evaluated, sizes.moves)
asked_for_comments = pd.DataFrame(
    [
        {"move": move.name, "request": request}
        for move in wanted
        for request in ask_arms(kept[move.name], arms, published[move.name])
    ]
)


def answered(ask, contexts, methods):
    """Return what a question about comments was answered, of moves with all their answers."""
    return judge.answered(answered_whole(ask(contexts, comments, methods), judge))


# a model whose comments, or whose scores, cannot be read gives way to the book's own, and that is said
asked_for = model, judged_by or model
for model, judge_name in (asked_for, (DEFAULT_MODEL, DEFAULT_MODEL)):
    client = replay(PURPOSE, model)
    commented = set(answered_whole(asked_for_comments, client)["move"])
    moves = [move for move in wanted if move.name in commented]
    cannot = why_unreadable(model, arms, [kept[move.name] for move in moves])
    table = gather_comments(named_methods, moves, kept, client)
    comments = pairwise.comments_by_move(table)
    judge = replay("pairwise", judge_name)
    contexts = pairwise.contexts_of(kept[move.name] for move in moves)
    if not cannot:
        in_pairs = answered(pairwise.number_questions, contexts, pairwise.METHODS)
        alone = answered(pairwise.alone_questions, contexts, pairwise.METHODS)
        numbers = pairwise.read_numbers(in_pairs)
        cards = pairwise.read_alone(alone)
        cannot = pairwise.why_unreadable(numbers, cards)
    if not cannot or model == DEFAULT_MODEL:
        break
    display_markdown(
        Markdown(
            f"**{model_title(judge_name)} cannot be shown here.** Of the comments of "
            f"{model_title(model)} {cannot} {model_title(DEFAULT_MODEL)} stands in its place."
        )
    )
in_step = answered(pairwise.number_questions, contexts, pairwise.CONCEPTS_STEP)
few = {
    move.name: contexts[move.name]
    for move in pairwise.choose_lined(evaluated)
    if move.name in contexts
}
of_lines = answered(pairwise.line_questions, few, pairwise.METHODS)
judgements = sum(map(len, (in_pairs, in_step, alone, of_lines)))
judged_moves = set(in_pairs["move"])
moves = [move for move in moves if move.name in judged_moves]
methods = [name for name in pairwise.METHODS if name in set(in_pairs["first"])]
briefings = [kept[move.name] for move in moves]
events = pairwise.claimed_events(briefings, comments)
disqualified = pairwise.disqualified(events)
print(f"{judgements:,} judgements, on {len(moves)} of {len(wanted)} moves")

example = next(each for each in briefings if {"bare", "ccc"} <= set(comments[each.name]))
report.boards(
    report.board(example.move, size=280),
    report.texts(
        {"A": comments[example.name]["bare"], "B": comments[example.name]["ccc"]},
        f"Which of two comments on {example.move.numbered_san} is the better one?",
    ),
)

# %% [markdown]
# The model wrote A from the position and the move alone. It wrote B, CCC, from the engine's verdict,
# the list of attacks and five concepts as well, and was asked to reason first.
#
# The pairwise rubric puts this question to a language model, the *judge*. The judge gives each
# comment six scores. Their sums decide which comment wins. A list of facts about the move, the
# *feature context*, says what may be held against a comment, and a *hard rule* strikes every
# comment that invents an event. Adding up, breaking ties and the hard rule need no language model:
# a program does them here, and its result is shown beside the judge's own word.
#
# In this chapter we
#
# - show what the judge is given;
# - ask for the rubric's line of 18 fields and check its arithmetic;
# - ask for one score at a time instead and let the program add up;
# - count how often the winner stays when the comments change places;
# - apply the hard rule by program;
# - compare the methods in a win matrix and by Bradley-Terry strengths, written out as a logistic
#   regression;
# - ask whether concepts help, by the measures of three chapters.
#
# ## The rubric
#
# There are six criteria, each scored from 1 to 5: faithfulness to the context, relevance,
# informativeness, clarity, human likeness and conciseness. We add up as it is written, without weights
# ([chapter 17](17_released_code.ipynb)). Accuracy counts in two more ways: it is the first tie-break, and the hard rule sets it to 1. Even so, a comment
# that invents a mate can win by four points for style.
#
# The feature context lists facts of the board and the engine's verdict, all seen by the side that
# moves. It has {glue:text}`context_lines` lines. Most of them say that something is *not* there,
# and they are needed: a comment that speaks of a check is held against the line `check: no`. Here
# are the others.

# %%
context = contexts[example.name].splitlines()
print(*(line for line in context if not line.endswith((": no", ": none", ": 0"))), sep="\n")

# %% tags=["hide-cell"]
# The rubric as the judge reads it, in our words, and the whole context.
_, *parts, _ = load_prompt("pairwise").messages[0].content.split("\n\n")
rubric = [line.partition(":") for part in parts for line in part.splitlines()]
report.texts(
    {name: text.strip() for name, _, text in rubric if text} | {"context": ", ".join(context)},
    "What the judge is told",
)

# %% [markdown]
# ## The line
#
# One in three of the evaluated moves with a human comment takes part, with the comments of five
# methods: a person, the notes of our program, and three arms of the experiment (position and move;
# with the engine's verdict; CCC). Each pair of comments is judged twice, with A and B exchanged,
# which makes twenty comparisons a move, and {glue:text}`judgements` judgements in this chapter.
#
# On three of the moves the judge is asked for the rubric's line. A reply that is anything but this
# line is *unreadable*; it is counted and never guessed at. The prompt shows two made-up lines, one
# for each winner, because without them this small model wrote lines of any length.

# %%
lined = pairwise.read_lines(of_lines)
lines = pairwise.decide(lined, disqualified)
report.sheet("lines", {"asked": len(lined), **lined["state"].value_counts()})

# %% [markdown]
# One of these lines, step by step. The judge writes the winner *first*, because the rubric's line
# begins with it. A language model writes from left to right, so it names the winner before it has
# given a score. The program works the other way round: it reads the scores, adds them up, breaks
# ties and applies the hard rule. An answer that contradicts itself is kept, and its winner follows
# from its scores.

# %% tags=["hide-input"]
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
        {**shown, "line": line["answer"].text},
        f"{move.numbered_san}: {TITLES[line['first']]} (A), {TITLES[line['second']]} (B)",
    ),
)


# %% tags=["hide-input"]
def step_by_step(line):
    """Show the scores of a line that was read, and what the program makes of them."""
    points = {side: [int(line[f"{name}_{side.lower()}"]) for name in CRITERIA] for side in "AB"}
    struck_sides = [side for side in "AB" if line[f"struck_{side.lower()}"]]
    return report.boards(
        report.table(pd.DataFrame(points, index=list(CRITERIA))),
        report.sheet(
            "step by step",
            {
                "totals, as the judge wrote them": f"{line['stated_a']:.0f} and {line['stated_b']:.0f}",
                "totals, added up": f"{line['total_a']} and {line['total_b']}",
                "winner, as the judge wrote it": line["word"],
                "winner by its scores": line["totals"],
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
# How often does a line contradict itself? And how often does it repeat, for A or for B, the six
# scores of one of the two lines in the prompt? A judge that reads the comments gives other
# numbers. One that cannot read them copies what it was shown.

# %% tags=["hide-input"]
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
# A judge that cannot write the line may still have an opinion. It is shown the same rubric, the
# same context and both comments, and asked for one number: the score of A for faithfulness, then
# of A for relevance, and so on, twelve for a pair. As in the last chapter, each number is the mean
# of the possible scores, weighted by their probabilities. It is then rounded, since the rubric has
# whole points. Everything below is judged in this way.

# %%
judged = pairwise.decide(numbers, disqualified)
print(f"pairs in an order: {len(numbers)} asked, {len(judged)} read")

# %% tags=["hide-cell"]
# What decides a comparison, and the mean scores by method before the hard rule.
decided = judged["decided_by"].value_counts()
deciders = {name: decided.get(name, 0) for name in ("total", *CRITERIA[:3], "nothing")}
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
report.boards(
    report.sheet("what decides", deciders),
    report.table(means.rename(index=TITLES), caption="Mean scores given by the judge"),
)

# %% [markdown]
# ## Both orders
#
# A judge that reads what is there names the same winner whichever comment it sees first. We count
# the pairs whose winner stays, once by the totals of the judge's scores and once after the hard
# rule. Two ties count as the same winner but as nobody's win, so the pairs that one comment wins in
# both orders are counted separately. A judge that always prefers A scores zero.
#
# The column *random answers* gives the share that would agree if A, B and ties were drawn at random
# with this judge's own frequencies. *Points of A* are the share of points that go to the comment
# shown first; it is one half if the place does not matter.


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

# %% tags=["hide-input"]
report.table(
    pd.DataFrame(
        {
            "same winner in both orders": consistency,
            "random answers": dice,
            "one comment wins in both orders": decided_alike,
            "ties": ties,
            "points of A": first,
        }
    ).rename(index={"totals": "by the judge's scores", "rule": "after the hard rule"}),
    caption="Does the winner stay when the comments change places?",
)

# %% [markdown]
# ## The hard rule by program
#
# A comment may claim a check, a mate, a capture, a promotion, a trade, the win of a hanging piece,
# or a forced tactic or threat. For each of them the context must have a line with such an event on
# one of the squares that the comment names. If it has none, the comment's faithfulness is 1.
#
# What the board itself says is shown beside it. A claim can be true on the board and missing from
# the context, such as a pin that existed before the move. The rubric strikes such a claim too: it
# punishes knowledge that the context lacks.

# %% tags=["hide-input"]
claims = events.assign(unsupported=~events["supported"], false=events["board"] == "false")
by_comment = claims.groupby(["move", "method"])[["unsupported", "false"]].any().reset_index()
ruled = table.query("state == 'answered' and move in @judged_moves")
ruled = ruled[["move", "method"]].merge(by_comment, how="left")
ruled = ruled.fillna({"unsupported": False, "false": False})
shares = pd.DataFrame(
    {
        "struck by the rule": ruled["unsupported"],
        "false on the board": ruled["false"],
        "struck, not false": ruled["unsupported"] & ~ruled["false"],
    }
).astype(float)
struck = pd.DataFrame(
    {
        name: means_by(ruled.assign(share=share), "method", "share", cluster="move", seed=seed)
        for name, share in shares.items()
    }
).reindex([*named_methods])
report.table(
    struck.rename(index=TITLES),
    caption="Share of comments with an event that the context does not support",
)

# %% tags=["hide-cell"]
# Every event that the rule names, by what the board and the context say of it.
counted = events.assign(context=events["in_context"].map({True: "yes", False: "no"}))
counted = counted.groupby(["event", "board", "context"]).size().rename("claims").reset_index()
report.table(
    counted.set_axis(["event", "board says", "in the context", "claims"], axis=1),
    caption="Claims of events that the rule names",
)

# %% tags=["hide-input"]
faith = means_by(scored, "struck", "faithfulness", cluster="move", seed=seed)
faith.index = faith.index.map({False: "not struck", True: "struck"})
report.table(
    faith.to_frame("the judge's own faithfulness"),
    caption="Does the judge see what the rule strikes?",
)

# %% tags=["hide-cell"]
# How many answers have a struck comment, and how often it wins all the same.
turned = mean_interval(judged["totals"] != judged["rule"], judged["move"], seed=seed)
a, b = judged["struck_a"], judged["struck_b"]
still = (a & ~b & (judged["rule"] == "A")) | (b & ~a & (judged["rule"] == "B"))
report.sheet(
    "answers",
    {
        "only A is struck": (a & ~b).sum(),
        "only B is struck": (b & ~a).sum(),
        "both are struck": (a & b).sum(),
        "neither is struck": (~a & ~b).sum(),
        "the struck one wins all the same": still.sum(),
    },
)

# %% [markdown]
# ## The win matrix
#
# A cell is the share of points that the method of its row wins against the method of its column,
# over both orders and after the hard rule. A win is one point, a tie one half.


# %% tags=["hide-input"] mystnb={"figure": {"caption": "Who wins against whom: share of points of the row's method against the column's, over both orders, ties half, after the hard rule.", "name": "fig-07-win-matrix"}, "image": {"alt": "Matrix of shares with a number in each cell, blue above and red below one half."}}
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
named = [TITLES[method] for method in methods]
axes.set_xticks(range(len(methods)), named, rotation=30, ha="right")
axes.set_yticks(range(len(methods)), named)
plt.show()

# %% [markdown]
# ## Strengths
#
# Bradley-Terry strengths put the five methods on one scale. Of two methods that are *d* apart, the
# stronger wins with probability 1/(1 + e^-d); a distance of 1.1 means three wins to one. The model
# is a logistic regression without an intercept. Each answer is a row: +1 in the column of the first
# method, −1 in that of the second, and as outcome the points of the first. Only differences matter,
# so one column is left out and the strengths are centred at the end. One tie is added for every
# pair that met, which keeps every strength finite. Set `winner_by` to `"totals"` to see the
# strengths before the hard rule.

# %% mystnb={"figure": {"caption": "Bradley-Terry strengths of five methods after the hard rule, in log-odds with mean zero. A distance of 1.1 means three wins to one.", "name": "fig-07-strengths"}, "image": {"alt": "Horizontal bars of strengths, ordered."}}
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
axes.barh([TITLES[name] for name in log_odds.index], log_odds, color=report.PALETTE[0])
axes.axvline(0, color="black", linewidth=0.8)
axes.set(xlabel="strength in log-odds")
plt.show()

# %% [markdown]
# The rows are not independent, since one move gives up to twenty of them. The library fits the same
# strengths and adds intervals by drawing whole moves.

# %% tags=["hide-input"]
strength = {by: strengths(results_by[by], methods, seed=seed) for by in ways}
library = pd.Series({method: value.value for method, value in strength[winner_by].items()})
assert np.allclose(library[log_odds.index], log_odds, atol=1e-4)
report.table(
    pd.DataFrame(
        {
            "by the judge's scores": strength["totals"],
            "after the hard rule": strength["rule"],
        }
    )
    .reindex(strength["rule"].index)
    .rename(index=TITLES),
    caption="Bradley-Terry strengths (log-odds, mean 0)",
)

# %% [markdown]
# ## At equal length
#
# Judges are known to prefer long answers. A logistic regression explains the winner by the two
# methods, by the place, and by the difference in words. With that difference set to zero it gives
# the win rate at equal length.

# %% tags=["hide-input"]
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
rates.insert(0, "words", table.groupby("method")["words"].mean().reindex(methods))
report.table(
    rates.sort_values("at equal length", ascending=False).rename(index=TITLES),
    caption="Share of points by the judge's scores, as they are and at equal length",
)

# %% [markdown]
# {glue:text}`length_says`
#
# ## Each comment alone
#
# The rubric's first advice is to score each comment independently. Here that is taken literally:
# the judge sees the same criteria and the same context, one comment and no rival. There is no order
# that could sway it, and the winner of a pair follows from the scores.

# %% tags=["hide-input"]
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
        "comments asked about": len(cards),
        "of them read": len(cards.dropna()),
        "pairs that tie": solo_ties,
        "same winner as in the comparison": same,
    },
)

# %% tags=["hide-input"]
solo_strength = {by: strengths(solo_by[by], methods, seed=seed) for by in ways}
report.table(
    pd.DataFrame(
        {
            "by the judge's scores": solo_strength["totals"],
            "after the hard rule": solo_strength["rule"],
        }
    ).rename(index=TITLES),
    caption="Bradley-Terry strengths of comments scored alone",
)

# %% [markdown]
# ## Do concepts help?
#
# None of the five methods isolates what the CCC paper adds to the engine: CCC and the verdict alone
# differ in attacks, reasoning and concepts. One more pair does. The arm *+ verdict, attacks,
# reasoning* has all that CCC has but the five concepts. The judge compared the two on the same moves,
# in both orders. Its points are shown beside the paired differences of the other chapters: the share of
# comments with a false claim (chapter 5), and the scores of one comment (chapter 6).


# %% tags=["hide-input"]
def committed(chapter, key):
    """Return a result of an earlier chapter with its interval."""
    stored = json.loads((find_project() / f"book/results/{chapter}.json").read_text())[key]
    return Interval(stored["value"], stored["low"], stored["high"], stored["n"])


def points_of_ccc(answers):
    """Return the share of points that CCC wins, over both orders and whole moves."""
    points = answers["points"].where(answers["first"] == "ccc", 1 - answers["points"])
    return mean_interval(points, answers["move"], seed=seed)


step = pairwise.decide(pairwise.read_numbers(in_step), disqualified)
step_points = {by: points_of_ccc(in_both_orders(pairwise.outcomes(step, by))) for by in ways}
measured = {
    "share with a false claim (5), with concepts less without": (
        committed("04_commentary", "factorial.contrast.concepts"),
        "below 0",
    )
}
for name in ("relevance", "completeness", "clarity", "fluency"):
    measured[f"GCC-Eval, {name} (6), with less without"] = (
        committed("06_gcc_eval", f"gcc.step.concepts.{name}"),
        "above 0",
    )
measured["points in pairs, by the judge's scores"] = step_points["totals"], "above 0.5"
measured["points in pairs, after the hard rule"] = step_points["rule"], "above 0.5"
report.table(
    pd.DataFrame(measured, index=["with concepts", "better if"]).T,
    caption=f"CCC against the same prompt without concepts; pairs on {step['move'].nunique()} moves",
    digits=3,
)


# %% tags=["hide-input"]
def verdict(number, better):
    """Return 1 if a measure speaks for concepts beyond its interval, -1 if against, else 0."""
    side, line = better.split()
    above = int(number.low > float(line)) - int(number.high < float(line))
    return above if side == "above" else -above


verdicts = {title: verdict(*each) for title, each in measured.items()}
speak_for, speak_against = (
    [title for title, each in verdicts.items() if each == sign] for sign in (1, -1)
)
if speak_for:
    said = f"{len(speak_for)} of {len(verdicts)} measures speak for concepts: {'; '.join(speak_for)}."
else:
    said = (
        "**With this prompt and this model, concepts are not seen to help.** Of "
        f"{len(verdicts)} measures none speaks for them beyond its interval."
    )
if speak_against:
    said += f" Against them: {'; '.join(speak_against)}."
display_markdown(Markdown(said))

# %% [markdown]
# ## Every judge on record
#
# Every model that was asked about these pairs is listed in the fold below, beside the model whose
# comments it judged (`make record PURPOSE=pairwise JUDGE=...`). Strengths have mean zero in each
# row, so between judges only their order compares. A second fold writes the judged pairs as a table
# that any spreadsheet opens.

# %% tags=["hide-cell"]
# Both orders and strengths by every judge and every writer.
by_judge = {}
strengths_by_judge = {}
for writer in commentators(arms, briefings):
    theirs = comments
    if writer != model:
        theirs = pairwise.comments_by_move(
            gather_comments(pairwise.METHODS, moves, kept, replay(PURPOSE, writer))
        )
    struck_there = pairwise.disqualified(pairwise.claimed_events(briefings, theirs))
    of_moves = {name: contexts[name] for name in contexts if name in judged_moves}
    questions = pairwise.number_questions(of_moves, theirs, pairwise.METHODS)
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
            "same winner in both orders": same_winner(both),
            "ties": mean_interval(answers["winner"] == "TIE", answers["move"], seed=seed),
        }
        strengths_by_judge[pair_of_models] = strengths(answers, pairwise.METHODS, seed=seed)
frames = [pd.DataFrame(by_judge).T, pd.DataFrame(strengths_by_judge).rename(index=TITLES).T]
report.boards(*(report.table(frame.rename_axis(["judge", "comments by"])) for frame in frames))

# %% tags=["hide-cell"]
# The judged pairs as a file: scores and winners, a row a pair in an order.
with tempfile.TemporaryDirectory() as folder:
    path = Path(folder) / "pairs.csv"
    judged.to_csv(path, index=False)
    again = pd.read_csv(path)
print("read back unchanged:", again["rule"].eq(judged["rule"].to_numpy()).all())
report.table(again[["move", "first", "second", "total_a", "total_b", "totals", "rule"]].head())

# %% [markdown]
# ## Recap
#
# - Of the rubric's lines that could be read, {glue:text}`copied` % repeat scores of the prompt's own
#   examples, and {glue:text}`contradicted` % contradict themselves.
# - Asked for single scores, it ties in {glue:text}`ties:.0f` % of answers. After the hard rule
#   {glue:text}`consistency_rule:.0f` % of pairs keep their winner in both orders; random answers
#   would in {glue:text}`dice_rule:.0f` %.
# - The program strikes {glue:text}`struck_bare:.0f` % of the comments from position and move and
#   {glue:text}`struck_reference:.0f` % of the human ones, and so turns the winner of
#   {glue:text}`turned:.0f` % of answers. The judge itself gives struck comments
#   {glue:text}`faith_struck:.1f` points for faithfulness and all others
#   {glue:text}`faith_clean:.1f`.
# - After the hard rule {glue:text}`best_rule` is strongest by the estimate. Where intervals overlap,
#   the order is open.
# - Scored without a rival in sight, the same comments win in {glue:text}`same_alone:.0f` % of pairs.
# - Against the same prompt without concepts, CCC wins {glue:text}`step_points:.2f` of the points
#   [{glue:text}`step_low:.2f`, {glue:text}`step_high:.2f`].
#
# The share of pairs whose winner depends on the order limits what a matrix of wins by such a judge
# can mean.

# %% tags=["hide-input"]
faithful = scored.groupby("struck")["faithfulness"].mean()
struck_share = struck["struck by the rule"]
kept_share = consistency["totals"].in_percent()
order_says = (
    "When the two comments change places, it names the same winner in "
    f"{kept_share.value:.0f} % of pairs [{kept_share.low:.0f}, {kept_share.high:.0f}]; random "
    f"answers with its shares of A, B and ties would in {100 * dice['totals']:.0f} %."
)
bare, people = (strength["totals"][name] for name in ("bare", "reference"))
if bare.low > people.high:
    prefers_says = (
        "By its scores, comments that the model wrote from the move alone beat those of people, "
        f"although {100 * struck_share['bare'].value:.0f} % of them claim an event that the facts "
        f"of the move do not support (people: {100 * struck_share['reference'].value:.0f} %)."
    )
elif bare.high < people.low:
    prefers_says = (
        "By its scores, the comments of people beat those written from the move alone."
    )
else:
    prefers_says = (
        "Its scores do not tell comments of people from those written from the move alone."
    )
ruled_bare = strength["rule"]["bare"]
falls = f"from {bare.value:+.2f} to {ruled_bare.value:+.2f}, where 0 is the average method"
if ruled_bare.high >= bare.low:
    rule_says = "That a program applies the hard rule makes no certain difference to them."
elif bare.low > people.high and ruled_bare.high < 0:
    rule_says = (
        "A program that applies the rubric's hard rule turns this round: the strength of those "
        f"comments falls {falls}."
    )
else:
    rule_says = (
        "When a program applies the rubric's hard rule, the strength of comments written from "
        f"the move alone falls {falls}."
    )
gap_raw, gap_equal = (
    rates.loc["verdict", name] - rates.loc["reference", name]
    for name in ("raw", "at equal length")
)
won_step = step_points["rule"]
step_says = "Its comparisons do not tell CCC from the same prompt without concepts."
if won_step.low > 0.5:
    step_says = "After the rule CCC beats the same prompt without concepts."
if won_step.high < 0.5:
    step_says = "After the rule CCC loses to the same prompt without concepts."
length_says = (
    f"Ten words more than the rival are worth {worth:+.2f} in log-odds. Between the arm "
    f"with the engine's verdict and the people lie {gap_raw:+.2f} of the points as they are and "
    f"{gap_equal:+.2f} at equal length."
)
report.paste(
    **{
        "judge": model_title(judge_name),
        "copied": f"{100 * contradicted['copied'].value:.0f}" if len(lines) else "none",
        "contradicted": f"{100 * contradicted['any'].value:.0f}" if len(lines) else "none",
        "moves": len(moves),
        "judgements": f"{judgements:,}",
        "step_says": step_says,
        "step_points": won_step.value,
        "step_low": won_step.low,
        "step_high": won_step.high,
        "context_lines": len(context),
        "order_says": order_says,
        "prefers_says": prefers_says,
        "rule_says": rule_says,
        "length_says": length_says,
        "ties": 100 * ties["totals"].value,
        "consistency_rule": 100 * consistency["rule"].value,
        "best_rule": TITLES[strength["rule"].index[0]],
        "struck_bare": 100 * struck_share["bare"].value,
        "turned": 100 * turned.value,
        "struck_reference": 100 * struck_share["reference"].value,
        "dice_rule": 100 * dice["rule"],
        "same_alone": 100 * same.value,
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
            "judgements": count(judgements, unit="judgements"),
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
    rows(
        {
            "concepts_step": won_step,
            "concepts_step_by_totals": step_points["totals"],
        },
        "pairwise",
        unit="proportion of points won by CCC",
    ),
    rows({"same_winner": same}, "pairwise.alone", unit="share of answers"),
    rows(first, "pairwise.first_wins", unit="share of points"),
    rows({f"strength_by_{by}": strength[by] for by in ways}, "pairwise", unit="log-odds"),
    rows(struck["struck by the rule"], "pairwise.disqualified_share"),
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
        "comments": client.told(),
        "judge": judge.told(),
        "engine": f"{example.before.engine}, {NODES:,} nodes",
        "prompts": "pairwise@2, pairwise_number@1, pairwise_alone@2",
    },
)

# %% [markdown]
# ## Exercises
#
# **1. Is the model needed?** A method's mean share of points needs no model. Rank the methods by
# it and compare this order with the order by Bradley-Terry strength. When would the two differ?

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
report.table(both_orders.sort_values("strength", ascending=False).rename(index=TITLES))

# %% tags=["check", "remove-cell"]
report.check(
    "A method's points are those of the first where it stood first, and one less them "
    "where it stood second: one mean a method, in the results after the rule.",
    mean_points=mean_points,
)

# %% [markdown]
# **2. The first comment.** Each pair was asked in both orders. What share of the points goes to
# the comment shown first, by the judge's scores (`totals`) and after the rule? What should it be,
# and does a judge that answers at random differ?

# %% tags=["solution", "hide-cell"]
# Points of the place, not of the method.
coin = np.random.default_rng(seed).random(len(judged)) < 0.5
of_first = {by: judged[by].map({"A": 1.0, "TIE": 0.5, "B": 0.0}) for by in ways}
of_first["at random"] = pd.Series(coin.astype(float), judged.index)
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
