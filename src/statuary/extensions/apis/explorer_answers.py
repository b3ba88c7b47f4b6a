"""Responses to explorer API calls (`/v2/api?module=…`): the reference of `edge/etherscan.js`.

The first value of a parameter is used, and only the comma's percent escape is decoded, so that web servers
can choose the same bodies by rules.
"""

import re

from statuary.extensions.apis import urls
from statuary.extensions.apis.answers import ApiAnswer, ReadDocument, query_parameter
from statuary.extensions.apis.etherscan import CREATION

BASES = re.compile(r"/(?:v2/)?api/?\Z|/explorer/(?P<chain>[^/]+)/api/?\Z", re.IGNORECASE)
CHAIN_LIST = re.compile(rf"/{urls.ETHERSCAN_LIST.pattern}/?\Z", re.IGNORECASE)
MODULE = re.compile(r"(?:^|&)module(?:=|&|$)")
CHAIN = re.compile(r"[0-9]{1,20}\Z")
ADDRESS = re.compile(r"0x[0-9a-fA-F]{40}\Z")
COMMA = re.compile(r",|%2C", re.IGNORECASE)
ACTIONS = ("getsourcecode", "getabi", "getcontractcreation")
MOST_ADDRESSES = 10
LIST_BEGINS, LIST_ENDS = b'{"status":"1","message":"OK","result":[', b"]}"


def is_explorer_route(method: str, path: str, query: str, read_document: ReadDocument) -> bool:
    """Return whether a request calls the site's explorer API.

    Args:
        method: the HTTP method.
        path: the path of the request.
        query: the query string.
        read_document: returns the bytes at a path of the site, or None.
    """
    base = BASES.match(path)
    if base is None:
        asked = CHAIN_LIST.match(path) is not None
    else:
        is_page = path.rstrip("/").lower() == "/api" and method in ("GET", "HEAD", "OPTIONS")
        asked = not is_page or MODULE.search(query) is not None
    return asked and read_document(urls.ETHERSCAN_CHAINS.path()) is not None


def answer_explorer(method: str, path: str, query: str, read_document: ReadDocument) -> ApiAnswer:
    """Return the response to a call of the explorer API.

    Args:
        method: the HTTP method.
        path: the path of the request.
        query: the query string.
        read_document: returns the bytes at a path of the site, or None.
    """
    base = BASES.match(path)
    if method not in ("GET", "HEAD"):
        return _stored_answer("verify", read_document)
    if base is None:
        return ApiAnswer(read_document(urls.ETHERSCAN_CHAINS.path()) or b"{}")
    action = query_parameter(query, "action")
    chain = base["chain"] or query_parameter(query, "chainid")
    wrong = _find_call_error(query, action, chain, read_document)
    if wrong:
        return _stored_answer(wrong, read_document)
    if action == "getcontractcreation":
        return _answer_creations(
            chain, COMMA.split(query_parameter(query, "contractaddresses")), read_document
        )
    address = query_parameter(query, "address")
    if not ADDRESS.match(address):
        return _stored_answer("address", read_document)
    body = read_document(urls.ETHERSCAN.path(chain_id=chain, address=address, action=action))
    return _stored_answer(action, read_document) if body is None else ApiAnswer(body)


def _find_call_error(query: str, action: str, chain: str, read_document: ReadDocument) -> str:
    """Find what is wrong with a call's module, action or chain.

    Returns:
        The name of the response about it; empty if nothing is.
    """
    if query_parameter(query, "module") != "contract":
        return "module"
    if action not in ACTIONS:
        return "action"
    is_known = CHAIN.match(chain) and read_document(urls.ETHERSCAN_CHAIN.path(chain_id=chain)) is not None
    return "" if is_known else "chain"


def _stored_answer(name: str, read_document: ReadDocument) -> ApiAnswer:
    return ApiAnswer(read_document(urls.ETHERSCAN_ANSWER.path(name=name)) or b"{}")


def _answer_creations(chain: str, addresses: list[str], read_document: ReadDocument) -> ApiAnswer:
    """Look up the creations of up to ten contracts.

    Further addresses are ignored, and contracts whose creation is unknown are omitted.
    """
    if not all(map(ADDRESS.match, addresses)):
        return _stored_answer("address", read_document)
    paths = (
        urls.ETHERSCAN.path(chain_id=chain, address=address, action=CREATION)
        for address in addresses[:MOST_ADDRESSES]
    )
    creations = [item for item in map(read_document, paths) if item is not None]
    if not creations:
        return _stored_answer("getcontractcreation", read_document)
    return ApiAnswer(LIST_BEGINS + b",".join(creations) + LIST_ENDS)
