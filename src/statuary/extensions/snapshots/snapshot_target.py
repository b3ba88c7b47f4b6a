"""Build into a snapshot."""

import os
from collections.abc import Iterable, Iterator
from contextlib import ExitStack
from itertools import chain, groupby
from pathlib import Path

from typing_extensions import override

from statuary.base.files import (
    MANIFEST,
    SIGNATURE,
    PublishingError,
    fold_case,
)
from statuary.extensions.snapshots.differences import (
    Difference,
    find_differences,
    make_publication_plan,
    refuse_older_snapshot,
)
from statuary.extensions.snapshots.manifest_signature import Signer
from statuary.extensions.snapshots.site_subset import WHOLE_SITE, SiteSubset
from statuary.extensions.snapshots.snapshot_reader import SnapshotReader, read_snapshot
from statuary.extensions.snapshots.streams import Spool
from statuary.extensions.snapshots.zip_file import open_snapshot_file, require_zip_name, write_zip
from statuary.extensions.snapshots.zip_format import (
    DEFLATED,
    ENDING_SIZE,
    STORED,
    CompressedMember,
    MemberCompressor,
    SnapshotMember,
    ZipHeader,
    compress_member,
    compress_members,
    parse_end_records,
)
from statuary.publish.host_layout import media_type_of
from statuary.publish.listing import (
    DamagedSnapshotError,
    Entry,
    NameTable,
    lower_case_address,
    require_document_path,
    split_into_parts,
)
from statuary.publish.manifest import (
    Manifest,
    ManifestBuilder,
    encode_manifest,
    manifest_digest,
)
from statuary.publish.origin import SiteOrigin
from statuary.publish.plan import Plan
from statuary.publish.target import StatelessTarget
from statuary.site.document import Document
from statuary.system.files import open_file

CRC = 4
"""Bytes of the CRC-32 of a document, before its compressed bytes in the spool."""


def make_case_conflict_error(name: str, other_name: str) -> PublishingError:
    """Make the error for two paths that differ only in letter case.

    Many file systems treat such paths as one file, so a snapshot cannot contain both.
    """
    return PublishingError(
        f"{name} and {other_name} differ only in case: on many systems they are one file",
        "rename one of them",
    )


class SnapshotTarget(StatelessTarget):
    """Writes a site to a snapshot file.

    Documents are kept in a temporary file until the snapshot is written.
    """

    def __init__(
        self,
        out: Path,
        origin: SiteOrigin,
        *,
        only: SiteSubset = WHOLE_SITE,
        signer: Signer | None = None,
        dry_run: bool = False,
        workers: int | None = None,
    ) -> None:
        """Prepare to write a snapshot.

        Args:
            out: the snapshot file, whose name must end with .zip.
            origin: the time and revision of the site.
            only: the parts of the site to write.
            signer: signs the manifest; None to write no signature.
            dry_run: whether to compute the changes without writing the file.
            workers: the number of threads, which does not affect the result; None for the number of CPUs.

        Raises:
            PublishingError: if the name ends differently, the folder cannot be written, or the site already
                lacks parts that `only` selects.
        """
        if only.texts and origin.only not in ((), only.texts):
            raise PublishingError(
                f"the source is already only a part of a site ({', '.join(origin.only)})",
                "use the whole site as the source",
            )
        require_zip_name(out)
        self.out = out
        self.origin = origin._replace(only=only.texts or origin.only)
        self.only = only
        self.signer = signer
        self.dry_run = dry_run
        self.workers = workers
        self.manifest: Manifest | None = None
        self._stack = ExitStack()
        try:
            out.parent.mkdir(parents=True, exist_ok=True)
            self.spool = self._stack.enter_context(Spool(out.parent))
        except OSError as error:
            raise PublishingError(f"{out.parent} cannot be written: {error.strerror}") from None
        super().__init__()
        self.packer = self._stack.enter_context(MemberCompressor(workers))

    @override
    def __exit__(self, *error: object) -> None:
        self._stack.close()
        super().__exit__(*error)

    @override
    def add(self, documents: Iterable[Document]) -> None:
        """Add documents to the snapshot.

        Raises:
            PublishingError: if a path is unsafe, occurs twice, or differs from another one only in letter
                case.
        """
        for document in documents:
            if self.only.includes(document.path, document.body):
                for member in iter_document_members(document):
                    self._store_members(self.packer.submit_member(member))

    @override
    def discard(self, paths: Iterable[str]) -> None:
        super().discard(paths)
        self._store_members(self.packer.iter_remaining_members())
        self.spool.remove(map(require_document_path, paths))

    def _store_members(self, compressed_members: Iterable[CompressedMember]) -> None:
        for packed in compressed_members:
            header = packed.header
            start = self.spool.append(header.crc.to_bytes(CRC) + packed.data)
            entry = Entry(header.path, packed.aliases, header.size, packed.sha256, packed.media_type)
            if not self.spool.add(entry, start, header.packed_size):
                raise PublishingError(f"two documents of the site have the same path, {header.path}")

    def _iter_stored_members(self) -> Iterator[CompressedMember]:
        for entry, start, size in self.spool.rows("ORDER BY path"):
            text = self.spool.read(start, CRC + size)
            method = STORED if size == entry.size else DEFLATED  # deflated bodies are shorter
            header = ZipHeader(entry.path, method, int.from_bytes(text[:CRC]), size, entry.size)
            yield CompressedMember(header, text[CRC:])

    def _finish_manifest(self) -> Manifest:
        """Complete the manifest, after which no document can be added."""
        if self.manifest is None:
            self._store_members(self.packer.iter_remaining_members())
            builder = ManifestBuilder()
            for entries in split_into_parts(_require_distinct_paths(self.spool)):
                builder.add(entries)
            self.manifest = builder.manifest(self.origin)
        return self.manifest

    @property
    def manifest_digest(self) -> str:
        """The SHA-256 of the manifest (file list), which identifies the site's version."""
        return manifest_digest(encode_manifest(self._finish_manifest()))

    @override
    def plan(self) -> Plan:
        """Compare the new snapshot with the existing file that it replaces.

        Raises:
            PublishingError: if the existing file is not a snapshot.
        """
        manifest = self._finish_manifest()
        return make_publication_plan(self._iter_differences, manifest.documents, manifest.size)

    def _iter_differences(self) -> Iterator[Difference]:
        if not self.out.exists():
            yield from find_differences((), self.spool)
            return
        try:
            with read_snapshot(str(self.out)) as previous_snapshot:
                yield from find_differences(previous_snapshot.entries(), self.spool)
        except DamagedSnapshotError:
            raise PublishingError(
                f"{self.out} exists and is not a snapshot, or is damaged", "move it, or name another file"
            ) from None

    @override
    def apply(self) -> None:
        """Write the snapshot file, replacing an existing one atomically.

        Raises:
            PublishingError: if the file cannot be written, or this is a dry run.
        """
        if self.dry_run:
            raise PublishingError("a plan made as a dry run cannot be published")
        with open_snapshot_file(self.out) as stream:
            write_zip(
                stream,
                chain(map(compress_member, self._iter_manifest_members()), self._iter_stored_members()),
            )

    def _iter_manifest_members(self) -> Iterator[SnapshotMember]:
        manifest = encode_manifest(self._finish_manifest())
        yield SnapshotMember(path=MANIFEST, body=manifest)
        if self.signer is not None:
            yield SnapshotMember(path=SIGNATURE, body=self.signer(manifest))
        for part, text in self.spool.parts():
            yield SnapshotMember(path=part.path, body=text)


def _require_distinct_paths(entries: Iterable[Entry]) -> Iterator[Entry]:
    with NameTable() as table:
        for entry in entries:
            table.reserve(entry.path)
            yield entry


def iter_document_members(document: Document) -> Iterator[SnapshotMember]:
    """Yield the files that a snapshot contains for a document.

    There is one file for each name. A second name that differs only in the letter case of the address gets no file,
    but an entry in the manifest.

    Raises:
        DamagedSnapshotError: if a name is not allowed in a site.
        PublishingError: if other names differ only in letter case.
    """
    media_type = document.media_type or media_type_of(document.path)
    names = sorted(require_document_path(name) for name in {document.path, *document.aliases})
    for _, (path, *aliases) in groupby(sorted(names, key=fold_case), fold_case):
        if aliases and aliases != [lower_case_address(path)]:
            raise make_case_conflict_error(path, aliases[0])
        yield SnapshotMember(path=path, body=document.body, aliases=tuple(aliases), media_type=media_type)


def copy_snapshot(
    location: str,
    output_file: Path,
    *,
    signer: Signer | None = None,
    allow_older: bool = False,
) -> str:
    """Verify a snapshot, and copy it to a new file.

    Args:
        location: a snapshot file, or a folder or URL to which a snapshot was published.
        output_file: the new file, whose name must end with .zip.
        signer: a function that signs the manifest; None to keep the signature that the snapshot has.
        allow_older: whether a newer snapshot may be replaced.

    Returns:
        The SHA-256 at the end of the new file.

    Raises:
        DamagedSnapshotError: if the snapshot is damaged; `output_file` is unchanged.
        PublishingError: if `output_file` cannot be written, or contains a newer snapshot.
    """
    with read_snapshot(location) as snapshot:
        require_zip_name(output_file)
        _refuse_to_overwrite_other_file(output_file)
        if not allow_older:
            refuse_older_than_file(snapshot.manifest.origin, output_file)
        with open_snapshot_file(output_file) as stream:
            return write_zip(stream, compress_members(_iter_members_to_copy(snapshot, signer)))


def _refuse_to_overwrite_other_file(output_file: Path) -> None:
    """Raise PublishingError if a file exists and is not a snapshot."""
    try:
        with open_file(output_file) as file:
            size = file.seek(0, os.SEEK_END)
            file.seek(max(0, size - ENDING_SIZE))
            tail = file.read()
    except FileNotFoundError:
        return
    except OSError as error:
        raise PublishingError(f"{output_file} cannot be written: {error.strerror}") from None
    if parse_end_records(tail) is None:
        raise PublishingError(f"{output_file} exists and is not a snapshot", "move it, or name another file")


def refuse_older_than_file(origin: SiteOrigin, existing_file: Path) -> None:
    """Raise an error if a snapshot is older than an existing file.

    Args:
        origin: the origin of the new snapshot, with its time.
        existing_file: the file that the snapshot would replace.

    Raises:
        DamagedSnapshotError: if the existing file is a damaged snapshot.
        PublishingError: if the existing file is newer.
    """
    if existing_file.exists():
        with read_snapshot(str(existing_file)) as there:
            refuse_older_snapshot(origin, there.manifest.origin.instant, str(existing_file))


def _iter_members_to_copy(snapshot: SnapshotReader, sign_manifest: Signer | None) -> Iterator[SnapshotMember]:
    for member in snapshot.iter_manifest_members():
        if sign_manifest is None or member.path != SIGNATURE:
            yield member
        if sign_manifest is not None and member.path == MANIFEST:
            yield SnapshotMember(path=SIGNATURE, body=sign_manifest(member.body))
    for entry, member in snapshot.iter_listed_documents():
        yield member._replace(aliases=entry.aliases)
