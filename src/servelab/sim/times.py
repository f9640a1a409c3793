"""Times of passes from coefficients: a sum over stages of the longer of two sides, each affine in the features.

The features of a pass are 1, n, Σ c, the number of chunks and, by kind of attention, the summed contexts S, the pairs
and the reads of its chunks. Most models have one kind: it stands before the loop over the others. A side may add an
entry of a table over the tokens of the pass, for what is not affine in them.
"""

from __future__ import annotations

from servelab.sim.state import Cost, Kind, Replica, State, Times


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


def decode_side(r: Replica, costs: list[Cost], side: int) -> tuple[float, float]:
    """Seconds of one side of a stage (or of the rest) for the decodes of a pass, and what it grows by to the next."""
    s, kinds = r.state, len(r.kinds)
    cost = costs[side * kinds]
    seconds = cost.constant_s + cost.decode_token_s * s.decodes
    growth = cost.context_s * r.kinds[0].growing
    if s.decodes > 0:
        seconds += cost.context_s * r.kinds[0].context_sum
    for kind in range(1, kinds):
        context_s = costs[side * kinds + kind].context_s
        growth += context_s * r.kinds[kind].growing
        if s.decodes > 0:
            seconds += context_s * r.kinds[kind].context_sum
    return seconds, growth


def chunk_side(r: Replica, costs: list[Cost], side: int) -> float:
    """Seconds that the chunks of the pass add to that side."""
    s, first, kinds = r.state, r.kinds[0], len(r.kinds)
    cost = costs[side * kinds]
    seconds = cost.chunk_token_s * s.chunk_tokens + cost.chunk_s * s.chunks
    seconds += cost.pair_s * first.chunk_pairs + cost.read_s * first.chunk_reads
    for kind in range(1, kinds):
        more = costs[side * kinds + kind]
        seconds += more.pair_s * r.kinds[kind].chunk_pairs + more.read_s * r.kinds[kind].chunk_reads
    return seconds


def tabled(s: State, tables: list[float], side: int, tokens: int) -> float:
    """Seconds of the table of that side for a pass of `tokens` tokens."""
    size = s.tabled_tokens
    return tables[side * size + min(tokens, size - 1)]


def pass_times(r: Replica, times: Times, most: int) -> tuple[float, float, float, int]:
    """Seconds of the pass; what each next decode pass takes longer; seconds with its decodes only; how long that holds.

    It holds for `most` passes or until in some stage the other side becomes the longer one; there both are equal, so
    that a pass more or less by rounding makes no difference.
    """
    s, costs = r.state, times.costs
    rest = 2 * s.stages
    alone, slope = decode_side(r, costs, rest)
    seconds, holds = alone, most
    if s.chunk_tokens > 0:
        seconds += chunk_side(r, costs, rest)
    for math in range(0, rest, 2):
        data = math + 1
        math_s, slower = decode_side(r, costs, math)
        data_s, faster = decode_side(r, costs, data)
        if s.chunk_tokens > 0:
            whole_math_s = math_s + chunk_side(r, costs, math)
            whole_data_s = data_s + chunk_side(r, costs, data)
            if s.tabled_tokens > 0:
                whole_math_s += tabled(s, times.tables, math, s.decodes + s.chunk_tokens)
                whole_data_s += tabled(s, times.tables, data, s.decodes + s.chunk_tokens)
            seconds += max(whole_math_s, whole_data_s)
        if s.tabled_tokens > 0:
            math_s += tabled(s, times.tables, math, s.decodes)
            data_s += tabled(s, times.tables, data, s.decodes)
        alone += max(math_s, data_s)
        if s.chunk_tokens == 0:
            if math_s < data_s:
                slower, faster = faster, slower
            slope += slower
            lead = abs(math_s - data_s)
            if lead < (faster - slower) * (holds - 1):
                holds = min(holds, int(lead / (faster - slower)) + 1)
    return (seconds if s.chunk_tokens > 0 else alone), slope, (alone if s.decodes > 0 else 0.0), holds


def time_of(first_s: float, slope_s: float, passes: int) -> float:
    """Seconds of `passes` passes, each of which takes `slope_s` longer than the one before."""
    return passes * first_s + slope_s * (0.5 * passes * (passes - 1))


KERNELS = (add_chunk, drop_chunks, decode_side, chunk_side, tabled, pass_times, time_of)
