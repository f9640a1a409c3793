"""A workload: requests that arrive together, all alike."""

from __future__ import annotations

from dataclasses import KW_ONLY, dataclass
from typing import Annotated

from servelab.specs.fields import STRICT, Count, check_fields


@dataclass(frozen=True)
class Workload:
    """`batch` requests of `prompt_tokens` in and `output_tokens` out. Raises SpecError outside 1 … 1e15."""

    __pydantic_config__ = STRICT

    prompt_tokens: Annotated[int, Count("tokens of each prompt")]
    output_tokens: Annotated[int, Count("tokens each request generates")]
    _: KW_ONLY
    batch: Annotated[int, Count("requests that arrive together")] = 1

    def __post_init__(self) -> None:
        check_fields(self)
