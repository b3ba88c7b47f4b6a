"""Copy descriptors for the site's chains from the ERC-7730 registry."""

from collections.abc import Collection, Iterator
from pathlib import Path
from typing import NamedTuple

from statuary.extensions.clear_signing.descriptors import (
    FOLDER,
    DescriptorError,
    DescriptorFolder,
    SigningFileKind,
    attested_descriptor,
    bound_contracts,
)
from statuary.extensions.clear_signing.examples import tests_by_descriptor
from statuary.source.edit_files import content_lock
from statuary.system.files import read_file
from statuary.system.writing import create_file


class SelectedFiles(NamedTuple):
    """The registry's files to copy."""

    descriptors: tuple[str, ...]  # paths of descriptors
    files: tuple[str, ...]  # all files, the descriptors among them, sorted
    other_count: int  # the number of descriptors for other chains
    unreadable: tuple[str, ...]  # the path and the error of each descriptor that cannot be read


def select_files(folder: DescriptorFolder, chains: Collection[str]) -> SelectedFiles:
    """Choose the files of the registry that are for some chains.

    The result has descriptors with the files that they include, their tests and their attestations.

    Args:
        folder: the checkout of the registry.
        chains: the ids of the chains.
    """
    copied = list[str]()
    files = set[str]()
    unreadable = list[str]()
    other_count = 0
    for path in folder.paths(SigningFileKind.CALLDATA, SigningFileKind.MESSAGES):
        try:
            descriptor = folder.read_descriptor(path)
        except DescriptorError as error:
            unreadable.append(f"{path}: {error.finding.message}")
            continue
        if any(deployment.chain_id in chains for deployment in bound_contracts(descriptor)):
            copied.append(path)
            files |= {file.path for file in descriptor.files}
        else:
            other_count += 1
    files |= set(_tests_and_attestations(folder, frozenset(copied)))
    return SelectedFiles(tuple(copied), tuple(sorted(files)), other_count, tuple(unreadable))


def _tests_and_attestations(folder: DescriptorFolder, descriptors: frozenset[str]) -> Iterator[str]:
    for path, tests in tests_by_descriptor(folder).items():
        if path in descriptors:
            yield from (part.path for part in tests)
    for path in folder.paths(SigningFileKind.ATTESTATION):
        attested = attested_descriptor(path)
        if attested is not None and attested[0] in descriptors:
            yield path


class CopyResult(NamedTuple):
    """The result of copying a registry's files."""

    written_count: int
    existing_count: int  # the number of files that exist with the same bytes
    differing: tuple[str, ...]  # existing files that differ and were not overwritten
    unreadable: tuple[str, ...]  # the path and the error of each file that could not be read or copied


def copy_files(folder: DescriptorFolder, paths: tuple[str, ...], content: Path) -> CopyResult:
    """Copy files of the registry into the content folder.

    Files that already exist are not overwritten.

    Args:
        folder: the checkout of the registry.
        paths: the paths of the files in the checkout.
        content: the content folder.
    """
    outcomes: dict[str, list[str]] = {"written": [], "there": [], "differs": []}
    unreadable = list[str]()
    with content_lock(content):
        for path in paths:
            try:
                body = folder.file_bytes(path)
            except DescriptorError as error:
                unreadable.append(f"{path}: {error.finding.message}")
                continue
            outcomes[_copy_file(body, content / FOLDER / path)].append(path)
    return CopyResult(
        len(outcomes["written"]), len(outcomes["there"]), tuple(outcomes["differs"]), tuple(unreadable)
    )


def _copy_file(body: bytes, target: Path) -> str:
    if target.exists():
        return "there" if read_file(target) == body else "differs"
    target.parent.mkdir(parents=True, exist_ok=True)
    create_file(target, body)
    return "written"
