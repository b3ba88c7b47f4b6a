"""What each document of explorers, tools and wallets says of a record that is contradicted: never that it is verified."""

import json
from hashlib import sha256
from typing import Any

import orjson
import pytest

from statuary.base.primitives import checksum_address
from statuary.contracts.model.proxy_detection import proxy_slots
from statuary.contracts.model.record import in_served_order
from statuary.contracts.sources.evidence import anchor_file
from statuary.site.document import encode_unchecked
from support.made_anchors import anchor_of
from support.signing_sites import (
    APPROVE,
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
    return dict(in_served_order(orjson.loads(record)))


def with_anchor(code: str = "", **given: Any) -> dict[str, bytes]:
    """Return the proxy's record with a proof of the code at its address, by default its own."""
    record = proxy_record()
    digest = sha256(encode_unchecked(record)).hexdigest()
    anchor = anchor_of(digest, PROXY, code or record["runtimeBytecode"]["onchainBytecode"], **given)
    path = record_path(PROXY)
    return {
        path: orjson.dumps(record),
        f"{path.removesuffix('.json')}/anchor.json": anchor_file(anchor),
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


KINDS = {
    "code changed": lambda: with_anchor(OTHER_CODE),
    "code gone": lambda: with_anchor("0x"),
    "slot changed": lambda: with_slot(UPGRADED),
    "runtime code differs": with_runtime_code,
    "rejected": rejected,
}


def site_of(tmp_path, files: dict[str, bytes]) -> dict[str, bytes]:
    """Return the published site of a token, and of a proxy that has some files."""
    records = {TOKEN: signed_record(TOKEN_ABI, TOKEN)}
    content = signing_content(tmp_path, {TOKEN_FILE: descriptor(None, TOKEN, PROXY)}, records)
    settings = (content / "site.yaml").read_text() + APIS + "contracts: {publish: all}\n"
    write_files(content, {"site.yaml": settings, **files})
    result = build(content, tmp_path / "site")
    assert result.applied, result.checked.all_findings
    return tree(tmp_path / "site")


def said(site: dict[str, bytes]) -> dict[str, Any]:
    """Return what the documents about the proxy say."""
    blockscout = json.loads(site[f"blockscout/{CHAIN}/api/v2/smart-contracts/{PROXY}"])
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
            blockscout[name] for name in ("is_changed_bytecode", "is_fully_verified", "is_partially_verified")
        ],
        "implementations": [item["address_hash"] for item in blockscout["implementations"]],
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


def test_true_record_is_verified_everywhere(tmp_path):
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
def test_contradicted_record_is_verified_nowhere(tmp_path, kind):
    present = [UPGRADED] if kind == "slot changed" else []
    named = (
        [(True, [TOKEN])] if kind == "rejected" else []
    )  # the site publishes all: the rule is about the sources
    site = site_of(tmp_path, KINDS[kind]())
    assert said(site) == {
        "verdict": "contradicted",
        "etherscan": [],
        "blockscout": [True, False, False],
        "implementations": present,
        "files": [],
        "has signatures": False,
        "resolved": [(False, present)] if present else named,
        "signing": False,
    }
    for path, body in site.items():
        if path.startswith("proxies/") and not named:
            assert b"transfer" not in body, path
