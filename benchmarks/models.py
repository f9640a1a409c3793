"""How fast models are read and listed."""

from __future__ import annotations

import json
from collections.abc import Iterator

import servelab as sl
from benchmarks.clock import best_seconds
from servelab.specs.catalog import loader
from servelab.specs.catalog.listing import accelerator_rows, model_rows
from servelab.specs.references import _catalogue_model

#: The largest kind of file: latent attention, an indexer, experts, blocks of fp8 and a list of every router.
CONFIG = {
    "model_type": "deepseek_v32",
    "hidden_size": 7168,
    "num_hidden_layers": 61,
    "num_attention_heads": 128,
    "intermediate_size": 18432,
    "vocab_size": 129280,
    "kv_lora_rank": 512,
    "q_lora_rank": 1536,
    "qk_nope_head_dim": 128,
    "qk_rope_head_dim": 64,
    "v_head_dim": 128,
    "index_topk": 2048,
    "index_n_heads": 64,
    "index_head_dim": 128,
    "n_routed_experts": 256,
    "num_experts_per_tok": 8,
    "n_shared_experts": 1,
    "moe_intermediate_size": 2048,
    "first_k_dense_replace": 3,
    "num_nextn_predict_layers": 1,
    "quantization_config": {
        "quant_method": "fp8",
        "weight_block_size": [128, 128],
        "modules_to_not_convert": [f"model.layers.{layer}.mlp.gate" for layer in range(61)],
    },
}


def rows() -> Iterator[tuple[str, str, str]]:
    """What, measured, bar."""
    text = json.dumps(CONFIG)
    yield (
        "reading a config.json of 61 layers told apart",
        f"{best_seconds(lambda: sl.Model.load(text)) * 1e3:.2f} ms",
        "≤ 5 ms",
    )
    yield "reading each of the catalogue's models, the slowest", f"{slowest_seconds() * 1e3:.2f} ms", "≤ 5 ms"
    yield "finding a model by its alias", f"{best_seconds(found_anew) * 1e3:.2f} ms", "—"
    yield "listing 137 models, at first", f"{best_seconds(listed_anew) * 1e3:.0f} ms", "—"
    yield "listing 77 accelerators", f"{best_seconds(accelerator_rows) * 1e3:.0f} ms", "—"


def slowest_seconds() -> float:
    """The config that takes longest, its best of five."""
    configs = [loader.entry("model", name).fields["config"] for name in loader.ids("model")]
    return max(best_seconds(lambda config=config: sl.Model.load(config)) for config in configs)  # type: ignore[misc]


def found_anew() -> None:
    """Nothing remembered but the catalogue's text."""
    loader._entry.cache_clear()
    _catalogue_model.cache_clear()
    sl.Model.load("meta-llama/Meta-Llama-3.1-8B-Instruct")


def listed_anew() -> None:
    """Nothing remembered but the catalogue's text."""
    loader._entry.cache_clear()
    _catalogue_model.cache_clear()
    model_rows()
