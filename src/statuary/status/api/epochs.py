"""Epochs: documents of future instants, written in advance, whole or as patches.

Each instant after the build at which a document changes begins an epoch. For each document that changes then,
an epoch has a file, whole or as a patch of the last whole one before it; a document that returns to an earlier
state has none. The index has the instants, first the last change of the published documents, and for each document
the numbers of those at which it changes:

    {"until": "…", "complete": true, "next_build": "…", "instants": ["2026-12-01T00:00:00.000Z", "2026-12-01T22:00:00.000Z", …],
     "documents": {"api/v2/summary.json": {"whole": [0, 7], "patched": [1, 2, 9], "again": {"3": 1}}}}

A site with something under embargo has `next_build`: the instant at which a build is due to publish it. No epoch shows it.

The files are below the instant's folder: `api/v2/_epochs/20261201T220000000Z/api/v2/summary.json.patch.json`. Number
0 is a copy of the build's document, which patches refer to and a site can return to.

Feeds, badges and pages have epochs too: nothing here depends on the kind of document.
"""

from bisect import bisect_left
from collections.abc import Callable, Iterable, Iterator, Sequence
from hashlib import sha256
from itertools import pairwise
from typing import NamedTuple

import orjson

from statuary.base.findings import Finding, Severity
from statuary.base.primitives import Instant, format_utc_milliseconds
from statuary.site.document import Document, encode_json, encode_unchecked
from statuary.site.urls import JSON, JSON_FEED
from statuary.status.urls import EPOCH_DOCUMENT, EPOCH_PATCH, EPOCHS, epoch_name

SHORTEST_RANGE = 24
"""Length in bytes from which a range, such as `[123456,123499],`, takes less space than its text."""

NEAR = 1 << 17
"""Size of a block in bytes: matching text is searched in a block and in its two neighbors."""


LARGEST_PATCHED = 256 << 20
"""Size in bytes of the largest result of a patch; a malicious patch could repeat a range without end."""


class PatchError(ValueError):
    """A patch is malformed, or belongs to other bytes."""


class _PatchPiece(NamedTuple):
    """A range of the base document to copy, and the new text after it."""

    start: int
    stop: int
    text: bytes


class PatchBase:
    """A whole document, from which patches to other versions are made.

    Attributes:
        body: the bytes of the document.
    """

    def __init__(self, document: Document) -> None:
        self.body = document.body
        self._digest = sha256(document.body).hexdigest()
        # A patch refers to whole pieces of a document: JSON is divided before each member (`,"`), and any
        # other document into lines.
        self._separator = b',"' if document.media_type in (JSON, JSON_FEED) else b"\n"
        self._places: dict[int, dict[bytes, list[int]]] = {}

    def _offsets_near(self, offset: int) -> dict[bytes, list[int]]:
        """Index the lines or JSON members in a part of the document.

        Args:
            offset: the part is around this offset, so that not all of a large document is searched.

        Returns:
            The offsets, by the bytes of the line or member.
        """
        number = offset // NEAR
        places = self._places.get(number)
        if places is None:
            places = self._places[number] = {}
            separator = self._separator
            start = self.body.find(separator, (number - 1) * NEAR) + len(separator) if number > 1 else 0
            for piece in self.body[start : (number + 2) * NEAR].split(separator)[:-1]:
                places.setdefault(piece, []).append(start)
                start += len(piece) + len(separator)
        return places

    def patch(self, new_document: Document) -> bytes:
        """Return the patch that changes this document into another one.

        Args:
            new_document: the other document; both must be UTF-8.
        """
        parts: list[list[int] | str] = []
        text = b""
        for start, stop, new_text in _trim_patch_pieces(
            list(self._split_into_patch_pieces(new_document.body)), self.body
        ):
            if stop - start < SHORTEST_RANGE:
                text += self.body[start:stop] + new_text
                continue
            if text:
                parts.append(text.decode())
            parts.append([start, stop])
            text = new_text
        return encode_unchecked({"base": self._digest, "parts": [*parts, text.decode()] if text else parts})

    def _split_into_patch_pieces(self, body: bytes) -> Iterator[_PatchPiece]:
        """Divide a new version into new text, and ranges of the older document."""
        start = stop = 0
        place = text = 0
        base, separator, size = self.body, self._separator, len(self._separator)
        while place < len(body):
            end = body.find(separator, place)
            piece = body[place:] if end < 0 else body[place:end]
            end = len(body) if end < 0 else end + size
            nearest = stop
            if base.startswith(body[place:end], stop):
                same = end + _common_prefix_length_from(body, end, base, stop + end - place)
                end = same if same == len(body) else body.rfind(separator, end - size, same) + size
            else:
                places = self._offsets_near(stop).get(piece)
                if places is None:
                    place = end
                    continue
                # If the piece occurs several times in the base, take the first one after the previous piece,
                # because most pieces keep their order.
                nearest = places[min(bisect_left(places, stop), len(places) - 1)]
            if nearest != stop or text < place:
                yield _PatchPiece(start, stop, body[text:place])
                start = nearest
            stop, text = nearest + end - place, end
            place = end
        yield _PatchPiece(start, stop, body[text:])


def _trim_patch_pieces(pieces: Sequence[_PatchPiece], base: bytes) -> Iterator[_PatchPiece]:
    """Shorten new text whose first or last bytes the older document has, too.

    Args:
        base: the bytes of the older document.
    """
    start = pieces[0].start
    for (_, stop, text), (following, *_) in pairwise(pieces):
        if not text:
            yield _PatchPiece(start, stop, text)
            start = following
            continue
        head, tail = _common_ends(text, base, stop, following)
        yield _PatchPiece(start, stop + head, text[head : len(text) - tail])
        start = following - tail
    yield pieces[-1]._replace(start=start)


class _CommonEnds(NamedTuple):
    """The numbers of bytes at both ends of a text that the base repeats."""

    head: int
    tail: int


def _common_ends(text: bytes, base: bytes, base_start: int, base_end: int) -> _CommonEnds:
    """Count the bytes at both ends of a text that repeat the older document.

    Only whole characters count.

    Args:
        text: the text; not empty.
        base: the bytes of the older document.
        base_start: the offset in `base` at which the text would begin.
        base_end: the offset in `base` at which it would end.
    """
    head = tail = 0
    if base_end > base_start and base[base_start] == text[0]:
        head = _common_prefix_length(text, base[base_start : min(base_end, base_start + len(text))])
    if base_end > base_start + head and head < len(text) and base[base_end - 1] == text[-1]:
        tail = _common_suffix_length(
            text[head:], base[max(base_start + head, base_end - len(text) + head) : base_end]
        )
    while 0 < head < len(text) and not _begins_utf8_character(text[head]):
        head -= 1
    while tail and not _begins_utf8_character(text[len(text) - tail]):
        tail -= 1
    return _CommonEnds(head, tail)


def _common_prefix_length_from(text: bytes, start: int, other_text: bytes, other_start: int) -> int:
    """Return the number of equal bytes before the first difference of two texts.

    Each text is compared from its own offset on.
    """
    length, size, longer = 0, 64, True
    most = min(len(text) - start, len(other_text) - other_start)
    while length < most:
        ours = text[start + length : start + min(length + size, most)]
        if other_text.startswith(ours, other_start + length):
            length += len(ours)
        elif size == 64:
            return length + _common_prefix_length(
                ours, other_text[other_start + length : other_start + length + size]
            )
        else:
            longer = False
        size = size * 2 if longer else max(64, size // 2)
    return most


def _common_prefix_length(text: bytes, other_text: bytes) -> int:
    length = min(len(text), len(other_text))
    differing = int.from_bytes(text[:length]) ^ int.from_bytes(other_text[:length])
    return length - (differing.bit_length() + 7) // 8


def _common_suffix_length(text: bytes, other_text: bytes) -> int:
    length = min(len(text), len(other_text))
    ours, theirs = text[len(text) - length :], other_text[len(other_text) - length :]
    differing = int.from_bytes(ours, "little") ^ int.from_bytes(theirs, "little")
    return length - (differing.bit_length() + 7) // 8


def _begins_utf8_character(byte: int) -> bool:
    return byte & 0b1100_0000 != 0b1000_0000


def apply_patch(base: bytes, patch: bytes) -> bytes:
    """Apply a patch to a document, and return the resulting document.

    Args:
        base: the bytes of the document that the patch was made for.
        patch: the patch as JSON.

    Raises:
        PatchError: if the patch is malformed, makes too many bytes, or was made for another document.
    """
    try:
        value = orjson.loads(patch)
        if value["base"] != sha256(base).hexdigest():
            raise PatchError("the patch was made for a different version of the document")
        parts = value["parts"]
        if sum(len(part) if isinstance(part, str) else part[1] - part[0] for part in parts) > LARGEST_PATCHED:
            raise PatchError(f"the patch would make a document of more than {LARGEST_PATCHED:,} bytes")
        return b"".join(part.encode() if isinstance(part, str) else base[part[0] : part[1]] for part in parts)
    except (orjson.JSONDecodeError, TypeError, KeyError, IndexError, AttributeError) as error:
        raise PatchError("not a patch") from error


DocumentsAt = Callable[[Instant], Iterable[Document]]

SMALLEST_PATCHED = 2_048
"""Size in bytes of the smallest document for which a patch is worth its cost."""

LARGEST_PART = 4
"""The least ratio of a document's size to that of its patch; with a lower one, it is written whole."""


class EpochPlan(NamedTuple):
    """The later versions of documents that a build precomputes.

    Attributes:
        instants: the time of the last published change, then each later time at which a document changes.
        until: the time up to which the versions are valid; the next build is due by then.
        versions: the documents that change, by path.
        cut: whether the limit on their number ended them before the horizon.
        next_build: when a build has to publish content with a `publish_at`; None if there is none.
        is_large: whether the size of the page sets the limit.
    """

    instants: tuple[Instant, ...]
    until: Instant
    versions: dict[str, "DocumentVersions"]
    cut: bool = False
    next_build: Instant | None = None
    is_large: bool = False

    def limit_finding(self, path: str) -> Finding | None:
        """Return a warning if a limit on the number of later versions was reached.

        Then the site has no versions for the rest of the time that the settings ask for.

        Args:
            path: the path of site.yaml, which the warning names.

        Returns:
            The warning, or None if the limit was not reached.
        """
        if not self.cut:
            return None
        limit = f"{len(self.instants) - 1} changes"
        hint = "build again before that time"
        if self.is_large:
            limit += " for a page that lists so many components"
        else:
            hint += ", or raise status.max_epochs"
        return Finding(
            rule="too-many-epochs",
            severity=Severity.WARNING,
            path=path,
            message=f"the status is written ahead only until {format_utc_milliseconds(self.until)}: the limit is {limit}",
            hint=hint,
        )


class EpochLimits(NamedTuple):
    """The limits for the documents that a build writes ahead.

    They are the last time for which it writes documents, and the highest number of times.
    """

    horizon: Instant
    max_epochs: int
    is_large: bool = False  # whether `max_epochs` is set by the size of the page


class DocumentVersions:
    """The versions of one document, numbered by the position of their time.

    Attributes:
        current: the latest version that was added.
        files: the stored file of each version, by number: the whole document, or a patch.
        full_numbers: the versions that are stored as whole documents.
        repeated_numbers: for each version that repeats an earlier one, the number of that one.
    """

    def __init__(self, time_index: int, document: Document) -> None:
        self.current = document
        self.files = {time_index: document}
        self.full_numbers = [time_index]
        self.repeated_numbers: dict[int, int] = {}
        self._base: PatchBase | None = None
        self._patches: dict[bytes, int] = {}

    def add_version(self, time_index: int, document: Document) -> None:
        """Add a later version of the document.

        Args:
            time_index: the position, in `EpochPlan.instants`, of the time from which the version is valid.
            document: the version.
        """
        self.current = document
        same = (
            time_index for time_index in self.full_numbers if self.files[time_index].body == document.body
        )
        earlier_number = next(same, None)
        patch = b"" if earlier_number is not None else self._patch_if_smaller(document)
        if patch:
            earlier_number = self._patches.setdefault(patch, time_index)
        if earlier_number is not None and earlier_number != time_index:
            self.repeated_numbers[time_index] = earlier_number
        elif patch:
            self.files[time_index] = document._replace(body=patch)
        else:
            self.files[time_index] = document
            self.full_numbers.append(time_index)
            self._base = None

    def _patch_if_smaller(self, document: Document) -> bytes:
        """Return a patch that turns the last whole version into a new one.

        Args:
            document: the new version.

        Returns:
            The patch; empty if the document is small, or the patch is not much smaller.
        """
        if len(document.body) < SMALLEST_PATCHED:
            return b""
        if self._base is None:
            self._base = PatchBase(self.files[self.full_numbers[-1]])
        patch = self._base.patch(document)
        return patch if len(patch) * LARGEST_PART <= len(document.body) else b""

    def index_object(self) -> dict[str, object]:
        """Return the document's JSON object in the index of later versions.

        It lists the times of its versions in three groups: whole files, patches, and repetitions of an earlier
        version.
        """
        patched = [number for number in self.files if number not in self.full_numbers]
        repeated = {str(number): earlier_number for number, earlier_number in self.repeated_numbers.items()}
        members = {"whole": self.full_numbers, "patched": patched, "again": repeated}
        return {name: value for name, value in members.items() if value}


def plan_epochs(
    documents_at: DocumentsAt,
    transitions: Sequence[Instant],
    start: Instant,
    limits: EpochLimits,
    documents_after: DocumentsAt = lambda _: (),
) -> EpochPlan:
    """Make the later versions of documents, for each time at which they will change.

    Such a time is an epoch. A site then changes without a build, for example when a maintenance window starts.

    Args:
        documents_at: returns the documents that may change, as of a given time.
        transitions: the times at which a document may change, in order.
        start: the time from which the published documents are valid.
        limits: the last time to make documents for, and the highest number of times.
        documents_after: returns the documents to show after that last time.
    """
    versions = {document.path: DocumentVersions(0, document) for document in documents_at(start)}
    instants = [start]
    until, cut = limits.horizon, False

    def select_changed(documents: Iterable[Document]) -> dict[str, Document]:
        return {
            document.path: document
            for document in documents
            if document.path not in versions or versions[document.path].current.body != document.body
        }

    def begin_epoch(since: Instant, changed_documents: dict[str, Document]) -> None:
        if not changed_documents:
            return
        for path, document in changed_documents.items():
            if path in versions:
                versions[path].add_version(len(instants), document)
            else:
                versions[path] = DocumentVersions(len(instants), document)
        instants.append(since)

    previous_documents: dict[str, Document] = {}
    for transition in transitions:
        changed_documents = select_changed(documents_at(transition))
        if changed_documents and len(instants) > limits.max_epochs:
            until, cut = transition, True
            break
        if transition == until:
            previous_documents = changed_documents
        else:
            begin_epoch(transition, changed_documents)
    begin_epoch(
        until,
        select_changed(
            {
                **previous_documents,
                **{document.path: document for document in documents_after(until)},
            }.values()
        ),
    )
    changing = {
        path: entry
        for path, entry in versions.items()
        if entry.files.keys() | entry.repeated_numbers.keys() != {0}
    }
    return EpochPlan(tuple(instants), until, changing, cut, is_large=limits.is_large)


def epoch_documents(plan: EpochPlan) -> list[Document]:
    """Return the later versions of documents, and the index of them.

    With these files, a site changes at later times (epochs) without a build.

    Args:
        plan: the later versions of documents, and the times from which they are valid.
    """
    index = {
        "until": format_utc_milliseconds(plan.until),
        "complete": not plan.cut,
        "instants": [format_utc_milliseconds(instant) for instant in plan.instants],
        "documents": {path: plan.versions[path].index_object() for path in sorted(plan.versions)},
    }
    if plan.next_build is not None:
        index["next_build"] = format_utc_milliseconds(plan.next_build)
    files = [
        _version_file(document, epoch_name(plan.instants[number]), is_full=number in versions.full_numbers)
        for versions in plan.versions.values()
        for number, document in versions.files.items()
    ]
    return [*files, Document(path=EPOCHS.path(), body=encode_json(index), cache=EPOCHS.cache)]


def _version_file(document: Document, folder: str, *, is_full: bool) -> Document:
    url, media_type = (EPOCH_DOCUMENT, document.media_type) if is_full else (EPOCH_PATCH, JSON)
    path = url.path(epoch=folder, path=document.path)
    return document._replace(path=path, media_type=media_type, aliases=(), persistent=False)
