"""Traffic: what is drawn, from independent streams, and what is refused."""

from __future__ import annotations

import numpy as np
import pytest

import servelab as sl


def test_the_streams_are_those_the_documentation_names():
    streams = [np.random.Generator(np.random.PCG64(s)) for s in np.random.SeedSequence(7).spawn(3)]
    traffic = sl.Traffic.poisson(2.0, 5, sl.Lengths.uniform(100, 200), sl.Lengths.exponential(50), seed=7)
    assert np.allclose(traffic.arrival_s, np.cumsum(streams[0].standard_exponential(5)) / 2.0, rtol=1e-15)
    assert traffic.prompt_tokens.tolist() == np.floor(100 + 100 * streams[1].random(5) + 0.5).tolist()
    outputs = np.maximum(1, np.floor(50 * streams[2].standard_exponential(5) + 0.5))
    assert traffic.output_tokens.tolist() == outputs.tolist()


def test_a_change_of_one_setting_leaves_the_other_draws():
    one = sl.Traffic.poisson(2, 100, sl.Lengths.uniform(1, 100), sl.Lengths.exponential(50))
    other = sl.Traffic.poisson(4, 100, 300, sl.Lengths.exponential(100))
    assert np.allclose(one.arrival_s, 2 * other.arrival_s)
    assert np.all(np.abs(other.output_tokens - 2 * one.output_tokens) <= 2)


@pytest.mark.parametrize(
    ("lengths", "mean", "deviation"),
    [
        (sl.Lengths.uniform(10, 30), 20, 400 / 12),
        (sl.Lengths.exponential(300), 300, 300**2),
        (sl.Lengths.lognormal(200, 0.5), 200, 200**2 * (np.exp(0.25) - 1)),
        (sl.Lengths.empirical([10, 20, 60]), 30, (20**2 + 10**2 + 30**2) / 3),
    ],
    ids=lambda value: getattr(value, "kind", ""),
)
def test_lengths_have_their_mean(lengths, mean, deviation):
    count = 20_000
    drawn = lengths.draw(np.random.default_rng(0), count)
    assert lengths.expected == mean
    assert abs(drawn.mean() - mean) <= 5 * np.sqrt((deviation + 1) / count) + 0.5 / 30
    assert drawn.min() >= 1


@pytest.mark.parametrize("burstiness", [0.25, 1, 4])
def test_gamma_gaps_vary_by_their_shape(burstiness):
    gaps = np.diff(sl.Traffic.gamma(10, 40_000, 1, 1, burstiness=burstiness).arrival_s)
    assert gaps.mean() == pytest.approx(0.1, rel=0.05)
    assert gaps.var() / gaps.mean() ** 2 == pytest.approx(1 / burstiness, rel=0.15)


def test_constant_arrivals_are_evenly_spaced():
    assert sl.Traffic.constant(4, 3, 1, 1).arrival_s.tolist() == [0.25, 0.5, 0.75]


def test_a_burst_multiplies_the_rate_while_it_lasts():
    calm = sl.Traffic.constant(1, 100, 1, 1).arrival_s
    burst = sl.Traffic.constant(1, 100, 1, 1, bursts=[sl.Burst(40, 60, 2)]).arrival_s
    assert np.array_equal(burst[:40], calm[:40])
    assert ((burst > 40) & (burst <= 60)).sum() == 40
    assert np.allclose(burst[80:], calm[80:] - 20)


def test_rates_change_over_time_and_may_pause():
    steps = [sl.RateStep(0, 1), sl.RateStep(10, 0), sl.RateStep(20, 5)]
    arrivals = sl.Traffic.of(sl.Arrivals(20, 1, 1, process="constant", rates=steps)).arrival_s
    assert np.allclose(arrivals[:10], np.arange(1, 11))
    assert np.allclose(arrivals[10:], 20 + np.arange(1, 11) / 5)


def test_a_limit_cuts_outputs():
    traffic = sl.Traffic.poisson(1, 1000, 1, sl.Lengths.exponential(50), output_limit_tokens=64)
    assert traffic.output_tokens.max() == 64
    assert set(traffic.output_limit_tokens) == {64}


def test_columns_cannot_be_changed():
    with pytest.raises(ValueError, match="read-only"):
        sl.Traffic([0], [1], [1]).arrival_s[0] = 5


@pytest.mark.parametrize(
    ("call", "field"),
    [
        (lambda: sl.Traffic([], [], []), "arrival_s"),
        (lambda: sl.Traffic([1, 0], [1, 1], [1, 1]), "arrival_s"),
        (lambda: sl.Traffic([0, float("nan")], [1, 1], [1, 1]), "arrival_s"),
        (lambda: sl.Traffic([-1], [1], [1]), "arrival_s"),
        (lambda: sl.Traffic(["soon"], [1], [1]), "arrival_s"),
        (lambda: sl.Traffic([0], [1, 2], [1]), "prompt_tokens"),
        (lambda: sl.Traffic([0], [0], [1]), "prompt_tokens"),
        (lambda: sl.Traffic([0], [1.5], [1]), "prompt_tokens"),
        (lambda: sl.Traffic([0], [True], [1]), "prompt_tokens"),
        (lambda: sl.Traffic([0], [1], [2**60]), "output_tokens"),
        (lambda: sl.Traffic([0], [1], [5], [4]), "output_limit_tokens"),
        (lambda: sl.Traffic.poisson(0, 5, 1, 1), "requests_per_s"),
        (lambda: sl.Traffic.poisson(1e-300, 5, 1, 1), "requests_per_s"),
        (lambda: sl.Traffic.poisson(1, 0, 1, 1), "requests"),
        (lambda: sl.Traffic.poisson(1, 1, 0, 1), "prompt"),
        (lambda: sl.Traffic.poisson(1, 1, 1, "many"), "output"),
        (lambda: sl.Traffic.poisson(1, 1, 1, 1, seed=-1), "seed"),
        (lambda: sl.Traffic.closed_loop(0, 1, 1, 1), "clients"),
        (lambda: sl.Arrivals(1, 1, 1), "requests_per_s"),
        (lambda: sl.Arrivals(1, 1, 1, 5, clients=3), "clients"),
        (lambda: sl.Traffic.poisson(1, 1, 1, 1, rates=[sl.RateStep(5, 1), sl.RateStep(0, 1)]), "rates"),
        (lambda: sl.Traffic.poisson(1, 9, 1, 1, rates=[sl.RateStep(5, 0)]), "rates"),
        (lambda: sl.Burst(5, 5, 2), "end_s"),
        (lambda: sl.Lengths.uniform(5, 4), "low"),
        (lambda: sl.Lengths.empirical([]), "values"),
        (lambda: sl.Lengths("uniform", low=3), "high"),
        (lambda: sl.Lengths("fixed", tokens=3, mean=3), "mean"),
        (lambda: sl.Scheduler(max_num_seqs=0), "max_num_seqs"),
        (lambda: sl.Scheduler(policy="fifo"), "policy"),
        (lambda: sl.Scheduler(kv_blocks=0), "kv_blocks"),
    ],
)
def test_what_cannot_be_is_refused_by_name(call, field):
    with pytest.raises(sl.SpecError) as refusal:
        call()
    assert refusal.value.field == field
    assert ";" in refusal.value.message


def test_vllm_defaults_follow_the_card():
    large = sl.Scheduler.vllm("h100-sxm-80gb")
    small = sl.Scheduler.vllm("a100-sxm-80gb")
    assert (large.max_num_seqs, large.max_num_batched_tokens) == (1024, 8192)
    assert (small.max_num_seqs, small.max_num_batched_tokens) == (256, 2048)


def test_memory_left_gives_the_blocks():
    deployment = sl.Deployment("llama-3.1-8b", "h100-sxm-80gb")
    run = sl.simulate(deployment, sl.Traffic([0], [1], [1]), sl.Scheduler(max_num_batched_tokens=2048))
    model = deployment.model
    workspace = 8 * 2048 * 4096 * 2
    room = deployment.accelerator.memory_bytes - 2e9 - 2 * model.parameters - workspace
    assert run.kv_blocks == int(room // (2 * 32 * 8 * 128 * 2 * 16))


def test_no_room_for_a_cache_is_bad_input():
    deployment = sl.Deployment("llama-3.1-70b", "h100-sxm-80gb")
    with pytest.raises(sl.SpecError, match="the weights leave no room for a cache"):
        sl.simulate(deployment, sl.Traffic([0], [1], [1]), sl.Scheduler())


def test_a_rate_too_small_for_any_number_is_refused():
    with pytest.raises(sl.SpecError, match="leads to times beyond"):
        sl.Traffic.poisson(5e-324, 20, 100, 20)
