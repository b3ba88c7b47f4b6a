"""Explorers with Etherscan's API (Etherscan v2, Blockscout, Routescan): over HTTP, or responses saved as JSON files.

`module=contract` with `getsourcecode` gives the sources, with `getcontractcreation` the transaction, and on Etherscan
the creation code too. `getabi` gives nothing that `getsourcecode` lacks. https://docs.etherscan.io/api-reference
"""

from collections.abc import Sequence
from functools import partial
from pathlib import Path
from typing import Any, Final
from urllib.parse import urlencode

from statuary.domain.json_values import Json
from statuary.domain.primitives import Address, ChainId, InvalidValueError, parse_address, shorten
from statuary.importing.contracts.creation_transaction import UNCHECKED_CREATION
from statuary.importing.contracts.explorer_source import read_explorer_source
from statuary.importing.contracts.found_contract import (
    Found,
    FoundContract,
    SourceContract,
    any_deployment,
    any_hex,
    found_in,
)
from statuary.importing.import_error import ContractImportError, SourceError, SourceUnavailableError
from statuary.importing.imported_compilation import ImportedCompilation
from statuary.importing.input_files import read_json_file
from statuary.importing.on_chain_contract import OnChainContract
from statuary.importing.web_source import WebSource

PAUSE: Final = 0.35
"""Seconds between requests: explorers admit three to five a second."""

BUSY: Final = "rate limit"
"""A part of an explorer's message, with status 200, for too many requests."""

BUSY_PAUSES: Final = (2.0, 5.0, 15.0)
"""Seconds to wait after too many requests."""


def read_explorer_api(
    url: str, web: WebSource, chain_id: ChainId, addresses: Sequence[Address], key: str
) -> Found:
    """Yield contracts by their addresses; each is requested when it is needed.

    Args:
        url: of the API, such as https://api.etherscan.io/v2/api or https://eth.blockscout.com/api .
        chain_id: the chain, which Etherscan and Routescan want to know.
        key: the key of the API; empty for none.

    Raises:
        ContractImportError: without addresses, as an explorer lists no contracts.
    """
    if not addresses:
        raise ContractImportError(
            "an explorer does not list its contracts", "add --address, or --addresses FILE"
        )
    api = _ExplorerApi(url, web, chain_id, key)
    for address in addresses:
        yield FoundContract(chain_id, address, address, partial(api.read, address))


class _ExplorerApi:
    def __init__(self, url: str, web: WebSource, chain_id: ChainId, key: str) -> None:
        self.url, self.web, self.key = url, web, key
        self.fixed = {"chainid": chain_id, "module": "contract"}

    def read(self, address: Address) -> SourceContract:
        compilation = explorer_compilation(self.ask("getsourcecode", address=address))
        try:
            creation = self.ask("getcontractcreation", contractaddresses=address)
        except ContractImportError:
            # a contract of the genesis block has none, and not every explorer has the method
            creation = None
        return SourceContract(compilation=compilation, on_chain=explorer_creation(creation))

    def ask(self, action: str, **parameters: str) -> Json:
        secret = {"apikey": self.key} if self.key else {}
        url = f"{self.url}?{urlencode({**self.fixed, 'action': action, **parameters, **secret})}"
        for pause in (*BUSY_PAUSES, None):
            self.web.wait(PAUSE)
            try:
                response = self.web.json(url)
            except (SourceError, SourceUnavailableError) as error:
                hidden = str(error).replace(self.key, "…") if self.key else str(error)
                raise type(error)(hidden, error.hint) from None
            try:
                return explorer_result(response)
            except ContractImportError as error:
                if pause is None or BUSY not in str(error).lower():
                    raise
                self.web.wait(pause)
        raise AssertionError


def explorer_result(response: Json) -> Json:
    """Return the `result` of a response; raise ContractImportError if it is not a response, or an error."""
    if not isinstance(response, dict) or "result" not in response:
        raise ContractImportError(
            "the response has no result", "give the URL of the API, which ends with /api"
        )
    result = response["result"]
    if str(response.get("status", "1")) != "1" or not isinstance(result, list):
        text = result if isinstance(result, str) and result else response.get("message")
        hint = "set ETHERSCAN_API_KEY to the key of this explorer" if "key" in str(text).lower() else ""
        raise ContractImportError(f"the explorer responds: {shorten(str(text), 120)}", hint)
    return result


def explorer_compilation(result: Json) -> ImportedCompilation:
    """Return the compilation in the result of `getsourcecode`.

    Raises:
        ContractImportError: if there is no source, or it is malformed.
    """
    try:
        return read_explorer_source(_first(result))
    except (KeyError, TypeError, AttributeError, ValueError) as error:
        raise ContractImportError(f"the explorer's source is malformed: {shorten(str(error), 120)}") from None


def explorer_creation(result: Json) -> OnChainContract:
    """Return the deployment in the result of `getcontractcreation`."""
    created = _first(result)
    return OnChainContract(
        creation=any_hex(created.get("creationBytecode")),
        runtime=None,
        # the creator may be a factory instead of the transaction's sender
        deployment=any_deployment(created.get("txHash"), created.get("blockNumber"), None, None),
        notes=(UNCHECKED_CREATION,) if created else (),
    )


def _first(result: Json) -> dict[str, Any]:
    first = result[0] if isinstance(result, list) and result else None
    return first if isinstance(first, dict) else {}


def read_explorer_files(folder: Path, chain_id: ChainId, addresses: Sequence[Address]) -> Found:
    """Yield the contracts of saved responses.

    Args:
        folder: a folder with `<address>.json` (`getsourcecode`) and perhaps `<address>.creation.json`
            (`getcontractcreation`), or one file with a response of `getsourcecode`.
        addresses: of one file, the contract.

    Raises:
        ContractImportError: if there is no such file.
    """
    files = [folder]
    if folder.is_dir():
        files = sorted(file for file in folder.glob("*.json") if not file.name.endswith(".creation.json"))
    if not files:
        raise ContractImportError(f"{folder} has no <address>.json", "save responses of getsourcecode there")
    for file in files:
        given = addresses if files == [folder] else ()
        yield from found_in(file, file.name, _saved(file, chain_id, given))


def _saved(file: Path, chain_id: ChainId, given: Sequence[Address]) -> Found:
    yield FoundContract(chain_id, _address_of(file, given), file.name, partial(_read_files, file))


def _address_of(file: Path, given: Sequence[Address]) -> Address:
    if len(given) == 1:
        return given[0]
    try:
        return parse_address(file.stem.lower())
    except InvalidValueError:
        raise ContractImportError(
            f"the name of {file} is not an address", "name it <address>.json, or add --address"
        ) from None


def _read_files(file: Path) -> SourceContract:
    beside = file.with_suffix(".creation.json")
    creation = explorer_result(read_json_file(beside)) if beside.is_file() else None
    compilation = explorer_compilation(explorer_result(read_json_file(file)))
    return SourceContract(compilation=compilation, on_chain=explorer_creation(creation))
