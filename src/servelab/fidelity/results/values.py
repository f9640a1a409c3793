"""Figures of a result by the names that tools give them, with what is wrong with one in a sentence."""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import Any

from servelab.errors import nearest, shown
from servelab.fidelity.results.found import ResultsError
from servelab.specs.fields import LARGEST_COUNT
from servelab.units import parse

MILLISECOND_S, NANOSECOND_S = parse("1 ms", "s"), parse("1 ns", "s")

#: No run and no figure of one is longer: a century.
_LONGEST_S = 3.2e9
#: A latency may pass the length of its run by this much: clocks of two processes, and rounding.
_SLACK = 1.05

#: The remedy where figures do not go together.
OWN_UNITS = "give the file in the units that its tool writes"

#: How a name may end that tells another unit than the one a tool writes.
_UNITS = ("_ms", "_s", "_us", "_ns", "_sec", "_seconds")


class Row:
    """One result as read from JSON, with the file (and line) it was read in."""

    def __init__(self, source: str, fields: Mapping[str, Any]) -> None:
        self.source = source
        self.fields = fields

    def refuse(self, problem: str, remedy: str = "give the file as its tool wrote it") -> ResultsError:
        """What is wrong with it and what to do, as an error to be raised."""
        return ResultsError(self.source, f"{problem}; {remedy}")

    def text(self, *names: str) -> str | None:
        """The first of these fields that holds words or a number."""
        for name in names:
            value = self.fields.get(name)
            if isinstance(value, (str, int, float)) and not isinstance(value, bool) and str(value).strip():
                return str(value).strip()
        return None

    def inner(self, *path: str) -> Row:
        """The object inside these fields; an empty one where there is none."""
        value: Any = self.fields
        for name in path:
            value = value.get(name) if isinstance(value, Mapping) else None
        return Row(self.source, value if isinstance(value, Mapping) else {})

    def number(self, name: str, *, least: float = 0.0, most: float = LARGEST_COUNT) -> float:
        """The number in a field; raises where it is missing, none, or out of bounds."""
        if self.fields.get(name) is None:
            raise self._missing(name)
        value = self.fields[name]
        plain = not isinstance(value, bool) and isinstance(value, (int, float))
        if not plain or not math.isfinite(value) or not least <= value <= most:
            raise self.refuse(f"{shown(value)} in {name} is no number from {least:g} to {most:g}")
        return float(value)

    def maybe(self, name: str, *, least: float = 0.0) -> float | None:
        """The number in a field, None where the field is missing or null."""
        return None if self.fields.get(name) is None else self.number(name, least=least)

    def count(self, name: str, *, least: int = 1) -> int:
        """The whole number in a field; raises as `number` does."""
        value = self.number(name, least=least)
        if value != math.floor(value):
            raise self.refuse(f"{shown(value)} in {name} is not whole")
        return int(value)

    def seconds(self, name: str, unit_s: float) -> float:
        """The time in a field that counts in `unit_s`; raises as `number` does, also where it is 0."""
        value = self.number(name) * unit_s
        if not 0 < value <= _LONGEST_S:
            raise self.refuse(f"{shown(self.fields[name])} in {name} is no time that a run can have taken")
        return value

    def within(self, seconds: dict[str, tuple[str, float]], duration_s: float) -> None:
        """Refuse a latency that is longer than the whole run: it, or the run's length, is in another unit.

        `seconds` holds for each metric the field it was read in and its value.
        """
        for name, value in seconds.values():
            if value > _SLACK * duration_s:
                raise self.refuse(
                    f"{shown(self.fields.get(name, value))} in {name} is {value:,.4g} s, and the whole run took "
                    f"{duration_s:,.4g} s",
                    OWN_UNITS,
                )

    def _missing(self, name: str) -> ResultsError:
        """That a field is missing, with the field that has its place in another unit where there is one."""
        unit = next((unit for unit in sorted(_UNITS, key=len, reverse=True) if name.endswith(unit)), "")
        stem = name.removesuffix(unit)
        others = [
            other for other in self.fields if other != name and other in {stem, *(stem + unit for unit in _UNITS)}
        ]
        if others:
            return self.refuse(f"it has {others[0]} and no {name}", OWN_UNITS)
        alike = nearest(name, self.fields)
        return self.refuse(f"it has no {name}{f' (it has {alike})' if alike else ''}")


def per_request(row: Row, total: str, requests: int) -> int:
    """Tokens of a request on average, rounded, at least 1, from the field that has the sum of all."""
    return max(1, round(row.number(total, least=1) / requests))
