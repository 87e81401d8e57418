"""Proven commentary: what bears a clause out, what is asked again, cut and put in its place."""

from dataclasses import replace

import pytest

from chessgloss.claims import verify
from chessgloss.commentary import proven as proving
from chessgloss.commentary.asking import read_briefings
from chessgloss.commentary.briefing import Briefing
from chessgloss.commentary.clauses import cut, join, without
from chessgloss.commentary.evidence import Clause, prover, show_move, stems
from chessgloss.commentary.methods import kept_texts
from chessgloss.commentary.notes import given_notes, write_notes
from chessgloss.commentary.proven import write_proven
from chessgloss.llm.client import (
    AnswerMissing,
    Client,
    Endpoint,
    Unanswered,
    replay,
)
from chessgloss.llm.recordings import Answer, Model, Recordings, State
from chessgloss.notes import Note
from chessgloss.positions import MoveInContext, Position
from chessgloss.store import find_project
from fakes import analyses
from fakes.scripted_llm import scripted_llm
from scripts import refuses

MODEL = Model("scripted-1")


@pytest.fixture(scope="module")
def drawn() -> dict[str, Briefing]:
    return read_briefings(
        find_project() / "data" / "notes" / "second" / "briefings.json"
    )


@pytest.fixture(scope="module")
def grabbed_pawn() -> Briefing:
    return analyses.grabbed_pawn()


@pytest.fixture(scope="module")
def published(briefings) -> dict[str, proving.Proven]:
    """The proven comment on every evaluated move."""
    client = replay("notes")
    return {name: write_proven(each, client) for name, each in briefings.items()}


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
            "A strong double purpose|the queen attacks d6|adds its weight to the bishop's "
            "pressure on f4|Black cannot guard both|White stays clearly ahead",
        ),
        (
            "The rooks on g8 and b6 attack b3, threatening mate.",
            "The rooks on g8 and b6 attack b3|threatening mate",
        ),
        ("After 12. Nf3 Nc6 the centre holds.", "After 12. Nf3 Nc6 the centre holds"),
        (
            "White keeps the knight and the bishop.",
            "White keeps the knight and the bishop",
        ),
        (
            "It not only attacks e5 but also guards d4.",
            "It not only attacks e5 but also guards d4",
        ),
        (
            "It takes the pawn, which is a blunder. Fine!",
            "It takes the pawn|is a blunder|Fine",
        ),
    ],
)
def test_comments_are_cut_where_a_clause_begins(text: str, parts: str) -> None:
    assert "|".join(part.text for part in cut(text)) == parts


def test_the_networks_texts_are_kept_and_survive_cutting(briefings) -> None:
    texts = kept_texts("gac")
    assert set(texts) >= set(briefings)
    for text in texts.values():
        folded = " ".join(text.split())
        parts = cut(folded)
        joined, _ = join(parts, set(range(len(parts))))
        assert joined.rstrip(".!?… ") == folded.rstrip(".!?…\"' "), folded


@pytest.mark.parametrize(
    ("text", "gone", "left"),
    [
        (DOUBLE, {4}, DOUBLE.replace(", and White stays clearly ahead", "")),
        (
            DOUBLE,
            {2},
            "The queen attacks d6. White stays clearly ahead.",
        ),  # one of two, their "both"
        (
            DOUBLE,
            {1},
            "White stays clearly ahead.",
        ),  # what has no subject goes with its subject
        (DOUBLE, {0, 1, 2, 3, 4}, ""),
        (
            "A blunder; the bishop attacks e4, and the rook attacks f4.",
            {1},
            "A blunder; the rook attacks f4.",
        ),
        ("A mistake: the bishop attacks e4.", {1}, "A mistake."),
    ],
)
def test_what_cannot_stand_alone_goes_too(text: str, gone: set[int], left: str) -> None:
    parts = cut(text)
    assert join(parts, without(parts, set(range(len(parts))), gone))[0] == left


# ---------------------------------------------------------------- what bears a clause out

#: Notes on ``grabbed_pawn``, as a writer might be given them.
NOTES = (
    "This loses a knight for a pawn: 6...Nxd5 7. Bxd8 Bb4+.",
    "With Nxd5 White attacks the knight on f6 and the pawn on c7.",
    "Better was 6. e3, which opens the way for the bishop on f1.",
    "It is not the only move that loses: 6. Bxf6 drops a pawn.",
    "If Black plays 6...Be7, then 7. Nxf6+ takes the knight on f6.",
)


@pytest.fixture
def given() -> list[Note]:
    first, *others = (Note("made", False, text, 50) for text in NOTES)
    return [first, replace(others[0], subject="With Nxd5 White"), *others[1:]]


@pytest.mark.parametrize(
    ("text", "proofs"),
    [
        (NOTES[0], "note note"),
        ("The knight takes the pawn on d5.", "note"),  # as the notation shows it
        ("White's knight takes the pawn on d5.", "note"),
        ("Better was 6. e3, opening the way for the bishop on f1.", "note"),
        ("The knight attacks the knight on f6 and the pawn on c7.", "note"),
        ("If Black plays 6...Be7, 7. Nxf6+ takes the knight on f6.", "note"),
        ("Black's knight on f6 attacks the knight on d5.", "board"),  # no note says it
        # what a note has, and says otherwise
        ("White wins a knight for a pawn.", "none"),
        ("Black plays 6...Be7.", "none"),  # the condition is passed over
        ("It is the only move that loses.", "none"),  # the denial is passed over
        (
            "White opens the way for the bishop on f1.",
            "none",
        ),  # by 6. e3, not by the move
        ("6. e3 drops a pawn.", "none"),  # from two notes
        ("The knight attacks the pawn on f6.", "none"),  # a false claim
        ("This takes the knight on f6.", "none"),  # the line does, not the move
        ("The knight on f6 is attacked by the pawn on c7.", "none"),
        # what no note has
        ("A strong move.", "none"),
        ("White prepares to castle.", "none"),
    ],
)
def test_one_note_in_its_order_or_the_board_proves_a_clause(
    grabbed_pawn, given, text, proofs
):
    clauses = prover(grabbed_pawn, given)(text)
    assert [each.proof for each in clauses] == proofs.split(), clauses
    assert all(bool(each.note) == (each.proof == "note") for each in clauses)


@pytest.mark.parametrize(
    ("words", "stemmed"),
    [
        ("takes taking take", "tak tak tak"),
        ("White's White", "whit whit"),
        ("Bxd8+ Bxd8", "Bxd8 Bxd8"),
        ("attacked hits", "attacked attack"),  # who attacks whom
        ("wins d4", "win d4"),
        (
            "6... Nxd5 6...Nxd5 6. Nxd5",
            "6... Nxd5 6... Nxd5 6. Nxd5",
        ),  # numbers keep their side
    ],
)
def test_words_are_compared_by_their_stems(words: str, stemmed: str) -> None:
    assert stems(words) == stemmed.split()


@pytest.mark.parametrize(
    ("fen", "move", "shown"),
    [
        (
            "4k3/8/8/3p4/4P3/8/8/4K3 w - - 0 1",
            "e4d5",
            "the pawn on e4 takes the pawn on d5",
        ),
        (
            "4k3/8/8/8/8/8/8/4K2R w K - 0 1",
            "e1g1",
            "the king on e1 castles and goes to g1",
        ),
        (
            "4k3/P7/8/8/8/8/8/4K3 w - - 0 1",
            "a7a8n",
            "the pawn on a7 goes to a8 and becomes a knight",
        ),
        (
            "4k3/8/8/3pP3/8/8/8/4K3 w - d6 0 1",
            "e5d6",
            "the pawn on e5 takes the pawn on d6",
        ),
    ],
)
def test_a_move_is_shown_in_words(fen: str, move: str, shown: str) -> None:
    made = MoveInContext(Position(fen), move)
    nothing = analyses.analysis(Position(fen))
    assert show_move(Briefing("x", made, nothing, nothing)) == shown


# ---------------------------------------------------------------- what is published


ALL = "The knight takes the pawn on d5. This loses a knight for a pawn: 6...Nxd5 7. Bxd8 Bb4+."
BETTER = "Better was 6. e3, which opens the way for the bishop on f1."


@pytest.mark.parametrize(
    ("texts", "way", "text"),
    [
        ((ALL,), "as written", ALL),
        (("A strong move.", ALL), "rewritten", ALL),
        ((f"{ALL} A strong move.",), "cut", ALL),
        ((f"{ALL} {BETTER[:-1]} and the queen.",), "cut", f"{ALL} {BETTER}"),
        (("A strong move.",), "notes", None),
        (("",), "notes", None),
        (("Nxd5. A strong move.",), "notes", None),  # too few words are left
    ],
)
def test_only_what_is_proven_is_published(
    grabbed_pawn, given, texts, way, text
) -> None:
    answers = [
        Answer(State.ANSWERED if each else State.CUT_OFF, each) for each in texts
    ]
    attempts = [
        proving.read_attempt(each, prover(grabbed_pawn, given)) for each in answers
    ]
    proven = proving.publish(attempts, grabbed_pawn, given)
    assert (proven.way, proven.comment.text) == (
        way,
        text or write_notes(grabbed_pawn).text,
    )
    assert proven.comment.method == ("notes" if way == "notes" else "ccc_proven")
    assert (proven.model_words == 0) == (way == "notes")
    assert all(each in proven.comment.text for each in proven.comment.borrowed)


def test_what_decides_is_said_even_if_the_model_left_it_out(
    grabbed_pawn, given
) -> None:
    deciding = [Note("made", False, NOTES[0], 90, decides=True), *given[1:]]
    attempt = proving.read_attempt(
        Answer("answered", BETTER), prover(grabbed_pawn, deciding)
    )
    proven = proving.publish([attempt], grabbed_pawn, deciding)
    assert (proven.comment.text, proven.borrowed) == (
        f"{NOTES[0]} {BETTER}",
        (NOTES[0],),
    )


LATER = "Black threatens to win a bishop with 13...bxc4{} the knight on c3 out of a4."
#: What the move itself does, where the threat is a later one.
KEEPS = "This keeps the knight on c3 out of a4 and asks the bishop on c4 to move."


@pytest.mark.parametrize(
    ("name", "text", "proofs"),
    [
        (
            "second/15",
            "If White plays 7. Bd2, then 7...Qxe5 hits the knight on e4, giving check.",
            "note none",
        ),
        ("second/16", LATER.format(", which keeps"), "note none"),
        ("second/16", LATER.format(" and keeps"), "note note"),
        ("second/22", "The bishop goes to d3.", "none"),
    ],
)
def test_what_a_later_move_does_is_not_proven_by_this_one(
    drawn, name, text, proofs
) -> None:
    keeps = Note("made", False, KEEPS, 33, subject="This")
    clauses = prover(drawn[name], [*given_notes(drawn[name]), keeps])(text)
    assert [each.proof for each in clauses] == proofs.split()


def test_a_mate_of_which_half_was_cut_is_said_by_the_note(drawn) -> None:
    given = given_notes(drawn["second/32"])
    text = "White checks, and Black's king has no way out."
    attempt = proving.read_attempt(
        Answer(State.ANSWERED, text), prover(drawn["second/32"], given)
    )
    assert proving.publish(
        [attempt], drawn["second/32"], given
    ).comment.text.startswith("Checkmate")


def test_a_clause_said_twice_is_cut_only_where_it_is_not_proven(
    grabbed_pawn, given
) -> None:
    said = "the knight takes the pawn"
    text = f"White plays on, and {said}. A strong move: {said}."
    parts = cut(text)
    proofs = ["note", "note", "none", "none"]
    clauses = [
        Clause(part.text, proof)  # type: ignore[arg-type]
        for part, proof in zip(parts, proofs, strict=True)
    ]
    attempt = proving.Attempt(text, tuple(clauses))
    prove = {f"White plays on, and {said}.": tuple(clauses[:2])}
    draft, dropped = proving.cut_unproven(attempt, lambda left: prove[left])
    assert draft.text == f"White plays on, and {said}."
    assert dropped == tuple(clauses[2:])


# ---------------------------------------------------------------- the conversation


@pytest.fixture
def client_of(tmp_path):
    def make(url: str = "") -> Client:
        endpoint = (
            Endpoint(url, MODEL, "sk-secret", timeout=10.0, retries=0) if url else None
        )
        return Client(Recordings.of(MODEL, "notes", tmp_path), endpoint)

    return make


TAKEN = "The knight takes the pawn on d5."


@pytest.mark.parametrize(
    ("script", "ways", "asked"),
    [
        ([f"text:{TAKEN}"], {"as written", "cut"}, 1),
        ([f"text:{TAKEN} A fine move.", f"text:{TAKEN}"], {"rewritten", "cut"}, 2),
        (["text:A fine move.", "text:A fine move."], {"notes"}, 2),
        (["cut_off:The knight takes", f"text:{TAKEN}"], {"rewritten", "cut"}, 2),
        (["refused:I would rather not", "empty"], {"notes"}, 2),
    ],
)
def test_a_model_is_asked_again_once(
    grabbed_pawn, client_of, script, ways, asked
) -> None:
    with scripted_llm(*script) as llm:
        proven = write_proven(grabbed_pawn, client_of(llm.url))
    assert proven.way in ways and len(llm.asked) == asked
    assert write_proven(grabbed_pawn, client_of()) == proven  # replayed
    assert proving.pending(grabbed_pawn, client_of()) is None


def test_pending_is_the_next_question_without_an_answer(
    grabbed_pawn, client_of
) -> None:
    assert proving.pending(grabbed_pawn, client_of()) == proving.ask_first(grabbed_pawn)
    refuses(
        AnswerMissing, "no recorded answer", write_proven, grabbed_pawn, client_of()
    )
    with scripted_llm("text:A fine move.", "500") as llm, pytest.raises(Unanswered):
        write_proven(grabbed_pawn, client_of(llm.url))
    following = proving.pending(grabbed_pawn, client_of())
    assert following is not None and following.prompt == "comment_notes_again@1"
    assert '- "A fine move"' in following.messages[-1].content


def test_after_an_empty_answer_no_empty_turn_is_sent(grabbed_pawn) -> None:
    first = proving.ask_first(grabbed_pawn)
    empty = Answer(State.EMPTY, " ")
    again = proving.ask_again(
        first, empty, proving.read_attempt(empty, prover(grabbed_pawn, []))
    )
    assert [each.role for each in again.messages[len(first.messages) :]] == ["user"]


# ---------------------------------------------------------------- real answers


def test_proven_comments_hold_no_false_claim_and_contradict_no_verdict(
    briefings, published
):
    for each in list(briefings.values())[::3]:
        proven = published[each.name]
        if proven.fallback:
            continue
        text, own = proven.comment.text, proven.comment.borrowed
        # a note may say more than the reader finds on the board: "mate, for instance …"
        for checked in verify(text, each.move, each.verdict):
            said = any(checked.claim.text in sentence for sentence in own)
            assert said or checked.verdict != "false", (each.name, text)
        assert len(text.split()) >= proving.LEAST_WORDS
        for sentence in proven.borrowed:
            text = text.replace(sentence, "", 1)
        clauses = prover(each, given_notes(each))(" ".join(text.split()))
        assert all(clause.proof != "none" for clause in clauses), (each.name, text)
