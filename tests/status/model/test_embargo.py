"""Nothing that the content holds back is in any file before a build at its instant."""

from pathlib import Path

import pytest

from statuary.base.primitives import parse_instant
from statuary.base.progress import NoProgress
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
}
"""A source file by kind; each is due at `DUE`."""


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
        if CANARY in file.read_bytes() or CANARY.decode() in file.name
    )


@pytest.mark.parametrize("kind", HELD_BACK)
def test_held_back_text_waits_for_build(tmp_path: Path, kind: str) -> None:
    path, text = HELD_BACK[kind]
    files = {"site.yaml": SITE, "components.yaml": COMPONENTS, path: text}
    site = build(tmp_path, files, NOW)
    assert files_with_canary(site) == []
    assert read_epoch_index(site).build_due == DUE
    site = build(tmp_path, files, DUE)
    assert "api/v2/summary.json" in files_with_canary(site)
    assert read_epoch_index(site).next_build is None


def test_hand_set_status_ahead_waits(tmp_path: Path) -> None:
    ahead = "{name: RPC, history: [{at: 2026-11-27T08:00:00Z, status: major_outage}]}"
    files = {"site.yaml": SITE, "components.yaml": f"components:\n  rpc: {ahead}\n"}
    site = build(tmp_path, files, NOW)
    assert not any(b"major_outage" in file.read_bytes() for file in (site / "api").rglob("*.json"))
    assert read_epoch_index(site).build_due == DUE


def test_component_named_ahead_stays_hidden(tmp_path: Path) -> None:
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
