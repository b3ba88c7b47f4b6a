"""Every address that a source names is imported, or left out with its reason; and each reason says what to do."""

import json
import shutil

import pytest

from statuary.cli.exit_codes import ExitCode
from statuary.contracts.site_contracts import SiteContracts
from support.imported_projects import DEPLOYMENTS, catalogue_of, empty_site, imported

STATION = "0xe7f1725E7734CE288F8367e1Bb143E90bb3F0512"
OTHER = "0x" + "12" * 20
JOURNAL = "ignition/deployments/chain-31337/journal.jsonl"


@pytest.fixture
def content(tmp_path):
    return empty_site(tmp_path)


def project_of(kind, tmp_path):
    return shutil.copytree(DEPLOYMENTS / kind, tmp_path / "project")


def broadcasts(project, change):
    for file in project.glob("broadcast/*/*/run-*.json"):
        run = json.loads(file.read_text())
        change(run)
        file.write_text(json.dumps(run))


def as_of_2022(run):
    """Write a broadcast as forge did in 2022."""
    for transaction in run["transactions"]:
        transaction["type"] = transaction.pop("transactionType")
        transaction["tx"] = transaction.pop("transaction")
        transaction["tx"]["data"] = transaction["tx"].pop("input")
        transaction["tx"]["type"] = "0x02"
    del run["chain"], run["commit"]


def test_foundry_2022_broadcast_format_is_imported(content, tmp_path):
    project = project_of("foundry", tmp_path)
    broadcasts(project, as_of_2022)
    result = imported(content, "foundry", source=project)
    assert result.exit_code == ExitCode.OK, result.output
    assert "verified and added: 4 contracts" in result.output


def other_code(run):
    sent = run["transactions"][1]["transaction"]
    sent["input"] = sent["input"][:2000] + "00" + sent["input"][2002:]


@pytest.mark.slow
@pytest.mark.parametrize(
    ("commit", "timestamp", "said"),
    [
        (
            "a1b2c3d",
            1_740_000_000,
            "which the broadcast names, then run `forge build --force --evm-version cancun`: cancun was forge's default",
        ),
        (None, 1_660_000_000, "run `forge build --force --evm-version london`"),
        (None, 1_760_000_000_000, "run `forge build --force --evm-version prague`"),
        (None, 1_770_000_000_000, "run `forge build --force --evm-version osaka`"),
        ("$(rm -rf)", None, "check out the revision that was deployed, then run `forge build --force`"),
    ],
)
def test_outdated_artifacts_suggest_forge_command(commit, timestamp, said, content, tmp_path):
    project = project_of("foundry", tmp_path)
    broadcasts(project, other_code)
    broadcasts(project, lambda run: run.update(commit=commit, timestamp=timestamp))
    result = imported(content, "foundry", source=project)
    assert result.exit_code == ExitCode.FINDINGS
    assert "the bytecode does not match" in result.output
    assert said in result.output
    assert "rm -rf" not in result.output


def test_wiped_ignition_deployment_is_reported(content, tmp_path):
    project = project_of("ignition", tmp_path)
    with (project / JOURNAL).open("a") as journal:
        journal.write('\n{"futureId":"Line#Station","type":"WIPE_APPLY"}\n')
    result = imported(content, "ignition", source=project)
    assert result.exit_code == ExitCode.OK, result.output
    assert "verified and added: 2 contracts" in result.output
    [station] = [line for line in result.output.splitlines() if "Line#Station" in line]
    assert "0x" in station
    assert "was wiped from the journal" in result.output


def test_undeployed_used_contract_is_reported(content, tmp_path):
    project = project_of("ignition", tmp_path)
    begins = {
        "artifactId": "Line#Fare",
        "contractAddress": OTHER,
        "contractName": "Fare",
        "dependencies": [],
        "futureId": "Line#Used",
        "futureType": "NAMED_ARTIFACT_CONTRACT_AT",
        "strategy": "basic",
        "strategyConfig": {},
        "type": "CONTRACT_AT_EXECUTION_STATE_INITIALIZE",
    }
    with (project / JOURNAL).open("a") as journal:
        journal.write(f"\n{json.dumps(begins)}\n")
    result = imported(content, "ignition", source=project)
    assert result.exit_code == ExitCode.FINDINGS
    assert "verified and added: 3 contracts" in result.output
    assert f"{OTHER}" in result.output.lower()
    assert "missing its code on the chain: import again with --rpc URL" in result.output


def test_address_missing_from_journal_is_reported(content, tmp_path):
    project = project_of("ignition", tmp_path)
    file = (project / JOURNAL).with_name("deployed_addresses.json")
    file.write_text(json.dumps({**json.loads(file.read_text()), "Line#Lost": OTHER}))
    result = imported(content, "ignition", source=project)
    assert result.exit_code == ExitCode.OK
    assert f"Line#Lost ({OTHER})" in result.output
    assert "deployed_addresses.json names it, and the journal" in result.output


def test_hardhat_deploy_diamond_facets_are_reported(content, tmp_path):
    project = project_of("hardhat-deploy", tmp_path)
    network = project / "deployments/local"
    station = json.loads((network / "Station.json").read_text())
    array, former = "0x" + "56" * 20, "0x" + "78" * 20
    facets = [{"facetAddress": OTHER, "functionSelectors": []}, [array, ["0x01ffc9a7"]]]
    history = [{"address": station["address"], "facets": [{"facetAddress": former}]}]
    named = {"address": station["address"], "abi": [], "facets": facets, "history": history}
    (network / "Station.json").write_text(json.dumps(named))
    (network / "Station_DiamondProxy.json").write_text(json.dumps(station))
    fare = json.loads((network / "Fare.json").read_text())
    earlier = {**fare, "address": "0x" + "34" * 20}
    (network / "Fare.json").write_text(json.dumps({**fare, "history": [earlier]}))
    result = imported(content, "hardhat-deploy", "--dry-run", source=project)
    assert "not complete yet, not part of the site: 4 contracts" in result.output
    assert "0x" + "34" * 20 in result.output.lower()
    for address in (OTHER, array, former):
        assert f"Station's facet ({address})" in result.output
    assert "no file of the network describes it" in result.output


def test_missing_chain_suggests_add_chains(tmp_path):
    content = empty_site(tmp_path, ["5"])
    result = imported(content, "ignition")
    assert result.exit_code == ExitCode.FINDINGS
    assert "add it to `chains` in site.yaml or site.json, or import again with --add-chains" in result.output


def test_unlisted_chains_are_reported_once(tmp_path):
    content, project = empty_site(tmp_path, ["5"]), tmp_path / "networks"
    for chain_id in range(100, 120):
        network = project / f"deployments/n{chain_id}"
        shutil.copytree(DEPLOYMENTS / "hardhat-deploy/deployments/local", network)
        (network / ".chainId").write_text(str(chain_id))
    result = imported(content, "hardhat-deploy", source=project)
    assert result.output.count("site.yaml") == 1
    assert (
        "not imported: 60 contracts; 20 chains are not listed under `chains`: 100, 101, 102" in result.output
    )


def test_add_chains_option_extends_site_yaml(tmp_path):
    content = empty_site(tmp_path, ["5"])
    before = (content / "site.yaml").read_text()
    dry = imported(content, "ignition", "--add-chains", "--dry-run")
    assert "verified and would be added: 3 contracts" in dry.output
    assert (content / "site.yaml").read_text() == before
    result = imported(content, "ignition", "--add-chains")
    assert result.exit_code == ExitCode.OK, result.output
    assert [chain.chain_id for chain in catalogue_of(content).content_of(SiteContracts).chains] == [
        "5",
        "31337",
    ]
    after = (content / "site.yaml").read_text()
    assert after.startswith(before.rstrip())
    assert "added to site.yaml; name the chain there" in result.output
