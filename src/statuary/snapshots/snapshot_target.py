"""A snapshot as the target of a build."""

from collections.abc import Iterable, Iterator
from contextlib import ExitStack
from itertools import chain, groupby
from pathlib import Path

from typing_extensions import override

from statuary.documents.document import Document
from statuary.publishing.atomic_file import atomic_file
from statuary.publishing.errors import PublishingError
from statuary.publishing.plan import Action, Change, Plan
from statuary.publishing.response_headers import media_type_of
from statuary.publishing.safe_path import fold_case
from statuary.publishing.snapshot_paths import MANIFEST, SIGNATURE
from statuary.publishing.target import RebuiltTarget
from statuary.snapshots.diff import differences
from statuary.snapshots.document_names import NameTable, document_path, lower_case_address
from statuary.snapshots.errors import DamagedSnapshotError
from statuary.snapshots.manifest import Manifest, SiteOrigin, encode_manifest, manifest_digest
from statuary.snapshots.manifest_parts import ManifestBuilder, ManifestEntry, encode_part, split_into_parts
from statuary.snapshots.manifest_signature import Signer
from statuary.snapshots.members import (
    CompressedMember,
    MemberCompressor,
    SnapshotMember,
    compress_member,
)
from statuary.snapshots.site_subset import WHOLE_SITE, SiteSubset
from statuary.snapshots.snapshot_reader import read_snapshot
from statuary.snapshots.spool import Spool, names_differ_only_in_case
from statuary.snapshots.zip_file import require_zip_name, write_zip


class SnapshotTarget(RebuiltTarget):
    """A snapshot as a target; a context manager, since bodies wait in a file beside it."""

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
        """Begin a snapshot.

        Args:
            out: the file; its name ends in .zip.
            only: the part of the offered documents to write.
            workers: compression threads; one for each core if None. The bytes are the same.

        Raises:
            PublishingError: if the file has another name, the folder cannot be written, or the site is
                already another part.
        """
        if only.texts and origin.only not in ((), only.texts):
            raise PublishingError(
                f"this is already a part of a site ({', '.join(origin.only)})",
                "make the part from the whole site",
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
    def offer(self, documents: Iterable[Document]) -> None:
        """Add documents to the snapshot.

        Raises:
            PublishingError: if a path is unsafe, claimed twice, or differs from another one only in case.
        """
        for document in documents:
            if self.only.wants(document.path, document.body):
                for member in members_of(document):
                    self._keep(self.packer.put(member))

    @override
    def withdraw(self, paths: Iterable[str]) -> None:
        super().withdraw(paths)
        self._keep(self.packer.rest())
        self.spool.remove(map(document_path, paths))

    def _keep(self, ready: Iterable[CompressedMember]) -> None:
        for packed in ready:
            self.spool.add(packed)

    def _sealed(self) -> Manifest:
        """Return the manifest of everything offered; nothing can be offered after that."""
        if self.manifest is None:
            self._keep(self.packer.rest())
            builder = ManifestBuilder()
            for entries in split_into_parts(_distinct(self.spool.entries())):
                builder.add(entries)
            self.manifest = builder.manifest(self.origin)
        return self.manifest

    @property
    def manifest_digest(self) -> str:
        """SHA-256 of the manifest, which identifies this exact site."""
        return manifest_digest(encode_manifest(self._sealed()))

    @override
    def plan(self) -> Plan:
        """Return the differences between the new file and the present one.

        Raises:
            PublishingError: if another kind of file has the name.
        """
        manifest = self._sealed()
        counts = dict.fromkeys(Action, 0)
        changed_size = 0
        for change in self._changes():
            counts[change.action] += 1
            changed_size += change.size
        return Plan(
            counts=counts,
            kept=manifest.documents - counts[Action.ADD] - counts[Action.REPLACE],
            size=manifest.size,
            changed_size=changed_size,
            changes=self._changes,
        )

    def _changes(self) -> Iterator[Change]:
        if not self.out.exists():
            yield from (Change(Action.ADD, entry.path, entry.size) for entry in self.spool.entries())
            return
        try:
            with read_snapshot(str(self.out)) as before:
                for difference in differences(before.entries(), self.spool.entries()):
                    yield difference.change
        except DamagedSnapshotError:
            raise PublishingError(
                f"{self.out} exists and is not a whole snapshot", "move it, or name another file"
            ) from None

    @override
    def apply(self) -> None:
        """Write the file atomically; raise PublishingError if it cannot be written, or in a dry run."""
        if self.dry_run:
            raise PublishingError("a dry run cannot be applied")
        with atomic_file(self.out) as stream:
            write_zip(stream, chain(map(compress_member, self._own_members()), self.spool.documents()))

    def _own_members(self) -> Iterator[SnapshotMember]:
        manifest = encode_manifest(self._sealed())
        yield SnapshotMember(path=MANIFEST, body=manifest)
        if self.signer is not None:
            yield SnapshotMember(path=SIGNATURE, body=self.signer(manifest))
        for entries in split_into_parts(self.spool.entries()):
            part, text = encode_part(entries)
            yield SnapshotMember(path=part.path, body=text)


def _distinct(entries: Iterable[ManifestEntry]) -> Iterator[ManifestEntry]:
    """Yield entries; raise an error if one is the folder of another."""
    with NameTable() as table:
        for entry in entries:
            table.claim(entry.path)
            yield entry


def members_of(document: Document) -> Iterator[SnapshotMember]:
    """Yield a document's members: one for each name, except lower-case addresses, which are aliases.

    Raises:
        DamagedSnapshotError: if a document may not have such a name.
        PublishingError: if other names differ only in case.
    """
    media_type = document.media_type or media_type_of(document.path)
    names = sorted(document_path(name) for name in {document.path, *document.aliases})
    for _, (path, *aliases) in groupby(sorted(names, key=fold_case), fold_case):
        if aliases and aliases != [lower_case_address(path)]:
            raise names_differ_only_in_case(path, aliases[0])
        yield SnapshotMember(path=path, body=document.body, aliases=tuple(aliases), media_type=media_type)
