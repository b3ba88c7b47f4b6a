"""Every file of a site is vouched for by its log, and no log that breaks a rule verifies."""

import os
import shutil
from pathlib import Path
from random import Random
from unittest.mock import patch

import orjson
import pytest
from click.testing import CliRunner

from statuary.base.primitives import parse_instant
from statuary.cli.main import command
from statuary.engine.tick import tick
from statuary.extensions.log.entries import EntryKind as Kind
from statuary.extensions.log.entries import LogAction, LogEntry, LogSubject
from statuary.extensions.log.merkle import LogError, LogGrowth
from statuary.extensions.log.notes import format_checkpoint_text
from statuary.extensions.log.options import make_site_reader
from statuary.extensions.log.published_log import open_log
from statuary.extensions.log.verify import SiteCheck
from statuary.publish.folder.reader import walk_everything
from statuary.publish.manifest import ManifestBuilder, encode_manifest
from statuary.publish.origin import SiteOrigin
from statuary.site.document import encode_json
from support.file_server import served
from support.logs import (
    KEY,
    ORIGIN,
    authored_entries_of,
    built,
    checked,
    entries_of,
    log_failure,
    log_of,
    logged,
    problems_of,
    run_with,
)
from support.random_runs import times
from support.sites import INCIDENT, address_of, files_in, path_of, record_of, tree, write_files
from support.tiers import few_by_default

BYTES = times(60)
"""How many bytes are changed, each in a site of its own; the issue's figure is 500."""

LATER, LATEST, EARLIER = "2026-11-21T12:00:00Z", "2026-11-22T12:00:00Z", "2026-11-15T12:00:00Z"
RECORD = f"v2/contract/748463/{address_of(1)}"


@pytest.fixture
def site(tmp_path: Path, content: Path) -> Path:
    logged(content, tmp_path / "site")
    logged(
        write_files(content, {"incidents/slow.yaml": INCIDENT.replace("Slow", "Down")}),
        tmp_path / "site",
        LATER,
    )
    return tmp_path / "site"


def is_found(check) -> bool:
    """Say whether a check finds something."""
    try:
        found = check()
    except LogError:
        return True
    return not found.all_files_match or bool(found.due_paths or found.unserved)


def checked_url(url: str):
    """Verify a site as a reader of its address does."""
    read = make_site_reader(url)
    log = open_log(url, read, KEY.public)
    if log is None:
        raise LogError("there is no log")
    return SiteCheck(log, KEY.public, read, parse_instant("2027-01-01T00:00:00Z"), lambda _: None).check_site(
        None
    )


def change_byte(random: Random, file: Path) -> None:
    """Change a byte of a file, and not of its other names."""
    body = bytearray(file.read_bytes())
    body[random.randrange(len(body))] ^= random.randrange(1, 256)
    file.unlink()
    file.write_bytes(body)


@pytest.mark.slow
def test_log_verify_detects_random_byte_changes(site):
    assert not is_found(lambda: checked(site))
    paths = sorted(path for path in tree(site) if (site / path).stat().st_size)
    missed = []
    with served(site) as (url, _):
        assert not is_found(lambda: checked_url(url))
        for number in range(BYTES):
            random = Random(number)
            path = random.choice(paths)
            before, tile = (site / path).read_bytes(), ".p/" in path
            change_byte(random, site / path)
            over_http = (
                number % 4 == 0 and not tile
            )  # a reader of an address asks for no tile of an earlier size
            if not is_found((lambda: checked_url(url)) if over_http else (lambda: checked(site))):
                missed.append((path, number))
            (site / path).write_bytes(before)
    assert missed == []
    assert problems_of(site) == []


@pytest.mark.slow
@pytest.mark.parametrize(
    "path",
    few_by_default(
        [
            RECORD.lower(),
            "index.html",
            "api/v2/summary.json",
            "incidents/slow.json",
            "log/index.json",
            "log/schema.json",
            "log/manifest.json",
            "log/pending.json",
            "log/incidents/slow.tlog-proof",
            "log/tile/0/000.p/7",
            "log/tile/entries/000.p/7",
        ],
        4,
    ),
)
def test_log_verify_detects_any_changed_file(site, path):
    for seed in range(3):
        before = (site / path).read_bytes()
        change_byte(Random(seed), site / path)
        assert is_found(lambda: checked(site))
        (site / path).write_bytes(before)


@pytest.mark.slow
def test_log_verify_lists_uncovered_files(site):
    write_files(site, {"phishing.html": "<h1>Send coins</h1>", f"v2/contract/748463/{address_of(9)}": "{}"})
    found = checked(site)
    assert found.uncovered == ["phishing.html"]
    assert found.problems == [f"v2/contract/748463/{address_of(9)} is published, but not in the log"]


UNCOVERED = {
    "a script": lambda site: write_files(site, {"assets/wallet.js": "drain()"}),
    "a script of the host": lambda site: write_files(site, {"_worker.js": "drain()"}),
    "a hidden file": lambda site: write_files(site, {".htaccess": "Redirect / https://evil.example/"}),
    "a well-known file": lambda site: write_files(site, {".well-known/security.txt": "Contact: evil"}),
    "a hidden folder": lambda site: write_files(site, {"assets/.old/wallet.js": "drain()"}),
    "a part of no manifest": lambda site: write_files(site, {f"snapshot/parts/{'ab' * 32}.jsonl": "{}"}),
    "a link": lambda site: (site / "passwords").symlink_to("/etc/passwd"),
    "a link to a folder": lambda site: (site / "v3").symlink_to("/etc"),
    "an emptied manifest": lambda site: (site / "snapshot/manifest.json").write_bytes(b""),
    "a manifest of nothing": lambda site: (site / "snapshot/manifest.json").write_bytes(
        encode_manifest(ManifestBuilder().manifest(SiteOrigin(parse_instant(LATER), "", "0.2.0")))
    ),
    "no manifest": lambda site: (site / "snapshot/manifest.json").unlink(),
}
"""What someone may add or empty who can write to the host, and has no key."""


@pytest.mark.slow
@pytest.mark.parametrize("kind", UNCOVERED)
def test_log_verify_lists_unlogged_files(site, kind):
    assert checked(site).all_files_match
    before = set(tree(site))
    UNCOVERED[kind](site)
    (name,) = set(walk_everything(site)) - before or {"snapshot/manifest.json"}
    assert name in "\n".join(problems_of(site))
    output = CliRunner().invoke(
        command, ["log", "verify", str(site), "--forget", "--public-key", KEY.public.text]
    )
    assert output.exit_code == 1
    assert name in output.output


@pytest.mark.slow
def test_log_verify_recognizes_unsigned_build(content, site):
    """Its files are as the manifest beside them states: one line names them, and no file is a problem."""
    write_files(content, {"incidents/slow.yaml": INCIDENT.replace("Slow", "Long"), path_of(2): record_of(2)})
    with patch.dict(os.environ):
        built(content, site, LATEST, run_with(key=None))
    found = checked(site)
    assert found.problems == found.uncovered == []
    assert {"incidents/slow.json", f"v2/contract/748463/{address_of(2)}"} <= {*found.unsigned}
    assert found.stated_at.startswith("2026-11-2")
    output = CliRunner().invoke(
        command, ["log", "verify", str(site), "--forget", "--public-key", KEY.public.text]
    )
    assert output.exit_code == 1
    assert "0 problems" in output.output
    assert "a build without the log's key makes such a site" in output.output
    (site / "api.html").write_text("<h1>Send coins</h1>", "utf-8")
    assert any(problem.startswith("api.html has the SHA-256") for problem in checked(site).problems)


@pytest.mark.slow
def test_log_verify_rejects_forged_epoch_document(site):
    """An incident's text is changed, and the same bytes are named in the index of epochs as those of now."""
    body = (site / "incidents/slow.json").read_bytes().replace(b"Down", b"Fine")
    (site / "incidents/slow.json").write_bytes(body)
    index = orjson.loads((site / "api/v2/_epochs/index.json").read_bytes())
    index["documents"]["incidents/slow.json"] = {"whole": [0]}
    folder = next(path for path in files_in(site) if path.startswith("api/v2/_epochs/2")).split("/")[3]
    write_files(site, {f"api/v2/_epochs/{folder}/incidents/slow.json": body.decode()})
    (site / "api/v2/_epochs/index.json").write_bytes(encode_json(index))
    found = "\n".join(checked(site).problems)
    assert "api/v2/_epochs/index.json has the SHA-256" in found


def test_tick_without_log_key_passes_verification(site):
    """A site that a host or a tick without the key moves to a later instant is as its signed schedule says."""
    with patch.dict(os.environ):
        tick(site, parse_instant("2026-11-21T22:00:00Z"), run_with(key=None))
    found = checked(site, "2026-11-21T22:00:00Z")
    assert "incidents/upgrade.json" in found.due_paths
    assert "changes.json" in found.due_paths
    assert found.problems == []
    assert "incidents/upgrade.json" in checked(site, LATER).unsigned  # not yet


@pytest.mark.slow
def test_log_verify_rejects_forged_tick_changes(site):
    """`changes.json` of a tick without the key compares two states that are signed; any other is a problem."""
    instants = ("2026-11-21T22:00:00Z", "2026-11-21T23:30:00Z")
    for now in instants:
        with patch.dict(os.environ):
            tick(site, parse_instant(now), run_with(key=None))
        assert checked(site, now).problems == []
    file = site / "changes.json"
    body = file.read_bytes()
    assert b"upgrade" in body
    for forged in (body.replace(b"upgrade", b"updated"), b"{}", body[:-1]):
        file.write_bytes(forged)
        assert any(
            one.startswith("changes.json has the SHA-256") for one in checked(site, instants[-1]).problems
        )


@pytest.mark.slow
def test_new_incident_adds_own_log_entries(content, site):
    count = len(authored_entries_of(site))
    write_files(
        content, {"incidents/new.yaml": INCIDENT.replace("Slow", "New").replace("2026-11-02", "2026-11-21")}
    )
    logged(content, site, LATER)
    new = authored_entries_of(site)[count:]
    assert {(one.action, one.subject.first) for one in new} == {(LogAction.ADD, "new")}


def test_clock_rollback_requires_logged_clock_correction(content, site):
    write_files(content, {"incidents/slow.yaml": INCIDENT.replace("Slow", "Outage")})
    size = log_of(site).head.size
    assert "the clock says 2026-11-15" in log_failure(content, site, EARLIER)
    assert b"Outage" in (site / "incidents/slow.json").read_bytes()
    assert log_of(site).head.size == size
    write_files(content, {"incidents/slow.yaml": INCIDENT.replace("Slow", "Long outage")})
    logged(content, site, EARLIER, allow_clock_rollback=True)
    assert (entries_of(site)[size].subject.kind, entries_of(site)[size].time) == (
        Kind.CLOCK,
        "2026-11-15T12:00:00.000Z",
    )
    assert problems_of(site) == []


@pytest.mark.slow
def test_future_log_entry_fails_verification(content, site):
    """A build had a wrong clock; until that is corrected, a right one appends nothing."""
    write_files(content, {"incidents/slow.yaml": INCIDENT.replace("Slow", "Outage")})
    logged(content, site, "2030-01-01T00:00:00Z")
    assert "more than a day ahead" in "\n".join(checked(site, LATEST).problems)
    logged(content, site, LATEST, allow_clock_rollback=True)
    assert checked(site, LATEST).problems == []


SLOW = LogSubject(Kind.INCIDENT, "slow")
DIGEST, OTHER = "ab" * 32, "cd" * 32
FIRST, SECOND = "2026-11-20T12:00:00.000Z", "2026-11-21T12:00:00.000Z"
ADDED = LogEntry(SLOW, LogAction.ADD, FIRST, DIGEST)
BROKEN = {
    "a time that is none": [ADDED._replace(time="<script>")],
    "a day that is none": [ADDED._replace(time="2026-02-31T12:00:00.000Z")],
    "times out of order": [
        ADDED._replace(time=SECOND),
        LogEntry(SLOW, LogAction.CHANGE, FIRST, OTHER, replaces=0),
    ],
    "a digest that is none": [ADDED._replace(sha256="ab")],
    "an address that is none": [
        LogEntry(LogSubject(Kind.CONTRACT, "1", "0x1"), LogAction.ADD, FIRST, DIGEST)
    ],
    "a proof of an incident": [ADDED._replace(proof=OTHER)],
    "replaces nothing": [ADDED, LogEntry(SLOW, LogAction.CHANGE, SECOND, OTHER)],
    "replaces another": [ADDED, LogEntry(SLOW, LogAction.CHANGE, SECOND, OTHER, replaces=7)],
    "replaces no number": [ADDED, LogEntry(SLOW, LogAction.CHANGE, SECOND, OTHER, replaces=False)],
    "added twice": [ADDED, LogEntry(SLOW, LogAction.ADD, SECOND, OTHER, replaces=0)],
    "changed before it is added": [LogEntry(SLOW, LogAction.CHANGE, FIRST, DIGEST)],
    "removed before it is added": [LogEntry(SLOW, LogAction.REMOVE, FIRST)],
    "removed with a digest": [ADDED, LogEntry(SLOW, LogAction.REMOVE, SECOND, OTHER, replaces=0)],
    "a change of nothing": [ADDED, LogEntry(SLOW, LogAction.CHANGE, SECOND, DIGEST, replaces=0)],
    "a clock with a digest": [LogEntry(LogSubject(Kind.CLOCK), LogAction.CHANGE, FIRST, DIGEST)],
}


def forged(site: Path, entries: list[LogEntry]) -> None:
    """Give a folder a log of these entries, signed with its key."""
    shutil.rmtree(site / "log/tile")
    growth, pieces = LogGrowth(0, lambda _: None), {}
    for entry in entries:
        pieces.update(growth.append_entry(entry.encode()))
    pieces.update(growth.iter_partial_files())
    text = format_checkpoint_text(ORIGIN, len(entries), growth.root())
    pieces["checkpoint"] = f"{text}\n{KEY.sign(text)}".encode()
    for path, body in pieces.items():
        (site / "log" / path).parent.mkdir(parents=True, exist_ok=True)
        (site / "log" / path).write_bytes(body)


@pytest.mark.parametrize("entries", few_by_default(BROKEN.values(), 3), ids=BROKEN)
def test_invalid_signed_log_is_rejected(content, site, entries):
    forged(site, entries)
    with pytest.raises(LogError, match="is not allowed"):
        checked(site)
    (site / ".statuary/ledger.sqlite3").unlink()
    (site / "log/pending.json").unlink()
    assert "is not allowed" in log_failure(content, site, LATEST)


@pytest.mark.slow
def test_log_verify_rejects_published_removed_incident(site):
    """A `remove` entry beside an incident that is still published."""
    entries = entries_of(site)
    last = max(number for number, one in enumerate(entries) if one.subject == SLOW)
    forged(site, [*entries, LogEntry(SLOW, LogAction.REMOVE, SECOND, replaces=last)])
    assert (
        "incidents/slow.json is published, but the log records it as removed or excluded"
        in checked(site).problems
    )
