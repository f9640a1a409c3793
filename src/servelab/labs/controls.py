"""What a player can set: a lab's settings are a frozen dataclass with checks, a control says how one is offered."""

from __future__ import annotations

import dataclasses
from collections.abc import Mapping
from dataclasses import dataclass, field
from types import MappingProxyType
from typing import Any

from servelab.errors import SpecError, UnknownName
from servelab.specs.fields import Check, Choice, Flag, Number, declared
from servelab.specs.oneof import OneOf

#: What a control, tile or axis counts in; any other text stands behind the number as it is.
UNITS = ("", "s", "B", "B/s", "FLOP", "FLOP/s", "tokens", "tokens/s", "requests", "requests/s", "fraction", "USD")

SCALES = ("linear", "log")


@dataclass(frozen=True)
class Idle:
    """When a control has no effect: unless each of these settings has one of the values; and what to say meanwhile."""

    unless: Mapping[str, tuple[Any, ...]]
    words: str


_NOTHING: Mapping[Any, str] = MappingProxyType({})


@dataclass(frozen=True)
class Control:
    """How the setting `id` is offered; its bounds and choices are those of the settings' dataclass.

    `step` is how far one press of a key goes, not a grid. `labels` and `words` are by choice: what it is called, and in
    a line what it means. `idle` says when it has no effect.
    """

    id: str
    label: str
    help: str = ""
    group: str = ""
    unit: str = ""
    step: float | None = None
    scale: str = "linear"
    labels: Mapping[Any, str] = field(default_factory=lambda: _NOTHING)
    words: Mapping[Any, str] = field(default_factory=lambda: _NOTHING)
    idle: Idle | None = None

    def __post_init__(self) -> None:
        Choice("scale", "scale", SCALES).check("scale", self.scale)


@dataclass(frozen=True)
class ChoiceCard:
    """One of the values that a control offers."""

    value: str | int | float
    label: str
    words: str


@dataclass(frozen=True)
class ControlCard:
    """A control as it is drawn: `kind` is slider, choice or switch; what does not belong to its kind is null.

    Where `idle` is given, the control has no effect unless every setting in it has one of its values.
    """

    id: str
    label: str
    help: str
    group: str
    unit: str
    kind: str
    scale: str | None
    low: float | int | None
    high: float | int | None
    step: float | int | None
    whole: bool
    default: float | int | str | bool
    choices: tuple[ChoiceCard, ...]
    idle: Idle | None


def control_cards(settings: type[Any], controls: tuple[Control, ...]) -> tuple[ControlCard, ...]:
    """One card a setting, in the order of `controls`; a setting without a control is offered plainly, at the end.

    Raises SpecError where a control is of no setting, or a setting cannot be offered.
    """
    checks = declared(settings)
    for control in controls:
        if control.id not in checks:
            raise UnknownName("controls", "setting", control.id, checks)
        _check_idle(control, checks)
    given = {control.id: control for control in controls}
    if len(given) < len(controls):
        raise SpecError("controls", "two controls are of one setting; keep one")
    rest = [Control(name, _as_label(name)) for name in checks if name not in given]
    return tuple(
        _card(control, checks[control.id].check, _default(settings, control.id)) for control in (*controls, *rest)
    )


def _check_idle(control: Control, checks: Mapping[str, Any]) -> None:
    """Raises SpecError where a control would wait for a setting that is not there, or for a value that it never has."""
    where = f"controls.{control.id}.idle"
    for name, values in (control.idle.unless if control.idle else {}).items():
        if name not in checks or name == control.id:
            raise UnknownName(where, "setting", name, [one for one in checks if one != control.id])
        for value in values:
            checks[name].check.check(f"{where}.{name}", value)


def _as_label(name: str) -> str:
    return name.replace("_", " ").capitalize()


def _default(settings: type[Any], name: str) -> Any:
    (found,) = [one for one in dataclasses.fields(settings) if one.name == name]
    if found.default is dataclasses.MISSING:
        raise SpecError(f"settings.{name}", "it has no default; give it one, so that the lab opens on a set-up")
    return found.default


def _card(control: Control, check: Check, default: Any) -> ControlCard:
    base = {"id": control.id, "label": control.label, "help": control.help or check.doc, "group": control.group}
    nothing: dict[str, Any] = dict.fromkeys(("scale", "low", "high", "step"))
    default = check.check(f"settings.{control.id}", default)
    common = {**base, **nothing, "unit": control.unit, "default": default, "idle": control.idle}
    if isinstance(check, Number):
        step = control.step or (1 if check.whole else (check.high - check.low) / 100)
        bounds = {"low": check.low, "high": check.high, "step": step}
        if check.whole:
            bounds = {name: int(value) for name, value in bounds.items()}
        return ControlCard(**common | bounds | {"scale": control.scale}, kind="slider", whole=check.whole, choices=())
    if isinstance(check, Flag):
        return ControlCard(**common, kind="switch", whole=False, choices=())
    if isinstance(check, (Choice, OneOf)):
        values: tuple[Any, ...] = check.names if isinstance(check, Choice) else check.values
        choices = tuple(
            ChoiceCard(value, control.labels.get(value, str(value)), control.words.get(value, "")) for value in values
        )
        return ControlCard(**common, kind="choice", whole=isinstance(check, OneOf), choices=choices)
    kind = type(check).__name__
    raise SpecError(f"settings.{control.id}", f"a lab cannot offer a {kind}; use a Number, Choice, OneOf or Flag")
