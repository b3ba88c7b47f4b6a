"""The manifest of a built site: its parts are renewed as if they were all made again, and it is right after each run."""

from hashlib import sha256
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from statuary.base.files import MANIFEST, is_manifest_path
from statuary.base.primitives import parse_instant
from statuary.engine.tick import tick
from statuary.publish import listing, site_manifest
from statuary.publish.folder.reader import FolderReader
from statuary.publish.listing import Entry, Part, encode_part, split_into_parts
from statuary.publish.manifest import listed_files, parse_manifest, read_entries
from statuary.publish.site_manifest import PartsUpdate
from support.random_runs import times
from support.sites import (
    INCIDENT,
    NOW,
    build,
    path_of,
    record_of,
    site_of_many,
    small_site,
    tree,
    write_files,
)
from support.tiers import few_by_default

PATHS = st.integers(0, 60).map(lambda number: f"incidents/{number:02}.json")


def entry_of(path: str, version: int) -> Entry:
    """Return an entry; its size tells the version."""
    return Entry(path, (), version, sha256(f"{path} {version}".encode()).hexdigest(), "text/plain")


def divided(entries: dict[str, Entry]) -> dict[Part, bytes]:
    return dict(encode_part(part) for part in split_into_parts(entries[path] for path in sorted(entries)))


@settings(max_examples=times(120))
@given(st.dictionaries(PATHS, st.integers(0, 2)), st.dictionaries(PATHS, st.none() | st.integers(0, 3)))
def test_incrementally_updated_manifest_equals_fresh_manifest(
    before: dict[str, int], changes: dict[str, int | None]
) -> None:
    """Parts are short here, and end after two of five paths on average, or after four."""
    with pytest.MonkeyPatch.context() as patch:
        for module in (site_manifest, listing):
            patch.setattr(module, "ends_part", lambda path: int(path[10:12]) % 5 < 2)
            patch.setattr(module, "MAX_PART_LENGTH", 4)
        old = {path: entry_of(path, version) for path, version in before.items()}
        new = dict(old)
        for path, version in changes.items():
            new.pop(path, None)
            if version is not None:
                new[path] = entry_of(path, version)
        parts = divided(old)
        by_path = {part.path: text for part, text in parts.items()}
        renewal = PartsUpdate(list(parts), by_path.get)
        differing = [(path, new.get(path)) for path in sorted(changes) if old.get(path) != new.get(path)]
        renewed = [
            (part, by_path.get(part.path) if text is None else text)
            for part, text in renewal.parts(differing)
        ]
        assert renewed == list(divided(new).items())
        assert renewal.names == len(new) - len(old)
        assert renewal.size == sum(entry.size for entry in new.values()) - sum(
            entry.size for entry in old.values()
        )


def assert_listed(site: Path) -> None:
    """Make sure that the manifest of a folder lists every file, and nothing else, as it is."""
    files = tree(site)
    manifest = parse_manifest(files[MANIFEST])
    listed = {}
    for entry in read_entries(manifest, files.get):
        for name in entry.names:
            listed[name] = entry.sha256
    assert {part.path for part in manifest.parts} == {
        path for path in files if is_manifest_path(path) and path != MANIFEST
    }
    assert listed == {
        path: sha256(body).hexdigest() for path, body in files.items() if not is_manifest_path(path)
    }


def built(root: Path, now: str = NOW) -> Path:
    build(root / "content", root / "site", now=now)
    return root / "site"


def test_manifest_lists_files_after_each_run(tmp_path: Path) -> None:
    content = small_site(tmp_path)
    write_files(content, {path_of(1): record_of(1)})
    site = built(tmp_path)
    assert_listed(site)
    write_files(content, {"incidents/slow.yaml": INCIDENT.replace("Slow", "Very slow")})
    assert_listed(built(tmp_path))
    write_files(content, {"incidents/slow.yaml": None})
    assert_listed(built(tmp_path))
    before = (site / MANIFEST).read_bytes()
    tick(site, parse_instant("2026-11-21T22:30:00Z"))
    assert (site / MANIFEST).read_bytes() != before
    assert_listed(site)


def test_unchanged_build_keeps_manifest(tmp_path: Path) -> None:
    small_site(tmp_path)
    site = built(tmp_path)
    before = (site / MANIFEST).stat().st_mtime_ns
    built(tmp_path, "2026-11-20T13:00:00Z")
    assert (site / MANIFEST).stat().st_mtime_ns == before


def test_new_folder_gives_same_manifest(tmp_path: Path) -> None:
    small_site(tmp_path)
    site = built(tmp_path)
    build(tmp_path / "content", tmp_path / "again", now=NOW)
    assert (site / MANIFEST).read_bytes() == (tmp_path / "again" / MANIFEST).read_bytes()


@pytest.mark.parametrize(
    "damage", few_by_default(["another manifest", "missing manifest", "missing part", "another part"], 2)
)
def test_damaged_manifest_is_rebuilt(tmp_path: Path, damage: str) -> None:
    content = small_site(tmp_path)
    site = built(tmp_path)
    (part,) = (site / "snapshot/parts").iterdir()
    file = part if damage.endswith("part") else site / MANIFEST
    file.unlink() if damage.startswith("missing") else file.write_bytes(b"another")
    write_files(content, {"incidents/more.yaml": INCIDENT.replace("Slow", "Slower")})
    assert_listed(built(tmp_path))
    write_files(content, {"incidents/more.yaml": None})
    assert_listed(built(tmp_path))


def test_build_without_ledger_uses_manifest(tmp_path: Path) -> None:
    content = small_site(tmp_path)
    site = built(tmp_path)
    for file in (site / ".statuary").iterdir():
        file.unlink()
    (site / "of-another-program.txt").write_text("mine", "utf-8")
    write_files(content, {"incidents/slow.yaml": None})
    built(tmp_path)
    assert not (site / "incidents/slow.json").exists()
    assert (site / "of-another-program.txt").read_text("utf-8") == "mine"
    (site / "of-another-program.txt").unlink()
    assert_listed(site)


def test_manifest_adoption_skips_manually_changed_files(tmp_path: Path) -> None:
    """A build whose ledger is gone adopts what the manifest describes; what was changed by hand stays."""
    out = tmp_path / "out"
    build(site_of_many(tmp_path, 1, pages=True), out)
    text, read = (out / MANIFEST).read_bytes(), FolderReader(out).read
    listed = dict(listed_files(text, read))
    assert {name for path, aliases in listed.items() for name in [path, *aliases.split()]} == tree(out).keys()
    with_aliases = [path for path, aliases in listed.items() if aliases]
    changed, absent, (other_alias, absent_alias) = "index.html", "404.html", with_aliases[:2]
    (out / changed).write_bytes(b"changed")
    (out / absent).unlink()
    (out / listed[other_alias].split()[0]).write_bytes(b"changed")
    (out / listed[absent_alias].split()[0]).unlink()
    assert listed.keys() - dict(listed_files(text, read)).keys() == {
        changed,
        absent,
        other_alias,
        absent_alias,
    }
