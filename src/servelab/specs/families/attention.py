"""Attention of one layer: heads with keys and values, or a compressed latent, with their matrices.

grouped  hidden × (query heads × width) and so on for keys, values and output, with biases where the family has them
latent   queries through q_lora_rank where there is one; keys and values through kv_lora_rank; an indexer's
         queries, key, its norm and head weights where tokens are picked
"""

from __future__ import annotations

from typing import Any, NamedTuple

from servelab.errors import ConfigError
from servelab.specs.families.config import Config
from servelab.specs.families.matrices import Block, Matrix
from servelab.specs.families.table import Family

#: What a layer of the kind may be called in a pattern.
FULL, SLIDING, CHUNKED = "full", "sliding", "chunked"


class Mixer(NamedTuple):
    """What mixes tokens in a layer: fields of LayerGroup, and the weights."""

    fields: dict[str, Any]
    block: Block


class _Shape(NamedTuple):
    """Heads of one layer."""

    query_heads: int
    kv_heads: int
    key_dim: int
    value_dim: int
    shared_kv: bool = False  # values are the keys: one projection for both


def attention(config: Config, family: Family, kind: str) -> Mixer:
    """Attention of a layer of `kind`: "full", "sliding" or "chunked"."""
    if config.has("kv_lora_rank"):
        mixer = _latent(config)
    else:
        mixer = _grouped(config, family, _shape(config, kind), sinks=_has_sinks(config, family, kind))
    if kind == FULL:
        return mixer
    return Mixer(mixer.fields | {"window": window_tokens(config, kind)}, mixer.block)


def window_tokens(config: Config, kind: str) -> int:
    """How many tokens a query of a windowed layer sees."""
    if kind == SLIDING:
        return config.count("sliding_window")
    config.assume("chunked attention sees its own chunk only; it is counted as a sliding window of the same length")
    return config.count("attention_chunk_size")


def _has_sinks(config: Config, family: Family, kind: str) -> bool:
    named = "add_swa_attention_sink_bias" if kind == SLIDING else "add_full_attention_sink_bias"
    return config.flag(named, default=family.sinks)


def _shape(config: Config, kind: str) -> _Shape:
    """Heads of a layer; some families give windowed layers, or those that see all, heads of their own."""
    if kind == SLIDING and config.has("swa_num_attention_heads"):
        width = config.count("swa_head_dim", head_dim(config))
        return _Shape(
            config.count("swa_num_attention_heads"),
            config.count("swa_num_key_value_heads", kv_heads(config)),
            width,
            config.count("swa_v_head_dim", width),
        )
    heads = config.count("num_attention_heads")
    if kind == FULL and config.has("global_head_dim"):
        width, shared = config.count("global_head_dim"), config.flag("attention_k_eq_v", default=False)
        keys = config.count("num_global_key_value_heads", kv_heads(config)) if shared else kv_heads(config)
        return _Shape(heads, keys, width, width, shared_kv=shared)
    width = head_dim(config)
    return _Shape(heads, kv_heads(config), width, config.count("v_head_dim", width))


def kv_heads(config: Config) -> int:
    """KV heads; where the file is silent, as many as query heads, or one where it says multi_query."""
    heads = config.count("num_attention_heads")
    if config.flag("multi_query", default=False) and not config.flag("new_decoder_architecture", default=False):
        return 1
    if not config.has("num_key_value_heads"):
        config.assume(f"num_key_value_heads is not given: as many as query heads ({heads})")
    return config.count("num_key_value_heads", heads)


def head_dim(config: Config) -> int:
    """Width of a head; where the file is silent, hidden_size / num_attention_heads."""
    if config.has("head_dim"):
        return config.count("head_dim")
    hidden, heads = config.count("hidden_size"), config.count("num_attention_heads")
    if hidden % heads:
        raise ConfigError("", f"hidden_size {hidden} is no multiple of {heads} heads; give head_dim")
    config.assume(f"head_dim is not given: hidden_size / num_attention_heads = {hidden // heads}")
    return hidden // heads


def _grouped(config: Config, family: Family, shape: _Shape, *, sinks: bool) -> Mixer:
    hidden = config.count("hidden_size")
    query, key = shape.query_heads * shape.key_dim, shape.kv_heads * shape.key_dim
    value, output = shape.kv_heads * shape.value_dim, shape.query_heads * shape.value_dim
    qkv_bias, output_bias = _biases(config, family)
    gate = 2 if config.flag("attn_output_gate", default=family.output_gate) else 1
    matrices = [
        Matrix("self_attn.q_proj", gate * query, hidden, gate * query * qkv_bias),
        Matrix("self_attn.k_proj", key, hidden, key * qkv_bias),
        Matrix("self_attn.o_proj", hidden, output, hidden * output_bias),
    ]
    if not shape.shared_kv:
        matrices.append(Matrix("self_attn.v_proj", value, hidden, value * qkv_bias))
    norm = query_key_norm(config, family)
    norms = {"head": 2 * shape.key_dim, "width": query + key, None: 0}[norm]
    fields = {
        "attention": "grouped",
        "query_heads": shape.query_heads,
        "kv_heads": shape.kv_heads,
        "key_dim": shape.key_dim,
        "value_dim": shape.value_dim,
    }
    return Mixer(fields, Block(tuple(matrices), norms + (shape.query_heads if sinks else 0)))


def _biases(config: Config, family: Family) -> tuple[bool, bool]:
    """Whether queries, keys and values have a bias, and whether the output has."""
    everywhere = config.flag("use_bias", default=config.flag("bias", default=False))
    named = next(
        (name for name in ("attention_bias", "use_qkv_bias", "qkv_bias", "add_qkv_bias") if config.has(name)), ""
    )
    qkv = config.flag(named, default=family.qkv_bias or everywhere)
    also = family.bias_on_output and named == "attention_bias"
    output = config.flag("attention_bias", default=False) if also else family.output_bias or everywhere
    return qkv, config.flag("attention_out_bias", default=output)


def query_key_norm(config: Config, family: Family) -> str | None:
    """Which norm queries and keys have; use_qk_norm turns it on or off."""
    if config.raw("use_qk_norm") is None:
        return family.query_key_norm
    on = config.flag("use_qk_norm", default=True)
    return (family.query_key_norm or "head") if on and config.text("model_type") not in _UNWEIGHTED_NORMS else None


#: Families whose use_qk_norm means a norm without weights.
_UNWEIGHTED_NORMS = ("llama4", "llama4_text")


def _latent(config: Config) -> Mixer:
    hidden, heads = config.count("hidden_size"), config.count("num_attention_heads")
    latent, rope = config.count("kv_lora_rank"), config.count("qk_rope_head_dim")
    nope, value = config.count("qk_nope_head_dim"), config.count("v_head_dim")
    query, low_rank = heads * (nope + rope), config.optional_count("q_lora_rank")
    matrices = [
        Matrix("self_attn.kv_a_proj_with_mqa", latent + rope, hidden),
        Matrix("self_attn.kv_b_proj", heads * (nope + value), latent),
        Matrix("self_attn.o_proj", hidden, heads * value),
    ]
    if low_rank is None:
        matrices.append(Matrix("self_attn.q_proj", query, hidden))
    else:
        matrices += [
            Matrix("self_attn.q_a_proj", low_rank, hidden),
            Matrix("self_attn.q_b_proj", query, low_rank),
        ]
    fields = {
        "attention": "latent",
        "query_heads": heads,
        "latent_dim": latent,
        "rope_dim": rope,
        "nope_dim": nope,
        "value_dim": value,
    }
    return Mixer(fields, Block(tuple(matrices), latent + (low_rank or 0)))


def with_indexer(config: Config, mixer: Mixer, *, own: bool) -> Mixer:
    """The same attention over tokens that an indexer picks: its `own`, or that of a layer before it."""
    fields = mixer.fields | {"index_topk": config.count("index_topk")}
    if not own:
        return Mixer(fields, mixer.block)
    heads, width = config.count("index_n_heads"), config.count("index_head_dim")
    hidden = config.count("hidden_size")
    matrices = (
        Matrix("self_attn.indexer.wq_b", heads * width, config.count("q_lora_rank", hidden)),
        Matrix("self_attn.indexer.wk", width, hidden),
        Matrix("self_attn.indexer.weights_proj", heads, hidden, linear=False),
    )
    block = Block((*mixer.block.matrices, *matrices), mixer.block.vectors + 2 * width)
    return Mixer(fields | {"index_heads": heads, "index_head_dim": width}, block)
