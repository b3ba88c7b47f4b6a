"""The links of a site's pages: what leads nowhere."""

from collections.abc import Iterator
from html.parser import HTMLParser
from pathlib import Path, PurePosixPath
from urllib.parse import unquote, urljoin, urlsplit

HOST = "http://site.test/"
"""Where the site is taken to be."""


class PageParts(HTMLParser):
    """What a page links to, and what can be linked to in it.

    Attributes:
        links: addresses as written.
        anchors: the ids of its elements.
        repeated: ids that stand twice.
    """

    def __init__(self, text: str) -> None:
        super().__init__()
        self.links: list[str] = []
        self.anchors: set[str] = set()
        self.repeated: list[str] = []
        self.feed(text)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        for name, value in attrs:
            if name in ("href", "src", "data-from") and value is not None and tag != "use":
                self.links.append(value)
            elif name == "id" and value is not None:
                if value in self.anchors:
                    self.repeated.append(value)
                self.anchors.add(value)


def parts_of(site: Path) -> dict[str, PageParts]:
    """Return the parts of every page of a site, by path; pages of later instants stand for those of now."""
    pages = (page for page in sorted(site.rglob("*.html")) if "_epochs" not in page.parts)
    return {page.relative_to(site).as_posix(): PageParts(page.read_text("utf-8")) for page in pages}


def dead_links(site: Path, own: str) -> Iterator[str]:
    """Yield each link of a site that leads nowhere in it, with its page.

    Args:
        site: its folder.
        own: its address, which stands in links as well.
    """
    pages = parts_of(site)
    for path, parts in pages.items():
        for link in parts.links:
            target = urlsplit(urljoin(HOST + path, link.replace(own, HOST.rstrip("/"))))
            if target.netloc == urlsplit(HOST).netloc and not _leads(
                site, pages, path, target.path, target.fragment
            ):
                yield f"{path}: {link}"


def _leads(site: Path, pages: dict[str, PageParts], here: str, target: str, fragment: str) -> bool:
    path = unquote(target).lstrip("/") or "index.html"
    path = f"{path}index.html" if path.endswith("/") else path
    if not (site / PurePosixPath(path)).is_file():
        return False
    return not fragment or path not in pages or fragment in pages[path].anchors
