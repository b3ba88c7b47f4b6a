"""Work that follows the building of many contracts, done by workers: the same site, ledger and findings as of one process."""

import os
import sqlite3
from contextlib import closing
from hashlib import sha256
from pathlib import Path

import orjson
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from statuary.base.files import LEDGER, MANIFEST
from statuary.base.findings import Finding
from statuary.base.primitives import parse_instant
from statuary.base.progress import NoProgress
from statuary.contracts.incremental.built_contracts import LIST_PAGES
from statuary.contracts.incremental.contract_table import partition_rows
from statuary.contracts.incremental.table_schema import SourceRow
from statuary.engine.build import build_site
from statuary.engine.report import BuildResult
from statuary.extensions.bulk import readers
from statuary.extensions.bulk.jsonl import divide_into_line_ranges_by_workers
from statuary.extensions.cluster import finalize as tail
from statuary.extensions.cluster.dask_pool import DaskExecutor
from statuary.extensions.cluster.finalize import ListingTask, make_manifest_parts
from statuary.publish import listing
from statuary.publish.folder.folder_target import FolderTarget
from statuary.publish.ledger import document_table
from statuary.publish.ledger.document_table import write_partition_file
from statuary.publish.ledger.ledger import OWNED_NAMES, Ledger
from statuary.publish.ledger.ranges import (
    ListedRange,
    SummaryTask,
    bounds_ignoring_case,
    divide_site_files,
    divide_worker_files,
    index_rows_by_path,
    merge_into_tables,
    merge_task,
    summarize_files,
    tables_for_workers,
    use_merged_tables,
    write_sorted_range,
)
from statuary.publish.ledger.schema import AddedFile, CollectedOutput, PartitionResult
from statuary.publish.listing import Entry, encode_part, split_into_parts
from statuary.publish.plan import Action
from statuary.site.document import Document
from statuary.workers.executor import Executor, InProcessExecutor, process_executor
from statuary.workers.options import ExecutionOptions
from support.dask_cluster import DaskCluster, dask_cluster
from support.random_runs import times
from support.sites import CHAIN, NOW, address_of, path_of, record_of, site_of_many, tree, write_files

COUNT = 120
PATHS = st.integers(0, 80).map(lambda number: f"v2/{'aA'[number % 2]}{number:02}")


@pytest.fixture(scope="module")
def cluster():
    with dask_cluster() as running:
        yield running


@pytest.fixture
def many(monkeypatch) -> None:
    """Make small partitions and short ranges, so that few contracts are divided as many are."""
    monkeypatch.setattr(FolderTarget, "partition_size", 4)
    monkeypatch.setattr(document_table, "SAMPLED_ROWS", 17)


def build(content: Path, out: Path, executor: Executor | None = None) -> BuildResult:
    execution = ExecutionOptions(executor=executor or InProcessExecutor())
    with FolderTarget(out) as target:
        return build_site(content, target, parse_instant(NOW), NoProgress(), execution=execution)


def ledger_of(site: Path) -> list[list[tuple[object, ...]]]:
    """Return what the ledger of a site knows, but for times."""
    queries = (
        "SELECT path, aliases, digest, size, sources, persistent, run FROM documents ORDER BY path",
        "SELECT * FROM sources ORDER BY location",
        "SELECT name, fingerprint, items, paths FROM kept ORDER BY name",
        "SELECT name, value FROM notes WHERE name IN ('names', 'size')",
        "SELECT path, aliases FROM owned.names ORDER BY path",
    )
    with closing(sqlite3.connect(site / LEDGER)) as connection:
        ((pages,),) = connection.execute("SELECT value FROM notes WHERE name = ?", (LIST_PAGES,))
        connection.execute("ATTACH ? AS owned", (str((site / LEDGER).with_name(OWNED_NAMES)),))
        return [
            *(connection.execute(query).fetchall() for query in queries),
            sorted(orjson.loads(pages).items()),
        ]


def told(result: BuildResult) -> list[Finding]:
    return result.checked.all_findings


def content_of(root: Path, *, chains: int = 1) -> Path:
    content = site_of_many(root, COUNT)
    if chains > 1:
        site = (content / "site.yaml").read_text()
        site = site.replace("listed: 0, search: false", "listed: 1000, search: true")
        write_files(
            content, {"site.yaml": site.replace("chains:\n", "chains:\n  - {chain_id: 10, name: Ten}\n", 1)}
        )
    for file in content.rglob("*"):
        os.utime(file, (1_700_000_000, 1_700_000_000))  # old enough to be trusted
    return content


def opened(engine: str, cluster: DaskCluster) -> Executor:
    return process_executor(3) if engine == "processes" else DaskExecutor(cluster.address)


@pytest.mark.slow
@pytest.mark.usefixtures("many")
@pytest.mark.parametrize(("engine", "chains"), [("dask", 1), ("dask", 2), ("processes", 1), ("processes", 2)])
def test_workers_and_single_process_build_identically(tmp_path, cluster, monkeypatch, engine, chains):
    content = content_of(tmp_path, chains=chains)
    alone, made, real = build(content, tmp_path / "alone"), [], FolderTarget.merge_partition
    monkeypatch.setattr(
        FolderTarget, "merge_partition", lambda *taken: (made.append(taken[1].file), real(*taken))
    )
    with opened(engine, cluster) as executor:
        together = build(content, tmp_path / "together", executor)
    names = [file.name for file in made if file is not None]
    assert sum("listing" in name for name in names) > 4
    assert any("contracts" in name for name in names) == (engine == "processes")
    assert together.applied
    assert tree(tmp_path / "together") == tree(tmp_path / "alone")
    assert ledger_of(tmp_path / "together") == ledger_of(tmp_path / "alone")
    assert told(together) == told(alone)


@pytest.mark.slow
@pytest.mark.usefixtures("many")
def test_workers_rebuild_lists_after_settings_change(tmp_path):
    content, built = content_of(tmp_path, chains=2), tmp_path / "together"
    site = content / "site.yaml"
    site.write_text(site.read_text().replace("name: Ten", "name: Eleven"))
    with process_executor(3) as executor:
        build(content, built, executor)
    site.write_text(site.read_text().replace("name: Eleven", "name: Ten"))
    write_files(content, {path_of(number): None for number in range(1, 40)})
    with process_executor(3) as executor:
        build(content, built, executor)
    build(content, tmp_path / "alone")
    one, other = tree(built), tree(tmp_path / "alone")
    assert {path for path in one.keys() | other.keys() if one.get(path) != other.get(path)} <= {
        "changes.json"
    }


@pytest.mark.slow
@pytest.mark.usefixtures("many")
@pytest.mark.parametrize("template", ["chain.html", "contracts.html"])
def test_failing_worker_template_is_reported_once(tmp_path, template):
    content = content_of(tmp_path, chains=2)
    write_files(content, {f"theme/templates/{template}": b"{{ 1 / 0 }}"})
    alone = build(content, tmp_path / "alone")
    with process_executor(3) as executor:
        together = build(content, tmp_path / "together", executor)
    assert any(template in finding.path for finding in told(alone))
    assert told(together) == told(alone)
    assert tree(tmp_path / "together") == tree(tmp_path / "alone")


@pytest.mark.slow
def test_duplicate_contracts_are_excluded_by_workers(tmp_path, cluster, many):
    content = content_of(tmp_path)
    again = orjson.loads(record_of(7)) | {"matchId": "9999"}
    write_files(content, {"contracts/again.jsonl": orjson.dumps(again) + b"\n"})
    write_files(content, {path_of(500): orjson.dumps(orjson.loads(record_of(500)) | {"matchId": "11"})})
    alone = build(content, tmp_path / "alone")
    with DaskExecutor(cluster.address) as executor:
        together = build(content, tmp_path / "together", executor)
    assert alone.checked.excluded_count == 2
    assert told(together) == told(alone)
    assert tree(tmp_path / "together") == tree(tmp_path / "alone")
    first = orjson.loads((tmp_path / f"together/v2/contract/{CHAIN}/{address_of(7)}").read_bytes())
    assert first["matchId"] == orjson.loads(record_of(7))["matchId"]


@pytest.mark.slow
def test_workers_report_correct_jsonl_line_numbers(tmp_path, cluster, many, monkeypatch):
    content = site_of_many(tmp_path, 3)
    records = [record_of(number) for number in range(10, 10 + COUNT)]
    records[50], records[51] = b"", b'{"chainId": "748463", "address": 3}'
    write_files(content, {"contracts/all.jsonl": b"\n".join(records)})
    alone = build(content, tmp_path / "alone")
    real = divide_into_line_ranges_by_workers
    monkeypatch.setattr(
        readers, "divide_into_line_ranges_by_workers", lambda *given: real(*given, range_size=1000)
    )
    with DaskExecutor(cluster.address) as executor:
        together = build(content, tmp_path / "together", executor)
    assert any(finding.position is not None and finding.position.line == 52 for finding in told(alone))
    assert told(together) == told(alone)
    assert tree(tmp_path / "together") == tree(tmp_path / "alone")


@pytest.mark.slow
def test_local_rebuild_after_cluster_changes_nothing(tmp_path, cluster, many):
    content = content_of(tmp_path)
    with DaskExecutor(cluster.address) as executor:
        build(content, tmp_path / "out", executor)
    after = build(content, tmp_path / "out")
    assert after.plan is not None
    assert after.plan.is_empty
    write_files(content, {path_of(300): record_of(300), path_of(5): None})
    with DaskExecutor(cluster.address) as executor:
        build(content, tmp_path / "out", executor)
    build(content, tmp_path / "anew")
    differing = {"changes.json"}
    one, other = tree(tmp_path / "out"), tree(tmp_path / "anew")
    assert {path for path in one.keys() | other.keys() if one.get(path) != other.get(path)} <= differing


@pytest.mark.slow
def test_cluster_resumes_interrupted_build(tmp_path, cluster, many, monkeypatch):
    content = content_of(tmp_path)
    build(content, tmp_path / "undisturbed")
    real, taken = FolderTarget.merge_partition, []

    def until_the_tenth(target, result):
        taken.append(result)
        if len(taken) == 10:
            raise KeyboardInterrupt
        real(target, result)

    with monkeypatch.context() as interrupted:
        interrupted.setattr(FolderTarget, "merge_partition", until_the_tenth)
        with pytest.raises(KeyboardInterrupt):
            build(content, tmp_path / "out")
    with DaskExecutor(cluster.address) as executor:
        assert build(content, tmp_path / "out", executor).applied
    assert tree(tmp_path / "out") == tree(tmp_path / "undisturbed")


def recorded(path: str, source: str) -> AddedFile:
    digest = sha256(f"{path} {source}".encode()).digest()
    return AddedFile(path, "", digest, 1, 2, source, persistent=True, actions="a")


def row_of(location: str) -> SourceRow:
    return SourceRow(location, location, "", "", b"", "", "new", "", published=False)


@settings(max_examples=times(60))
@given(st.lists(st.lists(PATHS, max_size=12), min_size=1, max_size=7), st.integers(1, 9))
def test_worker_row_ranges_are_disjoint(tmp_path_factory, partitions, count):
    """Paths repeat, in one partition and in several, and differ in case: the ledger decides what that means."""
    folder, files, rows = tmp_path_factory.mktemp("partitions"), [], []
    for number, paths in enumerate(partitions):
        offers = [recorded(path, f"{number}-{place}") for place, path in enumerate(paths)]
        files.append(folder / f"1-contracts-{number}.sqlite3")
        sources = partition_rows([row_of(f"{number}-{place}") for place in range(len(paths))])
        write_partition_file(files[-1], PartitionResult(len(paths), rows=sources, files=offers))
        index_rows_by_path(files[-1])
        rows += offers
    gathered, locations, last = [], [], b""
    for task in divide_worker_files(files, count):
        assert write_sorted_range(task) == write_sorted_range(task)  # as after a lost worker
        with closing(sqlite3.connect(task.file)) as connection:
            found = connection.execute("SELECT * FROM offered").fetchall()
            if task.sources:
                locations += connection.execute("SELECT location FROM built").fetchall()
        keys = [row[0].encode().lower() for row in found]
        assert keys == sorted(keys)
        if keys:
            assert last < keys[0]
            last = keys[-1]
        gathered += found
    assert sorted(gathered) == sorted(tuple(row) for row in rows)
    assert sorted(locations) == sorted((row.sources,) for row in rows)


@settings(max_examples=times(20))
@given(st.lists(st.lists(PATHS, max_size=12), min_size=1, max_size=4))
def test_worker_merges_rows_like_building_process(tmp_path_factory, partitions):
    """The order of partitions decides which of two files with a path is kept, and which error is reported."""
    folder = tmp_path_factory.mktemp("merged")
    files = [folder / f"1-contracts-{number}.sqlite3" for number in range(len(partitions))]
    for number, paths in enumerate(partitions):
        offers = [recorded(path, f"{number}-{place}") for place, path in enumerate(paths)]
        sources = partition_rows([row_of(f"{number}-{place}") for place in range(len(paths))])
        write_partition_file(files[number], PartitionResult(len(paths), rows=sources, files=offers))
    found = []
    for by_worker in (False, True):
        with FolderTarget(folder / f"site {by_worker}") as target:
            target.ledger.documents.sampling = 5
            target.add([Document("v2/A07", b"earlier", "text/plain")])
            if by_worker:
                task = merge_task(target.ledger, files)
                assert task is not None
                merge_into_tables(task)  # by a worker that was lost
                use_merged_tables(target.ledger, merge_into_tables(task))
            else:
                for file in files:
                    target.merge_partition(PartitionResult(0, file=file))
            documents, connection = target.ledger.documents, target.ledger.connection
            tables = (
                connection.execute("SELECT path, digest, sources, run FROM work.offered").fetchall(),
                connection.execute("SELECT * FROM work.built").fetchall(),
            )
            found.append((tables, documents.sampled_paths, str(documents.path_conflict)))
    assert found[0] == found[1]


@settings(max_examples=times(200))
@given(st.sets(st.integers(0, 99)), st.sets(st.integers(0, 99)))
def test_manifest_built_in_ranges_equals_whole(numbers, cuts):
    """Parts are short here, and end after two of five paths on average, or after four."""
    entries = [
        Entry(f"incidents/{number:02}.json", (), number, sha256(b"%d" % number).hexdigest(), "text/plain")
        for number in sorted(numbers)
    ]

    class Rows(ListedRange):
        def rows(self):
            for entry in entries:
                if entry.path > self.after:
                    yield entry.path, "", entry.size, bytes.fromhex(entry.sha256)

    with pytest.MonkeyPatch.context() as patch:
        for module in (tail, listing):
            patch.setattr(module, "ends_part", lambda path: int(path[10:12]) % 5 < 2)
        patch.setattr(listing, "MAX_PART_LENGTH", 4)
        patch.setattr(tail, "media_type_of", lambda path: "text/plain")
        ends = [f"incidents/{number:02}.json" for number in sorted(cuts)]
        parts, bodies, names, size = [], {}, 0, 0
        for number, after in enumerate(["", *ends]):
            following = tuple(ends[number : number + 2])
            some = make_manifest_parts(ListingTask("", Rows("", after, following), CollectedOutput()))
            parts += some.parts
            bodies |= {document.path: document.body for document in some.result.documents}
            names, size = names + some.names, size + some.size
        whole = [encode_part(part) for part in split_into_parts(iter(entries))]
    assert parts == [part for part, _ in whole]
    assert bodies == {part.path: text for part, text in whole}
    assert (names, size) == (len(entries), sum(entry.size for entry in entries))


NAMES = st.text("0@AZ[`az~é", max_size=4)


@settings(max_examples=times(300))
@given(NAMES, NAMES, NAMES)
def test_bounds_ignoring_case_hold_range(after, until, name):
    low, high = bounds_ignoring_case(after, until) if after < until else ("", "~")
    with closing(sqlite3.connect(":memory:")) as connection:
        ((is_within,),) = connection.execute(
            "SELECT path BETWEEN ? AND ? FROM (SELECT ? COLLATE NOCASE AS path)", (low, high, name)
        )
    assert is_within or not after < name <= until


def test_listed_ranges_yield_files_by_bytes(tmp_path, monkeypatch):
    monkeypatch.setattr(document_table, "SAMPLED_ROWS", 5)
    paths = [f"{folder}/{number:03X}{end}" for folder in "aB" for number in range(300) for end in ("x", "X_")]
    with FolderTarget(tmp_path / "site") as target:
        file = tmp_path / "partition.sqlite3"
        write_partition_file(file, PartitionResult(0, files=[recorded(path, "") for path in paths]))
        target.merge_partition(PartitionResult(0, file=file))
        several = divide_site_files(target.ledger, 100)
        for listed_range in several:
            expected = [path for path in sorted(paths) if path > listed_range.after]
            assert [path for path, *_ in listed_range.rows()] == expected
    assert 50 < len(several) < 130
    assert [listed.until for listed in several] == [*(listed.after for listed in several[1:]), None]


@pytest.mark.parametrize("is_late", [False, True])
def test_summary_of_worker_counts_all_files(tmp_path, is_late):
    """A file that is added after the summary, and is none of the manifest, is counted all the same."""
    late = Document("b/late.txt" if is_late else MANIFEST, b"late", "text/plain")
    with FolderTarget(tmp_path / "site") as target:
        target.add(Document(f"a/{number}.txt", b"body", "text/plain") for number in range(5))
        tables = tables_for_workers(target.ledger)
        assert tables is not None
        summary = summarize_files(SummaryTask(tables, makes_names=True))
        target.ledger.documents.use_summary(summary)
        target.add([late])
        assert (target.plan().counts[Action.ADD], target.plan().size) == (6, 24)
        target.apply()
    with closing(sqlite3.connect((tmp_path / "site" / LEDGER).with_name(OWNED_NAMES))) as connection:
        names = [path for (path,) in connection.execute("SELECT path FROM names ORDER BY path")]
    assert names == sorted([*(f"a/{number}.txt" for number in range(5)), late.path])


def test_interrupted_replacement_of_path_database_is_repaired(tmp_path, monkeypatch):
    def add_files(target: FolderTarget) -> None:
        target.add(Document(f"a/{number}.txt", b"body", "text/plain") for number in range(5))

    with FolderTarget(tmp_path / "site") as target:
        add_files(target)
        tables = tables_for_workers(target.ledger)
        assert tables is not None
        target.ledger.documents.use_summary(summarize_files(SummaryTask(tables, makes_names=True)))
        with monkeypatch.context() as interrupted:
            interrupted.setattr(Ledger, "_save_paths", raise_interrupt)
            with pytest.raises(KeyboardInterrupt):
                target.apply()
    with FolderTarget(tmp_path / "site") as target:
        assert (tmp_path / "site/a/4.txt").read_bytes() == b"body"
        add_files(target)
        assert target.plan().is_empty
        names = target.ledger.connection.execute("SELECT path FROM owned.names ORDER BY path").fetchall()
    assert names == [(f"a/{number}.txt",) for number in range(5)]


def raise_interrupt(*_: object) -> None:
    raise KeyboardInterrupt
