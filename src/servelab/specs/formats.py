"""Number formats: how many bytes a weight or a KV value takes, and which formats a compute rate may have."""

from __future__ import annotations

#: Bytes per weight before quantisation metadata.
_WEIGHT_BYTES = {
    "fp32": 4.0,
    "bf16": 2.0,
    "fp16": 2.0,
    "fp8": 1.0,
    "int8": 1.0,
    "int4": 0.5,
    "mxfp4": 4.25 / 8,
    "nvfp4": 4.5 / 8,
}

#: Formats whose scales and zero points come on top, as a planning assumption; those of mxfp4 and nvfp4 are exact.
_WITH_METADATA = frozenset({"int8", "int4"})

_KV_BYTES = {"bf16": 2.0, "fp8": 1.0, "int8": 1.0}

WEIGHT_FORMATS = tuple(_WEIGHT_BYTES)
KV_FORMATS = tuple(_KV_BYTES)
COMPUTE_FORMATS = ("fp32", "tf32", "fp16", "bf16", "fp8", "int8", "fp4", "int4")

#: Activations are bf16 throughout.
ACTIVATION_BYTES = 2.0


def bytes_per_weight(weights: str, metadata_fraction: float) -> float:
    """Bytes of one weight, scales and zero points included."""
    size = _WEIGHT_BYTES[weights]
    return size * (1.0 + metadata_fraction) if weights in _WITH_METADATA else size


def bytes_per_kv_value(kv_cache: str) -> float:
    """Bytes of one value in the KV cache."""
    return _KV_BYTES[kv_cache]
