"""A field that holds one of a few numbers."""

from __future__ import annotations

import numbers
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from servelab.errors import SpecError, one_of, shown
from servelab.specs.fields import Check

if TYPE_CHECKING:
    from pydantic_core import CoreSchema


@dataclass(frozen=True, slots=True)
class OneOf(Check):
    """One of a few numbers."""

    values: tuple[int, ...]

    def check(self, field: str, value: Any) -> Any:
        if isinstance(value, bool) or not isinstance(value, numbers.Real) or value not in self.values:
            raise SpecError(field, f"{shown(value)} is not offered; give {one_of(str(one) for one in self.values)}")
        return self.values[self.values.index(value)]  # 8.0 is 8

    def core_schema(self) -> CoreSchema:
        from pydantic_core import core_schema

        return core_schema.literal_schema(list(self.values))
