"""URLs are spelled in `url_table`: what else writes a path of the site writes one of its patterns."""

import re
from pathlib import Path

import pytest

import statuary
from statuary.documents.url_table import EPOCH_DOCUMENT, EPOCH_PATCH, URLS

PACKAGE = Path(statuary.__file__).parent
LITERAL = re.compile(r'`([^`]*)`|"([^"\n]*)"')
COMMENT = re.compile(r"/\*.*?\*/|^\s*//.*?$", re.DOTALL | re.MULTILINE)
BEGINNINGS = ("v2/", "api/v2/", "proof/", "_shards/", "contracts/", "incidents/", "log/")
PATTERNS = [re.sub(r"\{\w+\}", "{}", url.pattern) for url in URLS]
FOLDERS = {pattern[: end.start()] for pattern in PATTERNS for end in re.finditer("/", pattern)}


def paths_in(script: str) -> set[str]:
    """Return the site's paths that a script writes as literals, `{}` for each part that varies."""
    code = COMMENT.sub("", script)
    literals = (one or other for one, other in LITERAL.findall(code))
    plain = (re.sub(r"\$\{[^}]*\}|\$\d", "{}", literal) for literal in literals)
    return {path for path in plain if path.startswith(BEGINNINGS)}


@pytest.mark.parametrize("folder", ["edge", "documents/pages/assets"])
def test_scripts_write_paths_of_the_table(folder):
    written = {path for file in (PACKAGE / folder).glob("*.js") for path in paths_in(file.read_text("utf-8"))}
    assert written
    assert written <= {*PATTERNS, *FOLDERS}


def test_the_edge_module_names_patches_as_the_table_does():
    suffix = EPOCH_PATCH.pattern.removeprefix(EPOCH_DOCUMENT.pattern)
    assert suffix != EPOCH_PATCH.pattern
    assert f"${{file(number)}}{suffix}`" in (PACKAGE / "edge/epochs.js").read_text("utf-8")
