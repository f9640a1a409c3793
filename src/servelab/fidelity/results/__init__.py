"""Results of benchmarks as their tools write them: read into what was run and what was measured, in base SI."""
