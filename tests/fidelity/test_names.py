"""Models and cards found under the names that people, drivers and clouds write."""

from __future__ import annotations

import pytest

from servelab.fidelity.names import accelerators_of_size, known_accelerator, known_model
from servelab.specs.catalog import loader
from servelab.units import parse, parse_count


@pytest.mark.parametrize(
    ("written", "entry", "weights"),
    [
        ("meta-llama/Llama-3.1-8B-Instruct", "llama-3.1-8b", None),
        ("/models/Meta-Llama-3.1-8B-Instruct/", "llama-3.1-8b", None),
        ("/x/hub/models--Qwen--Qwen3-14B/snapshots/40c069", "qwen3-14b", None),
        ("someone/Llama-3.3-70B-Instruct-FP8-dynamic", "llama-3.3-70b-instruct", "fp8"),
        ("Qwen/Qwen2.5-72B-Instruct-AWQ", "qwen2.5-72b", "int4"),
        ("Qwen/Qwen2.5-32B-Instruct-GPTQ-Int8", "qwen2.5-32b", "int8"),
        ("someone/Meta-Llama-3.1-70B-Instruct-quantized.w8a8", "llama-3.1-70b", "int8"),
        ("deepseek-ai/DeepSeek-R1-Distill-Qwen-14B", "qwen2.5-14b", None),
        ("deepseek-ai/DeepSeek-R1-Distill-Llama-70B", "llama-3.3-70b-instruct", None),
        ("Meta Llama 3.1 8B Instruct", "llama-3.1-8b", None),
        ("someone/Qwen3-8B-GGUF:Q4_K_M", "qwen3-8b", None),
    ],
)
def test_models(written, entry, weights):
    found = known_model(written)
    assert (found.id, found.weights) == (entry, weights)


@pytest.mark.parametrize("written", ["acme/unheard-of-7b", "", "/", "-awq", "chat", "x" * 500])
def test_a_model_that_is_not_there_is_not_guessed(written):
    assert known_model(written) is None


@pytest.mark.parametrize(
    ("written", "entry"),
    [
        ("NVIDIA H100 80GB HBM3", "h100-sxm-80gb"),
        ("NVIDIA H100 PCIe", "h100-pcie-80gb"),
        ("NVIDIA A100-SXM4-40GB", "a100-sxm-40gb"),
        ("NVIDIA A100 80GB PCIe", "a100-pcie-80gb"),
        ("NVIDIA GeForce RTX 3090 Ti", "rtx-3090-ti"),
        ("NVIDIA RTX 6000 Ada Generation", "rtx-6000-ada"),
        ("NVIDIA RTX PRO 6000 Blackwell Workstation Edition", "rtx-pro-6000-blackwell"),
        ("Tesla T4", "t4"),
        ("nvidia-l4", "l4"),
        ("NVIDIA-H100-80GB-HBM3", "h100-sxm-80gb"),
        ("AMD Instinct MI300X", "mi300x"),
        ("H100-SXM-80GB", "h100-sxm-80gb"),
    ],
)
def test_cards(written, entry):
    assert known_accelerator(written) == entry


def test_the_memory_tells_forms_of_a_card_apart():
    assert known_accelerator("NVIDIA GH200", parse("142 GiB", "B")) == "gh200-144gb"
    assert known_accelerator("NVIDIA GH200", parse("95 GiB", "B")) == "gh200-96gb"
    assert known_accelerator("an unheard-of card") is None


def test_every_card_is_found_by_its_own_name():
    names = {entry.id: entry.about.get("name") or entry.fields["name"] for entry in loader.entries("accelerator")}
    assert {entry_id for entry_id, name in names.items() if known_accelerator(name) != entry_id} == set()


def test_cards_of_a_size():
    assert accelerators_of_size(parse("79.18 GiB", "B"))[0] == "h100-sxm-80gb"
    assert accelerators_of_size(parse("23.58 GiB", "B"))[0] == "rtx-3090"
    assert accelerators_of_size(1.0) == []


@pytest.mark.parametrize(
    ("text", "count"),
    [("32768", 32768), ("32k", 32000), ("32K", 32768), ("1.5m", 1_500_000), ("1M", 2**20), ("1,024", 1024)],
)
def test_counts_as_flags_take_them(text, count):
    assert parse_count(text) == count


@pytest.mark.parametrize("text", ["", "many", "-5", "1e5", "3 4", "9" * 40])
def test_other_texts_are_no_counts(text):
    with pytest.raises(ValueError, match="count"):
        parse_count(text)
