"""A run of a lab as text for a terminal: figures with what became of them, sparklines over time, words."""

from __future__ import annotations

import textwrap
from collections.abc import Iterator, Sequence
from itertools import pairwise

from servelab.cli.flags import option_of
from servelab.cli.mission_report import graded
from servelab.cli.simulation_report import sparkline
from servelab.cli.tables import table
from servelab.labs.changes import TileChange, figure_text
from servelab.labs.charts import Chart, Lines
from servelab.labs.lab import EVIDENCE, Lab
from servelab.labs.play import LabAnswer
from servelab.labs.result import Refusal, Remedy
from servelab.labs.shelf import Shelf

_CELLS = 60
_LABEL = 26
_WIDTH = 110


def listing(shelf: Shelf) -> str:
    """The labs that are there, and those that cannot be used."""
    rows = [
        (placed.lab.id, f"{placed.lab.minutes} min", placed.lab.title, placed.source) for placed in shelf.labs.values()
    ]
    lines = [table([("lab", "time", "what it asks", "from"), *rows])]
    lines += [f"{broken.name} of {broken.distribution} cannot be used: {broken.reason}" for broken in shelf.broken]
    return "\n".join(lines)


def report(lab: Lab, answer: LabAnswer, hints: int = 0) -> str:
    """Title, set-up, figures, the run over time, remarks, the mission with so many of its hints, the evidence."""
    label, words = (answer.evidence.label, answer.evidence.words) if answer.evidence else EVIDENCE[lab.evidence]
    sections = [
        f"{lab.title}{_setup(answer)}",
        _refused(answer.refusal) if answer.refusal else _wrapped(answer.headline),
        _tiles(lab, answer),
        "\n".join(_over_time(lab, answer)),
        "\n".join(_wrapped(remark) for remark in answer.remarks),
        graded(lab, answer, hints),
        _wrapped(f"{label}. {words}"),
    ]
    return "\n\n".join(section for section in sections if section)


def _setup(answer: LabAnswer) -> str:
    if answer.changes is None:
        return ""
    begun = "lab opens on" if answer.mission is None else "mission begins with"
    return f"\n{_wrapped(f'{answer.changes.summary}; figures are compared with the set-up that the {begun}.')}"


def _tiles(lab: Lab, answer: LabAnswer) -> str:
    lines: list[str] = []
    group, said = "", set()
    changes = answer.changes.tiles if answer.changes else {}
    width = max(len(tile.title) for tile in lab.tiles) + 2
    for tile in lab.tiles:
        if tile.group != group and tile.group:
            lines.append(f"{tile.group}:")
        group = tile.group
        figure = figure_text(answer.tiles[tile.id], tile.unit)
        lines.append(f"  {tile.title:<{width}}{figure:>16}{_change(changes.get(tile.id))}".rstrip())
        why = changes[tile.id].why if tile.id in changes else None
        if why and why not in said:
            said.add(why)
            lines.append(textwrap.fill(why, _WIDTH, initial_indent="    ", subsequent_indent="    "))
    return "\n".join(lines)


def _change(change: TileChange | None) -> str:
    """How the figure moved, and whether that is good."""
    if change is None or not change.words or change.verdict == "same":
        return ""
    verdict = f"{change.verdict}: " if change.verdict in ("better", "worse") else ""
    return f"   {verdict}{change.words}"


def _over_time(lab: Lab, answer: LabAnswer) -> Iterator[str]:
    """One sparkline a series of every chart of lines."""
    for chart in lab.charts:
        data = answer.charts.get(chart.id)
        if isinstance(data, Lines) and chart.y:
            yield from _sparklines(chart, data)


def _sparklines(chart: Chart, data: Lines) -> Iterator[str]:
    """On the chart's own line where it has one series and room for its title, else below it."""
    alone = len(chart.series) == 1 and len(chart.title) < _LABEL
    if not alone:
        yield f"  {chart.title}:"
    for series in chart.series:
        values = [value or 0.0 for value in data.series[series.id]]
        if values:
            top = figure_text(max(values), chart.y.unit if chart.y else "")
            label = chart.title if alone else f"  {series.label}"
            yield f"  {label:<{_LABEL}}{sparkline(_pieces(values))} up to {top}"


def _pieces(values: Sequence[float]) -> list[float]:
    """The means of so many equal stretches as fit on a line."""
    count = min(_CELLS, len(values))
    edges = [len(values) * index // count for index in range(count + 1)]
    return [sum(values[low:high]) / (high - low) for low, high in pairwise(edges)]


def _refused(refusal: Refusal) -> str:
    lines = [f"{refusal.title}. {refusal.reason}"]
    ways = [f"  {remedy.label}: {_flags(remedy)}" for remedy in refusal.remedies]
    return "\n".join([_wrapped(lines[0]), *(["Any of these helps:", *ways] if ways else [])])


def _flags(remedy: Remedy) -> str:
    settings = " ".join(f"{option_of(name)} {value}" for name, value in remedy.settings.items())
    if remedy.events is None:
        return settings
    events = " ".join(f"--event {event}" for event in remedy.events) or "no --event"
    return f"{settings} {events}".strip()


def _wrapped(text: str) -> str:
    return textwrap.fill(text, _WIDTH)
