"""Read the artifacts of Hardhat, and detect the tool of a file.

Hardhat 2 has input and output in one file (`hh-sol-build-info-1`), which the `.dbg.json` beside each artifact
names. Hardhat 3 has two files (`hh3-sol-build-info-1` and `<id>.output.json`), and its artifacts name the id.
Both copy the compiler's JSON unchanged; the project's `outputSelection` decides which outputs there are.
Formats: hardhat's `types/artifacts.ts` (2.29) and `types/solidity/solidity-artifacts.ts` (3.18), and the
files in tests/extensions/importing.
"""

from collections.abc import Callable
from pathlib import Path
from typing import Final

from statuary.base.json_values import Json, JsonObject, as_object
from statuary.extensions.importing.report import NotImportableError
from statuary.extensions.importing.sources import (
    find_folder_above,
    is_file,
    read_json_file,
    required_object,
    required_string,
)
from statuary.extensions.importing.toolchains.compilation import (
    ImportedCompilation,
    add_compiler_version,
    choose_contract_name,
    get_compiler_for_language,
    is_standard_json,
    iter_deployable_contracts,
    read_standard_json,
)
from statuary.extensions.importing.toolchains.foundry import is_foundry_file, read_foundry

BUILD_INFO = "hh-sol-build-info-1"
DEBUG_FILE = "hh-sol-dbg-1"
ARTIFACT = "hh-sol-artifact-1"
BUILD_INFO_3 = "hh3-sol-build-info-1"
BUILD_INFO_OUTPUT_3 = "hh3-sol-build-info-output-1"
ARTIFACT_3 = "hh3-artifact-1"


def is_hardhat_file(file_object: dict[str, Json]) -> bool:
    """Return whether Hardhat wrote a JSON file, according to `_format`."""
    return str(file_object.get("_format")) in READERS


def read_hardhat(file: Path, file_object: dict[str, Json], contract_name: str | None) -> ImportedCompilation:
    """Read a contract's compilation from a Hardhat file.

    Args:
        file: an artifact, a `.dbg.json`, or a build-info.
        file_object: the JSON object in the file.
        contract_name: a name with or without its path; ignored for an artifact, which has one contract.

    Raises:
        NotImportableError: if a file is missing, or several contracts match.
    """
    try:
        return READERS[required_string(file_object, "_format")](file, file_object, contract_name)
    except (KeyError, TypeError, AttributeError, ValueError) as error:
        raise NotImportableError(
            f"{file} is not a complete Hardhat file: {error}", "compile the project again"
        ) from None


def has_build_info(file: Path, artifact: JsonObject) -> bool:
    """Return whether the compiler input for an artifact exists as a file.

    Hardhat writes the input to a second file, the build-info, in another folder.

    Args:
        file: the artifact.
        artifact: the JSON object in the file. For an artifact of another tool, the result is always True.
    """
    if artifact.get("_format") == ARTIFACT:
        debug_file = file.with_suffix(".dbg.json")
        if not is_file(debug_file):
            return False
        return is_file(file.parent / required_string(read_json_file(debug_file), "buildInfo"))
    if artifact.get("_format") == ARTIFACT_3:
        folder = find_folder_above(file, "build-info")
        return folder is not None and is_file(folder / f"{artifact.get('buildInfoId')}.json")
    return True


def get_artifact_contract_name(artifact: JsonObject) -> str:
    """Return the name of the contract in a Hardhat artifact, as `path:Name`."""
    return _qualified_artifact_name(
        artifact, "inputSourceName" if artifact.get("_format") == ARTIFACT_3 else "sourceName"
    )


def _read_hardhat_2_artifact(file: Path, artifact: dict[str, Json], _: str | None) -> ImportedCompilation:
    debug_file = file.with_suffix(".dbg.json")
    path = debug_file.parent / required_string(read_json_file(debug_file), "buildInfo")
    return _read_hardhat_2_build_info(
        path, read_json_file(path), _qualified_artifact_name(artifact, "sourceName")
    )


def _read_hardhat_2_debug_file(
    file: Path, _: dict[str, Json], contract_name: str | None
) -> ImportedCompilation:
    artifact = file.with_suffix("").with_suffix(".json")
    return read_hardhat(artifact, read_json_file(artifact), contract_name)


def _read_hardhat_3_artifact(file: Path, artifact: dict[str, Json], _: str | None) -> ImportedCompilation:
    folder = find_folder_above(file, "build-info")
    build_id = required_string(artifact, "buildInfoId")
    if folder is None or "/" in build_id or "\\" in build_id:
        raise NotImportableError(
            f"there is no build-info folder above {file}",
            "name the build-info file itself, from artifacts/build-info/",
        )
    path = folder / f"{build_id}.json"
    return _read_hardhat_3_build_info(
        path, read_json_file(path), _qualified_artifact_name(artifact, "inputSourceName")
    )


def _read_hardhat_3_output(file: Path, _: dict[str, Json], contract_name: str | None) -> ImportedCompilation:
    build_info = file.with_suffix("").with_suffix(".json")
    return _read_hardhat_3_build_info(build_info, read_json_file(build_info), contract_name)


def _read_hardhat_2_build_info(
    file: Path, build_info: dict[str, Json], contract_name: str | None
) -> ImportedCompilation:
    if build_info.get("_format") != BUILD_INFO:
        raise NotImportableError(f"{file} is not a build-info of Hardhat 2")
    return _make_compilation(build_info, required_object(build_info, "output"), contract_name, {})


def _read_hardhat_3_build_info(
    file: Path, build_info: dict[str, Json], contract_name: str | None
) -> ImportedCompilation:
    if build_info.get("_format") != BUILD_INFO_3:
        raise NotImportableError(f"{file} is not a build-info of Hardhat 3")
    output_file = _find_hardhat_3_output(file)
    output = None if output_file is None else required_object(read_json_file(output_file), "output")
    return _make_compilation(
        build_info, output, contract_name, as_object(build_info.get("userSourceNameMap"))
    )


def _find_hardhat_3_output(build_info: Path) -> Path | None:
    """Find the file with the compiler's output of a Hardhat 3 build.

    The file is beside the build-info or, since Ignition copies build-infos without it, in the project's
    artifacts.

    Returns:
        The file, or None.
    """
    output_file = build_info.with_suffix(".output.json")
    artifacts = find_folder_above(build_info.parent, "artifacts/build-info")
    elsewhere = [] if artifacts is None else [artifacts / output_file.name]
    return next((file for file in (output_file, *elsewhere) if file.is_file()), None)


def _make_compilation(
    build_info: dict[str, Json],
    output: JsonObject | None,
    contract_name: str | None,
    compiler_paths: JsonObject,
) -> ImportedCompilation:
    # Hardhat 3 gives the compiler the path `project/contracts/A.sol` for the file `contracts/A.sol`.
    # Translate the path in the contract's name in the same way.
    path, colon, name = (contract_name or "").rpartition(":")
    compiled_name = f"{compiler_paths.get(path, path)}{colon}{name}" if contract_name else None
    # The list of contracts is in the compiler's output. Without the output, take the contract that the
    # artifact names.
    names = (
        [compiled_name] if output is None and path and compiled_name else iter_deployable_contracts(output)
    )
    std_json_input = required_object(build_info, "input")
    return ImportedCompilation(
        compiler=get_compiler_for_language(std_json_input["language"]),
        version=required_string(build_info, "solcLongVersion").removeprefix("v"),
        fully_qualified_name=choose_contract_name(names, compiled_name),
        std_json_input=std_json_input,
        std_json_output=output,
    )


def _qualified_artifact_name(artifact: JsonObject, source: str) -> str:
    return f"{artifact[source]}:{artifact['contractName']}"


READERS: Final[dict[str, Callable[[Path, dict[str, Json], str | None], ImportedCompilation]]] = {
    ARTIFACT: _read_hardhat_2_artifact,
    DEBUG_FILE: _read_hardhat_2_debug_file,
    BUILD_INFO: _read_hardhat_2_build_info,
    ARTIFACT_3: _read_hardhat_3_artifact,
    BUILD_INFO_3: _read_hardhat_3_build_info,
    BUILD_INFO_OUTPUT_3: _read_hardhat_3_output,
}


def read_compilation(
    file: Path,
    *,
    output_file: Path | None = None,
    contract_name: str | None = None,
    compiler_version: str | None = None,
    project: Path | None = None,
) -> ImportedCompilation:
    """Read how a contract was compiled, from a file of any tool.

    Args:
        file: standard JSON input, or a file that Hardhat or Foundry wrote.
        output_file: the file with the compiler's output, for standard JSON input.
        contract_name: a name with or without its path; None to choose the only contract.
        compiler_version: the compiler version from the command line.
        project: the folder of a Foundry project; None to use the nearest one above the file.

    Raises:
        NotImportableError: if the format is unknown, or a file that it refers to is missing.
    """
    value = read_json_file(file)
    if is_standard_json(value):
        compilation = read_standard_json(value, output_file, contract_name)
    elif output_file is not None:
        raise NotImportableError(
            "--output is only for standard JSON input", f"leave out --output: {file} has another format"
        )
    elif is_hardhat_file(value):
        compilation = read_hardhat(file, value, contract_name)
    elif is_foundry_file(value):
        compilation = read_foundry(file, value, contract_name, project)
    else:
        raise NotImportableError(
            f"{file} has an unknown format",
            "give standard JSON input of a compiler, or an artifact or build-info of Hardhat or Foundry",
        )
    return add_compiler_version(compilation, compiler_version)
