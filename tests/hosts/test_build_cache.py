"""What hosts keep between two builds, so that the second writes only what changed: Netlify's own build, run here."""

import os
import shutil
import subprocess
import sys
from pathlib import Path
from shlex import quote

import pytest

from statuary.extensions.hosting.hosts import HostOptions, make_github_pages_files, make_netlify_files
from support.edge_runtimes import HOSTS_INSTALL, node, write_host_files
from support.requirements import require_node_package, require_program
from support.sites import small_site, tree

pytestmark = pytest.mark.slow

NOW = "2026-11-20T12:00:00Z"
BUILD = f"{quote(sys.executable)} -m statuary build --now {NOW}"


@pytest.fixture
def project(tmp_path: Path) -> Path:
    """A project on Netlify; without edge functions, whose bundler asks the network for its runtime."""
    folder = tmp_path / "project"
    small_site(folder)
    write_host_files(folder, make_netlify_files(HostOptions()))
    shutil.rmtree(folder / ".edge")
    settings = folder / "netlify.toml"
    own = HostOptions().build_command
    command = f"{own} && .venv/bin/statuary hosting netlify --edge-only --out ."
    assert command in settings.read_text("utf-8")
    settings.write_text(settings.read_text("utf-8").replace(command, BUILD), "utf-8")
    return folder


def netlify_build(project: Path) -> str:
    modules = require_node_package("@netlify/build", install=HOSTS_INSTALL)
    program = modules / "@netlify" / "build" / "bin.js"
    environment = {**os.environ, "PATH": f"{Path(node()).parent}{os.pathsep}{os.environ['PATH']}"}
    done = subprocess.run(
        [node(), str(program), "--offline", "--cwd", str(project)],
        check=False,
        capture_output=True,
        text=True,
        timeout=120,
        env=environment,
    )
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout + done.stderr


def test_netlify_build_cache_restores_site(project, tmp_path):
    assert " 0 kept" in netlify_build(project)
    first, elsewhere = tmp_path / "first", tmp_path / "another-machine"
    (project / "build").rename(first)
    shutil.copytree(project, elsewhere)  # with what Netlify keeps, and without the site
    output = netlify_build(elsewhere)
    assert "nothing changed" in output, output
    assert tree(elsewhere / "build") == tree(first)


def test_github_workflow_matches_schema(tmp_path):
    program = require_program("check-jsonschema", install="pip install -e '.[test]'")
    (workflow,) = make_github_pages_files(HostOptions())
    file = tmp_path / "site.yml"
    file.write_text(workflow.text, "utf-8")
    done = subprocess.run(
        [program, "--builtin-schema", "vendor.github-workflows", str(file)],
        check=False,
        capture_output=True,
        text=True,
    )
    assert done.returncode == 0, done.stdout + done.stderr
