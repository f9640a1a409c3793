"""Each rule on its own: what it adds, and from which version."""

from __future__ import annotations

import dataclasses

import pytest

import servelab as sl
from servelab.cost.engines.start import reported_bytes
from servelab.specs import groups as sl_groups
from servelab.specs.accelerator import Accelerator

GIB = 2**30


def ask(model="llama-3.1-8b", card="h100-sxm-80gb", version="0.11", **settings):
    fields = {name: settings.pop(name) for name in ("tensor_parallel", "weights", "kv_cache") if name in settings}
    engine = settings.pop("engine", "vllm")
    deployment = sl.Deployment(model, card, replicate_kv_heads=True, **fields)
    return sl.engine_memory(deployment, engine, version=version, **settings)


def terms(answer):
    return {term.name: term.bytes for term in answer.terms}


# memory as the driver reports it


def test_a_card_whose_log_was_read_reports_that():
    assert reported_bytes(Accelerator.load("h100-sxm-80gb")) == 79.22 * GIB


@pytest.mark.parametrize(("card", "gib"), [("a100-sxm-80gb", 80 * 0.985), ("l4", 24 * 0.92), ("l40s", 48 * 0.92)])
def test_other_cards_follow_a_rule_and_say_so(card, gib):
    assert reported_bytes(Accelerator.load(card)) == pytest.approx(gib * GIB)
    assert any("device_memory_bytes" in what for what in ask(card=card).assumed)
    assert not any("device_memory_bytes" in what for what in ask(card=card, device_memory_bytes=2e10).assumed)


# weights as loaded


def test_a_quantised_format_leaves_embeddings_and_head():
    model = sl.Model.load("llama-3.1-8b")
    kept = 2 * 128256 * 4096
    assert terms(ask(weights="fp8"))["weights"] == (model.parameters - kept) + 2 * kept
    assert terms(ask(weights="fp32"))["weights"] == 4 * model.parameters


def test_tied_embeddings_are_loaded_once():
    assert terms(ask("qwen3-0.6b"))["weights"] == 2 * sl.Model.load("qwen3-0.6b").parameters


def test_the_rotary_table_is_whole_on_each_device():
    assert terms(ask())["rotary table"] == terms(ask(tensor_parallel=8))["rotary table"] == 131072 * 128 * 2


def test_kv_heads_are_copied_to_more_devices_than_there_are():
    assert sl.Model.load("qwen2.5-0.5b").kv_heads == 2
    assert "copies" not in terms(ask("qwen2.5-0.5b", tensor_parallel=2))
    fourteenth = terms(ask("qwen2.5-0.5b", tensor_parallel=14))["copies"]
    assert fourteenth == pytest.approx(24 * 896 * 2 * 64 * 2 * (1 - 2 / 14))


def test_layers_that_draft_stay_on_disk():
    answer, model = ask("deepseek-r1", tensor_parallel=8), sl.Model.load("deepseek-r1")
    assert [part.name for part in model.parts] == ["MTP layer"]
    assert "other parts" not in terms(answer)


def test_latent_attention_keeps_its_expanding_projection_twice():
    whole = terms(ask("deepseek-v2-lite"))["absorbed matrices"]
    assert whole == 27 * 16 * 512 * (128 + 128) * 2
    assert terms(ask("deepseek-v2-lite", tensor_parallel=4))["absorbed matrices"] == whole / 4


def test_an_odd_vocabulary_is_padded():
    model = dataclasses.replace(sl.Model.load("llama-3.1-8b"), vocab_size=128_001, parameters=8 * 10**9)
    assert terms(ask(model))["vocabulary padding"] == 63 * 4096 * 2 * 2


def test_mxfp4_experts_are_padded_as_their_kernels_want():
    """32 experts of 2,880 × 2,880 in 24 layers: 3,072 is the next multiple of 256, 2,944 that of 128."""
    experts, matrix = 24 * 32, 2880 * 2880
    hopper = terms(ask("gpt-oss-20b"))["expert padding"]
    assert hopper == experts * 3 * (2880 * 3072 - matrix) * 0.5
    marlin = terms(ask("gpt-oss-20b", card="a100-sxm-80gb"))["expert padding"]
    assert marlin == experts * 3 * (2944 * 3072 - matrix) * 4.25 / 8


# the activation peak


def test_the_sampler_sorts_every_sequence():
    peak = ask(max_num_seqs=512, max_num_batched_tokens=4096).activation_bytes
    workspace = (32 + 8.125) * 2**20
    assert peak == 38 * 512 * 128256 + (4096 + 512) * 4096 * 2 + workspace


def test_few_sequences_are_sorted_at_a_higher_price():
    few = ask(card="a10", max_num_seqs=64, max_num_batched_tokens=64).activation_bytes
    assert few == 50 * 64 * 128256 + (64 + 64) * 4096 * 2 + 8.125 * 2**20


def test_later_versions_mask_in_place():
    peak = ask(version="0.17", max_num_seqs=512, max_num_batched_tokens=4096).activation_bytes
    assert peak == (14 * 512 + 4 * 132) * 128256 + (4096 + 512) * 4096 * 2 + (32 + 8.125) * 2**20


def test_a_long_context_without_chunks_is_a_long_pass():
    """29,000 tokens need more than 35,000, which are cut into chunks."""
    card = {"card": "rtx-3090", "version": "0.6.4"}
    whole, cut = ask(**card, max_model_len=29_000), ask(**card, max_model_len=35_000)
    inner = 3 * 14336 + 3 * 4096
    assert whole.activation_bytes == pytest.approx(29_000 * inner * 2, rel=0.02)
    assert (whole.outcome, cut.outcome) == ("too-long", "fits")
    assert cut.max_num_batched_tokens == 512


def test_an_all_reduce_writes_beside_what_it_reads_in_later_versions():
    asked = {"card": "v100-sxm2-16gb", "tensor_parallel": 2, "max_model_len": 30_000}
    before, after = (ask(version=version, **asked).activation_bytes for version in ("0.6.4", "0.6.5"))
    assert after - before == 30_000 * 4096 * 2


def test_experts_keep_their_buffers_in_later_versions():
    kept = 8192 * 8 * (2048 + 2048) * 2
    before, after = (ask("qwen3-30b-a3b", version=version).activation_bytes for version in ("0.11", "0.12"))
    assert after - before == kept


# what is not PyTorch's, and graphs


def test_devices_need_buffers_to_exchange():
    one, two, four = (ask(tensor_parallel=degree).other_bytes / GIB for degree in (1, 2, 4))
    assert (two - one, four - two) == (pytest.approx(0.42), pytest.approx(0.06 + 1.34))
    ampere = [ask(card="a100-sxm-80gb", tensor_parallel=degree).other_bytes / GIB for degree in (2, 4)]
    assert ampere[1] - ampere[0] == pytest.approx(0.06)
    pcie = ask(card="rtx-4090", tensor_parallel=2).other_bytes - ask(card="rtx-4090").other_bytes
    assert pcie / GIB == pytest.approx(0.14)


def test_graphs_come_out_of_the_budget_from_0_21_on():
    before, after, eager = ask(version="0.20"), ask(version="0.21"), ask(version="0.21", enforce_eager=True)
    assert before.graph_bytes == 0 < before.graph_beyond_bytes == after.graph_bytes
    assert (after.graph_beyond_bytes, eager.graph_bytes) == (0, 0)
    assert eager.kv_tokens > after.kv_tokens


# the cache as stored


def test_blocks_are_whole():
    answer = ask()
    assert answer.kv_tokens == 16 * answer.kv_blocks
    assert answer.kv_cache_bytes == answer.kv_blocks * 16 * 131072


def test_a_latent_cache_is_whole_on_each_device_and_padded_by_version():
    sizes = {
        version: ask("deepseek-v2-lite", version=version).kv_bytes_per_token for version in ("0.6.6", "0.7.3", "0.11")
    }
    assert sizes == {"0.6.6": 27 * 16 * 2 * 256 * 2, "0.7.3": 27 * 640 * 2, "0.11": 27 * 576 * 2}
    assert ask("deepseek-v2-lite", tensor_parallel=8).kv_bytes_per_token == sizes["0.11"]


def test_windows_and_full_attention_share_a_pool():
    """gpt-oss-20b: 12 layers see all, 12 see 128 tokens."""
    grouped, full = ask("gpt-oss-20b", max_model_len=8192), ask("gpt-oss-20b", version="0.6.6", max_model_len=8192)
    layer = 8 * 64 * 2 * 2
    assert grouped.kv_cache_bytes / grouped.kv_blocks == 12 * layer * 16
    assert grouped.kv_tokens == grouped.kv_blocks // 2 * 16
    # a request: 512 blocks of full layers; 127 + 8,192 tokens, but no more than its own, and one more, of the others
    assert grouped.max_concurrency == grouped.kv_blocks / (512 + 513)
    assert full.kv_cache_bytes / full.kv_blocks == 24 * layer * 16
    shorter = ask("gpt-oss-20b", max_model_len=8192, max_num_batched_tokens=1024)
    assert shorter.max_concurrency == shorter.kv_blocks / (512 + -(-(127 + 1024) // 16) + 1)


def test_a_block_is_as_long_as_a_state_is_large():
    answer = ask("qwen3-next-80b-a3b-thinking", tensor_parallel=4)
    model = sl.Model.load("qwen3-next-80b-a3b-thinking")
    state = max(group.state_bytes or 0 for group in model.groups) / 4
    token = 1 * 256 * 2 * 2
    assert answer.block_tokens % 16 == 0
    assert (answer.block_tokens - 16) * token < state <= answer.block_tokens * token


# other engines


def test_sglang_shares_what_is_free_before_loading():
    answer = ask(engine="sglang", version="0.4.1", gpu_memory_utilization=0.88)
    free = answer.budget_bytes / 0.88
    assert 0 < answer.device_memory_bytes - free < GIB
    assert answer.block_tokens == 1
    assert answer.graph_beyond_bytes > 0


def test_tensorrt_llm_shares_what_is_free_after_loading():
    answer = ask(engine="tensorrt-llm", version=None, gpu_memory_utilization=0.5)
    taken = answer.weights_bytes + answer.activation_bytes + answer.graph_bytes + answer.other_bytes
    free = answer.device_memory_bytes - taken
    assert answer.kv_cache_bytes == pytest.approx(free / 2, rel=1e-3)
    assert (answer.block_tokens, ask(engine="tensorrt-llm", version="0.17").block_tokens) == (32, 64)


def test_llama_cpp_takes_the_whole_context_or_fails():
    fits = ask(engine="llama.cpp", version=None, card="rtx-4090", weights="int4", max_model_len=8192)
    assert (fits.kv_tokens, fits.kv_cache_bytes) == (8192, 8192 * 131072)
    assert terms(fits)["embedding table"] < 0
    long = ask(engine="llama.cpp", version=None, card="rtx-4090", weights="int4", max_model_len=10**6)
    assert (long.outcome, long.kv_tokens) == ("too-long", 0)
    assert "-c 1,000,000 needs" in long.refusal
    at_most = {"engine": "llama.cpp", "version": None, "card": "rtx-4090", "weights": "int4"}
    assert ask(**at_most, max_model_len=long.longest_context).outcome == "fits"
    assert ask(**at_most, max_model_len=long.longest_context + 1).outcome == "too-long"


def test_llama_cpp_says_how_many_layers_would_go_on_the_device():
    answer = ask("llama-3.1-70b", engine="llama.cpp", version="b5000", max_model_len=8192)
    assert answer.outcome == "oom"
    assert any("-ngl 46 of 80" in why for why in answer.reasons)


def test_flash_attention_needs_no_scores():
    old, new = (
        ask(engine="llama.cpp", version=version, max_model_len=131_072).activation_bytes
        for version in ("b5000", "b6400")
    )
    assert old == 4 * 131_072 * (512 * 33 + 1024)
    assert new == max(4 * 131_072 * 512, 4 * 512 * 128_256)


def test_images_leave_what_was_made_of_them():
    seeing = ask("gemma-3-4b-it", max_num_batched_tokens=1024)
    blind = ask(dataclasses.replace(sl.Model.load("gemma-3-4b-it"), parts=()), max_num_batched_tokens=1024)
    assert seeing.activation_bytes - blind.activation_bytes == 1024 * 2560 * 2
    assert any("image encoder" in what for what in seeing.assumed)


def test_states_alone_are_a_block_a_request():
    model = sl.Model(
        "states",
        10**9,
        2,
        1,
        1,
        1,
        hidden_size=64,
        context_length=1000,
        groups=(sl_groups.LayerGroup(2, attention="state", state_bytes=1e6),),
    )
    answer = ask(model, version="0.19")
    assert answer.kv_cache_bytes == answer.kv_blocks * 2e6
    assert answer.max_concurrency == answer.kv_blocks


# versions and words


@pytest.mark.parametrize(
    ("text", "since"),
    [
        ("0.6.4.post1", (0, 6, 4)),
        ("v0.11.0rc1", (0, 9)),
        ("0.7.x", (0, 6, 5)),
        ("0.20.2rc1.dev7+g0a1b", (0, 19)),
        ("1.0", (0, 21)),
    ],
)
def test_versions_are_read_as_engines_write_them(text, since):
    from servelab.specs.engines import rules_for

    assert rules_for("vllm", text).since == since


def test_reasons_name_what_decides():
    sampler = " ".join(ask().reasons)
    assert "sampler's" in sampler
    assert "max_num_seqs" in sampler
    layer = " ".join(ask(card="rtx-3090", version="0.6.4", max_model_len=29_000).reasons)
    assert "max_model_len, since prompts are not cut into chunks" in layer
    assert any("latent attention is cached whole" in why for why in ask("deepseek-r1", tensor_parallel=8).reasons)
    assert any("read the concurrency" in why for why in ask("gpt-oss-20b").reasons)


def test_remedies_speak_of_the_engines_own_settings():
    sentences = " ".join(
        remedy.sentence for remedy in ask(engine="tensorrt-llm", version=None, max_num_seqs=4096).remedies
    )
    assert "lower max_batch_size to 256" in sentences


def test_the_cheapest_remedy_is_first():
    answer = ask("qwen3-32b", max_model_len=32_000)
    fields = [remedy.change.field for remedy in answer.remedies]
    assert fields[0] == "gpu_memory_utilization"
    assert fields[-1] == "deployment.tensor_parallel"
    longest = next(remedy.change.value for remedy in answer.remedies if remedy.change.field == "max_model_len")
    assert longest == answer.longest_context


def test_a_simulation_without_room_is_refused_in_the_engines_words():
    deployment = sl.Deployment("llama-3.1-70b", "h100-sxm-80gb", engine="vllm")
    with pytest.raises(sl.SpecError, match=r"out of memory while loading: the weights take 131\.\d+ GiB"):
        sl.simulate(deployment, sl.Traffic([0], [1], [1]), sl.Scheduler())


def test_groups_of_layers_are_filled_up():
    """Gemma 3 27B: 10 layers see all, 52 a window; seven groups of ten."""
    answer = ask("gemma-3-27b-it", max_model_len=1024)
    layer = 16 * 128 * 2 * 2
    assert answer.kv_cache_bytes / answer.kv_blocks == 10 * layer * 16
    assert answer.kv_tokens == answer.kv_blocks // 7 * 16
