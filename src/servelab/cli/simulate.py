"""`servelab simulate`: traffic through one replica."""

from __future__ import annotations

import sys
import time
from typing import TYPE_CHECKING, Any

import click

from servelab.cli.flags import spec_options
from servelab.errors import SpecError, shown
from servelab.specs.arrivals import Arrivals
from servelab.specs.deployment import Deployment
from servelab.specs.lengths import Lengths
from servelab.specs.scheduler import Scheduler

if TYPE_CHECKING:
    from servelab.specs.traffic import Traffic

_TRAFFIC = ("requests", "requests_per_s", "process", "burstiness", "clients", "think_s", "output_limit_tokens", "seed")
_SCHEDULER = tuple(Scheduler.__dataclass_fields__)
_BOUNDS = ("max_num_seqs", "max_num_batched_tokens", "max_prefill_tokens_per_step")
_RATE_PER_S = 4.0

#: A run shorter than this shows no progress.
_PATIENCE_S = 1.0


class LengthsText(click.ParamType[Any]):
    """A number of tokens, or a distribution such as uniform:256:768."""

    name = "lengths"

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> Any:
        if not isinstance(value, str):
            return value
        kind, *numbers = value.strip().split(":")
        makers = {"fixed": 1, "uniform": 2, "exponential": 1, "lognormal": 2}
        try:
            if not numbers:
                return Lengths.fixed(float(kind))
            if len(numbers) == makers.get(kind):
                return getattr(Lengths, kind)(*(float(number) for number in numbers))
        except SpecError as error:
            return self.fail(error.message, param, ctx)
        except ValueError:
            pass
        return self.fail(
            f"{shown(value)} is no length; give tokens, uniform:LOW:HIGH, exponential:MEAN or lognormal:MEAN:SIGMA",
            param,
            ctx,
        )


LENGTHS = LengthsText()


@click.command()
@click.argument("model")
@click.argument("accelerator")
@click.option("--trace", metavar="FILE", help="Replay the requests of this trace (CSV or JSON lines).")
@click.option("--prompt", type=LENGTHS, default="1024", show_default=True, help="Tokens of each prompt, or lengths.")
@click.option("--output", type=LENGTHS, default="256", show_default=True, help="Tokens generated, or lengths.")
@spec_options(
    Arrivals,
    without=set(Arrivals.__dataclass_fields__) - set(_TRAFFIC),
    defaults={"requests": None, "requests_per_s": None},
)
@spec_options(Scheduler)
@click.option("--ttft-target", type=float, metavar="S", help="Time to first token to meet, seconds.")
@click.option("--tpot-target", type=float, metavar="S", help="Time per output token to meet, seconds.")
@spec_options(Deployment, without=("model", "accelerator"))
@click.option("--csv", "csv_file", metavar="FILE", help="Write the table of requests as CSV.")
@click.option("--parquet", "parquet_file", metavar="FILE", help="Write the table of requests as Parquet.")
@click.option("--timeline", "timeline_file", metavar="FILE", help="Write the timeline as CSV.")
@click.option("--perfetto", "perfetto_file", metavar="FILE", help="Write a trace for ui.perfetto.dev.")
@click.option("--json", "as_json", is_flag=True, help="Print the run as JSON and nothing else.")
def simulate(model: str, accelerator: str, as_json: bool, **fields: Any) -> None:
    """Run traffic through the scheduler of one replica, pass by pass.

    Lengths are a number of tokens, uniform:LOW:HIGH, exponential:MEAN or lognormal:MEAN:SIGMA. Arrivals are Poisson at
    4 requests/s where neither --rate, --clients nor --trace is given. For a limit, "none" is no bound.
    """
    from servelab import api
    from servelab.specs.references import load_accelerator, load_model

    scheduler = Scheduler(**{name: _bound(name, fields.pop(name)) for name in _SCHEDULER})
    traffic = _traffic(fields)
    files = {name: fields.pop(f"{name}_file") for name in ("csv", "parquet", "timeline", "perfetto")}
    targets = {f"{name}_target_s": fields.pop(f"{name}_target") for name in ("ttft", "tpot")}
    deployment = Deployment(load_model(model), load_accelerator(accelerator), **fields)
    with _Progress() as progress:
        run = api.simulate(deployment, traffic, scheduler, **targets, progress=progress.show)
    _write(run, files)
    if as_json:
        click.echo(run.to_json())
    else:
        from servelab.cli.simulation_report import report

        click.echo(report(run))


def _bound(name: str, value: Any) -> Any:
    return None if name in _BOUNDS and isinstance(value, str) and value.lower() == "none" else value


def _traffic(fields: dict[str, Any]) -> Traffic:
    """The trace, else what the options describe."""
    from servelab.specs.traffic import Traffic

    given = {name: fields.pop(name) for name in (*_TRAFFIC, "prompt", "output")}
    path = fields.pop("trace")
    if path is not None:
        if given["clients"] is not None:
            raise SpecError("clients", "a trace has its own arrivals; leave out --clients or --trace")
        return Traffic.load(path, requests_per_s=given["requests_per_s"], seed=given["seed"], most=given["requests"])
    if given["requests_per_s"] is None and given["clients"] is None:
        given["requests_per_s"] = _RATE_PER_S
    given["requests"] = 1000 if given["requests"] is None else given["requests"]
    return Traffic.of(Arrivals(**given))


def _write(run: Any, files: dict[str, str | None]) -> None:
    writers = {
        "csv": run.requests.to_csv,
        "parquet": run.requests.to_parquet,
        "timeline": run.timeline.to_csv,
        "perfetto": run.to_perfetto,
    }
    for name, path in files.items():
        if path is None:
            continue
        try:
            writers[name](path)
        except OSError as error:
            raise SpecError(name, f"{shown(path)} cannot be written ({error.strerror}); give another file") from None


class _Progress:
    """A bar on the terminal's error stream, once a run has taken a second; it goes away with the run."""

    def __init__(self) -> None:
        self._start = time.monotonic()
        self._shown = False

    def __enter__(self) -> _Progress:
        return self

    def __exit__(self, *_: object) -> None:
        if self._shown:
            click.echo("\r\033[K", nl=False, err=True)

    def show(self, done: int, requests: int) -> None:
        """Draw how far the run is."""
        if not sys.stderr or not sys.stderr.isatty() or time.monotonic() - self._start < _PATIENCE_S:
            return
        self._shown = True
        filled = 30 * done // max(requests, 1)
        click.echo(f"\r  {'█' * filled}{'░' * (30 - filled)} {done:,} of {requests:,} requests", nl=False, err=True)
