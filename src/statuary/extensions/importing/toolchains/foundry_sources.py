"""Compile a Foundry contract without artifacts, from its sources.

The file is found by the contract's name, the others by their imports, the settings in foundry.toml, and the
version of solc at the end of the deployed code. Forge adds a remapping for each library folder. Keys and
defaults: https://getfoundry.sh/config/reference/solidity-compiler .
"""

import posixpath
import re
from collections.abc import Iterator, Sequence
from itertools import chain
from pathlib import Path
from typing import Final, NamedTuple

from statuary.base.json_values import Json, JsonObject, as_list, as_text
from statuary.base.primitives import Hex
from statuary.contracts.model.compiler_evidence import SOLIDITY
from statuary.contracts.model.solidity_source import find_declaration
from statuary.extensions.importing.report import NotImportableError
from statuary.extensions.importing.sources import read_text_file
from statuary.extensions.importing.toolchains.compilation import ImportedCompilation
from statuary.extensions.importing.toolchains.foundry import read_foundry_configuration

SOURCE_FOLDERS: Final = ("src", "contracts", "")
"""The folders of a library, of which forge maps its name to the first that exists."""

MAX_SOURCES: Final = 5_000
"""Limit for the files of one compilation."""

_VERSION: Final = re.compile(rb"dsolcC(...)\x00", re.DOTALL)
"""The version of solc in the CBOR metadata of code."""

_COMMENT: Final = r"//[^\n\r]*|/\*.*?(?:\*/|\Z)"
_TOKEN: Final = re.compile(
    rf"{_COMMENT}|(?<![\w$])import\b(?:{_COMMENT}|[^;\"'/])*+[\"'](?P<imported>[^\"']+)[\"']"
    r"|\"(?:[^\"\\\n]|\\.)*\"|'(?:[^'\\\n]|\\.)*'",
    re.DOTALL,
)
"""A comment, the beginning of an import up to the name of the file, or a string."""


class Remapping(NamedTuple):
    """A prefix of import paths and its replacement, such as `@oz/=lib/oz/`."""

    prefix: str
    folder: str


def make_compilation_from_sources(
    project: Path, contract_name: str, creation: Hex | None, evm_version: str
) -> ImportedCompilation | None:
    """Make a contract's compiler input from the sources of a Foundry project.

    It is used if the project has no artifact of the contract.

    Args:
        project: the folder of the project.
        contract_name: the name of the contract.
        creation: the deployed creation code; the version of solc is read from its end.
        evm_version: forge's default EVM version at the time of the deployment; empty if unknown.

    Returns:
        The input, or None if no file declares the contract, or the code contains no solc version.

    Raises:
        NotImportableError: if a source is missing, several files declare the contract, or foundry.toml has
            unsupported settings.
    """
    configuration = read_foundry_configuration(project)
    version = find_solc_version(creation)
    path = _find_declaring_file(project, configuration, contract_name, version) if version else None
    if path is None:
        return None
    remappings = _collect_remappings(project, configuration)
    return ImportedCompilation(
        compiler="solc",
        version=version,
        fully_qualified_name=f"{path}:{contract_name}",
        std_json_input={
            "language": SOLIDITY,
            "sources": {
                source: {"content": text}
                for source, text in _read_imported_sources(project, path, remappings).items()
            },
            "settings": _compiler_settings(configuration, remappings, evm_version),
        },
        std_json_output=None,
        notes=("there is no artifact of forge, so it is compiled from the project's sources",),
    )


def find_solc_version(creation: Hex | None) -> str:
    """Find the version of solc in the metadata that ends bytecode.

    Args:
        creation: the bytecode as hex, or None.

    Returns:
        The version, such as `0.8.30`; empty if there is none.
    """
    found = _VERSION.findall(bytes.fromhex((creation or "0x")[2:]))
    return ".".join(map(str, found[-1])) if found else ""


def _find_declaring_file(
    project: Path, configuration: JsonObject, contract_name: str, compiler_version: str
) -> str | None:
    """Find the file in a project that declares a contract.

    The project's own sources are searched first, then its libraries.

    Returns:
        The path of the file in the project, or None.

    Raises:
        NotImportableError: if several files declare it.
    """
    folders = (as_text(configuration.get("src")) or "src", *_library_folders(configuration))
    for folder in folders:
        files = sorted((project / folder).glob("**/*.sol"))
        paths = [
            file.relative_to(project).as_posix()
            for file in files
            if _declares_contract(file, contract_name, compiler_version)
        ]
        if len(paths) > 1:
            raise NotImportableError(
                f"{len(paths)} files of {project} declare {contract_name}: {', '.join(paths[:3])}",
                "run `forge build`, and import again",
            )
        if paths:
            return paths[0]
    return None


def _declares_contract(source_file: Path, contract_name: str, find_solc_version: str) -> bool:
    declared = find_declaration(read_text_file(source_file), contract_name, find_solc_version)
    return declared is not None and declared.keyword != "interface"


def _library_folders(configuration: JsonObject) -> list[str]:
    return list(map(as_text, as_list(configuration.get("libs", ["lib"]))))


def _collect_remappings(project: Path, configuration: JsonObject) -> list[Remapping]:
    """Collect the remappings of imports, such as `@oz/=lib/oz/`.

    Forge adds one for each library.
    """
    file = project / "remappings.txt"
    lines = read_text_file(file).splitlines() if file.is_file() else []
    named = map(as_text, as_list(configuration.get("remappings")))
    remappings = [
        Remapping(prefix.strip(), folder.strip())
        for prefix, equals, folder in (line.partition("=") for line in chain(named, lines))
        if equals
    ]
    prefixes = {remapping.prefix for remapping in remappings}
    for library in _library_paths(project, configuration):
        prefix = f"{library.name}/"
        if prefix not in prefixes:
            inside = next(name for name in SOURCE_FOLDERS if (library / name).is_dir())
            folder = (library / inside).relative_to(project).as_posix()
            remappings.append(Remapping(prefix, f"{folder}/"))
    return remappings


def _library_paths(project: Path, configuration: JsonObject) -> Iterator[Path]:
    for folder in _library_folders(configuration):
        if (project / folder).is_dir():
            yield from sorted(path for path in (project / folder).iterdir() if path.is_dir())


def _read_imported_sources(project: Path, first_path: str, remappings: Sequence[Remapping]) -> dict[str, str]:
    """Read a file and all files that it imports, by path.

    Raises:
        NotImportableError: if a file cannot be read or is outside of the project, or there are too many.
    """
    texts: dict[str, str] = {}
    waiting = [first_path]
    while waiting:
        source = waiting.pop()
        if source in texts:
            continue
        if len(texts) == MAX_SOURCES:
            raise NotImportableError(
                f"{first_path} imports more than {MAX_SOURCES:,} files", "run `forge build`, and import again"
            )
        # Refuse a path outside of the project: `..`, a remapping or a symbolic link can lead there.
        if not (project / source).resolve().is_relative_to(project.resolve()):
            raise NotImportableError(
                f"{first_path} imports {source}, which is outside of {project}",
                "run `forge build`, and import again",
            )
        texts[source] = read_text_file(project / source)
        waiting += [_resolve_import(source, name, remappings) for name in find_import_paths(texts[source])]
    return dict(sorted(texts.items()))


def find_import_paths(source_text: str) -> list[str]:
    """Return the paths that a Solidity source imports."""
    return [found["imported"] for found in _TOKEN.finditer(source_text) if found["imported"]]


def _resolve_import(importing_path: str, import_path: str, remappings: Sequence[Remapping]) -> str:
    """Resolve an import to a path in the project.

    The remapping with the longest prefix decides, as in solc.
    """
    if import_path.startswith("."):
        import_path = posixpath.normpath(posixpath.join(posixpath.dirname(importing_path), import_path))
    fitting = [remapping for remapping in remappings if import_path.startswith(remapping.prefix)]
    if not fitting:
        return import_path
    longest = max(fitting, key=lambda remapping: len(remapping.prefix))
    return longest.folder + import_path.removeprefix(longest.prefix)


def _compiler_settings(
    configuration: JsonObject, remappings: Sequence[Remapping], evm_version: str
) -> dict[str, Json]:
    """Convert the settings in foundry.toml to those of solc.

    Args:
        configuration: the settings in foundry.toml.
        remappings: the replacements of prefixes of import paths.
        evm_version: the EVM version, if foundry.toml does not name one; empty for solc's default.

    Raises:
        NotImportableError: if foundry.toml has unsupported settings.
    """
    if unread := sorted({"optimizer_details", "additional_compiler_profiles"} & configuration.keys()):
        raise NotImportableError(
            f"foundry.toml has {unread[0]}, which statuary does not support",
            "run `forge build`, and import again",
        )
    settings: dict[str, Json] = {
        "optimizer": {
            "enabled": configuration.get("optimizer") is True,
            "runs": configuration.get("optimizer_runs", 200),
        },
        "remappings": [f"{remapping.prefix}={remapping.folder}" for remapping in remappings],
        "libraries": _parse_linked_libraries(configuration),
    }
    fork = as_text(configuration.get("evm_version")) or evm_version
    metadata: dict[str, Json] = {}
    if (bytecode_hash := as_text(configuration.get("bytecode_hash"))) not in ("", "ipfs"):
        metadata["bytecodeHash"] = bytecode_hash
    if configuration.get("cbor_metadata") is False:
        metadata["appendCBOR"] = False
    if configuration.get("use_literal_content") is True:
        metadata["useLiteralContent"] = True
    given: tuple[tuple[str, Json], ...] = (
        ("evmVersion", fork),
        ("metadata", metadata),
        ("viaIR", configuration.get("via_ir") is True),
    )
    return settings | {name: value for name, value in given if value}


def _parse_linked_libraries(configuration: JsonObject) -> dict[str, dict[str, Json]]:
    libraries: dict[str, dict[str, Json]] = {}
    for text in map(as_text, as_list(configuration.get("libraries"))):
        path, _, rest = text.partition(":")
        name, _, address = rest.partition(":")
        libraries.setdefault(path, {})[name] = address
    return libraries
