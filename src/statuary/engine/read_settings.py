"""Read site.yaml, and find the errors in it."""

import json
from collections.abc import Iterable
from functools import partial

from statuary.base.budget import DEFECT, run_guarded
from statuary.base.findings import Finding, Severity
from statuary.engine.faulty_settings import CORE_KEYS, Tree
from statuary.publish.ledger.known_files import KnownFiles
from statuary.registry import CONTENT_SECTIONS, load
from statuary.site.settings import SettingsFile, SiteKeys
from statuary.site.site_content import SiteContent
from statuary.source.content_files import ContentFiles
from statuary.source.file_kinds import FileKind
from statuary.source.source_files import SourceFile

SITE_FILE = "site.yaml"


def find_settings_path(files: ContentFiles, *, may_be_missing: bool) -> str:
    """Return the path of site.yaml.

    Args:
        may_be_missing: whether the settings of the last build may replace a missing file, if the folder has components.

    Returns:
        The path; empty if the file is missing and nothing may replace it.
    """
    default = SITE_FILE if may_be_missing and files.files[FileKind.COMPONENTS] else ""
    return next((file.path for file in files.files[FileKind.SITE]), default)


def find_settings_errors(findings: Iterable[Finding], source: str, site: SiteContent | None) -> list[Finding]:
    """Return the errors in site.yaml that keep the site from being built.

    Args:
        source: the path of site.yaml.
        site: the content; None if it could not be read.
    """
    errors = [finding for finding in findings if finding.severity is Severity.ERROR and source]
    return [error for error in errors if error.path == source and (site is None or error.rule != DEFECT)]


def with_reason(findings: Iterable[Finding], stopping: Finding) -> list[Finding]:
    """Replace an error by a copy that says why the build stops.

    Args:
        findings: the findings, which include the error.
        stopping: the new error, which has the same rule and place as the old one.
    """
    place = stopping.rule, stopping.path, stopping.pointer
    return [
        stopping if (finding.rule, finding.path, finding.pointer) == place else finding
        for finding in findings
    ]


def read_settings_tree(files: ContentFiles, known: KnownFiles | None) -> Tree | None:
    """Read the values of site.yaml.

    Args:
        files: the content files.
        known: the values of files in the last build; None in a command that builds nothing.

    Returns:
        The values by key; None if there is no such file, or it cannot be read.
    """
    load = _load_tree if known is None else known.only_changed(_load_tree, dict)
    read = files.read_single(FileKind.SITE, load)
    if not files.files[FileKind.SITE]:
        message = "the content folder has no site.yaml"
        files.findings.append(
            Finding(rule="missing-file", path=SITE_FILE, message=message, hint="run `statuary init`")
        )
    return None if read is None else read[1]


def _load_tree(file: SourceFile, *, limit: int, findings: list[Finding]) -> Tree | None:
    from statuary.engine.parse_settings import load_settings_tree

    return load_settings_tree(file, limit=limit, findings=findings)


def read_settings(
    tree: Tree, path: str, findings: list[Finding], known: KnownFiles | None
) -> SettingsFile | None:
    """Convert the values of site.yaml to settings.

    Values that are those of the last build are not validated again, unless some of them belong to extensions.

    Args:
        tree: the values by key.
        path: the path of the file, which errors name.
        findings: receives the errors in the values.
        known: the values of files in the last build; None in a command that builds nothing.

    Returns:
        The settings, or None if there are errors that other parts of a site depend on.
    """
    body = json.dumps(tree).encode()
    settings = None if known is None else _find_known_settings(known, path, body)
    if settings is not None:
        return settings
    from statuary.engine.parse_settings import parse_settings

    earlier = len(findings)
    parsed = run_guarded(partial(parse_settings, dict(tree), path, findings), path, "reading the file")
    if isinstance(parsed, Finding):
        findings.append(parsed)
        return None
    if known is not None and len(findings) == earlier and tree.keys() <= CORE:
        _store_settings(known, path, parsed)
    return parsed


CORE = {str(pointer[0]) for pointer in CORE_KEYS}
"""The keys of site.yaml that belong to no extension."""


def _find_known_settings(known: KnownFiles, path: str, body: bytes) -> SettingsFile | None:
    site = known.find(_stored_name(path), body, SiteKeys)
    sections: dict[str, object] = {
        row.name: known.find(_stored_name(path, row.name), body, load(row.section).settings_type)
        for row in CONTENT_SECTIONS
    }
    return None if site is None or None in sections.values() else SettingsFile(site, sections)


def _store_settings(known: KnownFiles, path: str, settings: SettingsFile | None) -> None:
    if settings is not None:
        known.add(_stored_name(path), settings.site)
        for section, value in settings.sections.items():
            known.add(_stored_name(path, section), value)


def _stored_name(path: str, section: str = "site") -> str:
    return f"{path}: {section}"
