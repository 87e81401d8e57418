"""Questions about a move, answered from fresh facts of board and engine (CCC, Appendix D).

A question is read for the moves, pieces, squares and topics that it speaks of
(:mod:`chessgloss.commentary.questions`), and each is looked up: a move by its notes
(:mod:`chessgloss.notes`), a piece by the facts that name its square. Where a move is supposed not
to be made, the engine's best other move is. Without a language model the answer is what was found.
With one, the model is given it, its draft is read for moves and pieces that were not looked up,
they are, and the model answers again. Illegal moves in its answer are named.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import replace
from functools import cache
from itertools import chain
from typing import Final, Literal, NamedTuple

import chess

from chessgloss.claims.language import MoveSpec
from chessgloss.claims.moments import fits, moment_after, moment_before
from chessgloss.commentary.briefing import PHRASES, Briefing, after_pass
from chessgloss.commentary.notes import compose
from chessgloss.commentary.prompts import load_prompt
from chessgloss.commentary.questions import PATTERNS, Mention, find_mentions
from chessgloss.facts import Verdict, listed, side_name
from chessgloss.facts.replies import refutations
from chessgloss.llm.client import Client, Misconfigured, Unanswered
from chessgloss.llm.recordings import Request, Sampling, State
from chessgloss.llm.text import quoted
from chessgloss.notes import notes, play_out
from chessgloss.positions import MoveInContext, Position
from chessgloss.predicates.board import after_move, attackers, taken_on
from chessgloss.predicates.finding import legal_moves, men
from chessgloss.predicates.words import named, owned
from chessgloss.scores import Analysis, by_the_rules, centipawns, score_text

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

#: Notes on what a move prevents, on what is planned with it, and on what it gives up.
_PREVENTS: Final = (
    "parries_mate",
    "stops",
    "stops_fails",
    "stops_push",
    "stops_push_fails",
    "protects",
    "escapes",
    "keeps_out",
    "blockades",
)
_PLANS: Final = (
    *_THREATS[:5],
    "intends",
    "travels",
    "marches",
    "opens_file",
    "spoils_later",
    "ties",
    "prepares",
    "leads_to",
)
_SACRIFICES: Final = ("sacrifice_mate", "sacrifice_for", "sacrifice", "combination")
_OFFERS: Final = ("offers", "poisoned")

#: Centipawns by which a pass would have been worse if the move is to have prevented something.
_PREVENTED: Final = 80


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
        self._moment = moment_after(moment_before(move), move.move)
        self._board = self._moment.board

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

    def _as_move(self, mention: Mention) -> Mention:
        """Return a mention, a bare square that reads as the move under discussion as that."""
        if mention.role == "square" and mention.text == self.move.san.rstrip("+#"):
            return replace(mention, references=(), move=MoveSpec.parse(mention.text))
        return mention

    # ---------------------------------------------------------------- moves

    def _on_moves(self, mentions: Iterable[Mention], text: str) -> Iterator[Ground]:
        """Yield what is true of each move mentioned.

        A move is sought in the position before the move under discussion, then after it, then
        at the end of the line that the text has begun, then after a pass; words such as *then*
        and *reply* turn to the later positions first, a move number to the one it fits.
        """
        line: Position | None = None
        for mention in mentions:
            if mention.move is None:
                continue
            before = text[: mention.span[0]]
            if mention.left_out:
                yield from self._without(mention, before)
                continue
            moves = list(self._sought(mention, before, line))
            if not moves:
                yield self._illegal(mention)
            for place, move in [each for each in moves if each[0] == moves[0][0]][:2]:
                yield self._on_move("played" if move == self.move else place, move)
            if moves and moves[0][0] != "threat":
                line = moves[0][1].after()

    def _sought(
        self, mention: Mention, before: str, line: Position | None
    ) -> Iterator[tuple[Place, MoveInContext]]:
        """Yield the moves that are meant with their places, the likeliest place first."""
        at: dict[Place, Position | None] = {"instead": self.move.position}
        at |= {"reply": self._after, "later": line}
        at |= {"threat": after_pass(self._after)}
        order: list[Place] = ["instead", "reply", "later", "threat"]
        if PATTERNS["later"].search(before):
            order = ["later", "reply", "threat", "instead"]
        boards = {
            place: chess.Board(position.fen)
            for place, position in at.items()
            if position
        }
        ply = mention.ply
        there = [place for place in order if place in boards]
        if ply is not None:
            there = [each for each in there if (ply % 2 == 0) == boards[each].turn]
            there.sort(key=lambda place: boards[place].ply() != ply)
        for place in there:
            position = at[place]
            assert position is not None
            for move in mention.moves(boards[place]):
                yield place, MoveInContext(position, move.uci())

    def _illegal(self, mention: Mention) -> Ground:
        """Return why a move cannot be made."""
        reason = "no piece can make it here"
        for position in (self._after, self.move.position):
            board = chess.Board(position.fen)
            for move in board.pseudo_legal_moves:
                if mention.move and fits(board, move, mention.move):
                    reason = _why_illegal(board, move)
        words = mention.text.strip()
        return Ground(words, "illegal", f"{words} is not a legal move: {reason}.")

    def _without(self, mention: Mention, before: str) -> Iterator[Ground]:
        """Yield what the engine would play if a move were not made.

        It is a move of the side that the words name last. Where none can make it, that is told.
        """
        places: list[tuple[Place, Position]]
        places = [("reply", self._after), ("instead", self.move.position)]
        if mention.move and fits(
            chess.Board(self.move.position.fen), self.move.move, mention.move
        ):
            places.reverse()
        sides = re.findall(r"\b(white|black)\b", before.lower())
        for place, position in places:
            moves = mention.moves(position.board())
            if moves and (not sides or position.turn == (sides[-1] == "white")):
                yield self._best_but(place, position, moves)
                return
        if not mention.references:
            yield self._illegal(mention)
        asker = (sides[-1] == "white") if sides else self._board.turn
        yield from self._on_pieces(replace(mention, move=None), asker)

    def _best_but(
        self, place: Place, position: Position, moves: Sequence[chess.Move]
    ) -> Ground:
        """Return the notes on the best move of a position that is none of some moves."""
        board = position.board()
        side = side_name(board.turn)
        left_out = " or ".join(map(board.san, moves))
        if not {*board.legal_moves} - {*moves}:
            text = f"{side} has no legal move but {left_out}."
            return Ground(left_out, place, text)
        lines = [each for each in self._analyse(position).lines if each.moves]
        left = [
            each for each in lines if chess.Move.from_uci(each.moves[0]) not in moves
        ]
        if not left:
            count = len(lines)
            text = f"All of the engine's first {count} moves for {side} do that: {left_out}."
            return Ground(left_out, place, text)
        other = MoveInContext(position, left[0].moves[0])
        ground = self._on_move("played" if other == self.move else place, other)
        sentences = [f"Without {left_out}, {side}'s best is {other.numbered_san}."]
        sentences.append(ground.text)
        if left[0] != lines[0]:
            best = MoveInContext(position, lines[0].moves[0]).numbered_san
            value = score_text(lines[0].score)
            sentences.append(f"The engine prefers {best} ({value}).")
        return ground._replace(text=" ".join(sentences))

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
        self, mention: Mention, taker: chess.Color | None = None
    ) -> Iterator[Ground]:
        """Yield what is true after the move of the pieces that a phrase means, or of a square.

        Where the question names the side that is to take, its opponent's pieces are meant.
        """
        board = self._board
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

        meant = [
            square
            for each in mention.references
            for square in self._moment.squares(each)
            if board.piece_at(square)
        ]
        if taker is not None:
            theirs = [each for each in meant if board.color_at(each) is not taker]
            near = [each for each in theirs if board.is_attacked_by(taker, each)]
            meant = near or theirs or meant
        squares = sorted(meant, key=order)[:MOST_PIECES]
        if not squares:
            yield self._on_empty(mention)
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

    def _on_empty(self, mention: Mention) -> Ground:
        """Return by which moves an empty square is reached, or that a piece is not there."""
        words = mention.text.strip()
        if mention.role == "piece":
            text = f"After {self.move.numbered_san} there is no such piece: {words}."
            return Ground(words, "board", text)
        (reference, *_) = mention.references
        (square, *_) = self._moment.squares(reference)
        board = self._board
        white, black = (_reaching(board, side, square) for side in (True, False))
        name = chess.square_name(square)
        text = (
            f"The square {name} is empty after the move; White reaches it with "
            f"{_named(board, white)}, Black with {_named(board, black)}."
        )
        guards = {*board.attackers(True, square), *board.attackers(False, square)}
        if only := guards - white - black:
            verb = "covers" if len(only) == 1 else "cover"
            text += f" {men(board, sorted(only)).capitalize()} {verb} it."
        return Ground(name, "board", text)

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
        elif topic == "what it prevents":
            text = self._prevents()
        elif topic == "the plan":
            text = self._plan()
        elif topic == "the sacrifice":
            text = self._sacrifice()
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

    def _whole(self) -> Briefing:
        """Return all that can be known of the move: passes before and after it, what fails."""
        known = self._briefing(self.move)
        waited = after_pass(self.move.position)
        idle = self._analyse(waited) if waited else None
        failing = refutations(
            self.move,
            known.before,
            known.after,
            lambda positions, *_: [self._analyse(each) for each in positions],
            idle=idle,
        )
        return replace(known, idle=idle, refutations=failing)

    def _prevents(self) -> str:
        """Return what the opponent could have done after a pass in place of the move."""
        briefing = self._whole()
        if told := _sentences(briefing, _PREVENTS):
            return told
        us, them = side_name(self.move.mover), side_name(not self.move.mover)
        if briefing.idle is None or not briefing.idle.lines:
            return f"{us} was in check, and nothing else had to be prevented."
        best = briefing.idle.best
        line = _line(chess.Board(briefing.idle.position.fen), best.moves[:3])
        had = f"Had {us} passed, {them} would have played {line} ({score_text(best.score)})"
        now = centipawns(briefing.verdict.after, self.move.mover)
        saved = now - centipawns(best.score, self.move.mover)
        if saved < _PREVENTED:
            return f"Nothing in particular. {had}."
        after = score_text(briefing.verdict.after)
        return f"{had}. After {self.move.numbered_san} the engine says that {after}."

    def _plan(self) -> str:
        """Return what the mover means to go on with, if the opponent lets it."""
        briefing = self._whole()
        if told := _sentences(briefing, _PLANS):
            return told
        us, them = side_name(self.move.mover), side_name(not self.move.mover)
        line = briefing.verdict.reply_line[:MOST_PLIES]
        main = f"The engine's main line is {_line(self._board, line)}." if line else ""
        passed = briefing.passed
        if passed is None or not passed.lines:
            return main or "There is no plan any more: the game is over."
        own = _line(chess.Board(passed.position.fen), passed.best.moves[:3])
        return f"If {them} did nothing, {us} would go on with {own}. {main}".strip()

    def _sacrifice(self) -> str:
        """Return whether the move gives something up, what for, or what it wins or loses."""
        briefing = self._whole()
        if told := _sentences(briefing, _SACRIFICES):
            return f"Yes. {told}"
        if told := _sentences(briefing, _OFFERS):
            return f"It is an offer. {told}"
        us = side_name(self.move.mover)
        board = chess.Board(self.move.position.fen)
        line = (self.move.uci, *briefing.verdict.reply_line)
        outcome = play_out(board, line, self.move.mover)
        shown = _line(board, line[: max(outcome.plies, 3)])
        if outcome.gain > 0:
            return f"No: {us} wins {outcome.stuff} with {shown}."
        if outcome.gain == 0:
            return f"No: nothing is given up in the engine's line {shown}."
        after = score_text(briefing.verdict.after)
        return f"{us} loses {outcome.stuff}: {shown}. The engine says that {after}."

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


def _sentences(briefing: Briefing, kinds: Sequence[str]) -> str:
    """Return the notes of some kinds on a move, the weightiest first."""
    return " ".join(note.sentence for note in notes(briefing) if note.kind in kinds)


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
    """Return the pieces of a side that bear on another; pinned ones count against a king alone."""
    barred = board.piece_type_at(square) == chess.KING
    return _named(board, attackers(board, colour, square, barred=barred))


def _reaching(
    board: chess.Board, colour: chess.Color, square: chess.Square
) -> set[chess.Square]:
    """Return the pieces of a side that have a legal move to a square."""
    moves = legal_moves(board, colour)
    return {each.from_square for each in moves if each.to_square == square}


def _named(board: chess.Board, squares: Iterable[chess.Square]) -> str:
    return listed([named(board, each) for each in sorted(squares)] or ["nothing"])


def _why_illegal(board: chess.Board, move: chess.Move) -> str:
    """Return from what a king would be in check after a move that leaves it there."""
    side = board.turn
    after = after_move(board, move)
    king = after.king(side)
    assert king is not None
    checkers = men(after, after.attackers(not side, king))
    return f"{side_name(side)}'s own king would be in check from {checkers}"


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
