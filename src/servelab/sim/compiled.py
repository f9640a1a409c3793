"""The engine compiled by Numba: once on a machine, then from its cache.

Only the entry is cached: the code of all it calls is in it. Its name there carries a digest of all that it is made
from, so that a cached engine is never older than its source.
"""

from __future__ import annotations

import contextlib
import dis
import functools
import gc
import hashlib
import inspect
import logging
import threading
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np

from servelab.cost.steps import Side, StepCosts
from servelab.sim.build import Load, fresh_engine
from servelab.sim.link import MODULES, Run, linked
from servelab.specs.scheduler import Scheduler

_LOG = logging.getLogger("servelab")
_READY = threading.Event()
_LOCK = threading.Lock()

#: Numba's options for what the entry calls: it is inlined and never called from Python. Nothing the engine does
#: allocates, and it divides by nothing that may be zero.
_OPTIONS: dict[str, Any] = {
    "_nrt": False,
    "error_model": "numpy",
    "no_cfunc_wrapper": True,
    "no_rewrites": True,
}
_INNER = _OPTIONS | {"no_cpython_wrapper": True, "forceinline": True}

#: A function that one place calls is put there before types are inferred, where its bytecode is at most so long: it is
#: compiled once and not again with its callers, a seventh less in all. Longer ones take as long to copy.
_COPIED = _INNER | {"inline": "always"}
_COPIED_BYTES = 400


def run() -> Run:
    """The compiled engine; compiles it, and says so, where this machine has not done so yet."""
    with _LOCK:
        entry: Run = _entry()
        if not _READY.is_set():
            if not _is_cached(entry):
                _LOG.warning("servelab compiles its engine, once on this machine; that takes about ten seconds")
            with _own_settings():
                entry(_small_engine(), 2)
            _READY.set()
    return entry


@contextlib.contextmanager
def _own_settings() -> Iterator[None]:
    """Compile at LLVM's first level, and with indices that count from an array's start only.

    All being inlined, the first level makes as fast an engine in two thirds of the time. No index of the engine counts
    from an array's end; without the code for that the engine is a tenth faster and compiled a fifth sooner. Nor is
    garbage collected meanwhile: there is next to none among the many objects a compiler makes. These are Numba's own
    settings, and a function of it that has none; its compiler's lock keeps everybody else from compiling meanwhile.
    """
    import numba
    from numba.core.compiler_lock import global_compiler_lock
    from numba.np import arrayobj

    config: Any = numba.config
    collects = gc.isenabled()
    with (
        global_compiler_lock,
        _replaced(config, "OPT", type(config.OPT)(1)),
        _replaced(arrayobj, "fix_integer_index", _from_the_start),
    ):
        gc.disable()
        try:
            yield
        finally:
            if collects:
                gc.enable()


@contextlib.contextmanager
def _replaced(owner: Any, name: str, value: Any) -> Iterator[None]:
    """Let `owner` have another value by that name meanwhile."""
    usual = getattr(owner, name, None)
    setattr(owner, name, value)
    try:
        yield
    finally:
        setattr(owner, name, usual)


def _from_the_start(context: Any, builder: Any, index_type: Any, index: Any, _: Any) -> Any:
    """Code for an index as it is, where Numba's would add the array's length to a negative one."""
    from numba.core import types

    return context.cast(builder, index, index_type, types.intp)


def is_ready() -> bool:
    """Whether this process has the compiled engine."""
    return _READY.is_set()


@functools.cache
def prepare() -> threading.Thread:
    """Get the compiled engine in the background, once; returns the thread that does."""
    thread = threading.Thread(target=run, name="servelab-compile", daemon=True)
    thread.start()
    return thread


@functools.cache
def _entry() -> Any:
    import numba

    njit: Any = numba.njit
    copied = _copied()

    def wrap(function: Any) -> Any:
        if function.__name__ != "run":
            return njit(**(_COPIED if function.__name__ in copied else _INNER))(function)
        function.__qualname__ = f"run_{_digest(numba.__version__)}"
        try:
            return njit(cache=True, nogil=True, **_OPTIONS)(function)
        except RuntimeError:  # no folder to cache in
            return njit(nogil=True, **_OPTIONS)(function)

    return linked(wrap)["run"]


def _copied() -> set[str]:
    """The short functions of the engine that are called from one place."""
    kernels = [kernel for module in MODULES for kernel in getattr(module, "KERNELS", ())]
    steps = (step for kernel in kernels for step in dis.get_instructions(kernel))
    called = Counter(step.argval for step in steps if step.opname == "LOAD_GLOBAL")
    return {one.__name__ for one in kernels if called[one.__name__] == 1 and len(one.__code__.co_code) <= _COPIED_BYTES}


def _digest(version: str) -> str:
    """Of the engine as this process has it (its files may have changed since), the options and Numba's version."""
    made_of: list[object] = [version, _COPIED, _COPIED_BYTES]
    functions: list[Any] = [inspect.unwrap(_own_settings), _from_the_start]
    for module in MODULES:
        values = ((name, value) for name, value in vars(module).items() if name != "KERNELS")
        made_of += [(name, value) for name, value in values if isinstance(value, int | float | tuple)]
        functions += getattr(module, "KERNELS", ())
    codes = (function.__code__ for function in functions)
    made_of += [(code.co_name, code.co_code, code.co_consts, code.co_names, code.co_varnames) for code in codes]
    return hashlib.sha256(repr(made_of).encode()).hexdigest()[:16]


def _is_cached(entry: Any) -> bool:
    folder = entry.stats.cache_path
    return bool(folder) and any(Path(folder).glob(f"*{entry.py_func.__qualname__}*.nbi"))


def _small_engine() -> Any:
    one = np.ones(1, np.int64)
    costs = StepCosts(((Side(1e-3), Side(1e-3)),), Side())
    return fresh_engine(Load(one * 0.0, one, one, one), Scheduler(), 1, costs, 2, compiled=True)
