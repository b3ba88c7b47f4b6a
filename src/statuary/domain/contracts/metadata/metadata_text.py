"""solc's metadata as the text whose hash is in the bytecode."""

import json
from collections.abc import Iterator

import orjson

from statuary.domain.contracts.metadata.ipfs_hash import ipfs_multihash
from statuary.domain.contracts.metadata.swarm_hash import bzzr0, bzzr1
from statuary.domain.json_values import Json
from statuary.domain.primitives import InvalidValueError

SCHEMES = {"ipfs": ipfs_multihash, "bzzr1": bzzr1, "bzzr0": bzzr0}
"""The hashes that solc writes of its metadata, by the name that auxdata has for them."""


def metadata_texts(metadata: Json, output_text: str | None = None) -> Iterator[bytes]:
    r"""Yield the texts that solc may have written for a metadata object, likeliest first.

    solc writes it compactly, sorted by key, with `\u` escapes for everything but printable ASCII (0.7.6 to
    0.8.37).

    Args:
        output_text: the compiler's text of the same object, if it is known.

    Raises:
        InvalidValueError: if the object is nested deeper than any compiler's metadata.
    """
    if output_text is not None:
        yield output_text.encode("utf-8", "surrogatepass")
    for option in (0, orjson.OPT_SORT_KEYS):
        try:
            text = orjson.dumps(metadata, option=option)
        except (TypeError, ValueError):  # orjson's own error is a TypeError
            raise InvalidValueError("the metadata is nested too deep") from None
        if not text.isascii() or b"\x7f" in text:
            escaped = json.dumps(metadata, separators=(",", ":"), sort_keys=bool(option))
            yield escaped.encode("ascii")
        yield text


def metadata_hash(text: bytes, scheme: str) -> bytes:
    """Return the hash of a metadata text by a scheme that auxdata names.

    Raises:
        InvalidValueError: if solc does not use the scheme for metadata.
    """
    if scheme not in SCHEMES:
        raise InvalidValueError(f"no metadata hash is called {scheme!r}")
    return SCHEMES[scheme](text)


def has_repeated_keys(text: str) -> bool:
    """Return whether an object in a JSON text has a key twice, which parsers treat differently."""
    repeated = False

    def keep(pairs: list[tuple[str, Json]]) -> dict[str, Json]:
        nonlocal repeated
        members = dict(pairs)
        repeated = repeated or len(members) != len(pairs)
        return members

    try:
        json.loads(text, object_pairs_hook=keep)
    except (ValueError, RecursionError):
        return True
    return repeated
