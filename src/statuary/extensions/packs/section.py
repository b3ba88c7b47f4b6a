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
from statuary.extensions.packs.pack_format import PackedDocument, pack_key
from statuary.extensions.packs.pack_list import (
    FOLDER,
    LIST,
    ListedPack,
    PackList,
    PutPacks,
    add_changes,
    encode_list,
    list_entry,
    pack_name,
    parse_list,
)
from statuary.extensions.packs.pack_sources import KeyRow, KeyTable, is_packed
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
        from statuary.extensions.packs.openapi import openapi_operations

        counts = run.result(ContractCounts) or ContractCounts()
        return openapi_operations(self.settings, counts.example)

    @override
    def finalize(self, run: Run) -> FinalResult | None:
        if not isinstance(run.target, FolderTarget):
            return None
        return FinalResult(line=SitePacks(run.target).summary())

    @override
    def on_failure(self, run: Run, error: BaseException) -> None:
        # the next build does not know what this one changed: clear the group, so that it packs everything
        run.target.ledger.save_group(GROUP, "")


class SitePacks:
    """Updates the packs of a site during a build."""

    def __init__(self, target: FolderTarget) -> None:
        self._target = target
        self._ledger = target.ledger

    def summary(self) -> str:
        """Pack the changed documents, and return a line about it."""
        if self._target.dry_run:  # what is not staged cannot be packed
            self._ledger.documents.retain_folder_files(FOLDER)
            return ""
        cached_group = self._ledger.cached_group(GROUP)
        previous_packs = self._last_list()
        packs = self._pack_everything() if previous_packs is None else self._add_changes(previous_packs)
        listing = self._ledger.listing() if packs != previous_packs else ()
        documents = (
            sum(belongs_in_packs(path) for path, *_ in listing)
            if packs != previous_packs
            else cached_group.items
        )
        self._add_packs(packs, documents)
        runs = len({pack.run for pack in packs})
        return f"{documents:,} documents in {len(packs):,} packs of {runs:,} runs" if packs else ""

    def _pack_everything(self) -> PackList:
        """Return a list of packs of all documents."""
        with KeyTable(self._new_body) as table:
            table.add(_key_row(path) for path, *_ in self._ledger.listing() if is_packed(path))
            put = _pack_putter(self._target)
            return tuple(list_entry(pack, 0) for pack in put(table.documents(), table.dictionary()))

    def _last_list(self) -> PackList | None:
        """Return the last build's intact list, if it matches the ledger."""
        cached_group = self._ledger.cached_group(GROUP)
        text = self._target.read_published(LIST)
        if text is None or not contain_all_published(text, cached_group, self._ledger.connection):
            return None
        packs = parse_list(text, LIST)
        if not packs or not all(map(self._is_intact, packs)):
            return None
        # keep the published packs even if this build fails later
        self._ledger.documents.retain_folder_files(FOLDER)
        return packs

    def _is_intact(self, pack: ListedPack) -> bool:
        """Return whether a pack is intact.

        The pack is read if the ledger (build database) is not trusted.
        """
        if self._target.reuse([_path_of_pack(pack)]):
            return True
        body = self._target.read_published(_path_of_pack(pack))
        return body is not None and sha256(body).hexdigest() == pack.sha256

    def _add_changes(self, previous_packs: PackList) -> PackList:
        """Add a pack with the changes of the build."""
        with KeyTable(self._new_body) as table:
            table.add(
                _key_row(path, is_removed=digest is None)
                for path, _, _, digest in self._ledger.differences()
                # skip a packed document if only its aliases have changed
                if is_packed(path)
                and (digest is None or digest.hex() != published_digest(self._ledger.documents, path))
            )
            if not table.count:
                return previous_packs
            changes = [*table.changed_documents()]

        def ranges_of(pack: ListedPack) -> FileRanges:
            return FileRanges(self._target.folder.root / _path_of_pack(pack))

        return add_changes(previous_packs, changes, len(changes), ranges_of, _pack_putter(self._target))

    def _new_body(self, row: KeyRow) -> bytes | None:
        """Return a document's new bytes, or None if it is removed."""
        if row.size == REMOVED:
            return None
        body = self._staged_body(row.path)
        if body is None or sha256(body).hexdigest() != digest_at(self._ledger.documents, row.path):
            raise PublishingError(
                f"{row.path} has changed since it was built", "build the site again with --verify"
            )
        return body

    def _staged_body(self, path: str) -> bytes | None:
        staged = self._target.folder.staging_folder(self._ledger.run)
        for tree in (SITE, BODIES):
            try:
                return read_file(staged / tree / path)
            except (FileNotFoundError, NotADirectoryError):
                continue
        return self._target.read_published(path)

    def _add_packs(self, packs: PackList, documents: int) -> None:
        text = encode_list(packs)
        stale = {*self._ledger.documents.paths_under(FOLDER)} - {*map(_path_of_pack, packs)}
        self._ledger.documents.discard(stale)
        self._ledger.documents.remove_unless_added(stale)
        self._target.add([_pack_document(LIST, text)])
        self._ledger.save_group(GROUP, sha256(text).hexdigest(), items=documents)


def contain_all_published(text: bytes, cached_group: CachedGroup, connection: Connection) -> bool:
    """Return whether a list of packs covers everything that was published.

    Args:
        text: the list of packs.
        cached_group: the ledger's entry about the packs of the last build.
        connection: the database of the ledger.
    """
    rows = [connection.execute(PACKED_BELOW, (prefix, f"{prefix[:-1]}0")).fetchone() for prefix in PREFIXES]
    count = sum(count for count, _ in rows)
    newest = max(run for _, run in rows)
    return (
        cached_group.fingerprint == sha256(text).hexdigest()
        and count == cached_group.items
        and newest <= cached_group.run
    )


PREFIXES = (*SHARDS, *(url.prefix for url in SHARDS.values()))
"""The folders of the packed documents."""

PACKED_BELOW = """
SELECT COUNT(*), COALESCE(MAX(run), 0) FROM documents WHERE path >= ? AND path < ? AND path LIKE '%/0x%'
"""


def belongs_in_packs(path: str) -> bool:
    """Return whether a document is stored in packs, given its path.

    Packs contain documents about single contracts.
    """
    return path.startswith(PREFIXES) and "/0x" in path


REMOVED = -1
"""The size in the row of a removed document."""


def _key_row(path: str, *, is_removed: bool = False) -> KeyRow:
    return KeyRow(pack_key(plain_path(path)), path=path, size=REMOVED if is_removed else 0)


def _pack_document(path: str, body: bytes) -> Document:
    return Document(path, body, media_type_of(path), cache=cache_control_of(path), persistent=True)


def _path_of_pack(pack: ListedPack) -> str:
    return f"{FOLDER}/{pack.path}"


def _pack_putter(target: FolderTarget) -> PutPacks:
    """Return a function that adds packs within the limits of hosts."""

    def put(documents: Iterable[PackedDocument], dictionary: bytes) -> Iterator[WrittenPack]:
        for body, written_pack in make_packs_in_memory(documents, Compressor(dictionary), PUBLISHED_SIZE):
            path = f"{FOLDER}/{pack_name(written_pack.sha256)}"
            target.ledger.documents.discard([path])  # merging may give a pack that is there already
            target.add([_pack_document(path, body)])
            yield written_pack

    return put
