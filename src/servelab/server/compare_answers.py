"""The answers about several schedulers. Columns are lists of equal length; times are seconds, counts whole."""

from __future__ import annotations

from dataclasses import dataclass

from servelab.specs.scheduler import Scheduler

Times = list[float | None]


@dataclass(frozen=True)
class Parts:
    """Where time went, in seconds; the parts sum to the whole."""

    wait_slots_s: float
    wait_blocks_s: float
    wait_order_s: float
    prefill_s: float
    decode_s: float
    stall_s: float
    recompute_s: float


@dataclass(frozen=True)
class MeanBlame:
    """Means over the requests that were served, whole and part by part; a TTFT has no decode_s and no stall_s."""

    ttft_s: float
    e2e_s: float
    ttft_parts: Parts
    e2e_parts: Parts


@dataclass(frozen=True)
class SlowBlame:
    """The request at the 99th percentile, and what those ahead of it waited for at the head of the queue meanwhile."""

    request: int
    total_s: float
    parts: Parts
    ahead: dict[str, float]


@dataclass(frozen=True)
class BlameAnswer:
    """Where latency went; null where nothing was served."""

    mean: MeanBlame | None
    slow_ttft: SlowBlame | None
    slow_e2e: SlowBlame | None


@dataclass(frozen=True)
class Refusal:
    """Why one of the schedulers could not run."""

    field: str
    message: str


@dataclass(frozen=True)
class ComparedRun:
    """The run under one scheduler; all but the scheduler is null where it was refused."""

    scheduler: Scheduler
    refusal: Refusal | None
    summary: dict[str, float | int | None] | None
    steps: int | None
    kv_blocks: int | None
    end_s: float | None
    blame: BlameAnswer | None


@dataclass(frozen=True)
class DistributionAnswer:
    """How many values each run has in bins edge ≤ x < next edge; counts are exact, null for a refused scheduler."""

    edges_s: list[float]
    counts: list[list[int] | None]


@dataclass(frozen=True)
class Distributions:
    """Of requests: TTFT, TPOT (more than one output token) and end-to-end time; of all gaps between tokens: ITL."""

    ttft: DistributionAnswer
    tpot: DistributionAnswer
    itl: DistributionAnswer
    e2e: DistributionAnswer


@dataclass(frozen=True)
class Sentence:
    """What differs between the schedulers, and why, from the numbers of these runs."""

    text: str
    figure: str
    schedulers: list[int]


@dataclass(frozen=True)
class ShownRequests:
    """The requests told one by one, the same for every run: of those from first to last, each index that every divides.

    All requests that are in the system at some time of the window lie between first and last; count is how many.
    """

    first: int
    last: int
    every: int
    count: int
    request: list[int]
    prompt_tokens: list[int]
    output_tokens: list[int]


@dataclass(frozen=True)
class BinColumns:
    """Means over each bin, to six digits. Waiting is what the scheduler counts; queue counts from the arrival on.

    The last five are requests by phase of life; together they are all requests in the system.
    """

    running: list[float]
    waiting: list[float]
    kv_occupancy: list[float]
    queue: list[float]
    prefill: list[float]
    decode: list[float]
    stalled: list[float]
    preempted: list[float]


@dataclass(frozen=True)
class BinTotals:
    """Exact time integrals over the window: request-seconds; of kv_occupancy, a share, seconds."""

    running_s: float
    waiting_s: float
    kv_occupancy_s: float
    queue_s: float
    prefill_s: float
    decode_s: float
    stalled_s: float
    preempted_s: float


@dataclass(frozen=True)
class RequestTimes:
    """Times of the requests shown, to the microsecond; all but the arrival are null where rejected."""

    arrival_s: list[float]
    admitted_s: Times
    first_token_s: Times
    finished_s: Times


@dataclass(frozen=True)
class PreemptedStretches:
    """From a preemption to the next token, of the requests shown."""

    request: list[int]
    start_s: list[float]
    end_s: list[float]


@dataclass(frozen=True)
class PassColumns:
    """Rows of the timeline: a pass, or a run of decode passes alike. Decoding requests stall after start + decode_s."""

    start_s: list[float]
    end_s: list[float]
    running: list[float]
    waiting: list[float]
    kv_blocks: list[float]
    prefill_tokens: list[float]
    decoding: list[float]
    decode_s: list[float]


@dataclass(frozen=True)
class RunWindow:
    """One run within the window; passes are null where they are more than 600."""

    bins: BinColumns
    totals: BinTotals
    requests: RequestTimes
    preempted: PreemptedStretches
    pass_count: int
    passes: PassColumns | None


@dataclass(frozen=True)
class Window:
    """A stretch of simulated time in equal bins, under every scheduler; null for a refused one."""

    start_s: float
    end_s: float
    bins: int
    requests: ShownRequests
    runs: list[RunWindow | None]


@dataclass(frozen=True)
class Comparison:
    """The same requests under every scheduler; the common time axis is 0 to end_s.

    A trace's format is named, and its content may be asked for again by its digest.
    """

    format: str | None
    trace_digest: str | None
    requests: int
    prompt_tokens: int
    output_tokens: int
    first_arrival_s: float
    last_arrival_s: float
    end_s: float
    runs: list[ComparedRun]
    distributions: Distributions
    words: list[Sentence]
    window: Window


@dataclass(frozen=True)
class LifeColumns:
    """Pieces in order, without gaps, from the arrival to the last token: queue, prefill, decode, stalled, preempted."""

    phase: list[str]
    start_s: list[float]
    end_s: list[float]


@dataclass(frozen=True)
class RequestLife:
    """What one request went through; null times, parts and an empty life where it was rejected.

    A life of very many pieces has its stalls merged into decode, and says so.
    """

    request: int
    rejected: bool
    prompt_tokens: int
    output_tokens: int
    preemptions: int
    arrival_s: float
    admitted_s: float | None
    first_token_s: float | None
    finished_s: float | None
    queue_s: float | None
    ttft_s: float | None
    tpot_s: float | None
    e2e_s: float | None
    parts: Parts | None
    life: LifeColumns
    merged: bool


@dataclass(frozen=True)
class Step:
    """One row of the timeline, of so many rows; null where there is none."""

    row: int | None
    rows: int
    start_s: float | None = None
    end_s: float | None = None
    running: float | None = None
    waiting: float | None = None
    kv_blocks: float | None = None
    kv_occupancy: float | None = None
    prefill_tokens: float | None = None
    decoding: float | None = None
    decode_s: float | None = None
