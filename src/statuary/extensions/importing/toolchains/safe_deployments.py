"""The addresses of Safe's contracts on every chain: assets of https://github.com/safe-global/safe-deployments.

A file has a contract's name, version and ABI, an address and the hash of its code for each kind of deployment, and which kinds
a chain has. There are no sources and no settings, so nothing can be imported of it alone: each address is named with what
is missing.
"""

from functools import partial
from pathlib import Path
from typing import Never

from statuary.base.json_values import JsonObject, as_list, as_object, as_text
from statuary.extensions.importing.report import NotImportableError
from statuary.extensions.importing.sources import object_at, read_json_file, text_at
from statuary.extensions.importing.toolchains.listed_contract import (
    ListedContract,
    ListedContracts,
    UnreadableContract,
    any_address,
    any_chain_id,
    with_unreadable,
)

ASSETS = ("src/assets", "assets", "dist/assets")


def read_safe_deployments(source: Path) -> ListedContracts:
    """Yield every address of every chain that the files name.

    Args:
        source: a checkout, the npm package, a folder of its assets, or one file.

    Raises:
        NotImportableError: if there is none.
    """
    folder = next((source / name for name in ASSETS if (source / name).is_dir()), source)
    files = [source] if source.is_file() else sorted(folder.glob("**/*.json"))
    assets = [(file, asset) for file in files if "networkAddresses" in (asset := read_json_file(file))]
    if not assets:
        raise NotImportableError(
            f"{source} has no assets of safe-deployments",
            "give a checkout of it, or node_modules/@safe-global/safe-deployments",
        )
    for file, asset in assets:
        yield from with_unreadable(file, file.name, _contracts(file, asset))


def _contracts(file: Path, asset: JsonObject) -> ListedContracts:
    name = f"{text_at(asset, 'contractName')} {text_at(asset, 'version')}"
    deployments = object_at(asset, "deployments")
    for chain, kinds in object_at(asset, "networkAddresses").items():
        chain_id = any_chain_id(chain, str(file))
        for kind in [kinds] if isinstance(kinds, str) else as_list(kinds):
            deployment = as_object(deployments.get(as_text(kind)))
            if not deployment:
                yield UnreadableContract(
                    f"{name}, {as_text(kind)}, on chain {chain}",
                    f"{file} has no deployment {kind}",
                    chain_id=chain_id,
                )
                continue
            address = any_address(deployment.get("address"), str(file))
            yield ListedContract(chain_id, address, f"{name}, {kind}", partial(_read, asset))


def _read(asset: JsonObject) -> Never:
    raise NotImportableError(
        "safe-deployments has the hash of its code, and neither sources nor settings",
        f"import it from Sourcify, or build safe-smart-account {asset.get('version')} and import its deployments",
    )
