"""Moved to :mod:`chessgloss.facts`: records, words, known, gathering, one subject a file."""

from chessgloss.facts.gathering import gather as gather
from chessgloss.facts.known import perpetual as perpetual
from chessgloss.facts.known import zugzwang as zugzwang
from chessgloss.facts.records import ENGINE_KINDS as ENGINE_KINDS
from chessgloss.facts.records import KNOWN_KINDS as KNOWN_KINDS
from chessgloss.facts.records import Fact as Fact
from chessgloss.facts.records import FactKind as FactKind
from chessgloss.facts.records import Facts as Facts
from chessgloss.facts.words import listed as listed
from chessgloss.facts.words import named as named
from chessgloss.facts.words import noun_at as noun_at
from chessgloss.facts.words import owned as owned
from chessgloss.facts.words import side_name as side_name
