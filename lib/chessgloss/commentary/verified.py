"""Commentary whose every claim is checked: asked, verified, asked again, mended, published.

::

    verified = write_verified(briefings["lec3/13"], client, first=commentary_client)
    verified.comment.text, verified.rounds, verified.dropped

The method ``ccc_verified``, and ``ccc_simple``, which asks for a beginner's language. A model is
asked again at most :data:`ROUNDS` times, and only where an answer holds a false claim or no
comment. Then the best attempt is mended: each clause that holds a false claim is left out, with
whatever leans on it. Where a comment would lose its point a note's sentence stands in; where too
little of it is left, the notes' whole comment.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterable, Iterator, Sequence, Set
from dataclasses import dataclass, replace
from functools import partial
from typing import Any, Final, Literal, get_args

from chessgloss.claims import Checked, Kind, verify
from chessgloss.claims.gold import GoldText, read_gold
from chessgloss.claims.lexicon import tokenise
from chessgloss.claims.parser import Element, chunk, sentences
from chessgloss.commentary.briefing import PHRASES, Briefing, Comment
from chessgloss.commentary.methods import TEMPERATURE, read_comment, request_comment
from chessgloss.commentary.notes import choose, notes
from chessgloss.commentary.prompts import load_prompt, quoted
from chessgloss.llm.client import Client, replay
from chessgloss.llm.recordings import Answer, Message, Request, Sampling, State
from chessgloss.store import find_project

#: Returns every claim of a text on one move, each with its verdict.
Check = Callable[[str], tuple[Checked, ...]]

#: What to do next: ask for the false claims to be mended, for the comment alone, or stop.
Step = Literal["mend", "repeat", "settle"]

#: Follow-up questions at most; most false claims named in one; longest answer to one, which
#: asks for one line.
ROUNDS, MOST_FAULTS, FOLLOW_UP_TOKENS = 2, 6, 110

#: Words of the model's own that a published comment has at least, else it is the notes'.
LEAST_WORDS: Final = 5

#: Comments of the gold set's development half whose claims the model is asked to list, and the
#: longest list.
COMMENTS, LIST_TOKENS = 60, 220

#: Relations of claims that judge the move.
_OF_THE_MOVE: Final = frozenset({"good_move", "bad_move", "best_move", "only_move"})


@dataclass(frozen=True, slots=True)
class Attempt:
    """A comment as the model wrote it, with its claims checked.

    Parameters
    ----------
    text
        The comment; empty if the answer held none that could be used.
    checked
        Its claims with their verdicts.
    state
        ``answered``, or what became of the answer instead (see
        :class:`chessgloss.commentary.briefing.Comment`).
    """

    text: str
    checked: tuple[Checked, ...] = ()
    state: str = "answered"

    @property
    def usable(self) -> bool:
        """Whether there is a comment at all."""
        return self.state == "answered"

    @property
    def false(self) -> tuple[Checked, ...]:
        """The false claims."""
        return false_of(self.checked)


@dataclass(frozen=True, slots=True)
class Verified:
    """A comment that holds no claim found false, and how it came about.

    Parameters
    ----------
    comment
        What is published.
    attempts
        What the model wrote, in order; one more than there were follow-up questions.
    checked
        The claims of what is published.
    dropped
        The parts of the best attempt that were left out, in its order.
    borrowed
        The notes' sentences that stand in for them.
    fallback
        Whether the whole comment is made of notes.
    """

    comment: Comment
    attempts: tuple[Attempt, ...]
    checked: tuple[Checked, ...]
    dropped: tuple[str, ...] = ()
    borrowed: tuple[str, ...] = ()
    fallback: bool = False

    @property
    def rounds(self) -> int:
        """How often the model was asked again."""
        return len(self.attempts) - 1

    @property
    def way(self) -> str:
        """How the comment came about: ``as written``, ``rewritten``, ``cut`` or ``template``.

        ``rewritten`` is a later attempt, kept whole; ``cut`` lost a part; ``template`` is put
        together from facts alone.
        """
        if self.fallback:
            return "template"
        if self.dropped or self.borrowed:
            return "cut"
        return "as written" if self.comment.text == self.attempts[0].text else "rewritten"


def false_of(checked: Iterable[Checked]) -> tuple[Checked, ...]:
    """Return the claims that are false."""
    return tuple(each for each in checked if each.verdict == "false")


def checker(briefing: Briefing) -> Check:
    """Return what checks a text on a move against its board and the engine's verdict."""
    return partial(verify, move=briefing.move, verdict=briefing.verdict)


# ---------------------------------------------------------------- asked and asked again


def write_verified(
    briefing: Briefing, client: Client, *, first: Client | None = None, simple: bool = False
) -> Verified:
    """Return a comment on a move whose every claim was checked, and none found false.

    Parameters
    ----------
    briefing
        The move and what is known of it.
    client
        Answers the follow-up questions, and with ``simple`` the first one too.
    first
        Answers the first question of ``ccc``, which is recorded with the other methods;
        ``client`` if not given.
    simple
        Whether to ask for a beginner's language.

    Raises
    ------
    chessgloss.llm.client.AnswerMissing
        In replay, if an answer is not recorded.
    """
    verified = _walk(briefing, client, first, simple, Client.ask)
    assert isinstance(verified, Verified)
    return verified


def pending(
    briefing: Briefing, client: Client, *, first: Client | None = None, simple: bool = False
) -> Request | None:
    """Return the next question of a move that has no recorded answer, ``None`` if all have.

    What is asked after it depends on its answer.
    """
    left = _walk(briefing, client, first, simple, lambda asked, each: asked.recordings.get(each))
    return left if isinstance(left, Request) else None


def _walk(
    briefing: Briefing,
    client: Client,
    first: Client | None,
    simple: bool,
    ask: Callable[[Client, Request], Answer | None],
) -> Verified | Request:
    """Go through a conversation to its comment, or to the first question without an answer."""
    check, attempts = checker(briefing), list[Attempt]()
    request, source = ask_first(briefing, simple=simple), client if simple or not first else first
    while (answer := ask(source, request)) is not None:
        attempts.append(read_attempt(answer, check, first=not attempts))
        step = next_step(attempts)
        if step == "settle":
            return settle(attempts, briefing, method=method_name(simple), model=answer.model)
        request, source = ask_again(request, answer, attempts[-1], step, simple=simple), client
    return request


def next_step(attempts: Sequence[Attempt]) -> Step:
    """Return what to do after some attempts, at least one.

    An answer without a comment is asked for once more, a comment with false claims up to
    :data:`ROUNDS` times. A comment that comes back word for word is not asked about again.
    """
    *earlier, last = attempts
    if len(attempts) > ROUNDS or (last.usable and not last.false):
        return "settle"
    if not last.usable:
        return "settle" if any(not each.usable for each in earlier) else "repeat"
    return "settle" if any(each.text == last.text for each in earlier) else "mend"


def method_name(simple: bool) -> str:
    """Return the name of the method: in a club player's language or a beginner's."""
    return "ccc_simple" if simple else "ccc_verified"


def ask_first(briefing: Briefing, *, simple: bool = False) -> Request:
    """Return the first question: that of ``ccc``, or the same with the wish for simple words."""
    request = request_comment(briefing, "ccc")
    if not simple:
        return request
    prompt = load_prompt("comment_simple")
    return replace(
        request,
        messages=(*request.messages[:-1], *prompt.fill(question=request.messages[-1].content)),
        prompt=prompt.label,
        about={"method": method_name(simple), "of": briefing.name, "round": 0},
    )


def ask_again(
    request: Request, answer: Answer, attempt: Attempt, step: Step, *, simple: bool = False
) -> Request:
    """Return the question that follows an answer.

    It goes on with the same conversation, so that a server that keeps what it has read reads
    only the last message.

    Parameters
    ----------
    request
        The question that was answered.
    answer, attempt
        The answer, and the comment that was read from it.
    step
        ``mend`` names what is false, ``repeat`` asks for the comment alone.
    simple
        As in :func:`ask_first`.
    """
    prompt, values = load_prompt("comment_only"), {}
    if step == "mend":
        prompt = load_prompt("comment_again")
        faults = (f'- "{each.claim.text}" ({each.evidence})' for each in attempt.false)
        values["faults"] = "\n".join(list(dict.fromkeys(faults))[:MOST_FAULTS])
    (wish,) = prompt.fill(**values)
    *before, last = request.messages
    messages: tuple[Message, ...] = (*before, last, Message("assistant", answer.text), wish)
    if not answer.text.strip():  # no empty turn is sent
        messages = (*before, Message(last.role, f"{last.content}\n\n{wish.content}"))
    return Request(
        messages,
        Sampling(temperature=TEMPERATURE, max_tokens=FOLLOW_UP_TOKENS, seed=1),
        prompt=prompt.label,
        about={
            "method": method_name(simple),
            "of": str(request.about["of"]),
            "round": int(request.about.get("round", 0)) + 1,
        },
    )


def read_attempt(answer: Answer, check: Check, *, first: bool = True) -> Attempt:
    """Return the comment of an answer with its claims checked.

    An answer to a follow-up question may leave out the mark ``Comment:``, as long as it does
    not reason instead.
    """
    comment = read_comment(answer, "ccc")
    reasons = re.match(r"\W*thoughts\b", answer.text, re.IGNORECASE)
    if not first and comment.state == "unread" and not reasons:
        comment = read_comment(answer, "llm")
    checked = check(comment.text) if comment.state == State.ANSWERED else ()
    return Attempt(comment.text, checked, comment.state)


# ---------------------------------------------------------------- what is published


def settle(
    attempts: Sequence[Attempt], briefing: Briefing, *, method: str, model: str = ""
) -> Verified:
    """Return what is published after all attempts.

    Of the attempts with the fewest false claims that one whose mended form keeps most true
    claims, then most words, then the earliest; of the next best if too little is left of it;
    else the notes' comment.

    Parameters
    ----------
    attempts
        What the model wrote.
    briefing
        The move and what is known of it.
    method, model
        Names that the comment carries.
    """
    check, lost = checker(briefing), any(_judges(attempt.false) for attempt in attempts)
    spoken = [note.sentence for note in choose(notes(briefing))]
    names = map(re.escape, ("move", briefing.move.san.rstrip("+#"), briefing.move.uci[2:4]))
    names_move = re.compile(rf"(?<!\w)(?:{'|'.join(names)})(?!\w)")
    mended = []
    for number, attempt in enumerate(attempts):
        if attempt.usable:
            text, dropped = mend(attempt.text, check, again=number > 0)
            kept = Attempt(text, check(text))
            true = sum(each.verdict == "true" for each in kept.checked)
            mended.append((len(attempt.false), -true, -len(text.split()), number, kept, dropped))
    for *_, words, _, kept, dropped in sorted(mended, key=lambda row: row[:4]):
        relations = {each.claim.relation for each in kept.checked}
        before, after = list[str](), list[str]()
        if dropped and not (names_move.search(kept.text) or relations & _OF_THE_MOVE):
            before = spoken[:1]
        if dropped and lost and not _judges(kept.checked):
            after = [each for each in spoken if _judges(check(each))][:1]
        text = " ".join([*before, kept.text, *after])
        checked = check(text)
        if -words >= LEAST_WORDS and not false_of(checked):
            comment, borrowed = Comment(text, method, model), (*before, *after)
            return Verified(comment, tuple(attempts), checked, dropped, borrowed)
    comment = Comment(" ".join(spoken), method, model)
    return Verified(comment, tuple(attempts), check(comment.text), fallback=True)


def _judges(checked: Iterable[Checked]) -> bool:
    return any(each.claim.kind == "evaluation" for each in checked)


def published(model: str) -> dict[tuple[str, str], dict[str, Any]]:
    """Return the published comments of a model as they are stored, by method and move.

    A verified comment depends on the checker at every turn: what is asked again, what is left
    out. Judges were then asked about the texts. So they are kept with the hash of the checker
    that made them; what a later checker finds in them is a result, and mends nothing.
    """
    path = find_project() / "data" / "claims" / "published.json"
    stored = json.loads(path.read_text("utf-8"))
    if stored["model"] != model:
        return {}
    return {(row["method"], row["move"]): row for row in stored["comments"]}


def read_published(
    briefings: Sequence[Briefing], model: str, *, simple: bool = False
) -> list[Verified]:
    """Return the verified comments of a model on moves, in their order.

    Where none was published, the comment is made from the model's recorded answers by the
    checker of today.

    Raises
    ------
    chessgloss.llm.client.AnswerMissing
        If a comment was not published and an answer that it needs is not recorded.
    """
    known, method, comments = published(model), method_name(simple), []
    for briefing in briefings:
        row, check = known.get((method, briefing.name)), checker(briefing)
        if row is None:
            more, first = replay("verified", model), replay("commentary", model)
            comments.append(write_verified(briefing, more, first=first, simple=simple))
            continue
        attempts = tuple(
            Attempt(each["text"], check(each["text"]) if each["text"] else (), each["state"])
            for each in row["attempts"]
        )
        parts = tuple(row["dropped"]), tuple(row["borrowed"]), row["fallback"]
        comment = Comment(row["text"], method, model)
        comments.append(Verified(comment, attempts, check(comment.text), *parts))
    return comments


# ---------------------------------------------------------------- mending


def mend(text: str, check: Check, *, again: bool = False) -> tuple[str, tuple[str, ...]]:
    """Return a comment without the clauses that hold false claims, and what was left out.

    The rest is checked again, since a pronoun may come to stand for something else, until no
    claim in it is false. A comment with nothing to leave out comes back as it is.

    Parameters
    ----------
    text
        The comment.
    check
        Returns the claims of a text on the same move.
    again
        Whether it was written when asked again: what only answers the one who asked is then
        left out too.
    """
    parts, reply = cut(text), _PATTERNS["reply"]
    replies = {index for index, part in enumerate(parts) if again and reply.search(part.text)}
    if not false_of(check(text)) and not replies:
        return text, ()
    left, kept = "", without(parts, frozenset(range(len(parts))), replies)
    while kept:
        left, spans = join(parts, kept)
        false = [each.claim.span for each in false_of(check(left))]
        if not false:
            break
        holding = {
            index
            for index, (start, stop) in spans.items()
            if any(first < stop and start < last for first, last in false)
        } or set(kept)
        words = {parts[index].text.lower() for index in holding}
        repeating = {index for index, part in enumerate(parts) if part.text.lower() in words}
        kept = without(parts, kept, holding | repeating)
    dropped = tuple(part.text for index, part in enumerate(parts) if index not in kept)
    return left if kept else "", dropped


# ---------------------------------------------------------------- clauses

_PATTERNS: Final = {name: re.compile(each) for name, each in PHRASES["clause_patterns"].items()}
#: Tags of the claim reader's words that are verbs (see :mod:`chessgloss.claims.lexicon`).
_VERBS: Final = frozenset("adVxrWcmkieDgpOs^bvh")
_SUBJECT: Final = frozenset("NCTSMzJPL")


@dataclass(frozen=True, slots=True)
class Part:
    """A part of a comment.

    Parameters
    ----------
    text
        Its words, without joint and stop.
    joint
        What joins it to the part before, or blanks at the start of a sentence.
    sentence
        Number of its sentence, from 0.
    stop
        The stop of its sentence.
    leans
        It has no subject of its own.
    announces
        It is a head before a colon.
    """

    text: str
    joint: str
    sentence: int
    stop: str
    leans: bool = False
    announces: bool = False


def cut(text: str) -> tuple[Part, ...]:
    """Return the clauses of a comment, each of which can be left out, in order.

    A sentence is cut where a coordinate clause, a participle or a relative clause begins. A
    part that has no subject of its own leans on the part before it and goes with it; so does
    a part whose pronoun would lose what it stands for.
    """
    return tuple(
        part
        for number, (start, stop) in enumerate(sentence_spans(text))
        for part in _parts(text[start:stop], number)
    )


def sentence_spans(text: str) -> list[tuple[int, int]]:
    """Return start and end of each sentence; the claim reader decides what a full stop is."""
    starts = [sentence.start for sentence in sentences(text, chunk(text, tokenise(text)))] or [0]
    return list(zip([0, *starts[1:]], [*starts[1:], len(text)], strict=True))


def join(parts: Sequence[Part], kept: Set[int]) -> tuple[str, dict[int, tuple[int, int]]]:
    """Return the text of some parts, and where each of them stands in it.

    A sentence whose first part is gone begins with the first that is kept; a joint is the
    kept part's own, but a colon or semicolon between two kept parts stays.
    """
    text, spans, last = "", {}, -1
    for index in sorted(kept):
        part = parts[index]
        words = part.text
        if last >= 0 and parts[last].sentence == part.sentence:
            joints = [each.joint for each in parts[last + 1 : index + 1]]
            text += next((joint for joint in joints if joint.startswith((":", ";"))), joints[-1])
        else:
            text += f"{parts[last].stop} " if last >= 0 else ""
            if not re.match(r"[a-h](?:[1-8x]|-)", words):  # a square or a move stays small
                words = words[:1].upper() + words[1:]
        spans[index] = (len(text), len(text) + len(words))
        text += words
        last = index
    return (text + parts[last].stop if kept else ""), spans


def without(parts: Sequence[Part], kept: Set[int], gone: Set[int]) -> frozenset[int]:
    """Return what is kept once some parts are gone, and what cannot stand without them."""
    left = set(kept) - set(gone)
    for index in sorted(left):
        if _falls(parts, left, index):
            left.discard(index)
    return frozenset(index for index in left if not _is_idle(parts, left, index))


def _falls(parts: Sequence[Part], left: Set[int], index: int) -> bool:
    """Tell whether a part has lost its subject, or what its pronoun stands for."""
    part, head = parts[index], index
    while head > 0 and parts[head].leans and parts[head - 1].sentence == part.sentence:
        head -= 1
    if part.leans and head != index and (head not in left or parts[head].leans):
        return True
    if _PATTERNS["pair"].search(part.text) and not part.announces:
        return any(k not in left for k in range(index) if parts[k].sentence >= part.sentence - 1)
    return index > 0 and index - 1 not in left and bool(_PATTERNS["leaning"].search(part.text))


def _is_idle(parts: Sequence[Part], left: Set[int], index: int) -> bool:
    """Tell whether a head announces what is gone, or two things of which one is gone."""
    part = parts[index]
    announced = [k for k in range(index + 1, len(parts)) if parts[k].sentence == part.sentence]
    there = sum(k in left for k in announced)
    idle = there == 0 or (
        there < min(2, len(announced)) and bool(_PATTERNS["pair"].search(part.text))
    )
    return part.announces and idle and not _PATTERNS["judgement"].search(part.text)


def _parts(sentence: str, number: int) -> Iterator[Part]:
    body = sentence.strip()
    bare = body.rstrip(".!?…\"' ")
    stop = re.sub(r"[\"' ]", "", body[len(bare) :]) or "."
    begin, joint, leans = 0, "", False
    for match in _cuts(bare):
        colon = match["colon"] is not None
        yield Part(bare[begin : match.start()], joint, number, stop, leans, colon)
        begin, joint = match.end(), match.group()
        leans = _leans(bare[begin:], joint)
    if bare[begin:].strip():
        yield Part(bare[begin:], joint, number, stop, leans)


def _cuts(sentence: str) -> Iterator[re.Match[str]]:
    """Yield the places where a sentence may be cut cleanly."""
    begin = 0
    for match in _PATTERNS["joint"].finditer(sentence):
        before, after = sentence[begin : match.start()], sentence[match.end() :]
        if _PATTERNS["paired"].search(before) and match.group()[0] not in ";:":
            continue
        sharp = re.match(r"[:;]|\s[-–—]", match.group()) is not None
        if sharp or (_says(before) and _begins_clause(after, match.group())):
            yield match
            begin = match.end()


def _words(text: str) -> list[Element]:
    return [element for element in chunk(text, tokenise(text)) if element.tag != "~"]


def _is_finite(element: Element) -> bool:
    word = element.word.split()[0]
    if word.endswith("ing"):
        return False
    if element.tag == "n":
        return _PATTERNS["denial"].fullmatch(word) is not None
    return element.tag in _VERBS or _PATTERNS["finite"].fullmatch(word) is not None


def _says(text: str) -> bool:
    """Tell whether a text has a finite verb, or is a participle with what belongs to it."""
    return bool(re.match(r"\w+ing\b", text)) or any(map(_is_finite, _words(text)))


def _begins_with_verb(words: Sequence[Element]) -> bool:
    return bool(words) and _is_finite(words[0]) and words[0].tag not in _SUBJECT


def _leans(after: str, joint: str) -> bool:
    """Tell whether a part has no subject of its own: it begins with a verb, or ``which``."""
    relative = "which" in joint or "who" in joint or re.match(r"\w+ing\b", after)
    return bool(relative) or _begins_with_verb(_words(after))


def _begins_clause(after: str, joint: str) -> bool:
    """Tell whether a clause begins here: with a verb, or with a subject and its verb."""
    if re.match(r",\s+$", joint):
        return True
    words = _words(re.split(r"[;:]", after)[0])[:7]
    if not words or _begins_with_verb(words):
        return bool(words)
    for word in words[1:]:  # does a verb come before a stop or another joint?
        if word.tag in ".,;&":
            return False
        if _is_finite(word):
            return words[0].tag in _SUBJECT
    return False


# ---------------------------------------------------------------- claims listed by a model


@dataclass(frozen=True, slots=True)
class Listed:
    """A line of a model's list of claims.

    Parameters
    ----------
    reading
        What became of it: it names a ``claim``, its words are ``not in the comment``, or it is
        ``unread``, no such line.
    kind
        Kind of the claim; ``None`` if it names none.
    span
        Where its words stand in the comment.
    """

    reading: Literal["claim", "not in the comment", "unread"]
    kind: str | None = None
    span: tuple[int, int] = (0, 0)


def asked_texts(count: int = COMMENTS) -> list[GoldText]:
    """Return the labelled comments whose claims a model lists, spread over the half to build on."""
    texts = list(read_gold(find_project() / "data" / "claims" / "dev.jsonl"))
    return texts[:: max(1, len(texts) // count)][:count]


def extraction_requests(texts: Iterable[GoldText] | None = None) -> list[Request]:
    """Return the questions for the claims of labelled comments, by default :func:`asked_texts`."""
    prompt = load_prompt("extract_claims")
    return [
        Request(
            prompt.fill(comment=quoted(gold.text)),
            Sampling(temperature=0.0, max_tokens=LIST_TOKENS, seed=1),
            prompt=prompt.label,
            about={"of": gold.key},
        )
        for gold in (asked_texts() if texts is None else texts)
    ]


def read_claims(answer: Answer, text: str) -> list[Listed]:
    """Read a model's list of the claims of a comment, strictly.

    A line is kind, bar, words, and counts only if the kind is known and the words stand in the
    comment: a model finds, it does not judge. An answer that was cut off is read up to its
    last whole line. Words that stand in the comment more than once are taken where they were
    not taken yet.
    """
    lines = answer.text.splitlines() if answer.state in (State.ANSWERED, State.CUT_OFF) else []
    read: list[Listed] = []
    for line in lines[:-1] if answer.state == State.CUT_OFF else lines:
        if line.strip().lower() in ("", "none"):
            continue
        match = _PATTERNS["listed"].fullmatch(line)
        if match is None or (kind := match["kind"].lower()) not in get_args(Kind):
            read.append(Listed("unread"))
            continue
        words = match["words"].strip("\"'“”‘’ ")
        spans = [place.span() for place in re.finditer(re.escape(words), text)] if words else []
        free = [span for span in spans if span not in {each.span for each in read}]
        read.append(Listed("claim", kind, free[0]) if free else Listed("not in the comment"))
    return read
