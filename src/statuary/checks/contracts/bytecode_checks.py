"""Checks of bytecode: the on-chain code follows from the compiled code."""

from collections.abc import Iterator

from statuary.checks.contracts.check import Evidence, NotApplicable, Observation, Violation
from statuary.checks.contracts.json_comparison import as_json_text, as_object, hex_bytes
from statuary.checks.contracts.record_view import RecordView, SideView
from statuary.domain.contracts.bytecode.transformation_replay import ReplayError, first_difference
from statuary.domain.findings import Pointer
from statuary.domain.json_values import Json
from statuary.domain.primitives import shorten

_SINGLE_VALUES = ("callProtection", "constructorArguments")
_GROUPS_OF_VALUES = ("cborAuxdata", "immutables", "libraries")
_PUSH0, _CODECOPY, _RETURN, _MAX_PUSHED_SIZE = 0x5F, 0x39, 0xF3, 4


def hex_is_well_formed(record: RecordView) -> Iterator[Observation]:
    """Every bytecode, auxdata and transformation value is 0x and an even number of lower-case hex digits."""
    count = 0
    for side in record.sides:
        for pointer, text, data in _hex_texts(side):
            count += 1
            if data is None:
                yield Violation(
                    f"{pointer[-1]} {shorten(text) if isinstance(text, str) else repr(text)} is not lower-case hex",
                    pointer,
                    "write 0x and an even number of lower-case hex digits",
                )
    if count:
        yield Evidence({"texts": count})


def creation_replays(record: RecordView) -> Iterator[Observation]:
    """Recompiled creation bytecode, after its transformations, is the on-chain creation bytecode."""
    return _replays(record.creation)


def runtime_replays(record: RecordView) -> Iterator[Observation]:
    """Recompiled runtime bytecode, after its transformations, is the on-chain runtime bytecode."""
    return _replays(record.runtime)


def creation_code_deploys_the_runtime_code(record: RecordView) -> Iterator[Observation]:
    """Recompiled creation bytecode starts with code that returns the recompiled runtime bytecode after it."""
    side = record.creation
    creation, runtime = side.recompiled, record.runtime.recompiled
    if side.claimed is None or not creation or not runtime:
        yield NotApplicable("there is no matching creation bytecode, or no recompiled runtime bytecode")
        return
    if not side.is_exact and record.runtime.claimed is None:
        yield NotApplicable("the runtime bytecode is not claimed to match")
        return  # a constructor may return other code than the compiler's
    place = creation.find(runtime)
    yield Evidence({"at": place, "bytes": len(runtime)})
    if place <= 0:
        yield Violation(
            "the recompiled creation bytecode does not contain the recompiled runtime bytecode after a constructor",
            ("runtimeBytecode", "recompiledBytecode"),
            "take both from one run of the compiler",
        )
    elif not _copies(creation[:place], place, len(runtime)):
        yield Violation(
            f"the constructor does not copy and return the {len(runtime):,} bytes of runtime bytecode at byte {place:,}",
            ("creationBytecode", "recompiledBytecode"),
            "take both from one run of the compiler",
        )


def _copies(constructor: bytes, place: int, size: int) -> bool:
    """Return whether code pushes an offset and a size, copies code and returns it."""
    pushes = all(_is_pushed(constructor, number) for number in (place, size))
    return pushes and _CODECOPY in constructor and _RETURN in constructor


def _is_pushed(code: bytes, number: int) -> bool:
    shortest = -(-number.bit_length() // 8)
    return any(
        bytes((_PUSH0 + width,)) + number.to_bytes(width, "big") in code
        for width in range(shortest, _MAX_PUSHED_SIZE + 1)
    )


def _hex_texts(side: SideView) -> Iterator[tuple[Pointer, Json, bytes | None]]:
    """Yield every text of a side that must be hex: pointer, text, and bytes (None if it is not hex)."""
    for member, data in (("onchainBytecode", side.onchain), ("recompiledBytecode", side.recompiled)):
        if side.value.get(member) is not None:
            yield (side.member, member), side.value[member], data
    for pointer, text in _short_hex_texts(side):
        yield pointer, text, hex_bytes(text)


def _short_hex_texts(side: SideView) -> Iterator[tuple[Pointer, Json]]:
    for number, piece in as_object(side.value.get("cborAuxdata")).items():
        yield (side.member, "cborAuxdata", number, "value"), as_object(piece).get("value")
    where = (side.member, "transformationValues")
    for member in _SINGLE_VALUES:
        if member in side.values:
            yield (*where, member), side.values[member]
    for group in _GROUPS_OF_VALUES:
        for key, text in as_object(side.values.get(group)).items():
            yield (*where, group, key), text


def _replays(side: SideView) -> Iterator[Observation]:
    if side.claimed is None:
        yield NotApplicable(f"the {side.name} bytecode is not claimed to match")
        return
    for member in ("onchainBytecode", "recompiledBytecode"):
        if side.value.get(member) in (None, "0x"):
            yield Violation(
                f"{side.name}Match is {as_json_text(side.claimed)}, but {member} is {as_json_text(side.value.get(member))}",
                (side.member, member),
            )
            return
    replayed = side.replayed
    if isinstance(replayed, ReplayError):
        yield Violation(str(replayed), (side.member, "transformations", replayed.step))
    elif replayed is None or side.onchain is None:
        yield Violation("the replay cannot run: a bytecode or a transformation is malformed", (side.member,))
    else:
        yield Evidence({"transformations": len(side.transformations or ()), "bytes": len(replayed)})
        if (place := first_difference(replayed, side.onchain)) is not None:
            yield _difference(side, replayed, side.onchain, place)


def _difference(side: SideView, replayed: bytes, onchain: bytes, place: int) -> Violation:
    return Violation(
        f"the transformations give {len(replayed):,} bytes that differ from the {len(onchain):,} on the chain"
        f" at byte {place:,}: 0x{replayed[place : place + 8].hex()} instead of 0x{onchain[place : place + 8].hex()}",
        (side.member, "onchainBytecode"),
        "verify the contract again; this record does not reproduce what is on the chain",
    )
