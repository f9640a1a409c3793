"""Open measurements of served models: who measured what, on what, and what came out.

The table holds facts alone, in base units and under the catalogue's names, each with its source (sources.toml). What is
left out stays in it with its reason. benchmarks/measurements.py made it from what was read in the sources.
"""

from __future__ import annotations

import csv
import functools
import json
import tomllib
from collections.abc import Mapping
from dataclasses import dataclass, field
from importlib import resources
from pathlib import Path
from typing import Any

from servelab.specs.model import Model

_HERE = Path(str(resources.files(__package__)))
TABLE = _HERE / "measurements.csv"
MODELS_BESIDE = _HERE / "models.json"
KERNELS = _HERE / "kernels.toml"
HELD_OUT = _HERE / "held_out.csv"
_SOURCES = _HERE / "sources.toml"

#: Figures of single passes stand for prefill or decode; those over whole requests for both.
_PHASES = {
    "ttft_s": "prefill",
    "prefill_tokens_per_s": "prefill",
    "tpot_s": "decode",
    "decode_tokens_per_s": "decode",
}
_LOADS = ("closed_loop", "open_loop")


@dataclass(frozen=True)
class Measured:
    """One figure that somebody measured. Seconds and tokens; None where it does not apply or is not known.

    `lengths` says whether those are means of lengths that were "varied" as in chat, the longest of lengths that were
    "shortened" at random, or all alike ("fixed").
    `regime` is "static_batch" (one batch, lengths all alike), "single_stream", "closed_loop" (a fixed number of
    clients: `batch`), "open_loop" (`rate_per_s`) or "offline_max"; `statistic` is over repetitions or requests.
    """

    id: str
    source: str
    engine: str
    version: str
    model: str
    accelerator: str
    tensor_parallel: int
    weights: str
    kv_cache: str
    regime: str
    batch: int | None
    rate_per_s: float | None
    requests: int | None
    prompt_tokens: int | None
    output_tokens: int | None
    lengths: str
    metric: str
    statistic: str
    value: float

    @property
    def phase(self) -> str:
        """Which phase the figure tells of: "prefill", "decode", or "request" for both."""
        return _PHASES.get(self.metric, "request")

    @property
    def under_load(self) -> bool:
        """Whether requests came and went while it was measured."""
        return self.regime in _LOADS

    @property
    def group(self) -> tuple[str, str, str]:
        """Source, accelerator and engine: what scores are taken over."""
        return self.source, self.accelerator, self.engine


COLUMNS = (*Measured.__dataclass_fields__, "excluded")

_WHOLE = frozenset(("tensor_parallel", "batch", "requests", "prompt_tokens", "output_tokens"))
_NUMBERS = frozenset(("rate_per_s", "value"))


@dataclass(frozen=True)
class Source:
    """Where figures were read: what it is, where it is found, and under which licence.

    `alike` names the engines whose batches were one and the same request many times over, so that a mixture of experts
    sends all of them to the same experts. `beside_fraction` says by weight format what scales take of its plain bits,
    where that is known.
    """

    key: str
    title: str
    url: str
    licence: str
    remarks: str = ""
    alike: tuple[str, ...] = ()
    beside_fraction: Mapping[str, float] = field(default_factory=dict)


def rows() -> tuple[Measured, ...]:
    """The measurements that predictions are held against."""
    return tuple(row for row, reason in _table() if not reason)


def excluded() -> tuple[tuple[Measured, str], ...]:
    """The measurements left out, and why."""
    return tuple((row, reason) for row, reason in _table() if reason)


@functools.cache
def sources() -> dict[str, Source]:
    """Every source of the table by its key."""
    listed = tomllib.loads(_SOURCES.read_text(encoding="utf-8"))
    return {key: Source(key, **fields | {"alike": tuple(fields.get("alike", ()))}) for key, fields in listed.items()}


@functools.lru_cache(maxsize=256)
def model_named(name: str) -> Model:
    """The model that the table calls so: the catalogue's, or one of those beside it (models.json)."""
    beside = _beside()
    return Model(**beside[name]) if name in beside else Model.load(name)


@functools.cache
def _beside() -> dict[str, dict[str, Any]]:
    """Models that were measured and the catalogue does not hold."""
    return {fields["name"]: fields for fields in json.loads(MODELS_BESIDE.read_text(encoding="utf-8"))}


@functools.cache
def _table() -> tuple[tuple[Measured, str], ...]:
    with TABLE.open(newline="", encoding="utf-8") as file:
        return tuple((_row(line), line["excluded"]) for line in csv.DictReader(file))


def _row(line: dict[str, str]) -> Measured:
    return Measured(**{name: _value(name, line[name]) for name in Measured.__dataclass_fields__})  # type: ignore[arg-type]


def _value(name: str, text: str) -> str | int | float | None:
    if name in _NUMBERS:
        return float(text) if text else None
    if name in _WHOLE:
        return int(text) if text else None
    return text
