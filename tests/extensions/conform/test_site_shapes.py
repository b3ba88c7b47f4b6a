"""`statuary conform` passes on sites of every shape that `statuary serve` serves, the empty one first."""

import json
from pathlib import Path

import pytest
from click.testing import CliRunner

from statuary.cli.main import command
from statuary.extensions.conform.commands import conform_command as conform
from support.host_servers import build_project, serve_with_statuary
from support.packed_sites import has_zstd
from support.sites import COMPONENTS, INCIDENT, MAINTENANCE, site_of_many, write_files
from support.whole_site import ADDITIONS, SETTINGS

pytestmark = pytest.mark.slow

NOW = "2026-11-20T12:00:00Z"
PAGE = "page: {name: Plinth, url: 'https://status.plinth.example'}\n"
REDUCED = (
    "status: {uptime: false, archives: false, cap: 1}\npages: {status: false, contracts: 0, search: false}\n"
)
RECORDS = {"incidents/slow.yaml": INCIDENT, "maintenances/upgrade.yaml": MAINTENANCE}


def written(project: Path, files: dict[str, str]) -> Path:
    write_files(project / "content", files)
    return built(project)


def built(project: Path) -> Path:
    folders = ("--content", str(project / "content"), "--out", str(project / "build"))
    done = CliRunner().invoke(command, ["build", *folders, "--now", NOW])
    assert done.exit_code == 0, done.output
    return project


def initial(project: Path) -> Path:
    init = ["init", "--no-git", "--content", str(project / "content"), "--url", "https://status.example.org"]
    assert CliRunner().invoke(command, init).exit_code == 0
    return built(project)


def with_contracts(project: Path) -> Path:
    site_of_many(project, 3, pages=True)
    for path in ("components.yaml", *RECORDS):
        (project / "content" / path).unlink()
    return built(project)


SHAPES = {
    "empty": initial,
    "components alone": lambda project: written(project, {"site.yaml": PAGE, "components.yaml": COMPONENTS}),
    "status alone": lambda project: written(
        project, {"site.yaml": PAGE, "components.yaml": COMPONENTS, **RECORDS}
    ),
    "contracts alone": with_contracts,
    "no pages": lambda project: written(
        project, {"site.yaml": PAGE + REDUCED, "components.yaml": COMPONENTS, **RECORDS}
    ),
    "everything": lambda project: build_project(project, SETTINGS, ADDITIONS),
}


@pytest.mark.parametrize("shape", SHAPES)
def test_site_with_each_configuration_conforms(shape, tmp_path):
    if shape == "everything" and not has_zstd():
        pytest.skip('the packs of this site need: pip install "statuary[zstd]"')
    project = SHAPES[shape](tmp_path)
    with serve_with_statuary(project) as server:
        base = f"http://127.0.0.1:{server.port}"
        done = CliRunner().invoke(conform, [base, "--level", "edge", "--format", "json"])
    checks = json.loads(done.stdout)["checks"]
    failed = {check["check"]: check["problems"] for check in checks if check["outcome"] == "failed"}
    passed = [check["check"] for check in checks if check["outcome"] == "passed"]
    assert failed == {}
    assert (done.exit_code, "status-is-cached-briefly" in passed) == (0, True)
