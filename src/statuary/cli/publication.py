"""Publish a site to a folder, or elsewhere by an extension."""

from collections.abc import Callable, Iterable
from pathlib import Path
from typing import Protocol

import click

from statuary.base.files import PublishingError
from statuary.base.primitives import count_text
from statuary.cli.damaged_ledger import retry_with_new_ledger
from statuary.cli.escape import escape_control_chars, print_error
from statuary.cli.output import (
    case_insensitive_disk_warning,
    change_counts_line,
    changed_file_lines,
    format_size,
)
from statuary.publish.folder.folder_target import FolderTarget
from statuary.publish.folder.reader import folder_documents
from statuary.publish.locations import SiteReplacement, find_irreplaceable_folders, url_scheme
from statuary.publish.origin import SiteOrigin, origin_meta_values
from statuary.publish.outcome import ALL_PUBLISHED, Outcome
from statuary.publish.plan import Plan
from statuary.registry import load, providers
from statuary.site.document import Document


class PublishFolder(Protocol):
    """A function that publishes a built folder to a URL, and prints the changes."""

    def __call__(self, folder: Path, to: str, *, to_error: bool) -> Outcome:
        """Publish the folder.

        Raises:
            PublishingError: if the site cannot be published.
        """


def publish_folder(
    folder: Path,
    to: str,
    *,
    dry_run: bool = False,
    to_error: bool = False,
    is_excluded: Callable[[str], bool] | None = None,
) -> Outcome:
    """Publish a built folder elsewhere, and print the changes.

    Args:
        folder: the built folder.
        to: the URL or folder to publish to.
        dry_run: whether to print the changes without making them.
        to_error: whether to print to standard error instead of standard output.
        is_excluded: returns whether to skip a path of the folder; None to publish all.

    Returns:
        The outcome, with the names of folders that were not replaced.

    Raises:
        PublishingError: if the folder cannot be published.
        StatuaryError: if a library for the URL is not installed.
    """
    scheme = url_scheme(to)
    if not scheme:
        _require_folder_name(to)

        def publish_documents() -> Outcome:
            documents = folder_documents(folder)
            if is_excluded is not None:
                documents = (document for document in documents if not is_excluded(document.path))
            return publish_to_folder(documents, str(folder), to, dry_run=dry_run, to_error=to_error)

        return retry_with_new_ledger(Path(to), publish_documents)
    publish: PublishFolder = load(_publisher_for_scheme(scheme, to))
    return publish(folder, to, to_error=to_error)


def require_publishable_target(to: str) -> None:
    """Check that sites can be published to a folder or URL.

    Raises:
        PublishingError: if the name is empty or a misspelt URL, or no extension can publish to the URL.
    """
    if scheme := url_scheme(to):
        _publisher_for_scheme(scheme, to)
    else:
        _require_folder_name(to)


def target_name(to: str) -> str:
    """Return a publication target's name for messages.

    Only the scheme and host of a URL are shown: `s3://bucket/path` becomes `s3://bucket`.

    Args:
        to: a folder, which is its own name, or a URL.
    """
    scheme = url_scheme(to)
    host = to.removeprefix(f"{scheme}://").partition("/")[0].rpartition("@")[2]
    return f"{scheme}://{host}" if scheme else to


def _require_folder_name(to: str) -> None:
    if not to:
        raise PublishingError(
            "the name of the target is empty", "publish to a folder, such as `.`, or to a URL"
        )
    for separator in (":", "//"):
        scheme, found, path_part = to.partition(separator)
        if found and scheme in _targets_by_scheme():
            raise PublishingError(
                f"{to} is neither a URL nor a folder",
                f"write {scheme}://{path_part.strip('/') or 'BUCKET'}, or ./{to} for a folder",
            )


def _targets_by_scheme() -> dict[str, str]:
    return providers("publication")


def _publisher_for_scheme(scheme: str, to: str) -> str:
    targets = _targets_by_scheme()
    if scheme not in targets:
        schemes = ", ".join(f"{name}://" for name in targets)
        raise PublishingError(f"cannot publish to {target_name(to)}", f"publish to a folder, or to {schemes}")
    return targets[scheme]


def publish_to_folder(
    documents: Iterable[Document],
    site: str,
    to: str,
    *,
    origin: SiteOrigin | None = None,
    dry_run: bool = False,
    to_error: bool = False,
) -> Outcome:
    """Publish documents to a folder, and print the changes.

    An extension can forbid replacing a folder of the target: that of a log, by a shorter log. Then the folder stays as
    it is.

    Args:
        site: the path or URL that the documents come from.
        to: the folder to publish to.
        origin: the time and version of the build to record in the folder; None to record nothing.
        dry_run: whether to print the changes without making them.
        to_error: whether to print to standard error instead of standard output.

    Returns:
        The outcome, with the names of folders that were not replaced.

    Raises:
        PublishingError: if the documents cannot be published.
    """
    replacement = find_irreplaceable_folders(site, to)
    with FolderTarget(Path(to), dry_run=dry_run) as target:
        target.add(document for document in documents if replacement.may_replace(document.path))
        for folder in replacement.folders:
            target.ledger.documents.keep_published_folder(folder)
        plan = target.plan()
        if origin is not None:
            target.ledger.set_meta(origin_meta_values(origin))
        if not dry_run:
            target.apply()
        print_publication(plan, f"{to}/", applied=not dry_run, to_error=to_error)
        if target.lacks_case_variants and not plan.is_empty:
            click.echo(case_insensitive_disk_warning(escape_control_chars(to)), err=True)
    return report_publication(replacement, to)


def report_publication(replacement: SiteReplacement, to: str) -> Outcome:
    """Print the folders that could not be replaced, and return the outcome.

    Args:
        replacement: the folders that must stay as they are, with the reasons.
        to: the target, for messages.
    """
    for problem in replacement.problems:
        print_error(problem)
    if replacement.folders:
        folders = ", ".join(f"{folder}/" for folder in replacement.folders)
        click.echo(f"the target keeps the previous {folders}; everything else is published", err=True)
    return ALL_PUBLISHED.with_missing(f"{folder}/ at {to}" for folder in replacement.folders)


def print_publication(plan: Plan, target: str, *, applied: bool, to_error: bool = False) -> None:
    """Print a published site's number of documents, size and changes.

    Args:
        plan: the changes.
        target: the name of the target.
        applied: whether the changes were made; after a dry run, each changed file is printed, too.
        to_error: whether to print to standard error instead of standard output.
    """
    for line in () if applied else changed_file_lines(plan.changes()):
        click.echo(line, err=to_error)
    size = f"{count_text(plan.document_count, 'document')}, {format_size(plan.size)}"
    click.echo(f"{size}, in {escape_control_chars(target)}", err=to_error)
    click.echo(change_counts_line(plan, applied=applied), err=to_error)
