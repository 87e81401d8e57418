"""The experiment: its arms differ in what they are named for, and are those that were decided."""

import difflib
import json

import chess
import numpy as np
import pandas as pd
import pytest

from chessgloss.claims import verify
from chessgloss.commentary import arms, methods
from chessgloss.commentary.briefing import PHRASES, Briefing
from chessgloss.facts.change import Changes, ConceptChange, concept_and_side
from chessgloss.judges import contrasts
from chessgloss.llm.client import replay
from chessgloss.llm.recordings import Answer, Request, State
from chessgloss.oracle import TERMS
from chessgloss.positions import read_fen, read_move
from chessgloss.store import data_file
from fakes import analyses
from scripts import load_script, refuses

#: Three concepts of one move, the most important first.
RANKED = tuple(
    ConceptChange(concept, side, 0.0, change, change, rank)  # type: ignore[arg-type]
    for rank, (concept, side, change) in enumerate(
        [
            ("Threats", "White", 2.0),
            ("Kingsafety", "Black", -1.5),
            ("Material", "both", 1.0),
        ],
        start=1,
    )
)


@pytest.fixture(scope="module")
def asked() -> list[Request]:
    return arms.questions()


def added(before: list[str], after: list[str]) -> tuple[list[str], list[str]]:
    """Return the lines that only the first, and only the second of two prompts has."""
    lines = list(difflib.ndiff(before, after))
    return (
        [line[2:] for line in lines if line.startswith("- ")],
        [line[2:] for line in lines if line.startswith("+ ")],
    )


def test_what_the_examples_say_is_true_and_as_the_program_would_tell_it():
    assert [each["side"] for each in arms.EXAMPLES] == ["White", "Black"]
    for each in arms.EXAMPLES:
        move = read_move(read_fen(each["position"]), each["move"].split()[-1])
        told = [f"- {line}" for line in each["attacks"]]
        assert arms.describe_attacks(move.after()).splitlines() == told
        assert move.numbered_san == each["move"]
        assert not [c for c in verify(each["comment"], move) if c.verdict == "false"]


# ---------------------------------------------------------------- what is given, in words


@pytest.fixture
def grabbed_pawn() -> Briefing:
    return analyses.grabbed_pawn(RANKED, RANKED)


def changed(name: str, side: str, change: float) -> ConceptChange:
    return ConceptChange(name, side, 0.5, 0.5 + change, change, 1)  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("one", "told"),
    [
        (changed("Kingsafety", "Black", -1.5), "Black's king safety: gets worse"),
        (
            changed("Material", "both", -1.0),
            "material balance: shifts in Black's favour",
        ),
        (
            changed("Rooks", "White", arms.NO_CHANGE / 2),
            "White's rooks: hardly changes",
        ),
    ],
)
def test_a_concept_is_told_with_its_side_and_direction(one, told):
    assert arms.describe_concept(one) == told


def test_a_concept_without_words_names_the_file_that_needs_them():
    words = r"phrases\.toml .*isolated pawn"
    concept = changed("isolated pawn", "White", 1.0)
    refuses(KeyError, words, arms.describe_concept, concept)


def test_every_term_of_the_oracle_has_a_spoken_name():
    named = {one for one, words in PHRASES["concepts"].items() if "name" in words}
    assert named == {concept_and_side(term)[0] for term in TERMS}


def test_the_attacks_are_all_there_and_a_pinned_attacker_is_left_out():
    pinned = read_fen("4k3/8/8/8/1b2n3/2N5/8/4K3 w - - 0 1")
    told = arms.describe_attacks(pinned)
    assert "White knight c3" not in told  # it stands between bishop and king
    assert "- Black knight e4 attacks knight c3" in told
    assert "- Black bishop b4 attacks knight c3" in told
    assert arms.describe_attacks(read_fen(chess.STARTING_FEN)) == "- none"


def test_a_verdict_is_told_in_words(grabbed_pawn):
    assert arms.describe_verdict(grabbed_pawn.move, grabbed_pawn.verdict) == (
        "before the move White is ahead by 0.4 pawns, after it Black is ahead by 3.5 pawns; "
        "this is a blunder (loses 3.9 pawns), best was e3; expected reply Nxd5"
    )


def test_the_moves_of_the_game_stand_in_one_line_in_place_of_the_position(grabbed_pawn):
    given, moves = (
        arms.ask_arm(grabbed_pawn, "ccc", RANKED, notation=notation).messages
        for notation in ("fen", "pgn")
    )
    assert given[:-1] == moves[:-1]
    lost, gained = added(given[-1].content.split("\n"), moves[-1].content.split("\n"))
    assert lost == [f"Position (FEN): {grabbed_pawn.move.position.fen}"]
    line = "Game so far (PGN): 1. d4 d5 2. c4 e6 3. Nc3 Nf6 4. Bg5 Nbd7 5. cxd5 exd5"
    assert gained == [line]


def test_moves_are_not_given_of_a_game_that_is_not_known_from_its_start(figure_a6):
    words = "is not known from its start"
    refuses(ValueError, words, arms.ask_arm, figure_a6, "ccc", RANKED, notation="pgn")


# ---------------------------------------------------------------- on any move


def test_the_expert_is_asked_about_a_move_whose_ranking_is_not_kept(
    figure_a6, grabbed_pawn, monkeypatch
):
    asked = list[str]()

    def published_changes(briefing: Briefing) -> Changes:
        asked.append(briefing.name)
        return RANKED

    monkeypatch.setattr(methods, "published_changes", published_changes)
    kept = arms.read_published()[figure_a6.name]
    for arm, of_trap in (("verdict", []), ("ccc", [grabbed_pawn.name])):
        asked.clear()
        requests = methods.arm_requests([figure_a6, grabbed_pawn], arm)
        assert asked == of_trap
        assert requests[0] == arms.ask_arm(figure_a6, arm, kept)
        assert requests[1] == arms.ask_arm(grabbed_pawn, arm, RANKED)


# ---------------------------------------------------------------- what was decided


def test_the_questions_are_those_that_were_decided_before_an_answer_was_there(asked):
    freeze = load_script("commentary/freeze.py")
    frozen = json.loads(data_file("commentary/factorial/frozen.json").read_text())
    assert frozen["sha256"]["prompts"] == freeze.prompts_sha256(asked)
    assert frozen["moves"] == len({each.about["of"] for each in asked}) == 303
    assert len({(each.about["of"], each.about["method"]) for each in asked}) == len(
        asked
    )


@pytest.mark.parametrize(
    ("answer", "comment", "state"),
    [
        ("Comment: A fine\nmove.", "A fine move.", "answered"),
        ("Thoughts:\n- Engine: x.\nComment: A move.", "A move.", "answered"),
        ("**Comment:** A\x1b fine\x9b move.\u202e", "A fine move.", "answered"),
        ("Comment: one.\nThoughts: b.\nCOMMENT: two.", "two.", "answered"),
        ("Thoughts without an end.", "", "unread"),
        (Answer(State.CUT_OFF, "Comment: half a"), "", "cut_off"),
    ],
)
def test_a_comment_is_what_follows_its_mark(answer, comment, state):
    given = (
        answer if isinstance(answer, Answer) else Answer(State.ANSWERED, str(answer))
    )
    read = arms.read_comment(given, "ccc")
    assert (read.text, read.state) == (comment, state)


def test_p_values_are_adjusted_step_by_step():
    # R: p.adjust(c(0.01, 0.04, 0.03, 0.005), "holm")
    adjusted = contrasts.holm([0.01, 0.04, 0.03, 0.005])
    assert adjusted == pytest.approx([0.03, 0.06, 0.06, 0.02])


def test_a_step_that_helps_differs_and_one_that_changes_nothing_is_alike():
    random = np.random.default_rng(1)
    frame = pd.DataFrame(index=[f"lec{k % 6}/{k}" for k in range(600)])
    frame["without"] = (random.random(600) < 0.6).astype(float)
    frame["helped"] = frame["without"] * (random.random(600) < 0.7)
    frame["same"] = frame["without"]
    steps = {"helps": [("helped", "without")], "idle": [("same", "without")]}
    helps, idle = contrasts.compare(frame, steps, seed=1)
    assert helps.verdict == "differs"
    assert helps.by_moves.high < 0
    assert idle.verdict == "alike"


def test_every_recorded_answer_is_to_a_question_of_today(asked, briefings) -> None:
    """All arms are recorded of each evaluated move; of other moves some may be missing."""
    recorded = replay(arms.PURPOSE).recordings
    pgn = load_script("recordings/record.py").pgn_requests()
    missing = [each for each in asked if recorded.get(each) is None]
    answered = {
        recorded.key_of(each) for each in [*asked, *pgn] if recorded.get(each)
    }  # two arms ask the same where the ranking and Stockfish 8 choose the same five
    assert len(recorded) == len(answered)
    assert not briefings.keys() & {each.about["of"] for each in missing}
