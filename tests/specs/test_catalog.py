"""The catalogue: whole, sourced, and one entry read alone is the same entry."""

from __future__ import annotations

import tomllib
from importlib import resources

import pytest

import servelab as sl
from servelab.specs.catalog import loader
from servelab.specs.catalog.listing import accelerator_rows, model_rows

KINDS = ("model", "accelerator")


def whole(kind):
    text = resources.files("servelab.specs.catalog").joinpath(f"{kind}s.toml").read_text(encoding="utf-8")
    return tomllib.loads(text)


@pytest.mark.parametrize("kind", KINDS)
def test_an_entry_read_alone_is_the_entry_of_the_whole(kind):
    table = whole(kind)
    assert list(loader.ids(kind)) == list(table)
    assert len(table) == {"model": 137, "accelerator": 77}[kind]
    for entry in loader.entries(kind):
        assert set(entry.fields) | set(entry.about) == set(table[entry.id]) | {"name"}


def test_every_accelerator_has_a_source_for_every_number():
    for entry in loader.entries("accelerator"):
        numbers = {name for name in entry.fields if name not in ("name", "flop_per_s")}
        numbers |= {f"flop_per_s.{name}" for name in entry.fields.get("flop_per_s", ())}
        sourced = {name for source in entry.about["sources"] for name in source["of"]}
        assert sourced == numbers, entry.id


def test_every_model_has_a_source_and_its_published_name():
    for entry in loader.entries("model"):
        assert entry.about["source"]
        assert entry.about["published_source"]
        published = entry.about.get("hugging_face", entry.id)
        assert published.rsplit("/", 1)[-1].lower() == entry.id
        assert sl.Model.load(published) == sl.Model.load(entry.id)


def test_ids_and_aliases_are_unique():
    for kind in KINDS:
        names = [name for entry in loader.entries(kind) for name in (entry.id, *entry.about.get("aliases", ()))]
        assert len(names) == len(set(names))
        assert names == [name.lower() for name in names]


@pytest.mark.parametrize("ref", ["LLAMA-3.1-8B", "meta-llama-3.1-8b", "meta-llama/Meta-Llama-3.1-8B", " llama-3.1-8b "])
def test_other_published_names_find_the_model(ref):
    assert sl.Model.load(ref) == sl.Model.load("llama-3.1-8b")


def test_known_figures():
    model = sl.Model.load("llama-3.1-8b")
    assert (model.parameters, model.layers, model.kv_heads) == (8_030_261_248, 32, 8)
    device = sl.Accelerator.load("h100-sxm-80gb")
    assert (device.memory_bytes, device.bandwidth_bytes_per_s) == (80e9, 3.35e12)
    assert device.flop_per_s["bf16"] == 989.4e12
    assert device.link_bytes_per_s == 450e9


@pytest.mark.parametrize("ref", ["nobody/llama-3.1-8b", "gpt-5", "a\nb", '"]', "x" * 10_000])
def test_other_names_are_unknown(ref):
    with pytest.raises(sl.UnknownName):
        sl.Model.load(ref)


def test_did_you_mean():
    with pytest.raises(sl.UnknownName, match="did you mean h100-sxm-80gb"):
        sl.Accelerator.load("h100")


def test_an_accelerator_of_ones_own(tmp_path):
    file = tmp_path / "card.toml"
    lines = ('name = "Card"', 'memory_bytes = "48 GB"', 'bandwidth_bytes_per_s = "1 TB/s"')
    file.write_text("\n".join((*lines, 'flop_per_s = { bf16 = "100 TFLOP/s" }')))
    card = sl.Accelerator.load(file)
    assert card == sl.Accelerator("Card", 48e9, 1e12, {"bf16": 1e14})
    assert (
        sl.Accelerator.load(
            {"name": "Card", "memory_bytes": 48e9, "bandwidth_bytes_per_s": 1e12, "flop_per_s": {"bf16": 1e14}}
        )
        == card
    )


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("", "name: nothing given"),
        ("name = 3", "memory_bytes: nothing given"),
        ('name = "C"\nmemory_bytes = "48"\nbandwidth_bytes_per_s = 1', "'48' is no quantity in B"),
        ('name = "C"\nmemory_byte = "48 GB"', "did you mean memory_bytes"),
        ("name = ", "holds no fields in TOML"),
        ('name = "C"\nmemory_bytes = -1\nbandwidth_bytes_per_s = 1', "memory_bytes: -1 is out of range"),
        ('name = "C"\nmemory_bytes = 1\nbandwidth_bytes_per_s = true', "bandwidth_bytes_per_s: True is no number"),
    ],
)
def test_a_bad_file_of_ones_own(tmp_path, text, words):
    file = tmp_path / "card.toml"
    file.write_text(text)
    with pytest.raises(sl.SpecError, match=words):
        sl.Accelerator.load(file)


def test_rows_list_everything():
    assert [row.id for row in model_rows()] == list(loader.ids("model"))
    assert [row.id for row in accelerator_rows()] == list(loader.ids("accelerator"))


@pytest.mark.parametrize(
    ("words", "ids"),
    [
        ("gemma 27b", ["gemma-2-27b", "gemma-3-27b-it"]),
        ("META-LLAMA/Meta-Llama-3.1-8B", ["llama-3.1-8b"]),  # an alias
        ("multi-head-latent glm-5 top-k", ["glm-5", "glm-5.1", "glm-5.2"]),
        ("nothing-like-this", []),
    ],
)
def test_rows_are_filtered_by_all_words(words, ids):
    assert [row.id for row in model_rows(words)] == ids


def test_rows_are_filtered_by_family_and_vendor():
    assert {row.family for row in model_rows(family="phi")} == {"phi"}
    assert [row.id for row in accelerator_rows("mi3", vendor="amd")] == ["mi300x", "mi325x", "mi355x"]


def test_what_no_source_gives_is_listed_as_unknown():
    unknown = {row.id: row.unknown for row in accelerator_rows()}
    assert unknown["h800-sxm-80gb"] == (
        "flop_per_s.bf16",
        "flop_per_s.fp16",
        "flop_per_s.fp8",
        "memory_reported_bytes",
        "price_usd_per_hour",
    )
    assert unknown["h100-sxm-80gb"] == ()
    assert sl.Accelerator.load("h100-sxm-80gb").memory_reported_bytes == 79.22 * 2**30


def test_a_model_of_ones_own(tmp_path):
    file = tmp_path / "own.toml"
    file.write_text(
        "parameters = 5_000_000_000\nlayers = 4\nquery_heads = 8\nkv_heads = 2\nhead_dim = 128\n"
        'checkpoint_bytes = "3 GB"\n'
        "[[groups]]\nlayers = 4\nquery_heads = 8\nkv_heads = 2\nkey_dim = 128\nvalue_dim = 128\nwindow = 512\n"
        '[[parts]]\nname = "tower"\nparameters = 10\nweights_bytes = "1 kB"\n'
    )
    model = sl.Model.load(file)
    assert (model.name, model.checkpoint_bytes, model.windows) == ("own", 3e9, (512,))
    assert model.parts[0].weights_bytes == 1000
    file.write_text('model_type = "llama"\nhidden_size = 8\nnum_hidden_layers = 1\nnum_attention_heads = 1\n')
    with pytest.raises(sl.ConfigError, match="lacks vocab_size"):
        sl.Model.load(file)


@pytest.mark.parametrize("ref", [None, 1, b"x", [], "", "  "])
def test_what_is_no_reference_is_refused(ref):
    for spec in (sl.Model, sl.Accelerator):
        with pytest.raises(sl.SpecError, match="give a catalogue id, a path, or the fields"):
            spec.load(ref)


def test_a_known_name_is_no_file_that_happens_to_bear_it(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "llama-3.1-8b").write_text("junk")
    (tmp_path / "h100-sxm-80gb").mkdir()
    assert sl.Model.load("llama-3.1-8b").name == "Llama-3.1-8B"
    assert sl.Accelerator.load("h100-sxm-80gb").memory_bytes == 80e9


def test_a_long_name_is_looked_up_once_and_kept_nowhere():
    with pytest.raises(sl.UnknownName) as caught:
        sl.Model.load("x" * 4_000_000)
    assert len(str(caught.value)) < 300


@pytest.mark.parametrize(
    "text",
    [
        "a." * 20_000 + "a = 1",
        "[x]\n" * 50_000,
        'memory_bytes = "' + "8" * 90_000 + ' XB"',
        '"' + "k" * 90_000 + '" = 1',
    ],
    ids=["dots", "tables", "number", "key"],
)
def test_a_hostile_toml_is_refused_in_a_short_sentence(tmp_path, text):
    file = tmp_path / "line\nbreak.toml"
    file.write_text(text)
    with pytest.raises(sl.SpecError) as caught:
        sl.Accelerator.load(file)
    assert len(caught.value.message) < 600
    assert "\n" not in caught.value.message


def test_a_byte_order_mark_is_no_matter(tmp_path):
    file = tmp_path / "card.toml"
    file.write_text('name = "Card"\nmemory_bytes = "48 GB"\nbandwidth_bytes_per_s = "1 TB/s"\n', encoding="utf-8-sig")
    assert sl.Accelerator.load(file).memory_bytes == 48e9


def test_a_refusal_says_in_which_file_argument_its_field_is(tmp_path):
    file = tmp_path / "card.toml"
    file.write_text("memory = 1")
    with pytest.raises(sl.UnknownName) as caught:
        sl.Accelerator.load(file)
    assert caught.value.field == "accelerator.memory"


@pytest.mark.parametrize(
    ("path", "name"), [("./ckpt/", "ckpt"), ("org/Model-7B", "Model-7B"), ("a\x1b[31mb", "a[31mb"), ("/ /", "llama")]
)
def test_a_config_names_itself(path, name):
    config = {
        "model_type": "llama",
        "hidden_size": 8,
        "num_hidden_layers": 2,
        "num_attention_heads": 4,
        "intermediate_size": 16,
        "vocab_size": 10,
        "_name_or_path": path,
    }
    assert sl.Model.load(config).name == name
