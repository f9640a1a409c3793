"""`servelab read`, `servelab explain-log`, `servelab command`: what engines say and are told, read and written."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import IO, Any

import click

from servelab import api
from servelab.cli.memory import deployment_options
from servelab.errors import SpecError, shown
from servelab.fidelity.logs.text import decode
from servelab.fidelity.read import LONGEST_BYTES, explain_log
from servelab.fidelity.read import read as read_text
from servelab.fidelity.reading import Reading
from servelab.specs.references import load_accelerator, load_model


def _overrides(command: Any) -> Any:
    command = click.option("--json", "as_json", is_flag=True, help="Print the answer as JSON and nothing else.")(
        command
    )
    command = click.option("--accelerator", help="Catalogue id or TOML file, where the text names none or another.")(
        command
    )
    return click.option("--model", help="Catalogue id or config.json, where the text names none or another.")(command)


@click.command("explain-log")
@click.argument("file")
@_overrides
def explain_log_command(file: str, model: str | None, accelerator: str | None, as_json: bool) -> None:
    """Why a server's KV cache is as large as it is, from the log of its start.

    FILE is a log of vLLM, SGLang or llama.cpp, or - for standard input. Its figures stand beside predicted ones, with
    the causes that apply and what to change. The log stays on this machine.
    """
    _print(explain_log(decode(_content(file)), **_given(model, accelerator)), as_json)


@click.command("read")
@click.argument("text")
@_overrides
def read_command(text: str, model: str | None, accelerator: str | None, as_json: bool) -> None:
    """What a command would start, and what it leaves for the KV cache.

    TEXT is a command in quotes ("vllm serve …", "docker run …"), the file of a script, compose file, manifest, values
    or log, or - for standard input. Nothing is run, and no file that a command names is opened.
    """
    _print(read_text(_text(text), **_given(model, accelerator)), as_json)


@click.command("command")
@click.argument("model")
@click.argument("accelerator")
@deployment_options
@click.option("--json", "as_json", is_flag=True, help="Print the answer as JSON and nothing else.")
def write_command(model: str, accelerator: str, as_json: bool, **fields: Any) -> None:
    """The command that starts an engine with a deployment, each flag explained.

    MODEL and ACCELERATOR are as for `servelab memory`, and so are the options.
    """
    from servelab.cli.memory import asked
    from servelab.cli.reading_report import written
    from servelab.fidelity.commands.write import command_line

    deployment, settings = asked(model, accelerator, fields)
    line = command_line(deployment, settings)
    click.echo(line.to_json() if as_json else written(line, api.memory_of(deployment, settings)))


def _given(model: str | None, accelerator: str | None) -> dict[str, Any]:
    return {
        "model": None if model is None else load_model(model),
        "accelerator": None if accelerator is None else load_accelerator(accelerator),
    }


def _print(reading: Reading, as_json: bool) -> None:
    from servelab.cli.reading_report import report

    click.echo(reading.to_json() if as_json else report(reading))


def _text(text: str) -> str:
    """The text itself, what standard input holds, or the content of the file it names."""
    if text == "-":
        return decode(_content(text))
    one_word = len(text) < 4096 and not any(character.isspace() for character in text)
    return decode(_content(text)) if one_word and _is_file(text) else text


def _is_file(name: str) -> bool:
    try:
        return Path(name).is_file()
    except (OSError, ValueError):
        return False


def _content(name: str) -> bytes:
    """The bytes of a file or of standard input, as many as a log may have."""
    if name == "-":
        return _limited(sys.stdin.buffer, "standard input")
    try:
        with Path(name).expanduser().open("rb") as file:
            return _limited(file, name)
    except SpecError:
        raise
    except (OSError, ValueError) as error:
        why = getattr(error, "strerror", None) or "it is no file name"
        raise SpecError(
            "file", f"{shown(name)} cannot be read ({why}); give a log file, or - for standard input"
        ) from None


def _limited(file: IO[bytes], name: str) -> bytes:
    content = file.read(LONGEST_BYTES + 1)
    if len(content) > LONGEST_BYTES:
        raise SpecError(
            "file", f"{shown(name)} has more than {LONGEST_BYTES:,} bytes; give its first part, such as head -c 10M"
        )
    return content
