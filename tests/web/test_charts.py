"""Charts show what the API says, in a table too, and every point of them is a button."""

from __future__ import annotations

import re

import pytest
from playwright.sync_api import expect

from tests.web.driver import TOO_LARGE, plain, question, shown_intensity, shown_rate, shown_seconds

pytestmark = pytest.mark.browser


def rows(table):
    """Cells of every row of a table's body, by the text of its header cell."""
    found = {}
    for row in table.locator("tbody tr").all():
        cells = [plain(text) for text in row.locator("td").all_inner_texts()]
        found[plain(row.locator("th").inner_text()).replace("\n", " ").strip()] = cells
    return found


def test_the_roofline_table_is_the_api_s_work_per_byte(server, studio):
    answer = server.estimate()
    studio.lay_out_all()
    found = rows(studio.page.get_by_role("table", name="Work per byte of both phases and their stages"))
    expected = {}
    for phase in ("prefill", "decode"):
        stages = {
            "as a whole": answer[phase],
            "linear": answer[phase]["linear"],
            "attention": answer[phase]["attention"],
        }
        expected |= {(phase, name): shown_intensity(part["intensity_flop_per_byte"]) for name, part in stages.items()}
    said = {
        key: next(cells[0] for name, cells in found.items() if key[0] in name.lower() and key[1] in name.lower())
        for key in expected
    }
    assert said == expected
    knee = next(cells for name, cells in found.items() if "Knee" in name)
    assert knee[0] == shown_intensity(answer["knee_flop_per_byte"])
    assert knee[1] == "495 TFLOP/s"  # half of the datasheet's rate
    section = studio.page.get_by_role("region", name="Work per byte")
    expect(section).to_contain_text("not a measured rate")


def test_points_of_the_roofline_are_reached_and_chosen_by_keyboard(studio):
    points = studio.page.get_by_role("group", name="Roofline").get_by_role("button")
    expect(points).to_have_count(6)
    chosen = studio.page.get_by_role("status", name="The chosen point")
    expect(chosen).to_contain_text("Decode as a whole")
    points.nth(0).focus()
    studio.press("Tab")
    expect(points.nth(1)).to_be_focused()
    studio.press("Enter")
    expect(points.nth(1)).to_have_attribute("aria-pressed", "true")
    expect(chosen).to_contain_text("Prefill, linear layers")
    studio.press("Tab", "Space")
    expect(chosen).to_contain_text("Prefill, attention")
    points.nth(5).click()
    expect(chosen).to_contain_text("Decode, attention")


def test_a_point_of_the_sweep_tries_that_batch_and_nothing_else(server, visit):
    studio = visit("#v=1&weights=fp8&prompt_tokens=2000")
    toolbar = studio.page.get_by_role("toolbar")
    point = toolbar.get_by_role("button", name="Batch 64:")
    answer = server.estimate(weights="fp8", prompt_tokens=2000, batch=64)
    assert shown_rate(answer["output_tokens_per_s"]) in plain(point.get_attribute("aria-label"))
    assert f"TPOT {shown_seconds(answer['tpot_s'])}" in plain(point.get_attribute("aria-label"))
    point.click()
    studio.settled()
    assert studio.figure("Output throughput")[1] == answer["output_tokens_per_s"]
    expect(studio.page).to_have_url(re.compile(r"#v=1&weights=fp8&prompt_tokens=2000&batch=64$"))
    expect(point).to_have_attribute("aria-pressed", "true")


def test_the_sweep_is_walked_by_keyboard_past_what_fits(server, studio):
    toolbar = studio.page.get_by_role("toolbar")
    toolbar.locator("[tabindex='0']").focus()
    expect(toolbar.get_by_role("button", name="Batch 16:")).to_be_focused()
    studio.press("ArrowRight")
    expect(toolbar.get_by_role("button", name="Batch 24:")).to_be_focused()
    studio.press("Space")
    studio.settled()
    assert studio.figure("Output throughput")[1] == server.estimate(batch=24)["output_tokens_per_s"]
    expect(toolbar.get_by_role("button", name="Batch 24:")).to_be_focused()
    studio.press("End")
    last = toolbar.get_by_role("button").last
    expect(last).to_be_focused()
    expect(last).to_have_accessible_name(re.compile("does not fit"))
    largest = server.estimate()["would_fit"]["batch"]
    expect(toolbar.get_by_role("button", name=f"Batch {largest}: ")).not_to_have_accessible_name(re.compile("not fit"))


def test_the_sweep_as_a_table_is_the_api_s_sweep(server, studio):
    studio.control("button", "The same as a table").click()
    studio.lay_out_all()
    found = rows(studio.page.get_by_role("table", name="Throughput and latency of every batch"))
    answer = server.ask("sweep", {**question(), "field": "batch", "values": [1, 96]})
    for i, batch in enumerate(("1", "96")):
        assert found[batch] == [
            shown_rate(answer["output_tokens_per_s"][i]),
            shown_seconds(answer["tpot_s"][i]),
            shown_seconds(answer["ttft_s"][i]),
        ]
    assert list(found.values())[-1] == ["does not fit"]


def test_every_degree_has_its_figures_or_its_reason(server, studio):
    table = studio.page.get_by_role("table", name="What each number of devices brings")
    studio.lay_out_all()
    row = {option["degree"]: option for option in server.estimate()["tensor_parallel_options"]}
    for degree, option in row.items():
        button = table.get_by_role("button", name=f"Use {degree} device")
        line = plain(table.get_by_role("row").nth(degree).inner_text())
        if not option["allowed"]:
            expect(button).to_be_disabled()
            assert option["reason"] in line
            continue
        answer = server.estimate(tensor_parallel=degree)
        assert shown_seconds(answer["tpot_s"]) in line
        assert shown_rate(answer["output_tokens_per_s"]) in line
        if degree > 1:
            assert shown_seconds(answer["decode"]["communication_s"] / 255) in line
    table.get_by_role("button", name="Use 4 devices").click()
    studio.settled()
    assert studio.figure("End to end")[1] == server.estimate(tensor_parallel=4)["e2e_s"]


def test_the_link_is_chosen_by_its_rate(server, visit):
    studio = visit("#v=1&tensor_parallel=2")
    section = studio.page.get_by_role("region", name="Split the model across GPUs")
    expect(section).to_contain_text("NVLink adds no HBM bandwidth")
    section.get_by_role("radio", name="PCIe 4 31 GB/s one way, 23.3 GB/s effective").check()
    studio.settled()
    answer = server.estimate(tensor_parallel=2, link_bytes_per_s=31e9)
    assert studio.figure("Time to first token")[1] == answer["ttft_s"]
    assert shown_seconds(answer["prefill"]["communication_s"]) in plain(section.inner_text())
    section.get_by_role("radio", name="Another").check()
    section.get_by_label("One-way rate of the link").fill("100")
    studio.settled()
    assert (
        studio.figure("Time to first token")[1] == server.estimate(tensor_parallel=2, link_bytes_per_s=1e11)["ttft_s"]
    )
    section.get_by_role("radio", name="As the datasheet").check()
    studio.settled()
    assert studio.figure("Time to first token")[1] == server.estimate(tensor_parallel=2)["ttft_s"]
    section.get_by_role("button", name="Formula: time in exchanges").click()
    expect(studio.page.get_by_role("dialog").locator("math").first).to_contain_text("link")


def test_where_nothing_fits_the_degrees_say_what_would(visit):
    studio = visit(TOO_LARGE)
    table = studio.page.get_by_role("table", name="What each number of devices brings")
    expect(table.get_by_role("row").nth(1)).to_contain_text("does not fit")
    expect(table.get_by_role("row").nth(4)).to_contain_text("to spare on each")
    expect(studio.page.get_by_role("heading", name="Not even one request fits")).to_be_visible()


def test_other_kv_heads_are_another_model(server, studio):
    studio.control("button", "Planning assumptions").click()
    studio.control("combobox", "KV heads").select_option("32")
    studio.settled()
    expect(studio.page.get_by_role("heading", level=1)).to_contain_text("Llama-3.1-8B with 32 KV heads")
    whole = server.estimate()["deployment"]["model"]
    kept = ("parameters", "layers", "query_heads", "head_dim", "hidden_size", "vocab_size", "tied_embeddings")
    model = {field: whole[field] for field in kept} | {"name": "x", "kv_heads": 32}
    assert studio.figure("Time per output token")[1] == server.estimate(model=model)["tpot_s"]
    expect(studio.page).to_have_url(re.compile("#v=1&kv_heads=32$"))
    studio.page.reload()
    studio.settled()
    expect(studio.page.get_by_role("heading", level=1)).to_contain_text("with 32 KV heads")
