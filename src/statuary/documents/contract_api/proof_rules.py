"""What needs no contract: the JSON Schema of proofs, the rules of their checks, and the answer for an unknown address."""

from pathlib import Path

import orjson

from statuary.documents import url_table
from statuary.documents.document import Document, encode_json
from statuary.documents.url_table import Url


def proof_schema_document() -> Document:
    """Return the JSON Schema of every proof."""
    return _document(url_table.PROOF_SCHEMA, "proof.schema.json")


CHECKS_FILE = "checks.json"
"""The rules of all checks of a proof, as tests/support/proof_checks.py writes them: a build without contracts does not
import the checks."""


def proof_checks_document() -> Document:
    """Return the rules of the checks that proofs name, in the order of proofs."""
    return _document(url_table.PROOF_CHECKS, CHECKS_FILE)


def _document(url: Url, file: str) -> Document:
    value = orjson.loads(Path(__file__).with_name(file).read_bytes())
    return Document(path=url.path(), cache=url.cache, body=encode_json(value))


def not_found_document() -> Document:
    """Return the response for an unverified address; the real server adds chain and address, which a file cannot know."""
    body = encode_json({"match": None, "creationMatch": None, "runtimeMatch": None})
    return Document(path=url_table.NOT_FOUND_JSON.path(), body=body, cache=url_table.NOT_FOUND_JSON.cache)
