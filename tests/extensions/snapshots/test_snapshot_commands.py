"""`statuary snapshot`, `publish` and `extract`, as whole processes where the machine matters."""

import json
import os
import shutil
import subprocess
import sys
from hashlib import sha256
from pathlib import Path
from typing import Any

import orjson
import pytest
from click.testing import CliRunner, Result

from statuary import open_snapshot
from statuary.base.files import LEDGER
from statuary.cli.main import command
from statuary.cli.options import read_key_file
from statuary.publish.listing import DamagedSnapshotError
from support.contracts import ADDRESS, made_record
from support.requirements import CHECKOUT, require_module, require_program
from support.sites import NOW, small_site, tree, write_files

CHAIN = "748463"


@pytest.fixture(autouse=True)
def _extra() -> None:
    require_module("minisign", install='pip install "statuary[snapshot]"')


@pytest.fixture
def content(tmp_path: Path) -> Path:
    """A content folder with a contract whose proof holds."""
    folder = small_site(tmp_path)
    record = made_record(chain_id=CHAIN)
    return write_files(folder, {f"contracts/{CHAIN}/{ADDRESS}.json": orjson.dumps(record)})


def run(*arguments: object, code: int = 0) -> Result:
    result = CliRunner().invoke(command, [str(argument) for argument in arguments])
    assert result.exit_code == code, result.output
    return result


def create(content: Path, out: Path, *more: object) -> Path:
    run("snapshot", "create", "--content", content, "--now", NOW, *more, out)
    return out


def digest(file: Path) -> str:
    return sha256(file.read_bytes()).hexdigest()


@pytest.mark.slow
def test_environment_does_not_change_snapshot(content: Path, tmp_path: Path) -> None:
    """Other folders, time zones, locales, umasks, hash seeds: one SHA-256."""
    # where LC_ALL is C, or is not there, Python 3.12 does not start with an editable installation whose path is not ASCII
    locales = ("C", "tr_TR.UTF-8") if str(CHECKOUT).isascii() else ("C.UTF-8", "C.UTF-8")
    machines = (
        ({"TZ": "UTC", "LC_ALL": locales[0], "PYTHONHASHSEED": "0"}, 0o022),
        ({"TZ": "Pacific/Kiritimati", "LC_ALL": locales[1], "PYTHONHASHSEED": "1"}, 0o077),
    )
    digests = set()
    for number, (environment, umask) in enumerate(machines):
        folder = tmp_path / f"machine {number}"
        folder.mkdir(0o755)
        (folder / "content").symlink_to(content)
        arguments = ["snapshot", "create", "--content", "content", "--now", NOW, "out/site.zip"]
        subprocess.run(
            [sys.executable, "-m", "statuary", *arguments],
            cwd=folder,
            env=os.environ | environment,
            umask=umask,
            check=True,
            capture_output=True,
        )
        digests.add(digest(folder / "out/site.zip"))
    assert len(digests) == 1


@pytest.mark.slow
def test_each_source_gives_identical_snapshot(content: Path, tmp_path: Path) -> None:
    first = create(content, tmp_path / "first.zip")
    run("build", "--content", content, "--out", tmp_path / "build", "--now", NOW)
    run("snapshot", "create", "--from", tmp_path / "build", tmp_path / "of-build.zip")
    run("publish", first, "--to", tmp_path / "mirror")
    run("snapshot", "create", "--from", tmp_path / "mirror", tmp_path / "of-mirror.zip")
    run("snapshot", "create", "--from", first, tmp_path / "copy.zip")
    files = ("first.zip", "of-build.zip", "of-mirror.zip", "copy.zip")
    assert len({digest(tmp_path / name) for name in files}) == 1


@pytest.mark.slow
def test_snapshot_verify_prints_description(content: Path, tmp_path: Path) -> None:
    file = create(content, tmp_path / "site.zip", "--revision", "v7")
    printed = run("snapshot", "verify", file).output
    assert "documents are whole" in printed
    assert "as of 2026-11-20T12:00:00Z" in printed
    assert "content v7" in printed
    assert "not signed" in printed
    printed = json.loads(run("snapshot", "verify", file, "--format", "json").output)
    assert (printed["whole"], printed["revision"], printed["problems"]) == (True, "v7", [])
    assert printed["documents"] == printed["wholeDocuments"] > 10


def test_snapshot_verify_fails_on_changed_folder(content: Path, tmp_path: Path) -> None:
    run("publish", create(content, tmp_path / "site.zip"), "--to", tmp_path / "mirror")
    (tmp_path / "mirror/chains").write_text("[]")
    printed = run("snapshot", "verify", tmp_path / "mirror", code=1).output
    assert "chains is damaged: it has 2 bytes" in printed


def test_snapshot_verify_rejects_other_file(tmp_path: Path) -> None:
    (tmp_path / "a.zip").write_text("hello")
    assert "is not a snapshot" in run("snapshot", "verify", tmp_path / "a.zip", code=3).output


@pytest.mark.parametrize(
    "arguments",
    [
        ("snapshot", "verify", "old.tar.zst"),
        ("snapshot", "create", "--from", "old.tar.zst", "new.zip"),
        ("snapshot", "create", "--from", "old.tar.zst", "--only", "status", "new.zip"),
        ("snapshot", "diff", "old.tar.zst", "old.tar.zst"),
        ("publish", "old.tar.zst", "--to", "mirror"),
        ("extract", "old.tar.zst", "chains"),
        ("serve", "old.tar.zst"),
        ("log", "verify", "old.tar.zst"),
    ],
    ids=" ".join,
)
def test_tar_zst_is_refused_with_hint(
    arguments: tuple[str, ...], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    write_files(tmp_path, {"old.tar.zst": b"\x28\xb5\x2f\xfd"})
    monkeypatch.chdir(tmp_path)
    printed = run(*arguments, code=3).output
    assert "old.tar.zst is a .tar.zst, a format of snapshots that statuary no longer reads" in printed
    assert "tar --zstd -xf" in printed
    assert set(tree(tmp_path)) == {"old.tar.zst"}


@pytest.mark.parametrize("name", ["apply", "convert"])
def test_removed_snapshot_command_exits_2(name: str) -> None:
    assert f"No such command '{name}'" in run("snapshot", name, "a.zip", "b", "c.zip", code=2).output


def test_snapshot_verify_prove_checks_every_record(content: Path, tmp_path: Path) -> None:
    file = create(content, tmp_path / "site.zip")
    assert "1 records verified, 0 rejected" in run("snapshot", "verify", file, "--prove").output


def test_snapshot_verify_prove_rejects_forged_record(content: Path, tmp_path: Path) -> None:
    """The forger has made manifest and archive right; the record itself contradicts him."""
    run("build", "--content", content, "--out", tmp_path / "build", "--now", NOW)
    for name in {ADDRESS, ADDRESS.lower()}:
        file = tmp_path / f"build/v2/contract/{CHAIN}/{name}"
        record: dict[str, Any] = json.loads(file.read_bytes())
        record["runtimeBytecode"]["onchainBytecode"] += "00"
        file.unlink()
        file.write_bytes(orjson.dumps(record))
    for own_folder in (".statuary", "snapshot"):
        shutil.rmtree(tmp_path / "build" / own_folder)
    forged = tmp_path / "forged.zip"
    run("snapshot", "create", "--from", tmp_path / "build", forged)
    run("snapshot", "verify", forged)
    printed = run("snapshot", "verify", forged, "--prove", code=1).output
    assert "0 records verified, 1 rejected" in printed
    assert f"v2/contract/{CHAIN}/{ADDRESS}: error: " in printed
    printed = json.loads(run("snapshot", "verify", forged, "--prove", "--format", "json", code=1).output)
    assert printed["refused"] == 1
    assert any(error["rule"] == "runtime-bytecode-mismatch" for error in printed["errors"])


def test_snapshot_verify_prove_rejects_misplaced_record(content: Path, tmp_path: Path) -> None:
    run("build", "--content", content, "--out", tmp_path / "build", "--now", NOW)
    folder = tmp_path / f"build/v2/contract/{CHAIN}"
    other = "0x" + "1" * 40
    (folder / other).write_bytes((folder / ADDRESS).read_bytes())
    (tmp_path / "build/.statuary/ledger.sqlite3").unlink()
    (tmp_path / "build/snapshot/manifest.json").unlink()
    run("snapshot", "create", "--from", tmp_path / "build", "--now", NOW, tmp_path / "moved.zip")
    printed = run("snapshot", "verify", tmp_path / "moved.zip", "--prove", code=1).output
    assert f"v2/contract/{CHAIN}/{other}: error: the record is that of another contract" in printed


def test_content_errors_create_no_snapshot(content: Path, tmp_path: Path) -> None:
    write_files(content, {"components.yaml": "components: [\n"})
    run("snapshot", "create", "--content", content, "--now", NOW, tmp_path / "site.zip", code=1)
    assert not (tmp_path / "site.zip").exists()


def test_snapshot_of_faulty_content_exits_4(content: Path, tmp_path: Path) -> None:
    write_files(content, {"incidents/slow.yaml": "name: [\n"})
    done = run("snapshot", "create", "--content", content, "--now", NOW, tmp_path / "site.zip", code=4)
    assert "published with faults in incidents/slow.yaml (exit code 4)" in done.output
    assert (tmp_path / "site.zip").exists()


def test_snapshot_dry_run_only_lists_changes(content: Path, tmp_path: Path) -> None:
    printed = run(
        "snapshot", "create", "--content", content, "--now", NOW, "--dry-run", tmp_path / "site.zip"
    ).output
    assert "+ api/v2/summary.json" in printed
    assert not (tmp_path / "site.zip").exists()
    file = create(content, tmp_path / "site.zip")
    printed = run("publish", file, "--to", tmp_path / "mirror", "--dry-run").output
    assert "+ api/v2/summary.json" in printed
    assert tree(tmp_path / "mirror") == {}


def test_snapshot_subset_equals_subset_of_snapshot(content: Path, tmp_path: Path) -> None:
    whole = create(content, tmp_path / "site.zip")
    create(content, tmp_path / "a.zip", "--only", "status")
    run("snapshot", "create", "--from", whole, "--only", "status", tmp_path / "b.zip")
    assert digest(tmp_path / "a.zip") == digest(tmp_path / "b.zip")
    paths = run("extract", tmp_path / "a.zip", "--list").output.split()
    assert "api/v2/summary.json" in paths
    assert not any(path.startswith("v2/") for path in paths)
    assert "only status" in run("snapshot", "verify", tmp_path / "a.zip").output
    assert (
        "not name a part of a site"
        in run("snapshot", "create", "--from", whole, "--only", "nothing", tmp_path / "c.zip", code=3).output
    )


@pytest.mark.slow
def test_snapshot_of_sharded_layout_verifies(content: Path, tmp_path: Path) -> None:
    hosting = "hosting: {layout: sharded, files: [netlify], precompressed: [gz]}\n"
    write_files(content, {"site.yaml": (content / "site.yaml").read_text() + hosting})
    file = create(content, tmp_path / "site.zip")
    run("build", "--content", content, "--out", tmp_path / "build", "--now", NOW)
    run("snapshot", "create", "--from", tmp_path / "build", tmp_path / "of-build.zip")
    assert digest(tmp_path / "of-build.zip") == digest(file)
    paths = run("extract", file, "--list").output.split()
    assert f"_shards/contract/{CHAIN}/{ADDRESS[2:4].lower()}/{ADDRESS}" in paths
    assert "1 records verified, 0 rejected" in run("snapshot", "verify", file, "--prove").output
    for place in (file, tmp_path / "build"):
        with open_snapshot(place) as site:
            assert [contract.address for contract in site.contracts(int(CHAIN))] == [ADDRESS]
            assert site.contract(CHAIN, ADDRESS.lower()).name == "Made"
    (tmp_path / "list").write_text(ADDRESS)
    create(content, tmp_path / "part.zip", "--only", f"address-list={tmp_path / 'list'}")
    part = set(run("extract", tmp_path / "part.zip", "--list").output.split())
    assert {f"{path}.gz" for path in part if f"{path}.gz" in paths} <= part
    assert {path for path in paths if ADDRESS in path} == {path for path in part if ADDRESS in path}
    assert not any(path.startswith("api/") for path in part)


def test_snapshot_diff_lists_changed_documents(content: Path, tmp_path: Path) -> None:
    before = create(content, tmp_path / "a.zip")
    assert "the same site" in run("snapshot", "diff", before, before).output
    write_files(content, {"incidents/slow.yaml": None})
    after = create(content, tmp_path / "b.zip", "--revision", "next")
    printed = run("snapshot", "diff", before, after).output
    assert "- incidents/slow.json" in printed
    assert "~ api/v2/incidents.json" in printed
    assert "revision: - -> next" in printed
    printed = json.loads(run("snapshot", "diff", before, after, "--format", "json").output)
    removed = [change["path"] for change in printed["changes"] if change["action"] == "remove"]
    assert "incidents/slow.json" in removed


@pytest.mark.slow
def test_minisign_verifies_snapshot_signature(content: Path, tmp_path: Path) -> None:
    """The commands that `statuary snapshot sign --help` gives, run as they stand."""
    for program in ("minisign", "unzip"):
        require_program(program, install=".ci/install-archivers")
    subprocess.run(
        ["minisign", "-G", "-W", "-p", "minisign.pub", "-s", "k"],
        cwd=tmp_path,
        check=True,
        capture_output=True,
    )
    file = create(content, tmp_path / "site.zip")
    signed = create(content, tmp_path / "signed.zip", "--sign", tmp_path / "k")
    run("snapshot", "sign", file, "--key", tmp_path / "k")
    assert digest(file) == digest(signed)
    members = ["snapshot/manifest.json", "snapshot/manifest.json.minisig"]
    subprocess.run(["unzip", "-q", file, *members], cwd=tmp_path, check=True)
    printed = subprocess.check_output(
        ["minisign", "-Vm", "snapshot/manifest.json", "-p", "minisign.pub"], cwd=tmp_path, text=True
    )
    assert "Signature and comment signature verified" in printed
    printed = run("snapshot", "verify", file, "--public-key", tmp_path / "minisign.pub").output
    assert "signed with key" in printed
    assert "give --public-key to verify" in run("snapshot", "verify", file).output
    key = (tmp_path / "minisign.pub").read_text().splitlines()[1]
    run("publish", file, "--to", tmp_path / "mirror", "--public-key", key)
    plain = create(content, tmp_path / "plain.zip")
    run("publish", plain, "--to", tmp_path / "mirror2", "--public-key", key, code=3)
    assert tree(tmp_path / "mirror2") == {}


def test_publishing_damaged_snapshot_keeps_mirror(content: Path, tmp_path: Path) -> None:
    file = create(content, tmp_path / "site.zip")
    run("publish", file, "--to", tmp_path / "mirror")
    before = tree(tmp_path / "mirror")
    write_files(content, {"incidents/slow.yaml": None})
    whole = create(content, tmp_path / "next.zip").read_bytes()
    (tmp_path / "next.zip").write_bytes(whole[:-1])
    run("publish", tmp_path / "next.zip", "--to", tmp_path / "mirror", code=3)
    assert tree(tmp_path / "mirror") == before
    (tmp_path / "next.zip").write_bytes(whole)
    printed = run("publish", tmp_path / "next.zip", "--to", tmp_path / "mirror").output
    assert "removed" in printed
    run("snapshot", "verify", tmp_path / "mirror")


@pytest.mark.slow
def test_publishing_snapshot_keeps_foreign_files(content: Path, tmp_path: Path) -> None:
    (tmp_path / "mirror").mkdir()
    (tmp_path / "mirror/CNAME").write_text("status.example")
    run("publish", create(content, tmp_path / "site.zip"), "--to", tmp_path / "mirror")
    assert (tmp_path / "mirror/CNAME").read_text() == "status.example"


def test_extract_prints_or_writes_snapshot_documents(content: Path, tmp_path: Path) -> None:
    file = create(content, tmp_path / "site.zip")
    record = run("extract", file, f"{CHAIN}/{ADDRESS.lower()}").stdout_bytes
    assert json.loads(record)["address"] == ADDRESS
    assert run("extract", file, f"/v2/contract/{CHAIN}/{ADDRESS}").stdout_bytes == record
    run("extract", file, "api/v2/*.json", f"{CHAIN}/{ADDRESS}", "--to", tmp_path / "out")
    found = tree(tmp_path / "out")
    assert found[f"v2/contract/{CHAIN}/{ADDRESS}"] == record
    assert "api/v2/summary.json" in found
    assert "has no document v2/x" in run("extract", file, "v2/x", code=3).output
    assert "--to" in run("extract", file, "api/v2/*.json", code=3).output


def test_extract_refuses_symbolic_link(content: Path, tmp_path: Path) -> None:
    file = create(content, tmp_path / "site.zip")
    (tmp_path / "outside").mkdir()
    (tmp_path / "out").mkdir()
    (tmp_path / "out/api").symlink_to(tmp_path / "outside")
    run("extract", file, "api/v2/summary.json", "--to", tmp_path / "out", code=3)
    assert tree(tmp_path / "outside") == {}


def test_snapshot_diff_rejects_damaged_folder(content: Path, tmp_path: Path) -> None:
    file = create(content, tmp_path / "site.zip")
    run("publish", file, "--to", tmp_path / "mirror")
    assert "the same site" in run("snapshot", "diff", file, tmp_path / "mirror").output
    status = tmp_path / "mirror/api/v2/status.json"
    body = status.read_bytes()
    status.unlink()
    status.write_bytes(body[::-1])
    printed = run("snapshot", "diff", file, tmp_path / "mirror", code=3).output
    assert "the same site" not in printed
    assert "api/v2/status.json is damaged" in printed


@pytest.mark.slow
def test_extract_damaged_folder_writes_nothing(content: Path, tmp_path: Path) -> None:
    run("publish", create(content, tmp_path / "site.zip"), "--to", tmp_path / "mirror")
    last = tmp_path / "mirror/index.html"
    last.unlink()
    last.write_bytes(b"EVIL")
    run("extract", tmp_path / "mirror", "--to", tmp_path / "out", code=3)
    assert not (tmp_path / "out").exists()
    assert [path.name for path in tmp_path.iterdir() if path.name.startswith(".out")] == []
    run("extract", tmp_path / "mirror", "index.html", code=3)
    assert b"EVIL" not in run("extract", tmp_path / "mirror", "index.html", code=3).stdout_bytes


def test_extract_requires_signature_for_public_key(content: Path, tmp_path: Path) -> None:
    plain = create(content, tmp_path / "site.zip")
    key = "RWQf6LRCGA9i53mlYecO4IzT51TGPpvWucNSCh1CBM0QTaLn73Y7GFO3"
    printed = run("extract", plain, "chains", "--public-key", key, code=3).output
    assert "is not signed" in printed
    with pytest.raises(DamagedSnapshotError, match="is not signed"):
        open_snapshot(plain, public_key=key)


@pytest.mark.slow
def test_publish_older_snapshot_requires_allow_older(content: Path, tmp_path: Path) -> None:
    new = create(content, tmp_path / "new.zip")
    old = tmp_path / "old.zip"
    run("snapshot", "create", "--content", content, "--now", "2026-11-15T00:00:00Z", old)
    run("publish", new, "--to", tmp_path / "mirror")
    before = tree(tmp_path / "mirror")
    printed = run("publish", old, "--to", tmp_path / "mirror", code=3).output
    assert "has a newer site, as of" in printed
    assert "--allow-older" in printed
    assert tree(tmp_path / "mirror") == before
    run("publish", new, "--to", tmp_path / "mirror")
    run("publish", old, "--to", tmp_path / "mirror", "--allow-older")
    run("snapshot", "verify", tmp_path / "mirror", "--against", old)


def test_snapshot_over_newer_requires_allow_older(content: Path, tmp_path: Path) -> None:
    """A mirror that is asked again may answer with an old snapshot, rightly signed."""
    new, old, mirror = create(content, tmp_path / "new.zip"), tmp_path / "old.zip", tmp_path / "mirror"
    run("snapshot", "create", "--content", content, "--now", "2026-11-15T00:00:00Z", old)
    run("publish", old, "--to", mirror)
    before = digest(new)
    for arguments in (
        ("snapshot", "create", "--from", mirror, new),
        ("snapshot", "create", "--from", old, "--only", "status", new),
        ("snapshot", "create", "--from", old, new),
    ):
        assert "--allow-older" in run(*arguments, code=3).output
        assert digest(new) == before
    run("snapshot", "create", "--from", old, new, "--allow-older")
    assert digest(new) == digest(old)


@pytest.mark.slow
@pytest.mark.parametrize("publish", [True, False])
def test_manifest_rebuilds_lost_mirror_ledger(content: Path, tmp_path: Path, publish: bool) -> None:
    mirror, fresh = tmp_path / "mirror", tmp_path / "fresh"
    first = create(content, tmp_path / "first.zip")
    run("publish", first, "--to", mirror)
    shutil.rmtree(mirror / ".statuary")
    write_files(mirror, {"theirs.html": "foreign", "v2/theirs": "foreign"})
    (content / f"contracts/{CHAIN}/{ADDRESS}.json").unlink()
    write_files(content, {"incidents/other.yaml": (content / "incidents/slow.yaml").read_text()})
    for folder in (mirror, fresh):
        if publish:
            run("publish", create(content, tmp_path / "second.zip", "--allow-older"), "--to", folder)
        else:
            run("build", "--content", content, "--out", folder, "--now", NOW)
    theirs = {"theirs.html": b"foreign", "v2/theirs": b"foreign"}
    wanted = tree(fresh) | theirs
    # a build's manifest lists changes.json, which tells of the build before
    left_out = {"changes.json"} | (
        {path for path in (*tree(mirror), *wanted) if path.startswith("snapshot/")}
        - (tree(fresh).keys() if publish else set())
    )
    assert {path: body for path, body in tree(mirror).items() if path not in left_out} == {
        path: body for path, body in wanted.items() if path not in left_out
    }


def test_changed_file_without_ledger_stops_build(content: Path, tmp_path: Path) -> None:
    mirror = tmp_path / "mirror"
    run("publish", create(content, tmp_path / "site.zip"), "--to", mirror)
    shutil.rmtree(mirror / ".statuary")
    (mirror / "index.html").write_text("another program's")
    refused = run("build", "--content", content, "--out", mirror, "--now", NOW, code=3)
    assert (
        "the folder has files at the site's paths that statuary did not write: index.html" in refused.output
    )
    assert (mirror / "index.html").read_text() == "another program's"


@pytest.mark.skipif(os.name == "nt", reason="Windows has no modes")
@pytest.mark.parametrize(("mode", "warned"), [(0o600, False), (0o400, False), (0o644, True), (0o640, True)])
def test_readable_secret_key_prints_warning(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], mode: int, warned: bool
) -> None:
    key = tmp_path / "key"
    key.write_text("x")
    key.chmod(mode)
    assert read_key_file(key, secret=True) == "x"
    assert (f"(mode {mode:04o})" in capsys.readouterr().err) == warned
    read_key_file(key)
    assert capsys.readouterr().err == ""


def test_tick_updates_manifest_of_mirror(content: Path, tmp_path: Path) -> None:
    """Its documents are those of another instant: the manifest of before would call them damaged."""
    write_files(content, {"maintenances/m.yaml": MAINTENANCE})
    run("publish", create(content, tmp_path / "site.zip"), "--to", tmp_path / "mirror")
    run("tick", "--out", tmp_path / "mirror", "--now", "2026-11-22T10:30:00Z")
    run("snapshot", "verify", tmp_path / "mirror")
    with open_snapshot(tmp_path / "mirror") as site:
        assert site.status().indicator == "maintenance"


MAINTENANCE = """
name: Upgrade
created_at: 2026-11-19T00:00:00Z
scheduled_for: 2026-11-22T10:00:00Z
scheduled_until: 2026-11-22T11:00:00Z
components: [rpc]
"""


@pytest.mark.parametrize("body", [b"", pytest.param(b"no database", marks=pytest.mark.slow)])
def test_publish_replaces_damaged_target_ledger(body: bytes, content: Path, tmp_path: Path) -> None:
    file, target = create(content, tmp_path / "site.zip"), tmp_path / "www"
    old = tmp_path / "old.zip"
    run("snapshot", "create", "--content", content, "--now", "2026-11-15T00:00:00Z", old)
    run("publish", file, "--to", target)
    ledger = target / LEDGER
    ledger.write_bytes(body)
    assert "--allow-older" in run("publish", old, "--to", target, code=3).output
    run("publish", file, "--to", target)
    ledger.write_bytes(body)
    run("publish", old, "--to", target, "--allow-older")
    assert run("publish", old, "--to", target).output.endswith("nothing changed\n")
