"""One measured run of somebody's own: what ran, under which load, and what came out, in base SI."""

from __future__ import annotations

import dataclasses
from collections.abc import Mapping
from dataclasses import KW_ONLY, dataclass
from typing import TYPE_CHECKING, Annotated, Any

from servelab.errors import SpecError, UnknownName, shown
from servelab.specs.deployment import Deployment
from servelab.specs.fields import STRICT, Amount, Check, Choice, Count, Text, check_fields

if TYPE_CHECKING:
    from pydantic_core import CoreSchema

#: How requests came: all of one batch at once, one after the other, so many at any time, or at a rate.
REGIMES = ("static_batch", "single_stream", "closed_loop", "open_loop")

#: What may be measured of a run.
METRICS = ("ttft_s", "tpot_s", "e2e_s", "output_tokens_per_s")

#: What each regime is told by, beside the lengths.
_TOLD_BY = {"static_batch": "batch", "closed_loop": "concurrency", "open_loop": "requests_per_s"}


@dataclasses.dataclass(frozen=True, slots=True)
class Figures(Check):
    """Measured figures by their names, at least one."""

    def check(self, field: str, value: Any) -> Any:
        if not isinstance(value, Mapping) or not value:
            raise SpecError(field, f"{shown(value)} holds no figure; give such as {{'tpot_s': 0.012}}")
        checked = {}
        for name, figure in value.items():
            if name not in METRICS:
                raise UnknownName(field, "figure", name, METRICS)
            checked[name] = Amount("").check(f"{field}.{name}" if field else name, figure)
        return checked

    def core_schema(self) -> CoreSchema:
        from pydantic_core import core_schema

        return core_schema.dict_schema(core_schema.literal_schema(list(METRICS)), core_schema.float_schema(gt=0))


@dataclass(frozen=True)
class Load:
    """How requests came: `batch` of them at once, `concurrency` at any time, or `requests_per_s`.

    `requests` is how many there were in all. Raises SpecError where the regime's own field is not given.
    """

    __pydantic_config__ = STRICT

    regime: Annotated[str, Choice("how requests came", "regime", REGIMES)]
    prompt_tokens: Annotated[int, Count("tokens of each prompt, on average")]
    output_tokens: Annotated[int, Count("tokens each request generated, on average")]
    _: KW_ONLY
    batch: Annotated[int, Count("static batch: requests in it")] | None = None
    concurrency: Annotated[int, Count("closed loop: requests at any time")] | None = None
    requests_per_s: Annotated[float, Amount("open loop: arrival rate, requests/s")] | None = None
    requests: Annotated[int, Count("requests in all")] | None = None
    process: Annotated[str, Choice("open loop: how arrivals were spaced", "process", ("poisson", "constant"))] = (
        "poisson"
    )

    def __post_init__(self) -> None:
        check_fields(self)
        needed = _TOLD_BY.get(self.regime)
        if needed and getattr(self, needed) is None:
            raise SpecError(needed, f"nothing given; a run of regime {self.regime} needs it")

    @property
    def at_once(self) -> int | None:
        """Requests at any time: the batch, the clients, one; None where they came at a rate."""
        if self.regime == "single_stream":
            return 1
        return (
            self.batch if self.regime == "static_batch" else self.concurrency if self.regime == "closed_loop" else None
        )


@dataclass(frozen=True)
class Result:
    """One measured run: `metrics` are means over its requests, by the names of METRICS. `source` says where it is from.

    The deployment names the engine that ran. Raises SpecError where a field is out of bounds.
    """

    __pydantic_config__ = STRICT

    deployment: Deployment
    load: Load
    metrics: Annotated[dict[str, float], Figures("measured figures by name, seconds and tokens a second")]
    source: Annotated[str, Text("where the run is told of", 400)] = "a run"

    def __post_init__(self) -> None:
        for name, kind in (("deployment", Deployment), ("load", Load)):
            if not isinstance(getattr(self, name), kind):
                raise SpecError(name, f"{shown(getattr(self, name))} is no {kind.__name__}; give {kind.__name__}(…)")
        object.__setattr__(self, "metrics", Figures("").check("metrics", self.metrics))
