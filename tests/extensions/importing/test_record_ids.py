"""Records of other status pages whose ids are long, foreign or alike: each is imported."""

import pytest

from statuary.extensions.importing.sources import WebSource
from statuary.extensions.importing.status.cstate import read_cstate
from statuary.extensions.importing.status.gatus import read_gatus
from statuary.extensions.importing.status.import_status import import_status
from statuary.source.source_model import MAX_ID_LENGTH
from support.sites import write_files
from support.statuspage_captures import instant_of, read_status

NOW = instant_of("2026-11-20T00:00:00Z")
LONG = "a" * MAX_ID_LENGTH


def imported_incidents(tmp_path, read):
    """Import a source twice, and return the incidents."""
    content = tmp_path / "content"
    for _ in range(2):
        done = import_status(read, str(tmp_path / "source"), content, NOW, web=WebSource())
        assert done.findings == ()
    assert (done.report.added_paths, done.report.changed_paths) == ([], [])
    return read_status(content).incidents


def issue(title):
    return f"---\ntitle: {title}\ndate: 2026-05-01T10:00:00Z\n---\nText.\n"


@pytest.mark.parametrize(
    "names",
    [
        ("ノード", "障害", "復旧"),
        (f"{LONG}1", f"{LONG}2", LONG),
        ("a b", "a-b", "a+b"),
        ("2025/slow", "2026/slow"),
    ],
    ids=["other letters", "long", "alike", "folders"],
)
def test_similar_record_ids_get_distinct_files(tmp_path, names):
    files = {f"content/issues/{name}.md": issue(f"Title {name}") for name in names}
    write_files(tmp_path / "source", {"config.yml": "title: Example\n", **files})
    incidents = imported_incidents(tmp_path, read_cstate)
    assert {one.name for one in incidents} == {f"Title {name}" for name in names}
    assert all(len(one.id) <= MAX_ID_LENGTH for one in incidents)


def test_gatus_announcements_stay_separate(tmp_path):
    announcements = "".join(
        f"  - {{timestamp: 2026-05-01T10:00:0{second}Z, type: outage, message: {message}}}\n"
        for second, message in ((1, "RPC"), (1, "Explorer"), (2, "RPC"))
    )
    write_files(tmp_path / "source", {"config.yaml": f"endpoints: []\nannouncements:\n{announcements}"})
    incidents = imported_incidents(tmp_path, read_gatus)
    assert sorted(one.name for one in incidents) == ["Explorer", "RPC", "RPC"]
    assert "2026-05-01T10-00-outage" in {one.id for one in incidents}
