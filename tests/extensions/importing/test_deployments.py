"""What real tools deployed is imported with one command, verified, from files alone or with a node that holds the same."""

import json
import shutil

import pytest
from click.testing import CliRunner

from statuary.cli.exit_codes import ExitCode
from statuary.cli.main import command
from statuary.contracts.site_contracts import SiteContracts
from statuary.contracts.sources.read_contract import read_contract
from support.ethereum_node import COMPILERS, ethereum_node, send_signed
from support.imported_projects import DEPLOYMENTS, catalogue_of, empty_site, imported
from support.requirements import require_program
from support.sites import tree

EXPECTED = {
    "foundry": ["Fare", "Station", "Turnstile", "Turnstile"],
    "ignition": ["Fare", "Station", "Turnstile"],
    "hardhat-deploy": ["Fare", "Station", "Turnstile"],
}


def records(content):
    """Return the records of a content folder by address."""
    found = {
        one.address: read_contract(content, one).record
        for one in catalogue_of(content).content_of(SiteContracts).sources
    }
    assert None not in found.values()
    return found


def names(content):
    return sorted(record["compilation"]["name"] for record in records(content).values())


def is_clean(content):
    checked = CliRunner().invoke(
        command, ["check", "--content", str(content), "--now", "2026-11-20T12:00:00Z"]
    )
    return checked.exit_code == ExitCode.OK and "contracts/" not in checked.output


@pytest.fixture
def content(tmp_path):
    return empty_site(tmp_path)


@pytest.fixture
def solc():
    program = COMPILERS / "bin/solc-0.8.30"
    return f"solc={require_program(str(program), install='.ci/install-compilers')}"


@pytest.fixture
def node():
    """Start a node that holds what a tool deployed."""

    def holding(kind):
        for raw in json.loads((DEPLOYMENTS / kind / "transactions.json").read_text()):
            send_signed(url, raw)
        return url

    with ethereum_node() as url:
        yield holding


@pytest.mark.parametrize("kind", ["foundry", "ignition"])
def test_saved_deployment_transactions_need_no_node(kind, content):
    result = imported(content, kind)
    assert result.exit_code == ExitCode.OK, result.output
    assert names(content) == EXPECTED[kind]
    assert {record["creationMatch"] for record in records(content).values()} == {"exact_match"}
    noted = {"foundry": 1, "ignition": 0}[kind]
    assert result.output.count("nothing here shows that it created the contract") == noted
    assert is_clean(content)


@pytest.mark.slow
@pytest.mark.parametrize("kind", ["foundry", "ignition"])
def test_import_with_node_adds_runtime_match(kind, content, node):
    result = imported(content, kind, "--rpc", node(kind))
    assert result.exit_code == ExitCode.OK, result.output
    assert names(content) == EXPECTED[kind]
    for record in records(content).values():
        assert (record["creationMatch"], record["runtimeMatch"]) == ("exact_match", "exact_match")
        assert record["deployment"]["blockNumber"] is not None
    assert is_clean(content)


def with_shifted_hashes(tmp_path):
    """Return Foundry's project where each transaction has the next one's hash, as forge wrote them."""
    project = shutil.copytree(DEPLOYMENTS / "foundry", tmp_path / "shifted")
    for file in project.glob("broadcast/*/*/run-*.json"):
        run = json.loads(file.read_text())
        names = [transaction["hash"] for transaction in run["transactions"]]
        for transaction, name in zip(run["transactions"], [*names[1:], names[0]], strict=True):
            transaction["hash"] = name
        file.write_text(json.dumps(run))
    return project


def hashes(content):
    return {address: record["deployment"]["transactionHash"] for address, record in records(content).items()}


def test_shifted_transaction_hashes_are_corrected(content, tmp_path):
    imported(content, "foundry")
    expected = hashes(content)
    shifted = empty_site(tmp_path / "second")
    result = imported(shifted, "foundry", source=with_shifted_hashes(tmp_path))
    assert result.exit_code == ExitCode.OK, result.output
    found = hashes(shifted)
    assert {address for address, name in found.items() if name not in (None, expected[address])} == set()
    assert sum(name is not None for name in found.values()) == 2


@pytest.mark.slow
def test_node_corrects_shifted_transaction_hashes(content, node, tmp_path):
    url = node("foundry")
    imported(content, "foundry", "--rpc", url)
    shifted = empty_site(tmp_path / "second")
    result = imported(shifted, "foundry", "--rpc", url, source=with_shifted_hashes(tmp_path))
    assert result.exit_code == ExitCode.OK, result.output
    assert None not in hashes(content).values()
    assert hashes(shifted) == hashes(content)


@pytest.mark.slow
def test_hardhat_deploy_needs_compiler_and_node(content, node, solc):
    bare = imported(content, "hardhat-deploy")
    assert bare.exit_code == ExitCode.FINDINGS
    assert "3 contracts; missing its code on the chain" in bare.output
    assert "3 contracts; missing the compiler's output" in bare.output
    [settings, *_] = sorted(content.rglob("contract.yaml"))
    assert settings.read_text().startswith(
        "# Missing: the compiler's output: no compiler for solc 0.8.30+commit.7"
    )
    assert not is_clean(content)

    whole = imported(content, "hardhat-deploy", "--rpc", node("hardhat-deploy"), "--compiler", solc)
    assert whole.exit_code == ExitCode.OK, whole.output
    assert names(content) == EXPECTED["hardhat-deploy"]
    assert {record["match"] for record in records(content).values()} == {"exact_match"}
    assert "Missing" not in settings.read_text()
    assert is_clean(content)


def test_second_import_adds_only_new_contracts(content, tmp_path):
    project = shutil.copytree(DEPLOYMENTS / "ignition", tmp_path / "project")
    journal = project / "ignition/deployments/chain-31337/journal.jsonl"
    lines = journal.read_text().splitlines(keepends=True)
    first = next(number for number, line in enumerate(lines) if "Line#Turnstile" in line)
    journal.write_text("".join(lines[:first]))
    assert imported(content, "ignition", source=project).exit_code == ExitCode.OK
    assert names(content) == ["Fare", "Station"]
    for settings in content.rglob("contract.yaml"):
        settings.write_text("# mine\n" + settings.read_text())
    before = tree(content)

    journal.write_text("".join(lines))
    result = imported(content, "ignition", source=project)
    assert "verified and added: 1 contract\n" in result.output
    assert "already in" in result.output
    assert names(content) == EXPECTED["ignition"]
    assert before.items() <= tree(content).items()
    after = tree(content)
    imported(content, "ignition", source=project)
    assert tree(content) == after
    assert sorted(record["matchId"] for record in records(content).values()) == ["1", "2", "3"]


def test_deployment_import_dry_run_writes_nothing(content):
    before = tree(content)
    result = imported(content, "foundry", "--dry-run")
    assert "verified and would be added: 4 contracts" in result.output
    assert tree(content) == before


def test_address_option_imports_only_that_contract(content):
    address = "0x5FbDB2315678afecb367f032d93F642f64180aa3"
    assert imported(content, "ignition", "--address", address).exit_code == ExitCode.OK
    assert list(records(content)) == [address]


def test_import_skips_mismatching_deployment_code(content, tmp_path):
    project = shutil.copytree(DEPLOYMENTS / "foundry", tmp_path / "project")
    for run in project.glob("broadcast/**/run-*.json"):
        text = json.loads(run.read_text())
        sent = text["transactions"][1]["transaction"]
        sent["input"] = sent["input"][:2000] + "00" + sent["input"][2002:]
        run.write_text(json.dumps(text))
    result = imported(content, "foundry", source=project)
    assert result.exit_code == ExitCode.FINDINGS
    assert names(content) == ["Fare", "Station", "Turnstile"]
    assert "the bytecode does not match" in result.output


def test_import_for_unlisted_chain_is_reported(tmp_path):
    content = empty_site(tmp_path)
    (content / "site.yaml").write_text((content / "site.yaml").read_text().replace("31337", "5"))
    result = imported(content, "ignition")
    assert result.exit_code == ExitCode.FINDINGS
    assert (
        "not imported: 3 contracts; chain 31337 is not listed under `chains`; add it to `chains`"
        in result.output
    )


def test_hardhat_deploy_falls_back_to_metadata(content, tmp_path):
    project = shutil.copytree(DEPLOYMENTS / "hardhat-deploy", tmp_path / "project")
    shutil.rmtree(project / "deployments/local/solcInputs")
    imported(content, "hardhat-deploy", source=project)
    [fare] = [file for file in content.rglob("contract.yaml") if "Fare.sol:Fare" in file.read_text()]
    sources = json.loads((fare.parent / "input.json").read_text())["sources"]
    assert list(sources) == ["contracts/Fare.sol"]
    assert "What a ride costs" in sources["contracts/Fare.sol"]["content"]


@pytest.mark.slow
def test_hardhat_deploy_2_needs_no_node(content, tmp_path, solc):
    """It notes the input, the code and the arguments in each file, and the chain in `.chain`."""
    network = shutil.copytree(
        DEPLOYMENTS / "hardhat-deploy/deployments/local", tmp_path / "deployments/local"
    )
    (network / ".chainId").unlink()
    (network / ".chain").write_text('{"chainId":"31337","genesisHash":"0x12"}')
    solc_inputs = network / "solcInputs"
    for nonce, file in enumerate([network / "Fare.json"]):
        old = json.loads(file.read_text())
        receipt = old["receipt"]
        new = {
            "address": old["address"],
            "bytecode": old["bytecode"],
            "argsData": "0x",
            "metadata": old["metadata"],
            "solcInput": (solc_inputs / f"{old['solcInputHash']}.json").read_text(),
            "transaction": {"hash": old["transactionHash"], "nonce": hex(nonce), "origin": receipt["from"]},
            "receipt": {"blockNumber": hex(receipt["blockNumber"]), "transactionIndex": "0x0"},
        }
        file.write_text(json.dumps(new))
    shutil.rmtree(solc_inputs)
    for other in ("Station.json", "Turnstile.json"):
        (network / other).unlink()
    result = imported(content, "hardhat-deploy", "--compiler", solc, source=tmp_path)
    assert result.exit_code == ExitCode.OK, result.output
    [record] = records(content).values()
    assert record["creationMatch"] == "exact_match"
    assert record["deployment"]["transactionHash"] == new["transaction"]["hash"]


def test_import_leaves_existing_broken_workspace_unchanged(content):
    imported(content, "foundry")
    [broken, *_] = sorted(content.rglob("contract.yaml"))
    (broken.parent / "output.json").unlink()
    before = tree(content)
    result = imported(content, "foundry")
    assert "already in" in result.output
    assert tree(content) == before


@pytest.mark.parametrize("tool", ["ignition", "hardhat-deploy"])
def test_hardhat_import_reads_deployments_of_plugins(tool, content):
    of_tool = imported(content, tool, "--dry-run")
    of_project = imported(content, "hardhat", "--dry-run", source=DEPLOYMENTS / tool)
    assert of_project.exit_code == of_tool.exit_code
    assert of_project.output.replace(" hardhat ", f" {tool} ") == of_tool.output


def test_hardhat_without_deployments_suggests_contract_add(content, tmp_path):
    refused = imported(content, "hardhat", source=tmp_path)
    assert refused.exit_code == ExitCode.FAILED
    assert "statuary contract add artifacts/contracts/FILE.sol/NAME.json" in refused.stderr


def test_moccasin_deployments_are_imported(content):
    help_text = CliRunner().invoke(command, ["import", "moccasin", "--help"])
    assert (help_text.exit_code, "moccasin" in help_text.output) == (0, True)
