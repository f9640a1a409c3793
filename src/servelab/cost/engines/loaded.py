"""Weights as an engine holds them on one device, which is not what the checkpoint takes on disk.

Counted beside each device's share of the checkpoint: embeddings and head, which quantised formats leave as they are;
KV projections copied to more devices than there are KV heads; compressing projections of latent attention and
routers, which every device holds whole; the absorbed matrices of latent attention; vocabularies padded; the table of
rotary angles; padding of MXFP4 experts. Layers that draft tokens are not loaded unless drafting is asked for.
"""

from __future__ import annotations

from servelab.cost.engines.answer import Term
from servelab.cost.engines.start import Start
from servelab.cost.weights import weights_of
from servelab.specs.formats import ACTIVATION_BYTES, bytes_per_weight
from servelab.specs.groups import LayerGroup

#: Formats that apply to every weight; all others leave embeddings and head in the model's own precision.
_WHOLE_MODEL = frozenset({"fp32", "bf16", "fp16"})

#: vLLM pads vocabularies to a multiple of this.
_VOCABULARY_MULTIPLE = 64

#: MXFP4 experts. On Hopper the layout of their values pads what a product sums over to a multiple of 256, and an inner
#: width to 64; elsewhere (Marlin) hidden widths become multiples of 256 and inner ones of 128, scales included.
_SUMMED_MULTIPLE, _INNER_MULTIPLE, _MARLIN_INNER_MULTIPLE = 256, 64, 128
_MXFP4_VALUE_BYTES = 0.5

_DRAFTING = "MTP layer"


def loaded_weights(start: Start) -> list[Term]:
    """What weights take on each device, line by line."""
    model, ways = start.model, start.ways
    lines = [
        Term("weights", _checkpoint_bytes(start) / ways, f"the checkpoint over {ways} devices" if ways > 1 else "all"),
        Term("rotary table", _rotary_bytes(start), "cosines and sines of every position, on each device"),
        Term("vocabulary padding", _padding_bytes(start), f"to a multiple of {_VOCABULARY_MULTIPLE}"),
        Term("copies", sum(_copied_bytes(group, start) for group in model.groups), "what is not split over devices"),
        Term("absorbed matrices", sum(_absorbed_bytes(group, start) for group in model.groups), "latent attention"),
        Term("expert padding", sum(_expert_padding(group, start) for group in model.groups), "MXFP4 experts"),
        Term("other parts", _part_bytes(start), "what the checkpoint holds beside the text model"),
    ]
    return [line for line in lines if line.bytes]


def _checkpoint_bytes(start: Start) -> float:
    """The text model in its format; a quantised one named by hand leaves embeddings and head as they are."""
    deployment, model = start.deployment, start.model
    named = deployment.weights
    if named is None or named in _WHOLE_MODEL:
        return weights_of(deployment).decoder_bytes
    kept = model.table_parameters + model.head_parameters
    size = bytes_per_weight(named, deployment.format_metadata_fraction)
    own = model.embedding_format or model.checkpoint_format
    kept_size = bytes_per_weight(own, 0.0) if own in _WHOLE_MODEL else ACTIVATION_BYTES
    return (model.parameters - kept) * size + kept * kept_size


def _average_bytes(start: Start) -> float:
    """Bytes of an average weight of a linear layer."""
    return bytes_per_weight(start.deployment.weight_format, start.deployment.format_metadata_fraction)


def _rotary_bytes(start: Start) -> float:
    """Positions × width of the rotated part × 2 bytes; layers alike share one table.

    Models with learned positions have none; they are those whose context is not rotated, which is not known here, so
    that they are counted 0.1 % too large.
    """
    model = start.model
    if start.rules.engine != "vllm" or model.context_length is None:
        return 0.0
    widths = {group.rope_dim or group.key_dim for group in model.groups if group.query_heads}
    return sum(model.context_length * (width or 0) * ACTIVATION_BYTES for width in widths)


def _padding_bytes(start: Start) -> float:
    model = start.model
    if start.rules.engine not in ("vllm", "sglang") or not model.vocab_size:
        return 0.0
    rows = -model.vocab_size % _VOCABULARY_MULTIPLE
    tables = 1 if model.tied_embeddings else 2
    return rows * model.hidden * ACTIVATION_BYTES * tables / start.ways


def _copied_bytes(group: LayerGroup, start: Start) -> float:
    """What a device holds beyond its share, since it is copied to all."""
    hidden, ways, size = start.model.hidden, start.ways, _average_bytes(start)
    beyond = 1 - 1 / ways
    copied = 0.0
    if group.attention == "grouped" and ways > (group.kv_heads or 1):
        head = hidden * ((group.key_dim or 0) + (group.value_dim or 0)) * size
        copied += head * (1 - (group.kv_heads or 1) / ways)
    if group.attention == "latent":
        copied += hidden * ((group.latent_dim or 0) + (group.rope_dim or 0)) * size * beyond
    if group.experts:
        copied += hidden * group.experts * ACTIVATION_BYTES * beyond
    return group.layers * copied


def _absorbed_bytes(group: LayerGroup, start: Start) -> float:
    """Latent attention folds its expanding projection into queries and output, and keeps both: 2 bytes a weight."""
    if group.attention != "latent" or start.rules.latent == "expanded":
        return 0.0
    width = (group.nope_dim or 0) + (group.value_dim or 0)
    per_layer = (group.query_heads or 0) / start.ways * (group.latent_dim or 0) * width
    return group.layers * per_layer * ACTIVATION_BYTES


def _expert_padding(group: LayerGroup, start: Start) -> float:
    if not group.experts or start.deployment.weight_format != "mxfp4" or start.rules.engine != "vllm":
        return 0.0
    hidden, each = start.model.hidden, (group.expert_parameters or 0) / start.ways
    inner = 8 * round(each / hidden / 3 / 8)  # biases count among an expert's weights; widths are multiples of 8
    summed = _padded(hidden, _SUMMED_MULTIPLE)
    if start.hopper:
        width = _padded(inner, _INNER_MULTIPLE)
        padded, size = width * 2 * summed + hidden * _padded(width, _SUMMED_MULTIPLE), _MXFP4_VALUE_BYTES
    else:
        padded, size = 3 * _padded(inner, _MARLIN_INNER_MULTIPLE) * summed, bytes_per_weight("mxfp4", 0.0)
    return group.layers * group.experts * max(0.0, padded - 3 * inner * hidden) * size


def _padded(width: int, multiple: int) -> int:
    return -(-width // multiple) * multiple


def _part_bytes(start: Start) -> float:
    """Vision towers and encoders, split like the rest; layers that draft stay on disk."""
    model = start.model
    sizes = weights_of(start.deployment).part_bytes
    parts = zip(model.parts, sizes, strict=True)
    return sum(size for part, size in parts if not part.name.startswith(_DRAFTING)) / start.ways
