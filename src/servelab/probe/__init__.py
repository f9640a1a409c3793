"""What sharing and rounding keys and values does to attention, on made heads. docs/quality-probe.md derives it."""
