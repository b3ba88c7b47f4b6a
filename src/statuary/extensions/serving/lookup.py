"""Answer contract look-ups as Sourcify's server does.

Checks run in the measured order: parameter names, patterns, chain, address checksum, selectors, and only then
the record. The first failure is the response.
"""

import json
import re
from base64 import b64encode
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from enum import StrEnum
from hashlib import sha1
from html import escape
from http import HTTPStatus
from itertools import islice
from typing import NamedTuple
from urllib.parse import unquote_to_bytes

from statuary.base.errors import StatuaryError
from statuary.base.primitives import (
    CHAIN_ID_DIGITS,
    Address,
    InvalidValueError,
    checksum_address,
    parse_address,
)
from statuary.contracts.urls import (
    CHAINS,
    CONTRACT,
    CONTRACT_ALL_CHAINS,
    CONTRACTS,
    CONTRACTS_PAGE,
    CONTRACTS_PAGES,
    HEALTH,
    LOOKUP_FOLDER,
    NO_EXPLORER_API,
    SERVER_PREFIX,
    VERSION_DOCUMENT,
)
from statuary.extensions.apis.answers import ApiAnswer, answer_by_path, answer_signatures, is_signature_route
from statuary.extensions.apis.explorer_answers import answer_etherscan_call, is_explorer_route
from statuary.extensions.serving.selection import (
    InvalidSelectorError,
    Selection,
    find_item_spans,
    find_member_spans,
    parse_selection,
    select_members,
)
from statuary.site.urls import url_regex


class RequestError(StatuaryError):
    """Raised for an invalid request, which gets one of Sourcify's error responses."""

    def __init__(self, message: str, custom_code: str = "invalid_parameter", status: int = 400) -> None:
        super().__init__(message)
        self.custom_code = custom_code
        self.status = status


QueryParameters = dict[str, str | None]
"""Parameters in the order of first appearance; None for one that is not a single string (`a=1&a=2`, `a[]=1`)."""

BRACKETS = re.compile(r"\[[^\[\]]*\]")
STRAY_PERCENT = re.compile(r"%(?![0-9A-Fa-f]{2})")
RESERVED = re.compile(r"[:/?#\[\]@!$&'()*+,;=]")


def parse_query(query_string: str) -> QueryParameters:
    """Parse a query string, without its `?`.

    Example: `a=1&b=2&b=3` -> `{"a": "1", "b": None}`, because Sourcify's server rejects repeated parameters.
    """
    query: QueryParameters = {}
    for pair in query_string.split("&"):
        raw_name, _, raw_value = pair.partition("=")
        name = decode_percent(raw_name.replace("+", " "))
        brackets = BRACKETS.search(name)
        if brackets and brackets.start():
            query[name[: brackets.start()]] = None
        elif name:
            query[name] = None if name in query else decode_percent(raw_value.replace("+", " "))
    return query


def decode_percent(escaped: str) -> str:
    """Decode percent escapes such as `%20`, or return the text if malformed."""
    try:
        return decode_uri_component(escaped)
    except ValueError:
        return escaped


def decode_uri_component(escaped: str) -> str:
    """Decode percent escapes like JavaScript's `decodeURIComponent`.

    Raises:
        ValueError: if an escape is malformed, or the bytes are not UTF-8.
    """
    if STRAY_PERCENT.search(escaped):
        raise ValueError("malformed uri")
    return unquote_to_bytes(escaped).decode("utf-8")


def require_allowed_names(query_parameters: QueryParameters, allowed_names: tuple[str, ...]) -> None:
    """Raise RequestError if a query parameter is unknown or empty."""
    for name, value in query_parameters.items():
        if name not in allowed_names:
            raise RequestError(f"Unknown query parameter '{name}'")
        if value == "":
            raise RequestError(f"Empty value found for query parameter '{name}'")


def require_single_value(query: QueryParameters, name: str, value_type: str = "string") -> str | None:
    """Return the value of a query parameter, or None if missing.

    Raises:
        RequestError: if the query has it twice or as `name[]=x`. The message is Sourcify's and names `value_type`.
    """
    value = query.get(name)
    if value is None and name in query:
        raise RequestError(f"request/query/{name} must be {value_type}")
    return value


def refuse_reserved_characters(query_string: str, parameter_names: tuple[str, ...]) -> None:
    """Raise RequestError if a parameter has unescaped reserved characters, such as `/`."""
    pairs = [pair.split("=") for pair in query_string.split("&")]
    for name in parameter_names:
        if any(RESERVED.search(pair[1]) for pair in pairs if pair[0] == name and len(pair) > 1):
            raise RequestError(
                f"Parameter '{name}' must be url encoded. It's value may not contain reserved characters."
            )


ReadDocument = Callable[[str], bytes | None]
"""A function that returns the bytes of a site's document by its path, or None."""

PARAMETERS = ("sort", "limit", "afterMatchId")
MAX_LIMIT = 200
MATCH_ID_DIGITS = 40
EMPTY_RESULTS = b'{"results":[]}'

NUMBER = re.compile(r"[+-]?([0-9]+\.?[0-9]*|\.[0-9]+)([eE][+-]?[0-9]{1,3})?\Z")
DIGITS = re.compile(r"[0-9]+\Z")


class ListQuery(NamedTuple):
    """The parameters of a request for a list of contracts."""

    newest_first: bool = True  # order by matchId
    limit: int = MAX_LIMIT  # 1 to 200
    after_match_id: int | None = None  # the matchId after which the list begins; None for the beginning


def parse_list_query(query_parameters: QueryParameters, query_string: str) -> ListQuery:
    """Parse the parameters of a request for a list of contracts.

    The parameters are checked in the order of Sourcify's server.

    Raises:
        RequestError: if a parameter is invalid; the message is Sourcify's.
    """
    refuse_reserved_characters(query_string, PARAMETERS)
    require_allowed_names(query_parameters, PARAMETERS)
    sort = require_single_value(query_parameters, "sort")
    if sort not in (None, "asc", "desc"):
        raise RequestError("request/query/sort must be equal to one of the allowed values: asc, desc")
    limit = _parse_limit(require_single_value(query_parameters, "limit", "number"))
    after_match_id = require_single_value(query_parameters, "afterMatchId")
    if after_match_id is None:
        return ListQuery(newest_first=sort != "asc", limit=limit, after_match_id=None)
    if not DIGITS.match(after_match_id):
        raise RequestError(r'request/query/afterMatchId must match pattern "^\d+$"')
    digits = after_match_id.lstrip("0") or "0"
    # Parsing a very long number would be slow. Such a number is above every match id, so replace it by one
    # that is, too.
    match_id = int(digits) if len(digits) <= MATCH_ID_DIGITS else 10**MATCH_ID_DIGITS
    return ListQuery(newest_first=sort != "asc", limit=limit, after_match_id=match_id)


def _parse_limit(limit_text: str | None) -> int:
    if limit_text is None:
        return MAX_LIMIT
    if not NUMBER.match(limit_text):
        raise RequestError("request/query/limit must be number")
    limit = float(limit_text)
    if limit < 1:
        raise RequestError("request/query/limit must be >= 1")
    if limit > MAX_LIMIT:
        raise RequestError(f"request/query/limit must be <= {MAX_LIMIT}")
    return int(limit)


def make_contracts_list(chain_id: str, listing: ListQuery, read_document: ReadDocument) -> bytes:
    """Make the JSON list of a chain's contracts, ordered as requested."""
    if listing == ListQuery():
        return read_document(CONTRACTS.path(chain_id=chain_id)) or EMPTY_RESULTS
    results = islice(_iter_list_results(chain_id, listing, read_document), listing.limit)
    return b'{"results":[' + b",".join(results) + b"]}"


def _iter_list_results(chain_id: str, listing: ListQuery, read_document: ReadDocument) -> Iterator[bytes]:
    index = json.loads(read_document(CONTRACTS_PAGES.path(chain_id=chain_id)) or b'{"pages":[]}')
    pages = index["pages"][::-1] if listing.newest_first else index["pages"]
    for page in pages:
        farthest = int(page["firstMatchId"] if listing.newest_first else page["lastMatchId"])
        if _is_after_cursor(farthest, listing):
            body = read_document(CONTRACTS_PAGE.path(chain_id=chain_id, page=page["page"])) or EMPTY_RESULTS
            yield from _iter_page_results(body, listing)


def _iter_page_results(page_document: bytes, listing: ListQuery) -> Iterator[bytes]:
    results = find_item_spans(page_document, find_member_spans(page_document)[0].value)
    for start, end in results if listing.newest_first else reversed(results):
        match_id = next(part for part in find_member_spans(page_document, start) if part.name == "matchId")
        if _is_after_cursor(int(page_document[match_id.value + 1 : match_id.end - 1]), listing):
            yield page_document[start:end]


def _is_after_cursor(match_id: int, listing: ListQuery) -> bool:
    if listing.after_match_id is None:
        return True
    return match_id < listing.after_match_id if listing.newest_first else match_id > listing.after_match_id


JSON = "application/json; charset=utf-8"
HTML = "text/html; charset=utf-8"

CORS = {"Access-Control-Allow-Origin": "*"}
"""Any page may read every response, as on the real server."""

PREFLIGHT = CORS | {
    "Access-Control-Allow-Methods": "GET, HEAD, OPTIONS",
    "Access-Control-Allow-Headers": "*",
}

ERROR_PAGE_HEADERS = {"Content-Security-Policy": "default-src 'none'", "X-Content-Type-Options": "nosniff"}
"""The headers of Express's own error page."""

NewErrorId = Callable[[], str]
"""A function that returns a new `errorId` each time: a UUID (version 4) as a string."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Response:
    """An HTTP response."""

    status: int
    body: bytes = b""
    headers: dict[str, str] = field(default_factory=dict)  # the headers by name, with the usual capitals


def make_json_response(body: bytes, status: int = HTTPStatus.OK) -> Response:
    """Make an HTTP response with a JSON body and an entity tag."""
    headers = CORS | {"Content-Type": JSON, "ETag": make_entity_tag(body)}
    return Response(status=status, body=body, headers=headers)


def make_error_response(error: RequestError, new_error_id: NewErrorId) -> Response:
    """Make the JSON response that Sourcify's server sends for an error."""
    body = {"customCode": error.custom_code, "message": str(error), "errorId": new_error_id()}
    return make_json_response(encode_compact_json(body), error.status)


def make_route_not_found_response(http_method: str, path: str) -> Response:
    """Make Sourcify's HTML page for an unknown path, with status 404."""
    message = escape(f"Cannot {http_method} {path}", quote=True).replace("&#x27;", "&#39;")
    page = (
        '<!DOCTYPE html>\n<html lang="en">\n<head>\n<meta charset="utf-8">\n<title>Error</title>\n</head>\n'
        f"<body>\n<pre>{message}</pre>\n</body>\n</html>\n"
    )
    headers = CORS | ERROR_PAGE_HEADERS | {"Content-Type": HTML}
    return Response(status=HTTPStatus.NOT_FOUND, body=page.encode(), headers=headers)


def make_preflight_response() -> Response:
    """Make the response to a CORS preflight request."""
    return Response(status=HTTPStatus.NO_CONTENT, headers=PREFLIGHT)


def make_conditional_response(current_response: Response, if_none_match: str | None) -> Response:
    """Respond with status 304 if the client has this version already.

    Entity tags are compared weakly (RFC 9110, 13.1.2), so `W/` is ignored.
    """
    tag = current_response.headers.get("ETag")
    if current_response.status != HTTPStatus.OK or tag is None or not matches_entity_tag(if_none_match, tag):
        return current_response
    return Response(status=HTTPStatus.NOT_MODIFIED, headers=CORS | {"ETag": tag})


def matches_entity_tag(if_none_match: str | None, current_tag: str) -> bool:
    """Return whether an `If-None-Match` header has an entity tag or `*`."""
    if if_none_match is None:
        return False
    tags = [part.strip().removeprefix("W/") for part in if_none_match.split(",")]
    return "*" in tags or current_tag.removeprefix("W/") in tags


def make_head_response(response: Response) -> Response:
    """Remove the body of a response, to answer a HEAD request."""
    if not response.body:
        return response
    return replace(response, body=b"", headers=response.headers | {"Content-Length": str(len(response.body))})


def make_entity_tag(body: bytes) -> str:
    """Return the entity tag that Sourcify's server sends for a body.

    The tag is weak: `W/"`, the length as hex, a hyphen, and 27 base64 characters of the SHA-1.
    """
    digest = b64encode(sha1(body, usedforsecurity=False).digest()).decode()
    return f'W/"{len(body):x}-{digest[:27]}"'


def encode_compact_json(members: Mapping[str, str | None]) -> bytes:
    """Encode an object of strings like JavaScript's `JSON.stringify`, without spaces."""
    return json.dumps(members, ensure_ascii=False, separators=(",", ":")).encode()


class Resource(StrEnum):
    """The kinds of resources of the contract API."""

    CONTRACT = "contract"
    ALL_CHAINS = "all-chains"
    CONTRACTS = "contracts"
    CHAINS = "chains"
    HEALTH = "health"
    VERSION = "version"
    NONE = "none"


class Route(NamedTuple):
    """A resource of the contract API, with the parameters in its path."""

    resource: Resource
    chain_id: str = ""
    address: str = ""


# Like the framework Express, which Sourcify's server uses, ignore letter case and a slash at the end of a
# path. The first route that matches wins.
ROUTES = tuple(
    (resource, re.compile(rf"(?:/{SERVER_PREFIX})?/{pattern}/?\Z", re.IGNORECASE | re.ASCII))
    for resource, pattern in (
        (Resource.ALL_CHAINS, url_regex(CONTRACT_ALL_CHAINS)),
        (Resource.CONTRACT, url_regex(CONTRACT)),
        (Resource.CONTRACTS, url_regex(CONTRACTS)),
        (Resource.CHAINS, url_regex(CHAINS)),
        (Resource.HEALTH, url_regex(HEALTH)),
        (Resource.VERSION, url_regex(VERSION_DOCUMENT)),
        (Resource.NONE, rf"{LOOKUP_FOLDER}(?!/.*\.json\Z)(?:/.*)?"),
    )
)


def find_route(request_path: str) -> Route | None:
    """Find the resource of Sourcify's API that a path names, if any.

    Every path below `v2` is a resource unless it ends with `.json`.

    Raises:
        RequestError: if a parameter in the path has a malformed percent escape.
    """
    for resource, pattern in ROUTES:
        match = pattern.match(request_path)
        if match:
            parameters = {name: _decode_path_part(text) for name, text in match.groupdict().items()}
            return Route(resource, **parameters)
    return None


def _decode_path_part(path_part: str) -> str:
    try:
        return decode_uri_component(path_part)
    except ValueError:
        raise RequestError("malformed uri'") from None


CHAIN_ID = re.compile(r"[0-9]+\Z")
ADDRESS = re.compile(r"0x[a-fA-F0-9]{40}\Z")
ADDRESS_LENGTH = 42


def require_chain_id_format(chain_id: str) -> None:
    """Raise RequestError if a requested chain id is not a number."""
    if len(chain_id) > CHAIN_ID_DIGITS:
        raise RequestError(f"request/params/chainId must NOT have more than {CHAIN_ID_DIGITS} characters")
    if not CHAIN_ID.match(chain_id):
        raise RequestError(r'request/params/chainId must match pattern "^\d+$"')


def require_address_format(address: str) -> None:
    """Raise RequestError if an address is not `0x` and 40 hex digits."""
    if len(address) != ADDRESS_LENGTH:
        bound = "fewer" if len(address) < ADDRESS_LENGTH else "more"
        raise RequestError(f"request/params/address must NOT have {bound} than {ADDRESS_LENGTH} characters")
    if not ADDRESS.match(address):
        raise RequestError(r'request/params/address must match pattern "(\b0x[a-fA-F0-9]{40}\b)"')


def add_address_checksum(address: str) -> Address:
    """Return an address with its EIP-55 checksum, which capitalizes some digits.

    Raises:
        RequestError: if the address is invalid, or already has a wrong checksum.
    """
    try:
        parse_address(address)
    except InvalidValueError:
        raise RequestError(f"Invalid address: {address}") from None
    return checksum_address(address)


GENESIS_CHAIN = "0"
"""A chain id that the measured server accepts without listing it."""


@dataclass(frozen=True, slots=True, kw_only=True)
class LookupRequest:
    """A request to the contract API."""

    method: str = "GET"  # the HTTP method in capitals
    target: str  # path and query as on the request line, percent-encoded
    if_none_match: str | None = None  # the header
    accept_encoding: str | None = None  # the header
    range_header: str | None = None  # the header `Range`
    if_range: str | None = None  # the header


def answer_api_request(
    request: LookupRequest, read_document: ReadDocument, new_error_id: NewErrorId
) -> Response | None:
    """Respond to a request to the contract API or an extension's API.

    Args:
        request: the request, with any method and path.
        read_document: a function that returns the bytes at a path of the site, or None.
        new_error_id: a function that returns the `errorId` of an error response.

    Returns:
        The response, or None if the path does not belong to an API.

    Raises:
        NotCanonicalError: if some fields of a record are requested, and the record is not compact JSON.
    """
    path, _, query = request.target.partition("?")
    try:
        route = find_route(path)
        if is_explorer_route(request.method, path, query, read_document):
            if request.method == "OPTIONS":
                response = make_preflight_response()
            else:
                answer = answer_etherscan_call(request.method, path, query, read_document)
                response = make_json_response(answer.body)
        elif is_signature_route(path, read_document):
            answer = answer_signatures(path, parse_query(query), read_document)
            response = _answer_other_api(request.method, path, answer)
        elif (other := answer_by_path(path, query, read_document)) is not None:
            response = _answer_other_api(request.method, path, other)
        elif route is not None:
            response = _answer_by_method(request.method, path, route, query, read_document)
        elif (
            is_etherscan_call(request.method, path, query)
            and (body := read_document(NO_EXPLORER_API.path())) is not None
        ):
            response = make_json_response(body, HTTPStatus.NOT_FOUND)
        else:
            return None
    except RequestError as rejected:
        response = make_error_response(rejected, new_error_id)
    response = make_conditional_response(response, request.if_none_match)
    return make_head_response(response) if request.method == "HEAD" else response


def _answer_other_api(http_method: str, path: str, answer: ApiAnswer) -> Response:
    if http_method == "OPTIONS":
        return make_preflight_response()
    if http_method not in ("GET", "HEAD"):
        return make_route_not_found_response(http_method, path)
    return make_json_response(answer.body, answer.status)


def _answer_by_method(
    method: str, path: str, route: Route, query_string: str, read_document: ReadDocument
) -> Response:
    if method == "OPTIONS":
        return make_preflight_response()
    if method not in ("GET", "HEAD") or route.resource is Resource.NONE:
        return make_route_not_found_response(method, path)
    return ANSWERS[route.resource](route, query_string, read_document) or make_route_not_found_response(
        method, path
    )


def _answer_contract(route: Route, query_text: str, read_document: ReadDocument) -> Response:
    query = parse_query(query_text)
    require_allowed_names(query, ("fields", "omit"))
    fields = require_single_value(query, "fields")
    omit = require_single_value(query, "omit")
    require_chain_id_format(route.chain_id)
    require_address_format(route.address)
    record = read_document(CONTRACT.path(chain_id=route.chain_id, address=route.address.lower()))
    if record is None:  # a chain that has a record is known
        require_served_chain(route.chain_id, read_document)
    address = add_address_checksum(route.address)
    selection = _parse_selection(fields, omit)
    return (
        make_json_response(select_members(record, selection))
        if record
        else _make_not_verified_response(route.chain_id, address)
    )


def _parse_selection(fields: str | None, omit: str | None) -> Selection:
    try:
        return parse_selection(fields, omit)
    except InvalidSelectorError as error:
        raise RequestError(str(error)) from None


def _make_not_verified_response(chain_id: str, address: str) -> Response:
    """Make the response 404 for an address without a verified contract."""
    nothing = {
        "match": None,
        "creationMatch": None,
        "runtimeMatch": None,
        "chainId": chain_id,
        "address": address,
    }
    return make_json_response(encode_compact_json(nothing), HTTPStatus.NOT_FOUND)


def _answer_contract_on_all_chains(route: Route, query_text: str, read_document: ReadDocument) -> Response:
    require_allowed_names(parse_query(query_text), ())
    require_address_format(route.address)
    address = add_address_checksum(route.address)
    body = read_document(CONTRACT_ALL_CHAINS.path(address=address.lower()))
    return (
        make_json_response(body)
        if body is not None
        else make_json_response(EMPTY_RESULTS, HTTPStatus.NOT_FOUND)
    )


def _answer_contracts(route: Route, query_text: str, read_document: ReadDocument) -> Response:
    listing = parse_list_query(parse_query(query_text), query_text)
    require_chain_id_format(route.chain_id)
    require_served_chain(route.chain_id, read_document)
    return make_json_response(make_contracts_list(route.chain_id, listing, read_document))


def _answer_chains(_route: Route, _query_text: str, read_document: ReadDocument) -> Response | None:
    body = read_document("chains")
    return make_json_response(body) if body is not None else None


def _answer_health(_route: Route, _query_text: str, read_document: ReadDocument) -> Response | None:
    body = read_document(HEALTH.path())
    if body is None:
        return None
    headers = CORS | {"Content-Type": HTML, "ETag": make_entity_tag(body)}
    return Response(status=HTTPStatus.OK, body=body, headers=headers)


def _answer_version(_route: Route, _query_text: str, read_document: ReadDocument) -> Response | None:
    body = read_document(VERSION_DOCUMENT.path())
    return make_json_response(body) if body is not None else None


ANSWERS: dict[Resource, Callable[[Route, str, ReadDocument], Response | None]] = {
    Resource.CONTRACT: _answer_contract,
    Resource.ALL_CHAINS: _answer_contract_on_all_chains,
    Resource.CONTRACTS: _answer_contracts,
    Resource.CHAINS: _answer_chains,
    Resource.HEALTH: _answer_health,
    Resource.VERSION: _answer_version,
}

EXPLORER_PATH = re.compile(r"/api/?\Z", re.IGNORECASE)
"""The path of an explorer's API, which is also that of the API page."""


def is_etherscan_call(method: str, path: str, query_string: str) -> bool:
    """Return whether a request looks like a call of Etherscan's API."""
    if not EXPLORER_PATH.match(path) or method == "OPTIONS":
        return False
    return method not in ("GET", "HEAD") or "module" in parse_query(query_string)


def require_served_chain(chain_id: str, read_document: ReadDocument) -> None:
    """Raise RequestError unless the site serves a chain with exactly this id."""
    chains = read_document("chains")
    if chain_id == GENESIS_CHAIN or chains is None:
        return
    if chain_id not in {str(chain["chainId"]) for chain in json.loads(chains)}:
        raise RequestError(f"Chain {chain_id} not found", "unsupported_chain")
