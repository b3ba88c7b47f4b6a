"""Shell completion: ids from file names, keys from `components.yaml`; for speed, nothing is validated."""

import os
from collections.abc import Iterator
from pathlib import Path

import click

from statuary.editing.find_component import STATUSES


def complete_incident(ctx: click.Context, _param: click.Parameter, incomplete: str) -> list[str]:
    """Return the matching ids of incidents, newest first."""
    return _files(_content(ctx) / "incidents", incomplete)


def complete_maintenance(ctx: click.Context, _param: click.Parameter, incomplete: str) -> list[str]:
    """Return the matching ids of maintenances, newest first."""
    return _files(_content(ctx) / "maintenances", incomplete)


def complete_component(ctx: click.Context, _param: click.Parameter, incomplete: str) -> list[str]:
    """Return the matching keys of components."""
    return [key for key in _keys(_content(ctx)) if key.startswith(incomplete)]


def complete_component_status(ctx: click.Context, param: click.Parameter, incomplete: str) -> list[str]:
    """Return matching keys; after `=`, matching statuses."""
    key, equals, status = incomplete.partition("=")
    if not equals:
        return complete_component(ctx, param, incomplete)
    return [f"{key}={one}" for one in STATUSES if one.startswith(status)]


def _content(ctx: click.Context) -> Path:
    return ctx.params.get("content") or Path("content")


def _files(folder: Path, incomplete: str) -> list[str]:
    names = (Path(name) for _, _, files in os.walk(folder) for name in files)
    stems = {
        name.stem for name in names if name.suffix in (".yaml", ".yml") and not name.stem.startswith(".")
    }
    return sorted((stem for stem in stems if stem.startswith(incomplete)), reverse=True)


def _keys(content: Path) -> Iterator[str]:
    from statuary.content.parse_yaml import parse_yaml
    from statuary.content.unreadable import UnreadableError

    for name in ("components.yaml", "components.yml"):
        try:
            tree = parse_yaml((content / name).read_text(encoding="utf-8"))
        except (OSError, UnicodeDecodeError, UnreadableError):
            continue
        yield from _leaves(tree.get("components") if isinstance(tree, dict) else None)


def _leaves(components: object) -> Iterator[str]:
    """Yield the keys of components, without groups."""
    for key, inner in components.items() if isinstance(components, dict) else ():
        below = inner.get("components") if isinstance(inner, dict) else None
        if below is None:
            yield key
        else:
            yield from _leaves(below)
