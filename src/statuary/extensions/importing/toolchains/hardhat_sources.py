"""Find the compilation of a Hardhat contract whose artifact is missing.

The build-infos that Ignition copied have the sources and the settings of the deployment; those of the project
may be later. Without them, only Hardhat knows the settings: hardhat.config is a program.
"""

from collections.abc import Iterator, Mapping, Sequence
from functools import cached_property
from pathlib import Path
from typing import NamedTuple

from statuary.base.json_values import JsonObject, as_object, as_text
from statuary.base.primitives import Hex
from statuary.contracts.model.compiler_evidence import SOLIDITY
from statuary.contracts.model.solidity_source import find_declaration
from statuary.extensions.importing.report import NotImportableError
from statuary.extensions.importing.sources import read_json_file
from statuary.extensions.importing.toolchains.compilation import ImportedCompilation
from statuary.extensions.importing.toolchains.foundry_sources import find_solc_version
from statuary.extensions.importing.toolchains.hardhat import BUILD_INFO, BUILD_INFO_3, read_hardhat


class _BuildInfo(NamedTuple):
    """A run of solc that Hardhat recorded."""

    file: Path
    version: str  # the version without the commit
    settings: JsonObject
    sources: Mapping[str, str]  # sources whose contracts have artifacts, by the path that the compiler used
    project_paths: Mapping[str, str]  # paths in the project by the compiler's path, where they differ


class _DeclaredContract(NamedTuple):
    """A contract that a source of a build-info declares."""

    build_info: _BuildInfo
    path: str

    def is_same_contract(self, other_declaration: "_DeclaredContract") -> bool:
        """Return whether two declarations have equal paths, sources and settings."""
        ours, theirs = self.build_info, other_declaration.build_info
        return (
            self.path == other_declaration.path
            and ours.settings == theirs.settings
            and ours.sources[self.path] == theirs.sources[self.path]
        )


class HardhatBuilds:
    """The compiler runs that a Hardhat project saved as build-info files."""

    def __init__(self, deployment_folder: Path, parent_name: str) -> None:
        """Find the project that contains a deployment.

        Args:
            deployment_folder: the folder of the deployment or network.
            parent_name: the name of the folder between project and deployment: `deployments` or `ignition`.
        """
        parents = deployment_folder.resolve().parents
        self.project = next(
            (folder.parent for folder in parents if folder.name == parent_name), deployment_folder
        )
        self._folders = (deployment_folder / "build-info", self.project / "artifacts/build-info")

    def find_compilation(self, contract_name: str, creation: Hex | None, reason: str) -> ImportedCompilation:
        """Find how a deployed contract was compiled, in the project's build-infos.

        Args:
            contract_name: the name of the contract, with or without its path.
            creation: the creation code, which ends with the version of solc; None if unknown.
            reason: why the deployment itself does not say how it was compiled, for the error message.

        Raises:
            NotImportableError: if no build-info has the contract, or several have different versions of it.
        """
        version = find_solc_version(creation)
        _, _, short_name = contract_name.rpartition(":")
        for builds in self._build_infos:
            declared = [
                one
                for one in _find_declarations(builds, contract_name)
                if version in ("", one.build_info.version)
            ]
            if declared:
                chosen = _require_single_declaration(declared, contract_name)
                file = chosen.build_info.file
                return read_hardhat(file, read_json_file(file), f"{chosen.path}:{short_name}")
        config = next((file.name for file in sorted(self.project.glob("hardhat.config.*"))), "hardhat.config")
        compiled = f"{contract_name} for solc {version}" if version else contract_name
        raise NotImportableError(
            f"{reason}, and no build-info of {self.project} has {compiled}; the compiler's settings are in"
            f" {config}, a program that only Hardhat runs",
            "check out the revision that was deployed, run `npx hardhat compile`, and import again",
        )

    @cached_property
    def _build_infos(self) -> list[list[_BuildInfo]]:
        return [
            [
                build_info
                for file in sorted(folder.glob("*.json"))
                if not file.name.endswith(".output.json")
                for build_info in _read_build_info(file)
            ]
            for folder in self._folders
        ]


def _read_build_info(file: Path) -> Iterator[_BuildInfo]:
    value = read_json_file(file)
    compiler_input = as_object(value.get("input"))
    if value.get("_format") not in (BUILD_INFO, BUILD_INFO_3) or compiler_input.get("language") != SOLIDITY:
        return
    sources = {
        path: as_text(as_object(source).get("content"))
        for path, source in as_object(compiler_input.get("sources")).items()
    }
    project_paths: dict[str, str] = {}
    if value.get("_format") == BUILD_INFO_3:
        project_paths = {
            as_text(path): name for name, path in as_object(value.get("userSourceNameMap")).items()
        }
        # Leave out the sources of npm packages, because they belong to other build-info files.
        sources = {path: text for path, text in sources.items() if path in project_paths}
    settings = as_object(compiler_input.get("settings"))
    yield _BuildInfo(file, as_text(value.get("solcVersion")), settings, sources, project_paths)


def _find_declarations(builds: Sequence[_BuildInfo], contract_name: str) -> Iterator[_DeclaredContract]:
    path, _, short_name = contract_name.rpartition(":")
    for build_info in builds:
        for source, text in build_info.sources.items():
            if path and path not in (source, build_info.project_paths.get(source)):
                continue
            declared = find_declaration(text, short_name, build_info.version)
            if declared is not None and declared.keyword != "interface":
                yield _DeclaredContract(build_info, source)


def _require_single_declaration(
    declarations: Sequence[_DeclaredContract], contract_name: str
) -> _DeclaredContract:
    """Return the contract that several build-infos declare.

    Raises:
        NotImportableError: if they declare different ones.
    """
    first = declarations[0]
    if other := next((one for one in declarations if not one.is_same_contract(first)), None):
        raise NotImportableError(
            f"{first.build_info.file} and {other.build_info.file.name} have different contracts {contract_name}:"
            f" {first.path} and {other.path}",
            f"choose one: `statuary contract add BUILD-INFO --contract {first.path}:{contract_name.rpartition(':')[2]}`",
        )
    return first
