"""Models made of layer groups: against plain loops, and against figures worked out by hand."""

from __future__ import annotations

import dataclasses

import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

import servelab as sl
from servelab.cost.passes import Features, kv_bytes_per_token, stages, window_pairs
from servelab.cost.weights import routing_chances, touched_experts
from servelab.specs.groups import LayerGroup
from tests import strategies
from tests.oracles import groups as oracle

H200 = "h200-sxm-141gb"


@st.composite
def cases(draw):
    model = draw(strategies.grouped_models())
    replicate = draw(st.booleans())
    kv = [group.kv_heads for group in model.groups if group.kv_heads]
    degrees = [n for n in (1, 2, 4, 8) if all(h % n == 0 or (replicate and n % h == 0) for h in kv)]
    deployment = sl.Deployment(
        model,
        sl.Accelerator(
            "card", 1e15, draw(st.floats(1e8, 1e12)), {"bf16": draw(st.floats(1e9, 1e13))}, link_bytes_per_s=1e9
        ),
        tensor_parallel=draw(st.sampled_from(degrees)),
        weights=draw(st.sampled_from([None, None, "bf16", "int8"])),
        kv_cache=draw(st.sampled_from(["bf16", "fp8"])),
        replicate_kv_heads=replicate,
        free_windows=draw(st.booleans()),
        expert_skew=draw(st.sampled_from([0.0, 0.0, 0.7, 2.0])),
        pass_overhead_s=draw(st.sampled_from([0.0, 1e-4])),
        all_reduce_latency_s=draw(st.sampled_from([0.0, 1e-6])),
    )
    return deployment, draw(strategies.workloads(80, 80, 5))


@given(cases())
def test_every_model_is_its_plain_loops(case):
    deployment, workload = case
    answer = sl.estimate(deployment, workload)
    weights, cache = oracle.memory(deployment, workload)
    assert answer.memory.weights_bytes == pytest.approx(weights, rel=1e-12)
    assert answer.memory.kv_cache_bytes == pytest.approx(cache, rel=1e-12)
    for phase, expected in zip((answer.prefill, answer.decode), oracle.estimate(deployment, workload), strict=True):
        for figure, value in expected.items():
            assert getattr(phase, figure) == pytest.approx(value, rel=1e-9), figure


@given(cases())
def test_no_model_is_faster_than_its_floor(case):
    answer = sl.estimate(*case)
    for phase in (answer.prefill, answer.decode):
        assert phase.time_s >= phase.floor_s * (1 - 1e-9)


@given(st.integers(0, 60), st.integers(1, 60), st.integers(1, 80))
def test_pairs_of_a_windowed_chunk_are_counted_one_by_one(offset, length, window):
    assert window_pairs(offset, length, window) == sum(min(offset + i, window) for i in range(1, length + 1))


@given(
    st.lists(st.integers(1, 100), max_size=6),
    st.lists(st.tuples(st.integers(0, 60), st.integers(1, 40)), max_size=3),
    st.sets(st.integers(1, 90), min_size=1, max_size=3),
    st.integers(1, 40),
)
def test_a_pass_of_mixed_contexts_grows_in_a_line_until_one_reaches_a_window(contexts, chunks, windows, steps):
    """Coefficients of the first pass hold for the next ones as long as no decode crosses a window."""
    assume(not any(context < window < context + steps for context in contexts for window in windows))
    group = LayerGroup(2, query_heads=8, kv_heads=2, key_dim=16, value_dim=16)
    groups = (*(dataclasses.replace(group, window=window) for window in sorted(windows)), group)
    model = sl.Model("m", 10**6, 2 * len(groups), 8, 2, 16, groups=groups)
    card = sl.Accelerator("card", 1e15, 1e9, {"bf16": 1e12})
    deployment = sl.Deployment(model, card)
    features = Features.of(len(contexts), chunks, windows=model.windows, contexts=contexts)
    work = stages(deployment, features).attention
    later = [context + steps for context in contexts]
    flop, moved = oracle.attention(deployment, later, chunks)
    activations = 4 * model.layers * features.tokens * model.hidden
    assert work.flop.at(sum(later)) == pytest.approx(flop, rel=1e-9)
    assert work.bytes.at(sum(later)) == pytest.approx(moved + activations, rel=1e-9)


def test_features_without_a_window_of_the_model_are_refused():
    model = sl.Model.load("mistral-7b-v0.1")
    with pytest.raises(KeyError, match="4096"):
        stages(sl.Deployment(model, H200), Features.of(1, []))


@pytest.mark.parametrize(("tokens", "touched"), [(0, 0.0), (1, 8.0), (8, 51.6), (32, 111.8), (256, 128.0)])
def test_experts_touched(tokens, touched):
    """128 experts, 8 a token: 128 (1 − (1 − 8/128)^T), e.g. T = 8: 128 (1 − 0.9375^8) = 128 × 0.4033."""
    assert touched_experts(128, 8, tokens) == pytest.approx(touched, abs=0.05)


def test_all_experts_a_token_are_all_touched_by_one():
    assert touched_experts(4, 4, 1) == touched_experts(4, 4, 9) == 4


@given(st.integers(1, 60), st.integers(1, 60), st.floats(0.01, 10), st.integers(1, 100))
def test_a_skew_touches_fewer(experts, per_token, skew, tokens):
    per_token = min(per_token, experts)
    chances = routing_chances(experts, per_token, skew)
    assert sum(chances) == pytest.approx(per_token)
    assert all(0 <= chance <= 1 + 1e-12 for chance in chances)
    even = touched_experts(experts, per_token, tokens)
    assert touched_experts(experts, per_token, tokens, skew) <= even * (1 + 1e-9)
    assert touched_experts(experts, per_token, 1, skew) == pytest.approx(per_token)


@pytest.mark.parametrize(
    ("model", "cache"),
    [
        ("llama-3.1-8b", 131_072),  # 2 × 32 layers × 8 heads × 128 × 2 bytes
        ("deepseek-v3", 70_272),  # 61 layers × (512 + 64) × 2 bytes
        ("deepseek-v3.2", 70_272 + 61 * 128),  # and an indexer's key of 128 bytes a layer
        ("gemma-3-27b-it", 507_904),  # 2 × 62 × 16 × 128 × 2
        ("gpt-oss-120b", 73_728),  # 2 × 36 × 8 × 64 × 2
        ("qwen3-next-80b-a3b-thinking", 24_576),  # 2 × 12 layers × 2 heads × 256 × 2; the other 36 keep a state
    ],
)
def test_cache_of_a_token_by_hand(model, cache):
    assert kv_bytes_per_token(sl.Deployment(model, H200)) == cache


def test_gemma_3_keeps_a_window_of_most_layers():
    """62 layers, every sixth sees all: 10 of them; a token is 8,192 bytes a layer, 52 layers keep 1,024 tokens."""
    workload = sl.Workload(32_000, 768)
    freed = sl.estimate(sl.Deployment("gemma-3-27b-it", H200), workload).memory
    held = sl.estimate(sl.Deployment("gemma-3-27b-it", H200, free_windows=False), workload).memory
    assert freed.kv_cache_bytes == 8_192 * (10 * 32_768 + 52 * 1_024)
    assert held.kv_cache_bytes == 8_192 * 62 * 32_768
    assert freed.total_bytes - freed.kv_cache_bytes == held.total_bytes - held.kv_cache_bytes


def test_gemma_3_prefill_by_hand():
    """Pairs of p tokens: p (p + 1) / 2 where all is seen; 1,024 × 1,025 / 2 + (p − 1,024) × 1,024 in a window."""
    p = 32_768
    full, windowed = p * (p + 1) / 2, 1_024 * 1_025 / 2 + (p - 1_024) * 1_024
    answer = sl.estimate(sl.Deployment("gemma-3-27b-it", H200), sl.Workload(p, 1))
    assert answer.prefill.attention.flop == pytest.approx(4 * 32 * 128 * (10 * full + 52 * windowed), rel=1e-12)


def test_gpt_oss_120b_by_hand():
    """36 layers of 128 experts, 4 a token, each 3 × 2,880 × 2,880 weights and 3 × 2,880 biases.

    A pass of one token reads 4 of 128: 36 × 124 experts less. Half of the layers see 128 tokens.
    """
    expert = 3 * 2_880 * 2_880 + 3 * 2_880
    model = sl.Model.load("gpt-oss-120b")
    assert model.parameters - model.active_parameters == 36 * 124 * expert
    expert_bytes = 3 * 2_880 * 2_880 * 4.25 / 8 + 3 * 2_880 * 2
    assert model.groups[0].expert_bytes == expert_bytes
    deployment = sl.Deployment(model, "h100-sxm-80gb")
    answer = sl.estimate(deployment, sl.Workload(1_000, 2))
    activations = 4 * 36 * 2_880
    assert answer.memory.weights_bytes == model.checkpoint_bytes
    read = model.checkpoint_bytes - 36 * 124 * expert_bytes
    assert answer.decode.linear.bytes == pytest.approx(read + activations, rel=1e-12)
    kept = 2 * 8 * 64 * 2 * 18  # of half the layers
    assert answer.decode.attention.bytes == kept * (1_001 + 1) + kept * (128 + 1) + activations
    assert answer.decode.attention.flop == 18 * 4 * 64 * 64 * (1_001 + 128)


def test_qwen3_next_state_by_hand():
    """36 layers keep, a request: 32 heads × 128 × 128 values of 4 bytes, and 3 inputs of a convolution over
    2 × 16 × 128 + 32 × 128 = 8,192 channels in 2 bytes. Read and written once a pass and request.
    """
    state = 36 * (32 * 128 * 128 * 4 + 3 * 8_192 * 2)
    model = sl.Model.load("qwen3-next-80b-a3b-thinking")
    assert model.state_bytes == state == 77_266_944
    answer = sl.estimate(sl.Deployment(model, H200, weights="fp8"), sl.Workload(100, 2, batch=3))
    assert answer.memory.kv_cache_bytes == 24_576 * 102 * 3 + 3 * state
    activations = 4 * 48 * 3 * 2_048
    assert answer.decode.attention.bytes == 24_576 * 3 * (101 + 1) + 2 * 3 * state + activations
    assert answer.prefill.attention.bytes == 24_576 * 3 * (100 + 100) + 2 * 3 * state + 100 * activations
    pair = sl.estimate(sl.Deployment(model, H200, tensor_parallel=2), sl.Workload(100, 2, batch=3))
    assert pair.memory.kv_cache_bytes == 24_576 * 102 * 3 / 2 + 3 * state
    assert pair.decode.attention.bytes == 24_576 * 3 * (101 + 1) + 2 * 2 * 3 * state + activations


def test_deepseek_v3_holds_its_latent_whole_on_each_of_8_devices():
    """70,272 bytes a token on every device; absorbed decode 61 × 2 × 128 × (2 × 512 + 64) FLOP a pair."""
    deployment = sl.Deployment("deepseek-v3", H200, tensor_parallel=8)
    answer = sl.estimate(deployment, sl.Workload(1_000, 2, batch=16))
    assert answer.fits
    assert answer.memory.kv_cache_bytes == 70_272 * 1_002 * 16
    activations = 4 * 61 * 16 * 7_168
    assert answer.decode.attention.bytes == 8 * 70_272 * 16 * (1_001 + 1) + activations
    assert answer.decode.attention.flop == 61 * 2 * 128 * 1_088 * 16 * 1_001
    expanded = 61 * 2 * 128 * (128 + 64 + 128)
    assert answer.prefill.attention.flop == expanded * 16 * 1_000 * 1_001 / 2
    # 671 billion weights in fp8 and an MTP layer over 8 devices
    assert answer.memory.weights_bytes == pytest.approx((673.15e9 + 15.32e9) / 8, rel=1e-3)


def test_replicated_heads_and_a_latent_are_split_their_own_way():
    model = sl.Model.load("deepseek-v3")
    degrees = [
        option.degree
        for option in sl.estimate(sl.Deployment(model, H200), sl.Workload(1, 1)).tensor_parallel_options
        if option.allowed
    ]
    assert degrees == [1, 2, 4, 8]
    with pytest.raises(sl.SpecError, match="3 does not divide the 128 query heads"):
        sl.Deployment(model, H200, tensor_parallel=3)


def test_the_answer_names_what_it_used():
    answer = sl.estimate(sl.Deployment("gpt-oss-120b", "h100-sxm-80gb"), sl.Workload(1, 1))
    assert answer.model_features == (
        "layer-groups",
        "mixture-of-experts",
        "sliding-window",
        "mixed-checkpoint-formats",
    )
    dense = sl.estimate(sl.Deployment("llama-3.1-8b", "h100-sxm-80gb"), sl.Workload(1, 1))
    assert dense.model_features == dense.not_modelled == ()
    drafting = sl.estimate(sl.Deployment("deepseek-v3", H200, tensor_parallel=8), sl.Workload(1, 1))
    assert drafting.not_modelled == ("drafting with the MTP layers: no pass runs them",)


@pytest.mark.parametrize("card", ["h800-sxm-80gb", "rtx-3090", "m3-ultra"])
def test_a_card_without_a_rate_answers_memory_and_asks_for_it(card):
    answer = sl.estimate(sl.Deployment("llama-3.2-1b", card), sl.Workload(100, 10))
    assert answer.fits
    assert answer.memory.total_bytes > 0
    assert answer.missing == ("accelerator.flop_per_s.bf16",)
    assert answer.prefill is answer.knee_flop_per_byte is answer.ttft_s is None


@pytest.mark.parametrize("degree", [1, 8])
def test_what_would_fit_is_the_last_that_does(degree):
    """Of a model with windows, whose memory bends where they fill."""
    deployment = sl.Deployment("gemma-3-27b-it", H200, tensor_parallel=degree)
    would = sl.estimate(deployment, sl.Workload(1_000, 100, batch=4)).would_fit
    assert sl.estimate(deployment, sl.Workload(would.prompt_tokens, 100, batch=4)).fits
    assert not sl.estimate(deployment, sl.Workload(would.prompt_tokens + 1, 100, batch=4)).fits
    assert sl.estimate(deployment, sl.Workload(1_000, 100, batch=would.batch)).fits
    assert not sl.estimate(deployment, sl.Workload(1_000, 100, batch=would.batch + 1)).fits
