"""Lines about changes and sizes."""

import pytest

from statuary.base.primitives import count_text
from statuary.cli.output import changed_file_lines, format_size
from statuary.publish.plan import Action, Change


def test_planned_epoch_documents_are_summarized():
    changes = [
        Change(action=Action.REPLACE, path="api/v2/summary.json", size=1200),
        Change(action=Action.ADD, path="api/v2/_epochs/2026-12-01T22:00:00Z/summary.json", size=1000),
        Change(action=Action.ADD, path="api/v2/_epochs/2026-12-01T22:00:00Z/status.json", size=500),
        Change(action=Action.REMOVE, path="api/v2/_epochs/2026-11-01T22:00:00Z/status.json", size=0),
        Change(action=Action.ADD, path="v2/\x1b[31m", size=1),
    ]
    assert list(changed_file_lines(changes)) == [
        "~ api/v2/summary.json (1,200 bytes)",
        "+ v2/\\x1b[31m (1 bytes)",
        "  api/v2/_epochs/: 2 to add, 1 to remove (1.5 kB)",
    ]


def test_plan_without_changes_prints_no_lines():
    assert list(changed_file_lines([])) == []


@pytest.mark.parametrize(
    ("size", "text"),
    [(0, "0 bytes"), (999, "999 bytes"), (1000, "1.0 kB"), (2_500_000, "2.5 MB"), (10**13, "10,000.0 GB")],
)
def test_file_size_is_printed_with_unit(size, text):
    assert format_size(size) == text


def test_count_text_is_singular_or_plural():
    assert [count_text(number, "document") for number in (0, 1, 1234)] == [
        "0 documents",
        "1 document",
        "1,234 documents",
    ]
