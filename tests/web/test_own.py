"""Models and accelerators of one's own: pasted, dropped, typed, linked, kept, edited and removed."""

from __future__ import annotations

import json
import re

import pytest
from playwright.sync_api import expect

from tests.web.driver import CONFIG, PERFORMANCE, plain, shown_bytes
from tests.web.room import SLOW_PICTURE
from tests.web.test_mishaps import BLOCKED

pytestmark = pytest.mark.browser

#: Too long for a link: every layer is of a kind of its own.
LONG = {
    "name": "Many kinds",
    "parameters": 9_000_000_000,
    "layers": 40,
    "query_heads": 32,
    "kv_heads": 8,
    "head_dim": 128,
    "groups": [
        {"layers": 1, "query_heads": 32, "kv_heads": 8, "key_dim": 128, "value_dim": 128, "window": 1000 + layer}
        for layer in range(40)
    ],
}
CARD = {
    "name": "Test card",
    "memory_bytes": 48e9,
    "bandwidth_bytes_per_s": 1.2e12,
    "flop_per_s": {"bf16": 2.5e14},
    "price_usd_per_hour": 0.8,
}
DROP = """([text, name]) => {
    const data = new DataTransfer()
    data.items.add(new File([text], name, {type: 'application/json'}))
    const rail = document.querySelector('aside')
    for (const type of ['dragover', 'drop'])
        rail.dispatchEvent(new DragEvent(type, {dataTransfer: data, bubbles: true, cancelable: true}))
}"""


def dialog(studio, kind="model"):
    return studio.page.get_by_role("dialog", name=f"{'A model' if kind == 'model' else 'An accelerator'} of your own")


def paste(studio, text):
    studio.control("button", "Use a config.json").click()
    studio.control("textbox", "config.json").fill(text)


def use(studio, kind="model"):
    studio.control("button", f"Use this {kind}").click()
    expect(dialog(studio, kind)).to_be_hidden()
    studio.settled()


def heading(studio):
    return studio.page.get_by_role("heading", level=1)


def test_a_pasted_config_is_the_configuration(server, visit):
    studio = visit()
    paste(studio, json.dumps(CONFIG))
    studio.control("textbox", "Name").fill("Little one")
    use(studio)
    expect(heading(studio)).to_contain_text("Little one")
    expect(studio.control("combobox", "Model")).to_have_value("Little one")
    answer = server.estimate(model=CONFIG)
    assert studio.figure("End to end")[1] == answer["e2e_s"]

    studio.lay_out_all()
    table = studio.page.get_by_role("table", name="What was understood of Little one")
    assert "1,024 tokens" in plain(table.get_by_role("row", name="A query sees").inner_text())
    cache = table.get_by_role("row", name="Cache of a token, bf16")
    per_token = 24 * 4 * 2 * 128 * 2
    assert shown_bytes(per_token) in plain(cache.inner_text())
    expect(cache.get_by_title(f"{per_token} B")).to_have_count(1)

    figures, link = studio.figures(), studio.hash()
    assert "Little" in link
    studio.page.reload()
    assert studio.settled().figures() == figures
    elsewhere = visit(link, locale="en-GB")
    assert elsewhere.figures() == figures
    expect(heading(elsewhere)).to_contain_text("Little one")


def test_windows_and_experts_have_assumptions_of_their_own(server, visit):
    studio = visit()
    studio.control("button", "Planning assumptions").click()
    expect(studio.control("checkbox", "Free what left a window")).to_have_count(0)
    expect(studio.control("spinbutton", "Skew of the experts")).to_have_count(0)
    studio.open("#v=1&model=gpt-oss-120b&accelerator=h200-sxm-141gb&prompt_tokens=4096")
    if studio.control("button", "Planning assumptions").get_attribute("aria-expanded") == "false":
        studio.control("button", "Planning assumptions").click()
    studio.control("checkbox", "Free what left a window").uncheck()
    studio.control("spinbutton", "Skew of the experts").fill("1.5")
    studio.settled()
    answer = server.estimate(
        model="gpt-oss-120b",
        accelerator="h200-sxm-141gb",
        prompt_tokens=4096,
        free_windows=False,
        expert_skew=1.5,
    )
    assert studio.figure("Time per output token")[1] == answer["tpot_s"]
    row = studio.page.get_by_role("table", name="Memory of each device").get_by_role("row", name="KV cache")
    assert shown_bytes(answer["memory"]["kv_cache_bytes"]) in plain(row.inner_text())
    assert "free_windows=false" in studio.hash()


def test_a_file_dropped_on_the_rail_is_looked_at_and_used_by_the_keyboard(server, studio):
    studio.page.evaluate(DROP, [json.dumps(CONFIG), "little.json"])
    expect(studio.control("textbox", "Name")).to_have_value("little")
    button = studio.control("button", "Use this model")
    expect(button).to_be_enabled()
    button.focus()
    studio.press("Enter")
    expect(dialog(studio)).to_be_hidden()
    assert studio.settled().figure("End to end")[1] == server.estimate(model=CONFIG)["e2e_s"]


def test_a_chosen_file_is_read(studio):
    studio.control("button", "Use a config.json").click()
    file = {"name": "config.json", "mimeType": "application/json", "buffer": json.dumps(CONFIG).encode()}
    studio.page.get_by_label("Choose a file").set_input_files(file)
    expect(studio.control("button", "Use this model")).to_be_enabled()
    expect(studio.page.get_by_role("table", name=re.compile("understood"))).to_have_count(2)


@pytest.mark.parametrize(
    ("text", "sentence"),
    [
        ("{", "no JSON"),
        ("[1, 2]", "no object"),
        ('{"model_type": "llama"}', "hidden_size"),
        ("[" * 70 + "]" * 70, "nested deeper than 64 levels"),
        ('{"x": "' + "y" * 4_000_000 + '"}', "more than 4,000,000 bytes"),
    ],
    ids=["broken", "list", "lacking", "deep", "large"],
)
def test_a_bad_paste_is_refused_in_the_api_s_words_and_changes_nothing(studio, text, sentence):
    studio.allow("422")
    before, link = studio.figures(), studio.hash()
    if len(text) > 1000:
        studio.page.evaluate(DROP, [text, "config.json"])
    else:
        paste(studio, text)
    expect(studio.page.get_by_role("alert")).to_contain_text(sentence)
    field = studio.control("textbox", "config.json")
    expect(field).to_have_attribute("aria-invalid", "true")
    expect(studio.control("button", "Use this model")).to_be_disabled()
    studio.press("Escape")
    expect(dialog(studio)).to_be_hidden()
    assert (studio.figures(), studio.hash()) == (before, link)


def test_bare_infinity_is_read(studio):
    paste(studio, json.dumps({**CONFIG, "rope_theta": float("inf")}))
    expect(studio.control("button", "Use this model")).to_be_enabled()


def test_a_model_too_long_for_a_link_is_kept_and_the_link_says_so(server, visit):
    studio = visit("#v=1&batch=3", permissions=["clipboard-read", "clipboard-write"])
    paste(studio, json.dumps(LONG))
    use(studio)
    notice = studio.page.get_by_role("status", name="Notices")
    studio.control("button", "Share link").click()
    expect(notice).to_contain_text("not Many kinds: too long for a link")
    assert re.fullmatch(r"#v=1&model=own-[0-9a-f]{8}&batch=3", studio.hash())
    figures, link = studio.figures(), studio.hash()
    assert studio.figure("End to end")[1] == server.estimate(model=LONG, batch=3)["e2e_s"]
    studio.page.reload()
    assert studio.settled().figures() == figures

    stranger = visit(link, locale="en-GB")
    expect(stranger.page.get_by_role("status", name="Notices")).to_contain_text("too long to go into it")
    expect(heading(stranger)).to_contain_text("Llama-3.1-8B")
    expect(stranger.control("spinbutton", "Batch")).to_have_value("3")
    stranger.control("button", "Give its config.json").click()
    expect(dialog(stranger)).to_be_visible()


def test_with_storage_blocked_a_model_of_ones_own_works(server, visit):
    def prepare(studio):
        studio.page.add_init_script(BLOCKED)
        studio.allow(SLOW_PICTURE)  # nothing remembers that the room was folded away

    studio = visit(prepare=prepare)
    paste(studio, json.dumps(CONFIG))
    use(studio)
    assert studio.figure("End to end")[1] == server.estimate(model=CONFIG)["e2e_s"]


def test_a_model_of_ones_own_is_edited_and_removed(server, studio):
    paste(studio, json.dumps(CONFIG))
    use(studio)
    studio.control("button", "Edit this model").click()
    studio.control("textbox", "Name").fill("Renamed")
    use(studio)
    expect(heading(studio)).to_contain_text("Renamed")
    model = studio.control("combobox", "Model")
    model.click()
    own = studio.page.get_by_role("group", name="Your own").get_by_role("option")
    expect(own).to_have_count(1)
    studio.press("Escape")
    studio.control("button", "Remove this model").click()
    expect(heading(studio)).to_contain_text("Llama-3.1-8B")
    assert studio.settled().figure("End to end")[1] == server.estimate()["e2e_s"]
    model.click()
    expect(own).to_have_count(0)


def test_an_accelerator_of_ones_own_is_typed_in_human_units(server, visit):
    studio = visit("#v=1&model=llama-3.2-1b")
    studio.control("button", "Give your own figures").click()
    for name, text in {
        "Name": "Test card",
        "Memory": "48",
        "Memory bandwidth": "1.2 TB/s",
        "Link, one way": "",
        "Price": "$0.80",
    }.items():
        studio.control("textbox", name).fill(text)
    for name in ("fp32", "tf32", "fp16", "fp8", "int8"):
        studio.control("textbox", f"{name} rate").fill("")
    studio.control("textbox", "bf16 rate").fill("250")
    use(studio, "accelerator")
    expect(heading(studio)).to_contain_text("Test card")
    answer = server.estimate(model="llama-3.2-1b", accelerator=CARD)
    assert studio.figure("End to end")[1] == answer["e2e_s"]
    figures, link = studio.figures(), studio.hash()
    studio.page.reload()
    assert studio.settled().figures() == figures
    assert visit(link, locale="en-GB").figures() == figures
    studio.control("button", "Remove this accelerator").click()
    expect(heading(studio)).to_contain_text("H100")


def test_a_form_with_faults_says_where_and_changes_nothing(studio):
    studio.allow("422")
    before = studio.figures()
    studio.control("button", "Give your own figures").click()
    studio.control("textbox", "Memory").fill("")
    studio.control("textbox", "Memory bandwidth").fill("fast")
    studio.control("button", "Use this accelerator").click()
    memory = studio.control("textbox", "Memory")
    expect(memory).to_be_focused()
    expect(memory).to_have_accessible_description(re.compile("Memory is empty"))
    expect(studio.control("textbox", "Memory bandwidth")).to_have_accessible_description(re.compile("“fast” is no"))
    memory.fill("0")
    studio.control("textbox", "Memory bandwidth").fill("1000")
    studio.control("button", "Use this accelerator").click()
    expect(memory).to_have_accessible_description(re.compile("0 is out of range|0"))
    expect(dialog(studio, "accelerator")).to_be_visible()
    assert studio.figures() == before


def test_a_missing_rate_is_given_in_a_form_filled_from_the_catalogue(server, visit):
    studio = visit("#v=1&model=llama-3.2-1b&accelerator=rtx-4070")
    expect(studio.page.get_by_text("The bf16 compute rate of GeForce RTX 4070 12GB is not known")).to_be_visible()
    assert PERFORMANCE.search(studio.tile("Time to first token").inner_text()) is None
    studio.control("button", "Give what is missing").click()
    expect(studio.control("textbox", "Memory")).to_have_value("12")
    studio.control("textbox", "bf16 rate").fill("58.3")
    use(studio, "accelerator")
    row = next(row for row in server.get("/api/accelerators")["accelerators"] if row["id"] == "rtx-4070")
    fields = ("memory_bytes", "bandwidth_bytes_per_s", "link_bytes_per_s", "price_usd_per_hour")
    mine = {name: row[name] for name in fields} | {"name": "Mine"}
    mine["flop_per_s"] = {**row["flop_per_s"], "bf16": 58.3e12}
    answer = server.estimate(model="llama-3.2-1b", accelerator=mine)
    assert studio.figure("End to end")[1] == answer["e2e_s"]


def test_the_catalogue_is_searched_by_family_size_kind_maker_and_memory(studio):
    model = studio.control("combobox", "Model")
    listed = studio.page.get_by_role("listbox", name="Choose a model")
    options = listed.get_by_role("option")
    model.click()
    expect(options).to_have_count(137)
    for query, wanted in {
        "moe qwen 30b": "Qwen3-30B-A3B",
        "mla deepseek-v3.2": "DeepSeek-V3.2",
        "openai 120b": "gpt-oss-120b",
        "state jamba": "Jamba",
    }.items():
        model.fill(query)
        expect(options.first).to_contain_text(re.compile(wanted, re.IGNORECASE))
    expect(studio.page.get_by_role("group", name="Jamba")).to_be_visible()
    studio.press("Escape")
    accelerator = studio.control("combobox", "Accelerator")
    accelerator.click()
    options = studio.page.get_by_role("listbox", name="Choose an accelerator").get_by_role("option")
    expect(options).to_have_count(77)
    accelerator.fill("amd 192 gb")
    expect(options).to_have_count(1)
    accelerator.fill("rtx 4070")
    expect(options.first).to_contain_text("no bf16 or fp16 rate")
    studio.press("ArrowDown", "Enter")
    expect(studio.page.get_by_text("Not known: bf16 or fp16 rate")).to_be_visible()


def test_what_is_assumed_and_not_counted_stands_near_the_verdict(server, visit):
    studio = visit("#v=1&model=deepseek-v3&accelerator=h200-sxm-141gb&tensor_parallel=8")
    said = studio.page.get_by_role("list", name="What the figures leave out or take for granted")
    expect(said).to_contain_text("Drafting with the MTP layers")
    studio.control("button", "Formula: memory for KV cache").click()
    explained = studio.page.get_by_role("dialog")
    expect(explained).to_contain_text("3 layers × (512 + 64), in bf16; whole on each device")
