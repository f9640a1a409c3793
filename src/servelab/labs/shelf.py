"""The labs that are there: servelab's own, and those that other distributions bring.

A distribution brings a lab by an entry point in the group "servelab.labs" that leads to a Lab. One that cannot be used
is named with the reason, and spoils nothing.
"""

from __future__ import annotations

import functools
import importlib
from collections.abc import Iterator
from dataclasses import dataclass
from importlib.metadata import EntryPoint, entry_points

import servelab
from servelab.errors import UnknownName
from servelab.labs.lab import Lab

GROUP = "servelab.labs"

#: servelab's own labs, in the order in which they are shown: where each one's LAB is.
_OWN = (
    "servelab.labs.grouped_query",
    "servelab.labs.deploy",
    "servelab.labs.int4_layers",
    "servelab.labs.long_context",
)


@dataclass(frozen=True)
class Placed:
    """A lab, and the distribution that brought it."""

    lab: Lab
    source: str


@dataclass(frozen=True)
class Broken:
    """A lab that cannot be used: the name of its entry point, who brought it, and why."""

    name: str
    distribution: str
    reason: str


@dataclass(frozen=True)
class Shelf:
    """All labs by id, and what could not be loaded."""

    labs: dict[str, Placed]
    broken: tuple[Broken, ...]

    def find(self, name: str) -> Lab:
        """The lab of that id; raises UnknownName."""
        if name not in self.labs:
            raise UnknownName("lab", "lab", name, self.labs)
        return self.labs[name].lab


@functools.cache
def shelf() -> Shelf:
    """What this process has; read once."""
    own = f"servelab {servelab.__version__}"
    labs = {}
    for name in _OWN:
        lab: Lab = importlib.import_module(name).LAB
        labs[lab.id] = Placed(lab, own)
    broken = []
    for entry, source in _brought():
        try:
            lab = _loaded(entry)
            if lab.id in labs:
                raise TypeError(f"there is already a lab {lab.id!r}, from {labs[lab.id].source}")
        except (Exception, SystemExit) as error:  # whatever a stranger's module does when it is imported
            broken.append(Broken(entry.name, source, f"{type(error).__name__}: {error}"))
        else:
            labs[lab.id] = Placed(lab, source)
    return Shelf(labs, tuple(broken))


def _brought() -> Iterator[tuple[EntryPoint, str]]:
    """The entry points of others, by name, with their distributions."""
    for entry in sorted(entry_points(group=GROUP), key=lambda entry: entry.name):
        brought_by = entry.dist
        yield entry, f"{brought_by.name} {brought_by.version}" if brought_by else "an unknown distribution"


def _loaded(entry: EntryPoint) -> Lab:
    lab = entry.load()
    if not isinstance(lab, Lab):
        raise TypeError(f"{entry.value} is of type {type(lab).__name__}; let it be a servelab.labs.lab.Lab")
    return lab
