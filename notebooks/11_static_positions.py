# ---
# jupyter:
#   kernelspec:
#     display_name: Python 3 (ipykernel)
#     language: python
#     name: python3
# ---

# %% [markdown]
# # Static positions: who plays how well?
#
# A language model need not play whole games to show how it plays. The plan for static positions
# takes positions out of games between engines of five levels, asks for one move in each, and
# grades the move. It drew twenty positions and left its statistics open; here there are
# {glue:text}`positions`, one of them below, and each number carries its interval. Told the FEN,
# {glue:text}`qwen_legal:.0%` of the language model's answers are legal moves, and its mark is
# {glue:text}`qwen_mark:.2f`; a random legal move gets {glue:text}`random_mark:.2f`, Stockfish at
# level 5 {glue:text}`level5_mark:.2f`, of 5.

# %% tags=["parameters", "hide-input"]
profile = "book"
seed = 1
model = "qwen2.5-coder-1.5b-q4_k_m"
fresh = False
position_number = 6

# %% tags=["hide-input"]
import itertools

import chess
import chess.polyglot
import chess.svg
import matplotlib.pyplot as plt
import numpy as np
import pandas as pd
from myst_nb import glue
from scipy.stats import mannwhitneyu, norm
from chessgloss import assets, report
from chessgloss.book.profiles import load_sizes
from chessgloss.claims import verify
from chessgloss.experts import load_expert
from chessgloss.llm.client import replay
from chessgloss.positions import MoveInContext
from chessgloss.skill import artefacts, grading
from chessgloss.skill.grading import (
    GRADES, MOVE_GRADES, graded_answers, graded_moves, position_key, random_answers)
from chessgloss.skill.levels import LEVELS, read_level_games
from chessgloss.skill.players import (
    ELOS, Asked, LlmPlayer, NnuePlayer, StockfishPlayer, WeakenedPlayer, concepts_in_words)
from chessgloss.skill.suite import (
    MODEL_PLAYS, VERSION, ask, data_folder, describe_positions, positions_of, read_known_sets,
    read_suite, reason_asked)
from chessgloss.stats import bootstrap, mean_interval, means_by, paired_permutation
from chessgloss.store import default_store
from chessgloss.tracking.runs import tracking_players

# %% tags=["hide-input"]
sizes = load_sizes("11_static_positions", profile)
report.use_house_style()
folder, settings = data_folder(), artefacts.SETTINGS
stored = read_level_games(folder / "games.tsv.zst")
suite = read_suite(folder / "suite.json")
chosen = suite[suite["number"] < sizes.games].reset_index(drop=True)
positions = positions_of(chosen, stored)
asked = ask(chosen, positions)
kept = {} if fresh else grading.read_tables(grading.tables_path(folder, settings))
tables = dict(zip(chosen["name"], grading.find_tables(positions, settings, kept, default_store()),
                  strict=True))

# %%
entry = chosen.iloc[position_number]
board, played_move = chess.Board(entry.fen), chess.Move.from_uci(entry.played)
arrow = chess.svg.Arrow(played_move.from_square, played_move.to_square, color="#D55E00c0")
drawing = chess.svg.board(board, size=300, arrows=[arrow], orientation=board.turn)
report.Html(drawing, board.fen())

# %%
print(f"{entry['name']}: {'White' if board.turn else 'Black'} to move; "
      f"played in the game: {board.san(played_move)}")
print(f"{len(suite)} positions in version {VERSION} of the suite, {len(chosen)} used here")

# %% [markdown]
# In this chapter we
#
# - grade one move by hand;
# - look at the suite of positions and at the moves really played in them;
# - let engines, a bare network, a random mover and a language model answer;
# - count legal moves first, and never drop an answer from the count;
# - compare losses, marks and grades, by level, phase and kind of position;
# - score openings, puzzles and people's games apart;
# - ask how many positions are enough, and whether another yardstick would change the ranking;
# - estimate an Elo, with strengths held out to see how far off it is;
# - give every player one page of the same form, as CSV and JSON too.
#
# ## One move, graded by hand
#
# Every legal move of every position has a value: Stockfish's, in centipawns for the side to move,
# from 20,000 nodes for each five moves, kept in a file. A mate counts about 10,000.

# %%
values = pd.Series(tables[entry["name"]].values).sort_values()
values.index = [board.san(chess.Move.from_uci(uci)) for uci in values.index]
print("(n_legal_moves,) =", values.shape, "best:", values.index[-1], values.iloc[-1])

# %% [markdown]
# A move loses the difference to the best one, both cut at ±1,000, so that ways to win a won game
# differ little. The plan's grades are steps on that scale, and a mark goes with each.

# %%
def loss_of(value, best, cap=1_000):
    return np.clip(best, -cap, cap) - np.clip(value, -cap, cap)


def mark_of(loss):
    steps = {"Excellent": 10, "Good": 30, "Inaccuracy": 60, "Mistake": 100,
             "Blunder": np.inf}
    grades = [name for name, bound in steps.items() if loss <= bound]
    return grades[0], len(grades)  # 5 for Excellent, 1 for Blunder


lost = loss_of(values, values.max())
marks = [mark_of(loss)[1] for loss in lost]
san = board.san(played_move)
print(f"{san}: value {values[san]}, loss {lost[san]:.0f} centipawns, grade and mark "
      f"{mark_of(lost[san])}")
print(f"a random legal move: loss {lost.mean():.0f}, mark {np.mean(marks):.2f}")

# %%
figure, axes = plt.subplots(figsize=(7, 3.2))
colours = [report.PALETTE[5 - mark] for mark in marks]
axes.bar(values.index, values.clip(-1_000, 1_000), color=colours)
for mark in sorted(set(marks), reverse=True):
    axes.bar(0, 0, color=report.PALETTE[5 - mark], label=f"mark {mark}")
axes.bar(san, values.clip(-1_000, 1_000)[san], fill=False, edgecolor="black",
         linewidth=1.5)
axes.axhline(0, color="grey", linewidth=1)
axes.set_ylabel("centipawns, cut at ±1,000")
axes.tick_params(axis="x", rotation=90, labelsize=7)
axes.legend(ncols=5, loc="lower center", bbox_to_anchor=(0.5, 1))
plt.show()

# %% [markdown]
# The framed bar is the move played. Another `position_number`, and the bars change. The library
# grades all answers so; its grade of the move played, the grade in the file of the suite and its
# random legal move are the same:

# %%
moves = graded_moves(tables)
library = moves.loc[(entry["name"], entry["played"])]
library_random = random_answers([entry["name"]], moves).iloc[0]
assert (library["grade"], library["loss"]) == (mark_of(lost[san])[0], lost[san])
assert (entry["grade"], entry["loss"]) == (library["grade"], library["loss"])
assert np.isclose(library_random["mark"], np.mean(marks))
print(f"{library['grade']}, {library['loss']:.0f};", f"random {library_random['mark']:.2f}")

# %% [markdown]
# ## The suite
#
# Each of the two hundred stored games gives two positions: one from moves 4 to 6 or, in every
# second game, from moves 13 to 24, and one from 5 to 8 moves before the end. The file holds the
# move really played and its grade. A position is *tactical* if a king or material is at stake at
# once (a check, a mate, a capture that wins material, a piece that hangs, a safe fork), else
# *quiet*; the board alone decides.

# %%
frame = chosen.join(describe_positions(chosen["fen"]))
counts = {"positions": len(frame), "games": frame["game"].nunique(),
          "White to move": int((frame["side"] == "White").sum())}
for column in ("band", "phase", "kind"):
    counts |= {f"{column}: {key}": int(n) for key, n in frame[column].value_counts().items()}
report.boards(report.sheet("suite", counts), report.board(positions[0], size=230),
              report.board(positions[len(chosen) // 2 + 1], size=230))

# %%
baseline = pd.DataFrame({
    "plan's Elo": frame.groupby("level")["elo"].first(),
    "loss of the move played": means_by(frame, "level", "loss", cluster="game", seed=seed)})
shares = pd.crosstab(frame["level"], frame["grade"], normalize="index")
report.table(baseline.join(shares.reindex(columns=list(MOVE_GRADES), fill_value=0.0)),
             caption="The baseline: moves really played, by Skill Level")

# %% [markdown]
# ## The players
#
# Stockfish searches a fixed number of nodes, or plays at a `Skill Level` (recorded once, since
# that option draws from the clock). `nnue_one_ply` plays the move after which Stockfish's
# network, without any search, likes its side best. A random legal move needs no lot: its result
# is the mean over all moves. The language model is asked in five ways in the positions of the
# first {glue:text}`model_games` games a level: with the FEN, the same answered in UCI, with the
# last moves added, with the game alone, and with what concept vectors see in the network. The
# `tracking` players are the small models of chapter 12: trained on games and nothing else, they
# read the moves and say the next, without a board.

# %%
expert = load_expert("nnue")
engines = [WeakenedPlayer(level, folder / "level_answers.tsv") for level in LEVELS]
engines += [StockfishPlayer(nodes) for nodes in sizes.nodes] + [NnuePlayer(expert)]
readers = tracking_players()
in_common = frame[frame["number"] < sizes.model_games]
model_asked = [asked[row] for row in in_common.index]
client = replay("static", model)
concepts = concepts_in_words(model_asked, expert)
models = [LlmPlayer(client, play, concepts) for play in MODEL_PLAYS]


def ask_all(players, asked):
    """Return the answers of each player as a series by the name of the position."""
    names = [question.name for question in asked]
    return {player.name: pd.Series(player.choose(asked), index=names) for player in players}


answers = ask_all([*engines, *readers], asked)
model_answers = ask_all(models, model_asked)
answers |= model_answers

# %%
glue("model_games", sizes.model_games, display=False)
example = model_asked[0]
lines = {name: given[example.name].text for name, given in answers.items()}
report.boards(report.board(example.position, size=260),
              report.table(pd.DataFrame({"first position": lines})))

# %% [markdown]
# ## Is it a move at all?
#
# An answer is a legal move, an illegal one, unreadable, a refusal or an error. None of them
# leaves the denominator. The plan's code drops illegal moves from the mean mark and counts
# errors as legal moves with mark 0; both ways stand in the table further down.

# %%
states = {name: given.map(lambda answer: answer.state).value_counts()
          for name, given in answers.items()}
report.table(pd.DataFrame(states).T.fillna(0).astype(int))

# %% [markdown]
# What does the language model say most often, and how often? A player that looks at the board
# does not give one answer on every other board. An answer in SAN where UCI was asked for, or the
# other way round, is read as the move that it names.

# %%
texts = {name: given.map(lambda answer: answer.text).value_counts()
         for name, given in model_answers.items()}
habits = {name: [f"{text} ({count})" for text, count in counts.head(4).items()]
          for name, counts in texts.items()}
report.table(pd.DataFrame.from_dict(habits, orient="index").fillna(""),
             caption=f"The commonest answers, of {len(in_common)}")

# %% [markdown]
# ## Marks and losses
#
# Marks go from 5 (Excellent) to 1 (Blunder); an answer that is no legal move gets 1. `lost` is
# the mean loss of the legal moves in centipawns; `charged` adds the failures at the price of the
# worst legal move; `weighted` gives every phase and kind of position the same voice. So that
# players can be compared, this table holds the {glue:text}`model_positions` positions that all
# answered; the last column has the loss in all {glue:text}`positions` for those who were asked in
# all.

# %%
sheets = {name: graded_answers(given, moves) for name, given in answers.items()}
sheets["random"] = random_answers(frame["name"], moves)
graded = pd.concat(sheets, names=["player"]).reset_index("player")
graded = graded.merge(frame.drop(columns=["loss", "grade"]), on="name")
common = graded[graded["name"].isin(in_common["name"])]
overall = pd.DataFrame({
    measure: means_by(common.dropna(subset=measure), "player", measure, cluster="game", seed=seed)
    for measure in ("mark", "legal", "loss", "charged", "best")})
charged = common.pivot(index="name", columns="player", values="charged").loc[in_common["name"]]
charged = charged[charged.mean().sort_values(kind="stable").index]
order = charged.columns

# %% [markdown]
# One row an answer, beside what is known of its position; a number of a player is a mean:

# %%
report.table(common[["player", "name", "legal", "mark", "loss", "charged", "level", "phase",
                     "kind"]].sample(5, random_state=seed).set_index("player"), digits=0)

# %%
shown = overall.loc[order].map(lambda mean: f"{mean:.2f}", na_action="ignore")
for measure in ("loss", "charged"):
    shown[measure] = overall[measure].map(lambda mean: f"{mean:.0f}", na_action="ignore")
shown["best"] = overall["best"].map(lambda mean: mean.value)
shown = shown.rename(columns={"loss": "lost", "best": "best move"}).fillna("")
cells = common.groupby(["player", "phase", "kind"])["charged"].mean()
shown["weighted"] = cells.groupby("player").mean()
legible = common[common["Illegal"] == 0]
shown["plan's mark"] = (legible["mark"] * legible["legal"]).groupby(legible["player"]).mean()
in_all = graded[~graded["player"].isin(list(model_answers))]
shown["all positions"] = in_all.groupby("player")["charged"].mean()
report.table(shown, caption="Every player, the best first; intervals resample games")

# %%
grades = common.groupby("player")[list(GRADES)].mean().loc[order[::-1]]
grades = grades[list(MOVE_GRADES)].assign(failures=1 - grades[list(MOVE_GRADES)].sum(axis=1))
ax = grades.plot.barh(stacked=True, color=report.PALETTE, width=0.8,
                      figsize=(7.0, 0.32 * len(order) + 1.0))
ax.set(xlabel="share of answers", ylabel="", xlim=(0, 1))
ax.legend(ncols=6, loc="upper center", bbox_to_anchor=(0.4, 1.12), fontsize=8)
plt.show()

# %% [markdown]
# ## Where they lose
#
# The same answers by where the position comes from. The level is that of the *game* the position
# was taken from, not of the player.

# %%
groupings = ("level", "band", "phase", "side", "kind")
by_place = pd.concat({column: common.groupby([column, "player"])["charged"].mean().unstack()
                      for column in groupings})
by_place.index = [f"{column}: {group}" for column, group in by_place.index]
report.table(by_place[order], caption="Mean loss in centipawns, failures charged", digits=0)

# %%
def cliffs_delta(first, second):
    """Return how much oftener the first is larger than the second, -1 to 1 (Cliff 1993)."""
    return 2 * mannwhitneyu(first, second).statistic / (len(first) * len(second)) - 1


bands, places = {}, in_common.set_index("name")
for column, high, low in (("band", "late", "early"), ("kind", "tactical", "quiet"),
                          ("level", 5, 20)):
    bands[f"{column}: {high} over {low}"] = {name: cliffs_delta(
        charged.loc[places[column] == high, name], charged.loc[places[column] == low, name])
        for name in order}
report.table(pd.DataFrame(bands), caption="Cliff's delta: who loses oftener more")

# %%
motifs = [name for name in in_common.columns[in_common.columns.str.contains("motif |concept ")]
          if in_common[name].any()]
by_motif = pd.DataFrame({name: charged[places[name]].mean() for name in motifs}).T
report.table(by_motif.assign(positions=in_common[motifs].sum()),
             caption="By motif, and by concept that holds for the side to move", digits=0)

# %% [markdown]
# ## Which differences are real?
#
# Two players are compared on the positions both were asked in, by exchanging their losses at
# random within whole games. Neighbours in the table above:

# %%
pairs = {}
for first, second in itertools.pairwise(order):
    test = paired_permutation(charged[second], charged[first], in_common["game"], seed=seed,
                              rounds=sizes.rounds)
    pairs[f"{second} after {first}"] = {"loses more": f"{test.difference:.0f}", "p": test.p}
report.table(pd.DataFrame(pairs).T, caption="Centipawns, on the language model's positions",
             digits=3)

# %% [markdown]
# ## Openings, puzzles, people's games
#
# Positions from other sources are scored apart: inside an opening book; mates in two to four and
# studies from PyChess; moves played in the games of the FICS lectures. The book also says how
# popular an answer is: `book share` is the share of its weight that a player's move has.

# %%
apart = read_known_sets().known[:: 1 if profile != "smoke" else 20]
apart_asked = [Asked(known.name, known.position) for known in apart]
apart_tables = grading.find_tables([known.position for known in apart], settings, kept,
                                   default_store())
apart_frame = pd.DataFrame([(known.name, known.kind, known.move) for known in apart],
                           columns=["name", "kind", "move"])
apart_moves = graded_moves(dict(zip(apart_frame["name"], apart_tables, strict=True)))
apart_answers = ask_all(engines, apart_asked)
apart_sheets = {name: graded_answers(given, apart_moves)
                for name, given in apart_answers.items()}
apart_sheets["random"] = random_answers(apart_frame["name"], apart_moves)

# %%
lost_apart = pd.DataFrame({name: sheet["charged"] for name, sheet in apart_sheets.items()})
lost_apart["the solution, the book, the person"] = apart_moves.loc[
    list(zip(apart_frame["name"], apart_frame["move"], strict=True)), "loss"].to_numpy()
same = pd.DataFrame({name: given.map(lambda answer: answer.uci).to_numpy() == apart_frame["move"]
                     for name, given in apart_answers.items()})
report.boards(
    report.table(lost_apart.groupby(apart_frame["kind"]).mean().T, caption="Mean loss", digits=0),
    report.table(same.groupby(apart_frame["kind"]).mean().T, caption="The very move"))

# %%
def book_share(reader, board, uci):
    weights = {entry.move.uci(): entry.weight for entry in reader.find_all(board)}
    return weights.get(uci, 0) / sum(weights.values())


openings = [known for known in apart if known.kind == "opening"]
with chess.polyglot.open_reader(assets.locate("opening_book")) as reader:
    share = pd.Series({
        name: np.mean([book_share(reader, known.position.board(), given[known.name].uci)
                       for known in openings]) for name, given in apart_answers.items()})
report.table(share.sort_values(ascending=False).to_frame("book share"))

# %% [markdown]
# ## A move and its reason
#
# In some positions the model was also asked for a reason. Whether the move is good is one
# question, whether the reason is true another: its claims are held against the board (claims
# about the evaluation are left out).

# %%
questions = reason_asked(model_asked)
reasoned = LlmPlayer(client, "fen_reason").reasoned(questions)
legal_moves = [(question, answer, reason) for question, (answer, reason)
               in zip(questions, reasoned, strict=True) if answer.legal]
verdicts = {}
for question, answer, reason in legal_moves:
    if reason:
        claims = verify(reason, MoveInContext(question.position, answer.uci))
        verdicts[question.name] = [claim.verdict for claim in claims
                                   if claim.verdict != "not checkable"]
flags = [(name, verdict == "false") for name, each in verdicts.items() for verdict in each]
false_claims = mean_interval([flag for _, flag in flags], [name for name, _ in flags],
                      seed=seed) if flags else None
sound = mean_interval(["false" not in each for each in verdicts.values()],
                      seed=seed) if verdicts else None
report.sheet("move and reason", {
    "asked": len(questions), "legal moves": len(legal_moves), "with a reason": len(verdicts),
    "claims the board can settle": len(flags),
    "false": "none to settle" if false_claims is None else false_claims,
    "reasons without a false claim": "none" if sound is None else sound})

# %% [markdown]
# ## How many positions are enough?
#
# The plan drew twenty. The half width of a mean's 95 % interval at several sizes of a suite, and
# the positions that it takes to tell neighbours apart in four of five tries.

# %%
ns = (10, 20, 50, 100, 200, 500)
curves = {}
for name, losses in in_all.groupby("player")["charged"]:
    random, means = np.random.default_rng(seed), {}
    for n in ns:
        means[n] = random.choice(losses, (2_000, n)).mean(axis=1)
    curves[name] = pd.DataFrame(means).quantile([0.025, 0.975]).diff().iloc[1] / 2
curves = pd.DataFrame(curves)
fig, ax = plt.subplots(figsize=(7.0, 3.2))
for name in curves:
    ax.plot(ns, curves[name], marker="o", markersize=3, label=name)
ax.set(xscale="log", xlabel="positions", ylabel="± centipawns (95 %)")
ax.set_xticks(ns, [str(n) for n in ns])
ax.legend(ncols=2, fontsize=8)
plt.show()

# %%
needed = {}
for first, second in itertools.pairwise(order):
    difference = charged[second] - charged[first]
    reach = (norm.ppf(0.975) + norm.ppf(0.8)) * difference.std()
    needed[f"{second} after {first}"] = {
        "difference": difference.mean(), "positions needed": (reach / difference.mean()) ** 2}
report.table(pd.DataFrame(needed).T, digits=0)

# %% [markdown]
# ## Would another yardstick change the ranking?
#
# The same answers graded with fewer and more nodes, with another cap on decided positions, by
# the chance to win, by marks. Kendall's τ is 1 if the order of all players stays. Tables at
# other limits exist for the first {glue:text}`other_games` games a level.

# %%
few = in_common[in_common["number"] < artefacts.OTHER_GAMES]
few_keys = {name: position_key(positions[row]) for row, name in few["name"].items()}
few_tables = {name: tables[name] for name in few_keys}


def ranking(moves, column="charged"):
    """Return the mean of each player in these positions, by other grades of their moves."""
    return pd.Series({
        player: graded_answers(given[list(few_keys)], moves)[column].mean()
        for player, given in answers.items()})


# %%
few_moves = graded_moves(few_tables)
usual, yardsticks = ranking(few_moves), {}
for setting in artefacts.OTHER_NODES:
    other = grading.read_tables(grading.tables_path(folder, setting))
    yardsticks[f"{setting.nodes:,} nodes"] = ranking(
        graded_moves({name: other[key] for name, key in few_keys.items()}))
for cap in (300, 10_000):
    yardsticks[f"cap {cap:,}"] = ranking(graded_moves(few_tables, cap=cap))
yardsticks["chance to win, legal moves"] = ranking(few_moves, "win_loss")
yardsticks["legal moves alone"] = ranking(few_moves, "loss")
yardsticks["marks"] = -ranking(few_moves, "mark")

# %%
tau = pd.Series({name: usual.corr(other, method="kendall") for name, other in yardsticks.items()})
report.table(tau.to_frame("Kendall's τ with the usual ranking"))

# %% [markdown]
# ## An Elo from static positions
#
# Stockfish can be told an Elo (`UCI_Elo`). Twelve such strengths answered the suite with five
# thousand nodes a move; a line from the logarithm of their mean loss to the Elo is fitted on eight
# of them and tried on the other four. The numbers are names of settings: they were calibrated
# at long time controls against other engines, not at these nodes and not against people.
# What comes out says whose losses a player's resemble, no more.

# %%
weakened = ask_all([WeakenedPlayer(elo, folder / "elo_answers.tsv") for elo in ELOS], asked)
elo_losses = pd.DataFrame({elo: graded_answers(given, moves)["charged"]
                           for elo, given in zip(ELOS, weakened.values(), strict=True)})
held_out = list(ELOS[1::3])
fitted = [elo for elo in ELOS if elo not in held_out]


def fit_line(mean_losses):
    """Return slope and intercept from the logarithm of the mean loss (plus one half) to Elo."""
    return np.polyfit(np.log(mean_losses + 0.5), fitted, 1)


def elo_of(line, mean_loss):
    return np.polyval(line, np.log(mean_loss + 0.5))


held = elo_losses.mean().to_frame("loss")
held["estimate"] = elo_of(fit_line(held.loc[fitted, "loss"]), held["loss"])
held["error"] = held["estimate"] - held.index
held["held_out"] = held.index.isin(held_out)
missed = float(held.loc[held["held_out"], "error"].abs().mean())
report.table(held, caption="UCI_Elo and what the line gives", digits=0)

# %%
common_losses = elo_losses.loc[in_common.index, fitted]
common_line, common_means = fit_line(common_losses.mean()), common_losses.mean()


def estimate(rows):
    """Return the Elo of the last column by the line through all others: (positions, 9)."""
    means = rows.mean(axis=0)
    return float(elo_of(fit_line(means[:-1]), means[-1]))


estimates = {}
for name in order:
    loss, bounds = charged[name].mean(), (common_means.min(), common_means.max())
    if bounds[0] <= loss <= bounds[1]:
        columns = np.column_stack([common_losses, charged[name]])
        estimates[name] = f"{bootstrap(columns, estimate, in_common['game'], seed=seed):.0f}"
    else:
        beyond = bounds[int(loss > bounds[1])]
        side = "below" if loss > beyond else "above"
        estimates[name] = f"{side} {elo_of(common_line, beyond):.0f}"
report.table(pd.DataFrame({"estimate": estimates}),
             caption="Estimated from the positions that all answered")

# %% [markdown]
# On the four strengths held out the line is off by {glue:text}`missed:.0f` on average. Where a
# player loses more or less than all fitted strengths, only a bound is in_common. The intervals hold
# for the choice of games, not for the line's shape.
#
# ## One page a player
#
# Each in all positions that it was asked in.

# %%
everywhere, pages = graded.assign(all="positions"), {}
for column in ("all", *groupings, *motifs):
    some = everywhere[everywhere[column] != False]  # noqa: E712
    shares = means_by(some, ["player", column], "legal", cluster="game", seed=seed)
    losses = means_by(some, ["player", column], "charged", cluster="game", seed=seed)
    for name, group in shares.index:
        where = f"{column}: {group}".removesuffix(": True")
        pages[name, where, "legal moves, %"] = shares[name, group].in_percent()
        pages[name, where, "centipawns lost"] = losses[name, group]
pages = pd.Series(pages).rename_axis(["player", "group", "measure"])
report.boards(*(report.table(pages[name].unstack(sort=False), caption=name, digits=0)
                for name in order))

# %%
flat = pd.DataFrame([(*key, mean.value, mean.low, mean.high, mean.n)
                     for key, mean in pages.items()],
                    columns=[*pages.index.names, "value", "low", "high", "n"])
print(f"{len(flat):,} rows; {len(flat.to_csv(index=False)) // 1024} KiB as CSV,",
      f"{len(flat.to_json(orient='records')) // 1024} KiB as JSON")

# %% [markdown]
# ## Recap
#
# - {glue:text}`positions` positions from {glue:text}`suite_games` games; the language model
#   answered {glue:text}`model_positions` of them in five ways.
# - Told the FEN, {glue:text}`qwen_legal:.0%` of its answers are legal moves; the best of its ways
#   is {glue:text}`best_way`, with {glue:text}`best_legal:.0%`.
# - To {glue:text}`habitual:.0%` of the FENs it answers with one and the same move,
#   “{glue:text}`habit`”. Where that is legal, it is legal by chance.
# - Its mark is {glue:text}`qwen_mark:.2f`; a random legal move gets {glue:text}`random_mark:.2f`,
#   the network without search {glue:text}`nnue_mark:.2f`, Stockfish at level 5
#   {glue:text}`level5_mark:.2f`.
# - A model that was trained on games alone and reads only the moves, {glue:text}`reader`, says a
#   legal move in {glue:text}`reader_legal:.0%`; its mark is {glue:text}`reader_mark:.2f`.
# - With twenty positions, as planned, the mean loss of level 5 is known to
#   ±{glue:text}`width20:.0f` centipawns, with two hundred to ±{glue:text}`width200:.0f`.
# - Of the other yardsticks “{glue:text}`least_name`” changes the ranking most: τ is
#   {glue:text}`least_tau:.2f`.
# - The Elo line misses held-out strengths by {glue:text}`missed:.0f` on average.

# %% tags=["hide-input"]
ways = {name: overall.loc[name, "legal"].value for name in model_answers}
best_way = max(ways, key=ways.get)
mark = {name: mean.value for name, mean in overall["mark"].items()}
width = curves["stockfish_05"]

# %% tags=["hide-input"]
for name, value in {
    "positions": len(frame), "suite_games": int(frame["game"].nunique()),
    "model_positions": len(in_common),
    "habit": texts["qwen_fen"].index[0],
    "habitual": float(texts["qwen_fen"].iloc[0] / len(in_common)),
    "qwen_legal": ways["qwen_fen"], "best_way": best_way, "best_legal": ways[best_way],
    "qwen_mark": mark["qwen_fen"], "random_mark": mark["random"], "missed": missed,
    "nnue_mark": mark["nnue_one_ply"], "level5_mark": mark["stockfish_05"],
    "least_tau": float(tau.min()), "least_name": str(tau.idxmin()),
    "width20": float(width[20]), "width200": float(width[200]),
    "other_games": artefacts.OTHER_GAMES,
}.items():
    glue(name, value, display=False)

# %% tags=["hide-input"]
reader = max((player.name for player in readers), key=mark.get)
for name, value in {"reader": reader, "reader_mark": mark[reader],
                    "reader_legal": overall.loc[reader, "legal"].value}.items():
    glue(name, value, display=False)

# %% tags=["hide-input"]
rows = report.rows
report.save(
    "11_static_positions",
    rows(len(suite), "suite.positions", unit="positions"),
    rows(pages.index.get_level_values("player").nunique(), "dashboard.pages", unit="players"),
    rows(report.Result(missed, n=len(held_out), unit="Elo"), "static.elo.held_out_error"),
    rows(tau.min(), "static.ranking.least_tau", unit="Kendall's tau"),
    rows(overall["mark"], "static.score", unit="mark, 1 to 5"),
    rows(overall["legal"], "static.legal_rate", unit="share of answers"),
    rows(overall["charged"], "static.charged", unit="centipawns"),
    rows(overall["loss"], "static.acpl", unit="centipawns", drop=True),
    rows(mean_interval(frame["loss"], frame["game"], seed=seed), "suite.played.acpl",
         unit="centipawns"),
    rows(sound, "static.reasons.sound", unit="share of reasons", drop=True),
    rows(false_claims, "static.reasons.false_claims", unit="share of claims", drop=True))

# %% tags=["hide-input"]
report.evidence(
    len(frame), "positions", seed, frame["game"].nunique(),
    "95 % over games; shares Wilson, else bootstrap",
    {"model": model, "Stockfish": f"15.1, {settings.nodes:,} nodes for five lines",
     "suite": f"version {VERSION}", "prompts": "play_san@1, play_uci@1, play_reason@1"})
