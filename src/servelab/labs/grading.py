"""Grading a mission: which stars a run earns, what is wanted beside what is there, and what there is to learn."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from servelab.errors import SpecError
from servelab.labs.changes import changes, figure_text
from servelab.labs.lab import Lab, Tile
from servelab.labs.missions import Mission, Star, Want
from servelab.labs.result import Outcome, Setup


@dataclass(frozen=True)
class Judged:
    """A want of a star: the tile and what it is called, what is wanted of it, and its figure in this run.

    A `quiet` one need be shown only where it is not met.
    """

    tile: str
    label: str
    wanted: str
    now: str
    met: bool
    quiet: bool


@dataclass(frozen=True)
class MissionAnswer:
    """How a run does in a mission.

    `stars` says of each whether its own condition holds; `earned` counts those in a row from the first. `reveal` and
    `solution` are null until the mission is passed or they are asked for.
    """

    id: str
    stars: tuple[bool, ...]
    earned: int
    passed: bool
    words: tuple[str, ...]
    present: tuple[tuple[Judged, ...], ...]
    reveal: str | None
    solution: dict[str, Any] | None


def hold(lab: Lab, mission: Mission, setup: Setup) -> None:
    """Raises SpecError where a set-up changes what is part of the mission's question."""
    begun = lab.opening(mission.id)
    for name in mission.fixed:
        if getattr(setup.settings, name) != getattr(begun.settings, name):
            kept = getattr(begun.settings, name)
            raise SpecError(f"settings.{name}", f"this mission keeps it at {kept}; change another")
    if setup.events != begun.events:
        kept = " and ".join(begun.events) or "none"
        raise SpecError("events", f"this mission keeps what happens ({kept}); change a setting")
    if setup.seed != begun.seed:
        raise SpecError("seed", f"this mission keeps it at {begun.seed}; change a setting")


def grade(lab: Lab, mission: Mission, outcome: Outcome, run: Callable[[Setup], Outcome], reveal: bool) -> MissionAnswer:
    """The stars of a run, and with them (or where `reveal` asks for it) what the mission teaches."""
    tiles = {tile.id: tile for tile in lab.tiles}
    present = tuple(tuple(_judged(tiles[want.tile], want, outcome) for want in star.wants) for star in mission.stars)
    stars = tuple(all(one.met for one in wants) for wants in present)
    earned = next((index for index, met in enumerate(stars) if not met), len(stars))
    told = earned > 0 or reveal
    return MissionAnswer(
        id=mission.id,
        stars=stars,
        earned=earned,
        passed=earned > 0,
        words=tuple(_words(star, stars, index) for index, star in enumerate(mission.stars)),
        present=present,
        reveal=_reveal(lab, mission, outcome, run, earned > 0) if told else None,
        solution=dict(mission.solution) if told and mission.solution is not None else None,
    )


def _judged(tile: Tile, want: Want, outcome: Outcome) -> Judged:
    value = outcome.result.tiles.get(tile.id)
    met, now = want.met(value), figure_text(value, tile.unit)
    bound = want.at_most if want.at_most is not None else want.at_least
    if not met and now == figure_text(bound, tile.unit):
        now = f"just {'over' if want.at_most is not None else 'under'} {now}"
    return Judged(tile.id, tile.title, wanted(want, tile), now, met, want.quiet)


def wanted(want: Want, tile: Tile) -> str:
    """A bound for people."""
    if want.at_most is not None:
        return "none" if want.at_most == 0 else f"at most {figure_text(want.at_most, tile.unit)}"
    return f"at least {figure_text(want.at_least, tile.unit)}"


def _words(star: Star, stars: tuple[bool, ...], index: int) -> str:
    """What holds of a star; one that is met before those above it may be lost on the way to them."""
    if stars[index] and not all(stars[:index]):
        return f"Met now; counts once star {stars.index(False) + 1} is met too: {star.words}"
    return f"{'Met' if stars[index] else 'Not met'}: {star.words}"


def _reveal(lab: Lab, mission: Mission, outcome: Outcome, run: Callable[[Setup], Outcome], passed: bool) -> str | None:
    """Told of the player's own run where it solves the mission, else of the mission's own answer."""
    if mission.reveal is None:
        return None
    begun = run(lab.opening(mission.id))
    if passed or mission.solution is None:
        return mission.reveal(begun, outcome)
    settings = {**mission.settings, **mission.solution}
    solved = run(lab.setup(settings, mission.events, mission.seed))
    return f"One answer would be {changes(lab, begun, solved).summary}. {mission.reveal(begun, solved)}"
