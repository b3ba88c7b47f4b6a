"""The Atom feed of a real page, taken apart into content and made again, is the real feed."""

import re
from datetime import datetime, timedelta
from html import unescape
from typing import get_args
from xml.etree import ElementTree as ET

import pytest

from statuary.status.feeds.feed import ENGLISH
from statuary.status.model.vocabulary import UpdateStatus
from support.feed_rules import ATOM, atom_faults, html_read
from support.status_site import catalogue, feed_documents
from support.statuspage_captures import NOW, captures

STATUSES = {ENGLISH(status): status for status in get_args(UpdateStatus)}

PARAGRAPH = re.compile(
    r"<p>\s*<small>(\w{3}) <var data-var='date'>([ \d]+)</var>, <var data-var='time'>(\d\d:\d\d)</var> UTC</small>"
    r"<br>\s*<strong>(\w+)</strong> - (.*?)\s*</p>",
    re.DOTALL,
)


@pytest.fixture(scope="module")
def real():
    return ET.fromstring((captures() / "github-history.atom").read_bytes())


@pytest.fixture(scope="module")
def made(real):
    page = {
        "name": real.findtext(f"{ATOM}author/{ATOM}name"),
        "url": real.find(f"{ATOM}link[@rel='alternate']").get("href"),
        "time_zone": "Etc/UTC",
        "feed_host": "www.githubstatus.com",
        "updated_at": real.findtext(f"{ATOM}updated"),
    }
    incidents = dict(map(incident_of, real.findall(f"{ATOM}entry")))
    documents = feed_documents(catalogue(incidents, page=page), NOW)
    body = next(document.body for document in documents if document.path == "history.atom")
    assert atom_faults(body) == []
    return ET.fromstring(body)


def incident_of(entry):
    """Return an incident's id and its source, as far as the real entry has it."""
    published = datetime.fromisoformat(entry.findtext(f"{ATOM}published"))
    output = PARAGRAPH.findall(entry.findtext(f"{ATOM}content"))
    updates = []
    for month, day, time, label, body in reversed(output):
        status = updates[-1]["status"] if label == ENGLISH("same") else STATUSES[label]
        moment = datetime.strptime(f"{published.year} {month} {day} {time} +0000", "%Y %b %d %H:%M %z")
        # a paragraph has only minutes; updates of one minute stay in their order
        if updates and moment <= datetime.fromisoformat(updates[-1]["at"]):
            moment = datetime.fromisoformat(updates[-1]["at"]) + timedelta(seconds=1)
        # Statuspage's feeds show a body as it was typed; ours is Markdown, in which a dash begins a list
        text = re.sub(r"^([-#>])", r"\\\1", unescape(body.replace("<br />", "\n")), flags=re.MULTILINE)
        updates.append({"at": moment.isoformat(), "status": status, "body": text.replace("<", "&lt;")})
    updates[-1]["at"] = published.isoformat()
    incident = {
        "name": entry.findtext(f"{ATOM}title"),
        "updated_at": entry.findtext(f"{ATOM}updated"),
        "updates": updates,
    }
    return entry.find(f"{ATOM}link").get("href").rpartition("/")[2], incident


def shape(element):
    """Return tags and attributes in their order."""
    return [(child.tag, dict(child.attrib)) for child in element if child.tag != f"{ATOM}entry"]


def test_feed_metadata_matches_captured_github_feed(real, made):
    assert made.attrib == real.attrib
    assert shape(made) == shape(real)
    for tag in ("id", "title", "updated", f"author/{ATOM}name"):
        assert made.findtext(f"{ATOM}{tag}") == real.findtext(f"{ATOM}{tag}")


def test_feed_entries_match_captured_github_feed(real, made):
    real_entries, made_entries = real.findall(f"{ATOM}entry"), made.findall(f"{ATOM}entry")

    assert len(made_entries) == len(real_entries) == 25
    for real_entry, made_entry in zip(real_entries, made_entries, strict=True):
        assert shape(made_entry) == shape(real_entry)
        for tag in ("published", "updated", "title"):
            assert made_entry.findtext(f"{ATOM}{tag}") == real_entry.findtext(f"{ATOM}{tag}")


def test_feed_entry_text_matches_captured_feed(real, made):
    for real_entry, made_entry in zip(
        real.findall(f"{ATOM}entry"), made.findall(f"{ATOM}entry"), strict=True
    ):
        output = html_read(made_entry.findtext(f"{ATOM}content"))
        assert output == html_read(real_entry.findtext(f"{ATOM}content"))


def test_feed_entry_ids_contain_incident_id(real, made):
    form = re.compile(r"tag:www\.githubstatus\.com,2005:Incident/(\w+)")
    for real_entry, made_entry in zip(
        real.findall(f"{ATOM}entry"), made.findall(f"{ATOM}entry"), strict=True
    ):
        assert form.fullmatch(real_entry.findtext(f"{ATOM}id"))
        public_id = form.fullmatch(made_entry.findtext(f"{ATOM}id"))[1]
        assert made_entry.find(f"{ATOM}link").get("href").endswith(f"/incidents/{public_id}")
