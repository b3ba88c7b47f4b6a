"""The small project that real tool chains built for tests/extensions/importing, and what a real node then held of it."""

import json
from collections.abc import Iterable
from functools import cache
from pathlib import Path
from typing import Any

from click.testing import CliRunner, Result

from statuary.base.primitives import Hex, parse_address, parse_chain_id, parse_instant
from statuary.cli.main import command
from statuary.contracts.model.derivation import WorkspaceDeployment
from statuary.contracts.sources.contract_source import ContractForm
from statuary.engine.read_content import read_content
from statuary.extensions.importing.evidence.on_chain_contract import OnChainContract
from statuary.extensions.importing.prepare_contract import ImportOptions, PreparedContract, prepare_contract
from statuary.extensions.importing.toolchains.compilation import ImportedCompilation
from statuary.site.site_content import SiteContent
from support.sites import SITE, write_files

HERE = Path(__file__).parents[1] / "extensions" / "importing"
CHAIN_ID = parse_chain_id("31337")
NOW = parse_instant("2026-11-20T12:00:00Z")

HARDHAT_2, HARDHAT_3 = HERE / "hardhat2/artifacts", HERE / "hardhat3/artifacts"
DEPLOYMENTS = HERE / "deployments"
FOUNDRY, FOUNDRY_WHOLE = HERE / "foundry", HERE / "foundry_whole"


@cache
def chain() -> dict[str, Any]:
    return json.loads((HERE / "chain.json").read_text())


def on_chain(tool: str, contract: str) -> OnChainContract:
    """Return what the chain holds of a contract, as files would give it."""
    held = chain()["contracts"][tool][contract]
    return OnChainContract(
        creation=held["creation"],
        runtime=held["runtime"],
        deployment=WorkspaceDeployment(
            transaction_hash=Hex(held["transaction"]),
            block_number=str(held["block_number"]),
            transaction_index=str(held["transaction_index"]),
            deployer=parse_address(held["deployer"]),
        ),
    )


def the_only(folder: Path, pattern: str) -> Path:
    [file] = folder.glob(pattern)
    return file


def empty_site(folder: Path, chain_ids: Iterable[object] = (CHAIN_ID,)) -> Path:
    """Write a site with these chains and without contracts, and return its content folder."""
    page = SITE.partition("chains:")[0].replace("  id:", "  created_at: 2026-11-20T12:00:00Z\n  id:")
    chains = "".join(f"  - {{chain_id: {one}, name: Chain {one}}}\n" for one in chain_ids)
    return write_files(folder / "content", {"site.yaml": f"{page}chains:\n{chains}"})


def catalogue_of(content: Path) -> SiteContent:
    catalogue, _ = read_content(content)
    assert catalogue is not None
    return catalogue


def wanted(tool: str, contract: str, **changes: Any) -> ImportOptions:
    given: dict[str, Any] = {
        "chain_id": CHAIN_ID,
        "address": parse_address(chain()["contracts"][tool][contract]["address"]),
        "form": ContractForm.WORKSPACE,
        "match_id": None,
        "verified_at": None,
        "now": NOW,
        "replace": False,
        **changes,
    }
    return ImportOptions(**given)


def added(
    content: Path, tool: str, contract: str, compilation: ImportedCompilation, **changes: Any
) -> PreparedContract:
    """Return what adding a contract comes to."""
    target = wanted(tool, contract, **changes)
    return prepare_contract(content, catalogue_of(content), target, compilation, on_chain(tool, contract))


def imported(content: Path, kind: str, *options: str, source: Path | None = None) -> Result:
    """Run `statuary import` on what a tool deployed, or on another source."""
    arguments = ["import", kind, str(source or DEPLOYMENTS / kind), "--content", str(content)]
    return CliRunner().invoke(command, [*arguments, "--now", NOW.isoformat(), *options])
