"""The signatures of a site: its shards, its statistics and the files that tools read, and what a build makes again."""

import json
from collections.abc import Iterator
from pathlib import Path

import orjson
import pytest

from statuary.contracts.model.abi import signature_hash
from statuary.extensions.apis.declarations import Declarations
from statuary.extensions.apis.signatures import (
    collect_signatures,
    iter_signature_documents,
    parse_signature_list,
)
from support.contracts import made_record
from support.sites import CHAIN, NOW, address_of, build, built_files, files_in, path_of, site_of_many

TRANSFER = "Transfer(address,address,uint256)"
DECLARED = "Transfer(address indexed from, address indexed to, uint256 value)"
CLASHING = "many_msg_babbage(bytes1)"
"""It has the selector of `transfer(address,uint256)`."""

FOLDERS = ("signature-database/", "abis/")


def of(*declarations: Declarations, public: tuple[str, ...] = ()) -> dict[str, bytes]:
    site = collect_signatures((one.encode() for one in declarations), public)
    return {one.path: one.body for one in iter_signature_documents(site, "2026-01-01T00:00:00.000Z")}


def test_signature_shard_lists_canonical_signature_first():
    documents = of(Declarations(("transfer(address,uint256)",)), public=(CLASHING,))
    assert signature_hash(CLASHING)[:10] == "0xa9059cbb"
    assert json.loads(documents["signature-database/shards/function/a9.json"]) == {
        "0xa9059cbb": [
            {"name": "transfer(address,uint256)", "filtered": False, "hasVerifiedContract": True},
            {"name": CLASHING, "filtered": True, "hasVerifiedContract": False},
        ]
    }


def test_signature_has_selector_and_topic_hash():
    documents = of(Declarations(("f()",), ("Bad()",), ((TRANSFER, DECLARED),)))
    for text in ("f()", "Bad()", TRANSFER):
        digest = signature_hash(text)
        for kind, key in (("function", digest[:10]), ("event", digest)):
            shard = json.loads(documents[f"signature-database/shards/{kind}/{key[2:4]}.json"])
            assert [one["name"] for one in shard[key]] == [text]


def test_signature_statistics_count_each_signature_once():
    documents = of(Declarations(("f()",), ("f()",)), Declarations(("f()",)), public=("f()", "g()"))
    stats = json.loads(documents["signature-database/v1/stats"])
    assert stats == {
        "ok": True,
        "result": {
            "count": {"function": 1, "event": 0, "error": 1, "unknown": 1, "total": 2},
            "metadata": {"refreshed_at": "2026-01-01T00:00:00.000Z"},
        },
    }


def test_foundry_file_maps_hash_to_signature():
    documents = of(
        Declarations(("transfer(address,uint256)",), ("Bad()",), ((TRANSFER, DECLARED),)),
        public=(CLASHING, "g()"),
    )
    foundry = json.loads(documents["signature-database/files/foundry.json"])
    functions = {"0xa9059cbb": "transfer(address,uint256)", signature_hash("g()")[:10]: "g()"}
    assert foundry == {
        "functions": functions,
        "errors": {signature_hash("Bad()")[:10]: "Bad()"},
        "events": {signature_hash(TRANSFER): DECLARED},
    }
    clef = json.loads(documents["signature-database/files/4byte-custom.json"])
    assert clef == {key[2:]: text for key, text in functions.items()}


def test_signature_list_ignores_contract_order():
    one = Declarations(("f()",), (), ((TRANSFER, DECLARED),))
    other = Declarations(("g()",), (), ((TRANSFER, TRANSFER),))
    assert of(one, other) == of(other, one, one)


@pytest.mark.parametrize(
    ("line", "text"),
    [
        ("f()", "f()"),
        ("  function f(uint256,(bool,bytes)[2])  ", "f(uint256,(bool,bytes)[2])"),
        ("event E(address)\r", "E(address)"),
        ("f(uint256 a)", None),
        ("f", None),
        ("<script>()", None),
        ("f()\x00", None),
        ("f(" + "uint8," * 1000 + "uint8)", None),
        ("é()", None),
    ],
)
def test_public_signature_lines_are_parsed(line, text):
    assert list(parse_signature_list(f"# a note\n\n{line}\n")) == [(3, text)]


def content_with(root: Path, count: int, apis: str = "[signatures]") -> Path:
    content = site_of_many(root, count)
    with (content / "site.yaml").open("a") as file:
        file.write(f"apis: {apis}\n")
    return content


def apis_in(files: dict[str, bytes]) -> dict[str, bytes]:
    return {path: body for path, body in files.items() if path.startswith(FOLDERS)}


def changed_abi(number: int) -> bytes:
    """Return a record with one more function than its code shows."""
    record = made_record() | {"chainId": CHAIN, "matchId": str(number)}
    abi = [*record["abi"], {"type": "function", "name": "added", "inputs": [], "outputs": []}]
    return orjson.dumps(record | {"address": address_of(number), "abi": abi})


@pytest.mark.slow
def test_second_build_rewrites_no_signature_document(tmp_path):
    content, out = content_with(tmp_path, 3), tmp_path / "out"
    files = apis_in(built_files(content, out))
    assert len([path for path in files if path.startswith("abis/")]) == 6
    record = orjson.loads((content / path_of(1)).read_bytes())
    assert orjson.loads(files[f"abis/{path_of(1).removeprefix('contracts/')}"]) == record["abi"]
    before = {path: (out / path).stat().st_mtime_ns for path in files}
    assert apis_in(built_files(content, out, "2026-11-20T13:00:00Z")) == files
    assert {path: (out / path).stat().st_mtime_ns for path in files} == before


@pytest.mark.slow
def test_unchanged_contracts_rebuild_no_signature_document(tmp_path, monkeypatch):
    content, out = content_with(tmp_path, 3), tmp_path / "out"
    built_files(content, out)

    def fail(*_: object) -> None:
        raise AssertionError("it was made again")

    monkeypatch.setattr("statuary.extensions.apis.site_documents.iter_signature_documents", fail)
    monkeypatch.setattr("statuary.extensions.apis.documents.parse_declarations", fail)
    built_files(content, out)
    incident = content / "incidents/slow.yaml"
    incident.write_text(incident.read_text().replace("Slow", "Very slow"))
    built_files(content, out)


@pytest.mark.slow
def test_incremental_build_gives_same_signature_documents(tmp_path):
    content, out = content_with(tmp_path, 4), tmp_path / "out"
    with (content / "site.yaml").open("a") as file:
        file.write("contracts: {publish: all}\n")
    build(content, out)
    (content / path_of(2)).write_bytes(changed_abi(2))
    (content / path_of(3)).unlink()
    (content / "signatures.txt").write_text("later()\n")
    build(content, out)
    build(content, tmp_path / "new")
    first, again = apis_in(files_in(out)), apis_in(files_in(tmp_path / "new"))
    assert first == again
    assert b"added()\n" not in first["signature-database/files/names.txt"]
    assert b"later()\n" in first["signature-database/files/names.txt"]


@pytest.mark.slow
def test_missing_signature_document_is_rebuilt(tmp_path):
    content, out = content_with(tmp_path, 2), tmp_path / "out"
    files = apis_in(built_files(content, out))
    for path in ("signature-database/files/names.txt", f"abis/{path_of(1).removeprefix('contracts/')}"):
        (out / path).unlink()
        assert apis_in(built_files(content, out)) == files


@pytest.mark.slow
def test_disabled_signatures_removes_documents(tmp_path):
    content, out = content_with(tmp_path, 2), tmp_path / "out"
    built_files(content, out)
    site = content / "site.yaml"
    site.write_text(site.read_text().replace("apis: [signatures]\n", ""))
    assert not apis_in(built_files(content, out))


def test_invalid_signature_line_is_skipped(tmp_path):
    content, out = content_with(tmp_path, 1), tmp_path / "out"
    (content / "signatures.txt").write_text("good()\nnot one\n")
    result = build(content, out, NOW)
    assert result.applied
    [finding] = [one for one in result.checked.all_findings if one.rule == "invalid-signature-list"]
    assert (finding.path.rpartition("/")[2], finding.position.line) == ("signatures.txt", 2)
    assert (out / "signature-database/files/names.txt").read_text().splitlines().count("good()") == 1


def test_signature_exception_keeps_previous_documents(tmp_path, monkeypatch):
    content, out = content_with(tmp_path, 2), tmp_path / "out"
    built_files(content, out)
    names = out / "signature-database/files/names.txt"
    before = names.read_bytes()
    (content / "signatures.txt").write_text("later()\n")
    with monkeypatch.context() as broken:
        broken.setattr("statuary.extensions.apis.site_documents.iter_signature_documents", lambda *_: 1 // 0)
        result = build(content, out)
        assert result.applied
        assert names.read_bytes() == before
    built_files(content, out)
    assert b"later()" in names.read_bytes()


@pytest.mark.slow
@pytest.mark.parametrize("broken", ["parse_declarations", "_iter_api_documents"])
def test_signature_exception_skips_only_its_record(tmp_path, monkeypatch, broken):
    content, out = content_with(tmp_path, 2), tmp_path / "out"

    def fail(*_: object) -> Iterator[object]:
        yield 1 // 0

    with monkeypatch.context() as defect:
        defect.setattr(
            f"statuary.extensions.apis.documents.{broken}", fail if broken == "_iter_api_documents" else 0
        )
        result = build(content, out)
    served = files_in(out)
    assert result.applied
    assert {f"v2/contract/{CHAIN}/{address_of(number)}" for number in (1, 2)} <= set(served)
    assert not [path for path in served if path.startswith("abis/")]
    defects = [finding for finding in result.checked.all_findings if finding.rule == "internal-error"]
    assert [defect.path.rpartition("contracts/")[2] for defect in defects] == [
        path_of(number).removeprefix("contracts/") for number in (1, 2)
    ]
    assert apis_in(built_files(content, out)) == apis_in(built_files(content, tmp_path / "new"))
