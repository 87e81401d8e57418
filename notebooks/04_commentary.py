# ---
# jupyter:
#   kernelspec:
#     display_name: Python 3 (ipykernel)
#     language: python
#     name: python3
# ---

# %% [markdown]
# # From concepts to commentary
#
# Blind readers of comments on sixty moves find {glue:text}`helps_explain:.0f` % helpful of those that
# {glue:text}`writer` writes from an engine's lines and the program's facts, {glue:text}`helps_ccc:.0f` % of
# CCC's, {glue:text}`helps_program:.0f` % of the program's own, {glue:text}`helps_people:.0f` % of people's.
# {glue:text}`model` repeats six words of an example in {glue:text}`small_copies:.0f` % of its comments from
# CCC's whole prompt, {glue:text}`writer` in {glue:text}`own_copies:.0f` %. {glue:md}`experts_sentence`
#
# ```{glue:} one_move
# ```
#
# A chess engine knows how good a move is but cannot explain it. A language model can explain but often
# misreads the board. Section 3.1.2 of the CCC paper {cite}`kim2024ccc` tells the model the engine's
# verdict, the attacks on the board, and the *concepts* that the move changes most, as a chess network
# shows them: *concept-guided chess commentary*, CCC. Above are comments on one move. The first three are
# {glue:text}`writer`'s, from three prompts; the fourth a program made without any model; the last two are
# by {glue:text}`model`, a small model.
#
# This chapter makes the prompt, part by part, asks whose words come back, and has comments on sixty moves
# read blind beside people's. What each part of the prompt does for *truth* is measured in the next
# chapter. No person has judged any of these comments.

# %% tags=["parameters", "hide-input"] mystnb={"code_prompt_show": "Parameters: the models, the move shown"}
profile = "book"
seed = 1
writer = "claude"
model = "qwen2.5-coder-1.5b-q4_k_m"
shown, sent = "lec12/9", "lec3/40"

# %% tags=["hide-input"] mystnb={"code_prompt_show": "Imports, moves and recorded comments"}
import re
import textwrap
from html import escape

import chess
import chess.svg
import numpy as np
import openai
import pandas as pd
from IPython.display import SVG, Markdown
from IPython.display import display as display_markdown
from myst_nb import glue
from sklearn.metrics import cohen_kappa_score

from chessgloss import assets, claims, report
from chessgloss.book import pictures, reference
from chessgloss.book.profiles import load_sizes
from chessgloss.commentary import arms, methods, notes, spoken, voice
from chessgloss.commentary.briefing import speaks_of
from chessgloss.commentary.moves import evaluated_moves, lectured_moves
from chessgloss.concepts.vectors import ConceptVectors
from chessgloss.concepts.priority import weights_file
from chessgloss.corpora.lectures import read_lectures
from chessgloss.experts import joined_activations, load_expert
from chessgloss.judges import outcomes as readings
from chessgloss.judges.contrasts import compare
from chessgloss.llm.client import DEFAULT_MODEL, model_title, replay
from chessgloss.stats import mean_interval, paired_difference, share_of
from chessgloss.store import data_file

sizes = load_sizes("04_commentary", profile)
report.use_house_style()
evaluated = evaluated_moves(seed)
asked = [*evaluated, *lectured_moves(seed)] if profile != "smoke" else evaluated[:: sizes.every]
EVERY_MOVE = [name for name, arm in arms.ARMS.items() if not arm.third]
briefings = arms.asked_moves()
published = arms.read_published()
if cannot := methods.why_unreadable(
    model, EVERY_MOVE, [briefings[each.name] for each in asked]
):
    display_markdown(
        Markdown(
            f"**The comments of {model_title(model)} cannot be shown here.** {cannot} Those of "
            f"{model_title(DEFAULT_MODEL)} stand in their place."
        )
    )
    model = DEFAULT_MODEL
client = replay(voice.PURPOSE, writer)
small_client = replay(arms.PURPOSE, model)
example, lined = voice.voice_moves()[shown], voice.lined_moves()[shown]
comments = voice.comments(client)
titles = {writer: model_title(writer), model: model_title(model)}
made = notes.notes(example)

# %% [markdown]
# ## One prompt, part by part
#
# Change `shown` to another name in `voice.voice_moves()`, and everything changes.
#
# **The network's concepts.** The network reads the position before the move and after it. Each concept of
# chapter 2 is a direction in its activations, so that a position's score is one product of vectors. The
# concepts whose scores change most come first; we give five, for the paper names no number.

# %%
vectors = ConceptVectors.load(weights_file("nnue-svm"))
fens = [example.move.position.fen, example.move.after().fen]
activations = joined_activations(
    load_expert("nnue"), fens, vectors.about["layer"], dtype=np.float32
)
scores = activations @ vectors.weights.T + vectors.biases
ranked = pd.DataFrame({"before": scores[0], "after": scores[1]}, index=vectors.names)
ranked["change"] = ranked["after"] - ranked["before"]
ranked = ranked.sort_values("change", key=abs, ascending=False)
given = arms.concepts_given(example, published[example.name], "published")
assert list(ranked.index[: len(given)]) == [each.term for each in given]
report.table(ranked.head(len(given)), caption="The concepts given; scores in SVM margins")

# %% [markdown]
# **The attacks.** The paper lists every attack on an enemy piece, so that none is made up. What a pin
# forbids is left out, and what a king could not take because it is defended.

# %%
before, after = map(chess.Board, fens)


def attacked(square):
    """Return the enemy's squares that a piece attacks and may take."""
    colour = after.color_at(square)
    reached = after.attacks(square) & after.occupied_co[not colour] & after.pin(colour, square)
    if square != after.king(colour):
        return list(reached)
    return [target for target in reached if not after.attackers(not colour, target)]


def man(square):
    return f"{chess.piece_name(after.piece_type_at(square))} {chess.square_name(square)}"


attacks = {
    square: targets
    for colour in (chess.WHITE, chess.BLACK)
    for square in chess.SquareSet(after.occupied_co[colour])
    if (targets := attacked(square))
}
attack_lines = [
    f"- {'White' if after.color_at(square) else 'Black'} {man(square)} attacks "
    + ", ".join(map(man, targets))
    for square, targets in attacks.items()
]

# %% tags=["hide-input"] mystnb={"code_prompt_show": "Draw the attacks", "figure": {"caption": "The attacks on the board after the move, as the prompt lists them: White's in blue, Black's in orange.", "name": "fig-04-attacks"}, "image": {"alt": "A chess board with an arrow for each attack on an enemy piece."}}
arrows = [
    chess.svg.Arrow(
        square, target, color="#0072B2a0" if after.color_at(square) else "#D55E00a0"
    )
    for square, targets in attacks.items()
    for target in targets
]
SVG(chess.svg.board(after, arrows=arrows, size=200))

# %% [markdown]
# **The question.** An instruction and two worked examples precede it, as in the paper. The instruction
# asks the model to go through what it is given first, and to write its comment then.

# %%
question = "\n".join(
    [
        f"Position (FEN): {before.fen()}",
        f"Move played by {'White' if before.turn else 'Black'}: {example.move.numbered_san}",
        f"Engine: {arms.describe_verdict(example.move, example.verdict)}",
        "Attacks after the move:",
        *attack_lines,
        "Concepts changed most:",
        *(f"{rank}. {arms.describe_concept(each)}" for rank, each in enumerate(given, start=1)),
    ]
)
request = arms.ask_arm(example, "ccc", published[example.name])
messages = [{"role": turn.role, "content": turn.content} for turn in request.messages]
assert messages[-1]["content"] == question

# %% [markdown]
# Each *arm* of the experiment is this prompt with some of its parts. The first five stand in a row: here is
# what each adds first. The arm with *lines* has the verdict, an engine's best lines before the move and
# after it, and natural moves that fail.

# %%
asked_before = set()
for arm in ("bare", "verdict", "verdict_attacks", "reasoning", "ccc", "lines"):
    briefing = lined if arm == "lines" else example
    turns = arms.ask_arm(briefing, arm, published[example.name]).messages
    lines = [*turns[-1].content.splitlines(), *turns[0].content.splitlines()]
    added = [line for line in lines if line not in asked_before and line]
    asked_before |= {*lines}
    print(f"[{arms.EVERY_ARM[arm].title}]")
    print(*(textwrap.shorten(line, 96, placeholder=" …") for line in added[:2]), sep="\n")

# %% tags=["hide-cell"] mystnb={"code_prompt_show": "The whole prompt of CCC, with the instruction and the two examples"}
# the whole prompt: the instruction, two worked examples, and the question
for turn in messages:
    print(f"[{turn['role']}]")
    print(*(textwrap.fill(line, 84) for line in turn["content"].splitlines()), sep="\n")

# %% [markdown]
# **The answer.** A request is one call of openai's client, which works with any server that speaks its
# protocol. This book asks no model: every answer was recorded, and is found by a hash of the messages.
# Set `ask_live = True`, `OPENAI_BASE_URL` and `OPENAI_API_KEY`, and the cell asks. `make record
# PURPOSE=voice MODEL=…` records another model's answers to all of it.

# %%
ask_live = False
if ask_live:
    completion = openai.OpenAI().chat.completions.create(
        model=writer,
        messages=messages,
        temperature=request.sampling.temperature,
        max_tokens=request.sampling.max_tokens,
    )
    text = completion.choices[0].message.content
else:
    text = client.ask(request).text
comment = arms.comment_in(text)
print(textwrap.fill(text, 84))

# %% [markdown]
# **Sent back.** In the last arm a reader and a program checked each comment with lines. What they called
# false went back to the writer once, with what refutes it: so it was with {glue:text}`sent_back_n` of
# {glue:text}`moves_n` comments. Reader and program err at times; the next chapter measures how often. On
# another move:

# %% tags=["hide-input"] mystnb={"code_prompt_show": "One that was sent back"}
back = {str(each.about["of"]): each for each in voice.sent_back(client)}
answer, told = (turn.content for turn in back[sent].messages[-2:])
print(textwrap.fill(f"before: {arms.comment_in(answer)}", 84))
refuted_so = [line for line in told.splitlines() if line.startswith("-")]
print(*(textwrap.fill(line, 84) for line in refuted_so), sep="\n")
print(textwrap.fill(f"after: {comments['lines_checked'][sent].text}", 84))

# %% [markdown]
# **Without a model.** A *note* is one true statement on a move, with the facts that prove it. The program's
# own comment is made of the weightiest notes and asks no model.

# %%
for note in made[:3]:
    print(f"{note.kind}, weight {note.weight:.0f}: {note.sentence}")

# %% tags=["hide-cell"] mystnb={"code_prompt_show": "The paper's Figure 2 for this move, box by box"}
# Figure 2 of the paper, box by box, for this move
first = ranked.iloc[0]
boxes = {
    "a. labels": f"positions of games, each with Stockfish 8's {len(vectors.names)} terms",
    "a. vectors": "SVMs on {1} activations: {0} vectors".format(*vectors.weights.shape),
    "b. before, after": f"{first.name}, margin {first.before:+.2f}, then {first.after:+.2f}",
    "b. concepts": ", ".join(each.term for each in given),
    "b. question": f"{len(question.split())} words: position, move, verdict, attacks, concepts",
    f"b. comment, {titles[writer]}": comment,
}
report.texts(boxes, f"Figure 2 of the paper, for {example.move.numbered_san}")

# %% [markdown]
# ## Whose words are these?
#
# A model that has nothing to say may say what the examples in its prompt say. A comment is *copied* if it
# shares six words in a row with one, punctuation aside. It *names the move* if the move or the square that
# it goes to stands in it: a comment that does not cannot be wrong about the move, nor explain it.


# %%
def runs_of_words(text, length=6):
    words = re.findall("[a-z0-9']+", text.lower())
    return {tuple(words[at : at + length]) for at in range(len(words) - length + 1)}


def names_move(text, move):
    return move.san.rstrip("+#") in text or chess.square_name(move.move.to_square) in text


# %%
def measure(frame):
    """Return comments (columns method, move, text) with words, copies and naming of the move."""
    frame = frame[frame["text"] != ""]
    rows = list(frame[["method", "move", "text"]].itertuples(index=False))
    return frame.assign(
        words=frame["text"].str.split().str.len(),
        copied=[bool(runs_of_words(text) & runs[arm]) for arm, _, text in rows],
        named=[names_move(text, known[name].move) for _, name, text in rows],
    )


runs = {}
for arm in arms.EVERY_ARM:
    turns = arms.ask_arm(example, arm, published[example.name]).messages
    of_examples = [turn.content for turn in turns if turn.role == "assistant"]
    runs[arm] = set().union(*map(runs_of_words, of_examples))
runs["lines_checked"] = runs["lines"]
known = briefings | voice.voice_moves()
texts = [(arm, name, each.text) for arm, of in comments.items() for name, each in of.items()]
own = measure(pd.DataFrame(texts, columns=["method", "move", "text"]))
gathered = methods.gather_comments(EVERY_MOVE, asked, briefings, small_client)
small = measure(gathered[gathered["state"] == "answered"])


# %% tags=["hide-input"] mystnb={"code_prompt_show": "Draw both models"}
def shares(rows, column):
    """Return the share of each arm's comments, as results."""
    by_arm = rows.groupby("method")[column].agg(share_of)
    return {arm: report.Result.of(share, "share of comments") for arm, share in by_arm.items()}


drawn = {
    title: {
        words: [shares(own, column)[arm], shares(small, column).get(arm)]
        for arm, words in pictures.SWITCHES.items()
        if arm in comments
    }
    for title, column in (
        ("Repeat six words of an example", "copied"),
        ("Name the move played", "named"),
    )
}
pictures.side_by_side(
    drawn,
    "Share of comments, with 95 % intervals. A line with a plus has all that the lines above it have. "
    f"Filled: {titles[writer]}, {own['move'].nunique()} moves. "
    f"Hollow: {titles[model]}, {small['move'].nunique()} moves.",
)

# %% [markdown]
# **Do the concepts reach the words?** A comment *speaks of* a concept if it has one of the words that are
# listed for it. But some words occur in any comment: whoever says what a knight does speaks of knights. So
# the same five are looked for where the prompt has no concepts, and where it has five others, drawn at
# random among those that the ranking puts lower.

# %%
fives = {
    name: arms.concepts_given(briefing, published[name], "published")
    for name, briefing in voice.voice_moves().items()
}
spoken_of = pd.DataFrame(
    {
        arm: {
            name: np.mean([speaks_of(comments[arm][name].text, each) for each in five])
            for name, five in fives.items()
        }
        for arm in ("ccc", "reasoning", "ccc_others")
    }
)

# %% tags=["hide-input"] mystnb={"code_prompt_show": "How many of five, with intervals over moves"}
reached = spoken_of.apply(mean_interval, seed=seed)
reach_gain = {
    arm: paired_difference(spoken_of["ccc"], spoken_of[arm], seed=seed)
    for arm in ("reasoning", "ccc_others")
}
report.table(
    pd.DataFrame({"of CCC's five": reached, "CCC less this": pd.Series(reach_gain)})
    .loc[spoken_of.columns]
    .fillna("")
    .rename(index=pictures.SWITCHES),
    caption=f"Share of five given concepts that a comment by {titles[writer]} speaks of",
)

# %% [markdown]
# ## Sixty moves, read blind
#
# Do comments help a reader? Sixty moves were put aside on which nothing had been tried, each from another
# game that a person had annotated in public; twenty are quiet. Four comment on each: the *program*, from its
# notes; {glue:text}`writer` as *CCC* asks it; the same model by *explain*, which gives it lines, refutations
# and the program's facts, and has its claims checked; and the *annotator*. A run of the model that saw one
# comment at a time said each in plain words of like length. Two further runs, told the same in different
# words, read them blind, with board and engine.
#
# A comment is *decisive* if it says the one thing that decides the move. It is *empty* if it is neither
# decisive nor helpful, not even partly.

# %%
WRITERS = {"notes": "program", "explain": "explain", "ccc": "CCC", "annotator": "annotator"}
ASKED = ["helpful", "decisive", "empty", "misleading", "false"]
blindly = pd.read_csv(data_file("annotated/verdicts.tsv"), sep="\t", keep_default_na=False)
blindly["text"] = blindly[["move", "writer", "form"]].agg(" ".join, axis=1)
neither = (blindly[["decisive", "helpful"]] == "no").all(axis=1)
blindly["empty"] = np.where(neither, "yes", "no")
plain = blindly[blindly["form"] == "reworded"]
shares_read = pd.DataFrame(
    {
        name: {
            asked: mean_interval(readings.said(plain, asked)[key].dropna(), seed=seed)
            for asked in ASKED
        }
        for key, name in WRITERS.items()
    }
).T

# %% tags=["hide-input"] mystnb={"code_prompt_show": "Shares of both readings, and what was aimed at"}
AIMS = pd.DataFrame(
    [[0.5, 0.6, -0.15, -0.03, -0.01], [0.9, 0.9, np.nan, np.nan, -0.02]],
    index=["program", "explain"],
    columns=ASKED,
)  # at least, or with a minus at most


def in_percent(share):
    return f"{share.in_percent():.0f}"


def aim_in_words(bound):
    return f"at {'least' if bound > 0 else 'most'} {100 * abs(bound):.0f}"


aims = AIMS.map(aim_in_words, na_action="ignore").rename("aim, {}".format)
report.table(
    pd.concat([shares_read.map(in_percent), aims]).fillna(""),
    caption=f"Per cent of {plain['move'].nunique()} comments, mean of two blind readings, and aims",
)

# %% [markdown]
# Aims that are reached: {glue:text}`aims_met`. A value is held against its aim, not its interval.
#
# **How far can these readers be trusted?** `explain` was set beside the annotator and beside the program, in
# pairs. Some comments were read again with one detail broken: the share of these that is called false is the
# readers' *recall*. Where the program's rules read a claim, board and engine decide it.

# %% tags=["hide-cell"] mystnb={"code_prompt_show": "Preferences, recall, agreement, guesses who wrote"}
preferred = pd.read_csv(data_file("annotated/preferences.tsv"), sep="\t", keep_default_na=False)
beside = {
    WRITERS[other]: preferred[preferred[["first", "second"]].eq(other).any(axis=1)]["better"]
    for other in ("annotator", "notes")
}
against = {name: share_of(better == "explain") for name, better in beside.items()}
readers_recall = share_of(blindly.loc[blindly["form"] == "broken", "false"] == "yes")
kappas = {
    asked: cohen_kappa_score(*readings.pairs_of(plain, asked).to_numpy().T)
    for asked in ASKED
    if asked != "empty"
}
decided = pd.read_csv(data_file("annotated/claims.tsv"), sep="\t")
decided = blindly.merge(decided, on=["move", "writer", "form"], suffixes=("", "_claims"))
called = decided["false"] == "yes"
refuted = decided["false_claims"] > 0
held = {
    "false_to_program": share_of(called[refuted]),
    "true_to_program": share_of(called[~refuted & (decided["true"] > 0)]),
}
first = blindly[blindly["reading"] == "first"].set_index(["form", "move", "writer"])
yes = (first[ASKED] == "yes").astype(float)
own_words = yes.loc["original"]
new_words = yes.loc["reworded"].loc[own_words.index]
reworded_less = {
    asked: paired_difference(new_words[asked], own_words[asked], seed=seed) for asked in ASKED
}
authors = pd.crosstab(
    plain["writer"], plain["author"].replace("", "no guess"), normalize="index"
)
report.boards(
    report.table(
        pd.DataFrame(beside)
        .apply(pd.Series.value_counts, normalize=True)
        .fillna(0)
        .rename(index=WRITERS, columns="beside the {}".format),
        caption="Preferred, share of moves",
    ),
    report.table(
        pd.DataFrame(
            {
                "called false by a reading": {
                    "one detail broken": readers_recall,
                    "rules find a false claim": held["false_to_program"],
                    "all that rules read holds": held["true_to_program"],
                }
            }
        ),
        caption="Share of texts and readings",
    ),
    report.sheet("kappa of both readings", kappas),
    report.table(
        pd.DataFrame({"new words less own words": reworded_less}), caption="First reading"
    ),
    report.table(
        authors.loc[[*WRITERS]].rename(index=WRITERS), caption="Who is thought to have written"
    ),
)

# %% [markdown]
# `explain` is preferred to the annotator on {glue:text}`preferred:.0f` % of the moves (the aim was 75 %), the
# annotator to `explain` on {glue:text}`annotator_preferred:.0f` %. The readers call
# {glue:text}`readers_recall:.0f` % of the broken comments false, and {glue:text}`guessed:.0f` % of their
# guesses who wrote a comment are right. Writer, rewording and readers are one family of models, which may
# favour its own, and two of the sixty moves are famous. People had written for their own readers; what was
# longer than 45 words was cut.
#
# ## A small model copies
#
# {glue:text}`small` runs on a laptop. It was asked on 303 moves, and a program that reads by rules judged its
# comments. Its rates cannot be compared across prompts: it finds 76 to 94 % of what a reader calls false, and
# a comment that says what an example says is not about the move. So the table is the record of one registered
# experiment, and no finding. The next chapter has the same model by the ruler of the strong one.

# %%
then = pd.read_csv(data_file("commentary/factorial/decided.tsv.zst"), sep="\t")
then["false"] = (then.filter(like="false_").sum(axis=1) > 0).astype(float)
outcomes = then.pivot(index="move", columns="writer", values="false")
false_then = outcomes.apply(lambda hits: share_of(hits.dropna()))
steps = {each.name: each for each in compare(outcomes, arms.CONTRASTS, seed=seed)}

# %% tags=["hide-input"] mystnb={"code_prompt_show": "Lay out the registered experiment"}
laid_out = {"false, by the program of then": false_then}
for name in methods.commentators(EVERY_MOVE, [briefings[each.name] for each in asked]):
    theirs = methods.gather_comments(EVERY_MOVE, asked, briefings, replay(arms.PURPOSE, name))
    by_arm = measure(theirs[theirs["state"] == "answered"]).groupby("method")
    laid_out[f"{model_title(name)}: words"] = by_arm["words"].mean()
    laid_out[f"{model_title(name)}: copied"] = by_arm["copied"].mean()
report.table(
    pd.DataFrame(laid_out).loc[EVERY_MOVE].rename(index=methods.TITLES),
    caption=f"The experiment with {model_title(DEFAULT_MODEL)}; `make record` adds another model's words",
)

# %% tags=["hide-cell"] mystnb={"code_prompt_show": "Its six registered contrasts"}
# differences of the shares of false comments, as decided then; Holm over the six
contrasts = {
    "difference": {name: each.by_moves for name, each in steps.items()},
    "for other lectures": {name: each.by_lecture for name, each in steps.items()},
    "p, corrected": {name: f"{each.adjusted:.3f}" for name, each in steps.items()},
    "so": {name: each.verdict for name, each in steps.items()},
}
report.table(
    pd.DataFrame(contrasts),
    caption="By the program of then, which reads some prompts' comments better than others'",
)

# %% [markdown]
# ## Concepts against what experts speak of
#
# The paper takes the concepts that a move changes most for those that explain it. Would an expert name
# them? To ask this needs no language model. We take every commented move of the lectures of the Free
# Internet Chess Server in which experts explain games. Three orders are by change: Stockfish 8's own, the
# published one, and that of chapter 3. *Frequency* is how often all *other* lectures name a concept,
# whatever the move; *by kind* counts moves of the same piece. *Recall at 3* is the share of the named
# concepts that are among the first three; what *other moves' orders* find is taken away in the last column,
# so that what is left is due to the move.

# %%
talked = spoken.first_comments(read_lectures(assets.locate("lectures")))
talked = talked[:: max(1, len(talked) // sizes.commented)]
named = spoken.named_concepts(talked)
orders = spoken.orders_by_change(talked) | spoken.orders_by_frequency(talked, named)
told = named.any(axis=1)
lecture = pd.Series([each.source for each in talked])[told]
found = {
    name: spoken.recall(order[told], named[told], lecture) for name, order in orders.items()
}


# %% tags=["hide-input"] mystnb={"code_prompt_show": "Recall with intervals over lectures"}
def less(name, other):
    """Return how much an order finds beyond something else, on the same comments."""
    return paired_difference(found[name]["recall"], other, lecture, seed=seed)


names = list(orders)
recall_of = pd.DataFrame(
    {
        "recall at 3": {
            name: mean_interval(found[name]["recall"], lecture, seed=seed) for name in names
        },
        "less frequency": {
            name: less(name, found["frequency"]["recall"])
            for name in names
            if name != "frequency"
        },
        "less other moves' order": {
            name: less(name, found[name]["elsewhere"])
            for name in names
            if name not in ("frequency", "random")
        },
    }
)
ORDERS = {"stockfish8": "Stockfish 8", "learned": "chapter 3", "by_kind": "by kind"}
report.table(
    recall_of.fillna("").rename(index=ORDERS),
    caption=f"Orders of the concepts on {told.sum()} comments of {lecture.nunique()} lectures; intervals "
    "draw lectures",
)

# %% [markdown]
# {glue:md}`experts_sentence`
#
# ## Recap
#
# - A CCC prompt is a verdict, a list of attacks, ranked concepts and two examples. Each is a few lines of
#   code, and each can be left out to see what it does.
# - Before one credits concepts with a comment, one must ask what it would say without them, with others,
#   and whether its words come from an example.
# - Before one believes a blind reading, one must give it broken comments too, and ask who wrote each.
# - Before one says that a ranking finds what experts speak of, one must set it beside how often they speak
#   of it anyhow.

# %% tags=["hide-input"] mystnb={"code_prompt_show": "The comments at the head of the chapter"}
WRITTEN = {"bare": "position and move", "ccc": "CCC", "lines_checked": "lines, checked"}
remarks = {
    f"{titles[writer]}, {words}": comments[arm][shown].text for arm, words in WRITTEN.items()
}
remarks["Program, its notes"] = notes.compose(made).text
for each in small[small["move"] == shown].itertuples():
    if each.method in ("bare", "ccc"):
        remarks[f"{titles[model]}, {WRITTEN[each.method]}"] = each.text
board = report.board(example.move, size=200)
lines = "".join(f"<p><b>{who}.</b> {escape(text)}</p>" for who, text in remarks.items())
one_move = report.Html(
    f'<div class="boards"><div style="flex: 0 0 12.5rem">{board.html}</div>'
    f'<div class="remarks" style="flex: 1 1 24rem">{lines}</div></div>',
    "\n".join([board.text, *(f"{who}: {text}" for who, text in remarks.items())]),
)
glue("one_move", one_move, display=False)

# %% tags=["hide-input"] mystnb={"code_prompt_show": "Numbers of the text"}
copied = {"own": shares(own, "copied"), "small": shares(small, "copied")}
helps = {name: 100 * share.value for name, share in shares_read["helpful"].items()}
met = [
    f"{who}, {asked}"
    for (who, asked), bound in AIMS.stack().items()
    if np.sign(bound) * (shares_read.at[who, asked].value - abs(bound)) >= 0
]
by_change = recall_of.loc[["stockfish8", "published", "learned"], "less frequency"]
experts_sentence = ""
if all(gap.high < 0 for gap in by_change):
    experts_sentence = (
        "Experts speak less of what a move changes most than of what they always speak of."
    )
true_authors = plain["writer"].map({"notes": "program", "annotator": "person"}).fillna("model")
report.paste(
    experts_sentence=Markdown(experts_sentence),
    writer=titles[writer],
    small=model_title(DEFAULT_MODEL),
    model=titles[model],
    helps_explain=helps["explain"],
    helps_ccc=helps["CCC"],
    helps_program=helps["program"],
    helps_people=helps["annotator"],
    small_copies=100 * copied["small"]["ccc"].value,
    own_copies=100 * copied["own"]["ccc"].value,
    sent_back_n=len(back),
    moves_n=len(comments["lines"]),
    aims_met=report.listed(met),
    preferred=100 * against["annotator"].value,
    annotator_preferred=100 * (beside["annotator"] == "annotator").mean(),
    readers_recall=100 * readers_recall.value,
    guessed=100 * (plain["author"] == true_authors).mean(),
)

# %% tags=["hide-input"] mystnb={"code_prompt_show": "Results kept in book/results"}
PRINTED = {
    "bare": "GPT-4o",
    "verdict": "GPT-4o + expert",
    "ccc": "GPT-4o + expert + concept (CCC)",
    "reference": "Reference",
    "gac": "GAC",
}
not_models = methods.gather_comments(["reference", "gac"], evaluated, briefings, small_client)
words = pd.concat([own, not_models]).groupby("method")["words"]
unit = "share of comments"
of_recall = "recall at 3 of concepts named by lecturers"
report.save(
    "04_commentary",
    report.rows({"moves": len(asked)}, "commentary", unit="moves"),
    report.rows(
        words.agg(mean_interval, seed=seed),
        "words",
        unit="words",
        reference={
            name: reference.lookup("ccc", "table1", row, "Words per comment")
            for name, row in PRINTED.items()
        },
    ),
    report.rows({"boxes": len(boxes)}, "figure2", unit="boxes"),
    report.rows(
        shares_read.rename(index={"CCC": "ccc"}),
        "comments",
        unit="share of comments, mean of two blind readings",
    ),
    report.rows(
        {f"against_{name}": share for name, share in against.items()},
        "comments.explain",
        unit="share of moves on which it is preferred",
    ),
    report.rows(
        {"readers_recall": readers_recall}, "comments", unit="share of broken comments"
    ),
    report.rows(kappas, "comments.kappa", unit="kappa of two readings"),
    report.rows(held, "comments.readers", unit="share of texts and readings called false"),
    report.rows(
        reworded_less, "comments.reworded_less", unit="difference on the same comments, of 1"
    ),
    report.rows(copied["own"], "voice.copied"),
    report.rows(shares(own, "named"), "voice.names_move"),
    report.rows(copied["small"], "commentary.copied"),
    report.rows(shares(small, "named"), "commentary.names_move"),
    report.rows(reached, "voice.reach", unit="share of concepts"),
    report.rows(reach_gain, "voice.reach_ccc_less", unit="difference on the same moves, of 1"),
    report.rows(false_then.filter(items=[*arms.ARMS]), "factorial.false", unit=unit),
    report.rows(
        contrasts["difference"],
        "factorial.contrast",
        unit="share of comments, difference on the same moves",
    ),
    report.rows(
        {name: each.adjusted for name, each in steps.items()},
        "factorial.adjusted_p",
        unit="p by flipped signs, Holm over the six",
    ),
    report.rows(recall_of["recall at 3"], "concepts.spoken_of.all_lectures", unit=of_recall),
    report.rows(
        recall_of["less frequency"].dropna(),
        "concepts.spoken_of_less_frequency.all_lectures",
        unit="difference, recall at 3",
    ),
    report.rows(
        recall_of["less other moves' order"].dropna(),
        "concepts.spoken_of_less_other_moves.all_lectures",
        unit="difference, recall at 3",
    ),
)

# %% tags=["hide-input"] mystnb={"code_prompt_show": "How the numbers were computed"}
report.evidence(
    len(own) + len(small),
    "comments",
    seed,
    interval="95 % over moves; shares Wilson, else bootstrap",
    versions={
        "models": f"{client.told()}; {small_client.told()}",
        "engine": f"{example.before.engine}, {example.before.nodes:,} nodes",
        "prompts": request.prompt,
    },
)

# %% [markdown]
# ## Exercises
#
# **1. Your own comment.** Write a comment on the move of `example` and let the checker of the
# next chapter read it: `claims.verify(text, example.move, example.verdict)`. Which of your
# words count as claims?

# %% tags=["solution", "hide-cell"] mystnb={"code_prompt_show": "A solution: a comment of one's own, claim by claim"}
# A comment of one's own, claim by claim.
own_comment = (
    "The king steps to d8, out of the check by the queen on a4. There it looks as if it were "
    "safe, and no black piece defends it."
)
own_claims = claims.verify(own_comment, example.move, example.verdict)
report.claims({example.move.numbered_san: (own_comment, own_claims)})

# %% tags=["check", "remove-cell"]
report.check(
    "A sentence that names a piece and a square, a capture or a check holds a claim; "
    "praise holds none.",
    own_claims=(own_claims, lambda found: len(found) > 0 and any(each.holds for each in found)),
)

# %% [markdown]
# **2. Fewer words.** How much of what is *copied* depends on six words in a row? Count for
# {glue:text}`small` the share of CCC's comments that share four, six and eight words with an example.

# %% tags=["solution", "hide-cell"] mystnb={"code_prompt_show": "A solution: the share of copies by the length of the run"}
# The share of copies by the length of the run.
turns_of_ccc = arms.ask_arm(example, "ccc", published[example.name]).messages
answers_of_ccc = [turn.content for turn in turns_of_ccc if turn.role == "assistant"]
texts_of_ccc = gathered.query("method == 'ccc' and state == 'answered'")["text"]
copied_by_length = {}
for run in (4, 6, 8):
    in_examples = set().union(*(runs_of_words(each, run) for each in answers_of_ccc))
    shared = [bool(runs_of_words(each, run) & in_examples) for each in texts_of_ccc]
    copied_by_length[f"{run} words"] = float(np.mean(shared))
report.sheet("share copied", copied_by_length)

# %% tags=["check", "remove-cell"]
report.check(
    "`runs_of_words(text, length)` of the answers of both examples, and of each comment: three shares, "
    "which cannot rise with the length.",
    copied_by_length=(
        copied_by_length,
        lambda found: (
            len(found) == 3 and sorted(found.values(), reverse=True) == [*found.values()]
        ),
    ),
)

# %% [markdown]
# **3. Who repeats himself?** For each arm of `comments`, count the distinct first three words of
# its comments as a share of all. Which arm begins its comments in the fewest ways?

# %% tags=["solution", "hide-cell"] mystnb={"code_prompt_show": "A solution: distinct beginnings as a share of the comments, fewest first"}
# Distinct beginnings as a share of the comments, fewest first.
beginnings = {}
for arm, of in comments.items():
    begins = [" ".join(each.text.lower().split()[:3]) for each in of.values() if each.text]
    beginnings[arm] = len(set(begins)) / len(begins)
report.table(
    pd.Series(beginnings)
    .sort_values()
    .rename(index=pictures.SWITCHES)
    .to_frame("distinct beginnings")
)

# %% tags=["check", "remove-cell"]
report.check(
    "The first three words without regard to capitals, counted once each, over all comments of the arm: "
    "one share an arm.",
    beginnings=beginnings,
)
