"""The section on what an engine leaves for its KV cache, and the reading of logs and commands."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from playwright.sync_api import expect

from tests.fidelity.samples import V1_11, V1_TOO_LONG
from tests.web.driver import plain

pytestmark = pytest.mark.browser

WIDTHS = (390, 768, 1280)
TITLE = "Why is my KV cache so small?"
COMMAND = "vllm serve Qwen/Qwen3-8B --max-model-len 8192 --frobnicate"


def section(studio):
    return studio.page.get_by_role("region", name=TITLE)


def box(studio):
    return studio.page.get_by_role("textbox", name="Log or command")


def reading(studio):
    return studio.page.get_by_role("group", name="Paste a start-up log or a command")


def memory(studio, **changes):
    body = {"deployment": {"model": "llama-3.1-8b", "accelerator": "h100-sxm-80gb", "engine": "vllm"}}
    server_address = studio.address
    answer = studio.page.request.post(f"{server_address}/api/memory", data={**body, **changes})
    return answer.json()


def test_figures_are_the_api_s(visit):
    studio = visit()
    answer = memory(studio)
    text = plain(section(studio).inner_text())
    assert f"{answer['kv_tokens']:,}" in text
    assert f"{answer['max_concurrency']:.2f}".rstrip("0").rstrip(".") in text
    for name in ("weights_bytes", "activation_bytes", "other_bytes", "kv_cache_bytes"):
        assert f"{answer[name] / 2**30:.2f} GiB" in text
    for remedy in answer["remedies"]:
        assert f"{remedy['kv_tokens']:,} tokens" in text


def test_controls_change_the_answer_and_are_part_of_the_link(visit):
    studio = visit()
    studio.control("spinbutton", "Longest context").fill("16000")
    studio.settled()
    studio.control("spinbutton", "Memory utilisation").fill("80")
    studio.settled()
    answer = memory(studio, max_model_len=16000, gpu_memory_utilization=0.8)
    expect(section(studio)).to_contain_text(f"{answer['kv_tokens']:,}")
    expect(studio.page).to_have_url(re.compile("max_model_len=16000"))
    expect(studio.page).to_have_url(re.compile("gpu_memory_utilization=0.8"))
    studio.page.reload()
    studio.settled()
    expect(section(studio)).to_contain_text(f"{answer['kv_tokens']:,}")
    expect(studio.control("spinbutton", "Memory utilisation")).to_have_value("80")


def test_a_setting_of_the_engine_is_undone(visit):
    studio = visit()
    tokens = f"{memory(studio)['kv_tokens']:,}"
    studio.control("spinbutton", "Memory utilisation").fill("50")
    studio.settled()
    expect(section(studio)).not_to_contain_text(tokens)
    studio.control("button", "Undo").click()
    studio.settled()
    expect(section(studio)).to_contain_text(tokens)


def test_a_remedy_is_a_button_that_applies(visit):
    studio = visit()
    before = memory(studio)
    remedy = next(remedy for remedy in before["remedies"] if remedy["change"]["field"] == "deployment.kv_cache")
    section(studio).get_by_role("button", name="KV cache fp8").click()
    studio.settled()
    expect(section(studio)).to_contain_text(f"{remedy['kv_tokens']:,}")
    expect(studio.control("combobox", "KV cache format")).to_have_value("fp8")


def test_what_does_not_start_says_why_in_numbers(visit):
    studio = visit("#v=1&model=llama-3.1-70b")
    expect(section(studio)).to_contain_text("It would not start:")
    expect(section(studio).get_by_role("heading", name="What is enough, the cheapest first")).to_be_visible()


def test_a_bad_setting_is_named_at_its_control(visit):
    studio = visit()
    studio.allow("422")
    version = studio.control("textbox", "Engine version")
    version.fill("newest!")
    version.press("Enter")
    version.blur()
    expect(section(studio).get_by_role("alert")).to_contain_text("newest!")
    expect(version).to_have_attribute("aria-invalid", "true")
    version.fill("")
    version.blur()
    expect(section(studio).get_by_role("alert")).to_have_count(0)


@pytest.mark.parametrize("engine", ["sglang", "tensorrt-llm", "llama.cpp"])
def test_every_engine_answers(visit, engine):
    studio = visit(f"#v=1&engine={engine}&max_model_len=8192")
    expect(section(studio).get_by_role("heading", level=3).first).not_to_be_empty()
    command = section(studio).get_by_role("button", name="The command that starts it so")
    expect(command).to_have_count(0 if engine == "tensorrt-llm" else 1)


def test_the_command_is_written_out(visit):
    studio = visit("#v=1&kv_cache=fp8")
    section(studio).get_by_role("button", name="The command that starts it so").click()
    expect(section(studio).get_by_role("group", name="Command", exact=True)).to_contain_text("--kv-cache-dtype fp8")


def test_a_log_is_read_side_by_side(visit):
    studio = visit()
    box(studio).fill(V1_11)
    table = reading(studio).get_by_role("table", name="Reported beside predicted")
    expect(table.get_by_role("row", name=re.compile("^Tokens"))).to_contain_text("420,896")
    expect(reading(studio)).to_contain_text("vLLM 0.11.0")
    expect(reading(studio).get_by_role("heading", name="Where the memory went")).to_be_visible()
    reading(studio).get_by_role("button", name="Take this over into the studio").click()
    studio.settled()
    expect(studio.control("spinbutton", "Longest context")).to_have_value("16000")
    expect(studio.control("textbox", "Engine version")).to_have_value("0.11.0")
    expect(studio.page).to_have_url(re.compile("max_model_len=16000"))


def test_a_refused_start_names_the_context_that_fits(visit):
    studio = visit()
    box(studio).fill(V1_TOO_LONG)
    expect(reading(studio)).to_contain_text("did not start")
    reading(studio).get_by_role("button", name="Context 59,584").first.click()
    studio.settled()
    expect(studio.control("spinbutton", "Longest context")).to_have_value("59584")
    expect(studio.page.get_by_role("heading", level=1)).to_contain_text("Qwen2.5-14B")


def test_a_command_is_predicted_for_the_studio_s_accelerator(visit):
    studio = visit()
    box(studio).fill(COMMAND)
    expect(reading(studio)).to_contain_text("predicted for the studio’s")
    expect(reading(studio).get_by_role("heading", name="Not understood, and left out")).to_be_visible()
    expect(reading(studio)).to_contain_text("--frobnicate")


def test_a_bad_log_is_one_sentence(visit):
    studio = visit()
    studio.allow("422")
    box(studio).fill("nothing that any engine says")
    alert = reading(studio).get_by_role("alert")
    expect(alert).to_contain_text("vLLM, SGLang or llama.cpp")
    box(studio).fill(V1_11[:600])
    expect(alert).to_contain_text("understood so far: vLLM 0.11.0")
    studio.control("button", "Clear").click()
    expect(alert).to_have_count(0)


def drop(studio, name, text):
    """Drop a file anywhere on the page."""
    transfer = studio.page.evaluate_handle(
        """([name, text]) => {
            const transfer = new DataTransfer();
            transfer.items.add(new File([text], name, { type: "text/plain" }));
            return transfer;
        }""",
        [name, text],
    )
    studio.page.dispatch_event("body", "drop", {"dataTransfer": transfer})


def test_a_dropped_log_is_read_from_any_page(visit):
    studio = visit("#v=1&page=under-the-hood")
    drop(studio, "server.log", V1_11)
    expect(reading(studio)).to_contain_text("420,896")
    expect(studio.page.get_by_role("heading", name=TITLE)).to_be_focused()


def test_a_chosen_file_is_read(visit, tmp_path: Path):
    path = tmp_path / "server.log"
    path.write_text(V1_11, encoding="utf-8")
    studio = visit()
    reading(studio).get_by_label("Choose a log").set_input_files(path)
    expect(reading(studio)).to_contain_text("420,896")


def test_by_keyboard_alone(visit):
    studio = visit()
    studio.press("ControlOrMeta+k")
    studio.control("combobox", "Search controls, actions and pages").fill("longest context")
    studio.press("Enter")
    context = studio.control("spinbutton", "Longest context")
    expect(context).to_be_focused()
    context.press_sequentially("8000")
    studio.settled()
    expect(studio.page).to_have_url(re.compile("max_model_len=8000"))
    box(studio).focus()
    studio.page.keyboard.insert_text(COMMAND)
    expect(reading(studio)).to_contain_text("--frobnicate")
    take = reading(studio).get_by_role("button", name="Take this over into the studio")
    take.focus()
    studio.press("Enter")
    expect(studio.page.get_by_role("heading", level=1)).to_contain_text("Qwen3-8B")
    expect(studio.page).to_have_url(re.compile("model=qwen3-8b"))


@pytest.mark.parametrize("theme", ["dark", "light"])
def test_axe_finds_nothing(visit, theme):
    studio = visit()
    studio.theme(theme)
    studio.allow("422")
    section(studio).get_by_role("button", name="The command that starts it so").click()
    section(studio).get_by_role("button", name="Taken for granted").click()
    found = {}
    for width in WIDTHS:
        studio.resize(width)
        box(studio).fill(V1_11)
        reading(studio).get_by_role("table").wait_for()
        found[width] = studio.violations()
        box(studio).fill("no such thing")
        reading(studio).get_by_role("alert").wait_for()
        found[width] += studio.violations()
        assert studio.sideways() == 0
    assert found == {width: [] for width in WIDTHS}
