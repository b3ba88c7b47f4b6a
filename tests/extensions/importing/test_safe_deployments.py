"""Assets of safe-deployments have no sources: every address that they name is in the report, with what is missing."""

import json
from pathlib import Path

from statuary.cli.exit_codes import ExitCode
from support.imported_projects import empty_site, imported
from support.sites import write_files

CANONICAL, OTHER = "0x" + "41" * 20, "0x" + "c3" * 20
ASSET = {
    "released": True,
    "contractName": "Safe",
    "version": "1.4.1",
    "deployments": {
        "canonical": {"address": CANONICAL, "codeHash": "0x" + "1f" * 32},
        "zksync": {"address": OTHER, "codeHash": "0x" + "fa" * 32},
    },
    "networkAddresses": {"1": "canonical", "324": ["canonical", "zksync"], "10": "eip155"},
    "abi": [],
}


def test_addresses_are_listed_with_missing_parts(tmp_path: Path) -> None:
    folder = write_files(tmp_path / "safe", {"src/assets/v1.4.1/safe.json": json.dumps(ASSET)})
    result = imported(empty_site(tmp_path, [1, 324, 10]), "safe-deployments", source=folder)
    assert result.exit_code == ExitCode.FINDINGS
    assert (
        "not imported: 3 contracts; safe-deployments has the hash of its code, and neither" in result.output
    )
    assert "build safe-smart-account 1.4.1" in result.output
    assert result.output.count("Safe 1.4.1, canonical (0x4141") == 2
    assert "Safe 1.4.1, zksync (0xc3" in result.output.lower().replace("safe", "Safe")
    assert "has no deployment eip155" in result.output


def test_chain_option_filters_addresses(tmp_path: Path) -> None:
    folder = write_files(
        tmp_path / "safe",
        {"safe.json": json.dumps({**ASSET, "networkAddresses": {"1": "canonical", "324": "zksync"}})},
    )
    result = imported(empty_site(tmp_path, [1]), "safe-deployments", "--chain-id", "1", source=folder)
    assert "1 contract" in result.output
    assert "zksync" not in result.output


def test_folder_without_assets_is_an_error(tmp_path: Path) -> None:
    folder = write_files(tmp_path / "safe", {"package.json": "{}"})
    result = imported(empty_site(tmp_path), "safe-deployments", source=folder)
    assert "has no assets of safe-deployments" in result.output
    assert result.exit_code != ExitCode.OK
