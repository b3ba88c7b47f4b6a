"""URLs are spelled in the `urls` of their owner: scripts and templates of pages write its patterns."""

import ast
import re
from pathlib import Path

import pytest

import statuary
from statuary.site.url_table import all_urls
from statuary.status.urls import EPOCH_DOCUMENT, EPOCH_PATCH

PACKAGE = Path(statuary.__file__).parent
LITERAL = re.compile(r'`([^`]*)`|"([^"\n]*)"')
COMMENT = re.compile(r"/\*.*?\*/|^\s*//.*?$", re.DOTALL | re.MULTILINE)
BEGINNINGS = ("v2/", "api/v2/", "proof/", "_shards/", "contracts/", "incidents/", "log/")
TEMPLATE_PATH = re.compile(r"\{\{ root \}\}([^\"{]+)")
OTHER_PROGRAMS = (
    "extensions/importing/",
    "source/file_kinds.py",
)  # URLs of other programs, and files of the content folder
CONTENT_FILES = {
    "source/git_merge.py",
    "registry.py",
    "cli/init.py",
    "contracts/incremental/lists.py",
    "contracts/api/lists.py",
}
OWN_ROWS = {
    "site/urls.py",
    "status/urls.py",
    "contracts/urls.py",
    "extensions/log/published_log.py",
    "extensions/instatus/documents.py",
    "extensions/prometheus/documents.py",
}  # the rows
PATTERNS = [re.sub(r"\{\w+\}", "{}", url.pattern) for url in all_urls()]
FOLDERS = {pattern[: end.start()] for pattern in PATTERNS for end in re.finditer("/", pattern)}


def paths_in(script: str) -> set[str]:
    """Return the site's paths that a script writes as literals, `{}` for each part that varies."""
    code = COMMENT.sub("", script)
    literals = (one or other for one, other in LITERAL.findall(code))
    plain = (re.sub(r"\$\{[^}]*\}|\$\d", "{}", literal) for literal in literals)
    return {path for path in plain if path.startswith(BEGINNINGS)}


@pytest.mark.parametrize("folder", ["edge", "*/pages/scripts"])
def test_scripts_use_only_registered_url_paths(folder):
    written = {path for file in PACKAGE.glob(f"{folder}/*.js") for path in paths_in(file.read_text("utf-8"))}
    assert written
    assert written <= {*PATTERNS, *FOLDERS}


def test_templates_use_only_registered_url_paths():
    folders = (*PACKAGE.glob("*/pages"), *PACKAGE.glob("extensions/*/pages"))
    templates = (file for folder in folders for file in folder.glob("templates/*.html"))
    written = {path for file in templates for path in TEMPLATE_PATH.findall(file.read_text("utf-8"))}
    assert written
    names = [re.escape(pattern).replace(r"\{\}", "[^/]+") for pattern in PATTERNS]
    assert [path for path in written if not re.fullmatch("|".join(names), path)] == ["assets/"]


def literals_in(file: Path) -> list[str]:
    """Return the texts of a module, but for docstrings."""
    text = file.read_text("utf-8")
    tree = ast.parse(text if any(path in text for path in BEGINNINGS) else "")
    alone = {id(node.value) for node in ast.walk(tree) if isinstance(node, ast.Expr)}
    return [
        node.value
        for node in ast.walk(tree)
        if isinstance(node, ast.Constant) and isinstance(node.value, str) and id(node) not in alone
    ]


def test_modules_use_only_registered_url_paths():
    modules = {file.relative_to(PACKAGE).as_posix(): file for file in PACKAGE.rglob("*.py")}
    found = [
        f"{name}: {text}"
        for name, file in modules.items()
        if not name.startswith(OTHER_PROGRAMS) and name not in CONTENT_FILES | OWN_ROWS
        for text in literals_in(file)
        if text.removeprefix("/").startswith(BEGINNINGS)
    ]
    assert not found, "\n".join(found)


def test_host_templates_hardcode_no_url_paths():
    files = list((PACKAGE / "extensions/hosting/templates").glob("*.jinja"))
    assert files
    for file in files:
        assert re.findall(r"/(?:v2|api/v2|proof|_shards|chains)\b", file.read_text("utf-8")) == [], file.name


def test_edge_module_uses_registered_patch_suffix():
    suffix = EPOCH_PATCH.pattern.removeprefix(EPOCH_DOCUMENT.pattern)
    assert suffix != EPOCH_PATCH.pattern
    assert f"${{file(number)}}{suffix}`" in (PACKAGE / "edge/epochs.js").read_text("utf-8")
