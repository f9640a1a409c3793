"""What can be set in the deployment lab: model, cards, formats, scheduler and traffic."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Annotated

from servelab.labs.grouped_query.settings import PRICES_USD_PER_HOUR
from servelab.specs.fields import STRICT, Choice, Number, check_fields
from servelab.specs.oneof import OneOf
from servelab.specs.profiles import AUTO, TEXTBOOK

#: The models by what the control calls them, from the catalogue.
MODELS = {"8b": "llama-3.1-8b", "70b": "llama-3.1-70b"}
MODEL_NAMES = {"8b": "Llama 3.1 8B", "70b": "Llama 3.1 70B"}

CARDS = (1, 2, 4, 8)

#: Bits that a format keeps of a value; int4 weights come with scales, which are counted in bytes and not here.
WEIGHT_BITS = {"bf16": 16, "fp8": 8, "int4": 4}
KV_BITS = {"bf16": 16, "fp8": 8}

#: Where the time of a pass comes from, and the profile that this names.
STEP_TIMES = {"textbook": TEXTBOOK, "calibrated": AUTO}

POLICIES = ("static", "continuous", "chunked")

LONG_PROMPTS, BURST = "long-prompts", "burst"


@dataclass(frozen=True)
class Settings:
    """The controls of the lab. Raises SpecError outside their bounds."""

    __pydantic_config__ = STRICT

    size: Annotated[str, Choice("model that is served", "model", tuple(MODELS))] = "8b"
    card: Annotated[str, Choice("card that serves it", "card", tuple(PRICES_USD_PER_HOUR))] = "l40s"
    cards: Annotated[int, OneOf("cards that the model is split over", CARDS)] = 1
    step_times: Annotated[
        str, Choice("where the time of a pass comes from", "kind of step times", tuple(STEP_TIMES))
    ] = "textbook"
    weights: Annotated[str, Choice("format of the weights", "weight format", tuple(WEIGHT_BITS))] = "bf16"
    kv_cache: Annotated[str, Choice("format of the KV cache", "KV format", tuple(KV_BITS))] = "bf16"
    policy: Annotated[str, Choice("how requests are batched", "policy", POLICIES)] = "chunked"
    chunk_tokens: Annotated[
        int, Number("most tokens of prompts in a pass of chunked batching", 64, 8192, whole=True)
    ] = 2048
    at_once: Annotated[int, Number("most requests that run at once", 1, 512, whole=True)] = 256
    requests_per_s: Annotated[float, Number("mean rate of arrivals, requests per second", 0.1, 20)] = 3.0
    prompt_tokens: Annotated[
        int, Number("mean prompt in tokens; prompts are from half to one and a half of it", 128, 32_768, whole=True)
    ] = 1024
    output_tokens: Annotated[int, Number("mean answer in tokens, exponential", 16, 2048, whole=True)] = 256

    def __post_init__(self) -> None:
        check_fields(self)
