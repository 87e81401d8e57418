"""A model's comment on a move: read, checked, sent back once, and cut where it stays false."""

from collections.abc import Sequence

import chess
import pytest

from chessgloss.claims.language import Claim, Reading
from chessgloss.claims.read_model import sentence_spans
from chessgloss.commentary import arms
from chessgloss.commentary.briefing import Briefing
from chessgloss.commentary.explain import NOT_CHECKED, Outcome, explain
from chessgloss.commentary.methods import ModelWriter
from chessgloss.llm.client import Unanswered
from chessgloss.llm.recordings import Answer, Model, Request, State
from fakes import analyses

#: What each sentence says, as a reader would write it; nobody can read any other.
SAYS = {
    "White takes the pawn on d5.": "played move={piece:N,captures:P}",
    "White takes the queen.": "played move={captures:Q}",
    "Black is in check.": "check side=black when=after",
    "Well.": "",
}


def read(text: str, side: chess.Color, move: str) -> Reading:
    claims, unread = [], []
    for start, stop in sentence_spans(text):
        said = SAYS.get(text[start:stop])
        if said is None:
            unread.append((start, stop))
        elif said:
            claims.append(Claim.parse(said).at(start, stop))
    return Reading(tuple(claims), tuple(unread))


class Writer:
    """Gives comments in their order, and keeps what it was asked."""

    def __init__(self, *comments: str) -> None:
        self.comments = list(comments)
        self.asked: list[Request] = []

    def __call__(self, request: Request) -> Answer:
        self.asked.append(request)
        text = f"Comment: {self.comments.pop(0)}"
        return Answer(State.ANSWERED, text, prompt_tokens=100, completion_tokens=10)


@pytest.fixture
def briefing() -> Briefing:
    return analyses.grabbed_pawn((), ())


def explained(briefing: Briefing, *comments: str) -> tuple[Outcome, Writer]:
    writer = Writer(*comments)
    request = arms.ask_arm(briefing, "explain")
    return explain(briefing, request, writer, read), writer


@pytest.mark.parametrize(
    ("comments", "shown", "again", "cut", "unread"),
    [
        (["White takes the pawn on d5. Well."], None, False, 0, 0),
        (["White takes the queen.", "White takes the pawn on d5."], None, True, 0, 0),
        (
            [
                "White takes the queen.",
                "White takes the pawn on d5. Black is in check.",
            ],
            "White takes the pawn on d5.",
            True,
            1,
            0,
        ),
        (["Black is in check.", "Black is in check."], "", True, 1, 0),
        (
            ["White takes the pawn on d5. A bold idea."],
            f"White takes the pawn on d5. A bold idea. {NOT_CHECKED}",
            False,
            0,
            1,
        ),
    ],
)
def test_what_is_false_goes_back_once_and_what_stays_false_is_cut(
    briefing, comments: Sequence[str], shown, again, cut, unread
):
    outcome, writer = explained(briefing, *comments)
    assert outcome.comment.text == (comments[-1] if shown is None else shown)
    assert (outcome.again, outcome.cut, outcome.unread) == (again, cut, unread)
    assert len(writer.asked) == len(comments)


def test_the_writer_is_told_which_words_are_false_and_what_decides_it(briefing):
    _, writer = explained(briefing, "White takes the queen.", "Well.")
    first, second = (each.messages for each in writer.asked)
    assert second[: len(first)] == first
    assert '- "White takes the queen.": ' in second[-1].content


class FakeClient:
    """Asks a writer for comments, and a reader for everything else."""

    model = Model("scripted-1")

    def __init__(self, writer: Writer) -> None:
        self.writer = writer

    def ask(self, request: Request) -> Answer:
        if request.prompt.startswith("factorial"):
            return self.writer(request)
        lines = request.messages[-1].content.splitlines()
        said = (SAYS.get(line.partition(" | ")[2], "") or "-" for line in lines)
        text = "\n".join(f"{k}. {each}" for k, each in enumerate(said, 1))
        return Answer(State.ANSWERED, text, prompt_tokens=1000, completion_tokens=5)


def test_what_comments_cost_and_how_many_claims_were_checked_is_added_up(briefing):
    client = FakeClient(
        Writer("White takes the queen.", "White takes the pawn on d5.", "Well.")
    )
    write = ModelWriter(client, "explain", print)
    assert write(briefing).text == "White takes the pawn on d5."
    assert write(briefing).text == "Well."
    spent = write.spent
    assert (spent.comments, spent.questions, spent.sent_back) == (2, 6, 1)
    assert (spent.tokens_in, spent.tokens_out) == (3 * 100 + 3 * 1000, 3 * 10 + 3 * 5)
    assert "1 claim checked, 1 decided; 1 comment sent back" in str(spent)


def test_the_facts_speak_where_nothing_true_is_left_or_nobody_answers(briefing):
    told: list[str] = []
    client = FakeClient(Writer("Black is in check.", "Black is in check."))
    comment = ModelWriter(client, "explain", told.append)(briefing)
    assert comment.method == "notes"
    assert "false in all its sentences; the facts speak instead" in told[0]

    def ask(request: Request) -> Answer:
        raise Unanswered("nothing came")

    client.ask = ask
    assert ModelWriter(client, "explain", told.append)(briefing).method == "notes"
    assert told[1] == "nothing came; the facts speak instead"
