"""An Ethereum node over JSON-RPC and HTTP, with limits on time and size.

https://ethereum.github.io/execution-apis/ . The URL may contain a key, so messages show only its host.
"""

from collections.abc import Iterator, Sequence
from contextlib import closing
from functools import cache
from http.client import HTTPException
from typing import Final
from urllib.error import HTTPError
from urllib.parse import urlsplit
from urllib.request import HTTPDefaultErrorHandler, HTTPErrorProcessor, OpenerDirector, Request

import orjson

from statuary.domain.errors import StatuaryError
from statuary.domain.json_values import Json
from statuary.domain.primitives import (
    ADDRESS_DIGITS,
    Address,
    Hex,
    InvalidValueError,
    checksum_address,
    parse_hex,
    shorten,
)
from statuary.importing.import_error import ContractImportError
from statuary.network import Pace, http_opener
from statuary.version import VERSION

TIMEOUT_SECONDS: Final = 60.0
"""Traces of old transactions take long."""

DEADLINE_SECONDS: Final = 300.0
"""The time for a whole response."""

MAX_RESPONSE_BYTES: Final = 64 << 20

MAX_QUANTITY_DIGITS: Final = 64
"""Hex digits of a number: the EVM's words have 256 bits."""

MAX_BATCH: Final = 50
"""Calls in one request; providers allow a hundred and more, but a response has its limit too."""

METHOD_NOT_FOUND: Final = -32601
"""JSON-RPC's code for a method that the node does not have."""


class RpcError(StatuaryError):
    """A node responds with an error."""

    def __init__(self, code: int, message: str) -> None:
        super().__init__(message)
        self.code = code  # JSON-RPC's


def _request(number: int, method: str, parameters: Sequence[Json]) -> dict[str, Json]:
    return {"jsonrpc": "2.0", "id": number, "method": method, "params": list(parameters)}


class EthereumNode:
    """A node at a URL; `host` is the part of it that messages show."""

    def __init__(self, url: str) -> None:
        try:
            parts = urlsplit(url)
            self.host = parts.hostname or ""
        except ValueError:
            self.host = ""
        if not self.host or parts.scheme not in ("http", "https"):
            raise ContractImportError(
                "the URL of the node does not start with http:// or https://",
                "write it like http://127.0.0.1:8545",
            )
        self._url = url

    def call(self, method: str, *parameters: Json) -> Json:
        """Return the result of a method.

        Raises:
            RpcError: if the node responds with an error.
            ContractImportError: if there is no response, or it is not JSON-RPC.
        """
        response = self._post(orjson.dumps(_request(1, method, parameters)), method)
        return self._result(response, method)

    def call_all(self, calls: Sequence[tuple[str, Sequence[Json]]]) -> Iterator[Json | RpcError]:
        """Yield the result of each call, or the node's error; the calls go out in batches.

        Raises:
            ContractImportError: if there is no response, or it is not JSON-RPC.
        """
        for start in range(0, len(calls), MAX_BATCH):
            batch = calls[start : start + MAX_BATCH]
            requests = [_request(number, *call) for number, call in enumerate(batch)]
            responses = self._post(orjson.dumps(requests), batch[0][0])
            if not isinstance(responses, list):
                raise ContractImportError(f"{self.host} does not respond to a batch of requests")
            by_id = {response.get("id"): response for response in responses if isinstance(response, dict)}
            for number, (method, _) in enumerate(batch):
                try:
                    yield self._result(by_id.get(number), method)
                except RpcError as error:
                    yield error

    def _result(self, response: Json, method: str) -> Json:
        if isinstance(response, dict) and isinstance(error := response.get("error"), dict):
            code = error.get("code")
            raise RpcError(code if isinstance(code, int) else 0, str(error.get("message", "an error")))
        if not isinstance(response, dict) or "result" not in response:
            raise ContractImportError(f"{self.host} is not an Ethereum node: no result for {method}")
        return response["result"]

    def call_hex(self, method: str, *parameters: Json) -> Hex:
        """Return the result of a method that responds with bytes.

        Raises:
            RpcError: as `call`.
            ContractImportError: as `call`, or if the result is not hex.
        """
        return self.parse_hex(self.call(method, *parameters), method)

    def parse_hex(self, value: Json, what: str) -> Hex:
        """Return bytes in a response, in lower case; raise ContractImportError if it is not hex."""
        try:
            return parse_hex(value.lower())
        except (AttributeError, InvalidValueError):
            raise self._invalid(value, what) from None

    def parse_address(self, value: Json, what: str) -> Address:
        """Return an address in a response, with its EIP-55 checksum.

        Raises:
            ContractImportError: if it is not an address.
        """
        digits = self.parse_hex(value, what)
        if len(digits) != len("0x") + ADDRESS_DIGITS:
            raise self._invalid(digits, what)
        return checksum_address(digits)

    def parse_quantity(self, value: Json, what: str) -> int:
        """Return a number in a response: `0x` and hex digits.

        Raises:
            ContractImportError: if it is not a number of at most 256 bits.
        """
        if isinstance(value, str) and value.startswith("0x") and len(value) <= 2 + MAX_QUANTITY_DIGITS:
            try:
                return int(value, 16)
            except ValueError:
                pass
        raise self._invalid(value, what)

    def _invalid(self, value: Json, what: str) -> ContractImportError:
        return ContractImportError(f"{self.host} responds with {shorten(str(value))} for {what}")

    def _post(self, body: bytes, method: str) -> Json:
        raw = self._read(body, method)
        if len(raw) > MAX_RESPONSE_BYTES:
            raise ContractImportError(
                f"{self.host} responds to {method} with more than {MAX_RESPONSE_BYTES:,} bytes"
            )
        try:
            return orjson.loads(raw)
        except orjson.JSONDecodeError:
            raise ContractImportError(f"{self.host} responds to {method} with invalid JSON") from None

    def _read(self, body: bytes, method: str) -> bytes:
        headers = {"Content-Type": "application/json", "User-Agent": f"statuary/{VERSION}"}
        request = Request(self._url, body, headers)
        raw: bytes
        try:
            with closing(_opener().open(request, timeout=TIMEOUT_SECONDS)) as response:
                raw = response.read(MAX_RESPONSE_BYTES + 1)
        except HTTPError as error:  # some nodes send a JSON-RPC error with a 4xx status
            with error:
                raw = error.read(MAX_RESPONSE_BYTES + 1)
            if not raw.lstrip().startswith((b"{", b"[")):
                raise ContractImportError(
                    f"{self.host} responds to {method} with HTTP status {error.code}"
                ) from None
        except (OSError, HTTPException) as error:
            reason = getattr(error, "reason", error)
            raise ContractImportError(
                f"{self.host} does not respond: {reason}", "check the URL, and that the node is running"
            ) from None
        return raw


@cache
def _opener() -> OpenerDirector:
    """Return an opener that follows no redirect: the URL may contain a key."""
    return http_opener(Pace(DEADLINE_SECONDS), HTTPDefaultErrorHandler, HTTPErrorProcessor)
