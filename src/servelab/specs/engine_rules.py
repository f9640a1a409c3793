"""Rules by which inference engines divide a device's memory, one row a version that changed them.

A row holds from its version on, until the next row of the same engine. `source` says where the rule was read: an
engine's public sources and start-up logs; docs/engine-memory.md explains each.
"""

from __future__ import annotations

from typing import Any, NamedTuple

from servelab.units import parse


class Defaults(NamedTuple):
    """What an engine takes where nothing is given: sequences and tokens of one pass."""

    max_num_seqs: int
    max_num_batched_tokens: int


#: Bytes a logit takes at the sampler's worst moment. Sorted (PyTorch's stable sort of many rows): 2 as computed, 4 in
#: fp32, 4 + 8 sorted values and places, 8 for the places before, 4 + 8 for the sort's second copy. Masked in place by a
#: kernel of vLLM's own (pull request 33538): 2 + 4, and 4 + 4 for probabilities and the draw.
SORTED_LOGIT, MASKED_LOGIT = 38, 14


class Other(NamedTuple):
    """What a worker takes outside PyTorch while it profiles, in bytes: on one device, and for collectives beside it.

    `nvlink` and `pcie` are collectives' of two devices, `doubling` what each doubling of the devices adds, and
    `in_switch` what more than two take where NVLink's switches reduce (from Hopper on).
    """

    alone: float = parse("0.13 GiB", "B")
    nvlink: float = parse("0.42 GiB", "B")
    pcie: float = parse("0.14 GiB", "B")
    doubling: float = parse("0.06 GiB", "B")
    in_switch: float = parse("1.34 GiB", "B")


#: Read in start-up logs: 0.05 to 0.28 GiB on ten devices (V0), 0.13 (V1), 0.24 to 0.26 (from 0.18, with 2.07 on two
#: devices and 2.13 on four); before, 0.55 on two H100s, and as much as from 0.18 on four (vLLM 0.9 and SGLang 0.4).
_OTHER_V0, _OTHER_V1 = Other(parse("0.09 GiB", "B")), Other()
_OTHER_LATE = Other(parse("0.25 GiB", "B"), parse("1.82 GiB", "B"), in_switch=0.0)


class EngineRules(NamedTuple):
    """How an engine counts memory from version `since` on.

    profile   what the profiling run measures: "allocated" (tensors only), "reserved" (all that the allocator keeps,
              and the driver's context), "allocated-and-context", "increase" (tensors, and what else was taken since
              the start)
    chunked   prompts are cut into chunks: "never", "long" (only where max_model_len > 32,768), "always"
    latent    cache of multi-head latent attention: "expanded" (keys and values of every head, padded), "aligned"
              (the compressed vector, padded), "exact"
    windows   "full" (a window's layers keep every token) or "grouped" (layers of a kind share a pool)
    """

    engine: str
    since: tuple[int, ...]
    source: str
    small: Defaults
    large: Defaults
    profile: str = "increase"
    chunked: str = "always"
    chunk_tokens: int = 2048
    latent: str = "exact"
    windows: str = "grouped"
    bytes_per_logit: int = SORTED_LOGIT
    keeps_expert_buffers: bool = False
    other: Other = Other()
    graphs_in_budget: bool = False
    tokens_by_concurrency: bool = False
    block_tokens: int = 16


_V0 = Defaults(256, 2048)
_V1_SMALL, _V1_LARGE = Defaults(256, 2048), Defaults(1024, 8192)


def _since(first: EngineRules, *changes: tuple[tuple[int, ...], str, dict[str, Any]]) -> tuple[EngineRules, ...]:
    """Rows of one engine: the first, then version by version what changed and where that was read."""
    rows = [first]
    for since, source, changed in changes:
        rows.append(rows[-1]._replace(since=since, source=source, **changed))
    return tuple(rows)


_VLLM = _since(
    EngineRules(
        "vllm",
        (0, 2),
        "worker.py before pull request 2031: the peak is torch.cuda.max_memory_allocated()",
        _V0,
        _V0,
        profile="allocated",
        chunked="never",
        latent="expanded",
        windows="full",
        other=_OTHER_V0,
    ),
    ((0, 2, 5), "pull request 2031: the peak is what the driver lacks after the run", {"profile": "reserved"}),
    (
        (0, 5, 1),
        "chunked prefill turns itself on above 32,768 tokens of context, 512 tokens a chunk",
        {"chunked": "long", "chunk_tokens": 512},
    ),
    (
        (0, 6, 4),
        "pull request 9352: tensors and other memory measured apart, the context among the latter",
        {"profile": "allocated-and-context"},
    ),
    (
        (0, 6, 5),
        "pull request 10511: only what was taken since the worker started counts; chunks of 2,048 tokens",
        {"profile": "increase", "chunk_tokens": 2048},
    ),
    (
        (0, 7, 1),
        "latent attention is cached compressed, each token aligned to 256 bytes",
        {"latent": "aligned"},
    ),
    (
        (0, 8),
        "the V1 engine by default: chunks always, 1,024 sequences",
        {
            "small": Defaults(1024, 2048),
            "large": _V1_LARGE,
            "chunked": "always",
            "latent": "exact",
            "other": _OTHER_V1,
        },
    ),
    (
        (0, 9),
        "1,024 sequences only on large cards; layers of a kind share a pool",
        {"small": _V1_SMALL, "windows": "grouped"},
    ),
    (
        (0, 12),
        "the workspaces of experts are kept between passes, and so add to the sampler's peak",
        {"keeps_expert_buffers": True},
    ),
    ((0, 17), "pull request 33538: top-k and top-p without a sort", {"bytes_per_logit": MASKED_LOGIT}),
    ((0, 18), "logs of 0.17 and 0.18 side by side: more is held outside PyTorch", {"other": _OTHER_LATE}),
    ((0, 19), "the log's tokens are its concurrency × max_model_len", {"tokens_by_concurrency": True}),
    (
        (0, 21),
        "CUDA graphs are estimated and counted by default since v0.21.0, as its log says",
        {"graphs_in_budget": True},
    ),
)

_SGLANG = _since(
    EngineRules(
        "sglang",
        (0, 2),
        "model_runner.profile_max_num_token: what is free after loading − free before × (1 − fraction)",
        Defaults(256, 8192),
        Defaults(256, 8192),
        windows="full",
        block_tokens=1,
    ),
)

_TENSORRT_LLM = _since(
    EngineRules(
        "tensorrt-llm",
        (0, 8),
        "KvCacheConfig.free_gpu_memory_fraction: a share of what is free once the engine is loaded",
        Defaults(256, 8192),
        Defaults(2048, 8192),
        windows="full",
        block_tokens=64,
    ),
    ((0, 20), "the PyTorch backend: blocks of 32 tokens", {"block_tokens": 32}),
)

_LLAMA_CPP = _since(
    EngineRules(
        "llama.cpp",
        (0,),
        "llama-context: the cache of the whole context is allocated at once, beside compute buffers",
        Defaults(1, 512),
        Defaults(1, 512),
        windows="full",
        latent="expanded",
        block_tokens=1,
    ),
    (
        (6325,),
        "flash attention where the device has it, and a compressed latent cache",
        {"profile": "flash", "latent": "exact"},
    ),
)

#: Newest last within an engine.
RULES: tuple[EngineRules, ...] = (*_VLLM, *_SGLANG, *_TENSORRT_LLM, *_LLAMA_CPP)
