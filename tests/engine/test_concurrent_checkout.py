"""Another commit is checked out at any point of a build: what the build leaves is true, or known not to be."""

import os
import shutil
from collections.abc import Callable
from itertools import combinations, product
from pathlib import Path

import pytest

from statuary.contracts.incremental import build_contract as contract_builder
from statuary.contracts.incremental import rebuild as contracts
from statuary.engine import build as stages
from statuary.publish.folder.folder_target import FolderTarget
from statuary.source.git_state import GitState
from support.sites import INCIDENT, build, files_in, git, path_of, record_of, site_of_many, write_files

STAGES = {
    "reading": (stages, "read_site"),
    "choosing": (contracts, "plan_rebuild"),
    "git's ids": (GitState, "committed_files"),
    "a contract": (contract_builder, "read_contract"),
    "git again": (contracts, "GitQuery"),
    "publishing": (FolderTarget, "apply"),
}
"""The calls of a build before and after which the checkout changes."""

POINTS = [f"{when} {stage}" for stage in STAGES for when in ("before", "after")]
OTHER = {"one": "two", "two": "one"}


@pytest.fixture(scope="module")
def project(tmp_path_factory) -> Path:
    """A repository with two commits: a contract changes, one comes and one goes, and there is an incident."""
    project = tmp_path_factory.mktemp("moves") / "project"
    content = site_of_many(project, 3)
    git(project, "init", "-q", "-b", "one")
    git(project, "add", ".")
    git(project, "commit", "-qm", "one")
    git(project, "checkout", "-qb", "two")
    changed = {path_of(1): record_of(1).replace(b'"matchId":"', b'"matchId":"90'), path_of(2): None}
    write_files(content, changed | {path_of(4): record_of(4), "incidents/slower.yaml": INCIDENT})
    git(project, "add", ".")
    git(project, "commit", "-qm", "two")
    for name in OTHER:
        git(project, "checkout", "-q", name)
        build(content, project.parent / name, git=True)
    return project


SOME = [
    ("two", True, ("before choosing", "after publishing")),
    ("two", False, ("after reading", "before git again")),
    ("one", True, ("before reading", "before publishing")),
]
"""Two ways on which builds once believed what was not so, and another: the commit at first, whether a site of the
other one is there, and the points."""

ALL = [*((point,) for point in POINTS), *combinations(POINTS, 2)]
TRIED = list(product(OTHER, (True, False), ALL)) if "STATUARY_ALL_CHECKOUTS" in os.environ else SOME


@pytest.mark.parametrize(
    "case",
    [
        pytest.param(case, marks=pytest.mark.slow if place else (), id=str(case))
        for place, case in enumerate(TRIED)
    ],
)
def test_commit_checkout_during_build_is_repaired(project, tmp_path, monkeypatch, case):
    start, is_built, way = case
    content, out = project / "content", tmp_path / "out"
    if is_built:  # from the other commit
        shutil.copytree(project.parent / OTHER[start], out, copy_function=shutil.copy2)
    git(project, "checkout", "-q", start)
    with monkeypatch.context() as patch:
        at = _switch(project, start, way)
        for stage, (owner, name) in STAGES.items():
            patch.setattr(owner, name, _watched(getattr(owner, name), stage, at))
        build(content, out, git=True)
    for name in (at(""), OTHER[at("")]):
        git(project, "checkout", "-q", name)
        build(content, out, git=True)
        _expect(out, project.parent / name)


def test_interrupted_build_recovers_after_checkout(project, tmp_path, monkeypatch):
    content, out = project / "content", tmp_path / "out"
    shutil.copytree(project.parent / "one", out, copy_function=shutil.copy2)
    git(project, "checkout", "-q", "two")
    with monkeypatch.context() as patch:
        patch.setattr(FolderTarget, "plan", _interrupt)
        with pytest.raises(KeyboardInterrupt):
            build(content, out, git=True)
    git(project, "checkout", "-q", "one")
    build(content, out, git=True)
    _expect(out, project.parent / "one")


def _interrupt(_: FolderTarget) -> None:
    raise KeyboardInterrupt


def _expect(out: Path, wanted: Path) -> None:
    found, expected = files_in(out), files_in(wanted)
    assert {path for path in found | expected if found.get(path) != expected.get(path)} == set()


def _switch(project: Path, start: str, way: tuple[str, ...]) -> Callable[[str], str]:
    """Return a function that checks out the other commit at each point of a way, once; it returns the present one."""
    left, present = list(way), [start]

    def at(point: str) -> str:
        if left and left[0] == point:
            left.pop(0)
            present[0] = OTHER[present[0]]
            git(project, "checkout", "-q", present[0])
        return present[0]

    return at


def _watched(real, stage: str, at: Callable[[str], str]):
    def called(*arguments, **keywords):
        at(f"before {stage}")
        result = real(*arguments, **keywords)
        at(f"after {stage}")
        return result

    return called
