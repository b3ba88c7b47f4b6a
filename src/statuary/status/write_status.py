"""Add the status documents to a build, or reuse published ones."""

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import partial

from statuary.base.budget import run_guarded
from statuary.base.files import TARGET_ERRORS
from statuary.base.findings import Finding
from statuary.publish.document_groups import add_documents, keep_unmade_files, reuse_group
from statuary.publish.fingerprint import digest_of, fingerprint_of
from statuary.publish.ledger.schema import CachedGroup
from statuary.publish.target import BuildTarget
from statuary.site.document import Document
from statuary.site.settings import HostingSettings
from statuary.site.urls import url_regex
from statuary.status.archive_parts import ArchivePart
from statuary.status.isolate_faulty_records import exclude_failing_documents
from statuary.status.site_status import SiteStatus

STATUS, TIMED = "status", "timed"
"""The ledger's groups of the documents that may change with their epochs, and of the current ones alone."""

ALL, EXAMPLES = "all of the status", "examples"
"""The ledger's groups with the names of the other groups, and with the example paths of the API page."""

_LINE = "\t"
"""Separates the digest and the paths of a record."""


def group_of_archive_records(part_name: str) -> str:
    """Return the ledger's name for the documents of ended incidents.

    The ledger is the database of published files. A build reuses the documents in a group that are the same.

    Args:
        part_name: the name of the set of documents, such as that of a month.
    """
    return f"records of {part_name}"


def write_status(
    target: BuildTarget,
    status: SiteStatus,
    hosting: HostingSettings,
    changes: Mapping[str, Mapping[str, object]],
    skipped: list[Finding],
    *,
    verify: bool,
) -> Sequence[str]:
    """Add the status documents to the site, and reuse unchanged ones.

    If a document cannot be made, faulty records are excluded, and all documents are made again.

    Args:
        target: receives the documents.
        status: makes the documents.
        hosting: the settings of hosting, which are among the inputs of the documents.
        changes: additional members of incidents in changes.json, by incident id.
        skipped: receives a finding for each document that cannot be made; the next build then makes all
            again.
        verify: whether to make every document, even if it did not change.

    Returns:
        The paths of the current documents, and of examples of final ones.

    Raises:
        StatuaryError: if the documents cannot be made without faulty records either.
    """
    of_status: list[Finding] = []
    writer = _StatusWriter(target, hosting, changes, of_status)
    current_paths = run_guarded(
        partial(writer.add_or_reuse_documents, status, verify=verify), "", "making it", TARGET_ERRORS
    )
    if isinstance(current_paths, Finding):
        target.discard(writer.added_paths)
        working, of_status[:] = exclude_failing_documents(status)
        current_paths = writer.make_all_documents(working)
        writer.keep_documents_of_failing_extensions(status, working)
    skipped += of_status
    return current_paths


@dataclass(slots=True)
class _StatusWriter:
    """Adds the status documents, or reuses those of the last build."""

    target: BuildTarget
    hosting: HostingSettings
    changes: Mapping[str, Mapping[str, object]]  # additional members in changes.json, by incident id
    skipped: list[Finding]  # receives a finding for each document that cannot be made
    added_paths: list[str] = field(default_factory=list)  # the paths of the documents added so far

    def add_or_reuse_documents(self, status: SiteStatus, *, verify: bool) -> Sequence[str]:
        """Add the changed documents to the site, and reuse the others.

        Returns:
            The paths of documents that may still change, and of examples of the others.
        """
        fingerprint = fingerprint_of(status.cache_key_inputs, self.hosting).text
        timed: Sequence[str] | None = None if verify else self._reuse_all_documents(fingerprint)
        if timed is None:
            timed = self._add_changing_documents(status, verify=verify)
            parts = list(self._add_final_documents(status, verify=verify))
            self._save_group(ALL, fingerprint, [STATUS, TIMED, *parts])
        return [*timed, *self._example_paths(status, fingerprint)]

    def _example_paths(self, status: SiteStatus, fingerprint: str) -> Sequence[str]:
        """Return the paths of example documents for the API page.

        They are those of the last build if it had the same content.
        """
        previous = self.target.ledger.cached_group(EXAMPLES)
        paths = previous.paths if previous.fingerprint == fingerprint else tuple(status.api_page_examples)
        self._save_group(EXAMPLES, fingerprint, paths)
        return paths

    def make_all_documents(self, status: SiteStatus) -> Sequence[str]:
        """Make and add all documents again, and return their paths."""
        parts = [part.name for part in status.archive_parts]
        for group in (ALL, STATUS, TIMED, *parts, *map(group_of_archive_records, parts)):
            self.target.ledger.save_group(group, "")
        current_paths = self._make_timed_documents(status)
        for part in status.archive_parts:
            self._add_documents(part.documents())
        return [*current_paths, *status.api_page_examples]

    def keep_documents_of_failing_extensions(self, status: SiteStatus, working: SiteStatus) -> None:
        """Keep the published documents of the extensions whose documents cannot be made.

        Args:
            status: the status with all extensions.
            working: the status without these extensions.
        """
        left = [follower for follower in status.followers if follower not in working.active_followers]
        patterns = [re.compile(url_regex(url)) for follower in left for url in follower.urls]
        kept = keep_unmade_files(
            self.target,
            STATUS,
            self.added_paths,
            lambda path: any(pattern.fullmatch(path) for pattern in patterns),
        )
        self._save_group(STATUS, "", [*self.added_paths, *kept])

    def _reuse_all_documents(self, fingerprint: str) -> Sequence[str] | None:
        """Reuse all published documents if nothing they depend on has changed.

        Returns:
            The paths of the current documents, or None if something has changed.
        """
        ledger = self.target.ledger
        previous = ledger.cached_group(ALL)
        groups = {name: ledger.cached_group(name) for name in previous.paths}
        if previous.fingerprint != fingerprint or not _reuse_groups(self.target, groups):
            return None
        for name, group in {**groups, ALL: previous}.items():
            ledger.save_group(name, group.fingerprint, paths=group.paths)
        for name in groups:
            self._keep_group(group_of_archive_records(name))
        return groups[TIMED].paths

    def _add_changing_documents(self, status: SiteStatus, *, verify: bool) -> Sequence[str]:
        """Add or reuse the documents that may change before the next build.

        Returns:
            The paths of the documents at the build's time.
        """
        fingerprint = fingerprint_of(status.changing_documents_inputs, self.hosting).text
        paths = None if verify else self._reuse_group(STATUS, fingerprint)
        current_paths: Sequence[str] = self.target.ledger.cached_group(TIMED).paths
        if paths is None:
            added_before = len(self.added_paths)
            current_paths = self._make_timed_documents(status)
            paths = self.added_paths[added_before:]
        self._save_group(STATUS, fingerprint, paths)
        self._save_group(TIMED, fingerprint, current_paths)
        return current_paths

    def _make_timed_documents(self, status: SiteStatus) -> Sequence[str]:
        current_paths = [document.path for document in status.current_documents]
        self._add_documents(
            status.published_documents(
                self.skipped, read_published=self.target.read_published, members=self.changes
            )
        )
        return current_paths

    def _add_final_documents(self, status: SiteStatus, *, verify: bool) -> Iterator[str]:
        """Add or reuse the documents that no longer change.

        Yields:
            The name of each set of documents, such as that of a month.
        """
        common = digest_of(status.shared_inputs, self.hosting)
        for part in status.archive_parts:
            fingerprint = fingerprint_of(common, part.digest).text
            paths = None if verify else self._reuse_group(part.name, fingerprint)
            if paths is None:
                paths = self._add_archive_part(part, common, verify=verify)
            else:
                self._keep_group(group_of_archive_records(part.name))
            self._save_group(part.name, fingerprint, paths)
            yield part.name

    def _add_archive_part(self, part: ArchivePart, shared_digest: str, *, verify: bool) -> Sequence[str]:
        """Add the documents of a part of the archive, such as a month.

        Args:
            shared_digest: the digest of the settings and other values on which all parts depend.

        Returns:
            The paths of the documents.
        """
        fingerprint = fingerprint_of(shared_digest).text
        group = group_of_archive_records(part.name)
        known = {} if verify else self._reuse_records(group, fingerprint, part)
        added_before = len(self.added_paths)
        for paths in known.values():
            self.added_paths += paths
        lines = [_LINE.join((digest, *paths)) for digest, paths in known.items()]
        lines += [
            _LINE.join((record.digest, *self._add_documents(record.documents())))
            for record in part.records
            if record.digest not in known
        ]
        self._add_documents(part.own_documents())
        self._save_group(group, fingerprint, lines)
        return self.added_paths[added_before:]

    def _reuse_records(self, group: str, fingerprint: str, part: ArchivePart) -> Mapping[str, Sequence[str]]:
        """Reuse the documents of the incidents that have not changed.

        Returns:
            The paths of each incident's documents, by the incident's digest.
        """
        previous = self.target.ledger.cached_group(group)
        if previous.fingerprint != fingerprint:
            return {}
        current = {record.digest for record in part.records}
        records = (line.split(_LINE) for line in previous.paths)
        known = {digest: paths for digest, *paths in records if digest in current}
        all_paths = [path for paths in known.values() for path in paths]
        is_same = self.target.ledger.documents.are_unchanged_since(previous.run, all_paths)
        return known if is_same and self.target.reuse(all_paths) else {}

    def _reuse_group(self, group: str, fingerprint: str) -> Sequence[str] | None:
        paths = reuse_group(self.target, group, fingerprint)
        self.added_paths += paths or ()
        return paths

    def _add_documents(self, documents: Iterable[Document]) -> Sequence[str]:
        return add_documents(self.target, self.hosting, documents, self.added_paths)

    def _keep_group(self, group: str) -> None:
        previous = self.target.ledger.cached_group(group)
        if previous.fingerprint:
            self._save_group(group, previous.fingerprint, previous.paths)

    def _save_group(self, group: str, fingerprint: str, paths: Iterable[str]) -> None:
        self.target.ledger.save_group(group, "" if self.skipped else fingerprint, paths=paths)


def _reuse_groups(target: BuildTarget, groups: Mapping[str, CachedGroup]) -> bool:
    unchanging = [group for name, group in groups.items() if name != TIMED]
    are_older = target.ledger.documents.are_unchanged_since
    if not all(are_older(group.run, group.paths) for group in unchanging):
        return False
    return target.reuse(path for group in unchanging for path in group.paths)
