"""The traffic of the lab: drawn as unit variates from three streams of one seed, then scaled.

The streams do not know the settings, so that a change of one setting leaves every other draw as it was.
"""

from __future__ import annotations

import functools
from collections.abc import Collection
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from servelab.labs.grouped_query.settings import BURST, BURST_END_S, BURST_START_S, LONG_DOCUMENTS, Settings
from servelab.specs.traffic import Traffic

#: Arrivals end here; what has arrived is then served to its end.
HORIZON_S = 120.0

MEAN_OUTPUT_TOKENS = 256.0
LONG_DOCUMENT_FACTOR = 3

#: Draws made at once; more follow where they do not reach the horizon.
_DRAWS = 4096


class Draws(NamedTuple):
    """Unit variates, one a request: arrivals at rate 1, prompts on [0, 1), outputs of mean 1."""

    arrivals: NDArray[np.float64]
    prompts: NDArray[np.float64]
    outputs: NDArray[np.float64]


@functools.lru_cache(maxsize=32)
def draws(seed: int, count: int = _DRAWS) -> Draws:
    """The first `count` draws of a seed; a longer list begins with the shorter one."""
    gaps, prompts, outputs = (np.random.Generator(np.random.PCG64(s)) for s in np.random.SeedSequence(seed).spawn(3))
    return Draws(
        np.cumsum(gaps.standard_exponential(count)), prompts.random(count), outputs.standard_exponential(count)
    )


def traffic(settings: Settings, events: Collection[str], seed: int) -> Traffic | None:
    """The requests of a run in order; None where nobody comes within the horizon."""
    burst, count = BURST in events, _DRAWS
    until = expected_arrivals(HORIZON_S, settings.requests_per_s, burst=burst)
    while draws(seed, count).arrivals[-1] <= until:
        count *= 2
    unit = draws(seed, count)
    arrived = int(np.searchsorted(unit.arrivals, until))
    if not arrived:
        return None
    prompts = whole(settings.prompt_tokens * (0.5 + unit.prompts[:arrived]))
    if LONG_DOCUMENTS in events:
        prompts = prompts * LONG_DOCUMENT_FACTOR
    return Traffic(
        times(unit.arrivals[:arrived], settings.requests_per_s, burst=burst),
        prompts,
        whole(MEAN_OUTPUT_TOKENS * unit.outputs[:arrived]),
    )


def expected_arrivals(time_s: float, requests_per_s: float, *, burst: bool) -> float:
    """The integral of the rate from 0 to `time_s`: a burst doubles it while it lasts."""
    extra_s = min(max(time_s - BURST_START_S, 0.0), BURST_END_S - BURST_START_S) if burst else 0.0
    return requests_per_s * (time_s + extra_s)


def times(unit: NDArray[np.float64], requests_per_s: float, *, burst: bool) -> NDArray[np.float64]:
    """Unit-rate arrivals in seconds: the inverse of `expected_arrivals`."""
    times: NDArray[np.float64] = unit / requests_per_s
    if not burst:
        return times
    length_s = BURST_END_S - BURST_START_S
    within = BURST_START_S + (times - BURST_START_S) / 2
    after = times - length_s
    return np.where(times < BURST_START_S, times, np.where(within < BURST_END_S, within, after))


def whole(lengths: NDArray[np.float64]) -> NDArray[np.int64]:
    """Rounded half up, at least 1."""
    return np.maximum(np.floor(lengths + 0.5), 1).astype(np.int64)
