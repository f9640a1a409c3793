"""Why a figure became worse, in words made from the numbers of the two runs."""

from __future__ import annotations

from collections.abc import Mapping

from servelab.labs.figures import show
from servelab.labs.result import Outcome
from servelab.probe.block import LAYERS

#: What moves less than this is no reason for anything.
_NOTABLE = 1.02

Facts = Mapping[str, float]


def why(before: Outcome, after: Outcome) -> dict[str, str]:
    """A sentence for every figure whose change has a cause that the runs tell; the caller shows those of worse ones."""
    old, new = before.result.facts, after.result.facts
    error = _error(old, new)
    reasons: dict[str, str | None] = {
        "output_error": error,
        "worst_error": error,
        "weight_error": _weight_error(old, new) or error,
        "zeroed_fraction": _zeroed(old, new),
        "bits_per_weight": _bits(old, new),
        "weights_bytes": _bits(old, new) or _heavier(old, new),
        "total_bytes": _memory(old, new),
        "largest_batch": _room(old, new),
    }
    if "linear_s" in old and "linear_s" in new:
        slower = _slower(old, new)
        reasons |= {"tpot_s": slower, "cost_usd_per_million_output_tokens": _cost(old, new) or slower}
    return {name: reason for name, reason in reasons.items() if reason}


def _grew(old: Facts, new: Facts, name: str) -> bool:
    return new[name] > old[name] * _NOTABLE


def _instead(old: Facts, new: Facts, name: str, unit: str) -> str:
    return f"{show(new[name], unit)} instead of {show(old[name], unit)}"


def _percent(old: Facts, new: Facts, name: str) -> str:
    return " instead of ".join(show(facts[name], "fraction") for facts in (new, old))


def _layer(facts: Facts) -> str:
    return list(LAYERS)[int(facts["worst"])]


def _error(old: Facts, new: Facts) -> str | None:
    if new["kept"] < old["kept"]:
        return f"{_layer(new)} is rounded now, and no longer kept in bf16."
    if new["bits"] < old["bits"]:
        values = f"{2 ** new['bits']:.0f} values instead of {2 ** old['bits']:.0f}"
        return f"A grid of {new['bits']:.0f} bits has {values}, so its steps are {_wider(old, new)}."
    if new["sharing"] > old["sharing"]:
        return (
            f"{new['sharing']:,.0f} weights share a grid instead of {old['sharing']:,.0f}, so an outlier stretches it "
            f"for more of them: in {_layer(new)} a typical step is {_steps(old, new)} of a usual weight."
        )
    if new["aware"] < old["aware"]:
        return (
            "Channels with large activations are rounded as coarsely as all others now, and what goes wrong there is "
            "multiplied by those activations."
        )
    if _grew(old, new, "weight_strength"):
        return (
            f"Outlying weights stretch the grids they are on: in {_layer(new)} a typical step is {_steps(old, new)} of "
            "a usual weight."
        )
    return _other_error(old, new)


def _other_error(old: Facts, new: Facts) -> str | None:
    if _grew(old, new, "outlier_fraction"):
        return f"More channels are outliers, {_percent(old, new, 'outlier_fraction')}, so more grids hold one."
    if _grew(old, new, "activation_strength"):
        return "Larger activations multiply what is off in their channels, more than they add to the output."
    if new["zero_bits"] < old["zero_bits"]:
        return (
            f"Without a zero point a grid reaches as far below zero as above it, and one of its {2 ** new['bits']:.0f} "
            "values is not used."
        )
    if new["scale_bits"] < old["scale_bits"]:
        return (
            f"Scales of {new['scale_bits']:.0f} bits are rounded themselves, so grids end a little beside their "
            "weights."
        )
    return "The same rounding of the layers of another seed." if new["seed"] != old["seed"] else None


def _wider(old: Facts, new: Facts) -> str:
    return f"{show(new['step'] / old['step'], '')} times as wide"


def _steps(old: Facts, new: Facts) -> str:
    return " instead of ".join(show(facts["step"], "") for facts in (new, old))


def _weight_error(old: Facts, new: Facts) -> str | None:
    if new["aware"] > old["aware"]:
        return (
            "Scaling trades: channels with large activations get finer steps, all others coarser ones. The weights are "
            "further off, the outputs nearer."
        )
    return None


def _zeroed(old: Facts, new: Facts) -> str | None:
    if not _grew(old, new, "zeroed"):
        return None
    if new["aware"] > old["aware"]:
        return (
            "Scaling widens the steps of channels with small activations, and more of their weights are below half a "
            "step."
        )
    return (
        f"In {_layer(new)} a typical step is {_steps(old, new)} of a usual weight; what is below half of one is zero."
    )


def _bits(old: Facts, new: Facts) -> str | None:
    if new["kept_fraction"] > old["kept_fraction"]:
        return f"{show(new['kept_fraction'], 'fraction')} of a block's weights are kept in 16 bits."
    if new["bits"] > old["bits"]:
        return f"A weight takes {new['bits']:.0f} bits instead of {old['bits']:.0f}."
    extra = [(facts["scale_bits"] + facts["zero_bits"]) / facts["sharing"] for facts in (new, old)]
    if extra[0] > extra[1]:
        return (
            f"Scale and zero point take {new['scale_bits'] + new['zero_bits']:.0f} bits for {new['sharing']:,.0f} "
            f"weights: {extra[0]:.3g} bits each instead of {extra[1]:.3g}."
        )
    return None


def _heavier(old: Facts, new: Facts) -> str | None:
    return "The model has more weights." if _grew(old, new, "weights_bytes") else None


def _memory(old: Facts, new: Facts) -> str | None:
    grown = {name: new[name] - old[name] for name in ("weights_bytes", "kv_cache_bytes")}
    part = max(grown, key=lambda name: grown[name])
    if grown[part] <= 0:
        return None
    if part == "weights_bytes":
        return f"The weights take {_instead(old, new, part, 'B')}."
    return f"The KV cache of {new['batch']:,.0f} requests takes {_instead(old, new, part, 'B')}."


def _room(old: Facts, new: Facts) -> str | None:
    if new["capacity_bytes"] < old["capacity_bytes"]:
        return f"The card has {_instead(old, new, 'capacity_bytes', 'B')}."
    return f"The weights take {_instead(old, new, 'weights_bytes', 'B')}." if _grew(old, new, "weights_bytes") else None


def _slower(old: Facts, new: Facts) -> str | None:
    part = max(("linear_s", "attention_s"), key=lambda name: new[name] - old[name])
    if not _grew(old, new, part):
        return None
    took = _instead(old, new, part, "s")
    if part == "attention_s":
        return f"Attention reads the cache of {new['batch']:,.0f} requests in every step: {took}."
    if new["compute_bound"]:
        return f"So many requests share a step that its arithmetic takes longer than reading the weights: {took}."
    if new["bandwidth_bytes_per_s"] < old["bandwidth_bytes_per_s"]:
        return f"The card reads at {_instead(old, new, 'bandwidth_bytes_per_s', 'B/s')}: the linear layers take {took}."
    return f"Every step reads all the weights, {_instead(old, new, 'weights_bytes', 'B')}: {took}."


def _cost(old: Facts, new: Facts) -> str | None:
    if _grew(old, new, "price_usd_per_hour"):
        prices = f"${new['price_usd_per_hour']:g} an hour instead of ${old['price_usd_per_hour']:g}"
        ratio = new["output_tokens_per_s"] / old["output_tokens_per_s"]
        return f"The card costs {prices} and yields {show(ratio, '')} times the tokens."
    if new["batch"] < old["batch"]:
        return (
            f"A step is for {new['batch']:,.0f} instead of {old['batch']:,.0f} requests, and reads the weights all the "
            "same."
        )
    return None
