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

# %% tags=["hide-input"] mystnb={"code_prompt_show": "Imports, the questions, and the answers of all trainings and of counting"}
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
games = read_corpus()
moves_made = results.list_moves(games.games, games.of("L")[: sizes.counted])
long = probes.read_probes().query("band == 'long'")
questions = long.groupby("task", sort=False).head(sizes.instances)


def ask(task):
    return questions[questions["task"] == task]


ground = results.score_baselines(moves_made, questions)
trained = runs.read_runs()
models = {name: runs.read_model(name) for name in runs.trained_checkpoints()}
chosen = results.headline(trained, results.NOTATION_ROWS)
seeds = {
    place: {trained.loc[run, "seed"]: run for run in results.other_seeds(trained, first)}
    for place, first in chosen["run"].items()
}
alone = {"XS UCI": "XS-uci-1", "Paper's model": "15000-paper_uci-1"}
kinds = {
    "selfplay": "36000-uci-1",
    "random": "36000-random_uci-1",
    "people": "36000-people_uci-1",
}
everyone = [run for by_seed in seeds.values() for run in by_seed.values()]
everyone += [*alone.values(), *kinds.values()]
answered = {run: results.score_run(run, questions) for run in everyone}
ends = {run: rows[rows["task"] == "end_actual"] for run, rows in answered.items()}


def less(first, second, score="lgm"):
    """A score of the first less that of the second on the same questions, in points."""
    apart = stats.paired_difference(first[score], second[score], first["game"], seed=seed)
    return apart.in_percent()


def one_line(frame):
    """The names of rows without breaks, so that a row is a line."""
    return frame.rename(lambda name: name.replace(" ", "\N{NO-BREAK SPACE}"))


# %% tags=["hide-input"] mystnb={"code_prompt_show": "Legal answers by piece, and in check"}
PIECES = {"N": "knight", "B": "bishop", "R": "rook", "Q": "queen", "K": "king"}
CHECKS = {False: "not in check", True: "in check"}
in_check = ask("end_actual")["fen"].map(lambda fen: chess.Board(fen).is_check())


def by_piece(rows):
    """Legal answers to the long questions by piece, and by whether the king stands in check."""
    rows = rows.loc[in_check.index].assign(check=in_check)
    parts = [
        stats.means_by(rows, key, "lgm", cluster="game", seed=seed).rename(names)
        for key, names in (("piece", PIECES), ("check", CHECKS))
    ]
    return pd.concat(parts).map(lambda share: share.in_percent())


columns = {f"{size} UCI": ends[chosen.loc[(size, "uci"), "run"]] for size in "LMS"}
columns |= {"counts by square": ground["came_from"], "counts by type": ground["type"]}
of_pieces = pd.DataFrame({name: by_piece(rows) for name, rows in columns.items()})
of_pieces = of_pieces.loc[[*PIECES.values(), *CHECKS.values()]]
men = of_pieces.loc[[*PIECES.values()]]
found = men.map(lambda share: share.value)
reach = [[each.value - each.low, each.high - each.value] for each in men["L UCI"]]
figure, axes = plt.subplots(figsize=(6.4, 2.3))
axes.errorbar(
    found["L UCI"], found.index, xerr=np.transpose(reach), fmt="o", capsize=3, label="L UCI"
)
axes.plot(found["counts by square"], found.index, "x", color="0.4", label="counts by square")
axes.plot(found["counts by type"], found.index, "+", color="0.4", label="counts by type")
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

# %%
rows = []
for game in games.of("test")[: sizes.every_ply]:
    going = chess.Board()
    for uci in games.games.ucis(game):
        allowed = {move.uci() for move in going.legal_moves}
        rows.append((game, [move.uci() for move in going.move_stack], allowed))
        going.push_uci(uci)
plies = pd.DataFrame(rows, columns=["game", "moves", "legal"])


def legal_share(answers):
    legal = [uci in allowed for uci, allowed in zip(answers, plies["legal"], strict=True)]
    return stats.mean_interval(legal, plies["game"], seed=seed).in_percent()


every_ply = {
    size: legal_share(continue_games(models[f"{size}-uci-1"][0], "uci", plies["moves"]))
    for size in "LS"
}

# %% tags=["hide-input"] mystnb={"code_prompt_show": "The commonest answer to each move, and the table"}
codes = (64 * moves_made["left"] + moves_made["reached"]).to_numpy()
goes_on = moves_made["ply"].to_numpy()[1:] > 0
commonest = (
    pd.Series(codes[1:][goes_on])
    .groupby(codes[:-1][goes_on])
    .agg(lambda answers: np.bincount(answers).argmax())
)
opening = np.bincount(codes[moves_made["ply"] == 0]).argmax()
replies = []
for moves_before in plies["moves"]:
    code = opening
    if moves_before:
        last_move = chess.Move.from_uci(moves_before[-1])
        code = commonest.get(64 * last_move.from_square + last_move.to_square, opening)
    replies.append(chess.Move(*divmod(code, 64)).uci())
by_reply = legal_share(replies)
first_table = of_pieces.copy()
for name in ("counts by square", "counts by type"):  # their intervals are as wide
    first_table[name] = first_table[name].map(lambda share: share.value)
first_table.loc["every ply"] = pd.Series(
    {f"{size} UCI": each for size, each in every_ply.items()}
)
n_questions = ask("end_actual")["piece"].map(PIECES).value_counts()
n_questions = {**n_questions, **in_check.map(CHECKS).value_counts(), "every ply": len(plies)}
numbered = {name: f"{name}, {n_questions[name]:,}" for name in first_table.index}
report.paste(every_games=plies["game"].nunique(), by_reply=f"{by_reply:.1f}")
report.table(
    one_line(first_table.astype(object).fillna("-").rename(numbered)),
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

# %%
question = ask("end_actual").iloc[question_number]
board = chess.Board(question["fen"])
start = chess.parse_square(question["prompt"])
legal = {move.to_square for move in board.legal_moves if move.from_square == start}

# %% [markdown]
# The questions keep the paper's rules. A game that no model has trained on is cut after 51 to 100
# plies (moves of one side), at a beginning that no training game has. The piece that is moved next
# in the game gives the *Actual* question, another piece that could move the *Other*; pawns and
# castling are left out.[^plies]
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
prompt = ["BOS", *squares, question["prompt"]]
ids = torch.tensor([[VOCABULARY.index(token) for token in prompt]])
with torch.no_grad():
    logits = model(ids)
probability = logits[0, -1].softmax(dim=0).numpy()
print("prompt:", *prompt[:7], "...", *prompt[-5:])
print("ids", tuple(ids.shape), " logits", tuple(logits.shape))

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
crossed = chess.SquareSet(legal)
asked_drawing = chess.svg.board(board, size=260, fill={start: "#E69F00"}, squares=crossed)
answer_drawing = chess.svg.board(
    board,
    size=260,
    fill=shade,
    squares=crossed,
    arrows=[chess.svg.Arrow(start, int(on_squares.argmax()), color="#D55E00c0")],
    colors={"square light": "#ffffff", "square dark": "#f0f0f0"},
)
report.boards(
    report.Html(asked_drawing, board.fen()),
    report.Html(answer_drawing, " ".join(f"{share:.3f}" for share in on_squares)),
)

# %% [markdown]
# The paper's three scores look at the ranking of the tokens. *LgM accuracy*: is the first one
# legal? *R-precision*: of the first R, how many are, where R squares are legal? *ExM accuracy*: is
# the first one the move that was played?

# %%
ranking = [VOCABULARY[token] for token in np.argsort(-probability)]
right = {chess.square_name(square) for square in legal}
scored = {
    "lgm": float(ranking[0] in right),
    "rprec": len(right.intersection(ranking[: len(right)])) / len(right),
    "exm": float(ranking[0] == question["exact"]),
}
print("first:", *ranking[:5], " legal:", *sorted(right), " played:", question["exact"])
print(scored, f"an even draw among 64 squares gives the legal ones {len(legal) / 64:.1%}")

# %% [markdown]
# Set another `question_number` (0 to {glue:text}`last_question`) or `example` (`S-uci-1`) above.
#
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
answers3 = np.exp(probes.predict(model, table3, training.reading))
shown[f"{example} answers"] = [
    " ".join(f"{VOCABULARY[token]} {answer[token]:.0%}" for token in np.argsort(-answer)[:3])
    for answer in answers3
]
if training.notation == "uci":
    shown.loc[table3["task"].isin(probes.START_TASKS), f"{example} answers"] = (
        "has read no types"
    )
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

# %%
late = moves_made[(moves_made["ply"] >= 40) & (moves_made["left"] == start)]
of_type = late[late["type"] == board.piece_type_at(start) - chess.PAWN]
for name, counted in (("from this square", late), ("of this type from it", of_type)):
    likeliest = counted["reached"].value_counts().index[:5].map(chess.square_name)
    print(f"{len(counted):,} moves {name}, most often to", *likeliest)

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
# Table 5: the prompt is a piece type, so only models that have seen types can be asked. The model
# trained with RAP reads a game without types; the harder baseline, where the type went last, reads
# all of them. *Beyond last* is what a model's answers to the Actual questions have beyond it, in
# points.
#
# [^device]: Most were trained on a GPU (NVIDIA H100, numbers of 16 bits), some on a processor; the
#     record of each run names its device.

# %% tags=["hide-input"] mystnb={"code_prompt_show": "Ask the committed models again, score all answers, and lay out Table 5"}
again = []
for run, (live_model, training) in models.items():
    for task in probes.END_TASKS:
        few = ask(task)[: sizes.live]
        said = probes.score_answers(few, probes.predict(live_model, few, training.reading))
        again.append((said["answer"] == answered[run].loc[few.index, "answer"]).mean())
runs_of_rows = dict(zip(chosen["title"], chosen["run"], strict=True)) | alone
second = results.second_of(ground)
scores = {
    title: results.summarise(
        answered[run], results.ground_of(trained.loc[run, "model"], ground), second, seed=seed
    )
    for title, run in runs_of_rows.items()
}
grounds = {name: results.summarise(rows, seed=seed) for name, rows in ground.items()}
COUNTS = {"start": results.START_BASELINES, "end": results.END_BASELINES}
LEGAL, PRECISE, EXACT = results.PROBE_PARTS.values()
beside_paper = {"Paper's model": "S UCI"}
printed = {
    kind: reference.table("state_tracking", table)
    for kind, table in (("start", "table5"), ("end", "table6"))
}


def draw_evenly(task):
    shares = 100 * results.chance_of_exact(ask(task))
    return stats.mean_interval(shares, ask(task)["game"], seed=seed)


def lay_out(kind, titles, part):
    """A part of the paper's table, with our models' rows and those of counting."""
    rows = {title: scores[title] for title in titles}
    rows |= {title: grounds[name] for name, title in COUNTS[kind].items()}
    table = results.probe_table(rows, kind, part, printed[kind], beside_paper)
    if part is EXACT:
        table.loc["Random Legal", "Actual"] = draw_evenly(f"{kind}_actual")
    return one_line(table.dropna(how="all"))


def show_other_columns(number, kind, titles):
    return report.boards(
        *(
            report.table(
                lay_out(kind, titles, part), digits=1, caption=f"Table {number}: {name}, %"
            )
            for part, name in ((PRECISE, "R-precision"), (EXACT, "as played (ExM)"))
        )
    )


typed = [title for title in scores if title.endswith("AP")]
beyond_last = {}
for title in typed:
    for task in probes.START_TASKS:
        rows = answered[runs_of_rows[title]].loc[ask(task).index]
        last = ground["last"].loc[rows.index]
        beyond_last[title, task] = stats.paired_difference(
            100 * rows["lgm"], 100 * last["lgm"], rows["game"], seed=seed
        )
beyond_last = pd.Series(beyond_last).unstack()
legal_starts = lay_out("start", typed, LEGAL)
legal_starts["beyond last"] = one_line(beyond_last)["start_actual"]
report.paste(same=f"{100 * np.mean(again):.1f}")
report.table(
    legal_starts,
    digits=1,
    caption="Table 5: starting squares, legal answers (LgM accuracy), %. "
    f"{results.MARK} not above counts of the type, {results.SECOND_MARK} not "
    "above where it went last",
)

# %% tags=["hide-cell"] mystnb={"code_prompt_show": "The other columns of Table 5"}
show_other_columns(5, "start", typed)

# %% [markdown]
# ## Where can they go?
#
# Table 6: the prompt is the square of a piece; *beyond type* is what a model has beyond counting by
# type on the same questions, in points. {glue:text}`second_say` The *paper's model* is the paper's own
# in shape and recipe, 85 million parameters, trained on the first 15,000 of our games: the most faithful
# row of these chapters. Our RAP shows 15 % of the types, where the paper's S and M show 25.
# {glue:text}`other_say`

# %% tags=["hide-input"] mystnb={"code_prompt_show": "Lay out Table 6"}
beyond_type = {}
for title, run in runs_of_rows.items():
    for task in probes.END_TASKS:
        rows = answered[run].loc[ask(task).index]
        beyond_type[title, task] = less(rows, ground["type"].loc[rows.index])
beyond_type = pd.Series(beyond_type).unstack()
legal_ends = lay_out("end", scores, LEGAL)
legal_ends["beyond type"] = one_line(beyond_type)["end_actual"]
report.table(
    legal_ends.drop(columns="Other, paper"),
    digits=1,
    caption=f"Table 6: ending squares, legal answers (LgM accuracy), %. {results.MARKED_TWICE}",
)

# %% tags=["hide-cell"] mystnb={"code_prompt_show": "The other columns of Table 6: R-precision, and as played"}
show_other_columns(6, "end", scores)

# %% [markdown]
# ## More games, or more reading?
#
# L has more games than S, and has read more tokens. Here four trainings with one seed: the few games
# read twice as often, the many half as often.

# %% tags=["hide-input"] mystnb={"code_prompt_show": "Four trainings of plain UCI"}
PASSES = {"S-uci-1": 6, "L-half_uci-1": 1.5, "S-uci-1x12": 12, "L-uci-1": 3}
of_reading = {run: results.score_run(run, ask("end_actual")) for run in PASSES}
losses = {run: results.read_losses(run) for run in PASSES}
rows = {
    f"{trained.loc[run, 'games']:,} games, {passes} passes": {
        "million tokens": f"{trained.loc[run, 'tokens'] / 1e6:.1f}",
        "perplexity": results.perplexity_of(losses[run], seed=seed),
        "legal, %": results.summarise(
            of_reading[run], ground["came_from"], second, seed=seed
        ).iloc[0]["lgm"],
    }
    for run, passes in PASSES.items()
}
report.table(
    pd.DataFrame(rows).T,
    digits=1,
    caption=f"Games or tokens, plain UCI. {results.MARKED_TWICE}",
)

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
def compare_seeds(place, other, score):
    """Differences of trainings that began alike, in points: of each seed, and of all together."""
    both = [each for each in seeds[place] if each in seeds[other]]
    first, second = (
        pd.concat([ends[seeds[row][each]] for each in both]) for row in (place, other)
    )
    apart = 100 * (first[score] - second[score]).to_numpy().reshape(len(both), -1)
    return apart.mean(axis=1), less(first, second, score)


def of_seeds(place, score):
    """A score of each training of a row of the tables, in per cent."""
    return [100 * ends[run][score].mean() for run in seeds[place].values()]


plain_rows = [place for place in seeds if place[1] == "uci"]
with_types = [place for place in seeds if place[1] != "uci"]
compared = {}
clear = {}
for place in with_types:
    for score in ("exm", "lgm"):
        other = (place[0], "uci")
        by_seed, pooled = compare_seeds(place, other, score)
        noise = results.seed_noise(of_seeds(row, score) for row in {*plain_rows, place})
        compared[score, *place] = by_seed, pooled
        clear[score, *place] = results.is_clear(pooled, by_seed, noise)

# %% tags=["hide-cell"] mystnb={"code_prompt_show": "Types less plain UCI, seed by seed"}
MEASURES = {"exm": ("ExM Acc.", "played"), "lgm": ("LgM Actual Acc.", "legal")}
in_paper = {}
shown = {}
for (score, size, model_read), (by_seed, pooled) in compared.items():
    column, title = MEASURES[score]
    row = f"{size} {results.NOTATION_ROWS[model_read]}"
    cells = printed["end"][column]
    star = " *" if clear[score, size, model_read] else ""
    in_paper[score, row] = cells[row] - cells[f"{size} UCI"]
    shown.setdefault(row.replace(" UCI +", ""), {}).update(
        {
            f"{title}, by seed": ", ".join(f"{apart:+.1f}" for apart in by_seed),
            f"{title}, all": f"{pooled:.1f}{star}",
            f"{title}, paper": f"{in_paper[score, row]:+.1f}",
        }
    )
report.table(
    one_line(pd.DataFrame(shown).T),
    caption="Types less plain UCI: answers as played (ExM) and legal ones, "
    "points. A star marks what "
    "is clear",
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


# %% tags=["hide-input"] mystnb={"code_prompt_show": "Sort the errors of plain models and of counting"}
# The two errors from f1 that the paper's section 3 explains:
for wrong_answer, kind in (("g2", "own piece"), ("h3", "path obstruction")):
    assert end_error({**table3.iloc[0], "answer": wrong_answer}) == kind


def mark_row(title):
    if title in results.BASELINES:
        return results.BASELINES[title]
    both = [scores[title].loc[(task, "long"), "lgm"].above for task in probes.END_TASKS]
    return title if all(both) else f"{title} {results.MARK}"


ERRORS = ["wrong piece", "path obstruction", "own piece", "pseudo-legal"]
plain_titles = [title for title in scores if title in alone or title.endswith(" UCI")]
of_rows = {title: answered[runs_of_rows[title]] for title in plain_titles}
of_rows["came_from"] = ground["came_from"]
wrong = {}
for name, rows in of_rows.items():
    rows = rows[rows["task"].isin(probes.END_TASKS)]
    legal_too = [row.answer in row.legal.split() for row in rows.itertuples()]
    rows = rows[~np.array(legal_too)]
    wrong[name] = rows.assign(error=[end_error(row) for row in rows.to_dict("records")])
errors = pd.DataFrame({name: rows["error"].value_counts() for name, rows in wrong.items()})
errors = errors.T.reindex(columns=ERRORS).fillna(0).astype(int)
errors["all"] = [len(wrong[name]) for name in errors.index]
shown = errors.rename(mark_row).rename_axis(columns=None)
shown.insert(0, "no such move", 2 * shown["all"] - shown.sum(axis=1))
report.table(
    one_line(shown),
    caption=f"Wrong ending squares of {2 * len(ask('end_actual')):,} answers. {results.MARKED}",
)

# %% [markdown]
# ## Games of other kinds
#
# The paper's games are people's, ours so far an engine's own. Three models read as many tokens of
# 36,000 games each: engine games; games of random legal moves, about as long; and games that people
# played on Lichess, most of them quick ones. Each is asked about games of all three kinds, with
# questions made in the same way from games held out. The counts above are of engine games, and are
# shown beside the first column alone.


# %% tags=["hide-input"] mystnb={"code_prompt_show": "Score each model on each kind, and what clearly differs"}
KINDS = {"selfplay": "engine", "random": "random", "people": "people's"}
TRANSFER = {
    "lgm": ("end_actual", "lgm", "legal, piece moved next"),
    "lgm_other": ("end_other", "lgm", "legal, another piece"),
    "exm": ("end_actual", "exm", "as played (ExM)"),
}


def answers_on(run, tested_on, task):
    """Scores of the long questions of a task, made from games of one kind, with their games."""
    if tested_on == "selfplay":
        return answered[run].loc[ask(task).index]
    kept = runs.read_kept("crossed", run)
    parts = {part: kept[f"{tested_on}.{task}.long.{part}"] for part in ("lgm", "exm", "game")}
    return pd.DataFrame(parts).astype(float)[: sizes.instances]


def spread_of(task, score):
    """The largest difference of two seeds of plain UCI, in points."""
    return results.seed_noise(
        [
            100 * answered[run].loc[ask(task).index, score].mean()
            for run in seeds[place].values()
        ]
        for place in plain_rows
    )


spread = {name: spread_of(task, score) for name, (task, score, _) in TRANSFER.items()}
transfer = {}
changed = {}
differs = set()
shown = {}
for name, (task, score, title) in TRANSFER.items():
    for source in KINDS:
        for tested_on in KINDS:
            rows, usual = (
                answers_on(kinds[kind], tested_on, task) for kind in (source, "selfplay")
            )
            share = stats.mean_interval(rows[score], rows["game"], seed=seed).in_percent()
            transfer[source, tested_on, name] = share
            star = ""
            if source != "selfplay":
                apart = less(rows, usual, score)
                changed[source, tested_on, name] = apart
                if results.is_clear(apart, [apart.value], spread[name]):
                    star = " *"
                    differs.add((source, tested_on, name))
            row = shown.setdefault((title, KINDS[source]), {})
            row[f"tested on {KINDS[tested_on]}"] = f"{share:.1f}{star}"
report.table(
    pd.DataFrame(shown).T,
    caption="Trained on 36,000 games of a kind (rows), tested on each kind, 51 to 100 plies, %",
)

# %% [markdown]
# There is one training of each kind. A star marks what clearly differs from the model of engine
# games on the same questions (two seeds of plain UCI differ at most by: {glue:text}`spread_say`).
#
# ## Recap
#
# - The four questions of Table 3 have the paper's answers: {glue:text}`agree` of 4.
# - Of the {glue:text}`n_models` models of Table 6 these do not beat counting after 51 to 100 plies:
#   {glue:text}`not_above`.
# - L less S at equal tokens, legal answers: {glue:text}`games_recap`.
# - {glue:text}`starts_recap`
# - {glue:text}`notations_recap`
# - A random legal square is the one played in {glue:text}`random_end` % of the questions; in the
#   paper in {glue:text}`random_end_paper` %.
# - {glue:text}`kinds_recap`
#
# All these models have read the whole game. The next chapter takes the older moves away.

# %% tags=["hide-input"] mystnb={"code_prompt_show": "What the numbers allow to say: pieces, starts and ends"}
short = {title: table["lgm"].droplevel("band") for title, table in scores.items()}


def legal_of(title, task="end_actual"):
    """Legal answers of a row of the tables, in per cent."""
    return f"{short[title][task].value.value:.1f} %"


by_square, by_type = (
    grounds[name].loc[("end_actual", "long"), "lgm"] for name in ("came_from", "type")
)
last_known = grounds["last"].loc[("start_actual", "long"), "lgm"].value
of_l = of_pieces["L UCI"].map(lambda share: f"{share.value:.0f} %")
few_games, paper_model = (trained.loc[run] for run in alone.values())
few_passes = [each["dev_perplexity"] for each in few_games["log"]]
moved, another = (answered["L-uci-1"].loc[ask(task).index] for task in probes.END_TASKS)
moved_less_another = less(moved, another)
report.paste(
    result=Markdown(
        f"**{legal_of('L UCI')}.** So often a model that has read the moves of "
        f"{trained.loc['L-uci-1', 'games']:,} games and nothing else names a "
        "legal square, asked where the "
        "piece goes that moves next, after 51 to 100 plies; counting where "
        "pieces that had come the same way "
        f"went, which follows no game, gives {by_square.value:.1f} %, counting "
        "by the type of the piece "
        f"{by_type.value:.1f} %."
    ),
    pieces_say=f"Of its answers about knights {of_l['knight']} are legal, about "
    f"kings {of_l['king']}; out of "
    f"check {of_l['not in check']}, in check {of_l['in check']}.",
    few_say=f"A model like it that read {few_games['games']:,} games comes to "
    f"{legal_of('XS UCI')} (overfitted: dev games were foreseen best after pass "
    f"{np.argmin(few_passes) + 1} of {len(few_passes)}); the paper's own model, "
    f"{paper_model['parameters'] / trained.loc['L-uci-1', 'parameters']:.0f} "
    "times as large and trained by its "
    f"own recipe on {paper_model['games']:,} of our games, to "
    f"{legal_of(list(alone)[1])}.",
    types_say="Asked where a type of piece stands, a model that was shown the "
    "types of some moves in training "
    "and of none when asked (L UCI + RAP) is right in "
    f"{legal_of('L UCI + RAP', 'start_actual')}, "
    "one that is told the type of every move (L UCI + AP) in "
    f"{legal_of('L UCI + AP', 'start_actual')}; "
    f"where such a piece went last is right in {last_known:.1f} %.",
    starts_recap="More than where such a piece went last is known to "
    + report.listed(
        [title for title, apart in beyond_last["start_actual"].items() if apart.low > 0]
    )
    + "; less to "
    + report.listed(
        [title for title, apart in beyond_last["start_actual"].items() if apart.high < 0]
    )
    + ".",
    second_say="Above counting by type (‡ else) are: "
    + report.listed(
        [
            t
            for t, own in short.items()
            if own["end_actual"].above and own["end_actual"].above_second
        ]
    )
    + f". The paper's own S UCI prints {printed['end'].loc['S UCI', 'LgM Actual Acc.']:.1f} %, less than the "
    f"{by_type.value:.1f} % of counting by type on our questions.",
    other_say="Legal answers of L UCI about the piece that is moved next, less "
    "those about another on the same "
    f"prefixes: {moved_less_another:+.1f} points.",
    not_above=report.listed(
        [title for title, own in short.items() if not own["end_actual"].above]
    ),
    n_models=len(scores),
    agree=agree,
    counted=f"{sizes.counted:,}",
    last_question=len(ask("end_actual")) - 1,
    random_end=f"{draw_evenly('end_actual').value:.1f}",
    random_end_paper=f"{printed['end'].loc['Random Legal', 'ExM Acc.']:.1f}",
)

# %% tags=["hide-input"] mystnb={"code_prompt_show": "What they allow to say: types, games and errors"}
EQUAL = {
    "S": ("L-uci-1", "S-uci-1x12"),
    "L": ("L-half_uci-1", "S-uci-1"),
}  # many games, and few
at_equal = {size: less(*(of_reading[run] for run in pair)) for size, pair in EQUAL.items()}
perplexity_change = {
    size: results.change_of_perplexity(*(losses[run] for run in pair), seed=seed)
    for size, pair in EQUAL.items()
}
seed_alone = results.seed_noise(of_seeds((size, "uci"), "lgm") for size in "SL")
more_games = compare_seeds(("L", "uci"), ("S", "uci"), "lgm")[1]
millions = {
    size: f"{trained.loc[few, 'tokens'] / 1e6:.0f} million" for size, (_, few) in EQUAL.items()
}
decided = [
    millions[size]
    for size, apart in at_equal.items()
    if results.is_clear(apart, [apart.value], seed_alone)
]
passes_of = [each["dev_perplexity"] for each in trained.loc["S-uci-1x12", "log"]]
told = {True: [], False: []}
for (score, size, model_read), (_, pooled) in compared.items():
    if score == "exm":
        row = f"{size} {results.NOTATION_ROWS[model_read]}"
        told[clear[score, size, model_read]].append(f"{row} ({pooled.value:+.1f} points)")
type_gain = {
    score: grounds["type"].loc[("end_actual", "long"), score].value
    - grounds["came_from"].loc[("end_actual", "long"), score].value
    for score in MEASURES
}
of_s = of_seeds(("S", "uci"), "exm")
games_recap = f"{at_equal['L']:+.1f} and {at_equal['S']:+.1f} points"


def share_of_errors(title, *kinds_of_error):
    hits = wrong[title]["error"].isin(kinds_of_error)
    return stats.mean_interval(hits, wrong[title]["game"], seed=seed).in_percent()


pieces_of_s, pieces_of_l = (
    share_of_errors(title, "wrong piece") for title in ("S UCI", "L UCI")
)
rest = share_of_errors("L UCI", "path obstruction", "pseudo-legal")
elsewhere = [
    ("random", kind, name) for kind in ("selfplay", "people") for name in ("lgm_other", "exm")
]
other_gain, played_loss = (changed["random", "selfplay", name] for name in ("lgm_other", "exm"))
teaches_rules = differs.issuperset(elsewhere) and other_gain.value > 0 > played_loss.value
report.paste(
    clear_means=results.CLEAR,
    games_recap=games_recap,
    games_say="From S to L the legal answers of plain UCI change by "
    f"{more_games:+.1f} points, with twice the "
    f"tokens. At equal tokens, {millions['L']} and {millions['S']}, the many "
    f"games change them by {games_recap}; "
    f"clear at: {report.listed(decided, 'neither')}. Perplexity changes by "
    f"{perplexity_change['L'].value:+.0f} and "
    f"{perplexity_change['S'].value:+.0f} %. Of the twelve passes over S the "
    "dev games choose number "
    f"{np.argmin(passes_of) + 1} (perplexity {min(passes_of):.1f}, after the "
    f"last {passes_of[-1]:.1f}); the "
    "weights are those of the last.",
    notations_say=f"Clear changes of the moves named as played: {report.listed(told[True])}.",
    notations_recap="In the paper RAP adds "
    f"{in_paper['lgm', 'S UCI + RAP']:.1f} points of legal answers at S, to a "
    "plain model of "
    f"{printed['end'].loc['S UCI', 'LgM Actual Acc.']:.1f} %; to ours of "
    f"{legal_of('S UCI')} it adds "
    f"{compared['lgm', 'S', 'uci_rap'][1]:+.1f}. Whether types make a model "
    "name the move played more often is not "
    f"clear for {report.listed(told[False])}.",
    seeds_say=f"The {len(of_s)} seeds of S UCI name the move played in "
    f"{min(of_s):.1f} to {max(of_s):.1f} % of the "
    "questions, so that a single pair of trainings may differ by as much "
    "without any types. Being told the type "
    f"is worth {type_gain['lgm']:+.1f} points of legal answers to counting, "
    f"too, and {type_gain['exm']:+.1f} of "
    "moves as played.",
    errors=f"Wrong pieces are {pieces_of_s:.0f} % of the errors of S UCI and "
    f"{pieces_of_l:.0f} % of those of L UCI; "
    f"of the latter, {rest:.0f} % are blocked paths and checks, which ask for "
    "the rest of the board.",
    spread_say="; ".join(
        f"{TRANSFER[name][2]}: {apart:.1f} points" for name, apart in spread.items()
    ),
    kinds_say="If a model reads random games in place of an engine's, the legal "
    "answers about a piece that is "
    f"not moved next change by {other_gain.value:+.0f} points on an engine's "
    "games, the moves named as played by "
    f"{played_loss.value:+.0f}"
    + (": it learns the rules better, and play worse." if teaches_rules else "."),
    kinds_recap="On people's games, training on such games in place of an "
    "engine's changes the legal answers by "
    f"{changed['people', 'people', 'lgm']:+.1f} points.",
)

# %% tags=["hide-input"] mystnb={"code_prompt_show": "Results kept in book/results"}
place_of = {row["title"]: place for place, row in chosen.iterrows()}
place_of |= {"XS UCI": ("XS", "uci"), "Paper's model": ("15000", "paper_uci")}
cells = {
    (cell.table, cell.row, cell.column): cell
    for cell in reference.load("state_tracking")
    if "contradiction" not in cell.flags
}
values = {}
published = {}
for title, table in scores.items():
    for part in results.PROBE_PARTS.values():
        for column, (which, score) in part.items():
            for kind, number in (("start", "table5"), ("end", "table6")):
                if (task := f"{kind}_{which}") in short[title]:
                    key = (score, *place_of[title])
                    values.setdefault(task, {})[key] = table.loc[(task, "long"), score].value
                    cell = cells.get((number, beside_paper.get(title, title), column))
                    published.setdefault(task, {})[key] = cell
baselines = pd.concat(grounds).droplevel("band").swaplevel()  # by task and what is counted
chances = {
    f"table{number}.random_legal": report.rows(
        draw_evenly(task),
        f"table{number}.random_legal",
        unit="%",
        reference=cells[f"table{number}", "Random Legal", "ExM Acc."],
    )
    for number, task in ((5, "start_actual"), (6, "end_actual"))
}
name_errors = {title: ".".join(place_of[title]) for title in plain_titles}
name_errors["came_from"] = "baseline.came_from"
counted_errors = errors.rename(name_errors)
counted_errors.columns = counted_errors.columns.str.replace("[ -]", "_", regex=True)
n_errors = 2 * len(ask("end_actual"))
in_keys = {"counts by square": "by_square", "counts by type": "by_type"}
in_keys |= {f"{size} UCI": size for size in "LMS"}
report.save(
    "13_board_probes",
    *(
        report.rows(of_task, task, unit="%", reference=published[task])
        for task, of_task in values.items()
    ),
    *(
        report.rows(baselines[score], f"baseline.{kind}", unit="%", drop=True)
        for score, kind in (("lgm", "counts"), ("rprec", "counts_rprec"), ("exm", "counts_exm"))
    ),
    *chances.values(),
    {"random_legal.exm": chances["table6.random_legal"]["table6.random_legal"]},
    report.rows(report.Result(len(typed), unit="models"), "table5.rows"),
    report.rows(report.Result(len(scores), unit="models"), "table6.rows"),
    report.rows(report.Result(agree, n=4, unit="rows"), "table3.agree"),
    report.rows(
        {
            (score, size, model_read.removeprefix("uci_")): pooled
            for (score, size, model_read), (_, pooled) in compared.items()
        },
        "by_seed",
        unit="points",
    ),
    report.rows({"lgm.L_less_S": more_games}, "more_games", unit="points"),
    report.rows(at_equal, "equal_tokens", unit="points"),
    report.rows(perplexity_change, "equal_tokens.perplexity", unit="% of perplexity"),
    report.rows(men["L UCI"], "legal.by_piece", unit="%"),
    report.rows(of_pieces["L UCI"].drop(men.index), "legal", unit="%"),
    report.rows(of_pieces.rename(columns=in_keys).T, "legal.by_piece_of", unit="%"),
    report.rows(
        {(size, "uci"): share for size, share in every_ply.items()}
        | {"commonest_answer": by_reply},
        "legal.every_ply",
        unit="%",
    ),
    report.rows(beyond_type.rename(place_of).T, "less_type", unit="points"),
    report.rows(beyond_last.rename(place_of).T, "less_last", unit="points"),
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
            lambda count: report.Result(int(count), n=n_errors, unit="answers")
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
    f"{len(fifty)} questions, "
    f"{np.mean([len(each) for each in legal_squares]):.1f} legal squares each"
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
    "`first_square`. Sum the probabilities of `legal_squares`, question by "
    "question: two "
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
    "The first 200 questions on pieces that are no pawns; for each the legal "
    "squares over "
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
    "Move the column `prefix` on by one question and leave prompt and legal "
    "squares as "
    "they are; two shares, and the second the smaller.",
    legal_after=legal_after,
)
