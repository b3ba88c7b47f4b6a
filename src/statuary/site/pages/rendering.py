"""Renders view models as pages."""

from functools import cached_property, lru_cache
from importlib import import_module
from typing import TYPE_CHECKING, NamedTuple

from markupsafe import Markup

from statuary.site.document import Document
from statuary.site.pages.page_parts import page_parts_of_extensions
from statuary.site.pages.page_policy import insert_security_policy
from statuary.site.pages.page_texts import page_texts
from statuary.site.pages.site_context import (
    DateFormatter,
    Localization,
    PageHead,
    SiteContext,
    frame_links,
    section_url,
)
from statuary.site.urls import Url

if TYPE_CHECKING:
    from statuary.site.pages.page_templates import PageTemplates


class SectionLink(NamedTuple):
    """A link in the navigation at the top of a page."""

    name: str
    href: str
    current: bool


class Renderer:
    """Renders the pages of a site."""

    def __init__(self, site: SiteContext) -> None:
        self.site = site
        self.parts = page_parts_of_extensions(key for key, _ in site.parts)
        folders = tuple(parts.folder for parts in self.parts)
        texts = page_texts(site.settings.language, site.settings.theme.texts, folders)
        self.localization = Localization(texts, DateFormatter(site.zone, texts))

    @cached_property
    def _templates(self) -> "PageTemplates":
        # Import Jinja only when a page is rendered, because most commands start faster without it.
        module = import_module("statuary.site.pages.page_templates")
        templates: PageTemplates = module.PageTemplates(self.site, self.localization.texts, self.parts)
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
        asks_nodes: bool = False,
    ) -> Document:
        """Render a page of the site with a template.

        Args:
            url: the URL of the page.
            template: the name of the template.
            head: the title and description of the page.
            view: the values that the template needs.
            root: the relative path to the site's root; derived from the page's path if omitted.
            sources: the content files that the page is made from.
            asks_nodes: whether the page's scripts may query the Ethereum node that a reader names.
        """
        path = self.site.folder + head.path
        root = relative_root(path) if root is None else root
        text = self._templates.render(
            template, view=view, head=head, root=root, sections=self._section_links(head, root)
        )
        return Document(
            path=path,
            body=insert_security_policy(text, asks_nodes=asks_nodes),
            media_type=url.media_type,
            cache=url.cache,
            sources=sources,
        )

    def fragment(self, template: str, **view: object) -> Markup:
        """Render a template to HTML that is a part of a page.

        Args:
            template: the name of the template.
            view: the values that the template needs.
        """
        return Markup(self._templates.render(template, **view))  # noqa: S704 - a template escapes

    def _section_links(self, head: PageHead, root: str) -> tuple[SectionLink, ...]:
        texts = self.localization.texts
        settings = self.site.settings
        folders = {"status": self.site.folder}
        pages = [
            (name, texts(f"section.{name}"), folders.get(name, "") + section_url(name, settings).path())
            for name in self.site.sections
        ]
        pages += [(path, title, path) for title, path in self.site.own_sections]
        owners = {tab: section for section, links in frame_links().items() for tab in links.tabs}
        current = owners.get(head.section, head.section)
        return tuple(
            SectionLink(name, root + path, current=section == current) for section, name, path in pages
        )


@lru_cache(maxsize=4)
def renderer_of(site: SiteContext) -> Renderer:
    """Return an object that renders the pages of a site.

    It uses the site's theme and language.
    """
    return Renderer(site)


def relative_root(path: str) -> str:
    """Return the relative path from a page to the site's root.

    Relative links let a site work in any folder of a host.
    """
    return "../" * path.count("/")
