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
# asks for one move in each of some positions and grades it. Does its score say who wins games?
# Here {glue:text}`recorded` players, most of them language models from GPT-3.5 to GPT-5.6, have
# answered 50 or 98 positions, and each has a rating from games. The plan's mark orders them with a
# rank correlation of {glue:text}`rho_mark:.2f`; the mean loss, with an illegal move at fifty
# pawns, with {glue:text}`rho_best:.2f`. From that loss alone the rating of a player of a family
# never seen is off by {glue:text}`error_best:.0f` Elo, {glue:text}`error_sure:.0f` for players
# whose rating is well known; whoever says the mean of the others is off by
# {glue:text}`error_mean:.0f`. Legal moves alone order them with {glue:text}`rho_legal:.2f`.

# %% tags=["parameters", "hide-input"]
profile = "book"
seed = 1
model = "qwen2.5-coder-1.5b-q4_k_m"
fresh = False
position_number = 6

# %% tags=["hide-input"]
import csv
import itertools
import re
from html import escape
from io import StringIO

import chess
import chess.polyglot
import chess.svg
import matplotlib.pyplot as plt
import numpy as np
import pandas as pd
from scipy.stats import mannwhitneyu, norm, spearmanr
from sklearn.dummy import DummyRegressor
from sklearn.linear_model import LinearRegression, Ridge
from sklearn.model_selection import LeaveOneGroupOut, cross_val_predict
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import PolynomialFeatures, StandardScaler
from chessgloss import assets, report
from chessgloss.book.profiles import load_sizes
from chessgloss.claims import verify
from chessgloss.commentary.annotate import embedded
from chessgloss.positions import phase_of
from chessgloss.experts import load_expert
from chessgloss.facts.tactics import forks, mates
from chessgloss.llm.client import model_title, recorded_models, replay
from chessgloss.positions import MoveInContext, Position
from chessgloss.skill import grading
from chessgloss.skill.grading import (
    GRADES,
    MOVE_GRADES,
    Settings,
    graded_answers,
    graded_moves,
    mirrored,
    random_answers,
)
from chessgloss.skill.levels import LEVELS, read_level_games
from chessgloss.skill.players import (
    ELOS,
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
    read_known_sets,
    read_suite,
    reason_asked,
)
from chessgloss.stats import (
    bootstrap,
    cluster_weights,
    mean_interval,
    means_by,
    paired_difference,
    paired_permutation,
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
played = pd.concat(sheets, names=["player"]).reset_index("player").join(places, on="name")
played["priced"] = played["uncut"].fillna(ILLEGAL)
played["win"] = played["win_loss"].fillna(1.0)
roster = ratings.reindex([player.name for player in people])
roster["label"] = roster["label"].fillna(roster.index.to_series())
roster = roster.fillna({"family": "yours", "effort": ""})
rated = roster.dropna(subset="rating")
COLOURS = dict(
    zip(
        ["OpenAI", "Google", "Anthropic", "DeepSeek", "xAI", "Maia"],
        report.PALETTE,
        strict=False,
    )
)
NAMED = {
    "gpt_3_5_turbo_instruct": (6, -3),
    "gpt_5_6_sol_xhigh": (6, -4),
    "eubos": (6, -3),
    "gemini_3_1_pro_preview_medium": (6, -8),
    "maia_1900": (-44, 6),
    "survival_bot": (-52, -4),
    "gpt_3_5_turbo": (6, -4),
    "gpt_5_2_high": (6, -4),
    "claude_opus_4_5_high": (-84, 2),
    "grok_4_1_fast": (-64, 2),
    "llama_3_3_70b_instruct": (6, 4),
    "gemini_3_1_flash_lite_preview": (6, -4),
    "deepseek_v4_flash_no_thinking": (-10, 7),
}
cost = played.groupby("player")["priced"].mean()
rank = cost.rank(method="first").astype(int)
figure, axes = plt.subplots(figsize=(7.6, 4.9))
for name, row in rated.iterrows():
    colour = COLOURS.get(row["family"], "#888888")
    axes.errorbar(
        cost[name], row["rating"], yerr=row["deviation"], color=colour, alpha=0.18, lw=1
    )
    axes.plot(cost[name], row["rating"], "o", color=colour, ms=5, gid=f"player-{name}")
    if name in NAMED:
        words = row["label"].replace("$", r"\$")  # no formula
        axes.annotate(
            words,
            (cost[name], row["rating"]),
            xytext=NAMED[name],
            fontsize=7,
            textcoords="offset points",
            color=colour,
        )
for family, colour in {**COLOURS, "others": "#888888"}.items():
    axes.plot([], [], "o", color=colour, label=family)
axes.set(
    xscale="log",
    ylabel="rating from games",
    xlabel="centipawns lost a move, 5,000 where it is illegal (best at the right)",
)
axes.invert_xaxis()
axes.legend(fontsize=8, loc="upper left")
drawn = StringIO()
figure.savefig(drawn, format="svg", metadata={"Date": None, "Creator": None})
plt.close(figure)


def with_title(match):
    """Return the beginning of a player's point with the words that a pointer over it shows."""
    name = match["name"]
    row = roster.loc[name]
    words = (
        f"{row['label']}: rating {row['rating']:.0f} ± {row['deviation']:.0f}, "
        f"loses {cost[name]:.0f}, rank {rank[name]} of {len(cost)}"
    )
    return f"{match[0]}<title>{escape(words)}</title>"


svg = re.sub(r'<g id="player-(?P<name>\w+)">', with_title, drawn.getvalue())
report.Html(
    f'<div class="board">{svg[svg.index("<svg") :]}</div>', "rating against loss, by player"
)

# %% [markdown]
# Each point is a player (a pointer over it shows the name, the rank by loss and the rating); the
# bars are the deviations of the ratings. In this chapter we
#
# - grade one move by hand, from both colours;
# - let recorded players answer, and add one of your own by one file;
# - ask how well each score predicts a rating, with whole families held out;
# - see how many positions that takes, and which of the plan's improvements pays;
# - count legal moves, say what kind of illegal moves there are, and what strong models still miss;
# - set any player beside any other;
# - ask engines, a bare network and small models in 400 positions of our own, one page each.
#
# ## One move, graded by hand
#
# Every legal move of every position has a value: Stockfish's, in centipawns for the side to move,
# from 20,000 nodes for each five moves. A mate counts about 10,000. At a fixed number of nodes the
# values depend on the order of the search and so on the colours; each position is therefore
# searched as it is and with colours exchanged, and a move's value is the mean of the two.

# %% tags=["hide-input"]
stored = read_level_games(folder / "games.tsv.zst")
suite = read_suite(folder / "suite.json")
chosen = suite[suite["number"] < sizes.games].reset_index(drop=True)
positions = positions_of(chosen, stored)
asked = ask(chosen, positions)
kept = grading.read_tables(grading.tables_path(folder, settings))
tables = tables_of(dict(zip(chosen["name"], positions, strict=True)), kept)

# %%
entry = chosen.iloc[position_number]
board = chess.Board(entry.fen)
played_move = chess.Move.from_uci(entry.played)
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
    steps = {"Excellent": 10, "Good": 30, "Inaccuracy": 60, "Mistake": 100, "Blunder": np.inf}
    grades = [name for name, bound in steps.items() if loss <= bound]
    return grades[0], len(grades)  # 5 for Excellent, 1 for Blunder


lost = loss_of(values, values.max())
marks = [mark_of(loss)[1] for loss in lost]
san = board.san(played_move)
print(
    f"{san}: value {values[san]}, loss {lost[san]:.0f} centipawns, grade and mark "
    f"{mark_of(lost[san])}"
)
print(f"a random legal move: loss {lost.mean():.0f}, mark {np.mean(marks):.2f}")

# %% tags=["hide-input"] mystnb={"figure": {"caption": "Every legal move of one position, graded: its value for the mover, coloured by mark, the move played with a black edge.", "name": "fig-11-all-moves"}, "image": {"alt": "Bars of all legal moves in falling order, coloured by mark."}}
figure, axes = plt.subplots(figsize=(7, 2.8))
colours = [report.PALETTE[5 - mark] for mark in marks]
axes.bar(values.index, values.clip(-1_000, 1_000), color=colours)
for mark in sorted(set(marks), reverse=True):
    axes.bar(0, 0, color=report.PALETTE[5 - mark], label=f"mark {mark}")
axes.bar(san, values.clip(-1_000, 1_000)[san], fill=False, edgecolor="black", linewidth=1.5)
axes.axhline(0, color="grey", linewidth=1)
axes.set_ylabel("centipawns, cut at ±1,000")
axes.tick_params(axis="x", rotation=90, labelsize=7)
axes.legend(ncols=5, loc="lower center", bbox_to_anchor=(0.5, 1))
plt.show()

# %% tags=["hide-input"]
moves = graded_moves(tables)
library = moves.loc[(entry["name"], entry["played"])]
library_random = random_answers([entry["name"]], moves).iloc[0]
assert (library["grade"], library["loss"]) == (mark_of(lost[san])[0], lost[san])
assert (entry["grade"], entry["loss"]) == (library["grade"], library["loss"])
assert np.isclose(library_random["mark"], np.mean(marks))

# %% [markdown]
# The framed bar is the move played in the game; the library grades all answers so. How sure is a
# grade? All legal moves of the recorded positions are graded by one search, by the search of the
# mirror image, and by the mean of both, which is the same from either colour because it is made
# so; and that mean once more with a quarter of the nodes, which says how much the limit matters.


# %% tags=["hide-input"]
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
report.sheet("moves that keep their grade", {"legal moves": len(at), **agreement})

# %% [markdown]
# ## Players whose moves are recorded
#
# The answers, and ratings from games (Glicko-2, about the scale of Lichess's classical games), are
# facts of the public *Chess-LLM-Benchmark*. Nobody is asked here: a player is a file of moves.
# To add one, put `data/static/recorded/players/your_name.tsv` there and run the chapter again:
# the columns are `position`, `history` (1 if the game that led there was shown) and `move`, in UCI
# or SAN or as a text; the names and FENs stand in `positions.tsv` above that folder. With a row in
# `ratings.tsv` it takes part in the fit; without one its rating is estimated.

# %%
example = people[0]
print(example.path.read_text().splitlines()[:3])
first = example.rows.index[0]
answer = given_moves[example.name][first]
print(f"(n_players, n_answers) = ({len(people)}, {len(played)})")
print(first, answer.san, *recorded_moves.loc[(first, answer.uci), ["value", "loss", "grade"]])

# %% tags=["hide-input"]
groups = played.groupby("player")
scores = pd.DataFrame(
    {
        "mark": groups["mark"].mean(),
        "marks_legal": played[played["legal"] == 1].groupby("player")["mark"].mean(),
        "loss": groups["loss"].mean(),
        "charged": groups["charged"].mean(),
        "uncut": groups["uncut"].mean(),
        "priced": groups["priced"].mean(),
        "win_loss": groups["win"].mean(),
        "best": groups["best"].mean(),
        "legal": groups["legal"].mean(),
    }
).fillna({"marks_legal": 1.0, "loss": 2_000, "uncut": 20_000})
MEANING = {
    "mark": "plan's mark, failures 1",
    "marks_legal": "plan's mark, failures left out",
    "loss": "mean loss of legal moves, cut",
    "charged": "mean loss, failures as the worst move",
    "uncut": "mean loss of legal moves, uncut",
    "priced": "mean loss, uncut, failures 5,000",
    "win_loss": "chance to win given away, failures all",
    "best": "best moves",
    "legal": "legal moves",
    "combined": "five of these together",
    "published": "published formula",
    "mean": "mean of the other families",
}

# %% [markdown]
# ## Does the score predict strength?
#
# A rating is predicted from one score by a parabola (losses as logarithms). Players of one family
# share what they learned from, so a family is never on both sides: all players of one maker are
# held out, the parabola is fitted to the others, and this is done for every family. Here for the
# mean loss in which an answer that is no legal move costs 5,000:

# %%
family = rated["family"].to_numpy()
rating = rated["rating"].to_numpy()
log_loss = np.log(scores.loc[rated.index, ["priced"]] + 1)
parabola = make_pipeline(StandardScaler(), PolynomialFeatures(2), LinearRegression())
predicted = cross_val_predict(parabola, log_loss, rating, groups=family, cv=LeaveOneGroupOut())
nothing = cross_val_predict(
    DummyRegressor(), log_loss, rating, groups=family, cv=LeaveOneGroupOut()
)
print("(n_players, n_families) =", (len(rating), len(set(family))))
print(
    f"Spearman {spearmanr(log_loss, rating).statistic:.2f}; mean error "
    f"{np.abs(predicted - rating).mean():.0f} Elo, the mean of the others "
    f"{np.abs(nothing - rating).mean():.0f}"
)

# %% [markdown]
# The other scores in the same way, besides a ridge regression on five of them with their products,
# and the formula that the benchmark publishes, from its three measures: 1298.57 −
# 200.43 ln(CPL + 1) + 15.39 best + 5.85 S, with S the chance, in percent, of at most one illegal
# move in forty. It is taken as it is, and was fitted to some of these very players, so that nothing
# is held out there; its authors state a held-out error of 148 to 239 Elo. Intervals over players
# draw whole families, those over positions draw positions and fit again; a position drawn twice
# says nothing new, so that their errors lie mostly above.

# %% tags=["hide-input"]
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


def held_out(x, rating, family):
    """Return each rating as predicted by the parabola of all other families."""
    predicted = np.empty(len(rating))
    spread = (x - x.mean()) / (x.std() or 1)
    for train, test in LeaveOneGroupOut().split(spread, groups=family):
        predicted[test] = np.polyval(np.polyfit(spread[train], rating[train], 2), spread[test])
    return predicted


def predict_all(scores, rows):
    """Return a predicted rating of each player in rows by each score, each family held out."""
    features = as_features(scores.loc[rows.index])
    rating = rows["rating"].to_numpy()
    family = rows["family"].to_numpy()
    found = {name: held_out(features[name].to_numpy(), rating, family) for name in features}
    found["combined"] = cross_val_predict(
        ridge, features[FIVE], rating, groups=family, cv=LeaveOneGroupOut()
    )
    found["published"] = published_formula(scores.loc[rows.index]).to_numpy()
    found["mean"] = cross_val_predict(
        DummyRegressor(), features[FIVE], rating, groups=family, cv=LeaveOneGroupOut()
    )
    return pd.DataFrame(found, index=rows.index)


predictions = predict_all(scores, rated)
assert np.allclose(predictions["priced"], predicted)
sure = rated[rated["deviation"] < 100]
predictions_sure = predict_all(scores, sure)
MEASURES = ["mark", "legal", "best", "charged", "priced", "win"]
cube = {
    name: played.pivot(index="player", columns="name", values=name)[list(places.index)]
    for name in [*MEASURES, "loss", "uncut"]
}
legal_marks = cube["mark"].where(cube["legal"] == 1)


def weighted_scores(weights):
    """Return the scores from positions that count so often each: (n_positions,)."""

    def mean(table):
        known = table.notna().to_numpy() * weights
        return pd.Series(
            (table.fillna(0).to_numpy() * weights).sum(axis=1)
            / np.maximum(known.sum(axis=1), 1e-9),
            index=table.index,
        )

    found = {name: mean(cube[name]) for name in MEASURES}
    found |= {
        "marks_legal": mean(legal_marks),
        "loss": mean(cube["loss"]),
        "uncut": mean(cube["uncut"]),
        "win_loss": found.pop("win"),
    }
    return pd.DataFrame(found)[list(scores)]


assert np.allclose(weighted_scores(np.ones(len(places)))["priced"], scores["priced"])
core = (places["set"] == "core").to_numpy()
drawn_places = np.zeros((sizes.resamples, len(places)))
for part in (core, ~core):  # every player answered the first set: it is drawn by itself
    drawn_places[:, part] = cluster_weights(part.sum(), seed=seed, resamples=sizes.resamples)
drawn_scores = [weighted_scores(weights) for weights in drawn_places]
drawn_predictions = [predict_all(each, rated) for each in drawn_scores]


def spearman_of(x, y):
    return abs(float(spearmanr(x, y).statistic))


def over_positions(value, samples):
    return percentile_interval(value, samples, len(places), clusters=len(places))


columns = {}
errors = {}
errors_sure = {}
spearman = {}
for name in predictions:
    off = (predictions[name] - rating).abs()
    errors[name] = mean_interval(off, family, seed=seed)
    errors_sure[name] = mean_interval(
        (predictions_sure[name] - sure["rating"]).abs(), sure["family"], seed=seed
    )
    moved = [np.abs(each[name] - rating).mean() for each in drawn_predictions]
    columns[name] = {
        "error, Elo (players)": errors[name],
        "error, Elo (positions)": over_positions(errors[name].value, moved),
        f"error, {len(sure)} sure": errors_sure[name],
    }
    if name == "mean":
        continue
    single = name in scores
    x = (scores if single else predictions).loc[rated.index, name]
    spearman[name] = bootstrap(
        np.column_stack([x, rating]),
        lambda rows: spearman_of(*rows.T),
        family,
        seed=seed,
        resamples=sizes.resamples,
    )
    each = [
        spearman_of(
            (drawn_scores if single else drawn_predictions)[k].loc[rated.index, name], rating
        )
        for k in range(sizes.resamples)
    ]
    columns[name] |= {
        "Spearman (players)": spearman[name],
        "Spearman (positions)": over_positions(spearman[name].value, each),
    }
comparison = pd.DataFrame(columns).T.sort_values(
    "error, Elo (players)", key=lambda column: column.map(lambda each: each.value)
)
as_text = comparison.copy()
for column in comparison:
    digits = 2 if column.startswith("Spearman") else 0
    as_text[column] = (
        comparison[column]
        .map(lambda each, digits=digits: f"{each:.{digits}f}", na_action="ignore")
        .fillna("")
    )
report.table(
    as_text[[*as_text.columns[3:], *as_text.columns[:3]]].rename(index=MEANING),
    caption="Each score against the rating from games; families held out",
)

# %% tags=["hide-input"]
best_single = min(
    (name for name in errors if name in scores), key=lambda name: errors[name].value
)
best_sure = min(
    (name for name in errors_sure if name not in ("mean", "published")),
    key=lambda name: errors_sure[name].value,
)
floor_rating = float(np.sqrt(2 / np.pi) * sure["deviation"].mean())
moved = np.array([each.loc[sure.index, "priced"] for each in drawn_predictions])
floor_positions = float(np.sqrt(2 / np.pi) * moved.std(axis=0).mean())
left = float(
    np.sqrt(max(0, errors_sure[best_sure].value ** 2 - floor_rating**2 - floor_positions**2))
)
off = (predictions_sure["priced"] - sure["rating"]).rename("off")
report.boards(
    report.sheet(
        "error of the sure ratings, Elo",
        {
            f"best: {MEANING[best_sure]}": errors_sure[best_sure].value,
            "if the rating alone were uncertain": floor_rating,
            "if the choice of positions alone were": floor_positions,
            "what neither explains": left,
        },
    ),
    report.table(
        pd.concat([off.nlargest(4), off.nsmallest(4)])
        .rename(index=roster["label"])
        .to_frame("predicted less rating"),
        digits=0,
    ),
)

# %% tags=["hide-input"]
below = errors_sure[best_sure].value < 148
says = (
    f"The best score is off by {errors_sure[best_sure].value:.0f} Elo for the {len(sure)} "
    f"players whose deviation is below 100, {'below' if below else 'not below'} the 148 of "
    "the best published model."
)
if not below:
    says += (
        f" Uncertain ratings would explain {floor_rating:.0f} and the choice of positions "
        f"{floor_positions:.0f} of it. The rest, {left:.0f}, is between players: some win "
        "more games than their moves in single positions promise, others fewer."
    )
report.paste(why_not=says)

# %% [markdown]
# {glue:text}`why_not` Ratings of players who hardly played are known to some 300 Elo only; they
# count in the first columns.
#
# ## How many positions, and which improvement pays?
#
# All players answered the same 50 positions. Fewer are drawn from them, a hundred times each; the
# bands hold 95 % of the drawings.

# %% tags=["hide-input"] mystnb={"figure": {"caption": "How many positions a rating takes: rank correlation (left) and held-out error (right) when fewer positions are drawn. Bands hold 95 % of the drawings.", "name": "fig-11-how-many"}, "image": {"alt": "Two line charts with bands: correlation rises and error falls with the number of positions."}}
ns = (5, 10, 20, 30, 40, 50)
curve = {}
rng = np.random.default_rng(seed)
places_core = np.flatnonzero(core)
for n in ns:
    for k in range(sizes.resamples if n < 50 else 1):
        weights = np.zeros(len(places))
        weights[rng.choice(places_core, n, replace=False)] = 1
        some = weighted_scores(weights).loc[rated.index]
        for name in ("priced", "mark", "legal"):
            x = as_features(some)[name].to_numpy()
            curve[n, k, name] = {
                "rank correlation with the rating": spearman_of(x, rating) if x.std() else 0.0,
                "mean held-out error, Elo": np.abs(held_out(x, rating, family) - rating).mean(),
            }
curve = pd.DataFrame(curve).T.rename_axis(["n", "draw", "score"])
figure, both_axes = plt.subplots(1, 2, figsize=(7.4, 3.0))
for axes, column in zip(both_axes, curve, strict=True):
    for name, some in curve[column].groupby("score"):
        spread = some.groupby("n").quantile([0.025, 0.5, 0.975]).unstack()
        (line,) = axes.plot(ns, spread[0.5], marker="o", ms=3, label=MEANING[name])
        axes.fill_between(ns, spread[0.025], spread[0.975], color=line.get_color(), alpha=0.12)
    axes.set(xlabel="positions", ylabel=column)
both_axes[1].set_ylim(0, 600)
both_axes[0].legend(fontsize=7)
plt.show()


# %% tags=["hide-input"]
def priced_by(some, by=None):
    """Return each player's mean priced loss; with ``by``, each group with the same voice."""
    if by is None:
        return some.groupby("player")["priced"].mean()
    return some.groupby(["player", by])["priced"].mean().groupby("player").mean()


def regraded(tables):
    other = graded_moves(dict(zip(shown, tables, strict=True)))
    sheets = [
        graded_answers(answers, other).assign(player=name)
        for name, answers in given_moves.items()
    ]
    every = pd.concat(sheets)
    return every.assign(priced=every["uncut"].fillna(ILLEGAL))


openings = played["phase"] == "opening"
variants = {
    "as above": cost,
    "illegal moves left out, as the plan does": scores["uncut"],
    "phases with the same voice": priced_by(played, "phase"),
    "quiet and tactical with the same voice": priced_by(played, "kind"),
    "quiet positions alone": priced_by(played[played["kind"] == "quiet"]),
    "tactical positions alone": priced_by(played[played["kind"] == "tactical"]),
    "without openings": priced_by(played[~openings]),
    "openings alone": priced_by(played[openings]),
    "graded from one colour": priced_by(regraded(graders["one search"])),
    "graded with a quarter of the nodes": priced_by(
        regraded(graders["mean of both, a quarter of the nodes"])
    ),
}
pays = {}
base = np.abs(predicted - rating)
for name, variant in variants.items():
    x = np.log(variant.loc[rated.index] + 1).to_numpy()
    off = np.abs(held_out(x, rating, family) - rating)
    change = paired_difference(off, base, family, seed=seed)
    verdict = (
        "pays" if change.high < 0 else "harms" if change.low > 0 else "no difference shown"
    )
    pays[name] = {
        "Spearman": f"{spearman_of(x, rating):.2f}",
        "error": f"{off.mean():.0f}",
        "change of the error": "" if name == "as above" else f"{change:.0f}",
        "": "" if name == "as above" else verdict,
    }
report.table(pd.DataFrame(pays).T, caption="What the plan recommends, tried on the best score")

# %% [markdown]
# Of the plan's other recommendations, twenty games a level and more positions are the curve above,
# its games of people and its openings are scored apart below, explanations too; time to think is
# the effort in the next section. Positions that need a long plan are not marked as such here.
#
# ## What legality says
#
# The share of legal moves, by maker and by how much a model was told to think; engines, Maias and
# bots know the rules and are left out.

# %% tags=["hide-input"]
PROGRAMS = ["Eubos", "Maia", "random mover", "survival bot"]
spoken = played.join(roster[["family", "effort", "label"]], on="player")
spoken = spoken[~spoken["family"].isin(PROGRAMS)]
spoken["effort"] = spoken["effort"].replace(
    {
        "": "not said",
        "default": "not said",
        "thinking": "medium",
        "minimal": "low",
        "max": "xhigh",
    }
)
by_family = means_by(spoken, "family", "legal", cluster="player", seed=seed)
by_effort = (
    means_by(spoken, "effort", "legal", cluster="player", seed=seed)
    .reindex(["no thinking", "low", "medium", "high", "xhigh", "not said"])
    .dropna()
)
counts_of = {name: spoken.groupby(name)["player"].nunique() for name in ("family", "effort")}
spoken["base"] = spoken["label"].str.replace(r" \(.*", "", regex=True)
report.boards(
    *(
        report.table(
            pd.DataFrame({"players": counts_of[name], "legal": means}).loc[
                means.map(lambda mean: mean.value).sort_values(ascending=False).index
                if name == "family"
                else means.index
            ],
            caption=f"By {name}",
        )
        for name, means in (("family", by_family), ("effort", by_effort))
    )
)

# %% [markdown]
# Where a model was asked with little and with much thinking, its answers to the same positions are
# set beside each other; *shown* says whether it saw the game or the FEN alone at the two efforts,
# for that was not always the same.

# %% tags=["hide-input", "hide-output"]
LEVEL = {"no thinking": 0, "low": 1, "medium": 2, "high": 3, "xhigh": 4}
steps = spoken.assign(step=spoken["effort"].map(LEVEL)).dropna(subset="step")
edges = steps.groupby("base")["step"].agg(["min", "max"]).query("min < max")
effort_gain = {}
for base, edge in edges.iterrows():
    pair = [
        steps[(steps["base"] == base) & (steps["step"] == edge[end])]
        .groupby("name")[["legal", "priced", "history"]]
        .mean()
        for end in ("min", "max")
    ]
    both = pair[0].join(pair[1], suffixes=("", " more"), how="inner")
    names = {step: word for word, step in LEVEL.items()}
    effort_gain[f"{base}: {names[edge['min']]} to {names[edge['max']]}"] = {
        "positions": len(both),
        "shown": " / ".join(
            "game" if both[column].iloc[0] else "FEN" for column in ("history", "history more")
        ),
        "legal moves": paired_difference(both["legal more"], both["legal"], seed=seed),
        "centipawns lost": f"{(both['priced more'] - both['priced']).mean():.0f}",
    }
report.table(
    pd.DataFrame(effort_gain).T,
    caption="The same model thinking more, same positions: what is gained",
)

# %% [markdown]
# Was the game that led to the position shown? No player answered a position both ways, so what
# follows compares *different players* on the same 50 positions, first as they are, then within
# families.

# %% tags=["hide-input"]
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
report.sheet(
    "legal moves, history less FEN alone",
    {
        "players shown the game": int(each_player["history"].sum()),
        "players shown the FEN alone": int((~each_player["history"]).sum()),
        "difference": gain,
        "difference within families": within,
    },
)

# %% tags=["hide-input"]
spoken["check"] = spoken["motif check"].map({True: "in check", False: "not in check"})
spoken["legal moves there"] = pd.cut(
    spoken["legal moves"],
    [0, 10, 20, 30, 40, 99],
    labels=["0 to 10", "11 to 20", "21 to 30", "31 to 40", "over 40"],
)
where = {}
for column in ("phase", "check", "legal moves there", "kind"):
    some = spoken.assign(group=spoken[column].astype(str))
    for group, mean in means_by(some, "group", "legal", cluster="name", seed=seed).items():
        inside = some[some["group"] == group]
        where[f"{column}: {group}"] = {"positions": inside["name"].nunique(), "legal": mean}
report.table(
    pd.DataFrame(where).T, caption="Legal moves of language models; intervals over positions"
)

# %% [markdown]
# What is an illegal move? The classes are those of chapter 13: it begins on an empty square, or
# with a piece of the opponent's; its piece does not move so (*wrong piece* if another one would);
# a piece stands in the way (*path obstruction*), or an own piece on the square; or it leaves the
# king in check (*pseudo-legal*). So the small models of chapter 12, which read moves and have no
# words, stand in one table with those that speak.


# %%
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


# %% tags=["hide-input"]
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
suite_boards = {question.name: chess.Board(question.position.fen) for question in asked}
family_of = roster["family"]
wrong = [
    (family_of[player], illegal_kind(answer, boards[name]))
    for player, given in given_moves.items()
    if family_of[player] not in PROGRAMS
    for name, answer in given.items()
    if not answer.legal
]
wrong += [
    (player, illegal_kind(answer, suite_boards[name]))
    for player in (*model_answers, *(reader.name for reader in readers))
    for name, answer in answers[player].items()
    if not answer.legal
]
kinds = pd.crosstab(*(pd.Series(column) for column in zip(*wrong, strict=True)))
kinds.index.name, kinds.columns.name = None, None
asked_of = pd.concat(
    [
        spoken.groupby("family").size(),
        pd.Series({name: len(given) for name, given in answers.items()}),
    ]
)
kind_shares = kinds.div(kinds.sum(axis=1), axis=0)[
    kinds.sum().sort_values(ascending=False).index
]
kind_shares.insert(0, "illegal, %", 100 * kinds.sum(axis=1) / asked_of[kinds.index])
kind_shares.insert(0, "answers", asked_of[kinds.index])
report.table(
    kind_shares.sort_values("illegal, %"),
    caption="Illegal answers by class, as shares of each row's illegal answers",
)

# %% [markdown]
# The families answered the recorded positions; the language model that we asked (in five ways) and
# the `tracking` models answered those of our own suite further down, so that shares of classes may
# be compared with care and rates not at all.
#
# ## What kind of mistake
#
# Facts of the position, by the rules that the claims are checked with: what hangs, what can be
# forked, who can mate. The table has the 50 positions that all answered: the mean loss of the
# language models rated above 1,300, of the other language models, and of the Maia that imitates
# people rated 1900. A failure costs what the worst legal move costs.


# %% tags=["hide-input"]
def threatens_mate(board):
    """Return whether the opponent could mate, were it its turn."""
    if board.is_check():
        return False
    board = board.copy(stack=False)
    board.push(chess.Move.null())
    return bool(mates(board, board.turn))


def fork_to_see(board):
    """Return whether a move makes a fork that cannot be won, where there was none."""
    side = board.turn
    if any(fork.safe for fork in forks(board, side)):
        return False
    for move in board.legal_moves:
        after = board.copy(stack=False)
        after.push(move)
        if any(fork.safe for fork in forks(after, side)):
            return True
    return False


in_core_set = places[places["set"] == "core"].index
for fact, holds_in in (("fork to see", fork_to_see), ("mate threat", threatens_mate)):
    places[f"motif {fact}"] = pd.Series({name: holds_in(boards[name]) for name in in_core_set})
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
facts = {"all positions": pd.Series(True, index=compared.index)}
facts |= {
    column: places.loc[compared.index, column].astype(bool)
    for column in places
    if column.startswith("motif ")
}
by_fact = {}
for fact, holds in facts.items():
    some = compared[holds]
    if len(some):
        more = paired_difference(some["strong models"], some["maia_1900"], seed=seed)
        by_fact[fact.removeprefix("motif ")] = {
            "positions": len(some),
            **some.mean().map("{:.0f}".format),
            "strong less Maia": f"{more:.0f}" if len(some) >= 5 else "too few",
        }
report.table(pd.DataFrame(by_fact).T, caption="Centipawns lost, by what the position holds")

# %% tags=["hide-input"]
missed_by = (compared["strong models"] - compared["maia_1900"]).nlargest(3)
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
                "maia_1900": given_moves["maia_1900"][name].san or "illegal",
                "strong models": f"{said.index[0]} ({said.iloc[0]} of {len(strong)})"
                if len(said)
                else "",
                "they lose": f"{compared.loc[name, 'strong models']:.0f}",
                "Maia loses": f"{compared.loc[name, 'maia_1900']:.0f}",
            },
        )
    )
report.boards(*cards)

# %% tags=["hide-input"]
against_maia = paired_difference(compared["strong models"], compared["maia_1900"], seed=seed)
words = (
    "lose less than"
    if against_maia.high < 0
    else "lose more than"
    if against_maia.low > 0
    else "cannot be told apart, by these positions, from"
)
report.paste(
    maia_says=f"Over all positions the {len(strong)} strong models {words} maia_1900 "
    f"({against_maia:.0f} centipawns a move)."
)

# %% [markdown]
# {glue:text}`maia_says` The boards are the three positions in which they lose most beside it; they
# were chosen by that, so that they show what happens and prove nothing.
#
# ## Any player beside any other


# %% tags=["hide-input"]
def card_of(some, **first):
    """Return what is shown of a player: a mean for each measure and place."""
    card = {
        **first,
        "answers": len(some),
        "legal moves, %": 100 * some["legal"].mean(),
        "best moves, %": 100 * some["best"].mean(),
        "plan's mark": some["mark"].mean(),
        "lost, failures as the worst move": some["charged"].mean(),
        "lost, legal moves": some["loss"].mean(),
    }
    for column in ("phase", "kind"):
        for group, mean in some.groupby(column)["charged"].mean().items():
            card[f"lost, {column} {group}"] = mean
    for grade in MOVE_GRADES:
        card[f"{grade}, %"] = 100 * some[grade].mean()
    return {
        key: round(float(value), 1) if isinstance(value, float) else value
        for key, value in card.items()
    }


fitted = parabola.fit(log_loss.to_numpy(), rating)
predicted_of = pd.Series(
    fitted.predict(np.log(scores[["priced"]] + 1).to_numpy()), scores.index
)
predicted_of.update(predictions["priced"])
all_cards = {}
for name in cost.sort_values().index:
    row = roster.loc[name]
    some = played[played["player"] == name]
    known = name in rated.index
    seen_history = "with history" if some["history"].iloc[0] else "FEN alone"
    all_cards[row["label"]] = card_of(
        some,
        positions=f"recorded, {seen_history}",
        rating=f"{row['rating']:.0f} ± {row['deviation']:.0f}" if known else "none",
        **{"rating predicted": f"{predicted_of[name]:.0f}"},
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
charged = common.pivot(index="name", columns="player", values="charged").loc[in_common["name"]]
charged = charged[charged.mean().sort_values(kind="stable").index]
order = charged.columns
for name in order:
    some = graded[graded["player"] == name]
    all_cards[name] = card_of(
        some, positions="our suite", rating="none", **{"rating predicted": ""}
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
# Two menus choose among all players of this chapter; our suite and the recorded positions are not
# equally hard. A rating predicted is that of the held-out fit. Everyone who is recorded:

# %% tags=["hide-input", "hide-output"]
listing = roster[["label", "family", "rating", "deviation"]].join(
    scores[["legal", "best", "mark", "charged", "priced"]]
)
listing["rating predicted"] = predicted_of
listing = listing.loc[cost.sort_values().index].set_index("label")
for column in ("rating", "deviation", "charged", "priced", "rating predicted"):
    listing[column] = listing[column].map("{:.0f}".format)
report.table(listing, caption="Recorded players, the least loss first")

# %% [markdown]
# ## Our own suite
#
# Each of the two hundred stored games gives two positions: one from moves 4 to 6 or, in every
# second game, from moves 13 to 24, and one from 5 to 8 moves before the end. The file holds the
# move really played and its grade. A position is *tactical* if a king or material is at stake at
# once (a check, a mate, a capture that wins material, a piece that hangs, a safe fork), else
# *quiet*; the board alone decides.

# %% tags=["hide-input", "hide-output"]
counts = {
    "positions": len(frame),
    "games": frame["game"].nunique(),
    "White to move": int((frame["side"] == "White").sum()),
}
for column in ("band", "phase", "kind"):
    counts |= {f"{column}: {key}": int(n) for key, n in frame[column].value_counts().items()}
report.boards(
    report.sheet("suite", counts),
    report.board(positions[0], size=230),
    report.board(positions[len(chosen) // 2 + 1], size=230),
)

# %% tags=["hide-input", "hide-output"]
baseline = pd.DataFrame(
    {
        "plan's Elo": frame.groupby("level")["elo"].first(),
        "loss of the move played": means_by(frame, "level", "loss", cluster="game", seed=seed),
    }
)
shares = pd.crosstab(frame["level"], frame["grade"], normalize="index")
report.table(
    baseline.join(shares.reindex(columns=list(MOVE_GRADES), fill_value=0.0)),
    caption="The baseline: moves really played, by Skill Level",
)

# %% [markdown]
# ## The players
#
# Stockfish searches a fixed number of nodes, or plays at a `Skill Level` (recorded once, since
# that option draws from the clock). `nnue_one_ply` plays the move after which Stockfish's
# network, without any search, likes its side best. A random legal move needs no lot: its result
# is the mean over all moves. Every language model whose answers are recorded is asked in five ways
# in the positions of the first {glue:text}`model_games` games a level: with the FEN, the same
# answered in UCI, with the last moves added, with the game alone, and with what concept vectors see
# in the network; where only one is spoken of, it is {glue:text}`model`. The `tracking` players are
# the small models of chapter 12: trained on games and nothing else, they read the moves and say the
# next, without a board.

# %% tags=["hide-input", "hide-output"]
report.paste(model_games=sizes.model_games)
example = model_asked[0]
lines = {name: given[example.name].text for name, given in answers.items()}
report.boards(
    report.board(example.position, size=260),
    report.table(pd.DataFrame({"first position": lines})),
)

# %% [markdown]
# ## Is it a move at all?
#
# An answer is a legal move, an illegal one, unreadable, a refusal or an error. None of them
# leaves the denominator. The plan's code drops illegal moves from the mean mark and counts
# errors as legal moves with mark 0; both ways stand in the table further down.

# %% tags=["hide-input", "hide-output"]
states = {
    name: given.map(lambda answer: answer.state).value_counts()
    for name, given in answers.items()
}
report.table(pd.DataFrame(states).T.fillna(0).astype(int))

# %% [markdown]
# What does the language model say most often, and how often? A player that looks at the board
# does not give one answer on every other board. An answer in SAN where UCI was asked for, or the
# other way round, is read as the move that it names.

# %% tags=["hide-input", "hide-output"]
texts = {
    name: given.map(lambda answer: answer.text).value_counts()
    for name, given in model_answers.items()
}
habits = {
    name: [f"{text} ({count})" for text, count in counts.head(4).items()]
    for name, counts in texts.items()
}
report.table(
    pd.DataFrame.from_dict(habits, orient="index").fillna(""),
    caption=f"The commonest answers, of {len(in_common)}",
)

# %% [markdown]
# ## Marks and losses
#
# Marks go from 5 (Excellent) to 1 (Blunder); an answer that is no legal move gets 1. `lost` is
# the mean loss of the legal moves in centipawns; `charged` adds the failures at the price of the
# worst legal move; `weighted` gives every phase and kind of position the same voice. So that
# players can be compared, this table holds the {glue:text}`model_positions` positions that all
# answered; the last column has the loss in all {glue:text}`positions` for those who were asked in
# all.


# %% tags=["hide-input"]
overview = overall.loc[order].map(lambda mean: f"{mean:.2f}", na_action="ignore")
for measure in ("loss", "charged"):
    overview[measure] = overall[measure].map(lambda mean: f"{mean:.0f}", na_action="ignore")
overview["best"] = overall["best"].map(lambda mean: mean.value)
overview = overview.rename(columns={"loss": "lost", "best": "best move"}).fillna("")
cells = common.groupby(["player", "phase", "kind"])["charged"].mean()
overview["weighted"] = cells.groupby("player").mean()
legible = common[common["Illegal"] == 0]
overview["plan's mark"] = (legible["mark"] * legible["legal"]).groupby(legible["player"]).mean()
in_all = graded[~graded["player"].isin(list(model_answers))]
overview["all positions"] = in_all.groupby("player")["charged"].mean()
report.table(overview, caption="Every player, the best first; intervals resample games")

# %% tags=["hide-input"] mystnb={"figure": {"caption": "The marks of all answers of each player, as shares; failures are answers that are no legal move.", "name": "fig-11-marks"}, "image": {"alt": "Stacked horizontal bars for each player, from best marks to failures."}}
grades = common.groupby("player")[list(GRADES)].mean().loc[order[::-1]]
grades = grades[list(MOVE_GRADES)].assign(failures=1 - grades[list(MOVE_GRADES)].sum(axis=1))
ax = grades.rename(dict(report.NAMES)).plot.barh(
    stacked=True, color=report.PALETTE, width=0.8, figsize=(7.0, 0.32 * len(order) + 1.0)
)
ax.set(xlabel="share of answers", ylabel="", xlim=(0, 1))
ax.legend(ncols=6, loc="upper center", bbox_to_anchor=(0.4, 1.12), fontsize=8)
plt.show()

# %% [markdown]
# ## Where they lose
#
# The same answers by where the position comes from. The level is that of the *game* the position
# was taken from, not of the player.

# %% tags=["hide-input", "hide-output"]
groupings = ("level", "band", "phase", "side", "kind")
by_place = pd.concat(
    {
        column: common.groupby([column, "player"])["charged"].mean().unstack()
        for column in groupings
    }
)
by_place.index = [f"{column}: {group}" for column, group in by_place.index]
report.table(by_place[order], caption="Mean loss in centipawns, failures charged", digits=0)


# %% tags=["hide-input", "hide-output"]
def cliffs_delta(first, second):
    """Return how much oftener the first is larger than the second, -1 to 1 (Cliff 1993)."""
    return 2 * mannwhitneyu(first, second).statistic / (len(first) * len(second)) - 1


bands = {}
held_in = in_common.set_index("name")
for column, high, low in (
    ("band", "late", "early"),
    ("kind", "tactical", "quiet"),
    ("level", 5, 20),
):
    bands[f"{column}: {high} over {low}"] = {
        name: cliffs_delta(
            charged.loc[held_in[column] == high, name],
            charged.loc[held_in[column] == low, name],
        )
        for name in order
    }
report.table(pd.DataFrame(bands), caption="Cliff's delta: who loses oftener more")

# %% tags=["hide-input", "hide-output"]
motifs = [
    name
    for name in in_common.columns[in_common.columns.str.contains("motif |concept ")]
    if in_common[name].any()
]
by_motif = pd.DataFrame({name: charged[held_in[name]].mean() for name in motifs}).T
report.table(
    by_motif.assign(positions=in_common[motifs].sum()),
    caption="By motif, and by concept that holds for the side to move",
    digits=0,
)

# %% [markdown]
# ## Which differences are real?
#
# Two players are compared on the positions both were asked in, by exchanging their losses at
# random within whole games. Neighbours in the table above:

# %% tags=["hide-input", "hide-output"]
pairs = {}
for first, second in itertools.pairwise(order):
    test = paired_permutation(
        charged[second], charged[first], in_common["game"], seed=seed, rounds=sizes.rounds
    )
    pairs[f"{second} after {first}"] = {"loses more": f"{test.difference:.0f}", "p": test.p}
report.table(
    pd.DataFrame(pairs).T, caption="Centipawns, on the language model's positions", digits=3
)

# %% [markdown]
# ## Openings, puzzles, people's games
#
# Positions from other sources are scored apart: inside an opening book; mates in two to four and
# studies from PyChess; moves played in the games of the FICS lectures. The book also says how
# popular an answer is: `book share` is the share of its weight that a player's move has.

# %% tags=["hide-input"]
apart = read_known_sets().known[:: 1 if profile != "smoke" else 20]
apart_asked = [Asked(known.name, known.position) for known in apart]
apart_tables = grading.find_tables([known.position for known in apart], settings, kept, store)
apart_frame = pd.DataFrame(
    [(known.name, known.kind, known.move) for known in apart], columns=["name", "kind", "move"]
)
apart_moves = graded_moves(dict(zip(apart_frame["name"], apart_tables, strict=True)))
apart_answers = ask_all(engines, apart_asked)
apart_sheets = {
    name: graded_answers(given, apart_moves) for name, given in apart_answers.items()
}
apart_sheets["random"] = random_answers(apart_frame["name"], apart_moves)

# %% tags=["hide-input", "hide-output"]
lost_apart = pd.DataFrame({name: sheet["charged"] for name, sheet in apart_sheets.items()})
lost_apart["the solution, the book, the person"] = apart_moves.loc[
    list(zip(apart_frame["name"], apart_frame["move"], strict=True)), "loss"
].to_numpy()
same = pd.DataFrame(
    {
        name: given.map(lambda answer: answer.uci).to_numpy() == apart_frame["move"]
        for name, given in apart_answers.items()
    }
)
report.boards(
    report.table(
        lost_apart.groupby(apart_frame["kind"]).mean().T, caption="Mean loss", digits=0
    ),
    report.table(same.groupby(apart_frame["kind"]).mean().T, caption="The very move"),
)


# %% tags=["hide-input", "hide-output"]
def book_share(reader, board, uci):
    weights = {entry.move.uci(): entry.weight for entry in reader.find_all(board)}
    return weights.get(uci, 0) / sum(weights.values())


openings = [known for known in apart if known.kind == "opening"]
with chess.polyglot.open_reader(assets.locate("opening_book")) as reader:
    share = pd.Series(
        {
            name: np.mean(
                [
                    book_share(reader, known.position.board(), given[known.name].uci)
                    for known in openings
                ]
            )
            for name, given in apart_answers.items()
        }
    )
report.table(share.sort_values(ascending=False).to_frame("book share"))

# %% [markdown]
# ## A move and its reason
#
# In some positions the model was also asked for a reason. Whether the move is good is one
# question, whether the reason is true another: its claims are held against the board (claims
# about the evaluation are left out).

# %% tags=["hide-input"]
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
# ## How many positions are enough?
#
# The plan drew twenty. The half width of a mean's 95 % interval at several sizes of a suite, and
# the positions that it takes to tell neighbours apart in four of five tries.

# %% tags=["hide-input"] mystnb={"figure": {"caption": "Half the width of the 95 % interval of a player's mean loss, by the number of positions.", "name": "fig-11-half-width"}, "image": {"alt": "Falling lines on a logarithmic axis, one for each player."}}
ns = (10, 20, 50, 100, 200, 500)
curves = {}
for name, losses in in_all.groupby("player")["charged"]:
    rng = np.random.default_rng(seed)
    means = {}
    for n in ns:
        means[n] = rng.choice(losses, (2_000, n)).mean(axis=1)
    curves[name] = pd.DataFrame(means).quantile([0.025, 0.975]).diff().iloc[1] / 2
curves = pd.DataFrame(curves)
fig, ax = plt.subplots(figsize=(7.0, 3.2))
for name in curves:
    ax.plot(ns, curves[name], marker="o", markersize=3, label=report.NAMES.get(name, name))
ax.set(xscale="log", xlabel="positions", ylabel="± centipawns (95 %)")
ax.set_xticks(ns, [str(n) for n in ns])
ax.legend(ncols=2, fontsize=8)
plt.show()

# %% tags=["hide-input", "hide-output"]
needed = {}
for first, second in itertools.pairwise(order):
    difference = charged[second] - charged[first]
    reach = (norm.ppf(0.975) + norm.ppf(0.8)) * difference.std()
    needed[f"{second} after {first}"] = {
        "difference": difference.mean(),
        "positions needed": (reach / difference.mean()) ** 2,
    }
report.table(pd.DataFrame(needed).T, digits=0)

# %% [markdown]
# ## Would another yardstick change the ranking?
#
# The same answers graded with fewer and more nodes, with another cap on decided positions, by
# the chance to win, by marks. Kendall's τ is 1 if the order of all players stays. Tables at
# other limits exist for the first {glue:text}`other_games` games a level.

# %% tags=["hide-input"]
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
# ## An Elo from static positions
#
# Stockfish can be told an Elo (`UCI_Elo`). Twelve such strengths answered the suite with five
# thousand nodes a move; a line from the logarithm of their mean loss to the Elo is fitted on eight
# of them and tried on the other four. The numbers are names of settings: they were calibrated
# at long time controls against other engines, not at these nodes and not against people.
# What comes out says whose losses a player's resemble, no more.

# %% tags=["hide-input", "hide-output"]
weakened = ask_all([WeakenedPlayer(elo, folder / "elo_answers.tsv") for elo in ELOS], asked)
elo_losses = pd.DataFrame(
    {
        elo: graded_answers(given, moves)["charged"]
        for elo, given in zip(ELOS, weakened.values(), strict=True)
    }
)
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

# %% tags=["hide-input", "hide-output"]
common_losses = elo_losses.loc[in_common.index, fitted]
common_line = fit_line(common_losses.mean())
common_means = common_losses.mean()


def estimate(rows):
    """Return the Elo of the last column by the line through all others: (positions, 9)."""
    means = rows.mean(axis=0)
    return float(elo_of(fit_line(means[:-1]), means[-1]))


estimates = {}
for name in order:
    loss = charged[name].mean()
    bounds = (common_means.min(), common_means.max())
    if bounds[0] <= loss <= bounds[1]:
        columns = np.column_stack([common_losses, charged[name]])
        estimates[name] = f"{bootstrap(columns, estimate, in_common['game'], seed=seed):.0f}"
    else:
        beyond = bounds[int(loss > bounds[1])]
        side = "below" if loss > beyond else "above"
        estimates[name] = f"{side} {elo_of(common_line, beyond):.0f}"
report.table(
    pd.DataFrame({"estimate": estimates}),
    caption="Estimated from the positions that all answered",
)

# %% [markdown]
# On the four strengths held out the line is off by {glue:text}`missed:.0f` on average. Where a
# player loses more or less than all fitted strengths, only a bound is given. The intervals hold
# for the choice of games, not for the line's shape.
#
# ## One page a player
#
# Each in all positions of our suite that it was asked in; folded, for they are long.

# %% tags=["hide-input", "hide-output"]
everywhere = graded.assign(all="positions")
pages = {}
for column in ("all", *groupings, *motifs):
    some = everywhere[everywhere[column] != False]  # noqa: E712
    shares = means_by(some, ["player", column], "legal", cluster="game", seed=seed)
    losses = means_by(some, ["player", column], "charged", cluster="game", seed=seed)
    for name, group in shares.index:
        where = f"{column}: {group}".removesuffix(": True")
        pages[name, where, "legal moves, %"] = shares[name, group].in_percent()
        pages[name, where, "centipawns lost"] = losses[name, group]
pages = pd.Series(pages).rename_axis(["player", "group", "measure"])
report.boards(
    *(report.table(pages[name].unstack(sort=False), caption=name, digits=0) for name in order)
)

# %% tags=["hide-input"]
flat = pd.DataFrame(
    [(*key, mean.value, mean.low, mean.high, mean.n) for key, mean in pages.items()],
    columns=[*pages.index.names, "value", "low", "high", "n"],
)
print(
    f"{len(flat):,} rows; {len(flat.to_csv(index=False)) // 1024} KiB as CSV,",
    f"{len(flat.to_json(orient='records')) // 1024} KiB as JSON",
)

# %% [markdown]
# ## Recap
#
# - {glue:text}`recorded` recorded players: the plan's mark goes with the rating from games by a
#   rank correlation of {glue:text}`rho_mark:.2f`, legality alone by {glue:text}`rho_legal:.2f`, the
#   mean loss with failures at 5,000 by {glue:text}`rho_best:.2f`.
# - A rating predicted from that loss, the player's family held out, is off by
#   {glue:text}`error_best:.0f` Elo, by {glue:text}`error_sure:.0f` where the rating is well known;
#   the mean of the others by {glue:text}`error_mean:.0f`, the published formula by
#   {glue:text}`error_published:.0f`.
# - Of the plan's improvements tried, {glue:text}`that_pay`.
# - {glue:text}`maia_says`
# - Colours exchanged, one search gives {glue:text}`changed_once:.0%` of legal moves another grade;
#   the mean of both directions gives none another, because it is made so; with a quarter of the
#   nodes it gives {glue:text}`changed_fewer:.0%` another.
# - {glue:text}`positions` positions from {glue:text}`suite_games` games; {glue:text}`model`
#   answered {glue:text}`model_positions` of them in five ways.
# - Told the FEN, {glue:text}`model_legal:.0%` of its answers are legal moves; the best of its ways
#   is {glue:text}`best_way`, with {glue:text}`best_legal:.0%`.
# - To {glue:text}`habitual:.0%` of the FENs it answers with one and the same move,
#   “{glue:text}`habit`”. Where that is legal, it is legal by chance.
# - Its mark is {glue:text}`model_mark:.2f`; a random legal move gets {glue:text}`random_mark:.2f`,
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
paying = [name for name, row in pays.items() if row[""] == "pays"]
ways = {name: overall.loc[name, "legal"].value for name in own_players}
best_way = max(ways, key=ways.get)
mark = {name: mean.value for name, mean in overall["mark"].items()}
width = curves["stockfish_05"]
reader = max((player.name for player in readers), key=mark.get)
report.paste(
    positions=len(frame),
    suite_games=frame["game"].nunique(),
    model_positions=len(in_common),
    habit=texts[from_fen].index[0],
    habitual=texts[from_fen].iloc[0] / len(in_common),
    model=model_title(model),
    model_legal=ways[from_fen],
    best_way=best_way,
    best_legal=ways[best_way],
    model_mark=mark[from_fen],
    random_mark=mark["random"],
    missed=missed,
    nnue_mark=mark["nnue_one_ply"],
    level5_mark=mark["stockfish_05"],
    least_tau=tau.min(),
    least_name=str(tau.idxmin()),
    width20=width[20],
    width200=width[200],
    other_games=OTHER_GAMES,
    recorded=len(people),
    rho_mark=spearman["mark"].value,
    rho_legal=spearman["legal"].value,
    rho_best=spearman["priced"].value,
    error_best=errors["priced"].value,
    error_sure=errors_sure["priced"].value,
    error_mean=errors["mean"].value,
    error_published=errors["published"].value,
    that_pay=", ".join(paying) or "none makes the error smaller beyond doubt",
    changed_once=1 - agreement["one search, colours exchanged"].value,
    changed_fewer=1 - agreement["mean of both, a quarter of the nodes"].value,
    reader=reader,
    reader_mark=mark[reader],
    reader_legal=overall.loc[reader, "legal"].value,
)
rows = report.rows
report.save(
    "11_static_positions",
    rows(len(people), "recorded.players", unit="players"),
    rows(
        groups["legal"].apply(mean_interval, seed=seed),
        "recorded.legal",
        unit="share of answers",
    ),
    rows(spearman, "rating.spearman", unit="rank correlation"),
    rows(errors, "rating.error", unit="Elo"),
    rows(errors_sure, "rating.error_sure", unit="Elo"),
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
    rows(pages.index.get_level_values("player").nunique(), "dashboard.pages", unit="players"),
    rows(report.Result(missed, n=len(held_out), unit="Elo"), "static.elo.held_out_error"),
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

# %% tags=["hide-input"]
report.evidence(
    len(frame),
    "positions",
    seed,
    frame["game"].nunique(),
    "95 % over games, recorded players: families or positions; shares Wilson, else bootstrap",
    {
        "model": model,
        "Stockfish": f"15.1, {settings.nodes:,} nodes for five lines, both colours",
        "recorded answers and ratings": "Chess-LLM-Benchmark 4b072f3",
        "suite": f"version {VERSION}",
        "prompts": "play_san@1, play_uci@1, play_reason@1",
    },
)

# %% [markdown]
# ## Exercises
#
# **1. One number less.** Predict the rating from the rate of best moves alone
# (`scores["best"]`), families apart as above. How far off is it, and how far is the mean of the
# other players?

# %% tags=["solution", "hide-cell"]
# Held-out error of a straight line through one score, and of the mean.
best_rate = scores.loc[rated.index, ["best"]].to_numpy()
error_of = {}
for name, given_scores in (("best moves", best_rate), ("the mean", np.zeros((len(rated), 1)))):
    line = make_pipeline(StandardScaler(), LinearRegression())
    by_others = cross_val_predict(
        line, given_scores, rating, groups=family, cv=LeaveOneGroupOut()
    )
    error_of[name] = float(np.abs(by_others - rating).mean())
report.sheet("mean error, Elo", error_of)

# %% tags=["check", "remove-cell"]
report.check(
    "Leave one family out at a time (`LeaveOneGroupOut`), predict it, and take the mean "
    "size of the error: of the straight line, and of the others' mean.",
    error_of=error_of,
)

# %% [markdown]
# **2. Let families leak.** Predict the rating by `parabola` once more, but let players of one
# family stand on both sides (leave one player out). What does the error seem to be then?

# %% tags=["solution", "hide-cell"]
# The same prediction with families apart and with single players left out.
by_families = cross_val_predict(
    parabola, log_loss, rating, groups=family, cv=LeaveOneGroupOut()
)
leaking = cross_val_predict(parabola, log_loss, rating, cv=len(rating))
leaked = {
    "families apart": float(np.abs(by_families - rating).mean()),
    "players apart": float(np.abs(leaking - rating).mean()),
}
report.sheet("mean error, Elo", leaked)

# %% tags=["check", "remove-cell"]
report.check(
    "The same learner and the same scores twice, with as many folds as families and with "
    "as many as players.",
    leaked=leaked,
)

# %% [markdown]
# **3. Your own player.** A file of moves is a player. Write one that always captures the piece
# of highest value when it can and else plays the first legal move in the order of UCI, for the
# positions in `places`, and grade it by `recorded_moves`. How does it compare with the mean of
# the recorded players?


# %% tags=["solution", "hide-cell"]
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
    greedy_loss=greedy_loss,
)
