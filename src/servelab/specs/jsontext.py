"""JSON from outside: its size and depth are looked at before anything is parsed."""

from __future__ import annotations

import json
import re
from typing import Any

from servelab.errors import ConfigError

MAX_BYTES = 4_000_000
MAX_DEPTH = 64

# An unclosed string runs to the end.
_STRINGS = re.compile(rb'"(?:[^"\\]|\\.)*+"?', re.DOTALL)
_BRACKETS = b"[]{}"
_NO_BRACKETS = bytes(byte for byte in range(256) if byte not in _BRACKETS)


def refusal(text: bytes) -> str | None:
    """Why `text` is not to be parsed, or None where it may be."""
    if len(text) > MAX_BYTES:
        return f"more than {MAX_BYTES:,} bytes; send at most that"
    if not _is_utf8(text):
        return "not in UTF-8; save it as that"
    if _deeper_than(MAX_DEPTH, text):
        return f"nested deeper than {MAX_DEPTH} levels; flatten it"
    return None


def _is_utf8(text: bytes) -> bool:
    """Whether it is UTF-8; JSON has no zero bytes, which ASCII saved as UTF-16 is full of."""
    try:
        text.decode("utf-8-sig")
    except UnicodeDecodeError:
        return False
    return b"\0" not in text


def _deeper_than(levels: int, text: bytes) -> bool:
    """Whether brackets outside strings nest deeper. Each round takes off the innermost level of all."""
    brackets = _STRINGS.sub(b"", text).translate(None, _NO_BRACKETS)
    for _ in range(levels):
        brackets = brackets.replace(b"[]", b"").replace(b"{}", b"")
        if not brackets:
            return False
    return brackets.count(b"[") + brackets.count(b"{") > levels or b"[]" in brackets or b"{}" in brackets


def parse_json(text: bytes, what: str) -> Any:
    """Parse `text`, which `what` names in a message. Bare NaN and Infinity pass, as Python writes them.

    Raises ConfigError where it is too large, too deep or no JSON.
    """
    reason = refusal(text)
    if reason:
        raise ConfigError("", f"{what} is {reason}")
    try:
        return json.loads(text.decode("utf-8-sig"))
    except (ValueError, RecursionError) as error:
        raise ConfigError("", f"{what} is no JSON ({error}); give the file as published") from None
