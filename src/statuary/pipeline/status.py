"""The status side of a site: its timeline, its epochs, and what its rules say."""

from dataclasses import dataclass
from functools import cached_property

from statuary.checks.status.table import status_findings
from statuary.documents.document import Document
from statuary.documents.feeds.feed_documents import FeedSite
from statuary.documents.status_api.epochs import EpochPlan, cut_finding, plan_epochs
from statuary.documents.status_api.status_documents import StatusSite, status_site
from statuary.domain.catalogue import Catalogue
from statuary.domain.findings import Finding
from statuary.domain.primitives import Instant
from statuary.domain.status.timeline import transitions
from statuary.pipeline.checked import Rigour


@dataclass(frozen=True)
class StatusSide:
    """The status side at a build's instant; what only publishing needs is made when it is asked for.

    Attributes:
        site: the status documents over time.
        now: the build's instant.
    """

    site: StatusSite
    now: Instant

    @cached_property
    def epochs(self) -> EpochPlan:
        """What changes by itself after the build: status documents, feeds, calendar, badges."""
        feeds = FeedSite(self.site.line)
        timed = self.site.timed_documents(self.now)

        def documents_at(at: Instant) -> list[Document]:
            return [*timed(at), *feeds.documents_at(at)]

        settings = self.site.settings
        horizon = Instant(self.now + settings.horizon)
        return plan_epochs(
            documents_at, self.site.transitions(self.now), self.now, horizon, settings.max_epochs
        )

    @cached_property
    def next_transition(self) -> Instant | None:
        """When the documents change by themselves for the first time; a midnight alone does not count."""
        horizon = Instant(self.now + self.site.settings.horizon)
        return next(iter(transitions(self.site.line, self.now, horizon)), None)

    def findings(self, rigour: Rigour) -> list[Finding]:
        """Return what the rules of the status side have to say."""
        return list(status_findings(self.site.line, self.now, rigour.skipped))

    def epoch_findings(self) -> list[Finding]:
        """Return what is to be said of the epochs."""
        cut = cut_finding(self.epochs)
        return [] if cut is None else [cut]


def status_side(catalogue: Catalogue, now: Instant) -> StatusSide:
    """Return the status side of a catalogue at an instant."""
    return StatusSide(status_site(catalogue.status, now, catalogue.status_settings), now)
