"""servelab: predict what serving a large language model will take, before paying for it.

import servelab as sl
deployment = sl.Deployment("llama-3.1-8b", "h100-sxm-80gb")
print(sl.estimate(deployment, sl.Workload(1024, 256, batch=16)).tpot_s)
"""

from __future__ import annotations

import importlib
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from servelab.api import engine_memory, estimate, explain, grid, simulate
    from servelab.cost.engines import EngineMemory
    from servelab.cost.estimate import Estimate
    from servelab.cost.explain import Explanation
    from servelab.cost.grid import Grid
    from servelab.errors import ConfigError, ServelabError, SpecError, TraceError, UnknownName
    from servelab.sim.run import Run
    from servelab.specs.accelerator import Accelerator
    from servelab.specs.arrivals import Arrivals, Burst, RateStep
    from servelab.specs.deployment import Deployment
    from servelab.specs.lengths import Lengths
    from servelab.specs.model import Model
    from servelab.specs.profile import Profile
    from servelab.specs.result import Load, Result
    from servelab.specs.scheduler import Scheduler
    from servelab.specs.traffic import Traffic
    from servelab.specs.workload import Workload

__version__ = "0.1.0"

#: Where each public name lives; imported when it is first asked for, so that `import servelab` stays light.
_HOMES = {
    "Accelerator": "servelab.specs.accelerator",
    "Arrivals": "servelab.specs.arrivals",
    "Burst": "servelab.specs.arrivals",
    "ConfigError": "servelab.errors",
    "Deployment": "servelab.specs.deployment",
    "EngineMemory": "servelab.cost.engines",
    "Estimate": "servelab.cost.estimate",
    "Explanation": "servelab.cost.explain",
    "Grid": "servelab.cost.grid",
    "Lengths": "servelab.specs.lengths",
    "Load": "servelab.specs.result",
    "Model": "servelab.specs.model",
    "Profile": "servelab.specs.profile",
    "RateStep": "servelab.specs.arrivals",
    "Result": "servelab.specs.result",
    "Run": "servelab.sim.run",
    "Scheduler": "servelab.specs.scheduler",
    "ServelabError": "servelab.errors",
    "SpecError": "servelab.errors",
    "TraceError": "servelab.errors",
    "Traffic": "servelab.specs.traffic",
    "UnknownName": "servelab.errors",
    "Workload": "servelab.specs.workload",
    "calibrate": "servelab.fidelity.calibrate",
    "engine_memory": "servelab.api",
    "estimate": "servelab.api",
    "explain": "servelab.api",
    "grid": "servelab.api",
    "simulate": "servelab.api",
}

__all__ = [
    "Accelerator",
    "Arrivals",
    "Burst",
    "ConfigError",
    "Deployment",
    "EngineMemory",
    "Estimate",
    "Explanation",
    "Grid",
    "Lengths",
    "Load",
    "Model",
    "Profile",
    "RateStep",
    "Result",
    "Run",
    "Scheduler",
    "ServelabError",
    "SpecError",
    "TraceError",
    "Traffic",
    "UnknownName",
    "Workload",
    "__version__",
    "calibrate",
    "engine_memory",
    "estimate",
    "explain",
    "grid",
    "simulate",
]


def __getattr__(name: str) -> Any:
    if name not in _HOMES:
        raise AttributeError(f"module 'servelab' has no attribute {name!r}")
    return getattr(importlib.import_module(_HOMES[name]), name)


def __dir__() -> list[str]:
    return sorted(__all__)
