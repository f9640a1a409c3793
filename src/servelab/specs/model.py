"""A model, as far as serving it is concerned: how many weights, how many layers, which heads."""

from __future__ import annotations

import os
from collections.abc import Mapping
from dataclasses import KW_ONLY, dataclass
from typing import Annotated, Any

from servelab.errors import SpecError
from servelab.specs.fields import STRICT, Choice, Count, Flag, Text, check_fields
from servelab.specs.formats import WEIGHT_FORMATS


@dataclass(frozen=True)
class Model:
    """A dense decoder: every layer alike, every weight used for every token.

    `parameters` counts the text decoder, tied weights once. `hidden_size` defaults to query_heads × head_dim.
    Without `vocab_size` the floor of a pass counts every weight, the embedding table too.
    Raises SpecError where a field is out of bounds, kv_heads does not divide query_heads, or the embeddings
    alone would have more weights than the model.
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

    def __post_init__(self) -> None:
        check_fields(self)
        if self.hidden_size is None:
            object.__setattr__(self, "hidden_size", self.width)
        if self.query_heads % self.kv_heads:
            raise SpecError(
                "kv_heads",
                f"{self.kv_heads} does not divide the {self.query_heads} query heads; give a divisor",
            )
        if self.table_parameters + self.head_parameters > self.parameters:
            raise SpecError(
                "parameters",
                f"{self.parameters} is less than the embeddings alone ({self.vocab_size} × {self.hidden}); "
                "give the whole decoder's count",
            )

    @classmethod
    def load(cls, ref: str | os.PathLike[str] | Mapping[str, Any], *, parameters: float | None = None) -> Model:
        """The model `ref` names: a catalogue id, a Hugging Face id, a config.json or its folder, or its parsed dict.

        `parameters` overrides the count derived from the fields. Raises UnknownName or ConfigError.
        """
        from servelab.specs.references import load_model

        return load_model(ref, parameters=parameters)

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
