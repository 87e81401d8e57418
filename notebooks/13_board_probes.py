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
# {glue:md}`result`
#
# ```{glue:figure} pieces
# :name: fig-13-pieces
# :alt: One row a piece; the model is near 100 per cent for knights and lowest for kings.
# Legal answers of plain UCI about the piece that is moved next, after 51 to 100 plies, by the piece: the
# model of most games with 95 % intervals, and counts of where a piece goes from that square, by where it
# came from (square) and by its type.
# ```
#
# {glue:text}`pieces_say` {glue:text}`few_say` {glue:text}`types_say` {glue:text}`kinds_say`

# %% tags=["parameters", "hide-input"] mystnb={"code_prompt_show": "Parameters: the question and the model that answers"}
profile = "book"
seed = 1
moves = "e2e4 e7e5 g1f3 b8c6 d2d4 h7h6"
following = "f1b5"
example = "L-uci-1"
question_number = 0

# %% tags=["hide-input"] mystnb={"code_prompt_show": "Imports, and the questions"}
import chess
import chess.svg
import matplotlib.pyplot as plt
import numpy as np
import pandas as pd
import torch
from IPython.display import Markdown
from myst_nb import glue
from chessgloss import report, stats
from chessgloss.book import reference
from chessgloss.book.profiles import load_sizes
from chessgloss.positions import Position, read_move
from chessgloss.tracking import probes, results, runs
from chessgloss.tracking.games import VOCABULARY, read_corpus
from chessgloss.tracking.models import continue_games

sizes = load_sizes("13_board_probes", profile)
report.use_house_style()
by_task = ["task", "band"]
questions = probes.read_probes().groupby(by_task, sort=False).head(sizes.instances)


def ask(task, band="long"):
    return questions[(questions["task"] == task) & (questions["band"] == band)]


# %% tags=["hide-input"] mystnb={"code_prompt_show": "Count, and score the counts"}
games = read_corpus()
trained_on = games.of("L")


def count(n_games, asked):
    counted_moves = results.list_moves(games.games, trained_on[:n_games])
    return results.score_baselines(counted_moves, asked)


ground = count(sizes.counted, questions)
grounds = {name: results.summarise(rows, seed=seed) for name, rows in ground.items()}
fewer = count(sizes.counted_fewer, ask("end_actual"))
counted = pd.DataFrame(
    {results.BASELINES[name]: scores["lgm"] for name, scores in grounds.items()}
).T
fewer_games = {
    results.BASELINES[name]: results.summarise(rows, seed=seed).iloc[0]["lgm"]
    for name, rows in fewer.items()
}


def one_line(frame):
    """The names of rows without breaks, so that a row is a line."""
    return frame.rename(lambda name: name.replace(" ", "\N{NO-BREAK SPACE}"))


# %% tags=["hide-input"] mystnb={"code_prompt_show": "Read the answers of all trainings"}
trained = runs.read_runs()
models = {name: runs.read_model(name) for name in runs.trained_checkpoints()}
chosen = results.headline(trained, results.NOTATION_ROWS)
seeds = {
    place: {trained.loc[run, "seed"]: run for run in results.other_seeds(trained, first)}
    for place, first in chosen["run"].items()
}
alone = {"XS UCI": "XS-uci-1", "Paper's model": "15000-paper_uci-1"}
beside_paper = {"Paper's model": "S UCI"}
KINDS = {"selfplay": "engine", "random": "random", "people": "people's"}
kinds = {
    "selfplay": "36000-uci-1",
    "random": "36000-random_uci-1",
    "people": "36000-people_uci-1",
}
everyone = [run for by_seed in seeds.values() for run in by_seed.values()]
everyone += [*alone.values(), *kinds.values()]
answered = {run: results.score_run(run, questions) for run in dict.fromkeys(everyone)}

# %% tags=["hide-input"] mystnb={"code_prompt_show": "Legal answers by piece, and in check"}
PIECES = {"N": "knight", "B": "bishop", "R": "rook", "Q": "queen", "K": "king"}
last_size = results.SIZES[-1]
in_check = ask("end_actual")["fen"].map(lambda fen: chess.Board(fen).is_check())


def by_piece(rows):
    """Legal answers to the long questions by piece, and by whether the king stands in check."""
    rows = rows.loc[in_check.index].assign(
        check=in_check.map({True: "in check", False: "not in check"})
    )
    parts = [
        stats.means_by(rows, key, "lgm", cluster="game", seed=seed)
        for key in ("piece", "check")
    ]
    return pd.concat(parts).map(lambda share: share.in_percent()).rename(index=PIECES)


of_pieces = {
    f"{size} UCI": by_piece(answered[run])
    for (size, model), run in chosen["run"].items()
    if model == "uci"
}
of_pieces = dict(reversed(of_pieces.items()))
of_pieces |= {
    "counts by square": by_piece(ground["came_from"]),
    "counts by type": by_piece(ground["type"]),
}
known = [
    name
    for name in (*PIECES.values(), "not in check", "in check")
    if name in of_pieces[f"{last_size} UCI"]
]
men = [name for name in known if name in PIECES.values()]
figure, axes = plt.subplots(figsize=(6.4, 2.3))
shares = of_pieces[f"{last_size} UCI"][men]
reach = np.array([(each.value - each.low, each.high - each.value) for each in shares]).T
axes.errorbar(
    [each.value for each in shares],
    men,
    xerr=reach,
    fmt="o",
    capsize=3,
    label=f"{last_size} UCI",
)
for (name, each), marker in zip(list(of_pieces.items())[-2:], "x+", strict=True):
    axes.plot([share.value for share in each[men]], men, marker, color="0.4", label=name)
axes.invert_yaxis()
axes.set(xlabel="legal answers, %", xlim=(None, 101))
axes.legend(loc="upper left", bbox_to_anchor=(1, 1))
glue("pieces", figure, display=False)
plt.close(figure)

# %% [markdown]
# Others report how often a model's whole move is legal, at every ply of a game. The weights of two
# models are kept; they continue {glue:text}`every_games` test games, ply by ply, with their likeliest
# tokens. Who answers each move as it was answered most often in training is legal in
# {glue:text}`by_reply` %.

# %% tags=["hide-input"] mystnb={"code_prompt_show": "Continue each game at every ply"}
test_games = games.of("test")[: sizes.every_ply]
played_in = [(game, games.games.ucis(game)) for game in test_games]
prefixes = [(game, moves[:ply]) for game, moves in played_in for ply in range(len(moves))]
legal_moves = []
for _, ucis in played_in:
    going = chess.Board()
    for uci in ucis:
        legal_moves.append({move.uci() for move in going.legal_moves})
        going.push_uci(uci)


def legal_share(answers):
    legal = [answer in allowed for answer, allowed in zip(answers, legal_moves, strict=True)]
    return stats.mean_interval(legal, [game for game, _ in prefixes], seed=seed).in_percent()


every_ply = {
    f"{run[0]} UCI": legal_share(
        continue_games(models[run][0], "uci", [moves for _, moves in prefixes])
    )
    for run in ("L-uci-1", "S-uci-1")
}

# %% tags=["hide-input"] mystnb={"code_prompt_show": "The commonest answer to each move, and the table"}
squares_of = games.games.moves[:, :2].astype(np.int64) - VOCABULARY.index("a1")
codes = squares_of @ [64, 1]
learned = games.of("L")[: sizes.counted]
before, then = (
    np.concatenate(
        [
            codes[games.games.starts[game] + cut : games.games.starts[game + 1] - 1 + cut]
            for game in learned
        ]
    )
    for cut in (0, 1)
)
replies = pd.Series(then).groupby(before).agg(lambda answers: np.bincount(answers).argmax())
opening = np.bincount(codes[games.games.starts[learned]]).argmax()


def written(code):
    return chess.SQUARE_NAMES[code // 64] + chess.SQUARE_NAMES[code % 64]


asked_after = [
    chess.parse_square(moves[-1][:2]) * 64 + chess.parse_square(moves[-1][2:4]) if moves else -1
    for _, moves in prefixes
]
by_reply = legal_share([written(replies.get(code, opening)) for code in asked_after])
first_table = pd.DataFrame({name: each.reindex(known) for name, each in of_pieces.items()})
first_table.loc["every ply"] = pd.Series(every_ply)
for name in (
    "counts by square",
    "counts by type",
):  # their intervals are as wide as the models'
    first_table[name] = first_table[name].map(lambda share: share.value, na_action="ignore")
n_questions = ask("end_actual")["piece"].map(PIECES).value_counts().to_dict()
n_questions |= {"in check": in_check.sum(), "not in check": (~in_check).sum()}
n_questions |= {"every ply": len(prefixes)}
counted_names = {name: f"{name}, {n_questions[name]:,}" for name in first_table.index}
report.paste(every_games=len(test_games), by_reply=f"{by_reply:.1f}")
report.table(
    one_line(first_table.astype(object).fillna("-").rename(counted_names)),
    digits=1,
    caption="Legal answers by piece, %, and the number of questions",
)

# %% [markdown]
# ## One question, step by step
#
# Where can the piece on a square go? The model does not see the board; it has read the moves that led
# there. It is asked without any new machinery
# {cite}`toshniwal2022chess`: it is given these moves and one token more, and its next token is an
# answer. After a square it must say where the piece there can go; after a piece type, where such a
# piece stands. The rules decide what is right.

# %% tags=["hide-input"] mystnb={"code_prompt_show": "Take a question"}
question = ask("end_actual").iloc[question_number]
board = chess.Board()
for uci in question["prefix"].split():
    board.push_uci(uci)
played = chess.Move.from_uci(question["prompt"] + question["exact"])
start = played.from_square
legal = {move.to_square for move in board.legal_moves if move.from_square == start}
drawing = chess.svg.board(
    board, size=260, fill={start: "#E69F00"}, squares=chess.SquareSet(legal)
)
question_board = report.Html(drawing, board.fen())

# %% [markdown]
# The questions keep the paper's rules. A game that no model has trained on is cut after 51 to 100
# plies (moves of one side), at a beginning that no training game has. The piece that is moved next
# in the game gives the *Actual* question, another piece that could move the *Other*; pawns and
# castling are left out. We add a second band of 5 to 50 plies.[^plies]
#
# [^plies]: The paper counts prefixes in moves. Plies must be meant: 150 full moves would not fit
#     its window of 512 tokens.
#
# The prefix is written as tokens, and the square that is asked about is its last token: the
# prompt. What the model gives to each of its 77 tokens to come next is its answer.

# %%
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
# Left the question, right the 64 tokens of squares, laid on the board: the darker, the likelier.
# Crosses are legal, the arrow is the likeliest square.

# %% tags=["hide-input"] mystnb={"code_prompt_show": "Draw the answer on the board"}
first_square = VOCABULARY.index("a1")
on_squares = probability[first_square : first_square + 64]  # a1, b1, ..., h8
shade = {
    square: f"#0072B2{round(255 * share**0.5):02x}"
    for square, share in enumerate(on_squares / on_squares.max())
}
drawing = chess.svg.board(
    board,
    size=260,
    fill=shade,
    squares=chess.SquareSet(legal),
    arrows=[chess.svg.Arrow(start, int(on_squares.argmax()), color="#D55E00c0")],
    colors={"square light": "#ffffff", "square dark": "#f0f0f0"},
)
report.boards(
    question_board, report.Html(drawing, " ".join(f"{share:.3f}" for share in on_squares))
)

# %% [markdown]
# The paper's three scores look at the ranking of the tokens. *LgM accuracy*: is the first one
# legal? *R-precision*: of the first R, how many are, where R squares are legal? *ExM accuracy*: is
# the first one the move that was played?

# %% tags=["hide-input"] mystnb={"code_prompt_show": "Score the answer"}
ranking = [VOCABULARY[token] for token in np.argsort(-probability)]
right = {chess.square_name(square) for square in legal}
scored = {
    "lgm": float(ranking[0] in right),
    "rprec": len(right.intersection(ranking[: len(right)])) / len(right),
    "exm": float(ranking[0] == chess.square_name(played.to_square)),
}
print("first:", *ranking[:5], " legal:", *sorted(right), " played:", question["exact"])
print(scored)
print(f"an even draw among 64 squares gives the legal ones {len(legal) / 64:.1%}")

# %% [markdown]
# Set another `question_number` (0 to {glue:text}`last_question`) or `example` (`S-uci-1`) above.

# %% tags=["hide-cell"] mystnb={"code_prompt_show": "The library's answer to this question is the same"}
library_answer = probes.predict(model, question.to_frame().T, training.reading)  # logarithms
assert np.allclose(library_answer[0], np.log(probability), atol=1e-2)
assert set(question["legal"].split()) == right
library_scores = probes.score_answers(question.to_frame().T, library_answer).iloc[0]
assert all(np.isclose(library_scores[name], score) for name, score in scored.items())
report.paste(last_question=len(ask("end_actual")) - 1)
print(
    f"(n_tasks, n_bands, n_instances) = {len(probes.TASKS), len(probes.BANDS), sizes.instances}"
)

# %% [markdown]
# ## Four questions about one position
#
# The paper's own example, the left board of its Figure 1b, with the move that the game goes on
# with. The other pieces are drawn until they are those that the paper asks about; the answers are
# worked out here.

# %% tags=["hide-cell"] mystnb={"code_prompt_show": "Table 3: the four questions, and what the model answers"}
random = np.random.default_rng(seed)
prompts = ["f1", "f3", "B", "N"]
table3 = []
while [asking["prompt"] for asking in table3] != prompts:
    table3 = probes.ask(moves.split(), following, "short", "Figure 1", random)
table3 = pd.DataFrame(table3)
table3.index = table3["task"].str.replace("_", "-").str.title()
printed3 = reference.table("state_tracking", "table3")["Correct Answers (LgM)"]
agree = sum(
    set(printed3[title].strip("{}").split(", ")) == set(squares.split())
    for title, squares in table3["legal"].items()
)
shown = table3[["prompt", "exact", "legal"]].rename(columns={"exact": "ExM", "legal": "LgM"})
answers3 = probes.predict(model, table3, training.reading)
shown[f"{example} answers"] = [
    " ".join(
        f"{VOCABULARY[token]} {np.exp(answer[token]):.0%}" for token in np.argsort(-answer)[:3]
    )
    if training.notation != "uci" or task in probes.END_TASKS
    else "has read no types"
    for task, answer in zip(table3["task"], answers3, strict=True)
]
drawing = report.board(read_move(Position.after(moves.split()), following), size=220)
shown = shown.rename(lambda title: title.replace("-", "\N{NON-BREAKING HYPHEN}"))
report.boards(drawing, report.table(shown.rename_axis(None), caption="Table 3"))

# %% [markdown]
# ## The questions without a model
#
# What can be answered by counting the moves of {glue:text}`counted` training games? For where a
# piece can go: where moves from its square went most often; the same of pieces that had come there
# from the same square; the same of pieces of its type. For where a type stands: which squares such
# pieces of the side to move leave most often, and, for those who are told the types of all moves,
# where such a piece went last. For the long prefixes only moves after 40 plies or more are
# counted. None of this follows a game.
#
# A model that is told types (AP) is measured by what types give, all others by counts without
# them. A number *beats* its baseline if the 95 % interval of the difference on the same questions
# lies above 0; what is *as played* (ExM) has to beat an even draw among the right squares too.
# A number that does not bears a †, and nothing more is concluded from it.


# %% tags=["hide-cell"] mystnb={"code_prompt_show": "What counts come to"}
def show_counts(tasks, names, caption):
    shown = counted.loc[[results.BASELINES[name] for name in names]]
    columns = {task.replace("_", "-").title(): shown[task, "long"] for task in tasks}
    if tasks == probes.END_TASKS:
        columns[f"End-Actual, {sizes.counted_fewer:,} games"] = pd.Series(fewer_games)
    return report.table(one_line(pd.DataFrame(columns)), digits=1, caption=caption)


legal_counts = f"Legal answers of counts over {sizes.counted:,} games, 51 to 100 plies, %"
report.boards(
    show_counts(probes.END_TASKS, results.END_BASELINES, legal_counts),
    show_counts(probes.START_TASKS, results.START_BASELINES, ""),
)

# %% [markdown]
# ## Where do the pieces stand?
#
# The models are those of chapter 12: 1.3 million parameters, trained on S = 12,500, M = 25,000 or
# L = 50,000 engine games (the paper's: 15,000, 50,000 and 200,000 games of people). *UCI* writes a
# move as two squares; *AP* puts the type of the piece before every move, *RAP 15* before 15 % of
# the moves, and only in training.[^device] Every run answered all questions when its training
# ended. The models whose weights are in the repository answer the first questions again here, and
# say first what they said then in {glue:text}`same` % of them.
#
# [^device]: Most were trained on a GPU (NVIDIA H100, numbers of 16 bits), some on a processor; the
#     record of each run names its device.

# %% tags=["hide-input"] mystnb={"code_prompt_show": "Ask the committed models again"}
again = []
for run, (live_model, training) in models.items():
    for task in probes.END_TASKS:
        few_of_them = ask(task)[: sizes.live]
        said = probes.predict(live_model, few_of_them, training.reading)
        live_answers = probes.score_answers(few_of_them, said)["answer"]
        again.append((live_answers == answered[run].loc[few_of_them.index, "answer"]).mean())
report.paste(same=f"{100 * np.mean(again):.1f}")

# %% [markdown]
# Table 5: the prompt is a piece type, so only models that have seen types can be asked. The model
# trained with RAP reads a game without types; the harder baseline, where the type went last, reads
# all of them. *Beyond last* is what a model's answers to the Actual questions have beyond it, in
# points.

# %% tags=["hide-input"] mystnb={"code_prompt_show": "Score the answers, lay out Tables 5 and 6"}
runs_of_rows = dict(zip(chosen["title"], chosen["run"], strict=True)) | alone


def ground_of(run):
    return results.ground_of(trained.loc[run, "model"], ground)


second = results.second_of(ground)
scores = {
    title: results.summarise(answered[run], ground_of(run), second, seed=seed)
    for title, run in runs_of_rows.items()
}


def draw_evenly(task):
    rows = ask(task)
    shares = results.chance_of_exact(rows)
    return stats.mean_interval(100 * shares, rows["game"], seed=seed)


def without_interval(cell):
    """A judged score without its interval, for a narrow column."""
    if isinstance(cell, results.Judged):
        return f"{cell.value.value:.1f} {cell.mark}".rstrip()
    return cell.value if isinstance(cell, stats.Interval) else cell


def one_line_of_models(frame):
    """The same for a wide table, where the names of counts may break."""
    models_only = {name: name.replace(" ", "\N{NO-BREAK SPACE}") for name in runs_of_rows}
    return frame.rename(models_only)


def lay_out(number, kind, titles, counts):
    """The two halves of a table of the paper: legal answers, and how all squares are ranked."""
    printed = reference.table("state_tracking", f"table{number}")
    rows = {title: scores[title] for title in titles}
    rows |= {results.BASELINES[name]: grounds[name] for name in counts}
    legal_part, precise_part, exact_part = (
        results.probe_table(rows, kind, part, printed, beside_paper)
        for part in results.PROBE_PARTS.values()
    )
    exact_part.loc["Random Legal", "Actual"] = draw_evenly(f"{kind}_actual")
    precise_part = precise_part.map(without_interval).add_prefix("R-prec. ")
    ranked = precise_part.join(exact_part.add_prefix("ExM "))
    return legal_part.drop(index="Random Legal"), ranked


def show_legal(number, kind, part):
    caption = f"Table {number}: {kind}ing squares, legal answers (LgM accuracy), %"
    marked = {
        "end": results.MARKED_TWICE,
        "start": f"{results.MARK} not above counts of the type, {results.SECOND_MARK} not above where it went last",
    }
    return report.table(one_line(part), digits=1, caption=f"{caption}. {marked[kind]}")


def show_ranked(number, kind, part):
    caption = f"Table {number}: R-precision of legal answers, and as played (ExM accuracy), %"
    return report.table(one_line_of_models(part), digits=1, caption=caption)


typed = [title for title in scores if title.endswith("AP")]
beyond_last = {
    title: {
        task: results.compare_answers(
            [
                answered[runs_of_rows[title]].loc[ask(task).index],
                ground["last"].loc[ask(task).index],
            ],
            [ground_of(runs_of_rows[title])] * 2,
            seed=seed,
        ).value.difference
        for task in probes.START_TASKS
    }
    for title in typed
}


def beside_type(run, task="end_actual"):
    """Legal endings of a run less those of counting by type, in points."""
    rows = answered[run].loc[ask(task).index]
    known_by_type = ground["type"]["lgm"].loc[rows.index]
    return stats.paired_difference(
        rows["lgm"], known_by_type, rows["game"], seed=seed
    ).in_percent()


less_type = {
    title: {task: beside_type(run, task) for task in probes.END_TASKS}
    for title, run in runs_of_rows.items()
}
legal_starts, ranked_starts = lay_out(5, "start", typed, results.START_BASELINES)
beyond = pd.DataFrame(beyond_last).T
legal_starts["beyond last"] = beyond["start_actual"].reindex(legal_starts.index)
show_legal(5, "start", legal_starts)

# %% tags=["hide-cell"] mystnb={"code_prompt_show": "The other columns of Table 5, and the other question less where the type went last"}
report.boards(
    show_ranked(5, "start", ranked_starts),
    report.table(
        one_line(beyond).rename(columns=lambda task: task.split("_")[1].title()),
        digits=1,
        caption="Legal starting squares, less where the type went last, points",
    ),
)

# %% [markdown]
# ## Where can they go?
#
# Table 6: the prompt is the square of a piece; *beyond type* is what a model has beyond counting by
# type on the same questions, in points. {glue:text}`second_say` The *paper's model* is the paper's own
# in shape and recipe, 85 million parameters, trained on the first 15,000 of our games: the most faithful
# row of these chapters. Our RAP shows 15 % of the types, where the paper's S and M show 25.
# {glue:text}`other_say`

# %% tags=["hide-input"] mystnb={"code_prompt_show": "Lay out Table 6"}
legal_ends, ranked_ends = lay_out(6, "end", list(scores), results.END_BASELINES)
beyond_type = pd.Series({title: apart["end_actual"] for title, apart in less_type.items()})
legal_ends["beyond type"] = beyond_type.reindex(legal_ends.index)
legal_ends = legal_ends.drop(columns="Other, paper")
show_legal(6, "end", legal_ends)

# %% tags=["hide-cell"] mystnb={"code_prompt_show": "The other columns of Table 6: R-precision, and as played"}
show_ranked(6, "end", ranked_ends)

# %% [markdown]
# ## More games, or more reading?
#
# L has more games than S, and has read more tokens. Here four trainings with one seed: the few games
# read twice as often, the many half as often.

# %%
READ = {  # games and passes
    ("S", 6): "S-uci-1",
    ("L", 1.5): "L-half_uci-1",
    ("S", 12): "S-uci-1x12",
    ("L", 3): "L-uci-1",
}
long_ends = ask("end_actual")
of_reading = {key: results.score_run(run, long_ends) for key, run in READ.items()}
losses_of_reading = {key: results.read_losses(run) for key, run in READ.items()}
report.table(
    pd.DataFrame(
        {
            f"{trained.loc[run, 'games']:,} games, {passes} passes": {
                "million tokens": f"{trained.loc[run, 'tokens'] / 1e6:.1f}",
                "perplexity": results.perplexity_of(losses_of_reading[size, passes], seed=seed),
                "legal, %": results.summarise(
                    of_reading[size, passes], ground["came_from"], second, seed=seed
                ).iloc[0]["lgm"],
            }
            for (size, passes), run in READ.items()
        }
    ).T,
    digits=1,
    caption=f"Games or tokens, plain UCI. {results.MARKED_TWICE}",
)

# %% tags=["hide-input"] mystnb={"code_prompt_show": "Many games less few, at equal tokens"}
EQUAL = {  # by the size that is not read as usual: many games, few games, as many tokens
    "S": (("L", 3), ("S", 12)),
    "L": (("L", 1.5), ("S", 6)),
}
equal_tokens = {}
for size, pair in EQUAL.items():
    many, few = (of_reading[key]["lgm"] for key in pair)
    apart = stats.paired_difference(many, few, long_ends["game"], seed=seed).in_percent()
    change = results.change_of_perplexity(*map(losses_of_reading.get, pair), seed=seed)
    equal_tokens[size] = apart, change

# %% [markdown]
# {glue:text}`games_say`
#
# ## Does showing the type help?
#
# The paper finds that it does, and most where games are few. Perplexity is a poor yardstick for
# notations, since another seed changes it about as much (chapter 12). We take how often the first
# answer is the move that was played (ExM), and beside it the legal answers. Each training with
# types is compared with that of the same seed without, which began with the same weights. In these
# chapters a difference is *clear* if {glue:text}`clear_means`. A model that reads types reads more: AP's
# games have half as many tokens again, on as many passes. {glue:text}`notations_say`


# %% tags=["hide-input"] mystnb={"code_prompt_show": "Compare trainings of the same seed"}
def compare_pairs(pairs, task, score):
    """Differences of pairs of runs on the same questions, in points: of each pair, and pooled."""
    rows = ask(task).index
    first, second = (
        pd.concat([answered[run].loc[rows] for run in of_side])
        for of_side in zip(*pairs, strict=True)
    )
    apart = 100 * (first[score] - second[score]).to_numpy().reshape(len(pairs), -1)
    pooled = stats.paired_difference(first[score], second[score], first["game"], seed=seed)
    return apart.mean(axis=1), pooled.in_percent()


def pair_seeds(first, second):
    """Runs of two rows of the tables, those of the same seed together."""
    both = [each for each in seeds[first] if each in seeds[second]]
    return [(seeds[first][each], seeds[second][each]) for each in both]


def of_seeds_of(place, score, task="end_actual"):
    """A score of each training of a row of the tables, in per cent."""
    rows = ask(task).index
    return [100 * answered[run].loc[rows, score].mean() for run in seeds[place].values()]


def is_clear(place, other, score, by_seed, pooled):
    """Whether two rows of the tables differ clearly."""
    plain = [each for each in seeds if each[1] == "uci"]
    noise = results.seed_noise(of_seeds_of(each, score) for each in {*plain, place, other})
    return results.is_clear(pooled, by_seed, noise)


MEASURES = {
    "exm": ("ExM Acc.", "as played (ExM)"),
    "lgm": ("LgM Actual Acc.", "legal answers"),
}
printed6 = reference.table("state_tracking", "table6")
with_types = [(size, model) for size, model in chosen.index if model != "uci"]
judged = {
    run: results.summarise(answered[run], ground_of(run), seed=seed).loc["end_actual", "long"]
    for by_seed in seeds.values()
    for run in by_seed.values()
}
compared = {}
for size, model in with_types:
    pairs = pair_seeds((size, model), (size, "uci"))
    for score in MEASURES:
        by_seed, pooled = compare_pairs(pairs, "end_actual", score)
        with_above, plain_above = (
            any(judged[run][score].above for run in of_side)
            for of_side in zip(*pairs, strict=True)
        )
        beaten = results.who_beats(with_above, plain_above)
        compared[score, size, model] = (by_seed, results.Compared(pooled, beaten))


def of_paper(size, model, score):
    cells = printed6[MEASURES[score][0]]
    return cells[f"{size} {results.NOTATION_ROWS[model]}"] - cells[f"{size} UCI"]


# %% tags=["hide-cell"] mystnb={"code_prompt_show": "Types less plain UCI, seed by seed"}
TITLES = {"exm": "played", "lgm": "legal"}
shown = {}
for (score, size, model), (by_seed, pooled) in compared.items():
    name = f"{size} {results.NOTATION_ROWS[model].removeprefix('UCI + ')}"
    star = " *" if is_clear((size, model), (size, "uci"), score, by_seed, pooled.value) else ""
    shown.setdefault(name.replace(" ", "\N{NO-BREAK SPACE}"), {}).update(
        {
            f"{TITLES[score]}, by seed": ", ".join(f"{apart:+.1f}" for apart in by_seed),
            f"{TITLES[score]}, all": f"{pooled:.1f}{star}",
            f"{TITLES[score]}, paper": f"{of_paper(size, model, score):+.1f}",
        }
    )
report.table(
    pd.DataFrame(shown).T,
    digits=1,
    caption=f"Types less plain UCI: answers as played (ExM) and legal ones, points. A star marks what "
    f"is clear. {results.COMPARED}",
)

# %% [markdown]
# {glue:text}`seeds_say`
#
# ## What kind of error
#
# A wrong ending square can be none, or one that nothing could reach from there (*no such move*);
# one that another piece would reach (*wrong piece*: the model has forgotten what
# stands there); one behind another piece (*path obstruction*) or on an own one (*own piece*: it
# has forgotten what stands elsewhere); or it leaves the king in check (*pseudo-legal*). The
# authors' released analysis joins the first two of these as *syntax* errors, and the next two as
# *path obstruction*. {glue:text}`errors`


# %% tags=["hide-input"] mystnb={"code_prompt_show": "Tell the errors apart"}
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

# %% tags=["hide-input"] mystnb={"code_prompt_show": "Sort the errors of all models and counts"}
ERRORS = [
    "not a square",
    "unreachable",
    "wrong piece",
    "path obstruction",
    "own piece",
    "pseudo-legal",
]


def sort_errors(rows):
    """The long ending squares that are wrong, with the kind of each error."""
    rows = rows[rows["task"].isin(probes.END_TASKS) & (rows["band"] == "long")]
    is_legal = [row["answer"] in row["legal"].split() for _, row in rows.iterrows()]
    wrong = rows[~np.array(is_legal)]
    return wrong.assign(error=[end_error(row) for row in wrong.to_dict("records")])


of_rows = {title: answered[run] for title, run in runs_of_rows.items()}
of_rows |= {name: ground[name] for name in results.END_BASELINES}
wrong = {name: sort_errors(rows) for name, rows in of_rows.items()}
ends = pd.DataFrame({name: rows["error"].value_counts() for name, rows in wrong.items()})
ends = ends.T.reindex(columns=ERRORS).fillna(0).astype(int)
ends["all"] = ends.sum(axis=1)


shown = ends.drop(columns=ERRORS[:2]).rename_axis(columns=None)
shown.insert(0, "no such move", ends[ERRORS[:2]].sum(axis=1))


def mark_row(title):
    if title in results.BASELINES:
        return results.BASELINES[title]
    both = [scores[title].loc[(task, "long"), "lgm"].above for task in probes.END_TASKS]
    return title + ("" if all(both) else f" {results.MARK}")


def show_errors(rows):
    caption = (
        f"Wrong ending squares of {2 * len(ask('end_actual')):,} answers. {results.MARKED}"
    )
    return report.table(one_line(shown.loc[rows].rename(mark_row)), caption=caption)


plain_rows = [title for title in scores if title.endswith("UCI")]
in_short = [*plain_rows, *(title for title in alone if title not in plain_rows), "came_from"]
show_errors(in_short)

# %% tags=["hide-cell"] mystnb={"code_prompt_show": "The errors of all models and counts"}
show_errors(shown.index)

# %% [markdown]
# ## Games of other kinds
#
# The paper's games are people's, ours so far an engine's own. Three models read as many tokens of
# 36,000 games each: engine games; games of random legal moves, about as long; and games that people
# played on Lichess, most of them quick ones. Each is asked about games of all three kinds, with
# questions made in the same way from games held out. The counts above are of engine games, and are
# shown beside the first column alone.


# %% tags=["hide-input"] mystnb={"code_prompt_show": "Score each model on each kind"}
def answers_on(run, tested_on, task):
    """Scores of the long questions of a task, made from games of one kind, with their games."""
    if tested_on == "selfplay":
        rows = answered[run].loc[ask(task).index]
        return rows[["lgm", "exm", "game"]].reset_index(drop=True)
    kept = runs.read_kept("crossed", run)
    columns = {
        part: kept[f"{tested_on}.{task}.long.{part}"].astype(float)
        for part in ("lgm", "exm", "game")
    }
    return pd.DataFrame(columns)[: sizes.instances]


TRANSFER = {
    "lgm": ("end_actual", "lgm", "legal, piece moved next"),
    "lgm_other": ("end_other", "lgm", "legal, another piece"),
    "exm": ("end_actual", "exm", "as played (ExM)"),
}
transfer = {}
for trained_on_kind, run in kinds.items():
    for tested_on in KINDS:
        for name, (task, score, _) in TRANSFER.items():
            rows = answers_on(run, tested_on, task)
            share = stats.mean_interval(rows[score], rows["game"], seed=seed)
            transfer[trained_on_kind, tested_on, name] = share.in_percent()
plain_seeds = [
    run
    for (size, model), by_seed in seeds.items()
    if model == "uci"
    for run in by_seed.values()
]
spread = {}
for name, (task, score, _) in TRANSFER.items():
    of_size = {}
    for run in plain_seeds:
        share = 100 * answered[run].loc[ask(task).index, score].mean()
        of_size.setdefault(trained.loc[run, "size"], []).append(share)
    spread[name] = max(max(shares) - min(shares) for shares in of_size.values())


def beside_selfplay(source, tested_on, name):
    """What other games to train on change, in points."""
    task, score, _ = TRANSFER[name]
    first, second = (answers_on(kinds[kind], tested_on, task) for kind in (source, "selfplay"))
    assert first["game"].equals(second["game"])
    apart = stats.paired_difference(first[score], second[score], first["game"], seed=seed)
    return apart.in_percent()


changed = {
    (source, tested_on, name): beside_selfplay(source, tested_on, name)
    for source in ("random", "people")
    for tested_on in KINDS
    for name in TRANSFER
}
clear = {
    key: apart
    for key, apart in changed.items()
    if results.is_clear(apart, [apart.value], spread[key[2]])
}


def show_transfer(source, tested_on, name):
    star = " *" if (source, tested_on, name) in clear else ""
    return f"{transfer[source, tested_on, name]:.1f}{star}"


shown = {
    (title, KINDS[source]): {
        f"tested on {KINDS[kind]}": show_transfer(source, kind, name) for kind in KINDS
    }
    for name, (_, _, title) in TRANSFER.items()
    for source in KINDS
}
report.table(
    pd.DataFrame(shown).T,
    caption="Trained on 36,000 games of a kind (rows), tested on each kind, 51 to 100 plies, %",
)

# %% [markdown]
# There is one training of each kind. A star marks what clearly differs from the model of engine
# games on the same questions (two seeds of plain UCI differ at most by: {glue:text}`spread_say`).
# {glue:text}`transfer_say`
#
# ## Recap
#
# - The four questions of Table 3 have the paper's answers: {glue:text}`agree` of 4.
# - Of the {glue:text}`n_models` models of Table 6 these do not beat counting after 51 to 100 plies:
#   {glue:text}`not_above`; after 5 to 50 plies: {glue:text}`not_above_short`.
# - L less S at equal tokens, legal answers: {glue:text}`games_recap`.
# - {glue:text}`starts_recap`
# - {glue:text}`notations_recap`
# - A random legal square is the one played in {glue:text}`random_end` % of the questions; in the
#   paper in {glue:text}`random_end_paper` %.
# - {glue:text}`kinds_recap`
#
# All these models have read the whole game. The next chapter takes the older moves away.

# %% tags=["hide-input"] mystnb={"code_prompt_show": "What the numbers allow to say"}
long_end = ("end_actual", "long")
long_start = ("start_actual", "long")


def legal_of(title, key=long_end):
    return scores[title].loc[key, "lgm"]


def largest(model):
    """Title of the row of a notation on the most games."""
    titles = chosen["title"][chosen.index.get_level_values("model") == model]
    return titles.iloc[-1]


plain = largest("uci")
plain_games = trained.loc[runs_of_rows[plain], "games"]
came_from = grounds["came_from"].loc[long_end, "lgm"].value
counting = (
    f"counting where pieces that had come the same way went, which follows no game, gives {came_from:.1f} %, "
    f"counting by the type of the piece {grounds['type'].loc[long_end, 'lgm'].value:.1f} %"
)
by_type = grounds["type"].loc[long_end, "lgm"].value
ours = of_pieces[f"{last_size} UCI"]
easiest, hardest = (choose(men, key=lambda name: ours[name].value) for choose in (max, min))
apart_pieces = ours[easiest].low > ours[hardest].high
checks = (
    "not in check" in ours
    and "in check" in ours
    and ours["not in check"].low > ours["in check"].high
)
report.paste(
    result=Markdown(
        results.only_if_above(
            {
                f"**{legal_of(plain).value.value:.1f} %.** So often a model that has read the moves of "
                f"{plain_games:,} games and nothing else names a legal square, asked where the piece goes "
                f"that moves next, after 51 to 100 plies; {counting}.": [legal_of(plain)]
            },
            f"No model that has read moves alone is seen to beat counting: {counting}.",
        )
    ),
    pieces_say=(
        f"It knows {easiest}s best ({ours[easiest].value:.0f} %) and {hardest}s least "
        f"({ours[hardest].value:.0f} %)"
        if apart_pieces
        else "By piece it is not told apart"
    )
    + (
        f"; out of check it is right in {ours['not in check'].value:.0f} %, in check in "
        f"{ours['in check'].value:.0f} %."
        if checks
        else "."
    ),
    clear_means=results.CLEAR,
    second_say="Above counting by type (‡ else) are: "
    + results.enumerate_names(
        title for title in scores if legal_of(title).above and legal_of(title).above_second
    )
    + f". The paper's own S UCI prints {printed6.loc['S UCI', 'LgM Actual Acc.']:.1f} %, less than the "
    f"{by_type:.1f} % of counting by type on our questions.",
)

TOLD = {"uci_rap": "some moves", "uci_ap": "every move"}
SHOWN = {
    "uci_rap": "a model that was shown the types of some moves in training and of none when asked",
    "uci_ap": "a model that is told the type of every move",
}
parts = []
for model, told in SHOWN.items():
    title = largest(model)
    found = legal_of(title, long_start)
    if found.above and beyond_last[title]["start_actual"].low > 0:
        parts.append(f"{told} ({title}) is right in {found.value.value:.1f} %")
types_say = (
    "Asked where a type of piece stands, no model is seen to know more than where such a piece "
    "went last."
)
if parts:
    types_say = f"Asked where a type of piece stands, {'; '.join(parts)}."
last = grounds["last"].loc[long_start, "lgm"].value
more = [title for title, apart in beyond_last.items() if apart["start_actual"].low > 0]
less = [title for title, apart in beyond_last.items() if apart["start_actual"].high < 0]
report.paste(
    types_say=types_say,
    starts_recap=f"Where such a piece went last is a right answer to {last:.1f} % of the Start "
    f"questions. Models that know more: {results.enumerate_names(more)}; that know less: "
    f"{results.enumerate_names(less)}.",
)

gained = {}  # by notation and direction: what is said of each size, and its difference
undecided = []
for (measure, size, model), (by_seed, pooled) in compared.items():
    title = f"{size} {results.NOTATION_ROWS[model]}"
    if measure != "exm":
        continue
    if not is_clear((size, model), (size, "uci"), measure, by_seed, pooled.value):
        undecided.append(title)
    else:
        often = "more" if pooled.value.value > 0 else "less"
        n_games = trained.loc[runs_of_rows[title], "games"]
        part = (
            f"{abs(pooled.value.value):.1f} points when trained on {n_games:,} games "
            f"({len(by_seed)} seed{'s' * (len(by_seed) > 1)})"
        )
        gained.setdefault((model, often), {})[part] = pooled
sentences = {
    f"With the type before {TOLD[model]}, a model names the move played {often} often, with each "
    f"seed: in the mean by {results.enumerate_names(parts)}.": list(parts.values())
    for (model, often), parts in gained.items()
}
first_row = chosen.index[0]
type_gain = {
    score: grounds["type"].loc[long_end, score].value
    - grounds["came_from"].loc[long_end, score].value
    for score in MEASURES
}
of_seeds = [
    100 * answered[run].loc[ask("end_actual").index, "exm"].mean()
    for run in seeds[first_row].values()
]
few_rows = []
rap = compared["lgm", first_row[0], "uci_rap"]
if rap[1].above and rap[1].value.high < of_paper(first_row[0], "uci_rap", "lgm"):
    title = chosen.loc[first_row, "title"]
    few_rows.append(
        f"In the paper RAP adds {of_paper(first_row[0], 'uci_rap', 'lgm'):.1f} points of legal "
        f"answers at {first_row[0]}, to a plain model of "
        f"{printed6.loc[title, 'LgM Actual Acc.']:.1f} %; ours has "
        f"{legal_of(title).value.value:.1f} % without, and over other games the interval leaves room "
        f"for {max(rap[1].value.high, 0):.1f} points at most (over other seeds it says nothing)."
    )
left_open = []
if undecided:
    left_open.append(
        "Whether types make a model name the move played more often is not clear for "
        f"{results.enumerate_names(undecided)}."
    )
report.paste(
    notations_say=results.only_if_above(
        sentences,
        "Whether types in the notation make a model name the move played more often, these "
        "trainings do not tell.",
    ),
    notations_recap=" ".join([*few_rows, *left_open]),
    seeds_say=f"The {len(of_seeds)} seeds of {chosen.loc[first_row, 'title']} name the move played "
    f"in {min(of_seeds):.1f} to {max(of_seeds):.1f} % of the questions, so that a single pair of "
    "trainings may differ by as much without any types. Being told the type is worth "
    f"{type_gain['lgm']:+.1f} points of legal answers to counting, too, and "
    f"{type_gain['exm']:+.1f} of moves as played.",
)


def beside_counts(run):
    """Legal endings of a run less those of its counts, in points."""
    rows = answered[run].loc[ask("end_actual").index]
    known = ground_of(run)["lgm"].loc[rows.index]
    return stats.paired_difference(rows["lgm"], known, rows["game"], seed=seed).in_percent()


PLACES = {-1: "stays below counting", 0: "is not seen to beat counting", 1: "beats counting"}
few = []
for title in ("XS UCI", "Paper's model"):
    run = alone[title]
    apart = beside_counts(run)
    place = PLACES[int(apart.low > 0) - int(apart.high < 0)]
    n_games = trained.loc[run, "games"]
    legal_share = legal_of(title).value.value
    if title.startswith("XS"):
        passes = [each["dev_perplexity"] for each in trained.loc[run, "log"]]
        best_pass = int(np.argmin(passes)) + 1
        few.append(
            f"With {n_games:,} games a model like it {place} ({legal_share:.1f} %)"
            + (
                f"; it is overfitted, for dev games were foreseen best after pass {best_pass} of {len(passes)}."
                if best_pass < len(passes)
                else "."
            )
        )
    else:
        ratio = trained.loc[run, "parameters"] / trained.loc[runs_of_rows[plain], "parameters"]
        few.append(
            f"The paper's own model, {ratio:.0f} times as large and trained by its own recipe on "
            f"{n_games:,} of our games, {place} ({legal_share:.1f} %)."
        )
by_seed, pooled = compare_pairs(pair_seeds(("L", "uci"), ("S", "uci")), "end_actual", "lgm")
games_keys = {"lgm.L_less_S": pooled}
passes_of = [each["dev_perplexity"] for each in trained.loc[READ["S", 12], "log"]]
chosen_pass = int(np.argmin(passes_of)) + 1
by_legal = [apart for apart, _ in equal_tokens.values()]
seed_alone = results.seed_noise([of_seeds_of((size, "uci"), "lgm") for size in "SL"])
millions = [trained.loc[READ[few], "tokens"] / 1e6 for _, few in EQUAL.values()]
decided = [results.is_clear(apart, [apart.value], seed_alone) for apart in by_legal]
cheaper = all(change.high < 0 for _, change in equal_tokens.values())
games_say = (
    f"From S to L the legal answers of plain UCI change by {pooled:+.1f} points ({len(by_seed)} seeds), "
    f"with twice the tokens. At equal tokens, {millions[1]:.0f} and {millions[0]:.0f} million, the many "
    f"games change them by {by_legal[1]:+.1f} and {by_legal[0]:+.1f} points: "
    + (
        "more games make the better tracker."
        if all(decided) and min(apart.value for apart in by_legal) > 0
        else f"clear at {millions[decided.index(True)]:.0f} million alone."
        if any(decided)
        else "whether more games or more reading make the better tracker, these trainings do not tell."
    )
    + (
        f" Perplexity changes by {equal_tokens['L'][1].value:+.0f} and {equal_tokens['S'][1].value:+.0f} %: "
        "moves are foreseen better after more games."
        if cheaper
        else ""
    )
    + f" Of the twelve passes over S the dev games choose number {chosen_pass} (perplexity "
    f"{min(passes_of):.1f}, after the last {passes_of[-1]:.1f}); the weights are those of the last."
)
first, second = (
    answered[runs_of_rows[plain]].loc[ask(task).index] for task in probes.END_TASKS
)
assert first["game"].tolist() == second["game"].tolist()
other = stats.paired_difference(
    first["lgm"].to_numpy(), second["lgm"].to_numpy(), first["game"], seed=seed
).in_percent()
other_say = f"{plain} answers about the piece that is moved next and about another alike."
if other.low > 0 or other.high < 0:
    easier, often = ("easier", "more") if other.low > 0 else ("harder", "less")
    other_say = (
        f"The piece that is moved next is {easier} than another: on the same prefixes {plain} "
        f"names a legal square {often} often (difference {other:.1f} points)."
    )
games_recap = f"{by_legal[1]:+.1f} and {by_legal[0]:+.1f} points"
report.paste(few_say=" ".join(few), games_say=games_say, other_say=other_say)
report.paste(games_recap=games_recap)


def changes(source, name, sign):
    """Whether games of a kind clearly change a measure, one way, on all games but their own."""
    elsewhere = [key for key in changed if key[0] == source != key[1] and key[2] == name]
    one_way = [key for key in elsewhere if key in clear and sign * clear[key].value > 0]
    return one_way == elsewhere


rules = changes("random", "lgm_other", 1)
play = changes("random", "exm", -1)
kinds_say = "Whether random games teach the rules better, these trainings do not tell."
transfer_say = ""
if rules and play:
    kinds_say = (
        "From random games a model learns better than from an engine's where the other pieces can "
        "go, and worse which move is played."
    )
if rules:
    transfer_say += (
        "The model of random games is right about another piece more often than the model of "
        "engine games, on games that are not random too. "
    )
if play:
    transfer_say += "On those it names the move played less often."
own = changed["people", "people", "lgm"]
said = "" if ("people", "people", "lgm") in clear else ", which is no clear difference"
kinds_recap = (
    "On people's games, training on such games in place of an engine's changes the legal "
    f"answers by {own:+.1f} points{said}."
)
report.paste(
    kinds_say=kinds_say,
    kinds_recap=kinds_recap,
    transfer_say=transfer_say or "Random games and an engine's are not told apart elsewhere.",
    spread_say="; ".join(
        f"{TRANSFER[name][2]}: {apart:.1f} points" for name, apart in spread.items()
    ),
)


def share_of_errors(title, *kinds_of_error):
    rows = wrong[title]
    hits = rows["error"].isin(kinds_of_error)
    return stats.mean_interval(hits, rows["game"], seed=seed).in_percent()


errors = "Which errors more games remove, these trainings do not tell."
both_above = all(
    legal_of(title, (task, "long")).above
    for title in ("S UCI", "L UCI")
    for task in probes.END_TASKS
)
before, after = (share_of_errors(title, "wrong piece") for title in ("S UCI", "L UCI"))
if both_above and after.high < before.low:
    rest = share_of_errors("L UCI", "path obstruction", "pseudo-legal")
    errors = (
        f"With more games a model confuses pieces less: wrong pieces are {before:.0f} % of the "
        f"errors of S UCI and {after:.0f} % of those of L UCI. Of the latter, {rest:.0f} % are "
        "blocked paths and checks, which ask for the rest of the board."
    )
better = {
    band: [
        title for title, table in scores.items() if table.loc[("end_actual", band), "lgm"].above
    ]
    for band in probes.BANDS
}
report.paste(
    errors=errors,
    agree=agree,
    counted=f"{sizes.counted:,}",
    n_models=len(scores),
    not_above=results.enumerate_names(title for title in scores if title not in better["long"]),
    not_above_short=results.enumerate_names(
        title for title in scores if title not in better["short"]
    ),
    random_end=f"{draw_evenly('end_actual').value:.1f}",
    random_end_paper=f"{printed6.loc['Random Legal', 'ExM Acc.']:.1f}",
)

# %% tags=["hide-input"] mystnb={"code_prompt_show": "Results kept in book/results"}
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
place_of = {row["title"]: place for place, row in chosen.iterrows()}
for title, run in alone.items():
    variant = trained.loc[run, "variant"]
    model = trained.loc[run, "model"]
    place_of[title] = (trained.loc[run, "size"], f"{variant}_{model}" if variant else model)


def name_task(task, band):
    return task if band == "long" else f"{task}_short"


values = {}
published = {}
baselines = {}
for title, place in place_of.items():
    for (task, band), scored in scores[title].iterrows():
        for score, judged_score in scored.dropna().items():
            key = (name_task(task, band), score, *place)
            values[key] = judged_score.value
            table, column = columns.get((task, score), ("", ""))
            row = beside_paper.get(title, title)
            if band == "long" and (table, row, column) in cell:
                published[key] = cell[table, row, column]
for name, table in grounds.items():
    for (task, band), scored in table.iterrows():
        for score, value in scored.dropna().items():
            kind = "counts" if score == "lgm" else f"counts_{score}"
            baselines[kind, name_task(task, band), name] = value

counted_errors = ends.rename(
    lambda row: ".".join(place_of[row]) if row in place_of else f"baseline.{row}"
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
by_seed_keys = {}
for (score, size, model), (by_seed, pooled) in compared.items():
    name = model.removeprefix("uci_")
    by_seed_keys[score, size, name] = pooled.value
    by_seed_keys[score, size, name, "lowest"] = float(by_seed.min())
    by_seed_keys[score, size, name, "highest"] = float(by_seed.max())
each_seed = {}
gains = {}
for size, model in with_types:
    pairs = pair_seeds((size, model), (size, "uci"))
    for pair in pairs:
        run, of_plain = (name.replace("-", "_") for name in pair)
        each_seed[run, of_plain] = compare_pairs([pair], "end_actual", "exm")[1]
    for task in probes.END_TASKS:
        gains[f"{model.removeprefix('uci_')}_gain", task, size] = compare_pairs(
            pairs, task, "lgm"
        )[1]
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
    report.rows(report.Result(len(typed), unit="models"), "table5.rows"),
    report.rows(report.Result(len(scores), unit="models"), "table6.rows"),
    report.rows(report.Result(agree, n=4, unit="rows"), "table3.agree"),
    *(
        report.rows(
            {key[1:]: gain for key, gain in gains.items() if key[0] == name},
            name,
            unit="points",
        )
        for name in dict.fromkeys(key[0] for key in gains)
    ),
    report.rows(by_seed_keys, "by_seed", unit="points"),
    report.rows(games_keys, "more_games", unit="points"),
    report.rows(
        {size: apart for size, (apart, _) in equal_tokens.items()},
        "equal_tokens",
        unit="points",
    ),
    report.rows(
        {size: change for size, (_, change) in equal_tokens.items()},
        "equal_tokens.perplexity",
        unit="% of perplexity",
    ),
    report.rows(
        {name.replace(" ", "_"): each for name, each in ours[men].items()},
        "legal.by_piece",
        unit="%",
    ),
    report.rows(
        {name.replace(" ", "_"): ours[name] for name in known if name not in men},
        "legal",
        unit="%",
    ),
    report.rows(
        {
            (
                name.removesuffix(" UCI").removeprefix("counts ").replace(" ", "_"),
                of.replace(" ", "_"),
            ): share
            for name, each in of_pieces.items()
            for of, share in each.reindex(known).items()
        },
        "legal.by_piece_of",
        unit="%",
    ),
    report.rows(
        {f"{name.removesuffix(' UCI')}.uci": share for name, share in every_ply.items()}
        | {"commonest_answer": by_reply},
        "legal.every_ply",
        unit="%",
    ),
    report.rows(
        {
            (task, *place_of[title]): apart
            for title, of_tasks in less_type.items()
            for task, apart in of_tasks.items()
        },
        "less_type",
        unit="points",
    ),
    report.rows(
        {
            f"{size}.{model}": float(trained.loc[run, "tokens"]) / 1e6
            for (size, model), run in chosen["run"].items()
        },
        "tokens",
        unit="million tokens",
    ),
    report.rows(each_seed, "exact_less", unit="points"),
    report.rows(
        {
            (task, *place_of[title]): apart
            for title, of_tasks in beyond_last.items()
            for task, apart in of_tasks.items()
        },
        "less_last",
        unit="points",
    ),
    report.rows(transfer, "transfer", unit="%"),
    report.rows(
        {
            (source, tested_on, f"{name}_less_selfplay"): apart
            for (source, tested_on, name), apart in changed.items()
        },
        "transfer",
        unit="points",
    ),
    report.rows(
        counted_errors.T.map(
            lambda value: report.Result(
                int(value), n=2 * len(ask("end_actual")), unit="answers"
            )
        ),
        "errors",
    ),
)

report.evidence(
    len(questions),
    "questions",
    seed,
    clusters=questions["game"].nunique(),
    interval="95 %, whole games",
    versions={"models": f"{len(answered)} trainings, {len(models)} of them answering live"},
)

# %% [markdown]
# ## Exercises
#
# The first and the last exercise ask the `example` model the same fifty long questions.

# %% tags=["hide-input"] mystnb={"code_prompt_show": "Fifty questions"}
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
# **2. A baseline that knows the piece.** Answer each question at random among the squares that the
# piece could reach on an empty board (`moves_so`). How often is that legal, and what does the
# difference to the model tell?


# %% tags=["solution", "hide-cell"]
# At random among the squares that the piece reaches on an empty board.
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
report.sheet("legal, pawns left out", {"at random among reachable squares": by_reach})

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
