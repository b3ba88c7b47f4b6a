"""What each interface of `apis` adds to a build: CPU seconds, files and bytes; and what a build costs after it.

    python tests/benchmarks/cost_of_interfaces.py --kind M --contracts 20000

Every build is of the same contracts, in one process without workers, each into a folder of its own. `unchanged` builds the same
content again; `incident` after one more incident: the files of the interfaces that it wrote are counted.
"""

import argparse
import os
import subprocess
import sys
import tempfile
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[1]))

from benchmarks.corpora import corpus

APIS = ("signatures", "etherscan", "otterscan", "blockscout", "code", "proxies")
FOLDERS = (
    "abis",
    "blockscout",
    "code",
    "etherscan",
    "files",
    "otterscan",
    "proxies",
    "signature-database",
    "v2/chainlist",
)
INCIDENT = """\
name: Slow answers
components: {rpc: degraded_performance}
updates:
  - {at: 2026-11-19T10:00:00Z, status: investigating, body: Some requests are slow.}
"""


def build(content: Path, site: Path) -> float:
    """Build a site and return the CPU seconds of it."""
    before = os.times()
    command = [sys.executable, "-m", "statuary", "build", "--content", str(content), "--out", str(site)]
    subprocess.run(
        [*command, "--workers", "1", "--now", "2026-11-20T12:00:00Z"], check=True, stdout=subprocess.DEVNULL
    )
    after = os.times()
    return after.children_user + after.children_system - before.children_user - before.children_system


def files_of(site: Path) -> dict[Path, tuple[int, int]]:
    """Return when each file of the interfaces was written, and its bytes; a file with two names counts once."""
    found = {}
    for folder in FOLDERS:
        place = site / folder
        for file in [place] if place.is_file() else place.rglob("*"):
            if file.is_file():
                status = file.stat()
                found[file] = (status.st_mtime_ns, status.st_size)
    return found


def main() -> None:
    """Print a line for each set of interfaces."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--contracts", type=int, default=2_000)
    parser.add_argument("--kind", default="S", help="a kind of benchmarks/corpora.py")
    arguments = parser.parse_args()
    with corpus(arguments.kind, arguments.contracts) as content, tempfile.TemporaryDirectory() as folder:
        (content / "components.yaml").write_text("components:\n  rpc:\n    name: RPC\n")
        settings = content / "site.yaml"
        plain = "".join(
            line for line in settings.read_text().splitlines(True) if not line.startswith("apis:")
        )
        alone = 0.0
        print("interfaces | first, CPU s | of none | names | MB | unchanged, CPU s")
        for apis in ((), *((api,) for api in APIS), APIS):
            settings.write_text(plain + f"\napis: [{', '.join(apis)}]\n")
            site = Path(folder) / ("-".join(apis) or "none")
            first = build(content, site)
            alone = alone or first
            files = files_of(site)
            megabytes = sum({file.stat().st_ino: size for file, (_, size) in files.items()}.values()) / 1e6
            again = build(content, site)
            print(
                f"{'+'.join(apis) or 'none'} | {first:.1f} | {first / alone:.2f} | {len(files):,} | {megabytes:.1f} | {again:.2f}",
                flush=True,
            )
        (content / "incidents").mkdir(exist_ok=True)
        (content / "incidents/2026-11-19-slow.yaml").write_text(INCIDENT)
        seconds = build(content, site)
        after = files_of(site)
        written = [file for file in after if files.get(file) != after[file]]
        print(f"incident with all of them: {seconds:.2f} CPU s, {len(written)} files of interfaces written")


if __name__ == "__main__":
    main()
