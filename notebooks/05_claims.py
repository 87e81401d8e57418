# ---
# jupyter:
#   kernelspec:
#     display_name: Python 3 (ipykernel)
#     language: python
#     name: python3
# ---

# %% [markdown]
# # Every claim checked
#
# {glue:md}`found_sentence`
#
# ```{glue:} picture
# ```
#
# Five chess players counted what is wrong in GPT-4o's comments, for Table 2 of the CCC paper
# {cite}`kim2024ccc`: from position and move alone, 46 % speak of an illegal move or of a piece that
# is not there; with an engine's evaluation it is 28 %, with concepts as well 20 %. Who can count in
# place of people? And which part of the prompt makes a comment truer, or lets it say what matters?

# %% tags=["parameters", "hide-input"] mystnb={"code_prompt_show": "Parameters: who writes, the small model, the move that is read"}
profile = "book"
seed = 1
writer, small = "claude", "qwen2.5-coder-1.5b-q4_k_m"
shown = "lec12/9"

# %% tags=["hide-input"] mystnb={"code_prompt_show": "Imports, moves and recorded answers"}
import json
import re
import textwrap

import chess
import chess.svg
import numpy as np
import pandas as pd
from IPython.display import SVG, Markdown
from myst_nb import glue
from sklearn.metrics import cohen_kappa_score

from chessgloss import assets, report
from chessgloss.assets import AssetMissing
from chessgloss.book import pictures, reference
from chessgloss.book.profiles import load_sizes
from chessgloss.book.used_code import code_sha256, used_code
from chessgloss.claims import CAUSES, agreed, decide, gold, read_rules, verify
from chessgloss.commentary import arms, readings, voice
from chessgloss.commentary.moves import released_comments
from chessgloss.engine import EnginePool
from chessgloss.judges import blind, outcomes
from chessgloss.judges.steps import (
    compare_all,
    concluded,
    corrected_shares,
    corrected_steps,
    laid_out,
)
from chessgloss.llm.client import model_description, model_title, replay
from chessgloss.stats import (
    mean_interval,
    paired_permutation,
    share,
    share_of,
    wilson,
)
from chessgloss.store import data_file, find_project

sizes = load_sizes("05_claims", profile)
report.use_house_style()
moves = voice.voice_moves()
chosen = [*moves][:: sizes.every_move]
answers = replay(voice.PURPOSE, writer)
reader = replay("voice_readings", writer)
titles = {"rules": "templates", writer: model_title(writer), small: model_title(small)}
pool = EnginePool()


@outcomes.remembering
def analyse(positions, nodes, lines):
    return pool.analyse(positions, min(nodes, sizes.nodes), lines)


def in_percent(each):
    return f"{each.in_percent():.0f}" if each else ""


example = arms.asked_moves()["ccc/figA6"]

# %% [markdown]
# ## One claim, read and decided
#
# A claim is whatever a sentence says that the board or the engine can settle. The sentence below
# says of two pieces what they attack. A pattern of words finds both claims, and python-chess
# decides them.

# %% mystnb={"figure": {"caption": "Green: the piece that is named stands there, the attack exists.", "name": "fig-05-by-hand"}, "image": {"alt": "A chess board with coloured squares and one arrow for each claim of the sentence."}}
sentence = (
    "The queen on d5 attacks the rook on a8, and the knight on h5 attacks the queen on g8."
)
after = chess.Board(example.move.after().fen)
piece_on_square = r"(king|queen|rook|bishop|knight|pawn) on ([a-h][1-8])"
claims_by_hand = {}
fill = {}
arrows = []
for match in re.finditer(f"{piece_on_square} attacks the {piece_on_square}", sentence):
    attacker, target = (chess.parse_square(name) for name in match.group(2, 4))
    men = [after.piece_at(attacker), after.piece_at(target)]
    stands = [
        man is not None and chess.piece_name(man.piece_type) == name
        for man, name in zip(men, match.group(1, 3), strict=True)
    ]
    attacks = all(stands) and men[0].color != men[1].color and target in after.attacks(attacker)
    claims_by_hand[match.group()] = "true" if attacks else "false"
    for square, there in zip((attacker, target), stands, strict=True):
        fill[square] = "#009E7366" if there else "#D55E0099"
    arrows.append(chess.svg.Arrow(attacker, target, color="#009E73" if attacks else "#D55E00"))

SVG(chess.svg.board(after, fill=fill, arrows=arrows, orientation=example.move.mover, size=180))

# %% [markdown]
# From h5 a knight reaches g7 and f6, but not g8. The library does the same in two steps. A *reader*
# turns a comment into claims of a small language; it sees the words and never the board. A program
# *decides* each claim, at every moment that the words allow. What fails in all of them is *false*;
# what is arguable stays *open*. Here is a comment that {glue:text}`writer` wrote from CCC's prompt.

# %%
comments = voice.comments(answers)
comment = comments["ccc"][shown]
texts = voice.texts_read(answers, 1)
read = readings.read_texts(readings.blocks("all_1", texts), reader)
claims_read = read[voice.text_key(shown, comment.text)].claims
decided = decide(claims_read, moves[shown].move, moves[shown].verdict)
print(textwrap.fill(f"{moves[shown].move.numbered_san}: {comment.text}", 84))
for claim, each in zip(claims_read, decided, strict=True):
    print(f"{each.verdict}: {claim}")
print(f"what decides the first: {decided[0].evidence}")

# %% [markdown]
# On the page [Try it](../try_it.md) the same program checks what you write.
#
# ## What reading takes
#
# The reader is a language model that is told the claim language in one prompt. English is not read
# by listing its phrases: rules that were mended three times on sentences of new writers met a new
# writer each time. For those who have no model there are {glue:text}`templates` templates, which
# leave unread what they do not know. A hash names the checker: all that decides a claim, and what a
# model is told before it reads. Its code is shorter today than when the experiment below was first
# decided. Whether both give the same verdicts on all that was read is computed here, without searches
# of the engine.

# %%
library = find_project() / "lib"
uses = "from chessgloss.claims import decide, read_model\ndecide, read_model.instructions"
checker = used_code(uses, library)
checker_sha256 = code_sha256(checker, library)
print(f"{len(checker)} files of code and tables, SHA-256 {checker_sha256[:12]}…")
earlier = json.loads(data_file(f"commentary/voice/{writer}/verdicts.json").read_text("utf-8"))
again = gold.verdicts_sha256(voice.checks(texts, read))
alike = "the same" if again == earlier["sha256"][0] else "NOT the same"
claims_n = earlier["claims"][0]
print(f"{alike} verdicts on {claims_n:,} claims as by {earlier['checker_sha256'][:12]}…")

# %% [markdown]
# Three sets of sentences measure a reader: made up to test a checker, and by two writers who had
# seen neither reader. Half of the writers' sentences are false by one detail. Language models wrote
# and labelled them; code checked the labels.

# %%
SETS = {"test": "made up", "last": "third writer", "new": "fourth writer"}
sets = readings.gold_sets()
scores = {}
for name in (writer, small, "rules"):
    for of in SETS:
        found = readings.read_set(name, of, sets[of])

        def check(one, found=found):
            return verify(one.text, one.move, read=lambda *_: found[one.key], analyse=analyse)

        there = [one for one in sets[of][:: sizes.every] if one.key in found]
        scores[name, of] = gold.score(there, check)

# %% tags=["hide-input"] mystnb={"code_prompt_show": "The table"}
of_readers = {
    (name, of, measure): share(*getattr(score, measure))
    for (name, of), score in scores.items()
    for measure in ("precision", "recall", "called")
    if getattr(score, measure)[1]
}
called = {
    titles[name]: {SETS[of]: of_readers.get((name, of, "called"), "") for of in SETS}
    for name in (writer, small, "rules")
}
report.table(
    pd.DataFrame(called),
    caption="Share of sentences that reader and program call rightly true or false",
)

# %% [markdown]
# {glue:md}`reading_sentence`
#
# The model was asked many questions in one conversation. To see whether that matters, 24 blocks of these and
# of people's sentences were also asked alone, twice. {glue:md}`batch_sentence`

# %%
recorded = replay(readings.PURPOSE, writer)
rows = []
for of, texts_of in sets.items():
    for block in readings.blocks(of, texts_of):
        in_batch, alone, again = (readings.read_texts([block], recorded, n) for n in range(3))
        if alone and again:
            rows += [
                (one, in_batch[one.key], alone[one.key], again[one.key]) for one in block.texts
            ]
asked = pd.DataFrame(rows, columns=["text", "in_batch", "alone", "again"])


def call(row, how):
    text = row["text"]
    return gold.call(verify(text.text, text.move, read=lambda *_: row[how]))


calls = pd.DataFrame(
    {how: asked.apply(call, axis=1, how=how) for how in ("in_batch", "alone", "again")}
)
claims = asked.drop(columns="text").map(lambda reading: reading.claims)
agreement = {
    "alone_twice": share_of(calls["alone"] == calls["again"]),
    "alone_and_batch": share_of(calls["alone"] == calls["in_batch"]),
    "claims_alone_twice": share_of(claims["alone"] == claims["again"]),
    "claims_alone_and_batch": share_of(claims["alone"] == claims["in_batch"]),
}
report.table(
    pd.Series(
        list(agreement.values()),
        index=[
            "call: alone twice",
            "call: alone, in a batch",
            "claims: alone twice",
            "claims: alone, in a batch",
        ],
        name="share of texts",
    ).to_frame(),
    caption=f"The same call (true, false or open, by the board) and the same claims, {len(asked)} texts",
)

# %% [markdown]
# ## The experiment: one step at a time
#
# Nine prompts (*arms*) were put to {glue:text}`writer`, with the same two worked examples. Each of
# the first five adds one part: the engine's verdict, the list of attacks, written reasoning, five
# concepts. The others have five *other* concepts; CCC without the attacks; an engine's lines in
# place of attacks and concepts; and those comments again after their false claims were *sent back*
# once. The {glue:text}`moves_n` moves are the sixty that the authors released and ninety of
# lectures.
#
# :::{dropdown} What was fixed beforehand
# **Before the first answer** these were fixed and hashed: moves, prompts, reader, checker, nine
# contrasts and two outcomes. A comment is *false* if two readings make the same accusation and the
# program bears it out. It is *decisive* if it says the one thing that decides the move, by two
# blind readings. Five points are the smallest difference that matters; Holm's correction
# {cite}`holm1979sequentially` spans all contrasts.
# :::
#
# **Who reads.** Writer, reader of claims and blind readers are one family of language models, which
# may favour its own. What the board decides does not depend on that. **No person has judged
# anything here.**

# %%
first, second = outcomes.check_twice(answers, reader, analyse, moves=chosen)
false = outcomes.by_arm(comments, voice.accused(first, second)).loc[chosen]

# %% [markdown]
# A blind reader, a language model too, sees the board, the move, an engine's lines and one comment,
# and not who wrote it. Two readings are asked for in different words.

# %%
try:
    people = released_comments(assets.locate("ccc", fetch=False))
except AssetMissing:  # people's words are read from a clone of the released repository
    people = {}
written = blind.voice_texts(answers, people)
seen = {name: each for name, each in blind.voice_seen().items() if name in chosen}
blindly = outcomes.read_blind(replay(blind.PURPOSE, writer), written, seen)
decisive = outcomes.said(blindly, "decisive")

# %% [markdown]
# One contrast by hand: CCC less position and move, on the same moves. A bootstrap draws moves; a
# test flips the signs of their differences. In the table, *alike* means within five points of zero;
# *open*, neither that nor a difference; *cannot tell*, both shares on a floor or a ceiling.

# %%
difference = (false["ccc"] - false["bare"]).dropna().to_numpy()
random = np.random.default_rng(seed)
drawn = random.choice(difference, (2_000, len(difference))).mean(axis=1)
flipped = (random.choice([-1, 1], (2_000, len(difference))) * difference).mean(axis=1)
p = (1 + (abs(flipped) >= abs(difference.mean()) - 1e-9).sum()) / 2_001
low, high = np.quantile(drawn, [0.025, 0.975])
print(f"{difference.mean():+.3f} [{low:+.3f}, {high:+.3f}], p = {p:.4f}, not corrected")

# %%
blocks = {name: number for number, of in enumerate(voice.read_blocks()) for name in of}
outcome = {"false": false, "decisive": decisive[[*voice.REGISTERED]]}
steps = compare_all(outcome, voice.CONTRASTS, blocks, seed=seed)
small_client = replay(arms.PURPOSE, small)
small_false = pd.DataFrame()
if outcomes.is_read(small_client, reader, shared=True):
    twice = outcomes.check_twice(small_client, reader, analyse, shared=True, moves=chosen)
    accused = outcomes.by_arm(voice.shared_comments(small_client), voice.accused(*twice))
    small_false = accused.loc[[name for name in chosen if name in accused.index]]
small_steps = compare_all({"small, false": small_false}, voice.CONTRASTS, blocks, seed=seed)
report.table(
    laid_out([*steps, *small_steps], pictures.STEPS),
    caption="What each step changes, in points: comments that are false, that say what decides",
)

# %% tags=["remove-input"]
DO = {"false": "are false", "decisive": "say what decides"}
DO["small, false"] = f"by {titles[small]}, on {len(small_false)} of the moves, are false"
told_steps = [each for each in (*steps, *small_steps) if each.verdict != "open"]
sentences = [*concluded(told_steps, pictures.STEPS, DO), "No other step is shown to differ."]
if small_false.empty:
    sentences.append(
        f"Comments by {titles[small]} were not read: `make record PURPOSE=voice_readings "
        f"MODEL={small} JUDGE={writer}`."
    )
Markdown("\n".join(f"- {each}" for each in sentences))

# %% [markdown]
# ## How good is the ruler?
#
# Readers miss errors and make some up. In fifty comments of each arm one word was therefore broken.
# The share of these whose broken sentence is accused is the *recall* *r*. A *false alarm* is an
# accusation of a comment in which neither blind reading sees a false statement; *f* is their share.
# If a share *q* of comments is accused, (*q* − *f*) / (*r* − *f*) have an error
# {cite}`rogan1978estimating`.

# %%
plants = outcomes.found_plants(voice.read_plants(answers.model), first, second)
false_blind = outcomes.said(blindly, "false").reindex(false.index)
rulers = outcomes.rulers(false, plants, false_blind)
corrected = corrected_shares(false, rulers, seed=seed)
both_say = false.where(false_blind[[*false]] == 1)

report.table(
    pd.DataFrame(
        {
            pictures.SWITCHES[arm]: {
                "accused": in_percent(share_of(false[arm].dropna())),
                "planted errors found": in_percent(share(ruler.found, ruler.planted)),
                "false alarms": in_percent(share(ruler.alarms, ruler.clean)),
                "corrected": in_percent(corrected.get(arm)),
            }
            for arm, ruler in rulers.items()
            if arm in pictures.SWITCHES
        }
    ).T,
    caption="What the ruler accuses and finds, and the share with an error that follows; per cent",
)

# %% [markdown]
# {glue:md}`ruler_sentence` A strong model errs seldom, so much of what is accused is the ruler's
# own fault: a clause read too literally, a grade that the engine gives otherwise.
# {glue:md}`checked_sentence`

# %% tags=["hide-cell"] mystnb={"code_prompt_show": "Steps corrected so, and by blocks; agreement; accusations that no blind reading shares"}
# words of CCC's comments that are accused where both blind readings see nothing false
alone = {
    f"{name}, {moves[name].move.numbered_san}: {each.text}": each.evidence
    for name in false.index[(false["ccc"] == 1) & (false_blind["ccc"] == 0)]
    for key in [voice.text_key(name, comments["ccc"][name].text)]
    for each in agreed(first[key], second[key])
    if each.verdict == "false"
}
# the same steps with the ruler's uncertainty, and with blocks drawn in place of moves
step = {(each.outcome, each.name): each for each in steps}
corrected_step = corrected_steps(false, voice.CONTRASTS, rulers, seed=seed)
accused_once = [
    {key: any(c.verdict == "false" for c in found) for key, found in each.items()}
    for each in (first, second)
]
for_all = blindly[blindly["writer"] != "reference"]  # that of people needs a clone
pairs_read = {"false": [[each[key] for key in first] for each in accused_once]} | {
    asked: outcomes.pairs_of(for_all, asked).to_numpy().T
    for asked in ("decisive", "helpful", "misleading")
}
kappa = {asked: cohen_kappa_score(*pair) for asked, pair in pairs_read.items()}
of_steps = {
    words: {
        "false, corrected": in_percent(corrected_step.get(name)),
        "false, by blocks": in_percent(step["false", name].by_blocks),
        "decisive, by blocks": in_percent(step["decisive", name].by_blocks),
    }
    for name, words in pictures.STEPS.items()
}
report.boards(
    report.table(pd.DataFrame(of_steps).T, caption="The steps with other intervals, in points"),
    report.sheet("kappa of two readings", kappa),
    report.texts(
        dict([*alone.items()][:12]),
        f"Accused, false to no blind reading: the first of {len(alone)} claims",
    ),
)

# %% [markdown]
# ## Board and evaluation
#
# A claim is false on the *board*, which is a matter of fact, or by the engine's *evaluation*, which
# is an opinion.

# %% tags=["hide-cell"] mystnb={"code_prompt_show": "Board and evaluation, arm by arm"}
claims = outcomes.decided_claims(comments, first, second)
wrong = claims[claims["false"] == 1]
by_kind = {
    by: outcomes.comments_with(wrong[wrong["by"] == by], false)
    for by in ("board", "evaluation")
}
of_decided = claims.groupby(["arm", "by"]).apply(
    lambda rows: mean_interval(rows["false"], rows["move"], seed=seed), include_groups=False
)
columns = {by: frame.apply(share_of) for by, frame in by_kind.items()}
columns |= {f"of claims, {by}": of_decided.xs(by, level="by") for by in by_kind}
report.table(
    pd.DataFrame(columns).loc[[*false]].rename(pictures.SWITCHES).map(in_percent),
    caption="Comments with a false claim; of decided claims, those that are false. Per cent",
)

# %% [markdown]
# The paper's Table 2 sorts errors by four causes. People judge everything that is written; the
# program decides what the claim language can say. So the two may be compared along a row, and not
# down.

# %% tags=["hide-input"] mystnb={"code_prompt_show": "Table 2"}
causes = list(dict.fromkeys(CAUSES.values()))
PRINTED = ("GPT-4o", "GPT-4o + expert", "GPT-4o + expert + concept")
COMPARED = dict(zip(("bare", "verdict", "ccc"), PRINTED, strict=True))
cells = {}
of_cause = {}
beside = {}
for arm, column in COMPARED.items():
    for number, row in enumerate(reference.table("ccc", "table2").index, start=1):
        cause = causes[number - 1]
        cells[number, arm] = reference.lookup("ccc", "table2", row, column)
        with_cause = outcomes.comments_with(wrong[wrong["cause"] == cause], false)
        of_cause[number, arm] = with_cause[arm].dropna()
        beside.setdefault(f"{column} (paper)", {})[cause] = (
            f"{100 * cells[number, arm].value:.0f}"
        )
        ours = beside.setdefault(f"{pictures.SWITCHES[arm]} (here)", {})
        ours[cause] = in_percent(share_of(of_cause[number, arm]))
report.table(
    pd.DataFrame(beside),
    caption=f"Table 2: comments with an error, per cent; GPT-4o's by people, {titles[writer]}'s here",
)

# %% [markdown]
# ## Does it help?
#
# The blind readings also say whether a comment helps a club player, whether it misleads, and who
# wrote it: three arms, the program's own notes, which no model words, and people's comments on the
# sixty released moves{glue:text}`people_absent`.

# %%
kinds = [*("bare", "ccc", "lines_checked", "notes"), *(["reference"] if people else [])]
blind_frames = {
    "decisive": decisive,
    "helpful": outcomes.said(blindly, "helpful"),
    "misleading": outcomes.said(blindly, "misleading"),
    "blind_false": false_blind,
}
of_kinds = {
    name: {kind: mean_interval(frame[kind].dropna(), seed=seed) for kind in kinds}
    for name, frame in blind_frames.items()
}
report.table(
    pd.DataFrame(of_kinds)
    .map(in_percent)
    .rename(index=pictures.SWITCHES, columns={"blind_false": "false to a reader"}),
    caption="Comments that …, per cent, mean of two blind readings by one model",
)

# %% tags=["remove-input"]
PAIRS = [
    *(("ccc", "bare"), ("lines_checked", "ccc"), ("lines_checked", "lines")),
    *(("notes", "ccc"), ("lines_checked", "notes")),
    *([("ccc", "reference"), ("lines_checked", "reference")] if people else []),
]
gaps = {
    (name, f"{one}_{other}"): paired_permutation(
        *blind_frames[name][[one, other]].dropna().to_numpy().T, seed=seed
    ).difference
    for name in ("helpful", "decisive", "blind_false")
    for one, other in PAIRS
}
NAMED = {"bare": "position and move", "ccc": "CCC", "lines": "lines", "notes": "the notes"}
NAMED |= {"lines_checked": "lines, checked", "reference": "people"}


def told(asked, one, other):
    """Return how often one kind has what is asked, against another."""
    gap = gaps[asked, f"{one}_{other}"]
    sure = "more often than" if gap.low > 0 else "less often than" if gap.high < 0 else ""
    return f"{NAMED[one]} {sure or 'perhaps as often as'} {NAMED[other]}"


of_broken = blindly[blindly["writer"] == "broken"]
readers_recall = {
    reading: share_of(rows["false"] == "yes") for reading, rows in of_broken.groupby("reading")
}
authors = pd.crosstab(blindly["writer"], blindly["author"], normalize="index")
TRUE_AUTHORS = {"notes": "program", "reference": "person"}
recognised = np.mean([authors.at[kind, TRUE_AUTHORS.get(kind, "model")] for kind in kinds])
Markdown(
    f"Comments help: {'; '.join(told('helpful', *pair) for pair in PAIRS)}. A reading sees a false "
    f"statement: {told('blind_false', 'ccc', 'bare')}, which was no outcome fixed before. Of comments "
    "with a broken word the two see "
    + " and ".join(f"{100 * each.value:.0f} %" for each in readers_recall.values())
    + f". **{100 * recognised:.0f} % of their guesses who wrote a comment are right**: the names were "
    "hidden, the style was not, and a reader may favour its own kind."
)

# %% [markdown]
# ## Recap
#
# - What a sentence claims is language, and a language model reads it; whether a claim is true is
#   chess, and a program decides it.
# - {glue:md}`recap_steps`
# - A true comment need not help, nor say what decides.

# %% tags=["remove-input"]
says, lies = ({arm: f"{100 * of[arm].mean():.0f} %" for arm in of} for of in (decisive, false))
moved = [
    pictures.STEPS[name]
    for name in ("verdict", "attacks", "reasoning", "concepts")
    if "differs" in (step["false", name].verdict, step["decisive", name].verdict)
]
found_sentence = (
    f"From CCC's whole prompt {titles[writer]} says what decides a move "
    f"{step['decisive', 'ccc_bare'].how_often} from position and move alone "
    f"({says['ccc']} and {says['bare']} of comments), and from an engine's lines "
    f"{step['decisive', 'lines'].how_often} from CCC's prompt ({says['lines']}). It makes a false claim "
    f"{step['false', 'ccc_bare'].how_often} from position and move alone ({lies['ccc']}). "
    + (f"Of the steps between, {' and '.join(moved)} show by themselves." if moved else "")
    + ("" if moved else "No step between shows by itself.")
)
unit = "share of comments"
clone = "a clone of the repository released with the CCC paper"
of_people = {name: {"reference": each.get("reference")} for name, each in of_kinds.items()}
kinds_drawn = [kind for kind in pictures.SWITCHES if kind in decisive and kind != "reference"]
picture_rows = {
    **report.rows(false.apply(lambda each: share_of(each.dropna())), "voice.false", unit=unit),
    **report.rows(
        {arm: share_of(small_false[arm].dropna()) for arm in small_false},
        "voice.small.false",
        unit=unit,
    ),
    **report.rows(
        {kind: mean_interval(decisive[kind].dropna(), seed=seed) for kind in kinds_drawn},
        "voice.decisive",
        unit=unit,
    ),
    **report.rows(of_people, "voice", unit=unit, needs=clone),
}
picture = pictures.experiment(picture_rows, titles[writer], titles[small])
glue("picture", picture, display=False)
everywhere = rulers["all"]
called_new = scores[writer, "new"]
corrected_check = in_percent(corrected_step.get("checked")) or "an unknown number of"
report.paste(
    batch_sentence=Markdown(
        f"Alone and in a batch, {100 * agreement['alone_and_batch'].value:.0f} % of the texts are called the "
        f"same; alone twice, {100 * agreement['alone_twice'].value:.0f} %. "
        + (
            "That a batch changes more than asking again does is not shown."
            if agreement["alone_twice"].low <= agreement["alone_and_batch"].high
            else "A batch changes more than asking again does."
        )
    ),
    found_sentence=Markdown(found_sentence),
    recap_steps=Markdown(
        f"From an engine's lines a model says what decides {step['decisive', 'lines'].how_often} from "
        f"CCC's prompt, and from CCC's {step['decisive', 'ccc_bare'].how_often} from the move alone."
    ),
    ruler_sentence=Markdown(
        f"Planted errors are found in {100 * everywhere.found / everywhere.planted:.0f} % of cases. Of "
        "comments that both blind readings call false, the ruler accuses "
        f"{100 * both_say.stack().mean():.0f} %; of those that neither does, "
        f"{100 * everywhere.alarms / everywhere.clean:.0f} %."
    ),
    checked_sentence=Markdown(
        f"Corrected, sending back changes the share of false comments by {corrected_check} points."
    ),
    reading_sentence=Markdown(
        f"With the model {called_new.precision[0]} of {called_new.precision[1]} accusations of the fourth "
        f"writer's sentences are right, and {called_new.recall[0]} of {called_new.recall[1]} false ones "
        "are accused. The templates leave most unread."
    ),
    people_absent="" if people else ", which are absent here: they need a clone of the release",
    writer=titles[writer],
    templates=sum(map(len, read_rules.templates().values())),
    moves_n=len(chosen),
)

# %% tags=["remove-input"]
KEYS = {writer: "model", small: "small_model", "rules": "rules"}
difference_unit = "share of comments, difference on the same moves"
gaps_by_cause = {
    (number, "ccc_less_bare"): paired_permutation(
        of_cause[number, "ccc"], of_cause[number, "bare"], seed=seed
    ).difference
    for number in range(1, len(causes) + 1)
}
named_by_hash = report.Result(
    int(checker_sha256[:12], 16),
    unit="its first twelve hexadecimal digits as a number",
    source=f"sha256 {checker_sha256} of {len(checker)} files",
)
lacking = report.Result(None, unit=difference_unit, needs="readers that find planted errors")
shares = {
    "false.corrected": corrected,
    **{by: frame.apply(share_of) for by, frame in by_kind.items()},
    **{
        name: {kind: each[kind] for kind in each if kind != "reference"}
        for name, each in of_kinds.items()
        if name != "decisive"
    },
    "seen_of_false": {
        arm: share_of(both_say[arm].dropna()) for arm in both_say if both_say[arm].any()
    },
    "readers_recall": share(everywhere.found, everywhere.planted),
    "blind_recall": readers_recall,
    "false_alarms": share(everywhere.alarms, everywhere.clean),
}
differences = {
    "contrast": {name: step["false", name].by_moves for name in pictures.STEPS},
    "contrast.decisive": {name: step["decisive", name].by_moves for name in pictures.STEPS},
    "contrast.corrected": {name: corrected_step.get(name, lacking) for name in pictures.STEPS},
    "small.contrast": {each.name: each.by_moves for each in small_steps},
    "blind_less": {key: each for key, each in gaps.items() if "reference" not in key[1]},
}
of_people_less = {"ccc_reference": gaps.get(("blind_false", "ccc_reference"))}
keys = {(KEYS[name], of, measure): each for (name, of, measure), each in of_readers.items()}
p_values = {(each.outcome, each.name): each.adjusted for each in steps}
table2 = {key: share_of(rows) for key, rows in of_cause.items()}
pool.close()
report.save(
    "05_claims",
    {"checker.sha256": named_by_hash},
    picture_rows,
    report.rows(keys, "reader", unit="share of texts"),
    report.rows(agreement, "batch.agreement", unit="share of texts"),
    report.rows(shares, "voice", unit=unit),
    report.rows(differences, "voice", unit=difference_unit),
    report.rows(
        of_people_less, "voice.blind_less.blind_false", unit=difference_unit, needs=clone
    ),
    report.rows(
        p_values, "voice.adjusted_p", unit="p by flipped signs, Holm over both outcomes"
    ),
    report.rows(kappa, "voice.kappa", unit="kappa"),
    report.rows(table2, "table2", unit=unit, reference=cells),
    report.rows(gaps_by_cause, "table2_less", unit=difference_unit),
)
report.evidence(
    int(false.count().sum()),
    "comments",
    seed,
    interval="95 % bootstrap over moves; Wilson on shares",
    versions={
        "writer": answers.told(),
        "readers": model_description(writer),
        "engine": f"{example.before.engine}, {sizes.nodes:,} nodes a position",
        "prompts": f"factorial@2, {readings.PROMPT}, blind@1",
    },
)

# %% [markdown]
# ## Exercises
#
# **1. Your own sentence.** Say something of the move of `example` that is true, something false and
# something that no board can decide. Does the checker see which is which?

# %% tags=["solution", "hide-cell"] mystnb={"code_prompt_show": "A solution: three sentences, claim by claim"}
# Three sentences, claim by claim.
own_sentences = {
    "true": "The bishop on e6 gives check.",
    "false": "The rook on a8 is pinned.",
    "open": "White plays with great courage.",
}
own_verdicts = {
    said: verify(text, example.move, example.verdict) for said, text in own_sentences.items()
}
report.claims({said: (text, own_verdicts[said]) for said, text in own_sentences.items()})

# %% tags=["check", "remove-cell"]
report.check(
    "Three names, `true`, `false` and `open`, each with what `verify` returns of your "
    "sentence; the first must hold, the second be called false, and the third hold no claim that "
    "is true or false.",
    own_verdicts=(
        own_verdicts,
        lambda found: (
            found["true"]
            and all(each.holds for each in found["true"])
            and any(each.verdict == "false" for each in found["false"])
            and not any(each.verdict in ("true", "false") for each in found["open"])
        ),
    ),
)

# %% [markdown]
# **2. A checker of one line.** On the third writer's sentences, call one false if `piece_on_square`
# finds a piece in it that stands there neither before the move nor after it. What share of the
# false sentences is accused, and what share of the true ones?


# %% tags=["solution", "hide-cell"] mystnb={"code_prompt_show": "A solution: one regular expression against labelled sentences"}
# One regular expression against labelled sentences.
def accuses_by_pattern(text, move):
    boards = [chess.Board(move.position.fen), chess.Board(move.after().fen)]
    named = re.findall(piece_on_square, text)
    return any(
        all(
            board.piece_type_at(chess.parse_square(square)) != chess.PIECE_NAMES.index(piece)
            for board in boards
        )
        for piece, square in named
    )


hits = pd.DataFrame(
    [
        (text.label == "false", accuses_by_pattern(text.text, text.move))
        for text in sets["last"]
    ],
    columns=["false", "accused"],
)
by_pattern = {
    "false ones accused": share_of(hits.loc[hits["false"], "accused"]),
    "true ones accused": share_of(hits.loc[~hits["false"], "accused"]),
}
report.table(pd.DataFrame({"by the pattern": by_pattern}))

# %% tags=["check", "remove-cell"]
report.check(
    "Two shares: of the hundred false sentences those that the pattern accuses, and of the hundred "
    "true ones. A piece counts as there if it stands on the square before the move or after it.",
    by_pattern=by_pattern,
)

# %% [markdown]
# **3. None of how many?** A method has no false comment among 10, 40 or 300. How large may its true
# share still be? For each number give Wilson's limit (`wilson`), then the rule of three, 3 / n.

# %% tags=["solution", "hide-cell"] mystnb={"code_prompt_show": "A solution: what none of n leaves open"}
# What none of n leaves open.
limits = {
    "Wilson's upper limit": {n: wilson(0, n)[1] for n in (10, 40, 300)},
    "rule of three": {n: 3 / n for n in (10, 40, 300)},
}
report.table(pd.DataFrame(limits), digits=3)

# %% tags=["check", "remove-cell"]
report.check(
    "`wilson(0, n)` returns both ends; the second is the upper one. Six numbers, two for "
    "each n.",
    within=0.001,
    limits=limits,
)
