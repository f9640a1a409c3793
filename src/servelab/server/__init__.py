"""The HTTP door: parse, call, return. No formula lives here."""
