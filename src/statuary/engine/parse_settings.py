"""Parse and validate site.yaml."""

from collections.abc import Iterable

from statuary.base.findings import Finding
from statuary.engine.extension_settings import extension_models, read_extension_settings
from statuary.engine.faulty_settings import Tree
from statuary.engine.site_source import SiteSource
from statuary.registry import CONTENT_SECTIONS, load
from statuary.site.settings import HostingSettings, PageSettings, SettingsFile, SiteKeys
from statuary.source.load_model import read_tree, validate_tree
from statuary.source.source_files import SourceFile
from statuary.source.source_model import convert_model
from statuary.source.unreadable import UnreadableError


def load_settings_tree(file: SourceFile, *, limit: int, findings: list[Finding]) -> Tree | None:
    """Read the values of site.yaml.

    Args:
        limit: the maximum size of the file in bytes.
        findings: receives the errors in the file.

    Returns:
        The values by key; None if the file cannot be read.
    """
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
    """Validate the keys of site.yaml, each by the model of its section.

    Args:
        tree: the values by key, from which the function takes those of sections and extensions.
        path: the path of the file, which errors name.
        findings: receives the errors in the values.

    Returns:
        The settings, or None if there are errors that other parts of a site depend on.
    """
    kinds = {row.name: load(row.section).settings_model() for row in CONTENT_SECTIONS}
    known = [SiteSource, *kinds.values()]  # the models of all keys except those of extensions
    sections: dict[str, object] = {}
    for name, kind in kinds.items():
        source = validate_tree(_take(tree, kind.model_fields), kind, path, findings, known)
        if source is not None:
            sections[name] = source.to_settings()
    models = extension_models(key for key in tree if key not in SiteSource.model_fields)
    extensions = read_extension_settings(tree, models, path, findings)
    _take(tree, models)
    site = validate_tree(tree, SiteSource, path, findings, known)
    if site is None or extensions is None or len(sections) < len(kinds):
        return None
    keys = SiteKeys(convert_model(PageSettings, site.pages), convert_model(HostingSettings, site.hosting))
    return SettingsFile(keys, sections, *extensions)


def _take(tree: Tree, keys: Iterable[str]) -> Tree:
    return {key: tree.pop(key) for key in keys if key in tree}
