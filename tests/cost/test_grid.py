"""Arrays of figures against one estimate at a time."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import servelab as sl
from servelab.specs.groups import LayerGroup
from tests.strategies import accelerators, deployments, workloads

FIGURES = ("ttft_s", "tpot_s", "e2e_s", "output_tokens_per_s")


def check(deployment, asked):
    columns = {
        name: [getattr(workload, name) for workload in asked] for name in ("prompt_tokens", "output_tokens", "batch")
    }
    grid = sl.grid(deployment, **columns)
    for row, workload in enumerate(asked):
        answer = sl.estimate(deployment, workload)
        total = answer.memory.total_bytes
        assert grid.total_bytes[row] == pytest.approx(total, rel=1e-9)
        if total != pytest.approx(answer.memory.capacity_bytes, rel=1e-9):
            assert grid.fits[row] == answer.fits
        for name in FIGURES:
            value = getattr(answer, name)
            expected = np.nan if value is None else value
            assert getattr(grid, name)[row] == pytest.approx(expected, rel=1e-9, nan_ok=True), name


@pytest.mark.thorough
@settings(max_examples=150)
@given(deployment=deployments(), asked=st.lists(workloads(largest_batch=3000), min_size=1, max_size=8))
def test_a_dense_grid_equals_estimates(deployment, asked):
    check(deployment, asked)


@st.composite
def grouped_models(draw):
    """Windows, experts, latent attention with an indexer and fixed state, in one model."""
    window, picked = draw(st.integers(1, 300)), draw(st.integers(1, 300))
    experts = draw(st.integers(1, 32))
    groups = (
        LayerGroup(draw(st.integers(1, 20)), query_heads=4, kv_heads=2, key_dim=64, value_dim=32, window=window),
        LayerGroup(
            draw(st.integers(1, 20)),
            attention="latent",
            query_heads=4,
            latent_dim=64,
            rope_dim=16,
            nope_dim=32,
            value_dim=32,
            index_topk=picked,
            index_heads=2,
            index_head_dim=16,
            feed_forward="experts",
            experts=experts,
            experts_per_token=draw(st.integers(1, experts)),
            expert_parameters=10**6,
        ),
        LayerGroup(draw(st.integers(1, 20)), attention="state", state_bytes=draw(st.floats(1, 1e7))),
    )
    layers = sum(group.layers for group in groups)
    return sl.Model("mixed", 10**11, layers, 4, 2, 64, hidden_size=256, groups=groups)


@pytest.mark.thorough
@settings(max_examples=150)
@given(
    model=grouped_models(),
    device=accelerators(st.sampled_from([1e20, 3e11])),
    asked=st.lists(workloads(longest_prompt=1000), min_size=1, max_size=8),
    skew=st.sampled_from([0.0, 1.0]),
    degree=st.sampled_from([1, 2]),
)
def test_a_grid_of_groups_equals_estimates(model, device, asked, skew, degree):
    check(sl.Deployment(model, device, tensor_parallel=degree, expert_skew=skew), asked)


def test_arrays_broadcast_and_numbers_are_arrays():
    deployment = sl.Deployment("llama-3.1-8b", "h100-sxm-80gb")
    grid = sl.grid(deployment, prompt_tokens=1024, output_tokens=[1, 256], batch=[[1], [16], [64]])
    assert grid.fits.shape == grid.tpot_s.shape == (3, 2)
    assert np.isnan(grid.tpot_s[:, 0]).all()
    assert sl.grid(deployment, prompt_tokens=1024, output_tokens=256, batch=16).fits.shape == ()


def test_more_than_a_block_is_one_grid():
    deployment = sl.Deployment("llama-3.1-8b", "h100-sxm-80gb")
    batch = np.arange(1, 20_001)
    grid = sl.grid(deployment, prompt_tokens=16, output_tokens=16, batch=batch)
    for row in (0, 8191, 8192, 19_999):
        answer = sl.estimate(deployment, sl.Workload(16, 16, batch=int(batch[row])))
        assert grid.total_bytes[row] == pytest.approx(answer.memory.total_bytes, rel=1e-12)


def test_without_a_rate_only_memory_is_answered():
    grid = sl.grid(sl.Deployment("llama-3.2-1b", "rtx-3090"), prompt_tokens=64, output_tokens=8, batch=[1, 2])
    assert grid.fits.all()
    assert np.isnan(grid.ttft_s).all()


@pytest.mark.parametrize("value", [0, -1, 1.5, np.nan, np.inf, 1e16, "many", [1, 0], None, True])
def test_what_is_no_count_is_refused(value):
    deployment = sl.Deployment("llama-3.1-8b", "h100-sxm-80gb")
    with pytest.raises(sl.SpecError, match=r"batch: .*; give"):
        sl.grid(deployment, prompt_tokens=1, output_tokens=1, batch=value)
