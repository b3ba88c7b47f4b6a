"""Content folders of many records, grown from real ones: the same contracts under new addresses.

    python tests/benchmarks/corpora.py S /tmp/corpus

The records are those of a real server, on eight chains, where the shared data lies beside the checkout; elsewhere they are all
of this repository's own, on one chain. Their proofs replay as those of the originals do; records that hold their own address in
the code, and those with a finding or a contradiction, are left out.

| kind | records | mean size | what they are |
|---|--:|--:|---|
| `S` | 2,000 | 70 kB | records of up to 250 kB |
| `M` | 20,000 | 17 kB | records of up to 70 kB |
| `D` | 20,000 | 14 kB | a compilation of its own for each: a comment ends a source, and every hash of it is made right again |
| `W` | 20,000 | 14 kB | half of them from nine compilations, the others as in `D` |
| `K` | 100,000 | 7 kB | records of up to 10 kB |
| `L` | 1,000,000 | 7 kB | those of `K` as JSON lines |

`S:100` makes 100 records. The site has the default settings, but no pages of contracts: generators write none for these records.
"""

import argparse
import sys
import tempfile
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from hashlib import sha256
from itertools import cycle, islice
from pathlib import Path
from typing import Any, NamedTuple

sys.path.insert(0, str(Path(__file__).parents[1]))

import orjson

from statuary.base.findings import Severity
from statuary.base.primitives import checksum_address, keccak256, parse_instant
from statuary.base.progress import NoProgress
from statuary.contracts.checks.prove import prove, runtime_mismatch_findings
from statuary.contracts.model.metadata_hashes import ipfs_multihash
from statuary.engine.build import build_site
from statuary.publish.folder.folder_target import FolderTarget
from support.real_records import DATA
from support.requirements import CHECKOUT

REAL = DATA / "contract-records"
SETTINGS = "pages: {contracts: 0}"
"""What the site of a corpus has besides its page and its chains."""


class Kind(NamedTuple):
    """A kind of corpus.

    Attributes:
        count: how many records, by default.
        largest: the size of the largest original, in bytes.
        repeated: how many originals are repeated as they are, in turn; None repeats all of them.
        distinct: whether originals are also given compilations of their own, in turns with the repeated ones.
        lines: how many records a file of JSON lines holds; 0 gives each a separate file.
    """

    count: int
    largest: int
    repeated: int | None = None
    distinct: bool = False
    lines: int = 0


KINDS = {
    "S": Kind(2_000, 250_000),
    "M": Kind(20_000, 70_000),
    "D": Kind(20_000, 40_000, repeated=0, distinct=True),
    "W": Kind(20_000, 40_000, repeated=9, distinct=True),
    "K": Kind(100_000, 10_000),
    "L": Kind(1_000_000, 10_000, lines=50_000),
}


class Replica(NamedTuple):
    """A record under a new address."""

    chain_id: str
    address: str
    body: bytes


def originals(largest: int) -> list[bytes]:
    """Return the records of at most so many bytes that corpora grow from, in the order of their paths."""
    if REAL.is_dir():
        bodies = [file.read_bytes() for file in sorted(REAL.glob("*/*.json"))]
    else:
        bodies = _own_records()
    return [body for body in bodies if len(body) <= largest and _proves_anywhere(orjson.loads(body))]


def _own_records() -> list[bytes]:
    """Return this repository's own records as they are published."""
    with tempfile.TemporaryDirectory(prefix="statuary-own-") as folder:
        with FolderTarget(Path(folder)) as publication:
            outcome = build_site(
                CHECKOUT / "content", publication, parse_instant("2026-11-20T12:00:00Z"), NoProgress()
            )
        assert outcome.applied, outcome.checked.all_findings
        return [file.read_bytes() for file in sorted(Path(folder, "v2/contract/748463").iterdir())]


def _proves_anywhere(record: dict[str, Any]) -> bool:
    """Return whether the record has all that a proof needs, no finding, and no address of its own in its code."""
    address = record["address"].removeprefix("0x").lower().encode()
    elsewhere = orjson.dumps(record | {"address": ""}).lower()
    proof = prove(record)
    is_sound = not proof.findings and not runtime_mismatch_findings(record, proof, Severity.ERROR)
    return "matchId" in record and address not in elsewhere and is_sound


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
    place.mkdir(parents=True)
    chains: set[str] = set()
    records = replicas(output, output.count if count is None else count)
    number = size = 0
    while part := list(islice(records, output.lines or 1)):
        if output.lines:
            with (place / f"{number:04d}.jsonl").open("wb") as file:
                size += sum(file.write(replica.body + b"\n") for replica in part)
        for replica in part:
            folder = place / replica.chain_id
            if replica.chain_id not in chains:
                chains.add(replica.chain_id)
                folder.mkdir(exist_ok=True)
            if not output.lines:
                size += (folder / f"{replica.address}.json").write_bytes(replica.body)
        number += 1
    (content / "site.yaml").write_text(site_yaml(chains))
    return size


def site_yaml(chains: Iterable[str]) -> str:
    """Return the settings of a site with these chains."""
    listed = "".join(f"  - {{chain_id: {chain}, name: Chain {chain}}}\n" for chain in sorted(chains, key=int))
    return f"page: {{name: Corpus, url: https://corpus.example}}\nchains:\n{listed}{SETTINGS}\n"


def replicas(kind: Kind, count: int) -> Iterator[Replica]:
    """Yield so many records with the addresses they are under."""
    bodies = originals(kind.largest)
    turns: list[Iterator[Repeated]] = []
    if kind.repeated != 0:
        turns.append(cycle([Repeated(body) for body in bodies[: kind.repeated]]))
    if kind.distinct:
        turns.append(cycle([Distinct(body) for body in bodies if Distinct.is_possible(orjson.loads(body))]))
    for number, originals_in_turn in enumerate(islice(cycle(turns), count), 1):
        address = checksum_address("0x" + sha256(b"%d" % number).hexdigest()[:40])
        original = next(originals_in_turn)
        yield Replica(original.chain_id, address, original.record(number, address))


class Repeated:
    """A record that is parted at its match id and its address, so that a replica costs no parsing."""

    def __init__(self, body: bytes) -> None:
        record = orjson.loads(body)
        self.chain_id: str = record["chainId"]
        record["matchId"], record["address"] = "MATCH ID", "ADDRESS"
        self.before, rest = orjson.dumps(record).split(b'"MATCH ID"')
        self.between, self.after = rest.split(b'"ADDRESS"')

    def record(self, number: int, address: str) -> bytes:
        """Return the record of another deployment."""
        return b'%b"%d"%b"%b"%b' % (self.before, number, self.between, address.encode(), self.after)


class Distinct(Repeated):
    """A record whose source ends with another comment each time, so that all its hashes are others."""

    def __init__(self, body: bytes) -> None:
        record = orjson.loads(body)
        path, _, name = record["compilation"]["fullyQualifiedName"].rpartition(":")
        self.source: str = record["sources"][path]["content"]
        self.metadata = record["stdJsonOutput"]["contracts"][path][name]["metadata"].encode()
        self.keccak = record["metadata"]["sources"][path]["keccak256"].encode()
        self.hash = ipfs_multihash(self.metadata).hex().encode()
        super().__init__(body)
        self.quoted = orjson.dumps(self.source)[:-1]

    @staticmethod
    def is_possible(record: dict[str, Any]) -> bool:
        """Return whether the code holds the IPFS hash of the metadata, which this class knows how to make again."""
        path, _, name = record["compilation"]["fullyQualifiedName"].rpartition(":")
        text = record["stdJsonOutput"]["contracts"].get(path, {}).get(name, {}).get("metadata")
        return (
            bool(text) and ipfs_multihash(text.encode()).hex() in record["runtimeBytecode"]["onchainBytecode"]
        )

    def record(self, number: int, address: str) -> bytes:
        """Return the record of another deployment of another compilation."""
        body = super().record(number, address)
        comment = b"// deployment %d\\n" % number
        source = self.source.encode() + comment.replace(b"\\n", b"\n")
        keccak = b"0x" + keccak256(source).hex().encode()
        digest = ipfs_multihash(self.metadata.replace(self.keccak, keccak)).hex().encode()
        body = body.replace(self.quoted + b'"', self.quoted + comment + b'"')
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
