"""How sure a profile's figures are: what 80 % of measurements lay between, of models it was not fitted to.

The ratios of measured to predicted come from models left out. Where a cell (an engine on an accelerator) has few of its
own, those of its family, and then of all, fill up; they count less the further away they are.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable
from typing import NamedTuple

import numpy as np

from servelab.fidelity.fitting import Cell
from servelab.specs.profile import METRICS

#: 80 % lie between the quantiles of 10 and 90 %. With n models behind the ratios it is n / (n + this) of the 10 %,
#: since few models do not show how far off one more can be; whole batches stray least from model to model.
_OUTSIDE, _UNDER_LOAD, _MODELS = 0.1, 6, {"ttft_s": 6, "tpot_s": 10, "e2e_s": 2.6}
#: What a model counts by where it was measured: in the cell, in its family, anywhere.
_CELL, _FAMILY, _ANY = 1.0, 0.15, 0.01
#: No interval is narrower than this on either side.
_LEAST = 0.03

#: The figure whose residuals tell of a metric.
_KINDS = {
    "ttft_s": "ttft_s",
    "prefill_tokens_per_s": "ttft_s",
    "tpot_s": "tpot_s",
    "decode_tokens_per_s": "tpot_s",
    "e2e_s": "e2e_s",
    "output_tokens_per_s": "e2e_s",
    "requests_per_s": "e2e_s",
}
#: Whose residuals tell of a kind of figure of a batch: decodes are most of its time.
_TELLING = {"ttft_s": ("ttft_s",), "tpot_s": ("tpot_s", "e2e_s"), "e2e_s": ("e2e_s",)}
_RATES = frozenset(name for name in _KINDS if name.endswith("_per_s"))


class Residual(NamedTuple):
    """One measurement of a model left out: log measured − log predicted."""

    cell: Cell
    family: tuple[str, str]
    model: str
    metric: str
    simulated: bool
    experts: bool
    error: float

    @property
    def slower(self) -> float:
        """The same as of a time: rates turned over."""
        return -self.error if self.metric in _RATES else self.error


Spread = tuple[float, float]


def spread_without(residuals: list[Residual]) -> Callable[[Residual], Spread]:
    """The interval of a row from the residuals of other models, as ratios of its prediction."""
    pools = _pools(residuals)
    kept: dict[tuple[object, ...], Spread] = {}

    def ratios(of: Residual) -> Spread:
        kind = _KINDS[of.metric]
        key = (of.cell, kind, of.model, of.simulated)
        if key not in kept:
            telling = (kind,) if of.simulated else _TELLING[kind]
            known = [one for near in telling for one in pools[near, of.simulated, of.experts]]
            others = [one for one in known if one.model != of.model]
            kept[key] = _quantiles(others, of.cell, of.family, _UNDER_LOAD if of.simulated else _MODELS[kind])
        low, high = kept[key]
        return (1 / high, 1 / low) if of.metric in _RATES else (low, high)

    return ratios


def expert_factor(residuals: list[Residual]) -> float:
    """How many times wider intervals are (in logarithms) for models with routed experts; at least 1."""
    sizes = [
        float(np.quantile([abs(one.error) for one in residuals if one.experts is experts and not one.simulated], 0.8))
        for experts in (True, False)
    ]
    return max(1.0, float(f"{sizes[0] / sizes[1]:.3g}"))


def spreads(residuals: list[Residual]) -> Callable[[Cell | None, tuple[str, str] | None], dict[str, Spread]]:
    """The spread that a profile states for dense models, by metric."""
    pools = _pools(residuals)

    def of(cell: Cell | None, family: tuple[str, str] | None) -> dict[str, Spread]:
        found = {}
        for metric in METRICS:
            kind = _KINDS[metric]
            own = [one for near in _TELLING[kind] for one in pools[near, False, False]]  # of batches, as estimates are
            low, high = _quantiles(own, cell, family, _MODELS[kind])
            pair = (1 / high, 1 / low) if metric in _RATES else (low, high)
            found[metric] = (float(f"{pair[0]:.3g}"), float(f"{pair[1]:.3g}"))
        return found

    return of


def _pools(residuals: list[Residual]) -> dict[tuple[str, bool, bool], list[Residual]]:
    pools: dict[tuple[str, bool, bool], list[Residual]] = defaultdict(list)
    for one in residuals:
        pools[_KINDS[one.metric], one.simulated, one.experts].append(one)
    return pools


def _quantiles(residuals: list[Residual], cell: Cell | None, family: tuple[str, str] | None, further: float) -> Spread:
    """Ratios between which 80 % of the weight lies; rows of one model in one cell count as one model.

    With n models behind them n / (n + `further`) of the outside is left out.
    """
    if not residuals:
        return 0.5, 2.0
    counts: dict[tuple[Cell, str], int] = defaultdict(int)
    for one in residuals:
        counts[one.cell, one.model] += 1
    weights = np.array(
        [
            (_CELL if one.cell == cell else _FAMILY if one.family == family else _ANY) / counts[one.cell, one.model]
            for one in residuals
        ]
    )
    errors = np.array([one.slower for one in residuals])
    order = np.argsort(errors)
    share = (np.cumsum(weights[order]) - weights[order] / 2) / weights.sum()
    outside = _outside(residuals, weights, further)
    low, high = np.interp([outside, 1 - outside], share, errors[order])
    return float(np.exp(min(low, -_LEAST))), float(np.exp(max(high, _LEAST)))


def _outside(residuals: list[Residual], weights: np.ndarray[tuple[int], np.dtype[np.float64]], further: float) -> float:
    """The share of the weight beyond either end, by how many models there are in effect: (Σ w)² / Σ w²."""
    by_model: dict[str, float] = defaultdict(float)
    for one, weight in zip(residuals, weights, strict=True):
        by_model[one.model] += float(weight)
    models = sum(by_model.values()) ** 2 / sum(weight**2 for weight in by_model.values())
    return _OUTSIDE * models / (models + further)
