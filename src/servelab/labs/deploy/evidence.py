"""What the figures rest on where step times are calibrated: how sure they are, and by which measurements."""

from __future__ import annotations

from servelab.cost.interval import Calibration, Interval, calibration_of, intervals
from servelab.labs.deploy.settings import Settings
from servelab.labs.deploy.world import Played
from servelab.labs.figures import three
from servelab.labs.grouped_query.settings import CARD_NAMES, short_name
from servelab.labs.result import RunEvidence
from servelab.specs.accelerator import Accelerator

_UNDER_LOAD = "First tokens under load are less sure than that."


def evidence(played: Played) -> RunEvidence | None:
    """The label and what it means; None with the textbook's step times, for which the lab's own stands."""
    found = calibration_of(played.deployment)
    if found is None:
        return None
    between = intervals(played.deployment, None, 1.0, None)
    spread = _spread(between.tpot_s) if between and between.tpot_s else ""
    carried = f" from {_name(found.carried_from)}" if found.carried_from else ""
    label = f"Step times {found.status}{carried}{_width(found.half_width)}"
    return RunEvidence(label, f"{_measured(played.settings, found)} {spread}{_UNDER_LOAD}")


def _width(half_width: float | None) -> str:
    """Half the interval of a time per output token: in per cent, or as a factor where it is as wide as the figure."""
    if half_width is None:
        return ""
    return f" · up to {1 + half_width:.1f}× off" if half_width >= 1 else f" · ±\u00a0{100 * half_width:.0f}\u00a0%"


def _spread(ratios: Interval) -> str:
    low, high = three(ratios.low), three(ratios.high)
    return f"80 % of measured times per output token lie between {low} and {high} times the computed ones. "


def _measured(settings: Settings, found: Calibration) -> str:
    card = _name(settings.card)
    if found.status == "uncalibrated":
        return f"Nothing was measured that is near vLLM on the {card}: the general terms stand in."
    generation = "" if found.generation == "any" else f" ({found.generation})"
    fitted = f"{found.rows:,} measurements of {found.models:,} models with vLLM{generation}"
    if found.carried_from is None:
        return f"Fitted to {fitted} on the {card}."
    return (
        f"The {card} was not measured: step times were fitted to {fitted} on the {_name(found.carried_from)}, and are "
        "taken over by the ratio of the datasheets."
    )


def _name(accelerator: str) -> str:
    """A card within a sentence, with its memory where another one of the lab's is called the same."""
    if accelerator not in CARD_NAMES:
        return Accelerator.load(accelerator).name
    alike = [name for name in CARD_NAMES.values() if name.startswith(_bare(accelerator))]
    return _bare(accelerator) if len(alike) == 1 else short_name(accelerator)


def _bare(card: str) -> str:
    return CARD_NAMES[card].partition(",")[0]
