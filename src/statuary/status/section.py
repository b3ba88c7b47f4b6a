"""The status section: components, incidents and maintenance windows."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from functools import partial
from typing import TYPE_CHECKING, NamedTuple

from typing_extensions import override

from statuary.base.budget import run_guarded
from statuary.base.findings import Finding, Rule
from statuary.base.primitives import count_text
from statuary.base.progress import report_stage
from statuary.registry import load, providers
from statuary.section import (
    ApiFacts,
    ContentFolder,
    ContentSection,
    FilteredSite,
    Outlook,
    Run,
    SectionContent,
    SectionResult,
)
from statuary.site.document import Document
from statuary.site.pages.try_make import try_make
from statuary.source.file_kinds import FileKind
from statuary.status.hooks import FollowsStatus, PreviousVersions, PublishesIncidents
from statuary.status.model.records import StatusContent
from statuary.status.sources.read_values import StatusKeys
from statuary.status.urls import URLS

if TYPE_CHECKING:
    from statuary.site.operations import ApiDescription
    from statuary.site.site_content import SiteContent
    from statuary.source.source_model import SectionSource, SourceModel
    from statuary.status.site_status import SiteStatus

STATUS_RULES = "status"
"""The name of the group of rules about components, incidents and maintenances."""


class _FindingsByPath(NamedTuple):
    about_file: Sequence[Finding]
    others: Sequence[Finding]


def _split_findings_by_path(findings: Sequence[Finding], path: str) -> _FindingsByPath:
    about_file = [finding for finding in findings if finding.path == path]
    return _FindingsByPath(about_file, [finding for finding in findings if finding.path != path])


class StatusSection(ContentSection, PublishesIncidents):
    """The section that builds the status of a network.

    Attributes:
        _errors: the errors in components.yaml that stop the build; set by `exclude_faults`.
    """

    urls = URLS
    settings_type = StatusKeys

    _status: "SiteStatus"  # set by `exclude_faults`
    _found: Sequence[Finding] = ()  # the findings of the rules; set by `exclude_faults`
    _errors: Sequence[Finding] = ()
    _paths: Sequence[str] = ()  # the paths of current documents and examples; set by `build`

    @override
    @classmethod
    def settings_model(cls) -> "type[SectionSource]":
        from statuary.status.sources.site_settings import StatusKeysSource

        return StatusKeysSource

    @override
    @classmethod
    def schemas(cls) -> "Mapping[str, tuple[FileKind, type[SourceModel] | None]]":
        from statuary.status.sources.component_source import ComponentsSource
        from statuary.status.sources.incident_source import IncidentSource, TemplateSource
        from statuary.status.sources.maintenance_source import MaintenanceSource

        return {
            "components": (FileKind.COMPONENTS, ComponentsSource),
            "incident": (FileKind.INCIDENT, IncidentSource),
            "maintenance": (FileKind.MAINTENANCE, MaintenanceSource),
            "template": (FileKind.TEMPLATE, TemplateSource),
        }

    @override
    def read(self, folder: ContentFolder) -> SectionContent | None:
        from statuary.status.sources.read_status import read_status

        keys = folder.settings if isinstance(folder.settings, StatusKeys) else None
        status = read_status(folder.files, None if keys is None else keys.page, folder.source, folder.known)
        if status is None or keys is None:
            return None
        enabled = dict(folder.extensions)
        for key, target in providers("status").items():
            if key in enabled:
                apply = load(target)
                status = apply(folder.root, enabled[key], status, folder.files.findings, folder.language)
        return SectionContent(StatusContent(status, keys.settings), page=status.page)

    @override
    @classmethod
    def rules(cls) -> "Iterable[Rule]":
        from statuary.status.checks.status_checks import STATUS_CHECKS

        return [
            Rule(check.name, check.severity, STATUS_RULES, check.rule, can_skip=True)
            for check in STATUS_CHECKS
        ]

    @override
    def exclude_faults(self, run: Run, unread: Sequence[Finding]) -> FilteredSite | None:
        from statuary.status.sources.last_published import (
            explain_record_errors,
            keep_last_published_records,
        )

        site = run.site
        if site is None:
            return None
        # `statuary check` and strict builds report errors. Any other build excludes the faulty content, and
        # goes on.
        is_stopped_by_errors = run.is_check or run.checks.strict
        of_components, unread = _split_findings_by_path(
            unread, site.content_of(StatusContent).catalogue.components_source
        )
        if of_components:
            site, of_components = self._with_last_components(
                site, run, of_components, keeps=not is_stopped_by_errors
            )
        if unread and not run.is_check:
            site = keep_last_published_records(site, run.target, site.unread)
            unread = explain_record_errors(unread, site)
        unread = [*of_components, *unread]
        with report_stage(run.progress, "Status"):
            sound = self._without_failing_records(site, run)
            if is_stopped_by_errors:
                return FilteredSite(sound.site, [*unread, *sound.findings])
            return self._without_broken_files(site, sound, run, unread)

    def _with_last_components(
        self, site: "SiteContent", run: Run, component_errors: Sequence[Finding], *, keeps: bool
    ) -> FilteredSite:
        """Replace components that cannot be read by their last published versions.

        If no component can be read and none was published, the errors in the file stop the build.

        Args:
            component_errors: the errors in the file.
            keeps: whether to use the published versions. If not, the errors stop the build.
        """
        from statuary.status.broken_records import with_status_catalogue
        from statuary.status.faulty_components import (
            explain_component_errors,
            keep_published_components,
            load_published_components,
        )

        catalogue = site.content_of(StatusContent).catalogue
        last = load_published_components(run.target) if keeps else ()
        if not keeps or not (last or catalogue.components):
            self._errors = component_errors
            return FilteredSite(site._replace(unread=site.unread - {catalogue.components_source}), [])
        kept = keep_published_components(catalogue, last, [part.pointer for part in catalogue.faulty_parts])
        explained = [*explain_component_errors(component_errors, kept.catalogue), *kept.findings]
        return FilteredSite(with_status_catalogue(site, kept.catalogue), explained)

    def _without_broken_files(
        self, site: "SiteContent", sound: FilteredSite, run: Run, unread: Sequence[Finding]
    ) -> FilteredSite:
        from statuary.status.broken_records import (
            errors_in_record_files,
            with_status_catalogue,
            without_records_of_files,
        )
        from statuary.status.faulty_components import (
            find_faulty_components,
            load_published_components,
            replace_faulty_components,
        )
        from statuary.status.sources.last_published import (
            explain_record_errors,
            keep_last_published_records,
        )

        excluded = list(unread)
        while faulty := find_faulty_components(self._found, sound.site.content_of(StatusContent).catalogue):
            catalogue = site.content_of(StatusContent).catalogue
            kept = replace_faulty_components(catalogue, faulty, load_published_components(run.target))
            # A page without components would say that everything is operational. So let the errors stop the
            # build.
            if not kept.catalogue.components:
                site = site._replace(unread=site.unread - {catalogue.components_source})
                break
            excluded += kept.findings
            site = with_status_catalogue(site, kept.catalogue)
            site = site._replace(unread=site.unread | {catalogue.components_source})
            sound = self._without_failing_records(site, run)
        while broken := errors_in_record_files(self._found, sound.site):
            paths = {finding.path for finding in broken}
            site = keep_last_published_records(without_records_of_files(site, paths), run.target, paths)
            excluded += explain_record_errors(broken, site)
            sound = self._without_failing_records(site, run)
        return FilteredSite(sound.site, [*excluded, *sound.findings])

    def _without_failing_records(self, site: "SiteContent", run: Run) -> FilteredSite:
        """Compute the status without records that exceed a limit or raise exceptions."""
        from statuary.status.isolate_faulty_records import isolate_faulty_records
        from statuary.status.model.bounded_records import limit_records

        content = site.content_of(StatusContent)
        catalogue, excess = limit_records(content.catalogue, run.instant, content.settings)
        site = site.with_section_content(content._replace(catalogue=catalogue))
        followers = partial(run.sections_of, FollowsStatus)
        site, self._status, unsound = isolate_faulty_records(site, run.instant, followers)
        found = run_guarded(
            partial(self._status.findings, run.checks.skipped), site.source, "checking the status"
        )
        self._found = [found] if isinstance(found, Finding) else found
        return FilteredSite(site, [*excess, *unsound])

    @override
    def findings(self, run: Run) -> Iterator[Finding]:
        yield from self._errors
        yield from self._found
        source = "" if run.site is None else run.site.source
        found = run_guarded(self._status.epoch_findings, source, "counting the epochs")
        yield from [found] if isinstance(found, Finding) else found

    @override
    def outlook(self) -> Outlook:
        status = self._status
        return Outlook(status.unchanged_since, status.next_transition, status.horizon)

    @override
    def incident_documents(self) -> Sequence[Document]:
        return self._status.incident_documents

    @override
    def build(self, run: Run) -> SectionResult | None:
        from statuary.status.faulty_components import store_published_components
        from statuary.status.write_status import write_status

        if run.site is None:
            return None
        former = run.result_of(PreviousVersions) or PreviousVersions()
        skipped = list[Finding]()
        with report_stage(run.progress, "Status documents and pages"):
            versions = former.previous_versions or self._status.previous_versions
            self._paths = write_status(
                run.target,
                replace(self._status, previous_versions=versions),
                run.site.hosting,
                former.changes,
                skipped,
                verify=run.execution.verify,
            )
        content = run.site.content_of(StatusContent).catalogue
        store_published_components(run.target, content.components)
        counts = (
            count_text(len(content.components), "component"),
            count_text(len(content.incidents), "incident"),
            count_text(len(content.maintenances), "maintenance"),
        )
        return SectionResult(skipped=tuple(skipped), counts=counts)

    @override
    def operations(self, run: Run) -> "Iterable[ApiDescription]":
        from statuary.site.operations import Operation
        from statuary.status.api.operations import FEEDS, FEEDS_TAG, STATUS_API, is_served

        added = (url for section in run.sections_of(FollowsStatus) for url in section.feeds)
        operations = (
            *FEEDS.operations,
            *(Operation(url, tag=FEEDS_TAG, may_be_missing=True) for url in added),
        )
        settings = self._status.settings
        served = tuple(row for row in STATUS_API.operations if is_served(row, settings))
        return [STATUS_API._replace(operations=served), FEEDS._replace(operations=operations)]

    @override
    def config_documents(self, site: "SiteContent", skipped: list[Finding]) -> Iterator[Document]:
        from statuary.status.pages.status_assets import status_assets

        yield from try_make("the icons of the status", status_assets, skipped)

    @override
    def config_inputs(self, site: "SiteContent") -> object:
        content = site.content_of(StatusContent)
        status = content.catalogue
        groups = sum(component.group for component in status.components)
        counts = len(status.components), groups, len(status.incidents), len(status.maintenances)
        return status.page, content.settings, counts, tuple(self._paths)

    @override
    def api_facts(self, site: "SiteContent") -> ApiFacts:
        from statuary.status.api.operations import FEED_ENDPOINTS, STATUS_ENDPOINTS

        status = site.content_of(StatusContent).catalogue
        return ApiFacts(
            endpoints={"status": STATUS_ENDPOINTS, "follow": FEED_ENDPOINTS},
            examples=self._paths,
            counts=[
                ("api.components", sum(not component.group for component in status.components)),
                ("api.incidents", len(status.incidents)),
                ("api.maintenances", len(status.maintenances)),
            ],
        )
