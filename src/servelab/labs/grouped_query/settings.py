"""What can be set in the grouped-query lab, what can happen in it, and the cards it offers."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Annotated

from servelab.specs.fields import STRICT, Choice, Number, check_fields
from servelab.specs.oneof import OneOf

#: Query heads of the model, and the numbers of KV heads that divide them evenly.
QUERY_HEADS = 32
KV_HEADS = (1, 2, 4, 8, 16, 32)

BYTES_PER_VALUE = {"bf16": 2, "fp8": 1}

#: Illustrative prices per hour, round and in proportion; no provider's offer.
PRICES_USD_PER_HOUR = {
    "rtx-4090": 0.5,
    "l40s": 1.0,
    "a100-sxm-40gb": 1.2,
    "a100-sxm-80gb": 1.6,
    "h100-sxm-80gb": 2.9,
    "h200-sxm-141gb": 3.6,
}

CARD_NAMES = {
    "rtx-4090": "RTX 4090, 24 GB",
    "l40s": "L40S, 48 GB",
    "a100-sxm-40gb": "A100, 40 GB",
    "a100-sxm-80gb": "A100, 80 GB",
    "h100-sxm-80gb": "H100, 80 GB",
    "h200-sxm-141gb": "H200, 141 GB",
}

LONG_DOCUMENTS, BURST, MEMORY_SQUEEZE = "long-documents", "burst", "memory-squeeze"
BURST_START_S, BURST_END_S = 40.0, 60.0


@dataclass(frozen=True)
class Settings:
    """The controls of the lab. Raises SpecError outside their bounds."""

    __pydantic_config__ = STRICT

    requests_per_s: Annotated[float, Number("mean rate of arrivals, requests per second", 1, 20)] = 6.0
    prompt_tokens: Annotated[
        int, Number("mean prompt in tokens; prompts are from half to one and a half of it", 128, 4096, whole=True)
    ] = 1024
    kv_heads: Annotated[int, OneOf("KV heads that the 32 query heads share", KV_HEADS)] = 32
    kv_cache: Annotated[str, Choice("format of the KV cache", "KV format", tuple(BYTES_PER_VALUE))] = "bf16"
    origin: Annotated[str, Choice("how the model came by its KV heads", "origin", ("converted", "trained"))] = (
        "converted"
    )
    uptraining_fraction: Annotated[float, Number("training after the conversion, share of pretraining", 0, 0.1)] = 0.05
    card: Annotated[str, Choice("card that serves the model", "card", tuple(PRICES_USD_PER_HOUR))] = "a100-sxm-40gb"

    def __post_init__(self) -> None:
        check_fields(self)


def short_name(card: str) -> str:
    """A card within a sentence: "A100 (80 GB)"."""
    name, _, memory = CARD_NAMES[card].partition(", ")
    return f"{name} ({memory})"
