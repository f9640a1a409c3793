"""Readers of published traces: lengths and arrivals of real requests, from CSV or JSON lines.

A file's format is told by the names of its columns. All of it is read, or nothing: the first line that cannot be read
is named. What else a line holds (hashes of prefixes, texts, log types) is left aside.
"""

from __future__ import annotations

import csv
import datetime
import functools
import io
import json
import math
import os
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any, NamedTuple, TextIO

import numpy as np

from servelab.errors import TraceError, shown
from servelab.specs.arrivals import MOST_REQUESTS
from servelab.specs.fields import LARGEST_AMOUNT, LARGEST_COUNT
from servelab.units import parse

_MILLISECOND_S, _NANOSECOND_S = parse("1 ms", "s"), parse("1 ns", "s")


class Format(NamedTuple):
    """The columns of one kind of trace. `arrival` is None for files of lengths only."""

    name: str
    prompt: str
    output: str
    arrival: str | None
    seconds: Callable[[Any], float]
    skip_empty_output: bool = False


def _number(value: Any) -> float:
    """A JSON number or its text; raises ValueError or TypeError."""
    if isinstance(value, bool):
        raise TypeError
    try:
        return float(value)
    except OverflowError:  # of a whole number with very many digits
        return math.inf


def _milliseconds(value: Any) -> float:
    return _number(value) * _MILLISECOND_S


def _nanoseconds(value: Any) -> float:
    return _number(value) * _NANOSECOND_S


def _date_and_time(value: Any) -> float:
    """Seconds of "2023-11-16 18:15:46.6805900", to the last digit that a float holds beside the day."""
    text = str(value).strip().removesuffix("Z")
    day, hours, minutes, seconds = text[:10], text[11:13], text[14:16], text[17:]
    if text[10:11] not in (" ", "T") or text[13:14] + text[16:17] != "::":
        raise ValueError
    return _day(day) * 86400.0 + int(hours) * 3600 + int(minutes) * 60 + float(seconds)


_ORDINAL_2020 = datetime.date(2020, 1, 1).toordinal()


@functools.lru_cache(maxsize=64)
def _day(text: str) -> int:
    """Days since 2020; a trace has few different ones."""
    return datetime.date.fromisoformat(text).toordinal() - _ORDINAL_2020


#: In the order in which they are tried; the first whose columns are all there is it.
FORMATS = (
    Format("Azure LLM inference", "ContextTokens", "GeneratedTokens", "TIMESTAMP", _date_and_time),
    Format("BurstGPT", "Request tokens", "Response tokens", "Timestamp", _number, skip_empty_output=True),
    Format("Mooncake", "input_length", "output_length", "timestamp", _milliseconds),
    Format("LLMServingSim", "input_toks", "output_toks", "arrival_time_ns", _nanoseconds),
    Format("benchmark records", "input_toks", "output_toks", "arrival_time", _number),
    Format("lengths and arrivals", "input_tokens", "output_tokens", "arrival_s", _number),
    Format("lengths and arrivals", "prompt_tokens", "output_tokens", "arrival_s", _number),
    Format("vLLM benchmark", "prompt_len", "output_len", "arrival_time", _number),
    Format("vLLM benchmark", "prompt_len", "output_len", None, _number),
    Format("lengths", "input_tokens", "output_tokens", None, _number),
    Format("lengths", "prompt_tokens", "output_tokens", None, _number),
    Format("lengths", "input_length", "output_length", None, _number),
)

#: A whole benchmark result on one line: lists, one entry a request.
_RESULT = ("input_lens", "output_lens", "start_times")
_RESULT_NAME = "vLLM result"


class Trace(NamedTuple):
    """What a trace holds: the name of its format, and its columns, arrival_s among them where it has arrivals."""

    format: str
    columns: dict[str, Any]


def read_trace(path: str | os.PathLike[str], most: int | None = None) -> dict[str, Any]:
    """Columns of the trace: prompt_tokens, output_tokens and, where it has them, arrival_s from 0 on, in order.

    Raises TraceError with the number of the first line that cannot be read.
    """
    name = Path(path).name
    try:
        with Path(path).open(encoding="utf-8-sig", newline="") as file:
            return _arranged(file, name, most).columns
    except OSError as error:
        raise TraceError(name, 0, f"it cannot be read ({error.strerror}); give a readable file") from None
    except UnicodeDecodeError:
        raise TraceError(name, 0, "it is no UTF-8 text; give the CSV or JSON lines as published") from None


def read_text(text: str, name: str, most: int | None = None) -> Trace:
    """The trace whose content is `text`; `name` is what a message calls it. Raises TraceError as `read_trace` does."""
    return _arranged(io.StringIO(text.removeprefix("\ufeff"), newline=""), name, most)


def _arranged(file: TextIO, name: str, most: int | None) -> Trace:
    """All of the file, in order of arrival."""
    layout, (arrivals, prompts, outputs) = _read(file, name, most)
    if not prompts:
        raise TraceError(name, 0, "it has no requests; give a trace with at least one")
    columns = {"prompt_tokens": np.array(prompts, np.int64), "output_tokens": np.array(outputs, np.int64)}
    if arrivals:
        times = np.array(arrivals)
        order = np.argsort(times, kind="stable")
        columns = {key: column[order] for key, column in columns.items()}
        columns["arrival_s"] = times[order] - times.min()
    return Trace(layout, columns)


class _Columns(NamedTuple):
    """What has been read so far."""

    arrivals: list[float]
    prompts: list[int]
    outputs: list[int]


def _read(file: TextIO, name: str, most: int | None) -> tuple[str, _Columns]:
    """The name of the format and the first `most` requests; all where it is None."""
    first = file.readline()
    file.seek(0)
    read, layout = _Columns([], [], []), ""
    lines = _json_lines if first.lstrip().startswith("{") else _csv_lines
    for layout in lines(file, name, read):  # noqa: B007 - the last one counts
        if len(read.prompts) >= (most or MOST_REQUESTS + 1):
            break
    if len(read.prompts) > MOST_REQUESTS and most is None:
        raise TraceError(name, 0, f"it has more than {MOST_REQUESTS:,} requests; read the first of them only")
    return layout, _Columns(read.arrivals[:most], read.prompts[:most], read.outputs[:most])


def _add(row: dict[str, Any], layout: Format, name: str, line: int, read: _Columns) -> None:
    """Read one request; one of a kind that failed has no output and is passed over."""
    output = _tokens(row, layout.output, name, line, least=0 if layout.skip_empty_output else 1)
    if output == 0:
        return
    prompt = _tokens(row, layout.prompt, name, line)
    if layout.arrival:
        read.arrivals.append(_time(row, layout, name, line))
    read.prompts.append(prompt)
    read.outputs.append(output)


def _csv_lines(file: TextIO, name: str, read: _Columns) -> Iterator[str]:
    """Read a row of CSV at each step and tell the format; fields go by the names of the header."""
    reader = csv.reader(file, strict=True)
    try:
        header = [column.strip() for column in next(reader, [])]
        layout: Format | None = None
        for row in reader:
            if len(row) != len(header):
                if row:
                    raise TraceError(name, reader.line_num, f"it has {len(row)} fields and the header {len(header)}")
                continue
            layout = layout or _format_of(dict(zip(header, row, strict=True)), name, reader.line_num)
            if not _add_plain(row, header, layout, read):
                _add(dict(zip(header, row, strict=True)), layout, name, reader.line_num, read)
            yield layout.name
    except csv.Error as error:
        raise TraceError(name, reader.line_num, f"it is no CSV ({error})") from None


def _add_plain(row: list[str], header: list[str], layout: Format, read: _Columns) -> bool:
    """Read a row in which all is as expected; False, and nothing read, where it is not, for `_add` to look closer."""
    try:
        prompt, output = int(row[header.index(layout.prompt)]), int(row[header.index(layout.output)])
        seconds = layout.seconds(row[header.index(layout.arrival)]) if layout.arrival else 0.0
    except (TypeError, ValueError):
        return False
    if not (1 <= prompt <= LARGEST_COUNT and 1 <= output <= LARGEST_COUNT and abs(seconds) <= LARGEST_AMOUNT):
        return False
    read.prompts.append(prompt)
    read.outputs.append(output)
    if layout.arrival:
        read.arrivals.append(seconds)
    return True


def _json_lines(file: TextIO, name: str, read: _Columns) -> Iterator[str]:
    """Read a line of JSON at each step, a request or a whole benchmark result, and tell the format."""
    layout: Format | None = None
    for line, text in enumerate(file, 1):
        if not text.strip():
            continue
        try:
            row = json.loads(text)
        except (ValueError, RecursionError) as error:
            raise TraceError(name, line, f"it is no JSON ({error})") from None
        if not isinstance(row, dict):
            raise TraceError(name, line, f"{shown(row)} is no object; give one a line")
        if isinstance(row.get(_RESULT[0]), list):
            _add_result(row, name, line, read)
            yield _RESULT_NAME
        else:
            layout = layout or _format_of(row, name, line)
            _add(row, layout, name, line, read)
            yield layout.name


def _format_of(row: dict[str, Any], name: str, line: int) -> Format:
    for layout in FORMATS:
        if layout.prompt in row and layout.output in row and (layout.arrival is None or layout.arrival in row):
            return layout
    known = "; ".join(dict.fromkeys(f"{layout.prompt}, {layout.output}" for layout in FORMATS))
    raise TraceError(name, line, f"none of the known pairs of columns is there; rename yours to one of: {known}")


def _tokens(row: dict[str, Any], column: str, name: str, line: int, *, least: int = 1) -> int:
    value = row.get(column)
    try:
        number = int(value) if isinstance(value, str) and value.isdecimal() else _number(value)
    except (TypeError, ValueError):
        number = math.nan
    if not least <= number <= LARGEST_COUNT or number != math.floor(number):
        raise TraceError(
            name, line, f"{shown(value)} in {column} is no number of tokens; give a whole number from {least} to 1e15"
        )
    return int(number)


def _time(row: dict[str, Any], layout: Format, name: str, line: int) -> float:
    value = row.get(layout.arrival or "")
    try:
        seconds = layout.seconds(value)
    except (TypeError, ValueError):
        seconds = math.nan
    if not abs(seconds) <= LARGEST_AMOUNT:
        raise TraceError(name, line, f"{shown(value)} in {layout.arrival} is no time; give it as in the lines before")
    return seconds


def _add_result(row: dict[str, Any], name: str, line: int, read: _Columns) -> None:
    """The requests of a whole benchmark result; start times go along where there is one for each."""
    prompts, outputs, starts = (row.get(key) for key in _RESULT)
    if not isinstance(prompts, list) or not isinstance(outputs, list) or len(outputs) != len(prompts):
        raise TraceError(name, line, "input_lens and output_lens are no lists of the same length")
    timed = isinstance(starts, list) and len(starts) == len(outputs)
    layout = Format(_RESULT_NAME, *_RESULT[:2], _RESULT[2] if timed else None, _number, skip_empty_output=True)
    for values in zip(prompts, outputs, starts if timed else outputs, strict=True):  # type: ignore[arg-type]  # a list
        _add(dict(zip(_RESULT, values, strict=True)), layout, name, line, read)
