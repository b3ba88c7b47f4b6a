"""Documents about the whole site, and applying the plan."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import partial

from statuary.base.budget import INTERRUPTIONS, run_guarded
from statuary.base.errors import StatuaryError
from statuary.base.files import TARGET_ERRORS
from statuary.base.findings import Finding
from statuary.base.progress import Progress, stage
from statuary.contracts.incremental.built_contracts import BuiltContracts
from statuary.engine.catalogue import Catalogue
from statuary.engine.section import SectionResult
from statuary.engine.site_documents import config_documents, config_inputs
from statuary.publish.fingerprint import digest_of, fingerprint_of
from statuary.publish.ledger.contract_rows import ContractCounts
from statuary.publish.ledger.schema import CachedGroup
from statuary.publish.plan import Plan
from statuary.publish.target import BuildTarget
from statuary.site.document import Document
from statuary.status.documents import status_documents
from statuary.status.isolate_faulty_records import with_working_documents
from statuary.status.site_status import SiteStatus

STATUS, TIMED, CONFIG = "status", "timed", "settings-only"
"""The groups of documents that a build reuses; `TIMED` has those of `STATUS` that show an instant, by their plain paths."""

ALL, EXAMPLES = "all of the status", "examples"
"""The group of the whole status, and the paths that the API page uses as examples."""


def add_site_documents(
    target: BuildTarget,
    status: SiteStatus,
    contracts: BuiltContracts[Catalogue],
    progress: Progress,
    *,
    verify: bool,
    result: SectionResult,
) -> list[Finding]:
    """Add every document about the whole site, and those of stages.

    Returns:
        Findings about skipped documents, which the next build makes again.

    Raises:
        StatuaryError: if the documents of the status cannot be made.
    """
    catalogue, counts = contracts.catalogue, contracts.counts
    if result.previous_versions:
        status = replace(status, previous_versions=result.previous_versions)
    skipped: list[Finding] = []
    with stage(progress, "Status documents and pages"):
        writer = StatusWriter(target, catalogue, result, skipped)
        current_paths = run_guarded(
            partial(writer.reuse_or_make, status, verify=verify), "", "making it", TARGET_ERRORS
        )
        if isinstance(current_paths, Finding):
            target.discard(writer.added_paths)
            status, skipped[:] = with_working_documents(status)
            current_paths = writer.make_all(status)
        add_config_documents(target, catalogue, counts, current_paths, skipped, verify=verify)
    return skipped


@dataclass(slots=True)
class StatusWriter:
    """Adds the documents of a status, or reuses those of the last build."""

    target: BuildTarget
    catalogue: Catalogue
    additions: SectionResult
    skipped: list[Finding]  # gains why documents cannot be made
    added_paths: list[str] = field(default_factory=list)  # the paths so far

    def reuse_or_make(self, status: SiteStatus, *, verify: bool) -> Sequence[str]:
        """Add changed documents and reuse the rest.

        Returns:
            The paths of this instant's documents.
        """
        fingerprint = fingerprint_of(status.cache_key_inputs, self.catalogue.hosting).text
        timed: Sequence[str] | None = None if verify else self._reuse_all(fingerprint)
        if timed is None:
            timed = self._add_timed(status, verify=verify)
            parts = list(self._add_final(status, verify=verify))
            self._save_group(ALL, fingerprint, [STATUS, TIMED, *parts])
        return [*timed, *self._examples(status, fingerprint)]

    def _examples(self, status: SiteStatus, fingerprint: str) -> Sequence[str]:
        """Return the paths of final documents, for the API page.

        They are those of the last build if it had the same content.
        """
        previous = self.target.ledger.group(EXAMPLES)
        paths = previous.paths if previous.fingerprint == fingerprint else tuple(status.example_paths)
        self._save_group(EXAMPLES, fingerprint, paths)
        return paths

    def make_all(self, status: SiteStatus) -> Sequence[str]:
        """Add all documents, so that the next build reuses none.

        Returns:
            The paths of this instant's documents.
        """
        for group in (ALL, STATUS, TIMED, *(part.name for part in status.archive_parts)):
            self.target.ledger.save_group(group, "")
        current_paths = self._make_timed(status)
        for part in status.archive_parts:
            self._add(part.documents())
        return [*current_paths, *status.example_paths]

    def _reuse_all(self, fingerprint: str) -> Sequence[str] | None:
        """Reuse the last build's status if its content is the same.

        Returns:
            The paths of its timed documents, or None.
        """
        ledger = self.target.ledger
        previous = ledger.group(ALL)
        groups = {name: ledger.group(name) for name in previous.paths}
        if previous.fingerprint != fingerprint or not _reuse_groups(self.target, groups):
            return None
        for name, group in {**groups, ALL: previous}.items():
            ledger.save_group(name, group.fingerprint, paths=group.paths)
        return groups[TIMED].paths

    def _add_timed(self, status: SiteStatus, *, verify: bool) -> Sequence[str]:
        """Add or reuse the documents that may change before the next build.

        Returns:
            The paths of this instant's documents.
        """
        fingerprint = fingerprint_of(status.timed_inputs, self.catalogue.hosting).text
        paths = None if verify else self._reused(STATUS, fingerprint)
        current_paths: Sequence[str] = self.target.ledger.group(TIMED).paths
        if paths is None:
            added_before = len(self.added_paths)
            current_paths = self._make_timed(status)
            paths = self.added_paths[added_before:]
        self._save_group(STATUS, fingerprint, paths)
        self._save_group(TIMED, fingerprint, current_paths)
        return current_paths

    def _make_timed(self, status: SiteStatus) -> Sequence[str]:
        current_paths = [document.path for document in status.current_documents]
        documents = status_documents(
            status.current_documents,
            status.epochs,
            self.skipped,
            read_published=self.target.published,
            members=self.additions.changes,
        )
        self._add(documents)
        return current_paths

    def _add_final(self, status: SiteStatus, *, verify: bool) -> Iterator[str]:
        """Add or reuse final documents; yield their groups."""
        common = digest_of(status.shared_inputs, self.catalogue.hosting)
        for part in status.archive_parts:
            fingerprint = fingerprint_of(common, part.digest).text
            paths = None if verify else self._reused(part.name, fingerprint)
            if paths is None:
                paths = self._add(part.documents())
            self._save_group(part.name, fingerprint, paths)
            yield part.name

    def _reused(self, group: str, fingerprint: str) -> Sequence[str] | None:
        paths = _reused_group(self.target, group, fingerprint)
        self.added_paths += paths or ()
        return paths

    def _add(self, documents: Iterable[Document]) -> Sequence[str]:
        return _add_documents(self.target, self.catalogue, documents, self.added_paths)

    def _save_group(self, group: str, fingerprint: str, paths: Iterable[str]) -> None:
        self.target.ledger.save_group(group, "" if self.skipped else fingerprint, paths=paths)


def _reuse_groups(target: BuildTarget, groups: Mapping[str, CachedGroup]) -> bool:
    unchanging = [group for name, group in groups.items() if name != TIMED]
    are_older = target.ledger.documents.are_older_than
    if not all(are_older(group.run, group.paths) for group in unchanging):
        return False
    return target.reuse(path for group in unchanging for path in group.paths)


def _reused_group(target: BuildTarget, group: str, fingerprint: str) -> tuple[str, ...] | None:
    """Reuse an earlier build's group if its fingerprint is the same.

    Returns:
        Its paths, or None if the group must be made.
    """
    previous, ledger = target.ledger.group(group), target.ledger
    # a later publication, such as a tick, may have replaced documents
    is_same = previous.fingerprint == fingerprint and ledger.documents.are_older_than(
        previous.run, previous.paths
    )
    return previous.paths if is_same and target.reuse(previous.paths) else None


def _add_documents(
    target: BuildTarget, catalogue: Catalogue, documents: Iterable[Document], paths: list[str]
) -> Sequence[str]:
    """Add documents at their paths in the site's layout; collect these in `paths`."""
    from statuary.publish.host_layout import apply_host_layout

    count_before = len(paths)

    def documents_in_layout() -> Iterator[Document]:
        for document in apply_host_layout(documents, catalogue.hosting):
            paths.append(document.path)
            yield document

    target.add(documents_in_layout())
    return paths[count_before:]


def publish(target: BuildTarget, progress: Progress) -> Plan:
    """Return a target's plan, after applying it unless in a dry run."""
    plan = target.plan()
    if not target.dry_run:
        with stage(progress, "Publishing"):
            target.apply()
    return plan


def add_config_documents(
    target: BuildTarget,
    catalogue: Catalogue,
    contracts: ContractCounts,
    current_paths: Sequence[str],
    skipped: list[Finding],
    *,
    verify: bool,
) -> None:
    """Add the config-only documents, or reuse them if their fingerprint is unchanged.

    Args:
        current_paths: the paths of the timed documents.
        skipped: collects why documents cannot be made.
    """
    fingerprint = fingerprint_of(*config_inputs(catalogue, contracts, current_paths)).text
    paths: Sequence[str] | None = None if verify else _reused_group(target, CONFIG, fingerprint)
    if paths is None:
        count_before = len(skipped)
        outcome = run_guarded(
            lambda: tuple(config_documents(catalogue, contracts, current_paths, skipped)),
            "",
            "making the documents of the settings",
            (*INTERRUPTIONS, StatuaryError),  # such as that a library is not installed
        )
        skipped += [outcome] if isinstance(outcome, Finding) else []
        paths = _add_documents(target, catalogue, () if isinstance(outcome, Finding) else outcome, [])
        fingerprint = fingerprint if len(skipped) == count_before else ""
    target.ledger.save_group(CONFIG, fingerprint, paths=paths)
