"""The same requests under several schedulers: simulated where they have not been lately."""

from __future__ import annotations

import dataclasses
import functools
from typing import NamedTuple

from servelab import api
from servelab.errors import SpecError, TraceError, shown
from servelab.server.compare_requests import MOST_REQUESTS, Question, SentTrace
from servelab.server.kept import Kept, digest_of, key_of
from servelab.server.work import Look
from servelab.sim import compiled
from servelab.sim.recording import Recording
from servelab.specs.references import naming
from servelab.specs.scheduler import Scheduler
from servelab.specs.traces import read_text
from servelab.specs.tracetext import TraceText
from servelab.specs.traffic import Traffic

#: Runs by their question, and contents of traces by their digest.
_RECORDINGS: Kept[Recording] = Kept(2**28)
_TEXTS: Kept[str] = Kept(2**25)

#: So long a question waits for the compiled engine before it goes on without; from its cache it comes sooner than that.
_PATIENCE_S, _GLANCE_S = 2.0, 0.05


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


def trace_of(question: Question) -> TraceText | None:
    """The trace of a question with its content, sent now or kept from before.

    Raises SpecError where a digest is not known, or no longer.
    """
    sent = question.trace
    if sent is None:
        return None
    text = _TEXTS.get(sent.digest) if sent.digest else sent.text
    if text is None:
        raise SpecError("trace.digest", f"{shown(sent.digest)} is no trace that is still kept; send its text")
    return TraceText(text, sent.name, sent.requests_per_s, sent.seed, sent.most)


def known_by(trace: TraceText | None) -> tuple[str | None, str | None]:
    """The name of a trace's format, and the digest by which its content may be asked for again."""
    if trace is None:
        return None, None
    digest = digest_of(trace.text)
    _TEXTS.put(digest, trace.text, len(trace.text))
    return read_text(trace.text, trace.name, most=1).format, digest


class _Asked:
    """A question as it is worked on: its requests, drawn or read when first needed, and how far all runs are."""

    def __init__(self, question: Question, look: Look) -> None:
        self._question = question
        self._look = look
        self._done = 0
        self._told = 0, 0
        self._patience_s = _PATIENCE_S
        self._plain = False
        targets = question.ttft_target_s, question.tpot_target_s
        self._key = key_of(question.deployment, question.traffic, _by_digest(question.trace), targets)

    @functools.cached_property
    def _traffic(self) -> Traffic:
        described, trace = self._question.traffic, trace_of(self._question)
        if trace is None:
            assert described is not None  # noqa: S101 - a question has one or the other
            with naming("traffic"):
                return Traffic.of(described)
        try:
            with naming("trace"):
                traffic = Traffic.read(trace)
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
            _RECORDINGS.put(key, recording, recording.nbytes)
        self._done += 1
        return Compared(scheduler, recording, None)

    def _simulated(self, scheduler: Scheduler, traffic: Traffic) -> Recording:
        """A run that was begun uncompiled begins anew once the compiled engine is there, which soon makes up for it."""
        self._told = self._told[0], len(self._question.schedulers) * len(traffic)
        self._await_compiler()
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

    def _await_compiler(self) -> None:
        thread = compiled.prepare()
        while self._patience_s > 0 and not compiled.is_ready() and thread.is_alive():
            thread.join(_GLANCE_S)
            self._patience_s -= _GLANCE_S
            self._look(*self._told)

    def _tell(self, done: int, requests: int) -> None:
        so_far = self._done * requests + done
        self._told = max(so_far, self._told[0]), self._told[1]
        self._look(*self._told)
        if self._plain and compiled.is_ready() and done < requests / 2:
            raise _CompiledByNow


class _CompiledByNow(Exception):
    """The compiled engine is there, and the run is not half done."""


def _by_digest(trace: SentTrace | None) -> SentTrace | None:
    """The trace without its content, so that both ways to send it are one question."""
    if trace is None or trace.text is None:
        return trace
    return dataclasses.replace(trace, text=None, digest=digest_of(trace.text))
