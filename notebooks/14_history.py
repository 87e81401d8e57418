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
# ways (its Section 5.3 and Table 7): by a window of the last 50 tokens, by approximations of
# attention, the Reformer {cite}`kitaev2020reformer` and the Performer
# {cite}`choromanski2021rethinking`, and by a recurrent network that carries one state along, the
# LSTM {cite}`hochreiter1997long`.
#
# In this chapter we
#
# - set these models beside full attention, at equal size and on equal games (Table 7);
# - test each difference on the same questions;
# - ask whether the window fails where it must: at pieces that came to their square long ago;
# - ask whether piece types help the LSTM.
#
# They are trained at S and M only, so that the whole plan fits into a night on two cores. The
# Reformer and the Performer are compact layers of our own, tested against exact attention in the
# limit; the paper used libraries, which mix in local attention.

# %% tags=["parameters"]
profile = "book"
seed = 1
window = 50

# %%
import matplotlib.pyplot as plt
import numpy as np
import pandas as pd
from myst_nb import glue
from chessgloss import report
from chessgloss.book import reference
from chessgloss.measures import means_by
from chessgloss.book.profiles import load_sizes
from chessgloss.store import Evidence
from chessgloss.tracking import perplexities, probe_scores, probes, tables

# %%
sizes = load_sizes("14_history", profile)
report.use_house_style()
kept = probes.read_probes(probes.probes_file())
asked = {task: probes.select(kept, task, "long")[: sizes.instances] for task in probes.END_TASKS}
instances = [one for some in asked.values() for one in some]
outcomes, answers = tables.read_outcomes(), tables.recorded()
chosen = tables.headline(outcomes)

# %% [markdown]
# ## The models
#
# All have about as many parameters. Perplexity is canonical, as in the chapter before the last.

# %%
trained = tables.perplexity_table(outcomes, tables.HISTORY_ROWS)
trained = trained[trained["run"] != ""]
measured = perplexities.read_perplexities(trained["run"], seed=seed)
trained["test"] = [measured[run] for run in trained["run"]]
report.table(trained[["dev", "test", "epochs", "tokens read", "early stop"]], digits=1,
             caption="Trained for this chapter")

# %% [markdown]
# ## Table 7
#
# Ending squares, prefixes of 51 to 100 plies.

# %%
scores = {task: tables.score_rows(outcomes, answers, instances, task, seed=seed)
          for task in probes.END_TASKS}
table7 = tables.probe_table(scores["end_actual"], scores["end_other"], tables.HISTORY_ROWS)
printed = reference.table("state_tracking", "table7")
report.boards(*(report.table(tables.beside_paper(table7, "table7", columns), digits=1,
                             caption=f"Table 7: ending squares, {title}, %")
                for title, columns in tables.PROBE_PARTS.items()))

# %% [markdown]
# In the printed table the Performer's row at L is that of the window, number for number; it is
# hard to believe, and nothing is compared with it here.
#
# ## Less than full attention
#
# The same questions, answered by both models: legal answers less those of full attention, in
# points. A star marks p < 0.001.

# %%
losses = {}
for size in tables.SIZES:
    full = chosen.get((size, "uci"))
    for model in tables.HISTORY_ROWS:
        one = chosen.get((size, model))
        if one and full and model != "uci":
            losses[size, model] = tables.compare_runs(one.name, full.name, answers, instances,
                                                      "end_actual", seed=seed)

# %%
beside = {}
for (size, model), paired in losses.items():
    rows = [f"{size} {tables.HISTORY_ROWS[name]}" for name in (model, "uci")]
    cells = [reference.lookup("state_tracking", "table7", row, "LgM Actual Acc.").value
             for row in rows]
    beside[rows[0]] = {"ours": f"{paired:.1f}", "paper": f"{cells[0] - cells[1]:.1f}"}
report.table(pd.DataFrame(beside).T, caption="Legal answers less those of full attention, points")

# %%
figure, axes = plt.subplots(figsize=(7, 3.4))
for place, (key, paired) in enumerate(losses.items()):
    one, colour = paired.difference, report.PALETTE[tables.SIZES.index(key[0])]
    axes.plot([one.low, one.high], [-place, -place], color=colour)
    axes.plot(one.value, -place, "o", color=colour)
axes.axvline(0, color="grey", linewidth=1)
axes.set_yticks([-place for place in range(len(losses))],
                [f"{size} {tables.HISTORY_ROWS[model]}" for size, model in losses])
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
by_age = {}
for (size, model), one in chosen.items():
    if model in ("uci", "window50", "lstm"):
        given = answers(one.name, "end_actual", "long")[: sizes.instances]
        rows = probe_scores.answer_table(given, asked["end_actual"])
        rows = rows.assign(lgm=100 * rows["lgm"], since=group.astype(str))
        by_age[f"{size} {tables.HISTORY_ROWS[model]}"] = means_by(
            rows, "since", "lgm", cluster="game", seed=seed)
ages = pd.DataFrame(by_age).T.reindex(columns=[*labels, "never"])
report.table(ages, caption="Legal answers by plies since the piece came, %", digits=1)

# %%
figure, axes = plt.subplots()
for place, size in enumerate(("S", "M")):
    for style, model in (("o-", "uci"), ("s--", "window50")):
        if (size, model) in chosen:
            row = ages.loc[f"{size} {tables.HISTORY_ROWS[model]}"].dropna()
            axes.plot(row.index, [one.value for one in row], style, color=report.PALETTE[place],
                      label=f"{size} {tables.HISTORY_ROWS[model]}")
axes.set(xlabel="plies since the piece came to its square", ylabel="legal answers, %")
axes.legend()
plt.show()

# %% [markdown]
# ## Piece types for the LSTM
#
# In the paper RAP helps the LSTM only with larger training sets (M: 73.8 to 77.5 %). Chapter 12
# showed what it costs a small transformer that must work out whether a square is left or reached.
# A network that carries a state along can keep count of that; if it is this that costs, RAP
# should cost the LSTM little.

# %%
lstm = {}
for size in tables.SIZES:
    pair = [chosen.get((size, model)) for model in ("lstm_rap", "lstm")]
    if all(pair):
        lstm[size] = tables.compare_runs(*(one.name for one in pair), answers, instances,
                                         "end_actual", seed=seed)
listed = {size: {"LSTM + RAP less LSTM": f"{paired:.1f}"} for size, paired in lstm.items()}
report.table(pd.DataFrame(listed).T, caption="Legal answers, points")

# %%
kinds = {"GPT2": ("rap25", "uci"), "LSTM": ("lstm_rap25", "lstm")}
pairs = {f"{size} {title}": [f"{size}-{label}-1" for label in labels]
         for size in tables.SIZES for title, labels in kinds.items()}
done = {one.name for one in outcomes}
costs = {row: perplexities.change_of_perplexity(*pair, seed=seed)
         for row, pair in pairs.items() if done.issuperset(pair)}
report.table(pd.Series(costs).to_frame("%"), caption="Perplexity: RAP 25 against none", digits=1)

# %% [markdown]
# ## Recap
#
# - With a window of 50 tokens legal answers change by {glue:text}`window50_S` points at S and
#   {glue:text}`window50_M` at M; in the paper by {glue:text}`paper_window50_S` and
#   {glue:text}`paper_window50_M`.
# - With the LSTM by {glue:text}`lstm_S` and {glue:text}`lstm_M`; in the paper by
#   {glue:text}`paper_lstm_S` and {glue:text}`paper_lstm_M`.
# - With the Reformer by {glue:text}`reformer_S` and {glue:text}`reformer_M`, with the
#   Performer by {glue:text}`performer_S` and {glue:text}`performer_M`; in the paper by
#   {glue:text}`paper_reformer_S`, {glue:text}`paper_reformer_M`,
#   {glue:text}`paper_performer_S` and {glue:text}`paper_performer_M`.
# - Piece types before 25 % of the moves change the LSTM's perplexity at S by
#   {glue:text}`cost_lstm` %, the transformer's by {glue:text}`cost_gpt` %.
# - Of pieces that came more than {glue:text}`held` plies ago, {glue:text}`old_window` % are
#   answered legally with the window at {glue:text}`old_size`, and {glue:text}`old_full` % with
#   full attention.

# %%
def paper_loss(size, model):
    rows = [f"{size} {tables.HISTORY_ROWS[name]}" for name in (model, "uci")]
    return float(printed.loc[rows[0], "LgM Actual Acc."] - printed.loc[rows[1], "LgM Actual Acc."])


# %%
for model in ("window50", "lstm", "reformer", "performer"):
    for size in ("S", "M"):
        paired = losses.get((size, model))
        ours = paired.difference.value if paired else None
        glue(f"{model}_{size}", tables.told(ours, "+.1f"), display=False)
        glue(f"paper_{model}_{size}", tables.told(paper_loss(size, model), "+.1f"), display=False)
for name, title in (("lstm", "S LSTM"), ("gpt", "S GPT2")):
    glue(f"cost_{name}", tables.told(costs.get(title), "+.0f"), display=False)
glue("held", held, display=False)

# %%
old_size = max((size for size, model in chosen if model == "window50"), key="SML".index)
glue("old_size", old_size, display=False)
for name, model in (("window", "window50"), ("full", "uci")):
    known = ages.loc[f"{old_size} {tables.HISTORY_ROWS[model]}", labels[-1]]
    glue(f"old_{name}", f"{known.value:.1f}", display=False)

# %%
results = {"table7.rows": report.Result(len(trained), unit="models")}
for task, by_run in scores.items():
    for (size, model), one in by_run.items():
        if model in tables.HISTORY_ROWS and model != "uci":
            cells = tables.reference_cells(task, "long", size, model, "table7")
            for name in ("lgm", "rprec", "exm"):
                if (value := getattr(one, name)) is not None:
                    results[f"{task}.{name}.{size}.{model}"] = report.Result.of(
                        value, "%", **cells.get(name, {}))

# %%
for size, model in chosen:
    if model in tables.HISTORY_ROWS and model != "uci":
        value = trained.loc[f"{size} {tables.HISTORY_ROWS[model]}", "test"]
        results[f"perplexity.{size}.{model}"] = report.Result.of(value, "perplexity a move")
for (size, model), paired in losses.items():
    results[f"less_history.{size}.{model}"] = report.Result.of(
        paired.difference, "points")

# %%
results |= {f"lstm_rap_gain.{size}": report.Result.of(paired.difference, "points")
            for size, paired in lstm.items()}
results |= {f"rap_cost.{row.replace(' ', '.').lower()}": report.Result.of(
    cost, "% of perplexity") for row, cost in costs.items()}
report.write_results("14_history", results)

# %%
report.evidence(Evidence(
    len(instances), "questions", seed, clusters=len({one.game for one in instances}),
    interval="95 % bootstrap over games", versions={"models": f"{len(trained)} runs"}))
