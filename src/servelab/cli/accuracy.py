"""`servelab accuracy`: how far predictions are from open measurements."""

from __future__ import annotations

from pathlib import Path

import click

from servelab.errors import SpecError, shown


@click.command()
@click.argument("predictions", required=False)
@click.option("--questions", metavar="FILE", help="Write the measured rows without their values as CSV, and stop.")
@click.option("--json", "as_json", is_flag=True, help="Print the report as JSON and nothing else.")
def accuracy(predictions: str | None, questions: str | None, as_json: bool) -> None:
    """Score servelab, or any CSV of predictions, on a table of open measurements.

    Without PREDICTIONS: servelab's own, of profiles fitted with each row's model left out. PREDICTIONS is a CSV with
    columns id and predicted (and low and high, where it has intervals), in seconds and tokens a second; a row that it
    leaves out counts as 100 % off. The ids, and what there is to know of each row, are in the file of --questions.
    """
    from servelab.fidelity import predictions as tables
    from servelab.fidelity.accuracy import accuracy as report_on

    if questions is not None:
        _write(questions, tables.questions())
        return
    report = report_on(None if predictions is None else tables.read(predictions))
    if as_json:
        click.echo(report.to_json())
    else:
        from servelab.cli.accuracy_report import report as written

        click.echo(written(report))


def _write(path: str, text: str) -> None:
    try:
        Path(path).write_text(text, encoding="utf-8")
    except (OSError, ValueError) as error:
        why = getattr(error, "strerror", None) or "it is no file name"
        raise SpecError("questions", f"{shown(path)} cannot be written ({why}); give another file") from None
    click.echo(f"{text.count(chr(10)) - 1:,} rows are in {path}.")
