"""Looks at material: who is ahead, and how many pieces there are."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Final, TypeAlias

import chess

from chessgloss.claims.lexicon import cue, noun_pieces, number
from chessgloss.claims.looks.finding import Finding, fails, holds, truth, unknown
from chessgloss.claims.parser import Claim
from chessgloss.claims.scene import Moment, Scene, sides_or_both
from chessgloss.predicates import tactics
from chessgloss.predicates.words import side_name

#: How many pieces of each type a side has more than the other.
Surplus: TypeAlias = Mapping[chess.PieceType, int]


def _files(letters: str) -> chess.Bitboard:
    """Return the squares of some files."""
    squares = chess.BB_EMPTY
    for letter in letters:
        file = chess.FILE_NAMES.index(letter)
        squares |= chess.BB_FILES[file]
    return squares


#: The files of each wing: without the file in the centre, and with it. People mean either.
WINGS: Final[Mapping[str, tuple[chess.Bitboard, chess.Bitboard]]] = {
    "queen": (_files("abc"), _files("abcd")),
    "king": (_files("fgh"), _files("efgh")),
    "": (chess.BB_ALL, chess.BB_ALL),
}


def ahead(claim: Claim, moment: Moment, scene: Scene) -> Finding:
    """Look whether a side is ahead (or behind) in material, by what is said if anything is.

    Where no side is named, either may be.
    """
    sides = [bool(term.side) for term in claim.subjects]
    if claim.relation.startswith("behind"):
        sides = [not side for side in sides]
    board = moment.board
    findings = [_is_ahead(claim, board, side) for side in sides or chess.COLORS]
    for finding in findings:
        if finding.outcome == "holds":
            return finding
    return findings[0]


def _is_ahead(claim: Claim, board: chess.Board, side: chess.Color) -> Finding:
    pawns_up = _pawns_up(board, side)
    surplus = _surplus(board, side)
    evidence = f"{side_name(side)} is {pawns_up:+d} in pawns"
    detail = claim.detail
    if detail.items:
        if not _has_listed(surplus, detail.items):
            return fails(evidence)
        listed = _worth(detail.items)
        return truth(pawns_up == listed, evidence, certain=False)
    count = 1 if detail.count is None else detail.count
    words = detail.unit.split() or [""]
    unit = words[-1].removesuffix("s")
    is_ahead = _is_ahead_by(unit, count, pawns_up, surplus)
    if is_ahead and _is_more_apart(unit, count, pawns_up, surplus):
        return unknown(f"{evidence}, which is not all")
    return truth(is_ahead, evidence)


def _is_more_apart(unit: str, count: int, pawns_up: int, surplus: Surplus) -> bool:
    """Tell whether the sides differ in more pieces than in those of which one is said to be up."""
    if unit not in chess.PIECE_NAMES[1:]:
        return False
    kind = chess.PIECE_NAMES.index(unit)
    worth = tactics.VALUES[kind]
    if pawns_up == worth * count:
        # a knight may be up where a bishop is told
        if kind == chess.PAWN:
            return False
        return surplus[kind] < count
    pieces = {*chess.PIECE_TYPES[1:-1]}
    pieces.discard(kind)
    return any(surplus[each] for each in pieces)


def _has_listed(surplus: Surplus, items: str) -> bool:
    """Tell whether a side has so many more of each kind that a list names."""
    listed = _listed(items)
    return all(_has_more(surplus, noun) == count for noun, count in listed)


def _worth(items: str) -> int:
    """Return what a list of pieces is worth, in pawns; a piece of no kind is three."""
    worth = 0
    for noun, count in _listed(items):
        kinds = noun_pieces(noun)
        kind = min(kinds) if len(kinds) == 1 else chess.KNIGHT
        worth += count * tactics.VALUES[kind]
    return worth


def _pawns_up(board: chess.Board, side: chess.Color) -> int:
    balance = tactics.balance(board)
    if side == chess.WHITE:
        return balance
    return -balance


def _surplus(board: chess.Board, side: chess.Color) -> Surplus:
    """Return how many pieces of each type a side has more than the other."""
    surplus = {}
    for kind in chess.PIECE_TYPES:
        own = len(board.pieces(kind, side))
        other = len(board.pieces(kind, not side))
        surplus[kind] = own - other
    return surplus


def _listed(words: str) -> list[tuple[str, int]]:
    """Return the nouns of a list of pieces, each with its number: ``a queen and two pawns``."""
    listed = []
    for item in cue("item").finditer(words):
        count = number(item["count"])
        listed.append((item["noun"], count))
    return listed


def _has_more(surplus: Surplus, noun: str) -> int:
    """Return how many pieces that a noun can mean a side has more."""
    kinds = noun_pieces(noun)
    if noun.startswith("piece"):
        kinds -= {chess.PAWN}
    return sum(surplus[kind] for kind in kinds)


def _is_ahead_by(unit: str, count: int, pawns_up: int, surplus: Surplus) -> bool:
    """Tell whether a side is ahead by so many units, by worth or by the pieces themselves.

    A piece is three pawns, or one more of the knights, bishops, rooks and queens; the exchange
    is a rook for a knight or a bishop.
    """
    knights = surplus[chess.KNIGHT]
    minors = knights + surplus[chess.BISHOP]
    rooks = surplus[chess.ROOK]
    if unit == "":
        return pawns_up > 0
    if unit == "point":
        return pawns_up == count
    if unit in ("piece", "minor"):
        if pawns_up == 3 * count:
            return True
        pieces = minors + rooks + surplus[chess.QUEEN]
        return pieces == count and pawns_up > 0
    if unit == "exchange":
        return rooks == count and minors == -count
    (kind,) = noun_pieces(unit)
    if pawns_up == tactics.VALUES[kind] * count:
        return True
    least = count if kind == chess.PAWN else 1
    return surplus[kind] == count and pawns_up >= least


def in_return(claim: Claim, moment: Moment, scene: Scene) -> Finding:
    """Look whether a side has some pieces for others: ``a rook for two knights``.

    Where it is said to have given them up, the other side has them. What can be taken back on
    the square of the move is not settled.
    """
    (term,) = claim.subjects
    detail = claim.detail
    side = bool(term.side)
    if detail.result == "loses":
        side = not side
    surplus = _surplus(moment.board, side)
    said = dict.fromkeys(chess.PIECE_TYPES, 0)
    lists = {1: detail.items, -1: detail.others}
    for sign, words in lists.items():
        for noun, count in _listed(words):
            kinds = noun_pieces(noun)
            if len(kinds) > 1:
                return unknown("which piece is meant is not said")
            said[next(iter(kinds))] += sign * count
    evidence = f"{side_name(side)} is {_pawns_up(moment.board, side):+d} in pawns"
    listed = [kind for kind, count in said.items() if count or kind != chess.PAWN]
    if all(said[kind] == surplus[kind] for kind in listed):
        return holds(evidence)
    if _can_take_back(moment):
        return unknown(evidence)
    for kind, count in said.items():
        if count and count * surplus[kind] <= 0:
            return fails(evidence)
    for kind in chess.PIECE_TYPES[1:]:
        if surplus[kind] and not said[kind]:
            return unknown(evidence)
    return fails(evidence)


def _can_take_back(moment: Moment) -> bool:
    """Tell whether there is a capture on the square of the move that led to a moment."""
    if moment.last is None:
        return False
    (_, move) = moment.last
    square = chess.BB_SQUARES[move.to_square]
    return any(moment.board.generate_legal_captures(chess.BB_ALL, square))


def level(claim: Claim, moment: Moment, scene: Scene) -> Finding:
    """Look whether material is equal."""
    pawns_up = tactics.balance(moment.board)
    evidence = f"White is {pawns_up:+d} in pawns"
    return truth(pawns_up == 0, evidence)


def pair(claim: Claim, moment: Moment, scene: Scene) -> Finding:
    """Look whether a side has bishops on both colours of squares; both, if both are named.

    With ``whole`` it alone has them. What is being given up may still be there to be taken.
    """
    board = moment.board
    sides = sides_or_both(claim)
    having = [side for side in sides if _has_pair(board, side)]
    names = [side_name(side) for side in having] or ["neither side"]
    evidence = f"bishops on both colours: {' and '.join(names)}"
    if claim.detail.whole:
        everybody = [side for side in chess.COLORS if _has_pair(board, side)]
        return truth(everybody == sides, evidence)
    if claim.detail.result != "loses":
        least = len(sides) if claim.detail.both else 1
        return truth(len(having) >= least, evidence)
    if having:
        certain = claim.detail.made or not _is_bishop_given(moment)
        return truth(False, evidence, certain=certain)
    had = any(_has_pair(scene.before.board, side) for side in sides)
    return truth(had, evidence, certain=False)


def _is_bishop_given(moment: Moment) -> bool:
    """Tell whether a bishop has just moved to where it can be taken."""
    if moment.last is None:
        return False
    (_, move) = moment.last
    if moment.board.piece_type_at(move.to_square) != chess.BISHOP:
        return False
    return _can_take_back(moment)


def _has_pair(board: chess.Board, side: chess.Color) -> bool:
    bishops = board.pieces(chess.BISHOP, side)
    light = bishops & chess.BB_LIGHT_SQUARES
    dark = bishops & chess.BB_DARK_SQUARES
    return bool(light) and bool(dark)


def counts(claim: Claim, moment: Moment, scene: Scene) -> Finding:
    """Look whether a side has as many pieces of a kind as is said, on a wing if one is named."""
    side = bool(claim.subjects[0].side)
    noun = claim.detail.noun.split()[-1]
    if noun.startswith("piece"):
        return unknown("what counts as a piece is not said")
    files: Sequence[chess.Bitboard] = WINGS[claim.detail.wing]
    if claim.detail.file:
        files = (_files(claim.detail.file),)
    findings = [_counted_on(claim, moment.board, noun, side, each) for each in files]
    return agreed(findings)


def _counted_on(
    claim: Claim,
    board: chess.Board,
    noun: str,
    side: chess.Color,
    files: chess.Bitboard,
) -> Finding:
    have = _count(board, noun, side, files)
    wanted = claim.detail.count or 0
    evidence = f"it has {have} {noun}"
    if claim.detail.more:
        other = _count(board, noun, not side, files)
        return truth(have - other == wanted, evidence)
    if have > wanted and not (
        claim.detail.whole or claim.detail.wing or claim.detail.file
    ):
        return unknown(f"{evidence}, more than the text speaks of")
    return truth(have == wanted, evidence)


def agreed(findings: Sequence[Finding]) -> Finding:
    """Return the first of several findings, if all come to the same."""
    first = findings[0]
    if any(finding.outcome != first.outcome for finding in findings):
        return unknown(f"{first.evidence}, without the file in the centre")
    return first


def _count(
    board: chess.Board,
    noun: str,
    side: chess.Color,
    files: chess.Bitboard = chess.BB_ALL,
) -> int:
    count = 0
    for kind in noun_pieces(noun):
        pieces = board.pieces(kind, side) & files
        count += len(pieces)
    return count


def majority(claim: Claim, moment: Moment, scene: Scene) -> Finding:
    """Look whether a side has more pawns on a wing than the other."""
    board = moment.board
    side = bool(claim.subjects[0].side)
    findings = []
    for files in WINGS[claim.detail.wing]:
        own = _count(board, "pawn", side, files)
        other = _count(board, "pawn", not side, files)
        evidence = f"{own} pawns against {other}"
        right = own > other
        if claim.detail.count is not None:
            right = (own, other) == (claim.detail.count, number(claim.detail.others))
        findings.append(truth(right, evidence))
    return agreed(findings)


def line_up(claim: Claim, moment: Moment, scene: Scene) -> Finding:
    """Look whether two lists are what the sides have: ``rook and pawn against a knight``.

    They are all that there is but the kings, or what is left when equal pieces are taken off. The
    first is the side's that is named, if one is.
    """
    board = moment.board
    own = dict(_listed_kinds(claim.detail.items))
    other = dict(_listed_kinds(claim.detail.others))
    untold_pawns = False
    for side in sides_or_both(claim):
        ours = _beyond(board, side, own)
        theirs = _beyond(board, not side, other)
        if ours == theirs:
            return holds("the rest of the pieces is equal")
        wrong = chess.PAWN in own and ours[chess.PAWN]
        wrong = wrong or (chess.PAWN in other and theirs[chess.PAWN])
        del ours[chess.PAWN]
        del theirs[chess.PAWN]
        if ours == theirs and not wrong:
            untold_pawns = True
    return truth(False, "the sides have other pieces", certain=not untold_pawns)


def _beyond(
    board: chess.Board, side: chess.Color, listed: Surplus
) -> dict[chess.PieceType, int]:
    """Return how many more pieces of each kind a side has than a list names."""
    return {
        kind: len(board.pieces(kind, side)) - listed.get(kind, 0)
        for kind in chess.PIECE_TYPES[:-1]
    }


def _listed_kinds(words: str) -> Iterator[tuple[chess.PieceType, int]]:
    """Yield the kinds of a list with their numbers: one where none is told, kings left out."""
    for item in cue("listed").finditer(words):
        kinds = noun_pieces(item["noun"] or "pawns")
        if kinds == {chess.KING}:
            continue
        count = number(item["count"] or "one")
        yield min(kinds), count


def wing_counts(claim: Claim, moment: Moment, scene: Scene) -> Finding:
    """Look whether one side has so many pawns on a wing, and the other as many as is said.

    The first count is that of the side which is named, if one is; else it may be either's.
    """
    board = moment.board
    detail = claim.detail
    said = (detail.count, number(detail.others))
    findings = []
    for files in WINGS[detail.wing]:
        right = False
        for side in sides_or_both(claim):
            own = _count(board, "pawn", side, files)
            other = _count(board, "pawn", not side, files)
            right = right or (own, other) == said
        evidence = f"{own} pawns there against {other}"
        findings.append(truth(right, evidence))
    return agreed(findings)


def opposite_bishops(claim: Claim, moment: Moment, scene: Scene) -> Finding:
    """Look whether each side has one bishop, and they stand on squares of different colours."""
    board = moment.board
    white = board.pieces(chess.BISHOP, chess.WHITE)
    black = board.pieces(chess.BISHOP, chess.BLACK)
    evidence = f"White has {len(white)} bishops, Black {len(black)}"
    if len(white) != 1 or len(black) != 1:
        return fails(evidence)
    both = white | black
    light = both & chess.BB_LIGHT_SQUARES
    return truth(len(light) == 1, evidence)


def there_are(claim: Claim, moment: Moment, scene: Scene) -> Finding:
    """Look how many pieces of a kind are on the board, of a side if one is named."""
    detail = claim.detail
    findings = []
    for files in WINGS[detail.wing]:
        count = 0
        for side in sides_or_both(claim):
            count += _count(moment.board, detail.noun, side, files)
        evidence = f"there are {count} {detail.noun}"
        findings.append(truth(count == detail.count, evidence))
    return agreed(findings)


def counts_both(claim: Claim, moment: Moment, scene: Scene) -> Finding:
    """Look whether both sides have as many pieces of a kind as is said; none if no number is."""
    (white, black) = _of_each_side(moment.board, claim.detail.noun)
    wanted = claim.detail.count or 0
    evidence = f"they have {white} and {black}"
    return truth(white == black == wanted, evidence)


def pawns_level(claim: Claim, moment: Moment, scene: Scene) -> Finding:
    """Look whether both sides have as many pawns."""
    (white, black) = _of_each_side(moment.board, "pawn")
    evidence = f"they have {white} and {black}"
    return truth(white == black, evidence)


def all_there(claim: Claim, moment: Moment, scene: Scene) -> Finding:
    """Look whether both sides have as many pieces of a kind as at the start."""
    noun = claim.detail.noun
    first = chess.Board()
    start = _of_each_side(first, noun)
    (white, black) = _of_each_side(moment.board, noun)
    evidence = f"they have {white} and {black}"
    return truth((white, black) == start, evidence)


def more_pawns(claim: Claim, moment: Moment, scene: Scene) -> Finding:
    """Look whether a side has more pawns than the other, or fewer."""
    side = bool(claim.subjects[0].side) != claim.detail.turned
    board = moment.board
    own = _count(board, "pawn", side)
    other = _count(board, "pawn", not side)
    evidence = f"{own} pawns against {other}"
    return truth(own > other, evidence)


def still_on(claim: Claim, moment: Moment, scene: Scene) -> Finding:
    """Look whether both sides still have a piece of a kind."""
    (white, black) = _of_each_side(moment.board, claim.detail.noun)
    evidence = f"they have {white} and {black}"
    return truth(min(white, black) > 0, evidence)


def _of_each_side(board: chess.Board, noun: str) -> tuple[int, int]:
    white = _count(board, noun, chess.WHITE)
    black = _count(board, noun, chess.BLACK)
    return white, black
