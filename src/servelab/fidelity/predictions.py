"""Predictions of the measured rows: servelab's own with each row's model left out, the textbook's, and anybody's."""

from __future__ import annotations

import csv
import functools
import io
import math
import os
from collections.abc import Iterator
from pathlib import Path

from servelab.errors import SpecError, nearest, shown
from servelab.fidelity import measured
from servelab.fidelity.logs.text import decode
from servelab.fidelity.measured import Measured
from servelab.fidelity.score import Prediction

#: What the fit wrote of every row when the row's model was left out of it.
HELD_OUT = measured.TABLE.with_name("held_out.csv")

#: The columns of a file of predictions; all but the first two may be missing.
COLUMNS = ("id", "predicted", "low", "high")

#: What somebody needs to know of a row to predict it: everything but its value.
QUESTION = tuple(name for name in Measured.__dataclass_fields__ if name not in ("value", "statistic"))

#: Rows of a file; the table has a few thousand.
_MOST_BYTES = 16_000_000


@functools.cache
def held_out() -> dict[str, Prediction]:
    """What the profiles predict of each row, fitted without any row of that row's model."""
    return dict(_stored("predicted"))


@functools.cache
def textbook() -> dict[str, Prediction]:
    """What the textbook model predicts of each row."""
    return dict(_stored("textbook"))


def _stored(column: str) -> Iterator[tuple[str, Prediction]]:
    with HELD_OUT.open(newline="", encoding="utf-8") as file:
        for line in csv.DictReader(file):
            if line[column]:
                ends = (float(line[name]) if line[name] and column == "predicted" else None for name in ("low", "high"))
                yield line["id"], Prediction(float(line[column]), *ends)


def read(path: str | os.PathLike[str]) -> dict[str, Prediction]:
    """The predictions in a CSV with the columns of COLUMNS, in base SI as the rows are.

    Raises SpecError, naming the line: for a row that is not in the table, a second prediction of one, no number.
    """
    name = Path(path).name
    try:
        with Path(path).expanduser().open("rb") as file:
            content = file.read(_MOST_BYTES + 1)
    except (OSError, ValueError) as error:
        why = getattr(error, "strerror", None) or "it is no file name"
        raise _refuse(shown(name), f"it cannot be read ({why})", "give a readable CSV") from None
    if len(content) > _MOST_BYTES:
        raise _refuse(shown(name), f"it has more than {_MOST_BYTES:,} bytes", "give one row a measurement")
    return parse(decode(content), name)


def parse(text: str, name: str) -> dict[str, Prediction]:
    """The predictions in the text of a CSV, which messages call `name`. Raises as `read` does."""
    reader = csv.DictReader(io.StringIO(text.removeprefix("\ufeff"), newline=""), strict=True)
    known = {row.id for row in measured.rows()}
    found: dict[str, Prediction] = {}
    try:
        missing = [column for column in COLUMNS[:2] if column not in (reader.fieldnames or ())]
        if missing:
            raise _refuse(shown(name), f"it has no column {missing[0]}", f"give the columns {', '.join(COLUMNS)}")
        for line in reader:
            where = f"line {reader.line_num:,} of {shown(name)}"
            key, prediction = _row(line, where)
            if key not in known:
                raise _refuse(where, f"{shown(key)} is no measurement", _like(key, known))
            if key in found:
                raise _refuse(where, f"{shown(key)} is predicted twice", "give each measurement one line")
            if prediction:
                found[key] = prediction
    except csv.Error as error:
        raise _refuse(
            f"line {reader.line_num:,} of {shown(name)}", f"it is no CSV ({error})", "save it as CSV"
        ) from None
    if not found:
        raise _refuse(shown(name), "it holds no prediction", "give at least one line with an id and a number")
    return found


def _row(line: dict[str, str], where: str) -> tuple[str, Prediction | None]:
    """A line's id and prediction; None where it leaves the prediction out."""
    key, text = (line.get("id") or "").strip(), (line.get("predicted") or "").strip()
    if not text:
        return key, None
    value = _number(text, "predicted", where)
    low, high = (
        _number(word, name, where) if (word := (line.get(name) or "").strip()) else None for name in ("low", "high")
    )
    if low is not None and high is not None and not low <= value <= high:
        raise _refuse(where, f"low, predicted and high are {low:g}, {value:g} and {high:g}", "give them in that order")
    return key, Prediction(value, low, high)


def _number(text: str, column: str, where: str) -> float:
    try:
        value = float(text)
    except ValueError:
        value = math.nan
    if not 0 < value < 1e21:
        raise _refuse(where, f"{shown(text)} in {column} is no prediction", "give a number above 0, in base units")
    return value


def _like(key: str, known: set[str]) -> str:
    near = nearest(key, sorted(known))
    return f"did you mean {near}?" if near else "take ids from `servelab accuracy --questions FILE`"


def _refuse(where: str, problem: str, remedy: str) -> SpecError:
    return SpecError("predictions", f"{where} cannot be used: {problem}; {remedy}")


def questions() -> str:
    """The measured rows as CSV without their values: what there is to predict."""
    out = io.StringIO()
    writer = csv.writer(out, lineterminator="\n")
    writer.writerow(QUESTION)
    for row in measured.rows():
        values = (getattr(row, name) for name in QUESTION)
        writer.writerow("" if value is None else value for value in values)
    return out.getvalue()
