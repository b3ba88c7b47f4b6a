"""Small content that expands to much: what a build of it takes, and whether the rest of the site is published.

    python tests/benchmarks/expanding_content.py [name ...]

Each case is one file beside the sample site. The first line is that site alone; memory and CPU are to be compared
with it. A case fails if the incident of the sample site is not published.
"""

import argparse
import gzip
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Mapping
from pathlib import Path

import orjson

sys.path.insert(0, str(Path(__file__).parents[1]))

from benchmarks.processes import WATCHER
from support.contracts import made_record
from support.export_tables import tables_of_records, write_tables
from support.sites import CHAIN, NOW, small_site

Record = dict[str, object]
ADDRESS = str(made_record()["address"])
RECORD_PATH = f"contracts/{CHAIN}/{ADDRESS}"


def record(change: Callable[[Record], None]) -> bytes:
    """Return a record in order after a change."""
    made = orjson.loads(orjson.dumps(made_record())) | {"chainId": CHAIN}
    change(made)
    return orjson.dumps(made)


def with_long_source(made: Record) -> None:
    for source in made["sources"].values():
        source["content"] = "x" * (15 << 20)


def with_long_name(made: Record) -> None:
    made["compilation"]["name"] = "x" * (15 << 20)


def with_many_functions(made: Record) -> None:
    made["abi"] = [{"type": "function", "name": f"f{number}", "inputs": 1} for number in range(2_000)]


def with_many_references(made: Record) -> None:
    references = {f"L{number}": [{"start": 30 * number, "length": 20}] for number in range(4_000)}
    made["creationBytecode"]["linkReferences"] = {"a.sol": references}


def aliases(size: int, count: int) -> bytes:
    """Return an incident whose updates repeat one body by aliases."""
    update = "\n- {at: 2026-11-02T10:00:00Z, status: investigating, body: *body}"
    return f"postmortem: {{body: &body {'x' * size}}}\nname: a\nupdates:{update * count}\n".encode()


def nested_aliases() -> bytes:
    levels = (
        f"{name}: &{name} [{', '.join(['*' + below] * 9)}]"
        for below, name in zip("abcdefg", "bcdefgh", strict=True)
    )
    return ("a: &a [x, x, x]\n" + "\n".join(levels)).encode()


FILES: Mapping[str, tuple[str, Callable[[], bytes]]] = {
    "aliases of one body": ("incidents/a.yaml", lambda: aliases(30_000, 500)),
    "aliases of aliases": ("incidents/a.yaml", nested_aliases),
    "brackets": ("incidents/a.yaml", lambda: b"[" * 1_000_000),
    "blank lines, packed": ("contracts/a.jsonl.gz", lambda: gzip.compress(b"\n" * (64 << 20))),
    "one line, packed": ("contracts/a.jsonl.gz", lambda: gzip.compress(b"x" * (64 << 20))),
    "lines of nothing, packed": ("contracts/a.jsonl.gz", lambda: gzip.compress(b"{}\n" * (16 << 20))),
    "a source of 15 MiB": (f"{RECORD_PATH}.json", lambda: record(with_long_source)),
    "a name of 15 MiB": (f"{RECORD_PATH}.json", lambda: record(with_long_name)),
    "a record of 60 MB": (f"{RECORD_PATH}.json", lambda: b'{"abi":"' + b"x" * 60_000_000 + b'"}'),
    "2,000 wrong functions": (f"{RECORD_PATH}.json", lambda: record(with_many_functions)),
    "2,000 wrong functions in a line": ("contracts/a.jsonl", lambda: record(with_many_functions) + b"\n"),
    "4,000 wrong references": (f"{RECORD_PATH}.json", lambda: record(with_many_references)),
}


def write_equal_rows(content: Path) -> int:
    """Write an export one of whose tables has 200 million equal rows; return the bytes of that table."""
    import duckdb

    write_tables(content / "contracts", tables_of_records([made_record() | {"chainId": CHAIN}]))
    (file,) = (content / "contracts").rglob("signatures_*.parquet")
    query = f"SELECT t.* FROM '{file}' AS t, range(200_000_000) LIMIT 200_000_000"
    duckdb.sql(
        f"COPY ({query}) TO '{content}/many' (FORMAT parquet, COMPRESSION zstd, ROW_GROUP_SIZE 10_000_000)"
    )
    (content / "many").replace(file)
    return file.stat().st_size


def measure(name: str) -> str:
    """Build the sample site with a case; return a row of the table."""
    with tempfile.TemporaryDirectory(prefix="statuary-benchmark-") as folder:
        content = small_site(Path(folder))
        size = 0
        if name == "200 million equal rows":
            size = write_equal_rows(content)
        elif name in FILES:
            path, body = FILES[name]
            (content / path).parent.mkdir(parents=True, exist_ok=True)
            (content / path).write_bytes(body())
            size = (content / path).stat().st_size
        out = Path(folder) / "site"
        command = [sys.executable, "-m", "statuary", "build", "--content", str(content), "--out", str(out)]
        began = time.monotonic()
        # an error in one file has a separate exit code, so that the watcher runs below a shell
        watched = [sys.executable, "-S", str(WATCHER), "sh", "-c", '"$@" 2>/dev/null || true', "sh", *command]
        done = subprocess.run([*watched, "--now", NOW], capture_output=True, text=True, check=True)
        _, cpu, memory = map(float, done.stdout.split()[-3:])
        is_published = (out / "api/v2/incidents.json").is_file()
        wall = time.monotonic() - began
        return f"| {name} | {size:,} | {wall:.1f} | {cpu:.1f} | {memory:.0f} | {'yes' if is_published else 'NO'} |"


def main() -> None:
    """Print the table."""
    names = ["the site alone", *FILES, "200 million equal rows"]
    parser = argparse.ArgumentParser()
    parser.add_argument("names", nargs="*", choices=[*names, []])
    print("| content | bytes | seconds | CPU s | peak MiB | rest published |\n|---|---|---|---|---|---|")
    for name in parser.parse_args().names or names:
        print(measure(name), flush=True)


if __name__ == "__main__":
    main()
