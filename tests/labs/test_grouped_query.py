"""The grouped-query lab: its definition to the letter, truths that hold for every set-up, its screens and its words."""

from __future__ import annotations

import dataclasses
import itertools
import json
import subprocess
import sys

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from pydantic import TypeAdapter, ValidationError

from servelab.errors import SpecError
from servelab.labs.grouped_query import LAB, played, refusals, replica, traffic
from servelab.labs.grouped_query import run as run_lab
from servelab.labs.grouped_query.charts import frontier
from servelab.labs.grouped_query.settings import KV_HEADS, PRICES_USD_PER_HOUR, Settings
from servelab.labs.play import Wish, play
from servelab.sim import compiled
from servelab.specs.fields import as_json
from tests.oracles import engine as oracle

GB = 1e9
EVENTS = ("long-documents", "burst", "memory-squeeze")

#: From the catalogue, by hand: memory, bytes/s, FP16 FLOP/s.
SHEETS = {
    "rtx-4090": (24 * GB, 1.008e12, 165.2e12),
    "l40s": (48 * GB, 0.864e12, 362e12),
    "a100-sxm-40gb": (40 * GB, 1.555e12, 312e12),
    "a100-sxm-80gb": (80 * GB, 2.039e12, 312e12),
    "h100-sxm-80gb": (80 * GB, 3.35e12, 989.4e12),
    "h200-sxm-141gb": (141 * GB, 4.8e12, 989e12),
}
SETTINGS = st.builds(
    Settings,
    requests_per_s=st.floats(1, 20),
    prompt_tokens=st.integers(128, 4096),
    kv_heads=st.sampled_from(KV_HEADS),
    kv_cache=st.sampled_from(["bf16", "fp8"]),
    origin=st.sampled_from(["converted", "trained"]),
    uptraining_fraction=st.floats(0, 0.1),
    card=st.sampled_from(list(PRICES_USD_PER_HOUR)),
)
HAPPENING = st.lists(st.sampled_from(EVENTS), unique=True).map(tuple)


def small(**more):
    """Few requests on a small cache, so that slow twins can follow."""
    return Settings(1, 256, card="rtx-4090", **more)


def kv_bytes(asked):
    return 2 * 32 * asked.kv_heads * 128 * (1 if asked.kv_cache == "fp8" else 2)


def blocks(asked, events):
    memory, _, _ = SHEETS[asked.card]
    room = 0.9 * memory - 1.5 * GB - 16 * GB - (4 * GB if "memory-squeeze" in events else 0)
    return int(room // (16 * kv_bytes(asked)))


def pass_time(asked):
    """1.5 ms + (W + κ (S + Σ s)) / bandwidth + 2 P Σ c / (0.6 × FP16 FLOP/s)."""
    _, bandwidth, flop_per_s = SHEETS[asked.card]

    def seconds(contexts, chunks):
        read = 16 * GB + kv_bytes(asked) * (sum(contexts) + sum(offset for offset, _ in chunks))
        return 1.5e-3 + read / bandwidth + 2 * 8e9 * sum(length for _, length in chunks) / (0.6 * flop_per_s)

    return seconds


@pytest.mark.parametrize(
    ("asked", "events"),
    [
        (small(), ()),
        (small(kv_heads=8, kv_cache="fp8"), ("memory-squeeze",)),
        (small(kv_heads=16), ("burst", "long-documents")),
        (Settings(2, 128, card="rtx-4090"), ("memory-squeeze",)),
    ],
)
def test_a_run_is_that_of_the_step_by_step_definition(asked, events):
    requests = traffic.traffic(asked, events, 0)
    rules = oracle.Rules("chunked", "paged", 1e18, 1e18, 512, 16, blocks(asked, events))
    columns = (requests.arrival_s, requests.prompt_tokens, requests.output_tokens, requests.output_tokens)
    slow = oracle.replay(list(zip(*(column.tolist() for column in columns), strict=True)), rules, pass_time(asked))
    fast = played.play(asked, events, 0).run
    served = [one for one in slow.requests if not one.rejected]
    assert fast.steps == len(slow.passes)
    assert fast.summary["preemptions"] == sum(one.preemptions for one in slow.requests)
    assert fast.summary["rejections"] == len(slow.requests) - len(served)
    finished = [one.tokens[-1] for one in served]
    np.testing.assert_allclose(fast.requests["finished_s"][~fast.requests["rejected"]], finished, rtol=1e-9)
    tiles = run_lab(asked, events, 0).tiles
    first = [one.tokens[0] - one.arrival for one in served]
    assert tiles["ttft_p50_s"] == pytest.approx(np.percentile(first, 50), rel=1e-9)
    assert tiles["ttft_p99_s"] == pytest.approx(np.percentile(first, 99), rel=1e-9)
    paces = [(one.tokens[-1] - one.tokens[0]) / (one.output - 1) for one in served if one.output > 1]
    assert tiles["tpot_p50_s"] == pytest.approx(np.percentile(paces, 50), rel=1e-9)
    tokens, makespan = sum(one.output for one in served), max(finished) - min(one.arrival for one in served)
    assert tiles["output_tokens_per_s"] == pytest.approx(tokens / makespan, rel=1e-9)
    cost = 0.5 * makespan / 3600 / tokens * 1e6
    assert tiles["cost_usd_per_million_output_tokens"] == pytest.approx(cost, rel=1e-9)


def test_traffic_is_that_of_three_streams_of_the_seed():
    gaps, prompts, outputs = (
        np.random.Generator(np.random.PCG64(stream)) for stream in np.random.SeedSequence(5).spawn(3)
    )
    asked = Settings(4, 1000)
    drawn = traffic.traffic(asked, (), 5)
    count = len(drawn)
    arrivals = np.cumsum(gaps.standard_exponential(count + 1)) / 4
    np.testing.assert_allclose(drawn.arrival_s, arrivals[:-1], rtol=1e-12)
    assert arrivals[-2] < 120 <= arrivals[-1]
    np.testing.assert_array_equal(drawn.prompt_tokens, np.floor(500 + 1000 * prompts.random(count) + 0.5))
    lengths = np.maximum(np.floor(256 * outputs.standard_exponential(count) + 0.5), 1)
    np.testing.assert_array_equal(drawn.output_tokens, lengths)


def test_a_burst_maps_unit_arrivals_through_the_integrated_rate():
    usual, burst = (traffic.traffic(Settings(10), events, 0).arrival_s for events in ((), ("burst",)))
    unit = usual * 10
    np.testing.assert_array_equal(burst[burst < 40], usual[usual < 40])
    within = burst[(burst >= 40) & (burst < 60)]
    np.testing.assert_allclose(within, 40 + (unit[(unit >= 400) & (unit < 800)] - 400) / 20, rtol=1e-12)
    after = burst[burst >= 60]
    np.testing.assert_allclose(after[: len(unit[unit >= 800])], (unit[unit >= 800] - 800) / 10 + 60, rtol=1e-12)
    assert len(burst) == len(traffic.draws(0).arrivals[traffic.draws(0).arrivals < 1400])
    assert burst[-1] < 120
    for time_s, expected in ((0, 0), (40, 400), (50, 600), (60, 800), (120, 1400)):
        assert traffic.expected_arrivals(time_s, 10, burst=True) == expected


def test_more_draws_begin_with_the_same_ones():
    few, many = traffic.draws(3, 100), traffic.draws(3, 5000)
    for short, long in zip(few, many, strict=True):
        np.testing.assert_array_equal(short, long[:100])


def test_many_arrivals_draw_on(monkeypatch):
    monkeypatch.setattr(traffic, "_DRAWS", 8)
    drawn = traffic.traffic(Settings(3), (), 0)
    monkeypatch.undo()
    np.testing.assert_array_equal(drawn.arrival_s, traffic.traffic(Settings(3), (), 0).arrival_s)


@given(SETTINGS, SETTINGS, HAPPENING, HAPPENING, st.integers(0, 3))
@settings(max_examples=40)
def test_a_change_leaves_all_other_draws_as_they_were(one, other, events, others, seed):
    """Common random numbers: whatever changes, the rest of the traffic is the same to the bit."""
    changed = {field.name: getattr(other, field.name) for field in dataclasses.fields(one)}
    base = traffic.traffic(one, events, seed)
    for name, value in changed.items():
        new = traffic.traffic(dataclasses.replace(one, **{name: value}), events, seed)
        count = min(len(base), len(new))
        np.testing.assert_array_equal(base.output_tokens[:count], new.output_tokens[:count])
        if name != "prompt_tokens":
            np.testing.assert_array_equal(base.prompt_tokens[:count], new.prompt_tokens[:count])
        if name != "requests_per_s":
            np.testing.assert_array_equal(base.arrival_s, new.arrival_s)
    new = traffic.traffic(one, others, seed)
    count = min(len(base), len(new))
    np.testing.assert_array_equal(base.output_tokens[:count], new.output_tokens[:count])
    factors = [3 if "long-documents" in happening else 1 for happening in (events, others)]
    np.testing.assert_array_equal(base.prompt_tokens[:count] * factors[1], new.prompt_tokens[:count] * factors[0])
    if ("burst" in events) == ("burst" in others):
        np.testing.assert_array_equal(base.arrival_s, new.arrival_s)


@given(SETTINGS, HAPPENING)
def test_the_room_is_that_of_the_definition(asked, events):
    tiles = run_tiles(asked, events)
    assert tiles["kv_bytes_per_token"] == kv_bytes(asked)
    assert tiles["capacity_tokens"] == 16 * max(0, blocks(asked, events))


def run_tiles(asked, events):
    """The tiles that need no run."""
    from servelab.labs.grouped_query.tiles import values

    room = replica.kv_blocks(replica.cache_bytes(asked.card, events), kv_bytes(asked))
    return values(played.Played(asked, events, 0, room, None, None))


@given(SETTINGS, HAPPENING)
def test_fewer_heads_never_lower_capacity_and_fp8_halves_the_bytes_exactly(asked, events):
    held = [run_tiles(dataclasses.replace(asked, kv_heads=heads), events)["capacity_tokens"] for heads in KV_HEADS]
    assert held == sorted(held, reverse=True)
    sizes = [
        run_tiles(dataclasses.replace(asked, kv_cache=kv_cache), events)["kv_bytes_per_token"]
        for kv_cache in ("bf16", "fp8")
    ]
    assert sizes[0] == 2 * sizes[1]


@given(SETTINGS, HAPPENING)
def test_fewer_heads_never_raise_quality_when_converted_nor_lower_it_when_trained_so(asked, events):
    points = [run_tiles(dataclasses.replace(asked, kv_heads=heads), events)["quality"] for heads in KV_HEADS]
    assert points == sorted(points) if asked.origin == "converted" else points == [points[0]] * len(points)
    smaller = dataclasses.replace(asked, kv_cache="fp8")
    assert (
        run_tiles(smaller, events)["quality"]
        <= run_tiles(dataclasses.replace(asked, kv_cache="bf16"), events)["quality"]
    )


def test_the_cards_are_the_catalogues():
    for name, (memory, bandwidth, flop_per_s) in SHEETS.items():
        card = replica.device(name)
        found = (card.memory_bytes, card.bandwidth_bytes_per_s, card.flop_per_s["fp16"])
        assert found == pytest.approx((memory, bandwidth, flop_per_s), rel=1e-12)
    assert list(SHEETS) == list(PRICES_USD_PER_HOUR)
    assert list(PRICES_USD_PER_HOUR.values()) == [0.5, 1.0, 1.2, 1.6, 2.9, 3.6]


def test_the_published_points_are_tiles():
    for asked, points in (
        ({"kv_heads": 8}, 91.7),
        ({"kv_heads": 1}, 50),
        ({"kv_heads": 1, "uptraining_fraction": 0}, 0),
    ):
        answer = play(LAB, LAB.setup({"requests_per_s": 1, **asked}), Wish(charts=[]))
        assert answer.tiles["quality"] == pytest.approx(points, abs=0.05)


def test_the_same_seed_gives_the_same_bits():
    first, again = (
        as_json(play(lab, lab.setup({"kv_heads": 8}, ["burst"], 2))) for lab in (LAB, dataclasses.replace(LAB))
    )
    assert first == again
    assert first != as_json(play(LAB, LAB.setup({"kv_heads": 8}, ["burst"], 3)))


@pytest.mark.thorough
def test_another_process_and_the_compiled_engine_give_the_same_figures():
    code = (
        "from servelab.sim import compiled; compiled.run()\n"
        "from servelab.labs.grouped_query import run, Settings\n"
        "import json; print(json.dumps(dict(run(Settings(10, 512), (), 1).tiles)))"
    )
    printed = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True).stdout
    here = run_lab(Settings(10, 512), (), 1).tiles
    assert json.loads(printed) == {
        name: value if isinstance(value, int) else pytest.approx(value, rel=1e-9) for name, value in here.items()
    }


def test_sharing_heads_says_why_answers_appear_more_slowly():
    answer = play(LAB, LAB.setup({"kv_heads": 8}), Wish(charts=[], before=LAB.setup({})))
    found = answer.changes.tiles
    assert found["ttft_p50_s"].verdict == "better"
    assert found["output_tokens_per_s"].verdict == "better"
    slower = found["tpot_p50_s"]
    batches = [run_lab(Settings(kv_heads=heads), (), 0).facts["batch"] for heads in (8, 32)]
    assert slower.verdict == "worse"
    assert slower.why.startswith(f"More requests fit at once, {batches[0]:.1f} instead of {batches[1]:.1f} on average")
    assert "20.0 ms instead of 10.2 ms" in slower.why  # docs/labs.md tells this change
    assert (f"{slower.before:.4f}", f"{slower.after:.4f}") == ("0.0340", "0.0404")
    assert found["quality"].why.startswith("8 KV heads must stand for what 32 did")
    assert found["kv_occupancy_mean"].verdict == "unknown"


@pytest.mark.parametrize(
    ("before", "after", "tile", "words"),
    [
        ({"card": "h100-sxm-80gb"}, {"card": "a100-sxm-80gb"}, "tpot_p50_s", "instead of"),
        ({"card": "h200-sxm-141gb"}, {"card": "h100-sxm-80gb"}, "itl_p50_s", "The card reads"),
        (
            {"card": "h200-sxm-141gb", "requests_per_s": 1},
            {"card": "h100-sxm-80gb", "requests_per_s": 1},
            "tpot_p50_s",
            "4.80 TB/s",
        ),
        ({"kv_heads": 8}, {"kv_heads": 32}, "ttft_p50_s", "the cache holds 35,280 tokens instead of 141,136"),
        ({"kv_heads": 8}, {"kv_heads": 32}, "preemptions", "gives up its blocks"),
        ({"kv_heads": 8}, {"kv_heads": 32}, "output_tokens_per_s", "Fewer requests fit"),
        ({"kv_heads": 8}, {"kv_heads": 32}, "capacity_tokens", "A token keeps 524 kB instead of 131 kB"),
        ({"kv_heads": 8}, {"kv_heads": 8, "requests_per_s": 10}, "ttft_p50_s", "wait"),
        (
            {"kv_heads": 8},
            {"kv_heads": 8, "card": "h200-sxm-141gb"},
            "cost_usd_per_million_output_tokens",
            "$3.6 an hour",
        ),
        ({"kv_heads": 8}, {"kv_heads": 8, "uptraining_fraction": 0.0}, "quality", "Less training"),
        ({}, {"kv_cache": "fp8"}, "quality", "rounding alone"),
        ({"kv_heads": 8}, {"kv_heads": 8, "prompt_tokens": 2048}, "tpot_p50_s", "prompt"),
    ],
)
def test_what_became_worse_has_a_reason(before, after, tile, words):
    answer = play(LAB, LAB.setup(after), Wish(charts=[], before=LAB.setup(before)))
    change = answer.changes.tiles[tile]
    assert change.verdict == "worse"
    assert words in change.why


@given(SETTINGS, SETTINGS, HAPPENING, HAPPENING)
@settings(max_examples=15)
def test_any_two_set_ups_compare(one, other, events, others):
    asked = [dataclasses.replace(settings, requests_per_s=min(settings.requests_per_s, 2)) for settings in (one, other)]
    before, after = (
        LAB.setup(dataclasses.asdict(s), happening) for s, happening in zip(asked, (events, others), strict=True)
    )
    answer = play(LAB, after, Wish(before=before))
    assert set(answer.changes.tiles) == set(answer.tiles) == {tile.id for tile in LAB.tiles}
    assert json.loads(as_json(answer))
    for change in answer.changes.tiles.values():
        assert change.why is None or change.verdict == "worse"
        assert "nan" not in change.words + (change.why or "")


def test_the_mission_takes_both_halves():
    mission = LAB.mission("two-halves")
    for changes, stars in (
        ({}, 0),
        ({"kv_cache": "fp8"}, 0),
        ({"kv_heads": 16}, 0),
        ({"kv_heads": 2}, 1),
        ({"kv_heads": 8}, 2),
        ({"kv_heads": 16, "kv_cache": "fp8"}, 3),
    ):
        answer = play(LAB, LAB.setup(changes), Wish(charts=[], mission=mission.id))
        assert answer.mission.earned == stars
    free = [card.id for card in LAB.control_cards() if card.id not in mission.fixed]
    assert free == ["kv_heads", "kv_cache"]


def test_the_least_of_cards_rejects_everything_and_says_what_helps():
    answer = play(LAB, LAB.setup({"card": "rtx-4090"}, ["memory-squeeze"]))
    refusal = answer.refusal
    assert refusal.kind == "all-rejected"
    assert answer.tiles["rejections"] > 700
    assert answer.tiles["quality"] == 100
    assert answer.tiles["ttft_p50_s"] is None
    assert answer.charts["cache"] is answer.charts["timeline"] is None
    assert answer.charts["capacity"].current == 5
    for remedy in refusal.remedies:
        events = ["memory-squeeze"] if remedy.events is None else remedy.events
        helped = play(LAB, LAB.setup({"card": "rtx-4090", **remedy.settings}, events), Wish(charts=[]))
        assert helped.refusal is None
        assert helped.tiles["rejections"] <= 8


def test_without_a_single_block_nothing_fits():
    """No card of the list is as small; the screen is there for those that are."""
    asked = Settings(kv_heads=32)
    nothing = played.Played(asked, ("memory-squeeze",), 0, 0, traffic.traffic(asked, (), 0), None)
    refusal = refusals.refusal(nothing)
    assert refusal.kind == "nothing-fits"
    assert "leave no room for a single block" in refusal.reason
    assert refusal.remedies


def test_without_a_request_nobody_came(monkeypatch):
    monkeypatch.setattr(traffic, "HORIZON_S", 1e-9)
    result = run_lab(Settings(), (), 0)
    assert result.refusal.kind == "no-traffic"
    assert result.tiles["capacity_tokens"] == 35_280
    assert result.tiles["rejections"] is None
    assert result.charts["queue"]() is None
    assert result.charts["quality"]().series["bf16"].current == 5


def test_lines_keep_their_integrals_and_rows_their_lives():
    answer = play(LAB, LAB.setup({"kv_heads": 16}))
    cache, rows = answer.charts["cache"], answer.charts["timeline"]
    mean = np.mean(cache.series["used"][:-1])
    run = played.play(Settings(kv_heads=16), (), 0).run
    span = run.timeline["end_s"][-1] - run.timeline["start_s"][0]
    taken = (run.timeline["kv_blocks"] * (run.timeline["end_s"] - run.timeline["start_s"])).sum()
    assert mean == pytest.approx(taken / run.kv_blocks / span, rel=1e-3)
    lives = np.sum([rows.parts[name] for name in rows.parts], axis=0)
    np.testing.assert_allclose(lives, run.requests["e2e_s"], atol=3e-3)


def test_marks_lead_where_they_are():
    """Every bar and mark that can be chosen gives a set-up whose own mark is there."""
    answer = play(LAB, LAB.setup({"kv_heads": 4}), Wish(charts=["capacity", "quality"]))
    bars, points = answer.charts["capacity"], answer.charts["quality"]
    assert bars.categories[bars.current] == "4"
    for change, tokens in zip(bars.changes, bars.series["capacity"], strict=True):
        assert run_tiles(dataclasses.replace(Settings(), **change), ())["capacity_tokens"] == tokens
    for cloud in points.series.values():
        for change, size, quality in zip(cloud.changes, cloud.x, cloud.y, strict=True):
            tiles = run_tiles(dataclasses.replace(Settings(), **change), ())
            assert (tiles["kv_bytes_per_token"], tiles["quality"]) == (size, quality)
    assert points.series["fp8"].current is None
    marks = [mark for cloud in points.series.values() for mark in zip(cloud.x, cloud.y, strict=True)]
    for (size, quality), (x, y) in itertools.product(points.frontier, marks):
        assert not (x <= size and y > quality)
    assert frontier([(2, 1.0), (1, 1.0), (1, 0.5)]) == [(1, 1.0)]


def test_pydantic_reads_the_settings_and_publishes_their_bounds():
    adapter = TypeAdapter(Settings)
    assert adapter.validate_json('{"kv_heads": 8.0, "requests_per_s": 3}') == Settings(3.0, kv_heads=8)
    properties = adapter.json_schema()["properties"]
    assert properties["kv_heads"]["enum"] == list(KV_HEADS)
    assert (properties["requests_per_s"]["minimum"], properties["requests_per_s"]["maximum"]) == (1, 20)
    for bad in ('{"kv_heads": 3}', '{"kv_heads": true}', '{"kv_head": 8}', '{"card": "l40"}'):
        with pytest.raises(ValidationError):
            adapter.validate_json(bad)


def test_settings_are_checked_when_made():
    with pytest.raises(SpecError):
        Settings(kv_heads=3)
    with pytest.raises(SpecError):
        Settings(requests_per_s=0.5)


def test_a_server_that_has_not_compiled_yet_answers_all_the_same(monkeypatch):
    monkeypatch.setattr(compiled, "is_ready", lambda: False)
    monkeypatch.setattr(compiled, "run", lambda: pytest.fail("it waited for the compiler"))
    assert run_lab(Settings(9, 128, 8, card="h200-sxm-141gb"), (), 0).tiles["rejections"] == 0


def test_every_figure_shows_the_values_of_its_formula():
    answer = play(LAB, LAB.setup({"kv_heads": 16, "kv_cache": "fp8"}), Wish(charts=[]))
    assert set(answer.terms) == set(answer.tiles)
    terms = {tile: {term.name: term.value for term in found} for tile, found in answer.terms.items()}
    cost = terms["cost_usd_per_million_output_tokens"]
    found = cost["price per hour"] * cost["makespan"] / 3600 / cost["output tokens"] * 1e6
    assert answer.tiles["cost_usd_per_million_output_tokens"] == pytest.approx(found, rel=1e-12)
    of = terms["quality"]
    assert of["e"] ** 2 == pytest.approx(((1 - of["r"]) * of["e_pool"]) ** 2 + of["e_round"] ** 2, rel=1e-12)
    assert answer.tiles["quality"] == pytest.approx(100 * (1 - (of["e"] / of["e₀"]) ** of["γ"]), rel=1e-12)
    run = played.play(Settings(kv_heads=16, kv_cache="fp8"), (), 0).run
    assert sum(terms["tpot_p50_s"].values()) == pytest.approx(run.summary["itl_mean_s"], rel=0.01)
    assert sum(terms["ttft_p50_s"].values()) == pytest.approx(run.summary["ttft_mean_s"], rel=1e-9)


def test_every_word_is_there():
    assert all(tile.words and tile.formula and tile.source for tile in LAB.tiles)
    assert all(card.help for card in LAB.control_cards())
    assert all(chart.words for chart in LAB.charts)
    roles = [page.role for page in LAB.pages]
    assert roles == ["how-to-play", "assumes", "cannot-tell", "explanation", "references"]
    figures = [block for page in LAB.pages for block in page.blocks if block.kind == "figure"]
    assert {figure.chart for figure in figures} >= {"capacity", "cache", "queue", "quality", "heads"}
    references = " ".join(block.text for block in LAB.pages[-1].blocks)
    for who in ("Ainslie", "Shazeer", "Vaswani", "PagedAttention", "vLLM", "DeepSeek-V2"):
        assert who in references


def test_fewer_heads_are_told_to_take_more_training():
    """Half as many heads after as much training stand below the answer, and both figures are in the explanation."""
    mission = LAB.mission("fewer-heads")
    asked = {**mission.settings, **mission.solution}
    reveal = play(LAB, LAB.setup(asked), Wish(charts=[], mission=mission.id)).mission.reveal
    half, most = ({"kv_heads": 2, "uptraining_fraction": share} for share in (asked["uptraining_fraction"], 0.1))
    answer, half, most = (
        play(LAB, LAB.setup({**asked, **more}), Wish(charts=[])).tiles["quality"] for more in ({}, half, most)
    )
    assert half < answer < most
    assert f"2 KV heads would stand at {half:.1f} after as much training, and at {most:.1f}" in reveal
