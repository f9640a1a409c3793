"""What was understood of a command: flag by flag, and what was not."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass


@dataclass(frozen=True)
class ReadFlag:
    """A flag as written, what became of it: the setup's field it sets (None: nothing servelab tells of), in words."""

    flag: str
    value: str | None
    field: str | None
    words: str


@dataclass(frozen=True)
class UnknownFlag:
    """A flag that is not known, and the known one nearest to it if any is near."""

    flag: str
    value: str | None
    nearest: str | None


@dataclass(frozen=True)
class Told:
    """A serving command read: `fields` are a setup's by name, as written.

    `read` are flags that were understood, `unknown` those that were not, `not_modelled` sentences of what changes
    memory and is not counted, `remarks` what else to know, `commands` how many serving commands the text holds.
    """

    engine: str
    fields: Mapping[str, str]
    read: tuple[ReadFlag, ...] = ()
    unknown: tuple[UnknownFlag, ...] = ()
    not_modelled: tuple[str, ...] = ()
    remarks: tuple[str, ...] = ()
    commands: int = 1
