"""The log of a site: what builds append, keep and reject."""

import os
import shutil
import sqlite3
from hashlib import sha256
from pathlib import Path
from random import Random
from unittest.mock import patch

import jsonschema
import orjson
import pytest

from statuary.base.files import LEDGER
from statuary.base.findings import Severity
from statuary.base.primitives import parse_instant
from statuary.base.progress import NoProgress
from statuary.engine.build import build_site
from statuary.engine.tick import TickResult, tick
from statuary.extensions.log import site_log
from statuary.extensions.log.entries import EntryKind, LogAction, parse_proof, verify_proved_document
from statuary.extensions.log.merkle import LogError
from statuary.extensions.log.notes import PrivateKey, parse_checkpoint, verify_checkpoint
from statuary.extensions.log.published_log import TreeHead, read_log_settings
from statuary.extensions.log.site_log import LAST_MANIFEST
from statuary.publish.folder.folder_target import FolderTarget
from statuary.publish.folder.reader import FolderReader
from support.logs import (
    KEY,
    LOGGED_SITE,
    ORIGIN,
    authored_entries_of,
    built,
    entries_of,
    log_failure,
    log_of,
    logged,
    problems_of,
    run_with,
)
from support.random_runs import times
from support.sites import INCIDENT, SITE, address_of, files_in, path_of, record_of, write_files

LATER, LATEST = "2026-11-21T12:00:00Z", "2026-11-21T18:00:00Z"


def ticked_at(site: Path, now: str) -> TickResult:
    """Tick with the key."""
    with patch.dict(os.environ):
        return tick(site, parse_instant(now), run_with())


def actions_of(site: Path) -> list[tuple[str, str]]:
    return [(one.action.value, one.subject.kind.value) for one in authored_entries_of(site)]


def test_every_published_document_is_logged(site):
    entries = entries_of(site)
    assert actions_of(site) == [
        ("add", "contract"),
        ("add", "update"),
        ("add", "update"),
        ("add", "incident"),
        ("add", "update"),
        ("add", "incident"),
    ]
    record = (site / f"v2/contract/748463/{address_of(1)}").read_bytes()
    proof = (site / f"proof/748463/{address_of(1)}.json").read_bytes()
    assert entries[0].digests == [sha256(record).hexdigest(), sha256(proof).hexdigest()]
    assert entries[0].match_id == orjson.loads(record)["matchId"]
    slow = orjson.loads((site / "incidents/slow.json").read_bytes())["incident"]
    authored = [
        [one["id"], one["status"], one["body"], one["display_at"], [[part["code"], part["new_status"]]]]
        for one in slow["incident_updates"]
        for part in one["affected_components"]
    ]
    assert entries[2].sha256 == sha256(orjson.dumps(authored[0])).hexdigest()
    whole = [slow["id"], slow["name"], [None, None], [one["id"] for one in slow["components"]], authored]
    assert entries[3].sha256 == sha256(orjson.dumps(whole)).hexdigest()
    assert entries[6].sha256 == sha256((site / "log/manifest.json").read_bytes()).hexdigest()
    assert problems_of(site) == []


@pytest.mark.slow
def test_log_entries_match_published_schema(site):
    schema = orjson.loads((site / "log/schema.json").read_bytes())
    entries = list(log_of(site).iter_entries())
    assert entries
    for body in entries:
        jsonschema.validate(orjson.loads(body), schema)


def test_published_log_inclusion_proofs_verify(site):
    for path, document in (
        (f"log/contracts/748463/{address_of(1)}.tlog-proof", f"v2/contract/748463/{address_of(1)}"),
        ("log/incidents/slow.tlog-proof", "incidents/slow.json"),
        ("log/incidents/upgrade.tlog-proof", "incidents/upgrade.json"),
    ):
        proof, _ = verify_proved_document((site / path).read_bytes(), (site / document).read_bytes())
        verify_checkpoint(proof.checkpoint, KEY.public)
        with pytest.raises(LogError, match=r"SHA-256|not the document"):
            verify_proved_document((site / path).read_bytes(), b"something else")


@pytest.mark.slow
def test_identical_build_signs_identical_log(tmp_path, content, site):
    logged(content, tmp_path / "again")
    assert files_in(tmp_path / "again") == files_in(site)


@pytest.mark.slow
def test_unchanged_build_adds_no_log_entries(content, site):
    before = {path: body for path, body in files_in(site).items() if path.startswith("log/")}
    result = logged(content, site)
    assert result.checked.line == "log: no new entries, 7 in all"
    assert {path: body for path, body in files_in(site).items() if path.startswith("log/")} == before


@pytest.mark.slow
def test_edited_update_adds_change_log_entries(content, site):
    edited = INCIDENT.replace("We are looking into it.", "Nothing is wrong.")
    write_files(content, {"incidents/slow.yaml": edited})
    seen = log_of(site).head
    was = entries_of(site)[1]
    logged(content, site, LATER)
    assert actions_of(site)[6:] == [("change", "update"), ("change", "incident")]
    change = entries_of(site)[7]
    assert (change.replaces, change.time) == (1, "2026-11-21T12:00:00.000Z")
    page = (site / "incidents/slow.html").read_text("utf-8")
    assert was.sha256 in page
    assert "entry 1" in page
    assert problems_of(site) == []
    log_of(site).verify_extends(seen, "what was seen")
    # and back: both versions are logged
    write_files(content, {"incidents/slow.yaml": INCIDENT})
    logged(content, site, LATEST)
    page = (site / "incidents/slow.html").read_text("utf-8")
    assert change.sha256 in page
    assert actions_of(site)[8:] == [("change", "update"), ("change", "incident")]


def test_removed_content_adds_remove_log_entries(content, site):
    write_files(content, {"incidents/slow.yaml": None, path_of(1): None})
    logged(content, site, LATER)
    assert actions_of(site)[6:] == [
        ("remove", "contract"),
        ("remove", "update"),
        ("remove", "update"),
        ("remove", "incident"),
    ]
    assert not (site / "log/incidents/slow.tlog-proof").exists()
    assert not list((site / "log").glob("contracts/748463/*"))
    assert problems_of(site) == []
    write_files(content, {"incidents/slow.yaml": INCIDENT})
    logged(content, site, LATEST)
    assert actions_of(site)[10:] == [("add", "update"), ("add", "update"), ("add", "incident")]
    assert entries_of(site)[14].replaces == 10


@pytest.mark.slow
def test_incremental_manifest_equals_full_manifest(tmp_path, content, site):
    write_files(content, {"incidents/more.yaml": INCIDENT, "incidents/slow.yaml": None})
    other = shutil.copytree(site, tmp_path / "without-note")
    ledger = sqlite3.connect(other / LEDGER)
    with ledger:
        assert ledger.execute("DELETE FROM notes WHERE name = ?", [LAST_MANIFEST]).rowcount == 1
    ledger.close()
    with patch.object(
        site_log, "make_manifest_from_scratch", side_effect=AssertionError("every part was made again")
    ):
        logged(content, site, LATER)
    logged(content, other, LATER)
    assert files_in(site) == files_in(other)
    assert problems_of(site) == []


@pytest.mark.slow
def test_changes_json_lists_log_entries(content, site):
    write_files(content, {"incidents/new.yaml": INCIDENT.replace("2026-11-02", "2026-11-20")})
    logged(content, site, LATER)
    changes = orjson.loads((site / "changes.json").read_bytes())["changes"]
    assert [one["log_entries"] for one in changes if "incident" in one] == [[7, 8, 9]]


@pytest.mark.slow
def test_tick_appends_log_entries(content, site):
    ticked = ticked_at(site, "2026-11-21T22:00:00Z")
    assert "incidents/upgrade.json" in ticked.changed_paths
    assert actions_of(site)[6:] == [("add", "update"), ("add", "update"), ("change", "incident")]
    assert problems_of(site) == []
    assert ticked_at(site, "2026-11-21T22:00:00Z").line == "log: no new entries, 11 in all"


@pytest.mark.slow
def test_build_without_log_key_defers_entries(content, site):
    write_files(content, {path_of(2): record_of(2), "incidents/slow.yaml": INCIDENT.replace("Slow", "Bad")})
    result = logged(content, site, LATER, key=None)
    assert result.applied
    assert "no signing key" in result.checked.line
    (warning,) = [finding for finding in result.checked.all_findings if finding.rule == "log-not-extended"]
    assert (warning.severity, result.checked.is_clean) == (Severity.WARNING, True)
    assert len(entries_of(site)) == 7
    assert problems_of(site)
    logged(content, site, LATEST)
    assert actions_of(site)[6:] == [("add", "contract"), ("change", "incident")]
    assert problems_of(site) == []


@pytest.mark.slow
def test_full_log_tiles_replace_partial_tiles(tmp_path, content):
    site = tmp_path / "site"
    for now, count in ((LATER, 200), (LATEST, 300)):
        updates = [
            f"  - {{at: 2026-11-02T{10 + one // 60:02}:{one % 60:02}:00Z, status: investigating, body: '{one}'}}\n"
            for one in range(count)
        ]
        write_files(content, {"incidents/long.yaml": "name: Long\nupdates:\n" + "".join(updates)})
        logged(content, site, now)
        assert problems_of(site) == []
    tiles = sorted(path for path in files_in(site) if path.startswith("log/tile/0"))
    assert tiles == ["log/tile/0/000", f"log/tile/0/001.p/{len(entries_of(site)) - 256}"]
    for file in (site / "log/incidents").glob("*.tlog-proof"):
        verify_proved_document(file.read_bytes(), (site / f"incidents/{file.stem}.json").read_bytes())


@pytest.mark.slow
def test_settings_change_keeps_log_files(content, site):
    before = {path: body for path, body in files_in(site).items() if path.startswith("log/")}
    settings = LOGGED_SITE["site.yaml"].replace("name: Plinth", "name: Socle", 1)
    logged(write_files(content, {"site.yaml": settings}), site, LATER)
    log_of(site)
    kept = files_in(site)
    assert {path for path in before if path not in kept and "/parts/" not in path} == set()
    assert problems_of(site) == []


@pytest.mark.slow
@pytest.mark.parametrize("lost", ["ledger.sqlite3", "published.sqlite3"])
def test_lost_ledger_is_rebuilt_from_log(content, site, lost):
    (site / ".statuary" / lost).unlink()
    write_files(content, {path_of(2): record_of(2)})
    logged(content, site, LATER)
    assert actions_of(site)[6:] == [("add", "contract")]
    assert problems_of(site) == []


@pytest.mark.slow
def test_build_rejects_rolled_back_transparency_log(tmp_path, content, site):
    shutil.copytree(site, tmp_path / "old")
    write_files(content, {path_of(2): record_of(2)})
    logged(content, site, LATER)
    shutil.rmtree(site / "log")
    shutil.copytree(tmp_path / "old/log", site / "log")
    assert "fewer than" in log_failure(content, site, LATEST)
    shutil.rmtree(site / "log")
    assert "the log is missing" in log_failure(content, site, LATEST)


@pytest.mark.slow
def test_key_file_detects_rolled_back_log(tmp_path, content, site):
    shutil.copytree(site, tmp_path / "old")
    write_files(content, {path_of(2): record_of(2)})
    key = write_files(tmp_path / "keys", {"log.key": KEY.text}) / "log.key"
    logged(content, site, LATER, key_file=key)
    assert "fewer than" in log_failure(content, tmp_path / "old", LATEST, key_file=key)


@pytest.mark.slow
def test_empty_folder_build_continues_log(tmp_path, content, site):
    write_files(content, {path_of(2): record_of(2)})
    logged(content, tmp_path / "fresh", LATER, elsewhere=site)
    assert actions_of(tmp_path / "fresh") == [*actions_of(site), ("add", "contract")]
    assert problems_of(tmp_path / "fresh") == []
    log_of(tmp_path / "fresh").verify_extends(log_of(site).head, "what is published")


def test_build_rejects_diverged_transparency_log(tmp_path, content, site):
    shutil.copytree(site, tmp_path / "other")
    logged(write_files(content, {path_of(2): record_of(2)}), site, LATER)
    write_files(content, {path_of(2): None, path_of(3): record_of(3)})
    logged(content, tmp_path / "other", LATEST)
    assert "is not a continuation of" in log_failure(content, tmp_path / "other", LATEST, elsewhere=site)


def test_build_rejects_key_of_other_log(content, site):
    other = PrivateKey(ORIGIN, bytes(32))
    assert "not signed with the key" in log_failure(content, site, LATER, key=other)
    other = PrivateKey("another.example/log", bytes(32))
    assert "belongs to the log" in log_failure(content, site, LATER, key=other)


def test_log_example_key_prints_warning(tmp_path):
    text = f"{SITE}log:\n  origin: plinth.example/example-key-log\n  example_key: true\n"
    content = write_files(tmp_path / "content", LOGGED_SITE | {"site.yaml": text})
    result = logged(content, tmp_path / "site", key=None)
    assert "shows nothing about who signed" in result.checked.line
    settings = read_log_settings(FolderReader(tmp_path / "site").read)
    assert settings.example_key
    write_files(content, {"site.yaml": text.replace("example-key-log", "log")})
    (fault,) = built(content, tmp_path / "site", options=run_with(key=None)).checked.skipped
    assert "its name does not show that" in fault.message


FORGERIES = times(25)
"""How many damaged and forged sites; the issue's figure is 1,000."""


def test_damaged_log_file_fails_verification(tmp_path, content, site):
    own = [
        "log/checkpoint",
        "log/tile/0/000.p/7",
        "log/tile/entries/000.p/7",
        "incidents/slow.json",
        "incidents/upgrade.json",
        f"v2/contract/748463/{address_of(1)}",
        f"proof/748463/{address_of(1)}.json",
    ]
    head = log_of(site).head
    accepted = []
    for number in range(FORGERIES):
        random = Random(number)
        path = random.choice(own)
        body = (site / path).read_bytes()
        at = random.randrange(len(body))
        other = body[:at] + bytes([body[at] ^ 1 << random.randrange(8)]) + body[at + 1 :]
        other = random.choice((other, body[:at], body + b"x"))
        (site / path).unlink()  # the two names of an address are one file
        (site / path).write_bytes(other)
        try:
            log = log_of(site)
            log.verify_extends(head, "what was seen")
            if not problems_of(site):
                accepted.append((path, at))
        except LogError:
            pass
        (site / path).write_bytes(body)
    assert problems_of(site) == []
    assert accepted == []


@pytest.mark.slow
def test_unchanged_build_keeps_witness_signature(content, site):
    body = (site / "log/checkpoint").read_bytes()
    text = parse_checkpoint(body).note.text
    line = PrivateKey("witness.example/w1", bytes(31) + b"\1", b"\4").sign(text, 1_700_000_000)
    (site / "log/checkpoint").write_bytes(body + line.encode())
    logged(content, site)
    assert (site / "log/checkpoint").read_bytes() == body + line.encode()


@pytest.mark.slow
def test_later_log_entries_keep_existing_proof(content, site):
    first = (site / "log/incidents/slow.tlog-proof").read_bytes()
    write_files(content, {path_of(2): record_of(2)})
    logged(content, site, LATER)
    assert (site / "log/incidents/slow.tlog-proof").read_bytes() == first
    assert parse_proof(first).checkpoint.size == 7


def test_log_entry_kinds_match_schema():
    schema = orjson.loads(
        (Path(__file__).parents[3] / "src/statuary/extensions/log/entry.schema.json").read_bytes()
    )
    assert schema["properties"]["kind"]["enum"] == [one.value for one in EntryKind]
    assert schema["properties"]["action"]["enum"] == [one.value for one in LogAction]


def test_tree_head_formats_size_and_root():
    assert TreeHead(3, bytes(32)).text == "3 " + "00" * 32


@pytest.mark.slow
def test_rejected_log_build_unlocks_target(content, site):
    log_failure(content, site, LATER, key=PrivateKey(ORIGIN, bytes(32)))
    with FolderTarget(site):
        pass


@pytest.mark.slow
def test_pages_without_log_omit_log_links(content, tmp_path):
    with FolderTarget(tmp_path / "site") as target:
        build_site(content, target, parse_instant(LATER), NoProgress())
    assert (tmp_path / "site" / "index.html").is_file()
    assert [
        path
        for path, body in files_in(tmp_path / "site").items()
        if b"log/" in body and path.endswith(".html")
    ] == []
