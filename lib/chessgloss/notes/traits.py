"""What lasts after a move: the two bishops, pawns that stay weak, guards that are gone."""

from __future__ import annotations

import chess

from chessgloss.facts import side_name
from chessgloss.notes.kinds import Notes, Purposes
from chessgloss.notes.played import Played
from chessgloss.notes.situation import Situation
from chessgloss.predicates import board as boards

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
    had = _owner_of_pair(situation.before)
    owner = _owner_of_pair(end)
    if owner is None or owner == had:
        return
    if owner == situation.them:
        yield situation.note("bishop_pair_theirs")
    elif not situation.bad:
        yield situation.note("bishop_pair")


def _owner_of_pair(board: chess.Board) -> chess.Color | None:
    """Return the side that has bishops of both colours, if the other has not."""
    owners = []
    for side in chess.COLORS:
        bishops = board.pieces_mask(chess.BISHOP, side)
        light = bishops & chess.BB_LIGHT_SQUARES
        dark = bishops & chess.BB_DARK_SQUARES
        if light and dark:
            owners.append(side)
    return owners[0] if len(owners) == 1 else None


def isolates(situation: Situation) -> Notes:
    """Yield a pawn of the opponent's that is isolated once the captures are over."""
    reply = situation.reply
    if situation.bad or situation.played.taken is None or reply is None:
        return
    back = reply.end == situation.played.end
    end = reply.after if back else situation.after
    known = boards.isolated(situation.before, situation.them)
    open_files = boards.half_open_files(end, situation.us)
    for pawn in boards.isolated(end, situation.them) - known:
        file = chess.square_file(pawn)
        lost = not back and pawn in situation.played.won
        if file in _INNER_FILES and file in open_files and not lost:
            them = side_name(situation.them)
            leaves = f"That leaves {them} with"
            if back:
                leaves = f"After {reply.number} {them} has"
            yield situation.note(
                "isolates",
                None,
                [pawn],
                leaves=leaves,
                pawns_file=chess.FILE_NAMES[file],
            )
            return
