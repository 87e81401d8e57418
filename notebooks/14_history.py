# ---
# jupyter:
#   kernelspec:
#     display_name: Python 3 (ipykernel)
#     language: python
#     name: python3
# ---

# %% [markdown]
# # How much of the history
#
# Chess needs no memory: the board says all. A model of moves has no board, only the moves, so it
# must look back. How far? The paper {cite}`toshniwal2022chess` takes the history away in several
# ways (its Section 5.3 and Table 7). Drawn below is the first of them: which earlier tokens each
# token may attend to, all of them or a window of the last 50. The models of this chapter are
# {glue:text}`strength` for the paper's question: what does less of the history cost?
# {glue:text}`losses` More often legal than counting, which names a legal square in
# {glue:text}`count` % of the questions, of the {glue:text}`n_models` models of Table 7:
# {glue:text}`above`. An even draw among the legal moves has a perplexity of {glue:text}`even`;
# better than that: {glue:text}`foresee`.

# %% tags=["parameters", "hide-input"]
profile = "book"
seed = 1
window = 50
question_number = 21  # the first whose piece came more than 24 plies before

# %% tags=["hide-input"]
import chess
import chess.svg
import matplotlib.pyplot as plt
import numpy as np
import pandas as pd
import torch
from myst_nb import glue
from torch.nn import functional as F
from chessgloss import report
from chessgloss.book import reference
from chessgloss.stats import means_by
from chessgloss.book.profiles import load_sizes
from chessgloss.store import Evidence
from chessgloss.tracking import (
    baselines, corpus, perplexities, probe_scores, probes, settings, tables)
from chessgloss.tracking.models import make_model
from chessgloss.tracking.tokens import VOCABULARY

sizes = load_sizes("14_history", profile)
report.use_house_style()
kept = probes.read_probes(probes.probes_file())
asked = {task: probes.select(kept, task, "long")[: sizes.instances] for task in probes.END_TASKS}
instances = [question for questions in asked.values() for question in questions]
answers = tables.recorded()
outcomes = [outcome for outcome in tables.read_outcomes() if outcome.model in tables.HISTORY_ROWS]
chosen = tables.headline(outcomes)

# %%
length = 120
row, column = torch.arange(length)[:, None], torch.arange(length)[None, :]
full = column <= row  # no token attends to a later one
windowed = full & (column > row - window)
figure, axes = plt.subplots(1, 2, figsize=(7, 3.2), sharey=True)
titles = ("all before", f"the last {window}")
for panel, mask, title in zip(axes, (full, windowed), titles, strict=True):
    panel.imshow(mask, cmap="Blues", vmin=0, vmax=1.4)
    panel.set(title=f"{title}: {mask.float().mean():.0%}", xlabel="attends to token")
    panel.grid(False)
axes[0].set_ylabel("token")
plt.show()

# %% [markdown]
# The others are approximations of attention, the Reformer {cite}`kitaev2020reformer` and the
# Performer {cite}`choromanski2021rethinking`, and a recurrent network that carries one state
# along, the LSTM {cite}`hochreiter1997long`.
#
# The models of this chapter are {glue:text}`strength` for the paper's questions, which are asked
# after 51 to 100 plies. The counts are of {glue:text}`counted` training games; they know of a piece
# the square that it leaves, the one that it came from, and nothing else of the game. What less of
# the history costs can be read from models that do better than these and from no others. Numbers
# below their baseline bear a †, and no sentence concludes from them. Chapter 12 names the reasons:
# other games, a small model, and a short training.
#
# In this chapter we
#
# - compute attention under both masks, and see what of one game a window leaves;
# - set these models beside full attention, at equal size and on equal games (Table 7), and beside
#   what is had without a model;
# - test each difference on the same questions;
# - ask whether the window fails where it must: at pieces that came to their square long ago;
# - ask whether piece types help the LSTM.
#
# They are trained at S and M only, so that the whole plan fits into a night on two cores. The
# Reformer and the Performer are compact layers of our own, tested against exact attention in the
# limit; the paper used libraries, which mix in local attention.
#
# ## A window, step by step
#
# A question of the last chapter: a game's beginning as tokens, and the square of a piece at the
# end; here the first question whose piece came to its square before the window. Attention gives
# the last token a mean of the values of the tokens it may see, weighed by how well their keys fit
# its query. A mask leaves the others out. Queries, keys and values are drawn here; in a model they
# are learned (chapter 12).

# %%
question = asked["end_actual"][question_number]
squares = [part for uci in question.prefix
           for part in (uci[:2], uci[2:4], uci[4:]) if part]
prompt = ["BOS", *squares, VOCABULARY[question.prompt]]
length, width = len(prompt), 40
row, column = torch.arange(length)[:, None], torch.arange(length)[None, :]
full = column <= row
windowed = full & (column > row - window)

generator = torch.Generator().manual_seed(seed)
drawn_vectors = torch.randn(3, 1, length, width, generator=generator)
query, key, value = drawn_vectors
weights, means = {}, {}
for name, mask in zip(titles, (full, windowed), strict=True):
    scores = query @ key.mT / width**0.5
    weights[name] = scores.masked_fill(~mask, -torch.inf).softmax(dim=-1)[0, -1]
    means[name] = F.scaled_dot_product_attention(query, key, value, attn_mask=mask)
    assert torch.allclose(weights[name] @ value[0], means[name][0, -1], atol=1e-5)
print("(n_tokens, width) =", tuple(query[0].shape), " mask", tuple(windowed.shape))
print(f"the prompt {prompt[-1]} sees", {name: int((given > 0).sum())
                                        for name, given in weights.items()}, "tokens")

# %%
figure, axes = plt.subplots(figsize=(7, 2.4))
for name, given in weights.items():
    axes.step(np.arange(length), given, where="mid", label=name)
axes.set(xlabel="token of the prompt", ylabel="weight for the last token")
axes.legend()
plt.show()

# %% [markdown]
# On the board: coloured are the squares that the window names before the prompt (the cross). A
# piece elsewhere came there earlier, or never moved, or is a rook that castled.

# %%
board = chess.Board()
for uci in question.prefix:
    board.push_uci(uci)
named = {chess.parse_square(token) for token in prompt[-window:-1]
         if token in chess.SQUARE_NAMES}
drawing = chess.svg.board(board, size=300, fill=dict.fromkeys(named, "#56B4E980"),
                          squares=[chess.parse_square(prompt[-1])])
men = board.piece_map()
print("men on squares that the window does not name:",
      sum(square not in named for square in men), "of", len(men))
print(f"plies since the piece on {prompt[-1]} came there:",
      probes.plies_since(question) or "it never moved")
report.Html(drawing, board.fen())

# %% [markdown]
# The library's model with a window has the same mask in every block, and gives the same means:

# %%
shape = settings.Settings(kind="window", layers=1, width=width, heads=1, window=window)
attention = make_model(shape, seed).body.blocks[0].attention
assert torch.equal(attention.mask[:length, :length] == 0, windowed)
assert torch.allclose(attention(drawn_vectors), means[titles[1]], atol=1e-5)
print("mask and means are equal")

# %% [markdown]
# ## What is had without a model
#
# The baselines of the last two chapters: an even draw among the legal moves, and counts of the
# moves of S by the square that a piece leaves and the one from which it had come there. No model
# of this chapter is told the types of the pieces; what counts by type come to is shown beside.

# %%
games = corpus.read_corpus()
drawn = baselines.even_draw(games.games, games.of("test")[: sizes.drawn])
even = perplexities.perplexity_of(drawn, seed=seed)
ground = baselines.Baselines(
    baselines.list_moves(games.games, games.of("L")[: sizes.counted]), instances)
grounds = {task: tables.score_baselines(ground, task, seed=seed) for task in probes.END_TASKS}

# %% [markdown]
# To the question above, what did the trained runs answer, with the whole history and with a window,
# and what do counts? The first answers of the runs are kept. One question says nothing about a
# model; the sections below ask {glue:text}`n_questions`.

# %%
ranked = {f"{size} {tables.HISTORY_ROWS[model]}": answers(outcome.name, "end_actual", "long")
          for (size, model), outcome in chosen.items() if model in ("uci", "window50")}
ranked[baselines.END_BASELINES["came_from"]] = ground.answers("came_from", "end_actual", "long")
first_answers = {name: int(given[question_number].argmax()) for name, given in ranked.items()}
legal_names = ", ".join(sorted(VOCABULARY[token] for token in question.legal))
report.table(pd.DataFrame({
    name: {"answer": VOCABULARY[token], "legal": "yes" if token in question.legal else "no"}
    for name, token in first_answers.items()}).T,
    caption=f"After {len(question.prefix)} plies and {prompt[-1]}; legal: {legal_names}")

# %% [markdown]
# ## The models
#
# All have about as many parameters. Perplexity is canonical, as in the chapter before the last.

# %%
known = baselines.judge_perplexities([one.name for one in outcomes], drawn, seed=seed)
trained = tables.perplexity_table(outcomes, tables.HISTORY_ROWS, known, even)
trained = trained[trained["test"] != tables.NOT_TRAINED]
report.table(trained[["dev", "test", "epochs", "tokens read", "early stop"]], digits=1,
             caption=f"Trained for this chapter, perplexity. {baselines.MARKED}")

# %%
ahead = {}
for (size, model), one in chosen.items():
    if model != "uci" and (size, "uci") in chosen:
        ahead[size, model] = baselines.judge_change(
            one.name, chosen[size, "uci"].name, known, seed=seed)
listed = {f"{size} {tables.HISTORY_ROWS[model]}": f"{change:+.1f}"
          for (size, model), change in ahead.items()}
report.table(pd.Series(listed).to_frame("%"),
             caption="Perplexity against full attention's, per cent of it. "
                     f"{baselines.MARK} not both beat the even draw: no finding")

# %% [markdown]
# ## Table 7
#
# Ending squares, prefixes of 51 to 100 plies. What is as played (ExM) has to beat a draw among the
# legal squares (*random legal*) as well.

# %%
scores = {task: tables.score_rows(outcomes, answers, ground, task, seed=seed)
          for task in probes.END_TASKS}
table7 = tables.probe_table(
    *(scores[task] for task in probes.END_TASKS), tables.HISTORY_ROWS,
    [grounds[task] for task in probes.END_TASKS])
table7.loc["Random Legal"] = [
    *["-"] * 4, probe_scores.random_legal(asked["end_actual"], seed=seed)]
printed = reference.table("state_tracking", "table7")
report.boards(*(report.table(tables.beside_paper(table7, "table7", columns), digits=1,
                             caption=f"Table 7: ending squares, {title}, %. {baselines.MARKED}")
                for title, columns in tables.PROBE_PARTS.items()))

# %% [markdown]
# In the printed table the Performer's row at L is that of the window, number for number; it is
# hard to believe, and nothing is compared with it here.
#
# ## Less than full attention
#
# The same questions, answered by both models: legal answers less those of full attention, in
# points. A star marks p < 0.001. Where not both beat the counts (†), there is no history whose loss
# could be measured.

# %%
losses = {}
for size in tables.SIZES:
    full = chosen.get((size, "uci"))
    for model in tables.HISTORY_ROWS:
        one = chosen.get((size, model))
        if one and full and model != "uci":
            losses[size, model] = tables.compare_runs(
                one, full, answers, ground, "end_actual", seed=seed)

# %%
beside = {}
for (size, model), paired in losses.items():
    rows = [f"{size} {tables.HISTORY_ROWS[name]}" for name in (model, "uci")]
    cells = [reference.lookup("state_tracking", "table7", row, "LgM Actual Acc.").value
             for row in rows]
    beside[rows[0]] = {"ours": f"{paired:.1f}", "paper": f"{cells[0] - cells[1]:.1f}"}
report.table(pd.DataFrame(beside).T, caption="Legal answers less those of full attention, points. "
             f"{baselines.MARK} not both beat their baseline: no finding")

# %%
def with_mark(key, judged):
    mark = "" if judged.above else f" {baselines.MARK}"
    return f"{key[0]} {tables.HISTORY_ROWS[key[1]]}{mark}"


# %%
figure, axes = plt.subplots(figsize=(7, 3.4))
for place, (key, judged) in enumerate(losses.items()):
    one, colour = judged.value.difference, report.PALETTE[tables.SIZES.index(key[0])]
    axes.plot([one.low, one.high], [-place, -place], color=colour)
    axes.plot(one.value, -place, "o", color=colour)
axes.axvline(0, color="grey", linewidth=1)
axes.set_yticks([-place for place in range(len(losses))],
                [with_mark(key, judged) for key, judged in losses.items()])
axes.set(xlabel="End-Actual, legal answers less full attention's, points")
plt.show()

# %% [markdown]
# ## Where the window fails
#
# A window of 50 tokens holds the last 24 moves and the prompt. A piece that came to its square
# before that has left no trace in the window, unless it never moved at all and stands where
# pieces stand at the beginning. If the window's model fails for want of history, it fails there.
# (Through its layers a model with a window can hear of older moves at second hand.)

# %%
held = (window - 1) // 2
bins = [0, held // 2, held, np.inf]
labels = [f"1 to {held // 2}", f"{held // 2 + 1} to {held}", f"more than {held}"]
since = [probes.plies_since(one) for one in asked["end_actual"]]
group = pd.cut([one or np.nan for one in since], bins, labels=labels)
group = group.add_categories("never").fillna("never")

# %%
def aged(given):
    rows = probe_scores.answer_table(given[: sizes.instances], asked["end_actual"])
    return rows.assign(lgm=100 * rows["lgm"], since=group.astype(str))


def by_since(rows):
    return means_by(rows, "since", "lgm", cluster="game", seed=seed)


# %%
by_age, counted = {}, aged(ground.answers("came_from", "end_actual", "long"))
for (size, model), one in chosen.items():
    if model in ("uci", "window50", "lstm"):
        rows = aged(answers(one.name, "end_actual", "long"))
        less = by_since(rows.assign(lgm=rows["lgm"] - counted["lgm"]))
        by_age[f"{size} {tables.HISTORY_ROWS[model]}"] = {
            age: baselines.Judged(share, less[age].low > 0)
            for age, share in by_since(rows).items()}
by_age[baselines.END_BASELINES["came_from"]] = by_since(counted).to_dict()
ages = pd.DataFrame(by_age).T.reindex(columns=[*labels, "never"])
report.table(ages, digits=1, caption="Legal answers by plies since the piece came, %. "
                                     f"{baselines.MARKED}")

# %%
figure, axes = plt.subplots()
for place, size in enumerate(("S", "M")):
    for style, model in (("o-", "uci"), ("s--", "window50")):
        if (size, model) in chosen:
            row = ages.loc[f"{size} {tables.HISTORY_ROWS[model]}"].dropna()
            axes.plot(row.index, [one.value.value for one in row], style,
                      color=report.PALETTE[place], label=f"{size} {tables.HISTORY_ROWS[model]}")
row = ages.loc[baselines.END_BASELINES["came_from"]].dropna()
axes.plot(row.index, [one.value for one in row], ":", color="grey", label=row.name)
axes.set(xlabel="plies since the piece came to its square", ylabel="legal answers, %")
axes.legend(loc="upper left", bbox_to_anchor=(1, 1))
plt.show()

# %% [markdown]
# ## Piece types for the LSTM
#
# In the paper RAP helps the LSTM only with larger training sets (M: 73.8 to 77.5 %). A model that
# reads types before some of the moves must work out whether a square is left or reached; a
# network that carries a state along can keep count of that, and RAP may cost it less.

# %%
lstm = {}
for size in tables.SIZES:
    pair = [chosen.get((size, model)) for model in ("lstm_rap", "lstm")]
    if all(pair):
        lstm[size] = tables.compare_runs(*pair, answers, ground, "end_actual", seed=seed)
listed = {size: {"LSTM + RAP less LSTM": f"{paired:.1f}"} for size, paired in lstm.items()}
report.table(pd.DataFrame(listed).T, caption="LSTM + RAP less LSTM, legal answers, points. "
             f"{baselines.MARK} not both beat their baseline: no finding")

# %%
kinds = {"GPT2": ("rap25", "uci"), "LSTM": ("lstm_rap25", "lstm")}
pairs = {f"{size} {title}": [f"{size}-{label}-1" for label in labels]
         for size in tables.SIZES for title, labels in kinds.items()}
every = tables.read_outcomes()
known |= baselines.judge_perplexities(
    [one.name for one in every if one.name not in known], drawn, seed=seed)
costs = {row: baselines.judge_change(*pair, known, seed=seed)
         for row, pair in pairs.items() if set(pair) <= set(known)}
report.table(pd.Series(costs).to_frame("%"), digits=1,
             caption="Perplexity: RAP 25 against none. "
                     f"{baselines.MARK} not both beat the even draw: no finding")

# %% [markdown]
# ## Recap
#
# - More often legal than counting ({glue:text}`count` %), of the {glue:text}`n_models` models of
#   Table 7: {glue:text}`above`. Better than an even draw in perplexity ({glue:text}`even`):
#   {glue:text}`foresee`.
# - What does less of the history cost? {glue:text}`losses` In the paper: {glue:text}`paper_losses`.
# - The LSTM leads in perplexity, if at all: it changes full attention's by {glue:text}`ahead_S` %
#   at S and by {glue:text}`ahead_M` % at M, and its legal answers by {glue:text}`lstm_S` and
#   {glue:text}`lstm_M` points.
# - Piece types before 25 % of the moves change the LSTM's perplexity at S by
#   {glue:text}`cost_lstm` %, the transformer's by {glue:text}`cost_gpt` %.
# - Does the window fail at pieces that came more than {glue:text}`held` plies ago?
#   {glue:text}`old`
# - † is a number worse than its baseline, or a difference of two of which one is.

# %% tags=["hide-input"]
def paper_loss(size, model):
    rows = [f"{size} {tables.HISTORY_ROWS[name]}" for name in (model, "uci")]
    return float(printed.loc[rows[0], "LgM Actual Acc."] - printed.loc[rows[1], "LgM Actual Acc."])


# %% tags=["hide-input"]
glue("n_questions", f"{len(instances):,}", display=False)
glue("even", f"{even:.1f}", display=False)
glue("count", f"{grounds['end_actual']['came_from'].lgm:.1f}", display=False)
glue("counted", f"{sizes.counted:,}", display=False)
legal = [f"{size} {tables.HISTORY_ROWS[model]}"
         for (size, model), one in scores["end_actual"].items() if "lgm" in one.above]
foresee = [f"{size} {tables.HISTORY_ROWS[model]}"
           for (size, model), one in chosen.items() if known[one.name].above]
for name, rows in (("above", legal), ("foresee", foresee)):
    glue(name, baselines.enumerate_names(rows), display=False)
glue("n_models", len(scores["end_actual"]), display=False)
comparable = any(judged.above for judged in losses.values())
glue("strength", "strong enough in parts only" if comparable else "too weak", display=False)

# %% tags=["hide-input"]
sentences = {
    f"{tables.HISTORY_ROWS[model]} changes the legal answers of full attention at {size} by "
    f"{judged:+.1f} points.": [judged] for (size, model), judged in losses.items()}
glue("losses", baselines.only_if_above(
    sentences, "It cannot be told from these trainings: in no pair do both beat counting."),
    display=False)
glue("paper_losses", ", ".join(
    f"{size} {tables.HISTORY_ROWS[model]} {paper_loss(size, model):+.1f}"
    for size, model in losses), display=False)
for size in ("S", "M"):
    for name, changed in (("ahead", ahead), ("lstm", losses)):
        glue(f"{name}_{size}", tables.told(changed.get((size, "lstm")), "+.1f"), display=False)

# %% tags=["hide-input"]
for name, title in (("lstm", "S LSTM"), ("gpt", "S GPT2")):
    glue(f"cost_{name}", tables.told(costs.get(title), "+.1f"), display=False)
glue("held", held, display=False)
old_size = max((size for size, model in chosen if model == "window50"), key="SML".index)
old = [ages.loc[f"{old_size} {tables.HISTORY_ROWS[model]}", labels[-1]]
       for model in ("window50", "uci")]
sentences = {f"At {old_size} it answers {old[0]:.1f} % of them legally, full attention "
        f"{old[1]:.1f} %.": old}
glue("old", baselines.only_if_above(
    sentences,
    "It cannot be told: there, too, window and full attention do not both beat counting."),
    display=False)

# %% tags=["hide-input"]
results = {"table7.rows": report.Result(len(chosen), unit="models"),
           "baseline.uniform_legal.perplexity": report.Result.of(even, "perplexity a move"),
           "baseline.uniform_legal.beaten": report.Result(
               len(foresee), n=len(chosen), unit="models of Table 7"),
           "baseline.counts.beaten": report.Result(
               len(legal), n=len(scores["end_actual"]), unit="models of Table 7")}
for task, by_given in grounds.items():
    for name, one in by_given.items():
        results[f"baseline.counts.{task}.{name}"] = report.Result.of(one.lgm, "%")

# %% tags=["hide-input"]
for task, by_run in scores.items():
    for (size, model), one in by_run.items():
        if model in tables.HISTORY_ROWS and model != "uci":
            cells = tables.reference_cells(task, "long", size, model, "table7")
            for name in ("lgm", "rprec", "exm"):
                if (value := getattr(one, name)) is not None:
                    results[f"{task}.{name}.{size}.{model}"] = report.Result.of(
                        value, "%", **cells.get(name, {}))

# %% tags=["hide-input"]
for (size, model), change in ahead.items():
    results[f"perplexity.{size}.{model}"] = report.Result.of(
        known[chosen[size, model].name].value, "perplexity a move")
    results[f"perplexity_change.{size}.{model}"] = report.Result.of(
        change.value, "% of full attention's")
for (size, model), judged in losses.items():
    results[f"less_history.{size}.{model}"] = report.Result.of(
        judged.value.difference, "points")

# %% tags=["hide-input"]
results |= {f"lstm_rap_gain.{size}": report.Result.of(judged.value.difference, "points")
            for size, judged in lstm.items()}
results |= {f"rap_cost.{row.replace(' ', '.').lower()}": report.Result.of(
    cost.value, "% of perplexity") for row, cost in costs.items()}
report.save("14_history", results)

# %% tags=["hide-input"]
report.evidence(Evidence(
    len(instances), "questions", seed, clusters=len({one.game for one in instances}),
    interval="95 % bootstrap over games", versions={"models": f"{len(chosen)} runs"}))
