"""Hashes of the compiler's metadata."""
