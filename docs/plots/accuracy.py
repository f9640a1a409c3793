"""Write `docs/accuracy.md` and its plots from the table of measurements and what was predicted of it.

Run it after a change of the table, the profiles or the model: `.venv/bin/python -m docs.plots.accuracy`.
"""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from docs.plots.accuracy_plots import SCATTERS, by_group, large, scatter
from servelab.cli.accuracy_report import described
from servelab.fidelity.accuracy import Accuracy, accuracy
from servelab.fidelity.score import LEAST_ROWS
from servelab.units import show

PAGE = Path(__file__).parents[1] / "accuracy.md"
PLOTS = Path(__file__).parent


def share(value: float | None) -> str:
    return "—" if value is None else f"{100 * value:.1f} %"


def table(head: Sequence[str], lines: Sequence[Sequence[str]]) -> str:
    rows = ["| " + " | ".join(head) + " |", "| --- |" + " ---: |" * (len(head) - 1)]
    return "\n".join([*rows, *("| " + " | ".join(line) + " |" for line in lines)])


def headlines(report: Accuracy) -> str:
    head = (
        "",
        "median",
        "p90 of rows",
        "textbook",
        "rows",
        "groups",
        "predicted",
        "in the 80 % interval",
        "half-width",
    )
    return table(
        head,
        [
            (
                line.title,
                f"**{share(line.score.median_fraction)}**",
                share(line.score.p90_fraction),
                share(line.textbook.median_fraction if line.textbook else None),
                f"{line.score.rows:,}",
                f"{line.score.groups}",
                share(line.score.predicted / line.score.rows),
                share(line.score.within_fraction),
                share(line.score.half_width_fraction),
            )
            for line in report.headlines
        ],
    )


def worst(report: Accuracy) -> str:
    points = report.points
    places = {key: place for place, key in enumerate(points.id)}
    lines = []
    for key in report.worst:
        at = places[key]
        unit = "tok/s" if points.metric[at].endswith("per_s") else "s"
        predicted = points.predicted[at]
        value = "none" if predicted is None else show(predicted, unit)
        lines.append((f"`{key}` {described(points, at)}", points.source[at], show(points.measured[at], unit), value))
    return table(("row", "source", "measured", "predicted"), lines)


def groups(report: Accuracy) -> str:
    return table(
        ("source, accelerator, engine", "rows", "median", "p90", "textbook", "in interval"),
        [
            (
                f"{group.source}, {group.accelerator}, {group.engine}",
                f"{group.score.rows:,}",
                share(group.score.median_fraction),
                share(group.score.p90_fraction),
                share(group.textbook_median_fraction),
                share(group.score.within_fraction),
            )
            for group in large(report)
        ],
    )


def excluded(report: Accuracy) -> str:
    lines = [(line.reason, f"{line.rows:,}", ", ".join(line.sources)) for line in report.excluded]
    return table(("reason", "rows", "sources"), lines)


def sources(report: Accuracy) -> str:
    lines = [(source.key, f"[{source.title}]({source.url})", source.licence) for source in report.sources]
    return table(("source", "what", "licence"), lines)


def page(report: Accuracy) -> str:
    """The whole document."""
    left_out = sum(line.rows for line in report.excluded)
    small = len(report.groups) - len(large(report))
    figures = "\n\n".join(
        f"![{plot.title}: predicted against measured, by engine](plots/{plot.name}.svg)" for plot in SCATTERS
    )
    return f"""# Accuracy

How far servelab's calibrated figures are from open measurements: {len(report.points.id):,} rows that anybody can read
in {len(report.sources)} sources. `docs/plots/accuracy.py` writes this page from the table that ships with servelab;
`servelab accuracy` prints the same figures, `GET /api/accuracy` answers with them, and the studio's page **Accuracy**
lets you filter them. Your own runs are fitted by `servelab calibrate` ([own results](own-results.md)).

**Every model was left out in turn**: what is predicted of a row comes from a fit that saw no row of that row's model.
An error is |predicted / measured − 1|; a row that is not predicted counts as 100 %. A score is the median over groups
of one source, one accelerator and one engine with {LEAST_ROWS} rows or more, of each the median; p90 is over rows. The
textbook stands beside it: datasheet rates times its two assumed shares.

{headlines(report)}

## Predicted against measured

On the line a prediction is as measured; the band is within 25 %. Both axes go by ratios.

{figures}

## By source, accelerator and engine

Dots are calibrated medians, squares the textbook's. {small} groups of fewer than {LEAST_ROWS} rows count towards no
score.

![Median error of every group, calibrated and textbook](plots/accuracy-groups.svg)

{groups(report)}

## The rows furthest off

Either way, by ratio.

{worst(report)}

## What was left out, and why

{left_out:,} rows of the same sources are held against no prediction, because of what is said of them or is not. None
was left out for its error.

{excluded(report)}

## Sources

{sources(report)}

## Score your own

```console
$ servelab accuracy
```

`servelab accuracy --questions rows.csv` writes every row but its value; `servelab accuracy predictions.csv` scores a
CSV with the columns `id` and `predicted` (and `low` and `high` where there are intervals), in seconds and tokens a
second.
"""


def files(report: Accuracy) -> dict[Path, str]:
    """Everything this writes."""
    plots = {PLOTS / f"{plot.name}.svg": scatter(report.points, plot) for plot in SCATTERS}
    return plots | {PLOTS / "accuracy-groups.svg": by_group(report), PAGE: page(report)}


def main() -> None:
    for path, text in files(accuracy()).items():
        path.write_text(text, encoding="utf-8")


if __name__ == "__main__":
    main()
