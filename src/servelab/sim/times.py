"""Times of passes from coefficients: a sum over stages of the longer of two sides, each affine in the features.

The features of a pass are 1, n, Σ c, the number of chunks and, by kind of attention, the summed contexts S, the pairs
and the reads of its chunks. A side may add an entry of a table over the tokens of the pass, for what is not affine in
them.
"""

from __future__ import annotations

from servelab.sim.state import UNBOUNDED, Kind, State

#: Features before those of the first kind of attention, and features of a kind.
LEADING, BY_KIND = 4, 3

#: More passes than any run has.
MOST_PASSES = 1e15


def add_chunk(s: State, kinds: list[Kind], offset: int, length: int) -> None:
    """Put a prefill chunk of `length` tokens, with `offset` tokens of its prompt cached before it, into the pass.

    A token at position i sees min(i, window) tokens; the chunk reads those of its prefix that its first token sees.
    """
    s.chunk_tokens += length
    s.chunks += 1
    for kind in range(len(kinds)):
        window = kinds[kind].window
        full = min(max(window - offset, 0), length)  # its first tokens, which see all that is before them
        kinds[kind].chunk_pairs += 1.0 * offset * full + 0.5 * full * (full + 1.0) + 1.0 * window * (length - full)
        kinds[kind].chunk_reads += min(offset, window - 1) + length


def drop_chunks(s: State, kinds: list[Kind]) -> None:
    """Start to put a pass together: no chunks yet."""
    s.chunk_tokens = 0
    s.chunks = 0
    s.prefill_from = s.requests
    for kind in range(len(kinds)):
        kinds[kind].chunk_pairs = 0.0
        kinds[kind].chunk_reads = 0.0


def decode_side(s: State, kinds: list[Kind], costs: list[float], at: int) -> float:
    """Seconds of one side of a stage (or of the rest), whose coefficients begin at `at`, for the decodes of a pass."""
    seconds = costs[at] + costs[at + 1] * s.decodes
    if s.decodes > 0:
        for kind in range(len(kinds)):
            seconds += costs[at + LEADING + BY_KIND * kind] * kinds[kind].context_sum
    return seconds


def chunk_side(s: State, kinds: list[Kind], costs: list[float], at: int) -> float:
    """Seconds that the chunks of the pass add to that side."""
    seconds = costs[at + 2] * s.chunk_tokens + costs[at + 3] * s.chunks
    for kind in range(len(kinds)):
        base = at + LEADING + BY_KIND * kind
        seconds += costs[base + 1] * kinds[kind].chunk_pairs + costs[base + 2] * kinds[kind].chunk_reads
    return seconds


def tabled(s: State, costs: list[float], at: int, tokens: int) -> float:
    """Seconds of the table of that side for a pass of `tokens` tokens."""
    begin = s.features * (2 * s.stages + 1) + at // s.features * s.tabled_tokens
    return costs[begin + min(tokens, s.tabled_tokens - 1)]


def rate(kinds: list[Kind], costs: list[float], at: int) -> float:
    """What a side grows by from one decode pass to the next, in seconds."""
    seconds = 0.0
    for kind in range(len(kinds)):
        seconds += costs[at + LEADING + BY_KIND * kind] * kinds[kind].growing
    return seconds


def pass_times(s: State, kinds: list[Kind], costs: list[float]) -> tuple[float, float, float, int]:
    """Seconds of the pass; what each next decode pass takes longer; seconds with its decodes only; how long that holds.

    It holds until in some stage the other side becomes the longer one; there both are equal, so that a pass more or
    less by rounding makes no difference.
    """
    rest = 2 * s.stages * s.features
    alone, slope, holds = decode_side(s, kinds, costs, rest), rate(kinds, costs, rest), UNBOUNDED
    seconds = alone
    if s.chunk_tokens > 0:
        seconds += chunk_side(s, kinds, costs, rest)
    for stage in range(s.stages):
        math_at = 2 * stage * s.features
        data_at = math_at + s.features
        math_s, data_s = decode_side(s, kinds, costs, math_at), decode_side(s, kinds, costs, data_at)
        if s.chunk_tokens > 0:
            whole_math_s = math_s + chunk_side(s, kinds, costs, math_at)
            whole_data_s = data_s + chunk_side(s, kinds, costs, data_at)
            if s.tabled_tokens > 0:
                whole_math_s += tabled(s, costs, math_at, s.decodes + s.chunk_tokens)
                whole_data_s += tabled(s, costs, data_at, s.decodes + s.chunk_tokens)
            seconds += max(whole_math_s, whole_data_s)
        if s.tabled_tokens > 0:
            math_s += tabled(s, costs, math_at, s.decodes)
            data_s += tabled(s, costs, data_at, s.decodes)
        alone += max(math_s, data_s)
        if s.chunk_tokens == 0:
            slower, faster = rate(kinds, costs, math_at), rate(kinds, costs, data_at)
            if math_s < data_s:
                slower, faster = faster, slower
            slope += slower
            lead = abs(math_s - data_s)
            if faster > slower and lead < (faster - slower) * MOST_PASSES:
                holds = min(holds, int(lead / (faster - slower)) + 1)
    return (seconds if s.chunk_tokens > 0 else alone), slope, (alone if s.decodes > 0 else 0.0), holds


def time_of(first_s: float, slope_s: float, passes: int) -> float:
    """Seconds of `passes` passes, each of which takes `slope_s` longer than the one before."""
    return passes * first_s + slope_s * (0.5 * passes * (passes - 1))


KERNELS = (add_chunk, drop_chunks, decode_side, chunk_side, tabled, rate, pass_times, time_of)
