"""What a real Sourcify server answered, and a site made of the same records.

The measurements are third-party data that is not part of the project: they lie in `../shared/data`, and what
needs them skips where they are absent.
"""

import json
from functools import cache
from pathlib import Path
from typing import Any

from statuary.contracts.model.contract_row import ContractRow
from statuary.site.document import encode_json
from support.requirements import require_file, require_folder
from support.sites import lookup_site

DATA = Path(__file__).parents[3] / "shared" / "data"
BEHAVIOUR = DATA / "contract-api-behaviour"

Case = dict[str, Any]


def measured_requests() -> list[Case]:
    """Return the requests made of the real server, each with status, headers and body."""
    return [json.loads(line) for line in _lines(BEHAVIOUR / "requests.jsonl")]


def measured_selections() -> list[Case]:
    """Return selections made of ten records, each with length and SHA-256 of the real body."""
    return [json.loads(line) for line in _lines(BEHAVIOUR / "field-selection.jsonl")]


@cache
def measured_site() -> dict[str, bytes]:
    """Return the site of the records at hand; rows of lists that have no record here come from the measured lists."""
    requests = measured_requests()
    records = [path.read_bytes() for path in sorted((DATA / "contract-records").glob("*/*.json"))]
    chains = next(case["body"] for case in requests if case["case"] == "path_chains")
    lists = [case["body"] for case in requests if case.get("body", "").startswith('{"results":')]
    rows = [ContractRow(**row) for body in lists for row in json.loads(body)["results"]]
    return lookup_site(records, chains.encode(), rows)


def largest_records(count: int) -> list[bytes]:
    """Return the largest of the real records."""
    folder = require_folder(DATA / "contract-records", what="the folder of real records")
    paths = sorted(folder.glob("*/*.json"), key=lambda path: path.stat().st_size)
    return [path.read_bytes() for path in paths[-count:]]


def _lines(path: Path) -> list[str]:
    return require_file(path, what="the file of measurements").read_text(encoding="utf-8").splitlines()


FULL_RECORD = "without fields and omit, the full record on every host (the real server sends seven members)"
NESTED_OMIT = "a dotted name in omit is left out, as the specification says (the real server ignores it)"
UNKNOWN_NAME = "a name that is no field is refused (the real server looks along JavaScript's prototype chain)"
SOURCES_ORDER = (
    "the record's order of sources (the real server's data base gives them reversed where it joins less)"
)
STATIC_FILE = "not the look-up's: whatever the site has there"

DIFFERENCES: dict[str, tuple[int | None, str]] = {
    "no_fields": (200, FULL_RECORD),
    "query_amp_only": (200, FULL_RECORD),
    "query_q_only": (200, FULL_RECORD),
    "addr_lower": (200, FULL_RECORD),
    "path_trailing_slash": (200, FULL_RECORD),
    "path_case": (200, FULL_RECORD),
    "path_encoded": (200, FULL_RECORD),
    "origin": (200, FULL_RECORD),
    "range": (200, FULL_RECORD),
    "accept_html": (200, FULL_RECORD),
    "accept_none": (200, FULL_RECORD),
    "if_none_match": (200, FULL_RECORD + ": so the tag of the seven members is another body's"),
    "if_none_match_star": (304, FULL_RECORD + ": not modified either, under the tag of the full record"),
    "fields_sources": (200, SOURCES_ORDER),
    "omit_nested_valid": (200, NESTED_OMIT),
    "omit_compilation_name": (200, NESTED_OMIT),
    "fields_proto": (400, UNKNOWN_NAME),
    "fields_constructor": (400, UNKNOWN_NAME),
    "fields_toString": (400, UNKNOWN_NAME),
    "fields_abi_length": (400, UNKNOWN_NAME),
    "fields_leaf_sub": (400, UNKNOWN_NAME + ": no 500"),
    "list_after_bad": (400, "afterMatchId must be digits, as Sourcify's description says by now: no 500"),
    "head": (200, "the real server's own failure on this machine; HEAD is answered like GET"),
    "body_on_get": (200, "a body sent with GET is not looked at"),
    "list_1": (200, "the measured list holds contracts whose records are not at hand"),
    "path_v3": (None, STATIC_FILE),
    "path_root": (None, STATIC_FILE),
    "path_version": (200, "the versions of statuary and of the server that the look-up follows"),
}
"""Every measured request that is answered otherwise: with which status (None: not at all), and why."""

REVERSED_SOURCES = {
    (record, query)
    for record in ("dia-diamond", "oz5-transparent", "univ2-pair")
    for query in ("fields=sources", "omit=signatures")
}
"""Measured selections whose one difference is that the real server sent the sources in reverse."""


def with_reversed_sources(record: bytes) -> bytes:
    """Return a record as the real server's data base joins it where it joins less."""
    value = json.loads(record)
    value["sources"] = dict(reversed(value["sources"].items()))
    return encode_json(value)
