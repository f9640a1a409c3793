"""How a field is declared, once, for all doors.

A spec is a frozen dataclass whose annotations carry a `Check`:

    batch: Annotated[int, Count("requests that arrive together")] = 1

The constructor applies it (`check_fields`), pydantic applies the same object at the borders, and the bounds and
the words reach the OpenAPI document, the page and the command line's help from here.
"""

from __future__ import annotations

import dataclasses
import functools
import json
import math
import numbers
import types
import typing
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

from servelab.errors import SpecError, UnknownName, shown

if TYPE_CHECKING:
    from pydantic import GetCoreSchemaHandler, GetJsonSchemaHandler
    from pydantic_core import CoreSchema

LARGEST_COUNT = 10**15
LARGEST_AMOUNT = 1e21

#: A spec's class attribute for pydantic: a field nobody knows is refused, never dropped.
STRICT: Any = {"extra": "forbid"}


@dataclasses.dataclass(frozen=True, slots=True)
class Check:
    """What one field may hold, and what it means in a few words (`doc`)."""

    doc: str

    def check(self, field: str, value: Any) -> Any:
        """`value` in its canonical form; raises SpecError."""
        raise NotImplementedError

    def core_schema(self) -> CoreSchema:
        """The pydantic schema of a checked value; its bounds are what the OpenAPI document shows."""
        raise NotImplementedError

    def __get_pydantic_core_schema__(self, source: Any, handler: GetCoreSchemaHandler) -> CoreSchema:
        from pydantic_core import core_schema

        return core_schema.no_info_before_validator_function(lambda value: self.check("", value), self.core_schema())

    def __get_pydantic_json_schema__(self, schema: CoreSchema, handler: GetJsonSchemaHandler) -> dict[str, Any]:
        return handler(schema) | {"description": self.doc}


@dataclasses.dataclass(frozen=True, slots=True)
class Number(Check):
    """A number from `low` (or, with `above`, over it) to `high`; `whole` ones are counts."""

    low: float
    high: float
    whole: bool = False
    above: bool = False

    def check(self, field: str, value: Any) -> Any:
        if isinstance(value, bool) or not isinstance(value, numbers.Real):
            raise SpecError(field, f"{shown(value)} is no number; give {self.allowed()}")
        number = _plain_number(value)
        if not self.low <= number <= self.high or (self.above and number == self.low):
            raise SpecError(field, f"{shown(value)} is out of range; give {self.allowed()}")
        if not self.whole:
            return float(number)
        if number != math.floor(number):
            raise SpecError(field, f"{shown(value)} is not whole; give {self.allowed()}")
        return int(number)

    def allowed(self) -> str:
        """The range in words."""
        kind = "a whole number" if self.whole else "a number"
        low = f"above {self.low:g} up to" if self.above else f"from {self.low:g} to"
        return f"{kind} {low} {self.high:g}"

    def core_schema(self) -> CoreSchema:
        from pydantic_core import core_schema

        if self.whole:
            return core_schema.int_schema(ge=int(self.low), le=int(self.high))
        ge, gt = (None, self.low) if self.above else (self.low, None)
        return core_schema.float_schema(ge=ge, gt=gt, le=self.high, allow_inf_nan=False)


def _plain_number(value: Any) -> int | float:
    """An int as it is, another real number as a float; what is beyond a float is infinite, what is none is NaN."""
    if isinstance(value, int):
        return value
    try:
        return float(value)
    except OverflowError:
        return math.inf
    except (TypeError, ValueError):
        return math.nan


def Count(doc: str) -> Number:  # noqa: N802 - reads as a kind of field
    """How many of something: whole, 1 to 1e15."""
    return Number(doc, 1, LARGEST_COUNT, whole=True)


def CountOrZero(doc: str) -> Number:  # noqa: N802
    """How many of something that may be missing: whole, 0 to 1e15."""
    return Number(doc, 0, LARGEST_COUNT, whole=True)


def Amount(doc: str) -> Number:  # noqa: N802
    """Bytes or a rate: above 0, up to 1e21."""
    return Number(doc, 0, LARGEST_AMOUNT, above=True)


def AmountOrZero(doc: str) -> Number:  # noqa: N802
    """Seconds, a reserve or a price: 0 to 1e21."""
    return Number(doc, 0, LARGEST_AMOUNT)


def Utilization(doc: str) -> Number:  # noqa: N802
    """A share of a datasheet peak: above 0, up to 1."""
    return Number(doc, 0, 1, above=True)


@dataclasses.dataclass(frozen=True, slots=True)
class Counts(Check):
    """A list of counts, at least one and at most `most`."""

    most: int

    def check(self, field: str, value: Any) -> Any:
        if isinstance(value, (str, bytes)) or not isinstance(value, Sequence) or not 1 <= len(value) <= self.most:
            raise SpecError(field, f"{shown(value)} is no such list; give 1 to {self.most:,} whole numbers")
        count = Count(self.doc)
        return tuple(count.check(f"{field}.{index}" if field else str(index), item) for index, item in enumerate(value))

    def core_schema(self) -> CoreSchema:
        from pydantic_core import core_schema

        item = core_schema.int_schema(ge=1, le=LARGEST_COUNT)
        return core_schema.tuple_variable_schema(item, min_length=1, max_length=self.most)


@dataclasses.dataclass(frozen=True, slots=True)
class Choice(Check):
    """One of a few names."""

    kind: str
    names: tuple[str, ...]

    def check(self, field: str, value: Any) -> Any:
        if not isinstance(value, str) or value not in self.names:
            raise UnknownName(field, self.kind, value, self.names)
        return value

    def core_schema(self) -> CoreSchema:
        from pydantic_core import core_schema

        return core_schema.literal_schema(list(self.names))


LONGEST_NAME = 200


def printable(text: str) -> str:
    """As much of `text` as a name may hold."""
    return "".join(character for character in text if character.isprintable())[:LONGEST_NAME].strip()


@dataclasses.dataclass(frozen=True, slots=True)
class Text(Check):
    """A short text, such as a name."""

    longest: int = LONGEST_NAME

    def check(self, field: str, value: Any) -> Any:
        proper = isinstance(value, str) and value.strip() and len(value) <= self.longest and value.isprintable()
        if not proper:
            raise SpecError(
                field, f"{shown(value)} is no name; give a printable text of 1 to {self.longest} characters"
            )
        return value

    def core_schema(self) -> CoreSchema:
        from pydantic_core import core_schema

        return core_schema.str_schema(min_length=1, max_length=self.longest)


@dataclasses.dataclass(frozen=True, slots=True)
class Flag(Check):
    """Yes or no."""

    def check(self, field: str, value: Any) -> Any:
        if not isinstance(value, bool):
            raise SpecError(field, f"{shown(value)} is neither; give true or false")
        return value

    def core_schema(self) -> CoreSchema:
        from pydantic_core import core_schema

        return core_schema.bool_schema(strict=True)


@dataclasses.dataclass(frozen=True, slots=True)
class Rates(Check):
    """A rate by number format, in FLOP/s; may be empty."""

    names: tuple[str, ...]

    def check(self, field: str, value: Any) -> Any:
        if not isinstance(value, Mapping):
            raise SpecError(field, f"{shown(value)} is no table; give rates by format, such as {{'bf16': 9.89e14}}")
        rates = {}
        for name, rate in value.items():
            Choice(self.doc, "number format", self.names).check(field, name)
            rates[name] = Amount(self.doc).check(f"{field}.{name}" if field else name, rate)
        return rates

    def core_schema(self) -> CoreSchema:
        from pydantic_core import core_schema

        rate = core_schema.float_schema(gt=0, le=LARGEST_AMOUNT, allow_inf_nan=False)
        return core_schema.dict_schema(core_schema.literal_schema(list(self.names)), rate)


class Declared(typing.NamedTuple):
    """One field of a spec as declared: its check, and whether None is allowed."""

    check: Check
    optional: bool


def declared(spec: type[Any]) -> dict[str, Declared]:
    """The checks of a spec's fields by name, in their order."""
    return _read_annotations(spec)  # type: ignore[arg-type]  # a class is hashable, which mypy does not see


@functools.cache
def _read_annotations(spec: type[Any]) -> dict[str, Declared]:
    hints = typing.get_type_hints(spec, include_extras=True)
    return {field.name: _declaration(hints[field.name]) for field in dataclasses.fields(spec) if field.init}


def _declaration(hint: Any) -> Declared:
    if typing.get_origin(hint) in (typing.Union, types.UnionType):
        inner = next(part for part in typing.get_args(hint) if part is not type(None))
        return Declared(_declaration(inner).check, optional=True)
    return Declared(next(mark for mark in hint.__metadata__ if isinstance(mark, Check)), optional=False)


def check_fields(spec: Any) -> None:
    """Put every field of a frozen dataclass into its canonical form; raises SpecError on the first bad one."""
    for name, (check, optional) in declared(type(spec)).items():
        value = getattr(spec, name)
        if value is None and optional:
            continue
        checked = check.check(name, value)
        if checked is not value:
            object.__setattr__(spec, name, checked)


def as_data(value: Any) -> Any:
    """A record as plain dicts, lists and numbers: what JSON is written from."""
    kind = type(value)
    if kind in _PLAIN:
        return value
    if isinstance(value, (tuple, list)):
        return [as_data(item) for item in value]
    if isinstance(value, dict):
        return {key: as_data(item) for key, item in value.items()}
    if dataclasses.is_dataclass(kind):
        return as_data(_as_fields(value))
    return value


def as_json(record: Any) -> str:
    """A record as every door writes it: compact, counts as whole numbers, all else as floats, never NaN."""
    return json.dumps(record, default=_as_fields, separators=(",", ":"), allow_nan=False)


def _as_fields(value: Any) -> dict[str, Any]:
    kind: Any = type(value)
    return {name: getattr(value, name) for name in _field_names(kind)}


_PLAIN = frozenset((float, int, str, bool, type(None)))


@functools.cache
def _field_names(kind: Any) -> tuple[str, ...]:
    return tuple(field.name for field in dataclasses.fields(kind))
