"""The same requests under several schedulers: simulated where they have not been lately."""

from __future__ import annotations

import functools
from typing import NamedTuple

from servelab import api
from servelab.errors import SpecError, TraceError
from servelab.server.compare_requests import MOST_REQUESTS, Question
from servelab.server.recordings import Recordings, key_of
from servelab.server.work import Look
from servelab.sim import compiled
from servelab.sim.recording import Recording
from servelab.specs.references import naming
from servelab.specs.scheduler import Scheduler
from servelab.specs.traces import read_text
from servelab.specs.tracetext import TraceText
from servelab.specs.traffic import Traffic

#: A cache of a pure function.
_RECORDINGS = Recordings()


class Compared(NamedTuple):
    """One scheduler's run, or why there is none."""

    scheduler: Scheduler
    recording: Recording | None
    refusal: SpecError | None


def compare(question: Question, look: Look) -> list[Compared]:
    """A run for each scheduler of the question; one that is refused leaves the others.

    Raises SpecError where all are refused, with the first one's reason.
    """
    asked = _Asked(question, look)
    compared = [asked.run(scheduler) for scheduler in question.schedulers]
    if all(one.refusal for one in compared):
        raise compared[0].refusal or SpecError("schedulers", "none can run; give others")
    return compared


def one_of(question: Question, scheduler: int, look: Look) -> Recording:
    """The run of one of the question's schedulers. Raises SpecError where it is refused."""
    found = _Asked(question, look).run(question.schedulers[scheduler])
    if found.recording is None:
        raise found.refusal or SpecError("scheduler", f"{scheduler} cannot run; give another")
    return found.recording


def format_of(trace: TraceText | None) -> str | None:
    """The name of a trace's format."""
    return read_text(trace.text, trace.name, most=1).format if trace else None


class _Asked:
    """A question as it is worked on: its requests, drawn or read when first needed, and how far all runs are."""

    def __init__(self, question: Question, look: Look) -> None:
        self._question = question
        self._look = look
        self._done = 0
        self._plain = False
        targets = question.ttft_target_s, question.tpot_target_s
        self._key = key_of(question.deployment, question.traffic, question.trace, targets)

    @functools.cached_property
    def _traffic(self) -> Traffic:
        question = self._question
        if question.trace is None:
            assert question.traffic is not None  # noqa: S101 - a question has one or the other
            with naming("traffic"):
                return Traffic.of(question.traffic)
        try:
            with naming("trace"):
                traffic = Traffic.read(question.trace)
        except TraceError as error:
            raise SpecError("trace.text", error.message) from None
        if len(traffic) > MOST_REQUESTS:
            raise SpecError("trace.most", f"{len(traffic):,} requests are too many; give at most {MOST_REQUESTS:,}")
        return traffic

    def run(self, scheduler: Scheduler) -> Compared:
        """The run under `scheduler`, from the cache where it is there."""
        key = key_of(self._key, scheduler)
        recording = _RECORDINGS.get(key)
        if recording is None:
            try:
                recording = self._simulated(scheduler, self._traffic)
            except SpecError as refusal:
                return Compared(scheduler, None, refusal)
            _RECORDINGS.put(key, recording)
        self._done += 1
        return Compared(scheduler, recording, None)

    def _simulated(self, scheduler: Scheduler, traffic: Traffic) -> Recording:
        """A run that was begun uncompiled begins anew once the compiled engine is there, which soon makes up for it."""
        _compile()
        self._plain = not compiled.is_ready()
        try:
            return self._run(scheduler, traffic)
        except _CompiledByNow:
            self._plain = False
            return self._run(scheduler, traffic)

    def _run(self, scheduler: Scheduler, traffic: Traffic) -> Recording:
        question = self._question
        with naming("deployment"):
            run = api.simulate(
                question.deployment,
                traffic,
                scheduler,
                ttft_target_s=question.ttft_target_s,
                tpot_target_s=question.tpot_target_s,
                progress=self._tell,
                wait_for_compiler=False,
            )
        return Recording(run)

    def _tell(self, done: int, requests: int) -> None:
        self._look(self._done * requests + done, len(self._question.schedulers) * requests)
        if self._plain and compiled.is_ready() and done < requests / 2:
            raise _CompiledByNow


class _CompiledByNow(Exception):
    """The compiled engine is there, and the run is not half done."""


@functools.cache
def _compile() -> None:
    """Get the compiled engine in the background, once; until it is there, the plain one answers."""
    if not compiled.is_ready():
        compiled.prepare()
