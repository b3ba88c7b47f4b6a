"""Names of new files."""

from datetime import date

import pytest
from hypothesis import given
from hypothesis import strategies as st

from statuary.status.checks.component_checks import is_url_safe
from statuary.status.editing.new_record import MAX_SLUG_LENGTH, new_record_id, slug

DAY = date(2026, 11, 2)


@pytest.mark.parametrize(
    ("title", "expected"),
    [
        ("Slow answers", "slow-answers"),
        ("  RPC: the node's disk -- 90 % full! ", "rpc-the-nodes-disk-90-full"),
        ("Störung in Zürich", "storung-in-zurich"),
        ("遅い", ""),
        ("../../etc/passwd", "etc-passwd"),
        ("word " * 20, "word-word-word-word-word-word-word-word-word-word-word-word"),
        ("x" * 80, "x" * MAX_SLUG_LENGTH),
    ],
)
def test_incident_title_becomes_dashed_file_name(title, expected):
    assert slug(title) == expected


def test_taken_incident_id_gets_next_number():
    taken = {"2026-11-02-slow", "2026-11-02-slow-2"}
    assert new_record_id(DAY, "Slow", "incident", taken) == "2026-11-02-slow-3"
    assert new_record_id(DAY, "遅い", "incident", taken) == "2026-11-02-incident"


@given(st.text())
def test_any_title_gives_url_safe_id(title):
    made = new_record_id(DAY, title, "incident", ())
    assert is_url_safe(made)
    assert len(made) <= len("2026-11-02-") + MAX_SLUG_LENGTH
