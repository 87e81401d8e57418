# ---
# jupyter:
#   kernelspec:
#     display_name: Python 3 (ipykernel)
#     language: python
#     name: python3
# ---

# %% [markdown]
# # Your own game
#
# The methods of this book work on moves of your choice. Of {glue:text}`n_moves` plies of a famous
# game the program comments on {glue:text}`n_commented`, with no language model.
#
# ```{glue:} moment
# ```
#
# A question about a move is answered too, as in Appendix D of the CCC paper {cite}`kim2024ccc`.
# There the language model answers from what it was told before. Here every move, piece or square in
# a question is looked up on the board and given to the engine.

# %% tags=["parameters", "hide-input"] mystnb={"code_prompt_show": "Parameters: your move, your game, your questions"}
profile = "book"
seed = 1
fen = "r5qr/p1p2k2/1p1pp3/3QbB1N/4P3/1P6/P1P3PP/2B3K1 w - - 0 21"
san = "Bxe6+"
pgn = "data/famous/games.pgn"
asked = ("Why not Qxe6+?", "Can Black take the bishop?", "What does White threaten?")

# %% tags=["hide-input"] mystnb={"code_prompt_show": "Imports"}
import textwrap
import matplotlib.pyplot as plt
import pandas as pd
from myst_nb import glue
from chessgloss import report
from chessgloss.commentary.annotate import Annotator, moves_of
from chessgloss.commentary.dialogue import Dialogue
from chessgloss.commentary.game_pgn import read_games, write_pgn
from chessgloss.commentary.notes import notes, write_notes
from chessgloss.engine import analyse_many, open_engine
from chessgloss.scores import centipawns
from chessgloss.positions import read_fen, read_move
from chessgloss.concepts.priority import prioritise
from chessgloss.book.profiles import listed, load_sizes
from chessgloss.store import find_project

sizes = load_sizes("15_your_own_game", profile)
report.use_house_style()

# %%
move = read_move(read_fen(fen), san)
print(f"{move.numbered_san} by {'White' if move.mover else 'Black'}, {move.uci}")

# %% [markdown]
# All of it works without a language model. Where there is one (`OPENAI_BASE_URL`, or `chessgloss
# model serve`), the commands let it write, and `ask` lets it answer. [Try it](../try_it.md) does
# the same in the browser.
#
# ## One move
#
# `chessgloss comment --fen … --move …` does this on the command line, with `--json` for other
# programs. Change `fen` and `san` above, and everything below changes.

# %%
with Annotator(nodes=(sizes.nodes, sizes.nodes), processes=1) as annotator:
    briefing = annotator.brief(move)
comment = write_notes(briefing)
report.texts({move.numbered_san: comment.text})

# %% [markdown]
# The comment is made of the most important of these notes. Each is confirmed by the board, or by a
# line of the engine that was played through.

# %%
report.texts({note.kind: note.sentence for note in notes(briefing)}, "Notes on the move")

# %% [markdown]
# ## A game
#
# A move gets a comment if the expected score changes clearly, if it is a sacrifice, if it is the
# only good move, or if it changes a concept much. `chessgloss annotate game.pgn -o annotated.pgn
# --html game.html` also writes a page that plays the game with its variations and needs no network.

# %%
game = read_games(find_project() / pgn)[0]
annotator = Annotator(
    lambda asked, nodes, lines: analyse_many(asked, nodes=nodes, multipv=lines, progress=False),
    write_notes,
    lambda played: prioritise(played.position, played.uci).changes,
    (sizes.nodes, sizes.nodes),
)
annotated = annotator.annotate(game)
commented = {ply: note for ply, note in enumerate(annotated.notes) if note.text}
print(f"moves: {len(annotated.notes)}, commented on: {len(commented)} ({annotated.sources})")

# %% mystnb={"figure": {"caption": "The game's course: the engine's evaluation after each ply, in pawns for White, cut at six. Dots are the moves that are commented on.", "name": "fig-15-evaluations"}, "image": {"alt": "A filled step curve of the evaluation with dots on it."}}
scores = pd.Series(
    {
        ply: centipawns(note.score, True) / 100
        for ply, note in enumerate(annotated.notes)
        if note.score is not None
    }
).clip(-6, 6)
fig, ax = plt.subplots(figsize=(7.0, 2.4))
ax.fill_between(scores.index, scores, step="mid", alpha=0.35)
ax.plot(list(commented), [scores.get(ply, 0) for ply in commented], "o")
ax.set(xlabel="ply", ylabel="pawns for White")
plt.show()

# %%
moves = list(moves_of(game))
report.texts(
    {moves[ply].numbered_san: note.text for ply, note in commented.items()},
    "The moments that matter",
)

# %% tags=["hide-input"] mystnb={"code_prompt_show": "The moment at the head of the chapter"}
given_up = [ply for ply, note in commented.items() if "given up" in note.text]
ply = max(given_up or commented)
moment = report.boards(
    report.board(moves[ply], size=230),
    report.texts({moves[ply].numbered_san: commented[ply].text}),
)
glue("moment", moment, display=False)

# %% [markdown]
# The file gains evaluations, glyphs and comments that any chess program can read, and keeps its
# own:

# %%
_, movetext = write_pgn([annotated]).split("\n\n", 1)
print("…", *textwrap.wrap(movetext, 88)[-10:], sep="\n")

# %% [markdown]
# ## A dialogue
#
# `chessgloss ask --fen … --move …` offers this conversation in a terminal. Without a model, an
# answer states the facts in sentences. With a model, the model writes from the facts, and any
# illegal move that it names is pointed out.

# %%
with open_engine() as engine:
    talk = Dialogue(
        move,
        comment.text,
        lambda position: engine.analyse(position, nodes=sizes.nodes, multipv=5),
    )
    replies = {question: talk.ask(question) for question in listed(asked)}
report.texts(
    {question: reply.text for question, reply in replies.items()}, f"After {move.numbered_san}"
)

# %% [markdown]
# ## Recap
#
# - A comment comes with the facts behind it.
# - A game is annotated where it matters; what the file held before stays.
# - A question is answered from the board, for the moves and pieces that it names.

# %% tags=["remove-input"]
report.paste(n_moves=len(annotated.notes), n_commented=len(commented), n_questions=len(replies))
report.save(
    "15_your_own_game",
    report.rows({"questions": len(replies)}, "figure_a4", unit="questions"),
    report.rows(
        {"moves": len(annotated.notes), "commented": len(commented)}, "annotate", unit="moves"
    ),
)

report.evidence(
    len(annotated.notes),
    "moves",
    seed,
    versions={
        "engine": f"{briefing.before.engine}, {sizes.nodes:,} nodes",
        "comments": "notes, no model",
    },
)

# %% [markdown]
# ## Exercises
#
# **1. Your own move.** Comment on `Qxe6+` in the same position, with 20,000 nodes a search. Which
# kinds of notes does it have that the move played does not?

# %% tags=["solution", "hide-cell"] mystnb={"code_prompt_show": "A solution: the notes of another move in the same position"}
# The notes of another move in the same position.
other_move = read_move(read_fen(fen), "Qxe6+")
with Annotator(nodes=(20_000, 20_000), processes=1) as annotator:
    other = annotator.brief(other_move)
kinds_before = {note.kind for note in notes(briefing)}
new_kinds = {note.kind for note in notes(other)} - kinds_before
report.texts(
    {
        f"{note.kind}{' (new)' if note.kind in new_kinds else ''}": note.sentence
        for note in notes(other)
    },
    f"Notes on {other_move.numbered_san}",
)

# %% tags=["check", "remove-cell"]
report.check(
    "`Annotator.brief` of the other move; a kind of note is new if `notes(briefing)` has none of it.",
    new_kinds=new_kinds,
)

# %% [markdown]
# **2. More room.** A comment has at most 60 words. What does `compose` say of the move with 20,
# with 60 and with 90 words, in at most nine sentences?

# %% tags=["solution", "hide-cell"] mystnb={"code_prompt_show": "A solution: the same notes in 20, 60 and 90 words"}
# The same notes in 20, 60 and 90 words.
from chessgloss.commentary.notes import compose

lengths = {
    f"{room} words": compose(notes(briefing), words=room, sentences=9).text
    for room in (20, 60, 90)
}
report.texts(lengths, "One move, three lengths")

# %% tags=["check", "remove-cell"]
report.check(
    "Three texts by `compose`, the shortest first, with `sentences=9`.",
    ordered=True,
    lengths=lengths,
)

# %% [markdown]
# **3. Questions at the edge.** Ask "What is the best move?" and "Would Tal have liked it?", with
# 20,000 nodes. Is the second answer about Tal?

# %% tags=["solution", "hide-cell"] mystnb={"code_prompt_show": "A solution: a question within reach and one beyond it"}
# A question within reach and one beyond it.
with open_engine() as engine:
    edge = Dialogue(
        move, comment.text, lambda position: engine.analyse(position, nodes=20_000, multipv=5)
    )
    asked_now = ("What is the best move?", "Would Tal have liked it?")
    edge_replies = {question: edge.ask(question).text for question in asked_now}
report.texts(edge_replies, "At the edge")

# %% tags=["check", "remove-cell"]
report.check(
    "Two answers by `Dialogue.ask`, in this order. Without a model the second is not about Tal: it "
    "says again what is known of the move.",
    ordered=True,
    edge_replies=edge_replies,
)
