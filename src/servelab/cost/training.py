"""Training in its smallest form, and what a real run keeps in memory for each parameter.

The classifier has one weight and sees one example, whose answer is "blue":

    probability = sigmoid(weight)        loss = −ln(probability)        gradient = probability − 1
    weight after the update = weight − 0.5 × gradient

A real run is counted before activations and runtime overhead: 18 bytes a parameter, as mixed precision with Adam keeps
them. Other optimisers and methods keep other amounts. Formats for inference play no part in it.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import NamedTuple

from servelab.specs.accelerator import Accelerator
from servelab.specs.model import Model

#: The optimiser subtracts this share of the gradient.
LEARNING_RATE = 0.5
#: Between these the weight may start.
LOWEST_WEIGHT, HIGHEST_WEIGHT = -3.0, 3.0


class Kept(NamedTuple):
    """What a run keeps of each parameter, and in how many bytes."""

    name: str
    bytes_per_parameter: int


#: bf16 copy for the passes; fp32 weights, gradients and both of Adam's moments.
KEPT = (Kept("model copy", 2), Kept("master weights", 4), Kept("gradients", 4), Kept("Adam states", 8))


@dataclass(frozen=True)
class TrainingStep:
    """One round: the weight that the forward pass runs with, what comes of it, and the weight after the update."""

    weight: float
    probability: float
    loss: float
    gradient: float
    change: float
    next_weight: float


@dataclass(frozen=True)
class TrainingPart:
    """One of the things that a run keeps of every parameter, over all devices."""

    name: str
    bytes_per_parameter: int
    bytes: float


@dataclass(frozen=True)
class TrainingMemory:
    """What a run keeps of a model's parameters, against the memory of a device.

    `devices` is the smallest number of devices whose memory together holds it, split evenly, with nothing else on them.
    """

    parameters: int
    parts: tuple[TrainingPart, ...]
    bytes_per_parameter: int
    total_bytes: float
    capacity_bytes: float
    fits: bool
    devices: int


def descent(start_weight: float, rounds: int) -> tuple[TrainingStep, ...]:
    """`rounds` rounds of gradient descent from `start_weight`."""
    steps: list[TrainingStep] = []
    weight = start_weight
    for _ in range(rounds):
        steps.append(_round(weight))
        weight = steps[-1].next_weight
    return tuple(steps)


def _round(weight: float) -> TrainingStep:
    """Sigmoid and loss from exp(−weight), which no start weight takes beyond a float."""
    probability = 1 / (1 + math.exp(-weight))
    gradient = probability - 1
    change = -LEARNING_RATE * gradient
    return TrainingStep(weight, probability, math.log1p(math.exp(-weight)), gradient, change, weight + change)


def training_memory(model: Model, accelerator: Accelerator) -> TrainingMemory:
    """18 bytes a parameter of the text decoder, before activations and runtime overhead."""
    parameters, capacity = model.parameters, accelerator.memory_bytes
    parts = tuple(TrainingPart(name, size, float(size * parameters)) for name, size in KEPT)
    total = sum(part.bytes for part in parts)
    return TrainingMemory(
        parameters=parameters,
        parts=parts,
        bytes_per_parameter=sum(size for _, size in KEPT),
        total_bytes=total,
        capacity_bytes=capacity,
        fits=total <= capacity,
        devices=math.ceil(total / capacity),
    )
