"""A site as a sorted listing of documents, with their headers.

A manifest is a published listing, the ledger of a store is the listing of its last publication, and
`extensions/snapshots/differences.py` compares any two. A listing is written as a JSON line for each entry,
sorted by path, in parts:

    {"path":"v2/contract/1/0xAb…","also":["v2/contract/1/0xab…"],"size":4000,"sha256":"…","media_type":"…"}

A part ends after a path whose SHA-256 ends in nine zero bits: every 512th on average. Since only the path
decides, an added or removed document changes only its own part, and two similar listings share nearly all
their parts.
"""

import re
from collections.abc import Callable, Iterable, Iterator
from contextlib import closing
from hashlib import sha256
from typing import NamedTuple, Self

import orjson

from statuary.base.files import (
    FOLDER,
    OWN_FOLDER,
    PublishingError,
    fold_case,
    manifest_part_path,
    require_safe_path,
)
from statuary.base.json_values import (
    Json,
    JsonObject,
    as_list,
    as_object,
    has_many_values,
    is_whole_number,
    shorten_value,
)
from statuary.base.limits import MAX_JSON_VALUES
from statuary.base.primitives import InvalidValueError
from statuary.site.document import ADDRESS
from statuary.system.databases import open_temporary_database

MEAN_PART_LENGTH = 512
"""Lines of a part on average; a power of two."""

MAX_PART_LENGTH = 4 * MEAN_PART_LENGTH
"""Lines after which a part ends in any case."""

LONGEST_LINE = 64 * 1024
"""Bytes of the longest line of a part."""

PUBLISHED_HIDDEN_NAMES = frozenset({".assetsignore", ".nojekyll", ".well-known"})
"""Names with a leading dot that may be part of a site."""

ReadPath = Callable[[str], bytes | None]
"""Returns the bytes at a path, or None."""


class DamagedSnapshotError(PublishingError):
    """A snapshot or listing is incomplete, modified or malicious.

    Nothing was written.
    """

    def __init__(self, message: str, hint: str = "get a new copy of it, or build the site again") -> None:
        super().__init__(message, hint)


class Entry(NamedTuple):
    """A document in the manifest, the list of a site's files."""

    path: str  # the path under which the document is stored
    aliases: tuple[str, ...] = ()  # other names: the path with the address in lower case, or none
    size: int = 0
    sha256: str = ""  # SHA-256 of the bytes, as 64 hex digits; empty if unknown
    media_type: str = ""  # the `Content-Type` of the document
    cache: str = ""  # its `Cache-Control`, for a store; empty for none, or where the path determines it
    encoding: str = ""  # its `Content-Encoding`, for a store; empty for none

    @property
    def names(self) -> tuple[str, ...]:
        """All paths of the document; the first is that of its file."""
        return (self.path, *self.aliases)


NAME = "[0-9A-Za-z_](?:[0-9A-Za-z_.-]{0,100}[0-9A-Za-z_-])?"
PLAIN_PATH = re.compile(f"(?:{NAME}/){{0,10}}{NAME}")
"""Paths that need no further check: nearly all of them, and there may be millions."""


def require_document_path(path: str) -> str:
    """Check that a document may have a path, and return the path.

    Raises:
        DamagedSnapshotError: if the path leaves the site, is hidden, is unsafe on some system, or is in the
            snapshot's own folder.
    """
    if PLAIN_PATH.fullmatch(path) and not fold_case(path).startswith(FOLDER):
        return path
    try:
        require_safe_path(path)
        path.encode("utf-8")
    except (PublishingError, UnicodeEncodeError):
        raise DamagedSnapshotError(f"{shorten_value(path)} is not a path inside a site") from None
    names = path.split("/")
    has_hidden = any(name.startswith(".") and name not in PUBLISHED_HIDDEN_NAMES for name in names)
    if has_hidden or fold_case(names[0]) in (OWN_FOLDER, FOLDER):
        raise DamagedSnapshotError(
            f"{shorten_value(path)} is a hidden or reserved path, which no file of a site may have"
        )
    return path


def lower_case_address(path: str) -> str:
    """Convert the contract address in a path to lower case, if there is one."""
    return ADDRESS.sub(lambda address: address[0].lower(), path, count=1)


class NameTable:
    """The paths of a listing in a temporary database, to find conflicts."""

    def __init__(self) -> None:
        self.connection = open_temporary_database(
            "CREATE TABLE names (folded TEXT PRIMARY KEY, written TEXT, is_folder INTEGER) WITHOUT ROWID"
        )
        self.last_folder = ""

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.connection.close()

    def reserve(self, path: str) -> None:
        """Add a path, which no other file or folder may have.

        The paths of its folders are added, too.

        Raises:
            DamagedSnapshotError: if a file or folder already has the path, in any case.
        """
        folder = path.rpartition("/")[0]
        if folder != self.last_folder:
            self._reserve_folders(folder)
            self.last_folder = folder
        owner = self._insert_name(path, is_folder=False)
        if owner is not None:
            raise _path_conflict_error(path, owner)

    def _reserve_folders(self, folder: str) -> None:
        while folder:
            owner = self._insert_name(folder, is_folder=True)
            if owner is not None and not owner[1]:
                raise _path_conflict_error(folder, owner)
            if owner is not None:
                return
            folder = folder.rpartition("/")[0]

    def _insert_name(self, name: str, *, is_folder: bool) -> tuple[str, bool] | None:
        """Add a name, unless it is taken.

        Returns:
            None if the name was added. Else the path of the file or folder that has it, and whether that is a folder.
        """
        row = (fold_case(name), name, is_folder)
        if self.connection.execute("INSERT OR IGNORE INTO names VALUES (?,?,?)", row).rowcount:
            return None
        query = "SELECT written, is_folder FROM names WHERE folded = ?"
        with closing(self.connection.execute(query, row[:1])) as rows:
            owner_path, is_owner_folder = rows.fetchone()
        return str(owner_path), bool(is_owner_folder)


def _path_conflict_error(path: str, owner: tuple[str, bool]) -> DamagedSnapshotError:
    owner_path, is_folder = owner
    if path != owner_path:
        return DamagedSnapshotError(
            f"{path} and {owner_path} differ only in case: on many systems they are one file",
            "rename one of them",
        )
    what = "is a file and a folder" if is_folder else "is listed twice, or is a file and a folder"
    return DamagedSnapshotError(f"{path} {what}")


DIGEST = re.compile("[0-9a-f]{64}")


def encode_entry_line(entry: Entry) -> bytes:
    """Encode a document as a line of the site's manifest.

    The line has the document's path, size and SHA-256.

    Raises:
        DamagedSnapshotError: if the line is too long.
    """
    value: dict[str, object] = {"path": entry.path}
    if entry.aliases:
        value["also"] = entry.aliases
    value |= {"size": entry.size, "sha256": entry.sha256, "media_type": entry.media_type}
    if entry.cache or entry.encoding:
        value |= {"cache": entry.cache, "encoding": entry.encoding}
    line = orjson.dumps(value, option=orjson.OPT_APPEND_NEWLINE)
    if len(line) > LONGEST_LINE:
        raise DamagedSnapshotError(f"the name of {entry.path} is too long for the manifest")
    return line


def parse_entry_line(line: bytes) -> Entry:
    """Parse a line of the manifest, which lists one document of the site.

    Raises:
        DamagedSnapshotError: if the line is malformed or its path is not allowed.
    """
    value = parse_json_object(line, "a line of the manifest")
    try:
        entry = _entry_from_json(value)
    except (KeyError, TypeError, ValueError, AttributeError) as error:
        raise DamagedSnapshotError(
            f"the manifest is damaged: it has the line {line[:100]!r} ({error})"
        ) from None
    if encode_entry_line(entry) != line:
        raise DamagedSnapshotError(
            f"the manifest is damaged: its line of {entry.path} was not written by statuary"
        )
    return entry


def _entry_from_json(value: JsonObject) -> Entry:
    path = require_document_path(require_string(value["path"]))
    aliases = tuple(require_document_path(require_string(name)) for name in as_list(value.get("also")))
    if aliases and aliases != (lower_case_address(path),):
        raise DamagedSnapshotError(
            f"the manifest is damaged: it gives {path} the other names {', '.join(aliases)}"
        )
    return Entry(
        path=path,
        aliases=aliases,
        size=require_count(value["size"]),
        sha256=require_sha256(value["sha256"]),
        media_type=_require_header_value(value["media_type"]),
    )


def parse_json_object(text: bytes, json_name: str) -> JsonObject:
    """Parse JSON that must be an object.

    Args:
        text: the JSON.
        json_name: the name of the JSON for messages.

    Raises:
        DamagedSnapshotError: if the text is not a JSON object, or has more values than statuary ever writes.
    """
    if has_many_values(text):
        raise DamagedSnapshotError(f"{json_name} is too large: it has more than {MAX_JSON_VALUES:,} values")
    try:
        value = orjson.loads(text)
    except orjson.JSONDecodeError:
        raise DamagedSnapshotError(f"{json_name} is damaged: it is not JSON") from None
    if not isinstance(value, dict):
        raise DamagedSnapshotError(f"{json_name} is damaged: it is not a JSON object")
    return value


def require_string(value: Json) -> str:
    """Check that a JSON value is a string, and return it.

    Raises:
        InvalidValueError: if the value is not a string.
    """
    if not isinstance(value, str):
        raise InvalidValueError(f"{shorten_value(value)} is not a string")
    return value


def require_count(value: Json) -> int:
    """Check that a JSON value is a non-negative integer, and return it.

    Raises:
        InvalidValueError: if the value is not a non-negative integer.
    """
    if not is_whole_number(value) or value < 0:
        raise InvalidValueError(f"{shorten_value(value)} is not a whole number of 0 or more")
    return value


def require_sha256(value: Json) -> str:
    """Check that a value is a SHA-256 of 64 hex digits, and return it.

    Raises:
        InvalidValueError: if the value is not such a string.
    """
    if not DIGEST.fullmatch(text := require_string(value)):
        raise InvalidValueError(f"{shorten_value(value)} is not a SHA-256 of 64 hex digits")
    return text


def _require_header_value(value: Json) -> str:
    if not ((text := require_string(value)).isascii() and text.isprintable()):
        raise InvalidValueError(f"{shorten_value(value)} is not a media type")
    return text


class Part(NamedTuple):
    """A part of the manifest: a file that lists some documents."""

    sha256: str  # SHA-256 of the part's lines, as 64 hex digits; also its file name
    first: str  # the path of the first document in the part
    documents: int  # the number of documents in the part, one a line
    size: int  # size of the part's lines in bytes

    @property
    def path(self) -> str:
        """The path in the site of the file with this part of the manifest."""
        return manifest_part_path(self.sha256)


def parse_part_description(value: Json) -> Part:
    """Parse the manifest's description of one of its parts.

    Raises:
        InvalidValueError: if a member is missing or has a wrong type or format.
    """
    members = as_object(value)
    return Part(
        sha256=require_sha256(members.get("sha256")),
        first=require_document_path(require_string(members.get("first"))),
        documents=require_count(members.get("documents")),
        size=require_count(members.get("size")),
    )


def ends_part(path: str) -> bool:
    """Return whether the path of a document is the last in its part of the manifest.

    Only the path itself decides. So adding or removing a document leaves the other parts as they are.
    """
    return int.from_bytes(sha256(path.encode()).digest()[-2:], "big") % MEAN_PART_LENGTH == 0


def split_into_parts(entries: Iterable[Entry]) -> Iterator[list[Entry]]:
    """Divide the list of a site's files into parts.

    Each part becomes one file. It ends after a path that `ends_part` chooses, or when it has the maximum
    length.

    Args:
        entries: the entries of all documents, sorted by path.
    """
    part: list[Entry] = []
    for entry in entries:
        part.append(entry)
        if ends_part(entry.path) or len(part) == MAX_PART_LENGTH:
            yield part
            part = []
    if part:
        yield part


class EncodedPart(NamedTuple):
    """A part of the manifest, with the bytes of its file."""

    part: Part
    text: bytes


def encode_part(entries: list[Entry]) -> EncodedPart:
    """Encode some documents as one part of the manifest, a line each.

    Args:
        entries: the documents, sorted by path; at least one.
    """
    lines = bytearray()  # orjson's lines have spare capacity: a list of them would need much memory
    for entry in entries:
        lines += encode_entry_line(entry)
    return _make_encoded_part(bytes(lines), entries[0].path, len(entries))


def _make_encoded_part(text: bytes, first: str, documents: int) -> EncodedPart:
    return EncodedPart(Part(sha256(text).hexdigest(), first, documents, len(text)), text)


def encode_part_lines(lines: list[bytes]) -> EncodedPart:
    """Join the lines of some documents to one part of the manifest.

    Args:
        lines: the lines of the part, sorted by path; at least one.
    """
    return _make_encoded_part(b"".join(lines), trusted_line_path(lines[0]), len(lines))


def split_trusted_part(text: bytes | None, part: Part) -> list[bytes]:
    """Split a part of a manifest that statuary wrote into its lines.

    The lines are not validated, so do not use this function for a part from another source.

    Args:
        text: the bytes; None if the file of the part is missing.
        part: the description of the part in the manifest, with its SHA-256.

    Raises:
        DamagedSnapshotError: if the bytes are missing, or their SHA-256 is another one.
    """
    # `check_part` has compared the digest. So these are lines that statuary wrote, and each is valid.
    return check_part(text, part).splitlines(keepends=True)


def trusted_line_path(line: bytes) -> str:
    """Return the path in a line of a manifest that statuary wrote."""
    path: str = orjson.loads(line)["path"]
    return path


def check_part(text: bytes | None, part: Part) -> bytes:
    """Check that a part of the manifest has the expected bytes.

    The manifest lists the SHA-256 of each part.

    Args:
        text: the bytes; None if the file of the part is missing.
        part: the part as the manifest lists it.

    Returns:
        The bytes.

    Raises:
        DamagedSnapshotError: if the bytes are missing or modified.
    """
    if text is None:
        raise DamagedSnapshotError(f"{part.path}, a part of the manifest, is missing")
    if len(text) != part.size or sha256(text).hexdigest() != part.sha256:
        raise DamagedSnapshotError(
            f"{part.path}, a part of the manifest, is damaged: its SHA-256 differs from its name"
        )
    return text


def parse_part(text: bytes | None, part: Part) -> list[Entry]:
    """Check the digest of a manifest's part, and return its documents.

    Args:
        text: the bytes; None if the file of the part is missing.
        part: the part as the manifest lists it.

    Raises:
        DamagedSnapshotError: if the bytes are not those that the manifest lists.
    """
    entries = [parse_entry_line(line) for line in check_part(text, part).splitlines(keepends=True)]
    if len(entries) != part.documents or not entries or entries[0].path != part.first:
        raise DamagedSnapshotError(
            f"{part.path}, a part of the manifest, is damaged: it lists other files than the manifest says"
        )
    return entries
