"""The human study: blinding, reading what raters send, Tables 1 to 4, simulated ratings."""

import json
from collections import Counter
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest

from chessgloss import cli
from chessgloss.survey import reading, simulate, study
from scripts import refuses, selfplay

METHODS = ("reference", "gac", "bare", "verdict", "ccc")
#: The paper's Table 1, criteria only: what simulated raters are made to think.
PLANTED = pd.DataFrame(
    {
        "correctness": [0.62, 0.63, 0.36, 0.43, 0.60],
        "relevance": [0.52, 0.46, 0.49, 0.56, 0.67],
        "completeness": [0.30, 0.15, 0.40, 0.49, 0.59],
        "clarity": [0.60, 0.66, 0.72, 0.72, 0.80],
        "fluency": [0.62, 0.64, 0.84, 0.85, 0.91],
    },
    METHODS,
)


def study_of_size(count: int) -> study.Study:
    """Moves of self-play games; each comment has its own number of words."""
    moves = []
    for number, game in enumerate(selfplay(count), start=1):
        texts = {
            name: f"{name} says" + " so" * (k + number)
            for k, name in enumerate(METHODS)
        }
        place = {
            "name": f"game/{number}",
            "fen": game.position(12).fen,
            "move": game.moves[12],
        }
        moves.append(study.StudyMove(**place, comments=texts))
    return study.Study(title="A study", moves=tuple(moves))


@pytest.fixture(scope="module")
def made():
    return study_of_size(6)


@pytest.fixture(scope="module")
def key(made):
    return study.Key(study=made, secret="5a" * 32)


@pytest.fixture
def sent(key, tmp_path):
    """Files of three simulated raters."""
    names = [move.name for move in key.study.moves]
    return simulate.write_sessions(
        tmp_path, key, simulate.simulate(PLANTED, names, 3, seed=1)
    )


# ---------------------------------------------------------------- studies and keys


def test_a_study_survives_its_files(made, tmp_path):
    (tmp_path / "study.json").write_text(made.model_dump_json())
    assert study.read_study(tmp_path / "study.json") == made


NO_POSITION = '{"moves": [{"name": "a", "fen": "x", "move": "e4", "comments": {}}]}'


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("{", "cannot be read"),
        ("[" * 200_000, "cannot be read: .*recursion"),
        ("[]", "the file: Input should be"),
        ('{"moves": 3}', "moves: Input should be"),
        ('{"moves": []}', "moves: .* at least 1"),
        (NO_POSITION, "move 1"),
        (NO_POSITION.replace('"fen": "x", ', ""), "move 1, fen: .*requ"),
    ],
)
def test_a_bad_study_file_is_named_with_its_place(tmp_path, text, message):
    (tmp_path / "study.json").write_text(text)
    said = refuses(ValueError, message, study.read_study, tmp_path / "study.json")
    assert "study.json" in said


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"baseline": "gpt"}, "one of them 'gpt', are not in: reference, gac"),
        ({"moves": 2 * study_of_size(1).model_dump()["moves"]}, "named twice: game/1"),
    ],
)
def test_a_study_that_compares_nothing_is_refused(made, change, message):
    refuses(
        ValueError,
        message,
        study.Study.model_validate,
        made.model_dump() | change,
    )


def test_a_study_is_made_of_a_table_of_comments(made):
    rows = [(m.name, k, "answered", m.comments[k]) for m in made.moves for k in METHODS]
    rows[0] = (*rows[0][:2], "cut_off", "")
    comments = pd.DataFrame(rows, columns=["move", "method", "state", "text"])
    moves = {move.name: move.played for move in made.moves}
    complete = study.complete_moves(comments, METHODS)
    assert complete == [move.name for move in made.moves[1:]]
    refuses(ValueError, "game/1", study.study_of, comments, moves, METHODS)
    del moves["game/1"]
    assert study.study_of(comments, moves, METHODS).moves == made.moves[1:]


def test_opaque_names_depend_on_the_secret_and_on_the_text(made, key):
    names = key.items()
    other = study.Key(study=made, secret="5b" * 32)
    assert len(names) == 6 * len(METHODS)
    assert not set(names) & set(other.items()) and key.study_id != other.study_id
    assert study.Key.new(made).secret != study.Key.new(made).secret


def test_a_key_is_read_back_and_a_changed_one_is_refused(key, tmp_path):
    path = tmp_path / "study.key.json"
    path.write_text(study.write_key(key))
    assert study.read_key(path) == key
    path.write_text(path.read_text().replace("ccc says", "bare says", 1))
    refuses(ValueError, "changed since it was written", study.read_key, path)
    for text in ("{}", "[" * 200_000):
        path.write_text(text)
        refuses(ValueError, r"study\.key\.json: not a key of", study.read_key, path)


def test_every_method_stands_in_every_place_about_equally_often(key):
    items = list(key.items())[:5]
    orders = [study.shown_order(f"P{number}", items) for number in range(2_000)]
    for counts in map(Counter, zip(*orders, strict=True)):
        assert 320 < min(counts.values()) <= max(counts.values()) < 480
    assert orders[0] == study.shown_order("P0", reversed(items))


# ---------------------------------------------------------------- reading


def test_what_was_rated_is_what_is_read(key, sent):
    names = tuple(one.name for one in key.study.moves)
    drawn = simulate.simulate(PLANTED, names, 3, seed=1)
    found = reading.read_ratings(sent, key)
    assert found.label == "SIMULATED ratings"
    assert (found.moves, found.methods) == (names, METHODS)
    order = ["rater", "move", "method"]
    left, right = (
        one.frame.sort_values(order).reset_index(drop=True) for one in (found, drawn)
    )
    pd.testing.assert_frame_equal(left, right)


Change = Callable[[dict[str, Any]], object]


def changed(path: Path, change: Change) -> None:
    record = json.loads(path.read_text())
    change(record)
    path.write_text(json.dumps(record))


def comment(number: int, **answers: Any) -> Change:
    """Change answers on the comment of that number, from 1."""
    return lambda record: record["comments"][number - 1].update(answers)


def head(**fields: Any) -> Change:
    """Change fields of the whole file."""
    return lambda record: record.update(fields)


def problems_of(files: list[Path], key: study.Key) -> tuple[reading.Problem, ...]:
    with pytest.raises(reading.RatingsError) as caught:
        reading.read_ratings(files, key)
    assert all(str(problem) in str(caught.value) for problem in caught.value.problems)
    return caught.value.problems


forget_answer = comment(4, clarity=None)
forget_cause = comment(1, correctness=2, causes=[])


@pytest.mark.parametrize(
    ("damage", "place"),
    [
        (forget_answer, "comment 4, clarity"),
        (forget_cause, "comment 1, causes"),
        (comment(2, correctness=4), "comment 2, correctness"),
        (comment(6, item="0" * 16), "comment 6"),
        (comment(3, correctness=3, causes=["tactical"]), "comment 3, causes"),
        (comment(3, correctness=2, causes=["other"]), "comment 3, other"),
        (lambda told: told["comments"][4].update(told["comments"][2]), "comment 5"),
        (lambda told: told["comments"].pop(), "comment 30"),
        (head(participant="S98"), "comment 1"),
        (head(study="f" * 16), "study"),
        (head(consent=False), "consent"),
        (head(strength={"scale": "fide", "rating": 9000}), "strength, rating"),
        (head(strength={"scale": "none", "rating": 1500}), "strength"),
    ],
)
def test_every_fault_is_named_with_file_and_place(key, sent, damage, place):
    changed(sent[1], damage)
    problems = problems_of(sent, key)
    assert place in {one.place for one in problems}
    assert {one.file for one in problems} == {str(sent[1])}


@pytest.mark.parametrize(
    "text", ["", '{"format": "other"}', pytest.param("[" * 100_000, id="deep")]
)
def test_a_file_that_is_no_rating_is_refused_beside_the_faults_of_the_others(
    key, sent, text
):
    sent[0].write_text(text)
    for path in sent[1:]:
        changed(path, forget_answer)
    places = [one.place for one in problems_of(sent, key)]
    assert places == ["the file", "comment 4, clarity", "comment 4, clarity"]


def test_files_side_by_side_are_of_one_kind_and_one_for_each_participant(key, sent):
    twin = sent[0].with_name("twin.json")
    twin.write_text(sent[0].read_text())
    (problem,) = problems_of([*sent, twin], key)
    assert f"S01 is also in {sent[0]}" in problem.text
    changed(sent[0], head(simulated=False))
    assert "simulated ratings among human ones" in problems_of(sent, key)[0].text


def test_a_pilot_is_checked_named_and_not_counted(key, sent):
    changed(
        sent[2], lambda told: told.update(pilot=True, comments=told["comments"][:10])
    )
    found = reading.read_ratings(sent, key)
    assert found.raters == ("S01", "S02")
    assert found.notes[2] == "S03: no rating, a pilot run, not counted"
    assert "no file of a main run" in problems_of(sent[2:], key)[0].text


# ---------------------------------------------------------------- tables


def ratings_by_hand() -> reading.Ratings:
    """Two raters, two moves, two methods: small enough to work out on paper."""
    points = (  # rater, move, method, correctness, the other four criteria
        ("A", "m1", "bare", 1, 1),
        ("B", "m1", "bare", 2, 2),
        ("A", "m1", "ccc", 3, 5),
        ("B", "m1", "ccc", 3, 4),
        ("A", "m2", "bare", 3, 3),
        ("B", "m2", "bare", 1, 3),
        ("A", "m2", "ccc", 3, 4),
        ("B", "m2", "ccc", 2, 5),
    )
    columns = ["rater", "move", "method", "correctness", "other"]
    frame = pd.DataFrame(points, columns=columns)
    frame[list(study.DIMENSIONS)[1:]] = frame[["other"] * 4].to_numpy()
    frame[[f"cause_{name}" for name in study.CAUSES]] = False
    frame = frame.assign(cause_move=frame["correctness"] < 3)
    frame = frame.assign(cause_tactical=frame["correctness"] == 1)
    return reading.Ratings(frame, ("m1", "m2"), ("bare", "ccc"))


def test_table_1_by_hand():
    words = pd.DataFrame({"bare": [10, 20], "ccc": [31, 30]}, index=["m1", "m2"])
    found = reading.table1(ratings_by_hand(), words, "ccc", seed=0)
    found = found.set_index(["method", "dimension"])
    assert found.loc[("bare", "correctness"), "mean"].value == pytest.approx(
        (0 + 0.5 + 1 + 0) / 4
    )
    gap = found.loc[("bare", "relevance"), "difference"]
    assert gap.value == pytest.approx(np.mean([(-4 - 2) / 8, (-1 - 2) / 8]))
    assert found.loc[("bare", "relevance"), "p"] == pytest.approx(
        0.5
    )  # 2 of the 4 flips
    assert found.loc[("bare", "words"), "mean"].value == 15


def test_stars_are_printed_where_the_difference_is_certain():
    ratings = simulate.simulate(
        PLANTED,
        [f"m{k}" for k in range(60)],
        5,
        seed=3,
    )
    words = pd.DataFrame(20.0, ratings.moves, ratings.methods).assign(ccc=28)
    printed = reading.as_printed(reading.table1(ratings, words, "ccc", seed=0))
    assert printed.loc["gac", "completeness"].startswith("*")
    assert not printed.loc["ccc"].str.contains(r"\*").any()


def test_table_2_by_hand():
    ratings = ratings_by_hand()
    every = reading.table2(ratings, seed=0)
    tactical = study.CAUSES["tactical"]
    assert every.loc[tactical, "bare"].value == pytest.approx(2 / 4)
    wrong = reading.table2(ratings, of="incorrect", seed=0)
    assert wrong.loc[tactical, "bare"].value == pytest.approx(2 / 3)
    refuses(ValueError, "incorrect", reading.table2, ratings, of="moves", seed=0)


def test_table_3_by_hand():
    # Both raters put ccc first on each move; correctness of m2: A ties them, B prefers ccc.
    found = reading.table3(ratings_by_hand(), seed=0, resamples=20)
    assert found.loc["relevance", "kappa_ranks"].value == pytest.approx(1)
    # Ranks (A, B): bare (2, 2), ccc (1, 1), bare (1, 2), ccc (1, 1): agreed 3/4, chance 34/64.
    expected = (3 / 4 - 34 / 64) / (1 - 34 / 64)
    assert found.loc["correctness", "kappa_ranks"].value == pytest.approx(expected)
    alone = ratings_by_hand().frame.query("rater == 'A'")
    one = reading.Ratings(alone, ("m1", "m2"), ("bare", "ccc"))
    refuses(ValueError, "two raters", reading.table3, one, seed=0)


def write_scores(folder: Path, text: str) -> Path:
    path = folder / "scores.csv"
    path.write_text(text)
    return path


SCORES = "move,method,bleu,gcc\nm1,bare,0.1,1\nm1,ccc,0.4,4.5\nm2,bare,0.5,\nm2,ccc,0.2,4.5\n"


def test_table_4_by_hand(tmp_path):
    ratings = ratings_by_hand()
    scores = reading.read_scores(write_scores(tmp_path, SCORES), ratings)
    found = reading.table4(ratings, scores, seed=0, resamples=9)
    human = [1.5, 4.5, 3, 4.5]
    bleu = [0.1, 0.4, 0.5, 0.2]
    pearson = found.loc["bleu", ("relevance", "pearson")]
    assert pearson.value == pytest.approx(np.corrcoef(human, bleu)[0, 1])
    # Pairs: concordant 3, discordant 2 (m1 ccc - m2 bare, m2 bare - m2 ccc), tied 1.
    kendall = found.loc["bleu", ("relevance", "kendall")].value
    assert kendall == pytest.approx((3 - 2) / np.sqrt(5 * 6))
    assert found.loc["gcc", ("relevance", "pearson")].value == pytest.approx(1)


@pytest.mark.parametrize(
    ("change", "message"),
    [
        (("m2,ccc,0.2,4.5\n", ""), "m2 ccc has no row; 1 such"),
        (("m2,ccc", "m2,bare"), "m2 bare occurs twice"),
        (("m1,bare", "m9,bare"), "m9 bare is no comment"),
        (("0.4", "high"), "m1 ccc has a score that is no finite number"),
        (("move,method", "method,move"), "columns are move, method"),
        (("m1,bare,0.1,1", "m1,bare,0.1,1,2"), "no comment of this study"),
    ],
)
def test_bad_scores_are_named_with_their_comment(tmp_path, change, message):
    path = write_scores(tmp_path, SCORES.replace(*change, 1))
    refuses(ValueError, message, reading.read_scores, path, ratings_by_hand())


# ---------------------------------------------------------------- simulation


@pytest.mark.parametrize("name", list(study.DIMENSIONS))
def test_planted_scores_are_what_the_model_expects(name):
    points = study.DIMENSIONS[name]
    planted = pd.Series([0.15, 0.5, 0.91], name=name)
    drawn = simulate.draw(planted, (40, 40), np.random.default_rng(0), 60)
    means = ((drawn - 1) / (points - 1)).mean(axis=(0, 1, 3))
    assert means == pytest.approx(planted, abs=0.02)
    assert drawn.min() == 1 and drawn.max() == points


def test_real_ratings_are_never_written_by_the_simulation(key, tmp_path):
    given = (tmp_path, key, ratings_by_hand())
    refuses(ValueError, "only simulated", simulate.write_sessions, *given)


# ---------------------------------------------------------------- the command line


def run(*arguments: str | Path) -> int:
    given = cli.parser().parse_args(["survey", *map(str, arguments)])
    return given.run(given)


def test_from_a_study_to_its_tables(made, tmp_path, capsys):
    (tmp_path / "study.json").write_text(made.model_dump_json())
    form = tmp_path / "form.html"
    kept = tmp_path / "form.key.json"
    assert run("build", tmp_path / "study.json", "-o", form) == 0
    first = form.read_text()
    assert run("build", tmp_path / "study.json", "-o", form) == 0
    assert form.read_text() == first, "the key is kept, so the page is the same"
    ratings = simulate.simulate(
        PLANTED,
        [move.name for move in made.moves],
        3,
        seed=2,
    )
    files = simulate.write_sessions(tmp_path, study.read_key(kept), ratings)
    pairs = [f"{move.name},{name}" for move in made.moves for name in METHODS]
    lengths = "".join(f"\n{pair},{n}" for n, pair in enumerate(pairs))
    scores = write_scores(tmp_path, f"move,method,length{lengths}")
    capsys.readouterr()
    assert run("read", *files, "--key", kept, "--scores", scores) == 0
    printed = capsys.readouterr().out
    assert all(f"Table {number}" in printed for number in range(1, 5))
    assert printed.count("SIMULATED ratings") >= 4
    changed(files[0], comment(2, correctness=4))
    assert run("read", *files, "--key", kept) == 2
    shown = capsys.readouterr()
    assert f"{files[0]}: comment 2, correctness:" in shown.err and not shown.out


def test_build_refuses_what_would_do_harm(made, tmp_path):
    source = tmp_path / "study.json"
    other = tmp_path / "other.json"
    source.write_text(made.model_dump_json())
    other.write_text(
        study.write_key(study.Key(study=study_of_size(2), secret="00" * 32))
    )
    for page, key, message in (
        ("form.txt", other, r"ends in \.html"),
        ("f.html", source, "different names"),
        ("f.html", other, "key of another study"),
    ):
        given = ("build", source, "-o", tmp_path / page, "--key", key)
        refuses(ValueError, message, run, *given)
