"""Layers that keep a state of fixed size: Mamba, gated delta networks, lightning attention.

The state of a request in one layer is its recurrent part, in the format the file names (else fp32, as the public
implementations keep it), and the last inputs of the convolution, in bf16.
"""

from __future__ import annotations

from collections.abc import Callable

from servelab.errors import ConfigError
from servelab.specs.families.attention import Mixer, head_dim
from servelab.specs.families.config import Config
from servelab.specs.families.matrices import Block, Matrix
from servelab.specs.formats import ACTIVATION_BYTES, bytes_per_weight

_STATE_FORMATS = {"float32": "fp32", "bfloat16": "bf16", "float16": "fp16"}
_FORMAT_FIELDS = ("mamba_ssm_cache_dtype", "mamba_ssm_dtype")


def recurrent(config: Config) -> Mixer:
    """The layer with a state that the file's fields describe; raises ConfigError where they describe none."""
    config.leave_out("the math of recurrent states (their bytes are counted)")
    for field, read in _READERS.items():
        if config.has(field):
            return read(config)
    raise ConfigError(
        "", f"the config.json has layers with a recurrent state but lacks {' or '.join(_READERS)}; give those fields"
    )


def _mixer(config: Config, block: Block, recurrent_values: int, convolved_values: int) -> Mixer:
    named = next((field for field in _FORMAT_FIELDS if config.has(field)), None)
    if named is None:
        config.assume("the format of recurrent states is not given: fp32")
    size = bytes_per_weight(config.choice(named, _STATE_FORMATS, "fp32") if named else "fp32", 0.0)
    state = recurrent_values * size + convolved_values * ACTIVATION_BYTES
    return Mixer({"attention": "state", "state_bytes": float(state)}, block)


def _delta_network(config: Config) -> Mixer:
    """Gated DeltaNet: queries, keys, values and a gate from one projection; beta and decay a value head."""
    hidden, kernel = config.count("hidden_size"), config.count("linear_conv_kernel_dim", 4)
    value_heads, value_width = config.count("linear_num_value_heads"), config.count("linear_value_head_dim")
    key_width = config.count("linear_key_head_dim")
    keys, values = config.count("linear_num_key_heads") * key_width, value_heads * value_width
    convolved = 2 * keys + values
    matrices = (
        Matrix("linear_attn.in_proj_qkvz", convolved + values, hidden),
        Matrix("linear_attn.in_proj_ba", 2 * value_heads, hidden),
        Matrix("linear_attn.conv1d", convolved, kernel, linear=False),
        Matrix("linear_attn.out_proj", hidden, values),
    )
    block = Block(matrices, 2 * value_heads + value_width)
    return _mixer(config, block, value_heads * key_width * value_width, convolved * (kernel - 1))


def _mamba_2(config: Config) -> Mixer:
    hidden, heads = config.count("hidden_size"), config.count("mamba_num_heads")
    inner = heads * config.count("mamba_head_dim")
    state, kernel = config.count("ssm_state_size"), config.count("conv_kernel", 4)
    convolved = inner + 2 * config.count("n_groups", 1) * state
    bias = convolved if config.flag("use_conv_bias", default=True) else 0
    in_bias = config.flag("mamba_proj_bias", default=False)
    matrices = (
        Matrix("mixer.in_proj", inner + convolved + heads, hidden, (inner + convolved + heads) * in_bias),
        Matrix("mixer.conv1d", convolved, kernel, bias, linear=False),
        Matrix("mixer.out_proj", hidden, inner, hidden * in_bias),
    )
    return _mixer(config, Block(matrices, 3 * heads + inner), inner * state, convolved * (kernel - 1))


def _mamba_1(config: Config) -> Mixer:
    hidden = config.count("hidden_size")
    inner = config.count("mamba_expand", 2) * hidden
    state, kernel = config.count("mamba_d_state"), config.count("mamba_d_conv", 4)
    rank = (
        config.count("mamba_dt_rank", -(-hidden // 16)) if config.raw("mamba_dt_rank") != "auto" else -(-hidden // 16)
    )
    matrices = (
        Matrix("mamba.in_proj", 2 * inner, hidden),
        Matrix("mamba.conv1d", inner, kernel, inner, linear=False),
        Matrix("mamba.x_proj", rank + 2 * state, inner),
        Matrix("mamba.dt_proj", inner, rank, inner),
        Matrix("mamba.out_proj", hidden, inner),
    )
    vectors = inner * state + inner + rank + 2 * state
    return _mixer(config, Block(matrices, vectors), inner * state, inner * (kernel - 1))


def _lightning(config: Config) -> Mixer:
    """Linear attention with as many key as query heads, a gate on the output and a norm over all heads."""
    hidden, heads, width = config.count("hidden_size"), config.count("num_attention_heads"), head_dim(config)
    inner = heads * width
    matrices = (
        Matrix("self_attn.qkv_proj", 3 * inner, hidden),
        Matrix("self_attn.output_gate", inner, hidden),
        Matrix("self_attn.out_proj", hidden, inner),
    )
    return _mixer(config, Block(matrices, inner), heads * width * width, 0)


#: By the field that tells which kind it is; the first that is given counts.
_READERS: dict[str, Callable[[Config], Mixer]] = {
    "linear_num_value_heads": _delta_network,
    "mamba_num_heads": _mamba_2,
    "mamba_d_state": _mamba_1,
    "attn_type_list": _lightning,
}
