"""The targets of a site: a folder, store, snapshot or memory."""

from collections.abc import Iterable
from typing import Protocol, Self, TypeVar

from typing_extensions import override

from statuary.publish.ledger.ledger import Ledger
from statuary.publish.ledger.schema import CollectedOutput, PartitionOutput, PartitionResult
from statuary.publish.plan import Plan
from statuary.site.document import Document

Document_contra = TypeVar("Document_contra", contravariant=True)
"""The documents that a target accepts, or the paths, digests and headers of a built site."""


class Target(Protocol[Document_contra]):
    """A place to publish to: it collects documents, shows changes, applies them."""

    dry_run: bool  # whether the plan is only shown

    def add(self, documents: Iterable[Document_contra]) -> None:
        """Add documents to the site.

        Raises:
            PublishingError: if the path of a document is unsafe, or another document already has this path.
        """

    def reuse(self, paths: Iterable[str]) -> bool:
        """Keep published documents, unless one was changed after the last build.

        Returns:
            Whether the documents were kept.
        """

    def plan(self) -> Plan:
        """Return the changes that `apply` would make.

        Call this method after all documents were added.
        """

    def apply(self) -> None:
        """Publish the documents that were added, in place of the old ones.

        Raises:
            PublishingError: if the change fails, or this is a dry run.
        """


class BuildTarget(Target[Document], Protocol):
    """A target that a build can write to.

    Attributes:
        started_at_ns: when the build began, in nanoseconds by the clock of the target's file system; 0 if it
            has none.
    """

    ledger: Ledger  # temporary if the target does not keep one
    partition_size: int  # the maximum number of contracts in a partition
    started_at_ns: int
    writes_own_manifest: bool  # whether it makes its own manifest, so that a build makes none

    def read_published(self, path: str) -> bytes | None:
        """Return the bytes that the last build published at a path.

        Returns:
            The bytes, or None if the site had no file at the path.
        """

    def output_for_task(self, name: str) -> PartitionOutput:
        """Return an object that receives the documents of a worker.

        Args:
            name: a unique name for the worker's task.
        """

    def merge_partition(self, result: PartitionResult) -> None:
        """Add the documents that a worker has made.

        If two documents have the same path, the first one is kept.
        """

    def discard(self, paths: Iterable[str]) -> None:
        """Take back documents that were added, such as those of an excluded contract.

        Errors about their paths are forgotten, too.
        """

    def resume(self, fingerprint: str) -> bool:
        """Reuse the documents that an interrupted build has already written.

        Args:
            fingerprint: the digest of everything that this build depends on; documents are reused if the
                interrupted build had the same.

        Returns:
            Whether there was something to reuse.
        """

    def sources_of_damaged_documents(self, *, verify: bool) -> frozenset[str]:
        """Return content files whose published documents are missing or damaged.

        Args:
            verify: also read every document and compare it with the ledger.
        """


class StatelessTarget(BuildTarget):
    """A target that knows no earlier build, such as a zip file."""

    partition_size = 8
    started_at_ns = 0
    writes_own_manifest = True

    def __init__(self) -> None:
        self.ledger = Ledger()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.ledger.close()

    @override
    def reuse(self, paths: Iterable[str]) -> bool:
        return False

    @override
    def read_published(self, path: str) -> bytes | None:
        return None

    @override
    def output_for_task(self, name: str) -> PartitionOutput:
        return CollectedOutput()

    @override
    def merge_partition(self, result: PartitionResult) -> None:
        self.ledger.add_rows(result.rows)
        reserve = self.ledger.documents.reserve
        self.add(document for document in result.documents if reserve(document.path))

    @override
    def discard(self, paths: Iterable[str]) -> None:
        self.ledger.documents.discard(paths)

    @override
    def resume(self, fingerprint: str) -> bool:
        return False

    @override
    def sources_of_damaged_documents(self, *, verify: bool) -> frozenset[str]:
        return frozenset()
