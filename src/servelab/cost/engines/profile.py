"""The activation peak: what a pass of the largest size takes at its worst moment, on one device.

    sampler   the logits of every sequence, then their sort: 38 bytes a logit of at least 128 rows, 50 of fewer, which
              PyTorch sorts all at once; 14 where the engine's version does not sort (specs/engine_rules.py)
    layers    the widest moment of a layer: the feed-forward's inner activations beside three copies of the stream,
              or the experts' buffers of the tokens they were routed
    beside    the stream of the whole pass while the sampler runs, the workspace of cuBLAS, and in later versions the
              experts' buffers, which are kept

The peak is the larger of sampler and layers, and what is beside. It grows with max_num_batched_tokens and
max_num_seqs, not with the weights. An image encoder's own profile is not counted.
"""

from __future__ import annotations

from servelab.cost.engines.start import Start
from servelab.specs.engine_rules import SORTED_LOGIT
from servelab.specs.formats import ACTIVATION_BYTES
from servelab.specs.groups import LayerGroup
from servelab.units import parse

_SORTED_LOGIT_OF_FEW_ROWS = 50
_MANY_ROWS = 128

#: The masking kernel gathers outliers of a row of logits in fp32, one buffer a program, one program a multiprocessor
#: (132 on an H100; fewer elsewhere, of little weight).
_KERNEL_PROGRAMS, _KERNEL_BYTES = 132, 4

#: cuBLAS workspaces that PyTorch allocates: on Hopper one more beside that of other devices.
_WORKSPACE_BYTES, _WORKSPACE_HOPPER_BYTES = parse("8.125 MiB", "B"), parse("32 MiB", "B")

#: vLLM's experts work on at most so many tokens at once.
_EXPERT_CHUNK = 32_768


def activation_peak(start: Start) -> float:
    """Bytes at the worst moment of the profiling pass, on the device where that is most."""
    layers, sampler = layers_peak(start, start.pass_tokens), sampler_peak(start)
    if start.rules.profile == "reserved":
        return layers + sampler + workspace_bytes(start)  # the allocator keeps what both moments took
    return max(layers, sampler) + workspace_bytes(start)


def kept_expert_buffers(start: Start) -> float:
    """Two buffers of the experts' kernels that stay between passes: one as wide as the stream or half the first
    product, one as wide as the stream or all of it, for every token and expert it goes through.

    MXFP4 experts run in kernels of their own, without them.
    """
    if not start.rules.keeps_expert_buffers or start.deployment.weight_format == "mxfp4":
        return 0.0
    hidden = start.model.hidden
    widest = 0.0
    for group in start.model.groups:
        width = _expert_width(group, start)
        routed = min(start.pass_tokens, _EXPERT_CHUNK) * (group.experts_per_token or 0)
        widest = max(widest, routed * (max(width, hidden) + max(2 * width, hidden)) * ACTIVATION_BYTES)
    return widest


def workspace_bytes(start: Start) -> float:
    """What cuBLAS holds."""
    return _WORKSPACE_BYTES + (_WORKSPACE_HOPPER_BYTES if start.hopper else 0.0)


def sampler_peak(start: Start) -> float:
    """Logits of all sequences and their sort, beside the stream of the pass."""
    rows = min(start.max_num_seqs, start.pass_tokens)
    logits = _column_bytes(rows, start.rules.bytes_per_logit) * (start.model.vocab_size or 0)
    stream = (start.pass_tokens + rows) * start.model.hidden * ACTIVATION_BYTES
    return logits + stream + kept_expert_buffers(start) + _encoded(start)


def _encoded(start: Start) -> float:
    """What an image encoder made of a full pass, kept while the text model is profiled."""
    if not any("tower" in part.name for part in start.model.parts):
        return 0.0
    return start.pass_tokens * start.model.hidden * ACTIVATION_BYTES


def _column_bytes(rows: int, per_logit: int) -> float:
    """Bytes of `rows` logits of one word; never less for more rows, though few rows are sorted at a higher price."""
    if per_logit != SORTED_LOGIT:
        return float(rows * per_logit + min(rows, _KERNEL_PROGRAMS) * _KERNEL_BYTES)
    few = min(rows, _MANY_ROWS - 1) * _SORTED_LOGIT_OF_FEW_ROWS
    return float(max(rows * per_logit, few))


def layers_peak(start: Start, tokens: int) -> float:
    """The widest moment of any layer in a pass over `tokens` tokens."""
    return max(_layer_peak(group, start, tokens) for group in start.model.groups)


def _layer_peak(group: LayerGroup, start: Start, tokens: int) -> float:
    hidden, ways = start.model.hidden, start.ways
    beside_itself = ways > 1 and start.rules.profile == "increase"  # where an all-reduce writes (from 0.6.5)
    streams = 4 if beside_itself else 3
    inner = max(_dense_inner(start) / ways, _attended(group) / ways)
    beside = tokens * streams * hidden * ACTIVATION_BYTES
    if not group.experts:
        return beside + tokens * inner * ACTIVATION_BYTES
    return beside + max(_experts_peak(group, start, tokens), tokens * _attended(group) / ways * ACTIVATION_BYTES)


def _experts_peak(group: LayerGroup, start: Start, tokens: int) -> float:
    """First product and last in one buffer, the middle in another, for every token and expert it goes through."""
    hidden = start.model.hidden
    width = _expert_width(group, start)
    routed = min(tokens, _EXPERT_CHUNK) * (group.experts_per_token or 0)
    return routed * (max(2 * width, hidden) + width) * ACTIVATION_BYTES


def _expert_width(group: LayerGroup, start: Start) -> float:
    """Inner width of one expert on one device: three matrices of it and the hidden width."""
    return (group.expert_parameters or 0) / start.model.hidden / 3 / start.ways


def _attended(group: LayerGroup) -> float:
    """Values of queries, keys, values and output of one token."""
    heads = group.query_heads or 0
    if group.attention == "latent":
        width = (group.nope_dim or 0) + (group.rope_dim or 0)
        return heads * (2.0 * width + 2 * (group.value_dim or 0))
    keys = (group.kv_heads or 0) * ((group.key_dim or 0) + (group.value_dim or 0))
    return heads * (1.0 * (group.key_dim or 0) + (group.value_dim or 0)) + keys


def _dense_inner(start: Start) -> float:
    """Values of the feed-forward's inner layers of one token: three widths where it is gated, else two.

    Either way it is the feed-forward's weights / hidden width, and those are what the decoder has beyond tables,
    attention and experts.
    """
    model = start.model
    layers = sum(group.layers for group in model.groups if group.feed_forward != "none")
    if not layers:
        return 0.0
    left = float(model.parameters) - model.table_parameters - model.head_parameters
    left -= sum(group.routed_parameters for group in model.groups)
    left -= sum(group.layers * _attention_parameters(group, model.hidden) for group in model.groups)
    return max(0.0, left / layers / model.hidden)


def _attention_parameters(group: LayerGroup, hidden: int) -> float:
    heads = group.query_heads or 0
    if group.attention == "latent":
        latent = group.latent_dim or 0
        expanded = heads * ((group.nope_dim or 0) + (group.value_dim or 0)) * latent
        return hidden * (latent + (group.rope_dim or 0)) + expanded + heads * (group.value_dim or 0) * hidden
    keys = (group.kv_heads or 0) * ((group.key_dim or 0) + (group.value_dim or 0))
    return hidden * (heads * ((group.key_dim or 0) + (group.value_dim or 0)) + keys)
