"""Paths through all there is to do, for people who come with different questions."""

from __future__ import annotations

from dataclasses import dataclass

from servelab.specs.fields import Choice

#: What a step leads to: a lab, an experiment to predict (of traffic, "traffic/…"), a mission ("lab/…"), or a page.
KINDS = ("lab", "experiment", "mission", "page")


@dataclass(frozen=True)
class CourseStep:
    """One thing to do: what it is there for on this path, and how many minutes it takes."""

    kind: str
    id: str
    why: str
    minutes: int

    def __post_init__(self) -> None:
        Choice("kind", "kind of step", KINDS).check(f"paths.{self.id}.kind", self.kind)


@dataclass(frozen=True)
class Course:
    """A suggested path: for whom, and its steps in order."""

    id: str
    title: str
    words: str
    steps: tuple[CourseStep, ...]


def _step(kind: str, name: str, minutes: int, why: str) -> CourseStep:
    return CourseStep(kind, name, why, minutes)


STUDENT = Course(
    "student",
    "For a student",
    "How serving a language model works, from one pass of it to a queue of requests: look, predict, then play.",
    (
        _step("page", "studio", 10, "One batch on one card: what fills the memory, and what each step waits for."),
        _step("experiment", "int4-tpot", 2, "Predict what a quarter of the bits does to a token."),
        _step("experiment", "int4-ttft", 2, "The same change and another phase: arithmetic is not traffic."),
        _step("experiment", "double-batch", 2, "Why batching is nearly free, until it is not."),
        _step("page", "under-the-hood", 10, "The formulas behind every figure so far."),
        _step("experiment", "traffic/static-continuous", 3, "What joining and leaving at every pass is worth."),
        _step("lab", "grouped-query", 10, "A cache that is too small, two ways to make a token smaller."),
        _step("mission", "grouped-query/two-halves", 5, "Your first mission: nobody waits, and nobody notices."),
        _step("mission", "grouped-query/through-the-burst", 5, "A queue in front of an empty cache: what is short?"),
        _step("lab", "deploy", 15, "What a pass waits for: arithmetic, weights, cache."),
        _step("mission", "deploy/flat-gaps", 5, "Readers against newcomers, and the chunk between them."),
        _step("lab", "int4-layers", 12, "What rounding to four bits does to a layer, really rounded."),
        _step("mission", "int4-layers/one-layer", 4, "Why an average over layers hides the one that breaks."),
        _step("lab", "long-context", 12, "What positions beyond the trained length look like to a model."),
    ),
)

ENGINEER = Course(
    "engineer",
    "For an engineer",
    "What to change when a server is slow, full or preempting, and what each remedy costs.",
    (
        _step("page", "studio", 10, "Set your own model and card; read why the KV cache is as small as it is."),
        _step("page", "traffic", 10, "Your scheduler beside two others, on the very same requests."),
        _step("experiment", "traffic/chunks-itl", 3, "What chunked prefill does for those who are reading."),
        _step("experiment", "traffic/half-memory-needed", 3, "Memory does nothing for latency until it is short."),
        _step("mission", "grouped-query/long-document-day", 5, "Where room comes from when the server preempts."),
        _step("lab", "deploy", 15, "Formats, split and scheduler of one replica under traffic."),
        _step("mission", "deploy/flat-gaps", 5, "The largest chunk that is still flat."),
        _step("mission", "deploy/int4-slower", 5, "Why fewer bits made a large batch slower, and what does not."),
        _step(
            "mission", "int4-layers/no-samples", 5, "Group size and widths of scales, without samples to calibrate on."
        ),
        _step("mission", "deploy/long-contexts", 5, "Twelve contexts of 32k on one card."),
        _step("mission", "long-context/wrong-ramp", 5, "Scaling positions so that none is beyond what was trained."),
    ),
)

MANAGER = Course(
    "manager",
    "For a manager",
    "What decides the bill: which card, how many, how full, and what cheaper means for those who wait.",
    (
        _step("page", "studio", 10, "Cost of a million tokens beside the latency that it buys."),
        _step("experiment", "two-gpus", 2, "Why twice the cards need not cost more for a token."),
        _step("experiment", "traffic/quarter-more", 3, "Why the last quarter of the capacity is not for sale."),
        _step("experiment", "traffic/bursty", 3, "Why a plan made from mean traffic has no room."),
        _step("mission", "grouped-query/cheaper-card", 5, "Most of a large card may be rented for nothing."),
        _step(
            "mission", "grouped-query/fewer-heads", 5, "What training after a conversion wins back, and when to stop."
        ),
        _step("mission", "deploy/the-bill", 8, "The same 70B model at a sixth of the price."),
    ),
)

PATHS = (STUDENT, ENGINEER, MANAGER)
