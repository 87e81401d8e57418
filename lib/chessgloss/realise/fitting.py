"""Points put into sentences: phrasings that do not sound alike, within a number of words."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Final

from chessgloss.realise.grammar import count_words, may_open, opening, sentence, shuffled
from chessgloss.realise.points import AGAINST, WORTH_TELLING
from chessgloss.realise.records import Point, Realised

#: Words from which a comment needs no padding.
ENOUGH_WORDS: Final = 20
#: The least that may be asked for as ``most_words``.
LEAST_LIMIT: Final = 20
#: Sentences at most, and points told in them at most: one sentence may hold two.
MOST_SENTENCES: Final = 3
MOST_POINTS: Final = 4
#: Wordings tried before the shortest is taken.
TRIES: Final = 3


def fit(
    lead: Point,
    reasons: Sequence[Point],
    closers: Sequence[Point],
    *,
    key: str,
    most_words: int,
) -> Realised:
    """Return a comment of one to three sentences within ``most_words`` words.

    Points are left out until the rest fits: of the reasons the lighter first, then the closers
    but for the last, then the others.

    Parameters
    ----------
    lead
        The opening clause.
    reasons
        What else could be said, weightiest first.
    closers
        What the comment ends on, in this order.
    key
        Chooses the wording.
    most_words
        Words at most, at least 20.

    Raises
    ------
    ValueError
        If ``most_words`` is too small.
    """
    if most_words < LEAST_LIMIT:
        raise ValueError(f"most_words must be at least {LEAST_LIMIT}, got {most_words}")
    for points in _selections(lead, reasons, closers):
        if told := _word_within(points, key, most_words):
            return _pad(told, points, reasons, closers, key, most_words)
    raise AssertionError(f"no opening clause has at most {most_words} words")


def _selections(
    lead: Point, reasons: Sequence[Point], closers: Sequence[Point]
) -> Iterator[tuple[Point, ...]]:
    """Yield what could be told together, the fullest first."""
    strong = [point for point in reasons if point.weight >= WORTH_TELLING]
    main = strong[: min(2, MOST_POINTS - 1 - len(closers))]
    yield (lead, *main, *closers)
    if len(main) > 1:
        yield (lead, main[0], *closers)
    if len(closers) > 1:
        yield (lead, *main[:1], closers[-1])
    yield (lead, *main[:1])
    yield (lead, *closers[-1:])
    yield (lead,)


def _pad(
    told: Realised,
    points: tuple[Point, ...],
    reasons: Sequence[Point],
    closers: Sequence[Point],
    key: str,
    most_words: int,
) -> Realised:
    """Add lesser reasons to a comment that is too short, before what it ends on."""
    for point in reasons:
        if len(points) >= MOST_POINTS or count_words(told.text) >= ENOUGH_WORDS:
            break
        if point in points:
            continue
        body = [one for one in points if one not in closers]
        longer = (*body, point, *(one for one in points if one in closers))
        if padded := _word_within(longer, key, most_words):
            told, points = padded, longer
    return told


def _word_within(points: Sequence[Point], key: str, most_words: int) -> Realised | None:
    """Return the first wording that is short enough, the shortest at last; ``None`` if none is."""
    for attempt in range(TRIES + 1):
        told = _word(points, f"{key}|{attempt}", shortest=attempt == TRIES)
        if count_words(told.text) <= most_words:
            return told
    return None


def _word(points: Sequence[Point], key: str, *, shortest: bool) -> Realised:
    clauses = _phrase(points, key, shortest=shortest)
    groups = _group(clauses, points, key)
    sentences = tuple(sentence(clause) for clause in groups)
    facts = tuple(dict.fromkeys(fact for point in points for fact in point.facts))
    return Realised(" ".join(sentences), facts, sentences)


def _phrase(points: Sequence[Point], key: str, *, shortest: bool) -> list[str]:
    """Choose a phrasing of each point; no two begin alike if that can be helped."""
    chosen: list[str] = []
    heard: set[str] = set()
    for point in points:
        options = [one for one in shuffled(point.phrasings, key) if may_open(one)]
        if shortest:
            options.sort(key=count_words)
        fresh = (one for one in options if opening(one) not in heard)
        clause = next(fresh, options[0])
        heard.add(opening(clause))
        chosen.append(clause)
    return chosen


def _group(clauses: Sequence[str], points: Sequence[Point], key: str) -> list[str]:
    """Join two clauses that follow each other, if there are too many or it reads well."""
    if len(clauses) < 2:
        return list(clauses)
    pairs = range(min(len(clauses) - 1, 2))
    load = [_load(clauses[n]) + _load(clauses[n + 1]) for n in pairs]
    best = min(pairs, key=lambda n: (load[n], shuffled((clauses[n], clauses[n + 1]), key)))
    wanted = shuffled(("join", "leave"), key)[0] == "join" and load[best] == 0
    if len(clauses) <= MOST_SENTENCES and not wanted:
        return list(clauses)
    against = points[best + 1].key in AGAINST and points[best].key not in AGAINST
    joined = f"{clauses[best]}, {'but' if against else 'and'} {clauses[best + 1]}"
    return [*clauses[:best], joined, *clauses[best + 2 :]]


def _load(clause: str) -> int:
    """Return how much a clause holds already: conjunctions and commas."""
    return 2 * clause.count(" and ") + clause.count(",")
