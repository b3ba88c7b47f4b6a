"""Building records, as a ratio to copying the same files in one run.

    python tests/benchmarks/records_against_copy.py [--rounds 7] [--copies 1] [--at-most 40] [folder of <chainId>/<address>.json]

Without a folder: the real records in `../shared/data`, else this repository's own. `--copies N` grows the corpus: N
records of each, under new addresses (their proof still replays; only a library's own address would not). `--at-most R` ends
with 1 if a build with a page for each takes more than R times the CPU of `statuary --help` and the copy together.
"""

import argparse
import os
import shutil
import sys
import tempfile
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[1]))

import orjson
from processes import side_by_side, table

from statuary.base.primitives import checksum_address, keccak256
from support.requirements import CHECKOUT

REAL = CHECKOUT.parent / "shared/data/contract-records"
OWN = CHECKOUT / "content/contracts"


def grown(files: list[Path], copies: int, content: Path) -> int:
    """Write a content folder of records; return their bytes."""
    size, match_id, chains = 0, 0, set()
    for copy in range(copies):
        for file in files:
            raw = file.read_bytes()
            record = orjson.loads(raw)
            address, match_id = record["address"], match_id + 1
            if copy:
                record["address"] = address = checksum_address(
                    "0x" + keccak256(b"%d" % copy + address.encode()).hex()[:40]
                )
            record["matchId"] = str(match_id)
            raw = orjson.dumps(record)
            target = content / "contracts" / record["chainId"] / f"{address}.json"
            target.parent.mkdir(parents=True, exist_ok=True)
            target.write_bytes(raw)
            chains.add(record["chainId"])
            size += len(raw)
    listed = "".join(f"  - {{chain_id: {chain}, name: Chain {chain}}}\n" for chain in sorted(chains))
    site = f"page: {{name: B, url: https://b.example}}\nchains:\n{listed}"
    (content / "site.yaml").write_text(site)
    shutil.copytree(content / "contracts", plain_of(content) / "contracts", copy_function=os.link)
    (plain_of(content) / "site.yaml").write_text(
        f"{site}pages: {{status: false, contracts: 0, search: false}}\n"
    )
    return size


def plain_of(content: Path) -> Path:
    """Return the content folder of the same site without pages."""
    return content.with_name("plain")


def main() -> None:
    """Measure and print the table."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("folder", type=Path, nargs="?", default=REAL if REAL.is_dir() else OWN)
    parser.add_argument("--rounds", type=int, default=7)
    parser.add_argument("--copies", type=int, default=1)
    parser.add_argument("--at-most", type=float, default=float("inf"))
    arguments = parser.parse_args()
    files = sorted(arguments.folder.glob("*/*.json"))
    with tempfile.TemporaryDirectory(prefix="statuary-corpus-") as folder:
        content = Path(folder) / "content"
        size = grown(files, arguments.copies, content)
        print(f"{len(files) * arguments.copies} records, {size / 1e6:.1f} MB, {arguments.rounds} rounds\n")
        statuary = str(Path(sys.executable).with_name("statuary"))
        pages = [statuary, "build", "--now", "2026-11-20T12:00:00Z", "--content", str(content), "--out"]
        build = [*pages[:-2], str(plain_of(content)), "--out"]
        measured = side_by_side(
            {
                "cp -r": lambda out: ["cp", "-r", str(content / "contracts"), str(out / "copy")],
                "statuary build": lambda out: [*build, str(out / "build")],
                "statuary build --skip proof": lambda out: [*build, str(out / "build"), "--skip", "proof"],
                "statuary build, with a page for each": lambda out: [*pages, str(out / "build")],
                "statuary --help": lambda _: [statuary, "--help"],
            },
            arguments.rounds,
        )
    print(table(measured))
    least = {name: min(each.cpu for each in one.runs) for name, one in measured.items()}
    ratio = least["statuary build, with a page for each"] / (least["statuary --help"] + least["cp -r"])
    print(f"\na build with pages takes {ratio:.1f} times the CPU of a start and a copy")
    if ratio > arguments.at_most:
        sys.exit(f"more than {arguments.at_most:g} times")


if __name__ == "__main__":
    main()
