"""Looks at the board: pieces on squares, attacks, defences, pieces left loose."""

from __future__ import annotations

import re

import chess

from chessgloss.claims.actors import acting_squares, name
from chessgloss.claims.lexicon import VAGUE_VERBS
from chessgloss.claims.outcomes import Finding, absent, fails, holds, truth, unknown
from chessgloss.claims.records import Claim, Term
from chessgloss.claims.scene import Moment, Scene
from chessgloss.facts.board import attackers, line_pieces, pin_lines
from chessgloss.facts.tactics import captures

_PLURAL = re.compile(
    r"\b(?:king|queen|rook|bishop|knight|pawn|piece|minor|horse)s\b|\bboth\b", re.IGNORECASE
)


def stands(claim: Claim, moment: Moment, scene: Scene) -> Finding:
    """Look whether the pieces stand on their squares."""
    for term in claim.objects:
        if not term.found(moment.board):
            there = None if term.square is None else name(moment.board, term.square)
            return fails(f"there is {there or 'no such piece'}")
    squares = [name(moment.board, term.found(moment.board)[0]) for term in claim.objects]
    return holds(f"there is {' and '.join(squares)}")


def attacks(claim: Claim, moment: Moment, scene: Scene) -> Finding:
    """Look whether the pieces named attack all that they are said to attack."""
    found = _all_objects(claim, moment, hostile=True)
    on_king = any(term.pieces == {chess.KING} for term in claim.objects)
    if on_king and claim.tense != "after" and found.outcome == "fails":
        return unknown("an attack on a king takes many forms")
    return found


def defends(claim: Claim, moment: Moment, scene: Scene) -> Finding:
    """Look whether the pieces named defend all that they are said to defend."""
    found = _all_objects(claim, moment, hostile=False)
    if any(term.pieces == {chess.KING} for term in claim.objects) and found.outcome != "absent":
        return unknown("a king is sheltered rather than defended")
    loose = found.outcome == "fails" and _verb(claim) in VAGUE_VERBS
    return unknown(found.evidence) if loose else found


def controls(claim: Claim, moment: Moment, scene: Scene) -> Finding:
    """Look whether all the squares are attacked by what is said to control them."""
    return _all_objects(claim, moment, hostile=None)


def _all_objects(claim: Claim, moment: Moment, *, hostile: bool | None) -> Finding:
    board = moment.board
    actors = acting_squares(claim.subjects, moment) if claim.subjects else _anyone(board)
    if not actors:
        return absent("there is no such piece")
    wanted = _told_count(claim)
    if wanted is not None and claim.objects:
        return _counted(claim, moment, wanted, hostile)
    reasons: list[Finding] = []
    for term in claim.objects:
        found = _one_object(claim, moment, actors, term, hostile)
        if found.outcome != "holds":
            return found
        reasons.append(found)
    if claim.together and (idle := _idle(claim, moment, hostile)):
        return idle
    if _names_one_group(claim) and not any(
        all(_acts(claim, moment, group, term, hostile) for term in claim.objects)
        for group in _groups(claim, board, actors)
    ):
        verb = "defends" if hostile is False else "attacks"
        return fails(f"no such piece {verb} all of them")
    return holds(", ".join(one.evidence for one in reasons))


def _idle(claim: Claim, moment: Moment, hostile: bool | None) -> Finding | None:
    """Return what is wrong with a subject that acts on none of the objects, if there is one."""
    for subject in claim.subjects:
        actors = acting_squares([subject], moment)
        if not actors:
            return absent(f"there is no {subject.text}")
        found = [_one_object(claim, moment, actors, term, hostile) for term in claim.objects]
        if all(one.outcome != "holds" for one in found):
            return next((one for one in found if one.outcome == "unknown"), found[0])
    return None


def _acts(
    claim: Claim, moment: Moment, actors: list[chess.Square], term: Term, hostile: bool | None
) -> bool:
    return _one_object(claim, moment, actors, term, hostile).outcome == "holds"


def _names_one_group(claim: Claim) -> bool:
    """Tell whether the words name one piece as acting, or several of one kind."""
    return len(claim.subjects) == 1 and claim.subjects[0].role == "piece"


def _groups(
    claim: Claim, board: chess.Board, actors: list[chess.Square]
) -> list[list[chess.Square]]:
    """Return who may be meant: each piece by itself, or with a plural those of one side."""
    if _PLURAL.search(claim.subjects[0].text) is None:
        return [[actor] for actor in actors]
    return [[actor for actor in actors if board.color_at(actor) == side] for side in chess.COLORS]


def _told_count(claim: Claim) -> int | None:
    counts = [int(one[6:]) for one in claim.detail if one.startswith("count=")]
    return counts[0] if counts else None


def _counted(claim: Claim, moment: Moment, wanted: int, hostile: bool | None) -> Finding:
    """Look whether as many pieces attack or defend a square as the words say."""
    board = moment.board
    targets = _targets(claim.objects[0], moment)
    if not targets:
        return absent(f"there is no {claim.objects[0].text}")
    target = targets[0]
    owner = board.color_at(target)
    if owner is None:
        return unknown("whose pieces count is not said")
    side = not owner if hostile else owner
    direct = len(attackers(board, side, target, barred=True))
    free = len(attackers(board, side, target))
    hidden = _hidden(board, side, target)
    evidence = f"{direct} pieces look at {name(board, target)}"
    if wanted in (direct, free):
        return holds(evidence)
    return unknown(evidence) if direct < wanted <= direct + hidden else fails(evidence)


def _hidden(board: chess.Board, side: chess.Color, target: chess.Square) -> int:
    """Count the line pieces that stand behind another attacker of their own side."""
    behind = line_pieces(board, side, target) & ~board.attackers_mask(side, target)
    return sum(
        bool(board.attackers_mask(side, target) & chess.between(square, target))
        for square in chess.scan_forward(behind)
    )


def _targets(term: Term, moment: Moment) -> list[chess.Square]:
    if term.role == "square" and term.square is not None:
        return [term.square]
    if term.role == "this":
        return acting_squares([term], moment)
    return term.found(moment.board)


def _anyone(board: chess.Board) -> list[chess.Square]:
    return list(chess.scan_forward(board.occupied))


def _one_object(
    claim: Claim, moment: Moment, actors: list[chess.Square], term: Term, hostile: bool | None
) -> Finding:
    board = moment.board
    verb = "defends" if hostile is False else "attacks"
    targets = _targets(term, moment)
    if not targets:
        return absent(f"there is no {term.text}")
    doubtful: Finding | None = None
    for actor in actors:
        side = board.color_at(actor)
        for target in targets:
            if not _opposed(board, side, target, term, hostile):
                continue
            if board.attacks_mask(actor) & chess.BB_SQUARES[target]:
                said = f"{name(board, actor)} {verb} {_square(board, target)}"
                return holds(f"{said}, but is pinned" if _barred(board, actor, target) else said)
            if _behind(board, actor, target) and _verb(claim) in VAGUE_VERBS:
                doubtful = unknown(f"{name(board, actor)} looks at {chess.square_name(target)}")
    if doubtful is not None:
        return doubtful
    who = name(board, actors[0]) if len(actors) == 1 else "no such piece"
    negation = f"does not {verb[:-1]}" if len(actors) == 1 else verb
    return fails(f"{who} {negation} {term.text}")


def _verb(claim: Claim) -> str:
    return claim.detail[0].split()[0] if claim.detail else ""


def _square(board: chess.Board, square: chess.Square) -> str:
    return name(board, square) if board.piece_at(square) else chess.square_name(square)


def _opposed(
    board: chess.Board,
    side: chess.Color | None,
    target: chess.Square,
    term: Term,
    hostile: bool | None,
) -> bool:
    """Tell whether the target's colour is right: the enemy's, one's own, or an empty square."""
    owner = board.color_at(target)
    if hostile is None or owner is None:
        return True
    return (owner != side) == hostile or term.role == "square"


def _barred(board: chess.Board, actor: chess.Square, target: chess.Square) -> bool:
    line = pin_lines(board, bool(board.color_at(actor))).get(actor)
    return line is not None and not line & chess.BB_SQUARES[target]


def _behind(board: chess.Board, actor: chess.Square, target: chess.Square) -> bool:
    """Tell whether a line piece looks at a square through others."""
    piece = board.piece_type_at(actor)
    straight = chess.BB_RANK_ATTACKS[actor][0] | chess.BB_FILE_ATTACKS[actor][0]
    reach = 0
    if piece in (chess.ROOK, chess.QUEEN):
        reach |= straight
    if piece in (chess.BISHOP, chess.QUEEN):
        reach |= chess.BB_DIAG_ATTACKS[actor][0]
    return bool(reach & chess.BB_SQUARES[target])


def loose(claim: Claim, moment: Moment, scene: Scene) -> Finding:
    """Look whether a piece is undefended, or can be won."""
    (term,) = claim.objects[:1]
    found = _targets(term, moment)
    if not found:
        return absent(f"there is no {term.text}")
    findings = [_loose_at(_verb(claim), moment.board, square) for square in found]
    if not term.definite and term.square is None:
        findings = [one for one in findings if one.outcome != "unknown"] or [
            fails("no such piece can be won")
        ]
    for outcome in ("holds", "unknown", "fails"):
        for finding in findings:
            if finding.outcome == outcome:
                return finding
    return findings[0]


def _loose_at(word: str, board: chess.Board, square: chess.Square) -> Finding:
    side = bool(board.color_at(square))
    defenders = attackers(board, side, square)
    enemies = attackers(board, not side, square)
    who = name(board, square)
    if word in ("undefended", "unprotected", "unguarded", "defenceless", "defenseless", "without"):
        return truth(not defenders, _count(board, who, "defended", defenders))
    if not enemies:
        evidence = f"nothing attacks {who}"
        return (
            fails(evidence)
            if defenders
            else (
                holds(evidence + " and nothing defends it")
                if word == "loose"
                else unknown(evidence)
            )
        )
    gains = [one.gain for one in captures(board, not side) if one.victim_square == square]
    won = not defenders or any(gain > 0 for gain in gains)
    return truth(won, _count(board, f"{who} is attacked and", "defended", defenders))


def _count(board: chess.Board, who: str, verb: str, by: chess.SquareSet) -> str:
    if not by:
        return f"{who} is {verb} by nothing"
    return f"{who} is {verb} by {', '.join(name(board, square) for square in by)}"
