"""What rounding and sharing do to attention and linear layers, on made heads and matrices. docs/quality-probe.md and
docs/labs-int4.md derive it.
"""
