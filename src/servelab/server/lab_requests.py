"""The body of a run of a lab. Which settings and events there are, the lab says, and checks."""

from __future__ import annotations

import dataclasses
from dataclasses import dataclass
from typing import TYPE_CHECKING, Annotated, Any

from servelab.errors import SpecError, shown
from servelab.labs.lab import SEED
from servelab.specs.fields import STRICT, Check, Flag, Text

if TYPE_CHECKING:
    from pydantic_core import CoreSchema


@dataclass(frozen=True, slots=True)
class Ids(Check):
    """A list of ids; what they may be is known later."""

    def check(self, field: str, value: Any) -> list[str]:
        if not isinstance(value, list) or not all(isinstance(one, str) for one in value):
            raise SpecError(field, f'{shown(value)} is no list of ids; give some, such as ["burst"]')
        return list(value)

    def core_schema(self) -> CoreSchema:
        from pydantic_core import core_schema

        return core_schema.list_schema(core_schema.str_schema())


@dataclass(frozen=True, slots=True)
class SettingsById(Check):
    """Settings of a lab, which alone knows what they may be."""

    def check(self, field: str, value: Any) -> dict[str, Any]:
        if not isinstance(value, dict):
            raise SpecError(field, f"{shown(value)} is no object; give settings by their ids")
        return value

    def core_schema(self) -> CoreSchema:
        from pydantic_core import core_schema

        return core_schema.dict_schema(core_schema.str_schema())


@dataclass(frozen=True)
class SetupRequest:
    """A set-up of a lab; what is not given is as the lab opens."""

    __pydantic_config__ = STRICT

    settings: Annotated[dict[str, Any], SettingsById("settings by id; the lab's controls declare them")] = (
        dataclasses.field(default_factory=dict)
    )
    events: Annotated[list[str], Ids("events that happen, by id")] = dataclasses.field(default_factory=list)
    seed: Annotated[int, SEED] = 0


@dataclass(frozen=True)
class RunLabRequest(SetupRequest):
    """A run of a lab, compared with the set-up `before` where one is given."""

    before: SetupRequest | None = None
    charts: Annotated[list[str], Ids("charts to answer with, by id; all without it")] | None = None
    mission: Annotated[str, Text("mission to grade, by id")] | None = None
    reveal: Annotated[bool, Flag("whether to say what the mission teaches before it is passed")] = False
