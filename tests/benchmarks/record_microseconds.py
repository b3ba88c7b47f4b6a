"""Where the time of a first build goes, in microseconds of CPU a record: the modules that the samples of one process are in.

    TMPDIR=/dev/shm python tests/benchmarks/record_microseconds.py M:20000 D:20000

A sample is taken each millisecond of CPU time, that of the system included, and counts for the innermost module of statuary
outside `base`, `system` and `contracts/model`, whose functions work for whoever calls them. What a build of one record takes is left out of `the rest`.
"""

import argparse
import gc
import signal
import sys
from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from tempfile import TemporaryDirectory
from time import process_time
from types import FrameType

sys.path.insert(0, str(Path(__file__).parents[1]))

from corpora import grow

import statuary
from statuary.base.primitives import parse_instant
from statuary.base.progress import NoProgress, enable_garbage_collection
from statuary.engine.build import build_site
from statuary.publish.folder.folder_target import FolderTarget

ROOT = f"{Path(statuary.__file__).parent}/"
EVERY = 0.001  # seconds of CPU
NOW = parse_instant("2026-11-20T12:00:00Z")
STAGES = (
    ("contracts/sources/parse_record", "reading: JSON into a record"),
    ("contracts/sources/", "reading: files and what is known of them"),
    ("source/", "reading: files and what is known of them"),
    ("contracts/checks/check.py", "proof: calling the checks"),
    ("contracts/checks/prove.py", "proof: calling the checks"),
    ("contracts/checks/record_view", "proof: values that checks share"),
    ("contracts/checks/claims", "proof: verdict and claims"),
    ("contracts/checks/bytecode_checks", "proof: bytecode"),
    ("contracts/checks/transformation_checks", "proof: transformations and auxdata"),
    ("contracts/checks/metadata_checks", "proof: metadata and hashes"),
    ("contracts/checks/source_checks", "proof: sources, interface and layout"),
    ("contracts/checks/", "proof: proxies, language, public facts"),
    ("contracts/incremental/build_contract", "moving a record through the stages"),
    ("contracts/incremental/lists", "lists and search"),
    ("contracts/api/lists", "lists and search"),
    ("contracts/pages/", "lists and search"),
    ("contracts/api/", "documents: record, proof, entry over all chains"),
    ("contracts/documents", "documents: record, proof, entry over all chains"),
    ("contracts/paths", "documents: record, proof, entry over all chains"),
    ("contracts/urls", "documents: record, proof, entry over all chains"),
    ("site/document", "documents: record, proof, entry over all chains"),
    ("contracts/incremental/", "dividing the work"),
    ("publish/folder", "files: writing and linking"),
    ("publish/ledger", "ledger"),
    ("publish/", "layout and manifest"),
    ("site/", "pages"),
    ("status/", "status"),
)


def stage_of(frame: FrameType | None) -> str:
    """Return the stage that a frame is in."""
    while frame is not None:
        path = frame.f_code.co_filename
        name = path.removeprefix(ROOT)
        if name != path and not name.startswith(("base/", "system/", "contracts/model/")):
            return next((stage for start, stage in STAGES if name.startswith(start)), "the rest")
        frame = frame.f_back
    return "the rest"


@contextmanager
def sampled(counts: Counter[str]) -> Iterator[None]:
    """Count the stages of samples of this process."""

    def note(_: int, frame: FrameType | None) -> None:
        counts[stage_of(frame)] += 1

    before = signal.signal(signal.SIGPROF, note)
    signal.setitimer(signal.ITIMER_PROF, EVERY, EVERY)
    try:
        yield
    finally:
        signal.setitimer(signal.ITIMER_PROF, 0)
        signal.signal(signal.SIGPROF, before)


def build(content: Path, out: Path) -> float:
    """Build with this process alone, and return its seconds of CPU."""
    began = process_time()
    with FolderTarget(out) as target:
        assert build_site(content, target, NOW, NoProgress()).applied
    return process_time() - began


def main() -> None:
    """Print a table for each corpus."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("corpora", nargs="*", default=["M:20000", "D:20000"])
    gc.disable()  # as the command does; otherwise a collection after every 700 objects takes a tenth of the time
    for kind in parser.parse_args().corpora:
        letter, _, text = kind.partition(":")
        with TemporaryDirectory() as name:
            folder = Path(name)
            for count in (1, int(text)):
                grow(letter, folder / f"content{count}", count)
            build(folder / "content1", folder / "first")  # imports
            enable_garbage_collection()
            alone = build(folder / "content1", folder / "alone")
            counts: Counter[str] = Counter()
            with sampled(counts):
                seconds = build(folder / f"content{text}", folder / "out")
        each = (seconds - alone) / int(text) * 1e6
        print(f"\n{kind}: {each:.0f} us of CPU a record, in one process\n\n| stage | us | |\n|---|--:|--:|")
        for stage, count in counts.most_common():
            share = count / counts.total()
            print(f"| {stage} | {share * each:.0f} | {share:.0%} |")


if __name__ == "__main__":
    main()
