"""Read the files of a status: components, incidents, maintenance windows and templates.

The source models are imported only to read a file that changed since the last build.
"""

from dataclasses import replace
from functools import partial
from typing import TypeVar

from statuary.base.findings import Finding
from statuary.publish.ledger.known_files import KnownFiles
from statuary.source.content_files import ContentFiles, Load
from statuary.source.file_kinds import FileKind
from statuary.source.source_files import SourceFile
from statuary.status.model.faulty_parts import without_faulty_components
from statuary.status.model.records import (
    Incident,
    IncidentTemplate,
    Maintenance,
    Page,
    StatusCatalogue,
    with_creation_dates,
)
from statuary.status.sources.read_values import NOTHING_READ, ReadComponents

Value = TypeVar("Value")


def read_status(
    files: ContentFiles, page: Page | None, page_source: str, known: KnownFiles | None = None
) -> StatusCatalogue | None:
    """Read the files of components, incidents and maintenance windows.

    Args:
        files: the content files, to which findings about errors are added.
        page: the settings of the page; None if they cannot be read, so that only errors are found.
        page_source: the path of site.yaml.
        known: the values of files in the last build; receives those of changed files. None reads every file.

    Returns:
        Components, incidents and windows; None if the page cannot be read.
    """

    def changed(load: Load[Value], kind: type[Value], *inputs: object) -> Load[Value]:
        return load if known is None else known.only_changed(load, kind, *inputs)

    def read_all(kind: FileKind, load: Load[Value]) -> tuple[Value, ...]:
        return tuple(value for _, value in files.read_all(kind, load))

    load_components = changed(partial(_load_components, page=page), ReadComponents, page)
    load_maintenance = changed(partial(_load_maintenance, page=page), Maintenance, page)
    components = files.read_single(FileKind.COMPONENTS, load_components)
    incidents = read_all(FileKind.INCIDENT, changed(_load_incident, Incident))
    maintenances = read_all(FileKind.MAINTENANCE, load_maintenance)
    templates = read_all(FileKind.TEMPLATE, changed(_load_template, IncidentTemplate))
    if page is None:
        return None
    status = StatusCatalogue(
        page=page,
        page_source=page_source,
        incidents=incidents,
        maintenances=maintenances,
        templates=templates,
    )
    return with_creation_dates(_with_components(files, None if components is None else components[1], status))


def _load_components(
    file: SourceFile, *, limit: int, findings: list[Finding], page: Page | None
) -> ReadComponents:
    from statuary.status.sources.read_components import read_components

    return read_components(file, limit=limit, findings=findings, page=page)


def _load_incident(file: SourceFile, *, limit: int, findings: list[Finding]) -> Incident | None:
    """Read an incident, or report that the file is a maintenance window."""
    from statuary.source.load_model import load_model
    from statuary.status.sources.incident_source import IncidentSource, incident_from_source

    found: list[Finding] = []
    source = load_model(file, model=IncidentSource, limit=limit, findings=found)
    window = next((finding for finding in found if finding.pointer == ("scheduled_for",)), None)
    if window is not None:
        message = "this is a maintenance window: an incident has no `scheduled_for`"
        found = [replace(window, message=message, hint="move the file to maintenances/")]
    findings += found
    return None if source is None else incident_from_source(source, file.pure_path.stem, file.path)


def _load_maintenance(
    file: SourceFile, *, limit: int, findings: list[Finding], page: Page | None
) -> Maintenance | None:
    from statuary.source.load_model import load_model
    from statuary.status.sources.maintenance_source import MaintenanceSource, maintenance_from_source

    source = load_model(file, model=MaintenanceSource, limit=limit, findings=findings)
    if source is None or page is None:
        return None
    return maintenance_from_source(source, file.pure_path.stem, file.path, page)


def _load_template(file: SourceFile, *, limit: int, findings: list[Finding]) -> IncidentTemplate | None:
    from statuary.source.load_model import load_model
    from statuary.status.sources.incident_source import TemplateSource, template_from_source

    source = load_model(file, model=TemplateSource, limit=limit, findings=findings)
    return None if source is None else template_from_source(source, file.pure_path.stem, file.path)


def _with_components(
    files: ContentFiles, components: ReadComponents | None, status: StatusCatalogue
) -> StatusCatalogue:
    """Add the components without errors in components.yaml to the status.

    If the file cannot be read, or is missing although a record names a component, all components count as faulty.
    """
    present_files = files.files[FileKind.COMPONENTS]
    if present_files:
        status = replace(status, components_source=present_files[0].path)
        read = NOTHING_READ if components is None else components
    elif any(record.components for record in (*status.incidents, *status.maintenances)):
        read = NOTHING_READ
        message = "the content folder has no components.yaml"
        hint = "list the components that incidents and maintenances name"
        path = status.components_source
        files.findings.append(Finding(rule="missing-file", path=path, message=message, hint=hint))
    else:
        return status
    status = replace(status, components=read.components)
    if not read.faulty_parts:
        return status
    files.faulty_paths.add(status.components_source)
    return without_faulty_components(status, read.faulty_parts)
