"""Compilers' own standard JSON: the demo network's contracts, which are kept as such, come out as they are kept."""

import json
import shutil

import pytest
import yaml

from statuary.base.primitives import parse_address, parse_instant, parse_lowercase_hex
from statuary.contracts.model.derivation import WorkspaceDeployment
from statuary.contracts.site_contracts import SiteContracts
from statuary.contracts.sources.contract_source import ContractForm
from statuary.contracts.sources.read_contract import read_contract
from statuary.engine.read_content import read_content
from statuary.extensions.importing.evidence.on_chain_contract import OnChainContract
from statuary.extensions.importing.prepare_contract import ImportOptions, prepare_contract
from statuary.extensions.importing.report import NotImportableError
from statuary.extensions.importing.toolchains.hardhat import read_compilation
from support.requirements import CHECKOUT

CONTENT = CHECKOUT / "content"
WORKSPACES = sorted((CONTENT / "contracts/748463").glob("*/contract.yaml"))


def settings_of(workspace):
    """Return what a `contract.yaml` says; text stays text."""
    return yaml.load(workspace.read_text(encoding="utf-8"), Loader=yaml.BaseLoader)


def held(workspace, settings):
    creation = workspace.with_name("creation.hex")
    deployment = settings.get("deployment", {})
    return OnChainContract(
        creation=parse_lowercase_hex(creation.read_text().strip()) if creation.exists() else None,
        runtime=parse_lowercase_hex(workspace.with_name("runtime.hex").read_text().strip()),
        deployment=WorkspaceDeployment(
            transaction_hash=deployment.get("transaction_hash"),
            block_number=deployment.get("block_number"),
            transaction_index=deployment.get("transaction_index"),
            deployer=deployment.get("deployer"),
        ),
    )


@pytest.mark.slow
@pytest.mark.parametrize("workspace", WORKSPACES, ids=lambda workspace: workspace.parent.name)
def test_standard_json_of_demo_reproduces_record(workspace, tmp_path):
    settings = settings_of(workspace)
    compilation = read_compilation(
        workspace.with_name("input.json"),
        output_file=workspace.with_name("output.json"),
        contract_name=settings["contract"],
        compiler_version=settings["compiler"]["version"],
    )
    shutil.copy(CONTENT / "site.yaml", tmp_path)
    wanted = ImportOptions(
        chain_id="748463",
        address=parse_address(workspace.parent.name),
        form=ContractForm.RECORD,
        match_id=settings["match_id"],
        verified_at=parse_instant(settings["verified_at"]),
        now=parse_instant("2026-11-20T12:00:00Z"),
        replace=False,
    )
    catalogue, _ = read_content(tmp_path)
    found = prepare_contract(tmp_path, catalogue, wanted, compilation, held(workspace, settings))
    [source] = [
        one
        for one in read_content(CONTENT).site.content_of(SiteContracts).sources
        if one.address == workspace.parent.name
    ]
    kept = read_contract(CONTENT, source).record
    if "proxy" in settings:  # files do not have what the chain returned for it
        assert "proxyResolutionError" in found.verification.record["proxyResolution"]
        found.verification.record["proxyResolution"] = kept["proxyResolution"]
    assert found.verification.record == kept
    assert found.verification.findings == ()


def test_replaced_contract_keeps_proxy_resolution(tmp_path):
    [workspace] = [one for one in WORKSPACES if "EIP1967Proxy" in one.read_text()]
    content = tmp_path / "content"
    shutil.copytree(workspace.parent, content / workspace.parent.relative_to(CONTENT))
    shutil.copy(CONTENT / "site.yaml", content)
    catalogue, settings = read_content(content).site, settings_of(workspace)
    wanted = ImportOptions(
        chain_id="748463",
        address=parse_address(workspace.parent.name),
        form=ContractForm.WORKSPACE,
        match_id=None,
        verified_at=None,
        now=parse_instant("2026-11-20T12:00:00Z"),
        replace=True,
    )
    compilation = read_compilation(
        workspace.with_name("input.json"),
        output_file=workspace.with_name("output.json"),
        contract_name=settings["contract"],
    )
    found = prepare_contract(content, catalogue, wanted, compilation, held(workspace, settings))
    (source,) = catalogue.content_of(SiteContracts).sources
    kept = read_contract(content, source).record
    assert found.verification.record == kept
    again = yaml.load(found.files[source.path], Loader=yaml.BaseLoader)
    assert again == settings


def write(folder, name, value):
    (folder / name).write_text(json.dumps(value))
    return folder / name


INPUT = {"language": "Solidity", "sources": {"a.sol": {"content": ""}, "b.sol": {"content": ""}}}
CODE = {"evm": {"bytecode": {"object": "6000"}}}


def test_input_without_output_requires_qualified_name(tmp_path):
    file = write(tmp_path, "input.json", INPUT)
    assert read_compilation(file, contract_name="a.sol:A").std_json_output is None
    for name in (None, "A", "c.sol:A"):
        with pytest.raises(NotImportableError, match="you have to name the contract"):
            read_compilation(file, contract_name=name)


def test_vyper_contract_is_named_after_file(tmp_path):
    file = write(tmp_path, "input.json", {"language": "Vyper", "sources": {"v/One.vy": {"content": ""}}})
    found = read_compilation(file, compiler_version="0.4.3+commit.bff19ea2")
    assert (found.compiler, found.fully_qualified_name) == ("vyper", "v/One.vy:One")
    assert found.version == "0.4.3+commit.bff19ea2"


def test_vyper_output_yields_version_without_commit(tmp_path):
    file = write(tmp_path, "input.json", {"language": "Vyper", "sources": {"One.vy": {"content": ""}}})
    output = write(
        tmp_path, "output.json", {"compiler": "vyper-0.4.3", "contracts": {"One.vy": {"One": CODE}}}
    )
    assert read_compilation(file, output_file=output).version == "0.4.3"
    whole = read_compilation(file, output_file=output, compiler_version="0.4.3+commit.bff19ea2")
    assert whole.version == "0.4.3+commit.bff19ea2"
    with pytest.raises(NotImportableError, match="is from 0"):
        read_compilation(file, output_file=output, compiler_version="0.4.2")


def test_duplicate_contract_name_requires_qualified_name(tmp_path):
    file = write(tmp_path, "input.json", INPUT)
    output = write(tmp_path, "output.json", {"contracts": {"a.sol": {"A": CODE}, "b.sol": {"A": CODE}}})
    with pytest.raises(NotImportableError, match="2 contracts are named 'A'"):
        read_compilation(file, output_file=output, contract_name="A")
    assert (
        read_compilation(file, output_file=output, contract_name="b.sol:A").fully_qualified_name == "b.sol:A"
    )


def test_compiler_output_with_errors_is_rejected(tmp_path):
    file = write(tmp_path, "input.json", INPUT)
    output = write(tmp_path, "output.json", {"errors": [{"message": "no"}]})
    with pytest.raises(NotImportableError, match="no contract with bytecode"):
        read_compilation(file, output_file=output)


def test_output_option_requires_standard_json(tmp_path):
    file = write(tmp_path, "other.json", {"_format": "hh-sol-build-info-1"})
    with pytest.raises(NotImportableError, match="--output is only for standard JSON input"):
        read_compilation(file, output_file=file)
