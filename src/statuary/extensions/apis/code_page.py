"""A page that identifies pasted code; its script is in `pages/modules/`."""

from collections.abc import Iterator

from statuary.extensions.apis import urls
from statuary.site.document import Document
from statuary.site.pages.rendering import renderer_of
from statuary.site.pages.site_context import PageHead, site_context
from statuary.site.site_content import SiteContent


def iter_code_search_page(site: SiteContent) -> Iterator[Document]:
    """Yield the page on which readers paste code to find contracts that have it.

    A site without lists of contracts has no such page, because only they link to it.
    """
    context = site_context(site)
    if context.has_contracts:
        renderer = renderer_of(context)
        texts = renderer.localization.texts
        head = PageHead(
            path=urls.CODE_PAGE.path(),
            title=texts("apis.code.title"),
            description=texts("apis.code.intro"),
            section="contracts",
        )
        yield renderer.page(urls.CODE_PAGE, "apis_code.html", head, None, asks_nodes=True)
