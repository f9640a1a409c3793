"""Models and accelerators that are known, with the source of every number."""
