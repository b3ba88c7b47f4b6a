"""The record of one verified contract, in its wire format.

Member names, order and nullability are measured on Sourcify's server (all members, nulls included) and win
over the specification: `sourceMap` may be an object, transformations may be `delete` and carry `length`, most
members may be null.

A record is a plain dict; these types let pydantic reject wrong shapes and mypy check the code. Hex digits are
checked where they are decoded.
"""

from collections.abc import Iterator, Mapping
from typing import Any, Literal, NotRequired, TypeVar

from typing_extensions import TypedDict

from statuary.base.json_values import Json
from statuary.contracts.model.contract_row import ContractRow

MatchLevel = Literal["match", "exact_match"]
"""`exact_match`: same bytes including the metadata hash; `match`: same code, hash absent or different."""

Shape = TypeVar("Shape")


def reject_unknown_members(shape: type[Shape]) -> type[Shape]:
    """Make pydantic reject unknown members of a class, and wrong types.

    This is a decorator. It only sets an attribute, so pydantic is not imported.
    """
    shape.__pydantic_config__ = {"extra": "forbid", "strict": True, "defer_build": True}  # type: ignore[attr-defined]
    return shape


def allow_unknown_members(shape: type[Shape]) -> type[Shape]:
    """Make pydantic accept unknown members of a class.

    Sourcify may add members. Values of wrong types are still rejected. This decorator only sets an attribute.
    """
    shape.__pydantic_config__ = {"extra": "allow", "strict": True, "defer_build": True}  # type: ignore[attr-defined]
    return shape


@reject_unknown_members
class BytecodeReference(TypedDict):
    """A range of bytecode, in bytes, that is filled in later."""

    start: int
    length: int


@reject_unknown_members
class CborAuxdata(TypedDict):
    """Auxdata in recompiled bytecode: its bytes as 0x hex (length suffix included), and its byte offset."""

    value: str
    offset: int


@reject_unknown_members
class Transformation(TypedDict):
    """One change on the way from recompiled to on-chain bytecode; offsets and lengths are in bytes.

    `length` is the number of bytes removed, given when it differs from the value's; a `delete` always has it.
    """

    type: str  # `replace`, `insert` or `delete`
    reason: str  # `cborAuxdata`, `constructorArguments`, `library`, `immutable` or `callProtection`
    offset: int
    id: NotRequired[str]
    length: NotRequired[int]


@reject_unknown_members
class TransformationValues(TypedDict, total=False):
    """The values that transformations insert: 0x hex, by library name, immutable id or auxdata number."""

    libraries: dict[str, str]
    immutables: dict[str, str]
    cborAuxdata: dict[str, str]
    constructorArguments: str
    callProtection: str


@allow_unknown_members
class CreationBytecode(TypedDict):
    """The creation side. `onchainBytecode` is null if the creating transaction is unknown."""

    onchainBytecode: str | None
    recompiledBytecode: str | None
    sourceMap: str | dict[str, object] | None
    linkReferences: dict[str, dict[str, list[BytecodeReference]]] | None
    cborAuxdata: dict[str, CborAuxdata] | None
    transformations: list[Transformation] | None
    transformationValues: TransformationValues | None


@allow_unknown_members
class RuntimeBytecode(TypedDict):
    """The runtime side, with references of immutables (by AST id; Vyper has the one id "0")."""

    onchainBytecode: str | None
    recompiledBytecode: str | None
    sourceMap: str | dict[str, object] | None
    linkReferences: dict[str, dict[str, list[BytecodeReference]]] | None
    cborAuxdata: dict[str, CborAuxdata] | None
    immutableReferences: dict[str, list[BytecodeReference]] | None
    transformations: list[Transformation] | None
    transformationValues: TransformationValues | None


@allow_unknown_members
class Deployment(TypedDict):
    """The creating transaction. Numbers are decimal text ("-1" for genesis contracts), `deployer` its sender."""

    transactionHash: str | None
    blockNumber: str | None
    transactionIndex: str | None
    deployer: str | None


@allow_unknown_members
class Compilation(TypedDict):
    """Compiler, settings and contract. `fullyQualifiedName` splits at its last colon."""

    language: str
    compiler: str
    compilerVersion: str
    compilerSettings: dict[str, object]
    name: str
    fullyQualifiedName: str


@reject_unknown_members
class SourceContent(TypedDict):
    """One source file."""

    content: str


@reject_unknown_members
class SourceId(TypedDict):
    """The number of a file in source maps."""

    id: int


@reject_unknown_members
class Signature(TypedDict):
    """A function, event or error: canonical text, 4-byte hash and whole keccak-256 as 0x hex."""

    signature: str
    signatureHash4: str
    signatureHash32: str


@reject_unknown_members
class Signatures(TypedDict):
    """The signatures of an ABI by kind."""

    function: list[Signature]
    event: list[Signature]
    error: list[Signature]


@allow_unknown_members
class Implementation(TypedDict):
    """A contract that a proxy calls; `name` if it is itself verified on the chain."""

    address: str
    name: NotRequired[str]


@reject_unknown_members
class ProxyResolutionError(TypedDict):
    """The reason why the proxy could not be resolved."""

    customCode: str
    message: str
    errorId: str


@allow_unknown_members
class ProxyResolution(TypedDict, total=False):
    """Whether the contract is a proxy, its type and implementations; or the error instead of these."""

    isProxy: bool
    proxyType: str | None
    implementations: list[Implementation]
    proxyResolutionError: ProxyResolutionError


@reject_unknown_members
class StdJsonInput(TypedDict):
    """The compiler's standard-JSON input, without `outputSelection`."""

    language: str
    sources: dict[str, SourceContent]
    settings: dict[str, object]
    storage_layout_overrides: NotRequired[dict[str, object]]


@reject_unknown_members
class StdJsonOutput(TypedDict):
    """The compiler's standard-JSON output for the one contract."""

    sources: dict[str, SourceId] | None
    contracts: dict[str, dict[str, dict[str, object]]]


@allow_unknown_members
class Record(TypedDict):
    """The whole record, members in the order in which the server serves `fields=all`.

    Three members may be absent: the server has served them since 2025 or 2026 only.
    """

    matchId: str
    creationMatch: MatchLevel | None
    runtimeMatch: MatchLevel | None
    verifiedAt: str
    creationBytecode: CreationBytecode
    runtimeBytecode: RuntimeBytecode
    deployment: Deployment
    sources: dict[str, SourceContent]
    compilation: Compilation
    abi: list[dict[str, object]] | None
    metadata: dict[str, object] | None
    storageLayout: dict[str, object] | None
    transientStorageLayout: NotRequired[dict[str, object] | None]
    userdoc: dict[str, object] | None
    devdoc: dict[str, object] | None
    sourceIds: dict[str, SourceId] | None
    additionalInput: NotRequired[dict[str, object] | None]
    stdJsonInput: StdJsonInput
    stdJsonOutput: StdJsonOutput
    signatures: Signatures
    proxyResolution: NotRequired[ProxyResolution]
    match: MatchLevel | None
    chainId: str
    address: str


RecordValue = dict[str, Any]
"""A record whose shape was checked: the input of replay, checks and documents."""

MEMBERS: tuple[str, ...] = tuple(Record.__annotations__)
"""The record's members in served order."""

GROUPS: dict[str, tuple[str, ...]] = {
    "creationBytecode": tuple(CreationBytecode.__annotations__),
    "runtimeBytecode": tuple(RuntimeBytecode.__annotations__),
    "deployment": tuple(Deployment.__annotations__),
    "compilation": tuple(Compilation.__annotations__),
    "signatures": tuple(Signatures.__annotations__),
}
"""The members that are objects of named parts, with the parts in served order."""


def make_contract_row(record: RecordValue, verdict: str = "") -> ContractRow:
    """Make a contract's list entry from its record.

    Args:
        record: the record to list.
        verdict: the conclusion of the proof, such as `not_shown`; empty if there is none.
    """
    return ContractRow(
        match=record["match"],
        creationMatch=record["creationMatch"],
        runtimeMatch=record["runtimeMatch"],
        chainId=record["chainId"],
        address=record["address"],
        verifiedAt=record["verifiedAt"],
        matchId=record["matchId"],
        verdict=verdict,
    )


def unknown_member_paths(record: Mapping[str, Any]) -> Iterator[tuple[str, ...]]:
    """Yield the path of each member that Sourcify's record format lacks.

    An example is `("compilation", "extra")`. Top-level members come first.
    """
    if not record.keys() <= _MEMBERS:
        yield from ((member,) for member in sorted(record.keys() - _MEMBERS))
    for group, parts in _PARTS.items():
        held = record.get(group)
        if isinstance(held, dict) and not held.keys() <= parts:
            yield from ((group, part) for part in sorted(held.keys() - parts))


_MEMBERS = frozenset(MEMBERS)
_PARTS = {group: frozenset(parts) for group, parts in GROUPS.items()} | {
    "proxyResolution": frozenset(ProxyResolution.__annotations__)
}


def sort_members_as_served(record: RecordValue) -> RecordValue:
    """Sort the members of a record in the order of Sourcify's API.

    If they are already in this order, the same object is returned, and unknown members keep their place.
    Otherwise unknown members come last.
    """
    if _has_member_order(record, MEMBERS) and all(
        _has_member_order(record[group], parts) for group, parts in GROUPS.items() if group in record
    ):
        return record
    groups = {
        group: _sort_members(record[group], parts) for group, parts in GROUPS.items() if group in record
    }
    return _sort_members(record | groups, MEMBERS)


def _has_member_order(json_object: dict[str, Json], member_names: tuple[str, ...]) -> bool:
    keys = tuple(json_object)
    if keys == member_names:
        return True
    return tuple(key for key in keys if key in member_names) == tuple(
        name for name in member_names if name in json_object
    )


def _sort_members(json_object: RecordValue, member_names: tuple[str, ...]) -> RecordValue:
    return {name: json_object[name] for name in member_names if name in json_object} | json_object
