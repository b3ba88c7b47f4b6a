"""The script, frame and badge for other sites.

Each file has at most 4 kB.
"""

from collections.abc import Callable, Iterable, Iterator
from html import escape
from pathlib import Path
from typing import TYPE_CHECKING

from typing_extensions import override

from statuary.base.findings import Finding
from statuary.base.primitives import Instant, one_line
from statuary.section import Section
from statuary.site.document import Document, encode_json
from statuary.site.pages.states import IMPACT_STATES, STATUS_STATES
from statuary.site.site_content import SiteContent
from statuary.site.urls import CSS, FRAMED_POLICY, HTML, JAVASCRIPT, SHORT_LIVED, PutStep, Url
from statuary.status.hooks import FollowsStatus
from statuary.status.model.incident_history import unresolved_worst_first
from statuary.status.model.timeline import PageState, Timeline, page_states_from
from statuary.status.model.vocabulary import ACTIVE_STATUSES
from statuary.system.files import read_file, read_text

if TYPE_CHECKING:
    from statuary.engine.extension_settings import ExtensionSource
    from statuary.status.pages.pages import StatusPages

SCRIPT = Url("embed-script", "embed/script.js", "the script that adds the banner to a page", JAVASCRIPT)
STATUS_SCRIPT = Url(
    "embed-status", "embed/status.js", "the script of banner and badge", JAVASCRIPT, put=PutStep.BODY
)
STYLE = Url("embed-style", "embed/status.css", "the style sheet of banner and badge", CSS, put=PutStep.BODY)
FRAME = Url("embed-frame", "embed/frame.html", "the banner", HTML, framed=True, own_rule=True)
BADGE_PAGE = Url(
    "embed-badge", "badge.html", "the status of the page in one line, as a page", HTML, framed=True
)
NOW = Url(
    "embed-now",
    "banner.json",
    "what banner and badge show: the headline of the page, its colour, and the worst incident",
    cache=SHORT_LIVED,
    put=PutStep.STATUS,
)
URLS = (SCRIPT, STATUS_SCRIPT, STYLE, FRAME, BADGE_PAGE, NOW)

FILES = Path(__file__).with_name("files")

TEXTS = {
    "en": {"title": "Status of {page}", "details": "View the status page", "close": "Close"},
    "de": {"title": "Status von {page}", "details": "Zur Statusseite", "close": "Schließen"},
    "es": {"title": "Estado de {page}", "details": "Ver la página de estado", "close": "Cerrar"},
    "fr": {"title": "État de {page}", "details": "Voir la page d\u2019état", "close": "Fermer"},
    "ja": {"title": "{page}のステータス", "details": "ステータスページを見る", "close": "閉じる"},
    "pt": {"title": "Status de {page}", "details": "Ver a página de status", "close": "Fechar"},
    "zh": {"title": "{page}的状态", "details": "查看状态页", "close": "关闭"},
}
"""The words of banner and badge, by language."""


class EmbedSection(Section, FollowsStatus):
    """The section that adds a banner and a badge for other sites."""

    urls = URLS

    @override
    @classmethod
    def settings_model(cls) -> "type[ExtensionSource]":
        """Return the model that validates `embed` in site.yaml."""
        from statuary.extensions.embed.settings import SiteEmbedSource

        return SiteEmbedSource

    @override
    def config_documents(self, site: SiteContent, skipped: list[Finding]) -> Iterable[Document]:
        """Return the scripts, styles and pages that other sites embed."""
        return make_embed_documents(site.page.name, site.pages.language)

    @override
    def documents_at(
        self, timeline: Timeline, start: Instant, pages: "StatusPages | None"
    ) -> Callable[[Instant], Iterable[Document]]:
        """Return a function from a time to the status banner."""
        states = page_states_from(timeline, start, ())
        return lambda at: (make_banner_document(states(at), pages),)


def make_banner_document(state: PageState, pages: "StatusPages | None") -> Document:
    """Make `banner.json`, the current status for banners on other sites.

    The script of the banner or badge requests it in the reader's browser.

    Args:
        state: the status of the components and incidents.
        pages: the pages of the site, which contain the headline; None to use the description in the API.
    """
    if pages is None:
        overall, worst = state.overall_now, state.worst_now
        shown = IMPACT_STATES[overall.indicator] if worst is None else STATUS_STATES[worst]
        headline = one_line(overall.description)
    else:
        summary = pages.summary(state)
        shown, headline = summary.state, summary.headline
    active = [window for window in state.maintenances if window.status in ACTIVE_STATUSES]
    records = [*unresolved_worst_first(state.incidents), *active]
    first = records[0].incident if records else None
    record = None if first is None else {"id": first.id, "name": one_line(first.name)}
    members = {"state": shown, "headline": headline, "record": record}
    return Document(path=NOW.path(), body=encode_json(members), media_type=NOW.media_type, cache=NOW.cache)


def make_embed_documents(page_name: str, language: str) -> Iterator[Document]:
    """Yield the scripts, styles and pages of the banner and the badge.

    Other sites embed them to show the status.

    Args:
        page_name: the name of the status page.
        language: the language of the texts; English is used instead of an unsupported language.
    """
    text_language = language if language in TEXTS else "en"
    texts = {name: escape(text.format(page=page_name)) for name, text in TEXTS[text_language].items()}
    for url, name in ((SCRIPT, "script.js"), (STATUS_SCRIPT, "status.js"), (STYLE, "status.css")):
        yield Document(url.path(), read_file(FILES / name), url.media_type)
    for url, name, root in ((FRAME, "frame.html", "../"), (BADGE_PAGE, "badge.html", "")):
        values = texts | {
            "language": text_language,
            "root": root,
            "policy": FRAMED_POLICY,
            "page": escape(page_name),
        }
        text = read_text(FILES / name)
        for key, value in values.items():
            text = text.replace(f"[[{key}]]", value)
        yield Document(url.path(), text.encode(), url.media_type)
