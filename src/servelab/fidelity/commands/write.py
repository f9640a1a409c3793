"""A deployment and an engine's settings written as the command that starts it, each flag explained."""

from __future__ import annotations

import shlex
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from servelab.errors import SpecError
from servelab.fidelity.commands.flags import GRAMMARS, Grammar
from servelab.specs.catalog import loader
from servelab.specs.deployment import Deployment
from servelab.specs.engines import EngineSettings
from servelab.specs.fields import as_json
from servelab.specs.model import Model

#: How each engine is started, and how it takes its model.
_STARTS = {
    "vllm": ("vllm serve {model}", None),
    "sglang": ("python -m sglang.launch_server", "--model-path"),
    "llama.cpp": ("llama-server", "-m"),
}
_SWITCHED = frozenset(("enforce_eager",))
#: Formats that an engine makes of a checkpoint in bf16 while it loads it; all others have to be stored so.
_MADE_ON_LOAD = {"vllm": {"fp8": "fp8"}, "sglang": {"fp8": "fp8"}, "llama.cpp": {}}
_KV_CACHES = {"vllm": {"fp8": "fp8"}, "sglang": {"fp8": "fp8_e4m3"}, "llama.cpp": {"int8": "q8_0"}}


@dataclass(frozen=True)
class WrittenFlag:
    """A flag of the command, its value (None for a switch), and what it does."""

    flag: str
    value: str | None
    words: str


@dataclass(frozen=True)
class CommandLine:
    """A command for a shell, one flag a line; `remarks` say what it cannot tell the engine."""

    engine: str
    command: str
    flags: tuple[WrittenFlag, ...]
    remarks: tuple[str, ...]

    def to_json(self) -> str:
        """The answer as every door prints it."""
        return as_json(self)


def command_line(deployment: Deployment, settings: EngineSettings) -> CommandLine:
    """The command that starts `settings.engine` with `deployment`; what is left at the engine's default is left out.

    Raises SpecError for an engine whose servers are not started by flags alone.
    """
    grammar = next((known for known in GRAMMARS if known.engine == settings.engine), None)
    if grammar is None:
        raise SpecError("engine", f"{settings.engine} is not started by flags alone; use vllm, sglang or llama.cpp")
    start, model_flag = _STARTS[settings.engine]
    name, remarks = _model_name(deployment.model, settings.engine), list(_remarks(deployment, settings))
    flags = [WrittenFlag(model_flag, name, "the model to serve")] if model_flag else []
    flags += _flags(grammar, deployment, settings)
    written = [shlex.join([flag.flag, *([flag.value] if flag.value is not None else [])]) for flag in flags]
    command = " \\\n  ".join((start.format(model=shlex.quote(name)), *written))
    return CommandLine(settings.engine, command, tuple(flags), tuple(remarks))


def _model_name(model: Model, engine: str) -> str:
    """What the engine loads it by: its Hugging Face id where the catalogue has it."""
    name = model.name
    if loader.knows("model", name):
        name = loader.entry("model", name).about.get("hugging_face", name)
    return f"{name.rsplit('/', 1)[-1]}.gguf" if engine == "llama.cpp" else name


def _flags(grammar: Grammar, deployment: Deployment, settings: EngineSettings) -> Iterator[WrittenFlag]:
    for field, value in _values(deployment, settings).items():
        flag = next((flag for flag in grammar.flags if flag.field == field), None)
        if flag is None or value is None or value is False:
            continue
        yield WrittenFlag(flag.names[0], None if field in _SWITCHED else f"{value}", flag.words)


def _values(deployment: Deployment, settings: EngineSettings) -> dict[str, Any]:
    """The settings that differ from what the engine does by itself, by the fields of a setup."""
    engine, degree = settings.engine, deployment.tensor_parallel
    return {
        "tensor_parallel": degree if degree > 1 else None,
        "quantization": _MADE_ON_LOAD[engine].get(deployment.weights or ""),
        "kv_cache_dtype": _KV_CACHES[engine].get(deployment.kv_cache),
        "gpu_memory_utilization": f"{settings.gpu_memory_utilization:g}",
        "max_model_len": settings.max_model_len,
        "max_num_batched_tokens": settings.max_num_batched_tokens,
        "max_num_seqs": settings.max_num_seqs,
        "enforce_eager": settings.enforce_eager,
    }


def _remarks(deployment: Deployment, settings: EngineSettings) -> Iterator[str]:
    weights, engine = deployment.weights, settings.engine
    if weights not in (None, "bf16", "fp16", deployment.model.checkpoint_format, *_MADE_ON_LOAD[engine]):
        yield f"weights in {weights} have to be stored so: name a checkpoint that is, in place of this model"
    if engine == "llama.cpp":
        yield "the file is one converted to GGUF; its own type decides what the weights take"
        if deployment.tensor_parallel > 1:
            yield f"llama.cpp splits over all devices it sees; show it {deployment.tensor_parallel}"
    if deployment.kv_cache not in ("bf16", *_KV_CACHES[engine]):
        yield f"{engine} keeps no KV cache in {deployment.kv_cache}; the command leaves it at its default"
