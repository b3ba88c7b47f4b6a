"""Import the deployments of a Hardhat project.

Hardhat itself records no addresses; its plugins do.
"""

from pathlib import Path

from statuary.extensions.importing.report import NotImportableError
from statuary.extensions.importing.toolchains.hardhat_deploy import read_hardhat_deploy
from statuary.extensions.importing.toolchains.ignition import read_ignition
from statuary.extensions.importing.toolchains.listed_contract import ListedContracts


def read_hardhat_project(folder: Path) -> ListedContracts:
    """Yield the contracts that hardhat-deploy and Hardhat Ignition deployed.

    Args:
        folder: the folder of the Hardhat project.

    Raises:
        NotImportableError: if neither plugin has recorded a deployment.
    """
    has_deployments = next(folder.glob("deployments/*/*.json"), None) is not None
    has_journals = next(folder.glob("ignition/deployments/*/journal.jsonl"), None) is not None
    if not (has_deployments or has_journals):
        raise NotImportableError(
            f"{folder} has no deployments of hardhat-deploy or Ignition",
            "Hardhat does not store the addresses of other deployments: add each contract with"
            " `statuary contract add artifacts/contracts/FILE.sol/NAME.json --address 0x… --rpc URL`",
        )
    if has_deployments:
        yield from read_hardhat_deploy(folder)
    if has_journals:
        yield from read_ignition(folder)
