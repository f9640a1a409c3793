"""Reads a Hugging Face config.json as a Model. The only place that knows its names.

A family is what cannot be seen from the fields: which linear layers have a bias, which norms exist. The
parameters follow from the tensors' sizes:

    embeddings   vocab_size × hidden_size, once more for an output head that is not tied
    attention    hidden × (query + 2 × KV heads) × head_dim + query heads × head_dim × hidden, with biases
    feed-forward 3 × hidden × intermediate_size (gate, up, down)
    norms        2 × hidden a layer and one at the end, plus 2 × head_dim where queries and keys are normed
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, NamedTuple

from servelab.errors import ConfigError, SpecError, one_of, shown
from servelab.specs.fields import Count
from servelab.specs.model import Model


class Family(NamedTuple):
    """What a dense family has beside its matrices; each is the default where the config has no field for it."""

    qkv_bias: bool = False
    query_key_norm: bool = False


#: By `model_type`. All have RMS norms, a gated feed-forward and rotary positions, which have no weights.
FAMILIES = {
    "llama": Family(),
    "mistral": Family(),
    "phi3": Family(),
    "qwen2": Family(qkv_bias=True),
    "qwen3": Family(query_key_norm=True),
}

_FORMATS = {"float32": "fp32", "bfloat16": "bf16", "float16": "fp16"}

_REQUIRED = ("hidden_size", "num_hidden_layers", "num_attention_heads", "intermediate_size", "vocab_size")


def is_config(fields: Mapping[str, Any]) -> bool:
    """Whether a dict is a config.json's content, not the fields of Model."""
    return "model_type" in fields or "architectures" in fields


def read_config(config: Mapping[str, Any], *, name: str | None = None, parameters: float | None = None) -> Model:
    """A dense Llama-like config.json as a Model; `parameters` overrides the count derived from its fields.

    Raises ConfigError (or SpecError naming the field) where a field is missing, bad, or means something that a
    dense decoder is not.
    """
    family = _family(config)
    _refuse_what_is_not_dense(config)
    missing = [field for field in _REQUIRED if config.get(field) is None]
    if missing:
        raise ConfigError(
            "", f"the config.json lacks {', '.join(missing)}; give {'it' if len(missing) == 1 else 'them'}"
        )
    layers, heads = _count(config, "num_hidden_layers"), _count(config, "num_attention_heads")
    hidden, vocabulary = _count(config, "hidden_size"), _count(config, "vocab_size")
    kv_heads = _count(config, "num_key_value_heads", lambda: heads)
    head_dim = _count(config, "head_dim", lambda: _head_dim(hidden, heads))
    tied = _flag(config, "tie_word_embeddings", default=False)
    attention = _attention_parameters(config, family, hidden, heads * head_dim, kv_heads * head_dim)
    norms = 2 * hidden + (2 * head_dim if family.query_key_norm else 0)
    layer = attention + _feed_forward_parameters(config, hidden) + norms
    counted = layers * layer + hidden + vocabulary * hidden * (1 if tied else 2)
    return Model(
        name=name or _name(config),
        parameters=counted if parameters is None else parameters,  # type: ignore[arg-type]  # checked by Model
        layers=layers,
        query_heads=heads,
        kv_heads=kv_heads,
        head_dim=head_dim,
        hidden_size=hidden,
        vocab_size=vocabulary,
        tied_embeddings=tied,
        context_length=_count(config, "max_position_embeddings", lambda: 0) or None,
        checkpoint_format=_checkpoint_format(config),
    )


def _family(config: Mapping[str, Any]) -> Family:
    model_type = config.get("model_type")
    if isinstance(model_type, str) and model_type in FAMILIES:
        return FAMILIES[model_type]
    raise ConfigError(
        "",
        f"model_type {shown(model_type)} is not read yet; give one of {one_of(FAMILIES)}, or the fields of Model",
    )


def _refuse_what_is_not_dense(config: Mapping[str, Any]) -> None:
    """Fields that change what a layer holds or reads: refused by name, never ignored."""
    window = config.get("sliding_window")
    if window is not None and config.get("use_sliding_window", True):
        context = config.get("max_position_embeddings")
        if not (isinstance(window, int) and isinstance(context, int) and window >= context):
            raise ConfigError(
                "", f"sliding_window {shown(window)} is not modelled yet; set it to null for full attention"
            )
    if config.get("quantization_config") is not None:
        raise ConfigError(
            "",
            "quantization_config is not read yet; take it out and name the format of the weights, such as int4",
        )


def _attention_parameters(config: Mapping[str, Any], family: Family, hidden: int, query: int, keys: int) -> int:
    qkv_bias = _flag(config, "attention_bias", default=family.qkv_bias)
    output_bias = _flag(config, "attention_bias", default=False)
    matrices = hidden * (query + 2 * keys) + query * hidden
    return matrices + (query + 2 * keys if qkv_bias else 0) + (hidden if output_bias else 0)


def _feed_forward_parameters(config: Mapping[str, Any], hidden: int) -> int:
    inner = _count(config, "intermediate_size")
    bias = 2 * inner + hidden if _flag(config, "mlp_bias", default=False) else 0
    return 3 * hidden * inner + bias


def _head_dim(hidden: int, heads: int) -> int:
    if hidden % heads:
        raise ConfigError("", f"hidden_size {hidden} is no multiple of {heads} heads; give head_dim")
    return hidden // heads


def _count(config: Mapping[str, Any], field: str, default: Callable[[], int] | None = None) -> int:
    """A whole number of the config; `default` where it is missing or null."""
    value = config.get(field)
    if value is None and default is not None:
        return default()
    try:
        return int(Count(field).check(field, value))
    except SpecError as error:
        raise ConfigError("", f"{field} {error.message}") from None


def _flag(config: Mapping[str, Any], field: str, *, default: bool) -> bool:
    value = config.get(field)
    if value is None:
        return default
    if not isinstance(value, bool):
        raise ConfigError("", f"{field} {shown(value)} is neither true nor false; give one of them")
    return value


def _checkpoint_format(config: Mapping[str, Any]) -> str:
    dtype = config.get("torch_dtype", config.get("dtype"))
    if dtype is None:
        return "bf16"
    if not isinstance(dtype, str) or dtype not in _FORMATS:
        raise ConfigError("", f"torch_dtype {shown(dtype)} is not known; give {one_of(_FORMATS)}")
    return _FORMATS[dtype]


def _name(config: Mapping[str, Any]) -> str:
    name = config.get("_name_or_path")
    return name.rsplit("/", 1)[-1][:200] if isinstance(name, str) and name.strip("/ ") else str(config["model_type"])
