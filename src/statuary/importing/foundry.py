"""What Foundry writes into `out`: an artifact for each contract, and build-infos.

An artifact (`out/<File>.sol/<Name>.json`) holds bytecode, source maps and solc's metadata as text, but no sources:
they are read from the project's folder and held against the hashes in the metadata, which also says the settings.
Which files were compiled together, and under which numbers, is in the small build-info that every build
writes; those numbers, and the ids of syntax trees in immutableReferences, depend on it.

`forge build --build-info` writes whole build-infos (`ethers-rs-sol-build-info-1`), input and output in one. Foundry
reads the compiler's answer into its own types and writes them anew, so ABI and docs have lost the compiler's
order: they are taken from the metadata, which is text. Shapes: foundry-compilers' `ConfigurableContractArtifact`
and `BuildInfo`, and the files that forge 1.7.1 wrote for tests/importing.
"""

from collections.abc import Iterator
from pathlib import Path
from typing import Final

import orjson

from statuary.domain.contracts.compiler_version import CompilerVersion, parse_compiler_version
from statuary.domain.json_values import Json
from statuary.domain.primitives import keccak256
from statuary.importing.import_error import ContractImportError
from statuary.importing.imported_compilation import ImportedCompilation, choose_contract, deployable_contracts
from statuary.importing.input_files import read_json_file, read_source_bytes

BUILD_INFO: Final = "ethers-rs-sol-build-info-1"

METADATA_OUTPUTS = ("abi", "devdoc", "userdoc")
"""What the metadata repeats of the compiler's output, in the compiler's own order."""

INPUT_MEMBERS = ("language", "sources", "settings")
"""What is solc's in a build-info's input; Foundry adds its version, and folders of the machine that it ran on."""

EXTRA_OUTPUTS = ("storageLayout", "transientStorageLayout")
"""What `--extra-output` adds to an artifact."""

INLINER_SETTING_SINCE = CompilerVersion(0, 8, 5)
"""solc 0.8.2 to 0.8.4 write the optimizer's `inliner` into metadata, and refuse to be told it."""


def is_foundry_file(value: dict[str, Json]) -> bool:
    """Say whether a JSON object is an artifact or build-info of Foundry's."""
    is_artifact = isinstance(value.get("bytecode"), dict) and "methodIdentifiers" in value
    return is_artifact or value.get("_format") == BUILD_INFO or "source_id_to_path" in value


def read_foundry(
    file: Path, value: dict[str, Json], wanted: str | None, project: Path | None
) -> ImportedCompilation:
    """Return the compilation of one contract.

    Args:
        file: an artifact or a whole build-info.
        value: what it holds.
        wanted: the contract's name, fully qualified or not; an artifact is of one contract.
        project: the folder that `foundry.toml` lies in; None to look for it above the file.

    Raises:
        CannotImport: if sources are missing or are not those that were compiled, or the contract cannot be told.
    """
    try:
        if value.get("_format") == BUILD_INFO:
            return _of_build_info(value, wanted)
        if "bytecode" not in value:
            raise ContractImportError(
                f"{file} is only a list of sources, as forge writes it by default",
                "name an artifact (out/<File>.sol/<Name>.json), or run `forge build --force --build-info`",
            )
        return _of_artifact(file, value, project or _project_above(file))
    except (KeyError, TypeError, AttributeError, ValueError) as error:
        raise ContractImportError(
            f"{file} lacks what Foundry writes: {error}", "run `forge build --force`"
        ) from None


def _of_build_info(build_info: dict[str, Json], wanted: str | None) -> ImportedCompilation:
    output = build_info["output"]
    name = choose_contract(deployable_contracts(output), wanted)
    path, _, contract = name.rpartition(":")
    artifact = output["contracts"][path][contract]
    metadata = _metadata(artifact.get("metadata"))
    return ImportedCompilation(
        compiler="solc",
        version=metadata["compiler"]["version"],
        fully_qualified_name=name,
        std_json_input={member: build_info["input"][member] for member in INPUT_MEMBERS},
        std_json_output={
            "contracts": {path: {contract: {**artifact, **_from_metadata(metadata)}}},
            "sources": output["sources"],
        },
    )


def _of_artifact(file: Path, artifact: dict[str, Json], project: Path) -> ImportedCompilation:
    text = artifact.get("rawMetadata")
    metadata = _metadata(text)
    ((path, contract),) = metadata["settings"]["compilationTarget"].items()
    version = metadata["compiler"]["version"]
    numbers = _numbers(file, artifact, project, path)
    paths = {*metadata["sources"], *(numbers or {})}
    notes = () if numbers else ("forge's build-info is not there: sourceIds are not known",)
    return ImportedCompilation(
        compiler="solc",
        version=version,
        fully_qualified_name=f"{path}:{contract}",
        std_json_input={
            "language": metadata["language"],
            "sources": dict(_sources(sorted(paths), metadata["sources"], project)),
            "settings": _settings(metadata["settings"], version),
        },
        std_json_output={
            "contracts": {path: {contract: _output(artifact, text, metadata)}},
            **(
                {"sources": {source: {"id": number} for source, number in numbers.items()}} if numbers else {}
            ),
        },
        notes=notes,
    )


def _metadata(text: Json) -> dict[str, Json]:
    if not isinstance(text, str) or not text:
        raise ContractImportError(
            "the artifact has no metadata of solc's, so its sources and settings are not known",
            "build with Foundry's default outputs; for Vyper, give the compiler's standard JSON",
        )
    metadata: dict[str, Json] = orjson.loads(text)
    return metadata


def _from_metadata(metadata: dict[str, Json]) -> dict[str, Json]:
    return {member: metadata["output"][member] for member in METADATA_OUTPUTS if member in metadata["output"]}


def _output(artifact: dict[str, Json], text: Json, metadata: dict[str, Json]) -> dict[str, Json]:
    """Return an artifact as solc's own output would have it."""
    return {
        **_from_metadata(metadata),
        **{member: artifact[member] for member in EXTRA_OUTPUTS if artifact.get(member) is not None},
        "metadata": text,
        "evm": {"bytecode": artifact["bytecode"], "deployedBytecode": artifact["deployedBytecode"]},
    }


def _settings(settings: dict[str, Json], version: str) -> dict[str, Json]:
    """Return the settings of standard JSON from those of metadata, which differ in form."""
    given = {key: item for key, item in settings.items() if key != "compilationTarget"}
    given["libraries"] = {}
    for name, address in settings.get("libraries", {}).items():
        path, _, library = name.rpartition(":")
        given["libraries"].setdefault(path, {})[library] = address
    details = given.get("optimizer", {}).get("details")
    if details and parse_compiler_version(version) < INLINER_SETTING_SINCE:
        kept = {key: item for key, item in details.items() if key != "inliner"}
        given["optimizer"] = {**given["optimizer"], "details": kept}
    return given


def _sources(paths: list[str], hashes: dict[str, Json], project: Path) -> Iterator[tuple[str, Json]]:
    """Yield the sources from the project's folder, those that the metadata names held against its hashes.

    Those that were merely compiled along, on which only numbers depend, have no hash to be held against.
    """
    for path in paths:
        file = project / path
        if not file.is_file() and path not in hashes:
            continue
        raw = read_source_bytes(file)
        expected = hashes.get(path, {}).get("keccak256")
        if expected is not None and expected != f"0x{keccak256(raw).hex()}":
            raise ContractImportError(
                f"{file} is not the source that was compiled: its Keccak-256 is not {expected}",
                "check out the revision that was deployed, or run `forge build --force`",
            )
        yield path, {"content": _decoded(raw, file)}


def _decoded(raw: bytes, file: Path) -> str:
    try:
        return raw.decode("utf-8")
    except UnicodeDecodeError:
        raise ContractImportError(f"{file} is not UTF-8") from None


def _numbers(file: Path, artifact: dict[str, Json], project: Path, path: str) -> dict[str, int] | None:
    """Return the numbers of the sources that were compiled together with an artifact's, None if they are not known.

    Forge's cache says which build an artifact is of; without it, the one whose numbers agree with the artifact's.
    """
    folder = next(
        (above / "build-info" for above in file.resolve().parents if (above / "build-info").is_dir()), None
    )
    if folder is None:
        return None
    builds = sorted(folder.glob("*.json"))
    of_cache = _build_in_cache(project, file, path)
    fitting = []
    for build in builds:
        listed = read_json_file(build).get("source_id_to_path")
        if isinstance(listed, dict) and listed.get(str(artifact.get("id"))) == path:
            numbers = {source: int(number) for number, source in listed.items()}
            if build.stem == of_cache:
                return numbers
            fitting.append(numbers)
    if len(fitting) > 1:
        raise ContractImportError(
            f"{len(fitting)} builds in {folder} could be the one of {file}", "run `forge build --force`"
        )
    return fitting[0] if fitting else None


def _build_in_cache(project: Path, file: Path, path: str) -> str | None:
    """Return the id of the build that an artifact is of, as forge's cache has it."""
    cache = project / "cache" / "solidity-files-cache.json"
    if not cache.is_file():
        return None
    artifacts = read_json_file(cache).get("files", {}).get(path, {}).get("artifacts", {})
    for versions in artifacts.values():
        for profiles in versions.values():
            for one in profiles.values():
                if file.resolve().as_posix().endswith("/" + one["path"]):
                    return str(one["build_id"])
    return None


def _project_above(file: Path) -> Path:
    """Return the folder that holds `foundry.toml`."""
    found = next((above for above in file.resolve().parents if (above / "foundry.toml").is_file()), None)
    if found is None:
        raise ContractImportError(
            f"there is no foundry.toml above {file}, so its sources are not found",
            "give the project's folder with --project",
        )
    return found
