"""The engine in its three forms, all made from the same functions.

The functions are written plainly, over as many files as they have subjects. `linked` gives them one namespace in
which each calls the others: with step times from a Python function here, compiled in compiled.py.
"""

from __future__ import annotations

import types
from collections.abc import Callable
from typing import Any

from servelab.errors import SpecError, shown
from servelab.sim import blocks, engine, gaps, heaps, policies, state, times, tokens
from servelab.sim.state import Engine, Kind, Replica, State, Times

#: Where the engine's functions and constants are.
MODULES = (state, heaps, gaps, times, blocks, policies, tokens, engine)

Run = Callable[[Engine, int], bool]
StepTime = Callable[[int, int, list[tuple[int, int]]], float]


def with_step_time(step_time: StepTime) -> Run:
    """The engine with the time of every pass from `step_time(n, context_sum, chunks)`; nothing can be skipped over."""
    chunks: list[tuple[int, int]] = []

    def add_chunk(s: State, kinds: list[Kind], offset: int, length: int) -> None:
        s.chunk_tokens += length
        chunks.append((offset, length))

    def drop_chunks(s: State, kinds: list[Kind]) -> None:
        s.chunk_tokens, s.prefill_from = 0, s.requests
        chunks.clear()

    def pass_times(r: Replica, times: Times, most: int) -> tuple[float, float, float, int]:
        s = r.state
        context_sum = r.kinds[0].context_sum if s.decodes else 0
        alone = _checked(step_time(s.decodes, context_sum, [])) if s.decodes else 0.0
        whole = _checked(step_time(s.decodes, context_sum, list(chunks))) if chunks else alone
        return whole, 0.0, alone, 1

    own = {f.__name__: f for f in (add_chunk, drop_chunks, pass_times)}
    run: Run = linked(lambda function: function, own)["run"]
    return run


def linked(wrap: Callable[[Any], Any], own: dict[str, Any] | None = None) -> dict[str, Any]:
    """Every function of the engine, wrapped, in one namespace; `own` ones stand in for those of their name."""
    namespace: dict[str, Any] = {"__name__": __name__, "__builtins__": __builtins__}
    for module in MODULES:
        namespace |= {name: value for name, value in vars(module).items() if not name.startswith("__")}
    for module in MODULES:
        for function in getattr(module, "KERNELS", ()):
            namespace[function.__name__] = wrap(types.FunctionType(function.__code__, namespace, function.__name__))
    namespace.update(own or {})
    return namespace


def _checked(seconds: Any) -> float:
    try:
        value = float(seconds)
    except (TypeError, ValueError):
        value = -1.0
    if not 0 <= value < 1e21:
        raise SpecError("step_time", f"it returned {shown(seconds)}; return the seconds of the pass, 0 to 1e21")
    return value
