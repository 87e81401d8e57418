"""Record a language model's answers to all questions of the book, beside those of others.

    python data/recordings/record.py all --model gpt-4o --dry-run --price 2.50 10
    python data/recordings/record.py factorial --model gpt-4o
    python data/recordings/record.py strong_judge --model claude --judge gpt-4o
    python data/recordings/record.py factorial --model claude --write DIR --size 25
    python data/recordings/record.py factorial --model claude --read DIR

A model that this machine can serve is served while its answers are recorded; any other is
asked at ``OPENAI_BASE_URL`` with ``OPENAI_API_KEY``. Answers that are there already are not
asked for again, so that a run that was stopped goes on. Judges are asked about the comments of
``--model``; with ``--judge`` another model judges them.

With ``--write`` what lacks an answer is written to files of questions instead, for a model that is
asked in batches, and ``--read`` keeps the answers that were put beside them
(:mod:`chessgloss.llm.batches`).

The last line says what became of the questions; the status is 1 where some have no answer.
"""

from __future__ import annotations

import argparse
import json
import random
import sys
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from functools import partial
from pathlib import Path
from types import MappingProxyType

import pandas as pd

from chessgloss.assets import AssetMissing, locate
from chessgloss.claims.gold import GoldText
from chessgloss.commentary import readings, voice
from chessgloss.commentary.annotated import KEPT
from chessgloss.commentary.arms import (
    PURPOSE,
    ask_arm,
    known_from_start,
    questions,
    read_published,
)
from chessgloss.commentary.asking import briefings_file, read_briefings
from chessgloss.commentary.moves import (
    released_comments,
)
from chessgloss.experts import Expert, load_expert
from chessgloss.judges import blind, strong
from chessgloss.llm.batches import (
    SIZES,
    BatchDamaged,
    Form,
    Reading,
    draw_blocks,
    keep_answers,
    shuffled,
    split,
    waiting,
    write_batch,
)
from chessgloss.llm.client import (
    DEFAULT_MODEL,
    LOCAL_ASSETS,
    AnswerMissing,
    Client,
    Endpoint,
    Misconfigured,
    Unanswered,
    endpoint_from_environment,
    model_named,
    replay,
)
from chessgloss.llm.dialect import Dialect
from chessgloss.llm.recordings import Answer, Recordings, Request, State
from chessgloss.positions import Position
from chessgloss.skill.levels import read_level_games
from chessgloss.skill.mates import (
    RECORDED,
    lichess_problems,
    mate_questions,
    read_problems,
)
from chessgloss.skill.players import Asked, concepts_in_words, play_requests
from chessgloss.skill.suite import (
    MODEL_PLAYS,
    ask,
    data_folder,
    positions_of,
    read_suite,
    reason_asked,
)

#: Characters a token has in plain English text; moves and FENs have fewer.
CHARACTERS_PER_TOKEN = 4

#: Games of each level in whose positions the model is asked: 150 positions.
MODEL_GAMES = 15

#: Puzzles of Lichess's file that are asked, the first of its mates in one: the paper's number.
LICHESS_PUZZLES = 1_000

#: Questions of one purpose to a model, batch by batch, by the name of the model whose comments
#: are judged. A batch may follow from the answers to those before.
Batches = Callable[[Client, str], Iterator[list[Request]]]


def pgn_requests() -> list[Request]:
    """Return what CCC is asked with the game's moves in place of the position."""
    published = read_published()
    return [
        ask_arm(each, "ccc", published[name], notation="pgn")
        for name, each in read_briefings(briefings_file()).items()
        if known_from_start(each.move.position)
    ]


def _factorial(client: Client, commentator: str) -> Iterator[list[Request]]:
    """Yield the questions of the experiment, move by move, then those with the game's moves."""
    yield questions()
    yield pgn_requests()


def _readings(client: Client, commentator: str) -> Iterator[list[Request]]:
    """Yield the questions that ask for the claims of texts, then those about lines that failed."""
    for name, texts in readings.gold_sets().items():
        yield from _read_all_of(client, name, texts)


def _voice(client: Client, commentator: str) -> Iterator[list[Request]]:
    """Yield the questions of all arms, then the comments of which something is sent back."""
    yield voice.questions()
    if voice.is_made("sent_back.json", client.model):
        yield voice.sent_back(client)


def _voice_readings(client: Client, commentator: str) -> Iterator[list[Request]]:
    """Yield the questions on comments: those to be checked once, then all, twice in other orders.

    The comments of the model of the first experiment are those that both experiments have.
    """
    if commentator == DEFAULT_MODEL:
        shared = replay(PURPOSE, commentator)
        for reading in (1, 2):
            texts = voice.texts_shared(shared, reading)
            yield from _read_all_of(client, f"shared_{reading}", texts)
        return
    answers = replay(voice.PURPOSE, commentator)
    yield from _read_all_of(client, "loop", voice.texts_in_loop(answers))
    if voice.is_made("plants.jsonl", answers.model):
        for reading in (1, 2):
            texts = voice.texts_read(answers, reading)
            yield from _read_all_of(client, f"all_{reading}", texts)


def _kept(name: str, client: Client, commentator: str) -> Iterator[list[Request]]:
    """Yield the questions of the arms on kept moves, then the comments sent back."""
    yield KEPT[name].questions()
    if KEPT[name].is_checked():
        yield KEPT[name].sent_back(client)


def _kept_readings(
    name: str, client: Client, commentator: str
) -> Iterator[list[Request]]:
    """Yield the questions on the comments of the arms, then on those that were written again."""
    answers = replay(name, commentator)
    yield from _read_all_of(client, "first", KEPT[name].texts_first(answers))
    if KEPT[name].is_checked():
        yield from _read_all_of(client, "again", KEPT[name].texts_again(answers))


def _voice_blind(client: Client, commentator: str) -> Iterator[list[Request]]:
    """Yield the questions of two blind readings on the comments of all arms, notes, and people.

    People's comments are there where their source is; broken ones among the others.
    """
    people = dict[str, str]()
    with suppress(AssetMissing):
        people = released_comments(locate("ccc", fetch=False))
    written = blind.voice_texts(replay(voice.PURPOSE, commentator), people)
    yield [*blind.questions(written, blind.voice_seen())]


def _strong_judge(client: Client, commentator: str) -> Iterator[list[Request]]:
    """Yield what a judge is asked of the comments of the second experiment."""
    yield strong.questions(replay(voice.PURPOSE, commentator))


def _gcc_eval(client: Client, commentator: str) -> Iterator[list[Request]]:
    """Yield the same questions on single comments for a judge that gives log-probabilities."""
    yield strong.token_questions(replay(voice.PURPOSE, commentator))


def _read_all_of(
    client: Client, name: str, texts: Iterable[GoldText]
) -> Iterator[list[Request]]:
    asked = [*readings.blocks(name, texts)]
    yield readings.first_questions(asked)
    yield readings.further_questions(asked, client.recordings)


def model_requests(expert: Expert) -> list[Request]:
    """Return every question of the static positions to a language model, prompt by prompt.

    Parameters
    ----------
    expert
        Whose concepts are described where they are (the network ``nnue``).
    """
    asked = _asked_of_models()
    concepts = concepts_in_words(asked, expert)
    requests = [
        each for play in MODEL_PLAYS for each in play_requests(asked, play, concepts)
    ]
    return requests + play_requests(reason_asked(asked), "fen_reason")


def mate_in_one_requests(count: int | None = RECORDED) -> list[Request]:
    """Return every question of the chapter on mate in one; on the first ``count`` problems."""
    return list(mate_questions(read_problems(count=count))["request"])


def lichess_mate_requests() -> list[Request]:
    """Return the questions on the puzzles that the CCC paper's Table 7 is about, by its rule."""
    path = locate("lichess_puzzles", fetch=False)
    return list(mate_questions(lichess_problems(path, LICHESS_PUZZLES))["request"])


def static_requests() -> list[Request]:
    """Return every question of the static positions."""
    return model_requests(load_expert("nnue"))


def fen_requests() -> list[Request]:
    """Return the questions for a move by the FEN alone: positions that others were asked, and ours.

    The first are those of ``data/static/recorded``, the others those of :func:`model_requests`.
    """
    places = pd.read_csv(data_folder() / "recorded/positions.tsv", sep="\t")
    shown = [
        Asked(name, Position(fen))
        for name, fen in zip(places["position"], places["fen"], strict=True)
    ]
    return play_requests([*shown, *_asked_of_models()], "fen")


def _asked_of_models() -> list[Asked]:
    suite = read_suite(data_folder() / "suite.json")
    suite = suite[suite["number"] < MODEL_GAMES]
    games = read_level_games(data_folder() / "games.tsv.zst")
    return ask(suite, positions_of(suite, games))


def _all_of(make: Callable[[], list[Request]]) -> Batches:
    """Return the batches of a purpose whose questions are all known beforehand."""

    def batches(client: Client, commentator: str) -> Iterator[list[Request]]:
        yield make()

    return batches


#: What can be recorded, by purpose: the name of the file of answers. In this order: judges ask
#: about comments that were recorded before. A new purpose whose questions are known beforehand is
#: one line here and a function that returns them: ``"static": _all_of(static_requests)``.
PURPOSES: Mapping[str, Batches] = MappingProxyType(
    {
        "mate_in_one": _all_of(mate_in_one_requests),
        "static": _all_of(static_requests),
        "static_fen": _all_of(fen_requests),
        "readings": _readings,
        "factorial": _factorial,
        "voice": _voice,
        "voice_readings": _voice_readings,
        "voice_blind": _voice_blind,
        **{name: partial(_kept, name) for name in KEPT},
        **{f"{name}_readings": partial(_kept_readings, name) for name in KEPT},
        "strong_judge": _strong_judge,
        "gcc_eval": _gcc_eval,
        "mate_in_one_all": _all_of(partial(mate_in_one_requests, None)),
        "mate_in_one_lichess": _all_of(lichess_mate_requests),
    }
)

#: Purposes whose questions a judge is asked.
JUDGED = (
    "voice_readings",
    *(f"{name}_readings" for name in KEPT),
    "voice_blind",
    "strong_judge",
    "gcc_eval",
)

#: Purposes of which more questions follow from the answers to the first.
FOLLOWING = (
    "readings",
    "voice",
    "voice_readings",
    *KEPT,
    *(f"{name}_readings" for name in KEPT),
)

#: Slots of a server on this machine: each keeps one beginning of the purpose's questions read.
#: Eight serve the eleven arms: those that differ in the move's concepts alone share one.
SLOTS = {"factorial": 8}

#: Tokens that such a server holds for each slot: the longest question and its answer. What a reader
#: of claims is told takes some 6,000.
CONTEXT = {
    "factorial": 2048,
    "readings": 10_240,
    "voice_readings": 10_240,
    **{f"{name}_readings": 10_240 for name in KEPT},
}

#: Whose comments are counted where a judge has none of the model yet.
WRITER = "claude"

#: What ``all`` records: what the chapters show, each once.
SHOWN = tuple(
    purpose
    for purpose in PURPOSES
    if purpose != "gcc_eval" and not purpose.startswith("mate_in_one_")
)


@dataclass(frozen=True, slots=True)
class Estimate:
    """What questions would take.

    Tokens of the messages are guessed from their length (:data:`CHARACTERS_PER_TOKEN`).

    Parameters
    ----------
    calls
        Questions.
    prompt_tokens, completion_tokens
        Tokens of their messages, and of the longest answers.
    followed
        Whether more questions follow from the answers, which are not counted.
    borrowed
        The model by whose comments the questions to a judge were counted, where those of the
        model itself are not there yet.
    """

    calls: int
    prompt_tokens: int
    completion_tokens: int
    followed: bool = False
    borrowed: str = ""

    def __str__(self) -> str:
        text = (
            f"{self.calls:,} calls, about {self.prompt_tokens:,} tokens in, "
            f"at most {self.completion_tokens:,} out"
        )
        if self.followed:
            text += "; more questions follow from the answers"
        if self.borrowed:
            text += f"; counted by the comments of {self.borrowed}"
        return text

    def cost(self, per_million_in: float, per_million_out: float) -> float:
        """Return the price of all, in the unit of the prices of a million tokens."""
        spent = (
            self.prompt_tokens * per_million_in
            + self.completion_tokens * per_million_out
        )
        return spent / 1e6


def estimate(
    requests: Sequence[Request], thoughts: int = 0, *, followed: bool = False
) -> Estimate:
    """Return what asking all these questions would take, with so many thoughts each."""
    texts = (message.content for request in requests for message in request.messages)
    prompt = sum(-(-len(text) // CHARACTERS_PER_TOKEN) for text in texts)
    answers = sum(request.sampling.max_tokens + thoughts for request in requests)
    return Estimate(len(requests), prompt, answers, followed)


def missing(purpose: str, model: str, judge: str = "") -> Estimate:
    """Return what the questions that lack an answer would take.

    Questions that follow from answers which are not there yet are not counted, and that is
    said. Where a judge has no comments of the model yet, those of :data:`WRITER` are
    counted in their place.
    """
    client = replay(purpose, _asked(purpose, model, judge))
    questions, wanted = known_questions(purpose, client, model)
    lacking = client.missing(questions)
    if wanted and not lacking and purpose in JUDGED and model != WRITER:
        borrowed = missing(purpose, WRITER, client.model.name)
        return replace(borrowed, borrowed=WRITER)
    followed = bool(wanted or (lacking and purpose in FOLLOWING))
    return estimate(lacking, Dialect.of(client.model.name).thoughts, followed=followed)


def _asked(purpose: str, model: str, judge: str) -> str:
    """Return who is asked: a judge if another than the model is named, else the model."""
    return (judge or model) if purpose in JUDGED else model


def known_questions(
    purpose: str, client: Client, model: str
) -> tuple[list[Request], AnswerMissing | None]:
    """Return the questions that are known today, and which answer others follow from.

    Parameters
    ----------
    purpose, client
        What is asked of whom.
    model
        Whose comments are judged.
    """
    questions: dict[str, Request] = {}
    try:
        for batch in PURPOSES[purpose](client, model):
            questions |= {client.recordings.key_of(one): one for one in batch}
    except AnswerMissing as wanted:
        return [*questions.values()], wanted
    return [*questions.values()], None


@dataclass(frozen=True, slots=True)
class Tally:
    """What became of the questions of one purpose.

    Parameters
    ----------
    states
        Questions by the state of their answer; one token is a whole answer where no more was
        asked for.
    unanswered
        Questions without an answer.
    reasons
        Why, each once, in the endpoint's words.
    known
        Questions that had an answer before, and were not asked.
    """

    states: Mapping[str, int]
    unanswered: int
    reasons: tuple[str, ...] = ()
    known: int = 0

    def __str__(self) -> str:
        asked = sum(self.states.values()) + self.unanswered
        parts = [f"{count:,} {state}" for state, count in sorted(self.states.items())]
        if self.unanswered:
            parts.append(f"{self.unanswered:,} without an answer")
        before = f" ({self.known:,} recorded before)" if self.known else ""
        return f"{asked:,} questions{before}: {', '.join(parts) or 'none'}"


def record(
    purpose: str,
    model: str,
    judge: str = "",
    *,
    concurrency: int = 1,
    threads: int = 2,
) -> Tally:
    """Ask what is missing and keep the answers; return what became of all questions.

    A question that the endpoint refuses stops the rest of its batch after a few equal ones,
    not the batches that do not follow from it.

    Raises
    ------
    chessgloss.llm.client.Misconfigured, chessgloss.llm.client.AnswerMissing
        If the endpoint knows neither key nor model; if there are no comments to judge.
    """
    asked = _asked(purpose, model, judge)
    keys: dict[str, Request] = {}
    reasons: dict[str, None] = {}
    known = 0
    with _endpoint(asked, purpose, threads) as endpoint:
        recordings = Recordings.of(model_named(asked), purpose)
        client = Client(recordings, endpoint)
        for batch in PURPOSES[purpose](client, model):
            fresh = {recordings.key_of(request): request for request in batch}
            known += sum(key in recordings for key in fresh.keys() - keys.keys())
            keys |= fresh
            try:
                client.ask_many(batch, concurrency=concurrency)
            except Unanswered as error:
                reasons[str(error)] = None
    answers = [(request, recordings.get(request)) for request in keys.values()]
    states = Counter(_state(request, answer) for request, answer in answers if answer)
    return Tally(states, len(answers) - states.total(), tuple(reasons), known)


def _state(request: Request, answer: Answer) -> str:
    """Return what became of a question: a judge's one token is no answer that was cut off."""
    whole = request.sampling.max_tokens == 1 and answer.text.strip()
    if answer.state == State.CUT_OFF and whole:
        return str(State.ANSWERED)
    return str(answer.state)


# ---------------------------------------------------------------- in batches


@dataclass(frozen=True, slots=True)
class Layout:
    """Which questions are written, and how they lie in files.

    Parameters
    ----------
    form
        How a file is written.
    size
        Most questions in one.
    seed
        Of the order, of drawn blocks and of a sample.
    apart
        What questions in one file share: ``prompt``, or a name in :attr:`Request.about`,
        such as ``method``.
    blocks
        A field of ``about``, such as ``of``: so many of its values make a block, the same
        whatever else differs, and a file holds questions of one. Or a file of JSON with
        given blocks: ``{"of": [["lec3/4", "lec3/16"], ["lec3/18"]]}``.
    repeat
        Which of several answers to the same question is asked for, from 0.
    sample
        How many questions are drawn, 0 for all.
    """

    form: Form = Form.PLAIN
    size: int = SIZES[Form.PLAIN]
    seed: int = 0
    apart: tuple[str, ...] = ()
    blocks: str = ""
    repeat: int = 0
    sample: int = 0

    def chosen(self, questions: Sequence[Request]) -> list[Request]:
        """Return the questions that are asked: the same ones in every repeat."""
        drawn = shuffled(questions, random.Random(self.seed))
        asked = drawn[: self.sample] if self.sample else questions
        return [replace(one, repeat=one.repeat + self.repeat) for one in asked]

    def grouping(self, questions: Sequence[Request]) -> Callable[[Request], tuple]:
        """Return what says in which group of files a question lies."""
        name, blocks = self._blocks(questions)
        numbers = {value: k for k, block in enumerate(blocks) for value in block}

        def group(request: Request) -> tuple:
            values = tuple(_about(request, each) for each in self.apart)
            if not name:
                return values
            value = _about(request, name)
            if value not in numbers:
                raise ValueError(f"{value} is in no block of {self.blocks}")
            return (*values, numbers[value])

        return group

    def _blocks(
        self, questions: Sequence[Request]
    ) -> tuple[str, Sequence[Sequence[str]]]:
        path = Path(self.blocks)
        if path.suffix != ".json":
            values = [_about(one, self.blocks) for one in questions if self.blocks]
            return self.blocks, draw_blocks(values, self.size, self.seed)
        given = json.loads(path.read_text("utf-8"))
        if not isinstance(given, dict) or len(given) != 1:
            raise ValueError(f"{path} holds one name and its blocks of values")
        ((name, blocks),) = given.items()
        return name, blocks


def _about(request: Request, name: str) -> str:
    about = {"prompt": request.prompt, **request.about}
    if name not in about:
        raise ValueError(f"{request} has no {name!r}; it has {', '.join(about)}")
    return str(about[name])


def write_questions(
    purpose: str, model: str, folder: Path, layout: Layout, judge: str = ""
) -> tuple[list[Path], int]:
    """Write what lacks an answer; return the files, and how many questions wait already.

    Those wait that were written to the folder before and have no file of answers yet.

    Raises
    ------
    chessgloss.llm.client.AnswerMissing
        If all questions follow from answers that are not there.
    """
    client = replay(purpose, _asked(purpose, model, judge))
    questions, wanted = known_questions(purpose, client, model)
    if wanted and not questions:
        raise wanted
    group = layout.grouping(questions)
    held = waiting(folder, client.recordings)
    lacking = client.missing(layout.chosen(questions))
    todo = [one for one in lacking if client.recordings.key_of(one) not in held]
    paths = [
        write_batch(folder, client.recordings, batch, layout.form)
        for batch in split(todo, layout.size, layout.seed, group)
    ]
    return paths, len(lacking) - len(todo)


def read_answers(
    purpose: str, model: str, folder: Path, date: str, judge: str = ""
) -> list[Reading]:
    """Keep the answers to a purpose's questions that lie in a folder."""
    client = replay(purpose, _asked(purpose, model, judge))
    questions, _ = known_questions(purpose, client, model)
    return keep_answers(folder, client.recordings, questions, date)


@contextmanager
def _endpoint(model: str, purpose: str, threads: int) -> Iterator[Endpoint]:
    if model not in LOCAL_ASSETS:
        yield endpoint_from_environment(model)
        return
    from chessgloss.llm.server import local_endpoint

    context = CONTEXT.get(purpose, 4096)
    settings = {"context": context, "slots": SLOTS.get(purpose, 1), "threads": threads}
    with local_endpoint(model, **settings) as endpoint:
        yield endpoint


def main(arguments: Sequence[str] | None = None) -> int:
    """Record from the command line; return the exit status."""
    parser = argparse.ArgumentParser(prog="python data/recordings/record.py")
    parser.add_argument(
        "purpose",
        choices=["all", *PURPOSES],
        help="which questions; all in their order",
    )
    parser.add_argument("--model", default=DEFAULT_MODEL, help="whose answers")
    parser.add_argument(
        "--judge", default="", help="who judges the model's comments (default: itself)"
    )
    parser.add_argument(
        "--dry-run", action="store_true", help="only count calls and tokens"
    )
    parser.add_argument(
        "--price",
        nargs=2,
        type=float,
        metavar=("IN", "OUT"),
        help="of a million tokens, to be reckoned with",
    )
    parser.add_argument("--concurrency", type=int, default=1, help="questions at once")
    parser.add_argument(
        "--threads", type=int, default=2, help="of a server on this machine: idle cores"
    )
    _add_batch_options(parser.add_argument_group("in batches"))
    given = parser.parse_args(arguments)
    if given.concurrency < 1:
        parser.error(f"--concurrency must be at least 1, got {given.concurrency}")
    purposes = SHOWN if given.purpose == "all" else (given.purpose,)
    try:
        return _work(given)(purposes, given)
    except (
        Misconfigured,
        Unanswered,
        AnswerMissing,
        AssetMissing,
        BatchDamaged,
        ValueError,
    ) as error:
        print(error, file=sys.stderr)
        return 1


def _add_batch_options(group: argparse._ArgumentGroup) -> None:
    group.add_argument("--write", type=Path, metavar="DIR", help="questions to files")
    group.add_argument("--read", type=Path, metavar="DIR", help="answers from files")
    group.add_argument(
        "--form", type=Form, choices=[*Form], default=Form.PLAIN, help="of the files"
    )
    group.add_argument("--size", type=int, default=0, help="most questions in a file")
    group.add_argument("--seed", type=int, default=0, help="of the order")
    group.add_argument(
        "--apart",
        action="append",
        default=[],
        metavar="NAME",
        help="what questions in one file share, such as method",
    )
    group.add_argument(
        "--blocks",
        default="",
        metavar="NAME|FILE",
        help="blocks that stay together, drawn of such as of, or given in a file of JSON",
    )
    group.add_argument("--repeat", type=int, default=0, help="which repeat, from 0")
    group.add_argument("--sample", type=int, default=0, help="so many drawn questions")
    group.add_argument(
        "--date",
        default=datetime.now(UTC).date().isoformat(),
        help="day of answers that do not say theirs (today)",
    )


def _work(
    given: argparse.Namespace,
) -> Callable[[Sequence[str], argparse.Namespace], int]:
    if given.dry_run:
        return _print_estimates
    if given.write:
        return _write_all
    return _read_all if given.read else _record_all


def _write_all(purposes: Sequence[str], given: argparse.Namespace) -> int:
    layout = Layout(
        given.form,
        given.size or SIZES[given.form],
        given.seed,
        tuple(given.apart),
        given.blocks,
        given.repeat,
        given.sample,
    )
    for purpose in purposes:
        paths, held = write_questions(
            purpose, given.model, given.write, layout, given.judge
        )
        for path in paths:
            print(path)
        print(f"{purpose}: {len(paths)} files written; {held} questions wait already")
    print(f"answers go beside each file, as {given.write}/NAME.answers.jsonl")
    return 0


def _read_all(purposes: Sequence[str], given: argparse.Namespace) -> int:
    whole = True
    for purpose in purposes:
        readings = read_answers(
            purpose, given.model, given.read, given.date, given.judge
        )
        for reading in readings:
            print(f"{purpose}: {reading}")
            for number, why in reading.unanswered.items():
                print(f"  {reading.batch} {number}: {why}", file=sys.stderr)
            whole = whole and not reading.unanswered
        if not readings:
            print(f"{purpose}: no answers of {given.model} in {given.read}")
    return 0 if whole else 1


def _record_all(purposes: Sequence[str], given: argparse.Namespace) -> int:
    whole = True
    for purpose in purposes:
        how = {"concurrency": given.concurrency, "threads": given.threads}
        tally = record(purpose, given.model, given.judge, **how)
        for reason in tally.reasons:
            print(f"{purpose}: {reason}", file=sys.stderr)
        print(f"{purpose}: {tally}")
        whole = whole and not tally.unanswered
    return 0 if whole else 1


def _print_estimates(purposes: Sequence[str], given: argparse.Namespace) -> int:
    total = 0.0
    for purpose in purposes:
        expected = missing(purpose, given.model, given.judge)
        line = f"{purpose}: {expected}"
        if given.price:
            cost = expected.cost(*given.price)
            total += cost
            line += f"; {cost:,.2f} at most"
        print(line)
    if given.price and len(purposes) > 1:
        print(f"all: {total:,.2f} at most")
    return 0


if __name__ == "__main__":
    sys.exit(main())
