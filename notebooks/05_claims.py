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
# {glue:md}`decides_sentence` {glue:md}`false_sentence`
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
import itertools
import json
import re
import textwrap

import chess
import chess.svg
import numpy as np
import pandas as pd
from IPython.display import SVG, Markdown
from sklearn.metrics import cohen_kappa_score

from chessgloss import assets, report
from chessgloss.assets import AssetMissing
from chessgloss.book import pictures, reference
from chessgloss.book.profiles import load_sizes
from chessgloss.book.used_code import code_sha256, used_code
from chessgloss.claims import CAUSES, decide, gold, read_rules, verify
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
from chessgloss.stats import mean_interval, paired_difference, share, share_of, wilson
from chessgloss.store import data_file, find_project

sizes = load_sizes("05_claims", profile)
report.use_house_style()
moves = voice.voice_moves()
chosen = [*moves][:: sizes.every_move]
answers = replay(voice.PURPOSE, writer)
reader = replay("voice_readings", writer)
titles = {
    "model": model_title(writer),
    "small_model": model_title(small),
    "rules": "templates",
}
pool = EnginePool()


@outcomes.remembering
def analyse(positions, nodes, lines):
    return pool.analyse(positions, min(nodes, sizes.nodes), lines)


def in_percent(each):
    return f"{each.in_percent():.0f}"


def shares(frame):
    return frame.apply(lambda of_arm: share_of(of_arm.dropna()))


example = arms.asked_moves()["ccc/figA6"]

# %% [markdown]
# ## One claim, read and decided
#
# A claim is whatever a sentence says that the board or the engine can settle. The sentence below
# says of two pieces what they attack. A pattern of words finds both claims, and python-chess
# decides them.

# %% mystnb={"figure": {"caption": "Green: both pieces stand where the sentence has them, and the attack exists.", "name": "fig-05-by-hand"}, "image": {"alt": "A chess board with one arrow, green or red, for each claim of the sentence."}}
sentence = (
    "The queen on d5 attacks the rook on a8, and the knight on h5 attacks the queen on g8."
)
after = chess.Board(example.move.after().fen)
piece_on_square = r"(king|queen|rook|bishop|knight|pawn) on ([a-h][1-8])"
arrows = []
for match in re.finditer(f"{piece_on_square} attacks the {piece_on_square}", sentence):
    attacker, target = (chess.parse_square(name) for name in match.group(2, 4))
    stand = [after.piece_type_at(square) for square in (attacker, target)] == [
        chess.PIECE_NAMES.index(name) for name in match.group(1, 3)
    ]
    enemies = after.color_at(attacker) != after.color_at(target)
    holds = stand and enemies and target in after.attacks(attacker)
    arrows.append(chess.svg.Arrow(attacker, target, color="#009E73" if holds else "#D55E00"))

SVG(chess.svg.board(after, arrows=arrows, orientation=example.move.mover, size=180))

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
# decided; the fold computes whether its verdicts are the same.

# %% tags=["hide-cell"] mystnb={"code_prompt_show": "The hash of the checker, and its verdicts beside the first ones"}
library = find_project() / "lib"
uses = "from chessgloss.claims import decide, read_model\ndecide, read_model.instructions"
checker = used_code(uses, library)
checker_sha256 = code_sha256(checker, library)
print(f"{len(checker)} files of code and tables, SHA-256 {checker_sha256[:12]}…")
earlier = json.loads(data_file(f"commentary/voice/{writer}/verdicts.json").read_text("utf-8"))
again = gold.verdicts_sha256(voice.checks(texts, read))
alike = "the same" if again == earlier["sha256"][0] else "NOT the same"
print(
    f"{alike} verdicts on {earlier['claims'][0]:,} claims as by {earlier['checker_sha256'][:12]}…"
)

# %% [markdown]
# Three sets of sentences measure a reader: made up to test a checker, and by two writers who had
# seen neither reader. Half of the writers' sentences are false by one detail. Language models wrote
# and labelled them; code checked the labels.

# %%
SETS = {"test": "made up", "last": "third writer", "new": "fourth writer"}
READERS = {"model": writer, "small_model": small, "rules": "rules"}
sets = readings.gold_sets()
of_readers = {}
for reader_key, of in itertools.product(READERS, SETS):
    found = readings.read_set(READERS[reader_key], of, sets[of])
    there = [one for one in sets[of][:: sizes.every] if one.key in found]
    score = gold.score(
        there,
        lambda one, found=found: verify(
            one.text, one.move, read=lambda *_: found[one.key], analyse=analyse
        ),
    )
    for measure in ("precision", "recall", "called"):
        hits, total = getattr(score, measure)
        if total:
            of_readers[reader_key, of, measure] = share(hits, total)

report.table(
    pd.Series(of_readers)
    .unstack(sort=False)
    .rename(titles | SETS)
    .rename(columns={"called": "called rightly"}),
    caption="Accusations that are right, false sentences that are accused, all called rightly",
)

# %% [markdown]
# The model was asked many questions in one conversation. To see whether that matters, 24 blocks of these and
# of people's sentences were also asked alone, twice.

# %%
recorded = replay(readings.PURPOSE, writer)
thrice = []
for of, texts_of in sets.items():
    for block in readings.blocks(of, texts_of):
        in_batch, *alone = (readings.read_texts([block], recorded, n) for n in range(3))
        if all(alone):
            thrice += [
                (one, [each[one.key] for each in (in_batch, *alone)]) for one in block.texts
            ]
calls = [
    [
        gold.call(verify(text.text, text.move, read=lambda *_, each=each: each))
        for each in of_text
    ]
    for text, of_text in thrice
]
claims = [[each.claims for each in of_text] for _, of_text in thrice]
agreement = {
    "alone twice": share_of(alone == again for _, alone, again in calls),
    "alone and batch": share_of(alone == batch for batch, alone, _ in calls),
    "claims alone twice": share_of(alone == again for _, alone, again in claims),
    "claims alone and batch": share_of(alone == batch for batch, alone, _ in claims),
}
report.table(
    pd.DataFrame({"share of texts": agreement}),
    caption=f"The same call (true, false or open, by the board) and the same claims, {len(calls)} texts",
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
# {cite}`holm1979sequentially` spans all contrasts. The checker's code has been made shorter since; a
# test decides all readings again and finds the same verdicts.
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
    small_comments = voice.shared_comments(small_client)
    accused = outcomes.by_arm(small_comments, voice.accused(*twice))
    small_false = accused.reindex(chosen).dropna(how="all")
small_steps = compare_all({"small, false": small_false}, voice.CONTRASTS, blocks, seed=seed)
report.table(
    laid_out([*steps, *small_steps], pictures.STEPS),
    caption="What each step changes, in points: comments that are false, that say what decides",
)

# %% tags=["remove-input"]
DO = {
    "false": "are false",
    "decisive": "say what decides",
    "small, false": f"by {titles['small_model']}, on {len(small_false)} of the moves, are false",
}
told_steps = [each for each in (*steps, *small_steps) if each.verdict != "open"]
sentences = [*concluded(told_steps, pictures.STEPS, DO), "No other step is shown to differ."]
if small_false.empty:
    sentences.append(f"Comments by {titles['small_model']} were not read (`make record`).")
Markdown("\n".join(f"- {each}" for each in sentences))

# %% [markdown]
# ## How good is the ruler?
#
# Readers miss errors and make some up. In fifty comments of each arm one word was therefore broken.
# The share of these whose broken sentence is accused is the *recall* *r*. A *false alarm* is an
# accusation of a comment in which neither blind reading sees a false statement; *f* is their share.
# If a share *q* of comments is accused, (*q* − *f*) / (*r* − *f*) have an error
# {cite}`rogan1978estimating`.

# %% tags=["hide-cell"] mystnb={"code_prompt_show": "Errors that were planted: how many the program and the readers find"}
plants = outcomes.found_plants(voice.read_plants(answers.model), first, second)
false_blind = outcomes.said(blindly, "false").reindex(false.index)
rulers = outcomes.rulers(false, plants, false_blind)
corrected = corrected_shares(false, rulers, seed=seed)
measured = {
    "accused": shares(false),
    "planted errors found": {
        arm: share(each.found, each.planted) for arm, each in rulers.items()
    },
    "false alarms": {arm: share(each.alarms, each.clean) for arm, each in rulers.items()},
    "corrected": corrected,
}
report.table(
    pd.DataFrame(measured)
    .loc[[*false, "all"]]
    .rename(pictures.SWITCHES | {"all": "all arms"})
    .map(in_percent, na_action="ignore"),
    caption="What the ruler accuses and finds, and the share with an error that follows; per cent",
)

# %% [markdown]
# A strong model errs seldom, so much of what is accused may be the ruler's own fault.
# {glue:md}`checked_sentence`

# %% tags=["hide-cell"] mystnb={"code_prompt_show": "Agreement of two readings, and the steps corrected for what the ruler misses"}
for_all = blindly[blindly["writer"] != "reference"]  # that of people needs a clone
kappa = {
    asked: cohen_kappa_score(*outcomes.pairs_of(for_all, asked).to_numpy().T)
    for asked in ("decisive", "helpful", "misleading")
}
corrected_step = corrected_steps(false, voice.CONTRASTS, rulers, seed=seed)
report.boards(
    report.sheet("kappa of two readings", kappa),
    report.table(
        pd.Series(corrected_step, name="false, corrected")
        .map(in_percent)
        .rename(pictures.STEPS)
        .to_frame(),
        caption="The steps, in points",
    ),
)

# %% [markdown]
# ## Board and evaluation
#
# A claim is false on the *board*, which is a matter of fact, or by the engine's *evaluation*, which
# is an opinion.

# %%
claims = outcomes.decided_claims(comments, first, second)
wrong = claims[claims["false"] == 1]
by_kind = {
    by: shares(outcomes.comments_with(wrong_so, false)) for by, wrong_so in wrong.groupby("by")
}

# %% tags=["hide-cell"] mystnb={"code_prompt_show": "Board and evaluation, arm by arm"}
report.table(
    pd.DataFrame(by_kind).rename(pictures.SWITCHES).map(in_percent),
    caption="Comments with a false claim, per cent",
)

# %% [markdown]
# The paper's Table 2 sorts errors by four causes. People judge everything that is written; the
# program decides what the claim language can say. So the two may be compared along a row, and not
# down.

# %% tags=["hide-input"] mystnb={"code_prompt_show": "Table 2"}
COMPARED = {
    "bare": "GPT-4o",
    "verdict": "GPT-4o + expert",
    "ccc": "GPT-4o + expert + concept",
}
causes = dict(enumerate(dict.fromkeys(CAUSES.values()), start=1))
with_cause = {
    number: outcomes.comments_with(wrong[wrong["cause"] == cause], false)
    for number, cause in causes.items()
}
table2 = {number: shares(frame[[*COMPARED]]) for number, frame in with_cause.items()}
printed = 100 * reference.table("ccc", "table2")[[*COMPARED.values()]]
beside = {
    "GPT-4o, by people": printed.set_axis(causes).map("{:.0f}".format),
    f"{titles['model']}, here": pd.DataFrame(table2)
    .T.rename(columns=pictures.SWITCHES)
    .map(in_percent),
}
report.table(
    pd.concat(beside, axis=1).rename(causes),
    caption="Table 2: comments with an error, per cent",
)

# %% [markdown]
# ## Does it help?
#
# The blind readings also say whether a comment helps a club player, whether it misleads, and who
# wrote it: three arms, the program's own notes, which no model words, and people's comments on the
# sixty released moves{glue:text}`people_absent`.

# %%
ASKED = {"blind_false": "false to a reader"}
kinds = [*("bare", "ccc", "lines_checked", "notes"), *(["reference"] if people else [])]
blind_frames = {
    "decisive": decisive,
    "helpful": outcomes.said(blindly, "helpful"),
    "misleading": outcomes.said(blindly, "misleading"),
    "blind_false": false_blind,
}
of_kinds = pd.DataFrame(
    {
        name: {kind: mean_interval(frame[kind].dropna(), seed=seed) for kind in kinds}
        for name, frame in blind_frames.items()
    }
)
report.table(
    of_kinds.rename(pictures.SWITCHES).rename(columns=ASKED).map(in_percent),
    caption="Comments that …, per cent, mean of two blind readings by one model",
)

# %%
pairs = [("ccc", "bare"), ("lines_checked", "ccc"), ("lines_checked", "lines")]
pairs += [("notes", "ccc"), ("lines_checked", "notes")]
pairs += [(arm, "reference") for arm in ("ccc", "lines_checked") if people]
gaps = {
    name: {
        (one, other): paired_difference(
            *blind_frames[name][[one, other]].dropna().T.values, seed=seed
        )
        for one, other in pairs
    }
    for name in ("helpful", "decisive", "blind_false")
}
report.table(
    pd.DataFrame(gaps).rename(pictures.SWITCHES).rename(columns=ASKED).map(in_percent),
    caption="The first less the second, in points; only decisive was fixed beforehand",
)

# %% tags=["remove-input"]
of_broken = blindly[blindly["writer"] == "broken"]
is_seen = of_broken["false"] == "yes"
readers_recall = is_seen.groupby(of_broken["reading"]).apply(share_of)
authors = pd.crosstab(blindly["writer"], blindly["author"], normalize="index")
TRUE_AUTHORS = {"notes": "program", "reference": "person"}
recognised = np.mean([authors.at[kind, TRUE_AUTHORS.get(kind, "model")] for kind in kinds])
Markdown(
    "Of comments with a broken word the two readings see "
    + " and ".join(f"{100 * each.value:.0f} %" for each in readers_recall)
    + f". **{100 * recognised:.0f} % of their guesses who wrote a comment are right**: the names were "
    "hidden, the style was not, and a reader may favour its own kind."
)

# %% [markdown]
# ## Recap
#
# - What a sentence claims is language, and a language model reads it; whether a claim is true is
#   chess, and a program decides it.
# - {glue:md}`decides_sentence`
# - A true comment need not help, nor say what decides.

# %% tags=["remove-input"]
step = {(each.outcome, each.name): each for each in steps}
says = (100 * decisive.mean()).map("{:.0f} %".format)
checked = corrected_step.get("checked")
report.paste(
    decides_sentence=Markdown(
        f"From CCC's whole prompt {titles['model']} says what decides a move "
        f"{step['decisive', 'ccc_bare'].how_often} from position and move alone "
        f"({says['ccc']} and {says['bare']} of comments), and from an engine's lines "
        f"{step['decisive', 'lines'].how_often} from CCC's prompt ({says['lines']})."
    ),
    false_sentence=Markdown(
        f"From CCC's prompt it makes a false claim {step['false', 'ccc_bare'].how_often} from position "
        f"and move alone ({100 * false['ccc'].mean():.0f} %)."
    ),
    checked_sentence=Markdown(
        "Corrected, sending back changes the share of false comments by "
        f"{in_percent(checked) if checked else 'an unknown number of'} points."
    ),
    people_absent="" if people else ", which are absent here: they need a clone of the release",
    writer=titles["model"],
    templates=sum(map(len, read_rules.templates().values())),
    moves_n=len(chosen),
)

# %% tags=["remove-input"]
unit = "share of comments"
difference_unit = "share of comments, difference on the same moves"
clone = "a clone of the repository released with the CCC paper"
decisive_of = {
    kind: mean_interval(decisive[kind].dropna(), seed=seed)
    for kind in pictures.SWITCHES
    if kind in decisive and kind != "reference"
}
of_people = {name: {"reference": each.get("reference")} for name, each in of_kinds.items()}
picture_rows = {
    **report.rows(shares(false), "voice.false", unit=unit),
    **report.rows(shares(small_false), "voice.small.false", unit=unit),
    **report.rows(decisive_of, "voice.decisive", unit=unit),
    **report.rows(of_people, "voice", unit=unit, needs=clone),
}
report.paste(picture=pictures.experiment(picture_rows, titles["model"], titles["small_model"]))
lacking = report.Result(None, unit=difference_unit, needs="readers that find planted errors")
shares = {
    "false.corrected": corrected,
    **by_kind,
    **of_kinds.drop(index="reference", errors="ignore").drop(columns="decisive"),
    "readers_recall": measured["planted errors found"]["all"],
    "blind_recall": readers_recall,
    "false_alarms": measured["false alarms"]["all"],
}
differences = {
    "contrast": {each.name: each.by_moves for each in steps if each.outcome == "false"},
    "contrast.decisive": {
        each.name: each.by_moves for each in steps if each.outcome == "decisive"
    },
    "contrast.corrected": {name: corrected_step.get(name, lacking) for name in pictures.STEPS},
    "small.contrast": {each.name: each.by_moves for each in small_steps},
    "blind_less": {
        name: {
            f"{one}_{other}": each for (one, other), each in of.items() if other != "reference"
        }
        for name, of in gaps.items()
    },
}
of_people_less = {"ccc_reference": gaps["blind_false"].get(("ccc", "reference"))}
p_values = {(each.outcome, each.name): each.adjusted for each in steps}
gaps_by_cause = {
    (number, "ccc_less_bare"): paired_difference(
        *with_cause[number][["ccc", "bare"]].dropna().T.values, seed=seed
    )
    for number in with_cause
}
cells = {
    (number, arm): reference.lookup("ccc", "table2", row, column)
    for number, row in enumerate(printed.index, start=1)
    for arm, column in COMPARED.items()
}
pool.close()
named_by_hash = report.Result(
    int(checker_sha256[:12], 16),
    unit="its first twelve hexadecimal digits as a number",
    source=f"sha256 {checker_sha256} of {len(checker)} files",
)
report.save(
    "05_claims",
    {"checker.sha256": named_by_hash},
    picture_rows,
    report.rows(of_readers, "reader", unit="share of texts"),
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


by_pattern = {
    f"{label} ones accused": share_of(
        accuses_by_pattern(text.text, text.move) for text in sets["last"] if text.label == label
    )
    for label in ("false", "true")
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
