"""What the log and its manifest of every file cost a build, a tick and a verification of a large site, in CPU seconds.

python tests/benchmarks/manifest_of_many.py [--incidents 10000] [--records 20000]

Each row is the same command on the same content, without a log and with one, one after the other.
"""

import argparse
import os
import subprocess
import sys
import tempfile
from pathlib import Path
from resource import RUSAGE_CHILDREN, getrusage

sys.path.insert(0, str(Path(__file__).parents[1]))

from support.logs import KEY, LOGGED_SITE
from support.sites import INCIDENT, SITE, site_of_many, write_files

MONTHS = 12 * 20
UPCOMING = """name: Upgrade
starts: 2026-11-21T10:00:00Z
ends: 2026-11-21T12:00:00Z
components: [rpc]
message: We upgrade.
"""


def content_of(root: Path, incidents: int, records: int, *, has_log: bool) -> Path:
    """Write a site: records, incidents of twenty years, and a maintenance ahead."""
    content = site_of_many(root, records)
    write_files(content, {"site.yaml": LOGGED_SITE["site.yaml"] if has_log else SITE})
    days = (
        f"{2006 + number % MONTHS // 12}-{1 + number % 12:02}-{1 + number % 28:02}"
        for number in range(incidents)
    )
    files = {
        f"incidents/i{number:05}.yaml": INCIDENT.replace("2026-11-02", day) for number, day in enumerate(days)
    }
    return write_files(content, files)


def cpu(*arguments: object, code: int = 0) -> float:
    """Run a command; return the CPU seconds that it and its workers took."""
    before = getrusage(RUSAGE_CHILDREN)
    command = [sys.executable, "-m", "statuary", *map(str, arguments)]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    after = getrusage(RUSAGE_CHILDREN)
    if done.returncode != code:
        sys.exit(f"{arguments} ended with {done.returncode}: {done.stdout[-2000:]}{done.stderr[-2000:]}")
    return after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime


def rows(root: Path, incidents: int, records: int, *, has_log: bool) -> dict[str, float]:
    """Return what each command takes."""
    content, out = content_of(root / "content", incidents, records, has_log=has_log), root / "site"
    key = write_files(root / "keys", {"log.key": KEY.text}) / "log.key"
    key.chmod(0o600)
    signed = ("--log-key", key) if has_log else ()
    build = ("build", "--content", content, "--out", out, *signed)
    start = ("--init-log",) if has_log else ()
    took = {"first build": cpu(*build, "--now", "2026-11-20T12:00:00Z", *start)}
    took["unchanged build"] = cpu(*build, "--now", "2026-11-20T12:00:00Z")
    write_files(content, {"incidents/new.yaml": INCIDENT.replace("Slow", "New")})
    took["one more incident"] = cpu(*build, "--now", "2026-11-20T12:05:00Z")
    took["tick, nothing due"] = cpu("tick", "--out", out, "--now", "2026-11-20T12:06:00Z", *signed)
    took["tick, maintenance begins"] = cpu("tick", "--out", out, "--now", "2026-11-21T10:00:30Z", *signed)
    if has_log:
        os.environ["STATUARY_STATE"] = str(root / "state")
        took["log verify"] = cpu("log", "verify", out)
        took["log verify again"] = cpu("log", "verify", out)
    return took


def main() -> None:
    """Measure, and print a table."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--incidents", type=int, default=10_000)
    parser.add_argument("--records", type=int, default=20_000)
    arguments = parser.parse_args()
    print(f"{arguments.incidents:,} incidents, {arguments.records:,} records; CPU seconds")
    with tempfile.TemporaryDirectory(prefix="statuary-manifest-") as folder:
        counts = arguments.incidents, arguments.records
        without = rows(Path(folder) / "without", *counts, has_log=False)
        with_log = rows(Path(folder) / "with", *counts, has_log=True)
        log = [path.stat().st_size for path in (Path(folder) / "with/site/log").rglob("*") if path.is_file()]
        parts = [path.stat().st_size for path in (Path(folder) / "with/site/log/parts").iterdir()]
    for name, seconds in with_log.items():
        print(f"{name:26} {without.get(name, 0):9.2f} {seconds:9.2f}")
    print(
        f"log/: {len(log):,} files, {sum(log):,} bytes; the manifest's parts: {len(parts)}, {sum(parts):,} bytes"
    )


if __name__ == "__main__":
    main()
