"""An Ethereum node, asked over JSON-RPC and HTTP: one question, one answer, within bounds.

https://ethereum.github.io/execution-apis/ . The address may hold a key, so no message shows more of it than the host.
"""

from http.client import HTTPException
from typing import Final
from urllib.error import HTTPError
from urllib.parse import urlsplit
from urllib.request import Request, urlopen

import orjson

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
from statuary.version import VERSION

TIMEOUT_SECONDS: Final = 60.0
"""How long an answer may take; traces of old transactions take their time."""

MAX_RESPONSE_BYTES: Final = 64 << 20
"""Bytes of an answer."""

METHOD_NOT_FOUND: Final = -32601
"""JSON-RPC's code for a method that the node does not offer."""


class RpcError(Exception):
    """The node answered with an error.

    Attributes:
        code: JSON-RPC's.
    """

    def __init__(self, code: int, message: str) -> None:
        super().__init__(message)
        self.code = code


class EthereumNode:
    """A node at an address.

    Attributes:
        host: who is asked, for messages.
    """

    def __init__(self, url: str) -> None:
        """Take an address, asking nothing yet.

        Raises:
            CannotImport: if it is no address of the web.
        """
        try:
            parts = urlsplit(url)
            self.host = parts.hostname or ""
        except ValueError:
            self.host = ""
        if not self.host or parts.scheme not in ("http", "https"):
            raise ContractImportError(
                "the node's address begins neither with http:// nor https://",
                "write it like http://127.0.0.1:8545",
            )
        self._url = url

    def ask(self, method: str, *parameters: Json) -> Json:
        """Return the result of a method.

        Raises:
            NodeRefused: if the node answers with an error.
            CannotImport: if there is no answer, or it is not JSON-RPC.
        """
        question = {"jsonrpc": "2.0", "id": 1, "method": method, "params": list(parameters)}
        answer = self._answer(orjson.dumps(question), method)
        if isinstance(answer, dict) and isinstance(error := answer.get("error"), dict):
            code = error.get("code")
            raise RpcError(code if isinstance(code, int) else 0, str(error.get("message", "an error")))
        if not isinstance(answer, dict) or "result" not in answer:
            raise ContractImportError(f"{self.host} does not answer {method} as an Ethereum node does")
        return answer["result"]

    def hex(self, method: str, *parameters: Json) -> Hex:
        """Return the result of a method that answers bytes.

        Raises:
            NodeRefused: as `ask`.
            CannotImport: as `ask`, or if it is no hex text.
        """
        return self.as_hex(self.ask(method, *parameters), method)

    def as_hex(self, value: Json, what: str) -> Hex:
        """Return bytes that the node told, in lower case.

        Raises:
            CannotImport: if it is no hex text.
        """
        try:
            return parse_hex(value.lower())
        except (AttributeError, InvalidValueError):
            raise ContractImportError(f"{self.host} answers {shorten(str(value))} for {what}") from None

    def as_address(self, value: Json, what: str) -> Address:
        """Return an address that the node told, in EIP-55 spelling.

        Raises:
            CannotImport: if it is none.
        """
        digits = self.as_hex(value, what)
        if len(digits) != len("0x") + ADDRESS_DIGITS:
            raise ContractImportError(f"{self.host} answers {shorten(digits)} for {what}")
        return checksum_address(digits)

    def as_number(self, value: Json, what: str) -> int:
        """Return a quantity that the node told: `0x` and hex digits without leading zeros.

        Raises:
            CannotImport: if it is none.
        """
        try:
            return int(value, 16) if value.startswith("0x") else int("")
        except (AttributeError, TypeError, ValueError):
            raise ContractImportError(f"{self.host} answers {shorten(str(value))} for {what}") from None

    def _answer(self, question: bytes, method: str) -> Json:
        request = Request(  # noqa: S310 - the scheme is checked
            self._url,
            question,
            {"Content-Type": "application/json", "User-Agent": f"statuary/{VERSION}"},
        )
        try:
            with urlopen(request, timeout=TIMEOUT_SECONDS) as response:  # noqa: S310
                raw = response.read(MAX_RESPONSE_BYTES + 1)
        except HTTPError as error:  # some nodes put the error's JSON under a status of 4xx
            with error:
                raw = error.read(MAX_RESPONSE_BYTES + 1)
            if not raw.lstrip().startswith(b"{"):
                raise ContractImportError(
                    f"{self.host} answers {method} with HTTP status {error.code}"
                ) from None
        except (OSError, HTTPException) as error:
            reason = getattr(error, "reason", error)
            raise ContractImportError(
                f"{self.host} does not answer: {reason}", "is the node's address right, and the node up?"
            ) from None
        if len(raw) > MAX_RESPONSE_BYTES:
            raise ContractImportError(
                f"{self.host} answers {method} with more than {MAX_RESPONSE_BYTES:,} bytes"
            )
        try:
            return orjson.loads(raw)
        except orjson.JSONDecodeError:
            raise ContractImportError(
                f"{self.host} answers {method} with something that is not JSON"
            ) from None
