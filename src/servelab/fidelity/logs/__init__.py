"""Start-up logs of inference engines, read into facts; one table of phrases for each engine's format."""
