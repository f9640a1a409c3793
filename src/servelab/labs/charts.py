"""Charts: how a lab declares them, and the four shapes of data they are drawn from.

A declaration says what the axes and series are; a run gives the data. Numbers are in base SI units, like everywhere.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from servelab.errors import SpecError
from servelab.labs.controls import SCALES
from servelab.specs.fields import Choice

#: One colour a quantity, wherever it is drawn: times, memory, the life of a request; then no quantity in particular.
COLOURS = (
    *("math", "traffic", "communication", "overhead"),
    *("weights", "kv", "workspace", "reserve", "free"),
    *("queue", "prefill", "decode", "preempted"),
    *("plain", "accent"),
)

#: What each kind of chart is drawn from, and the ways in which its series may be drawn, the usual one first.
STYLES = {
    "lines": ("line", "area", "step", "step-area"),
    "requests": ("bar",),
    "bars": ("bar",),
    "points": ("points", "joined"),
}

Numbers = Sequence[float | int | None]


@dataclass(frozen=True)
class Axis:
    """What runs along an axis, in which unit; without bounds the data give them."""

    label: str
    unit: str = ""
    scale: str = "linear"
    low: float | None = None
    high: float | None = None

    def __post_init__(self) -> None:
        Choice("scale", "scale", SCALES).check("scale", self.scale)


@dataclass(frozen=True)
class Series:
    """One quantity of a chart: `colour` is one of COLOURS, `style` one of the chart's kind ("" for the usual one)."""

    id: str
    label: str
    colour: str = "plain"
    style: str = ""


@dataclass(frozen=True)
class Chart:
    """A chart as declared. `words` say how to read it. A "requests" chart has no y axis of its own."""

    id: str
    title: str
    kind: str
    x: Axis
    y: Axis | None
    series: tuple[Series, ...]
    words: str = ""

    def __post_init__(self) -> None:
        where = f"charts.{self.id}"
        Choice("kind of chart", "kind of chart", tuple(STYLES)).check(f"{where}.kind", self.kind)
        styles = STYLES[self.kind]
        series = []
        for one in self.series:
            Choice("colour", "colour", COLOURS).check(f"{where}.{one.id}.colour", one.colour)
            style = one.style or styles[0]
            Choice("style", "style", styles).check(f"{where}.{one.id}.style", style)
            series.append(Series(one.id, one.label, one.colour, style))
        if not series or len({one.id for one in series}) < len(series):
            raise SpecError(f"{where}.series", "series are missing or share an id; give each its own")
        if self.y is None and self.kind != "requests":
            raise SpecError(f"{where}.y", f"a chart of kind {self.kind} needs a y axis; give Axis(…)")
        object.__setattr__(self, "series", tuple(series))


@dataclass(frozen=True)
class Band:
    """A stretch of the x axis with a name."""

    start: float
    end: float
    label: str


@dataclass(frozen=True)
class Level:
    """A value of the y axis with a name."""

    y: float
    label: str


@dataclass(frozen=True)
class Mark:
    """A value of the x axis; without a name it is one of many alike, such as the steps of a grid."""

    x: float
    label: str = ""


@dataclass(frozen=True)
class Lines:
    """Series over a common x. A step holds its value until the next x."""

    x: Numbers
    series: Mapping[str, Numbers]
    bands: tuple[Band, ...] = ()
    levels: tuple[Level, ...] = ()
    marks: tuple[Mark, ...] = ()


@dataclass(frozen=True)
class Requests:
    """One row a request: seconds of each part (a series), drawn one after another from its start."""

    start: Numbers
    parts: Mapping[str, Numbers]
    rejected: Sequence[bool]
    labels: Sequence[str] | None = None
    bands: tuple[Band, ...] = ()


@dataclass(frozen=True)
class Bars:
    """One bar a category and series; `changes[i]` are the settings that lead to bar i, `current` is this run's bar."""

    categories: Sequence[str]
    series: Mapping[str, Numbers]
    current: int | None = None
    changes: Sequence[Mapping[str, Any]] | None = None
    levels: tuple[Level, ...] = ()


@dataclass(frozen=True)
class Cloud:
    """The marks of one series of a scatter; `changes[i]` are the settings that lead to mark i."""

    x: Numbers
    y: Numbers
    labels: Sequence[str]
    changes: Sequence[Mapping[str, Any]] | None = None
    current: int | None = None


@dataclass(frozen=True)
class Points:
    """A scatter, and the line of the best marks where there is one."""

    series: Mapping[str, Cloud]
    frontier: Sequence[tuple[float, float]] | None = None


Data = Lines | Requests | Bars | Points

_SHAPES: dict[str, type[Any]] = {"lines": Lines, "requests": Requests, "bars": Bars, "points": Points}


def fit(chart: Chart, data: Any) -> Data | None:
    """The data of a run for `chart`; raises SpecError where they are of another kind or lack a series."""
    if data is None:
        return None
    shape = _SHAPES[chart.kind]
    if not isinstance(data, shape):
        raise SpecError(f"charts.{chart.id}", f"a {type(data).__name__} was given; give {shape.__name__}(…)")
    given = set(data.parts if isinstance(data, Requests) else data.series)
    wanted = {series.id for series in chart.series}
    if given != wanted:
        raise SpecError(f"charts.{chart.id}", f"it has data for {sorted(given)}; give {sorted(wanted)}")
    return data  # type: ignore[no-any-return]  # one of the four


def numbers(values: Any, decimals: int | None = None) -> list[float | int | None]:
    """An array as a chart takes it: rounded for the eye, null for what is no number."""
    array = np.asarray(values)
    if array.dtype.kind == "f":
        rounded = array if decimals is None else np.round(array, decimals)
        if np.isfinite(rounded).all():
            return rounded.tolist()  # type: ignore[no-any-return]
        return [value if np.isfinite(value) else None for value in rounded.tolist()]
    return array.tolist()  # type: ignore[no-any-return]
