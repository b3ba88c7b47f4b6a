"""What lists and the search say of a contract: little, so that it can be kept for every contract of a site."""

from collections.abc import Iterator
from typing import NamedTuple

from statuary.documents.pages.contracts.lenient_json import as_list, as_object, as_text
from statuary.documents.pages.visible_text import one_line
from statuary.domain.contracts.abi.abi_signatures import signature_hash, signature_text
from statuary.domain.contracts.record import RecordValue
from statuary.domain.json_values import Json

MAX_NAME_LENGTH = 80
"""Characters of a name that lists show."""


class ListedContract(NamedTuple):
    """A contract in lists.

    Attributes:
        chain_id: its chain.
        address: its address, in EIP-55 spelling.
        name: its name.
        language: what it is written in, with the compiler's version.
        match: its match level, or None.
        verified_at: when it was verified, as the record says it.
        match_id: the number that lists are sorted by.
        selectors: the first four bytes of the hash of each function, event and error, one after the other.
    """

    chain_id: str
    address: str
    name: str
    language: str
    match: str | None
    verified_at: str
    match_id: int
    selectors: bytes


def listed_contract(record: RecordValue) -> ListedContract:
    """Return what lists say of a record."""
    compilation = as_object(record.get("compilation"))
    version = as_text(compilation.get("compilerVersion")).partition("+")[0]
    return ListedContract(
        chain_id=record["chainId"],
        address=record["address"],
        name=one_line(as_text(compilation.get("name")))[:MAX_NAME_LENGTH],
        language=one_line(f"{as_text(compilation.get('language'))} {version}")[:MAX_NAME_LENGTH],
        match=record["match"],
        verified_at=record["verifiedAt"],
        match_id=int(record["matchId"]),
        selectors=b"".join(dict.fromkeys(selectors_of(record.get("abi")))),
    )


def selectors_of(abi: Json) -> Iterator[bytes]:
    """Yield the first four bytes of the hash of each function, event and error."""
    for item in as_list(abi):
        text = signature_text(as_object(item)) if as_object(item).get("type") in SELECTOR_KINDS else None
        if text is not None:
            yield bytes.fromhex(signature_hash(text)[2:10])


SELECTOR_KINDS = ("function", "event", "error")
