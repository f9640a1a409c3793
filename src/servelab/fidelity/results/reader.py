"""Reads results files: which tool wrote one is told by its fields."""

from __future__ import annotations

import json
import os
from collections.abc import Callable, Iterable, Iterator, Mapping
from pathlib import Path
from typing import Any

from servelab.errors import shown
from servelab.fidelity.logs.text import decode
from servelab.fidelity.results import guidellm, llama_bench, sglang, vllm
from servelab.fidelity.results.found import Found, LeftOut, ResultsError, Runs, place
from servelab.fidelity.results.values import Row

#: A report with every token of every request can be long; what it is about is not.
LONGEST_BYTES = 256_000_000
#: Runs that are used at once.
MOST_RUNS = 2_000

_TOOLS = "vllm bench serve --save-result, SGLang's bench_serving or bench_one_batch, GuideLLM, or llama-bench -o json"


def read_files(paths: Iterable[str | os.PathLike[str]]) -> Runs:
    """The runs of several files. Raises ResultsError where one cannot be read, or none of all runs can be used."""
    runs = Runs()
    for path in paths:
        more = read_text(decode(_content(path)), Path(path).name)
        runs.found += more.found
        runs.left_out += more.left_out
    if not runs.found:
        first = runs.left_out[0] if runs.left_out else LeftOut("the command", "no file was given")
        raise ResultsError(first.source, f"{first.reason}; give a run that is like what is modelled")
    if len(runs.found) > MOST_RUNS:
        raise ResultsError("what was given", f"it holds {len(runs.found):,} runs; give at most {MOST_RUNS:,}")
    return runs


def read_text(text: str, name: str) -> Runs:
    """The runs of one file, whose content is `text` and which messages call `name`."""
    runs = Runs()
    for row in _rows(text, name):
        for found in _read(row):
            if isinstance(found, Found):
                runs.found.append(found)
            else:
                runs.left_out.append(found)
    if not runs.found and not runs.left_out:
        raise ResultsError(place(name, 0), f"it holds no result; give what {_TOOLS} wrote")
    return runs


def _content(path: str | os.PathLike[str]) -> bytes:
    name = shown(Path(path).name)
    try:
        with Path(path).expanduser().open("rb") as file:
            content = file.read(LONGEST_BYTES + 1)
    except (OSError, ValueError) as error:
        why = getattr(error, "strerror", None) or "it is no file name"
        raise ResultsError(name, f"it cannot be read ({why}); give a results file") from None
    if len(content) > LONGEST_BYTES:
        raise ResultsError(name, f"it has more than {LONGEST_BYTES:,} bytes; give it without its requests")
    return content


def _rows(text: str, name: str) -> Iterator[Row]:
    """The objects of a file: the one it is, those of its list, or one a line."""
    text = text.removeprefix("\ufeff").strip()
    if not text:
        raise ResultsError(place(name, 0), f"it is empty; give what {_TOOLS} wrote")
    whole = _parsed(text)
    if isinstance(whole, Mapping):
        yield Row(place(name, 0), whole)
    elif isinstance(whole, list):
        for index, item in enumerate(whole, 1):
            yield _object(item, f"entry {index:,} of {shown(name)}")
    else:
        for line, part in enumerate(text.splitlines(), 1):
            if part.strip():
                yield _object(_parsed(part), place(name, line))


def _object(item: Any, source: str) -> Row:
    if not isinstance(item, Mapping):
        raise ResultsError(source, f"it is no JSON object; give what {_TOOLS} wrote")
    return Row(source, item)


def _parsed(text: str) -> Any:
    """The JSON in `text`, None where it is none or nests without an end."""
    try:
        return json.loads(text)
    except (ValueError, RecursionError):
        return None


def _read(row: Row) -> Iterator[Found | LeftOut]:
    fields = row.fields
    if "benchmarks" in fields:
        yield from guidellm.read(row)
        return
    readers: tuple[tuple[frozenset[str], Callable[[Row], Found | LeftOut]], ...] = (
        (llama_bench.SIGNATURE, llama_bench.read),
        (sglang.ONE_BATCH_SIGNATURE, sglang.read_one_batch),
        (sglang.SERVING_SIGNATURE, sglang.read_serving),
        (vllm.SIGNATURE, vllm.read),
    )
    for signature, reader in readers:
        if signature <= fields.keys():
            yield reader(row)
            return
    known = {*llama_bench.SIGNATURE, *sglang.SERVING_SIGNATURE, *vllm.SIGNATURE, "mean_ttft_ms"} & fields.keys()
    if known:  # a tool's file with a field missing
        yield (llama_bench.read if known & llama_bench.SIGNATURE else vllm.read)(row)
        return
    raise row.refuse("none of the known tools writes such fields", f"give what {_TOOLS} wrote")
