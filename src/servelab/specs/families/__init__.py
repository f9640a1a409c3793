"""Reads a Hugging Face config.json as a Model. The only place that knows its names.

config.py        a config.json's fields, looked at one by one: checked, under any of their names
table.py         what cannot be seen from the fields, by model_type
patterns.py      which layer is of which kind
attention.py, feed_forward.py, recurrent.py      the matrices of one layer
quantization.py, module_names.py                 what each matrix takes as published
parts.py         encoders, vision towers, layers that draft tokens
reader.py        all of them together
"""

from __future__ import annotations

from servelab.specs.families.reader import is_config, read_config

__all__ = ["is_config", "read_config"]
