"""The resource and parameters of a path, checked in the measured order, with the measured messages."""

import re
from enum import StrEnum
from typing import NamedTuple

from statuary.documents.url_table import (
    CHAINS,
    CONTRACT,
    CONTRACT_ALL_CHAINS,
    CONTRACTS,
    CONTRACTS_PAGES,
    LOOKUP_FOLDER,
    SERVER_PREFIX,
    url_regex,
)
from statuary.domain.primitives import (
    CHAIN_ID_DIGITS,
    Address,
    InvalidValueError,
    checksum_address,
    parse_address,
)
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
    """A resource and the parameters of its path, percent-decoded."""

    resource: Resource
    chain_id: str = ""
    address: str = ""


# Express ignores case and a slash at the end of a path; the first match wins.
ROUTES = tuple(
    (resource, re.compile(rf"(?:/{SERVER_PREFIX})?/{pattern}/?\Z", re.IGNORECASE | re.ASCII))
    for resource, pattern in (
        (Resource.ALL_CHAINS, url_regex(CONTRACT_ALL_CHAINS)),
        (Resource.CONTRACT, url_regex(CONTRACT)),
        (Resource.CONTRACTS, url_regex(CONTRACTS)),
        (Resource.CHAINS, url_regex(CHAINS)),
        (Resource.NONE, rf"(?!{re.escape(CONTRACTS_PAGES.prefix)}){LOOKUP_FOLDER}(?:/.*)?"),
    )
)


def find_route(path: str) -> Route | None:
    """Return the route of a path; None if it is not the look-up's.

    Every path below `v2` is, except the pages of lists, which are plain files.

    Raises:
        RequestError: if a parameter has a broken percent escape.
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


CHAIN_ID = re.compile(r"[0-9]+\Z")
ADDRESS = re.compile(r"0x[a-fA-F0-9]{40}\Z")
ADDRESS_LENGTH = 42


def check_chain_id(text: str) -> None:
    """Raise an error for a chain id that does not match the specification's pattern and length."""
    if len(text) > CHAIN_ID_DIGITS:
        raise RequestError(f"request/params/chainId must NOT have more than {CHAIN_ID_DIGITS} characters")
    if not CHAIN_ID.match(text):
        raise RequestError(r'request/params/chainId must match pattern "^\d+$"')


def check_address(text: str) -> None:
    """Raise an error for an address that does not match the specification's length and pattern."""
    if len(text) != ADDRESS_LENGTH:
        bound = "fewer" if len(text) < ADDRESS_LENGTH else "more"
        raise RequestError(f"request/params/address must NOT have {bound} than {ADDRESS_LENGTH} characters")
    if not ADDRESS.match(text):
        raise RequestError(r'request/params/address must match pattern "(\b0x[a-fA-F0-9]{40}\b)"')


def checked_address(text: str) -> Address:
    """Return the checksummed address; raise an error for mixed case with a wrong checksum."""
    try:
        parse_address(text)
    except InvalidValueError:
        raise RequestError(f"Invalid address: {text}") from None
    return checksum_address(text)
