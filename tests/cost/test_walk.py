"""One batch pass by pass adds up to its estimate, and each pass is what the plain definition says."""

from __future__ import annotations

import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

import servelab as sl
from servelab.cost.walk import walk
from tests.oracles import estimate as oracle
from tests.strategies import deployments, workloads

H100 = sl.Deployment("llama-3.1-8b", "h100-sxm-80gb")
ASKED = sl.Workload(1024, 256, batch=16)
CLOSE = 1e-9


@given(deployments(), workloads(longest_output=40), st.integers(1, 64))
def test_told_whole_the_passes_add_up_to_the_estimate(deployment, workload, most):
    estimate, told = sl.estimate(deployment, workload), walk(deployment, workload, most)
    assert (told.fits, told.reserved_bytes) == (estimate.fits, estimate.memory.kv_cache_bytes)
    if estimate.prefill is None:
        assert told.passes == ()
        return
    assert told.passes[0].phase == estimate.prefill
    assert told.passes[-1].end_s == pytest.approx(
        estimate.e2e_s if len(told.passes) > 1 else estimate.ttft_s, rel=CLOSE
    )
    numbers = [one.number for one in told.passes]
    last = workload.output_tokens - 1
    assert numbers == sorted(set(numbers))
    assert len(numbers) == 1 + min(most, last)
    assert numbers[-1] == (last if last else 0)
    if most >= last:
        decode = told.passes[1:]
        assert numbers == list(range(last + 1))
        for name in ("time_s", "floor_s", "flop", "bytes", "communication_s", "overhead_s"):
            assert sum(getattr(one.phase, name) for one in decode) == pytest.approx(
                getattr(estimate.decode, name), rel=1e-7
            )


@given(deployments(), workloads(longest_output=40))
def test_a_decode_pass_is_its_definition(deployment, workload):
    told = walk(deployment, workload, 3)
    for one in told.passes[1:]:
        contexts = [workload.prompt_tokens + one.number] * workload.batch
        stages, communication, _ = oracle.one_pass(deployment, contexts, [])
        for stage, expected in zip((one.phase.linear, one.phase.attention), stages, strict=True):
            assert stage.flop == pytest.approx(expected["flop"], rel=CLOSE)
            assert stage.bytes == pytest.approx(expected["bytes"], rel=CLOSE)
        assert one.phase.communication_s == pytest.approx(communication, rel=CLOSE)


def test_the_cache_grows_from_the_prompt_to_one_token_below_the_budget():
    told = walk(H100, ASKED, 8)
    first, last = told.passes[0], told.passes[-1]
    per_token = 2 * 32 * 8 * 128 * 2
    assert [one.number for one in told.passes] == [0, 1, 37, 73, 109, 146, 182, 218, 255]
    assert (first.context_tokens, first.tokens_out, first.tokens) == (1024, 1, 16 * 1024)
    assert (last.context_tokens, last.tokens_out, last.tokens) == (1279, 256, 16)
    assert [first.kv_cache_bytes, last.kv_cache_bytes] == [per_token * 1024 * 16, per_token * 1279 * 16]
    assert (first.blocks_per_request, last.blocks_per_request, told.blocks_reserved) == (64, 80, 80)
    assert told.reserved_bytes == per_token * 1280 * 16


def test_of_one_output_token_there_is_only_the_prefill():
    told = walk(H100, sl.Workload(100, 1), 8)
    assert [one.number for one in told.passes] == [0]
    assert told.passes[0].blocks_per_request == math.ceil(100 / 16)


def test_one_decode_pass_is_the_last():
    assert [one.number for one in walk(H100, ASKED, 1).passes] == [0, 255]


def test_what_does_not_fit_has_no_passes():
    told = walk(sl.Deployment("llama-3.1-70b", "h100-sxm-80gb"), ASKED, 8)
    assert (told.fits, told.passes) == (False, ())


def test_what_devices_exchange_is_what_their_link_takes_the_time_for():
    pair = sl.Deployment("llama-3.1-8b", "h100-sxm-80gb", tensor_parallel=2)
    for one in walk(pair, ASKED, 2).passes:
        assert one.exchanged_bytes == 2 * 2 * 32 * (2 / 2 * one.tokens * 4096 * 2)
        each = one.exchanged_bytes / 2
        assert one.phase.communication_s == pytest.approx(each / (450e9 * 0.75), rel=CLOSE)
    assert walk(H100, ASKED, 1).passes[0].exchanged_bytes == 0
