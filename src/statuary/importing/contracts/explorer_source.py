"""The result of an explorer's `getsourcecode`: Etherscan's members, and Blockscout's additional ones.

`SourceCode` is one file's text, a JSON object of files, or standard JSON input in one more pair of braces. Blockscout
gives the other files in `AdditionalSources` and the compiler's settings in `CompilerSettings`. Members:
https://docs.etherscan.io/api-reference/endpoint/getsourcecode and https://docs.blockscout.com/devs/apis/rpc/contract .
"""

import re
from pathlib import PurePosixPath
from typing import Any, Final

import orjson

from statuary.domain.json_values import Json
from statuary.importing.import_error import ContractImportError
from statuary.importing.imported_compilation import (
    MAX_NAMES_SHOWN,
    ImportedCompilation,
    compiler_for_language,
)

VYPER: Final = "vyper:"
"""What Etherscan writes before the version of Vyper."""

TRUE: Final = ("1", "true")
DEFAULT: Final = ("", "default", "none")
DEFAULT_RUNS: Final = 200
DERIVED_SETTINGS: Final = ("compilationTarget", "outputSelection")
COMMENTS: Final = re.compile(r"//[^\n]*|/\*.*?\*/", re.DOTALL)


def read_explorer_source(result: dict[str, Any]) -> ImportedCompilation:
    """Return the sources and settings in a result of `getsourcecode`; it is not compiled yet.

    Raises:
        ContractImportError: if the explorer has no source, or the contract is ambiguous.
    """
    code, name = str(result.get("SourceCode") or ""), str(result.get("ContractName") or "")
    if not code:
        raise ContractImportError(
            "the explorer has no source code of it", "verify the contract there, or import its project"
        )
    version = str(result.get("CompilerVersion") or "")
    is_vyper = version.startswith(VYPER) or result.get("CompilerType") == "vyper"
    std_json_input = _standard_input(result, code, name, "Vyper" if is_vyper else "Solidity")
    return ImportedCompilation(
        compiler=compiler_for_language(std_json_input["language"]),
        version=version.removeprefix(VYPER).removeprefix("v"),
        fully_qualified_name=_fully_qualified_name(result, std_json_input, name),
        std_json_input=std_json_input,
        std_json_output=None,
    )


def _standard_input(result: dict[str, Any], code: str, name: str, language: str) -> dict[str, Any]:
    if code.lstrip().startswith("{{"):
        inner = _json_object(code.strip()[1:-1], "SourceCode")
        return {"settings": {}, **inner, "language": inner.get("language", language)}
    suffix = ".vy" if language == "Vyper" else ".sol"
    if code.lstrip().startswith("{"):
        files = _json_object(code, "SourceCode")
        if isinstance(files.get("sources"), dict):
            return {"language": language, "settings": {}, **files}
        sources = {path: {"content": str(_content(value))} for path, value in files.items()}
    else:
        sources = {_main_path(result, name + suffix): {"content": code}}
    for other in result.get("AdditionalSources") or ():
        sources[str(other.get("Filename"))] = {"content": str(other.get("SourceCode"))}
    return {"language": language, "sources": sources, "settings": _settings(result, language)}


def _main_path(result: dict[str, Any], default: str) -> str:
    path = str(result.get("ContractFileName") or result.get("FileName") or "")
    return path if PurePosixPath(path).suffix else default


def _content(value: Json) -> Json:
    return value.get("content") if isinstance(value, dict) else value


def _json_object(text: str, member: str) -> dict[str, Any]:
    try:
        value = orjson.loads(text)
    except orjson.JSONDecodeError as error:
        raise ContractImportError(f"{member} is not JSON: {error}") from None
    if not isinstance(value, dict):
        raise ContractImportError(f"{member} is not a JSON object")
    return value


def _settings(result: dict[str, Any], language: str) -> dict[str, Any]:
    given = result.get("CompilerSettings")
    if isinstance(given, str) and given:
        given = _json_object(given, "CompilerSettings")
    if isinstance(given, dict) and given:
        return without(given, DERIVED_SETTINGS)
    version = str(result.get("EVMVersion") or "")
    settings: dict[str, Any] = {} if version.lower() in DEFAULT else {"evmVersion": version}
    return settings if language == "Vyper" else settings | _solc_settings(result)


def without(members: dict[str, Any], names: tuple[str, ...]) -> dict[str, Any]:
    """Return an object without some of its members."""
    return {key: value for key, value in members.items() if key not in names}


def _solc_settings(result: dict[str, Any]) -> dict[str, Any]:
    runs = str(result.get("Runs") or result.get("OptimizationRuns") or "")
    optimizer = {
        "enabled": str(result.get("OptimizationUsed")).lower() in TRUE,
        "runs": int(runs) if runs.isdigit() else DEFAULT_RUNS,
    }
    libraries = dict(_libraries(result))
    # the explorer does not name the file of a library: an empty path is any file
    return {"optimizer": optimizer} | ({"libraries": {"": libraries}} if libraries else {})


def _libraries(result: dict[str, Any]) -> list[tuple[str, str]]:
    """Return the names and addresses of libraries: `Name:0x…;…`, or Blockscout's list."""
    found = [
        (str(one.get("name")), str(one.get("address_hash"))) for one in result.get("ExternalLibraries") or ()
    ]
    for part in str(result.get("Library") or "").split(";"):
        name, _, address = part.rpartition(":")
        if name and address:
            found.append((name.rpartition(":")[2], address if address.startswith("0x") else f"0x{address}"))
    return found


def _fully_qualified_name(result: dict[str, Any], std_json_input: dict[str, Any], name: str) -> str:
    sources = std_json_input.get("sources")
    if not isinstance(sources, dict) or not sources:
        raise ContractImportError("the explorer's standard JSON has no sources")
    path, _, simple = name.rpartition(":")
    for one in (path, _main_path(result, "")):
        if one in sources:
            return f"{one}:{simple}"
    if std_json_input["language"] == "Vyper":
        return _vyper_name(list(sources), simple)
    return f"{_declaring_source(sources, simple)}:{simple}"


def _declaring_source(sources: dict[str, Json], name: str) -> str:
    pattern = re.compile(rf"\b(?:contract|library)\s+{re.escape(name)}\b")
    declaring = [
        path for path, value in sources.items() if pattern.search(COMMENTS.sub("", str(_content(value))))
    ]
    if len(declaring) != 1:
        shown = ", ".join(declaring[:MAX_NAMES_SHOWN]) or "none"
        raise ContractImportError(
            f"which source declares {name or 'the contract'} is unclear: {shown}",
            "add the contract with `statuary contract add` and --contract PATH:NAME",
        )
    return declaring[0]


def _vyper_name(paths: list[str], name: str) -> str:
    stems = [path for path in paths if PurePosixPath(path).stem == name] or paths
    if len(stems) != 1:
        raise ContractImportError(f"which source is {name} is unclear: {', '.join(stems[:MAX_NAMES_SHOWN])}")
    return f"{stems[0]}:{PurePosixPath(stems[0]).stem}"
