"""Read the artifacts and build-infos of Foundry.

An artifact (`out/<File>.sol/<Name>.json`) has bytecode, source maps and solc's metadata as text, but no
sources: these are read from the project and checked against the hashes in the metadata, which also has the
settings. The small build-info of every build lists the files that were compiled together, with their numbers;
source ids and the ids in immutableReferences depend on them.

`forge build --build-info` writes full build-infos (`ethers-rs-sol-build-info-1`) with input and output.
Foundry parses and rewrites the compiler's JSON, so the ABI and the documentation lose the compiler's order:
they are taken from the metadata. Formats: `ConfigurableContractArtifact` and `BuildInfo` of
foundry-compilers, and the files that forge 1.7.1 wrote in tests/extensions/importing.
"""

import os
import tomllib
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Final, NamedTuple

import orjson

from statuary.base.json_values import Json, JsonObject, as_object, as_text
from statuary.base.primitives import keccak256
from statuary.contracts.model.compiler import CompilerVersion, parse_compiler_version
from statuary.extensions.importing.report import NotImportableError
from statuary.extensions.importing.sources import (
    decode_source_text,
    find_folder_above,
    read_file_bytes,
    read_json_file,
    read_text_file,
    required_object,
    required_string,
)
from statuary.extensions.importing.toolchains.compilation import (
    ImportedCompilation,
    choose_contract_name,
    get_compiler_for_language,
    iter_deployable_contracts,
)

BUILD_INFO: Final = "ethers-rs-sol-build-info-1"

METADATA_OUTPUTS = ("abi", "devdoc", "userdoc")
"""The outputs that the metadata repeats, in the compiler's own order."""

INPUT_MEMBERS = ("language", "sources", "settings")
"""The members of standard JSON input; Foundry adds others, such as its version and local folders."""

EXTRA_OUTPUTS = ("storageLayout", "transientStorageLayout")
"""The outputs that `--extra-output` adds to an artifact."""

INLINER_SETTING_SINCE = CompilerVersion(0, 8, 5)
"""solc 0.8.2 to 0.8.4 write the optimizer's `inliner` into metadata, but reject it as input."""


def is_foundry_file(file_object: dict[str, Json]) -> bool:
    """Return whether a JSON object is a Foundry artifact or build-info file."""
    is_artifact = isinstance(file_object.get("bytecode"), dict) and "methodIdentifiers" in file_object
    return is_artifact or file_object.get("_format") == BUILD_INFO or "source_id_to_path" in file_object


def read_foundry(
    file: Path, file_object: dict[str, Json], contract_name: str | None, project: Path | None
) -> ImportedCompilation:
    """Read a contract's compilation from a Foundry artifact or build-info.

    Args:
        file: the artifact or full build-info.
        file_object: the JSON object in the file.
        contract_name: a name with or without its path; ignored for an artifact, which has one contract.
        project: the folder with `foundry.toml`; None for the nearest one above the file.

    Raises:
        NotImportableError: if sources are missing or have changed, or several contracts match.
    """
    try:
        if file_object.get("_format") == BUILD_INFO:
            return _read_build_info(file_object, contract_name)
        if "bytecode" not in file_object:
            raise NotImportableError(
                f"{file} is only a list of sources, which forge writes by default",
                "give an artifact (out/<File>.sol/<Name>.json), or run `forge build --force --build-info`",
            )
        return _read_artifact(file, file_object, project or _find_project_above(file))
    except (KeyError, TypeError, AttributeError, ValueError) as error:
        raise NotImportableError(
            f"{file} is not a complete Foundry file: {error}", "run `forge build --force`"
        ) from None


def _read_build_info(build_info: dict[str, Json], contract_name: str | None) -> ImportedCompilation:
    output = required_object(build_info, "output")
    std_json_input = required_object(build_info, "input")
    name = choose_contract_name(iter_deployable_contracts(output), contract_name)
    path, _, contract = name.rpartition(":")
    artifact = required_object(output, "contracts", path, contract)
    metadata = _parse_metadata_string(artifact.get("metadata"))
    metadata_sources = required_object(metadata, "sources")
    paths = required_object(output, "sources")
    numbers = {path: int(str(required_object(output, "sources", path)["id"])) for path in paths}
    return ImportedCompilation(
        compiler="solc",
        version=required_string(metadata, "compiler", "version"),
        fully_qualified_name=name,
        std_json_input={
            **{member: std_json_input[member] for member in INPUT_MEMBERS},
            "sources": {
                path: source
                for path, source in required_object(std_json_input, "sources").items()
                if path in metadata_sources
            },
        },
        std_json_output={
            "contracts": {
                path: {
                    contract: {
                        **artifact,
                        **_input_from_metadata(metadata),
                        "evm": {
                            **required_object(artifact, "evm"),
                            **_renumber_source_maps(
                                required_object(artifact, "evm"), numbers, metadata_sources
                            ),
                        },
                    }
                }
            },
            "sources": _solc_source_numbers(metadata_sources),
        },
    )


def _solc_source_numbers(metadata_sources: JsonObject) -> JsonObject:
    """Number the sources in metadata in alphabetical order, as solc does."""
    return {path: {"id": number} for number, path in enumerate(sorted(metadata_sources))}


BYTECODES = ("bytecode", "deployedBytecode")


def _renumber_source_maps(
    evm: JsonObject, numbers: Mapping[str, int], metadata_sources: JsonObject
) -> JsonObject:
    """Renumber source maps, as if only the sources in metadata were compiled.

    A source map assigns bytecode to sources, which it names by number.

    Args:
        evm: the compiler's output with the bytecode and its source maps.
        numbers: the numbers of all sources that were compiled together; the next number is that of solc's own
            routines.
        metadata_sources: the sources that the metadata names.
    """
    new = {numbers[path]: number for number, path in enumerate(sorted(metadata_sources)) if path in numbers}
    new[len(numbers)] = len(metadata_sources)
    return {
        name: {
            **required_object(evm, name),
            "sourceMap": _renumber_source_map(required_string(evm, name, "sourceMap"), new),
        }
        for name in BYTECODES
    }


def _renumber_source_map(source_map: str, new_numbers: Mapping[int, int]) -> str:
    """Renumber the sources in a source map.

    Its entries are divided by semicolons, and the third field of an entry is the source. An empty field repeats
    the last value.
    """
    entries = [entry.split(":") for entry in source_map.split(";")]
    for entry in entries:
        if len(entry) > 2 and entry[2].isdigit():
            entry[2] = str(new_numbers.get(int(entry[2]), int(entry[2])))
    return ";".join(":".join(entry) for entry in entries)


def _read_artifact(artifact_file: Path, artifact: dict[str, Json], project: Path) -> ImportedCompilation:
    text = artifact.get("rawMetadata")
    metadata = _parse_metadata_string(text)
    settings = required_object(metadata, "settings")
    sources = required_object(metadata, "sources")
    ((path, contract),) = required_object(settings, "compilationTarget").items()
    version = required_string(metadata, "compiler", "version")
    numbers = _find_source_numbers(artifact_file, artifact, project, path)
    evm: JsonObject = {name: artifact[name] for name in BYTECODES}
    evm = _renumber_source_maps(evm, numbers, sources) if numbers else evm
    notes = () if numbers else ("there is no build-info of forge, so the record has no sourceIds",)
    return ImportedCompilation(
        compiler="solc",
        version=version,
        fully_qualified_name=f"{path}:{as_text(contract)}",
        std_json_input={
            "language": metadata["language"],
            "sources": dict(_read_sources(sources, project)),
            "settings": convert_metadata_settings(settings, version),
        },
        std_json_output={
            "contracts": {path: {as_text(contract): {**_solc_output(artifact, text, metadata), "evm": evm}}},
            **({"sources": _solc_source_numbers(sources)} if numbers else {}),
        },
        notes=notes,
    )


def _parse_metadata_string(metadata_text: Json) -> dict[str, Json]:
    if not isinstance(metadata_text, str) or not metadata_text:
        raise NotImportableError(
            "the artifact has no solc metadata, so its sources and settings are unknown",
            "build with Foundry's default outputs; for Vyper, give the compiler's standard JSON",
        )
    metadata: dict[str, Json] = orjson.loads(metadata_text)
    return metadata


def _input_from_metadata(metadata: dict[str, Json]) -> dict[str, Json]:
    output = required_object(metadata, "output")
    return {member: output[member] for member in METADATA_OUTPUTS if member in output}


def _solc_output(
    artifact: dict[str, Json], metadata_text: Json, metadata: dict[str, Json]
) -> dict[str, Json]:
    return {
        **_input_from_metadata(metadata),
        **{member: artifact[member] for member in EXTRA_OUTPUTS if artifact.get(member) is not None},
        "metadata": metadata_text,
    }


def convert_metadata_settings(metadata_settings: JsonObject, version: str) -> JsonObject:
    """Convert the settings in solc's metadata back to compiler input.

    For example, libraries are grouped by source file again.

    Args:
        metadata_settings: the member `settings` of the metadata.
        version: the version of the compiler; older versions do not accept all settings.
    """
    libraries: dict[str, dict[str, Json]] = {}
    for name, address in as_object(metadata_settings.get("libraries")).items():
        path, _, library = name.rpartition(":")
        libraries.setdefault(path, {})[library] = address
    other_settings = {key: item for key, item in metadata_settings.items() if key != "compilationTarget"}
    std_json_settings: JsonObject = {**other_settings, "libraries": libraries}
    optimizer = as_object(metadata_settings.get("optimizer"))
    details = as_object(optimizer.get("details"))
    if details and parse_compiler_version(version) < INLINER_SETTING_SINCE:
        accepted = {key: item for key, item in details.items() if key != "inliner"}
        return {**std_json_settings, "optimizer": {**optimizer, "details": accepted}}
    return std_json_settings


def _read_sources(hashes: JsonObject, project: Path) -> Iterator[tuple[str, Json]]:
    """Read the sources that solc's metadata names.

    Raises:
        NotImportableError: if a source cannot be read, or its hash differs.
    """
    for path in sorted(hashes):
        file = project / path
        raw = read_file_bytes(file)
        expected = as_object(hashes[path]).get("keccak256")
        if expected != f"0x{keccak256(raw).hex()}":
            raise NotImportableError(
                f"{file} has changed since it was compiled: its Keccak-256 is not {expected}",
                "check out the revision that was deployed, or run `forge build --force`",
            )
        yield path, {"content": decode_source_text(raw, file)}


def _find_source_numbers(
    artifact_file: Path, artifact: dict[str, Json], project: Path, source_path: str
) -> dict[str, int] | None:
    """Find the numbers that a Foundry build gave to its sources.

    Forge's cache names the build. Without the cache, it is the only build in which the artifact's number
    fits.

    Returns:
        The numbers by path, or None if there is no build-info.

    Raises:
        NotImportableError: if several builds fit.
    """
    folder = find_folder_above(artifact_file, "build-info")
    if folder is None:
        return None
    matching = {}
    for build in sorted(folder.glob("*.json")):
        paths = read_json_file(build).get("source_id_to_path")
        if isinstance(paths, dict) and paths.get(str(artifact.get("id"))) == source_path:
            matching[build.stem] = {required_string(paths, number): int(number) for number in paths}
    build_in_cache = _find_build_in_cache(project, artifact_file, source_path)
    if build_in_cache in matching:
        return matching[build_in_cache]
    if len(matching) > 1:
        raise NotImportableError(
            f"{artifact_file} could be from any of {len(matching)} builds in {folder}",
            "run `forge build --force`",
        )
    return next(iter(matching.values()), None)


def _find_build_in_cache(project: Path, artifact_file: Path, source_path: str) -> str:
    """Find the id of an artifact's build in forge's cache.

    Returns:
        The id; empty if the cache does not have it.
    """
    cache = find_foundry_folders(project).cache / "solidity-files-cache.json"
    if not cache.is_file():
        return ""
    files = as_object(read_json_file(cache).get("files"))
    artifacts = as_object(as_object(files.get(source_path)).get("artifacts"))
    builds = (
        as_object(build)
        for versions in artifacts.values()
        for profiles in as_object(versions).values()
        for build in as_object(profiles).values()
    )
    name = artifact_file.resolve().as_posix()
    return next(
        (
            required_string(build, "build_id")
            for build in builds
            if name.endswith("/" + required_string(build, "path"))
        ),
        "",
    )


class FoundryFolders(NamedTuple):
    """The folders of a Foundry project."""

    out: Path
    broadcast: Path
    cache: Path


FOLDER_KEYS: Final = ("out", "broadcast", "cache_path")


def find_foundry_folders(project: Path) -> FoundryFolders:
    """Return the folders for forge's artifacts, broadcasts and cache.

    `FOUNDRY_PROFILE` selects a profile in foundry.toml; missing keys come from the default profile.
    Environment variables such as `FOUNDRY_OUT` take precedence. See
    https://getfoundry.sh/config/reference/project .

    Raises:
        NotImportableError: if foundry.toml cannot be read.
    """
    configuration = read_foundry_configuration(project)
    names = (
        os.environ.get(f"FOUNDRY_{key.upper()}")
        or as_text(configuration.get(key))
        or key.removesuffix("_path")
        for key in FOLDER_KEYS
    )
    return FoundryFolders(*(project / name for name in names))


def read_foundry_configuration(project: Path) -> JsonObject:
    """Return the settings in foundry.toml that forge uses.

    Raises:
        NotImportableError: if foundry.toml cannot be read.
    """
    file = project / "foundry.toml"
    try:
        profiles = as_object(tomllib.loads(read_text_file(file)).get("profile")) if file.is_file() else {}
    except tomllib.TOMLDecodeError as error:
        raise NotImportableError(
            f"{file} is not TOML: {error}", "run `forge config` to see the error"
        ) from None
    profile = as_object(profiles.get(os.environ.get("FOUNDRY_PROFILE", "default")))
    return {**as_object(profiles.get("default")), **profile}


def _find_project_above(file: Path) -> Path:
    for folder in file.resolve().parents:
        if (folder / "foundry.toml").is_file():
            return folder
    raise NotImportableError(
        f"there is no foundry.toml above {file}", "name the folder of the project with --project"
    )


def make_compilation_from_metadata(
    metadata: JsonObject, texts: Mapping[str, str], metadata_path: str
) -> ImportedCompilation:
    """Rebuild compiler input from solc's metadata and the sources.

    Args:
        metadata: the metadata of solc.
        texts: the text of sources that the metadata does not contain, by their Keccak-256.
        metadata_path: the file or folder of the metadata, for error messages.

    Raises:
        NotImportableError: if a source is missing.
        InvalidValueError: if the metadata is incomplete.
    """
    settings = required_object(metadata, "settings")
    ((path, name),) = required_object(settings, "compilationTarget").items()
    version = required_string(metadata, "compiler", "version")
    language = required_string(metadata, "language")
    sources = {}
    for source, source_entry in required_object(metadata, "sources").items():
        digest = required_string(source_entry, "keccak256")
        text = texts.get(digest, as_object(source_entry).get("content"))
        if text is None:
            raise NotImportableError(
                f"{metadata_path} has no source with the Keccak-256 of {source}: {digest}"
            )
        sources[source] = {"content": text}
    return ImportedCompilation(
        compiler=get_compiler_for_language(language),
        version=version,
        fully_qualified_name=f"{path}:{name}",
        std_json_input={
            "language": language,
            "sources": sources,
            "settings": convert_metadata_settings(settings, version),
        },
        std_json_output=None,
    )
