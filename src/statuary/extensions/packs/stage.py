"""The stage: a build packs the documents of its contracts; of a later build, what changed becomes a small pack."""

from collections.abc import Iterable, Iterator
from hashlib import sha256
from sqlite3 import Connection

from typing_extensions import override

from statuary.base.files import PublishingError
from statuary.engine.stages import SiteStage, StageInputs
from statuary.extensions.packs.codec import Compressor
from statuary.extensions.packs.limits import PUBLISHED_SIZE
from statuary.extensions.packs.pack_format import PackedDocument, key_of
from statuary.extensions.packs.pack_list import (
    FOLDER,
    LIST,
    ListedPack,
    PackList,
    PutPacks,
    encode_list,
    listed,
    pack_name,
    parse_list,
    with_changes,
)
from statuary.extensions.packs.pack_sources import KeyRow, KeyTable, is_packed
from statuary.extensions.packs.pack_writer import WrittenPack, packs_in_memory
from statuary.extensions.snapshots.streams import FileRanges
from statuary.publish.folder.folder_target import FolderTarget
from statuary.publish.folder.site_folder import BODIES, SITE
from statuary.publish.host_layout import cache_of, media_type_of
from statuary.publish.ledger.lookups import digest_at, published_digest
from statuary.publish.ledger.schema import CachedGroup
from statuary.site.document import SHARDS, Document, plain_path

GROUP = "packs"
"""What the ledger keeps: the SHA-256 of the list, how many documents are packed, and the paths of all packs."""


def open_stage(inputs: StageInputs) -> SiteStage | None:
    """Open the stage of a build into a folder; there is none elsewhere."""
    return PacksStage(inputs.target) if isinstance(inputs.target, FolderTarget) and inputs.root else None


class PacksStage(SiteStage):
    """The packs of a site."""

    def __init__(self, target: FolderTarget) -> None:
        self._target = target
        self._ledger = target.ledger

    @override
    def finalize(self) -> str:
        if self._target.dry_run:  # what is not staged cannot be packed
            self._ledger.documents.retain_prefix(FOLDER)
            return ""
        cached_group, previous_packs = self._ledger.group(GROUP), self._last_list()
        packs = self._pack_everything() if previous_packs is None else self._with_changes(previous_packs)
        listing = self._ledger.listing() if packs != previous_packs else ()
        documents = (
            sum(is_counted(path) for path, *_ in listing) if packs != previous_packs else cached_group.items
        )
        self._add(packs, documents)
        runs = len({pack.run for pack in packs})
        return f"{documents:,} documents in {len(packs):,} packs of {runs:,} runs" if packs else ""

    def _pack_everything(self) -> PackList:
        """Return a list of packs of all documents."""
        with KeyTable(self._body) as table:
            table.add(_row(path) for path, *_ in self._ledger.listing() if is_packed(path))
            put = _put(self._target)
            return tuple(listed(pack, 0) for pack in put(table.documents(), table.dictionary()))

    @override
    def on_failure(self, error: BaseException) -> None:
        self._ledger.save_group(
            GROUP, ""
        )  # what changed now is not known later: the next build packs everything

    def _last_list(self) -> PackList | None:
        """Return the list of the last build if it is whole, and has what the ledger has; else None."""
        cached_group, text = self._ledger.group(GROUP), self._target.published(LIST)
        if text is None or not have_all(text, cached_group, self._ledger.connection):
            return None
        packs = parse_list(text, LIST)
        if not packs or not all(map(self._is_intact, packs)):
            return None
        self._ledger.documents.retain_prefix(FOLDER)  # as they are, and if something fails from here on, too
        return packs

    def _is_intact(self, pack: ListedPack) -> bool:
        """Return whether a pack is as it was written; it is read where the ledger is not trusted."""
        if self._target.reuse([_path(pack)]):
            return True
        body = self._target.published(_path(pack))
        return body is not None and sha256(body).hexdigest() == pack.sha256

    def _with_changes(self, previous_packs: PackList) -> PackList:
        """Return the list with what differs from the last build in a new run."""
        with KeyTable(self._body) as table:
            table.add(
                _row(path, is_removed=digest is None)
                for path, _, _, digest in self._ledger.differences()
                if is_packed(path) and not self._differs_only_in_names(path, digest)
            )
            if not table.count:
                return previous_packs
            changes = [*table.changed_documents()]
        return with_changes(previous_packs, changes, len(changes), self._ranges, _put(self._target))

    def _differs_only_in_names(self, path: str, digest: bytes | None) -> bool:
        """Return whether a document is as in the last build, which packs are to have, but for its aliases."""
        return digest is not None and digest.hex() == published_digest(self._ledger.documents, path)

    def _ranges(self, pack: ListedPack) -> FileRanges:
        return FileRanges(self._target.folder.root / _path(pack))

    def _body(self, row: KeyRow) -> bytes | None:
        """Return the bytes that a document will have; None if there will be none."""
        if row.size == REMOVED:
            return None
        body = self._staged(row.path)
        if body is None or sha256(body).hexdigest() != digest_at(self._ledger.documents, row.path):
            raise PublishingError(f"{row.path} is not as it was built", "build the site again with --verify")
        return body

    def _staged(self, path: str) -> bytes | None:
        staged = self._target.folder.staged(self._ledger.run)
        for tree in (SITE, BODIES):
            try:
                return (staged / tree / path).read_bytes()
            except (FileNotFoundError, NotADirectoryError):
                continue
        return self._target.published(path)

    def _add(self, packs: PackList, documents: int) -> None:
        text = encode_list(packs)
        stale = {*self._ledger.documents.paths_under(FOLDER)} - {*map(_path, packs)}
        self._ledger.documents.discard(stale)
        self._ledger.documents.remove_unless_added(stale)
        self._target.add([_document(LIST, text)])
        self._ledger.save_group(GROUP, sha256(text).hexdigest(), items=documents)


def have_all(text: bytes, cached_group: CachedGroup, connection: Connection) -> bool:
    """Return whether the packs of a list have what the last build published, by its ledger: no build was without them."""
    rows = [connection.execute(PACKED_BELOW, (prefix, f"{prefix[:-1]}0")).fetchone() for prefix in PREFIXES]
    count, newest = sum(count for count, _ in rows), max(run for _, run in rows)
    return (
        cached_group.fingerprint == sha256(text).hexdigest()
        and count == cached_group.items
        and newest <= cached_group.run
    )


PREFIXES = (*SHARDS, *(url.prefix for url in SHARDS.values()))
"""Where the documents are that go into packs."""

PACKED_BELOW = """
SELECT COUNT(*), COALESCE(MAX(run), 0) FROM documents WHERE path >= ? AND path < ? AND path LIKE '%/0x%'
"""


def is_counted(path: str) -> bool:
    """Return whether a path is counted as packed, as `PACKED_BELOW` counts in SQL."""
    return path.startswith(PREFIXES) and "/0x" in path


REMOVED = -1
"""The size of a document that will not be there."""


def _row(path: str, *, is_removed: bool = False) -> KeyRow:
    return KeyRow(key_of(plain_path(path)), path=path, size=REMOVED if is_removed else 0)


def _document(path: str, body: bytes) -> Document:
    return Document(path, body, media_type_of(path), cache=cache_of(path), persistent=True)


def _path(pack: ListedPack) -> str:
    return f"{FOLDER}/{pack.path}"


def _put(target: FolderTarget) -> PutPacks:
    """Return what offers packs to a target, each of a size that every host takes."""

    def put(documents: Iterable[PackedDocument], dictionary: bytes) -> Iterator[WrittenPack]:
        for body, written_pack in packs_in_memory(documents, Compressor(dictionary), PUBLISHED_SIZE):
            path = f"{FOLDER}/{pack_name(written_pack.sha256)}"
            target.ledger.documents.discard([path])  # merging may give a pack that is there already
            target.add([_document(path, body)])
            yield written_pack

    return put
