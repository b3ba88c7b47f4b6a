"""A status page that stays open through an outage says at each moment what is true, without being loaded again."""

import re
from pathlib import Path

import pytest

from support.browser import browse, build
from support.sites import write_files

pytestmark = pytest.mark.slow

SITE = """\
page:
  id: plinth
  name: Plinth
  url: https://status.plinth.example
  time_zone: Europe/Zurich
"""
COMPONENTS = """\
components:
  rpc: {name: RPC}
  bridge: {name: Bridge}
  explorer: {name: Explorer}
"""
OPENED = """\
name: Calls fail
components: {rpc: degraded_performance}
updates:
  - {at: 2026-11-02T10:10:00Z, status: investigating, body: We look into it.}
"""
WORSE = f"""\
{OPENED}\
  - {{at: 2026-11-02T10:30:00Z, status: identified, body: All of them fail., components: {{rpc: major_outage}}}}
"""
RESOLVED = f"""\
{WORSE}\
  - {{at: 2026-11-02T11:20:00Z, status: resolved, body: Calls succeed.}}
"""
WINDOW = """\
name: A larger disk
components: [bridge]
created_at: 2026-11-01T10:00:00Z
scheduled_for: 2026-11-02T11:00:00Z
scheduled_until: 2026-11-02T12:00:00Z
body: The bridge gets a larger disk.
"""


@pytest.fixture
def steps(tmp_path: Path) -> list[dict[str, str]]:
    """A build for each edit, and the instants at which the reader looks."""
    files = {"site.yaml": SITE, "components.yaml": COMPONENTS, "maintenances/2026-11-02-disk.yaml": WINDOW}
    content = write_files(tmp_path / "content", files)

    def step(at: str, incident: str = "") -> dict[str, str]:
        now = f"2026-11-02T{at}:00Z"
        if not incident:
            return {"at": f"2026-11-02T{at}:30Z"}
        write_files(content, {"incidents/2026-11-02-calls.yaml": incident})
        return {
            "at": f"2026-11-02T{at}:30Z",
            "site": str(build(content, tmp_path / at.replace(":", ""), now)),
        }

    build(content, tmp_path / "first", "2026-11-02T10:00:00Z")
    return [
        step("10:12", OPENED),
        step("10:31", WORSE),
        step("11:01"),
        step("11:21", RESOLVED),
        step("12:01"),
    ]


def test_open_status_page_updates_throughout_outage(tmp_path: Path, steps: list[dict[str, str]]) -> None:
    seen = browse(
        tmp_path / "first", "transition", path="index.html", **{"from": "2026-11-02T10:01:00Z"}, steps=steps
    )
    calm, opened, worse, window, resolved, over = seen["texts"]
    headings = [text["heading"] for text in seen["texts"]]
    assert headings == [
        "All Systems Operational",
        "RPC has degraded performance",
        "RPC is down",
        "RPC is down",
        "Bridge is under maintenance",
        "All Systems Operational",
    ]
    for text in seen["texts"]:
        assert text["title"].startswith(text["heading"])
        assert not text["stale"]
    for text in (opened, worse, resolved, over):
        assert text["announced"] == text["heading"], "screen readers hear each change of the headline"
    since = [re.search(r"Since (?:2 Nov, )?(\S+)", text["text"]) for text in seen["texts"]]
    assert [found and found[1] for found in since] == [None, "11:10", "11:30", "11:30", "12:00", None]
    assert len({calm["icon"], opened["icon"], worse["icon"], resolved["icon"]}) == 4
    assert (window["icon"], over["icon"]) == (worse["icon"], calm["icon"])
    assert seen["loads"] == 1, "the page was loaded again instead of being updated"
    assert seen["complaints"] == []
