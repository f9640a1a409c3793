"""Options made from the specs: a field's name, its help and its default are declared once, there."""

from __future__ import annotations

import dataclasses
import re
from collections.abc import Callable, Iterable
from typing import Any

import click

from servelab.specs.fields import Choice, Declared, Flag, Number, declared
from servelab.specs.oneof import OneOf

#: Fields with a shorter flag than their name.
_SHORT = {
    "tensor_parallel": "--tp",
    "kv_cache": "--kv",
    "prompt_tokens": "--prompt",
    "output_tokens": "--output",
    "requests_per_s": "--rate",
    "system": "MODEL",
    "ttft_target_s": "--ttft-target",
    "tpot_target_s": "--tpot-target",
    "model": "MODEL",
    "accelerator": "ACCELERATOR",
    "file": "FILE",
    "log": "FILE",
    "text": "TEXT",
    "results": "RESULTS",
    "predictions": "PREDICTIONS",
}

_THOUSANDS = re.compile(r"[+-]?[1-9]\d{0,2}(?:,\d{3})+(?:\.\d*)?")
#: A field may come from a file, and be as long.
_FIELD_SHOWN = 100

_INTEGER = re.compile(r"[+-]?\d+")


class NumberText(click.ParamType[Any]):
    """Text read as a number, whole where it is written whole; the spec checks its range."""

    name = "number"

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> Any:
        if not isinstance(value, str):
            return value
        text = value.strip()
        if _THOUSANDS.fullmatch(text):  # a lone decimal comma is no such text, and is refused
            text = text.replace(",", "")
        try:
            return int(text) if _INTEGER.fullmatch(text) and len(text) < 400 else float(text)
        except ValueError:
            return value  # the field's own check says what is wrong with it


NUMBER = NumberText()


def flag_of(field: str) -> str:
    """The flag (or argument) that a field of a spec is given by; a flag is its own."""
    if field.startswith("--"):
        return field
    head, _, rest = field.partition(".")
    if head in ("model", "accelerator") and rest:
        return f"{_SHORT[head]} ({rest[:_FIELD_SHOWN]})"
    return _SHORT.get(head, f"--{head.replace('_', '-')}")


def option_of(field: str) -> str:
    """The flag of a field where nothing is an argument, as in a lab."""
    flag = flag_of(field)
    return flag if flag.startswith("--") else f"--{field.replace('_', '-')}"


def spec_options(
    spec: type[Any], *, without: Iterable[str] = (), defaults: dict[str, Any] | None = None
) -> Callable[[Any], Any]:
    """A decorator that adds one option for each field of `spec`."""
    fields = [field for field in dataclasses.fields(spec) if field.name not in set(without)]
    options = [
        _option(field, declared(spec)[field.name], (defaults or {}).get(field.name, field.default)) for field in fields
    ]

    def decorate(command: Any) -> Any:
        for option in reversed(options):
            command = option(command)
        return command

    return decorate


def _option(field: Any, declaration: Declared, default: Any) -> Callable[[Any], Any]:
    names = list(dict.fromkeys((option_of(field.name), f"--{field.name.replace('_', '-')}")))
    settings: dict[str, Any] = {
        "default": default,
        "help": declaration.check.doc[:1].upper() + declaration.check.doc[1:] + ".",
        "show_default": default is not None,
    }
    if isinstance(declaration.check, Flag):
        return click.option("/".join((names[-1], f"--no-{names[-1][2:]}")), field.name, **settings)
    if isinstance(declaration.check, Choice):
        settings["metavar"] = "|".join(declaration.check.names)
    elif isinstance(declaration.check, OneOf):
        settings |= {"type": NUMBER, "metavar": "|".join(map(str, declaration.check.values))}
    elif isinstance(declaration.check, Number):
        settings |= {"type": NUMBER, "metavar": "N" if declaration.check.whole else "X"}
    return click.option(*names, field.name, **settings)
