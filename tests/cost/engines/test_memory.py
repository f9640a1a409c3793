"""Engine memory: the reference start, and a toy whose figures can be worked out on paper."""

from __future__ import annotations

import dataclasses

import pytest

import servelab as sl

GIB = 2**30


def llama(**settings):
    deployment = sl.Deployment("llama-3.1-8b", "h100-sxm-80gb")
    return sl.engine_memory(deployment, "vllm", **{"version": "0.11", **settings})


def test_the_reference_start_of_vllm():
    answer = llama(max_model_len=16_000, device_memory_bytes=79.18 * GIB)
    assert answer.kv_cache_bytes == pytest.approx(51.38 * GIB, rel=0.001)
    assert answer.kv_tokens == pytest.approx(420_905, rel=0.001)
    assert answer.weights_bytes == pytest.approx(14.99 * GIB, rel=0.001)
    assert answer.activation_bytes == pytest.approx(4.76 * GIB, rel=0.005)
    assert (answer.outcome, answer.refusal) == ("fits", None)


def test_the_parts_lie_within_the_budget():
    answer = llama()
    parts = (answer.weights_bytes, answer.activation_bytes, answer.graph_bytes, answer.other_bytes)
    left = answer.budget_bytes - sum(parts) - answer.kv_cache_bytes
    assert 0 <= left < answer.kv_bytes_per_token * answer.block_tokens
    assert answer.budget_bytes == 0.9 * answer.device_memory_bytes
    assert sum(term.bytes for term in answer.terms) == pytest.approx(sum(parts))


def test_json_is_the_record():
    answer = llama()
    assert answer.to_dict().keys() == {field.name for field in dataclasses.fields(answer)}
    assert answer.to_json().startswith('{"engine":"vllm","version":"0.11"')
