"""The weights of a layer, as matrices with names and as what is no matrix."""

from __future__ import annotations

from typing import NamedTuple

from servelab.specs.groups import LayerGroup


class Matrix(NamedTuple):
    """A matrix of outputs × inputs. `name` is the module's, after the layer's number.

    `bias` counts the weights of its bias. What is not `linear` (a router, a convolution) is never quantised.
    """

    name: str
    outputs: int
    inputs: int
    bias: int = 0
    linear: bool = True

    @property
    def parameters(self) -> int:
        """Weights, the bias included."""
        return self.outputs * self.inputs + self.bias


class Block(NamedTuple):
    """Half a layer: its matrices, and how many weights norms and the like have."""

    matrices: tuple[Matrix, ...]
    vectors: int = 0

    @property
    def parameters(self) -> int:
        """All its weights."""
        return sum(matrix.parameters for matrix in self.matrices) + self.vectors


class Layer(NamedTuple):
    """One layer: what it is (`group`, of one layer, without sizes of experts) and its weights.

    `expert` holds the matrices of one routed expert.
    """

    group: LayerGroup
    shared: Block
    expert: Block | None = None

    @property
    def parameters(self) -> int:
        """All its weights, every expert included."""
        experts = (self.group.experts or 0) * self.expert.parameters if self.expert else 0
        return self.shared.parameters + experts


def join(*blocks: Block) -> Block:
    """Blocks together."""
    return Block(
        tuple(matrix for block in blocks for matrix in block.matrices),
        sum(block.vectors for block in blocks),
    )
