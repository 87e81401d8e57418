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
# such a piece stands. The rules decide what is right. The models of this chapter are
# {glue:text}`strength` for the paper's questions: after 51 to 100 plies the models trained on
# plain UCI name a legal square in {glue:text}`uci_S` % at S, {glue:text}`uci_M` % at M and
# {glue:text}`uci_L` % at L; counts of where moves from the same square go, for pieces that came
# from the same square, do so in {glue:text}`count_came_from` %. Better than the counts which are
# told as much, of the {glue:text}`n_models` models of Table 6: {glue:text}`above`. A number below
# its baseline bears a †, and no sentence concludes from it.

# %% tags=["parameters", "hide-input"]
profile = "book"
seed = 1
moves = "e2e4 e7e5 g1f3 b8c6 d2d4 h7h6"
following = "f1b5"
example = "L-rap25-1"
question_number = 0

# %% tags=["hide-input"]
import chess
import chess.svg
import matplotlib.pyplot as plt
import numpy as np
import pandas as pd
import torch
from myst_nb import glue
from chessgloss import report
from chessgloss.book import reference
from chessgloss.positions import Position, read_move
from chessgloss.book.profiles import load_sizes
from chessgloss.store import Evidence
from chessgloss.tracking import (
    baselines, corpus, errors, probe_scores, probes, runs, tables, trends)
from chessgloss.tracking.checkpoints import read_checkpoint
from chessgloss.tracking.evaluate import predict, rank
from chessgloss.tracking.tokens import VOCABULARY

sizes = load_sizes("13_board_probes", profile)
report.use_house_style()
kept = probes.read_probes(probes.probes_file())
asked = {(task, band): probes.select(kept, task, band)[: sizes.instances]
         for task in probes.TASKS for band in probes.BANDS}
instances = [question for questions in asked.values() for question in questions]

# %%
question = asked["end_actual", "long"][question_number]
board = chess.Board()
for uci in question.prefix:
    board.push_uci(uci)
start = chess.parse_square(VOCABULARY[question.prompt])
legal = {move.to_square for move in board.legal_moves if move.from_square == start}
drawing = chess.svg.board(board, size=300, fill={start: "#E69F00"},
                          squares=chess.SquareSet(legal))
report.Html(drawing, board.fen())

# %% [markdown]
# A question: where can the piece on the coloured square go? The crosses are right. The model does
# not see this board; it has read the moves that led there.
#
# In this chapter we
#
# - ask a model this one question, and look at its answer for every square;
# - ask one position the four kinds of questions (Table 3), and see what a model answers;
# - answer them without a model, by counts;
# - score starting squares (Table 5) and ending squares (Table 6) on a thousand prefixes;
# - ask whether piece types in training help, as far as the models can say;
# - sort the wrong answers: does the model not know the rule, or not know the board?
# - compare beginnings of games with later stages, and see where more games would lead.
#
# The models are {glue:text}`strength` for the paper's questions. Counts over {glue:text}`counted`
# training games name a legal square in {glue:text}`count_start` % of the questions, if they know no
# more than the square that the piece leaves; in {glue:text}`count_came_from` %, if they know from
# where it had come there; in {glue:text}`count_type` %, if they know its type. How models below
# them differ says nothing of what they know of the board. Chapter 12 names the reasons: other
# games, a small model, and a short training.
#
# The questions keep the paper's rules: pieces but no pawns, 51 to 100 plies of a game that is in no
# training set, no such beginning in any training game. The paper counts prefixes in moves;
# plies must be meant, since 150 full moves would not fit its window of 512 tokens. Ours in
# addition: no question about castling, and a second band of 5 to 50 plies.
#
# ## One question, step by step
#
# The prefix is written as tokens, and the square that is asked about stands at its end: the
# prompt. What the model gives to each of its 77 tokens to come next is its answer.

# %%
models = {name: read_checkpoint(runs.checkpoint_path(name))
          for name in runs.trained_checkpoints()}
model, training = models[example]

squares = [part for uci in question.prefix
           for part in (uci[:2], uci[2:4], uci[4:]) if part]
prompt = ["BOS", *squares, chess.square_name(start)]
ids = torch.tensor([[VOCABULARY.index(token) for token in prompt]])
with torch.no_grad():
    logits = model(ids)
probability = logits[0, -1].softmax(dim=0).numpy()
print("prompt:", *prompt[:7], "...", *prompt[-5:])
print("ids", tuple(ids.shape), " logits", tuple(logits.shape),
      " probability", probability.shape)

# %% [markdown]
# The 64 tokens of squares, laid on the board: the darker, the likelier. Crosses are legal, the
# arrow is the likeliest square.

# %%
first_square = VOCABULARY.index("a1")
on_squares = probability[first_square : first_square + 64]  # a1, b1, ..., h8
answer = int(on_squares.argmax())
shade = {square: f"#0072B2{round(255 * share ** 0.5):02x}"
         for square, share in enumerate(on_squares / on_squares.max())}
drawing = chess.svg.board(
    board, size=340, fill=shade, squares=chess.SquareSet(legal),
    arrows=[chess.svg.Arrow(start, answer, color="#D55E00c0")],
    colors={"square light": "#ffffff", "square dark": "#f0f0f0"})
report.Html(drawing, " ".join(f"{share:.3f}" for share in on_squares))

# %%
best = np.argsort(-on_squares)[:5]
print("likeliest:", ", ".join(f"{chess.square_name(square)} {on_squares[square]:.1%}"
                              for square in best))
print(f"{chess.square_name(start)}{chess.square_name(answer)} is",
      "legal" if answer in legal else "not legal",
      f"(played: {VOCABULARY[question.exact]})")
on_legal = on_squares[list(legal)].sum()
print(f"given to legal squares: {on_legal:.1%}, to others: {on_squares.sum() - on_legal:.1%}")
print(f"an even draw among 64 squares gives the legal ones {len(legal) / 64:.1%}")

# %% [markdown]
# Another `question_number` (0 to {glue:text}`last_question`), another `example` (not AP's, whose
# prompts have a type before each move), and the board changes. The library asks all questions so,
# and the answers that are right are kept with each:

# %%
library_answer = predict(model, [question], training.reading)[0]  # logarithms
assert np.allclose(library_answer, np.log(probability), atol=1e-2)
assert {token - first_square for token in question.legal} == legal
glue("last_question", len(asked["end_actual", "long"]) - 1, display=False)
print(f"(n_tasks, n_bands, n_instances) = {len(probes.TASKS), len(probes.BANDS), sizes.instances}")

# %% [markdown]
# ## Four questions about one position
#
# The paper's own example, the left board of its Figure 1b. *Actual* asks about the piece that is
# moved next in the game (f1b5), *Other* about another that could be. ExM counts the move played,
# LgM every legal one. The other pieces are drawn until they are those that the paper asks about;
# the answers are worked out here.

# %%
random = np.random.default_rng(seed)
prompts = ["f1", "f3", "B", "N"]
table3 = []
while [VOCABULARY[asking.prompt] for asking in table3] != prompts:
    table3 = probes.ask(moves.split(), following, "short", "Figure 1", random)


def name_squares(ids):
    return ", ".join(sorted(VOCABULARY[token] for token in ids if token is not None)) or "N/A"


# %%
titles = [asking.task.replace("_", "-").title() for asking in table3]
rows = {title: {"prompt": VOCABULARY[asking.prompt], "ExM": name_squares([asking.exact]),
                "LgM": name_squares(asking.legal)}
        for title, asking in zip(titles, table3, strict=True)}
agree = 0
for title, asking in zip(titles, table3, strict=True):
    cell = reference.lookup("state_tracking", "table3", title, "Correct Answers (LgM)")
    agree += set(cell.printed.strip("{}").split(", ")) == {VOCABULARY[at] for at in asking.legal}

# %%
shown = report.board(read_move(Position.after(moves.split()), following), size=280)
for title, answer in zip(titles, predict(model, table3, training.reading), strict=True):
    best = np.argsort(-answer)[:5]
    rows[title][f"{example} answers"] = " ".join(
        f"{VOCABULARY[token]} {np.exp(answer[token]):.0%}" for token in best)
report.boards(shown, report.table(pd.DataFrame(rows).T, caption="Table 3"))

# %% [markdown]
# ## The answers of the runs, and of the committed models
#
# Every run answered all questions when its training ended; its ranking of the tokens is kept. The
# models of the headline rows are in the repository and answer the first questions again here.

# %%
answers = tables.recorded()
outcomes = [one for one in tables.read_outcomes() if one.model in tables.NOTATION_ROWS]
chosen = tables.headline(outcomes)

# %%
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
# ## The questions without a model
#
# What can be answered by counting the moves of the games of S? For where a piece can go: where
# moves from its square went most often; the same of pieces that had come there from the same
# square; the same of pieces of its type. For where a type stands: which squares such pieces of
# the side to move leave most often, and, for those who are told the types of all moves, where
# such a piece went last. For the long prefixes only moves after 40 plies or more are counted:
# what is moved in an opening says little of later. None of this follows a game; it is the ground
# on which a model that does must stand.
#
# A model that is told types (AP) is measured by what types give, all others by counts without
# them. A number *beats* its baseline if the 95 % interval of the difference on the same questions
# lies above 0; what is *as played* (ExM) has to beat an even draw among the right squares too.

# %%
games = corpus.read_corpus()
trained_on = games.of("L")
ground = baselines.Baselines(
    baselines.list_moves(games.games, trained_on[: sizes.counted]), instances)
grounds = {(task, band): tables.score_baselines(ground, task, band, seed=seed)
           for task in probes.TASKS for band in probes.BANDS}
titles_of = baselines.END_BASELINES | baselines.START_BASELINES

# %%
counted = {(task, band): {titles_of[name]: one.lgm for name, one in by_name.items()}
           for (task, band), by_name in grounds.items()}
counted = pd.DataFrame({f"{task}, {band}": cells for (task, band), cells in counted.items()})
report.table(counted.astype(object).fillna("-"), digits=1,
             caption=f"Legal answers of counts over {sizes.counted:,} games, %")

# %% [markdown]
# The models of M and L have read more games. Does it matter to the counts?

# %%
larger = {}
for count in (sizes.counted, *sizes.counted_more):
    more = baselines.Baselines(baselines.list_moves(games.games, trained_on[:count]), instances)
    by_task = {task: tables.score_baselines(more, task, seed=seed) for task in probes.END_TASKS}
    larger[f"{count:,} games"] = {
        f"{task}, {name}": one.lgm for task, scored in by_task.items()
        for name, one in scored.items() if name != "start"}
report.table(pd.DataFrame(larger).T, digits=1,
             caption="Legal answers after 51 to 100 plies, counts over more games, %")

# %% [markdown]
# ## Where do the pieces stand?
#
# Table 5: the prompt is a piece type. R-precision looks at as many answers as are right.
# Only models that have seen types can be asked. RAP stands for the share of types with the lowest
# dev perplexity at its size, as in the paper (chapter 12). *Random legal* draws evenly among the
# right squares; it is computed, not drawn.

# %%
scores = {(task, band): tables.score_rows(outcomes, answers, ground, task, band, seed=seed)
          for task in probes.TASKS for band in probes.BANDS}
typed = {model: tables.NOTATION_ROWS[model] for model in ("uci_rap", "uci_ap")}
chance = {task: probe_scores.random_legal(asked[task, "long"], seed=seed)
          for task in ("start_actual", "end_actual")}
table5 = tables.probe_table(
    *(scores[task, "long"] for task in probes.START_TASKS), typed,
    [grounds[task, "long"] for task in probes.START_TASKS])
table5.loc["Random Legal"] = [*["-"] * 4, chance["start_actual"]]

# %%
report.boards(*(
    report.table(tables.beside_paper(table5, "table5", columns), digits=1,
                 caption=f"Table 5: starting squares, {title}, %. {baselines.MARKED}")
    for title, columns in tables.PROBE_PARTS.items()))

# %% [markdown]
# ## Where can they go?
#
# Table 6: the prompt is the square of a piece.

# %%
table6 = tables.probe_table(
    *(scores[task, "long"] for task in probes.END_TASKS), tables.NOTATION_ROWS,
    [grounds[task, "long"] for task in probes.END_TASKS])
table6.loc["Random Legal"] = [*["-"] * 4, chance["end_actual"]]
report.boards(*(
    report.table(tables.beside_paper(table6, "table6", columns), digits=1,
                 caption=f"Table 6: ending squares, {title}, %. {baselines.MARKED}")
    for title, columns in tables.PROBE_PARTS.items()))

# %% [markdown]
# ## Does showing the type help?
#
# The paper finds that it does, and most where games are few. The same questions, legal answers
# with RAP less those of plain UCI, in points of a hundred; a star marks p < 0.001 by exchanging
# the two at random. Where not both beat the counts (†), the difference is one of two models that
# have not learned what counting gives, and says nothing of types.

# %%
helped = {}
for size in tables.SIZES:
    pair = [chosen.get((size, model)) for model in ("uci_rap", "uci")]
    for task in probes.END_TASKS:
        one = tables.compare_runs(*pair, answers, ground, task, seed=seed) if all(pair) else None
        column = f"LgM {task.split('_')[1].title()} Acc."
        cells = [reference.lookup("state_tracking", "table6", f"{size} {row}", column).value
                 for row in ("UCI + RAP", "UCI")]
        helped[size, task] = {"ours": one, "paper": cells[0] - cells[1]}

# %% tags=["hide-input"]
listed = {f"{size} {task}": {"ours": f"{row['ours']:.1f}" if row["ours"] else tables.NOT_TRAINED,
                             "paper": f"{row['paper']:.1f}"}
          for (size, task), row in helped.items()}
report.table(pd.DataFrame(listed).T, caption="UCI + RAP less UCI, legal answers, points. "
             f"{baselines.MARK} not both beat their baseline: no finding")

# %% [markdown]
# ## Few games, or little training?
#
# Nearly all runs were ended by their number of passes, not by the dev set: they would have
# learnt more from the same games. The longer trainings at S of the last chapter (`S-uci-1x15`
# and its like) tell how far that leads. Plain UCI with dropout is the control for types that help
# only because games are not learned by heart.

# %%
longer = tables.read_longer()
kinds = {(one.model, one.probability) for one in longer} | {("uci", 0.0)}
kin = [one for one in outcomes if one.size == "S" and one.seed == 1
       and (one.model, one.probability) in kinds]
report.table(trends.passes_table([*kin, *longer], answers, ground, seed=seed), digits=1,
             caption="S, the usual passes and more; End-Actual after 51 to 100 plies. "
                     f"{baselines.MARKED}")

# %%
against = {one.name: "S-uci-1" for one in kin if one.model == "uci_rap"}
against |= {one.name: "S-uci-1x15" for one in longer if one.model == "uci_rap" or one.dropout}
by_name = {one.name: one for one in (*kin, *longer)}
gained = {run: tables.compare_runs(by_name[run], by_name[plain], answers, ground, "end_actual",
                                   seed=seed) for run, plain in against.items()}
report.table(pd.DataFrame({run: {"less": against[run], "points": f"{paired:.1f}"}
                           for run, paired in gained.items()}).T,
             caption="Legal answers less plain UCI's, after 5 and at its best pass. "
                     f"{baselines.MARK} not both beat their baseline: no finding")

# %% [markdown]
# ## What kind of error
#
# A wrong ending square can be no square at all; one that nothing could reach from there
# (*unreachable*); one that another piece would reach (*wrong piece*: the model has forgotten what
# stands there); one behind another piece (*path obstruction*) or on an own one (*own piece*: it
# has forgotten what stands elsewhere); or it leaves the king in check (*pseudo-legal*). The
# authors' released analysis has three kinds: the first three of these together are its *syntax*
# errors, the next two its *path obstruction*.

# %% tags=["hide-input"]
def wrong_answers(answering, name, tasks):
    counts = [errors.count_errors(answering(name, task, "long")[: sizes.instances].argmax(1),
                                  asked[task, "long"]) for task in tasks]
    return sum(counts)


def marked_row(key, tasks):
    above = all("lgm" in scores[task, "long"][key].above for task in tasks)
    return f"{key[0]} {tables.NOTATION_ROWS[key[1]]}" + ("" if above else f" {baselines.MARK}")


# %%
ends = {key: wrong_answers(answers, one.name, probes.END_TASKS) for key, one in chosen.items()}
ends |= {name: wrong_answers(ground.answers, name, probes.END_TASKS)
         for name in baselines.END_BASELINES}
ends = pd.DataFrame(ends.values(), index=pd.Index(ends, tupleize_cols=False))
tracking = [str(kind) for kind in errors.EndError if kind in errors.PIECE_TRACKING]
ends["all"] = ends.sum(axis=1)
ends.insert(ends.shape[1] - 1, "piece tracking", ends[tracking].sum(axis=1))
ends_shown = ends.set_axis([titles_of.get(key) or marked_row(key, probes.END_TASKS)
                            for key in ends.index])
report.table(ends_shown, caption=f"Wrong ending squares of {2 * sizes.instances:,} answers. "
                                 f"{baselines.MARKED}")

# %%
starts = {marked_row(key, probes.START_TASKS): wrong_answers(answers, one.name, probes.START_TASKS)
          for key, one in chosen.items() if key[1] in typed}
starts |= {title: wrong_answers(ground.answers, name, probes.START_TASKS)
           for name, title in baselines.START_BASELINES.items()}
report.table(pd.DataFrame(starts).T, caption=f"Wrong starting squares of "
             f"{2 * sizes.instances:,} answers. {baselines.MARKED}")

# %% [markdown]
# ## Early and late
#
# The paper scores prefixes of 51 to 100 plies. Earlier there are more pieces, but less has
# happened.

# %%
columns = {(task, band): {f"{size} {tables.NOTATION_ROWS[model]}": one.judged("lgm")
                          for (size, model), one in by_run.items()}
           for (task, band), by_run in scores.items()}
bands = pd.DataFrame({f"{task}, {band}": cells for (task, band), cells in columns.items()})
bands = pd.concat([bands, counted]).astype(object)
report.table(bands.fillna("-"), digits=1,
             caption=f"Legal answers by length of prefix, %. {baselines.MARKED}")

# %% [markdown]
# ## Legal first, then good
#
# Along the size of the training set: does the model learn what is legal before it learns what is
# played? For ExM the ground is random legal play (grey), since a model that knows all rules and
# nothing else would reach it. For legal answers it is counting (dotted): by where the piece came
# from for UCI and RAP, by its type for AP.

# %% tags=["hide-input"]
read = {record.run.size: record.games for record in runs.trained_runs()}
rows = {title: {read[size]: one for (size, name), one in scores["end_actual", "long"].items()
                if name == model} for model, title in tables.NOTATION_ROWS.items()}
lines = [{"y": grounds["end_actual", "long"][given].lgm.value, "color": colour, "linestyle": ":",
          "label": titles_of[given]}
         for given, colour in (("came_from", report.PALETTE[0]), ("type", report.PALETTE[2]))]

# %%
figure, axes = plt.subplots()
for (title, row), colour in zip(rows.items(), report.PALETTE, strict=False):
    axes.plot(list(row), [one.lgm.value for one in row.values()], "o-", color=colour, label=title)
    axes.plot(list(row), [one.exm.value for one in row.values()], "s--", color=colour)
axes.axhline(chance["end_actual"].value, color="grey", linewidth=1)
for line in lines:
    axes.axhline(**line)
axes.set(xscale="log", xlabel="training games", ylabel="%", ylim=(0, 102))
axes.set_xticks(list(read.values()), [f"{count:,}" for count in read.values()])
axes.xaxis.set_minor_formatter("")
axes.legend(title="legal (line), as played (dashed)", loc="upper left", bbox_to_anchor=(1, 1))
plt.show()

# %% [markdown]
# A straight line through the logarithms of illegal answers and training games says where the
# sizes trained point to. It is a description of the points, not a forecast, and is drawn only
# where a notation beats its baseline at two sizes or more.

# %%
fitted, needed = {}, {}
goal = reference.lookup("state_tracking", "table6", "L UCI", "LgM Actual Acc.")
for model, title in tables.NOTATION_ROWS.items():
    row = {read[size]: 100 - one.lgm.value
           for (size, name), one in scores["end_actual", "long"].items()
           if name == model and "lgm" in one.above and one.lgm.value < 100}
    if len(row) > 1:
        fitted[model] = trends.fit_trend(list(row), list(row.values()))
    needed[title] = {"sizes above the baseline": len(row), "exponent": "-", "at 200,000": "-"}

# %%
for model, line in fitted.items():
    needed[tables.NOTATION_ROWS[model]] |= {
        "exponent": line.exponent, "at 200,000": line.errors(200_000)}
report.table(pd.DataFrame(needed).T, caption="Illegal answers along the games, %; the paper's UCI "
                                             f"at 200,000: {100 - goal.value:.1f}")

# %% [markdown]
# ## Recap
#
# - The four questions of Table 3 have the paper's answers: {glue:text}`agree` of 4.
# - More often legal than counting, of the {glue:text}`n_models` models of Table 6, after 51 to 100
#   plies: {glue:text}`above`; after 5 to 50 plies: {glue:text}`above_short`.
# - After the square of the piece moved next, plain UCI names a legal square in
#   {glue:text}`uci_S` % at S, {glue:text}`uci_M` % at M and {glue:text}`uci_L` % at L; counts by
#   where the piece came from in {glue:text}`count_came_from` %. In the paper it is
#   {glue:text}`paper_uci_S`, {glue:text}`paper_uci_M` and {glue:text}`paper_uci_L` %, with other
#   games and four times as many, a larger model and a longer training (chapter 12).
# - With a type before every move (AP), in {glue:text}`ap_S` %, {glue:text}`ap_M` % and
#   {glue:text}`ap_L` %; counts by the type in {glue:text}`count_type` %; in the paper
#   {glue:text}`paper_ap_S`, {glue:text}`paper_ap_M` and {glue:text}`paper_ap_L` %.
# - Do piece types at random in training help? {glue:text}`helped`
# - Do they with more passes over S? {glue:text}`gained`
# - Asked for a type of piece, RAP finds one that can move in {glue:text}`start_S` % at S,
#   {glue:text}`start_M` % at M and {glue:text}`start_L` % at L; counts of the squares that the type
#   leaves in {glue:text}`count_start_type` %. AP finds one in {glue:text}`start_ap_S` %,
#   {glue:text}`start_ap_M` % and {glue:text}`start_ap_L` %; who looks where the type went last, in
#   {glue:text}`count_last` %.
# - What kind of errors? {glue:text}`errors`
# - Drawing evenly among legal squares hits the move played in {glue:text}`random_end:.1f` %.
# - The committed models answer first what they answered then in {glue:text}`same:.2%` of the
#   questions.

# %% tags=["hide-input"]
def cell_of(task, size, model):
    one = scores[task, "long"].get((size, model))
    return tables.told(one and one.judged("lgm"), ".1f")


# %% tags=["hide-input"]
for size in tables.SIZES:
    glue(f"start_{size}", cell_of("start_actual", size, "uci_rap"), display=False)
    glue(f"start_ap_{size}", cell_of("start_actual", size, "uci_ap"), display=False)
    for name, model in (("uci", "uci"), ("ap", "uci_ap")):
        title = f"{size} {tables.NOTATION_ROWS[model]}"
        cell = reference.lookup("state_tracking", "table6", title, "LgM Actual Acc.")
        glue(f"{name}_{size}", cell_of("end_actual", size, model), display=False)
        glue(f"paper_{name}_{size}", f"{cell.value:.1f}", display=False)

# %% tags=["hide-input"]
for task in ("end_actual", "start_actual"):
    for name, one in grounds[task, "long"].items():
        glue(f"count_{name}", f"{one.lgm:.1f}", display=False)
better = {band: [f"{size} {tables.NOTATION_ROWS[model]}"
                 for (size, model), one in scores["end_actual", band].items()
                 if "lgm" in one.above] for band in probes.BANDS}
comparable = any(row["ours"] and row["ours"].above for row in helped.values())
glue("strength", "strong enough at some sizes only" if comparable else "too weak", display=False)
glue("n_models", len(scores["end_actual", "long"]), display=False)
glue("above", baselines.enumerate_names(better["long"]), display=False)
glue("above_short", baselines.enumerate_names(better["short"]), display=False)
glue("counted", f"{sizes.counted:,}", display=False)

# %% tags=["hide-input"]
open_question = "It cannot be told from these trainings: {} both beat counting."
sentences = {
    f"At {size} they change plain UCI's share by {tables.told(row['ours'], '+.1f')} points; "
    f"in the paper by {row['paper']:+.1f}.": [row["ours"]]
    for (size, task), row in helped.items() if task == "end_actual"}
glue("helped", baselines.only_if_above(
    sentences, open_question.format("at no size do UCI and UCI + RAP")), display=False)
sentences = {f"{run} has {paired:+.1f} points more than plain UCI.": [paired]
        for run, paired in gained.items()}
glue("gained", baselines.only_if_above(
    sentences, open_question.format("no run for longer and plain UCI")), display=False)

# %% tags=["hide-input"]
wrong = 100 * ends["wrong piece"] / ends["all"].clip(lower=1)
sentences = {}
for key, share in wrong.items():
    if key in chosen:
        name = baselines.baseline_of("end_actual", key[1])
        sentence = (f"Of the wrong ending squares of {marked_row(key, ())} {share:.0f} % are where "
                    f"only another piece could go, of its baseline's {wrong[name]:.0f} %.")
        sentences[sentence] = [scores[task, "long"][key].judged("lgm") for task in probes.END_TASKS]
glue("errors", baselines.only_if_above(sentences, "No model beats counting."), display=False)
glue("agree", agree, display=False)
glue("random_end", chance["end_actual"].value, display=False)
glue("same", float(again["same first"].mean()), display=False)

# %% tags=["hide-input"]
results = {}
for (task, band), by_run in scores.items():
    where = task if band == "long" else f"{task}_short"
    for (size, model), one in by_run.items():
        cells = tables.reference_cells(task, band, size, model)
        for name in ("lgm", "rprec", "exm"):
            if (value := getattr(one, name)) is not None:
                results[f"{where}.{name}.{size}.{model}"] = report.Result.of(
                    value, "%", **cells.get(name, {}))

# %% tags=["hide-input"]
for (task, band), by_given in grounds.items():
    where = task if band == "long" else f"{task}_short"
    for name, one in by_given.items():
        results[f"baseline.counts.{where}.{name}"] = report.Result.of(one.lgm, "%")
        results[f"baseline.counts_rprec.{where}.{name}"] = report.Result.of(one.rprec, "%")
        if one.exm is not None:
            results[f"baseline.counts_exm.{where}.{name}"] = report.Result.of(one.exm, "%")
results["baseline.counts.beaten"] = report.Result(
    len(better["long"]), n=len(scores["end_actual", "long"]), unit="models of Table 6")

# %% tags=["hide-input"]
for number, task in ((5, "start_actual"), (6, "end_actual")):
    cell = reference.lookup("state_tracking", f"table{number}", "Random Legal", "ExM Acc.")
    results[f"table{number}.random_legal"] = report.Result.of(
        chance[task], "%", reference=cell.value, source=cell.key)
    results[f"table{number}.rows"] = report.Result(len(scores[task, "long"]), unit="models")
results["random_legal.exm"] = results["table6.random_legal"]
results["table3.agree"] = report.Result(agree, n=4, unit="rows")

# %% tags=["hide-input"]
for (size, task), row in helped.items():
    if row["ours"]:
        results[f"rap_gain.{task}.{size}"] = report.Result.of(
            row["ours"].value.difference, "points")
for index, row in ends.iterrows():
    key = ".".join(index) if index in chosen else f"baseline.{index}"
    results |= {f"errors.{kind.replace(' ', '_').replace('-', '_')}.{key}": report.Result(
        int(value), n=2 * sizes.instances, unit="answers") for kind, value in row.items()}

# %% tags=["hide-input"]
for run, paired in gained.items():
    key = f"less_uci.end_actual.{run.replace('-', '_')}"
    results[key] = report.Result.of(paired.value.difference, "points")
for model, trend in fitted.items():
    results[f"trend.exponent.{model}"] = report.Result(trend.exponent, n=trend.points, unit="power")
report.save("13_board_probes", results)

# %% tags=["hide-input"]
report.evidence(Evidence(
    len(instances), "questions", seed, clusters=len({one.game for one in instances}),
    interval="95 % bootstrap over games",
    versions={"models": f"{len(outcomes)} runs, {len(models)} of them answering live"}))
