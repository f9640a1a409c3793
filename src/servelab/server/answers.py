"""Answers that are no record of a lower layer."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any

from servelab.cost.estimate import Estimate
from servelab.cost.grid import Grid


@dataclass(frozen=True)
class Problem:
    """One thing that is wrong with a request: the dotted path of a field (`body` for the whole), and a sentence."""

    field: str
    message: str


@dataclass(frozen=True)
class Problems:
    """The body of every refusal."""

    detail: list[Problem]


@dataclass(frozen=True)
class Splits:
    """The same question for every tensor-parallel degree up to 8 that the model allows, the fewest devices first."""

    estimates: list[Estimate]


@dataclass(frozen=True)
class Sweep:
    """Figures for each value of the field that varies, in its order; null where there is none."""

    field: str
    values: tuple[int, ...]
    fits: tuple[bool, ...]
    total_bytes: tuple[float, ...]
    ttft_s: tuple[float | None, ...]
    tpot_s: tuple[float | None, ...]
    e2e_s: tuple[float | None, ...]
    output_tokens_per_s: tuple[float | None, ...]

    @classmethod
    def of(cls, field: str, values: tuple[int, ...], grid: Grid) -> Sweep:
        """A grid of one dimension as lists."""
        columns = {name: tuple(_known(value) for value in array.tolist()) for name, array in vars(grid).items()}
        return cls(field, values, **columns)


def _known(value: Any) -> Any:
    return None if isinstance(value, float) and not math.isfinite(value) else value
