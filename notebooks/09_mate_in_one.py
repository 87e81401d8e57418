# ---
# jupyter:
#   kernelspec:
#     display_name: Python 3 (ipykernel)
#     language: python
#     name: python3
# ---

# %% [markdown]
# # Mate in one: how much chess does a language model know?
#
# {glue:text}`model` finds the mate in {glue:text}`bare:.1f` % of {glue:text}`asked_n` positions with a
# mate in one. A random legal move finds it there in {glue:text}`chance_there:.1f` %. If the model is told that there is a
# mate, it finds {glue:text}`hint:.1f` %; if it is told the move itself, {glue:text}`expert:.1f` %.
# Stockfish, stopped after one node, finds {glue:text}`stockfish:.0f` %. {glue:md}`stronger_says`
#
# A commentator who cannot see a mate on the board should not explain one. The CCC paper
# {cite}`kim2024ccc` asks language models for the mate in 1,000 Lichess puzzles (Table 7): GPT-4o finds
# 56 %, ChessGPT 12 %, the others hardly any. Ours come from engine games. Below is one of them.

# %% tags=["parameters", "hide-input"]
profile = "book"
seed = 1
model = "qwen2.5-coder-1.5b-q4_k_m"
puzzles = ""  # path of Lichess's lichess_db_puzzle.csv.zst, if you have it
problem_number = 0

# %% tags=["hide-input"]
import html
from pathlib import Path

import chess
import chess.svg
import matplotlib.pyplot as plt
import numpy as np
import pandas as pd
from IPython.display import Markdown
from chessgloss import engine, report
from chessgloss.corpora.games import of_split, read_games
from chessgloss.experts import load_expert
from chessgloss.llm.client import model_title, recorded_models, replay
from chessgloss.stats import mean_interval, paired_permutation, share_of
from chessgloss.positions import split_of
from chessgloss.book import reference
from chessgloss.book.profiles import load_sizes
from chessgloss.skill import mates
from chessgloss.skill.players import (
    Asked,
    NnuePlayer,
    StockfishPlayer,
    mate_detected,
    nickname,
    read_answer,
    read_reply,
)
from chessgloss.store import find_project
from chessgloss.tracking.player import tracking_players

sizes = load_sizes("09_mate_in_one", profile)
report.use_house_style()
problems = mates.read_problems(count=sizes.problems)
recorded = problems[: sizes.recorded]

# %%
problem = recorded[problem_number]
board = chess.Board(problem.fen)
mating = []
for move in list(board.legal_moves):
    board.push(move)
    if board.is_checkmate():
        mating.append(move)
    board.pop()
arrows = [
    chess.svg.Arrow(move.from_square, move.to_square, color="#009E73c0") for move in mating
]
drawing = chess.svg.board(board, size=300, arrows=arrows, orientation=board.turn)
report.Html(drawing, board.fen())

# %%
print(
    "White" if board.turn else "Black",
    "to move;",
    len(mating),
    "of",
    board.legal_moves.count(),
    "legal moves mate:",
    *map(board.san, mating),
)
assert {move.uci() for move in mating} == set(problem.mates)

# %% [markdown]
# In this chapter we
#
# - pose one problem, read the answers, and look at them on the board;
# - choose a thousand positions with a mate in one, from games on which nothing was fitted;
# - ask in the paper's three ways, and in a fourth in which an expert network decides on the hint;
# - define exactly what counts as an answer;
# - see what a random move, Stockfish at one node and a network at one ply achieve;
# - compute Table 7, with the paper's values beside ours;
# - ask models that were trained on games alone;
# - classify the failures: no move, an illegal move, no check, a check but no mate;
# - ask what makes a problem hard: the number of legal moves, or the piece that mates.
#
# ## One problem, step by step
#
# What the model reads is two messages; here with the position alone (`bare`):

# %%
questions = mates.mate_questions([problem]).set_index("prompt")
for message in questions.loc["bare", "request"].messages:
    print(f"[{message.role}]\n{message.content}\n")

# %% [markdown]
# The model's answers to three prompts are recorded: the position alone (`bare`), with an engine's best
# move (`expert`), and with the hint that there is a mate (`hint`). `python-chess` reads the text as a
# move, makes the move, and says whether it is mate.

# %%
replayed = replay(sizes.purpose, model).answered(mates.mate_questions(recorded))
texts = {(each.problem.name, each.prompt): each.answer.text for each in replayed.itertuples()}


def play(fen, text):
    """Return the move that a text names (or None), and what becomes of it."""
    board = chess.Board(fen)
    try:
        move = board.parse_san(text.strip())
    except chess.IllegalMoveError:
        return None, "illegal"
    except (chess.InvalidMoveError, chess.AmbiguousMoveError):
        return None, "unreadable"
    board.push(move)
    if board.is_checkmate():
        return move, "mate"
    return move, "check" if board.is_check() else "no check"


rows = {}
drawings = []
for kind in mates.TABLE7:
    text = texts[problem.name, kind]
    move, outcome = play(problem.fen, text)
    rows[kind] = {"answer": text, "move": move or "", "outcome": outcome}
    arrows = [chess.svg.Arrow(move.from_square, move.to_square)] if move else []
    drawing = chess.svg.board(board, size=190, arrows=arrows, orientation=board.turn)
    caption = f"{kind}: {html.escape(text)} ({outcome})"
    drawings.append(report.Html(f"<p>{caption}</p>{drawing}", caption))
report.boards(*drawings)

# %% [markdown]
# A board without an arrow means that the answer cannot be played. Change `problem_number` to
# see another. The library does the same for all problems and reads a little more: words around
# a move, or squares instead of SAN. How often do the lines above agree with the library?


# %% tags=["hide-input"] mystnb={"code_prompt_show": "Ask with the library, and compare"}
def ask(client, problems):
    """Return the answers to the three prompts: rows problem, prompt, answer (read), outcome."""
    asked = client.answered(mates.mate_questions(problems))
    asked["answer"] = [
        read_reply(each.answer, each.problem.board) for each in asked.itertuples()
    ]
    asked["outcome"] = list(map(mates.outcome_of, asked["problem"], asked["answer"]))
    return asked


by_library = ask(replay(sizes.purpose, model), recorded)
same = [
    play(each.problem.fen, texts[each.problem.name, each.prompt])[1] == each.outcome
    for each in by_library.itertuples()
]
for each in by_library[by_library["problem"] == problem].itertuples():
    rows[each.prompt]["library"] = each.outcome
print(f"the same outcome: {sum(same)} of {len(same)} answers")
report.table(pd.DataFrame(rows).T, caption=f"The problem above, {problem.name}")

# %% [markdown]
# ## The problems
#
# We searched every position of every held-out self-play game, whether the mate was played or missed.
# Positions with fewer than five legal moves, or in which more than a quarter of the moves mate, are
# trivial and left out. A game gives at most one problem. The problems are balanced by phase, side and
# mating piece, so knights and pawns mate more often here than in games. The data sheet
# `data/mates/README.md` describes every step.
#
# Lichess's puzzles, which the paper used, are chosen to have one solution. Ours often have several,
# and each counts.

# %% tags=["hide-input"] mystnb={"code_prompt_show": "Count the problems' kinds"}
kinds = pd.DataFrame(
    [
        (
            f"of {split_of(each.game)} games",
            f"phase: {each.phase}",
            f"side: {each.side}",
            f"piece: {each.piece}",
            len(each.mates) > 1,
            each.legal_moves,
        )
        for each in problems
    ],
    columns=["split", "phase", "side", "piece", "several", "legal moves"],
)


def count_kinds(kinds):
    counts = {
        name: int(count)
        for column in ("split", "phase", "side", "piece")
        for name, count in kinds[column].value_counts().sort_index().items()
    }
    return {
        "problems": len(kinds),
        **counts,
        "share with several mates": kinds["several"].mean(),
        "median legal moves": kinds["legal moves"].median(),
    }


report.boards(
    report.sheet("all", count_kinds(kinds)),
    report.sheet("asked of language models", count_kinds(kinds[: len(recorded)])),
)

# %% tags=["hide-cell"] mystnb={"code_prompt_show": "A problem for each piece"}
shown = {each.piece: each for each in reversed(recorded)}
report.boards(*(report.board(each.first, size=210) for _, each in sorted(shown.items())))

# %% [markdown]
# ## Four prompts
#
# The paper prints its prompts with one position (Figure A5). Ours keep each of their elements
# in our own words: the FEN, the task, SAN; the engine's best move, or the hint. The fourth prompt,
# `vector`, takes the paper's idea literally. The hint is what a *concept* would tell. So it is given
# only where the concept vector for mate in one detects the mate in the network's activations. In the
# paper the hint is given on every problem.

# %%
fen = "N6r/1p1k1ppp/2np4/b3p3/4P1b1/N1Q5/P4PPP/R3KB1R b KQ - 0 18"
printed = mates.Problem("figureA5", 35, fen, ("a5c3",))
rows = {
    each.prompt: " ¶ ".join(
        " / ".join(message.content.splitlines()) for message in each.request.messages
    )
    for each in mates.mate_questions([printed]).itertuples()
}
report.boards(report.board(printed.asked.position, size=280), report.texts(rows, "Figure A5"))

# %% [markdown]
# The engine's best move is the first of the mates in the order of their squares, since all mates in one
# are worth the same to an engine. Does Stockfish agree that nothing is better?

# %%
analyses = engine.analyse_many(
    [each.asked.position for each in recorded], nodes=sizes.nodes, progress=False
)
agreed = sum(
    analysis.lines[0].moves[0] in each.mates
    for analysis, each in zip(analyses, recorded, strict=True)
)
print(f"Stockfish's best move mates in {agreed} of {len(recorded)} problems")

# %% [markdown]
# ## What counts as an answer
#
# An answer is one move, in SAN or by its squares, alone or with words around it. Signs and move
# numbers are ignored, whether right or wrong; capitals matter. A legal move counts if it mates,
# whichever mate it is. Nothing is repaired or guessed.

# %%
replies = [
    "Bxc3#",
    "Bxc3",
    "18... Bxc3+",
    "a5c3",
    "The best move is Bxc3#.",
    '{"move": "Bxc3#"}',
    "bxc3",
    "Qxc3#",
    "Bishop takes c3",
    "Bxc3 or Bb4",
    "Nd4",
    "Bb4",
    "I cannot tell.",
]
answers = [read_answer(text, printed.board) for text in replies]
ends = [mates.outcome_of(printed, answer) for answer in answers]
report.table(
    pd.DataFrame(
        {
            "said": replies,
            "read as": [answer.san or answer.uci or "" for answer in answers],
            "outcome": ends,
        }
    ).set_index("said")
)

# %% [markdown]
# ## Without language
#
# Three players see the board and use no language. For a random legal move the chance is exact: the
# number of mates over the number of legal moves. Stockfish is told to stop after one node, but it
# checks that limit only after it has tried every legal move once. Stockfish's network, alone,
# evaluates the position after each move and takes the best one. It was never shown a mated king and
# knows no rules.

# %%
positions = [each.asked for each in problems]
expert = load_expert("nnue")
live = [StockfishPlayer(1), NnuePlayer(expert)]
played = [
    mates.outcomes(problems, player.choose(positions), player.name, "board") for player in live
]
chances = [len(each.mates) / each.legal_moves for each in problems]
chance = mean_interval(chances, seed=seed)
chance_there = mean_interval(chances[: len(recorded)], seed=seed)
visited = [
    each.nodes
    for each in engine.analyse_many(
        [each.position for each in positions[:60]], nodes=1, progress=False
    )
]
print(f"told one node: {pd.Series(visited).median():.0f} in the median, n = {len(visited)}")


# %% tags=["hide-input"] mystnb={"code_prompt_show": "Count outcomes"}
def count_outcomes(frame):
    names = frame["player"] + ", " + frame["prompt"]
    counts = pd.crosstab(names, frame["outcome"]).rename_axis(index=None, columns=None)
    present = [outcome for outcome in mates.OUTCOMES if outcome in counts]
    return counts.loc[names.unique(), present]


sighted = {"random": chance} | {
    frame["player"][0]: share_of(frame["mates"]) for frame in played
}
report.boards(
    report.table(pd.Series(sighted).to_frame("mates"), caption="Players that see the board"),
    report.table(count_outcomes(pd.concat(played)), caption="Outcome of their moves"),
)

# %% [markdown]
# ## What the vector detects
#
# The vector for mate in one was fitted on equal numbers of positions with and without one, and is
# right on four in five of them. All our problems have a mate in one. How often does the vector detect
# it? And how often does it see one where there is none, in positions of test games? On problems alone,
# a vector that always says yes would look perfect; only the second number gives meaning to the first.
# Mates in one are rare in play, so even a low rate of false alarms outnumbers the true ones. Only
# problems from test games are counted.

# %%
detected = mate_detected([each.fen for each in problems], expert)
tested = np.array([split_of(each.game) == "test" for each in problems])
recall = share_of(np.array(detected)[tested])
played_file = find_project() / "data" / "games" / "selfplay.tsv.zst"
games = of_split(read_games(played_file, sizes.games), "test")
asked_of = (fen for game in games for fen in game.fens()[20:-1:20])
without = [fen for fen in asked_of if not mates.mating_moves(chess.Board(fen))]
alarms = share_of(mate_detected(without, expert))

# %% tags=["hide-input"] mystnb={"code_prompt_show": "Lay out the table"}
by_piece = pd.Series(detected)[tested].groupby(kinds["piece"]).agg(share_of)
report.table(
    pd.concat(
        [pd.Series({"mates": recall}), by_piece, pd.Series({"no mate": alarms})]
    ).to_frame("detected"),
    caption="Where the vector sees a mate in one",
)

# %% [markdown]
# ## Table 7
#
# The answers of {glue:text}`model` are recorded, at temperature 0 and with at most twelve tokens. A
# model with an API key, or one served on your own machine, can play too: set `OPENAI_BASE_URL` and
# `OPENAI_API_KEY`, run the command in the last column, and execute this chapter again. Any other
# recorded model has a row of its own.

# %% tags=["hide-input"] mystnb={"code_prompt_show": "Gather all answers, those of other models too"}
requests = mates.mate_questions(recorded)["request"]
others = {model, *recorded_models(sizes.purpose, requests)} - {*mates.PAPERS_MODELS.values()}
names = {model_title(name): name for name in sorted(others)} | mates.PAPERS_MODELS
title = next(row for row, name in names.items() if name == model)
clients = {row: replay(sizes.purpose, name) for row, name in names.items()}
present = {
    row: client
    for row, client in clients.items()
    if names[row] == model or not client.missing(requests)
}
frames = []
for row, client in present.items():
    given = {
        kind: list(rows["answer"]) for kind, rows in ask(client, recorded).groupby("prompt")
    }
    given["vector"] = [
        hint if mate else bare
        for mate, hint, bare in zip(detected, given["hint"], given["bare"], strict=False)
    ]
    frames += [
        mates.outcomes(recorded, given[kind], row, kind) for kind in (*mates.TABLE7, "vector")
    ]
frame = pd.concat(frames)

# %% tags=["hide-input"] mystnb={"code_prompt_show": "Lay out Table 7"}
ours = frame.groupby(["player", "prompt"])["mates"].agg(share_of).unstack()
cells = {
    row: {
        kind: reference.lookup("ccc", "table7", row, column)
        for kind, column in mates.TABLE7.items()
    }
    for row in mates.PAPERS_MODELS
}
table = pd.DataFrame(index=[*mates.PAPERS_MODELS, *map(model_title, sorted(others))])
for kind in mates.TABLE7:
    table[kind] = ours[kind]
    table[f"{kind} (paper)"] = pd.Series({row: cells[row][kind].value for row in cells})
table["vector"] = ours["vector"]
to_fill = [names[row] for row in table.index if row not in present]
fill_says = "Every row has answers of ours."
if to_fill:
    fill_says = f"`make record MODEL=… PURPOSE={sizes.purpose}` fills the rows of others."
for row, client in present.items():
    origin = client.recordings.provenance(requests[0])
    if origin.endpoint == "batch":
        fill_says += f" {row} was asked in batches; its version and sampling are not known."
report.paste(fill_says=Markdown(fill_says))
report.table(
    table.astype(object).fillna(""),
    caption="Table 7: share of problems solved, and the paper's values",
)

# %% [markdown]
# {glue:md}`fill_says` Where the paper's text gives other numbers than its table ([chapter 17](17_released_code.ipynb)), the
# table is shown.
# The paper's 1,000 problems come from Lichess and ours do not, so a comparison of its rows with ours
# needs care: our problems are balanced over pieces, and a third have several solutions.

# %% [markdown]
# ## Trained on games alone
#
# ChessGPT, second in the paper's table, has read games and texts about them. The `tracking` models
# of chapter 12 have read only games, in a vocabulary of 77 words for squares and pieces. They are given
# the moves that led to the problem and predict the next one. Their answer need be neither legal nor a
# mate, and nothing tells them that there is a mate. The problems are the same.

# %%
games = {game.key: game for game in read_games(played_file)}
histories = [Asked(each.name, games[each.game].position(each.ply)) for each in recorded]
trained = pd.concat(
    mates.outcomes(recorded, player.choose(histories), player.name, "moves")
    for player in tracking_players()
)
moved = trained["outcome"].isin(["mate", "check", "no check"])

# %% tags=["hide-input"] mystnb={"code_prompt_show": "Lay out the table"}
legal = moved.groupby(trained["player"]).agg(share_of)
mating = trained.groupby("player")["mates"].agg(share_of)
among_legal = trained[moved].groupby("player")["mates"].agg(share_of)
report.table(
    pd.DataFrame({"legal moves": legal, "mates": mating, "mates among the legal": among_legal}),
    caption="Models trained on games alone, given the moves",
)

# %% [markdown]
# A random legal move mates in {glue:text}`chance_there:.1f` % of these problems, but it is told which moves
# are legal. The last column makes the comparison fair: where a model finds a legal move, does it mate
# more often than a random one?

# %% [markdown]
# ## Does the hint help?
#
# Each problem is asked in every way, so differences are computed problem by problem. The p-value is
# that of a permutation test.

# %%
wide = frame[frame["player"] == title].pivot(index="problem", columns="prompt", values="mates")
gains = {
    kind: paired_permutation(wide[kind], wide["bare"], seed=seed)
    for kind in ("expert", "hint", "vector")
}
shown = {
    f"{kind} less bare": {"difference": gain.difference, "p": gain.p}
    for kind, gain in gains.items()
}
report.table(pd.DataFrame(shown).T, digits=3)

# %% [markdown]
# With the engine's best move in the prompt, the task is to copy it. A model that fails here does not
# fail at chess.

# %% tags=["hide-input"] mystnb={"code_prompt_show": "Look for copied hints"}
copies = frame[(frame["prompt"] == "expert") & (frame["player"] == title)]
best = {each.name: each.first.san for each in recorded}
same = copies["text"].str.strip() == copies["problem"].map(best)
copied = share_of(same)
examples = {
    row.problem: f"told {best[row.problem]}, said “{row.text}” ({row.outcome})"
    for row in copies[~same].head(6).itertuples()
}
report.texts(
    examples or {"none": "every move was copied"},
    f"Share copied letter by letter: {copied:.2f}",
)

# %% [markdown]
# ## How they fail
#
# A legal move that gives check is close. An illegal move shows that the model does not see the
# board, and a text without a move that it does not follow the task.

# %% tags=["hide-input"] mystnb={"figure": {"caption": "How each player's answers to mate in one fail or succeed, as shares: mate, legal without mate, illegal, no move.", "name": "fig-09-failures"}, "image": {"alt": "Stacked horizontal bars, one for each player, parted by outcome."}}
failures = count_outcomes(pd.concat([frame, trained, *played]))
parts = failures.div(failures.sum(axis=1), axis=0).loc[::-1]
figure, axes = plt.subplots(figsize=(7.0, 0.34 * len(parts) + 1))
parts.index = [
    ", ".join(report.NAMES.get(word, word) for word in row.split(", ")) for row in parts.index
]
parts.plot.barh(stacked=True, ax=axes, width=0.75)
axes.set_xlabel("share of answers")
axes.set_ylabel("")
axes.legend(ncols=4, loc="lower center", bbox_to_anchor=(0.4, 1.0))
plt.show()

# %% tags=["hide-cell"] mystnb={"code_prompt_show": "The same as a table"}
report.table(failures, caption="Answers by outcome")

# %% [markdown]
# What does the model answer, and does the answer depend on the board?

# %%
of_model = frame[frame["player"] == title]
common = of_model.groupby("prompt")["text"].value_counts().groupby(level=0).head(4)
report.table(common.to_frame("answers"), caption="The most common answers")

# %% tags=["hide-cell"] mystnb={"code_prompt_show": "The first answer of each kind"}
first = of_model[of_model["prompt"] == "bare"].drop_duplicates("outcome")
lines = {
    f"{row.problem} ({row.outcome})": f"“{row.text}”; {best[row.problem]} mates"
    for row in first.itertuples()
}
report.texts(lines, "The first answer of each kind, asked with the position only")

# %% [markdown]
# ## What makes a problem hard
#
# With more legal moves a lucky guess is rarer. A model that does no better than a lucky guess, guesses.

# %% tags=["hide-input"] mystnb={"code_prompt_show": "Count by legal moves"}
everyone = pd.concat([frame[frame["prompt"].isin(["bare", "hint"])], *played])
everyone["asked"] = everyone["player"] + ", " + everyone["prompt"]
by_moves = everyone.groupby(["legal moves", "asked"], observed=True)["mates"].agg(share_of)
by_moves = by_moves.unstack()[everyone["asked"].unique()]
lucky = pd.Series(chances).groupby(played[0]["legal moves"], observed=True).mean()
by_moves.insert(0, "random", lucky)
report.table(by_moves, caption="By number of legal moves")

# %% tags=["hide-cell"] mystnb={"code_prompt_show": "By the piece that mates"}
by_mating_piece = everyone.groupby(["piece", "asked"])["mates"].agg(share_of).unstack()
report.table(by_mating_piece[everyone["asked"].unique()], caption="By the piece that mates")

# %% [markdown]
# ## Lichess's own puzzles
#
# If the puzzle file is there (<https://database.lichess.org>, parameter `puzzles`), the same players
# are asked its first mates in one. So is each language model whose answers to them are recorded
# (`make record PURPOSE=mate_in_one_lichess`). This is the paper's own Table 7.

# %% tags=["hide-input"] mystnb={"code_prompt_show": "Read Lichess's problems, if they are there"}
lichess = mates.lichess_problems(Path(puzzles), sizes.problems) if puzzles else []
theirs = [each.asked for each in lichess]
solved = {
    player.name: share_of(
        mates.outcomes(lichess, player.choose(theirs), player.name, "board")["mates"]
    )
    for player in live
    if lichess
}
lichess_questions = mates.mate_questions(lichess)["request"] if lichess else []
for name in recorded_models("mate_in_one_lichess", lichess_questions) if lichess else ():
    for kind, rows in ask(replay("mate_in_one_lichess", name), lichess).groupby("prompt"):
        solved[f"{model_title(name)}, {kind}"] = share_of(rows["outcome"] == "mate")
report.sheet("mates in one of Lichess", solved or {"problems": 0})

# %% [markdown]
# ## Recap
#
# - *Without language.* Stockfish's network, looking one ply ahead, finds {glue:text}`nnue:.0f` % of
#   the mates.
# - *Without looking.* Given the position alone, {glue:text}`model` answers “{glue:text}`habit`” on
#   {glue:text}`habitual:.0f` % of the boards, and {glue:text}`illegal:.0f` % of its answers are illegal.
#   {glue:md}`stronger_says`
# - *With a concept.* The vector detects {glue:text}`recall:.0f` % of the mates, and sees one in
#   {glue:text}`alarms:.0f` % of the positions without a mate. With the hint given where it detects one,
#   {glue:text}`model` solves {glue:text}`vector:.1f` %.
# - *Trained on games alone.* {glue:text}`most_legal` is legal most often, in
#   {glue:text}`games_legal:.0f` % of the problems; {glue:text}`most_mates` mates most often, in
#   {glue:text}`games_mates:.1f` %.
# - Rows of models that need a key show the paper's values.

# %% tags=["hide-input"]
bare = of_model[of_model["prompt"] == "bare"]["outcome"]
glued = {kind: 100 * interval.value for kind, interval in ours.loc[title].items()}
glued |= {
    "model": title,
    "chance": 100 * chance.value,
    "recall": 100 * recall.value,
    "alarms": 100 * alarms.value,
    "stockfish": 100 * sighted["stockfish_1_node"].value,
    "nnue": 100 * sighted["nnue_one_ply"].value,
    "illegal": 100 * float((bare == "illegal").mean()),
    "habit": common["bare"].index[0],
    "habitual": 100 * float(common["bare"].iloc[0] / len(bare)),
}
most_legal = legal.map(lambda share: share.value).idxmax()
most_mates = mating.map(lambda share: share.value).idxmax()
glued |= {
    "asked_n": len(recorded),
    "chance_there": 100 * chance_there.value,
    "most_legal": most_legal,
    "most_mates": most_mates,
    "games_legal": 100 * legal[most_legal].value,
    "games_mates": 100 * mating[most_mates].value,
}
stronger_says = ""
best = ours["bare"].map(lambda share: share.value).idxmax()
solved = ours.loc[best]
if solved["bare"].low > ours.loc[title, "bare"].high:
    stronger_says = (
        f"{best} finds {100 * solved['bare'].value:.1f} % from the position alone and "
        f"{100 * solved['hint'].value:.1f} % with the hint"
    )
    at_the_ceiling = solved["bare"].high == 1
    stronger_says += ", so that no hint can help it." if at_the_ceiling else "."
report.paste(**glued, stronger_says=Markdown(stronger_says))

# %% tags=["hide-input"]
of_problems = "share of problems"
table7 = []
for player, name in names.items():
    printed_row = cells.get(player, {})
    values = (
        ours.loc[player]
        if player in present
        else {
            kind: report.Result(
                None,
                unit=of_problems,
                reference=cell.value,
                source=cell.key,
                needs=f"recorded answers of {name}",
            )
            for kind, cell in printed_row.items()
        }
    )
    table7.append(
        report.rows(
            values, f"mate_in_one.{nickname(name)}", unit=of_problems, reference=printed_row
        )
    )
report.save(
    "09_mate_in_one",
    *table7,
    report.rows(
        {name: {"board": value} for name, value in sighted.items()},
        "mate_in_one",
        unit=of_problems,
    ),
    report.rows(recall, "mate_in_one.vector.recall", unit=of_problems),
    report.rows(alarms, "mate_in_one.vector.false_alarms", unit="share of positions"),
    report.rows(len(mates.TABLE7), "figure_a5.prompts", unit="prompts"),
    report.rows(len(problems), "mate_in_one.problems.chosen", unit="problems"),
    report.rows(
        pd.DataFrame({"moves": mating, "legal": legal}), "mate_in_one", unit=of_problems
    ),
    report.rows(
        {kind: gain.difference for kind, gain in gains.items()},
        "mate_in_one.gain",
        unit="share, less bare",
    ),
)

# %% tags=["hide-input"]
report.evidence(
    len(problems),
    "problems",
    seed,
    clusters=len(problems),
    interval="95 %: Wilson; bootstrap for the random move, adjusted Wald for differences",
    versions={
        "model": f"{replay(sizes.purpose, model).told()}, {len(recorded)} problems",
        "engine": f"{engine.version()}, 1 node",
        "network": "nn-ad9b42354671, one ply",
        "prompts": "mate_bare@1, mate_expert@1, mate_hint@1",
    },
)

# %% [markdown]
# ## Exercises
#
# **1. Your own answer.** `read_answer` reads a text as a move in a position. Which of these
# does it take for the mating move of the first problem: the SAN, the UCI, a sentence, two
# moves, a move that is not legal?

# %% tags=["solution", "hide-cell"]
# Five ways to answer, and what each is read as.
asked_problem = recorded[problem_number]
mate_uci = asked_problem.mates[0]
mate_san = asked_problem.board.san(chess.Move.from_uci(mate_uci))
said = [
    mate_san,
    mate_uci,
    f"I would play {mate_san}, and it is mate.",
    f"{mate_san} or {asked_problem.board.san(next(iter(asked_problem.board.legal_moves)))}",
    "Qz9#",
]
read_as = [
    mates.outcome_of(asked_problem, read_answer(text, asked_problem.board)) for text in said
]
report.table(pd.DataFrame({"read as": read_as}, index=said))

# %% tags=["check", "remove-cell"]
report.check(
    "Five outcomes, in the order of the question, each by `mates.outcome_of` of what "
    "`read_answer` reads; two different moves name none.",
    read_as=read_as,
)

# %% [markdown]
# **2. Beat chance without an engine.** Write a player that prefers checks and draws one of them at
# random. How many of the problems does it solve on average, and how does that compare with `chance`?


# %% tags=["solution", "hide-cell"]
# The chance to solve each problem by a check drawn at random.
def solved_by_check(each):
    checks = [move.uci() for move in each.board.legal_moves if each.board.gives_check(move)]
    return len(set(checks) & set(each.mates)) / len(checks)


by_check = mean_interval([solved_by_check(each) for each in problems], seed=seed)
report.sheet("problems solved", {"a random check": by_check, "a random legal move": chance})

# %% tags=["check", "remove-cell"]
report.check(
    "For each problem the checks that mate over all checks; then their mean, with its "
    "interval over problems.",
    by_check=by_check,
)

# %% [markdown]
# **3. Break the problem.** Take the mating piece off the board. Is there still a mate in one in
# any of the first 200 problems, and what does that say of answers that name a mate which is not
# there?


# %% tags=["solution", "hide-cell"]
# Problems that keep a mate when the mating piece is gone.
def mates_without_the_piece(each):
    lighter = each.board.copy()
    lighter.remove_piece_at(chess.Move.from_uci(each.mates[0]).from_square)
    return lighter.is_valid() and bool(mates.mating_moves(lighter))


left = [
    mates_without_the_piece(each)
    for each in problems[:200]
    if each.board.piece_type_at(chess.Move.from_uci(each.mates[0]).from_square) != chess.KING
]
still_mate = {"problems": len(left), "with a mate": sum(left)}
report.sheet("without the mating piece", still_mate)

# %% tags=["check", "remove-cell"]
report.check(
    "Of the first 200 problems leave out those in which the king mates; remove the piece "
    "that stands where the first mate starts. Two counts: problems looked at, and those "
    "with a mate left.",
    still_mate=still_mate,
)
