"""A language model as the writer of a dialogue's answers."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from importlib import resources

from chessgloss.dialogue.talk import Brief, Turn, Writer
from chessgloss.llm import Client, Request, Sampling, State, Unanswered
from chessgloss.prompts import Prompt, quoted, read_prompt

#: Drawn as the CCC paper draws its comments (4.1).
SAMPLING = Sampling(temperature=0.1, max_tokens=220, seed=1)

#: Turns of the conversation that the model is shown.
MOST_TURNS = 6


def model_writer(client: Client, warn: Callable[[str], object]) -> Writer:
    """Return a writer that asks a model, and warns in one line when that gives no answer."""

    def write(brief: Brief) -> str | None:
        try:
            answer = client.ask(request_answer(brief))
        except Unanswered as error:
            warn(f"{error}; the facts speak instead")
            return None
        if answer.state != State.ANSWERED:
            warn(f"{client.model.name} gave no answer ({answer.state}); the facts speak instead")
            return None
        return " ".join(answer.text.split())

    return write


def request_answer(brief: Brief) -> Request:
    """Return what is asked of the model for one question."""
    prompt = _prompt()
    facts = "\n".join(f"- {ground.text}" for ground in brief.grounds)
    messages = prompt.fill(
        fen=brief.move.position.fen,
        move=brief.move.numbered_san,
        comment=quoted(brief.comment),
        turns=_told(brief.turns[-MOST_TURNS:]),
        facts=facts,
        question=quoted(brief.question),
    )
    about = {"fen": brief.move.position.fen, "move": brief.move.uci}
    return Request(messages, SAMPLING, prompt=prompt.label, about=about)


def _told(turns: Sequence[Turn]) -> str:
    if not turns:
        return "(none)"
    said = (f"Reader: {turn.question}\nCoach: {turn.answer}" for turn in turns)
    return quoted("\n".join(said))


def _prompt() -> Prompt:
    text = resources.files("chessgloss.dialogue").joinpath("answer.txt").read_text("utf-8")
    return read_prompt("answer", text)
