"""Hides who wrote a comment: opaque names, the order of comments, the key that undoes both."""

from __future__ import annotations

import hashlib
import hmac
import json
import re
import secrets
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from chessgloss.survey.records import Study, StudyError, digest
from chessgloss.survey.study_file import as_record, of_record

KEY_FORMAT = "chessgloss-key/1"

_MASK = 0xFFFFFFFF


@dataclass(frozen=True, slots=True)
class Key:
    """A study and the secret behind the opaque names of its comments.

    Parameters
    ----------
    study
        The study.
    secret
        64 hex digits; who has it can tell which method wrote which comment.
    """

    study: Study
    secret: str

    def __post_init__(self) -> None:
        if not re.fullmatch(r"[0-9a-f]{64}", self.secret):
            raise ValueError("the secret of a key is 64 hex digits")

    @classmethod
    def new(cls, study: Study) -> Key:
        """Return a key with a secret drawn by the operating system."""
        return cls(study, secrets.token_hex(32))

    def item(self, move: str, method: str) -> str:
        """Return the opaque name of a comment: 16 hex digits of its keyed hash."""
        (text,) = (one.comments[method] for one in self.study.moves if one.name == move)
        return self._name(move, method, text)

    def items(self) -> dict[str, tuple[int, str]]:
        """Return opaque name to (number of the move from 1, method), in the study's order."""
        return {
            self._name(one.name, method, text): (number, method)
            for number, one in enumerate(self.study.moves, start=1)
            for method, text in one.comments.items()
        }

    @property
    def study_id(self) -> str:
        """Name of the study as it is blinded: changes with a move, a text or the secret."""
        moves = [f"{one.move.position.fen} {one.move.uci}" for one in self.study.moves]
        return digest(self.study.title, *moves, *self.items())

    def _name(self, *parts: str) -> str:
        message = "\0".join(parts).encode()
        return hmac.new(bytes.fromhex(self.secret), message, hashlib.sha256).hexdigest()[:16]


def shown_order(participant: str, items: Iterable[str]) -> list[str]:
    """Return the comments of one move in the order that a participant sees them.

    The order is by lot, from the participant's code and the comments' opaque names alone,
    and the page draws it by the same rule: a file can be checked against it.
    """
    return sorted(items, key=lambda item: (lot(f"{participant}|{item}"), item))


def lot(text: str) -> int:
    """Return a number of 32 bits drawn by a text.

    FNV-1a over the UTF-8 bytes, then the final mixing of MurmurHash3: both fit in a few
    lines of the page's JavaScript. Sources: Fowler, Noll and Vo (1991); Appleby (2011).
    """
    value = 0x811C9DC5
    for byte in text.encode():
        value = (value ^ byte) * 0x01000193 & _MASK
    for shift, factor in ((16, 0x85EBCA6B), (13, 0xC2B2AE35)):
        value = (value ^ value >> shift) * factor & _MASK
    return value ^ value >> 16


def write_key(path: Path, key: Key) -> None:
    """Write a key file; whoever rates must not see it."""
    told = {
        "format": KEY_FORMAT,
        "note": "Tells which method wrote which comment. Keep it from everyone who rates.",
        "study_id": key.study_id,
        "secret": key.secret,
        "study": as_record(key.study),
    }
    path.write_text(json.dumps(told, ensure_ascii=False, indent=1) + "\n", encoding="utf-8")


def read_key(path: Path) -> Key:
    """Read a key file.

    Raises
    ------
    StudyError
        If the file is no key, or its content was changed since it was written.
    """
    try:
        told: Any = json.loads(path.read_text(encoding="utf-8"))
    except (UnicodeDecodeError, json.JSONDecodeError) as error:
        raise StudyError(f"{path}: not a key file: {error}") from None
    if not isinstance(told, dict) or told.get("format") != KEY_FORMAT:
        raise StudyError(f"{path}: not a key file of `chessgloss survey build` ({KEY_FORMAT})")
    try:
        key = Key(of_record(told["study"], path.name), told["secret"])
    except (KeyError, TypeError, ValueError) as error:
        raise StudyError(f"{path}: the key is damaged: {error}") from None
    if key.study_id != told.get("study_id"):
        raise StudyError(f"{path}: the key was changed since it was written; use the original")
    return key
