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
import tempfile
from pathlib import Path

import chess
import chess.svg
import matplotlib.pyplot as plt
import numpy as np
import pandas as pd
from myst_nb import glue
from chessgloss import assets, report
from chessgloss.experts import load_expert
from chessgloss.llm import replay
from chessgloss.stats import mean_interval
from chessgloss.book.profiles import load_sizes
from chessgloss.skill import analyses, artefacts, dashboard, elo, known, validation
from chessgloss.skill import static_scores as scores
from chessgloss.skill.elo_players import ELOS, HELD_OUT, EloPlayer
from chessgloss.skill.engine_players import LevelPlayer, NnuePlayer, StockfishPlayer
from chessgloss.skill.grading import MOVE_GRADES, grade as grade_move, position_key
from chessgloss.skill.levels import LEVELS, read_level_games
from chessgloss.skill.llm_players import LlmPlayer
from chessgloss.skill.static_players import (
    REASONED_PLAY, answer_states, answers_of, check_reasons, model_plays, reasoned_of,
    suite_concepts)
from chessgloss.skill.suite import positions_of, read_suite
from chessgloss.store import Evidence, default_store, find_project
from chessgloss.tracking.runs import tracking_players

# %% tags=["hide-input"]
sizes = load_sizes("11_static_positions", profile)
report.use_house_style()
folder = find_project() / "data" / "static"
stored = read_level_games(folder / "games.tsv.zst")
suite = read_suite(folder / "suite.json")
chosen = suite.first_games(sizes.games)
positions, asked = positions_of(chosen, stored), artefacts.ask_suite(chosen, stored)
kept = analyses.read_tables(analyses.tables_path(folder, artefacts.SETTINGS))
tables = analyses.find_tables(positions, artefacts.SETTINGS, kept={} if fresh else kept,
                              store=default_store())

# %%
entry = chosen[position_number]
board, played_move = chess.Board(entry.fen), chess.Move.from_uci(entry.played)
arrow = chess.svg.Arrow(played_move.from_square, played_move.to_square, color="#D55E00c0")
drawing = chess.svg.board(board, size=300, arrows=[arrow], orientation=board.turn)
report.Html(drawing, board.fen())

# %%
print(f"{entry.name}: {'White' if board.turn else 'Black'} to move; "
      f"played in the game: {board.san(played_move)}")
print(f"{len(suite)} positions in version {suite.version} of the suite, {len(chosen)} used here")

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
values = pd.Series(dict(tables[position_number].values)).sort_values()
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
library_grade = grade_move(tables[position_number], entry.played)
library_random = scores.random_sheet([entry.name], [tables[position_number]]).iloc[0]
assert (library_grade.grade, library_grade.loss) == (mark_of(lost[san])[0], lost[san])
assert (entry.grade, entry.loss) == (library_grade.grade, library_grade.loss)
assert np.isclose(library_random["mark"], np.mean(marks))
print(f"{library_grade.grade}, {library_grade.loss:.0f};",
      f"random {library_random['mark']:.2f}")

# %% [markdown]
# ## The suite
#
# Each of the two hundred stored games gives two positions: one from moves 4 to 6 or, in every
# second game, from moves 13 to 24, and one from 5 to 8 moves before the end. The file holds the
# move really played and its grade. A position is *tactical* if a king or material is at stake at
# once (a check, a mate, a capture that wins material, a piece that hangs, a safe fork), else
# *quiet*; the board alone decides.

# %%
frame = dashboard.suite_frame(chosen)
names, clusters = list(frame["name"]), frame["game"].to_numpy()
counts = {"positions": len(frame), "games": frame["game"].nunique(),
          "White to move": int((frame["side"] == "White").sum())}
for column in ("band", "phase", "kind"):
    counts |= {f"{column}: {key}": int(n) for key, n in frame[column].value_counts().items()}
report.boards(report.sheet("suite", counts), report.board(positions[0], size=230),
              report.board(positions[len(chosen) // 2 + 1], size=230))

# %%
played = frame.assign(loss=[one.loss for one in chosen], grade=[one.grade for one in chosen])
baseline = pd.DataFrame({
    "plan's Elo": {one.level: one.elo for one in chosen},
    "loss of the move played": scores.by_group(played, played["level"], clusters, seed=seed)})
shares = pd.crosstab(played["level"], played["grade"], normalize="index")
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
engines = [LevelPlayer(level, folder / "level_answers.tsv") for level in LEVELS]
engines += [StockfishPlayer(nodes) for nodes in sizes.nodes] + [NnuePlayer(expert)]
readers = tracking_players()
answers = answers_of([*engines, *readers], asked)
told = [one for one in chosen if one.number < sizes.model_games]
told_asked = artefacts.ask_suite(told, stored)
client = replay("static", model)
seen = suite_concepts(told_asked, expert)
models = [LlmPlayer(client, play, seen) for play in model_plays()]
said = answers_of(models, told_asked)

# %%
glue("model_games", sizes.model_games, display=False)
example = told_asked[0]
lines = {name: given[0].text for name, given in {**answers, **said}.items()}
report.boards(report.board(example.position, size=260),
              report.table(pd.DataFrame({"first position": lines})))

# %% [markdown]
# ## Is it a move at all?
#
# An answer is a legal move, an illegal one, unreadable, a refusal or an error. None of them
# leaves the denominator. The plan's code drops illegal moves from the mean mark and counts
# errors as legal moves with mark 0; both ways stand in the table further down.

# %%
report.table(answer_states({**answers, **said}))

# %% [markdown]
# What does the language model say most often, and how often? A player that looks at the board
# does not give one answer on every other board. An answer in SAN where UCI was asked for, or the
# other way round, is read as the move that it names.

# %%
texts = {name: pd.Series([one.text for one in given]).value_counts()
         for name, given in said.items()}
habits = {name: [f"{text} ({count})" for text, count in counts.head(4).items()]
          for name, counts in texts.items()}
report.table(pd.DataFrame.from_dict(habits, orient="index").fillna(""),
             caption=f"The commonest answers, of {len(told)}")

# %% [markdown]
# ## Marks and losses
#
# Marks go from 5 (Excellent) to 1 (Blunder); an answer that is no legal move gets 1. `lost` is
# the mean loss of the legal moves in centipawns; `charged` adds the failures at the price of the
# worst legal move; `weighted` gives every phase and kind of position the same voice. So that
# players can be compared, this table holds the {glue:text}`told` positions that all answered;
# the last column has the loss in all {glue:text}`positions` for those who were asked in all.

# %%
row_of = {name: row for row, name in enumerate(names)}
rows = [row_of[one.name] for one in told_asked]
told_tables, told_names = [tables[row] for row in rows], [names[row] for row in rows]
sheets = {name: scores.grade_sheet(names, tables, given) for name, given in answers.items()}
sheets["random"] = scores.random_sheet(names, tables)
told_sheets = {name: scores.grade_sheet(told_names, told_tables, given)
               for name, given in said.items()}
told_frame, told_clusters = frame.iloc[rows], clusters[rows]

# %%
def common(name):
    return (sheets[name].iloc[rows] if name in sheets else told_sheets[name]).reset_index(drop=True)

shared = {name: dashboard.make_page(name, common(name), told_frame, seed=seed)
          for name in (*sheets, *told_sheets)}
every = dashboard.page_frame(row for page in shared.values() for row in page)
whole = every[every["grouping"] == "all"].set_index(["player", "measure"])
order = whole["value"].xs("charged", level="measure").sort_values(kind="stable").index
overall = {name: scores.overall(common(name), told_clusters, seed=seed) for name in order}

# %%
shown = pd.DataFrame({name: {"mark": f"{one['score']:.2f}", "legal": f"{one['legal_rate']:.2f}",
                             "lost": f"{one['acpl']:.0f}" if "acpl" in one else "",
                             "charged": f"{one['charged']:.0f}", "best move": one["best"].value}
                      for name, one in overall.items()}).T
shown["weighted"] = [whole.loc[(name, "weighted"), "value"] for name in order]
shown["plan's mark"] = [whole.loc[(name, "plan_score"), "value"] for name in order]
shown["all positions"] = [sheets[name]["charged"].mean() if name in sheets else np.nan
                          for name in order]
report.table(shown, caption="Every player, the best first; intervals resample games")

# %%
fig, ax = plt.subplots(figsize=(7.0, 0.32 * len(order) + 1.0))
left = np.zeros(len(order))
for grade, colour in zip((*MOVE_GRADES, "failures"), report.PALETTE, strict=False):
    share = np.array([1 - sum(whole.loc[(name, each), "value"] for each in MOVE_GRADES)
                      if grade == "failures" else whole.loc[(name, grade), "value"]
                      for name in order])
    ax.barh(order, share, left=left, label=grade, color=colour)
    left += share
ax.invert_yaxis()
ax.set(xlabel="share of answers", xlim=(0, 1))
ax.legend(ncols=6, loc="upper center", bbox_to_anchor=(0.4, 1.12), fontsize=8)
plt.show()

# %% [markdown]
# ## Where they lose
#
# The same answers by where the position comes from. The level is that of the *game* the position
# was taken from, not of the player.

# %%
broken = every[(every["measure"] == "charged") & every["grouping"].isin(dashboard.GROUPINGS)]
wide = broken.pivot(index="player", columns=["grouping", "group"], values="value").loc[order]
wide = wide.reindex(columns=broken[["grouping", "group"]].drop_duplicates().to_records(
    index=False).tolist())
wide.columns = [f"{grouping}: {group}" for grouping, group in wide.columns]
report.table(wide.T, caption="Mean loss in centipawns, failures charged", digits=0)

# %%
bands = {}
contrasts = (("band", "late", "early"), ("kind", "tactical", "quiet"), ("level", 5, 20))
for name in order:
    loss = common(name)["charged"].to_numpy()
    bands[name] = {f"{column}: {high} over {low}": scores.cliffs_delta(
        loss[told_frame[column] == high], loss[told_frame[column] == low])
        for column, high, low in contrasts}
report.table(pd.DataFrame(bands).T, caption="Cliff's delta: who loses oftener more")

# %%
motifs = every[(every["measure"] == "charged") & every["grouping"].isin(["motif", "concept"])]
by_motif = motifs.assign(group=motifs["grouping"] + ": " + motifs["group"]).pivot(
    index="group", columns="player", values="value")
sizes_of = motifs.groupby(motifs["grouping"] + ": " + motifs["group"])["n"].max()
report.table(by_motif[order].assign(positions=sizes_of),
             caption="By motif, and by concept that holds for the side to move", digits=0)

# %% [markdown]
# ## Which differences are real?
#
# Two players are compared on the positions both were asked in, by exchanging their losses at
# random within whole games. Neighbours in the table above:

# %%
pairs = {}
for first, second in itertools.pairwise(order):
    found = scores.compare(common(second), common(first), told_clusters, seed=seed,
                           rounds=sizes.rounds)
    pairs[f"{second} after {first}"] = {"loses more": f"{found.difference:.0f}", "p": found.p}
report.table(pd.DataFrame(pairs).T, caption="Centipawns, on the language model's positions",
             digits=3)

# %% [markdown]
# ## Openings, puzzles, people's games
#
# Positions from other sources are scored apart: inside an opening book; mates in two to four and
# studies from PyChess; moves played in the games of the FICS lectures. The book also says how
# popular an answer is: `book share` is the share of its weight that a player's move has.

# %%
sets = artefacts.read_known_sets()
apart = sets.known[:: 1 if profile != "smoke" else 20]
apart_tables = analyses.find_tables([one.position for one in apart], artefacts.SETTINGS,
                                    kept={} if fresh else kept, store=default_store())
apart_asked, apart_names = artefacts.ask_known(apart), [one.name for one in apart]
kinds = pd.Series([one.kind for one in apart])
apart_answers = answers_of(engines, apart_asked)
apart_sheets = {name: scores.grade_sheet(apart_names, apart_tables, given)
                for name, given in apart_answers.items()}
apart_sheets["random"] = scores.random_sheet(apart_names, apart_tables)

# %%
loss_apart = pd.DataFrame({name: sheet["charged"].groupby(kinds).mean()
                           for name, sheet in apart_sheets.items()}).T
known_loss = [table.loss(one.move) for one, table in zip(apart, apart_tables, strict=True)]
loss_apart.loc["the solution, the book, the person"] = pd.Series(known_loss).groupby(kinds).mean()
same = {name: {kind: np.mean([given.uci == one.move for one, given in
               zip(apart, apart_answers[name], strict=True) if one.kind == kind])
               for kind in kinds.unique()} for name in apart_answers}
report.boards(report.table(loss_apart, caption="Mean loss", digits=0),
              report.table(pd.DataFrame(same).T, caption="The very move"))

# %%
book = assets.locate("opening_book")
openings = [row for row, one in enumerate(apart) if one.kind == "opening"]
share = pd.Series({name: np.mean([known.book_share(book, apart[row].position, given[row].uci or "")
                                  for row in openings]) for name, given in apart_answers.items()})
report.table(share.sort_values(ascending=False).to_frame("book share"))

# %% [markdown]
# ## A move and its reason
#
# In some positions the model was also asked for a reason. Whether the move is good is one
# question, whether the reason is true another: its claims are held against the board (claims
# about the evaluation are left out).

# %%
reason_asked = reasoned_of(told_asked)
reasoned = LlmPlayer(client, REASONED_PLAY).reasoned(reason_asked)
reasons = check_reasons(reason_asked, reasoned, seed=seed)
report.sheet("move and reason", {
    "asked": reasons.asked, "legal moves": reasons.legal, "with a reason": reasons.given,
    "claims the board can settle": reasons.claims,
    "false": "none to settle" if reasons.false is None else reasons.false,
    "reasons without a false claim": "none" if reasons.sound is None else reasons.sound})

# %% [markdown]
# ## How many positions are enough?
#
# The plan drew twenty. The half width of a mean's 95 % interval at several sizes of a suite, and
# the positions that it takes to tell neighbours apart in four of five tries.

# %%
ns = (10, 20, 50, 100, 200, 500)
curves = pd.DataFrame({name: scores.spread_at(sheets[name]["charged"], ns, seed=seed)
                       for name in sheets})
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
    one, other = common(first)["charged"], common(second)["charged"]
    needed[f"{second} after {first}"] = {
        "difference": float((other - one).mean()),
        "positions needed": scores.positions_to_tell(other - one)}
report.table(pd.DataFrame(needed).T, digits=0)

# %% [markdown]
# ## Would another yardstick change the ranking?
#
# The same answers graded with fewer and more nodes, with another cap on decided positions, by
# the chance to win, by marks. Kendall's τ is 1 if the order of all players stays. Tables at
# other limits exist for the first {glue:text}`other_games` games a level.

# %%
small = [row for row in range(len(told)) if told[row].number < artefacts.OTHER_GAMES]
some_names = [told_names[row] for row in small]
some_positions = [told_asked[row].position for row in small]
some_answers = {name: [given[rows[row]] for row in small] for name, given in answers.items()}
some_answers |= {name: [given[row] for row in small] for name, given in said.items()}
base_tables = [told_tables[row] for row in small]
usual = validation.ranking_by(some_answers, some_names, base_tables)

# %%
yardsticks = {"usual": usual}
for setting in artefacts.OTHER_NODES:
    other = analyses.read_tables(analyses.tables_path(folder, setting))
    there = [other[position_key(one)].of(one) for one in some_positions]
    yardsticks[f"{setting.nodes:,} nodes"] = validation.ranking_by(some_answers, some_names, there)
for cap in (300, 10_000):
    yardsticks[f"cap {cap:,}"] = validation.ranking_by(
        some_answers, some_names, base_tables, cap=cap)
for column, name in (("win_loss", "chance to win, legal moves"), ("loss", "legal moves alone")):
    yardsticks[name] = validation.ranking_by(some_answers, some_names, base_tables, value=column)
yardsticks["marks"] = -validation.ranking_by(some_answers, some_names, base_tables, value="mark")

# %%
tau = pd.Series({name: validation.rank_agreement(usual, other)
                 for name, other in yardsticks.items() if name != "usual"})
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
elo_answers = answers_of([EloPlayer(one, folder / "elo_answers.tsv") for one in ELOS], asked)
elo_losses = {one: scores.grade_sheet(names, tables, given)["charged"].to_numpy()
              for one, given in zip(ELOS, elo_answers.values(), strict=True)}
fitted, held = elo.held_out(elo_losses, HELD_OUT)
missed = float(held.loc[held["held_out"], "error"].abs().mean())
report.table(held, caption="UCI_Elo and what the line gives", digits=0)

# %%
told_losses = {one: losses[rows] for one, losses in elo_losses.items()}
told_model = elo.held_out(told_losses, HELD_OUT)[0]
estimates = {}
for name in order:
    mine = common(name)["charged"].to_numpy()
    interval = elo.estimate_player(told_losses, mine, told_clusters, kept_out=HELD_OUT, seed=seed)
    estimates[name] = elo.tell_estimate(told_model, float(mine.mean()), interval)
report.table(pd.DataFrame({"estimate": estimates}),
             caption="Estimated from the positions that all answered")

# %% [markdown]
# On the four strengths held out the line is off by {glue:text}`missed:.0f` on average. Where a
# player loses more or less than all fitted strengths, only a bound is told. The intervals hold
# for the choice of games, not for the line's shape.
#
# ## One page a player
#
# Each in all positions that it was asked in.

# %%
pages = {name: dashboard.make_page(name, sheet, frame, seed=seed)
         for name, sheet in sheets.items()} | {name: shared[name] for name in told_sheets}
dashboard.show_pages(pages[name] for name in order)

# %%
with tempfile.TemporaryDirectory() as target:
    about = {"suite": suite.version, "games_sha256": suite.games, "graded_by": suite.graded_by}
    written = [row for name in order for row in pages[name]]
    plain, structured = dashboard.export(written, Path(target), about=about)
    print(f"{plain.name}: {len(pd.read_csv(plain)):,} rows;",
          f"{structured.name}: {structured.stat().st_size // 1024} KiB")

# %% [markdown]
# ## Recap
#
# - {glue:text}`positions` positions from {glue:text}`suite_games` games; the language model
#   answered {glue:text}`told` of them in five ways.
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
ways = {name: overall[name]["legal_rate"].value for name in said}
best_way = max(ways, key=ways.get)
mark = {name: one["score"].value for name, one in overall.items()}
width = curves["stockfish_05"]

# %% tags=["hide-input"]
for name, value in {
    "positions": len(frame), "suite_games": int(frame["game"].nunique()), "told": len(told),
    "habit": texts["qwen_fen"].index[0],
    "habitual": float(texts["qwen_fen"].iloc[0] / len(told)),
    "qwen_legal": ways["qwen_fen"], "best_way": best_way, "best_legal": ways[best_way],
    "qwen_mark": mark["qwen_fen"], "random_mark": mark["random"], "missed": missed,
    "nnue_mark": mark["nnue_one_ply"], "level5_mark": mark["stockfish_05"],
    "least_tau": float(tau.min()), "least_name": str(tau.idxmin()),
    "width20": float(width[20]), "width200": float(width[200]),
    "other_games": artefacts.OTHER_GAMES,
}.items():
    glue(name, value, display=False)

# %% tags=["hide-input"]
reader = max((one.name for one in readers), key=mark.get)
for name, value in {"reader": reader, "reader_mark": mark[reader],
                    "reader_legal": overall[reader]["legal_rate"].value}.items():
    glue(name, value, display=False)

# %% tags=["hide-input"]
of = report.Result.of
results = {"suite.positions": report.Result(len(suite), unit="positions"),
           "dashboard.pages": report.Result(len(pages), unit="players"),
           "static.elo.held_out_error": report.Result(missed, n=len(HELD_OUT), unit="Elo"),
           "static.ranking.least_tau": report.Result(float(tau.min()), unit="Kendall's tau")}
for name, one in overall.items():
    results[f"static.score.{name}"] = of(one["score"], "mark, 1 to 5")
    results[f"static.legal_rate.{name}"] = of(one["legal_rate"], "share of answers")
    results[f"static.charged.{name}"] = of(one["charged"], "centipawns")
    if "acpl" in one:
        results[f"static.acpl.{name}"] = of(one["acpl"], "centipawns")

# %% tags=["hide-input"]
moved = mean_interval(played["loss"], clusters, seed=seed)
results["suite.played.acpl"] = of(moved, "centipawns")
if reasons.sound is not None:
    results["static.reasons.sound"] = of(reasons.sound, "share of reasons")
if reasons.false is not None:
    results["static.reasons.false_claims"] = of(reasons.false, "share of claims")
report.save("11_static_positions", results)

# %% tags=["hide-input"]
report.evidence(Evidence(
    len(frame), "positions", seed, frame["game"].nunique(),
    "95 % over games; shares Wilson, else bootstrap",
    {"model": model, "Stockfish": f"15.1, {artefacts.SETTINGS.nodes:,} nodes for five lines",
     "suite": f"version {suite.version}", "prompts": "play_san@1, play_uci@1, play_reason@1"}))
