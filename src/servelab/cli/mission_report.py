"""Missions as text for a terminal: the list of all, and how a run does in one."""

from __future__ import annotations

import textwrap
from collections.abc import Iterator

from servelab.cli.flags import option_of
from servelab.labs.cards import mission_cards
from servelab.labs.grading import MissionAnswer
from servelab.labs.lab import Lab
from servelab.labs.play import LabAnswer
from servelab.labs.shelf import Shelf

_WIDTH = 110


def catalogue(shelf: Shelf) -> str:
    """Every mission in order: its lab, how long it takes, what it is called and what it teaches."""
    lines = []
    for placed in shelf.labs.values():
        for card in mission_cards(placed.lab):
            lines.append(f"{placed.lab.id} --mission {card.id} ({card.minutes} min)")
            lines += [
                f"  {card.title}",
                *textwrap.wrap(card.teaches, _WIDTH, initial_indent="  ", subsequent_indent="  "),
            ]
    return "\n".join(lines)


def graded(lab: Lab, answer: LabAnswer, hints: int) -> str:
    """Goal, stars, what is wanted beside what is there, so many hints, and what it teaches where that is told."""
    if answer.mission is None:
        return ""
    mission = lab.mission(answer.mission.id)
    drawn = "★" * answer.mission.earned + "☆" * (len(mission.stars) - answer.mission.earned)
    lines = [f"{mission.title} {drawn}", textwrap.fill(mission.goal, _WIDTH), *_stars(answer.mission)]
    for number, hint in enumerate(mission.hints[:hints], start=1):
        lines.append(textwrap.fill(f"Hint {number} of {len(mission.hints)}: {hint}", _WIDTH))
    if answer.mission.reveal:
        lines.append(textwrap.fill(answer.mission.reveal, _WIDTH))
    if answer.mission.solution is not None and answer.mission.earned < len(mission.stars):
        flags = " ".join(f"{option_of(name)} {value}" for name, value in answer.mission.solution.items())
        lines.append(f"All stars: {flags}")
    return "\n".join(lines)


def _stars(answer: MissionAnswer) -> Iterator[str]:
    for words, wants in zip(answer.words, answer.present, strict=True):
        figures = "; ".join(f"{one.label} {one.now}, wanted {one.wanted}" for one in wants)
        yield textwrap.fill(f"{words} ({figures})", _WIDTH, initial_indent="  ", subsequent_indent="    ")
