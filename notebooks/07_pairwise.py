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
# What we find: asked for the rubric's line, this judge copies a line of its prompt in
# {glue:text}`copied:.0%` of answers. Asked for one score at a time, it names the same winner in
# {glue:text}`consistency_totals:.0%` of pairs when the comments change places; dice with its
# shares of A, B and ties would in {glue:text}`dice:.0%`.

# %% tags=["parameters"]
profile = "book"
seed = 1
model = "qwen2.5-coder-1.5b-q4_k_m"

# %% tags=["hide-input"]
import tempfile
from collections import Counter
from itertools import combinations
from pathlib import Path

import matplotlib.pyplot as plt
import numpy as np
import pandas as pd
import statsmodels.api as sm
from myst_nb import glue
from chessgloss import report
from chessgloss.commentary.briefing import (
    NODES, briefings_file, evaluated_moves, first_words, read_briefings)

from chessgloss.llm import replay
from chessgloss.stats import mean_interval, means_by
from chessgloss.pairwise import comments as given
from chessgloss.pairwise import judging, lines, questions, strengths, swaps, tables
from chessgloss.pairwise.records import CRITERIA, HIGHEST
from chessgloss.commentary.methods import gather_comments
from chessgloss.commentary.prompts import load_prompt
from chessgloss.book.profiles import load_sizes
from chessgloss.store import Evidence
from chessgloss.commentary.verified import read_published

sizes = load_sizes("07_pairwise", profile)
report.use_house_style()
evaluated = evaluated_moves(seed)
moves = questions.choose_compared(evaluated, sizes.moves)
kept = read_briefings(briefings_file())
briefings = [kept[one.name] for one in moves]
methods = list(questions.METHODS)
print(f"{len(moves)} moves, {len(methods)} methods")

client = replay("commentary", model)
verified = read_published(briefings, model)
by_name = {move.name: written.comment for move, written in zip(moves, verified, strict=True)}
table = gather_comments(methods, moves, kept, client, by_name)
comments = given.comments_of(table)
words = table.set_index(["move", "method"])["words"].to_dict()
rulings = given.rulings_of(briefings, comments)

example = next(one for one in briefings if {"llm", "ccc"} <= set(comments[one.name]))
report.boards(report.board(example.move, size=280), report.texts(
    {"A": comments[example.name]["llm"], "B": comments[example.name]["ccc"]},
    f"Which of two comments on {example.move.numbered_san} is the better one?"))

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
# - take length out of the comparison, and let the judge score each comment alone.
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
told = [line.partition(":") for part in parts for line in part.splitlines()]
report.texts({name: text.strip() for name, _, text in told if text},
              "What the judge is told, in our words")

# %% [markdown]
# The feature context is made of facts of the board and of the engine's verdict, all seen by the
# side that moves. `no`, `none` and `NA` are there on purpose: a comment that speaks of a check
# is held against the line that says there is none.

# %%
contexts = given.contexts_of(briefings)
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
judge = replay("pairwise", model)
few = {one.name: contexts[one.name] for one in questions.choose_lined(evaluated)
       if one.name in contexts}
requests = questions.pairwise_requests(few, comments, methods)
lined = judging.judge_pairs(requests, judge.ask_many(requests, progress=False), rulings)
written = [one for one in lined if one.ballot]
lost = Counter(one.state for one in lined if not one.ballot)
report.sheet("lines", {"asked": len(lined), "read": len(written), **lost})

# %% [markdown]
# One of them, step by step. The judge writes the winner *first*, before any score, because the
# rubric's line begins with it. A language model writes from left to right, so whatever it was
# told about scoring each comment independently first, the word comes before the sums. The
# program goes the other way: it takes the scores, adds them up, breaks ties, applies the hard
# rule. A contradiction is no reason to throw an answer away; the winner follows from the scores.

# %%
told_wrong = [one for one in written if one.ballot.contradictions]
one = ([one for one in told_wrong if one.state != "read"] or told_wrong or written)[0]
shown = {place: first_words(comments[one.move][name], 15 if name == "reference" else 60)
         for place, name in {"A": one.first, "B": one.second}.items()}
move = kept[one.move].move
report.boards(report.board(move, size=280), report.texts(
    {**shown, "answer": lines.write_line(one.ballot)},
    f"{one.move}, {move.numbered_san}: {one.first} (A) and {one.second} (B)"))

# %%
given_points = {"A": list(one.ballot.a), "B": list(one.ballot.b)}
report.boards(report.table(pd.DataFrame(given_points, index=list(CRITERIA))),
              report.sheet("step by step", tables.steps(one)))

# %% [markdown]
# How often a line contradicts itself, and how often it gives A or B the very scores of a candidate
# in one of the two lines of the prompt. A judge that reads the comments gives other numbers; one
# that cannot copies what it was shown.

# %%
samples = [lines.read_line(line) for line in load_prompt("pairwise").messages[0].content.split("\n")
           if line[:9] in ("WINNER,A,", "WINNER,B,")]
blocks = {scores for each in samples for scores in (each.a, each.b)}
wrong = tables.contradiction_table(written)
wrong["copied"] = [each.ballot.a in blocks or each.ballot.b in blocks for each in written]
contradicted = pd.Series({kind: mean_interval(wrong[kind], wrong["move"], seed=seed)
                          for kind in wrong.columns[1:]})
report.table(contradicted.to_frame("share of lines"))

# %% [markdown]
# ## One score at a time
#
# A judge that cannot write the line may still have an opinion. So it is shown the same rubric, the
# same context and both comments, and asked for one number: the score of A for faithfulness, then
# of A for relevance, and so on, twelve for a pair. As in the last chapter a number is weighted by
# its probabilities; then it is rounded, since the rubric has whole points. The program writes the
# line. Everything below is judged in this way.

# %%
requests = questions.number_requests(contexts, comments, methods)
judged = judging.judge_by_numbers(requests, judge.ask_many(requests, progress=False), rulings)
read = [one for one in judged if one.ballot]
report.sheet("pairs in both orders", {"asked": len(judged), "read": len(read)})

# %%
decided = Counter(one.ballot.decision.by for one in read)
report.sheet("what decides", {name: decided[name] for name in ("total", *CRITERIA[:3], "nothing")})

# %% [markdown]
# ## Both orders
#
# A judge that reads what is there gives the same winner whichever comment stands first. We
# count the pairs whose winner stays, by the totals of its scores and after the hard rule. A judge
# that always prefers A scores nought. One that throws dice, with this judge's shares of A, B and
# ties, scores what the last column says. *First* is what candidate A wins, ties half: one half if
# the place does not matter.

# %%
ways = ("totals", "rule")
consistency = {by: swaps.swap_consistency(judged, by, seed=seed) for by in ways}
ties = {by: swaps.tie_rate(judged, by, seed=seed) for by in ways}
first = {by: swaps.first_wins(judged, by, seed=seed) for by in ways}
dice = {}
for by in ways:
    a, tie = first[by].value - ties[by].value / 2, ties[by].value
    dice[by] = tie**2 + 2 * a * (1 - a - tie)

# %%
report.table(
    pd.DataFrame(
        {"same winner both ways": consistency, "ties": ties, "first": first, "dice": dice}
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
scored = tables.scores_table(judged)
means = scored.groupby("method")[[*CRITERIA, "total"]].mean().reindex(methods)
means.loc["standard deviation"] = scored[[*CRITERIA, "total"]].std()
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
ruled = tables.ruling_table(rulings)
struck = pd.DataFrame({column: means_by(ruled, "method", column, cluster="move", seed=seed)
                       for column in ruled.columns[2:]}).reindex(methods)
report.table(struck, caption="Share of comments")

# %%
report.table(tables.event_table(rulings), caption="Claims of events that the rule names")

# %%
seen = scored.assign(
    struck=[float(rulings[row.move, row.method].disqualified) for row in scored.itertuples()]
)
faith = means_by(seen, "struck", "faithfulness", cluster="move", seed=seed)
faith.index = faith.index.map({0.0: "no event without support", 1.0: "disqualified"})
report.table(
    faith.to_frame("the judge's own faithfulness"),
    caption="Does the judge see what the rule strikes?",
)

# %%
states = Counter(one.state for one in read)
turned = mean_interval(
    [one.ballot.winner != one.ruled.winner for one in read], [one.move for one in read], seed=seed
)
worse = [one for one in read if one.state in ("A disqualified", "B disqualified")]
still = [one for one in worse if one.ruled.winner == one.state[0]]
report.sheet(
    "answers", {**dict(sorted(states.items())), "one struck, and wins all the same": len(still)}
)

# %% [markdown]
# ## The win matrix
#
# Each cell is the share of points that the method of the row wins against that of the column,
# over both orders, ties half, after the hard rule.

# %%
results_by = {by: swaps.as_table(judged, by) for by in ways}
matrix = strengths.win_matrix(results_by["rule"], methods)
figure, axes = plt.subplots(figsize=(5.2, 4.2))
axes.imshow(matrix, cmap="RdBu", vmin=-0.3, vmax=1.3)
axes.grid(visible=False)
for i, j in zip(*matrix.notna().to_numpy().nonzero(), strict=True):
    axes.text(j, i, f"{matrix.iat[i, j]:.2f}", ha="center", va="center")
axes.set_xticks(range(len(methods)), methods, rotation=30, ha="right")
axes.set_yticks(range(len(methods)), methods)
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
# every pair, so that no strength is infinite. Take the judge's own `"totals"` for `"rule"` and the
# picture changes.

# %%
winner_by = "rule"
answers = results_by[winner_by]
is_first, is_second = (answers[side].to_numpy()[:, None] == np.array(methods)
                       for side in ("first", "second"))
design = pd.DataFrame(is_first.astype(int) - is_second, columns=methods)
points = answers["points"]
print(f"design.shape = {design.shape}, points.shape = {points.shape}; the first rows:")
print(design.assign(points=points).head(4).to_string(), end="\n\n")

added_ties = pd.DataFrame([{method: (method == left) - (method == right) for method in methods}
                           for left, right in combinations(methods, 2)])
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
strength = {by: strengths.strengths(results_by[by], methods, seed=seed) for by in ways}
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
rates, worth = strengths.length_controlled(results_by["totals"], words, methods)
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
alone = questions.alone_requests(contexts, comments, methods)
cards = judging.read_cards(alone, judge.ask_many(alone, progress=False))
solo = judging.pairs_of_cards(cards, rulings)
kept_cards = sum(scores is not None for scores in cards.values())
same = swaps.agreement(judged, solo, "totals", seed=seed)
solo_ties = swaps.tie_rate(solo, "totals", seed=seed)
report.sheet("scored alone", {"asked": len(cards), "read": kept_cards, "ties": solo_ties,
                              "same winner as in the pair": same})

# %%
solo_strength = {
    by: strengths.strengths(swaps.as_table(solo, by), methods, seed=seed)
    for by in ("totals", "rule")
}
report.table(
    pd.DataFrame(
        {"its scores": solo_strength["totals"], "after the hard rule": solo_strength["rule"]}
    ),
    caption="Bradley-Terry strengths from comments scored alone",
)

# %% [markdown]
# ## As a file
#
# The judged pairs are a plain CSV file with a header, which any spreadsheet opens; the library
# reads it back and refuses a file whose totals or winners were altered.

# %%
with tempfile.TemporaryDirectory() as folder:
    path = Path(folder) / "pairs.csv"
    judging.write_judged(path, judged)
    again, plain = judging.read_judged(path), pd.read_csv(path)
print("read back unchanged:", again == judged)
report.table(
    plain[["move", "first", "second", "winner_told", "winner_totals", "winner_rule"]].head()
)

# %% [markdown]
# ## Recap
#
# - Asked for the rubric's line, this judge copies a line of the prompt in
#   {glue:text}`copied:.0%` of answers, and contradicts itself in {glue:text}`contradicted:.0%`.
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
faithful = seen.groupby("struck")["faithfulness"].mean()
for name, value in {
    "copied": contradicted["copied"].value, "contradicted": contradicted["any"].value,
    "consistency_totals": consistency["totals"].value, "ties": ties["totals"].value,
    "consistency_rule": consistency["rule"].value, "best_rule": strength["rule"].index[0],
    "struck_llm": struck.loc["llm", "disqualified"].value, "turned": turned.value,
    "struck_reference": struck.loc["reference", "disqualified"].value, "worth": worth,
    "dice": dice["totals"], "dice_rule": dice["rule"], "same_alone": same.value,
    "faith_struck": float(faithful.get(1.0, np.nan)), "faith_clean": float(faithful[0.0]),
}.items():
    glue(name, value, display=False)

# %% tags=["hide-input"]
of = report.Result.of
results = {
    "pairwise.answers": report.Result(len(judged), unit="pairs in an order"),
    "pairwise.line.contradiction_share": of(contradicted["any"], "share of lines read"),
    "pairwise.line.copied_share": of(contradicted["copied"], "share of lines read"),
    "pairwise.line.unreadable": report.Result(len(lined) - len(written), n=len(lined)),
    "scale.points": report.Result(HIGHEST, unit="points"),
    "criteria.count": report.Result(len(CRITERIA), unit="criteria"),
    "decision.fields": report.Result(lines.FIELDS, unit="fields of the line"),
}

# %% tags=["hide-input"]
results |= {
    "pairwise.swap_consistency": of(consistency["rule"], "share of pairs"),
    "pairwise.tie_rate": of(ties["rule"], "share of answers read"),
    "pairwise.rule_turns_winner": of(turned, "share of answers read"),
    "pairwise.worth_of_ten_words": report.Result(worth, n=len(read), unit="log-odds"),
    "pairwise.alone.same_winner": of(same, "share of answers"),
}

# %% tags=["hide-input"]
for by in ways:
    results[f"pairwise.swap_consistency.{by}"] = of(consistency[by], "share of pairs")
    results[f"pairwise.tie_rate.{by}"] = of(ties[by], "share of answers read")
    results[f"pairwise.first_wins.{by}"] = of(first[by], "share of points")
    for name, value in strength[by].items():
        results[f"pairwise.strength_by_{by}.{name}"] = of(value, "log-odds")

# %% tags=["hide-input"]
for name in methods:
    results[f"pairwise.disqualified_share.{name}"] = of(struck.loc[name, "disqualified"])
    results[f"pairwise.win_rate.{name}"] = report.Result(rates.loc[name, "raw"])
    results[f"pairwise.win_rate_at_equal_length.{name}"] = report.Result(
        rates.loc[name, "at equal length"]
    )
    results[f"pairwise.strength.{name}"] = of(strength["rule"][name], "log-odds, after the rule")
    results[f"pairwise.alone.strength.{name}"] = of(solo_strength["rule"][name], "log-odds")
report.save("07_pairwise", results)

# %% tags=["hide-input"]
report.evidence(Evidence(
    len(judged), "pairs in an order", seed,
    interval="95 % over moves; shares Wilson, else bootstrap",
    versions={"model": model, "engine": f"{example.before.engine}, {NODES:,} nodes",
              "prompts": "pairwise@2, pairwise_number@1, pairwise_alone@2"}))
