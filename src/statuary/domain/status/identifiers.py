"""Ids of what has no name of its own: twelve characters, as Statuspage's are, derived so that they last."""

from base64 import b32encode
from hashlib import blake2b

ID_LENGTH = 12
"""Characters of a derived id, from `a-z2-7`: 60 bits, of which a site would need millions to see a clash."""


def derived_id(*parts: str) -> str:
    """Return the id that belongs to these parts, the same on every machine and in every build."""
    digest = blake2b("\x1f".join(parts).encode("utf-8", "surrogatepass"), digest_size=8).digest()
    return b32encode(digest)[:ID_LENGTH].decode("ascii").lower()
