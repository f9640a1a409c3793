"""The bodies of requests about one batch on its way, and about training."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Annotated

from servelab.cost.training import HIGHEST_WEIGHT, LOWEST_WEIGHT
from servelab.specs.accelerator import Accelerator
from servelab.specs.deployment import Deployment
from servelab.specs.fields import STRICT, Number, check_fields
from servelab.specs.model import Model
from servelab.specs.references import AcceleratorReference, ModelReference
from servelab.specs.workload import Workload

#: Decode passes told and rounds trained, at most.
MOST_PASSES = 64
MOST_ROUNDS = 200


@dataclass(frozen=True)
class WalkRequest:
    """One deployment and one workload, as for an estimate, and how many decode passes to tell."""

    __pydantic_config__ = STRICT

    deployment: Deployment
    workload: Workload
    passes: Annotated[int, Number("decode passes told, at most", 1, MOST_PASSES, whole=True)] = 8


@dataclass(frozen=True)
class TrainingRequest:
    """A model and a device for the memory of a real run; the classifier of one weight has nothing to do with them."""

    __pydantic_config__ = STRICT

    model: Annotated[Model, ModelReference("catalogue id, a model's fields, or a config.json's content")]
    accelerator: Annotated[Accelerator, AcceleratorReference("catalogue id, or an accelerator's fields")]
    start_weight: Annotated[float, Number("weight before the first round", LOWEST_WEIGHT, HIGHEST_WEIGHT)] = 0.0
    rounds: Annotated[int, Number("rounds of training", 1, MOST_ROUNDS, whole=True)] = 20

    def __post_init__(self) -> None:
        check_fields(self)
