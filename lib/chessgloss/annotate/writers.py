"""Commentators: from the facts alone, or by a language model with the facts to fall back on."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field

from chessgloss.commentary.briefings import Briefing
from chessgloss.commentary.methods import Comment, read_comment, request_comment
from chessgloss.commentary.template import write_from_facts
from chessgloss.llm import Client, Unanswered


@dataclass(slots=True)
class ModelWriter:
    """Writes comments by a method that asks a language model.

    Where the model gives no usable comment (an empty, cut-off or unreadable answer, a
    refusal) the facts speak instead, and the comment says so by its method. An endpoint that
    stops answering is not asked again.

    Parameters
    ----------
    client
        Asks the model.
    method
        Name of a method in :data:`chessgloss.commentary.methods.METHODS`.
    warn
        Told, in one line, whenever the facts speak instead.
    """

    client: Client
    method: str
    warn: Callable[[str], object]
    _gone: bool = field(default=False, init=False)

    def __call__(self, briefing: Briefing) -> Comment:
        """Return a comment on a move."""
        comment = self._asked(briefing) if not self._gone else None
        return comment or write_from_facts(briefing)

    def _asked(self, briefing: Briefing) -> Comment | None:
        try:
            answer = self.client.ask(request_comment(briefing, self.method))
        except Unanswered as error:
            self._gone = True
            self.warn(f"{error}; the facts speak instead")
            return None
        comment = read_comment(answer, self.method)
        if comment.state != "answered":
            said = f"{self.client.model.name} gave no comment on {briefing.name}"
            self.warn(f"{said} ({comment.state}); the facts speak instead")
            return None
        return Comment(comment.text, self.method, comment.model or self.client.model.name)
