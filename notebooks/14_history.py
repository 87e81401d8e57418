# ---
# jupyter:
#   kernelspec:
#     display_name: Python 3 (ipykernel)
#     language: python
#     name: python3
# ---

# %% [markdown]
# # How much of the history
#
# Chess needs no memory: the board says all. A model of moves has no board, only the moves, so it
# must look back. How far? {glue:text}`long_ago` {glue:text}`modern_window` The paper
# {cite}`toshniwal2022chess` takes the history away in several ways (its Section 5.3 and Table 7).
# Drawn below is the first of them: which earlier tokens each token may attend to, all of them or a
# window of the last 50. Counting, which looks at one earlier move of the piece, names a legal square
# in {glue:text}`count` % of the questions; more often legal, of the {glue:text}`n_models` models of
# Table 7: {glue:text}`above`. An even draw among the legal moves has a perplexity of
# {glue:text}`even`; better than that: {glue:text}`foresee`.

# %% tags=["parameters", "hide-input"]
profile = "book"
seed = 1
window = 50
question_number = 21  # the first whose piece came more than 24 plies before

# %% tags=["hide-input"]
import chess
import chess.svg
import matplotlib.pyplot as plt
import numpy as np
import pandas as pd
import torch
from IPython.display import Markdown
from torch.nn import functional as F
from chessgloss import report
from chessgloss.book import reference
from chessgloss.stats import mean_interval, means_by, paired_difference
from chessgloss.book.profiles import load_sizes
from chessgloss.tracking import probes, results, runs
from chessgloss.tracking.games import read_corpus
from chessgloss.tracking.models import Settings, make_model

sizes = load_sizes("14_history", profile)
report.use_house_style()
questions = probes.read_probes().query("task in @probes.END_TASKS and band == 'long'")
questions = questions.groupby("task", sort=False).head(sizes.instances)
asked = questions[questions["task"] == "end_actual"]
names = {
    "uci": "GPT2",
    "window50": "GPT2 (w = 50)",
    "reformer": "Reformer",
    "performer": "Performer",
    "lstm": "LSTM",
    "lstm_rap": "LSTM + RAP",
}
trained = runs.read_runs()
chosen = results.headline(trained, names)
titles_of = chosen["title"].to_dict()
beside_paper = dict(zip(chosen["title"], chosen["paper"], strict=True))
answered = {run: results.score_run(run, questions) for run in chosen["run"]}

# %% mystnb={"figure": {"caption": "What a token may attend to: all before it, or the last 50 only. The shares are of all pairs of tokens.", "name": "fig-14-masks"}, "image": {"alt": "Two triangular masks; the windowed one is a narrow band along the diagonal."}}
length = 120
row = torch.arange(length)[:, None]
column = torch.arange(length)[None, :]
full = column <= row  # no token attends to a later one
windowed = full & (column > row - window)
figure, axes = plt.subplots(1, 2, figsize=(7, 3.2), sharey=True)
titles = ("all before", f"the last {window}")
for axis, mask, title in zip(axes, (full, windowed), titles, strict=True):
    axis.imshow(mask, cmap="Blues", vmin=0, vmax=1.4)
    axis.set(title=f"{title}: {mask.float().mean():.0%}", xlabel="attends to token")
    axis.grid(False)
axes[0].set_ylabel("token")
plt.show()

# %% [markdown]
# The others are approximations of attention, the Reformer {cite}`kitaev2020reformer` and the
# Performer {cite}`choromanski2021rethinking`, and a recurrent network that carries one state
# along, the LSTM {cite}`hochreiter1997long`.
#
# The questions are asked after 51 to 100 plies. The counts are of {glue:text}`counted` training
# games; they know of a piece the square that it leaves, the one that it came from, and nothing else
# of the game. What less of the history costs is told where full attention does better than these, or
# what is left does; that the one falls below counting may be the finding. Where neither does, the
# number bears a †, and no sentence concludes from it. Rows of the *modern* base (chapter 12) are the
# strong ones.
#
# In this chapter we
#
# - compute attention under both masks, and see what of one game a window leaves;
# - set these models beside full attention, at equal size and on equal games (Table 7), and beside
#   what is had without a model;
# - test each difference on the same questions;
# - ask whether the window fails where it must: at pieces that came to their square long ago;
# - ask whether piece types help the LSTM.
#
# All kinds are trained at S and M, on the modern base the window alone. The
# Reformer and the Performer are compact layers of our own, tested against exact attention in the
# limit; the paper used libraries, which mix in local attention.
#
# ## A window, step by step
#
# A question of the last chapter: a game's beginning as tokens, and the square of a piece at the
# end; here the first question whose piece came to its square before the window. Attention gives
# the last token a mean of the values of the tokens it may see, weighed by how well their keys fit
# its query. A mask leaves the others out. Queries, keys and values are drawn here; in a model they
# are learned (chapter 12).

# %%
question = asked.iloc[question_number]
squares = [
    part for uci in question["prefix"].split() for part in (uci[:2], uci[2:4], uci[4:]) if part
]
prompt = ["BOS", *squares, question["prompt"]]
length = len(prompt)
width = 40
row = torch.arange(length)[:, None]
column = torch.arange(length)[None, :]
full = column <= row
windowed = full & (column > row - window)

generator = torch.Generator().manual_seed(seed)
drawn_vectors = torch.randn(3, 1, length, width, generator=generator)
query, key, value = drawn_vectors
weights = {}
means = {}
for name, mask in zip(titles, (full, windowed), strict=True):
    scores = query @ key.mT / width**0.5
    weights[name] = scores.masked_fill(~mask, -torch.inf).softmax(dim=-1)[0, -1]
    means[name] = F.scaled_dot_product_attention(query, key, value, attn_mask=mask)
    assert torch.allclose(weights[name] @ value[0], means[name][0, -1], atol=1e-5)
print("(n_tokens, width) =", tuple(query[0].shape), " mask", tuple(windowed.shape))
print(
    f"the prompt {prompt[-1]} sees",
    {name: int((given > 0).sum()) for name, given in weights.items()},
    "tokens",
)

# %% mystnb={"figure": {"caption": "The weights of the last token's attention over one prompt, with the whole history and with a window.", "name": "fig-14-reach"}, "image": {"alt": "Two step lines over 120 tokens; the windowed one is zero before the window."}}
figure, axes = plt.subplots(figsize=(7, 2.4))
for name, given in weights.items():
    axes.step(np.arange(length), given, where="mid", label=name)
axes.set(xlabel="token of the prompt", ylabel="weight for the last token")
axes.legend()
plt.show()

# %% [markdown]
# On the board: coloured are the squares that the window names before the prompt (the cross). A
# piece elsewhere came there earlier, or never moved, or is a rook that castled.


# %%
def plies_since(question):
    """How many plies ago the piece on the prompted square came there; NaN if it never moved."""
    arrivals = {question["prompt"]}
    if question["piece"] == "R":  # castling brings a rook by the king's move
        castling = {"f1": "e1g1", "d1": "e1c1", "f8": "e8g8", "d8": "e8c8"}
        arrivals.add(castling.get(question["prompt"]))
    for since, uci in enumerate(reversed(question["prefix"].split()), start=1):
        if uci[2:4] in arrivals or uci in arrivals:
            return since
    return np.nan


# %%
board = chess.Board(question["fen"])
named = {
    chess.parse_square(token) for token in prompt[-window:-1] if token in chess.SQUARE_NAMES
}
drawing = chess.svg.board(
    board,
    size=300,
    fill=dict.fromkeys(named, "#56B4E980"),
    squares=[chess.parse_square(prompt[-1])],
)
men = board.piece_map()
print(
    "men on squares that the window does not name:",
    sum(square not in named for square in men),
    "of",
    len(men),
)
print(f"plies since the piece on {prompt[-1]} came there:", plies_since(question))
report.Html(drawing, board.fen())

# %% [markdown]
# The library's model with a window has the same mask in every block, and gives the same means:

# %%
shape = Settings(kind="window", layers=1, width=width, heads=1, window=window)
attention = make_model(shape, seed).body.blocks[0].attention
assert torch.equal(attention.mask[:length, :length] == 0, windowed)
assert torch.allclose(attention(drawn_vectors), means[titles[1]], atol=1e-5)
print("mask and means are equal")

# %% [markdown]
# ## What is had without a model
#
# The baselines of the last two chapters: an even draw among the legal moves, and counts of the
# moves of S by the square that a piece leaves and the one from which it had come there. No model
# of this chapter is told the types of the pieces; what counts by type come to is shown beside.

# %%
games = read_corpus()
drawn = results.even_draw(games.games, games.of("test")[: sizes.drawn])
even = results.perplexity_of(drawn, seed=seed)
moves = results.list_moves(games.games, games.of("L")[: sizes.counted])
ground = results.score_baselines(moves, questions)
grounds = {name: results.summarise(rows, seed=seed) for name, rows in ground.items()}

# %% [markdown]
# To the question above, what did the trained runs answer, with the whole history and with a window,
# and what do counts? The first answers of the runs are kept. One question says nothing about a
# model; the sections below ask {glue:text}`n_questions`.

# %%
shown = {
    row["title"]: answered[row["run"]]
    for (_, model), row in chosen.iterrows()
    if model in ("uci", "window50")
}
shown[results.BASELINES["came_from"]] = ground["came_from"]
answers = pd.Series({title: rows.loc[question.name, "answer"] for title, rows in shown.items()})
legal = answers.isin(question["legal"].split()).map({True: "yes", False: "no"})
report.table(
    pd.DataFrame({"answer": answers, "legal": legal}),
    caption=(
        f"After {len(question['prefix'].split())} plies and {prompt[-1]}; legal: {question['legal']}"
    ),
)

# %% [markdown]
# ## The models
#
# All have about as many parameters. Perplexity is canonical, as in the chapter before the last.

# %%
pairs = {  # of the first base alone
    ("S", "uci"): ("S-rap25-1", "S-uci-1"),
    ("S", "lstm"): ("S-lstm_rap25-1", "S-lstm-1"),
    ("M", "uci"): ("M-rap25-1", "M-uci-1"),
    ("M", "lstm"): ("M-lstm_rap25-1", "M-lstm-1"),
    ("L", "uci"): ("L-rap25-1", "L-uci-1"),
}  # with piece types and without
every = {*chosen["run"], *(run for pair in pairs.values() for run in pair)}
known = {
    run: results.judge_perplexity(results.read_losses(run), drawn, seed=seed)
    for run in sorted(every)
}
shown = (
    chosen.set_index("title")
    .rename_axis(None)
    .assign(
        dev=[
            f"{dev:.1f}" + ("" if dev < even.low else f" {results.MARK}")
            for dev in chosen["dev"]
        ],
        test=[known[run] for run in chosen["run"]],
    )
)
shown["early stop"] = shown["stopped_early"].map({True: "yes", False: "no"})
shown = shown[["dev", "test", "epochs", "tokens", "early stop"]].astype(object)
shown.loc[results.EVEN_DRAW] = ["-", even, "-", "-", "-"]
report.table(
    shown.rename(columns={"tokens": "tokens read"}),
    digits=1,
    caption=f"Trained for this chapter, perplexity. {results.MARKED}",
)

# %%
full_run = chosen.xs("uci", level="model")["run"]  # of each block, with the whole history
less = chosen[
    (chosen.index.get_level_values("model") != "uci")
    & chosen.index.get_level_values("block").isin(full_run.index)
]
ahead = pd.Series(
    {
        key: results.judge_change(row["run"], full_run[key[0]], known, seed=seed)
        for key, row in less.iterrows()
    }
)
shown = ahead.map("{:+.1f}".format).set_axis(less["title"]).rename_axis(None)
report.table(
    shown.to_frame("%"),
    caption=f"Perplexity against full attention's, per cent of it. {results.COMPARED}",
)

# %% [markdown]
# ## Table 7
#
# Ending squares, prefixes of 51 to 100 plies. What is as played (ExM) has to beat a draw among the
# legal squares (*random legal*) as well.

# %%
scores = {
    key: results.summarise(answered[row["run"]], results.ground_of(key[1], ground), seed=seed)
    for key, row in chosen.iterrows()
}
printed = reference.table("state_tracking", "table7")
chance = mean_interval(100 * results.chance_of_exact(asked), asked["game"], seed=seed)
rows = {titles_of[key]: scores[key] for key in scores}
rows |= {results.BASELINES[name]: table for name, table in grounds.items()}
parts = []
for title, part in results.PROBE_PARTS.items():
    shown = results.probe_table(rows, "end", part, printed, beside_paper)
    if "ExM Acc." in part:
        shown.loc["Random Legal"] = [chance, np.nan]
    parts.append(
        report.table(
            shown,
            digits=1,
            caption=f"Table 7: ending squares, {title}, %. {results.MARKED}; "
            "empty: not trained",
        )
    )
report.boards(*parts)

# %% [markdown]
# In the printed table the Performer's row at L is that of the window, number for number; it is
# hard to believe, and nothing is compared with it here.
#
# ## Less than full attention
#
# The same questions, answered by both models: legal answers less those of full attention, in
# points. A star marks p < 0.001. Where neither beats the counts (†), there is no history whose loss
# could be measured; where full attention alone does (²), what it is worth was lost.


# %%
def compare(first, second):
    pair = [answered[run].loc[asked.index] for run in (first, second)]
    return results.compare_answers(pair, [ground["came_from"]] * 2, seed=seed)


def paper_loss(title):
    column = printed["LgM Actual Acc."]
    return column[beside_paper[title]] - column[f"{title[0]} GPT2"]


losses = {key: compare(row["run"], full_run[key[0]]) for key, row in less.iterrows()}
shown = pd.DataFrame(
    {
        titles_of[key]: {"ours": paired, "paper": paper_loss(titles_of[key])}
        for key, paired in losses.items()
    }
).T
report.table(
    shown,
    digits=1,
    caption=f"Legal answers less those of full attention, points. {results.COMPARED}",
)

# %% mystnb={"figure": {"caption": "Legal answers of each approximation less those of full attention, in points, with 95 % intervals. Left of zero something was lost; marked rows stand below a baseline and carry no finding.", "name": "fig-14-lost"}, "image": {"alt": "Points with horizontal intervals around a vertical line at zero."}}
figure, axes = plt.subplots(figsize=(7, 3.4))
for place, (key, judged) in enumerate(losses.items()):
    interval = judged.value.difference
    colour = report.PALETTE[results.SIZES.index(key[0].partition(" ")[0])]
    axes.plot([interval.low, interval.high], [-place, -place], color=colour)
    axes.plot(interval.value, -place, "o", color=colour)
axes.axvline(0, color="grey", linewidth=1)
axes.set_yticks(
    [-place for place in range(len(losses))],
    [f"{titles_of[key]} {judged.beaten.value}".rstrip() for key, judged in losses.items()],
)
axes.set(xlabel="End-Actual, legal answers less full attention's, points")
plt.show()

# %% [markdown]
# ## The window on the modern base
#
# The strongest pair that differs in the window alone, with the same games, passes and seed, taken
# by what its full attention answers:

# %%
windowed_blocks = [block for block, model in losses if model == "window50"]
strongest = max(
    windowed_blocks,
    key=lambda block: scores[block, "uci"].loc[("end_actual", "long"), "lgm"].value.value,
)
modern_pair = (chosen.loc[(strongest, "window50"), "run"], full_run[strongest])
modern_change = ahead[strongest, "window50"]
modern_lost = losses[strongest, "window50"]
at_end = pd.DataFrame(
    {
        run: {
            "test perplexity": known[run],
            "End-Actual, legal, %": scores[strongest, model].loc[("end_actual", "long"), "lgm"],
        }
        for run, model in zip(modern_pair, ("window50", "uci"), strict=True)
    }
).T
report.table(
    at_end,
    digits=1,
    caption=f"With the whole history and with the last 50 tokens. {results.MARKED}",
)

# %% tags=["hide-input"]
apart = modern_lost.value.difference
modern_says = results.only_if_above(
    {
        f"In all, a window of 50 tokens changes the legal answers of {modern_pair[1]} by "
        f"{apart:+.1f} points and its perplexity by {modern_change.value:+.1f} %.": [
            modern_lost
        ]
    },
    "In all it cannot be told what a window costs: neither of the two models beats the counts.",
)
Markdown(modern_says)

# %% [markdown]
# ## Where the window fails
#
# A window of 50 tokens holds the last 24 moves and the prompt. A piece that came to its square
# before that has left no trace in the window, unless it never moved at all and stands where
# pieces stand at the beginning. If the window's model fails for want of history, it fails there.
# (Through its layers a model with a window can hear of older moves at second hand.)

# %%
held = (window - 1) // 2
bins = [0, held // 2, held, np.inf]
labels = [f"1 to {held // 2}", f"{held // 2 + 1} to {held}", f"more than {held}"]
since = pd.cut(asked.apply(plies_since, axis=1), bins, labels=labels)
since = since.cat.add_categories("never").fillna("never").astype(str)


# %%
def by_since(rows):
    rows = rows.loc[asked.index].assign(lgm=lambda row: 100 * row["lgm"], since=since)
    return rows, means_by(rows, "since", "lgm", cluster="game", seed=seed)


counted, counted_by_age = by_since(ground["came_from"])


def judge_by_age(run):
    rows, shares = by_since(answered[run])
    lows = {
        age: paired_difference(
            group["lgm"], counted.loc[group.index, "lgm"], group["game"], seed=seed
        ).low
        for age, group in rows.groupby("since")
    }
    return {age: results.Judged(share, lows[age] > 0) for age, share in shares.items()}


by_age = {
    row["title"]: judge_by_age(row["run"])
    for (_, model), row in chosen.iterrows()
    if model in ("uci", "window50", "lstm")
}
by_age[results.BASELINES["came_from"]] = counted_by_age.to_dict()
ages = pd.DataFrame(by_age).T.reindex(columns=[*labels, "never"])
report.table(
    ages, digits=1, caption=f"Legal answers by plies since the piece came, %. {results.MARKED}"
)

# %% [markdown]
# The same questions, both models: what the window changes, by how long ago the piece came. The parts
# are too small to say of each whether a model beats counting there; so the signs are those of all
# questions (above), and counting stands below for comparison.


# %%
def lost_at(block, age):
    """The window's legal answers less full attention's, of pieces that came so long ago."""
    runs_here = (chosen.loc[(block, "window50"), "run"], full_run[block])
    there = asked.index[since == age]
    apart = results.compare_answers(
        [answered[run].loc[there] for run in runs_here],
        [ground["came_from"].loc[there]] * 2,
        seed=seed,
    )
    return results.Compared(apart.value, losses[block, "window50"].beaten)


ages_there = [age for age in (*labels, "never") if (since == age).sum() > 1]
lost_by_age = {
    titles_of[block, "window50"]: {age: lost_at(block, age) for age in ages_there}
    for block in windowed_blocks
}
shown = pd.DataFrame(lost_by_age).T
shown.loc["questions"] = [f"{(since == age).sum()}" for age in ages_there]
report.table(
    shown,
    digits=1,
    caption="The window's legal answers less full attention's, points, by plies since the piece "
    f"came. {results.COMPARED}",
)

# %% mystnb={"figure": {"caption": "Legal answers by how long ago the piece came to its square, with the whole history and with a window of 50 tokens.", "name": "fig-14-ages"}, "image": {"alt": "Lines over plies since the piece arrived, one pair for each size."}}
figure, axes = plt.subplots()
drawn_rows = [
    titles_of[block, model] for block in windowed_blocks for model in ("uci", "window50")
]
for place, names_there in enumerate(zip(drawn_rows[::2], drawn_rows[1::2], strict=True)):
    for style, name in zip(("o-", "s--"), names_there, strict=True):
        row = ages.loc[name].dropna()
        axes.plot(
            row.index,
            [judged.value.value for judged in row],
            style,
            color=report.PALETTE[place],
            label=row.name,
        )
row = ages.loc[results.BASELINES["came_from"]].dropna()
axes.plot(row.index, [interval.value for interval in row], ":", color="grey", label=row.name)
axes.set(xlabel="plies since the piece came to its square", ylabel="legal answers, %")
axes.legend(loc="upper left", bbox_to_anchor=(1, 1))
plt.show()

# %% [markdown]
# ## Piece types for the LSTM
#
# In the paper RAP helps the LSTM only with larger training sets (M: 73.8 to 77.5 %). A model that
# reads types before some of the moves must work out whether a square is left or reached; a
# network that carries a state along can keep count of that, and RAP may cost it less.

# %%
lstm = {
    block: compare(chosen.loc[(block, "lstm_rap"), "run"], chosen.loc[(block, "lstm"), "run"])
    for block, model in chosen.index
    if model == "lstm_rap" and (block, "lstm") in chosen.index
}
report.table(
    pd.Series(lstm).to_frame("LSTM + RAP less LSTM"),
    digits=1,
    caption=f"LSTM + RAP less LSTM, legal answers, points. {results.COMPARED}",
)

# %%
costs = {
    titles_of[key]: results.judge_change(*pair, known, seed=seed) for key, pair in pairs.items()
}
report.table(
    pd.Series(costs).to_frame("%"),
    digits=1,
    caption=f"Perplexity: RAP 25 against none. {results.COMPARED}",
)

# %% [markdown]
# ## Recap
#
# - {glue:text}`long_ago` {glue:text}`lately`
# - {glue:text}`modern_window` In the paper a window costs {glue:text}`paper_window_L` points at L.
# - More often legal than counting ({glue:text}`count` %), of the {glue:text}`n_models` models of
#   Table 7: {glue:text}`above`. Better than an even draw in perplexity ({glue:text}`even`):
#   {glue:text}`foresee`.
# - What does less of the history cost? {glue:text}`losses` In the paper: {glue:text}`paper_losses`.
# - † is a number worse than its baseline, or a difference of two of which neither is better.

# %% tags=["hide-input"]
report.paste(
    n_questions=f"{len(questions):,}",
    even=f"{even:.1f}",
    count=f"{grounds['came_from'].loc[('end_actual', 'long'), 'lgm']:.1f}",
    counted=f"{sizes.counted:,}",
)
legal = [
    titles_of[key]
    for key, table in scores.items()
    if table.loc[("end_actual", "long"), "lgm"].above
]
foresee = [row["title"] for _, row in chosen.iterrows() if known[row["run"]].above]
for name, rows in (("above", legal), ("foresee", foresee)):
    report.paste(**{name: results.enumerate_names(rows)})
report.paste(n_models=len(scores))

# %% tags=["hide-input"]
sentences = {
    f"{names[model]} changes the legal answers of full attention at {block} by "
    f"{judged:+.1f} points.": [judged]
    for (block, model), judged in losses.items()
}
untold = "It cannot be told from these trainings: in no pair does either beat counting."
printed_losses = (f"{titles_of[key]} {paper_loss(titles_of[key]):+.1f}" for key in losses)
report.paste(modern_window=modern_says)
report.paste(
    losses=results.only_if_above(sentences, untold), paper_losses=", ".join(printed_losses)
)
report.paste(paper_window_L=f"{paper_loss(titles_of[strongest, 'window50']):+.1f}")

# %% tags=["hide-input"]
report.paste(held=held)
in_window, before_window = labels[0], labels[-1]
window_title, full_title = (titles_of[strongest, model] for model in ("window50", "uci"))
lost_old, lost_lately = (
    lost_by_age[window_title].get(age) for age in (before_window, in_window)
)
sentences = {}
if lost_old is not None and lost_old.value.difference.high < 0:
    sentences[
        f"A piece that came to its square more than {held} plies ago is lost with a window of "
        f"{window} tokens: of these {full_title} answers "
        f"{ages.loc[full_title, before_window].value:.1f} % legally, {window_title} "
        f"{ages.loc[window_title, before_window].value:.1f} %, {lost_old.value.difference:+.1f} "
        f"points; counting answers {counted_by_age[before_window].value:.1f} %."
    ] = [lost_old]
report.paste(
    long_ago=results.only_if_above(
        sentences, "What a window forgets of pieces that came long ago cannot be told."
    )
)
sentences = {}
if lost_lately is not None:
    interval = lost_lately.value.difference
    kept = "nothing that can be told" if interval.low <= 0 <= interval.high else "this"
    sentences[
        f"Of pieces that came in the last {in_window.split()[-1]} plies the window loses {kept}: "
        f"{interval:+.1f} points."
    ] = [lost_lately]
report.paste(lately=results.only_if_above(sentences, ""))

# %% tags=["hide-input"]
cells = {
    (cell.row, cell.column): cell
    for cell in reference.load("state_tracking")
    if cell.table == "table7" and "contradiction" not in cell.flags
}
columns = {
    (f"end_{task}", score): column
    for part in results.PROBE_PARTS.values()
    for column, (task, score) in part.items()
}
values = {}
published = {}
for key in less.index:
    for (task, _), row in scores[key].iterrows():
        for score, judged in row.dropna().items():
            values[task, score, *key] = judged.value
            cell = cells.get((beside_paper[titles_of[key]], columns.get((task, score))))
            if cell is not None:
                published[task, score, *key] = cell

# %% tags=["hide-input"]
key_of_age = dict(
    zip((*labels, "never"), ("lately", "between", "long_ago", "never_moved"), strict=True)
)
by_age_saved = {
    key_of_age[age]: apart.value.difference for age, apart in lost_by_age[window_title].items()
}
shares_saved = {
    (model, key_of_age[age]): ages.loc[titles_of[strongest, model], age].value
    for model in ("uci", "window50")
    for age in ages_there
    if 0 < ages.loc[titles_of[strongest, model], age].value.value < 100
}
report.save(
    "14_history",
    report.rows(len(chosen), "table7.rows", unit="models"),
    report.rows(
        {
            "perplexity": modern_change.value,
            "end_actual.lgm": apart,
            **{
                f"lgm.{model}": scores[strongest, model]
                .loc[("end_actual", "long"), "lgm"]
                .value
                for model in ("uci", "window50")
            },
        },
        "modern.window50",
        unit="difference of two models, or per cent",
    ),
    report.rows(by_age_saved, "history.window", unit="points"),
    report.rows(shares_saved, "history.lgm", unit="%"),
    report.rows(even, "baseline.uniform_legal.perplexity", unit="perplexity a move"),
    *(
        report.rows(
            report.Result(len(rows), n=len(chosen), unit="models of Table 7"),
            f"baseline.{name}.beaten",
        )
        for name, rows in (("uniform_legal", foresee), ("counts", legal))
    ),
    report.rows(
        {
            (task, name): row["lgm"]
            for name, table in grounds.items()
            for (task, _), row in table.iterrows()
        },
        "baseline.counts",
        unit="%",
    ),
    *(
        report.rows(
            {key[1:]: value for key, value in values.items() if key[0] == task},
            task,
            unit="%",
            reference={key[1:]: cell for key, cell in published.items() if key[0] == task},
        )
        for task in probes.END_TASKS
    ),
    report.rows(
        {key: known[row["run"]].value for key, row in less.iterrows()},
        "perplexity",
        unit="perplexity a move",
    ),
    report.rows(
        {key: judged.value for key, judged in ahead.items()},
        "perplexity_change",
        unit="% of full attention's",
    ),
    report.rows(
        {key: judged.value.difference for key, judged in losses.items()},
        "less_history",
        unit="points",
    ),
    report.rows(
        {size: judged.value.difference for size, judged in lstm.items()},
        "lstm_rap_gain",
        unit="points",
    ),
    report.rows(
        {row.replace(" ", ".").lower(): cost.value for row, cost in costs.items()},
        "rap_cost",
        unit="% of perplexity",
    ),
)

# %% tags=["hide-input"]
report.evidence(
    len(questions),
    "questions",
    seed,
    clusters=questions["game"].nunique(),
    interval="95 % bootstrap over games",
    versions={"models": f"{len(chosen)} runs"},
)

# %% [markdown]
# ## Exercises
#
# **1. Other windows.** A piece that came to its square before the window began cannot be seen
# to have come. For windows of 10, 25, 50 and 100 tokens (two a ply), what share of the
# questions in `asked` is that?

# %% tags=["solution", "hide-cell"]
# Pieces whose arrival lies before the window, by its length.
plies_ago = asked.head(500).apply(plies_since, axis=1)
moved_ago = plies_ago.dropna()
before_window = {
    f"window of {tokens_seen}": float((moved_ago > (tokens_seen - 1) // 2).mean())
    for tokens_seen in (10, 25, 50, 100)
}
never = {"never moved, of all": float(plies_ago.isna().mean())}
report.sheet("arrived before the window", before_window | never)

# %% tags=["check", "remove-cell"]
report.check(
    "`plies_since` of the first 500 questions, pieces that never moved left out; a window "
    "of n tokens holds (n - 1) // 2 whole plies. Four shares.",
    before_window=before_window,
)

# %% [markdown]
# **2. Depth sees further.** Each layer looks `window` tokens back from where the layer below
# looked. With the mask `windowed` and its matrix powers, how far back can the last token of 300
# see through one, two and four layers?

# %% tags=["solution", "hide-cell"]
# What the last token can see through a stack of windows.
at_row = torch.arange(300)[:, None]
at_column = torch.arange(300)[None, :]
one_layer = ((at_column <= at_row) & (at_column > at_row - window)).double()
tokens_back = {
    f"{layers} layer{'s' * (layers > 1)}": int(
        (torch.linalg.matrix_power(one_layer, layers)[-1] > 0).sum()
    )
    for layers in (1, 2, 4)
}
report.sheet(f"tokens seen through windows of {window}", tokens_back)

# %% tags=["check", "remove-cell"]
report.check(
    "A layer's mask as a matrix of 0 and 1, its power for the layers, and in the last row "
    "the number of places that are not 0. Each layer more adds the window less one.",
    tokens_back=tokens_back,
)

# %% [markdown]
# **3. Forget the beginning.** Cut the prefix of sixty questions to its last 20 plies and ask
# `L-uci-1`, which has full attention. How many answers stay legal, and why does the model not
# fall to nothing?

# %% tags=["solution", "hide-cell"]
# The whole history against its last 20 plies, token by token.
from chessgloss.tracking import runs as kept_runs

reader, _ = kept_runs.read_model("L-uci-1")
words_of = ["PAD", "BOS", "EOS", *chess.SQUARE_NAMES]


def first_answer(plies, prompted):
    said = ["BOS", *(part for uci in plies for part in (uci[:2], uci[2:4])), prompted]
    with torch.no_grad():
        heard = reader(torch.tensor([[words_of.index(word) for word in said]]))[0, -1]
    return words_of[int(heard[: len(words_of)].argmax())]


sixty = asked.head(60)
legal_share = {}
for name, first in (("the whole history", 0), ("the last 20 plies", -20)):
    legal_share[name] = float(
        np.mean(
            [
                first_answer(row.prefix.split()[first:], row.prompt) in row.legal.split()
                for row in sixty.itertuples()
            ]
        )
    )
report.sheet("legal answers", legal_share)

# %% tags=["check", "remove-cell"]
report.check(
    "The prompt's square comes last; the answer is the likeliest token of the last place, "
    "legal if it is among the question's squares. Two shares of sixty.",
    legal_share=legal_share,
)
