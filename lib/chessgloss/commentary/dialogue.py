"""Questions about a move, answered from fresh facts of board and engine (CCC, Appendix D).

A question is read for the moves, pieces, squares and topics that it speaks of, and each is looked
up: a move by its notes (:mod:`chessgloss.notes`), a piece by the facts that name its
square. Without a language model the answer is what was found. With one, the model is given it,
its draft is read for moves and pieces that were not looked up, they are, and the model answers
again. Illegal moves in its answer are named.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator
from dataclasses import replace
from functools import cache
from itertools import chain
from typing import Final, Literal, NamedTuple

import chess

from chessgloss.claims.lexicon import Notation, tokenise
from chessgloss.claims.parser import Term, chunk
from chessgloss.commentary.briefing import PHRASES, Briefing, after_pass
from chessgloss.commentary.notes import compose
from chessgloss.commentary.prompts import load_prompt
from chessgloss.facts import Verdict, listed, side_name
from chessgloss.llm.client import Client, Misconfigured, Unanswered
from chessgloss.llm.recordings import Request, Sampling, State
from chessgloss.llm.text import quoted
from chessgloss.notes import notes, play_out
from chessgloss.positions import MoveInContext, Position
from chessgloss.predicates.board import attackers, taken_on
from chessgloss.predicates.words import named, owned
from chessgloss.scores import Analysis, by_the_rules, score_text

#: How a move that somebody speaks of stands to the move under discussion: the move itself,
#: another in its place, an answer to it, one further on, one after a pass by the opponent, or
#: none that the rules allow. What is said of pieces, squares and the game is ``board``.
Place = Literal["played", "instead", "reply", "later", "threat", "illegal", "board"]

#: Turns that a model is shown, pieces that one phrase may stand for, plies of a line that are told.
MOST_TURNS = 6
MOST_PIECES = 2
MOST_PLIES = 8

#: Words and sentences of notes on a move: more than the comment that is asked about.
NOTE_WORDS = 70
NOTE_SENTENCES = 5

#: Drawn as the CCC paper draws its comments (4.1).
SAMPLING = Sampling(temperature=0.1, max_tokens=220, seed=1)

#: Facts that are told of a piece.
_OF_PIECES: Final = (
    "hanging",
    "threat",
    "fork",
    "pin",
    "skewer",
    "passed_pawn",
    "king_shelter",
)
#: Notes on what a move threatens.
_THREATS: Final = (
    "threat_mate_1",
    "threat_mate",
    "threat",
    "forces_mate_1",
    "forces_mate",
    "allows_mate_1",
    "allows_mate",
)
_PATTERNS = {
    name: re.compile(each) for name, each in PHRASES["question_patterns"].items()
}


class Ground(NamedTuple):
    """What was found on one thing that a text speaks of.

    Parameters
    ----------
    about
        The thing: a move with its number, a piece with its square, ``the threats``.
    place
        How it stands to the move under discussion.
    text
        What is true of it, in full English sentences.
    """

    about: str
    place: Place
    text: str


class Reply(NamedTuple):
    """An answer and what stands behind it.

    Parameters
    ----------
    text
        The answer.
    grounds
        What it was made from, what was looked up for its own words included.
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


def find_mentions(text: str) -> tuple[Term, ...]:
    """Return the moves, pieces and squares that a text speaks of, in its order, each once.

    Moves are read in SAN, UCI and words (``queen takes h4``, ``castle kingside``), pieces with
    or without their square (``black's h4 knight``, ``the queen``).
    """
    found = list[Term]()
    rest = text
    for match in _PATTERNS["in_words"].finditer(text):
        move = Notation(
            castles="Q" if match["long"] else "K" if match["short"] else "either"
        )
        if match["piece"]:
            piece = chess.PIECE_NAMES.index(match["piece"].lower())
            square = match["square"]
            move = Notation(
                piece, chess.parse_square(square.lower()), takes=bool(match["takes"])
            )
        found.append(Term("move", match.group(), match.span(), move=move))
        rest = rest[: match.start()] + " " * len(match.group()) + rest[match.end() :]
    for element in chunk(rest, tokenise(rest)):
        for term in element.terms if element.tag in "NSM" else ():
            if element.tag == "S" and _PATTERNS["pushed"].search(rest[: term.span[0]]):
                term = replace(
                    term, role="move", move=Notation(chess.PAWN, term.square)
                )
            if term.move is not None or term.role in ("piece", "square"):
                found.append(term)
    kept = dict[Term, Term]()
    for term in sorted(found, key=lambda term: term.span):
        kept.setdefault(replace(term, text="", span=(0, 0), continues=False), term)
    return tuple(kept.values())


class Dialogue:
    """A conversation about one move.

    Parameters
    ----------
    move
        The move.
    comment
        The comment that begins it.
    analyse
        Analyses one position, with at least two lines where there are two moves; asked once of
        each.
    client
        Asks a language model; ``None`` to answer from what is found alone.
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
        analyse: Callable[[Position], Analysis],
        client: Client | None = None,
        warn: Callable[[str], object] = print,
    ) -> None:
        self.move = move
        self.comment = comment
        self.client = client
        self.warn = warn
        self.turns: list[tuple[str, str]] = []
        self._analyse = cache(lambda position: by_the_rules(analyse(position)))
        self._after = move.after()
        self._board = chess.Board(self._after.fen)

    def ask(self, question: str) -> Reply:
        """Answer a question and remember both.

        Raises
        ------
        ValueError
            If the question is empty.
        """
        if not question.strip():
            raise ValueError("the question is empty")
        grounds = self.look_up(question)
        reply = self._write(self.client, question, grounds) if self.client else None
        reply = reply or Reply(" ".join(ground.text for ground in grounds), grounds)
        self.turns.append((question, reply.text))
        return reply

    def look_up(self, question: str) -> tuple[Ground, ...]:
        """Return what is true of all that a question speaks of.

        Moves first, then pieces and squares, in the order of the text, then its topics (threats,
        the best move, the reply, who stands better); a question that names nothing gets the
        notes on the move.
        """
        found = self.look_up_named(question)
        asked = PHRASES["topics"].items()
        topics = [
            topic for topic, each in asked if re.search(each, question, re.IGNORECASE)
        ]
        topics = topics if found or topics else ["the verdict"]
        return _distinct([*found, *map(self._on_topic, topics)])

    def look_up_named(self, text: str) -> tuple[Ground, ...]:
        """Return what is true of the moves, pieces and squares that a text names.

        The square to which a pawn has just gone stands for its move: ``the idea of a4``.
        """
        mentions = [self._as_move(each) for each in find_mentions(text)]
        taker = _taker(text)
        pieces = (
            self._on_pieces(each, taker) for each in mentions if each.move is None
        )
        return _distinct(chain(self._on_moves(mentions, text), *pieces))

    def _as_move(self, mention: Term) -> Term:
        """Return a mention, a bare square that reads as the move under discussion as that."""
        bare = mention.move is None and mention.role == "square"
        if bare and mention.text.strip() == self.move.san.rstrip("+#"):
            end = self.move.move.to_square
            return replace(mention, role="move", move=Notation(chess.PAWN, end))
        return mention

    # ---------------------------------------------------------------- moves

    def _on_moves(self, mentions: Iterable[Term], text: str) -> Iterator[Ground]:
        """Yield what is true of each move mentioned.

        A move is sought in the position before the move under discussion, then after it, then
        at the end of the line that the text has begun, then after a pass; words such as *then*
        and *reply* turn to the later positions first, a move number to the one it fits.
        """
        line: Position | None = None
        for mention in mentions:
            if mention.move is None:
                continue
            at: dict[Place, Position | None] = {"instead": self.move.position}
            at |= {
                "reply": self._after,
                "later": line,
                "threat": after_pass(self._after),
            }
            places = list(at.items())
            if _PATTERNS["later"].search(text[: mention.span[0]]):
                places = [places[2], places[1], places[3], places[0]]
            ply = mention.numbered
            moves = [
                (place, MoveInContext(position, move.uci()))
                for place, position in places
                if position is not None
                and (ply is None or (ply % 2 == 0) == position.turn)
                for move in mention.move.moves(chess.Board(position.fen))
            ]
            moves.sort(key=lambda each: chess.Board(each[1].position.fen).ply() != ply)
            if not moves:
                yield self._illegal(mention, mention.move)
            for place, move in [each for each in moves if each[0] == moves[0][0]][:2]:
                yield self._on_move("played" if move == self.move else place, move)
            if moves and moves[0][0] != "threat":
                line = moves[0][1].after()

    def _illegal(self, mention: Term, notation: Notation) -> Ground:
        reason = "no piece can make it here"
        for position in (self._after, self.move.position):
            board = chess.Board(position.fen)
            if any(notation.fits(board, move) for move in board.pseudo_legal_moves):
                reason = f"{side_name(board.turn)}'s own king would be in check"
        words = mention.text.strip()
        return Ground(words, "illegal", f"{words} is not a legal move: {reason}.")

    def _on_move(self, place: Place, move: MoveInContext) -> Ground:
        """Return the notes on a legal move, and what the engine says of it."""
        briefing = self._briefing(move)
        name = move.numbered_san
        verdict = briefing.verdict
        heads = {"instead": f"{name} was possible instead."}
        heads["threat"] = (
            f"If {side_name(not move.mover)} did nothing, {name} would follow."
        )
        made = notes(briefing)
        comment = compose(made, words=NOTE_WORDS, sentences=NOTE_SENTENCES)
        sentences = [heads.get(place, f"{name}:"), comment.text]
        if verdict.reply_line:
            line = _line(chess.Board(move.after().fen), verdict.reply_line[:3])
            opinion = f"After {name} the engine says that {score_text(verdict.after)}"
            sentences.append(f"{opinion}, expecting {line}.")
        if place == "instead":
            played = self._briefing(self.move).verdict
            gain = played.loss - verdict.loss
            value = score_text(played.after)
            compared = "better than" if gain > 0 else "worse than"
            quality = compared if abs(gain) > 10 else "as good as"
            sentences.append(
                f"That is {quality} the played {self.move.numbered_san} ({value})."
            )
        elif verdict.best == move.uci and place != "threat":
            sentences.append(f"{name} is the engine's first choice.")
        return Ground(name, place, " ".join(sentences))

    def _briefing(self, move: MoveInContext) -> Briefing:
        """Return what is known of a move; of the one under discussion what it threatens, too."""
        around = self._analyse(move.position), self._analyse(move.after())
        turned = after_pass(move.after()) if move == self.move else None
        passed = self._analyse(turned) if turned else None
        return Briefing(move.numbered_san, move, *around, passed=passed)

    # ---------------------------------------------------------------- pieces and squares

    def _on_pieces(
        self, mention: Term, taker: chess.Color | None = None
    ) -> Iterator[Ground]:
        """Yield what is true after the move of the pieces that a phrase means, or of a square.

        Where the question names the side that is to take, its opponent's pieces are meant.
        """
        board = self._board
        words = mention.text.strip()
        briefing = self._briefing(self.move)
        line = briefing.verdict.reply_line[:MOST_PLIES]
        passed = briefing.passed.best.moves if briefing.passed else ()
        facts = [
            fact
            for fact in briefing.facts().of(*_OF_PIECES, when="after")
            if fact.kind != "threat" or fact.value in (*line, *passed[:MOST_PLIES])
        ]
        hanging = {fact.squares[0] for fact in facts if fact.kind == "hanging"}

        def order(square: chess.Square) -> tuple[bool, bool, int]:
            attacked = board.is_attacked_by(not board.color_at(square), square)
            return chess.square_name(square) not in hanging, not attacked, square

        meant = mention.squares(board)
        if taker is not None:
            theirs = [each for each in meant if board.color_at(each) is not taker]
            near = [each for each in theirs if board.is_attacked_by(taker, each)]
            meant = near or theirs or meant
        squares = sorted(meant, key=order)[:MOST_PIECES]
        if not squares:
            text = f"After {self.move.numbered_san} there is no such piece: {words}."
            if mention.role == "square" and mention.square is not None:
                words = chess.square_name(mention.square)
                white, black = (
                    _from(board, side, mention.square) for side in (True, False)
                )
                text = f"The square {words} is empty after the move; White reaches it with {white}"
                text += f", Black with {black}."
            yield Ground(words, "board", text)
        for square in squares:
            colour = bool(board.color_at(square))
            name = chess.square_name(square)
            owner = owned(board, square)
            foes = _from(board, not colour, square)
            told = [fact.text for fact in facts if name in fact.squares]
            sentences = [f"{owner} is attacked by {foes}", *told]
            if board.piece_type_at(square) != chess.KING:
                sentences[0] += f" and defended by {_from(board, colour, square)}"
                if foes != "nothing" and name not in hanging:
                    sentences.append("nothing wins it by exchanges at once")
                count = _taken_at(board, square, line)
                fate = "it is taken" if count else "it stays on the board"
                shown = (
                    f"in the engine's main line {fate}: {_line(board, line[:count])}"
                )
                sentences += [shown] if line else []
            if taker is board.turn and colour is not taker:
                sentences.insert(0, self._can_take(square, owner))
            sentences = [each[0].upper() + each[1:] for each in sentences]
            yield Ground(owner, "board", f"{'. '.join(sentences)}.")

    def _can_take(self, square: chess.Square, owner: str) -> str:
        """Return by which moves the side to move can take a piece."""
        board = self._board
        side = side_name(board.turn)
        takes = [
            board.san(each) for each in board.legal_moves if each.to_square == square
        ]
        if not takes:
            return f"no legal move of {side} takes {owner}"
        return f"{side} can take {owner} with {' or '.join(takes)}"

    # ---------------------------------------------------------------- topics

    def _on_topic(self, topic: str) -> Ground:
        """Return what is true of the move as far as a topic of ``phrases.toml`` goes."""
        verdict = self._briefing(self.move).verdict
        best = verdict.best
        if topic == "the best move" and best != self.move.uci:
            return self._on_move("instead", MoveInContext(self.move.position, best))
        if topic == "the reply" and verdict.reply:
            return self._on_move("reply", MoveInContext(self._after, verdict.reply))
        if topic == "the reply":
            text = f"There is no reply: the game is over, {self._board.result()}."
        elif topic == "the standing":
            text = self._standing(verdict)
        elif topic == "the threats":
            text = self._threats(verdict)
        else:
            return self._on_move("played", self.move)
        return Ground(topic, "board", text)

    def _standing(self, verdict: Verdict) -> str:
        """Return who stands better after the move."""
        side = side_name(self.move.mover)
        if verdict.standing == "equal":
            side = "the game"
        score = score_text(verdict.after)
        opinion = f"After {self.move.numbered_san} the engine says that {score}"
        return f"{opinion}: {side} is {verdict.standing}."

    def _threats(self, verdict: Verdict) -> str:
        """Return what the move threatens and what the opponent can win; a check comes first.

        Gains are counted over the engine's whole lines: a capture that wins on its own square
        alone is no threat.
        """
        briefing = self._briefing(self.move)
        texts = [note.sentence for note in notes(briefing) if note.kind in _THREATS]
        line = verdict.reply_line
        side = not self.move.mover
        won = play_out(self._board, line, side)
        if won.gain > 0 and verdict.standing not in ("winning", "clearly better"):
            shown = _line(self._board, line[: min(won.plies, MOST_PLIES)])
            texts.append(f"{side_name(side)} can win {won.stuff}: {shown}.")
        if not self._board.is_check():
            return " ".join(texts) or "Nobody threatens to win anything at once."
        answer = _line(self._board, line[:MOST_PLIES])
        texts.insert(0, f"The check must be answered first: {answer}.")
        own = play_out(self._board, line, self.move.mover)
        if own.gain > 0 and own.plies <= MOST_PLIES:
            texts.append(f"In this line {side_name(self.move.mover)} wins {own.stuff}.")
        return " ".join(texts)

    # ---------------------------------------------------------------- with a language model

    def request(self, question: str, grounds: Iterable[Ground]) -> Request:
        """Return what is asked of the model for one question."""
        prompt = load_prompt("answer")
        position = self.move.position
        turns = [
            f"Reader: {asked}\nCoach: {answer}"
            for asked, answer in self.turns[-MOST_TURNS:]
        ]
        words = {
            "fen": position.fen,
            "move": self.move.numbered_san,
            "question": quoted(question),
        }
        words["turns"] = quoted("\n".join(turns)) if turns else "(none)"
        words["facts"] = "\n".join(f"- {ground.text}" for ground in grounds)
        about = {"fen": position.fen, "move": self.move.uci}
        return prompt.ask(SAMPLING, about, comment=quoted(self.comment), **words)

    def _write(
        self, client: Client, question: str, grounds: tuple[Ground, ...]
    ) -> Reply | None:
        """Have the model answer, twice if its draft speaks of more than it was given."""
        text = self._answer(client, question, grounds)
        if text is None:
            return None
        fuller = _distinct([*grounds, *self.look_up_named(text)])
        if len(fuller) > len(grounds):
            text = self._answer(client, question, fuller) or text
        own = self.look_up_named(text)
        wrong = tuple(ground.about for ground in own if ground.place == "illegal")
        return Reply(text, _distinct([*fuller, *own]), "llm", client.model.name, wrong)

    def _answer(
        self, client: Client, question: str, grounds: Iterable[Ground]
    ) -> str | None:
        try:
            answer = client.ask(self.request(question, grounds))
            if answer.state == State.ANSWERED:
                return " ".join(answer.text.split())
            problem = f"{client.model.name} gave no answer ({answer.state})"
        except (Unanswered, Misconfigured) as error:
            problem = str(error)
        self.warn(f"{problem}; the facts speak instead")
        return None


def _distinct(grounds: Iterable[Ground]) -> tuple[Ground, ...]:
    kept: dict[tuple[str, str], Ground] = {}
    for ground in grounds:
        kept.setdefault((ground.about, ground.place), ground)
    return tuple(kept.values())


def _taker(question: str) -> chess.Color | None:
    """Return the side of which a question asks whether it takes something."""
    named = re.search(
        r"\b(white|black)\b.*?\b(take|capture|win)", question, re.IGNORECASE
    )
    return named.group(1).lower() == "white" if named else None


def _line(board: chess.Board, moves: Iterable[str]) -> str:
    """Return a line of UCI moves as it is written in books."""
    return board.variation_san(map(chess.Move.from_uci, moves))


def _from(board: chess.Board, colour: chess.Color, square: chess.Square) -> str:
    """Return the pieces of a side that reach a square; pinned ones count against a king alone."""
    barred = board.piece_type_at(square) == chess.KING
    squares = attackers(board, colour, square, barred=barred)
    return listed([named(board, each) for each in squares] or ["nothing"])


def _taken_at(
    board: chess.Board, square: chess.Square, moves: Iterable[str]
) -> int | None:
    """Return after how many moves of a line the piece on a square is taken, if it is."""
    walk = board.copy(stack=False)
    for count, move in enumerate(map(chess.Move.from_uci, moves), start=1):
        if taken_on(walk, move) == square:
            return count
        square = move.to_square if move.from_square == square else square
        walk.push(move)
    return None
