"""What two versions of statuary say of 34 typical mistakes in YAML, as a table of Markdown.

PYTHONPATH=tests python tests/packaging/mistakes.py CHECKOUT_BEFORE [CHECKOUT_AFTER]
"""

import os
import subprocess
import sys
import tempfile
from pathlib import Path

from support.bad_inputs import CASES
from support.requirements import CHECKOUT
from support.sites import SMALL_SITE, write_files

MARKED = {"incidents/slow.yaml": "\ufeff" + str(SMALL_SITE["incidents/slow.yaml"])}
"""A file as some editors save it, with a byte order mark: not a mistake at all."""

MISTAKES = [
    *("tab indentation", "wrong indentation", "colon in a plain text", "open quote", "open bracket"),
    *(
        "duplicate key",
        "merge key",
        "custom tag",
        "undefined alias",
        "two documents",
        "not utf-8",
        "empty file",
    ),
    *("a list at the top", "unknown key", "unknown key in an update", "missing name", "missing updates"),
    *(
        "no update at all",
        "missing instant",
        "name is null",
        "status misspelled",
        "component status misspelled",
    ),
    *("status of a maintenance", "time without offset", "date without time", "no such day", "time in words"),
    *("flag in words", "components as a list", "page url with a slash", "components missing", "no site.yaml"),
    *("incident as a note", "byte order mark"),
]


def messages(checkout: Path, files: dict[str, str | bytes | None]) -> str:
    """Return what `statuary check` of a checkout prints; of findings, without their number."""
    with tempfile.TemporaryDirectory() as folder:
        write_files(write_files(Path(folder, "content"), dict(SMALL_SITE)), files)
        done = subprocess.run(
            [sys.executable, "-m", "statuary", "check"],
            cwd=folder,
            env=os.environ | {"PYTHONPATH": str(checkout / "src"), "SOURCE_DATE_EPOCH": "1795168800"},
            capture_output=True,
            encoding="utf-8",
            check=False,
        )
    *lines, last = f"{done.stdout}{done.stderr}".strip().splitlines()
    return "\n".join(lines if done.returncode else ["(accepted)", *lines, last])


def cell(text: str) -> str:
    """Return lines as the content of a table's cell."""
    return f"<pre>{'<br>'.join(line.replace('&', '&amp;').replace('<', '&lt;').replace('|', '&#124;') for line in text.splitlines())}</pre>"


def main(before: Path, after: Path) -> None:
    """Print the table."""
    assert len(MISTAKES) == len(set(MISTAKES)) == 34
    print("| mistake | before | after |\n|---|---|---|")
    for name in MISTAKES:
        files = CASES.get(name, MARKED)
        print(f"| {name} | {cell(messages(before, files))} | {cell(messages(after, files))} |")


if __name__ == "__main__":
    main(Path(sys.argv[1]).resolve(), Path(sys.argv[2]).resolve() if sys.argv[2:] else CHECKOUT)
