"""Hostile descriptors, attestations and proxies: each is a finding, and none is published as proved."""

import json

import pytest

from statuary.extensions.clear_signing.attestations import descriptor_hash
from statuary.extensions.clear_signing.schema import schema_errors
from statuary.source.parse_json import parse_json
from support.hostile_descriptors import file_of, hostile_descriptors
from support.signing_sites import (
    APPROVE,
    FACET,
    OTHER,
    PROXY,
    TOKEN,
    TOKEN_ABI,
    TOKEN_FILE,
    TRANSFER,
    descriptor,
    errors,
    function,
    indexed,
    signed_record,
    signed_site,
)
from support.sites import CHAIN

CASES = hostile_descriptors()


@pytest.fixture(scope="module")
def site(tmp_path_factory):
    """A site with every hostile descriptor, and one that is in order."""
    files = {TOKEN_FILE: descriptor()}
    for name, (_, own) in CASES.items():
        files |= {f"registry/{name}/{path}": file_of(value) for path, value in own.items()}
    return signed_site(tmp_path_factory.mktemp("hostile"), files)


def test_descriptor_schema_errors_quote_invalid_value():
    found = [
        error.message for error in schema_errors({"contxt": {}, "context": 1, "display": {"formats": "x"}})
    ]
    assert found == ["unknown key 'contxt'", "'1' is not an object", "'x' is not an object"]


def test_malformed_descriptor_cases_exceed_hundred():
    assert len(CASES) > 120


@pytest.mark.parametrize("name", CASES)
def test_malformed_descriptor_is_reported_with_position(site, name):
    rule, files = CASES[name]
    folder = f"clear-signing/registry/{name}/"
    found = [item for item in errors(site) if item.path.startswith(folder) and item.severity == "error"]
    assert rule in {item.rule for item in found}, (found, str(files)[:500])
    assert all(item.position is not None for item in found)
    assert "internal-error" not in {item.rule for item in site[""]}


def test_malformed_descriptors_are_not_published(site):
    assert [path for path in site if path.startswith("registry/h")] == []
    assert site["index.calldata.json"] == {f"eip155:{CHAIN}:{TOKEN.lower()}": TOKEN_FILE}
    assert site["index.eip712.json"] == {}
    for path, proof in site.items():
        if path.startswith("proof/"):
            for described in proof["descriptors"]:
                is_hostile = described["path"] != TOKEN_FILE
                assert (described["claims"]["fits"]["status"] == "contradicted") == is_hostile


def proxy_site(tmp_path, records, formats=None):
    site = signed_site(tmp_path, {TOKEN_FILE: descriptor(formats, PROXY)}, records)
    proof = site[f"proof/{CHAIN}/{PROXY.lower()}.json"]["descriptors"][0]
    return indexed(site), proof["claims"]["fits"]


LIES = {
    "an implementation without a record": ("EIP1967Proxy", (OTHER,), {}, "not_shown"),
    "an implementation with other functions": ("EIP1967Proxy", (FACET,), {FACET: [APPROVE]}, "contradicted"),
    "an implementation whose selector is another function's": (
        "EIP1967Proxy",
        (FACET,),
        {FACET: [function("many_msg_babbage", "bytes1 a")]},
        "contradicted",
    ),
    "two facets with one function": (
        "DiamondProxy",
        (FACET, TOKEN),
        {FACET: [TRANSFER], TOKEN: [TRANSFER]},
        "not_shown",
    ),
    "a facet that is missing": ("DiamondProxy", (FACET, OTHER), {FACET: [APPROVE]}, "not_shown"),
}


@pytest.mark.parametrize("lie", LIES)
def test_false_proxy_implementation_is_unproved(tmp_path, lie):
    kind, implementations, others, expected = LIES[lie]
    records = {PROXY: signed_record([], PROXY, proxy=kind, implementations=implementations)}
    records |= {address: signed_record(abi, address) for address, abi in others.items()}
    _, fits = proxy_site(tmp_path, records)
    assert fits["status"] == expected


def test_descriptor_ignores_excluded_implementation_record(tmp_path):
    wrong = json.loads(signed_record(TOKEN_ABI, TOKEN)) | {"match": None}
    records = {
        PROXY: signed_record([], PROXY, proxy="EIP1967Proxy", implementations=(TOKEN,)),
        TOKEN: json.dumps(wrong).encode(),
    }
    _, fits = proxy_site(tmp_path, records)
    assert fits["status"] == "not_shown"
    assert "this site excludes" in fits["reason"]


def test_duplicate_record_keeps_descriptor_of_first(tmp_path):
    first = signed_record(TOKEN_ABI, TOKEN)
    site = signed_site(tmp_path, {TOKEN_FILE: descriptor()}, {TOKEN: first, TOKEN.lower(): first})
    once = signed_site(tmp_path / "once", {TOKEN_FILE: descriptor()}, {TOKEN: first})
    assert indexed(site) == indexed(once) != set()


def attestation(own, **changes):
    """Return an attestation that nobody signed."""
    message = {
        "version": 2,
        "schema": "0xe023eef113c1670774801c34b377fdf612dd8a4d2fa92fe382e15bd91fafb5c2",
        "recipient": "0x" + "00" * 20,
        "time": "1785288536",
        "expirationTime": "0",
        "revocable": True,
        "refUID": "0x" + "00" * 32,
        "data": descriptor_hash(parse_json(json.dumps(own))),
        "salt": "0x" + "11" * 32,
    }
    return {"sig": {"version": 2, "message": message | changes, "domain": {}}, "signer": OTHER}


@pytest.mark.parametrize(
    "value", [{}, [], ["x"], {"sig": 7}, attestation(descriptor()), attestation(descriptor(), data="0x")]
)
def test_invalid_attestation_is_not_published(tmp_path, value):
    path = f"registry/plinth/sigs/calldata-Token.eip155-1-{OTHER}.json"
    site = signed_site(tmp_path, {TOKEN_FILE: descriptor(), path: value})
    (warning,) = errors(site, "invalid-attestation")
    assert warning.message.startswith("contradicted: ")
    assert path not in site
    assert indexed(site)
