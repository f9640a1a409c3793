"""What vLLM prints in every version: settings, refusals, and the memory it ran out of."""

from __future__ import annotations

from types import MappingProxyType

from servelab.fidelity.logs.phrases import COUNT, NAME, NUMBER, Format, Phrase, size

#: Names of vLLM's settings in its configuration lines, and the facts they are.
SETTINGS = MappingProxyType(
    {
        "model": "model",
        "model_tag": "model",
        "dtype": "dtype",
        "quantization": "quantization",
        "kv_cache_dtype": "kv_cache_dtype",
        "tensor_parallel_size": "tensor_parallel",
        "pipeline_parallel_size": "pipeline_parallel",
        "data_parallel_size": "data_parallel",
        "gpu_memory_utilization": "gpu_memory_utilization",
        "max_seq_len": "max_model_len",
        "max_model_len": "max_model_len",
        "max_num_batched_tokens": "max_num_batched_tokens",
        "max_num_seqs": "max_num_seqs",
        "enforce_eager": "enforce_eager",
        "block_size": "block_size",
        "enable_chunked_prefill": "chunked_prefill",
        "chunked_prefill_enabled": "chunked_prefill",
        "num_gpu_blocks_override": "kv_blocks_override",
    }
)

_VLLM = MappingProxyType({"engine": "vllm"})

_CONFIGURATION = (
    Phrase("vLLM API server version ", rf"v?(?P<version>{NAME})", says=_VLLM, starts=True),
    Phrase("args: Namespace(", pairs=True, says=_VLLM),
    Phrase("non-default args: {", pairs=True, says=_VLLM),
    Phrase("Starting to load model ", rf"(?P<model>{NAME}?)(?:\.\.\.|\s|$)", says=_VLLM),
    Phrase("Using max model len ", rf"(?P<max_model_len>{COUNT})", says=_VLLM),
    Phrase("max_num_batched_tokens=", rf"(?P<max_num_batched_tokens>{COUNT})"),
    Phrase(
        "Overriding num_gpu_blocks=",
        rf"{COUNT} with num_gpu_blocks_override=(?P<kv_blocks_override>{COUNT})",
        says=_VLLM,
    ),
    Phrase("/vllm/", says=_VLLM),
)

_RESULTS = (
    Phrase(
        "Maximum concurrency for ",
        rf"(?P<concurrency_tokens>{COUNT}) tokens per request: (?P<max_concurrency>{NUMBER})x",
        says=_VLLM,
    ),
    Phrase("Graph capturing finished in ", rf"{NUMBER} secs?, took {size('graph')}", says=_VLLM),
)

_REFUSALS = (
    Phrase(
        "No available memory for the cache blocks",
        says=MappingProxyType({"engine": "vllm", "outcome": "oom", "failure": "no room for the cache"}),
    ),
    Phrase(
        "out of memory. Tried to allocate ",
        rf"{size('wanted')}.{{0,40}}? has a total capac\w{{1,4}} of {size('device')} of which {size('left')} is free",
        says=MappingProxyType({"outcome": "oom", "failure": "out of memory"}),
    ),
)

VLLM = Format("vllm", (*_CONFIGURATION, *_RESULTS, *_REFUSALS), SETTINGS)
