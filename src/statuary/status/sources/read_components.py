"""Read components.yaml, also if some of its components have errors."""

from collections.abc import Iterable, Iterator

from pydantic import ValidationError

from statuary.base.findings import Finding, Pointer
from statuary.base.json_values import Json
from statuary.source.load_model import error_pointers, read_tree, validate_tree, validation_findings
from statuary.source.source_files import SourceFile
from statuary.source.unreadable import UnreadableError
from statuary.status.model.records import FaultyPart, Page
from statuary.status.sources.component_source import ComponentsSource, components_from_source
from statuary.status.sources.read_values import NOTHING_READ, ReadComponents

COMPONENTS = "components"


def read_components(
    file: SourceFile, *, limit: int, findings: list[Finding], page: Page | None
) -> ReadComponents:
    """Read the components that have no error from components.yaml.

    Args:
        limit: the largest size of the file in bytes.
        findings: receives the errors in the file.
        page: the page of the components; None if it cannot be read, so that only errors are found.
    """
    try:
        tree = read_tree(file, limit)
    except UnreadableError as error:
        findings.append(error.to_finding(file.path))
        return NOTHING_READ
    if not isinstance(tree, dict):
        validate_tree(tree, ComponentsSource, file.path, findings)
        return NOTHING_READ
    try:
        return _to_components(ComponentsSource.model_validate(tree), page)
    except ValidationError as error:
        found = validation_findings(error, ComponentsSource, tree)
        findings += [finding.with_path(file.path) for finding in found]
        return _components_without_errors(tree, error, page)


def _to_components(
    source: ComponentsSource, page: Page | None, faulty_parts: tuple[FaultyPart, ...] = ()
) -> ReadComponents:
    return ReadComponents(() if page is None else components_from_source(source, page), faulty_parts)


def _components_without_errors(
    tree: dict[str, Json], error: ValidationError, page: Page | None
) -> ReadComponents:
    """Read components.yaml without its errors.

    A faulty component is replaced by a placeholder, so that the others keep their positions. Unknown keys of the file are
    removed.

    Args:
        tree: the parsed file, which is changed.
        error: the errors that pydantic found in it.
        page: the page of the components; None if it cannot be read.
    """
    places = {_pointer_of_faulty_component(pointer) for pointer in error_pointers(error, tree)}
    if () in places or (COMPONENTS,) in places:
        return NOTHING_READ
    parts = []
    for place in sorted(places, key=len, reverse=True):
        *path, key = map(str, place)
        parent = tree
        for step in path:
            below = parent[step]
            parent = below if isinstance(below, dict) else {}
        if path:
            parts.append(FaultyPart(place, frozenset(_keys_and_ids(key, parent.get(key)))))
            parent[key] = {"name": "-"}  # at the same place
        else:
            parts.append(FaultyPart(place))
            del parent[key]
    try:
        return _to_components(ComponentsSource.model_validate(tree), page, tuple(parts))
    except ValidationError:
        return NOTHING_READ


def _pointer_of_faulty_component(pointer: Pointer) -> Pointer:
    """Return the place of the component, group or unknown key that an error is in."""
    if pointer[:1] != (COMPONENTS,):
        return pointer[:1]
    return pointer[:4] if len(pointer) > 3 and pointer[2] == COMPONENTS else pointer[:2]


def _keys_and_ids(key: str, component: Json) -> Iterator[str]:
    yield key
    if isinstance(component, dict):
        ident, children = component.get("id"), component.get(COMPONENTS)
        if isinstance(ident, str):
            yield ident
        inner: Iterable[tuple[str, Json]] = children.items() if isinstance(children, dict) else ()
        for child_key, child in inner:
            yield from _keys_and_ids(child_key, child)
