"""A story in git, from the shell: an incident and a maintenance, each step a command and a commit.

`edit_story/<step>/` holds, after each step, the source file that was edited and every status document that
the step changed; what is not there did not change. `BLESS=1 pytest tests/golden -n 0` rewrites the folders;
read the difference before committing it.
"""

import os
import shutil
from itertools import pairwise
from pathlib import Path

import pytest

from statuary.status.urls import (
    COMPONENTS,
    INCIDENTS,
    INCIDENTS_UNRESOLVED,
    MAINTENANCES,
    MAINTENANCES_ACTIVE,
    MAINTENANCES_UPCOMING,
    STATUS,
    SUMMARY,
)
from support.content_repository import ContentRepository, make_content_repository

pytestmark = pytest.mark.slow

GOLDEN = Path(__file__).parent / "edit_story"

DOCUMENTS = (
    SUMMARY,
    STATUS,
    COMPONENTS,
    INCIDENTS,
    INCIDENTS_UNRESOLVED,
    MAINTENANCES,
    MAINTENANCES_UPCOMING,
    MAINTENANCES_ACTIVE,
)

INCIDENT = "incidents/2026-11-02-calls-to-the-public-rpc-time-out.yaml"
MAINTENANCE = "maintenances/2026-11-10-a-larger-disk-for-the-nodes.yaml"

LEARNED = """\
A node ran out of disk space while it wrote a snapshot: nobody had looked at its disk for a year.

Since today an alarm rings when a disk is four fifths full.
"""

STORY: tuple[tuple[str, str, str, tuple[str, ...]], ...] = (
    (
        "1-open",
        "2026-11-02T10:00:00Z",
        INCIDENT,
        (
            "incident",
            "open",
            "--name",
            "Calls to the public RPC time out",
            "--component",
            "rpc=partial_outage",
        ),
    ),
    (
        "2-identified",
        "2026-11-02T10:20:00Z",
        INCIDENT,
        (
            "incident",
            "update",
            "2026-11-02",
            "--status",
            "identified",
            "--component",
            "bridge=degraded_performance",
        ),
    ),
    (
        "3-monitoring",
        "2026-11-02T10:50:00Z",
        INCIDENT,
        (
            "incident",
            "update",
            "2026-11-02",
            "--status",
            "monitoring",
            "--component",
            "rpc=operational",
            "--body",
            "The node is back: calls are answered.",
        ),
    ),
    ("4-resolved", "2026-11-02T12:00:00Z", INCIDENT, ("incident", "resolve", "2026-11-02-calls")),
    (
        "5-postmortem",
        "2026-11-04T09:00:00Z",
        INCIDENT,
        ("incident", "postmortem", "2026-11-02", "--body-file", "learned.txt"),
    ),
    (
        "6-scheduled",
        "2026-11-04T09:30:00Z",
        MAINTENANCE,
        (
            "maintenance",
            "schedule",
            "--name",
            "A larger disk for the nodes",
            "--component",
            "rpc",
            "--scheduled-for",
            "2026-11-10T05:00:00+01:00",
            "--duration",
            "2h",
            "--no-auto-complete",
        ),
    ),
    ("7-started", "2026-11-10T03:55:00Z", MAINTENANCE, ("maintenance", "start", "2026-11-10")),
    (
        "8-verifying",
        "2026-11-10T05:10:00Z",
        MAINTENANCE,
        ("maintenance", "update", "2026-11-10", "--status", "verifying"),
    ),
    (
        "9-completed",
        "2026-11-10T05:40:00Z",
        MAINTENANCE,
        ("maintenance", "complete", "2026-11-10", "--body", "Every node has its new disk."),
    ),
)


def status_documents(site: Path) -> dict[str, bytes]:
    """The documents that Statuspage has too, by path."""
    paths = [url.path() for url in DOCUMENTS]
    pages = [file.relative_to(site).as_posix() for file in sorted(site.glob("incidents/*.json"))]
    return {path: (site / path).read_bytes() for path in (*paths, *pages)}


def bless(step: str, made: dict[str, bytes]) -> None:
    shutil.rmtree(GOLDEN / step, ignore_errors=True)
    for path, body in made.items():
        file = GOLDEN / step / path
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_bytes(body)


def golden(step: str) -> dict[str, bytes]:
    folder = GOLDEN / step
    return {
        file.relative_to(folder).as_posix(): file.read_bytes()
        for file in sorted(folder.rglob("*"))
        if file.is_file()
    }


@pytest.fixture(scope="module")
def story(tmp_path_factory: pytest.TempPathFactory):
    """Tell the story once: the repository, and by step what the step made."""
    with pytest.MonkeyPatch.context() as monkeypatch:
        repository = make_content_repository(tmp_path_factory.mktemp("story"), monkeypatch)
        (repository.root / ".git/info/exclude").write_text("learned.txt\n")
        repository.write("learned.txt", LEARNED)
        made: dict[str, dict[str, bytes]] = {}
        before: dict[str, bytes] = {}
        for step, now, source, arguments in STORY:
            if step == "2-identified":
                add_a_comment_by_hand(repository)
            repository.run(*arguments, "--commit", "--build", now=now)
            after = status_documents(repository.root / "build")
            changed = {path: body for path, body in after.items() if before.get(path) != body}
            assert before.keys() <= after.keys()
            made[step] = changed | {f"content/{source}": repository.read(f"content/{source}").encode()}
            before = after
        yield repository, made


def add_a_comment_by_hand(repository: ContentRepository) -> None:
    text = repository.read(f"content/{INCIDENT}")
    repository.write(
        f"content/{INCIDENT}", text.replace("updates:\n", "\n# times are from the node's own log\nupdates:\n")
    )
    repository.commit_all("Say where the times are from")


@pytest.mark.parametrize("step", [step for step, *_ in STORY])
def test_site_matches_golden_after_each_commit(story, step):
    made = story[1][step]
    if "BLESS" in os.environ:
        bless(step, made)
    expected = golden(step)
    assert made.keys() == expected.keys()
    for path, body in made.items():
        assert body.decode().split(",") == expected[path].decode().split(",")


def test_golden_folders_match_story_steps():
    assert {folder.name for folder in GOLDEN.iterdir()} == {step for step, *_ in STORY}


def test_editing_commands_commit_only_added_lines(story):
    repository = story[0]
    commits = repository.git("log", "--reverse", "--format=%H %s").splitlines()
    subjects = [line.partition(" ")[2] for line in commits]
    assert subjects == [
        "Begin",
        "Open incident: Calls to the public RPC time out",
        "Say where the times are from",
        "Update incident (identified): Calls to the public RPC time out",
        "Update incident (monitoring): Calls to the public RPC time out",
        "Resolve incident: Calls to the public RPC time out",
        "Publish postmortem: Calls to the public RPC time out",
        "Schedule maintenance: A larger disk for the nodes",
        "Start maintenance: A larger disk for the nodes",
        "Update maintenance (verifying): A larger disk for the nodes",
        "Complete maintenance: A larger disk for the nodes",
    ]
    for before, after in pairwise(line.partition(" ")[0] for line in commits):
        changes = repository.git("diff", "--numstat", before, after).splitlines()
        assert [change.split("\t")[1] for change in changes] == ["0"]
    assert repository.git("status", "--porcelain") == ""


def test_commit_message_has_update_text(story):
    assert story[0].git("log", "--format=%b", "--grep=^Update incident (monitoring)") == (
        "monitoring at 2026-11-02T10:50:00Z; rpc=operational\n\nThe node is back: calls are answered."
    )
