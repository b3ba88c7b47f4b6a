"""The page for an unknown address."""

from collections.abc import Sequence

from statuary.site.document import Document
from statuary.site.pages.rendering import renderer_of
from statuary.site.pages.site_context import PageHead, SiteContext
from statuary.site.urls import NOT_FOUND_PAGE


def not_found_page(site: SiteContext, links: Sequence[tuple[str, str]]) -> Document:
    """Return the page that visitors see at unknown addresses.

    Args:
        site: the settings that all pages share.
        links: the text's key and the path of each link; a link to the first page is added.
    """
    renderer = renderer_of(site)
    head = PageHead(
        path=NOT_FOUND_PAGE.path(),
        title=renderer.localization.texts("not_found.title"),
        description=renderer.localization.texts("not_found.text"),
    )
    return renderer.page(NOT_FOUND_PAGE, "not_found.html", head, links, root=site.root)
