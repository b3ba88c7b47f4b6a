"""The site of most tests of logs."""

from pathlib import Path

import pytest

from support.logs import LOGGED_SITE, logged
from support.sites import write_files


@pytest.fixture
def content(tmp_path: Path) -> Path:
    """Return the content of a site with a log."""
    return write_files(tmp_path / "content", LOGGED_SITE)


@pytest.fixture
def site(tmp_path: Path, content: Path) -> Path:
    """Return the site after its first build."""
    logged(content, tmp_path / "site")
    return tmp_path / "site"
