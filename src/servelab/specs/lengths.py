"""How long prompts and outputs are: one distribution for all doors, drawn as unit variates and then scaled."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, fields
from typing import TYPE_CHECKING, Annotated, Any

from servelab.errors import SpecError, shown
from servelab.specs.fields import LARGEST_COUNT, STRICT, Check, Choice, Count, Number, check_fields

if TYPE_CHECKING:
    from collections.abc import Callable

    import numpy as np
    from numpy.typing import NDArray
    from pydantic import GetCoreSchemaHandler, GetJsonSchemaHandler
    from pydantic_core import CoreSchema

#: What each kind is made from.
_NEEDS = {
    "fixed": ("tokens",),
    "uniform": ("low", "high"),
    "exponential": ("mean",),
    "lognormal": ("mean", "sigma"),
    "empirical": ("values",),
}


@dataclass(frozen=True, slots=True)
class _Values(Check):
    """Lengths seen somewhere."""

    def check(self, field: str, value: Any) -> tuple[int, ...]:
        if isinstance(value, str) or (not isinstance(value, Sequence) and not hasattr(value, "tolist")):
            raise SpecError(field, f"{shown(value)} is no list; give lengths, such as [128, 512]")
        values = value.tolist() if hasattr(value, "tolist") else list(value)
        if not values:
            raise SpecError(field, "the list is empty; give at least one length")
        return tuple(Count(self.doc).check(f"{field}.{i}", one) for i, one in enumerate(values))

    def core_schema(self) -> CoreSchema:
        from pydantic_core import core_schema

        return core_schema.any_schema()

    def __get_pydantic_json_schema__(self, schema: CoreSchema, handler: GetJsonSchemaHandler) -> dict[str, Any]:
        return {
            "type": "array",
            "items": {"type": "integer", "minimum": 1, "maximum": LARGEST_COUNT},
            "minItems": 1,
            "description": self.doc,
        }


@dataclass(frozen=True)
class Lengths:
    """A distribution of lengths in tokens; made by one of its five constructors. Raises SpecError on a bad one.

    Draws are rounded half up and are at least 1.
    """

    __pydantic_config__ = STRICT

    kind: Annotated[str, Choice("which distribution", "kind of lengths", tuple(_NEEDS))]
    tokens: Annotated[int, Count("fixed: the length in tokens")] | None = None
    low: Annotated[float, Number("uniform: shortest, in tokens", 0, LARGEST_COUNT)] | None = None
    high: Annotated[float, Number("uniform: longest, in tokens", 0, LARGEST_COUNT)] | None = None
    mean: Annotated[float, Number("exponential, lognormal: mean, in tokens", 0, LARGEST_COUNT, above=True)] | None = (
        None
    )
    sigma: Annotated[float, Number("lognormal: standard deviation of the logarithm", 0, 20)] | None = None
    values: Annotated[tuple[int, ...], _Values("empirical: lengths to draw from, each as likely")] | None = None

    def __post_init__(self) -> None:
        check_fields(self)
        for field in fields(self)[1:]:
            needed, given = field.name in _NEEDS[self.kind], getattr(self, field.name) is not None
            if needed and not given:
                raise SpecError(field.name, f"nothing given; {self.kind} lengths need it")
            if given and not needed:
                raise SpecError(field.name, f"{self.kind} lengths have none; leave it out")
        if self.kind == "uniform" and self.low > self.high:  # type: ignore[operator]  # both were given
            raise SpecError("low", f"{self.low:g} is more than high, {self.high:g}; swap them")

    @classmethod
    def fixed(cls, tokens: float) -> Lengths:
        """Always `tokens`."""
        return cls("fixed", tokens=tokens)  # type: ignore[arg-type]  # made whole by the check

    @classmethod
    def uniform(cls, low: float, high: float) -> Lengths:
        """Every length from `low` to `high` alike."""
        return cls("uniform", low=low, high=high)

    @classmethod
    def exponential(cls, mean: float) -> Lengths:
        """Exponential with this mean (before rounding)."""
        return cls("exponential", mean=mean)

    @classmethod
    def lognormal(cls, mean: float, sigma: float) -> Lengths:
        """Log-normal with this mean, `sigma` being the standard deviation of its logarithm."""
        return cls("lognormal", mean=mean, sigma=sigma)

    @classmethod
    def empirical(cls, values: Sequence[int]) -> Lengths:
        """Drawn with replacement from `values`."""
        return cls("empirical", values=values)  # type: ignore[arg-type]  # made a tuple by the check

    def draw(self, rng: np.random.Generator, count: int) -> NDArray[np.int64]:
        """`count` lengths, one unit variate each: a change of scale leaves the variates as they were."""
        import numpy as np

        if self.kind == "fixed":
            return np.full(count, self.tokens, np.int64)
        if self.kind == "uniform":
            lengths = self.low + (self.high - self.low) * rng.random(count)  # type: ignore[operator]
        elif self.kind == "exponential":
            lengths = float(self.mean or 0) * rng.standard_exponential(count)
        elif self.kind == "lognormal":
            sigma = float(self.sigma or 0.0)
            lengths = float(self.mean or 0) * np.exp(sigma * rng.standard_normal(count) - sigma * sigma / 2)
        else:
            values = np.array(self.values, np.int64)
            return values[(rng.random(count) * len(values)).astype(np.int64)]
        return np.clip(np.floor(lengths + 0.5), 1, LARGEST_COUNT).astype(np.int64)

    @property
    def expected(self) -> float:
        """The mean before rounding, in tokens."""
        if self.kind == "uniform":
            return (self.low + self.high) / 2  # type: ignore[operator]
        if self.values:
            return math.fsum(self.values) / len(self.values)
        return float(self.tokens or self.mean or 0)


@dataclass(frozen=True, slots=True)
class LengthsReference(Check):
    """Lengths, or a whole number for fixed ones; from JSON also {"kind": …}."""

    def check(self, field: str, value: Any) -> Lengths:
        if isinstance(value, Lengths):
            return value
        try:
            return Lengths.fixed(value)
        except SpecError as error:
            raise SpecError(field, error.message) from None

    def from_data(self, value: Any, validate: Callable[[Any], Any]) -> Any:
        return validate(value) if isinstance(value, dict) else self.check("", value)

    def __get_pydantic_core_schema__(self, source: Any, handler: GetCoreSchemaHandler) -> CoreSchema:
        from pydantic_core import core_schema

        return core_schema.no_info_wrap_validator_function(self.from_data, handler(source))

    def __get_pydantic_json_schema__(self, schema: CoreSchema, handler: GetJsonSchemaHandler) -> dict[str, Any]:
        count = {"type": "integer", "minimum": 1, "maximum": LARGEST_COUNT}
        return {"anyOf": [count, handler(schema)], "description": self.doc}
