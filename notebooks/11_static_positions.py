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
# {glue:text}`opening` {glue:text}`predicts_say`
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

# %% tags=["hide-input"] mystnb={"code_prompt_show": "Imports, the recorded answers and their grades, and the picture"}
import csv

import chess
import matplotlib.pyplot as plt
import numpy as np
import pandas as pd
from myst_nb import glue
from scipy.stats import spearmanr
from sklearn.dummy import DummyRegressor
from sklearn.linear_model import LinearRegression, Ridge
from sklearn.model_selection import LeaveOneGroupOut, cross_val_predict
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import PolynomialFeatures, StandardScaler
from chessgloss import report
from chessgloss.book.profiles import load_sizes
from chessgloss.claims import verify
from chessgloss.commentary.game_page import embedded
from chessgloss.positions import phase_of
from chessgloss.experts import load_expert
from chessgloss.llm.client import model_title, recorded_models, replay
from chessgloss.positions import MoveInContext, Position
from chessgloss.skill import grading
from chessgloss.skill.grading import (
    MOVE_GRADES,
    Settings,
    graded_answers,
    graded_moves,
    mirrored,
    random_answers,
)
from chessgloss.skill.levels import LEVELS, read_level_games
from chessgloss.skill.players import (
    Asked,
    LlmPlayer,
    NnuePlayer,
    RecordedPlayer,
    StockfishPlayer,
    WeakenedPlayer,
    concepts_in_words,
    nickname,
    play_requests,
)
from chessgloss.skill.suite import (
    MODEL_PLAYS,
    OTHER_GAMES,
    VERSION,
    ask,
    data_folder,
    describe_positions,
    positions_of,
    read_suite,
    reason_asked,
)
from chessgloss.stats import (
    Interval,
    bootstrap,
    cluster_weights,
    mean_interval,
    means_by,
    paired_difference,
    percentile_interval,
)
from chessgloss.store import default_store
from chessgloss.tracking.player import tracking_players

sizes = load_sizes("11_static_positions", profile)
report.use_house_style()
folder = data_folder()
settings = Settings()
store = default_store()
recorded = folder / "recorded"
places = pd.read_csv(recorded / "positions.tsv", sep="\t", index_col="position")
ratings = pd.read_csv(
    recorded / "ratings.tsv",
    sep="\t",
    index_col="player",
    keep_default_na=False,
    quoting=csv.QUOTE_NONE,
)
for column in ("rating", "deviation", "games", "listed"):
    ratings[column] = pd.to_numeric(ratings[column])
shown = {name: Position(fen) for name, fen in places["fen"].items()}


def tables_of(positions, kept, limit=settings):
    """Return the table of each named position, kept or searched."""
    tables = grading.find_tables(list(positions.values()), limit, {} if fresh else kept, store)
    return dict(zip(positions, tables, strict=True))


kept_recorded = grading.read_tables(grading.tables_path(recorded, settings))
recorded_tables = tables_of(shown, kept_recorded)
recorded_moves = graded_moves(recorded_tables)
people = [RecordedPlayer(path) for path in sorted((recorded / "players").glob("*.tsv"))]
places["phase"] = places["fen"].map(phase_of)
places = places.join(describe_positions(places["fen"]).set_axis(places.index))
boards = {name: chess.Board(fen) for name, fen in places["fen"].items()}
places["legal moves"] = [board.legal_moves.count() for board in boards.values()]
sheets = {}
given_moves = {}
for player in people:
    if unknown := set(player.rows.index) - set(places.index):
        raise ValueError(f"{player.path.name}: no position is called {sorted(unknown)[0]!r}")
    answers = player.choose([Asked(name, shown[name]) for name in player.rows.index])
    given_moves[player.name] = pd.Series(answers, index=player.rows.index)
    sheets[player.name] = graded_answers(given_moves[player.name], recorded_moves).assign(
        history=player.rows["history"].to_numpy(dtype=bool)
    )
ILLEGAL = 5_000  # what an answer that is no legal move costs in `priced`
MANY_GAMES = 40  # a rating from more games than these is called well known
played = pd.concat(sheets, names=["player"]).reset_index("player").join(places, on="name")
played["priced"] = played["uncut"].fillna(ILLEGAL)
played["win"] = played["win_loss"].fillna(1.0)
roster = ratings.reindex([player.name for player in people])
roster["label"] = roster["label"].fillna(roster.index.to_series())
roster = roster.fillna({"family": "yours", "effort": ""})
rated = roster.dropna(subset="rating")
sure = rated[rated["games"] > MANY_GAMES]
PROGRAMS = ["Eubos", "Maia", "random mover", "survival bot"]
cost = played.groupby("player")["priced"].mean()
rank = cost.rank(method="first").astype(int)

COLOURS = dict(
    zip(
        ["OpenAI", "Google", "Anthropic", "DeepSeek", "xAI", "Maia"],
        report.PALETTE,
        strict=False,
    )
)
NAMED = {
    "gpt_3_5_turbo_instruct": (-10, -24),
    "gemini_3_1_pro_preview_medium": (-124, 7),
    "maia_1900": (-100, -2),
    "random_bot": (0, -40),
    "gpt_3_5_turbo": (6, -3),
    "gpt_5_2_high": (6, -4),
}
figure, axes = plt.subplots(figsize=(7.6, 2.4))
for name, row in rated.iterrows():
    colour = COLOURS.get(row["family"], "#888888")
    known = name in sure.index
    axes.plot(
        cost[name],
        row["rating"],
        "o",
        color=colour,
        ms=6 if known else 4,
        mfc=colour if known else "none",
        alpha=1 if known else 0.5,
        gid=f"point-{name}",
    )
    if name in NAMED:
        axes.annotate(
            row["label"].replace("$", r"\$"),  # no formula
            (cost[name], row["rating"]),
            xytext=NAMED[name],
            fontsize=7,
            textcoords="offset points",
            color=colour,
            arrowprops={"arrowstyle": "-", "color": colour, "linewidth": 0.5},
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
said_of = {
    name: f"{row['label']}: rating {row['rating']:.0f} ± {row['deviation']:.0f}, "
    f"loses {cost[name]:.0f}, rank {rank[name]} of {len(cost)}"
    for name, row in rated.iterrows()
}
picture = report.choosable(
    figure,
    said_of,
    "Player",
    alt="Ratings of players over the centipawns they lose a move: the less they lose, the higher.",
    start=sure["rating"].idxmax(),
)
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
stored = read_level_games(folder / "games.tsv.zst")
suite = read_suite(folder / "suite.json")
chosen = suite[suite["number"] < sizes.games].reset_index(drop=True)
positions = positions_of(chosen, stored)
asked = ask(chosen, positions)
kept = grading.read_tables(grading.tables_path(folder, settings))
tables = tables_of(dict(zip(chosen["name"], positions, strict=True)), kept)
entry = chosen.iloc[position_number]
board = chess.Board(entry.fen)
played_move = chess.Move.from_uci(entry.played)
values = pd.Series(tables[entry["name"]].values).sort_values(ascending=False)
values.index = [board.san(chess.Move.from_uci(uci)) for uci in values.index]


# %%
def loss_of(value, best, cap=1_000):
    return np.clip(best, -cap, cap) - np.clip(value, -cap, cap)


def mark_of(loss):
    steps = {"Excellent": 10, "Good": 30, "Inaccuracy": 60, "Mistake": 100, "Blunder": np.inf}
    grades = [name for name, bound in steps.items() if loss <= bound]
    return grades[0], len(grades)  # 5 for Excellent, 1 for Blunder


san = board.san(played_move)
lost = loss_of(values, values.max())
marks = [mark_of(loss)[1] for loss in lost]
print(f"{san}: loss {lost[san]:.0f} centipawns, grade and mark {mark_of(lost[san])}")
print(f"a random legal move: loss {lost.mean():.0f}, mark {np.mean(marks):.2f}")

# %% tags=["hide-input"] mystnb={"code_prompt_show": "The library grades alike: the board, and some of the moves"}
moves = graded_moves(tables)
library = moves.loc[(entry["name"], entry["played"])]
library_random = random_answers([entry["name"]], moves).iloc[0]
assert (library["grade"], library["loss"]) == (mark_of(lost[san])[0], lost[san])
assert (entry["grade"], entry["loss"]) == (library["grade"], library["loss"])
assert np.isclose(library_random["mark"], np.mean(marks))
some = list(dict.fromkeys([*values.index[:5], san, values.index[-1]]))
graded_here = pd.DataFrame(
    {
        move: {"value": values[move], "loss": lost[move], "grade": mark_of(lost[move])[0]}
        for move in sorted(some, key=list(values.index).index)
    }
).T
report.boards(
    report.board(MoveInContext(positions[position_number], entry.played), size=220),
    report.table(
        graded_here,
        caption=f"The best of {len(values)} moves, the one played ({san}), and the worst",
        digits=0,
    ),
)

# %% [markdown]
# Each position is searched as it is and with colours exchanged, and a move's value is the mean of
# the two. {glue:text}`grader_says`


# %% tags=["hide-cell"] mystnb={"code_prompt_show": "Moves that keep their grade when the search changes"}
def turned_back(tables):
    """Return tables of mirror images by the moves of the positions themselves."""
    return [
        grading.MoveTable(
            {uci.translate(grading.ACROSS): value for uci, value in table.values.items()}, []
        )
        for table in tables
    ]


views = list(shown.values())
images = [mirrored(position) for position in shown.values()]
fewer_nodes = Settings(5_000)
kept_fewer = grading.read_tables(grading.tables_path(recorded, fewer_nodes))
graders = {
    "one search": grading.search_tables(views, settings, kept_recorded, store),
    "one search, colours exchanged": turned_back(
        grading.search_tables(images, settings, kept_recorded, store)
    ),
    "mean of both": list(recorded_tables.values()),
    "mean of both, colours exchanged": turned_back(
        grading.find_tables(images, settings, kept_recorded, store)
    ),
    "mean of both, a quarter of the nodes": grading.find_tables(
        views, fewer_nodes, kept_fewer, store
    ),
}
grades_by = {
    name: graded_moves(dict(zip(shown, each, strict=True)))["grade"].sort_index()
    for name, each in graders.items()
}
at = grades_by["mean of both"].index.get_level_values("name")


def same_grade(first, second):
    return mean_interval(grades_by[first] == grades_by[second], at, seed=seed)


agreement = {name: same_grade(name.split(",")[0], name) for name in graders if "," in name}
changed_once = 1 - agreement["one search, colours exchanged"].value
changed_fewer = 1 - agreement["mean of both, a quarter of the nodes"].value
report.paste(
    grader_says=f"In the recorded positions one search alone gives {changed_once:.0%} of the "
    "legal moves another grade when the colours are exchanged; the mean gives none another, by "
    f"construction. With a quarter of the nodes it gives {changed_fewer:.0%} another grade."
)
report.sheet("moves that keep their grade", {"legal moves": len(at), **agreement})

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
answer = given_moves[example.name][first]
print(f"(n_players, n_answers) = ({len(people)}, {len(played)})")
print(first, answer.san, *recorded_moves.loc[(first, answer.uci), ["value", "loss", "grade"]])

# %% tags=["hide-input"] mystnb={"code_prompt_show": "Scores of all players"}
MEASURES = ["mark", "legal", "best", "charged", "priced", "win", "loss", "uncut"]
cube = {
    name: played.pivot(index="player", columns="name", values=name)[list(places.index)]
    for name in MEASURES
}
legal_marks = cube["mark"].where(cube["legal"] == 1)
core = (places["set"] == "core").to_numpy()


def weighted_mean(table, weights):
    """Return the means of a table's rows from positions that count so often each."""
    known = table.notna().to_numpy() * weights
    sums = (table.fillna(0).to_numpy() * weights).sum(axis=1)
    return pd.Series(sums / np.maximum(known.sum(axis=1), 1e-9), index=table.index)


def scores_from(weights):
    """Return all scores of all players from positions that count so often each."""
    found = {name: weighted_mean(cube[name], weights) for name in MEASURES}
    found["win_loss"] = found.pop("win")
    found["marks_legal"] = weighted_mean(legal_marks, weights)
    return pd.DataFrame(found)


scores = scores_from(np.ones(len(places)))
core_scores = scores_from(core.astype(float))
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


# %%
def by_parabola(x, rating, x_new):
    """Return ratings of new players by the parabola through those of others."""
    centre = x.mean()
    scale = x.std() or 1
    line = np.polyfit((x - centre) / scale, rating, 2)
    return np.polyval(line, (x_new - centre) / scale)


def held_out(x, rating, family):
    """Return each rating as predicted by the parabola of all other families."""
    predicted = np.empty(len(rating))
    for train, test in LeaveOneGroupOut().split(x, groups=family):
        predicted[test] = by_parabola(x[train], rating[train], x[test])
    return predicted


# %% tags=["hide-input"] mystnb={"code_prompt_show": "Eleven scores against the rating"}
LOSSES = ["loss", "charged", "uncut", "priced", "win_loss"]
FIVE = ["priced", "legal", "best", "mark", "charged"]
ridge = make_pipeline(
    StandardScaler(), PolynomialFeatures(2, include_bias=False), StandardScaler(), Ridge()
)


def as_features(scores):
    """Return the scores as they enter a fit: losses as logarithms."""
    return scores.assign(
        **{name: np.log(scores[name] + (0.01 if name == "win_loss" else 1)) for name in LOSSES}
    )


def published_formula(scores):
    p = 1 - scores["legal"]
    survives = 100 * ((1 - p) ** 40 + 40 * p * (1 - p) ** 39)
    return (
        1298.57
        - 200.43 * np.log(scores["priced"] + 1)
        + 15.39 * 100 * scores["best"]
        + 5.85 * survives
    )


def predict_all(scores, rows):
    """Return a predicted rating of each player in rows by each score, each family held out."""
    features = as_features(scores.loc[rows.index])
    rating = rows["rating"].to_numpy()
    family = rows["family"].to_numpy()
    found = {name: held_out(features[name].to_numpy(), rating, family) for name in features}
    found["combined"] = cross_val_predict(
        ridge, features[FIVE], rating, groups=family, cv=LeaveOneGroupOut()
    )
    found["published"] = published_formula(core_scores.loc[rows.index]).to_numpy()
    found["mean"] = cross_val_predict(
        DummyRegressor(), features[FIVE], rating, groups=family, cv=LeaveOneGroupOut()
    )
    return pd.DataFrame(found, index=rows.index)


def spearman_of(x, y):
    return abs(float(spearmanr(x, y).statistic))


def spearman_interval(x, rows):
    """Return the rank correlation with the rating; its interval draws families."""
    return bootstrap(
        np.column_stack([x, rows["rating"]]),
        lambda pairs: spearman_of(*pairs.T),
        rows["family"].to_numpy(),
        seed=seed,
        resamples=sizes.resamples,
    )


def compare(rows):
    """Return rank correlation and mean error of all scores for some players."""
    predictions = predict_all(scores, rows)
    errors = {
        name: mean_interval((column - rows["rating"]).abs(), rows["family"], seed=seed)
        for name, column in predictions.items()
    }
    spearman = {}
    for name in predictions.columns.drop("mean"):
        source = scores if name in scores else predictions
        spearman[name] = spearman_interval(source.loc[rows.index, name], rows)
    return predictions, spearman, errors


predictions, spearman, errors = compare(rated)
predictions_sure, spearman_sure, errors_sure = compare(sure)
assert np.allclose(predictions_sure["priced"], predicted)
many = f"more than {MANY_GAMES} games ({len(sure)})"
every = f"all ({len(rated)})"
comparison = pd.DataFrame(
    {
        f"rank correlation, {many}": {
            name: f"{each:.2f}" for name, each in spearman_sure.items()
        },
        f"error, {many}": {name: f"{each:.0f}" for name, each in errors_sure.items()},
        f"rank correlation, {every}": {
            name: f"{each.value:.2f}" for name, each in spearman.items()
        },
        f"error, {every}": {name: f"{each.value:.0f}" for name, each in errors.items()},
    }
).fillna("")
order_by = sorted(errors_sure, key=lambda name: errors_sure[name].value)
report.table(
    comparison.loc[order_by].rename(index=MEANING),
    caption="Each score against the rating; errors in points, families held out",
)

# %% [markdown]
# {glue:text}`scores_say` The smallest error is the best of eleven on the same players, and so a
# little too small.
#
# ### Is it the seed, the unequal tests, or legality alone?
#
# {glue:text}`checks_say`

# %% tags=["hide-cell"] mystnb={"code_prompt_show": "The mean loss in nine conditions"}
answered = played.groupby("player").size()
in_both = rated[answered[rated.index] > core.sum()]


def checked(rows, scores=scores):
    """Return rank correlation and held-out error of the priced loss for some players."""
    x = np.log(scores.loc[rows.index, "priced"] + 1)
    off = np.abs(
        held_out(x.to_numpy(), rows["rating"].to_numpy(), rows["family"].to_numpy())
        - rows["rating"]
    )
    return {
        "players": len(rows),
        "rank correlation": spearman_interval(x, rows),
        "error": mean_interval(off, rows["family"], seed=seed),
    }


listed = rated.dropna(subset="listed")
listed = listed.assign(rating=listed["listed"])
always_legal = rated[core_scores.loc[rated.index, "legal"] == 1]
legal_models = always_legal[~always_legal["family"].isin(PROGRAMS)]
core_only = checked(rated, core_scores)
off_core = pd.Series(
    np.abs(
        held_out(
            np.log(core_scores.loc[rated.index, "priced"] + 1).to_numpy(),
            rated["rating"].to_numpy(),
            rated["family"].to_numpy(),
        )
        - rated["rating"]
    ),
    rated.index,
)


def error_among(rows):
    """Return the error of some players when all were compared on the same positions."""
    return {
        "players": len(rows),
        "error": mean_interval(off_core[rows.index], rows["family"], seed=seed),
    }


checks = {
    f"more than {MANY_GAMES} games": checked(sure),
    "the same, on the 50 positions that all answered": checked(sure, core_scores),
    "all players": checked(rated),
    "all, with the seeded ratings of the benchmark's list": checked(listed),
    "all, on the 50 positions that all answered": core_only,
    "of these: those who answered 98": error_among(in_both),
    "of these: those who answered 50": error_among(rated.drop(in_both.index)),
    "no illegal move in the 50": {
        "players": len(always_legal),
        "rank correlation": spearman_interval(
            core_scores.loc[always_legal.index, "priced"], always_legal
        ),
    },
    "of these: language models": {
        "players": len(legal_models),
        "rank correlation": spearman_interval(
            core_scores.loc[legal_models.index, "priced"], legal_models
        ),
    },
}
checks_text = pd.DataFrame(
    {
        name: {
            "players": row["players"],
            "rank correlation": f"{row['rank correlation']:.2f}"
            if "rank correlation" in row
            else "",
            "error": f"{row['error']:.0f}" if "error" in row else "",
        }
        for name, row in checks.items()
    }
).T
report.table(checks_text, caption="The mean loss, illegal 5,000, in other conditions")

# %% [markdown]
# ### How well is one player's rating known?
#
# For each player the positions are drawn again and the parabola is fitted again, without the
# player's family. To each predicted rating the misses of the other families' players are added. The
# middle 95 % of all this is the player's interval; it is rather too wide than too narrow.
# {glue:text}`intervals_say`

# %% tags=["hide-cell"] mystnb={"code_prompt_show": "Intervals of all players; three predicted too high, and three too low"}
drawn_places = np.zeros((sizes.resamples, len(places)))
for part in (core, ~core):  # every player answered the first set: it is drawn by itself
    drawn_places[:, part] = cluster_weights(part.sum(), seed=seed, resamples=sizes.resamples)
log_priced = np.log(scores["priced"] + 1)
drawn_log = [
    np.log(weighted_mean(cube["priced"], weights) + 1)[scores.index] for weights in drawn_places
]
missed = sure["rating"] - predictions_sure["priced"]
intervals = {}
for one_family, members in roster.groupby("family"):
    others = sure.index[sure["family"] != one_family]
    known = sure.loc[others, "rating"].to_numpy()
    at = np.array(
        [by_parabola(each[others], known, each[members.index].to_numpy()) for each in drawn_log]
    )
    centre = by_parabola(log_priced[others], known, log_priced[members.index].to_numpy())
    spread = at[:, :, None] + missed[others].to_numpy()
    low, high = np.quantile(spread, [0.025, 0.975], axis=(0, 2))
    for k, name in enumerate(members.index):
        intervals[name] = Interval(
            centre[k], min(low[k], centre[k]), max(high[k], centre[k]), len(others)
        )
intervals = pd.Series(intervals)
low = intervals.map(lambda each: each.low)
high = intervals.map(lambda each: each.high)
widths = high - low
covered = {
    name: mean_interval(
        rows["rating"].between(low[rows.index], high[rows.index]), rows["family"], seed=seed
    )
    for name, rows in (("sure", sure), ("all", rated))
}
apart = sure.assign(off=predictions_sure["priced"] - sure["rating"])["off"]
worst = pd.concat([apart.nlargest(3), apart.nsmallest(3).iloc[::-1]])
report.table(
    pd.DataFrame(
        {
            "predicted from positions": [f"{intervals[name]:.0f}" for name in worst.index],
            "rating from games": [
                f"{row['rating']:.0f} ± {row['deviation']:.0f}"
                for _, row in sure.loc[worst.index].iterrows()
            ],
        },
        index=roster.loc[worst.index, "label"].to_list(),
    ),
    caption="Three players predicted too high, and three too low",
)

# %% tags=["hide-cell"] mystnb={"code_prompt_show": "All players with their predicted ratings; how much of the error is the ratings' own"}
listing = roster[["label", "family", "rating", "deviation", "games"]].join(
    scores[["legal", "best", "mark", "charged", "priced"]]
)
listing["rating predicted"] = intervals.map("{:.0f}".format)
listing = listing.loc[cost.sort_values().index].set_index("label").rename_axis(None)
for column in ("rating", "deviation", "games", "charged", "priced"):
    listing[column] = listing[column].map("{:.0f}".format)

drawn_sure = np.array(
    [
        held_out(each[sure.index].to_numpy(), sure["rating"].to_numpy(), family)
        for each in drawn_log
    ]
)
moved = percentile_interval(
    errors_sure["priced"].value,
    np.abs(drawn_sure - rating).mean(axis=1),
    len(places),
    clusters=len(places),
)
floor_rating = float(np.sqrt(2 / np.pi) * sure["deviation"].mean())
floor_positions = float(np.sqrt(2 / np.pi) * drawn_sure.std(axis=0).mean())

report.boards(
    report.table(listing, caption="Recorded players, the least loss first"),
    report.sheet(
        "points",
        {
            "error, positions drawn again": f"{moved:.0f}",
            "error if the ratings alone were uncertain": f"{floor_rating:.0f}",
            "error if the choice of positions alone were": f"{floor_positions:.0f}",
        },
    ),
)

# %% [markdown]
# The strong model that writes and judges in chapters 4 to 7 was asked for its move in the same 98
# positions: the FEN alone, fifty positions in one batch. It has no rating from games. This is the
# rating that its moves promise, with its own family left out of the fit:

# %%
STRONG = "claude"
strong_client = replay("static_fen", STRONG)
asked_98 = [Asked(name, position) for name, position in shown.items()]
strong_given = pd.Series(LlmPlayer(strong_client, "fen").choose(asked_98), index=list(shown))
strong_sheet = graded_answers(strong_given, recorded_moves)
strong_cost = strong_sheet["uncut"].fillna(ILLEGAL).mean()
strangers = sure.index[sure["family"] != "Anthropic"]
strong_rating = by_parabola(
    log_priced[strangers],
    sure.loc[strangers, "rating"].to_numpy(),
    np.log(np.array([strong_cost]) + 1),
)[0]
strong_low, strong_high = strong_rating + missed[strangers].quantile([0.025, 0.975])
strong_interval = Interval(strong_rating, strong_low, strong_high, len(strangers))
strong_rank = 1 + int((cost < strong_cost).sum())
report.table(
    pd.DataFrame(
        {
            "legal moves, %": [100 * strong_sheet["legal"].mean()],
            "best moves, %": [100 * strong_sheet["best"].mean()],
            "centipawns lost a move": [strong_cost],
            "place": [f"{strong_rank} of {len(cost) + 1}"],
            "rating promised": [f"{strong_interval:.0f}"],
        },
        index=[model_title(STRONG)],
    ),
    caption="The strong model on the 98 positions",
    digits=0,
)

# %% [markdown]
# ## How many positions?
#
# From the 50 positions that all answered, fewer are drawn, a hundred times each. Or fewer are
# *chosen*: one after the other, each time the one that makes the error smallest for the players
# outside one family.

# %% tags=["hide-input"] mystnb={"code_prompt_show": "Draw and choose positions", "figure": {"caption": "How many positions a rating takes: error for families held out, when positions are drawn (median and the middle 95 % of the drawings) or chosen on the other families.", "name": "fig-11-how-many"}, "image": {"alt": "A line with a band that falls with the number of positions, and dots of chosen positions inside the band."}}
ns = (5, 10, 15, 20, 30, 40, 50)
priced_core = cube["priced"].loc[sure.index, places.index[core]].to_numpy()


def error_of(columns, train, test):
    """Return the misses of some players, fitted on others, from some positions alone."""
    x = np.log(priced_core[:, columns].mean(axis=1) + 1)
    return np.abs(by_parabola(x[train], rating[train], x[test]) - rating[test])


def choose(train, most, measure):
    """Return positions in the order in which each makes a measure of known players smallest."""
    picked = []
    for _ in range(most):
        rest = [k for k in range(priced_core.shape[1]) if k not in picked]
        picked.append(min(rest, key=lambda k: measure([*picked, k], train)))
    return picked


def fit_error(columns, train):
    return error_of(columns, train, train).mean()


def rank_disorder(columns, train):
    losses = priced_core[np.ix_(train, columns)].mean(axis=1)
    return spearmanr(losses, rating[train]).statistic


folds = list(LeaveOneGroupOut().split(rating, groups=family))
rng = np.random.default_rng(seed)
drawn_errors = {}
for n in ns:
    for k in range(sizes.resamples if n < core.sum() else 1):
        columns = rng.choice(core.sum(), n, replace=False)
        off = [error_of(columns, train, test) for train, test in folds]
        drawn_errors[n, k] = np.concatenate(off).mean()
drawn_errors = pd.Series(drawn_errors).groupby(level=0).quantile([0.025, 0.5, 0.975]).unstack()
CHOSEN_BY = {"by error": fit_error, "by rank correlation": rank_disorder}
chosen_errors = {}
for rule, measure in CHOSEN_BY.items():
    orders = [choose(train, 30, measure) for train, _ in folds]
    for n in (n for n in ns if n <= 30):
        off = [
            error_of(picked[:n], train, test)
            for picked, (train, test) in zip(orders, folds, strict=True)
        ]
        chosen_errors[rule, n] = mean_interval(
            np.concatenate(off), np.concatenate([family[test] for _, test in folds]), seed=seed
        )
figure, axes = plt.subplots(figsize=(5.6, 3.0))
axes.plot(ns, drawn_errors[0.5], marker="o", ms=3, label="drawn at random")
axes.fill_between(ns, drawn_errors[0.025], drawn_errors[0.975], alpha=0.15)
for rule, marker in zip(CHOSEN_BY, "s^", strict=True):
    dots = {n: each.value for (name, n), each in chosen_errors.items() if name == rule}
    axes.plot(list(dots), list(dots.values()), marker, ms=5, ls="", label=f"chosen {rule}")
axes.set(xlabel="positions", ylabel="mean error, points", ylim=(0, None))
axes.legend(fontsize=8)
plt.show()

# %% [markdown]
# {glue:text}`fifteen_says` Cronbach's α of the 50 log losses is {glue:text}`alpha:.2f`: for
# ordering these players, whose strengths are far apart, fifty positions are enough.

# %% tags=["hide-cell"] mystnb={"code_prompt_show": "The fifteen positions that all players together would choose"}
# The fifteen positions that are chosen, by error, on all of these players.
fifteen = [places.index[core][k] for k in choose(np.arange(len(rating)), 15, fit_error)]
log_core = np.log(cube["priced"].loc[rated.index, places.index[core]] + 1)
items = log_core.shape[1]
shared = 1 - log_core.var(ddof=1).sum() / log_core.sum(axis=1).var(ddof=1)
alpha = items / (items - 1) * shared
print(*fifteen, sep=", ")

# %% [markdown]
# ## Have the models met these positions?
#
# Positions and answers are public, so later models may have read them. {glue:text}`n_both` players
# also answered a second set of 48 positions. If GPT-5.6, the newest of OpenAI's models here, knew
# the 50 positions, its loss there would be smaller, compared with the 48, than the others' is.
# {glue:text}`met_says`

# %% tags=["hide-cell"] mystnb={"code_prompt_show": "The first set beside the second: GPT-5.6 and the others"}
two_sets = played[played["player"].isin(in_both.index)].copy()
by_set = two_sets.pivot_table(index="player", columns="set", values="priced")
by_set["ratio"] = np.log((by_set["core"] + 1) / (by_set["game_like"] + 1))
by_set["base"] = roster.loc[by_set.index, "label"].str.replace(r" \(.*", "", regex=True)
newest = by_set.index.str.startswith("gpt_5_6")
contamination = {}
met = {}
for label, some in (("GPT-5.6", by_set[newest]), ("the others", by_set[~newest])):
    met[label] = mean_interval(some["ratio"], some["base"], seed=seed)
    factor = Interval(*np.exp([met[label].value, met[label].low, met[label].high]), len(some))
    contamination[label] = {
        "players": len(some),
        "lost in the 50": f"{some['core'].mean():.0f}",
        "lost in the 48": f"{some['game_like'].mean():.0f}",
        "loss in the 50 / loss in the 48": f"{factor:.2f}",
    }
report.table(pd.DataFrame(contamination).T, caption="The first set beside the second")


def relative_gain(rows):
    """Return the mean log ratio of the newest less that of the others; rows: (n, 2)."""
    new = rows[:, 1] == 1
    return float(rows[new, 0].mean() - rows[~new, 0].mean())


gain_of_newest = bootstrap(
    np.column_stack([by_set["ratio"], newest]),
    relative_gain,
    by_set["base"].to_numpy(),
    seed=seed,
    resamples=sizes.resamples,
)

# %% [markdown]
# ## What legality says
#
# Was the game that led to the position shown? No player answered a position both ways, so this
# compares *different players* on the same 50 positions. {glue:text}`history_says`
#
# The fold names what makes an answer illegal by the classes of chapter 13, where models that read
# only moves are asked.

# %% tags=["hide-cell"] mystnb={"code_prompt_show": "Legal moves: game shown or not, by family"}
spoken = played.join(roster["family"], on="player")
spoken = spoken[~spoken["family"].isin(PROGRAMS)]
in_core = spoken[spoken["set"] == "core"]
each_player = in_core.groupby("player").agg(
    legal=("legal", "mean"), history=("history", "first"), family=("family", "first")
)


def history_gain(rows):
    """Return how much oftener players that were shown the game are legal; rows: (n, 2)."""
    shown_game = rows[:, 1] == 1
    return float(rows[shown_game, 0].mean() - rows[~shown_game, 0].mean())


def gain_within(rows):
    """Return the same after the mean of each family is taken away from both columns."""
    frame = pd.DataFrame(rows, columns=["legal", "history", "family"])
    both = frame[["legal", "history"]]
    off = both - both.groupby(frame["family"]).transform("mean")
    return float((off["legal"] * off["history"]).sum() / (off["history"] ** 2).sum())


cells = each_player.assign(family=pd.factorize(each_player["family"])[0]).to_numpy(dtype=float)
gain = bootstrap(cells[:, :2], history_gain, seed=seed, resamples=sizes.resamples)
within = bootstrap(cells, gain_within, seed=seed, resamples=sizes.resamples)

by_family = means_by(spoken, "family", "legal", cluster="player", seed=seed)
players_of = spoken.groupby("family")["player"].nunique()
best_first = by_family.map(lambda mean: mean.value).sort_values(ascending=False).index
report.boards(
    report.sheet(
        "share of legal moves, game shown less FEN alone",
        {
            "players shown the game": int(each_player["history"].sum()),
            "players shown the FEN alone": int((~each_player["history"]).sum()),
            "difference": gain,
            "difference within families": within,
        },
    ),
    report.table(
        pd.DataFrame({"players": players_of, "legal": by_family}).loc[best_first],
        caption="Legal moves by family",
    ),
)


# %% tags=["hide-cell"] mystnb={"code_prompt_show": "Illegal answers of all models, by class"}
def illegal_kind(answer, board):
    """Return the class of an answer that is no legal move."""
    if answer.uci is None:
        return "no move by its squares"
    left = chess.parse_square(answer.uci[:2])
    reached = chess.parse_square(answer.uci[2:4])
    piece = board.piece_at(left)
    if piece is None:
        return "empty square"
    if piece.color != board.turn:
        return "opponent's piece"
    if any(
        (left, reached) == (move.from_square, move.to_square)
        for move in board.pseudo_legal_moves
    ):
        return "pseudo-legal"
    if board.color_at(reached) == board.turn:
        return "own piece"
    empty = chess.Board(None)
    empty.turn = board.turn
    empty.set_piece_at(left, piece)
    alone = {move.to_square for move in empty.pseudo_legal_moves} | set(empty.attacks(left))
    if reached in alone:
        return "path obstruction"
    empty.set_piece_at(left, chess.Piece(chess.QUEEN, board.turn))
    another = reached in empty.attacks(left) | chess.BB_KNIGHT_ATTACKS[left]
    return "wrong piece" if another else "unreachable"


expert = load_expert("nnue")
frame = chosen.join(describe_positions(chosen["fen"]))
engines = [WeakenedPlayer(level, folder / "level_answers.tsv") for level in LEVELS]
engines += [StockfishPlayer(nodes) for nodes in sizes.nodes] + [NnuePlayer(expert)]
readers = tracking_players()
in_common = frame[frame["number"] < sizes.model_games]
model_asked = [asked[row] for row in in_common.index]
concepts = concepts_in_words(model_asked, expert)
requests = [each for play in MODEL_PLAYS for each in play_requests(model_asked, play, concepts)]
requests += play_requests(reason_asked(model_asked), "fen_reason")
# every model that was asked all of it
shown_models = [*recorded_models("static", requests), model]
clients = {name: replay("static", name) for name in shown_models}
models = [
    LlmPlayer(client, play, concepts) for client in clients.values() for play in MODEL_PLAYS
]
own_players = [f"{nickname(model)}_{play}" for play in MODEL_PLAYS]
from_fen = f"{nickname(model)}_fen"


def ask_all(players, asked):
    """Return the answers of each player as a series by the name of the position."""
    names = [question.name for question in asked]
    return {player.name: pd.Series(player.choose(asked), index=names) for player in players}


answers = ask_all([*engines, *readers], asked)
model_answers = ask_all(models, model_asked)
answers |= model_answers
answers |= ask_all([LlmPlayer(strong_client, "fen")], model_asked)
suite_boards = {question.name: chess.Board(question.position.fen) for question in asked}
reader_names = [reader.name for reader in readers]
group_of = dict.fromkeys(model_answers, f"{model_title(model)}, five ways to ask")
if len(clients) > 1:
    group_of = dict.fromkeys(model_answers, "small language models of our own")
group_of |= dict.fromkeys(reader_names, "models that read moves")
wrong = [
    ("recorded language models", illegal_kind(answer, boards[name]))
    for player, given in given_moves.items()
    if roster.loc[player, "family"] not in PROGRAMS
    for name, answer in given.items()
    if not answer.legal
]
wrong += [
    (group_of[player], illegal_kind(answer, suite_boards[name]))
    for player in (*model_answers, *reader_names)
    for name, answer in answers[player].items()
    if not answer.legal
]
kinds = pd.crosstab(*(pd.Series(column) for column in zip(*wrong, strict=True)))
kinds.index.name, kinds.columns.name = None, None
answers_of = pd.Series({"recorded language models": len(spoken)})
for player, group in group_of.items():
    answers_of[group] = answers_of.get(group, 0) + len(answers[player])
shares = 100 * kinds.div(kinds.sum(axis=1), axis=0)
shares = shares[kinds.sum().sort_values(ascending=False).index]
shares.insert(0, "illegal, % of answers", 100 * kinds.sum(axis=1) / answers_of[kinds.index])
report.table(
    shares.T, caption="Illegal answers, and their classes in % of the illegal ones", digits=0
)

# %% [markdown]
# ## What strong models still miss
#
# {glue:text}`maia_says` Maia is a network that imitates people rated 1900. The fold shows the two
# positions in which the strong models lose most beside it. They were chosen for that and prove
# nothing.

# %% tags=["hide-cell"] mystnb={"code_prompt_show": "Two positions that strong models lose and Maia does not"}
strong = rated.index[(rated["rating"] > 1_300) & ~rated["family"].isin(PROGRAMS)]
weak = rated.index[(rated["rating"] <= 1_300) & ~rated["family"].isin(PROGRAMS)]
losses = played[played["set"] == "core"].pivot(index="name", columns="player", values="charged")
compared = pd.DataFrame(
    {
        "strong models": losses[strong].mean(axis=1),
        "other models": losses[weak].mean(axis=1),
        "maia_1900": losses["maia_1900"],
    }
)
missed_by = (compared["strong models"] - compared["maia_1900"]).nlargest(2)
cards = []
for name in missed_by.index:
    best = max(recorded_tables[name].values, key=recorded_tables[name].values.get)
    said = pd.Series([given_moves[player][name].san for player in strong]).value_counts()
    cards.append(report.board(MoveInContext(shown[name], best), size=230))
    cards.append(
        report.sheet(
            name,
            {
                "best (arrow)": boards[name].san(chess.Move.from_uci(best)),
                "Maia 1900": given_moves["maia_1900"][name].san or "illegal",
                "strong models": f"{said.index[0]} ({said.iloc[0]} of {len(strong)})"
                if len(said)
                else "",
                "they lose": f"{compared.loc[name, 'strong models']:.0f}",
                "Maia loses": f"{compared.loc[name, 'maia_1900']:.0f}",
            },
        )
    )
report.boards(*cards)


# %% tags=["remove-input"]
against_maia = paired_difference(compared["strong models"], compared["maia_1900"], seed=seed)
words = "lose about as much as"
if against_maia.high < 0:
    words = "lose less than"
if against_maia.low > 0:
    words = "lose more than"
maia_says = f"Over the 50 positions the {len(strong)} language models rated above 1,300 {words} Maia 1900."
report.paste(maia_says=maia_says)

# %% [markdown]
# ## Any player beside any other
#
# Two menus in the fold choose among all players of this chapter, those of the next section too. The
# two sets of positions are not equally hard.


# %% tags=["hide-cell"] mystnb={"code_prompt_show": "Any two players beside each other"}
def card_of(some, **first):
    """Return what is shown of a player: a mean for each measure and place."""
    card = {
        **first,
        "answers": len(some),
        "legal moves, %": 100 * some["legal"].mean(),
        "best moves, %": 100 * some["best"].mean(),
        "plan's mark": some["mark"].mean(),
        "lost, illegal as the worst move": some["charged"].mean(),
        "lost, legal moves": some["loss"].mean(),
    }
    for column in ("phase", "kind", "level"):
        if column in some:
            for group, mean in some.groupby(column)["charged"].mean().items():
                card[f"lost, {column} {group}"] = mean
    for grade in MOVE_GRADES:
        card[f"{grade}, %"] = 100 * some[grade].mean()
    return {
        key: round(float(value), 1) if isinstance(value, float) else value
        for key, value in card.items()
    }


all_cards = {}
for name in cost.sort_values().index:
    row = roster.loc[name]
    some = played[played["player"] == name]
    known = name in rated.index
    seen_history = "game shown" if some["history"].iloc[0] else "FEN alone"
    all_cards[row["label"]] = card_of(
        some,
        positions=f"recorded, {seen_history}",
        rating=f"{row['rating']:.0f} ± {row['deviation']:.0f}" if known else "none",
        **{"rating predicted": f"{intervals[name]:.0f}"},
    )
sheets = {name: graded_answers(given, moves) for name, given in answers.items()}
sheets["random"] = random_answers(frame["name"], moves)
graded = pd.concat(sheets, names=["player"]).reset_index("player")
graded = graded.merge(frame.drop(columns=["loss", "grade"]), on="name")
common = graded[graded["name"].isin(in_common["name"])]
overall = pd.DataFrame(
    {
        measure: means_by(
            common.dropna(subset=measure), "player", measure, cluster="game", seed=seed
        )
        for measure in ("mark", "legal", "loss", "charged", "best")
    }
)
order = overall["charged"].map(lambda mean: mean.value).sort_values(kind="stable").index
for name in order:
    some = graded[graded["player"] == name]
    all_cards[report.NAMES.get(name, name)] = card_of(
        some, positions="our own", rating="none", **{"rating predicted": ""}
    )
for card in all_cards.values():
    card.update({key: "" for key, value in card.items() if value != value})
PAGE = """
<div class="results" id="compare-players">
<p><select aria-label="first player"></select> beside
<select aria-label="second player"></select></p>
<table class="dataframe results"><tbody></tbody></table></div>
<script type="application/json" id="players">DATA</script>
<script>
(() => {
  const {cards, start} = JSON.parse(document.getElementById("players").textContent);
  const place = document.getElementById("compare-players");
  const [first, second] = place.querySelectorAll("select");
  const cell = (row, tag, text) => {
    row.appendChild(document.createElement(tag)).textContent = text;
  };
  const show = () => {
    const pair = [cards[first.value], cards[second.value]];
    const body = place.querySelector("tbody");
    body.replaceChildren();
    const head = body.insertRow();
    cell(head, "th", ""); cell(head, "th", first.value); cell(head, "th", second.value);
    for (const key of new Set(pair.flatMap(Object.keys))) {
      const row = body.insertRow();
      cell(row, "th", key);
      pair.forEach((card) => cell(row, "td", card[key] ?? ""));
    }
  };
  [first, second].forEach((choice, k) => {
    Object.keys(cards).forEach((name) => choice.add(new Option(name, name)));
    choice.value = start[k];
    choice.addEventListener("change", show);
  });
  show();
})();
</script>"""
best_names = [
    roster.loc[name, "label"]
    for name in (strong[rated.loc[strong, "rating"].argmax()], "maia_1900")
]
page = PAGE.replace("DATA", embedded({"cards": all_cards, "start": best_names}))
report.Html(page, f"{len(all_cards)} players, any two beside each other")

# %% [markdown]
# ## Four hundred positions of our own
#
# Each of two hundred games, which Stockfish played at five Skill Levels for this book, gives two
# positions: one early and one 5 to 8 moves before the end, as the plan says. Engines, Stockfish's
# network without search, and the models of chapter 12 answered all; the small language model
# {glue:text}`model` answered those of the first {glue:text}`model_games` games a level
# ({glue:text}`model_positions` positions), asked in five ways.
#
# {glue:text}`own_says`

# %% tags=["hide-cell"] mystnb={"code_prompt_show": "Every player in the positions that all answered"}
report.paste(model_games=sizes.model_games)
overview = overall.loc[order, ["mark", "legal", "best", "loss", "charged"]].copy()
for measure in overview:
    whole = measure in ("loss", "charged")
    overview[measure] = overall[measure].map(
        lambda mean, whole=whole: f"{mean.value:.0f}" if whole else f"{mean.value:.2f}",
        na_action="ignore",
    )
overview["charged"] = overall["charged"].map(lambda mean: f"{mean:.0f}")
overview = overview.rename(
    columns={
        "loss": "lost, legal moves",
        "best": "best move",
        "charged": "lost, illegal as the worst",
    }
).fillna("none")
report.table(overview, caption="Every player, the least loss first; intervals draw games")

# %% tags=["hide-cell"] mystnb={"code_prompt_show": "Would another yardstick change the ranking? Kendall's τ with the usual one"}
few = in_common[in_common["number"] < OTHER_GAMES]
few_positions = {name: positions[row] for row, name in few["name"].items()}
few_tables = {name: tables[name] for name in few_positions}


def ranking(moves, column="charged"):
    """Return the mean of each player in these positions, by other grades of their moves."""
    return pd.Series(
        {
            player: graded_answers(given[list(few_positions)], moves)[column].mean()
            for player, given in answers.items()
        }
    )


few_moves = graded_moves(few_tables)
usual = ranking(few_moves)
yardsticks = {}
for setting in grading.OTHER_NODES:
    other = grading.read_tables(grading.tables_path(folder, setting))
    found = grading.search_tables(list(few_positions.values()), setting, other, store)
    yardsticks[f"{setting.nodes:,} nodes, one colour"] = ranking(
        graded_moves(dict(zip(few_positions, found, strict=True)))
    )
for cap in (300, 10_000):
    yardsticks[f"cap {cap:,}"] = ranking(graded_moves(few_tables, cap=cap))
yardsticks["chance to win, legal moves"] = ranking(few_moves, "win_loss")
yardsticks["legal moves alone"] = ranking(few_moves, "loss")
yardsticks["marks"] = -ranking(few_moves, "mark")
tau = pd.Series(
    {name: usual.corr(other, method="kendall") for name, other in yardsticks.items()}
)
report.table(tau.to_frame("Kendall's τ with the usual ranking"))

# %% [markdown]
# ### A move and its reason
#
# In some positions the model was also asked for a reason. Its claims are held against the board.
# {glue:text}`reasons_say`

# %% tags=["hide-cell"] mystnb={"code_prompt_show": "Check the reasons"}
questions = reason_asked(model_asked)


def check_reasons(client):
    """Return how many moves and reasons a model gave, and how many of their claims are false."""
    reasoned = LlmPlayer(client, "fen_reason").reasoned(questions)
    legal_moves = [
        (question, answer, reason)
        for question, (answer, reason) in zip(questions, reasoned, strict=True)
        if answer.legal
    ]
    verdicts = {}
    for question, answer, reason in legal_moves:
        if reason:
            claims = verify(reason, MoveInContext(question.position, answer.uci))
            verdicts[question.name] = [
                claim.verdict for claim in claims if claim.verdict != "not checkable"
            ]
    flags = [(name, verdict == "false") for name, each in verdicts.items() for verdict in each]
    false = (
        mean_interval([flag for _, flag in flags], [name for name, _ in flags], seed=seed)
        if flags
        else None
    )
    sound = (
        mean_interval(["false" not in each for each in verdicts.values()], seed=seed)
        if verdicts
        else None
    )
    return {
        "asked": len(questions),
        "legal moves": len(legal_moves),
        "with a reason": len(verdicts),
        "claims the board can settle": len(flags),
        "false": false,
        "reasons without a false claim": sound,
    }


reasons = {name: check_reasons(client) for name, client in clients.items()}
false_claims = reasons[model]["false"]
sound = reasons[model]["reasons without a false claim"]
report.table(
    pd.DataFrame(
        {model_title(name): pd.Series(each, dtype=object) for name, each in reasons.items()}
    ).fillna("none"),
    caption="Move and reason",
)

# %% [markdown]
# ## Recap
#
# - The mean loss, with an illegal answer at 5,000, predicts the rating of a player of another maker to
#   within {glue:text}`error_sure:.0f` points on average. {glue:text}`recap_legal`
# - {glue:text}`recap_fifteen` The interval of one predicted rating is some {glue:text}`width:,.0f`
#   points wide: weak models are separated from strong ones, not one strong model from the next.
# - {glue:text}`own_recap`

# %% tags=["remove-input"]
best_single = min(
    (name for name in errors_sure if name in scores), key=lambda name: errors_sure[name].value
)
by_error = chosen_errors["by error", 15].value
by_rank = chosen_errors["by rank correlation", 15].value
band = drawn_errors.loc[15]
outside = [each for each in (by_error, by_rank) if each < band[0.025]]
seeded = checks["all, with the seeded ratings of the benchmark's list"]
same_50 = checks["the same, on the 50 positions that all answered"]
of_98 = checks["of these: those who answered 98"]["error"]
of_50 = checks["of these: those who answered 50"]["error"]
no_illegal = checks["no illegal move in the 50"]["rank correlation"]
no_illegal_models = checks["of these: language models"]["rank correlation"]
mark = {name: mean.value for name, mean in overall["mark"].items()}
legal_rate = {name: overall.loc[name, "legal"] for name in overall.index}
best_way = max(own_players, key=lambda name: legal_rate[name].value)
reader = max(reader_names, key=mark.get)
title = model_title(model)
names = report.NAMES
width = round(float(widths[sure.index].median()), -1)
well = abs(spearman_sure["priced"].value)
opening = (
    f"What moves in single positions lose orders {len(sure)} players "
    f"{'almost as' if well > 0.8 else 'not quite as'} their rated games do (rank correlation "
    f"{well:.2f})."
)
predicts_say = (
    "From that loss the rating of a player is predicted to within "
    f"{errors_sure['priced'].value:.0f} points on average."
)
reasons_say = (
    f"Of the claims in its reasons that the board can settle, {false_claims.value:.0%} are false."
    if false_claims
    else "None of its reasons holds a claim that the board can settle."
)
scores_say = (
    f"The best single score is “{MEANING[best_single]}”. Legality alone has a rank correlation of "
    f"{spearman_sure['legal'].value:.2f} with the rating, the plan's mark one of "
    f"{spearman_sure['mark'].value:.2f}."
)
is_more = "so the score is more than legality" if no_illegal.low > 0 else "which is not sure"
checks_say = (
    f"With the seeded ratings all players would show an error of {seeded['error'].value:.0f} "
    f"points in place of {errors['priced'].value:.0f}. On the same 50 positions it is "
    f"{of_98.value:.0f} for those who answered 98 and {of_50.value:.0f} for the rest. Among the "
    f"{len(always_legal)} players without an illegal move in the 50, loss and rating still "
    f"correlate at {no_illegal.value:.2f}, {is_more}."
)
intervals_say = (
    f"The median width is some {width:,.0f} points. "
    f"{covered['sure'].value:.0%} of the {len(sure)} well known ratings lie inside, and "
    f"{covered['all'].value:.0%} of all {len(rated)}."
)
fifteen_says = (
    f"Fifteen positions that are drawn leave an error of {band[0.5]:.0f} points. Fifteen chosen "
    f"on other families leave {by_error:.0f}, or {by_rank:.0f} if chosen by rank correlation: "
)
fifteen_says += (
    "less than nearly all drawings."
    if len(outside) == 2
    else "no better than a drawing may be. How many positions there are counts, not which."
)
relative = 100 * np.expm1([gain_of_newest.value, gain_of_newest.low, gain_of_newest.high])
met_says = (
    f"Relative to the others, GPT-5.6 loses {abs(relative[0]):.0f} % "
    f"{'less' if relative[0] < 0 else 'more'} in the 50, "
)
met_says += (
    "more than chance explains: it may have met them."
    if gain_of_newest.high < 0
    else "which chance explains. Only a large effect could be seen."
)
history_says = (
    f"The players that were shown the game are legal {100 * gain.value:.0f} points more often, "
    f"within families {100 * within.value:.0f}"
)
history_says += (
    "; as these are different models, the game need not be the reason."
    if gain.low > 0
    else ", which may be chance."
)
own_says = (
    f"{title}, told the FEN, says a legal move in {legal_rate[from_fen].value:.0%} of the "
    f"positions, and at best (“{names.get(best_way, best_way)}”) in "
    f"{legal_rate[best_way].value:.0%}. Its mark is {mark[from_fen]:.2f}, that of a random legal "
    f"move {mark['random']:.2f}. The best of the models that were trained on games alone, "
    f"“{names.get(reader, reader)}”, is legal in {legal_rate[reader].value:.0%} and has "
    f"{mark[reader]:.2f}."
)
own_recap = (
    f"In positions of our own, {title} is legal in at most {legal_rate[best_way].value:.0%}; a "
    f"model that read nothing but games is in {legal_rate[reader].value:.0%}."
)
recap_legal = (
    f"It is not legality alone: without any illegal move the correlation is {no_illegal.value:.2f}."
    if no_illegal.low > 0
    else "Whether it is more than legality is not shown."
)
recap_fifteen = (
    f"Fifty positions order such players (α {alpha:.2f}); with fifteen the error is "
    f"{band[0.5]:.0f} points, "
    + ("and less if they are chosen." if len(outside) == 2 else "chosen or drawn.")
)
report.paste(
    rated=len(rated),
    n_sure=len(sure),
    few_games=len(rated) - len(sure),
    n_both=len(in_both),
    opening=opening,
    predicts_say=predicts_say,
    reasons_say=reasons_say,
    below_random=int((rated["rating"] < rated.loc["random_bot", "rating"]).sum()),
    error_sure=errors_sure["priced"].value,
    scores_say=scores_say,
    checks_say=checks_say,
    intervals_say=intervals_say,
    width=width,
    fifteen_says=fifteen_says,
    alpha=alpha,
    met_says=met_says,
    history_says=history_says,
    own_says=own_says,
    own_recap=own_recap,
    recap_legal=recap_legal,
    recap_fifteen=recap_fifteen,
    model=title,
    model_positions=len(in_common),
)
rows = report.rows
points = "Glicko-2 points"
correlation = "rank correlation"
report.save(
    "11_static_positions",
    rows(len(people), "recorded.players", unit="players"),
    rows(strong_cost, "static.strong.lost", unit="centipawns"),
    rows(strong_rank, "static.strong.place", unit="place among 85"),
    rows(strong_interval, "static.strong.rating", unit="rating"),
    rows(
        {
            "legal": mean_interval(strong_sheet["legal"], seed=seed),
            "best": mean_interval(strong_sheet["best"], seed=seed),
        },
        "static.strong",
        unit="share of answers",
    ),
    rows(
        played.groupby("player")["legal"].apply(mean_interval, seed=seed),
        "recorded.legal",
        unit="share of answers",
    ),
    rows(spearman, "rating.spearman", unit=correlation),
    rows(spearman_sure, "rating.spearman_sure", unit=correlation),
    rows(errors, "rating.error", unit=points),
    rows(errors_sure, "rating.error_sure", unit=points),
    rows(
        {
            "seeded": seeded["rank correlation"],
            "same_positions": core_only["rank correlation"],
            "same_positions_sure": same_50["rank correlation"],
            "no_illegal": no_illegal,
            "no_illegal_models": no_illegal_models,
        },
        "rating.check.spearman",
        unit=correlation,
    ),
    rows(
        {
            "seeded": seeded["error"],
            "same_positions": core_only["error"],
            "same_positions_sure": same_50["error"],
            "answered_98": of_98,
            "answered_50": of_50,
        },
        "rating.check.error",
        unit=points,
    ),
    rows(covered, "rating.covered", unit="share of players"),
    rows(float(widths[sure.index].median()), "rating.width", unit=points),
    rows(
        {
            "chosen_by_error": chosen_errors["by error", 15],
            "chosen_by_rank": chosen_errors["by rank correlation", 15],
            "drawn": report.Result(
                band[0.5], band[0.025], band[0.975], n=sizes.resamples, unit=points
            ),
        },
        "rating.fifteen",
        unit=points,
    ),
    rows(alpha, "rating.alpha", unit="Cronbach's alpha"),
    rows(
        {"newest": met["GPT-5.6"], "others": met["the others"], "difference": gain_of_newest},
        "contamination.log_ratio",
        unit="log of losses' ratio",
    ),
    rows(
        {"legal": gain, "legal_within_families": within},
        "history_gain",
        unit="difference of shares",
    ),
    rows(
        {
            "same_colours": agreement["mean of both, colours exchanged"],
            "same_colours_one_search": agreement["one search, colours exchanged"],
            "same_with_fewer_nodes": agreement["mean of both, a quarter of the nodes"],
        },
        "grader",
        unit="share of legal moves",
    ),
    rows(len(suite), "suite.positions", unit="positions"),
    rows(len(all_cards), "dashboard.pages", unit="players"),
    rows(tau.min(), "static.ranking.least_tau", unit="Kendall's tau"),
    rows(overall["mark"], "static.score", unit="mark, 1 to 5"),
    rows(overall["legal"], "static.legal_rate", unit="share of answers"),
    rows(overall["charged"], "static.charged", unit="centipawns"),
    rows(overall["loss"], "static.acpl", unit="centipawns", drop=True),
    rows(
        mean_interval(frame["loss"], frame["game"], seed=seed),
        "suite.played.acpl",
        unit="centipawns",
    ),
    rows(sound, "static.reasons.sound", unit="share of reasons", drop=True),
    rows(false_claims, "static.reasons.false_claims", unit="share of claims", drop=True),
)

report.evidence(
    len(frame),
    "positions",
    seed,
    frame["game"].nunique(),
    "95 % over games, recorded players: families or positions; shares Wilson, else bootstrap",
    {
        "model": replay("static", model).told(),
        "Stockfish": f"15.1, {settings.nodes:,} nodes for five lines, both colours",
        "recorded answers and ratings": "Chess-LLM-Benchmark 4b072f3, ratings of 24 July 2026",
        "suite": f"version {VERSION}",
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
