"""`servelab memory`: what a start of an inference engine leaves for its KV cache."""

from __future__ import annotations

from typing import Any

import click

from servelab import api
from servelab.cli.flags import spec_options
from servelab.specs.deployment import Deployment
from servelab.specs.engines import EngineSettings
from servelab.specs.references import load_accelerator, load_model

#: What of a deployment its memory depends on.
_DEPLOYMENT = (
    "tensor_parallel",
    "weights",
    "kv_cache",
    "format_metadata_fraction",
    "link_bytes_per_s",
    "replicate_kv_heads",
)


def deployment_options(command: Any) -> Any:
    """The options that settle a device's memory: the engine's settings, and a deployment's fields."""
    options = spec_options(Deployment, without=set(Deployment.__dataclass_fields__) - set(_DEPLOYMENT))
    return spec_options(EngineSettings)(options(command))


def asked(model: str, accelerator: str, fields: dict[str, Any]) -> tuple[Deployment, EngineSettings]:
    """The deployment and the settings that the arguments and options mean."""
    chosen = {name: fields.pop(name) for name in _DEPLOYMENT}
    settings = EngineSettings(**fields)
    return Deployment(load_model(model), load_accelerator(accelerator), engine=settings.engine, **chosen), settings


@click.command()
@click.argument("model")
@click.argument("accelerator")
@deployment_options
@click.option("--json", "as_json", is_flag=True, help="Print the answer as JSON and nothing else.")
def memory(model: str, accelerator: str, as_json: bool, **fields: Any) -> None:
    """What a start of an inference engine leaves for its KV cache, or why it refuses.

    MODEL is a catalogue id (`servelab models`), a Hugging Face id, or a config.json or the folder that holds one.
    ACCELERATOR is a catalogue id (`servelab accelerators`) or a TOML file with its fields.

    The share of --gpu-memory-utilization is what each engine takes for it: vLLM's own, SGLang's mem_fraction_static,
    TensorRT-LLM's free_gpu_memory_fraction; llama.cpp has none.
    """
    from servelab.cli.memory_report import report

    deployment, settings = asked(model, accelerator, fields)
    answer = api.memory_of(deployment, settings)
    click.echo(answer.to_json() if as_json else report(answer, deployment))
