"""What a family's config.json does not say, by model_type: which linear layers have a bias, which norms exist.

Longer than files here are, since it is one table. A fact stands here only where the model's public class fixes it;
a field of the config.json, where it exists, wins.
"""

from __future__ import annotations

from typing import NamedTuple


class Family(NamedTuple):
    """Defaults of a family; a decoder with RMS norms, a gated feed-forward and rotary positions has all defaults.

    `norms` are norms of the hidden width in a layer; `norm_bias` says they have a bias (LayerNorm). Queries and keys
    may be normed: "head" one weight a head's width, "width" one a weight of all heads together.
    """

    qkv_bias: bool = False
    output_bias: bool = False
    mlp_bias: bool = False
    head_bias: bool = False
    query_key_norm: str | None = None
    norms: int = 2
    norm_bias: bool = False
    gated: bool = True
    tied: bool = False
    learned_positions: bool = False
    extra_positions: int = 0
    parallel: bool = False  # attention and feed-forward side by side, added up before one all-reduce
    output_gate: bool = False  # queries are projected twice as wide; half of it gates the output
    sinks: bool = False  # a learned logit a head
    router_bias: bool = False  # a weight an expert beside the router's matrix
    expert_bias: bool = False
    shared_gate: bool = False  # a gate of hidden width on the shared expert
    window_pattern: int | None = None  # every so many layers one sees all
    windows_by_default: bool = True
    mtp_copies: bool = False  # drafting layers hold their own embeddings and head
    bias_on_output: bool = True  # whether attention_bias means the output projection too


_LLAMA = Family()
_QWEN2 = Family(qkv_bias=True)
_QWEN3 = Family(query_key_norm="head")
_QWEN_NEXT = Family(query_key_norm="head", output_gate=True, shared_gate=True)
_GEMMA2 = Family(norms=4, tied=True, window_pattern=2)
_GEMMA3 = Family(norms=4, tied=True, query_key_norm="head", window_pattern=6)
_DEEPSEEK_V3 = Family(router_bias=True, mtp_copies=True)
_OLMO = Family(query_key_norm="width")

#: By `model_type` of the text model.
FAMILIES = {
    "apertus": Family(query_key_norm="head", gated=False),
    "cohere": Family(norms=1, tied=True),
    "cohere2": Family(norms=1, tied=True, window_pattern=4),
    "deepseek_v2": _LLAMA,
    "deepseek_v3": _DEEPSEEK_V3,
    "deepseek_v32": _DEEPSEEK_V3,
    "exaone": _LLAMA,
    "falcon": Family(norm_bias=True, gated=False, tied=True, norms=1, parallel=True),
    "falcon3": _LLAMA,
    "gemma": Family(tied=True),
    "gemma2": _GEMMA2,
    "gemma3": _GEMMA3,
    "gemma3_text": _GEMMA3,
    "gemma4": _GEMMA3,
    "gemma4_text": _GEMMA3,
    "glm": Family(qkv_bias=True, bias_on_output=False),
    "glm4": Family(qkv_bias=True, bias_on_output=False, norms=4),
    "glm4_moe": Family(qkv_bias=True, bias_on_output=False, router_bias=True, mtp_copies=True),
    "glm4_moe_lite": _DEEPSEEK_V3,
    "glm_moe_dsa": Family(router_bias=True),
    "gpt2": Family(
        qkv_bias=True, output_bias=True, mlp_bias=True, norm_bias=True, gated=False, tied=True, learned_positions=True
    ),
    "gpt_bigcode": Family(
        qkv_bias=True, output_bias=True, mlp_bias=True, norm_bias=True, gated=False, tied=True, learned_positions=True
    ),
    "gpt_neox": Family(qkv_bias=True, output_bias=True, mlp_bias=True, norm_bias=True, gated=False),
    "gpt_oss": Family(qkv_bias=True, output_bias=True, sinks=True, router_bias=True, expert_bias=True),
    "gptj": Family(mlp_bias=True, head_bias=True, norms=1, norm_bias=True, gated=False),
    "granite": _LLAMA,
    "granitemoe": _LLAMA,
    "internlm2": _LLAMA,
    "jamba": _LLAMA,
    "kimi_k2": _DEEPSEEK_V3,
    "kimi_k25": _DEEPSEEK_V3,
    "llama": _LLAMA,
    "llama4": _LLAMA,
    "llama4_text": _LLAMA,
    "mimo": _QWEN2,
    "mimo_v2_flash": Family(router_bias=True),
    "minimax": _LLAMA,
    "minimax_m2": Family(query_key_norm="width", router_bias=True),
    "minimax_text_01": _LLAMA,
    "ministral": _LLAMA,
    "mistral": _LLAMA,
    "mixtral": _LLAMA,
    "nemotron-nas": _LLAMA,
    "nemotron_h": Family(norms=1, gated=False, router_bias=True),
    "olmo2": _OLMO,
    "olmo3": _OLMO,
    "olmoe": _OLMO,
    "opt": Family(
        qkv_bias=True,
        output_bias=True,
        mlp_bias=True,
        norm_bias=True,
        gated=False,
        tied=True,
        learned_positions=True,
        extra_positions=2,
    ),
    "phi": Family(qkv_bias=True, output_bias=True, mlp_bias=True, head_bias=True, norms=1, norm_bias=True, gated=False),
    "phi3": _LLAMA,
    "phimoe": Family(qkv_bias=True, output_bias=True, head_bias=True, norm_bias=True),
    "qwen2": _QWEN2,
    "qwen2_5_vl": _QWEN2,
    "qwen2_5_vl_text": _QWEN2,
    "qwen2_moe": Family(qkv_bias=True, shared_gate=True),
    "qwen2_vl": _QWEN2,
    "qwen2_vl_text": _QWEN2,
    "qwen3": _QWEN3,
    "qwen3_5": _QWEN_NEXT,
    "qwen3_5_moe": _QWEN_NEXT,
    "qwen3_5_moe_text": _QWEN_NEXT,
    "qwen3_5_text": _QWEN_NEXT,
    "qwen3_moe": _QWEN3,
    "qwen3_next": _QWEN_NEXT,
    "qwen3_vl": _QWEN3,
    "qwen3_vl_moe": _QWEN3,
    "qwen3_vl_moe_text": _QWEN3,
    "qwen3_vl_text": _QWEN3,
    "seed_oss": Family(qkv_bias=True, bias_on_output=False),
    "smollm3": _LLAMA,
    "stablelm": Family(norm_bias=True),
    "starcoder2": Family(qkv_bias=True, output_bias=True, mlp_bias=True, norm_bias=True, gated=False, tied=True),
    "t5": Family(gated=True, tied=True),
}
