"""A site that turns an extension on by no key of site.yaml is published as if there were no such extension."""

import subprocess
import sys
from pathlib import Path

import pytest

from statuary.registry import EXTENSIONS
from support.sites import NOW, files_in, small_site

pytestmark = pytest.mark.slow

KEYS = frozenset(row.name for row in EXTENSIONS if row.section)

PROGRAM = """
import sys
from statuary import registry
without = sys.argv.pop(1).split()
registry.EXTENSIONS = tuple(row for row in registry.EXTENSIONS if row.name not in without)
from statuary.__main__ import main
main()
"""
"""The command with a table that lacks rows."""


def built(content: Path, out: Path, without: str) -> dict[str, bytes]:
    """Build, look again an hour later, and tick; return all files after it, with their bytes."""
    site = ("--out", str(out), "--now")
    steps = (
        ("build", "--content", str(content), *site, NOW),
        ("build", "--content", str(content), *site, "2026-11-20T13:00:00Z"),
        ("tick", *site, "2026-11-21T21:30:00Z"),
    )
    for step in steps:
        command = [sys.executable, "-c", PROGRAM, without, *step]
        done = subprocess.run(command, check=False, capture_output=True, text=True)
        assert done.returncode == 0, done.stdout + done.stderr
    return files_in(out)


def test_disabled_extensions_change_no_document(tmp_path: Path) -> None:
    assert {"notify", "alerts", "embed", "instatus", "languages", "metrics", "upstream"} <= KEYS
    content = small_site(tmp_path)
    with_all = built(content, tmp_path / "all", "")
    assert "api/v2/summary.json" in with_all
    assert built(content, tmp_path / "none", " ".join(KEYS)) == with_all
