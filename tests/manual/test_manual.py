"""The manual: its references are up to date, its links lead somewhere, its messages are explained."""

import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

from statuary.engine.read_content import read_content
from statuary.extensions.own_pages.pages import find_broken_links
from support.manual import MANUAL, is_generated
from support.requirements import CHECKOUT


@pytest.mark.slow
def test_generated_manual_pages_are_current(tmp_path: Path) -> None:
    """`PYTHONPATH=tests python tests/support/manual.py` writes them again."""
    subprocess.run(  # click remembers help options of commands that other tests of this process ran
        [sys.executable, CHECKOUT / "tests/support/manual.py", tmp_path],
        env=os.environ | {"PYTHONPATH": str(CHECKOUT / "tests")},
        check=True,
        capture_output=True,
    )
    generated = {path.relative_to(tmp_path): path.read_text("utf-8") for path in tmp_path.rglob("*.md")}
    assert len(generated) > 60
    assert {path: (MANUAL / path).read_text("utf-8") for path in generated} == generated
    in_manual = {path.relative_to(MANUAL) for path in MANUAL.rglob("*.md")}
    said = {path for path in in_manual if is_generated(path.as_posix())}
    assert said == generated.keys(), "no page of a command or file that is gone, and none that nothing tests"


def test_manual_documents_every_rule_id() -> None:
    sources = "\n".join(path.read_text("utf-8") for path in (CHECKOUT / "src").rglob("*.py"))
    names = set(re.findall(r'rule="([a-z]+(?:-[a-z]+)+)"', sources))
    names |= {
        *re.findall(
            r'(?:RULE|DEFECT|FAILED|BEYOND_LIMIT|THEME_TEMPLATES)[\w: ]* = "([a-z]+(?:-[a-z]+)+)"', sources
        )
    }
    assert len(names) > 20
    page = (MANUAL / "messages.md").read_text("utf-8")
    assert {name for name in names if f"\n### {name}\n" not in page} == set()


def test_every_manual_link_resolves() -> None:
    catalogue, findings = read_content(CHECKOUT / "content")
    assert findings == []
    assert catalogue is not None
    assert len(catalogue.own_pages) > 20
    assert [one for page in catalogue.own_pages for one in find_broken_links(page, catalogue)] == []
