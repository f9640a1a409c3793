"""A model, as far as serving it is concerned: how many weights, and groups of layers with which attention."""

from __future__ import annotations

import functools
import os
from collections.abc import Mapping
from dataclasses import KW_ONLY, dataclass
from typing import Annotated, Any

from servelab.errors import SpecError, one_of
from servelab.specs.fields import STRICT, Amount, Choice, Count, Flag, Number, Text, check_fields
from servelab.specs.formats import WEIGHT_FORMATS
from servelab.specs.groups import LayerGroup, Part
from servelab.specs.records import Records, Texts


@dataclass(frozen=True)
class Model:
    """A text decoder made of layer groups; without `groups` all layers are alike and dense.

    `parameters` counts the text decoder, tied weights once; what the checkpoint has beyond it is in `parts`.
    `query_heads`, `kv_heads` and `head_dim` describe the first group that has heads; one plain dense group follows
    them. `hidden_size` defaults to query_heads × head_dim. Without `vocab_size` the floor of a pass counts every
    weight, the embedding table too.
    `checkpoint_bytes` is what the decoder's weights take as published where that is not parameters × the format.
    Raises SpecError where a field is out of bounds, kv_heads does not divide query_heads, the groups do not add up,
    or the embeddings and experts alone would have more weights than the model.
    """

    __pydantic_config__ = STRICT

    name: Annotated[str, Text("what the model is called")]
    parameters: Annotated[int, Count("weights of the text decoder, tied ones once")]
    layers: Annotated[int, Count("decoder layers")]
    query_heads: Annotated[int, Count("query heads of a layer")]
    kv_heads: Annotated[int, Count("key and value heads of a layer; fewer than query heads is GQA, one is MQA")]
    head_dim: Annotated[int, Count("width of one head")]
    _: KW_ONLY
    hidden_size: Annotated[int, Count("width of the residual stream; default query_heads × head_dim")] | None = None
    vocab_size: Annotated[int, Count("rows of the embedding table")] | None = None
    tied_embeddings: Annotated[bool, Flag("whether the output head shares the embedding table")] = False
    context_length: Annotated[int, Count("longest context the model was made for, in tokens")] | None = None
    checkpoint_format: Annotated[str, Choice("format of the published weights", "weight format", WEIGHT_FORMATS)] = (
        "bf16"
    )
    checkpoint_bytes: (
        Annotated[float, Amount("bytes of the decoder's weights as published; default parameters × the format")] | None
    ) = None
    embedding_format: (
        Annotated[str, Choice("published format of embeddings and head, if another", "weight format", WEIGHT_FORMATS)]
        | None
    ) = None
    all_reduces_per_layer: Annotated[
        int, Number("all-reduces of a layer that is split; 1 where attention and feed-forward add up first", 1, 2)
    ] = 2
    groups: Annotated[tuple[LayerGroup, ...], Records("groups of layers; none means all alike", LayerGroup)] = ()
    parts: Annotated[tuple[Part, ...], Records("what the checkpoint holds beside the decoder", Part)] = ()
    assumed: Annotated[tuple[str, ...], Texts("what was taken for granted in reading the model")] = ()
    not_modelled: Annotated[tuple[str, ...], Texts("what the model has and no figure counts")] = ()

    def __post_init__(self) -> None:
        check_fields(self)
        if self.hidden_size is None:
            object.__setattr__(self, "hidden_size", self.width)
        if not self.groups or (len(self.groups) == 1 and self.groups[0].is_plain):
            object.__setattr__(self, "groups", (self._dense(),))  # so that dataclasses.replace needs no groups
        self._check_groups()
        self._check_parameters()

    def _dense(self) -> LayerGroup:
        """All layers as one group; says first what LayerGroup would say of kv_heads."""
        heads, keys, width = self.query_heads, self.kv_heads, self.head_dim
        return LayerGroup(self.layers, query_heads=heads, kv_heads=keys, key_dim=width, value_dim=width)

    def _check_groups(self) -> None:
        counted = sum(group.layers for group in self.groups)
        if counted != self.layers:
            raise SpecError("layers", f"{self.layers} is not the {counted} layers of the groups; give the same")
        heads = {group.query_heads for group in self.groups if group.query_heads}
        if heads and self.query_heads not in heads:
            raise SpecError("query_heads", f"{self.query_heads} heads are in no group; give {one_of(map(str, heads))}")

    def _check_parameters(self) -> None:
        embeddings = self.table_parameters + self.head_parameters
        if embeddings > self.parameters:
            raise SpecError(
                "parameters",
                f"{self.parameters} is less than the embeddings alone ({self.vocab_size} × {self.hidden}); "
                "give the whole decoder's count",
            )
        routed = sum(group.routed_parameters for group in self.groups)
        if embeddings + routed > self.parameters:
            raise SpecError(
                "parameters",
                f"{self.parameters} is less than embeddings and experts alone ({embeddings + routed}); "
                "give the whole decoder's count, all experts included",
            )

    @classmethod
    def load(cls, ref: str | os.PathLike[str] | Mapping[str, Any], *, parameters: float | None = None) -> Model:
        """The model `ref` names: a catalogue id, a Hugging Face id, a config.json, its folder, its text or its dict.

        A TOML file holds the fields of Model or of a config.json. `parameters` overrides the count derived from the
        fields. Raises UnknownName or ConfigError.
        """
        from servelab.specs.references import load_model

        return load_model(ref, parameters=parameters)

    def __hash__(self) -> int:
        return self._hash

    @functools.cached_property
    def _hash(self) -> int:
        """A model is the key of every cache of figures that depend on it alone."""
        return hash((self.name, self.parameters, self.layers, self.hidden_size, self.groups, self.parts))

    @property
    def width(self) -> int:
        """Width of all query heads together."""
        return self.query_heads * self.head_dim

    @property
    def hidden(self) -> int:
        """Width of the residual stream."""
        return self.hidden_size or self.width

    @property
    def table_parameters(self) -> int:
        """Weights of the embedding table; 0 where the vocabulary is not given."""
        return (self.vocab_size or 0) * self.hidden

    @property
    def head_parameters(self) -> int:
        """Weights of an output head of its own; 0 where it shares the embedding table."""
        return 0 if self.tied_embeddings else self.table_parameters

    @functools.cached_property
    def active_parameters(self) -> int:
        """Weights that one token goes through: all but the experts it is not routed to."""
        return self.parameters - sum(group.unused_parameters for group in self.groups)

    @functools.cached_property
    def part_parameters(self) -> int:
        """Weights that the checkpoint holds beside the decoder."""
        return sum(part.parameters for part in self.parts)

    @functools.cached_property
    def state_bytes(self) -> float:
        """State of one request over all layers that keep one, bytes."""
        return sum(group.layers * (group.state_bytes or 0.0) for group in self.groups)

    @functools.cached_property
    def windows(self) -> tuple[int, ...]:
        """The distinct numbers of tokens that queries see, for layers that do not see all; ascending."""
        limits = (group.seen_tokens for group in self.groups)
        return tuple(sorted({limit for limit in limits if limit is not None}))

    @functools.cached_property
    def features(self) -> tuple[str, ...]:
        """What the model has beyond dense layers all alike, by name."""
        return tuple(name for name, has in _FEATURES if has(self))


def _any(test: Any) -> Any:
    return lambda model: any(test(group) for group in model.groups)


#: Every mechanism beyond the dense model, with what tells it.
_FEATURES: tuple[tuple[str, Any], ...] = (
    ("layer-groups", lambda model: len(model.groups) > 1),
    ("mixture-of-experts", _any(lambda group: group.experts)),
    ("multi-head-latent-attention", _any(lambda group: group.latent_dim)),
    ("sliding-window", _any(lambda group: group.window)),
    ("top-k-sparse-attention", _any(lambda group: group.index_topk)),
    ("fixed-state", _any(lambda group: group.state_bytes)),
    ("mixed-checkpoint-formats", lambda model: model.checkpoint_bytes is not None),
    ("extra-parts", lambda model: bool(model.parts)),
)
FEATURES = tuple(name for name, _ in _FEATURES)
