"""The bodies of requests about several schedulers: each is the whole question, so that no answer depends on another."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Annotated, Any

from servelab.errors import SpecError, UnknownName
from servelab.sim.slots import LENGTHS, SLOTS
from servelab.specs.arrivals import Arrivals
from servelab.specs.deployment import Deployment
from servelab.specs.fields import STRICT, AmountOrZero, Choice, CountOrZero, Counts, Flag, Number, Text, check_fields
from servelab.specs.records import Records
from servelab.specs.scheduler import Scheduler
from servelab.specs.tracetext import Content, TraceText

#: Schedulers side by side, requests of one run, bins of a window, requests told one by one: at most.
MOST_SCHEDULERS = 4
MOST_REQUESTS = 1_000_000
MOST_BINS = 600
MOST_ROWS = 2_000

#: Two times that differ by a smaller share are too near to lie bins between.
_NEAREST = 1e-9

MOVES = ("here", "next", "previous")


@dataclass(frozen=True)
class SentTrace(TraceText):
    """A trace by its content or, once that was sent, by the digest that the answer gave for it."""

    text: Annotated[str, Content("content of the file: CSV or JSON lines, told by its columns")] | None = None  # type: ignore[assignment]
    digest: Annotated[str, Text("trace_digest of an earlier answer, instead of the text")] | None = None

    def __post_init__(self) -> None:
        check_fields(self)
        if (self.text is None) == (self.digest is None):
            given = "nothing is given" if self.text is None else "a digest is given too"
            raise SpecError("text", f"{given}; give either text or digest")


@dataclass(frozen=True)
class Question:
    """One deployment, the same requests, and the schedulers to compare.

    The requests are either described (`traffic`) or those of a trace's content (`trace`).
    """

    __pydantic_config__ = STRICT

    deployment: Deployment
    schedulers: Annotated[tuple[Scheduler, ...], Records("schedulers to compare, 1 to 4", Scheduler)]
    traffic: Arrivals | None = None
    trace: SentTrace | None = None
    ttft_target_s: Annotated[float, AmountOrZero("time to first token to meet, seconds")] | None = None
    tpot_target_s: Annotated[float, AmountOrZero("time per output token to meet, seconds")] | None = None

    def __post_init__(self) -> None:
        if not 1 <= len(self.schedulers) <= MOST_SCHEDULERS:
            raise SpecError("schedulers", f"{len(self.schedulers)} is out of range; give 1 to {MOST_SCHEDULERS}")
        if (self.traffic is None) == (self.trace is None):
            given = "neither is given" if self.traffic is None else "a trace is given too"
            raise SpecError("traffic", f"{given}; give either traffic or trace")
        if self.traffic and self.traffic.requests > MOST_REQUESTS:
            asked = f"{self.traffic.requests:,} requests are too many to compare"
            raise SpecError("traffic.requests", f"{asked}; give at most {MOST_REQUESTS:,}")


@dataclass(frozen=True)
class CompareRequest(Question):
    """The whole of the runs; with `progress`, lines that tell how far they are and the answer as the last."""

    bins: Annotated[int, Number("bins of the timeline", 1, MOST_BINS, whole=True)] = 400
    rows: Annotated[int, Number("requests told one by one, at most", 1, MOST_ROWS, whole=True)] = MOST_ROWS
    progress: Annotated[bool, Flag("whether to tell how far the runs are")] = False


@dataclass(frozen=True)
class Stretch:
    """A stretch of simulated time."""

    __pydantic_config__ = STRICT

    start_s: Annotated[float, AmountOrZero("start, seconds")]
    end_s: Annotated[float, AmountOrZero("end, seconds")]

    def __post_init__(self) -> None:
        check_fields(self)
        if not self.end_s > self.start_s:
            raise SpecError("end_s", f"{self.end_s:g} is not after start_s, {self.start_s:g}; give a later end")
        if self.end_s - self.start_s < _NEAREST * max(self.end_s, 1.0):
            raise SpecError("end_s", f"{self.end_s!r} is too near to start_s, {self.start_s!r}; give a later end")


@dataclass(frozen=True)
class WindowRequest(Question):
    """A part of the runs; all of it without a window."""

    window: Stretch | None = None
    bins: Annotated[int, Number("bins of the timeline", 1, MOST_BINS, whole=True)] = 400
    rows: Annotated[int, Number("requests told one by one, at most", 1, MOST_ROWS, whole=True)] = MOST_ROWS


@dataclass(frozen=True)
class LifeRequest(Question):
    """One request under one of the schedulers."""

    scheduler: Annotated[int, CountOrZero("which of the schedulers, from 0")] = 0
    request: Annotated[int, CountOrZero("which request, from 0, in order of arrival")] = 0

    def __post_init__(self) -> None:
        super().__post_init__()
        _check_scheduler(self)


@dataclass(frozen=True)
class StepRequest(Question):
    """One row of the timeline of one of the schedulers."""

    scheduler: Annotated[int, CountOrZero("which of the schedulers, from 0")] = 0
    at_s: Annotated[float, AmountOrZero("simulated time, seconds")] = 0.0
    move: Annotated[str, Choice("the row at that time, or the one beside it", "move", MOVES)] = "here"

    def __post_init__(self) -> None:
        super().__post_init__()
        _check_scheduler(self)


def _check_scheduler(question: Any) -> None:
    if question.scheduler >= len(question.schedulers):
        raise UnknownName("scheduler", "scheduler", question.scheduler, map(str, range(len(question.schedulers))))


@dataclass(frozen=True)
class SlotsRequest:
    """Requests of so many decode iterations, and the slots that they share."""

    __pydantic_config__ = STRICT

    lengths: Annotated[tuple[int, ...], Counts("decode iterations of each request, at most 100", 64)] = LENGTHS
    slots: Annotated[int, Number("slots", 1, 16, whole=True)] = SLOTS

    def __post_init__(self) -> None:
        if max(self.lengths) > 100:
            raise SpecError("lengths", f"{max(self.lengths)} is out of range; give at most 100 iterations each")
