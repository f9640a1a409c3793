"""YAML and JSON as plain dicts, lists and texts, whoever wrote them.

Built from the parser's events, so that nothing is constructed but these, every scalar stays the text that was written
("on", "1.10"), aliases cannot multiply what they stand for beyond a budget nor stand within it, and depth is bounded.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Iterator
from typing import Any

import yaml

from servelab.errors import SpecError, shown

#: A manifest is a few pages; parsing is slow.
LONGEST = 400_000
_MOST_NODES = 40_000
_DEEPEST = 64
#: So many characters of a text count as one node more.
_NODE_CHARACTERS = 32

_LOADER: Any = getattr(yaml, "CSafeLoader", yaml.SafeLoader)


def documents(text: str) -> list[Any]:
    """The documents in `text`; raises SpecError where it is no YAML, too long, too deep or too large."""
    if len(text) > LONGEST:
        raise SpecError("text", f"{len(text):,} characters of YAML are too many; give at most {LONGEST:,}")
    builder = _Builder()
    try:
        for event in yaml.parse(text, Loader=_LOADER):
            builder.take(event)
    except SpecError:
        raise
    except (yaml.YAMLError, ValueError, RecursionError) as error:
        line = getattr(getattr(error, "problem_mark", None), "line", None)
        where = "" if line is None else f" at line {line + 1}"
        raise SpecError(
            "text", f"the text looks like YAML and cannot be read{where}; mend it, or give a command"
        ) from None
    return builder.documents


def _refusal(why: str) -> SpecError:
    return SpecError("text", f"the text looks like YAML and {why}")


class _Builder:
    """Builds values from events on a stack of its own: no recursion, whatever the nesting."""

    def __init__(self) -> None:
        self.documents: list[Any] = []
        self._open: list[Any] = []
        self._keys: list[Any] = []
        self._anchors: dict[str, Any] = {}
        self._sizes: dict[int, int] = {}
        self._nodes = 0

    def take(self, event: Any) -> None:
        if isinstance(event, yaml.ScalarEvent):
            text = str(event.value)
            self._add(text, event.anchor, _text_size(text))
        elif isinstance(event, yaml.AliasEvent):
            self._alias(event.anchor or "")
        elif isinstance(event, (yaml.MappingStartEvent, yaml.SequenceStartEvent)):
            value: Any = {} if isinstance(event, yaml.MappingStartEvent) else []
            self._add(value, event.anchor, 1)
            self._open.append(value)
            self._keys.append(_NO_KEY)
            if len(self._open) > _DEEPEST:
                raise _refusal(f"is nested more than {_DEEPEST} deep; give the part with the container")
        elif isinstance(event, (yaml.MappingEndEvent, yaml.SequenceEndEvent)):
            self._close()

    def _alias(self, anchor: str) -> None:
        value = self._anchors.get(anchor)
        if any(value is item for item in self._open):
            raise _refusal(f"has an alias *{shown(anchor)} within what it stands for; write it out")
        self._add(value, None, _text_size(value) if isinstance(value, str) else self._sizes.get(id(value), 1))

    def _add(self, value: Any, anchor: str | None, size: int) -> None:
        self._nodes += size
        if self._nodes > _MOST_NODES:
            raise _refusal("holds too much, its aliases included; give the part with the container")
        if anchor:
            self._anchors[anchor] = value
            self._sizes[id(value)] = size
        if not self._open:
            self.documents.append(value)
        elif isinstance(self._open[-1], list):
            self._open[-1].append(value)
        elif self._keys[-1] is _NO_KEY:
            self._keys[-1] = value if isinstance(value, str) else ""
        else:
            _put(self._open[-1], self._keys[-1], value)
            self._keys[-1] = _NO_KEY

    def _close(self) -> None:
        value = self._open.pop()
        self._keys.pop()
        self._sizes[id(value)] = _size(value, self._sizes)


_NO_KEY = object()


def _put(mapping: dict[str, Any], key: str, value: Any) -> None:
    """A pair into a mapping; `<<` brings in those of another that are not there."""
    if key != "<<":
        mapping[key] = value
        return
    for other in value if isinstance(value, list) else [value]:
        if isinstance(other, dict):
            for name, item in other.items():
                mapping.setdefault(name, item)


def _size(value: Any, sizes: dict[int, int]) -> int:
    """Nodes of a closed value: its children are closed before it."""
    children = value.values() if isinstance(value, dict) else value
    return 1 + sum(_text_size(child) if isinstance(child, str) else sizes.get(id(child), 1) for child in children)


def _text_size(text: str) -> int:
    return 1 + len(text) // _NODE_CHARACTERS


def mappings(value: Any, path: tuple[str, ...] = ()) -> Iterator[tuple[tuple[str, ...], dict[str, Any]]]:
    """Every mapping within `value` with its path, outer ones first; never more than the budget of nodes."""
    pending: deque[tuple[tuple[str, ...], Any]] = deque([(path, value)])
    visited = 0
    while pending and visited < _MOST_NODES:
        here, item = pending.popleft()
        visited += 1
        if isinstance(item, dict):
            yield here, item
            pending.extend(((*here, str(key)), child) for key, child in item.items() if not isinstance(child, str))
        elif isinstance(item, list):
            pending.extend(
                ((*here, str(index)), child) for index, child in enumerate(item) if not isinstance(child, str)
            )
