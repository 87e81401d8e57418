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


# %%
def masks(length):
    """Which tokens (columns) each token (rows) may attend to: all before, or the last ones."""
    row = torch.arange(length)[:, None]
    column = torch.arange(length)[None, :]
    full = column <= row  # no token attends to a later one
    return {"all before": full, f"the last {window}": full & (column > row - window)}


# %% tags=["hide-input"] mystnb={"code_prompt_show": "Draw the masks", "figure": {"caption": "What a token may attend to; the shares are of all pairs of tokens.", "name": "fig-14-masks"}, "image": {"alt": "Two triangular masks; the windowed one is a narrow band along the diagonal."}}
figure, panels = plt.subplots(1, 2, figsize=(4.2, 2), sharey=True)
for axes, (title, mask) in zip(panels, masks(120).items(), strict=True):
    axes.imshow(mask, cmap="Blues", vmin=0, vmax=1.4)
    axes.set(title=f"{title}: {mask.float().mean():.0%}", xlabel="attends to token")
    axes.grid(False)
panels[0].set_ylabel("token")
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
# When did the piece on that square come there? It may never have moved, or be a rook that castled.


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


print(f"plies since the piece on {prompt[-1]} came there:", plies_since(question))

# %% tags=["hide-cell"] mystnb={"code_prompt_show": "The question on the board: coloured are the squares that the window names before the prompt (the cross)"}
named = {
    chess.parse_square(token) for token in prompt[-window:-1] if token in chess.SQUARE_NAMES
}
drawing = chess.svg.board(
    chess.Board(question["fen"]),
    size=300,
    fill=dict.fromkeys(named, "#56B4E980"),
    squares=[chess.parse_square(prompt[-1])],
)
report.Html(drawing, question["fen"])

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
def attend(query, key, value, mask):
    """Return the means of the values, and the weights: (n_heads, n_tokens, n_tokens)."""
    scores = query @ key.mT / query.shape[-1] ** 0.5
    weights = scores.masked_fill(~mask, -torch.inf).softmax(dim=-1)
    return weights @ value, weights


of_last = {}  # weights of the last token, by block, in the mean over the heads
for title, mask in masks(length).items():
    attended = [attend(*vectors, mask) for vectors in projected]
    of_last[title] = torch.stack([weights[:, -1].mean(dim=0) for _, weights in attended])
    theirs = F.scaled_dot_product_attention(*projected[0], attn_mask=mask)
    assert torch.allclose(attended[0][0], theirs, atol=1e-4)

everything, narrow = of_last
place = max(at for at in range(length - 1) if prompt[at] == prompt[-1])
for said, part in {
    "what came before the window": of_last[everything][:, :-window].sum(dim=1),
    f"token {place}, where {prompt[-1]} was named last": of_last[everything][:, place],
}.items():
    print(f"weight on {said}, by block:", ", ".join(f"{share:.0%}" for share in part))

# %% tags=["hide-input"] mystnb={"code_prompt_show": "Draw the weights", "figure": {"caption": "Weights of the last token's attention, in the mean over blocks and heads. Dotted: where the square of the prompt was named last.", "name": "fig-14-reach"}, "image": {"alt": "Two step lines over the tokens of the prompt; the windowed one is zero before the window."}}
weights = pd.DataFrame({title: blocks.mean(dim=0) for title, blocks in of_last.items()})
axes = weights.plot(drawstyle="steps-mid", figsize=(7, 1.7), xlabel="token of the prompt")
axes.axvline(place, color="grey", linestyle=":", linewidth=1, zorder=0)
axes.set(ylabel="weight for the last token")
plt.show()

# %% [markdown]
# The library's model has such a mask in every block. Put the window's in their place, without any
# training, and ask both the same question:


# %%
def narrowed(name):
    """Return the model of a run with the window's mask in every block."""
    model, _ = runs.read_model(name)
    for block in model.body.blocks:
        seen = masks(model.settings.context)[narrow]
        block.attention.mask = torch.where(seen, 0.0, -torch.inf)
    return model


legal = question["legal"].split()
for title, asked_model in ((everything, model), (narrow, narrowed(example))):
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
# (*start, came from*), or of pieces of its type (*start, type*), the second bar. A number beats them if the interval of the difference on the same questions lies
# above zero; what is as played (ExM) has to beat a draw among the legal squares (*random legal*) as
# well. *Beyond type* is what a model has beyond counting by type, in points.

# %%
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
run_of = chosen["run"].to_dict()
seeds_of = {size: results.other_seeds(trained, run_of[size, "uci"]) for size in results.SIZES}
every = {*run_of.values(), *(run for runs_of in seeds_of.values() for run in runs_of)}
answered = {run: results.score_run(run, questions) for run in sorted(every)}

games = read_corpus()
moves = results.list_moves(games.games, games.of("L")[: sizes.counted])
ground = results.score_baselines(moves, questions)
by_counts = ground["came_from"]
second = results.second_of(ground)
scores = {
    key: results.summarise(answered[run], by_counts, second, seed=seed)
    for key, run in run_of.items()
}

# %% tags=["hide-input"] mystnb={"code_prompt_show": "Lay out Table 7"}
grounds = {name: results.summarise(rows, seed=seed) for name, rows in ground.items()}
by_type = ground["type"]["lgm"].loc[asked.index]
less_type = {
    key: paired_difference(
        answered[run]["lgm"].loc[asked.index], by_type, asked["game"], seed=seed
    ).in_percent()
    for key, run in run_of.items()
}
printed = reference.table("state_tracking", "table7")
printed.loc["L Performer"] = np.nan  # seems to have been printed twice: chapter 17
titles = chosen["title"].to_dict()
rows = {titles[key]: table for key, table in scores.items()}
rows |= {results.BASELINES[name]: table for name, table in grounds.items()}
shown = [
    results.probe_table(rows, "end", part, printed) for part in results.PROBE_PARTS.values()
]
beyond = pd.Series({titles[key]: apart for key, apart in less_type.items()}, dtype=object)
shown[0]["beyond type"] = beyond.reindex(shown[0].index)
chance = mean_interval(100 * results.chance_of_exact(asked), asked["game"], seed=seed)
shown[-1].loc["Random legal"] = [chance, np.nan]
parts = [
    report.table(
        table,
        digits=1,
        caption=f"Table 7: ending squares, {title}, %. {results.MARKED_TWICE}",
    )
    for title, table in zip(results.PROBE_PARTS, shown, strict=True)
]
parts[0]

# %% tags=["hide-cell"] mystnb={"code_prompt_show": "The other columns of Table 7: R-precision, and as played"}
report.boards(*parts[1:])

# %% [markdown]
# *GPT2* is the paper's name for full attention; ours is the transformer of chapter 12.
# {glue:text}`n_below` of the {glue:text}`n_models` models are not more often legal than counts by square
# (†). The Performer's printed row at L is left out, for the reason given in
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

# %%
drawn = results.even_draw(games.games, games.of("test")[: sizes.drawn])
known = {
    run: results.judge_perplexity(results.read_losses(run), drawn, seed=seed)
    for run in answered
}


def compare(first, second, rows=asked.index):
    """The first run's legal answers less the second's, in points, and who beats the counts."""
    pair = [answered[run].loc[rows] for run in (first, second)]
    apart = results.compare_answers(pair, [by_counts.loc[rows]] * 2, seed=seed)
    return results.Compared(apart.value.difference, apart.beaten)


def is_clear(compared, noise):
    """Whether a difference is more than chance in the questions and in the training."""
    return compared.above and results.is_clear(compared.value, [compared.value.value], noise)


# %% tags=["hide-cell"] mystnb={"code_prompt_show": "All pairs of models and of seeds: legal answers and perplexity"}
def largest(compared):
    return max(abs(each.value.value) for each in compared)


rivals = [(model, "uci") for model in names if model != "uci"]
rivals += [("performer", "reformer"), ("performer", "window50"), ("reformer", "window50")]
rivals += [("lstm_rap", "lstm")]
pairs = {
    (size, *models): [run_of[size, model] for model in models]
    for size in results.SIZES
    for models in rivals
}
apart = {key: compare(*pair) for key, pair in pairs.items()}
change = {key: results.judge_change(*pair, known, seed=seed) for key, pair in pairs.items()}
seed_pairs = [
    (later, earlier) for alike in seeds_of.values() for earlier, later in combinations(alike, 2)
]
seeds_apart = {pair: compare(*pair) for pair in seed_pairs}
seeds_change = {pair: results.judge_change(*pair, known, seed=seed) for pair in seed_pairs}
noise = largest(seeds_apart.values())
noise_change = largest(seeds_change.values())
legal_printed = printed["LgM Actual Acc."]


def paper_apart(size, first, second):
    return legal_printed[f"{size} {names[first]}"] - legal_printed[f"{size} {names[second]}"]


def star(compared, noise):
    """A difference as text, in brackets if it is not clear."""
    return f"{compared:.1f}" if is_clear(compared, noise) else f"({compared:.1f})"


every_pair = pd.DataFrame(
    {
        f"{size} {names[first]} less {names[second]}": {
            "legal, points": star(apart[size, first, second], noise),
            "paper": paper_apart(size, first, second),
            "perplexity, %": star(change[size, first, second], noise_change),
        }
        for size, first, second in pairs
    }
).T
for later, earlier in seed_pairs:
    there = seeds_apart[later, earlier], "", seeds_change[later, earlier]
    every_pair.loc[f"{later} less {earlier}"] = there
report.table(
    every_pair,
    digits=1,
    caption="End-Actual, and perplexity on the test games. In brackets what is not clear. "
    + results.COMPARED,
)

# %% tags=["hide-input"] mystnb={"code_prompt_show": "Draw the differences", "figure": {"caption": "Legal answers of each model less those of full attention of the same size, in points, with 95 % intervals; open squares are the paper's. The grey band is the largest that another seed alone changed.", "name": "fig-14-lost"}, "image": {"alt": "Points with horizontal intervals around a vertical line at zero, with a narrow grey band."}}
losses = {key: compared for key, compared in apart.items() if key[2] == "uci"}
figure, axes = plt.subplots(figsize=(7, 0.6 + 0.23 * len(losses)))
axes.axvspan(-noise, noise, color="0.9")
axes.axvline(0, color="grey", linewidth=1)
labels = [f"{titles[key[:2]]} {each.beaten.value}".rstrip() for key, each in losses.items()]
for label, (key, compared) in zip(labels, losses.items(), strict=True):
    colour = report.PALETTE[results.SIZES.index(key[0])]
    axes.plot([compared.value.low, compared.value.high], [label, label], color=colour)
    axes.plot(compared.value.value, label, "o", color=colour)
    axes.plot(paper_apart(*key), label, "s", color=colour, mfc="none")
axes.invert_yaxis()
axes.set(xlabel="legal answers less full attention's, points")
plt.show()


# %% [markdown]
# {glue:text}`n_fewer` of these {glue:text}`n_losses` models give clearly fewer legal answers than full
# attention (not: {glue:text}`unclear`), and {glue:text}`n_worse` have a clearly higher perplexity. The
# recipe was chosen for the transformer; the others might do better with one of their own.
#
# The paper found the Performer better than the Reformer on M and L, and neither better than the window
# but for the Performer on M. Here, on S, M and L, the Performer gives {glue:text}`performer_reformer`
# points more legal answers than the Reformer, and {glue:text}`performer_window` more than the window; in
# brackets what is not clear. With types in training (RAP), by which the paper's LSTM gains on M and not on
# S and L, ours gains {glue:text}`lstm_rap`.
#
# ## Where the window fails
#
# A window of 50 tokens contains the last {glue:text}`held` plies (two tokens each) and the square that
# is asked about. A piece that came to its square before that has left no trace in the window, unless it
# never moved at all. If the window's model fails for want of history, it fails there. The questions are
# sorted by the plies since the piece came, and asked, too, of the models of full attention with the
# window's mask put on them, untrained, as above; the picture at the top has all.

# %%
held = (window - 1) // 2
ages = {
    "lately": f"1 to {held // 2}",
    "between": f"{held // 2 + 1} to {held}",
    "long_ago": f"more than {held}",
    "never_moved": "never",
}
moved = [*ages][:-1]
age = pd.cut(asked.apply(plies_since, axis=1), [0, held // 2, held, np.inf], labels=moved)
age = age.astype(object).fillna("never_moved")
at_age = {name: asked.index[age == name] for name in ages}


def by_age(rows):
    """Share of legal answers by when the piece came, per cent."""
    shares = means_by(
        rows.loc[asked.index].assign(age=age), "age", "lgm", cluster="game", seed=seed
    )
    return shares.map(lambda share: share.in_percent())


of_age = {run: by_age(rows) for run, rows in answered.items()}
untrained = {
    size: by_age(
        probes.score_answers(asked, probes.predict(narrowed(run_of[size, "uci"]), asked, "uci"))
    )
    for size in results.SIZES
    if run_of[size, "uci"] in runs.trained_checkpoints()
}


# %% tags=["hide-input"] mystnb={"code_prompt_show": "The picture at the top"}
def draw(axes, shares, style, bars=True, **how):
    middle, low, high = np.array(
        [(each.value, each.low, each.high) for each in shares[moved]]
    ).T
    reach = [middle - low, high - middle] if bars else None
    axes.errorbar(range(len(moved)), middle, reach, fmt=style, capsize=3, **how)


figure, panels = plt.subplots(1, len(results.SIZES), figsize=(10.2, 3.2), sharey=True)
for axes, size in zip(panels, results.SIZES, strict=True):
    for place, run in enumerate(seeds_of[size]):
        label = None if place else "the whole history"
        draw(axes, of_age[run], "o-", not place, label=label, color=report.PALETTE[0])
    window_run = run_of[size, "window50"]
    draw(axes, of_age[window_run], "s--", label=narrow + " tokens", color=report.PALETTE[1])
    if size in untrained:
        look = {"label": "the same, untrained", "color": report.PALETTE[2]}
        draw(axes, untrained[size], "^-.", **look)
    draw(axes, by_age(by_counts), ":", False, label="counts", color="grey")
    axes.set(title=size, xlabel="plies since the piece came", xticks=range(len(moved)))
    axes.set_xticklabels([f"1-{held // 2}", f"{held // 2 + 1}-{held}", f"> {held}"])
panels[0].set(ylabel="legal answers, %", ylim=(0, 100))
panels[-1].legend(loc="upper left", bbox_to_anchor=(1, 1))
glue("ages", figure, display=False)
plt.close(figure)

# %% [markdown]
# The same questions, both models. The parts are too small to say of each whether a model beats
# counting in it, so the signs are those of all questions.


# %%
def compare_by_age(first, second):
    """Differences by age, each with the sign that it has on all questions."""
    sign = compare(first, second).beaten
    return {
        name: results.Compared(compare(first, second, rows).value, sign)
        for name, rows in at_age.items()
    }


lost = {
    (size, run): compare_by_age(run_of[size, "window50"], run)
    for size, runs_of in seeds_of.items()
    for run in runs_of
}
by_chance = [compare_by_age(*pair) for pair in seed_pairs]
noise_of = {name: largest(each[name] for each in by_chance) for name in ages}

# %% tags=["hide-input"] mystnb={"code_prompt_show": "The window less full attention, age by age"}
in_short = {f"{size} {names['window50']}": lost[size, run_of[size, "uci"]] for size in seeds_of}
in_short["another\N{NO-BREAK SPACE}seed, at\N{NO-BREAK SPACE}most"] = noise_of
in_short["questions"] = {name: rows.size for name, rows in at_age.items()}
report.table(
    pd.DataFrame(in_short, dtype=object).T.rename(columns=ages),
    digits=1,
    caption="Legal answers of the window less full attention's, points, by plies since the piece "
    f"came. {results.COMPARED}",
)

# %% [markdown]
# {glue:text}`all_seeds` {glue:text}`untrained_says`
#
# ## What has come since
#
# The paper hoped that its task would be used to judge more efficient architectures. It has been, in
# other forms. Walker and Lyons {cite}`walker2026chess` train on ten million games of people and ask
# for the whole board after the moves. Linear recurrent networks, whose state is multiplied at each
# token by a matrix that the token decides, beat a transformer clearly at 3 and 8 million parameters;
# above 18 million, only random games tell the models apart. That is another question than ours; nearest
# to it is chapter 16. Harang and others {cite}`harang2025tracking` judge a state by what can be done in
# it: they compare the legal moves of the predicted position with those of the actual one. Nearest to
# that, a piece at a time, is the R-precision of Table 7.
#
# ## Recap
#
# - What a window loses, by when the piece came, in points: {glue:text}`recap_ages`
# - More often legal than counts by square ({glue:text}`count` %): {glue:text}`n_above` of the
#   {glue:text}`n_models` models; than counts by type, too: {glue:text}`above_type`. An even draw among the
#   legal moves has a perplexity of {glue:text}`even`; {glue:text}`n_foresee` are better than that.
# - Clearly fewer legal answers than full attention: {glue:text}`n_fewer` of {glue:text}`n_losses`. Another
#   seed alone changed up to {glue:text}`noise_legal` points.
# - Rows of Tables 4 and 7 without a training: {glue:text}`missing`.
#
# {glue:text}`story`

# %% tags=["hide-input"] mystnb={"code_prompt_show": "What the numbers allow to say"}
long = ("end_actual", "long")
legal_of = {key: table.loc[long, "lgm"] for key, table in scores.items()}
above = [key for key, judged in legal_of.items() if judged.above]
above_type = [titles[key] for key in above if legal_of[key].above_second]
fewer = [key for key, each in losses.items() if is_clear(each, noise) and each.value.high < 0]
worse = [
    key for key in losses if is_clear(change[key], noise_change) and change[key].value.low > 0
]
on_file = {*titles.values(), *results.headline(trained, results.NOTATION_ROWS)["title"]}
of_table4 = reference.table("state_tracking", "table4").index
not_trained = sorted({*printed.index, *of_table4} - on_file)


def of_sizes(first, second):
    differences = [apart[size, first, second] for size in results.SIZES]
    texts = [f"{each.value.value:+.1f}" for each in differences]
    return results.enumerate_names(
        text if is_clear(each, noise) else f"({text})"
        for text, each in zip(texts, differences, strict=True)
    )


strongest = max(results.SIZES, key=lambda size: legal_of[size, "uci"].value.value)
of_strongest = lost[strongest, run_of[strongest, "uci"]]
whole, narrow_share = (
    {name: share.value for name, share in of_age[run_of[strongest, model]].items()}
    for model in ("uci", "window50")
)
fails = is_clear(of_strongest["long_ago"], noise_of["long_ago"])
fails &= of_strongest["long_ago"].value.value < 0
lately = is_clear(of_strongest["lately"], noise_of["lately"])
window_falls = [apart[size, "window50", "uci"] for size in results.SIZES]
old = {
    size: [lost[size, run]["long_ago"] for run in runs_of] for size, runs_of in seeds_of.items()
}
report.paste(
    long_ago=Markdown(
        f"**{whole['long_ago']:.0f} against {narrow_share['long_ago']:.0f} %.** With a window of the last "
        f"{window} tokens, a piece that came to its square more than {held} plies ago is often lost: asked "
        f"where it can go, a model names a legal square in {whole['long_ago']:.0f} % of the games with the "
        f"whole history, in {narrow_share['long_ago']:.0f} % with the window ({strongest})."
        if fails
        else f"What a window of the last {window} tokens does to a piece that came to its square more than "
        f"{held} plies ago is not clear."
    ),
    lately=f"For a piece that came in the last {held // 2} plies the window makes no clear difference: "
    f"{whole['lately']:.0f} % with the whole history, {narrow_share['lately']:.0f} % with the window "
    f"({strongest})."
    if not lately
    else "",
    story="What a model knows of a piece, it has from the move that brought it there: with that move out of "
    "its sight, the piece is often lost."
    if fails and not lately
    else "",
    overall="Over all questions, legal answers fall by "
    + results.enumerate_names(
        f"{-each.value.value:.1f} at {size}"
        for size, each in zip(results.SIZES, window_falls, strict=True)
    )
    + f" with the window (points; another seed alone changes up to {noise:.1f})."
    if all(is_clear(each, noise) and each.value.high < 0 for each in window_falls)
    else "",
    all_seeds=f"Of pieces that came more than {held} plies ago, the window gives fewer legal answers than "
    "every seed of full attention, by "
    + results.enumerate_names(
        f"{-max(values):.0f} to {-min(values):.0f} points at {size} ({len(values)} seeds)"
        for size, values in (
            (size, [each.value.value for each in seeds]) for size, seeds in old.items()
        )
    )
    + "."
    if all(
        is_clear(each, noise_of["long_ago"]) and each.value.high < 0
        for seeds in old.values()
        for each in seeds
    )
    else "",
    untrained_says="The mask on a model that was trained without it leaves "
    + results.enumerate_names(
        f"{shares['long_ago'].value:.0f} % of them at {size}"
        for size, shares in untrained.items()
    )
    + ": what a trained window has beyond that, it has learned to hear at second hand, or to guess.",
    recap_ages="; ".join(
        f"{ages[name]} plies, {of_strongest[name].value.value:+.1f}" for name in moved
    )
    + f" ({strongest}).",
    performer_reformer=of_sizes("performer", "reformer"),
    performer_window=of_sizes("performer", "window50"),
    lstm_rap=of_sizes("lstm_rap", "lstm"),
    unclear=results.enumerate_names(titles[key[:2]] for key in losses if key not in fewer),
    above_type=results.enumerate_names(above_type),
    missing=results.enumerate_names(not_trained),
    clear_means=results.CLEAR,
    n_questions=f"{len(questions):,}",
    n_models=len(scores),
    n_rows=len(printed),
    n_above=len(above),
    n_below=len(scores) - len(above),
    n_losses=len(losses),
    n_fewer=len(fewer),
    n_worse=len(worse),
    n_foresee=sum(known[run].above for run in run_of.values()),
    counted=f"{sizes.counted:,}",
    count=f"{grounds['came_from'].loc[long, 'lgm'].value:.1f}",
    even=f"{results.perplexity_of(drawn, seed=seed).value:.1f}",
    held=held,
    noise_legal=f"{noise:.1f}",
    weights=f"{chosen['parameters'].min() / 1e6:.1f} to {chosen['parameters'].max() / 1e6:.1f}",
)

# %% tags=["hide-input"] mystnb={"code_prompt_show": "Results kept in book/results"}
columns = {key: name for part in results.PROBE_PARTS.values() for name, key in part.items()}
cells = {
    (cell.row, cell.column): cell
    for cell in reference.load("state_tracking")
    if cell.table == "table7" and "contradiction" not in cell.flag
}
ours = {task: {} for task in probes.END_TASKS}
theirs = {task: {} for task in probes.END_TASKS}
for key, table in scores.items():
    if key[1] == "uci":  # chapter 13 keeps these
        continue
    for (task, _), row in table.iterrows():
        for score, judged in row.dropna().items():
            ours[task][score, *key] = judged.value
            column = columns.get((task.removeprefix("end_"), score))
            if cell := cells.get((titles[key], column)):
                theirs[task][score, *key] = cell


def of_runs(compared):
    return {tuple(run.replace("-", "_") for run in key): each for key, each in compared.items()}


def values(compared, keep=lambda key: True):
    return {key: each.value for key, each in compared.items() if keep(key)}


report.save(
    "14_history",
    *(
        report.rows(ours[task], task, unit="%", reference=theirs[task])
        for task in probes.END_TASKS
    ),
    report.rows(len(chosen), "table7.rows", unit="models"),
    report.rows(
        report.Result(len(above) / len(scores), n=len(scores), unit="share of its rows"),
        "table7.above_counting",
    ),
    report.rows(len(not_trained), "tracking.not_trained", unit="rows of Tables 4 and 7"),
    report.rows(less_type, "less_type.end_actual", unit="points"),
    report.rows(
        {
            size: {
                "perplexity": change[size, "window50", "uci"].value,
                "end_actual.lgm": apart[size, "window50", "uci"].value,
                "lgm.uci": legal_of[size, "uci"].value,
                "lgm.window50": legal_of[size, "window50"].value,
            }
            for size in results.SIZES
        },
        "window50",
        unit="difference of two models, or per cent",
    ),
    report.rows(
        {size: values(lost[size, run_of[size, "uci"]]) for size in results.SIZES},
        "history.window",
        unit="points",
    ),
    report.rows(
        {key: values(each) for key, each in of_runs(lost).items()},
        "history.against",
        unit="points",
    ),
    report.rows(untrained, "history.untrained", unit="%"),
    report.rows(noise_of, "other_seed.largest", unit="points"),
    report.rows(
        values(of_runs(seeds_apart)) | {"largest": noise}, "other_seed.lgm", unit="points"
    ),
    report.rows(
        values(of_runs(seeds_change)) | {"largest": noise_change},
        "other_seed.perplexity",
        unit="% of the other's",
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
    report.rows(
        {key[:2]: each.value for key, each in losses.items()}, "less_history", unit="points"
    ),
    report.rows(
        {key[:2]: change[key].value for key in losses},
        "perplexity_change",
        unit="% of full attention's",
    ),
    report.rows(values(apart, lambda key: key[2] != "uci"), "pair.lgm", unit="points"),
    report.rows(
        values(change, lambda key: key[2] != "uci"), "pair.perplexity", unit="% of the other's"
    ),
    report.rows(
        {size: apart[size, "lstm_rap", "lstm"].value for size in results.SIZES},
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
    versions={"models": f"{len(answered)} runs"},
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
# looked. With the window's mask and its matrix powers, how far back can the last token of 300
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
