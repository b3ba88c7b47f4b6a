"""What each document of explorers, tools and wallets says of a record that is contradicted: never that it is verified."""

import json
from collections.abc import Iterator
from functools import cache
from hashlib import sha256
from pathlib import Path
from typing import Any, NamedTuple

import orjson
import pytest
import yaml

from statuary.base.primitives import checksum_address
from statuary.contracts.model.proxy_detection import proxy_slots
from statuary.contracts.model.record import sort_members_as_served
from statuary.contracts.sources.evidence import encode_anchor
from statuary.site.document import encode_unchecked
from statuary.site.url_table import match_url
from support.made_anchors import anchor_of
from support.signing_sites import (
    APPROVE,
    OTHER,
    PROXY,
    SLOTS,
    TOKEN,
    TOKEN_ABI,
    TOKEN_FILE,
    build,
    descriptor,
    record_path,
    signed_record,
    signing_content,
)
from support.sites import CHAIN, tree, write_files
from support.tiers import few_by_default

OTHER_CODE = "0x33ff"
UPGRADED = checksum_address("0x" + "ee" * 20)
APIS = "apis: [etherscan, blockscout, otterscan, signatures, code, proxies]\n"
SLOT = proxy_slots("EIP1967Proxy", PROXY)[0]
PROXY_FUNCTION = APPROVE | {"name": "upgradeNow"}


def proxy_record() -> dict[str, Any]:
    """Return the record of a proxy whose code reads the slot and calls what is in it."""
    slot = SLOT.removeprefix("0x")
    with pytest.MonkeyPatch.context() as patch:
        patch.setitem(SLOTS, "EIP1967Proxy", f"{slot}545af4")
        record = signed_record([PROXY_FUNCTION], PROXY, proxy="EIP1967Proxy", implementations=(TOKEN,))
    return dict(sort_members_as_served(orjson.loads(record)))


def with_anchor(code: str = "", **given: Any) -> dict[str, bytes]:
    """Return the proxy's record with a proof of the code at its address, by default its own."""
    record = proxy_record()
    digest = sha256(encode_unchecked(record)).hexdigest()
    anchor = anchor_of(digest, PROXY, code or record["runtimeBytecode"]["onchainBytecode"], **given)
    path = record_path(PROXY)
    return {
        path: orjson.dumps(record),
        f"{path.removesuffix('.json')}/anchor.json": encode_anchor(anchor),
    }


def with_slot(address: str) -> dict[str, bytes]:
    """Return the proxy's record with a proof of what its slot holds."""
    slots = dict.fromkeys(proxy_slots("EIP1967Proxy", PROXY), 0)
    return with_anchor(slots=slots | {SLOT: int(address, 16)})


def with_runtime_code() -> dict[str, bytes]:
    record = proxy_record()
    record |= {"runtimeMatch": None}
    record["runtimeBytecode"] |= {
        "onchainBytecode": OTHER_CODE,
        "transformations": None,
        "transformationValues": None,
    }
    record["proxyResolution"] = {"isProxy": False, "proxyType": None, "implementations": []}
    return {record_path(PROXY): orjson.dumps(record)}


def rejected() -> dict[str, bytes]:
    record = proxy_record()
    next(iter(record["sources"].values()))["content"] += "// more\n"
    return {record_path(PROXY): orjson.dumps(record)}


def without_runtime_code() -> dict[str, bytes]:
    """Return the proxy's record, which says that the address has no code."""
    files = with_runtime_code()
    record = orjson.loads(files[record_path(PROXY)])
    record["runtimeBytecode"]["onchainBytecode"] = "0x"
    return {record_path(PROXY): orjson.dumps(record)}


KINDS = {
    "code changed": lambda: with_anchor(OTHER_CODE),
    "code gone": lambda: with_anchor("0x"),
    "slot changed": lambda: with_slot(UPGRADED),
    "runtime code differs": with_runtime_code,
    "no runtime code": without_runtime_code,
    "rejected": rejected,
}


def test_rejected_proxy_record_publishes_no_functions(tmp_path):
    """Another slot is said of a record that fails its checks too, but nothing in it is passed on."""
    files = with_slot(UPGRADED)
    path = record_path(PROXY)
    record = orjson.loads(files[path])
    next(iter(record["sources"].values()))["content"] += "// more\n"
    digest = sha256(encode_unchecked(sort_members_as_served(record))).hexdigest()
    slots = dict.fromkeys(proxy_slots("EIP1967Proxy", PROXY), 0) | {SLOT: int(UPGRADED, 16)}
    anchor = anchor_of(digest, PROXY, record["runtimeBytecode"]["onchainBytecode"], slots=slots)
    files = {path: orjson.dumps(record), f"{path.removesuffix('.json')}/anchor.json": encode_anchor(anchor)}
    site = site_of(tmp_path, files)
    assert said(site)["resolved"] == [(False, [UPGRADED])]
    for path, body in site.items():
        if path.startswith("proxies/"):
            assert b"upgradeNow" not in body, path


def test_contradicted_implementation_adds_no_proxy_functions(tmp_path):
    token = orjson.loads(signed_record(TOKEN_ABI, TOKEN))
    digest = sha256(encode_unchecked(sort_members_as_served(token))).hexdigest()
    anchor = encode_anchor(anchor_of(digest, TOKEN, OTHER_CODE))
    token_anchor = f"{record_path(TOKEN).removesuffix('.json')}/anchor.json"
    site = site_of(tmp_path, with_slot(TOKEN) | {token_anchor: anchor})
    assert said(site)["resolved"] == [(False, [TOKEN])]
    for path, body in site.items():
        if path.startswith("proxies/"):
            assert b"transfer(" not in body, path
            assert b'"transfer"' not in body, path


EVERYTHING = """\
log: {origin: status.plinth.example/example-key-log, example_key: true}
embed: true
instatus: true
prometheus: true
cards: {}
languages: [en, de]
packs: true
"""


def site_of(tmp_path, files: dict[str, bytes], settings: str = "") -> dict[str, bytes]:
    """Return the published site of a token, and of a proxy that has some files."""
    records = {TOKEN: signed_record(TOKEN_ABI, TOKEN)}
    content = signing_content(tmp_path, {TOKEN_FILE: descriptor(None, TOKEN, PROXY)}, records)
    site = (content / "site.yaml").read_text() + APIS + "contracts: {publish: all}\n" + settings
    write_files(content, {"site.yaml": site, **files})
    result = build(content, tmp_path / "site")
    assert result.applied, result.checked.all_findings
    return tree(tmp_path / "site")


@pytest.fixture(scope="module")
def site_with_everything(tmp_path_factory):
    """Return the site with each extension and one of the proxy's records, made once: a kind, or none for the true one."""

    @cache
    def made(kind: str = "") -> dict[str, bytes]:
        files = KINDS[kind]() if kind else with_slot(TOKEN)
        return site_of(tmp_path_factory.mktemp("site"), files, EVERYTHING)

    return made


def said(site: dict[str, bytes]) -> dict[str, Any]:
    """Return what the documents about the proxy say."""
    blockscout = json.loads(site.get(f"blockscout/{CHAIN}/api/v2/smart-contracts/{PROXY}", "{}"))
    of_etherscan = {
        path.rpartition("/")[2]
        for path in site
        if path.startswith("etherscan/") and PROXY.lower() in path.lower()
    }
    resolved = [
        json.loads(body) for path, body in site.items() if path.endswith("resolved.json") and PROXY in path
    ]
    index = json.loads(site["clear-signing/index.calldata.json"])
    signatures = b"".join(body for path, body in site.items() if path.startswith("signature-database/"))
    return {
        "verdict": json.loads(site[f"proof/{CHAIN}/{PROXY}.json"])["verdict"]["status"],
        "etherscan": sorted(of_etherscan & {"getabi", "getsourcecode", "getabi.json", "getsourcecode.json"}),
        "blockscout": [
            blockscout.get(name)
            for name in ("is_changed_bytecode", "is_fully_verified", "is_partially_verified")
        ],
        "implementations": [item["address_hash"] for item in blockscout.get("implementations", [])],
        "files": sorted(
            path.partition("/")[0]
            for path in site
            if path.startswith(("otterscan/contracts/", "files/"))
            and path.endswith((PROXY, f"{PROXY}/metadata.json"))
        ),
        "has signatures": b"upgradeNow(" in signatures,
        "resolved": [
            (item["complete"], [each["address"] for each in item["implementations"]]) for item in resolved
        ],
        "signing": f"eip155:{CHAIN}:{PROXY.lower()}" in index,
    }


def test_every_api_verifies_genuine_record(tmp_path):
    answers = said(site_of(tmp_path, with_slot(TOKEN)))
    assert answers["verdict"] != "contradicted"
    assert len(answers["etherscan"]) == 2
    assert answers["blockscout"] == [False, True, False]
    assert answers["implementations"] == [TOKEN]
    assert answers["files"]
    assert answers["has signatures"]
    assert answers["resolved"] == [(True, [TOKEN])]
    assert answers["signing"]


@pytest.mark.parametrize("kind", KINDS)
def test_no_api_verifies_contradicted_record(tmp_path, kind):
    present = [UPGRADED] if kind == "slot changed" else []
    is_former_code = kind in ("code changed", "code gone", "slot changed")
    site = site_of(tmp_path, KINDS[kind]())
    assert said(site) == {
        "verdict": "contradicted",
        "etherscan": [],
        "blockscout": [True, False, False] if is_former_code else [None, None, None],
        "implementations": present,
        "files": [],
        "has signatures": False,
        "resolved": [(False, present)] if present else [],
        "signing": False,
    }
    for path, body in site.items():
        if path.startswith("proxies/"):
            assert b"transfer" not in body, path


def test_contradicted_proxy_page_shows_incompleteness_notice(tmp_path):
    notice = b"Functions may be missing"
    implementation = {record_path(OTHER): signed_record([APPROVE], OTHER)}
    page = f"proxies/{CHAIN}/{PROXY}/index.html"
    site = site_of(tmp_path / "true", with_slot(TOKEN) | implementation)
    assert notice not in site[page]
    site = site_of(tmp_path / "contradicted", with_slot(OTHER) | implementation)
    assert said(site)["resolved"] == [(False, [OTHER])]
    assert notice in site[page]


EXPECTED = yaml.safe_load(Path(__file__).with_name("contradicted_documents.yaml").read_text())
"""What each document says of a contradicted contract, by the name of its URL."""


class Said(NamedTuple):
    """A document of a contradicted contract beside that of the same contract uncontradicted."""

    path: str
    body: bytes | None  # None if there is none
    true_body: bytes | None

    @property
    def text(self) -> str:
        return (self.body or b"").decode("utf-8", "replace")

    @property
    def value(self) -> Any:
        return json.loads(self.text)

    @property
    def names_proxy(self) -> bool:
        return PROXY.lower() in f"{self.path} {self.text}".lower()


def entries(value: Any) -> Iterator[Any]:
    """Yield the objects and lists of a document that have the proxy's address."""
    members = [*value.values()] if isinstance(value, dict) else value if isinstance(value, list) else []
    if any(isinstance(member, str) and member.lower() == PROXY.lower() for member in members):
        yield members
    for member in members:
        yield from entries(member)


def has_contradicted_entry(said: Said) -> bool:
    """Return whether every entry of the proxy has the word, and there is one wherever the true document has one."""
    own = [*entries(said.value)]
    is_named = said.true_body is None or PROXY.lower().encode() not in said.true_body.lower() or bool(own)
    return is_named and all("contradicted" in map(str, entry) for entry in own)


WORDS = {
    "same": lambda said: said.body == said.true_body,
    "withheld": lambda said: said.body is None,
    "unlisted": lambda said: not said.names_proxy and "upgradeNow" not in said.text,
    "record": lambda said: PROXY in said.value["address"],
    "verdict": lambda said: said.value["verdict"]["status"] == "contradicted",
    "entry": has_contradicted_entry,
    "page": lambda said: "l-contradicted" in said.text and "i-ok" not in said.text.partition("</header>")[2],
    "list": lambda said: not said.names_proxy or said.text.count(">Contradicted</span>") == 1,
    "unverified": lambda said: (
        said.value["is_changed_bytecode"]
        and not said.value["is_fully_verified"]
        and not said.value["is_partially_verified"]
    ),
    "unindexed": lambda said: all(False in entry for entry in entries(said.value)),
    "status": lambda said: '"status":"contradicted"' in said.text,
    "own functions": lambda said: "upgradeNow" in said.text and "transfer" not in said.text,
    "present implementation": lambda said: UPGRADED in said.text and TOKEN not in said.text,
    "copies": lambda said: True,  # digests of other documents, or these themselves
}


def expectation(name: str, path: str, kind: str) -> str:
    """Return the word about a document; a document without one fails the test."""
    by_kind = EXPECTED[name]
    if isinstance(by_kind, str):
        return by_kind
    if "actions" in by_kind:
        by_kind = by_kind["actions"][path.rpartition("/")[2].removesuffix(".json")]
    return by_kind if isinstance(by_kind, str) else by_kind.get(kind, by_kind["other"])


@pytest.mark.parametrize("kind", few_by_default(KINDS, 1))
def test_every_document_states_expected_verification_status(site_with_everything, kind):
    true_site, site = site_with_everything(), site_with_everything(kind)
    surprises, used = [], set()
    for path in sorted({*true_site, *site}):
        url = match_url(path)
        assert url is not None, path
        name, document = url[0].name, Said(path, site.get(path), true_site.get(path))
        assert name in EXPECTED, f"{path}: no expectation for documents of {name}"
        used.add(name)
        is_about = document.names_proxy or PROXY.lower().encode() in (document.true_body or b"").lower()
        word = expectation(name, path, kind)
        if not WORDS[word](document) and (is_about or document.body != document.true_body):
            surprises.append(f"{path} ({name}): not {word}: {document.text[:300]}")
    assert not surprises, "\n".join(surprises)
    assert used == set(EXPECTED)
