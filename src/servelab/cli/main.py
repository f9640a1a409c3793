"""`servelab`: the studio, and every command beside it."""

from __future__ import annotations

import importlib
import io
import os
import sys
from collections.abc import Sequence

import click

import servelab
from servelab.errors import ServelabError, SpecError, UnknownName

_FAILED = 1
_INTERRUPTED = 130
_BAD_INPUT = 2


#: Where each command is, and what it does; imported when it is run, so that the others start fast.
_COMMANDS = {
    "estimate": ("servelab.cli.estimate", "Memory, bottleneck, latency, throughput and cost of one batch."),
    "simulate": ("servelab.cli.simulate", "Run traffic through the scheduler of one replica, pass by pass."),
    "memory": (
        "servelab.cli.memory",
        "What a start of an inference engine leaves for its KV cache, or why it refuses.",
    ),
    "lab": ("servelab.cli.lab", "Run a lab, a small world with one lesson; without a name, list them."),
    "explain-log": ("servelab.cli.reading", "Why a server's KV cache is as large as it is, from the log of its start."),
    "read": ("servelab.cli.reading", "What a command would start, and what it leaves for the KV cache."),
    "command": ("servelab.cli.reading", "The command that starts an engine with a deployment, each flag explained."),
    "calibrate": (
        "servelab.cli.calibrate",
        "Fit a profile to your own results, and say which further runs would narrow it most.",
    ),
    "accuracy": (
        "servelab.cli.accuracy",
        "Score servelab, or any CSV of predictions, on a table of open measurements.",
    ),
    "models": ("servelab.cli.catalogue", "List the models of the catalogue, or show one."),
    "accelerators": ("servelab.cli.catalogue", "List the accelerators of the catalogue, or show one."),
}


#: Commands whose function has another name.
_FUNCTIONS = {"explain-log": "explain_log_command", "read": "read_command", "command": "write_command"}


class _Commands(click.Group):
    """The commands by name; help lists them without importing any."""

    def list_commands(self, ctx: click.Context) -> list[str]:
        return list(_COMMANDS)

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command:
        if cmd_name not in _COMMANDS:
            raise UnknownName("", "command", cmd_name, _COMMANDS)
        module = importlib.import_module(_COMMANDS[cmd_name][0])
        command: click.Command = getattr(module, _FUNCTIONS.get(cmd_name, cmd_name))
        return command

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        with formatter.section("Commands"):
            formatter.write_dl([(name, words) for name, (_, words) in _COMMANDS.items()])


@click.group(
    cls=_Commands,
    invoke_without_command=True,
    context_settings={"help_option_names": ["-h", "--help"], "max_content_width": 110},
)
@click.option(
    "--host",
    default="127.0.0.1",
    show_default=True,
    help="Address to bind; answers to this name and to loopback names only.",
)
@click.option(
    "--port",
    type=click.IntRange(0, 65535),
    default=8000,
    show_default=True,
    help="Port to bind; 0 picks a free one.",
)
@click.option("--no-browser", is_flag=True, help="Do not open the browser.")
@click.version_option(servelab.__version__, message="servelab %(version)s")
@click.pass_context
def cli(context: click.Context, host: str, port: int, no_browser: bool) -> None:
    """Find out what serving a large language model will take, before paying for it.

    Without a command: starts the studio, a page on this machine, and opens the browser.
    """
    if context.invoked_subcommand is None:
        from servelab.server.serve import serve  # the server's libraries, only for the server

        serve(host, port, browser=not no_browser, say=_say)


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the command line; returns the exit status: 0, 2 for bad input, 130 after Ctrl-C."""
    _print_anything()
    try:
        return _run(sys.argv[1:] if arguments is None else list(arguments))
    except click.ClickException as error:
        return _refuse(_sentence(error))
    except ServelabError as error:
        return _refuse(_by_flag(error) if isinstance(error, SpecError) else str(error))
    except (KeyboardInterrupt, click.Abort):
        return _INTERRUPTED
    except BrokenPipeError:  # the reader has seen enough, as in `servelab models | head`
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
    except OSError as error:  # a full disk under the output
        click.echo(f"the output cannot be written ({error.strerror}); write it elsewhere", err=True)
        return _FAILED
    return 0


def _run(arguments: list[str]) -> int:
    """As click's own main, but what goes wrong comes out as it is."""
    try:
        with cli.make_context("servelab", arguments) as context:
            cli.invoke(context)
            if sys.stdout:
                sys.stdout.flush()
    except click.exceptions.Exit as done:
        return done.exit_code
    return 0


def _print_anything() -> None:
    """A terminal or file whose encoding lacks a character gets another one in its place."""
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, io.TextIOWrapper):
            stream.reconfigure(errors="replace")


def _refuse(sentence: str) -> int:
    click.echo(sentence, err=True)
    return _BAD_INPUT


def _by_flag(error: SpecError) -> str:
    from servelab.cli.flags import flag_of

    return f"{flag_of(error.field)}: {error.message}" if error.field else error.message


def _sentence(error: click.ClickException) -> str:
    """Click's message as one sentence with a remedy."""
    text = " ".join(error.format_message().split()).rstrip(".")
    context = getattr(error, "ctx", None)
    return f"{text}; see `{context.command_path if context else 'servelab'} --help`"


def _say(line: str) -> None:
    click.echo(line)
    if sys.stdout:
        sys.stdout.flush()
