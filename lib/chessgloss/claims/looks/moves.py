"""Looks at moves: whether they are played, legal or impossible; castling and promotion."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from itertools import islice

import chess

from chessgloss.claims.lexicon import Notation
from chessgloss.claims.looks.finding import (
    NO_MOVE,
    Finding,
    Truth,
    absent,
    fails,
    holds,
    truth,
    unknown,
)
from chessgloss.claims.parser import Claim, Term
from chessgloss.claims.scene import (
    LOOK_BACK,
    Anchor,
    Event,
    Moment,
    Scene,
    both_turns,
    named_sides,
    sides_or_both,
    ways_to_play,
)
from chessgloss.predicates import board as boards


def _castling(claim: Claim) -> tuple[Sequence[chess.Color], str]:
    """Return the sides that are spoken of and the wing, ``either`` if none is told."""
    (term,) = claim.objects
    wing = term.move and term.move.castles
    return chess.COLORS if term.side is None else [term.side], wing or "either"


def _rights(claim: Claim, board: chess.Board) -> list[bool]:
    """Tell of each side that is spoken of whether it has the right to castle."""
    sides, wing = _castling(claim)
    files = {"K": chess.BB_FILE_H, "Q": chess.BB_FILE_A}
    rooks = board.castling_rights & files.get(wing, chess.BB_ALL)
    rights = []
    for side in sides:
        rank = chess.BB_RANK_1 if side else chess.BB_RANK_8
        there = chess.popcount(rooks & rank)
        rights.append(there == 2 if wing == "both" else there > 0)
    return rights


def check_move(claim: Claim, scene: Scene) -> tuple[Truth, str, Anchor]:
    """Decide on a move that is named: played, or legal where it may be meant."""
    (term,) = claim.objects
    stance = claim.stance
    if _is_played(term, scene):
        if _goes_the_other_way(claim, scene):
            return "not checkable", f"{scene.move.san} goes the other way", "before"
        return "true", f"{scene.move.san} is the move played", "before"
    followed = claim.span[0] < scene.broken_at
    if claim.relation == "played" and followed and _must_be_played(term, scene):
        return "false", f"the move played is {scene.move.san}", "before"
    if legal := _legal_somewhere(claim, scene):
        if _is_only_legal(claim, scene, legal):
            return (
                "not checkable",
                f"{legal[1]}, but {scene.move.san} is played",
                "none",
            )
        return legal
    if _was_played(term, scene):
        return "true", "as the game went before", "before"
    acts = claim.named and claim.detail.made
    if acts and not stance.negated and _is_piece_there(term, scene):
        return "true", f"there is the piece {term.text}", "after"
    evidence = (
        f"{term.text} is not legal before the move, after it, or in a line of the text"
    )
    known = term.definite and followed and not _is_remote(term, scene)
    missing = _is_of_no_piece(term, scene)
    known = known or missing
    if stance.negated or not known or (stance.past and _was_legal(term, scene)):
        return "not checkable", evidence, "none"
    if stance.supposed and claim.tense != "before" and not missing:
        return "not checkable", evidence + "; the text only supposes it", "none"
    return "false", evidence, "before"


def _goes_the_other_way(claim: Claim, scene: Scene) -> bool:
    """Tell whether a piece that is said to retreat goes forward, or the other way round."""
    verb = claim.detail.verb
    move = scene.move.move
    start = chess.square_rank(move.from_square)
    end = chess.square_rank(move.to_square)
    if scene.move.mover == chess.BLACK:
        start, end = end, start
    if verb.startswith(("retreat", "withdr", "back", "reced")):
        return end > start
    return verb.startswith("advanc") and end < start


def _legal_somewhere(claim: Claim, scene: Scene) -> tuple[Truth, str, Anchor] | None:
    """Return that a move is legal, and where; ``None`` if it is not."""
    moments = list(scene.moments)
    if claim.tense == "before":
        moments = [each for each in moments if each.anchor in ("before", "line")]
    for board, move in ways_to_play(moments, claim.objects[0]):
        evidence = f"{board.san(move)} is legal"
        anchors = (moment.anchor for moment in scene.moments if moment.board is board)
        anchor = next(anchors, None)
        if anchor is None and claim.stance.able and not claim.named:
            if board.board_fen() == scene.before.board.board_fen():
                continue  # the other side was not on turn then
            evidence += ", but it is not that side's turn"
            return "not checkable", evidence, "none"
        return "true", evidence, anchor or "line"
    return None


def _is_only_legal(
    claim: Claim, scene: Scene, legal: tuple[Truth, str, Anchor]
) -> bool:
    """Tell whether the words say that a move is made which is not, though it is legal.

    The other side may answer with it, and in a line of the text it may come.
    """
    (term,) = claim.objects
    if claim.relation != "played" or claim.tense == "later":
        return False
    opponent = not scene.move.mover
    if term.side == opponent and claim.detail.made:
        return True
    if term.side == opponent or term.numbered is not None:
        return False
    (_, _, anchor) = legal
    return anchor not in ("line", "reply")


def _was_played(term: Term, scene: Scene) -> bool:
    """Tell whether a move is numbered as one of the game before, and is that one."""
    if term.numbered is None:
        return False
    return any(
        term.numbered == board.ply() and term.fits(board, move)
        for board, move in _events_before(scene)
    )


def _was_legal(term: Term, scene: Scene) -> bool:
    """Tell whether a move could have been played some plies before."""
    return any(
        term.side in (None, board.turn) and any(term.plays(board))
        for board, _ in islice(_events_before(scene), LOOK_BACK)
    )


def _events_before(scene: Scene) -> Iterator[Event]:
    for moment in scene.earlier():
        if moment.last is not None:
            yield moment.last


def impossible(claim: Claim, scene: Scene) -> tuple[Truth, str, Anchor]:
    """Decide on a move that is said to be impossible: true if it is not legal."""
    (term,) = claim.objects
    first = 0 if claim.tense == "before" else 1
    moments = scene.moments[first:]
    if claim.tense != "later":
        moments = tuple(each for each in moments if each.anchor != "reply")
    for board, move in ways_to_play(moments, term):
        evidence = f"{board.san(move)} is legal"
        castles = term.move is None or bool(term.move.castles)
        unsaid = claim.stance.asked or claim.stance.supposed
        verdict: Truth = "false" if castles and not unsaid else "not checkable"
        return verdict, evidence, "after"
    return "true", f"{term.text} is not legal", "after"


def _is_remote(term: Term, scene: Scene) -> bool:
    """Tell whether a move may be one that was played earlier in the game, or comes much later.

    Its number says so, or the line that it stands in, or the piece already stands where it is
    said to go.
    """
    board = scene.before.board
    move = term.move or Notation()
    if move.file is not None and move.rank is not None:
        # ``h7-h6``, of a piece that is not there
        start = chess.square(move.file, move.rank)
        found = {moment.board.piece_type_at(start) for moment in scene.moments}
        if found <= {None} or (move.piece is not None and move.piece not in found):
            return True
    newest = max(moment.board.ply() for moment in scene.moments)
    numbered = board.ply() if term.numbered is None else term.numbered
    if term.span[0] in scene.unfollowed or not board.ply() <= numbered <= newest:
        return True
    if move.to is None or move.takes:
        return False
    there = board.piece_at(move.to)
    if there is None or there.piece_type != move.piece:
        return False
    return term.side in (None, there.color)


def _is_played(term: Term, scene: Scene) -> bool:
    board = scene.before.board
    if term.side not in (None, board.turn):
        return False
    if term.numbered not in (None, board.ply()):
        return False
    return term.fits(board, scene.move.move) or _is_castling_rook(term, scene)


def _is_castling_rook(term: Term, scene: Scene) -> bool:
    """Tell whether a rook is said to go where castling brings it."""
    board = scene.before.board
    written = term.move or Notation()
    played = scene.move.move
    if written.piece != chess.ROOK or not board.is_castling(played):
        return False
    (_, end) = boards.rook_squares(board, played)
    return written.to == end


def _is_of_no_piece(term: Term, scene: Scene) -> bool:
    """Tell whether a move is of a knight, bishop or rook, which no moment has.

    A queen may come to be before the move is made.
    """
    move = term.move
    if move is None or move.piece not in (chess.KNIGHT, chess.BISHOP, chess.ROOK):
        return False
    if term.numbered is not None or any(_events_before(scene)):
        return False
    sides = chess.COLORS if term.side is None else [term.side]
    return not any(
        moment.board.pieces_mask(move.piece, side)
        for moment in scene.moments
        for side in sides
    )


def _is_piece_there(term: Term, scene: Scene) -> bool:
    """Tell whether what is written like a move is a piece on its square: ``Bf4 attacks``."""
    move = term.move
    if move is None or move.to is None or term.numbered is not None:
        return False
    if move.piece in (None, chess.PAWN):
        return False
    if move.takes or move.check or move.mate:
        return False
    return scene.after.board.piece_type_at(move.to) == move.piece


def _must_be_played(term: Term, scene: Scene) -> bool:
    lines = (moment for moment in scene.moments if moment.anchor == "line")
    if any(moment.start < term.span[0] for moment in lines):
        return False
    if term.side is None:
        answer = replace(term, side=not scene.move.mover)
        return not ways_to_play([scene.after], answer)
    return term.side == scene.move.mover


def signed(claim: Claim, moment: Moment, scene: Scene) -> Finding:
    """Look whether a move written with a sign of check or mate gives check or mates."""
    term = claim.objects[0]
    mate = claim.relation == "move_mates"
    events = []
    if _is_played(term, scene):
        events = [(scene.before.board, scene.move.move)]
    elif not _is_remote(term, scene):
        for board, _ in ways_to_play(scene.moments, term):
            events += [(board, move) for move in term.plays(board)]
    if not events:
        return unknown(f"{term.text} is not legal")
    for board, move in events:
        end = boards.after_move(board, move)
        if end.is_checkmate() if mate else end.is_check():
            return holds(f"{board.san(move)}")
    board, move = events[0]
    said = "is no mate" if mate else "gives no check"
    return fails(f"{board.san(move)} {said}")


def may_castle(claim: Claim, moment: Moment, scene: Scene) -> Finding:
    """Look whether a side has a right to castle, to the wing if one is named."""
    has = any(_rights(claim, moment.board))
    return truth(has, f"castling rights are {moment.board.castling_xfen()}")


def right_to_castle(claim: Claim, moment: Moment, scene: Scene) -> Finding:
    """Look whether the sides that are named have a right to castle to some wing."""
    board = moment.board
    having = [side for side in named_sides(claim) if board.has_castling_rights(side)]
    return truth(bool(having), f"castling rights are {board.castling_xfen()}")


def loses_right(claim: Claim, moment: Moment, scene: Scene) -> Finding:
    """Look whether a right to castle is there before the move and gone after it."""
    start = scene.before.board
    end = scene.after.board
    rights = zip(_rights(claim, start), _rights(claim, end), strict=True)
    lost = any(had and not has for had, has in rights)
    evidence = (
        f"castling rights were {start.castling_xfen()}, are {end.castling_xfen()}"
    )
    return truth(lost, evidence)


#: Files of a castled king, by the wing; a king in the centre has not castled.
_CASTLED_FILES = {"K": range(5, 8), "Q": range(4)}


def castled(claim: Claim, moment: Moment, scene: Scene) -> Finding:
    """Look whether a king can have castled: no rights left, and on that side of the board."""
    board = moment.board
    sides, wing = _castling(claim)
    files = _CASTLED_FILES.get(wing, (*range(4), *range(5, 8)))
    away = [
        side
        for side in sides
        if chess.square_file(boards.king_of(board, side)) in files
    ]
    gone = [side for side in away if not board.has_castling_rights(side)]
    if len(gone) == len(sides) if claim.detail.both else gone:
        return holds("king and rights are as after castling")
    return fails("the king does not stand there, or still has its rights")


def promotes(claim: Claim, moment: Moment, scene: Scene) -> Finding:
    """Look whether a pawn promotes as it is told, or is about to."""
    if moment.last is None:
        return NO_MOVE
    board, move = moment.last
    if move.promotion is None:
        nothing = f"{board.san(move)} promotes nothing"
        if moment.board.is_check() or _can_promote_next(moment.board):
            return unknown(f"{nothing}, but a pawn can promote next")
        return fails(nothing)
    if not _is_meant(claim, board, move):
        return fails("another pawn promotes")
    piece = claim.detail.piece in ("", chess.piece_name(move.promotion))
    square = claim.detail.square in ("", chess.square_name(move.to_square))
    return truth(piece and square, f"{board.san(move)} promotes")


def _can_promote_next(board: chess.Board) -> bool:
    return any(
        move.promotion for turned in both_turns(board) for move in turned.legal_moves
    )


def can_promote(claim: Claim, moment: Moment, scene: Scene) -> Finding:
    """Look whether a pawn could promote at once, were it its side's turn."""
    pawns = set[chess.Square](chess.SQUARES)
    for term in claim.objects:
        pawns.intersection_update(term.squares(moment.board))
    sides = sides_or_both(claim)
    for board in both_turns(moment.board):
        for move in board.legal_moves if board.turn in sides else ():
            to = claim.detail.square in ("", chess.square_name(move.to_square))
            if move.promotion and move.from_square in pawns and to:
                return holds(f"{board.san(move)} is legal")
    return fails("no such promotion is legal")


def steps(claim: Claim, moment: Moment, scene: Scene) -> Finding:
    """Look whether the move of a moment brings a pawn one or two squares forward."""
    if moment.last is None:
        return NO_MOVE
    board, move = moment.last
    evidence = board.san(move)
    if board.piece_type_at(move.from_square) != chess.PAWN:
        return fails(evidence)
    if not _is_meant(claim, board, move):
        return fails(evidence)
    if claim.detail.file not in (
        "",
        chess.FILE_NAMES[chess.square_file(move.to_square)],
    ):
        return fails(evidence)
    distance = chess.square_distance(move.from_square, move.to_square)
    wanted = claim.detail.count or 2
    return truth(distance == wanted, evidence)


def _is_meant(claim: Claim, board: chess.Board, move: chess.Move) -> bool:
    """Tell whether a move is that of the piece named, if one is, where it stands or goes."""
    piece = board.piece_at(move.from_square)
    return all(
        term.matches(move.from_square, piece) or term.matches(move.to_square, piece)
        for term in claim.subjects
        if term.role == "piece"
    )


def from_promotion(claim: Claim, moment: Moment, scene: Scene) -> Finding:
    """Look how many squares a pawn is away from its last rank."""
    square = chess.parse_square(claim.detail.square)
    piece = moment.board.piece_at(square)
    if piece is None or piece.piece_type != chess.PAWN:
        return absent("there is no such pawn")
    left = chess.square_rank(square)
    if piece.color == chess.WHITE:
        left = 7 - left
    evidence = f"it has {left} squares to go"
    return truth(left == claim.detail.count, evidence)


def legal_count(claim: Claim, moment: Moment, scene: Scene) -> Finding:
    """Look how many legal moves there are."""
    board = moment.board
    count = board.legal_moves.count()
    sides = sides_or_both(claim)
    if board.turn not in sides:
        return absent("the other side is on turn")
    evidence = f"{count} moves are legal"
    return truth(count == claim.detail.count, evidence)
