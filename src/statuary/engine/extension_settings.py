"""Read the keys of site.yaml that belong to extensions.

The model of an extension is imported only if its key is present.
"""

from collections.abc import Iterable, Mapping
from typing import NamedTuple

from statuary.base.budget import run_guarded
from statuary.base.findings import Finding
from statuary.base.json_values import Json
from statuary.registry import EXTENSIONS, extension_of, load
from statuary.site.settings import ExtensionSettings
from statuary.source.load_model import validate_tree
from statuary.source.source_model import SectionSource


class ExtensionSource(SectionSource):
    """Base of the models that read an extension's key in site.yaml.

    The key is its only member.
    """


def extension_models(keys: Iterable[str]) -> dict[str, type[ExtensionSource]]:
    """Import the models that validate the keys of extensions in site.yaml.

    Args:
        keys: the keys of site.yaml.

    Returns:
        The models by key; keys without a model are left out.
    """
    order = {row.name: number for number, row in enumerate(EXTENSIONS)}
    models = {}
    for key in sorted(keys, key=lambda key: order.get(key, len(order))):
        extension = extension_of(key)
        model: type[ExtensionSource] | None = None
        if extension is not None:
            model = load(extension.section).settings_model()
        if model is not None:
            models[key] = model
    return models


class ReadExtensions(NamedTuple):
    """The settings of extensions, and the keys of those that are left out because of an error."""

    settings: ExtensionSettings
    faulty_keys: frozenset[str]


def read_extension_settings(
    tree: Mapping[str, Json], models: Mapping[str, type[ExtensionSource]], path: str, findings: list[Finding]
) -> ReadExtensions | None:
    """Read the settings of extensions from the parsed site.yaml.

    Args:
        tree: the values of site.yaml, with every key of `models`.
        models: the model that validates each extension's key, by key.
        path: the path of site.yaml, which errors name.
        findings: receives the errors in the settings.

    Returns:
        The settings, or None if there are errors in those of an extension that other parts of a site depend
        on.
    """
    settings: list[tuple[str, tuple[object, ...]]] = []
    faulty: set[str] = set()
    for key, model in models.items():
        source = validate_tree({key: tree[key]}, model, path, findings)
        value = None if source is None else run_guarded(source.to_settings, path, f"reading `{key}`")
        if isinstance(value, Finding):  # a bug: the status is published without this extension
            findings.append(value.with_path(path, (key,)))
        elif value is not None:
            settings.append((key, value))
        if source is None:
            faulty.add(key)
    return ReadExtensions(tuple(settings), frozenset(faulty)) if all(map(_is_independent, faulty)) else None


def _is_independent(key: str) -> bool:
    """Return whether a site can be built without an extension's settings."""
    row = extension_of(key)
    return row is not None and not row.provides
