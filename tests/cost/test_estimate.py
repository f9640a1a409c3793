"""Figures against the definition as a plain loop, and what must hold whatever the numbers."""

from __future__ import annotations

import dataclasses
import json
import math

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import servelab as sl
from tests.oracles import estimate as oracle
from tests.strategies import deployments, workloads

LATENCIES = (
    "ttft_s",
    "tpot_s",
    "e2e_s",
    "output_tokens_per_s",
    "decode_tokens_per_s",
    "request_tokens_per_s",
    "cost_usd_per_million_output_tokens",
)
ROOMY = st.just(1e20)


def close(value, expected):
    return value == expected or value == pytest.approx(expected, rel=1e-9, abs=0)


@settings(max_examples=300)
@given(deployment=deployments(ROOMY), workload=workloads())
def test_every_figure_equals_the_plain_loop(deployment, workload):
    answer = sl.estimate(deployment, workload)
    prefill, decode, figures = oracle.estimate(deployment, workload)
    assert answer.fits
    assert close(dataclasses.asdict(answer.memory), oracle.memory(deployment, workload))
    for name in LATENCIES:
        assert close(getattr(answer, name), figures[name]), name
    for phase, expected in ((answer.prefill, prefill), (answer.decode, decode)):
        for name in ("time_s", "floor_s", "communication_s", "overhead_s"):
            assert close(getattr(phase, name), expected[name]), name
        for name in ("linear", "attention"):
            check_stage(getattr(phase, name), expected[name])
        assert close(phase.flop, expected["linear"]["flop"] + expected["attention"]["flop"])
        assert close(phase.bytes, expected["linear"]["bytes"] + expected["attention"]["bytes"])
        check_bottleneck(phase, expected["shares"])


def check_stage(stage, expected):
    for name in ("flop", "bytes", "time_s"):
        assert close(getattr(stage, name), expected[name]), name
    if expected["bytes"] == 0:
        assert stage.bound is stage.intensity_flop_per_byte is None
        return
    assert close(stage.intensity_flop_per_byte, expected["flop"] / expected["bytes"])
    if not close(expected["compute"], expected["memory"]):
        assert stage.bound == ("compute" if expected["compute"] > expected["memory"] else "memory")


def check_bottleneck(phase, shares):
    largest = max(shares.values())
    leaders = [name for name, share in shares.items() if share >= largest * (1 - 1e-9)]
    assert (phase.bottleneck in leaders) if phase.time_s or largest else phase.bottleneck is None


@pytest.mark.thorough
@settings(max_examples=200)
@given(deployment=deployments(), workload=workloads(largest_batch=5000))
def test_nothing_is_faster_than_the_hardware_and_nothing_is_said_where_it_does_not_fit(deployment, workload):
    answer = sl.estimate(deployment, workload)
    assert answer.fits == (answer.memory.total_bytes <= answer.memory.capacity_bytes)
    assert answer.knee_flop_per_byte > 0
    if not answer.fits:
        assert answer.prefill is answer.decode is None
        assert all(getattr(answer, name) is None for name in LATENCIES)
        return
    for phase in (answer.prefill, answer.decode):
        assert phase.time_s >= phase.floor_s * (1 - 1e-12)


@pytest.mark.thorough
@settings(max_examples=100)
@given(deployment=deployments(ROOMY), workload=workloads(), factor=st.sampled_from([2.0, 4.0, 0.5]))
def test_rates_and_amounts_scale(deployment, workload, factor):
    """Everything twice as fast, fixed times halved: every time halves, no bound moves."""
    device = deployment.accelerator
    faster = dataclasses.replace(
        device,
        bandwidth_bytes_per_s=device.bandwidth_bytes_per_s * factor,
        flop_per_s={name: rate * factor for name, rate in device.flop_per_s.items()},
        link_bytes_per_s=device.link_bytes_per_s * factor,
    )
    link = deployment.link_bytes_per_s
    scaled = dataclasses.replace(
        deployment,
        accelerator=faster,
        pass_overhead_s=deployment.pass_overhead_s / factor,
        all_reduce_latency_s=deployment.all_reduce_latency_s / factor,
        link_bytes_per_s=None if link is None else link * factor,
    )
    before, after = sl.estimate(deployment, workload), sl.estimate(scaled, workload)
    assert after.ttft_s == pytest.approx(before.ttft_s / factor, rel=1e-12)
    assert after.e2e_s == pytest.approx(before.e2e_s / factor, rel=1e-12)
    assert after.decode.bottleneck == before.decode.bottleneck
    assert after.knee_flop_per_byte == pytest.approx(before.knee_flop_per_byte, rel=1e-12)


def test_memory_and_times_of_a_toy_can_be_read(toy):
    answer = sl.estimate(toy, sl.Workload(10, 3, batch=2))
    assert answer.memory.weights_bytes == 1000  # 500 weights in bf16
    assert answer.memory.kv_cache_bytes == 4 * 13 * 2  # 4 bytes a token, prompt + output, 2 requests
    assert answer.memory.workspace_bytes == 8 * 2 * 10 * 1 * 2
    # prefill of 20 tokens: 2 × 500 × 20 FLOP at 1,000 FLOP/s; attention moves 4 (20 + 20) + 80 bytes in 0.24 s,
    # its 4 × 2 × 55 FLOP take longer
    assert answer.prefill.linear.time_s == 20
    assert answer.prefill.attention.time_s == pytest.approx(0.44)
    # decode: linear math of 2 tokens takes 2 s, its 1,000 + 8 bytes take 1.008 s
    assert answer.decode.linear.time_s == 4
    assert answer.ttft_s == pytest.approx(20.44)
    assert answer.decode.bottleneck == "compute"


def test_a_single_output_token_has_no_decode(toy):
    answer = sl.estimate(toy, sl.Workload(10, 1, batch=2))
    assert answer.tpot_s is answer.decode_tokens_per_s is answer.request_tokens_per_s is None
    assert answer.e2e_s == answer.ttft_s
    assert answer.output_tokens_per_s == 2 / answer.ttft_s
    data = answer.to_dict()["decode"]
    stage = dict.fromkeys(("flop", "bytes", "time_s", "math_s", "data_s"), 0.0)
    stage |= {"intensity_flop_per_byte": None, "bound": None}
    assert data["linear"] == data["attention"] == stage
    assert all(data[name] == 0 for name in ("time_s", "floor_s", "flop", "bytes", "communication_s", "overhead_s"))
    assert data["intensity_flop_per_byte"] is data["bottleneck"] is None


def test_two_devices_exchange_activations(toy):
    wide = dataclasses.replace(toy.model, query_heads=4, kv_heads=2, hidden_size=1)
    pair = dataclasses.replace(toy, model=wide, tensor_parallel=2, all_reduce_latency_s=0.5)
    answer = sl.estimate(pair, sl.Workload(10, 2))
    # 2 all-reduces of 10 tokens × 1 × 2 bytes, each (0.5 + 2 × 1/2 × 20 / 1000) s
    assert answer.prefill.communication_s == pytest.approx(2 * (0.5 + 0.020))
    assert answer.cost_usd_per_million_output_tokens == pytest.approx(2 * 1e6 / answer.output_tokens_per_s)


def test_replicated_heads_are_held_and_read_by_every_device(toy):
    shared = dataclasses.replace(toy.model, query_heads=4, kv_heads=1)
    four = dataclasses.replace(toy, model=shared, tensor_parallel=4, replicate_kv_heads=True)
    one = dataclasses.replace(four, tensor_parallel=1)
    workload = sl.Workload(10, 2)
    assert sl.estimate(four, workload).memory.kv_cache_bytes == sl.estimate(one, workload).memory.kv_cache_bytes
    # each of four devices reads the one KV head: 4 bytes for (11 cached + 1 written) tokens, times four
    activations = 4 * 1 * 1 * four.model.hidden_size
    assert sl.estimate(four, workload).decode.attention.bytes == 4 * 4 * (11 + 1) + activations


def test_an_unknown_rate_leaves_memory_answered(toy):
    silent = dataclasses.replace(toy, accelerator=dataclasses.replace(toy.accelerator, flop_per_s={"int8": 1000}))
    answer = sl.estimate(silent, sl.Workload(10, 3))
    assert answer.fits
    assert answer.missing == ("accelerator.flop_per_s.bf16",)
    assert answer.prefill is answer.ttft_s is answer.knee_flop_per_byte is None


def test_a_named_compute_format_needs_its_own_rate(toy):
    answer = sl.estimate(dataclasses.replace(toy, compute="fp8"), sl.Workload(10, 3))
    assert answer.missing == ("accelerator.flop_per_s.fp8",)


def test_fp16_stands_in_where_bf16_is_unknown(toy):
    old = dataclasses.replace(toy.accelerator, flop_per_s={"fp16": 500})
    answer = sl.estimate(dataclasses.replace(toy, accelerator=old), sl.Workload(10, 3))
    assert answer.missing == ()
    assert answer.knee_flop_per_byte == 0.5


def test_an_unknown_link_is_missing_only_between_devices(toy):
    alone = dataclasses.replace(toy.accelerator, link_bytes_per_s=None)
    wide = dataclasses.replace(toy.model, query_heads=2, kv_heads=2)
    single = dataclasses.replace(toy, model=wide, accelerator=alone)
    assert sl.estimate(single, sl.Workload(10, 3)).missing == ()
    pair = dataclasses.replace(single, tensor_parallel=2)
    answer = sl.estimate(pair, sl.Workload(10, 3))
    assert answer.missing == ("accelerator.link_bytes_per_s",)
    assert answer.ttft_s is None
    assert answer.knee_flop_per_byte == 1
    assert sl.estimate(dataclasses.replace(pair, link_bytes_per_s=10), sl.Workload(10, 3)).missing == ()


def test_the_longest_generation_takes_no_longer_to_estimate(toy):
    """A loop over 1e15 steps would never end."""
    small = dataclasses.replace(toy, accelerator=dataclasses.replace(toy.accelerator, memory_bytes=1e21))
    answer = sl.estimate(small, sl.Workload(10, 10**15))
    assert answer.fits
    assert math.isfinite(answer.e2e_s)


@pytest.mark.parametrize("rate", [5e-324, 1e-300])
@pytest.mark.parametrize(
    ("change", "field"),
    [
        ("bandwidth_bytes_per_s", "accelerator.bandwidth_bytes_per_s"),
        ("link_bytes_per_s", "link_bytes_per_s"),
        ("flop_per_s", "accelerator.flop_per_s.bf16"),
    ],
)
def test_figures_beyond_all_numbers_are_refused(toy, change, field, rate):
    slow = dataclasses.replace(toy.accelerator, **{change: {"bf16": rate} if change == "flop_per_s" else rate})
    wide = dataclasses.replace(toy.model, parameters=10**5, layers=1000, query_heads=2, kv_heads=2, head_dim=50)
    pair = dataclasses.replace(toy, model=wide, accelerator=slow, tensor_parallel=2, link_utilization=0.5)
    roomy = dataclasses.replace(pair, accelerator=dataclasses.replace(slow, memory_bytes=1e20))
    with pytest.raises(sl.SpecError, match="leads to figures beyond all numbers") as caught:
        sl.estimate(roomy, sl.Workload(10**6, 3))
    assert caught.value.field == field


def test_a_vanishing_share_is_named(toy):
    with pytest.raises(sl.SpecError, match=r"compute_utilization: 4\.94066e-324 leads"):
        sl.estimate(dataclasses.replace(toy, compute_utilization=5e-324), sl.Workload(1, 1))
    assert sl.estimate(dataclasses.replace(toy, link_utilization=5e-324), sl.Workload(1, 1)).ttft_s


def test_rounding_puts_no_time_under_its_floor():
    device = sl.Accelerator("a", 1e14, 78161009669514.6, {"bf16": 3564531767783.3867})
    full = sl.Deployment(
        sl.Model("m", 5563540, 60, 16, 8, 128),
        device,
        compute_utilization=1,
        bandwidth_utilization=1,
        pass_overhead_s=0,
    )
    answer = sl.estimate(full, sl.Workload(17614, 235, batch=25))
    assert answer.decode.time_s >= answer.decode.floor_s


def test_json_is_compact_and_whole_numbers_stay_whole(toy):
    text = sl.estimate(toy, sl.Workload(10, 3)).to_json()
    data = json.loads(text)
    assert text == json.dumps(data, separators=(",", ":"), allow_nan=False)
    assert '"parameters":500,' in text
    assert '"capacity_bytes":1000000.0' in text
    assert data["workload"] == {"prompt_tokens": 10, "output_tokens": 3, "batch": 1}


def test_an_estimate_carries_what_was_asked(toy):
    workload = sl.Workload(10, 3)
    answer = sl.estimate(toy, workload)
    assert answer.deployment is toy
    assert answer.workload is workload
