"""The script that records answers: its batches, on recordings that are whole and on none."""

import json
import re
from dataclasses import replace

import pytest

from chessgloss.llm.client import DEFAULT_MODEL, Endpoint, model_named
from chessgloss.llm.dialect import THOUGHTS
from chessgloss.llm.recordings import Asked, Message, Recordings, Request, Sampling
from fakes.scripted_llm import scripted_llm
from scripts import PROJECT, load_script

record = load_script("recordings/record.py")
MODEL = "scripted-1"


@pytest.mark.parametrize("purpose", ["mate_in_one", "static"])
def test_no_answer_that_the_book_shows_is_missing(purpose):
    assert record.missing(purpose, "qwen2.5-coder-1.5b-q4_k_m").calls == 0


def test_every_purpose_that_is_written_down_can_be_recorded():
    pages = [PROJECT / name for name in ("Makefile", "README.md", "CONTRIBUTING.md")]
    pages += [PROJECT / "data/recordings/README.md", *PROJECT.glob("book/*.md")]
    pages += PROJECT.glob("notebooks/*.py")
    texts = "\n".join(page.read_text("utf-8") for page in pages)
    named = re.findall(r"PURPOSE=(\w+)|record\.py (\w+)", texts)
    purposes = {first or second for first, second in named}
    assert {"all", "strong_judge", "factorial"} <= purposes <= {"all", *record.PURPOSES}


def test_a_run_before_the_questions_says_what_they_would_take_and_thoughts_count():
    questions = [
        Request((Message("user", "x" * 4_000),), Sampling(max_tokens=1))
    ] * 1_000
    quick = record.estimate(questions)
    assert str(quick).startswith("1,000 calls")
    assert quick.cost(2.5, 10) == pytest.approx(2.5 + 0.01)
    thinking = record.estimate(questions, THOUGHTS)
    assert thinking.cost(0, 10) == pytest.approx(0.01 + THOUGHTS / 100)


def test_what_a_judge_would_cost_is_known_before_there_are_comments():
    whole = record.missing("gcc_eval", "scripted-1")
    assert whole.calls > 1_800
    assert f"by the comments of {record.WRITER}" in str(whole)


@pytest.fixture
def recorder(recordings_aside, monkeypatch):
    """Return what serves a script and records a purpose by it, of given batches."""

    def serve(llm, batches, purpose="mate_in_one"):
        monkeypatch.setattr(record, "PURPOSES", {purpose: batches})
        endpoint = Endpoint(llm.url, model_named(MODEL), retries=0)
        monkeypatch.setattr(record, "endpoint_from_environment", lambda model: endpoint)
        return lambda *more: record.main([purpose, *(more or ("--model", MODEL))])

    return serve


def plain(*texts: str, **sampling) -> list[Request]:
    return [
        Request((Message("user", text),), Sampling(**sampling), prompt="play@1")
        for text in texts
    ]


@pytest.mark.parametrize(
    ("script", "sampling", "told"),
    [
        (
            ("text:Nf3", "empty", "cut_off:The"),
            {},
            "3 questions: 1 answered, 1 cut_off, 1 empty",
        ),
        # a judge's one token is a whole answer
        (
            ("cut_off:4", "cut_off:"),
            {"max_tokens": 1},
            "2 questions: 1 answered, 1 cut_off",
        ),
    ],
)
def test_the_last_line_tells_what_became_of_the_questions(
    recorder, capsys, script, sampling, told
):
    def batches(client, commentator):
        yield plain(*script, **sampling)

    with scripted_llm(*script) as llm:
        assert recorder(llm, batches)() == 0
    assert capsys.readouterr().out.splitlines()[-1] == f"mate_in_one: {told}"


def test_refused_questions_are_told_and_cost_no_other_batch(recorder, capsys):
    def batches(client, commentator):
        yield plain("a", "b", "c", "d", "e", grammar="root ::= [a-h]")
        yield plain("f", "g")

    with scripted_llm(mood="strict") as llm:
        run = recorder(llm, batches)
        assert (run(), run()) == (1, 1)
    out, err = capsys.readouterr()
    became = "2 answered, 5 without an answer"
    assert f"7 questions (2 recorded before): {became}" in out
    assert "Unrecognized request argument supplied: grammar" in err
    assert len(llm.asked) == 2, "what is there is not asked again"


def test_a_judge_that_is_another_model_is_asked_about_the_models_comments(
    recorder, recordings_aside
):
    seen = []

    def batches(client, commentator):
        seen.append((client.model.name, commentator))
        yield plain("a")

    with scripted_llm() as llm:
        assert recorder(llm, batches, "gcc_eval")("--judge", MODEL) == 0
    assert seen == [(MODEL, DEFAULT_MODEL)]
    assert (recordings_aside / MODEL / "gcc_eval.jsonl").is_file()


def test_a_judge_without_comments_to_judge_is_one_line(capsys, monkeypatch):
    endpoint = Endpoint("http://127.0.0.1:9/v1", model_named(MODEL))
    monkeypatch.setattr(record, "endpoint_from_environment", lambda model: endpoint)
    assert record.main(["strong_judge", "--model", MODEL]) == 1
    (line, remedy) = capsys.readouterr().err.splitlines()
    assert line.startswith("no recorded answer of scripted-1")
    assert remedy == "To record: make record MODEL=scripted-1 PURPOSE=voice"


def test_a_batch_may_follow_from_the_answers_to_the_one_before(recorder, capsys):
    def batches(client, commentator):
        first, second = plain("first", "second")
        yield [first, second]
        yield plain(f"more on {client.ask(second).text}")

    with scripted_llm("text:one", "text:two", "text:three") as llm:
        run = recorder(llm, batches)
        assert (run(), run()) == (0, 0)
    assert "3 questions (3 recorded before): 3 answered" in capsys.readouterr().out
    asked = [body["messages"][0]["content"] for body in llm.asked]
    assert asked == ["first", "second", "more on two"]


def test_the_papers_own_puzzles_are_asked_where_their_file_is(
    recorder, tmp_path, monkeypatch, capsys
):
    assert record.main(["mate_in_one_lichess", "--model", MODEL, "--dry-run"]) == 1
    assert "set CHESSGLOSS_ASSET_LICHESS_PUZZLES" in capsys.readouterr().err
    puzzle = "00abd,6k1/5ppp/7q/8/8/8/5PPP/3R2K1 b - - 0 18,h6h5 d1d8,900,mateIn1"
    path = tmp_path / "puzzles.csv"
    path.write_text(f"PuzzleId,FEN,Moves,Rating,Themes\n{puzzle}\n")
    monkeypatch.setenv("CHESSGLOSS_ASSET_LICHESS_PUZZLES", str(path))
    asked = record.PURPOSES["mate_in_one_lichess"]
    with scripted_llm("text:Rd8#", "text:Rd8#", "text:Rd1") as llm:
        assert recorder(llm, asked, "mate_in_one_lichess")() == 0
    assert "3 questions: 3 answered" in capsys.readouterr().out
    assert "6k1/5ppp/8/7q/8/8/5PPP/3R2K1 w" in llm.asked[0]["messages"][-1]["content"]


# ---------------------------------------------------------------- in batches


@pytest.fixture
def batched(recordings_aside, monkeypatch):
    """Return what runs the script on sixty moves in two arms, with the recordings aside."""
    asked = [
        Request(
            (Message("user", f"{method} {k}"),),
            prompt="comment@1",
            about={"of": f"m{k}", "method": method},
        )
        for k in range(60)
        for method in ("bare", "ccc")
    ]
    table = {"comments": record._all_of(lambda: asked)}
    monkeypatch.setattr(record, "PURPOSES", table)
    monkeypatch.setattr(record, "SHOWN", ("comments",))
    folder = recordings_aside / "batches"

    def run(*more: str) -> tuple[int, Recordings]:
        found = Recordings.of(model_named("claude"), "comments")
        return record.main(["all", "--model", "claude", *more]), found

    return run, folder, asked


def answer_all(folder, left_out=frozenset()) -> list[str]:
    """Answer each file of questions that has no answers; return their names."""
    names = []
    for path in sorted(folder.glob("*.questions.txt")):
        name = path.name.partition(".")[0]
        beside = folder / f"{name}.answers.jsonl"
        if not beside.exists():
            kept = json.loads((folder / "kept" / f"{name}.json").read_text())
            said = {n: each["name"] for n, each in kept["questions"].items()}
            lines = [
                json.dumps({"number": int(n), "answer": said[n]})
                for n in said.keys() - left_out
            ]
            beside.write_text("\n".join(lines))
            names.append(name)
    return names


def test_a_model_without_an_endpoint_is_asked_in_files(batched, capsys):
    run, folder, asked = batched
    order = ["--apart", "method", "--blocks", "of", "--size", "25", "--seed", "4"]
    assert run("--write", str(folder), *order)[0] == 0
    assert "comments: 6 files written; 0 questions wait" in capsys.readouterr().out
    run("--write", str(folder), *order)
    assert "comments: 0 files written; 120 questions wait" in capsys.readouterr().out
    assert len(answer_all(folder, left_out={"3"})) == 6
    status, kept = run("--read", str(folder), "--date", "2026-01-31")
    out, err = capsys.readouterr()
    assert (status, len(kept)) == (1, 114)
    assert out.count("19 answers recorded, 1 without an answer") == 6
    assert err.count(" 3: no line of the answers is about it") == 6
    run("--write", str(folder), *order)
    answer_all(folder)
    status, kept = run("--read", str(folder))
    assert (status, len(kept)) == (0, 120)
    assert kept.get(asked[5]).text == "comment@1 (of m2, method ccc)"


def test_given_blocks_are_kept_together(batched, capsys, tmp_path):
    run, folder, _ = batched
    path = tmp_path / "blocks.json"
    blocks = [[f"m{k}" for k in range(first, 60, 3)] for first in range(3)]
    path.write_text(json.dumps({"of": blocks}))
    run("--write", str(folder), "--blocks", str(path))
    found = [
        {int(k) for k in re.findall(r"of m(\d+),", path.read_text())}
        for path in folder.glob("kept/*.json")
    ]
    assert sorted(found, key=min) == [{*range(k, 60, 3)} for k in range(3)]
    path.write_text(json.dumps({"of": blocks[:2]}))
    assert run("--write", str(folder / "other"), "--blocks", str(path))[0] == 1
    assert "is in no block of" in capsys.readouterr().err


def test_a_sample_is_asked_alone_again_and_together(batched):
    run, folder, asked = batched
    for repeat, size in ((0, 24), (1, 1), (2, 1)):
        how = ["--sample", "24", "--seed", "5", "--size", str(size)]
        run("--write", str(folder), *how, "--repeat", str(repeat))
        answer_all(folder)
    status, kept = run("--read", str(folder))
    assert (status, len(kept)) == (0, 72)
    there = [one for one in asked if kept.get(one)]
    assert len(there) == 24
    for one in there:
        repeats = [replace(one, repeat=k) for k in range(3)]
        how = [kept.provenance(each).asked for each in repeats]
        assert how == [Asked.TOGETHER, Asked.ALONE, Asked.ALONE]
