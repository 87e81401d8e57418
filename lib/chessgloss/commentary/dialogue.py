"""Questions about a move, answered from fresh facts of board and engine (CCC, Appendix D).

A question is read for the moves, pieces, squares and topics that it speaks of, and the facts of
each are looked up. Without a language model the answer is the facts in sentences. With one, the
model is given the facts, its draft is read for moves and pieces that have none yet, those are
looked up, and the model answers again with them. Illegal moves in its answer are named.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import cache
from itertools import zip_longest
from typing import Literal, TypeAlias

import chess

from chessgloss.claims.lexicon import Notation, tokenise
from chessgloss.claims.parser import Element, Term, chunk
from chessgloss.commentary.briefing import PHRASES, after_pass
from chessgloss.commentary.prompts import load_prompt, quoted
from chessgloss.engine import Analysis, score_text
from chessgloss.facts import Verdict, gather, listed, side_name, weigh
from chessgloss.facts.board import attackers, shelter
from chessgloss.facts.fact import named, owned
from chessgloss.facts.tactics import captures, exchange, hanging, threats
from chessgloss.llm.client import Client, Misconfigured, Unanswered
from chessgloss.llm.recordings import Request, Sampling, State
from chessgloss.positions import MoveInContext, Position

#: How a move that somebody speaks of stands to the move under discussion: the move itself,
#: another in its place, an answer to it, one further on, one after a pass by the opponent, or
#: none that the rules allow. Facts of pieces, squares and the whole position are ``board``.
Place = Literal["played", "instead", "reply", "later", "threat", "illegal", "board"]

#: Analyses one position, with at least two lines where there are two moves.
Analyse: TypeAlias = Callable[[Position], Analysis]

#: Says one line to the reader: a model gave no answer.
Warn: TypeAlias = Callable[[str], object]

#: Most sentences of an answer without a model, turns that a model is shown, pieces that one
#: phrase may stand for, facts of a move, and rescues or threats that are named.
MOST_SENTENCES, MOST_TURNS, MOST_PIECES, MOST_NAMED = 9, 6, 2, 3

#: Drawn as the CCC paper draws its comments (4.1).
SAMPLING = Sampling(temperature=0.1, max_tokens=220, seed=1)

#: Kinds of fact that tell what a move does, the most telling first.
_PATTERNS = {name: re.compile(each) for name, each in PHRASES["question_patterns"].items()}
_EFFECTS = (
    *("mate", "stalemate", "check", "promotion", "castling", "capture"),
    *("fork", "skewer", "pin", "discovered_attack"),
)


@dataclass(frozen=True, slots=True)
class Mention:
    """Something on the board that a text speaks of.

    Parameters
    ----------
    text
        The words.
    start
        Where they begin.
    term
        The piece or square that they refer to; ``None`` for a move.
    notation
        The move as written; ``None`` for the others.
    number
        Move number and side where the text gives them: ``26...`` is ``(26, chess.BLACK)``.
    """

    text: str
    start: int
    term: Term | None = None
    notation: Notation | None = None
    number: tuple[int, chess.Color] | None = None


@dataclass(frozen=True, slots=True)
class Ground:
    """Facts about one thing that a text speaks of.

    Parameters
    ----------
    about
        The thing: a move with its number, a piece with its square, ``the threats``.
    place
        How it stands to the move under discussion.
    sentences
        The facts as full English sentences, the most telling first.
    """

    about: str
    place: Place
    sentences: tuple[str, ...]

    @property
    def text(self) -> str:
        """All sentences in one line."""
        return " ".join(self.sentences)


class Discussion:
    """The move under discussion, and an engine that remembers what it was asked.

    Parameters
    ----------
    move
        The move.
    analyse
        Analyses a position; called once for each.

    Attributes
    ----------
    after, board
        The position after the move, and its board without history.
    analyse
        Analyses a position; asked again, it remembers.
    """

    def __init__(self, move: MoveInContext, analyse: Analyse) -> None:
        self.move, self.after = move, move.after()
        self.board = chess.Board(self.after.fen)
        self.analyse = cache(analyse)

    @property
    def passed(self) -> Position | None:
        """The position after the move and a pass; ``None`` if the opponent cannot pass."""
        return after_pass(self.after)

    def main_line(self, plies: int) -> tuple[str, ...]:
        """Return the engine's line after the move, UCI; empty if the game is over."""
        lines = self.analyse(self.after).lines
        return lines[0].moves[:plies] if lines else ()

    def weigh(self, move: MoveInContext) -> Verdict:
        """Return the engine's verdict on any move, seen by the side that moves."""
        return weigh(move, self.analyse(move.position), self.analyse(move.after()))


def facts_for(question: str, discussion: Discussion) -> tuple[Ground, ...]:
    """Return fresh facts of board and engine for all that a question speaks of.

    Moves and pieces first, in the order of the text, then its topics (threats, the best
    move, the reply, who stands better); a question that names nothing gets the verdict.
    """
    grounds = list(grounds_of(question, discussion))
    for topic, pattern in PHRASES["topics"].items():
        if re.search(pattern, question, re.IGNORECASE):
            grounds.append(Ground(topic, "board", tuple(_TOPICS[topic](discussion))))
    if not grounds:
        grounds.append(Ground("the verdict", "board", tuple(_verdict(discussion))))
    return _distinct(grounds)


def grounds_of(text: str, discussion: Discussion) -> tuple[Ground, ...]:
    """Return the facts for the moves, pieces and squares that a text speaks of."""
    mentions = find_mentions(text)
    moves = _move_grounds(mentions, text, discussion)
    return _distinct([*moves, *_piece_grounds(mentions, discussion)])


def _distinct(grounds: Iterable[Ground]) -> tuple[Ground, ...]:
    kept: dict[tuple[str, str], Ground] = {}
    for ground in grounds:
        kept.setdefault((ground.about, ground.place), ground)
    return tuple(kept.values())


# ---------------------------------------------------------------- what a text speaks of


def find_mentions(text: str) -> tuple[Mention, ...]:
    """Return what a text speaks of, in its order, each thing once.

    Moves are read in SAN, UCI and words (``queen takes h4``, ``castle kingside``), pieces with
    or without their square (``black's h4 knight``, ``the queen``).
    """
    elements = [element for element in chunk(text, tokenise(text)) if element.tag in "NSM"]
    mentions, skip = list[Mention](), False
    for element, following in zip_longest(elements, elements[1:]):
        in_words = _move_in_words(text, element, following) if following and not skip else None
        if in_words:
            mentions.append(in_words)
        elif not skip:
            mentions += _mentioned(text, element)
        skip = in_words is not None
    for match in _PATTERNS["castling"].finditer(text):
        wing = (match["wing"] or "").lower()
        side = "either" if not wing else "Q" if wing.startswith(("queen", "long")) else "K"
        mentions.append(Mention(match.group(), match.start(), notation=Notation(castles=side)))
    kept: dict[object, Mention] = {}
    for mention in sorted(mentions, key=lambda mention: mention.start):
        term = mention.term and replace(mention.term, text="", span=(0, 0))
        kept.setdefault((mention.notation, mention.number, term), mention)
    return tuple(kept.values())


def _mentioned(text: str, element: Element) -> Iterator[Mention]:
    for term in element.terms:
        start = term.span[0]
        if term.move is not None:
            match = _PATTERNS["number"].search(text[:start])
            number = (int(match[1]), match[2] == ".") if match else None
            yield Mention(term.text, start, notation=term.move, number=number)
        elif (
            element.tag == "S"
            and _PATTERNS["pushed"].search(text[:start])
            and term.square is not None
        ):
            yield Mention(term.text, start, notation=Notation(chess.PAWN, term.square))
        elif term.role in ("piece", "square"):
            yield Mention(term.text, start, term)


def _move_in_words(text: str, element: Element, following: Element) -> Mention | None:
    """Read ``knight to f3`` and ``queen takes the knight on h4``."""
    if element.tag != "N" or following.tag not in "SN" or len(element.terms[0].pieces) != 1:
        return None
    target, (piece,) = following.terms[0].square, element.terms[0].pieces
    between = text[element.span[1] : following.span[0]]
    takes = bool(_PATTERNS["takes"].fullmatch(between))
    goes = following.tag == "S" and _PATTERNS["goes"].fullmatch(between)
    if target is None or not (takes or goes):
        return None
    words = text[element.span[0] : following.span[1]]
    return Mention(words, element.span[0], notation=Notation(piece, target, takes=takes))


# ---------------------------------------------------------------- facts for moves


def _move_grounds(
    mentions: Sequence[Mention], text: str, discussion: Discussion
) -> Iterator[Ground]:
    """Yield the facts for each move mentioned, in the order of the text.

    A move is sought in the position before the move under discussion, then after it, then
    at the end of the line that the text has begun, then after a pass; words such as *then*
    and *reply* turn to the later positions first, a move number to the one it fits.
    """
    line: Position | None = None
    for mention in mentions:
        if mention.notation is None:
            continue
        places: list[tuple[Place, Position | None]] = [
            ("instead", discussion.move.position),
            ("reply", discussion.after),
            ("later", line),
            ("threat", discussion.passed),
        ]
        if _PATTERNS["later"].search(text[: mention.start]):
            places = [places[2], places[1], places[3], places[0]]
        candidates = _candidates(mention, mention.notation, places)
        if not candidates:
            yield _illegal(mention, mention.notation, discussion)
        for place, move in candidates[:2]:
            yield _ground_move("played" if move == discussion.move else place, move, discussion)
        if candidates and (candidates[0][0] != "threat" or candidates[0][1] == discussion.move):
            line = candidates[0][1].after()


def _candidates(
    mention: Mention, notation: Notation, places: Sequence[tuple[Place, Position | None]]
) -> list[tuple[Place, MoveInContext]]:
    """Return the legal moves that a mention can mean, of the first place that has any."""
    number, side = mention.number or (None, None)
    moves = [
        (place, MoveInContext(position, move.uci()))
        for place, position in places
        if position is not None and side in (None, position.turn)
        for move in notation.moves(chess.Board(position.fen))
    ]
    numbered = [each for each in moves if each[1].position.fen.split(" ")[-1] == str(number)]
    fitting = numbered or moves
    return [each for each in fitting if each[0] == fitting[0][0]]


def _illegal(mention: Mention, notation: Notation, discussion: Discussion) -> Ground:
    words = mention.text.strip()
    if notation.castles:
        return Ground(words, "illegal", (f"There is no castling here ({words}).",))
    side = mention.number[1] if mention.number else None
    owner = "neither side has such a" if side is None else f"{side_name(side)} has no such"
    reason = f"{owner} move here"
    for position in (discussion.after, discussion.move.position):
        board = chess.Board(position.fen)
        fits = any(notation.fits(board, move) for move in board.pseudo_legal_moves)
        if fits and side in (None, board.turn):
            name = side_name(board.turn)
            left = f"it would leave {name}'s own king in check"
            reason = f"{name} would still be in check" if board.is_check() else left
    return Ground(words, "illegal", (f"{words} is not a legal move: {reason}.",))


def _ground_move(place: Place, move: MoveInContext, discussion: Discussion) -> Ground:
    """Return the facts for one legal move, those of the engine included."""
    verdict, name = discussion.weigh(move), move.numbered_san
    opinion = f"that {score_text(verdict.played)}"
    sentences = []
    if place == "instead":
        sentences.append(f"{name} was possible instead.")
    elif place == "threat":
        sentences.append(f"If {side_name(not move.mover)} did nothing, {name} would follow.")
    effects = [fact for fact in gather(move, verdict).of(when="move") if fact.kind in _EFFECTS]
    effects.sort(key=lambda fact: _EFFECTS.index(fact.kind))
    clauses = [fact.text for fact in effects[:MOST_NAMED]]
    if gain := exchange(chess.Board(move.position.fen), move.move):
        verb, square = "wins" if gain > 0 else "loses", move.uci[2:4]
        clauses.append(f"it {verb} material worth {abs(gain)} by exchanges on {square}")
    if clauses:
        sentences.append(f"{name}: {'; '.join(clauses)}.")
    after = chess.Board(move.after().fen)
    if place == "threat":
        sentences.append(f"The engine's verdict would be {opinion}.")
    elif not after.is_game_over():
        line = _line(after, verdict.reply_line[:3])
        expecting = f", expecting {line}" if line else ""
        sentences.append(f"After {name} the engine says {opinion}{expecting}.")
    if place == "instead":
        played = discussion.weigh(discussion.move)
        gain = played.loss - verdict.loss
        quality = "as good as" if abs(gain) <= 10 else "better than" if gain > 0 else "worse than"
        value = score_text(played.played)
        sentences.append(f"That is {quality} the played {discussion.move.numbered_san} ({value}).")
    elif place != "threat":
        best = _numbered(move.position, verdict.best)
        prefers = f"The engine prefers {best}: {score_text(verdict.before)}."
        first = f"{name} is the engine's first choice."
        sentences.append(first if verdict.best == move.uci else prefers)
    return Ground(name, place, tuple(sentences))


def _numbered(position: Position, uci: str) -> str:
    return MoveInContext(position, uci).numbered_san


def _line(board: chess.Board, moves: Sequence[str]) -> str:
    """Return a line of UCI moves as it is written in books."""
    return board.variation_san(map(chess.Move.from_uci, moves))


# ---------------------------------------------------------------- facts for pieces and squares


def _piece_grounds(mentions: Sequence[Mention], discussion: Discussion) -> Iterator[Ground]:
    """Yield the facts for each piece and square mentioned, as they stand after the move."""
    board, done = discussion.board, set[chess.Square]()
    loose = {each.square for colour in chess.COLORS for each in hanging(board, colour)}

    def order(square: chess.Square) -> tuple[bool, bool, int]:
        """Sort pieces: those that hang first, then those attacked."""
        attacked = board.is_attacked_by(not board.color_at(square), square)
        return square not in loose, not attacked, square

    for text, term in [(mention.text, mention.term) for mention in mentions if mention.term]:
        squares = term.squares(board)
        if not squares:
            yield _absent(text.strip(), term, discussion)
        for square in sorted(squares, key=order)[:MOST_PIECES]:
            if square not in done:
                done.add(square)
                describe = _king if board.piece_type_at(square) == chess.KING else _piece
                owner = owned(board, square)
                yield Ground(owner, "board", tuple(describe(board, square, discussion)))


def _absent(name: str, term: Term, discussion: Discussion) -> Ground:
    board, move = discussion.board, discussion.move
    text = f"After {move.numbered_san} there is no such piece: {name}."
    if term.role == "square" and term.square is not None:
        name = chess.square_name(term.square)
        white, black = (_names(board, attackers(board, s, term.square)) for s in (True, False))
        text = f"The square {name} is empty after the move; White reaches it with {white}, "
        text += f"Black with {black}."
    elif term.squares(chess.Board(move.position.fen)):
        text = f"{_capital(name)} is no longer there after {move.numbered_san}."
    return Ground(name, "board", (text,))


def _piece(board: chess.Board, square: chess.Square, discussion: Discussion) -> Iterator[str]:
    colour, name = bool(board.color_at(square)), chess.square_name(square)
    foes, friends = (attackers(board, side, square) for side in (not colour, colour))
    attacked, defended = _names(board, foes), _names(board, friends)
    yield f"{owned(board, square)} is attacked by {attacked} and defended by {defended}."
    losses = [each.gain for each in hanging(board, colour) if each.square == square]
    if losses:
        yield from _capture(board, square, losses[0], discussion)
    elif foes:
        check = board.is_check() and board.turn != colour
        yield f"It cannot be won by exchanges on its square{' while the check stands' * check}."
    for fact in gather(discussion.move).of("fork", "pin", "skewer", when="after"):
        if name in fact.squares:
            yield f"{_capital(fact.text)}."
    if moves := discussion.main_line(8):
        count = _taken_at(board, square, moves)
        fate = "it is taken" if count else "it stays on the board"
        yield f"In the engine's main line {fate}: {_line(board, moves[:count])}."


def _capture(
    board: chess.Board, square: chess.Square, gain: int, discussion: Discussion
) -> Iterator[str]:
    """Say how a hanging piece is won, and how it can be saved."""
    colour = bool(board.color_at(square))
    side, owner = side_name(not colour), side_name(colour)
    position = discussion.after if board.turn != colour else discussion.passed
    if position is None:
        yield f"{side} could win it by exchanges (worth {gain}), were {owner} not in check."
        return
    takers = [each for each in captures(board, not colour) if each.square == square]
    san = _numbered(position, max(takers, key=lambda each: each.gain).move.uci())
    can = "can take it" if board.turn != colour else "threatens to take it"
    yield f"{side} {can} with {san}, which wins material worth {gain} by exchanges."
    if board.turn == colour:
        best = discussion.main_line(1)
        saving = [move.uci() for move in board.legal_moves if _saves(board, move, square)]
        saving.sort(key=lambda uci: (uci not in best, uci))
        if not saving:
            yield f"No single move of {owner}'s saves it from being won by exchanges."
            return
        *first, last = [_numbered(discussion.after, uci) for uci in saving[:MOST_NAMED]]
        names = f"{', '.join(first)} or {last}" if first else last
        yield f"{owner} is to move and can save it from that, for instance by {names}."


def _saves(board: chess.Board, move: chess.Move, square: chess.Square) -> bool:
    after = board.copy(stack=False)
    after.push(move)
    moved = move.to_square if move.from_square == square else square
    return all(each.square != moved for each in hanging(after, board.turn))


def _taken_at(board: chess.Board, square: chess.Square, moves: Sequence[str]) -> int | None:
    """Return after how many moves of a line the piece on a square is taken, if it is."""
    walk, colour = board.copy(stack=False), board.color_at(square)
    for count, move in enumerate(map(chess.Move.from_uci, moves), start=1):
        taken = move.to_square
        if walk.is_en_passant(move):
            taken += -8 if walk.turn else 8
        if walk.turn != colour and taken == square:
            return count
        if move.from_square == square:
            square = move.to_square
        walk.push(move)
    return None


def _king(board: chess.Board, square: chess.Square, _: Discussion) -> Iterator[str]:
    colour = bool(board.color_at(square))
    checkers = attackers(board, not colour, square, barred=True)
    state = f"in check from {_names(board, checkers)}" if checkers else "not in check"
    yield f"{owned(board, square)} is {state}."
    cover = shelter(board, colour)
    if pawns := [chess.square_name(pawn) for pawn in cover.pawns]:
        yield f"Its shelter is the pawn{'s' * (len(pawns) > 1)} on {listed(pawns)}."
    else:
        yield "No pawn of its own shelters it."
    if cover.bare_files:
        files = listed([f"the {chess.FILE_NAMES[file]}-file" for file in cover.bare_files])
        yield f"It has no pawn of its own ahead on {files}."


def _names(board: chess.Board, squares: Iterable[chess.Square]) -> str:
    names = [named(board, square) for square in squares]
    return listed(names) if names else "nothing"


def _capital(text: str) -> str:
    return text[:1].upper() + text[1:]


# ---------------------------------------------------------------- facts for topics


def _verdict(discussion: Discussion) -> Iterator[str]:
    verdict, name = discussion.weigh(discussion.move), discussion.move.numbered_san
    best, before = _numbered(discussion.move.position, verdict.best), score_text(verdict.before)
    if verdict.loss >= 1000:
        yield f"Instead of {name} the engine plays {best}: {before}."
    elif not verdict.loss:
        yield f"{name} loses nothing by the engine's count."
    else:
        yield (
            f"By the engine's count {name} loses {verdict.loss / 100:.2f} against {best} "
            f"({verdict.judgement}): before it {before}, "
            f"after it {score_text(verdict.played)}."
        )


def _best(discussion: Discussion) -> Iterator[str]:
    position, verdict = discussion.move.position, discussion.weigh(discussion.move)
    best, value = _numbered(position, verdict.best), score_text(verdict.before)
    if verdict.best == discussion.move.uci:
        yield f"{best} was the engine's first choice: {value}."
    else:
        line = _line(chess.Board(position.fen), verdict.best_line[:6])
        yield f"The engine's first choice was {best}: {value} ({line})."
    if verdict.second is not None:
        yield f"Its second choice was {_numbered(position, verdict.second)}."


def _reply(discussion: Discussion) -> Iterator[str]:
    board, moves = discussion.board, discussion.main_line(6)
    if moves:
        value = score_text(discussion.analyse(discussion.after).best.score)
        best = _numbered(discussion.after, moves[0])
        yield f"The engine expects {best}: {value} ({_line(board, moves)})."
    else:
        result = "checkmate" if board.is_checkmate() else "a draw"
        yield f"There is no reply: the game is over, {result}."


def _threats(discussion: Discussion) -> Iterator[str]:
    board = discussion.board
    for side in (discussion.move.mover, not discussion.move.mover):
        name = side_name(side)
        position = discussion.after if board.turn == side else discussion.passed
        if position is None:
            line = _line(board, discussion.main_line(4))
            follow = f" The engine goes on {line}." if line else ""
            yield f"{name} gives check, which must be answered first.{follow}"
            continue
        turn = chess.Board(position.fen)
        moves = [each.move.uci() for each in threats(turn, side) if each.move in turn.legal_moves]
        sans = list(dict.fromkeys(_numbered(position, uci) for uci in moves))
        verb = "can win something at once" if board.turn == side else "threatens"
        yield (
            f"{name} {verb}: {listed(sans[:MOST_NAMED])}."
            if sans
            else f"{name} threatens to win nothing at once."
        )


def _standing(discussion: Discussion) -> Iterator[str]:
    verdict, move = discussion.weigh(discussion.move), discussion.move
    side = "the game" if verdict.standing == "equal" else side_name(move.mover)
    yield (
        f"After {move.numbered_san} the engine says that {score_text(verdict.after)}: "
        f"{side} is {verdict.standing}."
    )


_TOPICS: dict[str, Callable[[Discussion], Iterator[str]]] = {
    "the threats": _threats,
    "the best move": _best,
    "the reply": _reply,
    "the standing": _standing,
    "the verdict": _verdict,
}


# ---------------------------------------------------------------- the conversation


@dataclass(frozen=True, slots=True)
class Reply:
    """An answer and what stands behind it.

    Parameters
    ----------
    text
        The answer.
    grounds
        The facts it was made from, those looked up for its own words included.
    method
        ``notes`` or ``llm``.
    model
        The language model that answered; ``None`` if none did.
    unsupported
        Moves in the answer that are not legal anywhere near.
    """

    text: str
    grounds: tuple[Ground, ...]
    method: str = "notes"
    model: str | None = None
    unsupported: tuple[str, ...] = ()


class Dialogue:
    """A conversation about one move.

    Parameters
    ----------
    move
        The move.
    comment
        The comment that begins it.
    analyse
        Analyses a position.
    client
        Asks a language model; ``None`` to answer from the facts alone.
    warn
        Called with one line whenever the model gives no answer, so that the facts speak.

    Attributes
    ----------
    turns
        Questions and answers so far.
    """

    def __init__(
        self,
        move: MoveInContext,
        comment: str,
        analyse: Analyse,
        client: Client | None = None,
        warn: Warn = print,
    ) -> None:
        self.move, self.comment, self.client, self.warn = move, comment, client, warn
        self.turns: list[tuple[str, str]] = []
        self._discussion = Discussion(move, analyse)

    def ask(self, question: str) -> Reply:
        """Answer a question and remember both.

        Raises
        ------
        ValueError
            If the question is empty.
        """
        if not question.strip():
            raise ValueError("the question is empty")
        grounds = facts_for(question, self._discussion)
        reply = self._write(self.client, question, grounds) if self.client else None
        if reply is None:
            sentences = dict.fromkeys(each for ground in grounds for each in ground.sentences)
            reply = Reply(" ".join(list(sentences)[:MOST_SENTENCES]), grounds)
        self.turns.append((question, reply.text))
        return reply

    def request(self, question: str, grounds: Iterable[Ground]) -> Request:
        """Return what is asked of the model for one question."""
        prompt, position = load_prompt("answer"), self.move.position
        turns = [f"Reader: {asked}\nCoach: {answer}" for asked, answer in self.turns[-MOST_TURNS:]]
        messages = prompt.fill(
            fen=position.fen,
            move=self.move.numbered_san,
            comment=quoted(self.comment),
            turns=quoted("\n".join(turns)) if turns else "(none)",
            facts="\n".join(f"- {ground.text}" for ground in grounds),
            question=quoted(question),
        )
        about = {"fen": position.fen, "move": self.move.uci}
        return Request(messages, SAMPLING, prompt=prompt.label, about=about)

    def _write(self, client: Client, question: str, grounds: tuple[Ground, ...]) -> Reply | None:
        """Have the model answer, twice if its draft speaks of more than it was given."""
        draft = self._answer(client, question, grounds)
        if draft is None:
            return None
        fuller = _distinct([*grounds, *grounds_of(draft, self._discussion)])
        text = draft
        if len(fuller) > len(grounds):
            text = self._answer(client, question, fuller) or draft
        own = grounds_of(text, self._discussion)
        final, names = _distinct([*fuller, *own]), {ground.about for ground in own}
        wrong = [each.about for each in final if each.place == "illegal" and each.about in names]
        return Reply(text, final, "llm", client.model.name, tuple(wrong))

    def _answer(self, client: Client, question: str, grounds: Iterable[Ground]) -> str | None:
        try:
            answer = client.ask(self.request(question, grounds))
            if answer.state == State.ANSWERED:
                return " ".join(answer.text.split())
            problem = f"{client.model.name} gave no answer ({answer.state})"
        except (Unanswered, Misconfigured) as error:
            problem = str(error)
        self.warn(f"{problem}; the facts speak instead")
        return None
