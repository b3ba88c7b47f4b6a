"""Every page that is about more than one contract."""

from collections.abc import Iterator

from statuary.documents.document import Document
from statuary.documents.pages.asset_documents import asset_documents
from statuary.documents.pages.frame import Frame, Head
from statuary.documents.pages.rendering import renderer_of
from statuary.documents.url_table import NOT_FOUND_PAGE


def page_documents(frame: Frame) -> Iterator[Document]:
    """Yield the pages that do not change by themselves, and the files that all pages share."""
    yield not_found_page(frame)
    yield from asset_documents(frame.settings.theme, search=frame.settings.search and frame.has_contracts)


def not_found_page(frame: Frame) -> Document:
    """Return the page that hosts answer with where there is none."""
    renderer = renderer_of(frame)
    head = Head(
        path=NOT_FOUND_PAGE.path(),
        title=renderer.voice.texts("not_found.title"),
        description=renderer.voice.texts("not_found.text"),
    )
    return renderer.page(NOT_FOUND_PAGE, "not_found.html", head, None, root=frame.root)
