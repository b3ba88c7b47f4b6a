"""Standard JSON input and output of solc (Solidity, Yul) and Vyper.

https://docs.soliditylang.org/en/latest/using-the-compiler.html#input-description
https://docs.vyperlang.org/en/stable/compiling-a-contract.html#compiler-input-and-output-json-description
"""

from dataclasses import replace
from pathlib import Path

import orjson

from statuary.domain.contracts.compiler_version import build_version, is_same_build
from statuary.domain.json_values import Json
from statuary.importing.import_error import ContractImportError
from statuary.importing.imported_compilation import (
    ImportedCompilation,
    choose_contract,
    compiler_for_language,
    deployable_contracts,
)
from statuary.importing.input_files import read_json_file


def is_standard_json(value: dict[str, Json]) -> bool:
    """Return whether a JSON object is standard JSON input."""
    return isinstance(value.get("language"), str) and isinstance(value.get("sources"), dict)


def read_standard_json(
    std_json_input: dict[str, Json], output: Path | None, contract_name: str | None
) -> ImportedCompilation:
    """Return the compilation of one contract, its version still unknown.

    Raises:
        ContractImportError: if the contract is ambiguous.
    """
    std_json_output = None if output is None else read_json_file(output)
    return ImportedCompilation(
        compiler=compiler_for_language(std_json_input["language"]),
        version="",
        fully_qualified_name=_name_in_input(std_json_input, contract_name)
        if std_json_output is None
        else choose_contract(deployable_contracts(std_json_output), contract_name),
        std_json_input={"settings": {}, **std_json_input},
        std_json_output=std_json_output,
    )


def with_compiler_version(compilation: ImportedCompilation, version: str | None) -> ImportedCompilation:
    """Return a compilation with the compiler version of its output, or else the one of the command line.

    Raises:
        ContractImportError: if the two contradict each other.
    """
    in_output = compilation.version or version_in_output(compilation)
    if version and in_output and not is_same_build(version, in_output):
        raise ContractImportError(
            f"the compiler's output is from {in_output}, not {version}", "leave out --compiler-version"
        )
    longest = max(version or "", in_output, key=len)
    return replace(compilation, version=longest.removeprefix("v"))


def version_in_output(compilation: ImportedCompilation) -> str:
    """Return the version in solc's metadata, or in Vyper's output (without the commit); empty if unknown."""
    metadata = solc_metadata(compilation)
    if metadata is not None:
        compiler = metadata.get("compiler")
        return str(compiler.get("version", "")) if isinstance(compiler, dict) else ""
    vyper = (compilation.std_json_output or {}).get("compiler")
    return build_version(vyper) if isinstance(vyper, str) else ""


def solc_metadata(compilation: ImportedCompilation) -> dict[str, Json] | None:
    """Return the metadata of the contract in solc's output; None if it is missing or unreadable."""
    text = (compilation.artifact or {}).get("metadata")
    try:
        metadata = orjson.loads(text) if isinstance(text, str) and text else None
    except orjson.JSONDecodeError:
        return None
    return metadata if isinstance(metadata, dict) else None


def _name_in_input(std_json_input: dict[str, Json], contract_name: str | None) -> str:
    """Return the fully qualified name of a contract that is not compiled yet."""
    paths = list(std_json_input["sources"])
    if contract_name and ":" in contract_name and contract_name.rpartition(":")[0] in paths:
        return contract_name
    if std_json_input["language"] == "Vyper" and (len(paths) == 1 or contract_name):
        # a Vyper file is one contract
        return choose_contract((f"{path}:{Path(path).stem}" for path in paths), contract_name)
    raise ContractImportError(
        "the contract is unclear without the compiler's output",
        f"add --contract PATH:NAME; PATH is one of {', '.join(paths[:5])}{' …' if len(paths) > 5 else ''}",
    )
