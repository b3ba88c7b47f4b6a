"""The section that packs the contracts of a build.

Later changes become a small pack.
"""

import shutil
from collections.abc import Iterable, Iterator
from hashlib import sha256
from itertools import chain
from sqlite3 import Connection
from typing import TYPE_CHECKING

from typing_extensions import override

from statuary.base.primitives import count_text
from statuary.contracts.model.contract_row import ContractCounts
from statuary.contracts.paths import SHARDS
from statuary.extensions.packs.build_documents import (
    BuildDocuments,
    DocumentRow,
    PackListing,
    add_older_documents,
    copy_documents,
    list_packed_documents,
)
from statuary.extensions.packs.limits import PUBLISHED_SIZE
from statuary.extensions.packs.pack_list import (
    FOLDER,
    LIST,
    ListedPack,
    PackList,
    encode_pack_list,
    make_list_entry,
    make_pack_name,
    parse_pack_list,
    read_dictionary,
    runs_to_keep,
)
from statuary.extensions.packs.pack_sources import is_packable
from statuary.extensions.packs.pack_tasks import PackingJob, make_pack_document, make_packs
from statuary.extensions.packs.urls import URLS
from statuary.extensions.snapshots.streams import FileRanges
from statuary.publish.folder.folder_target import FolderTarget
from statuary.publish.ledger.document_table import KEEP, REPLACE
from statuary.publish.ledger.lookups import published_digest
from statuary.publish.ledger.ranges import BuildTables, tables_for_workers
from statuary.publish.ledger.schema import CachedGroup
from statuary.section import FinalResult, Run, Section
from statuary.site.operations import ApiDescription
from statuary.workers.executor import Executor

if TYPE_CHECKING:
    from statuary.engine.extension_settings import ExtensionSource

GROUP = "packs"
"""The ledger's group: the SHA-256 of the list, the number of documents, and the paths of packs."""


class PacksSection(Section):
    """The section that packs the contracts of a site."""

    urls = URLS

    @override
    @classmethod
    def settings_model(cls) -> "type[ExtensionSource]":
        """Return the model that validates `packs` in site.yaml."""
        from statuary.extensions.packs.settings import SitePacksSource

        return SitePacksSource

    @override
    def operations(self, run: Run) -> Iterable[ApiDescription]:
        """Describe the packs and their list for openapi.json."""
        from statuary.extensions.packs.openapi import describe_operations

        counts = run.result_of(ContractCounts) or ContractCounts()
        return describe_operations(self.settings, counts.example)

    @override
    def finalize(self, run: Run) -> FinalResult | None:
        """Write the documents that changed in this build to packs."""
        if not isinstance(run.target, FolderTarget):
            return None
        return FinalResult(line=SitePacks(run.target, run.execution.executor).pack_changed_documents())

    @override
    def on_failure(self, run: Run, error: BaseException) -> None:
        # The failed build may have changed packs without recording the change. Clear the fingerprint that the
        # next build compares, so that all documents are packed again.
        run.target.ledger.save_group(GROUP, "")


class SitePacks:
    """Updates the packs of a site during a build."""

    def __init__(self, target: FolderTarget, executor: Executor) -> None:
        self._target = target
        self._ledger = target.ledger
        self._executor = executor
        self._folder = target.folder.staging_folder(target.ledger.run) / FOLDER

    def pack_changed_documents(self) -> str:
        """Write the documents that changed in this build to packs.

        Packs are archives of many documents.

        Returns:
            A line about them, for the report of the build.
        """
        if self._target.dry_run:  # what is not staged cannot be packed
            self._ledger.documents.keep_published_folder(FOLDER)
            return ""
        cached_group = self._ledger.cached_group(GROUP)
        previous_packs = self._read_last_list()
        packs = self._pack_all_documents() if previous_packs is None else self._pack_changes(previous_packs)
        shutil.rmtree(self._folder, ignore_errors=True)
        documents = (
            sum(self._ledger.count_listed(prefix, "%/0x%") for prefix in PREFIXES)
            if packs != previous_packs
            else cached_group.items
        )
        self._add_pack_list(packs, documents)
        counts = ((documents, "document"), (len(packs), "pack"), (len({pack.run for pack in packs}), "run"))
        return "{} in {} of {}".format(*(count_text(*count) for count in counts)) if packs else ""

    def _pack_all_documents(self) -> PackList:
        self._folder.mkdir()
        tables = None if self._ledger.keeps_unreplaced else tables_for_workers(self._ledger)
        if tables is None:
            rows = (
                self._make_row(path, size, digest)
                for path, _, size, digest in self._ledger.new_site_files()
                if is_packable(path)
            )
            tables = copy_documents(self._folder / "documents.sqlite3", rows)
        return self._make_packs(tables, None, 0)

    def _make_packs(self, tables: BuildTables, dictionary: bytes | None, run_number: int) -> PackList:
        job = PackingJob(self._documents(tables), self._folder)
        made_packs = make_packs(job, self._executor, self._target.output_for_task, dictionary)
        # The build may already keep a published pack with the same bytes.
        documents = self._ledger.documents
        published = {*documents.paths_under(FOLDER)}
        paths = [f"{FOLDER}/{make_pack_name(made.pack.sha256)}" for made in made_packs]
        documents.discard(path for path in paths if path in published or documents.is_to_be_written(path))
        for made_pack in made_packs:
            self._target.merge_partition(made_pack.result)
        return tuple(make_list_entry(made_pack.pack, run_number) for made_pack in made_packs)

    def _documents(self, tables: BuildTables) -> BuildDocuments:
        folder = self._target.folder
        return BuildDocuments(tables, str(folder.staging_folder(self._ledger.run)), str(folder.root))

    def _make_row(self, path: str, size: int, digest: bytes | None) -> DocumentRow:
        is_new = self._ledger.documents.is_to_be_written(path)
        return DocumentRow(path, size, digest, REPLACE if is_new else KEEP)

    def _read_last_list(self) -> PackList | None:
        """Return the last list of packs, if this build can extend it.

        It can if all listed packs are intact, and they contain all documents that the ledger (the build's database) has.
        """
        cached_group = self._ledger.cached_group(GROUP)
        text = self._target.read_published(LIST)
        if text is None or not covers_all_published(text, cached_group, self._ledger.connection):
            return None
        packs = parse_pack_list(text, LIST)
        if not packs or any(map(_is_too_large, packs)) or not all(map(self._is_pack_intact, packs)):
            return None
        # Keep the published packs (archives of many documents), even if this build fails later.
        self._ledger.documents.keep_published_folder(FOLDER)
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
        rows = self._changed_rows()
        first_row = next(rows, None)
        if first_row is None:
            return previous_packs
        self._folder.mkdir()
        tables = copy_documents(self._folder / "documents.sqlite3", chain((first_row,), rows))
        documents = self._documents(tables)
        kept_runs = runs_to_keep(previous_packs, sum(1 for _ in documents.after("")))
        kept_packs = tuple(pack for pack in previous_packs if pack.run < kept_runs)
        listings = (
            PackListing(f"pack-list-{number}", pack, documents, self._folder / f"{number:07d}.sqlite3")
            for number, pack in enumerate(previous_packs[len(kept_packs) :])
        )
        older_files = sorted(self._executor.map_unordered(list_packed_documents, listings))
        add_older_documents(tables, reversed(older_files))
        dictionary = read_dictionary(previous_packs, self._open_pack)
        return (*kept_packs, *self._make_packs(tables, dictionary, kept_runs))

    def _open_pack(self, pack: ListedPack) -> FileRanges:
        return FileRanges(self._target.folder.root / _make_pack_path(pack))

    def _changed_rows(self) -> Iterator[DocumentRow]:
        for path, _, size, digest in self._ledger.files_changed_since_last_build():
            # A document may have several names, but a pack stores only one. So skip a document of which only
            # other names have changed.
            if is_packable(path) and (
                digest is None or digest.hex() != published_digest(self._ledger.documents, path)
            ):
                yield self._make_row(path, size, digest)

    def _add_pack_list(self, packs: PackList, document_count: int) -> None:
        text = encode_pack_list(packs)
        stale = {*self._ledger.documents.paths_under(FOLDER)} - {*map(_make_pack_path, packs)}
        self._ledger.documents.discard(stale)
        self._ledger.documents.remove_unless_added(stale)
        self._target.add([make_pack_document(LIST, text)])
        self._ledger.save_group(GROUP, sha256(text).hexdigest(), items=document_count)


def covers_all_published(list_json: bytes, cached_group: CachedGroup, ledger_connection: Connection) -> bool:
    """Return whether the packs contain every record and proof published last.

    Args:
        list_json: the list of packs.
        cached_group: the digest of the list that the last build wrote, and its number of documents.
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


def _is_too_large(pack: ListedPack) -> bool:
    """Return whether a host may refuse a pack that can be divided, as older versions of statuary wrote."""
    return pack.size > PUBLISHED_SIZE and pack.totals.documents + pack.totals.removals > 1


def _make_pack_path(pack: ListedPack) -> str:
    return f"{FOLDER}/{pack.path}"
