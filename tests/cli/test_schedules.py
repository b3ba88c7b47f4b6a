"""The units of `statuary next --as`: complete, and understood by the programs that they are for."""

import json
import shlex
import subprocess
import sys
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest
import yaml
from click.testing import CliRunner

from statuary.base.primitives import Instant, parse_instant
from statuary.cli.main import command as statuary
from statuary.cli.schedules import FORMATS, Job, current_job
from support.requirements import require_program
from support.sites import NOW, small_site

CHECKER = Path(sys.executable).with_name("check-jsonschema")
DUE = parse_instant("2026-11-02T10:00:30.500Z")
JOB = Job("/opt/my tools/statuary".replace(" ", "\\ "), Path("/srv/100% status"), Path("build"))


def test_cron_line_runs_every_five_minutes():
    comment, line = FORMATS["cron"](DUE, JOB).splitlines()
    assert comment == "# /etc/cron.d/statuary"
    program = "/opt/my\\ tools/statuary"
    expected = f"*/5 * * * *  root  cd '/srv/100\\% status' && {program} tick --out build > /dev/null"
    assert line == expected


def test_cron_command_prints_only_errors(tmp_path):
    job = Job(f"{shlex.quote(sys.executable)} -m statuary", tmp_path, Path("build"))
    command = FORMATS["cron"](DUE, job).partition("  root  ")[2].replace("\\%", "%")
    failed = subprocess.run(["sh", "-c", command], capture_output=True, check=False, timeout=60)
    assert (failed.returncode, failed.stdout) == (3, b"")
    assert b"build" in failed.stderr


def test_failed_at_job_retries_then_reschedules(tmp_path):
    """Every program fails twice; `sleep` and `at` only say that they ran."""
    (tools := tmp_path / "bin").mkdir()
    log = tmp_path / "log"
    scripts = {
        "statuary": f'echo "$1" >> {log}; [ "$(grep -c "^$1" {log})" -gt 2 ] && echo echo scheduled',
        **{name: f'echo "{name} $*" >> {log}' for name in ("sleep", "at")},
    }
    for name, text in scripts.items():
        (tools / name).write_text(f"#!/bin/sh\n{text}\n")
        (tools / name).chmod(0o755)
    job = Job("statuary", tmp_path, Path("build"))
    command = shlex.split(FORMATS["at"](DUE, job))[1]
    path = f"{tools}:/usr/bin:/bin"
    subprocess.run(["sh", "-c", command], check=True, env={"PATH": path}, cwd=tmp_path, timeout=60)
    lines = log.read_text().splitlines()
    assert lines[:5] == ["tick", "sleep 300", "tick", "sleep 300", "tick"]
    assert lines[5:10] == ["next", "sleep 300", "next", "sleep 300", "next"]


@pytest.mark.parametrize(("code", "pauses"), [(0, 0), (5, 0), (4, 1), (3, 1)])
def test_scheduled_job_retries_only_failed_tick(tmp_path, code, pauses):
    """A build that is due is no failure: to repeat the tick every five minutes would not build."""
    (tools := tmp_path / "bin").mkdir()
    scripts = {
        "statuary": f"[ -e {tmp_path}/ran ] && exit 0; touch {tmp_path}/ran; exit {code}",
        "sleep": f"echo >> {tmp_path}/pauses",
    }
    for name, text in scripts.items():
        (tools / name).write_text(f"#!/bin/sh\n{text}\n")
        (tools / name).chmod(0o755)
    command = Job("statuary", tmp_path, Path("build")).repeat_tick_command
    subprocess.run(["sh", "-c", command], check=True, env={"PATH": f"{tools}:/usr/bin:/bin"}, timeout=60)
    log = tmp_path / "pauses"
    assert (len(log.read_text()) if log.exists() else 0) == pauses


def test_server_path_options_replace_local_paths(tmp_path):
    content, site = small_site(tmp_path), tmp_path / "site"
    options = ["--out", str(site), "--now", NOW]
    assert CliRunner().invoke(statuary, ["build", "--content", str(content), *options]).exit_code == 0
    paths = {"--program": "/opt/statuary/bin/statuary", "--folder": "/srv/status", "--site": "/srv/statuary"}
    server = [word for pair in paths.items() for word in pair]
    for form in ("systemd", "cron", "at"):
        printed = CliRunner().invoke(statuary, ["next", *options, "--as", form, *server])
        assert printed.exit_code == 0, printed.output
        assert "/opt/statuary/bin/statuary tick --out /srv/statuary" in printed.stdout
        assert "/srv/status" in printed.stdout.replace("/srv/statuary", "")
        assert not [
            text for text in (sys.executable, str(tmp_path), str(Path.cwd())) if text in printed.stdout
        ]


def units(folder):
    """Write the units of systemd as their comments say, and return their paths."""
    written = []
    for part in FORMATS["systemd"](DUE, Job("/bin/true", folder, Path("build"))).split(
        "# /etc/systemd/system/"
    ):
        name, _, text = part.partition("\n")
        if name:
            written.append(folder / name)
            written[-1].write_text(text)
    return written


def test_systemd_timer_starts_service(tmp_path):
    service, timer = units(tmp_path)
    assert f"WorkingDirectory={tmp_path}\nExecStart=/bin/true tick --out build\n" in service.read_text()
    assert "StartLimitIntervalSec=0\n" in service.read_text()
    assert "Restart=on-failure\nRestartSec=300\nExecStopPost=" in service.read_text()
    assert "SuccessExitStatus=5\n" in service.read_text()
    assert "OnCalendar=2026-11-02 10:00:31 UTC\n" in timer.read_text()
    assert timer.read_text().strip() == FORMATS["systemd-timer"](DUE, JOB)


@pytest.mark.slow
def test_systemd_accepts_printed_units(tmp_path):
    require_program("systemd-analyze", install=".ci/install-hosts")
    done = subprocess.run(
        ["systemd-analyze", "verify", *map(str, units(tmp_path))], capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stderr


def test_systemd_service_escapes_shell_command(tmp_path):
    service, _ = units(tmp_path)
    line = next(line for line in service.read_text().splitlines() if line.startswith("ExecStopPost="))
    assert line.startswith(
        'ExecStopPost=-/bin/sh -c "/bin/true next --out build --as systemd-timer > /etc/systemd'
    )
    assert line.endswith('systemctl restart statuary-tick.timer"')


def test_at_job_submits_next_job(tmp_path):
    line = FORMATS["at"](DUE, Job("/bin/echo", tmp_path, Path("build")))
    submitted = line.replace("TZ=UTC at -t 202611021001", "sh")
    assert submitted != line
    done = subprocess.run(
        ["sh", "-c", submitted.replace("| sh' |", "' |")], capture_output=True, text=True, check=True
    )
    assert done.stdout == "tick --out build\nnext --out build --as at\n"


@pytest.mark.slow
def test_printed_workflow_matches_github_schema(tmp_path):
    file = tmp_path / "status-change.yml"
    file.write_text(FORMATS["github"](DUE, JOB))
    workflow = yaml.safe_load(file.read_text())
    assert workflow[True]["schedule"] == [{"cron": "1 10 2 11 *"}]  # YAML 1.1 reads `on` as true
    subprocess.run([CHECKER, "--builtin-schema", "vendor.github-workflows", file], check=True)


def test_next_tick_time_rounds_up_to_seconds():
    assert FORMATS["text"](DUE, JOB) == "2026-11-02T10:00:31Z"
    assert json.loads(FORMATS["json"](DUE, JOB)) == {"next": "2026-11-02T10:00:31Z"}


def test_scheduled_job_uses_absolute_program_path():
    job = current_job(Path("build"))
    assert Path(shlex.split(job.program)[0]).is_absolute()
    assert job.folder.is_absolute()


@pytest.mark.slow
@pytest.mark.parametrize("zone", ["Europe/Zurich", "America/New_York", "Asia/Kolkata"])
def test_systemd_timer_elapses_at_utc_time(zone):
    require_program("systemd-analyze", install=".ci/install-hosts")
    due = Instant(datetime.now(UTC).replace(microsecond=0) + timedelta(days=3))
    timer = FORMATS["systemd-timer"](due, JOB)
    calendar = next(line for line in timer.splitlines() if line.startswith("OnCalendar="))
    done = subprocess.run(
        ["systemd-analyze", "calendar", calendar.removeprefix("OnCalendar=")],
        capture_output=True,
        text=True,
        check=True,
        env={"TZ": zone, "PATH": "/usr/bin:/bin"},
    )
    assert f"{due:%Y-%m-%d %H:%M:%S} UTC" in done.stdout.partition("Next elapse:")[2]
