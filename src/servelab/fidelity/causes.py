"""Why the KV cache is as small as it is: known causes, each looked for in the figures.

A cause applies where its figures say so, never by the name of a model or a card. Its sentence repeats them in GiB, as
logs print them.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass

from servelab.cost.engines import Change
from servelab.fidelity.case import Case
from servelab.units import parse, show_binary

_GIB = parse("1 GiB", "B")

#: From these shares of a device on a part of the account is worth a word.
_MUCH = 0.05
_MOST = 0.7
#: What a driver and a desktop take on an empty card.
_EMPTY_CARD = parse("1 GiB", "B")
#: How much more than predicted weights may take before something else is loaded than was thought.
_NEAR = 1.05


@dataclass(frozen=True)
class Cause:
    """A known cause that applies: a name for it, what the figures say, and the bytes of a device it is about."""

    id: str
    sentence: str
    bytes: float | None = None
    change: Change | None = None
    remedy: str | None = None


def causes(case: Case) -> tuple[Cause, ...]:
    """The causes that apply, those first that take most."""
    found = [cause for look in _LOOKS for cause in look(case)]
    return tuple(sorted(found, key=lambda cause: -(cause.bytes or 0.0)))


def _weights(case: Case) -> Iterator[Cause]:
    weights, budget = case.figures.get("weights_bytes"), case.figures.get("budget_bytes")
    if weights and budget and weights / budget >= _MOST:
        per = " on each device" if case.devices > 1 else ""
        yield Cause(
            "weights",
            f"weights take {show_binary(weights)}{per}, {weights / budget:.0%} of what the engine may use".replace(
                "%", " %"
            ),
            weights,
            remedy="split the model over more devices, or load weights in a smaller format",
        )


def _heavier(case: Case) -> Iterator[Cause]:
    said = case.known.get("weights_bytes")
    if said is None or case.predicted is None or said <= case.predicted.weights_bytes * _NEAR:
        return
    beyond = said - case.predicted.weights_bytes
    yield Cause(
        "heavier",
        f"weights took {show_binary(said)} where {show_binary(case.predicted.weights_bytes)} were expected:"
        f" {show_binary(beyond)} more, as where they load in a wider format, a draft model or adapters come with them,"
        " or layers are not split",
        beyond,
        remedy="check --dtype and --quantization, and that the checkpoint is the one meant",
    )


def _profile(case: Case) -> Iterator[Cause]:
    peak = case.figures.get("activation_bytes")
    if not peak or case.share("activation_bytes") < _MUCH:
        return
    tokens, context = case.batched_tokens, case.context
    whole = case.setup.generation == "V0" and case.setup.chunked_prefill is not True and case.setup.engine == "vllm"
    if whole and context and (tokens is None or tokens >= context):
        yield Cause(
            "long-profile",
            f"the profiling run {case.took('activation_bytes')} {show_binary(peak)}: this version"
            f" profiles one pass of max_model_len ({context:,}) tokens, so a longer context leaves less cache",
            peak,
            remedy="lower --max-model-len, or give --enable-chunked-prefill --max-num-batched-tokens 2048",
        )
    else:
        yield _large_pass(case, peak)


def _large_pass(case: Case, peak: float) -> Cause:
    """The peak of a pass, by the setting that a prediction says would lower it."""
    helps = {remedy.change.field: remedy.change for remedy in case.predicted.remedies} if case.predicted else {}
    sizes = {"max_num_seqs": case.sequences, "max_num_batched_tokens": case.batched_tokens}
    drivers = [name for name in sizes if name in helps] or list(sizes)
    most = " and ".join(f"{name} ({sizes[name]:,})" if sizes[name] else name for name in drivers)
    flags = " or ".join(f"--{name.replace('_', '-')}" for name in drivers)
    return Cause(
        "large-pass",
        f"the profiling run {case.took('activation_bytes')} {show_binary(peak)}: the engine keeps free what its largest"
        f" pass needs at its peak, which {most} set{'s' if len(drivers) == 1 else ''}",
        peak,
        helps.get(drivers[0]),
        f"lower {flags}",
    )


def _graphs(case: Case) -> Iterator[Cause]:
    graphs = case.figures.get("graph_bytes")
    if not graphs or graphs < _GIB / 2 or case.setup.enforce_eager:
        return
    inside = case.predicted is not None and case.predicted.graph_bytes > 0
    where = "within its share of the device" if inside else "beside it, from what the utilisation leaves free"
    yield Cause(
        "graphs",
        f"capturing CUDA graphs {case.took('graph_bytes')} {show_binary(graphs)}, {where}",
        graphs,
        Change("enforce_eager", True) if inside else None,
        "lower --max-num-seqs, which the largest graph follows, or give --enforce-eager and decode slower",
    )


def _other_process(case: Case) -> Iterator[Cause]:
    taken = _taken_before(case)
    if taken is not None and taken > _EMPTY_CARD:
        yield Cause(
            "other-process",
            f"{show_binary(taken)} of the card were taken before the engine began, by another process or an earlier"
            " start that has not ended; the utilisation is of the whole card, not of what is free",
            taken,
            remedy="end what else runs on the card (nvidia-smi shows it), or lower the utilisation to what is free",
        )


def _taken_before(case: Case) -> float | None:
    """Memory that others hold: what is not free at the start, or in use after loading beyond what was loaded."""
    if case.facts is None:
        return None
    number, device = case.facts.number, case.setup.device_bytes
    free, after = number("free_bytes"), number("initial_bytes")
    if free is not None and device is not None:
        return device - free
    weights, other = number("weights_bytes"), number("other_bytes")
    if after is not None and weights is not None:
        return after - weights - (other or 0.0)
    return None


def _other_memory(case: Case) -> Iterator[Cause]:
    other = case.known.get("other_bytes")
    if other is None or other < 2 * _GIB:
        return
    yield Cause(
        "outside-torch",
        f"{show_binary(other)} are taken outside PyTorch: communication buffers, attention workspaces, or what another"
        " process took while this one measured",
        other,
        remedy="start one server at a time on a card, each after the other is ready",
    )


def _per_device(case: Case) -> Iterator[Cause]:
    cache = case.figures.get("kv_cache_bytes")
    if case.devices < 2 or not cache:
        return
    tokens = case.figures.get("kv_tokens")
    all_tokens = f"; the {tokens:,.0f} tokens are those of all together, not to be multiplied" if tokens else ""
    yield Cause(
        "per-device",
        f"{show_binary(cache)} of KV cache are on each of {case.devices} devices,"
        f" {show_binary(cache * case.devices)} in all{all_tokens}",
    )


def _smallest(case: Case) -> Iterator[Cause]:
    ranks = case.facts.measured.get("kv_cache_bytes", {}) if case.facts else {}
    if len(ranks) < 2 or case.setup.engine == "llama.cpp":
        return
    least, most = min(ranks, key=ranks.__getitem__), max(ranks.values())
    lost = most - ranks[least]
    if lost > 0.01 * most:
        yield Cause(
            "smallest-rank",
            f"the devices have unequal room, and all take the cache of the one with least: {least or 'the first'} with"
            f" {show_binary(ranks[least])}, {show_binary(lost)} less than the one with most",
            lost,
            remedy="free what else is on that card, or use cards that are alike",
        )


def _windows(case: Case) -> Iterator[Cause]:
    model = case.model
    if model is None or not any(group.window for group in model.groups):
        return
    if case.setup.engine != "vllm" or case.setup.generation == "V0":
        sentence = (
            "layers with a sliding window keep the whole context in this engine, so they take as much as full ones"
        )
    else:
        sentence = (
            "layers with a sliding window keep little of a long request, so tokens are no measure of the cache: read"
            " the concurrency"
        )
    yield Cause("windows", sentence)


def _length(case: Case) -> Iterator[Cause]:
    tokens, context = case.figures.get("kv_tokens"), case.context
    if case.facts and "refused_tokens" in case.facts.settings:
        context = int(float(case.facts.settings["refused_tokens"]))
    if case.outcome != "too-long" or not context:
        return
    most = int(tokens) if tokens else case.predicted.longest_context if case.predicted else 0
    holds = f"holds {most:,} tokens" if most else "holds less"
    yield Cause(
        "too-long",
        f"one request of max_model_len {context:,} tokens must fit the cache, which {holds}; it has to hold one only",
        None,
        Change("max_model_len", most) if most else None,
        f"give --max-model-len {most}" if most else "lower --max-model-len",
    )


def _kept_free(case: Case) -> Iterator[Cause]:
    device, share = case.figures.get("device_memory_bytes"), case.setup.gpu_memory_utilization
    if case.setup.engine not in ("vllm", "sglang") or not device:
        return
    share = share if share is not None else 0.9
    left = (1 - share) * device
    if share < 0.9:
        name = "gpu_memory_utilization" if case.setup.engine == "vllm" else "mem_fraction_static"
        yield Cause(
            "kept-free",
            f"{name} {share:g} keeps {show_binary(left)} of each card out of reach",
            left,
            Change("gpu_memory_utilization", 0.9),
            "raise it to 0.9 where nothing else runs on the card",
        )


def _given_blocks(case: Case) -> Iterator[Cause]:
    if case.setup.kv_blocks_override:
        yield Cause(
            "given-blocks",
            f"the cache has the {case.setup.kv_blocks_override:,} blocks it was given, whatever fits",
            remedy="leave --num-gpu-blocks-override out",
        )


def _fewer_devices(case: Case) -> Iterator[Cause]:
    wanted = case.devices * (case.setup.pipeline_parallel or 1)
    if case.setup.devices is not None and case.setup.devices < wanted:
        yield Cause(
            "too-few-devices",
            f"{wanted} devices are asked for and {case.setup.devices} can be seen, so the engine does not start",
            remedy="show it more devices, or split over fewer",
        )


def _eager(case: Case) -> Iterator[Cause]:
    if case.setup.enforce_eager:
        yield Cause(
            "eager",
            "no CUDA graphs are captured (eager), which saves their memory and makes small batches decode slower",
        )


def _offloaded(case: Case) -> Iterator[Cause]:
    settings = case.facts.settings if case.facts else {}
    on, of = settings.get("offloaded_layers"), settings.get("offload_layers")
    if isinstance(on, float) and isinstance(of, float) and on < of:
        yield Cause(
            "on-host",
            f"{of - on:,.0f} of {of:,.0f} layers stay in the host's memory, with their part of the cache",
            remedy="give -ngl 99, a shorter -c or a smaller file",
        )


_LOOKS: tuple[Callable[[Case], Iterator[Cause]], ...] = (
    _length,
    _weights,
    _heavier,
    _profile,
    _graphs,
    _other_process,
    _other_memory,
    _smallest,
    _per_device,
    _windows,
    _kept_free,
    _given_blocks,
    _fewer_devices,
    _offloaded,
    _eager,
)
