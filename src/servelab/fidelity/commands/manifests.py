"""Compose files, Kubernetes manifests and Helm values: the containers in them that serve a model."""

from __future__ import annotations

import re
import shlex
from collections.abc import Iterator, Mapping
from typing import Any

from servelab.fidelity.commands.containers import Container, device_count, grammar_of_image
from servelab.fidelity.commands.flags import VLLM
from servelab.fidelity.commands.serving import find_serving
from servelab.fidelity.commands.yamltext import documents, mappings

#: Keys under which words of a command stand, in the order they are put together.
_ENTRY_KEYS = ("entrypoint", "Entrypoint", "command", "Cmd")
_ARGUMENT_KEYS = ("args", "Args", "extraArgs", "extraargs", "extra_args", "vllmArgs", "arguments", "additionalArgs")
_GPU_KEYS = ("nvidia.com/gpu", "amd.com/gpu", "requestGPU", "gpuCount", "gpus")
_CARD_KEYS = (
    "nvidia.com/gpu.product",
    "cloud.google.com/gke-accelerator",
    "requestGPUType",
    "gpuType",
    "accelerators",
    "gpu_type",
)
#: Keys that hold a model beside the words of a command (charts and resources of their own making).
_MODEL_KEYS = ("modelURL", "modelUri", "modelURI", "model_url", "modelName", "modelId", "model_id", "hfModelId")
_WORD_START = re.compile(r"(?<=[a-z0-9])(?=[A-Z])")


def containers(text: str) -> list[Container]:
    """The serving containers of a manifest, outer ones first; raises SpecError where it is no YAML."""
    return [found for document in documents(text) for found in _containers(document)]


def _containers(document: Any) -> Iterator[Container]:
    everything = list(mappings(document))
    around = next((card for _, mapping in everything for card in _cards(mapping)), None)
    for path, mapping in everything:
        container = _from_words(mapping) or _from_chart(path, mapping)
        if container is not None:
            _surroundings(container, mapping, around)
            yield container


def _cards(mapping: Mapping[str, Any]) -> Iterator[str]:
    """The cards that a mapping names."""
    return (mapping[key] for key in _CARD_KEYS if isinstance(mapping.get(key), str))


def _from_words(mapping: Mapping[str, Any]) -> Container | None:
    """A mapping with an image or a command that starts an engine."""
    image = mapping.get("image") if isinstance(mapping.get("image"), str) else mapping.get("Image")
    entry = [word for key in _ENTRY_KEYS if key in mapping for word in _words(mapping[key])]
    arguments = [word for key in _ARGUMENT_KEYS if key in mapping for word in _words(mapping[key])]
    words = _unwrapped([*entry, *arguments])
    if not words:
        return None
    named = find_serving(words) is not None
    image_text = image if isinstance(image, str) else ""
    if not named and (not image_text or grammar_of_image(image_text) is None):
        return None
    return Container(image_text, words, variables=_environment(mapping))


def _from_chart(path: tuple[str, ...], mapping: Mapping[str, Any]) -> Container | None:
    """Settings as keys of their own: `vllmConfig: {tensorParallelSize: 2}`, or a file for `vllm serve --config`."""
    settings = _as_flags(mapping)
    nested = [name for key in ("vllmConfig", "engineArgs", "vllm") for name in _as_flags(mapping.get(key))]
    model = next((str(mapping[key]) for key in _MODEL_KEYS if isinstance(mapping.get(key), str)), None)
    if model and nested:
        return Container("", ["vllm", "serve", model, *nested, *_extra(mapping)], variables=_environment(mapping))
    if not path and "--model" in settings and len(settings) >= 4:
        return Container("", ["vllm", "serve", *settings])
    return None


def _extra(mapping: Mapping[str, Any]) -> list[str]:
    """Words that a chart passes on beside its own settings."""
    holders = [mapping, *(mapping[key] for key in ("vllmConfig", "engineArgs") if isinstance(mapping.get(key), dict))]
    return [word for holder in holders for key in _ARGUMENT_KEYS if key in holder for word in _words(holder[key])]


def _as_flags(mapping: Any) -> list[str]:
    """The keys of a mapping that are flags of vLLM in another spelling, as flags with their values."""
    flags = []
    for key, value in mapping.items() if isinstance(mapping, dict) else ():
        name = "--" + _WORD_START.sub("-", key).replace("_", "-").lower()
        flag = VLLM.by_name.get(name)
        if flag is None or not isinstance(value, str) or not value.strip():
            continue
        if flag.sets is None:
            flags += [name, value]
        elif value.lower() == "true":
            flags.append(name)
    return flags


def _words(value: Any) -> list[str]:
    """Words of a list, or of one text as a shell would split it; what cannot be split stays whole."""
    if isinstance(value, list):
        return [str(word) for word in value if isinstance(word, str)]
    if not isinstance(value, str):
        return []
    try:
        return shlex.split(value.replace("\\\n", " ")) if len(value) < 50_000 else []
    except ValueError:
        return value.split()


def _unwrapped(words: list[str]) -> list[str]:
    """The words of a shell's script in place of the shell: `["/bin/sh", "-c", "vllm serve …"]`."""
    for at, word in enumerate(words[:-1]):
        if word in ("-c", "-lc", "-ec", "-exc", "-cl") and words[at - 1].rsplit("/", 1)[-1] in (
            "sh",
            "bash",
            "ash",
            "zsh",
        ):
            return ["sh", "-c", words[at + 1]]
    # a list whose items are whole lines, such as "- --max-model-len 4096"
    return [
        part for word in words for part in (_words(word) if word.startswith("-") and " " in word.strip() else [word])
    ]


def _environment(mapping: Mapping[str, Any]) -> dict[str, str]:
    """Variables: a mapping, a list of NAME=value, or a list of {name, value}."""
    variables: dict[str, str] = {}
    for key in ("environment", "env", "Env"):
        found = mapping.get(key)
        if isinstance(found, dict):
            variables |= {name: value for name, value in found.items() if isinstance(value, str)}
        for item in found if isinstance(found, list) else ():
            if isinstance(item, str) and "=" in item:
                name, _, value = item.partition("=")
                variables[name] = value
            elif isinstance(item, dict) and isinstance(item.get("value"), str):
                variables[str(item.get("name"))] = item["value"]
    return variables


def _surroundings(container: Container, own: Mapping[str, Any], around: str | None) -> None:
    """How many cards, and which: said within the container, else the one that the document names first."""
    inside = [mapping for _, mapping in mappings(dict(own))]
    for mapping in inside:
        for key in _GPU_KEYS:
            if isinstance(mapping.get(key), str):
                container.devices = container.devices or device_count(mapping[key])
        if "gpu" in str(mapping.get("capabilities", "")) and isinstance(mapping.get("count"), str):
            container.devices = container.devices or device_count(mapping["count"])
        if isinstance(mapping.get("device_ids"), list):
            container.devices = container.devices or len(mapping["device_ids"])
    card = next((card for mapping in inside for card in _cards(mapping)), around)
    if card is not None:
        container.variables.setdefault("GPU", card)
