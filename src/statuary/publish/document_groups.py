"""Groups of documents that a build reuses while their inputs stay."""

from collections.abc import Iterable, Iterator, Sequence

from statuary.publish.target import BuildTarget
from statuary.site.document import Document
from statuary.site.settings import HostingSettings


def reused_group(target: BuildTarget, group: str, fingerprint: str) -> tuple[str, ...] | None:
    """Reuse an earlier build's group if its fingerprint is the same.

    Returns:
        Its paths, or None if the group must be made.
    """
    previous = target.ledger.group(group)
    ledger = target.ledger
    # a later publication, such as a tick, may have replaced documents of the group
    is_same = previous.fingerprint == fingerprint and ledger.documents.are_older_than(
        previous.run, previous.paths
    )
    return previous.paths if is_same and target.reuse(previous.paths) else None


def add_documents(
    target: BuildTarget, hosting: HostingSettings, documents: Iterable[Document], paths: list[str]
) -> Sequence[str]:
    """Add documents at their paths in the site's layout."""
    from statuary.publish.host_layout import with_compressed_forms

    count_before = len(paths)

    def documents_in_layout() -> Iterator[Document]:
        for document in with_compressed_forms(documents, hosting):
            paths.append(document.path)
            yield document

    target.add(documents_in_layout())
    return paths[count_before:]
