"""Files of points stay readable: their size is bounded, and damage of one does not stop the others."""

from pathlib import Path

import pytest
from click.testing import CliRunner

from statuary.base.primitives import parse_instant
from statuary.cli.main import command
from statuary.extensions.metrics import point_files
from statuary.extensions.metrics.point_files import append_measurement
from statuary.extensions.metrics.points import PointsError, parse_points
from statuary.extensions.metrics.probe import Measurement, ProbeAnswer
from statuary.extensions.metrics.settings import Metric, Probe, ProbeKind
from support.sites import SITE, small_site, write_files

PROBE = Probe("rpc", ProbeKind.HTTP, "https://rpc.example.org", "rpc")
METRIC = Metric("latency", "Latency", "rpc.csv", series="seconds")
HEADER = "at,seconds,head,age,finalized,lag,fault\n"


def append(file: Path, minute: int, reason: str = "") -> int:
    measured = Measurement(PROBE, ProbeAnswer(seconds=minute / 100), reason=reason)
    return append_measurement(file, measured, parse_instant(f"2026-11-20T10:{minute:02}:00Z"))


@pytest.mark.parametrize(("limit", "value"), [("MOST_POINTS", 20), ("LARGEST_SIZE", 700)])
def test_full_probe_file_loses_older_half(tmp_path, monkeypatch, limit, value):
    monkeypatch.setattr(point_files, limit, value)
    file = tmp_path / "rpc.csv"
    lengths = []
    for minute in range(60):
        append(file, minute)
        points = parse_points(file.read_bytes(), METRIC)
        assert points[-1].value == minute / 100
        lengths.append(len(points))
    assert max(lengths) <= 22
    assert min(lengths[20:]) >= 10
    assert file.read_text().startswith(HEADER)


def test_truncated_measurement_file_keeps_failure_count(tmp_path, monkeypatch):
    monkeypatch.setattr(point_files, "MOST_POINTS", 20)
    counts = [append(tmp_path / "rpc.csv", minute, "it times out") for minute in range(40)]
    assert counts[:21] == list(range(1, 22))
    assert min(counts[21:]) > 10
    assert append(tmp_path / "rpc.csv", 50) == 0


def test_row_after_interrupted_line_is_complete(tmp_path):
    file = tmp_path / "rpc.csv"
    file.write_text(HEADER + "2026-11-20T09:59:00Z,0.")
    append(file, 7)
    assert file.read_text().splitlines()[-1] == "2026-11-20T10:07:00Z,0.07,,,,,"


@pytest.mark.parametrize("body", [b"\xff\xfe\x00", b'at,seconds\n"' + b"x" * 200_000])
def test_damaged_probe_file_is_reported(tmp_path, body):
    file = tmp_path / "rpc.csv"
    file.write_bytes(body)
    with pytest.raises(PointsError, match=r"rpc\.csv is not a CSV file"):
        append(file, 7)
    assert file.read_bytes() == body


def test_damaged_measurement_file_spares_other_probes(tmp_path):
    probes = "".join(
        f'    {name}: {{kind: tcp, url: "127.0.0.1:1", component: rpc}}\n' for name in ("a", "b")
    )
    content = write_files(small_site(tmp_path), {"site.yaml": SITE + f"metrics:\n  probes:\n{probes}"})
    folder = content.parent / "measurements"
    folder.mkdir()
    (folder / "a.csv").write_bytes(b"\xff")
    done = CliRunner().invoke(
        command, ["probe", "--content", str(content), "--alert", str(tmp_path / "alert")]
    )
    assert done.exit_code == 1
    assert "a.csv is not a CSV file" in done.output
    assert len((folder / "b.csv").read_text().splitlines()) == 2
    assert (tmp_path / "alert").read_text().count('"probe b"') == 1
