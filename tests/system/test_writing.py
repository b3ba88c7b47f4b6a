"""Writing to disk while a build goes on."""

from threading import Event
from time import sleep

from statuary.publish.folder import folder_target
from statuary.publish.folder.folder_target import FolderTarget
from statuary.system import writing
from statuary.system.writing import PeriodicSync


def test_file_system_is_synced_until_it_is_stopped(tmp_path, monkeypatch):
    folders, is_synced = [], Event()

    def sync(folder):
        folders.append(folder)
        is_synced.set()

    monkeypatch.setattr(writing, "sync_file_system", sync)
    periodic = PeriodicSync(tmp_path, seconds=0.001)
    assert is_synced.wait(30)
    assert set(folders) == {tmp_path}
    periodic.stop()
    sleep(0.05)
    count = len(folders)
    sleep(0.05)
    assert len(folders) == count


def test_folder_that_is_removed_ends_the_syncs(tmp_path):
    periodic = PeriodicSync(tmp_path / "removed", seconds=0.001)
    periodic.thread.join(30)
    assert not periodic.thread.is_alive()


def test_sync_goes_on_while_a_target_is_open(tmp_path, monkeypatch):
    events = []

    class Noted(PeriodicSync):
        def __init__(self, folder):
            events.append(folder)

        def stop(self):
            events.append("stop")

    monkeypatch.setattr(folder_target, "PeriodicSync", Noted)
    with FolderTarget(tmp_path / "site"):
        assert events == [tmp_path / "site"]
    assert events == [tmp_path / "site", "stop"]
    with FolderTarget(tmp_path / "site", dry_run=True):
        assert events == [tmp_path / "site", "stop"]
