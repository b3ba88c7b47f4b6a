"""The status side of a site: its timeline, its epochs, and what its rules say."""

from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING

from statuary.checks.status.table import status_findings
from statuary.documents.all_documents import documents_after, documents_of_an_instant
from statuary.documents.document import Document
from statuary.documents.feeds.feed_documents import FeedSite
from statuary.documents.pages.frame import Frame, frame_of
from statuary.documents.pages.theme_findings import broken_template, text_findings
from statuary.documents.status_api.epochs import EpochPlan, cut_finding, plan_epochs
from statuary.documents.status_api.status_documents import StatusSite, status_site
from statuary.domain.catalogue import Catalogue
from statuary.domain.findings import Finding
from statuary.domain.pages import ThemeBroken
from statuary.domain.primitives import Instant
from statuary.domain.status.timeline import transitions
from statuary.pipeline.rigour import Rigour

if TYPE_CHECKING:
    from statuary.documents.pages.status.status_pages import StatusPages


@dataclass(frozen=True)
class StatusSide:
    """The status side at a build's instant; what only publishing needs is made when it is asked for.

    Attributes:
        site: the status documents over time.
        now: the build's instant.
        frame: what the pages for people have in common.
    """

    site: StatusSite
    now: Instant
    frame: Frame

    @cached_property
    def feeds(self) -> FeedSite:
        """Feeds, calendar and badges over time."""
        return FeedSite(self.site.line)

    @cached_property
    def pages(self) -> "StatusPages | None":
        """The pages for people over time; None if the site has none."""
        if not self.frame.settings.status:
            return None
        from statuary.documents.pages.status.status_pages import StatusPages

        return StatusPages(self.site.line, self.frame, self.now)

    @cached_property
    def present(self) -> list[Document]:
        """Every document that keeps time, as it reads at the build's instant."""
        return documents_of_an_instant(self.site, self.feeds, self.pages, self.now)

    @cached_property
    def epochs(self) -> EpochPlan:
        """What changes by itself after the build."""
        settings = self.site.settings
        after = documents_after(self.site, self.feeds, self.pages, self.now)
        return plan_epochs(
            lambda at: self.present if at == self.now else after(at),
            self.site.transitions(self.now),
            self.now,
            Instant(self.now + settings.horizon),
            settings.max_epochs,
        )

    @cached_property
    def next_transition(self) -> Instant | None:
        """When the documents change by themselves for the first time; a midnight alone does not count."""
        horizon = Instant(self.now + self.site.settings.horizon)
        return next(iter(transitions(self.site.line, self.now, horizon)), None)

    def findings(self, rigour: Rigour) -> list[Finding]:
        """Return what the rules of the status side have to say."""
        return list(status_findings(self.site.line, self.now, rigour.skipped))

    def theme_findings(self) -> list[Finding]:
        """Return what is wrong with the site's theme: its texts, and its templates as far as the status needs them."""
        settings = self.frame.settings
        found = list(text_findings(settings))
        if not found and settings.theme.templates:
            from statuary.documents.pages.page_documents import not_found_page

            try:
                _ = self.present, not_found_page(self.frame)
            except ThemeBroken as broken:
                found.append(broken_template(broken))
        return found

    def epoch_findings(self) -> list[Finding]:
        """Return what is to be said of the epochs; they are made only if there may be too many of them."""
        if len(self.site.transitions(self.now)) <= self.site.settings.max_epochs:
            return []
        cut = cut_finding(self.epochs)
        return [] if cut is None else [cut]


def status_side(catalogue: Catalogue, now: Instant) -> StatusSide:
    """Return the status side of a catalogue at an instant."""
    return StatusSide(status_site(catalogue.status, now, catalogue.status_settings), now, frame_of(catalogue))
