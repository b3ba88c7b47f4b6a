"""Nothing that the content holds back is in any file before a build at its instant."""

from pathlib import Path
from zipfile import ZipFile

import pytest
from click.testing import CliRunner

from statuary.base.primitives import format_utc, parse_instant
from statuary.base.progress import NoProgress
from statuary.cli.main import command
from statuary.engine.build import build_site
from statuary.publish.folder.folder_target import FolderTarget
from statuary.status.api.epoch_index import read_epoch_index
from support.sites import write_files

NOW = parse_instant("2026-11-25T10:00:00Z")
DUE = parse_instant("2026-11-27T08:00:00Z")
CANARY = b"CANARY"

SITE = """\
page: {name: Demo, url: 'https://status.example.org', created_at: 2026-01-01T00:00:00Z}
"""
EVERYTHING = """\
log: {origin: status.example.org/example-key-log, example_key: true}
embed: true
instatus: true
prometheus: true
cards: {}
languages: [en, de]
notify: {messages: true, channels: [{name: hook, kind: webhook, url_variable: HOOK_URL}]}
"""
COMPONENTS = "components:\n  rpc: {name: RPC}\n  explorer: {name: Explorer}\n"

HELD_BACK = {
    "incident under embargo": (
        "incidents/a.yaml",
        """\
name: CANARY
publish_at: 2026-11-27T08:00:00Z
components: {rpc: major_outage}
updates:
  - {at: 2026-11-25T09:00:00Z, status: investigating, body: CANARY}
""",
    ),
    "incident dated ahead": (
        "incidents/a.yaml",
        """\
name: CANARY
components: {rpc: major_outage}
updates:
  - {at: 2026-11-27T08:00:00Z, status: investigating, body: CANARY}
""",
    ),
    "update dated ahead": (
        "incidents/a.yaml",
        """\
name: Slow
components: {rpc: major_outage}
updates:
  - {at: 2026-11-25T09:00:00Z, status: investigating, body: Slow.}
  - {at: 2026-11-27T08:00:00Z, status: identified, body: CANARY}
""",
    ),
    "maintenance window under embargo": (
        "maintenances/a.yaml",
        """\
name: CANARY
publish_at: 2026-11-27T08:00:00Z
scheduled_for: 2026-11-30T08:00:00Z
scheduled_until: 2026-11-30T09:00:00Z
components: [rpc]
updates:
  - {at: 2026-11-25T09:00:00Z, status: scheduled, body: CANARY}
""",
    ),
    "window announced ahead": (
        "maintenances/a.yaml",
        """\
name: CANARY
created_at: 2026-11-27T08:00:00Z
scheduled_for: 2026-11-30T08:00:00Z
scheduled_until: 2026-11-30T09:00:00Z
body: CANARY
components: [rpc]
""",
    ),
    "window moved ahead": (
        "maintenances/a.yaml",
        """\
name: Upgrade
created_at: 2026-11-24T08:00:00Z
scheduled_for: 2026-12-03T15:47:11Z
scheduled_until: 2026-12-03T16:47:11Z
rescheduled_at: 2026-11-27T08:00:00Z
body: We upgrade.
components: [rpc]
updates:
  - {at: 2026-11-27T08:00:00Z, status: scheduled, body: CANARY, moved_from: 2026-11-30T08:00:00Z}
""",
    ),
    "window of a rule moved ahead": (
        "maintenances/a.yaml",
        """\
name: Upgrade
scheduled_for: 2026-11-30T08:00:00Z
scheduled_until: 2026-11-30T09:00:00Z
recurrence:
  rule: FREQ=WEEKLY;COUNT=2
  occurrences:
    2026-11-30T08:00:00Z:
      scheduled_for: 2026-12-03T15:47:11Z
      scheduled_until: 2026-12-03T16:47:11Z
      rescheduled_at: 2026-11-27T08:00:00Z
      updates:
        - {at: 2026-11-27T08:00:00Z, status: scheduled, body: CANARY, moved_from: 2026-11-30T08:00:00Z}
body: We upgrade.
components: [rpc]
""",
    ),
    "cancellation ahead": (
        "maintenances/a.yaml",
        """\
name: Upgrade
created_at: 2026-11-24T08:00:00Z
scheduled_for: 2026-11-30T08:00:00Z
scheduled_until: 2026-11-30T09:00:00Z
cancelled_at: 2026-11-27T08:00:00Z
body: We upgrade.
components: [rpc]
updates:
  - {at: 2026-11-27T08:00:00Z, status: completed, body: CANARY}
""",
    ),
    "postmortem dated ahead": (
        "incidents/a.yaml",
        """\
name: Slow
components: {rpc: major_outage}
updates:
  - {at: 2026-11-25T08:00:00Z, status: investigating, body: Slow.}
  - {at: 2026-11-25T09:00:00Z, status: resolved, body: Fast.}
postmortem: {published_at: 2026-11-27T08:00:00Z, body: CANARY}
""",
    ),
}
"""A source file by kind; each is due at `DUE`."""

SECRETS = (CANARY, b"15:47:11", b"154711")
"""Texts that no file has before; the times are those of a window that is moved."""


def build(root: Path, files: dict[str, str], now) -> Path:
    content = write_files(root / "content", files)
    with FolderTarget(root / "site") as target:
        assert build_site(content, target, now, NoProgress()).applied
    return root / "site"


def files_with_canary(site: Path) -> list[str]:
    files = (file for file in site.rglob("*") if file.is_file() and ".statuary" not in file.parts)
    return sorted(
        file.relative_to(site).as_posix()
        for file in files
        if any(secret in file.read_bytes() or secret.decode() in file.name for secret in SECRETS)
    )


def test_future_texts_appear_with_due_build(tmp_path: Path) -> None:
    files = {"site.yaml": SITE, "components.yaml": COMPONENTS}
    for number, (path, text) in enumerate(HELD_BACK.values()):
        files[path.replace("a.yaml", f"{number}.yaml")] = text
    site = build(tmp_path, files, NOW)
    assert files_with_canary(site) == []
    assert read_epoch_index(site).build_due == DUE
    site = build(tmp_path, files, DUE)
    assert "history.atom" in files_with_canary(site)
    assert read_epoch_index(site).next_build is None


@pytest.mark.slow
@pytest.mark.parametrize("kind", HELD_BACK)
def test_extensions_publish_no_future_text(tmp_path: Path, kind: str) -> None:
    path, text = HELD_BACK[kind]
    files = {"site.yaml": SITE + EVERYTHING, "components.yaml": COMPONENTS, path: text}
    site = build(tmp_path, files, NOW)
    assert files_with_canary(site) == []
    assert read_epoch_index(site).build_due == DUE
    snapshot = tmp_path / "site.zip"
    created = CliRunner().invoke(command, ["snapshot", "create", "--from", str(site), str(snapshot)])
    assert created.exit_code == 0, created.output
    with ZipFile(snapshot) as archive:
        assert not [name for name in archive.namelist() for secret in SECRETS if secret in archive.read(name)]
    notify = ["notify", "--content", str(tmp_path / "content"), "--state", str(tmp_path / "sent.json")]
    shown = CliRunner().invoke(
        command, [*notify, "--dry-run", "--since", "2026-11-24T00:00:00Z", "--now", format_utc(NOW)]
    )
    assert "CANARY" not in shown.output
    site = build(tmp_path, files, DUE)
    assert "history.atom" in files_with_canary(site)


def test_future_manual_status_is_not_published(tmp_path: Path) -> None:
    ahead = "{name: RPC, history: [{at: 2026-11-27T08:00:00Z, status: major_outage}]}"
    files = {"site.yaml": SITE, "components.yaml": f"components:\n  rpc: {ahead}\n"}
    site = build(tmp_path, files, NOW)
    assert not any(b"major_outage" in file.read_bytes() for file in (site / "api").rglob("*.json"))
    assert read_epoch_index(site).build_due == DUE


def test_future_update_component_is_not_published(tmp_path: Path) -> None:
    incident = """\
name: Slow
components: {rpc: degraded_performance}
updates:
  - {at: 2026-11-25T09:00:00Z, status: investigating, body: Slow.}
  - {at: 2026-11-27T08:00:00Z, status: identified, body: More., components: {explorer: major_outage}}
"""
    site_yaml = SITE
    site = build(
        tmp_path, {"site.yaml": site_yaml, "components.yaml": COMPONENTS, "incidents/a.yaml": incident}, NOW
    )
    assert b'"code":"explorer"' not in (site / "api/v2/incidents.json").read_bytes()
    assert b"Explorer" not in (site / "api/v2/incidents.json").read_bytes()


def test_future_impact_override_is_not_published(tmp_path: Path) -> None:
    incident = """\
name: Slow
components: {rpc: degraded_performance}
impact_override: critical
impact_override_at: 2026-11-27T08:00:00Z
updates:
  - {at: 2026-11-25T09:00:00Z, status: investigating, body: Slow.}
"""
    files = {"site.yaml": SITE, "components.yaml": COMPONENTS, "incidents/a.yaml": incident}
    site = build(tmp_path, files, NOW)
    assert not any(b"critical" in file.read_bytes() for file in (site / "api").rglob("*.json"))
    assert read_epoch_index(site).build_due == DUE
    site = build(tmp_path, files, DUE)
    assert b'"impact":"critical"' in (site / "api/v2/incidents.json").read_bytes()
