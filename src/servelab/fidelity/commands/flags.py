"""The flags of inference engines: those that settle memory and limits, and those that change nothing here.

A flag that is in neither list is named in the answer, never passed over. Names as of vLLM 0.11, SGLang 0.5 and
llama.cpp of 2025, older names beside them.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from types import MappingProxyType


@dataclass(frozen=True, slots=True)
class Flag:
    """A flag that a setup is read from: its names (the one to write first), its field, what it does.

    `sets` is the value of a switch; without it the flag takes a value.
    """

    names: tuple[str, ...]
    field: str
    words: str
    sets: str | None = None


@dataclass(frozen=True)
class Grammar:
    """An engine's command line. `programs` are the words that start it, `image` is part of its images' names.

    `valued` and `switches` are flags that exist and change nothing that servelab tells.
    """

    engine: str
    programs: tuple[tuple[str, ...], ...]
    image: str
    flags: tuple[Flag, ...]
    valued: frozenset[str]
    switches: frozenset[str]

    @cached_property
    def by_name(self) -> dict[str, Flag]:
        """The flags a setup is read from, under each of their names."""
        return {name: flag for flag in self.flags for name in flag.names}

    def names(self) -> list[str]:
        """Every name that is known."""
        return [*self.by_name, *self.valued, *self.switches]


def _names(text: str) -> frozenset[str]:
    return frozenset(name if name.startswith("-") else f"--{name}" for name in text.split())


VLLM = Grammar(
    "vllm",
    (("vllm", "serve"), ("vllm.entrypoints.openai.api_server",), ("vllm.entrypoints.api_server",), ("api_server.py",)),
    "vllm",
    (
        Flag(("--model", "--model-tag"), "model", "the model to serve"),
        Flag(("--tensor-parallel-size", "-tp"), "tensor_parallel", "GPUs that split every layer"),
        Flag(("--pipeline-parallel-size", "-pp"), "pipeline_parallel", "GPUs that split the layers by depth"),
        Flag(("--data-parallel-size", "-dp"), "data_parallel", "copies of the model, each with a cache of its own"),
        Flag(("--dtype",), "dtype", "format of weights that are not quantised"),
        Flag(("--quantization", "-q"), "quantization", "format of quantised weights"),
        Flag(("--kv-cache-dtype",), "kv_cache_dtype", "format of the KV cache"),
        Flag(
            ("--gpu-memory-utilization", "--gpu-memory-util", "--gmu"),
            "gpu_memory_utilization",
            "share of each GPU's memory for weights, profile and cache",
        ),
        Flag(("--max-model-len",), "max_model_len", "longest context of one request"),
        Flag(
            ("--max-num-batched-tokens",), "max_num_batched_tokens", "tokens of one pass, which the profile runs with"
        ),
        Flag(("--max-num-seqs",), "max_num_seqs", "requests that run at once"),
        Flag(("--enforce-eager",), "enforce_eager", "no CUDA graphs: less memory, slower decode", "true"),
        Flag(("--no-enforce-eager",), "enforce_eager", "with CUDA graphs", "false"),
        Flag(("--block-size",), "block_size", "tokens in a block of the cache"),
        Flag(("--enable-chunked-prefill",), "chunked_prefill", "prompts in chunks", "true"),
        Flag(("--no-enable-chunked-prefill", "--disable-chunked-prefill"), "chunked_prefill", "prompts whole", "false"),
        Flag(("--num-gpu-blocks-override",), "kv_blocks_override", "blocks of the cache, whatever fits"),
    ),
    _names(
        """host port uds api-key served-model-name tokenizer tokenizer-mode tokenizer-revision revision code-revision
        hf-config-path hf-overrides hf-token download-dir load-format model-loader-extra-config config-format seed
        swap-space uvicorn-log-level chat-template chat-template-content-format response-role ssl-keyfile ssl-certfile
        ssl-ca-certs ssl-cert-reqs root-path middleware tool-call-parser tool-parser-plugin reasoning-parser
        allowed-origins allowed-methods allowed-headers max-log-len max-logprobs guided-decoding-backend
        structured-outputs-config logits-processor-pattern logits-processors distributed-executor-backend
        limit-mm-per-prompt mm-processor-kwargs mm-processor-cache-gb mm-encoder-tp-mode media-io-kwargs
        allowed-local-media-path rope-scaling rope-theta generation-config override-generation-config
        override-neuron-config scheduling-policy scheduler-cls otlp-traces-endpoint collect-detailed-traces
        preemption-mode worker-cls worker-extension-cls kv-transfer-config kv-events-config ec-transfer-config
        prefix-caching-hash-algo compilation-config -O disable-log-stats-interval num-scheduler-steps
        max-parallel-loading-workers max-long-partial-prefills long-prefill-token-threshold
        max-num-partial-prefills lora-modules lora-dtype max-lora-rank max-loras max-cpu-loras long-lora-scaling-factors
        prompt-adapters data-parallel-size-local -dpl data-parallel-address data-parallel-rpc-port
        data-parallel-start-rank data-parallel-backend data-parallel-rank api-server-count task runner convert
        model-impl additional-config
        data-parallel-hybrid-lb ray-workers-use-nsight device nnodes node-rank master-addr master-port
        attention-backend moe-backend all2all-backend eplb-config log-config-file async-scheduling-depth config
        lora-extra-vocab-size skip-mm-profiling-images pooler-config override-pooler-config"""
    ),
    _names(
        """trust-remote-code enable-prefix-caching no-enable-prefix-caching disable-log-requests enable-log-requests
        no-enable-log-requests disable-log-stats disable-uvicorn-access-log enable-auto-tool-choice enable-reasoning
        disable-custom-all-reduce disable-sliding-window enable-lora enable-lora-bias fully-sharded-loras
        enable-request-id-headers return-tokens-as-token-ids disable-frontend-multiprocessing enable-ssl-refresh
        disable-fastapi-docs enable-prompt-tokens-details enable-server-load-tracking enable-force-include-usage
        enable-tokenizer-info-endpoint skip-tokenizer-init enable-prompt-embeds enable-sleep-mode
        disable-mm-preprocessor-cache disable-async-output-proc multi-step-stream-outputs use-v2-block-manager
        disable-hybrid-kv-cache-manager
        disable-cascade-attn async-scheduling no-async-scheduling disable-chunked-mm-input enable-eplb
        data-parallel-external-lb headless show-hidden-metrics-for-version calculate-kv-scales language-model-only
        allow-credentials engine-use-ray worker-use-ray log-outputs enable-mfu-metrics"""
    ),
)

SGLANG = Grammar(
    "sglang",
    (("sglang.launch_server",), ("sglang", "serve")),
    "sglang",
    (
        Flag(("--model-path", "--model"), "model", "the model to serve"),
        Flag(("--tp-size", "--tp", "--tensor-parallel-size"), "tensor_parallel", "GPUs that split every layer"),
        Flag(("--pp-size", "--pp", "--pipeline-parallel-size"), "pipeline_parallel", "GPUs that split by depth"),
        Flag(("--dp-size", "--dp", "--data-parallel-size"), "data_parallel", "copies of the attention or the model"),
        Flag(("--dtype",), "dtype", "format of weights that are not quantised"),
        Flag(("--quantization",), "quantization", "format of quantised weights"),
        Flag(("--kv-cache-dtype",), "kv_cache_dtype", "format of the KV cache"),
        Flag(("--mem-fraction-static",), "gpu_memory_utilization", "share of the free memory for weights and cache"),
        Flag(("--context-length",), "max_model_len", "longest context of one request"),
        Flag(("--chunked-prefill-size",), "max_num_batched_tokens", "tokens of a prefill chunk"),
        Flag(("--max-running-requests",), "max_num_seqs", "requests that run at once"),
        Flag(("--disable-cuda-graph",), "enforce_eager", "no CUDA graphs: less memory, slower decode", "true"),
        Flag(("--page-size",), "block_size", "tokens in a page of the cache"),
    ),
    _names(
        """host port api-key served-model-name tokenizer-path tokenizer-mode revision load-format chat-template
        reasoning-parser tool-call-parser log-level log-level-http random-seed watchdog-timeout download-dir
        schedule-policy schedule-conservativeness max-prefill-tokens max-total-tokens attention-backend sampling-backend
        grammar-backend cuda-graph-max-bs cuda-graph-bs nnodes node-rank dist-init-addr nccl-port ep-size ep
        expert-parallel-size moe-a2a-backend moe-runner-backend deepep-mode speculative-algorithm
        speculative-draft-model-path speculative-num-steps speculative-eagle-topk speculative-num-draft-tokens
        stream-interval device cpu-offload-gb json-model-override-args preferred-sampling-params mm-attention-backend
        lora-paths max-loras-per-batch hicache-ratio hicache-size disaggregation-mode disaggregation-ib-device
        torchao-config base-gpu-id gpu-id-step decode-log-interval model-loader-extra-config prefill-attention-backend
        decode-attention-backend swa-full-tokens-ratio max-lora-rank completion-template bucket-time-to-first-token"""
    ),
    _names(
        """trust-remote-code enable-metrics enable-cache-report disable-radix-cache disable-overlap-schedule
        enable-dp-attention enable-torch-compile enable-mixed-chunk skip-tokenizer-init log-requests show-time-cost
        enable-p2p-check disable-custom-all-reduce enable-hierarchical-cache enable-memory-saver is-embedding
        enable-multimodal enable-flashinfer-allreduce-fusion disable-cuda-graph-padding disable-outlines-disk-cache
        enable-nan-detection enable-eplb skip-server-warmup enable-ep-moe enable-deepep-moe allow-auto-truncate
        disable-shared-experts-fusion enable-lora enable-piecewise-cuda-graph disable-piecewise-cuda-graph"""
    ),
)

LLAMA_CPP = Grammar(
    "llama.cpp",
    (("llama-server",), ("llama-cli",), ("llama-server.exe",), ("llama.cpp/server",)),
    "llama.cpp",
    (
        Flag(("-m", "--model", "-hf", "-hfr", "--hf-repo"), "model", "the model to serve, a GGUF file or repository"),
        Flag(("-c", "--ctx-size"), "max_model_len", "context of all slots together"),
        Flag(("-ctk", "--cache-type-k"), "kv_cache_dtype", "format of the cache's keys"),
        Flag(("-np", "--parallel"), "max_num_seqs", "slots that run at once"),
        Flag(("-ub", "--ubatch-size"), "max_num_batched_tokens", "tokens of one pass"),
    ),
    _names(
        """host port -ngl --gpu-layers --n-gpu-layers -b batch-size -t threads -tb threads-batch -ctv cache-type-v -sm
        split-mode -ts tensor-split -mg main-gpu -a alias api-key chat-template chat-template-file jinja-file
        rope-scaling rope-scale rope-freq-base rope-freq-scale -s seed temp top-k top-p min-p -n predict timeout -to
        -hff hf-file -md model-draft -fa flash-attn -ncmoe n-cpu-moe -ot override-tensor slot-save-path lora mmproj
        log-file reasoning-format reasoning-budget -dev device cache-reuse numa"""
    ),
    _names(
        """mlock no-mmap -nkvo no-kv-offload -cb cont-batching metrics jinja --no-webui verbose -v log-disable
        embedding embeddings reranking swa-full no-warmup -cmoe cpu-moe slots props no-context-shift -kvu kv-unified"""
    ),
)

GRAMMARS = (VLLM, SGLANG, LLAMA_CPP)

#: Flags that change memory in a way that is not modelled; they are named in the answer.
NOT_MODELLED = MappingProxyType(
    {
        "--cpu-offload-gb": "weights kept in the host's memory",
        "--kv-cache-memory-bytes": "a cache of given size, whatever the utilisation",
        "--kv-cache-memory": "a cache of given size, whatever the utilisation",
        "--speculative-config": "a draft model beside the model",
        "--speculative-model": "a draft model beside the model",
        "--num-speculative-tokens": "a draft model beside the model",
        "--speculative-draft-model-path": "a draft model beside the model",
        "--enable-lora": "adapters beside the model",
        "--enable-expert-parallel": "experts split whole instead of each in parts",
        "-ep": "experts split whole instead of each in parts",
        "--decode-context-parallel-size": "the cache split over the devices by position",
        "-dcp": "the cache split over the devices by position",
        "--hf-overrides": "the model's own configuration changed",
        "--json-model-override-args": "the model's own configuration changed",
        "--max-total-tokens": "a pool of given size, whatever the fraction",
        "--enable-dp-attention": "attention copied and only the rest split",
        "-ngl": "layers kept in the host's memory, where fewer than all",
        "--n-gpu-layers": "layers kept in the host's memory, where fewer than all",
        "--gpu-layers": "layers kept in the host's memory, where fewer than all",
        "-ot": "tensors kept in the host's memory",
        "--n-cpu-moe": "experts kept in the host's memory",
        "-ncmoe": "experts kept in the host's memory",
    }
)
#: Of those, the switches; all others take a value.
NOT_MODELLED_SWITCHES = frozenset(("--enable-lora", "--enable-expert-parallel", "-ep", "--enable-dp-attention"))
