"""Responses about signatures and missing contracts.

The reference of `edge/signatures.js` and `edge/blockscout.js`.
"""

import json
import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import NamedTuple

from statuary.contracts.model.abi import signature_hash
from statuary.extensions.apis import urls

ReadDocument = Callable[[str], bytes | None]
"""Returns the bytes of a site's document by its path, or None."""

Query = Mapping[str, str | None]
"""The parameters of a request; None for one that is repeated, or is an array or an object."""

Items = list[dict[str, object]]
"""Signatures, as responses encode them."""


class ApiAnswer(NamedTuple):
    """The response to a request to one of the APIs."""

    body: bytes
    status: int = 200


SIGNATURE_ROUTE = re.compile(r"/signature-database/v1/(lookup|search)/?\Z", re.IGNORECASE)
DIRECTORY_ROUTE = re.compile(r"/api/v1/(?P<event>event-)?signatures/?\Z")
CONTRACT_ROUTE = re.compile(r"/(?P<path>blockscout/[^/]+/api/v2/smart-contracts/[^/]+)\Z")
HEX = re.compile(r"0x[0-9a-fA-F]+\Z")
HASH = re.compile(r"0x(?:[0-9a-fA-F]{8}|[0-9a-fA-F]{64})\Z")
PATTERN = re.compile(r"[a-zA-Z0-9$_()\[\],*?]+\Z")
LENGTHS = {"function": 10, "event": 66}
MOST_HITS = 100


def get_query_parameter(query_string: str, name: str) -> str:
    """Return the first value of a parameter in a query string.

    Example: `q` in `q=1&q=2` -> `1`. Percent escapes are not decoded.

    Returns:
        The value; empty if the parameter is missing.
    """
    parameter = re.search(rf"(?:^|&){name}=([^&]*)", query_string)
    return parameter[1] if parameter else ""


def is_signature_route(request_path: str, read_document: ReadDocument) -> bool:
    """Return whether a request looks up function signatures.

    It is False if the site does not serve the API for this.

    Args:
        read_document: a function that returns the bytes at a path of the site, or None.
    """
    return (
        SIGNATURE_ROUTE.match(request_path) is not None
        and read_document(urls.SIGNATURE_STATS.path()) is not None
    )


def answer_signatures(request_path: str, query: Query, read_document: ReadDocument) -> ApiAnswer:
    """Respond to a request to the signature API.

    The API finds signatures such as `transfer(address,uint256)` by hash (`lookup`) or pattern (`search`). As in Sourcify's
    service, the HTTP status is 500 if a hash or the pattern is invalid, or a parameter is repeated.

    Args:
        request_path: the path of the request, which ends with `lookup` or `search`.
        query: the values of the query parameters; None for a repeated one.
        read_document: a function that returns the bytes at a path of the site, or None.
    """
    route = request_path.strip("/").rpartition("/")[2].lower()
    if any(query.get(name, "") is None for name in ("function", "event", "filter", "query")):
        return _make_error_answer(f"Unexpected failure during signature {route}")
    return (
        _answer_hash_lookup(query, read_document)
        if route == "lookup"
        else _answer_name_search(query, read_document)
    )


def answer_by_path(request_path: str, query_string: str, read_document: ReadDocument) -> ApiAnswer | None:
    """Respond to a request to the API of 4byte.directory or Blockscout.

    4byte.directory looks up signatures of functions. Blockscout is a block explorer.

    Args:
        read_document: a function that returns the bytes at a path of the site, or None.

    Returns:
        The response, or None if the path belongs to neither API, or the site does not serve the API.
    """
    return _answer_4byte_directory(
        request_path, query_string, read_document
    ) or _answer_missing_blockscout_contract(request_path, read_document)


def _answer_4byte_directory(
    request_path: str, query_string: str, read_document: ReadDocument
) -> ApiAnswer | None:
    """List the signatures that have a given hash, as 4byte.directory does.

    If several functions have the hash, the intended one (`CANONICAL_SIGNATURES`) has the lowest id. The first parameter
    `hex_signature` counts; its percent escapes are not decoded.
    """
    route = DIRECTORY_ROUTE.match(request_path)
    stats = read_document(urls.SIGNATURE_STATS.path()) if route else None
    if route is None or stats is None:
        return None
    kind = "event" if route["event"] else "function"
    asked = get_query_parameter(query_string, "hex_signature")
    key = asked.lower() if HEX.match(asked) and len(asked) == LENGTHS[kind] else ""
    items = (_find_signatures(kind, [key], read_document)[key] if key else None) or []
    results = [
        {
            "id": number,
            "created_at": json.loads(stats)["result"]["metadata"]["refreshed_at"],
            "text_signature": item["name"],
            "hex_signature": key,
            "bytes_signature": bytes.fromhex(key[2:]).decode("latin-1"),
        }
        for number, item in enumerate(items, 1)
    ]
    return ApiAnswer(
        _encode_json({"count": len(results), "next": None, "previous": None, "results": results})
    )


def _answer_missing_blockscout_contract(request_path: str, read_document: ReadDocument) -> ApiAnswer | None:
    route = CONTRACT_ROUTE.match(request_path)
    if route is None or read_document(route["path"]) is not None:
        return None
    body = read_document(urls.BLOCKSCOUT_ANSWER.path(name="contract"))
    return None if body is None else ApiAnswer(body, 404)


def _make_error_answer(message: str) -> ApiAnswer:
    return ApiAnswer(_encode_json({"ok": False, "error": message}), 500)


def _encode_json(value: object) -> bytes:
    return json.dumps(value, ensure_ascii=False, separators=(",", ":")).encode()


def _answer_hash_lookup(query: Query, read_document: ReadDocument) -> ApiAnswer:
    texts_of_kinds = [query.get(kind) for kind in LENGTHS]
    functions, events = (texts.split(",") if texts else [] for texts in texts_of_kinds)
    for text in (*functions, *events):
        if not HASH.match(text):
            return _make_error_answer(
                f"Invalid hash '{text}'. Hash must be 0x-prefixed and either be a 4 byte or 32 byte hex string."
            )
    by_event = {text: items or [] for text, items in _find_signatures("event", events, read_document).items()}
    return _make_signature_answer(
        _remove_filtered_functions(_find_signatures("function", functions, read_document), query), by_event
    )


def _find_signatures(
    signature_kind: str, hashes: Iterable[str], read_document: ReadDocument
) -> dict[str, Items | None]:
    # Signatures are stored in files by the first byte of the hash; read each file once.
    shards: dict[str, dict[str, Items]] = {}
    items: dict[str, Items | None] = {}
    for text in hashes:
        items[text] = None
        if len(text) == LENGTHS[signature_kind]:
            name = text[2:4].lower()
            if name not in shards:
                shards[name] = json.loads(
                    read_document(urls.SIGNATURE_SHARD.path(kind=signature_kind, shard=name)) or b"{}"
                )
            items[text] = shards[name].get(text.lower())
    return items


def _remove_filtered_functions(functions: dict[str, Items | None], query: Query) -> dict[str, Items | None]:
    """Remove functions that only share the hash of the intended one.

    Documents mark them as `filtered`. As in Sourcify's service, `filter=false` in the query, or any value except `true`,
    keeps them.
    """
    if (query.get("filter") or "true") != "true":
        return functions
    return {
        text: items and [item for item in items if not item["filtered"]] for text, items in functions.items()
    }


def _make_signature_answer(
    functions: Mapping[str, Items | None], events: Mapping[str, Items | None]
) -> ApiAnswer:
    return ApiAnswer(_encode_json({"ok": True, "result": {"function": functions, "event": events}}))


def _answer_name_search(query: Query, read_document: ReadDocument) -> ApiAnswer:
    pattern = query.get("query") or ""
    if not PATTERN.match(pattern):
        return _make_error_answer(
            f"Invalid search pattern '{pattern}'. Query must be a valid function signature name but may include "
            "'*' and '?' wildcards."
        )
    hits: list[str] = []
    for name in (read_document(urls.SIGNATURE_NAMES.path()) or b"").decode().split("\n"):
        if name and matches_pattern(name, pattern):
            hits.append(name)
            if len(hits) == MOST_HITS:
                break
    hashes = [signature_hash(name) for name in hits]
    functions = _select_items_by_name(
        hits, _find_signatures("function", dict.fromkeys(text[:10] for text in hashes), read_document)
    )
    return _make_signature_answer(
        _remove_filtered_functions(functions, query),
        _select_items_by_name(hits, _find_signatures("event", hashes, read_document)),
    )


def _select_items_by_name(
    names: Sequence[str], items_by_hash: Mapping[str, Items | None]
) -> dict[str, Items | None]:
    return {
        text: [item for item in items or [] if item["name"] in names] for text, items in items_by_hash.items()
    }


def matches_pattern(name: str, pattern: str) -> bool:
    """Return whether a name matches a pattern such as `trans*`.

    `*` stands for any string and `?` for one character. The time grows at most with the product of both
    lengths.
    """
    at, next_, star, start = 0, 0, -1, 0
    while at < len(name):
        pattern_character = pattern[next_] if next_ < len(pattern) else ""
        if pattern_character == "*":
            star, start = next_, at
            next_ += 1
        elif pattern_character and pattern_character in ("?", name[at]):
            at, next_ = at + 1, next_ + 1
        elif star >= 0:
            start += 1
            at, next_ = start, star + 1
        else:
            return False
    return not pattern[next_:].strip("*")
