"""Reuse check results among records with the same compilation.

Half of all verified contracts are deployments of a few compilations. In canonical JSON, the members of the
compilation are three pieces of a record's text. Results are reused only if all three equal those of an
earlier record byte for byte.
"""

from collections.abc import Callable
from typing import Any, Final, NamedTuple, TypeVar

import orjson

from statuary.contracts.model.record import MEMBERS, RecordValue

Value = TypeVar("Value")

CREATION = ("recompiledBytecode", "sourceMap", "linkReferences", "cborAuxdata")
RUNTIME = (*CREATION, "immutableReferences")
"""The members of each side that the compilation decides."""

_SOURCES = MEMBERS.index("sources")
_PROXY = MEMBERS.index("proxyResolution")
OTHERS: Final = MEMBERS[_SOURCES:_PROXY]
"""The members of the record that the compilation decides, which follow one another."""

_STEPS: Final = ("transformations", "transformationValues")
_BEFORE = MEMBERS[: MEMBERS.index("runtimeBytecode")]
_AFTER = MEMBERS[_PROXY:]
_KEYS: Final = (_BEFORE, _STEPS, ("runtimeBytecode",), _STEPS, ("deployment",), _AFTER)

_MARKERS: Final = (
    b',"recompiledBytecode":',
    b',"transformations":',
    b'},"runtimeBytecode":{',
    b',"recompiledBytecode":',
    b',"transformations":',
    b'},"deployment":{',
    b',"sources":{',
)
"""The ends of pieces, in order; the last two end at the record's proxyResolution and at its end."""


class RecordPieces(NamedTuple):
    """The JSON text of a contract's record, split into compilation and deployment."""

    compiled: tuple[bytes, bytes, bytes]  # members of the creation code, of the runtime code, and `OTHERS`
    deployed: tuple[bytes, ...]  # the text between these pieces, each part completed to a JSON object


def split_record_text(record_text: bytes) -> RecordPieces | None:
    """Split a record's JSON into compilation and deployment.

    The compilation has the sources, settings and compiler output, which copies of a contract share. The JSON
    is not validated.

    Returns:
        The pieces, or None if the text is not in canonical form.
    """
    ends, place = list[int](), 0
    for mark in _MARKERS:
        if (place := record_text.find(mark, place)) < 0:
            return None
        ends.append(place)
    a, b, c, d, e, f, g = ends
    if (h := record_text.rfind(b',"proxyResolution":{', g)) < 0:
        return None
    text_before = b"%b}}" % record_text[:a]
    first = b"{%b}" % record_text[b + 1 : c]
    side = b"{%b}}" % record_text[c + 2 : d]
    second = b"{%b}" % record_text[e + 1 : f]
    deployment = b"{%b}" % record_text[f + 2 : g]
    text_after = b"{%b" % record_text[h + 1 :]
    compiled = record_text[a + 1 : b], record_text[d + 1 : e], record_text[g + 1 : h]
    return RecordPieces(compiled, (text_before, first, side, second, deployment, text_after))


class CompiledPart:
    """A compilation that several contracts share, with cached check results.

    Attributes:
        creation: the shared members of `creationBytecode`.
        runtime: the shared members of `runtimeBytecode`.
        other_members: the shared members of the record itself.
        proof_results: the check results that depend only on the compilation, by the claimed match levels.
        derived: further values that depend only on the compilation, by the function that computes them.
    """

    def __init__(self, creation: RecordValue, runtime: RecordValue, other_members: RecordValue) -> None:
        self.creation, self.runtime, self.other_members = creation, runtime, other_members
        self.proof_results: dict[object, Any] = {}
        self.derived: dict[Callable[[RecordValue], Any], Any] = {}

    def derive(self, compute: Callable[[RecordValue], Value], record: RecordValue) -> Value:
        """Compute a value once for all contracts with this compilation.

        Args:
            compute: a function that reads only members of the compilation, such as sources and ABI.
            record: any record with the compilation.
        """
        if compute not in self.derived:
            self.derived[compute] = compute(record)
        value: Value = self.derived[compute]
        return value

    @property
    def shared_members(self) -> RecordValue:
        """The record members that all copies of the contract share."""
        return {"creationBytecode": self.creation, "runtimeBytecode": self.runtime, **self.other_members}

    def record_with_deployment(self, deployment_texts: tuple[bytes, ...]) -> RecordValue:
        """Make a record from the shared compilation and a contract's deployment.

        The types of the members are not checked.

        Args:
            deployment_texts: the JSON texts of the other members, from `RecordPieces.deployed`.

        Raises:
            ValueError: if the texts do not come from a record in canonical form.
        """
        members_before, first, side, second, deployment, members_after = parsed = [
            orjson.loads(piece) for piece in deployment_texts
        ]
        sides = members_before["creationBytecode"], side["runtimeBytecode"]
        if tuple(map(tuple, parsed)) != _KEYS or any([*side] != ["onchainBytecode"] for side in sides):
            raise ValueError("the texts do not have the members of a record")
        if orjson.dumps(parsed) != b"[%b]" % b",".join(deployment_texts):
            raise ValueError("the texts are not in canonical form")
        members_before["creationBytecode"] = {**sides[0], **self.creation, **first}
        members_before["runtimeBytecode"] = {**sides[1], **self.runtime, **second}
        return {**members_before, **deployment, **self.other_members, **members_after}


MAX_TEXT: Final = 8_000_000
"""Bytes of text of cached parts; their results take a few times as much memory."""

MAX_SEEN: Final = 65_536
"""The hashes of parts that were met once."""


SAMPLED: Final = 61
"""One of so many bytes is in the key of a part: to hash all of them takes as long as ten checks."""


def _hash_samples(compiled_texts: tuple[bytes, bytes, bytes]) -> int:
    """Hash every 61st byte: a cheap cache key, which the caller verifies."""
    a, b, c = compiled_texts
    return hash((len(a), len(b), len(c), a[::SAMPLED], b[::SAMPLED], c[::SAMPLED]))


class _CachedPart(NamedTuple):
    compiled: tuple[bytes, bytes, bytes]  # the whole bytes, since another part may have the same key
    part: CompiledPart


class CompiledParts:
    """A size-limited cache of compilations that several contracts share."""

    def __init__(self, capacity: int) -> None:
        self.capacity = capacity
        self._parts: dict[int, _CachedPart] = {}
        self._size = 0
        self._seen: set[int] = set()

    def find_compilation(self, record_pieces: RecordPieces) -> CompiledPart | None:
        """Look up a contract's compilation in the cache.

        Contracts with the same sources, settings and output have one cached compilation.

        Args:
            record_pieces: the record's JSON text, split into compilation and deployment.

        Returns:
            The compilation, or None if it is not in the cache.
        """
        key = _hash_samples(record_pieces.compiled)
        cached = self._parts.pop(key, None)
        if cached is None:
            return None
        self._parts[key] = cached
        return cached.part if cached.compiled == record_pieces.compiled else None

    def add_compilation(self, record_pieces: RecordPieces, record: RecordValue) -> CompiledPart | None:
        """Cache a compilation when a second contract has the same one.

        Args:
            record_pieces: the record's JSON text, split into compilation and deployment.
            record: the parsed record.

        Returns:
            The compilation. None for the first record with it, or if it is too large for the cache.
        """
        key = _hash_samples(record_pieces.compiled)
        size = sum(map(len, record_pieces.compiled))
        if key not in self._seen or size > self.capacity:
            if len(self._seen) >= MAX_SEEN:
                self._seen.clear()
            self._seen.add(key)
            return None
        sides = (record["creationBytecode"], CREATION), (record["runtimeBytecode"], RUNTIME), (record, OTHERS)
        parts = [{name: value[name] for name in names if name in value} for value, names in sides]
        if tuple(orjson.dumps(part)[1:-1] for part in parts) != record_pieces.compiled:
            return None  # a name in the text looks like one of the marks
        part = CompiledPart(*parts)
        self._remove(key)  # another part with the same key
        self._parts[key] = _CachedPart(record_pieces.compiled, part)
        self._size += size
        while self._size > self.capacity:
            self._remove(next(iter(self._parts)))
        return part

    def _remove(self, sample_key: int) -> None:
        cached = self._parts.pop(sample_key, None)
        if cached is not None:
            self._size -= sum(map(len, cached.compiled))


COMPILED_PARTS: Final = CompiledParts(MAX_TEXT)
"""Those of this process."""
