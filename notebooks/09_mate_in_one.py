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
# {glue:md}`finding`

# %% tags=["parameters", "hide-input"] mystnb={"code_prompt_show": "Parameters: the model, and the problem shown"}
profile = "book"
seed = 1
model = "qwen2.5-coder-1.5b-q4_k_m"
puzzles = ""  # path of Lichess's lichess_db_puzzle.csv.zst, if you have it
problem_number = 0

# %% tags=["hide-input"] mystnb={"code_prompt_show": "Imports, the answers of all players, and the drawing", "figure": {"caption": "Mates in one found: language models by what they are told (a model that finds every mate, from the position alone), and players without language, with 95 % intervals. The hollow bar is the paper's value, from other problems.", "name": "fig-09-found"}, "image": {"alt": "Horizontal bars of the share of mates found, one for each player and prompt."}}
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

# Language models whose answers are recorded, and those of the paper.
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


def ask(client, problems):
    """Return the answers to the three prompts: problem, prompt, answer (read), outcome."""
    asked = client.answered(mates.mate_questions(problems))
    asked["answer"] = [
        read_reply(each.answer, each.problem.board) for each in asked.itertuples()
    ]
    asked["outcome"] = list(map(mates.outcome_of, asked["problem"], asked["answer"]))
    return asked


answered = {row: ask(client, recorded) for row, client in present.items()}

# Players that see the board, and the vector for mate in one.
positions = [each.asked for each in problems]
expert = load_expert("nnue")
live = [StockfishPlayer(1), NnuePlayer(expert)]
played = [
    mates.outcomes(problems, player.choose(positions), player.name, "board") for player in live
]
chances = [len(each.mates) / each.legal_moves for each in problems]
chance = mean_interval(chances, seed=seed)
chance_there = mean_interval(chances[: len(recorded)], seed=seed)
sighted = {"random": chance} | {
    frame["player"][0]: share_of(frame["mates"]) for frame in played
}
detected = mate_detected([each.fen for each in problems], expert)

frames = []
for row, asked in answered.items():
    given = {kind: list(rows["answer"]) for kind, rows in asked.groupby("prompt")}
    given["vector"] = [
        hint if mate else bare
        for mate, hint, bare in zip(detected, given["hint"], given["bare"], strict=False)
    ]
    frames += [
        mates.outcomes(recorded, given[kind], row, kind) for kind in (*mates.TABLE7, "vector")
    ]
frame = pd.concat(frames)
ours = frame.groupby(["player", "prompt"])["mates"].agg(share_of).unstack()

# Models that were trained on games alone are given the moves.
played_file = find_project() / "data" / "games" / "selfplay.tsv.zst"
games = {game.key: game for game in read_games(played_file)}
histories = [Asked(each.name, games[each.game].position(each.ply)) for each in recorded]
trained = pd.concat(
    mates.outcomes(recorded, player.choose(histories), player.name, "moves")
    for player in tracking_players()
)
mating = trained.groupby("player")["mates"].agg(share_of)
most_mates = mating.map(lambda share: share.value).idxmax()
cells = {
    row: {
        kind: reference.lookup("ccc", "table7", row, column)
        for kind, column in mates.TABLE7.items()
    }
    for row in mates.PAPERS_MODELS
}

told = {
    "bare": "position alone",
    "hint": "told that there is a mate",
    "expert": "told the move",
}
bars = {
    "random legal move": sighted["random"],
    "model of games alone, the best": mating[most_mates],
    "Stockfish's network, one ply": sighted["nnue_one_ply"],
}
for row in ours.index:
    solves_all = ours.loc[row, "bare"].value == 1
    shown_kinds = ["bare"] if solves_all else told
    bars |= {f"{row}, {told[kind]}": ours.loc[row, kind] for kind in shown_kinds}
printed_share = cells["GPT-4o"]["bare"].value
figure, axes = plt.subplots(figsize=(7.4, 0.18 * len(bars) + 0.6))
values = np.array([100 * share.value for share in bars.values()])
reach = np.array([(100 * share.low, 100 * share.high) for share in bars.values()]).T
colours = [
    report.PALETTE[0] if label.startswith(tuple(ours.index)) else "0.6" for label in bars
]
axes.barh(list(bars), values, color=colours, height=0.7)
errors = np.abs(reach - values)
axes.errorbar(values, range(len(bars)), xerr=errors, fmt="none", color="0.2", linewidth=1)
axes.barh(["GPT-4o in the paper, position alone"], 100 * printed_share, fill=False, height=0.7)
for place, value in enumerate([*values, 100 * printed_share]):
    axes.text(111, place, f"{value:.0f}", va="center", ha="right", fontsize=9)
axes.set(xlim=(0, 112), xlabel="mates found, %")
axes.grid(visible=False, axis="y")
plt.show()

# %% [markdown]
# A commentator who cannot see a mate on the board should not explain one. The CCC paper
# {cite}`kim2024ccc` asks language models for the mate in 1,000 Lichess puzzles (Table 7), with
# three prompts. Our problems come from engine games. {glue:md}`no_room`
#
# ## One problem, step by step
#
# One of the problems, with its mates as arrows:

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
questions = mates.mate_questions([problem]).set_index("prompt")
for message in questions.loc["bare", "request"].messages:
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


said = {}
for row, asked in answered.items():
    for each in asked[asked["problem"] == problem].itertuples():
        move, outcome = play(problem.fen, each.answer.text)
        said[row, each.prompt] = (move, f"{each.answer.text} ({outcome})")

# %% tags=["hide-input"] mystnb={"code_prompt_show": "Show the answers: the mates green, a model's move blue"}
drawings = []
mate_arrows = [
    chess.svg.Arrow(move.from_square, move.to_square, color="#009E73c0")
    for move in mating_moves
]
for (row, kind), (move, answer) in said.items():
    arrows = mate_arrows if kind == "bare" else []
    arrows = arrows + (
        [chess.svg.Arrow(move.from_square, move.to_square, color="#0072B2c0")] if move else []
    )
    drawing = chess.svg.board(board, size=190, arrows=arrows, orientation=board.turn)
    caption = f"{row}, {told[kind]}: {html.escape(answer)}"
    drawings.append(report.Html(f"<p>{caption}</p>{drawing}", caption))
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

# %% tags=["hide-cell"] mystnb={"code_prompt_show": "The move that is told: does Stockfish find a better one?"}
analyses = engine.analyse_many(
    [each.asked.position for each in recorded], nodes=sizes.nodes, progress=False
)
agreed = sum(
    analysis.lines[0].moves[0] in each.mates
    for analysis, each in zip(analyses, recorded, strict=True)
)
print(f"Stockfish's best move mates in {agreed} of {len(recorded)} problems")

# %% [markdown]
# ## Players without language
#
# For a random legal move the chance is exact: the number of mates over the number of legal moves.
# Stockfish's network alone evaluates the position after each move and takes the best one; it was
# never shown a mated king.
#
# The models of chapter 12 have read only games, ChessGPT games and texts about them. They are given
# the moves that led to the problem and predict the next one, which need not be legal.

# %% tags=["hide-input"] mystnb={"code_prompt_show": "Lay out the table"}
moved = trained["outcome"].isin(["mate", "check", "no check"])
legal = moved.groupby(trained["player"]).agg(share_of)
among_legal = trained[moved].groupby("player")["mates"].agg(share_of)
without_language = pd.DataFrame(
    {"mates": mating, "legal moves": legal, "mates among the legal": among_legal}
)
report.table(
    pd.concat([pd.DataFrame({"mates": sighted}), without_language]).astype(object).fillna(""),
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
tested = np.array([split_of(each.game) == "test" for each in problems])
recall = share_of(np.array(detected)[tested])
test_games = of_split(read_games(played_file, sizes.games), "test")
asked_of = (fen for game in test_games for fen in game.fens()[20:-1:20])
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
# Mates in one are rare in play, so false alarms at this rate outnumber the true ones.
#
# ## Table 7
#
# Answers of {glue:text}`model` are recorded, at temperature 0 and with at most twelve tokens. {glue:md}`fill_says` Where
# the paper's text gives other numbers than its table ([chapter 17](17_released_code.ipynb)), the
# table is shown.

# %% tags=["hide-input"] mystnb={"code_prompt_show": "Lay out Table 7"}
columns = told | {"vector": "told where the vector sees a mate"}
in_paper = pd.DataFrame(
    {
        f"{row}, in the paper": {
            told[kind]: f"{cell.value:.3f}" if cell.value is not None else ""
            for kind, cell in printed_row.items()
        }
        for row, printed_row in cells.items()
    }
).T
table = pd.concat([ours[list(columns)].rename(columns=columns), in_paper])
to_fill = [name for row, name in names.items() if row not in present]
fill_says = "Every model of the table has answers of ours."
if to_fill:
    fill_says = (
        "Another model is asked with an endpoint (`OPENAI_BASE_URL`, `OPENAI_API_KEY`) and "
        f"`make record MODEL=… PURPOSE={sizes.purpose}`."
    )
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
# ## Does the hint help?
#
# Each problem is asked in every way, so differences are computed problem by problem. The p-value is
# that of a permutation test. {glue:md}`copying`

# %%
wide = frame[frame["player"] == title].pivot(index="problem", columns="prompt", values="mates")
gains = {
    kind: paired_permutation(wide[kind], wide["bare"], seed=seed)
    for kind in ("expert", "hint", "vector")
}
shown = {
    columns[kind]: {"more mates than alone": gain.difference, "p": gain.p}
    for kind, gain in gains.items()
}
report.table(pd.DataFrame(shown).T, digits=3, caption=f"What {title} gains by being told")

# %% tags=["hide-cell"] mystnb={"code_prompt_show": "Moves that were told and not copied"}
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
# board, and a text without a move that it does not follow the task. {glue:md}`habit_says`

# %% tags=["hide-input"] mystnb={"code_prompt_show": "Draw the outcomes", "figure": {"caption": "How each player's answers to mate in one fail or succeed, as shares: mate, legal without mate, illegal, no move.", "name": "fig-09-failures"}, "image": {"alt": "Stacked horizontal bars, one for each player, parted by outcome."}}
everyone = pd.concat([frame, trained, *played])
labels = (
    everyone["player"] + ", " + everyone["prompt"].map(columns | {"board": "", "moves": ""})
)
labels = labels.str.removesuffix(", ")
failures = pd.crosstab(labels, everyone["outcome"]).rename_axis(index=None, columns=None)
failures = failures.loc[
    labels.unique(), [outcome for outcome in mates.OUTCOMES if outcome in failures]
]
parts = failures.div(failures.sum(axis=1), axis=0).loc[::-1]
figure, axes = plt.subplots(figsize=(7.4, 0.27 * len(parts) + 0.9))
parts.index = [report.NAMES.get(name, name) for name in parts.index]
parts.plot.barh(stacked=True, ax=axes, width=0.75)
axes.set_xlabel("share of answers")
axes.set_ylabel("")
axes.legend(ncols=4, loc="lower center", bbox_to_anchor=(0.3, 1.0))
plt.show()

# %% tags=["hide-cell"] mystnb={"code_prompt_show": "The small model's most common answers, and the first of each kind"}
of_model = frame[frame["player"] == title]
common = of_model.groupby("prompt")["text"].value_counts().groupby(level=0).head(4)
first = of_model[of_model["prompt"] == "bare"].drop_duplicates("outcome")
lines = {
    f"{row.problem} ({row.outcome})": f"“{row.text}”; {best[row.problem]} mates"
    for row in first.itertuples()
}
report.boards(
    report.table(common.to_frame("answers"), caption="The most common answers"),
    report.texts(lines, "The first answer of each kind, asked with the position only"),
)

# %% [markdown]
# ## Lichess's own puzzles
#
# With Lichess's puzzle file (<https://database.lichess.org>, parameter `puzzles`), the same players
# are asked its first mates in one, and so is each language model whose answers to them are recorded
# (`make record PURPOSE=mate_in_one_lichess`).

# %% tags=["hide-cell"] mystnb={"code_prompt_show": "Lichess's problems, if the file is there"}
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
# - {glue:md}`recap_models`
# - Stockfish's network, looking one ply ahead, finds {glue:text}`nnue:.0f` % of the mates, and the
#   best model trained on games alone {glue:text}`games_mates:.0f` %.
# - The vector detects {glue:text}`recall:.0f` % of the mates, and sees one in
#   {glue:text}`alarms:.0f` % of the positions without a mate.

# %% tags=["remove-input"]
bare = of_model[of_model["prompt"] == "bare"]["outcome"]


def solved(row, kind):
    return round(ours.loc[row, kind].value * len(recorded))


strong = ours["bare"].map(lambda share: share.value).idxmax()
is_stronger = ours.loc[strong, "bare"].low > ours.loc[title, "bare"].high
finding = f"**{title}, a small language model, finds the mate in {solved(title, 'bare')}"
if is_stronger:
    finding = (
        f"**Given the position alone, {strong}, a large language model, finds the mate in "
        f"{solved(strong, 'bare')} of {len(recorded)} positions, and {title}, a small one, "
        f"in {solved(title, 'bare')}"
    )
else:
    finding += f" of {len(recorded)} positions"
finding += ".**"
helped = gains["hint"].p < 0.05 and gains["hint"].difference.value > 0
hint_says = (
    f"Told that there is a mate, the small one finds {solved(title, 'hint')}"
    if helped
    else "Being told that there is a mate does not help the small one"
)
finding += f" {hint_says}; told the move itself, it solves {solved(title, 'expert')}."
at_the_ceiling = is_stronger and ours.loc[strong, "bare"].high == 1
no_room = ""
if at_the_ceiling:
    no_room = f"No hint can help {strong}, which misses none."
recap_models = f"{title} finds {100 * ours.loc[title, 'bare'].value:.0f} % of the mates"
if is_stronger:
    recap_models = (
        f"{strong} finds {100 * ours.loc[strong, 'bare'].value:.0f} % of the mates, {title} "
        f"{100 * ours.loc[title, 'bare'].value:.0f} %"
    )
recap_models += (
    "; the hint helps the small one." if helped else "; no hint changes that for the small one."
)
habit, habitual = common["bare"].index[0], 100 * common["bare"].iloc[0] / len(bare)
habit_says = (
    f"{title}, given the position alone, says “{habit}” on {habitual:.0f} % of the boards, and "
    f"{100 * (bare == 'illegal').mean():.0f} % of its answers are illegal."
)
copying = ""
if copied.low > 0.5:
    copying = (
        f"With the engine's best move in the prompt, the task is to copy it; {title} does so "
        f"letter by letter in {100 * copied.value:.0f} % of the problems."
    )
report.paste(
    **{
        name: Markdown(text)
        for name, text in {
            "finding": finding,
            "no_room": no_room,
            "recap_models": recap_models,
            "habit_says": habit_says,
            "copying": copying,
        }.items()
    },
    model=title,
    chance_there=100 * chance_there.value,
    recall=100 * recall.value,
    alarms=100 * alarms.value,
    nnue=100 * sighted["nnue_one_ply"].value,
    games_mates=100 * mating[most_mates].value,
)

# %% tags=["remove-input"]
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
