"""The source line of bytes in the runtime code, by the compiler's source map.

Solidity's documentation, "Source Mappings": one entry an instruction, `start:length:file:jump:depth`, in bytes of the
source, where an empty field repeats the previous one.
"""

from collections.abc import Collection, Iterator, Mapping
from typing import NamedTuple

from statuary.documents.pages.contracts.lenient_json import as_object, as_size, as_text
from statuary.documents.pages.visible_text import one_line
from statuary.domain.contracts.record import RecordValue
from statuary.domain.primitives import is_hex_digits

PUSH1, PUSH32 = 0x60, 0x7F


class SourcePlace(NamedTuple):
    """A line of a source."""

    path: str
    line: int
    text: str  # the words that the bytes come from, as one line


def source_places(record: RecordValue, offsets: Collection[int]) -> Mapping[int, SourcePlace]:
    """Return the source lines of pushed values, by their offset in the recompiled runtime code."""
    code = as_object(record.get("runtimeBytecode"))
    digits, entries = as_text(code.get("recompiledBytecode"))[2:], as_text(code.get("sourceMap")).split(";")
    if not offsets or len(entries) < 2 or not is_hex_digits(digits):
        return {}
    contents = {
        as_size(as_object(entry).get("id")): (path, as_text(as_object(file).get("content")).encode())
        for path, entry in as_object(record.get("sourceIds")).items()
        for file in [as_object(record.get("sources")).get(path)]
    }
    return {
        offset: SourcePlace(
            path=contents[file][0],
            line=contents[file][1].count(b"\n", 0, start) + 1,
            text=one_line(contents[file][1][start : start + length].decode("utf-8", "replace")),
        )
        for offset, (start, length, file) in _mapped(bytes.fromhex(digits), entries)
        if offset in offsets and file in contents
    }


def _mapped(code: bytes, entries: list[str]) -> Iterator[tuple[int, tuple[int, int, int]]]:
    """Yield the offset of each instruction's pushed value, with start, length and file of its source."""
    at, fields = 0, [0, 0, -1]
    for entry in entries:
        if at >= len(code):
            return
        for place, value in enumerate(entry.split(":")[:3]):
            if value:
                fields[place] = as_size(value) if value.isdigit() else -1  # type: ignore[assignment]
        if min(fields) >= 0:
            yield at + 1, (fields[0], fields[1], fields[2])
        at += 1 + (code[at] - PUSH1 + 1 if PUSH1 <= code[at] <= PUSH32 else 0)
