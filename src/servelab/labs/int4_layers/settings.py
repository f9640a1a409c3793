"""What can be set in the INT4 lab, and the models and cards it offers."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Annotated

from servelab.labs.grouped_query.settings import CARD_NAMES
from servelab.probe.rounding import BITS, GRANULARITIES, SCALE_BITS
from servelab.specs.fields import STRICT, Choice, Number, check_fields
from servelab.specs.oneof import OneOf

MODEL_NAMES = {
    "llama-3.2-3b": "Llama 3.2 3B",
    "llama-3.1-8b": "Llama 3.1 8B",
    "qwen2.5-14b": "Qwen2.5 14B",
    "qwen2.5-32b": "Qwen2.5 32B",
    "llama-3.1-70b": "Llama 3.1 70B",
}

GRANULARITY_NAMES = {
    "per-tensor": "whole matrix",
    "per-channel": "output channel",
    "group-256": "256",
    "group-128": "128",
    "group-64": "64",
    "group-32": "32",
}

SYMMETRIC, ASYMMETRIC = "symmetric", "asymmetric"
PLAIN, AWARE = "plain", "activation-aware"

#: Layers that may be spared: the worst ones first.
MOST_KEPT = 3


@dataclass(frozen=True)
class Settings:
    """The controls of the lab. Raises SpecError outside their bounds."""

    __pydantic_config__ = STRICT

    bits: Annotated[int, OneOf("bits of a rounded weight", BITS)] = 4
    granularity: Annotated[str, Choice("weights that share a scale", "granularity", tuple(GRANULARITIES))] = (
        "per-channel"
    )
    grid: Annotated[str, Choice("whether grids have a zero point", "grid", (SYMMETRIC, ASYMMETRIC))] = SYMMETRIC
    scale_bits: Annotated[int, OneOf("bits that a scale is stored in", SCALE_BITS)] = 16
    scaling: Annotated[str, Choice("what is done before rounding", "scaling", (PLAIN, AWARE))] = PLAIN
    kept_layers: Annotated[
        int, OneOf("layers of a block kept in bf16, the worst first", tuple(range(MOST_KEPT + 1)))
    ] = 0
    activation_strength: Annotated[
        float, Number("times as large as usual, activations of outlier channels", 1, 100)
    ] = 20.0
    weight_strength: Annotated[float, Number("times as large as usual, weights of outlier channels", 1, 16)] = 8.0
    outlier_fraction: Annotated[
        float, Number("share of the input channels that are outliers, of each kind", 0, 0.05)
    ] = 0.01
    model: Annotated[str, Choice("model whose bytes are counted", "model", tuple(MODEL_NAMES))] = "llama-3.1-8b"
    card: Annotated[str, Choice("card that serves it", "card", tuple(CARD_NAMES))] = "rtx-4090"
    batch: Annotated[int, Number("requests that decode at once", 1, 256, whole=True)] = 8

    def __post_init__(self) -> None:
        check_fields(self)
