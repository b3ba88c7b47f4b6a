"""What ape notes of its deployments is imported: real compilers' code on a real node, in the files that eth-ape 0.8.52 writes."""

import json
import subprocess
from pathlib import Path
from typing import Any

import pytest

from statuary.cli.exit_codes import ExitCode
from statuary.contracts.site_contracts import SiteContracts
from statuary.contracts.sources.read_contract import read_contract
from statuary.extensions.compilers.compiler import install_hint
from support.ethereum_node import COMPILERS, ask, ethereum_node, send
from support.imported_projects import catalogue_of, empty_site, imported
from support.requirements import require_program
from support.sites import write_files

TOKEN = "# pragma version 0.4.3\ntotal: public(uint256)\n@deploy\ndef __init__(amount: uint256):\n    self.total = amount\n"
LIBRARY = "// SPDX-License-Identifier: MIT\npragma solidity 0.8.30;\nlibrary Lib { function twice(uint256 x) internal pure returns (uint256) { return 2 * x; } }\n"
VAULT = '// SPDX-License-Identifier: MIT\npragma solidity 0.8.30;\nimport {Lib} from "./Lib.sol";\ncontract Vault { uint256 public immutable start; constructor(uint256 s) { start = Lib.twice(s); } }\n'
OLD = "pragma solidity 0.6.12;\ncontract Old {}\n"
SOURCES = {
    "contracts/Token.vy": TOKEN,
    "contracts/Lib.sol": LIBRARY,
    "contracts/Vault.sol": VAULT,
    "contracts/Old.sol": OLD,
}
OPTIMIZER = {"optimizer": {"enabled": True, "runs": 200}}
CONFIG = """\
name: project
networks:
  custom:
    - {{name: testnet, chain_id: 31337, ecosystem: ethereum}}
deployments:
  ethereum:
    testnet:
      - {{contract_type: Token, address: "{token}"}}
    devnet:
      - {{contract_type: Token, address: "0x{other:040x}"}}
"""
MANIFEST = {
    "manifest": "ethpm/3",
    "sources": {name: {"content": text} for name, text in SOURCES.items()},
    "contractTypes": {
        "Token": {"contractName": "Token", "sourceId": "contracts/Token.vy"},
        "Vault": {"contractName": "Vault", "sourceId": "contracts/Vault.sol"},
    },
    "compilers": [
        {
            "name": "solidity",
            "version": "0.8.30+commit.73712a01",
            "contractTypes": ["Vault", "Lib"],
            "settings": {
                **OPTIMIZER,
                "outputSelection": {
                    "contracts/Vault.sol": {"*": ["abi"]},
                    "contracts/Lib.sol": {"*": ["abi"]},
                },
            },
        },
        {
            "name": "vyper",
            "version": "0.4.3",
            "contractTypes": ["Token"],
            "settings": {
                "optimize": "gas",
                "enable_decimals": False,
                "search_paths": ["/usr/lib/python3/dist-packages", "."],
                "outputSelection": {"contracts/Token.vy": ["*"]},
            },
        },
    ],
}


@pytest.fixture(scope="module")
def compilers() -> tuple[str, str]:
    solc, vyper = (
        require_program(str(COMPILERS / "bin" / name), install=".ci/install-compilers")
        for name in ("solc-0.8.30", "vyper-0.4.3")
    )
    return solc, vyper


@pytest.fixture
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("APE_DATA_FOLDER", str(tmp_path / "ape"))
    return tmp_path / "ape"


def code_of_vault(solc: str) -> str:
    question = {
        "language": "Solidity",
        "sources": {
            name: {"content": SOURCES[name]} for name in ("contracts/Vault.sol", "contracts/Lib.sol")
        },
        "settings": {**OPTIMIZER, "outputSelection": {"*": {"*": ["evm.bytecode.object"]}}},
    }
    done = subprocess.run(
        [solc, "--standard-json"], input=json.dumps(question), capture_output=True, text=True, check=True
    )
    output = json.loads(done.stdout[done.stdout.index("{") :])
    return "0x" + output["contracts"]["contracts/Vault.sol"]["Vault"]["evm"]["bytecode"]["object"]


def code_of_token(vyper: str, folder: Path) -> str:
    file = folder / "Token.vy"
    file.write_text(TOKEN)
    done = subprocess.run([vyper, "-f", "bytecode", file], capture_output=True, text=True, check=True)
    return done.stdout.strip()


def project(folder: Path, config: str, manifest: dict[str, Any]) -> Path:
    return write_files(folder, {"ape-config.yaml": config, ".build/__local__.json": json.dumps(manifest)})


@pytest.mark.slow
def test_ape_deployments_are_imported_and_verified(
    compilers: tuple[str, str], home: Path, tmp_path: Path
) -> None:
    solc, vyper = compilers
    with ethereum_node(31337, "--slots-in-an-epoch", "1") as url:
        token = send(url, code_of_token(vyper, tmp_path) + f"{7:064x}")
        vault = send(url, code_of_vault(solc) + f"{9:064x}")
        for _ in range(3):
            ask(url, "evm_mine")
        entry = {"address": vault["contractAddress"], "transaction_hash": vault["transactionHash"]}
        tracked = {"Vault": [entry], "OfAnotherProject": [{"address": "0x" + "12" * 20}]}
        write_files(
            home,
            {"ethereum/deployments_map.json": json.dumps({"ecosystems": {"ethereum": {"testnet": tracked}}})},
        )
        content = empty_site(tmp_path)
        folder = project(
            tmp_path / "project", CONFIG.format(token=token["contractAddress"], other=5), MANIFEST
        )
        options = ["--rpc", url, "--compiler", f"solc={solc}", "--compiler", f"vyper={vyper}"]
        result = imported(content, "ape", *options, source=folder)
    assert result.exit_code == ExitCode.FINDINGS, result.output
    records = [
        read_contract(content, source).record
        for source in catalogue_of(content).content_of(SiteContracts).sources
    ]
    assert {record["compilation"]["name"] for record in records} == {"Token", "Vault"}
    assert {record["creationMatch"] for record in records} == {"exact_match"}
    assert "compiled again with the same outcome: 2 contracts" in result.output
    assert "anchored on chain 31337: 2 of 2 contracts" in result.output
    assert (
        "has no chain id of the network ethereum:devnet; add the network under `networks.custom`"
        in result.output
    )
    assert f"0x{5:040x}" in result.output
    assert "OfAnotherProject" not in result.output


def test_missing_ape_compiler_prints_install_command(home: Path, tmp_path: Path, monkeypatch: Any) -> None:
    monkeypatch.setenv("PATH", str(tmp_path))
    address = "0x" + "12" * 20
    config = CONFIG.format(token=address, other=5).replace("devnet:", "testnet-2:")
    result = imported(empty_site(tmp_path), "ape", source=project(tmp_path / "project", config, MANIFEST))
    assert (
        "no compiler for vyper 0.4.3 (found: none); install it with `python3 -m venv vyper-0.4.3 && "
        in result.output
    )
    assert (
        "vyper-0.4.3/bin/pip install vyper==0.4.3` and add --compiler vyper=vyper-0.4.3/bin/vyper"
        in result.output
    )


@pytest.mark.parametrize(
    ("kind", "version", "words"),
    [
        (
            "solc",
            "0.8.30+commit.73712a01",
            "`npm install --prefix solc-0.8.30 solc@0.8.30` and add --compiler",
        ),
        ("solc", "0.8.7+commit.e28d00a7", "solc-0.8.7 solc@0.8.7-fixed`"),
        ("vyper", "0.3.10", "vyper-0.3.10/bin/pip install vyper==0.3.10`"),
        ("solc", "0.8.31-nightly.2025.1.1+commit.12345678", "give it with --compiler solc=PATH"),
    ],
)
def test_compiler_install_hint_contains_exact_version(kind: str, version: str, words: str) -> None:
    assert words in install_hint(kind, version)


@pytest.mark.parametrize(
    ("config", "manifest", "words"),
    [
        ("name: x\n", None, "that was compiled with `ape compile`"),
        ("name: x\n", MANIFEST, "lists a deployment of this project"),
        (
            'deployments: {ethereum: {mainnet: [{contract_type: Gone, address: "0x' + "12" * 20 + '"}]}}\n',
            MANIFEST,
            "has no contract type Gone",
        ),
        ("deployments: {ethereum: {mainnet: [{contract_type: Token}]}}\n", MANIFEST, "Token has no address"),
        ("deployments: [\n", MANIFEST, ": not YAML: "),
    ],
)
def test_incomplete_ape_project_is_reported(
    config: str, manifest: dict[str, Any] | None, words: str, home: Path, tmp_path: Path
) -> None:
    folder = tmp_path / "project"
    write_files(folder, {"ape-config.yaml": config})
    if manifest is not None:
        project(folder, config, manifest)
    result = imported(empty_site(tmp_path, [31337, 1]), "ape", source=folder)
    assert words in result.output
    assert result.exit_code != ExitCode.OK
    assert "Traceback" not in result.output
