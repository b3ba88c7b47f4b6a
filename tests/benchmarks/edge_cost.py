"""What a selection costs at the edge, as ratios to JSON.parse and JSON.stringify in the same runtime.

    python tests/benchmarks/edge_cost.py [record.json ...]

Without arguments: the two largest real records in `../shared/data`, and the largest blown up to 32 times its size
(its sources repeated). Each figure is one process: time is the median of its rounds, the first round in brackets,
the record in memory in chunks of 64 KiB; memory is the peak of a process that reads the record from its file.
"""

import json
import os
import subprocess
import sys
import tempfile
from dataclasses import dataclass
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[1]))

from support.edge_runtimes import OFFLINE, deno
from support.measured_lookup import DATA

QUERIES = (
    "fields=abi",
    "omit=stdJsonOutput",
    "fields=creationBytecode.sourceMap,compilation.name",
    "omit=deployment.deployer,runtimeBytecode.onchainBytecode",
)
ROUNDS = 41
TIMES_LARGER = 32
KIB_PER_MIB = 1024


@dataclass(frozen=True)
class Cost:
    """What one way of answering cost: milliseconds of the first and the median round, and peak memory in MiB."""

    first: float
    median: float
    memory: float


def cost(record: Path, way: str, query: str) -> Cost:
    """Run one way of answering in two processes: one for the time, one for the memory."""
    timed, _ = run(record, way, query, str(ROUNDS), "memory")
    _, memory = run(record, way, query, "5", "file")
    return Cost(timed["first"], timed["median"], memory)


def run(record: Path, *arguments: str) -> tuple[dict[str, float], float]:
    """Run the script; return its output and its peak memory in MiB."""
    script = Path(__file__).with_name("edge_cost.js")
    command = [deno(), "run", *OFFLINE, "--allow-read", str(script), str(record), *arguments]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as process:
        assert process.stdout is not None
        output = json.loads(process.stdout.read())
        _, status, usage = os.wait4(process.pid, 0)
        process.returncode = os.waitstatus_to_exitcode(status)
    return output, usage.ru_maxrss / KIB_PER_MIB


def enlarged(record: Path, folder: Path) -> Path:
    """Return a copy of a record with its sources repeated until it is many times as large."""
    value = json.loads(record.read_bytes())
    sources = value["sources"]
    copies = record.stat().st_size * TIMES_LARGER // max(1, len(json.dumps(sources)))
    value["sources"] = {f"{copy}/{path}": held for copy in range(copies) for path, held in sources.items()}
    larger = folder / f"{record.stem} x{TIMES_LARGER}"
    larger.write_text(json.dumps(value, ensure_ascii=False, separators=(",", ":")), encoding="utf-8")
    return larger


def show(record: Path) -> None:
    """Print the table of one record."""
    size = record.stat().st_size / 1e6
    print(
        f"\n{record.name}: {size:.2f} MB; peak of sending it as it is: {cost(record, 'pass', 'fields=abi').memory:.0f} MiB"
    )
    print(f"{'selection':58} {'slice ms':>14} {'parse ms':>14} {'time':>5} {'slice MiB':>9} {'parse MiB':>9}")
    for query in QUERIES:
        sliced, parsed = cost(record, "slice", query), cost(record, "parse", query)
        print(
            f"{query:58} {sliced.median:6.2f} ({sliced.first:5.1f}) {parsed.median:6.2f} ({parsed.first:5.1f}) "
            f"{sliced.median / parsed.median:5.2f} {sliced.memory:9.0f} {parsed.memory:9.0f}"
        )


def main() -> None:
    """Measure the records named, or the largest real ones."""
    records = [Path(name) for name in sys.argv[1:]]
    with tempfile.TemporaryDirectory() as folder:
        if not records:
            found = sorted((DATA / "contract-records").glob("*/*.json"), key=lambda path: path.stat().st_size)
            records = [*found[-2:], enlarged(found[-1], Path(folder))]
        for record in records:
            show(record)


if __name__ == "__main__":
    main()
