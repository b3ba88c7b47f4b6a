"""`statuary pack`: lines and sites to packs, what is wrong with lines, and reading."""

import json
from pathlib import Path

import orjson
import pytest
from click.testing import CliRunner, Result

from statuary import open_snapshot
from statuary.cli.main import command
from statuary.extensions.packs.commands import open_pack
from statuary.site.document import encode_unchecked
from support.contracts import made_record
from support.file_server import served
from support.packed_sites import require_zstd
from support.sites import build, record_of, site_of_many, tree


@pytest.fixture(autouse=True)
def _extra() -> None:
    require_zstd()


def run(*arguments: object, code: int = 0) -> Result:
    result = CliRunner().invoke(command, [str(argument) for argument in arguments])
    assert result.exit_code == code, result.output
    return result


def lines_of(count: int) -> list[bytes]:
    return [record_of(number).strip() for number in range(1, count + 1)]


def test_jsonl_pack_matches_site_pack(tmp_path: Path) -> None:
    content = site_of_many(tmp_path, 30)
    out = tmp_path / "build"
    assert build(content, out).checked.may_publish
    run("pack", "make", "--from", out, tmp_path / "site.pack")
    lines = sorted(lines_of(30), reverse=True)
    lines[3] = b"  " + json.dumps(json.loads(lines[3]), indent=None).encode() + b"\r"  # not canonical
    (tmp_path / "records.jsonl").write_bytes(b"\n\n".join(lines))
    run("pack", "make", "--from", tmp_path / "records.jsonl", tmp_path / "lines.pack")
    with open_pack(str(tmp_path / "site.pack")) as site, open_pack(str(tmp_path / "lines.pack")) as records:
        of_site = dict(site.documents())
        of_lines = dict(records.documents())
    assert len(of_lines) == 30
    assert {key: of_site[key] for key in of_lines} == of_lines
    names = {
        name.lower(): body for name, body in tree(out).items() if name.startswith(("v2/contract/", "proof/"))
    }
    assert of_site == {name: body for name, body in names.items() if "0x" in name}
    assert any(key.startswith("proof/") for key in of_site)


def test_line_order_does_not_change_pack(tmp_path: Path) -> None:
    lines = lines_of(40)
    (tmp_path / "a.jsonl").write_bytes(b"\n".join(lines))
    (tmp_path / "b.ndjson").write_bytes(b"\n".join(lines[25:]))
    (tmp_path / "c.jsonl").write_bytes(b"\n".join(lines[24::-1]))
    run("pack", "make", "--from", tmp_path / "a.jsonl", "--workers", 1, tmp_path / "one.pack")
    both = ["--from", tmp_path / "b.ndjson", "--from", tmp_path / "c.jsonl"]
    run("pack", "make", *both, "--workers", 5, tmp_path / "two.pack")
    assert (tmp_path / "one.pack").read_bytes() == (tmp_path / "two.pack").read_bytes()


def test_pack_make_reports_all_errors(tmp_path: Path) -> None:
    lines = lines_of(3)
    wrong = orjson.loads(lines[2]) | {"chainId": "x"}
    typed = orjson.loads(lines[2]) | {"abi": 7}
    texts = [
        lines[0],
        b"{",
        lines[1],
        lines[0],
        orjson.dumps(wrong),
        b'{"a":1,"a":2}',
        orjson.dumps(typed),
        b"[]",
    ]
    file = tmp_path / "records.jsonl"
    file.write_bytes(b"\n".join(texts) + b"\n")
    result = run("pack", "make", "--from", file, tmp_path / "a.pack", code=1)
    starts = {line.rpartition(": error:")[0].rpartition(":")[0] for line in result.output.splitlines()}
    assert {f"{file}:{line}" for line in (2, 4, 5, 6, 7, 8)} <= starts, result.output
    assert "6 lines cannot be used" in result.output
    assert f"is also on {file}:1" in result.output
    assert "no pack was written" in result.output
    assert "Traceback" not in result.output
    assert not (tmp_path / "a.pack").exists()


@pytest.mark.parametrize(
    ("arguments", "code", "said"),
    [
        (["--from", "a.jsonl", "out.zip"], 2, "must end with .pack"),
        (["--from", "a.jsonl", "--from", "site", "out.pack"], 2, "name either files"),
        (["--from", "nothing.jsonl", "out.pack"], 3, "nothing.jsonl cannot be read"),
        (["--from", "nothing", "out.pack"], 3, "nothing cannot be read"),
    ],
)
def test_pack_make_reports_invalid_source(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, arguments: list[str], code: int, said: str
) -> None:
    monkeypatch.chdir(tmp_path)
    result = run("pack", "make", *arguments, code=code)
    assert said in result.output + result.stderr
    assert tree(tmp_path) == {}


@pytest.fixture
def pack(tmp_path: Path) -> Path:
    (tmp_path / "records.jsonl").write_bytes(b"\n".join(lines_of(20)))
    run("pack", "make", "--from", tmp_path / "records.jsonl", tmp_path / "site" / "a.pack")
    return tmp_path / "site" / "a.pack"


def test_pack_verify_reports_missing_pack_and_checks_others(tmp_path: Path) -> None:
    for number in (1, 2):
        (tmp_path / "some.jsonl").write_bytes(record_of(number))
        run("pack", "update", "--from", tmp_path / "some.jsonl", tmp_path / "site")
    first, second = json.loads((tmp_path / "site/packs/packs.json").read_bytes())["packs"]
    (tmp_path / "site/packs" / first["path"]).unlink()
    missing, intact = run("pack", "verify", tmp_path / "site", code=1).output.splitlines()
    assert missing == f"{first['path']} is missing"
    assert intact.endswith(second["sha256"])


def test_pack_verify_reports_empty_list(tmp_path: Path) -> None:
    (tmp_path / "none.jsonl").write_bytes(b"")
    run("pack", "update", "--from", tmp_path / "none.jsonl", tmp_path / "site")
    assert (
        run("pack", "verify", tmp_path / "site").output
        == f"{tmp_path}/site has no packs: its list is empty\n"
    )


def test_pack_verify_and_read_detect_damage(pack: Path) -> None:
    assert "20 documents and 0 removals" in run("pack", "verify", pack).output
    found = json.loads(run("pack", "verify", pack, "--format", "json").output)
    assert (found["whole"], found["documents"], found["problems"]) == (True, 20, [])
    record = orjson.loads(record_of(4))
    path = f"v2/contract/{record['chainId']}/{record['address']}"
    for name in (path, path.lower(), f"/{path}"):
        assert run("pack", "read", pack, name).stdout_bytes == encode_unchecked(record)
    assert "does not have v2/" in run("pack", "read", pack, path[:-2] + "00", code=1).stderr
    assert "not a path" in run("pack", "read", pack, "../x", code=3).stderr
    whole = pack.read_bytes()
    pack.write_bytes(whole[:200] + bytes([whole[200] ^ 1]) + whole[201:])
    assert "is damaged" in run("pack", "verify", pack, code=1).output
    pack.write_bytes(whole[:-1])
    assert "is cut off" in run("pack", "verify", pack, code=3).stderr


def test_pack_is_read_over_http(pack: Path) -> None:
    record = orjson.loads(record_of(4))
    path = f"v2/contract/{record['chainId']}/{record['address']}"
    with served(pack.parent) as (url, _):
        assert run("pack", "read", f"{url}/a.pack", path).stdout_bytes == encode_unchecked(record)
        assert "20 documents" in run("pack", "verify", f"{url}/a.pack").output
        assert "404" in run("pack", "read", f"{url}/b.pack", path, code=3).stderr
    with served(pack.parent, ranges=False) as (url, _):
        refused = run("pack", "read", f"{url}/a.pack", path, code=3).stderr
        assert "does not support ranges" in refused
        assert "download the file first" in refused


def test_open_snapshot_reads_contracts_from_pack(pack: Path) -> None:
    with served(pack.parent) as (url, _):
        for location in (pack, f"{url}/a.pack"):
            with open_snapshot(location) as site:
                assert len([*site.contracts()]) == 20
                record = orjson.loads(record_of(4))
                contract = site.contract(record["chainId"], record["address"])
                assert contract.record == record
                with pytest.raises(LookupError):
                    site.contract(1, "0x" + "5" * 40)
                with pytest.raises(LookupError):
                    site.read("../x")


def test_packed_record_is_found_by_address(tmp_path: Path) -> None:
    record = made_record(chain_id="5")
    (tmp_path / "a.jsonl").write_bytes(orjson.dumps(record))
    run("pack", "make", "--from", tmp_path / "a.jsonl", tmp_path / "a.pack")
    path = f"v2/contract/5/{record['address']}"
    assert orjson.loads(run("pack", "read", tmp_path / "a.pack", path).stdout_bytes) == record


def test_pack_update_adds_removes_and_merges(tmp_path: Path) -> None:
    lines, folder = lines_of(60), tmp_path / "site"
    for name, part in (("base", lines[:50]), ("more", lines[50:]), ("one", lines[3:4])):
        (tmp_path / f"{name}.jsonl").write_bytes(b"\n".join(part))
    keys = [f"v2/contract/{json.loads(line)['chainId']}/{json.loads(line)['address']}" for line in lines]
    run("pack", "update", "--from", tmp_path / "base.jsonl", folder)
    (base,) = (folder / "packs/data").iterdir()
    (tmp_path / "gone.txt").write_text(f"{keys[1]}\n{keys[3]}\n")
    assert "2 packs of 2 runs" in run("pack", "update", "--from", tmp_path / "more.jsonl", folder).output
    assert "3 packs of 3 runs" in run("pack", "update", "--remove", tmp_path / "gone.txt", folder).output
    run("pack", "read", folder, keys[3], code=1)
    run("pack", "update", "--from", tmp_path / "one.jsonl", folder)
    assert base.is_file()
    for _ in range(2):
        assert run("pack", "read", folder, keys[0]).stdout_bytes == lines[0]
        assert run("pack", "read", folder, keys[55]).stdout_bytes == lines[55]
        assert run("pack", "read", folder, keys[3]).stdout_bytes == lines[3]
        run("pack", "read", folder, keys[1], code=1)
        assert "whole" in run("pack", "verify", folder).output
        assert "1 pack of 1 run," in run("pack", "merge", folder).output
    (pack,) = (folder / "packs/data").iterdir()
    run("pack", "make", "--from", tmp_path / "base.jsonl", tmp_path / "a.pack")
    pack.write_bytes((tmp_path / "a.pack").read_bytes())
    assert "is damaged" in run("pack", "verify", folder, code=1).output
    run("pack", "read", folder, keys[0], code=3)
    run("pack", "verify", tmp_path, code=3)


def test_pack_update_rejects_adding_removed_record(tmp_path: Path) -> None:
    (tmp_path / "a.jsonl").write_bytes(b"\n".join(lines_of(3)))
    run("pack", "update", "--from", tmp_path / "a.jsonl", tmp_path)
    before = tree(tmp_path)
    record = orjson.loads(lines_of(3)[2])
    (tmp_path / "gone.txt").write_text(f"v2/contract/{record['chainId']}/{record['address']}")
    refused = run(
        "pack", "update", "--from", tmp_path / "a.jsonl", "--remove", tmp_path / "gone.txt", tmp_path, code=3
    )
    assert "is in a file of --from and in the file of --remove" in refused.stderr
    assert {**before, "gone.txt": tree(tmp_path)["gone.txt"]} == tree(tmp_path)


def test_pack_error_shows_path_as_typed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    address = "0x" + "11" * 20
    lines = [{"chainId": number, "address": address, "compilation": {}} for number in "12"]
    Path("a.jsonl").write_bytes(b"".join(orjson.dumps(line) + b"\n" for line in lines))
    said = run("pack", "make", "--from", "a.jsonl", "a.pack", code=1).stderr
    assert said.count("a.jsonl:1:1: error: key ") == said.count("a.jsonl:2:1: error: key ") > 5
    assert "/a.jsonl" not in said
    assert "--format json" not in said
    assert "2 lines cannot be used; no pack was written" in said


@pytest.mark.parametrize(
    ("text", "said"),
    [
        (
            b"v2/contract/1/0x" + b"a" * 40 + b"\n../x\nv2/contract/1/0xzz\n",
            ("gone.txt:2:1:", "gone.txt:3:1:"),
        ),
        (b"v2/\xff\n", ("gone.txt:1:4:", "not UTF-8")),
    ],
)
def test_invalid_pack_removal_line_changes_nothing(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, text: bytes, said: tuple[str, ...]
) -> None:
    monkeypatch.chdir(tmp_path)
    Path("a.jsonl").write_bytes(b"\n".join(lines_of(3)))
    run("pack", "update", "--from", "a.jsonl", "site")
    Path("gone.txt").write_bytes(text)
    before = tree(tmp_path)
    output = run("pack", "update", "--remove", "gone.txt", "site", code=1).stderr
    assert all(part in output for part in said), output
    assert "defect" not in output
    assert tree(tmp_path) == before


def test_pack_update_without_changes_fails(tmp_path: Path) -> None:
    assert (
        "name the records to add with --from, the paths to remove with --remove, or both"
        in run("pack", "update", tmp_path, code=2).stderr
    )
    absent = run("pack", "update", "--remove", tmp_path / "gone.txt", tmp_path, code=3).stderr
    assert "gone.txt cannot be read" in absent


@pytest.mark.parametrize("language", ["python", "javascript"])
def test_pack_reader_command_prints_source_code(language: str) -> None:
    assert "packs/packs.json" in run("pack", "reader", language).output
