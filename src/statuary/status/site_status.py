"""The status of a build: its final documents, current ones, and epochs."""

from bisect import bisect_right
from collections.abc import Callable, Collection, Container, Iterable, Iterator
from dataclasses import dataclass, field, replace
from datetime import timedelta
from functools import cached_property
from typing import TYPE_CHECKING

from statuary.base.findings import Finding
from statuary.base.limits import MAX_EPOCH_ENTRIES
from statuary.base.primitives import Instant
from statuary.publish.fingerprint import digest_of
from statuary.registry import third_party_versions
from statuary.site.document import Document
from statuary.site.pages.site_context import SiteContext
from statuary.site.pages.try_make import try_make
from statuary.site.site_content import SiteContent
from statuary.status.archive_parts import ArchivePart, StatusArchive
from statuary.status.checks.status_checks import status_findings
from statuary.status.hooks import FollowsStatus
from statuary.status.model.embargo import public_status
from statuary.status.model.incident_history import IncidentHistory, IncidentState, estimate_document_entries
from statuary.status.model.records import StatusCatalogue, StatusContent, StatusSettings, began_at
from statuary.status.model.schedule import build_timeline_to_horizon, document_transitions, unchanged_since
from statuary.status.model.timeline import Timeline, changes_after
from statuary.status.urls import ARCHIVE, INCIDENT, incident_id_of_path

if TYPE_CHECKING:
    from collections.abc import Mapping

    from statuary.site.pages.page_parts import PreviousVersion
    from statuary.status.api.documents import StatusDocuments
    from statuary.status.api.epochs import EpochPlan
    from statuary.status.feeds.feed_documents import FeedDocuments
    from statuary.status.pages.pages import StatusPages


SHOWN_FOR = timedelta(days=100)
"""Longer than any document looks back: uptime covers 90 days, the history page three months."""


PAGES, FEEDS, EPOCHS, EXTENSIONS = "pages of the status", "feeds", "epochs", "documents of extensions"
"""The kinds of documents that can be omitted, unlike those of the API."""


@dataclass(frozen=True)
class SiteStatus:
    """The status that a build publishes; documents are made on demand.

    Attributes:
        previous_versions: the earlier published versions of updates, by the update's id.
        omitted_sources: the files of the incidents and maintenances that documents leave out, by kind of
            document.
        content: the content including held-back records; None if no record is held back.
        next_publication: the time when the next held-back record is published; None if no record is held
            back.
    """

    timeline: Timeline
    settings: StatusSettings
    now: Instant
    context: SiteContext | None  # None omits the pages
    shows_days: bool  # whether the site has status pages, which show each day
    previous_versions: "Mapping[str, tuple[PreviousVersion, ...]]" = field(default_factory=dict)
    skipped: frozenset[str] = frozenset()  # the kinds of documents that are not made
    omitted_sources: "Mapping[str, frozenset[str]]" = field(default_factory=dict)
    followers: tuple[FollowsStatus, ...] = ()  # sections of extensions with documents that follow the status
    packages: tuple[str, ...] = ()  # the versions of other packages whose sections the site enables
    content: StatusCatalogue | None = None
    next_publication: Instant | None = None

    @cached_property
    def api(self) -> "StatusDocuments":
        """The object that makes the API documents for any time."""
        from statuary.status.api.documents import StatusDocuments

        return StatusDocuments(self.timeline, self.settings)

    @cached_property
    def feeds(self) -> "FeedDocuments | None":
        """The object that makes feeds, calendar and badges; None if the site has no feeds."""
        if FEEDS in self.skipped:
            return None
        from statuary.site.pages.rendering import renderer_of
        from statuary.status.feeds.feed_documents import FeedDocuments
        from statuary.status.feeds.feed_words import ENGLISH, feed_words

        words = ENGLISH if self.context is None else feed_words(renderer_of(self.context).localization.texts)
        return FeedDocuments(self._timeline_for_kind(FEEDS), words)

    @cached_property
    def pages(self) -> "StatusPages | None":
        """The object that makes the HTML pages; None if the site has no pages."""
        if self.context is None or not self.context.settings.status or PAGES in self.skipped:
            return None
        from statuary.status.pages.pages import StatusPages

        return StatusPages(self._timeline_for_kind(PAGES), self.context, self.previous_versions)

    def _timeline_for_kind(self, kind: str) -> Timeline:
        """Return the timeline without the incidents that, for example, `FEEDS` fail to show."""
        omitted_sources = self.omitted_sources.get(kind)
        if omitted_sources is None:
            return self.timeline
        incidents, maintenances = (
            tuple(history for history in histories if history.incident.source not in omitted_sources)
            for histories in (self.timeline.incidents, self.timeline.maintenances)
        )
        return replace(self.timeline, incidents=incidents, maintenances=maintenances)

    @property
    def active_followers(self) -> tuple[FollowsStatus, ...]:
        """The extensions with documents of the status, unless `skipped` has their documents."""
        return () if EXTENSIONS in self.skipped else self.followers

    @cached_property
    def incident_documents(self) -> list[Document]:
        """The API documents of all incidents and maintenance windows."""
        documents = self.api.documents_at(self.now)
        return [document for document in documents if incident_id_of_path(document.path)]

    @cached_property
    def _timed_documents_at(self) -> Callable[[Instant], list[Document]]:
        timeline = self._timeline_for_kind(EXTENSIONS)
        added = [follower.documents_at(timeline, self.now, self.pages) for follower in self.active_followers]
        api = self.api.documents_from(self.now)
        feeds = None if self.feeds is None else self.feeds.documents_from(self.now)
        pages = None if self.pages is None else self.pages.documents_from(self.now)
        changes = frozenset((self.now, *self.timeline.change_times))

        def documents_at(at: Instant) -> list[Document]:
            documents = [*api(at)]
            # Feeds do not show uptime. So skip them at midnight and at each full hour of an outage, when only
            # the uptime changes.
            if feeds is not None and at in changes:
                documents += feeds(at)
            if pages is not None:
                documents += pages(at)
            for follower in added:
                documents += follower(at)
            return documents

        return documents_at

    @cached_property
    def current_documents(self) -> list[Document]:
        """The documents that may still change, as they are now."""
        return self._timed_documents_at(self.now)

    def published_documents(
        self,
        skipped: list[Finding],
        *,
        read_published: Callable[[str], bytes | None],
        members: "Mapping[str, Mapping[str, object]]",
    ) -> Iterator[Document]:
        """Yield the current documents, their later versions, and `changes.json`.

        Args:
            skipped: receives a finding for each document that cannot be made; the others are still yielded.
            read_published: returns the bytes of a document of the last build by path, or None if there are
                none.
            members: additional members of incidents in `changes.json`, by incident id.
        """
        from statuary.status.api.epochs import epoch_documents
        from statuary.status.feeds.status_changes import changes_document

        current, epochs = self.current_documents, self.epochs
        yield from current
        if epochs is not None:
            yield from try_make("the epochs", lambda: epoch_documents(epochs), skipped)
        yield from try_make(
            "changes.json", lambda: [changes_document(read_published, current, members)], skipped
        )

    @cached_property
    def archive_parts(self) -> list[ArchivePart]:
        """The documents that can no longer change, in sets (a month) that builds reuse."""
        archive = StatusArchive(
            self.now, self.api, self.feeds, self.pages, self._digests, self.record_documents
        )
        return archive.parts()

    def record_documents(self, record: IncidentState) -> Iterator[Document]:
        """Yield the API document and page of an incident that no longer changes."""
        yield self.api.closed_document(record)
        is_omitted = record.incident.source in self.omitted_sources.get(PAGES, ())
        if self.pages is not None and not is_omitted:
            yield self.pages.incident_page(record)

    @cached_property
    def _digests(self) -> dict[IncidentState, str]:
        final = (history.final_state for history in self.timeline.histories)
        return {record: self._record_digest(record) for record in final if record is not None}

    @property
    def api_page_examples(self) -> Iterator[str]:
        """The paths of an incident and an archive for the API page."""
        for month, records in self.api.archived_months.items():
            for record in records.unchanging_states_after(self.now):
                yield INCIDENT.path(incident_id=record.incident.id)
                if self.settings.archives:
                    yield ARCHIVE.path(month=month)
                return

    def _record_digest(self, record: IncidentState) -> str:
        updates = record.published_updates
        effects = [
            (published_update.update.id, published_update.published_at, published_update.affected_components)
            for published_update in updates
        ]
        version_texts = (
            [repr(self.previous_versions.get(published_update.update.id)) for published_update in updates]
            if self.previous_versions
            else []
        )
        return digest_of(record.incident, record.components, effects, version_texts)

    @cached_property
    def epochs(self) -> "EpochPlan | None":
        """The later versions of documents, or None if `skipped` has them after an error."""
        if EPOCHS in self.skipped:
            return None
        from statuary.status.api.epochs import EpochLimits, plan_epochs

        return plan_epochs(
            lambda at: self.current_documents if at == self.unchanged_since else self._timed_documents_at(at),
            self.transitions,
            self.unchanged_since,
            EpochLimits(
                self.timeline.until, self._max_epochs, is_large=self._max_epochs < self.settings.max_epochs
            ),
            lambda until: [] if self.pages is None else self.pages.stale_pages_at(until),
        )._replace(next_build=self.next_publication)

    @cached_property
    def _max_epochs(self) -> int:
        """The largest number of times to precompute; lower if there are many components."""
        opened = [history for history in self.timeline.histories if not history.is_unchanging_after(self.now)]
        entries = len(self.timeline.catalogue.components) + sum(map(estimate_document_entries, opened))
        return min(self.settings.max_epochs, MAX_EPOCH_ENTRIES // max(entries, 1))

    @cached_property
    def unchanged_since(self) -> Instant:
        """The time since which the documents have not changed."""
        return unchanged_since(self.timeline, self.settings, self.now, days=self.shows_days)

    @property
    def _instants(self) -> list[str]:
        instants = (self.unchanged_since, *self.transitions, self.timeline.until, self.next_publication)
        return [instant.isoformat() for instant in instants if instant is not None]

    @property
    def changing_documents_inputs(self) -> tuple[object, ...]:
        """The values on which the documents that change with time depend.

        If they are the same, a build reuses the documents. The program itself is not part of them.
        """
        earliest = Instant(self.unchanged_since - SHOWN_FOR)
        histories = self.timeline.status_histories.items()
        statuses = [(component, *history.statuses_since(earliest)) for component, history in histories]
        layers = [history.shown_since(earliest) for history in self.timeline.layer_histories.values()]
        records = [self._record_inputs(history) for history in self._records_of_changing_documents(earliest)]
        quarters = [] if self.pages is None else list(self.pages.started_quarters(self.now).records)
        counts = self.api.record_counts_by_month(self.now)
        return self.shared_inputs, self._instants, statuses, layers, records, quarters, counts

    @property
    def cache_key_inputs(self) -> tuple[object, ...]:
        """The values on which the status documents depend.

        If they are the same, a build reuses the documents. The program itself is not part of them.
        """
        return self.shared_inputs, self._instants, list(self._digests.values())

    def _records_of_changing_documents(self, earliest: Instant) -> Iterator[IncidentHistory]:
        """Yield the incidents and windows on which documents that may change depend."""
        kinds = [kind for kind in (self.api, self.feeds, self.pages) if kind is not None]
        listed_ids = {
            record.incident.id for kind in kinds for record in kind.records_in_changing_documents(self.now)
        }
        passed = bisect_right(self.timeline.change_times, self.now)
        last_change = self.timeline.change_times[passed - 1] if passed else None
        for history in self.timeline.histories:
            record = history.final_state
            if record is None:
                continue
            if not history.is_unchanging_after(self.now) or _affects_current_documents(
                record, earliest, listed_ids, last_change
            ):
                yield history

    def _record_inputs(self, history: IncidentHistory) -> tuple[object, ...]:
        states = dict.fromkeys((history.state_at(self.now), history.final_state))
        closed = [
            self.api.closed_document_inputs(state) for state in states if state is not None and state.closed
        ]
        return [self._digests[state] for state in (history.final_state,) if state is not None], closed

    @property
    def shared_inputs(self) -> tuple[object, ...]:
        """The values on which each status document depends.

        The program, the incidents and the maintenance windows are not part of them.
        """
        catalogue = self.timeline.catalogue
        added = [follower.settings for follower in self.followers]
        return catalogue.page, catalogue.components, self.settings, self.context, added, self.packages

    @cached_property
    def transitions(self) -> list[Instant]:
        """The times after the build at which a document may change."""
        return document_transitions(self.timeline, self.settings, self.now, days=self.shows_days)

    @property
    def next_transition(self) -> Instant | None:
        """The next time at which a document may change, or None."""
        return next(iter(self.transitions), None)

    @property
    def horizon(self) -> Instant | None:
        """The time by which the site must be built again.

        The value is None if the status never changes by itself.
        """
        horizon = self.timeline.until
        if self.next_publication is not None:
            return min(horizon, self.next_publication)
        shows_days = self.settings.uptime or self.shows_days
        return horizon if shows_days or changes_after(self.timeline, self.now) else None

    def findings(self, skipped: Collection[str]) -> list[Finding]:
        """Run the checks of incidents, maintenance windows and components.

        Incidents that are not yet published are checked, too.

        Args:
            skipped: the names of the checks to skip.
        """
        timeline = self.timeline
        if self.content is not None:
            timeline = build_timeline_to_horizon(self.content, self.now, self.settings)
        return list(status_findings(timeline, self.now, skipped))

    def epoch_findings(self) -> list[Finding]:
        """Warn if a limit ends the later versions of documents before the horizon."""
        if len(self.transitions) <= self._max_epochs:
            return []
        found = (
            None if self.epochs is None else self.epochs.limit_finding(self.timeline.catalogue.page_source)
        )
        return [] if found is None else [found]


def _affects_current_documents(
    record: IncidentState, earliest: Instant, listed_ids: Container[str], last_change: Instant | None
) -> bool:
    is_listed = record.incident.id in listed_ids or record.since == last_change or record.resolved_at is None
    return is_listed or max(record.since, began_at(record.incident)) > earliest


def status_at(
    site: SiteContent,
    now: Instant,
    followers: Iterable[FollowsStatus] = (),
    context: SiteContext | None = None,
) -> SiteStatus:
    """Compute the status that a build publishes.

    Args:
        now: the time of the build.
        followers: the extensions whose documents change with the status.
        context: the settings of pages; None for a status without pages.
    """
    content = site.content_of(StatusContent)
    public = public_status(content.catalogue, now)
    timeline = build_timeline_to_horizon(public.catalogue, now, content.settings)
    return SiteStatus(
        timeline,
        content.settings,
        now,
        context,
        site.pages.status,
        followers=tuple(followers),
        packages=third_party_versions(key for key, _ in site.extensions),
        content=None if public.next_publication is None else content.catalogue,
        next_publication=public.next_publication,
    )
