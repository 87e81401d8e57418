# ---
# jupyter:
#   kernelspec:
#     display_name: Python 3 (ipykernel)
#     language: python
#     name: python3
# ---

# %% [markdown]
# # Can a model see mate in one?
#
# **Of {glue:text}`asked` mates in one, {glue:text}`alone` from the position alone.** Told that there is a
# mate, {glue:text}`model`, a small language model, finds {glue:text}`hinted`; told the move itself,
# {glue:text}`told_move`.
#
# ```{glue:figure} found
# :name: fig-09-found
# :alt: Horizontal bars of the share of mates found, one for each player and prompt.
# Mates in one found: language models by what they are told (a model that finds every mate, from the
# position alone), and players without language, with 95 % intervals. The hollow bar is the paper's
# value, from other problems.
# ```
#
# A commentator who cannot see a mate on the board should not explain one. The CCC paper
# {cite}`kim2024ccc` asks language models for the mate in 1,000 Lichess puzzles (Table 7), with
# three prompts. Our problems come from engine games.

# %% tags=["parameters", "hide-input"] mystnb={"code_prompt_show": "Parameters: the model, and the problem shown"}
profile = "book"
seed = 1
model = "qwen2.5-coder-1.5b-q4_k_m"
puzzles = ""  # path of Lichess's lichess_db_puzzle.csv.zst, if you have it
problem_number = 0

# %% tags=["hide-input"] mystnb={"code_prompt_show": "Imports, and the problems"}
import html
from pathlib import Path

import chess
import chess.svg
import matplotlib.pyplot as plt
import numpy as np
import pandas as pd
from myst_nb import glue
from chessgloss import engine, report
from chessgloss.book import reference
from chessgloss.book.profiles import load_sizes
from chessgloss.corpora.games import of_split, read_games
from chessgloss.experts import load_expert
from chessgloss.llm.client import model_title, recorded_models, replay
from chessgloss.positions import split_of
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
from chessgloss.stats import mean_interval, paired_permutation, share_of
from chessgloss.store import data_file
from chessgloss.tracking.player import tracking_players

sizes = load_sizes("09_mate_in_one", profile)
report.use_house_style()
problems = mates.read_problems(count=sizes.problems)
recorded = problems[: sizes.recorded]

# %% [markdown]
# ## One problem, step by step
#
# One of the problems, its mates, and a question on it:

# %%
problem = recorded[problem_number]
board = chess.Board(problem.fen)
mating_moves = []
for move in list(board.legal_moves):
    board.push(move)
    if board.is_checkmate():
        mating_moves.append(move)
    board.pop()
assert {move.uci() for move in mating_moves} == set(problem.mates)
print(
    f"{'White' if board.turn else 'Black'} to move; {len(mating_moves)} of "
    f"{board.legal_moves.count()} legal moves mate:",
    *map(board.san, mating_moves),
)
questions = mates.mate_questions([problem]).set_index("prompt")["request"]
for message in questions["bare"].messages:
    print(f"[{message.role}]\n{message.content}\n")

# %% [markdown]
# That is all that a model reads when it is given the position alone. The other two prompts add an
# engine's best move, or the hint that there is a mate. `python-chess` reads the answer and makes
# the move.


# %%
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


PAPERS = {name: row for row, name in mates.PAPERS_MODELS.items()}
requests = mates.mate_questions(recorded)["request"]
names = sorted({model, *recorded_models(sizes.purpose, requests)})
titles = {name: PAPERS.get(name, model_title(name)) for name in names}
title = titles[model]
said = {}
for name, row in titles.items():
    for kind, request in questions.items():
        text = replay(sizes.purpose, name).ask(request).text
        said[row, kind] = (text, *play(problem.fen, text))

# %% tags=["hide-input"] mystnb={"code_prompt_show": "Show the answers: the mates green, a model's move blue"}
told = {
    "bare": "position alone",
    "hint": "told that there is a mate",
    "expert": "told the move",
}
drawings = []
for (row, kind), (text, move, outcome) in said.items():
    coloured = [(each, "#009E73c0") for each in mating_moves]
    coloured += [(move, "#0072B2c0")] if move else []
    arrows = [
        chess.svg.Arrow(each.from_square, each.to_square, color=colour)
        for each, colour in coloured
    ]
    drawing = chess.svg.board(board, size=190, arrows=arrows, orientation=board.turn)
    caption = f"{row}, {told[kind]}: {text} ({outcome})"
    drawings.append(report.Html(f"<p>{html.escape(caption)}</p>{drawing}", caption))
report.boards(*drawings)

# %% [markdown]
# Change `problem_number` to see another. The library reads a little more: words around a move, or
# squares instead of SAN.
#
# ## The problems, and what counts as an answer
#
# We searched every position of every held-out self-play game. Positions are left out in which there
# are fewer than five legal moves, or more than a quarter of the moves mate. A game gives at most
# one problem. Phase, side and mating piece are balanced, so knights and pawns mate more often here
# than in games.
#
# The paper's puzzles have one solution; ours often have several, and each counts. An answer is one
# move, in SAN or by its squares, alone or with words around it. Nothing is repaired or guessed.

# %% tags=["hide-cell"] mystnb={"code_prompt_show": "Number and kinds of the problems"}
kinds = pd.DataFrame(
    {
        "split": split_of(each.game),
        "phase": each.phase,
        "side": each.side,
        "piece": each.piece,
        "mates": "several" if len(each.mates) > 1 else "one",
    }
    for each in problems
)
counted = {
    "all": kinds.melt().value_counts(),
    "asked of language models": kinds[: len(recorded)].melt().value_counts(),
}
report.table(pd.DataFrame(counted).fillna(0).astype(int), caption="Problems of each kind")

# %% tags=["hide-cell"] mystnb={"code_prompt_show": "The three prompts, with the paper's position (Figure A5)"}
fen = "N6r/1p1k1ppp/2np4/b3p3/4P1b1/N1Q5/P4PPP/R3KB1R b KQ - 0 18"
printed = mates.Problem("figureA5", 35, fen, ("a5c3",))
rows = {
    told[each.prompt]: " ¶ ".join(
        " / ".join(message.content.splitlines()) for message in each.request.messages
    )
    for each in mates.mate_questions([printed]).itertuples()
}
report.boards(report.board(printed.asked.position, size=280), report.texts(rows, "Figure A5"))

# %% [markdown]
# ## Players without language
#
# For a random legal move the chance is exact: the number of mates over the number of legal moves.
# Stockfish's network alone evaluates the position after each move and takes the best one; it was
# never shown a mated king.

# %%
chances = [len(each.mates) / each.legal_moves for each in problems]
chance = mean_interval(chances, seed=seed)
expert = load_expert("nnue")
sighted = pd.concat(
    mates.outcomes(
        problems, player.choose([each.asked for each in problems]), player.name, "board"
    )
    for player in (StockfishPlayer(1), NnuePlayer(expert))
)

# %% [markdown]
# The models of chapter 12 have read only games, ChessGPT games and texts about them. They are given
# the moves that led to the problem and predict the next one, which need not be legal.

# %%
played_file = data_file("games/selfplay.tsv.zst")
games = {game.key: game for game in read_games(played_file)}
histories = [Asked(each.name, games[each.game].position(each.ply)) for each in recorded]
trained = pd.concat(
    mates.outcomes(recorded, player.choose(histories), player.name, "moves")
    for player in tracking_players()
)

# %%
shares = sighted.groupby("player")["mates"].agg(share_of)
mating = trained.groupby("player")["mates"].agg(share_of)
moved = trained["outcome"].isin(["mate", "check", "no check"])
legal = moved.groupby(trained["player"]).agg(share_of)
seen = pd.concat([pd.Series({"random": chance}), shares])
report.table(
    pd.concat([seen, mating]).to_frame("mates").join(legal.rename("legal moves")).fillna(""),
    caption="Players without language; above, those that see the board",
)

# %% [markdown]
# A random move is told which moves are legal: it mates in {glue:text}`chance_there:.1f` % of the
# problems that the models are asked.
#
# ## What the vector detects
#
# The paper gives the hint on every problem. The hint is what a *concept* would tell, so our fourth
# prompt gives it only where the concept vector for mate in one detects the mate in the network's
# activations. What the vector says of positions without a mate gives meaning to the rest.

# %%
detected = np.array(mate_detected([each.fen for each in problems], expert))
tested = [split_of(each.game) == "test" for each in problems]
recall = share_of(detected[tested])
test_games = of_split(read_games(played_file, sizes.games), "test")
asked_of = (fen for game in test_games for fen in game.fens()[20:-1:20])
without = [fen for fen in asked_of if not mates.mating_moves(chess.Board(fen))]
alarms = share_of(mate_detected(without, expert))
print(f"a mate in one is seen in {recall:.2f} of the problems, in {alarms:.2f} without a mate")

# %% [markdown]
# Mates in one are rare in play, so false alarms at this rate outnumber the true ones.
#
# ## Table 7
#
# Answers of {glue:text}`model` are recorded, at temperature 0 and with at most twelve tokens. What is known
# of other models stands under the results. Another is asked with an endpoint (`OPENAI_BASE_URL`,
# `OPENAI_API_KEY`) and `make record MODEL=… PURPOSE=mate_in_one`.


# %%
def ask(name, problems, purpose):
    """Return a model's answers to the three prompts: a row for each problem and prompt."""
    asked = replay(purpose, name).answered(mates.mate_questions(problems))
    asked["read"] = [read_reply(each.answer, each.problem.board) for each in asked.itertuples()]
    return pd.concat(
        mates.outcomes(list(rows["problem"]), list(rows["read"]), titles[name], kind)
        for kind, rows in asked.groupby("prompt")
    )


answers = pd.concat(ask(name, recorded, sizes.purpose) for name in names)
hinted = {each.name for each, mate in zip(problems, detected, strict=True) if mate}
in_place = np.where(answers["problem"].isin(hinted), "hint", "bare")
by_vector = answers[answers["prompt"] == in_place].assign(prompt="vector")
frame = pd.concat([answers, by_vector])
ours = frame.groupby(["player", "prompt"])["mates"].agg(share_of).unstack()

# %% [markdown]
# Where the paper's text gives other numbers than its table ([chapter 17](17_released_code.ipynb)), the
# table is shown.

# %%
columns = told | {"vector": "told where the vector sees a mate"}
cells = {
    row: {
        kind: reference.lookup("ccc", "table7", row, column)
        for kind, column in mates.TABLE7.items()
    }
    for row in mates.PAPERS_MODELS
}
in_paper = pd.DataFrame(cells).map(lambda cell: cell.printed).T
in_paper = in_paper.rename("{}, in the paper".format)
report.table(
    pd.concat([ours, in_paper])[[*columns]].rename(columns=columns).fillna(""),
    caption="Table 7: share of problems solved, and the paper's values",
)

# %% tags=["hide-input"] mystnb={"code_prompt_show": "Draw the mates found, at the head of the chapter"}
bars = {
    "random legal move": chance,
    "model of games alone, the best": max(mating, key=lambda share: share.value),
    "Stockfish's network, one ply": shares["nnue_one_ply"],
}
bars |= {
    f"{row}, {told[kind]}": ours.loc[row, kind]
    for row in ours.index
    for kind in told
    if kind == "bare" or ours.loc[row, "bare"].value < 1
}
found = 100 * np.array([(share.low, share.value, share.high) for share in bars.values()])
low, value, high = found.T
labels = [f"{who}: {each:.0f}" for who, each in zip(bars, value, strict=True)]
colours = [report.PALETTE[0] if who.startswith(tuple(ours.index)) else "0.6" for who in bars]
figure, axes = plt.subplots(figsize=(7.4, 0.18 * len(bars) + 0.6))
axes.barh(labels, value, 0.7, color=colours, xerr=(value - low, high - value), ecolor="0.2")
printed_share = 100 * cells["GPT-4o"]["bare"].value
axes.barh(
    f"GPT-4o in the paper, position alone: {printed_share:.0f}", printed_share, 0.7, fill=False
)
axes.set(xlim=(0, 101), xlabel="mates found, %")
axes.grid(visible=False, axis="y")
glue("found", figure, display=False)
plt.close(figure)

# %% [markdown]
# ## Does the hint help?
#
# Each problem is asked in every way, so differences are computed problem by problem. The p-value is
# that of a permutation test. With the engine's best move in the prompt, the task is to copy it;
# {glue:text}`model` does so letter by letter in {glue:text}`copied:.0f` % of the problems.

# %%
of_model = frame[frame["player"] == title]
wide = of_model.pivot(index="problem", columns="prompt", values="mates")
gains = {
    kind: paired_permutation(wide[kind], wide["bare"], seed=seed)
    for kind in ("expert", "hint", "vector")
}
best = {each.name: each.first.san for each in recorded}
copies = of_model[of_model["prompt"] == "expert"]
copied = (copies["text"].str.strip() == copies["problem"].map(best)).mean()
shown = {
    columns[kind]: {"more mates than alone": gain.difference, "p": gain.p}
    for kind, gain in gains.items()
}
report.table(pd.DataFrame(shown).T, digits=3, caption=f"What {title} gains by being told")

# %% [markdown]
# ## How they fail
#
# A legal move that gives check is close. An illegal move shows that the model does not see the
# board, and a text without a move that it does not follow the task. {glue:text}`model`, given the position
# alone, says “{glue:text}`habit`” on {glue:text}`habitual:.0f` % of the boards, and
# {glue:text}`illegal:.0f` % of its answers are illegal.

# %% tags=["hide-input"] mystnb={"code_prompt_show": "Draw the outcomes", "figure": {"caption": "How each player's answers to mate in one fail or succeed, as shares: mate, legal without mate, illegal, no move.", "name": "fig-09-failures"}, "image": {"alt": "Stacked horizontal bars, one for each player, parted by outcome."}}
everyone = pd.concat([frame, trained, sighted])
players = everyone["player"].replace(report.NAMES)
who = players.str.cat(everyone["prompt"].map(columns), ", ", "").str.removesuffix(", ")
parts = pd.crosstab(who, everyone["outcome"], normalize="index")
parts = parts.reindex(index=who.unique()[::-1], columns=mates.OUTCOMES).dropna(axis="columns")
axes = parts.plot.barh(stacked=True, figsize=(7.4, 0.27 * len(parts) + 0.9), width=0.75)
axes.set(xlabel="share of answers", ylabel="")
axes.legend(ncols=4, loc="lower center", bbox_to_anchor=(0.3, 1.0))
plt.show()

# %% tags=["hide-cell"] mystnb={"code_prompt_show": "The small model's most common answers"}
common = of_model.groupby("prompt")["text"].value_counts().groupby(level=0).head(4)
report.table(common.to_frame("answers"), caption=f"The most common answers of {title}")

# %% [markdown]
# ## Lichess's own puzzles
#
# With Lichess's puzzle file (<https://database.lichess.org>, parameter `puzzles`), the same players
# are asked its first mates in one, and so is each language model whose answers to them are recorded
# (`make record PURPOSE=mate_in_one_lichess`).

# %% tags=["hide-cell"] mystnb={"code_prompt_show": "Lichess's problems, if the file is there"}
solved = {"problems": 0}
if puzzles:
    lichess = mates.lichess_problems(Path(puzzles), sizes.problems)
    theirs = [each.asked for each in lichess]
    answered = [
        mates.outcomes(lichess, player.choose(theirs), player.name, "board")
        for player in (StockfishPlayer(1), NnuePlayer(expert))
    ]
    purpose = "mate_in_one_lichess"
    for name in recorded_models(purpose, mates.mate_questions(lichess)["request"]):
        titles[name] = model_title(name)
        answered.append(ask(name, lichess, purpose))
    solved = pd.concat(answered).groupby(["player", "prompt"])["mates"].agg(share_of)
report.sheet("mates in one of Lichess", solved)

# %% [markdown]
# ## Recap
#
# - Of {glue:text}`asked` mates, {glue:text}`alone`; the hint changes what {glue:text}`model` finds by
#   {glue:text}`hint_gain:.1f` points.
# - Stockfish's network, looking one ply ahead, finds {glue:text}`nnue:.0f` % of the mates, and the
#   best model trained on games alone {glue:text}`games_mates:.0f` %.
# - The vector detects {glue:text}`recall:.0f` % of the mates, and sees one in
#   {glue:text}`alarms:.0f` % of the positions without a mate.

# %% tags=["remove-input"]
solves = frame.groupby(["player", "prompt"])["mates"].sum().astype(int).unstack()
outcomes_alone = of_model.loc[of_model["prompt"] == "bare", "outcome"]
report.paste(
    model=title,
    asked=len(recorded),
    alone=report.listed([f"{row} finds {count}" for row, count in solves["bare"].items()]),
    hinted=solves.loc[title, "hint"],
    told_move=solves.loc[title, "expert"],
    hint_gain=100 * gains["hint"].difference.value,
    copied=100 * copied,
    habit=common["bare"].index[0],
    habitual=100 * common["bare"].iloc[0] / len(recorded),
    illegal=100 * (outcomes_alone == "illegal").mean(),
    chance_there=100 * np.mean(chances[: len(recorded)]),
    recall=100 * recall.value,
    alarms=100 * alarms.value,
    nnue=100 * shares["nnue_one_ply"].value,
    games_mates=max(100 * share.value for share in mating),
)

# %% tags=["remove-input"]
of_problems = "share of problems"
report.save(
    "09_mate_in_one",
    *(
        report.rows(
            ours.loc[row],
            f"mate_in_one.{nickname(name)}",
            unit=of_problems,
            reference=cells.get(row),
        )
        for name, row in titles.items()
        if row in ours.index
    ),
    *(
        report.rows(
            dict.fromkeys(mates.TABLE7),
            f"mate_in_one.{nickname(name)}",
            unit=of_problems,
            reference=cells[row],
            needs=f"recorded answers of {name}",
        )
        for row, name in mates.PAPERS_MODELS.items()
        if row not in ours.index
    ),
    report.rows(seen.to_frame("board"), "mate_in_one", unit=of_problems),
    report.rows(
        pd.DataFrame({"moves": mating, "legal": legal}), "mate_in_one", unit=of_problems
    ),
    report.rows(recall, "mate_in_one.vector.recall", unit=of_problems),
    report.rows(alarms, "mate_in_one.vector.false_alarms", unit="share of positions"),
    report.rows(len(mates.TABLE7), "figure_a5.prompts", unit="prompts"),
    report.rows(len(problems), "mate_in_one.problems.chosen", unit="problems"),
    report.rows(
        {kind: gain.difference for kind, gain in gains.items()},
        "mate_in_one.gain",
        unit="share, less bare",
    ),
)
report.evidence(
    len(problems),
    "problems",
    seed,
    clusters=len(problems),
    interval="95 %: Wilson; bootstrap for the random move, adjusted Wald for differences",
    versions={
        "models": "; ".join(replay(sizes.purpose, name).told() for name in names)
        + f", {len(recorded)} problems",
        "engine": f"{engine.version()}, 1 node",
        "network": "nn-ad9b42354671, one ply",
        "prompts": "mate_bare@1, mate_expert@1, mate_hint@1",
    },
)

# %% [markdown]
# ## Exercises
#
# **1. Your own answer.** What does `read_answer` take each of these for, in the first problem: the
# SAN, the UCI, a sentence with the move, two moves, an illegal move? Give the outcomes in this
# order.

# %% tags=["solution", "hide-cell"] mystnb={"code_prompt_show": "A solution: five ways to answer, and what each is read as"}
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
    ordered=True,
    read_as=read_as,
)

# %% [markdown]
# **2. Beat chance without an engine.** Write a player that prefers checks and draws one of them at
# random. What share of the problems does it solve on average?


# %% tags=["solution", "hide-cell"] mystnb={"code_prompt_show": "A solution: the chance to solve each problem by a check drawn at random"}
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
# **3. Break the problem.** Take the mating piece off the board in the first 200 problems, where it
# is not the king. How many problems are these, and in how many is there still a mate in one?


# %% tags=["solution", "hide-cell"] mystnb={"code_prompt_show": "A solution: problems that keep a mate when the mating piece is gone"}
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
    ordered=True,
    still_mate=still_mate,
)
