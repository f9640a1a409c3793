"""A text read, whichever it is: what was understood, what is predicted beside it, why, and what to change."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from servelab.cost.engines import Change, EngineMemory
from servelab.fidelity.causes import Cause
from servelab.fidelity.commands.told import ReadFlag, UnknownFlag
from servelab.fidelity.compare import Line, Rank
from servelab.fidelity.resolve import Missing
from servelab.specs.fields import as_data, as_json


@dataclass(frozen=True)
class Understood:
    """One thing that was understood, in words for people."""

    name: str
    value: str


@dataclass(frozen=True)
class Recovered:
    """The deployment that a text tells of, by ids of the catalogue and fields of Deployment and EngineSettings.

    None is what the text does not say.
    """

    model: str | None
    accelerator: str | None
    tensor_parallel: int | None
    weights: str | None
    kv_cache: str | None
    engine: str | None
    version: str | None
    gpu_memory_utilization: float | None
    max_model_len: int | None
    max_num_batched_tokens: int | None
    max_num_seqs: int | None
    enforce_eager: bool | None
    device_memory_bytes: float | None


@dataclass(frozen=True)
class Advice:
    """Something to change: a sentence, the change itself where it is one setting, and the tokens it would give."""

    sentence: str
    change: Change | None
    kv_tokens: int | None


@dataclass(frozen=True)
class Reading:
    """The answer to a log or a command.

    `kind` is "log", "command", "compose", "kubernetes" or "values". `headline` says the outcome in a sentence.
    `lines` set reported beside predicted figures, of one device but for tokens and concurrency. `causes` are known
    ones that apply, `remedies` the cheapest first. `flags` and `unknown_flags` are a command's; `not_modelled` is
    what changes memory and is not counted, `missing` what a prediction wants, `remarks` what was taken for granted.
    """

    kind: str
    headline: str
    outcome: str
    understood: tuple[Understood, ...]
    recovered: Recovered
    lines: tuple[Line, ...]
    ranks: tuple[Rank, ...]
    causes: tuple[Cause, ...]
    remedies: tuple[Advice, ...]
    flags: tuple[ReadFlag, ...]
    unknown_flags: tuple[UnknownFlag, ...]
    not_modelled: tuple[str, ...]
    missing: tuple[Missing, ...]
    remarks: tuple[str, ...]
    predicted: EngineMemory | None

    def to_dict(self) -> dict[str, Any]:
        """The answer as plain data."""
        data: dict[str, Any] = as_data(self)
        return data

    def to_json(self) -> str:
        """The answer as every door prints it."""
        return as_json(self)
