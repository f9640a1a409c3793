"""Every mission on the shelf: it is broken, it can be solved well and badly, and nothing else than its goal pays.

What is free in a mission is searched on a coarse grid: all choices, and so many points of every slider that there are
few enough set-ups to try them all.
"""

from __future__ import annotations

import functools
import itertools
import math
import re
import textwrap

import numpy as np
import pytest

from servelab.labs.cards import lab_list
from servelab.labs.play import Wish, play
from servelab.labs.shelf import shelf
from servelab.sim import compiled

MOST_POINTS = 200

LABS = {placed.lab.id: placed.lab for placed in shelf().labs.values() if placed.source.startswith("servelab ")}
MISSIONS = [(name, mission.id) for name, lab in LABS.items() for mission in lab.missions]
each_mission = pytest.mark.parametrize(("lab", "mission"), MISSIONS, ids=["/".join(key) for key in MISSIONS])


@pytest.fixture(scope="module", autouse=True)
def _compiled():
    compiled.run()


def free_controls(lab, mission):
    fixed = LABS[lab].mission(mission).fixed
    return [card for card in LABS[lab].control_cards() if card.id not in fixed]


def values(card, points):
    """All that a choice or a switch offers, and so many points of a slider."""
    if card.kind == "choice":
        return [choice.value for choice in card.choices]
    if card.kind == "switch":
        return [False, True]
    space = np.geomspace if card.scale == "log" and card.low > 0 else np.linspace
    found = [round(float(value), 6) for value in space(card.low, card.high, points)]
    return sorted({round(value) for value in found} if card.whole else set(found))


@functools.cache
def grid(lab, mission):
    """The free controls, and all set-ups of them that are tried."""
    free = free_controls(lab, mission)
    for points in range(60, 1, -1):
        axes = [values(card, points) for card in free]
        if math.prod(map(len, axes)) <= MOST_POINTS:
            break
    return tuple(card.id for card in free), tuple(itertools.product(*axes))


def graded(lab, mission, changes, **wish):
    found = LABS[lab]
    about = found.mission(mission)
    setup = found.setup({**about.settings, **changes}, about.events, about.seed)
    return play(found, setup, Wish(charts=[], mission=mission, **wish))


@functools.cache
def searched(lab, mission):
    """Of every set-up of the grid: the stars it earns and the tiles that are judged, by the values of the controls."""
    names, tried = grid(lab, mission)
    answers = {point: graded(lab, mission, dict(zip(names, point, strict=True))) for point in tried}
    judged = LABS[lab].mission(mission).judged
    return {
        point: (answer.mission.earned, tuple(answer.tiles[tile] for tile in judged))
        for point, answer in answers.items()
    }


@each_mission
def test_its_set_up_misses_the_goal(lab, mission):
    assert graded(lab, mission, {}).mission.earned == 0


@each_mission
def test_a_search_finds_an_answer_of_each_number_of_stars(lab, mission):
    assert len(LABS[lab].mission(mission).stars) == 3
    names, tried = grid(lab, mission)
    assert 2 <= len(tried) <= MOST_POINTS, f"too much is free: {names}"
    assert {0, 1, 2, 3} == {earned for earned, _ in searched(lab, mission).values()}


@each_mission
def test_no_single_control_earns_all_stars(lab, mission):
    """Each control alone, on a finer grid than the search has, all else as the mission begins."""
    for card in free_controls(lab, mission):
        for value in values(card, 25):
            assert graded(lab, mission, {card.id: value}).mission.earned < 3, (card.id, value)


@each_mission
def test_no_less_quality_at_no_more_cost_never_earns_fewer_stars(lab, mission):
    found = LABS[lab]
    better = {tile.id: tile.better for tile in found.tiles}
    signs = [1 if better[tile] == "higher" else -1 for tile in found.mission(mission).judged]
    assert signs
    reached = [(earned, judged) for earned, judged in searched(lab, mission).values() if earned]
    for (more, one), (fewer, other) in itertools.permutations(reached, 2):
        if all(sign * a >= sign * b for sign, a, b in zip(signs, one, other, strict=True)):
            assert more >= fewer


@each_mission
def test_the_set_up_that_the_lab_opens_on_does_not_pass(lab, mission):
    opening = LABS[lab].setup({}).settings
    changes = {card.id: getattr(opening, card.id) for card in free_controls(lab, mission)}
    assert graded(lab, mission, changes).mission.earned == 0


@pytest.mark.parametrize("lab", [name for name, found in LABS.items() if found.missions])
def test_no_set_up_passes_more_than_half_of_the_missions(lab):
    """Every mission is asked for its own free controls and keeps its own of the traffic; a control that it fixes and
    another leaves open has to be as it fixes it, since it refuses anything else.
    """
    missions = [mission.id for mission in LABS[lab].missions]
    axes = {}
    for mission in missions:
        names, tried = grid(lab, mission)
        for index, name in enumerate(names):
            axes.setdefault(name, set()).update(point[index] for point in tried)
    passing = {mission: (grid(lab, mission)[0], passed(lab, mission)) for mission in missions}
    fixed = {name: kept_at(lab, name, axes) for name in missions}
    joint = [dict(zip(axes, point, strict=True)) for point in itertools.product(*axes.values())]
    assert joint
    for point in joint:
        solved = [
            name
            for name, (names, good) in passing.items()
            if tuple(point[one] for one in names) in good
            and all(point[one] == kept for one, kept in fixed[name].items())
        ]
        assert len(solved) <= max(1, len(missions) / 2), (point, solved)
        assert len(solved) <= len(MISSIONS) / 2


def kept_at(lab, mission, axes):
    """What a mission fixes of these controls."""
    begun = LABS[lab].opening(mission).settings
    return {name: getattr(begun, name) for name in LABS[lab].mission(mission).fixed if name in axes}


def passed(lab, mission):
    return {point for point, (earned, _) in searched(lab, mission).items() if earned}


@each_mission
def test_what_gives_up_is_told_an_answer_of_all_stars(lab, mission):
    given_up = graded(lab, mission, {}, reveal=True).mission
    solved = graded(lab, mission, given_up.solution).mission
    assert solved.earned == 3
    assert given_up.reveal.endswith(solved.reveal)


@each_mission
def test_what_it_teaches_is_told_in_the_figures_of_the_run(lab, mission):
    """Of an answer of each number of stars, at least one of the figures that are wanted is in the text."""
    names, _ = grid(lab, mission)
    by_stars = {earned: point for point, (earned, _) in searched(lab, mission).items() if earned}
    answers = [graded(lab, mission, dict(zip(names, point, strict=True))).mission for point in by_stars.values()]
    for answer in answers:
        figures = {one.now for wants in answer.present for one in wants if one.now != "0"}
        assert any(figure in answer.reveal for figure in figures)
        for wrong in ("nan", "None", "—"):
            assert wrong not in answer.reveal
    assert len({answer.reveal for answer in answers}) == len(by_stars)


@each_mission
def test_what_it_teaches_is_short(lab, mission):
    """At most six lines, of whatever answer."""
    names, _ = grid(lab, mission)
    for point in passed(lab, mission):
        reveal = graded(lab, mission, dict(zip(names, point, strict=True))).mission.reveal
        assert len(textwrap.wrap(reveal, 120)) <= 6, reveal


@each_mission
def test_every_word_is_there(lab, mission):
    about = LABS[lab].mission(mission)
    assert about.title
    assert about.goal.endswith(".")
    assert about.teaches.endswith(".")
    assert about.symptom.endswith(".")
    assert about.symptom not in (about.goal, about.teaches)
    stars = [hint.star for hint in about.hints]
    assert stars == sorted(stars)
    assert set(stars) == set(range(1, len(about.stars) + 1))
    assert all(hint.text.endswith((".", "?")) for hint in about.hints)
    assert 1 <= about.minutes <= 20


@each_mission
def test_a_symptom_tells_nothing_of_the_answer(lab, mission):
    """No value that the solution sets, nor what it is called."""
    about, cards = LABS[lab].mission(mission), {card.id: card for card in LABS[lab].control_cards()}
    for name, value in about.solution.items():
        names = {choice.value: choice.label for choice in cards[name].choices}
        telling = {str(value), f"{value:,}" if isinstance(value, int) else str(value), names.get(value, str(value))}
        for word in telling:
            assert not re.search(rf"\b{re.escape(word)}\b", about.symptom, re.IGNORECASE), word


@each_mission
def test_a_control_that_no_answer_can_wake_is_not_offered(lab, mission):
    free = free_controls(lab, mission)
    begun, movable = LABS[lab].opening(mission).settings, {card.id for card in free}
    for card in free:
        for name, values in (card.idle.unless if card.idle else {}).items():
            assert name in movable or getattr(begun, name) in values


IDLE = [(name, card.id) for name, lab in LABS.items() for card in lab.control_cards() if card.idle]


@pytest.mark.parametrize(("lab", "control"), IDLE, ids=["/".join(key) for key in IDLE])
def test_an_idle_control_has_no_effect_and_an_awake_one_has(lab, control):
    found, cards = LABS[lab], {card.id: card for card in LABS[lab].control_cards()}
    card = cards[control]
    assert card.idle.words.endswith(".")
    awake = {name: allowed[-1] for name, allowed in card.idle.unless.items()}
    if "kv_heads" in cards:
        awake["kv_heads"] = 8  # a conversion to as many heads as there were loses nothing

    def figures(settings):
        return [
            play(found, found.setup({**settings, control: value}), Wish(charts=[])).tiles
            for value in (card.low, card.high)
        ]

    first, second = figures(awake)
    assert first != second
    for name, allowed in card.idle.unless.items():
        others = [choice.value for choice in cards[name].choices if choice.value not in allowed]
        assert others
        for value in others:
            first, second = figures({**awake, name: value})
            assert first == second


@pytest.mark.parametrize("lab", LABS)
def test_either_every_option_of_a_control_is_explained_or_none(lab):
    for card in LABS[lab].control_cards():
        named = [choice for choice in card.choices if isinstance(choice.value, str)]
        assert len({bool(choice.words) for choice in named}) <= 1, card.id


def test_missions_unlock_in_order():
    """Whoever passes what is open comes to all of them."""
    cards = [card for lab in lab_list(shelf()).labs if lab.id in LABS for card in lab.missions]
    assert [card.order for card in cards] == list(range(len(cards)))
    done = set()
    for card in cards:
        assert set(card.after) <= done
        done.add(card.key)
    assert len(done) == len(cards) == len(MISSIONS)
