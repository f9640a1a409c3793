"""Missions: goals from a broken set-up, as data. What a star is given for is a tile of the lab against a bound.

A bound goes in the direction in which its tile is better, so that a set-up that is better in every figure never earns
fewer stars. The first star is the goal; the others are for answers that reach it at less cost or with more quality, and
may want nothing else.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import KW_ONLY, dataclass, field
from typing import Any, Protocol

from servelab.errors import SpecError, UnknownName
from servelab.labs.result import Outcome

MOST_STARS = 3

#: What a mission teaches, told with the figures of two runs: the set-up that it begins with, and one that solves it.
Reveal = Callable[[Outcome, Outcome], str]


class Figure(Protocol):
    """What a mission must know of a tile."""

    @property
    def id(self) -> str: ...

    @property
    def better(self) -> str | None: ...


@dataclass(frozen=True)
class Want:
    """A tile that must be at most, or at least, so much; a tile without a figure meets nothing."""

    tile: str
    at_most: float | None = None
    at_least: float | None = None

    def __post_init__(self) -> None:
        if (self.at_most is None) == (self.at_least is None):
            raise SpecError(f"wants.{self.tile}", "it needs one bound; give at_most or at_least")

    def met(self, value: float | int | None) -> bool:
        """Whether a figure is within the bound."""
        if value is None:
            return False
        return value <= self.at_most if self.at_most is not None else value >= (self.at_least or 0)


@dataclass(frozen=True)
class Star:
    """What a star is given for: in words, and as wants that must all be met."""

    words: str
    wants: tuple[Want, ...]


@dataclass(frozen=True)
class Mission:
    """A goal from a set-up that misses it.

    `judged` are the tiles that tell what an answer costs and how good it is; stars after the first want only these.
    `fixed` settings, events and seed are part of the question. `solution` are settings that earn all stars, for those
    who give up. `after` are missions that must be passed before ("lab/mission"); None is the one before it in its lab.
    """

    id: str
    title: str
    goal: str
    stars: tuple[Star, ...]
    _: KW_ONLY
    teaches: str = ""
    minutes: int = 5
    settings: Mapping[str, Any] = field(default_factory=dict)
    events: tuple[str, ...] = ()
    seed: int = 0
    fixed: tuple[str, ...] = ()
    judged: tuple[str, ...] = ()
    hints: tuple[str, ...] = ()
    solution: Mapping[str, Any] | None = None
    reveal: Reveal | None = None
    after: tuple[str, ...] | None = None

    def check(self, tiles: Iterable[Figure]) -> None:
        """Raises SpecError where its stars want what the lab does not show, or what is not better."""
        where, better = f"missions.{self.id}", {tile.id: tile.better for tile in tiles}
        if not 1 <= len(self.stars) <= MOST_STARS:
            raise SpecError(f"{where}.stars", f"there are {len(self.stars)} of them; give 1 to {MOST_STARS}")
        for index, star in enumerate(self.stars):
            at = f"{where}.stars.{index}"
            if not star.wants:
                raise SpecError(at, "it wants nothing; give it a Want")
            for want in star.wants:
                _check_want(at, want, better)
                if index and want.tile not in self.judged:
                    raise SpecError(at, f"{want.tile} is neither cost nor quality; want it for the first star only")
        for name in self.judged:
            if name not in better:
                raise UnknownName(f"{where}.judged", "tile", name, better)


def _check_want(at: str, want: Want, better: Mapping[str, str | None]) -> None:
    if want.tile not in better:
        raise UnknownName(at, "tile", want.tile, better)
    wanted = "lower" if want.at_most is not None else "higher"
    if better[want.tile] != wanted:
        bound = "at_least" if wanted == "lower" else "at_most"
        raise SpecError(at, f"{want.tile} is not better when {wanted}; give {bound}, or want another tile")
