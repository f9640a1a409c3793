"""quantization_config: what each matrix takes as published, its scales and zero points included.

    awq                 b bits, a scale of 2 bytes and a zero point of b bits a group
    gptq                the same, and 4 bytes a row of inputs for their order (g_idx)
    fp8                 1 byte, and a scale of 4 bytes a tensor, or a block of weight_block_size
    fbgemm_fp8          1 byte, and a scale of 4 bytes an output
    compressed-tensors  bits, strategy and group of each set of modules; scales of 2 bytes (nvfp4: 1)
    mxfp4               4 bits and a scale of 1 byte for 32 weights, experts only
    modelopt            fp8, or nvfp4: 4 bits, a scale of 1 byte for 16 weights, and two of 4 bytes a tensor
    bitsandbytes        8 bits and 4 bytes an output, or 4 bits and a scale for 64 weights

Embeddings stay as they are, and so does the head unless the file says otherwise.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from typing import Any, NamedTuple

from servelab.errors import ConfigError, one_of, shown
from servelab.specs.families.config import whole_number
from servelab.specs.families.matrices import Matrix
from servelab.specs.families.module_names import ModuleNames

_SCALE, _WIDE_SCALE = 2.0, 4.0


class Scheme(NamedTuple):
    """How a matrix is stored. `block` is outputs × inputs that share a scale; 0 stands for all of them."""

    format: str  # the weight format that is nearest, for those who name one
    bits: float
    block: tuple[int, int] = (0, 0)
    scale_bytes: float = 0.0
    zero_bits: float = 0.0
    bytes_per_input: float = 0.0
    bytes_per_matrix: float = 0.0

    def size(self, outputs: int, inputs: int) -> float:
        """Bytes of one matrix."""
        rows, columns = self.block[0] or outputs, self.block[1] or inputs
        groups = -(-outputs // rows) * -(-inputs // columns)
        per_group = self.scale_bytes + self.zero_bits / 8
        weights = outputs * inputs * self.bits / 8
        return weights + groups * per_group + inputs * self.bytes_per_input + self.bytes_per_matrix


class Quantization(NamedTuple):
    """Which matrices are stored how: the first rule whose targets match (None: all), unless `kept` names it."""

    rules: tuple[tuple[ModuleNames | None, Scheme], ...]
    kept: ModuleNames
    experts_only: bool = False
    head: bool = False

    @property
    def format(self) -> str:
        """The nearest weight format."""
        return self.rules[0][1].format

    def layer_key(self, number: int) -> Any:
        """The same for layers of one kind that are stored alike."""
        return (self.kept.layer_key(number), *(names.layer_key(number) for names, _ in self.rules if names))

    def scheme(self, matrix: Matrix, prefix: str) -> Scheme | None:
        """How `matrix` of the layer whose name begins with `prefix` is stored; None where as it is."""
        name = prefix + matrix.name
        if not matrix.linear or (self.experts_only and ".experts." not in name) or self.kept.match(name):
            return None
        return next((scheme for targets, scheme in self.rules if targets is None or targets.match(name)), None)


def read_quantization(settings: Mapping[str, Any]) -> Quantization:
    """The quantisation a config.json names; raises ConfigError where it is not known or lacks a field."""
    inner = settings.get("quantization")
    if isinstance(inner, Mapping):  # as in the file that modelopt writes beside config.json
        settings = {**settings, **inner}
    method = settings.get("quant_method") or ("modelopt" if "quant_algo" in settings else None)
    if not isinstance(method, str) or method not in _METHODS:
        raise ConfigError(
            "",
            f"quantization_config.quant_method {shown(method)} is not read; give one of {one_of(_METHODS)}, or take "
            "quantization_config out and name the format of the weights, such as int4",
        )
    return _METHODS[method](settings)


def _bits(settings: Mapping[str, Any], *fields: str, default: int | None = None) -> int:
    value = next((settings[field] for field in fields if settings.get(field) is not None), default)
    return whole_number(f"quantization_config.{fields[0]}", value, 2, 16)


def _group(settings: Mapping[str, Any], *fields: str, default: int) -> int:
    """Weights of an input row that share a scale; -1 (all) becomes 0."""
    value = next((settings[field] for field in fields if settings.get(field) is not None), default)
    size = whole_number(f"quantization_config.{fields[0]}", value, -1, 10**9)
    return max(size, 0)


def _kept(settings: Mapping[str, Any], *fields: str) -> ModuleNames:
    """Modules that stay as they are; one list may stand under several names."""
    listed: list[Any] = []
    for field in fields:
        entries = settings.get(field)
        ModuleNames.of(f"quantization_config.{field}", entries)  # names the field of a bad entry
        listed += entries or []
    return ModuleNames.of("quantization_config", listed)


_KEPT_FIELDS = ("modules_to_not_convert", "ignored_layers", "ignore", "exclude_modules")


def _integer(bits: int) -> str:
    return "int4" if bits <= 4 else "int8"


def _awq(settings: Mapping[str, Any]) -> Quantization:
    bits, group = (
        _bits(settings, "bits", "w_bit", default=4),
        _group(settings, "group_size", "q_group_size", default=128),
    )
    zero = bits if settings.get("zero_point", True) else 0
    scheme = Scheme(_integer(bits), bits, (1, group), _SCALE, zero)
    return Quantization(((None, scheme),), _kept(settings, *_KEPT_FIELDS))


def _gptq(settings: Mapping[str, Any]) -> Quantization:
    bits, group = _bits(settings, "bits"), _group(settings, "group_size", default=128)
    scheme = Scheme(_integer(bits), bits, (1, group), _SCALE, bits, bytes_per_input=4.0)
    return Quantization(((None, scheme),), _kept(settings, *_KEPT_FIELDS), head=settings.get("lm_head") is True)


def _fp8(settings: Mapping[str, Any]) -> Quantization:
    block = settings.get("weight_block_size")
    sizes = (0, 0)
    if block is not None:
        sizes = _pair("quantization_config.weight_block_size", block)
    inputs = _WIDE_SCALE if settings.get("activation_scheme") == "static" else 0.0
    scheme = Scheme("fp8", 8, sizes, _WIDE_SCALE, bytes_per_matrix=inputs)
    return Quantization(((None, scheme),), _kept(settings, *_KEPT_FIELDS))


def _pair(field: str, value: Any) -> tuple[int, int]:
    if not isinstance(value, (list, tuple)) or len(value) != 2:
        raise ConfigError("", f"{field} {shown(value)} is no pair; give outputs and inputs of a block")
    first, second = (whole_number(field, size, 1, 10**9) for size in value)
    return first, second


def _fbgemm(settings: Mapping[str, Any]) -> Quantization:
    return Quantization(((None, Scheme("fp8", 8, (1, 0), _WIDE_SCALE)),), _kept(settings, *_KEPT_FIELDS))


def _mxfp4(settings: Mapping[str, Any]) -> Quantization:
    scheme = Scheme("mxfp4", 4, (1, 32), 1.0)
    return Quantization(((None, scheme),), _kept(settings, *_KEPT_FIELDS), experts_only=True)


def _bitsandbytes(settings: Mapping[str, Any]) -> Quantization:
    if settings.get("load_in_8bit") is True:
        scheme = Scheme("int8", 8, (1, 0), _WIDE_SCALE)
    else:
        double = settings.get("bnb_4bit_use_double_quant") is True  # scales of 8 bits, 4 bytes for 256 of them
        scheme = Scheme("int4", 4, (1, 64), 1.0 + 4.0 / 256 if double else _WIDE_SCALE)
    return Quantization(((None, scheme),), _kept(settings, "llm_int8_skip_modules", *_KEPT_FIELDS))


_NVFP4 = Scheme("nvfp4", 4, (1, 16), 1.0, bytes_per_matrix=2 * _WIDE_SCALE)
_MODELOPT = {
    "NVFP4": _NVFP4,
    "NVFP4_AWQ": _NVFP4,
    "FP8": Scheme("fp8", 8, (0, 0), _WIDE_SCALE, bytes_per_matrix=_WIDE_SCALE),
    "FP8_PB_WO": Scheme("fp8", 8, (128, 128), _WIDE_SCALE),
    "W4A16_AWQ": Scheme("int4", 4, (1, 128), _SCALE),
    "W4A8_AWQ": Scheme("int4", 4, (1, 128), _SCALE),
}


def _modelopt(settings: Mapping[str, Any]) -> Quantization:
    algorithm = settings.get("quant_algo", "FP8" if settings.get("quant_method") == "modelopt" else "NVFP4")
    if not isinstance(algorithm, str) or algorithm not in _MODELOPT:
        raise ConfigError(
            "",
            f"quantization_config.quant_algo {shown(algorithm)} is not read; give {one_of(_MODELOPT)}, or take "
            "quantization_config out and name the format of the weights",
        )
    return Quantization(((None, _MODELOPT[algorithm]),), _kept(settings, *_KEPT_FIELDS))


def _compressed_tensors(settings: Mapping[str, Any]) -> Quantization:
    sets = settings.get("config_groups")
    if not isinstance(sets, Mapping) or not sets:
        raise ConfigError("", f"quantization_config.config_groups {shown(sets)} is no table of sets; give them")
    rules = []
    for name, one in sets.items():
        field = f"quantization_config.config_groups.{name}"
        weights = one.get("weights") if isinstance(one, Mapping) else None
        if not isinstance(weights, Mapping):
            raise ConfigError("", f"{field}.weights {shown(weights)} is no table; give num_bits, type and strategy")
        rules.append((_targets(field, one.get("targets")), _compressed(field, weights, settings.get("format"))))
    return Quantization(tuple(rules), _kept(settings, *_KEPT_FIELDS), head=True)


def _targets(field: str, targets: Any) -> ModuleNames | None:
    """The modules a set is for; None where it is for every linear one."""
    if targets is None or (isinstance(targets, (list, tuple)) and "Linear" in targets):
        return None
    return ModuleNames.of(f"{field}.targets", targets)


def _compressed(field: str, weights: Mapping[str, Any], layout: Any) -> Scheme:
    bits = whole_number(f"{field}.weights.num_bits", weights.get("num_bits"), 2, 16)
    floating, strategy = weights.get("type") == "float", weights.get("strategy")
    group = _group(weights, "group_size", default=-1)
    if floating and bits == 4:
        if group == 32:
            return Scheme("mxfp4", 4, (1, 32), 1.0)
        return _NVFP4._replace(block=(1, group or 16))
    blocks = {
        "tensor": (0, 0),
        "channel": (1, 0),
        "group": (1, group),
        "block": (128, 128),
        None: (1, group) if group else (0, 0),
    }
    if not isinstance(strategy, (str, type(None))) or strategy not in blocks:
        raise ConfigError(
            "", f"{field}.weights.strategy {shown(strategy)} is not read; give {one_of(filter(None, blocks))}"
        )
    block = blocks[strategy]
    if strategy == "block" and weights.get("block_structure") is not None:
        block = _pair(f"{field}.weights.block_structure", weights["block_structure"])
    zero = 0 if weights.get("symmetric", True) else bits
    shape = 16.0 if layout == "pack-quantized" else 0.0  # two whole numbers of 8 bytes beside packed weights
    return Scheme("fp8" if floating else _integer(bits), bits, block, _SCALE, zero, bytes_per_matrix=shape)


_METHODS: dict[str, Callable[[Mapping[str, Any]], Quantization]] = {
    "awq": _awq,
    "gptq": _gptq,
    "fp8": _fp8,
    "fbgemm_fp8": _fbgemm,
    "compressed-tensors": _compressed_tensors,
    "mxfp4": _mxfp4,
    "modelopt": _modelopt,
    "modelopt_fp4": _modelopt,
    "bitsandbytes": _bitsandbytes,
}


def stored_bytes(matrices: tuple[Matrix, ...], quantization: Quantization | None, prefix: str, base: float) -> float:
    """Bytes of the matrices of the layer whose name begins with `prefix`; what is not quantised takes `base` each."""
    total = []
    for matrix in matrices:
        scheme = quantization.scheme(matrix, prefix) if quantization else None
        if scheme is None:
            total.append(matrix.parameters * base)
        else:
            total.append(scheme.size(matrix.outputs, matrix.inputs) + matrix.bias * base)
    return math.fsum(total)
