"""Have the comments on the sixty moves checked, said in like words, read blind and compared.

    python data/annotated/study.py sent_back [--of famous]   reader 1 has read the first comments
    python data/annotated/study.py comments [--of famous]    it has read those written again
    python data/annotated/study.py reword --write DIR        every comment, in plain neutral words
    python data/annotated/study.py blind --write DIR         after that: two blind readings
    python data/annotated/study.py prefer --write DIR        and which of two comments is better
    python data/annotated/study.py verdicts                  what the readings say, as tables

``--read DIR`` keeps the answers that were put beside the questions. ``--people FILE`` names lines
of JSON with ``id`` and ``comment``, people's own words; ``--kept DIR`` says where the answers to
questions that hold them are kept: outside the repository. What is committed are
``sent_back.json``, ``comments.json``, ``verdicts.tsv``, ``preferences.tsv`` and ``claims.tsv``,
without a word of theirs.
"""

from __future__ import annotations

import argparse
import csv
import json
import random
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from functools import cached_property
from pathlib import Path

from chessgloss.claims import Reading, verify
from chessgloss.claims.read_model import sentence_spans
from chessgloss.commentary.annotated import ANNOTATED, KEPT, Kept
from chessgloss.commentary.arms import ask_arm, read_comment
from chessgloss.commentary.asking import read_analysis
from chessgloss.commentary.briefing import Briefing
from chessgloss.commentary.explain import METHOD, NOT_CHECKED, Outcome, explain
from chessgloss.commentary.notes import write_notes
from chessgloss.commentary.plants import draw_plants
from chessgloss.judges import blind
from chessgloss.llm.batches import Form, keep_answers, split, waiting, write_batch
from chessgloss.llm.client import Client, model_named, replay
from chessgloss.llm.recordings import Recordings, Request
from chessgloss.positions import text_digest

HERE = Path(__file__).parent

#: The four who wrote, in this order: the program, two arms of a model, people.
PEOPLE = "annotator"
WRITERS = ("notes", METHOD, "ccc", PEOPLE)

#: Comments of each writer that are broken by one detail and read among the others: one in ten.
BROKEN, SEED = 6, 60

#: Questions in a file, at most; no file shows a move twice.
SIZE = 40

#: Who is preferred to whom.
PAIRS = ((METHOD, PEOPLE), (METHOD, "notes"))


@dataclass(frozen=True)
class Study:
    """Where everything is: what was written, people's words, who reads, and the kept answers."""

    model: str
    people: Mapping[str, str]
    kept: Path
    of: Kept = ANNOTATED

    @cached_property
    def moves(self) -> dict[str, Briefing]:
        """The moves by name."""
        return self.of.briefings()

    @property
    def folder(self) -> Path:
        """Where their files are."""
        return HERE.parent / self.of.name

    @cached_property
    def seen(self) -> dict[str, blind.Seen]:
        """The moves as readers see them, by name."""
        rows = json.loads((HERE / "readers.json").read_text("utf-8"))
        return {
            name: blind.Seen(
                name,
                each.move,
                read_analysis(each.move.position, rows[name][0]),
                read_analysis(each.move.after(), rows[name][1]),
            )
            for name, each in self.moves.items()
        }

    @cached_property
    def written(self) -> dict[str, Mapping[str, str]]:
        """The comments of all four as they were written, by writer and move, without marks."""
        own = {
            writer: {
                name: text.replace(f" {NOT_CHECKED}", "") for name, text in of.items()
            }
            for writer, of in self.of.comments().items()
        }
        return {**own, PEOPLE: self.people}

    def recordings(self, purpose: str) -> Recordings:
        """Return the answers to questions that may hold people's words."""
        return Recordings.of(model_named(self.model), purpose, self.kept)

    # ------------------------------------------------------------ said in like words

    def reword(self) -> list[Request]:
        """Return the questions that ask for every comment in plain words, each by itself."""
        return [
            blind.ask_rewording(text, {"of": name, "method": writer})
            for writer in WRITERS
            for name, text in self.written[writer].items()
            if text
        ]

    @cached_property
    def reworded(self) -> dict[str, dict[str, str]]:
        """The comments in like words, by writer and move; those that have an answer."""
        client = Client(self.recordings("reworded"))
        found: dict[str, dict[str, str]] = {writer: {} for writer in WRITERS}
        for each in self.reword():
            answer = " ".join(client.ask(each).text.split())
            found[str(each.about["method"])][str(each.about["of"])] = answer
        return found

    @cached_property
    def broken(self) -> dict[str, dict[str, str]]:
        """Some of these with one detail broken, by writer and move."""
        return {
            writer: {
                name: made.text
                for name, made in draw_plants(
                    texts, self.moves, BROKEN, f"{SEED} {writer}"
                )
            }
            for writer, texts in self.reworded.items()
        }

    # ------------------------------------------------------------ read blind

    def texts(self) -> Iterator[tuple[str, str, str, str]]:
        """Yield what is read: the name of the move, who wrote it, its form, the text."""
        forms: dict[str, Mapping[str, Mapping[str, str]]] = {
            "reworded": self.reworded,
            "broken": self.broken,
            "original": self.written,
        }
        for form, of_writers in forms.items():
            for writer, texts in of_writers.items():
                for name, text in texts.items():
                    if text:
                        yield name, writer, form, text

    def blind(self) -> list[Request]:
        """Return the questions of two blind readings; the originals are in the first alone."""
        asked = list[Request]()
        for reading in blind.READINGS:
            shown = [
                (name, f"{writer} {form}", text)
                for name, writer, form, text in self.texts()
                if reading == "first" or form != "original"
            ]
            found = blind.questions(shown, self.seen)
            asked += [each for each in found if each.about["set"] == reading]
        return asked

    def prefer(self) -> list[Request]:
        """Return the questions which of two comments in like words is better, their order drawn."""
        asked = list[Request]()
        for place, pair in enumerate(PAIRS):
            drawing = random.Random(f"{SEED} {place}")
            for name in sorted(self.moves):
                order = drawing.sample(pair, 2)
                texts = [self.reworded[writer].get(name, "") for writer in order]
                about: dict[str, str | int] = {"part": place}
                about |= {"first": order[0], "second": order[1]}
                if all(texts):
                    first, second = texts
                    asked.append(
                        blind.ask_preference(self.seen[name], (first, second), about)
                    )
        return asked

    # ------------------------------------------------------------ what comes of it

    def verdicts(self) -> Iterator[dict[str, str]]:
        """Yield what the blind readings say, a row a comment and reading."""
        client = Client(self.recordings("blind"))
        for each in self.blind():
            writer, form = str(each.about["method"]).split()
            yield {
                "move": str(each.about["of"]),
                "writer": writer,
                "form": form,
                "reading": str(each.about["set"]),
                **blind.read_answer(client.ask(each).text),
            }

    def preferences(self) -> Iterator[dict[str, str]]:
        """Yield which of two comments is preferred, a row a pair; empty for none of the answers."""
        client = Client(self.recordings("preferred"))
        for each in self.prefer():
            said = client.ask(each).text.strip().strip(".").lower()
            shown = {name: str(each.about[name]) for name in ("first", "second")}
            better = {**shown, "tie": "tie"}.get(said, "")
            yield {"move": str(each.about["of"]), **shown, "better": better}

    def claims(self) -> Iterator[dict[str, str | int]]:
        """Yield what the program decides of the claims that its rules read in each text."""
        for name, writer, form, text in self.texts():
            briefing = self.moves[name]
            found = verify(text, briefing.move, briefing.verdict)
            counts = Counter(each.verdict for each in found)
            yield {
                "move": name,
                "writer": writer,
                "form": form,
                "true": counts["true"],
                "false": counts["false"],
            }


# ---------------------------------------------------------------- the method explain, checked


def reader_one(study: Study) -> Callable[..., Reading]:
    """Return what reads as reader 1 has read; of a text that it was not given nothing is read."""
    read = study.of.read_by_one(study.model)

    def found(text: str, *_: object) -> Reading:
        return read.get(text) or Reading((), tuple(sentence_spans(text)))

    return found


def write_sent_back(study: Study) -> None:
    """Write the false claims of the first comments: their words, and what decides them."""
    client = replay(study.of.name, study.model)
    read = reader_one(study)
    wrong = dict[str, list[tuple[str, str]]]()
    for each in study.of.questions([METHOD]):
        name = str(each.about["of"])
        text = read_comment(client.ask(each), METHOD).text
        briefing = study.moves[name]
        found = verify(text, briefing.move, briefing.verdict, read=read)
        wrong[name] = [(c.text, c.evidence) for c in found if c.verdict == "false"]
    rows = (f"{json.dumps(name)}: {json.dumps(of)}" for name, of in wrong.items() if of)
    text = ",\n".join(rows)
    (study.folder / "sent_back.json").write_text(f"{{\n{text}\n}}\n", "utf-8")
    print(f"{sum(map(bool, wrong.values()))} of {len(wrong)} comments are sent back")


def write_comments(study: Study) -> None:
    """Write what each arm and the program have to say of each move, and what checking came to."""
    client = replay(study.of.name, study.model)
    read = reader_one(study)
    outcomes = dict[str, Outcome]()
    for name, briefing in study.moves.items():
        request = ask_arm(briefing, METHOD)
        outcomes[name] = explain(briefing, request, client.ask, read)
    comments = {
        "notes": {name: write_notes(each).text for name, each in study.moves.items()},
        METHOD: {name: each.comment.text for name, each in outcomes.items()},
    }
    for each in study.of.questions([arm for arm in study.of.arms if arm != METHOD]):
        arm, name = str(each.about["method"]), str(each.about["of"])
        text = read_comment(client.ask(each), arm).text
        comments.setdefault(arm, {})[name] = text
    claims = sum((each.claims for each in outcomes.values()), Counter[str]())
    checked = {
        "claims": claims,
        "sent_back": sum(each.again for each in outcomes.values()),
        "cut": sum(each.cut for each in outcomes.values()),
        "unread": sum(each.unread for each in outcomes.values()),
    }
    text = json.dumps(
        {"checked": checked, "comments": comments}, indent=1, ensure_ascii=False
    )
    (study.folder / "comments.json").write_text(f"{text}\n", "utf-8")
    print(checked)


def write_verdicts(study: Study) -> None:
    """Write the tables of verdicts, preferences and claims."""
    for name in ("verdicts", "preferences", "claims"):
        rows = [*getattr(study, name)()]
        columns = dict.fromkeys(key for row in rows for key in row)
        with (HERE / f"{name}.tsv").open("w", encoding="utf-8", newline="") as out:
            writer = csv.DictWriter(
                out, columns, delimiter="\t", lineterminator="\n", restval=""
            )
            writer.writeheader()
            writer.writerows(rows)
        print(f"{len(rows)} rows in {name}.tsv")


WRITTEN: Mapping[str, Callable[[Study], None]] = {
    "sent_back": write_sent_back,
    "comments": write_comments,
    "verdicts": write_verdicts,
}


# ---------------------------------------------------------------- asked in batches


def _group(asked: Sequence[Request]) -> Callable[[Request], tuple]:
    """Return what says in which files a question lies, so that none shows a move twice."""
    if asked and "part" in asked[0].about:
        return lambda request: (request.about.get("set"), request.about["part"])
    lots = dict[str, list[str]]()
    for each in asked:
        lots.setdefault(str(each.about["of"]), []).append(_lot(each))
    ranks = {lot: place for of in lots.values() for place, lot in enumerate(sorted(of))}
    return lambda request: (ranks[_lot(request)],)


def _lot(request: Request) -> str:
    return text_digest(f"{SEED} {request.about['of']} {request.about['method']}")


ASKED: Mapping[str, tuple[str, Callable[[Study], list[Request]]]] = {
    "reword": ("reworded", Study.reword),
    "blind": ("blind", Study.blind),
    "prefer": ("preferred", Study.prefer),
}


def ask_in_batches(study: Study, what: str, folder: Path, size: int) -> None:
    """Write the questions of a stage that have no answer and do not wait for one."""
    purpose, make = ASKED[what]
    recordings = study.recordings(purpose)
    asked = make(study)
    held = waiting(folder, recordings)
    todo = [
        each
        for each in Client(recordings).missing(asked)
        if recordings.key_of(each) not in held
    ]
    for batch in split(todo, size, SEED, _group(asked)):
        print(write_batch(folder, recordings, batch, Form.PLAIN))
    print(f"{what}: {len(todo)} of {len(asked)} questions written")


def keep_from_batches(study: Study, what: str, folder: Path) -> None:
    """Keep the answers of a stage that lie beside its questions."""
    purpose, make = ASKED[what]
    today = datetime.now(UTC).date().isoformat()
    recordings = study.recordings(purpose)
    asked = make(study)
    for reading in keep_answers(folder, recordings, asked, today):
        print(reading, *reading.unanswered.items(), sep="\n  ")
    print(f"{what}: {len(Client(recordings).missing(asked))} questions lack an answer")


def read_people(path: Path) -> dict[str, str]:
    """Return people's comments by the name of the move."""
    rows = map(json.loads, path.read_text("utf-8").splitlines())
    return {row["id"]: " ".join(row["comment"].split()) for row in rows}


def main(arguments: Sequence[str] | None = None) -> None:
    """Do one stage."""
    parser = argparse.ArgumentParser(prog="python data/annotated/study.py")
    parser.add_argument("stage", choices=[*WRITTEN, *ASKED])
    parser.add_argument("--of", choices=[*KEPT], default=ANNOTATED.name)
    parser.add_argument("--model", default="claude", help="who writes and reads")
    parser.add_argument("--people", type=Path, help="people's comments, lines of JSON")
    parser.add_argument("--kept", type=Path, help="folder of answers, outside of this")
    parser.add_argument("--write", type=Path, metavar="DIR", help="questions to files")
    parser.add_argument("--read", type=Path, metavar="DIR", help="answers from files")
    parser.add_argument("--size", type=int, default=SIZE, help="questions in a file")
    given = parser.parse_args(arguments)
    needs = given.stage in ASKED or given.stage == "verdicts"
    if needs and not (given.people and given.kept):
        parser.error(f"{given.stage} needs --people and --kept")
    people = read_people(given.people) if given.people else {}
    study = Study(given.model, people, given.kept or HERE, KEPT[given.of])
    if given.stage in WRITTEN:
        WRITTEN[given.stage](study)
    elif given.write:
        ask_in_batches(study, given.stage, given.write, given.size)
    elif given.read:
        keep_from_batches(study, given.stage, given.read)
    else:
        parser.error(f"{given.stage} needs --write or --read")


if __name__ == "__main__":
    main()
