"""Publish into a folder: add documents, show the plan, apply it.

Each document is compared with the ledger and with the file; new bodies are staged. The site does not change
until `apply`. If a build is killed before that, the next one reuses the staged files; if it is killed during
`apply`, each file is old or new, and the next build finishes the work first.
"""

import os
import sqlite3
from collections.abc import Iterable, Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from hashlib import sha256
from pathlib import Path
from typing import Self

from typing_extensions import override

from statuary.base.files import MANIFEST, PublishingError
from statuary.publish.folder.folder_check import CHECKED_FOLDERS, FolderCheck
from statuary.publish.folder.site_folder import BODIES, SITE, SiteFolder, Stager
from statuary.publish.ledger.damage import (
    DamagedLedgerError,
    is_intact,
    ledger_writing_error,
    quarantine_ledger,
)
from statuary.publish.ledger.document_table import write_partition_file
from statuary.publish.ledger.ledger import OWNED_NAMES, Ledger
from statuary.publish.ledger.schema import (
    AddedFile,
    PartitionOutput,
    PartitionResult,
    PartitionRows,
    all_names,
)
from statuary.publish.plan import Plan
from statuary.publish.target import BuildTarget
from statuary.site.document import Document
from statuary.system.files import read_text
from statuary.system.writing import PeriodicSync, create_file

PARTITIONS = "partitions"
"""The folder of the partitions' results, below the staging folder of a run."""

IGNORES_CASE = "ignores case"
"""The ledger's note whether the folder's file system ignores case."""

FINGERPRINT = "fingerprint"
"""The file with the fingerprint of the staged bodies."""


class FolderTarget(BuildTarget):
    """A folder to publish into; its `with` block locks the site's database.

    The database, called the ledger, lists the files that were published into the folder.
    """

    partition_size = 256
    writes_own_manifest = False

    def __init__(self, root: Path, *, dry_run: bool = False) -> None:
        """Open the folder, and finish the work of a build that was killed.

        Args:
            dry_run: write no files; the plan can be shown but not applied.

        Raises:
            PublishingError: if the folder cannot be used, or another build is using it.
        """
        self.folder = SiteFolder(root)
        self.dry_run = dry_run
        self._plan: Plan | None = None
        self._is_unclean = False
        self._is_applied = False
        self._is_resumed = False
        self._sync: PeriodicSync | None = None
        self.folder.create()
        self.ledger = Ledger(self.folder.ledger_file)
        try:
            self._begin_build()
        except BaseException as error:
            self.ledger.close()
            self._replace_error(error)
            raise

    def _begin_build(self) -> None:
        ledger = self.ledger
        staged = None if self.dry_run else self.folder.staging_folder(ledger.run)
        if staged is not None:
            # The ledger (the build database) lists the files of a build before they are in place. So after an
            # interrupted build, compare the content of published files, not only their size and time.
            self._is_unclean = bool(ledger.unfinished_run)
            if self._is_unclean and self.folder.staging_folder(ledger.unfinished_run).is_dir():
                self._move_staged_files(ledger.unfinished_run)
                ledger.finish()
            self.folder.prepare_staging(ledger.run)
        self._stager = self.folder.stager(staged, SITE)
        self._stager.entry_of = ledger.find_entry
        self._staged = staged
        self.started_at_ns = (self.folder.own_folder if staged is None else staged).stat().st_mtime_ns
        ledger.begin_build(None if staged is None else staged / "work.sqlite3")
        self._check = FolderCheck(self.folder, ledger)
        self._case_note = {IGNORES_CASE: "yes" if self.folder.ignores_case else "no"}
        if ledger.run == 1:
            ledger.set_meta(self._case_note)
        self._adopt_manifest_files()

    def _adopt_manifest_files(self) -> None:
        """Read the list of published files from the manifest if the ledger is lost."""
        text = self.read_published(MANIFEST) if self.ledger.run == 1 else None
        if text is not None:
            from statuary.publish.manifest import listed_files  # noqa: PLC0415 - only for a lost ledger

            self.ledger.adopt_published_files(listed_files(text, self.read_published))

    def __enter__(self) -> Self:
        if self._staged is not None:
            self._sync = PeriodicSync(self.folder.root)
        return self

    def __exit__(self, _: object, error: BaseException | None, *__: object) -> None:
        """Unlock the folder; the staged files of an unfinished build stay.

        Raises:
            PublishingError: in place of an error of the ledger or the disk.
        """
        if self._sync is not None:
            self._sync.stop()
        is_begun = True
        with suppress(sqlite3.Error):
            is_begun = self.ledger.get_meta("unfinished run") == str(self.ledger.run)
        with suppress(sqlite3.Error):
            self.ledger.close()
        if self._staged is not None and not is_begun:
            is_left = any((self._staged / PARTITIONS).glob("*.sqlite3")) and not self._is_applied
            if not is_left:
                self.folder.discard(self.ledger.run)
        self._replace_error(error)

    def _replace_error(self, error: BaseException | None) -> None:
        """Raise a PublishingError instead of an error of the ledger or the disk.

        A damaged ledger is renamed, so that the next build makes a new one.
        """
        file = self.folder.ledger_file
        if isinstance(error, sqlite3.Error):
            problem = ledger_writing_error(error, file)
            if isinstance(problem, DamagedLedgerError):
                owned = file.with_name(OWNED_NAMES)
                for damaged in [
                    database for database in (file, owned) if not is_intact(database, thoroughly=True)
                ] or [file]:
                    quarantine_ledger(damaged)
            raise problem from error
        if isinstance(error, OSError):
            raise PublishingError(
                f"{error.filename or self.folder.root}: {error.strerror}; no published file is damaged: each is complete, in its old or in its new version",
                "fix the error and run the build again; it continues where this build stopped",
            ) from error

    @override
    def add(self, documents: Iterable[Document]) -> None:
        self._plan = None
        self.ledger.documents.add(file for document in documents for file in self._stager.stage(document))

    @override
    def reuse(self, paths: Iterable[str]) -> bool:
        """Keep published files if none of them was changed after publishing.

        Args:
            paths: the paths of the files.

        Returns:
            Whether the files are kept; if one was changed, none is kept.
        """
        files = [self._stager.unchanged(path) for path in paths]
        unchanged = [file for file in files if file is not None]
        if len(unchanged) == len(files):
            self.ledger.documents.add(unchanged)
        return len(unchanged) == len(files)

    @override
    def output_for_task(self, name: str) -> PartitionOutput:
        stager = self.folder.stager(self._staged, BODIES)
        run, folder = self.ledger.run, self._staged
        return StagedOutput(stager, None if folder is None else folder / PARTITIONS / f"{run}-{name}.sqlite3")

    @override
    def merge_partition(self, result: PartitionResult) -> None:
        if result.file is not None:
            self.ledger.merge_partition(result.file)
            return
        self.ledger.documents.add_if_free(result.files)
        self.ledger.add_rows(result.rows)

    @override
    def discard(self, paths: Iterable[str]) -> None:
        self.ledger.documents.discard(paths)

    @override
    def sources_of_damaged_documents(self, *, verify: bool) -> frozenset[str]:
        if verify:
            self._stager.entry_of = None  # from now on, every added file is read
        # If the folder was moved to a file system that ignores case, two files whose names differ only in
        # case are one file now. So check the content of all files.
        is_moved = self.ledger.get_meta(IGNORES_CASE) != self._case_note[IGNORES_CASE]
        self.ledger.set_meta(self._case_note)
        if verify or self._is_unclean or is_moved:
            lacking = self._damaged_sources()
        else:
            lacking = self._check.find_resized()
        return frozenset(source for sources in lacking for source in sources.split("\n"))

    def _damaged_sources(self) -> Iterator[str]:
        for path, aliases, _, digest, sources in self.ledger.documents.files_with_sources():
            for name in all_names(path, aliases):
                body = self.folder.read(name)
                if body is None or sha256(body).digest() != digest:
                    yield sources

    @property
    def lacks_case_variants(self) -> bool:
        """Whether the folder ignores case, and so lacks files whose names differ only in case."""
        return self.folder.ignores_case and self.ledger.documents.has_aliases()

    @override
    def read_published(self, path: str) -> bytes | None:
        return self.folder.read(path)

    @override
    def resume(self, fingerprint: str, kind: str = "contracts") -> bool:
        """Reuse the documents that an interrupted build has already written.

        Args:
            fingerprint: the digest of everything that this build depends on; documents are reused if the
                interrupted build had the same.
            kind: the kind of documents.

        Returns:
            Whether documents are reused.
        """
        if self._staged is None:
            return False
        leftover, staged = self.folder.leftover, self._staged
        is_resumed = (
            _read_text_if_exists(leftover / FINGERPRINT) == fingerprint and (leftover / PARTITIONS).is_dir()
        )
        if is_resumed:
            (staged / BODIES).rmdir()
            os.rename(leftover / BODIES, staged / BODIES)
            os.rename(leftover / PARTITIONS, staged / PARTITIONS)
            # Reuse only the partitions (results of single workers) of this kind, such as contracts. Lists
            # depend on all contracts, so they are made again.
            for file in sorted((staged / PARTITIONS).glob(f"*-{kind}-*.sqlite3")):
                self.merge_partition(PartitionResult(items=0, file=file))
        self.folder.discard_leftovers()
        (staged / PARTITIONS).mkdir(exist_ok=True)
        create_file(staged / FINGERPRINT, fingerprint.encode())
        self._is_resumed = is_resumed
        return is_resumed

    @override
    def plan(self) -> Plan:
        if self._plan is None:
            self._plan = self.ledger.plan()
        return self._plan

    @override
    def apply(self) -> None:
        """Move new files into place, then remove obsolete ones.

        Raises:
            PublishingError: if this is a dry run, or files of another program are in the way; the folder is
                then unchanged.
        """
        if self._staged is None:
            raise PublishingError("a plan made as a dry run cannot be published")
        plan = self.plan()
        if plan.conflicts:
            raise foreign_files_error(plan.conflicts)
        if self._is_resumed or self.ledger.documents.has_discarded:
            for tree in (BODIES, SITE):
                self._delete_orphaned_bodies(self._staged / tree)
        self._check.begin_changes()
        self.ledger.set_meta({CHECKED_FOLDERS: ""})  # until the files are in place
        self.ledger.save(plan)
        self._move_staged_files(self.ledger.run, is_changed=not plan.is_empty)
        self.ledger.finish(self._check.stamps_to_store())
        self._is_applied = True

    def _move_staged_files(self, run: int, *, is_changed: bool = True) -> None:
        """Move the new files into the site, and remove obsolete ones.

        An interrupted move can be repeated.
        """
        self.folder.move_into_place(self.folder.staging_folder(run))
        for name in self.ledger.documents.paths_removed_by_plan(skip_case_variants=self.folder.ignores_case):
            self.folder.remove(name)
        if is_changed:  # so that after a power cut, no file is empty that the ledger trusts
            self.folder.sync()

    def _delete_orphaned_bodies(self, tree: Path) -> None:
        """Delete staged files that are not part of the new site.

        An interrupted build or discarded sources have left them.
        """
        for folder, _, names in os.walk(tree):
            for name in names:
                path = os.path.relpath(f"{folder}/{name}", tree).replace(os.sep, "/")
                if not self.ledger.documents.is_to_be_written(path):
                    os.unlink(f"{folder}/{name}")


def foreign_files_error(paths: Sequence[str]) -> PublishingError:
    """Return the error that files of other programs are in the way.

    Args:
        paths: the paths of these files, where the site needs to write its own.
    """
    first_paths = ", ".join(paths[:5]) + (f" and {len(paths) - 5} more" if len(paths) > 5 else "")
    return PublishingError(
        f"the folder has files at the site's paths that statuary did not write: {first_paths}",
        "move them away, or publish into another folder",
    )


def _read_text_if_exists(file: Path) -> str | None:
    try:
        return read_text(file)
    except OSError:
        return None


@dataclass(slots=True)
class StagedOutput(PartitionOutput):
    """Writes the documents that a worker makes to the staging folder.

    They become part of the site only when the build ends.
    """

    stager: Stager
    file: Path | None  # the database to write the result to; None if the result has it
    files: list[AddedFile] = field(default_factory=list)

    @override
    def add(self, documents: Iterable[Document]) -> list[str]:
        staged = [file for document in documents for file in self.stager.stage(document)]
        self.files += staged
        return [file.path for file in staged]

    @override
    def result(self, items: int, rows: PartitionRows | None = None) -> PartitionResult:
        result = PartitionResult(items=items, rows=rows, files=self.files)
        if self.file is None:
            return result
        write_partition_file(self.file, result)
        return PartitionResult(items=items, file=self.file)
