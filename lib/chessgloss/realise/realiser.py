"""Comments from facts: choose what matters, put it into words, fit it into a few sentences."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from typing import Final

import chess

from chessgloss.facts.records import Fact, Facts
from chessgloss.facts.verdict import Verdict
from chessgloss.realise import points as what
from chessgloss.realise import structure
from chessgloss.realise.concepts import Concept, concept_point
from chessgloss.realise.fitting import fit
from chessgloss.realise.grammar import may_open, sentence
from chessgloss.realise.judgement import engine_fillers, is_bad, judgement
from chessgloss.realise.lead import lead
from chessgloss.realise.records import Point, Realised
from chessgloss.realise.scene import Scene, seen_by

#: What a verdict adds to the weight of points that it bears out, and takes from others.
SHIFT: Final = 14.0


def realise(
    facts: Facts,
    verdict: Verdict | None = None,
    concepts: Sequence[Concept] = (),
    *,
    seed: int = 0,
    most_words: int = 45,
) -> Realised:
    """Write a comment on a move from its facts.

    What the move is comes first, then why it matters, then what the expert network and the
    engine make of it: one to three sentences. Nothing is said that is not a fact of the move,
    so that the comment needs no model and no checking. The wording is chosen by a hash of the
    position, the move and the seed: the same on every run, another with another seed.

    Parameters
    ----------
    facts
        Facts of the move (see :func:`chessgloss.facts.gather.gather`), gathered with the same
        verdict if there is one.
    verdict
        What an engine says of the move, seen by the mover.
    concepts
        Name, side and change in standard deviations of concepts, most changed first.
    seed
        Chooses among phrasings.
    most_words
        Words at most, at least 20.

    Returns
    -------
    Realised
        The comment, the facts it tells and its sentences.

    Raises
    ------
    ValueError
        If ``most_words`` is too small, the verdict is seen by the other side, or a concept is
        unknown.
    """
    scene = Scene.of(facts.move)
    facts = _tellable(facts)
    key = f"{facts.move.position.fen}|{facts.move.uci}|{seed}"
    reasons = _ranked(scene, _all_points(scene, facts, verdict), verdict)
    closers = _closers(scene, facts, verdict, concepts)
    return fit(lead(scene, facts), reasons, closers, key=key, most_words=most_words)


def sentences_for(fact: Fact, facts: Facts, verdict: Verdict | None = None) -> tuple[str, ...]:
    """Return every sentence that can put a fact of a move into words.

    Parameters
    ----------
    fact
        One of ``facts``.
    facts
        All facts of the move: some wordings depend on what held before.
    verdict
        The verdict that engine facts come from.

    Returns
    -------
    tuple of str
        Sorted; empty for a fact that the realiser never tells.
    """
    ways = every_sentence(facts, verdict)
    return tuple(sorted(one for one, told in ways.items() if fact in told))


def every_sentence(facts: Facts, verdict: Verdict | None = None) -> dict[str, tuple[Fact, ...]]:
    """Return every sentence about a move, what the network sees apart, with the facts it tells.

    Parameters are those of :func:`sentences_for`. A comment holds these sentences, or two of
    them joined by a conjunction.
    """
    scene = Scene.of(facts.move)
    facts = _tellable(facts)
    points = [lead(scene, facts), *_all_points(scene, facts, verdict)]
    if verdict is not None and (judged := judgement(scene, facts, verdict)):
        points.append(judged)
    return {
        sentence(clause): point.facts
        for point in points
        for clause in point.phrasings
        if may_open(clause)
    }


def _tellable(facts: Facts) -> Facts:
    """Leave out the attacks and defences of pieces that have not moved: they are never told."""
    end = facts.move.uci[2:4]
    kept = (
        fact
        for fact in facts.facts
        if fact.kind not in ("attack", "defence") or fact.squares[0] == end
    )
    return Facts(facts.move, tuple(kept))


def _all_points(scene: Scene, facts: Facts, verdict: Verdict | None) -> Iterator[Point]:
    yield from structure.ends(scene, facts)
    if not any(scene.after.generate_legal_moves()):
        return
    for make in (
        what.tactics,
        what.threats,
        what.hanging,
        structure.exchanges,
        structure.material,
        structure.pawns,
        structure.files,
        structure.castled,
        structure.contacts,
        structure.fillers,
    ):
        yield from make(scene, facts)
    if verdict is not None:
        yield from engine_fillers(scene, facts, verdict)


def _ranked(scene: Scene, found: Iterator[Point], verdict: Verdict | None) -> tuple[Point, ...]:
    """Return the points by weight; of those alike, the first."""
    shifted = [replace(point, weight=point.weight + _shift(point, verdict)) for point in found]
    shifted.sort(key=lambda point: (-point.weight, point.key, _place(scene, point)))
    kept: list[Point] = []
    seen: set[str] = set()
    for point in shifted:
        if not (point.about | {point.key}) & seen:
            kept.append(point)
            seen |= point.about | {point.key}
    return tuple(kept)


def _place(scene: Scene, point: Point) -> list[int]:
    """Return the squares that a point speaks of, as the mover sees them."""
    squares = [chess.SQUARE_NAMES.index(one) for one in point.about if one in chess.SQUARE_NAMES]
    return sorted(seen_by(scene.us, square) for square in squares)


def _shift(point: Point, verdict: Verdict | None) -> float:
    """Return what a verdict adds to the weight of a point that it bears out or belies."""
    if verdict is None or point.key not in what.AGAINST | what.FOR:
        return 0.0
    return SHIFT if (point.key in what.AGAINST) == is_bad(verdict) else -SHIFT


def _closers(
    scene: Scene, facts: Facts, verdict: Verdict | None, concepts: Sequence[Concept]
) -> tuple[Point, ...]:
    """Return what the expert network sees and what the engine says, as far as they are given."""
    network = concept_point(scene, facts, concepts, bad=is_bad(verdict))
    judged = judgement(scene, facts, verdict) if verdict is not None else None
    return tuple(point for point in (network, judged) if point is not None)
