"""A Hugging Face config.json as a Model.

The parameters are the sum of the tensors' sizes:

    embeddings   vocab_size × hidden_size, once more for an output head that is not tied; learned positions
    layers       attention, feed-forward and norms of each (attention.py, feed_forward.py, recurrent.py)
    norm         one at the end

A `model_type` that is not in the table is read by its fields, as the plainest decoder they describe, and says so.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any

from servelab.errors import ConfigError, shown
from servelab.specs.families import patterns
from servelab.specs.families.config import Config
from servelab.specs.families.encoder import read_encoder_decoder
from servelab.specs.families.layers import Decoder, Storage, gather, norm_weights, read_layers
from servelab.specs.families.parts import read_parts
from servelab.specs.families.quantization import Quantization, read_quantization
from servelab.specs.families.table import FAMILIES, Family
from servelab.specs.fields import LARGEST_COUNT, Count, printable
from servelab.specs.formats import bytes_per_weight
from servelab.specs.groups import LayerGroup
from servelab.specs.model import Model

_FORMATS = {"float32": "fp32", "bfloat16": "bf16", "float16": "fp16"}

#: What no decoder can do without, under the usual name.
_REQUIRED = ("hidden_size", "num_hidden_layers", "vocab_size")


def is_config(fields: Mapping[str, Any]) -> bool:
    """Whether a dict is a config.json's content, not the fields of Model."""
    return "model_type" in fields or "architectures" in fields


def read_config(whole: Mapping[str, Any], *, name: str | None = None, parameters: float | None = None) -> Model:
    """A config.json's content as a Model; `parameters` overrides the count derived from its fields.

    Raises ConfigError (or SpecError naming the field) where a field is missing or cannot be meant.
    """
    config = Config(whole)
    family = _family(config)
    if config.flag("is_encoder_decoder", default=False) or config.text("model_type") == "t5":
        return read_encoder_decoder(config, family, name=name or _name(config), parameters=parameters)
    _require(config)
    storage = _storage(config)
    layers = read_layers(config, family)
    decoder = gather(layers, storage, mixed=storage.quantization is not None)
    kinds = patterns.kinds(config, family) if not config.has("block_configs") else []
    parts = read_parts(config, family, storage, kinds)
    _name_what_is_not_counted(config)
    counted, taken = _weights(config, family, storage, decoder)
    if parameters is not None:
        given = int(Count("weights of the text decoder").check("parameters", parameters))
        counted, taken = given, None if taken is None else taken * given / counted
    heads = _heads(config, decoder.groups)
    return Model(
        name=name or _name(config),
        parameters=counted,
        layers=sum(group.layers for group in decoder.groups),
        query_heads=heads[0],
        kv_heads=heads[1],
        head_dim=heads[2],
        hidden_size=config.count("hidden_size"),
        vocab_size=config.count("vocab_size"),
        tied_embeddings=_tied(config, family),
        context_length=config.count("max_position_embeddings", 0, low=0) or None,
        checkpoint_format=storage.quantization.format if storage.quantization else _dtype(config),
        checkpoint_bytes=taken,
        embedding_format=_dtype(config) if storage.quantization else None,
        all_reduces_per_layer=1 if _is_parallel(config, family) else 2,
        groups=decoder.groups,
        parts=parts,
        assumed=tuple(config.assumed),
        not_modelled=tuple(config.not_modelled),
    )


def _is_parallel(config: Config, family: Family) -> bool:
    """Whether engines add attention and feed-forward up before one all-reduce: they stand side by side in a layer."""
    whole = config.flag("new_decoder_architecture", default=False)
    return family.parallel and (whole or config.flag("parallel_attn", default=True))


def _family(config: Config) -> Family:
    model_type, outer = config.text("model_type"), config.whole.get("model_type")
    for name in (model_type, outer):
        if isinstance(name, str) and name in FAMILIES:
            return FAMILIES[name]
    for name in _architectures(config):
        if name in FAMILIES:
            config.assume(f"model_type {shown(model_type)} is not known: read as {name}, by its architecture")
            return FAMILIES[name]
    what = f"model_type {shown(model_type)} is not known" if model_type else "there is no model_type"
    config.assume(f"{what}: read by its fields, as a decoder with RMS norms, a gated feed-forward and no biases")
    return Family()


def _architectures(config: Config) -> list[str]:
    """The families that the classes under `architectures` belong to, such as qwen3_moe of Qwen3MoeForCausalLM."""
    classes = [name for name in config.items("architectures") or [] if isinstance(name, str)]
    return [re.sub(r"(?<=[a-z0-9])(?=[A-Z])", "_", name.partition("For")[0]).lower() for name in classes]


def _require(config: Config) -> None:
    """Ask for every field that is missing at once."""
    needed = [field for field in _REQUIRED if not config.has(field)]
    if not config.has("num_attention_heads") and not config.has("ssm_state_size"):
        needed.append("num_attention_heads")
    if "num_hidden_layers" in needed and any(map(config.has, ("hybrid_override_pattern", "layers_block_type"))):
        needed.remove("num_hidden_layers")
    if needed:
        raise ConfigError("", f"the config.json lacks {', '.join(needed)}; give {'it' if len(needed) == 1 else 'them'}")


#: Fields of mechanisms that no figure counts, where they are neither 0 nor empty.
_NOT_COUNTED = {
    "num_kv_shared_layers": "layers that use the cache of others: each is counted with a cache of its own",
    "hidden_size_per_layer_input": "embeddings for each layer: neither their weights nor their passes are counted",
    "cross_attention_layers": "layers that attend to images: they are counted as layers of text",
    "zero_expert_num": "experts that do nothing: tokens are counted as going through real ones",
}


def _name_what_is_not_counted(config: Config) -> None:
    for field, sentence in _NOT_COUNTED.items():
        if config.raw(field):
            config.leave_out(sentence)


def _weights(config: Config, family: Family, storage: Storage, decoder: Decoder) -> tuple[int, float | None]:
    """Weights of the whole decoder, and what they take as published (None: one format for all)."""
    counted = decoder.parameters + _outside_layers(config, family)
    if counted > LARGEST_COUNT:
        raise ConfigError("", f"the fields add up to {shown(counted)} weights; give those of a real model")
    return counted, None if decoder.bytes is None else decoder.bytes + _outside_bytes(config, family, storage)


def _storage(config: Config) -> Storage:
    settings = config.part("quantization_config")
    if settings is None and isinstance(config.fields.get("quantization_config"), Mapping):
        settings = config.fields["quantization_config"]
    quantization = read_quantization(settings) if settings else None
    return Storage(quantization, bytes_per_weight(_dtype(config), 0.0))


def _dtype(config: Config) -> str:
    field = "torch_dtype" if config.has("torch_dtype") else "dtype"
    if not config.has(field):
        config.assume("torch_dtype is not given: bf16")
        return "bf16"
    if config.text(field) in ("auto", "float8_e4m3fn"):
        return "bf16"
    return config.choice(field, _FORMATS, "bf16")


def _tied(config: Config, family: Family) -> bool:
    return config.flag("tie_word_embeddings", default=family.tied)


def _outside_layers(config: Config, family: Family) -> int:
    """Weights of embeddings, positions, head and last norm."""
    hidden, vocabulary = config.count("hidden_size"), config.count("vocab_size")
    tables = 1 if _tied(config, family) else 2
    return tables * vocabulary * hidden + _vectors(config, family)


def _vectors(config: Config, family: Family) -> int:
    """What is outside the layers and no vocabulary's table."""
    hidden, vocabulary = config.count("hidden_size"), config.count("vocab_size")
    learned = 0
    if family.learned_positions:
        learned = (config.count("max_position_embeddings") + family.extra_positions) * hidden
    bias = vocabulary if config.flag("lm_head_bias", default=family.head_bias) else 0
    return learned + bias + norm_weights(config, family)


def _outside_bytes(config: Config, family: Family, storage: Storage) -> float:
    """Bytes of the same; only a head of its own may be quantised."""
    hidden, vocabulary = config.count("hidden_size"), config.count("vocab_size")
    table, base = vocabulary * hidden, storage.base_bytes
    head = 0.0 if _tied(config, family) else table * base
    quantization = storage.quantization
    if head and quantization is not None:
        head = _head_bytes(quantization, vocabulary, hidden, base)
    return table * base + head + _vectors(config, family) * base


def _head_bytes(quantization: Quantization, vocabulary: int, hidden: int, base: float) -> float:
    from servelab.specs.families.matrices import Matrix

    scheme = quantization.scheme(Matrix("lm_head", vocabulary, hidden), "") if quantization.head else None
    return vocabulary * hidden * base if scheme is None else scheme.size(vocabulary, hidden)


def _heads(config: Config, groups: tuple[LayerGroup, ...]) -> tuple[int, int, int]:
    """Heads that describe the model: those of the first layers that have some."""
    for group in groups:
        if group.attention == "grouped":
            return group.query_heads or 1, group.kv_heads or 1, group.key_dim or 1
        if group.attention == "latent":
            return group.query_heads or 1, group.query_heads or 1, (group.nope_dim or 0) + (group.rope_dim or 0)
    return 1, 1, config.count("hidden_size")


def _name(config: Config) -> str:
    """The repository the file names, else its model_type or architecture."""
    architectures = config.whole.get("architectures")
    listed = architectures[0] if isinstance(architectures, (list, tuple)) and architectures else None
    for candidate in (config.whole.get("_name_or_path"), config.fields.get("model_type"), listed):
        if isinstance(candidate, str) and (name := printable(candidate.strip("/ ").rsplit("/", 1)[-1])):
            return name
    return "model"


__all__ = ["Decoder", "is_config", "read_config"]
