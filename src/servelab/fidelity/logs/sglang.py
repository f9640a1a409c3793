"""SGLang's start-up lines. Its GB are powers of two, and each step tells the memory that is still free."""

from __future__ import annotations

from types import MappingProxyType

from servelab.fidelity.logs.phrases import COUNT, NUMBER, Format, Phrase

_SGLANG = MappingProxyType({"engine": "sglang"})

SGLANG = Format(
    "sglang",
    (
        Phrase("server_args=ServerArgs(", says=_SGLANG, starts=True),
        Phrase("server_args=ServerArgs(", says=_SGLANG, pairs=True),
        Phrase("Load weight begin. avail mem=", rf"(?P<free_bytes>{NUMBER}) ?GB", says=_SGLANG),
        Phrase("Load weight end. ", rf".{{0,240}}?avail mem={NUMBER} ?GB, mem usage=(?P<weights_bytes>{NUMBER}) ?GB"),
        Phrase("Load weight end. ", rf".{{0,240}}?avail mem=(?P<loaded_bytes>{NUMBER}) ?GB", says=_SGLANG),
        Phrase("Load weight end. ", r".{0,240}?quant=(?P<quantization>[^\s,]{1,40})", says=_SGLANG),
        Phrase("KV Cache is allocated.", rf" ?(?:#tokens: (?P<kv_tokens>{COUNT}))?", says=_SGLANG),
        Phrase(
            "KV Cache is allocated.",
            rf".{{0,60}}?K size: (?P<k_bytes>{NUMBER}) ?GB, V size: (?P<v_bytes>{NUMBER}) ?GB",
        ),
        Phrase("KV Cache is allocated.", rf".{{0,60}}?KV size: (?P<kv_cache_bytes>{NUMBER}) ?GB"),
        Phrase(
            "Mamba Cache is allocated.",
            rf".{{0,80}}?conv_state size: (?P<conv_bytes>{NUMBER}) ?GB, ssm_state size: (?P<ssm_bytes>{NUMBER}) ?GB",
            says=_SGLANG,
        ),
        Phrase("Memory pool end. avail mem=", rf"(?P<pooled_bytes>{NUMBER}) ?GB", says=_SGLANG),
        Phrase("Capture ", rf"[\w ]{{0,40}}raph end\..{{0,60}}?mem usage=(?P<graph_bytes>{NUMBER}) ?GB"),
        Phrase(
            "max_total_num_tokens=",
            rf"(?P<pool_tokens>{COUNT})(?:, chunked_prefill_size=(?P<max_num_batched_tokens>{COUNT}))?"
            rf"(?:, max_prefill_tokens={COUNT})?(?:, max_running_requests=(?P<max_num_seqs>{COUNT}))?"
            rf"(?:, context_len=(?P<max_model_len>{COUNT}))?",
            says=_SGLANG,
        ),
        Phrase(
            "Not enough memory",
            says=MappingProxyType({"engine": "sglang", "outcome": "oom", "failure": "no room for the cache"}),
        ),
    ),
    MappingProxyType(
        {
            "model_path": "model",
            "dtype": "dtype",
            "quantization": "quantization",
            "kv_cache_dtype": "kv_cache_dtype",
            "tp_size": "tensor_parallel",
            "pp_size": "pipeline_parallel",
            "dp_size": "data_parallel",
            "mem_fraction_static": "gpu_memory_utilization",
            "context_length": "max_model_len",
            "chunked_prefill_size": "max_num_batched_tokens",
            "max_running_requests": "max_num_seqs",
            "disable_cuda_graph": "enforce_eager",
            "page_size": "block_size",
        }
    ),
    adds_up=True,
)
