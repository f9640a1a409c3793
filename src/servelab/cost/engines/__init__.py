"""Memory as inference engines count it: what a start of vLLM, SGLang, TensorRT-LLM or llama.cpp leaves for its cache.

start.py     the settings with their defaults filled in, and memory as the driver reports it
loaded.py    weights as loaded            profile.py   the activation peak
account.py   all that is taken before the cache, engine by engine
pool.py      the cache as stored: blocks, groups of layers, windows
memory.py    the answer                   remedies.py, words.py   what would help, and why it is so
"""

from __future__ import annotations

from servelab.cost.engines.answer import Change, EngineMemory, Remedy, Term
from servelab.cost.engines.memory import engine_memory

__all__ = ["Change", "EngineMemory", "Remedy", "Term", "engine_memory"]
