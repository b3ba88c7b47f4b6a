"""A compiler's own standard JSON, input and output, of solc (Solidity, Yul) and Vyper.

https://docs.soliditylang.org/en/latest/using-the-compiler.html#input-description
https://docs.vyperlang.org/en/stable/compiling-a-contract.html#compiler-input-and-output-json-description
"""

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
    """Say whether a JSON object is a compiler's standard JSON input."""
    return isinstance(value.get("language"), str) and isinstance(value.get("sources"), dict)


def read_standard_json(
    std_json_input: dict[str, Json], output: Path | None, wanted: str | None, version: str | None
) -> ImportedCompilation:
    """Return the compilation of one contract.

    Args:
        std_json_input: the input.
        output: the file with the output for it; None to compile it later.
        wanted: the contract's name, fully qualified or not.
        version: the compiler's version, where a person gives it.

    Raises:
        CannotImport: if the contract or the version cannot be told.
    """
    compiler = compiler_for_language(std_json_input["language"])
    given = {"settings": {}, **std_json_input}
    if output is None:
        return ImportedCompilation(
            compiler=compiler,
            version=version or "",
            fully_qualified_name=_named(std_json_input, wanted),
            std_json_input=given,
            std_json_output=None,
        )
    std_json_output = read_json_file(output)
    name = choose_contract(deployable_contracts(std_json_output), wanted)
    compilation = ImportedCompilation(
        compiler=compiler,
        version="",
        fully_qualified_name=name,
        std_json_input=given,
        std_json_output=std_json_output,
    )
    return with_version(compilation, version)


def with_version(compilation: ImportedCompilation, given: str | None) -> ImportedCompilation:
    """Return a compilation with its compiler's version: what its output says, else what a person gives.

    Raises:
        CannotImport: if the two contradict each other.
    """
    told = compilation.version or version_in_output(compilation)
    if given and told and not is_same_build(given, told):
        raise ContractImportError(
            f"the compiler's output is of {told}, not of {given}", "leave out --compiler-version"
        )
    longest = max(given or "", told, key=len)
    return ImportedCompilation(
        compiler=compilation.compiler,
        version=longest.removeprefix("v"),
        fully_qualified_name=compilation.fully_qualified_name,
        std_json_input=compilation.std_json_input,
        std_json_output=compilation.std_json_output,
        notes=compilation.notes,
    )


def version_in_output(compilation: ImportedCompilation) -> str:
    """Return the version that an output tells: solc's metadata does, Vyper's output without the commit."""
    metadata = solc_metadata(compilation)
    if metadata is not None:
        compiler = metadata.get("compiler")
        return str(compiler.get("version", "")) if isinstance(compiler, dict) else ""
    named = (compilation.std_json_output or {}).get("compiler")
    return build_version(named) if isinstance(named, str) else ""


def solc_metadata(compilation: ImportedCompilation) -> dict[str, Json] | None:
    """Return the metadata that solc wrote for the contract; None if the output has none, or it cannot be read."""
    text = (compilation.artifact or {}).get("metadata")
    try:
        metadata = orjson.loads(text) if isinstance(text, str) and text else None
    except orjson.JSONDecodeError:
        return None
    return metadata if isinstance(metadata, dict) else None


def _named(std_json_input: dict[str, Json], wanted: str | None) -> str:
    """Return the fully qualified name of a contract that no output lists."""
    paths = list(std_json_input["sources"])
    if wanted and ":" in wanted and wanted.rpartition(":")[0] in paths:
        return wanted
    if std_json_input["language"] == "Vyper" and (len(paths) == 1 or wanted):
        # a Vyper contract is its file
        return choose_contract((f"{path}:{Path(path).stem}" for path in paths), wanted)
    raise ContractImportError(
        "the compiler's output, which would list its contracts, is not given",
        f"write --contract PATH:NAME with a PATH of {', '.join(paths[:5])}{' …' if len(paths) > 5 else ''}",
    )
