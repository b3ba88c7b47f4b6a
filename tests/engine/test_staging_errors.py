"""A document that is written but not recorded, wherever a build stages one, is never published."""

import errno
import shutil
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import NamedTuple

import pytest

from statuary.base.errors import StatuaryError
from statuary.base.files import LEDGER, MANIFEST
from statuary.base.primitives import parse_instant
from statuary.base.progress import NoProgress
from statuary.engine.build import build_site
from statuary.engine.sections import NO_OPTIONS
from statuary.publish.folder.folder_target import FolderTarget
from statuary.publish.folder.site_folder import BODIES, Stager
from statuary.publish.ledger.read import read_ledger_listing
from statuary.publish.ledger.schema import AddedFile
from statuary.publish.manifest import is_listed, parse_manifest, read_entries
from statuary.registry import CONTRACTS, EXTENSIONS, STATUS, load
from statuary.site.document import Document
from statuary.site.url_table import match_url
from support.packed_sites import has_zstd
from support.sites import INCIDENT, NOW, SMALL_SITE, path_of, record_of, tree, write_files

KEYS = """
apis: [signatures, etherscan, otterscan, blockscout, code, proxies]
embed: true
hosting: {files: [cloudflare]}
instatus: true
prometheus: true
languages: [en, de]
log: {origin: example.com/example-key-log, example_key: true}
metrics:
  folder: points
  shown: {lag: {name: Lag, unit: s, file: lag.csv}}
notify: {messages: true}
"""

SKIPPED_LISTS = ("contracts/", "v2/contracts")
"""Lists of contracts: a build that cannot make one skips it, and the next build makes it."""

OWNERS = {
    url.name: row.name
    for row in (CONTRACTS, STATUS, *EXTENSIONS)
    if row.section
    for url in load(row.section).urls
}
"""The section or extension of each URL, by the URL's name."""


class Place(NamedTuple):
    """A place where a build stages documents: those of one owner, in the build or in a worker's task."""

    owner: str
    is_task: bool

    def __str__(self) -> str:
        return f"{self.owner} in {'a task' if self.is_task else 'the build'}"


class FailingStager:
    """Counts the documents that are staged, and raises after one of them was written and before it is recorded."""

    def __init__(self, place: Place | None = None, number: int = 0, error: Exception | None = None) -> None:
        self.place, self.number, self.error = place, number, error
        self.counts: dict[Place, int] = {}
        self.original = Stager.stage

    def staging_method(self) -> Callable[[Stager, Document], Iterator[AddedFile]]:
        """Return the method that replaces `Stager.stage`."""

        def stage(stager: Stager, document: Document) -> Iterator[AddedFile]:
            return self._stage(stager, document)

        return stage

    def _stage(self, stager: Stager, document: Document) -> Iterator[AddedFile]:
        files = list(self.original(stager, document))
        match = match_url(document.path)
        owner = "engine" if match is None else OWNERS.get(match.url.name, "engine")
        place = Place(owner, Path(stager.tree).name == BODIES)
        self.counts[place] = self.counts.get(place, 0) + 1
        if self.error is not None and (place, self.counts[place]) == (self.place, self.number):
            raise self.error
        yield from files


def build(content: Path, out: Path, stager: FailingStager | None = None) -> bool:
    """Build, and return whether a site was published."""
    with pytest.MonkeyPatch.context() as patched:
        if stager is not None:
            patched.setattr(Stager, "stage", stager.staging_method())
        try:
            with FolderTarget(out) as target:
                result = build_site(
                    content, target, parse_instant(NOW), NoProgress(), extension_options=NO_OPTIONS
                )
        except (StatuaryError, OSError, ZeroDivisionError):
            return False
    return result.applied


def write_content(root: Path) -> Path:
    """Write a site with every extension that publishes documents into a folder."""
    records = {path_of(number): record_of(number) for number in range(1, 4)}
    content = write_files(root / "content", SMALL_SITE | records)
    with (content / "site.yaml").open("a") as settings:
        settings.write(KEYS + ("packs: true\n" if has_zstd() else ""))
    write_points(content, 1)
    return content


def write_points(content: Path, value: int) -> None:
    (content.parent / "points").mkdir(exist_ok=True)
    (content.parent / "points/lag.csv").write_text(f"2026-11-20T10:00:00Z,{value}\n")


def change(content: Path) -> None:
    """Change something of every section and extension."""
    settings = (content / "site.yaml").read_text()
    (content / "site.yaml").write_text(settings.replace("name: Plinth\n", "name: Plinth II\n"))
    write_files(content, {path_of(9): record_of(9), "incidents/new.yaml": INCIDENT})
    (content / path_of(1)).write_bytes(record_of(1).replace(b'"matchId":"', b'"matchId":"90'))
    write_points(content, 2)


class Site(NamedTuple):
    """A published site, the changed content, and how often the next build stages at each place."""

    content: Path
    out: Path
    counts: dict[Place, int]
    wanted: dict[str, bytes]


@pytest.fixture(scope="module")
def site(tmp_path_factory: pytest.TempPathFactory) -> Site:
    root = tmp_path_factory.mktemp("site")
    content = write_content(root)
    assert build(content, root / "out")
    change(content)
    shutil.copytree(root / "out", root / "undisturbed")
    counted = FailingStager()
    assert build(content, root / "undisturbed", counted)
    return Site(content, root / "out", counted.counts, tree(root / "undisturbed"))


def require_listed(out: Path) -> None:
    """Make sure that manifest and ledger list what is published, no more and no less."""
    published = tree(out)
    names = {name for entry in read_ledger_listing(out / LEDGER) for name in entry.names}
    assert names == {*published}
    if MANIFEST not in published:  # a build publishes none rather than one that lists other files
        return
    manifest = parse_manifest(published[MANIFEST])
    listed = {name for entry in read_entries(manifest, published.get) for name in entry.names}
    assert listed == {path for path in published if is_listed(path)}


def numbers(count: int) -> list[int]:
    """Return which of so many documents fail: the first, one in the middle, and the last."""
    return sorted({1, (count + 1) // 2, count})


ERRORS = {
    "bug": ZeroDivisionError("nobody foresaw this"),
    "full disk": OSError(errno.ENOSPC, "disk is full", "x"),
}


@pytest.mark.slow
@pytest.mark.parametrize("kind", ERRORS)
def test_unrecorded_document_is_not_published(site: Site, tmp_path: Path, kind: str) -> None:
    previous = tree(site.out)
    failed = list[str]()
    for place, count in sorted(site.counts.items()):
        for number in numbers(count):
            out = tmp_path / f"{place}-{number}"
            shutil.copytree(site.out, out)
            is_applied = build(site.content, out, FailingStager(place, number, ERRORS[kind]))
            try:
                require_listed(out)
                after = tree(out)
                assert is_applied or after == previous
                missing = ({*previous} & {*site.wanted}) - {*after}
                assert not {path for path in missing - {MANIFEST} if not path.startswith(SKIPPED_LISTS)}
                assert build(site.content, out)
                require_listed(out)
                assert MANIFEST in tree(out)
            except AssertionError as error:
                failed.append(f"{place} {number}/{count}: {str(error)[:300]}")
            shutil.rmtree(out)
    assert failed == []


def test_every_publishing_extension_stages(site: Site) -> None:
    owners = {place.owner for place in site.counts}
    absent = {"cards", "clear_signing"} | (set() if has_zstd() else {"packs"})
    assert {*OWNERS.values()} - owners <= absent
