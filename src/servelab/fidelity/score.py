"""How far predictions are from measurements: by group, and over all of a kind.

The error of a prediction is |predicted / measured − 1|. A row without a prediction counts as 100 % off, because what
ran must not be refused. Scores are taken over groups of one source, accelerator and engine, so that a source with
thousands of rows weighs no more than one with a few: the score of a kind is the median over its groups of the groups'
medians, groups of fewer than 5 rows left out; its p90 is over rows.
"""

from __future__ import annotations

import statistics
from collections import defaultdict
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass

from servelab.fidelity.measured import Measured
from servelab.specs.catalog import loader

#: A group counts towards a score from this many rows on.
LEAST_ROWS = 5
#: What a row without a prediction is off by.
REFUSED = 1.0


@dataclass(frozen=True)
class Prediction:
    """What was predicted of a row, in the row's unit, with the interval that 80 % of measurements should fall into."""

    value: float
    low: float | None = None
    high: float | None = None


@dataclass(frozen=True)
class Score:
    """How far off predictions are. Shares: 0.05 is 5 %.

    `median_fraction` is the median over `groups` of their medians, None without a group that is large enough;
    `p90_fraction` is over all `rows`; `predicted` of them have a prediction. `within_fraction` is the share of groups'
    rows inside their intervals (the mean over groups), `half_width_fraction` the intervals' median half-width.
    """

    rows: int
    predicted: int
    groups: int
    median_fraction: float | None
    p90_fraction: float | None
    within_fraction: float | None
    half_width_fraction: float | None


@dataclass(frozen=True)
class Group:
    """The rows of one source, accelerator and engine, and how far off their predictions are."""

    source: str
    accelerator: str
    engine: str
    score: Score


@dataclass(frozen=True)
class Kind:
    """Rows of one kind, such as the first token of a batch; `id` names it in answers, `title` for people."""

    id: str
    title: str
    holds: Callable[[Measured], bool]


def error(row: Measured, prediction: Prediction | None) -> float:
    """How far off a prediction of a row is, as a share; 1 where there is none."""
    return REFUSED if prediction is None else abs(prediction.value / row.value - 1)


def score(rows: Sequence[Measured], predictions: Mapping[str, Prediction]) -> Score:
    """The score of all `rows` together."""
    by_group = grouped(rows)
    medians = [
        statistics.median(error(row, predictions.get(row.id)) for row in group)
        for group in by_group.values()
        if len(group) >= LEAST_ROWS
    ]
    errors = sorted(error(row, predictions.get(row.id)) for row in rows)
    return Score(
        rows=len(rows),
        predicted=sum(row.id in predictions for row in rows),
        groups=len(medians),
        median_fraction=statistics.median(medians) if medians else None,
        p90_fraction=quantile(errors, 0.9),
        within_fraction=_within(by_group.values(), predictions),
        half_width_fraction=_half_width(rows, predictions),
    )


def groups(rows: Sequence[Measured], predictions: Mapping[str, Prediction]) -> tuple[Group, ...]:
    """Every group with its score, the largest first."""
    by_group = sorted(grouped(rows).items(), key=lambda item: (-len(item[1]), item[0]))
    return tuple(Group(*key, _of_one(group, predictions)) for key, group in by_group)


def _of_one(group: Sequence[Measured], predictions: Mapping[str, Prediction]) -> Score:
    """The score of one group, also of one too small to count towards others."""
    errors = sorted(error(row, predictions.get(row.id)) for row in group)
    return Score(
        rows=len(group),
        predicted=sum(row.id in predictions for row in group),
        groups=1,
        median_fraction=statistics.median(errors),
        p90_fraction=quantile(errors, 0.9),
        within_fraction=_within([group], predictions),
        half_width_fraction=_half_width(group, predictions),
    )


def worst(rows: Iterable[Measured], predictions: Mapping[str, Prediction], most: int) -> tuple[Measured, ...]:
    """The rows whose predictions are furthest off by ratio, either way; those without one come first."""
    return tuple(sorted(rows, key=lambda row: (-_ratio(row, predictions.get(row.id)), row.id))[:most])


def _ratio(row: Measured, prediction: Prediction | None) -> float:
    if prediction is None or not prediction.value:
        return float("inf")
    return max(prediction.value / row.value, row.value / prediction.value)


def grouped(rows: Iterable[Measured]) -> dict[tuple[str, str, str], list[Measured]]:
    """The rows by source, accelerator and engine."""
    found: dict[tuple[str, str, str], list[Measured]] = defaultdict(list)
    for row in rows:
        found[row.group].append(row)
    return dict(found)


def quantile(ordered: Sequence[float], at: float) -> float | None:
    """The quantile of sorted values by linear interpolation; None of none."""
    if not ordered:
        return None
    place = at * (len(ordered) - 1)
    below = int(place)
    above = min(below + 1, len(ordered) - 1)
    return ordered[below] + (place - below) * (ordered[above] - ordered[below])


def _within(by_group: Iterable[Sequence[Measured]], predictions: Mapping[str, Prediction]) -> float | None:
    """The share of measurements inside their intervals, the mean over groups; None where none has an interval."""
    shares = []
    for group in by_group:
        inside = [
            found.low <= row.value <= found.high
            for row in group
            if (found := predictions.get(row.id)) and found.low is not None and found.high is not None
        ]
        shares += [sum(inside) / len(inside)] if inside else []
    return statistics.fmean(shares) if shares else None


def _half_width(rows: Iterable[Measured], predictions: Mapping[str, Prediction]) -> float | None:
    widths = [
        (found.high - found.low) / 2 / found.value
        for row in rows
        if (found := predictions.get(row.id)) and found.low is not None and found.high is not None and found.value
    ]
    return statistics.median(widths) if widths else None


def _of_batch(row: Measured) -> bool:
    return row.regime == "static_batch"


def _is_decode(row: Measured) -> bool:
    """End to end, time of a token, and throughput: what a batch takes beyond its prefill."""
    return row.phase != "prefill"


#: Words in the names of cards that stand under a desk or in a robot.
_DESKS = ("RTX", "GeForce", "GTX", "TITAN", "GB10", "Jetson")


def in_data_centre(accelerator: str) -> bool:
    """Whether it is one of NVIDIA's data-centre cards: all of its but GeForce, RTX and the like."""
    if not loader.knows("accelerator", accelerator):
        return False
    entry = loader.entry("accelerator", accelerator)
    name: str = entry.fields["name"]
    return entry.about["vendor"] == "NVIDIA" and not any(word in name for word in _DESKS)


KINDS = (
    Kind(
        "batch_data_centre",
        "One batch, NVIDIA data-centre cards",
        lambda row: _of_batch(row) and _is_decode(row) and in_data_centre(row.accelerator),
    ),
    Kind("batch", "One batch, all accelerators", lambda row: _of_batch(row) and _is_decode(row)),
    Kind("prefill", "First token of a batch", lambda row: _of_batch(row) and row.phase == "prefill"),
    Kind("single_stream", "One request at a time", lambda row: row.regime == "single_stream"),
    Kind("load_tpot", "Under load: time of a token", lambda row: row.under_load and row.metric == "tpot_s"),
    Kind("load_ttft", "Under load: first token", lambda row: row.under_load and row.metric == "ttft_s"),
    Kind("all", "All measurements", lambda row: True),
)
