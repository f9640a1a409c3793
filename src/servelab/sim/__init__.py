"""Traffic through engines: asks for step times, and does not know where they come from."""
