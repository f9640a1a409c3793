"""Results of GuideLLM: one report with a benchmark for every rate or number of streams.

Latencies are in milliseconds but for `request_latency`, which is in seconds; figures are of the requests that
succeeded. Settings moved between versions; each place where they were is looked at.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from servelab.errors import one_of
from servelab.fidelity.results.found import Found
from servelab.fidelity.results.values import MILLISECOND_S, OWN_UNITS, Row
from servelab.fidelity.results.vllm import in_flight_load
from servelab.fidelity.setup import Setup
from servelab.specs.result import Load

TOOL = "GuideLLM"


def read(report: Row) -> Iterator[Found]:
    """The runs in a report, one by one."""
    benchmarks = report.fields.get("benchmarks")
    if not isinstance(benchmarks, list) or not benchmarks:
        raise report.refuse("it has no benchmarks", "give the report of a run that was not stopped before its first")
    for index, fields in enumerate(benchmarks, 1):
        row = Row(f"benchmark {index} of {report.source}", fields if isinstance(fields, Mapping) else {})
        yield _run(report, row)


def _run(report: Row, row: Row) -> Found:
    metrics = row.inner("metrics")
    totals = metrics.inner("request_totals") if "request_totals" in metrics.fields else row.inner("request_totals")
    requests = int(totals.maybe("successful") or 0) if totals.fields else None
    if requests == 0:
        raise row.refuse("no request of it succeeded", "give a run whose server answered")
    prompt, output = (_mean(metrics, name) for name in ("prompt_token_count", "output_token_count"))
    found = {"ttft_s": _mean(metrics, "time_to_first_token_ms") * MILLISECOND_S}
    if output > 1:
        found["tpot_s"] = _mean(metrics, "inter_token_latency_ms") * MILLISECOND_S
    found["e2e_s"] = _mean(metrics, "request_latency")
    found["output_tokens_per_s"] = _mean(metrics, "output_tokens_per_second")
    if found["ttft_s"] > found["e2e_s"] * 1.05:
        raise row.refuse(
            f"time_to_first_token_ms is {found['ttft_s']:,.4g} s and request_latency {found['e2e_s']:,.4g} s",
            OWN_UNITS,
        )
    lengths = max(1, round(prompt)), max(1, round(output))
    return Found(row.source, TOOL, _setup(report, row), _load(row, metrics, lengths, requests), found)


def _mean(metrics: Row, name: str) -> float:
    """The mean of a figure over the requests that succeeded; raises where it is missing or 0."""
    if name not in metrics.fields:
        metrics.number(name)  # says that it is missing
    successful = metrics.inner(name, "successful")
    value = Row(f"{name} in {metrics.source}", successful.fields).number("mean")
    if value == 0:
        raise metrics.refuse(f"{name} is 0", "give a run that streamed its tokens")
    return value


def _load(row: Row, metrics: Row, lengths: tuple[int, int], requests: int | None) -> Load:
    """The load, from the strategy by which requests were scheduled."""
    strategies = (row.inner("config", "strategy"), row.inner("args", "strategy"))
    strategy = next((found for found in strategies if found.fields), row.inner("config"))
    kind = strategy.text("type_", "kind") or ""
    if kind in ("constant", "poisson"):
        rate = strategy.number("rate")
        return Load("open_loop", *lengths, requests_per_s=rate, requests=requests, process=kind)
    if kind == "synchronous":
        return in_flight_load(*lengths, 1, requests)
    if kind == "concurrent":
        streams = strategy.maybe("streams", least=1) or strategy.number("max_concurrency", least=1)
        return in_flight_load(*lengths, int(streams), requests)
    if kind == "throughput":
        return in_flight_load(*lengths, max(1, round(_mean(metrics, "request_concurrency"))), requests)
    raise row.refuse(
        f"its strategy {kind or 'is not named and'} is none that is known",
        f"give one of {one_of(('synchronous', 'concurrent', 'throughput', 'constant', 'poisson'))}",
    )


def _setup(report: Row, row: Row) -> Setup:
    places = (
        row.inner("config", "backend"),
        report.inner("config", "spec", "backend"),
        report.inner("args"),
        row.inner("worker"),
    )
    model = next((name for place in places if (name := place.text("model", "backend_model"))), None)
    return Setup.of({"model": model})
