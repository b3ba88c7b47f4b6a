"""The page with every part in every state: it uses all states and verdicts, in the theme of the content."""

import re
from pathlib import Path

import pytest
from click.testing import CliRunner

from statuary.contracts.pages.verdict_signs import VERDICT_SIGNS
from statuary.extensions.theme_preview.commands import theme_command
from statuary.site.pages.states import IMPACT_STATES, STATUS_STATES
from support.browser import browse, html_complaints
from support.sites import SMALL_SITE, write_files


def preview(root: Path, **theme: str) -> tuple[int, str, Path]:
    content = write_files(
        root / "content", {**SMALL_SITE, **{f"theme/{path}": text for path, text in theme.items()}}
    )
    arguments = ["preview", "--content", str(content), "--out", str(root / "out")]
    result = CliRunner().invoke(theme_command, arguments)
    return result.exit_code, result.output + str(result.exception or ""), root / "out"


def test_theme_preview_shows_every_status_styled(tmp_path: Path) -> None:
    code, printed, out = preview(
        tmp_path,
        **{
            "style.css": ":root { --accent: #5b2a86; }",
            "templates/legend.html": "{% extends 'package/legend.html' %}",
        },
    )
    assert code == 0, printed
    page = (out / "index.html").read_text("utf-8")
    for state in {*STATUS_STATES.values(), *IMPACT_STATES.values()}:
        for part in ("hero", "tag", "row", "state"):
            assert re.search(rf'class="{part} s-{state}"', page) or part in ("hero", "row"), (part, state)
        assert f'class="hero s-{state}"' in page
    for verdict in VERDICT_SIGNS:
        assert f'class="verdict panel near l-{verdict}"' in page
    for sheet in ("statuary", "contract", "docs"):
        assert f'href="assets/{sheet}.css"' in page
        assert "--accent: #5b2a86" in (out / f"assets/{sheet}.css").read_text("utf-8")


@pytest.mark.slow
def test_theme_preview_is_valid_and_accessible(tmp_path: Path) -> None:
    _, _, out = preview(tmp_path)
    assert html_complaints(out) == []
    found = browse(out, "accessibility", paths=["index.html"], widths=[320, 1280], now="2026-11-20T12:00:00Z")
    assert found == {"broken": [], "shifted": [], "acted": []}


def test_theme_preview_rejects_nonempty_folder(tmp_path: Path) -> None:
    write_files(tmp_path, {"out/mine.txt": "x"})
    code, printed, out = preview(tmp_path)
    assert code != 0
    assert "is not empty" in printed
    assert [file.name for file in out.iterdir()] == ["mine.txt"]


def test_theme_preview_with_broken_template_fails(tmp_path: Path) -> None:
    code, printed, out = preview(
        tmp_path, **{"templates/legend.html": "{% macro legend() %}{{ nothing.here }}{% endmacro %}"}
    )
    assert code != 0
    assert "cannot be rendered" in printed
    assert not out.exists()
