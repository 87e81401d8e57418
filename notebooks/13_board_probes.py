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
# such a piece stands. The rules decide what is right. {glue:text}`result` {glue:text}`types_say`
# Counts of where moves from the same square go, for pieces that came from the same square, are
# right in {glue:text}`count_came_from` % and know nothing else of the game; better than the counts
# which are told as much, of the {glue:text}`n_models` models of Table 6: {glue:text}`above`. A
# number below its baseline bears a †, and no sentence concludes from it.

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
from chessgloss import report
from chessgloss.book import reference
from chessgloss.positions import Position, read_move
from chessgloss.stats import mean_interval
from chessgloss.book.profiles import load_sizes
from chessgloss.tracking import probes, results, runs
from chessgloss.tracking.games import VOCABULARY, read_corpus

sizes = load_sizes("13_board_probes", profile)
report.use_house_style()
by_task = ["task", "band"]
questions = probes.read_probes().groupby(by_task, sort=False).head(sizes.instances)


def ask(task, band="long"):
    return questions[(questions["task"] == task) & (questions["band"] == band)]


# %%
question = ask("end_actual").iloc[question_number]
board = chess.Board()
for uci in question["prefix"].split():
    board.push_uci(uci)
start = chess.parse_square(question["prompt"])
legal = {move.to_square for move in board.legal_moves if move.from_square == start}
drawing = chess.svg.board(
    board, size=300, fill={start: "#E69F00"}, squares=chess.SquareSet(legal)
)
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
# - ask whether piece types in training help, by legal answers and by moves as played;
# - sort the wrong answers: does the model not know the rule, or not know the board?
# - compare beginnings of games with later stages, and see where more games would lead.
#
# Counts over {glue:text}`counted` training games name a legal square in {glue:text}`count_start` % of the questions, if they know no
# more than the square that the piece leaves; in {glue:text}`count_came_from` %, if they know from
# where it had come there; in {glue:text}`count_type` %, if they know its type. How models below
# them differ says nothing of what they know of the board; chapter 12 says which recipe lifts a model
# over them (its rows are called *modern*).
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
models = {name: runs.read_model(name) for name in runs.trained_checkpoints()}
model, training = models[example]

squares = [
    part for uci in question["prefix"].split() for part in (uci[:2], uci[2:4], uci[4:]) if part
]
prompt = ["BOS", *squares, chess.square_name(start)]
ids = torch.tensor([[VOCABULARY.index(token) for token in prompt]])
with torch.no_grad():
    logits = model(ids)
probability = logits[0, -1].softmax(dim=0).numpy()
print("prompt:", *prompt[:7], "...", *prompt[-5:])
print(
    "ids", tuple(ids.shape), " logits", tuple(logits.shape), " probability", probability.shape
)

# %% [markdown]
# The 64 tokens of squares, laid on the board: the darker, the likelier. Crosses are legal, the
# arrow is the likeliest square.

# %%
first_square = VOCABULARY.index("a1")
on_squares = probability[first_square : first_square + 64]  # a1, b1, ..., h8
answer = int(on_squares.argmax())
shade = {
    square: f"#0072B2{round(255 * share**0.5):02x}"
    for square, share in enumerate(on_squares / on_squares.max())
}
drawing = chess.svg.board(
    board,
    size=340,
    fill=shade,
    squares=chess.SquareSet(legal),
    arrows=[chess.svg.Arrow(start, answer, color="#D55E00c0")],
    colors={"square light": "#ffffff", "square dark": "#f0f0f0"},
)
report.Html(drawing, " ".join(f"{share:.3f}" for share in on_squares))

# %%
best = np.argsort(-on_squares)[:5]
print(
    "likeliest:",
    ", ".join(f"{chess.square_name(square)} {on_squares[square]:.1%}" for square in best),
)
print(
    f"{chess.square_name(start)}{chess.square_name(answer)} is",
    "legal" if answer in legal else "not legal",
    f"(played: {question['exact']})",
)
on_legal = on_squares[list(legal)].sum()
print(f"given to legal squares: {on_legal:.1%}, to others: {on_squares.sum() - on_legal:.1%}")
print(f"an even draw among 64 squares gives the legal ones {len(legal) / 64:.1%}")

# %% [markdown]
# Another `question_number` (0 to {glue:text}`last_question`), another `example` (not AP's, whose
# prompts have a type before each move), and the board changes. The library asks all questions so,
# and the answers that are right are kept with each:

# %%
library_answer = probes.predict(model, question.to_frame().T, training.reading)[0]  # logarithms
assert np.allclose(library_answer, np.log(probability), atol=1e-2)
assert set(question["legal"].split()) == {chess.square_name(square) for square in legal}
report.paste(last_question=len(ask("end_actual")) - 1)
print(
    f"(n_tasks, n_bands, n_instances) = {len(probes.TASKS), len(probes.BANDS), sizes.instances}"
)

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
while [asking["prompt"] for asking in table3] != prompts:
    table3 = probes.ask(moves.split(), following, "short", "Figure 1", random)
table3 = pd.DataFrame(table3)
table3.index = table3["task"].str.replace("_", "-").str.title()

# %%
printed3 = reference.table("state_tracking", "table3")["Correct Answers (LgM)"]
agree = sum(
    set(printed3[title].strip("{}").split(", ")) == set(squares.split())
    for title, squares in table3["legal"].items()
)
shown = table3[["prompt", "exact", "legal"]].rename(columns={"exact": "ExM", "legal": "LgM"})
answers3 = probes.predict(model, table3, training.reading)
shown[f"{example} answers"] = [
    " ".join(
        f"{VOCABULARY[token]} {np.exp(answer[token]):.0%}" for token in np.argsort(-answer)[:5]
    )
    for answer in answers3
]
drawing = report.board(read_move(Position.after(moves.split()), following), size=280)
report.boards(drawing, report.table(shown.rename_axis(None), caption="Table 3"))

# %% [markdown]
# ## The answers of the runs, and of the committed models
#
# Every run answered all questions when its training ended; its ranking of the tokens is kept. The
# models of the headline rows are in the repository and answer the first questions again here.

# %%
trained = runs.read_runs()
chosen = results.headline(trained, results.NOTATION_ROWS)
blocks = list(dict.fromkeys(chosen.index.get_level_values("block")))
in_tables = trained["base"].isin(results.BASES) & results.usual_on_their_base(trained)
outcomes = trained[in_tables & trained["model"].isin(list(results.NOTATION_ROWS))]
longer = trained[~trained["usual"] & (trained["base"] == "")]
answered = {run: results.score_run(run, questions) for run in (*outcomes.index, *longer.index)}

# %%
again = {}
for run, (model, training) in models.items():
    kept = runs.read_kept("predictions", run)
    for task in probes.TASKS[: 4 if training.notation != "uci" else 2]:
        live = probes.rank(probes.predict(model, ask(task)[: sizes.live], training.reading))
        stored = kept[f"{task}.long"][: sizes.live]
        again[run, task] = {
            "same first": float((live[:, 0] == stored[:, 0]).mean()),
            "same ranking": float((live == stored).all(axis=1).mean()),
        }
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
games = read_corpus()
trained_on = games.of("L")


def count(n_games, asked=questions):
    moves = results.list_moves(games.games, trained_on[:n_games])
    return results.score_baselines(moves, asked)


ground = count(sizes.counted)
grounds = {name: results.summarise(rows, seed=seed) for name, rows in ground.items()}

# %%
counted = pd.DataFrame(
    {results.BASELINES[name]: scores["lgm"] for name, scores in grounds.items()}
)
counted = counted.T[list(questions.groupby(by_task, sort=False).groups)]
counted.columns = [", ".join(key) for key in counted.columns]
report.table(
    counted.fillna("-"),
    digits=1,
    caption=f"Legal answers of counts over {sizes.counted:,} games, %",
)

# %% [markdown]
# The models of M and L have read more games. Does it matter to the counts?

# %%
long_ends = questions.query("band == 'long' and task in @probes.END_TASKS")
larger = {}
for n_games in (sizes.counted, *sizes.counted_more):
    more = count(n_games, long_ends)
    larger[f"{n_games:,} games"] = {
        f"{task}, {name}": interval
        for task in probes.END_TASKS
        for name in ("came_from", "type")
        for interval in results.summarise(more[name], seed=seed).loc[task, "lgm"]
    }
report.table(
    pd.DataFrame(larger).T,
    digits=1,
    caption="Legal answers after 51 to 100 plies, counts over more games, %",
)

# %% [markdown]
# ## Where do the pieces stand?
#
# Table 5: the prompt is a piece type. R-precision looks at as many answers as are right.
# Only models that have seen types can be asked. RAP stands for the share of types with the lowest
# dev perplexity at its size, as in the paper (chapter 12). *Random legal* draws evenly among the
# right squares; it is computed, not drawn.

# %%
scores = {
    row["title"]: results.summarise(
        answered[row["run"]], results.ground_of(model, ground), seed=seed
    )
    for (_, model), row in chosen.iterrows()
}
beside_paper = dict(zip(chosen["title"], chosen["paper"], strict=True))


def draw_evenly(task):
    rows = ask(task)
    shares = results.chance_of_exact(rows)
    return mean_interval(100 * shares, rows["game"], seed=seed)


def show_table(number, kind, titles, counts):
    printed = reference.table("state_tracking", f"table{number}")
    rows = {title: scores[title] for title in titles}
    rows |= {results.BASELINES[name]: grounds[name] for name in counts}
    parts = []
    for title, part in results.PROBE_PARTS.items():
        shown = results.probe_table(rows, kind, part, printed, beside_paper)
        if "ExM Acc." in part:
            shown.loc["Random Legal", "Actual"] = draw_evenly(f"{kind}_actual")
        parts.append(
            report.table(
                shown,
                digits=1,
                caption=f"Table {number}: {kind}ing squares, {title}, %. {results.MARKED}",
            )
        )
    return report.boards(*parts)


# %%
typed = [title for title in scores if not title.endswith("UCI")]
show_table(5, "start", typed, results.START_BASELINES)

# %% [markdown]
# Does a model know more than where such a piece went last? That is the harder baseline: it reads
# the types of all moves, which a model trained with RAP is not told. The same questions, legal
# answers less those of who looks where the type went last, in points:

# %%
beyond_last = {
    row["title"]: {
        task: results.compare_answers(
            [answered[row["run"]].loc[ask(task).index], ground["last"].loc[ask(task).index]],
            [results.ground_of(model, ground)] * 2,
            seed=seed,
        )
        for task in probes.START_TASKS
    }
    for (_, model), row in chosen.iterrows()
    if model != "uci"
}
report.table(
    pd.DataFrame(beyond_last).T.map(lambda apart: apart.value.difference),
    digits=1,
    caption="Legal starting squares, less where the type went last, points",
)

# %% [markdown]
# ## Where can they go?
#
# Table 6: the prompt is the square of a piece.

# %%
show_table(6, "end", list(scores), results.END_BASELINES)

# %% [markdown]
# ## Does showing the type help?
#
# The paper finds that it does, and most where games are few. The same questions, answers with RAP
# or AP less those of plain UCI, in points of a hundred; a star marks p < 0.001 by exchanging the
# two at random. Where neither beats the counts (†), the difference is one of two models that have
# not learned what counting gives, and says nothing of types.


# %%
def compare(first, second, task, score="lgm"):
    """Answers of a run less those of another, on the long questions of a task."""
    pair = [answered[run].loc[ask(task).index] for run in (first, second)]
    grounds_of = [
        results.ground_of(trained.loc[run, "model"], ground) for run in (first, second)
    ]
    return results.compare_answers(pair, grounds_of, score, seed=seed)


# %%
printed6 = reference.table("state_tracking", "table6")
typed_pairs = [
    (block, model)
    for block, model in chosen.index
    if model != "uci" and (block, "uci") in chosen.index
]


def paper_gain(block, model, column):
    size = block.partition(" ")[0]
    cells = printed6[column]
    return cells[f"{size} {results.NOTATION_ROWS[model]}"] - cells[f"{size} UCI"]


helped = {
    (block, model, task): {
        "ours": compare(
            chosen.loc[(block, model), "run"], chosen.loc[(block, "uci"), "run"], task
        ),
        "paper": paper_gain(block, model, f"LgM {task.split('_')[1].title()} Acc."),
    }
    for block, model in typed_pairs
    for task in probes.END_TASKS
}

# %% tags=["hide-input"]
shown = pd.DataFrame(
    {
        f"{block} {results.NOTATION_ROWS[model].removeprefix('UCI + ')}, {task}": row
        for (block, model, task), row in helped.items()
    }
).T
report.table(
    shown,
    digits=1,
    caption=f"Types less plain UCI, legal answers, points. {results.COMPARED}",
)

# %% [markdown]
# Which notation makes the better model? Perplexity is a poor yardstick for that: another seed
# changes it as much as a notation does (chapter 12). How often the first answer is the move that
# was played (ExM) is steadier: the table has the difference of two seeds of plain UCI beside what
# types change against each of them. A model has to beat the counts and a draw among the legal
# squares in it.

# %%
exact = {}
for block, model in typed_pairs:
    of_plain = results.other_seeds(trained, chosen.loc[(block, "uci"), "run"])
    for plain in of_plain:
        exact[chosen.loc[(block, model), "run"], plain] = paper_gain(block, model, "ExM Acc.")
    for plain in of_plain[1:]:
        exact[plain, of_plain[0]] = "-"
exact = {
    pair: {"ours": compare(*pair, "end_actual", "exm"), "paper": paper}
    for pair, paper in exact.items()
}
shown = pd.DataFrame(exact).T
shown.index = [f"{run} less {plain}" for run, plain in exact]
report.table(shown, digits=1, caption=f"Moves as played (ExM), points. {results.COMPARED}")

# %% [markdown]
# ## Few games, or little training?
#
# Nearly all runs were ended by their number of passes, not by the dev set: they would have
# learnt more from the same games. The longer trainings at S of the last chapter (`S-uci-1x15`
# and its like) tell how far that leads. Plain UCI with dropout is the control for types that help
# only because games are not learned by heart.

# %%
kinds = {*zip(longer["model"], longer["probability"], strict=True), ("uci", 0.0)}
kin = trained[trained["usual"] & (trained["size"] == "S") & (trained["seed"] == 1)]
kin = kin[[pair in kinds for pair in zip(kin["model"], kin["probability"], strict=True)]]
compared = pd.concat([kin, longer]).sort_values(["model", "probability", "dropout", "tokens"])
rows = {}
for run, row in compared.iterrows():
    actual = answered[run].loc[ask("end_actual").index]
    summary = results.summarise(
        actual, results.ground_of(row["model"], ground), seed=seed
    ).iloc[0]
    rows[f"{run}, {row['epochs']} passes"] = {
        "early stop": "yes" if row["stopped_early"] else "no",
        "legal, %": summary["lgm"],
        "as played, %": summary["exm"],
    }
for name, title in results.END_BASELINES.items():
    summary = grounds[name].loc[("end_actual", "long")]
    rows[title] = {
        "early stop": "-",
        "legal, %": summary["lgm"],
        "as played, %": summary["exm"],
    }
report.table(
    pd.DataFrame(rows).T,
    digits=1,
    caption=f"S, the usual passes and more; End-Actual after 51 to 100 plies. {results.MARKED}",
)

# %%
against = dict.fromkeys(kin.index[kin["model"] == "uci_rap"], "S-uci-1")
controls = longer[(longer["model"] == "uci_rap") | (longer["dropout"] > 0)]
against |= dict.fromkeys(controls.index, "S-uci-1x15")
gained = {run: compare(run, plain, "end_actual") for run, plain in against.items()}
report.table(
    pd.DataFrame({"less": against, "points": gained}),
    digits=1,
    caption=f"Legal answers less plain UCI's, after 5 and at its best pass. {results.COMPARED}",
)

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
def moves_so(piece, left, reached):
    empty = chess.Board(None)
    empty.set_piece_at(left, chess.Piece.from_symbol(piece))
    return reached in empty.attacks(left)


def end_error(row):
    if row["answer"] not in chess.SQUARE_NAMES:
        return "not a square"
    left = chess.parse_square(row["prompt"])
    reached = chess.parse_square(row["answer"])
    if not moves_so(row["piece"], left, reached):
        another = any(moves_so(piece, left, reached) for piece in "QN")
        return "wrong piece" if another else "unreachable"
    board = chess.Board(row["fen"])
    if row["piece"] != "N" and chess.between(left, reached) & board.occupied:
        return "path obstruction"
    return "own piece" if board.color_at(reached) == board.turn else "pseudo-legal"


# The two errors from f1 that the paper's section 3 explains:
for answer, kind in (("g2", "own piece"), ("h3", "path obstruction")):
    assert end_error(table3.loc["End-Actual"].to_dict() | {"answer": answer}) == kind


# %%
def start_error(row):
    if row["answer"] not in chess.SQUARE_NAMES:
        return "not a square"
    board = chess.Board(row["fen"])
    standing = board.piece_at(chess.parse_square(row["answer"]))
    if standing is None:
        return "empty square"
    if standing.color != board.turn:
        return "opponent's piece"
    return "cannot move" if standing.symbol().upper() == row["piece"] else "other type"


def count_errors(rows, tasks, kind_of):
    rows = rows[rows["task"].isin(tasks) & (rows["band"] == "long")]
    wrong = [
        row for row in rows.to_dict("records") if row["answer"] not in row["legal"].split()
    ]
    return pd.Series(map(kind_of, wrong), dtype=object).value_counts()


def mark_row(title, tasks):
    above = all(scores[title].loc[(task, "long"), "lgm"].above for task in tasks)
    return title + ("" if above else f" {results.MARK}")


# %%
tracking = ["wrong piece", "path obstruction", "own piece"]
everyone = {row["title"]: answered[row["run"]] for _, row in chosen.iterrows()} | ground
ends = pd.DataFrame(
    {
        name: count_errors(rows, probes.END_TASKS, end_error)
        for name, rows in everyone.items()
        if name not in results.START_BASELINES
    }
)
ends = ends.T.reindex(columns=["not a square", "unreachable", *tracking, "pseudo-legal"])
ends = ends.fillna(0).astype(int)
ends["all"] = ends.sum(axis=1)
ends.insert(ends.shape[1] - 1, "piece tracking", ends[tracking].sum(axis=1))
shown = ends.rename(lambda row: results.BASELINES.get(row) or mark_row(row, probes.END_TASKS))
report.table(
    shown, caption=f"Wrong ending squares of {2 * sizes.instances:,} answers. {results.MARKED}"
)

# %%
starts = (
    pd.DataFrame(
        {
            name: count_errors(everyone[name], probes.START_TASKS, start_error)
            for name in (*typed, *results.START_BASELINES)
        }
    )
    .T.fillna(0)
    .astype(int)
)
shown = starts.rename(
    lambda row: results.BASELINES.get(row) or mark_row(row, probes.START_TASKS)
)
report.table(
    shown,
    caption=f"Wrong starting squares of {2 * sizes.instances:,} answers. {results.MARKED}",
)

# %% [markdown]
# ## Early and late
#
# The paper scores prefixes of 51 to 100 plies. Earlier there are more pieces, but less has
# happened.

# %%
bands = pd.DataFrame({title: table["lgm"] for title, table in scores.items()}).T
bands.columns = [", ".join(key) for key in bands.columns]
report.table(
    pd.concat([bands, counted])[counted.columns].fillna("-"),
    digits=1,
    caption=f"Legal answers by length of prefix, %. {results.MARKED}",
)

# %% [markdown]
# ## Legal first, then good
#
# Along the size of the training set (rows of the first base; the others stand at one size or two):
# does the model learn what is legal before it learns what is
# played? For ExM the ground is random legal play (grey), since a model that knows all rules and
# nothing else would reach it. For legal answers it is counting (dotted): by where the piece came
# from for UCI and RAP, by its type for AP.

# %% tags=["hide-input"]
actual = pd.DataFrame(
    {title: table.loc[("end_actual", "long")] for title, table in scores.items()}
).T
actual = actual.set_axis(chosen.index).join(chosen[["games", "base"]])
first_base = actual[actual["base"] == results.BASES[0]]
read = chosen.groupby("games").size().index
colours = dict(zip(results.NOTATION_ROWS, report.PALETTE, strict=False))
lines = [
    {
        "y": grounds[given].loc[("end_actual", "long"), "lgm"].value,
        "linestyle": ":",
        "color": colours[model],
        "label": results.BASELINES[given],
    }
    for given, model in (("came_from", "uci"), ("type", "uci_ap"))
]

# %% mystnb={"figure": {"caption": "Legal answers (lines) and answers as played (dashed) by training games; stars are legal answers on the modern base, horizontal lines the baselines that know no history.", "name": "fig-13-legality"}, "image": {"alt": "Rising lines for each notation between horizontal baselines."}}
figure, axes = plt.subplots()
for model, rows in first_base.groupby("model"):
    for score, style in (("lgm", "o-"), ("exm", "s--")):
        axes.plot(
            rows["games"],
            [judged.value.value for judged in rows[score]],
            style,
            color=colours[model],
            label=results.NOTATION_ROWS[model] if style == "o-" else "",
        )
    rows = actual[actual["base"] != results.BASES[0]].query("model == @model")
    axes.plot(
        rows["games"],
        [judged.value.value for judged in rows["lgm"]],
        "*",
        color=colours[model],
        markersize=9,
        label=f"{results.NOTATION_ROWS[model]}, modern" if len(rows) else "",
    )
axes.axhline(draw_evenly("end_actual").value, color="grey", linewidth=1)
for line in lines:
    axes.axhline(**line)
axes.set(xscale="log", xlabel="training games", ylabel="%", ylim=(0, 102))
axes.set_xticks(read, [f"{count:,}" for count in read])
axes.xaxis.set_minor_formatter("")
axes.legend(title="legal (line), as played (dashed)", loc="upper left", bbox_to_anchor=(1, 1))
plt.show()

# %% [markdown]
# A straight line through the logarithms of illegal answers and training games says where the
# sizes trained point to. It is a description of the points, not a forecast, and is drawn only
# where a notation beats its baseline at two sizes or more.

# %%
goal = printed6.loc["L UCI", "LgM Actual Acc."]
fitted = {}
needed = {}
for model, rows in first_base[[judged.above for judged in first_base["lgm"]]].groupby("model"):
    errors = 100 - np.array([judged.value.value for judged in rows["lgm"]])
    if len(rows) > 1 and errors.min() > 0:
        fitted[model] = np.polyfit(np.log(rows["games"].astype(float)), np.log(errors), 1)
    needed[model] = len(rows)

# %%
shown = {
    title: {
        "sizes above the baseline": needed.get(model, 0),
        "exponent": "-",
        "at 200,000": "-",
    }
    for model, title in results.NOTATION_ROWS.items()
}
for model, line in fitted.items():
    shown[results.NOTATION_ROWS[model]] |= {
        "exponent": line[0],
        "at 200,000": np.exp(np.polyval(line, np.log(200_000))),
    }
report.table(
    pd.DataFrame(shown).T,
    caption=f"Illegal answers along the games, %; the paper's UCI at 200,000: {100 - goal:.1f}",
)

# %% [markdown]
# ## Recap
#
# - The four questions of Table 3 have the paper's answers: {glue:text}`agree` of 4.
# - More often legal than counting, of the {glue:text}`n_models` models of Table 6, after 51 to 100
#   plies: {glue:text}`above`; after 5 to 50 plies: {glue:text}`above_short`.
# - {glue:text}`result` In the paper plain UCI comes to {glue:text}`paper_uci_L` %, with other games
#   and four times as many, a larger model and a longer training (chapter 12).
# - {glue:text}`types_say` In the paper RAP comes to {glue:text}`paper_start_L` %.
# - Do piece types in training help? {glue:text}`helped` By moves as played: {glue:text}`exact`
# - Do they with more passes over S? {glue:text}`gained`
# - Fewer games, weaker models: of plain UCI, the legal endings are {glue:text}`by_block`.
# - What kind of errors? {glue:text}`errors`
# - Drawing evenly among legal squares hits the move played in {glue:text}`random_end:.1f` %.
# - The committed models answer first what they answered then in {glue:text}`same:.2%` of the
#   questions.

# %% tags=["hide-input"]
long_end = ("end_actual", "long")
long_start = ("start_actual", "long")


def best_of(model, key):
    """Title and legal answers of the row that is most often legal, of one notation."""
    rows = chosen[chosen.index.get_level_values("model") == model]
    title = max(rows["title"], key=lambda title: scores[title].loc[key, "lgm"].value.value)
    return title, scores[title].loc[key, "lgm"]


plain_title, plain_legal = best_of("uci", long_end)
sentences = {
    f"A model that has read only moves ({plain_title}) names a legal square in "
    f"{plain_legal:.1f} % of the questions after 51 to 100 plies.": [plain_legal]
}
report.paste(
    result=results.only_if_above(
        sentences,
        f"No model of plain UCI beats counting; the best, {plain_title}, names a legal square in "
        f"{plain_legal:.1f} % of the questions after 51 to 100 plies.",
    ),
    by_block=", ".join(
        f"{actual.loc[(block, 'uci'), 'lgm']:.1f} % at {block}"
        for block in blocks
        if (block, "uci") in actual.index
    ),
    paper_uci_L=f"{printed6.loc['L UCI', 'LgM Actual Acc.']:.1f}",
    paper_start_L=reference.lookup(
        "state_tracking", "table5", "L UCI + RAP", "LgM Actual Acc."
    ).printed,
)
sentences = {}
for model, told in (("uci_rap", "before some moves"), ("uci_ap", "before every move")):
    title, found = best_of(model, long_start)
    apart = beyond_last[title]["start_actual"].value.difference
    if apart.low > 0:
        sentences[
            f"Asked where a type of piece stands, one that was shown types {told} ({title}) is "
            f"right in {found:.1f} %, {apart:+.1f} points beside where such a piece went last."
        ] = [found]
report.paste(
    types_say=results.only_if_above(
        sentences,
        "Asked where a type of piece stands, no model does better than who looks where such a "
        "piece went last.",
    )
)

# %% tags=["hide-input"]
for name, table in grounds.items():
    task = "end_actual" if name in results.END_BASELINES else "start_actual"
    report.paste(**{f"count_{name}": f"{table.loc[(task, 'long'), 'lgm']:.1f}"})
better = {
    band: [
        title for title, table in scores.items() if table.loc[("end_actual", band), "lgm"].above
    ]
    for band in probes.BANDS
}
report.paste(
    n_models=len(scores),
    above=results.enumerate_names(better["long"]),
    above_short=results.enumerate_names(better["short"]),
    counted=f"{sizes.counted:,}",
)

# %% tags=["hide-input"]
open_question = "It cannot be told from these trainings: {} beats counting."
sentences = {
    f"At {block}, {results.NOTATION_ROWS[model]} changes plain UCI's legal answers by "
    f"{row['ours']:+.1f} points; in the paper by {row['paper']:+.1f}.": [row["ours"]]
    for (block, model, task), row in helped.items()
    if task == "end_actual"
}
report.paste(
    helped=results.only_if_above(
        sentences, open_question.format("at no size either of the two")
    )
)
sentences = {
    f"{run} is as played {row['ours']:+.1f} points more often than {plain}.": [row["ours"]]
    for (run, plain), row in exact.items()
}
report.paste(
    exact=results.only_if_above(sentences, open_question.format("of no pair either of the two"))
)
sentences = {
    f"{run} has {paired:+.1f} points more than plain UCI.": [paired]
    for run, paired in gained.items()
}
report.paste(
    gained=results.only_if_above(
        sentences, open_question.format("neither a run for longer nor plain UCI")
    )
)

# %% tags=["hide-input"]
wrong = 100 * ends["wrong piece"] / ends["all"].clip(lower=1)
sentences = {}
for title, table in scores.items():
    name = "type" if title.endswith("AP") and "RAP" not in title else "came_from"
    sentence = (
        f"Of the wrong ending squares of {title} {wrong[title]:.0f} % are where only "
        f"another piece could go, of its baseline's {wrong[name]:.0f} %."
    )
    sentences[sentence] = [table.loc[(task, "long"), "lgm"] for task in probes.END_TASKS]
report.paste(
    errors=results.only_if_above(sentences, "No model beats counting."),
    agree=agree,
    random_end=draw_evenly("end_actual").value,
    same=float(again["same first"].mean()),
)

# %% tags=["hide-input"]
cell = {
    (cell.table, cell.row, cell.column): cell
    for cell in reference.load("state_tracking")
    if "contradiction" not in cell.flags
}
columns = {
    (f"{kind}_{task}", score): (table, column)
    for kind, table in (("start", "table5"), ("end", "table6"))
    for part in results.PROBE_PARTS.values()
    for column, (task, score) in part.items()
}
values = {}
published = {}
baselines = {}
for (block, model), row in chosen.iterrows():
    for (task, band), scored in scores[row["title"]].iterrows():
        for score, judged in scored.dropna().items():
            key = (task if band == "long" else f"{task}_short", score, block, model)
            values[key] = judged.value
            table, column = columns.get((task, score), ("", ""))
            if band == "long" and (table, row["paper"], column) in cell:
                published[key] = cell[table, row["paper"], column]
for name, table in grounds.items():
    for (task, band), scored in table.iterrows():
        for score, value in scored.dropna().items():
            kind = "counts" if score == "lgm" else f"counts_{score}"
            baselines[kind, task if band == "long" else f"{task}_short", name] = value

# %% tags=["hide-input"]
counted_errors = ends.set_axis(
    [
        *(f"{block.replace(' ', '_')}.{model}" for block, model in chosen.index),
        *(f"baseline.{name}" for name in results.END_BASELINES),
    ]
)
counted_errors.columns = counted_errors.columns.str.replace("[ -]", "_", regex=True)
chances = {
    f"table{number}.random_legal": report.rows(
        draw_evenly(task),
        f"table{number}.random_legal",
        unit="%",
        reference=cell[f"table{number}", "Random Legal", "ExM Acc."],
    )
    for number, task in ((5, "start_actual"), (6, "end_actual"))
}
n_rows = {"table5": len(typed), "table6": len(scores)}
differences = {run.replace("-", "_"): paired.value.difference for run, paired in gained.items()}
report.save(
    "13_board_probes",
    *(
        report.rows(
            {key[1:]: value for key, value in values.items() if key[0] == where},
            where,
            unit="%",
            reference={key[1:]: value for key, value in published.items() if key[0] == where},
        )
        for where in dict.fromkeys(key[0] for key in values)
    ),
    report.rows(baselines, "baseline", unit="%"),
    report.rows(
        report.Result(len(better["long"]), n=len(scores), unit="models of Table 6"),
        "baseline.counts.beaten",
    ),
    *chances.values(),
    {"random_legal.exm": chances["table6.random_legal"]["table6.random_legal"]},
    *(report.rows(count, f"{table}.rows", unit="models") for table, count in n_rows.items()),
    report.rows(report.Result(agree, n=4, unit="rows"), "table3.agree"),
    report.rows(
        {
            (task, block): row["ours"].value.difference
            for (block, model, task), row in helped.items()
            if model == "uci_rap"
        },
        "rap_gain",
        unit="points",
    ),
    report.rows(
        {
            (task, block): row["ours"].value.difference
            for (block, model, task), row in helped.items()
            if model == "uci_ap"
        },
        "ap_gain",
        unit="points",
    ),
    report.rows(
        {
            (run.replace("-", "_"), plain.replace("-", "_")): row["ours"].value.difference
            for (run, plain), row in exact.items()
        },
        "exact_less",
        unit="points",
    ),
    report.rows(
        {
            (task, *chosen.index[chosen["title"] == title][0]): apart.value.difference
            for title, row in beyond_last.items()
            for task, apart in row.items()
        },
        "less_last",
        unit="points",
    ),
    report.rows(
        counted_errors.T.map(
            lambda value: report.Result(int(value), n=2 * sizes.instances, unit="answers")
        ),
        "errors",
    ),
    report.rows(differences, "less_uci.end_actual", unit="points"),
    report.rows(
        {
            model: report.Result(float(line[0]), n=needed[model], unit="power")
            for model, line in fitted.items()
        },
        "trend.exponent",
    ),
)

# %% tags=["hide-input"]
report.evidence(
    len(questions),
    "questions",
    seed,
    clusters=questions["game"].nunique(),
    interval="95 % bootstrap over games",
    versions={"models": f"{len(outcomes)} runs, {len(models)} of them answering live"},
)

# %% [markdown]
# ## Exercises
#
# The first and the last exercise ask the `example` model the same fifty long questions.

# %%
fifty = ask("end_actual").head(50)
own_model, own_training = models[example]
legal_squares = [
    [chess.parse_square(name) for name in squares.split()] for squares in fifty["legal"]
]
print(
    f"{len(fifty)} questions, {np.mean([len(each) for each in legal_squares]):.1f} legal squares each"
)

# %% [markdown]
# **1. Mass, not the first answer.** A legal first answer says little of the rest. How much of
# its probability does the `example` model give to legal squares, on average over fifty long
# questions, and how does that compare with the share whose first answer is legal?

# %% tags=["solution", "hide-cell"]
# Probability on legal squares beside legal first answers.
logs = probes.predict(own_model, fifty, own_training.reading)
of_square = np.exp(logs[:, first_square : first_square + 64])
mass = [row[squares].sum() for row, squares in zip(of_square, legal_squares, strict=True)]
first_legal = [
    row.argmax() in squares for row, squares in zip(of_square, legal_squares, strict=True)
]
mass_and_first = {
    "probability on legal squares": float(np.mean(mass)),
    "first answer legal": float(np.mean(first_legal)),
}
report.sheet(example, mass_and_first)

# %% tags=["check", "remove-cell"]
report.check(
    "`probes.predict` returns logarithms over all tokens; the 64 squares begin at "
    "`first_square`. Sum the probabilities of `legal_squares`, question by question: two "
    "means.",
    mass_and_first=mass_and_first,
)

# %% [markdown]
# **2. A baseline that knows the piece.** Answer each question by lot among the squares that the
# piece could reach on an empty board (`moves_so`). How often is that legal, and what does the
# difference to the model tell?


# %% tags=["solution", "hide-cell"]
# By lot among the squares that the piece reaches on an empty board.
def legal_by_lot(row):
    start_square = chess.parse_square(row.prompt)
    near = [
        square
        for square in chess.SQUARES
        if square != start_square and moves_so(row.piece, start_square, square)
    ]
    return np.mean([chess.square_name(square) in row.legal.split() for square in near])


questions_here = ask("end_actual").query("piece != 'P'").head(200)
by_reach = float(np.mean([legal_by_lot(row) for row in questions_here.itertuples()]))
report.sheet("legal, pawns left out", {"by lot among reachable squares": by_reach})

# %% tags=["check", "remove-cell"]
report.check(
    "The first 200 questions on pieces that are no pawns; for each the legal squares over "
    "all that `moves_so` lets the piece reach, its own square left out.",
    by_reach=by_reach,
)

# %% [markdown]
# **3. Break the history.** Give the model each question with the moves of another question
# before it. If it followed the board, what should happen to the legal share?

# %% tags=["solution", "hide-cell"]
# The same prompts after other games' moves.
mixed = fifty.assign(prefix=np.roll(fifty["prefix"].to_numpy(), 1))
legal_after = {}
for name, rows in (("own moves", fifty), ("another game's moves", mixed)):
    said = np.exp(probes.predict(own_model, rows, own_training.reading))[:, first_square:][
        :, :64
    ]
    legal_after[name] = float(
        np.mean(
            [row.argmax() in squares for row, squares in zip(said, legal_squares, strict=True)]
        )
    )
report.sheet("first answer legal", legal_after)

# %% tags=["check", "remove-cell"]
report.check(
    "Move the column `prefix` on by one question and leave prompt and legal squares as "
    "they are; two shares, and the second the smaller.",
    legal_after=legal_after,
)
