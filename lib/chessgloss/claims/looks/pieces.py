"""Looks at pieces: where they stand, what they attack, defend and control."""

from __future__ import annotations

import re
from dataclasses import replace
from itertools import product

import chess

from chessgloss.claims.lexicon import words
from chessgloss.claims.looks.finding import (
    Finding,
    absent,
    fails,
    holds,
    truth,
    unknown,
)
from chessgloss.claims.parser import Claim, Term
from chessgloss.claims.scene import (
    PLURAL,
    Moment,
    Scene,
    acting_squares,
    is_king,
    name,
    ways_to_play,
)
from chessgloss.predicates import board as boards
from chessgloss.predicates import tactics


def stands(claim: Claim, moment: Moment, scene: Scene) -> Finding:
    """Look whether the pieces stand on their squares."""
    board = moment.board
    for term in claim.objects:
        if not term.squares(board):
            there = "no such piece" if term.square is None else name(board, term.square)
            # ``the Rf1`` may be a move
            doubtful = term.move is not None and ways_to_play(scene.moments, term)
            return truth(False, f"there is {there}", certain=not doubtful)
    pieces = [name(board, term.squares(board)[0]) for term in claim.objects]
    return holds(f"there is {' and '.join(pieces)}")


def attacks(claim: Claim, moment: Moment, scene: Scene) -> Finding:
    """Look whether the pieces named attack, defend or control all that they are said to."""
    finding = _act_on_all(claim, moment)
    empty = any(
        term.role == "square" and moment.board.piece_at(term.square or 0) is None
        for term in claim.objects
    )
    if empty and not claim.subjects and finding.outcome == "holds":
        return unknown("whose pieces are meant is not said")
    on_king = any(map(is_king, claim.objects))
    failed = finding.outcome == "fails"
    if claim.relation == "attacks" and on_king and claim.tense != "after" and failed:
        return unknown("an attack on a king takes many forms")
    if claim.relation == "defends" and on_king and finding.outcome != "absent":
        return unknown("a king is sheltered rather than defended")
    if failed and claim.detail.verb.startswith(
        ("eye", "keeps an eye", "keeping an eye")
    ):
        # one may keep an eye on what one protects
        own = _act_on_all(replace(claim, relation="defends"), moment)
        return own if own.outcome == "holds" else finding
    vague = claim.relation == "defends" and failed and _is_vague(claim)
    return unknown(finding.evidence) if vague else finding


def _act_on_all(claim: Claim, moment: Moment) -> Finding:
    """Look whether the subjects attack (or defend) every object, in the numbers said."""
    if claim.subjects:
        actors = acting_squares(claim.subjects, moment)
    else:
        actors = list(chess.SquareSet(moment.board.occupied))
    if not actors:
        return absent("there is no such piece")
    if claim.detail.count is not None and claim.objects:
        counted = _counted(claim, moment, claim.detail.count)
        by_these = all(term.role == "piece" for term in claim.subjects)
        if counted.outcome != "holds" or not claim.subjects or not by_these:
            return counted
    findings = [_act_on_some(claim, moment, actors, term) for term in claim.objects]
    for finding in findings:
        if finding.outcome != "holds":
            return finding
    evidence = ", ".join(finding.evidence for finding in findings)
    return (
        _not_each_acts(claim, moment)
        or _not_one_acts_on_all(claim, moment, actors)
        or _not_so_many_act(claim, moment)
        or holds(evidence)
    )


def _act_on_some(
    claim: Claim, moment: Moment, actors: list[chess.Square], term: Term
) -> Finding:
    """Look whether the actors attack (or defend) as many of what a term means as it says."""
    if term.role != "piece" or (term.least == 1 and not term.every):
        return _act_on(claim, moment, actors, term)
    sides = {moment.board.color_at(actor) for actor in actors}
    of_actors = claim.relation != "attacks"
    targets = [
        target
        for target in term.squares(moment.board)
        if (moment.board.color_at(target) in sides) == of_actors
    ]
    if not targets:
        return unknown(f"there is no {term.text}")
    least = len(targets) if term.every else term.least
    each = [replace(term, square=target, least=1, every=False) for target in targets]
    findings = [_act_on(claim, moment, actors, target) for target in each]
    hit = [finding for finding in findings if finding.outcome == "holds"]
    evidence = f"{len(hit)} of {term.text}, {len(targets)} on the board"
    return truth(0 < least <= len(hit), evidence)


def _not_so_many_act(claim: Claim, moment: Moment) -> Finding | None:
    """Return what is against it that as many act as the subject says: ``two rooks``."""
    for subject in claim.subjects:
        exact = _EXACTLY.search(subject.text)
        many = subject.least > 1 or subject.every or exact
        if subject.role != "piece" or not many:
            continue
        own = acting_squares([subject], moment)
        acting = 0
        for actor in own:
            alone = [_act_on(claim, moment, [actor], term) for term in claim.objects]
            acting += all(finding.outcome == "holds" for finding in alone)
        evidence = f"{acting} of them {_verb(claim)[:-1]} it"
        least = len(own) if subject.every else subject.least
        if acting < least:
            return fails(evidence)
        if acting > least:
            return fails(evidence) if exact else unknown(evidence)
    return None


#: No more of them act than is said: ``by a single pawn``, ``exactly two rooks``.
_EXACTLY = re.compile(r"\b(?:single|lone|only one|exactly)\b", re.IGNORECASE)


def _not_each_acts(claim: Claim, moment: Moment) -> Finding | None:
    """Return what is against it that each of the subjects acts, if the words say so."""
    if not claim.together:
        return None
    for subject in claim.subjects:
        own = acting_squares([subject], moment)
        if not own:
            return absent(f"there is no {subject.text}")
        alone = [_act_on(claim, moment, own, term) for term in claim.objects]
        if all(finding.outcome != "holds" for finding in alone):
            open_ = (each for each in alone if each.outcome == "unknown")
            return next(open_, alone[0])
    return None


def _not_one_acts_on_all(
    claim: Claim, moment: Moment, actors: list[chess.Square]
) -> Finding | None:
    """Return what is against it that one piece, of those the subject can mean, acts on all.

    With a plural (``the rooks``) the pieces of one side do so together.
    """
    if len(claim.subjects) != 1 or claim.subjects[0].role != "piece":
        return None
    groups = [[actor] for actor in actors]
    if PLURAL.search(claim.subjects[0].text):
        groups = [
            [actor for actor in actors if moment.board.color_at(actor) == side]
            for side in chess.COLORS
        ]
    for group in groups:
        acted = (_act_on(claim, moment, group, term) for term in claim.objects)
        if all(finding.outcome == "holds" for finding in acted):
            return None
    return fails(f"no such piece {_verb(claim)} all of them")


def _verb(claim: Claim) -> str:
    return "defends" if claim.relation == "defends" else "attacks"


def _is_vague(claim: Claim) -> bool:
    """Tell whether the verb is also used where other pieces stand between."""
    return claim.detail.verb.partition(" ")[0] in words("vague")


def _targets(term: Term, moment: Moment) -> list[chess.Square]:
    """Return the squares that a term means as what is acted on, empty ones that it names too."""
    if term.role == "square" and term.square is not None:
        return [term.square]
    return (
        acting_squares([term], moment)
        if term.role == "this"
        else term.squares(moment.board)
    )


def _act_on(
    claim: Claim, moment: Moment, actors: list[chess.Square], term: Term
) -> Finding:
    """Look whether one of the actors attacks (or defends) what a term means."""
    board = moment.board
    verb = _verb(claim)
    targets = _targets(term, moment)
    doubtful = None
    if not targets:
        return absent(f"there is no {term.text}")
    for actor, target in product(actors, targets):
        side = bool(board.color_at(actor))
        owner = board.color_at(target)
        named = term.role == "square" and bool(claim.subjects)
        any_side = claim.relation == "controls" or owner is None or named
        if not any_side and (owner != side) != (claim.relation == "attacks"):
            continue
        aim = chess.BB_SQUARES[target]
        if board.attacks_mask(actor) & aim:
            square = chess.square_name(target) if owner is None else name(board, target)
            free = board.pin_mask(side, actor) & aim
            return holds(
                f"{name(board, actor)} {verb} {square}{'' if free else ', but is pinned'}"
            )
        if (
            _is_vague(claim)
            and boards.line_pieces(board, side, target) & chess.BB_SQUARES[actor]
        ):
            doubtful = unknown(
                f"{name(board, actor)} looks at {chess.square_name(target)}"
            )
    if doubtful is None and len(actors) == 1:
        return fails(f"{name(board, actors[0])} does not {verb[:-1]} {term.text}")
    return doubtful or fails(f"no such piece {verb} {term.text}")


def _counted(claim: Claim, moment: Moment, wanted: int) -> Finding:
    """Look whether as many pieces attack or defend a square as the words say."""
    board = moment.board
    term = claim.objects[0]
    targets = _targets(term, moment)
    if not targets:
        return absent(f"there is no {term.text}")
    target = targets[0]
    owner = board.color_at(targets[0])
    if owner is None:
        return unknown("whose pieces count is not said")
    side = owner != (claim.relation == "attacks")
    direct = board.attackers_mask(side, target)
    # line pieces that stand behind another attacker of their own side
    behind = chess.SquareSet(boards.line_pieces(board, side, target) & ~direct)
    hidden = sum(bool(direct & chess.between(square, target)) for square in behind)
    count = direct.bit_count()
    right = wanted in (count, len(boards.attackers(board, side, target)))
    certain = not count < wanted <= count + hidden
    return truth(
        right, f"{count} pieces look at {name(board, target)}", certain=certain
    )


def loose(claim: Claim, moment: Moment, scene: Scene) -> Finding:
    """Look whether a piece is undefended, or can be won."""
    term = claim.objects[0]
    word = claim.detail.verb.partition(" ")[0]
    squares = _targets(term, moment)
    if not squares:
        return absent(f"there is no {term.text}")
    findings = [_loose_at(word, moment.board, square) for square in squares]
    return min(
        findings, key=lambda each: ("holds", "unknown", "fails").index(each.outcome)
    )


def _loose_at(word: str, board: chess.Board, square: chess.Square) -> Finding:
    side = bool(board.color_at(square))
    who = name(board, square)
    defenders = boards.attackers(board, side, square)
    by = ", ".join(name(board, defender) for defender in defenders) or "nothing"
    if word.startswith(("un", "defen", "without", "has", "have", "lack")):
        return truth(not defenders, f"{who} is defended by {by}")
    if boards.attackers(board, not side, square):
        won = not defenders or any(
            loss.square == square for loss in tactics.hanging(board, side)
        )
        return truth(won, f"{who} is attacked and is defended by {by}")
    if defenders:
        return fails(f"nothing attacks {who}")
    open_ = f"nothing attacks {who}"
    return (
        holds(f"{open_} and nothing defends it") if word == "loose" else unknown(open_)
    )


def shelters(claim: Claim, moment: Moment, scene: Scene) -> Finding:
    """Look whether pawns stand before a king of theirs, on its file or one beside it."""
    board = moment.board
    kings = [
        king for term in claim.objects if is_king(term) for king in term.squares(board)
    ]
    if not kings:
        return absent("there is no such king")
    pawns = set(boards.shelter(board, bool(board.color_at(kings[0])))[1])
    evidence = f"{len(pawns)} pawns stand before {name(board, kings[0])}"
    return truth(
        all(pawns & {*term.squares(board)} for term in claim.subjects), evidence
    )
