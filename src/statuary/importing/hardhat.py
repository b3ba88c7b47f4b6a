"""What Hardhat writes into `artifacts`: build-infos, and artifacts that lead to them.

Hardhat 2 keeps a compilation's input and output in one file (`hh-sol-build-info-1`), to which the `.dbg.json`
beside each artifact leads. Hardhat 3 keeps them in two (`hh3-sol-build-info-1`, and beside it `<id>.output.json`),
and its artifacts name the id. Both write the compiler's words unchanged; which parts of the output there are
is up to the project's `outputSelection`. Shapes: hardhat's `types/artifacts.ts` (2.29) and
`types/solidity/solidity-artifacts.ts` (3.18), and the files that both wrote for tests/importing.
"""

from pathlib import Path

from statuary.domain.json_values import Json
from statuary.importing.import_error import ContractImportError
from statuary.importing.imported_compilation import (
    ImportedCompilation,
    choose_contract,
    compiler_for_language,
    deployable_contracts,
)
from statuary.importing.input_files import read_json_file

BUILD_INFO = "hh-sol-build-info-1"
DEBUG_FILE = "hh-sol-dbg-1"
ARTIFACT = "hh-sol-artifact-1"
BUILD_INFO_3 = "hh3-sol-build-info-1"
BUILD_INFO_OUTPUT_3 = "hh3-sol-build-info-output-1"
ARTIFACT_3 = "hh3-artifact-1"

FORMATS = (BUILD_INFO, DEBUG_FILE, ARTIFACT, BUILD_INFO_3, BUILD_INFO_OUTPUT_3, ARTIFACT_3)


def is_hardhat_file(value: dict[str, Json]) -> bool:
    """Say whether a JSON object is a file of Hardhat's that leads to a compilation."""
    return value.get("_format") in FORMATS


def read_hardhat(file: Path, value: dict[str, Json], wanted: str | None) -> ImportedCompilation:
    """Return the compilation of one contract.

    Args:
        file: a file of Hardhat's.
        value: what it holds.
        wanted: the contract's name, fully qualified or not; an artifact is of one contract.

    Raises:
        CannotImport: if files are missing, or the contract cannot be told.
    """
    try:
        if value["_format"] == ARTIFACT_3:
            build_info = _build_info_above(file, value["buildInfoId"])
            return _of_version_3(build_info, read_json_file(build_info), _name(value, "inputSourceName"))
        if value["_format"] == ARTIFACT:
            build_info = _build_info_of(file.with_suffix(".dbg.json"))
            return _of_version_2(build_info, read_json_file(build_info), _name(value, "sourceName"))
        if value["_format"] == DEBUG_FILE:
            artifact = file.with_suffix("").with_suffix(".json")
            return read_hardhat(artifact, read_json_file(artifact), wanted)
        if value["_format"] == BUILD_INFO:
            return _of_version_2(file, value, wanted)
        if value["_format"] == BUILD_INFO_OUTPUT_3:
            build_info = file.with_suffix("").with_suffix(".json")
            return _of_version_3(build_info, read_json_file(build_info), wanted)
        return _of_version_3(file, value, wanted)
    except (KeyError, TypeError, AttributeError, ValueError) as error:
        raise ContractImportError(
            f"{file} lacks what Hardhat writes: {error}", "compile the project again"
        ) from None


def _of_version_2(file: Path, build_info: dict[str, Json], wanted: str | None) -> ImportedCompilation:
    if build_info.get("_format") != BUILD_INFO:
        raise ContractImportError(f"{file} is no build-info of Hardhat 2")
    return _compilation(build_info, build_info["output"], wanted, {})


def _of_version_3(file: Path, build_info: dict[str, Json], wanted: str | None) -> ImportedCompilation:
    if build_info.get("_format") != BUILD_INFO_3:
        raise ContractImportError(f"{file} is no build-info of Hardhat 3")
    output = read_json_file(file.with_suffix(".output.json"))
    return _compilation(build_info, output["output"], wanted, build_info.get("userSourceNameMap") or {})


def _compilation(
    build_info: dict[str, Json], output: Json, wanted: str | None, user_names: dict[str, str]
) -> ImportedCompilation:
    # people know a source by its path in the project, Hardhat 3's compiler by another
    path, colon, name = (wanted or "").rpartition(":")
    meant = f"{user_names.get(path, path)}{colon}{name}" if wanted else None
    return ImportedCompilation(
        compiler=compiler_for_language(build_info["input"]["language"]),
        version=build_info["solcLongVersion"].removeprefix("v"),
        fully_qualified_name=choose_contract(deployable_contracts(output), meant),
        std_json_input=build_info["input"],
        std_json_output=output,
    )


def _name(artifact: dict[str, Json], source: str) -> str:
    return f"{artifact[source]}:{artifact['contractName']}"


def _build_info_of(debug_file: Path) -> Path:
    """Return the build-info that an artifact's `.dbg.json` leads to."""
    build_info: str = read_json_file(debug_file)["buildInfo"]
    return debug_file.parent / build_info


def _build_info_above(artifact: Path, build_id: str) -> Path:
    """Return the build-info of an id, from the artifacts folder that an artifact lies in."""
    folders = artifact.resolve().parents
    found = next((folder / "build-info" for folder in folders if (folder / "build-info").is_dir()), None)
    if found is None or "/" in build_id or "\\" in build_id:
        raise ContractImportError(
            f"there is no build-info folder above {artifact}", "name the build-info file itself"
        )
    return found / f"{build_id}.json"
