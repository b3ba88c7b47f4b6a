"""What is answered where Blockscout's API, Sourcify's API v1 and 4byte.directory are asked: the reference of `edge/v1.js`.

A parameter counts as it is first written, and of percent escapes only the comma's is read. An address is that of a file:
in lower case, or with its checksum.
"""

import json
import re

from statuary.base.json_values import as_list, as_object, as_text
from statuary.extensions.apis import urls
from statuary.extensions.apis.answers import ApiAnswer, ReadDocument
from statuary.extensions.apis.explorer_answers import ADDRESS, CHAIN, COMMA, parameter

CHECK = re.compile(r"/check-?(?P<all>all-?)?by-?addresses/?\Z", re.IGNORECASE)
FILES = re.compile(r"/(?P<path>files(?:/any)?/[^/]+/[^/]+)\Z")
CONTRACT = re.compile(r"/(?P<path>blockscout/[^/]+/api/v2/smart-contracts/[^/]+)\Z")
DIRECTORY = re.compile(r"/api/v1/(?P<event>event-)?signatures/?\Z")
HASH = re.compile(r"0x[0-9a-fA-F]+\Z")
MOST = 10
"""Addresses, and chains, that are looked at."""


def answer_v1(path: str, query: str, read_document: ReadDocument) -> ApiAnswer | None:
    """Return the answer to a request for a path; None if it is another one, or a file of the site."""
    if check := CHECK.match(path):
        return _matches_by_chain(query, read_document, with_partial=check["all"] is not None)
    if directory := DIRECTORY.match(path):
        return _signatures_with_hash(
            parameter(query, "hex_signature"), "event" if directory["event"] else "function", read_document
        )
    for route, name in ((FILES, "files"), (CONTRACT, "contract")):
        if (asked := route.match(path)) and read_document(asked["path"]) is None:
            return _stored(name, 404, read_document)
    return None


def _stored(name: str, status: int, read_document: ReadDocument) -> ApiAnswer | None:
    """Return a stored answer; None if the site has none, since it does not have the interface."""
    body = read_document(urls.BLOCKSCOUT_ANSWER.path(name=name))
    return None if body is None else ApiAnswer(body, status)


def _matches_by_chain(query: str, read_document: ReadDocument, *, with_partial: bool) -> ApiAnswer | None:
    """Return on which chains each address has a full match; with partial ones also the match of each."""
    invalid = _stored("addresses", 400, read_document)
    if invalid is None:
        return None
    addresses, chains = (COMMA.split(parameter(query, name)) for name in ("addresses", "chainIds"))
    if not all(map(ADDRESS.match, addresses)) or not all(map(CHAIN.match, chains)):
        return invalid
    rows: list[dict[str, object]] = []
    for address in dict.fromkeys(addresses[:MOST]):
        matches = {chain: _match(chain, address, read_document) for chain in dict.fromkeys(chains[:MOST])}
        rows.append(_row(address, matches, with_partial=with_partial))
    return ApiAnswer(json.dumps(rows, separators=(",", ":")).encode())


def _match(chain: str, address: str, read_document: ReadDocument) -> str:
    if read_document(urls.FILES.path(chain_id=chain, address=address)) is not None:
        return "perfect"
    return "" if read_document(urls.FILES_ANY.path(chain_id=chain, address=address)) is None else "partial"


def _row(address: str, matches: dict[str, str], *, with_partial: bool) -> dict[str, object]:
    if with_partial:
        statuses = [{"chainId": chain, "status": match} for chain, match in matches.items() if match]
        return {"address": address, "chainIds": statuses} if statuses else _unverified(address)
    chains = [chain for chain, match in matches.items() if match == "perfect"]
    return {"address": address, "status": "perfect", "chainIds": chains} if chains else _unverified(address)


def _unverified(address: str) -> dict[str, object]:
    return {"address": address, "status": "false"}


def _signatures_with_hash(asked: str, kind: str, read_document: ReadDocument) -> ApiAnswer | None:
    """Return the signatures with a hash as 4byte.directory lists them: the one that is meant has the lowest id."""
    stats = read_document(urls.SIGNATURE_STATS.path())
    if stats is None:
        return None
    key = asked.lower() if HASH.match(asked) and len(asked) == {"function": 10, "event": 66}[kind] else ""
    shard = read_document(urls.SIGNATURE_SHARD.path(kind=kind, shard=key[2:4])) if key else None
    items = as_list(as_object(json.loads(shard or b"{}")).get(key))
    created = as_object(as_object(as_object(json.loads(stats)).get("result")).get("metadata"))
    results = [
        {
            "id": number,
            "created_at": as_text(created.get("refreshed_at")),
            "text_signature": as_text(as_object(item).get("name")),
            "hex_signature": key,
            "bytes_signature": bytes.fromhex(key[2:]).decode("latin-1"),
        }
        for number, item in enumerate(items, 1)
    ]
    body = {"count": len(results), "next": None, "previous": None, "results": results}
    return ApiAnswer(json.dumps(body, ensure_ascii=False, separators=(",", ":")).encode())


ANSWERS: dict[str, dict[str, str]] = {
    "files": {"error": "Files have not been found!"},
    "contract": {"message": "Not found"},
    "addresses": {
        "error": "addresses and chainIds are lists of addresses and of chain ids, with commas between two"
    },
}
"""The stored answers, by name."""
