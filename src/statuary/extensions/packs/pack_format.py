"""The file format of packs, version 1.

    frames    each holds documents: a line of JSON,
        [["v2/contract/1/0xab…",4000],["v2/contract/1/0xac…",null],…], then the
              documents' bytes one after another. `null` says that a document of an older pack is removed.
    leaves    each lists up to 256 frames, as Zstandard of JSON: {"offset":0,"frames":[[first key,size,plain
        size,SHA-256,marks],…]}.
              `marks` has eight hex digits for each document, the first of the SHA-256 of its key: a missing
              document needs no read.
    opening   the beginning of the stream that each frame continues (`codec.py`); may be empty
    head      Zstandard of JSON: totals, and [first key,offset,size,SHA-256] of each leaf; if there is only
        one, its frames instead
    tail      a line of ASCII: version, offset of the opening, sizes of opening and head before and after
        compression, SHA-256 of both

Keys are paths of documents with the address in lower case, in ASCII, sorted by their bytes. Everything is
found from the end, so that a pack is written in one go; a reader that knows the end's offset and SHA-256
(`pack_list.py`) reads it with one request, once. Every part has its SHA-256 in the part that names it. All
numbers are below 2^53.
"""

import re
from collections.abc import Iterable, Sequence
from hashlib import sha256
from typing import NamedTuple

import orjson

from statuary.base.json_values import Json, JsonObject, as_list, has_many_values
from statuary.base.limits import MAX_JSON_VALUES
from statuary.base.primitives import InvalidValueError
from statuary.extensions.packs import limits
from statuary.extensions.packs.codec import Codec, Compressor, decompress_zstd
from statuary.publish.listing import (
    DamagedSnapshotError,
    lower_case_address,
    parse_json_object,
    require_count,
    require_document_path,
    require_sha256,
    require_string,
)

VERSION = "statuary-pack/1"

TAIL_SIZE = 134
MAX_END_SIZE = limits.MAX_DICTIONARY + limits.MAX_END + TAIL_SIZE
"""Bytes from the beginning of a pack's end to the end of its file."""

TAIL = re.compile(
    rf"{VERSION} (\d{{16}}) (\d{{8}}) (\d{{8}}) (\d{{8}}) (\d{{8}}) ([0-9a-f]{{64}})\n".encode()
)

MARK_DIGITS = 8
MARKS = re.compile(rf"(?:[0-9a-f]{{{MARK_DIGITS}}})+")


class PackedDocument(NamedTuple):
    """A document in a pack, with its key and content."""

    key: str
    body: bytes | None  # None to remove the document of an older pack

    @property
    def size(self) -> int:
        """The size of the document in bytes; 0 if it is removed."""
        return len(self.body or b"")


class Frame(NamedTuple):
    """A group of documents in a pack that are compressed together."""

    first_key: str  # the key of the first document in the group
    offset: int
    size: int
    plain: int  # the size of the group before compression
    sha256: str  # the digest of the compressed group
    marks: str  # eight hex digits for each document

    def may_contain(self, document_key: str) -> bool:
        """Return whether a document may be in this group of documents.

        The index has only the first 32 bits of the SHA-256 of each key, which two keys may share. So False is
        certain; if the result is True, look into the group.
        """
        mark = hash_key_prefix(document_key)
        return any(self.marks.startswith(mark, start) for start in range(0, len(self.marks), MARK_DIGITS))


class LeafPart(NamedTuple):
    """A part of a pack's index, which lists some groups of documents."""

    first_key: str  # the key of the first document in the part
    offset: int
    size: int
    plain: int  # the size of the part before compression
    sha256: str  # the digest of the compressed part


class Totals(NamedTuple):
    """The number of documents and bytes in a pack."""

    documents: int = 0
    removals: int = 0
    size: int = 0  # bytes of the documents
    first: str = ""  # the first key
    last: str = ""


class Tail(NamedTuple):
    """The last line of a pack, which gives the index's position."""

    offset: int  # the offset of the opening, with which the end of the pack begins
    opening: int  # the size of the opening, in bytes
    skipped: int  # the size of the opening before compression
    head: int  # the size of the head, in bytes
    plain_head: int  # the size of the head before compression
    sha256: str  # the digest of opening and head


class PackHead(NamedTuple):
    """The first part of a pack's index, with the totals."""

    totals: Totals
    zstd: str  # the version of the library that compressed the pack
    leaves: tuple[LeafPart, ...]
    frames: tuple[Frame, ...]  # the groups of the only leaf; empty if there are several leaves


def make_pack_key(site_path: str) -> str:
    """Convert a document's path to the key by which packs find it.

    The key is the path with the contract's address in lower case.

    Raises:
        DamagedSnapshotError: if no document in a pack can have this path.
    """
    key = lower_case_address(require_document_path(site_path))
    if not key.isascii():
        raise DamagedSnapshotError(
            f"{site_path!r} cannot be in a pack: paths in packs have ASCII characters only"
        )
    return key


def hash_key_prefix(document_key: str) -> str:
    """Return the first hex digits of the SHA-256 of a document's key.

    The index of a pack has these digits in place of the keys, so it stays small.
    """
    return sha256(document_key.encode()).hexdigest()[:MARK_DIGITS]


def encode_document_group(documents: Sequence[PackedDocument]) -> bytes:
    """Join documents to a group, which is then compressed as a whole.

    The first line lists their keys and sizes; the documents follow.
    """
    rows = [(key, None if body is None else len(body)) for key, body in documents]
    line = orjson.dumps(rows, option=orjson.OPT_APPEND_NEWLINE)
    return b"".join((line, *(body or b"" for _, body in documents)))


def parse_document_group(group: bytes, frame: Frame, group_name: str) -> list[PackedDocument]:
    """Split a decompressed group of a pack into its documents.

    Args:
        group: the bytes of the group.
        frame: the entry of the group in the pack's index.
        group_name: a name for the group, for error messages.

    Raises:
        DamagedSnapshotError: if the group is malformed, or does not match its entry in the index.
    """
    start = group.find(b"\n") + 1
    rows = _parse_first_line(group[:start], group_name)
    documents = list[PackedDocument]()
    for key, size in rows:
        documents.append(PackedDocument(key, None if size is None else group[start : start + size]))
        start += size or 0
    require_sorted_keys((key for key, _ in rows), group_name)
    if start != len(group) or not rows or rows[0][0] != frame.first_key:
        raise DamagedSnapshotError(
            f"{group_name} is damaged: its documents do not match the list in its first line"
        )
    if "".join(hash_key_prefix(key) for key, _ in rows) != frame.marks:
        raise DamagedSnapshotError(
            f"{group_name} is damaged: its documents do not match the index of the pack"
        )
    return documents


class _FrameRow(NamedTuple):
    """A document of a frame."""

    key: str
    size: int | None  # None if the document was removed


def _parse_first_line(first_line: bytes, group_name: str) -> list[_FrameRow]:
    if has_many_values(first_line):
        raise DamagedSnapshotError(
            f"{group_name} is damaged: its first line has more than {MAX_JSON_VALUES:,} values"
        )
    rows: list[_FrameRow] = []
    try:
        for key, size in map(as_list, as_list(orjson.loads(first_line))):
            rows.append(_FrameRow(parse_pack_key(key), None if size is None else require_count(size)))
    except (ValueError, TypeError, InvalidValueError) as error:
        raise DamagedSnapshotError(f"{group_name} has a malformed first line: {error}") from None
    return rows


def parse_pack_key(json_value: Json) -> str:
    """Check that a JSON value in a pack's index is a key.

    A key is a document's path with the contract's address in lower case.

    Raises:
        InvalidValueError: if the value is not a key.
    """
    text = require_string(json_value)
    try:
        key = make_pack_key(text)
    except DamagedSnapshotError as error:
        raise InvalidValueError(str(error)) from None
    if key != text:
        raise InvalidValueError(f"{text!r} is not a key: its address is not in lower case")
    return text


def require_sorted_keys(keys: Iterable[str], part_name: str) -> None:
    """Raise an error unless keys are sorted and unique.

    Args:
        keys: the keys to check.
        part_name: a name for the part of the pack with the keys, for the error message.

    Raises:
        DamagedSnapshotError: if a key is not greater than the one before it.
    """
    last_key = ""
    for key in keys:
        if key <= last_key:
            raise DamagedSnapshotError(
                f"{part_name} is damaged: {key!r} comes after {last_key!r}, not in order"
            )
        last_key = key


def encode_index_entries(index_entries: Sequence[Frame]) -> JsonObject:
    """Encode a part of a pack's index as JSON.

    Args:
        index_entries: the position, size and hashes of each group of documents, in order.
    """
    rows: list[Json] = [[frame.first_key, *frame[2:]] for frame in index_entries]
    return {"offset": index_entries[0].offset if index_entries else 0, "frames": rows}


def parse_index_entries(index_part: JsonObject, groups_end: int, part_name: str) -> tuple[Frame, ...]:
    """Parse a part of a pack's index, which locates groups of documents.

    Args:
        index_part: the JSON of the part.
        groups_end: the offset in the pack before which all groups must end.
        part_name: a name for the part, for error messages.

    Raises:
        DamagedSnapshotError: if the JSON is malformed, or groups are not in order or outside of the pack.
    """
    frames = list[Frame]()
    try:
        offset = parse_pack_number(index_part["offset"])
        for row in as_list(index_part["frames"]):
            first_key, size, plain, digest, marks = as_list(row)
            sizes = parse_byte_count(size, limits.MAX_FRAME), parse_byte_count(plain, limits.MAX_FRAME)
            frames.append(
                Frame(
                    parse_pack_key(first_key), offset, *sizes, require_sha256(digest), parse_key_hashes(marks)
                )
            )
            offset += sizes[0]
    except (KeyError, ValueError, TypeError, InvalidValueError) as error:
        raise DamagedSnapshotError(f"{part_name} is malformed: {error}") from None
    require_sorted_keys((frame.first_key for frame in frames), part_name)
    if len(frames) > limits.FRAMES_OF_LEAF:
        raise DamagedSnapshotError(
            f"{part_name} is damaged: it lists more than {limits.FRAMES_OF_LEAF} groups of documents"
        )
    if offset > groups_end:
        raise DamagedSnapshotError(
            f"{part_name} is damaged: it lists groups of documents beyond the end of the pack"
        )
    return tuple(frames)


def parse_pack_number(json_value: Json) -> int:
    """Check that a JSON value in a pack is a valid number.

    Raises:
        InvalidValueError: if the value is not an integer from 0 to below `MAX_COUNT`.
    """
    number = require_count(json_value)
    if number >= limits.MAX_COUNT:
        raise InvalidValueError(f"the number {number} is too large for a pack")
    return number


def parse_key_hashes(json_value: Json) -> str:
    """Check that a JSON value consists of hashes of document keys.

    The hashes are one string, with eight hex digits for each document.

    Raises:
        InvalidValueError: if the value is not such a string.
    """
    if not MARKS.fullmatch(text := require_string(json_value)):
        raise InvalidValueError(f"{text[:40]!r} is not a list of short hashes")
    return text


def parse_byte_count(json_value: Json, limit: int) -> int:
    """Check that a JSON value in a pack is a byte count.

    Args:
        json_value: the value.
        limit: the largest allowed number of bytes.

    Raises:
        InvalidValueError: if the value is not from 1 to the limit.
    """
    size = parse_pack_number(json_value)
    if not 0 < size <= limit:
        raise InvalidValueError(f"{size:,} is not a size from 1 to {limit:,} bytes")
    return size


def encode_pack_end(head: PackHead, end_offset: int, compressor: Compressor) -> bytes:
    """Encode the end of a pack: its index and the last line.

    The last line says where the index begins.

    Args:
        head: the first part of the index.
        end_offset: the offset at which the end begins.
        compressor: the compressor of the pack, with its dictionary.
    """
    index = (
        {"leaves": [list(leaf) for leaf in head.leaves]} if head.leaves else encode_index_entries(head.frames)
    )
    value = {"zstd": head.zstd, **head.totals._asdict(), **index}
    opening, skipped = compressor.codec
    plain = orjson.dumps(value)
    text = Compressor().compress(plain)
    digest = sha256(opening + text).hexdigest()
    numbers = f"{end_offset:016d} {len(opening):08d} {skipped:08d} {len(text):08d} {len(plain):08d}"
    return opening + text + f"{VERSION} {numbers} {digest}\n".encode()


def parse_last_line(last_line: bytes, pack_name: str, pack_size: int) -> Tail:
    """Parse the last line of a pack, which locates the index.

    Args:
        last_line: the last bytes of the pack.
        pack_name: a name for the pack, for error messages.
        pack_size: the size of the pack in bytes.

    Raises:
        DamagedSnapshotError: if the file is not a pack, is cut off, or the line does not fit its size.
    """
    match = TAIL.fullmatch(last_line)
    if match is None:
        raise DamagedSnapshotError(
            f"{pack_name} is cut off, or is not in the format {VERSION}",
            "download the file again, or read it with the version of statuary that wrote it",
        )
    *numbers, digest = match.groups()
    offset, opening, skipped, head, plain = map(int, numbers)
    tail = Tail(offset, opening, skipped, head, plain, digest.decode())
    if offset + opening + head + TAIL_SIZE != pack_size or (opening > 0) != (skipped > 0):
        raise DamagedSnapshotError(f"{pack_name} is damaged: its size differs from the one in its last line")
    if max(opening, skipped) > limits.MAX_DICTIONARY or max(head, plain) > limits.MAX_END:
        raise DamagedSnapshotError(
            f"{pack_name} is damaged: its index is too large: statuary never writes one of that size"
        )
    return tail


class PackEnd(NamedTuple):
    """The end of a pack: its index and the last line."""

    codec: Codec
    head: PackHead


def parse_pack_end(end_bytes: bytes, tail: Tail, pack_name: str) -> PackEnd:
    """Parse the dictionary and the first part of a pack's index.

    They are at the end of the pack.

    Args:
        end_bytes: the bytes of the end.
        tail: the last line of the pack, parsed.
        pack_name: a name for the pack, for error messages.

    Raises:
        DamagedSnapshotError: if the end is damaged.
    """
    body = end_bytes[:-TAIL_SIZE]
    if sha256(body).hexdigest() != tail.sha256:
        raise DamagedSnapshotError(
            f"{pack_name} is damaged: the SHA-256 of its index differs from the one in its last line"
        )
    codec = Codec(body[: tail.opening], tail.skipped)
    value = parse_json_object(
        decompress_zstd(body[tail.opening :], tail.plain_head, f"the head of {pack_name}"),
        f"the head of {pack_name}",
    )
    return PackEnd(codec, _parse_index_head(value, tail.offset, f"the head of {pack_name}"))


def _parse_index_head(index: JsonObject, groups_end: int, part_name: str) -> PackHead:
    frames = () if "leaves" in index else parse_index_entries(index, groups_end, part_name)
    try:
        leaves = tuple(_parse_leaf_part(row) for row in as_list(index.get("leaves", [])))
        documents, removals, size = (parse_pack_number(index[name]) for name in Totals._fields[:3])
        first_key, last_key = (
            parse_pack_key(index[name]) if index[name] else "" for name in Totals._fields[3:]
        )
        totals = Totals(documents, removals, size, first_key, last_key)
        head = PackHead(totals, require_string(index["zstd"]), leaves, frames)
    except (KeyError, ValueError, TypeError, InvalidValueError) as error:
        raise DamagedSnapshotError(f"{part_name} is malformed: {error}") from None
    require_sorted_keys((leaf.first_key for leaf in leaves), part_name)
    if any(leaf.offset + leaf.size > groups_end for leaf in leaves):
        raise DamagedSnapshotError(
            f"{part_name} is damaged: it lists parts of the index beyond the end of the pack"
        )
    return head


def _parse_leaf_part(row: Json) -> LeafPart:
    first_key, offset, size, plain, digest = as_list(row)
    sizes = parse_byte_count(size, limits.MAX_LEAF), parse_byte_count(plain, limits.MAX_LEAF)
    return LeafPart(parse_pack_key(first_key), parse_pack_number(offset), *sizes, require_sha256(digest))


def parse_index_part(
    compressed_part: bytes, leaf: LeafPart, groups_end: int, part_name: str
) -> tuple[Frame, ...]:
    """Decompress a part of a pack's index, and parse it.

    Args:
        compressed_part: the compressed bytes of the part.
        leaf: what the first part of the index says about this part.
        groups_end: the offset in the pack before which all groups of documents must end.
        part_name: a name for the part, for error messages.

    Raises:
        DamagedSnapshotError: if the part is malformed.
    """
    frames = parse_index_entries(
        parse_json_object(decompress_zstd(compressed_part, leaf.plain, part_name), part_name),
        groups_end,
        part_name,
    )
    if not frames or frames[0].first_key != leaf.first_key:
        raise DamagedSnapshotError(
            f"{part_name} is damaged: its first document is not the one that the start of the index lists"
        )
    return frames


def require_intact_bytes(part: bytes, expected_sha256: str, expected_size: int, part_name: str) -> bytes:
    """Raise an error if a pack's part is damaged.

    Args:
        part: the bytes that were read.
        expected_sha256: the expected SHA-256.
        expected_size: the expected size.
        part_name: a name for the bytes, for the error message.

    Returns:
        The bytes in `part`.

    Raises:
        DamagedSnapshotError: if size or SHA-256 differ.
    """
    if len(part) != expected_size:
        raise DamagedSnapshotError(f"{part_name} is cut off: it has {len(part):,} of {expected_size:,} bytes")
    if sha256(part).hexdigest() != expected_sha256:
        raise DamagedSnapshotError(f"{part_name} is damaged: its SHA-256 differs from the one in the index")
    return part
