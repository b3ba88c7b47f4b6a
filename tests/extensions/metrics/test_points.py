"""Files of points in five forms, and what is published of them."""

import json
import re
from contextlib import suppress
from datetime import timedelta
from pathlib import Path
from xml.etree import ElementTree as ET

import pytest

from statuary.base.primitives import parse_instant
from statuary.base.progress import NoProgress
from statuary.engine.build import build_site
from statuary.engine.read_content import read_content
from statuary.engine.sections import NO_OPTIONS
from statuary.extensions.metrics.documents import (
    PERIODS,
    Interval,
    UsualRange,
    average_by_interval,
    compute_usual_range,
    draw_graph,
    draw_metric_summary,
    format_short_number,
    round_up_for_axis,
    split_at_gaps,
)
from statuary.extensions.metrics.points import LARGEST_FILE, Point, PointsError, parse_points
from statuary.extensions.metrics.settings import Metric, PointsForm
from statuary.publish.folder.folder_target import FolderTarget
from support.requirements import require_file
from support.sites import NOW, SITE, files_in, small_site, write_files

AT = parse_instant("2026-11-20T10:00:00Z")
FORMS = {
    PointsForm.CSV: (
        "age",
        b"at,seconds,age\n2026-11-20T10:00:00Z,0.1,2.5\n1795172700,0.1,\n1795172700,0.2,3\n",
    ),
    PointsForm.PROMETHEUS: (
        "",
        b'{"status":"success","data":{"resultType":"matrix","result":[{"metric":{},"values":[[1795168800,"2.5"],[1795172700.5,"3"],[1795172800,"NaN"]]}]}}',
    ),
    PointsForm.GATUS: (
        "core_rpc",
        b'[{"name":"rpc","group":"core","key":"core_rpc","results":[{"status":200,"duration":2500000,"success":true,"timestamp":"2026-11-20T10:00:00.123456789Z"},{"duration":3000000,"timestamp":"2026-11-20T11:05:00Z"}]}]',
    ),
    PointsForm.UPTIME_KUMA: (
        "3",
        b'{"heartbeatList":{"3":[{"status":1,"time":"2026-11-20 10:00:00.123","msg":"","ping":2.5},{"status":0,"time":"2026-11-20 10:30:00.000","ping":null},{"status":1,"time":"2026-11-20 11:05:00.000","ping":3}]},"uptimeList":{}}',
    ),
    PointsForm.UPPTIME: (
        "",
        b"url: https://x.example\nstatus: up\ncode: 200\nresponseTime: 2.5\nlastUpdated: 2026-11-20T10:00:00.000Z\nstartTime: 2026-01-01T00:00:00.000Z\n---\nresponseTime: 3\nlastUpdated: '2026-11-20T11:05:00.000Z'\n",
    ),
}


def metric(form: PointsForm = PointsForm.CSV, series: str = "", **more: str) -> Metric:
    return Metric("head-age", "Age", "points", form=form, series=series, **more)


def points_every_half_hour(values: list[float]) -> list[Point]:
    """Return points that end at `AT`."""
    return [Point(AT - timedelta(minutes=30 * place), value) for place, value in enumerate(reversed(values))][
        ::-1
    ]


@pytest.mark.parametrize("form", FORMS)
def test_metric_points_parse_in_each_format(form):
    series, body = FORMS[form]
    points = parse_points(body, metric(form, series))
    assert [point.value for point in points] == [2.5, 3]
    assert abs(points[0].at - AT).total_seconds() < 1
    assert points[1].at > points[0].at


@pytest.mark.parametrize("form", FORMS)
@pytest.mark.parametrize(
    "body",
    [
        b"\xff\xfe",
        b"{",
        b"[" * 50_000,
        b'{"data": {"result": [{"values": [[1, "x"]]}]}}',
        b"at,v\nnever,1\n",
        b'{"heartbeatList": {"3": [{"ping": 1}]}}',
        b'[{"results": [{"duration": 1}]}]',
        b"lastUpdated: noon\n",
        b'{"data": {"result": [{"values": [[1e300, "1"]]}]}}',
        b"at\n2026-11-20T10:00:00Z,1\n1e300,1\n",
    ],
    ids=range(10),
)
def test_invalid_points_file_yields_no_points(form, body):
    """Some of the ten are files of a form, of which no value is finite or there is none: they have no points."""
    found: list[Point] = []
    with suppress(PointsError):
        found = parse_points(body, metric(form, "3"))
    assert found == []


def test_oversized_measurement_file_is_rejected():
    with pytest.raises(PointsError, match="the limit is"):
        parse_points(b" " * (LARGEST_FILE + 1), metric())


def test_metric_intervals_average_values():
    at = parse_instant("2026-11-20T09:50:00Z").timestamp()
    points = [
        Point(parse_instant(f"2026-11-20T09:{minute}:10Z"), value)
        for minute, value in ((50, 1), (51, 3), (58, 9))
    ]
    later = Point(parse_instant("2026-11-20T10:00:01Z"), 100)
    found = average_by_interval([*points, later], PERIODS[0], AT)
    assert found == [(int(at), 2.0), (int(at) + 300, 9.0)]
    assert (
        len(list(split_at_gaps([found[0], found[1]._replace(timestamp=found[0].timestamp + 1200)], 300))) == 2
    )
    assert average_by_interval(points, PERIODS[0], parse_instant("2026-11-22T00:00:00Z")) == []


@pytest.mark.parametrize(
    ("minutes", "runs"),
    [
        ((0, 60, 120, 180), 1),  # measured every hour
        ((0, 60, 120, 300, 360), 2),  # two hours without a value
        ((0, 5, 10, 30, 35), 2),
        ((0, 60), 2),  # nothing says how often it is measured
    ],
)
def test_metric_graph_breaks_line_at_gaps(minutes, runs):
    end = int(AT.timestamp()) // 300 * 300
    day = [Interval(end - 60 * (minutes[-1] - minute), 4.0) for minute in minutes]
    assert len(list(split_at_gaps(day, 300))) == runs
    drawn = draw_graph(metric(), day, AT)
    assert drawn.count('class="line"') == runs
    assert ('h0"' in drawn) == (runs == len(minutes))


@pytest.mark.parametrize(("value", "top"), [(0, 1), (0.3, 0.5), (1, 1), (7, 10), (1234, 2000)])
def test_graph_axis_ends_at_round_number(value, top):
    assert round_up_for_axis(value) == pytest.approx(top)


@pytest.mark.parametrize("values", [[], [0.0], [5.0] * 3, [-1.0, 1e9]])
def test_metric_graph_is_well_formed_xml(values):
    points = [
        Point(parse_instant(f"2026-11-20T09:{10 + 5 * n}:00Z"), value) for n, value in enumerate(values)
    ]
    name = '<script>&"'
    text = draw_graph(metric(unit="<s>")._replace(name=name), average_by_interval(points, PERIODS[0], AT), AT)
    root = ET.fromstring(text)
    assert root.attrib["aria-label"].startswith(name)
    assert "nan" not in text


METRICS = """\
metrics:
  shown:
    head-age: {name: Age of the newest block, unit: s, file: rpc.csv, series: age}
"""


def build(content: Path, out: Path):
    with FolderTarget(out) as target:
        return build_site(content, target, parse_instant(NOW), NoProgress(), extension_options=NO_OPTIONS)


@pytest.fixture
def content(tmp_path: Path) -> Path:
    rows = "".join(f"2026-11-20T11:{minute:02}:00Z,{minute}\n" for minute in range(60))
    write_files(tmp_path / "measurements", {"rpc.csv": "at,age\n" + rows})
    return write_files(small_site(tmp_path), {"site.yaml": SITE + METRICS})


@pytest.mark.slow
@pytest.mark.parametrize(
    ("value", "text"),
    [
        (2.2534, "2.25"),
        (0.11, "0.11"),
        (180.4, "180"),
        (9999, "9999"),
        (12345, "12.3k"),
        (21e6, "21M"),
        (3e9, "3G"),
        (999_600, "1M"),
        (999.7e6, "1G"),
        (2e12, "2T"),
        (9999.6, "10k"),
        (-999_600, "-1M"),
    ],
)
def test_short_metric_number_fits_tile(value, text):
    assert format_short_number(value) == text


def test_usual_metric_range_excludes_outliers():
    week = average_by_interval(points_every_half_hour([1.0, *[4.0, 5.0] * 10, 90.0]), PERIODS[1], AT)
    assert compute_usual_range(week) == UsualRange(4, 5)
    assert compute_usual_range(week[:9]) is None


def test_metric_tile_marks_unusual_value():
    usual = UsualRange(0.1, 0.2)
    for value, is_marked in ((0.15, False), (0.29, False), (2.2, True)):
        day = average_by_interval([Point(AT, value)], PERIODS[0], AT)
        text = draw_metric_summary(metric(unit="s"), day, usual, AT)
        ET.fromstring(text)
        assert ('class="now out"' in text) is is_marked
        assert "0.1 \N{EN DASH} 0.2 s" in text
    assert ">\N{EN DASH}" in draw_metric_summary(metric(unit="s"), [], None, AT)


def test_metric_tile_text_size_ignores_width():
    root = ET.fromstring(draw_metric_summary(metric(unit="s"), [], UsualRange(3, 5), AT))
    assert "viewBox" not in root.attrib, "a picture with one would shrink its text"
    assert root.attrib["width"] == "100%"


def test_build_publishes_metric_json_and_graph(content, tmp_path):
    result = build(content, tmp_path / "site")
    assert result.applied
    files = files_in(tmp_path / "site")
    day = json.loads(files["metrics-display/head-age/day.json"])
    assert day["period"] == {"count": 288, "interval": 300, "identifier": "day"}
    assert [row["value"] for row in day["metrics"][0]["data"]] == [2 + 5 * n for n in range(12)]
    assert day["summary"] == {"sum": 354.0, "mean": 29.5, "last": 57.0}
    assert len(json.loads(files["metrics-display/head-age/week.json"])["metrics"][0]["data"]) == 2
    assert b'href="metrics-display/head-age.svg"' in files["index.html"]
    again = build(content, tmp_path / "fresh")
    assert again.applied
    assert files_in(tmp_path / "fresh") == files


@pytest.mark.slow
def test_metric_name_follows_page_language(content, tmp_path):
    named = METRICS.replace(
        "name: Age of the newest block", "name: {en: Age of the newest block, de: Alter des Blocks}"
    )
    second = "    lag: {name: Lag, unit: blocks, file: rpc.csv, series: age}\n"
    write_files(content, {"site.yaml": f"{SITE}languages: [en, de, ja]\n{named}{second}"})
    assert build(content, tmp_path / "site").applied
    files = files_in(tmp_path / "site")
    captions = {
        folder: re.findall("<figcaption>(.*?)</figcaption>", files[f"{folder}index.html"].decode())
        for folder in ("", "de/", "ja/")
    }
    assert captions == {
        "": ["Age of the newest block", "Lag"],
        "de/": ["Alter des Blocks", "Lag"],
        "ja/": ["Age of the newest block", "Lag"],
    }
    assert b">0 h</text>" in files["metrics-display/head-age.svg"]


def test_metric_json_matches_captured_statuspage_response(content, tmp_path, pytestconfig):
    shared = (
        pytestconfig.rootpath.parent
        / "shared/data/statuspage/discord-2022.metrics-display_5k2rt9f7pmny_day.json"
    )
    require_file(shared, what="the recorded document of a chart")
    build(content, tmp_path / "site")
    ours = json.loads(files_in(tmp_path / "site")["metrics-display/head-age/day.json"])
    theirs = json.loads(shared.read_bytes())
    assert ours["period"] == theirs["period"]
    assert set(ours) == set(theirs)
    assert set(ours["metrics"][0]) == set(theirs["metrics"][0])
    assert set(ours["metrics"][0]["metric"]) == set(theirs["metrics"][0]["metric"])
    assert set(ours["metrics"][0]["data"][0]) == set(theirs["metrics"][0]["data"][0])


def test_missing_measurement_file_is_reported(content, tmp_path):
    (tmp_path / "measurements/rpc.csv").unlink()
    result = build(content, tmp_path / "site")
    assert result.applied
    assert "rpc.csv cannot be read" in " ".join(finding.message for finding in result.checked.all_findings)
    assert (
        json.loads(files_in(tmp_path / "site")["metrics-display/head-age/day.json"])["summary"]["mean"]
        is None
    )


@pytest.mark.slow
def test_disabled_metrics_leave_no_documents(content, tmp_path):
    build(content, tmp_path / "site")
    write_files(content, {"site.yaml": SITE})
    build(content, tmp_path / "site")
    build(content, tmp_path / "fresh")
    assert files_in(tmp_path / "site") == files_in(tmp_path / "fresh")
    assert b"metrics" not in files_in(tmp_path / "site")["index.html"]


@pytest.mark.parametrize("file", ["../secret.csv", "/etc/passwd", "a/../../b", "a\\\\b"])
def test_metric_file_outside_folder_is_rejected(content, file):
    write_files(content, {"site.yaml": SITE + METRICS.replace("rpc.csv", f'"{file}"')})
    read = read_content(content)
    assert read.site.faulty_keys == {"metrics"}
    assert [finding.pointer[0] for finding in read.findings] == ["metrics"]
