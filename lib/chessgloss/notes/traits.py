"""What lasts after a move: the two bishops, pawns that stay weak, guards that are gone."""

from __future__ import annotations

import chess

from chessgloss.facts import board as boards
from chessgloss.facts import side_name
from chessgloss.notes.kinds import Notes, Purposes
from chessgloss.notes.played import Played
from chessgloss.notes.situation import Situation

#: Where a bishop stands before its castled king, by the king's side: White's squares.
_FIANCHETTO = (chess.G2, chess.B2)
#: Files, from 0, on which an isolated pawn is worth a word.
_INNER_FILES = range(1, 7)


# ---------------------------------------------------------------- of the move alone


def takes_fianchetto(played: Played) -> Purposes:
    """Yield the bishop before a castled king that is taken while queens are on the board."""
    square = played.taken
    if square is None or played.victim in (None, chess.PAWN):
        return
    king = played.after.king(played.them)
    home = square if played.them else chess.square_mirror(square)
    bishop = played.victim == chess.BISHOP and home in _FIANCHETTO
    near = king is not None and chess.square_distance(king, square) == 1
    if bishop and near and played.after.queens:
        yield played.purpose("takes_fianchetto")


# ---------------------------------------------------------------- of the move and the reply


def bishop_pair(situation: Situation) -> Notes:
    """Yield that one side is left with the two bishops, once the reply has taken back."""
    reply = situation.reply
    if situation.played.taken is None or reply is None:
        return
    end = reply.after if reply.end == situation.played.end else situation.after
    for side in chess.COLORS:
        had = _has_pair(situation.before, side) and not _has_pair(
            situation.before, not side
        )
        if not had and _has_pair(end, side) and not _has_pair(end, not side):
            if side == situation.us and not situation.bad:
                yield situation.note("bishop_pair")
            elif side == situation.them:
                yield situation.note("bishop_pair_theirs")


def _has_pair(board: chess.Board, side: chess.Color) -> bool:
    """Tell whether a side has a bishop on squares of both colours."""
    bishops = board.pieces_mask(chess.BISHOP, side)
    return bool(bishops & chess.BB_LIGHT_SQUARES and bishops & chess.BB_DARK_SQUARES)


def isolates(situation: Situation) -> Notes:
    """Yield a pawn of the opponent's that is isolated once the captures are over."""
    reply = situation.reply
    if situation.bad or situation.played.taken is None or reply is None:
        return
    back = reply.end == situation.played.end
    end = reply.after if back else situation.after
    new = boards.isolated(end, situation.them) - boards.isolated(
        situation.before, situation.them
    )
    open_files = boards.half_open_files(end, situation.us)
    for pawn in new:
        file = chess.square_file(pawn)
        lost = not back and pawn in situation.played.won
        if file in _INNER_FILES and file in open_files and not lost:
            leaves = f"That leaves {side_name(situation.them)} with"
            if back:
                leaves = f"After {reply.number} {side_name(situation.them)} has"
            words = {"leaves": leaves, "pawns_file": chess.FILE_NAMES[file]}
            yield situation.note("isolates", None, [pawn], **words)
            return
