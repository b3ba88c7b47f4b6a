"""Find contracts in the content folder by file name.

The scan keeps no list: it needs memory only for the names in one folder at a time.
"""

import heapq
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import chain
from pathlib import Path, PurePosixPath
from typing import NamedTuple

from typing_extensions import override

from statuary.base.findings import Finding, Pointer
from statuary.contracts.sources.contract_source import (
    BulkForm,
    BulkSource,
    ContractForm,
    ContractSource,
    ContractSources,
)
from statuary.contracts.sources.source_stat import ListingCache
from statuary.source.file_kinds import (
    CONTRACTS,
    FileKind,
    is_ignored,
    is_workspace_file,
    match_pattern,
    unknown_file_finding,
)
from statuary.source.remote_files import is_remote, remote_files
from statuary.source.source_files import undecodable_name_finding, walk_folder, walk_path
from statuary.source.unreadable import UnreadableError

FOLDER = PurePosixPath(CONTRACTS)


class ExternalFile(NamedTuple):
    """A file with contracts in an external folder or object store."""

    content_path: PurePosixPath  # the path that the file would have in the content folder
    path: str  # the path relative to the content folder, or the URL


def list_external_files(root: Path, location: str) -> Iterator[ExternalFile | Finding]:
    """List the files of an external source, sorted by path.

    An external source is a folder or object store that site.yaml lists under `contracts.sources`.

    Args:
        root: the content folder.
        location: the URL of an object store, or a path relative to the content folder.

    Yields:
        Each file, or a finding for a file that cannot be used.

    Raises:
        UnreadableError: if the source does not exist or cannot be listed.
    """
    yield from (
        _list_remote_files(location.rstrip("/"))
        if is_remote(location)
        else _list_local_files(root, location.rstrip("/"))
    )


def _list_remote_files(url: str) -> Iterator[ExternalFile]:
    files = sorted({file.url for file in remote_files(url).list(url)})
    if not files:
        raise UnreadableError(f"the object store has no files below {url}", "check the URL")
    for file in files:
        below = file.removeprefix(f"{url}/") if file != url else url.rpartition("/")[2]
        yield ExternalFile(FOLDER / below, file)


def _list_local_files(root: Path, location: str) -> Iterator[ExternalFile | Finding]:
    full = root / location
    if full.is_file():
        yield ExternalFile(FOLDER / full.name, location)
        return
    if not full.is_dir():
        raise UnreadableError(
            f"there is no file or folder {location!r}", "write the path relative to the content folder"
        )
    for file in walk_folder(full):
        if isinstance(file, Finding):
            yield file.with_path(f"{location}/{file.path}")
        else:
            yield ExternalFile(FOLDER / file.path, f"{location}/{file.path}")


RECORD_DEPTH = 2
"""Folders above a record file: `contracts` and that of the chain."""


@dataclass(frozen=True, slots=True)
class ScanResult:
    """The number of contracts that a scan found, and its findings."""

    count: int  # the number of contracts with their own file or folder
    bulk: tuple[BulkSource, ...] = ()  # the bulk sources, in order of paths
    findings: tuple[Finding, ...] = ()
    links: bool = False  # whether there are symbolic links, whose targets may change unseen
    hidden: tuple[Finding, ...] = ()  # errors that hide contracts of the last build, which `count` includes
    hides_bulk: bool = False  # whether some of these are in bulk sources


class ExternalSource(NamedTuple):
    """A folder or object store with contracts, which site.yaml names."""

    location: str  # a path relative to the content folder, or a URL
    path: str  # the settings file
    pointer: Pointer  # the place in the settings file


class ContractScan(ContractSources):
    """Finds the contracts of a site that have their own files.

    Iteration yields them sorted by path, without keeping a list.
    """

    def __init__(
        self, root: Path, external: Sequence[ExternalSource] = (), result: ScanResult | None = None
    ) -> None:
        """Prepare a scan of the content folder, which runs on iteration.

        Args:
            root: the content folder.
            external: the sources outside of it.
            result: the result of an earlier scan, if it is still valid.
        """
        self.root = root
        self.external = tuple(external)
        self._listings = ListingCache()
        if result is not None:
            self.result = result

    @cached_property
    def result(self) -> ScanResult:
        """The number of contracts in the content, and errors about their files."""
        count = 0
        bulk = BulkSourceCollector()
        findings = []
        links = False
        for item in chain.from_iterable(self._sorted_source_streams()):
            if isinstance(item, _Records):
                count += len(item.names)
            elif isinstance(item, ContractSource):
                count += 1
            elif isinstance(item, Finding):
                findings.append(item)
            elif isinstance(item, _BulkFile):
                bulk.add_file(item.kind, item.content_path, item.path)
            else:
                links = True
        return ScanResult(count, bulk.sources(), tuple(findings), links)

    @property
    @override
    def bulk(self) -> tuple[BulkSource, ...]:
        return self.result.bulk

    @property
    @override
    def findings(self) -> tuple[Finding, ...]:
        return self.result.findings

    @property
    @override
    def has_bulk(self) -> bool:
        return bool(self.result.bulk) or self.result.hides_bulk

    @override
    def __len__(self) -> int:
        return self.result.count

    @override
    def __iter__(self) -> Iterator[ContractSource]:
        streams = [_contract_sources(stream) for stream in self._sorted_source_streams()]
        return streams[0] if len(streams) == 1 else heapq.merge(*streams, key=lambda source: source.path)

    def _sorted_source_streams(self) -> list[Iterator["_Found"]]:
        contracts_folder = self.root / FOLDER
        streams = []
        if contracts_folder.is_symlink():
            streams.append(_find_in_tree(self.root, CONTRACTS, FOLDER))
        elif contracts_folder.exists():  # if it is a file, that is an error
            streams.append(self._find_in_folder(CONTRACTS, FOLDER))
        return [*streams, *map(self._find_in_external_source, self.external)]

    def _find_in_external_source(self, source: ExternalSource) -> Iterator["_Found"]:
        try:
            if not is_remote(source.location) and (self.root / source.location).is_dir():
                yield from self._find_in_folder(source.location.rstrip("/"), FOLDER)
            else:
                for file in list_external_files(self.root, source.location):
                    yield from [file] if isinstance(file, Finding) else _classify_file(file)
        except UnreadableError as error:
            yield _unreachable_finding(source, str(error), error.hint)
        except OSError as error:
            yield _unreachable_finding(source, f"cannot read the source: {error.strerror}")

    def _find_in_folder(self, folder: str, content_path: PurePosixPath) -> Iterator["_Found"]:
        """Yield the contracts in a folder with the layout of `contracts/`, or below it.

        Args:
            folder: the folder, relative to the content folder.
            content_path: where its files would be in the content, such as `contracts/1`. For the folder of an external source,
                this is `contracts`.
        """
        try:
            listing = self._listings.list_folder(
                self.root / folder, is_chain=len(content_path.parts) == RECORD_DEPTH
            )
        except OSError as error:
            message = f"cannot read the folder: {error.strerror}"
            yield Finding(rule="parse-error", path=folder, message=message)
            return
        yield from (undecodable_name_finding(f"{folder}/{name}") for name in listing.undecodable)
        for are_records, names in listing.runs:
            if are_records:
                yield _Records(folder, content_path.name, names, listing.other_names)
                continue
            for name in names:
                is_plain = name not in listing.other_names
                yield from self._classify_other_name(
                    f"{folder}/{name}", content_path / name, name, is_plain=is_plain
                )

    def _classify_other_name(
        self, path: str, content_path: PurePosixPath, name: str, *, is_plain: bool
    ) -> Iterator["_Found"]:
        if is_plain:
            yield from _classify_file(ExternalFile(content_path, path))
        elif name[0] == ".":
            return
        elif name.endswith("/") and len(content_path.parts) <= RECORD_DEPTH:
            yield from self._find_in_folder(path[:-1], content_path)
        else:
            yield from _find_in_tree(self.root, path.rstrip("/"), content_path)


def _unreachable_finding(source: ExternalSource, message: str, hint: str = "") -> Finding:
    return Finding(
        rule="source-unavailable", path=source.path, message=message, hint=hint, pointer=source.pointer
    )


class _BulkFile(NamedTuple):
    kind: FileKind
    content_path: PurePosixPath
    path: str


class _Link:
    """A symbolic link, whose target may change unnoticed."""


class _Records(NamedTuple):
    folder: str
    chain_id: str
    names: list[str]
    other_names: set[str]


_Found = ContractSource | Finding | _BulkFile | _Link | _Records


def _contract_sources(stream: Iterator[_Found]) -> Iterator[ContractSource]:
    for item in stream:
        if isinstance(item, _Records):
            folder, chain_id, names, other_names = item
            for name in names:
                address = name[: name.rindex(".")]
                # The evidence of a record `0x….json` is in the folder `0x…` beside the record.
                has_folder = bool(other_names) and f"{address}/" in other_names
                form = ContractForm.RECORD_WITH_EVIDENCE if has_folder else ContractForm.RECORD
                yield ContractSource(f"{folder}/{name}", chain_id, address, form)
        elif isinstance(item, ContractSource):
            yield item


def _find_in_tree(root: Path, path: str, content_path: PurePosixPath) -> Iterator[_Found]:
    if (root / path).is_symlink():
        yield _Link()
    for item in walk_path(root, path):
        if isinstance(item, Finding):
            yield item
        else:
            yield from _classify_file(ExternalFile(content_path / item.path[len(path) + 1 :], item.path))


def _classify_file(file: ExternalFile) -> Iterator[_Found]:
    pure, path = file
    if is_ignored(pure):
        return
    pattern = match_pattern(pure)
    if pattern is None:
        if not is_workspace_file(pure):
            yield unknown_file_finding(pure, path)
    elif pattern.kind in BULK_FORMS:
        yield _BulkFile(pattern.kind, pure, path)
    elif pattern.kind is FileKind.ANCHOR:
        return  # the file is read together with the record that it is about
    elif pattern.kind is FileKind.WORKSPACE:
        yield ContractSource(path, pure.parts[1], pure.parts[2], ContractForm.WORKSPACE)
    else:
        yield ContractSource(path, pure.parts[1], pure.name.rpartition(".")[0], ContractForm.RECORD)


BULK_FORMS = {FileKind.LINES: BulkForm.JSONL, FileKind.TABLE: BulkForm.EXPORT}
"""The kinds of file with many contracts."""


class BulkSourceCollector:
    """Groups files that belong together, such as the tables of an export."""

    def __init__(self) -> None:
        self.files_by_source: dict[tuple[str, BulkForm], list[str]] = {}

    def add_file(self, kind: FileKind, content_path: PurePosixPath, path: str) -> None:
        """Add a file that contains many contracts, such as a Parquet file.

        Args:
            kind: the kind of file, which follows from its name.
            content_path: the file's path in the content folder. An external file has the path that it would
                have there.
            path: the path or URL of the file.
        """
        form = BULK_FORMS[kind]
        location = path
        if form is not BulkForm.JSONL:
            # The tables of an export may be in a subfolder of `contracts/` or in `contracts/` itself. All
            # files of one export get the same location: the export's folder.
            location = path.rsplit("/", max(len(content_path.parts) - 2, 1))[0]
        self.files_by_source.setdefault((location, form), []).append(path)

    def sources(self) -> tuple[BulkSource, ...]:
        """Group the added files into sources, sorted by path.

        For example, the tables of one export are one source.
        """
        return tuple(
            BulkSource(path=location, form=form, files=tuple(files))
            for (location, form), files in sorted(self.files_by_source.items())
        )
