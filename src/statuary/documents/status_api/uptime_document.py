"""The uptime of page, groups and components as a document, in the words of Statuspage's own pages.

Statuspage publishes uptime on its HTML pages only; this document is statuary's own, and has a JSON Schema.
"""

from collections.abc import Mapping
from pathlib import Path

import orjson

from statuary.documents.document import Document
from statuary.documents.encode import encode_json
from statuary.documents.status_api.json_members import Members
from statuary.documents.status_api.timestamps import TimestampFormatter
from statuary.documents.url_table import UPTIME, UPTIME_SCHEMA
from statuary.domain.status.components import Component
from statuary.domain.status.uptime import WINDOW_DAYS, ComponentUptime, PageUptime, uptime_percentage


def uptime_document(
    page: Members, uptime: PageUptime, groups: list[Component], timestamps: TimestampFormatter
) -> Document:
    """Return the document: percentages, and for each component the days with an outage."""
    by_id = {one.component.id: one for one in uptime.components}
    return Document(
        path=UPTIME.path(),
        cache=UPTIME.cache,
        body=encode_json(
            {
                "page": page,
                "as_of": timestamps(uptime.as_of),
                "days": WINDOW_DAYS,
                "first_day": uptime.first_day.isoformat(),
                "last_day": uptime.last_day.isoformat(),
                "uptime": uptime_percentage(one.fraction for one in uptime.components),
                "groups": [_group(group, by_id) for group in groups],
                "components": [_component(one) for one in uptime.components],
            }
        ),
    )


def uptime_schema_document() -> Document:
    """Return the JSON Schema of the uptime document."""
    schema = Path(__file__).with_name("uptime.schema.json").read_bytes()
    return Document(
        path=UPTIME_SCHEMA.path(), cache=UPTIME_SCHEMA.cache, body=encode_json(orjson.loads(schema))
    )


def _group(group: Component, by_id: Mapping[str, ComponentUptime]) -> Members:
    children = [by_id[child] for child in group.children if child in by_id]
    return {
        "id": group.id,
        "name": group.name,
        "uptime": uptime_percentage(child.fraction for child in children),
    }


def _component(uptime: ComponentUptime) -> Members:
    component = uptime.component
    start_date = component.start_date
    return {
        "id": component.id,
        "name": component.name,
        "group_id": component.group_id,
        "start_date": None if start_date is None else start_date.isoformat(),
        "uptime": uptime_percentage([uptime.fraction]),
        "window_seconds": int(uptime.window.total_seconds()),
        "days": [
            {
                "date": day.isoformat(),
                # the short names of Statuspage's own day data: partial, major
                "outages": {"p": int(outage.partial.total_seconds()), "m": int(outage.major.total_seconds())},
                "related_events": [
                    {"name": event.incident.name, "code": event.incident.id} for event in uptime.events[day]
                ],
            }
            for day, outage in uptime.days.items()
        ],
    }
