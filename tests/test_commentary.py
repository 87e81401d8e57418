"""Commentary: which moves, what a method is given, what is asked, how an answer is read."""

from __future__ import annotations

from collections import Counter
from pathlib import Path

import chess
import chess.engine
import pytest

from chessgloss.commentary.briefings import (
    Briefing,
    BriefingError,
    read_briefings,
    write_briefings,
)
from chessgloss.commentary.concepts import STILL, choose_concepts, tell_concept
from chessgloss.commentary.copying import copies_examples
from chessgloss.commentary.methods import (
    METHODS,
    Comment,
    concepts_of,
    read_comment,
    request_comment,
)
from chessgloss.commentary.questions import (
    GUIDED,
    commentary_requests,
    known_from_start,
    notation_requests,
)
from chessgloss.commentary.selection import choose_moves, documents_examples
from chessgloss.commentary.telling import movetext, tell_attacks, tell_position, tell_verdict
from chessgloss.corpora.lectures import WORDS, Counts, Lecture, read_lectures
from chessgloss.engine import Analysis, Line
from chessgloss.llm import Answer, State
from chessgloss.positions import (
    CommentedMove,
    Game,
    MoveInContext,
    Position,
    read_fen,
    read_move,
    split_of,
)
from chessgloss.priorities import ConceptChange
from chessgloss.store import find_project

BRIEFINGS = find_project() / "data/commentary/briefings.json"


def concept(name: str, side: str, change: float, rank: int) -> ConceptChange:
    return ConceptChange(name, side, 0.5, 0.5 + change, change, rank)  # type: ignore[arg-type]


RANKED = tuple(
    concept(name, side, change, rank)
    for rank, (name, side, change) in enumerate(
        [
            ("Threats", "White", 2.0),
            ("Kingsafety", "Black", -1.5),
            ("Material", "both", 1.0),
            ("Mobility", "White", -0.5),
            ("Space", "Black", 0.3),
            ("Rooks", "White", 0.05),
            ("Queens", "Black", 0.0),
            ("Knights", "White", 0.0),
            ("Pawns", "both", 0.0),
            ("Bishop", "White", 0.0),
            ("Bishop", "Black", 0.0),
        ],
        start=1,
    )
)


def analysis(position: Position, *lines: tuple[chess.engine.Score, str]) -> Analysis:
    turn = position.turn
    found = (
        Line(tuple(moves.split()), chess.engine.PovScore(score, turn), 20) for score, moves in lines
    )
    return Analysis(position, tuple(found), 1000, "Scripted 1")


@pytest.fixture
def grabbed_pawn() -> Briefing:
    """The Elephant Trap: 6. Nxd5 takes a pawn and loses a piece."""
    moves = ["d2d4", "d7d5", "c2c4", "e7e6", "b1c3", "g8f6", "c1g5", "b8d7", "c4d5", "e6d5"]
    move = MoveInContext(Position.after(moves), "c3d5")
    before = analysis(
        move.position, (chess.engine.Cp(40), "e2e3 c7c6"), (chess.engine.Cp(25), "a2a3")
    )
    after = analysis(move.after(), (chess.engine.Cp(350), "f6d5 g5d8 f8b4"))
    return Briefing("made/trap", move, before, after, RANKED, RANKED)


# ---------------------------------------------------------------- which moves


def lecture(name: str, count: int, words: int = 6) -> Lecture:
    """A lecture with a comment on each of the first moves of one long manoeuvre."""
    shuffle = ["g1f3", "g8f6", "f3g1", "f6g8"]
    game = Game(tuple(shuffle * (count // 4 + 1))[:count], "*")
    comments = tuple(
        CommentedMove(
            MoveInContext(game.position(ply), game.moves[ply]), "word " * words, name, ply
        )
        for ply in range(count)
    )
    return Lecture(name, "", "", comments, (), Counts(), ())


def test_only_lectures_that_are_held_out_are_evaluated() -> None:
    names = [f"lec{number}" for number in range(1, 32)]
    lectures = [lecture(name, 8) for name in names]
    lectures.append(lecture(next(name for name in names if split_of(name) == "test"), 200))
    chosen = choose_moves(lectures, 200)
    assert chosen
    assert {split_of(one.group) for one in chosen} <= {"validation", "test"}


def test_a_choice_is_spread_over_the_strata_and_is_stable(lectures_folder: Path) -> None:
    lectures = read_lectures(lectures_folder)
    chosen = choose_moves(lectures, 60)
    assert chosen == choose_moves(lectures, 60)
    assert choose_moves(lectures, 60, seed=2) != chosen
    counts = Counter(one.stratum for one in chosen)
    assert len(chosen) == 60
    assert len(counts) >= 12
    assert max(counts.values()) <= 6
    assert all(WORDS[0] <= len((one.reference or "").split()) <= WORDS[1] for one in chosen)
    assert len({(one.move.position.fen, one.move.uci) for one in chosen}) == 60


@pytest.fixture(scope="module")
def lectures_folder() -> Path:
    from chessgloss import assets

    try:
        return assets.locate("lectures")
    except assets.AssetMissing as error:
        pytest.skip(str(error).splitlines()[0])


def test_the_documents_examples_are_those_printed_with_a_fen() -> None:
    shown = {one.name: one.move.numbered_san for one in documents_examples()}
    assert shown == {
        "ccc/figA1": "1... Bd2+",
        "ccc/figA5": "18... Bxc3#",
        "ccc/figA6": "21. Bxe6+",
    }


# ---------------------------------------------------------------- concepts


def test_ablations_keep_number_and_size_and_change_the_rest(grabbed_pawn: Briefing) -> None:
    move = grabbed_pawn.move
    top = choose_concepts(move, RANKED, "top")
    flipped = choose_concepts(move, RANKED, "flipped")
    random = choose_concepts(move, RANKED, "random")
    assert [one.term for one in flipped] == [one.term for one in top]
    assert [one.change for one in flipped] == [-one.change for one in top]
    assert not {one.term for one in random} & {one.term for one in top}
    assert [abs(one.change) for one in random] == [abs(one.change) for one in top]
    assert choose_concepts(move, RANKED, "random") == random
    assert choose_concepts(move, RANKED, "random", seed=2) != random
    assert choose_concepts(move, RANKED, "none") == ()
    with pytest.raises(ValueError, match="no choice 'best'"):
        choose_concepts(move, RANKED, "best")  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("one", "told"),
    [
        (concept("Kingsafety", "Black", -1.5, 1), "Black's king safety: gets worse"),
        (concept("Threats", "White", 2.0, 1), "White's threats: gets better"),
        (concept("Material", "both", -1.0, 1), "material balance: shifts in Black's favour"),
        (concept("Rooks", "White", STILL / 2, 1), "White's rooks: hardly changes"),
    ],
)
def test_a_concept_is_told_with_its_side_and_direction(one: ConceptChange, told: str) -> None:
    assert tell_concept(one) == told


def test_every_term_of_the_oracle_has_a_spoken_name() -> None:
    from chessgloss.commentary.concepts import SPOKEN
    from chessgloss.oracle import TERMS
    from chessgloss.priorities import concept_and_side

    assert {concept_and_side(term)[0] for term in TERMS} <= set(SPOKEN)


# ---------------------------------------------------------------- telling


def test_the_attacks_are_all_there_and_a_pinned_attacker_is_left_out() -> None:
    pinned = read_fen("4k3/8/8/8/1b2n3/2N5/8/4K3 w - - 0 1")
    told = tell_attacks(pinned)
    assert "White knight c3" not in told  # it stands between bishop and king
    assert "- Black knight e4 attacks knight c3" in told
    assert "- Black bishop b4 attacks knight c3" in told
    assert tell_attacks(read_fen(chess.STARTING_FEN)) == "- none"


def test_a_verdict_is_told_by_the_side_that_is_ahead(grabbed_pawn: Briefing) -> None:
    told = tell_verdict(grabbed_pawn.move, grabbed_pawn.verdict)
    assert told == (
        "before the move White is ahead by 0.4 pawns, after it Black is ahead by 3.5 pawns; "
        "this is a blunder (loses 3.9 pawns), best was e3; expected reply Nxd5"
    )


def test_mates_are_told_with_the_side_that_gives_them() -> None:
    position = read_fen("6k1/5ppp/8/8/8/8/8/R3K3 w - - 0 1")
    move = read_move(position, "Ra8#")
    before = analysis(position, (chess.engine.Mate(1), "a1a8"))
    told = tell_verdict(move, Briefing("made/mate", move, before, analysis(move.after())).verdict)
    assert told.startswith("before the move White mates in 1, after it White has mated")
    assert "expected reply" not in told


def test_a_game_is_told_in_either_notation(grabbed_pawn: Briefing) -> None:
    position = grabbed_pawn.move.position
    assert tell_position(position).endswith(position.fen)
    assert movetext(position).startswith("1. d4 d5 2. c4 e6 3. Nc3 Nf6")
    assert tell_position(position, "pgn").endswith("5. cxd5 exd5")
    with pytest.raises(ValueError, match="not known from its start"):
        tell_position(read_fen(position.fen), "pgn")


# ---------------------------------------------------------------- questions and answers


def test_a_method_is_given_what_its_name_says(grabbed_pawn: Briefing) -> None:
    asked = {name: request_comment(grabbed_pawn, name).messages[-1].content for name in METHODS}
    assert all(grabbed_pawn.move.numbered_san in text for text in asked.values())
    assert {name for name in METHODS if "Engine:" in asked[name]} == {"llm_expert", *GUIDED}
    assert {name for name in METHODS if "Concepts" in asked[name]} == set(GUIDED)
    assert "(none given)" in asked["ccc_none"]
    assert "White's threats: gets better" in asked["ccc"]
    assert "White's threats: gets worse" in asked["ccc_flipped"]
    assert "White's threats" not in asked["ccc_random"]


def test_what_a_method_is_asked_differs_only_in_the_concepts(grabbed_pawn: Briefing) -> None:
    texts = [request_comment(grabbed_pawn, name).messages for name in GUIDED]
    heads = {messages[-1].content.split("Concepts changed most:")[0] for messages in texts}
    assert len(heads) == 1
    assert len({messages[:-1] for messages in texts}) == 1


def test_the_count_of_concepts_is_the_callers(grabbed_pawn: Briefing) -> None:
    assert len(concepts_of(grabbed_pawn, "ccc")) == 5
    text = request_comment(grabbed_pawn, "ccc", count=3).messages[-1].content
    assert "3. " in text.split("Concepts changed most:")[1]
    assert "4. " not in text.split("Concepts changed most:")[1]


def test_an_unknown_method_is_named(grabbed_pawn: Briefing) -> None:
    with pytest.raises(ValueError, match=r"no method 'gpt'.*llm_expert"):
        request_comment(grabbed_pawn, "gpt")


@pytest.mark.parametrize(
    ("method", "text", "comment"),
    [
        ("llm", "A fine move.", "A fine move."),
        ("llm", '"A fine\nmove."', "A fine move."),
        ("ccc", "Thoughts: a.\nComment: A fine move.", "A fine move."),
        ("ccc", "Thoughts: a.\n**Comment:** A fine\nmove.", "A fine move."),
        ("ccc", "Comment: one.\nThoughts: b.\nComment: two.", "two."),
        ("ccc", "thoughts.\nCOMMENT: loud.", "loud."),
    ],
)
def test_the_comment_is_found_in_an_answer(method: str, text: str, comment: str) -> None:
    found = read_comment(Answer(State.ANSWERED, text, model="m"), method)
    assert (found.text, found.state, found.model) == (comment, "answered", "m")


@pytest.mark.parametrize(
    ("method", "answer", "state"),
    [
        ("ccc", Answer(State.ANSWERED, "Thoughts without an end."), "unread"),
        ("ccc", Answer(State.CUT_OFF, "Comment: half a"), "cut_off"),
        ("llm", Answer(State.EMPTY), "empty"),
        ("llm", Answer(State.REFUSED, "I cannot."), "refused"),
    ],
)
def test_an_answer_without_a_comment_is_a_state(method: str, answer: Answer, state: str) -> None:
    found = read_comment(answer, method)
    assert (found.text, found.state) == ("", state)


def test_a_comment_that_was_answered_has_a_text() -> None:
    with pytest.raises(ValueError, match="no text"):
        Comment(" ", "llm")
    assert Comment("Two words", "llm").words == 2


# ---------------------------------------------------------------- briefings on disk


def test_briefings_come_back_as_they_went(grabbed_pawn: Briefing, tmp_path: Path) -> None:
    position = read_fen("6k1/5ppp/8/8/8/8/8/R3K3 w - - 0 1")
    move = read_move(position, "Ra8#")
    mate = Briefing(
        "made/mate",
        move,
        analysis(position, (chess.engine.Mate(1), "a1a8")),
        analysis(move.after()),
    )
    path = tmp_path / "deep" / "briefings.json"
    write_briefings(path, [grabbed_pawn, mate], {"engine": "Scripted 1"})
    found = read_briefings(path)
    assert found["made/mate"] == mate
    assert found["made/trap"] == grabbed_pawn
    assert found["made/trap"].verdict == grabbed_pawn.verdict


@pytest.mark.parametrize("text", ["", "{}", "[{}, {}]", '[{}, {"name": "x"}]'])
def test_a_damaged_file_of_briefings_says_how_to_make_it(tmp_path: Path, text: str) -> None:
    path = tmp_path / "briefings.json"
    path.write_text(text)
    with pytest.raises(BriefingError, match="make it with: python -m chessgloss"):
        read_briefings(path)


def test_the_committed_briefings_are_those_of_the_rule(lectures_folder: Path) -> None:
    kept = read_briefings(BRIEFINGS)
    chosen = [*choose_moves(read_lectures(lectures_folder)), *documents_examples()]
    assert {one.name: one.move for one in chosen} == {name: one.move for name, one in kept.items()}
    assert all(len(one.concepts) == len(one.oracle) == 21 for one in kept.values())


def test_every_move_gives_a_question_of_every_method() -> None:
    briefings = list(read_briefings(BRIEFINGS).values())
    requests = commentary_requests(briefings)
    asked = Counter(one.about["method"] for one in requests if one.about["notation"] == "fen")
    assert all(asked[name] >= len(briefings) for name in METHODS)
    known = [one.name for one in briefings if known_from_start(one)]
    assert [one.about["of"] for one in notation_requests(briefings)] == known


# ---------------------------------------------------------------- the real parts


@pytest.mark.engine
def test_a_briefing_is_made_of_engine_expert_and_oracle() -> None:
    pytest.importorskip("torch")
    from chessgloss.brief_moves import brief

    example = documents_examples()[2]
    (found,) = brief([example], nodes=5_000, progress=False)
    assert found.verdict.best == example.move.uci
    assert {one.rank for one in found.concepts} == set(range(1, 22))
    assert found.oracle[0].term != ""
    assert abs(found.oracle[0].change) >= abs(found.oracle[20].change)


@pytest.mark.parametrize(
    ("text", "copied"),
    [
        ("A strong double purpose: the queen attacks b7 and more", True),
        ("a STRONG double purpose - the queen attacks nothing", True),
        ("A strong double purpose: the rook attacks b7", False),
        ("The queen attacks b7", False),
    ],
)
def test_six_words_in_a_row_of_an_example_are_copied(text: str, copied: bool):
    assert copies_examples(text, "comment_ccc") is copied
    assert not copies_examples(text, "comment_llm")  # it has no examples
