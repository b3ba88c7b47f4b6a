"""The section that packs the contracts of a build.

Later changes become a small pack.
"""

from collections.abc import Iterable, Iterator
from hashlib import sha256
from sqlite3 import Connection
from typing import TYPE_CHECKING

from typing_extensions import override

from statuary.base.files import PublishingError
from statuary.contracts.model.contract_row import ContractCounts
from statuary.contracts.paths import SHARDS, plain_path
from statuary.extensions.packs.codec import Compressor
from statuary.extensions.packs.limits import PUBLISHED_SIZE
from statuary.extensions.packs.pack_format import PackedDocument, make_pack_key
from statuary.extensions.packs.pack_list import (
    FOLDER,
    LIST,
    ListedPack,
    PackList,
    PutPacks,
    encode_pack_list,
    make_list_entry,
    make_pack_name,
    parse_pack_list,
    write_changes,
)
from statuary.extensions.packs.pack_sources import KeyRow, KeyTable, is_packable
from statuary.extensions.packs.pack_writer import WrittenPack, make_packs_in_memory
from statuary.extensions.packs.urls import URLS
from statuary.extensions.snapshots.streams import FileRanges
from statuary.publish.folder.folder_target import FolderTarget
from statuary.publish.folder.site_folder import BODIES, SITE
from statuary.publish.host_layout import cache_control_of, media_type_of
from statuary.publish.ledger.lookups import digest_at, published_digest
from statuary.publish.ledger.schema import CachedGroup
from statuary.section import FinalResult, Run, Section
from statuary.site.document import Document
from statuary.site.operations import ApiDescription
from statuary.system.files import read_file

if TYPE_CHECKING:
    from statuary.engine.extension_settings import ExtensionSource

GROUP = "packs"
"""The ledger's group: the SHA-256 of the list, the number of documents, and the paths of packs."""


class PacksSection(Section):
    """The section that packs the contracts of a site."""

    urls = URLS

    @override
    @classmethod
    def source(cls) -> "type[ExtensionSource]":
        from statuary.extensions.packs.settings import SitePacksSource

        return SitePacksSource

    @override
    def operations(self, run: Run) -> Iterable[ApiDescription]:
        from statuary.extensions.packs.openapi import describe_operations

        counts = run.result(ContractCounts) or ContractCounts()
        return describe_operations(self.settings, counts.example)

    @override
    def finalize(self, run: Run) -> FinalResult | None:
        if not isinstance(run.target, FolderTarget):
            return None
        return FinalResult(line=SitePacks(run.target).pack_changed_documents())

    @override
    def on_failure(self, run: Run, error: BaseException) -> None:
        # The failed build may have changed packs without recording the change. Clear the fingerprint that the
        # next build compares, so that all documents are packed again.
        run.target.ledger.save_group(GROUP, "")


class SitePacks:
    """Updates the packs of a site during a build."""

    def __init__(self, target: FolderTarget) -> None:
        self._target = target
        self._ledger = target.ledger

    def pack_changed_documents(self) -> str:
        """Write the documents that a build changed to packs.

        Packs are archives of many documents.

        Returns:
            A line about them, for the report of the build.
        """
        if self._target.dry_run:  # what is not staged cannot be packed
            self._ledger.documents.retain_folder_files(FOLDER)
            return ""
        cached_group = self._ledger.cached_group(GROUP)
        previous_packs = self._read_last_list()
        packs = self._pack_all_documents() if previous_packs is None else self._pack_changes(previous_packs)
        listing = self._ledger.listing() if packs != previous_packs else ()
        documents = (
            sum(belongs_in_packs(path) for path, *_ in listing)
            if packs != previous_packs
            else cached_group.items
        )
        self._add_pack_list(packs, documents)
        runs = len({pack.run for pack in packs})
        return f"{documents:,} documents in {len(packs):,} packs of {runs:,} runs" if packs else ""

    def _pack_all_documents(self) -> PackList:
        with KeyTable(self._read_new_document) as table:
            table.add(_make_key_row(path) for path, *_ in self._ledger.listing() if is_packable(path))
            put = _make_pack_writer(self._target)
            return tuple(make_list_entry(pack, 0) for pack in put(table.documents(), table.dictionary()))

    def _read_last_list(self) -> PackList | None:
        """Return the last build's list of packs if it can be continued.

        It can if all its packs are intact, and it covers all documents that the ledger lists.
        """
        cached_group = self._ledger.cached_group(GROUP)
        text = self._target.read_published(LIST)
        if text is None or not covers_all_published(text, cached_group, self._ledger.connection):
            return None
        packs = parse_pack_list(text, LIST)
        if not packs or not all(map(self._is_pack_intact, packs)):
            return None
        # Keep the published packs (archives of many documents), even if this build fails later.
        self._ledger.documents.retain_folder_files(FOLDER)
        return packs

    def _is_pack_intact(self, listed_pack: ListedPack) -> bool:
        """Return whether a pack has not changed since the last build.

        The pack is read if the ledger (build database) is not trusted.
        """
        if self._target.reuse([_make_pack_path(listed_pack)]):
            return True
        body = self._target.read_published(_make_pack_path(listed_pack))
        return body is not None and sha256(body).hexdigest() == listed_pack.sha256

    def _pack_changes(self, previous_packs: PackList) -> PackList:
        with KeyTable(self._read_new_document) as table:
            table.add(
                _make_key_row(path, is_removed=digest is None)
                for path, _, _, digest in self._ledger.differences()
                # A document may have several names, but a pack stores only one. So skip a document of which
                # only other names have changed.
                if is_packable(path)
                and (digest is None or digest.hex() != published_digest(self._ledger.documents, path))
            )
            if not table.count:
                return previous_packs
            changes = [*table.iter_changed_documents()]

        def open_pack_file(pack: ListedPack) -> FileRanges:
            return FileRanges(self._target.folder.root / _make_pack_path(pack))

        return write_changes(
            previous_packs, changes, len(changes), open_pack_file, _make_pack_writer(self._target)
        )

    def _read_new_document(self, row: KeyRow) -> bytes | None:
        if row.size == REMOVED:
            return None
        body = self._read_staged_document(row.path)
        if body is None or sha256(body).hexdigest() != digest_at(self._ledger.documents, row.path):
            raise PublishingError(
                f"{row.path} has changed since it was built", "build the site again with --verify"
            )
        return body

    def _read_staged_document(self, document_path: str) -> bytes | None:
        staged = self._target.folder.staging_folder(self._ledger.run)
        for tree in (SITE, BODIES):
            try:
                return read_file(staged / tree / document_path)
            except (FileNotFoundError, NotADirectoryError):
                continue
        return self._target.read_published(document_path)

    def _add_pack_list(self, packs: PackList, document_count: int) -> None:
        text = encode_pack_list(packs)
        stale = {*self._ledger.documents.paths_under(FOLDER)} - {*map(_make_pack_path, packs)}
        self._ledger.documents.discard(stale)
        self._ledger.documents.remove_unless_added(stale)
        self._target.add([_make_pack_document(LIST, text)])
        self._ledger.save_group(GROUP, sha256(text).hexdigest(), items=document_count)


def covers_all_published(list_json: bytes, cached_group: CachedGroup, ledger_connection: Connection) -> bool:
    """Return whether the site's packs contain every published document.

    A list of packs from before the last build is not enough.

    Args:
        list_json: the list of packs.
        cached_group: what the build's database says about the packs of the last build.
        ledger_connection: the build's database.
    """
    rows = [
        ledger_connection.execute(PACKED_BELOW, (prefix, f"{prefix[:-1]}0")).fetchone() for prefix in PREFIXES
    ]
    count = sum(count for count, _ in rows)
    newest = max(run for _, run in rows)
    return (
        cached_group.fingerprint == sha256(list_json).hexdigest()
        and count == cached_group.items
        and newest <= cached_group.run
    )


PREFIXES = (*SHARDS, *(url.prefix for url in SHARDS.values()))
"""The folders of the packed documents."""

PACKED_BELOW = """
SELECT COUNT(*), COALESCE(MAX(run), 0) FROM documents WHERE path >= ? AND path < ? AND path LIKE '%/0x%'
"""


def belongs_in_packs(document_path: str) -> bool:
    """Return whether the document at a path is also stored in packs.

    Only documents about single contracts are.
    """
    return document_path.startswith(PREFIXES) and "/0x" in document_path


REMOVED = -1
"""The size in the row of a removed document."""


def _make_key_row(document_path: str, *, is_removed: bool = False) -> KeyRow:
    return KeyRow(
        make_pack_key(plain_path(document_path)), path=document_path, size=REMOVED if is_removed else 0
    )


def _make_pack_document(pack_path: str, content: bytes) -> Document:
    return Document(
        pack_path, content, media_type_of(pack_path), cache=cache_control_of(pack_path), persistent=True
    )


def _make_pack_path(pack: ListedPack) -> str:
    return f"{FOLDER}/{pack.path}"


def _make_pack_writer(target: FolderTarget) -> PutPacks:
    """Return a function that adds packs within the limits of hosts."""

    def add_packs(documents: Iterable[PackedDocument], dictionary: bytes) -> Iterator[WrittenPack]:
        for body, written_pack in make_packs_in_memory(documents, Compressor(dictionary), PUBLISHED_SIZE):
            path = f"{FOLDER}/{make_pack_name(written_pack.sha256)}"
            target.ledger.documents.discard([path])  # merging may give a pack that is there already
            target.add([_make_pack_document(path, body)])
            yield written_pack

    return add_packs
