"""Groups of documents that a build reuses while their inputs stay."""

from collections.abc import Callable, Iterable, Iterator, Sequence

from statuary.publish.target import BuildTarget
from statuary.site.document import Document
from statuary.site.settings import HostingSettings


def reuse_group(target: BuildTarget, group: str, fingerprint: str) -> tuple[str, ...] | None:
    """Reuse a set of documents if nothing they depend on has changed.

    The set (group) is not reused if a later publication, such as a tick, replaced one of its documents.

    Args:
        group: the name of the set.
        fingerprint: the digest of everything that the documents depend on.

    Returns:
        The paths of the documents, or None if the caller must make them again.
    """
    previous = target.ledger.cached_group(group)
    ledger = target.ledger
    # `statuary tick` may have replaced documents of the group after the last build.
    is_same = previous.fingerprint == fingerprint and ledger.documents.are_unchanged_since(
        previous.run, previous.paths
    )
    return previous.paths if is_same and target.reuse(previous.paths) else None


def keep_unmade_files(
    target: BuildTarget, group: str, added: Iterable[str], is_kept: Callable[[str], bool]
) -> list[str]:
    """Keep the published documents of a set that this build could not make.

    Args:
        target: the site that is being built.
        group: the name of the set.
        added: the paths in the set that this build has made.
        is_kept: returns whether to keep a path that was not made.

    Returns:
        The paths of the documents that are kept.
    """
    made = frozenset(added)
    unmade = [path for path in target.ledger.cached_group(group).paths if path not in made and is_kept(path)]
    return [path for path in unmade if target.reuse([path])]


def add_documents(
    target: BuildTarget, hosting: HostingSettings, documents: Iterable[Document], paths: list[str]
) -> Sequence[str]:
    """Add documents and their compressed copies to a site.

    Args:
        hosting: the settings that decide which compressed copies the hosts need.
        documents: the documents, which are consumed one by one.
        paths: receives the path of each added document.

    Returns:
        The paths that this call added.
    """
    from statuary.publish.host_layout import with_compressed_forms

    count_before = len(paths)

    def documents_in_layout() -> Iterator[Document]:
        for document in with_compressed_forms(documents, hosting):
            paths.append(document.path)
            yield document

    target.add(documents_in_layout())
    return paths[count_before:]
