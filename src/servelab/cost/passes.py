"""One pass of the model: from its features to the work of its stages.

A pass is described by its features alone: n decode tokens whose contexts sum to S (each context counts the token
itself), and prefill chunks, chunk j being c_j tokens at offset s_j. For a given n and given chunks, the work of every
stage is affine in S: these coefficients are what planning, simulation and calibration share.

    linear     FLOP = 2 P T              bytes = W + 4 L T h
    attention  FLOP = Σ f A              bytes = Σ κ (K + T) + states + 4 L T h      sums over streams (streams.py)
    T = n + Σ c_j        A = S + Σ (s_j c_j + c_j (c_j + 1) / 2)        K = S + Σ (s_j + c_j)

P counts what a token goes through and W what the pass touches (weights.py). Where a query sees w tokens at most, a
decode token has min(context, w) pairs and reads as many; a chunk has Σ_{i=1..c} min(s + i, w) pairs and reads
min(s, w − 1) + c. A state of fixed size, which every device holds whole, is read and written once per pass and
request. FLOP and bytes are sums over the devices: what is split is counted once, what every device holds a copy of is
read by each.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import NamedTuple

from servelab.cost.calibrated import linear_terms, timed_attention, timed_linear
from servelab.cost.streams import streams
from servelab.cost.weights import weights_of
from servelab.cost.work import Affine, Work
from servelab.specs.deployment import Deployment
from servelab.specs.formats import ACTIVATION_BYTES, bytes_per_kv_value

_WHOLE_CONTEXT = Affine(0.0, 1.0)


class Seen(NamedTuple):
    """What queries that see a limited number of tokens see in a pass.

    `decode` is Σ min(context, window) over decode tokens as a function of S: it holds until the next decode reaches
    the window. `chunk_pairs` and `chunk_reads` are the chunks' own sums.
    """

    decode: Affine
    chunk_pairs: float
    chunk_reads: float


class Features(NamedTuple):
    """A pass without its summed context S: decode tokens, and sums over its prefill chunks.

    `emitting_chunks` counts the chunks that complete their prompt, each of which emits a token; `chunks` counts all.
    `windowed` holds the sums within each window that the model has.
    """

    decode_tokens: float = 0.0
    chunk_tokens: float = 0.0
    chunk_pairs: float = 0.0
    chunk_reads: float = 0.0
    emitting_chunks: float = 0.0
    chunks: float = 0.0
    windowed: tuple[tuple[int, Seen], ...] = ()

    @classmethod
    def of(
        cls,
        decode_tokens: int,
        chunks: Iterable[tuple[int, int]],
        emitting_chunks: int = 0,
        *,
        windows: Sequence[int] = (),
        contexts: Sequence[int] = (),
    ) -> Features:
        """The features of `decode_tokens` and chunks of (offset, length).

        For a model with windows (model.windows), `contexts` are those of the decode tokens, now: until one more of
        them reaches a window, each min(context, window) grows with its context or not at all.
        """
        pairs = list(chunks)
        return cls(
            float(decode_tokens),
            float(sum(length for _, length in pairs)),
            float(sum(offset * length + length * (length + 1) // 2 for offset, length in pairs)),
            float(sum(offset + length for offset, length in pairs)),
            float(emitting_chunks),
            float(len(pairs)),
            tuple((window, _seen(window, pairs, contexts)) for window in windows),
        )

    @classmethod
    def prefill(cls, batch: int, prompt_tokens: int, windows: Sequence[int] = ()) -> Features:
        """`batch` whole prompts of the same length."""
        tokens = float(batch) * prompt_tokens
        pairs = tokens * (prompt_tokens + 1) / 2
        windowed = tuple(
            (window, Seen(Affine(0.0), float(batch) * window_pairs(0, prompt_tokens, window), tokens))
            for window in windows
        )
        return cls(0.0, tokens, pairs, tokens, float(batch), float(batch), windowed)

    @classmethod
    def decode(cls, batch: int, context: int, windows: Sequence[int] = ()) -> Features:
        """`batch` decode tokens that all have this context, or a later one on the same side of every window."""
        if not windows:
            return cls(float(batch))
        windowed = tuple(
            (window, Seen(Affine(float(batch) * window) if context > window else _WHOLE_CONTEXT, 0.0, 0.0))
            for window in windows
        )
        return cls(decode_tokens=float(batch), windowed=windowed)

    @property
    def tokens(self) -> float:
        """T, the tokens processed."""
        return self.decode_tokens + self.chunk_tokens

    @property
    def requests(self) -> float:
        """How many requests take part: one for each decode token and each chunk."""
        return self.decode_tokens + self.chunks

    def seen(self, window: int | None) -> Seen:
        """The sums within `window`; with None, over the whole context. KeyError where they were not asked for."""
        if window is None:
            return Seen(_WHOLE_CONTEXT, self.chunk_pairs, self.chunk_reads)
        for known, seen in self.windowed:
            if known == window:
                return seen
        raise KeyError(f"the features hold no sums within a window of {window} tokens")


def _seen(window: int, chunks: Sequence[tuple[int, int]], contexts: Sequence[int]) -> Seen:
    """Sums within `window`. Contexts below it grow by one a step like S does, n a step in all; the others stay."""
    growing = sum(1 for context in contexts if context < window)
    inside, total = sum(min(context, window) for context in contexts), sum(contexts)
    slope = growing / len(contexts) if contexts else 0.0
    return Seen(
        Affine(inside - slope * total, slope),
        float(sum(window_pairs(offset, length, window) for offset, length in chunks)),
        float(sum(min(offset, window - 1) + length for offset, length in chunks)),
    )


def window_pairs(offset: int, length: int, window: int) -> int:
    """Σ_{i=1..length} min(offset + i, window): the query–key pairs of a chunk whose tokens see `window` tokens."""
    below = min(max(window - offset, 0), length)  # tokens that still see all before them
    return offset * below + below * (below + 1) // 2 + (length - below) * window


class Stages(NamedTuple):
    """The work of a pass by stage."""

    linear: Work
    attention: Work


class PassWork(NamedTuple):
    """What a pass does, and the least that any implementation of it could do.

    `timed` is the stages' work as it is paid for: with a profile, what is lost on small passes, on routed experts and
    on the attention of decodes comes on top of it (calibrated.py).
    """

    stages: Stages
    least: Work
    timed: Stages


def stages(deployment: Deployment, features: Features) -> Stages:
    """The work of one pass, summed over devices, as functions of S."""
    return pass_work(deployment, features).stages


def least_work(deployment: Deployment, features: Features) -> Work:
    """What no implementation avoids: the FLOP and bytes under the floor of a pass.

    Every weight but the embedding table and untouched experts is used and read once (tied: the table is read for the
    head), the head only where a token is emitted, the cache is read, once over all devices; nothing for activations
    and states. Without a vocabulary all weights count.
    """
    return pass_work(deployment, features).least


def pass_work(deployment: Deployment, features: Features) -> PassWork:
    """Both, from the same sums."""
    model, tokens, weights = deployment.model, features.tokens, weights_of(deployment)
    flop, decodes, moved, once = _attention(deployment, features)
    active = model.active_parameters
    activations = 2 * ACTIVATION_BYTES * model.layers * tokens * model.hidden
    states = 2.0 * model.state_bytes * features.requests * deployment.tensor_parallel
    untouched = weights.untouched_bytes(tokens, deployment.expert_skew)
    table, head = model.table_parameters, model.head_parameters
    emitting = features.decode_tokens + features.emitting_chunks
    least_flop = 2.0 * (active - table - head) * tokens + 2.0 * (head or table) * emitting + flop.at_zero
    least = Work(
        Affine(least_flop, flop.slope), Affine(weights.multiplied_bytes - untouched + once.at_zero, once.slope)
    )
    attention = Work(flop, Affine(moved.at_zero + states + activations, moved.slope))
    profile = deployment.calibration
    if profile is None:
        linear = Work(Affine(2.0 * active * tokens), Affine(weights.decoder_bytes - untouched + activations))
        done = Stages(linear, attention)
        return PassWork(done, least, done)
    linear = Work(Affine(least_flop - flop.at_zero), Affine(weights.multiplied_bytes - untouched + activations))
    paid = Stages(
        timed_linear(linear_terms(deployment, tokens, emitting), deployment.weight_format, profile),
        timed_attention(attention, decodes, deployment.kv_cache, profile),
    )
    return PassWork(Stages(linear, attention), least, paid)


def _attention(deployment: Deployment, features: Features) -> tuple[Affine, Affine, Affine, Affine]:
    """FLOP of attention, those of decodes among them, the cache bytes that devices move as they hold them, and those
    read once over all devices.

    What each device holds a copy of moves on each, and what is processed is written as well.
    """
    value, devices, written = bytes_per_kv_value(deployment.kv_cache), deployment.tensor_parallel, features.tokens
    flop = flop_slope = decodes = moved = moved_slope = once = once_slope = 0.0
    for stream in streams(deployment.model):
        decode, chunk_pairs, chunk_reads = features.seen(stream.seen)
        flop += stream.decode_flop * decode.at_zero + stream.chunk_flop * chunk_pairs
        decodes += stream.decode_flop * decode.at_zero
        flop_slope += stream.decode_flop * decode.slope
        per_token = stream.bytes_per_token(value)
        held = per_token * devices / stream.ways(devices)
        read = decode.at_zero + chunk_reads
        moved += held * (read + written)
        moved_slope += held * decode.slope
        once += per_token * read
        once_slope += per_token * decode.slope
    return (
        Affine(flop, flop_slope),
        Affine(decodes, flop_slope),
        Affine(moved, moved_slope),
        Affine(once, once_slope),
    )


def weights_bytes(deployment: Deployment, weights: str | None = None) -> float:
    """W, the bytes of all that the checkpoint holds, in the deployment's format or in the one named."""
    return weights_of(deployment, weights).held_bytes


def kv_bytes_per_token(deployment: Deployment, kv_cache: str | None = None) -> float:
    """κ, the KV cache of one token in bytes: keys and values of every layer and KV head, each head once."""
    value = bytes_per_kv_value(kv_cache or deployment.kv_cache)
    return sum(stream.bytes_per_token(value) for stream in streams(deployment.model))


def held_kv_bytes_per_token(deployment: Deployment) -> float:
    """κ as all devices hold it together: more than κ where heads are replicated or a latent is held by each."""
    value, devices = bytes_per_kv_value(deployment.kv_cache), deployment.tensor_parallel
    return sum(stream.bytes_per_token(value) * devices / stream.ways(devices) for stream in streams(deployment.model))
