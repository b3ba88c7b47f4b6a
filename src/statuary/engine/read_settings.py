"""Read site.yaml, and find the errors in it."""

from collections.abc import Iterable
from functools import partial
from typing import NamedTuple

from statuary.base.budget import DEFECT, run_guarded
from statuary.base.findings import Finding, Severity
from statuary.engine.extension_settings import ExtensionSettings, extension_models, read_extension_settings
from statuary.engine.faulty_settings import Tree
from statuary.engine.site_source import SiteSource
from statuary.registry import CONTENT_SECTIONS, load
from statuary.site.site_content import SiteContent
from statuary.source.content_files import ContentFiles
from statuary.source.file_kinds import FileKind
from statuary.source.load_model import read_tree, validate_tree
from statuary.source.source_files import SourceFile
from statuary.source.source_model import SourceModel
from statuary.source.unreadable import UnreadableError


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


def read_settings_tree(files: ContentFiles) -> Tree | None:
    """Read the values of site.yaml.

    Returns:
        The values by key; None if there is no such file, or it cannot be read.
    """
    read = files.read_single(FileKind.SITE, _load_tree)
    if not files.files[FileKind.SITE]:
        message = "the content folder has no site.yaml"
        files.findings.append(Finding(rule="missing-file", message=message, hint="run `statuary init`"))
    return None if read is None else read[1]


class SettingsFile(NamedTuple):
    """The parsed content of site.yaml."""

    site: SiteSource
    sections: dict[str, SourceModel]  # the keys of contracts and status, by section
    extensions: ExtensionSettings
    faulty_keys: frozenset[str]  # the extensions that are left out because of an error in their settings


def _load_tree(file: SourceFile, *, limit: int, findings: list[Finding]) -> Tree | None:
    try:
        tree = read_tree(file, limit)
    except UnreadableError as error:
        findings.append(error.to_finding(file.path))
        return None
    if not isinstance(tree, dict):
        validate_tree(tree, SiteSource, file.path, findings)
        return None
    return tree


def parse_settings(tree: Tree, path: str, findings: list[Finding]) -> SettingsFile | None:
    """Validate the values of site.yaml.

    Args:
        tree: the values by key.
        path: the path of the file, which errors name.
        findings: receives the errors in the values.

    Returns:
        The settings, or None if there are errors that other parts of a site depend on.
    """
    parsed = run_guarded(partial(_parse_tree, dict(tree), path, findings), path, "reading the file")
    if isinstance(parsed, Finding):
        findings.append(parsed)
        return None
    return parsed


def _parse_tree(tree: Tree, path: str, findings: list[Finding]) -> SettingsFile | None:
    """Validate the keys of site.yaml, each by the model of its section."""
    kinds = {row.name: load(row.section).settings_model() for row in CONTENT_SECTIONS}
    known = [SiteSource, *kinds.values()]  # the models of all keys except those of extensions
    sections: dict[str, SourceModel] = {}
    for name, kind in kinds.items():
        source = validate_tree(_take(tree, kind.model_fields), kind, path, findings, known)
        if source is not None:
            sections[name] = source
    models = extension_models(key for key in tree if key not in SiteSource.model_fields)
    extensions = read_extension_settings(tree, models, path, findings)
    _take(tree, models)
    site = validate_tree(tree, SiteSource, path, findings, known)
    if site is None or extensions is None or len(sections) < len(kinds):
        return None
    return SettingsFile(site, sections, *extensions)


def _take(tree: Tree, keys: Iterable[str]) -> Tree:
    return {key: tree.pop(key) for key in keys if key in tree}
