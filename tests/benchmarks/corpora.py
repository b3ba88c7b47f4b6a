"""Content folders of many records, grown from this repository's own: the same contracts under new addresses.

    python tests/benchmarks/corpora.py S /tmp/corpus

Their proofs replay as those of the originals do; libraries that hold their own address are left out. `S` is 2,000
records of about 85 KB, `M` 20,000 of about 15 KB, `K` 100,000 of 4.6 KB, `L` 1,000,000 of them as JSON lines. In `D`, which
is otherwise like `M`, no two records have the same compilation: a comment ends one source, and every hash of it is made
right again. In `W` half of the records are deployments of nine compilations, the others are like those of `D`, as in
the world. `S:100` makes 100 records.
"""

import argparse
import sys
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from hashlib import sha256
from itertools import cycle, islice
from pathlib import Path
from typing import Final, NamedTuple

sys.path.insert(0, str(Path(__file__).parents[1]))

import orjson

from statuary.base.primitives import checksum_address, keccak256, parse_instant
from statuary.base.progress import NoProgress
from statuary.contracts.model.metadata_hashes import ipfs_multihash
from statuary.engine.build import build_site
from statuary.publish.folder.folder_target import FolderTarget
from support.requirements import CHECKOUT


class Kind(NamedTuple):
    """A kind of corpus.

    Attributes:
        count: how many records, by default.
        names: the contracts that it repeats, in turn.
        lines: how many records a file of JSON lines holds; 0 gives each a separate file.
        distinct: the contracts that it repeats, in turns with the others, each with a compilation of its own.
    """

    count: int
    names: tuple[str, ...]
    lines: int = 0
    distinct: tuple[str, ...] = ()


SMALL = ("EditionClone", "Scaffold", "EditionClone", "Endowment", "NetworkCharter")
OFTEN = (
    *("EditionClone", "Scaffold", "Endowment", "WrappedPlinth", "NetworkCharter"),
    *("EditionPress", "Faucet", "CatalogueProxy", "RevenueSplitter"),
)
"""Nine compilations, those of proxies more often than the others."""


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
    "M": Kind(20_000, SMALL),
    "D": Kind(20_000, (), distinct=SMALL),
    "W": Kind(20_000, (*OFTEN, *["EditionClone", "CatalogueProxy"] * 5), distinct=SMALL),
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
    records = replicas(output.names, output.distinct, output.count if count is None else count)
    number = size = 0
    while part := list(islice(records, output.lines or 1)):
        if output.lines:
            with (place / f"{number:04d}.jsonl").open("wb") as file:
                size += sum(file.write(body + b"\n") for _, body in part)
        else:
            (address, body), *_ = part
            size += (place / "748463" / f"{address}.json").write_bytes(body)
        number += 1
    return size


def replicas(names: tuple[str, ...], distinct: tuple[str, ...], count: int) -> Iterator[tuple[str, bytes]]:
    """Yield so many records with the addresses they are under."""
    own = own_records()
    repeated = cycle([Repeated(own[name]) for name in names])
    others = cycle([Distinct(own[name]) for name in distinct])
    kinds = cycle([*([repeated] if names else []), *([others] if distinct else [])])
    for number, kind in enumerate(islice(kinds, count), 1):
        address = checksum_address("0x" + sha256(b"%d" % number).hexdigest()[:40])
        yield address, next(kind).record(number, address)


class Repeated:
    """A record that is parted at its match id and its address, so that a replica costs no parsing."""

    def __init__(self, body: bytes) -> None:
        record = orjson.loads(body)
        record["matchId"], record["address"] = "MATCH ID", "ADDRESS"
        self.before, rest = orjson.dumps(record).split(b"MATCH ID")
        self.between, self.after = rest.split(b"ADDRESS", 1)

    def record(self, number: int, address: str) -> bytes:
        """Return the record of another deployment."""
        return b"%b%d%b%b%b" % (self.before, number, self.between, address.encode(), self.after)


class Distinct(Repeated):
    """A record whose source ends with another comment each time, so that all its hashes are others.

    Yul and old Vyper write no hash, so there the source alone differs.
    """

    COMMENTS: Final = {"Vyper": b"# deployment %d\\n"}

    def __init__(self, body: bytes) -> None:
        record = orjson.loads(body)
        path, _, name = record["compilation"]["fullyQualifiedName"].rpartition(":")
        self.comment = self.COMMENTS.get(record["compilation"]["language"], b"// deployment %d\\n")
        self.source = record["sources"][path]["content"]
        text = record["stdJsonOutput"]["contracts"][path][name].get("metadata")
        self.metadata = text.encode() if text else b""
        self.keccak = record["metadata"]["sources"][path]["keccak256"].encode() if text else b""
        self.hash = ipfs_multihash(self.metadata).hex().encode() if text else b""
        assert not text or self.hash in body, f"the hash of {name} is not that of its metadata"
        super().__init__(body)
        self.quoted = orjson.dumps(self.source)[:-1]

    def record(self, number: int, address: str) -> bytes:
        """Return the record of another deployment of another compilation."""
        body = super().record(number, address)
        comment = self.comment % number
        body = body.replace(self.quoted + b'"', self.quoted + comment + b'"')
        if not self.metadata:
            return body
        source = self.source.encode() + comment.replace(b"\\n", b"\n")
        keccak = b"0x" + keccak256(source).hex().encode()
        digest = ipfs_multihash(self.metadata.replace(self.keccak, keccak)).hex().encode()
        return body.replace(self.keccak, keccak).replace(self.hash, digest)


def main() -> None:
    """Write a corpus and say how large it is."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("kind", help="S, M, D, W, K or L, with `:COUNT` for another number of records")
    parser.add_argument("content", type=Path, help="the content folder to write")
    arguments = parser.parse_args()
    kind, _, count = arguments.kind.partition(":")
    size = grow(kind, arguments.content, int(count) if count else None)
    print(f"{size:,} bytes of records in {arguments.content}/")


if __name__ == "__main__":
    main()
