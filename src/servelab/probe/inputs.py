"""Made heads: independent queries, and keys and values that are alike in nearby heads.

Heads of a trained model are neither copies of each other nor independent. Here a head is a sum of parts, one for each
level of a binary tree over the heads: the first part is shared by all, the next by each half, and so on down to the
head's own. Pooling heads that share much costs little, pooling all of them costs much.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from servelab.probe.attention import Heads

QUERY_HEADS = 32
TOKENS = 48
WIDTH = 128

#: Variance of the part that each of so many groups shares. They add up to 1, so that scores q·k/√d have variance 1:
#: softmax then is neither flat nor a choice of one token, and fewer KV heads never lower the error.
VARIANCES = {1: 0.05, 2: 0.45, 4: 0.28, 8: 0.15, 16: 0.05, 32: 0.02}

#: Below a seed, so that these draws are independent of any others made from it.
_BRANCH = 3


class Made(NamedTuple):
    """Heads × tokens × width."""

    queries: Heads
    keys: Heads
    values: Heads


def made(seed: int) -> Made:
    """The heads of a seed: three streams, for queries, keys and values."""
    streams = np.random.SeedSequence(seed, spawn_key=(_BRANCH,)).spawn(3)
    queries, keys, values = (np.random.Generator(np.random.PCG64(stream)) for stream in streams)
    return Made(queries.standard_normal((QUERY_HEADS, TOKENS, WIDTH)), _tree(keys), _tree(values))


def _tree(rng: np.random.Generator) -> Heads:
    heads = np.zeros((QUERY_HEADS, TOKENS, WIDTH))
    for groups, variance in VARIANCES.items():
        parts = np.sqrt(variance) * rng.standard_normal((groups, 1, TOKENS, WIDTH))
        grouped = heads.reshape(groups, QUERY_HEADS // groups, TOKENS, WIDTH)
        grouped += parts
    return heads
