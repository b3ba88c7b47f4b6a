"""Documents of other status pages with any value in any place: imported, or refused with an error for people."""

import json
from collections.abc import Iterator
from copy import deepcopy
from pathlib import Path
from typing import Any

import pytest

from statuary.base.errors import StatuaryError
from statuary.extensions.importing.sources import WebSource
from statuary.extensions.importing.status.betterstack import read_betterstack
from statuary.extensions.importing.status.cachet import read_cachet
from statuary.extensions.importing.status.gatus import read_gatus
from statuary.extensions.importing.status.import_status import import_status
from statuary.extensions.importing.status.instatus import read_instatus
from statuary.extensions.importing.status.statuspage import read_statuspage
from statuary.extensions.importing.status.upptime import read_upptime
from support.statuspage_captures import instant_of

NOW = instant_of("2026-11-20T00:00:00Z")

READERS = {
    "betterstack": read_betterstack,
    "cachet": read_cachet,
    "gatus": read_gatus,
    "instatus": read_instatus,
    "statuspage": read_statuspage,
    "upptime": read_upptime,
}

SAMPLES = json.loads(Path(__file__).with_name("status_pages.json").read_text("utf-8"))
"""Small documents of each kind, by the end of their URL."""

HOSTILE = [
    None, "", "x", 1.5, -1, 0, True, [], {}, [1], [[]], {"a": 1}, "\N{SUPERSCRIPT TWO}", 10**30, "9999999999999",
    "9999-99-99", "0001-01-01T00:00:00Z", "9999-12-31T23:59:59Z", "2026-05-01T10:00:00+24:00", "\0",
    "\N{RIGHT-TO-LEFT OVERRIDE}x", "a" * 5000, "../../x", "- x: y", "now",
]  # fmt: skip

Place = tuple[str | int, ...]


class SavedPage(WebSource):
    """Documents by the end of their URL; everything else is missing."""

    def __init__(self, documents: dict[str, Any]) -> None:
        super().__init__(wait=lambda _: None)
        self.documents = documents

    def fetch_json(self, url: str) -> Any:
        return next((body for end, body in self.documents.items() if url.endswith(end)), None)


def places(value: Any, place: Place = ()) -> Iterator[Place]:
    yield place
    members = (
        value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ()
    )
    for name, member in members:
        yield from places(member, (*place, name))


def replaced(document: Any, place: Place, value: object) -> Any:
    if not place:
        return value
    copy = deepcopy(document)
    parent = copy
    for step in place[:-1]:
        parent = parent[step]
    parent[place[-1]] = value
    return copy


PARTS = 8


@pytest.mark.parametrize(
    "part",
    [pytest.param(part, marks=pytest.mark.thorough if part else pytest.mark.slow) for part in range(PARTS)],
)
@pytest.mark.parametrize("kind", READERS)
def test_malformed_status_page_raises_statuary_error(tmp_path, kind, part):
    page = SAMPLES[kind]
    changes = [
        (end, place, value)
        for end, document in page["documents"].items()
        for place in places(document)
        for value in HOSTILE
    ]
    for number, (end, place, value) in enumerate(changes[part::PARTS]):
        documents = {**page["documents"], end: replaced(page["documents"][end], place, value)}
        content = tmp_path / str(number)
        try:
            import_status(READERS[kind], page["url"], content, NOW, web=SavedPage(documents))
        except StatuaryError:
            continue
        except Exception as error:
            raise AssertionError(f"{end} {place} {str(value)[:40]!r}: {error!r}") from error


def outcome(kind: str, documents: dict[str, Any], content: Path) -> str:
    """Import a page, and return the report or the error."""
    try:
        return str(import_status(READERS[kind], SAMPLES[kind]["url"], content, NOW, web=SavedPage(documents)))
    except StatuaryError as error:
        return str(error)


@pytest.mark.parametrize(
    ("kind", "where", "value", "text"),
    [
        ("betterstack", ("/index.json", ["included", 0, "attributes", "position"]), "x", "'components.yaml'"),
        (
            "instatus",
            ("/maintenances", [0, "start"]),
            "9999-12-31T23:59:59Z",
            "would end after the year 9999",
        ),
        ("instatus", ("/maintenances", [0, "duration"]), "\N{SUPERSCRIPT TWO}", "not a number of minutes"),
        ("instatus", ("/components", [0, "name"]), "a" * 5000, "'components.yaml'"),
        (
            "statuspage",
            ("/api/v2/summary.json", ["page", "updated_at"]),
            1,
            "'updated_at' is not a date and time",
        ),
        ("statuspage", ("/api/v2/summary.json", ["components", 0, "position"]), [1], "components.yaml"),
        ("statuspage", ("/api/v2/summary.json", ["components", 0, "id"]), 10**30, "components.yaml"),
        ("upptime", ("/contents/.upptimerc.yml", ["content"]), "x", "is not base64"),
        ("upptime", ("&page=1", [0, "labels", 1, "name"]), None, "lists a component that has no id"),
    ],
)
def test_invalid_status_page_value_is_reported(tmp_path, kind, where, value, text):
    end, place = where
    documents = dict(SAMPLES[kind]["documents"])
    end = next(name for name in documents if name.endswith(end))
    documents[end] = replaced(documents[end], tuple(place), value)
    assert text in outcome(kind, documents, tmp_path / "new")


@pytest.mark.parametrize("kind", ["cachet", "statuspage", "upptime"])
def test_endless_status_page_pagination_is_rejected(tmp_path, monkeypatch, kind):
    def endless(self: SavedPage, url: str) -> Any:
        if "history.json" in url:
            return {"months": [{"incidents": [{"code": "i1"}]}]}
        if "&page=" in url:
            return [{"number": 1, "title": "", "labels": []}] * 100
        if kind == "cachet":
            return {"data": [], "links": {"next": url}}
        document = next((body for end, body in self.documents.items() if url.endswith(end)), None)
        if url.endswith("/incidents.json"):
            return {**document, "incidents": document["incidents"] * 50}
        return document

    monkeypatch.setattr(SavedPage, "fetch_json", endless)
    assert "has more than 1,000 pages" in outcome(kind, SAMPLES[kind]["documents"], tmp_path / "new")
