"""Plans that the engine's line shows: where a piece goes, what it does there, how pawns change."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import NamedTuple

import chess

from chessgloss.facts import listed
from chessgloss.facts.verdict import AHEAD
from chessgloss.notes.kinds import Notes
from chessgloss.notes.placement import pass_turn
from chessgloss.notes.purposes import purposes
from chessgloss.notes.situation import Situation
from chessgloss.predicates import board as boards
from chessgloss.predicates.outcome import LONGEST_SPELT, spelt
from chessgloss.predicates.words import named
from chessgloss.scores import centipawns

#: Plies of a line after the move in which a plan must show.
_SOON = 7
#: Moves of a king, the one played included, that are a march.
_MARCH = 3
#: Pieces that guard something at the cost of what else they could do.
_DEAR = (chess.ROOK, chess.QUEEN)
#: Centipawns that a pass must cost the opponent for what follows to be a plan, and plies shown.
_INTENDED, _SHOWN = 40, 3
_TRAVELLERS = (chess.KNIGHT, chess.BISHOP, chess.ROOK, chess.QUEEN)


class Journey(NamedTuple):
    """Where the piece that is moved goes in a line.

    Parameters
    ----------
    end
        Where it stands after its last quiet move.
    plies
        Plies of the line after the move up to that one.
    moves
        Moves that it makes, the one played included.
    board
        The board then.
    """

    end: chess.Square
    plies: int
    moves: int
    board: chess.Board


def lines_of(situation: Situation) -> Iterator[Sequence[str]]:
    """Yield the engine's lines after the move: from there, and from before it if it is the best."""
    yield situation.replies[:_SOON]
    if situation.verdict.best == situation.uci:
        yield situation.verdict.best_line[1 : _SOON + 1]


def walk(board: chess.Board, line: Sequence[str]) -> list[chess.Board]:
    """Return the boards of a line, the first one included."""
    boards_then = [board]
    for uci in line:
        boards_then.append(boards.after_move(boards_then[-1], chess.Move.from_uci(uci)))
    return boards_then


def journey(situation: Situation, line: Sequence[str]) -> Journey | None:
    """Return how the moved piece goes on; ``None`` if it stays, takes, or is taken.

    A piece that is attacked goes nowhere of its own will; only a king may go on from check.
    """
    states = walk(situation.after, line)
    played = situation.played
    at = played.end
    found = None
    moves = 1
    for ply, uci in enumerate(line):
        move = chess.Move.from_uci(uci)
        ours = states[ply].turn == situation.us
        if not ours and move.to_square == at:
            return None
        if ours and move.from_square == at:
            driven = states[ply].is_attacked_by(situation.them, at)
            forced = driven and played.piece != chess.KING
            if forced or states[ply].is_capture(move):
                break
            at = move.to_square
            moves += 1
            found = Journey(at, ply + 1, moves, states[ply + 1])
    return found


def travels(situation: Situation) -> Notes:
    """Yield the way of a piece that moves again, to where it attacks what it did not before."""
    played = situation.played
    if not _has_time(situation) or played.piece not in _TRAVELLERS:
        return
    for line in lines_of(situation):
        way = journey(situation, line)
        if way is None or way.plies > LONGEST_SPELT or way.end == played.start:
            continue
        enemies = way.board.occupied_co[situation.them]
        known = played.before.attacks(played.start) | played.after.attacks(played.end)
        targets = [
            square
            for square in way.board.attacks(way.end) & enemies & ~known
            if way.board.piece_type_at(square) != chess.KING
            and played.before.piece_at(square) == way.board.piece_at(square)
        ]
        if not targets or way.board.is_attacked_by(situation.them, way.end):
            continue
        names = [named(way.board, square) for square in targets[:2]]
        words = {"goal": chess.square_name(way.end), "targets": listed(names)}
        words["line"] = spelt(situation.after, line, way.plies)
        yield situation.note("travels", None, [way.end, *targets[:2]], **words)
        return


def _has_time(situation: Situation) -> bool:
    """Tell whether the move is a quiet one of a side that may choose its plan."""
    checks = situation.before.is_check() or situation.after.is_check()
    holds = situation.verdict.standing in (*AHEAD, "equal")
    quiet = situation.played.taken is None and not checks
    return quiet and holds and not situation.bad


def marches(situation: Situation) -> Notes:
    """Yield where a king goes that makes several moves in the line, of its own will."""
    played = situation.played
    if not _has_time(situation) or played.piece != chess.KING or played.castles:
        return
    for line in lines_of(situation):
        way = journey(situation, line)
        if way is None or way.moves < _MARCH:
            continue
        far = chess.square_distance(played.start, way.end) >= way.moves - 1
        if far:
            words = {"goal": chess.square_name(way.end), "shown": ""}
            if way.plies <= LONGEST_SPELT:
                words["shown"] = ": " + spelt(situation.after, line, way.plies)
            yield situation.note("marches", None, [way.end], **words)
            return


def opens_file(situation: Situation) -> Notes:
    """Yield the file that the moved pawn is to open for a rook of its side."""
    played = situation.played
    file = chess.square_file(played.start)
    column = chess.BB_FILES[file]
    if situation.bad or played.piece != chess.PAWN or played.taken is not None:
        return
    for line in lines_of(situation):
        states = walk(situation.after, line)
        for ply, uci in enumerate(line[:LONGEST_SPELT]):
            move = chess.Move.from_uci(uci)
            takes = states[ply].is_capture(move)
            if move.from_square != played.end or not takes:
                continue
            there = states[ply + 1]
            closed = there.pieces_mask(chess.PAWN, situation.us) & column
            rooks = there.pieces_mask(chess.ROOK, situation.us) & column
            if rooks and not closed:
                shown = spelt(situation.after, line, ply + 1)
                yield situation.note("opens_file", line=shown)
                return


def spoils_later(situation: Situation) -> Notes:
    """Yield pawns of the opponent's that are doubled by taking back in the line, and stay so."""
    if situation.bad:
        return
    for line in lines_of(situation):
        states = walk(situation.after, line)
        for ply in (1, 2):
            if len(line) <= ply:
                break
            ours, theirs = (chess.Move.from_uci(uci) for uci in line[ply - 1 : ply + 1])
            there = states[ply]
            pawn = there.piece_type_at(theirs.from_square) == chess.PAWN
            back = ours.to_square == theirs.to_square and there.is_capture(theirs)
            if there.turn == situation.us or not (pawn and back):
                continue
            pawns = boards.doubled(states[-1], situation.them)
            known = boards.doubled(situation.after, situation.them)
            if theirs.to_square in pawns and theirs.from_square not in known:
                file = chess.FILE_NAMES[chess.square_file(theirs.to_square)]
                shown = spelt(situation.after, line, ply + 1)
                yield situation.note("spoils_later", line=shown, file=file)
                return


def ties(situation: Situation) -> Notes:
    """Yield the rook or queen that must guard the pawn which the move attacks."""
    reply = situation.reply
    if situation.bad or reply is None or reply.piece not in _DEAR:
        return
    if situation.after.is_check():
        return
    for purpose in purposes(reply):
        squares = [chess.parse_square(each) for each in purpose.about if len(each) == 2]
        if purpose.kind != "protects" or not squares:
            continue
        (target, *_) = squares
        hit = target in situation.played.after.attacks(situation.played.end)
        if hit and reply.after.piece_type_at(target) == chess.PAWN:
            words = {"reply": reply.number, "pawn": named(reply.after, target)}
            words["guard"] = reply.words["piece"]
            yield situation.note("ties", **words)
            return


def intends(situation: Situation) -> Notes:
    """Yield what the mover means to play next: what it plays if the opponent passes, and gains by.

    It is quiet, and comes in another of the engine's lines as well; so does the next one that is
    told.
    """
    passed = situation.briefing.passed
    if passed is None or not passed.lines or not _has_time(situation):
        return
    more = (
        centipawns(passed.best.score, situation.us) - situation.verdict.centipawns_after
    )
    turned = pass_turn(situation.after)
    states = walk(turned, passed.best.moves[:_SHOWN])
    if more < _INTENDED or states[1].is_check():
        return
    known = {uci for line in situation.briefing.after.lines for uci in line.moves}
    known |= {uci for line in lines_of(situation) for uci in line}
    own = passed.best.moves[:_SHOWN:2]
    told = list[str]()
    for place, uci in enumerate(own):
        board = states[2 * place]
        if uci not in known or board.is_capture(chess.Move.from_uci(uci)):
            break
        told.append(spelt(board, [uci]))
    if told:
        yield situation.note("intends", None, [own[0][2:4]], moves=listed(told))
