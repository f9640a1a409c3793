"""Starting points for traffic: the requests, the limits all schedulers share, and what their latencies should meet.

Round numbers of ours, each to show one effect on the example of Llama-3.1-8B on one H100; nobody's measurements.
"""

from __future__ import annotations

from dataclasses import dataclass

from servelab.specs.arrivals import Arrivals, Burst
from servelab.specs.lengths import Lengths
from servelab.specs.scheduler import Scheduler


@dataclass(frozen=True)
class Preset:
    """One starting point; the scheduler's policy is the page's to vary."""

    id: str
    title: str
    summary: str
    traffic: Arrivals
    scheduler: Scheduler
    ttft_target_s: float
    tpot_target_s: float


PRESETS = (
    Preset(
        "chat",
        "Chat",
        "Short questions, middling answers, a steady rate: nobody should wait.",
        Arrivals(1_000, Lengths.lognormal(512, 0.8), Lengths.exponential(256), 20),
        Scheduler(max_num_seqs=128),
        ttft_target_s=0.2,
        tpot_target_s=0.02,
    ),
    Preset(
        "long-documents",
        "Long documents",
        "Thousands of tokens in, a summary out: a whole prompt takes as long as dozens of decode steps.",
        Arrivals(400, Lengths.uniform(4_000, 16_000), Lengths.exponential(200), 1.5),
        Scheduler(max_num_seqs=64, max_num_batched_tokens=2_048),
        ttft_target_s=2.0,
        tpot_target_s=0.03,
    ),
    Preset(
        "agents",
        "Agents",
        "Long histories, long thoughts, each caller waiting for one answer before it asks again: the cache fills up.",
        Arrivals(800, Lengths.lognormal(3_000, 0.5), Lengths.lognormal(800, 0.7), clients=128, think_s=2.0),
        Scheduler(max_num_seqs=256),
        ttft_target_s=2.0,
        tpot_target_s=0.05,
    ),
    Preset(
        "burst",
        "A burst",
        "A calm minute, then six times the rate for ten seconds: who waits, and how long until the queue is gone?",
        Arrivals(
            1_000,
            Lengths.lognormal(768, 0.6),
            Lengths.exponential(300),
            8,
            bursts=(Burst(30, 40, 6),),
        ),
        Scheduler(max_num_seqs=128),
        ttft_target_s=0.5,
        tpot_target_s=0.03,
    ),
)
