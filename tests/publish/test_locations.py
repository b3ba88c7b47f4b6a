"""What may be replaced where a site is published to."""

from pathlib import Path

from statuary.publish.locations import find_irreplaceable_folders
from support.sites import write_files


def test_target_without_new_log_keeps_log(tmp_path: Path) -> None:
    files: dict[str, str | bytes | None] = {"log/checkpoint": "no checkpoint", "index.html": "x"}
    write_files(tmp_path / "target", files)
    write_files(tmp_path / "site", {"index.html": "y"})
    replacement = find_irreplaceable_folders(str(tmp_path / "site"), str(tmp_path / "target"))
    assert replacement.folders == ("log",)
    assert len(replacement.problems) == 1
    assert not replacement.may_replace("log/checkpoint")
    assert replacement.may_replace("index.html")


def test_target_without_log_is_replaced_entirely(tmp_path: Path) -> None:
    for name in ("site", "target"):
        write_files(tmp_path / name, {"index.html": name})
    replacement = find_irreplaceable_folders(str(tmp_path / "site"), str(tmp_path / "target"))
    assert replacement.verified == {"log/checkpoint": None}
    assert replacement.folders == ()
