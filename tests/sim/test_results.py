"""Tables, summary, histogram, blame and traces of a run."""

from __future__ import annotations

import csv
import itertools
import json
import math

import numpy as np
import pytest

import servelab as sl
from servelab.sim.blame import blame_ttft, over_time
from servelab.sim.gaps import BINS, bin_of, lower_edge

PARTS = ("wait_slots_s", "wait_blocks_s", "wait_order_s", "prefill_s", "decode_s", "stall_s", "recompute_s")


@pytest.fixture(scope="module")
def run():
    """A run under memory pressure, with rejected requests and all seven parts."""
    traffic = sl.Traffic.poisson(30, 400, sl.Lengths.lognormal(500, 1.2), sl.Lengths.exponential(200), seed=5)
    deployment = sl.Deployment("llama-3.1-8b", "h100-sxm-80gb")
    scheduler = sl.Scheduler(kv_blocks=180, max_num_seqs=12, max_num_batched_tokens=512)
    return sl.simulate(deployment, traffic, scheduler, ttft_target_s=2, tpot_target_s=0.05)


def test_the_parts_sum_to_end_to_end(run):
    served = ~run.requests["rejected"]
    total = sum(run.requests[part] for part in PARTS)
    assert np.allclose(total[served], run.requests["e2e_s"][served], rtol=1e-9)
    assert run.summary["preemptions"] > 0
    assert run.summary["rejections"] > 0
    assert all(run.requests[part][served].sum() > 0 for part in PARTS)


def test_the_summary_is_of_the_table(run):
    table, summary = run.requests, run.summary
    served = ~table["rejected"]
    for name in ("queue", "ttft", "e2e"):
        values = table[f"{name}_s"][served]
        assert summary[f"{name}_mean_s"] == pytest.approx(values.mean())
        for percent in (50, 90, 95, 99):
            assert summary[f"{name}_p{percent}_s"] == pytest.approx(np.percentile(values, percent))
    tpot = table["tpot_s"][served & (table["output_tokens"] > 1)]
    assert summary["tpot_p90_s"] == pytest.approx(np.percentile(tpot, 90))
    makespan = np.nanmax(table["finished_s"]) - table["arrival_s"][served].min()
    assert summary["makespan_s"] == makespan
    assert summary["output_tokens_per_s"] == pytest.approx(table["output_tokens"][served].sum() / makespan)
    spans = run.timeline["end_s"] - run.timeline["start_s"]
    assert summary["busy_fraction"] == pytest.approx(spans.sum() / makespan)
    assert summary["batch_mean"] == pytest.approx(np.average(run.timeline["running"], weights=spans))
    used = np.average(run.timeline["kv_blocks"], weights=spans) / run.kv_blocks
    assert summary["kv_occupancy_mean"] == pytest.approx(used)
    met = (table["ttft_s"] <= 2) & ~(table["tpot_s"] > 0.05)
    assert summary["slo_attainment"] == pytest.approx(met.sum() / len(met))
    price = run.system.accelerator.price_usd_per_hour
    assert summary["cost_usd_per_million_output_tokens"] == pytest.approx(
        price * makespan / 3600 / table["output_tokens"][served].sum() * 1e6
    )


def test_the_bins_of_gaps_are_at_most_one_percent_wide():
    edges = np.array([lower_edge(at) for at in range(1, BINS)])
    assert np.all(edges[1:] > edges[:-1])
    assert np.all(edges[1:] <= edges[:-1] * 1.01)
    for gap in 10 ** np.random.default_rng(0).uniform(-15, 15, 2000):
        at = bin_of(gap)
        assert lower_edge(at) <= gap < lower_edge(at + 1)
    assert bin_of(0.0) == 0
    assert bin_of(1e300) == BINS - 1
    assert not np.isin([0.001, 0.01, 0.1, 0.25, 0.5, 1, 2, 10], edges).any()


def test_percentiles_of_gaps_are_within_a_bin():
    gaps = 0.01 * (1 + np.random.default_rng(1).random(1000))
    counts = np.zeros(BINS, int)
    for gap in gaps:
        counts[bin_of(gap)] += 1
    from servelab.sim.results import Histogram

    histogram = Histogram.of(counts)
    for percent in (1, 50, 90, 99):
        assert histogram.percentile(percent) == pytest.approx(np.percentile(gaps, percent), rel=0.01)


def test_json_has_no_infinity_and_all_summary_keys(run):
    data = json.loads(run.to_json(tables=True))
    points = ("mean", "p50", "p90", "p95", "p99")
    wanted = {f"{name}_{point}_s" for name in ("queue", "ttft", "tpot", "e2e", "itl") for point in points}
    assert wanted <= set(data["summary"])
    assert len(data["requests"]["ttft_s"]) == 400
    assert None in data["requests"]["ttft_s"]
    assert sum(data["itl_histogram"]["count"]) == sum(run.gaps.count)


def test_tables_go_to_pandas_csv_and_parquet(run, tmp_path):
    frame = run.requests.to_pandas()
    assert list(frame.columns) == list(run.requests)
    run.requests.to_csv(tmp_path / "requests.csv")
    with (tmp_path / "requests.csv").open() as file:
        rows = list(csv.DictReader(file))
    assert [float(row["ttft_s"] or "nan") for row in rows] == pytest.approx(
        run.requests["ttft_s"].tolist(), rel=0, abs=0, nan_ok=True
    )
    run.timeline.to_parquet(tmp_path / "timeline.parquet")
    import pandas

    again = pandas.read_parquet(tmp_path / "timeline.parquet")
    assert np.array_equal(again["end_s"], run.timeline["end_s"])


def test_a_trace_for_perfetto_holds_every_request_once(run, tmp_path):
    run.to_perfetto(tmp_path / "trace.json")
    events = json.loads((tmp_path / "trace.json").read_text())["traceEvents"]
    slices = [event for event in events if event["ph"] == "X" and event["pid"] == 2]
    decodes = [event for event in slices if event["name"] == "decode"]
    assert len(decodes) == (~run.requests["rejected"]).sum()
    lanes = {}
    for event in sorted(slices, key=lambda event: event["ts"]):
        lanes.setdefault(event["tid"], []).append(event)
    for lane, in_order in lanes.items():
        if lane:
            for one, other in itertools.pairwise(in_order):
                assert one["ts"] + one["dur"] <= other["ts"] + 1e-3
    assert sum(event["dur"] for event in decodes) / 1e6 == pytest.approx(
        np.nansum(run.requests["finished_s"] - run.requests["first_token_s"])
    )


def test_the_blame_sums_to_the_time_to_first_token(run):
    blame = blame_ttft(run.requests)
    assert sum(part for _, part in blame.parts) == pytest.approx(blame.ttft_s)
    assert blame.ttft_s >= run.summary["ttft_p99_s"]
    assert [part for _, part in blame.parts] == sorted((part for _, part in blame.parts), reverse=True)


def test_means_over_time_keep_the_integral(run):
    for pieces in (1, 7, 60):
        means = over_time(run.timeline, "running", pieces)
        whole = run.timeline["end_s"][-1] - run.timeline["start_s"][0]
        spans = run.timeline["end_s"] - run.timeline["start_s"]
        assert math.fsum(means) / pieces * whole == pytest.approx(np.sum(spans * run.timeline["running"]))


def test_a_long_run_is_compiled_and_says_the_same(monkeypatch):
    from servelab.sim import run as module

    traffic = sl.Traffic.poisson(30, 1_200, sl.Lengths.uniform(1, 900), sl.Lengths.exponential(100), seed=2)
    deployment, scheduler = sl.Deployment("llama-3.1-8b", "h100-sxm-80gb"), sl.Scheduler(kv_blocks=700)
    one = sl.simulate(deployment, traffic, scheduler)
    monkeypatch.setattr(module, "PLAIN_REQUESTS", 2_000)
    other = sl.simulate(deployment, traffic, scheduler)
    assert one.steps == other.steps
    for name, value in one.summary.items():
        assert value == (None if value is None else pytest.approx(other.summary[name], rel=1e-9)), name


@pytest.mark.reference
def test_a_published_trace_runs_whole(reference_data):
    traffic = sl.Traffic.load(reference_data / "traces" / "AzureLLMInferenceTrace_conv.csv")
    run = sl.simulate(sl.Deployment("llama-3.1-8b", "h100-sxm-80gb"), traffic, sl.Scheduler())
    assert run.gaps.count.sum() == (traffic.output_tokens - 1).sum()
    assert run.timeline["prefill_tokens"].sum() == traffic.prompt_tokens.sum()
