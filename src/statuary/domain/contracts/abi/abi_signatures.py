"""The signatures of an ABI, as Sourcify serves them under `signatures`.

Functions, events (anonymous ones too) and errors have signatures; constructors, `fallback` and `receive` do
not. Items that ethers v6 cannot parse are skipped: library ABIs with the names of enums and structs, the
`function` type, fixed point numbers (MEASUREMENTS.md, signatures).
"""

from collections.abc import Mapping
from functools import lru_cache
from typing import Final

import orjson

from statuary.domain.contracts.abi.abi_types import canonical, is_identifier, parse_abi_types
from statuary.domain.json_values import Json
from statuary.domain.primitives import InvalidValueError, keccak256

SIGNATURE_KINDS: Final = ("function", "event", "error")
"""The kinds of item that have a signature, in served order."""

REMEMBERED_SIGNATURES = 65_536
"""How many hashes are kept: half of all signatures in a set of real contracts repeat within a few records."""

REMEMBERED_ITEMS: Final = 16_384
LONGEST_REMEMBERED_ITEM: Final = 1_000
"""How many items are kept with their signatures, about 6 MB, and the most bytes of one."""

_TEXTS: Final[dict[bytes, str | None]] = {}


def signatures_of(abi: Json) -> dict[str, list[dict[str, str]]]:
    """Return the signatures of an ABI by kind, each list without duplicates, in byte order.

    The production server sorts by its database's locale, so compare signatures of other servers' records as
    sets.
    """
    texts: dict[str, set[str]] = {kind: set() for kind in SIGNATURE_KINDS}
    for item in abi if isinstance(abi, list) else ():
        if (
            isinstance(item, dict)
            and (kind := item.get("type")) in SIGNATURE_KINDS
            and (text := _known_text(item))
        ):
            texts[kind].add(text)
    return {kind: [signature_entry(text) for text in sorted(texts[kind])] for kind in SIGNATURE_KINDS}


def _known_text(item: Mapping[str, Json]) -> str | None:
    """Return an item's signature; that of the same item of another ABI is not made again."""
    try:
        key = orjson.dumps(item)
    except TypeError:  # orjson's own error: a lone surrogate, or nested too deep
        return signature_text(item)
    if len(key) > LONGEST_REMEMBERED_ITEM:
        return signature_text(item)
    if key not in _TEXTS:
        if len(_TEXTS) == REMEMBERED_ITEMS:
            _TEXTS.clear()
        _TEXTS[key] = signature_text(item)
    return _TEXTS[key]


def signature_text(item: Mapping[str, Json]) -> str | None:
    """Return the signature of an ABI item, such as `transfer(address,uint256)`; None if ethers rejects the item."""
    name = item.get("name")
    if not is_identifier(name):
        return None
    try:
        inputs = parse_abi_types(item.get("inputs"), may_be_indexed=item.get("type") == "event")
        if item.get("type") == "function":
            parse_abi_types(item.get("outputs"))  # ethers parses these too, and rejects the item
    except InvalidValueError:
        return None
    return canonical(str(name), inputs)


@lru_cache(maxsize=REMEMBERED_SIGNATURES)
def signature_hash(text: str) -> str:
    """Return the Keccak-256 of a signature as `0x` and 64 digits."""
    return "0x" + keccak256(text.encode("utf-8", "surrogatepass")).hex()


def signature_entry(text: str) -> dict[str, str]:
    """Return one element of a served list: the text, the first four bytes of its hash, and the hash."""
    digest = signature_hash(text)
    return {"signature": text, "signatureHash4": digest[:10], "signatureHash32": digest}
