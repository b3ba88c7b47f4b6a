"""Headers, transactions and receipts as JSON-RPC gives them, encoded as a block hashes them.

https://ethereum.github.io/execution-apis/ . Not every node gives the encoded form itself.
"""

from collections.abc import Sequence
from typing import Final

from statuary.domain.chain.header import ADDED_MEMBERS, HEADER_SIZES, NUMBERS
from statuary.domain.chain.rlp import EvidenceError, RlpItem, encode_rlp, number_bytes
from statuary.domain.chain.transaction import LEGACY
from statuary.domain.json_values import Json

FEES: Final = ("chainId", "nonce", "maxPriorityFeePerGas", "maxFeePerGas", "gas", "to", "value", "input")

TRANSACTION_MEMBERS: Final = {
    LEGACY: ("nonce", "gasPrice", "gas", "to", "value", "input", "v", "r", "s"),
    1: ("chainId", "nonce", "gasPrice", "gas", "to", "value", "input", "accessList", "v", "r", "s"),
    2: (*FEES, "accessList", "v", "r", "s"),
    3: (*FEES, "accessList", "maxFeePerBlobGas", "blobVersionedHashes", "v", "r", "s"),
    4: (*FEES, "accessList", "authorizationList", "v", "r", "s"),
}
"""The members of a transaction in the order in which they are encoded, by type."""

BYTES: Final = {"to", "input"}
LISTS: Final = {
    "accessList": ("address", "storageKeys"),
    "authorizationList": ("chainId", "address", "nonce", "yParity", "r", "s"),
}
"""Lists of objects, with the members of each."""


def encode_header(block: Json) -> bytes:
    """Return the encoded header of a block; raise EvidenceError if a member is missing or of the wrong kind."""
    names = [*HEADER_SIZES, *(name for name in ADDED_MEMBERS if block.get(name) is not None)]
    return encode_rlp([_number(block, name) if name in NUMBERS else _data(block.get(name)) for name in names])


def encode_transaction(transaction: Json) -> bytes:
    """Return a signed transaction as its block's trie holds it.

    Raises:
        EvidenceError: if it is of an unknown type, or a member is missing or of the wrong kind.
    """
    kind = _type(transaction)
    if kind not in TRANSACTION_MEMBERS:
        raise EvidenceError(f"its block has a transaction of type {kind}, which is not Ethereum's")
    encoded = encode_rlp([_member(transaction, name) for name in TRANSACTION_MEMBERS[kind]])
    return encoded if kind == LEGACY else bytes([kind]) + encoded


def encode_receipt(receipt: Json) -> bytes:
    """Return a receipt as its block's trie holds it.

    Raises:
        EvidenceError: if a member is missing or of the wrong kind.
    """
    has_status = receipt.get("status") is not None
    logs: list[RlpItem] = [
        [_data(log.get("address")), list(map(_data, log.get("topics"))), _data(log.get("data"))]
        for log in receipt.get("logs")
    ]
    encoded = encode_rlp(
        [
            _number(receipt, "status") if has_status else _data(receipt.get("root")),
            _number(receipt, "cumulativeGasUsed"),
            _data(receipt.get("logsBloom")),
            logs,
        ]
    )
    kind = _type(receipt)
    return encoded if kind == LEGACY else bytes([kind]) + encoded


def _type(value: Json) -> int:
    return int.from_bytes(_number(value, "type")) if value.get("type") is not None else LEGACY


def _member(value: Json, name: str) -> RlpItem:
    given = value.get(name)
    if name in BYTES:
        return b"" if given is None else _data(given)
    if name == "blobVersionedHashes":
        return _all_data(given)
    if name in LISTS:
        return [[_in_list(entry, member) for member in LISTS[name]] for entry in given or ()]
    return _number(value, "yParity" if name == "v" and given is None else name)


def _in_list(entry: Json, member: str) -> RlpItem:
    if member == "storageKeys":
        return _all_data(entry.get(member))
    return _data(entry.get(member)) if member == "address" else _number(entry, member)


def _all_data(values: Sequence[Json] | None) -> list[RlpItem]:
    return [_data(value) for value in values or ()]


def _number(value: Json, name: str) -> bytes:
    try:
        return number_bytes(int(value[name], 16))
    except (KeyError, TypeError, ValueError):
        raise EvidenceError(f"the node gives no number for {name}") from None


def _data(text: Json) -> bytes:
    try:
        return bytes.fromhex(text.removeprefix("0x"))
    except (AttributeError, TypeError, ValueError):
        raise EvidenceError("the node does not return bytes in hex") from None
