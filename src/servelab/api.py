"""What users call: composes the layers below. The public names of `servelab` come from here and from specs."""

from __future__ import annotations

from servelab.cost.estimate import Estimate
from servelab.cost.estimate import estimate as _estimate
from servelab.errors import SpecError, shown
from servelab.specs.deployment import Deployment
from servelab.specs.workload import Workload


def estimate(deployment: Deployment, workload: Workload) -> Estimate:
    """Will it fit, what bounds it, how fast is it, what does it cost: one batch on one deployment.

    Seconds, bytes, FLOP and tokens throughout. Analytical (docs/model.md says how each figure comes about and what is
    left out), not a benchmark. Raises SpecError where the inputs lead beyond all numbers.
    """
    for name, value, kind in (("deployment", deployment, Deployment), ("workload", workload, Workload)):
        if not isinstance(value, kind):
            raise SpecError(name, f"{shown(value)} is no {kind.__name__}; give sl.{kind.__name__}(…)")
    return _estimate(deployment, workload)
