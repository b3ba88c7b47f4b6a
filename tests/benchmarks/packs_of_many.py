"""Packs of many records: what it costs to write one, beside a folder, and what a look-up reads.

    TMPDIR=/dev/shm python tests/benchmarks/packs_of_many.py 1000000 20000
    python tests/benchmarks/packs_of_many.py --choices
    TMPDIR=/var/tmp python tests/benchmarks/packs_of_many.py --cold 20000

The first number is that of records in the pack (JSON lines of 7 kB, those of corpus `L`), the second that of records in the
folder, which `statuary build` proves. Seconds are wall clock and CPU of the process with its children, memory is the largest
resident set of one process. `--choices` prints bytes a record for ways to compress the corpora M and S. `--cold` packs the documents of so many built records in this
process, while the system caches them and after it has dropped them, by themselves and together.
"""

import argparse
import os
import sqlite3
import subprocess
import sys
import tempfile
import time
import zlib
from collections.abc import Callable, Iterable, Iterator
from hashlib import sha256
from pathlib import Path
from typing import NamedTuple

sys.path.insert(0, str(Path(__file__).parents[1]))
sys.path.insert(0, str(Path(__file__).parent))

import corpora

from statuary.base.files import LEDGER
from statuary.extensions.packs import build_documents
from statuary.extensions.packs.build_documents import BuildDocuments, DocumentRow, copy_documents
from statuary.extensions.packs.codec import Compressor, train_dictionary
from statuary.extensions.packs.limits import DICTIONARY_SIZE, SAMPLE_SIZE
from statuary.extensions.packs.pack_folder import PackFolder
from statuary.extensions.packs.pack_list import ListedPack, PackListReader
from statuary.extensions.packs.pack_sources import is_packable
from statuary.extensions.packs.pack_tasks import PackingJob, make_packs
from statuary.extensions.snapshots.streams import FileRanges
from statuary.publish.ledger.document_table import KEEP
from statuary.publish.ledger.schema import NoOutput
from statuary.system.archives import import_zstandard
from statuary.workers.executor import InProcessExecutor

STATUARY = [sys.executable, "-m", "statuary"]


class Cost(NamedTuple):
    """What a process took."""

    seconds: float
    cpu: float
    memory: float  # MB


def measured(*command: str | Path) -> Cost:
    """Run a command of statuary, and return what it took; raise CalledProcessError if it fails."""
    began = time.perf_counter()
    process = subprocess.Popen([*STATUARY, *map(str, command)], stdout=subprocess.DEVNULL)
    _, status, usage = os.wait4(process.pid, 0)
    process.returncode = os.waitstatus_to_exitcode(status)
    if process.returncode:
        raise subprocess.CalledProcessError(process.returncode, [*map(str, command)])
    return Cost(time.perf_counter() - began, usage.ru_utime + usage.ru_stime, usage.ru_maxrss / 1000)


def records(kind: str, count: int) -> Iterator[corpora.Replica]:
    """Yield the records of a corpus."""
    return corpora.replicas(corpora.KINDS[kind], count)


class CountedRanges(FileRanges):
    """The bytes of a file, and how many were asked for."""

    asked: list[int]

    def read(self, offset: int, size: int) -> bytes:
        """Return a range, and count it."""
        data = super().read(offset, size)
        self.asked.append(len(data))
        return data


def key_of(replica: corpora.Replica) -> str:
    """Return the key of a record of a corpus."""
    return f"v2/contract/{replica.chain_id}/{replica.address.lower()}"


def looked_up(folder: Path, key: str) -> tuple[list[int], list[int], bool]:
    """Return the bytes of each request of a first look-up, of the same again in another leaf, and whether it is there."""
    asked: list[int] = []

    def opened(pack: ListedPack) -> FileRanges:
        ranges = CountedRanges(folder / "packs" / pack.path)
        ranges.asked = asked
        return ranges

    with PackListReader(PackFolder(str(folder)).require_pack_list(), opened) as reader:
        reader.find(key)
        first = [*asked]
        for pack in reader.packs:
            reader.reader(pack)._leaf.cache_clear()
        asked.clear()
        found = reader.find(key)
    return first, [*asked], found is not None


def pack_of(count: int, work: Path) -> None:
    """Print what a pack of so many records takes, and look-ups in it."""
    lines, keys, size = work / "records.jsonl", list[str](), 0
    middle = ""
    with lines.open("wb") as file:
        for number, replica in enumerate(records("L", count)):
            size += file.write(replica.body + b"\n") - 1
            middle = key_of(replica) if number <= count // 2 else middle
            if number < 1_000:
                keys.append(key_of(replica))
    site = work / "site"
    cost = measured("pack", "update", "--from", lines, site)
    packs = PackFolder(str(site)).require_pack_list()
    total = sum(pack.size for pack in packs)
    print(
        f"pack of {count:,} records ({size / 1e9:.2f} GB of lines): {cost.seconds:.0f} s, CPU {cost.cpu:.0f} s, {cost.memory:.0f} MB;"
    )
    print(f"    {total:,} bytes, {total / count:.1f} a record; head {packs[0].size - packs[0].end.offset:,}")
    print(f"    verify: {measured('pack', 'verify', site)}")
    lines.unlink()
    with lines.open("wb") as file:
        for replica in records("M", 1000):
            file.write(replica.body + b"\n")
    (work / "gone").write_text("\n".join(keys[5:25]))
    print(f"    1,000 records replaced: {measured('pack', 'update', '--from', lines, site)}")
    print(f"    20 records less: {measured('pack', 'update', '--remove', work / 'gone', site)}")
    packs = PackFolder(str(site)).require_pack_list()
    for what, key in {
        "found": middle,
        "the first": packs[0].totals.first,
        "the last": packs[0].totals.last,
        "not found": f"v2/contract/1/0x{'5' * 40}",
        "in a newer pack": keys[500],
        "removed": keys[7],
    }.items():
        first, again, found = looked_up(site, key)
        print(
            f"    {what} ({found}): {len(again)} requests of {again} bytes; the first time {len(first)} of {first}"
        )


def folder_of(count: int, work: Path) -> None:
    """Print what a folder of so many records takes, without pages."""
    content = work / "content"
    (content / "contracts").mkdir(parents=True)
    chains = set[str]()
    with (content / "contracts/all.jsonl").open("wb") as file:
        for replica in records("L", count):
            chains.add(replica.chain_id)
            file.write(replica.body + b"\n")
    (content / "site.yaml").write_text(corpora.site_yaml(chains))
    cost = measured("build", "--content", content, "--out", work / "build")
    size = sum(file.stat().st_blocks * 512 for file in (work / "build").rglob("*") if file.is_file())
    print(
        f"folder of {count:,} records: {cost.seconds:.0f} s, CPU {cost.cpu:.0f} s, {cost.memory:.0f} MB; {size:,} bytes on disk"
    )


def choices() -> None:
    """Print bytes a record of M and S for ways to compress them."""
    zstd = import_zstandard()
    for kind, count in (("M", 4000), ("S", 1000)):
        in_order = sorted(records(kind, count), key=lambda replica: replica.address.lower())
        bodies = [replica.body for replica in in_order]
        mean = sum(map(len, bodies)) / len(bodies)
        samples = sorted(bodies, key=lambda body: sha256(body).digest())[: int(SAMPLE_SIZE / mean)]
        dictionary = train_dictionary(samples, DICTIONARY_SIZE)
        trained = zstd.train_dict(samples, DICTIONARY_SIZE)
        ways: dict[str, Callable[[bytes], bytes]] = {
            "deflate": lambda text: zlib.compress(text, 6, -15),
            "zstd": lambda text: bytes(zstd.compress(text, 6)),
            "zstd with its dictionary": lambda text: bytes(zstd.compress(text, 6, zstd_dict=trained)),  # noqa: B023
            "a pack's frames": Compressor(dictionary).compress,
        }
        for target in (0, 64 << 10, 128 << 10, 256 << 10):
            frames = [*_frames(bodies, target)][:200]
            share = sum(map(len, frames)) / mean
            sizes = {name: sum(len(way(frame)) for frame in frames) / share for name, way in ways.items()}
            text = ", ".join(f"{name} {size:,.0f}" for name, size in sizes.items())
            print(f"{kind} ({mean:,.0f} bytes), frames of {target >> 10} kB: {text}")


def _frames(bodies: list[bytes], size: int) -> Iterator[bytes]:
    frame = b""
    for body in bodies:
        if frame and len(frame) + len(body) > size:
            yield frame
            frame = b""
        frame += body
    yield frame


def cold(count: int) -> None:
    """Print what packing takes, of documents that the system has in its cache, and of others."""
    with corpora.corpus("L", count) as content, tempfile.TemporaryDirectory() as work:
        out = Path(work) / "out"
        measured("build", "--content", content, "--out", out)
        with sqlite3.connect(out / LEDGER) as ledger:
            rows = [
                DocumentRow(path, size, digest, KEEP)
                for path, size, digest in ledger.execute("SELECT path, size, digest FROM documents")
                if is_packable(path)
            ]
        for is_cold in (False, True):
            for together in (1, build_documents.READ_TOGETHER):
                build_documents.READ_TOGETHER = together
                folder = Path(work) / f"{is_cold}-{together}"
                folder.mkdir()
                tables = copy_documents(folder / "documents.sqlite3", rows)
                if is_cold:
                    _drop_from_cache(out / row.path for row in rows)
                began, cpu = time.perf_counter(), time.process_time()
                job = PackingJob(BuildDocuments(tables, str(folder / "staged"), str(out)), folder)
                make_packs(job, InProcessExecutor(), lambda _: NoOutput())
                seconds, cpu = time.perf_counter() - began, time.process_time() - cpu
                where = "on the disk" if is_cold else "cached"
                print(
                    f"{len(rows):,} documents {where}, {together} together: {seconds:.1f} s, CPU {cpu:.1f} s"
                )


def _drop_from_cache(files: Iterable[Path]) -> None:
    os.sync()
    for file in files:
        with file.open("rb") as stream:
            os.posix_fadvise(stream.fileno(), 0, 0, os.POSIX_FADV_DONTNEED)


def main() -> None:
    """Run what the command line names."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("records", type=int, nargs="?", default=100_000)
    parser.add_argument("folder", type=int, nargs="?", default=0)
    parser.add_argument("--choices", action="store_true")
    parser.add_argument("--cold", type=int, metavar="RECORDS")
    options = parser.parse_args()
    if options.cold:
        return cold(options.cold)
    if options.choices:
        return choices()
    with tempfile.TemporaryDirectory() as work:
        pack_of(options.records, Path(work))
    if options.folder:
        with tempfile.TemporaryDirectory() as work:
            folder_of(options.folder, Path(work))
    return None


if __name__ == "__main__":
    main()
