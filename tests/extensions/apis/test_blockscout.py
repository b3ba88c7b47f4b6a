"""Blockscout's answer about a contract: its members, and what a real loader reads."""

import json
import os
import subprocess
from pathlib import Path

import pytest

from statuary.extensions.apis.blockscout import make_blockscout_contract
from statuary.extensions.apis.documents import derive_record_output
from statuary.extensions.apis.settings import Api, ApisSettings
from support.contracts import FEATURES, made_record, unjudged
from support.edge_runtimes import node, write_site
from support.host_servers import serve_with_statuary
from support.requirements import CHECKOUT, absent

CLIENTS = Path(os.environ.get("STATUARY_CLIENTS", CHECKOUT / ".clients"))

MEMBERS = (
    "verified_twin_address_hash is_verified is_changed_bytecode is_partially_verified is_fully_verified "
    "is_verified_via_sourcify is_verified_via_eth_bytecode_db is_verified_via_verifier_alliance proxy_type "
    "implementations conflicting_implementations sourcify_repo_url can_be_visualized_via_sol2uml name "
    "compiler_version optimization_enabled optimization_runs evm_version verified_at abi source_code file_path "
    "additional_sources compiler_settings external_libraries constructor_args decoded_constructor_args language "
    "license_type certified is_blueprint deployed_bytecode creation_bytecode creation_status"
)
"""Of a verified contract, as Blockscout's own tests have them."""


@pytest.mark.parametrize("name", FEATURES)
def test_contract_response_has_blockscout_fields(name):
    record = made_record(name)
    body = make_blockscout_contract(unjudged(record))
    assert set(body) == set(MEMBERS.split())
    assert body["abi"] == record["abi"]
    sources = {body["file_path"]: body["source_code"]} | {
        one["file_path"]: one["source_code"] for one in body["additional_sources"]
    }
    assert sources == {path: source["content"] for path, source in record["sources"].items()}
    assert body["is_fully_verified"] is not body["is_partially_verified"]
    assert body["compiler_version"] == f"v{record['compilation']['compilerVersion']}"


def test_blockscout_response_lists_proxy_implementations():
    record = made_record("plain")
    address = "0x" + "ab" * 20
    record["proxyResolution"] = {
        "isProxy": True,
        "proxyType": "EIP1967Proxy",
        "implementations": [{"address": address, "name": "Logic"}],
    }
    body = make_blockscout_contract(unjudged(record))
    assert (body["proxy_type"], body["implementations"]) == (
        "eip1967",
        [{"address_hash": address, "name": "Logic"}],
    )
    del record["proxyResolution"]  # of an older server
    assert (
        make_blockscout_contract(unjudged(record))["proxy_type"],
        make_blockscout_contract(unjudged(record))["implementations"],
    ) == (None, [])


@pytest.mark.parametrize(
    ("name", "is_known", "arguments", "status"),
    [
        ("arguments", True, True, "success"),
        ("plain", True, False, "success"),
        ("arguments", False, False, None),
        ("plain", False, False, None),
    ],
)
def test_unverified_creation_code_has_no_success(name, is_known, arguments, status):
    record = made_record(name)
    if not is_known:
        record |= {"creationMatch": None}
        record["creationBytecode"] |= {
            "onchainBytecode": None,
            "transformations": None,
            "transformationValues": None,
        }
    body = make_blockscout_contract(unjudged(record))
    assert (body["constructor_args"] is not None, body["creation_status"]) == (arguments, status)


@pytest.mark.parametrize("name", FEATURES)
def test_contract_is_served_at_both_spellings(name):
    record = made_record(name)
    _, documents = derive_record_output(unjudged(record), ApisSettings((Api.BLOCKSCOUT,)), "contracts/x.json")
    [contract] = documents
    assert {contract.path, *contract.aliases} == {
        f"blockscout/{record['chainId']}/api/v2/smart-contracts/{address}"
        for address in (record["address"], record["address"].lower())
    }


@pytest.mark.slow
def test_whatsabi_loader_reads_served_site(tmp_path):
    """The one loader of whatsabi that can be pointed at another host without a query."""
    package = CLIENTS / "whatsabi/package.json"
    if not package.is_file():
        absent("whatsabi", ".ci/install-clients whatsabi")
    record = made_record("everything")
    _, documents = derive_record_output(unjudged(record), ApisSettings((Api.BLOCKSCOUT,)), "contracts/x.json")
    site = {path: one.body for one in documents for path in (one.path, *one.aliases)}
    script = LOADER % (json.dumps(str(package)), json.dumps([record["address"], "0x" + "12" * 20]))
    project = tmp_path / "project"
    write_site(project / "build", site | {"404.html": b"<!doctype html>404"})
    with serve_with_statuary(project) as server:
        done = subprocess.run(
            [node(), "--input-type=module", "-e", script, f"http://127.0.0.1:{server.port}"],
            capture_output=True,
            text=True,
            check=False,
            timeout=60,
        )
    assert done.returncode == 0, done.stderr
    loaded, missing = json.loads(done.stdout)
    optimizer = record["compilation"]["compilerSettings"].get("optimizer", {})
    assert loaded["abi"] == record["abi"]
    assert loaded["name"] == record["compilation"]["name"]
    assert loaded["compilerVersion"] == f"v{record['compilation']['compilerVersion']}"
    assert loaded["runs"] == optimizer.get("runs", 200)
    assert {one["path"]: one["content"] for one in loaded["sources"]} == {
        path: source["content"] for path, source in record["sources"].items()
    }
    assert missing["ok"] is False


LOADER = """
import {createRequire} from 'node:module'
const {loaders} = createRequire(%s)('@shazow/whatsabi')
const loader = new loaders.BlockscoutABILoader({baseURL: `${process.argv[1]}/blockscout/31337/api`, chainId: 31337})
const read = []
for (const address of %s) {
  const {ok, name, abi, compilerVersion, runs, getSources} = await loader.getContract(address)
  read.push({ok, name, abi, compilerVersion, runs, sources: ok ? await getSources() : null})
}
process.stdout.write(JSON.stringify(read))
"""
