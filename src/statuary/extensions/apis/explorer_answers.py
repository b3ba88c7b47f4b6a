"""Responses to explorer API calls (`/v2/api?module=…`): the reference of `edge/etherscan.js`.

The first value of a parameter is used, and only the comma's percent escape is decoded, so that web servers
can choose the same bodies by rules.
"""

import re

from statuary.extensions.apis import urls
from statuary.extensions.apis.answers import ApiAnswer, ReadDocument, get_query_parameter
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


def is_explorer_route(
    http_method: str, request_path: str, query_string: str, read_document: ReadDocument
) -> bool:
    """Return whether a request calls Etherscan's API on this site.

    Etherscan is a block explorer, whose API many tools use.

    Args:
        read_document: a function that returns the bytes at a path of the site, or None.
    """
    base = BASES.match(request_path)
    if base is None:
        asked = CHAIN_LIST.match(request_path) is not None
    else:
        is_page = request_path.rstrip("/").lower() == "/api" and http_method in ("GET", "HEAD", "OPTIONS")
        asked = not is_page or MODULE.search(query_string) is not None
    return asked and read_document(urls.ETHERSCAN_CHAINS.path()) is not None


def answer_etherscan_call(
    http_method: str, request_path: str, query_string: str, read_document: ReadDocument
) -> ApiAnswer:
    """Respond to a call of Etherscan's API.

    Args:
        read_document: a function that returns the bytes at a path of the site, or None.
    """
    base = BASES.match(request_path)
    if http_method not in ("GET", "HEAD"):
        return _read_stored_answer("verify", read_document)
    if base is None:
        return ApiAnswer(read_document(urls.ETHERSCAN_CHAINS.path()) or b"{}")
    action = get_query_parameter(query_string, "action")
    chain = base["chain"] or get_query_parameter(query_string, "chainid")
    wrong = _find_invalid_member(query_string, action, chain, read_document)
    if wrong:
        return _read_stored_answer(wrong, read_document)
    if action == "getcontractcreation":
        return _answer_contract_creations(
            chain, COMMA.split(get_query_parameter(query_string, "contractaddresses")), read_document
        )
    address = get_query_parameter(query_string, "address")
    if not ADDRESS.match(address):
        return _read_stored_answer("address", read_document)
    body = read_document(urls.ETHERSCAN.path(chain_id=chain, address=address, action=action))
    return _read_stored_answer(action, read_document) if body is None else ApiAnswer(body)


def _find_invalid_member(query_string: str, action: str, chain_id: str, read_document: ReadDocument) -> str:
    if get_query_parameter(query_string, "module") != "contract":
        return "module"
    if action not in ACTIONS:
        return "action"
    is_known = (
        CHAIN.match(chain_id) and read_document(urls.ETHERSCAN_CHAIN.path(chain_id=chain_id)) is not None
    )
    return "" if is_known else "chain"


def _read_stored_answer(answer_name: str, read_document: ReadDocument) -> ApiAnswer:
    return ApiAnswer(read_document(urls.ETHERSCAN_ANSWER.path(name=answer_name)) or b"{}")


def _answer_contract_creations(chain_id: str, addresses: list[str], read_document: ReadDocument) -> ApiAnswer:
    # Ignore further addresses, and omit contracts whose creation is unknown.
    if not all(map(ADDRESS.match, addresses)):
        return _read_stored_answer("address", read_document)
    paths = (
        urls.ETHERSCAN.path(chain_id=chain_id, address=address, action=CREATION)
        for address in addresses[:MOST_ADDRESSES]
    )
    creations = [item for item in map(read_document, paths) if item is not None]
    if not creations:
        return _read_stored_answer("getcontractcreation", read_document)
    return ApiAnswer(LIST_BEGINS + b",".join(creations) + LIST_ENDS)
