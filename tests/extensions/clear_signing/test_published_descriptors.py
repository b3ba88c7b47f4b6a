"""What a site publishes of descriptors: indexes, files, proofs; what it is checked against."""

import json
from hashlib import sha256

import pytest

from statuary.base.primitives import keccak256
from support.commands import run_command
from support.signing_sites import (
    APPROVE,
    BALANCE,
    DEPOSIT,
    FACET,
    OTHER,
    PROXY,
    SEND,
    SEND_KEY,
    SIGNING_SITE,
    TOKEN,
    TOKEN_ABI,
    TOKEN_FILE,
    TRANSFER,
    build,
    built_again,
    descriptor,
    errors,
    field,
    function,
    indexed,
    messages,
    record_path,
    signed_record,
    signed_site,
    signing_content,
)
from support.sites import CHAIN, SMALL_SITE, tree, write_files

KEY = f"eip155:{CHAIN}:{TOKEN.lower()}"


def proof_of(site, address=TOKEN, number=0):
    return site[f"proof/{CHAIN}/{address.lower()}.json"]["descriptors"][number]


def test_matching_descriptor_is_published_with_proof(tmp_path):
    made = descriptor()
    site = signed_site(tmp_path, {TOKEN_FILE: made})
    assert errors(site) == []
    assert site["index.calldata.json"] == {KEY: TOKEN_FILE}
    assert site["index.eip712.json"] == {}
    assert site[TOKEN_FILE] == made
    proof = proof_of(site)
    assert proof["claims"]["fits"]["status"] == "verified_here"
    assert proof["claims"]["abi"] == {
        "status": "verified_here",
        "reason": "verified here: a hash in the code, or a proof from the chain, determines each ABI",
    }
    assert proof["claims"]["onChain"]["status"] == "not_shown"
    assert proof["status"] == "not_shown"
    (compared,) = proof["compared"]
    assert (compared["address"], compared["role"], compared["abiPinnedBy"]) == (TOKEN, "contract", "hash")
    assert {rule["outcome"] for rule in proof["rules"]} == {"passed"}
    assert proof["functions"] == [{"key": SEND_KEY, "hidden": [], "selector": "0xa9059cbb", "code": TOKEN}]
    assert proof["withoutFormat"] == ["approve(address,uint256)", "deposit()"]
    never = site[f"proof/{CHAIN}/{TOKEN.lower()}.json"]["neverProved"]
    assert never[0].startswith("that labels, intents and names say what the code does")


def test_descriptor_proof_contains_record_sha256(tmp_path):
    site = signed_site(tmp_path, {TOKEN_FILE: descriptor()})
    published = (tmp_path / "site" / "v2" / "contract" / CHAIN / TOKEN).read_bytes()
    assert proof_of(site)["compared"][0]["record"] == sha256(published).hexdigest()


def test_descriptor_with_unproven_abi_is_unverified(tmp_path):
    records = {TOKEN: signed_record(TOKEN_ABI, TOKEN, feature="no hash")}
    proof = proof_of(signed_site(tmp_path, {TOKEN_FILE: descriptor()}, records))
    assert proof["claims"]["abi"]["status"] == "not_shown"


def test_descriptor_deployment_without_record_is_skipped(tmp_path):
    site = signed_site(tmp_path, {TOKEN_FILE: descriptor(None, TOKEN, OTHER)})
    assert indexed(site) == {KEY}
    (note,) = [item for item in site[""] if item.rule == "unverified-deployment"]
    assert "has no verified record on this site" in note.message
    assert note.position.line > 1


def test_unverified_publish_setting_keeps_all_deployments(tmp_path):
    content = signing_content(tmp_path, {TOKEN_FILE: descriptor(None, TOKEN, OTHER)})
    write_files(content, {"site.yaml": SMALL_SITE["site.yaml"] + "clear_signing: {unverified: publish}\n"})
    site = built_again(content, tmp_path / "site")
    assert indexed(site) == {KEY, f"eip155:{CHAIN}:{OTHER.lower()}"}
    proof = proof_of(site, OTHER)
    assert proof["status"] == "not_shown"
    assert "no verified record" in proof["claims"]["fits"]["reason"]


def test_unknown_function_excludes_only_faulty_deployment(tmp_path):
    records = {
        TOKEN: signed_record(TOKEN_ABI, TOKEN),
        OTHER: signed_record([APPROVE], OTHER),
    }
    site = signed_site(tmp_path, {TOKEN_FILE: descriptor(None, TOKEN, OTHER)}, records)
    assert indexed(site) == {KEY}
    (error,) = errors(site, "unknown-function")
    assert (
        f"no verified code at eip155:{CHAIN}:{OTHER.lower()} has transfer(address,uint256)" in error.message
    )
    assert error.position.line > 10
    assert proof_of(site, OTHER)["status"] == "contradicted"
    assert proof_of(site, OTHER)["contradictedSince"].startswith("2026-11-20")


def test_proxy_descriptor_is_compared_with_implementation(tmp_path):
    records = {
        PROXY: signed_record([], PROXY, proxy="EIP1967Proxy", implementations=(TOKEN,)),
        TOKEN: signed_record(TOKEN_ABI, TOKEN),
    }
    site = signed_site(tmp_path, {TOKEN_FILE: descriptor(None, PROXY)}, records)
    assert errors(site) == []
    proof = proof_of(site, PROXY)
    assert [(item["role"], item["address"]) for item in proof["compared"]] == [
        ("contract", PROXY),
        ("implementation", TOKEN),
    ]
    assert proof["functions"][0]["code"] == TOKEN


def test_proxy_without_implementation_record_is_unproved(tmp_path):
    records = {PROXY: signed_record([], PROXY, proxy="EIP1967Proxy", implementations=(TOKEN,))}
    site = signed_site(tmp_path, {TOKEN_FILE: descriptor(None, PROXY)}, records)
    proof = proof_of(site, PROXY)
    assert proof["claims"]["fits"] == {
        "status": "not_shown",
        "reason": f"not proven: the implementation {TOKEN} has no verified record on this site",
    }


@pytest.mark.slow
def test_proxy_upgrade_invalidates_earlier_descriptor_proof(tmp_path):
    records = {
        PROXY: signed_record([], PROXY, proxy="EIP1967Proxy", implementations=(TOKEN,)),
        TOKEN: signed_record(TOKEN_ABI, TOKEN),
        FACET: signed_record([APPROVE], FACET),
    }
    content = signing_content(tmp_path, {TOKEN_FILE: descriptor(None, PROXY)}, records)
    first = proof_of(built_again(content, tmp_path / "site"), PROXY)
    assert "former" not in first
    upgraded = signed_record([], PROXY, proxy="EIP1967Proxy", implementations=(FACET,))
    write_files(content, {record_path(PROXY): upgraded})
    second = built_again(content, tmp_path / "site", now="2026-11-21T12:00:00Z")
    assert indexed(second) == set()
    proof = proof_of(second, PROXY)
    assert (proof["status"], proof["contradictedSince"]) == ("contradicted", "2026-11-21T12:00:00.000Z")
    (former,) = proof["former"]
    assert former["reason"] == "contradicted since 2026-11-21T12:00:00.000Z: the contract runs other code"
    third = built_again(content, tmp_path / "site", now="2026-11-22T12:00:00Z")
    assert proof_of(third, PROXY)["contradictedSince"] == "2026-11-21T12:00:00.000Z"
    assert proof_of(third, PROXY)["former"] == proof["former"]


def test_diamond_descriptor_compares_matching_facet(tmp_path):
    records = {
        PROXY: signed_record([], PROXY, proxy="DiamondProxy", implementations=(FACET, TOKEN)),
        FACET: signed_record([APPROVE], FACET),
        TOKEN: signed_record([TRANSFER], TOKEN),
    }
    site = signed_site(tmp_path, {TOKEN_FILE: descriptor(None, PROXY)}, records)
    proof = proof_of(site, PROXY)
    assert proof["functions"][0]["code"] == TOKEN
    assert {item["role"] for item in proof["compared"]} == {"contract", "facet"}


def test_ambiguous_facet_selector_is_unproved(tmp_path):
    records = {
        PROXY: signed_record([], PROXY, proxy="DiamondProxy", implementations=(FACET, TOKEN)),
        FACET: signed_record([TRANSFER], FACET),
        TOKEN: signed_record([TRANSFER], TOKEN),
    }
    site = signed_site(tmp_path, {TOKEN_FILE: descriptor(None, PROXY)}, records)
    claim = proof_of(site, PROXY)["claims"]["fits"]
    assert claim["status"] == "not_shown"
    assert "more than one facet has the function" in claim["reason"]


def test_descriptor_proof_lists_hidden_fields(tmp_path):
    spec = {
        "intent": "Send",
        "fields": [field("to", "To", "addressName"), {"path": "value", "visible": "never"}],
    }
    site = signed_site(tmp_path, {TOKEN_FILE: descriptor({SEND_KEY: spec})})
    assert errors(site) == []
    assert proof_of(site)["functions"][0]["hidden"] == ["value"]


def test_payable_function_without_value_is_warning(tmp_path):
    spec = {"intent": "Deposit", "fields": []}
    site = signed_site(tmp_path, {TOKEN_FILE: descriptor({"deposit()": spec})})
    (warning,) = errors(site)
    assert "deposit() is payable, and its format shows no `@.value`" in warning.message
    assert indexed(site) == {KEY}


def test_nonpayable_function_with_value_is_error(tmp_path):
    spec = SEND | {"fields": [*SEND["fields"], field("@.value", "Paid", "amount")]}
    site = signed_site(tmp_path, {TOKEN_FILE: descriptor({SEND_KEY: spec})})
    (error,) = errors(site)
    assert "transfer(address,uint256) is nonpayable, and the format names `@.value`" in error.message
    assert indexed(site) == set()


PERMIT = "Permit(address owner,address spender,uint256 value)"


def test_type_hash_indexes_eip712_messages(tmp_path):
    spec = {"intent": "Permit", "fields": [field("spender", "Spender", "addressName")]}
    path = "registry/plinth/eip712-Token.json"
    site = signed_site(tmp_path, {path: messages({PERMIT: spec})})
    assert errors(site) == []
    digest = "0x" + keccak256(PERMIT.encode()).hex()
    assert site["index.eip712.json"] == {KEY: {"Permit": [{"path": path, "encodeTypeHashes": [digest]}]}}
    assert proof_of(site)["functions"] == [{"key": PERMIT, "hidden": ["owner", "value"]}]


@pytest.mark.slow
@pytest.mark.parametrize(
    ("context", "words"),
    [
        ({"domain": {"chainId": 1}}, "domain.chainId 1 is not 748463"),
        ({"domain": {"verifyingContract": OTHER}}, "is not 0xa1a1"),
    ],
)
def test_eip712_domain_mismatch_is_error(tmp_path, context, words):
    spec = {"intent": "Permit", "fields": []}
    site = signed_site(tmp_path, {"registry/plinth/eip712-Token.json": messages({PERMIT: spec}, **context)})
    (error,) = errors(site)
    assert words in error.message
    assert indexed(site) == set()


def test_included_descriptor_is_merged_and_published(tmp_path):
    shared = {"display": {"formats": {SEND_KEY: {**SEND, "intent": "Send a token"}}}}
    made = descriptor(
        {SEND_KEY: {"fields": [{"path": "value", "label": "Sum"}]}}, includes="common-token.json"
    )
    site = signed_site(tmp_path, {TOKEN_FILE: made, "registry/plinth/common-token.json": shared})
    assert errors(site) == []
    assert site["registry/plinth/common-token.json"] == shared
    assert [item["path"] for item in proof_of(site)["includes"]] == ["registry/plinth/common-token.json"]


def test_included_descriptor_error_has_position(tmp_path):
    shared = {"display": {"formats": {SEND_KEY: {"fields": [field("amount", "Amount")]}}}}
    made = descriptor({SEND_KEY: {"intent": "Send"}}, includes="./common-token.json")
    site = signed_site(tmp_path, {TOKEN_FILE: made, "registry/plinth/common-token.json": shared})
    (error,) = errors(site)
    assert error.path == "clear-signing/registry/plinth/common-token.json"
    assert (error.position.line, error.position.column) == (7, 21)


def test_duplicate_descriptors_are_both_excluded(tmp_path):
    site = signed_site(
        tmp_path, {TOKEN_FILE: descriptor(), "registry/plinth/calldata-Again.json": descriptor()}
    )
    assert len(errors(site, "duplicate-descriptor")) == 2
    assert indexed(site) == set()
    assert TOKEN_FILE not in site


def test_disabled_clear_signing_warns_about_files(tmp_path):
    content = signing_content(tmp_path, {TOKEN_FILE: descriptor()})
    write_files(content, {"site.yaml": SMALL_SITE["site.yaml"]})
    result = build(content, tmp_path / "site")
    assert result.applied
    (warning,) = [item for item in result.checked.all_findings if item.path.startswith("clear-signing")]
    assert warning.rule == "unknown-file"
    assert not (tmp_path / "site" / "clear-signing").exists()


@pytest.mark.slow
def test_site_without_descriptors_has_no_documents(tmp_path):
    content = signing_content(tmp_path, {})
    write_files(content, {"site.yaml": SMALL_SITE["site.yaml"]})
    assert build(content, tmp_path / "off").applied
    write_files(content, {"site.yaml": SIGNING_SITE["site.yaml"]})
    assert build(content, tmp_path / "on").applied
    off, on = tree(tmp_path / "off"), tree(tmp_path / "on")
    scripts = {"assets/clear-signing.js", "assets/clear-signing-view.js"}
    page = f"contracts/{CHAIN}/{TOKEN}.html"  # it asks for descriptors with the key, which may come later
    pages = {page, page.replace(TOKEN, TOKEN.lower()), "contract.html", "assets/viewer.js"}
    pages |= {"openapi.json", "api.html"}  # which describe the documents that there may be
    differing = {path for path in off.keys() | on.keys() if off.get(path) != on.get(path)}
    listing = {path for path in differing if path.startswith("snapshot/")}
    assert differing - pages - scripts - listing <= {"files.json"}


@pytest.mark.slow
def test_disabled_clear_signing_removes_documents(tmp_path):
    content = signing_content(tmp_path, {TOKEN_FILE: descriptor()})
    assert indexed(built_again(content, tmp_path / "site"))
    write_files(content, {"site.yaml": SMALL_SITE["site.yaml"]})
    assert build(content, tmp_path / "site").applied
    assert not (tmp_path / "site" / "clear-signing").exists()


def test_unchanged_descriptors_publish_no_files(tmp_path):
    content = signing_content(tmp_path, {TOKEN_FILE: descriptor()})
    build(content, tmp_path / "site")
    again = build(content, tmp_path / "site")
    assert again.plan.is_empty


def test_check_reports_and_lists_signing_rules(tmp_path):
    content = signing_content(tmp_path, {TOKEN_FILE: descriptor({"send(address to)": SEND})})
    options = ("--content", str(content), "--format", "json", "--now", "2026-11-20T12:00:00Z")
    checked = run_command(tmp_path, "check", *options)
    rules = {item["rule"] for item in json.loads(checked.stdout)["findings"]}
    assert "invalid-field-path" in rules
    listed = run_command(tmp_path, "check", "--list").stdout
    assert "unknown-function" in listed
    assert "clear signing" in listed


def test_parameter_name_unlike_abi_is_error(tmp_path):
    records = {TOKEN: signed_record([function("transfer", "address from", "uint256 value")], TOKEN)}
    site = signed_site(tmp_path, {TOKEN_FILE: descriptor()}, records)
    (error,) = errors(site)
    assert "the key names a parameter 'to', and the code names it 'from'" in error.message
    assert indexed(site) == set()


def test_view_function_needs_no_display_format(tmp_path):
    records = {TOKEN: signed_record([TRANSFER, BALANCE], TOKEN)}
    assert proof_of(signed_site(tmp_path, {TOKEN_FILE: descriptor()}, records))["withoutFormat"] == []


def test_payable_function_with_value_field_passes(tmp_path):
    records = {TOKEN: signed_record([DEPOSIT], TOKEN)}
    spec = {"intent": "Deposit", "fields": [field("@.value", "Amount", "amount")]}
    site = signed_site(tmp_path, {TOKEN_FILE: descriptor({"deposit()": spec})}, records)
    assert errors(site) == []
