"""Read the settings of pages, the theme, and the site's own pages."""

from dataclasses import replace
from functools import partial
from typing import NamedTuple

from statuary.base.budget import run_guarded
from statuary.base.findings import Finding
from statuary.site.settings import LANGUAGES, PageSettings, SettingsFile, SitePage
from statuary.site.site_content import Fault
from statuary.source.content_files import ContentFiles
from statuary.source.file_kinds import FileKind


class ReadPages(NamedTuple):
    """The settings of pages, with the theme, and the site's own pages."""

    settings: PageSettings
    own_pages: tuple[SitePage, ...] = ()
    faults: tuple[Fault, ...] = ()  # errors in the theme


def read_page_settings(files: ContentFiles, settings: SettingsFile, site_source: str) -> ReadPages:
    """Read the settings of pages, the theme, and the site's own pages.

    Args:
        files: the content files, to which findings are added.
        settings: the settings of the site.
        site_source: the path of site.yaml.
    """
    pages = settings.site.pages
    page_files = files.files[FileKind.PAGE]
    if not files.theme and not page_files and pages.language in LANGUAGES:
        return ReadPages(pages)
    from statuary.site.pages.theme_findings import theme_faults, without_invalid_texts
    from statuary.site.pages_and_theme import read_pages, read_theme

    own_pages = read_pages(page_files, files.findings)
    files.read_paths.update(page.source for page in own_pages)
    found: list[Finding] = []
    pages = replace(pages, theme=read_theme(files.theme, pages.language, site_source, found))
    keys = [*dict(settings.extensions), *sorted(settings.faulty_keys)]
    sound = run_guarded(
        partial(without_invalid_texts, pages, keys, found), site_source, "reading the theme's texts"
    )
    if isinstance(sound, Finding):
        found.append(sound)
        sound = pages
    faults = run_guarded(partial(theme_faults, found), site_source, "listing the faults of the theme")
    if isinstance(faults, Finding):
        found.append(faults)
        faults = ()
    files.findings += found
    return ReadPages(sound, own_pages, faults)
