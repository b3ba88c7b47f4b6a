"""374 real summaries of one page, written down as content and built at their instants: equal, byte order included."""

import json

import pytest

from support.capture_server import captured_summaries
from support.status_site import status_documents
from support.statuspage_captures import instant_of, read_status, write_content
from support.tiers import few_by_default

DIFFERENT = {
    ("2021-03-22T12:36:52+00:00", "summary"): "lists the components of one incident out of position",
    ("2024-04-24T10:52:34+00:00", "status"): "status.json is of a later moment than summary.json",
    ("2024-06-06T04:21:49+00:00", "status"): "status.json is of an earlier moment than summary.json",
}
"""The three documents of 748 that differ, and why."""


@pytest.mark.parametrize("year", few_by_default(["2020", "2021", "2022", "2023", "2024"], 1))
def test_summary_and_status_match_statuspage_captures(tmp_path, year):
    captures = [capture for capture in captured_summaries() if capture.at.startswith(year)]
    different = []
    for number, capture in enumerate(captures):
        folder = tmp_path / str(number)
        summary = capture.summary
        write_content(
            folder,
            summary["page"],
            summary["components"],
            summary["incidents"],
            summary["scheduled_maintenances"],
        )
        made = {one.path: one.body for one in status_documents(read_status(folder), instant_of(capture.at))}
        for path, expected in (("summary", summary), ("status", capture.status)):
            # the text shows the order of members and of arrays, and the values
            if json.dumps(json.loads(made[f"api/v2/{path}.json"])) != json.dumps(expected):
                different.append((capture.at, path))
    assert captures
    assert different == [one for one in DIFFERENT if one[0].startswith(year)]


def test_all_374_statuspage_captures_are_read():
    assert len(captured_summaries()) == 374
