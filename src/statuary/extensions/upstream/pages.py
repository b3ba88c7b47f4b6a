"""Read a component's status on another page.

Statuspage: `api/v2/components.json`. Instatus: `v2/components.json` (https://instatus.com/help/api). Better
Stack: `index.json`
(https://betterstack.com/docs/uptime/subscribing-to-status-updates/subscribing-to-api).
"""

from collections.abc import Callable, Iterator, Mapping
from typing import NamedTuple

import orjson

from statuary.base.errors import StatuaryError
from statuary.base.json_values import Json, JsonObject
from statuary.base.primitives import shorten
from statuary.extensions.instatus.documents import COMPONENTS as INSTATUS_COMPONENTS
from statuary.extensions.upstream.settings import UpstreamKind
from statuary.status.model.vocabulary import COMPONENT_SEVERITY, ComponentStatus
from statuary.status.urls import COMPONENTS

LARGEST_BODY = 4 << 20
"""Size in bytes of the largest document of another page."""


class UpstreamError(StatuaryError):
    """Raised if another page cannot be read or lacks a component."""


class ListedComponent(NamedTuple):
    """A component on another page."""

    id: str
    name: str
    status: str  # the status in the words of the other page


ListComponents = Callable[[JsonObject], Iterator[ListedComponent]]

STATUSES: dict[str, ComponentStatus] = {
    **{status.replace("_", ""): status for status in COMPONENT_SEVERITY},
    "minoroutage": "partial_outage",
    "degraded": "degraded_performance",
    "downtime": "major_outage",
    "maintenance": "under_maintenance",
    "notmonitored": "operational",
    "resolved": "operational",
}
"""Statuses by the words of the three kinds of pages, in lower case without spaces and underscores."""


def _require_object(value: Json) -> JsonObject:
    return value if isinstance(value, Mapping) else {}


def _require_string(value: Json) -> str:
    return value.strip() if isinstance(value, str) else ""


def _require_objects(value: Json) -> Iterator[JsonObject]:
    return map(_require_object, value if isinstance(value, list) else ())


def _listed_components(document: JsonObject) -> Iterator[ListedComponent]:
    """Yield the components of Statuspage's and Instatus's documents.

    Both have the same members.
    """
    for row in _require_objects(document.get("components")):
        yield ListedComponent(
            _require_string(row.get("id")),
            _require_string(row.get("name")),
            _require_string(row.get("status")),
        )


def _listed_resources(document: JsonObject) -> Iterator[ListedComponent]:
    for row in _require_objects(document.get("included")):
        if row.get("type") == "status_page_resource":
            members = _require_object(row.get("attributes"))
            name = _require_string(members.get("public_name"))
            status = _require_string(members.get("status"))
            yield ListedComponent(_require_string(row.get("id")), name, status)


DOCUMENTS: dict[UpstreamKind, tuple[str, ListComponents]] = {
    UpstreamKind.STATUSPAGE: (COMPONENTS.path(), _listed_components),
    UpstreamKind.INSTATUS: (INSTATUS_COMPONENTS.path(), _listed_components),
    UpstreamKind.BETTERSTACK: ("index.json", _listed_resources),
}
"""The path of the document that lists components, and its reader."""


def parse_components(body: bytes, kind: UpstreamKind, page: str) -> list[ListedComponent]:
    """Parse the list of components on another status page.

    Args:
        body: the JSON document.
        kind: the system that serves the page.
        page: the URL of the page, for error messages.

    Raises:
        UpstreamError: if the document is not JSON, or lists no components.
    """
    try:
        document: Json = orjson.loads(body)
    except orjson.JSONDecodeError as error:
        raise UpstreamError(
            f"{page} does not send JSON: {error}", "check `kind` and `url` in site.yaml"
        ) from None
    rows = list(DOCUMENTS[kind][1](_require_object(document)))
    if not rows:
        raise UpstreamError(
            f"{page} lists no components", f"check that `url` leads to a status page of the kind {kind}"
        )
    return rows


def status_of_component(rows: list[ListedComponent], name: str, page: str) -> ComponentStatus:
    """Return the status of a component on another page.

    Args:
        rows: the components on the page.
        name: the id or the name of the component.
        page: the URL of the page, for error messages.

    Raises:
        UpstreamError: if no component or several components match, or the status is unknown.
    """
    matching_rows = [row for row in rows if row.id == name] or [
        row for row in rows if row.name.casefold() == name.strip().casefold()
    ]
    if len(matching_rows) != 1:
        component_names = shorten(", ".join(row.name for row in rows))
        count = "has no component" if not matching_rows else f"has {len(matching_rows)} components named"
        raise UpstreamError(f"{page} {count} {name!r}", f"write one of its names or ids: {component_names}")
    word = matching_rows[0].status.lower().replace("_", "").replace(" ", "")
    if word not in STATUSES:
        raise UpstreamError(
            f"{page} shows the status {shorten(matching_rows[0].status)} for {name!r}, which statuary does not know"
        )
    return STATUSES[word]
