"""Missions as text for a terminal: the list of all, and how a run does in one."""

from __future__ import annotations

import textwrap
from collections.abc import Iterator

from servelab.cli.flags import option_of
from servelab.labs.cards import mission_cards
from servelab.labs.grading import MissionAnswer
from servelab.labs.lab import Lab
from servelab.labs.missions import Mission
from servelab.labs.play import LabAnswer
from servelab.labs.shelf import Shelf

_WIDTH = 110


def catalogue(shelf: Shelf) -> str:
    """Every mission in order: its lab, how long it takes, what it is called and what is wrong."""
    lines = []
    for placed in shelf.labs.values():
        for card in mission_cards(placed.lab):
            lines.append(f"{placed.lab.id} --mission {card.id} ({card.minutes} min)")
            lines += [
                f"  {card.title}",
                *textwrap.wrap(card.symptom, _WIDTH, initial_indent="  ", subsequent_indent="  "),
            ]
    return "\n".join(lines)


def graded(lab: Lab, answer: LabAnswer, hints: int) -> str:
    """Goal, stars, what is wanted beside what is there, so many hints for the first star that is missing, and what it
    teaches where that is told.
    """
    if answer.mission is None:
        return ""
    mission = lab.mission(answer.mission.id)
    drawn = "★" * answer.mission.earned + "☆" * (len(mission.stars) - answer.mission.earned)
    lines = [f"{mission.title} {drawn}", textwrap.fill(mission.goal, _WIDTH), *_stars(answer.mission)]
    if hints:
        lines += _hints(mission, answer.mission.earned, hints)
    if answer.mission.reveal:
        lines.append(textwrap.fill(answer.mission.reveal, _WIDTH))
    if answer.mission.solution is not None and answer.mission.earned < len(mission.stars):
        flags = " ".join(f"{option_of(name)} {value}" for name, value in answer.mission.solution.items())
        lines.append(f"All stars: {flags}")
    return "\n".join(lines)


def _hints(mission: Mission, earned: int, count: int) -> Iterator[str]:
    """As many as are asked for, and there are, for the first star that is missing."""
    if earned == len(mission.stars):
        yield "All stars are there; no hint is left to give."
        return
    helping = [hint for hint in mission.hints if hint.star == earned + 1]
    for number, hint in enumerate(helping[:count], start=1):
        head = f"Hint {number} of {len(helping)} for star {hint.star}"
        yield textwrap.fill(f"{head}: {hint.text}", _WIDTH)
    if not helping:
        yield f"There is no hint for star {earned + 1}."


def _stars(answer: MissionAnswer) -> Iterator[str]:
    for words, wants in zip(answer.words, answer.present, strict=True):
        told = [one for one in wants if not one.quiet or not one.met]
        figures = "; ".join(f"{one.label} {one.now}, wanted {one.wanted}" for one in told)
        yield textwrap.fill(f"{words} ({figures})", _WIDTH, initial_indent="  ", subsequent_indent="    ")
