# ---
# jupyter:
#   kernelspec:
#     display_name: Python 3 (ipykernel)
#     language: python
#     name: python3
# ---

# %% [markdown]
# # What the model knows of the board
#
# A model of moves can be asked about the board without any new machinery
# {cite}`toshniwal2022chess`: give it the beginning of a game and one token more, and its next token
# is an answer. After a square it must say where the piece there can go; after a piece type, where
# such a piece stands. The rules decide what is right.
#
# In this chapter we
#
# - ask one position the four kinds of questions (Table 3), and see what a model answers;
# - score starting squares (Table 5) and ending squares (Table 6) on a thousand prefixes;
# - ask whether piece types in training help, and whether that holds for large training sets;
# - sort the wrong answers: does the model not know the rule, or not know the board?
# - compare beginnings of games with later stages, and see where more games would lead.
#
# The questions keep the paper's rules: pieces but no pawns, 51 to 100 plies of a game that is in no
# training set, no such beginning in any training game. The paper counts prefixes in moves;
# plies must be meant, since 150 full moves would not fit its window of 512 tokens. Ours in
# addition: no question about castling, and a second band of 5 to 50 plies.

# %% tags=["parameters"]
profile = "book"
seed = 1
moves = "e2e4 e7e5 g1f3 b8c6 d2d4 h7h6"
following = "f1b5"
example = "L-rap25-1"

# %%
import matplotlib.pyplot as plt
import numpy as np
import pandas as pd
from myst_nb import glue
from chessgloss import report
from chessgloss.book import reference
from chessgloss.positions import Position, read_move
from chessgloss.book.profiles import load_sizes
from chessgloss.store import Evidence

# %%
from chessgloss.tracking import errors, probe_scores, probes, runs, tables, trends
from chessgloss.tracking.checkpoints import read_checkpoint
from chessgloss.tracking.evaluate import predict, rank
from chessgloss.tracking.tokens import VOCABULARY

sizes = load_sizes("13_board_probes", profile)
report.use_house_style()
kept = probes.read_probes(probes.probes_file())
asked = {(task, band): probes.select(kept, task, band)[: sizes.instances]
         for task in probes.TASKS for band in probes.BANDS}
instances = [one for some in asked.values() for one in some]
print(f"(n_tasks, n_bands, n_instances) = {len(probes.TASKS), len(probes.BANDS), sizes.instances}")

# %% [markdown]
# ## Four questions about one position
#
# The paper's own example, the left board of its Figure 1b. *Actual* asks about the piece that is
# moved next in the game (f1b5), *Other* about another that could be. ExM counts the move played,
# LgM every legal one.

# %%
random = np.random.default_rng(seed)
prompts = ["f1", "f3", "B", "N"]
table3 = []
while [VOCABULARY[one.prompt] for one in table3] != prompts:
    table3 = probes.ask(moves.split(), following, "short", "Figure 1", random)


def squares(ids):
    return ", ".join(sorted(VOCABULARY[one] for one in ids if one is not None)) or "N/A"


# %%
titles = [one.task.replace("_", "-").title() for one in table3]
rows = {title: {"prompt": VOCABULARY[one.prompt], "ExM": squares([one.exact]),
                "LgM": squares(one.legal)} for title, one in zip(titles, table3, strict=True)}
agree = 0
for title, one in zip(titles, table3, strict=True):
    cell = reference.lookup("state_tracking", "table3", title, "Correct Answers (LgM)")
    agree += set(cell.printed.strip("{}").split(", ")) == {VOCABULARY[at] for at in one.legal}
models = {name: read_checkpoint(runs.checkpoint_path(name))
          for name in runs.trained_checkpoints()}

# %%
shown = report.board(read_move(Position.after(moves.split()), following), size=280)
if example in models:
    model, training = models[example]
    for title, answer in zip(titles, predict(model, table3, training.reading), strict=True):
        best = np.argsort(-answer)[:5]
        rows[title][f"{example} answers"] = " ".join(
            f"{VOCABULARY[one]} {np.exp(answer[one]):.0%}" for one in best)
report.boards(shown, report.table(pd.DataFrame(rows).T, caption="Table 3"))

# %% [markdown]
# ## The answers of the runs, and of the committed models
#
# Every run answered all questions when its training ended; its ranking of the tokens is kept. The
# models of the headline rows are in the repository and answer the first questions again here.

# %%
outcomes, answers = tables.read_outcomes(), tables.recorded()
chosen = tables.headline(outcomes)
again = {}
for name, (model, training) in models.items():
    for task in probes.TASKS[: 4 if training.notation != "uci" else 2]:
        live = predict(model, asked[task, "long"][: sizes.live], training.reading)
        stored = answers(name, task, "long")[: sizes.live]
        again[name, task] = {
            "same first": float((live.argmax(1) == stored.argmax(1)).mean()),
            "same ranking": float((rank(live) == rank(stored)).all(axis=1).mean())}
again = pd.DataFrame(again).T
report.table(again, caption=f"Live against kept, {sizes.live} questions each", digits=4)

# %% [markdown]
# ## Where do the pieces stand?
#
# Table 5: the prompt is a piece type. R-precision looks at as many answers as are right.
# Only models that have seen types can be asked. RAP stands for the share of types with the lowest
# dev perplexity at its size, as in the paper (chapter 12). *Random legal* draws evenly among the
# right squares; it is computed, not drawn.

# %%
scores = {(task, band): tables.score_rows(outcomes, answers, instances, task, band, seed=seed)
          for task in probes.TASKS for band in probes.BANDS}
typed = {model: tables.NOTATION_ROWS[model] for model in ("uci_rap", "uci_ap")}
chance = {task: probe_scores.random_legal(asked[task, "long"], seed=seed)
          for task in ("start_actual", "end_actual")}
table5 = tables.probe_table(scores["start_actual", "long"], scores["start_other", "long"], typed)
table5.loc["Random Legal"] = [*["-"] * 4, chance["start_actual"]]
report.boards(*(report.table(tables.beside_paper(table5, "table5", columns), digits=1,
                             caption=f"Table 5: starting squares, {title}, %")
                for title, columns in tables.PROBE_PARTS.items()))

# %% [markdown]
# ## Where can they go?
#
# Table 6: the prompt is the square of a piece.

# %%
table6 = tables.probe_table(scores["end_actual", "long"], scores["end_other", "long"],
                            tables.NOTATION_ROWS)
table6.loc["Random Legal"] = [*["-"] * 4, chance["end_actual"]]
report.boards(*(report.table(tables.beside_paper(table6, "table6", columns), digits=1,
                             caption=f"Table 6: ending squares, {title}, %")
                for title, columns in tables.PROBE_PARTS.items()))

# %% [markdown]
# ## Does showing the type help?
#
# The paper finds that it does, and most where games are few. The same questions, legal answers
# with RAP less those of plain UCI, in points of a hundred; a star marks p < 0.001 by exchanging
# the two at random.

# %%
helped = {}
for size in tables.SIZES:
    pair = [chosen.get((size, model)) for model in ("uci_rap", "uci")]
    for task in probes.END_TASKS:
        one = (tables.compare_runs(*(run.name for run in pair), answers, instances, task,
                                   seed=seed) if all(pair) else None)
        column = f"LgM {task.split('_')[1].title()} Acc."
        cells = [reference.lookup("state_tracking", "table6", f"{size} {row}", column).value
                 for row in ("UCI + RAP", "UCI")]
        helped[size, task] = {"ours": one, "paper": cells[0] - cells[1]}

# %%
listed = {f"{size} {task}": {"ours": f"{row['ours']:.1f}" if row["ours"] else tables.NOT_TRAINED,
                             "paper": f"{row['paper']:.1f}"}
          for (size, task), row in helped.items()}
report.table(pd.DataFrame(listed).T, caption="UCI + RAP less UCI, legal answers, points")

# %% [markdown]
# ## Few games, or little training?
#
# Nearly all runs were ended by their number of passes, not by the dev set: they would have
# learnt more from the same games. The longer trainings at S of the last chapter (`S-uci-1x15`
# and its like) tell how much: what is still wrong when the dev set ends a training is due to
# few games. Plain UCI with dropout is the control for types that help only because games are not
# learned by heart.

# %%
longer = tables.read_longer()
kinds = {(one.model, one.probability) for one in longer} | {("uci", 0.0)}
kin = [one for one in outcomes if one.size == "S" and one.seed == 1
       and (one.model, one.probability) in kinds]
report.table(trends.passes_table([*kin, *longer], answers, instances, seed=seed), digits=1,
             caption="S, the usual passes and more; End-Actual after 51 to 100 plies")

# %%
against = {one.name: "S-uci-1" for one in kin if one.model == "uci_rap"}
against |= {one.name: "S-uci-1x15" for one in longer if one.model == "uci_rap" or one.dropout}
gained = {run: tables.compare_runs(run, plain, answers, instances, "end_actual", seed=seed)
          for run, plain in against.items()}
report.table(pd.DataFrame({run: {"less": against[run], "points": f"{paired:.1f}"}
                           for run, paired in gained.items()}).T,
             caption="Legal answers less plain UCI's, after 5 and at its best pass")

# %% [markdown]
# ## What kind of error
#
# A wrong ending square can be no square at all; one that nothing could reach from there
# (*unreachable*); one that another piece would reach (*wrong piece*: the model has forgotten what
# stands there); one behind another piece (*path obstruction*) or on an own one (*own piece*: it
# has forgotten what stands elsewhere); or it leaves the king in check (*pseudo-legal*). The
# authors' released analysis has three kinds: the first three of these together are its *syntax*
# errors, the next two its *path obstruction*.

# %%
def wrong_answers(name, tasks):
    counts = [errors.count_errors(answers(name, task, "long")[: sizes.instances].argmax(1),
                                  asked[task, "long"]) for task in tasks]
    return sum(counts)


# %%
ends = {f"{size} {tables.NOTATION_ROWS[model]}": wrong_answers(one.name, probes.END_TASKS)
        for (size, model), one in chosen.items() if model in tables.NOTATION_ROWS}
ends = pd.DataFrame(ends).T
tracking = [str(kind) for kind in errors.EndError if kind in errors.PIECE_TRACKING]
ends["piece tracking"] = ends[tracking].sum(axis=1)
ends["all"] = ends[[str(kind) for kind in errors.EndError]].sum(axis=1)
report.table(ends, caption=f"Wrong ending squares of {2 * sizes.instances:,} answers")

# %%
starts = {f"{size} {tables.NOTATION_ROWS[model]}": wrong_answers(one.name, probes.START_TASKS)
          for (size, model), one in chosen.items() if model in typed}
report.table(pd.DataFrame(starts).T,
             caption=f"Wrong starting squares of {2 * sizes.instances:,} answers")

# %% [markdown]
# ## Early and late
#
# The paper scores prefixes of 51 to 100 plies. Earlier there are more pieces, but less has
# happened.

# %%
columns = {(task, band): {f"{size} {tables.NOTATION_ROWS[model]}": one.lgm
                          for (size, model), one in scores[task, band].items()
                          if model in tables.NOTATION_ROWS}
           for task in probes.TASKS for band in probes.BANDS}
bands = pd.DataFrame({f"{task}, {band}": cells for (task, band), cells in columns.items()})
report.table(bands.fillna("-"), caption="Legal answers by length of prefix, %", digits=1)

# %% [markdown]
# ## Legal first, then good
#
# Along the size of the training set: does the model learn what is legal before it learns what is
# played? For ExM the ground is random legal play, since a model that knows all rules and nothing
# else would reach it.

# %%
games = {record.run.size: record.games for record in runs.trained_runs()}
rows = {title: {games[size]: one for (size, name), one in scores["end_actual", "long"].items()
                if name == model} for model, title in tables.NOTATION_ROWS.items()}

# %%
figure, axes = plt.subplots()
for (title, row), colour in zip(rows.items(), report.PALETTE, strict=False):
    axes.plot(list(row), [one.lgm.value for one in row.values()], "o-", color=colour, label=title)
    axes.plot(list(row), [one.exm.value for one in row.values()], "s--", color=colour)
axes.axhline(chance["end_actual"].value, color="grey", linewidth=1)
axes.set(xscale="log", xlabel="training games", ylabel="%", ylim=(0, 102))
axes.set_xticks(list(games.values()), [f"{count:,}" for count in games.values()])
axes.xaxis.set_minor_formatter("")
axes.legend(title="legal (line), as played (dashed)", loc="center", bbox_to_anchor=(0.5, 0.4))
plt.show()

# %% [markdown]
# A straight line through the logarithms of illegal answers and training games says where the
# sizes trained point to. It is a description of three points, not a forecast.

# %%
fitted, needed = {}, {}
goal = reference.lookup("state_tracking", "table6", "L UCI", "LgM Actual Acc.")
for model, title in tables.NOTATION_ROWS.items():
    row = {games[size]: 100 - one.lgm.value
           for (size, name), one in scores["end_actual", "long"].items() if name == model}
    if len(row) > 1 and min(row.values()) > 0:
        fitted[model] = trends.fit_trend(list(row), list(row.values()))
        needed[title] = {"exponent": fitted[model].exponent, "sizes": str(fitted[model].points),
                         "illegal at 200,000 games, %": fitted[model].errors(200_000)}
report.table(pd.DataFrame(needed).T, caption="Trend; the paper's UCI at 200,000: "
                                             f"{100 - goal.value:.1f} % illegal")

# %% [markdown]
# ## Recap
#
# - The four questions of Table 3 have the paper's answers: {glue:text}`agree` of 4.
# - After the square of the piece moved next, plain UCI names a legal square in
#   {glue:text}`uci_S` % at S, {glue:text}`uci_M` % at M and {glue:text}`uci_L` % at L; the paper,
#   with four times the games, human ones, and a hundred times the parameters, in
#   {glue:text}`paper_uci_S`, {glue:text}`paper_uci_M` and {glue:text}`paper_uci_L` %.
# - With a type before every move, always (AP), in {glue:text}`ap_S` %, {glue:text}`ap_M` % and
#   {glue:text}`ap_L` %; in the paper {glue:text}`paper_ap_S`, {glue:text}`paper_ap_M` and
#   {glue:text}`paper_ap_L` %.
# - Piece types at random in training change plain UCI's share by {glue:text}`help_S` points at S,
#   {glue:text}`help_M` at M and {glue:text}`help_L` at L; in the paper by
#   {glue:text}`paper_help_S`, {glue:text}`paper_help_M` and {glue:text}`paper_help_L`.
# - With more passes over S, each model at its best, RAP 5 changes it by {glue:text}`S-rap5-1x15`
#   points (after five passes by {glue:text}`S-rap5-1`), RAP 25 by {glue:text}`S-rap25-1x15` after
#   fifteen and {glue:text}`S-rap25-1x30` after up to thirty (after five by
#   {glue:text}`S-rap25-1`); dropout in place of types, the control, by
#   {glue:text}`S-uci-1x15d10`.
# - Asked for a type of piece, RAP finds one that can move in {glue:text}`start_S` % at S,
#   {glue:text}`start_M` % at M and {glue:text}`start_L` % at L.
# - Of plain UCI's wrong ending squares {glue:text}`wrong_piece_uci` % are where another piece could
#   go from there; of AP's, which is told the type, {glue:text}`wrong_piece_ap` %.
# - Drawing evenly among legal squares hits the move played in {glue:text}`random_end:.1f` %.
# - The committed models answer first what they answered then in {glue:text}`same:.2%` of the
#   questions.

# %%
def value_of(task, size, model):
    one = scores[task, "long"].get((size, model))
    return one.lgm.value if one else None


# %%
for size in tables.SIZES:
    row = helped[size, "end_actual"]
    ours = row["ours"].difference.value if row["ours"] else None
    glued = {"help": (ours, "+.1f"), "paper_help": (row["paper"], "+.1f"),
             "start": (value_of("start_actual", size, "uci_rap"), ".1f")}
    for name, model in (("uci", "uci"), ("ap", "uci_ap")):
        title = f"{size} {tables.NOTATION_ROWS[model]}"
        cell = reference.lookup("state_tracking", "table6", title, "LgM Actual Acc.")
        glued[name] = value_of("end_actual", size, model), ".1f"
        glued[f"paper_{name}"] = cell.value, ".1f"
    for name, (value, form) in glued.items():
        glue(f"{name}_{size}", tables.told(value, form), display=False)

# %%
for run, paired in gained.items():
    glue(run, format(paired.difference, "+.1f"), display=False)

# %%
for name, title in (("uci", "UCI"), ("ap", "UCI + AP")):
    rows = ends[[row.endswith(f" {title}") for row in ends.index]].sum()
    share = 100 * rows["wrong piece"] / rows["all"] if rows["all"] else None
    glue(f"wrong_piece_{name}", tables.told(share, ".0f"), display=False)
glue("agree", agree, display=False)
glue("random_end", chance["end_actual"].value, display=False)
glue("same", float(again["same first"].mean()), display=False)

# %%
results = {}
for (task, band), by_run in scores.items():
    where = task if band == "long" else f"{task}_short"
    for (size, model), one in by_run.items():
        if model in tables.NOTATION_ROWS:
            cells = tables.reference_cells(task, band, size, model)
            for name in ("lgm", "rprec", "exm"):
                if (value := getattr(one, name)) is not None:
                    results[f"{where}.{name}.{size}.{model}"] = report.Result.of(
                        value, "%", **cells.get(name, {}))

# %%
for number, task in ((5, "start_actual"), (6, "end_actual")):
    cell = reference.lookup("state_tracking", f"table{number}", "Random Legal", "ExM Acc.")
    results[f"table{number}.random_legal"] = report.Result.of(
        chance[task], "%", reference=cell.value, source=cell.key)
    count = sum(model in tables.NOTATION_ROWS for _, model in scores[task, "long"])
    results[f"table{number}.rows"] = report.Result(count, unit="models")
results["random_legal.exm"] = results["table6.random_legal"]
results["table3.agree"] = report.Result(agree, n=4, unit="rows")

# %%
for (size, task), row in helped.items():
    if row["ours"]:
        results[f"rap_gain.{task}.{size}"] = report.Result.of(
            row["ours"].difference, "points")
keys = [f"{size}.{model}" for size, model in chosen if model in tables.NOTATION_ROWS]
for key, (_, row) in zip(keys, ends.iterrows(), strict=True):
    results |= {f"errors.{kind.replace(' ', '_').replace('-', '_')}.{key}": report.Result(
        int(value), n=2 * sizes.instances, unit="answers") for kind, value in row.items()}

# %%
for run, paired in gained.items():
    key = f"less_uci.end_actual.{run.replace('-', '_')}"
    results[key] = report.Result.of(paired.difference, "points")
for model, trend in fitted.items():
    results[f"trend.exponent.{model}"] = report.Result(trend.exponent, n=trend.points, unit="power")
report.write_results("13_board_probes", results)

# %%
report.evidence(Evidence(
    len(instances), "questions", seed, clusters=len({one.game for one in instances}),
    interval="95 % bootstrap over games",
    versions={"models": f"{len(outcomes)} runs, {len(models)} of them answering live"}))
