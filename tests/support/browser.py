"""A real browser over a built site: Debian's Chromium, driven by the tasks in tests/browser."""

import atexit
import json
import os
import select
import subprocess
from functools import cache
from pathlib import Path
from typing import Any

from statuary.base.primitives import parse_instant
from statuary.base.progress import NoProgress
from statuary.engine.build import build_site
from statuary.engine.sections import NO_OPTIONS
from statuary.publish.folder.folder_target import FolderTarget
from support.requirements import CHECKOUT, absent, require_program

BROWSER = CHECKOUT / ".browser"
"""Where `.ci/install-browser` puts what drives the browser."""

TIMEOUT = 240
"""Seconds that a task may take."""

INSTALL = ".ci/install-browser"
HARNESS = CHECKOUT / "tests" / "browser" / "harness.mjs"
PACKAGES = ("axe-core", "html-validate", "playwright-core")

LOOKS = [
    {"width": width, "height": 900, "colorScheme": scheme}
    for width in (390, 1280)
    for scheme in ("light", "dark")
]
"""A phone and a desk, by day and by night."""


def node_modules() -> Path:
    """Return the folder of the packages that drive the browser."""
    modules = BROWSER / "node_modules"
    for package in PACKAGES:
        if not (modules / package / "package.json").is_file():
            absent(f"the npm package {package} in {modules}", INSTALL)
    return modules


def build(content: Path, out: Path, now: str) -> Path:
    """Build the site of a content folder, with its log if it has one, and return where it is."""
    instant = parse_instant(now)
    with FolderTarget(out) as publication:
        outcome = build_site(content, publication, instant, NoProgress(), extension_options=NO_OPTIONS)
    assert outcome.plan is not None, outcome.checked.all_findings
    return out


@cache
def _harness() -> subprocess.Popen[bytes]:
    """Start the browser of this process: it serves every task until the process ends."""
    node, chromium = (require_program(name, install=INSTALL) for name in ("node", "chromium"))
    harness = subprocess.Popen(
        [node, str(HARNESS), str(node_modules()), chromium],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        env={**os.environ, "TZ": "Europe/Zurich"},
    )
    atexit.register(harness.communicate)  # without input it ends the browser and itself
    return harness


def browse(site: Path, task: str, **question: Any) -> Any:
    """Run a task over a site and return what it found."""
    harness = _harness()
    try:
        answer = _answer(harness, {"site": str(site), "task": task, "question": question})
    except BaseException:
        # its answer would come later, as that of the next task
        harness.terminate()
        _harness.cache_clear()
        raise
    assert "error" not in answer, answer["error"]
    return answer["found"]


def _answer(harness: subprocess.Popen[bytes], question: dict[str, Any]) -> dict[str, Any]:
    assert harness.stdin
    assert harness.stdout
    harness.stdin.write(f"{json.dumps(question)}\n".encode())
    harness.stdin.flush()
    ready = select.select([harness.stdout], [], [], TIMEOUT)[0]
    assert ready, f"{question['task']} takes longer than {TIMEOUT} s"
    return json.loads(harness.stdout.readline())


def html_complaints(site: Path) -> list[str]:
    """Return what html-validate has against the pages of a site, each complaint with its page."""
    node = require_program("node", install=INSTALL)
    rules = CHECKOUT / "tests" / "browser" / "htmlvalidate.json"
    program = node_modules() / "html-validate" / "bin" / "html-validate.mjs"
    pages = sorted(str(page) for page in site.rglob("*.html") if "_epochs" not in page.parts)
    done = subprocess.run(
        [node, str(program), "--config", str(rules), "--formatter", "json", *pages],
        capture_output=True,
        text=True,
        check=False,
        timeout=TIMEOUT,
    )
    results = json.loads(done.stdout) if done.stdout.strip() else []
    assert results or done.returncode == 0, done.stderr
    return [
        f"{Path(result['filePath']).relative_to(site)}:{message['line']}: {message['ruleId']}: {message['message']}"
        for result in results
        for message in result["messages"]
    ]
