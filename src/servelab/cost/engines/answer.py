"""What an engine does with a device's memory, as every door answers it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from servelab.specs.fields import as_data, as_json

FITS, TOO_LONG, OOM = "fits", "too-long", "oom"


@dataclass(frozen=True)
class Term:
    """One line of the account: what takes how many bytes of a device, and why so many."""

    name: str
    bytes: float
    why: str


@dataclass(frozen=True)
class Change:
    """A setting of the engine ("max_model_len") or field of the deployment ("deployment.kv_cache") and its value."""

    field: str
    value: float | int | str | bool


@dataclass(frozen=True)
class Remedy:
    """A change that is enough, all else equal, with a sentence that says what it costs."""

    change: Change
    sentence: str
    kv_tokens: int


@dataclass(frozen=True)
class EngineMemory:
    """Memory of one device as `engine` at `version` divides it, in bytes, and what it leaves for the KV cache.

    `weights_bytes`, `activation_bytes`, `graph_bytes`, `other_bytes` and `kv_cache_bytes` lie within `budget_bytes`,
    what the engine may take of `device_memory_bytes`. `graph_beyond_bytes` is what CUDA graphs take outside the
    budget, where the engine does not count them. `kv_cache_bytes` is what whole blocks hold; `kv_tokens` is the
    number the engine's log prints, `max_concurrency` how many requests of `max_model_len` tokens the cache holds.

    `outcome` is "fits", "too-long" (the cache holds less than one request of max_model_len; `longest_context` is
    what it would hold) or "oom" (nothing is left for a cache); then `refusal` says it in numbers, and `remedies` are
    changes that are enough, the cheapest first. `reasons` say what decides, `assumed` what was taken for granted.
    """

    engine: str
    version: str
    device_memory_bytes: float
    budget_bytes: float
    weights_bytes: float
    activation_bytes: float
    graph_bytes: float
    other_bytes: float
    kv_cache_bytes: float
    graph_beyond_bytes: float
    kv_bytes_per_token: float
    block_tokens: int
    kv_blocks: int
    kv_tokens: int
    max_model_len: int
    max_num_seqs: int
    max_num_batched_tokens: int
    max_concurrency: float
    longest_context: int
    outcome: str
    refusal: str | None
    terms: tuple[Term, ...]
    reasons: tuple[str, ...]
    remedies: tuple[Remedy, ...]
    assumed: tuple[str, ...]

    def to_dict(self) -> dict[str, Any]:
        """The answer as plain data."""
        data: dict[str, Any] = as_data(self)
        return data

    def to_json(self) -> str:
        """The answer as every door prints it: compact, counts as whole numbers, all else as floats."""
        return as_json(self)
