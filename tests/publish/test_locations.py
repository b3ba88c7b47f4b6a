"""What may be replaced where a site is published to."""

from pathlib import Path

from statuary.publish.locations import find_replaceable_parts
from support.sites import write_files


def test_target_without_new_log_keeps_log(tmp_path: Path) -> None:
    files: dict[str, str | bytes | None] = {"log/checkpoint": "no checkpoint", "index.html": "x"}
    write_files(tmp_path / "target", files)
    write_files(tmp_path / "site", {"index.html": "y"})
    replacement = find_replaceable_parts(str(tmp_path / "site"), str(tmp_path / "target"))
    assert replacement.folders == ("log",)
    assert len(replacement.problems) == 1
    assert not replacement.includes("log/checkpoint")
    assert replacement.includes("index.html")


def test_target_without_log_is_replaced_entirely(tmp_path: Path) -> None:
    for name in ("site", "target"):
        write_files(tmp_path / name, {"index.html": name})
    replacement = find_replaceable_parts(str(tmp_path / "site"), str(tmp_path / "target"))
    assert replacement.verified == {"log/checkpoint": None}
    assert replacement.folders == ()
