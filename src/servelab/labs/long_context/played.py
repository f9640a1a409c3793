"""One run of the lab with everything that its figures are made from."""

from __future__ import annotations

import dataclasses
import functools
from dataclasses import dataclass

import numpy as np

from servelab import api
from servelab.cost.estimate import Estimate
from servelab.cost.grid import Grid
from servelab.labs.grouped_query.settings import PRICES_USD_PER_HOUR
from servelab.labs.long_context.settings import OUTPUT_TOKENS, Settings
from servelab.probe import rope
from servelab.probe.rope import Extension, Floats, Rotary
from servelab.specs.accelerator import Accelerator
from servelab.specs.deployment import Deployment
from servelab.specs.model import Model
from servelab.specs.workload import Workload

#: Distances that are near: what they look like must not change.
NEARBY_TOKENS = 64


@dataclass(frozen=True, eq=False)
class Played:
    """A set-up, its angles as trained and as stretched, and what the planner says of the target and trained length."""

    settings: Settings
    rotary: Rotary
    extension: Extension
    trained: Floats
    now: Floats
    estimate: Estimate
    before: Estimate

    @property
    def overreach(self) -> Floats:
        """By pair: the largest angle at the target over the largest of training; 1 where every angle was seen."""
        return rope.overreach(self.rotary, self.now, self.settings.target_tokens)

    @property
    def unseen_fraction(self) -> float:
        """The share of the pairs that meet an angle they never saw."""
        return float(np.mean(self.overreach > 1))

    @property
    def resolution(self) -> float:
        """How far apart neighbours are, as a share of what they were in training."""
        return rope.neighbour_distance(self.now) / rope.neighbour_distance(self.trained)

    @property
    def nearby_change(self) -> float:
        """Root mean square of how much attention over the nearest distances is another than in training."""
        near = np.arange(1, NEARBY_TOKENS + 1, dtype=np.float64)
        moved = rope.attention_by_distance(self.now, near) - rope.attention_by_distance(self.trained, near)
        return float(np.sqrt(np.mean(moved**2)))


def play(settings: Settings) -> Played:
    """Turn the angles, ask the planner."""
    rotary = Rotary(settings.head_dim, settings.base, settings.trained_tokens)
    extension = extension_of(settings, settings.method)
    return Played(
        settings,
        rotary,
        extension,
        rope.frequencies(rotary),
        rope.extended(rotary, extension),
        estimated(settings, settings.target_tokens),
        estimated(settings, settings.trained_tokens),
    )


def extension_of(settings: Settings, method: str) -> Extension:
    """One of the methods at the factor that is set; nothing is stretched by less than 1."""
    factor = max(1.0, settings.headroom * settings.target_tokens / settings.trained_tokens)
    return Extension(method, factor, settings.yarn_alpha, settings.yarn_beta)


@functools.cache
def model(name: str) -> Model:
    """The catalogue's model."""
    return Model.load(name)


@functools.cache
def card(name: str) -> Accelerator:
    """The card's datasheet, at an illustrative price."""
    return dataclasses.replace(Accelerator.load(name), price_usd_per_hour=PRICES_USD_PER_HOUR[name])


def estimated(settings: Settings, context_tokens: int) -> Estimate:
    """What the planner says of requests of that context, the answer at its end."""
    return _estimated(settings.model, settings.card, settings.kv_cache, context_tokens, settings.batch)


@functools.lru_cache(maxsize=64)
def _estimated(model_name: str, card_name: str, kv_cache: str, context_tokens: int, batch: int) -> Estimate:
    workload = Workload(context_tokens - OUTPUT_TOKENS, OUTPUT_TOKENS, batch=batch)
    return api.estimate(Deployment(model(model_name), card(card_name), kv_cache=kv_cache), workload)


@functools.lru_cache(maxsize=64)
def over_contexts(model_name: str, card_name: str, kv_cache: str, contexts: tuple[int, ...], batch: int) -> Grid:
    """The same for many contexts."""
    deployment = Deployment(model(model_name), card(card_name), kv_cache=kv_cache)
    prompts = [tokens - OUTPUT_TOKENS for tokens in contexts]
    return api.grid(deployment, prompt_tokens=prompts, output_tokens=OUTPUT_TOKENS, batch=batch)
