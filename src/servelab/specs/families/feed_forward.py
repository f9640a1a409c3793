"""The feed-forward of one layer: one network, or routed experts with what every token goes through beside them."""

from __future__ import annotations

from typing import Any, NamedTuple

from servelab.errors import ConfigError
from servelab.specs.families.config import Config
from servelab.specs.families.matrices import Block, Matrix, join
from servelab.specs.families.table import Family


class FeedForward(NamedTuple):
    """Fields of LayerGroup, the weights every token uses, and those of one routed expert."""

    fields: dict[str, Any]
    block: Block
    expert: Block | None = None


NONE = FeedForward({"feed_forward": "none"}, Block(()))


def dense(config: Config, family: Family, inner: int | None = None) -> FeedForward:
    """One network of width `inner`, by default the file's."""
    width = inner or config.optional_count("intermediate_size_mlp") or _inner(config, family)
    return FeedForward({"feed_forward": "dense"}, _network(config, family, "mlp.", config.count("hidden_size"), width))


def _inner(config: Config, family: Family) -> int:
    if not family.gated and not config.has("intermediate_size"):
        config.assume("intermediate_size is not given: 4 × hidden_size")
        return 4 * config.count("hidden_size")
    return config.count("intermediate_size")


def _network(config: Config, family: Family, name: str, hidden: int, inner: int) -> Block:
    everywhere = config.flag("use_bias", default=config.flag("bias", default=family.mlp_bias))
    bias = config.flag("mlp_bias", default=everywhere)
    matrices = [
        Matrix(f"{name}up_proj", inner, hidden, inner * bias),
        Matrix(f"{name}down_proj", hidden, inner, hidden * bias),
    ]
    if family.gated:
        matrices.append(Matrix(f"{name}gate_proj", inner, hidden, inner * bias))
    return Block(tuple(matrices))


def experts(config: Config, family: Family) -> FeedForward:
    """Routed experts, their router, and the experts every token goes through."""
    hidden, number = config.count("hidden_size"), config.count("num_experts")
    inner = config.optional_count("moe_intermediate_size") or config.count("intermediate_size")
    latent = config.optional_count("moe_latent_size")
    router = Matrix("mlp.gate", number, hidden, number if family.router_bias else 0, linear=False)
    blocks = [Block((router,)), *_beside(config, family, hidden, inner)]
    if latent:  # experts work on a narrower copy of the stream
        projections = (Matrix("mlp.fc1_latent_proj", latent, hidden), Matrix("mlp.fc2_latent_proj", hidden, latent))
        blocks.append(Block(projections))
    each = family._replace(mlp_bias=True) if family.expert_bias else family
    expert = _network(config, each, "mlp.experts.0.", latent or hidden, inner)
    fields = {
        "feed_forward": "experts",
        "experts": number,
        "experts_per_token": config.count("num_experts_per_tok", high=number),
        "shared_experts": shared_experts(config),
    }
    return FeedForward(fields, join(*blocks), expert)


def shared_experts(config: Config) -> int:
    """How many experts every token goes through; files with a width of theirs but no number have one."""
    named = config.optional_count("n_shared_experts", low=0)
    if named is not None:
        return named
    width = config.optional_count("shared_expert_intermediate_size", low=0)
    width = width or config.optional_count("shared_intermediate_size", low=0)
    return int(bool(width) or config.has("interleave_moe_layer_step"))


def _beside(config: Config, family: Family, hidden: int, inner: int) -> list[Block]:
    number = shared_experts(config)
    if config.flag("enable_moe_block", default=False):  # a network beside the experts, with norms of its own
        extra = Block((), 3 * hidden + hidden + config.count("num_experts"))
        return [_network(config, family, "mlp.", hidden, config.count("intermediate_size")), extra]
    if not number:
        return []
    width = (
        config.optional_count("shared_expert_intermediate_size", low=0)
        or config.optional_count("moe_shared_expert_intermediate_size", low=0)
        or config.optional_count("shared_intermediate_size", low=0)
        or inner
    )
    if config.has("shared_expert_intermediate_size"):
        number = 1
    shared = _network(config, family, "mlp.shared_experts.", hidden, number * width)
    gate = (Matrix("mlp.shared_expert_gate", 1, hidden, linear=False),) if family.shared_gate else ()
    return [shared, Block(gate)]


def width_of_multiple(hidden: int, multiple: Any) -> int:
    """Width of a feed-forward given as a multiple of the hidden width, in steps of 256."""
    if isinstance(multiple, bool) or not isinstance(multiple, (int, float)) or not 0 < multiple <= 1000:
        raise ConfigError("", f"ffn_mult {multiple!r} is no multiple of hidden_size; give a number above 0")
    return max(1, -(-int(2 * multiple * hidden / 3) // 256)) * 256
