"""What a build does again, and what a defect in clear signing leaves as it was."""

import json
import subprocess
import sys

import pytest

from statuary.extensions.clear_signing import documents, examples
from support.signing_sites import (
    APPROVE,
    OTHER,
    PROXY,
    SEND,
    SEND_KEY,
    TOKEN,
    TOKEN_ABI,
    TOKEN_FILE,
    TRANSFER,
    build,
    built_again,
    descriptor,
    function,
    indexed,
    record_path,
    signed_record,
    signing_content,
)
from support.sites import CHAIN, tree, write_files
from support.tiers import few_by_default

KEY = f"eip155:{CHAIN}:{TOKEN.lower()}"
TESTS = "registry/plinth/testsv2/calldata-Token.tests.json"
RECORDS = {
    TOKEN: signed_record(TOKEN_ABI, TOKEN),
    PROXY: signed_record([], PROXY, proxy="EIP1967Proxy", implementations=(TOKEN,)),
    OTHER: signed_record([APPROVE], OTHER),
}
INCIDENT = """
name: Slow
components: {rpc: degraded_performance}
updates:
  - {at: 2026-11-20T10:00:00Z, status: investigating, body: Slow.}
"""
WARNED = {SEND_KEY: SEND, "deposit()": {"intent": "Deposit", "fields": []}}


@pytest.fixture
def content(tmp_path):
    files = {TOKEN_FILE: descriptor(WARNED, TOKEN, PROXY), TESTS: {"descriptor": "../calldata-Token.json"}}
    return signing_content(tmp_path, files, RECORDS)


@pytest.fixture
def judged(monkeypatch):
    """The number of times that the descriptors were judged."""
    times = []

    def counted(*arguments):
        times.append(1)
        return own(*arguments)

    own = documents.verify_site_descriptors
    monkeypatch.setattr(documents, "verify_site_descriptors", counted)
    return times


def signing_files(out):
    return {path: body for path, body in tree(out).items() if path.startswith("clear-signing/")}


def findings(result):
    return [(item.rule, item.message, item.path, item.position) for item in result.checked.all_findings]


def test_unchanged_build_reuses_descriptor_findings(tmp_path, content, judged):
    first = build(content, tmp_path / "site")
    again = build(content, tmp_path / "site")
    assert len(judged) == 1
    assert again.plan.is_empty
    assert findings(again) == findings(first)
    assert "payable" in str(findings(again))
    third = build(content, tmp_path / "site")
    assert (len(judged), findings(third)) == (1, findings(first))


@pytest.mark.slow
def test_new_incident_verifies_no_descriptor(tmp_path, content, judged):
    build(content, tmp_path / "site")
    before = signing_files(tmp_path / "site")
    assert len(before) > 5
    write_files(content, {"incidents/slow.yaml": INCIDENT})
    result = build(content, tmp_path / "site")
    assert result.applied
    assert not result.plan.is_empty
    assert len(judged) == 1
    assert signing_files(tmp_path / "site") == before


CHANGES = {
    "a descriptor": {f"clear-signing/{TOKEN_FILE}": json.dumps(descriptor())},
    "another descriptor": {
        "clear-signing/registry/plinth/calldata-Other.json": json.dumps(descriptor(None, OTHER))
    },
    "an example": {f"clear-signing/{TESTS}": json.dumps({"descriptor": "../calldata-Token.json", "x": 1})},
    "the record": {record_path(TOKEN): signed_record([TRANSFER, APPROVE], TOKEN)},
    "what the proxy delegates to": {
        record_path(PROXY): signed_record([], PROXY, proxy="EIP1967Proxy", implementations=(OTHER,))
    },
    "a record that is removed": {record_path(TOKEN): None},
}


@pytest.mark.slow
@pytest.mark.parametrize("change", few_by_default(CHANGES, 3))
def test_changed_descriptor_input_is_verified_again(tmp_path, content, judged, change):
    build(content, tmp_path / "site")
    write_files(content, CHANGES[change])
    again = built_again(content, tmp_path / "site", now="2026-11-21T12:00:00Z")
    assert len(judged) == 2
    fresh = built_again(content, tmp_path / "fresh", now="2026-11-21T12:00:00Z")
    assert indexed(again) == indexed(fresh)


@pytest.mark.slow
def test_changed_unrelated_record_verifies_no_descriptor(tmp_path, content, judged):
    build(content, tmp_path / "site")
    changed = signed_record([APPROVE, function("burn", "uint256 value")], OTHER)
    write_files(content, {record_path(OTHER): changed})
    result = build(content, tmp_path / "site")
    assert result.applied
    assert len(judged) == 1


@pytest.mark.slow
def test_new_record_verifies_waiting_descriptor(tmp_path, judged):
    content = signing_content(tmp_path, {TOKEN_FILE: descriptor()}, {OTHER: RECORDS[OTHER]})
    assert indexed(built_again(content, tmp_path / "site")) == set()
    write_files(content, {record_path(TOKEN): RECORDS[TOKEN]})
    assert indexed(built_again(content, tmp_path / "site")) == {KEY}
    assert len(judged) == 2


def test_changed_setting_verifies_all_descriptors(tmp_path, judged):
    content = signing_content(tmp_path, {TOKEN_FILE: descriptor(None, PROXY)}, {})
    assert indexed(built_again(content, tmp_path / "site")) == set()
    site = (content / "site.yaml").read_text("utf-8")
    write_files(
        content, {"site.yaml": site.replace("clear_signing: {}", "clear_signing: {unverified: publish}")}
    )
    assert indexed(built_again(content, tmp_path / "site")) != set()
    assert len(judged) == 2


@pytest.mark.slow
def test_missing_descriptor_document_is_rebuilt(tmp_path, content):
    first = build(content, tmp_path / "site")
    assert first.applied
    before = signing_files(tmp_path / "site")
    (tmp_path / "site" / "clear-signing" / "index.calldata.json").unlink()
    (tmp_path / "site" / "clear-signing" / TOKEN_FILE).unlink()
    build(content, tmp_path / "site")
    assert signing_files(tmp_path / "site") == before


@pytest.mark.slow
def test_removed_descriptors_remove_their_documents(tmp_path, content):
    build(content, tmp_path / "site")
    for path in (TOKEN_FILE, TESTS):
        (content / "clear-signing" / path).unlink()
    build(content, tmp_path / "site")
    assert signing_files(tmp_path / "site") == {}


@pytest.mark.parametrize("error", few_by_default([ValueError("x"), MemoryError(), RecursionError()], 1))
@pytest.mark.parametrize(
    "name",
    few_by_default(
        ["proof_document", "verify_site_descriptors", "encode_calldata_index", "verification_summary_line"], 2
    ),
)
def test_exception_keeps_previous_signing_documents(tmp_path, content, monkeypatch, name, error):
    build(content, tmp_path / "site")
    before = signing_files(tmp_path / "site")

    def failing(*_arguments, **_named):
        raise error

    monkeypatch.setattr(documents, name, failing)
    changed = descriptor({SEND_KEY: SEND}, TOKEN)
    write_files(
        content, {"incidents/slow.yaml": INCIDENT, f"clear-signing/{TOKEN_FILE}": json.dumps(changed)}
    )
    result = build(content, tmp_path / "site")
    assert result.applied
    assert "extension-error" in {item.rule for item in result.checked.all_findings}
    site = tree(tmp_path / "site")
    assert b"Slow" in site["api/v2/summary.json"]
    assert f"v2/contract/{CHAIN}/{TOKEN}" in site or any(TOKEN in path for path in site)
    assert {path: body for path, body in site.items() if path.startswith("clear-signing/")} == before
    monkeypatch.undo()
    later = built_again(content, tmp_path / "site")
    assert indexed(later) == {KEY}


@pytest.mark.slow
def test_descriptor_exception_still_publishes_contracts(tmp_path, content, monkeypatch):
    monkeypatch.setattr(documents, "verify_site_descriptors", lambda *_: 1 // 0)
    result = build(content, tmp_path / "site")
    assert result.applied
    site = tree(tmp_path / "site")
    assert not [path for path in site if path.startswith("clear-signing/")]
    assert any(path.startswith("proof/") and TOKEN in path for path in site)


def test_exception_in_signing_example_skips_examples(tmp_path, content, monkeypatch):
    def failing(*_arguments):
        raise ZeroDivisionError

    monkeypatch.setattr(examples.Example, "render", failing)
    case = {"description": "x", "rawTx": "0x", "data": {"primaryType": "X"}}
    tests = {"descriptor": "../calldata-Token.json", "tests": [case]}
    write_files(content, {f"clear-signing/{TESTS}": json.dumps(tests)})
    site = built_again(content, tmp_path / "site")
    assert indexed(site) == {KEY, f"eip155:{CHAIN}:{PROXY.lower()}"}
    assert site[f"examples/{TOKEN_FILE}"]["examples"] == []


BUILD = """
import sys
from pathlib import Path
sys.path.insert(0, "tests")
from support.signing_sites import build
build(Path(sys.argv[1]), Path(sys.argv[2]))
print(*[name for name in sys.modules if name.startswith("statuary.extensions.clear_signing")])
"""


def loaded(content, out):
    command = [sys.executable, "-c", BUILD, str(content), str(out)]
    return set(subprocess.run(command, check=True, capture_output=True, text=True).stdout.split())


@pytest.mark.slow
def test_unneeded_signing_modules_are_not_imported(tmp_path, content):
    judging = {
        f"statuary.extensions.clear_signing.{name}" for name in ("verify", "rules", "records", "render")
    }
    assert loaded(content, tmp_path / "site") >= judging
    assert not loaded(content, tmp_path / "site") & judging
    for path in (TOKEN_FILE, TESTS):
        (content / "clear-signing" / path).unlink()
    assert not loaded(content, tmp_path / "none") & judging  # without descriptors nothing is judged
    site = (content / "site.yaml").read_text("utf-8")
    write_files(content, {"site.yaml": site.replace("clear_signing: {}", "")})
    assert loaded(content, tmp_path / "other") == set()
