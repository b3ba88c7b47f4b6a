"""Checks of identity, verification time and deployment, of members that repeat each other, and of the interface."""

import re
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from datetime import datetime

from statuary.checks.contracts.check import Evidence, Observation, Violation
from statuary.checks.contracts.record_view import RecordView, SideView, as_object, hex_bytes, same_json
from statuary.domain.contracts.abi import SIGNATURE_KINDS, decode_abi_values, signature_entry, signatures_of
from statuary.domain.findings import Pointer
from statuary.domain.json_values import UntypedJson as Json
from statuary.domain.primitives import InvalidValueError, parse_address, parse_chain_id, shorten

VERIFIED_AT = re.compile(r"\d{4}-\d{2}-\d{2}T\d{2}:\d{2}:\d{2}Z", re.ASCII)
"""Seconds, no fraction, `Z`: as the real server spells it."""

FIRST_YEAR = 2015
"""Ethereum began in 2015; nothing was verified before."""

DECIMAL = re.compile(r"0|[1-9][0-9]{0,38}")
"""A number as text, as match ids and block numbers are served."""

TRANSACTION_HASH = re.compile(r"0x[0-9a-fA-F]{64}")
TRANSACTION_HASH_LENGTH = 66
"""Characters of `0x` and 32 bytes."""


def address_is_checksummed(record: RecordView) -> Iterator[Observation]:
    """An address is 0x and 40 hex digits with its EIP-55 checksum."""
    text = record.value["address"]
    try:
        address = parse_address(text)
    except InvalidValueError as malformed:
        yield Violation(str(malformed), ("address",), malformed.hint)
        return
    yield Evidence({"address": text})
    if text != address:
        yield Violation(
            f"address {text!r} does not have its EIP-55 checksum",
            ("address",),
            f"write {address}",
        )


def chain_id_is_decimal(record: RecordView) -> Iterator[Observation]:
    """A chain id is 1 to 20 digits without a leading zero."""
    try:
        yield Evidence({"chainId": parse_chain_id(record.value["chainId"])})
    except InvalidValueError as malformed:
        yield Violation(str(malformed), ("chainId",), malformed.hint)


def match_id_is_decimal(record: RecordView) -> Iterator[Observation]:
    """A match id is a decimal number, written as text."""
    text = record.value["matchId"]
    yield Evidence({"matchId": shorten(text)})
    if not DECIMAL.fullmatch(text):
        yield Violation(
            f"match id {shorten(text)} is not a decimal number",
            ("matchId",),
            'write digits in quotes, such as "42"',
        )


def verified_at_is_in_seconds(record: RecordView) -> Iterator[Observation]:
    """The time of verification is in UTC and whole seconds."""
    text = record.value["verifiedAt"]
    yield Evidence({"verifiedAt": shorten(text)})
    if not _is_instant(text):
        yield Violation(
            f"verifiedAt {shorten(text)} is not an instant in UTC and whole seconds",
            ("verifiedAt",),
            "write it like 2026-11-02T10:00:00Z",
        )


def deployment_is_well_formed(record: RecordView) -> Iterator[Observation]:
    """A deployment's hash has 32 bytes, its numbers are decimal text, its deployer is an address."""
    deployment = record.value.get("deployment") or {}
    transaction = deployment.get("transactionHash")
    if transaction is not None:
        yield Evidence({"transactionHash": shorten(transaction, TRANSACTION_HASH_LENGTH)})
        if not TRANSACTION_HASH.fullmatch(transaction):
            yield Violation(
                f"transaction hash {shorten(transaction)} is not 32 bytes of hex",
                ("deployment", "transactionHash"),
                "write 0x and 64 hex digits",
            )
    for member in ("blockNumber", "transactionIndex"):
        number = deployment.get(member)
        if number not in (None, "-1") and not DECIMAL.fullmatch(number):
            yield Violation(
                f"{member} {shorten(number)} is not a decimal number",
                ("deployment", member),
                'write digits in quotes, or "-1" for a contract of the genesis block',
            )
    if deployment.get("deployer") is not None:
        yield from _address_faults(deployment["deployer"], ("deployment", "deployer"))


def _address_faults(text: str, pointer: Pointer) -> Iterator[Observation]:
    try:
        parse_address(text)
    except InvalidValueError as error:
        yield Violation(str(error), pointer, error.hint)


def _is_instant(text: str) -> bool:
    """Return whether a text is a real date and time in this format."""
    try:
        return bool(VERIFIED_AT.fullmatch(text)) and datetime.fromisoformat(text).year >= FIRST_YEAR
    except ValueError:
        return False


_PLAIN_MEMBERS = ("abi", "userdoc", "devdoc", "storageLayout", "transientStorageLayout")
_CODE_MEMBERS = ("sourceMap", "linkReferences", "immutableReferences")
_OUTPUT_MEMBERS = {*_PLAIN_MEMBERS, "metadata", "evm"}
_OVERRIDES = "storage_layout_overrides"


def name_ends_fully_qualified_name(record: RecordView) -> Iterator[Observation]:
    """The fullyQualifiedName is the path of one of the sources, a colon, and name."""
    path, name = record.path_and_name
    yield Evidence({"path": path, "name": name})
    if name != record.compilation.get("name"):
        yield Violation(
            f"name is {record.compilation.get('name')!r}, but the fully qualified name ends in {name!r}",
            ("compilation", "name"),
        )
    if path not in record.sources:
        yield Violation(f"{path!r} is not among the sources", ("compilation", "fullyQualifiedName"))


def std_json_input_repeats_the_record(record: RecordView) -> Iterator[Observation]:
    """The stdJsonInput has the record's language, sources, settings and storage layout overrides."""
    given = as_object(record.value.get("stdJsonInput"))
    extra = as_object(record.value.get("additionalInput"))
    # sources are plain texts, so == is exact; nearly always it is the same object twice, which is fast
    if given.get("sources") != record.value.get("sources"):
        yield _difference(("stdJsonInput", "sources"), ("sources",))
    pairs: dict[str, tuple[Json, Pointer]] = {
        "language": (record.compilation.get("language"), ("compilation", "language")),
        "settings": (record.compilation.get("compilerSettings"), ("compilation", "compilerSettings")),
        _OVERRIDES: (extra.get(_OVERRIDES), ("additionalInput", _OVERRIDES)),
    }
    for member, (repeated, pointer) in pairs.items():
        if not same_json(given.get(member), repeated):
            yield _difference(("stdJsonInput", member), pointer)
    for member in sorted(extra.keys() - ({_OVERRIDES} if record.language == "Vyper" else set())):
        yield Violation(f"{record.language} takes no input {member[:80]!r}", ("additionalInput", member))
    yield Evidence({"sources": len(record.sources), "members": len(pairs) + 1})


def std_json_output_repeats_the_record(record: RecordView) -> Iterator[Observation]:
    """The stdJsonOutput has the record's artifacts, bytecode and source maps, and nothing else."""
    where: Pointer = ("stdJsonOutput", "contracts", *record.path_and_name)
    output = as_object(record.value.get("stdJsonOutput"))
    if not same_json(output.get("sources"), record.value.get("sourceIds")):
        yield _difference(("stdJsonOutput", "sources"), ("sourceIds",))
    if record.output_contract is None:
        yield Violation("stdJsonOutput has no contract of the record's fully qualified name", where[:2])
        return
    contracts = as_object(output.get("contracts"))
    if sum(len(as_object(held)) for held in contracts.values()) != 1 or len(contracts) != 1:
        yield Violation("stdJsonOutput has other contracts too", where[:2])
    for member in sorted(record.output_contract.keys() - _OUTPUT_MEMBERS):
        yield Violation(f"stdJsonOutput has an unknown member {member[:80]!r}", (*where, member))
    held = record.output_contract
    yield from _compare_members(_PLAIN_MEMBERS, held, where, record.value, ())
    if not _is_metadata(record):
        yield _difference((*where, "metadata"), ("metadata",))
    evm = as_object(held.get("evm"))
    for side, member in ((record.creation, "bytecode"), (record.runtime, "deployedBytecode")):
        yield from _compare_code(side, as_object(evm.get(member)), (*where, "evm", member))
    yield Evidence({"members": len(_PLAIN_MEMBERS) + 2, "bytecodes": 2})


def _difference(pointer: Pointer, other: Pointer) -> Violation:
    return Violation(
        f"{'.'.join(map(str, pointer))} is not the same as {'.'.join(map(str, other))}",
        pointer,
        "write both from one run of the compiler",
    )


def _compare_code(side: SideView, code: Mapping[str, Json], pointer: Pointer) -> Iterator[Violation]:
    recompiled = side.value.get("recompiledBytecode")
    digits = recompiled[2:] if isinstance(recompiled, str) else ""
    if (code.get("object") or "") != digits:
        yield _difference((*pointer, "object"), (side.member, "recompiledBytecode"))
    yield from _compare_members(_CODE_MEMBERS, code, pointer, side.value, (side.member,))


def _compare_members(
    members: Sequence[str], given: Mapping[str, Json], where: Pointer, own: Mapping[str, Json], other: Pointer
) -> Iterator[Violation]:
    for member in members:
        if not same_json(given.get(member), own.get(member)):
            yield _difference((*where, member), (*other, member))


def _is_metadata(record: RecordView) -> bool:
    """Return whether the compiler's metadata text is the record's metadata, or both are absent."""
    text = as_object(record.output_contract).get("metadata")
    if text is None or record.value.get("metadata") is None:
        return text is None and record.value.get("metadata") is None
    return record.metadata_hashes.text is not None


def signatures_follow_from_the_abi(record: RecordView) -> Iterator[Observation]:
    """The signatures are those of the ABI's functions, events and errors, with their hashes, in any order."""
    expected, claimed = signatures_of(record.value.get("abi")), as_object(record.value.get("signatures"))
    yield Evidence({kind: len(expected[kind]) for kind in SIGNATURE_KINDS})
    if claimed == expected:
        return  # in the order that this project writes, which needs no further comparison
    for kind in SIGNATURE_KINDS:
        listed = claimed.get(kind)
        entries = [as_object(entry) for entry in listed] if isinstance(listed, list) else []
        yield from _wrong_signatures(kind, {entry["signature"] for entry in expected[kind]}, entries)


def _wrong_signatures(
    kind: str, wanted: set[str], entries: Sequence[Mapping[str, Json]]
) -> Iterator[Violation]:
    texts = Counter(str(entry.get("signature")) for entry in entries)
    for text in sorted(wanted - set(texts)):
        yield Violation(f"the {kind} {text} of the ABI has no signature", ("signatures", kind))
    for place, entry in enumerate(entries):
        text = str(entry.get("signature"))
        if text not in wanted:
            fault = f"the {kind} {shorten(text)} is not in the ABI"
        elif texts[text] > 1:
            fault = f"the {kind} {shorten(text)} is repeated"
        elif dict(entry) != signature_entry(text):
            fault = f"the hashes of {shorten(text)} are wrong"
        else:
            continue
        yield Violation(fault, ("signatures", kind, place))


def constructor_arguments_decode(record: RecordView) -> Iterator[Observation]:
    """Constructor arguments are the canonical encoding of values for the constructor in the ABI."""
    arguments = hex_bytes(record.creation.values.get("constructorArguments"))
    if arguments is None:
        return
    pointer = ("creationBytecode", "transformationValues", "constructorArguments")
    if record.constructor is None:
        yield Violation("the constructor's inputs are of types that cannot be read", pointer)
        return
    yield Evidence({"arguments": len(record.constructor.items), "bytes": len(arguments)})
    try:
        decode_abi_values(record.constructor, arguments)
    except InvalidValueError as error:
        yield Violation(f"the arguments are not values for {record.constructor.canonical}: {error}", pointer)


def constructor_arguments_are_given(record: RecordView) -> Iterator[Observation]:
    """A constructor with inputs was given arguments."""
    side = record.creation
    if (
        side.claimed is None
        or side.transformations is None
        or not record.constructor
        or not record.constructor.items
    ):
        return
    yield Evidence({"inputs": len(record.constructor.items)})
    if "constructorArguments" not in side.values:
        yield Violation(
            f"the constructor takes {record.constructor.canonical}, but there are no constructorArguments",
            ("creationBytecode", "transformationValues"),
        )
