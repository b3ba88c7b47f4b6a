"""`statuary report`: figures by hand and against the uptime page, and what it writes."""

import csv
import io
import json
import re

import pytest
from click.testing import CliRunner

from statuary.cli.main import command
from support.sites import built_files, small_site, write_files

DOWN = """\
name: Down
components: {rpc: major_outage}
updates:
  - {at: 2026-09-30T23:00:00Z, status: investigating}
  - {at: 2026-10-01T01:00:00Z, status: identified, components: {rpc: partial_outage}}
  - {at: 2026-10-01T02:00:00Z, status: resolved}
"""


@pytest.fixture
def content(tmp_path):
    return write_files(small_site(tmp_path), {"incidents/down.yaml": DOWN})


def report(content, out, quarter, now="2026-11-20T12:00:00Z", code=0):
    done = CliRunner().invoke(
        command, ["report", quarter, "--content", str(content), "--out", str(out), "--now", now]
    )
    assert done.exit_code == code, done.output
    return done.output


def rows_of(out, quarter):
    rows = csv.DictReader(io.StringIO((out / f"{quarter}.csv").read_text()))
    return {(row["id"], row["month"]): row for row in rows}


def test_outage_across_quarters_counts_in_both(content, tmp_path):
    report(content, tmp_path, "2026-q3")
    report(content, tmp_path, "2026-Q4")
    september = rows_of(tmp_path, "2026-q3")["rpc", "2026-09"]
    october = rows_of(tmp_path, "2026-q4")["rpc", "2026-10"]
    assert (september["seconds of major outage"], september["seconds of partial outage"]) == ("3600", "0")
    assert (october["seconds of major outage"], october["seconds of partial outage"]) == ("3600", "3600")
    assert september["availability in percent"] == "99.86"  # 1 - 3,600 / 2,592,000, cut
    assert october["availability in percent"] == "99.82"  # 1 - 1.3 * 3,600 / 2,678,400, cut


def test_current_month_is_counted_until_now(content, tmp_path):
    report(content, tmp_path, "2026-q4")
    rows = rows_of(tmp_path, "2026-q4")
    assert rows["rpc", "2026-11"]["seconds counted"] == str((19 * 24 + 12) * 3600)
    assert rows["rpc", "2026-11"]["seconds degraded"] == "3600"
    assert ("rpc", "2026-12") not in rows, "a month that has not begun"


def test_uptime_report_agrees_with_uptime_json(content, tmp_path):
    """Over ninety days that lie in two quarters, the outages of both are those of the uptime document."""
    uptime = json.loads(built_files(content, tmp_path / "site")["api/v2/uptime.json"])
    assert '"99.9' in json.dumps(uptime) or "99.9" in json.dumps(uptime)
    for quarter in ("2026-q3", "2026-q4"):
        report(content, tmp_path, quarter)
    rows = [*rows_of(tmp_path, "2026-q3").values(), *rows_of(tmp_path, "2026-q4").values()]
    lost = sum(
        int(row["seconds of major outage"]) + 0.3 * int(row["seconds of partial outage"])
        for row in rows
        if row["id"] == "rpc"
    )
    assert lost == 7200 + 0.3 * 3600
    assert int((1 - lost / (90 * 86_400)) * 10_000) / 100 in [*_numbers(uptime)]


def _numbers(value):
    if isinstance(value, dict):
        for member in value.values():
            yield from _numbers(member)
    elif isinstance(value, list):
        for member in value:
            yield from _numbers(member)
    elif isinstance(value, (int, float)):
        yield value


def test_uptime_report_states_calculation_method(content, tmp_path):
    text = (content / "components.yaml").read_text().replace("Public RPC", "'=cmd()<b>'")
    report(write_files(content, {"components.yaml": text}), tmp_path, "2026-q3")
    page = (tmp_path / "2026-q3.html").read_text()
    assert "Accounting method" in page
    assert "0.3 x seconds of partial outage" in page
    assert "<b>" not in page
    assert "'=cmd()<b>," in (tmp_path / "2026-q3.csv").read_text()


def test_identical_input_gives_identical_uptime_report(content, tmp_path):
    report(content, tmp_path / "a", "2026-q3")
    report(content, tmp_path / "b", "2026-q3")
    for name in ("2026-q3.csv", "2026-q3.html"):
        assert (tmp_path / "a" / name).read_bytes() == (tmp_path / "b" / name).read_bytes()


@pytest.mark.parametrize("quarter", ["2026-q5", "2026", "q3", "2027-q1", "../../x"])
def test_invalid_report_quarter_is_rejected(content, tmp_path, quarter):
    report(content, tmp_path / "out", quarter, code=2)
    assert not (tmp_path / "out").exists()


def test_uptime_report_lists_components_by_group(tmp_path):
    groups = """\
components:
  core: {name: Core, components: {rpc: {name: RPC}, wss: {name: WSS}}}
  edge: {name: Edge, components: {web: {name: Web}, cdn: {name: CDN}}}
  bridge: {name: Bridge}
"""
    content = write_files(
        small_site(tmp_path),
        {"components.yaml": groups, "incidents/slow.yaml": None, "maintenances/upgrade.yaml": None},
    )
    report(content, tmp_path, "2026-q3")
    page = (tmp_path / "2026-q3.html").read_text()
    names = dict.fromkeys(re.findall(r"<tr><td dir='auto'>(.*?)</td>", page))
    assert [*names] == ["Core / RPC", "Core / WSS", "Edge / Web", "Edge / CDN", "Bridge"]
