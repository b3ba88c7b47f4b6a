"""Read the content folder into a catalogue, with findings."""

from collections.abc import Iterable
from datetime import timedelta
from pathlib import Path, PurePosixPath
from typing import NamedTuple

from statuary.base.budget import BEYOND_LIMIT, DEFECT
from statuary.base.findings import Finding
from statuary.contracts.settings import ContractSettings
from statuary.contracts.site_contracts import SiteContracts
from statuary.contracts.sources.read_contracts import find_contracts
from statuary.engine.extension_settings import (
    ExtensionSettings,
    apply_extension_status,
    extension_models,
    read_extension_settings,
)
from statuary.engine.site_source import SiteSource
from statuary.site.settings import LANGUAGES, HostingSettings, PageSettings, SitePage, Theme
from statuary.site.site_content import SiteContent
from statuary.source.content_files import ContentFiles
from statuary.source.file_kinds import (
    CONTRACTS,
    FileKind,
    match_pattern,
)
from statuary.source.load_model import read_tree, validate_tree
from statuary.source.source_files import SourceFile, walk_folder
from statuary.source.source_model import value_of
from statuary.source.unreadable import UnreadableError
from statuary.status.model.records import StatusContent, StatusSettings
from statuary.status.sources.read_status import read_status_sources, translate_status
from statuary.status.sources.site_settings import translate_page


class ReadResult(NamedTuple):
    """The result of reading the content folder."""

    catalogue: SiteContent | None  # the site; None if its settings or components could not be read
    # what is wrong with the files, contracts' own files excepted (they are read one by one later)
    findings: list[Finding]


def read_content(root: Path, files: Iterable[SourceFile | Finding] | None = None) -> ReadResult:
    """Read everything but the contracts.

    Args:
        files: the files to read, as `walk_folder` yields them, without contracts; by default all files.
    """
    if files is None and not root.is_dir():
        message = f"no content folder {str(root)!r}"
        return ReadResult(
            None, [Finding(rule="missing-content-folder", message=message, hint="run `statuary init`")]
        )
    content = ContentFiles()
    for file in walk_folder(root, (CONTRACTS,)) if files is None else files:
        if isinstance(file, Finding):
            content.findings.append(file)
        else:
            content.add(file)
    catalogue = _read_catalogue(root, content, has_contracts=files is None)
    return ReadResult(catalogue, content.findings)


def is_excluded(finding: Finding) -> bool:
    """Return whether a finding excludes an incident, a maintenance window or a page.

    Findings about limits and bugs do; no genuine file exceeds a limit, so the site is published without it.
    """
    is_withholding = finding.rule in (BEYOND_LIMIT, DEFECT)
    pattern = match_pattern(PurePosixPath(finding.path)) if is_withholding else None
    return pattern is not None and pattern.kind in (FileKind.INCIDENT, FileKind.MAINTENANCE, FileKind.PAGE)


def _read_catalogue(root: Path, files: ContentFiles, *, has_contracts: bool) -> SiteContent | None:
    """Return the catalogue of the files.

    Returns:
        The catalogue, or None if the settings are missing or the components unreadable.
    """
    site = files.only(FileKind.SITE, _load_site)
    if not files.files[FileKind.SITE]:
        message = "the content folder has no site.yaml"
        files.findings.append(Finding(rule="missing-file", message=message, hint="run `statuary init`"))
    sources = read_status_sources(files)
    if site is None or sources is None:
        return None
    file, (settings, extensions) = site
    # extensions read the folders that have the names of their keys
    folders = tuple(f"{key.replace('_', '-')}/" for key, _ in extensions)
    files.findings[:] = [item for item in files.findings if not item.path.startswith(folders)]
    status = translate_status(files, sources, translate_page(settings.page), file.path)
    if extensions:
        status = apply_extension_status(root, extensions, status, files.findings, settings.pages.language)
    theme, own_pages = _theme_and_pages(files, settings.pages.language)
    contracts = settings.contracts
    site_contracts = SiteContracts(
        chains=tuple(chain.chain() for chain in settings.chains),
        settings=value_of(ContractSettings, contracts, join_memory=contracts.join_memory_mib << 20),
        sources=find_contracts(root, contracts, file.path, has_contracts=has_contracts),
    )
    content = StatusContent(
        status,
        value_of(StatusSettings, settings.status, horizon=timedelta(days=settings.status.horizon_days)),
    )
    return SiteContent(
        source=file.path,
        page=status.page,
        pages=value_of(PageSettings, settings.pages, theme=theme),
        hosting=value_of(HostingSettings, settings.hosting),
        own_pages=own_pages,
        extensions=extensions,
        values=(site_contracts, content),
        has_contracts=bool(site_contracts.chains),
        unread=files.unread(),
    )


def _theme_and_pages(files: ContentFiles, language: str) -> tuple[Theme, tuple[SitePage, ...]]:
    pages = files.files[FileKind.PAGE]
    if not files.theme and not pages and language in LANGUAGES:
        return Theme(), ()
    from statuary.site.pages_and_theme import read_pages, read_theme

    own_pages = read_pages(pages, files.findings)
    files.read_paths.update(page.source for page in own_pages)
    return read_theme(files.theme, language, files.findings), own_pages


def _load_site(
    file: SourceFile, *, limit: int, findings: list[Finding]
) -> tuple[SiteSource, ExtensionSettings] | None:
    """Read the settings of the core and of extensions.

    Returns:
        The pair, or None if there are errors, which are added to `findings`.
    """
    try:
        tree = read_tree(file, limit)
    except UnreadableError as error:
        findings.append(error.finding(file.path))
        return None
    extensions: ExtensionSettings | None = ()
    if isinstance(tree, dict):
        models = extension_models(key for key in tree if key not in SiteSource.model_fields)
        extensions = read_extension_settings(tree, models, file.path, findings)
        tree = {key: value for key, value in tree.items() if key not in models}
    source = validate_tree(tree, SiteSource, file.path, findings)
    return None if source is None or extensions is None else (source, extensions)
