"""What queueing theory says of a run, within what its statistics allow."""

from __future__ import annotations

import numpy as np
import pytest

import servelab as sl

PROMPT, OUTPUT = sl.Lengths.uniform(1, 4), sl.Lengths.exponential(8)


def one_slot(load, seed, requests=40_000):
    """Single requests, one after the other: an M/G/1 queue whose service is the request's own passes."""
    mean_service = OUTPUT.expected + 0.5
    traffic = sl.Traffic.poisson(load / mean_service, requests, PROMPT, OUTPUT, seed=seed)
    scheduler = sl.Scheduler(policy="continuous", max_num_seqs=1, kv_blocks=10**6)
    return sl.simulate(lambda n, context_sum, chunks: 1.0, traffic, scheduler)


@pytest.mark.thorough
@pytest.mark.parametrize("load", [0.3, 0.8])
def test_one_slot_waits_as_pollaczek_and_khinchine_say(load):
    """Mean wait = λ E[S²] / (2 (1 − ρ)), with the moments of the service times really drawn."""
    waits, expected = [], []
    for seed in range(8):
        run = one_slot(load, seed, requests=4_000)
        service = run.requests["output_tokens"].astype(float)  # a pass for each token
        rate = len(service) / run.requests["arrival_s"][-1]
        utilisation = rate * service.mean()
        waits.append(run.requests["queue_s"].mean())
        # a request that finds the engine idle starts at once; one that finds it busy, when a pass ends
        expected.append(rate * (service**2).mean() / (2 * (1 - utilisation)))
    difference = np.array(waits) - np.array(expected)
    error = difference.std(ddof=1) / np.sqrt(len(difference))
    assert abs(difference.mean()) <= 4 * error
    assert error <= 0.1 * np.mean(expected)


@pytest.mark.parametrize("policy", ["static", "continuous", "chunked"])
@pytest.mark.parametrize("admission", ["reserve", "paged"])
def test_littles_law_holds_to_rounding(policy, admission):
    """Running: Σ of residence times is the integral of the batch. Waiting: what waits at pass starts, likewise."""
    traffic = sl.Traffic.poisson(0.5, 900, sl.Lengths.uniform(1, 60), sl.Lengths.exponential(20), seed=3)
    scheduler = sl.Scheduler(policy=policy, admission=admission, max_num_seqs=8, kv_blocks=60, block_size=4)
    run = sl.simulate(lambda n, s, chunks: 0.1 + 1e-4 * s, traffic, scheduler)
    served, timeline = ~run.requests["rejected"], run.timeline
    spans = timeline["end_s"] - timeline["start_s"]
    if run.summary["preemptions"] == 0:
        residence = (run.requests["finished_s"] - run.requests["admitted_s"])[served].sum()
        assert np.sum(spans * timeline["running"]) == pytest.approx(residence, rel=1e-9)
    in_system = run.requests["e2e_s"][served].sum()
    until_next_pass = in_system - np.sum(spans * (timeline["running"] + timeline["waiting"]))
    assert 0 <= until_next_pass <= served.sum() * spans.max()  # what arrives during a pass joins at its end


def test_tokens_are_conserved():
    traffic = sl.Traffic.poisson(3, 500, sl.Lengths.uniform(1, 60), sl.Lengths.exponential(20), seed=4)
    run = sl.simulate(sl.Deployment("llama-3.1-8b", "h100-sxm-80gb"), traffic, sl.Scheduler())
    assert run.timeline["prefill_tokens"].sum() == traffic.prompt_tokens.sum()
    assert run.gaps.count.sum() == (traffic.output_tokens - 1).sum()
    assert np.all(run.gaps.upper_s[1:] <= run.gaps.lower_s[1:] * 1.01)


def test_rates_that_grow_together_move_no_time():
    """Twice the FLOP/s and the bytes/s, half the overhead, twice the arrivals: the same run at half the time."""
    slow = sl.Deployment("llama-3.1-8b", "h100-sxm-80gb")
    card = slow.accelerator
    fast_card = sl.Accelerator(
        "fast", card.memory_bytes, 2 * card.bandwidth_bytes_per_s, {"bf16": 2 * card.flop_per_s["bf16"]}
    )
    fast = sl.Deployment("llama-3.1-8b", fast_card, pass_overhead_s=slow.pass_overhead_s / 2)
    runs = [
        sl.simulate(
            system, sl.Traffic.poisson(rate, 300, 512, sl.Lengths.exponential(100)), sl.Scheduler(kv_blocks=2000)
        )
        for system, rate in ((slow, 20), (fast, 40))
    ]
    assert runs[0].steps == runs[1].steps
    assert np.allclose(runs[0].requests["e2e_s"], 2 * runs[1].requests["e2e_s"], rtol=1e-9)


def test_the_step_times_are_those_of_the_estimate():
    """A batch that arrives together, prefilled in one pass, takes what the estimate says."""
    deployment = sl.Deployment("llama-3.1-8b", "h100-sxm-80gb", tensor_parallel=2)
    estimate = sl.estimate(deployment, sl.Workload(512, 200, batch=8))
    traffic = sl.Traffic([0.0] * 8, [512] * 8, [200] * 8)
    for policy in ("static", "continuous", "chunked"):
        run = sl.simulate(deployment, traffic, sl.Scheduler(policy=policy))
        assert run.summary["ttft_mean_s"] == pytest.approx(estimate.ttft_s, rel=1e-12)
        assert run.summary["tpot_mean_s"] == pytest.approx(estimate.tpot_s, rel=1e-12)
        assert run.summary["e2e_p99_s"] == pytest.approx(estimate.e2e_s, rel=1e-12)
