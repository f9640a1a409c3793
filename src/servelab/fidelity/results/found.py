"""What a results file says: the runs in it, each with its setting, its load and its figures."""

from __future__ import annotations

from dataclasses import dataclass, field

from servelab.errors import SpecError, shown
from servelab.fidelity.setup import Setup
from servelab.specs.result import Load


class ResultsError(SpecError):
    """Results that cannot be used: `source` is the file, with the line where it has several."""

    def __init__(self, source: str, problem: str) -> None:
        super().__init__("results", f"{source} cannot be used: {problem}")
        self.source = source


@dataclass(frozen=True)
class Found:
    """One run as a tool wrote it down: `source` is where, `setup` what the file says of the server, as far as it does.

    `metrics` are means where the tool has them, else medians, by the names of a Result's.
    """

    source: str
    tool: str
    setup: Setup
    load: Load
    metrics: dict[str, float]


@dataclass(frozen=True)
class LeftOut:
    """A run that is not used, and why."""

    source: str
    reason: str


@dataclass
class Runs:
    """What files hold: runs to be used, and those that are left out with the reason."""

    found: list[Found] = field(default_factory=list)
    left_out: list[LeftOut] = field(default_factory=list)


def place(name: str, line: int) -> str:
    """A file as messages call it, with the line from 1 on; 0 where it holds one result."""
    return f"line {line:,} of {shown(name)}" if line else shown(name)
