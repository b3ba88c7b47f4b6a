"""Read the keys of site.yaml that belong to extensions.

The model of an extension is imported only if its key is present.
"""

from collections.abc import Iterator, Mapping
from pathlib import Path

from statuary.base.budget import run_guarded
from statuary.base.findings import Finding
from statuary.base.json_values import Json
from statuary.registry import EXTENSIONS, Extension, load
from statuary.source.load_model import validate_tree
from statuary.source.source_model import SourceModel
from statuary.status.model.records import StatusCatalogue

ExtensionSettings = tuple[tuple[str, tuple[object, ...]], ...]
"""Key of site.yaml and settings of every extension that is on."""


def apply_extension_status(
    content: Path, on: ExtensionSettings, status: StatusCatalogue, findings: list[Finding], language: str
) -> StatusCatalogue:
    """Add the statuses that enabled extensions follow.

    Args:
        language: that of the pages.
    """
    for row in EXTENSIONS:
        if row.status and row.key in dict(on):
            follow = load(row.status)
            status = follow(content, dict(on)[row.key], status, findings, language)
    return status


class ExtensionSource(SourceModel):
    """The model of an extension's key, its only member."""

    def settings(self) -> tuple[object, ...] | None:
        """Return the settings as a named tuple, or None if the extension is disabled."""
        raise NotImplementedError


def extensions_with_model() -> Iterator[Extension]:
    """Yield the extensions whose key is not in the core's model of site.yaml."""
    return (extension for extension in EXTENSIONS if extension.settings)


def model_of(extension: Extension) -> type[ExtensionSource]:
    """Import the model of an extension's key."""
    model: type[ExtensionSource] = load(extension.settings)
    return model


def read_extension_settings(
    tree: Mapping[str, Json], path: str, findings: list[Finding]
) -> ExtensionSettings | None:
    """Read the extensions' settings in a tree of site.yaml.

    Returns:
        The settings, or None if they have errors, which are added to `findings`.
    """
    settings: list[tuple[str, tuple[object, ...]]] = []
    errors = len(findings)
    for extension in extensions_with_model():
        if extension.key not in tree:
            continue
        own_tree = {extension.key: tree[extension.key]}
        source = validate_tree(own_tree, model_of(extension), path, findings)
        value = None if source is None else run_guarded(source.settings, path, f"reading `{extension.key}`")
        if isinstance(value, Finding):
            findings.append(value.within(path, (extension.key,)))
            errors += 1  # a bug: the status is published without this extension
        elif value is not None:
            settings.append((extension.key, value))
    return tuple(settings) if len(findings) == errors else None
