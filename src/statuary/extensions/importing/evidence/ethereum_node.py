"""Requests to an Ethereum node over JSON-RPC.

https://ethereum.github.io/execution-apis/ . The URL may contain a key, so messages show only its host.
"""

from collections.abc import Iterator, Mapping, Sequence
from typing import Final
from urllib.parse import urlsplit

import orjson

from statuary.base.errors import StatuaryError
from statuary.base.json_values import Json, as_list, as_object, as_text
from statuary.base.primitives import (
    ADDRESS_DIGITS,
    Address,
    Hex,
    InvalidValueError,
    checksum_address,
    parse_lowercase_hex,
    shorten,
)
from statuary.base.reasons import EvidenceError
from statuary.contracts.chain.merkle_trie import RlpItem, encode_rlp, rlp_number_bytes
from statuary.contracts.chain.transaction import HEADER_SIZES, LEGACY
from statuary.extensions.importing.report import NotImportableError
from statuary.system.network.client import UnreachableError, send
from statuary.system.network.connections import Timeouts

TIMEOUTS: Final = Timeouts(seconds=300.0, timeout=60.0)
"""The time for a response: traces of old transactions take long."""

MAX_RESPONSE_BYTES: Final = 64 << 20

MAX_QUANTITY_DIGITS: Final = 64
"""Hex digits of a number: the EVM's words have 256 bits."""

MAX_BATCH: Final = 50
"""Calls in one request; providers allow a hundred and more, but a response has its limit too."""

METHOD_NOT_FOUND: Final = -32601
"""JSON-RPC's code for a method that the node does not have."""

ADDED_MEMBERS: Final = (
    "baseFeePerGas",  # London
    "withdrawalsRoot",  # Shanghai
    "blobGasUsed",  # Cancun
    "excessBlobGas",
    "parentBeaconBlockRoot",
    "requestsHash",  # Prague
)
"""The members of a header that forks added, in order; older blocks lack the last ones."""

NUMBERS: Final = {
    *(name for name, size in HEADER_SIZES.items() if size is None),
    "baseFeePerGas",
    "blobGasUsed",
    "excessBlobGas",
}
"""The members of a header that are numbers."""


class RpcError(StatuaryError):
    """Raised if a node responds with an error."""

    def __init__(self, code: int, message: str) -> None:
        super().__init__(message)
        self.code = code  # the error code of JSON-RPC; 0 if the node gives none


def _json_rpc_request(request_id: int, method: str, parameters: Sequence[Json]) -> dict[str, Json]:
    return {"jsonrpc": "2.0", "id": request_id, "method": method, "params": list(parameters)}


class EthereumNode:
    """A JSON-RPC connection to an Ethereum node.

    Messages show only the host of the node, because its URL may contain a secret key.
    """

    def __init__(self, url: str) -> None:
        try:
            parts = urlsplit(url)
            self.host = parts.hostname or ""
        except ValueError:
            self.host = ""
        if not self.host or parts.scheme not in ("http", "https"):
            raise NotImportableError(
                "the URL of the node does not start with http:// or https://",
                "write it like http://127.0.0.1:8545",
            )
        self._url = url

    def call(self, method: str, *parameters: Json) -> Json:
        """Call a method of the node, such as `eth_chainId`.

        Returns:
            The result in the node's JSON response.

        Raises:
            RpcError: if the node responds with an error.
            NotImportableError: if the node does not respond, or not with JSON-RPC.
        """
        response = self._post(orjson.dumps(_json_rpc_request(1, method, parameters)), method)
        return self._result_of_response(response, method)

    def call_all(self, calls: Sequence[tuple[str, Sequence[Json]]]) -> Iterator[Json | RpcError]:
        """Call several methods of the node with few HTTP requests.

        Args:
            calls: the name and the parameters of each method to call.

        Yields:
            The result or the error of each call, in order.

        Raises:
            NotImportableError: if the node does not respond, or not with JSON-RPC.
        """
        for start in range(0, len(calls), MAX_BATCH):
            batch = calls[start : start + MAX_BATCH]
            requests = [_json_rpc_request(number, *call) for number, call in enumerate(batch)]
            responses = self._post(orjson.dumps(requests), batch[0][0])
            if not isinstance(responses, list):
                raise NotImportableError(f"{self.host} does not respond to a batch of requests")
            by_id = {response.get("id"): response for response in responses if isinstance(response, dict)}
            for number, (method, _) in enumerate(batch):
                try:
                    yield self._result_of_response(by_id.get(number), method)
                except RpcError as error:
                    yield error

    def _result_of_response(self, response: Json, method: str) -> Json:
        if isinstance(response, dict) and isinstance(error := response.get("error"), dict):
            code = error.get("code")
            raise RpcError(code if isinstance(code, int) else 0, str(error.get("message", "an error")))
        if not isinstance(response, dict) or "result" not in response:
            raise NotImportableError(f"{self.host} is not an Ethereum node: no result for {method}")
        result: Json = response["result"]
        return result

    def call_hex(self, method: str, *parameters: Json) -> Hex:
        """Call a method of the node that returns bytes, such as `eth_getCode`.

        Returns:
            The bytes as hex.

        Raises:
            RpcError: if the node responds with an error.
            NotImportableError: if the node does not respond, or the result is not hex.
        """
        return self.parse_lowercase_hex(self.call(method, *parameters), method)

    def parse_lowercase_hex(self, value: Json, value_name: str) -> Hex:
        """Return bytes in the node's response as lower-case hex, such as `0xab`.

        Args:
            value: a value in the response, in any letter case.
            value_name: the name of the value, for the error message.

        Raises:
            NotImportableError: if the value is not hex.
        """
        try:
            return parse_lowercase_hex(as_text(value).lower())
        except InvalidValueError:
            raise self._invalid_response_error(value, value_name) from None

    def parse_address(self, value: Json, value_name: str) -> Address:
        """Parse an address in the node's response.

        The result is in mixed case, with the checksum of EIP-55.

        Args:
            value: a value in the response.
            value_name: the name of the value, for the error message.

        Raises:
            NotImportableError: if the value is not an address.
        """
        digits = self.parse_lowercase_hex(value, value_name)
        if len(digits) != len("0x") + ADDRESS_DIGITS:
            raise self._invalid_response_error(digits, value_name)
        return checksum_address(digits)

    def parse_quantity(self, value: Json, value_name: str) -> int:
        """Parse a number in the node's response, such as `0x1b4`.

        Args:
            value: a value in the response.
            value_name: the name of the value, for the error message.

        Raises:
            NotImportableError: if the value is not a number of at most 256 bits.
        """
        if isinstance(value, str) and value.startswith("0x") and len(value) <= 2 + MAX_QUANTITY_DIGITS:
            try:
                return int(value, 16)
            except ValueError:
                pass
        raise self._invalid_response_error(value, value_name)

    def _invalid_response_error(self, value: Json, value_name: str) -> NotImportableError:
        return NotImportableError(f"{self.host} responds with {shorten(str(value))} for {value_name}")

    def _post(self, request_body: bytes, method: str) -> Json:
        headers = {"Content-Type": "application/json"}
        try:
            # Requests with a body follow no redirects. That matters here, because the URL may contain an API
            # key that no other server may see.
            response = send(
                self._url,
                "POST",
                body=request_body,
                headers=headers,
                limit=MAX_RESPONSE_BYTES,
                timeouts=TIMEOUTS,
            )
        except UnreachableError as error:
            reason = error.reason.removeprefix("cannot be read: ")
            raise NotImportableError(
                f"{self.host} does not respond: {reason}", "check the URL, and that the node is running"
            ) from None
        # Some nodes answer a JSON-RPC error with an HTTP status such as 400. So parse every body that looks
        # like JSON, whatever the status is.
        if response.status >= 300 and not response.body.lstrip().startswith((b"{", b"[")):
            raise NotImportableError(f"{self.host} responds to {method} with HTTP status {response.status}")
        try:
            value: Json = orjson.loads(response.body)
        except orjson.JSONDecodeError:
            raise NotImportableError(f"{self.host} responds to {method} with invalid JSON") from None
        return value


FEES: Final = ("chainId", "nonce", "maxPriorityFeePerGas", "maxFeePerGas", "gas", "to", "value", "input")

TRANSACTION_MEMBERS: Final = {
    LEGACY: ("nonce", "gasPrice", "gas", "to", "value", "input", "v", "r", "s"),
    1: ("chainId", "nonce", "gasPrice", "gas", "to", "value", "input", "accessList", "v", "r", "s"),
    2: (*FEES, "accessList", "v", "r", "s"),
    3: (*FEES, "accessList", "maxFeePerBlobGas", "blobVersionedHashes", "v", "r", "s"),
    4: (*FEES, "accessList", "authorizationList", "v", "r", "s"),
}
"""The members of a transaction in the order of their encoding, by type."""

BYTES: Final = {"to", "input"}
LISTS: Final = {
    "accessList": ("address", "storageKeys"),
    "authorizationList": ("chainId", "address", "nonce", "yParity", "r", "s"),
}
"""Lists of objects, with the members of each."""


class NodeEvidenceError(EvidenceError):
    """Raised if a node cannot prove a claim; `anchor.json` stores the reason."""

    def __init__(self, reason: str) -> None:
        super().__init__("stated", reason=reason)
        self.words = reason


def encode_header(block: Mapping[str, Json]) -> bytes:
    """Encode a block header with RLP, Ethereum's binary format.

    The Keccak-256 of the result is the hash of the block.

    Args:
        block: the block as a node returns it.

    Raises:
        EvidenceError: if a member of the header is missing or has the wrong type.
    """
    names = [*HEADER_SIZES, *(name for name in ADDED_MEMBERS if block.get(name) is not None)]
    return encode_rlp(
        [
            _number_member_bytes(block, name) if name in NUMBERS else _decode_hex_string(block.get(name))
            for name in names
        ]
    )


def encode_transaction(transaction: Mapping[str, Json]) -> bytes:
    """Encode a signed transaction as a block's transaction trie stores it.

    Args:
        transaction: the transaction as a node returns it.

    Raises:
        EvidenceError: if the type of the transaction is unknown, or a member is missing or has the wrong
            type.
    """
    kind = _parse_transaction_type(transaction)
    if kind not in TRANSACTION_MEMBERS:
        raise NodeEvidenceError(f"the block has a transaction of type {kind}, which Ethereum does not define")
    encoded = encode_rlp(
        [_encode_transaction_member(transaction, name) for name in TRANSACTION_MEMBERS[kind]]
    )
    return encoded if kind == LEGACY else bytes([kind]) + encoded


def encode_receipt(receipt: Mapping[str, Json]) -> bytes:
    """Encode a transaction receipt as a block's receipt trie stores it.

    Args:
        receipt: the receipt as a node returns it.

    Raises:
        EvidenceError: if a member is missing or has the wrong type.
    """
    has_status = receipt.get("status") is not None
    logs: list[RlpItem] = [
        [
            _decode_hex_string(log.get("address")),
            _decode_hex_strings(log.get("topics")),
            _decode_hex_string(log.get("data")),
        ]
        for log in map(as_object, as_list(receipt.get("logs")))
    ]
    encoded = encode_rlp(
        [
            _number_member_bytes(receipt, "status")
            if has_status
            else _decode_hex_string(receipt.get("root")),
            _number_member_bytes(receipt, "cumulativeGasUsed"),
            _decode_hex_string(receipt.get("logsBloom")),
            logs,
        ]
    )
    kind = _parse_transaction_type(receipt)
    return encoded if kind == LEGACY else bytes([kind]) + encoded


def _parse_transaction_type(transaction_or_receipt: Mapping[str, Json]) -> int:
    return (
        int.from_bytes(_number_member_bytes(transaction_or_receipt, "type"))
        if transaction_or_receipt.get("type") is not None
        else LEGACY
    )


def _encode_transaction_member(transaction: Mapping[str, Json], member_name: str) -> RlpItem:
    item = transaction.get(member_name)
    if member_name in BYTES:
        return b"" if item is None else _decode_hex_string(item)
    if member_name == "blobVersionedHashes":
        return _decode_hex_strings(item)
    if member_name in LISTS:
        entries = map(as_object, as_list(item))
        return [[_encode_tuple_member(entry, member) for member in LISTS[member_name]] for entry in entries]
    return _number_member_bytes(
        transaction, "yParity" if member_name == "v" and item is None else member_name
    )


def _encode_tuple_member(tuple_object: Mapping[str, Json], member_name: str) -> RlpItem:
    if member_name == "storageKeys":
        return _decode_hex_strings(tuple_object.get(member_name))
    return (
        _decode_hex_string(tuple_object.get(member_name))
        if member_name == "address"
        else _number_member_bytes(tuple_object, member_name)
    )


def _decode_hex_strings(hex_strings: Json) -> list[RlpItem]:
    return [_decode_hex_string(value) for value in as_list(hex_strings)]


def _number_member_bytes(json_object: Mapping[str, Json], member_name: str) -> bytes:
    try:
        return rlp_number_bytes(int(as_text(json_object.get(member_name)), 16))
    except ValueError:
        raise NodeEvidenceError(f"the node's answer has no valid number in {member_name}") from None


def _decode_hex_string(hex_string: Json) -> bytes:
    try:
        if isinstance(hex_string, str):
            return bytes.fromhex(hex_string.removeprefix("0x"))
    except ValueError:
        pass
    raise NodeEvidenceError("the response of the node has a value that is not 0x and hex digits")
