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
# A commentator who cannot see a mate on the board should not explain one. The CCC paper
# {cite}`kim2024ccc` asks language models for the mate in 1,000 puzzles (Table 7): GPT-4o finds
# 56 %, ChessGPT 12 %, the others hardly any. Below is one of our problems. A random legal move
# mates in {glue:text}`chance:.1%` of them; the Qwen model in {glue:text}`bare:.1%` told the
# position, in {glue:text}`hint:.1%` told that there is a mate, in {glue:text}`expert:.1%` told the
# move itself. Stockfish mates in {glue:text}`stockfish:.0%` at one node.

# %% tags=["parameters", "hide-input"]
profile = "book"
seed = 1
model = "qwen2.5-coder-1.5b-q4_k_m"
puzzles = ""  # path of Lichess's lichess_db_puzzle.csv.zst, if you have it
problem_number = 0

# %% tags=["hide-input"]
import html
import json
from pathlib import Path

import chess
import chess.svg
import matplotlib.pyplot as plt
import pandas as pd
from myst_nb import glue
from chessgloss import engine, proportions, report
from chessgloss.corpora.games import read_games
from chessgloss.experts import load_expert
from chessgloss.llm import replay
from chessgloss.stats import mean_interval, paired_permutation
from chessgloss.positions import split_of
from chessgloss.book.profiles import load_sizes
from chessgloss.skill import mate_outcomes, mate_prompts, mates, players, seen
from chessgloss.skill.answers import read_answer
from chessgloss.skill.engine_players import NnuePlayer, StockfishPlayer
from chessgloss.skill.llm_players import nickname
from chessgloss.store import Evidence, find_project
from chessgloss.tracking.runs import tracking_players

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
arrows = [chess.svg.Arrow(move.from_square, move.to_square, color="#009E73c0")
          for move in mating]
drawing = chess.svg.board(board, size=300, arrows=arrows, orientation=board.turn)
report.Html(drawing, board.fen())

# %%
print("White" if board.turn else "Black", "to move;", len(mating), "of",
      board.legal_moves.count(), "legal moves mate:", *map(board.san, mating))
assert {move.uci() for move in mating} == set(problem.mates)

# %% [markdown]
# In this chapter we
#
# - ask one problem, read the answers, and look at them on the board;
# - choose a thousand positions with a mate in one, from games that nothing was fitted on;
# - ask in the paper's three ways, and in a fourth in which an expert network decides on the hint;
# - say exactly what counts as an answer;
# - see what a random move, Stockfish at one node and a network at one ply achieve;
# - make Table 7, with the paper's values beside ours;
# - ask models that were trained on nothing but games;
# - sort the failures: no move, an illegal one, no check, a check that is no mate;
# - ask what makes a problem hard: the number of legal moves, the piece that mates.
#
# ## One problem, step by step
#
# What the model reads is two messages; here with the position alone (`bare`):

# %%
for message in mate_prompts.mate_request(problem, "bare").messages:
    print(f"[{message.role}]\n{message.content}\n")

# %% [markdown]
# The model's answers are recorded, here those to three prompts: the position (`bare`), an engine's
# best move (`expert`), and the hint that there is a mate (`hint`). `python-chess` reads the text as
# a move; then the move is made, and the board says whether it is mate.

# %%
path = find_project() / "data" / "recordings" / model / f"{sizes.purpose}.jsonl"
records = [json.loads(line) for line in path.read_text("utf-8").splitlines()]
texts = {(record["about"]["of"], record["prompt"]): record["text"] for record in records}


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


rows, drawings = {}, []
for kind in mate_prompts.ASKED:
    text = texts[problem.name, f"mate_{kind}@1"]
    move, outcome = play(problem.fen, text)
    rows[kind] = {"answer": text, "move": move or "", "outcome": outcome}
    arrows = [chess.svg.Arrow(move.from_square, move.to_square)] if move else []
    drawing = chess.svg.board(board, size=190, arrows=arrows, orientation=board.turn)
    caption = f"{kind}: {html.escape(text)} ({outcome})"
    drawings.append(report.Html(f"<p>{caption}</p>{drawing}", caption))
report.boards(*drawings)

# %% [markdown]
# A board without an arrow is one on which the answer cannot be played. Change `problem_number` to
# see another. The library does the same for all problems, and reads a little more: words around
# a move, squares in place of SAN. How often do the lines above come to its outcome?

# %%
same = []
for kind in mate_prompts.ASKED:
    library = mate_prompts.mate_answers(recorded, kind, replay(sizes.purpose, model))
    for asking, answer in zip(recorded, library, strict=True):
        text = texts[asking.name, f"mate_{kind}@1"]
        library_outcome = mate_outcomes.outcome_of(asking, answer)
        same.append(play(asking.fen, text)[1] == library_outcome)
        if asking is problem:
            rows[kind]["library"] = library_outcome
print(f"the same outcome: {sum(same)} of {len(same)} answers")
report.table(pd.DataFrame(rows).T, caption=f"The problem above, {problem.name}")

# %% [markdown]
# ## The problems
#
# Every position of every held-out self-play game was looked at: those in which the mate was
# played, and those in which it was missed. Positions with fewer than five legal moves, or in
# which more than a quarter of them mate, are trivial and left out; a game gives one problem at
# most. The problems are dealt from heaps by phase, side and mating piece, so that knights and
# pawns mate more often here than in games. What lies on the way to the thousand is in the data
# sheet, `data/mates/README.md`.
#
# Lichess's puzzles, which the paper used, have one solution by choice. Ours often have several,
# and each counts.

# %%
report.boards(report.sheet("all", mates.sheet(problems)),
              report.sheet("asked of language models", mates.sheet(recorded)))

# %%
shown = {one.piece: one for one in reversed(recorded)}
report.boards(*(report.board(one.first, size=210) for _, one in sorted(shown.items())))

# %% [markdown]
# ## Four prompts
#
# The paper prints its prompts with one position (Figure A5). Ours keep each of their elements
# in our own words: the FEN, the task, SAN; the engine's best move, or the hint. The fourth,
# `vector`, is the paper's idea taken at its word. The hint is what a *concept* would tell; so it
# is given where the concept vector for mate in one detects the mate in the network's activations,
# and not where it does not. In the paper the hint is given on every problem.

# %%
fen = "N6r/1p1k1ppp/2np4/b3p3/4P1b1/N1Q5/P4PPP/R3KB1R b KQ - 0 18"
printed = mates.Problem("figureA5", 35, fen, ("a5c3",))
asked = {kind: mate_prompts.mate_request(printed, kind).messages for kind in mate_prompts.ASKED}
rows = {kind: " ¶ ".join(" / ".join(turn.content.splitlines()) for turn in turns)
        for kind, turns in asked.items()}
report.boards(report.board(printed.asked().position, size=280), report.texts(rows, "Figure A5"))

# %% [markdown]
# The engine's best move is the first of the mates in the order of their squares: for an engine all
# mates in one are worth the same. Does Stockfish agree that nothing is better?

# %%
analyses = engine.analyse_many([asking.asked().position for asking in recorded],
                               nodes=sizes.nodes, progress=False)
agreed = sum(analysis.lines[0].moves[0] in asking.mates
             for analysis, asking in zip(analyses, recorded, strict=True))
print(f"Stockfish's best move mates in {agreed} of {len(recorded)} problems")

# %% [markdown]
# ## What counts as an answer
#
# The answer is one move, in SAN or by its squares, alone or with words around it. Signs and move
# numbers say nothing, right or wrong; capitals do. A legal move counts if it mates, whichever
# mate it is. Nothing is repaired or guessed at.

# %%
replies = ["Bxc3#", "Bxc3", "18... Bxc3+", "a5c3", "The best move is Bxc3#.", '{"move": "Bxc3#"}',
        "bxc3", "Qxc3#", "Bishop takes c3", "Bxc3 or Bb4", "Nd4", "Bb4", "I cannot tell."]
answers = [read_answer(text, printed.board) for text in replies]
kinds = [mate_outcomes.outcome_of(printed, answer) for answer in answers]
report.table(pd.DataFrame({"said": replies, "read as": [answer.san or answer.uci or ""
                                                         for answer in answers],
                           "outcome": kinds}).set_index("said"))

# %% [markdown]
# ## Without language
#
# Three players see the board and say nothing. For a random legal move the chance is exact: the
# mates over the legal moves. Stockfish is told to stop after one node; it looks at that limit for
# the first time when it has tried every legal move once. The network of Stockfish, alone, looks
# at the position after each move and takes the one that it likes best; it was never shown a mated
# king and knows no rule.

# %%
positions = [one.asked() for one in problems]
expert = load_expert("nnue")
live = [StockfishPlayer(1), NnuePlayer(expert)]
played = [mate_outcomes.outcomes(problems, player.choose(positions), player.name, "board")
          for player in live]
chances = players.expected_of_random(positions, mate_outcomes.mates_worth)
chance = mean_interval(chances, seed=seed)
visited = [each.nodes for each in engine.analyse_many(
    [one.position for one in positions[:60]], nodes=1, progress=False)]
print(f"told one node: {pd.Series(visited).median():.0f} in the median, n = {len(visited)}")

# %%
board = {"random": chance} | {frame["player"][0]: proportions.share_of(frame["mates"])
                              for frame in played}
errors = mate_outcomes.error_kinds(pd.concat(played))
report.boards(
    report.table(pd.Series(board).to_frame("mates"), caption="Players that see the board"),
    report.table(errors.loc[:, (errors > 0).any()], caption="What they play"))

# %% [markdown]
# ## What the vector detects
#
# The vector for mate in one was fitted on positions with and without one, in equal numbers, and is
# right on four in five of them. Here all positions have one: how often is it detected? And how
# often is it seen where there is none, in positions of test games? Mates in one are rare in play,
# so that even few false alarms outnumber the true ones. Of the problems, those of test games are
# counted. On problems alone a vector that always said yes would look perfect: the second number
# is what makes the first mean something.

# %%
fens = [one.fen for one in problems]
detected = seen.mate_seen(fens, seen.see(fens, expert))
tested = [split_of(one.game) == "test" for one in problems]
recall = proportions.share_of([hit for hit, test in zip(detected, tested, strict=True) if test])
played_file = find_project() / "data" / "games" / "selfplay.tsv.zst"
without = list(mates.without_mate(read_games(played_file, sizes.games), step=20))
alarms = proportions.share_of(seen.mate_seen(without, seen.see(without, expert)))

# %%
by_piece = pd.DataFrame({"piece": [one.piece for one in problems], "hit": detected})[tested]
by_name = {f"mates by {name}": proportions.share_of(rows["hit"])
           for name, rows in by_piece.groupby("piece")}
report.table(pd.Series({"mates": recall, **by_name, "no mate": alarms}).to_frame("detected"),
             caption="Where the vector sees a mate in one")

# %% [markdown]
# ## Table 7
#
# The answers of the Qwen model are recorded, at temperature 0 and twelve tokens at most. A model
# with a key, or one served on your own machine, is a player too: set `OPENAI_BASE_URL` and
# `OPENAI_API_KEY`, and the last column says what fills its row. Then execute this chapter again.

# %%
rows = {"Qwen2.5-Coder-1.5B": model} | mate_prompts.PAPERS_MODELS
clients = {row: replay(sizes.purpose, name) for row, name in rows.items()}
present = {row: client for row, client in clients.items()
           if row not in mate_prompts.PAPERS_MODELS or mate_prompts.answered(client, recorded)}
asked = [mate_outcomes.outcomes(
    recorded, mate_prompts.mate_answers(recorded, kind, client, detected[: len(recorded)]),
    row, kind)
    for row, client in present.items() for kind in mate_prompts.KINDS]

# %%
frame = pd.concat(asked)
ours = mate_outcomes.shares(frame, ["player", "prompt"]).to_dict()
table, cells = mate_outcomes.table7(ours, lambda row: mate_prompts.command(row, sizes.purpose))
report.table(table, caption="Table 7: share of problems solved, and the paper's values")

# %% [markdown]
# The paper's text says 57 % and 95 % where its table says 0.564 and 0.982; the table is shown.
# Its 1,000 problems are Lichess's, ours are not, so that only rows of one column can be compared
# with care: our problems are spread over pieces, and a third can be solved in several ways.

# %% [markdown]
# ## Trained on games alone
#
# ChessGPT, second in the paper's table, has read games and texts about them. The `tracking` models
# of chapter 12 have read games and nothing else: 77 words, squares and pieces. They are told the
# moves that led to the problem and say the next one; what they say need be neither legal nor
# a mate, and nothing tells them that there is one. They are asked the same problems as the Qwen
# model.

# %%
histories = mates.with_history(recorded, read_games(played_file))
read = [mate_outcomes.outcomes(recorded, player.choose(histories), player.name, "moves")
        for player in tracking_players()]
trained = pd.concat(read)
moved = trained["outcome"].isin(["mate", "check", "no check"])

# %%
legal = {name: proportions.share_of(flags) for name, flags in moved.groupby(trained["player"])}
mating, among_legal = (mate_outcomes.shares(rows, "player") for rows in (trained, trained[moved]))
report.table(pd.DataFrame({"legal moves": legal, "mates": mating,
                           "mates among the legal": among_legal}),
             caption="Models that were trained on games, asked with the moves")

# %% [markdown]
# A random legal move mates in {glue:text}`chance:.1%` of these problems, but it is told what is
# legal. The last column lays the models beside it: where they do find a legal move, do they mate
# more often than a lot?

# %% [markdown]
# ## Does the hint help?
#
# The same problems are asked in each way, so differences are taken problem by problem. The
# p-value is that of a permutation test.

# %%
wide = frame[frame["player"] == "Qwen2.5-Coder-1.5B"].pivot(
    index="problem", columns="prompt", values="mates")
gains = {kind: paired_permutation(wide[kind], wide["bare"], seed=seed)
         for kind in ("expert", "hint", "vector")}
shown = {f"{kind} less bare": {"difference": one.difference, "p": one.p}
         for kind, one in gains.items()}
report.table(pd.DataFrame(shown).T, digits=3)

# %% [markdown]
# With the engine's best move in the prompt the task is to copy it. Whoever fails here does not fail
# at chess.

# %%
copies = frame[(frame["prompt"] == "expert") & (frame["player"] == "Qwen2.5-Coder-1.5B")]
best = {one.name: one.first.san for one in recorded}
same = [row.said.strip() == best[row.problem] for row in copies.itertuples()]
copied = proportions.share_of(same)
others = copies[~pd.Series(same, copies.index)].head(6)
examples = {row.problem: f"told {best[row.problem]}, said “{row.said}” ({row.outcome})"
            for row in others.itertuples()}
report.texts(examples or {"none": "every move was copied"},
              f"Copied letter by letter: {copied:.2f}")

# %% [markdown]
# ## How they fail
#
# A move that is legal and checks is near; an illegal one shows that the model does not see the
# board; and a text that names no move, that it does not keep to the task.

# %%
failures = mate_outcomes.error_kinds(pd.concat([frame, trained, *played]))
parts = failures.div(failures.sum(axis=1), axis=0).loc[::-1, (failures > 0).any()]
figure, axes = plt.subplots(figsize=(7.0, 0.34 * len(parts) + 1))
parts.plot.barh(stacked=True, ax=axes, width=0.75)
axes.set_xlabel("share of answers")
axes.set_ylabel("")
axes.legend(ncols=4, loc="lower center", bbox_to_anchor=(0.4, 1.0))
plt.show()

# %%
report.table(failures.loc[:, (failures > 0).any()], caption="Answers by outcome")

# %% [markdown]
# What does the model say, and does it say something else on another board?

# %%
of_model = frame[frame["player"] == "Qwen2.5-Coder-1.5B"]
common = of_model.groupby("prompt")["said"].value_counts().groupby(level=0).head(4)
report.table(common.to_frame("answers"), caption="The commonest answers")

# %%
first = of_model[of_model["prompt"] == "bare"].drop_duplicates("outcome")
lines = {f"{row.problem} ({row.outcome})": f"“{row.said}”; {best[row.problem]} mates"
         for row in first.itertuples()}
report.texts(lines, "The first answer of each kind, asked with the position only")

# %% [markdown]
# ## What makes a problem hard
#
# With more legal moves a lucky guess is rarer. If a model does no better than that, it guesses.

# %%
everyone = pd.concat([frame[frame["prompt"].isin(["bare", "hint"])], *played])
lucky = pd.Series(chances).groupby(played[0]["legal moves"]).mean()
by_moves = mate_outcomes.groups(everyone, "legal moves")
by_moves.insert(0, "random", lucky)
report.table(by_moves, caption="By number of legal moves")

# %%
report.table(mate_outcomes.groups(everyone, "piece"), caption="By the piece that mates")

# %% [markdown]
# ## Lichess's own puzzles
#
# Where the puzzle file is there (<https://database.lichess.org>, parameter `puzzles`), the same
# players are asked its first mates in one.

# %%
lichess = mates.lichess_problems(Path(puzzles), sizes.problems) if puzzles else []
theirs = [one.asked() for one in lichess]
solved = {player.name: proportions.share_of(mate_outcomes.outcomes(
    lichess, player.choose(theirs), player.name, "board")["mates"]) for player in live if lichess}
report.sheet("mates in one of Lichess", solved or {"problems": 0})

# %% [markdown]
# ## Recap
#
# - A thousand held-out positions have a mate in one by a stated rule; a random move finds it in
#   {glue:text}`chance:.1%` of the cases.
# - Stockfish finds {glue:text}`stockfish:.0%` at one node; its network alone, at one ply,
#   {glue:text}`nnue:.0%`.
# - The Qwen model finds {glue:text}`bare:.1%` told the position, {glue:text}`hint:.1%` told that
#   there is a mate, {glue:text}`expert:.1%` told the move itself.
# - The vector sees {glue:text}`recall:.0%` of the mates, and one in {glue:text}`alarms:.0%` of
#   the positions without; with the hint where it sees one, {glue:text}`vector:.1%` are solved.
# - Told the position, it gives one and the same answer, “{glue:text}`habit`”, on
#   {glue:text}`habitual:.0%` of the boards: {glue:text}`illegal:.0%` of its answers are illegal
#   moves. It does not solve these problems badly; it does not look at them.
# - Told the moves, models trained on nothing but games say a legal one in
#   {glue:text}`games_legal:.0%` of the problems, and mate in {glue:text}`games_mates:.1%`
#   ({glue:text}`games_player`).
# - Rows of models that need a key carry the paper's values and the command that fills ours.

# %% tags=["hide-input"]
bare = of_model[of_model["prompt"] == "bare"]["outcome"]
glued = {kind: ours["Qwen2.5-Coder-1.5B", kind].value for kind in mate_prompts.KINDS}
glued |= {"chance": chance.value, "recall": recall.value, "alarms": alarms.value,
          "stockfish": board["stockfish_1_node"].value, "nnue": board["nnue_one_ply"].value,
          "illegal": float((bare == "illegal").mean()),
          "habit": common["bare"].index[0], "habitual": float(common["bare"].iloc[0] / len(bare))}
best_reader = max(legal, key=lambda name: legal[name].value)
glued |= {"games_player": best_reader, "games_legal": legal[best_reader].value,
          "games_mates": mating[best_reader].value}
for name, value in glued.items():
    glue(name, value, display=False)

# %% tags=["hide-input"]
results = {f"mate_in_one.{name}.board": report.Result.of(value, "share of problems")
           for name, value in board.items()}
results["mate_in_one.vector.recall"] = report.Result.of(recall, "share of problems")
results["mate_in_one.vector.false_alarms"] = report.Result.of(alarms, "share of positions")
results["figure_a5.prompts"] = report.Result(len(mate_prompts.ASKED), unit="prompts")
results["mate_in_one.problems.chosen"] = report.Result(len(problems), unit="problems")
for (row, kind), value in ours.items():
    cell = cells.get((row, kind))
    more = {"reference": cell.value, "source": cell.key} if cell else {}
    key = f"mate_in_one.{nickname(rows[row])}.{kind}"
    results[key] = report.Result.of(value, "share of problems", **more)

# %% tags=["hide-input"]
for name, value in mate_outcomes.shares(trained, "player").items():
    results[f"mate_in_one.{name}.moves"] = report.Result.of(value, "share of problems")
    results[f"mate_in_one.{name}.legal"] = report.Result.of(legal[name], "share of problems")
for (row, kind), cell in cells.items():
    if row not in present:
        results[f"mate_in_one.{nickname(rows[row])}.{kind}"] = report.Result(
            None, unit="share of problems", reference=cell.value, source=cell.key,
            absent=f"recorded answers of {rows[row]}")
for kind, one in gains.items():
    results[f"mate_in_one.gain.{kind}"] = report.Result.of(one.difference, "share, less bare")
report.save("09_mate_in_one", results)

# %% tags=["hide-input"]
report.evidence(Evidence(
    len(problems), "problems", seed, clusters=len(problems),
    interval="95 %: Wilson; bootstrap for the random move, adjusted Wald for differences",
    versions={"model": f"{model}, {len(recorded)} problems",
              "engine": f"{engine.version()}, 1 node",
              "network": "nn-ad9b42354671, one ply",
              "prompts": "mate_bare@1, mate_expert@1, mate_hint@1"}))
