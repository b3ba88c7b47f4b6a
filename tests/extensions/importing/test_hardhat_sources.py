"""Contracts of a Hardhat project without artifacts are read from its build-infos, or the message says how to make them."""

import json
import shutil

import pytest

from statuary.cli.exit_codes import ExitCode
from statuary.contracts.site_contracts import SiteContracts
from statuary.contracts.sources.read_contract import read_contract
from statuary.extensions.importing.report import NotImportableError
from statuary.extensions.importing.toolchains.hardhat_deploy import read_hardhat_deploy
from statuary.extensions.importing.toolchains.hardhat_sources import HardhatBuilds
from statuary.extensions.importing.toolchains.ignition import read_ignition
from support.ethereum_node import COMPILERS
from support.imported_projects import DEPLOYMENTS, catalogue_of, empty_site, imported
from support.requirements import require_program

CHAIN = "ignition/deployments/chain-31337"
PROJECTS = ["ignition", "ignition-typescript"]
CODE = "0x" + (b"\xa2dsolcC\x00\x08\x1e\x00\x33").hex()
"""The end of code that solc 0.8.30 compiled."""


@pytest.fixture
def project(tmp_path):
    """Return a copy of a project that lacks some of its files."""

    def copied(name, *missing):
        folder = shutil.copytree(DEPLOYMENTS / name, tmp_path / name)
        for path in missing:
            shutil.rmtree(folder / path)
        return folder

    return copied


def compilations(contracts):
    return {listed.name: listed.read_source().compilation for listed in contracts}


@pytest.mark.parametrize("name", PROJECTS)
@pytest.mark.parametrize(
    "missing",
    [
        [f"{CHAIN}/artifacts"],
        [f"{CHAIN}/build-info"],
        [f"{CHAIN}/artifacts", f"{CHAIN}/build-info"],
        [f"{CHAIN}/artifacts", "artifacts"],
    ],
    ids=["copied artifacts", "copied build-infos", "copies", "all artifacts"],
)
def test_hardhat_compilation_without_artifacts_equals_original(name, missing, project):
    found = compilations(read_ignition(project(name, *missing)))
    expected = compilations(read_ignition(DEPLOYMENTS / name))
    assert found.keys() == expected.keys()
    for contract, compilation in found.items():
        artifact = expected[contract]
        assert compilation.fully_qualified_name == artifact.fully_qualified_name
        assert compilation.std_json_input == artifact.std_json_input
        assert compilation.version == artifact.version
        assert compilation.std_json_output == (None if "artifacts" in missing else artifact.std_json_output)


def test_hardhat_artifacts_beside_deployment_are_preferred(project):
    folder = project("ignition", f"{CHAIN}/artifacts")
    for file in (folder / "artifacts/build-info").glob("*.json"):
        file.write_text(file.read_text().replace("3 gwei", "4 gwei"))
    found = compilations(read_ignition(folder))
    assert "3 gwei" in json.dumps(found["Line#Fare"].std_json_input)


def without_build_info(folder):
    shutil.rmtree(folder / "artifacts")
    shutil.rmtree(folder / CHAIN / "artifacts")
    shutil.rmtree(folder / CHAIN / "build-info")


def test_missing_compiler_settings_suggest_command(project, tmp_path):
    folder = project("ignition-typescript")
    without_build_info(folder)
    result = imported(empty_site(tmp_path / "site"), "hardhat", source=folder)
    assert result.exit_code == ExitCode.FINDINGS
    output = " ".join(result.output.split())
    assert (
        "has Turnstile for solc 0.8.30; the compiler's settings are in hardhat.config.ts, a program" in output
    )
    assert "run `npx hardhat compile`, and import again" in output


def with_deployments(folder, **members):
    """Add the files of hardhat-deploy, which have no metadata, to a project."""
    source = DEPLOYMENTS / "hardhat-deploy/deployments/local"
    network = folder / "deployments/local"
    network.mkdir(parents=True)
    shutil.copy(source / ".chainId", network)
    deployment = json.loads((source / "Fare.json").read_text())
    for name in ("metadata", "solcInputHash"):
        del deployment[name]
    for file, more in members.items():
        (network / f"{file}.json").write_text(json.dumps(deployment | more))
    return folder


@pytest.mark.parametrize(
    ("file", "more"),
    [
        ("Fare", {}),
        ("Fare_Implementation", {}),
        ("Prices", {"contractName": "Fare"}),
        ("Fare", {"bytecode": None}),
    ],
)
def test_hardhat_without_metadata_uses_build_info(file, more, project):
    folder = with_deployments(project("ignition", "ignition"), **{file: more})
    [found] = compilations(read_hardhat_deploy(folder)).values()
    expected = compilations(read_ignition(DEPLOYMENTS / "ignition"))["Line#Fare"]
    assert found == expected


def test_other_hardhat_compiler_build_is_ignored(project):
    folder = with_deployments(project("ignition", "ignition"), Fare={"bytecode": CODE.replace("1e", "1d")})
    [fare] = read_hardhat_deploy(folder)
    with pytest.raises(NotImportableError, match=r"no build-info of .* has Fare for solc 0\.8\.29"):
        fare.read_source()


def build_info(project, name, sources, **settings):
    file = project / "artifacts/build-info" / f"{name}.json"
    file.parent.mkdir(parents=True, exist_ok=True)
    texts = {path: {"content": text} for path, text in sources.items()}
    value = {
        "_format": "hh-sol-build-info-1",
        "solcVersion": "0.8.30",
        "solcLongVersion": "0.8.30+commit.73712a01",
        "input": {"language": "Solidity", "sources": texts, "settings": settings},
        "output": {
            "contracts": {path: {"A": {"evm": {"bytecode": {"object": "00"}}}} for path in sources},
        },
    }
    file.write_text(json.dumps(value))


@pytest.mark.parametrize(
    ("name", "builds", "path"),
    [
        ("A", [({"a.sol": "contract A {}", "b.sol": "interface A {} // contract A"}, {})], "a.sol"),
        ("A", [({"a.sol": "contract A {}"}, {}), ({"a.sol": "contract A {}"}, {})], "a.sol"),
        ("b.sol:A", [({"a.sol": "contract A {}", "b.sol": "contract A {}"}, {})], "b.sol"),
        ("A", [({"a.sol": "contract A {}", "b.sol": "contract A {}"}, {})], None),
        ("A", [({"a.sol": "contract A {}"}, {}), ({"a.sol": "contract A { }"}, {})], None),
        ("A", [({"a.sol": "contract A {}"}, {}), ({"a.sol": "contract A {}"}, {"viaIR": True})], None),
    ],
)
def test_disagreeing_hardhat_builds_are_rejected(name, builds, path, tmp_path):
    for number, (sources, settings) in enumerate(builds):
        build_info(tmp_path, f"{number}", sources, **settings)
    project = HardhatBuilds(tmp_path / "deployments/local", "deployments")
    if path is None:
        with pytest.raises(NotImportableError, match="have different contracts A"):
            project.find_compilation(name, CODE, "none")
    else:
        assert project.find_compilation(name, CODE, "none").fully_qualified_name == f"{path}:A"


LONG = "x" * 400
"""A name that no file can have."""


@pytest.mark.parametrize(
    ("old", "new", "message"),
    [
        ('"artifactId":"Line#Fare"', f'"artifactId":"{LONG}"', "no build-info of .* has Elsewhere"),
        ('"artifactId":"Line#Fare"', '"artifactId":"a\\u0000b"', "no build-info of .* has Elsewhere"),
        ('"artifactId":"Line#Fare",', "", "no 'artifactId'"),
        ('"contractName":"Elsewhere",', "", "contractName"),
        ('"contractName":"Elsewhere"', '"contractName":""', "no build-info of"),
        ('"contractName":"Elsewhere"', '"contractName":7', "contractName"),
    ],
)
def test_malformed_ignition_journal_is_rejected(old, new, message, project):
    folder = project("ignition", f"{CHAIN}/artifacts")
    journal = folder / CHAIN / "journal.jsonl"
    text = journal.read_text().replace('"contractName":"Fare"', '"contractName":"Elsewhere"')
    assert old in text
    journal.write_text(text.replace(old, new))
    [fare] = [listed for listed in read_ignition(folder) if listed.name == "Line#Fare"]
    with pytest.raises(NotImportableError, match=message):
        fare.read_source()


@pytest.mark.parametrize("build", [LONG, "a\0b", "../../x", 7, None])
def test_unusable_hardhat_build_id_is_ignored(build, project):
    folder = project("ignition")
    file = folder / CHAIN / "artifacts/Line#Fare.json"
    file.write_text(json.dumps(json.loads(file.read_text()) | {"buildInfoId": build}))
    fare = compilations(read_ignition(folder))["Line#Fare"]
    assert fare == compilations(read_ignition(DEPLOYMENTS / "ignition"))["Line#Fare"]


@pytest.mark.slow
@pytest.mark.parametrize("name", PROJECTS)
def test_hardhat_project_without_artifacts_is_imported(name, project, tmp_path):
    solc = require_program(str(COMPILERS / "bin/solc-0.8.30"), install=".ci/install-compilers")
    content = empty_site(tmp_path / "site")
    folder = project(name, "artifacts", f"{CHAIN}/artifacts")
    result = imported(content, "hardhat", "--compiler", f"solc={solc}", source=folder)
    assert result.exit_code == ExitCode.OK, result.output
    sources = catalogue_of(content).content_of(SiteContracts).sources
    records = [read_contract(content, source).record for source in sources]
    assert {record["creationMatch"] for record in records} == {"exact_match"}
    assert len(records) == len(compilations(read_ignition(DEPLOYMENTS / name)))
