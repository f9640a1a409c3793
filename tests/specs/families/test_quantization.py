"""What matrices take as published: hand-worked sizes of every method, and which modules stay as they are."""

from __future__ import annotations

import re

import pytest

import servelab as sl
from servelab.specs.families.matrices import Matrix
from servelab.specs.families.module_names import ModuleNames
from servelab.specs.families.quantization import read_quantization

EIGHT_B = {
    "model_type": "llama",
    "hidden_size": 4096,
    "num_hidden_layers": 32,
    "num_attention_heads": 32,
    "num_key_value_heads": 8,
    "intermediate_size": 14336,
    "vocab_size": 128256,
    "torch_dtype": "bfloat16",
}
LINEAR = 32 * (2 * 4096 * 4096 + 2 * 1024 * 4096 + 3 * 4096 * 14336)
KEPT = 8_030_261_248 - LINEAR  # embeddings, head, norms
AWQ = {"quant_method": "awq", "bits": 4, "group_size": 128, "zero_point": True, "version": "gemm"}


def own_bytes(quantization, **fields):
    return sl.Model.load(EIGHT_B | fields | {"quantization_config": quantization}).checkpoint_bytes


def test_awq_8b_is_5_728_gb():
    """4 bits, a scale of 2 bytes and a zero point of 4 bits for 128 weights; embeddings, head and norms in bf16."""
    by_hand = LINEAR * (0.5 + 2 / 128 + 0.5 / 128) + 2 * KEPT
    assert own_bytes(AWQ) == by_hand == pytest.approx(5.728e9, rel=1e-4)
    model = sl.Model.load(EIGHT_B | {"quantization_config": AWQ})
    answer = sl.estimate(sl.Deployment(model, "l4"), sl.Workload(1, 1))
    assert answer.memory.weights_bytes == by_hand
    assert (model.checkpoint_format, model.embedding_format) == ("int4", "bf16")
    assert "mixed-checkpoint-formats" in answer.model_features


def test_a_format_named_by_hand_applies_to_every_weight():
    model = sl.Model.load(EIGHT_B | {"quantization_config": AWQ})
    answer = sl.estimate(sl.Deployment(model, "l4", weights="fp8"), sl.Workload(1, 1))
    assert answer.memory.weights_bytes == 8_030_261_248


def test_a_count_given_outright_scales_what_is_stored():
    config = EIGHT_B | {"quantization_config": AWQ}
    double = sl.Model.load(config, parameters=2 * 8_030_261_248)
    assert double.checkpoint_bytes == pytest.approx(2 * own_bytes(AWQ))
    for bad in ("8e9", 0, 1.5, True):
        with pytest.raises(sl.SpecError, match="parameters"):
            sl.Model.load(config, parameters=bad)


ROWS = 32 * (2 * 4096 + 2 * 1024 + 2 * 14336 + 4096)  # outputs of all matrices
INPUTS = 32 * (6 * 4096 + 14336)
MATRICES = 32 * 7
GROUP = {"num_bits": 4, "type": "int", "strategy": "group", "group_size": 32, "symmetric": True}


def compressed(weights, **fields):
    groups = {"group_0": {"targets": ["Linear"], "weights": weights}}
    return {"quant_method": "compressed-tensors", "config_groups": groups, "ignore": ["lm_head"]} | fields


@pytest.mark.parametrize(
    ("quantization", "linear"),
    [
        (AWQ | {"group_size": 64, "zero_point": False}, LINEAR * (0.5 + 2 / 64)),
        (AWQ | {"group_size": -1}, LINEAR * 0.5 + ROWS * 2.5),
        ({"quant_method": "awq", "w_bit": 4, "q_group_size": 128}, LINEAR * (0.5 + 2.5 / 128)),
        ({"quant_method": "gptq", "bits": 4, "group_size": 128}, LINEAR * (0.5 + 2.5 / 128) + 4 * INPUTS),
        ({"quant_method": "gptq", "bits": 8, "group_size": 32}, LINEAR * (1 + 3 / 32) + 4 * INPUTS),
        ({"quant_method": "fp8"}, LINEAR + 4 * MATRICES),
        ({"quant_method": "fp8", "activation_scheme": "static"}, LINEAR + 8 * MATRICES),
        ({"quant_method": "fp8", "weight_block_size": [128, 128]}, LINEAR * (1 + 4 / 128**2)),
        ({"quant_method": "fbgemm_fp8"}, LINEAR + 4 * ROWS),
        (compressed(GROUP), LINEAR * (0.5 + 2 / 32)),
        (compressed(GROUP | {"symmetric": False}), LINEAR * (0.5 + 2.5 / 32)),
        (compressed(GROUP, format="pack-quantized"), LINEAR * (0.5 + 2 / 32) + 16 * MATRICES),
        (compressed({"num_bits": 8, "type": "float", "strategy": "channel"}), LINEAR + 2 * ROWS),
        (compressed({"num_bits": 8, "type": "float", "strategy": "tensor"}), LINEAR + 2 * MATRICES),
        (compressed({"num_bits": 8, "type": "float", "strategy": "block"}), LINEAR * (1 + 2 / 128**2)),
        (
            compressed({"num_bits": 4, "type": "float", "strategy": "tensor_group", "group_size": 16}),
            LINEAR * (0.5 + 1 / 16) + 8 * MATRICES,
        ),
        (compressed({"num_bits": 4, "type": "float", "strategy": "group", "group_size": 32}), LINEAR * 4.25 / 8),
        ({"quant_method": "modelopt", "quant_algo": "NVFP4", "ignore": ["lm_head"]}, LINEAR * 4.5 / 8 + 8 * MATRICES),
        ({"quant_method": "modelopt", "quant_algo": "FP8"}, LINEAR + 8 * MATRICES),
        ({"quantization": {"quant_algo": "FP8", "exclude_modules": ["lm_head"]}}, LINEAR + 8 * MATRICES),
        ({"quant_method": "mxfp4"}, LINEAR * 2),  # no experts here
        ({"quant_method": "bitsandbytes", "load_in_8bit": True}, LINEAR + 4 * ROWS),
        ({"quant_method": "bitsandbytes", "load_in_4bit": True}, LINEAR * (0.5 + 4 / 64)),
        ({"quant_method": "bitsandbytes", "bnb_4bit_use_double_quant": True}, LINEAR * (0.5 + 1 / 64 + 4 / 256 / 64)),
    ],
)
def test_every_method_by_hand(quantization, linear):
    assert own_bytes(quantization) == pytest.approx(linear + 2 * KEPT, rel=1e-12)


def test_a_head_is_kept_unless_the_file_says_otherwise():
    head = 128256 * 4096
    quantized = compressed({"num_bits": 8, "type": "float", "strategy": "tensor"}) | {"ignore": []}
    assert own_bytes(quantized) == pytest.approx(LINEAR + 2 * MATRICES + head + 2 + 2 * (KEPT - head), rel=1e-12)
    gptq = {"quant_method": "gptq", "bits": 8, "group_size": 128, "lm_head": True}
    assert own_bytes(gptq) < own_bytes(gptq | {"lm_head": False})


def test_modules_that_stay_as_they_are():
    """One layer's feed-forward in bf16: half a byte and its metadata become two bytes a weight."""
    more = 3 * 4096 * 14336 * (2 - (0.5 + 2.5 / 128))
    for entry in ("model.layers.3.mlp", "layers.3.mlp"):
        assert own_bytes(AWQ | {"modules_to_not_convert": [entry]}) - own_bytes(AWQ) == pytest.approx(more)
    assert own_bytes(AWQ | {"modules_to_not_convert": ["mlp"]}) - own_bytes(AWQ) == pytest.approx(32 * more)


def test_sets_of_modules_each_have_their_scheme():
    fp8 = {"num_bits": 8, "type": "float", "strategy": "tensor"}
    groups = {
        "group_0": {"targets": ["re:.*self_attn.*"], "weights": fp8},
        "group_1": {"targets": ["re:.*mlp.*"], "weights": GROUP},
    }
    attention = 32 * (2 * 4096 * 4096 + 2 * 1024 * 4096)
    by_hand = attention + 2 * 4 * 32 + (LINEAR - attention) * (0.5 + 2 / 32) + 2 * KEPT
    taken = own_bytes({"quant_method": "compressed-tensors", "config_groups": groups, "ignore": []})
    assert taken == pytest.approx(by_hand, rel=1e-12)


def test_experts_alone_are_quantised_in_mxfp4():
    config = EIGHT_B | {"model_type": "gpt_oss", "head_dim": 128, "num_local_experts": 8, "num_experts_per_tok": 2}
    model = sl.Model.load(config | {"quantization_config": {"quant_method": "mxfp4"}})
    expert = 3 * 4096 * 14336 * 4.25 / 8 + 2 * (2 * 14336 + 4096)
    assert model.groups[0].expert_bytes == expert
    rest = model.parameters - model.groups[0].routed_parameters
    assert model.checkpoint_bytes == pytest.approx(32 * 8 * expert + 2 * rest, rel=1e-12)


@pytest.mark.parametrize(
    ("entry", "names", "others"),
    [
        ("lm_head", ["lm_head"], ["layers.0.mlp.up_proj"]),
        ("model.layers.1.mlp", ["layers.1.mlp.up_proj"], ["layers.11.mlp.up_proj", "layers.2.mlp.up_proj"]),
        ("gate", ["layers.0.mlp.gate"], ["layers.0.mlp.gate_proj"]),
        ("model.layers.*.self_attn", ["layers.0.self_attn.q_proj"], ["layers.0.mlp.up_proj"]),
        ("model.layers.0*", ["layers.0.mlp.up_proj", "layers.0.self_attn.q_proj"], ["layers.1.mlp.up_proj"]),
        ("model.layers.1*", ["layers.1.mlp.up_proj", "layers.12.mlp.up_proj"], ["layers.2.mlp.up_proj"]),
        ("model.layers.1.self_attn*", ["layers.1.self_attn.q_proj"], ["layers.1.mlp.up_proj", "layers.11.self_attn.q"]),
        ("lm_head*", ["lm_head"], ["layers.1.mlp.up_proj"]),
        ("*.gate", ["layers.0.mlp.gate"], ["layers.0.mlp.gate_proj"]),
        ("re:.*mlp.gate$", ["layers.0.mlp.gate"], ["layers.0.mlp.gate_proj"]),
        (
            "re:.*mlp\\.(gate|up)_proj.*",
            ["layers.0.mlp.up_proj"],
            ["layers.0.mlp.down_proj", "layers.0.mlp.experts.0.up"],
        ),
        ("re:model.layers.\\d+.mlp.up_proj", ["layers.31.mlp.up_proj"], ["layers.3.mlp.down_proj"]),
        ("re:^language_model.*", ["layers.0.mlp.up_proj"], []),
        ("re:visual.*", [], ["layers.0.mlp.up_proj"]),
    ],
)
def test_which_modules_an_entry_names(entry, names, others):
    listed = ModuleNames.of("ignore", [entry])
    assert [name for name in (*names, *others) if listed.match(name)] == names


def test_a_name_for_each_layer_is_one_for_all():
    """Layers of which the list says the same are looked at once, and weigh what they weigh listed otherwise."""
    each = AWQ | {"modules_to_not_convert": [f"model.layers.{layer}.mlp.up_proj" for layer in range(32)]}
    starred = AWQ | {"modules_to_not_convert": [f"model.layers.{layer}.mlp.up*" for layer in range(32)]}
    every = AWQ | {"modules_to_not_convert": ["mlp.up_proj"]}
    assert own_bytes(each) == own_bytes(starred) == own_bytes(every) > own_bytes(AWQ)
    listed = ModuleNames.of("ignore", each["modules_to_not_convert"])
    assert listed.layer_key(3) == listed.layer_key(30) != listed.layer_key(32)


def test_matching_never_backtracks():
    """A pattern of many gaps is looked for once; the same one read by `re` would take minutes."""
    listed = ModuleNames.of("ignore", ["re:" + ".*a" * 40 + "b$", "*a" * 100 + "b"])
    assert not listed.match("a" * 250)


@pytest.mark.parametrize("pattern", ["(a+)+$", "[a-z]+", "a{3}", "a|(b.*c)", "(?!x)", "(", "a)"])
def test_patterns_that_are_not_read_are_refused(pattern):
    with pytest.raises(sl.ConfigError, match="give names or stars"):
        ModuleNames.of("ignore", ["re:" + pattern])


@pytest.mark.parametrize(
    ("settings", "words"),
    [
        ({}, "quant_method None is not read"),
        ({"quant_method": "hqq"}, "quant_method 'hqq' is not read; give one of"),
        ({"quant_method": ["awq"]}, "is not read"),
        ({"quant_method": "gptq"}, "quantization_config.bits None is no number"),
        ({"quant_method": "awq", "bits": 99}, "bits 99 is out of range"),
        ({"quant_method": "fp8", "weight_block_size": 128}, "weight_block_size 128 is no pair"),
        ({"quant_method": "fp8", "ignored_layers": "lm_head"}, "ignored_layers 'lm_head' is no list"),
        ({"quant_method": "compressed-tensors"}, "config_groups None is no table"),
        ({"quant_method": "compressed-tensors", "config_groups": {"g": {}}}, "config_groups.g.weights None"),
        (compressed({"num_bits": 8, "type": "int", "strategy": []}), "strategy \\[\\] is not read"),
        ({"quant_method": "modelopt", "quant_algo": "MAGIC"}, "quant_algo 'MAGIC' is not read"),
    ],
)
def test_what_is_not_read_is_refused_by_name(settings, words):
    with pytest.raises(sl.ConfigError, match=words):
        read_quantization(settings)


def test_routers_and_convolutions_are_never_quantised():
    quantization = read_quantization({"quant_method": "fp8"})
    assert quantization.scheme(Matrix("mlp.gate", 8, 8, linear=False), "layers.0.") is None
    assert re.match("fp8", quantization.format)
