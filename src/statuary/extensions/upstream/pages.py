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


def _require_object(json_value: Json) -> JsonObject:
    return json_value if isinstance(json_value, Mapping) else {}


def _require_string(json_value: Json) -> str:
    return json_value.strip() if isinstance(json_value, str) else ""


def _require_objects(json_value: Json) -> Iterator[JsonObject]:
    return map(_require_object, json_value if isinstance(json_value, list) else ())


def _iter_listed_components(document: JsonObject) -> Iterator[ListedComponent]:
    for row in _require_objects(document.get("components")):
        yield ListedComponent(
            _require_string(row.get("id")),
            _require_string(row.get("name")),
            _require_string(row.get("status")),
        )


def _iter_listed_resources(document: JsonObject) -> Iterator[ListedComponent]:
    for row in _require_objects(document.get("included")):
        if row.get("type") == "status_page_resource":
            members = _require_object(row.get("attributes"))
            name = _require_string(members.get("public_name"))
            status = _require_string(members.get("status"))
            yield ListedComponent(_require_string(row.get("id")), name, status)


DOCUMENTS: dict[UpstreamKind, tuple[str, ListComponents]] = {
    UpstreamKind.STATUSPAGE: (COMPONENTS.path(), _iter_listed_components),
    UpstreamKind.INSTATUS: (INSTATUS_COMPONENTS.path(), _iter_listed_components),
    UpstreamKind.BETTERSTACK: ("index.json", _iter_listed_resources),
}
"""The path of the document that lists components, and its reader."""


def parse_components(page_json: bytes, page_kind: UpstreamKind, page_url: str) -> list[ListedComponent]:
    """Parse the list of components of another status page.

    Args:
        page_json: the JSON document of the other page.
        page_kind: the system of the other page, such as Statuspage.
        page_url: the URL of the page, for error messages.

    Raises:
        UpstreamError: if the document is not JSON, or lists no components.
    """
    try:
        document: Json = orjson.loads(page_json)
    except orjson.JSONDecodeError as error:
        raise UpstreamError(
            f"{page_url} does not send JSON: {error}", "check `kind` and `url` in site.yaml"
        ) from None
    rows = list(DOCUMENTS[page_kind][1](_require_object(document)))
    if not rows:
        raise UpstreamError(
            f"{page_url} lists no components",
            f"check that `url` leads to a status page of the kind {page_kind}",
        )
    return rows


def find_component_status(
    page_components: list[ListedComponent], component_name: str, page_url: str
) -> ComponentStatus:
    """Return the status of a component on another status page.

    Args:
        page_components: the components on the page.
        component_name: the id or the name of the component.
        page_url: the URL of the page, for error messages.

    Raises:
        UpstreamError: if no component or several components match, or the status is unknown.
    """
    matching_rows = [row for row in page_components if row.id == component_name] or [
        row for row in page_components if row.name.casefold() == component_name.strip().casefold()
    ]
    if len(matching_rows) != 1:
        component_names = shorten(", ".join(row.name for row in page_components))
        count = "has no component" if not matching_rows else f"has {len(matching_rows)} components named"
        raise UpstreamError(
            f"{page_url} {count} {component_name!r}", f"write one of its names or ids: {component_names}"
        )
    word = matching_rows[0].status.lower().replace("_", "").replace(" ", "")
    if word not in STATUSES:
        raise UpstreamError(
            f"{page_url} shows the status {shorten(matching_rows[0].status)} for {component_name!r}, which statuary does not know"
        )
    return STATUSES[word]
