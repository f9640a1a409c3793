"""Lists of modules in quantisation settings: which of a model's matrices they name.

An entry is a module's name or part of it ("lm_head", "model.layers.3.mlp"), a pattern with stars, or, after "re:",
a regular expression. Of those only what files use is read: text, dots, gaps (.*), choices between texts, anchors.
They are rewritten so that matching never backtracks: a file from anyone may be read.
"""

from __future__ import annotations

import re
from typing import Any, NamedTuple

from servelab.errors import ConfigError, shown

_MOST_ENTRIES = 20_000
_LONGEST_ENTRY = 300

#: What precedes a layer's name in models that also see or hear.
_PREFIXES = ("model.language_model.", "language_model.model.", "language_model.", "model.", "")

_TOKEN = re.compile(r"\.\*\??|\.\+|\\d\+|\[0-9\]\+|\[\^\.\]\+|\\\.|\\-|\(\?:|[()|.]|[\w\-]+")


class ModuleNames(NamedTuple):
    """Names and patterns, ready to be asked."""

    names: frozenset[str]
    patterns: tuple[re.Pattern[str], ...]
    lengths: tuple[int, ...] = ()  # of names, in pieces between dots

    @classmethod
    def of(cls, field: str, entries: Any) -> ModuleNames:
        """The list under `field`; raises ConfigError where it is none, or has a pattern that is not read."""
        if entries is None:
            return cls(frozenset(), ())
        if not isinstance(entries, (list, tuple)) or len(entries) > _MOST_ENTRIES:
            raise ConfigError("", f"{field} {shown(entries)} is no list of modules; give their names")
        names: set[str] = set()
        patterns: dict[re.Pattern[str], None] = {}
        for entry in entries:
            if not isinstance(entry, str) or len(entry) > _LONGEST_ENTRY:
                raise ConfigError("", f"{field} has {shown(entry)}; give a module's name")
            if entry.startswith("re:"):
                patterns[_regular(field, entry[3:])] = None
            elif "*" in entry:
                patterns[_starred(entry)] = None
            else:
                names.add(_bare(entry))
        return cls(frozenset(names), tuple(patterns), tuple({name.count(".") + 1 for name in names}))

    @property
    def tells_layers_apart(self) -> bool:
        """Whether an entry names the number of a layer."""
        return any(map(_NUMBER.search, self.names)) or any(_NUMBER.search(one.pattern) for one in self.patterns)

    def match(self, name: str) -> bool:
        """Whether the module, named after the model ("layers.3.mlp.up_proj"), or one it is in, is listed."""
        pieces = name.split(".") if self.lengths else []
        for length in self.lengths:
            for start in range(len(pieces) - length + 1):
                if ".".join(pieces[start : start + length]) in self.names:
                    return True
        return any(pattern.match(prefix + name) for pattern in self.patterns for prefix in _PREFIXES)


_NUMBER = re.compile(r"(?<![\w])\d+(?![\w])")


def _bare(entry: str) -> str:
    """A listed name without what comes before the layer's."""
    entry = entry.strip(".")
    return next((entry.removeprefix(prefix) for prefix in _PREFIXES if entry.startswith(prefix)), entry)


def _starred(entry: str) -> re.Pattern[str]:
    """A pattern with stars; it names all modules inside those it matches."""
    pieces = [re.escape(piece) for piece in re.split(r"\*+", entry)]
    return re.compile(_without_backtracking(pieces, anchored=True) + r"(?:\.|$)" if pieces[-1] else _gapped(pieces))


def _gapped(pieces: list[str]) -> str:
    return _without_backtracking(pieces, anchored=False)


def _regular(field: str, text: str) -> re.Pattern[str]:
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
    try:
        return re.compile(_without_backtracking(pieces, anchored=anchored) + ("$" if anchored else ""))
    except re.error:
        raise ConfigError("", f"{field} has {shown('re:' + text)}, which is no pattern; give names or stars") from None


def _without_backtracking(pieces: list[str], *, anchored: bool) -> str:
    """Pieces with gaps between: each is found as early as may be, the last as late where the end is `anchored`."""
    first, *rest = pieces
    if not rest:
        return first
    *middle, last = rest
    gaps = "".join(f"(?>.*?{piece})" for piece in middle if piece)
    return first + gaps + (f".*{last}" if anchored else f"(?>.*?{last})" if last else "")
