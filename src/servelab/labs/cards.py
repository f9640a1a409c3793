"""A lab as the page and the command line read it: all that is declared, nothing that runs."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from servelab.labs.changes import as_settings
from servelab.labs.charts import Chart
from servelab.labs.controls import ControlCard
from servelab.labs.lab import EVIDENCE, Event, Lab, Tile
from servelab.labs.missions import Hint, Want
from servelab.labs.pages import Page
from servelab.labs.paths import PATHS, Course
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
class MissionCard:
    """A mission before it is played: all but its answer and what it reveals.

    `key` names it among all labs' missions, `order` is its place among them, `after` are the keys of those that must be
    passed first. `symptom` is for all to see, `teaches` for those who have a star. `stars` say in words, and `wants` as
    bounds, what is new with each star; a hint helps to reach its `star`.
    """

    id: str
    key: str
    order: int
    title: str
    goal: str
    symptom: str
    teaches: str
    minutes: int
    stars: tuple[str, ...]
    wants: tuple[tuple[Want, ...], ...]
    settings: dict[str, Any]
    events: tuple[str, ...]
    seed: int
    fixed: tuple[str, ...]
    hints: tuple[Hint, ...]
    after: tuple[str, ...]


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
    missions: tuple[MissionCard, ...]
    pages: tuple[Page, ...]
    defaults: Defaults


@dataclass(frozen=True)
class LabList:
    """The labs that are there, those that cannot be used, with the reason, and paths through all there is to do."""

    labs: tuple[LabCard, ...]
    broken: tuple[Broken, ...]
    paths: tuple[Course, ...]


def lab_list(shelf: Shelf) -> LabList:
    """All labs of a shelf."""
    cards = []
    order = 0
    for placed in shelf.labs.values():
        cards.append(lab_card(placed, order))
        order += len(placed.lab.missions)
    return LabList(tuple(cards), shelf.broken, PATHS)


def lab_card(placed: Placed, order: int = 0) -> LabCard:
    """The card of one lab, whose first mission has that place among all."""
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
        missions=mission_cards(lab, order),
        pages=lab.pages,
        defaults=Defaults(as_settings(opening), opening.events, opening.seed),
    )


def mission_cards(lab: Lab, order: int = 0) -> tuple[MissionCard, ...]:
    """The missions of a lab in order, each unlocked by the one before it where it names no others."""
    cards: list[MissionCard] = []
    for mission in lab.missions:
        after = mission.after if mission.after is not None else tuple(card.key for card in cards[-1:])
        cards.append(
            MissionCard(
                id=mission.id,
                key=f"{lab.id}/{mission.id}",
                order=order + len(cards),
                title=mission.title,
                goal=mission.goal,
                symptom=mission.symptom,
                teaches=mission.teaches,
                minutes=mission.minutes,
                stars=tuple(star.words for star in mission.stars),
                wants=tuple(star.wants for star in mission.stars),
                settings=dict(mission.settings),
                events=mission.events,
                seed=mission.seed,
                fixed=mission.fixed,
                hints=mission.hints,
                after=after,
            )
        )
    return tuple(cards)
