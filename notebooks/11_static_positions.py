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
# Order {glue:text}`n_sure` players by what their moves lose in single positions, and by their rated
# games: the rank correlation is {glue:text}`spearman_sure:.2f`. From that loss the rating of a player
# is predicted to within {glue:text}`error_sure:.0f` points on average.
#
# ```{glue:figure} ratings
# :name: fig-11-ratings
# Each point is a player, most of them a language model; hollow points have played at most 40 rated games. The
# less a player loses a move, the higher its rating. Point at a player, or choose a name.
# ```

# %% tags=["parameters", "hide-input"] mystnb={"code_prompt_show": "Parameters"}
profile = "book"
seed = 1
model = "qwen2.5-coder-1.5b-q4_k_m"
fresh = False
position_number = 6

# %% tags=["hide-input"] mystnb={"code_prompt_show": "Imports, and the recorded answers with their grades"}
import chess
import matplotlib.pyplot as plt
import numpy as np
import pandas as pd
from myst_nb import glue
from numpy.polynomial import Polynomial
from scipy.stats import spearmanr
from sklearn.dummy import DummyRegressor
from sklearn.linear_model import LinearRegression, Ridge
from sklearn.model_selection import LeaveOneGroupOut, cross_val_predict
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import PolynomialFeatures, StandardScaler
from chessgloss import report, stats
from chessgloss.book.profiles import load_sizes
from chessgloss.claims import verify
from chessgloss.experts import load_expert
from chessgloss.llm.client import model_title, recorded_models, replay
from chessgloss.positions import MoveInContext, Position, phase_of
from chessgloss.skill import grading, levels, players, suite
from chessgloss.stats import Interval, mean_interval
from chessgloss.store import default_store
from chessgloss.tracking.player import tracking_players

ILLEGAL = 5_000  # what an answer that is no legal move costs in `priced`
MANY_GAMES = 40  # a rating from more games than these is called well known
PROGRAMS = [
    "Eubos",
    "Maia",
    "random mover",
    "survival bot",
]

sizes = load_sizes("11_static_positions", profile)
report.use_house_style()
folder = suite.data_folder()
recorded = folder / "recorded"
settings = grading.Settings()
store = default_store()


def kept(place, limit=settings):
    """Return the values of moves that a folder keeps, searched with a limit."""
    return {} if fresh else grading.read_tables(grading.tables_path(place, limit))


places = pd.read_csv(recorded / "positions.tsv", sep="\t", index_col="position")
places["phase"] = places["fen"].map(phase_of)
places["kind"] = suite.describe_positions(places["fen"])["kind"].to_numpy()
shown = {name: Position(fen) for name, fen in places["fen"].items()}
tables = grading.find_tables(list(shown.values()), settings, kept(recorded), store)
recorded_moves = grading.graded_moves(dict(zip(shown, tables, strict=True)))

people = [players.RecordedPlayer(path) for path in sorted(recorded.glob("players/*.tsv"))]
sheets = {}
for player in people:
    if unknown := set(player.rows.index) - set(places.index):
        raise ValueError(f"{player.path.name}: no position is called {sorted(unknown)[0]!r}")
    answers = player.choose([players.Asked(name, shown[name]) for name in player.rows.index])
    given = pd.Series(answers, index=player.rows.index)
    sheets[player.name] = grading.graded_answers(given, recorded_moves)
    sheets[player.name]["history"] = player.rows["history"].to_numpy(dtype=bool)
played = pd.concat(sheets, names=["player"]).reset_index("player").join(places, on="name")
played["priced"] = played["uncut"].fillna(ILLEGAL)
played["win_loss"] = played["win_loss"].fillna(1.0)

ratings = pd.read_csv(
    recorded / "ratings.tsv",
    sep="\t",
    index_col="player",
    keep_default_na=False,
    na_values="",
)
roster = ratings.reindex([player.name for player in people])
roster["label"] = roster["label"].fillna(roster.index.to_series())
roster["family"] = roster["family"].fillna("yours")
rated = roster.dropna(subset="rating")
sure = rated[rated["games"] > MANY_GAMES]
cost = played.groupby("player")["priced"].mean()

# %% tags=["hide-input"] mystnb={"code_prompt_show": "The picture of ratings and losses"}
MAKERS = [
    "OpenAI",
    "Google",
    "Anthropic",
    "DeepSeek",
    "xAI",
    "Maia",
]
COLOURS = dict(zip(MAKERS, report.PALETTE, strict=False))
NAMED = {
    "gpt_3_5_turbo_instruct": (-10, -24),
    "gemini_3_1_pro_preview_medium": (-124, 7),
    "maia_1900": (-100, -2),
    "random_bot": (0, -40),
    "gpt_3_5_turbo": (6, -3),
    "gpt_5_2_high": (6, -4),
}
rank = cost.rank(method="first").astype(int)
figure, axes = plt.subplots(figsize=(7.6, 2.4))
said_of = {}
for name, row in rated.iterrows():
    colour = COLOURS.get(row["family"], "#888888")
    style = {"ms": 6} if name in sure.index else {"ms": 4, "mfc": "none", "alpha": 0.5}
    axes.plot(cost[name], row["rating"], "o", color=colour, gid=f"point-{name}", **style)
    if name in NAMED:
        axes.annotate(
            row["label"].replace("$", r"\$"),  # no formula
            (cost[name], row["rating"]),
            NAMED[name],
            fontsize=7,
            textcoords="offset points",
            color=colour,
            arrowprops={"arrowstyle": "-", "color": colour, "linewidth": 0.5},
        )
    said_of[name] = (
        f"{row['label']}: rating {row['rating']:.0f} ± {row['deviation']:.0f}, "
        f"loses {cost[name]:.0f}, rank {rank[name]} of {len(cost)}"
    )
for family, colour in {**COLOURS, "others": "#888888"}.items():
    axes.plot([], [], "o", color=colour, label=family)
axes.plot([], [], "o", color="#888888", mfc="none", ms=4, label=f"at most {MANY_GAMES} games")
axes.set(
    xscale="log",
    ylabel="rating from games (Glicko-2)",
    xlabel="centipawns lost a move, 5,000 if it is illegal (best at the right)",
)
axes.set_xticks([30, 100, 300, 1_000, 3_000], ["30", "100", "300", "1,000", "3,000"])
axes.invert_xaxis()
axes.legend(fontsize=7, loc="upper left")
alt = "Ratings of players over the centipawns they lose a move: the less they lose, the higher."
picture = report.choosable(figure, said_of, "Player", alt=alt, start=sure["rating"].idxmax())
glue("ratings", picture, display=False)

# %% [markdown]
# Must a language model play whole games to show how strong it is, or do its moves in a few single
# positions say it? The plan for static positions proposes such a test: one move in each position,
# graded by an engine. Its own trial had games of Stockfish only. Here it meets players whose
# strength is known from elsewhere.
#
# ## One move, graded by hand
#
# Every legal move of a position has a value: Stockfish's, in centipawns for the side to move, from
# 20,000 nodes for each five moves. A move loses the difference to the best one. Both are cut at
# ±1,000, so that ways to win a won game differ little. The plan's grades are steps on that scale,
# and each has a mark.

# %% tags=["hide-input"] mystnb={"code_prompt_show": "Take a position of our own, and the values of its moves"}
entries = suite.read_suite(folder / "suite.json")
chosen = entries[entries["number"] < sizes.games].reset_index(drop=True)
chosen["kind"] = suite.describe_positions(chosen["fen"])["kind"]
positions = suite.positions_of(chosen, levels.read_level_games(folder / "games.tsv.zst"))
tables = grading.find_tables(positions, settings, kept(folder), store)
moves = grading.graded_moves(dict(zip(chosen["name"], tables, strict=True)))
entry = chosen.iloc[position_number]
board = chess.Board(entry.fen)
in_san = moves.loc[entry["name"]].rename(lambda uci: board.san(chess.Move.from_uci(uci)))
values = in_san["value"].sort_values(ascending=False)


# %%
def loss_of(value, best, cap=1_000):
    return np.clip(best, -cap, cap) - np.clip(value, -cap, cap)


def mark_of(loss):
    steps = {"Excellent": 10, "Good": 30, "Inaccuracy": 60, "Mistake": 100, "Blunder": np.inf}
    grades = [name for name, bound in steps.items() if loss <= bound]
    return grades[0], len(grades)  # 5 for Excellent, 1 for Blunder


san = board.san(chess.Move.from_uci(entry.played))
lost = loss_of(values, values.max())
marks = [mark_of(loss)[1] for loss in lost]
print(f"{san}: loss {lost[san]:.0f} centipawns, grade and mark {mark_of(lost[san])}")
print(f"a random legal move: loss {lost.mean():.0f}, mark {np.mean(marks):.2f}")

# %% tags=["hide-input"] mystnb={"code_prompt_show": "The library grades alike: the board, and some of the moves"}
library = in_san.loc[values.index].rename_axis(None)
assert np.array_equal(library["loss"], lost)
assert list(library["mark"]) == marks
report.boards(
    report.board(MoveInContext(positions[position_number], entry.played), size=220),
    report.table(
        library[["value", "loss", "grade"]].iloc[[*range(5), -1]],
        caption=f"The best of {len(values)} moves, and the worst; {san} was played",
        digits=0,
    ),
)

# %% [markdown]
# Each position is searched as it is and with colours exchanged, and a move's value is the mean of
# the two. In the recorded positions one search alone gives {glue:text}`changed_once:.0f` % of the
# legal moves another grade when the colours are exchanged; the mean gives none another, by
# construction. With a quarter of the nodes it gives {glue:text}`changed_fewer:.0f` % another grade.


# %% tags=["hide-cell"] mystnb={"code_prompt_show": "Moves that keep their grade when the search changes"}
def grades(search, views, limit=settings, turned=False):
    """Return the grade of each move; those of mirror images by the moves they mirror."""
    found = search(views, limit, kept(recorded, limit), store)
    moves = grading.graded_moves(dict(zip(shown, found, strict=True)))["grade"]
    if turned:
        moves = moves.rename(lambda uci: uci.translate(grading.ACROSS), level="uci")
    return moves.sort_index()


def same_grade(first, second):
    return mean_interval(first == second, first.index.get_level_values("name"), seed=seed)


views = list(shown.values())
images = [grading.mirrored(position) for position in views]
one_search = grades(grading.search_tables, views)
one_turned = grades(grading.search_tables, images, turned=True)
mean = grades(grading.find_tables, views)
mean_turned = grades(grading.find_tables, images, turned=True)
fewer = grades(grading.find_tables, views, grading.Settings(5_000))
agreement = {
    "one search, colours exchanged": same_grade(one_search, one_turned),
    "mean of both, colours exchanged": same_grade(mean, mean_turned),
    "mean of both, a quarter of the nodes": same_grade(mean, fewer),
}
report.sheet("moves that keep their grade", {"legal moves": len(mean), **agreement})

# %% [markdown]
# ## The players and their ratings
#
# Answers and ratings are facts of the public *Chess-LLM-Benchmark*; nobody is asked here. A player
# is a file of moves. To add one, put `data/static/recorded/players/your_name.tsv` there and run the
# chapter again; `data/static/README.md` says what such a file contains.
#
# :::{dropdown} What to know of the ratings
# - **The ratings are Glicko-2 points**, a successor of Elo, about on the scale of Lichess's classical games.
#   {glue:text}`below_random` of the {glue:text}`rated` players are rated below a program that moves
#   at random, because two illegal answers forfeit a rated game.
# - **They are the unseeded ones.** The benchmark's own list starts a new player at the rating that
#   its score in these very positions predicts; these ratings have no such start.
# - **Many have hardly played**: {glue:text}`few_games` have at most 40 rated games. The results
#   below are those of the {glue:text}`n_sure` others first.
# - **Nobody answered a position twice**, so no interval here contains how much a player's answers
#   vary.
# :::

# %%
example = people[0]
print(example.path.read_text().splitlines()[:3])
first = example.rows.index[0]
(answer,) = example.choose([players.Asked(first, shown[first])])
print(first, answer.san, *recorded_moves.loc[(first, answer.uci), ["value", "loss", "grade"]])

# %% tags=["hide-input"] mystnb={"code_prompt_show": "Eight scores of each player"}
MEASURES = ["mark", "legal", "best", "charged", "priced", "win_loss", "loss", "uncut"]
scores = played.groupby("player")[MEASURES].mean()
scores["marks_legal"] = played[played["legal"] == 1].groupby("player")["mark"].mean()
core_scores = played[played["set"] == "core"].groupby("player")[MEASURES].mean()
print(f"(n_players, n_scores) = {scores.shape}, from {len(played):,} answers")

# %% [markdown]
# ## Does the score predict strength?
#
# A rating is predicted from one score by a parabola (losses as logarithms). All players of one
# maker, a *family*, are held out at a time, because they share what they learned from. Here for the
# mean loss in which an illegal answer costs 5,000, and for the {glue:text}`n_sure` players with
# more than 40 games:

# %%
family = sure["family"].to_numpy()
rating = sure["rating"].to_numpy()
log_loss = np.log(scores.loc[sure.index, ["priced"]] + 1)
parabola = make_pipeline(StandardScaler(), PolynomialFeatures(2), LinearRegression())
predicted = cross_val_predict(parabola, log_loss, rating, groups=family, cv=LeaveOneGroupOut())
nothing = cross_val_predict(
    DummyRegressor(), log_loss, rating, groups=family, cv=LeaveOneGroupOut()
)
print("(n_players, n_families) =", (len(rating), len(set(family))))
print(f"rank correlation {-spearmanr(log_loss, rating).statistic:.2f}")
print(f"mean error {np.abs(predicted - rating).mean():.0f} points")
print(f"the mean of the others: {np.abs(nothing - rating).mean():.0f}")

# %% [markdown]
# The other scores in the same way. The ridge regression takes five scores and their products. The
# benchmark's own formula was fitted to some of these very players: nothing is held out for it.


# %% tags=["hide-input"] mystnb={"code_prompt_show": "Names of the scores, and the benchmark's formula"}
MEANING = {
    "mark": "plan's mark, illegal moves 1",
    "marks_legal": "plan's mark as in its code, illegal moves left out",
    "loss": "mean loss of legal moves, cut",
    "charged": "mean loss, cut, illegal as the worst move",
    "uncut": "mean loss of legal moves, uncut",
    "priced": "mean loss, uncut, illegal 5,000",
    "win_loss": "chance to win given away, illegal all of it",
    "best": "share of best moves",
    "legal": "share of legal moves",
    "combined": "five of these together",
    "published": "the benchmark's formula",
    "mean": "mean of the other makers' players",
}


def published_formula(scores):
    p = 1 - scores["legal"]
    survives = 100 * ((1 - p) ** 40 + 40 * p * (1 - p) ** 39)
    of_loss = 1298.57 - 200.43 * np.log(scores["priced"] + 1)
    return of_loss + 15.39 * 100 * scores["best"] + 5.85 * survives


# %%
def held_out(x, rows):
    """Return each rating as predicted by the parabola of all other families."""
    x = x[rows.index].to_numpy()
    rating = rows["rating"].to_numpy()
    predicted = np.empty(len(rating))
    for train, test in LeaveOneGroupOut().split(x, groups=rows["family"]):
        predicted[test] = Polynomial.fit(x[train], rating[train], 2)(x[test])
    return predicted


FIVE = ["priced", "legal", "best", "mark", "charged"]
LOSSES = ["loss", "charged", "uncut", "priced", "win_loss"]
features = scores.copy()
features[LOSSES] = np.log(scores[LOSSES] + [1, 1, 1, 1, 0.01])
products = PolynomialFeatures(2, include_bias=False)
ridge = make_pipeline(StandardScaler(), products, StandardScaler(), Ridge())


def predict_all(rows):
    """Return the rating of each player in rows by each score, its family held out."""
    found = {name: held_out(features[name], rows) for name in features}
    x = features.loc[rows.index, FIVE]
    apart = {"groups": rows["family"], "cv": LeaveOneGroupOut()}
    found["combined"] = cross_val_predict(ridge, x, rows["rating"], **apart)
    found["mean"] = cross_val_predict(DummyRegressor(), x, rows["rating"], **apart)
    found["published"] = published_formula(core_scores.loc[rows.index])
    return pd.DataFrame(found, index=rows.index)


# %% tags=["hide-input"] mystnb={"code_prompt_show": "Eleven scores against the rating: intervals over families, and the table"}
def mean_miss(predicted, rows):
    off = (predicted - rows["rating"]).abs()
    return mean_interval(off, rows["family"], seed=seed)


def spearman_of(pairs):
    return abs(float(spearmanr(*pairs.T).statistic))


def spearman_interval(x, rows):
    """Return the rank correlation with the rating; its interval draws families."""
    return stats.bootstrap(
        np.column_stack([x[rows.index], rows["rating"]]),
        spearman_of,
        rows["family"].to_numpy(),
        seed=seed,
        resamples=sizes.resamples,
    )


def compare(rows):
    """Return the predictions of all scores, their rank correlations and mean errors."""
    predictions = predict_all(rows)
    both = scores.join(predictions[["combined", "published"]])
    spearman = {name: spearman_interval(both[name], rows) for name in both}
    errors = {name: mean_miss(predictions[name], rows) for name in predictions}
    return predictions, pd.Series(spearman), pd.Series(errors)


predictions, spearman, errors = compare(rated)
predictions_sure, spearman_sure, errors_sure = compare(sure)
assert np.allclose(predictions_sure["priced"], predicted)
many = f"more than {MANY_GAMES} games ({len(sure)})"
every = f"all ({len(rated)})"
comparison = pd.DataFrame(
    {
        f"rank correlation, {many}": spearman_sure.map("{:.2f}".format),
        f"error, {many}": errors_sure.map("{:.0f}".format),
        f"rank correlation, {every}": spearman.map(lambda each: f"{each.value:.2f}"),
        f"error, {every}": errors.map(lambda each: f"{each.value:.0f}"),
    }
).fillna("")
order = errors_sure.map(lambda each: each.value).sort_values().index
report.table(
    comparison.loc[order].rename(index=MEANING),
    caption="Each score against the rating; errors in points, families held out",
)

# %% [markdown]
# The best single score is “{glue:text}`best_single`”. Legality alone has a rank correlation of
# {glue:text}`spearman_legal:.2f` with the rating, the plan's mark one of
# {glue:text}`spearman_mark:.2f`. The smallest error is the best of eleven on the same players, and
# so a little too small.
#
# ### Is it the seed, the unequal tests, or legality alone?
#
# With the seeded ratings all players would show an error of {glue:text}`error_seeded:.0f` points in
# place of {glue:text}`error_all:.0f`. On the same 50 positions it is {glue:text}`of_98:.0f` for
# those who answered 98 and {glue:text}`of_50:.0f` for the rest. Among the
# {glue:text}`n_always_legal` players without an illegal move in the 50, loss and rating still
# correlate at {glue:text}`no_illegal:.2f`. {glue:text}`legality_says`

# %% tags=["hide-cell"] mystnb={"code_prompt_show": "The mean loss in nine conditions"}
listed = rated.dropna(subset="listed")
listed = listed.assign(rating=listed["listed"])
in_both = rated[played.groupby("player").size()[rated.index] > (places["set"] == "core").sum()]
always_legal = rated[core_scores.loc[rated.index, "legal"] == 1]
legal_models = always_legal[~always_legal["family"].isin(PROGRAMS)]
CONDITIONS = {  # who is shown, by which scores, and who is in the fit
    f"more than {MANY_GAMES} games": (sure, scores, sure),
    "the same, on the 50 positions that all answered": (sure, core_scores, sure),
    "all players": (rated, scores, rated),
    "all, with the seeded ratings of the benchmark's list": (listed, scores, listed),
    "all, on the 50 positions that all answered": (rated, core_scores, rated),
    "of these: those who answered 98": (in_both, core_scores, rated),
    "of these: those who answered 50": (rated.drop(in_both.index), core_scores, rated),
    "of these: no illegal move in the 50": (always_legal, core_scores, rated),
    "of these: language models alone": (legal_models, core_scores, rated),
}


def checked(rows, scores, fitted):
    """Return rank correlation and error of the priced loss for some of the fitted players."""
    predicted = pd.Series(held_out(np.log(scores["priced"] + 1), fitted), fitted.index)
    return {
        "players": len(rows),
        "rank correlation": spearman_interval(scores["priced"], rows),
        "error": mean_miss(predicted[rows.index], rows),
    }


checks = pd.DataFrame({name: checked(*each) for name, each in CONDITIONS.items()}).T
rounded = {"rank correlation": "{:.2f}".format, "error": "{:.0f}".format}
report.table(
    checks.assign(**{name: checks[name].map(digits) for name, digits in rounded.items()}),
    caption="The mean loss, illegal 5,000, in other conditions",
)

# %% [markdown]
# ### How well is one player's rating known?
#
# For each player the positions are drawn again and the parabola is fitted again, without the
# player's family. To each predicted rating the misses of the other families' players are added. The
# middle 95 % of all this is the player's interval; it is rather too wide than too narrow. The median
# width is some {glue:text}`width:,.0f` points. {glue:text}`covered_sure:.0f` % of the
# {glue:text}`n_sure` well known ratings lie inside, and {glue:text}`covered_all:.0f` % of all
# {glue:text}`rated`.

# %% tags=["hide-input"] mystnb={"code_prompt_show": "The interval of one rating, by positions drawn again"}
core = (places["set"] == "core").to_numpy()
times = np.zeros((len(places), sizes.resamples))  # how often each drawing has a position
for part in (core, ~core):  # every player answered the first set: it is drawn by itself
    times[part] = stats.cluster_weights(part.sum(), seed=seed, resamples=sizes.resamples).T
priced = played.pivot(index="player", columns="name", values="priced")[places.index]
drawn = (priced.fillna(0) @ times) / (priced.notna() @ times).clip(lower=1e-9)
log_drawn = np.log(drawn + 1)
log_priced = np.log(scores["priced"] + 1)
missed = sure["rating"] - predictions_sure["priced"]


def predict_family(maker, members):
    """Return the predicted ratings of a maker's players, fitted on all others."""
    others = sure.index[sure["family"] != maker]
    known = sure.loc[others, "rating"]
    centre = Polynomial.fit(log_priced[others], known, 2)(log_priced[members])
    again = [Polynomial.fit(x[others], known, 2)(x[members]) for _, x in log_drawn.items()]
    spread = np.array(again)[:, :, None] + missed[others].to_numpy()
    low, high = np.quantile(spread, [0.025, 0.975], axis=(0, 2))
    ends = zip(centre, np.minimum(low, centre), np.maximum(high, centre), strict=True)
    return pd.Series([Interval(*each, len(others)) for each in ends], members)


# %% tags=["hide-cell"] mystnb={"code_prompt_show": "How many known ratings lie inside their intervals"}
makers = roster.groupby("family").groups
intervals = pd.concat([predict_family(*each) for each in makers.items()])[roster.index]
low = intervals.map(lambda each: each.low)
high = intervals.map(lambda each: each.high)
width = float((high - low)[sure.index].median())
inside = roster["rating"].between(low, high)
covered = {
    name: mean_interval(inside[rows.index], rows["family"], seed=seed)
    for name, rows in (("sure", sure), ("all", rated))
}
report.sheet("share of known ratings inside", covered)

# %% [markdown]
# The strong model that writes and judges in chapters 4 to 7 was asked for its move in the same 98
# positions: the FEN alone, fifty positions in one batch. It has no rating from games. This is the
# rating that its moves promise, with its own family left out of the fit:

# %%
strong = players.LlmPlayer(replay("static_fen", "claude"), "fen")
strong_moves = strong.choose([players.Asked(*each) for each in shown.items()])
strong_sheet = grading.graded_answers(
    pd.Series(strong_moves, index=list(shown)), recorded_moves
)
strong_cost = strong_sheet["uncut"].fillna(ILLEGAL).mean()
strangers = sure[sure["family"] != "Anthropic"]
line = Polynomial.fit(log_priced[strangers.index], strangers["rating"], 2)
promised = line(np.log(strong_cost + 1))
ends = promised + missed[strangers.index].quantile([0.025, 0.975])
strong_rating = Interval(promised, *ends, len(strangers))
strong_place = 1 + int((cost < strong_cost).sum())
report.sheet(
    "the strong model on the 98 positions",
    {
        "legal moves, %": f"{100 * strong_sheet['legal'].mean():.0f}",
        "best moves, %": f"{100 * strong_sheet['best'].mean():.0f}",
        "centipawns lost a move": f"{strong_cost:.0f}",
        "place": f"{strong_place} of {len(cost) + 1}",
        "rating promised": f"{strong_rating:.0f}",
    },
)

# %% [markdown]
# ## How many positions?
#
# From the 50 positions that all answered, fewer are drawn, a hundred times each. Or fewer are
# *chosen*: one after the other, each time the one that makes the error smallest for the players
# outside one family.

# %%
priced_core = priced.loc[sure.index, core].to_numpy()


def error_of(columns, train, test):
    """Return the misses of some players, fitted on others, from some positions alone."""
    x = np.log(priced_core[:, columns].mean(axis=1) + 1)
    return np.abs(Polynomial.fit(x[train], rating[train], 2)(x[test]) - rating[test])


def choose(train, most, measure):
    """Return positions in the order in which each makes a measure of known players smallest."""
    picked = []
    for _ in range(most):
        rest = [k for k in range(priced_core.shape[1]) if k not in picked]
        picked.append(min(rest, key=lambda k: measure([*picked, k], train)))
    return picked


# %% tags=["hide-input"] mystnb={"code_prompt_show": "Draw and choose positions", "figure": {"caption": "How many positions a rating takes: error for families held out, when positions are drawn (median and the middle 95 % of the drawings) or chosen on the other families.", "name": "fig-11-how-many"}, "image": {"alt": "A line with a band that falls with the number of positions, and dots of chosen positions inside the band."}}
def fit_error(columns, train):
    return error_of(columns, train, train).mean()


def rank_disorder(columns, train):
    return spearmanr(priced_core[np.ix_(train, columns)].mean(axis=1), rating[train]).statistic


NS = (5, 10, 15, 20, 30, 40, 50)
rng = np.random.default_rng(seed)
drawn_errors = {}
for n in NS:
    for k in range(sizes.resamples if n < core.sum() else 1):
        some = priced_core[:, rng.choice(core.sum(), n, replace=False)]
        x = pd.Series(np.log(some.mean(axis=1) + 1), sure.index)
        drawn_errors[n, k] = np.abs(held_out(x, sure) - rating).mean()
band = pd.Series(drawn_errors).groupby(level=0).quantile([0.025, 0.5, 0.975]).unstack()

folds = list(LeaveOneGroupOut().split(rating, groups=family))
chosen_errors = {}
for rule, measure in {"error": fit_error, "rank correlation": rank_disorder}.items():
    orders = [choose(train, 30, measure) for train, _ in folds]
    for n in NS[:5]:
        off = np.empty(len(rating))
        for picked, (train, test) in zip(orders, folds, strict=True):
            off[test] = error_of(picked[:n], train, test)
        chosen_errors[n, f"chosen by {rule}"] = mean_interval(off, family, seed=seed)
chosen_errors = pd.Series(chosen_errors).unstack()

axes = band[0.5].plot(marker="o", ms=3, label="drawn at random", figsize=(5.6, 3.0))
axes.fill_between(band.index, band[0.025], band[0.975], alpha=0.15)
chosen_errors.map(lambda each: each.value).plot(ax=axes, style=["s", "^"], ms=5)
axes.set(xlabel="positions", ylabel="mean error, points", ylim=(0, None))
axes.legend(fontsize=8)
plt.show()

# %% [markdown]
# Fifteen positions that are drawn leave an error of {glue:text}`drawn_15:.0f` points. Fifteen chosen
# on other families leave {glue:text}`chosen_15:.0f`, or {glue:text}`ranked_15:.0f` if chosen by rank
# correlation. {glue:text}`fifteen_says` Cronbach's α of the 50 log losses is
# {glue:text}`alpha:.2f`: for ordering these players, whose strengths are far apart, fifty positions
# are enough.

# %%
log_core = np.log(priced.loc[rated.index, core] + 1)
items = log_core.shape[1]
shared = 1 - log_core.var().sum() / log_core.sum(axis=1).var()
alpha = items / (items - 1) * shared

# %% [markdown]
# ## Have the models met these positions?
#
# Positions and answers are public, so later models may have read them. {glue:text}`n_both` players
# also answered a second set of 48 positions. If GPT-5.6, the newest of OpenAI's models here, knew
# the 50 positions, its loss there would be smaller, compared with the 48, than the others' is. It is
# {glue:text}`met_ratio:.2f` times as large. {glue:text}`met_says`

# %% tags=["hide-cell"] mystnb={"code_prompt_show": "The first set beside the second: GPT-5.6 and the others"}
two_sets = played[played["player"].isin(in_both.index)]
by_set = two_sets.pivot_table(index="player", columns="set", values="priced")
by_set["ratio"] = np.log((by_set["core"] + 1) / (by_set["game_like"] + 1))
by_set["base"] = roster.loc[by_set.index, "label"].str.replace(r" \(.*", "", regex=True)
newest = by_set.index.str.startswith("gpt_5_6")
by_set["who"] = np.where(newest, "GPT-5.6", "the others")
met = stats.means_by(by_set, "who", "ratio", cluster="base", seed=seed)
lost_in = by_set.groupby("who")[["core", "game_like"]].mean()


def difference(rows):
    """Return the mean of the first column where the second is 1 less that elsewhere."""
    ones = rows[:, 1] == 1
    return float(rows[ones, 0].mean() - rows[~ones, 0].mean())


gain_of_newest = stats.bootstrap(
    np.column_stack([by_set["ratio"], newest]),
    difference,
    by_set["base"].to_numpy(),
    seed=seed,
    resamples=sizes.resamples,
)
report.table(
    lost_in.set_axis(["lost in the 50", "lost in the 48"], axis=1)
    .assign(**{"log of loss in the 50 / loss in the 48": met.map("{:.2f}".format)})
    .rename_axis(None),
    caption="The first set beside the second",
    digits=0,
)

# %% [markdown]
# ## What legality says
#
# Was the game that led to the position shown? No player answered a position both ways, so this
# compares *different players* on the same 50 positions. Those that were shown the game are legal
# {glue:text}`gain:.0f` points more often, within families {glue:text}`within:.0f`.
# {glue:text}`history_says`

# %% tags=["hide-cell"] mystnb={"code_prompt_show": "Legal moves: game shown or not"}
in_core = played[played["set"] == "core"].join(roster["family"], on="player")
each_player = (
    in_core[~in_core["family"].isin(PROGRAMS)]
    .groupby("player")
    .agg(legal=("legal", "mean"), history=("history", "first"), family=("family", "first"))
)


def gain_within(rows):
    """Return the gain by history after each family's mean is taken away from both columns."""
    frame = pd.DataFrame(rows, columns=["legal", "history", "family"])
    both = frame[["legal", "history"]]
    off = both - both.groupby(frame["family"]).transform("mean")
    return float((off["legal"] * off["history"]).sum() / (off["history"] ** 2).sum())


cells = each_player.assign(family=pd.factorize(each_player["family"])[0]).to_numpy(dtype=float)
gain = stats.bootstrap(cells[:, :2], difference, seed=seed, resamples=sizes.resamples)
within = stats.bootstrap(cells, gain_within, seed=seed, resamples=sizes.resamples)
report.sheet(
    "share of legal moves, game shown less FEN alone",
    {
        "players shown the game": int(each_player["history"].sum()),
        "players shown the FEN alone": int((~each_player["history"]).sum()),
        "difference": gain,
        "difference within families": within,
    },
)

# %% [markdown]
# ## Four hundred positions of our own
#
# Each of two hundred games, which Stockfish played at five Skill Levels for this book, gives two
# positions: one early and one 5 to 8 moves before the end, as the plan says. Engines, Stockfish's
# network without search, and the models of chapter 12 answered all; the small language model
# {glue:text}`model` answered those of the first {glue:text}`model_games` games a level
# ({glue:text}`model_positions` positions), asked in five ways.
#
# {glue:text}`model`, told the FEN, says a legal move in {glue:text}`legal_fen:.0f` % of the
# positions, and at best (“{glue:text}`best_way`”) in {glue:text}`legal_best:.0f` %. Its mark is
# {glue:text}`mark_fen:.2f`, that of a random legal move {glue:text}`mark_random:.2f`. The best of
# the models that were trained on games alone, “{glue:text}`best_reader`”, is legal in
# {glue:text}`legal_reader:.0f` % and has {glue:text}`mark_reader:.2f`.

# %% tags=["hide-input"] mystnb={"code_prompt_show": "The language models whose answers are recorded"}
expert = load_expert("nnue")
asked = suite.ask(chosen, positions)
in_common = chosen[chosen["number"] < sizes.model_games]
model_asked = [asked[row] for row in in_common.index]
concepts = players.concepts_in_words(model_asked, expert)
questions = suite.reason_asked(model_asked)
requests = players.play_requests(questions, "fen_reason")
for play in suite.MODEL_PLAYS:
    requests += players.play_requests(model_asked, play, concepts)
names = dict.fromkeys([*recorded_models("static", requests), model])
clients = {name: replay("static", name) for name in names}

# %%
engines = [players.WeakenedPlayer(n, folder / "level_answers.tsv") for n in levels.LEVELS]
engines += [players.StockfishPlayer(nodes) for nodes in sizes.nodes]
engines += [players.NnuePlayer(expert)]
readers = tracking_players()
models = [
    players.LlmPlayer(client, play, concepts)
    for client in clients.values()
    for play in suite.MODEL_PLAYS
]


def grade_all(players, asked):
    """Return the grades of each player's answers by the player's name."""
    index = [question.name for question in asked]
    given = {player.name: pd.Series(player.choose(asked), index=index) for player in players}
    return {name: grading.graded_answers(answers, moves) for name, answers in given.items()}


sheets = grade_all([*engines, *readers], asked) | grade_all([*models, strong], model_asked)
sheets["random"] = grading.random_answers(chosen["name"], moves)

# %% tags=["hide-cell"] mystnb={"code_prompt_show": "Every player in the positions that all answered"}
graded = pd.concat(sheets, names=["player"]).reset_index("player")
graded = graded.merge(chosen.drop(columns=["loss", "grade"]), on="name")
common = graded[graded["name"].isin(in_common["name"])]
overall = pd.DataFrame(
    {
        measure: stats.means_by(
            common.dropna(subset=measure), "player", measure, cluster="game", seed=seed
        )
        for measure in ("mark", "legal", "loss", "charged")
    }
)
overview = common.groupby("player")[["mark", "legal", "best", "loss"]].mean()
overview["loss"] = overview["loss"].map("{:.0f}".format, na_action="ignore").fillna("none")
overview["lost, illegal as the worst"] = overall["charged"].map("{:.0f}".format)
order = common.groupby("player")["charged"].mean().sort_values(kind="stable").index
report.table(
    overview.loc[order].rename_axis(None).rename(columns={"loss": "lost, legal moves"}),
    caption="Every player, the least loss first; intervals draw games",
)

# %% [markdown]
# ### Any player beside any other
#
# Two players of this chapter beside each other: write any two names of the fold, which has them all.
# The recorded positions and those of our own are not equally hard.

# %% tags=["hide-input"] mystnb={"code_prompt_show": "Two players beside each other, position by position"}
everyone = pd.concat([played, graded]).astype({"level": "Int64"})
shares = ["legal", "best", *grading.MOVE_GRADES]
means = everyone.groupby("player")[[*shares, "mark", "charged", "loss"]].mean()
means[shares] *= 100  # per cent
parts = [
    everyone.pivot_table("charged", "player", part).add_prefix(f"charged, {part} ")
    for part in ("phase", "kind", "level")
]
of_games = roster[["rating"]].assign(predicted=intervals.map("{:.0f}".format))
dashboard = of_games.join(means.join(parts), how="right").rename(index=roster["label"])
report.table(dashboard.loc[["gpt-5.2 (high)", "maia-1900"]].dropna(axis=1).T, digits=1)

# %% tags=["hide-cell"] mystnb={"code_prompt_show": "All players of this chapter, the least loss first"}
report.table(
    dashboard.sort_values("charged").rename_axis(None).fillna({"predicted": ""}),
    caption="Shares in per cent, losses in centipawns",
    digits=1,
)

# %% [markdown]
# ### A move and its reason
#
# In some positions the model was also asked for a reason. Its claims are held against the board: of
# {glue:text}`reasons_asked` answers {glue:text}`reasons_given` had a legal move with a reason, and
# {glue:text}`claims_settled` of the claims in them can be settled.


# %%
def check_reasons(client):
    """Return the verdicts of the claims in each reason that a legal move was given with."""
    given = players.LlmPlayer(client, "fen_reason").reasoned(questions)
    verdicts = {}
    for question, (answer, reason) in zip(questions, given, strict=True):
        if answer.legal and reason:
            claims = verify(reason, MoveInContext(question.position, answer.uci))
            verdicts[question.name] = [claim.verdict for claim in claims]
    return pd.Series(verdicts, dtype=object)


# %% tags=["hide-cell"] mystnb={"code_prompt_show": "How many reasons hold no false claim"}
def count_reasons(client):
    reasons = check_reasons(client)
    settled = reasons.explode()
    settled = settled[settled.isin(["true", "false"])]
    sound = [float("false" not in each) for each in reasons]
    return {
        "asked": len(questions),
        "with a legal move and a reason": len(reasons),
        "claims the board can settle": len(settled),
        "false": mean_interval(settled == "false", settled.index, seed=seed)
        if len(settled)
        else None,
        "reasons without a false claim": mean_interval(sound, seed=seed) if sound else None,
    }


reasons = {name: count_reasons(client) for name, client in clients.items()}
report.table(
    pd.DataFrame(reasons).rename(columns=model_title).astype(object).fillna("none"),
    caption="Move and reason",
)

# %% [markdown]
# ## Recap
#
# - The mean loss, with an illegal answer at 5,000, predicts the rating of a player of another maker to
#   within {glue:text}`error_sure:.0f` points on average. Without any illegal move the rank correlation
#   is {glue:text}`no_illegal:.2f`.
# - Fifty positions order such players (α {glue:text}`alpha:.2f`); with fifteen drawn the error is
#   {glue:text}`drawn_15:.0f` points. The interval of one predicted rating is some
#   {glue:text}`width:,.0f` points wide: weak models are separated from strong ones, not one strong model
#   from the next.
# - In positions of our own, {glue:text}`model` is legal in at most {glue:text}`legal_best:.0f` %; a
#   model that read nothing but games is in {glue:text}`legal_reader:.0f` %.

# %% tags=["remove-input"]
value_of = {
    measure: column.map(lambda mean: mean.value, na_action="ignore")
    for measure, column in overall.items()
}
legal_rate = 100 * value_of["legal"]
mark = value_of["mark"]
qwen = players.nickname(model)
best_way = legal_rate[[f"{qwen}_{play}" for play in suite.MODEL_PLAYS]].idxmax()
reader = mark[[each.name for each in readers]].idxmax()
single = errors_sure[scores.columns].map(lambda each: each.value).idxmin()
condition = {
    "same_positions_sure": "the same, on the 50 positions that all answered",
    "seeded": "all, with the seeded ratings of the benchmark's list",
    "same_positions": "all, on the 50 positions that all answered",
    "answered_98": "of these: those who answered 98",
    "answered_50": "of these: those who answered 50",
    "no_illegal": "of these: no illegal move in the 50",
    "no_illegal_models": "of these: language models alone",
}
checked = checks.loc[list(condition.values())].set_axis(list(condition))
no_illegal = checked.loc["no_illegal", "rank correlation"]
chosen_15 = chosen_errors.loc[15]
no_better = any(each.value >= band.loc[15, 0.025] for each in chosen_15)
chance = gain_of_newest.low <= 0 <= gain_of_newest.high
report.paste(
    rated=len(rated),
    n_sure=len(sure),
    few_games=len(rated) - len(sure),
    n_both=len(in_both),
    n_always_legal=len(always_legal),
    below_random=int((rated["rating"] < rated.loc["random_bot", "rating"]).sum()),
    changed_once=100 - 100 * agreement["one search, colours exchanged"].value,
    changed_fewer=100 - 100 * agreement["mean of both, a quarter of the nodes"].value,
    error_sure=errors_sure["priced"].value,
    error_all=errors["priced"].value,
    best_single=MEANING[single],
    spearman_sure=spearman_sure["priced"].value,
    spearman_legal=spearman_sure["legal"].value,
    spearman_mark=spearman_sure["mark"].value,
    error_seeded=checked.loc["seeded", "error"].value,
    of_98=checked.loc["answered_98", "error"].value,
    of_50=checked.loc["answered_50", "error"].value,
    no_illegal=no_illegal.value,
    legality_says="So the score is more than legality." if no_illegal.low > 0 else "",
    width=round(width, -1),
    covered_sure=100 * covered["sure"].value,
    covered_all=100 * covered["all"].value,
    drawn_15=band.loc[15, 0.5],
    chosen_15=chosen_15["chosen by error"].value,
    ranked_15=chosen_15["chosen by rank correlation"].value,
    fifteen_says="No better than a drawing may be: how many positions there are counts, not which."
    if no_better
    else "",
    alpha=alpha,
    met_ratio=np.exp(gain_of_newest.value),
    met_says="Chance explains that; only a large effect could be seen." if chance else "",
    gain=100 * gain.value,
    within=100 * within.value,
    history_says="That may be chance." if min(gain.low, within.low) <= 0 else "",
    model=model_title(model),
    model_games=sizes.model_games,
    model_positions=len(in_common),
    best_way=report.NAMES.get(best_way, best_way),
    best_reader=report.NAMES.get(reader, reader),
    legal_fen=legal_rate[f"{qwen}_fen"],
    legal_best=legal_rate[best_way],
    legal_reader=legal_rate[reader],
    mark_fen=mark[f"{qwen}_fen"],
    mark_random=mark["random"],
    mark_reader=mark[reader],
    reasons_asked=len(questions),
    reasons_given=reasons[model]["with a legal move and a reason"],
    claims_settled=reasons[model]["claims the board can settle"],
)
rows = report.rows
points = "Glicko-2 points"
correlation = "rank correlation"
answers = "share of answers"
drawn_15 = report.Result(*band.loc[15, [0.5, 0.025, 0.975]], n=sizes.resamples, unit=points)
fifteen = {
    "chosen_by_error": chosen_15["chosen by error"],
    "chosen_by_rank": chosen_15["chosen by rank correlation"],
    "drawn": drawn_15,
}
strong_shares = {
    name: mean_interval(strong_sheet[name], seed=seed) for name in ("legal", "best")
}
ratios = {
    "newest": met["GPT-5.6"],
    "others": met["the others"],
    "difference": gain_of_newest,
}
grader = {
    "same_colours": agreement["mean of both, colours exchanged"],
    "same_colours_one_search": agreement["one search, colours exchanged"],
    "same_with_fewer_nodes": agreement["mean of both, a quarter of the nodes"],
}
suite_loss = mean_interval(chosen["loss"], chosen["game"], seed=seed)
by_position = checked.drop(index=["answered_98", "answered_50"])
by_miss = checked.drop(index=["no_illegal", "no_illegal_models"])
sound = reasons[model]["reasons without a false claim"]
false_claims = reasons[model]["false"]
report.save(
    "11_static_positions",
    rows(len(people), "recorded.players", unit="players"),
    rows(strong_cost, "static.strong.lost", unit="centipawns"),
    rows(strong_place, "static.strong.place", unit="place among 85"),
    rows(strong_rating, "static.strong.rating", unit="rating"),
    rows(strong_shares, "static.strong", unit=answers),
    rows(spearman, "rating.spearman", unit=correlation),
    rows(spearman_sure, "rating.spearman_sure", unit=correlation),
    rows(errors, "rating.error", unit=points),
    rows(errors_sure, "rating.error_sure", unit=points),
    rows(by_position["rank correlation"], "rating.check.spearman", unit=correlation),
    rows(by_miss["error"], "rating.check.error", unit=points),
    rows(covered, "rating.covered", unit="share of players"),
    rows(width, "rating.width", unit=points),
    rows(fifteen, "rating.fifteen", unit=points),
    rows(alpha, "rating.alpha", unit="Cronbach's alpha"),
    rows(ratios, "contamination.log_ratio", unit="log of losses' ratio"),
    rows(
        {"legal": gain, "legal_within_families": within},
        "history_gain",
        unit="difference of shares",
    ),
    rows(grader, "grader", unit="share of legal moves"),
    rows(len(entries), "suite.positions", unit="positions"),
    rows(len(dashboard), "dashboard.pages", unit="players"),
    rows(overall["mark"], "static.score", unit="mark, 1 to 5"),
    rows(overall["legal"], "static.legal_rate", unit=answers),
    rows(overall["charged"], "static.charged", unit="centipawns"),
    rows(overall["loss"], "static.acpl", unit="centipawns", drop=True),
    rows(suite_loss, "suite.played.acpl", unit="centipawns"),
    rows(sound, "static.reasons.sound", unit="share of reasons", drop=True),
    rows(false_claims, "static.reasons.false_claims", unit="share of claims", drop=True),
)

report.evidence(
    len(chosen),
    "positions",
    seed,
    chosen["game"].nunique(),
    "95 % over games, recorded players: families or positions; shares Wilson, else bootstrap",
    {
        "model": clients[model].told(),
        "Stockfish": f"15.1, {settings.nodes:,} nodes for five lines, both colours",
        "recorded answers and ratings": "Chess-LLM-Benchmark 4b072f3, ratings of 24 July 2026",
        "suite": f"version {suite.VERSION}",
        "prompts": "play_san@1, play_uci@1, play_reason@1",
    },
)

# %% [markdown]
# ## Exercises
#
# **1. One number less.** Predict the rating from the rate of best moves alone (`scores["best"]`) by
# a straight line, for the players in `sure`, families apart as above. How far off is it, and how
# far is the mean of the other players?

# %% tags=["solution", "hide-cell"] mystnb={"code_prompt_show": "A solution: held-out error of a straight line through one score, and of the mean"}
# Held-out error of a straight line through one score, and of the mean.
best_rate = scores.loc[sure.index, ["best"]].to_numpy()
errors_by = {}
for name, given_scores in (("best moves", best_rate), ("the mean", np.zeros((len(sure), 1)))):
    line = make_pipeline(StandardScaler(), LinearRegression())
    by_others = cross_val_predict(
        line, given_scores, rating, groups=family, cv=LeaveOneGroupOut()
    )
    errors_by[name] = float(np.abs(by_others - rating).mean())
report.sheet("mean error, points", errors_by)

# %% tags=["check", "remove-cell"]
report.check(
    "Leave one family out at a time (`LeaveOneGroupOut`), predict it, and take the mean "
    "size of the error: of the straight line, and of the others' mean.",
    within=0.5,
    ordered=True,
    errors_by=errors_by,
)

# %% [markdown]
# **2. Let families leak.** Predict the rating by `parabola`, first with families apart, then with
# one player left out at a time. What does the error seem to be?

# %% tags=["solution", "hide-cell"] mystnb={"code_prompt_show": "A solution: the same prediction with families apart and with single players left out"}
# The same prediction with families apart and with single players left out.
by_families = cross_val_predict(
    parabola, log_loss, rating, groups=family, cv=LeaveOneGroupOut()
)
leaking = cross_val_predict(parabola, log_loss, rating, cv=len(rating))
leaked = {
    "families apart": float(np.abs(by_families - rating).mean()),
    "players apart": float(np.abs(leaking - rating).mean()),
}
report.sheet("mean error, points", leaked)

# %% tags=["check", "remove-cell"]
report.check(
    "The same learner and the same scores twice, with as many folds as families and with "
    "as many as players.",
    within=0.5,
    ordered=True,
    leaked=leaked,
)

# %% [markdown]
# **3. Your own player.** Write a player that always captures the piece of highest value when it can
# and else plays the first legal move in the order of UCI, for the positions in `places`. Grade it
# by `recorded_moves`. What does it lose, in the mean?


# %% tags=["solution", "hide-cell"] mystnb={"code_prompt_show": "A solution: a greedy player, graded by the tables of the recorded positions"}
# A greedy player, graded by the tables of the recorded positions.
def greedy(board):
    captures = [move for move in board.legal_moves if board.is_capture(move)]
    by_value = sorted(
        captures,
        key=lambda move: (-(board.piece_type_at(move.to_square) or chess.PAWN), move.uci()),
    )
    return (by_value or sorted(board.legal_moves, key=chess.Move.uci))[0].uci()


lost_by_greed = pd.Series(
    {
        name: recorded_moves.loc[(name, greedy(chess.Board(fen))), "loss"]
        for name, fen in places["fen"].items()
    }
)
greedy_loss = float(lost_by_greed.mean())
report.sheet(
    "mean loss, centipawns",
    {"greedy": greedy_loss, "recorded players": float(played["loss"].mean())},
)

# %% tags=["check", "remove-cell"]
report.check(
    "Of captures of equal worth the first in UCI counts, and an en passant capture takes "
    "a pawn; the mean of `loss` over all positions in `places`.",
    within=0.5,
    greedy_loss=greedy_loss,
)
