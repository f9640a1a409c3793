"""vLLM's second engine (V1, from 0.7 on): how its start-up lines read from version to version."""

from __future__ import annotations

from types import MappingProxyType

from servelab.fidelity.logs.phrases import COUNT, NAME, NUMBER, Format, Phrase, size
from servelab.fidelity.logs.vllm import SETTINGS

_V1 = MappingProxyType({"engine": "vllm", "generation": "V1"})
_DEVICE = rf"(?: \w{{1,10}}:\d{{1,3}})? \((?P<free_bytes>{NUMBER})/(?P<device_bytes>{NUMBER}) GiB\) on startup"
_DESIRED = rf"\((?P<gpu_memory_utilization>{NUMBER}), (?P<budget_bytes>{NUMBER}) GiB\)"

VLLM_V1 = Format(
    "vllm",
    (
        Phrase("Initializing a V1 LLM engine (v", rf"(?P<version>{NAME})\)", says=_V1, starts=True),
        Phrase("Initializing a V1 LLM engine ", r"[^\n]{0,60}config: ", says=_V1, pairs=True),
        # V0's last versions say it in the same words, so it does not tell the generation
        Phrase("Model loading took ", size("weights"), says=MappingProxyType({"engine": "vllm"})),
        Phrase("Available KV cache memory: ", size("kv_cache"), says=_V1),
        Phrase("GPU KV cache size: ", rf"(?P<kv_tokens>{COUNT}) tokens", says=_V1),
        Phrase("Initial free memory: ", rf"(?P<free_bytes>{NUMBER}) ?GiB", says=_V1),
        Phrase(
            "Requested memory: ",
            rf"(?P<gpu_memory_utilization>{NUMBER}) \(util\), (?P<budget_bytes>{NUMBER}) ?GiB",
            says=_V1,
        ),
        Phrase("torch peak memory increase: ", size("activation"), says=_V1),
        Phrase("non-torch forward increase memory: ", size("other"), says=_V1),
        Phrase("Estimated CUDA graph memory: ", size("graph_estimated"), says=_V1),
        Phrase("CUDA graph pool memory: ", size("graph"), says=_V1),
        Phrase("Free memory on device", rf"{_DEVICE}\. Desired GPU memory utilization is {_DESIRED}", says=_V1),
        Phrase(
            "Actual usage is ",
            rf"(?P<weights_bytes>{NUMBER}) GiB for \w{{0,10}} ?weights?, (?P<activation_bytes>{NUMBER}) GiB for peak"
            rf" activation, (?P<other_bytes>{NUMBER}) GiB for non-torch memory, and (?P<graph_bytes>{NUMBER}) GiB",
            says=_V1,
        ),
        Phrase(
            "Free memory on device",
            rf"{_DEVICE} is less than desired GPU memory utilization {_DESIRED}",
            says=MappingProxyType(
                {"engine": "vllm", "generation": "V1", "outcome": "oom", "failure": "the card is taken"}
            ),
        ),
        Phrase(
            "To serve at least one request with the model",
            rf"\S{{0,4}} max seq len \((?P<refused_tokens>{COUNT})\), \(?{size('needed')} KV cache is needed, which is"
            rf" larger than the available KV cache memory \({size('kv_cache')}\)",
            says=MappingProxyType({"engine": "vllm", "generation": "V1", "outcome": "too-long"}),
        ),
        Phrase("estimated maximum model length is ", rf"(?P<kv_tokens>{COUNT})", says=_V1),
    ),
    SETTINGS,
)
