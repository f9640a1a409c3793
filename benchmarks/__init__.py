"""Figures that docs/benchmarks.md states, measured on the machine they run on. `make bench` prints them all."""
