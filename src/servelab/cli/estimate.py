"""`servelab estimate`: one deployment, one batch; with --against, why it differs from another."""

from __future__ import annotations

import shlex
from typing import Any

import click

from servelab import api
from servelab.cli.flags import spec_options
from servelab.cost.estimate import Estimate
from servelab.errors import SpecError, shown
from servelab.specs.deployment import Deployment
from servelab.specs.references import load_accelerator, load_model
from servelab.specs.workload import Workload

_WORKLOAD = ("prompt_tokens", "output_tokens", "batch")
_WORKLOAD_DEFAULTS = {"prompt_tokens": 1024, "output_tokens": 256}


def question_options(command: Any) -> Any:
    """The options of one question: a workload's and a deployment's."""
    options = spec_options(Deployment, without=("model", "accelerator"))
    return spec_options(Workload, defaults=_WORKLOAD_DEFAULTS)(options(command))


@click.command()
@click.argument("model")
@click.argument("accelerator")
@question_options
@click.option("--against", metavar="OPTIONS", help="Say why the answer differs from that with these options instead.")
@click.option("--json", "as_json", is_flag=True, help="Print the answer as JSON and nothing else.")
def estimate(against: str | None, as_json: bool, **question: Any) -> None:
    """Memory, bottleneck, latency, throughput and cost of one batch.

    MODEL is a catalogue id (`servelab models`), a Hugging Face id, or a config.json or the folder that holds one.
    ACCELERATOR is a catalogue id (`servelab accelerators`) or a TOML file with its fields.

    --against takes options in one text, with --model and --accelerator among them, and compares: what changed, by
    how many seconds in which part, and why. Such as: --weights int4 --against "--weights bf16".
    """
    from servelab.cli.report import comparison, report

    answer = _ask(question)
    if against is None:
        click.echo(answer.to_json() if as_json else report(answer))
        return
    before = _ask(question | _given(against))
    explanation = api.explain(before, answer)
    click.echo(explanation.to_json() if as_json else comparison(before, answer, explanation))


def _ask(question: dict[str, Any]) -> Estimate:
    fields = dict(question)
    workload = Workload(**{name: fields.pop(name) for name in _WORKLOAD})
    model, accelerator = load_model(fields.pop("model")), load_accelerator(fields.pop("accelerator"))
    return api.estimate(Deployment(model, accelerator, **fields), workload)


@click.command(add_help_option=False)
@click.option("--model", help="Another model.")
@click.option("--accelerator", help="Another accelerator.")
@question_options
def _other(**_: Any) -> None:
    """The options that --against takes."""


def _given(against: str) -> dict[str, Any]:
    """The options written out in `against`, by field."""
    try:
        words = shlex.split(against)
    except ValueError as error:
        raise SpecError("against", f"{shown(against)} cannot be read ({error}); give options as text") from None
    try:
        made = _other.make_context("--against", words)
    except click.ClickException as error:
        raise SpecError(
            "against", f"{error.format_message().rstrip('.')}; give options of `servelab estimate`"
        ) from None
    with made as context:
        written = click.core.ParameterSource.COMMANDLINE
        return {name: value for name, value in context.params.items() if context.get_parameter_source(name) == written}
