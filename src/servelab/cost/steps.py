"""Times of passes as coefficients: what the engine steps with, taken from the same stages as every estimate.

    pass time = rest + Σ over stages of max(math side, data side)

Every side, and the rest, is affine in the features of a pass: 1, n, Σ c, the number of chunks and, by kind of attention
(one kind for each window), the summed contexts S of the decodes, the query-key pairs and the cached reads of the
chunks. What is not affine in the tokens of a pass, the experts that it leaves untouched, goes into a table.
"""

from __future__ import annotations

import math
import sys
from collections.abc import Callable
from typing import Any, NamedTuple

from servelab.cost.calibrated import overhead_s
from servelab.cost.collectives import communication_s
from servelab.cost.passes import Features, Seen, pass_work
from servelab.cost.roofline import attention_rates, effective_rates, peak_rates, refuse_beyond_numbers, slowest_rate
from servelab.cost.work import Affine
from servelab.errors import SpecError
from servelab.specs.deployment import Deployment

#: A pass of this many tokens leaves no expert untouched, but for rounding; a power of two, so that it divides exactly.
_MANY_TOKENS = 2**20

#: Less than this share of a pass of one token is rounding.
_ROUNDING = 1e-12
#: What is left of a pass of very many tokens where two of them are subtracted, as a share: a few last digits.
_CANCELLED = 2.0**-50

#: A larger coefficient leads, times the largest counts and squared, beyond all numbers.
_LARGEST_S = 1e75

_NOTHING_SEEN = Seen(Affine(0.0), 0.0, 0.0)
_ONE_SEEN = ((1.0, 0.0, 0.0), (0.0, 1.0, 0.0), (0.0, 0.0, 1.0))


class Side(NamedTuple):
    """Seconds by feature: constant, a decode token, a chunk token, a chunk; by kind a token of context, a pair, a read.

    `tabled_s`, where not empty, adds seconds by the tokens of the pass, its last entry standing for all beyond.
    """

    constant_s: float = 0.0
    decode_token_s: float = 0.0
    chunk_token_s: float = 0.0
    chunk_s: float = 0.0
    context_s: tuple[float, ...] = ()
    pair_s: tuple[float, ...] = ()
    read_s: tuple[float, ...] = ()
    tabled_s: tuple[float, ...] = ()


class StepCosts(NamedTuple):
    """Coefficients of the pass time. `stages` are pairs of sides, the longer of which counts; `rest` always does.

    `windows` are the tokens that a query of each kind of attention sees at most; None for all.
    """

    stages: tuple[tuple[Side, Side], ...]
    rest: Side
    windows: tuple[int | None, ...] = (None,)


def step_costs(deployment: Deployment) -> StepCosts:
    """The coefficients of `deployment`.

    Raises SpecError where a rate that times need is not known, or so small that times are beyond all numbers.
    """
    peak = peak_rates(deployment)
    if peak is None:
        name = f"accelerator.flop_per_s.{deployment.compute_format}"
        raise SpecError(name, "the rate is not known; give it, since step times follow from it")
    if deployment.tensor_parallel > 1 and deployment.link is None:
        raise SpecError("accelerator.link_bytes_per_s", "the link is not known; give its rate in bytes/s per direction")
    speeds = {"linear": effective_rates(deployment, peak), "attention": attention_rates(deployment, peak)}
    if min(slowest_rate(deployment, rates) for rates in speeds.values()) < sys.float_info.min:
        refuse_beyond_numbers(deployment, math.inf)
    sides = [
        _side(deployment, stage, quantity, rate)
        for stage, rates in speeds.items()
        for quantity, rate in (("flop", rates.flop_per_s), ("bytes", rates.bytes_per_s))
    ]
    rest = _rest(deployment)
    if not all(_largest(side) <= _LARGEST_S for side in (*sides, rest)):
        refuse_beyond_numbers(deployment, math.inf)
    return StepCosts(((sides[0], sides[1]), (sides[2], sides[3])), rest, (None, *deployment.model.windows))


def _largest(side: Side) -> float:
    """The largest coefficient of a side; NaN where one is."""
    flat = [value for part in side for value in (part if isinstance(part, tuple) else (part,))]
    return math.nan if any(map(math.isnan, flat)) else max(map(abs, flat))


def _side(deployment: Deployment, stage: str, quantity: str, rate: float) -> Side:
    """One side of a stage, read off the stage's work at one unit of each feature."""
    windows = deployment.model.windows

    def work(seen: tuple[float, float, float] = (0.0, 0.0, 0.0), within: int | None = None, **feature: float) -> Affine:
        windowed = tuple(
            (window, Seen(Affine(seen[0]), *seen[1:]) if window == within else _NOTHING_SEEN) for window in windows
        )
        timed = pass_work(deployment, Features(windowed=windowed, **feature)).timed
        amount: Affine = getattr(getattr(timed, stage), quantity)
        return amount

    def tokens(count: float) -> float:
        return work(chunk_tokens=count).at_zero

    most = tokens(2 * _MANY_TOKENS)
    constant = tokens(_MANY_TOKENS) - (most - tokens(_MANY_TOKENS))
    token = (most - tokens(_MANY_TOKENS)) / _MANY_TOKENS
    least = max((constant + token) * _ROUNDING, most * _CANCELLED)
    empty = work()

    def each(**feature: Any) -> float:
        return (work(**feature).at_zero - empty.at_zero) / rate

    kinds = [{"seen": one, "within": window} for window in windows for one in _ONE_SEEN]
    of_windows = [each(**kind) for kind in kinds]
    part = each(chunks=1.0, emitting_chunks=1.0)
    return Side(
        constant_s=constant / rate,
        # a decode takes part as a chunk does: either has its state read and, where that is counted, emits a token
        decode_token_s=token / rate + part,
        chunk_token_s=token / rate,
        chunk_s=part,
        context_s=(empty.slope / rate, *of_windows[0::3]),
        pair_s=(each(chunk_pairs=1.0), *of_windows[1::3]),
        read_s=(each(chunk_reads=1.0), *of_windows[2::3]),
        tabled_s=_table(lambda count: (tokens(count) - constant - token * count) / rate, least / rate),
    )


def _table(excess: Callable[[float], float], least_s: float) -> tuple[float, ...]:
    """What comes on top of the affine part, by the tokens of the pass, until it no longer counts."""
    table: list[float] = []
    while len(table) < _MANY_TOKENS:
        table.append(excess(float(len(table))))
        if abs(table[-1]) <= least_s:
            break
    return tuple(table) if len(table) > 1 else ()


def _rest(deployment: Deployment) -> Side:
    """The fixed overhead of a pass and its communication."""
    fixed = communication_s(deployment, 0.0)
    token = communication_s(deployment, 1.0) - fixed
    still = overhead_s(deployment, 0.0, 0.0, 0.0)
    # a decode is a token and a request; a chunk's tokens count apart from it
    decode, part, chunk = (overhead_s(deployment, *each) - still for each in ((1, 1, 0), (1, 0, 0), (0, 1, 1)))
    return Side(still + fixed, token + decode, token + part, chunk)
