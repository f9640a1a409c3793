"""The report on accuracy: scores by kind and group, every row beside its prediction, what was left out and why."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from servelab.fidelity import measured, predictions
from servelab.fidelity.measured import Measured
from servelab.fidelity.score import KINDS, Group, Prediction, Score, groups, score, worst
from servelab.specs.fields import as_data, as_json

#: Rows that are named as the worst.
_WORST = 20


@dataclass(frozen=True)
class Headline:
    """Rows of one kind: how far off the predictions are, and the textbook's beside them."""

    id: str
    title: str
    score: Score
    textbook: Score | None


@dataclass(frozen=True)
class GroupScore:
    """One source, accelerator and engine: how far off the predictions are, and the textbook's median beside it."""

    source: str
    accelerator: str
    engine: str
    score: Score
    textbook_median_fraction: float | None


@dataclass(frozen=True)
class LeftOut:
    """Rows that no prediction is held against, for one reason: how many, and of which sources."""

    reason: str
    rows: int
    sources: tuple[str, ...]


@dataclass(frozen=True)
class SourceLine:
    """Where measurements were read."""

    key: str
    title: str
    url: str
    licence: str


@dataclass(frozen=True)
class MeasuredPoints:
    """Every row as columns of the same length; values in base SI of the row's metric, None where there is none."""

    id: tuple[str, ...]
    source: tuple[str, ...]
    engine: tuple[str, ...]
    accelerator: tuple[str, ...]
    model: tuple[str, ...]
    phase: tuple[str, ...]
    metric: tuple[str, ...]
    regime: tuple[str, ...]
    weights: tuple[str, ...]
    tensor_parallel: tuple[int, ...]
    batch: tuple[int | None, ...]
    rate_per_s: tuple[float | None, ...]
    prompt_tokens: tuple[int | None, ...]
    output_tokens: tuple[int | None, ...]
    measured: tuple[float, ...]
    predicted: tuple[float | None, ...]
    low: tuple[float | None, ...]
    high: tuple[float | None, ...]
    textbook: tuple[float | None, ...]


@dataclass(frozen=True)
class Accuracy:
    """The report. `own` is whether the predictions are servelab's own, each with its row's model left out.

    `worst` are ids of the rows furthest off, either way, the worst first.
    """

    own: bool
    headlines: tuple[Headline, ...]
    groups: tuple[GroupScore, ...]
    worst: tuple[str, ...]
    excluded: tuple[LeftOut, ...]
    sources: tuple[SourceLine, ...]
    points: MeasuredPoints

    def to_dict(self) -> dict[str, Any]:
        """The report as plain data."""
        data: dict[str, Any] = as_data(self)
        return data

    def to_json(self) -> str:
        """The report as every door prints it."""
        return as_json(self)


def accuracy(theirs: Mapping[str, Prediction] | None = None) -> Accuracy:
    """The report on servelab's own predictions, or on `theirs`, by the ids of the measured rows."""
    rows = measured.rows()
    found = predictions.held_out() if theirs is None else theirs
    beside = predictions.textbook()
    return Accuracy(
        own=theirs is None,
        headlines=tuple(_headlines(rows, found, beside)),
        groups=_groups(rows, found, beside),
        worst=tuple(row.id for row in worst(rows, found, _WORST)),
        excluded=_excluded(),
        sources=_sources(rows),
        points=_points(rows, found, beside),
    )


def _headlines(
    rows: Sequence[Measured], found: Mapping[str, Prediction], beside: Mapping[str, Prediction]
) -> list[Headline]:
    lines = []
    for kind in KINDS:
        held = [row for row in rows if kind.holds(row)]
        if held:
            lines.append(Headline(kind.id, kind.title, score(held, found), score(held, beside) if beside else None))
    return lines


def _groups(
    rows: Sequence[Measured], found: Mapping[str, Prediction], beside: Mapping[str, Prediction]
) -> tuple[GroupScore, ...]:
    textbook = {_key(group): group.score.median_fraction for group in groups(rows, beside)} if beside else {}
    return tuple(
        GroupScore(*_key(group), score=group.score, textbook_median_fraction=textbook.get(_key(group)))
        for group in groups(rows, found)
    )


def _key(group: Group) -> tuple[str, str, str]:
    return group.source, group.accelerator, group.engine


def _excluded() -> tuple[LeftOut, ...]:
    """The reasons, that of most rows first."""
    counts: Counter[str] = Counter()
    sources: dict[str, set[str]] = {}
    for row, reason in measured.excluded():
        counts[reason] += 1
        sources.setdefault(reason, set()).add(row.source)
    return tuple(LeftOut(reason, rows, tuple(sorted(sources[reason]))) for reason, rows in counts.most_common())


def _sources(rows: Sequence[Measured]) -> tuple[SourceLine, ...]:
    told = measured.sources()
    used = dict.fromkeys(row.source for row in rows)
    return tuple(SourceLine(key, told[key].title, told[key].url, told[key].licence) for key in used if key in told)


def _points(
    rows: Sequence[Measured], found: Mapping[str, Prediction], beside: Mapping[str, Prediction]
) -> MeasuredPoints:
    plain = [
        name for name in MeasuredPoints.__dataclass_fields__ if name in Measured.__dataclass_fields__ or name == "phase"
    ]
    columns: dict[str, Any] = {name: tuple(getattr(row, name) for row in rows) for name in plain}
    mine = [found.get(row.id) for row in rows]
    return MeasuredPoints(
        **columns,
        measured=tuple(row.value for row in rows),
        predicted=tuple(_six(one.value) if one else None for one in mine),
        low=tuple(_six(one.low) if one else None for one in mine),
        high=tuple(_six(one.high) if one else None for one in mine),
        textbook=tuple(_six(beside[row.id].value) if row.id in beside else None for row in rows),
    )


def _six(value: float | None) -> float | None:
    """Six figures: more than any measurement has, and a shorter answer."""
    return None if value is None else float(f"{value:.6g}")
