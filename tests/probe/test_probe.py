"""The quality probe: against plain oracles, against its published points, over twenty seeds."""

from __future__ import annotations

import json
import math
import runpy
import subprocess
import sys
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from servelab.probe.attention import attention, distance, distance_by_head, pool, round_fp8
from servelab.probe.inputs import QUERY_HEADS, TOKENS, VARIANCES, WIDTH, made
from servelab.probe.quality import KV_HEADS, Conversion, error, error_by_head, errors, quality, recovered, scale
from tests.oracles import probe as oracle

ROOT = Path(__file__).parents[2]
SEEDS = range(20)


def drawn(seed, heads, tokens, width):
    return np.random.default_rng(seed).standard_normal((heads, tokens, width))


@pytest.mark.parametrize("groups", [1, 2, 4])
def test_attention_is_that_of_the_definition(groups):
    queries, keys, values = drawn(1, 4, 5, 3), drawn(2, groups, 5, 3), drawn(3, groups, 5, 3)
    out = attention(queries, keys, values)
    for head in range(4):
        shared = head // (4 // groups)
        expected = oracle.attention(queries[head].tolist(), keys[shared].tolist(), values[shared].tolist())
        np.testing.assert_allclose(out[head], expected, rtol=1e-12)


def test_pooling_averages_neighbours():
    heads = drawn(1, 4, 2, 3)
    np.testing.assert_allclose(pool(heads, 2)[1], (heads[2] + heads[3]) / 2, rtol=1e-15)
    np.testing.assert_array_equal(pool(heads, 4), heads)


def test_rounding_takes_the_nearest_number_of_the_format():
    values = oracle.fp8_values()
    heads = drawn(5, 2, 8, 16) * np.array([1.0, 1e6])[:, None, None]
    rounded = round_fp8(heads)
    for head, out in zip(heads, rounded, strict=True):
        unit = np.abs(head).max() / 448
        expected = [oracle.to_fp8(value, values) * unit for value in (head / unit).ravel().tolist()]
        np.testing.assert_array_equal(out.ravel(), expected)


def test_a_tie_goes_to_the_even_mantissa():
    heads = np.array([[[448.0, 17.0, 19.0, -17.0, 2**-10, 3 * 2**-10]]])
    np.testing.assert_array_equal(round_fp8(heads), [[[448.0, 16.0, 20.0, -16.0, 0.0, 2**-8]]])


def test_the_whole_is_the_errors_of_a_plain_loop():
    queries, keys, values = made(11)
    one = 5
    weights = np.tril(np.exp(queries[one] @ keys[one].T / math.sqrt(WIDTH)))
    whole = (weights / weights.sum(axis=1, keepdims=True)) @ values[one]
    shared_k, shared_v = keys[4:8].mean(axis=0), values[4:8].mean(axis=0)
    weights = np.tril(np.exp(queries[one] @ shared_k.T / math.sqrt(WIDTH)))
    pooled = (weights / weights.sum(axis=1, keepdims=True)) @ shared_v
    expected = np.linalg.norm(pooled - whole) / np.linalg.norm(whole)
    assert errors(11).pooling_by_head[8][one] == pytest.approx(expected, rel=1e-12)


def test_made_heads_have_the_declared_likeness():
    assert sum(VARIANCES.values()) == pytest.approx(1)
    keys = made(0).keys
    assert keys.shape == (QUERY_HEADS, TOKENS, WIDTH)
    for other, alike in ((1, 0.98), (2, 0.93), (4, 0.78), (8, 0.5), (16, 0.05)):
        expected = sum(
            v for groups, v in VARIANCES.items() if 0 // (QUERY_HEADS // groups) == other // (QUERY_HEADS // groups)
        )
        assert expected == pytest.approx(alike)
        # each of 6,144 products has a variance of about 1 + alike²: four standard errors of their mean
        assert np.mean(keys[0] * keys[other]) == pytest.approx(alike, abs=4 * math.sqrt(2 / keys[0].size))


def test_the_published_points_are_met():
    """Ainslie et al. 2023: (average − 46.0) / (47.2 − 46.0)."""
    assert quality(Conversion()) == 100
    assert quality(Conversion(8, budget_fraction=0.05)) == pytest.approx(100 * 1.1 / 1.2, abs=1e-9)
    assert quality(Conversion(1, budget_fraction=0.05)) == pytest.approx(50, abs=1e-9)
    assert quality(Conversion(1)) == 0


@pytest.mark.parametrize("seed", SEEDS)
def test_other_seeds_stay_within_the_stated_spread(seed):
    """docs/quality-probe.md states it."""
    assert quality(Conversion(8, budget_fraction=0.05), seed) == pytest.approx(91.7, abs=0.5)
    assert quality(Conversion(1, budget_fraction=0.05), seed) == pytest.approx(50, abs=2)
    assert quality(Conversion(1), seed) == pytest.approx(0, abs=4)
    assert quality(Conversion(kv_cache="fp8"), seed) == pytest.approx(99, abs=0.2)


@pytest.mark.parametrize("seed", [*SEEDS, 10**9, 2**53 - 1])
def test_fewer_heads_never_lower_the_error(seed):
    found = errors(seed).pooling
    assert found[32] == 0
    assert found[16] < found[8] < found[4] < found[2] < found[1]
    assert found[1] >= 3 * found[8]


@pytest.mark.parametrize("kv_heads", KV_HEADS)
def test_rounding_and_pooling_together_are_their_squares_added(kv_heads):
    """What the formula takes for granted, measured: within half a per cent."""
    queries, keys, values = made(0)
    whole = attention(queries, keys, values)
    both = attention(queries, round_fp8(pool(keys, kv_heads)), round_fp8(pool(values, kv_heads)))
    assert error(Conversion(kv_heads, "fp8")) == pytest.approx(distance(both, whole), rel=5e-3)


CONVERSIONS = st.builds(
    Conversion,
    kv_heads=st.sampled_from(KV_HEADS),
    kv_cache=st.sampled_from(["bf16", "fp8"]),
    budget_fraction=st.floats(0, 0.1),
    trained=st.booleans(),
)


@given(CONVERSIONS, st.sampled_from(KV_HEADS), st.integers(0, 5))
def test_fewer_heads_never_raise_quality_when_converted_nor_lower_it_when_trained_so(conversion, other, seed):
    fewer, more = sorted((conversion.kv_heads, other))
    low, high = (quality(replace(conversion, kv_heads=heads), seed) for heads in (fewer, more))
    assert low == high if conversion.trained else low <= high


@given(CONVERSIONS, st.floats(0, 0.1), st.integers(0, 5))
def test_training_never_lowers_quality_and_rounding_never_raises_it(conversion, budget, seed):
    less, more = sorted((conversion.budget_fraction, budget))
    assert quality(replace(conversion, budget_fraction=less), seed) <= quality(
        replace(conversion, budget_fraction=more), seed
    )
    assert quality(replace(conversion, kv_cache="fp8"), seed) <= quality(replace(conversion, kv_cache="bf16"), seed)
    assert 0 <= recovered(conversion) <= 1


def test_errors_by_head_make_up_the_error():
    conversion = Conversion(4, "fp8", 0.02)
    queries, keys, values = made(3)
    whole = attention(queries, keys, values)
    sizes = np.linalg.norm(whole, axis=(1, 2))
    parts = np.array(error_by_head(conversion, 3)) * sizes
    assert math.sqrt((parts**2).sum() / (sizes**2).sum()) == pytest.approx(error(conversion, 3), rel=1e-12)
    assert distance_by_head(whole, whole) == (0.0,) * QUERY_HEADS


def test_the_constants_are_those_of_the_docs():
    tau, zero, exponent = scale()
    assert (f"{tau:.4f}", f"{zero:.4f}", f"{exponent:.4f}") == ("0.0891", "0.8589", "1.4183")


def test_the_plot_is_that_of_the_probe():
    script = ROOT / "docs" / "plots" / "quality_scale.py"
    drawing = runpy.run_path(str(script))["drawing"]
    assert script.with_name("quality-scale.svg").read_text(encoding="utf-8") == drawing()


def test_another_process_finds_the_same_bits():
    code = (
        "import json; from servelab.probe.quality import *; print(json.dumps([scale(), errors(7).pooling_by_head[2]]))"
    )
    printed = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True).stdout
    assert json.loads(printed) == [list(scale()), list(errors(7).pooling_by_head[2])]
