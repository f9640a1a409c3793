"""Small configs that between them use every field the reader knows; what random changes start from."""

from __future__ import annotations

from tests.specs.families.test_counts import MAMBA_2, MLA, MOE, TINY
from tests.specs.families.test_quantization import AWQ, compressed

VISION = {
    "depth": 1,
    "hidden_size": 4,
    "intermediate_size": 5,
    "patch_size": 2,
    "num_hidden_layers": 1,
    "num_attention_heads": 2,
    "image_size": 8,
    "deepstack_visual_indexes": [0],
}
INDEXED = {"q_lora_rank": 5, "index_topk": 16, "index_n_heads": 2, "index_head_dim": 3}
BLOCK = {"attention": {"n_heads_in_group": 4, "no_op": False}, "ffn": {"ffn_mult": 1.3, "no_op": False}}
WINDOWED = {"sliding_window": 16, "layer_types": ["full_attention", "sliding_attention"] * 2}
DELTA = {
    "full_attention_interval": 2,
    "linear_num_key_heads": 2,
    "linear_key_head_dim": 2,
    "linear_num_value_heads": 4,
    "linear_value_head_dim": 2,
    "mamba_ssm_dtype": "float32",
}
JAMBA = {"attn_layer_period": 4, "attn_layer_offset": 1, "mamba_d_state": 5, "mamba_expand": 2, "mamba_dt_rank": "auto"}
PAIRS = {"num_bits": 4, "type": "int", "strategy": "group", "group_size": 4, "symmetric": False}

CONFIGS = [
    TINY | {"model_type": "llama", "architectures": ["LlamaForCausalLM"], "rope_scaling": {"factor": 8.0}},
    TINY | MOE | MLA | INDEXED | {"model_type": "deepseek_v32", "num_nextn_predict_layers": 1},
    TINY | MOE | {"model_type": "gpt_oss", "quantization_config": {"quant_method": "mxfp4"}} | WINDOWED,
    TINY | MOE | DELTA | {"model_type": "qwen3_next", "shared_expert_intermediate_size": 7},
    TINY | MOE | MAMBA_2 | {"model_type": "nemotron_h", "hybrid_override_pattern": "M*-E", "moe_latent_size": 4},
    TINY | MOE | JAMBA | {"model_type": "jamba", "expert_layer_period": 2, "expert_layer_offset": 1},
    TINY | {"model_type": "minimax_text_01", "attn_type_list": [0, 0, 0, 1]},
    TINY | {"model_type": "nemotron-nas", "block_configs": [BLOCK] * 4},
    TINY
    | {"model_type": "mimo_v2_flash", "hybrid_layer_pattern": [0, 1, 1, 0], "swa_num_attention_heads": 2}
    | {"sliding_window": 16, "moe_layer_freq": [0, 1, 1, 1]}
    | MOE,
    {"model_type": "gemma3", "vision_config": VISION, "text_config": TINY | {"sliding_window": 16}},
    {"model_type": "gemma4", "vision_config": VISION, "text_config": TINY | {"global_head_dim": 4}},
    {"model_type": "qwen3_vl", "vision_config": VISION, "text_config": TINY, "audio_config": {}},
    TINY | {"model_type": "falcon", "multi_query": True, "new_decoder_architecture": False, "parallel_attn": False},
    TINY | {"model_type": "opt", "use_sliding_window": True, "max_window_layers": 2, "sliding_window": 9},
    TINY | {"model_type": "llama4", "attention_chunk_size": 16, "interleave_moe_layer_step": 2} | MOE,
    TINY | {"model_type": "qwen2", "quantization_config": AWQ | {"modules_to_not_convert": ["layers.1.mlp"]}},
    TINY | {"model_type": "qwen3", "quantization_config": compressed(PAIRS, format="pack-quantized")},
    TINY
    | {"model_type": "glm4_moe", "use_qk_norm": True, "attention_bias": True}
    | {"quantization_config": {"quant_method": "fp8", "weight_block_size": [4, 4], "ignored_layers": ["re:.*gate$"]}},
    {"model_type": "t5", "d_model": 8, "num_heads": 4, "d_kv": 2, "d_ff": 16, "vocab_size": 10, "num_layers": 2}
    | {"is_encoder_decoder": True, "feed_forward_proj": "gated-gelu"},
]
