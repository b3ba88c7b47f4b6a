"""The OpenAPI document: the table of URLs with what each answers."""

import re
from typing import Any

from statuary.documents.contract_api.contract_shapes import RejectedRequest
from statuary.documents.document import Document
from statuary.documents.encode import encode_json
from statuary.documents.openapi.openapi_schemas import schema_of, shipped_schemas
from statuary.documents.openapi.operations import LOOKUP_TAG, OPERATIONS, STATUS_TAG, TAGS, Operation
from statuary.documents.openapi.parameters import SPECIFIED_NAMES, JsonObject, path_parameters
from statuary.documents.url_table import OPENAPI, PROOF, PROOF_SCHEMA, UPTIME, UPTIME_SCHEMA
from statuary.domain.catalogue import Catalogue
from statuary.domain.site_settings import Chain

VERSION = "2"
"""Both APIs call themselves so."""

OWN_SCHEMAS = {UPTIME.name: UPTIME_SCHEMA, PROOF.name: PROOF_SCHEMA}
"""Documents whose schema is a document of the site."""

MEMBER = re.compile(r"\{(\w+)\}")


def openapi_document(catalogue: Catalogue) -> Document:
    """Return what is served, as OpenAPI 3.1."""
    page = catalogue.status.page
    told = [operation for operation in OPERATIONS if _is_served(operation, catalogue)]
    tags = dict.fromkeys(operation.tag for operation in told)
    body = {
        "openapi": "3.1.0",
        "info": {
            "title": f"{page.name}: verified contracts and status",
            "version": VERSION,
            "description": "Written by statuary: every answer is a file that was made and checked beforehand.",
        },
        "servers": [{"url": page.url}],
        "tags": [{"name": tag, "description": TAGS[tag]} for tag in tags],
        "paths": {
            _path(operation): {"get": _operation(operation, catalogue.chains, page.url)} for operation in told
        },
        "components": {"schemas": shipped_schemas()},
    }
    return Document(path=OPENAPI.path(), body=encode_json(body), cache=OPENAPI.cache)


def _is_served(operation: Operation, catalogue: Catalogue) -> bool:
    settings = catalogue.status_settings
    if operation.tag == LOOKUP_TAG:
        return bool(catalogue.chains)
    if operation.tag == STATUS_TAG and operation.url.name in ("archives", "archive"):
        return settings.archives
    return settings.uptime if operation.url is UPTIME else True


def _path(operation: Operation) -> str:
    return "/" + MEMBER.sub(
        lambda found: f"{{{SPECIFIED_NAMES.get(found[1], found[1])}}}", operation.url.pattern
    )


def _operation(operation: Operation, chains: tuple[Chain, ...], base: str) -> JsonObject:
    url = operation.url
    names = MEMBER.findall(url.pattern)
    parameters = [*path_parameters(names, chains), *operation.query]
    told: JsonObject = {
        "operationId": url.name,
        "tags": [operation.tag],
        "summary": f"{url.tells[0].upper()}{url.tells[1:]}",
    }
    if parameters:
        told["parameters"] = parameters
    return told | {"responses": _responses(operation, base)}


def _responses(operation: Operation, base: str) -> JsonObject:
    media_type = operation.url.media_type.partition(";")[0]
    responses: JsonObject = {
        "200": {
            "description": f"{operation.url.tells[0].upper()}{operation.url.tells[1:]}.",
            "content": {media_type: {"schema": _schema(operation, media_type, base)}},
        },
        "304": {"description": "It is what `If-None-Match` names."},
    }
    if operation.refuses:
        responses["400"] = _answer("Why the request is refused.", RejectedRequest)
    if operation.missing is not None:
        responses["404"] = _answer("There is none.", operation.missing)
    elif operation.may_miss:
        responses["404"] = {"description": "There is none."}
    return responses


def _answer(description: str, shape: Any) -> JsonObject:
    return {"description": description, "content": {"application/json": {"schema": schema_of(shape)}}}


def _schema(operation: Operation, media_type: str, base: str) -> JsonObject:
    if operation.shape is not None:
        return schema_of(operation.shape)
    own = OWN_SCHEMAS.get(operation.url.name)
    if own is not None:
        return {"type": "object", "externalDocs": {"url": f"{base}/{own.path()}"}}
    return {"type": "object" if media_type.endswith("json") else "string"}
