"""Differences: exact sums, and the sentence in cases made by hand."""

from __future__ import annotations

import dataclasses
import json
import math

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import servelab as sl
from servelab.cost.explain import next_limit, passes_of
from tests.strategies import deployments, workloads

ROOMY = st.just(1e20)


@pytest.fixture
def chat():
    """Llama-3.1-8B on one H100, 16 requests of 1,024 in and 256 out."""
    return sl.Deployment("llama-3.1-8b", "h100-sxm-80gb"), sl.Workload(1024, 256, batch=16)


def explained(chat, *, deployment=None, workload=None):
    before, after = chat, (chat[0], chat[1])
    after = (
        dataclasses.replace(chat[0], **(deployment or {})),
        dataclasses.replace(chat[1], **(workload or {})),
    )
    return sl.explain(sl.estimate(*before), sl.estimate(*after))


@pytest.mark.thorough
@settings(max_examples=150)
@given(one=deployments(ROOMY), other=deployments(ROOMY), first=workloads(), second=workloads())
def test_the_parts_sum_exactly_to_the_difference(one, other, first, second):
    before, after = sl.estimate(one, first), sl.estimate(other, second)
    explanation = sl.explain(before, after)
    for name, change in (("prefill", explanation.prefill), ("decode", explanation.decode)):
        if change is None:
            assert 1 in (first.output_tokens, second.output_tokens)
            continue
        assert change.difference_s == math.fsum(part.difference_s for part in change.parts)
        for part in change.parts:
            assert part.difference_s == part.after_s - part.before_s
        old = getattr(before, name).time_s / passes_of(before, name)
        new = getattr(after, name).time_s / passes_of(after, name)
        assert change.difference_s == pytest.approx(new - old, rel=1e-9, abs=1e-12 * max(old, new))
        assert change.before_s == old
        assert change.after_s == new


@pytest.mark.thorough
@settings(max_examples=150)
@given(one=deployments(), other=deployments(), first=workloads(), second=workloads())
def test_any_two_estimates_can_be_told_apart_in_one_sentence(one, other, first, second):
    explanation = sl.explain(sl.estimate(one, first), sl.estimate(other, second))
    assert explanation.sentence.endswith(".")
    assert "\n" not in explanation.sentence
    assert json.loads(explanation.to_json())["sentence"] == explanation.sentence


def test_nothing_changed(chat):
    explanation = explained(chat)
    assert explanation.changes == ()
    assert explanation.sentence == "Prefill hardly changes: TTFT stays at 541 ms."
    assert all(figure.ratio == 1 for figure in explanation.figures)


def test_changes_are_named(chat):
    explanation = explained(chat, deployment={"weights": "int4"}, workload={"batch": 8})
    assert [(change.field, change.before, change.after) for change in explanation.changes] == [
        ("deployment.weights", None, "int4"),
        ("workload.batch", 16, 8),
    ]


# Each sentence's figures by hand: weights 8.030e9 × 2 = 16.06 GB (int4: × 0.525 = 4.216 GB), cache a token 131,072
# bytes, activations 4 × 32 × 16 × 4096 × 2 = 16.8 MB a step, mean context 1,152 + 1; H100 at 0.8 × 3.35 TB/s and
# 0.5 × 989.4 TFLOP/s.
@pytest.mark.parametrize(
    ("deployment", "workload", "sentence"),
    [
        (
            {"weights": "int4"},
            {},
            (
                "Decode reads 6.65 GB instead of 18.5 GB a step; it was memory-bound and still is, so TPOT falls "
                "2.7×; next is the math of the linear stage."
            ),
        ),
        (
            {"kv_cache": "fp8"},
            {},
            (
                "Decode reads 17.3 GB instead of 18.5 GB a step; it was memory-bound and still is, so TPOT falls "
                "6.4 %; next is the math of the linear stage."
            ),
        ),
        (
            {"accelerator": "h200-sxm-141gb"},
            {},
            (
                "Decode moves the same 18.5 GB a step at 3.84 TB/s instead of 2.68 TB/s; it was memory-bound and "
                "still is, so TPOT falls 1.4×; next is the math of the linear stage."
            ),
        ),
        (
            {"tensor_parallel": 2},
            {},
            (
                "Decode moves the same 18.5 GB a step at 5.36 TB/s instead of 2.68 TB/s; it was memory-bound and "
                "still is, so TPOT falls 2.0×; next is the math of the linear stage."
            ),
        ),
        (
            {},
            {"batch": 32},
            (
                "Prefill computes 535 TFLOP instead of 268 TFLOP; it was compute-bound and still is, so TTFT "
                "rises 2.0×; next is the memory traffic of the linear stage."
            ),
        ),
        (
            {"compute": "fp8"},
            {},
            (
                "Prefill computes the same 268 TFLOP at 989 TFLOP/s instead of 495 TFLOP/s; it was compute-bound "
                "and still is, so TTFT falls 2.0×; next is the memory traffic of the linear stage."
            ),
        ),
        (
            {"pass_overhead_s": 0.01},
            {},
            (
                "Decode pays 10.0 ms of overhead instead of 100 µs a step; it was memory-bound and is now "
                "overhead-bound, so TPOT rises 2.4×; next is the memory traffic of the linear stage."
            ),
        ),
        (
            {},
            {"batch": 500},
            "It no longer fits: 55.5 GB too much on each device, so no speed can be told.",
        ),
    ],
    ids=["int4", "fp8 cache", "h200", "two devices", "batch", "fp8 math", "overhead", "too large"],
)
def test_the_sentence(chat, deployment, workload, sentence):
    assert explained(chat, deployment=deployment, workload=workload).sentence == sentence


def test_a_bound_that_flips_from_memory_to_compute(toy):
    """Weights of 1,000 bytes at 1,000 bytes/s take 1 s; the math of b tokens takes b / 4 s."""
    slow_math = dataclasses.replace(
        toy, accelerator=dataclasses.replace(toy.accelerator, flop_per_s={"bf16": 4000}, memory_bytes=1e9)
    )
    one, many = sl.Workload(10, 3, batch=1), sl.Workload(10, 3, batch=64)
    explanation = sl.explain(sl.estimate(slow_math, one), sl.estimate(slow_math, many))
    # One token: 1,000 FLOP and attention's 4 × 11.5, at a mean context of 11.5; its 1,004 and 4 × 12.5 + 4 bytes take
    # 1.058 s. 64 tokens: 64 times the FLOP, 16.736 s, but attention waits for its 64 × 54 bytes: 16 + 3.456 s.
    assert explanation.decode.sentence == (
        "Decode computes 66.9 kFLOP instead of 1.05 kFLOP a step; it was memory-bound and is now "
        "compute-bound, so TPOT rises 18×; next is the memory traffic of attention."
    )


def test_a_bound_that_flips_to_communication(chat):
    explanation = explained(chat, deployment={"tensor_parallel": 8, "link_bytes_per_s": 31e9})
    assert explanation.prefill.sentence == (
        "Prefill exchanges activations for 647 ms instead of 0 s; it was compute-bound and is now "
        "communication-bound, so TTFT rises 1.3×; next is the math of the linear stage."
    )


def test_it_fits_at_last_and_neither_fits():
    large, one = sl.Deployment("llama-3.1-70b", "h100-sxm-80gb"), sl.Workload(1024, 256)
    halved = dataclasses.replace(large, tensor_parallel=2)
    assert sl.explain(sl.estimate(large, one), sl.estimate(halved, one)).sentence == (
        "Now it fits, in 72.8 GB of 80.0 GB; before, 63.7 GB was too much."
    )
    cached = dataclasses.replace(large, kv_cache="fp8")
    assert sl.explain(sl.estimate(large, one), sl.estimate(cached, one)).sentence.startswith("Neither fits: 63.5 GB")


def test_without_a_rate_there_is_no_speed_to_compare():
    silent, one = sl.Deployment("llama-3.2-1b", "rtx-3090"), sl.Workload(64, 8)
    assert sl.explain(sl.estimate(silent, one), sl.estimate(silent, one)).sentence == (
        "There is no speed to compare: give accelerator.flop_per_s.bf16."
    )


def test_what_comes_next_is_of_another_kind(chat):
    decode = sl.estimate(*chat).decode
    assert decode.bottleneck == "memory"
    assert next_limit(decode) == "the math of the linear stage"
