"""`log verify --since` finds what changed after a checkpoint, and reads nothing else."""

from pathlib import Path
from typing import NamedTuple

import pytest

from statuary.base.primitives import parse_instant
from statuary.extensions.log.merkle import LogError, LogGrowth, iter_verified_entries
from statuary.extensions.log.notes import Checkpoint, Note
from statuary.extensions.log.published_log import PREFIX, PublishedLog
from statuary.extensions.log.verify import DocumentCheck, SiteCheck
from statuary.publish.folder.reader import FolderReader
from support.logs import KEY, LOGGED_SITE, built, entries_of, log_of, logged, run_with
from support.sites import INCIDENT, address_of, path_of, record_of, write_files

LATER, LATEST = "2026-11-21T12:00:00Z", "2026-11-22T12:00:00Z"
RECORD = f"v2/contract/748463/{address_of(1)}"
SIZES = [1, 255, 256, 257, 600, pytest.param(65_700, marks=pytest.mark.slow)]


def log_of_numbers(size: int) -> PublishedLog:
    """Return a log of numbers, in memory, unsigned."""
    growth = LogGrowth(0, lambda _: None)
    files: dict[str, bytes] = {}
    for number in range(size):
        files |= growth.append_entry(b"%d" % number)
    files |= growth.iter_partial_files()
    checkpoint = Checkpoint("numbers", size, growth.root(), Note("", ()))
    return PublishedLog("numbers", checkpoint, lambda path: files.get(path.removeprefix(f"{PREFIX}/")))


@pytest.mark.parametrize("size", SIZES)
def test_log_entries_start_at_any_position(size):
    log = log_of_numbers(size)
    for start in {0, 1, size // 2, min(size, 256), size - 1, size}:
        assert list(log.iter_entries(start)) == [b"%d" % number for number in range(start, size)]
    for number in {0, size // 3, size - 1}:
        assert log.read_entry(number) == b"%d" % number
    with pytest.raises(LogError):
        list(log.iter_entries(size + 1))
    with pytest.raises(LogError):
        log.read_entry(size)


@pytest.mark.parametrize("start", [0, 1, 256, 300])
def test_reading_log_entries_rejects_changed_tile(start):
    """Whichever piece differs, no log is read to its end."""
    log = log_of_numbers(600)
    read_path = log.read_path
    paths: set[str] = set()

    def noting(path: str) -> bytes | None:
        paths.add(path)
        return read_path(path)

    assert list(iter_verified_entries(noting, *log.head, start))
    for path in paths:
        body = read_path(path)
        if body is None:
            continue
        changed = {path: body[:-1] + bytes([body[-1] ^ 1])}
        with pytest.raises(LogError):
            list(
                iter_verified_entries(
                    lambda other, c=changed: c.get(other) or read_path(other), *log.head, start
                )
            )


class Reads(NamedTuple):
    """What a verification found, and what it read."""

    found: DocumentCheck
    files: int
    size: int  # bytes


def checked_since(site: Path, since: int) -> Reads:
    """Verify a folder from an earlier size of its log on, and count what is read."""
    reader, bodies = FolderReader(site), []

    def read(path: str) -> bytes | None:
        bodies.append(reader.read(path) or b"")
        return bodies[-1] or None

    log = PublishedLog(str(site), log_of(site).checkpoint, read)
    log.verify_root()
    check = SiteCheck(log, KEY.public, read, parse_instant("2027-01-01T00:00:00Z"), lambda _: None, since)
    return Reads(check.check_site(None), len(bodies), sum(map(len, bodies)))


def change_record(content: Path, number: int) -> None:
    """Change the time of a record's verification."""
    file = content / path_of(number)
    file.write_text(file.read_text().replace("2026-", "2025-", 1))


def built_with(content: Path, site: Path, records: int, layout: str) -> int:
    """Build a site of some records, change ten of them and an incident; return the size of its log before."""
    settings = LOGGED_SITE["site.yaml"] + layout
    write_files(content, {path_of(number): record_of(number) for number in range(1, records + 1)})
    write_files(content, {"site.yaml": settings})
    logged(content, site)
    before = log_of(site).head.size
    for number in range(records // 10, records + 1, records // 10):
        change_record(content, number)
    write_files(content, {"incidents/slow.yaml": INCIDENT.replace("Slow", "Down")})
    logged(content, site, LATER)
    return before


@pytest.mark.slow
@pytest.mark.parametrize("layout", ["", "hosting:\n  layout: sharded\n"])
def test_verify_since_reads_only_changed_documents(tmp_path, layout):
    reads = {}
    for records in (100, 1_000):
        content = write_files(tmp_path / f"content{records}", LOGGED_SITE)
        site = tmp_path / f"site{records}"
        since = built_with(content, site, records, layout)
        reads[records] = checked_since(site, since)
        assert reads[records].found.all_files_match
        subjects = {entry.subject for entry in entries_of(site)[since:]}
        assert len(subjects) >= 12  # ten records, the incident and the site
        assert reads[records].found.matching_count >= 3 * 10
    assert reads[1_000].files < reads[100].files + 40  # more bundles, tiles and parts, not more documents


@pytest.fixture
def changed_site(tmp_path: Path, content: Path, site: Path) -> int:
    """Change a record, remove one, and edit an incident; return the size of the log before."""
    write_files(content, {path_of(2): record_of(2), path_of(3): record_of(3)})
    logged(content, site, LATER)
    before = log_of(site).head.size
    (content / path_of(2)).unlink()
    change_record(content, 1)
    write_files(content, {"incidents/slow.yaml": INCIDENT.replace("Slow", "Down")})
    logged(content, site, LATEST)
    return before


@pytest.mark.slow
@pytest.mark.parametrize(
    ("path", "is_found"),
    [
        (RECORD, True),
        (f"proof/748463/{address_of(1)}.json", True),
        (f"log/contracts/748463/{address_of(1)}.tlog-proof", True),
        ("incidents/slow.json", True),
        ("log/incidents/slow.tlog-proof", True),
        ("log/manifest.json", True),
        ("log/pending.json", True),
        ("log/tile/0/000.p/{size}", True),
        ("log/tile/entries/000.p/{size}", True),
        (f"v2/contract/748463/{address_of(3)}", False),
        ("index.html", False),
    ],
)
def test_verify_since_finds_damaged_changed_document(site, changed_site, path, is_found):
    assert checked_since(site, changed_site).found.all_files_match
    file = site / path.format(size=log_of(site).head.size)
    names = [one for one in site.rglob("*") if one.is_file() and one.samefile(file)]
    body = bytearray(file.read_bytes())
    body[-2] ^= 1
    for name in names:
        name.unlink()
        name.write_bytes(body)
    try:
        holds = checked_since(site, changed_site).found.all_files_match
    except LogError:
        holds = False
    assert holds is not is_found


@pytest.mark.slow
def test_verify_since_finds_still_published_removal(site, changed_site):
    write_files(site, {f"v2/contract/748463/{address_of(2)}": "{}"})
    assert checked_since(site, changed_site).found.problems == [
        f"v2/contract/748463/{address_of(2)} is published, but not in the log"
    ]


@pytest.mark.slow
def test_verify_since_lists_files_built_unsigned(tmp_path, content, site):
    before = log_of(site).head.size
    write_files(content, {"incidents/slow.yaml": INCIDENT.replace("Slow", "Down")})
    logged(content, site, LATER)
    write_files(content, {"incidents/slow.yaml": INCIDENT.replace("Slow", "Late")})
    built(content, site, LATEST, run_with(None))
    found = checked_since(site, before).found
    assert "incidents/slow.json" in found.unsigned
    assert not found.problems
