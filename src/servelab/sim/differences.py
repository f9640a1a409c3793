"""What differs between runs of the same requests, and why, in sentences made of the runs' own numbers.

A sentence is only made where the figures are clearly apart, and it gives as a reason only what was counted.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import NamedTuple

import numpy as np

from servelab.sim.blame import ttft_parts
from servelab.sim.run import Run
from servelab.specs.scheduler import Scheduler
from servelab.units import show

#: Figures closer than this factor are not told apart.
_CLEARLY = 1.1

#: Fields that may tell two schedulers of one policy apart, in the order in which they are named.
_FIELDS = (
    "admission",
    "max_num_seqs",
    "max_num_batched_tokens",
    "max_prefill_tokens_per_step",
    "block_size",
    "kv_blocks",
    "watermark_fraction",
)

_REASONS = {
    "wait_slots_s": "waiting for a free slot",
    "wait_blocks_s": "waiting for free blocks",
    "wait_order_s": "waiting for its turn",
    "prefill_s": "in its own prefill",
    "recompute_s": "being preempted and computed again",
}


class Difference(NamedTuple):
    """One sentence, the figure of the summary it is about, and the runs it names, by their place."""

    text: str
    figure: str
    runs: tuple[int, ...]


class _Named(NamedTuple):
    """A run as sentences need it."""

    place: int
    name: str
    run: Run

    def figure(self, name: str) -> float:
        """A figure of the summary that is there."""
        return float(self.run.summary[name])


def differences(runs: Sequence[Run]) -> list[Difference]:
    """The sentences, the most important first; none for a run alone."""
    names = names_of([run.scheduler for run in runs])
    named = [_Named(*each) for each in zip(range(len(runs)), names, runs, strict=True)]
    served = [one for one in named if one.run.summary["ttft_mean_s"] is not None]
    told = [_rejections(named)] if len(named) > 1 else []
    if len(served) > 1:
        told += [say(served) for say in _SENTENCES]
    return [one for one in told if one]


def names_of(schedulers: Sequence[Scheduler]) -> list[str]:
    """Each scheduler by its policy, and by what else sets it apart from others of that policy."""
    return [_name(one, [other for other in schedulers if other.policy == one.policy]) for one in schedulers]


def _name(scheduler: Scheduler, alike: Sequence[Scheduler]) -> str:
    apart = [name for name in _FIELDS if len({getattr(other, name) for other in alike}) > 1]
    settings = ", ".join(f"{name} {_setting(getattr(scheduler, name))}" for name in apart)
    return f"{scheduler.policy} ({settings})" if settings else scheduler.policy


def _setting(value: object) -> str:
    return "none" if value is None else f"{value}"


def _gaps(runs: Sequence[_Named]) -> Difference | None:
    """The tail of the gaps between tokens: what prefills put between them, and what the better one pays for it.

    First between those that let requests join a running batch: static batching has no such gaps, but another price.
    """
    known = [one for one in runs if one.run.summary["itl_p99_s"] is not None]
    joining = [one for one in known if one.run.scheduler.policy != "static"]
    pair = _apart(joining, "itl_p99_s") or _apart(known, "itl_p99_s")
    if pair is None:
        return None
    best, worst = pair
    text = (
        f"{_capital(best.name)} keeps the p99 gap between tokens at {show(best.figure('itl_p99_s'), 's')} where "
        f"{worst.name} lets it reach {show(worst.figure('itl_p99_s'), 's')}{_others(known, pair, 'itl_p99_s')}"
    )
    stalls = _stalled_share(best.run), _stalled_share(worst.run)
    if stalls[1] > stalls[0]:
        less = f"{best.name} {_percent(stalls[0])}" if stalls[0] else f"{best.name} never does"
        text += (
            f", as {worst.name} prefills up to {_largest_prefill(worst.run):,} tokens in one pass and stalls decoding "
            f"requests {_percent(stalls[1])} of their time ({less})"
        )
    ttft = best.figure("ttft_mean_s"), worst.figure("ttft_mean_s")
    if ttft[0] > _CLEARLY * ttft[1]:
        text += f"; the mean TTFT of {best.name} is {show(ttft[0], 's')} instead of {show(ttft[1], 's')}"
    return Difference(f"{text}.", "itl_p99_s", (best.place, worst.place))


def _first_tokens(runs: Sequence[_Named]) -> Difference | None:
    """The mean time to the first token, and the part of it in which the two differ most."""
    pair = _apart(runs, "ttft_mean_s")
    if pair is None:
        return None
    best, worst = pair
    parts = [{name: float(np.nanmean(part)) for name, part in ttft_parts(one.run.requests).items()} for one in pair]
    reason = max(_REASONS, key=lambda name: parts[1][name] - parts[0][name])
    text = (
        f"The first token comes after {show(best.figure('ttft_mean_s'), 's')} on average with {best.name} and after "
        f"{show(worst.figure('ttft_mean_s'), 's')} with {worst.name}{_others(runs, pair, 'ttft_mean_s')}: a request "
        f"spends {show(parts[1][reason], 's')} instead of {show(parts[0][reason], 's')} {_REASONS[reason]}"
    )
    if reason == "wait_order_s":
        text += _heads(worst)
    return Difference(f"{text}.", "ttft_mean_s", (best.place, worst.place))


def _heads(one: _Named) -> str:
    """What the head of the queue, behind which the others wait, waits for most of the time, where it does."""
    waits = {name: float(np.nansum(one.run.requests[name])) for name in ("wait_slots_s", "wait_blocks_s")}
    longest = max(waits, key=lambda name: waits[name])
    share = waits[longest] / one.figure("makespan_s")
    what = _REASONS[longest].removeprefix("waiting for ")
    return f", behind a head of the queue that waits for {what} {_percent(share)} of the run" if share > 0.1 else ""


def _throughput(runs: Sequence[_Named]) -> Difference | None:
    """Tokens a second, and how many requests ran together meanwhile; or that the arrivals set them."""
    pair = _apart(runs, "output_tokens_per_s", high_is_good=True)
    if pair:
        best, worst = pair
        rates = [one.figure("output_tokens_per_s") for one in pair]
        text = f"{_capital(best.name)} yields {show(rates[0], 'tokens/s')}, {worst.name} {show(rates[1], 'tokens/s')}"
        together = [one.figure("batch_mean") for one in pair]
        if together[0] > _CLEARLY * together[1]:
            text += f": on average {show(together[0], '')} requests run together instead of {show(together[1], '')}"
        return Difference(f"{text}.", "output_tokens_per_s", (best.place, worst.place))
    arrivals = runs[0].run.requests["arrival_s"]
    span_s, longest_s = float(arrivals[-1] - arrivals[0]), max(one.figure("makespan_s") for one in runs)
    if longest_s > _CLEARLY * span_s:
        return None
    text = (
        f"Throughput is nearly the same for all, as the arrivals set it: the last token comes "
        f"{show(longest_s, 's')} after the first arrival at the latest, and for {show(span_s, 's')} requests arrive"
    )
    return Difference(f"{text}.", "output_tokens_per_s", tuple(one.place for one in runs))


def _preemptions(runs: Sequence[_Named]) -> Difference | None:
    """Who preempts most, and what computing again costs."""
    most = max(runs, key=lambda one: one.figure("preemptions"))
    least = min(runs, key=lambda one: one.figure("preemptions"))
    if most.figure("preemptions") <= _CLEARLY * least.figure("preemptions"):
        return None
    lost_s = float(np.nanmean(most.run.requests["recompute_s"]))
    count = int(least.figure("preemptions"))
    other = f"{least.name} {count:,} times" if count else f"{least.name} never does"
    text = (
        f"{_capital(most.name)} runs out of blocks and preempts {_times(int(most.figure('preemptions')))}, "
        f"which costs a request {show(lost_s, 's')} on average; {other}"
    )
    return Difference(f"{text}.", "preemptions", (most.place, least.place))


def _attainment(runs: Sequence[_Named]) -> Difference | None:
    """How many requests meet the targets."""
    if runs[0].run.summary["slo_attainment"] is None:
        return None
    order = sorted(runs, key=lambda one: -one.figure("slo_attainment"))
    shares = [_percent(one.figure("slo_attainment")) for one in order]
    if shares[0] == shares[-1]:
        text = f"The targets are met by {shares[0]} of the requests whatever the scheduler"
    else:
        others = ", ".join(f"{one.name} {share}" for one, share in zip(order[1:], shares[1:], strict=True))
        text = f"Of all requests {shares[0]} meet the targets with {order[0].name}; {others}"
    return Difference(f"{text}.", "slo_attainment", tuple(one.place for one in order))


def _rejections(runs: Sequence[_Named]) -> Difference | None:
    """Requests that are larger than the whole cache."""
    counts = [int(one.figure("rejections")) for one in runs]
    if not any(counts):
        return None
    if len(set(counts)) == 1:
        many = f"{counts[0]:,} of {runs[0].run.requests.rows:,}"
        text = f"{many} requests need more blocks than the whole cache has and are rejected whatever the scheduler"
    else:
        told = ", ".join(f"{one.name} {count:,}" for one, count in zip(runs, counts, strict=True))
        text = f"Requests that need more blocks than the whole cache has are rejected: {told}"
    return Difference(f"{text}.", "rejections", tuple(one.place for one in runs))


_SENTENCES: tuple[Callable[[Sequence[_Named]], Difference | None], ...] = (
    _gaps,
    _first_tokens,
    _throughput,
    _preemptions,
    _attainment,
)


def _apart(runs: Sequence[_Named], figure: str, *, high_is_good: bool = False) -> tuple[_Named, _Named] | None:
    """The best and the worst run of a figure, where they are clearly apart."""
    if len(runs) < 2:
        return None
    order = sorted(runs, key=lambda one: one.figure(figure), reverse=high_is_good)
    low, high = sorted((order[0].figure(figure), order[-1].figure(figure)))
    return (order[0], order[-1]) if high > _CLEARLY * low else None


def _others(runs: Sequence[_Named], pair: Sequence[_Named], figure: str) -> str:
    """The figure of the runs between the best and the worst, in brackets."""
    told = ", ".join(f"{one.name} {show(one.figure(figure), 's')}" for one in runs if one not in pair)
    return f" ({told})" if told else ""


def _stalled_share(run: Run) -> float:
    """The share of all time between first and last tokens, but for preemptions, that went to prefills of others."""
    stalled, decoding = (float(np.nansum(run.requests[name])) for name in ("stall_s", "decode_s"))
    return stalled / (stalled + decoding) if stalled + decoding else 0.0


def _largest_prefill(run: Run) -> int:
    """The most tokens that one pass prefilled while others were past their prefill."""
    timeline = run.timeline
    held_up = timeline["prefill_tokens"][timeline["decoding"] > 0]
    return int(held_up.max()) if len(held_up) else 0


def _percent(share: float) -> str:
    digits = 1 if 0 < share < 0.1 or 0.9 < share < 1 else 0
    return f"{share:.{digits}%}".replace("%", " %")


def _times(count: int) -> str:
    return "once" if count == 1 else f"{count:,} times"


def _capital(name: str) -> str:
    return name[0].upper() + name[1:]
