"""Why a figure became worse, in words made from the numbers of the two runs."""

from __future__ import annotations

from collections.abc import Callable, Mapping

from servelab.labs.figures import show
from servelab.labs.result import Outcome

#: What moves less than this is no reason for anything.
_NOTABLE = 1.02

#: Parts of a pass that go on beside each other.
_AT_ONCE = {"pass_weights_s": "reading the weights", "pass_arithmetic_s": "its arithmetic"}

Facts = Mapping[str, float]


def why(before: Outcome, after: Outcome) -> dict[str, str]:
    """A sentence for every figure whose change has a cause that the runs tell; the caller shows those of worse ones."""
    old, new = before.result.facts, after.result.facts
    reasons: dict[str, str | None] = {"capacity_tokens": _capacity(old, new)}
    if "pass_s" in old and "pass_s" in new:
        slower = _slower_tokens(old, new)
        reasons |= dict.fromkeys(("tpot_p50_s", "tpot_p99_s", "itl_p50_s", "itl_p99_s"), slower)
        reasons |= dict.fromkeys(("ttft_p50_s", "ttft_p99_s"), _first_token(old, new))
        reasons["cost_usd_per_million_output_tokens"] = _cost(old, new)
    return {name: reason for name, reason in reasons.items() if reason}


def _slower_tokens(old: Facts, new: Facts) -> str | None:
    """Passes of decodes, prompts beside them, and what is computed anew: the part that grew most is the reason."""
    parts: dict[str, Callable[[Facts, Facts], str]] = {
        "decode_s": _longer_passes,
        "stall_s": lambda old, new: (
            f"Of a token's time, prompts of others take {_instead(old, new, 'stall_s', 's')}: a pass that prefills "
            "takes longer."
        ),
        "recompute_s": lambda old, new: (
            f"{new['preemptions']:,.0f} preemptions instead of {old['preemptions']:,.0f}: what they had cached is "
            "computed anew."
        ),
    }
    part = max(parts, key=lambda name: new[name] - old[name])
    return parts[part](old, new) if _grew(old, new, part) else None


def _longer_passes(old: Facts, new: Facts) -> str:
    """The part of a pass that grew most; of arithmetic and weights, which go on at once, the longer is a part."""
    words = {
        "pass_cache_s": "attention over the cache",
        "pass_rest_s": "all else (the host, exchange between cards)",
    }
    grown = {name: new[name] - old[name] for name in words}
    was, now = (max(_AT_ONCE, key=lambda name: facts[name]) for facts in (old, new))
    part = max(grown, key=lambda name: grown[name])
    if new[now] - old[was] > grown[part]:
        took = f"{_AT_ONCE[now]} takes {show(new[now], 's')} instead of {show(old[was], 's')}"
        told = took if was == now else f"{took} for {_AT_ONCE[was]}"
    else:
        told = f"{words[part]} takes {_instead(old, new, part, 's')}"
    count = f"{show(new['decodes'], '')} requests instead of {show(old['decodes'], '')} decode in a pass"
    head = count if _grew(old, new, "decodes") else "A pass takes longer"
    return f"{head}, and {told}."


def _first_token(old: Facts, new: Facts) -> str | None:
    if _grew(old, new, "queue_s") and new["queue_s"] - old["queue_s"] > new["own_prefill_s"] - old["own_prefill_s"]:
        return f"Requests wait {_instead(old, new, 'queue_s', 's')} on average until their prefill begins."
    if _grew(old, new, "own_prefill_s"):
        return f"Its own prefill takes a prompt {_instead(old, new, 'own_prefill_s', 's')} on average."
    return None


def _cost(old: Facts, new: Facts) -> str | None:
    if _grew(old, new, "price_usd_per_hour"):
        prices = f"${new['price_usd_per_hour']:g} an hour instead of ${old['price_usd_per_hour']:g}"
        ratio = show(new["output_tokens_per_s"] / old["output_tokens_per_s"], "")
        return f"The cards cost {prices}, and yield {ratio} times the tokens."
    if _grew(old, new, "makespan_s"):
        return f"The traffic takes {_instead(old, new, 'makespan_s', 's')} from the first arrival to the last token."
    return None


def _capacity(old: Facts, new: Facts) -> str | None:
    if _grew(old, new, "kv_bytes_per_token"):
        return f"A token keeps {_instead(old, new, 'kv_bytes_per_token', 'B')}."
    if _grew(old, new, "weights_bytes"):
        return f"The weights take {_instead(old, new, 'weights_bytes', 'B')} on each card."
    return None


def _grew(old: Facts, new: Facts, name: str) -> bool:
    return new[name] > old[name] * _NOTABLE


def _instead(old: Facts, new: Facts, name: str, unit: str) -> str:
    return f"{show(new[name], unit)} instead of {show(old[name], unit)}"
