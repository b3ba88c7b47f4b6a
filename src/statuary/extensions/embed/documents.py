"""The script, frame and badge for other pages, each at most 4 kB."""

from collections.abc import Iterable, Iterator
from html import escape
from pathlib import Path

from typing_extensions import override

from statuary.engine.catalogue import Catalogue
from statuary.engine.providers import DocumentProvider
from statuary.site.document import Document
from statuary.site.url_table import CSS, FRAMED_POLICY, HTML, JAVASCRIPT, PutStep, Url

SCRIPT = Url("embed-script", "embed/script.js", "the script that adds the banner to a page", JAVASCRIPT)
STATUS_SCRIPT = Url(
    "embed-status", "embed/status.js", "the script of banner and badge", JAVASCRIPT, put=PutStep.BODY
)
STYLE = Url("embed-style", "embed/status.css", "the style sheet of banner and badge", CSS, put=PutStep.BODY)
FRAME = Url("embed-frame", "embed/frame.html", "the banner", HTML, framed=True, own_rule=True)
BADGE_PAGE = Url(
    "embed-badge", "badge.html", "the status of the page in one line, as a page", HTML, framed=True
)
URLS = (SCRIPT, STATUS_SCRIPT, STYLE, FRAME, BADGE_PAGE)

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


class EmbedDocuments(DocumentProvider):
    """The documents of embeds."""

    @override
    def config_documents(self, catalogue: Catalogue) -> Iterable[Document]:
        return embed_documents(catalogue.status.page.name, catalogue.pages.language)


FAMILY = EmbedDocuments


def embed_documents(page: str, language: str) -> Iterator[Document]:
    """Yield the documents of a page, with a language's words or the English ones."""
    text_language = language if language in TEXTS else "en"
    texts = {name: escape(text.format(page=page)) for name, text in TEXTS[text_language].items()}
    for url, name in ((SCRIPT, "script.js"), (STATUS_SCRIPT, "status.js"), (STYLE, "status.css")):
        yield Document(url.path(), (FILES / name).read_bytes(), url.media_type)
    for url, name, root in ((FRAME, "frame.html", "../"), (BADGE_PAGE, "badge.html", "")):
        values = texts | {
            "language": text_language,
            "root": root,
            "policy": FRAMED_POLICY,
            "page": escape(page),
        }
        text = (FILES / name).read_text("utf-8")
        for key, value in values.items():
            text = text.replace(f"[[{key}]]", value)
        yield Document(url.path(), text.encode(), url.media_type)
