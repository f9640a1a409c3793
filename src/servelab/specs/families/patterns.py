"""Which layer is of which kind: every way in which config files say it.

A layer is a pair: how it mixes tokens (full, sliding, chunked, state, none) and its feed-forward (dense, experts,
none, or a number that stands for one of its own).
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple

from servelab.errors import ConfigError, shown
from servelab.specs.families.attention import CHUNKED, FULL, SLIDING
from servelab.specs.families.config import MOST_LAYERS, Config
from servelab.specs.families.table import Family

STATE, NONE = "state", "none"
DENSE, EXPERTS = "dense", "experts"

#: What a layer is called in lists of layer types.
_TYPES = {
    "full_attention": FULL,
    "attention": FULL,
    "sliding_attention": SLIDING,
    "chunked_attention": CHUNKED,
    "linear_attention": STATE,
    "mamba": STATE,
}


class Kind(NamedTuple):
    """One layer's attention, feed-forward, and whether an indexer of its own picks tokens (None: nothing picks)."""

    mixer: str
    feed_forward: str
    own_indexer: bool | None = None


def layer_count(config: Config) -> int:
    """How many layers; a list of them says it where the number is missing."""
    listed = config.items("layers_block_type") or config.items("block_configs")
    if listed and not config.has("num_hidden_layers"):
        return len(listed)
    pattern = config.text("hybrid_override_pattern")
    default = len(pattern) if pattern else None
    return config.count("num_hidden_layers", default, high=MOST_LAYERS)


def kinds(config: Config, family: Family) -> list[Kind]:
    """The kind of every layer, in order."""
    layers = layer_count(config)
    single = _single_blocks(config, layers)
    if single:
        return single
    mixers, networks = _mixers(config, family, layers), _feed_forwards(config, layers)
    indexers = _indexers(config, layers)
    return [Kind(*pair) for pair in zip(mixers, networks, indexers, strict=True)]


def _single_blocks(config: Config, layers: int) -> list[Kind] | None:
    """Layers that are one block each, attention or feed-forward, as letters or words."""
    letters = config.text("hybrid_override_pattern")
    blocks: list[Any] | None = list(letters) if letters else None
    if blocks is None:
        words = config.items("layers_block_type")
        if words is None or not set(map(str, words)) & {"moe", "mlp"}:
            return None
        blocks = words
    if len(blocks) != layers:
        raise ConfigError("", f"the pattern of blocks has {len(blocks)} for {layers} layers; give one a layer")
    known = {
        "M": Kind(STATE, NONE),
        "mamba": Kind(STATE, NONE),
        "*": Kind(FULL, NONE),
        "attention": Kind(FULL, NONE),
        "-": Kind(NONE, DENSE),
        "mlp": Kind(NONE, DENSE),
        "E": Kind(NONE, EXPERTS),
        "moe": Kind(NONE, EXPERTS),
    }
    for block in blocks:
        if not isinstance(block, str) or block not in known:
            raise ConfigError("", f"the pattern of blocks has {shown(block)}; give M, *, - or E for each layer")
    return [known[block] for block in blocks]


def _mixers(config: Config, family: Family, layers: int) -> list[str]:
    for read in (_listed, _by_number, _periodic):
        found = read(config, layers)
        if found is not None:
            return found
    return _windowed(config, family, layers)


def _listed(config: Config, layers: int) -> list[str] | None:
    """Lists with a word a layer."""
    words = config.items("layer_types", layers) or config.items("layers_block_type", layers)
    if words is None:
        return None
    for word in words:
        if not isinstance(word, str) or word not in _TYPES:
            raise ConfigError("", f"layer_types has {shown(word)}, which is not known; give {', '.join(_TYPES)}")
    window = _window(config)
    return [FULL if _TYPES[word] == SLIDING and window is None else _TYPES[word] for word in words]


def _by_number(config: Config, layers: int) -> list[str] | None:
    """Lists with a number a layer: 1 is a window in hybrid_layer_pattern, and full attention in attn_type_list."""
    for field, meanings in (("hybrid_layer_pattern", (FULL, SLIDING)), ("attn_type_list", (STATE, FULL))):
        numbers = config.items(field, layers)
        if numbers is not None:
            if any(number not in (0, 1) for number in numbers):
                raise ConfigError("", f"{field} {shown(numbers)} is not all 0 and 1; give one of them a layer")
            return [meanings[int(number)] for number in numbers]
    return None


def _periodic(config: Config, layers: int) -> list[str] | None:
    """Recurrent layers with full attention every so many."""
    if config.has("full_attention_interval"):
        period = config.count("full_attention_interval")
        return [FULL if (layer + 1) % period == 0 else STATE for layer in range(layers)]
    if config.has("attn_layer_period"):
        period, offset = config.count("attn_layer_period"), config.count("attn_layer_offset", 0, low=0)
        return [FULL if layer % period == offset else STATE for layer in range(layers)]
    return None


def _windowed(config: Config, family: Family, layers: int) -> list[str]:
    """Windows everywhere, or everywhere but in every so many layers."""
    if config.has("attention_chunk_size"):
        period = config.count("no_rope_layer_interval", 4)
        return [FULL if (layer + 1) % period == 0 else CHUNKED for layer in range(layers)]
    if _window(config) is None:
        return [FULL] * layers
    named = config.optional_count("sliding_window_pattern") or config.optional_count("_sliding_window_pattern")
    every = named or family.window_pattern
    if every:
        return [FULL if (layer + 1) % every == 0 else SLIDING for layer in range(layers)]
    first = config.count("max_window_layers", 0, low=0) if config.has("use_sliding_window") else 0
    return [SLIDING if layer >= first else FULL for layer in range(layers)]


def _window(config: Config) -> int | None:
    """The window, where there is one that is shorter than the longest context."""
    if not config.flag("use_sliding_window", default=True):
        return None
    window = config.optional_count("sliding_window")
    context = config.optional_count("max_position_embeddings")
    return None if window is None or (context is not None and window >= context) else window


def _feed_forwards(config: Config, layers: int) -> list[str]:
    if not config.has("num_experts") or not config.count("num_experts", low=0):
        return [DENSE] * layers
    return [EXPERTS if routed(layer) else DENSE for routed in (_routing(config, layers),) for layer in range(layers)]


def _routing(config: Config, layers: int) -> Callable[[int], bool]:
    """Which layers have experts."""
    frequency = config.raw("moe_layer_freq")
    if isinstance(frequency, (list, tuple)):
        listed = config.items("moe_layer_freq", layers) or []
        return lambda layer: bool(listed[layer])
    chosen = config.items("moe_layers")
    if chosen:
        return lambda layer: layer in chosen
    if config.has("expert_layer_period"):
        period, offset = config.count("expert_layer_period"), config.count("expert_layer_offset", 0, low=0)
        return lambda layer: layer % period == offset
    first = config.count("first_k_dense_replace", 0, low=0)
    every = config.count("moe_layer_freq", 1)
    step = config.count("decoder_sparse_step", config.count("interleave_moe_layer_step", 1))
    plain = config.items("mlp_only_layers") or []
    return lambda layer: layer >= first and layer % every == 0 and (layer + 1) % step == 0 and layer not in plain


def _indexers(config: Config, layers: int) -> list[bool | None]:
    """Whether each layer picks tokens with an indexer of its own (True) or with picks of one before it (False)."""
    if not config.has("index_topk"):
        return [None] * layers
    types = config.raw("indexer_types")
    listed = config.items("indexer_types", layers) if isinstance(types, (list, tuple)) else None
    if isinstance(types, str):
        listed = list(types)
        if len(listed) != layers:
            raise ConfigError("", f"indexer_types has {len(listed)} letters for {layers} layers; give one a layer")
    if listed is None:
        return [True] * layers
    return [str(word)[:1].upper() == "F" for word in listed]
