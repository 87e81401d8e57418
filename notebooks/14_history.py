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
# {glue:md}`long_ago` {glue:text}`lately`
#
# ```{glue:figure} ages
# :name: fig-14-ages
# :alt: One panel a size; the lines of the window fall steeply at pieces that came before it, those of full attention do not.
# Legal answers by how long ago the piece came to its square: full attention (one line a seed), the
# window trained, the window's mask on a model trained without it, and counts. Bars are 95 % intervals.
# ```
#
# Someone who sees the board needs almost no memory to play chess. A model of moves has only the moves,
# so it must look back. {glue:text}`overall`

# %% tags=["parameters", "hide-input"] mystnb={"code_prompt_show": "Parameters: the window and the question"}
profile = "book"
seed = 1
window = 50
question_number = 21  # the first whose piece came more than 24 plies before

# %% tags=["hide-input"] mystnb={"code_prompt_show": "Imports, and the questions"}
from itertools import combinations

import chess
import chess.svg
import matplotlib.pyplot as plt
import numpy as np
import pandas as pd
import torch
from IPython.display import Markdown
from myst_nb import glue
from torch.nn import functional as F
from chessgloss import report
from chessgloss.book import reference
from chessgloss.stats import mean_interval, means_by, paired_difference
from chessgloss.book.profiles import load_sizes
from chessgloss.tracking import probes, results, runs
from chessgloss.tracking.games import read_corpus

sizes = load_sizes("14_history", profile)
report.use_house_style()
questions = probes.read_probes().query("task in @probes.END_TASKS and band == 'long'")
questions = questions.groupby("task", sort=False).head(sizes.instances)
asked = questions[questions["task"] == "end_actual"]

# %% [markdown]
# The paper {cite}`toshniwal2022chess` takes the history away in three ways (its Section 5.3 and
# Table 7): by this window; by two approximations of attention, the Reformer
# {cite}`kitaev2020reformer`, in which a token attends only to those of like hash, and the Performer
# {cite}`choromanski2021rethinking`, which has random features in place of the exponential; and by a
# recurrent network, the LSTM {cite}`hochreiter1997long`, which looks at nothing earlier and carries
# one state along. Ours follow the recipe of chapter 12, with {glue:text}`weights` million parameters,
# and differ in this one part. We trained {glue:text}`n_models` of the {glue:text}`n_rows` models of
# Table 7.
#
# ## A window, step by step
#
# A window is a mask: which earlier tokens each token may attend to.

# %% tags=["hide-input"] mystnb={"code_prompt_show": "Draw the masks", "figure": {"caption": "What a token may attend to: all before it, or the last 50 only. The shares are of all pairs of tokens.", "name": "fig-14-masks"}, "image": {"alt": "Two triangular masks; the windowed one is a narrow band along the diagonal."}}
length = 120
row = torch.arange(length)[:, None]
column = torch.arange(length)[None, :]
full = column <= row  # no token attends to a later one
windowed = full & (column > row - window)
figure, axes = plt.subplots(1, 2, figsize=(6, 2.8), sharey=True)
titles = ("all before", f"the last {window}")
for axis, mask, title in zip(axes, (full, windowed), titles, strict=True):
    axis.imshow(mask, cmap="Blues", vmin=0, vmax=1.4)
    axis.set(title=f"{title}: {mask.float().mean():.0%}", xlabel="attends to token")
    axis.grid(False)
axes[0].set_ylabel("token")
plt.show()

# %% [markdown]
# A question of the last chapter: a game's beginning as tokens, then the square of a piece; the next
# token should say where the piece can go. This is the first question whose piece came to its square
# before the window.

# %%
question = asked.iloc[question_number]
vocabulary = ["PAD", "BOS", "EOS", *chess.SQUARE_NAMES, *"PNBRQK", *"qrbn"]
squares = [
    part for uci in question["prefix"].split() for part in (uci[:2], uci[2:4], uci[4:]) if part
]
prompt = ["BOS", *squares, question["prompt"]]
ids = torch.tensor([[vocabulary.index(token) for token in prompt]])
length = ids.shape[1]
print("(n_games, n_tokens) =", tuple(ids.shape))
print("prompt:", *prompt[:5], "...", *prompt[-5:])

# %% [markdown]
# On the board: coloured are the squares that the window names before the prompt (the cross). A
# piece elsewhere came there earlier, or never moved, or is a rook that castled.


# %% tags=["hide-input"] mystnb={"code_prompt_show": "Draw the question"}
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
# Attention gives the last token a mean of the values of the tokens that it may see, weighed by how
# well their keys fit its query. A mask leaves the others out. Queries, keys and values are those of
# a trained model with the whole history, block by block.

# %%
example = "L-uci-1"
model, _ = runs.read_model(example)
projected = []  # queries, keys and values of each block: (3, n_heads, n_tokens, size)
hooks = [
    block.attention.register_forward_hook(
        lambda module, given, returned: projected.append(given[0])
    )
    for block in model.body.blocks
]
with torch.no_grad():
    model(ids)
for hook in hooks:
    hook.remove()

# %%
row = torch.arange(length)[:, None]
column = torch.arange(length)[None, :]
full = column <= row
windowed = full & (column > row - window)


def attend(query, key, value, mask):
    """Return the means of the values, and the weights: (n_heads, n_tokens, n_tokens)."""
    scores = query @ key.mT / query.shape[-1] ** 0.5
    weights = scores.masked_fill(~mask, -torch.inf).softmax(dim=-1)
    return weights @ value, weights


weights = {title: [] for title in titles}
for vectors in projected:
    for title, mask in zip(titles, (full, windowed), strict=True):
        means, given = attend(*vectors, mask)
        weights[title].append(given[:, -1].mean(dim=0))  # of the last token, over the heads
        theirs = F.scaled_dot_product_attention(*vectors, attn_mask=mask)
        assert torch.allclose(means, theirs, atol=1e-4)
weights = {title: torch.stack(given) for title, given in weights.items()}
before = weights[titles[0]][:, :-window].sum(dim=1)
print("(n_heads, n_tokens, size) =", tuple(projected[0][0].shape))
print(
    "weight of the last token on what came before the window, by block:",
    ", ".join(f"{part:.0%}" for part in before),
)
last_named = [place for place in range(length - 1) if prompt[place] == prompt[-1]][-1:]
for place in last_named:
    print(
        f"{prompt[-1]} was named last as token {place}; weight on it, by block:",
        ", ".join(f"{part:.0%}" for part in weights[titles[0]][:, place]),
    )

# %% tags=["hide-input"] mystnb={"code_prompt_show": "Draw the weights", "figure": {"caption": "The weights of the last token's attention over one prompt, with the whole history and with a window: means over blocks and heads of one trained model. Dotted: where the square of the prompt was named last.", "name": "fig-14-reach"}, "image": {"alt": "Two step lines over the tokens of the prompt; the windowed one is zero before the window."}}
figure, axes = plt.subplots(figsize=(7, 2.4))
for title, given in weights.items():
    axes.step(np.arange(length), given.mean(dim=0), where="mid", label=title)
for place in last_named:
    axes.axvline(place, color="grey", linestyle=":", linewidth=1, zorder=0)
axes.set(xlabel="token of the prompt", ylabel="weight for the last token")
axes.legend()
plt.show()

# %% [markdown]
# The library's model has such a mask in every block. Put the window's in their place, without any
# training, and ask both the same question:


# %%
def narrowed(name):
    """Return the model of a run with the window's mask in every block."""
    model, _ = runs.read_model(name)
    for block in model.body.blocks:
        place = torch.arange(model.settings.context)
        seen = (place[:, None] >= place) & (place > place[:, None] - window)
        block.attention.mask = torch.where(seen, 0.0, -torch.inf)
    return model


legal = question["legal"].split()
for title, asked_model in ((titles[0], model), (titles[1], narrowed(example))):
    with torch.no_grad():
        probability = asked_model(ids)[0, -1].softmax(dim=0)
    on_legal = sum(probability[vocabulary.index(square)].item() for square in legal)
    print(
        f"{title}: answers {vocabulary[int(probability.argmax())]}, "
        f"gives {on_legal:.0%} to legal squares ({', '.join(legal)})"
    )

# %% [markdown]
# This is one question of {glue:text}`n_questions`. And a model that is trained with a window may make
# more of it: through its blocks it can hear of older moves at second hand.
#
# ## Table 7
#
# Ending squares, prefixes of 51 to 100 plies: the questions that chapter 13 explains, a thousand of
# each task. *Counts* are had without a model: where moves went most often in {glue:text}`counted`
# training games, of pieces that left the same square and had come to it from the same one
# (*start, came from*), or of pieces of its type (*start, type*), the second bar. They know nothing
# else of the game. A number beats them if the interval of the difference on the same questions lies
# above zero; what is as played (ExM) has to beat a draw among the legal squares (*random legal*) as
# well. *Beyond type* is what a model has beyond counting by type, in points.

# %% tags=["hide-input"] mystnb={"code_prompt_show": "Score all models and counts"}
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
run_of = chosen["run"].to_dict()
seeds_of = {
    size: results.other_seeds(trained, run)
    for (size, model), run in run_of.items()
    if model == "uci"
}
every = dict.fromkeys(
    [*run_of.values(), *(run for runs_of in seeds_of.values() for run in runs_of)]
)
answered = {run: results.score_run(run, questions) for run in every}

games = read_corpus()
moves = results.list_moves(games.games, games.of("L")[: sizes.counted])
ground = results.score_baselines(moves, questions)
grounds = {name: results.summarise(rows, seed=seed) for name, rows in ground.items()}
second = results.second_of(ground)
scores = {
    key: results.summarise(answered[run], results.ground_of(key[1], ground), second, seed=seed)
    for key, run in run_of.items()
}
by_type = ground["type"]["lgm"].loc[asked.index]
less_type = {
    key: paired_difference(
        answered[run]["lgm"].loc[asked.index], by_type, asked["game"], seed=seed
    ).in_percent()
    for key, run in run_of.items()
}
chance = mean_interval(100 * results.chance_of_exact(asked), asked["game"], seed=seed)

# %% tags=["hide-input"] mystnb={"code_prompt_show": "Lay out Table 7"}
printed = reference.table("state_tracking", "table7")
beyond_type = pd.Series({titles_of[key]: apart for key, apart in less_type.items()})
rows = {titles_of[key]: scores[key] for key in scores}
rows |= {results.BASELINES[name]: table for name, table in grounds.items()}
parts = []
for title, part in results.PROBE_PARTS.items():
    shown = results.probe_table(rows, "end", part, printed)
    if "ExM Acc." in part:
        shown.loc["Random legal"] = [chance, np.nan]
    if not parts:
        shown["beyond type"] = beyond_type.reindex(shown.index)
    parts.append(
        report.table(
            shown,
            digits=1,
            caption=f"Table 7: ending squares, {title}, %. {results.MARKED_TWICE}",
        )
    )
parts[0]

# %% tags=["hide-cell"] mystnb={"code_prompt_show": "The other columns of Table 7: R-precision, and as played"}
report.boards(*parts[1:])

# %% [markdown]
# *GPT2* is the paper's name for full attention; ours is the transformer of chapter 12.
# {glue:text}`above_says` The Performer's printed row at L is left out, for the reason given in
# [chapter 17](17_released_code.ipynb). The paper used libraries for the Reformer and the
# Performer, which mix in local attention; ours are compact layers without it, tested against exact
# attention in the limit.
#
# ## Less than full attention
#
# The same questions, answered by both models; the same games for perplexity. Two models of one seed
# begin alike and read the same games in the same order, but training is a matter of chance as well.
# In these chapters a difference is *clear* if {glue:text}`clear_means`. Of each model but full attention
# there is one training. Where neither beats the counts (†), there is no history whose loss could be
# measured; where one does, a sign says which.

# %% tags=["hide-input"] mystnb={"code_prompt_show": "Compare the models, pair by pair"}
drawn = results.even_draw(games.games, games.of("test")[: sizes.drawn])
even = results.perplexity_of(drawn, seed=seed)
known = {
    run: results.judge_perplexity(results.read_losses(run), drawn, seed=seed) for run in every
}
by_counts = ground["came_from"]


def compare(first, second, rows=asked.index, score="lgm"):
    """Return the answers of the first run less those of the second, in points."""
    pair = [answered[run].loc[rows] for run in (first, second)]
    return results.compare_answers(pair, [by_counts.loc[rows]] * 2, score, seed=seed)


def value_of(compared):
    interval = compared.value
    return interval.difference if hasattr(interval, "difference") else interval


def is_clear(compared, noise):
    """Say whether a difference is more than chance in the questions and in the training."""
    interval = value_of(compared)
    return compared.above and results.is_clear(interval, [interval.value], noise)


rivals = [(model, "uci") for model in names if model != "uci"]
rivals += [("performer", "reformer"), ("performer", "window50"), ("reformer", "window50")]
rivals += [("lstm_rap", "lstm")]
pairs = {
    (size, first, second): (run_of[size, first], run_of[size, second])
    for size in results.SIZES
    for first, second in rivals
    if {(size, first), (size, second)} <= set(run_of)
}
seed_pairs = [
    (later, earlier) for alike in seeds_of.values() for earlier, later in combinations(alike, 2)
]
legal_apart = {key: compare(*pair) for key, pair in pairs.items()}
exact_apart = {key: compare(*pair, score="exm") for key, pair in pairs.items()}
change = {key: results.judge_change(*pair, known, seed=seed) for key, pair in pairs.items()}
by_seed = {
    pair: (
        compare(*pair),
        compare(*pair, score="exm"),
        results.judge_change(*pair, known, seed=seed),
    )
    for pair in seed_pairs
}
noise = [
    max(abs(value_of(each[place]).value) for each in by_seed.values()) for place in range(3)
]


def is_misprint(key):
    """Say whether a pair needs the row that the paper seems to have printed twice."""
    return key[0] == "L" and "performer" in key


def paper_apart(key):
    column = printed["LgM Actual Acc."]
    size, first, second = key
    return column[f"{size} {names[first]}"] - column[f"{size} {names[second]}"]


def star(compared, largest):
    return f"{compared:.1f}" if is_clear(compared, largest) else f"({compared:.1f})"


# %% tags=["hide-input"] mystnb={"code_prompt_show": "Draw the differences", "figure": {"caption": "Legal answers of each model less those of full attention of the same size, in points, with 95 % intervals; open squares are the paper's. The grey band is the largest that another seed alone changed.", "name": "fig-14-lost"}, "image": {"alt": "Points with horizontal intervals around a vertical line at zero, with a narrow grey band."}}
losses = {key: apart for key, apart in legal_apart.items() if key[2] == "uci"}
figure, axes = plt.subplots(figsize=(7, 0.8 + 0.3 * len(losses)))
axes.axvspan(-noise[0], noise[0], color="0.9")
axes.axvline(0, color="grey", linewidth=1)
for place, (key, apart) in enumerate(losses.items()):
    interval = value_of(apart)
    colour = report.PALETTE[results.SIZES.index(key[0])]
    axes.plot([interval.low, interval.high], [-place, -place], color=colour)
    axes.plot(interval.value, -place, "o", color=colour)
    if not is_misprint(key):
        axes.plot(paper_apart(key), -place, "s", color=colour, mfc="none")
axes.set_yticks(
    [-place for place in range(len(losses))],
    [f"{titles_of[key[:2]]} {apart.beaten.value}".rstrip() for key, apart in losses.items()],
)
axes.set(xlabel="legal answers less full attention's, points")
plt.show()

# %% tags=["hide-cell"] mystnb={"code_prompt_show": "All pairs: legal answers, answers as played, perplexity"}
shown = {}
for key in pairs:
    size, first, second = key
    shown[f"{size} {names[first]} less {names[second]}"] = {
        "legal, points": star(legal_apart[key], noise[0]),
        "paper": np.nan if is_misprint(key) else paper_apart(key),
        "as played, points": star(exact_apart[key], noise[1]),
        "perplexity, %": star(change[key], noise[2]),
    }
for (later, earlier), (legal_there, exact_there, change_there) in by_seed.items():
    shown[f"{later} less {earlier}"] = {
        "legal, points": f"{legal_there:.1f}",
        "as played, points": f"{exact_there:.1f}",
        "perplexity, %": f"{change_there:.1f}",
    }
report.table(
    pd.DataFrame(shown).T,
    digits=1,
    caption="End-Actual, and perplexity on the test games. In brackets what is not clear; a star "
    f"marks p < 0.001. {results.COMPARED}",
)

# %% [markdown]
# {glue:text}`losses_say` {glue:text}`perplexity_says` The recipe was chosen for the transformer; the
# others might do better with one of their own.
#
# {glue:text}`rivals_say` {glue:text}`lstm_says`
#
# ## Where the window fails
#
# A window of 50 tokens contains the last {glue:text}`held` plies (two tokens each) and the square that
# is asked about. A piece that came to its square before that has left no trace in the window, unless it
# never moved at all. If the window's model fails for want of history, it fails there. The questions are
# sorted by the plies since the piece came. The models of full attention with the window's mask put on
# them, untrained, are shown beside them, as above; the picture at the top has all.

# %% tags=["hide-input"] mystnb={"code_prompt_show": "Sort the questions, ask the models with the mask"}
held = (window - 1) // 2
bins = [0, held // 2, held, np.inf]
labels = [f"1 to {held // 2}", f"{held // 2 + 1} to {held}", f"more than {held}"]
key_of_age = dict(
    zip((*labels, "never"), ("lately", "between", "long_ago", "never_moved"), strict=True)
)
since = pd.cut(asked.apply(plies_since, axis=1), bins, labels=labels)
since = since.cat.add_categories("never").fillna("never").astype(str)
ages_there = [age for age in key_of_age if (since == age).sum() > 1]
at_age = {age: asked.index[since == age] for age in ages_there}


def by_age(rows):
    rows = rows.loc[asked.index].assign(since=since)
    shares = means_by(rows, "since", "lgm", cluster="game", seed=seed)[ages_there]
    return shares.map(lambda share: share.in_percent())


of_age = {run: by_age(answered[run]) for run in every}
counted_of_age = by_age(by_counts)
untrained = {}
for (size, model), run in run_of.items():
    if model == "uci" and run in runs.trained_checkpoints():
        replies = probes.predict(narrowed(run), asked, "uci")
        untrained[size] = by_age(probes.score_answers(asked, replies))

# %% tags=["hide-input"] mystnb={"code_prompt_show": "The picture at the top"}
windowed_sizes = [
    size for size, model in run_of if model == "window50" and (size, "uci") in run_of
]
moved = [age for age in labels if age in ages_there]
figure, panels = plt.subplots(
    1, len(windowed_sizes), figsize=(3.4 * len(windowed_sizes), 3.2), sharey=True, squeeze=False
)


def draw(axes, intervals, style, label=None, bars=True, **how):
    middle = np.array([intervals[age].value for age in moved])
    ends = np.array([(intervals[age].low, intervals[age].high) for age in moved]).T
    reach = np.abs(ends - middle) if bars else None
    axes.errorbar(range(len(moved)), middle, reach, fmt=style, label=label, capsize=3, **how)


for axes, size in zip(panels[0], windowed_sizes, strict=True):
    for place, run in enumerate(seeds_of[size]):
        label = None if place else "the whole history"
        draw(axes, of_age[run], "o-", label, bars=not place, color=report.PALETTE[0])
    last = f"the last {window} tokens"
    draw(axes, of_age[run_of[size, "window50"]], "s--", last, color=report.PALETTE[1])
    if size in untrained:
        draw(axes, untrained[size], "^-.", "the same, untrained", color=report.PALETTE[2])
    draw(axes, counted_of_age, ":", "counts", bars=False, color="grey")
    axes.set(title=size, xlabel="plies since the piece came", xticks=range(len(moved)))
    axes.set_xticklabels(
        [age.replace("more than ", "> ").replace(" to ", "-") for age in moved]
    )
panels[0, 0].set(ylabel="legal answers, %", ylim=(0, 100))
shown_lines = {}  # one entry a label, whichever panel has it
for axes in panels[0]:
    for handle, name in zip(*axes.get_legend_handles_labels(), strict=True):
        shown_lines.setdefault(name, handle)
panels[0, -1].legend(
    shown_lines.values(), shown_lines.keys(), loc="upper left", bbox_to_anchor=(1, 1)
)
glue("ages", figure, display=False)
plt.close(figure)

# %% [markdown]
# The same questions, both models. The parts are too small to say of each whether a model beats
# counting in it, so the signs are those of all questions.

# %% tags=["hide-input"] mystnb={"code_prompt_show": "Compare the models, age by age"}
against = [
    (run, full_run)
    for (size, model), run in run_of.items()
    if model != "uci" and size in seeds_of
    for full_run in (seeds_of[size] if model == "window50" else seeds_of[size][:1])
]
sign_of = {pair: compare(*pair).beaten for pair in (*against, *seed_pairs)}


def by_age_apart(pair):
    """Return the difference of two runs by age, each with the sign that it has on all questions."""
    return {
        age: results.Compared(compare(*pair, at_age[age]).value, sign_of[pair])
        for age in ages_there
    }


lost = {pair: by_age_apart(pair) for pair in against}
chance_of_age = {pair: by_age_apart(pair) for pair in seed_pairs}
noise_of_age = {
    age: max(abs(value_of(each[age]).value) for each in chance_of_age.values())
    for age in ages_there
}
in_short = {
    f"{size} {names['window50']}": lost[run_of[size, "window50"], run_of[size, "uci"]]
    for size in windowed_sizes
}
in_short["another\N{NO-BREAK SPACE}seed, at\N{NO-BREAK SPACE}most"] = {
    age: f"{largest:.1f}" for age, largest in noise_of_age.items()
}
in_short["questions"] = {age: f"{len(at_age[age])}" for age in ages_there}
report.table(
    pd.DataFrame(in_short).T[ages_there],
    digits=1,
    caption="Legal answers of the window less full attention's, points, by plies since the piece "
    f"came. A star marks p < 0.001. {results.COMPARED}",
)

# %% [markdown]
# {glue:text}`all_seeds` {glue:text}`untrained_says` {glue:text}`others_say`
#
# ## What has come since
#
# The paper hoped that its task would be used to judge more efficient architectures. It has been, in
# other forms. Walker and Lyons {cite}`walker2026chess` train on ten million games of people and ask
# for the whole board after the moves. Linear recurrent networks, whose state is multiplied at each
# token by a matrix that the token decides, beat a transformer clearly at 3 and 8 million parameters;
# above 18 million, only random games tell the models apart. No figure of ours can be compared with
# theirs: the question is another one, and an LSTM is not a network of that kind. Nearest to it is
# chapter 16, which reads whole boards from the inner states.
#
# Harang and others {cite}`harang2025tracking` judge a state by what can be done in it: they compare
# the legal moves of the predicted position with those of the actual one. Nearest to it, a piece at a
# time, is the R-precision of Table 7, which asks for all squares where the piece can go and not for
# one.
#
# ## Recap
#
# - What a window loses, by when the piece came: {glue:text}`recap_ages`
# - More often legal than counts ({glue:text}`count` %), of the {glue:text}`n_models` models on file:
#   {glue:text}`above`. Above counting by type, too: {glue:text}`above_type`. An even draw among the legal moves has a perplexity of {glue:text}`even`;
#   better than that: {glue:text}`foresee`.
# - Clear differences from full attention in legal answers, in points: {glue:text}`told`. Another
#   seed alone changed up to {glue:text}`noise_legal`.
# - {glue:text}`missing`
#
# {glue:text}`story`

# %% tags=["hide-input"] mystnb={"code_prompt_show": "What the numbers allow to say"}
long = ("end_actual", "long")
above = [key for key, table in scores.items() if table.loc[long, "lgm"].above]
below = [key for key in scores if key not in above]
foresee = [key for key, run in run_of.items() if known[run].above]
of_table4 = reference.table("state_tracking", "table4").index
on_file4 = results.headline(trained, results.NOTATION_ROWS)["title"]
not_trained = {*printed.index, *of_table4} - {*titles_of.values(), *on_file4}
report.paste(
    n_questions=f"{len(questions):,}",
    n_models=len(scores),
    n_rows=len(printed),
    counted=f"{sizes.counted:,}",
    count=f"{grounds['came_from'].loc[long, 'lgm'].value:.1f}",
    even=f"{even.value:.1f}",
    held=held,
    noise_legal=f"{noise[0]:.1f} points",
    clear_means=results.CLEAR,
    missing=(
        f"Rows of Tables 4 and 7 without a training: {results.enumerate_names(sorted(not_trained))}."
    ),
    above_type=results.enumerate_names(
        titles_of[key] for key in above if scores[key].loc[long, "lgm"].above_second
    ),
    above=results.enumerate_names(titles_of[key] for key in above),
    foresee=results.enumerate_names(titles_of[key] for key in foresee),
)
weak = results.enumerate_names(titles_of[key] for key in below)
held_up = all((size, "uci") in above for size, _ in below)
report.paste(
    above_says=(
        f"Not more often legal than counts: {weak}"
        + ("; full attention on the same games is." if held_up else ".")
        if below
        else "All that are on file name a legal square more often than counts do."
    )
)


def points(compared):
    return f"{value_of(compared).value:+.1f}"


told = {key: apart for key, apart in losses.items() if is_clear(apart, noise[0])}
unclear = [key for key in losses if key not in told]
worse = [
    key for key in losses if is_clear(change[key], noise[2]) and value_of(change[key]).low > 0
]
fewer = [key for key, apart in told.items() if value_of(apart).high < 0]
in_prose = {
    "window50": "the window",
    "reformer": "the Reformer",
    "performer": "the Performer",
    "lstm": "the LSTM",
    "lstm_rap": "the LSTM with types",
}


def list_titles(keys):
    return results.enumerate_names(titles_of[key[:2]] for key in keys)


report.paste(
    told=results.enumerate_names(
        f"{titles_of[key[:2]]} ({points(apart)})" for key, apart in told.items()
    ),
    losses_say=f"Clearly fewer legal answers than full attention: {list_titles(fewer)}."
    + (f" No clear difference: {list_titles(unclear)}." if unclear else ""),
    perplexity_says=(
        "All have a higher perplexity than full attention, by more than another seed makes."
        if len(worse) == len(losses)
        else f"Clearly higher perplexity: {list_titles(worse)}."
    ),
)


def word_of(compared, noise, words):
    """Return what a difference is called: less, more, or not clear."""
    if not is_clear(compared, noise):
        return words[2]
    return words[value_of(compared).value > 0]


said = []
for key in pairs:
    size, first, second = key
    if second in ("uci", "lstm") or is_misprint(key):
        continue
    legal_word = word_of(legal_apart[key], noise[0], ("fewer", "more", ""))
    costs = word_of(change[key], noise[2], ("a lower", "a higher", "about the same"))
    answers = (
        f"gives {legal_word} legal answers than {in_prose[second]}"
        if legal_word
        else f"cannot be told from {in_prose[second]} by legal answers"
    )
    said.append(f"at {size} {in_prose[first]} {answers}, and has {costs} perplexity")
report.paste(
    rivals_say=(
        "The paper found the Performer better than the Reformer on M and L, and neither better "
        f"than the window but for the Performer on M. Here {'; '.join(said)}."
        if said
        else ""
    )
)
typed = {key: apart for key, apart in legal_apart.items() if key[1:] == ("lstm_rap", "lstm")}
typed_says = results.enumerate_names(
    f"{points(apart)} points at {size}" + ("" if is_clear(apart, noise[0]) else " (not clear)")
    for (size, _, _), apart in typed.items()
)
report.paste(
    lstm_says=(
        "Types in training (RAP), with which the paper's LSTM gives more legal answers on M and "
        f"not on S and L, change those of ours by {typed_says}."
    )
)

strongest = max(
    windowed_sizes, key=lambda size: scores[size, "uci"].loc[long, "lgm"].value.value
)
of_strongest = (run_of[strongest, "window50"], run_of[strongest, "uci"])
latest, oldest = labels[0], labels[-1]


def shares(age):
    narrow, whole = (of_age[run][age].value for run in of_strongest)
    return f"{whole:.0f} % with the whole history, {narrow:.0f} % with the window"


def age_sentence(age, what, lead):
    """Say of a kind of pieces what the window does to them, if it can be said."""
    if age not in ages_there:
        return ""
    apart = lost[of_strongest][age]
    interval = value_of(apart)
    clear = is_clear(apart, noise_of_age[age])
    if not apart.above:
        return f"What a window does to {what} cannot be told: neither model beats counts."
    if clear and interval.value < 0:
        narrow, whole = (of_age[run][age].value for run in of_strongest)
        return (
            f"**{whole:.0f} against {narrow:.0f} %.** {lead} {what} is often lost: asked where it can go, a "
            f"model names a legal square in {whole:.0f} % of the games with the whole history, in "
            f"{narrow:.0f} % with the window ({strongest})."
        )
    if clear:
        return f"{lead} {what} is answered better: {shares(age)} ({strongest})."
    return f"For {what} the window makes no clear difference: {shares(age)} ({strongest})."


differences = [lost[of_strongest].get(age) for age in (oldest, latest)]
told_apart = [
    each is not None and is_clear(each, noise_of_age[age])
    for each, age in zip(differences, (oldest, latest), strict=True)
]
report.paste(
    story=(
        "What a model knows of a piece, it has from the move that brought it there: with that move "
        "out of its sight, the piece is often lost."
        if told_apart == [True, False] and value_of(differences[0]).value < 0
        else ""
    ),
    long_ago=Markdown(
        age_sentence(
            oldest,
            f"a piece that came to its square more than {held} plies ago",
            f"With a window of the last {window} tokens,",
        )
    ),
    lately=age_sentence(
        latest, f"a piece that came in the last {held // 2} plies", "With the window,"
    ),
)
against_seeds = []
for size in windowed_sizes:
    differences = [lost[run_of[size, "window50"], run].get(oldest) for run in seeds_of[size]]
    values = sorted(-value_of(each).value for each in differences if each is not None)
    if len(values) > 1 and all(is_clear(each, noise_of_age[oldest]) for each in differences):
        against_seeds.append(
            f"{values[0]:.0f} to {values[-1]:.0f} points at {size} ({len(values)} seeds)"
        )
elsewhere = {
    key: lost[run_of[key[:2]], run_of[key[0], "uci"]].get(oldest)
    for key in losses
    if key[1] != "window50"
}
kept = [
    titles_of[key[:2]]
    for key, apart in elsewhere.items()
    if apart is not None and not is_clear(apart, noise_of_age[oldest])
]
lately_too = [
    titles_of[key[:2]]
    for key, apart in elsewhere.items()
    if apart is not None
    and is_clear(lost[run_of[key[:2]], run_of[key[0], "uci"]][latest], noise_of_age[latest])
]
report.paste(
    all_seeds=(
        f"Of pieces that came more than {held} plies ago, the window gives fewer legal answers "
        f"than every seed of full attention, by {results.enumerate_names(against_seeds)}."
        if against_seeds
        else ""
    ),
    untrained_says=(
        "The mask on a model that was trained without it leaves "
        + results.enumerate_names(
            f"{each[oldest].value:.0f} % of them at {size}" for size, each in untrained.items()
        )
        + ": what a trained window has beyond that, it has learned to hear at second hand, or to "
        "guess."
        if oldest in ages_there
        else ""
    ),
    others_say=" ".join(
        [
            *([f"No clear loss there: {results.enumerate_names(kept)}."] if kept else []),
            *(
                [
                    f"A clear loss of pieces that came lately, so that a short memory is not all: "
                    f"{results.enumerate_names(lately_too)}."
                ]
                if lately_too
                else []
            ),
        ]
    ),
    recap_ages="; ".join(
        f"{age} plies, {points(each)} points"
        for age, each in lost[of_strongest].items()
        if age != "never"
    )
    + f" ({strongest}).",
)

costly = {}
for key in fewer:
    costly.setdefault(key[1], []).append(f"{abs(value_of(losses[key]).value):.1f} at {key[0]}")
report.paste(
    weights=f"{chosen['parameters'].min() / 1e6:.1f} to {chosen['parameters'].max() / 1e6:.1f}",
    overall=(
        "Over all questions, legal answers fall by "
        + "; ".join(
            f"{results.enumerate_names(values)} with {in_prose[model]}"
            for model, values in costly.items()
        )
        + f" (points; another seed alone changes up to {noise[0]:.1f})."
        if costly
        else "Over all questions no loss can be told from chance."
    ),
)

# %% tags=["hide-input"] mystnb={"code_prompt_show": "Results kept in book/results"}
cells = {
    (cell.row, cell.column): cell
    for cell in reference.load("state_tracking")
    if cell.table == "table7" and "contradiction" not in cell.flag
}
columns = {
    (f"end_{task}", score): column
    for part in results.PROBE_PARTS.values()
    for column, (task, score) in part.items()
}
values = {}
published = {}
for key, table in scores.items():
    if key[1] == "uci":  # chapter 13 keeps these
        continue
    for (task, _), row in table.iterrows():
        for score, judged in row.dropna().items():
            values[task, score, *key] = judged.value
            cell = cells.get((titles_of[key], columns.get((task, score))))
            if cell is not None:
                published[task, score, *key] = cell


def label(run):
    return run.replace("-", "_")


report.save(
    "14_history",
    report.rows(len(chosen), "table7.rows", unit="models"),
    report.rows(len(not_trained), "tracking.not_trained", unit="rows of Tables 4 and 7"),
    report.rows(less_type, "less_type.end_actual", unit="points"),
    report.rows(
        report.Result(len(above) / len(scores), n=len(scores), unit="share of its rows"),
        "table7.above_counting",
    ),
    report.rows(
        {
            size: {
                "perplexity": value_of(change[size, "window50", "uci"]),
                "end_actual.lgm": value_of(legal_apart[size, "window50", "uci"]),
                **{
                    f"lgm.{model}": scores[size, model].loc[long, "lgm"].value
                    for model in ("uci", "window50")
                },
            }
            for size in windowed_sizes
        },
        "window50",
        unit="difference of two models, or per cent",
    ),
    report.rows(
        {key_of_age[age]: value_of(each) for age, each in lost[of_strongest].items()}
        | {
            (size, key_of_age[age]): value_of(each)
            for size in windowed_sizes
            for age, each in lost[run_of[size, "window50"], run_of[size, "uci"]].items()
        },
        "history.window",
        unit="points",
    ),
    report.rows(
        {
            (size, label(run), key_of_age[age]): value_of(each)
            for size in windowed_sizes
            for run in seeds_of[size]
            for age, each in lost[run_of[size, "window50"], run].items()
        },
        "history.against",
        unit="points",
    ),
    report.rows(
        {
            (*key, key_of_age[age]): of_age[run][age]
            for key, run in run_of.items()
            for age in ages_there
        },
        "history.lgm",
        unit="%",
    ),
    report.rows(
        {
            (size, key_of_age[age]): each[age]
            for size, each in untrained.items()
            for age in ages_there
        },
        "history.untrained",
        unit="%",
    ),
    *(
        report.rows(
            {tuple(map(label, pair)): value_of(each[place]) for pair, each in by_seed.items()}
            | {"largest": noise[place]},
            f"other_seed.{score}",
            unit=unit,
        )
        for place, (score, unit) in enumerate(
            {"lgm": "points", "exm": "points", "perplexity": "% of the other's"}.items()
        )
    ),
    report.rows(
        {key_of_age[age]: largest for age, largest in noise_of_age.items()},
        "other_seed.largest",
        unit="points",
    ),
    report.rows(even, "baseline.uniform_legal.perplexity", unit="perplexity a move"),
    *(
        report.rows(
            report.Result(len(rows), n=len(chosen), unit="models of Table 7"),
            f"baseline.{name}.beaten",
        )
        for name, rows in (("uniform_legal", foresee), ("counts", above))
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
        {key: known[run].value for key, run in run_of.items() if key[1] != "uci"},
        "perplexity",
        unit="perplexity a move",
    ),
    report.rows(
        {key[:2]: value_of(each) for key, each in change.items() if key[2] == "uci"},
        "perplexity_change",
        unit="% of full attention's",
    ),
    report.rows(
        {key[:2]: value_of(each) for key, each in losses.items()},
        "less_history",
        unit="points",
    ),
    report.rows(
        {key: value_of(each) for key, each in legal_apart.items() if key[2] != "uci"},
        "pair.lgm",
        unit="points",
    ),
    report.rows(
        {key: value_of(each) for key, each in change.items() if key[2] != "uci"},
        "pair.perplexity",
        unit="% of the other's",
    ),
    report.rows(
        {size: value_of(each) for (size, _, _), each in typed.items()},
        "lstm_rap_gain",
        unit="points",
    ),
)

report.evidence(
    len(questions),
    "questions",
    seed,
    clusters=questions["game"].nunique(),
    interval="95 % bootstrap over games",
    versions={"models": f"{len(every)} runs"},
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
