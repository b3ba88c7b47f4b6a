"""A tick gives every file that a build at the same instant gives, except those that are listed with a reason."""

from pathlib import Path
from shutil import copytree

import pytest

from statuary.base.primitives import Instant, parse_instant
from statuary.base.progress import NoProgress
from statuary.engine.build import build_site
from statuary.engine.tick import tick
from statuary.publish.folder.folder_target import FolderTarget
from statuary.status.api.epoch_index import read_epoch_index
from support.sites import SMALL_SITE, files_in, write_files

pytestmark = pytest.mark.slow

START = parse_instant("2026-11-20T12:00:00Z")
EXTENSIONS = """\
log: {origin: status.example.org/example-key-log, example_key: true}
embed: true
instatus: true
prometheus: true
cards: {}
languages: [en, de]
notify: {messages: true}
"""
DIFFERENT = {
    "api.html": "an example names the incident that was the newest at the build; the link works all the same",
    "metrics.txt": "it says by when to build again, and a build moves that",
}
"""The files of both that differ, and why that is right."""


def build(content: Path, out: Path, now: Instant) -> None:
    with FolderTarget(out) as publication:
        assert build_site(content, publication, now, NoProgress()).applied


@pytest.mark.parametrize(
    "instant",
    [
        "2026-11-21T00:00:00Z",  # a midnight
        "2026-11-21T21:00:00Z",  # a reminder
        "2026-11-21T22:00:00Z",  # the start of the maintenance
        "2026-11-21T22:30:00Z",  # nothing
        "2026-11-21T23:00:00Z",  # its end
        "2026-11-22T00:00:00Z",  # a midnight after it
    ],
)
def test_late_tick_equals_fresh_build(tmp_path: Path, instant: str) -> None:
    settings = SMALL_SITE["site.yaml"].replace("horizon_days: 2\n", "horizon_days: 12\n") + EXTENSIONS
    content = write_files(tmp_path / "content", {**SMALL_SITE, "site.yaml": settings})
    build(content, tmp_path / "ticked", START)
    assert read_epoch_index(tmp_path / "ticked").end > parse_instant("2026-11-22T00:00:00Z")
    copytree(tmp_path / "ticked", tmp_path / "built")
    tick(tmp_path / "ticked", parse_instant(instant))
    build(content, tmp_path / "built", parse_instant(instant))
    ticked, built = (
        {path: body for path, body in files_in(tmp_path / name).items() if "/_epochs/" not in path}
        for name in ("ticked", "built")
    )
    assert ticked.keys() == built.keys()
    assert {path for path in ticked if ticked[path] != built[path]} <= DIFFERENT.keys()
