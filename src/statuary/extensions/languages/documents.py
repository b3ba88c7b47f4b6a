"""Status pages, feeds and calendar of further languages, each in a folder."""

from collections.abc import Callable, Iterable, Iterator
from dataclasses import replace
from typing import TYPE_CHECKING, NamedTuple

from typing_extensions import override

from statuary.base.primitives import Instant
from statuary.extensions.languages.pages import PARTS
from statuary.extensions.languages.settings import LanguageSettings
from statuary.extensions.languages.translations import translate_status
from statuary.section import Section
from statuary.site.document import Document
from statuary.site.pages.page_texts import one_line
from statuary.site.pages.rendering import renderer_of
from statuary.site.pages.site_context import SiteContext
from statuary.site.settings import LANGUAGES
from statuary.site.url_table import match_url
from statuary.site.urls import ATOM, HTML, ICALENDAR, RSS, SHORT_LIVED, STATUS_PAGE, PutStep, Url
from statuary.status.feeds.feed_documents import FeedDocuments
from statuary.status.feeds.feed_words import feed_words
from statuary.status.hooks import FollowsStatus
from statuary.status.model.records import StatusCatalogue
from statuary.status.model.timeline import Timeline, build_timeline
from statuary.status.pages.pages import StatusPages
from statuary.status.urls import (
    BADGE,
    BADGE_ENDPOINT,
    CALENDAR,
    COMPONENT_BADGE,
    COMPONENT_BADGE_ENDPOINT,
    FEED,
)

if TYPE_CHECKING:
    from statuary.engine.extension_settings import ExtensionSource

KINDS = (
    (STATUS_PAGE.pattern, "the status page", HTML, PutStep.STATUS),
    ("{path}.html", "a page of the status", HTML, PutStep.PAGE),
    ("{path}.atom", "an Atom feed", ATOM, PutStep.STATUS),
    ("{path}.rss", "an RSS feed", RSS, PutStep.STATUS),
    (FEED.pattern, "a JSON Feed", FEED.media_type, PutStep.STATUS),
    (CALENDAR.pattern, "the scheduled maintenances as a calendar", ICALENDAR, PutStep.STATUS),
)
"""Pattern, description, media type and upload step of the files in a language's folder."""


def _iter_language_urls(language_tag: str) -> Iterator[Url]:
    for pattern, content, media_type, put in KINDS:
        name = pattern.rpartition(".")[2] if "{" in pattern else pattern.partition(".")[0]
        yield Url(
            f"{language_tag}-{name}",
            f"{language_tag}/{pattern}",
            f"{content} in {language_tag}",
            media_type,
            SHORT_LIVED,
            put,
            FEED.pattern == pattern,
        )


URLS = tuple(url for tag in LANGUAGES for url in _iter_language_urls(tag))

WITHOUT_LANGUAGE = (BADGE, BADGE_ENDPOINT, COMPONENT_BADGE, COMPONENT_BADGE_ENDPOINT)
"""Documents that the folder of a language does not have."""


class LanguagesSection(Section, FollowsStatus):
    """The section that publishes the status in further languages."""

    urls = URLS
    parts = PARTS

    @override
    @classmethod
    def settings_model(cls) -> "type[ExtensionSource]":
        """Return the model that validates `languages` in site.yaml."""
        from statuary.extensions.languages.settings import SiteLanguagesSource

        return SiteLanguagesSource

    @override
    def documents_at(
        self, timeline: Timeline, start: Instant, pages: StatusPages | None
    ) -> Callable[[Instant], Iterable[Document]]:
        """Return a function from a time to the translated pages and feeds."""
        if pages is None or not isinstance(self.settings, LanguageSettings):
            return lambda _: ()
        translations = [
            _make_documents_function(tag, timeline, start, pages)
            for tag in self.settings.additional_languages
        ]
        return lambda at: (document for documents_at in translations for document in documents_at(at))


class _Site(NamedTuple):
    timeline: Timeline
    context: SiteContext


def _translate_site(language_tag: str, timeline: Timeline, context: SiteContext) -> _Site:
    catalogue = translate_status(timeline.catalogue, language_tag)
    page, folder = catalogue.page, f"{language_tag}/"
    host = page.feed_host or page.id.replace("_", "-")
    # Give the feeds of each language their own ids. Otherwise, feed readers would take the entries of two
    # languages for duplicates.
    translated = page._replace(url=f"{page.url}/{language_tag}", feed_host=f"{language_tag}.{host}")
    settings = replace(
        context.settings, language=language_tag, theme=context.settings.theme._replace(texts=())
    )
    in_its_words = timeline if catalogue is timeline.catalogue else _translate_timeline(timeline, catalogue)
    return _Site(
        replace(in_its_words, catalogue=replace(catalogue, page=translated)),
        context._replace(name=one_line(page.name), settings=settings, folder=folder),
    )


def _translate_timeline(timeline: Timeline, catalogue: StatusCatalogue) -> Timeline:
    full_timeline = build_timeline(catalogue, timeline.until)
    sources = {history.incident.source for history in timeline.histories}
    incidents, maintenances = (
        tuple(history for history in histories if history.incident.source in sources)
        for histories in (full_timeline.incidents, full_timeline.maintenances)
    )
    return replace(full_timeline, incidents=incidents, maintenances=maintenances)


def _make_documents_function(
    language_tag: str, timeline: Timeline, start: Instant, pages: StatusPages
) -> Callable[[Instant], Iterator[Document]]:
    """Return a function from a time to one language's pages and feeds.

    For `start`, it makes all of them. For a later time, it makes only those that change at this time.

    Args:
        language_tag: the language, such as `de`.
        timeline: the status over time.
        start: the earliest time that the function is called with.
        pages: the status pages in the site's first language.
    """
    site = _translate_site(language_tag, timeline, pages.site)
    own_pages = StatusPages(site.timeline, site.context, pages.previous_versions)
    feeds = FeedDocuments(site.timeline, feed_words(renderer_of(site.context).localization.texts))
    pages_after = own_pages.documents_from(start)
    feeds_after = feeds.documents_from(start)
    changes = frozenset(timeline.change_times)

    def documents_at(at: Instant) -> Iterator[Document]:
        if at == start:
            yield from own_pages.documents_at(at)
            yield from _move_to_language_folder(language_tag, feeds.documents_at(at))
            return
        yield from pages_after(at)
        if at in changes:
            yield from _move_to_language_folder(language_tag, feeds_after(at))

    return documents_at


def _move_to_language_folder(language_tag: str, documents: Iterable[Document]) -> Iterator[Document]:
    for document in documents:
        url = (match_url(document.path) or (None,))[0]
        if url not in WITHOUT_LANGUAGE:
            yield document._replace(path=f"{language_tag}/{document.path}")
