"""What can be set in the long-context lab, and the models and cards that it counts for."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Annotated

from servelab.labs.grouped_query.settings import CARD_NAMES
from servelab.probe.rope import METHODS, NONE
from servelab.specs.fields import STRICT, Choice, Number, check_fields
from servelab.specs.oneof import OneOf

MODEL_NAMES = {
    "llama-2-7b": "Llama 2 7B",
    "llama-3.1-8b": "Llama 3.1 8B",
    "qwen2.5-7b": "Qwen2.5 7B",
    "qwen2.5-14b": "Qwen2.5 14B",
    "qwen2.5-32b": "Qwen2.5 32B",
}

METHOD_NAMES = {
    "none": "leave it",
    "interpolation": "interpolation",
    "ntk-aware": "NTK-aware",
    "yarn": "YaRN",
}

#: Of a context, the last tokens are the answer.
OUTPUT_TOKENS = 256


@dataclass(frozen=True)
class Settings:
    """The controls of the lab. Raises SpecError outside their bounds."""

    __pydantic_config__ = STRICT

    method: Annotated[str, Choice("how positions are stretched", "method", METHODS)] = NONE
    target_tokens: Annotated[int, Number("context to serve, in tokens", 1024, 1_048_576, whole=True)] = 32_768
    headroom: Annotated[float, Number("factor of the method, as a multiple of target / trained", 0.5, 8)] = 1.0
    yarn_alpha: Annotated[float, Number("turns below which YaRN interpolates", 0, 16)] = 1.0
    yarn_beta: Annotated[float, Number("turns above which YaRN leaves a pair alone", 1, 128)] = 32.0
    trained_tokens: Annotated[int, OneOf("trained context, in tokens", (2048, 4096, 8192, 32_768))] = 4096
    base: Annotated[float, Number("base of the angles", 1000, 10_000_000)] = 10_000.0
    head_dim: Annotated[int, OneOf("width of a head", (64, 96, 128, 256))] = 128
    model: Annotated[str, Choice("model whose cache is counted", "model", tuple(MODEL_NAMES))] = "llama-2-7b"
    card: Annotated[str, Choice("card that serves it", "card", tuple(CARD_NAMES))] = "a100-sxm-80gb"
    kv_cache: Annotated[str, Choice("format of the KV cache", "KV format", ("bf16", "fp8"))] = "bf16"
    batch: Annotated[int, Number("requests of that context at once", 1, 64, whole=True)] = 1

    def __post_init__(self) -> None:
        check_fields(self)
