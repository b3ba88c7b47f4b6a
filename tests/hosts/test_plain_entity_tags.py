"""What nginx and Caddy alone make of entity tags: of the size and time of a file, as the manual says under "Entity tags"."""

import os
import shutil
from pathlib import Path

import pytest

from statuary.base.primitives import parse_instant
from statuary.base.progress import NoProgress
from statuary.engine.build import build_site
from statuary.publish.folder.folder_target import FolderTarget
from support.host_servers import BUILT_AT, project_for, serve_with_caddy, serve_with_nginx

pytestmark = pytest.mark.slow

PLAIN_SERVERS = {"nginx": serve_with_nginx, "Caddy": serve_with_caddy}
TARGETS = ("/openapi.json", "/api/v2/components.json", "/assets/statuary.css", "/contracts/")
AN_HOUR = 3600


@pytest.fixture(scope="module")
def project(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return project_for(tmp_path_factory)


def entity_tags(name: str, project: Path) -> dict[str, str]:
    with PLAIN_SERVERS[name](project) as server:
        answers = {target: server.ask(target) for target in TARGETS}
        tags = {target: answer["headers"]["etag"] for target, answer in answers.items()}
        again = [server.ask(target, headers={"If-None-Match": tag}) for target, tag in tags.items()]
    assert {answer["status"] for answer in answers.values()} == {200}
    assert {answer["status"] for answer in again} == {304}
    return tags


@pytest.mark.parametrize("name", PLAIN_SERVERS)
def test_etags_follow_modification_times_of_copies(name: str, project: Path, tmp_path: Path) -> None:
    tags = entity_tags(name, project)
    archived = shutil.copytree(project, tmp_path / "archived")  # with times, as `rsync --archive` copies
    assert entity_tags(name, archived) == tags
    later = shutil.copytree(project, tmp_path / "later")
    for file in (later / "build").rglob("*"):
        status = file.stat()
        os.utime(file, (status.st_atime, status.st_mtime + AN_HOUR))
    others = entity_tags(name, later)
    assert all(others[target] != tags[target] for target in TARGETS)


@pytest.mark.parametrize("name", PLAIN_SERVERS)
def test_unchanged_files_keep_etags_after_build(name: str, project: Path) -> None:
    tags = entity_tags(name, project)
    with FolderTarget(project / "build") as publication:
        result = build_site(project / "content", publication, parse_instant(BUILT_AT), NoProgress())
    assert result.applied
    assert entity_tags(name, project) == tags
