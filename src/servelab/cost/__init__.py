"""The analytical model: pure functions of specs. Knows no traffic and no clock."""
