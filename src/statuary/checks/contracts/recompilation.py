"""A record against what its compiler says when it is run again: what no offline check can see."""

from collections.abc import Iterator, Mapping

from statuary.checks.contracts.check import Violation
from statuary.checks.contracts.json_comparison import as_json_text, same_json
from statuary.domain.contracts.record import RecordValue
from statuary.domain.findings import Pointer
from statuary.domain.json_values import Json
from statuary.domain.primitives import shorten


def recompilation_reproduces_the_record(
    record: RecordValue, again: Mapping[Pointer, Json]
) -> Iterator[Violation]:
    """The recorded compiler, run on the standard JSON input again, gives every artifact that the record keeps.

    Args:
        record: the record.
        again: what the compiler gave, by where the record has it. A member that the record has not is no
            contradiction: it keeps less than the compiler tells, as the real server does of old versions.
    """
    for member, value in again.items():
        kept = _at(record, member)
        if kept is None or same_json(kept, value):
            continue
        pointer, one, other = first_difference(kept, value, member)
        yield Violation(
            f"{'.'.join(map(str, pointer))} {_unlike(one, other)}",
            pointer,
            "one of sources, settings, compiler version and this member is not what it says",
        )


def first_difference(kept: Json, again: Json, pointer: Pointer) -> tuple[Pointer, Json, Json]:
    """Return the first place in document order at which two values differ, and what each has there."""
    if isinstance(kept, dict) and isinstance(again, dict):
        pairs = ((key, kept.get(key), again.get(key)) for key in {**kept, **again})
    elif isinstance(kept, list) and isinstance(again, list) and len(kept) == len(again):
        pairs = ((index, *pair) for index, pair in enumerate(zip(kept, again, strict=True)))
    else:
        return pointer, kept, again
    for key, one, other in pairs:
        if not same_json(one, other):
            return first_difference(one, other, (*pointer, key))
    return pointer, kept, again


def _unlike(kept: Json, again: Json) -> str:
    if isinstance(kept, str) and isinstance(again, str) and max(len(kept), len(again)) > 60:
        return _unlike_texts(kept, again)
    return f"is {_short(kept)}, the compiler says {_short(again)}"


def _unlike_texts(kept: str, again: str) -> str:
    """Say where two long texts part: bytes of hex, characters of anything else."""
    pairs = zip(kept, again, strict=False)
    at = next((place for place, (one, other) in enumerate(pairs) if one != other), min(len(kept), len(again)))
    is_hex = kept.startswith("0x") and again.startswith("0x")
    place = f"byte {at // 2 - 1}" if is_hex else f"character {at}"
    unit = "bytes" if is_hex else "characters"
    sizes = [len(text) // 2 - 1 if is_hex else len(text) for text in (kept, again)]
    return f"has {sizes[0]:,} {unit}, the compiler gives {sizes[1]:,}; they part at {place}"


def _short(value: Json) -> str:
    return shorten(value) if isinstance(value, str) else as_json_text(value)[:80]


def _at(record: RecordValue, pointer: Pointer) -> Json:
    value: Json = record
    for key in pointer:
        value = value.get(key) if isinstance(value, dict) else None
    return value
