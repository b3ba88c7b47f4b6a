"""The sidebar and reading order of a folder of pages."""

from collections.abc import Collection, Iterator, Sequence
from typing import NamedTuple

from markupsafe import escape

from statuary.extensions.own_pages.page_markdown import add_break_points
from statuary.site.pages.page_texts import one_line
from statuary.site.settings import SitePage
from statuary.site.urls import OWN_PAGE

INDEX = "index"


class SidebarLink(NamedTuple):
    """A link in the sidebar."""

    title: str
    path: str
    current: bool = False
    below: tuple["SidebarLink", ...] = ()  # the pages of the link's folder, if that contains the current page


class SidebarGroup(NamedTuple):
    """A group of links in the sidebar."""

    name: str  # empty for pages without a group
    links: tuple[SidebarLink, ...]


class Neighbours(NamedTuple):
    """The links to the previous and the next page."""

    previous: SidebarLink | None
    following: SidebarLink | None


class Navigation:
    """The pages of a folder in reading order."""

    def __init__(self, page: SitePage, pages: Sequence[SitePage]) -> None:
        """Find the pages that belong to the same folder."""
        self._page = page
        self.folder = page.path.partition("/")[0] if page.folder else ""
        of_book = _list_pages_below(self.folder, pages)
        folders = {other_page.folder for other_page in of_book}
        self._indexes = {
            find_introduced_folder(other_page, folders): other_page
            for other_page in of_book
            if find_introduced_folder(other_page, folders)
        }
        self._folders = {other_page.path: folder for folder, other_page in self._indexes.items()}
        self._below: dict[str, list[SitePage]] = {}
        for other_page in of_book:
            if other_page is not self._indexes.get(self.folder):
                self._below.setdefault(self._find_sidebar_folder(other_page), []).append(other_page)
        in_order: list[SitePage] = []
        for group in self._group_pages().values():
            for grouped_page in group:
                in_order += self._iter_page_and_folder(grouped_page)
        self.pages = tuple(in_order)

    @property
    def title(self) -> str:
        """The title of the folder, taken from its first page.

        It is empty if the folder has only one page.
        """
        return one_line(self.pages[0].title) if len(self.pages) > 1 else ""

    def sidebar(self) -> tuple[SidebarGroup, ...]:
        """Return the links of the sidebar, in groups.

        They lead to the pages of the folder.
        """
        return tuple(
            SidebarGroup(one_line(name), tuple(self._make_sidebar_link(page) for page in pages))
            for name, pages in self._group_pages().items()
        )

    def find_neighbour_pages(self) -> Neighbours:
        """Return links to the pages before and after this page."""
        if self._page not in self.pages:
            return Neighbours(None, None)
        place = self.pages.index(self._page)
        return Neighbours(
            previous=_make_plain_link(self.pages[place - 1]) if place > 0 else None,
            following=_make_plain_link(self.pages[place + 1]) if place + 1 < len(self.pages) else None,
        )

    def _group_pages(self) -> dict[str, list[SitePage]]:
        groups: dict[str, list[SitePage]] = {}
        if self.folder in self._indexes:
            groups[""] = [self._indexes[self.folder]]
        for page in self._below.get(self.folder, ()):
            groups.setdefault(page.group, []).append(page)
        return groups

    def _iter_page_and_folder(self, page: SitePage) -> Iterator[SitePage]:
        yield page
        folder = self._folders.get(page.path, self.folder)
        if folder != self.folder:
            for below in self._below.get(folder, ()):
                yield from self._iter_page_and_folder(below)

    def _make_sidebar_link(self, page: SitePage) -> SidebarLink:
        folder = self._folders.get(page.path, self.folder)
        is_around = page is self._page or f"{self._page.folder}/".startswith(f"{folder}/")
        below = self._below.get(folder, ()) if is_around and folder != self.folder else ()
        link = _make_plain_link(page)
        return link._replace(current=page is self._page, below=tuple(map(self._make_sidebar_link, below)))

    def _find_sidebar_folder(self, page: SitePage) -> str:
        """Return the folder under which the sidebar lists a page.

        It is the page's own folder, or else the nearest parent folder that has an index page.
        """
        folder = self._folders.get(page.path, f"{page.folder}/").rpartition("/")[0]
        while folder != self.folder and folder not in self._indexes:
            folder = folder.rpartition("/")[0]
        return folder


def _list_pages_below(folder: str, pages: Sequence[SitePage]) -> list[SitePage]:
    below = [page for page in pages if folder and page.path.startswith(f"{folder}/")]
    return sorted(below, key=lambda page: (page.order, page.title))


def find_introduced_folder(page: SitePage, folders: Collection[str]) -> str:
    """Return the folder that a page introduces.

    For example, `a/index.md` introduces the folder `a`, and so does `a.md` beside this folder.

    Args:
        page: the page, which may be in a folder or beside it.
        folders: all folders that contain pages.

    Returns:
        The folder; empty for any other page.
    """
    if page.path == f"{page.folder}/{INDEX}":
        return page.folder
    return page.path if page.path in folders else ""


def _make_plain_link(page: SitePage) -> SidebarLink:
    return SidebarLink(add_break_points(escape(one_line(page.title))), OWN_PAGE.path(path=page.path))
