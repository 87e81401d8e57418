from __future__ import annotations

import numpy as np
import pytest

from chessgloss import assets
from chessgloss import prioritise as module
from chessgloss.change_probes import (
    calibration,
    constant_by_frequency,
    constant_by_kind,
    constant_by_size,
    fit_linear,
    fit_ridge,
    score_change,
)
from chessgloss.concepts import ConceptVectors
from chessgloss.oracle import TERMS
from chessgloss.positions import MoveError, PositionError, read_fen, read_move
from chessgloss.prioritise import (
    ConceptChange,
    PaperMethod,
    Priorities,
    Scores,
    load_method,
    prioritise,
    weights_file,
)
from chessgloss.probing import Labelled

START = "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1"
#: The CCC paper's Figure A6: a bishop takes a pawn with check.
FIGURE_A6 = "r5qr/p1p2k2/1p1pp3/3QbB1N/4P3/1P6/P1P3PP/2B3K1 w - - 0 21"


class ScriptedMethod:
    """Says that the last of two positions differs in a few terms, by the length of its FEN."""

    def __init__(self) -> None:
        self.asked: list[tuple[str, str]] = []

    def score(self, before, after):
        self.asked += zip(before, after, strict=True)
        changes = np.zeros((len(before), 21), np.float32)
        changes[:, [TERMS.index("Black Threats"), TERMS.index("Material")]] = (-2, 1)
        start = np.full_like(changes, 0.5)
        return Scores(start, start + changes, changes, np.abs(changes))


@pytest.fixture
def scripted(monkeypatch: pytest.MonkeyPatch) -> ScriptedMethod:
    method = ScriptedMethod()
    monkeypatch.setattr(module, "load_method", lambda expert, name: method)
    return method


@pytest.fixture(params=["default", "linear", "paper"])
def real_method(request: pytest.FixtureRequest) -> str:
    try:
        load_method("nnue", request.param)
    except (assets.AssetMissing, ValueError) as error:
        pytest.skip(str(error))
    return request.param


def test_concepts_come_ranked_with_side_and_values(scripted: ScriptedMethod):
    found = prioritise(START, "e4")
    first, second, third = found.top(3)
    assert first == ConceptChange("Threats", "Black", 0.5, -1.5, -2.0, 1)
    assert (second.term, second.side, second.rank) == ("Material", "both", 2)
    assert first.term == "Black Threats"
    assert third.change == 0
    assert len(found) == len(list(found)) == 21
    assert {one.term for one in found} == set(TERMS)


def test_the_reply_moves_the_position_after(scripted: ScriptedMethod):
    prioritise(START, "e4")
    prioritise(START, "1. e4", reply="e7e5")
    (_, without), (_, replied) = scripted.asked
    assert without.split(" ")[1] == "b"
    assert replied.startswith("rnbqkbnr/pppp1ppp/8/4p3/4P3")


def test_a_notebook_and_a_terminal_see_a_small_table(scripted: ScriptedMethod):
    found = prioritise(START, "e4")
    assert list(found.table(2).columns) == ["concept", "side", "before", "after", "change (sd)"]
    assert "<table" in found._repr_html_()
    assert "1. e4" in found._repr_html_()
    assert str(found).splitlines()[0] == "1. e4 (default)"
    assert "Threats" in str(found)


def test_bad_input_is_named(scripted: ScriptedMethod):
    with pytest.raises(PositionError, match="repair_fen"):
        prioritise("8/8/8 w", "e4")
    with pytest.raises(MoveError, match="'e5' is not a legal move"):
        prioritise(START, "e5")
    with pytest.raises(MoveError, match="'e4' is not a legal move for Black"):
        prioritise(START, "e4", reply="e4")


def test_unknown_methods_and_experts_are_refused():
    with pytest.raises(ValueError, match="default, linear, paper"):
        load_method("nnue", "best")
    with pytest.raises(ValueError, match=r"'leela'.*'nnue'"):
        load_method("leela")
    with pytest.raises(ValueError, match=r"nothing\.safetensors is missing.*change_training"):
        weights_file("nothing")


def test_ranks_must_be_in_order_and_finite():
    move = read_move(read_fen(START), "e4")
    two = ConceptChange("Space", "White", 0.0, 1.0, 1.0, 2)
    with pytest.raises(ValueError, match="order of their ranks"):
        Priorities(move, "default", (two,))
    with pytest.raises(ValueError, match="finite"):
        ConceptChange("Space", "White", float("nan"), 1.0, 1.0, 1)


def test_the_papers_way_ranks_by_the_plain_difference(monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr(module, "read", lambda expert, fens: np.array([[len(f)] for f in fens]))
    slopes = np.linspace(1, 3, 21, dtype=np.float32)[:, None]
    vectors = ConceptVectors(TERMS, slopes, np.ones(21, np.float32), {})
    spread = np.full(21, 10, np.float32)
    scores = PaperMethod(None, vectors, spread).score(["aa"], ["aaaa"])  # type: ignore[arg-type]
    assert scores.priority[0].argmax() == 20
    assert scores.changes[0, 20] == pytest.approx(0.6)
    assert scores.after[0, 0] - scores.before[0, 0] == pytest.approx(2)


def test_every_committed_method_answers_for_a_real_move(real_method: str):
    found = prioritise(FIGURE_A6, "Bxe6+", method=real_method)
    other = prioritise(FIGURE_A6, "a3", method=real_method)
    assert len(found) == 21
    assert np.isfinite([one.change for one in found]).all()
    assert [one.term for one in found] != [one.term for one in other]


def test_the_default_knows_what_a_capture_is():
    try:
        load_method()
    except (assets.AssetMissing, ValueError) as error:
        pytest.skip(str(error))
    fen = "rnb1kbnr/pppp1ppp/8/4p1q1/4P3/3P4/PPP2PPP/RNBQKBNR w KQkq - 1 3"
    found = prioritise(fen, "Bxg5")  # White wins a queen
    material = next(one for one in found if one.concept == "Material")
    assert material.rank <= 5
    assert material.change > 2
    assert material.after > material.before


def test_calibration_turns_scores_into_sizes():
    scores = np.array([[1.0, -2.0], [-2.0, 4.0], [3.0, 0.0]])
    truth = scores * [3.0, -0.5]
    assert calibration(scores, truth) == pytest.approx([3.0, 0.5])
    assert calibration(np.zeros((2, 1)), np.ones((2, 1))).tolist() == [0.0]


def test_constants_know_frequency_size_and_kind():
    truth = np.array([[9.0, 1, 0], [0, -1, 0], [0, 1, 0], [0, 1, 3]])
    kinds = np.array(["capture", "quiet", "quiet", "quiet"])
    assert constant_by_frequency(truth, top=1).tolist() == [0.25, 0.5, 0.25]
    assert constant_by_size(truth).tolist() == [2.25, 1.0, 0.75]
    by_kind = constant_by_kind(truth, kinds, np.array(["quiet", "capture", "castling"]))
    assert by_kind.tolist() == [[0.0, 1.0, 1.0], [9.0, 1.0, 0.0], [2.25, 1.0, 0.75]]


@pytest.fixture(scope="module")
def planted() -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """States, and terms that are linear in them: (n, 12) and (n, 3)."""
    random = np.random.default_rng(0)
    before = random.normal(2, 3, size=(3_000, 12)).astype(np.float32)
    after = before + random.normal(size=before.shape).astype(np.float32)
    return before, after, random.normal(size=(12, 3)).astype(np.float32)


def test_ridge_recovers_a_line_and_shrinks_with_its_penalty(planted):
    before, _, line = planted
    names = ("Material", "White Space", "Black Space")
    free, tight = (fit_ridge(before, before @ line, names, penalty=p) for p in (1e-6, 10.0))
    assert np.allclose(free.weights, line.T, atol=1e-3)
    assert np.linalg.norm(tight.weights) < 0.5 * np.linalg.norm(free.weights)


def test_linear_scores_fitted_together_answer_their_own_questions(planted):
    before, after, line = planted
    names = ("Material", "White Space", "Black Space")
    games = np.arange(len(before), dtype=np.int32)
    labelled = Labelled(names, before @ line, games, np.array(["train"] * len(before)))
    truth = (after - before) @ line
    fitted = fit_linear(before, after, labelled, truth, penalty=1e-4, seed=0)
    assert set(fitted) == {"svm", "states", "changes"}
    assert np.allclose(fitted["changes"].scores(after - before), truth, atol=0.05)
    assert np.allclose(score_change(fitted["states"], before, after), truth, atol=0.05)
    for k in range(3):
        margins = score_change(fitted["svm"], before, after)[:, k]
        assert np.corrcoef(margins, truth[:, k])[0, 1] > 0.9
