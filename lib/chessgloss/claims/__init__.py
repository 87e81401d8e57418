"""The claims that a comment makes, each checked on the board and with the engine's verdict."""

from chessgloss.claims.extract import extract
from chessgloss.claims.records import CAUSES, Checked, Claim, Kind, Truth
from chessgloss.claims.verify import causes, summarise, verify

__all__ = [
    "CAUSES",
    "Checked",
    "Claim",
    "Kind",
    "Truth",
    "causes",
    "extract",
    "summarise",
    "verify",
]
