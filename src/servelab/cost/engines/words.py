"""What decides an engine's memory, in sentences."""

from __future__ import annotations

from typing import TYPE_CHECKING

from servelab.cost.engines.answer import FITS, TOO_LONG
from servelab.cost.engines.profile import layers_peak, sampler_peak
from servelab.cost.engines.start import Start
from servelab.specs.engines import ASSUMED_VERSIONS
from servelab.units import show_binary

if TYPE_CHECKING:
    from servelab.cost.engines.memory import Figures

#: What the setting is called by the engine itself.
SHARE_NAMES = {
    "vllm": "gpu_memory_utilization",
    "sglang": "mem_fraction_static",
    "tensorrt-llm": "free_gpu_memory_fraction",
    "llama.cpp": "",
}
LENGTH_NAMES = {
    "vllm": "max_model_len",
    "sglang": "context_length",
    "tensorrt-llm": "max_seq_len",
    "llama.cpp": "-c",
}
SEQUENCES_NAMES = {
    "vllm": "max_num_seqs",
    "sglang": "max_running_requests",
    "tensorrt-llm": "max_batch_size",
    "llama.cpp": "-np",
}
TOKENS_NAMES = {
    "vllm": "max_num_batched_tokens",
    "sglang": "chunked_prefill_size",
    "tensorrt-llm": "max_num_tokens",
    "llama.cpp": "-ub",
}


def refusal(made: Figures) -> str | None:
    """Why the engine does not start, with its numbers; None where it does."""
    started, spent, stored, cache = made
    engine = started.rules.engine
    if cache.outcome == FITS:
        return None
    if cache.outcome == TOO_LONG:
        needed = stored.blocks_of(started.max_model_len, started.pass_tokens) * stored.block_bytes
        return (
            f"{LENGTH_NAMES[engine]} {started.max_model_len:,} needs {show_binary(needed)} of KV cache on each device, "
            f"but {show_binary(max(spent.room, 0.0))} are left: at most {cache.longest:,} tokens"
        )
    if spent.weights_bytes > started.device_bytes:
        return (
            f"out of memory while loading: the weights take {show_binary(spent.weights_bytes)} of each device, "
            f"which has {show_binary(started.device_bytes)}"
        )
    taken = spent.budget - spent.room
    return (
        f"no memory is left for the KV cache: {show_binary(taken)} are taken before it, "
        f"and the engine may take {show_binary(spent.budget)} of each device"
    )


def reasons(made: Figures) -> tuple[str, ...]:
    """What decides the size of the cache, the weightiest first where there is an order."""
    started = made.start
    found = [_budget(made), _peak(made) if started.rules.engine == "vllm" else None]
    found += [_windows(made), _copies(started), _beyond(made), _layers_that_fit(made), _ranks(started)]
    return tuple(sentence for sentence in found if sentence)


def _budget(made: Figures) -> str:
    started, spent = made.start, made.account
    name, share = SHARE_NAMES[started.rules.engine], started.settings.gpu_memory_utilization
    of = show_binary(started.device_bytes)
    covers = {
        "vllm": f"{name} {share:g} of {of} is all the engine takes, weights included",
        "sglang": f"{name} {share:g} is for weights and cache; activations and graphs live in what it leaves",
        "tensorrt-llm": f"{name} {share:g} is of what is free once weights and buffers are there",
        "llama.cpp": "no share is kept free: weights, the whole context and compute buffers have to fit",
    }
    return f"{covers[started.rules.engine]}: {show_binary(spent.budget)} on each device"


def _peak(made: Figures) -> str:
    started = made.start
    sampler, layers = sampler_peak(started), layers_peak(started, started.pass_tokens)
    if sampler >= layers:
        return (
            f"the profiling run's peak is the sampler's: logits of {started.max_num_seqs:,} sequences "
            f"(max_num_seqs) × {started.model.vocab_size or 0:,} words, sorted"
        )
    why = "max_num_batched_tokens" if started.chunked else "max_model_len, since prompts are not cut into chunks"
    return f"the profiling run's peak is a layer's, over {started.pass_tokens:,} tokens ({why})"


def _windows(made: Figures) -> str | None:
    started, stored = made.start, made.pool
    windowed = any(group.window for group in started.model.groups)
    if not windowed and stored.groups == 1:
        return None
    if started.rules.windows == "full":
        return "layers with a window are cached in full length by this version" if windowed else None
    if stored.groups == 1:
        return None
    return (
        f"{stored.groups} groups of layers share the pool, so a block of {stored.block_tokens:,} tokens is held "
        f"{stored.groups} times; read the concurrency, not the tokens"
    )


def _copies(started: Start) -> str | None:
    copied = [group for group in started.model.groups if (group.kv_heads or started.ways) < started.ways]
    if copied:
        return f"{started.ways} devices share {copied[0].kv_heads} KV heads: each holds one, some the same"
    if started.ways > 1 and any(group.latent_dim for group in started.model.groups):
        return "latent attention is cached whole on every device: more devices do not shrink it"
    return None


def _beyond(made: Figures) -> str | None:
    beyond = made.account.beyond
    if not beyond:
        return None
    free = made.start.device_bytes - made.account.budget
    what = "CUDA graphs" if made.start.rules.engine == "vllm" else "activations and CUDA graphs"
    tight = "" if beyond <= free else ", more than is free: it may fail after the cache is taken"
    return f"{what} take about {show_binary(beyond)} beyond the budget, of {show_binary(free)} that it leaves{tight}"


def _layers_that_fit(made: Figures) -> str | None:
    """llama.cpp can leave layers with the host: how many go on the devices with the context that was asked for."""
    started, spent, stored, cache = made
    if started.rules.engine != "llama.cpp" or cache.outcome == FITS:
        return None
    layers = started.model.layers
    head = started.model.table_parameters * 2.0 / started.ways
    each = (spent.weights_bytes - head + started.max_model_len * stored.block_bytes) / layers
    room = started.device_bytes - spent.activation - spent.other - head
    fitting = max(0, min(layers, int(room / each)))
    return f"with -ngl {fitting} of {layers} layers it starts; the others are slow, in the host's memory"


def _ranks(started: Start) -> str | None:
    if started.ways == 1:
        return None
    return "figures are those of one device; the device with the least room decides for all"


def assumptions(made: Figures) -> tuple[str, ...]:
    """What was taken for granted."""
    started = made.start
    found = list(started.assumed)
    if started.settings.version is None:
        found.append(f"no version is named: {ASSUMED_VERSIONS[started.rules.engine]}; others may leave more or less")
    if any("tower" in part.name or "encoder" in part.name for part in started.model.parts):
        found.append("the profile of the image encoder is not counted; it may exceed the text model's peak")
    if started.model.vocab_size is None:
        found.append("the vocabulary is not known, so the sampler's peak is not counted; give vocab_size")
    return tuple(found)
