"""Readers of bulk sources, and their temporary folder."""

import os
import shutil
import sys
from collections.abc import Collection, Iterator
from contextlib import AbstractContextManager, contextmanager, nullcontext, suppress
from pathlib import Path
from stat import S_ISDIR
from tempfile import gettempdir, mkdtemp

from typing_extensions import override

from statuary.base.findings import Finding
from statuary.contracts.incremental.bulk import BulkPart, BulkReader
from statuary.contracts.sources.contract_source import BulkSource
from statuary.extensions.bulk.export_tables import JoinLimits, join_export
from statuary.extensions.bulk.jsonl import (
    divide_into_line_ranges,
    divide_into_line_ranges_by_workers,
    is_compressed,
)
from statuary.source.remote_files import is_remote
from statuary.system.writing import lock_folder
from statuary.workers.executor import Executor, PooledExecutor


class LineReader(BulkReader):
    """Reads contracts from JSON Lines files."""

    @override
    def divide(
        self, root: Path, source: BulkSource, *, chains: Collection[str], memory: int, pool: Executor | None
    ) -> AbstractContextManager[Iterator[BulkPart | Finding]]:
        if isinstance(pool, PooledExecutor) and not (is_compressed(source.path) or is_remote(source.path)):
            return nullcontext(divide_into_line_ranges_by_workers(root, source.path, pool))
        return nullcontext(divide_into_line_ranges(root, source.path))


class ExportReader(BulkReader):
    """Reads contracts from the tables of a Sourcify export.

    Workers on other machines must be able to read its temporary folder.
    """

    @override
    @contextmanager
    def divide(
        self, root: Path, source: BulkSource, *, chains: Collection[str], memory: int, pool: Executor | None
    ) -> Iterator[Iterator[BulkPart | Finding]]:
        with scratch_directory() as folder:
            yield _join_and_list_parts(root, source, chains, folder, JoinLimits(memory=memory))


def _join_and_list_parts(
    root: Path, source: BulkSource, chain_ids: Collection[str], scratch_dir: Path, limits: JoinLimits
) -> Iterator[BulkPart | Finding]:
    joined = join_export(root, source, chain_ids=chain_ids, scratch_dir=scratch_dir, limits=limits)
    yield from joined.findings
    yield from joined.buckets


PREFIX = "statuary-join-"

GRACE = 60
"""Seconds after which the process that created a folder has certainly locked it."""


@contextmanager
def scratch_directory() -> Iterator[Path]:
    """Make a temporary folder, and remove it at the end.

    Folders of earlier processes that were killed are removed too.
    """
    folder = Path(mkdtemp(prefix=PREFIX))
    descriptor = lock_folder(folder, blocking=False)
    _remove_abandoned_folders(folder.stat().st_mtime - GRACE)
    try:
        yield folder
    finally:
        shutil.rmtree(folder, ignore_errors=True)
        if descriptor is not None:
            os.close(descriptor)


def _remove_abandoned_folders(latest_change: float) -> None:
    """Remove temporary folders that killed processes left.

    The locks on the folders ended with the processes.

    Args:
        latest_change: seconds since 1970; a folder that was changed later may not have its lock yet, and stays.
    """
    if sys.platform == "win32":
        return
    for folder in Path(gettempdir()).glob(f"{PREFIX}*"):
        with suppress(OSError):
            status = folder.lstat()
            if not S_ISDIR(status.st_mode) or status.st_uid != os.getuid() or status.st_mtime > latest_change:
                continue
            if (descriptor := lock_folder(folder, blocking=False)) is not None:
                shutil.rmtree(folder, ignore_errors=True)
                os.close(descriptor)
