"""Pages of the site's own: Markdown files `pages/**/*.md` that begin with their title.

---
title: About Plinth
order: 10
---
Plinth is a demo network.
"""

import re
from collections.abc import Iterable, Iterator

from statuary.content.load_model import validate_tree
from statuary.content.parse_yaml import parse_yaml
from statuary.content.source_files import SourceFile
from statuary.content.source_model import Flag, SourceModel, Text, WholeNumber
from statuary.content.unreadable import UnreadableError
from statuary.domain.findings import Finding
from statuary.domain.limits import LARGEST_SOURCE_FILE
from statuary.domain.page_settings import SitePage

FOLDER = "pages"

FRONT_MATTER = re.compile(r"---[ \t]*\n.*?(?=^---[ \t]*$)", re.DOTALL | re.MULTILINE)
"""The keys of a page, up to the line that ends them."""

NAME = re.compile(r"[A-Za-z0-9][A-Za-z0-9._-]*")
"""A name in the path of a page, which is part of its URL."""


class PageFile(SourceModel):
    """The keys at the beginning of a page."""

    title: Text
    """The title of the page, and its name in the navigation."""
    order: WholeNumber = 0
    """The position among the pages of a folder, lowest first; pages with the same order are sorted by title."""
    navigation: Flag | None = None
    """Whether every page of the site links to it; by default, only pages directly in `pages/` are linked."""


def read_pages(files: Iterable[SourceFile], findings: list[Finding]) -> tuple[SitePage, ...]:
    """Return the pages in order; `findings` gains what is wrong with their files."""
    pages = [page for file in files for page in _read(file, findings)]
    return tuple(sorted(pages, key=lambda page: (page.folder, page.order, page.title)))


def _read(file: SourceFile, findings: list[Finding]) -> Iterator[SitePage]:
    path = file.path.removeprefix(f"{FOLDER}/").removesuffix(".md")
    odd = [name for name in path.split("/") if not NAME.fullmatch(name)]
    if odd:
        hint = "use letters, digits, dots, hyphens and underscores"
        findings.append(
            Finding(rule="page-name", path=file.path, message=f"invalid name {odd[0]!r}", hint=hint)
        )
        return
    try:
        text = file.text(LARGEST_SOURCE_FILE).replace("\r\n", "\n")
        keys = front_matter(text)
        source = validate_tree(parse_yaml(keys), PageFile, file.path, findings)
    except UnreadableError as error:
        findings.append(error.finding(file.path))
        return
    if source is None:
        return
    _, _, body = text[len(keys) :].partition("\n")
    navigation = "/" not in path if source.navigation is None else source.navigation
    yield SitePage(
        path=path,
        title=source.title,
        order=source.order,
        navigation=navigation,
        body=body,
        source=file.path,
        first_line=keys.count("\n") + 2,
    )


def front_matter(text: str) -> str:
    """Return the keys at the beginning of a page as YAML; without any, an empty mapping.

    Raises:
        UnreadableError: if they have no end.
    """
    found = FRONT_MATTER.match(text)
    if found is None and text.startswith("---"):
        raise UnreadableError("the front matter of the page has no end", "end it with a line ---")
    return found[0] if found else "{}"
