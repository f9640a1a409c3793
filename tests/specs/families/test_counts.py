"""Weights of small configs of every family, added up by hand: h = 8, 4 heads of 2, 2 KV heads, feed-forward 16."""

from __future__ import annotations

import pytest

import servelab as sl
from servelab.specs.families.table import FAMILIES

TINY = {
    "hidden_size": 8,
    "num_hidden_layers": 4,
    "num_attention_heads": 4,
    "num_key_value_heads": 2,
    "head_dim": 2,
    "intermediate_size": 16,
    "vocab_size": 10,
    "max_position_embeddings": 64,
    "tie_word_embeddings": False,
    "torch_dtype": "bfloat16",
}
ATTENTION = 8 * (8 + 2 * 4) + 8 * 8
GATED, PLAIN = 3 * 8 * 16, 2 * 8 * 16
NORM, EMBEDDINGS = 8, 2 * 80


def decoder(layer, last_norm=NORM, layers=4):
    return layers * layer + last_norm + EMBEDDINGS


LLAMA = decoder(ATTENTION + GATED + 2 * NORM)
QKV_BIAS, ALL_BIAS = 8 + 2 * 4, 8 + 2 * 4 + 8
PLAIN_BIAS = 16 + 8
HEAD_NORMS, WIDTH_NORMS = 2 * 2, 8 + 4
LAYER_NORMS = 2 * 2 * NORM  # two with a bias

#: What each family of dense layers adds to, or has instead of, a Llama's layer.
DENSE = {
    "apertus": decoder(ATTENTION + PLAIN + HEAD_NORMS + 2 * NORM),
    "cohere": decoder(ATTENTION + GATED + NORM),
    "cohere2": decoder(ATTENTION + GATED + NORM),
    "falcon": decoder(ATTENTION + PLAIN + 2 * NORM, 2 * NORM),
    "gemma2": decoder(ATTENTION + GATED + 4 * NORM),
    "gemma3": decoder(ATTENTION + GATED + 4 * NORM + HEAD_NORMS),
    "gemma3_text": decoder(ATTENTION + GATED + 4 * NORM + HEAD_NORMS),
    "gemma4": decoder(ATTENTION + GATED + 4 * NORM + HEAD_NORMS),
    "gemma4_text": decoder(ATTENTION + GATED + 4 * NORM + HEAD_NORMS),
    "glm": decoder(ATTENTION + QKV_BIAS + GATED + 2 * NORM),
    "glm4": decoder(ATTENTION + QKV_BIAS + GATED + 4 * NORM),
    "glm4_moe": decoder(ATTENTION + QKV_BIAS + GATED + 2 * NORM),
    "gpt2": decoder(ATTENTION + ALL_BIAS + PLAIN + PLAIN_BIAS + LAYER_NORMS, 2 * NORM) + 64 * 8,
    "gpt_bigcode": decoder(ATTENTION + ALL_BIAS + PLAIN + PLAIN_BIAS + LAYER_NORMS, 2 * NORM) + 64 * 8,
    "gpt_neox": decoder(ATTENTION + ALL_BIAS + PLAIN + PLAIN_BIAS + LAYER_NORMS, 2 * NORM),
    "gpt_oss": decoder(ATTENTION + ALL_BIAS + 4 + GATED + 2 * NORM),  # a sink of one weight a head
    "gptj": decoder(ATTENTION + PLAIN + PLAIN_BIAS + 2 * NORM, 2 * NORM) + 10,  # the head's bias
    "mimo": decoder(ATTENTION + QKV_BIAS + GATED + 2 * NORM),
    "minimax_m2": decoder(ATTENTION + WIDTH_NORMS + GATED + 2 * NORM),
    "nemotron_h": decoder(ATTENTION + PLAIN + NORM),
    "olmo2": decoder(ATTENTION + WIDTH_NORMS + GATED + 2 * NORM),
    "olmo3": decoder(ATTENTION + WIDTH_NORMS + GATED + 2 * NORM),
    "olmoe": decoder(ATTENTION + WIDTH_NORMS + GATED + 2 * NORM),
    "opt": decoder(ATTENTION + ALL_BIAS + PLAIN + PLAIN_BIAS + LAYER_NORMS, 2 * NORM) + 66 * 8,
    "phi": decoder(ATTENTION + ALL_BIAS + PLAIN + PLAIN_BIAS + 2 * NORM, 2 * NORM) + 10,
    "phimoe": decoder(ATTENTION + ALL_BIAS + GATED + LAYER_NORMS, 2 * NORM) + 10,
    "qwen2": decoder(ATTENTION + QKV_BIAS + GATED + 2 * NORM),
    "qwen3": decoder(ATTENTION + HEAD_NORMS + GATED + 2 * NORM),
    "qwen3_next": decoder(ATTENTION + 8 * 8 + HEAD_NORMS + GATED + 2 * NORM),  # queries twice as wide
    "seed_oss": decoder(ATTENTION + QKV_BIAS + GATED + 2 * NORM),
    "stablelm": decoder(ATTENTION + GATED + LAYER_NORMS, 2 * NORM),
    "starcoder2": decoder(ATTENTION + ALL_BIAS + PLAIN + PLAIN_BIAS + LAYER_NORMS, 2 * NORM),
}
for copy, original in {
    "mistral": "llama",
    "qwen2_5_vl": "qwen2",
    "qwen2_5_vl_text": "qwen2",
    "qwen2_vl": "qwen2",
    "qwen2_vl_text": "qwen2",
    "qwen2_moe": "qwen2",
    "qwen3_moe": "qwen3",
    "qwen3_vl": "qwen3",
    "qwen3_vl_text": "qwen3",
    "qwen3_vl_moe": "qwen3",
    "qwen3_vl_moe_text": "qwen3",
    "qwen3_5": "qwen3_next",
    "qwen3_5_text": "qwen3_next",
    "qwen3_5_moe": "qwen3_next",
    "qwen3_5_moe_text": "qwen3_next",
}.items():
    DENSE[copy] = DENSE.get(original, LLAMA)


@pytest.mark.parametrize("family", sorted(set(FAMILIES) - {"t5"}))
def test_every_family_adds_up(family):
    """Families that are not in the table above have a Llama's layers where the fields say nothing else."""
    model = sl.Model.load(TINY | {"model_type": family})
    assert model.parameters == DENSE.get(family, LLAMA)
    assert model.assumed == ()


def test_an_unknown_family_is_read_by_its_fields_and_says_so():
    model = sl.Model.load(TINY | {"model_type": "brand_new"})
    assert model.parameters == LLAMA
    assert model.assumed == (
        (
            "model_type 'brand_new' is not known: read by its fields, as a decoder with RMS norms, a gated "
            "feed-forward and no biases"
        ),
    )
    with pytest.raises(sl.ConfigError, match="lacks hidden_size, vocab_size, num_attention_heads; give them"):
        sl.Model.load({"model_type": "brand_new", "num_hidden_layers": 3})


def test_a_known_architecture_stands_in_for_the_model_type():
    for architecture, family in (("Qwen3MoeForCausalLM", "qwen3"), ("GptOssForCausalLM", "gpt_oss")):
        for fields in ({}, {"model_type": "derived"}):
            model = sl.Model.load(TINY | fields | {"architectures": [architecture]})
            assert model.parameters == DENSE[family]
            assert "by its architecture" in model.assumed[0]


def test_what_is_not_counted_is_named():
    fields = {"num_kv_shared_layers": 2, "hidden_size_per_layer_input": 4, "cross_attention_layers": []}
    model = sl.Model.load(TINY | {"model_type": "gemma3_text"} | fields)
    assert [remark.partition(":")[0] for remark in model.not_modelled] == [
        "layers that use the cache of others",
        "embeddings for each layer",
    ]


def test_other_names_of_the_same_fields():
    names = {
        "hidden_size": "n_embd",
        "num_hidden_layers": "n_layer",
        "num_attention_heads": "n_head",
        "num_key_value_heads": "num_kv_heads",
        "intermediate_size": "n_inner",
        "max_position_embeddings": "n_positions",
    }
    config = {names.get(name, name): value for name, value in TINY.items()} | {"model_type": "llama"}
    assert sl.Model.load(config).parameters == LLAMA


def test_falcon_heads():
    """multi_query is one KV head of width 2; the newer decoder has two norms."""
    config = {name: value for name, value in TINY.items() if name not in ("num_key_value_heads", "intermediate_size")}
    one = sl.Model.load(config | {"model_type": "falcon", "multi_query": True})
    assert (one.kv_heads, one.parameters) == (1, decoder(8 * (8 + 2 * 2) + 64 + 2 * 8 * 32 + 2 * NORM, 2 * NORM))
    newer = sl.Model.load(TINY | {"model_type": "falcon", "new_decoder_architecture": True, "multi_query": True})
    assert (newer.kv_heads, newer.parameters) == (2, decoder(ATTENTION + PLAIN + LAYER_NORMS, 2 * NORM))


def test_attention_beside_the_feed_forward_takes_one_all_reduce():
    def all_reduces(**fields):
        return sl.Model.load(TINY | fields).all_reduces_per_layer

    assert all_reduces(model_type="falcon") == 1
    assert all_reduces(model_type="falcon", new_decoder_architecture=True, parallel_attn=False) == 1
    assert all_reduces(model_type="falcon", parallel_attn=False) == 2
    assert all_reduces(model_type="llama") == 2


MOE = {"num_experts": 6, "num_experts_per_tok": 2, "moe_intermediate_size": 5}
EXPERT, ROUTER = 3 * 8 * 5, 8 * 6


@pytest.mark.parametrize(
    ("family", "fields", "extra"),
    [
        ("mixtral", {}, 0),
        ("deepseek_v3", {}, 6),  # a correction an expert
        ("deepseek_v3", {"n_shared_experts": 2}, 6 + 2 * EXPERT),
        ("qwen3_moe", {"shared_expert_intermediate_size": 0}, HEAD_NORMS),
        ("qwen2_moe", {"shared_expert_intermediate_size": 7}, QKV_BIAS + 3 * 8 * 7 + 8),  # and its gate
        ("gpt_oss", {}, ALL_BIAS + 4 + 6 + 6 * (2 * 5 + 8)),  # biases of the router and of experts
        ("llama4", {"interleave_moe_layer_step": 1}, EXPERT),
        ("nemotron_h", {"moe_latent_size": 4}, -NORM + 6 - 6 * EXPERT + 2 * 4 * 8 + 6 * 2 * 4 * 5),
    ],
)
def test_experts_add_up(family, fields, extra):
    model = sl.Model.load(TINY | MOE | {"model_type": family} | fields)
    assert model.parameters == decoder(ATTENTION + ROUTER + 6 * EXPERT + 2 * NORM + extra)
    group = model.groups[0]
    assert (group.experts, group.experts_per_token, group.layers) == (6, 2, 4)
    assert model.parameters - model.active_parameters == 4 * 4 * group.expert_parameters


@pytest.mark.parametrize(
    ("fields", "dense"),
    [
        ({"first_k_dense_replace": 1}, [0]),
        ({"decoder_sparse_step": 2}, [0, 2]),
        ({"mlp_only_layers": [1, 3]}, [1, 3]),
        ({"moe_layer_freq": 2}, [1, 3]),
        ({"moe_layer_freq": [0, 0, 1, 1]}, [0, 1]),
        ({"interleave_moe_layer_step": 4, "n_shared_experts": 0}, [0, 1, 2]),
        ({"moe_layers": [3]}, [0, 1, 2]),
        ({"expert_layer_period": 2, "expert_layer_offset": 1}, [0, 2]),
    ],
)
def test_which_layers_have_experts(fields, dense):
    model = sl.Model.load(TINY | MOE | {"model_type": "mixtral"} | fields)
    groups = {group.feed_forward: group.layers for group in model.groups}
    assert groups == {"dense": len(dense), "experts": 4 - len(dense)}
    assert model.groups[0].feed_forward == ("dense" if 0 in dense else "experts")


MLA = {"kv_lora_rank": 6, "qk_rope_head_dim": 1, "qk_nope_head_dim": 2, "v_head_dim": 3}
LATENT = 8 * 7 + 6 + 6 * 4 * (2 + 3) + 4 * 3 * 8  # latent and rope, its norm, keys and values, output


def test_latent_attention_adds_up():
    plain = sl.Model.load(TINY | MLA | {"model_type": "deepseek_v2", "q_lora_rank": None})
    assert plain.parameters == decoder(LATENT + 8 * 4 * 3 + GATED + 2 * NORM)
    low = sl.Model.load(TINY | MLA | {"model_type": "deepseek_v2", "q_lora_rank": 5})
    assert low.parameters == decoder(LATENT + 8 * 5 + 5 + 5 * 4 * 3 + GATED + 2 * NORM)
    group = low.groups[0]
    assert (group.attention, group.latent_dim, group.rope_dim, group.nope_dim, group.value_dim) == (
        "latent",
        6,
        1,
        2,
        3,
    )


def test_indexers_add_up_and_may_be_shared():
    """Queries 5 → 2 × 3, a key 8 → 3 with a norm of two vectors, a weight a head from 8."""
    indexer = 5 * 6 + 8 * 3 + 2 * 3 + 8 * 2
    config = TINY | MLA | {"q_lora_rank": 5, "index_topk": 16, "index_n_heads": 2, "index_head_dim": 3}
    base = decoder(LATENT + 8 * 5 + 5 + 5 * 4 * 3 + GATED + 2 * NORM)
    own = sl.Model.load(config | {"model_type": "deepseek_v32"})
    assert own.parameters == base + 4 * indexer
    shared = sl.Model.load(config | {"model_type": "glm_moe_dsa", "indexer_types": "FsFs"})
    assert shared.parameters == base + 2 * indexer
    assert [(group.layers, group.index_topk, group.index_heads) for group in shared.groups] == [
        (2, 16, 2),
        (2, 16, None),
    ]


def test_gated_delta_networks_add_up():
    """Every second layer is recurrent: 2 key and 4 value heads of 2, so 4 + 4 + 8 channels convolved over 4."""
    fields = {"full_attention_interval": 2, "linear_num_key_heads": 2, "linear_key_head_dim": 2}
    fields |= {"linear_num_value_heads": 4, "linear_value_head_dim": 2, "linear_conv_kernel_dim": 4}
    recurrent = 8 * (16 + 8) + 8 * 2 * 4 + 16 * 4 + 8 * 8 + 2 * 4 + 2
    attention = ATTENTION + 8 * 8 + HEAD_NORMS
    model = sl.Model.load(TINY | fields | {"model_type": "qwen3_next"})
    assert model.parameters == 2 * (attention + recurrent) + 4 * (GATED + 2 * NORM) + NORM + EMBEDDINGS
    assert model.state_bytes == 2 * (4 * 2 * 2 * 4 + 16 * 3 * 2)
    assert model.assumed == ("the format of recurrent states is not given: fp32",)
    named = sl.Model.load(TINY | fields | {"model_type": "qwen3_5_text", "mamba_ssm_dtype": "bfloat16"})
    assert named.state_bytes == 2 * (4 * 2 * 2 * 2 + 16 * 3 * 2)


MAMBA_2 = {"mamba_num_heads": 4, "mamba_head_dim": 3, "n_groups": 2, "ssm_state_size": 5, "conv_kernel": 4}


def test_patterns_of_single_blocks_add_up():
    """M: 12 inner, 12 + 2 × 2 × 5 = 32 convolved; a block has one norm."""
    mamba = 8 * (12 + 32 + 4) + 32 * 4 + 32 + 3 * 4 + 12 + 12 * 8 + NORM
    attention, network = ATTENTION + NORM, PLAIN + NORM
    experts = ROUTER + 6 + 6 * 2 * 8 * 5 + NORM
    config = TINY | MAMBA_2 | MOE | {"model_type": "nemotron_h", "hybrid_override_pattern": "M*-E"}
    model = sl.Model.load(config)
    assert model.parameters == mamba + attention + network + experts + NORM + EMBEDDINGS
    assert [(group.attention, group.feed_forward) for group in model.groups] == [
        ("state", "none"),
        ("grouped", "none"),
        ("none", "dense"),
        ("none", "experts"),
    ]
    assert model.state_bytes == 12 * 5 * 4 + 32 * 3 * 2
    words = {"hybrid_override_pattern": None, "layers_block_type": ["mamba", "attention", "mlp", "moe"]}
    assert sl.Model.load(config | words).groups == model.groups
    for pattern in ("M*-", "M*-X"):
        with pytest.raises(sl.ConfigError, match="pattern of blocks"):
            sl.Model.load(config | {"hybrid_override_pattern": pattern})


def test_mamba_1_beside_attention_adds_up():
    fields = {"attn_layer_period": 4, "attn_layer_offset": 1, "mamba_d_state": 5, "mamba_expand": 2, "mamba_dt_rank": 3}
    mamba = 8 * 32 + 16 * 4 + 16 + 16 * (3 + 10) + 3 * 16 + 16 + 16 * 5 + 16 + 16 * 8 + 3 + 10
    model = sl.Model.load(TINY | fields | {"model_type": "jamba"})
    assert model.parameters == 3 * mamba + ATTENTION + 4 * (GATED + 2 * NORM) + NORM + EMBEDDINGS
    assert model.state_bytes == 3 * (16 * 5 * 4 + 16 * 3 * 2)


def test_lightning_attention_adds_up():
    model = sl.Model.load(TINY | {"model_type": "minimax_text_01", "attn_type_list": [0, 0, 0, 1]})
    linear = 8 * 3 * 8 + 8 * 8 + 8 * 8 + 8
    assert model.parameters == 3 * linear + ATTENTION + 4 * (GATED + 2 * NORM) + NORM + EMBEDDINGS
    assert model.state_bytes == 3 * 4 * 2 * 2 * 4


def test_groups_with_other_heads_and_widths():
    """MiMo-V2: windowed layers have heads of their own, narrower values, and a sink a head."""
    fields = {"hybrid_layer_pattern": [0, 1, 1, 0], "sliding_window": 16, "v_head_dim": 1, "swa_num_attention_heads": 2}
    fields |= {
        "swa_num_key_value_heads": 1,
        "swa_head_dim": 4,
        "swa_v_head_dim": 3,
        "add_swa_attention_sink_bias": True,
    }
    model = sl.Model.load(TINY | fields | {"model_type": "mimo_v2_flash"})
    full, windowed = 8 * (8 + 4 + 2) + 4 * 8, 8 * (8 + 4 + 3) + 6 * 8 + 2
    assert model.parameters == 2 * (full + windowed) + 4 * (GATED + 2 * NORM) + NORM + EMBEDDINGS
    assert [(g.query_heads, g.kv_heads, g.key_dim, g.value_dim, g.window) for g in model.groups] == [
        (4, 2, 2, 1, None),
        (2, 1, 4, 3, 16),
    ]


def test_layers_that_see_all_with_wider_heads():
    """Gemma 4: heads of 4 and one KV head whose values are the keys; a factor on each layer's output."""
    fields = {"global_head_dim": 4, "num_global_key_value_heads": 1, "attention_k_eq_v": True, "sliding_window": 16}
    model = sl.Model.load(TINY | fields | {"model_type": "gemma4_text", "sliding_window_pattern": 2})
    full, windowed = 8 * (16 + 4) + 16 * 8 + 2 * 4, ATTENTION + HEAD_NORMS
    assert model.parameters == 2 * (full + windowed) + 4 * (GATED + 4 * NORM + 1) + NORM + EMBEDDINGS
    assert [(g.kv_heads, g.key_dim, g.window) for g in model.groups] == [(2, 2, 16), (1, 4, None)]


def test_layers_that_each_say_their_own():
    """block_configs: KV heads by group size, a width as a multiple in steps of 256, halves that are missing."""
    blocks = [
        {"attention": {"n_heads_in_group": 4}, "ffn": {"ffn_mult": 1.3}},
        {"attention": {"no_op": True, "n_heads_in_group": None}, "ffn": {"ffn_mult": 50.0}},
        {"attention": {"n_heads_in_group": 2}, "ffn": {"no_op": True}},
        {"attention": {"n_heads_in_group": 4}, "ffn": {"ffn_mult": 1.3}},
    ]
    model = sl.Model.load(TINY | {"model_type": "nemotron-nas", "block_configs": blocks})
    one = 8 * (8 + 2 * 2) + 64 + 3 * 8 * 256 + 2 * NORM
    assert model.parameters == 2 * one + (3 * 8 * 512 + NORM) + (ATTENTION + NORM) + NORM + EMBEDDINGS
    assert [(g.layers, g.attention, g.kv_heads, g.feed_forward) for g in model.groups] == [
        (2, "grouped", 1, "dense"),
        (1, "none", None, "dense"),
        (1, "grouped", 2, "none"),
    ]


@pytest.mark.parametrize(
    ("fields", "seen"),
    [
        ({"sliding_window": 16}, [16, 16, 16, 16]),
        ({"sliding_window": 64}, [None] * 4),  # as long as the longest context
        ({"sliding_window": 16, "use_sliding_window": False}, [None] * 4),
        ({"sliding_window": 16, "use_sliding_window": True, "max_window_layers": 3}, [None, None, None, 16]),
        ({"sliding_window": 16, "layer_types": ["full_attention", "sliding_attention"] * 2}, [None, 16, None, 16]),
        ({"sliding_window": 16, "sliding_window_pattern": 3}, [16, 16, None, 16]),
        ({"sliding_window": 16, "model_type": "gemma2"}, [16, None, 16, None]),
        ({"attention_chunk_size": 16}, [16, 16, 16, None]),
    ],
)
def test_which_layers_have_a_window(fields, seen):
    model = sl.Model.load(TINY | {"model_type": "llama"} | fields)
    groups = {group.window: group.layers for group in model.groups}
    assert groups == {window: seen.count(window) for window in set(seen)}
    chunked = "attention_chunk_size" in fields
    assert any("chunked attention" in remark for remark in model.assumed) == chunked


def test_an_encoder_is_a_part():
    """T5: 2 encoder and 3 decoder layers, a relative bias of 32 buckets a head each."""
    config = {"model_type": "t5", "d_model": 8, "num_heads": 4, "d_kv": 2, "d_ff": 16, "vocab_size": 10}
    config |= {"num_layers": 2, "num_decoder_layers": 3, "feed_forward_proj": "gated-gelu", "torch_dtype": "float32"}
    attention, bias = 4 * 8 * 8, 32 * 4
    model = sl.Model.load(config | {"is_encoder_decoder": True, "tie_word_embeddings": False})
    assert model.parameters == 3 * (2 * attention + GATED + 3 * NORM) + bias + NORM + EMBEDDINGS
    assert [(part.name, part.parameters) for part in model.parts] == [
        ("encoder", 2 * (attention + GATED + 2 * NORM) + bias + NORM)
    ]
    with pytest.raises(sl.ConfigError, match="read for t5 only"):
        sl.Model.load(TINY | {"model_type": "bart", "is_encoder_decoder": True})


def test_drafting_layers_are_a_part():
    """One more layer, a projection of two streams, three norms; some checkpoints copy the embeddings and the head."""
    layer = ATTENTION + GATED + 2 * NORM
    own = sl.Model.load(TINY | {"model_type": "mimo", "num_nextn_predict_layers": 1})
    assert own.parts[0].parameters == layer + QKV_BIAS + 2 * 8 * 8 + 3 * NORM
    copied = sl.Model.load(TINY | {"model_type": "glm4_moe", "num_nextn_predict_layers": 2})
    assert copied.parts[0].parameters == 2 * (layer + QKV_BIAS + 2 * 8 * 8 + 3 * NORM + EMBEDDINGS)
    assert copied.parts[0].name == "MTP layers"
    assert any("MTP" in remark for remark in copied.not_modelled)


def test_a_vision_tower_is_a_part_and_the_text_model_is_nested():
    """Patches of 3 × 2 × 2 weights, 6 positions, one layer of width 4, a merger of 4 patches to width 8."""
    vision = {"depth": 1, "hidden_size": 4, "intermediate_size": 5, "patch_size": 2, "temporal_patch_size": 1}
    vision |= {"num_position_embeddings": 6, "spatial_merge_size": 2, "out_hidden_size": 8}
    model = sl.Model.load({"model_type": "qwen3_vl", "vision_config": vision, "text_config": TINY})
    assert model.parameters == DENSE["qwen3"]
    block = 4 * 16 + 4 * 4 + 2 * 4 * 5 + 5 + 4 + 2 * 2 * 4
    assert [(part.name, part.parameters) for part in model.parts] == [
        ("vision tower", 12 * 4 + 4 + 6 * 4 + block + 16 * 16 + 16 + 16 * 8 + 8 + 2 * 4)
    ]
    assert model.not_modelled == ("images: no pass runs the vision tower",)
    uncounted = sl.Model.load({"model_type": "llava", "vision_config": {}, "text_config": TINY})
    assert uncounted.parts == ()
    assert any("weights of the vision tower" in remark for remark in uncounted.not_modelled)
