"""Verified commentary: the decisions, the mending, the loop with a scripted model, real answers."""

from __future__ import annotations

import json
from pathlib import Path

import chess.engine
import pytest

from chessgloss.commentary.briefing import Briefing, briefings_file, read_briefings
from chessgloss.commentary.methods import METHODS, read_comment, request_comment
from chessgloss.commentary.notes import choose, notes, write_notes
from chessgloss.commentary.verified import (
    COMMENTS,
    LEAST_WORDS,
    ROUNDS,
    Attempt,
    Verified,
    ask_again,
    ask_first,
    checker,
    cut,
    extraction_requests,
    false_of,
    join,
    mend,
    next_step,
    pending,
    published,
    read_attempt,
    read_claims,
    read_published,
    settle,
    without,
    write_verified,
)
from chessgloss.engine import Analysis, Line
from chessgloss.llm.client import DEFAULT_MODEL, AnswerMissing, Client, Endpoint, Unanswered, replay
from chessgloss.llm.recordings import Answer, Model, Recordings, State
from chessgloss.positions import MoveInContext, Position
from chessgloss.store import find_project
from fakes.scripted_llm import scripted_llm

MODEL = Model("scripted-1")

#: On ``grabbed_pawn``: what is true of it, and what is not.
TRUE = "White takes the pawn on d5 with the knight, which is a blunder."
FALSE = "White takes the rook on d5 with the knight, which is a blunder."
ALL_FALSE = "White takes the rook on d5."


@pytest.fixture(scope="module")
def briefings() -> dict[str, Briefing]:
    return read_briefings(briefings_file())


@pytest.fixture(scope="module")
def grabbed_pawn() -> Briefing:
    """The Elephant Trap: 6. Nxd5 takes a pawn and loses a piece."""
    moves = ["d2d4", "d7d5", "c2c4", "e7e6", "b1c3", "g8f6", "c1g5", "b8d7", "c4d5", "e6d5"]
    move = MoveInContext(Position.after(moves), "c3d5")
    before = analysis(
        move.position, (chess.engine.Cp(40), "e2e3 c7c6"), (chess.engine.Cp(25), "a2a3")
    )
    after = analysis(move.after(), (chess.engine.Cp(350), "f6d5 g5d8 f8b4"))
    return Briefing("made/trap", move, before, after)


def analysis(position: Position, *lines: tuple[chess.engine.Score, str]) -> Analysis:
    found = (
        Line(tuple(moves.split()), chess.engine.PovScore(score, position.turn), 20)
        for score, moves in lines
    )
    return Analysis(position, tuple(found), 1000, "Scripted 1")


@pytest.fixture
def check(grabbed_pawn: Briefing):
    return checker(grabbed_pawn)


@pytest.fixture
def attempt(check):
    return lambda text: Attempt(text, check(text)) if text else Attempt("", (), "cut_off")


@pytest.mark.parametrize(
    ("texts", "step"),
    [
        ([TRUE], "settle"),
        ([FALSE], "mend"),
        ([FALSE, TRUE], "settle"),
        ([FALSE, ALL_FALSE], "mend"),
        ([FALSE, FALSE], "settle"),  # word for word: it will not be mended
        ([FALSE, ALL_FALSE, "White takes the queen on d5."], "settle"),
        ([""], "repeat"),
        (["", ""], "settle"),
        (["", FALSE], "mend"),
        (["", TRUE], "settle"),
        ([FALSE, ""], "repeat"),
        (["", FALSE, ALL_FALSE], "settle"),
    ],
)
def test_a_model_is_asked_again_while_it_can_mend(attempt, texts: list[str], step: str) -> None:
    assert next_step([attempt(text) for text in texts]) == step


# ---------------------------------------------------------------- clauses

DOUBLE = (
    "A strong double purpose: the queen attacks d6 and adds its weight to the bishop's "
    "pressure on f4. Black cannot guard both, and White stays clearly ahead."
)


@pytest.mark.parametrize(
    ("text", "parts"),
    [
        (
            DOUBLE,
            [
                "A strong double purpose",
                "the queen attacks d6",
                "adds its weight to the bishop's pressure on f4",
                "Black cannot guard both",
                "White stays clearly ahead",
            ],
        ),
        (
            "The rooks on g8 and b6 attack b3, threatening mate.",
            ["The rooks on g8 and b6 attack b3", "threatening mate"],
        ),
        ("After 12. Nf3 Nc6 the centre holds.", ["After 12. Nf3 Nc6 the centre holds"]),
        ("White keeps the knight and the bishop.", ["White keeps the knight and the bishop"]),
        (
            "The move not only attacks e5 but also guards d4.",
            ["The move not only attacks e5 but also guards d4"],
        ),
        (
            "It takes the pawn, which is a blunder. Fine!",
            ["It takes the pawn", "is a blunder", "Fine"],
        ),
    ],
)
def test_comments_are_cut_where_a_clause_begins(text: str, parts: list[str]) -> None:
    assert [part.text for part in cut(text)] == parts


def test_recorded_comments_survive_cutting(answers) -> None:
    for _, comment in answers:
        folded = " ".join(comment.text.split())
        parts = cut(folded)
        joined, _ = join(parts, set(range(len(parts))))
        assert joined.rstrip(".!?… ") == folded.rstrip(".!?…\"' "), folded


@pytest.mark.parametrize(
    ("gone", "left"),
    [
        ({4}, "A strong double purpose: the queen attacks d6 and adds its weight to the bishop's "
              "pressure on f4. Black cannot guard both."),
        ({2}, "The queen attacks d6. White stays clearly ahead."),  # one of two, and their "both"
        ({1}, "White stays clearly ahead."),  # what has no subject goes with its subject
        ({0, 1, 2, 3, 4}, ""),
    ],
)  # fmt: skip
def test_what_cannot_stand_alone_goes_too(gone: set[int], left: str) -> None:
    parts = cut(DOUBLE)
    assert join(parts, without(parts, set(range(len(parts))), gone))[0] == left


def test_a_semicolon_and_a_head_that_judges_stay() -> None:
    text = "A blunder; the bishop attacks e4, and the rook attacks f4."
    parts = cut(text)
    assert join(parts, without(parts, {0, 1, 2}, {1}))[0] == "A blunder; the rook attacks f4."
    head = cut("A mistake: the bishop attacks e4.")
    assert join(head, without(head, {0, 1}, {1}))[0] == "A mistake."


# ---------------------------------------------------------------- mending and publishing


@pytest.mark.parametrize(
    ("text", "left"),
    [
        (TRUE, TRUE),
        (ALL_FALSE, ""),
        (f"{ALL_FALSE} A blunder, for Black wins a piece.", "A blunder, for Black wins a piece."),
        (
            "The knight takes the pawn on d5, and the queen attacks h7.",
            "The knight takes the pawn on d5.",
        ),
        ("No claim that a board could settle.", "No claim that a board could settle."),
    ],
)  # fmt: skip
def test_clauses_with_a_false_claim_are_left_out(check, text: str, left: str) -> None:
    mended, dropped = mend(text, check)
    assert mended == left
    assert bool(dropped) == (text != left)
    assert not false_of(check(mended or "Nothing."))


@pytest.mark.parametrize(
    ("text", "left"),
    [
        ("The comment is false. White castles into safety.", "White castles into safety."),
        ("White castles, and the move does not attack h6.", "White castles."),
        ("White castles into safety.", "White castles into safety."),
    ],
)
def test_what_only_answers_the_one_who_asked_is_left_out(text: str, left: str):
    assert mend(text, lambda _: (), again=True)[0] == left
    assert mend(text, lambda _: ()) == (text, ())


@pytest.fixture
def settled(attempt, grabbed_pawn: Briefing):
    def of(*texts: str) -> Verified:
        return settle([attempt(text) for text in texts], grabbed_pawn, method="ccc_verified")

    return of


@pytest.mark.parametrize(
    ("texts", "way", "published"),
    [
        ((TRUE,), "as written", TRUE),
        ((FALSE, TRUE), "rewritten", TRUE),
        (
            ("The knight takes the pawn on d5, and the queen attacks h7.",),
            "cut",
            "The knight takes the pawn on d5.",
        ),
        ((ALL_FALSE,), "template", None),
        (("",), "template", None),
        (("", TRUE), "rewritten", TRUE),
        (("White takes the rook on d5. A blunder.",), "template", None),  # two words are too few
    ],
)
def test_the_best_attempt_is_published(settled, grabbed_pawn, texts, way: str, published) -> None:
    told = settled(*texts)
    assert told.way == way
    assert told.fallback == (way == "template")
    assert told.comment.text == (published or write_notes(grabbed_pawn).text)
    assert told.rounds == len(texts) - 1
    assert not false_of(told.checked)


def test_of_two_attempts_the_one_with_fewer_false_claims_counts(settled) -> None:
    worse = "The knight takes the rook on d5, and the rook on a5 attacks the queen on b5."
    told = settled(worse, "The knight takes the pawn on d5, and the queen attacks h7.")
    assert told.comment.text == "The knight takes the pawn on d5."
    assert told.dropped == ("the queen attacks h7",)


def test_a_note_stands_in_for_what_was_lost(settled, grabbed_pawn) -> None:
    first, *_ = [note.sentence for note in choose(notes(grabbed_pawn))]
    verified = settled(f"{ALL_FALSE} In the end Black is clearly better.")
    assert verified.borrowed == (first,)
    assert verified.comment.text == f"{first} In the end Black is clearly better."
    assert len(["In", "the", "end", "Black", "is", "clearly", "better."]) >= LEAST_WORDS
    assert verified.way == "cut"
    judged = settled("The knight takes the pawn on d5. An excellent move.")
    assert judged.comment.text.startswith("The knight takes the pawn on d5. ")


def test_published_comments_stay_as_they_are_and_are_checked_anew(briefings) -> None:
    for simple, method in ((False, "ccc_verified"), (True, "ccc_simple")):
        verified = read_published(list(briefings.values()), DEFAULT_MODEL, simple=simple)
        stored = [published(DEFAULT_MODEL)[method, name] for name in briefings]
        assert [each.comment.text for each in verified] == [row["text"] for row in stored]
        assert {each.comment.method for each in verified} == {method}
    assert published("gpt-4o") == {}
    (mate,) = read_published([briefings["lec9/4"]], DEFAULT_MODEL)
    assert "The queen hits h3 and h2" in [each.claim.text for each in false_of(mate.checked)]


def test_accusations_that_were_read_have_a_label_and_a_reason() -> None:
    stored = json.loads((find_project() / "data/claims/accusations.json").read_text())
    rows = stored["accusations"]
    assert len(rows) >= 60
    assert all(isinstance(row["right"], bool) and row["reason"] for row in rows)
    assert len(
        {tuple(row[key] for key in ("method", "move", "claim", "kind")) for row in rows}
    ) == (len(rows))


# ---------------------------------------------------------------- what is asked


def test_simple_words_are_asked_for_in_the_last_message_alone(grabbed_pawn) -> None:
    plain, simple = ask_first(grabbed_pawn), ask_first(grabbed_pawn, simple=True)
    assert plain == request_comment(grabbed_pawn, "ccc")
    assert simple.messages[:-1] == plain.messages[:-1]
    assert simple.messages[-1].content.startswith(plain.messages[-1].content)
    assert "beginner" in simple.messages[-1].content
    assert simple.sampling == plain.sampling
    assert simple.about["method"] == "ccc_simple"


def test_a_follow_up_goes_on_with_the_conversation(grabbed_pawn, check) -> None:
    first = ask_first(grabbed_pawn)
    answer = Answer(State.ANSWERED, f"Thoughts: none.\nComment: {FALSE}")
    again = ask_again(first, answer, read_attempt(answer, check), "mend")
    assert again.messages[: len(first.messages)] == first.messages
    assert [one.role for one in again.messages[len(first.messages) :]] == ["assistant", "user"]
    assert "the rook on d5" in again.messages[-1].content
    assert (again.about["round"], again.prompt) == (1, "comment_again@1")
    last = ask_again(again, answer, read_attempt(answer, check), "repeat")
    assert (last.about["round"], last.prompt) == (2, "comment_only@1")


def test_after_an_empty_answer_no_empty_turn_is_sent(grabbed_pawn, check) -> None:
    first, empty = ask_first(grabbed_pawn), Answer(State.EMPTY, " ")
    again = ask_again(first, empty, read_attempt(empty, check), "repeat")
    assert len(again.messages) == len(first.messages)
    assert again.messages[-1].content.startswith(first.messages[-1].content)


@pytest.mark.parametrize(
    ("text", "first", "found"),
    [
        (f"Comment: {TRUE}", True, TRUE),
        (TRUE, True, ""),  # the first answer must mark its comment
        (TRUE, False, TRUE),
        (f"Thoughts: the pawn.\nComment: {TRUE}", False, TRUE),
        ("Thoughts: the pawn is taken.", False, ""),
    ],
)
def test_answers_are_read(check, text: str, first: bool, found: str) -> None:
    assert read_attempt(Answer(State.ANSWERED, text), check, first=first).text == found


# ---------------------------------------------------------------- the loop


@pytest.fixture
def client_of(tmp_path: Path):
    def make(url: str = "", purpose: str = "verified") -> Client:
        endpoint = Endpoint(url, MODEL, "sk-secret", timeout=10.0, retries=0) if url else None
        recordings = Recordings.of(MODEL, purpose, tmp_path)
        mode = "record" if url else "replay"
        return Client(recordings, endpoint, mode, date=lambda: "2026-01-31")

    return make


@pytest.mark.parametrize(
    ("script", "way", "rounds"),
    [
        ([f"text:Comment: {TRUE}"], "as written", 0),
        ([f"text:Comment: {FALSE}", f"text:Comment: {TRUE}"], "rewritten", 1),
        ([f"text:Comment: {FALSE}", f"text:{ALL_FALSE}", f"text:{TRUE}"], "rewritten", 2),
        ([f"text:Comment: {ALL_FALSE}", f"text:Comment: {ALL_FALSE}"], "template", 1),
        (["cut_off:Thoughts: on and on", f"text:Comment: {TRUE}"], "rewritten", 1),
        (["cut_off:Thoughts: on and on", "cut_off:Comment: on"], "template", 1),
        (["refused:I would rather not", "empty"], "template", 1),
        (["empty", f"text:Comment: {FALSE}", f"text:Comment: {TRUE}"], "rewritten", 2),
    ],
)
def test_the_loop_asks_until_all_is_true_or_mends(grabbed_pawn, client_of, script, way, rounds):
    with scripted_llm(*script) as llm:
        told = write_verified(grabbed_pawn, client_of(llm.url))
    assert (told.way, told.rounds) == (way, rounds)
    assert len(llm.asked) == rounds + 1 <= ROUNDS + 1
    assert told.comment.method == "ccc_verified"
    assert not false_of(told.checked)


def test_what_was_recorded_is_replayed_and_the_first_answer_stays_where_it_is(
    grabbed_pawn, client_of
) -> None:
    with scripted_llm(f"text:Comment: {FALSE}", f"text:Comment: {TRUE}") as llm:
        first = client_of(llm.url, "commentary")
        told = write_verified(grabbed_pawn, client_of(llm.url), first=first)
    replayed = write_verified(grabbed_pawn, client_of(), first=client_of("", "commentary"))
    assert replayed == told
    assert len(client_of("", "commentary").recordings) == len(client_of().recordings) == 1


def test_pending_is_the_next_question_without_an_answer(grabbed_pawn, client_of) -> None:
    first = ask_first(grabbed_pawn)
    assert pending(grabbed_pawn, client_of()) == first
    with (
        scripted_llm(f"text:Comment: {FALSE}", "500") as llm,
        pytest.raises(Unanswered, match="no answer"),
    ):
        write_verified(grabbed_pawn, client_of(llm.url))
    following = pending(grabbed_pawn, client_of())
    assert following is not None
    assert following.prompt == "comment_again@1"
    with scripted_llm(f"text:Comment: {TRUE}") as llm:
        write_verified(grabbed_pawn, client_of(llm.url))
    assert pending(grabbed_pawn, client_of()) is None


def test_a_missing_answer_stops_the_walk_and_names_the_remedy(briefings, client_of) -> None:
    with pytest.raises(AnswerMissing, match="no recorded answer"):
        write_verified(next(iter(briefings.values())), client_of())


# ---------------------------------------------------------------- real answers


@pytest.fixture(scope="module")
def answers(briefings):
    """Every recorded comment on an evaluated move."""
    recordings = replay("commentary").recordings
    found = [
        (one, read_comment(answer, name))
        for one in briefings.values()
        for name in METHODS
        if (answer := recordings.get(request_comment(one, name))) is not None
    ]
    if not found:
        pytest.skip("no recorded comment: make record PURPOSE=commentary")
    return found


def test_whatever_a_model_wrote_nothing_false_is_published(answers) -> None:
    for briefing, comment in answers[::3]:
        check, usable = checker(briefing), comment.state == "answered"
        attempt = Attempt(comment.text, check(comment.text) if usable else (), comment.state)
        verified = settle([attempt], briefing, method="ccc_verified")
        assert not false_of(check(verified.comment.text)), (briefing.name, verified.comment.text)
        assert verified.checked == check(verified.comment.text)
        if usable and not attempt.false:
            assert verified.comment.text == comment.text


# ---------------------------------------------------------------- claims listed by a model

TEXT = "The rook on e1 takes on e5, and the rook on e1 gives check."


@pytest.mark.parametrize(
    ("line", "words", "reading"),
    [
        ("piece | The rook on e1", "The rook on e1", "claim"),
        ('- Capture | "takes on e5"', "takes on e5", "claim"),
        ("check|gives check", "gives check", "claim"),
        ("piece | the queen on e1", "", "not in the comment"),
        ("opinion | The rook on e1", "", "unread"),
        ("The rook on e1 takes on e5", "", "unread"),
        ("piece |", "", "unread"),
        ('piece | ""', "", "not in the comment"),
    ],
)
def test_a_line_counts_if_kind_and_words_are_known(line, words, reading) -> None:
    (listed,) = read_claims(Answer(State.ANSWERED, line), TEXT)
    assert listed.reading == reading
    assert TEXT[slice(*listed.span)] == words


def test_words_that_stand_twice_are_taken_one_after_the_other() -> None:
    answer = Answer(State.ANSWERED, "piece | rook on e1\npiece | rook on e1\npiece | rook on e1")
    listed = read_claims(answer, TEXT)
    assert [each.span[0] for each in listed] == [4, 36, 0]
    assert listed[2].reading == "not in the comment"


@pytest.mark.parametrize(
    ("state", "text", "count"),
    [
        (State.ANSWERED, "none", 0),
        (State.ANSWERED, "\n check | gives check \n\n", 1),
        (State.CUT_OFF, "check | gives check\npiece | The rook", 1),
        (State.CUT_OFF, "check | gives check", 0),
        (State.REFUSED, "check | gives check", 0),
    ],
)
def test_an_answer_is_read_as_far_as_it_is_whole(state: State, text: str, count: int) -> None:
    assert len(read_claims(Answer(state, text), TEXT)) == count


def test_the_comment_is_fenced_and_the_test_half_never_asked_about() -> None:
    requests = extraction_requests()
    assert len(requests) == COMMENTS
    assert all(str(one.about["of"]).startswith("dev-") for one in requests)
    assert all("<<<\n" in one.messages[-1].content for one in requests)
    assert len({one.messages[-1].content for one in requests}) == len(requests)
