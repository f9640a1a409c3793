"""What a change did: every tile before and after, whether that is better, in words, and why where it is not."""

from __future__ import annotations

import dataclasses
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from servelab.labs.figures import show, three
from servelab.labs.lab import Lab, Tile
from servelab.labs.result import Outcome, Setup


@dataclass(frozen=True)
class SettingChange:
    """A setting (or "events", or "seed") before and after."""

    id: str
    label: str
    before: Any
    after: Any
    words: str


@dataclass(frozen=True)
class TileChange:
    """A figure before and after: better, worse, same (it reads the same) or unknown, and why where it is worse."""

    before: float | int | None
    after: float | int | None
    difference: float | int | None
    ratio: float | None
    verdict: str
    words: str
    why: str | None


@dataclass(frozen=True)
class Changes:
    """Everything that differs between two set-ups of one lab, and what came of it."""

    settings: tuple[SettingChange, ...]
    summary: str
    tiles: dict[str, TileChange]


def changes(lab: Lab, before: Outcome, after: Outcome) -> Changes:
    """What the step from one outcome to the other changed."""
    settings = _settings(lab, before.setup, after.setup)
    reasons = lab.why(before, after) if lab.why and settings else {}
    tiles = {
        tile.id: _tile(tile, before.result.tiles.get(tile.id), after.result.tiles.get(tile.id), reasons)
        for tile in lab.tiles
    }
    return Changes(settings, ", ".join(f"{one.label} {one.words}" for one in settings), tiles)


def _settings(lab: Lab, before: Setup, after: Setup) -> tuple[SettingChange, ...]:
    found = []
    for card in lab.control_cards():
        old, new = (getattr(setup.settings, card.id) for setup in (before, after))
        if old != new:
            names = {choice.value: choice.label for choice in card.choices}
            words = " → ".join(names.get(value) or setting_text(value, card.unit) for value in (old, new))
            found.append(SettingChange(card.id, card.label, old, new, words))
    if before.events != after.events:
        titles = {event.id: event.title for event in lab.events}
        words = " → ".join(" and ".join(titles[one] for one in setup.events) or "none" for setup in (before, after))
        found.append(SettingChange("events", "Events", list(before.events), list(after.events), words))
    if before.seed != after.seed:
        words = f"{before.seed} → {after.seed}"
        found.append(SettingChange("seed", "Seed", before.seed, after.seed, words))
    return tuple(found)


def setting_text(value: Any, unit: str) -> str:
    """A setting for people."""
    if isinstance(value, bool):
        return "on" if value else "off"
    if isinstance(value, str):
        return value
    if unit == "fraction":
        return f"{100 * value:g} %"
    return f"{value:,} {unit}".strip() if isinstance(value, int) else f"{value:g} {unit}".strip()


def figure_text(value: float | int | None, unit: str) -> str:
    """A figure for people, as the page writes it; a dash where there is none."""
    return "—" if value is None else show(value, unit)


def _tile(tile: Tile, before: float | int | None, after: float | int | None, reasons: Mapping[str, str]) -> TileChange:
    if before is None or after is None:
        words = "" if before is after else "no figure before" if before is None else "no figure now"
        return TileChange(before, after, None, None, "same" if before is after else "unknown", words, None)
    difference = after - before
    ratio = after / before if before else None
    if figure_text(before, tile.unit) == figure_text(after, tile.unit):
        return TileChange(before, after, difference, ratio, "same", "the same", None)
    verdict = "unknown"
    if tile.better is not None:
        verdict = "better" if (difference > 0) == (tile.better == "higher") else "worse"
    why = reasons.get(tile.id) if verdict == "worse" else None
    return TileChange(before, after, difference, ratio, verdict, _moved(tile.unit, before, after), why)


def _moved(unit: str, before: float | int, after: float | int) -> str:
    """How far a figure moved: counts by how many, shares by points, all else by its ratio."""
    up = after > before
    if unit in ("", "requests") and isinstance(before, int) and isinstance(after, int):
        return f"{abs(after - before):,} {'more' if up else 'fewer'}"
    if unit in ("fraction", "points"):
        points = abs(after - before) * (100 if unit == "fraction" else 1)
        return f"{three(points)} points {'higher' if up else 'lower'}"
    if before == 0 or after == 0 or (before < 0) != (after < 0):
        return f"{'up' if up else 'down'} from {figure_text(before, unit)}"
    ratio = after / before
    if ratio >= 2:
        return f"{ratio:.3g} times as high"
    if ratio <= 0.1:
        return f"{1 / ratio:.3g} times lower"
    percent = 100 * abs(ratio - 1)
    return f"{percent:.{0 if percent >= 10 else 1 if percent >= 1 else 2}f} % {'higher' if up else 'lower'}"


def as_settings(setup: Setup) -> dict[str, Any]:
    """The settings of a set-up as plain data."""
    return {one.name: getattr(setup.settings, one.name) for one in dataclasses.fields(setup.settings)}
