"""View models to pages."""

from functools import cached_property, lru_cache
from importlib import import_module
from typing import TYPE_CHECKING, Any

from markupsafe import Markup

from statuary.documents.document import Document
from statuary.documents.pages.dates import DateFormatter, Localization
from statuary.documents.pages.page_texts import page_texts
from statuary.documents.pages.site_context import PageHead, SiteContext, section_url
from statuary.documents.url import Url

if TYPE_CHECKING:
    from statuary.documents.pages.page_templates import PageTemplates


class Renderer:
    """Renders the pages of one site.

    Attributes:
        frame: what its pages have in common.
        voice: how they speak.
    """

    def __init__(self, frame: SiteContext) -> None:
        """Take a frame; templates are read when they are first used."""
        self.frame = frame
        texts = page_texts(frame.settings.language, frame.settings.theme.texts)
        self.voice = Localization(texts, DateFormatter(frame.zone, texts))

    @cached_property
    def _templates(self) -> "PageTemplates":
        # most commands render nothing, and need not wait for the library that would
        module = import_module("statuary.documents.pages.page_templates")
        templates: PageTemplates = module.PageTemplates(self.frame, self.voice.texts)
        return templates

    def page(
        self,
        url: Url,
        template: str,
        head: PageHead,
        view: object,
        *,
        root: str | None = None,
        sources: tuple[str, ...] = (),
    ) -> Document:
        """Return a page as a document.

        Args:
            url: its row in the URL table.
            template: the template that it is made with.
            head: what it says of itself.
            view: what it says.
            root: the way to the site's root; the relative one if left out.
            sources: the content files that it was made from.
        """
        root = root_of(head.path) if root is None else root
        text = self._templates.render(
            template, view=view, head=head, root=root, sections=self._sections(head, root)
        )
        return Document(
            path=head.path,
            body=text.encode("utf-8", "replace"),
            media_type=url.media_type,
            cache=url.cache,
            sources=sources,
        )

    def fragment(self, template: str, **view: object) -> Markup:
        """Return a part of a page, for one that stands on several."""
        return Markup(self._templates.render(template, **view))  # noqa: S704 - a template escapes

    def _sections(self, head: PageHead, root: str) -> list[dict[str, Any]]:
        return [
            {
                "name": self.voice.texts(f"section.{section}"),
                "href": root + section_url(section, self.frame.settings).path(),
                "current": section == head.section,
            }
            for section in self.frame.sections
        ]


@lru_cache(maxsize=4)
def renderer_of(frame: SiteContext) -> Renderer:
    """Return the renderer of a site's pages; the same one for equal frames, so that templates are read once."""
    return Renderer(frame)


def root_of(path: str) -> str:
    """Return the way from a page to the site's root, so that a site works in any folder of a host."""
    return "../" * path.count("/")
