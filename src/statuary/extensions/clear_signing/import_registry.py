"""Copy descriptors for the site's chains from the ERC-7730 registry."""

from collections.abc import Collection, Iterator
from pathlib import Path
from typing import NamedTuple

from statuary.extensions.clear_signing.descriptors import (
    FOLDER,
    DescriptorError,
    DescriptorFolder,
    SigningFileKind,
    described_contracts,
    parse_attestation_path,
)
from statuary.extensions.clear_signing.examples import tests_by_descriptor
from statuary.source.edit_files import content_lock
from statuary.system.files import read_file
from statuary.system.writing import create_file


class SelectedFiles(NamedTuple):
    """The files to copy from the ERC-7730 registry, and the rest."""

    descriptors: tuple[str, ...]  # paths of descriptors
    files: tuple[str, ...]  # all files, the descriptors among them, sorted
    other_count: int  # the number of descriptors for other chains
    unreadable: tuple[str, ...]  # the path and the error of each descriptor that cannot be read


def select_registry_files(registry: DescriptorFolder, chain_ids: Collection[str]) -> SelectedFiles:
    """Select the files of the ERC-7730 registry for some chains.

    These are descriptors, which tell wallets how to show calls, the files that they include, their tests and their
    attestations.

    Args:
        registry: a clone of the ERC-7730 registry.
        chain_ids: the ids of the chains of your site.
    """
    copied = list[str]()
    files = set[str]()
    unreadable = list[str]()
    other_count = 0
    for path in registry.paths_of_kinds(SigningFileKind.CALLDATA, SigningFileKind.MESSAGES):
        try:
            descriptor = registry.read_descriptor(path)
        except DescriptorError as error:
            unreadable.append(f"{path}: {error.finding.message}")
            continue
        if any(deployment.chain_id in chain_ids for deployment in described_contracts(descriptor)):
            copied.append(path)
            files |= {file.path for file in descriptor.files}
        else:
            other_count += 1
    files |= set(_find_tests_and_attestations(registry, frozenset(copied)))
    return SelectedFiles(tuple(copied), tuple(sorted(files)), other_count, tuple(unreadable))


def _find_tests_and_attestations(
    registry: DescriptorFolder, descriptor_paths: frozenset[str]
) -> Iterator[str]:
    for path, tests in tests_by_descriptor(registry).items():
        if path in descriptor_paths:
            yield from (part.path for part in tests)
    for path in registry.paths_of_kinds(SigningFileKind.ATTESTATION):
        attested = parse_attestation_path(path)
        if attested is not None and attested[0] in descriptor_paths:
            yield path


class CopyResult(NamedTuple):
    """The result of copying a registry's files."""

    written_count: int
    existing_count: int  # the number of files that exist with the same bytes
    differing: tuple[str, ...]  # existing files that differ and were not overwritten
    unreadable: tuple[str, ...]  # the path and the error of each file that could not be read or copied


def copy_registry_files(registry: DescriptorFolder, paths: tuple[str, ...], content: Path) -> CopyResult:
    """Copy files of the ERC-7730 registry into the content folder.

    Files that already exist are not overwritten.

    Args:
        registry: a clone of the registry.
        paths: the paths of the files in the registry.
        content: the content folder.
    """
    outcomes: dict[str, list[str]] = {"written": [], "there": [], "differs": []}
    unreadable = list[str]()
    with content_lock(content):
        for path in paths:
            try:
                body = registry.read_file_bytes(path)
            except DescriptorError as error:
                unreadable.append(f"{path}: {error.finding.message}")
                continue
            outcomes[_write_file_if_new(body, content / FOLDER / path)].append(path)
    return CopyResult(
        len(outcomes["written"]), len(outcomes["there"]), tuple(outcomes["differs"]), tuple(unreadable)
    )


def _write_file_if_new(file_bytes: bytes, target: Path) -> str:
    if target.exists():
        return "there" if read_file(target) == file_bytes else "differs"
    target.parent.mkdir(parents=True, exist_ok=True)
    create_file(target, file_bytes)
    return "written"
