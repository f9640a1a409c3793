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
    """A tile that must be at most, or at least, so much; a tile without a figure meets nothing.

    A `quiet` one is hardly ever in play, and need be told of only where it is broken.
    """

    tile: str
    at_most: float | None = None
    at_least: float | None = None
    quiet: bool = False

    def __post_init__(self) -> None:
        if (self.at_most is None) == (self.at_least is None):
            raise SpecError(f"wants.{self.tile}", "it needs one bound; give at_most or at_least")

    def met(self, value: float | int | None) -> bool:
        """Whether a figure is within the bound."""
        if value is None:
            return False
        return value <= self.at_most if self.at_most is not None else value >= (self.at_least or 0)

    def asks_more_than(self, other: Want) -> bool:
        """Whether it is of another tile, or a narrower bound on the same."""
        if self.tile != other.tile:
            return True
        if self.at_most is not None:
            return other.at_most is None or self.at_most < other.at_most
        return other.at_least is None or (self.at_least or 0) > other.at_least


@dataclass(frozen=True)
class Star:
    """What a star is given for: in words, and as wants that must all be met, those of the stars before it as well."""

    words: str
    wants: tuple[Want, ...]


@dataclass(frozen=True)
class Hint:
    """A hint, and the star (1, 2, 3) that it helps to reach."""

    text: str
    star: int


@dataclass(frozen=True)
class Mission:
    """A goal from a set-up that misses it.

    `symptom` is what is wrong in the words of whoever suffers from it. `teaches` is the lesson; it gives part of the
    answer away, and is for those who have a star. `judged` are the tiles that tell what an answer costs and how good it
    is; stars after the first want only these. `fixed` settings, events and seed are part of the question. `solution`
    are settings that earn all stars, for those who give up. `after` are missions that must be passed before
    ("lab/mission"); None is the one before it in its lab.
    """

    id: str
    title: str
    goal: str
    stars: tuple[Star, ...]
    _: KW_ONLY
    symptom: str = ""
    teaches: str = ""
    minutes: int = 5
    settings: Mapping[str, Any] = field(default_factory=dict)
    events: tuple[str, ...] = ()
    seed: int = 0
    fixed: tuple[str, ...] = ()
    judged: tuple[str, ...] = ()
    hints: tuple[Hint, ...] = ()
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
            before = [want for earlier in self.stars[:index] for want in earlier.wants]
            for want in star.wants:
                _check_want(at, want, better)
                if index and want.tile not in self.judged:
                    raise SpecError(at, f"{want.tile} is neither cost nor quality; want it for the first star only")
                if not all(want.asks_more_than(other) for other in before):
                    raise SpecError(at, f"an earlier star wants as much of {want.tile}; give only what is new")
        self._check_hints(f"{where}.hints")
        for name in self.judged:
            if name not in better:
                raise UnknownName(f"{where}.judged", "tile", name, better)

    def _check_hints(self, where: str) -> None:
        for index, hint in enumerate(self.hints):
            if not 1 <= hint.star <= len(self.stars):
                raise SpecError(f"{where}.{index}", f"{hint.star} is no star of it; give 1 to {len(self.stars)}")
        helped = {hint.star for hint in self.hints}
        for star in range(1, len(self.stars) + 1):
            if helped and star not in helped:
                raise SpecError(where, f"none is for star {star}; give each star one, or no hints at all")


def _check_want(at: str, want: Want, better: Mapping[str, str | None]) -> None:
    if want.tile not in better:
        raise UnknownName(at, "tile", want.tile, better)
    wanted = "lower" if want.at_most is not None else "higher"
    if better[want.tile] != wanted:
        bound = "at_least" if wanted == "lower" else "at_most"
        raise SpecError(at, f"{want.tile} is not better when {wanted}; give {bound}, or want another tile")
