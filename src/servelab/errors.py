"""What can go wrong, as one tree.

    ServelabError
    └── SpecError            a value that cannot be: names its field, shows the value, offers the remedy
        ├── UnknownName      a name that is in no catalogue or list; suggests the nearest
        ├── ConfigError      a config.json that cannot be read as a model
        └── TraceError       a trace file with a line that cannot be read

A message is one sentence without its field, so that every door can name the field its own way:
Python says ``batch``, the command line ``--batch``, HTTP ``workload.batch``.
"""

from __future__ import annotations

import difflib
import reprlib
from collections.abc import Iterable

_SHOWN_CHARACTERS = 60
_SHORT = reprlib.Repr()
_SHORT.maxother = _SHORT.maxstring = _SHOWN_CHARACTERS

#: Up to this many names are listed in full, so that only a slip of the pen is worth a guess.
_LISTED = 12
_NEARLY = 0.75
_ALIKE = 0.6


class ServelabError(Exception):
    """Anything servelab refuses on purpose."""


class SpecError(ServelabError, ValueError):
    """A bad value: `field` is its dotted path ("" where the caller knows it), `message` the sentence."""

    def __init__(self, field: str, message: str) -> None:
        super().__init__(field, message)
        self.field = field
        self.message = message

    def __reduce__(self) -> tuple[object, ...]:
        # by its sentence: a subclass may be made from other things than it keeps
        return _restored, (type(self), self.field, self.message)

    def __str__(self) -> str:
        return f"{self.field}: {self.message}" if self.field else self.message


def _restored(kind: type[SpecError], field: str, message: str) -> SpecError:
    error = kind.__new__(kind, field, message)
    SpecError.__init__(error, field, message)
    return error


class UnknownName(SpecError):
    """A name that is not known; `known` are the names that are."""

    def __init__(self, field: str, kind: str, name: object, known: Iterable[str]) -> None:
        names = list(known)
        near = nearest(name, names) if isinstance(name, str) else None
        remedy = f"did you mean {near}?" if near else f"use {one_of(names)}"
        super().__init__(field, f"{shown(name)} is not a known {kind}; {remedy}")


class ConfigError(SpecError):
    """A config.json that is no JSON, too large, or lacks what a model needs."""


class TraceError(SpecError):
    """A trace that cannot be read: `name` of the file, `line` from 1 (0 where it is the whole file)."""

    def __init__(self, name: str, line: int, problem: str) -> None:
        where = f"line {line:,} of {shown(name)}" if line else shown(name)
        super().__init__("trace", f"{where} cannot be used: {problem}")
        self.name = name
        self.line = line


def shown(value: object) -> str:
    """`value` as a message may repeat it: one line, short, whatever it is."""
    if isinstance(value, int) and value.bit_length() > 200:
        return f"a whole number of {value.bit_length()} bits"
    if isinstance(value, str) and len(value) > _SHOWN_CHARACTERS:
        return f"{value[:_SHOWN_CHARACTERS]!r}… ({len(value):,} characters)"
    try:
        text = repr(value) if isinstance(value, (str, float)) else _SHORT.repr(value)
    except Exception:  # a value may hold anything, also what cannot be shown
        return f"a {type(value).__name__}"
    if len(text) > _SHOWN_CHARACTERS:
        return f"{text[:_SHOWN_CHARACTERS]}…"
    return text


def one_of(names: Iterable[str]) -> str:
    """The names as prose: "a, b or c"; a long list is cut."""
    names = list(names)
    if len(names) > _LISTED:
        return f"one of {len(names)} known names, such as {', '.join(names[:3])}"
    return names[0] if len(names) == 1 else f"{', '.join(names[:-1])} or {names[-1]}"


def nearest(name: str, names: Iterable[str]) -> str | None:
    """The known name closest to `name`: one that begins with it or contains it, else the most alike."""
    wanted, candidates = name[:200].lower().strip(), list(names)
    if not wanted:
        return None
    for matches in (
        [known for known in candidates if known.startswith(wanted)],
        [known for known in candidates if wanted in known],
    ):
        if matches:
            return _most_common_choice(matches)
    alike = difflib.get_close_matches(wanted, candidates, n=1, cutoff=_ALIKE if len(candidates) > _LISTED else _NEARLY)
    return alike[0] if alike else None


def _most_common_choice(matches: list[str]) -> str:
    """Among names that fit equally, an SXM card (what clouds rent), else the shortest."""
    return min(matches, key=lambda known: ("sxm" not in known, len(known), known))
