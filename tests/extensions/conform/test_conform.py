"""`statuary conform`: the table, JSON, exit codes."""

import json
from collections.abc import Iterator
from pathlib import Path

import pytest
from click.testing import CliRunner, Result

from statuary.cli.main import command
from support.host_servers import project_for, serve_with_statuary


@pytest.fixture(scope="module")
def project(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return project_for(tmp_path_factory)


@pytest.fixture(scope="module")
def base(project: Path) -> Iterator[str]:
    with serve_with_statuary(project) as server:
        yield f"http://127.0.0.1:{server.port}"


def run(*arguments: str) -> Result:
    return CliRunner().invoke(command, ("conform", *arguments))


@pytest.mark.slow
def test_conforming_site_exits_0(base):
    done = run(base, "--level", "edge")
    assert done.exit_code == 0
    assert "passed   fields-are-selected" in done.output
    assert f"{base} at the level edge: 46 passed, 0 failed, 4 skipped" in done.output


def test_failed_conformance_check_reports_problem(base, project):
    document = project / "build" / "chains"
    body = document.read_bytes()
    document.unlink()
    try:
        done = run(base, "--only", "contracts", "--format", "json")
        result = run(base, "--only", "contracts")
    finally:
        document.write_bytes(body)
    assert (done.exit_code, result.exit_code) == (1, 1)
    report = json.loads(done.stdout)
    assert report["conforms"] is False
    failed = {check["check"]: check["problems"] for check in report["checks"] if check["outcome"] == "failed"}
    assert failed == {"chains-are-listed": ["/chains returns 404, not 200"]}
    assert "    /chains returns 404, not 200" in result.output


def test_only_option_selects_conformance_area(base):
    report = json.loads(run(base, "--only", "contracts", "--format", "json").stdout)
    assert {check["area"] for check in report["checks"]} == {"contracts"}
    assert {check["level"] for check in report["checks"]} == {"static"}


@pytest.mark.slow
def test_skip_option_excludes_conformance_check(base):
    report = json.loads(run(base, "--only", "status", "--skip", "documents-agree", "--format", "json").stdout)
    assert "documents-agree" not in [check["check"] for check in report["checks"]]
    assert run(base, "--skip", "documents-disagree").exit_code == 2


@pytest.mark.slow
def test_unreachable_deployment_exits_3():
    done = run("http://127.0.0.1:9")
    assert done.exit_code == 3
    assert done.output.startswith("statuary: http://127.0.0.1:9 cannot be read")
    assert run("status.example").exit_code == 3
