"""With a profile: nothing beats its floor, coefficients and closed form agree, and the textbook is as it was."""

from __future__ import annotations

import dataclasses

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import servelab as sl
from servelab.specs.profile import Profile
from tests.strategies import deployments, workloads

SHARES = st.floats(0.01, 1)
SECONDS = st.sampled_from([0.0, 1e-6, 1e-3])


@st.composite
def profiles(draw):
    return Profile(
        id="random",
        engine="vllm",
        accelerator="none",
        compute_utilization={"bf16": draw(SHARES), "fp8": draw(SHARES)},
        bandwidth_utilization={"bf16": draw(SHARES), "int4": draw(SHARES)},
        half_tokens=draw(st.sampled_from([0.0, 1.0, 200.0])),
        expert_compute_utilization=draw(SHARES),
        expert_bandwidth_utilization=draw(SHARES),
        attention_compute_utilization=draw(SHARES),
        decode_attention_utilization=draw(SHARES),
        query_head_utilization=draw(SHARES),
        query_head_caches=draw(st.sampled_from([(), ("fp8",), ("bf16", "fp8")])),
        attention_bandwidth_utilization={"bf16": draw(SHARES), "fp8": draw(SHARES)},
        pass_s=draw(SECONDS),
        layer_s=draw(SECONDS),
        sequence_s=draw(SECONDS),
        logit_s=draw(st.sampled_from([0.0, 1e-10])),
        activation_utilization=draw(SHARES),
        prompt_s=draw(SECONDS),
        all_reduce_s=draw(SECONDS),
        all_reduce_rank_s=draw(SECONDS),
        link_utilization=draw(SHARES),
    )


@given(deployments(), profiles(), workloads())
def test_no_profile_beats_the_floor(deployment, profile, workload):
    answer = sl.estimate(dataclasses.replace(deployment, profile=profile), workload)
    for phase in (answer.prefill, answer.decode):
        if phase is not None:
            assert phase.time_s >= phase.floor_s * (1 - 1e-12)


@given(deployments(), profiles(), workloads(longest_output=20, largest_batch=9))
def test_a_batch_through_the_engine_takes_what_the_estimate_says(deployment, profile, workload):
    calibrated = dataclasses.replace(deployment, profile=profile)
    answer = sl.estimate(calibrated, workload)
    if answer.ttft_s is None:
        return
    count = workload.batch
    traffic = sl.Traffic(
        np.zeros(count), np.full(count, workload.prompt_tokens), np.full(count, workload.output_tokens)
    )
    run = sl.simulate(calibrated, traffic, sl.Scheduler("static", max_num_seqs=None, kv_blocks=2**40))
    assert run.summary["ttft_mean_s"] == pytest.approx(answer.ttft_s, rel=1e-9)
    assert run.summary["makespan_s"] == pytest.approx(answer.e2e_s, rel=1e-9)


@given(deployments(), profiles(), workloads())
def test_the_grid_agrees_with_the_estimate(deployment, profile, workload):
    calibrated = dataclasses.replace(deployment, profile=profile)
    answer = sl.estimate(calibrated, workload)
    grid = sl.grid(
        calibrated,
        prompt_tokens=[workload.prompt_tokens],
        output_tokens=[workload.output_tokens],
        batch=[workload.batch],
    )
    if answer.ttft_s is not None:
        assert grid.ttft_s[0] == pytest.approx(answer.ttft_s, rel=1e-9)
        assert grid.e2e_s[0] == pytest.approx(answer.e2e_s, rel=1e-9)


@pytest.mark.parametrize("model", ["mixtral-8x7b-v0.1", "deepseek-v3", "gpt-oss-20b", "jamba-v0.1"])
def test_models_of_every_kind_step_as_they_are_estimated(model):
    profile = Profile.load("any@any")
    deployment = sl.Deployment(model, "b200-sxm", tensor_parallel=8, engine="vllm", profile=profile)
    answer = sl.estimate(deployment, sl.Workload(300, 20, batch=3))
    traffic = sl.Traffic(np.zeros(3), np.full(3, 300), np.full(3, 20))
    run = sl.simulate(deployment, traffic, sl.Scheduler("static", kv_blocks=10**6))
    assert run.summary["makespan_s"] == pytest.approx(answer.e2e_s, rel=1e-9)
    assert answer.decode.time_s >= answer.decode.floor_s


def test_every_term_costs_time():
    calibrated = Profile.load("any@any")
    deployment = sl.Deployment("mixtral-8x7b-v0.1", "h100-sxm-80gb", tensor_parallel=4, profile=calibrated)

    def whole(profile):
        answer = sl.estimate(dataclasses.replace(deployment, profile=profile), sl.Workload(2000, 50, batch=8))
        return answer.e2e_s

    for name in (
        "half_tokens",
        "pass_s",
        "layer_s",
        "sequence_s",
        "logit_s",
        "prompt_s",
        "all_reduce_s",
        "all_reduce_rank_s",
    ):
        more = dataclasses.replace(calibrated, **{name: getattr(calibrated, name) * 2 + 1e-6})
        assert whole(more) > whole(calibrated), name
    for name in ("activation_utilization", "link_utilization", "expert_bandwidth_utilization"):
        less = dataclasses.replace(calibrated, **{name: getattr(calibrated, name) / 2})
        assert whole(less) > whole(calibrated), name


def test_a_further_device_adds_to_every_all_reduce():
    profile = dataclasses.replace(Profile.load("any@any"), all_reduce_rank_s=0.0)
    slower = dataclasses.replace(profile, all_reduce_rank_s=1e-3)
    for devices in (1, 2, 4, 8):
        deployment = sl.Deployment("llama-3.1-8b", "h100-sxm-80gb", tensor_parallel=devices, profile=profile)
        times = [
            sl.estimate(dataclasses.replace(deployment, profile=one), sl.Workload(100, 1)).prefill.time_s
            for one in (profile, slower)
        ]
        assert times[1] - times[0] == pytest.approx(2 * 32 * max(devices - 2, 0) * 1e-3)


def test_caches_read_for_every_query_head_have_a_share_of_their_own():
    profile = dataclasses.replace(
        Profile.load("any@any"),
        query_head_utilization=1e-4,
        query_head_caches=("fp8",),
        decode_attention_utilization=0.5,
    )
    for cache, slower in (("bf16", False), ("fp8", True)):
        deployment = sl.Deployment("llama-3.1-8b", "h100-sxm-80gb", kv_cache=cache, profile=profile)
        other = dataclasses.replace(deployment, profile=dataclasses.replace(profile, query_head_caches=()))
        by_query_head, by_kv_head = (sl.estimate(one, sl.Workload(4000, 10, batch=8)) for one in (deployment, other))
        assert (by_query_head.tpot_s > 2 * by_kv_head.tpot_s) == slower
        assert by_query_head.prefill.time_s == by_kv_head.prefill.time_s


def test_the_head_counts_where_a_token_is_emitted_and_the_table_never():
    slow = Profile(
        id="slow",
        engine="any",
        accelerator="any",
        compute_utilization={"bf16": 1e-3},
        bandwidth_utilization={"bf16": 1.0},
        attention_compute_utilization=1,
        pass_s=0,
    )
    deployment = sl.Deployment("llama-3.1-8b", "h100-sxm-80gb", profile=slow)
    model = deployment.model
    answer = sl.estimate(deployment, sl.Workload(1000, 1, batch=2))
    body = model.parameters - 2 * model.table_parameters
    assert answer.prefill.linear.flop == pytest.approx(2 * body * 2000 + 2 * model.table_parameters * 2)
