"""What a site answers to all requests about a contract, to be compared with what another one answers."""

from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager
from typing import Any

from support.edge_runtimes import Served
from support.edge_vectors import ERROR_ID
from support.sites import CHAIN, address_of

OF_THE_TRANSFER = (
    "age",
    "accept-ranges",  # a document of a pack comes whole
    "connection",
    "content-length",
    "date",
    "keep-alive",
    "transfer-encoding",
)
OF_THE_HOST = ("etag", "x-nf-")

Request = tuple[str, str]
Serve = Callable[..., AbstractContextManager[Served]]


def requests_of(number: int) -> Iterator[Request]:
    """Yield requests about a contract: every document with its address, in every form."""
    address = address_of(number)
    upper = f"0x{address[2:].upper()}"
    record = f"/v2/contract/{CHAIN}"
    for form in (address, address.lower(), upper):
        yield "GET", f"{record}/{form}"
        yield "GET", f"/proof/{CHAIN}/{form}.json"
    mixed = f"0x{address[2:].swapcase()}"
    for target in (
        f"{record}/{mixed}",
        f"{record}/{address}/",
        f"/server{record}/{address}?fields=abi,compilation.compiler",
        f"{record}/{address}?fields=all",
        f"{record}/{address}?omit=sources,abi",
        f"{record}/{address}?fields=nothing",
        f"{record}/{address}?other=1",
        f"/v2/contract/1/{address}",
        f"/v2/contract/all-chains/{address}",
        f"/v2/contract/all-chains/{upper}",
        f"/v2/contract/all-chains/{mixed}",
        f"/proof/1/{address}.json",
        f"/proof/{CHAIN}/{address}",
        f"/v2/api?chainid={CHAIN}&module=contract&action=getabi&address={address}",
        f"/v2/api?chainid={CHAIN}&module=contract&action=getsourcecode&address={address}",
        f"/blockscout/{CHAIN}/api/v2/smart-contracts/{address}",
    ):
        yield "GET", target
    for target in (f"{record}/{address}", f"{record}/{address}?fields=abi", f"/proof/{CHAIN}/{address}.json"):
        yield "HEAD", target
        yield "POST", target
        yield "OPTIONS", target


def asked(server: Served, requests: list[Request], *, tags: bool) -> dict[Request, Any]:
    """Return what is answered, without what a connection adds; a tag that the host makes by itself is not compared."""
    unlike = (*OF_THE_TRANSFER, *(() if tags else OF_THE_HOST))
    found = {}
    for method, target in requests:
        answer = server.ask(target, method)
        headers = {name: text for name, text in answer["headers"].items() if not name.startswith(unlike)}
        found[method, target] = answer["status"], headers, ERROR_ID.sub("<uuid>", answer["body"])
    return found


def assert_same(expected: dict[Request, Any], found: dict[Request, Any]) -> None:
    """Make sure that two sites answer the same, and that some of it are records and proofs."""
    for request, answer in expected.items():
        differences = [pair for pair in zip(found[request], answer, strict=True) if pair[0] != pair[1]]
        assert not differences, (request, differences)
    statuses = {status for status, _, _ in expected.values()}
    assert {200, 404} <= statuses
