"""Models with an encoder: the decoder answers tokens, the encoder is a part."""

from __future__ import annotations

from servelab.errors import ConfigError
from servelab.specs.families.attention import head_dim
from servelab.specs.families.config import MOST_LAYERS, Config
from servelab.specs.families.table import Family
from servelab.specs.groups import Part
from servelab.specs.model import Model

_FORMATS = {"float32": "fp32", "bfloat16": "bf16", "float16": "fp16"}


def read_encoder_decoder(config: Config, family: Family, *, name: str, parameters: float | None) -> Model:
    """T5 and its kin; raises ConfigError for encoders of other families."""
    if config.text("model_type") not in ("t5", "mt5", "umt5"):
        raise ConfigError("", "is_encoder_decoder is true, which is read for t5 only; give a decoder's config.json")
    hidden, inner = config.count("hidden_size"), config.count("intermediate_size")
    heads, width = config.count("num_attention_heads"), head_dim(config)
    encoder_layers = config.count("num_layers", high=MOST_LAYERS)
    layers = config.count("num_decoder_layers", encoder_layers, high=MOST_LAYERS)
    vocabulary, tied = config.count("vocab_size"), config.flag("tie_word_embeddings", default=family.tied)
    network = (3 if "gated" in (config.text("feed_forward_proj") or "") else 2) * hidden * inner
    attention = 4 * hidden * heads * width
    positions = config.count("relative_attention_num_buckets", 32) * heads
    decoder = layers * (2 * attention + network + 3 * hidden) + positions + hidden
    table = vocabulary * hidden
    config.leave_out("the encoder's pass, and attention of the decoder to it with its keys and values")
    dtype = config.choice("torch_dtype", _FORMATS, "bf16")
    encoder = encoder_layers * (attention + network + 2 * hidden) + positions + hidden
    counted = decoder + table * (1 if tied else 2)
    return Model(
        name=name,
        parameters=counted if parameters is None else parameters,  # type: ignore[arg-type]  # Model checks it
        layers=layers,
        query_heads=heads,
        kv_heads=heads,
        head_dim=width,
        hidden_size=hidden,
        vocab_size=vocabulary,
        tied_embeddings=tied,
        checkpoint_format=dtype,
        parts=(Part("encoder", encoder),),
        assumed=tuple(config.assumed),
        not_modelled=tuple(config.not_modelled),
    )
