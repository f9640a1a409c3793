"""JSON from outside: its size and depth are looked at before anything is parsed."""

from __future__ import annotations

import json
import re
from typing import Any

from servelab.errors import ConfigError

MAX_BYTES = 4_000_000
MAX_DEPTH = 64

# Strings are skipped whole, so that a bracket inside one counts for nothing; an unclosed one runs to the end.
_TOKENS = re.compile(rb'"(?:[^"\\]|\\.)*+"?|[\[\]{}]', re.DOTALL)


def refusal(text: bytes) -> str | None:
    """Why `text` is not to be parsed, or None where it may be."""
    if len(text) > MAX_BYTES:
        return f"more than {MAX_BYTES:,} bytes; send at most that"
    depth = 0
    for token in _TOKENS.finditer(text):
        character = token[0]
        if character in (b"[", b"{"):
            depth += 1
            if depth > MAX_DEPTH:
                return f"nested deeper than {MAX_DEPTH} levels; flatten it"
        elif character in (b"]", b"}"):
            depth -= 1
    return None


def parse_json(text: bytes, what: str) -> Any:
    """Parse `text`, which `what` names in a message. Bare NaN and Infinity pass, as Python writes them.

    Raises ConfigError where it is too large, too deep or no JSON.
    """
    reason = refusal(text)
    if reason:
        raise ConfigError("", f"{what} is {reason}")
    try:
        return json.loads(text)
    except (ValueError, RecursionError) as error:
        raise ConfigError("", f"{what} is no JSON ({error}); give the file as published") from None
