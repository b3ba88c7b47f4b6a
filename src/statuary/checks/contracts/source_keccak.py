"""A cache of the Keccak-256 of sources: more than half of all real sources are known library files.

Looking a text up by its SHA-256 costs a fifth of hashing it again, and needs 32 bytes of memory.
"""

from hashlib import sha256
from typing import Final

from statuary.domain.primitives import keccak256

CACHED_SOURCES: Final = 65_536
"""How many hashes are kept, about 16 MB; the oldest are dropped."""


class KeccakCache:
    """Keccak-256 of texts."""

    def __init__(self, capacity: int) -> None:
        self._capacity = capacity
        self._known: dict[bytes, str] = {}

    def of(self, text: str) -> str:
        """Return the Keccak-256 of a text in UTF-8, as metadata writes it: `0x` and 64 digits."""
        data = text.encode("utf-8", "surrogatepass")
        key = sha256(data).digest()
        found = self._known.get(key)
        return found if found is not None else self._learn(key, data)

    def _learn(self, key: bytes, data: bytes) -> str:
        if len(self._known) >= self._capacity:
            del self._known[next(iter(self._known))]
        computed = self._known[key] = "0x" + keccak256(data).hex()
        return computed

    def clear(self) -> None:
        """Empty the cache."""
        self._known.clear()


SOURCE_KECCAK_CACHE: Final = KeccakCache(CACHED_SOURCES)
"""The cache of this process."""
