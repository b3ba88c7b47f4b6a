"""Points are read from regular files of the project alone, and written to no others."""

import os
from pathlib import Path

import pytest
from click.testing import CliRunner

from statuary.cli.main import command
from support.sites import SMALL_SITE, write_files

METRICS = """\
metrics:
  folder: FOLDER
  shown:
    block-time: {name: Block time, file: FILE}
"""
SECRET = "TOKEN=canary"


def build(project: Path, folder: str, file: str) -> str:
    site = SMALL_SITE["site.yaml"] + METRICS.replace("FOLDER", folder).replace("FILE", file)
    write_files(project / "content", {**SMALL_SITE, "site.yaml": site})
    arguments = ["build", "--content", str(project / "content"), "--out", str(project / "build")]
    return CliRunner().invoke(command, [*arguments, "--now", "2026-11-20T12:00:00Z"]).output


@pytest.mark.parametrize("folder", ["/proc/self", "../outside", "a/../../outside", ".git", "a//b"])
def test_measurement_folder_outside_project_is_rejected(tmp_path: Path, folder: str) -> None:
    output = build(tmp_path / "project", folder, "environ")
    assert f"'{folder}' is not a folder beside the content folder" in output
    assert "[invalid-value]" in output


@pytest.mark.parametrize("file", ["/etc/passwd", "../secret", ".env", "a/.env"])
def test_hidden_measurement_file_is_rejected(tmp_path: Path, file: str) -> None:
    assert f"'{file}' is not a path below the folder of measurements" in build(
        tmp_path / "project", "measurements", file
    )


def test_external_measurement_symlink_is_rejected(tmp_path: Path) -> None:
    (tmp_path / "secret.csv").write_text(SECRET)
    folder = tmp_path / "project" / "measurements"
    folder.mkdir(parents=True)
    (folder / "points.csv").symlink_to(tmp_path / "secret.csv")
    output = build(tmp_path / "project", "measurements", "points.csv")
    assert "canary" not in output
    assert "the symbolic link leads to a hidden file or out of" in output


def test_measurement_named_pipe_is_rejected(tmp_path: Path) -> None:
    folder = tmp_path / "project" / "measurements"
    folder.mkdir(parents=True)
    os.mkfifo(folder / "points.csv")
    assert "the path is not a regular file, but perhaps a device or a pipe" in build(
        tmp_path / "project", "measurements", "points.csv"
    )
