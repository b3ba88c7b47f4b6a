"""Read the files of a content folder into values, with findings."""

from collections.abc import Iterable
from functools import partial
from pathlib import Path, PurePosixPath
from typing import Any, NamedTuple

from statuary.base.budget import BEYOND_LIMIT, DEFECT
from statuary.base.findings import Finding
from statuary.base.progress import Progress, report_stage
from statuary.engine.faulty_settings import SettingsFallback, Tree, published_settings, store_settings
from statuary.engine.read_page_settings import read_page_settings
from statuary.engine.read_settings import (
    find_settings_errors,
    find_settings_path,
    read_settings,
    read_settings_tree,
    with_reason,
)
from statuary.engine.report import BuildReport
from statuary.publish.ledger.known_files import KnownFiles
from statuary.publish.ledger.ledger import Ledger
from statuary.registry import CONTENT_SECTIONS, load
from statuary.section import ContentFolder, SectionContent
from statuary.site.settings import SettingsFile
from statuary.site.site_content import Fault, SiteContent
from statuary.source.content_files import ContentFiles
from statuary.source.file_kinds import (
    CONTRACTS,
    FileKind,
    match_pattern,
)
from statuary.source.source_files import SourceFile, walk_folder


def read_site(
    root: Path,
    progress: Progress,
    report: BuildReport,
    ledger: Ledger | None = None,
    *,
    verify: bool = False,
    strict: bool = True,
) -> SiteContent | None:
    """Read the content folder for a check or a build.

    Args:
        root: the content folder.
        report: receives the findings, and the reasons why incidents or pages are excluded.
        ledger: the build's database, which has the last settings; None in a check.
        verify: whether to parse files that are unchanged since the last build, too.
        strict: whether any error in site.yaml stops the build.

    Returns:
        The content, or None if the site cannot be read.
    """
    fallback = SettingsFallback({} if ledger is None else published_settings(ledger), is_strict=strict)
    with report_stage(progress, "Reading content"):
        site, findings = read_content(root, ledger=None if verify else ledger, fallback=fallback)
    if site is not None and ledger is not None:
        store_settings(ledger, fallback.settings)
    (report.findings if site is None else report.unsorted).extend(findings)
    return site


class ReadResult(NamedTuple):
    """The content of a folder, with the findings (errors and warnings) about it.

    Attributes:
        findings: the findings about all files except those of contracts, which are read later, one by one.
    """

    site: SiteContent | None  # the site; None if its settings could not be read
    findings: list[Finding]


def read_content(
    root: Path,
    files: Iterable[SourceFile | Finding] | None = None,
    *,
    ledger: Ledger | None = None,
    fallback: SettingsFallback | None = None,
) -> ReadResult:
    """Read the content folder, or only given files, without contracts.

    Args:
        root: the content folder.
        files: the files to read; None for all files in the folder.
        ledger: the build's database, so that unchanged files need not be parsed; None parses every file.
        fallback: what replaces faulty values of site.yaml; None if the site cannot be read then.
    """
    if files is None and not root.is_dir():
        message = f"no content folder {str(root)!r}"
        return ReadResult(
            None, [Finding(rule="missing-content-folder", message=message, hint="run `statuary init`")]
        )
    content = ContentFiles()
    for file in walk_folder(root, (CONTRACTS,)) if files is None else files:
        if isinstance(file, Finding):
            content.add_unreadable_path(root, file)
        else:
            content.add(file)
    known = None if ledger is None else ledger.table(KnownFiles)
    folder = ContentFolder(root=root, files=content, reads_contracts=files is None, known=known)
    return ReadResult(_read_site(folder, fallback or SettingsFallback(is_strict=True)), content.findings)


def is_excluded(finding: Finding) -> bool:
    """Return whether a finding excludes an incident, window or page that could be read."""
    is_withholding = finding.rule in (BEYOND_LIMIT, DEFECT)
    pattern = match_pattern(PurePosixPath(finding.path)) if is_withholding else None
    return pattern is not None and pattern.kind in (FileKind.INCIDENT, FileKind.MAINTENANCE, FileKind.PAGE)


def _read_site(folder: ContentFolder, fallback: SettingsFallback) -> SiteContent | None:
    """Read the content of a site, replacing settings that have errors.

    Returns:
        None if the settings are missing, or a file that a site needs cannot be read.
    """
    files = folder.files
    tree = read_settings_tree(files, folder.known)
    source = find_settings_path(files, may_be_missing=bool(fallback.last))
    folder = folder._replace(source=source)
    of_others = [finding for finding in files.findings if finding.path != source]
    while True:
        site = _read_with(folder, tree)
        if fallback.is_strict or not (errors := find_settings_errors(files.findings, source, site)):
            break
        findings = list(files.findings)
        replaced = fallback.replace_faulty(tree, errors, partial(_errors_in, folder, of_others))
        if isinstance(replaced, Finding):
            files.findings[:] = with_reason(findings, replaced)
            return None
        tree, files.findings[:] = replaced, of_others
    return None if site is None else _with_faults(site, files, tree or {}, fallback)


def _errors_in(folder: ContentFolder, of_others: list[Finding], tree: Tree) -> list[Finding]:
    folder.files.findings[:] = of_others
    return find_settings_errors(folder.files.findings, folder.source, _read_with(folder, tree))


def _with_faults(
    site: SiteContent, files: ContentFiles, settings: dict[str, Any], fallback: SettingsFallback
) -> SiteContent:
    fallback.settings = settings
    files.findings += [fault.finding for fault in fallback.faults]
    return site._replace(
        faults=(*site.faults, *fallback.faults), faulty_keys=site.faulty_keys | fallback.left_out
    )


def _read_with(folder: ContentFolder, tree: dict[str, Any] | None) -> SiteContent | None:
    """Read the content of a site with the given values of site.yaml.

    Returns:
        None if the settings have errors, or a file that a site needs cannot be read.
    """
    files, source = folder.files, folder.source
    settings = None if tree is None else read_settings(tree, source, files.findings, folder.known)
    if settings is None:
        for row in CONTENT_SECTIONS:
            load(row.section)().read(folder._replace(source=""))  # for its findings
        return None
    # Each extension reads its own folder later, which is named like the extension's key. So drop the findings
    # that report files in these folders as unknown.
    folders = tuple(f"{key.replace('_', '-')}/" for key, _ in settings.extensions)
    files.findings[:] = [item for item in files.findings if not item.path.startswith(folders)]
    contents = [
        load(row.section)().read(
            folder._replace(
                settings=settings.sections[row.name],
                language=settings.site.pages.language,
                extensions=settings.extensions,
            )
        )
        for row in CONTENT_SECTIONS
    ]
    return _combine_site(files, source, settings, contents)


def _combine_site(
    files: ContentFiles, source: str, settings: SettingsFile, contents: list[SectionContent | None]
) -> SiteContent | None:
    found = [content for content in contents if content is not None]
    page = next((content.page for content in found if content.page is not None), None)
    if page is None or len(found) < len(contents):
        return None
    pages, own_pages, faults = read_page_settings(files, settings, source)
    return SiteContent(
        source=source,
        page=page,
        pages=pages,
        hosting=settings.site.hosting,
        own_pages=own_pages,
        extensions=settings.extensions,
        faulty_keys=settings.faulty_keys,
        values=tuple(content.value for content in found),
        has_contracts=any(content.has_contracts for content in found),
        unread=files.unreadable_paths(),
        faults=(*faults, *(Fault(finding, "it is left out") for finding in files.left_out)),
    )
