"""One server looked at: what is known of it, from its log or from the prediction."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

from servelab.cost.engines import EngineMemory
from servelab.fidelity.logs.reader import LogFacts
from servelab.fidelity.setup import Setup
from servelab.specs.model import Model


@dataclass(frozen=True)
class Case:
    """A setup, the facts of its log (None for a command), the figures it reports, and what is predicted."""

    setup: Setup
    facts: LogFacts | None
    known: dict[str, float]
    predicted: EngineMemory | None
    model: Model | None

    @property
    def devices(self) -> int:
        """Devices that split the model."""
        return self.setup.tensor_parallel or 1

    @cached_property
    def figures(self) -> dict[str, float]:
        """Every figure: as reported, else as predicted."""
        if self.predicted is None:
            return self.known
        memory = self.predicted
        guessed = {
            "device_memory_bytes": memory.device_memory_bytes,
            "budget_bytes": memory.budget_bytes,
            "weights_bytes": memory.weights_bytes,
            "activation_bytes": memory.activation_bytes,
            "other_bytes": memory.other_bytes,
            "kv_cache_bytes": memory.kv_cache_bytes,
            "kv_tokens": float(memory.kv_tokens),
            "max_concurrency": memory.max_concurrency,
        }
        if memory.engine == "vllm":  # with SGLang they are not told apart from activations
            guessed["graph_bytes"] = memory.graph_bytes + memory.graph_beyond_bytes
        return guessed | self.known

    def took(self, name: str) -> str:
        """The verb before a figure: of what a log tells, or of what is only predicted."""
        return "took" if name in self.known else "takes about"

    def share(self, name: str) -> float:
        """A figure as a share of the device's memory; 0 where one of them is not known."""
        device, value = self.figures.get("device_memory_bytes"), self.figures.get(name)
        return value / device if device and value else 0.0

    @property
    def batched_tokens(self) -> int | None:
        """Tokens of the largest pass, which the profiling run is made with."""
        given = self.setup.max_num_batched_tokens
        return given if given is not None or self.predicted is None else self.predicted.max_num_batched_tokens

    @property
    def sequences(self) -> int | None:
        """Requests that run at once, at most."""
        given = self.setup.max_num_seqs
        return given if given is not None or self.predicted is None else self.predicted.max_num_seqs

    @property
    def context(self) -> int | None:
        """The longest context of one request."""
        given = self.setup.max_model_len
        return given if given is not None or self.predicted is None else self.predicted.max_model_len

    @property
    def outcome(self) -> str:
        """How the start ended: as the log says, else as predicted; "fits" where neither tells."""
        if self.facts is not None:
            return self.facts.text("outcome") or "fits"
        return self.predicted.outcome if self.predicted else "fits"
