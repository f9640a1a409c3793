"""The bodies of requests: the specs themselves, under the names of the interface."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, fields
from typing import Any

from servelab.specs.accelerator import Accelerator
from servelab.specs.deployment import Deployment
from servelab.specs.fields import STRICT
from servelab.specs.model import Model
from servelab.specs.workload import Workload


@dataclass(frozen=True)
class EstimateRequest:
    """One deployment and one workload."""

    __pydantic_config__ = STRICT

    deployment: Deployment
    workload: Workload


@dataclass(frozen=True)
class Problem:
    """One thing that is wrong with a request: the dotted path of a field (`body` for the whole), and a sentence."""

    field: str
    message: str


@dataclass(frozen=True)
class Problems:
    """The body of every refusal."""

    detail: list[Problem]


_RECORDS: dict[tuple[str, ...], type[Any]] = {
    (): EstimateRequest,
    ("deployment",): Deployment,
    ("deployment", "model"): Model,
    ("deployment", "accelerator"): Accelerator,
    ("workload",): Workload,
}


def known_fields(path: Sequence[str]) -> list[str]:
    """The fields that the object at `path` of a request may have."""
    record = _RECORDS.get(tuple(path))
    return [field.name for field in fields(record)] if record else []
