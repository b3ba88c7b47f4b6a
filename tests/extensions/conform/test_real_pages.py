"""Real pages conform: `statuary conform --only status` against captures of GitHub's page."""

import json

import pytest
from click.testing import CliRunner

from statuary.extensions.conform.commands import conform_command as command
from statuary.extensions.conform.conformance import (
    ConformanceArea,
    ConformanceLevel,
    ConformanceOutcome,
    run_checks,
    select_checks,
)
from statuary.extensions.conform.deployment import CheckedDeployment
from statuary.system.network.client import HttpResponse
from support.capture_server import captured_summaries, documents_of, serve_capture, tag_of
from support.statuspage_captures import instant_of

STATUS = select_checks(ConformanceLevel.EDGE, frozenset({ConformanceArea.STATUS}))


def asking(capture):
    bodies = {path: json.dumps(document).encode() for path, document in documents_of(capture).items()}

    def ask(target, method, headers):
        if target not in bodies:
            return HttpResponse(status=404)
        body = bodies[target]
        found = {
            "content-type": "application/json",
            "access-control-allow-origin": "*",
            "etag": tag_of(body),
        }
        if headers.get("If-None-Match") == tag_of(body):
            return HttpResponse(status=304, headers=found)
        return HttpResponse(status=200, headers=found, body=b"" if method == "HEAD" else body)

    return ask


@pytest.mark.slow
def test_captured_statuspage_summaries_pass_checks():
    failed = [
        (capture.at, result.check.name, result.problems)
        for capture in captured_summaries()
        for result in run_checks(CheckedDeployment(asking(capture), instant_of(capture.at)), STATUS)
        if result.outcome is ConformanceOutcome.FAILED
    ]
    assert failed == []


def busiest(captures):
    """Return the captures with most incidents and maintenances, which most rules look at."""
    return sorted(captures, key=lambda one: len(str(one.summary)), reverse=True)


@pytest.mark.parametrize("place", range(3))
def test_captured_statuspages_pass_conform_command(place):
    with serve_capture(busiest(captured_summaries())[place]) as base:
        done = CliRunner().invoke(command, [base, "--only", "status", "--format", "json"])

    report = json.loads(done.stdout)
    assert [one for one in report["checks"] if one["outcome"] == "failed"] == []
    assert done.exit_code == 0
    assert {one["outcome"] for one in report["checks"]} >= {"passed"}
