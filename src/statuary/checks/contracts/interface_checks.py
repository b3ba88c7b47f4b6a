"""Checks against the ABI: signatures and constructor arguments."""

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence

from statuary.checks.contracts.check import Evidence, Observation, Violation
from statuary.checks.contracts.json_comparison import as_object, hex_bytes
from statuary.checks.contracts.record_view import RecordView
from statuary.domain.contracts.abi.abi_signatures import SIGNATURE_KINDS, signature_entry, signatures_of
from statuary.domain.contracts.abi.abi_values import decode_abi_values
from statuary.domain.json_values import Json
from statuary.domain.primitives import InvalidValueError, shorten


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
