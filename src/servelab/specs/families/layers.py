"""The layers of a decoder, one by one or kind by kind: their weights, and the groups they form."""

from __future__ import annotations

import dataclasses
from typing import Any, NamedTuple

from servelab.errors import ConfigError, shown
from servelab.specs.families import patterns
from servelab.specs.families.attention import FULL, Mixer, attention, with_indexer
from servelab.specs.families.config import Config
from servelab.specs.families.feed_forward import NONE, FeedForward, dense, experts, width_of_multiple
from servelab.specs.families.matrices import Block, Layer, join
from servelab.specs.families.patterns import Kind
from servelab.specs.families.quantization import Quantization, stored_bytes
from servelab.specs.families.recurrent import recurrent
from servelab.specs.families.table import Family
from servelab.specs.groups import LayerGroup

_NO_MIXER = Mixer({"attention": "none"}, Block(()))


class Decoder(NamedTuple):
    """All layers: groups of those that are alike, weights, and bytes as published (None: one format for all)."""

    groups: tuple[LayerGroup, ...]
    parameters: int
    bytes: float | None


class Storage(NamedTuple):
    """How weights are stored: what is not quantised takes `base_bytes` each."""

    quantization: Quantization | None
    base_bytes: float

    def layer_bytes(self, layer: Layer, prefix: str) -> tuple[float, float | None]:
        """Bytes of a layer without its experts, and of one expert."""
        shared = stored_bytes(layer.shared.matrices, self.quantization, prefix, self.base_bytes)
        shared += layer.shared.vectors * self.base_bytes
        if layer.expert is None:
            return shared, None
        return shared, stored_bytes(layer.expert.matrices, self.quantization, prefix, self.base_bytes)


def read_layers(config: Config, family: Family) -> list[Layer]:
    """Every layer in order; those of a kind are the same object."""
    if config.has("block_configs"):
        return _own_blocks(config, family)
    known: dict[Kind, Layer] = {}
    found = []
    for kind in patterns.kinds(config, family):
        if kind not in known:
            known[kind] = read_layer(config, family, kind)
        found.append(known[kind])
    return found


def read_layer(config: Config, family: Family, kind: Kind) -> Layer:
    """One layer of `kind`."""
    network = {patterns.NONE: lambda: NONE, patterns.EXPERTS: lambda: experts(config, family)}
    feed_forward = network.get(kind.feed_forward, lambda: dense(config, family))()
    norms = family.norms
    if config.flag("new_decoder_architecture", default=False) or not config.flag("parallel_attn", default=True):
        norms = 2  # attention and feed-forward have a norm each
    return _layer(config, family, _mixer(config, family, kind), feed_forward, norms)


def _mixer(config: Config, family: Family, kind: Kind) -> Mixer:
    if kind.mixer == patterns.NONE:
        return _NO_MIXER
    if kind.mixer == patterns.STATE:
        return recurrent(config)
    mixer = attention(config, family, kind.mixer)
    return mixer if kind.own_indexer is None else with_indexer(config, mixer, own=kind.own_indexer)


def _layer(config: Config, family: Family, mixer: Mixer, feed_forward: FeedForward, norms: int) -> Layer:
    vectors = norms * norm_weights(config, family)
    if config.has("hidden_size_per_layer_input") or config.has("global_head_dim"):
        vectors += 1  # a factor on the layer's output
    fields: dict[str, Any] = {**mixer.fields, **feed_forward.fields}
    if feed_forward.expert:
        fields["expert_parameters"] = feed_forward.expert.parameters
    shared = join(mixer.block, feed_forward.block, Block((), vectors))
    return Layer(LayerGroup(1, **fields), shared, feed_forward.expert)


def norm_weights(config: Config, family: Family) -> int:
    """Weights of one norm of the hidden width."""
    return config.count("hidden_size") * (2 if family.norm_bias else 1)


def _own_blocks(config: Config, family: Family) -> list[Layer]:
    """Layers that each say their own heads and width, or lack one of their halves."""
    known: dict[tuple[Any, ...], Layer] = {}
    found = []
    for block in config.items("block_configs", patterns.layer_count(config)) or []:
        halves = [block.get(half) if isinstance(block, dict) else None for half in ("attention", "ffn")]
        if not all(isinstance(half, dict) for half in halves):
            raise ConfigError("", f"block_configs has {shown(block)}; give attention and ffn for each layer")
        attended, network = (half for half in halves if half is not None)
        key = tuple(
            _hashable(half.get(name))
            for half, names in ((attended, _ATTENTION_FIELDS), (network, _NETWORK_FIELDS))
            for name in names
        )
        if key not in known:
            known[key] = _own_block(config, family, attended, network)
        found.append(known[key])
    return found


_ATTENTION_FIELDS = ("no_op", "replace_with_linear", "n_heads_in_group", "num_key_value_heads")
_NETWORK_FIELDS = ("no_op", "replace_with_linear", "ffn_mult", "intermediate_size")


def _hashable(value: Any) -> Any:
    return value if isinstance(value, (bool, int, float, str, type(None))) else repr(value)


def _own_block(config: Config, family: Family, attended: dict[str, Any], network: dict[str, Any]) -> Layer:
    for half in (attended, network):
        if half.get("replace_with_linear"):
            raise ConfigError(
                "", "block_configs replaces a half by one linear layer, which is not read; give its sizes"
            )
    hidden, heads = config.count("hidden_size"), config.count("num_attention_heads")
    mixer, feed_forward = _NO_MIXER, NONE
    if not attended.get("no_op"):
        own = Config({**config.fields, **{key: attended[key] for key in attended if key == "num_key_value_heads"}})
        if attended.get("n_heads_in_group") is not None:
            own.fields["num_key_value_heads"] = heads // max(1, _whole(attended, "n_heads_in_group"))
        mixer = attention(own, family, FULL)
        for sentence in own.assumed:
            config.assume(sentence)
    if not network.get("no_op"):
        if network.get("intermediate_size") is not None:
            inner = _whole(network, "intermediate_size")
        else:
            inner = width_of_multiple(hidden, network.get("ffn_mult"))
        feed_forward = dense(config, family, inner)
    halves = sum(1 for half in (attended, network) if not half.get("no_op"))
    return _layer(config, family, mixer, feed_forward, halves)


def _whole(fields: dict[str, Any], name: str) -> int:
    return Config(fields).count(name)


def gather(layers: list[Layer], storage: Storage, *, mixed: bool) -> Decoder:
    """Groups of layers that are alike, in order of their first, with what they weigh."""
    counted: dict[tuple[LayerGroup, float | None], int] = {}
    total = 0.0
    for layer, prefix, alike in _named(layers, storage):
        expert = None
        if mixed:
            shared, expert = storage.layer_bytes(layer, prefix)
            total += alike * (shared + (expert or 0.0) * (layer.group.experts or 0))
        kind = (layer.group, expert)
        counted[kind] = counted.get(kind, 0) + alike
    groups = tuple(
        dataclasses.replace(group, layers=number, expert_bytes=expert) for (group, expert), number in counted.items()
    )
    weights = {id(layer): layer.parameters for layer in {id(layer): layer for layer in layers}.values()}
    return Decoder(groups, sum(weights[id(layer)] for layer in layers), total if mixed else None)


def _named(layers: list[Layer], storage: Storage) -> list[tuple[Layer, str, int]]:
    """Layers with the name they have and how many are stored alike."""
    counted: dict[Any, tuple[Layer, str, int]] = {}
    for number, layer in enumerate(layers):
        key = (id(layer), storage.quantization and storage.quantization.layer_key(number))
        _, prefix, alike = counted.get(key, (layer, f"layers.{number}.", 0))
        counted[key] = (layer, prefix, alike + 1)
    return list(counted.values())
