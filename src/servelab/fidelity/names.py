"""The catalogue's models and accelerators under the names that logs, commands and manifests write."""

from __future__ import annotations

import itertools
import re
from dataclasses import dataclass

from servelab.cost.engines.start import reported_bytes
from servelab.specs.catalog import loader
from servelab.specs.references import accelerator_by_id

#: A cache of Hugging Face keeps "Qwen/Qwen3-8B" in a folder of this name.
_CACHED = re.compile(r"models--([\w.-]{1,100}?)--([\w.-]{1,150})")
#: Ends of a model's name that say how it is stored or tuned, and the weight format they mean.
_STORED = {
    "fp8": "fp8",
    "awq": "int4",
    "gptq": "int4",
    "int4": "int4",
    "4bit": "int4",
    "w4a16": "int4",
    "autoround": "int4",
    "int8": "int8",
    "8bit": "int8",
    "w8a8": "int8",
    "w8a16": "int8",
    "nvfp4": "nvfp4",
    "fp4": "nvfp4",
    "mxfp4": "mxfp4",
}
_TUNED_WORDS = (
    "gguf instruct chat it base hf bf16 fp16 f16 quantized dynamic block unquantized bnb g128 128g k m s l xl marlin"
    " preview ud iq4 q2 q3 q4 q5 q6 q8 0 1"
)
_TUNED = frozenset(_TUNED_WORDS.split())
_LAST_PART = re.compile(r"[-_.: ]([A-Za-z0-9]{1,12})$")
_ENDINGS = ("", "-instruct", "-it", "-chat", "-hf", "-base")
#: Models distilled into another's architecture have its shape.
_DISTILLED = re.compile(r"deepseek-r1-distill-(qwen|llama)-([\d.]{1,4}b)")
_LLAMAS = {"8b": "llama-3.1-8b", "70b": "llama-3.3-70b-instruct"}


@dataclass(frozen=True)
class KnownModel:
    """The catalogue's entry behind a name; `weights` where the name says another format than that entry's own."""

    id: str
    weights: str | None
    exact: bool


def known_model(written: str) -> KnownModel | None:
    """The entry of the catalogue that `written` means: an id, a path, a cache's folder, a quantised variant."""
    name = _without_folders(written.strip().strip("'\"").lower())
    found = _entry(name)
    if found:
        return KnownModel(found, None, exact=True)
    tail, weights = name.rsplit("/", 1)[-1].replace(" ", "-"), None
    for _ in range(12):
        found = _entry(tail) or _shape(tail)
        if found:
            return KnownModel(found, weights, exact=False)
        last = _LAST_PART.search(tail)
        if last is None or not (last[1] in _STORED or last[1] in _TUNED):
            return None
        weights = weights or _STORED.get(last[1])
        tail = tail[: last.start()]
    return None


def _without_folders(name: str) -> str:
    """A Hugging Face id, from a path to a file or folder of it where `name` is one."""
    cached = _CACHED.search(name)
    if cached:
        return f"{cached[1]}/{cached[2]}"
    name = name.rstrip("/").removesuffix("/config.json").removesuffix(".gguf")
    return "/".join(name.split("/")[-2:])


def _entry(name: str) -> str | None:
    for candidate in (name, name.rsplit("/", 1)[-1]):
        for ending in _ENDINGS:
            if candidate and loader.knows("model", candidate + ending):
                return loader.entry("model", candidate + ending).id
    return None


def _shape(tail: str) -> str | None:
    """The entry whose shape a distilled model has."""
    match = _DISTILLED.fullmatch(tail)
    if match is None:
        return None
    shape = _LLAMAS.get(match[2]) if match[1] == "llama" else f"qwen2.5-{match[2]}"
    return shape if shape and loader.knows("model", shape) else None


_PARTS = re.compile(r"[a-z]{1,20}\d{0,6}[a-z]{0,3}|\d{1,6}[a-z]{0,3}")
_MEMORY = re.compile(r"\d{1,4}gb")
_FORMS = re.compile(r"sxm\d?|hbm\d\w?")
#: Words of a card's name that tell nothing, and those of an id that a name may leave out.
_EMPTY_WORDS = (
    "nvidia geforce tesla amd instinct radeon intel apple generation workstation server edition laptop gpu max q rx"
    " graphics"
)
_EMPTY = frozenset(_EMPTY_WORDS.split())
_IDENTIFYING = re.compile(r"(?!.{0,6}gb$)(?!sxm)[a-z]{0,6}\d{1,5}[a-z]{0,3}")


def known_accelerator(written: str, device_bytes: float | None = None) -> str | None:
    """The entry of the catalogue that a driver's, cloud's or cluster's name for a card means.

    Where forms of it differ in memory, `device_bytes` decides, else the SXM one is taken.
    """
    if loader.knows("accelerator", written):
        return loader.entry("accelerator", written).id
    name = _words(written)
    best: tuple[float, float, int, str] | None = None
    for entry_id in loader.ids("accelerator"):
        words = _words(entry_id)
        telling = {word for word in words if _IDENTIFYING.fullmatch(word)} or words - _memories(words)
        if not telling <= name:
            continue
        score = len(words & name) - 0.5 * len(words ^ name) + 0.1 * ("sxm" in words)
        gap = 0.0 if device_bytes is None else _gap(entry_id, device_bytes)
        rank = (-score, gap, len(entry_id), entry_id)
        if device_bytes is not None and gap > 0.2:
            continue
        best = rank if best is None else min(best, rank)
    return best[3] if best else None


def _words(text: str) -> frozenset[str]:
    lower = _FORMS.sub("sxm", text.lower().replace("_", "-"))
    words = [word for word in _PARTS.findall(lower.replace("-", " ")) if word not in _EMPTY]
    joined = (one + two for one, two in itertools.pairwise(words) if one.isalpha() and two.isdigit())
    return frozenset((*words, *joined))  # "Gaudi 2" is also gaudi2


def _memories(words: frozenset[str]) -> frozenset[str]:
    return frozenset(word for word in words if _MEMORY.fullmatch(word))


def accelerators_of_size(device_bytes: float) -> list[str]:
    """The entries whose driver reports this much memory, the nearest first."""
    near = [(_gap(entry_id, device_bytes), entry_id) for entry_id in loader.ids("accelerator")]
    fitting = sorted((round(gap, 3), "sxm" not in entry_id, entry_id) for gap, entry_id in near if gap <= _SAME_SIZE)
    return [entry_id for _, _, entry_id in fitting]


#: Cards of one kind report this much more or less than one another, drivers and error correction apart.
_SAME_SIZE = 0.012


def _gap(entry_id: str, device_bytes: float) -> float:
    """How far the memory that a driver reports of the card is from `device_bytes`, as a share."""
    return abs(device_bytes / reported_bytes(accelerator_by_id(entry_id)) - 1)
