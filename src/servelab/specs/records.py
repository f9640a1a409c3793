"""Fields that hold several things, and records made from dicts of their fields."""

from __future__ import annotations

import dataclasses
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, TypeVar

from servelab.errors import SpecError, UnknownName, shown
from servelab.specs.fields import Check, declared

if TYPE_CHECKING:
    from pydantic import GetCoreSchemaHandler
    from pydantic_core import CoreSchema

Record = TypeVar("Record")


@dataclasses.dataclass(frozen=True, slots=True)
class Texts(Check):
    """Short texts, such as remarks; may be empty."""

    longest: int = 400

    def check(self, field: str, value: Any) -> Any:
        if not isinstance(value, (list, tuple)) or not all(
            isinstance(text, str) and 0 < len(text) <= self.longest and text.isprintable() for text in value
        ):
            raise SpecError(field, f"{shown(value)} is no list of texts; give texts of 1 to {self.longest} characters")
        return tuple(value)

    def core_schema(self) -> CoreSchema:
        from pydantic_core import core_schema

        return core_schema.tuple_schema([core_schema.str_schema(max_length=self.longest)], variadic_item_index=0)


@dataclasses.dataclass(frozen=True, slots=True)
class Content(Check):
    """A text of any length and any characters, such as a file's; not empty."""

    def check(self, field: str, value: Any) -> Any:
        if not isinstance(value, str) or not value.strip():
            raise SpecError(field, f"{shown(value)} is no such text; give {self.doc}")
        return value

    def core_schema(self) -> CoreSchema:
        from pydantic_core import core_schema

        return core_schema.str_schema(min_length=1)


@dataclasses.dataclass(frozen=True, slots=True)
class Records(Check):
    """A list of records of one kind, each given as such or as a dict of its fields; may be empty."""

    kind: type[Any]

    def check(self, field: str, value: Any) -> Any:
        if not isinstance(value, (list, tuple)):
            raise SpecError(field, f"{shown(value)} is no list; give a list of {self.kind.__name__}")
        if isinstance(value, tuple) and all(type(item) is self.kind for item in value):
            return value
        return tuple(self._record(f"{field}.{index}", item) for index, item in enumerate(value))

    def _record(self, field: str, item: Any) -> Any:
        if isinstance(item, self.kind):
            return item
        if not isinstance(item, Mapping):
            raise SpecError(field, f"{shown(item)} is no {self.kind.__name__}; give its fields")
        try:
            return from_fields(self.kind, item)
        except SpecError as error:
            error.field = ".".join(part for part in (field, error.field) if part)
            raise

    def __get_pydantic_core_schema__(self, source: Any, handler: GetCoreSchemaHandler) -> CoreSchema:
        return handler(source)


def from_fields(spec: type[Record], fields: Mapping[Any, Any]) -> Record:
    """A record of `spec` from a dict of its fields; an unknown or a missing one is named. Raises SpecError."""
    known = declared(spec)
    for name in fields:
        if name not in known:
            raise UnknownName(str(name), "field", name, known)
    for field in dataclasses.fields(spec):  # type: ignore[arg-type]  # every spec is a dataclass
        required = field.default is dataclasses.MISSING and field.default_factory is dataclasses.MISSING
        if field.init and required and field.name not in fields:
            raise SpecError(field.name, f"nothing given; give {known[field.name].check.doc}")
    return spec(**fields)
