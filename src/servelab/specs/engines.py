"""Inference engines: the settings they are started with, and the rules of a version."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Annotated

from servelab.errors import SpecError, shown
from servelab.specs.deployment import ENGINES
from servelab.specs.engine_rules import RULES, EngineRules
from servelab.specs.fields import STRICT, Amount, Choice, Count, Flag, Text, Utilization, check_fields

#: What a version that is not named stands for: the newest whose figures were held against logs.
ASSUMED_VERSIONS = {"vllm": "0.11", "sglang": "0.5", "tensorrt-llm": "1.0", "llama.cpp": "b5000"}

_VERSION = re.compile(r"\s*[vb]?(\d{1,6}(?:\.\d{1,6}){0,3})(?:[.\-+ ]?[a-z][\w.\-+]*|\.x)?\s*", re.IGNORECASE)


@dataclass(frozen=True)
class EngineSettings:
    """How an engine is started; what is None follows from engine, model and device.

    `gpu_memory_utilization` is the share of the device that vLLM may take, SGLang's mem_fraction_static, or
    TensorRT-LLM's free_gpu_memory_fraction; llama.cpp has no such share. `device_memory_bytes` replaces what the
    driver reports. Raises SpecError where a field is out of bounds or the version cannot be read.
    """

    __pydantic_config__ = STRICT

    engine: Annotated[str, Choice("inference engine", "engine", ENGINES)] = "vllm"
    version: Annotated[str, Text("version of the engine; default the newest checked", 40)] | None = None
    gpu_memory_utilization: Annotated[float, Utilization("share of the device's memory the engine may take")] = 0.9
    max_model_len: Annotated[int, Count("longest context the server takes; default the model's")] | None = None
    max_num_batched_tokens: Annotated[int, Count("tokens of one pass; default the engine's")] | None = None
    max_num_seqs: Annotated[int, Count("sequences of one pass; default the engine's")] | None = None
    enforce_eager: Annotated[bool, Flag("whether no CUDA graphs are captured")] = False
    device_memory_bytes: (
        Annotated[float, Amount("memory as the driver reports it, bytes; default the accelerator's")] | None
    ) = None

    def __post_init__(self) -> None:
        check_fields(self)
        rules_for(self.engine, self.version)  # says so here if it cannot be read

    @property
    def rules(self) -> EngineRules:
        """How this version counts."""
        return rules_for(self.engine, self.version)


def rules_for(engine: str, version: str | None) -> EngineRules:
    """The rules of `engine` at `version` ("0.6.4", "v0.11.0rc1", "b5000"); raises SpecError where it is none."""
    of_engine = [rules for rules in RULES if rules.engine == engine]
    wanted = _numbers(version or ASSUMED_VERSIONS[engine])
    known = [rules for rules in of_engine if rules.since <= wanted]
    if not known:
        oldest = ".".join(map(str, of_engine[0].since))
        raise SpecError("version", f"{shown(version)} of {engine} is too old; give {oldest} or later")
    return known[-1]


def _numbers(version: str) -> tuple[int, ...]:
    match = _VERSION.fullmatch(version)
    if match is None:
        raise SpecError("version", f"{shown(version)} is no version; give one such as 0.11 or 0.6.4.post1")
    return tuple(int(number) for number in match[1].split("."))
