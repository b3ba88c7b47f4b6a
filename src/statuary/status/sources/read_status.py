"""Read the files of a status: components, incidents, maintenance windows and templates."""

from dataclasses import replace
from functools import partial

from statuary.base.findings import Finding
from statuary.source.content_files import ContentFiles
from statuary.source.file_kinds import FileKind
from statuary.source.load_model import load_model
from statuary.source.source_files import ReadFile, SourceFile
from statuary.source.unreadable import UnreadableError
from statuary.status.known_incidents import KnownIncidents
from statuary.status.model.faulty_parts import without_faulty_components
from statuary.status.model.records import Incident, Page, StatusCatalogue, with_creation_dates
from statuary.status.sources.component_source import components_from_source
from statuary.status.sources.incident_source import (
    IncidentSource,
    TemplateSource,
    incident_from_source,
    template_from_source,
)
from statuary.status.sources.maintenance_source import MaintenanceSource, maintenance_from_source
from statuary.status.sources.read_components import NOTHING_READ, ReadComponents, read_components


def read_status(
    files: ContentFiles, page: Page | None, page_source: str, known_incidents: KnownIncidents | None = None
) -> StatusCatalogue | None:
    """Read the files of components, incidents and maintenance windows.

    Args:
        files: the content files, to which findings about errors are added.
        page: the settings of the page; None if they cannot be read, so that only errors are found.
        page_source: the path of site.yaml.
        known_incidents: the incidents of the last build, whose unchanged files need not be parsed; newly
            parsed ones are added to it. None parses every file.

    Returns:
        Components, incidents and windows; None if the page cannot be read.
    """
    components = files.read_single(FileKind.COMPONENTS, read_components)
    incidents = list(
        files.read_all(FileKind.INCIDENT, partial(_load_incident, known_incidents=known_incidents))
    )
    maintenances = list(files.read_all(FileKind.MAINTENANCE, partial(load_model, model=MaintenanceSource)))
    templates = list(files.read_all(FileKind.TEMPLATE, partial(load_model, model=TemplateSource)))
    if page is None:
        return None
    status = StatusCatalogue(
        page=page,
        page_source=page_source,
        incidents=files.convert_all(incidents, partial(_translate_incident, known_incidents=known_incidents)),
        maintenances=files.convert_all(maintenances, partial(maintenance_from_source, page=page)),
        templates=tuple(
            template_from_source(template, file.pure_path.stem, file.path) for file, template in templates
        ),
    )
    return with_creation_dates(_with_components(files, None if components is None else components[1], status))


def _load_incident(
    file: SourceFile, *, limit: int, findings: list[Finding], known_incidents: KnownIncidents | None
) -> IncidentSource | Incident | None:
    """Read an incident, or report that the file is a maintenance window."""
    if known_incidents is not None:
        try:
            body = file.load_bytes(limit)
        except UnreadableError as error:
            findings.append(error.to_finding(file.path))
            return None
        incident = known_incidents.find(file.path, body)
        if incident is not None:
            return incident
        file = ReadFile(file.root, file.path, body)
    found: list[Finding] = []
    source = load_model(file, model=IncidentSource, limit=limit, findings=found)
    window = next((finding for finding in found if finding.pointer == ("scheduled_for",)), None)
    if window is not None:
        message = "this is a maintenance window: an incident has no `scheduled_for`"
        found = [replace(window, message=message, hint="move the file to maintenances/")]
    findings += found
    return source


def _translate_incident(
    source: IncidentSource | Incident, file_name: str, path: str, known_incidents: KnownIncidents | None
) -> Incident:
    if isinstance(source, Incident):
        return source
    incident = incident_from_source(source, file_name, path)
    if known_incidents is not None:
        known_incidents.add(incident)
    return incident


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
    if not read.faulty_parts:
        return replace(status, components=components_from_source(read.source, status.page))
    files.faulty_paths.add(status.components_source)
    status = replace(status, components=components_from_source(read.source, status.page))
    return without_faulty_components(status, read.faulty_parts)
