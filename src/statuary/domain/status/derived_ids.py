"""Ids where the author gives none: twelve characters, as in Statuspage, derived so that they never change."""

from hashlib import blake2b

ALPHABET = "abcdefghijklmnopqrstuvwxyz234567"
"""The base 32 alphabet of RFC 4648 in lower case."""

PAIRS = tuple(first + second for first in ALPHABET for second in ALPHABET)
"""Two characters for every ten bits; an id has six pairs, sixty bits."""


def derived_id(*parts: str) -> str:
    """Return the id of these parts, the same on every machine and in every build."""
    digest = blake2b("\x1f".join(parts).encode("utf-8", "surrogatepass"), digest_size=8).digest()
    bits = int.from_bytes(digest, "big") >> 4
    return "".join([PAIRS[bits >> shift & 1023] for shift in (50, 40, 30, 20, 10, 0)])
