"""Types of the look-up's lists and errors, for OpenAPI and conformance checks.

Measured on Sourcify server 3.12.1. The type of a record is `contracts.model.record.Record`.
"""

from typing import Annotated

from pydantic import ConfigDict, Field, with_config
from typing_extensions import TypedDict

from statuary.contracts.model.record import MatchLevel

OPEN = ConfigDict(extra="allow", strict=True, defer_build=True)
"""A server may send more members than these; clients ignore them."""

ChainIdText = Annotated[str, Field(pattern="^[0-9]{1,20}$", examples=["1"])]
"""A chain's number, as text."""

AddressText = Annotated[str, Field(pattern="^0x[0-9a-fA-F]{40}$")]
"""An address with its EIP-55 checksum."""

MatchId = Annotated[str, Field(pattern="^[0-9]+$", examples=["1"])]
"""The number that lists are ordered by, as text."""

VerifiedAt = Annotated[
    str,
    Field(
        pattern="^[0-9]{4}-[0-9]{2}-[0-9]{2}T[0-9]{2}:[0-9]{2}:[0-9]{2}Z$", examples=["2026-01-02T03:04:05Z"]
    ),
]
"""When a contract was verified: UTC, to the second."""


@with_config(OPEN)
class ContractEntry(TypedDict):
    """The entry of a verified contract in lists."""

    match: MatchLevel | None
    creationMatch: MatchLevel | None
    runtimeMatch: MatchLevel | None
    chainId: ChainIdText
    address: AddressText
    verifiedAt: VerifiedAt
    matchId: MatchId


@with_config(OPEN)
class ContractList(TypedDict):
    """A list of verified contracts."""

    results: Annotated[list[ContractEntry], Field(max_length=200)]


@with_config(OPEN)
class ContractOnAllChains(TypedDict):
    """An address on every chain that it is verified on."""

    results: list[ContractEntry]


@with_config(OPEN)
class ListedChain(TypedDict):
    """A chain that the look-up serves; the id is a number here."""

    name: str
    title: str
    chainId: int
    rpc: list[object]
    traceSupportedRPCs: list[object]
    supported: bool
    etherscanAPI: bool


@with_config(OPEN)
class NotVerified(TypedDict):
    """The response for an address that is not verified; a plain host cannot name chain and address."""

    match: None
    creationMatch: None
    runtimeMatch: None
    chainId: str
    address: str


@with_config(OPEN)
class RejectedRequest(TypedDict):
    """The reason for refusing a request."""

    customCode: Annotated[str, Field(examples=["invalid_parameter"])]
    message: str
    errorId: Annotated[str, Field(json_schema_extra={"format": "uuid"})]


@with_config(OPEN)
class ListPage(TypedDict):
    """A page of a chain's list, in its index."""

    page: str
    firstMatchId: MatchId
    lastMatchId: MatchId
    count: int


@with_config(OPEN)
class ListPages(TypedDict):
    """The index of a chain's pages."""

    chainId: ChainIdText
    count: int
    pages: list[ListPage]
