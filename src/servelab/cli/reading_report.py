"""A reading, and a command written, as text for a terminal."""

from __future__ import annotations

from collections.abc import Iterable

from servelab.cli.tables import table
from servelab.cost.engines import EngineMemory
from servelab.fidelity.commands.write import CommandLine
from servelab.fidelity.compare import Line, Rank
from servelab.fidelity.reading import Advice, Reading
from servelab.units import show_binary

_LINES = {
    "device_memory_bytes": "device memory",
    "budget_bytes": "may be used",
    "weights_bytes": "weights",
    "activation_bytes": "activation peak",
    "graph_bytes": "CUDA graphs",
    "other_bytes": "other",
    "kv_cache_bytes": "KV cache",
    "kv_tokens": "tokens",
    "kv_blocks": "blocks",
    "max_concurrency": "requests at once",
}
_UNKNOWN = "—"


def report(reading: Reading) -> str:
    """The outcome, what was understood, figures side by side, causes, what to change; a blank line between."""
    sections = [reading.headline, "\n".join(f"  {what.name:<18}{what.value}" for what in reading.understood)]
    if reading.lines:
        sections.append(_lines(reading))
    if reading.ranks:
        sections.append(_ranks(reading.ranks))
    unknown = [
        f"{flag.flag}{f': did you mean {flag.nearest}?' if flag.nearest else ''}" for flag in reading.unknown_flags
    ]
    sections += _listed("Not understood, and left out:", unknown)
    sections += _listed("Changes memory and is not counted:", reading.not_modelled)
    sections += _listed("Where the memory went:", (cause.sentence for cause in reading.causes))
    sections += _listed("What to change:", map(_advice, reading.remedies))
    sections += _listed("Missing:", (what.sentence for what in reading.missing))
    sections += _listed("To know:", (*reading.remarks, *(reading.predicted.assumed if reading.predicted else ())))
    return "\n\n".join(sections)


def _listed(title: str, sentences: Iterable[str]) -> list[str]:
    lines = [f"  {sentence}" for sentence in sentences]
    return ["\n".join((title, *lines))] if lines else []


def _lines(reading: Reading) -> str:
    told = any(line.reported is not None for line in reading.lines)
    heads = ("each device", "reported", "predicted", "difference") if told else ("each device", "predicted")
    rows = [tuple(cell for cell in _row(line, told)) for line in reading.lines]
    return table([heads, *rows])


def _row(line: Line, told: bool) -> tuple[str, ...]:
    name = _LINES[line.name]
    if not told:
        return name, _figure(line.predicted, line.unit)
    return name, _figure(line.reported, line.unit), _figure(line.predicted, line.unit), _difference(line)


def _difference(line: Line) -> str:
    if line.difference_fraction is None:
        return _UNKNOWN
    per = f"{line.difference_fraction:+.1%}".replace("%", " %")
    return "0.0 %" if per[1:] == "0.0 %" else per


def _figure(value: float | None, unit: str) -> str:
    if value is None:
        return _UNKNOWN
    if unit == "B":
        return show_binary(value)
    return f"{value:,.2f} ×" if unit == "×" else f"{value:,.0f}"


def _ranks(ranks: tuple[Rank, ...]) -> str:
    rows = [
        (rank.rank, _figure(rank.weights_bytes, "B"), _figure(rank.kv_cache_bytes, "B"), _figure(rank.kv_tokens, ""))
        for rank in ranks
    ]
    return table([("device", "weights", "KV cache", "tokens"), *rows])


def _advice(advice: Advice) -> str:
    tokens = "" if advice.kv_tokens is None else f" ({advice.kv_tokens:,} tokens)"
    return f"{advice.sentence}{tokens}"


def written(line: CommandLine, memory: EngineMemory) -> str:
    """The command, its flags in words, and what it leaves for the cache."""
    flags = [f"  {flag.flag:<27}{flag.words}" for flag in line.flags]
    outcome = (
        f"Leaves {show_binary(memory.kv_cache_bytes)} for the KV cache of each device: {memory.kv_tokens:,} tokens."
        if memory.refusal is None
        else f"It would not start: {memory.refusal}."
    )
    return "\n\n".join((line.command, "\n".join(flags), "\n".join((outcome, *line.remarks))))
