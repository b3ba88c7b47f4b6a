"""The parts that extensions add to pages: templates, strings and scripts."""

from collections.abc import Callable, Iterable, Mapping
from pathlib import Path
from typing import Any, NamedTuple

from statuary.base.primitives import Instant
from statuary.registry import CONTENT_SECTIONS, extension_of, load
from statuary.site.urls import Url

PACKAGE = Path(__file__).parents[2]
CORE_FOLDERS = tuple(
    PACKAGE / name / "pages" for name in ("site", *(row.name for row in CONTENT_SECTIONS), "engine")
)
"""Where the core has templates, texts and assets: those of all pages, then those of each section and of the API page."""


class PageParts(NamedTuple):
    """The templates, texts and scripts that an extension adds to pages."""

    folder: Path  # a folder with templates/*.html, texts/<language>.json and assets/*.js
    urls: tuple[Url, ...]  # the URLs that the templates of the extension use
    slots: Mapping[str, str]  # slot of a template, such as "incident.facts" -> template
    scripts: Mapping[str, str]  # page's template -> script in its head
    values: Callable[[Any], Mapping[str, str]]  # settings -> the values of `part(key, name)` in templates


class PreviousVersion(NamedTuple):
    """An earlier published version of an edited update."""

    entry: int  # the number of the entry in the log
    at: Instant  # the time of publication
    digest: str  # the SHA-256 of the bytes, in hex


PartValues = tuple[tuple[str, tuple[tuple[str, str], ...]], ...]
"""Key and values of every extension that is on and has parts of pages."""


def page_parts_of_extensions(extension_keys: Iterable[str]) -> list[PageParts]:
    """Return the templates, texts and scripts that extensions add to pages.

    Args:
        extension_keys: the keys of the enabled extensions in site.yaml.
    """
    sections = [
        load(extension.section) for key in extension_keys if (extension := extension_of(key)) is not None
    ]
    return [section.parts for section in sections if section.parts is not None]


def extension_page_settings(settings: Iterable[tuple[str, object]]) -> PartValues:
    """Return the settings of extensions that page templates can use.

    Args:
        settings: the key and the settings of each extension.
    """
    return tuple(
        (key, tuple(parts.values(value).items()))
        for key, value in settings
        for parts in page_parts_of_extensions([key])
    )
