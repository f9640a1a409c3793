"""A trace as text: the content of somebody's file, as it comes over a door that opens no files."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Annotated, Any

from servelab.errors import SpecError, shown
from servelab.specs.arrivals import MOST_REQUESTS
from servelab.specs.fields import STRICT, Amount, Check, Number, Text, check_fields

if TYPE_CHECKING:
    from pydantic_core import CoreSchema


@dataclass(frozen=True, slots=True)
class Content(Check):
    """The content of a text file."""

    def check(self, field: str, value: Any) -> str:
        if not isinstance(value, str) or not value.strip():
            raise SpecError(field, f"{shown(value)} is no content; give the text of the file")
        return value

    def core_schema(self) -> CoreSchema:
        from pydantic_core import core_schema

        return core_schema.str_schema(min_length=1)


@dataclass(frozen=True)
class TraceText:
    """The content of a trace file. A rate replaces its arrivals by Poisson ones; a file of lengths only needs one.

    Raises SpecError on a bad field; the text itself is read by `Traffic.read`.
    """

    __pydantic_config__ = STRICT

    text: Annotated[str, Content("content of the file: CSV or JSON lines, told by its columns")]
    name: Annotated[str, Text("what messages call the file")] = "trace"
    requests_per_s: Annotated[float, Amount("rate of Poisson arrivals instead of the file's, requests/s")] | None = None
    seed: Annotated[int, Number("seed of those arrivals", 0, 2**63 - 1, whole=True)] = 0
    most: (
        Annotated[int, Number("requests to read, the first ones; default all", 1, MOST_REQUESTS, whole=True)] | None
    ) = None

    def __post_init__(self) -> None:
        check_fields(self)
