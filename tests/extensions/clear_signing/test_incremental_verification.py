"""Only what a change is about is judged again, and what is published has the bytes of a build that judges all of it."""

import json
import shutil
import sqlite3
from contextlib import closing

import pytest

from statuary.base.primitives import keccak256
from statuary.contracts.chain.merkle_trie import encode_rlp
from statuary.extensions.clear_signing import descriptors, examples
from statuary.extensions.clear_signing import verification as judged_folder
from statuary.extensions.clear_signing import verify as judge
from statuary.extensions.clear_signing.site_examples import SiteExamples
from statuary.extensions.clear_signing.verification_cache import VERDICTS
from support.signing_sites import (
    APPROVE,
    FACET,
    OTHER,
    PROXY,
    SEND,
    SEND_KEY,
    TOKEN,
    TOKEN_ABI,
    TOKEN_FILE,
    TRANSFER,
    build,
    descriptor,
    field,
    function,
    messages,
    record_path,
    signed_record,
    signing_content,
)
from support.sites import CHAIN, tree, write_files
from support.tiers import few_by_default

ENTITY = "registry/plinth"
OTHER_FILE, PROXY_FILE, BATCH_FILE, PERMIT_FILE, BROKEN_FILE = (
    f"{ENTITY}/{name}.json"
    for name in ("calldata-Other", "calldata-Proxy", "calldata-Batch", "eip712-Permit", "calldata-Broken")
)
SHARED_FILE, LATER_FILE = f"{ENTITY}/common-other.json", f"{ENTITY}/common-later.json"
BATCH_TESTS, TOKEN_TESTS = (f"{ENTITY}/testsv2/calldata-{name}.tests.json" for name in ("Batch", "Token"))
ATTESTED_FILE = f"{ENTITY}/sigs/calldata-Token.eip155-1-{OTHER}.json"
RUN = function("run", "address to", "bytes data")
RUN_KEY = "run(address to,bytes data)"
PERMIT = "Permit(address owner,address spender,uint256 value)"
OTHER_KEY = "approve(address spender,uint256 value)"


def word(number):
    return number.to_bytes(32, "big")


def transaction(to, data):
    chain = int(CHAIN).to_bytes(3, "big")
    return "0x" + encode_rlp([b"", b"\1", b"\1", bytes.fromhex(to[2:]), b"", data, chain, b"", b""]).hex()


SENT = keccak256(b"transfer(address,uint256)")[:4] + word(int(OTHER, 16)) + word(7)
RUNS = keccak256(b"run(address,bytes)")[:4] + word(int(TOKEN, 16)) + word(64) + word(len(SENT)) + SENT
RUNS += bytes(-len(SENT) % 32)


def case(of, to, data):
    return {"descriptor": f"../{of}", "tests": [{"description": "x", "rawTx": transaction(to, data)}]}


FILES = {
    TOKEN_FILE: descriptor(None, TOKEN),
    OTHER_FILE: descriptor({OTHER_KEY: {"fields": []}}, OTHER, includes="common-other.json"),
    SHARED_FILE: {"display": {"formats": {OTHER_KEY: {"intent": "Allow"}}}},
    PROXY_FILE: descriptor(None, PROXY),
    BATCH_FILE: descriptor(
        {RUN_KEY: {"intent": "Run", "fields": [field("data", "Call", "calldata", calleePath="to")]}}, FACET
    ),
    BATCH_TESTS: case("calldata-Batch.json", FACET, RUNS),
    TOKEN_TESTS: case("calldata-Token.json", TOKEN, SENT),
    PERMIT_FILE: messages({PERMIT: {"intent": "Permit", "fields": [field("value", "Sum")]}}, OTHER),
    BROKEN_FILE: descriptor(None, OTHER, includes="common-later.json"),
}
RECORDS = {
    TOKEN: signed_record(TOKEN_ABI, TOKEN),
    PROXY: signed_record([], PROXY, proxy="EIP1967Proxy", implementations=(TOKEN,)),
    OTHER: signed_record([APPROVE], OTHER),
    FACET: signed_record([RUN], FACET),
}
SAID = {"intent": "Move", "fields": SEND["fields"]}
THREE = [f"0x{number:040x}" for number in (1, 2)]

CHANGES = {
    # what changes: the descriptors that are judged, and those whose examples are rendered
    "a descriptor, which a call within a call shows too": (
        {TOKEN_FILE: descriptor({SEND_KEY: SAID}, TOKEN)},
        [TOKEN_FILE],
        [BATCH_FILE, TOKEN_FILE],
    ),
    "an included file": (
        {SHARED_FILE: {"display": {"formats": {OTHER_KEY: {"intent": "Permit spending"}}}}},
        [OTHER_FILE],
        [OTHER_FILE],
    ),
    "an included file that was missing": (
        {LATER_FILE: {"metadata": {"owner": "Plinth"}}},
        [BROKEN_FILE],
        [],
    ),
    "the record of one": (
        {f"../{record_path(FACET)}": signed_record([RUN, APPROVE], FACET)},
        [BATCH_FILE],
        [],
    ),
    "the implementation behind a proxy": (
        {f"../{record_path(TOKEN)}": signed_record([TRANSFER, APPROVE], TOKEN)},
        [PROXY_FILE, TOKEN_FILE],
        [],
    ),
    "a record that is removed": ({f"../{record_path(OTHER)}": None}, [OTHER_FILE, PERMIT_FILE], []),
    "a descriptor that is removed": ({TOKEN_FILE: None}, [], [BATCH_FILE]),
    "a second descriptor of a contract": (
        {f"{ENTITY}/calldata-Again.json": descriptor(None, TOKEN)},
        [f"{ENTITY}/calldata-Again.json"],
        [BATCH_FILE],
    ),
    "an example": ({TOKEN_TESTS: case("calldata-Token.json", TOKEN, SENT) | {"x": 1}}, [], [TOKEN_FILE]),
    "an example of another descriptor": (
        {TOKEN_TESTS: case("calldata-Proxy.json", PROXY, SENT)},
        [],
        [PROXY_FILE, TOKEN_FILE],
    ),
    "an attestation": ({ATTESTED_FILE: {"signer": OTHER}}, [], []),
    "more deployments than a descriptor's work allows": (
        {PROXY_FILE: descriptor(None, PROXY, *THREE)},
        [PROXY_FILE],
        [],
    ),
    "one file too many": (
        {f"{ENTITY}/calldata-A.json": descriptor(None, THREE[0])},
        [f"{ENTITY}/calldata-A.json"],
        [TOKEN_FILE],  # the last file is left out: its tests
    ),
}


class Calls:
    """The calls of a function, by the path of the descriptor that they are about."""

    def __init__(self, monkeypatch, owner, name, path_of):
        self.paths, own = [], getattr(owner, name)

        def counted(*arguments, **named):
            self.paths.append(path_of(arguments))
            return own(*arguments, **named)

        monkeypatch.setattr(owner, name, counted)


@pytest.fixture
def calls(monkeypatch):
    """The descriptors that are judged, whose examples are rendered, and the attestations that are checked."""
    monkeypatch.setattr(judge, "STEPS_OF_A_FORMAT", 4_000_000)  # two deployments of one format
    return (
        Calls(monkeypatch, judge, "_check_descriptor", lambda arguments: arguments[1]),
        Calls(monkeypatch, SiteExamples, "_render_examples", lambda arguments: arguments[1].path),
        Calls(monkeypatch, judged_folder, "_verify_attestation", lambda arguments: arguments[1]),
    )


def changed(content, files):
    written = {
        f"clear-signing/{path}".replace("clear-signing/../", ""): value
        if value is None or isinstance(value, bytes)
        else json.dumps(value)
        for path, value in files.items()
    }
    write_files(content, written)


def forget(site):
    """Make the next build judge all descriptors; documents and their history stay."""
    with closing(sqlite3.connect(site / ".statuary" / "ledger.sqlite3")) as ledger:
        assert ledger.execute("DELETE FROM notes WHERE name = ?", (VERDICTS,)).rowcount == 1
        ledger.commit()


def findings(result):
    return [
        (item.rule, item.message, item.path, item.pointer, item.position)
        for item in result.checked.all_findings
    ]


LATER = "2026-11-21T12:00:00Z"


@pytest.mark.parametrize("change", few_by_default(CHANGES, 4))
def test_changed_file_verifies_only_affected_descriptors(tmp_path, monkeypatch, calls, change):
    files, judged, rendered = CHANGES[change]
    content = signing_content(tmp_path, FILES, RECORDS)
    monkeypatch.setattr(descriptors, "MAX_FILES", len(FILES) + (change != "one file too many"))
    build(content, tmp_path / "site")
    published = {TOKEN_FILE, OTHER_FILE, PROXY_FILE, BATCH_FILE, PERMIT_FILE}
    assert set(calls[1].paths) == published
    shutil.copytree(tmp_path / "site", tmp_path / "whole")
    before = tree(tmp_path / "site")
    forget(tmp_path / "whole")
    changed(content, files)
    for counted in calls:
        counted.paths.clear()
    again = build(content, tmp_path / "site", LATER)
    assert sorted(calls[0].paths) == judged
    assert sorted(calls[1].paths) == rendered
    assert calls[2].paths == [path for path in files if path == ATTESTED_FILE]
    whole = build(content, tmp_path / "whole", LATER)
    assert len(calls[0].paths) > len(judged) + 3  # all of them
    assert tree(tmp_path / "site") == tree(tmp_path / "whole")
    assert tree(tmp_path / "site") != before
    assert findings(again) == findings(whole)


@pytest.mark.slow
def test_cached_descriptor_result_survives_two_builds(tmp_path, calls):
    """A descriptor that two builds left alone is what it was, and another setting judges all."""
    content = signing_content(tmp_path, FILES, RECORDS)
    build(content, tmp_path / "site")
    for text in ("Move", "Give"):
        changed(content, {PROXY_FILE: descriptor({SEND_KEY: SEND | {"intent": text}}, PROXY)})
        calls[0].paths.clear()
        build(content, tmp_path / "site", LATER)
        assert calls[0].paths == [PROXY_FILE]
    site = (content / "site.yaml").read_text("utf-8")
    write_files(
        content, {"site.yaml": site.replace("clear_signing: {}", "clear_signing: {unverified: publish}")}
    )
    calls[0].paths.clear()
    build(content, tmp_path / "site", LATER)
    assert len(calls[0].paths) == 6


@pytest.mark.slow
def test_descriptor_exception_is_not_cached(tmp_path, monkeypatch, calls):
    content = signing_content(tmp_path, FILES, RECORDS)
    with monkeypatch.context() as patch:
        own = judge._check_descriptor

        def failing(folder, path):
            if path == PROXY_FILE:
                raise ZeroDivisionError
            return own(folder, path)

        patch.setattr(judge, "_check_descriptor", failing)
        first = build(content, tmp_path / "site")
    assert "internal-error" in {item.rule for item in first.checked.all_findings}
    changed(content, {TOKEN_FILE: descriptor({SEND_KEY: SAID}, TOKEN)})
    calls[0].paths.clear()
    again = build(content, tmp_path / "site", LATER)
    assert sorted(calls[0].paths) == [PROXY_FILE, TOKEN_FILE]
    assert "internal-error" not in {item.rule for item in again.checked.all_findings}
    proofs = {path for path in tree(tmp_path / "site") if path.startswith("clear-signing/proof/")}
    assert any(PROXY.lower() in path for path in proofs)


def test_unchanged_build_retries_failed_descriptor(tmp_path, monkeypatch):
    content = signing_content(tmp_path, FILES, RECORDS)
    with monkeypatch.context() as patch:
        patch.setattr(judge, "_check_descriptor", lambda *_: 1 // 0)
        first = build(content, tmp_path / "site")
    assert "internal-error" in {item.rule for item in first.checked.all_findings}
    again = build(content, tmp_path / "site", LATER)
    assert "internal-error" not in {item.rule for item in again.checked.all_findings}
    assert f"clear-signing/{TOKEN_FILE}" in tree(tmp_path / "site")


def test_unchanged_build_retries_failed_signing_examples(tmp_path, monkeypatch):
    content = signing_content(tmp_path, FILES, RECORDS)
    path = f"clear-signing/examples/{BATCH_FILE}"
    with monkeypatch.context() as patch:
        patch.setattr(examples.Example, "render", lambda *_: 1 // 0)
        build(content, tmp_path / "site")
    assert json.loads(tree(tmp_path / "site")[path])["examples"] == []
    build(content, tmp_path / "site", LATER)
    assert json.loads(tree(tmp_path / "site")[path])["examples"]
