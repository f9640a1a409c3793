"""A start-up log as facts: which engine, with which settings, and what each device said of its memory."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable
from dataclasses import dataclass

from servelab.fidelity.logs.cards import CARDS
from servelab.fidelity.logs.llama_cpp import LLAMA_CPP
from servelab.fidelity.logs.scan import Fact, Start, by_marker, scan
from servelab.fidelity.logs.sglang import SGLANG
from servelab.fidelity.logs.vllm import VLLM
from servelab.fidelity.logs.vllm_v0 import VLLM_V0
from servelab.fidelity.logs.vllm_v1 import VLLM_V1

FORMATS = (VLLM, VLLM_V0, VLLM_V1, SGLANG, LLAMA_CPP, CARDS)
_MARKERS = by_marker(FORMATS)
_ADDING_UP = frozenset(form.engine for form in FORMATS if form.adds_up)

#: Facts that each device has its own of. All others are settings, of which the last one said counts.
MEASURED = (
    "weights_bytes",
    "activation_bytes",
    "graph_bytes",
    "graph_estimated_bytes",
    "other_bytes",
    "kv_cache_bytes",
    "kv_tokens",
    "kv_blocks",
    "max_concurrency",
    "torch_peak_bytes",
    "initial_bytes",
    "free_bytes",
    "loaded_bytes",
    "pooled_bytes",
    "k_bytes",
    "v_bytes",
    "conv_bytes",
    "ssm_bytes",
)
#: The cache that all devices agree on is the smallest; of all else the largest is what decides.
_SMALLEST = frozenset(
    ("kv_cache_bytes", "kv_tokens", "kv_blocks", "max_concurrency", "free_bytes", "k_bytes", "v_bytes", "pooled_bytes")
)
#: Sayings of one figure that differ by less are the same.
_ROUNDED = 1e-3
#: Figures that say something of memory: without one a log answers nothing.
TELLING = (
    "weights_bytes",
    "kv_cache_bytes",
    "kv_tokens",
    "kv_blocks",
    "activation_bytes",
    "free_bytes",
    "max_concurrency",
)


@dataclass(frozen=True)
class LogFacts:
    """What a log says. `settings` by name; `measured` by name and rank; `starts` counts the start-ups it holds."""

    engine: str
    settings: dict[str, str | float]
    measured: dict[str, dict[str, float]]
    starts: int

    def number(self, name: str) -> float | None:
        """The figure that decides, over the ranks; None where the log does not say."""
        values = self.measured.get(name)
        if not values:
            return None
        return min(values.values()) if name in _SMALLEST else max(values.values())

    def text(self, name: str) -> str | None:
        """A setting as written; None where the log does not say."""
        value = self.settings.get(name)
        return None if value is None else f"{value:.0f}" if isinstance(value, float) else value

    @property
    def tells(self) -> bool:
        """Whether the log says anything of memory, or why the server did not start."""
        return any(name in self.measured for name in TELLING) or "outcome" in self.settings


def read_log(text: str) -> LogFacts | None:
    """The facts of the last start-up in `text`; None where no engine is recognised."""
    text = text.replace("\r", "\n") if "\r" in text else text  # progress bars overwrite their line
    things = scan(text, _MARKERS)
    facts, starts = _last_start(things)
    engine = _engine(facts)
    if engine is None:
        return None
    settings = {fact.name: fact.value for fact in facts if fact.name not in MEASURED and fact.name != "engine"}
    return LogFacts(engine, settings, _measured(engine, facts), starts)


def _last_start(things: Iterable[Fact | Start]) -> tuple[list[Fact], int]:
    """The facts of the last start-up: a new one begins where a start follows a figure. Cards are named but once."""
    facts: list[Fact] = []
    starts, measured = 1, False
    for thing in things:
        if isinstance(thing, Start):
            if measured:
                starts += 1
                facts = [fact for fact in facts if fact.name in ("gpu", "engine")]
                measured = False
        else:
            facts.append(thing)
            measured = measured or thing.name in MEASURED
    return facts, starts


def _engine(facts: list[Fact]) -> str | None:
    votes: dict[str, int] = defaultdict(int)
    for fact in facts:
        if fact.name == "engine":
            votes[str(fact.value)] += 1
    return max(votes, key=lambda name: votes[name]) if votes else None


def _measured(engine: str, facts: list[Fact]) -> dict[str, dict[str, float]]:
    """Figures by name and rank. Where no rank is named, each saying is one of its own (V1 prints one line a rank)."""
    found: dict[str, dict[str, float]] = defaultdict(dict)
    unnamed: dict[str, int] = defaultdict(int)
    for fact in facts:
        if fact.name not in MEASURED or isinstance(fact.value, str):
            continue
        ranks, rank = found[fact.name], fact.rank
        if rank.startswith("CPU") or rank.endswith("_Host"):
            continue  # the host's memory, which is no device's
        if engine in _ADDING_UP and fact.name.endswith("_bytes"):
            ranks[rank] = ranks.get(rank, 0.0) + fact.value
            continue
        if rank in ranks and abs(ranks[rank] - fact.value) < _ROUNDED * abs(fact.value):
            continue  # said again, with fewer digits
        if rank in ranks and not rank:
            unnamed[fact.name] += 1
            rank = f"#{unnamed[fact.name] + 1}"
        ranks[rank] = fact.value
    return dict(found)
