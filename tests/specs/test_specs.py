"""Constructors: canonical forms, bounds, cross checks."""

from __future__ import annotations

import dataclasses
import fractions
import math
import typing

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import servelab as sl
from servelab.specs.fields import Check, Number, declared

SPECS = (sl.Model, sl.Accelerator, sl.Deployment, sl.Workload)
COUNTS = [(spec, name) for spec in SPECS for name, (check, _) in declared(spec).items() if isinstance(check, Number)]


@pytest.fixture
def examples(toy):
    return {
        sl.Model: toy.model,
        sl.Accelerator: toy.accelerator,
        sl.Deployment: toy,
        sl.Workload: sl.Workload(1, 1),
    }


def test_whole_floats_become_counts_and_whole_amounts_floats():
    model = sl.Model("m", 8.03e9, 32.0, 32, 8, 128)
    assert type(model.parameters) is int
    assert model.parameters == 8_030_000_000
    assert type(sl.Accelerator("a", 80, 1).memory_bytes) is float


@pytest.mark.parametrize(("spec", "name"), COUNTS, ids=lambda value: getattr(value, "__name__", value))
@pytest.mark.parametrize("value", [-1, math.nan, math.inf, -math.inf, 1e30, 10**400, "12", "", True, [], {}, b"1", 1j])
def test_no_number_field_takes_what_is_no_number_in_range(examples, spec, name, value):
    with pytest.raises(sl.SpecError) as caught:
        dataclasses.replace(examples[spec], **{name: value})
    assert caught.value.field == name
    assert "give a" in caught.value.message
    assert len(str(caught.value)) < 300


@pytest.mark.parametrize("name", ["prompt_tokens", "output_tokens", "batch"])
@pytest.mark.parametrize("value", [0, 1.5, 10**15 + 1, None])
def test_counts_are_whole_and_at_least_one(name, value):
    with pytest.raises(sl.SpecError, match=name):
        dataclasses.replace(sl.Workload(1, 1), **{name: value})


@pytest.mark.parametrize("name", ["compute_utilization", "bandwidth_utilization", "link_utilization"])
def test_utilisations_end_at_one_and_never_at_zero(toy, name):
    assert getattr(dataclasses.replace(toy, **{name: 1}), name) == 1.0
    for value in (0, 1.0000001):
        with pytest.raises(sl.SpecError, match=r"above 0 up to 1"):
            dataclasses.replace(toy, **{name: value})


TINY = fractions.Fraction(1, 10**400)


def test_other_real_numbers_are_taken_for_what_they_are():
    assert sl.Workload(np.int64(3), np.float32(4), batch=fractions.Fraction(5)) == sl.Workload(3, 4, batch=5)
    assert type(sl.Workload(np.int64(3), 1).prompt_tokens) is int


@pytest.mark.parametrize("value", [TINY, 1 / TINY, np.timedelta64(5, "s"), np.float16("nan"), np.bool_(True)])
def test_what_no_float_can_hold_is_refused(value):
    for build in (lambda: sl.Accelerator("a", value, 1), lambda: sl.Workload(value, 1)):
        with pytest.raises(sl.SpecError, match="give a"):
            build()


@pytest.mark.parametrize("name", ["", "  ", "x" * 201, "a\nb", "\x1b[31m", "\ud800", None, 3])
def test_names_are_printable(name):
    with pytest.raises(sl.SpecError, match=r"name: .* give a printable text"):
        sl.Model(name, 1, 1, 1, 1, 1)


def test_an_estimate_takes_specs_only(toy):
    with pytest.raises(sl.SpecError, match=r"deployment: .* give sl\.Deployment"):
        sl.estimate("llama-3.1-8b", sl.Workload(1, 1))
    with pytest.raises(sl.SpecError, match=r"workload: .* give sl\.Workload"):
        sl.estimate(toy, {"prompt_tokens": 1})


def test_formats_are_known_by_name(toy):
    for field in ("weights", "kv_cache", "compute", "profile", "engine"):
        with pytest.raises(sl.UnknownName, match=field):
            dataclasses.replace(toy, **{field: "fp9"})
        with pytest.raises(sl.SpecError, match=field):
            dataclasses.replace(toy, **{field: 8})


def test_rates_name_format_and_value():
    with pytest.raises(sl.SpecError) as caught:
        sl.Accelerator("a", 1, 1, {"bf16": -1})
    assert caught.value.field == "flop_per_s.bf16"
    with pytest.raises(sl.UnknownName, match="flop_per_s"):
        sl.Accelerator("a", 1, 1, {"bf17": 1})
    with pytest.raises(sl.SpecError, match="no table"):
        sl.Accelerator("a", 1, 1, 989e12)


def test_a_specs_rates_are_its_own_copy():
    rates = {"bf16": 1.0}
    device = sl.Accelerator("a", 1, 1, rates)
    rates["bf16"] = -1
    assert device.flop_per_s == {"bf16": 1.0}


def test_heads_split_evenly_or_are_refused_with_the_degrees_that_do():
    with pytest.raises(sl.SpecError, match="3 does not divide the 32 query heads; use 1, 2, 4 or 8") as caught:
        sl.Deployment("llama-3.1-8b", "h100-sxm-80gb", tensor_parallel=3)
    assert caught.value.field == "tensor_parallel"
    with pytest.raises(sl.SpecError, match="16 does not divide the 8 KV heads"):
        sl.Deployment("llama-3.1-8b", "h100-sxm-80gb", tensor_parallel=16)
    assert sl.Deployment("llama-3.1-8b", "h100-sxm-80gb", tensor_parallel=16, replicate_kv_heads=True)


def test_an_engine_replicates_heads_by_default(toy):
    assert not toy.replicates
    assert dataclasses.replace(toy, engine="vllm").replicates
    assert not dataclasses.replace(toy, engine="vllm", replicate_kv_heads=False).replicates


@given(kv_heads=st.integers(1, 64), group=st.integers(1, 16), degree=st.integers(1, 128), replicate=st.booleans())
def test_which_degrees_are_allowed(kv_heads, group, degree, replicate):
    model = sl.Model("m", 1, 1, kv_heads * group, kv_heads, 1)
    possible = kv_heads * group % degree == 0
    even = kv_heads % degree == 0 or (replicate and degree % kv_heads == 0)
    if possible and even:
        assert split(model, degree, replicate).tensor_parallel == degree
    else:
        with pytest.raises(sl.SpecError, match="tensor_parallel"):
            split(model, degree, replicate)


def split(model, degree, replicate):
    return sl.Deployment(model, "h100-sxm-80gb", tensor_parallel=degree, replicate_kv_heads=replicate)


def test_a_model_checks_its_own_sense():
    with pytest.raises(sl.SpecError, match="3 does not divide the 4 query heads"):
        sl.Model("m", 1000, 1, 4, 3, 1)
    with pytest.raises(sl.SpecError, match="less than the embeddings alone"):
        sl.Model("m", 1000, 1, 4, 4, 1, vocab_size=251)
    assert sl.Model("m", 1000, 1, 4, 4, 2).hidden_size == 8


def test_every_field_is_declared_with_words():
    for spec in SPECS:
        assert set(declared(spec)) == {field.name for field in dataclasses.fields(spec)}
        for check, _ in declared(spec).values():
            assert isinstance(check, Check)
            assert check.doc
        assert all(typing.get_type_hints(spec, include_extras=True).values())


INTERFACE = """
model accelerator tensor_parallel weights kv_cache compute compute_utilization bandwidth_utilization pass_overhead_s
reserve_bytes workspace_buffers format_metadata_fraction link_bytes_per_s link_utilization all_reduce_latency_s
replicate_kv_heads profile engine
"""


def test_the_field_names_of_the_interface():
    assert {field.name for field in dataclasses.fields(sl.Deployment)} >= set(INTERFACE.split())
    deployment = sl.Deployment("llama-3.1-8b", "h100-sxm-80gb")
    assert deployment.model.name == "Llama-3.1-8B"
    assert (deployment.compute_utilization, deployment.bandwidth_utilization) == (0.5, 0.8)


def test_options_are_keyword_only():
    with pytest.raises(TypeError):
        sl.Deployment("llama-3.1-8b", "h100-sxm-80gb", 2)
    with pytest.raises(TypeError):
        sl.Workload(1, 1, 1)
