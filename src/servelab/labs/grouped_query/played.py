"""One run of the lab with everything that its figures are made from."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from servelab.labs.grouped_query import replica
from servelab.labs.grouped_query.settings import PRICES_USD_PER_HOUR, Settings
from servelab.labs.grouped_query.traffic import traffic
from servelab.probe.quality import Conversion
from servelab.sim.run import Options, Run, simulate
from servelab.specs.traffic import Traffic

#: A server must answer while the compiled engine is not ready; the plain one gives the same figures, slower.
_OPTIONS = Options(wait_for_compiler=False)


@dataclass(frozen=True, eq=False)
class Played:
    """A set-up, its room for a cache, its traffic and what became of it; `run` is None where nothing could run."""

    settings: Settings
    events: tuple[str, ...]
    seed: int
    kv_blocks: int
    traffic: Traffic | None
    run: Run | None

    @property
    def kv_bytes_per_token(self) -> int:
        """κ."""
        return replica.kv_bytes_per_token(self.settings.kv_heads, self.settings.kv_cache)

    @property
    def capacity_tokens(self) -> int:
        """Tokens that the cache holds."""
        return self.kv_blocks * replica.BLOCK_TOKENS

    @property
    def price_usd_per_hour(self) -> float:
        """Of the card, illustrative."""
        return PRICES_USD_PER_HOUR[self.settings.card]

    @property
    def served(self) -> int:
        """Requests that were not rejected."""
        return 0 if self.run is None or self.traffic is None else len(self.traffic) - self.run.summary["rejections"]

    @property
    def conversion(self) -> Conversion:
        """What was done to the model, for the quality probe."""
        settings = self.settings
        trained = settings.origin == "trained"
        return Conversion(settings.kv_heads, settings.kv_cache, settings.uptraining_fraction, trained)


def play(settings: Settings, events: tuple[str, ...], seed: int) -> Played:
    """Draw the traffic, find the room, run."""
    requests = traffic(settings, events, seed)
    bytes_per_token = replica.kv_bytes_per_token(settings.kv_heads, settings.kv_cache)
    blocks = replica.kv_blocks(replica.cache_bytes(settings.card, events), bytes_per_token)
    run: Any = None
    if requests is not None and blocks:
        run = simulate(replica.step_costs(settings), requests, replica.SCHEDULER, blocks, _OPTIONS)
    return Played(settings, events, seed, blocks, requests, run)
