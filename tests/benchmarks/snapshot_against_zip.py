"""Snapshots of many records, as ratios to `zip -r` of the same tree in one run.

    python tests/benchmarks/snapshot_against_zip.py [--records 100000] [folder of <chainId>/<address>.json]

Without a folder: the real records of up to 40 kB in `../shared/data`, else this repository's own. The tree is a published
folder: each record under two names (hard links) and under its address for all chains, and one status document. Records are
repeated under new addresses.

Every command runs once, whole processes with start-up; memory is the peak of the largest process. Snapshots are made,
verified and compared; a quarter of the records shows whether memory grows with their number.
"""

import argparse
import os
import random
import shutil
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path
from time import perf_counter

sys.path.insert(0, str(Path(__file__).parents[1]))

import orjson
from processes import Run, run

from statuary.base.primitives import checksum_address, keccak256
from statuary.extensions.serving.site import open_snapshot
from support.requirements import CHECKOUT

REAL = CHECKOUT.parent / "shared/data/contract-records"
OWN = CHECKOUT / "content/contracts"
LARGEST = 40_000
NOW = "2026-11-20T12:00:00Z"
LOOK_UPS = 2000


def addresses(count: int) -> Iterator[str]:
    """Yield addresses that are spread as real ones are."""
    for number in range(count):
        yield checksum_address("0x" + keccak256(b"%d" % number).hex()[:40])


def grown(files: list[Path], count: int, site: Path) -> int:
    """Write a published folder of records; return the bytes of its bodies, each counted once."""
    records = [orjson.loads(file.read_bytes()) for file in files]
    size = 0
    for name in ("v2/contract/1", "v2/contract/all-chains", "api/v2"):
        (site / name).mkdir(parents=True)
    for number, address in enumerate(addresses(count)):
        record = records[number % len(records)] | {"address": address, "chainId": "1", "matchId": str(number)}
        body = orjson.dumps(record)
        everywhere = orjson.dumps({"results": [{"chainId": "1", "address": address, "matchId": str(number)}]})
        for folder, text in (("v2/contract/1", body), ("v2/contract/all-chains", everywhere)):
            file = site / folder / address
            file.write_bytes(text)
            if address != address.lower():
                os.link(file, site / folder / address.lower())
        size += len(body) + len(everywhere)
    (site / "api/v2/status.json").write_bytes(b'{"status":{"indicator":"none"}}')
    return size


def statuary(*arguments: object) -> list[str]:
    """Return a command line of statuary."""
    return [sys.executable, "-m", "statuary", *map(str, arguments)]


def line(name: str, done: Run, file: Path | None = None, base: Run | None = None, size: int = 0) -> None:
    """Print one row."""
    ratio = f"{done.wall / base.wall:6.2f}" if base else "      "
    bytes_ = file.stat().st_size if file else 0
    packed = f"{bytes_ / 1e6:9.1f} MB {bytes_ / size:7.1%}" if file and size else ""
    print(
        f"{name:44} {done.wall:8.1f} s {ratio} {done.cpu:8.1f} s {done.memory:8.0f} MiB {packed}", flush=True
    )


def measure(files: list[Path], count: int, scratch: Path) -> None:
    """Run everything once on so many records."""
    site = scratch / "site"
    size = grown(files, count, site)
    print(
        f"\n{count:,} records, {size / 1e6:,.0f} MB; {'wall':>25} {'ratio':>6} {'CPU':>10} {'memory':>12} size"
    )
    zipped = run(["sh", "-c", f"cd {site} && zip -q -r -X {scratch}/plain.zip ."], scratch)
    line("zip -r (both names)", zipped, scratch / "plain.zip", zipped, size)
    made = run(statuary("snapshot", "create", "--from", site, "--now", NOW, scratch / "a.zip"), scratch)
    line("snapshot create .zip", made, scratch / "a.zip", zipped, size)
    line("snapshot verify .zip", run(statuary("snapshot", "verify", scratch / "a.zip"), scratch), base=zipped)
    changed(site, scratch)
    look_ups(scratch / "a.zip", count)


def changed(site: Path, scratch: Path) -> None:
    """Measure comparing two snapshots that differ in a status document."""
    (site / "api/v2/status.json").write_bytes(b'{"status":{"indicator":"major"}}')
    run(statuary("snapshot", "create", "--from", site, "--now", NOW, scratch / "c.zip"), scratch)
    compared = run(statuary("snapshot", "diff", scratch / "a.zip", scratch / "c.zip"), scratch)
    line("snapshot diff, one document changed", compared)


def look_ups(file: Path, count: int) -> None:
    """Measure opening and looking up in this process."""
    began = perf_counter()
    with open_snapshot(file) as site:
        opened = perf_counter() - began
        wanted = random.Random(1).sample(list(addresses(count)), min(count, LOOK_UPS))
        began = perf_counter()
        for address in wanted:
            site.contract(1, address.lower())
        each = (perf_counter() - began) / len(wanted)
    print(f"  open_snapshot takes {opened * 1000:.1f} ms, a look-up {each * 1e6:.0f} us", flush=True)


def main() -> None:
    """Measure a quarter of the records, then all."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("folder", type=Path, nargs="?", default=REAL if REAL.is_dir() else OWN)
    parser.add_argument("--records", type=int, default=100_000)
    parser.add_argument("--scratch", type=Path, help="where to work; it needs ten times the records' bytes")
    arguments = parser.parse_args()
    files = [file for file in sorted(arguments.folder.glob("*/*.json")) if file.stat().st_size < LARGEST]
    for count in (arguments.records // 4, arguments.records):
        scratch = Path(tempfile.mkdtemp(prefix="statuary-snapshots-", dir=arguments.scratch))
        try:
            measure(files, count, scratch)
        finally:
            shutil.rmtree(scratch)


if __name__ == "__main__":
    main()
