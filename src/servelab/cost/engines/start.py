"""An engine about to start: the deployment with every setting that was left open filled in."""

from __future__ import annotations

import re
from typing import NamedTuple

from servelab.specs.accelerator import Accelerator
from servelab.specs.deployment import Deployment
from servelab.specs.engine_rules import EngineRules
from servelab.specs.engines import EngineSettings
from servelab.specs.model import Model
from servelab.units import binary_of, parse

#: Cards of at least this much get the large defaults, but for the A100 (vLLM's arg_utils).
_LARGE_CARD_BYTES = parse("70 GiB", "B")

#: A context for models that name none.
_SOME_CONTEXT = 4096

#: vLLM turns chunked prefill on above this where it is not on always.
LONG_CONTEXT = 32_768

#: "80 GB" on a box are GiB; drivers report 0.98 to 0.99 of them (median of the cards whose logs were read: RTX 3090,
#: RTX 4090, A100 40 GB, H100, H200), and 0.92 where the card's GDDR memory holds its own error correction.
_REPORTED_SHARE = 0.985
_REPORTED_SHARE_INLINE_ECC = 0.92
_INLINE_ECC = re.compile(r"\b(?:T4|L4|L40|L40S|A2|A10|A10G|A16|A40|L20)\b")


class Start(NamedTuple):
    """What the memory account is made from. Sizes in bytes, lengths in tokens."""

    deployment: Deployment
    settings: EngineSettings
    rules: EngineRules
    device_bytes: float
    max_model_len: int
    max_num_seqs: int
    pass_tokens: int
    chunked: bool
    assumed: tuple[str, ...]

    @property
    def model(self) -> Model:
        return self.deployment.model

    @property
    def ways(self) -> int:
        """Devices that split each layer."""
        return self.deployment.tensor_parallel

    @property
    def hopper(self) -> bool:
        """Whether the device is of NVIDIA's Hopper generation, whose cuBLAS workspace is larger."""
        return is_hopper(self.deployment.accelerator)

    @property
    def in_switch(self) -> bool:
        """Whether its NVLink's switches can reduce: Hopper and Blackwell devices of data centres."""
        name = self.deployment.accelerator.name.upper()
        return self.hopper or re.search(r"\bG?B[123]00\b", name) is not None


def is_hopper(accelerator: Accelerator) -> bool:
    """Whether its name is that of a Hopper device: H100, H200, H20, H800, GH200."""
    return re.search(r"\bG?H(?:20|100|200|800)\b", accelerator.name.upper()) is not None


def reported_bytes(accelerator: Accelerator) -> float:
    """Memory as the driver reports it: as read in a log, else by rule from what the device is sold with."""
    if accelerator.memory_reported_bytes is not None:
        return accelerator.memory_reported_bytes
    inline = _INLINE_ECC.search(accelerator.name.upper())
    share = _REPORTED_SHARE_INLINE_ECC if inline else _REPORTED_SHARE
    return binary_of(accelerator.memory_bytes) * share


def start(deployment: Deployment, settings: EngineSettings) -> Start:
    """The engine's settings with its defaults for this model and device."""
    rules, accelerator = settings.rules, deployment.accelerator
    assumed: list[str] = []
    device = settings.device_memory_bytes or reported_bytes(accelerator)
    if settings.device_memory_bytes is None and accelerator.memory_reported_bytes is None:
        assumed.append("what the driver reports of the device's memory follows a rule; give device_memory_bytes")
    length = settings.max_model_len or deployment.model.context_length
    if length is None:
        length = _SOME_CONTEXT
        assumed.append(f"the model's longest context is not known: {length:,} tokens; give max_model_len")
    large = device >= _LARGE_CARD_BYTES and "A100" not in accelerator.name.upper()
    defaults = rules.large if large else rules.small
    tokens, chunked = _pass_tokens(rules, settings, length, defaults.max_num_batched_tokens)
    return Start(
        deployment=deployment,
        settings=settings,
        rules=rules,
        device_bytes=device,
        max_model_len=length,
        max_num_seqs=settings.max_num_seqs or defaults.max_num_seqs,
        pass_tokens=tokens,
        chunked=chunked,
        assumed=tuple(assumed),
    )


def _pass_tokens(rules: EngineRules, settings: EngineSettings, length: int, default: int) -> tuple[int, bool]:
    """Tokens of the largest pass, and whether prompts are cut into chunks.

    Without chunks a pass takes a whole prompt, so the longest context decides, as in vLLM V0.
    """
    given = settings.max_num_batched_tokens
    if rules.chunked == "always":
        return given or default, True
    if given is not None:
        return given, given < length
    if rules.chunked == "long" and length > LONG_CONTEXT:
        return rules.chunk_tokens, True
    return max(length, default), False
