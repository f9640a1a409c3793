"""Playing a lab: a set-up in, figures out, compared with the set-up before it where one is given."""

from __future__ import annotations

import functools
import math
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from typing import Any, TypeVar

from servelab.errors import ServelabError, SpecError, UnknownName
from servelab.labs.changes import Changes, as_settings, changes
from servelab.labs.charts import Data, fit
from servelab.labs.grading import MissionAnswer, grade, hold
from servelab.labs.lab import Lab
from servelab.labs.result import LabResult, Outcome, Refusal, RunEvidence, Setup, Term
from servelab.specs.fields import as_json

_T = TypeVar("_T")


class LabFailed(ServelabError):
    """A lab's own code went wrong, or gave what it did not declare."""


@dataclass(frozen=True)
class LabAnswer:
    """A run of a lab as every door gives it. `evidence` is null where the figures rest on what the lab's do."""

    lab: str
    settings: dict[str, Any]
    events: tuple[str, ...]
    seed: int
    headline: str
    tiles: dict[str, float | int | None]
    terms: dict[str, tuple[Term, ...]]
    charts: dict[str, Data | None]
    remarks: tuple[str, ...]
    refusal: Refusal | None
    evidence: RunEvidence | None
    changes: Changes | None
    mission: MissionAnswer | None


@dataclass(frozen=True)
class Wish:
    """What to answer with: charts by id (None for all), the set-up to compare with, a mission to grade, and whether to
    reveal what it teaches before it is passed.
    """

    charts: Iterable[str] | None = None
    before: Setup | None = None
    mission: str | None = None
    reveal: bool = False


def play(lab: Lab, setup: Setup, wish: Wish | None = None) -> LabAnswer:
    """Run `lab`. Raises SpecError for what the wish names and is not there, LabFailed where the lab itself fails."""
    wish = wish or Wish()
    wanted = _wanted(lab, wish.charts)
    mission = lab.mission(wish.mission) if wish.mission is not None else None
    if mission:
        hold(lab, mission, setup)
    outcome, again = run(lab, setup), functools.partial(run, lab)
    result, before = outcome.result, wish.before
    return LabAnswer(
        lab=lab.id,
        settings=as_settings(setup),
        events=setup.events,
        seed=setup.seed,
        headline=result.headline,
        tiles=dict(result.tiles),
        terms=dict(result.terms),
        charts=_guarded(lab, lambda: {chart: _drawn(lab, result, chart) for chart in wanted}),
        remarks=tuple(result.remarks),
        refusal=result.refusal,
        evidence=result.evidence,
        changes=_guarded(lab, lambda: changes(lab, run(lab, before), outcome)) if before else None,
        mission=_guarded(lab, lambda: grade(lab, mission, outcome, again, wish.reveal)) if mission else None,
    )


def play_json(lab: Lab, setup: Setup, wish: Wish | None = None) -> str:
    """The answer as every door writes it; raises LabFailed too where the lab gave what JSON cannot hold."""
    answer = play(lab, setup, wish)
    return _guarded(lab, lambda: as_json(answer))


def run(lab: Lab, setup: Setup) -> Outcome:
    """The outcome of a set-up, every tile of the lab in it; a result is remembered, since runs are pure."""
    return _outcome(lab.run, tuple(tile.id for tile in lab.tiles), _Named(lab), setup)


@dataclass(frozen=True)
class _Named:
    """A lab as part of a key: one is the same as another if it is that lab."""

    lab: Lab

    def __hash__(self) -> int:
        return id(self.lab)

    def __eq__(self, other: object) -> bool:
        return isinstance(other, _Named) and other.lab is self.lab


@functools.lru_cache(maxsize=8)  # the set-up before is what was answered a moment ago
def _outcome(run: Any, tiles: tuple[str, ...], named: _Named, setup: Setup) -> Outcome:
    lab = named.lab

    def checked() -> Outcome:
        result = run(setup.settings, setup.events, setup.seed)
        if not isinstance(result, LabResult):
            raise TypeError(f"its run gave a {type(result).__name__} and no LabResult")
        for name in (*result.tiles, *result.charts):
            if name not in tiles and name not in [chart.id for chart in lab.charts]:
                raise UnknownName("run", "tile or chart", name, (*tiles, *(chart.id for chart in lab.charts)))
        figures = {name: _finite(result.tiles.get(name)) for name in tiles}
        return Outcome(setup, LabResult(**{**vars(result), "tiles": figures}))

    return _guarded(lab, checked)


def _finite(value: Any) -> float | int | None:
    """A figure as JSON has it: a plain number, null where it is none."""
    if value is None:
        return None
    number = value.item() if hasattr(value, "item") else value
    return number if math.isfinite(number) else None


def _wanted(lab: Lab, charts: Iterable[str] | None) -> list[str]:
    known = [chart.id for chart in lab.charts]
    wanted = known if charts is None else list(charts)
    for index, name in enumerate(wanted):
        if name not in known:
            if not known:
                raise SpecError(f"charts.{index}", f"{name!r} is not here; this lab has no charts")
            raise UnknownName(f"charts.{index}", "chart", name, known)
    return list(dict.fromkeys(wanted))


def _drawn(lab: Lab, result: LabResult, name: str) -> Data | None:
    data = result.charts.get(name)
    chart = next(chart for chart in lab.charts if chart.id == name)
    return fit(chart, data() if callable(data) else data)


def _guarded(lab: Lab, work: Callable[[], _T]) -> _T:
    """What `work` gives; whatever a lab's own code raises comes out under the lab's name."""
    try:
        return work()
    except LabFailed:
        raise
    except Exception as error:
        problem = f"{type(error).__name__}: {error}"
        sentence = f"the lab {lab.id} failed on these settings ({problem}); try others, or tell its authors"
        raise LabFailed(sentence) from error
