"""Why a figure became worse, in words made from the numbers of the two runs."""

from __future__ import annotations

from collections.abc import Mapping

from servelab.labs.figures import show
from servelab.labs.result import Outcome
from servelab.probe.rope import INTERPOLATION, METHODS, NONE, NTK, YARN

#: What moves less than this is no reason for anything.
_NOTABLE = 1.02

Facts = Mapping[str, float]


def why(before: Outcome, after: Outcome) -> dict[str, str]:
    """A sentence for every figure whose change has a cause that the runs tell; the caller shows those of worse ones."""
    old, new = before.result.facts, after.result.facts
    reasons: dict[str, str | None] = {
        "unseen_fraction": _unseen(old, new),
        "overreach": _unseen(old, new),
        "resolution": _squeezed(old, new),
        "nearby_change": _squeezed(old, new),
        "kv_cache_bytes": _cache(old, new),
        "total_bytes": _memory(old, new),
        "largest_batch": _room(old, new),
    }
    if "linear_s" in old and "linear_s" in new:
        reasons |= {
            "ttft_s": _first(old, new),
            "tpot_s": _slower(old, new),
            "cost_usd_per_million_output_tokens": _cost(old, new),
        }
    return {name: reason for name, reason in reasons.items() if reason}


def _grew(old: Facts, new: Facts, name: str) -> bool:
    return new[name] > old[name] * _NOTABLE


def _instead(old: Facts, new: Facts, name: str, unit: str) -> str:
    return f"{show(new[name], unit)} instead of {show(old[name], unit)}"


def _method(facts: Facts) -> str:
    return METHODS[int(facts["method"])]


def _unseen(old: Facts, new: Facts) -> str | None:
    """Of the slow pairs, those that go beyond what they saw."""
    if new["unseen"] == 0:
        return None
    slow = f"{new['slow']:.0f} of {new['pairs']:.0f} pairs do not go round within {new['trained_tokens']:,.0f} tokens"
    method = _method(new)
    if method == NONE:
        return f"{slow}, and nothing keeps them within the angles they saw."
    if new["factor"] < new["needed"] / _NOTABLE:
        return (
            f"{slow}; they are stretched {new['factor']:.3g} times, and the target is {new['needed']:.3g} times as "
            "long as training."
        )
    if method == NTK:
        return (
            f"{slow}. A larger base slows the slowest by the whole factor and those before it by less: "
            f"{new['unseen']:.0f} of them still go beyond."
        )
    if method == YARN and new["alpha"] < 1:
        return f"{slow}. Those that go round more than {new['alpha']:.3g} times are partly left alone, and go beyond."
    return f"{slow}." if _grew(old, new, "slow") else None


def _squeezed(old: Facts, new: Facts) -> str | None:
    method, factor = _method(new), f"{new['factor']:.3g}"
    if method == INTERPOLATION:
        return (
            f"Every angle is divided by {factor}, the fastest too: neighbours are {factor} times nearer than in "
            "training."
        )
    if method == NTK:
        return f"A larger base slows all pairs but the first, the more the slower they are, by up to {factor} times."
    if method == YARN:
        if new["beta"] > old["beta"]:
            return f"Pairs of up to {new['beta']:.3g} turns are slowed now, not only those of {old['beta']:.3g}."
        return f"{new['squeezed']:.0f} of {new['pairs']:.0f} pairs are slowed, by up to {factor} times."
    return None


def _cache(old: Facts, new: Facts) -> str | None:
    if _grew(old, new, "kv_bytes_per_token"):
        return f"A token keeps {_instead(old, new, 'kv_bytes_per_token', 'B')}."
    if new["target_tokens"] > old["target_tokens"]:
        return f"{new['target_tokens']:,.0f} tokens are kept of every request instead of {old['target_tokens']:,.0f}."
    if _grew(old, new, "batch"):
        return f"{new['batch']:,.0f} requests keep theirs instead of {old['batch']:,.0f}."
    return None


def _memory(old: Facts, new: Facts) -> str | None:
    parts = {
        "weights_bytes": "The weights take",
        "kv_cache_bytes": "The KV cache takes",
        "workspace_bytes": "Workspace takes",
    }
    part = max(parts, key=lambda name: new[name] - old[name])
    return f"{parts[part]} {_instead(old, new, part, 'B')}." if new[part] > old[part] else None


def _room(old: Facts, new: Facts) -> str | None:
    if new["capacity_bytes"] < old["capacity_bytes"]:
        return f"The card has {_instead(old, new, 'capacity_bytes', 'B')}."
    each = [facts["kv_cache_bytes"] / facts["batch"] for facts in (new, old)]
    if each[0] > each[1] * _NOTABLE:
        return f"The cache of one request takes {show(each[0], 'B')} instead of {show(each[1], 'B')}."
    return f"The weights take {_instead(old, new, 'weights_bytes', 'B')}." if _grew(old, new, "weights_bytes") else None


def _first(old: Facts, new: Facts) -> str | None:
    part = max(("prefill_linear_s", "prefill_attention_s"), key=lambda name: new[name] - old[name])
    if not _grew(old, new, part):
        return None
    took = _instead(old, new, part, "s")
    if part == "prefill_attention_s":
        return (
            "Every token of the prompt looks at all before it, so attention grows with the square of its length: "
            f"{took}."
        )
    return f"The linear layers compute every token of every prompt: {took}."


def _slower(old: Facts, new: Facts) -> str | None:
    part = max(("linear_s", "attention_s"), key=lambda name: new[name] - old[name])
    if not _grew(old, new, part):
        return None
    took = _instead(old, new, part, "s")
    if new["bandwidth_bytes_per_s"] < old["bandwidth_bytes_per_s"]:
        return f"The card reads at {_instead(old, new, 'bandwidth_bytes_per_s', 'B/s')}: {took}."
    if part == "attention_s":
        return f"Every step reads the whole cache, {_instead(old, new, 'kv_cache_bytes', 'B')}: {took}."
    return f"Every step reads the weights, {_instead(old, new, 'weights_bytes', 'B')}: {took}."


def _cost(old: Facts, new: Facts) -> str | None:
    ratio = new["output_tokens_per_s"] / old["output_tokens_per_s"]
    if _grew(old, new, "price_usd_per_hour"):
        prices = f"${new['price_usd_per_hour']:g} an hour instead of ${old['price_usd_per_hour']:g}"
        return f"The card costs {prices} and yields {show(ratio, '')} times the tokens."
    if new["target_tokens"] > old["target_tokens"]:
        return (
            f"The same 256 tokens come after a longer prompt, and each of them reads it: {show(ratio, '')} times the "
            "tokens."
        )
    return _slower(old, new) or _first(old, new)
