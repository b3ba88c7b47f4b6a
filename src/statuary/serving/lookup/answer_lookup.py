"""Answer a request to the look-up.

Checks run in the measured order: parameter names, patterns, chain, address checksum, selectors, and only then
the record. The first failure is the response.
"""

import json
from collections.abc import Callable
from dataclasses import dataclass
from http import HTTPStatus

from statuary.documents.url_table import CONTRACT, CONTRACT_ALL_CHAINS
from statuary.domain.contracts.selection.select import select
from statuary.domain.contracts.selection.selectors import InvalidSelectorError, Selection, parse_selection
from statuary.serving.lookup.contracts_list import (
    EMPTY_RESULTS,
    ReadDocument,
    contracts_list,
    parse_list_query,
)
from statuary.serving.lookup.query import check_names, check_single, parse_query
from statuary.serving.lookup.request_error import RequestError
from statuary.serving.lookup.response import (
    NewErrorId,
    Response,
    compact_json,
    conditional_response,
    error_response,
    head_response,
    json_response,
    preflight_response,
    route_not_found,
)
from statuary.serving.lookup.route import (
    Resource,
    Route,
    check_address,
    check_chain_id,
    checked_address,
    find_route,
)

GENESIS_CHAIN = "0"
"""A chain id that the measured server accepts without listing it."""


@dataclass(frozen=True, slots=True, kw_only=True)
class LookupRequest:
    """A request."""

    method: str = "GET"  # in capitals
    target: str  # path and query as on the request line, percent-encoded
    if_none_match: str | None = None  # the header


def answer_lookup(request: LookupRequest, read: ReadDocument, new_error_id: NewErrorId) -> Response | None:
    """Return the response to a request; None if the path is not the look-up's.

    Args:
        new_error_id: returns the `errorId` of an error body.

    Raises:
        NotCanonicalError: if fields of a record are requested that is not compact JSON.
    """
    path, _, query = request.target.partition("?")
    try:
        route = find_route(path)
        if route is None:
            return None
        response = _answer_by_method(request.method, path, route, query, read)
    except RequestError as error:
        response = error_response(error, new_error_id)
    response = conditional_response(response, request.if_none_match)
    return head_response(response) if request.method == "HEAD" else response


def _answer_by_method(method: str, path: str, route: Route, query: str, read: ReadDocument) -> Response:
    if method == "OPTIONS":
        return preflight_response()
    if method not in ("GET", "HEAD") or route.resource is Resource.NONE:
        return route_not_found(method, path)
    return ANSWERS[route.resource](route, query, read) or route_not_found(method, path)


def _answer_contract(route: Route, query_text: str, read: ReadDocument) -> Response:
    query = parse_query(query_text)
    check_names(query, ("fields", "omit"))
    fields, omit = check_single(query, "fields"), check_single(query, "omit")
    check_chain_id(route.chain_id)
    check_address(route.address)
    record = read(CONTRACT.path(chain_id=route.chain_id, address=route.address.lower()))
    if record is None:  # a chain that has a record is known
        check_chain_known(route.chain_id, read)
    address = checked_address(route.address)
    selection = _checked_selection(fields, omit)
    return json_response(select(record, selection)) if record else _not_verified(route.chain_id, address)


def _checked_selection(fields: str | None, omit: str | None) -> Selection:
    try:
        return parse_selection(fields, omit)
    except InvalidSelectorError as error:
        raise RequestError(str(error)) from None


def _not_verified(chain_id: str, address: str) -> Response:
    """Return the response for an address that is not verified: a record's first and last members, and 404."""
    nothing = {
        "match": None,
        "creationMatch": None,
        "runtimeMatch": None,
        "chainId": chain_id,
        "address": address,
    }
    return json_response(compact_json(nothing), HTTPStatus.NOT_FOUND)


def _answer_all_chains(route: Route, query_text: str, read: ReadDocument) -> Response:
    check_names(parse_query(query_text), ())
    check_address(route.address)
    address = checked_address(route.address)
    body = read(CONTRACT_ALL_CHAINS.path(address=address.lower()))
    return json_response(body) if body is not None else json_response(EMPTY_RESULTS, HTTPStatus.NOT_FOUND)


def _answer_contracts(route: Route, query_text: str, read: ReadDocument) -> Response:
    listing = parse_list_query(parse_query(query_text), query_text)
    check_chain_id(route.chain_id)
    check_chain_known(route.chain_id, read)
    return json_response(contracts_list(route.chain_id, listing, read))


def _answer_chains(_route: Route, _query_text: str, read: ReadDocument) -> Response | None:
    body = read("chains")
    return json_response(body) if body is not None else None


ANSWERS: dict[Resource, Callable[[Route, str, ReadDocument], Response | None]] = {
    Resource.CONTRACT: _answer_contract,
    Resource.ALL_CHAINS: _answer_all_chains,
    Resource.CONTRACTS: _answer_contracts,
    Resource.CHAINS: _answer_chains,
}


def check_chain_known(chain_id: str, read: ReadDocument) -> None:
    """Raise an error for a chain that the site's `chains`, if there is one, does not list.

    Raises:
        RequestError: with the measured message; `01` is not `1`.
    """
    chains = read("chains")
    if chain_id == GENESIS_CHAIN or chains is None:
        return
    if chain_id not in {str(chain["chainId"]) for chain in json.loads(chains)}:
        raise RequestError(f"Chain {chain_id} not found", "unsupported_chain")
