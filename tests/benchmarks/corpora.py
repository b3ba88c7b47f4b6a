"""Content folders of many records, grown from this repository's own: the same contracts under new addresses.

    python tests/benchmarks/corpora.py S /tmp/corpus

Their proofs replay as those of the originals do; libraries that hold their own address are left out. `S` is 2,000
records of about 85 KB, `M` 20,000 of about 15 KB, `K` 100,000 of 4.6 KB,
`L` 1,000,000 of them as JSON lines. `S:100` makes 100 records.
"""

import argparse
import sys
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from hashlib import sha256
from itertools import cycle, islice
from pathlib import Path
from typing import NamedTuple

sys.path.insert(0, str(Path(__file__).parents[1]))

import orjson

from statuary.domain.primitives import checksum_address, parse_instant
from statuary.pipeline.build import build_site
from statuary.pipeline.progress import NoProgress
from statuary.publishing.folder.folder_target import FolderTarget
from support.requirements import CHECKOUT


class Kind(NamedTuple):
    """A kind of corpus.

    Attributes:
        count: how many records, by default.
        names: the contracts that it repeats, in turn.
        lines: how many records a file of JSON lines holds; 0 gives each a separate file.
    """

    count: int
    names: tuple[str, ...]
    lines: int = 0


KINDS = {
    "S": Kind(
        2_000,
        (
            "Pedestal",
            "PedestalHall",
            "Edition",
            "Timelock",
            "Staking",
            "Catalogue",
            "AuctionRoom",
            "Bridge",
            "RevenueSplitter",
            "NameRegistry",
            "Faucet",
            "CuratorsWallet",
            "WrappedPlinth",
        ),
    ),
    "M": Kind(20_000, ("EditionClone", "Scaffold", "EditionClone", "Endowment", "NetworkCharter")),
    "K": Kind(100_000, ("EditionClone",)),
    "L": Kind(1_000_000, ("EditionClone",), lines=50_000),
}


def own_records() -> dict[str, bytes]:
    """Return this repository's own records as they are published, by the name of the contract."""
    with tempfile.TemporaryDirectory(prefix="statuary-own-") as folder:
        with FolderTarget(Path(folder)) as publication:
            outcome = build_site(
                CHECKOUT / "content", publication, parse_instant("2026-11-20T12:00:00Z"), NoProgress()
            )
        assert outcome.applied, outcome.checked.all_findings
        bodies = [file.read_bytes() for file in sorted(Path(folder, "v2/contract/748463").iterdir())]
    return {orjson.loads(body)["compilation"]["name"]: body for body in bodies}


@contextmanager
def corpus(kind: str, count: int | None = None) -> Iterator[Path]:
    """Give a content folder with a corpus for a while."""
    with tempfile.TemporaryDirectory(prefix="statuary-corpus-") as folder:
        grow(kind, Path(folder) / "content", count)
        yield Path(folder) / "content"


def grow(kind: str, content: Path, count: int | None = None) -> int:
    """Write a content folder; return the bytes of its records."""
    output = KINDS[kind]
    place = content / "contracts"
    (place if output.lines else place / "748463").mkdir(parents=True)
    (content / "site.yaml").write_text(
        "page: {name: Corpus, url: https://corpus.example}\n"
        "chains:\n  - {chain_id: 748463, name: Corpus}\n"
        "pages: {status: false, contracts: 0, listed: 0, search: false}\n"
    )
    records, size = replicas(output.names, output.count if count is None else count), 0
    number = 0
    while part := list(islice(records, output.lines or 1)):
        if output.lines:
            with (place / f"{number:04d}.jsonl").open("wb") as file:
                size += sum(file.write(body + b"\n") for _, body in part)
        else:
            (address, body), *_ = part
            size += (place / "748463" / f"{address}.json").write_bytes(body)
        number += 1
    return size


def replicas(names: tuple[str, ...], count: int) -> Iterator[tuple[str, bytes]]:
    """Yield so many records with the addresses they are under."""
    own = own_records()
    parted = [_parted(own[name]) for name in names]
    for number, (before, between, after) in enumerate(islice(cycle(parted), count), 1):
        address = checksum_address("0x" + sha256(b"%d" % number).hexdigest()[:40])
        yield address, b"%b%d%b%b%b" % (before, number, between, address.encode(), after)


def _parted(body: bytes) -> tuple[bytes, bytes, bytes]:
    """Part a record at its match id and its address, so that a replica costs no parsing."""
    record = orjson.loads(body)
    record["matchId"], record["address"] = "MATCH ID", "ADDRESS"
    before, rest = orjson.dumps(record).split(b"MATCH ID")
    between, after = rest.split(b'"ADDRESS"', 1)
    return before, between + b'"', b'"' + after


def main() -> None:
    """Write a corpus and say how large it is."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("kind", help="S, M, K or L, with `:COUNT` for another number of records")
    parser.add_argument("content", type=Path, help="the content folder to write")
    arguments = parser.parse_args()
    kind, _, count = arguments.kind.partition(":")
    size = grow(kind, arguments.content, int(count) if count else None)
    print(f"{size:,} bytes of records in {arguments.content}/")


if __name__ == "__main__":
    main()
