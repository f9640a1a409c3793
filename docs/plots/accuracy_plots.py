"""The plots of `docs/accuracy.md`: SVG of our own, drawn from the report on accuracy."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Callable, Sequence
from typing import NamedTuple

from servelab.fidelity.accuracy import Accuracy, GroupScore, MeasuredPoints
from servelab.fidelity.score import LEAST_ROWS
from servelab.units import show

SIZE, LEFT, RIGHT, TOP, BOTTOM = 520, 64, 32, 24, 44
ROW, NAMES = 15, 330

INK, QUIET, GRID, GOOD, PLAIN = "#10141c", "#5b6577", "#dce0e8", "#0072b2", "#b88600"
#: Colours that the colour-blind tell apart (Okabe and Ito), for the engines of most rows; others are grey.
COLOURS = ("#0072b2", "#d55e00", "#009e73", "#a3527f", "#b88600")
OTHERS = "#8b93a1"

STYLE = 'font-family="system-ui, sans-serif" font-size="12"'


class Plot(NamedTuple):
    """Metrics of the table in one picture: its file, what it is called, and the unit of its axes."""

    metrics: tuple[str, ...]
    name: str
    title: str
    unit: str


SCATTERS = (
    Plot(("ttft_s",), "accuracy-ttft", "Time to first token", "s"),
    Plot(("tpot_s",), "accuracy-tpot", "Time per output token", "s"),
    Plot(("e2e_s",), "accuracy-e2e", "End to end", "s"),
    Plot(
        ("output_tokens_per_s", "decode_tokens_per_s", "prefill_tokens_per_s"),
        "accuracy-throughput",
        "Throughput",
        "tok/s",
    ),
)


def rows_of(points: MeasuredPoints, plot: Plot) -> list[int]:
    """Places of the rows that a plot shows: of its metrics, and predicted."""
    return [i for i, metric in enumerate(points.metric) if metric in plot.metrics and points.predicted[i]]


def scatter(points: MeasuredPoints, plot: Plot) -> str:
    """Predicted against measured, both by ratios, coloured by engine; the band is within 25 %."""
    rows = rows_of(points, plot)
    values = [value for i in rows for value in (points.measured[i], points.predicted[i] or 0.0)]
    low, high = math.floor(math.log10(min(values))), math.ceil(math.log10(max(values)))
    at = scale(low, high)
    ranked = [engine for engine, _ in Counter(points.engine).most_common()]  # one colour an engine in every plot
    there = {points.engine[i] for i in rows}
    colours = {engine: colour for engine, colour in zip(ranked, COLOURS, strict=False) if engine in there}
    marks: dict[str, list[str]] = {}
    for i in rows:
        x, y = at(points.measured[i])[0], at(points.predicted[i] or 1.0)[1]
        marks.setdefault(colours.get(points.engine[i], OTHERS), []).append(f"M{x:.0f} {y:.0f}h0")
    drawn = [*grid(low, high, plot.unit, at), *band(low, high, at)]
    drawn += [
        f'<path d="{"".join(dict.fromkeys(path))}" stroke="{colour}" stroke-width="4" stroke-linecap="round"'
        ' stroke-opacity="0.55" fill="none"/>'
        for colour, path in marks.items()
    ]
    drawn += legend([*colours.items()], others=len(there) > len(colours))
    return svg(SIZE, SIZE, drawn, f"{plot.title}: predicted against measured")


def scale(low: int, high: int) -> Callable[[float], tuple[float, float]]:
    """From a value to its place on either axis, between two powers of ten."""

    def at(value: float) -> tuple[float, float]:
        share = (math.log10(value) - low) / (high - low)
        return LEFT + share * (SIZE - LEFT - RIGHT), SIZE - BOTTOM - share * (SIZE - TOP - BOTTOM)

    return at


def grid(low: int, high: int, unit: str, at: Callable[[float], tuple[float, float]]) -> list[str]:
    """Lines at the powers of ten with what they are, and the names of the axes."""
    drawn = []
    for power in range(low, high + 1):
        x, y = at(10.0**power)
        label = short(10.0**power, unit)
        drawn.append(f'<path d="M{x:.0f} {TOP}V{SIZE - BOTTOM}M{LEFT} {y:.0f}H{SIZE - RIGHT}" stroke="{GRID}"/>')
        drawn.append(f'<text x="{x:.0f}" y="{SIZE - BOTTOM + 17}" text-anchor="middle" fill="{QUIET}">{label}</text>')
        drawn.append(f'<text x="{LEFT - 8}" y="{y + 4:.0f}" text-anchor="end" fill="{QUIET}">{label}</text>')
    drawn.append(f'<text x="0" y="14" fill="{INK}">predicted</text>')
    drawn.append(f'<text x="{SIZE - RIGHT}" y="{SIZE - 8}" text-anchor="end" fill="{INK}">measured</text>')
    return drawn


def short(value: float, unit: str) -> str:
    """A power of ten for an axis: "10 ms", "1,000 tok/s" as "1,000"."""
    if unit != "s":
        return f"{value:,.0f}" if value >= 1 else f"{value:g}"
    number, prefixed = show(value, unit).split(" ")
    return f"{float(number.replace(',', '')):,g} {prefixed}"


def band(low: int, high: int, at: Callable[[float], tuple[float, float]]) -> list[str]:
    """The line of equal values, and the band within a quarter of them."""
    (x0, y0), (x1, y1) = at(10.0**low), at(10.0**high)
    step = math.log10(1.25) / (high - low)
    dx, dy = step * (x1 - x0), step * (y0 - y1)
    corners = [(x0, y0), (x0, y0 - dy), (x1 - dx, y1), (x1, y1), (x1, y1 + dy), (x0 + dx, y0)]
    path = "L".join(f"{x:.1f} {y:.1f}" for x, y in corners)
    return [
        f'<path d="M{path}Z" fill="{GOOD}" fill-opacity="0.09"/>',
        f'<path d="M{x0:.1f} {y0:.1f}L{x1:.1f} {y1:.1f}" stroke="{INK}"/>',
    ]


def legend(entries: Sequence[tuple[str, str]], *, others: bool) -> list[str]:
    """The engines, in the corner where no point is."""
    shown = [*entries, *([("others", OTHERS)] if others else [])]
    drawn = []
    for place, (name, colour) in enumerate(shown):
        y = TOP + 16 + 17 * place
        drawn.append(f'<circle cx="{LEFT + 14}" cy="{y - 4}" r="4" fill="{colour}"/>')
        drawn.append(f'<text x="{LEFT + 24}" y="{y}" fill="{INK}">{name}</text>')
    return drawn


def by_group(report: Accuracy) -> str:
    """The median error of every group that counts, beside the textbook's, on an axis by ratios from 1 to 300 %."""
    groups = sorted(large(report), key=lambda group: group.score.median_fraction or 0.0)
    width, height = NAMES + 420, 40 + ROW * len(groups)

    def at(fraction: float) -> float:
        inside = min(max(fraction, 0.01), 3.0)
        return NAMES + 20 + math.log(inside / 0.01) / math.log(300) * 380

    drawn = []
    for share in (0.01, 0.03, 0.1, 0.3, 1.0, 3.0):
        drawn.append(f'<path d="M{at(share):.0f} 24V{height - 8}" stroke="{GRID}"/>')
        drawn.append(f'<text x="{at(share):.0f}" y="16" text-anchor="middle" fill="{QUIET}">{100 * share:g} %</text>')
    for place, group in enumerate(groups):
        y = 36 + ROW * place
        name = f"{group.source}, {group.accelerator}, {group.engine}"
        drawn.append(f'<text x="{NAMES}" y="{y + 4}" text-anchor="end" fill="{INK}" font-size="11">{name}</text>')
        mine, theirs = group.score.median_fraction or 0.0, group.textbook_median_fraction
        if theirs is not None:
            drawn.append(f'<path d="M{at(mine):.0f} {y}H{at(theirs):.0f}" stroke="{GRID}" stroke-width="2"/>')
            drawn.append(f'<path d="M{at(theirs) - 3.5:.1f} {y - 3.5}h7v7h-7z" fill="none" stroke="{PLAIN}"/>')
        drawn.append(f'<circle cx="{at(mine):.1f}" cy="{y}" r="4" fill="{GOOD}"/>')
    return svg(
        width, height, drawn, "Median error by source, accelerator and engine: calibrated (dots), textbook (squares)"
    )


def large(report: Accuracy) -> list[GroupScore]:
    """The groups that count towards scores."""
    return [group for group in report.groups if group.score.rows >= LEAST_ROWS]


def svg(width: float, height: float, drawn: Sequence[str], title: str) -> str:
    frame = f'viewBox="0 0 {width} {height}" width="{width}" height="{height}"'
    lines = [
        f'<svg xmlns="http://www.w3.org/2000/svg" {frame} role="img" {STYLE}>',
        f"<title>{title}</title>",
        f'<rect width="{width}" height="{height}" fill="#fff"/>',
        *drawn,
        "</svg>",
    ]
    return "\n".join(lines) + "\n"
