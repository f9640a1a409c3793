"""A profile's fitted terms as a vector: seconds and tokens by their logarithm, shares by their log odds.

So every vector is a profile, and no share is over 1.
"""

from __future__ import annotations

import math
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from servelab.specs.profile import Profile

Vector = npt.NDArray[np.float64]

#: Formats of weights, and of the cache, with shares of their own.
CACHES = ("bf16", "fp8", "int8")
FORMATS = ("bf16", "fp8", "int8", "int4", "nvfp4", "mxfp4")


class Term(NamedTuple):
    """One term: its field of Profile (and format), what is expected of it before any measurement, and how loosely.

    `loose` is a standard deviation in the vector's own measure: between engines, `near` between accelerators of one.
    """

    field: str
    format: str | None
    expected: float
    loose: float
    near: float
    share: bool

    @property
    def name(self) -> str:
        """What it is called in reports."""
        return f"{self.field}.{self.format}" if self.format else self.field

    def inward(self, value: float) -> float:
        """The vector's entry for a value."""
        if not self.share:
            return math.log(max(value, 1e-18))
        inside = min(max(value, 1e-6), 1 - 1e-6)
        return math.log(inside / (1 - inside))


#: Expected shares of matrix work and of reading weights, by format.
_COMPUTE = {"bf16": 0.75, "fp8": 0.5, "int8": 0.7, "int4": 0.45, "nvfp4": 0.4, "mxfp4": 0.4}
_BANDWIDTH = {"bf16": 0.85, "fp8": 0.8, "int8": 0.8, "int4": 0.7, "nvfp4": 0.8, "mxfp4": 0.6}
_CACHE = {"bf16": 0.8, "fp8": 0.7, "int8": 0.4}

TERMS = (
    *(Term("compute_utilization", name, share, 0.8, 0.5, True) for name, share in _COMPUTE.items()),
    *(Term("bandwidth_utilization", name, share, 0.8, 0.5, True) for name, share in _BANDWIDTH.items()),
    Term("half_tokens", None, 40.0, 1.0, 0.7, False),
    Term("expert_compute_utilization", None, 0.35, 0.8, 0.5, True),
    Term("expert_bandwidth_utilization", None, 0.75, 0.8, 0.5, True),
    Term("attention_compute_utilization", None, 0.4, 0.8, 0.6, True),
    Term("decode_attention_utilization", None, 0.02, 1.5, 1.0, True),
    Term("query_head_utilization", None, 0.005, 1.5, 1.0, True),
    *(Term("attention_bandwidth_utilization", name, share, 0.8, 0.6, True) for name, share in _CACHE.items()),
    Term("pass_s", None, 3e-4, 1.5, 1.0, False),
    Term("layer_s", None, 3e-5, 1.5, 1.0, False),
    Term("sequence_s", None, 1e-5, 1.5, 1.0, False),
    Term("logit_s", None, 1e-11, 0.8, 0.5, False),
    Term("activation_utilization", None, 0.2, 0.6, 0.4, True),
    Term("prompt_s", None, 5e-4, 0.8, 0.5, False),
    Term("request_s", None, 5e-3, 1.0, 0.15, False),
    Term("all_reduce_s", None, 1.2e-5, 1.0, 0.4, False),
    Term("all_reduce_rank_s", None, 1e-6, 0.5, 0.5, False),
    Term("link_utilization", None, 0.6, 0.8, 0.6, True),
)
NAMES = tuple(term.name for term in TERMS)
INDEX = {name: index for index, name in enumerate(NAMES)}

EXPECTED: Vector = np.array([term.inward(term.expected) for term in TERMS])
LOOSE: Vector = np.array([term.loose for term in TERMS])
NEAR: Vector = 0.6 * np.array([term.near for term in TERMS])
#: What the host does, whatever it drives: an engine takes as long on accelerators of all vendors.
HOST = np.array([term.field in ("pass_s", "layer_s") for term in TERMS])
SHARES = np.array([term.share for term in TERMS])

#: A format's share follows the 16-bit format's, and strays from it by so much of its own looseness.
_TIED = 0.6
_FOLLOWS = {index: INDEX[f"{term.field}.bf16"] for index, term in enumerate(TERMS) if term.format not in (None, "bf16")}


def precision(loose: Vector) -> npt.NDArray[np.float64]:
    """The inverse covariance of what is expected: terms stray alone by `loose`, shares of formats with their 16-bit
    format's.
    """
    apart, alone = np.eye(len(TERMS)), loose.copy()
    for index, first in _FOLLOWS.items():
        apart[index, first] = -1.0
        alone[index] *= _TIED
    found: npt.NDArray[np.float64] = apart.T @ np.diag(1 / alone**2) @ apart
    return found


def follow(vector: Vector, index: int, by: float) -> None:
    """Move a term by so much, and with a 16-bit format's share those of the other formats."""
    vector[index] += by
    for other, first in _FOLLOWS.items():
        if first == index:
            vector[other] += by


def values(vector: Vector) -> Vector:
    """What the terms are: seconds, tokens and shares."""
    out: Vector = np.where(SHARES, 1 / (1 + np.exp(-vector)), np.exp(np.clip(vector, -60, 60)))
    return out


def vector_of(profile: Profile) -> Vector:
    """The vector of a profile's terms."""
    return np.array([term.inward(_value(profile, term)) for term in TERMS])


def _value(profile: Profile, term: Term) -> float:
    field = getattr(profile, term.field)
    value: float = field.get(term.format, field["bf16"]) if term.format else field
    return value


def fields_of(vector: Vector, formats: frozenset[str] = frozenset(FORMATS)) -> dict[str, Any]:
    """A profile's fields from a vector, rounded to four digits; formats without measurements are left out."""
    fields: dict[str, Any] = {}
    for term, value in zip(TERMS, values(vector), strict=True):
        rounded = min(float(f"{value:.4g}"), 1.0) if term.share else float(f"{value:.4g}")
        if term.format is None:
            fields[term.field] = rounded
        elif term.format in formats | {"bf16"}:
            fields.setdefault(term.field, {})[term.format] = rounded
    return fields


def with_terms(profile: Profile, vector: Vector) -> Profile:
    """The profile with other terms."""
    given = {name: value for name, value in profile.to_dict().items() if name not in fields_of(vector)}
    return Profile(**given, **fields_of(vector))
