"""What a page needs that is one file, asks no network and runs one script only."""

from __future__ import annotations

import base64
import hashlib
import html
import json

import chess.svg


def policy(script: str) -> str:
    """Return a content security policy, escaped for an attribute, that allows one script.

    Nothing else is loaded or run: no address, no other script, no form sent anywhere.
    """
    made = base64.b64encode(hashlib.sha256(script.encode()).digest()).decode()
    allowed = (
        f"default-src 'none'; script-src 'sha256-{made}'; style-src 'unsafe-inline'; "
        "base-uri 'none'; form-action 'none'"
    )
    return html.escape(allowed, quote=True)


def embedded(value: object) -> str:
    """Return a value as JSON that cannot end the script element it stands in."""
    text = json.dumps(value, ensure_ascii=False, separators=(",", ":"))
    return text.replace("<", "\\u003c").replace("\u2028", "\\u2028").replace("\u2029", "\\u2029")


def piece_shapes() -> str:
    """Return python-chess's twelve pieces as SVG definitions."""
    return "".join(chess.svg.PIECES[letter] for letter in "KQRBNPkqrbnp")
