"""Facts for the pieces and squares that a question or an answer speaks of."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import chess

from chessgloss.dialogue.mentions import Mention
from chessgloss.dialogue.records import Ground, Scene
from chessgloss.facts import gather
from chessgloss.facts.attacks import attackers
from chessgloss.facts.exchange import captures, hanging
from chessgloss.facts.kings import shelter
from chessgloss.facts.wording import listed
from chessgloss.positions import MoveInContext, Position

#: Pieces that one phrase may stand for before it counts as too vague to list them all.
_MOST_PIECES = 2
#: Rescues that are named.
_MOST_RESCUES = 3


def piece_grounds(mentions: Sequence[Mention], scene: Scene) -> Iterator[Ground]:
    """Yield the facts for each piece and square mentioned, as they stand after the move."""
    done: set[chess.Square] = set()
    for mention in mentions:
        term = mention.term
        if term is None:
            continue
        board = chess.Board(scene.after.fen)
        squares = term.found(board)
        if mention.kind == "square" and term.square is not None and not squares:
            yield _empty_square(board, term.square)
        elif not squares:
            yield _absent(mention, scene)
        for square in _worst(board, squares)[:_MOST_PIECES]:
            if square not in done:
                done.add(square)
                yield ground_piece(square, scene)


def ground_piece(square: chess.Square, scene: Scene) -> Ground:
    """Return the facts for the piece on a square after the move."""
    board = chess.Board(scene.after.fen)
    piece = board.piece_at(square)
    if piece is None:
        raise ValueError(f"no piece on {chess.square_name(square)} in {board.fen()!r}")
    tell = _king if piece.piece_type == chess.KING else _man
    return Ground(_owned(board, square), "board", tuple(tell(board, square, scene)))


def _worst(board: chess.Board, squares: Sequence[chess.Square]) -> list[chess.Square]:
    """Sort pieces: those that hang first, then those attacked."""
    loose = {one.square for colour in chess.COLORS for one in hanging(board, colour)}

    def order(square: chess.Square) -> tuple[bool, bool, int]:
        colour = bool(board.color_at(square))
        return square not in loose, not board.is_attacked_by(not colour, square), square

    return sorted(squares, key=order)


def _man(board: chess.Board, square: chess.Square, scene: Scene) -> Iterator[str]:
    colour = bool(board.color_at(square))
    foes, friends = (attackers(board, side, square) for side in (not colour, colour))
    name = _capital(_owned(board, square))
    yield (
        f"{name} is attacked by {_listed(board, foes)} and defended by {_listed(board, friends)}."
    )
    lost = [one for one in hanging(board, colour) if one.square == square]
    if lost:
        yield from _capture(board, square, lost[0].gain, scene)
    elif foes:
        check = board.is_check() and board.turn != colour
        yield f"It cannot be won by exchanges on its square{' while the check stands' * check}."
    yield from _tactics(square, scene)
    yield from _main_line(board, square, scene)


def _tactics(square: chess.Square, scene: Scene) -> Iterator[str]:
    """Tell forks, pins and skewers that the piece is part of."""
    facts = gather(scene.move).of("fork", "pin", "skewer", when="after")
    for fact in facts:
        if chess.square_name(square) in fact.squares:
            yield f"{_capital(fact.text)}."


def _capture(board: chess.Board, square: chess.Square, gain: int, scene: Scene) -> Iterator[str]:
    colour = bool(board.color_at(square))
    taker = max(
        (one for one in captures(board, not colour) if one.victim_square == square),
        key=lambda one: one.gain,
    )
    side, owner = ("Black", "White") if colour else ("White", "Black")
    position = scene.after if board.turn != colour else scene.passed
    if position is None:
        yield f"{side} could win it by exchanges (worth {gain}), were {owner} not in check."
        return
    san = MoveInContext(position, taker.move.uci()).numbered_san
    can = "can take it" if board.turn != colour else "threatens to take it"
    yield f"{side} {can} with {san}, which wins material worth {gain} by exchanges."
    if board.turn == colour:
        yield _rescues(square, scene)


def _rescues(square: chess.Square, scene: Scene) -> str:
    saves = [move for move in _replies(scene) if _saves(move, square)]
    side = "White" if scene.after.turn else "Black"
    if not saves:
        return f"No single move of {side}'s saves it from being won by exchanges."
    best = _best_reply(scene)
    saves.sort(key=lambda move: (move.uci != best, move.uci))
    named = _or([move.numbered_san for move in saves[:_MOST_RESCUES]])
    return f"{side} is to move and can save it from that, for instance by {named}."


def _replies(scene: Scene) -> Iterator[MoveInContext]:
    position = Position(scene.after.fen)
    for move in chess.Board(position.fen).legal_moves:
        yield MoveInContext(position, move.uci())


def _saves(move: MoveInContext, square: chess.Square) -> bool:
    board = chess.Board(move.position.fen)
    colour = board.turn
    board.push(move.move)
    moved = move.move.to_square if move.move.from_square == square else square
    return all(one.square != moved for one in hanging(board, colour))


def _best_reply(scene: Scene) -> str | None:
    lines = scene.analyse(scene.after).lines
    return lines[0].moves[0] if lines and lines[0].moves else None


def _main_line(board: chess.Board, square: chess.Square, scene: Scene) -> Iterator[str]:
    """Say what becomes of a piece in the engine's line after the move."""
    lines = scene.analyse(scene.after).lines
    moves = [chess.Move.from_uci(uci) for uci in lines[0].moves[:8]] if lines else []
    if not moves:
        return
    walk, here = board.copy(stack=False), square
    colour = board.color_at(square)
    for count, move in enumerate(moves, start=1):
        if walk.turn != colour and _taken_on(walk, move) == here:
            line = board.variation_san(moves[:count])
            yield f"In the engine's main line it is taken: {line}."
            return
        here = move.to_square if walk.turn == colour and move.from_square == here else here
        walk.push(move)
    yield f"In the engine's main line it stays on the board: {board.variation_san(moves)}."


def _taken_on(board: chess.Board, move: chess.Move) -> chess.Square:
    if board.is_en_passant(move):
        return move.to_square + (-8 if board.turn else 8)
    return move.to_square


def _king(board: chess.Board, square: chess.Square, scene: Scene) -> Iterator[str]:
    colour = bool(board.color_at(square))
    name = _capital(_owned(board, square))
    checkers = attackers(board, not colour, square, barred=True)
    yield (
        f"{name} is in check from {_listed(board, checkers)}."
        if checkers
        else f"{name} is not in check."
    )
    found = shelter(board, colour)
    pawns = listed([chess.square_name(pawn) for pawn in found.pawns]) if found.pawns else ""
    count = "pawn on" if len(found.pawns) == 1 else "pawns on"
    yield f"Its shelter is the {count} {pawns}." if pawns else "No pawn of its own shelters it."
    if found.bare_files:
        files = listed([f"the {chess.FILE_NAMES[file]}-file" for file in found.bare_files])
        yield f"It has no pawn of its own ahead on {files}."


def _empty_square(board: chess.Board, square: chess.Square) -> Ground:
    name = chess.square_name(square)
    white, black = (_listed(board, attackers(board, side, square)) for side in (True, False))
    text = f"The square {name} is empty after the move; White reaches it with {white}, Black with"
    return Ground(name, "board", (f"{text} {black}.",))


def _absent(mention: Mention, scene: Scene) -> Ground:
    term, name = mention.term, mention.text.strip()
    assert term is not None
    before = term.found(chess.Board(scene.move.position.fen))
    text = f"After {scene.move.numbered_san} there is no such piece: {name}."
    if before:
        text = f"{_capital(name)} is no longer there after {scene.move.numbered_san}."
    return Ground(name, "board", (text,))


def _owned(board: chess.Board, square: chess.Square) -> str:
    """Return ``Black's knight on h4``."""
    piece = board.piece_at(square)
    assert piece is not None
    side = "White's" if piece.color else "Black's"
    return f"{side} {chess.PIECE_NAMES[piece.piece_type]} on {chess.square_name(square)}"


def _listed(board: chess.Board, squares: chess.SquareSet) -> str:
    names = []
    for square in squares:
        kind = board.piece_type_at(square)
        assert kind is not None
        names.append(f"the {chess.PIECE_NAMES[kind]} on {chess.square_name(square)}")
    return listed(names) if names else "nothing"


def _or(words: Sequence[str]) -> str:
    *first, last = words
    return f"{', '.join(first)} or {last}" if first else last


def _capital(text: str) -> str:
    return text[:1].upper() + text[1:]
