"""How a format of log lines is written down: phrases as data, matched where their literal text is found.

A phrase is a literal `marker` and what follows it directly. Markers are found with `str.find`, and the rest is matched
from there on a short slice with bounded repetitions only, so that reading takes time in proportion to the text
whatever the text is. Named groups are the facts: `weights_bytes` takes the unit of a group `weights_unit` beside it,
else the phrase's own. Engines print GB and MB for powers of two, so both are read as such.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cached_property
from types import MappingProxyType

#: A number as logs print it, with or without thousands separators.
NUMBER = r"-?\d[\d,]{0,20}(?:\.\d{1,12})?"
COUNT = r"\d[\d,]{0,20}"
#: A name: of a model, a card, a type.
NAME = r"[^\s,'\"()\[\]{}]{1,200}"


def size(fact: str) -> str:
    """The pattern of a size in bytes with its own unit: "14.99 GiB"."""
    return rf"(?P<{fact}_bytes>{NUMBER}) ?(?P<{fact}_unit>[KMGT]i?B)"


@dataclass(frozen=True)
class Phrase:
    """`marker`, then `rest`; what it says beside its groups is in `says`.

    `starts` marks the beginning of a start-up, `pairs` a line of settings written `name=value` or `'name': value`,
    taken under the names of the engine's table.
    """

    marker: str
    rest: str = ""
    unit: str = "GiB"
    says: Mapping[str, str] = field(default_factory=lambda: MappingProxyType({}))
    starts: bool = False
    pairs: bool = False

    @property
    def literal(self) -> str:
        """What is searched for: the marker without spaces at its end, which make searching slow."""
        return self.marker.rstrip()

    @cached_property
    def pattern(self) -> re.Pattern[str]:
        """What follows the literal, compiled when it is first found."""
        return re.compile(re.escape(self.marker[len(self.literal) :]) + self.rest)


@dataclass(frozen=True)
class Format:
    """The phrases of one engine's logs, and the names its settings have there.

    `adds_up` says that figures of one rank are parts (a draft model beside the model, buffer beside buffer).
    """

    engine: str
    phrases: tuple[Phrase, ...]
    settings: Mapping[str, str] = field(default_factory=lambda: MappingProxyType({}))
    adds_up: bool = False
