"""What a run of a lab gives: figures, charts, words, or the reason why there is nothing to show."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any

from servelab.labs.charts import Data
from servelab.specs.fields import Choice

REFUSALS = ("nothing-fits", "all-rejected", "no-traffic", "other")


@dataclass(frozen=True)
class Setup:
    """What was asked: a record of the lab's settings, ids of its events in their order, a seed."""

    settings: Any
    events: tuple[str, ...] = ()
    seed: int = 0


@dataclass(frozen=True)
class Remedy:
    """A way out: what to set, or which events to keep (None: as they are), under a label."""

    label: str
    settings: Mapping[str, Any] = field(default_factory=dict)
    events: tuple[str, ...] | None = None


@dataclass(frozen=True)
class Refusal:
    """Why a set-up has no result, and what would give one."""

    kind: str
    title: str
    reason: str
    remedies: tuple[Remedy, ...] = ()

    def __post_init__(self) -> None:
        Choice("kind", "kind of refusal", REFUSALS).check("refusal.kind", self.kind)


@dataclass(frozen=True)
class Term:
    """A symbol of a tile's formula with its value in this run."""

    name: str
    value: float | int | None
    unit: str = ""
    words: str = ""


@dataclass(frozen=True)
class RunEvidence:
    """What the figures of one run rest on, where that is not what the lab's do: a label, and what it means."""

    label: str
    words: str


@dataclass(frozen=True)
class LabResult:
    """One run. `tiles` by id, None where there is nothing to tell; `charts` by id, each data or a function that makes
    them when they are asked for; `terms` are the current values in the formula of a tile. `facts` are figures that are
    not shown, for explanations and missions. `evidence` stands in the place of the lab's own.
    """

    tiles: Mapping[str, float | int | None]
    charts: Mapping[str, Data | Callable[[], Data | None] | None] = field(default_factory=dict)
    headline: str = ""
    remarks: tuple[str, ...] = ()
    refusal: Refusal | None = None
    terms: Mapping[str, tuple[Term, ...]] = field(default_factory=dict)
    facts: Mapping[str, float] = field(default_factory=dict)
    evidence: RunEvidence | None = None


@dataclass(frozen=True)
class Outcome:
    """A set-up with its result."""

    setup: Setup
    result: LabResult
