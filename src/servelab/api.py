"""What users call: composes the layers below. The public names of `servelab` come from here and from specs."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from servelab.cost.anatomy import Anatomy, anatomy
from servelab.cost.estimate import Estimate
from servelab.cost.estimate import estimate as _estimate
from servelab.cost.weights import checkpoint_weights
from servelab.errors import SpecError, shown
from servelab.specs.catalog.listing import ModelSource, model_source
from servelab.specs.deployment import Deployment
from servelab.specs.model import Model
from servelab.specs.references import model_by_id
from servelab.specs.workload import Workload

if TYPE_CHECKING:
    from servelab.cost.explain import Explanation
    from servelab.cost.grid import Grid


@dataclass(frozen=True)
class ModelAnswer:
    """What was understood of a model, and where it was read if it is one of the catalogue."""

    entry: ModelSource | None
    understood: Anatomy


def estimate(deployment: Deployment, workload: Workload) -> Estimate:
    """Will it fit, what bounds it, how fast is it, what does it cost: one batch on one deployment.

    Seconds, bytes, FLOP and tokens throughout. Analytical (docs/model.md says how each figure comes about and what is
    left out), not a benchmark. Raises SpecError where the inputs lead beyond all numbers.
    """
    for name, value, kind in (("deployment", deployment, Deployment), ("workload", workload, Workload)):
        if not isinstance(value, kind):
            raise SpecError(name, f"{shown(value)} is no {kind.__name__}; give sl.{kind.__name__}(…)")
    return _estimate(deployment, workload)


def catalogue_model(name: str) -> ModelAnswer:
    """The model of the catalogue with that id, alias or Hugging Face id, taken apart; raises UnknownName."""
    return ModelAnswer(model_source(name), anatomy(model_by_id(name)))


def understood(model: Model) -> ModelAnswer:
    """Any model taken apart: groups of layers, parts, cache of a token, what was assumed and what is not modelled."""
    return ModelAnswer(None, anatomy(model))


def checkpoint_bytes(model: Model) -> float:
    """Bytes of all weights of a checkpoint, in its own format."""
    return checkpoint_weights(model).held_bytes


def explain(before: Estimate, after: Estimate) -> Explanation:
    """Why `after` differs from `before`: what changed, part by part in seconds and bytes, and in one sentence."""
    from servelab.cost.explain import explain as _explain

    return _explain(before, after)


def grid(deployment: Deployment, *, prompt_tokens: Any, output_tokens: Any, batch: Any) -> Grid:
    """The estimates of many workloads at once: arrays (or numbers) that broadcast, in and out.

    Equal to `estimate` workload by workload, NaN where that says None. Raises SpecError where an element is no whole
    number from 1 to 1e15.
    """
    from servelab.cost.grid import grid as _grid

    return _grid(deployment, prompt_tokens=prompt_tokens, output_tokens=output_tokens, batch=batch)
