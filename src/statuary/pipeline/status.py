"""The status of a site: timeline, epochs, and findings."""

from bisect import bisect_right
from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cached_property
from typing import TYPE_CHECKING

from statuary.checks.status.status_checks import status_findings
from statuary.documents.all_documents import documents_at_instant, later_documents
from statuary.documents.document import Document
from statuary.documents.pages.rendering import renderer_of
from statuary.documents.pages.site_context import SiteContext, site_context
from statuary.documents.pages.status.built_time import built_at_another_time
from statuary.documents.pages.theme_findings import template_finding, text_findings
from statuary.documents.status_api.documents import StatusDocuments, build_status_documents
from statuary.documents.status_api.epochs import EpochLimits, EpochPlan, cut_finding, epoch_files, plan_epochs
from statuary.documents.url_table import STATUS_PAGE, incident_of
from statuary.domain.catalogue import Catalogue
from statuary.domain.findings import Finding
from statuary.domain.primitives import Instant
from statuary.domain.settings import ThemeError
from statuary.domain.status.timeline import changes_after
from statuary.pipeline.options import CheckOptions

if TYPE_CHECKING:
    from statuary.documents.feeds.feed_documents import FeedDocuments
    from statuary.documents.pages.page_parts import FormerVersion
    from statuary.documents.pages.status.pages import StatusPages


@dataclass(frozen=True)
class SiteStatus:
    """The status at a build's instant; what only publishing needs is computed on demand."""

    site: StatusDocuments
    now: Instant
    context: SiteContext
    # earlier versions of updates, by update
    former: "Mapping[str, tuple[FormerVersion, ...]]" = field(default_factory=dict)

    @cached_property
    def feeds(self) -> "FeedDocuments":
        """Feeds, calendar and badges over time."""
        from statuary.documents.feeds.feed_documents import FeedDocuments

        return FeedDocuments(self.site.timeline)

    @cached_property
    def pages(self) -> "StatusPages | None":
        """HTML pages over time; None if the site has none."""
        if not self.context.settings.status:
            return None
        from statuary.documents.pages.status.pages import StatusPages

        return StatusPages(self.site.timeline, self.context, self.now, self.former, self._last_announced)

    @property
    def _last_announced(self) -> Instant:
        """Up to when the status page says what changes next."""
        return Instant(self.now + self.site.settings.horizon)

    @cached_property
    def incidents(self) -> list[Document]:
        """The documents of all incidents and maintenances at the build's instant."""
        documents = self.site.documents_at(self.now)
        return [document for document in documents if incident_of(document.path)]

    @cached_property
    def present(self) -> list[Document]:
        """Every timed document at the build's instant."""
        return documents_at_instant(self.site, self.feeds, self.pages, self.now)

    @cached_property
    def epochs(self) -> EpochPlan:
        """The later epochs."""
        after = later_documents(self.site, self.feeds, self.pages, self.now)
        return plan_epochs(
            lambda at: self.present if at == self.since else after(at),
            self.transitions,
            self.since,
            EpochLimits(self.site.timeline.until, self.site.settings.max_epochs),
            lambda until: [] if self.pages is None else self.pages.stale_pages_at(until),
        )

    @cached_property
    def since(self) -> Instant:
        """Since when the documents are as at the build's instant, but for the status page, which shows that."""
        return self.site.unchanged_since(self.now, days=self.context.settings.status)

    @property
    def inputs(self) -> tuple[object, ...]:
        """Everything, besides the program, that the timed documents and their epochs depend on, but the time of the build."""
        former = tuple((update, tuple(map(repr, self.former[update]))) for update in sorted(self.former))
        timeline = self.site.timeline
        instants = [one.isoformat() for one in (self.since, *self.transitions, timeline.until)]
        # a template of the site's own may show the build's time in any way
        built_at = self.now.isoformat() if self.context.settings.theme.templates else ""
        announced = bisect_right(timeline.changes, self._last_announced)
        return built_at, announced, instants, timeline.catalogue, self.site.settings, self.context, former

    @property
    def paths_with_time(self) -> list[str]:
        """The paths of the status page and the files of its epochs, which show when they were built."""
        path = STATUS_PAGE.path()
        files = [] if self.pages is None else epoch_files(self.epochs, path)
        return [] if self.pages is None else [path, *(file.path for file in files)]

    def built_now(self, files: Mapping[str, bytes], built_at: Instant) -> list[Document] | None:
        """Return these files, made of the same inputs at another time, as built at this one; None if they cannot be."""
        moment = renderer_of(self.context).localization.dates.moment
        return built_at_another_time(files, moment(built_at), moment(self.now))

    @cached_property
    def transitions(self) -> list[Instant]:
        """The instants up to the horizon at which a document may change."""
        return self.site.transitions(self.now, days=self.context.settings.status)

    @property
    def next_transition(self) -> Instant | None:
        """The first instant up to the horizon at which a document may change."""
        return next(iter(self.transitions), None)

    @property
    def horizon(self) -> Instant | None:
        """The instant by which the next build is due; None if nothing changes until the content does."""
        horizon = self.site.timeline.until
        shows_days = self.site.settings.uptime or self.context.settings.status
        return horizon if shows_days or changes_after(self.site.timeline, self.now) else None

    def findings(self, check_options: CheckOptions) -> list[Finding]:
        """Return the findings of the status rules."""
        return list(status_findings(self.site.timeline, self.now, check_options.skipped))

    def theme_findings(self) -> list[Finding]:
        """Return the findings about the theme: its texts, and the templates that the status needs."""
        settings = self.context.settings
        found = list(text_findings(settings, [key for key, _ in self.context.parts]))
        if not found and settings.theme.templates:
            from statuary.documents.pages.site_pages import not_found_page

            try:
                _ = self.present, not_found_page(self.context)
            except ThemeError as broken:
                found.append(template_finding(broken))
        return found

    def epoch_findings(self) -> list[Finding]:
        """Return the findings about epochs, which are computed only if there may be too many."""
        if len(self.transitions) <= self.site.settings.max_epochs:
            return []
        cut = cut_finding(self.epochs)
        return [] if cut is None else [cut]


def status_at(catalogue: Catalogue, now: Instant) -> SiteStatus:
    """Return the status of a catalogue at an instant."""
    return SiteStatus(
        build_status_documents(catalogue.status, now, catalogue.status_settings), now, site_context(catalogue)
    )
