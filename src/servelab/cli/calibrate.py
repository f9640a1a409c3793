"""`servelab calibrate`: a profile fitted to somebody's own results."""

from __future__ import annotations

from typing import Any

import click

from servelab.cli.flags import spec_options
from servelab.errors import SpecError
from servelab.specs.deployment import Deployment
from servelab.specs.references import load_accelerator, load_model

#: What of a deployment the files may leave open.
_GIVEN = ("tensor_parallel", "weights", "kv_cache", "engine")


@click.command()
@click.argument("results", nargs=-1, required=True)
@click.option(
    "-o", "--output", metavar="PROFILE.toml", help="Write the profile there; a deployment's profile= takes it."
)
@click.option("--model", help="Catalogue id or config.json, where the files name none or another.")
@click.option("--accelerator", help="Catalogue id or TOML file, where the files name none or another.")
@spec_options(
    Deployment,
    without=set(Deployment.__dataclass_fields__) - set(_GIVEN),
    defaults=dict.fromkeys(_GIVEN),
)
@click.option("--json", "as_json", is_flag=True, help="Print the answer as JSON and nothing else.")
def calibrate(
    results: tuple[str, ...],
    output: str | None,
    model: str | None,
    accelerator: str | None,
    as_json: bool,
    **given: Any,
) -> None:
    """Fit a profile to your own results, and say which further runs would narrow it most.

    RESULTS are files of `vllm bench serve --save-result`, SGLang's bench_serving or bench_one_batch, GuideLLM, or
    llama-bench -o json, of one engine on one kind of accelerator. What they do not say of the server, the options do.
    """
    from servelab.fidelity.calibration import calibration
    from servelab.fidelity.results.runs import Given

    answer = calibration(
        results,
        Given(
            None if model is None else load_model(model),
            None if accelerator is None else load_accelerator(accelerator),
            **given,
        ),
    )
    if output is not None:
        try:
            answer.profile.save(output)
        except SpecError as error:
            raise SpecError("output", error.message) from None
    if as_json:
        click.echo(answer.to_json())
    else:
        from servelab.cli.calibration_report import report

        click.echo(report(answer, output))
