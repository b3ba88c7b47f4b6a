"""Packs made by the workers of a build: the bytes of one process, and nothing lost if a worker or the build ends."""

import os
from collections.abc import Iterator
from contextlib import nullcontext
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from statuary.contracts.paths import plain_path
from statuary.extensions.packs import build_documents, pack_tasks, pack_writer, section
from statuary.extensions.packs.limits import FRAME_SIZE
from statuary.extensions.packs.pack_format import make_pack_key
from statuary.extensions.packs.pack_list import make_pack_name
from statuary.extensions.packs.pack_sources import KeyRow, KeyTable, is_packable
from statuary.extensions.packs.pack_tasks import (
    CompressedRange,
    RangeEntry,
    Survey,
    divide_into_packs,
    find_exits,
)
from statuary.extensions.packs.pack_writer import divide_into_groups, write_pack
from statuary.workers.executor import Executor, InProcessExecutor, process_executor
from support import worker_tasks
from support.dask_cluster import dask_cluster
from support.packed_sites import build, built_files, list_of, packed_content, require_zstd
from support.sites import files_in, path_of, record_of

COUNT = 100
TESTS = Path(__file__).parents[2]
SIZES = st.lists(st.one_of(st.sampled_from([0, 1, FRAME_SIZE, FRAME_SIZE + 1]), st.integers(0, FRAME_SIZE)))
SPACE = 1_000


@pytest.fixture(autouse=True)
def _setup(monkeypatch: pytest.MonkeyPatch) -> None:
    """Make short ranges, so that few documents are divided as many are, and tell workers where tests are."""
    require_zstd()
    monkeypatch.setattr(build_documents, "RANGE_SAMPLE", bytes([32]))
    monkeypatch.setenv("PYTHONPATH", str(TESTS))
    monkeypatch.setenv("STATUARY_DRIVER", str(os.getpid()))


@pytest.fixture
def content(tmp_path: Path) -> Path:
    return packed_content(tmp_path, COUNT)


@pytest.fixture(params=["processes", "dask"])
def executor(request: pytest.FixtureRequest) -> Iterator[Executor]:
    if request.param == "processes":
        with process_executor(3) as processes:
            yield processes
        return
    from statuary.extensions.cluster.dask_pool import DaskExecutor

    with dask_cluster() as cluster, DaskExecutor(cluster.address) as workers:
        yield workers


class Row:
    """A document that has only a size."""

    def __init__(self, number: int, size: int) -> None:
        self.key, self.size = f"{number:04d}", size


@given(SIZES, st.lists(st.integers(0, 40)), st.sampled_from([1, 2, 3, 1024]))
def test_groups_of_ranges_equal_groups_of_whole(
    sizes: list[int], cuts: list[int], most_documents: int
) -> None:
    with pytest.MonkeyPatch.context() as patched:
        for module in (pack_tasks, pack_writer):
            patched.setattr(module, "FRAME_DOCUMENTS", most_documents)
        check_groups_of_ranges(sizes, cuts)


def check_groups_of_ranges(sizes: list[int], cuts: list[int]) -> None:
    """Make sure that groups that begin in ranges are those of all documents together."""
    starts, start = set[int](), 0
    for group in divide_into_groups(Row(number, size) for number, size in enumerate(sizes)):
        starts.add(start)
        start += len(group)
    ends = sorted({cut for cut in cuts if cut < len(sizes)})
    bounds = [*zip([0, *ends], [*ends, len(sizes)], strict=True)]
    surveys = [
        Survey(number, stop - first, find_exits(sizes[first:], stop - first), ())
        for number, (first, stop) in enumerate(bounds)
    ]
    entries = [*pack_tasks._find_entries(reversed(surveys))]
    firsts = [
        min((start for start in starts if first <= start < stop), default=None) for first, stop in bounds
    ]
    assert entries == [
        RangeEntry(number, first - bounds[number][0])
        for number, first in enumerate(firsts)
        if first is not None
    ]


@given(st.lists(st.lists(st.integers(1, SPACE + 9), max_size=5), max_size=9))
def test_packs_of_ranges_equal_packs_of_whole(ranges: list[list[int]]) -> None:
    packs = divide_into_packs((CompressedRange(number, sizes) for number, sizes in enumerate(ranges)), SPACE)
    assert [
        [size for part in parts for size in ranges[part.number][part.start : part.stop]] for parts in packs
    ] == sequential_packs([size for sizes in ranges for size in sizes], SPACE)


def sequential_packs(sizes: list[int], space: int) -> list[list[int]]:
    """Divide the sizes of groups into those of packs, one after the other."""
    packs, filled = list[list[int]](), 0
    for size in sizes:
        if not packs or filled + size > space:
            packs.append([])
            filled = 0
        packs[-1].append(size)
        filled += size
    return packs


@pytest.mark.parametrize("layout", ["plain", "sharded"])
def test_range_packs_equal_sequential_packs(content: Path, tmp_path: Path, layout: str) -> None:
    with (content / "site.yaml").open("a") as file:
        file.write(f"hosting: {{layout: {layout}}}\n")
    files = built_files(content, tmp_path / "out")
    paths = {make_pack_key(plain_path(path)): path for path in files if is_packable(path)}
    with KeyTable(lambda row: files[row.path]) as table:
        table.add(KeyRow(key, path=path) for key, path in paths.items())
        pack = write_pack(tmp_path / "one.pack", table.documents(), table.dictionary())
    expected = {f"packs/{make_pack_name(pack.sha256)}": (tmp_path / "one.pack").read_bytes()}
    assert {path: body for path, body in files.items() if path.endswith(".pack")} == expected


@pytest.mark.slow
def test_workers_and_one_process_pack_identically(content: Path, tmp_path: Path, executor: Executor) -> None:
    for step in range(3):
        for number in range(200 + 60 * step, 260 + 60 * step):
            (content / path_of(number)).write_bytes(record_of(number))
        (content / path_of(step)).unlink(missing_ok=True)
        assert build(content, tmp_path / "workers", executor=executor).applied
        assert files_in(tmp_path / "workers") == built_files(content, tmp_path / "alone")


@pytest.mark.slow
def test_packing_survives_killed_worker(
    content: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("STATUARY_TRACE", str(tmp_path / "trace"))
    monkeypatch.setattr(pack_tasks, "compress_range", worker_tasks.compress_range_or_die)
    with process_executor(3) as executor:
        assert build(content, tmp_path / "workers", executor=executor).applied
    assert (tmp_path / "trace").exists()
    monkeypatch.undo()
    require_zstd()
    assert files_in(tmp_path / "workers") == built_files(content, tmp_path / "alone")


ROUNDS = {
    "list_packed_documents": section,
    "survey_range": pack_tasks,
    "compress_range": pack_tasks,
    "assemble_pack": pack_tasks,
}
"""The rounds of tasks of a build that merges a pack, with the modules that call them."""


@pytest.mark.slow
@pytest.mark.parametrize("round_of_tasks", ROUNDS)
@pytest.mark.parametrize("is_interrupted", [False, True], ids=["failing worker", "interrupted build"])
def test_stopped_packing_keeps_previous_packs(
    content: Path,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    round_of_tasks: str,
    *,
    is_interrupted: bool,
) -> None:
    out, other = tmp_path / "out", tmp_path / "other"
    for start in (200, 220):
        before = built_files(content, out)
        if is_interrupted:  # the next build merges packs; after an error, it packs all documents again
            built_files(content, other)
        for number in range(start, start + 20):
            (content / path_of(number)).write_bytes(record_of(number))
    assert len(list_of(before)) == 2
    stop = worker_tasks.interrupt_packing if is_interrupted else worker_tasks.fail_packing
    with monkeypatch.context() as patched, process_executor(3) as executor:
        patched.setattr(ROUNDS[round_of_tasks], round_of_tasks, stop)
        with pytest.raises(KeyboardInterrupt) if is_interrupted else nullcontext():
            result = build(content, out, executor=InProcessExecutor() if is_interrupted else executor)
            assert any("the disk is full" in finding.message for finding in result.checked.all_findings)
    assert list_of(files_in(out)) == list_of(before)
    assert (files_in(out) == before) == is_interrupted
    assert built_files(content, out) == built_files(content, other)
    assert not [*out.glob(".statuary/staged/*")]


@pytest.mark.slow
def test_lost_pack_list_keeps_equal_packs(
    content: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(pack_tasks, "PUBLISHED_SIZE", 1_000)
    files = built_files(content, tmp_path / "out")
    packs = list_of(files)
    assert len(packs) > 2
    (tmp_path / "out" / "packs" / packs[-1].path).unlink()
    assert built_files(content, tmp_path / "out") == files
