"""Where the contracts of a site are written: found by looking at names, as often as they are asked for, never listed.

A folder of a million files costs the memory of its names until it has been gone through, and nothing else.
"""

import heapq
import os
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from hashlib import sha256
from itertools import chain
from pathlib import Path, PurePosixPath
from typing import NamedTuple

from typing_extensions import override

from statuary.content.bulk.bulk_sources import BULK_FORMS, BulkSourceCollector
from statuary.content.bulk.external_sources import FOLDER, ExternalFile, external_files
from statuary.content.bulk.remote_objects import is_remote
from statuary.content.file_kinds import (
    FileKind,
    is_ignored,
    is_workspace_file,
    match_pattern,
    unknown_file_finding,
)
from statuary.content.folder_listing import ListingCache
from statuary.content.source_files import SourceFile, walk_path
from statuary.content.unreadable import UnreadableError
from statuary.domain.catalogue import BulkSource, ContractForm, ContractSource, ContractSources
from statuary.domain.findings import Finding, Pointer

RECORDS_DEPTH = 2
"""Folders above the file of a record: `contracts` and the chain's."""


@dataclass(frozen=True, slots=True)
class ScanResult:
    """What looking at all names once gave.

    Attributes:
        count: how many contracts have a file or a folder of their own.
        bulk: the places that hold many each, in the order of their paths.
        findings: what is wrong with names.
        links: whether there are symbolic links, whose content lies elsewhere.
    """

    count: int
    bulk: tuple[BulkSource, ...] = ()
    findings: tuple[Finding, ...] = ()
    links: bool = False


class ExternalSource(NamedTuple):
    """Another place that contracts are taken from.

    Attributes:
        place: a path relative to the content folder, or a URL.
        path: the settings file that names it.
        pointer: where in that file.
    """

    place: str
    path: str
    pointer: Pointer


class ContractScan(ContractSources):
    """The contracts of a site; as a collection, those with a file or a folder of their own, in byte order of paths."""

    def __init__(
        self, root: Path, elsewhere: Sequence[ExternalSource] = (), result: ScanResult | None = None
    ) -> None:
        """Take a content folder.

        Args:
            root: the content folder.
            elsewhere: further places that contracts are taken from.
            survey: what is known of it already.
        """
        self.root = root
        self.elsewhere = tuple(elsewhere)
        self._listings = ListingCache()
        if result is not None:
            self.result = result

    @cached_property
    def result(self) -> ScanResult:
        """What there is, by looking once."""
        count, bulk, findings, links = 0, BulkSourceCollector(), [], False
        for found in chain.from_iterable(self._streams()):
            if isinstance(found, _Records):
                count += len(found.names)
            elif isinstance(found, ContractSource):
                count += 1
            elif isinstance(found, Finding):
                findings.append(found)
            elif found.is_link:
                links = True
            else:
                bulk.take(found.kind, found.pure, found.path)
        return ScanResult(count, bulk.sources(), tuple(findings), links)

    @property
    @override
    def bulk(self) -> tuple[BulkSource, ...]:
        return self.result.bulk

    @property
    @override
    def findings(self) -> tuple[Finding, ...]:
        return self.result.findings

    @override
    def __len__(self) -> int:
        return self.result.count

    @override
    def __iter__(self) -> Iterator[ContractSource]:
        streams = [_sources(stream) for stream in self._streams()]
        return streams[0] if len(streams) == 1 else heapq.merge(*streams, key=lambda source: source.path)

    def _streams(self) -> list[Iterator["_Found"]]:
        """Return what lies in each place."""
        own = self.root / FOLDER
        streams = [self._in_folder(FOLDER.name, FOLDER)] if own.is_dir() and not own.is_symlink() else []
        streams += [_deeper(self.root, FOLDER.name, FOLDER)] if own.is_symlink() else []
        return [*streams, *map(self._elsewhere, self.elsewhere)]

    def _elsewhere(self, one: ExternalSource) -> Iterator["_Found"]:
        try:
            if not is_remote(one.place) and (self.root / one.place).is_dir():
                yield from self._in_folder(one.place.rstrip("/"), FOLDER)
            else:
                for file in external_files(self.root, one.place):
                    if isinstance(file, Finding):
                        yield file
                    else:
                        yield from _sorted_out(file)
        except UnreadableError as unreadable:
            yield Finding(
                rule="reachable-source",
                path=one.path,
                message=str(unreadable),
                hint=unreadable.hint,
                pointer=one.pointer,
            )

    def _in_folder(self, folder: str, pure: PurePosixPath) -> Iterator["_Found"]:
        """Yield what lies in a folder that is laid out as `contracts/` is, or in a part of one."""
        try:
            listing = self._listings.of(self.root / folder, is_chain=len(pure.parts) == RECORDS_DEPTH)
        except OSError as error:
            yield Finding(
                rule="readable-text", path=folder, message=f"the folder cannot be read: {error.strerror}"
            )
            return
        for are_records, names in listing.runs:
            if are_records:
                yield _Records(folder, pure.name, names)
                continue
            for name in names:
                is_plain = name not in listing.others
                yield from self._other(f"{folder}/{name}", pure / name, name, is_plain=is_plain)

    def _other(self, path: str, pure: PurePosixPath, name: str, *, is_plain: bool) -> Iterator["_Found"]:
        """Yield what a name in a folder stands for that is not the file of a record."""
        if is_plain:
            yield from _sorted_out(ExternalFile(pure, path))
        elif name[0] == ".":
            return
        elif name.endswith("/") and len(pure.parts) <= RECORDS_DEPTH:
            yield from self._in_folder(path[:-1], pure)
        else:
            yield from _deeper(self.root, path.rstrip("/"), pure)


class _Other(NamedTuple):
    """A bulk file, or the news of a link."""

    kind: FileKind
    pure: PurePosixPath
    path: str
    is_link: bool = False


class _Records(NamedTuple):
    """Record files that follow each other in one folder."""

    folder: str
    chain_id: str
    names: list[str]


_Found = ContractSource | Finding | _Other | _Records


def _sources(stream: Iterator[_Found]) -> Iterator[ContractSource]:
    form = ContractForm.RECORD
    for found in stream:
        if isinstance(found, _Records):
            folder, chain_id, names = found
            for name in names:
                yield ContractSource(f"{folder}/{name}", chain_id, name[: name.rindex(".")], form)
        elif isinstance(found, ContractSource):
            yield found


def _deeper(root: Path, path: str, pure: PurePosixPath) -> Iterator[_Found]:
    """Yield what lies in the folder of a workspace or of an export, or behind a link."""
    if (root / path).is_symlink():
        yield _Other(FileKind.RECORD, pure, path, is_link=True)
    for found in walk_path(root, path):
        if isinstance(found, Finding):
            yield found
        else:
            yield from _sorted_out(ExternalFile(pure / found.path[len(path) + 1 :], found.path))


def _sorted_out(file: ExternalFile) -> Iterator[_Found]:
    """Yield what a file is by the convention; what is none of its business is passed over."""
    if is_ignored(file.pure):
        return
    place = match_pattern(file.pure)
    if place is None:
        if not is_workspace_file(file.pure):
            yield unknown_file_finding(file.pure, file.path)
    elif place.kind in BULK_FORMS:
        yield _Other(place.kind, file.pure, file.path)
    elif place.kind is FileKind.WORKSPACE:
        chain_id, address = file.pure.parts[1:3]
        yield ContractSource(path=file.path, chain_id=chain_id, address=address, form=ContractForm.WORKSPACE)
    else:
        address = file.pure.name.rpartition(".")[0]
        yield ContractSource(
            path=file.path, chain_id=file.pure.parts[1], address=address, form=ContractForm.RECORD
        )


class SourceStat(NamedTuple):
    """Size and time of all that a source is made of.

    Attributes:
        text: both, or a hash of them where there are several files; empty if they cannot be told.
        modified: the latest time, in nanoseconds.
    """

    text: str
    modified: int

    def text_if_before(self, instant: int) -> str:
        """Return the text if everything is older than an instant; else nothing, since time would not tell a change."""
        return self.text if self.modified < instant else ""


def source_stat(root: Path | str, source: ContractSource | BulkSource) -> SourceStat:
    """Return size and time of a source; of remote objects they cannot be told.

    Args:
        root: the content folder; text costs a tenth less, which counts where there are many sources.
        source: the source.
    """
    if isinstance(source, ContractSource) and source.form is ContractForm.RECORD:
        return _stat(root, source.path)
    if isinstance(source, BulkSource):
        paths: Sequence[str] = source.files
    elif source.form is ContractForm.WORKSPACE:
        folder = source.path.rpartition("/")[0]
        paths = [found.path for found in walk_path(Path(root), folder) if isinstance(found, SourceFile)]
    else:
        paths = (source.path,)
    stats = [_stat(root, path) for path in paths]
    if len(stats) == 1:
        return stats[0]
    joined = "\n".join(f"{path} {stat.text}" for path, stat in zip(paths, stats, strict=True))
    hashed = sha256(joined.encode("utf-8", "surrogateescape")).hexdigest()
    return SourceStat(
        hashed if all(stat.text for stat in stats) else "", max((stat.modified for stat in stats), default=0)
    )


def _stat(root: Path | str, path: str) -> SourceStat:
    try:
        found = os.stat(f"{root}/{path}")
    except (OSError, ValueError):
        return SourceStat("", 0)
    return SourceStat(f"{found.st_size} {found.st_mtime_ns}", found.st_mtime_ns)
