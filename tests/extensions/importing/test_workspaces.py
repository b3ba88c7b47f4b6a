"""Projects as they are today: TypeScript, packages and submodules with remappings, linked libraries, `via_ir`, other folders."""

import json
from pathlib import Path

import pytest

from statuary.cli.exit_codes import ExitCode
from statuary.contracts.site_contracts import SiteContracts
from support.ethereum_node import COMPILERS, ask, ethereum_node, send_signed
from support.imported_projects import DEPLOYMENTS, catalogue_of, empty_site, imported
from support.requirements import require_program

KINDS = {"foundry-workspace": "foundry", "ignition-typescript": "ignition"}


@pytest.fixture
def solc():
    return require_program(str(COMPILERS / "bin/solc-0.8.30"), install=".ci/install-compilers")


@pytest.mark.slow
@pytest.mark.parametrize("name", KINDS)
def test_monorepo_deployments_are_imported_and_verified(name, tmp_path, solc):
    """Every contract is verified, anchored and compiled again, and its files are those of the packages."""
    content, report = empty_site(tmp_path), tmp_path / "report.json"
    with ethereum_node(31337, "--slots-in-an-epoch", "1") as url:
        for raw in json.loads((DEPLOYMENTS / name / "transactions.json").read_text()):
            send_signed(url, raw)
        ask(url, "anvil_mine", "0x5")
        options = ["--rpc", url, "--compiler", f"solc={solc}", "--report", str(report)]
        result = imported(content, KINDS[name], *options, source=DEPLOYMENTS / name)
    assert result.exit_code == ExitCode.OK, result.output
    accounts = json.loads(report.read_text())["addresses"]
    assert len(accounts) == 2
    for account in accounts:
        assert account["outcome"] == "imported"
        assert account["match"] == "exact_match"
        assert (account["compiledAgain"], account["anchored"]) == (True, True), account
    for source in catalogue_of(content).content_of(SiteContracts).sources:
        given = json.loads((content / Path(source.path).parent / "input.json").read_text())
        assert given["settings"]["viaIR"] is True


@pytest.mark.parametrize("name", KINDS)
def test_imported_record_contains_linked_library_address(name, tmp_path):
    content = empty_site(tmp_path)
    result = imported(content, KINDS[name], "--as", "record", source=DEPLOYMENTS / name)
    assert result.exit_code == ExitCode.OK, result.output
    records = [json.loads(file.read_text()) for file in content.glob("contracts/*/*.json")]
    [turnstile] = [record for record in records if record["compilation"]["name"] == "Turnstile"]
    [fare] = [record for record in records if record["compilation"]["name"] == "Fare"]
    values = turnstile["creationBytecode"]["transformationValues"]["libraries"]
    assert [address.lower() for address in values.values()] == [fare["address"].lower()]
    assert {Path(path).name for path in turnstile["sources"]} == {"Turnstile.sol", "Gate.sol", "Fare.sol"}
