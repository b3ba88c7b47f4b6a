"""The OpenAPI document, based on the URL table."""

import json
import re
from collections.abc import Sequence
from functools import cache, partial
from pathlib import Path
from typing import Any, get_args, get_origin

from statuary.contracts.api import shapes as lists
from statuary.contracts.api.shapes import RejectedRequest
from statuary.contracts.model.field_names import DOTTED, SELECTABLE
from statuary.contracts.model.record import Record
from statuary.contracts.settings import Chain
from statuary.engine.catalogue import Catalogue
from statuary.engine.sections import enabled_sections, section_operations
from statuary.publish.ledger.contract_rows import ContractRow
from statuary.site import url_table
from statuary.site.document import Document, encode_json
from statuary.site.operations import Operation
from statuary.site.url_table import OPENAPI, PROOF, PROOF_SCHEMA, UPTIME, UPTIME_SCHEMA
from statuary.status.api import shapes as status

JsonObject = dict[str, Any]
"""A JSON object of the document."""

GENESIS_CHAIN = "0"
"""The chain that is valid although no list names it, as on the real server."""


def path_parameters(names: Sequence[str], chains: Sequence[Chain]) -> list[JsonObject]:
    """Return the parameters of a path, given their names in the URL table."""
    schemas = PATH_SCHEMAS | {"chain_id": _chain_schema(chains)}
    return [
        {
            "name": SPECIFIED_NAMES.get(name, name),
            "in": "path",
            "required": True,
            "schema": schemas.get(name, NAME),
        }
        for name in names
    ]


SPECIFIED_NAMES = {"chain_id": "chainId"}
"""Names that the specification writes differently."""

NAME = {"type": "string", "pattern": "^[^/]+$"}

PATH_SCHEMAS: dict[str, JsonObject] = {
    "address": {
        "type": "string",
        "pattern": "^0x[0-9a-fA-F]{40}$",
        "description": "In lower case, in upper case, or with its EIP-55 checksum.",
    },
    "page": {"type": "string", "pattern": "^([0-9]+|oldest)$"},
    "month": {"type": "string", "pattern": "^[0-9]{4}-[0-9]{2}$"},
    "incident_id": NAME,
    "component_id": NAME,
}


def _chain_schema(chains: Sequence[Chain]) -> JsonObject:
    return {"type": "string", "enum": [*(chain.chain_id for chain in chains), GENESIS_CHAIN]}


def _names(names: Sequence[str], *, single: str = "") -> str:
    """Return the pattern of a comma-separated list of names."""
    any_name = "|".join(name.replace(".", r"\.") for name in names)
    pattern = f"({any_name})(,({any_name}))*"
    return f"^({single}|{pattern})$" if single else f"^{pattern}$"


FIELDS_PARAMETER: JsonObject = {
    "name": "fields",
    "in": "query",
    "description": "The members to return besides the seven of every response, separated by commas; `all` for every "
    "member. A dot selects within a group. Cannot be combined with `omit`.",
    "schema": {"type": "string", "pattern": _names((*SELECTABLE, *DOTTED), single="all")},
    "example": "abi,compilation.compilerVersion",
}
OMIT_PARAMETER: JsonObject = {
    "name": "omit",
    "in": "query",
    "description": "The members to leave out, separated by commas. Cannot be combined with `fields`.",
    "schema": {"type": "string", "pattern": _names((*SELECTABLE, *DOTTED))},
    "example": "stdJsonInput,stdJsonOutput",
}
LIST_PARAMETERS: tuple[JsonObject, ...] = (
    {
        "name": "sort",
        "in": "query",
        "description": "By match id: `desc` is newest first.",
        "schema": {"type": "string", "enum": ["asc", "desc"], "default": "desc"},
    },
    {
        "name": "limit",
        "in": "query",
        "schema": {"type": "integer", "minimum": 1, "maximum": 200, "default": 200},
    },
    {
        "name": "afterMatchId",
        "in": "query",
        "description": "The match id after which the list starts, in the direction of `sort`.",
        "schema": {"type": "string", "pattern": "^[0-9]+$"},
    },
)


LOOKUP_TAG, STATUS_TAG, FEEDS_TAG = "contract look-up", "status", "feeds and badges"
"""The parts of the API, as tags."""

TAGS: dict[str, str] = {
    LOOKUP_TAG: "Sourcify's API v2. A host that serves only plain files ignores `fields`, `omit` and the query of lists, "
    "and sends its own error pages.",
    STATUS_TAG: "Statuspage's API v2, plus the whole history by month.",
    FEEDS_TAG: "The same status for feed readers, calendars and other pages.",
}


_look_up = partial(Operation, tag=LOOKUP_TAG)
_status = partial(Operation, tag=STATUS_TAG)


OPERATIONS: tuple[Operation, ...] = (
    _look_up(
        url_table.CONTRACT,
        Record,
        query=(FIELDS_PARAMETER, OMIT_PARAMETER),
        rejects=True,
        not_found_shape=lists.NotVerified,
        may_be_missing=True,
    ),
    _look_up(
        url_table.CONTRACT_ALL_CHAINS,
        lists.ContractOnAllChains,
        rejects=True,
        not_found_shape=lists.ContractOnAllChains,
        may_be_missing=True,
    ),
    _look_up(url_table.CONTRACTS, lists.ContractList, query=LIST_PARAMETERS, rejects=True),
    _look_up(url_table.CHAINS, list[lists.ListedChain]),
    _look_up(url_table.HEALTH, None),
    _look_up(url_table.VERSION_DOCUMENT, None),
    _look_up(url_table.CONTRACTS_PAGES, lists.ListPages, may_be_missing=True),
    _look_up(url_table.CONTRACTS_PAGE, lists.ContractList, may_be_missing=True),
    _look_up(url_table.PROOF, None, may_be_missing=True),
    _status(url_table.SUMMARY, status.SummaryDocument),
    _status(url_table.STATUS, status.StatusDocument),
    _status(url_table.COMPONENTS, status.ComponentsDocument),
    _status(url_table.INCIDENTS, status.IncidentsDocument),
    _status(url_table.INCIDENTS_UNRESOLVED, status.IncidentsDocument),
    _status(url_table.MAINTENANCES, status.ScheduledMaintenancesDocument),
    _status(url_table.MAINTENANCES_UPCOMING, status.ScheduledMaintenancesDocument),
    _status(url_table.MAINTENANCES_ACTIVE, status.ScheduledMaintenancesDocument),
    _status(url_table.INCIDENT, status.IncidentDocument, may_be_missing=True),
    _status(url_table.ARCHIVES, status.ArchivesDocument, may_be_missing=True),
    _status(url_table.ARCHIVE, status.ArchiveDocument, may_be_missing=True),
    _status(url_table.UPTIME, None, may_be_missing=True),
    _status(url_table.EPOCHS, status.EpochsDocument),
    Operation(url=url_table.HISTORY_ATOM, tag=FEEDS_TAG),
    Operation(url=url_table.HISTORY_RSS, tag=FEEDS_TAG),
    Operation(url=url_table.FEED, tag=FEEDS_TAG),
    Operation(url=url_table.COMPONENT_ATOM, tag=FEEDS_TAG, may_be_missing=True),
    Operation(url=url_table.CALENDAR, tag=FEEDS_TAG),
    Operation(url=url_table.BADGE, tag=FEEDS_TAG),
    Operation(url=url_table.BADGE_ENDPOINT, tag=FEEDS_TAG),
    Operation(url=url_table.COMPONENT_BADGE, tag=FEEDS_TAG, may_be_missing=True),
    Operation(url=url_table.COMPONENT_BADGE_ENDPOINT, tag=FEEDS_TAG, may_be_missing=True),
    Operation(url=url_table.CHANGES, tag=FEEDS_TAG),
)
"""The whole API; pages, their assets and the files of hosts are not part of it."""


VERSION = "2"
"""The version of both APIs."""

OWN_SCHEMAS = {UPTIME.name: UPTIME_SCHEMA, PROOF.name: PROOF_SCHEMA}
"""Schemas that are documents of the site."""

REF = "#/components/schemas/{model}"
SCHEMAS_FILE = "schemas.json"
"""The generated schemas of all shapes; pydantic's vary by version, but a site's bytes must not."""

MEMBER = re.compile(r"\{(\w+)\}")


def openapi_document(catalogue: Catalogue, example: ContractRow | None) -> Document:
    """Return the description of the site in OpenAPI 3.1.

    Args:
        example: a contract of the site.
    """
    page = catalogue.status.page
    apis_of_extensions = section_operations(catalogue, example)
    served = [
        *_served_operations(catalogue),
        *(operation for api in apis_of_extensions for operation in api.operations),
    ]
    descriptions = TAGS | {api.tag: api.description for api in apis_of_extensions}
    tags = dict.fromkeys(operation.tag for operation in served)
    body = {
        "openapi": "3.1.0",
        "info": {
            "title": f"{page.name}: verified contracts and status",
            "version": VERSION,
            "description": "Generated by statuary: every response is a file that was built and checked in advance.",
        },
        "servers": [{"url": page.url}],
        "tags": [{"name": tag, "description": descriptions[tag]} for tag in tags],
        "paths": {
            _path(operation): {"get": _operation(operation, catalogue.chains, page.url)}
            for operation in served
        },
        "components": {"schemas": shipped_schemas()},
    }
    return Document(path=OPENAPI.path(), body=encode_json(body), cache=OPENAPI.cache)


def _served_operations(catalogue: Catalogue) -> list[Operation]:
    urls = (url for _, section in enabled_sections(catalogue) for url in section.feeds)
    added = (Operation(url, tag=FEEDS_TAG, may_be_missing=True) for url in urls)
    return [*(row for row in OPERATIONS if _is_served(row, catalogue)), *added]


def _is_served(operation: Operation, catalogue: Catalogue) -> bool:
    settings = catalogue.status_settings
    if operation.tag == LOOKUP_TAG:
        return bool(catalogue.chains)
    if operation.tag == STATUS_TAG and operation.url.name in ("archives", "archive"):
        return settings.archives
    return settings.uptime if operation.url is UPTIME else True


def _path(operation: Operation) -> str:
    return "/" + MEMBER.sub(
        lambda match: f"{{{SPECIFIED_NAMES.get(match[1], match[1])}}}", operation.url.pattern
    )


def _operation(operation: Operation, chains: tuple[Chain, ...], base: str) -> JsonObject:
    url = operation.url
    names = MEMBER.findall(url.pattern)
    parameters = [*path_parameters(names, chains), *operation.query]
    value: JsonObject = {
        "operationId": url.name,
        "tags": [operation.tag],
        "summary": re.split("[,:;] ", f"{url.description[0].upper()}{url.description[1:]}")[0],
    }
    if parameters:
        value["parameters"] = parameters
    return {**value, "responses": _responses(operation, base), **operation.extra_members}


def _responses(operation: Operation, base: str) -> JsonObject:
    media_type = operation.url.media_type.partition(";")[0]
    responses: JsonObject = {
        "200": {
            "description": f"{operation.url.description[0].upper()}{operation.url.description[1:]}.",
            "content": {media_type: {"schema": _schema(operation, media_type, base)}},
        },
        "304": {"description": "The document still has the entity tag of `If-None-Match`."},
    }
    if operation.rejects:
        responses["400"] = _answer("The reason why the request is rejected.", RejectedRequest)
    if operation.not_found_shape is not None:
        responses["404"] = _answer("The document does not exist.", operation.not_found_shape)
    elif operation.may_be_missing:
        responses["404"] = {"description": "The document does not exist."}
    return responses


def _answer(description: str, shape: type) -> JsonObject:
    return {"description": description, "content": {"application/json": {"schema": schema_of(shape)}}}


def _schema(operation: Operation, media_type: str, base: str) -> JsonObject:
    if operation.shape is not None:
        return schema_of(operation.shape)
    own_schema = OWN_SCHEMAS.get(operation.url.name)
    if own_schema is not None:
        return {"type": "object", "externalDocs": {"url": f"{base}/{own_schema.path()}"}}
    return {"type": "object" if media_type.endswith("json") else "string"}


@cache
def shipped_schemas() -> JsonObject:
    """Return every schema by name."""
    text = Path(__file__).with_name(SCHEMAS_FILE).read_text("utf-8")
    schemas: JsonObject = json.loads(text)
    return schemas


def schema_of(shape: type) -> JsonObject:
    """Return the schema of a shape: a reference, or a list of references."""
    if get_origin(shape) is list:
        return {"type": "array", "items": schema_of(get_args(shape)[0])}
    return {"$ref": REF.format(model=shape.__name__)}
