"""The difference between on-chain and compiled code, for a contract's page."""

from itertools import groupby
from typing import NamedTuple

from statuary.base.json_values import as_object, as_text
from statuary.base.primitives import is_hex_digits
from statuary.contracts.model.record import RecordValue

BEFORE = 8
"""Bytes that are shown before the first one that differs."""

WINDOW = 24
"""Bytes that are shown."""


class CodeDifference(NamedTuple):
    """The differences between on-chain and compiled runtime code, for the page."""

    first: int  # the place of the first byte that differs, from 0
    differing: int  # bytes that differ, including those that one side lacks
    total: int  # bytes of the longer side
    places: int  # how many runs of bytes differ
    start: int  # the place of the first byte that is shown
    rows: tuple[tuple[str, tuple[tuple[str, bool], ...]], ...]
    """The on-chain and the recompiled code.

    Each has a name, and its hex bytes in runs with a flag that is true if the run differs.
    """


def compare_runtime_code(record: RecordValue, onchain_label: str) -> CodeDifference | None:
    """Compare the compiled runtime code with the on-chain code.

    Args:
        record: the record with both codes.
        onchain_label: `onchain` if a proof shows that the code is at the address, else `recorded`.

    Returns:
        The difference, or None if the codes are equal, or one of them is unknown.
    """
    code = as_object(record.get("runtimeBytecode"))
    sides = {name: as_text(code.get(f"{name}Bytecode"))[2:] for name in ("onchain", "recompiled")}
    if not all(digits and is_hex_digits(digits) for digits in sides.values()):
        return None
    onchain, recompiled = (bytes.fromhex(digits) for digits in sides.values())
    total = max(len(onchain), len(recompiled))
    shorter = min(len(onchain), len(recompiled))
    differs = [a != b for a, b in zip(onchain, recompiled, strict=False)] + [True] * (total - shorter)
    if not any(differs):
        return None
    first_offset = differs.index(True)
    start = max(0, first_offset - BEFORE)
    window = differs[start : start + WINDOW]
    return CodeDifference(
        first=first_offset,
        differing=sum(differs),
        total=total,
        places=sum(is_other for is_other, _ in groupby(differs)),
        start=start,
        rows=tuple(
            (name, _split_by_difference(value[start : start + WINDOW], window))
            for name, value in ((onchain_label, onchain), ("recompiled", recompiled))
        ),
    )


def _split_by_difference(code: bytes, differs_by_byte: list[bool]) -> tuple[tuple[str, bool], ...]:
    runs = groupby(zip(code, differs_by_byte, strict=False), key=lambda pair: pair[1])
    return tuple((bytes(byte for byte, _ in run).hex(" "), is_other) for is_other, run in runs)
