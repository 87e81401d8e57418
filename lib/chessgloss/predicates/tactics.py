"""What captures are worth and what may be won: exchanges, forks, pins, skewers, threats.

Values are in pawns: pawn 1, knight 3, bishop 3, rook 5, queen 9; a king is never taken.

**Exchange.** A move to a square, then captures on that square alone, by turns. Each side takes
with the least valuable piece that may lawfully take (of several of one kind, the best for it)
and stops when going on would lose material. Lawful means: its own king is not left attacked.
So a pinned piece takes only along the line of its pin, a piece behind another joins in when
the way is free, and a king takes only what is not guarded. A pawn that takes on the last
rank becomes a queen. A check that stands when the *other* side has the first capture is taken
as answered: what hangs is a question about material, not about whose turn it is.

*Worth taking* always means: the capture wins material by exchange. An undefended piece and one
worth more than its attacker always are.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Final, Literal, NamedTuple, TypeAlias

import chess
from chess import (
    Bitboard,
    Board,
    Color,
    Move,
    PieceType,
    Square,
    scan_forward,
    square_file,
)

from chessgloss.predicates.board import (
    after_move,
    after_pass,
    king_of,
    line_pieces,
    passed_by,
    piece_on,
)

#: Value of each piece in pawns.
VALUES: Final[Mapping[PieceType, int]] = dict(enumerate((1, 3, 3, 5, 9, 0), chess.PAWN))

_SQUARES = chess.BB_SQUARES


def balance(board: Board) -> int:
    """Return White's material less Black's, in pawns."""
    white, black = (
        sum(
            value * board.pieces_mask(piece, side).bit_count()
            for piece, value in VALUES.items()
        )
        for side in (chess.WHITE, chess.BLACK)
    )
    return white - black


def worth(board: Board, square: Square) -> int:
    """Return what a piece is worth in comparisons, in pawns: a king is above all."""
    piece = piece_on(board, square)
    return 100 if piece == chess.KING else VALUES[piece]


# ---------------------------------------------------------------- exchanges


class Capture(NamedTuple):
    """A capture and what it brings.

    Parameters
    ----------
    from_square, to_square
        Where the capturing piece stands and goes.
    promotion
        A queen if it is a pawn that takes on the last rank.
    victim, square
        Type of the captured piece and where it stands: ``to_square`` but for en passant.
    gain
        Material the capturing side has won, in pawns, when the exchange is over; negative
        if it loses.
    """

    from_square: Square
    to_square: Square
    promotion: PieceType | None
    victim: PieceType
    square: Square
    gain: int

    @property
    def move(self) -> Move:
        """The capture as a move."""
        return Move(self.from_square, self.to_square, self.promotion)


#: The captures of a side, where they are known already.
Known: TypeAlias = Sequence[Capture]


def exchange(board: Board, move: Move) -> int:
    """Return what a move wins by the exchange that follows on its square, in pawns.

    The point of view is that of the piece's owner, whose turn it need not be. A quiet move
    is worth 0, or less if the moved piece can be won; a promotion counts the new piece less
    the pawn.
    """
    return Exchanges(board, bool(board.color_at(move.from_square))).worth(move)


def captures(board: Board, colour: Color) -> tuple[Capture, ...]:
    """Return every capture that ``colour`` has, or would have if it were its turn.

    They are the legal ones on its own turn; on the opponent's, those after a pass. En
    passant counts on its own turn only. A pawn promotes to a queen. In the order of the
    squares.
    """
    return tuple(Exchanges(board, colour).captures())


def winning(board: Board, colour: Color, taken: Known = ()) -> dict[Square, Capture]:
    """Return the best capture of each piece that ``colour`` wins by exchange, by its square.

    What wins most comes first. ``taken`` are its :func:`captures`, where they are known already.
    """
    best: dict[Square, Capture] = {}
    for each in sorted(taken or captures(board, colour), key=lambda each: -each.gain):
        if each.gain > 0:
            best.setdefault(each.square, each)
    return best


def hanging(board: Board, colour: Color, taken: Known = ()) -> tuple[Capture, ...]:
    """Return the best capture of each piece of ``colour`` that hangs, by the order of squares.

    A piece hangs when the opponent has, or would have on its turn, a capture of it that wins
    material by exchange. A defended piece hangs if something cheaper attacks it, or if it is
    attacked oftener than defended; an undefended one if anything may take it. ``taken`` are
    the opponent's :func:`captures`, where they are known already.
    """
    return tuple(
        sorted(winning(board, not colour, taken).values(), key=lambda each: each.square)
    )


class Exchanges:
    """Exchanges on one board that ``colour`` begins; see :func:`exchange`.

    Parameters
    ----------
    board
        The position; it must not change meanwhile.
    colour
        Side that takes first, kept as an attribute.
    """

    def __init__(self, board: Board, colour: Color) -> None:
        self._board = board
        self.colour = colour
        self._kings = [king_of(board, side) for side in (chess.BLACK, chess.WHITE)]
        # Checks that stand: those on the first side bind it, those on the other are answered.
        self._answered = board.attackers_mask(colour, self._kings[not colour])
        self._strict = bool(board.attackers_mask(not colour, self._kings[colour]))
        self._lines = [
            line_pieces(board, not side, king) for side, king in enumerate(self._kings)
        ]

    def captures(self) -> Iterator[Capture]:
        """Yield the captures that the first side has, in the order of the squares."""
        board, colour = self._board, self.colour
        enemies = board.occupied_co[not colour] & ~board.kings
        for start in scan_forward(board.occupied_co[colour]):
            for target in scan_forward(board.attacks_mask(start) & enemies):
                if (capture := self.capture(start, target)) is not None:
                    yield capture
        if board.turn == colour and board.ep_square is not None:
            for move in board.generate_legal_ep():
                square = passed_by(move)
                gain = self.worth(move)
                yield Capture(
                    move.from_square, move.to_square, None, chess.PAWN, square, gain
                )

    def capture(self, start: Square, target: Square) -> Capture | None:
        """Return the capture from a square on an attacked piece; ``None`` if not lawful."""
        board = self._board
        piece = piece_on(board, start)
        victim = piece_on(board, target)
        rest = board.occupied ^ _SQUARES[start]
        if victim == chess.KING or not self._lawful(self.colour, piece, target, rest):
            return None
        move = Move(start, target, chess.QUEEN if _promotes(piece, target) else None)
        return Capture(start, target, move.promotion, victim, target, self.worth(move))

    def worth(self, move: Move, without: Bitboard = 0) -> int:
        """Return what a move of the first side wins by exchange; see :func:`exchange`.

        ``without`` are pieces that are thought away first.
        """
        board = self._board
        piece = board.piece_type_at(move.from_square)
        takes = board.occupied_co[not self.colour] & _SQUARES[move.to_square]
        if piece is None or (not takes and board.is_castling(move)):
            return 0
        rest = (
            board.occupied & ~without & ~_SQUARES[move.from_square]
            | _SQUARES[move.to_square]
        )
        victim = board.piece_type_at(move.to_square)
        same_file = square_file(move.from_square) == square_file(move.to_square)
        if piece == chess.PAWN and victim is None and not same_file:
            rest &= ~_SQUARES[passed_by(move)]
            victim = chess.PAWN
        value = VALUES[move.promotion or piece]
        won = (VALUES[victim] if victim else 0) + (value - 1 if move.promotion else 0)
        return won - self._reply(not self.colour, move.to_square, rest, value)

    def promotions(self) -> Iterator[tuple[Move, int]]:
        """Yield the quiet promotions to a queen that leave the king safe, with their worth."""
        board, colour = self._board, self.colour
        seventh, step = (chess.BB_RANK_7, 8) if colour else (chess.BB_RANK_2, -8)
        for start in scan_forward(board.pieces_mask(chess.PAWN, colour) & seventh):
            goal = start + step
            rest = board.occupied ^ _SQUARES[start] | _SQUARES[start + step]
            blocked = board.occupied & _SQUARES[goal]
            if not blocked and self._lawful(colour, chess.PAWN, goal, rest):
                move = Move(start, goal, chess.QUEEN)
                yield move, self.worth(move)

    def _reply(
        self,
        side: Color,
        target: Square,
        rest: Bitboard,
        standing: int,
    ) -> int:
        """Return what ``side`` wins on ``target``, where a piece worth ``standing`` is."""
        board = self._board
        takers = board.attackers_mask(side, target, rest) & rest & ~_SQUARES[target]
        if not takers:
            return 0
        masks = (
            board.pawns,
            board.knights,
            board.bishops,
            board.rooks,
            board.queens,
            board.kings,
        )
        for piece, kind in enumerate(masks, start=1):
            queen = _promotes(piece, target)
            value = VALUES[chess.QUEEN if queen else piece]
            won = standing + (value - 1 if queen else 0)
            afters = (rest ^ _SQUARES[start] for start in scan_forward(takers & kind))
            lawful = [
                after for after in afters if self._lawful(side, piece, target, after)
            ]
            if lawful:
                return max(
                    0, *(won - self._reply(not side, target, r, value) for r in lawful)
                )
        return 0

    def _lawful(
        self,
        side: Color,
        piece: PieceType,
        target: Square,
        rest: Bitboard,
    ) -> bool:
        """Tell whether the king of ``side`` is safe once ``piece`` has taken on ``target``."""
        king = target if piece == chess.KING else self._kings[side]
        first = side == self.colour
        if not (king == target or self._lines[side] or (first and self._strict)):
            return True
        attackers = (
            self._board.attackers_mask(not side, king, rest) & rest & ~_SQUARES[target]
        )
        return not (
            attackers if first or king == target else attackers & ~self._answered
        )


def _promotes(piece: PieceType, target: Square) -> bool:
    return piece == chess.PAWN and bool(_SQUARES[target] & chess.BB_BACKRANKS)


# ---------------------------------------------------------------- tactics


class Fork(NamedTuple):
    """One piece that attacks two or more targets at once.

    Parameters
    ----------
    square
        The forking piece.
    targets
        The king first, then what is worth most, then by squares; at least two.
    safe
        Whether the opponent has no capture that wins the forking piece by exchange.
    """

    square: Square
    targets: tuple[Square, ...]
    safe: bool


class Line(NamedTuple):
    """A bishop, rook or queen, an enemy piece before it and another behind that one.

    Parameters
    ----------
    square
        The acting piece.
    front
        In a pin the pinned piece, in a skewer the one that must move.
    behind
        What stands behind it on the same line, nothing between.
    absolute
        Whether the king is concerned: behind in a pin, in front in a skewer.
    """

    square: Square
    front: Square
    behind: Square
    absolute: bool


def forks(board: Board, colour: Color, taken: Known = ()) -> tuple[Fork, ...]:
    """Return the forks of ``colour``, in the order of the forking pieces' squares.

    A piece forks when it attacks at least two targets, each the king or a piece that is
    worth taking with it. Kings and pawns fork too. Whether the opponent can answer is not
    asked, but ``safe`` tells whether the forking piece can be won. ``taken`` are its
    :func:`captures`, where they are known already.
    """
    targets = defaultdict[Square, list[Square]](list)
    for each in taken or captures(board, colour):
        if each.gain > 0:
            targets[each.from_square].append(each.square)
    king = king_of(board, not colour)
    for square in board.attackers(colour, king):
        targets[square].append(king)
    forking = {square: hit for square, hit in sorted(targets.items()) if len(hit) > 1}
    lost = winning(board, not colour) if forking else {}
    return tuple(
        Fork(
            square,
            tuple(sorted(hit, key=lambda s: (-worth(board, s), s))),
            square not in lost,
        )
        for square, hit in forking.items()
    )


def pins(board: Board, colour: Color) -> tuple[Line, ...]:
    """Return the pins of ``colour``; see :func:`line_tactics`."""
    return line_tactics(board, Exchanges(board, colour))[0]


def line_tactics(
    board: Board, exchanges: Exchanges
) -> tuple[tuple[Line, ...], tuple[Line, ...]]:
    """Return the pins and the skewers of one side, in the order of the acting pieces.

    A bishop, rook or queen pins an enemy piece when that stands alone between it and a
    piece worth more, and that piece is the king (an absolute pin) or would be worth taking
    with the pinning piece if the pinned one were gone (a relative pin). A pawn is pinned
    to another piece than the king only if it has a move off the line.

    A bishop, rook or queen skewers when it attacks the king, or a piece worth taking with
    it, and behind that on the same line stands a piece (no pawn) worth no more, which would
    be worth taking with the same piece once the one in front has gone.
    """
    pinned = []
    skewered = []
    for start, front, behind in lines(board, exchanges.colour):
        before = worth(board, front)
        after = worth(board, behind)
        falls = exchanges.worth(Move(start, behind), without=_SQUARES[front]) > 0
        line = Line(
            start,
            front,
            behind,
            bool(board.kings & (_SQUARES[front] | _SQUARES[behind])),
        )
        if before < after:
            if line.absolute or (falls and _can_leave(board, front, start)):
                pinned.append(line)
        elif falls and after > 1:
            capture = exchanges.capture(start, front)
            if line.absolute or (capture and capture.gain > 0):
                skewered.append(line)
    return tuple(pinned), tuple(skewered)


def discovered_attacks(
    board: Board, move: Move
) -> list[tuple[Square, Square, int | None]]:
    """Return the attacks that a legal move opens for other pieces of the mover.

    A bishop, rook or queen that has not moved attacks, after the move, an enemy piece that it
    did not attack before, because the moved piece (or a pawn taken en passant) no longer
    stands between. Each attacking piece, in the order of their squares, what it attacks, and
    what that capture wins by exchange, in pawns; ``None`` for the king (a discovered check)
    and where the capture is not lawful.
    """
    end = after_move(board, move)
    colour = board.turn
    opened = []
    left = board.occupied & ~end.occupied
    moved = end.occupied_co[colour] & ~board.occupied_co[colour]
    exchanges = Exchanges(end, colour)
    for start in scan_forward(_line_movers(end, colour) & ~moved):
        new = (
            end.attacks_mask(start)
            & ~board.attacks_mask(start)
            & end.occupied_co[not colour]
        )
        for target in scan_forward(new):
            if chess.between(start, target) & left:
                capture = exchanges.capture(start, target)
                opened.append((start, target, capture and capture.gain))
    return opened


def lines(board: Board, colour: Color) -> Iterator[tuple[Square, Square, Square]]:
    """Yield each line piece of ``colour`` with an enemy in sight and the enemy behind it."""
    enemies = board.occupied_co[not colour]
    for start in scan_forward(_line_movers(board, colour)):
        attacked = board.attacks_mask(start)
        for front in scan_forward(attacked & enemies):
            # Squares on the ray seen when the front piece is away, and not seen before.
            rest = board.occupied ^ _SQUARES[front]
            for behind in scan_forward(chess.ray(start, front) & enemies & ~attacked):
                if chess.between(start, behind) & rest == 0:
                    yield start, front, behind


def _line_movers(board: Board, colour: Color) -> Bitboard:
    return (board.bishops | board.rooks | board.queens) & board.occupied_co[colour]


def _can_leave(board: Board, square: Square, pinner: Square) -> bool:
    """Tell whether a piece, if it is a pawn, has a move off the line through the pinner."""
    if not board.pawns & _SQUARES[square]:
        return True
    colour = board.color_at(square) == chess.WHITE
    reach = board.attacks_mask(square) & board.occupied_co[not colour]
    reach |= _SQUARES[square + (8 if colour else -8)] & ~board.occupied
    return bool(reach & ~chess.ray(pinner, square))


# ---------------------------------------------------------------- threats


class Threat(NamedTuple):
    """A move that a side threatens.

    Parameters
    ----------
    kind
        ``mate`` in one; ``capture`` that wins material by exchange; ``promotion`` without a
        capture, of a pawn that then cannot be won back.
    move
        The move, legal once the opponent has passed.
    target
        Square of what is won: the king, the captured piece, the promotion square.
    gain
        Pawns won by exchange; 0 for mate.
    """

    kind: Literal["mate", "capture", "promotion"]
    move: Move
    target: Square
    gain: int


def threats(board: Board, colour: Color, taken: Known = ()) -> tuple[Threat, ...]:
    """Return what ``colour`` threatens: mates first, then by what is won, then by move.

    On its own turn these are what it can do at once; on the opponent's, what it could do
    after a pass. A check that the opponent stands in is then taken as answered, so that a
    knight that checks and attacks a rook threatens the rook; mate is not asked for there.
    Every winning capture is listed, also several of the same piece. ``taken`` are its
    :func:`captures`, where they are known already.
    """
    king = king_of(board, not colour)
    found = [Threat("mate", move, king, 0) for move in mates(board, colour)]
    for each in taken or captures(board, colour):
        found.append(Threat("capture", each.move, each.square, each.gain))
    for move, gain in Exchanges(board, colour).promotions():
        found.append(Threat("promotion", move, move.to_square, gain))
    won = (each for each in found if each.kind == "mate" or each.gain > 0)
    return tuple(sorted(won, key=lambda t: (t.kind != "mate", -t.gain, t.move.uci())))


def mates(board: Board, colour: Color) -> tuple[Move, ...]:
    """Return the moves of ``colour`` that mate at once, in the order of their squares.

    If it is the opponent's turn, after a pass; none if the opponent is in check, for then it
    cannot pass. A pawn that mates as a queen counts as that; as another piece only if the
    queen does not mate.
    """
    turned = board if board.turn == colour else after_pass(board)
    if turned is None:
        return ()
    checks = set(_possible_checks(turned))
    mating = {move for move in checks if after_move(turned, move).is_checkmate()}
    queens = {move for move in mating if move.promotion == chess.QUEEN}
    others = {
        m for m in mating - queens if replace(m, promotion=chess.QUEEN) not in queens
    }
    return tuple(sorted(queens | others, key=Move.uci))


def _possible_checks(board: Board) -> Iterator[Move]:
    """Yield the legal moves that may give check: all that do, others too, some twice."""
    king = king_of(board, not board.turn)
    own = board.occupied_co[board.turn]
    # The squares from which a queen or a knight sees the king; a pawn's are among them.
    seen = (
        chess.BB_KNIGHT_ATTACKS[king]
        | chess.BB_DIAG_ATTACKS[king][chess.BB_DIAG_MASKS[king] & board.occupied]
        | chess.BB_RANK_ATTACKS[king][chess.BB_RANK_MASKS[king] & board.occupied]
        | chess.BB_FILE_ATTACKS[king][chess.BB_FILE_MASKS[king] & board.occupied]
    )
    yield from board.generate_legal_moves(own & ~board.kings, seen)
    # What promotes, and what alone stands between an own line piece and the king.
    freeing = board.pawns & own & (chess.BB_RANK_7 if board.turn else chess.BB_RANK_2)
    for start in scan_forward(line_pieces(board, board.turn, king)):
        between = chess.between(start, king) & board.occupied
        if between.bit_count() == 1:
            freeing |= between & own
    yield from board.generate_legal_moves(freeing)
    yield from board.generate_legal_ep()
    yield from board.generate_castling_moves()
