"""Lists of modules in quantisation settings: which of a model's matrices they name.

An entry is a module's name or part of it ("lm_head", "model.layers.3.mlp"), a pattern with stars, or, after "re:",
a regular expression. Of those only what files use is read: text, dots, gaps (.*), choices between texts, anchors.
They are rewritten so that matching never backtracks: a file from anyone may be read.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from types import MappingProxyType
from typing import Any, NamedTuple

from servelab.errors import ConfigError, shown

_MOST_ENTRIES = 20_000
_LONGEST_ENTRY = 300
_MOST_PATTERNS = 100

#: What precedes a layer's name in models that also see or hear.
_PREFIXES = ("model.language_model.", "language_model.model.", "language_model.", "model.", "")

_TOKEN = re.compile(r"\.\*\??|\.\+|\\d\+|\[0-9\]\+|\[\^\.\]\+|\\\.|\\-|\(\?:|[()|.]|[\w\-]+")


class ModuleNames(NamedTuple):
    """Names and patterns, ready to be asked. `by_layer` holds, by a layer's number, what is listed of it alone;
    `numbered` says that some other entry tells layers apart.
    """

    names: frozenset[str] = frozenset()
    lengths: tuple[int, ...] = ()  # of names, in pieces between dots
    pattern: re.Pattern[str] | None = None
    starts: Mapping[int | None, tuple[str, ...]] = MappingProxyType({})  # of names, by layer where they say one
    by_layer: Mapping[int, frozenset[str]] = MappingProxyType({})
    numbered: bool = False

    @classmethod
    def of(cls, field: str, entries: Any) -> ModuleNames:
        """The list under `field`; raises ConfigError where it is none, or has a pattern that is not read."""
        if entries is None:
            return cls()
        if not isinstance(entries, (list, tuple)) or len(entries) > _MOST_ENTRIES:
            raise ConfigError("", f"{field} {shown(entries)} is no list of modules; give their names")
        names, patterns, starts = set(), set(), set()
        for entry in entries:
            if not isinstance(entry, str) or len(entry) > _LONGEST_ENTRY:
                raise ConfigError("", f"{field} has {shown(entry)}; give a module's name")
            if entry.startswith("re:"):
                patterns.add(_regular(field, entry[3:]))
            elif _START.fullmatch(entry):
                starts.add(_bare(entry.rstrip("*")))
            elif "*" in entry:
                patterns.add(_starred(entry))
            else:
                names.add(_bare(entry))
        if len(patterns) > _MOST_PATTERNS:
            raise ConfigError("", f"{field} has {len(patterns)} patterns; give at most {_MOST_PATTERNS}, or names")
        return cls._of(names, starts, sorted(patterns))

    @classmethod
    def _of(cls, names: set[str], starts: set[str], patterns: list[str]) -> ModuleNames:
        by_layer: dict[int, set[str]] = {}
        grouped: dict[int | None, list[str]] = {}
        numbered = any(map(_NUMBER.search, patterns))
        for name in (*names, *starts):
            layer = _LAYER.search(name)
            number = int(layer[1]) if layer else None
            if name in starts:
                grouped.setdefault(number, []).append(name)
            if layer and number is not None:
                rest = f"{name[: layer.start(1)]}#{name[layer.end(1) :]}{'*' if name in starts else ''}"
                by_layer.setdefault(number, set()).add(rest)
            elif _NUMBER.search(name):
                numbered = True
        return cls(
            frozenset(names),
            tuple({name.count(".") + 1 for name in names}),
            re.compile("|".join(f"(?:{pattern})" for pattern in patterns)) if patterns else None,
            {number: tuple(sorted(listed)) for number, listed in grouped.items()},
            {number: frozenset(listed) for number, listed in by_layer.items()},
            numbered,
        )

    def layer_key(self, number: int) -> Any:
        """The same for layers of which the list says the same."""
        return number if self.numbered else self.by_layer.get(number)

    def match(self, name: str) -> bool:
        """Whether the module, named after the model ("layers.3.mlp.up_proj"), or one it is in, is listed."""
        pieces = name.split(".") if self.lengths else []
        for length in self.lengths:
            for start in range(len(pieces) - length + 1):
                if ".".join(pieces[start : start + length]) in self.names:
                    return True
        if self.starts:
            layer = _LAYER.search(name)
            known = self.starts.get(None, ()) + (self.starts.get(int(layer[1]), ()) if layer else ())
            if name.startswith(known):
                return True
        pattern = self.pattern
        return pattern is not None and any(pattern.match(prefix + name) for prefix in _PREFIXES)


_START = re.compile(r"[\w.\-]*[A-Za-z_.\-]\*+")  # a star at the end, and no number that it could go on
_LAYER = re.compile(r"(?:^|\.)layers\.(\d{1,9})(?![^.])")
_NUMBER = re.compile(r"(?<![\w])\d+(?![\w])")


def _bare(entry: str) -> str:
    """A listed name without what comes before the layer's."""
    entry = entry.strip(".")
    return next((entry.removeprefix(prefix) for prefix in _PREFIXES if entry.startswith(prefix)), entry)


def _starred(entry: str) -> str:
    """A pattern with stars; it names all modules inside those it matches."""
    pieces = [re.escape(piece) for piece in re.split(r"\*+", entry)]
    if not pieces[-1]:
        return _without_backtracking(pieces, anchored=False)
    return _without_backtracking(pieces, anchored=True) + r"(?:\.|$)"


def _regular(field: str, text: str) -> str:
    """A regular expression of the kinds that are read."""
    source = text.removeprefix("^")
    anchored = source.endswith("$")
    source = source.removesuffix("$")
    pieces, at, depth = [""], 0, 0
    while at < len(source):
        token = _TOKEN.match(source, at)
        if token is None or (depth and token[0] in (".*", ".+", ".*?", "(", "(?:")):
            raise ConfigError(
                "", f"{field} has the pattern {shown('re:' + text)}, which is not read; give names or stars"
            )
        at = token.end()
        depth += (token[0] in ("(", "(?:")) - (token[0] == ")")
        if token[0] in (".*", ".*?", ".+"):
            pieces.append("")
        else:
            pieces[-1] += "(?:" if token[0] == "(" else token[0]
    found = _without_backtracking(pieces, anchored=anchored) + ("$" if anchored else "")
    try:
        re.compile(found)
    except re.error:
        raise ConfigError("", f"{field} has {shown('re:' + text)}, which is no pattern; give names or stars") from None
    return found


def _without_backtracking(pieces: list[str], *, anchored: bool) -> str:
    """Pieces with gaps between: each is found as early as may be, the last as late where the end is `anchored`."""
    first, *rest = pieces
    if not rest:
        return first
    *middle, last = rest
    gaps = "".join(f"(?>.*?{piece})" for piece in middle if piece)
    return first + gaps + (f".*{last}" if anchored else f"(?>.*?{last})" if last else "")
