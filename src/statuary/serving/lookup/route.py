"""Which of the look-up's resources a path means."""

import re
from enum import StrEnum
from typing import NamedTuple

from statuary.serving.lookup.query import decode_component
from statuary.serving.lookup.request_error import RequestError


class Resource(StrEnum):
    """The resources of the look-up."""

    CONTRACT = "contract"
    ALL_CHAINS = "all-chains"
    CONTRACTS = "contracts"
    CHAINS = "chains"
    NONE = "none"


class Route(NamedTuple):
    """A resource and the parameters that its path names, with percent escapes resolved."""

    resource: Resource
    chain_id: str = ""
    address: str = ""


# Express matches paths in any case and with one slash more at the end; the first pattern that fits wins.
# Some clients have `/server` before everything, where sourcify.dev has its API.
ROUTES = tuple(
    (resource, re.compile(rf"(?:/server)?/{pattern}/?\Z", re.IGNORECASE | re.ASCII))
    for resource, pattern in (
        (Resource.ALL_CHAINS, r"v2/contract/all-chains/(?P<address>[^/]+)"),
        (Resource.CONTRACT, r"v2/contract/(?P<chain_id>[^/]+)/(?P<address>[^/]+)"),
        (Resource.CONTRACTS, r"v2/contracts/(?P<chain_id>[^/]+)"),
        (Resource.CHAINS, r"chains"),
        (Resource.NONE, r"v2(?!/contracts-pages/)(?:/.*)?"),
    )
)


def find_route(path: str) -> Route | None:
    """Return what a path means to the look-up, or None if it is none of the look-up's business.

    Every path below `v2` is, but for the pages that the list is made of: they are plain files.

    Raises:
        Refusal: if a parameter has a broken percent escape.
    """
    for resource, pattern in ROUTES:
        found = pattern.match(path)
        if found:
            parameters = {name: _decoded(text) for name, text in found.groupdict().items()}
            return Route(resource, **parameters)
    return None


def _decoded(text: str) -> str:
    try:
        return decode_component(text)
    except ValueError:
        raise RequestError("malformed uri'") from None
