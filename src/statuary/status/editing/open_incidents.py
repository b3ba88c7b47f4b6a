"""Find open incidents that a new one may duplicate."""

import re
from collections.abc import Iterable, Iterator
from pathlib import Path

from statuary.base.limits import LARGEST_SOURCE_FILE
from statuary.base.primitives import Instant
from statuary.source.source_files import SourceFile
from statuary.source.unreadable import UnreadableError
from statuary.status.editing.new_record import record_files_by_name
from statuary.status.editing.updates import incident_status_at
from statuary.status.model.records import Incident
from statuary.status.model.timeline import Timeline
from statuary.status.model.vocabulary import UNRESOLVED_STATUSES

END = re.compile(rb"""\bstatus["']?[ \t]*:[ \t]*["']?(?:resolved|postmortem)\b""")
"""An update that ends an incident, in YAML or JSON."""


def files_with_open_incidents(root: Path) -> Iterator[str]:
    """Yield the paths of files whose incidents may be open.

    The files are searched for words but not parsed, so a resolved incident may be among them. Unreadable
    files are skipped.

    Args:
        root: the content folder.
    """
    for path in (path for paths in record_files_by_name(root, "incidents").values() for path in paths):
        try:
            raw = SourceFile(root, path).load_bytes(LARGEST_SOURCE_FILE)
        except UnreadableError:
            continue
        if END.search(raw) is None or b"reopens" in raw:
            yield path


def find_similar_incident(
    timeline: Timeline, name: str, components: Iterable[str], at: Instant
) -> Incident | None:
    """Return the newest open incident with a given name or component.

    Args:
        timeline: the status over time.
        name: the name to look for; case does not matter.
        components: the keys of components; the incident must affect at least one of them, or have the name.
        at: the time at which the incident must be open and published.

    Returns:
        The incident, or None if there is none.
    """
    keys, word = set(components), name.strip().casefold()
    for incident in (history.incident for history in timeline.incidents):
        is_published = not incident.draft and (incident.publish_at is None or incident.publish_at <= at)
        if not is_published or incident_status_at(incident, at) not in UNRESOLVED_STATUSES:
            continue
        if incident.name.strip().casefold() == word or affected_among(timeline, incident, keys):
            return incident
    return None


def affected_among(timeline: Timeline, incident: Incident, keys: Iterable[str]) -> list[str]:
    """Return those of the given components that an incident affects.

    Args:
        timeline: gives the components of the status.
        keys: the keys of the given components.
    """
    by_name = timeline.catalogue.components_by_name
    own_keys = {by_name[name].key for name in incident.components if name in by_name}
    return [key for key in keys if key in own_keys]
