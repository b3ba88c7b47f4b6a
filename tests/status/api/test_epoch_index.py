"""The index of epochs: which file is a document at an instant, and which indexes are refused."""

import json
from pathlib import Path

import pytest

from statuary.base.files import PublishingError
from statuary.base.primitives import parse_instant
from statuary.status.api.epoch_index import (
    NO_EPOCHS,
    EpochIndex,
    StoredDocument,
    parse_epochs_or_empty,
    read_epoch_index,
)
from support.sites import write_files

INSTANTS = [f"2026-11-20T1{hour}:00:00Z" for hour in range(5)]
PATH = "api/v2/status.json"
INDEX = {
    "until": "2026-11-20T20:00:00Z",
    "instants": INSTANTS,
    "documents": {
        PATH: {"whole": [0, 3], "patched": [1], "again": {"2": 0, "4": 1}},
        "late.json": {"whole": [2]},
    },
}


def parsed(**changes) -> EpochIndex:
    return parse_epochs_or_empty(json.dumps(INDEX | changes).encode())


def at(hour: str):
    return parse_instant(f"2026-11-20T{hour}:00Z")


def stored(path: str, hour: str) -> tuple[int | None, ...] | None:
    """Return the numbers of the epochs in which a document's file and its patch are."""
    found = parsed().document_at(path, at(hour))
    if found is None:
        return None
    hours = [None if name is None else name.split("/")[3][9:11] for name in found]
    return tuple(None if hour is None else int(hour) - 10 for hour in hours)


@pytest.mark.parametrize(
    ("hour", "expected"),
    [
        ("09:59", None),
        ("10:00", (0, None)),
        ("10:59", (0, None)),
        ("11:00", (0, 1)),
        ("12:00", (0, None)),
        ("13:00", (3, None)),
        ("14:00", (0, 1)),
        ("23:00", (0, 1)),
    ],
)
def test_epoch_index_returns_document_at_time(hour, expected):
    assert stored(PATH, hour) == expected


def test_document_without_epochs_has_no_version():
    assert stored("late.json", "11:59") is None
    assert stored("late.json", "12:00") == (2, None)
    assert parsed().document_at("other.json", at("12:00")) is None
    assert [one.file for one in parsed().versions_of("late.json")] == [
        parsed().document_at("late.json", at("12:00")).file
    ] * 3


def test_epoch_index_returns_neighbouring_changes():
    index = parsed()
    assert (index.start, index.end) == (at("10:00"), at("20:00"))
    assert index.latest_change_until(at("09:00")) == at("10:00")
    assert index.latest_change_until(at("11:00")) == at("11:00")
    assert index.latest_change_until(at("11:59")) == at("11:00")
    assert index.next_change_after(at("09:00")) == at("11:00")
    assert index.next_change_after(at("11:00")) == at("12:00")
    assert index.next_change_after(at("14:00")) is None
    assert index.stale_since(at("19:59")) == ""
    assert index.stale_since(at("20:00")) == INDEX["until"]


def test_epoch_index_ignores_changes_after_end():
    index = parsed(until=INSTANTS[3])
    assert index.next_change_after(at("11:30")) == at("12:00")
    assert index.next_change_after(at("12:00")) is None


BROKEN = [
    {"instants": []},
    {"until": "2026-11-20T09:59:59Z"},
    {"until": ""},
    {"documents": {PATH: {"whole": []}}},
    {"documents": {PATH: {"whole": [5]}}},
    {"documents": {PATH: {"whole": [1], "patched": [0]}}},
    {"documents": {PATH: {"whole": [0], "patched": [5]}}},
    {"documents": {PATH: {"whole": [0], "again": {"1": 2}}}},
    {"documents": {PATH: {"whole": [0], "again": {"5": 0}}}},
    {"documents": {PATH: {}}},
    {"documents": []},
    {"instants": ["yesterday"]},
]


@pytest.mark.parametrize("changes", BROKEN)
def test_invalid_epoch_index_counts_as_empty(changes, tmp_path: Path):
    assert parsed(**changes) == NO_EPOCHS
    site = write_files(tmp_path, {"api/v2/_epochs/index.json": json.dumps(INDEX | changes)})
    with pytest.raises(PublishingError, match="is not an epoch index"):
        read_epoch_index(site)


def test_documents_without_epoch_index_never_change():
    index, now = parse_epochs_or_empty(b"{"), at("12:00")
    assert index.start < now < index.end == index.build_due
    assert index.latest_change_until(now) == index.start
    assert (index.next_change_after(now), index.stale_since(now)) == (None, "")
    assert (index.document_at(PATH, now), list(index.versions_of(PATH))) == (None, [])


def test_missing_epoch_index_is_rejected(tmp_path: Path):
    with pytest.raises(PublishingError, match="cannot be read: No such file or directory"):
        read_epoch_index(tmp_path)
    assert parse_epochs_or_empty(None) == parse_epochs_or_empty(b"{") == NO_EPOCHS


def test_epoch_index_is_read_from_site(tmp_path: Path):
    site = write_files(tmp_path, {"api/v2/_epochs/index.json": json.dumps(INDEX)})
    assert read_epoch_index(site) == parsed()


def test_patched_document_requires_base_and_patch():
    whole = StoredDocument("file")
    assert whole.body({"file": b"a"}.get) == b"a"
    assert whole.body({}.get) is None
    patch = StoredDocument("file", "patch")
    assert patch.body({"file": b"a"}.get) is None
    assert patch.body({"patch": b"a"}.get) is None
    assert patch.body({"file": b"a", "patch": b"no patch"}.get) is None
