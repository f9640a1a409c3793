"""A lab of forty lines as a third party would write it, and a throw-away distribution to bring it."""

from __future__ import annotations

from pathlib import Path

MODULE = '''\
"""Rolls of a few dice: the more dice, the narrower their mean."""
from dataclasses import dataclass
from typing import Annotated

import numpy as np

from servelab.labs.charts import Axis, Bars, Chart, Series
from servelab.labs.lab import Event, Lab, Tile
from servelab.labs.pages import Page, figure, paragraph
from servelab.labs.result import LabResult, Refusal, Remedy
from servelab.specs.fields import Flag, Number


@dataclass(frozen=True)
class Settings:
    dice: Annotated[int, Number("dice in a roll", 0, 30, whole=True)] = 2
    loaded: Annotated[bool, Flag("whether one side comes twice as often")] = False


def run(settings, events, seed):
    if not settings.dice:
        return LabResult({}, refusal=Refusal(
            "no-traffic", "No dice, no rolls", "There is nothing to roll.", (Remedy("Two dice", {"dice": 2}),)))
    sides = np.array([1, 2, 3, 4, 5, 6, 6] if settings.loaded else [1, 2, 3, 4, 5, 6])
    rolls = np.random.default_rng(seed).choice(sides, (600, settings.dice)).mean(axis=1)
    counts = np.bincount(np.round(rolls).astype(int), minlength=7)[1:]
    bars = Bars([str(side) for side in range(1, 7)], {"rolls": counts.tolist()})
    return LabResult({"mean": rolls.mean(), "spread": rolls.std() * (2 if "quake" in events else 1)}, {"faces": bars})


LAB = Lab(
    "dice", "What do more dice do?", "The mean of many is calmer than each of them.", "synthetic", Settings, run,
    (Tile("mean", "Mean roll", headline=True), Tile("spread", "Spread", better="lower", formula="standard deviation")),
    events=(Event("quake", "Earthquake", "The table shakes."),),
    charts=(Chart("faces", "Rolls by their mean", "bars", Axis("mean"), Axis("rolls"), (Series("rolls", "rolls"),)),),
    pages=(Page("play", "how-to-play", "How to play", (paragraph("Add dice."), figure("faces", "Ten", {"dice": 10}))),),
)
'''


def install(folder: Path, name: str = "dicelab", module: str = MODULE, attribute: str = "LAB") -> None:
    """Write a distribution into `folder`, which then belongs on sys.path (or PYTHONPATH)."""
    (folder / f"{name}.py").write_text(module, encoding="utf-8")
    about = folder / f"{name}-1.0.dist-info"
    about.mkdir()
    (about / "METADATA").write_text(f"Metadata-Version: 2.1\nName: {name}\nVersion: 1.0\n", encoding="utf-8")
    (about / "entry_points.txt").write_text(f"[servelab.labs]\n{name} = {name}:{attribute}\n", encoding="utf-8")
