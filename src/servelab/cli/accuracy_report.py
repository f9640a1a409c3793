"""The report on accuracy as text for a terminal."""

from __future__ import annotations

from servelab.cli.tables import table
from servelab.fidelity.accuracy import Accuracy, GroupScore, Headline, MeasuredPoints
from servelab.units import show

#: The largest groups and the worst rows are told; --json has all.
_GROUPS, _WORST = 15, 10
_UNKNOWN = "—"


def report(of: Accuracy) -> str:
    """Scores by kind, the largest groups, the worst rows, what was left out; a blank line between."""
    return "\n\n".join((_lead(of), _headlines(of), _groups(of), _worst(of), _left_out(of)))


def _lead(of: Accuracy) -> str:
    count = len(of.points.id)
    whose = (
        "servelab's own predictions, each row's model left out of the fit"
        if of.own
        else "the predictions given, with the textbook's beside them"
    )
    return (
        f"{count:,} open measurements against {whose}.\n"
        "An error is |predicted / measured − 1|; a row without a prediction counts as 100 % off. The median is taken"
        " over groups of a source, an accelerator and an engine, of each the median."
    )


def _headlines(of: Accuracy) -> str:
    lines: list[tuple[str, ...]] = [
        ("", "median", "p90 of rows", "textbook", "rows", "groups", "predicted", "in interval", "half-width")
    ]
    return table([*lines, *map(_headline, of.headlines)])


def _headline(line: Headline) -> tuple[str, ...]:
    score = line.score
    return (
        line.title,
        _share(score.median_fraction),
        _share(score.p90_fraction),
        _share(line.textbook.median_fraction if line.textbook else None),
        f"{score.rows:,}",
        f"{score.groups:,}",
        _share(score.predicted / score.rows),
        _share(score.within_fraction),
        _share(score.half_width_fraction),
    )


def _groups(of: Accuracy) -> str:
    rows: list[tuple[str, ...]] = [
        ("source, accelerator, engine", "median", "p90", "textbook", "rows"),
        *map(_group, of.groups[:_GROUPS]),
    ]
    more = len(of.groups) - _GROUPS
    return table(rows) + (f"\nand {more:,} smaller groups; --json has all" if more > 0 else "")


def _group(group: GroupScore) -> tuple[str, ...]:
    return (
        f"{group.source}, {group.accelerator}, {group.engine}",
        _share(group.score.median_fraction),
        _share(group.score.p90_fraction),
        _share(group.textbook_median_fraction),
        f"{group.score.rows:,}",
    )


def _worst(of: Accuracy) -> str:
    points = of.points
    places = {key: place for place, key in enumerate(points.id)}
    lines: list[tuple[str, ...]] = [("Furthest off", "measured", "predicted")]
    for key in of.worst[:_WORST]:
        at = places[key]
        predicted = points.predicted[at]
        unit = "s" if points.metric[at].endswith("_s") and not points.metric[at].endswith("per_s") else "tok/s"
        value = _UNKNOWN if predicted is None else show(predicted, unit)
        lines.append((f"{key}: {described(points, at)}", show(points.measured[at], unit), value))
    return table(lines)


def described(points: MeasuredPoints, at: int) -> str:
    """What was measured in a row: the figure, the model and its weights, the hardware, the load."""
    batch, rate = points.batch[at], points.rate_per_s[at]
    load = f"{rate:g} requests/s" if rate is not None else f"{batch:,} at once" if batch else "one at a time"
    lengths = f"{points.prompt_tokens[at] or '?'} in, {points.output_tokens[at] or '?'} out"
    hardware = f"{points.tensor_parallel[at]} × {points.accelerator[at]}"
    return f"{points.metric[at]} of {points.model[at]} ({points.weights[at]}) on {hardware}, {load}, {lengths}"


def _left_out(of: Accuracy) -> str:
    rows = sum(line.rows for line in of.excluded)
    lines = [f"  {line.rows:>5,}  {line.reason}" for line in of.excluded]
    return "\n".join((f"Left out: {rows:,} rows, because of", *lines))


def _share(value: float | None) -> str:
    return _UNKNOWN if value is None else f"{value:.1%}".replace("%", " %")
