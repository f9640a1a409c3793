"""A lab: controls, a seeded model behind them, tiles, charts, events, missions, and the words around them.

To add one: a frozen dataclass of settings, a function `run(settings, events, seed) -> LabResult`, and a `Lab` that
declares what they mean. The page, the command line and HTTP read the declaration; none of them knows any lab by name.
"""

from __future__ import annotations

import dataclasses
import re
from collections.abc import Callable, Iterable, Mapping
from dataclasses import KW_ONLY, dataclass
from typing import Any

from servelab.errors import SpecError, UnknownName, shown
from servelab.labs.charts import Chart
from servelab.labs.controls import Control, ControlCard, control_cards
from servelab.labs.missions import Mission
from servelab.labs.pages import Page
from servelab.labs.result import LabResult, Outcome, Setup
from servelab.specs.fields import Choice, Number, declared

#: What a lab's figures rest on: a label, and what it means.
EVIDENCE = {
    "synthetic": (
        "Deterministic synthetic model",
        "Made inputs through a simplified model: the same seed gives the same figures. Nothing here was measured.",
    ),
    "analytical": ("Analytical", "Formulas and datasheet numbers. Nothing here was measured."),
    "calibrated": ("Calibrated", "A model whose constants were fitted to measurements; its figures were not measured."),
    "measured": ("Measured", "Figures that were measured, with their sources."),
}

SEED = Number("seed of every random draw", 0, 2**53 - 1, whole=True)

#: Names that the command line has for other things than settings.
_TAKEN = ("event", "events", "seed", "mission", "hint", "reveal", "json", "help", "lab")

_ID = re.compile(r"[a-z0-9]+(?:[-_][a-z0-9]+)*")

Run = Callable[[Any, tuple[str, ...], int], LabResult]
Why = Callable[[Outcome, Outcome], Mapping[str, str]]


@dataclass(frozen=True)
class Event:
    """Something that may happen in a run; without times it lasts from beginning to end."""

    id: str
    title: str
    words: str
    start_s: float | None = None
    end_s: float | None = None


@dataclass(frozen=True)
class Tile:
    """One figure: `better` is "lower", "higher" or None where neither is; a `headline` is shown large."""

    id: str
    title: str
    unit: str = ""
    better: str | None = None
    short: str = ""
    group: str = ""
    headline: bool = False
    words: str = ""
    formula: str = ""
    mathml: str | None = None
    source: str = ""

    def __post_init__(self) -> None:
        if self.better is not None:
            Choice("better", "direction", ("lower", "higher")).check(f"tiles.{self.id}.better", self.better)


@dataclass(frozen=True)
class Lab:
    """A small world with one lesson.

    `settings` is a frozen dataclass whose fields have a check and a default; `run` is pure: the same settings, events
    and seed give the same result. `why` puts into words, by tile, why a figure became worse where much became
    better. Raises SpecError where the declaration contradicts itself.
    """

    id: str
    title: str
    lesson: str
    evidence: str
    settings: type[Any]
    run: Run
    tiles: tuple[Tile, ...]
    _: KW_ONLY
    minutes: int = 5
    controls: tuple[Control, ...] = ()
    events: tuple[Event, ...] = ()
    charts: tuple[Chart, ...] = ()
    missions: tuple[Mission, ...] = ()
    pages: tuple[Page, ...] = ()
    why: Why | None = None

    def __post_init__(self) -> None:
        Choice("evidence", "kind of evidence", tuple(EVIDENCE)).check("evidence", self.evidence)
        if not isinstance(self.id, str) or not _ID.fullmatch(self.id):
            raise SpecError("id", f"{shown(self.id)} is no id; give lower-case words joined by dashes")
        if not dataclasses.is_dataclass(self.settings):
            raise SpecError("settings", f"{shown(self.settings)} is no dataclass; declare the settings as one")
        for name in ("tiles", "events", "charts", "missions", "pages"):
            _apart(name, [one.id for one in getattr(self, name)])
        self.control_cards()  # refuses what cannot be offered
        self._check_opening()
        for mission in self.missions:
            self._check_mission(mission)
        for page in self.pages:
            for block in page.blocks:
                if block.chart is not None:
                    _known(f"pages.{page.id}", "chart", block.chart, [chart.id for chart in self.charts])
                    self.setup(block.settings or {}, block.events or (), block.seed or 0)

    def _check_opening(self) -> None:
        for name in declared(self.settings):
            if name in _TAKEN:
                raise SpecError(f"settings.{name}", "the name is taken; give the setting another")
        try:
            hash(self.setup({}))
        except TypeError:
            name = self.settings.__name__
            raise SpecError("settings", f"{name} may change; declare it with @dataclass(frozen=True)") from None

    def _check_mission(self, mission: Mission) -> None:
        where = f"missions.{mission.id}"
        self.setup(mission.settings, mission.events, mission.seed)
        mission.check(self.tiles)
        for name in mission.fixed:
            _known(f"{where}.fixed", "setting", name, declared(self.settings))
        for name in mission.solution or {}:
            if name in mission.fixed:
                raise SpecError(f"{where}.solution", f"{name} is fixed; solve it with the others")
        self.setup({**mission.settings, **(mission.solution or {})}, mission.events, mission.seed)

    def control_cards(self) -> tuple[ControlCard, ...]:
        """The controls as they are drawn."""
        return control_cards(self.settings, self.controls)

    def setup(self, settings: Mapping[str, Any], events: Iterable[str] = (), seed: int = 0) -> Setup:
        """A set-up from changes to the default one, all checked; raises SpecError that names the bad field."""
        checks = declared(self.settings)
        for name in settings:
            _known(f"settings.{name}", "setting", name, checks)
        values = {name: checks[name].check.check(f"settings.{name}", value) for name, value in settings.items()}
        known = [event.id for event in self.events]
        wanted = list(events)
        for index, event in enumerate(wanted):
            if not known:
                raise SpecError(f"events.{index}", f"{shown(event)} cannot happen; this lab has no events")
            _known(f"events.{index}", "event", event, known)
        chosen = tuple(event for event in known if event in wanted)
        return Setup(self.settings(**values), chosen, SEED.check("seed", seed))

    def opening(self, mission: str | None = None) -> Setup:
        """The set-up that the lab, or one of its missions, begins with."""
        if mission is None:
            return self.setup({})
        begun = self.mission(mission)
        return self.setup(begun.settings, begun.events, begun.seed)

    def mission(self, name: str) -> Mission:
        """The mission of that id; raises UnknownName."""
        if not self.missions:
            raise SpecError("mission", f"{shown(name)} is not here; this lab has no missions")
        _known("mission", "mission", name, [mission.id for mission in self.missions])
        return next(mission for mission in self.missions if mission.id == name)


def _apart(name: str, ids: list[str]) -> None:
    twice = sorted({one for one in ids if ids.count(one) > 1})
    if twice:
        raise SpecError(name, f"{shown(twice[0])} is there twice; give each its own id")


def _known(field: str, kind: str, name: object, names: Iterable[str]) -> None:
    known = list(names)
    if name not in known:
        raise UnknownName(field, kind, name, known)
