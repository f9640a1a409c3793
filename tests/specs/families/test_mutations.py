"""Whatever a config.json holds, it is read as a model or refused by name: never another exception, and at once."""

from __future__ import annotations

import contextlib
import copy
import json
import random

import pytest
from hypothesis import given
from hypothesis import strategies as st

import servelab as sl
from tests.specs.families.configs import CONFIGS

JUNK = [
    None, True, False, 0, 1, -1, 2, 3, 7, 10**30, -(10**30), 1e308, 0.5, float("nan"), float("inf"), "", "1", "x" * 500,
    "auto", [], [1], [None], [[]], ["full_attention"], {}, {"a": 1}, {"quant_method": "awq"}, "re:(a+)+$", "é\0",
]  # fmt: skip


def places(value):
    """Every place inside nested data, as (container, key)."""
    pairs = value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ()
    for key, inner in list(pairs):
        yield value, key
        yield from places(inner)


def mutated(config, seed):
    draw = random.Random(seed)
    config = copy.deepcopy(config)
    for _ in range(draw.choice([1, 1, 2, 3, 5])):
        container, key = draw.choice(list(places(config)) or [(config, "model_type")])
        kind = draw.random()
        if kind < 0.25 and key in (container if isinstance(container, dict) else range(len(container))):
            del container[key]
        elif kind < 0.4 and isinstance(container, dict):
            other = draw.choice(CONFIGS)
            container |= copy.deepcopy(dict(draw.sample(sorted(other.items(), key=str), 1)))
        else:
            container[key] = copy.deepcopy(draw.choice(JUNK))
    return config


def read(config):
    with contextlib.suppress(sl.SpecError):
        model = sl.Model.load(config)
        assert model.parameters >= 1
        assert sum(group.layers for group in model.groups) == model.layers


def test_every_start_is_a_model_and_estimates():
    for config in CONFIGS:
        deployment = sl.Deployment(sl.Model.load(config), "h100-sxm-80gb")
        answer = sl.estimate(deployment, sl.Workload(20, 5, batch=2))
        assert answer.prefill.time_s >= answer.prefill.floor_s
        assert answer.decode.time_s >= answer.decode.floor_s
        assert json.loads(answer.to_json())["deployment"]["model"]["groups"]


@pytest.mark.thorough
@pytest.mark.parametrize("start", range(len(CONFIGS)))
def test_any_mutation_is_a_model_or_a_refusal(start):
    for seed in range(400):
        read(mutated(CONFIGS[start], 1000 * start + seed))


@pytest.mark.thorough
def test_any_single_deletion_or_replacement_is_a_model_or_a_refusal():
    for config in CONFIGS:
        for number in range(len(list(places(config)))):
            for junk in (..., *JUNK):
                changed = copy.deepcopy(config)
                container, key = list(places(changed))[number]
                if junk is ...:
                    del container[key]
                else:
                    container[key] = copy.deepcopy(junk)
                read(changed)


@given(st.recursive(st.none() | st.integers() | st.text(max_size=3) | st.floats(), lambda x: st.lists(x, max_size=3)))
def test_any_value_in_any_field_of_a_quantisation(value):
    for field in ("quant_method", "bits", "group_size", "ignore", "config_groups", "weight_block_size"):
        for method in ("awq", "gptq", "fp8", "compressed-tensors", "modelopt", "bitsandbytes"):
            read(CONFIGS[0] | {"quantization_config": {"quant_method": method, field: value}})


def test_numbers_beyond_all_models_are_refused_at_once():
    """A list a layer is made for some families: without a bound, a loop to 1e15 would not end."""
    for config in CONFIGS:
        for size in (10**4, 10**9, 10**15, 10**300):
            for field in ("num_hidden_layers", "num_experts", "num_attention_heads", "num_nextn_predict_layers"):
                read(config | {field: size})


def test_a_bare_infinity_is_read(tmp_path):
    file = tmp_path / "config.json"
    file.write_text(json.dumps(CONFIGS[0] | {"time_step_limit": [0.0, float("inf")]}))
    assert "Infinity" in file.read_text()
    assert sl.Model.load(file).groups == sl.Model.load(file.read_text()).groups


@pytest.mark.reference
def test_any_mutation_of_a_published_file_is_a_model_or_a_refusal(reference_data):
    for number, file in enumerate(sorted((reference_data / "raw" / "hf_configs").glob("*.json"))):
        config = json.loads(file.read_text(encoding="utf-8"))
        for seed in range(200):
            read(mutated(config, 10_000 * number + seed))
