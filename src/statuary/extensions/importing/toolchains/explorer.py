"""Import contracts from explorers with Etherscan's API: Etherscan v2, Blockscout and Routescan.

`module=contract` with `getsourcecode` gives the sources, with `getcontractcreation` the transaction, and on
Etherscan the creation code too. `getabi` gives nothing that `getsourcecode` lacks.
https://docs.etherscan.io/api-reference
"""

import re
from collections.abc import Sequence
from functools import partial
from pathlib import Path, PurePosixPath
from typing import Final
from urllib.parse import urlencode

import orjson

from statuary.base.json_values import Json, JsonObject, as_list, as_object
from statuary.base.primitives import Address, ChainId, InvalidValueError, parse_address, shorten
from statuary.extensions.importing.evidence.on_chain_contract import OnChainContract
from statuary.extensions.importing.report import NotImportableError
from statuary.extensions.importing.sources import WebSource, read_json_file
from statuary.extensions.importing.toolchains.compilation import (
    MAX_NAMES_SHOWN,
    ImportedCompilation,
    get_compiler_for_language,
)
from statuary.extensions.importing.toolchains.listed_contract import (
    UNCHECKED_CREATION,
    ListedContract,
    ListedContracts,
    SourceContract,
    make_deployment,
    parse_any_hex,
    yield_contracts_or_error,
)
from statuary.system.network.client import UnreachableError

VYPER: Final = "vyper:"
"""Etherscan's prefix of Vyper's version."""

TRUE: Final = ("1", "true")
DEFAULT: Final = ("", "default", "none")
DEFAULT_RUNS: Final = 200
DERIVED_SETTINGS: Final = ("compilationTarget", "outputSelection")
COMMENTS: Final = re.compile(r"//[^\n]*|/\*.*?\*/", re.DOTALL)


def read_explorer_source(result: JsonObject) -> ImportedCompilation:
    """Convert an explorer's source code of a contract to compiler input.

    Args:
        result: the entry for the contract in the response to `getsourcecode`.

    Raises:
        NotImportableError: if the explorer has no source of the contract, or the contract's name is
            ambiguous.
    """
    code = str(result.get("SourceCode") or "")
    name = str(result.get("ContractName") or "")
    if not code:
        raise NotImportableError(
            "the explorer has no source code of this contract",
            "verify the contract at the explorer, or import its project",
        )
    version = str(result.get("CompilerVersion") or "")
    is_vyper = version.startswith(VYPER) or result.get("CompilerType") == "vyper"
    std_json_input = _make_standard_input(result, code, name, "Vyper" if is_vyper else "Solidity")
    return ImportedCompilation(
        compiler=get_compiler_for_language(std_json_input["language"]),
        version=version.removeprefix(VYPER).removeprefix("v"),
        fully_qualified_name=_fully_qualified_name(result, std_json_input, name),
        std_json_input=std_json_input,
        std_json_output=None,
    )


def _make_standard_input(
    result: JsonObject, source_code: str, contract_name: str, language: str
) -> JsonObject:
    if source_code.lstrip().startswith("{{"):
        inner = _parse_json_member(source_code.strip()[1:-1], "SourceCode")
        return {"settings": {}, **inner, "language": inner.get("language", language)}
    suffix = ".vy" if language == "Vyper" else ".sol"
    if source_code.lstrip().startswith("{"):
        files = _parse_json_member(source_code, "SourceCode")
        if isinstance(files.get("sources"), dict):
            return {"language": language, "settings": {}, **files}
        sources = {path: {"content": str(_source_text_of(value))} for path, value in files.items()}
    else:
        sources = {_main_source_path(result, contract_name + suffix): {"content": source_code}}
    for additional_source in map(as_object, as_list(result.get("AdditionalSources"))):
        sources[str(additional_source.get("Filename"))] = {
            "content": str(additional_source.get("SourceCode"))
        }
    return {"language": language, "sources": sources, "settings": _compiler_settings(result, language)}


def _main_source_path(result: JsonObject, default_path: str) -> str:
    path = str(result.get("ContractFileName") or result.get("FileName") or "")
    return path if PurePosixPath(path).suffix else default_path


def _source_text_of(value: Json) -> Json:
    return value.get("content") if isinstance(value, dict) else value


def _parse_json_member(json_text: str, member_name: str) -> JsonObject:
    try:
        value = orjson.loads(json_text)
    except orjson.JSONDecodeError as error:
        raise NotImportableError(f"{member_name} is not JSON: {error}") from None
    if not isinstance(value, dict):
        raise NotImportableError(f"{member_name} is not a JSON object")
    return value


def _compiler_settings(result: JsonObject, language: str) -> JsonObject:
    settings_value = result.get("CompilerSettings")
    if isinstance(settings_value, str) and settings_value:
        settings_value = _parse_json_member(settings_value, "CompilerSettings")
    if isinstance(settings_value, dict) and settings_value:
        return remove_members(settings_value, DERIVED_SETTINGS)
    version = str(result.get("EVMVersion") or "")
    settings: JsonObject = {} if version.lower() in DEFAULT else {"evmVersion": version}
    return settings if language == "Vyper" else {**settings, **_solc_settings_of_result(result)}


def remove_members(json_object: JsonObject, member_names: tuple[str, ...]) -> JsonObject:
    """Return a copy of a JSON object without some of its keys."""
    return {key: value for key, value in json_object.items() if key not in member_names}


def _solc_settings_of_result(result: JsonObject) -> JsonObject:
    runs = str(result.get("Runs") or result.get("OptimizationRuns") or "")
    optimizer = {
        "enabled": str(result.get("OptimizationUsed")).lower() in TRUE,
        "runs": int(runs) if runs.isdigit() else DEFAULT_RUNS,
    }
    libraries = dict(_parse_libraries(result))
    # Block explorers give a library's name without its file. In standard JSON, an empty path stands for any
    # file.
    return {"optimizer": optimizer} | ({"libraries": {"": libraries}} if libraries else {})


def _parse_libraries(result: JsonObject) -> list[tuple[str, str]]:
    """Parse the libraries that Etherscan or Blockscout states, with addresses."""
    libraries = [
        (str(library.get("name")), str(library.get("address_hash")))
        for library in map(as_object, as_list(result.get("ExternalLibraries")))
    ]
    for part in str(result.get("Library") or "").split(";"):
        name, _, address = part.rpartition(":")
        if name and address:
            libraries.append(
                (name.rpartition(":")[2], address if address.startswith("0x") else f"0x{address}")
            )
    return libraries


def _fully_qualified_name(result: JsonObject, std_json_input: JsonObject, contract_name: str) -> str:
    sources = as_object(std_json_input.get("sources"))
    if not sources:
        raise NotImportableError("the explorer's standard JSON has no sources")
    path, _, simple = contract_name.rpartition(":")
    for candidate in (path, _main_source_path(result, "")):
        if candidate in sources:
            return f"{candidate}:{simple}"
    if std_json_input["language"] == "Vyper":
        return _qualified_vyper_name(list(sources), simple)
    return f"{_find_declaring_source(sources, simple)}:{simple}"


def _find_declaring_source(sources: JsonObject, contract_name: str) -> str:
    pattern = re.compile(rf"\b(?:contract|library)\s+{re.escape(contract_name)}\b")
    declaring = [
        path
        for path, value in sources.items()
        if pattern.search(COMMENTS.sub("", str(_source_text_of(value))))
    ]
    if len(declaring) != 1:
        paths = ", ".join(declaring[:MAX_NAMES_SHOWN]) or "none"
        raise NotImportableError(
            f"it is unclear which source declares {contract_name or 'the contract'}: {paths}",
            "add the contract with `statuary contract add` and --contract PATH:NAME",
        )
    return declaring[0]


def _qualified_vyper_name(source_paths: list[str], contract_name: str) -> str:
    stems = [path for path in source_paths if PurePosixPath(path).stem == contract_name] or source_paths
    if len(stems) != 1:
        raise NotImportableError(
            f"it is unclear which source contains {contract_name}: {', '.join(stems[:MAX_NAMES_SHOWN])}"
        )
    return f"{stems[0]}:{PurePosixPath(stems[0]).stem}"


PAUSE: Final = 0.35
"""Seconds before each request: explorers allow three to five a second."""

BUSY: Final = "rate limit"
"""A part of the message, in a response with status 200, that there were too many requests."""

BUSY_PAUSES: Final = (2.0, 5.0, 15.0)
"""Seconds before each further attempt after too many requests."""


def read_explorer_api(
    url: str, web: WebSource, chain_id: ChainId, addresses: Sequence[Address], key: str
) -> ListedContracts:
    """Yield contracts from an explorer that has Etherscan's API.

    A contract is requested only when it is read.

    Args:
        url: the URL of the API, such as https://api.etherscan.io/v2/api or https://eth.blockscout.com/api .
        web: the HTTP client.
        chain_id: the chain, which requests to Etherscan and Routescan must name.
        addresses: the contracts to import, because an explorer cannot list its contracts.
        key: the API key; empty for none.

    Raises:
        NotImportableError: if no address is given, since an explorer does not list its contracts.
    """
    if not addresses:
        raise NotImportableError(
            "an explorer does not list its contracts", "add --address, or --addresses FILE"
        )
    api = _ExplorerApi(url, web, chain_id, key)
    for address in addresses:
        yield ListedContract(chain_id, address, address, partial(api.read_contract, address))


class _ExplorerApi:
    def __init__(self, url: str, web: WebSource, chain_id: ChainId, key: str) -> None:
        self.url, self.web, self.key = url, web, key
        self.fixed = {"chainid": chain_id, "module": "contract"}

    def read_contract(self, address: Address) -> SourceContract:
        compilation = parse_getsourcecode_result(self.call_api("getsourcecode", address=address))
        try:
            creation = self.call_api("getcontractcreation", contractaddresses=address)
        except NotImportableError:
            # The creation is unknown for a contract of the genesis block, which no transaction created, and
            # with an explorer that does not support this action.
            creation = None
        return SourceContract(compilation=compilation, on_chain=parse_getcontractcreation_result(creation))

    def call_api(self, action: str, **parameters: str) -> Json:
        secret = {"apikey": self.key} if self.key else {}
        url = f"{self.url}?{urlencode({**self.fixed, 'action': action, **parameters, **secret})}"
        for pause in (*BUSY_PAUSES, None):
            self.web.wait(PAUSE)
            try:
                response = self.web.fetch_json(url)
            except NotImportableError as error:
                raise NotImportableError(self._hide_api_key(str(error)), error.hint) from None
            except UnreachableError as error:
                raise UnreachableError(self._hide_api_key(url), error.reason, error.hint) from None
            try:
                return get_explorer_result(response)
            except NotImportableError as error:
                if pause is None or BUSY not in str(error).lower():
                    raise
                self.web.wait(pause)
        raise AssertionError("the last response, after which there is no pause, is returned or raises")

    def _hide_api_key(self, text: str) -> str:
        return text.replace(self.key, "…") if self.key else text


def get_explorer_result(response: Json) -> Json:
    """Return the field `result` of a block explorer's response.

    Raises:
        NotImportableError: if the response is an error, or not a response of Etherscan's API.
    """
    if not isinstance(response, dict) or "result" not in response:
        raise NotImportableError(
            "the response of the explorer has no member `result`, as Etherscan's API has",
            "write the URL of the API, which ends with /api",
        )
    result = response["result"]
    if str(response.get("status", "1")) != "1" or not isinstance(result, list):
        text = result if isinstance(result, str) and result else response.get("message")
        hint = "set ETHERSCAN_API_KEY to the key of this explorer" if "key" in str(text).lower() else ""
        raise NotImportableError(f"the explorer reports an error: {shorten(str(text), 120)}", hint)
    return result


def parse_getsourcecode_result(result: Json) -> ImportedCompilation:
    """Convert an explorer's response about sources to compiler input.

    Args:
        result: the member `result` of the response to `getsourcecode`.

    Raises:
        NotImportableError: if the explorer has no source of the contract, or the result is malformed.
    """
    try:
        return read_explorer_source(_first_result_object(result))
    except (KeyError, TypeError, AttributeError, ValueError) as error:
        raise NotImportableError(f"the explorer's source is malformed: {shorten(str(error), 120)}") from None


def parse_getcontractcreation_result(result: Json) -> OnChainContract:
    """Convert an explorer's response about a contract's creation.

    The result has the creation code, the transaction and the block.

    Args:
        result: the member `result` of the response to `getcontractcreation`; None if the explorer does not
            know the creation.
    """
    created = _first_result_object(result)
    return OnChainContract(
        creation=parse_any_hex(created.get("creationBytecode")),
        runtime=None,
        # Leave the deployer out, because the explorer may give the factory's address instead of the
        # transaction's sender.
        deployment=make_deployment(created.get("txHash"), created.get("blockNumber"), None, None),
        notes=(UNCHECKED_CREATION,) if created else (),
    )


def _first_result_object(result: Json) -> JsonObject:
    return next(map(as_object, as_list(result)), {})


def read_explorer_files(source: Path, chain_id: ChainId, addresses: Sequence[Address]) -> ListedContracts:
    """Yield the contracts in an explorer's responses that were saved to files.

    Args:
        source: a folder with `<address>.json` (`getsourcecode`) and optionally `<address>.creation.json`
            (`getcontractcreation`), or one file with a response of `getsourcecode`.
        chain_id: the chain of the contracts.
        addresses: the contract's address, for one file whose name is not the address.

    Raises:
        NotImportableError: if there is no such file.
    """
    files = [source]
    if source.is_dir():
        files = sorted(file for file in source.glob("*.json") if not file.name.endswith(".creation.json"))
    if not files:
        raise NotImportableError(f"{source} has no <address>.json", "save responses of getsourcecode there")
    for file in files:
        file_addresses = addresses if files == [source] else ()
        yield from yield_contracts_or_error(
            file, file.name, _list_saved_contract(file, chain_id, file_addresses)
        )


def _list_saved_contract(
    response_file: Path, chain_id: ChainId, addresses: Sequence[Address]
) -> ListedContracts:
    yield ListedContract(
        chain_id,
        _address_of_saved_file(response_file, addresses),
        response_file.name,
        partial(_read_saved_contract, response_file),
    )


def _address_of_saved_file(response_file: Path, addresses: Sequence[Address]) -> Address:
    if len(addresses) == 1:
        return addresses[0]
    try:
        return parse_address(response_file.stem.lower())
    except InvalidValueError:
        raise NotImportableError(
            f"the name of {response_file} is not an address",
            "rename the file to <address>.json, or add --address",
        ) from None


def _read_saved_contract(response_file: Path) -> SourceContract:
    creation_file = response_file.with_suffix(".creation.json")
    creation = get_explorer_result(read_json_file(creation_file)) if creation_file.is_file() else None
    compilation = parse_getsourcecode_result(get_explorer_result(read_json_file(response_file)))
    return SourceContract(compilation=compilation, on_chain=parse_getcontractcreation_result(creation))
