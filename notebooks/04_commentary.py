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
# A chess engine knows how good a move is but cannot explain it. A language model can explain but
# often misreads the board. Section 3.1.2 of the CCC paper {cite}`kim2024ccc` tells the model the
# engine's verdict, the attacks on the board, and the *concepts* that the move changes most, as a
# chess network shows them: *concept-guided chess commentary*, CCC. What we found:
#
# - {glue:md}`reach_sentence`
# - {glue:md}`copied_sentence`
# - {glue:md}`order_sentence`
# - Two readers find {glue:text}`fresh_a:.0f` % and {glue:text}`fresh_b:.0f` % of comments helpful
#   that a program writes without a model.
#
# **What stands in for what.** {glue:text}`asked_model`, a laptop's model, for GPT-4o: expect worse
# comments. Lecturers' moves for a forum's, Stockfish's network NNUE for a Leela network, language
# models for human readers. No person has read these comments.

# %% tags=["parameters", "hide-input"] mystnb={"code_prompt_show": "Parameters: the model, the moves shown"}
profile = "book"
seed = 1
model = "qwen2.5-coder-1.5b-q4_k_m"
shown = ("ccc/figA6", "ccc/figA1", "lec26/30")
lectured = "lec12/8"

# %% tags=["hide-input"] mystnb={"code_prompt_show": "Imports, moves, and the comments on one of them"}
import json
import re
import textwrap

import chess
import chess.svg
import matplotlib.pyplot as plt
import numpy as np
import openai
import pandas as pd
from IPython.display import SVG, Markdown
from IPython.display import display as display_markdown
from scipy.special import comb
from sklearn.compose import make_column_transformer
from sklearn.linear_model import LogisticRegression
from sklearn.metrics import cohen_kappa_score
from sklearn.model_selection import (
    GridSearchCV,
    GroupKFold,
    LeaveOneGroupOut,
    cross_val_predict,
)
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import OneHotEncoder, StandardScaler

from chessgloss import assets, claims, report
from chessgloss.book import reference
from chessgloss.book.profiles import listed, load_sizes
from chessgloss.commentary import arms, asking, briefing, methods, notes
from chessgloss.commentary.briefing import first_words, names_concept, speaks_of
from chessgloss.commentary.moves import evaluated_moves, lectured_moves
from chessgloss.concepts import facts as fact_concepts
from chessgloss.concepts.changes import ask_oracle
from chessgloss.concepts.priority import ChangeModel, load_method, weights_file
from chessgloss.concepts.vectors import ConceptVectors
from chessgloss.corpora.lectures import evaluated_lectures, read_lectures
from chessgloss.experts import joined_activations, load_expert
from chessgloss.facts.change import concept_and_side
from chessgloss.llm.client import DEFAULT_MODEL, model_title, replay
from chessgloss.notes import choice
from chessgloss.oracle import TERMS
from chessgloss.stats import (
    Interval,
    mean_interval,
    means_by,
    paired_difference,
    paired_permutation,
    share_of,
)
from chessgloss.store import file_digest, find_project

sizes = load_sizes("04_commentary", profile)
report.use_house_style()
evaluated = evaluated_moves(seed)
step = len(evaluated) // sizes.moves
moves = [
    each
    for number, each in enumerate(evaluated)
    if number % step == 0 or each.name in listed(shown)
]
briefings = arms.asked_moves()
published = arms.read_published()
if cannot := methods.why_unreadable(
    model,
    [name for name, arm in arms.ARMS.items() if not arm.third],
    [briefings[each.name] for each in moves],
):
    display_markdown(
        Markdown(
            f"**The comments of {model_title(model)} cannot be shown here.** {cannot} Those of "
            f"{model_title(DEFAULT_MODEL)} stand in their place."
        )
    )
    model = DEFAULT_MODEL
client = replay(arms.PURPOSE, model)
asked_model = model_title(model)
example = briefings[listed(shown)[0]]

first_comments = {
    methods.TITLES[arm]: methods.model_comments([example], arm, client)[0].shown
    for arm in ("bare", "verdict", "ccc")
}
first_comments[methods.TITLES["notes"]] = notes.write_notes(example).text


def beside(board, texts):
    """Show a board with texts beside it that take the rest of the line."""
    return report.Html(
        f'<div class="boards"><div style="flex: 0 0 15rem">{board.html}</div>'
        f'<div style="flex: 1 1 24rem">{texts.html}</div></div>',
        f"{board.text}\n\n{texts.text}",
    )


beside(
    report.board(example.move, size=240),
    report.texts(
        first_comments, f"Comments on {example.move.numbered_san}, by what the model was given"
    ),
)

# %% [markdown]
# ## The question
#
# The paper argues that a model explains a move better if it is told what a strong network sees
# in it. We ask three things. Does a comment speak of the concepts that it was given? Are its words
# about this position, or taken from the prompt? And would an expert speak of these concepts at
# all? Whether comments are *true* is the subject of the next chapter.
#
# The moves come from lectures of the Free Internet Chess Server, in which experts explain a game
# move by move. A hash of a lecture's name decides whether it is evaluated. Nothing in this book
# learns from an evaluated lecture, and no example in a prompt comes from one. Sixty *evaluated*
# moves are drawn, from each phase and kind of move in turn. Three that the paper prints with a FEN
# are added; they have no human comment. The model was also asked about the
# {glue:text}`lectured_n` other commented moves of these lectures.

# %% tags=["hide-cell"] mystnb={"code_prompt_show": "The evaluated moves, by phase and kind"}
# how many evaluated moves there are of each phase and kind
strata = pd.DataFrame([each.stratum for each in evaluated], columns=["phase", "move"])
counted = pd.crosstab(strata["move"], strata["phase"])
print(f"{len(moves)} of {len(evaluated)} moves, {len({each.group for each in moves})} sources")
report.table(
    counted.rename_axis(index=None, columns=None),
    caption="The evaluated moves, by kind and phase",
)

# %% [markdown]
# ## The method on one move
#
# The paper's Figure 2 draws the method as boxes: concept vectors are taken from the network, and
# guide a comment. Here are all the steps on the move above. Change `example` to any other name in
# `briefings`, and everything below changes with it.
#
# **The network's concepts.** The network reads the position before the move and after it. Each
# concept of chapter 2 is a direction in its activations, so a position's score is one product of
# vectors. The concept whose score changes most comes first.

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
# These are the concepts in the prompt. The paper's text names no number of them; we give five. They
# are what the vectors say: Stockfish 8's own terms may change otherwise, in size and in direction
# (chapter 3 shows both for this move).
#
# **The attacks.** The paper lists every attack on an enemy piece, so that none is made up. With
# python-chess this is a loop over the pieces of both sides: whatever a piece attacks and the enemy
# occupies, unless a pin forbids the capture or a king would take what is defended.

# %% mystnb={"figure": {"caption": "The attacks on the board after the move, as the prompt lists them: White's in blue, Black's in orange.", "name": "fig-04-attacks"}, "image": {"alt": "A chess board with an arrow for each attack on an enemy piece."}}
before, after = (
    chess.Board(fen) for fen in (example.move.position.fen, example.move.after().fen)
)
attack_lines = []
arrows = []
for colour, side in ((chess.WHITE, "White"), (chess.BLACK, "Black")):
    for square in chess.SquareSet(after.occupied_co[colour]):
        reached = (
            after.attacks(square) & after.occupied_co[not colour] & after.pin(colour, square)
        )
        targets = [
            target
            for target in reached
            if square != after.king(colour) or not after.attackers(not colour, target)
        ]
        if targets:
            piece = chess.piece_name(after.piece_type_at(square))
            attacked = ", ".join(
                f"{chess.piece_name(after.piece_type_at(target))} {chess.square_name(target)}"
                for target in targets
            )
            attack_lines.append(
                f"- {side} {piece} {chess.square_name(square)} attacks {attacked}"
            )
        arrows += [
            chess.svg.Arrow(square, target, color="#0072B2a0" if colour else "#D55E00a0")
            for target in targets
        ]
SVG(chess.svg.board(after, arrows=arrows, size=220))

# %% [markdown]
# **The prompt.** The question puts together the position, the move, the engine's verdict, the
# attacks and the concepts. An instruction and two worked examples precede it, as in the paper.
# The instruction asks the model to go through what it is given first, and to write its comment
# then.

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
print(*(textwrap.fill(line, 84) for line in question.splitlines()), sep="\n")


# %% tags=["hide-cell"] mystnb={"code_prompt_show": "The whole prompt, with the instruction and the two examples"}
# the whole prompt: the instruction, two worked examples, and the question
for turn in messages:
    print(f"[{turn['role']}]")
    print(*(textwrap.fill(line, 84) for line in turn["content"].splitlines()), sep="\n")

# %% [markdown]
# **The answer.** A request is one call of openai's client, which works with any server that
# speaks its protocol. This book asks no model: every answer was recorded, and is found by a hash
# of the messages. Set `ask_live = True`, `OPENAI_BASE_URL` and `OPENAI_API_KEY`, and the cell asks.

# %%
ask_live = False
if ask_live:
    completion = openai.OpenAI().chat.completions.create(
        model=model,
        messages=messages,
        temperature=request.sampling.temperature,
        max_tokens=request.sampling.max_tokens,
        seed=request.sampling.seed,
    )
    text = completion.choices[0].message.content
else:
    text = client.ask(request).text
comment = arms.comment_in(text)
print(textwrap.fill(text, 84))

# %% [markdown]
# The comment is what follows the last *Comment:*. {glue:md}`example_sentence`

# %% tags=["hide-cell"] mystnb={"code_prompt_show": "The paper's Figure 2 for this move, box by box"}
# Figure 2 of the paper, box by box, for this move
first = ranked.iloc[0]
boxes = {
    "a. labels": f"positions of games, each with Stockfish 8's {len(vectors.names)} terms",
    "a. vectors": "SVMs on {1} activations: {0} vectors".format(*vectors.weights.shape),
    "b. before, after": f"{first.name}, margin {first.before:+.2f}, then {first.after:+.2f}",
    "b. concepts": ", ".join(each.term for each in given),
    "b. question": f"{len(question.split())} words: position, move, verdict, attacks, concepts",
    f"b. comment, {asked_model}": comment,
}
report.texts(boxes, f"Figure 2 of the paper, for {example.move.numbered_san}")

# %% [markdown]
# What is known of a move, its *briefing*, is committed, so that a prompt is the same on every
# machine. We searched and ranked {glue:text}`briefed` moves again: {glue:text}`briefed_same:.0f` %
# of the verdicts and {glue:text}`briefed_concepts:.0f` % of the lists of concepts came out the
# same.

# %% tags=["hide-cell"] mystnb={"code_prompt_show": "The briefings made again"}
# the briefings made anew: Stockfish searches, and the network ranks, every move again
again = asking.brief_moves(moves[:: max(1, len(moves) // sizes.checked)], progress=False)


def same(look):
    """Return the share of moves of which the kept briefing and the new one say the same."""
    return np.mean([look(briefings[each.name]) == look(each) for each in again])


compared = {
    "same verdict": same(lambda each: each.verdict),
    "same class of move": same(lambda each: each.verdict.judgement),
    "same five concepts": same(
        lambda each: [change.term for change in each.concepts[: arms.CONCEPTS]]
    ),
}
report.sheet(f"of {len(again)} briefings made again", compared)

# %% [markdown]
# ## What came out
#
# To see what a part of the prompt does, the model was asked without it. Each choice of parts is an
# *arm*. Below, from *position and move* to *CCC*, each row adds a part to the one before; the other
# arms change the concepts of CCC or leave out the attacks. {glue:text}`answered_moves` moves have an
# answer of every arm so far. All else is counted on the evaluated moves.
#
# A model that has nothing to say may say what the examples in its prompt say. A comment is *copied*
# if it shares six words in a row with one, punctuation aside. Both examples close with a judgement,
# such as *The best move; the game is about level*, which may be right elsewhere: the last column
# leaves the close out.

# %% tags=["hide-input"] mystnb={"code_prompt_show": "Ask every arm, and gather all comments"}
EVERY_MOVE = [name for name, arm in arms.ARMS.items() if not arm.third]
WITHOUT_ARM = ["notes", "listed", "ccc_notes", "ccc_proven"]
asked = moves if profile == "smoke" else [*evaluated, *lectured_moves(seed)]
requests = {
    each.name: arms.ask_arms(briefings[each.name], EVERY_MOVE, published[each.name])
    for each in asked
}
of_arms = [each for each in asked if not client.missing(requests[each.name])]
comments = pd.concat(
    [
        methods.gather_comments(EVERY_MOVE, of_arms, briefings, client),
        methods.gather_comments(["reference", "gac", *WITHOUT_ARM], moves, briefings, client),
    ],
    ignore_index=True,
)
answered = comments[comments["state"] == "answered"]
words = means_by(answered, "method", "words", cluster="move", seed=seed)


# %%
def runs_of_words(text, length=6):
    words = re.findall("[a-z0-9']+", text.lower())
    return {tuple(words[at : at + length]) for at in range(len(words) - length + 1)}


# %% tags=["hide-input"] mystnb={"code_prompt_show": "Words and copies, by arm"}
of_example = arms.ask_arms(example, EVERY_MOVE, published[example.name])
examples = {
    arm: [turn.content for turn in each.messages if turn.role == "assistant"]
    for arm, each in zip(EVERY_MOVE, of_example, strict=True)
}
runs = {
    arm: set.union(*(runs_of_words(text) for text in texts)) for arm, texts in examples.items()
}
runs_but_closing = {
    arm: set.union(*(runs_of_words(text.rpartition(". ")[0]) for text in texts))
    for arm, texts in examples.items()
}


def with_copies(comments):
    """Return the usable comments of arms, and whether each is copied, and but for the closing."""
    usable = comments[
        comments["method"].isin(EVERY_MOVE) & (comments["state"] == "answered")
    ].copy()
    for column, those in (("copied", runs), ("but_closing", runs_but_closing)):
        usable[column] = [
            float(bool(runs_of_words(row.text) & those[row.method]))
            for row in usable.itertuples()
        ]
    return usable


copies = with_copies(comments)
copied_by, copied_but_closing = (
    means_by(copies, "method", column, cluster="move", seed=seed)
    for column in ("copied", "but_closing")
)
wide_copies = copies.pivot(index="move", columns="method", values="but_closing")
wide_copies = wide_copies[["ccc_no_attacks", "ccc"]].dropna()
without_attacks = paired_difference(*wide_copies.to_numpy().T, seed=seed).in_percent()
PRINTED = {
    "reference": "Reference",
    "gac": "GAC",
    "bare": "GPT-4o",
    "verdict": "GPT-4o + expert",
    "ccc": "GPT-4o + expert + concept (CCC)",
}
cells = {
    name: reference.lookup("ccc", "table1", row, "Words per comment")
    for name, row in PRINTED.items()
}
table = pd.DataFrame(
    {
        "paper": {name: cell.value for name, cell in cells.items()},
        "words": words,
        "comments": answered.groupby("method").size(),
        "copied, %": copied_by.map(lambda share: f"{share.in_percent():.0f}"),
        "but for the close, %": copied_but_closing.map(
            lambda share: f"{share.in_percent():.0f}"
        ),
    }
).loc[["reference", "gac", *EVERY_MOVE, *WITHOUT_ARM]]
report.table(
    table.rename(index=methods.TITLES),
    caption=f"Words a comment (Table 1, last column; {asked_model}, not GPT-4o), and copies",
    digits=1,
)

# %% [markdown]
# {glue:md}`attacks_sentence` The paper describes examples for CCC alone; here every arm has them. Our
# GAC {cite}`jhamtani2018learning`, a recurrent network, learned from {glue:text}`gac_learned`
# comments where the original had 300,000, so its row says little about the original. The last four
# rows are explained below.
#
# **Do the concepts reach the words?** A comment *speaks of* a concept if it has one of the words
# that are listed for it. CCC's comment on the move above speaks of these that it was given:

# %%
print(*(arms.describe_concept(each) for each in given if speaks_of(comment, each)), sep="\n")

# %% [markdown]
# But some words occur in any comment: whoever says what a knight does speaks of knights. So
# the same five are looked for where the prompt has no concepts, where it has five others, drawn
# at random among those that the ranking puts lower, and where it has those of Stockfish 8 itself.

# %% tags=["hide-input"] mystnb={"code_prompt_show": "Concepts spoken of, by arm"}
FAMILY = ["ccc", "reasoning", "ccc_others", "ccc_oracle"]


def share_spoken(row, chosen):
    """Return the share of a move's concepts of one choice that a comment speaks of."""
    concepts = arms.concepts_given(briefings[row.move], published[row.move], chosen)
    return np.mean([speaks_of(row.text, each) for each in concepts])


reach = answered[answered["method"].isin(FAMILY)].copy()
reach["published"] = [share_spoken(row, "published") for row in reach.itertuples()]
own = reach[reach["method"] != "reasoning"].assign(
    own=lambda rows: [
        share_spoken(row, arms.ARMS[row.method].concepts) for row in rows.itertuples()
    ]
)
reached, reached_own = (
    means_by(rows, "method", column, cluster="move", seed=seed)
    for rows, column in ((reach, "published"), (own, "own"))
)
wide_reach = reach.pivot(index="move", columns="method", values="published")


def less_than_ccc(other):
    both = wide_reach[["ccc", other]].dropna()
    return paired_difference(both["ccc"], both[other], seed=seed)


reach_gain = {name: less_than_ccc(name) for name in FAMILY if name != "ccc"}
report.table(
    pd.DataFrame(
        {
            "of CCC's five": reached,
            "CCC less this": pd.Series(reach_gain),
            "of its own five": reached_own,
        }
    )
    .loc[FAMILY]
    .map(lambda each: f"{each.in_percent():.0f}", na_action="ignore")
    .fillna("")
    .rename(index=methods.TITLES),
    caption="Concepts spoken of, per cent",
)

# %% tags=["hide-input"] mystnb={"code_prompt_show": "What the intervals bear out"}
# a sentence is shown only if the intervals bear it out
without, with_others, with_true = (reach_gain[name].in_percent() for name in FAMILY[1:])
sentences = []
if without.low > 0 and with_others.low > 0:
    sentences.append(
        "Given concepts reach the words: comments speak more of them than without concepts, and "
        "more than with five others."
    )
elif without.low > 0 or with_others.low > 0:
    sentences.append(
        "Comments speak more of given concepts than "
        + ("without any" if without.low > 0 else "with five others")
        + ", but not clearly more than "
        + ("with five others." if without.low > 0 else "without any.")
    )
else:
    sentences.append("Whether given concepts reach the words cannot be told from these moves.")
if reached_own["ccc"].high < 0.5:
    sentences.append("Still, a comment passes over most of the concepts in its prompt.")
Markdown(" ".join(sentences))

# %% [markdown]
# **FEN or PGN.** The paper's Appendix F finds no significant difference between prompts with the
# position (FEN) and with the game's moves (PGN, Figure A6). Where a lecture's game is known from its
# first move, CCC was asked both ways.

# %% tags=["hide-input"] mystnb={"code_prompt_show": "Ask CCC with the FEN and with the moves"}
known = [briefings[each.name] for each in moves]
both_ways = []
for each in known:
    if arms.known_from_start(each.move.position):
        asked_both = [
            arms.ask_arm(each, "ccc", published[each.name], notation=notation)
            for notation in ("fen", "pgn")
        ]
        if not client.missing(asked_both):
            both_ways.append((each, *client.ask_many(asked_both, progress=False)))


def measured(briefed, answer):
    text = arms.read_comment(answer, "ccc")
    concepts = arms.concepts_given(briefed, published[briefed.name], "published")
    return {
        "words": text.words,
        "concepts spoken of": sum(speaks_of(text.text, each) for each in concepts),
        "usable": float(text.state == "answered"),
    }


fen = pd.DataFrame([measured(each, answer) for each, answer, _ in both_ways])
pgn = pd.DataFrame([measured(each, answer) for each, _, answer in both_ways])
paired = pd.DataFrame(
    {
        "FEN": fen.mean(),
        "PGN": pgn.mean(),
        "difference": {
            name: paired_difference(pgn[name], fen[name], seed=seed) for name in pgn
        },
    }
)
report.table(
    paired, caption=f"CCC on {len(both_ways)} moves whose game is known from its start"
)

# %% [markdown]
# {glue:md}`pgn_sentence`
#
# **Side by side.** The paper's Figures 1 and 3 show several methods on one move, but print no FEN.
# Here is the move of its Figure A1.


# %% tags=["hide-input"] mystnb={"code_prompt_show": "Show comments beside each other"}
HEADLINE = ["reference", "notes", "bare", "verdict", "ccc", "ccc_proven"]
by_move = {name: rows.set_index("method") for name, rows in comments.groupby("move")}


def source_of(name):
    """Say in words where a move comes from: a lecture, or a figure of the paper."""
    source, place = name.split("/")
    if source == "ccc":
        return f"the paper's Figure {place[3:]}"
    return f"lecture {source[3:]}, comment {place}"


def side_by_side(name):
    rows = by_move[name].reindex(HEADLINE).dropna(subset="text")
    texts = {
        methods.TITLES[method]: briefing.Comment(row.text, method, state=row.state).shown
        for method, row in rows.iterrows()
    }
    return beside(
        report.board(briefings[name].move, size=240),
        report.texts(texts, f"{briefings[name].move.numbered_san}, {source_of(name)}"),
    )


side_by_side(listed(shown)[1])


# %% tags=["hide-cell"] mystnb={"code_prompt_show": "Two more moves"}
# two more moves; of a lecturer's comment the first fifteen words are quoted
others = [side_by_side(name) for name in listed(shown) if name != listed(shown)[1]]
report.Html("".join(each.html for each in others), "\n\n".join(each.text for each in others))


# %% tags=["hide-cell"] mystnb={"code_prompt_show": "Words and copies by model; what GAC says of some moves"}
# words and copies by every model that answered all arms; `make record` adds another
briefed_arms = [briefings[each.name] for each in of_arms]
by_model = {}
for name in methods.commentators(EVERY_MOVE, briefed_arms):
    theirs = copies
    if name != model:
        its_client = replay(arms.PURPOSE, name)
        theirs = with_copies(
            methods.gather_comments(EVERY_MOVE, of_arms, briefings, its_client)
        )
    for column in ("words", "copied"):
        by_model[f"{model_title(name)}: {column}"] = means_by(
            theirs, "method", column, cluster="move", seed=seed
        )
models_table = report.table(
    pd.DataFrame(by_model).loc[EVERY_MOVE].rename(index=methods.TITLES),
    caption="Words, and share of comments copied from an example, by model",
)
training = json.loads((find_project() / "data/gac/training.json").read_text())
by_gac = comments[comments["method"] == "gac"].set_index("move")["text"]
gac_texts = report.texts(
    by_gac.tail(8).rename(source_of),
    f"GAC: {by_gac.nunique()} different comments on {len(by_gac)} moves",
)
report.Html(models_table.html + gac_texts.html, f"{models_table.text}\n\n{gac_texts.text}")

# %% [markdown]
# **More concepts.** The paper's Section 7 wishes for more concepts. We fitted vectors on forks,
# pins, doubled pawns, open files and mates in one. In balanced tests they separate well (area under
# the ROC curve {glue:text}`facts_auc:.2f`). On the evaluated moves, where such things are rare,
# {glue:text}`facts_so:.0f` % of {glue:text}`facts_noticed` alarms were right. No comment here was
# written with them.

# %% tags=["hide-cell"] mystnb={"code_prompt_show": "Vectors of tactics, concept by concept"}
# vectors of tactics: the area in balanced tests (chance is one half); alarms that are right
fitted = json.loads((find_project() / "data/concepts/facts-nnue.json").read_text())["test"]
auc = pd.DataFrame(
    {
        features: {
            name: Interval(**cell["auc"]) for name, cell in columns.items() if "auc" in cell
        }
        for features, columns in fitted.items()
    }
)
noticed = pd.DataFrame(
    [
        (item.name, each.concept, fact_concepts.holds_on_board(item.move, each))
        for item in known
        for each in item.noticed
    ],
    columns=["move", "concept", "so"],
)
by_concept = noticed.groupby("concept")["so"].agg(["size", "mean"])
by_concept.columns = ["noticed", "share that is so"]
so = mean_interval(noticed["so"], noticed["move"], seed=seed)
report.boards(
    report.table(auc, caption="Area under the ROC curve, test games"),
    report.table(
        by_concept, caption=f"Noticed on the evaluated moves; so in {so:.2f} of cases"
    ),
)

# %% [markdown]
# ## What can be said without a model
#
# A *note* is one true statement on a move, with the facts that prove it. What the move wins or
# loses comes first: the engine's line says it, if one plays it through and counts.

# %%
line = [example.move.uci, *example.after.lines[0].moves]
values = {chess.PAWN: 1, chess.KNIGHT: 3, chess.BISHOP: 3, chess.ROOK: 5, chess.QUEEN: 9}
replay_board = before.copy()
rows = []
for uci in line:
    san = replay_board.san(chess.Move.from_uci(uci))
    replay_board.push_uci(uci)
    material = sum(
        value
        * (
            len(replay_board.pieces(piece, before.turn))
            - len(replay_board.pieces(piece, not before.turn))
        )
        for piece, value in values.items()
    )
    rows.append({"move": san, "material": material})
report.table(
    pd.DataFrame(rows).set_index("move").T,
    digits=0,
    caption="The engine's line, and the mover's material after each move, in pawns",
)

# %% [markdown]
# The library plays exchanges out to their end, and believes the count only where the engine's
# score agrees. Every other kind of note has its own proof: a mate, for instance, must end the
# replayed line. Kinds, weights and wordings are a table that can be changed (`notes.toml`).

# %%
made = notes.notes(example)
print("evidence of the first note:", *(fact.text for fact in made[0].facts[:2]), sep="\n- ")
print("the comment, what fits into 60 words:", notes.compose(made).text, sep="\n- ")
report.table(
    pd.DataFrame(
        {"kind": [note.kind for note in made], "weight": [note.weight for note in made]},
        index=[note.sentence for note in made],
    ).head(4),
    caption=f"Notes on {example.move.numbered_san}, the weightiest first",
    digits=0,
)

# %% [markdown]
# **Are the notes true, and do they help?** They were read twice, each time by two language models
# with a board and an engine, neither of which saw the other's labels. The first reading was of sixty
# moves of famous games, drawn before the notes were written, half of them decisive. Both readers
# call a statement false in {glue:text}`notes_false:.0f` % of the comments, one of them at least in
# {glue:text}`notes_either:.0f` % (we aimed at 2 %). By both {glue:text}`notes_helpful:.0f` % help (we
# aimed at 60 %). Some of what was called false has been mended since.

# %% tags=["hide-cell"] mystnb={"code_prompt_show": "The first reading, by reader, and how far the two agree"}
# the first reading: shares of comments by each reader, and agreement beyond chance (kappa)
folder = find_project() / "data" / "notes"
written = json.loads((folder / "comments.json").read_text())["comments"]
games_read = pd.Series({each["id"]: each["game"] for each in written})
readings = {
    reader: pd.read_csv(folder / f"reading_{reader}.tsv", sep="\t") for reader in ("a", "b")
}


def of_comments(labels):
    by_comment = labels[labels["statement"] > 0].groupby("id")["label"].agg(set)
    whole = labels[labels["statement"] == 0].set_index("id")["label"]
    return pd.DataFrame(
        {
            "a false statement": by_comment.map(lambda found: "false" in found),
            "a misleading one": by_comment.map(lambda found: "misleading" in found),
            "helpful": whole.str.startswith("helpful"),
            "what decides is missing": whole.str.contains("decisive_missing"),
        }
    )


read = {f"reader {reader}": of_comments(labels) for reader, labels in readings.items()}
first, second = read.values()
read |= {"either": first | second, "both": first & second}
by_hand = pd.DataFrame(
    {
        name: {
            column: mean_interval(values.astype(float), games_read[values.index], seed=seed)
            for column, values in frame.items()
        }
        for name, frame in read.items()
    }
)
both_read = readings["a"].merge(readings["b"], on=["id", "statement"], suffixes=("_a", "_b"))
stated = both_read[both_read["statement"] > 0]
kappas = {
    "statements (true, false, misleading)": cohen_kappa_score(
        stated["label_a"], stated["label_b"]
    )
}
kappas |= {
    f"comments: {column}": cohen_kappa_score(first[column], second[column]) for column in first
}
report.boards(
    report.table(
        by_hand.map(lambda share: f"{share.in_percent():.0f}"),
        caption=f"Per cent of {len(written)} comments; intervals draw whole games",
    ),
    report.table(
        pd.DataFrame(
            {
                "kappa": kappas,
                "of": {name: len(stated if "true" in name else first) for name in kappas},
            }
        ),
        caption="Agreement of the two readers beyond chance",
    ),
)

# %% [markdown]
# For the second reading the notes had been rebuilt: they name sacrifices, second targets, plans and
# what a move prevents, and are silent where nothing is worth saying. Then sixty moves that nobody
# had looked at were drawn by a hash from games that people played, fifteen each of mistakes, quiet
# moves, openings and endgames (*edge*), and shots. The old and the new form wrote from the same
# searches, and the readers judged both in random order. {glue:text}`fresh_broken` comments with one
# word made false measure the readers.

# %% tags=["hide-input"] mystnb={"code_prompt_show": "Count what the readers said"}
fresh = pd.read_csv(folder / "fresh" / "readings.tsv", sep="\t", keep_default_na=False)
judged = fresh[fresh["form"] != "broken"]
LETTERS = {"empty": "E", "misleading": "M", "false": "F"}


def of_form(rows):
    """Shares of comments by the word given, and of statements by letter, games drawn whole."""
    shares = {
        name: mean_interval((rows[name] == "yes").astype(float), rows["game"], seed=seed)
        for name in ("helpful", "decisive")
    }
    letters = pd.DataFrame(
        [(row.game, letter) for row in rows.itertuples() for letter in row.statements],
        columns=["game", "letter"],
    )
    return shares | {
        name: mean_interval(
            (letters["letter"] == letter).astype(float), letters["game"], seed=seed
        )
        for name, letter in LETTERS.items()
    }


fresh_shares = pd.DataFrame(
    {
        (form, f"reader {reader}"): of_form(rows)
        for (form, reader), rows in judged.groupby(["form", "reader"])
    }
)[["before", "after"]]
gains = {}
for reader, rows in judged.groupby("reader"):
    for name in ("helpful", "decisive"):
        wide_rows = rows.assign(yes=(rows[name] == "yes").astype(float)).pivot(
            index="game", columns="form", values="yes"
        )
        gains[name, reader] = paired_permutation(
            wide_rows["after"], wide_rows["before"], seed=seed
        )
fresh_recall = {
    reader: share_of(rows["statements"].str.contains("F"))
    for reader, rows in fresh[fresh["form"] == "broken"].groupby("reader")
}
MEANING = {
    "helpful": "helps",
    "decisive": "says what decides",
    "empty": "empty",
    "misleading": "misleading",
    "false": "false",
}
fresh_table = pd.DataFrame(
    {
        f"{reader}, {title}": {
            MEANING[name]: f"{fresh_shares[form, f'reader {reader}'][name].in_percent():.0f}"
            for name in MEANING
        }
        for reader in ("a", "b")
        for form, title in (("before", "old"), ("after", "new"))
    }
)
for place, reader in ((2, "a"), (5, "b")):
    fresh_table.insert(
        place,
        f"{reader}, new less old",
        {
            MEANING[name]: f"{gains[name, reader].difference.in_percent():.0f}"
            for name in ("helpful", "decisive")
        },
    )
report.table(
    fresh_table.fillna(""),
    caption="Sixty fresh moves, readers a and b: comments that help a club player and say what "
    "decides; statements that are empty, misleading, false. Per cent",
)

# %% tags=["hide-input"] mystnb={"code_prompt_show": "What both readers bear out"}
# a sentence is shown only if both readers bear it out
sentences = []
if all(gain.difference.low > 0 for (name, _), gain in gains.items() if name == "helpful"):
    sentences.append("By both readers more comments help than before.")
elif all(gain.difference.value > 0 > gain.difference.low for gain in gains.values()):
    sentences.append(
        "By both readers the new form helps, and says the decisive thing, on more of the sixty "
        "moves, but every interval includes zero: so few do not decide it."
    )
if all(share.value < 0.6 for share in fresh_shares["after"].loc["decisive"]):
    sentences.append("The decisive thing is said in fewer than 60 % of the comments, our aim.")
if all(share.value == 1 for share in fresh_recall.values()):
    sentences.append("Both readers found every word that had been made false.")
Markdown(" ".join(sentences))


# %% tags=["hide-cell"] mystnb={"code_prompt_show": "The second reading, by kind of move, and how far the two agree"}
# helpful comments, of fifteen a kind of move; kappa of the two readers
by_kind = judged.assign(yes=(judged["helpful"] == "yes").astype(float)).pivot_table(
    index="kind", columns=["form", "reader"], values="yes", aggfunc="sum"
)[["before", "after"]]
by_kind.columns = [f"{reader}: {form}" for form, reader in by_kind.columns]
pairs_read = judged.pivot(
    index=["game", "form"], columns="reader", values=["helpful", "decisive"]
)
fresh_kappas = {
    name: cohen_kappa_score(pairs_read[name]["a"], pairs_read[name]["b"])
    for name in ("helpful", "decisive")
}
report.boards(
    report.table(
        by_kind.astype(int).rename_axis(index=None),
        caption="Helpful, of fifteen, by kind of move",
    ),
    report.sheet("kappa", fresh_kappas),
)

# %% [markdown]
# ## Concepts against what experts speak of
#
# The paper takes the concepts that a move changes most for those that explain it (Section 3.1.2).
# Would an expert name them? To ask this needs no language model. We take every commented move of
# all lectures, with the first comment on it. A comment names a concept if it has a word listed for
# it; one that names none is left out. Comments seldom say whose concept they mean, so we order
# {glue:text}`concepts_n` concepts, not 21 terms: a concept takes the place of the first of its sides.
#
# Three orders are by change: Stockfish 8's own, the published one, that of chapter 3. *Frequency*
# is how often all *other* lectures name a concept, whatever the move; *by kind* counts moves of the
# same piece, captures apart, and twenty comments with the frequencies of all moves, on which a rare
# kind falls back. *Random* is an expected value.

# %% tags=["hide-input"] mystnb={"code_prompt_show": "Comments of all lectures, and the orders by change"}
all_lectures = read_lectures(assets.locate("lectures"))
in_lectures = {}
for talk in all_lectures:
    for each in talk.comments:
        place = (talk.name, each.context.position.fen, each.context.uci)
        in_lectures.setdefault(place, each)
commented = list(in_lectures.values())
commented = commented[:: max(1, len(commented) // sizes.commented)]
fens_before = [each.context.position.fen for each in commented]
fens_after = [each.context.after().fen for each in commented]
terms = np.nan_to_num(ask_oracle([*fens_before, *fens_after]))
true_change = terms[len(commented) :] - terms[: len(commented)]
by_term = {
    "stockfish8": np.abs(true_change / ChangeModel.load(weights_file("nnue")).spread),
    "published": load_method("paper").score(fens_before, fens_after).priority,
    "learned": load_method("default").score(fens_before, fens_after).priority,
}
concept_of = [concept_and_side(term)[0] for term in TERMS]
rankings = {
    name: pd.DataFrame(values.T, concept_of).groupby(level=0).max().T
    for name, values in by_term.items()
}
all_concepts = sorted(set(concept_of))
names_it = pd.DataFrame(
    {name: [names_concept(each.comment, name) for each in commented] for name in all_concepts}
)
talks = pd.Series([each.source for each in commented])
boards = [each.context.position.board() for each in commented]
played = [each.context.move for each in commented]
kind_of_move = pd.Series(
    [
        f"{chess.piece_name(board.piece_type_at(move.from_square))} {board.is_capture(move)}"
        for board, move in zip(boards, played, strict=True)
    ]
)


# %%
def in_other_lectures(key):
    """Count comments, and those that name each concept, with the same key in other lectures."""
    counted = names_it.assign(comments=1)
    everywhere = counted.groupby(key).transform("sum")
    return everywhere - counted.groupby([key, talks]).transform("sum")


overall = in_other_lectures(pd.Series(0, index=talks.index))
alike = in_other_lectures(kind_of_move)
often = overall[all_concepts].div(overall["comments"], axis=0)
rankings["frequency"] = often
rankings["by_kind"] = (alike[all_concepts] + 20 * often).div(alike["comments"] + 20, axis=0)
rankings["random"] = 0 * often

# %% [markdown]
# *Recall at 3* is the share of the named concepts that are among the first three, *reciprocal rank*
# one over the rank of the first named. Ties count by the mean over all their orders. *Less other
# moves' order* takes away what the same ranking finds with orders from moves of other lectures: what
# is left is due to the move.


# %% tags=["hide-input"] mystnb={"code_prompt_show": "Hold each order against what lecturers name"}
RANKINGS = {
    "stockfish8": "Stockfish 8",
    "published": "published",
    "learned": "chapter 3",
    "frequency": "frequency",
    "by_kind": "by kind",
    "random": "random",
}


def among_first(scores):
    """Chance of each to be among the first 1 to 6, over the orders of what ties: (..., 6, n)."""
    above = (scores[..., None, :] > scores[..., None]).sum(axis=-1)[..., None, :]
    level = (scores[..., None, :] == scores[..., None]).sum(axis=-1)[..., None, :]
    return np.clip((np.arange(1, 7)[:, None] - above) / level, 0, 1)


def expected_reciprocal(scores, spoken):
    """One over the rank of the first that is spoken of: the mean over the orders of ties."""
    best = scores[spoken].max()
    level = (scores == best).sum()
    told = (spoken & (scores == best)).sum()
    places = np.arange(1, level - told + 2)
    chances = comb(level - places, told - 1) / comb(level, told)
    return (chances / ((scores > best).sum() + places)).sum()


def hold_against(chosen, concepts=all_concepts):
    """Measure every ranking on the chosen moves whose comments name one of the concepts."""
    told = names_it[concepts][chosen]
    told = told[told.any(axis=1)]
    lecture = talks[told.index].to_numpy()
    spoken = told.to_numpy()
    apart = lecture[:, None] != lecture
    frames = []
    for name, wide in rankings.items():
        scores = wide.loc[told.index, concepts].to_numpy()
        hits = spoken @ among_first(scores)[:, 2].T
        recall = hits / spoken.sum(axis=1, keepdims=True)
        rows = {
            "ranking": name,
            "lecture": lecture,
            "recall": np.diag(recall),
            "elsewhere": np.average(recall, axis=1, weights=apart),
            "reciprocal": list(map(expected_reciprocal, scores, spoken)),
        }
        frames.append(pd.DataFrame(rows, index=told.index))
    return pd.concat(frames)


def less(frame, first, second, column="recall", taken="recall"):
    """Difference of two rankings on the same moves, lectures drawn whole."""
    ours, theirs = (frame[frame["ranking"] == name] for name in (first, second))
    return paired_difference(ours[column], theirs[taken], ours["lecture"], seed=seed)


def compared_rankings(frame):
    means = {
        column: means_by(frame, "ranking", column, cluster="lecture", seed=seed)
        for column in ("recall", "reciprocal")
    }
    others = [name for name in rankings if name != "frequency"]
    return pd.DataFrame(
        {
            "recall at 3": means["recall"],
            "less frequency": {name: less(frame, name, "frequency") for name in others},
            "less other moves' order": {
                name: less(frame, name, name, taken="elsewhere")
                for name in others
                if name != "random"
            },
            "reciprocal rank": means["reciprocal"],
            "reciprocal rank, less frequency": {
                name: less(frame, name, "frequency", "reciprocal", "reciprocal")
                for name in others
            },
        }
    ).loc[list(rankings)]


everyone = names_it.any(axis=1)
in_evaluated = talks.isin(evaluated_lectures(all_lectures))
against_experts = {
    "all lectures": hold_against(everyone),
    "evaluated lectures": hold_against(in_evaluated),
}
spoken_tables = {name: compared_rankings(each) for name, each in against_experts.items()}


def spoken_table(name, columns):
    """Show the rankings on some lectures; what does not vary has no interval."""
    frame = against_experts[name]
    told = frame.index.nunique()
    cells = spoken_tables[name][columns].map(
        lambda each: f"{each:.2f}" if each.low < each.high else f"{each.value:.2f}",
        na_action="ignore",
    )
    return report.table(
        cells.fillna("").rename(index=RANKINGS),
        caption=f"Orders of the concepts on {told} comments of {name} "
        f"({frame['lecture'].nunique()}); intervals draw lectures",
    )


spoken_table(
    "all lectures",
    ["recall at 3", "less frequency", "less other moves' order", "reciprocal rank"],
)

# %% tags=["hide-input"] mystnb={"code_prompt_show": "What the intervals bear out"}
of_all = spoken_tables["all lectures"]
by_change = ["stockfish8", "published", "learned"]
below = [of_all.loc[name, "less frequency"] for name in by_change]
over_chance = {
    name: less(against_experts["all lectures"], name, "random") for name in by_change
}
all_below = all(gap.high < 0 for gap in below)
all_over_chance = all(gap.low > 0 for gap in over_chance.values())
sentences = []
if all_below and all_over_chance:
    sentences.append(
        "No order by change finds as much of what lecturers name as frequency, which does not look "
        "at the move; all three find more than a random order. A large change is a sign that an "
        "expert would speak of a concept, but a weaker one than what experts speak of anyhow."
    )
elif all_below:
    sentences.append("No order by change finds as much of what lecturers name as frequency.")
elif any(gap.low > 0 for gap in below):
    sentences.append("An order by change finds more of what lecturers name than frequency.")
else:
    sentences.append("No order by change finds clearly more than frequency.")
if all(gap.low <= 0 for gap in over_chance.values()):
    sentences.append("None finds clearly more than a random order.")
due_to_move = of_all.loc["published", "less other moves' order"]
published_rows = against_experts["all lectures"].query("ranking == 'published'")
random_rows = against_experts["all lectures"].query("ranking == 'random'")
rest_less_due = paired_difference(
    2 * published_rows["elsewhere"],
    published_rows["recall"] + random_rows["recall"],
    published_rows["lecture"],
    seed=seed,
)
if due_to_move.low > 0 and rest_less_due.low > 0:
    sentences.append(
        "Less than half of what the published one finds beyond chance, "
        f"{over_chance['published']:.2f}, is due to the move; the rest comes of favouring, at any "
        "move, concepts that are often named."
    )
elif due_to_move.low <= 0:
    sentences.append("What the published one finds need not be due to the move at all.")
no_pieces = [
    name for name in all_concepts if name not in ("Knights", "Bishop", "Rooks", "Queens")
]
without_pieces = hold_against(everyone, no_pieces)
if of_all.loc["by_kind", "less frequency"].low > 0:
    told_by_kind = "The kind of move adds to frequency"
    if less(without_pieces, "by_kind", "frequency").low <= 0:
        told_by_kind += ", but not clearly for the eight concepts that are no pieces"
    sentences.append(f"{told_by_kind}.")
on_evaluated = spoken_tables["evaluated lectures"].loc[by_change, "less frequency"]
undecided = sum(gap.high >= 0 for gap in on_evaluated)
if undecided and all(gap.value < 0 for gap in on_evaluated):
    sentences.append(
        "The evaluated lectures alone, which we looked at first, point the same way, but leave it "
        f"open for {undecided} of the three."
    )
Markdown(" ".join(sentences))

# %% [markdown]
# The measure is a list of words: it misses what a lecturer says in others. Four concepts are pieces,
# whose name may only say what moves.

# %% tags=["hide-cell"] mystnb={"code_prompt_show": "Without these four; without checks; the evaluated lectures alone"}
# less frequency, on other moves and concepts; then the evaluated lectures
# Stockfish 8 has no table of terms for a check: there its terms count as zero
no_check = ~pd.Series([board.is_check() for board in boards])
no_check &= ~pd.Series([each.context.after().board().is_check() for each in commented])
short_enough = pd.Series([3 <= each.words <= 40 for each in commented])
variants = {
    "all": against_experts["all lectures"],
    "evaluated lectures": against_experts["evaluated lectures"],
    "concepts that are no pieces": without_pieces,
    "no check before or after": hold_against(no_check),
    "comments of 3 to 40 words": hold_against(short_enough),
}
less_frequency = pd.DataFrame(
    {
        name: {
            "comments": frame.index.nunique(),
            **{
                RANKINGS[each]: f"{less(frame, each, 'frequency'):.2f}"
                for each in (*by_change, "by_kind")
            },
        }
        for name, frame in variants.items()
    }
).T
of_first = of_all["reciprocal rank, less frequency"].map("{:.2f}".format, na_action="ignore")
less_frequency.loc["all, reciprocal rank"] = of_first.rename(index=RANKINGS)
less_frequency.loc["all, reciprocal rank", "comments"] = less_frequency.loc["all", "comments"]
first_table = report.table(less_frequency, caption="Recall at 3, less that of frequency")
second_table = spoken_table("evaluated lectures", list(of_all))
report.Html(first_table.html + second_table.html, f"{first_table.text}\n\n{second_table.text}")

# %% [markdown]
# ## Which notes would an expert choose?
#
# A move has more notes than a comment has room for. Lecturers have chosen, move after move. A note
# is *spoken of* if the lecturer's comment makes a true claim with the same relation, about the same
# piece, square or written move. A program found the claims in both. On one move:

# %% tags=["hide-input"] mystnb={"code_prompt_show": "The notes on the move, and which are spoken of"}
taught = next(each for each in evaluated if each.name == lectured)
known_move = briefings[taught.name]
lecture_notes = pd.read_csv(find_project() / "data/notes/lecture_notes.tsv.zst", sep="\t")
its_lecture, its_number = lectured.split("/")
told = lecture_notes[lecture_notes["spoken"] == 1]
told = told[(told["lecture"] == its_lecture) & (told["number"] == int(its_number))]
told_kinds = set(told["kind"])
made = notes.notes(known_move)

chances = [1 / (1 + np.exp(-choice.expectation(note, known_move))) for note in made]
report.table(
    pd.DataFrame(
        {
            "weight by hand": [f"{note.weight:.0f}" for note in made],
            "learned chance": chances,
            "spoken of": ["yes" if note.kind in told_kinds else "" for note in made],
        },
        index=[note.sentence for note in made],
    ).sort_values("learned chance", ascending=False),
    caption=f"{taught.move.numbered_san}, {source_of(taught.name)}: “{first_words(taught.reference)}”",
)

# %% [markdown]
# `data/notes/learn.py` did this for every lectured move on which the program found a claim, and
# kept features and answers, no text (an earlier reader of claims found them, not that of chapter 5). What it does not find counts as not spoken of, and it finds
# written moves more surely than plans. A logistic regression learns from the lectures that are not
# evaluated. It sees a note's kind, whom it is good for, its value, the verdict on the move, and how
# often the kind came up before. From the network it has two numbers: the rank and the change of the
# concept that the note words. It is fitted with them and without.

# %%
classes = ["kind", "who", "phase", "judgement"]
numbers = ["value", "chance", "earlier"]
of_network = ["concept", "change"]
train = lecture_notes[lecture_notes["part"] == "train"]


def fit(numbers):
    columns = make_column_transformer(
        (OneHotEncoder(handle_unknown="infrequent_if_exist", min_frequency=5), classes),
        (StandardScaler(), numbers),
    )
    search = GridSearchCV(
        make_pipeline(columns, LogisticRegression(max_iter=1000)),
        {"logisticregression__C": [0.03, 0.1, 0.3, 1.0]},
        scoring="neg_log_loss",
        cv=GroupKFold(8),
    )
    return search.fit(train, train["spoken"], groups=train["lecture"])


search = fit([*numbers, *of_network])
without_network = fit(numbers)
same_table = choice.WEIGHTS["table"] == file_digest(
    find_project() / "data/notes/lecture_notes.tsv.zst"
)
print(search.best_params_, "the library's weights are of this table:", same_table)


# %% tags=["hide-cell"] mystnb={"code_prompt_show": "The learned weights", "figure": {"caption": "What lecturers speak of, as weights of the learned model: kinds of notes they leave out or choose (left), all other features (right).", "name": "fig-04-weights"}, "image": {"alt": "Two bar charts of weights in log odds, negative to the left and positive to the right."}}
# the learned weights
names = search.best_estimator_[0].get_feature_names_out()
weights = pd.Series(search.best_estimator_[-1].coef_[0], names).sort_values()
weights.index = weights.index.str.replace(".*__", "", regex=True)
of_kinds = weights[weights.index.str.startswith("kind_")].rename(lambda name: name[5:])
of_kinds = of_kinds.rename({"infrequent_sklearn": "(rare kinds)"})
rest = weights[~weights.index.str.startswith("kind_")]
fig, axes = plt.subplots(1, 2, figsize=(8.4, 4.6))
for ax, part, title in (
    (
        axes[0],
        pd.concat([of_kinds.head(10), of_kinds.tail(12)]),
        "kinds, least and most spoken of",
    ),
    (axes[1], rest, "everything else"),
):
    ax.barh(
        part.index.str.replace("_", " "),
        part,
        color=["#D55E00" if each < 0 else "#0072B2" for each in part],
    )
    ax.set_title(title)
    ax.set_xlabel("weight (log odds)")
    ax.tick_params(axis="y", labelsize=7)
plt.show()

# %% [markdown]
# The notes on each move are now put in order: as learned, with the network and without; as learned,
# with what decides the move in front; by the weights set by hand; by the published rank of the
# concept that they word; and at random. *Recall at 3* is the share of the notes spoken of that are
# among the first three.


# %% tags=["hide-input"] mystnb={"code_prompt_show": "Put the notes in each order, and measure"}
def expected_hits(scores, spoken):
    """Notes spoken of among the first 1 to 6: the mean over the orders of notes that tie."""
    return among_first(scores) @ spoken


def measure(frame):
    rows = []
    for (lecture, _), move in frame.groupby(["lecture", "number"]):
        spoken = move["spoken"].to_numpy()
        for order in orders if spoken.any() else []:
            hits = expected_hits(move[order].to_numpy(), spoken)
            rows += [
                (lecture, order, k, hit / spoken.sum(), hit / min(k, len(move)))
                for k, hit in enumerate(hits, start=1)
            ]
    return pd.DataFrame(rows, columns=["lecture", "order", "k", "recall", "precision"])


ORDERS = {
    "learned": "learned",
    "without_network": "learned, no network",
    "decisive_first": "learned, decisive first",
    "template": "weights by hand",
    "svm": "concepts, published",
    "chance": "random",
}
orders = list(ORDERS)
lecture_notes["template"] = lecture_notes["hand"]
lecture_notes["chance"] = 0.0


def left_out(search):
    """Return each note's score by a model that was fitted on the other lectures."""
    return cross_val_predict(
        search.best_estimator_,
        lecture_notes,
        lecture_notes["spoken"],
        groups=lecture_notes["lecture"],
        cv=LeaveOneGroupOut(),
        method="decision_function",
    )


of_train = {
    "learned": search.decision_function(lecture_notes),
    "without_network": without_network.decision_function(lecture_notes),
}
of_others = {"learned": left_out(search), "without_network": left_out(without_network)}
held_out = lecture_notes["part"] == "evaluated"
results = {}
for name, rows, scored in (
    ("evaluated", held_out, of_train),
    ("each left out", held_out | ~held_out, of_others),
    ("no bare lines", lecture_notes["kind"] != "continuation", of_others),
):
    decides = lecture_notes["decides"] == 1
    frame = lecture_notes.assign(
        **scored,
        decisive_first=(1000 + lecture_notes["hand"]).where(decides, scored["learned"]),
    )
    results[name] = measure(frame[rows])

recalled = {
    name: pd.DataFrame(
        {
            f"{value} at {k}": means_by(
                each[each["k"] == k], "order", value, cluster="lecture", seed=seed
            )
            for value, k in (
                ("recall", 1),
                ("recall", 3),
                ("recall", 5),
                ("precision", 1),
                ("precision", 3),
            )
        }
    ).loc[orders]
    for name, each in results.items()
}

# %% tags=["hide-input"] mystnb={"code_prompt_show": "Draw the figure", "figure": {"caption": "Recall of the notes that lecturers of the evaluated lectures speak of, by how many notes are said, for each order.", "name": "fig-04-orders"}, "image": {"alt": "A line chart of recall that rises with the number of notes, one line for each order."}}
fig, ax = plt.subplots(figsize=(6.4, 2.6))
for order in orders:
    line = results["evaluated"].query("order == @order").groupby("k")["recall"].mean()
    ax.plot(
        line.index,
        line,
        marker="o",
        markersize=3,
        label=ORDERS[order],
        color="#999999" if order == "chance" else None,
    )
ax.set_xlabel("notes said")
ax.set_ylabel("recall")
fig.legend(loc="outside right center")
plt.show()


# %% tags=["hide-input"] mystnb={"code_prompt_show": "Paired differences"}
def difference(name, first, second, k=3, value="recall"):
    wide = results[name][results[name]["k"] == k]
    ours, theirs = (wide[wide["order"] == order] for order in (first, second))
    return paired_difference(
        ours[value].to_numpy(), theirs[value].to_numpy(), ours["lecture"].to_numpy(), seed=seed
    )


pairs = [
    ("learned", "template"),
    ("learned", "chance"),
    ("template", "chance"),
    ("decisive_first", "template"),
    ("learned", "without_network"),
    ("svm", "chance"),
]
gaps = pd.DataFrame(
    {
        name: {
            f"{first} - {second}": difference(name, first, second) for first, second in pairs
        }
        for name in results
    }
)


def gap_to_chance(name, order):
    return "" if order == "chance" else f"{difference(name, order, 'chance'):.2f}"


report.table(
    pd.DataFrame(
        {
            "evaluated lectures": recalled["evaluated"]["recall at 3"],
            "all lectures": recalled["each left out"]["recall at 3"],
            "less random": [gap_to_chance("each left out", order) for order in orders],
        }
    ).rename(index=ORDERS),
    caption=f"Recall at 3: on the {lecture_notes[held_out]['lecture'].nunique()} evaluated "
    "lectures, and on all, each ranked by a model fitted on the others",
)


# %% tags=["hide-input"] mystnb={"code_prompt_show": "What the intervals bear out"}
def against(gap, other):
    """Say which of two is more, if the interval leaves out zero."""
    if gap.low > 0:
        return f"more than {other}"
    return (
        f"less than {other}" if gap.high < 0 else f"neither clearly more nor less than {other}"
    )


def better_or_not(gap):
    """Say whether a gain is one, if its interval leaves out zero."""
    if gap.low > 0:
        return "better"
    return "worse" if gap.high < 0 else "no better"


on_held_out, on_all, _ = (gaps[name] for name in results)
learned_sentence = (
    "Over all lectures, three notes in the learned order hold "
    f"{against(on_all['learned - chance'], 'three at random')} of what the lecturers spoke of, and "
    f"{against(on_all['learned - template'], 'three by the weights set by hand')}. "
)
if on_held_out["learned - template"].low <= 0:
    learned_sentence += (
        "On the evaluated lectures alone the latter "
        f"({on_held_out['learned - template']:.2f}) may be chance, so notes without a model go on "
        "using the weights set by hand. "
    )
of_network_alone = on_all["learned - without_network"]
network_sentence = (
    f"What the network says of concepts makes the learned order {better_or_not(of_network_alone)} "
    f"({of_network_alone:.3f}), and the published order of the concepts alone is "
    f"{better_or_not(on_all['svm - chance'])} than a random one."
)
Markdown(learned_sentence + network_sentence)

# %% [markdown]
# These figures were not blind: earlier orders were measured on the same lectures, and some evaluated
# comments were read while the claim reader was made. The concepts have no place for mates, lines
# and replies: {glue:text}`no_concept:.0f` % of the notes spoken of word no concept.
#
# ## A model that words the notes
#
# A small model that is asked to *find* what is true of a move finds little. It can write, though. So
# it was given notes, what decides first and then in the learned order, was told that all are true,
# and was asked for one flowing comment that adds nothing (*model from notes*). In *proven comments* a
# program then cut every clause that nothing bore out. On the move above:

# %%
worded = {
    methods.TITLES[name]: methods.kept_comments(name)[taught.name].text
    for name in ("listed", "ccc_notes", "ccc_proven")
}
report.texts(worded, f"{taught.move.numbered_san}, from the same notes")

# %% [markdown]
# Readers would rather have the list, as the next chapter shows. So nobody writes in this way any more,
# and its comments are kept as they were recorded. So are the comments *by program* and the list that
# the tables of this chapter and the next four compare. The program has one form of comment now. It
# also searches what a reader would try, and the example at the head of this chapter shows that form.
#
# ## Recap
#
# - A CCC prompt is a verdict, a list of attacks, ranked concepts and two examples. Each is a few
#   lines of code, and each can be left out to see what it does.
# - Before one credits concepts with a comment, one must ask what it would say without them, with
#   others, and whether its words come from an example.
# - Before one says that a ranking finds what experts speak of, one must set it beside how often
#   they speak of it anyhow.
# - Notes need no model, and are seldom false. That does not make them helpful: a
#   reader must ask for both.
# - {glue:md}`learned_recap`
# - {glue:text}`answers:,` answers of the model were recorded so far; none was chosen or edited.

# %% tags=["hide-input"] mystnb={"code_prompt_show": "Numbers and sentences of the text"}
said = runs_of_words(comment)
example_copied = bool(said & runs["ccc"])
percent = 100 * of_all["recall at 3"].map(lambda share: share.value)
report.paste(
    answers=len(client.recordings),
    asked_model=asked_model,
    answered_moves=len(of_arms),
    lectured_n=len(briefings) - len(evaluated),
    attacks_sentence=Markdown(
        "Without the list of attacks CCC's comments copy more, by "
        f"{without_attacks:.0f} points with the close left out."
        if without_attacks.low > 0
        else "Whether the list of attacks changes what is copied is open."
    ),
    reach_sentence=Markdown(
        f"With five concepts in the prompt, comments speak of {100 * reached['ccc'].value:.0f} % of "
        f"them; without them, of {100 * reached['reasoning'].value:.0f} %"
        + ("." if without.low > 0 else ", which may be chance.")
    ),
    copied_sentence=Markdown(
        f"{100 * copied_by['ccc'].value:.0f} % of these comments repeat six words of an example in "
        f"the prompt, {100 * copied_but_closing['ccc'].value:.0f} % if its closing judgement is left "
        "out." + (" The one below is among them." if example_copied else "")
    ),
    order_sentence=Markdown(
        "How much a move changes a concept tells less of what lecturers speak of than how often "
        f"they do so anyhow. The published order's first three concepts hold "
        f"{percent['published']:.0f} % of those that they name, the three most frequent "
        f"{percent['frequency']:.0f} %, three at random {percent['random']:.0f} %."
        if all_below
        else "Whether lecturers speak of the concepts that a move changes most is open."
    ),
    concepts_n=len(all_concepts),
    example_sentence=Markdown(
        "This one repeats phrases of the examples, which are about other positions."
        if example_copied
        else "This one shares no six words in a row with the examples."
    ),
    pgn_sentence=Markdown(
        "No answer from the game's moves is recorded."
        if not both_ways
        else "The intervals include zero: so few moves cannot show whether the two differ."
        if all(gap.low <= 0 <= gap.high for gap in paired["difference"])
        else "The two prompts lead to different comments."
    ),
    learned_recap=Markdown(
        "What an expert would say can be learned in part from what lecturers said."
        if on_all["learned - chance"].low > 0
        else "Whether what an expert would say can be learned is open."
    ),
    briefed=len(again),
    briefed_same=100 * compared["same verdict"],
    briefed_concepts=100 * compared["same five concepts"],
    gac_learned=training["comments"]["training"],
    facts_auc=auc.loc["mean", "NNUE"].value,
    facts_so=100 * so.value,
    facts_noticed=len(noticed),
    no_concept=100 * (lecture_notes.query("spoken == 1")["concept"] == 0).mean(),
    notes_false=100 * by_hand.loc["a false statement", "both"].value,
    notes_either=100 * by_hand.loc["a false statement", "either"].value,
    notes_helpful=100 * by_hand.loc["helpful", "both"].value,
    fresh_broken=int((fresh["form"] == "broken").sum() / fresh["reader"].nunique()),
    fresh_a=100 * fresh_shares["after", "reader a"]["helpful"].value,
    fresh_b=100 * fresh_shares["after", "reader b"]["helpful"].value,
)

# %% tags=["hide-input"] mystnb={"code_prompt_show": "Results kept in book/results"}
SAVED = (
    ("recall at 3", "spoken_of", "recall at 3 of concepts named by lecturers"),
    ("less frequency", "spoken_of_less_frequency", "difference, recall at 3"),
    ("reciprocal rank", "spoken_of_reciprocal_rank", "reciprocal rank of the first named"),
    (
        "reciprocal rank, less frequency",
        "spoken_of_reciprocal_rank_less_frequency",
        "difference",
    ),
    ("less other moves' order", "spoken_of_less_other_moves", "difference, recall at 3"),
)
report.save(
    "04_commentary",
    report.rows({"moves": len(moves)}, "commentary", unit="moves"),
    report.rows({"moves_of_arms": len(of_arms)}, "commentary", unit="moves"),
    report.rows({"methods": comments["method"].nunique()}, "commentary", unit="methods"),
    report.rows({"recorded_answers": len(client.recordings)}, "commentary", unit="answers"),
    report.rows(
        {name: report.Result(float(value), n=len(again)) for name, value in compared.items()},
        "commentary.briefings",
    ),
    report.rows(words, "words", unit="words", reference=cells),
    report.rows({"boxes": len(boxes)}, "figure2", unit="boxes"),
    report.rows(
        {"words": paired["difference"].get("words")},
        "figure_a6",
        unit="words, PGN - FEN",
        drop=True,
    ),
    *(
        report.rows(
            recalled["evaluated"][f"{value} at {k}"],
            f"notes.{value}_at_{k}",
            unit=f"{value} of what lecturers spoke of",
        )
        for value, k in (("recall", 1), ("recall", 3), ("recall", 5), ("precision", 3))
    ),
    report.rows(
        recalled["each left out"]["recall at 3"],
        "notes.left_out.recall_at_3",
        unit="recall of what lecturers spoke of",
    ),
    report.rows(
        recalled["evaluated"].loc[["template", "learned", "decisive_first"], "recall at 3"],
        "expert.recall",
        unit="recall at three notes of what lecturers spoke of",
    ),
    report.rows(
        {
            "learned_less_without_network": gaps.loc[
                "learned - without_network", "each left out"
            ]
        },
        "notes.left_out",
        unit="difference",
    ),
    report.rows(
        gaps.loc["learned - template", ["each left out", "no bare lines"]],
        "notes.left_out.over_template",
        unit="difference",
    ),
    report.rows(
        {
            first: gaps.loc[f"{first} - template", "evaluated"]
            for first in ("learned", "decisive_first")
        },
        "notes.recall_at_3_over_template",
        unit="difference",
    ),
    report.rows(
        by_hand.loc["a false statement"].rename(lambda name: name.replace(" ", "_")),
        "notes.false_by_hand",
        unit="share of comments",
    ),
    report.rows(
        {
            (name, form, reader): share
            for (form, reader), shares in fresh_shares.items()
            for name, share in shares.items()
        },
        "notes.fresh",
        unit="share of comments or statements",
    ),
    report.rows(
        {(name, reader): gain.difference for (name, reader), gain in gains.items()},
        "notes.fresh.gain",
        unit="share of comments, difference on the same moves",
    ),
    report.rows(fresh_recall, "notes.fresh.readers_recall", unit="share of broken comments"),
    report.rows(
        by_hand.loc["helpful"].rename(lambda name: name.replace(" ", "_")),
        "notes.helpful",
        unit="share of comments",
    ),
    report.rows(
        by_hand.loc["what decides is missing"].rename(lambda name: name.replace(" ", "_")),
        "notes.decisive_missing",
        unit="share of comments",
    ),
    report.rows(
        {
            "statements": report.Result(
                kappas["statements (true, false, misleading)"], n=len(stated)
            )
        },
        "notes.kappa",
        unit="kappa",
    ),
    report.rows(copied_by, "commentary.copied", unit="share of comments"),
    report.rows(copied_but_closing, "commentary.copied_but_closing", unit="share of comments"),
    *(
        report.rows(table[column].dropna(), f"concepts.{key}{part}", unit=unit)
        for part, table in (
            ("", spoken_tables["evaluated lectures"]),
            (".all_lectures", spoken_tables["all lectures"]),
        )
        for column, key, unit in SAVED
    ),
    report.rows({"so": so}, "commentary.noticed", unit="share of noticed concepts"),
    report.rows(reached, "commentary.reach", unit="share of concepts"),
    report.rows(
        reach_gain,
        "commentary.reach_ccc_less",
        unit="difference on the same moves, of 1",
    ),
)

# %% tags=["hide-input"] mystnb={"code_prompt_show": "How the numbers were computed"}
report.evidence(
    len(comments),
    "comments",
    seed,
    interval="95 % over moves; shares Wilson, else bootstrap",
    versions={
        "model": client.told(),
        "engine": f"{example.before.engine}, {asking.NODES:,} nodes",
        "prompts": request.prompt,
    },
)

# %% [markdown]
# ## Exercises
#
# **1. Your own comment.** Write a comment on the move of `example` and let the checker of the
# next chapter read it: `claims.verify(text, example.move, example.verdict)`. Which of your
# words count as claims?

# %% tags=["solution", "hide-cell"]
# A comment of one's own, claim by claim.
own_comment = (
    "The bishop takes the pawn on e6 with check. The queen on d5 stands behind it, and the "
    "knight on c7 cannot help."
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
# **2. Beat the hand-set weights.** Order the notes of the evaluated lectures by one number
# alone: how often a note of its kind was spoken of in the training lectures. Compare recall at
# 3 with the order by hand (`expected_hits` counts, column `spoken` tells).

# %% tags=["solution", "hide-cell"]
# One number a kind of note, learned on the training lectures.
by_kind = lecture_notes[lecture_notes["part"] == "train"].groupby("kind")["spoken"].mean()
unseen_notes = lecture_notes[lecture_notes["part"] == "evaluated"]
unseen_notes = unseen_notes.assign(
    of_kind=unseen_notes["kind"].map(by_kind).fillna(by_kind.min()), none=0.0
)
hits_of = {name: [] for name in ("of_kind", "hand", "none")}
for _, notes_of_move in unseen_notes.groupby(["lecture", "number"]):
    told = notes_of_move["spoken"].to_numpy()
    for name, found in hits_of.items():
        if told.any():
            found.append(expected_hits(notes_of_move[name].to_numpy(), told)[2] / told.sum())
recall_at_three = {
    "by kind alone": float(np.mean(hits_of["of_kind"])),
    "weights set by hand": float(np.mean(hits_of["hand"])),
    "any order": float(np.mean(hits_of["none"])),
}
report.sheet("recall at 3", recall_at_three)

# %% tags=["check", "remove-cell"]
report.check(
    "Learn the means on the part `train`, score the part `evaluated`, and leave out moves "
    "of whose notes none was spoken of. A kind that training has not seen gets the lowest "
    "mean. Expected: three numbers, by kind, by hand, in any order.",
    recall_at_three=recall_at_three,
)

# %% [markdown]
# **3. Who repeats himself?** For each method in `answered`, count the distinct first three
# words of its comments as a share of all. Which method begins its comments in the fewest ways,
# and how do people compare?

# %% tags=["solution", "hide-cell"]
# Distinct beginnings as a share of the comments, fewest first.
begins = answered.assign(
    start=answered["text"].str.split().str[:3].str.join(" ").str.lower()
).groupby("method")["start"]
beginnings = begins.nunique() / begins.size()
report.table(
    pd.DataFrame(
        {
            "comments": begins.size(),
            "distinct beginnings": begins.nunique(),
            "share": beginnings,
        }
    )
    .sort_values("share")
    .rename(index=methods.TITLES)
)

# %% tags=["check", "remove-cell"]
report.check(
    "The first three words without regard to capitals, counted once each, over all "
    "comments of the method: one share a method.",
    beginnings=beginnings,
)
