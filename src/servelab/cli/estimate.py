"""`servelab estimate`: one deployment, one batch."""

from __future__ import annotations

from typing import Any

import click

from servelab.cli.flags import spec_options
from servelab.specs.deployment import Deployment
from servelab.specs.workload import Workload

_WORKLOAD_DEFAULTS = {"prompt_tokens": 1024, "output_tokens": 256}


@click.command()
@click.argument("model")
@click.argument("accelerator")
@spec_options(Workload, defaults=_WORKLOAD_DEFAULTS)
@spec_options(Deployment, without=("model", "accelerator"))
@click.option("--json", "as_json", is_flag=True, help="Print the estimate as JSON and nothing else.")
def estimate(model: str, accelerator: str, as_json: bool, **fields: Any) -> None:
    """Memory, bottleneck, latency, throughput and cost of one batch.

    MODEL is a catalogue id (`servelab models`), a Hugging Face id, or a config.json or the folder that holds one.
    ACCELERATOR is a catalogue id (`servelab accelerators`) or a TOML file with its fields.
    """
    from servelab import api
    from servelab.cli.report import report
    from servelab.specs.references import load_accelerator, load_model

    workload = Workload(**{name: fields.pop(name) for name in ("prompt_tokens", "output_tokens", "batch")})
    deployment = Deployment(load_model(model), load_accelerator(accelerator), **fields)
    answer = api.estimate(deployment, workload)
    click.echo(answer.to_json() if as_json else report(answer))
