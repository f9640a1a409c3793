"""What would fit: the answer fits, one more does not."""

from __future__ import annotations

import dataclasses

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import servelab as sl
from tests.strategies import deployments, workloads

pytestmark = pytest.mark.thorough


def fits(deployment, workload):
    return sl.estimate(deployment, workload).fits


@settings(max_examples=200)
@given(deployment=deployments(st.floats(1e9, 1e13)), workload=workloads())
def test_the_largest_batch_fits_and_one_more_does_not(deployment, workload):
    most = sl.estimate(deployment, workload).would_fit.batch
    if most is not None:
        assert fits(deployment, dataclasses.replace(workload, batch=most))
    assert not fits(deployment, dataclasses.replace(workload, batch=(most or 0) + 1))


@settings(max_examples=200)
@given(deployment=deployments(st.floats(1e9, 1e13)), workload=workloads())
def test_the_longest_prompt_fits_and_one_more_does_not(deployment, workload):
    longest = sl.estimate(deployment, workload).would_fit.prompt_tokens
    if longest is not None:
        assert fits(deployment, dataclasses.replace(workload, prompt_tokens=longest))
    assert not fits(deployment, dataclasses.replace(workload, prompt_tokens=(longest or 0) + 1))


@settings(max_examples=200)
@given(deployment=deployments(st.floats(1e9, 1e12)), workload=workloads())
def test_the_fewest_devices_are_the_fewest(deployment, workload):
    answer = sl.estimate(deployment, workload)
    allowed = [option.degree for option in answer.tensor_parallel_options if option.allowed]
    enough = [n for n in allowed if fits(dataclasses.replace(deployment, tensor_parallel=n), workload)]
    assert answer.would_fit.tensor_parallel == (enough[0] if enough else None)


@settings(max_examples=200)
@given(deployment=deployments(st.floats(1e9, 1e12)), workload=workloads())
def test_each_format_named_is_enough_and_the_others_are_not(deployment, workload):
    answer = sl.estimate(deployment, workload)
    named = {(change.field, change.format) for change in answer.would_fit.formats}
    tried = {("weights", "fp8"), ("weights", "int8"), ("weights", "int4"), ("kv_cache", "fp8")}
    enough = {
        (field, name) for field, name in tried if fits(dataclasses.replace(deployment, **{field: name}), workload)
    }
    assert named == (set() if answer.fits else enough)


def test_everything_fits_a_boundless_device(toy):
    boundless = dataclasses.replace(toy.accelerator, memory_bytes=1e21)
    answer = sl.estimate(dataclasses.replace(toy, accelerator=boundless), sl.Workload(1, 1))
    assert answer.would_fit.batch == 10**15


def test_exactly_full_fits(toy):
    workload = sl.Workload(10, 3, batch=2)
    total = sl.estimate(toy, workload).memory.total_bytes
    full = dataclasses.replace(toy, accelerator=dataclasses.replace(toy.accelerator, memory_bytes=total))
    assert fits(full, workload)
    tight = dataclasses.replace(toy, accelerator=dataclasses.replace(toy.accelerator, memory_bytes=total - 0.5))
    assert not fits(tight, workload)
