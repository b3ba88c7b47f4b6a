"""What appending to a large log costs: time, bytes written, memory, and the size of proofs.

python tests/benchmarks/log_of_many.py [--entries 1000000] [--append 100]
"""

import argparse
import sys
import tempfile
import tracemalloc
from pathlib import Path
from time import perf_counter

sys.path.insert(0, str(Path(__file__).parents[1]))

from statuary.extensions.log.entries import EntryKind, LogAction, LogEntry, LogSubject, encode_proof
from statuary.extensions.log.merkle import (
    LogGrowth,
    make_consistency_proof,
    make_inclusion_proof,
    make_subtree_hasher,
    verify_consistency,
)
from statuary.extensions.log.notes import format_checkpoint_text
from support.logs import KEY


def entry(number: int) -> bytes:
    """Return an entry about a contract."""
    subject = LogSubject(EntryKind.CONTRACT, "1", f"0x{number:040x}")
    digest = f"{number:064x}"
    return LogEntry(subject, LogAction.ADD, "2026-11-20T12:00:00.000Z", digest, digest, str(number)).encode()


class Folder:
    """Pieces of a log in a folder; counts what is written."""

    def __init__(self, root: Path) -> None:
        self.root, self.files, self.size = root, 0, 0

    def write(self, pieces: list[tuple[str, bytes]]) -> None:
        """Write pieces."""
        for path, body in pieces:
            file = self.root / path
            file.parent.mkdir(parents=True, exist_ok=True)
            file.write_bytes(body)
            self.files, self.size = self.files + 1, self.size + len(body)

    def read(self, path: str) -> bytes | None:
        """Return a piece; None if there is none."""
        try:
            return (self.root / path).read_bytes()
        except FileNotFoundError:
            return None


def append(folder: Folder, size: int, count: int) -> tuple[bytes, list[bytes]]:
    """Append entries with their proofs, as a build does; return the new root and the proofs."""
    growth = LogGrowth(size, folder.read)
    for number in range(size, size + count):
        folder.write(list(growth.append_entry(entry(number))))
    folder.write(list(growth.iter_partial_files()))
    root, subtrees = growth.root(), make_subtree_hasher(folder.read, size + count)
    text = format_checkpoint_text(KEY.name, size + count, root)
    note = f"{text}\n{KEY.sign(text)}"
    proofs = (
        encode_proof(number, make_inclusion_proof(number, size + count, subtrees), note, entry(number))
        for number in range(size, size + count)
    )
    return root, [proof for number, proof in enumerate(proofs) if number < 1000]


def main() -> None:
    """Make a log, append to it, and print what that took."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--entries", type=int, default=1_000_000)
    parser.add_argument("--append", type=int, default=100)
    arguments = parser.parse_args()
    with tempfile.TemporaryDirectory(prefix="statuary-log-") as name:
        folder, began = Folder(Path(name)), perf_counter()
        growth = LogGrowth(0, folder.read)
        for number in range(arguments.entries):
            folder.write(list(growth.append_entry(entry(number))))
        folder.write(list(growth.iter_partial_files()))
        before, making = growth.root(), perf_counter() - began
        print(f"{arguments.entries:,} entries: {making:.1f} s, {folder.files:,} files, {folder.size:,} bytes")
        began = perf_counter()
        append(folder, arguments.entries, arguments.append)
        took = perf_counter() - began
        folder.files = folder.size = 0
        tracemalloc.start()
        root, proofs = append(folder, arguments.entries, arguments.append)
        peak = tracemalloc.get_traced_memory()[1]
        tracemalloc.stop()
        size = arguments.entries + arguments.append
        proof = make_consistency_proof(arguments.entries, size, make_subtree_hasher(folder.read, size))
        verify_consistency(arguments.entries, size, proof, before, root)
        print(f"append of {arguments.append}: {took * 1000:.0f} ms, {took / making:.5f} of making the log")
        print(f"written: {folder.files} files, {folder.size:,} bytes; memory: {peak / 2**20:.1f} MiB")
        print(
            f"proofs: inclusion {max(map(len, proofs)):,} bytes at most, consistency {len(proof)} hashes,"
            f" {len(proof) * 32} bytes"
        )


if __name__ == "__main__":
    main()
