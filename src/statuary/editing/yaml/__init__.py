"""Exact-span edits of YAML text: what is not named stays, byte for byte; what is not safe is refused."""
