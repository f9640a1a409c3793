"""How a server is set up, as far as a log or a command says: the words as written, read into values."""

from __future__ import annotations

import dataclasses
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

from servelab.errors import shown
from servelab.units import parse_count

_TRUE = frozenset(("true", "1", "yes", "on"))
_AUTOMATIC = frozenset(("auto", "-1", "none", "null", ""))


@dataclass(frozen=True)
class Setup:
    """A server as told; None is what is not said. `model` and `gpu` are names as written, formats as the engine's.

    `gpu_memory_utilization` is also SGLang's mem_fraction_static, `max_num_batched_tokens` its chunked_prefill_size
    or llama.cpp's n_ubatch. `devices` is how many cards the process sees. `unread` holds values that cannot be.
    """

    engine: str | None = None
    version: str | None = None
    generation: str | None = None
    model: str | None = None
    dtype: str | None = None
    quantization: str | None = None
    kv_cache_dtype: str | None = None
    tensor_parallel: int | None = None
    pipeline_parallel: int | None = None
    data_parallel: int | None = None
    gpu_memory_utilization: float | None = None
    max_model_len: int | None = None
    max_num_batched_tokens: int | None = None
    max_num_seqs: int | None = None
    enforce_eager: bool | None = None
    block_size: int | None = None
    chunked_prefill: bool | None = None
    kv_blocks_override: int | None = None
    gpu: str | None = None
    devices: int | None = None
    device_bytes: float | None = None
    free_bytes: float | None = None
    unread: tuple[str, ...] = ()

    @classmethod
    def of(cls, told: Mapping[str, Any]) -> Setup:
        """From words by the names of the fields; a word that cannot be read is named in `unread`."""
        fields: dict[str, Any] = {}
        unread = []
        for name, word in told.items():
            if name not in _READERS or word is None:
                continue
            try:
                value = _READERS[name](word)
            except ValueError:
                unread.append(f"{name} {shown(word)}")
                continue
            if value is not None:
                fields[name] = value
        return cls(**fields, unread=tuple(unread))

    def said(self) -> dict[str, Any]:
        """What is said, by name."""
        values = ((field.name, getattr(self, field.name)) for field in dataclasses.fields(self))
        return {name: value for name, value in values if value is not None and name != "unread"}


def _text(word: Any) -> str | None:
    text = "".join(character for character in str(word) if character.isprintable()).strip()[:200]
    return text or None


def _format(word: Any) -> str | None:
    text = (_text(word) or "").lower().removeprefix("torch.")
    return None if text in _AUTOMATIC else text


def _count(word: Any) -> int | None:
    if isinstance(word, float):
        word = f"{word:.0f}"
    text = str(word).strip()
    if text.lower() in _AUTOMATIC:
        return None
    count = parse_count(text)
    return count if count >= 1 else None


def _share(word: Any) -> float | None:
    share = float(str(word))
    if not 0 < share <= 1:
        raise ValueError(word)
    return share


def _flag(word: Any) -> bool:
    return str(word).strip().lower() in _TRUE


def _bytes(word: Any) -> float:
    return float(word)


_READERS: dict[str, Callable[[Any], Any]] = {
    "engine": _text,
    "version": _text,
    "generation": _text,
    "model": _text,
    "dtype": _format,
    "quantization": _format,
    "kv_cache_dtype": _format,
    "tensor_parallel": _count,
    "pipeline_parallel": _count,
    "data_parallel": _count,
    "gpu_memory_utilization": _share,
    "max_model_len": _count,
    "max_num_batched_tokens": _count,
    "max_num_seqs": _count,
    "enforce_eager": _flag,
    "block_size": _count,
    "chunked_prefill": _flag,
    "kv_blocks_override": _count,
    "gpu": _text,
    "devices": _count,
    "device_bytes": _bytes,
    "free_bytes": _bytes,
}
