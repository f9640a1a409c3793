"""Generations of engines: versions that step alike, and how their schedulers work unless told otherwise."""

from __future__ import annotations

import re
from typing import NamedTuple

_NUMBERS = re.compile(r"\d+")


class Generation(NamedTuple):
    """Versions of `engine` from `since` on, until the next generation; `name` is "" for the newest.

    `policy` and `admission` are the scheduler's ("vllm": what sl.Scheduler.vllm says); `waves` says whether a batch
    beyond the cache runs in waves, or the engine was only ever given what fits. Decodes read a cache of
    `query_head_caches` (formats) anew for every query head: vLLM's first kernel does, which it kept for caches in FP8.
    """

    engine: str
    name: str
    since: tuple[int, int]
    versions: str
    policy: str = "chunked"
    admission: str = "paged"
    max_num_seqs: int = 256
    most_tokens: int = 8192
    waves: bool = True
    query_head_caches: tuple[str, ...] = ()

    @property
    def prefix(self) -> str:
        """What the ids of its profiles begin with."""
        return f"{self.engine}-{self.name}" if self.name else self.engine


_GENERATIONS = (
    Generation(
        "vllm", "2023", (0, 0), "before 0.3", "continuous", most_tokens=32768, query_head_caches=("bf16", "fp8")
    ),
    Generation("vllm", "2024", (0, 3), "0.3 to 0.5", "continuous", most_tokens=32768, query_head_caches=("fp8",)),
    Generation("vllm", "0.6", (0, 6), "0.6 and 0.7", "continuous", most_tokens=32768),
    Generation("vllm", "", (0, 8), "from 0.8", "vllm"),
    Generation("tensorrt-llm", "0.9", (0, 0), "0.5 to 0.9, static batches", "static", waves=False),
    Generation("tensorrt-llm", "2024", (0, 10), "0.10 and 0.11", "chunked", "reserve"),
    Generation("tensorrt-llm", "", (0, 12), "from 0.12", "chunked", "reserve", 2048),
    Generation("sglang", "", (0, 0), "any", "continuous", max_num_seqs=2048),
    Generation("deepspeed-mii", "", (0, 0), "any"),
)

#: Sources of 2024 that name no version: what was current then.
_OF_YEAR = {"vllm": {"2023": (0, 2), "2024": (0, 4)}, "tensorrt-llm": {"2023": (0, 5), "2024": (0, 10)}}

#: Engines that nobody develops any more.
_RETIRED = ("fastertransformer",)


def is_newest(prefix: str) -> bool:
    """Whether profiles of that prefix are of a generation that has today's kernels."""
    return prefix not in {one.prefix for one in _GENERATIONS if one.name} | set(_RETIRED)


def query_head_caches(prefix: str) -> tuple[str, ...]:
    """Those of the generation whose profiles begin with that prefix."""
    return next((one.query_head_caches for one in _GENERATIONS if one.prefix == prefix), ())


def generation(engine: str, version: str) -> Generation:
    """The generation of `version` of `engine`; without a version the newest."""
    of_engine = [one for one in _GENERATIONS if one.engine == engine]
    if not of_engine:
        return Generation(engine, "", (0, 0), "any", "static", waves=False)
    year = _OF_YEAR.get(engine, {}).get(version)
    numbers = [int(number) for number in _NUMBERS.findall(version)[:2]]
    wanted = year or (tuple((*numbers, 0, 0)[:2]) if numbers else (10**6, 0))
    return [one for one in of_engine if one.since <= wanted][-1]
