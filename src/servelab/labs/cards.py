"""A lab as the page and the command line read it: all that is declared, nothing that runs."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from servelab.labs.changes import as_settings
from servelab.labs.charts import Chart
from servelab.labs.controls import ControlCard
from servelab.labs.lab import EVIDENCE, Event, Mission, Tile
from servelab.labs.pages import Page
from servelab.labs.shelf import Broken, Placed, Shelf


@dataclass(frozen=True)
class Evidence:
    """What the figures rest on."""

    id: str
    label: str
    words: str


@dataclass(frozen=True)
class Defaults:
    """The set-up that a lab opens on."""

    settings: dict[str, Any]
    events: tuple[str, ...]
    seed: int


@dataclass(frozen=True)
class LabCard:
    """Everything there is to know of a lab before it runs."""

    id: str
    title: str
    lesson: str
    minutes: int
    evidence: Evidence
    source: str
    controls: tuple[ControlCard, ...]
    events: tuple[Event, ...]
    tiles: tuple[Tile, ...]
    charts: tuple[Chart, ...]
    missions: tuple[Mission, ...]
    pages: tuple[Page, ...]
    defaults: Defaults


@dataclass(frozen=True)
class LabList:
    """The labs that are there, and those that cannot be used, with the reason."""

    labs: tuple[LabCard, ...]
    broken: tuple[Broken, ...]


def lab_card(placed: Placed) -> LabCard:
    """The card of one lab."""
    lab, opening = placed.lab, placed.lab.setup({})
    return LabCard(
        id=lab.id,
        title=lab.title,
        lesson=lab.lesson,
        minutes=lab.minutes,
        evidence=Evidence(lab.evidence, *EVIDENCE[lab.evidence]),
        source=placed.source,
        controls=lab.control_cards(),
        events=lab.events,
        tiles=lab.tiles,
        charts=lab.charts,
        missions=lab.missions,
        pages=lab.pages,
        defaults=Defaults(as_settings(opening), opening.events, opening.seed),
    )


def lab_list(shelf: Shelf) -> LabList:
    """All labs of a shelf."""
    return LabList(tuple(lab_card(placed) for placed in shelf.labs.values()), shelf.broken)
