"""The values that the formula of each figure has in a run, and figures that are not shown."""

from __future__ import annotations

import math

import numpy as np

from servelab.labs.int4_layers import planner
from servelab.labs.int4_layers.played import Played
from servelab.labs.result import Term
from servelab.probe.block import INPUTS, LAYERS, OUTPUTS
from servelab.specs.deployment import Deployment

Terms = dict[str, tuple[Term, ...]]


def terms(played: Played) -> Terms:
    """By tile."""
    return _of_errors(played) | _of_size(played) | _of_serving(played)


def _of_errors(played: Played) -> Terms:
    block, names = played.block, list(LAYERS)
    worst = block.layers[block.worst]
    step, first, last = worst.typical_grid
    kept = ", ".join(names[index] for index in sorted(block.kept))
    return {
        "output_error": tuple(
            Term(f"e({name})", error, "fraction", "kept in bf16" if index in block.kept else "")
            for index, (name, error) in enumerate(zip(names, block.output_errors, strict=True))
        ),
        "worst_error": (
            Term(f"e({worst.name})", worst.output_error, "fraction", "the worst of those that are rounded"),
            Term("α", worst.exponent, "", "exponent of its scales; 0 is plain rounding"),
            *((Term("kept", len(block.kept), "", kept),) if kept else ()),
        ),
        "weight_error": tuple(
            Term(f"ε({one.name})", 0.0 if index in block.kept else one.weight_error, "fraction")
            for index, one in enumerate(block.layers)
        ),
        "zeroed_fraction": (
            Term("half a step", step / 2, "", f"of the typical grid of {worst.name}; a usual weight is 1 in size"),
            Term("values", last - first + 1, "", "that a grid has"),
            Term(f"zero in {worst.name}", worst.zeroed_fraction, "fraction"),
        ),
    }


def _of_size(played: Played) -> Terms:
    block = played.block
    sharing = block.scheme.sharing(OUTPUTS, INPUTS)
    kept = math.fsum(block.shares[index] for index in block.kept)
    shape = planner.model(played.settings.model)
    outside = shape.table_parameters + shape.head_parameters
    return {
        "bits_per_weight": (
            Term("bits", block.scheme.bits, "bits"),
            Term("scale", block.scheme.scale_bits, "bits"),
            Term("zero point", block.scheme.zero_bits, "bits"),
            Term("weights that share them", sharing, "", "in matrices of 512 inputs and 12 outputs"),
            Term("kept", kept, "fraction", "of a block's weights, in bf16"),
        ),
        "weights_bytes": (
            Term("block weights", shape.parameters - outside),
            Term("bits per weight", block.bits_per_weight, "bits"),
            Term("embeddings + head", outside),
        ),
    }


def _of_serving(played: Played) -> Terms:
    memory, plan, published = played.estimate.memory, played.estimate, played.published
    room = Term("memory of the card", memory.capacity_bytes, "B")
    found: Terms = {
        "total_bytes": (
            Term("weights", memory.weights_bytes, "B"),
            Term("KV cache", memory.kv_cache_bytes, "B"),
            Term("workspace", memory.workspace_bytes, "B"),
            Term("reserve", memory.reserve_bytes, "B"),
        ),
        "largest_batch": (room, Term("weights", memory.weights_bytes, "B"), Term("reserve", memory.reserve_bytes, "B")),
    }
    if plan.tpot_s is None or plan.decode is None:
        return found
    steps = planner.OUTPUT_TOKENS - 1
    found["tpot_s"] = (
        Term(
            "linear layers", plan.decode.linear.time_s / steps, "s", f"mean a step, bound by {plan.decode.linear.bound}"
        ),
        Term("attention", plan.decode.attention.time_s / steps, "s", "mean a step"),
        Term("overhead", plan.deployment.pass_overhead_s, "s", "of a step"),
        Term("in bf16", published.tpot_s, "s", "the same batch" if published.tpot_s else "does not fit"),
    )
    found["cost_usd_per_million_output_tokens"] = (
        Term("price per hour", _price(plan.deployment), "USD"),
        Term("output tokens per second", plan.output_tokens_per_s, "tokens/s"),
        Term("in bf16", published.cost_usd_per_million_output_tokens, "USD"),
    )
    return found


def _price(deployment: Deployment) -> float | None:
    return deployment.accelerator.price_usd_per_hour


def facts(played: Played) -> dict[str, float]:
    """What explanations are made from, in base units; those of a planned batch only where it fits."""
    settings, block, plan = played.settings, played.block, played.estimate
    worst = block.layers[block.worst]
    known: dict[str, float] = {
        "seed": played.world.seed,
        "bits": settings.bits,
        "sharing": block.scheme.sharing(OUTPUTS, INPUTS),
        "scale_bits": block.scheme.scale_bits,
        "zero_bits": block.scheme.zero_bits,
        "aware": float(settings.scaling == "activation-aware"),
        "kept": len(block.kept),
        "kept_fraction": math.fsum(block.shares[index] for index in block.kept),
        "activation_strength": settings.activation_strength,
        "weight_strength": settings.weight_strength,
        "outlier_fraction": settings.outlier_fraction,
        "worst": block.worst,
        "exponent": worst.exponent,
        "step": worst.typical_grid[0],
        "coarsest": float(np.max(worst.steps)),
        "zeroed": worst.zeroed_fraction,
        "batch": settings.batch,
        "weights_bytes": plan.memory.weights_bytes,
        "kv_cache_bytes": plan.memory.kv_cache_bytes,
        "total_bytes": plan.memory.total_bytes,
        "capacity_bytes": plan.memory.capacity_bytes,
        "bandwidth_bytes_per_s": planner.card(settings.card).bandwidth_bytes_per_s,
        "price_usd_per_hour": _price(plan.deployment) or 0.0,
    }
    if plan.tpot_s is None or plan.decode is None:
        return known
    return known | {
        "linear_s": plan.decode.linear.time_s / (planner.OUTPUT_TOKENS - 1),
        "attention_s": plan.decode.attention.time_s / (planner.OUTPUT_TOKENS - 1),
        "compute_bound": float(plan.decode.linear.bound == "compute"),
        "output_tokens_per_s": plan.output_tokens_per_s or 0.0,
    }
