"""Ids of what has no name of its own: twelve characters, as Statuspage's are, derived so that they last."""

from hashlib import blake2b

ALPHABET = "abcdefghijklmnopqrstuvwxyz234567"
"""RFC 4648's base 32 in lower case: five bits to a character, none of them easily mistaken for another."""

PAIRS = tuple(first + second for first in ALPHABET for second in ALPHABET)
"""Two characters for every ten bits; an id is six of them, sixty bits (a clash takes a thousand million ids)."""


def derived_id(*parts: str) -> str:
    """Return the id that belongs to these parts, the same on every machine and in every build."""
    digest = blake2b("\x1f".join(parts).encode("utf-8", "surrogatepass"), digest_size=8).digest()
    bits = int.from_bytes(digest, "big") >> 4
    # written out, because a site of many incidents derives as many ids as it has updates
    return (
        PAIRS[bits >> 50]
        + PAIRS[bits >> 40 & 1023]
        + PAIRS[bits >> 30 & 1023]
        + PAIRS[bits >> 20 & 1023]
        + PAIRS[bits >> 10 & 1023]
        + PAIRS[bits & 1023]
    )
