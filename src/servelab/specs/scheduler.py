"""The scheduler of an engine: which requests run together, and what they may hold."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Annotated

from servelab.errors import SpecError
from servelab.specs.accelerator import Accelerator
from servelab.specs.fields import STRICT, Choice, Count, Number, check_fields
from servelab.units import parse

_POLICIES = ("static", "continuous", "chunked")
_ADMISSIONS = ("reserve", "paged")

#: vLLM V1 gives its server larger defaults on cards of at least this much memory, but for the A100.
_VLLM_LARGE_BYTES = parse("70 GiB", "B")


@dataclass(frozen=True)
class Scheduler:
    """Policy, admission and limits of one replica. None is no bound; `kv_blocks=None` is what the memory leaves.

    Raises SpecError where a limit is below 1 or a name is not known.
    """

    __pydantic_config__ = STRICT

    policy: Annotated[str, Choice("how requests are batched", "policy", _POLICIES)] = "chunked"
    admission: Annotated[str, Choice("when a request's KV blocks are taken", "admission", _ADMISSIONS)] = "paged"
    max_num_seqs: Annotated[int, Count("requests that run at once, at most; none is no bound")] | None = 256
    max_num_batched_tokens: Annotated[int, Count("tokens of one pass, at most; none is no bound")] | None = 8192
    max_prefill_tokens_per_step: (
        Annotated[int, Count("tokens prefilled in one pass of the chunked policy, at most; default no bound")] | None
    ) = None
    block_size: Annotated[int, Number("tokens in a block of the KV cache", 1, 2**20, whole=True)] = 16
    kv_blocks: Annotated[int, Count("blocks of the KV cache; default what the memory leaves")] | None = None
    watermark_fraction: Annotated[float, Number("share of the blocks that admission leaves free", 0, 1)] = 0.0

    def __post_init__(self) -> None:
        check_fields(self)

    @classmethod
    def vllm(cls, accelerator: Accelerator | str) -> Scheduler:
        """VLLM V1's server defaults: 1024 requests and 8192 tokens on cards of at least 70 GiB except the A100,
        else 256 and 2048 (vllm/engine/arg_utils.py, get_batch_defaults). Raises UnknownName for an unknown id.
        """
        if isinstance(accelerator, str):
            accelerator = Accelerator.load(accelerator)
        if not isinstance(accelerator, Accelerator):
            raise SpecError("accelerator", f"{accelerator!r} is no accelerator; give a catalogue id or Accelerator(…)")
        large = accelerator.memory_bytes >= _VLLM_LARGE_BYTES and "a100" not in accelerator.name.lower()
        return cls(max_num_seqs=1024 if large else 256, max_num_batched_tokens=8192 if large else 2048)
