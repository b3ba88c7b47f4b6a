"""Every kind of wrong input gives exactly its finding: where, what, and what to do.

The expected findings stand in `bad_inputs.expected.txt`; `BLESS=1 pytest tests/engine/test_invalid_input.py -n 0`
writes them anew, to be read before they are committed.
"""

import os
from pathlib import Path

import click
import pytest

from statuary.base.primitives import parse_instant
from statuary.base.progress import NoProgress
from statuary.cli.findings_report import text_report
from statuary.engine.check_site import check_site
from support.bad_inputs import CASES
from support.sites import NOW, small_site, write_files

EXPECTED = Path(__file__).with_name("bad_inputs.expected.txt")


def found(case: str, folder: Path) -> str:
    """Return what checking a case reports, colours removed."""
    content = write_files(small_site(folder), CASES[case])
    checked = check_site(content, parse_instant(NOW), NoProgress())
    return click.unstyle(text_report(checked.all_findings, str(content))).replace(str(content), "content")


def expected() -> dict[str, str]:
    """Return the blessed findings by case."""
    sections = EXPECTED.read_text("utf-8").split("\n=== ")[1:]
    return {name: body.strip("\n") for name, _, body in (section.partition(" ===\n") for section in sections)}


if "BLESS" in os.environ:

    def test_expected_findings_file_is_rewritten(tmp_path: Path) -> None:
        texts = [f"\n=== {case} ===\n{found(case, tmp_path / str(n))}\n" for n, case in enumerate(CASES)]
        EXPECTED.write_text("".join(texts), "utf-8")


@pytest.mark.parametrize("case", list(CASES))
def test_invalid_content_gives_expected_finding(case: str, tmp_path: Path) -> None:
    assert found(case, tmp_path) == expected()[case]


def test_every_invalid_content_case_expects_finding() -> None:
    assert len(CASES) >= 60
    assert set(expected()) == set(CASES)
    assert all(expected().values())


def test_valid_site_has_no_findings(tmp_path: Path) -> None:
    checked = check_site(small_site(tmp_path), parse_instant(NOW), NoProgress())
    assert checked.all_findings == []
