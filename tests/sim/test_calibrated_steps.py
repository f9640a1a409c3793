"""Skipping stays exact where step times come from a profile: against the engine that walks every step."""

from __future__ import annotations

import dataclasses

import pytest

import servelab as sl
from servelab.cost.steps import step_costs
from servelab.sim import engine
from servelab.specs.profile import Profile
from tests.sim.cases import case
from tests.sim.test_exactness import assert_equal, run

PROFILE = Profile(
    id="slow",
    engine="any",
    accelerator="any",
    compute_utilization={"bf16": 0.6},
    bandwidth_utilization={"bf16": 0.8},
    half_tokens=7,
    decode_attention_utilization=0.01,
    pass_s=0.03,
    layer_s=0.002,
    sequence_s=0.01,
    logit_s=1e-7,
    activation_utilization=0.1,
    prompt_s=0.02,
    all_reduce_s=0.003,
    all_reduce_rank_s=0.002,
)
#: Slow enough that passes take about as long as the cases' arrivals lie apart, and near the knee.
DEVICE = sl.Accelerator("slow", 1e12, 2e10, {"bf16": 2e11}, link_bytes_per_s=1e9)
DENSE = sl.Model("dense", 2_000_000_000, 4, 8, 2, 64, vocab_size=32_000)
MIXTURE = sl.Model.load("mixtral-8x7b-v0.1")


@pytest.mark.parametrize("seed", range(0, 240, 2))
def test_a_calibrated_engine_equals_the_step_by_step_one(seed):
    model = MIXTURE if seed % 8 == 0 else DENSE
    deployment = sl.Deployment(model, DEVICE, tensor_parallel=4, replicate_kv_heads=True, profile=PROFILE)
    one = dataclasses.replace(case(seed), costs=step_costs(deployment))
    state, timeline = run(one, engine.run, compiled=False)
    assert_equal(state, timeline, one.oracle())
