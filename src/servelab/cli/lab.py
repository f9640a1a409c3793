"""`servelab lab`: a lab without a browser. Its options are made from its controls."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, TypeVar

import click
from click.core import ParameterSource

from servelab.cli.flags import NUMBER, option_of, spec_options
from servelab.errors import SpecError, UnknownName
from servelab.labs.lab import Lab
from servelab.labs.shelf import shelf

_T = TypeVar("_T")


class _Labs(click.Group):
    """One command a lab, made when it is asked for."""

    def list_commands(self, ctx: click.Context) -> list[str]:
        return list(shelf().labs)

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command:
        labs = shelf().labs
        if cmd_name not in labs:
            raise UnknownName("", "lab", cmd_name, labs)
        return _command(labs[cmd_name].lab)

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        with formatter.section("Labs"):
            formatter.write_dl([(name, placed.lab.title) for name, placed in shelf().labs.items()])


@click.group(cls=_Labs, invoke_without_command=True)
@click.option("--missions", is_flag=True, help="List the missions of all labs.")
@click.pass_context
def lab(context: click.Context, missions: bool) -> None:
    """Run a lab, a small world with one lesson; without a name, list them.

    `servelab lab NAME --help` lists the controls and events of a lab.
    """
    if context.invoked_subcommand is None:
        from servelab.cli.lab_report import listing
        from servelab.cli.mission_report import catalogue

        click.echo(catalogue(shelf()) if missions else listing(shelf()))


def _command(found: Lab) -> click.Command:
    """A command with an option for each control of the lab."""

    @click.pass_context
    def play_it(context: click.Context, /, **values: Any) -> None:
        given = {name for name in values if context.get_parameter_source(name) is ParameterSource.COMMANDLINE}
        _play(found, {name: value for name, value in values.items() if name in given})

    options = [
        spec_options(found.settings),
        click.option("--seed", type=NUMBER, default=0, show_default=True, metavar="N", help="Seed of every draw."),
        click.option("--json", is_flag=True, help="Print the run as JSON and nothing else."),
    ]
    if found.events:
        names = "|".join(event.id for event in found.events)
        options.insert(1, click.option("--event", multiple=True, metavar=names, help="What happens; may be repeated."))
    if found.missions:
        names = "|".join(mission.id for mission in found.missions)
        options += [
            click.option("--mission", metavar=names, help="Start from this mission's set-up; be graded."),
            click.option("--hint", count=True, help="A hint for the next star; give it again for another."),
            click.option("--reveal", is_flag=True, help="Say how the mission is solved, and why that works."),
        ]
    for option in reversed(options):
        play_it = option(play_it)
    happens = [f"{event.id}: {event.words}" for event in found.events]
    return click.command(found.id, help="\n\n".join([f"{found.title} {found.lesson}", *happens]))(play_it)


def _play(found: Lab, given: dict[str, Any]) -> None:
    """Run what was given on the command line, from the lab's own set-up or a mission's, and print it."""
    from servelab.labs.play import Wish, play, play_json

    printed, mission = given.pop("json", False), given.pop("mission", None)
    hints, reveal = given.pop("hint", 0), given.pop("reveal", False)
    if mission is None and (hints or reveal):
        raise SpecError("hint" if hints else "reveal", "no mission is named; add --mission")
    opening = found.opening(mission)
    events, seed = given.pop("event", opening.events), given.pop("seed", opening.seed)
    begun = found.mission(mission).settings if mission is not None else {}
    setup = _by_flag(lambda: found.setup({**begun, **given}, events, seed))
    if printed:
        click.echo(_by_flag(lambda: play_json(found, setup, Wish(mission=mission, reveal=reveal))))
        return
    from servelab.cli.lab_report import report

    before = opening if setup != opening else None
    wish = Wish(before=before, mission=mission, reveal=reveal)
    click.echo(report(found, _by_flag(lambda: play(found, setup, wish)), hints))


def _by_flag(work: Callable[[], _T]) -> _T:
    """What `work` gives; a refusal names the option that the value came by."""
    try:
        return work()
    except SpecError as error:
        head, _, rest = error.field.partition(".")
        error.field = option_of(rest) if head == "settings" else {"events": "event"}.get(head, head)
        raise
