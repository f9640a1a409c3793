"""vLLM's first engine (V0, up to 0.8): how its start-up lines read from version to version."""

from __future__ import annotations

from types import MappingProxyType

from servelab.fidelity.logs.phrases import COUNT, NAME, NUMBER, Format, Phrase, size
from servelab.fidelity.logs.vllm import SETTINGS

_V0 = MappingProxyType({"engine": "vllm", "generation": "V0"})
_BLOCKS = rf"(?P<kv_blocks>{COUNT})"

#: Before 0.6.5 one line told it all, with the peak of PyTorch's memory (weights and activations together).
_ONE_LINE = (
    rf"total_gpu_memory=(?P<device_bytes>{NUMBER}) ?GiB initial_memory_usage=(?P<initial_bytes>{NUMBER}) ?GiB"
    rf" peak_torch_memory=(?P<torch_peak_bytes>{NUMBER}) ?GiB \w{{1,40}}={NUMBER} ?GiB"
    rf" non_torch_memory=(?P<other_bytes>{NUMBER}) ?GiB kv_cache_size=(?P<kv_cache_bytes>{NUMBER}) ?GiB"
    rf" gpu_memory_utilization=(?P<gpu_memory_utilization>{NUMBER})"
)

VLLM_V0 = Format(
    "vllm",
    (
        Phrase("Initializing an LLM engine (v", rf"(?P<version>{NAME})\)", says=_V0, starts=True),
        Phrase("Initializing an LLM engine ", r"[^\n]{0,40}config: ", says=_V0, pairs=True),
        Phrase("Loading model weights took ", size("weights"), says=_V0),
        Phrase("Memory profiling results: ", _ONE_LINE, says=_V0),
        # from 0.6.5 on, a sentence a part; 0.6.5 itself wrote them below one another
        Phrase(
            "can use total_gpu_memory (",
            rf"(?P<device_bytes>{NUMBER}) ?GiB\) x gpu_memory_utilization \((?P<gpu_memory_utilization>{NUMBER})\)"
            rf" = (?P<budget_bytes>{NUMBER}) ?GiB",
        ),
        Phrase("total_gpu_memory", rf"[ \t]{{1,20}}(?P<device_bytes>{NUMBER}) ?GiB", says=_V0),
        Phrase("gpu_memory_utilization", rf"[ \t]{{1,20}}(?P<gpu_memory_utilization>{NUMBER})", says=_V0),
        Phrase("model weights take", rf"[ \t]{{1,20}}{size('weights')}"),
        Phrase("non_torch_memory", rf"(?: takes)?[ \t]{{1,20}}{size('other')}"),
        Phrase("PyTorch activation peak memory", rf"(?: takes)?[ \t]{{1,20}}{size('activation')}"),
        Phrase("the rest of the memory reserved for KV Cache is ", size("kv_cache")),
        Phrase("available_kv_cache_memory", rf"[ \t]{{1,20}}{size('kv_cache')}", says=_V0),
        Phrase("# GPU blocks: ", _BLOCKS, says=_V0),
        Phrase("# CUDA blocks: ", _BLOCKS, says=_V0),
        Phrase("# cuda blocks: ", _BLOCKS, says=_V0),
        Phrase("# rocm blocks: ", _BLOCKS, says=_V0),
        Phrase(
            "max seq len (",
            rf"(?P<refused_tokens>{COUNT})\) is larger than the maximum number of tokens that can be stored in KV cache"
            rf" \((?P<kv_tokens>{COUNT})\)",
            says=MappingProxyType({"engine": "vllm", "generation": "V0", "outcome": "too-long"}),
        ),
    ),
    SETTINGS,
)
