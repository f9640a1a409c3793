"""What an engine reports of its memory beside what is predicted, line by line."""

from __future__ import annotations

from dataclasses import dataclass

from servelab.cost.engines import EngineMemory
from servelab.fidelity.logs.reader import LogFacts
from servelab.fidelity.setup import Setup

_BLOCK_TOKENS = 16


@dataclass(frozen=True)
class Line:
    """One line: `name` as in EngineMemory, reported and predicted in `unit` ("B", "tokens", "blocks", "×").

    `difference_fraction` is how far the reported figure is above the predicted one, None where one is missing or 0.
    """

    name: str
    unit: str
    reported: float | None
    predicted: float | None
    difference_fraction: float | None


@dataclass(frozen=True)
class Rank:
    """What one device said."""

    rank: str
    weights_bytes: float | None
    kv_cache_bytes: float | None
    kv_tokens: float | None


def reported(facts: LogFacts, setup: Setup) -> dict[str, float]:
    """The figures of a log under the names of EngineMemory, those included that follow from others it prints."""
    known = {name: value for name, value in _direct(facts, setup).items() if value is not None}
    block = setup.block_size or (1 if facts.engine == "llama.cpp" else _BLOCK_TOKENS)
    if "kv_tokens" not in known and "kv_blocks" in known:
        known["kv_tokens"] = known["kv_blocks"] * block
    if "kv_blocks" not in known and "kv_tokens" in known and facts.engine == "vllm":
        known["kv_blocks"] = known["kv_tokens"] // block
    if "max_concurrency" not in known and known.get("kv_tokens") and setup.max_model_len:
        known["max_concurrency"] = known["kv_tokens"] / setup.max_model_len
    share, device = setup.gpu_memory_utilization, known.get("device_memory_bytes")
    if "budget_bytes" not in known and facts.engine == "vllm" and share and device:
        known["budget_bytes"] = share * device
    return known


def _direct(facts: LogFacts, setup: Setup) -> dict[str, float | None]:
    """Each figure as printed, or as the difference of two that are."""
    number = facts.number
    budget = facts.settings.get("budget_bytes")
    pool = facts.settings.get("pool_tokens")
    tokens = number("kv_tokens")
    return {
        "device_memory_bytes": setup.device_bytes,
        "budget_bytes": float(budget) if budget is not None else None,
        "weights_bytes": _first(number("weights_bytes"), _less(number("free_bytes"), number("loaded_bytes"))),
        "activation_bytes": _first(
            number("activation_bytes"), _less(number("torch_peak_bytes"), number("weights_bytes"))
        ),
        "graph_bytes": _first(number("graph_bytes"), number("graph_estimated_bytes")),
        "other_bytes": number("other_bytes"),
        "kv_cache_bytes": _first(number("kv_cache_bytes"), _sum(number("k_bytes"), number("v_bytes"))),
        "kv_tokens": tokens if tokens is not None else (float(pool) if pool is not None else None),
        "kv_blocks": number("kv_blocks"),
        "max_concurrency": number("max_concurrency"),
    }


def _first(*values: float | None) -> float | None:
    return next((value for value in values if value is not None), None)


def _less(whole: float | None, part: float | None) -> float | None:
    return None if whole is None or part is None else whole - part


def _sum(one: float | None, other: float | None) -> float | None:
    return None if one is None or other is None else one + other


_LINES = (
    ("device_memory_bytes", "B"),
    ("budget_bytes", "B"),
    ("weights_bytes", "B"),
    ("activation_bytes", "B"),
    ("graph_bytes", "B"),
    ("other_bytes", "B"),
    ("kv_cache_bytes", "B"),
    ("kv_tokens", "tokens"),
    ("kv_blocks", "blocks"),
    ("max_concurrency", "×"),
)


def compared(known: dict[str, float], setup: Setup, predicted: EngineMemory | None) -> tuple[Line, ...]:
    """The lines that a log or a prediction has a figure for."""
    expected = _predicted(setup, predicted) if predicted else {}
    lines = ((name, unit, known.get(name), expected.get(name)) for name, unit in _LINES)
    return tuple(
        Line(name, unit, said, guess, said / guess - 1 if said is not None and guess else None)
        for name, unit, said, guess in lines
        if said is not None or guess
    )


def _predicted(setup: Setup, memory: EngineMemory) -> dict[str, float]:
    figures = {name: float(getattr(memory, name)) for name, _ in _LINES}
    if memory.engine == "vllm":
        figures["graph_bytes"] = memory.graph_bytes + memory.graph_beyond_bytes
        figures["kv_blocks"] = float(memory.kv_tokens // (setup.block_size or memory.block_tokens))
    else:
        del figures["kv_blocks"]  # only vLLM's logs count in blocks
    return figures


def ranks(facts: LogFacts) -> tuple[Rank, ...]:
    """What each device said, where a log holds more than one."""
    names = ("weights_bytes", "kv_cache_bytes", "kv_tokens")
    labels = dict.fromkeys(label for name in names for label in facts.measured.get(name, {}))
    if len(labels) < 2:
        return ()
    return tuple(
        Rank(label or "main", *(facts.measured.get(name, {}).get(label) for name in names)) for label in labels
    )
