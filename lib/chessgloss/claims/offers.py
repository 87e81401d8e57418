"""Sentences that can be decided, offered in the place of a clause that was not read.

``White's pieces are all over the place and the attack is decisive`` is not read by rules; ``White
is winning`` is, and may be what was meant. A table has such sentences with the words that call for
them. What is offered is read and decided in the clause's own sentence first.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from itertools import islice
from typing import Final

import chess
from chess import Color

from chessgloss.claims import read_rules
from chessgloss.claims.chunks import Chunk, chunk
from chessgloss.claims.decide import decide
from chessgloss.positions import MoveInContext
from chessgloss.predicates.words import side_name

#: Sentences that are offered at most.
MOST: Final = 3

_SLOT: Final = re.compile(r"\{(\w+)\}")
_WORD: Final = re.compile(r"[a-z]+")
#: Slots for what the clause itself names.
_NAMED: Final = frozenset({"piece", "second", "pawn", "square", "file", "move"})
#: Chunks other than pieces, and the slots that they fill.
_SORTS: Final = {"S": "square", "F": "file", "M": "move"}
_PLURAL: Final = re.compile(r"(pawn|knight|bishop|rook|queen|king|piece)s\b", re.I)


#: Sentences, and the words that call for each: ``attack-`` is any word that begins so. Slots are
#: filled from the clause, and from the move where it says nothing. ``side`` is the one that is
#: named or whose piece is, else that of the move, and ``other`` its opponent; ``victim`` the one
#: that is named, else the opponent of the move's.
TABLE: Final[Mapping[str, str]] = {
    # the move and the position
    "a blunder": "blunder terrib- horrib- awful disast- catastroph- oversight",
    "a mistake": "mistake error wrong dubious careless inaccura- unnecess- loses",
    "the best move": "best perfect precise accura- strongest brillian- beautiful stunning only",
    "a good move": "good nice strong great excellent fine clever sensible natural logical improv-",
    "{move} is better": "better stronger prefer- should instead alternative",
    "{side} is winning": "winning decisive crush- won resign- domina- hopeless over",
    "{victim} is lost": "hopeless lost collaps- helpless defenceless defenseless doomed",
    "{side} is better": "better advantage edge space pressure initiative comfort active control-",
    "the position is equal": "equal draw balance level even compensat- hold",
    # mate and check
    "{side} forces mate": "mate mating- unstoppable inevitabl- net decisive forc-",
    "{side} threatens mate": "threat- mate mating- menac- danger",
    "checkmate": "checkmate mates mated over",
    "{move} is mate": "mate mating-",
    "{side} threatens {move}": "threat- idea plan prepar- want next",
    "{piece} gives check": "check",
    "{victim} is in check": "check king expos- unsafe danger",
    "{other} has only one legal move": "forc- only must choice compel-",
    # captures and material
    "{side} sacrifices {piece}": "sacrif- give offer- bait decoy- deflect- lur- invest-",
    "{other} can take {piece}": "take captur- grab- offer- bait accept- lose",
    "{other} has to take {piece}": "forc- must compel- deflect- decoy-",
    "{side} wins a pawn": "pawn gain win pick snatch- material",
    "{side} wins a piece": "piece gain win decisive material",
    "{side} wins the exchange": "exchange",
    "{side} trades {piece}": "trad- exchang- swap- simplif- liquidat-",
    "material is equal": "material count compensat-",
    "{side} is a pawn up": "pawn extra ahead up",
    "{piece} hangs": "hang loose en drop weak undefend- unprotect- free prise",
    "{piece} is undefended": "loose weak undefend- unprotect- support- guard-",
    # attack and defence
    "{piece} attacks {second}": "attack- hit eye target- pressur- harass- chas- kick threat- aim",
    "{piece} attacks {square}": "attack- hit eye target- pressur- control- cover- aim occup- grip",
    "{piece} is attacked": "attack- pressur- fire threat- target- harass-",
    "{piece} defends {second}": "defend- protect- guard- cover- support- back hold",
    "{piece} defends {square}": "defend- protect- guard- cover- support- hold",
    "{piece} is protected": "defend- protect- guard- cover- support- safe solid",
    "{piece} is pinned": "pin pins pinn- stuck tied paraly- frozen- immobil-",
    "{piece} pins {second}": "pin tie paraly-",
    "{piece} forks {second}": "fork- double both",
    "{piece} is trapped": "trap trapp- cage caged lock locks locked shut stuck escape",
    "{piece} cannot move": "stuck lock locks locked shut passive immobil- tied bound frozen- cage",
    "{piece} blocks {second}": "block- way obstruct- interfer- shut lock",
    # lines, pawns, kings
    "{side} opens the {file}": "open line file",
    "{file} is open": "open file line",
    "{side} opens a line for {piece}": "open line diagonal free unleash- activ-",
    "{pawn} is passed": "pass queen promot- run unstoppable",
    "{pawn} is isolated": "isolat- weak structur-",
    "{side} has a passed pawn": "pass endgame promot- run",
    "{side} has doubled pawns": "doubl- structur-",
    "{other} has doubled pawns": "structur- ruin damag- shatter- wreck",
    "{other} has an isolated pawn": "isolat- structur- weak damag-",
    "{side} has the bishop pair": "pair bishops",
    "{side} develops {moved}": "develop- bring mobilis- mobiliz- activ-",
    "{victim} can no longer castle": "castl- king centre center expos- stuck safe",
    "{side} castles": "castl- safe safety",
}


def offers(
    text: str, span: tuple[int, int], move: MoveInContext, most: int = MOST
) -> tuple[str, ...]:
    """Return sentences that may say what a clause says, and that are read in its place.

    Parameters
    ----------
    text
        The comment.
    span
        Characters of the clause that was not read (:attr:`~chessgloss.claims.Checked.span`).
    move
        The move it is about.
    most
        How many are returned at most, those with the most words in common first.
    """
    around = _around(text, span)
    if around is None:
        return ()
    before, after = around
    said = (
        say if before else say[:1].upper() + say[1:]
        for say in _fitting(text[slice(*span)], move)
    )
    decided = (
        words
        for words in dict.fromkeys(said)
        if _is_decided(words, before, after, move)
    )
    return tuple(islice(decided, most))


def _around(text: str, span: tuple[int, int]) -> tuple[str, str] | None:
    """Return what stands before and after a clause in its sentence; nothing in a question."""
    start, stop = span
    first = 0
    for clauses, asked in read_rules.sentences(chunk(text)):
        (_, last) = clauses[-1].span
        if first <= start and stop <= last and not asked:
            return text[first:start].lstrip(" .!?"), text[stop:last]
        first = last
    return None


def _is_decided(words: str, before: str, after: str, move: MoveInContext) -> bool:
    """Return whether words are read in their place, and board or engine can decide them."""
    start = len(before)
    stop = start + len(words)
    reading = read_rules.read(f"{before}{words}{after}.", move.mover, move.san)
    if any(first < stop and start < last for first, last in reading.unread):
        return False
    spans = ((claim, claim.span or (0, 0)) for claim in reading.claims)
    meant = [claim for claim, (first, _) in spans if start <= first < stop]
    return bool(meant) and all(
        each.verdict != "not checkable" or each.claim.row.engine
        for each in decide(meant, move)
    )


# ---------------------------------------------------------------- which sentences


def _fitting(clause: str, move: MoveInContext) -> list[str]:
    """Return the sentences that a clause calls for, filled in, the nearest first."""
    said = _WORD.findall(clause.lower())
    fill = _filling(clause, move)
    ranked = list[tuple[int, int, str]]()
    for say, keys in TABLE.items():
        common = sum(_calls(word, keys.split()) for word in said)
        slots = {*_SLOT.findall(say)}
        if common and slots <= fill.keys():
            named = len(slots & _NAMED)
            ranked.append((-common, -named, say.format(**fill)))
    ranked.sort(key=lambda each: each[:2])
    return [say for _, _, say in ranked]


def _calls(word: str, keys: Sequence[str]) -> bool:
    """Whether a word is one of the keys, the plural of one, or begins as one with ``-``."""
    return any(
        word.startswith(key[:-1]) if key.endswith("-") else word in (key, f"{key}s")
        for key in keys
    )


def _filling(clause: str, move: MoveInContext) -> dict[str, str]:
    """Return what a clause and its move have for each slot."""
    chunks = chunk(clause)
    board = move.position.board()
    named = _side(chunks)
    side = board.turn if named is None else named
    victim = not board.turn if named is None else named
    moved = board.piece_type_at(move.move.from_square) or chess.PAWN
    fill = {
        "side": side_name(side),
        "other": side_name(not side),
        "victim": side_name(victim),
        "moved": f"the {chess.piece_name(moved)}",
    }
    for each in reversed(chunks):
        said = clause[slice(*each.span)]
        if slot := _SORTS.get(each.sort):
            fill[slot] = _phrase(said) if slot == "file" else said
    pieces = _pieces(clause, chunks)
    fill |= zip(("piece", "second"), pieces, strict=False)
    for said in pieces:
        if "pawn" in said:
            fill["pawn"] = said
    return fill


def _pieces(clause: str, chunks: Sequence[Chunk]) -> list[str]:
    """Return the single pieces that a clause names, in its words."""
    found = (
        clause[slice(*each.span)]
        for each in chunks
        if each.sort == "N" and _is_one(each)
    )
    return list(
        dict.fromkeys(_phrase(said) for said in found if not _PLURAL.search(said))
    )


def _is_one(chunk: Chunk) -> bool:
    """Whether a chunk names one piece by its kind."""
    (first, *others) = chunk.items
    return not others and not chunk.quantity and first[1:2] != "x"


def _phrase(said: str) -> str:
    """Return a noun phrase as it stands within a sentence."""
    first, _, rest = said.partition(" ")
    if first.lower() in read_rules.words("determiner"):
        return f"{first.lower()} {rest}"
    return said if "'s" in first else f"the {said}"


def _side(chunks: Sequence[Chunk]) -> Color | None:
    """Return the side that is named first."""
    letters = (each.items[0][0] for each in chunks if each.sort in ("N", "C"))
    return next((letter == "w" for letter in letters if letter in ("w", "b")), None)
