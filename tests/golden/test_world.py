"""The golden world: a tiny complete content folder, and the whole site that it makes.

`BLESS=1 pytest tests/golden -n 0` rewrites the expected site; read the difference before committing it.
"""

import difflib
import os
import shutil
from pathlib import Path

from statuary.base.primitives import parse_instant
from statuary.base.progress import NoProgress
from statuary.engine.build import build_site
from statuary.publish.folder.folder_target import FolderTarget
from support.sites import NOW

WORLD = Path(__file__).parent / "world"


def tree(root: Path) -> dict[str, bytes]:
    """Return every document but the pages for people, those of two spellings once.

    Pages are looked at, and held by tests of their own; here they would hide what matters. So would the manifest, which lists them.
    Names that differ in case only cannot lie side by side in every checkout.
    """
    files = {
        file.relative_to(root).as_posix(): file.read_bytes()
        for file in sorted(root.rglob("*"))
        if file.is_file()
        and file.suffix != ".html"
        and not {".statuary", "assets", "snapshot"} & set(file.parts)
    }
    for path in [path for path in files if lower_name(path) != path]:
        assert files.pop(lower_name(path), files[path]) == files[path]
    return files


def lower_name(path: str) -> str:
    folder, _, name = path.rpartition("/")
    return f"{folder}/{name.lower()}"


def difference(expected: dict[str, bytes], made: dict[str, bytes]) -> str:
    """Return what differs, document by document, as a person reads it."""
    lines = []
    for path in sorted({*expected, *made}):
        if expected.get(path) != made.get(path):
            sides = [side.get(path, b"").decode("utf-8", "replace").split(",") for side in (expected, made)]
            lines += difflib.unified_diff(*sides, f"expected/{path}", f"made/{path}", lineterm="", n=1)
    return "\n".join(lines)


def test_built_site_matches_golden_files(tmp_path: Path) -> None:
    with FolderTarget(tmp_path) as publication:
        outcome = build_site(WORLD / "content", publication, parse_instant(NOW), NoProgress())
    assert outcome.checked.all_findings == []
    if "BLESS" in os.environ:
        shutil.rmtree(WORLD / "expected", ignore_errors=True)
        for path, body in tree(tmp_path).items():
            file = WORLD / "expected" / path
            file.parent.mkdir(parents=True, exist_ok=True)
            file.write_bytes(body)
    assert difference(tree(WORLD / "expected"), tree(tmp_path)) == ""
