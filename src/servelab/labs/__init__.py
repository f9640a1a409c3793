"""Labs: small worlds with one lesson each. docs/labs.md says how to play one and how to write one."""
