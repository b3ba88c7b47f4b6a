"""What lists and the search say of a contract: little, so that it can be kept for every contract of a site."""

from collections.abc import Iterator
from typing import NamedTuple

from statuary.documents.pages.contracts.json_parts import as_list, as_object, as_text
from statuary.documents.pages.legible import one_line
from statuary.domain.contracts.record import RecordValue
from statuary.domain.contracts.signatures import signature_hash, signature_text
from statuary.domain.json_values import Json

LONGEST_NAME = 80
"""Characters of a name that lists show."""


class ContractEntry(NamedTuple):
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


def contract_entry(record: RecordValue) -> ContractEntry:
    """Return what lists say of a record."""
    compilation = as_object(record.get("compilation"))
    version = as_text(compilation.get("compilerVersion")).partition("+")[0]
    return ContractEntry(
        chain_id=record["chainId"],
        address=record["address"],
        name=one_line(as_text(compilation.get("name")))[:LONGEST_NAME],
        language=one_line(f"{as_text(compilation.get('language'))} {version}")[:LONGEST_NAME],
        match=record["match"],
        verified_at=record["verifiedAt"],
        match_id=int(record["matchId"]),
        selectors=b"".join(dict.fromkeys(selectors_of(record.get("abi")))),
    )


def selectors_of(abi: Json) -> Iterator[bytes]:
    """Yield the first four bytes of the hash of each function, event and error."""
    for item in as_list(abi):
        text = signature_text(as_object(item)) if as_object(item).get("type") in KINDS else None
        if text is not None:
            yield bytes.fromhex(signature_hash(text)[2:10])


KINDS = ("function", "event", "error")
