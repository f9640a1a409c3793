"""What a checkpoint holds beside its text decoder: an encoder, a vision tower, layers that draft tokens.

Parts take memory where the checkpoint has them. No pass runs them, so what they would add to a pass is named as not
modelled.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from servelab.errors import ConfigError
from servelab.specs.families.config import Config
from servelab.specs.families.layers import Storage, norm_weights, read_layer
from servelab.specs.families.matrices import Matrix
from servelab.specs.families.patterns import Kind
from servelab.specs.families.quantization import stored_bytes
from servelab.specs.families.table import Family
from servelab.specs.groups import Part


def read_parts(config: Config, family: Family, storage: Storage, kinds: list[Kind]) -> tuple[Part, ...]:
    """Every part the file names, with its weights; one whose size cannot be counted is named as left out."""
    found = [_drafting(config, family, storage, kinds), _vision(config, storage)]
    for field, what in _UNCOUNTED.items():
        if config.whole.get(field) is not None:
            config.leave_out(f"the {what}: neither its weights nor its passes are counted")
    return tuple(part for part in found if part is not None)


_UNCOUNTED = {"audio_config": "audio tower", "speech_config": "speech tower", "talker_config": "talker"}


def _drafting(config: Config, family: Family, storage: Storage, kinds: list[Kind]) -> Part | None:
    """Layers for multi-token prediction: like the decoder's last that sees all, with a projection of two streams."""
    number = config.count("num_nextn_predict_layers", 0, low=0, high=100)
    if not number or not kinds:
        return None
    hidden, vocabulary = config.count("hidden_size"), config.count("vocab_size")
    config.leave_out("drafting with the MTP layers: no pass runs them")
    layers = [read_layer(config, family, kind) for kind in _drafting_kinds(config, kinds)]
    projection = Matrix("eh_proj", hidden, 2 * hidden)
    copies = 2 * vocabulary * hidden if family.mtp_copies else 0
    vectors = 3 * norm_weights(config, family) + copies
    parameters = sum(layer.parameters for layer in layers) + projection.parameters + vectors
    size = None
    if storage.quantization is not None:
        prefix = f"layers.{len(kinds)}."
        size = stored_bytes((projection,), storage.quantization, prefix, storage.base_bytes)
        size += vectors * storage.base_bytes
        for layer in layers:
            shared, expert = storage.layer_bytes(layer, prefix)
            size += shared + (expert or 0.0) * (layer.group.experts or 0)
        size *= number
    return Part("MTP layers" if number > 1 else "MTP layer", number * parameters, size)


def _drafting_kinds(config: Config, kinds: list[Kind]) -> list[Kind]:
    """One layer like the last that has heads; families of single blocks have one of each half."""
    attended = [kind for kind in kinds if kind.mixer not in ("state", "none")] or kinds
    last = attended[-1]
    if last.feed_forward != "none":
        return [last._replace(own_indexer=True if last.own_indexer is not None else None)]
    networks = [kind for kind in kinds if kind.mixer == "none"]
    return [last, *networks[-1:]]


def _vision(config: Config, storage: Storage) -> Part | None:
    fields = config.part("vision_config")
    if fields is None:
        return None
    config.leave_out("images: no pass runs the vision tower")
    vision = Config({**_VISION_DEFAULTS.get(str(config.whole.get("model_type")), {}), **fields})
    count = _VISION.get(str(config.whole.get("model_type")))
    if count is None:
        config.assume("the vision tower is counted as plain layers with biases, patches and one projection")
        count = _plain_tower
    try:
        parameters = count(vision, config.count("hidden_size"))
    except ConfigError as error:
        config.leave_out(f"the weights of the vision tower ({error.message.split(';')[0]})")
        return None
    size = parameters * storage.base_bytes if storage.quantization is not None else None
    return Part("vision tower", parameters, size)


def _blocks(vision: Config, *, gated: bool = False, bias: bool = True, norm: int = 2) -> int:
    """The transformer layers of a vision tower."""
    hidden, inner = vision.count("hidden_size"), vision.count("intermediate_size")
    networks = 3 if gated else 2
    weights = 4 * hidden * hidden + networks * hidden * inner + 2 * norm * hidden
    biases = 4 * hidden + (networks - 1) * inner + hidden if bias else 0
    depth = vision.count("depth", vision.count("num_hidden_layers", 0, low=0) or None, high=1000)
    return depth * (weights + biases)


def _patches(vision: Config, default: int) -> int:
    """Weights that turn one patch into a vector, without bias."""
    size, frames = vision.count("patch_size", default), vision.count("temporal_patch_size", 1)
    return vision.count("in_channels", vision.count("num_channels", 3)) * frames * size * size


def _qwen3_tower(vision: Config, text_hidden: int) -> int:
    """Patches of several frames, learned positions, layers, and mergers of neighbouring patches."""
    hidden = vision.count("hidden_size")
    merged = hidden * vision.count("spatial_merge_size", 2) ** 2
    output = vision.count("out_hidden_size", text_hidden)
    merger = merged * merged + merged + merged * output + output
    stacked = len(vision.items("deepstack_visual_indexes") or [])
    return (
        _patches(vision, 16) * hidden
        + hidden
        + vision.count("num_position_embeddings", 2304) * hidden
        + _blocks(vision)
        + merger
        + 2 * hidden
        + stacked * (merger + 2 * merged)
    )


def _gemma3_tower(vision: Config, text_hidden: int) -> int:
    """SigLIP without its pooling head, and a projection with a norm."""
    hidden = vision.count("hidden_size")
    positions = (vision.count("image_size") // vision.count("patch_size")) ** 2
    tower = _patches(vision, 14) * hidden + hidden + positions * hidden + _blocks(vision) + 2 * hidden
    return tower + hidden + hidden * text_hidden


def _gemma4_tower(vision: Config, text_hidden: int) -> int:
    """Gated layers without biases, four norms each and normed heads; two tables of positions."""
    hidden = vision.count("hidden_size")
    width = vision.count("head_dim", max(1, hidden // vision.count("num_attention_heads")))
    depth = vision.count("num_hidden_layers", high=1000)
    layers = _blocks(vision, gated=True, bias=False) + depth * 2 * width
    positions = 2 * vision.count("position_embedding_size", 10240) * hidden
    return _patches(vision, 16) * hidden + positions + layers + hidden * text_hidden


def _plain_tower(vision: Config, text_hidden: int) -> int:
    """A tower of a family that is not known: its layers, patches and one projection."""
    hidden = vision.count("hidden_size")
    return _patches(vision, 14) * hidden + _blocks(vision) + hidden * text_hidden


#: By the `model_type` of the whole file.
_VISION: dict[str, Callable[[Config, int], int]] = {
    "gemma3": _gemma3_tower,
    "gemma4": _gemma4_tower,
    "qwen3_5": _qwen3_tower,
    "qwen3_5_moe": _qwen3_tower,
    "qwen3_vl": _qwen3_tower,
    "qwen3_vl_moe": _qwen3_tower,
}

#: What files leave out because it is their class's default.
_VISION_DEFAULTS: dict[str, Mapping[str, Any]] = {
    "gemma3": {
        "hidden_size": 1152,
        "intermediate_size": 4304,
        "num_hidden_layers": 27,
        "image_size": 896,
        "patch_size": 14,
    },
}
