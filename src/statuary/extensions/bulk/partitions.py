"""Splits bulk sources into parts that workers read independently, in any order and repeatedly."""

import os
import shutil
import sys
from collections.abc import Collection, Iterable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from stat import S_ISDIR
from tempfile import gettempdir, mkdtemp

from statuary.content.unreadable import UnreadableError
from statuary.domain.catalogue import BulkForm, BulkSource
from statuary.domain.findings import Finding
from statuary.extensions.bulk.export_records import locate_in_row, read_bucket
from statuary.extensions.bulk.export_tables import ExportBucket, JoinLimits, join_export
from statuary.extensions.bulk.jsonl import (
    BulkContract,
    LineRange,
    line_ranges,
    locate_in_line,
    read_line_range,
)

Partition = LineRange | ExportBucket
"""A part of a bulk source: small, picklable, and every read of it gives the same contracts."""


def partitions(
    root: Path,
    sources: Iterable[BulkSource],
    *,
    chains: Collection[str],
    scratch_dir: Path,
    limits: JoinLimits,
) -> Iterator[Partition | Finding]:
    """Yield the parts of bulk sources, and findings about sources as a whole.

    Args:
        chains: the ids of the site's chains; contracts of an export on others are left out.
        scratch_dir: an empty folder for the join of exports, which must exist until all parts are read;
            workers on other machines must see it under the same path.
    """
    for number, source in enumerate(sources):
        try:
            if source.form is BulkForm.JSONL:
                yield from line_ranges(root, source.path)
                continue
            own = scratch_dir / str(number)
            own.mkdir(parents=True)
            joined = join_export(root, source, chains=chains, scratch_dir=own, limits=limits)
            yield from joined.findings
            yield from joined.buckets
        except UnreadableError as error:
            yield error.finding(source.path)


def read_partition(root: Path, partition: Partition) -> Iterator[BulkContract]:
    """Yield the contracts of a part."""
    return (
        read_bucket(root, partition)
        if isinstance(partition, ExportBucket)
        else read_line_range(root, partition)
    )


def locate_in_partition(findings: Iterable[Finding], contract: BulkContract) -> list[Finding]:
    """Return findings about a contract with their positions: line and column, or row."""
    found = list(findings)
    own = [one for one in found if one.position is None and one.path == contract.source.path]
    others = [one for one in found if one.position is not None or one.path != contract.source.path]
    if contract.text is not None:
        return [*others, *locate_in_line(own, contract.source.line, contract.text)]
    return [*others, *(locate_in_row(one, contract.source) for one in own)]


if sys.platform != "win32":
    import fcntl

PREFIX = "statuary-join-"

GRACE = 60
"""Seconds after which a new folder certainly has its lock."""


@contextmanager
def scratch_directory() -> Iterator[Path]:
    """Make a temporary folder; remove it, and those of killed processes."""
    folder = Path(mkdtemp(prefix=PREFIX))
    descriptor = _lock(folder)
    _remove_abandoned(folder.stat().st_mtime - GRACE)
    try:
        yield folder
    finally:
        shutil.rmtree(folder, ignore_errors=True)
        if descriptor is not None:
            os.close(descriptor)


def _remove_abandoned(before: float) -> None:
    """Remove this user's temporary folders of processes that have ended: their locks ended with them.

    Args:
        before: when a folder must have changed last, in seconds since 1970; a newer one may not have its lock yet.
    """
    if sys.platform == "win32":
        return
    for folder in Path(gettempdir()).glob(f"{PREFIX}*"):
        with suppress(OSError):
            status = folder.lstat()
            if not S_ISDIR(status.st_mode) or status.st_uid != os.getuid() or status.st_mtime > before:
                continue
            if (descriptor := _lock(folder)) is not None:
                shutil.rmtree(folder, ignore_errors=True)
                os.close(descriptor)


def _lock(folder: Path) -> int | None:
    """Lock a folder until the descriptor closes; return None if another process has locked it."""
    if sys.platform == "win32":
        return None
    descriptor = os.open(folder, os.O_RDONLY)
    try:
        fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except OSError:
        os.close(descriptor)
        return None
    return descriptor
