"""The bodies of requests: the specs themselves, under the names of the interface."""

from __future__ import annotations

import dataclasses
import typing
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Annotated, Any

from servelab.server.compare_requests import CompareRequest, LifeRequest, SlotsRequest, StepRequest, WindowRequest
from servelab.server.lab_requests import RunLabRequest
from servelab.server.room_requests import TrainingRequest, WalkRequest
from servelab.specs.accelerator import Accelerator
from servelab.specs.arrivals import Arrivals
from servelab.specs.deployment import Deployment
from servelab.specs.engines import EngineSettings
from servelab.specs.fields import STRICT, AmountOrZero, Choice, Counts, Flag
from servelab.specs.model import Model
from servelab.specs.records import Content
from servelab.specs.references import AcceleratorReference, ModelReference
from servelab.specs.scheduler import Scheduler
from servelab.specs.workload import Workload

#: What a sweep may vary, and how many values it may take.
SWEPT = ("prompt_tokens", "output_tokens", "batch")
MOST_VALUES = 10_000


@dataclass(frozen=True)
class EstimateRequest:
    """One deployment and one workload."""

    __pydantic_config__ = STRICT

    deployment: Deployment
    workload: Workload


@dataclass(frozen=True)
class ExplainRequest:
    """Two questions; the answer says why the second's figures differ from the first's."""

    __pydantic_config__ = STRICT

    before: EstimateRequest
    after: EstimateRequest


@dataclass(frozen=True)
class SimulateRequest:
    """One deployment, traffic yet to be drawn, and a scheduler; with `tables`, each request and the timeline too."""

    __pydantic_config__ = STRICT

    deployment: Deployment
    traffic: Arrivals
    scheduler: Scheduler = dataclasses.field(default_factory=Scheduler)
    ttft_target_s: Annotated[float, AmountOrZero("time to first token to meet, seconds")] | None = None
    tpot_target_s: Annotated[float, AmountOrZero("time per output token to meet, seconds")] | None = None
    tables: Annotated[bool, Flag("whether to answer with every request and the timeline")] = False


@dataclass(frozen=True)
class SweepRequest:
    """One question asked for many values of one field of its workload."""

    __pydantic_config__ = STRICT

    deployment: Deployment
    workload: Workload
    field: Annotated[str, Choice("field of the workload that varies", "field to sweep", SWEPT)]
    values: Annotated[tuple[int, ...], Counts("values that the field takes", MOST_VALUES)]


@dataclass(frozen=True, kw_only=True)
class MemoryRequest(EngineSettings):
    """One deployment, and how its engine is started."""

    deployment: Deployment

    def __post_init__(self) -> None:
        """The deployment is checked already; the settings check themselves once they are taken out."""

    @property
    def settings(self) -> EngineSettings:
        """The settings alone."""
        return EngineSettings(**{name: getattr(self, name) for name in EngineSettings.__dataclass_fields__})


@dataclass(frozen=True)
class ReadRequest:
    """A start-up log, a command, a compose file or a manifest; a model or accelerator replaces the one it names."""

    __pydantic_config__ = STRICT

    text: Annotated[str, Content("a start-up log, a command, a compose file or a manifest")]
    model: Annotated[Model, ModelReference("catalogue id, a model's fields, or a config.json's content")] | None = None
    accelerator: Annotated[Accelerator, AcceleratorReference("catalogue id, or an accelerator's fields")] | None = None


#: The body of each route that has one.
BODIES: dict[str, type[Any]] = {
    "/api/compare": CompareRequest,
    "/api/compare/request": LifeRequest,
    "/api/compare/step": StepRequest,
    "/api/compare/window": WindowRequest,
    "/api/estimate": EstimateRequest,
    "/api/explain": ExplainRequest,
    "/api/memory": MemoryRequest,
    "/api/labs/{lab}/run": RunLabRequest,
    "/api/command": MemoryRequest,
    "/api/read": ReadRequest,
    "/api/splits": EstimateRequest,
    "/api/simulate": SimulateRequest,
    "/api/slots": SlotsRequest,
    "/api/sweep": SweepRequest,
    "/api/training": TrainingRequest,
    "/api/walk": WalkRequest,
}


def known_fields(route: str, path: Sequence[str]) -> list[str]:
    """The fields that the object at `path` of a route's body may have; none where it is no record."""
    record: Any = BODIES.get(route)
    for part in path:
        if not dataclasses.is_dataclass(record):
            return []
        if not part.isdecimal():  # else a place in a list of records
            record = _record_in(typing.get_type_hints(record).get(part))
    return [field.name for field in dataclasses.fields(record)] if dataclasses.is_dataclass(record) else []


def _record_in(hint: Any) -> Any:
    """The record that a field holds, may hold, or holds a list of; the hint itself where there is none."""
    if dataclasses.is_dataclass(hint):
        return hint
    return next((found for part in typing.get_args(hint) if dataclasses.is_dataclass(found := _record_in(part))), hint)
