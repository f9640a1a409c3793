"""A config.json's fields, looked at one by one: each is checked, and may go by several names."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from servelab.errors import ConfigError, SpecError, one_of, shown
from servelab.specs.fields import Number

#: Bounds that no model comes near, so that a mistyped number is refused and not counted with.
MOST_LAYERS = 1_000
_LARGEST_WIDTH = 10**12

#: Names that families use for the same field; the first is the usual one, and the one messages use.
ALIASES = {
    "hidden_size": ("n_embd", "d_model", "dim", "model_dim"),
    "num_hidden_layers": ("n_layer", "num_layers", "n_layers"),
    "num_attention_heads": ("n_head", "num_heads", "n_heads"),
    "num_key_value_heads": ("num_kv_heads", "n_head_kv", "n_kv_heads", "num_query_groups", "multi_query_group_num"),
    "head_dim": ("attention_head_dim", "d_kv", "kv_channels"),
    "intermediate_size": ("n_inner", "ffn_dim", "d_ff", "ffn_hidden_size", "inner_hidden_size"),
    "vocab_size": ("padded_vocab_size",),
    "max_position_embeddings": ("n_positions", "n_ctx", "max_sequence_length", "max_seq_len", "seq_length"),
    "num_experts": ("n_routed_experts", "num_local_experts", "moe_num_experts"),
    "num_experts_per_tok": ("num_experts_per_token", "experts_per_token", "moe_topk", "moe_k", "top_k_experts"),
    "n_shared_experts": ("num_shared_experts", "moe_num_shared_experts"),
    "mamba_num_heads": ("mamba_n_heads",),
    "mamba_head_dim": ("mamba_d_head",),
    "ssm_state_size": ("mamba_d_state",),
    "n_groups": ("mamba_n_groups",),
    "conv_kernel": ("mamba_d_conv",),
    "num_nextn_predict_layers": ("mtp_num_hidden_layers",),
}


class Config:
    """The fields of a config.json's text model, over those of the whole file. Collects what reading it assumes.

    Every getter raises ConfigError naming the field where its value cannot be meant.
    """

    def __init__(self, whole: Mapping[str, Any]) -> None:
        nested = next((whole[name] for name in _NESTED if isinstance(whole.get(name), Mapping)), None)
        self.whole = whole
        self.fields: dict[str, Any] = {**whole, **(nested or {})}
        self.assumed: list[str] = []
        self.not_modelled: list[str] = []

    def assume(self, sentence: str) -> None:
        """Note what was taken for granted, once."""
        if sentence not in self.assumed:
            self.assumed.append(sentence)

    def leave_out(self, sentence: str) -> None:
        """Note what no figure counts, once."""
        if sentence not in self.not_modelled:
            self.not_modelled.append(sentence)

    def raw(self, field: str) -> Any:
        """The value under any of the field's names; None where it is missing or null."""
        for name in (field, *ALIASES.get(field, ())):
            value = self.fields.get(name)
            if value is not None:
                return value
        return None

    def has(self, *fields: str) -> bool:
        """Whether all of them are given."""
        return all(self.raw(field) is not None for field in fields)

    def count(self, field: str, default: int | None = None, *, low: int = 1, high: int = _LARGEST_WIDTH) -> int:
        """A whole number; `default` where it is missing, and without one the field is asked for."""
        value = self.raw(field)
        if value is None:
            if default is None:
                raise ConfigError("", f"the config.json lacks {field}; give it")
            return default
        return whole_number(field, value, low, high)

    def optional_count(self, field: str, *, low: int = 1) -> int | None:
        """A whole number, or None where it is missing."""
        value = self.raw(field)
        return None if value is None else whole_number(field, value, low, _LARGEST_WIDTH)

    def flag(self, field: str, *, default: bool) -> bool:
        """Yes or no."""
        value = self.fields.get(field)
        if value is None:
            return default
        if not isinstance(value, bool):
            raise ConfigError("", f"{field} {shown(value)} is neither true nor false; give one of them")
        return value

    def text(self, field: str) -> str | None:
        """A text, or None where it is missing."""
        value = self.fields.get(field)
        if value is not None and not isinstance(value, str):
            raise ConfigError("", f"{field} {shown(value)} is no text; give one")
        return value

    def choice(self, field: str, names: Mapping[str, str], default: str) -> str:
        """One of a few texts, translated."""
        value = self.text(field)
        if value is None:
            return default
        value = value.removeprefix("torch.")
        if value not in names:
            raise ConfigError("", f"{field} {shown(value)} is not known; give {one_of(names)}")
        return names[value]

    def items(self, field: str, length: int | None = None) -> list[Any] | None:
        """A list, of `length` items where that is known; None where it is missing."""
        value = self.raw(field)
        if value is None:
            return None
        if not isinstance(value, (list, tuple)):
            raise ConfigError("", f"{field} {shown(value)} is no list; give one")
        if length is not None and len(value) != length:
            raise ConfigError("", f"{field} has {len(value)} items for {length} layers; give one a layer")
        if len(value) > MOST_LAYERS:
            raise ConfigError("", f"{field} has {len(value)} items; give at most {MOST_LAYERS:,}")
        return list(value)

    def part(self, field: str) -> Mapping[str, Any] | None:
        """An object inside the file, or None where it is missing."""
        value = self.whole.get(field)
        if value is not None and not isinstance(value, Mapping):
            raise ConfigError("", f"{field} {shown(value)} is no object; give its fields, or leave it out")
        return value


def whole_number(field: str, value: Any, low: int, high: int) -> int:
    """`value` as a whole number from `low` to `high`; raises ConfigError naming `field`."""
    try:
        return int(Number(field, low, high, whole=True).check(field, value))
    except SpecError as error:
        raise ConfigError("", f"{field} {error.message}") from None


#: Where files of models that also see or hear keep their text model.
_NESTED = ("text_config", "llm_config", "language_config", "thinker_config")
