"""What has to hold of any start, whatever its settings."""

from __future__ import annotations

import dataclasses

import pytest
from hypothesis import assume, given
from hypothesis import settings as examples
from hypothesis import strategies as st

import servelab as sl
from servelab.cost import memory
from servelab.cost.weights import weights_of
from servelab.specs.deployment import split_refusal
from tests import strategies

MODELS = (
    "llama-3.1-8b",
    "llama-3.1-70b",
    "qwen3-0.6b",
    "qwen3-30b-a3b",
    "gpt-oss-20b",
    "gemma-3-27b-it",
    "deepseek-v2-lite",
    "qwen3-next-80b-a3b-thinking",
    "nvidia-nemotron-3-nano-30b-a3b-bf16",
    "mistral-7b-v0.1",
    "opt-1.3b",
)
CARDS = ("h100-sxm-80gb", "a100-sxm-40gb", "rtx-4090", "l40s", "mi300x", "b200-sxm")
VERSIONS = {
    "vllm": (None, "0.2", "0.3", "0.5.4", "0.6.4", "0.6.6", "0.7.3", "0.8", "0.11", "0.16", "0.17", "0.19", "0.21"),
    "sglang": (None, "0.4.1"),
    "tensorrt-llm": (None,),
    "llama.cpp": (None,),
}


def _deployment(model, card, degree, weights, kv):
    loaded = sl.Model.load(model)
    assume(not split_refusal(loaded, degree, True))
    return sl.Deployment(
        loaded, card, tensor_parallel=degree, weights=weights, kv_cache=kv, replicate_kv_heads=True, engine="vllm"
    )


deployments = st.builds(
    _deployment,
    st.sampled_from(MODELS),
    st.sampled_from(CARDS),
    st.sampled_from((1, 2, 4, 8)),
    st.sampled_from((None, "fp8", "int4")),
    st.sampled_from(("bf16", "fp8")),
)

settings_of = st.sampled_from(tuple(VERSIONS)).flatmap(
    lambda engine: st.fixed_dictionaries(
        {
            "engine": st.just(engine),
            "version": st.sampled_from(VERSIONS[engine]),
            "gpu_memory_utilization": st.floats(0.05, 1),
            "max_model_len": st.none() | st.integers(1, 200_000),
            "max_num_batched_tokens": st.none() | st.integers(1, 40_000),
            "max_num_seqs": st.none() | st.integers(1, 4096),
            "enforce_eager": st.booleans(),
        }
    )
)


def parts(answer):
    return answer.weights_bytes + answer.activation_bytes + answer.graph_bytes + answer.other_bytes


@examples(max_examples=40)
@given(deployments, settings_of)
def test_bytes_are_conserved(deployment, settings):
    answer = sl.engine_memory(deployment, **settings)
    assert min(answer.weights_bytes, answer.activation_bytes, answer.graph_bytes, answer.other_bytes) >= 0
    assert answer.kv_cache_bytes >= 0
    assert sum(term.bytes for term in answer.terms) == pytest.approx(parts(answer))
    if answer.kv_cache_bytes:
        assert parts(answer) + answer.kv_cache_bytes <= answer.budget_bytes * (1 + 1e-12)
    assert answer.budget_bytes <= answer.device_memory_bytes
    if settings["engine"] in ("vllm", "sglang"):
        assert answer.budget_bytes <= settings["gpu_memory_utilization"] * answer.device_memory_bytes


@examples(max_examples=40)
@given(deployments, settings_of)
def test_the_outcome_is_what_the_cache_says(deployment, settings):
    answer = sl.engine_memory(deployment, **settings)
    assert (answer.refusal is None) == (answer.outcome == "fits")
    assert (answer.outcome == "fits") == (answer.max_concurrency >= 1)
    assert (answer.longest_context >= answer.max_model_len) == (answer.outcome == "fits")
    assert (answer.longest_context == 0) >= (answer.outcome == "oom")
    assert answer.to_json() == sl.engine_memory(deployment, **settings).to_json()


@examples(max_examples=40)
@given(deployments, settings_of)
def test_remedies_do_what_they_say(deployment, settings):
    answer = sl.engine_memory(deployment, **settings)
    for remedy in answer.remedies:
        field, value = remedy.change.field, remedy.change.value
        if field.startswith("deployment."):
            changed = dataclasses.replace(deployment, **{field.removeprefix("deployment."): value})
            after = sl.engine_memory(changed, **settings)
        else:
            after = sl.engine_memory(deployment, **settings | {field: value})
        assert (after.outcome, after.kv_tokens) == ("fits", remedy.kv_tokens)
        assert after.kv_tokens > answer.kv_tokens or answer.outcome != "fits"


@examples(max_examples=40)
@given(deployments, settings_of, st.floats(0.05, 1))
def test_a_larger_share_never_holds_less(deployment, settings, share):
    low, high = sorted((share, settings["gpu_memory_utilization"]))
    small = sl.engine_memory(deployment, **settings | {"gpu_memory_utilization": low})
    large = sl.engine_memory(deployment, **settings | {"gpu_memory_utilization": high})
    assert large.kv_cache_bytes >= small.kv_cache_bytes
    assert large.kv_tokens >= small.kv_tokens


@examples(max_examples=40)
@given(deployments, settings_of, st.integers(1, 40_000), st.integers(1, 40_000))
def test_longer_passes_never_leave_more(deployment, settings, one, other):
    short, long = sorted((one, other))
    before = sl.engine_memory(deployment, **settings | {"max_num_batched_tokens": short})
    after = sl.engine_memory(deployment, **settings | {"max_num_batched_tokens": long})
    assert after.kv_cache_bytes <= before.kv_cache_bytes or settings["engine"] == "llama.cpp"


@examples(max_examples=40)
@given(deployments, settings_of, st.integers(1, 4096), st.integers(1, 4096))
def test_more_sequences_never_leave_more(deployment, settings, one, other):
    few, many = sorted((one, other))
    before = sl.engine_memory(deployment, **settings | {"max_num_seqs": few})
    after = sl.engine_memory(deployment, **settings | {"max_num_seqs": many})
    assert after.kv_cache_bytes <= before.kv_cache_bytes


@examples(max_examples=40)
@given(deployments, settings_of)
def test_more_devices_never_hold_more_weights_each(deployment, settings):
    more = 2 * deployment.tensor_parallel
    assume(not split_refusal(deployment.model, more, True))
    one = sl.engine_memory(deployment, **settings)
    two = sl.engine_memory(dataclasses.replace(deployment, tensor_parallel=more), **settings)
    assert two.weights_bytes <= one.weights_bytes


@examples(max_examples=40)
@given(deployments, settings_of)
def test_a_cache_in_fp8_never_holds_fewer_tokens(deployment, settings):
    wide = sl.engine_memory(dataclasses.replace(deployment, kv_cache="bf16"), **settings)
    narrow = sl.engine_memory(dataclasses.replace(deployment, kv_cache="fp8"), **settings)
    assert narrow.max_concurrency >= wide.max_concurrency


@examples(max_examples=40)
@given(deployments, settings_of)
def test_never_more_than_the_textbook_could_hold(deployment, settings):
    """Each device's whole memory, less its share of the checkpoint, over what the textbook keeps of a token."""
    answer = sl.engine_memory(deployment, **settings)
    room = answer.device_memory_bytes
    if deployment.weights is None and settings["engine"] != "llama.cpp":
        checkpoint = weights_of(deployment).decoder_bytes / deployment.tensor_parallel
        assert answer.weights_bytes >= checkpoint
        room -= checkpoint
    assert answer.kv_cache_bytes <= max(0.0, room)
    if not deployment.model.windows and not deployment.model.state_bytes:
        caches = memory.caches(deployment, deployment.tensor_parallel, deployment.kv_cache)
        kept = sum(cache.bytes_per_token / cache.ways for cache in caches)
        assert answer.kv_bytes_per_token >= kept * (1 - 1e-12)
        assert answer.kv_tokens * kept <= max(0.0, room)


@examples(max_examples=60)
@given(strategies.deployments(), settings_of, st.floats(1, 1e21))
def test_any_deployment_is_answered_in_finite_numbers(deployment, settings, device):
    answer = sl.engine_memory(deployment, **settings | {"device_memory_bytes": device})
    assert answer.outcome in ("fits", "too-long", "oom")
    assert "NaN" not in answer.to_json()


@pytest.mark.parametrize("engine", tuple(VERSIONS))
def test_the_largest_numbers_are_answered(engine):
    model = sl.Model("large", 10**15, 1000, 10**15, 10**15, 10**15, hidden_size=10**6, vocab_size=10**8)
    card = sl.Accelerator("large", 1e21, 1e21)
    most = 10**15
    answer = sl.engine_memory(
        sl.Deployment(model, card),
        engine,
        max_model_len=most,
        max_num_seqs=most,
        max_num_batched_tokens=most,
        device_memory_bytes=1e21,
    )
    assert answer.to_json()
