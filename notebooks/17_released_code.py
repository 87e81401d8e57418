# ---
# jupyter:
#   kernelspec:
#     display_name: Python 3 (ipykernel)
#     language: python
#     name: python3
# ---

# %% [markdown]
# # What the authors' released code does
#
# **The script released with the CCC paper sorts Stockfish 8's numbers as text{glue:md}`mark`.** The
# rank correlation of our 21 accuracies with the printed ones is {glue:text}`rho_text:.2f` sorted as
# text, and {glue:text}`rho_number:.2f` by number, as the paper describes. {glue:md}`falls`
#
# ```{glue:figure} effects
# :name: fig-17-effects
# :alt: Points with intervals on a scale from 0 to 100 per cent, one row for each deviation.
# How much each deviation changes of what it touches, in per cent or points, with 95 % intervals. Grey
# crosses: the same by a baseline, which each section names.
# ```
#
# We read commit `2a291c5` of the repository that the CCC paper {cite}`kim2024ccc` names. *It may
# not be what made the tables*: it asks for one block more than its network has, it evaluates moves
# past the end of its own list, and it reads a file that none of its cells writes. The repository
# has no licence, so only places, hashes and what it does, in our words, are kept (`data/released`).
#
# ::::{dropdown} The {glue:text}`rows_n` deviations, one by one
# Places are files by their first two digits, with a function or a cell, counted from 0. *Not
# measured* is what takes answers of a language model, or a file that we do not have.
#
# ```{glue:} deviations
# ```
# ::::

# %% tags=["parameters", "hide-input"] mystnb={"code_prompt_show": "Parameters: the concept and the move that are looked at closely"}
profile = "book"
seed = 1
concept = "White Bishop"  # one of Stockfish 8's 21 terms
shown = "released/04"  # one of the sixty moves of data/released/moves.tsv

# %% tags=["hide-input"] mystnb={"code_prompt_show": "Imports, files and sizes"}
import ast
import hashlib
import json
import tomllib
import chess
import matplotlib.pyplot as plt
import numpy as np
import pandas as pd
from IPython.display import Markdown
from joblib import Parallel, delayed
from myst_nb import glue
from scipy.stats import rankdata, spearmanr
from sklearn.metrics import precision_recall_fscore_support
from sklearn.svm import LinearSVC

from chessgloss import assets, report
from chessgloss.book import reference
from chessgloss.book.profiles import load_sizes
from chessgloss.commentary.arms import asked_moves
from chessgloss.commentary.briefing import names_concept
from chessgloss.commentary.moves import evaluated_moves, lectured_moves, released_moves
from chessgloss.concepts.bulk import activate, label
from chessgloss.corpora.games import read_games
from chessgloss.corpora.samples import sample_positions
from chessgloss.engine import analyse_many
from chessgloss.experts import load_expert
from chessgloss.facts.change import concept_and_side
from chessgloss.oracle import TERMS, Status, TermTable, evaluate_terms, stockfish8
from chessgloss.positions import MoveInContext, Position
from chessgloss.scores import centipawns
from chessgloss.stats import bootstrap, mean_interval, paired_difference, share, share_of
from chessgloss.store import default_store, find_project

sizes = load_sizes("17_released_code", profile)
report.use_house_style()
project = find_project()
store = default_store()
jobs = 1 if profile == "smoke" else 2
sixty = {each.name: each.move for each in released_moves()}
printed6 = reference.table("ccc", "table6").set_axis(TERMS)
paper = printed6[["Accuracy", "Precision", "Recall"]]
leela_file = None
try:
    leela_file = assets.locate("leela", fetch=False)
except assets.AssetMissing:
    print("asset absent: no Leela network on this machine")

# %% [markdown]
# ## Text or number
#
# Stockfish 8 prints a term as `-0.13`. The released script splits the printed line and sorts the
# pieces as text. A minus comes before a digit, so that the "lowest" values are the *smallest
# negative* ones. Change `concept` in the first cell and run on from there.

# %%
games = list(read_games(project / "data/games/selfplay.tsv.zst", limit=sizes.games))
sample = sample_positions(games, sizes.per_game, seed=seed)
parts = label(sample.fens, stockfish8(), store, jobs=jobs)
labelled = TermTable.concatenate(part.table for part in parts)
ordinary = np.flatnonzero(labelled.status == Status.OK)
drawn = np.random.default_rng(seed).permutation(ordinary)
chosen = np.sort(drawn[: sizes.positions])
fens = [sample.fens[row] for row in chosen]
values = labelled.middlegame[chosen]  # pawns, one column a term
names = [term.split()[-1] for term in TERMS]  # White's and Black's of a concept are alike


# %%
def tails_of(term, as_text, lot):
    """Rows of the low and the high 5 %, ascending; equal values in the order of a lot."""
    keys = np.char.mod("%.2f", term[lot]) if as_text else term[lot]
    ranked = lot[np.argsort(keys, kind="stable")]
    n = int(0.05 * term.size)
    return ranked[:n], ranked[-n:]


term = values[:, TERMS.index(concept)]
lot = np.random.default_rng(seed).permutation(term.size)
by_number = tails_of(term, False, lot)
by_text = tails_of(term, True, lot)
for name, (low, high) in {"as numbers": by_number, "as text": by_text}.items():
    low_ends = term[low[[0, -1]]]
    high_ends = term[high[[0, -1]]]
    print(f"{concept}, sorted {name}: low {low_ends}, high {high_ends}")


# %%
def misplaced(term):
    """Share of the tails sorted as text that lie outside those by number in any lot."""
    lowest, highest = tails_of(term, False, lot)
    low, high = tails_of(term, True, lot)
    too_high = np.mean(term[low] > term[lowest].max())
    too_low = np.mean(term[high] < term[highest].min())
    return (too_high + too_low) / 2


sort_effect = mean_interval([misplaced(each) for each in values.T], names, seed=seed)
print(f"share of the tails that does not belong there: {sort_effect:.2f}")

# %% [markdown]
# ## Table 6 in each version
#
# Three more choices make a version. *Sliced*: of each sorted tail the first nine tenths train and
# the rest tests, which is nearest to the middle in the low tail and *farthest* from it in the high
# one. *Turned*: Leela's input is turned to the side to move, while the labels stay White's and
# Black's. *Noise* on the training rows. We read NNUE both ways, on {glue:text}`positions_n:,`
# positions.


# %%
def one_concept(activations, term, seed, *, as_text, sliced, noise=0.0):
    """Accuracy; precision of the high class, then of the low one; recall of both; the weights."""
    random = np.random.default_rng(seed)
    low, high = tails_of(term, as_text, random.permutation(term.size))
    if not sliced:
        low, high = random.permutation(low), random.permutation(high)
    kept = int(0.9 * low.size)
    train = activations[np.r_[low[:kept], high[:kept]]]
    test = activations[np.r_[low[kept:], high[kept:]]]
    if noise:
        train = train + noise * (random.standard_normal(train.shape, np.float32) - 0.5)
    svm = LinearSVC(C=0.01, random_state=seed)
    svm.fit(train, np.repeat([0, 1], kept))
    said = svm.predict(test)
    true = np.repeat([0, 1], low.size - kept)
    precision, recall, _, _ = precision_recall_fscore_support(
        true, said, labels=[1, 0], zero_division=0
    )
    return [(said == true).mean(), *precision, *recall], svm.coef_[0]


# %% tags=["hide-input"] mystnb={"code_prompt_show": "Activations of NNUE, the bare board and Leela; all 21 concepts of a version"}
def read(fens, expert, layer, **more):
    """Activations, float32, shape (n, d)."""
    parts = activate(fens, expert, layer, store, jobs=jobs, **more)
    return np.concatenate([*parts]).astype(np.float32)


def in_units(numbers):
    return numbers / numbers.std()


turned = in_units(read(fens, "nnue", "pairwise", view="mover"))
upright = in_units(read(fens, "nnue", "pairwise", view="white"))
board = in_units(read(fens, "onehot", "board", view="mover"))
leela = None
if leela_file:
    last = load_expert("leela", leela_file).layers[-1]
    leela = in_units(read(fens[: sizes.leela], "leela", last, path=leela_file))


columns = ["Accuracy", "Precision", "other Precision", "Recall", "other Recall"]


def all_concepts(activations, how, lots):
    """Measures, mean over the lots, one row a term; the weights (21, d) of the first lot."""
    terms = values[: len(activations)].T
    done = Parallel(n_jobs=jobs)(
        delayed(one_concept)(activations, term, seed + again, **how)
        for again in range(lots)
        for term in terms
    )
    measures, weights = zip(*done, strict=True)
    by_lot = np.reshape(measures, (lots, len(TERMS), 5))
    first_weights = np.stack(weights[: len(TERMS)])
    return pd.DataFrame(by_lot.mean(axis=0), TERMS, columns), first_weights


# %%
text = {"as_text": False, "sliced": False}  # as the paper's text has it
code = {"as_text": True, "sliced": True}  # as the released code has it
versions = {
    "described": ("numbers, random tenth (text)", turned, text),
    "number_sliced": ("numbers, sliced", turned, {"as_text": False, "sliced": True}),
    "text_random": ("as text, random tenth", turned, {"as_text": True, "sliced": False}),
    "text_sort": ("as text, sliced (code)", turned, code),
    "noise": ("as text, sliced, noise", turned, {**code, "noise": 0.1}),
    "described_white": ("not turned: text", upright, text),
    "text_sort_white": ("not turned: code", upright, code),
    "described_board": ("bare board: text", board, text),
    "text_sort_board": ("bare board: code", board, code),
    "described_leela": ("Leela: text", leela, text),
    "text_sort_leela": ("Leela: code", leela, code),
}
fitted = {
    key: all_concepts(expert, how, 1 if expert is leela else sizes.lots)
    for key, (_, expert, how) in versions.items()
    if expert is not None
}
measured = {key: measures for key, (measures, _) in fitted.items()}

# %% [markdown]
# How near is a version to the printed table? *ρ* is the rank correlation of the 21 values of a
# column with the printed ones, *distance* the mean difference of the 63 cells, in points. *Text* is
# the paper's version, *code* the released one; the bare board is the baseline.


# %%
def rank_correlations(rows):
    """Spearman's, one for each column: rows of three printed values, then three of ours."""
    ranks = rankdata(rows, axis=0)
    correlations = np.corrcoef(ranks, rowvar=False)
    return correlations[[0, 1, 2], [3, 4, 5]]


def distance(rows):
    apart = np.abs(rows[:, :3] - rows[:, 3:6])
    return 100 * apart.mean()


beside = {key: np.hstack([paper, each[paper.columns]]) for key, each in measured.items()}
statistics = {
    "rho": lambda rows: rank_correlations(rows)[0],
    "rho_three": lambda rows: rank_correlations(rows).mean(),
    "distance": distance,
}
accuracy = pd.DataFrame({key: each["Accuracy"] for key, each in measured.items()})
fit = pd.DataFrame({"accuracy": accuracy.mean()})
for name, statistic in statistics.items():
    fit[name] = {
        key: bootstrap(each, statistic, names, seed=seed) for key, each in beside.items()
    }

# %% tags=["hide-input"] mystnb={"code_prompt_show": "Show the versions of Table 6"}
titles = {key: title for key, (title, *_) in versions.items()}
heads = {"rho": "ρ of accuracy", "rho_three": "ρ, mean of three"}
report.table(
    fit.assign(distance=fit["distance"].map("{:.1f}".format)).rename(
        index=titles, columns=heads
    ),
    caption=f"Versions of Table 6; printed mean accuracy {paper['Accuracy'].mean():.2f}",
)

# %% tags=["hide-input"] mystnb={"code_prompt_show": "Draw both", "figure": {"caption": "The printed accuracies of Table 6 beside ours on NNUE, as the text describes the table (left) and as the code makes it (right). On the line both are the same.", "name": "fig-17-table6"}, "image": {"alt": "Two scatter plots of 21 points each; the right one lies along the diagonal."}}
fig, axes = plt.subplots(1, 2, figsize=(8.0, 2.9), sharex=True, sharey=True)
printed = paper["Accuracy"]
for ax, key in zip(axes, ("described", "text_sort"), strict=True):
    ours = accuracy[key]
    ax.plot([0.5, 1], [0.5, 1], color="0.7", lw=0.8)
    ax.plot(printed, ours, "o", ms=5, alpha=0.8)
    for name in ("Material", "Imbalance", "Pawns", "White Bishop"):
        place = (printed[name], ours[name])
        ax.annotate(name, place, (4, -7), textcoords="offset points", fontsize=7)
    ax.set(xlabel="printed accuracy", ylabel="our accuracy", title=titles[key])
    ax.label_outer()
plt.show()

# %% tags=["hide-cell"] mystnb={"code_prompt_show": "Differences of versions: slicing, turning, noise"}
tilt = pd.DataFrame({key: each["Recall"] - each["Precision"] for key, each in measured.items()})


def gap(measure, first, second):
    """Points by which the first version has more than the second, paired by concept."""
    ours = 100 * measure[first]
    theirs = 100 * measure[second]
    return paired_difference(ours, theirs, names, seed=seed)


def nearer(first, second):
    """Points a cell by which the second version is nearer to the printed table."""
    rows = np.hstack([beside[first], beside[second]])

    def difference(rows):
        return distance(rows[:, :6]) - distance(rows[:, 6:])

    return bootstrap(rows, difference, names, seed=seed)


def goes_with_print(key):
    """Rank correlation of recall above precision, concept by concept, with the printed one."""
    printed_tilt = 100 * (paper["Recall"] - paper["Precision"])
    pairs = np.column_stack([printed_tilt, tilt[key]])
    return bootstrap(pairs, lambda each: spearmanr(*each.T).statistic, names, seed=seed)


gain = nearer("described", "text_sort")
gain_white = nearer("described_white", "text_sort_white")
slice_gain = gap(accuracy, "text_sort", "text_random")
slice_tilt = gap(tilt, "text_sort", "text_random")
view_loss = gap(accuracy, "described_white", "described")
noise_gap = gap(accuracy, "text_sort", "noise")
by_code = measured["text_sort"]
apart = (by_code["Precision"] - by_code["other Precision"]).abs()
apart += (by_code["Recall"] - by_code["other Recall"]).abs()
other_class = mean_interval(50 * apart, names, seed=seed)
tilts = {key: goes_with_print(key) for key in ("text_random", "text_sort")}
differences = {
    "code nearer to print": gain,
    "the same, not turned": gain_white,
    "accuracy by slicing": slice_gain,
    "recall above precision by slicing": slice_tilt,
    "accuracy lost by turning": view_loss,
    "accuracy lost by noise": noise_gap,
    "other class, precision and recall": other_class,
}
if leela is not None:
    differences["code nearer to print, Leela"] = nearer("described_leela", "text_sort_leela")
report.table(
    pd.DataFrame({"points": differences}),
    caption="Differences of versions, paired by concept",
    digits=1,
)

# %% tags=["remove-input"]
closer = "Neither version is clearly nearer to the printed table."
if gain.low > 0:
    closer = f"""As the code makes it, the table is nearer to the printed one by {gain.value:.1f}
points a cell."""
own = [key for key in fit.index if not key.endswith(("leela", "board"))]
rhos = {key: fit.loc[key, "rho_three"].value for key in own}
best = max(rhos, key=rhos.get)
no_network = ""
if fit.loc["text_sort_board", "rho"].low > 0:
    no_network = "The printed order needs no network: the bare board has it, too."
white = accuracy["text_sort_white"]
mover = accuracy["text_sort"]
Markdown(
    f"""{closer} {no_network}
Turning the board takes Imbalance from {white["Imbalance"]:.2f} to {mover["Imbalance"]:.2f}
(printed {printed["Imbalance"]:.2f}) and Pawns from {white["Pawns"]:.2f} to
{mover["Pawns"]:.2f} (printed {printed["Pawns"]:.2f}). Of {len(own)} versions on NNUE
*{titles[best]}* fits all three columns best, which flatters itself a little: it was chosen by
looking at the printed table."""
)

# %% [markdown]
# ## Where the vectors point
#
# Label 1 for the low tail turns every vector round: a score that *rises* says that the term
# *falls*.

# %%
vectors = {
    "the paper's label, by number": fitted["described"][1],
    "the released label, as text": -fitted["text_sort"][1],  # label 1 is the low tail
}
points_to_less = {}
for name, weights in vectors.items():
    scores = turned[:4000] @ weights.T
    pairs = zip(scores.T, values[:4000].T, strict=True)
    falls = [spearmanr(*pair).statistic < 0 for pair in pairs]
    points_to_less[name] = share_of(falls)
    print(f"{name}: {sum(falls)} of 21 point to less")

# %% [markdown]
# ## Which concepts come first
#
# The paper names the concepts whose scores differ most before and after the move. The code takes
# the score after the opponent's *reply*, keeps the *sign*, and puts the largest rise first. With
# the label on the low tail, the largest rise is the farthest fall. The moves are
# {glue:text}`moves_n` of the 303 of chapter 4, with the engine's reply, and the sixty released
# ones.

# %% tags=["hide-input"] mystnb={"code_prompt_show": "The moves, the replies, and what lecturers name"}
step = max(1, 303 // sizes.moves)
briefings = [*asked_moves().values()][::step]
afterwards = [move.after() for move in sixty.values()]
answers = analyse_many(afterwards, nodes=sizes.nodes, progress=False)
found = [(each.name, each.move, each.after) for each in briefings]
found += zip(sixty, sixty.values(), answers, strict=True)
around = {
    name: (move, MoveInContext(move.after(), answer.lines[0].moves[0]))
    for name, move, answer in found
    if answer.lines and answer.lines[0].moves
}
sources = np.array([name if name in sixty else name.split("/")[0] for name in around])
stages = [
    [move.position.fen for move, _ in around.values()],
    [move.after().fen for move, _ in around.values()],
    [reply.after().fen for _, reply in around.values()],
]
evaluated = [evaluate_terms(each, stockfish8(), progress=False) for each in stages]
truth = np.nan_to_num([table.middlegame for table in evaluated])
states = [read(each, "nnue", "pairwise", view="white") for each in stages]
lectured = (*evaluated_moves(seed), *lectured_moves(seed))
comments = {each.name: each.reference for each in lectured}
concepts = [concept_and_side(term)[0] for term in TERMS]
spoken = np.array(
    [[names_concept(comments.get(name) or "", each) for each in concepts] for name in around]
)
report.paste(moves_n=sum(name not in sixty for name in around))

# %%
by_number_planes = fitted["described_white"][1].T
released_planes = -fitted["text_sort_white"][1].T  # label 1 is the low tail
before, after, reply = (each @ by_number_planes for each in states)
low_before = states[0] @ released_planes
low_reply = states[2] @ released_planes
orders = {
    "paper: size, after the move": (np.abs(after - before), 1),
    "size, after the reply": (np.abs(reply - before), 2),
    "signed, after the move": (after - before, 1),
    "signed, low label": (before - after, 1),
    "signed, low, after the reply": (before - reply, 2),
    "released: text as well": (low_reply - low_before, 2),
    "random": (np.random.default_rng(seed).random(before.shape), 1),
    "five most named in lectures": (np.tile(spoken.mean(axis=0), (len(around), 1)), 1),
}
first_five = {
    name: np.argsort(-scores, kind="stable")[:, :5] for name, (scores, _) in orders.items()
}

# %% [markdown]
# *Overlap*: the share of the paper's five that an order names. *First falls*: how often the term of
# the concept named first, by Stockfish 8, is lower at the end than before the move, if it changes.
# *Spoken of*: of the five names, the share that the lecturer's own comment names.

# %%
papers = first_five["paper: size, after the move"]
naming = spoken.any(axis=1)
overlap = {}
order_table = pd.DataFrame(index=orders, columns=["overlap", "first falls", "spoken of"])
for name, five in first_five.items():
    same = five[:, :, None] == papers[:, None, :]
    overlap[name] = same.sum(axis=(1, 2)) / 5
    spoken_of = np.take_along_axis(spoken, five, axis=1).mean(axis=1)[naming]
    change = truth[orders[name][1]] - truth[0]
    first = five[:, :1]
    change = np.take_along_axis(change, first, axis=1).ravel()
    changed = change != 0
    order_table.loc[name] = [
        mean_interval(overlap[name], sources, seed=seed),
        mean_interval(change[changed] < 0, sources[changed], seed=seed),
        mean_interval(spoken_of, sources[naming], seed=seed),
    ]
order_table.loc["paper: size, after the move", "overlap"] = 1  # with itself
report.table(
    order_table,
    caption=f"Orders of the concepts on {len(around)} moves, the last column on {naming.sum()}",
)

# %%
changes = np.take_along_axis(truth[1] - truth[0], papers, axis=1)
changed = changes != 0
rows_of = np.repeat(sources, changed.sum(axis=1))
five_fall = mean_interval(changes[changed] < 0, rows_of, seed=seed)
print(f"of the paper's own five, to which the prompt gives no direction, fall: {five_fall:.2f}")

# %% [markdown]
# ## Attacks that cannot be made
#
# The list of attacks is made of pseudo-legal captures of both sides, after the move. A pinned piece
# attacks there like any other, and a king in check need not mind. (The line that would put the list
# into the prompt is commented out.)


# %%
def listed(board):
    """Each capture of either side, and whether it would leave that side's king in check."""
    for side in (board.turn, not board.turn):
        seen = board.copy(stack=False)
        seen.turn = side
        for move in seen.pseudo_legal_moves:
            if seen.piece_at(move.to_square):
                yield seen.piece_at(move.from_square), move, seen.is_into_check(move)


of_move = []
impossible = []
for number, fen in enumerate(stages[1]):
    bad = [each for _, _, each in listed(chess.Board(fen))]
    of_move += [number] * len(bad)
    impossible += bad
of_move = np.array(of_move)
impossible = np.array(impossible)
impossible_share = mean_interval(impossible, sources[of_move], seed=seed)
with_one = share(len({*of_move[impossible]}), len(around))
print(f"listed: {impossible.size:,} captures")
print(f"impossible: {impossible_share:.3f}")
print(f"moves with at least one: {with_one:.3f}; legal captures alone: 0")

# %% tags=["hide-cell"] mystnb={"code_prompt_show": "One released move, with what is listed after it"}
for piece, move, bad in listed(sixty[shown].after().board()):
    print(f"{piece}{move}", "impossible" if bad else "possible")
report.board(sixty[shown], size=220)

# %% [markdown]
# ## Castling rights
#
# None of the sixty released positions has castling rights. We give each the rights that its kings
# and rooks allow, search both, and say of the move played how far it is behind the best in the
# code's own steps of 20, 50 and 100 centipawns. How often the verdict changes with the nodes alone
# is the baseline.


# %%
def with_rights(move):
    """The same move, with all castling rights that kings and rooks allow."""
    board = move.position.board()
    board.castling_rights = chess.BB_CORNERS
    board.castling_rights = board.clean_castling_rights()
    return MoveInContext(Position(board.fen()), move.uci)


def steps_behind(moves, nodes):
    """Steps by which each move is worse than the best move: 0, 1, 2 or 3."""
    starts = [move.position for move in moves]
    asked = [*starts, *(move.after() for move in moves)]
    found = analyse_many(asked, nodes=nodes, progress=False)
    movers = [start.turn for start in (*starts, *starts)]
    scores = [
        centipawns(each.lines[0].score, mover)
        for each, mover in zip(found, movers, strict=True)
    ]
    best, mine = np.split(np.array(scores), 2)
    return np.searchsorted([20, 50, 100], best - mine, side="right")


# %% tags=["hide-input"] mystnb={"code_prompt_show": "All sixty, with and without the rights, at three limits"}
granted = {name: with_rights(move) for name, move in sixty.items()}
boards = {name: move.position.board() for name, move in granted.items()}
open_to = [name for name, each in boards.items() if each.castling_rights]
pairs = [moves[name] for moves in (sixty, granted) for name in open_to]
limits = [int(sizes.nodes * more) for more in (1, 1.1, 1.2)]
steps = np.array([steps_behind(pairs, nodes) for nodes in limits])
without, having = np.split(steps, 2, axis=1)
differs = pd.DataFrame(0.0, index=[*sixty], columns=["by rights", "by search"])
differs.loc[open_to, "by rights"] = (without != having).mean(axis=0)
other_limit = np.roll(without, 1, axis=0)
differs.loc[open_to, "by search"] = (without != other_limit).mean(axis=0)
by_rights, by_search = (mean_interval(differs[column], seed=seed) for column in differs)
more_by_rights = paired_difference(differs["by rights"], differs["by search"], seed=seed)
print(f"another verdict, of the sixty moves ({len(open_to)} allow some castling):")
print(f"with the rights {by_rights:.2f}, with other nodes {by_search:.2f}")
print(f"difference {more_by_rights:.2f}")


# %% tags=["hide-input"] mystnb={"code_prompt_show": "The effects, their baselines, and what they bear out"}
def replaced(name):
    return mean_interval(1 - overlap[name], sources, seed=seed)


paper_order, as_released, at_random = (
    order_table.loc[name]
    for name in ("paper: size, after the move", "released: text as well", "random")
)
effects = {
    "sort": sort_effect,
    "view": view_loss,
    "slice": slice_tilt,
    "noise": noise_gap,
    "class": other_class,
    "label": points_to_less["the released label, as text"],
    "reply": replaced("size, after the reply"),
    "signed": replaced("signed, after the move"),
    "opposite": as_released["first falls"],
    "direction": five_fall,
    "attacks": impossible_share,
    "castling": by_rights,
}
baselines = {
    "label": points_to_less["the paper's label, by number"],
    "reply": replaced("random"),
    "signed": replaced("random"),
    "opposite": at_random["first falls"],
    "attacks": share(0, impossible.size),
    "castling": by_search,
}
# What a row says that it explains is shown only where these numbers bear it out.
borne_out = {
    "sort": gain.low > 0,
    "view": view_loss.low > 0,
    "slice": tilts["text_sort"].low > 0,
    "noise": max(-noise_gap.low, noise_gap.high) < 2,
    "label": points_to_less["the released label, as text"].low > 0.5,
}
unexplained = [key for key, holds in borne_out.items() if not holds]
listing = tomllib.loads((project / "data/released/deviations.toml").read_text("utf-8"))
rows = pd.DataFrame(listing["deviation"]).set_index("id")
unit = rows["unit"]
for found in (effects, baselines):
    for key in found:
        if unit[key].startswith("%"):
            found[key] = found[key].in_percent()

# %% tags=["hide-input"] mystnb={"code_prompt_show": "The table and the picture at the top"}
measured_effects = {}
for key, each in effects.items():
    digits = 0 if each.value >= 10 else 1
    measured_effects[key] = f"{each:.{digits}f} {unit[key]}"
deviations = pd.DataFrame(
    {
        "the paper says": rows["paper"],
        "the code does": rows["code"] + " (" + rows["where"].str.join("; ") + ")",
        "effect": {**unit.replace("", "not measured"), **measured_effects},
        "can explain": rows["explains"].mask(
            rows.index.isin(unexplained), "Open at these sizes."
        ),
    }
).set_index(rows["name"].rename(None))
with pd.option_context("display.max_colwidth", None):
    wide = deviations.replace("_", "_\u200b", regex=True)  # lines may break there
    table = wide.to_html(classes="results texts deviations", border=0)
shown_table = report.Html(f'<div class="results">{table}</div>', deviations.to_string())
glue("deviations", shown_table, display=False)

fig, ax = plt.subplots(figsize=(7.6, 2.5))
for place, (key, effect) in enumerate(effects.items()):
    ends = [[effect.value - effect.low], [effect.high - effect.value]]
    ax.errorbar(effect.value, place, xerr=ends, fmt="o", capsize=2, color="C0")
    ax.text(103, place, unit[key], va="center", fontsize=7)
    if key in baselines:
        ax.plot(baselines[key].value, place, "x", color="0.5")
shown_names = rows["name"][[*effects]]
ax.set_yticks(range(len(effects)), shown_names, fontsize=8)
ax.invert_yaxis()
lowest = min(0, *(effect.low for effect in effects.values()))
ax.set(xlim=(lowest - 1, 101), xlabel="per cent, or points of 100")
glue("effects", fig, display=False)
plt.close(fig)

# %% [markdown]
# ## Check it against your own clone
#
# With a clone of the repository (the variable `CHESSGLOSS_ASSET_CCC` names its folder, at commit
# `2a291c5`) this cell finds each place again by the hash of its text, and the sixty moves.


# %% tags=["hide-input"] mystnb={"code_prompt_show": "Find each place by its hash"}
def text_of(file, place):
    """The source of a notebook's cell, or of a function of a script."""
    source = (clone / file).read_text("utf-8")
    if file.endswith(".ipynb"):
        number = int(place.removeprefix("cell "))
        return "".join(json.loads(source)["cells"][number]["source"])
    tree = ast.parse(source)
    nodes = [node for node in ast.walk(tree) if hasattr(node, "name")]
    return ast.get_source_segment(source, next(each for each in nodes if each.name == place))


cells = pd.read_csv(project / "data/released/cells.tsv", sep="\t", index_col="name")
sixty_fens = pd.read_csv(project / "data/released/moves.tsv", sep="\t")["fen"]
try:
    clone = assets.locate("ccc", fetch=False)
    texts = map(text_of, cells["file"], cells["place"])
    digests = [hashlib.sha256(each.encode()).hexdigest() for each in texts]
    same = cells["sha256"] == digests
    generation = text_of("02_ccc_generation.ipynb", "cell 6")
    there = sum(repr(fen) in generation for fen in sixty_fens)
    print(f"{same.sum()} of {len(same)} places have their hash; {there} of 60 positions")
    print("changed:", ", ".join(cells.index[~same]) or "none")
except assets.AssetMissing:
    print("asset absent: no clone of the released code; its places were not checked here")

# %% [markdown]
# ## Where the documents contradict themselves
#
# The slips that arithmetic on the printed numbers can show are read from
# `data/reference/contradictions.toml` and checked here.

# %% tags=["hide-cell"] mystnb={"code_prompt_show": "Each contradiction, checked by arithmetic"}
printed = {cell.key: cell for cell in reference.load()}
listing = tomllib.loads((project / "data/reference/contradictions.toml").read_text("utf-8"))
relations = {"<": np.less, "<=": np.less_equal, "=": np.equal, "!=": np.not_equal}


def numbers_of(keys):
    """The printed numbers, shares in per cent."""
    scales = [100 if printed[key].unit.startswith("share") else 1 for key in keys]
    return np.array([printed[key].value for key in keys]) * scales


for each in listing["contradiction"]:
    left = each.get("times", 1) * numbers_of(each["left"])
    right = numbers_of(each["right"]) - each.get("margin", 0)
    assert relations[each["relation"]](left, right).all(), each["where"]
report.texts({each["where"]: each["says"] for each in listing["contradiction"]})

# %% tags=["hide-cell"] mystnb={"code_prompt_show": "Every doubtful cell: contradictions, mistakes, and what can be read in two ways"}
doubts = {}
for cell in printed.values():
    if cell.doubtful:
        kinds = ", ".join(sorted(cell.flags & reference.DOUBT_FLAGS))
        table = f"{cell.document}, {cell.table}"
        place = f"{table}: {cell.row}, {cell.column} ({kinds})"
        doubts.setdefault((cell.document, cell.note), place)
report.texts({place: note for (_, note), place in doubts.items()})

# %% [markdown]
# ## Recap
#
# - {glue:md}`closer`
# - Which concepts have more recall than precision goes with the printed table by ρ
#   {glue:text}`tilt_sliced:.2f` with the released test slice, and by {glue:text}`tilt_random:.2f`
#   with a random tenth.
# - The released order shares {glue:text}`overlap:.0f` % of its five names with the paper's
#   definition, a random one {glue:text}`overlap_random:.0f` %.
# - {glue:text}`impossible:.0f` % of the attacks that the code lists are impossible. The right to
#   castle changes {glue:text}`by_rights:.0f` % of the verdicts on the sixty moves, the nodes of the
#   search alone {glue:text}`by_search:.0f` %.

# %% tags=["remove-input"]
first_falls = f"""The concept that the released order names first *falls*, if it changes, in
{effects["opposite"].value:.0f} % of cases."""
report.paste(
    positions_n=len(fens),
    rows_n=len(rows),
    mark=Markdown(
        ", and the printed Table 6 bears the mark of it"
        if gain.low > 0
        else "; whether that made the printed Table 6 does not show at these sizes"
    ),
    rho_text=fit.loc["text_sort", "rho"].value,
    rho_number=fit.loc["described", "rho"].value,
    falls=Markdown(first_falls if as_released["first falls"].low > 0.5 else "&nbsp;"),
    closer=Markdown(closer),
    tilt_sliced=tilts["text_sort"].value,
    tilt_random=tilts["text_random"].value,
    overlap=100 * as_released["overlap"].value,
    overlap_random=100 * at_random["overlap"].value,
    impossible=effects["attacks"].value,
    by_rights=effects["castling"].value,
    by_search=baselines["castling"].value,
)

# %% tags=["remove-input"]
no_leela = report.Result(None, needs="a Leela network")
table6 = fit.reindex(versions)
table6 = table6.where(table6.notna(), no_leela)
correlations = {
    "split.recall_above_precision": tilts,
    "table6.best.rho": fit.loc[best, "rho_three"],
}
shares = {
    "sort.other_positions": sort_effect,
    "direction.less.released": points_to_less["the released label, as text"],
    "direction.less.paper": points_to_less["the paper's label, by number"],
    "order.overlap": as_released["overlap"],
    "order.overlap_same_vectors": order_table.loc["signed, low, after the reply", "overlap"],
    "order.overlap_random": at_random["overlap"],
    "order.opposite": as_released["first falls"],
    "order.opposite_paper": order_table.loc["signed, after the move", "first falls"],
    "order.opposite_random": at_random["first falls"],
    "order.spoken.released": as_released["spoken of"],
    "order.spoken.paper": paper_order["spoken of"],
    "order.spoken.random": at_random["spoken of"],
    "order.spoken.fixed": order_table.loc["five most named in lectures", "spoken of"],
    "order.five_fall": five_fall,
    "attacks.impossible": impossible_share,
    "attacks.moves_with_one": with_one,
    "castling.changed": by_rights,
    "castling.changed_by_search": by_search,
    "castling.more": more_by_rights,
}
points = {
    "table6.text_less_code.distance.turned": gain,
    "table6.text_less_code.distance.not_turned": gain_white,
    "table6.text_less_code.distance.leela": differences.get(
        "code nearer to print, Leela", no_leela
    ),
    "split.accuracy_gain": slice_gain,
    "split.recall_less_precision": slice_tilt,
    "view.lost": view_loss,
    "noise.lost": noise_gap,
    "class.apart": other_class,
}
report.save(
    "17_released_code",
    report.rows(table6[["rho", "rho_three"]], "released.table6", unit="rank correlation"),
    report.rows(table6[["distance"]], "released.table6", unit="points a cell"),
    report.rows(correlations, "released", unit="rank correlation"),
    report.rows(shares, "released", unit="share"),
    report.rows(points, "released", unit="points"),
)

report.evidence(
    len(fens),
    "positions",
    seed,
    len(games),
    "95 %, bootstrap over concepts (Table 6) or lectures and positions (moves)",
    {
        "expert": "nn-ad9b42354671, pairwise",
        "labels": "Stockfish 8",
        "searches": f"Stockfish 15.1, {sizes.nodes:,} nodes",
    },
)

# %% [markdown]
# ## Exercises
#
# **1. Mend the sort.** Leave the terms as text, but write them so that sorting as text gives the
# order of the numbers. How many positions of the two tails of `concept` are then other ones than by
# number?

# %% tags=["solution", "hide-cell"] mystnb={"code_prompt_show": "A solution: numbers of one sign and one width sort alike as text"}
# Numbers of one sign and one width sort alike as text.
term = values[:, TERMS.index(concept)]
written = np.char.mod("%06.2f", term[lot] + 100)
ranked = lot[np.argsort(written, kind="stable")]
n = len(by_number[0])
mended = np.r_[ranked[:n], ranked[-n:]]
wrong = ~np.isin(mended, np.concatenate(by_number))
still_wrong = int(wrong.sum())
print(f"{still_wrong} of {len(mended)}")

# %% tags=["check", "remove-cell"]
report.check(
    "Add a hundred pawns to each term, and write all with the same number of digits.",
    still_wrong=still_wrong,
)

# %% [markdown]
# **2. Only what is near.** Test the plane of `concept`, fitted as the code does, on the tenth of
# the *high* tail that is nearest to the middle, instead of the farthest. What are precision and
# recall now?

# %% tags=["solution", "hide-cell"] mystnb={"code_prompt_show": "A solution: the high tail, the other way round: its nearest tenth is held out"}
# The high tail, the other way round: its nearest tenth is held out.
low, high = by_text
kept = int(0.9 * low.size)
nearest_last = high[::-1]
fit_on = np.r_[low[:kept], nearest_last[:kept]]
plane = LinearSVC(C=0.01, random_state=seed)
plane.fit(turned[fit_on], np.repeat([0, 1], kept))
test_on = np.r_[low[kept:], nearest_last[kept:]]
guessed = plane.predict(turned[test_on])
hit = guessed[low.size - kept :].sum()
near = {
    "precision": hit / max(1, guessed.sum()),
    "recall": hit / (low.size - kept),
}
report.sheet(concept, near)

# %% tags=["check", "remove-cell"]
report.check(
    "`high` is ascending: its first rows are nearest to the middle. Precision counts what is said "
    "to be high, recall what is.",
    within=0.02,
    ordered=True,
    near=near,
)

# %% [markdown]
# **3. Whose attacks?** How many of the impossible captures that are listed after the moves of this
# chapter are made by the side that is to move?

# %% tags=["solution", "hide-cell"] mystnb={"code_prompt_show": "A solution: the piece that captures has the colour of the side to move"}
# The piece that captures has the colour of the side to move.
of_mover = 0
for fen in stages[1]:
    after_move = chess.Board(fen)
    for piece, _, bad in listed(after_move):
        of_mover += bad and piece.color == after_move.turn
of_mover = int(of_mover)
print(f"{of_mover} of {impossible.sum()}")

# %% tags=["check", "remove-cell"]
report.check(
    "Go through `listed` again and compare the colours: one count.",
    of_mover=of_mover,
)
