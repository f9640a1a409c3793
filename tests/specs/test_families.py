"""config.json files as models: ours here, published ones where the reference data is."""

from __future__ import annotations

import contextlib
import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

import servelab as sl
from servelab.specs.jsontext import MAX_BYTES, MAX_DEPTH, parse_json, refusal

TINY = {
    "model_type": "llama",
    "hidden_size": 8,
    "num_hidden_layers": 2,
    "num_attention_heads": 4,
    "num_key_value_heads": 2,
    "intermediate_size": 16,
    "vocab_size": 10,
    "max_position_embeddings": 64,
    "torch_dtype": "float16",
}
# attention 8 × (8 + 2 × 4) + 8 × 8 = 192, feed-forward 3 × 8 × 16 = 384, norms 16; a last norm 8; two tables of 80
LAYER = 192 + 384 + 16
TINY_PARAMETERS = 2 * LAYER + 8 + 160


def test_a_small_config_adds_up():
    model = sl.Model.load(TINY)
    assert model.parameters == TINY_PARAMETERS
    assert (model.layers, model.query_heads, model.kv_heads, model.head_dim) == (2, 4, 2, 2)
    assert (model.hidden_size, model.vocab_size, model.context_length) == (8, 10, 64)
    assert model.checkpoint_format == "fp16"
    assert not model.tied_embeddings


@pytest.mark.parametrize(
    ("change", "more"),
    [
        ({"tie_word_embeddings": True}, -80),
        ({"num_key_value_heads": None}, 2 * 8 * 8),  # as many KV heads as query heads
        ({"head_dim": 4}, 2 * 8 * (16 + 2 * 8 + 16) - 2 * 192),
        ({"attention_bias": True}, 2 * (8 + 2 * 4 + 8)),
        ({"mlp_bias": True}, 2 * (2 * 16 + 8)),
        ({"model_type": "qwen2"}, 2 * (8 + 2 * 4)),  # bias on query, key and value
        ({"model_type": "qwen3"}, 2 * 2 * 2),  # norms of queries and keys, one head wide
        ({"model_type": "mistral", "sliding_window": None}, 0),
        ({"model_type": "phi3"}, 0),
    ],
)
def test_what_a_field_or_family_adds(change, more):
    assert sl.Model.load(TINY | change).parameters == TINY_PARAMETERS + more


def test_a_count_given_outright_wins():
    assert sl.Model.load(TINY, parameters=5e3).parameters == 5000
    assert sl.Model.load("llama-3.1-8b", parameters=9e9).parameters == 9_000_000_000


@pytest.mark.parametrize(
    ("change", "words"),
    [
        ({"hidden_size": None, "vocab_size": None}, "lacks hidden_size, vocab_size"),
        ({"sliding_window": -32}, "sliding_window -32 is out of range"),
        ({"quantization_config": {"quant_method": "aqlm"}}, "quant_method 'aqlm' is not read"),
        ({"num_attention_heads": 3}, "hidden_size 8 is no multiple of 3 heads"),
        ({"num_attention_heads": "4"}, "num_attention_heads '4' is no number"),
        ({"num_hidden_layers": 1e30}, "num_hidden_layers 1e\\+30 is out of range"),
        ({"vocab_size": float("nan")}, "vocab_size nan is out of range"),
        ({"tie_word_embeddings": "yes"}, "tie_word_embeddings 'yes' is neither true nor false"),
        ({"torch_dtype": "float8"}, "torch_dtype 'float8' is not known"),
        ({"torch_dtype": ["bf16"]}, "torch_dtype"),
    ],
)
def test_what_is_not_understood_is_refused_by_name(change, words):
    with pytest.raises(sl.SpecError, match=words):
        sl.Model.load(TINY | change)


def test_a_window_as_long_as_the_context_is_none():
    assert sl.Model.load(TINY | {"sliding_window": 64}).parameters == TINY_PARAMETERS
    assert sl.Model.load(TINY | {"sliding_window": 32, "use_sliding_window": False}).parameters == TINY_PARAMETERS


def test_a_file_and_its_folder_load(tmp_path):
    folder = tmp_path / "Tiny-Llama"
    folder.mkdir()
    file = folder / "config.json"
    file.write_text(json.dumps(TINY))
    assert sl.Model.load(file) == sl.Model.load(folder) == sl.Model.load(str(folder))
    assert sl.Model.load(file).name == "Tiny-Llama"


def test_paths_that_are_none_are_refused(tmp_path):
    for ref in (tmp_path / "no.json", str(tmp_path / "no.json"), tmp_path, "./nowhere", "x" * 5000 + "/config.json"):
        with pytest.raises(sl.SpecError, match="no file"):
            sl.Model.load(ref)
    with pytest.raises(sl.UnknownName):
        sl.Model.load("no-such-model\0")


@pytest.mark.parametrize("content", ["", "[]", "3", "{", '{"a":', "\x00", "nul", '"' + "x" * 100])
def test_a_file_that_is_no_config_is_refused(tmp_path, content):
    file = tmp_path / "config.json"
    file.write_text(content)
    with pytest.raises(sl.ConfigError) as caught:
        sl.Model.load(file)
    assert caught.value.field == "model"


def test_a_huge_or_deep_file_is_refused_before_it_is_parsed(tmp_path):
    file = tmp_path / "config.json"
    with file.open("wb") as sink:
        sink.truncate(50_000_000)
    with pytest.raises(sl.ConfigError, match="more than 4,000,000 bytes"):
        sl.Model.load(file)
    file.write_text("[" * 10_000 + "]" * 10_000)
    with pytest.raises(sl.ConfigError, match="deeper than 64 levels"):
        sl.Model.load(file)


def test_depth_counts_brackets_outside_strings():
    assert refusal(b"[" * MAX_DEPTH + b"]" * MAX_DEPTH) is None
    assert refusal(b"[" * (MAX_DEPTH + 1)) is not None
    assert refusal(b'"' + b"[" * 1000 + b'"') is None
    assert refusal(b'["\\"' + b"[" * 1000 + b'"]') is None
    assert refusal(b"[]" * 10_000) is None
    assert refusal(b" " * (MAX_BYTES + 1)) is not None


@given(st.binary(max_size=200))
def test_any_bytes_parse_or_are_refused(text):
    with contextlib.suppress(sl.ConfigError):
        parse_json(text, "text")


@given(
    st.dictionaries(
        st.sampled_from(sorted(TINY)),
        st.none()
        | st.booleans()
        | st.floats()
        | st.text(max_size=5)
        | st.integers()
        | st.lists(st.integers(), max_size=2),
    ),
    st.sets(st.sampled_from(sorted(TINY))),
)
def test_any_mutation_is_a_model_or_a_refusal(changes, deletions):
    config = {name: value for name, value in (TINY | changes).items() if name not in deletions}
    with contextlib.suppress(sl.SpecError):
        assert sl.Model.load(config).parameters > 0


@pytest.mark.reference
@pytest.mark.parametrize(
    ("file", "parameters"),
    [
        ("meta-llama__Meta-Llama-3.1-8B", 8_030_261_248),
        ("meta-llama__Meta-Llama-3.1-405B", 405_853_388_800),
        ("meta-llama__Llama-2-70b-hf", 68_976_648_192),
        ("meta-llama__Llama-3.2-3B-Instruct", 3_212_749_824),
        ("mistralai__Mistral-7B-Instruct-v0.3", 7_248_023_552),
        ("mistralai__Mistral-Nemo-Instruct-2407", 12_247_782_400),
        ("Qwen__Qwen2.5-7B-Instruct", 7_615_616_512),
        ("Qwen__Qwen3-0.6B", 596_049_920),
        ("Qwen__Qwen3-32B", 32_762_123_264),
        ("microsoft__phi-4", 14_659_507_200),
        ("01-ai__Yi-34B", 34_388_917_248),
        ("codellama__CodeLlama-34b-Instruct-hf", 33_743_970_304),
    ],
)
def test_published_configs_add_up_to_the_published_tensors(reference_data, file, parameters):
    assert sl.Model.load(reference_data / "raw" / "hf_configs" / f"{file}.json").parameters == parameters
