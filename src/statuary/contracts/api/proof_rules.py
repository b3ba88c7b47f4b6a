"""Documents without contracts: rules of proofs, errors, and Sourcify's service calls."""

from collections.abc import Iterator
from pathlib import Path

import orjson

from statuary.contracts import urls as contract_urls
from statuary.site.document import Document, encode_json
from statuary.site.urls import Url
from statuary.system.files import read_file
from statuary.version import VERSION


def proof_schema_document() -> Document:
    """Return the JSON Schema of proof documents, which the site publishes."""
    return _document_from_file(contract_urls.PROOF_SCHEMA, "proof.schema.json")


CHECKS_FILE = "checks.json"
"""The rules of all checks of a proof, written by tests/support/proof_checks.py, so that a build without contracts does not
import the checks.
"""


def proof_checks_document() -> Document:
    """Return the published list of rules that each contract record must satisfy."""
    return _document_from_file(contract_urls.PROOF_CHECKS, CHECKS_FILE)


def _document_from_file(url: Url, file_name: str) -> Document:
    value = orjson.loads(read_file(Path(__file__).with_name(file_name)))
    return Document(path=url.path(), cache=url.cache, body=encode_json(value))


def not_found_document() -> Document:
    """Return the document for an address without a verified contract.

    One file is served for all addresses. So the document has the members that clients require, but no chain
    and no address.
    """
    body = encode_json(dict.fromkeys(("match", "creationMatch", "runtimeMatch", "chainId", "address")))
    return Document(
        path=contract_urls.NOT_FOUND_JSON.path(), body=body, cache=contract_urls.NOT_FOUND_JSON.cache
    )


EXPLORER_ERROR = {
    "status": "0",
    "message": "NOTOK",
    "result": "This site has no explorer API. A contract is at /v2/contract/<chain id>/<address>; see /openapi.json",
}
"""The response to `/api?module=…`, in the form that clients of Etherscan's API read."""

SOURCIFY_SERVER = "3.12.1"
"""The version of Sourcify's server whose responses the look-up has."""


def health_and_version_documents() -> Iterator[Document]:
    """Yield documents with fixed content, such as Sourcify's health check.

    Monitors and clients of Sourcify's server request these paths. One document is an error for calls of
    Etherscan's API, which this site does not serve.
    """
    health = contract_urls.HEALTH
    yield Document(health.path(), b"Alive and kicking!", media_type=health.media_type, cache=health.cache)
    version = {"sourcifyServerVersion": SOURCIFY_SERVER, "statuaryVersion": VERSION}
    for url, value in (
        (contract_urls.VERSION_DOCUMENT, version),
        (contract_urls.NO_EXPLORER_API, EXPLORER_ERROR),
    ):
        yield Document(path=url.path(), body=encode_json(value), cache=url.cache)
