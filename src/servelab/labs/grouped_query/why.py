"""Why a figure became worse, in words made from the numbers of the two runs."""

from __future__ import annotations

from collections.abc import Callable, Mapping

from servelab.labs.figures import show
from servelab.labs.grouped_query import replica
from servelab.labs.result import Outcome

#: What moves less than this is no reason for anything.
_NOTABLE = 1.02

Facts = Mapping[str, float]


def why(before: Outcome, after: Outcome) -> dict[str, str]:
    """A sentence for every figure whose change has a cause that the runs tell; the caller shows those of worse ones."""
    old, new = before.result.facts, after.result.facts
    reasons: dict[str, str | None] = {"quality": _quality(old, new), "capacity_tokens": _capacity(old, new)}
    if "token_s" in old and "token_s" in new:
        slower = _slower_tokens(old, new)
        reasons |= dict.fromkeys(("tpot_p50_s", "tpot_p99_s", "itl_p50_s", "itl_p99_s"), slower)
        reasons |= dict.fromkeys(("ttft_p50_s", "ttft_p99_s"), _first_token(old, new) or slower)
        reasons["output_tokens_per_s"] = _throughput(old, new)
        reasons["cost_usd_per_million_output_tokens"] = _cost(old, new)
        reasons["preemptions"] = _preemptions(new)
        reasons["rejections"] = _rejections(new)
    return {name: reason for name, reason in reasons.items() if reason}


def _grew(old: Facts, new: Facts, name: str) -> bool:
    return new[name] > old[name] * _NOTABLE


def _slower_tokens(old: Facts, new: Facts) -> str | None:
    """The time between two tokens is a sum of four parts: the one that grew most is the reason."""
    parts: dict[str, Callable[[Facts, Facts], str]] = {
        "fixed_s": _slower_card,
        "cache_s": _more_cache,
        "stall_s": _more_prefill,
        "recompute_s": _more_recomputation,
    }
    part = max(parts, key=lambda name: new[name] - old[name])
    if not _grew(old, new, part):
        return None
    return parts[part](old, new)


def _slower_card(old: Facts, new: Facts) -> str:
    weights, rates = show(replica.WEIGHTS_BYTES, "B"), _instead(old, new, "bandwidth_bytes_per_s", "B/s")
    return f"Every pass reads the {weights} of weights, now at {rates}."


def _more_cache(old: Facts, new: Facts) -> str:
    reads = f"so the cache that a pass reads takes {_instead(old, new, 'cache_s', 's')}."
    if new["bandwidth_bytes_per_s"] < old["bandwidth_bytes_per_s"]:
        return f"The card reads at {_instead(old, new, 'bandwidth_bytes_per_s', 'B/s')}, {reads}"
    if _grew(old, new, "kv_bytes_per_token"):
        return f"A token keeps {_instead(old, new, 'kv_bytes_per_token', 'B')}, {reads}"
    if _grew(old, new, "batch"):
        return f"{_together(old, new)}, {reads}"
    return f"Contexts are longer, {reads}"


def _more_prefill(old: Facts, new: Facts) -> str:
    share = f"of a token's time, prompts prefilled beside it take {_instead(old, new, 'stall_s', 's')}"
    if _grew(old, new, "prefill_token_s"):
        return f"The card computes more slowly: {share}."
    if _grew(old, new, "batch"):
        since = ", since they no longer wait for room" if new["queue_s"] * _NOTABLE < old["queue_s"] else ""
        return f"{_together(old, new)}: {share}{since}."
    return f"There is more prompt to every answer: {share}."


def _more_recomputation(old: Facts, new: Facts) -> str:
    counts = f"{new['preemptions']:,.0f} preemptions instead of {old['preemptions']:,.0f}"
    return f"{counts} interrupt answers: what they had cached is computed anew."


def _together(old: Facts, new: Facts) -> str:
    verb = "fit" if new["capacity_tokens"] > old["capacity_tokens"] else "run"
    return f"More requests {verb} at once, {_instead(old, new, 'batch', '')} on average"


def _instead(old: Facts, new: Facts, name: str, unit: str) -> str:
    return f"{show(new[name], unit)} instead of {show(old[name], unit)}"


def _first_token(old: Facts, new: Facts) -> str | None:
    if not _grew(old, new, "queue_s"):
        return None
    waits = f"Requests wait {_instead(old, new, 'queue_s', 's')} on average until their prefill begins"
    if new["wait_blocks_s"] > old["wait_blocks_s"] * _NOTABLE and new["capacity_tokens"] < old["capacity_tokens"]:
        sizes = f"{new['capacity_tokens']:,.0f} tokens instead of {old['capacity_tokens']:,.0f}"
        return f"{waits}: the cache holds {sizes}, so those ahead must finish first."
    if new["occupancy_peak"] > 0.99:
        return f"{waits}: the cache is full, so those ahead must finish first."
    return f"{waits}, behind those that came before."


def _throughput(old: Facts, new: Facts) -> str | None:
    if new["batch"] * _NOTABLE < old["batch"] and new["occupancy_peak"] > 0.99:
        return (
            f"Fewer requests fit, {_instead(old, new, 'batch', '')} on average, and a pass yields one token for each."
        )
    if new["offered_tokens"] < old["offered_tokens"] / _NOTABLE:
        return (
            f"Less was asked for: {new['offered_tokens']:,.0f} output tokens instead of {old['offered_tokens']:,.0f}."
        )
    if new["rejections"] > old["rejections"]:
        return f"{new['rejections']:,.0f} requests were turned away instead of {old['rejections']:,.0f}."
    if _grew(old, new, "makespan_s"):
        return (
            f"The same answers take {_instead(old, new, 'makespan_s', 's')} from the first arrival to the last token."
        )
    return None


def _cost(old: Facts, new: Facts) -> str | None:
    if _grew(old, new, "price_usd_per_hour"):
        ratio = new["output_tokens_per_s"] / old["output_tokens_per_s"]
        prices = f"${new['price_usd_per_hour']:g} an hour instead of ${old['price_usd_per_hour']:g}"
        return f"The card costs {prices} and yields {show(ratio, '')} times the tokens."
    if new["output_tokens_per_s"] * _NOTABLE < old["output_tokens_per_s"]:
        return _throughput(old, new)
    return None


def _preemptions(new: Facts) -> str:
    return (
        "Answers grow until the cache is full; then the newest request gives up its blocks. "
        f"The cache holds {new['capacity_tokens']:,.0f} tokens, and {show(new['batch'], '')} requests share it."
    )


def _rejections(new: Facts) -> str:
    return (
        f"The cache holds {new['capacity_tokens']:,.0f} tokens; the longest request needs "
        f"{new['longest_tokens']:,.0f}, and what needs more than the whole cache is turned away."
    )


def _quality(old: Facts, new: Facts) -> str | None:
    if new["pooling_left"] > old["pooling_left"]:
        if new["kv_heads"] < old["kv_heads"]:
            pooled = f"{new['kv_heads']:.0f} KV heads must stand for what {old['kv_heads']:.0f} did"
        else:
            pooled = "Less training wins back less of what pooling cost"
        moved = " instead of ".join(show(facts["pooling_left"], "fraction") for facts in (new, old))
        return " ".join([f"{pooled}: the output of attention is off by {moved}.", *_rounded(old, new)])
    if new["rounding"] > old["rounding"]:
        return " ".join(_rounded(old, new))
    return "The same conversion on the heads of another seed." if new["seed"] != old["seed"] else None


def _rounded(old: Facts, new: Facts) -> list[str]:
    if new["rounding"] <= old["rounding"]:
        return []
    moved = show(new["rounding"], "fraction")
    return [f"FP8 keeps three binary digits after the first: rounding alone moves the output by {moved}."]


def _capacity(old: Facts, new: Facts) -> str | None:
    if _grew(old, new, "kv_bytes_per_token"):
        return f"A token keeps {_instead(old, new, 'kv_bytes_per_token', 'B')}."
    if new["room_bytes"] < old["room_bytes"]:
        return f"The room for the cache is {_instead(old, new, 'room_bytes', 'B')}."
    return None
