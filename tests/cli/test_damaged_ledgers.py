"""Every command that reads a ledger gives the same result where it is damaged, of whatever kind the damage is."""

import shutil
from collections.abc import Callable
from pathlib import Path
from typing import NamedTuple
from zipfile import ZipFile

import pytest
from click.testing import CliRunner

from statuary.base.files import LEDGER, is_manifest_path
from statuary.cli.main import command
from statuary.extensions.snapshots.site_reader import open_site
from support.file_server import served
from support.ledger_damages import DAMAGES, damage_names
from support.sites import INCIDENT, MAINTENANCE, NOW, path_of, record_of, small_site, tree, write_files

LATER = "2026-11-20T12:30:00Z"
"""An instant within the maintenance of the site."""

UPGRADE = MAINTENANCE.replace("2026-11-21T22:00", "2026-11-20T12:15").replace(
    "2026-11-21T23", "2026-11-20T13"
)


def run(*arguments: object, codes: tuple[int, ...] = (0,)) -> str:
    result = CliRunner().invoke(command, list(map(str, arguments)))
    assert result.exit_code in codes, f"{result.output}\n{result.exception!r}"
    return result.output


class Folders(NamedTuple):
    """The folders of a case."""

    root: Path
    site: Path  # of the build before
    target: Path  # where that was published to

    @property
    def content(self) -> Path:
        """Content that has changed since."""
        return self.root.parent / "content"

    @property
    def newer(self) -> Path:
        """A site of that content."""
        return self.root.parent / "newer"


def build(folders: Folders, ledger: Callable[[Path], None]) -> object:
    ledger(folders.site)
    run("build", "--content", folders.content, "--out", folders.site, "--now", LATER)
    return tree(folders.site)


def tick(folders: Folders, ledger: Callable[[Path], None]) -> object:
    ledger(folders.site)
    run("tick", "--out", folders.site, "--now", LATER)
    return tree(folders.site)


def publish_from(folders: Folders, ledger: Callable[[Path], None]) -> object:
    ledger(folders.site)
    run("publish", folders.site, "--to", folders.root / "new")
    return tree(folders.root / "new")


def publish_to(folders: Folders, ledger: Callable[[Path], None]) -> object:
    ledger(folders.target)
    run("publish", folders.newer, "--to", folders.target)
    return tree(folders.target)


def build_to(folders: Folders, ledger: Callable[[Path], None]) -> object:
    ledger(folders.target)
    options = "--content", folders.content, "--out", folders.site, "--now", LATER, "--to", folders.target
    run("build", *options)
    return tree(folders.target)


def publish_snapshot(folders: Folders, ledger: Callable[[Path], None]) -> object:
    ledger(folders.target)
    run("publish", folders.root.parent / "newer.zip", "--to", folders.target)
    return tree(folders.target)


def create_snapshot(folders: Folders, ledger: Callable[[Path], None]) -> object:
    ledger(folders.site)
    run("snapshot", "create", "--from", folders.site, folders.root / "site.zip")
    with ZipFile(folders.root / "site.zip") as file:  # only its manifest says of which instant the site is
        return {name: file.read(name) for name in file.namelist() if not is_manifest_path(name)}


def mirror(folders: Folders, ledger: Callable[[Path], None]) -> object:
    served_folder, copy = folders.root / "www", folders.root / "mirror"
    shutil.copytree(folders.site, served_folder)
    with served(served_folder) as (url, _):
        run("mirror", url, copy)
        shutil.rmtree(served_folder)
        shutil.copytree(folders.newer, served_folder)
        ledger(copy)
        write_files(copy, {"theirs.txt": "foreign"})
        run("mirror", url, copy)
    return tree(copy)


def read(folders: Folders, ledger: Callable[[Path], None]) -> object:
    ledger(folders.site)
    with open_site(folders.site) as site:
        return {path: site.read(path) for path in sorted(site.paths()) if not is_manifest_path(path)}


def explain(folders: Folders, ledger: Callable[[Path], None]) -> object:
    ledger(folders.site)
    run("explain", "index.html", "--out", folders.site, codes=(0, 1, 3))
    return None


COMMANDS = {
    case.__name__: case
    for case in (
        build,
        tick,
        publish_from,
        publish_to,
        build_to,
        publish_snapshot,
        create_snapshot,
        mirror,
        read,
        explain,
    )
}


class World:
    """The folders that every case copies, and what each command gives where nothing is damaged."""

    def __init__(self, root: Path) -> None:
        self.root, self.number, self.results = root, 0, dict[str, object]()
        content = write_files(
            small_site(root), {path_of(1): record_of(1), "maintenances/upgrade.yaml": UPGRADE}
        )
        before = root / "before"
        run("build", "--content", content, "--out", before / "site", "--now", NOW)
        run("publish", before / "site", "--to", before / "target")
        write_files(
            content, {"incidents/slow.yaml": INCIDENT.replace("Slow", "Late"), path_of(2): record_of(2)}
        )
        run("build", "--content", content, "--out", root / "newer", "--now", LATER)
        run("snapshot", "create", "--from", root / "newer", root / "newer.zip")

    def result(self, name: str, damage: Callable[[Path], None]) -> object:
        """Run a command on a copy, with a ledger that is damaged before."""
        self.number += 1
        root = self.root / str(self.number)
        shutil.copytree(self.root / "before", root)
        folders = Folders(root, root / "site", root / "target")
        write_files(folders.target, {"theirs.txt": "foreign"})
        try:
            return COMMANDS[name](folders, lambda folder: damage(folder / LEDGER))
        finally:
            shutil.rmtree(root)

    def expected(self, name: str) -> object:
        """Return the result without damage."""
        if name not in self.results:
            self.results[name] = self.result(name, lambda _: None)
        return self.results[name]


@pytest.fixture(scope="module")
def world(tmp_path_factory: pytest.TempPathFactory) -> World:
    return World(tmp_path_factory.mktemp("ledgers"))


KINDS = DAMAGES | {"names of ours as well": damage_names}
"""Here the manifest tells ours from files of others, if both databases are lost."""

FIRST = ("empty", "no notes")
"""The kinds that run with the slow tests; the others are thorough."""


def cases() -> list[object]:
    return [
        pytest.param(
            name, kind, marks=pytest.mark.slow if kind in FIRST else pytest.mark.thorough, id=f"{name}-{kind}"
        )
        for name in COMMANDS
        for kind in KINDS
    ]


@pytest.mark.parametrize(("name", "kind"), cases())
def test_damaged_ledger_changes_no_command_result(world: World, name: str, kind: str) -> None:
    assert world.result(name, KINDS[kind]) == world.expected(name)
