"""The chain id and the address in a path: each refusal as measured, in the measured order."""

import re

from statuary.domain.primitives import (
    CHAIN_ID_DIGITS,
    Address,
    InvalidValueError,
    checksum_address,
    parse_address,
)
from statuary.serving.lookup.request_error import RequestError

CHAIN_ID = re.compile(r"[0-9]+\Z")
ADDRESS = re.compile(r"0x[a-fA-F0-9]{40}\Z")
ADDRESS_LENGTH = 42


def check_chain_id(text: str) -> None:
    """Refuse what is no chain id by the specification's pattern and length.

    Raises:
        Refusal: with the measured message.
    """
    if len(text) > CHAIN_ID_DIGITS:
        raise RequestError(f"request/params/chainId must NOT have more than {CHAIN_ID_DIGITS} characters")
    if not CHAIN_ID.match(text):
        raise RequestError(r'request/params/chainId must match pattern "^\d+$"')


def check_address(text: str) -> None:
    """Refuse what is no address by the specification's length and pattern.

    Raises:
        Refusal: with the measured message.
    """
    if len(text) != ADDRESS_LENGTH:
        bound = "fewer" if len(text) < ADDRESS_LENGTH else "more"
        raise RequestError(f"request/params/address must NOT have {bound} than {ADDRESS_LENGTH} characters")
    if not ADDRESS.match(text):
        raise RequestError(r'request/params/address must match pattern "(\b0x[a-fA-F0-9]{40}\b)"')


def checked_address(text: str) -> Address:
    """Return the EIP-55 spelling of an address that `check_address` let through.

    Raises:
        Refusal: if it is in mixed case and its checksum is wrong.
    """
    try:
        parse_address(text)
    except InvalidValueError:
        raise RequestError(f"Invalid address: {text}") from None
    return checksum_address(text)
