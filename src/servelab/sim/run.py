"""A run: traffic through one replica, from the inputs to what is told about it."""

from __future__ import annotations

import json
import os
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, NamedTuple

from servelab.cost.steps import StepCosts
from servelab.sim import engine as plain_engine
from servelab.sim.build import NO_COSTS, Load, fresh_engine
from servelab.sim.link import Run as RunEngine
from servelab.sim.link import StepTime, with_step_time
from servelab.sim.results import Histogram, Targets, Timeline, counter, request_table, summary
from servelab.sim.state import Engine
from servelab.sim.tables import Table
from servelab.specs.deployment import Deployment
from servelab.specs.scheduler import Scheduler
from servelab.specs.traffic import Traffic

#: Up to this many requests the plain engine is as quick as starting the compiled one.
PLAIN_REQUESTS = 1_000

#: Lines of timeline between two looks at the outside: at most a few hundredths of a second, and few enough to be still
#: in the processor's cache when they are put into columns.
_ROWS_COMPILED, _ROWS_PLAIN = 4_096, 1_024

#: Room for so many lines is set aside to begin with; what is not written to takes no memory.
_LINES_A_REQUEST = 4

NO_TARGETS = Targets()

#: Is told how many requests are done, of how many; ends the run by raising.
Progress = Callable[[int, int], None]


@dataclass(frozen=True, eq=False)
class Run:
    """What happened to every request, and when. Seconds and tokens throughout.

    `requests` has a row a request, `timeline` a row for each pass or run of passes skipped over; `steps` counts passes;
    `gaps` is the histogram of the gaps between tokens (ITL).
    """

    requests: Table
    timeline: Table
    summary: dict[str, Any]
    steps: int
    gaps: Histogram
    kv_blocks: int
    scheduler: Scheduler
    targets: Targets = NO_TARGETS
    system: Deployment | None = None

    def to_dict(self, *, tables: bool = False) -> dict[str, Any]:
        """The run as plain data; with `tables`, also the columns of both tables."""
        gaps = {name: column.tolist() for name, column in vars(self.gaps).items()}
        data = {"summary": self.summary, "steps": self.steps, "kv_blocks": self.kv_blocks, "itl_histogram": gaps}
        if tables:
            data |= {"requests": self.requests.to_dict(), "timeline": self.timeline.to_dict()}
        return data

    def to_json(self, *, tables: bool = False) -> str:
        """The run as every door prints it: compact, counts as whole numbers, all else as floats."""
        return json.dumps(self.to_dict(tables=tables), separators=(",", ":"), allow_nan=False)

    def to_perfetto(self, path: str | os.PathLike[str]) -> None:
        """Write the run as a trace that ui.perfetto.dev and chrome://tracing open."""
        from servelab.sim.perfetto import write

        write(self, path)


class Options(NamedTuple):
    """What is asked beside the run itself.

    Without `wait_for_compiler` a run is compiled where the compiled engine is ready, however short or long it is.
    """

    targets: Targets = NO_TARGETS
    progress: Progress | None = None
    wait_for_compiler: bool = True


_DEFAULTS = Options()


def simulate(
    costs: StepCosts | StepTime, traffic: Traffic, scheduler: Scheduler, kv_blocks: int, options: Options = _DEFAULTS
) -> Run:
    """Run `traffic` through one replica of `kv_blocks` blocks whose passes take the time that `costs` says.

    With coefficients, more than 1,000 requests run compiled.
    """
    load = Load(
        traffic.arrival_s,
        traffic.prompt_tokens,
        traffic.output_tokens,
        traffic.output_limit_tokens,
        traffic.think_s,
        min(traffic.clients or 0, len(traffic)),
    )
    if isinstance(costs, StepCosts):
        compiled = len(traffic) > PLAIN_REQUESTS if options.wait_for_compiler else _compiler_is_ready()
        run = _compiled() if compiled else plain_engine.run
    else:
        run, compiled, costs = with_step_time(costs), False, NO_COSTS
    rows = _ROWS_COMPILED if compiled else _ROWS_PLAIN
    engine = fresh_engine(load, scheduler, kv_blocks, costs, rows, compiled=compiled)
    timeline = _drive(run, engine, options.progress)
    return _run_of(engine, timeline, scheduler, options.targets)


def _compiled() -> RunEngine:
    from servelab.sim import compiled

    return compiled.run()


def _compiler_is_ready() -> bool:
    from servelab.sim import compiled

    return compiled.is_ready()


def _drive(run: RunEngine, engine: Engine, progress: Progress | None) -> Timeline:
    """Run to the end, some lines of the timeline at a time; returns all of them."""
    state, rows = engine.replica.state, engine.notes.rows
    requests = int(counter(state, "requests"))
    timeline, more = Timeline(_LINES_A_REQUEST * requests), True
    while more:
        more = run(engine, len(rows))
        timeline.add(rows[: int(counter(state, "rows"))])
        if progress:
            progress(int(counter(state, "finished")) + int(counter(state, "rejections")), requests)
    return timeline


def _run_of(engine: Engine, timeline: Timeline, scheduler: Scheduler, targets: Targets) -> Run:
    table, histogram = request_table(engine.replica.requests), Histogram.of(engine.notes.gaps)
    state = engine.replica.state
    return Run(
        requests=table,
        timeline=timeline.table(),
        summary=summary(state, table, histogram, targets),
        steps=int(counter(state, "passes")),
        gaps=histogram,
        kv_blocks=int(counter(state, "kv_blocks")),
        scheduler=scheduler,
        targets=targets,
    )
