"""Briefings, prompts, and the methods that ask a language model."""

import hashlib
import json
import re
from dataclasses import asdict
from typing import get_args

import chess.engine
import pytest
from hypothesis import given
from hypothesis import strategies as st

from chessgloss.claims import verify
from chessgloss.commentary import asking, briefing, methods
from chessgloss.commentary.asking import read_briefings
from chessgloss.commentary.briefing import Briefing
from chessgloss.commentary.methods import (
    ARMS,
    EXAMPLES,
    GUIDED,
    METHODS,
    request_comment,
)
from chessgloss.commentary.moves import documents_examples, evaluated_moves
from chessgloss.commentary.prompts import all_prompts, load_prompt, read_prompt
from chessgloss.commentary.proven import (
    Form,
    ask_first,
    given_notes,
    request_constrained,
)
from chessgloss.facts.change import ConceptChange, concept_and_side
from chessgloss.llm.recordings import Answer, Message, State
from chessgloss.llm.text import quoted
from chessgloss.oracle import TERMS
from chessgloss.positions import read_fen, read_move, split_of
from fakes import analyses
from scripts import load_script, refuses


def concept(name: str, side: str, change: float, rank: int = 1) -> ConceptChange:
    return ConceptChange(name, side, 0.5, 0.5 + change, change, rank)  # type: ignore[arg-type]


_CHANGES = {
    ("Threats", "White"): 2.0,
    ("Kingsafety", "Black"): -1.5,
    ("Material", "both"): 1.0,
    ("Mobility", "White"): -0.5,
    ("Space", "Black"): 0.3,
    ("Rooks", "White"): 0.05,
    ("Queens", "Black"): 0.0,
    ("Knights", "White"): 0.0,
    ("Pawns", "both"): 0.0,
    ("Bishop", "White"): 0.0,
    ("Bishop", "Black"): 0.0,
}
RANKED = tuple(
    concept(*key, each, n) for n, (key, each) in enumerate(_CHANGES.items(), start=1)
)


@pytest.fixture
def grabbed_pawn() -> Briefing:
    return analyses.grabbed_pawn(RANKED, RANKED)


def test_the_committed_briefings_are_those_of_the_rule(
    real_lectures, briefings
) -> None:
    chosen = evaluated_moves()
    kept = briefings.items()
    assert {each.name: each.move for each in chosen} == {
        name: each.move for name, each in kept
    }
    assert {split_of(each.group) for each in chosen if each.reference} <= {
        "validation",
        "test",
    }
    assert all(
        len(each.concepts) == len(each.oracle) == 21 for each in briefings.values()
    )
    printed = [each.move.numbered_san for each in documents_examples()]
    assert printed == ["1... Bd2+", "18... Bxc3#", "21. Bxe6+"]


def test_ablations_keep_number_and_size_and_change_the_rest(
    grabbed_pawn: Briefing,
) -> None:
    top, flipped, random, again, none = (
        methods.choose_concepts(grabbed_pawn.move, RANKED, choice)  # type: ignore[arg-type]
        for choice in ("top", "flipped", "random", "random", "none")
    )
    assert [(one.term, -one.change) for one in flipped] == [
        (one.term, one.change) for one in top
    ]
    assert not {one.term for one in random} & {one.term for one in top}
    assert [abs(one.change) for one in random] == [abs(one.change) for one in top]
    assert (random, none) == (again, ())


@pytest.mark.parametrize(
    ("one", "told"),
    [
        (concept("Kingsafety", "Black", -1.5), "Black's king safety: gets worse"),
        (concept("Threats", "White", 2.0), "White's threats: gets better"),
        (
            concept("Material", "both", -1.0),
            "material balance: shifts in Black's favour",
        ),
        (
            concept("Rooks", "White", methods.NO_CHANGE / 2),
            "White's rooks: hardly changes",
        ),
    ],
)
def test_a_concept_is_told_with_its_side_and_direction(
    one: ConceptChange, told: str
) -> None:
    assert methods.describe_concept(one) == told


def test_a_concept_without_words_names_the_file_that_needs_them():
    with pytest.raises(KeyError, match=r"phrases\.toml .*isolated pawn"):
        methods.describe_concept(concept("isolated pawn", "White", 1.0))


def test_every_term_of_the_oracle_has_a_spoken_name() -> None:
    terms = {concept_and_side(term)[0] for term in TERMS}
    assert terms == {
        one for one, words in briefing.PHRASES["concepts"].items() if "name" in words
    }


def test_the_attacks_are_all_there_and_a_pinned_attacker_is_left_out() -> None:
    pinned = read_fen("4k3/8/8/8/1b2n3/2N5/8/4K3 w - - 0 1")
    told = methods.describe_attacks(pinned)
    assert "White knight c3" not in told  # it stands between bishop and king
    assert "- Black knight e4 attacks knight c3" in told
    assert "- Black bishop b4 attacks knight c3" in told
    assert methods.describe_attacks(read_fen(chess.STARTING_FEN)) == "- none"


def test_verdict_and_game_are_told_in_words(grabbed_pawn: Briefing) -> None:
    position = grabbed_pawn.move.position
    assert methods.describe_verdict(grabbed_pawn.move, grabbed_pawn.verdict) == (
        "before the move White is ahead by 0.4 pawns, after it Black is ahead by 3.5 pawns; "
        "this is a blunder (loses 3.9 pawns), best was e3; expected reply Nxd5"
    )
    assert methods.describe_position(position).endswith(position.fen)
    told = methods.describe_position(position, "pgn")
    assert (
        told
        == "Game so far (PGN): 1. d4 d5 2. c4 e6 3. Nc3 Nf6 4. Bg5 Nbd7 5. cxd5 exd5"
    )
    with pytest.raises(ValueError, match="not known from its start"):
        methods.describe_position(read_fen(position.fen), "pgn")


def test_a_method_is_given_what_its_name_says(grabbed_pawn: Briefing) -> None:
    asked = {
        name: request_comment(grabbed_pawn, name).messages[-1].content
        for name in METHODS
    }
    assert all(grabbed_pawn.move.numbered_san in text for text in asked.values())
    with_concepts = {name for name in METHODS if name.startswith("ccc")}
    assert {name for name in METHODS if "Concepts" in asked[name]} == with_concepts
    told = {"llm_expert", "llm_expert_two", *with_concepts}
    assert {name for name in METHODS if "Engine:" in asked[name]} == told
    bare = {name for name in METHODS if name.endswith("_bare")}
    assert {
        name for name in METHODS if "Attacks" in asked[name]
    } == with_concepts - bare
    assert (
        "(none given)" in asked["ccc_none"]
        and "White's threats: gets better" in asked["ccc"]
    )
    assert "White's threats: gets worse" in asked["ccc_flipped"]
    assert "White's threats" not in asked["ccc_random"]


def test_the_table_names_the_prompts_that_are_asked(figure_a6) -> None:
    asked = {name: request_comment(figure_a6, name).prompt for name in METHODS}
    for name in get_args(Form):
        asked[name] = request_constrained(figure_a6, name).prompt
    first = ask_first(figure_a6, given_notes(figure_a6)).prompt
    asked |= {"ccc_notes": first, "ccc_proven": first}
    table = {**METHODS, **methods.OTHERS}
    named = {name: each.prompt for name, each in table.items() if each.prompt}
    assert named == {name: label.split("@")[0] for name, label in asked.items()}


def test_what_a_method_is_asked_differs_only_in_the_concepts(
    grabbed_pawn: Briefing,
) -> None:
    texts = [request_comment(grabbed_pawn, name).messages for name in GUIDED]
    heads = {
        messages[-1].content.split("Concepts changed most:")[0] for messages in texts
    }
    assert len(heads) == len({messages[:-1] for messages in texts}) == 1
    three = request_comment(grabbed_pawn, "ccc", count=3).messages[-1].content
    assert re.findall(
        r"^(\d)\. ", three.split("Concepts changed most:")[1], re.M
    ) == list("123")


def test_arms_of_a_group_are_shown_the_same_examples_one_a_colour(
    grabbed_pawn: Briefing,
) -> None:
    comments = [each["comment"] for each in EXAMPLES]
    assert [each["side"] for each in EXAMPLES] == ["White", "Black"]
    for examples, names in ARMS.items():
        for name in names:
            turns = request_comment(grabbed_pawn, name).messages
            shown = [turn.content for turn in turns if turn.role == "assistant"]
            assert len(shown) == (2 if examples == "two examples" else 0)
            assert all(
                text.endswith(end) for text, end in zip(shown, comments, strict=False)
            )


def test_what_the_examples_say_is_true_and_as_the_program_would_tell_it() -> None:
    for each in EXAMPLES:
        move = read_move(read_fen(each["position"]), each["move"].split()[-1])
        attacks = methods.describe_attacks(move.after())
        assert attacks == "\n".join(f"- {line}" for line in each["attacks"])
        assert move.numbered_san == each["move"]
        assert not [c for c in verify(each["comment"], move) if c.verdict == "false"]


@pytest.mark.parametrize(
    ("method", "answer", "comment", "state"),
    [
        ("llm", '"A fine\nmove."', "A fine move.", "answered"),
        ("llm", "A\x1b fine\x9b move.\u202e", "A fine move.", "answered"),
        ("ccc", "Thoughts: a.\nComment: A fine move.", "A fine move.", "answered"),
        ("ccc", "Thoughts: a.\n**Comment:** A fine\nmove.", "A fine move.", "answered"),
        ("ccc", "Comment: one.\nThoughts: b.\nCOMMENT: two.", "two.", "answered"),
        ("ccc", "Thoughts without an end.", "", "unread"),
        ("ccc", Answer(State.CUT_OFF, "Comment: half a"), "", "cut_off"),
        ("llm", Answer(State.REFUSED, "I cannot."), "", "refused"),
    ],
)
def test_a_comment_is_found_in_an_answer_or_its_state(
    method, answer, comment, state
) -> None:
    given = Answer(State.ANSWERED, answer) if isinstance(answer, str) else answer
    read = methods.read_comment(given, method)
    assert (read.text, read.state) == (comment, state)


def test_briefings_come_back_as_they_went(grabbed_pawn, tmp_path) -> None:
    position = read_fen("6k1/5ppp/8/8/8/8/8/R3K3 w - - 0 1")
    move = read_move(position, "Ra8#")
    before = analyses.analysis(position, (chess.engine.Mate(1), "a1a8"))
    mate = Briefing("made/mate", move, before, analyses.analysis(move.after()))
    path = tmp_path / "deep" / "briefings.json"
    load_script("commentary/brief.py").write_briefings(path, [grabbed_pawn, mate], {})
    assert read_briefings(path) == {each.name: each for each in (grabbed_pawn, mate)}


def test_a_method_that_is_not_known_is_refused_with_those_there_are() -> None:
    known = "no method magic, spell; there are ccc, ccc_closed, .*, llm_two, notes, .*template"
    refuses(
        ValueError,
        known,
        methods.gather_comments,
        ["notes", "magic", "spell"],
        [],
        {},
        None,
    )


@pytest.mark.parametrize("text", ["", "{}", "[{}, {}]", '[{}, {"name": "x"}]'])
def test_a_damaged_file_of_briefings_says_how_to_make_it(tmp_path, text) -> None:
    path = tmp_path / "briefings.json"
    path.write_text(text)
    refuses(
        ValueError, "make it with: python data/commentary/brief", read_briefings, path
    )


@pytest.mark.engine
def test_a_briefing_is_made_of_engine_expert_and_oracle() -> None:
    example = documents_examples()[2]
    (found,) = asking.brief_moves([example], nodes=5_000, progress=False)
    assert found.verdict.best == example.move.uci
    assert {one.rank for one in found.concepts} == set(range(1, 22)) and found.oracle[
        0
    ].term != ""
    assert abs(found.oracle[0].change) >= abs(found.oracle[20].change)


# ---------------------------------------------------------------- prompts

PROMPT_TEXT = """version: 3
purpose: a comment with one example

--- system
You comment moves.

Be brief; never ask for $$.

--- user
Move: Nf3
--- assistant
It eyes e5.
--- user
Move: $move in ${fen}
$move again
"""


def test_a_prompt_is_read_with_its_turns_and_filled_once():
    prompt = read_prompt("comment", PROMPT_TEXT)
    assert (prompt.label, prompt.purpose) == ("comment@3", "a comment with one example")
    system, *example, last = prompt.fill(move="Nf3 $fen", fen="8/8")
    assert system == Message(
        "system", "You comment moves.\n\nBe brief; never ask for $."
    )
    assert example == [
        Message("user", "Move: Nf3"),
        Message("assistant", "It eyes e5."),
    ]
    assert last == Message("user", "Move: Nf3 $fen in 8/8\nNf3 $fen again")
    for wrong, values in (("fen", {}), ("side", {"fen": "8/8", "side": "White"})):
        with pytest.raises(ValueError, match=f"comment@3 is not filled by {wrong}"):
            prompt.fill(move="Nf3", **values)


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("version: 3", "version: 0"),
        ("--- system", "Hello\n--- system"),
        ("It eyes e5.", ""),
        ("--- user\nMove: $move in", "--- assistant\nMove: $move in"),
    ],
)
def test_a_file_that_is_not_well_formed_is_refused(old, new):
    with pytest.raises(ValueError, match=r"prompt comment is not|should match pattern"):
        read_prompt("comment", PROMPT_TEXT.replace(old, new))


def test_a_text_names_a_concept_by_its_words_whichever_side_it_means():
    text = "Black's DOUBLED pawns are no threat."
    named = {
        name
        for name in {concept_and_side(term)[0] for term in TERMS}
        if briefing.names_concept(text, name)
    }
    assert named == {"Pawns", "Threats"}
    for side in ("White", "Black"):
        assert briefing.speaks_of(text, concept("Threats", side, 1.0))
        assert not briefing.speaks_of(text, concept("Rooks", side, 1.0))


def test_every_prompt_of_the_library_can_be_filled():
    for name in all_prompts():
        prompt = load_prompt(name)
        assert prompt.fill(**dict.fromkeys(prompt.placeholders, "x"))[-1].role == "user"
    refuses(
        ValueError,
        "no prompt is called 'nothing'; there are answer",
        load_prompt,
        "nothing",
    )


@pytest.mark.parametrize(
    ("text", "inside"),
    [
        (">>>\nScore: 5\n<<<", "> > >\nScore: 5\n< < <"),
        (">\u200b>\u200b>", "> > >"),
        ("a\u00a0b\x00\x1b[0m\tc\r\nd", "a b[0m\tc\nd"),
    ],
)
def test_quoted_text_reads_as_it_was(text, inside):
    assert quoted(text) == f"<<<\n{inside}\n>>>"


@given(
    st.text(
        alphabet=st.one_of(st.sampled_from("<> \n\u200b\r"), st.characters()),
        max_size=60,
    )
)
def test_no_text_closes_its_fence(text):
    fenced = quoted(text)
    assert fenced.count("<<<") == fenced.count(">>>") == 1
    assert fenced.startswith("<<<\n") and fenced.endswith("\n>>>")


#: SHA-256 of all questions behind recorded answers, as they were when they were asked.
QUESTIONS = "60e16ccf070e72b58b8a67e43af82c8b0c80cf1f92cb038b7980e1b01835554f"


def test_no_question_behind_a_recorded_answer_has_changed(briefings):
    """A byte of a prompt decides under which key its answer is looked up."""
    digest = hashlib.sha256()
    for each in briefings.values():
        asked = [request_comment(each, method) for method in METHODS]
        asked += [request_constrained(each, form) for form in get_args(Form)]
        asked.append(ask_first(each, given_notes(each)))
        for request in asked:
            turns = [[turn.role, turn.content] for turn in request.messages]
            sampling = asdict(request.sampling)
            digest.update(json.dumps([turns, sampling, request.prompt]).encode())
    assert digest.hexdigest() == QUESTIONS
