"""Etherscan's calls: bodies as recorded, answers chosen as written, the same under deno, and read by Foundry and ourselves."""

import json
import os
import subprocess
from collections.abc import Iterator
from pathlib import Path
from typing import Any
from urllib.parse import quote

import pytest

from statuary.extensions.apis.blockscout import make_blockscout_contract
from statuary.extensions.apis.etherscan import make_source_code_result
from statuary.extensions.importing.toolchains.explorer import (
    parse_getcontractcreation_result,
    read_explorer_source,
)
from statuary.extensions.serving.lookup import LookupRequest, answer_api_request
from support.contracts import FEATURES, made_record, unjudged
from support.edge_runtimes import Served, answers_of_deno
from support.ethereum_node import COMPILERS
from support.explorer_requests import ABSENT, ADDRESS, CHAIN, RECORD, SITE, hostile_targets
from support.host_servers import build_project, serve_with_statuary
from support.random_runs import seeded
from support.requirements import absent

MEMBERS = (
    "SourceCode", "ABI", "ContractName", "CompilerVersion", "CompilerType", "OptimizationUsed", "Runs",
    "ConstructorArguments", "EVMVersion", "Library", "ContractFileName", "LicenseType", "Proxy", "Implementation",
    "SwarmSource", "SimilarMatch",
)  # fmt: skip


def ask(target: str, method: str = "GET") -> Any:
    response = answer_api_request(LookupRequest(method=method, target=target), SITE.get, lambda: "id")
    assert response is not None
    assert response.status == 200
    return json.loads(response.body)


def call(action: str, *more: str, base: str = f"/v2/api?chainid={CHAIN}&") -> Any:
    return ask(f"{base}module=contract&action={action}&{'&'.join(more)}")


@pytest.mark.parametrize("name", FEATURES)
def test_source_response_has_etherscan_string_fields(name):
    body = make_source_code_result(made_record(name))
    assert tuple(body) == MEMBERS
    assert {type(value) for value in body.values()} == {str}


def test_record_without_resolution_is_no_proxy():
    record = made_record("plain")
    del record["proxyResolution"]
    body = make_source_code_result(record)
    assert (body["Proxy"], body["Implementation"]) == ("0", "")


LINKED = "0x" + "5a" * 20
IN_SETTINGS = {"contracts/Fee.sol": {"Fee": "0x" + "AB" * 20}}


@pytest.mark.parametrize(
    ("settings", "values", "shown"),
    [
        ({}, {}, ""),
        (IN_SETTINGS, {}, "Fee:" + "ab" * 20),
        ({}, {"lib/Math.sol:Math": LINKED}, "Math:" + "5a" * 20),
        (IN_SETTINGS, {"lib/Math.sol:Math": LINKED}, f"Fee:{'ab' * 20};Math:{'5a' * 20}"),
        ({"": {"Fee": LINKED}}, {}, "Fee:" + "5a" * 20),
    ],
)
@pytest.mark.parametrize("side", ["creationBytecode", "runtimeBytecode"])
def test_etherscan_response_lists_linked_libraries(side, settings, values, shown):
    record = made_record("plain")
    record["compilation"]["compilerSettings"]["libraries"] = settings
    record[side]["transformationValues"] = {"libraries": values}
    assert make_source_code_result(record)["Library"] == shown
    listed = make_blockscout_contract(unjudged(record))["external_libraries"]
    assert ";".join(f"{one['name']}:{one['address_hash'][2:]}" for one in listed) == shown


@pytest.mark.parametrize("name", FEATURES)
def test_etherscan_response_restores_compiler_input(name):
    record = made_record(name)
    compilation = read_explorer_source(make_source_code_result(record))
    wanted = record["stdJsonInput"]
    assert compilation.std_json_input["sources"] == wanted["sources"]
    assert compilation.std_json_input["settings"] == wanted["settings"]
    assert compilation.fully_qualified_name == record["compilation"]["fullyQualifiedName"]


def test_every_etherscan_url_serves_contract():
    for address in (ADDRESS, ADDRESS.lower()):
        for base in (f"/v2/api?chainid={CHAIN}&", f"/api?chainid={CHAIN}&", f"/explorer/{CHAIN}/api?"):
            body = call("getsourcecode", f"address={address}", "apikey=any", base=base)
            assert (body["status"], body["message"], len(body["result"])) == ("1", "OK", 1)
            assert json.loads(call("getabi", f"address={address}", base=base)["result"]) == RECORD["abi"]


def test_unverified_contract_matches_recorded_etherscan_responses():
    body = call("getsourcecode", f"address={ABSENT}")
    assert (body["status"], body["message"]) == ("1", "OK")
    assert body["result"] == [
        {
            "SourceCode": "", "ABI": "Contract source code not verified", "ContractName": "", "CompilerVersion": "",
            "OptimizationUsed": "", "Runs": "", "ConstructorArguments": "", "EVMVersion": "Default", "Library": "",
            "LicenseType": "Unknown", "Proxy": "0", "Implementation": "", "SwarmSource": "",
        }
    ]  # fmt: skip
    unverified = {"status": "0", "message": "NOTOK", "result": "Contract source code not verified"}
    assert call("getabi", f"address={ABSENT}") == unverified
    assert "No data found" in call("getcontractcreation", f"contractaddresses={ABSENT}")["result"]


def test_contract_creation_skips_unknown_addresses():
    body = call("getcontractcreation", f"contractaddresses={ABSENT},{ADDRESS},{ADDRESS.lower()}")
    assert len(body["result"]) == 2
    deployment = RECORD["deployment"]
    assert body["result"][0]["txHash"] == deployment["transactionHash"]
    assert body["result"][0]["contractCreator"] == deployment["deployer"].lower()
    assert parse_getcontractcreation_result(body["result"]).deployment
    too_many = ",".join([*[ABSENT] * 10, ADDRESS])
    assert call("getcontractcreation", f"contractaddresses={too_many}")["status"] == "0"


@pytest.mark.parametrize(
    ("target", "text"),
    [
        (f"/v2/api?module=contract&action=getabi&address={ADDRESS}", "chainid"),
        (f"/v2/api?chainid=2&module=contract&action=getabi&address={ADDRESS}", "chainid"),
        (f"/v2/api?chainid=..&module=contract&action=getabi&address={ADDRESS}", "chainid"),
        (f"/v2/api?chainid={CHAIN}", "Module"),
        (f"/v2/api?chainid={CHAIN}&module=account&action=balance", "Module"),
        (f"/v2/api?chainid={CHAIN}&module=contract&action=__proto__", "Action"),
        (f"/v2/api?chainid={CHAIN}&module=contract&action=getabi", "address"),
        (f"/v2/api?chainid={CHAIN}&module=contract&action=getabi&address=../chainlist", "address"),
        (
            f"/v2/api?chainid={CHAIN}&module=contract&action=getcontractcreation&contractaddresses={ADDRESS},",
            "address",
        ),
    ],
)
def test_etherscan_error_names_parameter(target, text):
    body = ask(target)
    assert (body["status"], body["message"]) == ("0", "NOTOK")
    assert text in body["result"]


def test_etherscan_chainlist_lists_site_chains():
    [chain] = ask("/v2/chainlist")["result"]
    assert (chain["chainid"], chain["apiurl"]) == (CHAIN, f"https://site.example/v2/api?chainid={CHAIN}")


def test_explorer_url_without_module_is_page():
    for method, target in (("GET", "/api"), ("HEAD", "/api?x=module"), ("OPTIONS", "/api")):
        assert answer_api_request(LookupRequest(method=method, target=target), SITE.get, lambda: "id") is None


@pytest.mark.slow
def test_edge_matches_python_on_malformed_calls():
    dice = seeded(11)
    cases = [
        {"target": one, "method": dice.choice(("GET", "GET", "GET", "HEAD", "POST", "OPTIONS"))}
        for one in hostile_targets(11, 500)
    ]
    for case, answer in zip(cases, answers_of_deno(SITE, cases), strict=True):
        request = LookupRequest(method=case["method"], target=quote(case["target"], safe="/?&=%[]$,*+'\\"))
        response = answer_api_request(request, SITE.get, lambda: "id")
        ours = None if response is None else (response.status, response.body.decode())
        assert ours == (None if answer is None else (answer["status"], answer["body"])), case


FOUNDRY = COMPILERS / "node/node_modules/@foundry-rs"


@pytest.fixture(scope="module")
def served(tmp_path_factory: pytest.TempPathFactory) -> Iterator[tuple[Served, dict[str, Any]]]:
    """Serve the demo network, with one of its contracts."""
    project = build_project(tmp_path_factory.mktemp("project"))
    listed = json.loads((project / "build/v2/contracts/748463").read_bytes())["results"]
    records = [
        json.loads((project / "build/v2/contract/748463" / entry["address"]).read_bytes()) for entry in listed
    ]
    solidity = [one for one in records if one["compilation"]["language"] == "Solidity" and one["abi"]]
    with serve_with_statuary(project) as server:
        yield server, solidity[0]


def cast(tool: str, home: Path, *arguments: str) -> str:
    program = FOUNDRY / f"{tool}-linux-amd64" / "bin" / tool
    if not program.is_file():
        absent(f"Foundry's {tool}, {program},", ".ci/install-compilers")
    environment = {"HOME": str(home), "PATH": os.environ["PATH"], "FOUNDRY_DISABLE_NIGHTLY_WARNING": "1"}
    done = subprocess.run(
        [program, *arguments],
        capture_output=True,
        text=True,
        env=environment,
        cwd=home,
        check=False,
        timeout=60,
    )
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout


@pytest.mark.slow
def test_cast_reads_source_and_interface(served, tmp_path):
    server, record = served
    site = f"http://127.0.0.1:{server.port}"
    call = f"{site}/v2/api?chainid=748463"
    (tmp_path / "foundry.toml").write_text(
        f'[etherscan]\nplinth = {{ key = "any", chain = 748463, url = "{call}" }}\n'
    )
    explorer = ("--etherscan-api-key", "any", "--explorer-api-url", call, "--explorer-url", site)
    source = cast("cast", tmp_path, "source", record["address"], "--chain", "748463", *explorer)
    for file in record["sources"].values():
        assert file["content"].strip() in source
    interface = cast("cast", tmp_path, "interface", record["address"], "--chain", "748463")
    for item in record["signatures"]["function"]:
        assert f"function {item['signature'].partition('(')[0]}(" in interface
