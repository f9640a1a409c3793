"""From what a log or a command says to a deployment of the catalogue and an engine's settings."""

from __future__ import annotations

from dataclasses import dataclass, field

from servelab.errors import SpecError, one_of, shown
from servelab.fidelity.names import accelerators_of_size, known_accelerator, known_model
from servelab.fidelity.setup import Setup
from servelab.specs.accelerator import Accelerator
from servelab.specs.deployment import Deployment
from servelab.specs.engines import EngineSettings
from servelab.specs.model import Model
from servelab.specs.references import accelerator_by_id, model_by_id

#: Quantisation as engines name it, and the weight format that is counted for it.
_QUANTIZATIONS = {
    "fp8": "fp8",
    "fbgemm_fp8": "fp8",
    "modelopt": "fp8",
    "ptpc_fp8": "fp8",
    "w8a8_fp8": "fp8",
    "awq": "int4",
    "awq_marlin": "int4",
    "gptq": "int4",
    "gptq_marlin": "int4",
    "gptq_marlin_24": "int4",
    "marlin": "int4",
    "moe_wna16": "int4",
    "auto-round": "int4",
    "bitsandbytes": "int4",
    "w8a8_int8": "int8",
    "experts_int8": "int8",
    "mxfp4": "mxfp4",
    "modelopt_fp4": "nvfp4",
    "petit_nvfp4": "nvfp4",
}
_KV_CACHES = {"int8": "int8", "q8_0": "int8"}
#: SGLang's own fraction depends on the card; this is its usual one on large cards.
_SGLANG_FRACTION = 0.88
#: An engine that tells only what was free at its start has taken its own context by then.
_CONTEXT = 1.008
#: vLLM's first engine counts by rules that end here, also where a later version still ran it.
_LAST_V0, _FIRST_V1 = "0.7.3", "0.8"


@dataclass(frozen=True)
class Missing:
    """What a prediction wants and the text does not say: a field, and a sentence with the flag to give."""

    field: str
    sentence: str


@dataclass
class Resolved:
    """What was made of a setup. Without `deployment` nothing can be predicted, and `missing` says why."""

    setup: Setup
    model_id: str | None = None
    accelerator_id: str | None = None
    deployment: Deployment | None = None
    settings: EngineSettings = field(default_factory=EngineSettings)
    missing: list[Missing] = field(default_factory=list)
    remarks: list[str] = field(default_factory=list)


def resolve(setup: Setup, model: Model | None = None, accelerator: Accelerator | None = None) -> Resolved:
    """The deployment and settings behind a setup; a model or accelerator given by hand replaces what it names.

    Raises SpecError where a setting cannot be.
    """
    found = Resolved(setup)
    model, weights = (model, None) if model is not None else _model(found)
    accelerator = accelerator if accelerator is not None else _accelerator(found)
    found.settings = _settings(found)
    if model is None or accelerator is None or not _modelled(found):
        return found
    weights = _weights(found, model, weights)
    kv_cache = _KV_CACHES.get(setup.kv_cache_dtype or "", "fp8" if "fp8" in (setup.kv_cache_dtype or "") else "bf16")
    found.deployment = Deployment(
        model,
        accelerator,
        tensor_parallel=setup.tensor_parallel or 1,
        weights=weights,
        kv_cache=kv_cache,
        engine=setup.engine,
    )
    return found


def _model(found: Resolved) -> tuple[Model | None, str | None]:
    written = found.setup.model
    known = known_model(written) if written else None
    if known is None:
        said = f"the model {shown(written)} is not in the catalogue" if written else "the model is not named"
        found.missing.append(Missing("model", f"{said}: give --model with a catalogue id or a config.json"))
        return None, None
    found.model_id = known.id
    if not known.exact:
        found.remarks.append(f"{shown(written)} is taken for {known.id} of the catalogue")
    return model_by_id(known.id), known.weights


def _accelerator(found: Resolved) -> Accelerator | None:
    setup = found.setup
    known = known_accelerator(setup.gpu, setup.device_bytes) if setup.gpu else None
    size = setup.device_bytes or (setup.free_bytes or 0.0) * _CONTEXT
    if known is None and size:
        alike = accelerators_of_size(size)
        if alike:
            known = alike[0]
            found.remarks.append(
                f"no accelerator is named; by its memory it is {one_of(alike[:4])}, and {known} is taken:"
                " give --accelerator for another"
            )
    if known is None:
        said = f"the accelerator {shown(setup.gpu)} is not in the catalogue" if setup.gpu else "no accelerator is named"
        found.missing.append(Missing("accelerator", f"{said}: give --accelerator with a catalogue id"))
        return None
    found.accelerator_id = known
    return accelerator_by_id(known)


def _modelled(found: Resolved) -> bool:
    """Whether the way the model is split is one that is modelled."""
    stages = found.setup.pipeline_parallel or 1
    if stages > 1:
        sentence = f"{stages} pipeline stages are not modelled, so nothing is predicted; the rest is read"
        found.missing.append(Missing("pipeline_parallel", sentence))
    return stages == 1


def _weights(found: Resolved, model: Model, hinted: str | None) -> str | None:
    """The weight format to count; None is the checkpoint's own."""
    written = found.setup.quantization
    if found.setup.engine == "llama.cpp" and written:
        return _gguf(found, written)
    named = _QUANTIZATIONS.get(written or "", hinted)
    if written and named is None and model.checkpoint_format in ("bf16", "fp16", "fp32"):
        found.remarks.append(f"what {shown(written)} makes of the weights is not known; they are counted as published")
    if named is None and found.setup.dtype in ("float32", "float", "fp32"):
        named = "fp32"
    return None if named == model.checkpoint_format else named


def _gguf(found: Resolved, written: str) -> str | None:
    """The nearest format of a GGUF file's type: "Q4_K - Medium", "q8_0", "F16"."""
    kind = written.lower().removeprefix("gguf").strip(" -")
    if kind.startswith(("f16", "bf16")):
        return None
    if kind.startswith("f32"):
        return "fp32"
    nearest = "int8" if kind.startswith(("q8", "q6", "q5")) else "int4"
    found.remarks.append(f"weights of type {shown(written)} are counted as {nearest}, its nearest format here")
    return nearest


def _settings(found: Resolved) -> EngineSettings:
    setup = found.setup
    engine = setup.engine or "vllm"
    share = setup.gpu_memory_utilization
    if share is None:
        share = _SGLANG_FRACTION if engine == "sglang" else 0.9
    return EngineSettings(
        engine=engine,
        version=_version(found),
        gpu_memory_utilization=share,
        max_model_len=setup.max_model_len,
        max_num_batched_tokens=setup.max_num_batched_tokens,
        max_num_seqs=setup.max_num_seqs,
        enforce_eager=bool(setup.enforce_eager),
        device_memory_bytes=setup.device_bytes,
    )


def _version(found: Resolved) -> str | None:
    """The version to count by: one that can be read, of the generation that ran."""
    setup = found.setup
    version = setup.version
    if setup.engine == "llama.cpp":
        return None
    if version is not None:
        try:
            EngineSettings(engine=setup.engine or "vllm", version=version)
        except SpecError as error:
            found.remarks.append(error.message)
            version = None
    generation = "V1" if version is None or _at_least(version, _FIRST_V1) else "V0"
    if setup.engine != "vllm" or setup.generation in (None, generation):
        return version
    return _LAST_V0 if setup.generation == "V0" else _FIRST_V1


def _at_least(version: str, other: str) -> bool:
    numbers = [
        [int("0" + "".join(filter(str.isdigit, part))) for part in text.split(".")[:2]] for text in (version, other)
    ]
    return numbers[0] >= numbers[1]
