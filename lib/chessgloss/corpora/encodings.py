"""The encoding of text as chess programs have written it: UTF-8, or an older one that is guessed.

PGN files name no encoding. What is UTF-8 is read as that, also where single bytes are not. Of the
rest the words with other bytes than ASCII are read in each of :data:`ENCODINGS`; the reading counts
that looks most like words: letters of one alphabet, signs that people type, capitals in front.
Short texts leave little to go by, so that all parts of a file share what they show. Where no
reading looks like words, charset-normalizer chooses among :data:`RARER`.
"""

from __future__ import annotations

import math
import re
import unicodedata
from collections.abc import Sequence
from itertools import pairwise
from typing import Final, NamedTuple

#: Encodings that are tried, by Python's names, the likeliest first; what they are called; and
#: what a reading in one must be better by than one in the first.
ENCODINGS: Final = {
    "cp1252": ("Windows-1252 (Western European)", 0.0),
    "cp1250": ("Windows-1250 (Central European)", 1.0),
    "cp1251": ("Windows-1251 (Cyrillic)", 1.0),
    "mac_roman": ("Mac Roman", 1.15),
    "cp932": ("Shift-JIS (Japanese)", 1.0),
}

#: Further ones, for texts that are words in none of these.
RARER: Final = (
    *("koi8_r", "cp866", "cp850", "cp852", "cp1253", "cp1254", "cp1255", "cp1257"),
    *("gb18030", "big5", "euc_jp", "euc_kr"),
)

#: Letters beyond a to z of languages that chess is written in, the commonest first.
_WESTERN = (
    *("äüöß", "éèàêçùâîôûœëï", "áóíéúñü", "ãçáéíóâêõúà", "èàòùìé", "äöåé", "øåæé"),
    *("íáðéóúþýöæ", "ëéïö", "äõüöšž"),
)
_CENTRAL = (
    *("áíéěšřčžýůúťďňóľôäĺŕ", "łóżęąśćńź", "éáöőóüíúű", "čšćžđ", "ăîşâţ", "äüöß"),
)
_CYRILLIC = ("оеаинтсрвлкмдпуяыьгзбчйхжшюцщэфъёіїєґјљњћџђ",)
_ALPHABETS: Final = {
    "cp1252": _WESTERN,
    "cp1250": _CENTRAL,
    "cp1251": _CYRILLIC,
    "mac_roman": _WESTERN,
    "cp932": ("",),
}
#: Signs beside letters that people and programs type.
_SIGNS: Final = frozenset("–—‘’“”„«»…½¼¾±¿¡°º§×•№、。・「」（）！？\u3000\u00a0")
_JAPANESE = re.compile(r"[\u3040-\u30ff\u4e00-\u9fff]")
#: Bytes that UTF-8 has none of, as Python's ``surrogateescape`` shows them.
_STRAY = re.compile(r"[\udc80-\udcff]")
#: Bytes of a file's words that are looked at.
_ENOUGH = 4_000

# What makes a reading look less like words.
#: A letter that is not in the alphabet.
_FOREIGN = 3.0
#: A sign that nobody types.
_ODD = 6.0
#: A capital or a sign within a word, two scripts in one.
_BROKEN = 5.0
#: Two letters beyond a to z in a row.
_ROW = 0.7
#: Each place down an alphabet.
_RANK = 0.1
#: What a Western reading makes of -ić and of the Hungarian ő; Portuguese has õ before e alone.
_MISREAD = re.compile(r"[ia]æ\b|õ(?!e)")
#: From here on, for each character beyond ASCII, a reading does not look like words.
_NO_WORDS = 1.7
#: By so much a part must look better in another encoding than the file's to be read in that.
_OWN_MIND = 4.0


class Decoded(NamedTuple):
    """A text and a remark on how it was read.

    Parameters
    ----------
    text
        The text.
    remark
        How it was read where it is not UTF-8, in words; empty where it is.
    """

    text: str
    remark: str = ""


def decode(parts: Sequence[bytes]) -> list[Decoded]:
    """Decode the parts of one file, such as its games, each as UTF-8 or in an older encoding."""
    read = [_as_utf8(part) for part in parts]
    older = [part for part, found in zip(parts, read, strict=True) if found is None]
    shared = _guess(b" ".join(older)) if older else ""
    pairs = zip(parts, read, strict=True)
    return [found or _in_older(part, shared) for part, found in pairs]


def _as_utf8(part: bytes) -> Decoded | None:
    """Decode UTF-8 in which at most every other character beyond ASCII is none; else ``None``."""
    try:
        return Decoded(part.decode("utf-8"))
    except UnicodeDecodeError:
        text = part.decode("utf-8", "surrogateescape")
    stray = _STRAY.findall(text)
    if 2 * len(stray) > sum(not each.isascii() for each in text):
        return None
    mended = _STRAY.sub(lambda found: _of_stray(found[0]), text)
    shown = ", ".join(f"0x{ord(each) - 0xDC00:02X}" for each in stray[:5])
    more = ", ..." if len(stray) > 5 else ""
    return Decoded(mended, f"UTF-8 but for {shown}{more}, read as Windows-1252")


def _of_stray(escaped: str) -> str:
    return bytes([ord(escaped) - 0xDC00]).decode("cp1252", "replace")


def _in_older(part: bytes, shared: str) -> Decoded:
    """Decode a part in the file's encoding, or in its own if that looks far better there."""
    costs = _costs(part)
    own = min(costs, key=lambda encoding: costs[encoding])
    differs = costs[own] + _OWN_MIND < costs.get(shared, 0)
    encoding = own if differs else shared
    name = ENCODINGS.get(encoding, (encoding, 0.0))[0]
    return Decoded(part.decode(encoding, "replace"), f"not UTF-8, read as {name}")


def _guess(data: bytes) -> str:
    """Return the most plausible encoding of a text that is not UTF-8, by its words."""
    evidence = _evidence(data)
    costs = _costs(data)
    best = min(costs, key=lambda encoding: costs[encoding])
    others = sum(byte > 0x7F for byte in evidence)
    if costs[best] <= _NO_WORDS * others + ENCODINGS[best][1]:
        return best
    import charset_normalizer  # large, and needed for few files

    found = charset_normalizer.from_bytes(evidence, cp_isolation=[*RARER]).best()
    return found.encoding if found else best


def _evidence(data: bytes) -> bytes:
    """Return the words of a text that are not all ASCII, up to :data:`_ENOUGH` bytes."""
    words = (word for word in data.split() if not word.isascii())
    return b" ".join(words)[:_ENOUGH]


def _costs(data: bytes) -> dict[str, float]:
    """Return the implausibility of the words of a text, by encoding; 0 is best."""
    evidence = _evidence(data)
    costs = {}
    for encoding, (_, handicap) in ENCODINGS.items():
        try:
            words = evidence.decode(encoding).split()
        except UnicodeDecodeError as error:
            if error.end < len(evidence) or len(evidence) < _ENOUGH:
                costs[encoding] = math.inf
                continue
            words = evidence[: error.start].decode(encoding).split()
        spelt = min(_spelling(words, letters) for letters in _ALPHABETS[encoding])
        costs[encoding] = spelt + sum(map(_shape, words)) + handicap
    return costs


def _spelling(words: Sequence[str], alphabet: str) -> float:
    """Return the cost of the letters beyond a to z in an alphabet."""
    letters = [each for word in words for each in word.lower() if _is_other(each)]
    return sum(
        _RANK * alphabet.index(each) if each in alphabet else _foreign(each)
        for each in letters
    )


def _foreign(letter: str) -> float:
    return 0.0 if _JAPANESE.match(letter) else _FOREIGN


def _shape(word: str) -> float:
    """Return the cost of the signs of a word and of their neighbours."""
    signs = [each for each in word if not (each.isascii() or each.isalpha())]
    cost = _ODD * sum(each not in _SIGNS for each in signs)
    if _MISREAD.search(word):
        cost += _FOREIGN
    for before, after in pairwise(word):
        others = [_is_other(each) for each in (before, after)]
        scripts = {_script(each) for each in (before, after) if each.isalpha()}
        mixed = len(scripts) > 1 and "HIRAGANA" not in scripts
        if any(others) and (mixed or (before.islower() and after.isupper())):
            cost += _BROKEN
        if all(others) and scripts == {"LATIN"}:
            cost += _ROW
    for first, middle, last in zip(word, word[1:], word[2:], strict=False):
        sign = not (middle.isascii() or middle.isalpha() or middle in "’‘")
        if sign and first.isalpha() and last.islower():
            cost += _BROKEN
    return cost


def _is_other(character: str) -> bool:
    """Return whether a character is a letter beyond a to z."""
    return character.isalpha() and not character.isascii()


def _script(letter: str) -> str:
    """Return the first word of a letter's name: ``LATIN``, ``CYRILLIC``; kana as ``HIRAGANA``."""
    if "\u3040" <= letter <= "\u30ff":
        return "HIRAGANA"
    return unicodedata.name(letter, "").partition(" ")[0]
