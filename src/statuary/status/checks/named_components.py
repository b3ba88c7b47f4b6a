"""Check the components that settings name, such as a channel's."""

from collections.abc import Iterator, Mapping

from statuary.base.findings import Finding, Pointer, Severity, Suggestions
from statuary.status.model.records import StatusCatalogue


def unknown_component_findings(
    catalogue: StatusCatalogue,
    names: Mapping[Pointer, str],
    path: str,
    severity: Severity = Severity.WARNING,
) -> Iterator[Finding]:
    """Yield a finding for each name that belongs to no component.

    Args:
        catalogue: the components that exist.
        names: keys or ids of components, by their places in the file.
        path: the path of the file, which the findings name.
        severity: the severity of the findings.
    """
    suggestions = Suggestions(catalogue.components_by_name)
    for pointer, name in names.items():
        if name not in catalogue.components_by_name and not catalogue.may_be_faulty_component(name):
            yield Finding(
                rule="unknown-component",
                severity=severity,
                message=f"{catalogue.components_source} has no component {name!r}",
                hint=suggestions.suggest_similar(name) or "write the key or the id of a component",
                path=path,
                pointer=pointer,
            )
