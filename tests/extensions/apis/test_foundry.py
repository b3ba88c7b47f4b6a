"""Foundry, unchanged, against a site: decoded traces of a transaction on anvil, cloned projects, verified bytecode."""

import json
import os
import socket
import subprocess
from collections.abc import Iterator
from pathlib import Path
from time import monotonic, sleep
from typing import Any, NamedTuple
from urllib.error import URLError
from urllib.request import Request, urlopen

import pytest

from statuary.base.primitives import checksum_address
from statuary.contracts.settings import Chain
from statuary.contracts.sources.contract_source import ContractForm, ContractSource
from statuary.contracts.sources.read_contract import read_contract
from statuary.extensions.apis.declarations import parse_declarations
from statuary.extensions.apis.documents import derive_record_output
from statuary.extensions.apis.etherscan import iter_fixed_responses
from statuary.extensions.apis.settings import Api, ApisSettings
from statuary.extensions.apis.signatures import collect_signatures, iter_signature_documents
from statuary.site.document import encode_unchecked
from support.contracts import unjudged
from support.edge_runtimes import Served, write_site
from support.ethereum_node import COMPILERS
from support.host_servers import serve_with_statuary
from support.requirements import CHECKOUT, absent

pytestmark = pytest.mark.slow

FOUNDRY = COMPILERS / "node/node_modules/@foundry-rs"
CHAIN, CATALOGUE = "748463", "0x91076C04f562CB30dD2A550008A19dB06759B40f"
SENDER = "0xf39Fd6e51aad88F6F4ce6aB8827279cffFb92266"
INITIALIZE = "0xc4d66de8" + SENDER[2:].lower().rjust(64, "0")
"""The call `initialize(address)`, with the sender."""


def program(tool: str) -> str:
    path = FOUNDRY / f"{tool}-linux-amd64" / "bin" / tool
    if not path.is_file():
        absent(f"Foundry's {tool}, {path},", ".ci/install-compilers")
    return str(path)


class Deployed(NamedTuple):
    """A contract of the demo network, deployed on a node of this test, and its site."""

    rpc: str
    record: dict[str, Any]
    called: str  # the hash of a transaction that calls it
    site: Served
    cache: bytes  # the site's file for Foundry's cache


def ask(rpc: str, method: str, *parameters: Any) -> Any:
    body = json.dumps({"jsonrpc": "2.0", "id": 1, "method": method, "params": parameters}).encode()
    with urlopen(Request(rpc, body, {"Content-Type": "application/json"}), timeout=120) as response:
        return json.load(response)["result"]


def sent(rpc: str, **transaction: str) -> dict[str, Any]:
    """Send a transaction and return its receipt."""
    digest = ask(rpc, "eth_sendTransaction", {"from": SENDER, "gas": "0x400000", **transaction})
    ends = monotonic() + 120
    while (receipt := ask(rpc, "eth_getTransactionReceipt", digest)) is None:
        assert monotonic() < ends
        sleep(0.05)
    assert receipt["status"] == "0x1"
    return receipt


@pytest.fixture(scope="module")
def node() -> Iterator[str]:
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    rpc = f"http://127.0.0.1:{port}"
    command = [program("anvil"), "--host", "127.0.0.1", "--port", str(port), "--chain-id", CHAIN, "--silent"]
    with subprocess.Popen(command, stdout=subprocess.DEVNULL) as anvil:
        try:
            ends = monotonic() + 30
            while monotonic() < ends:
                try:
                    ask(rpc, "eth_chainId")
                    break
                except URLError:
                    sleep(0.1)
            yield rpc
        finally:
            anvil.terminate()


@pytest.fixture(scope="module")
def deployed(node: str, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Deployed]:
    path = f"contracts/{CHAIN}/{CATALOGUE}/contract.yaml"
    record = read_contract(
        CHECKOUT / "content", ContractSource(path, CHAIN, CATALOGUE, ContractForm.WORKSPACE)
    ).record
    assert record is not None
    creation = sent(node, data=record["creationBytecode"]["onchainBytecode"])
    record |= {
        "address": checksum_address(creation["contractAddress"]),
        "deployment": {
            "transactionHash": creation["transactionHash"],
            "blockNumber": str(int(creation["blockNumber"], 16)),
            "transactionIndex": "0",
            "deployer": SENDER,
        },
    }
    called = sent(node, to=record["address"], data=INITIALIZE)["transactionHash"]
    _, documents = derive_record_output(unjudged(record), ApisSettings((Api.ETHERSCAN,)), path)
    site = {name: one.body for one in documents for name in (one.path, *one.aliases)}
    chains = (Chain(chain_id=CHAIN, name="Plinth", title="Plinth"),)
    site |= {
        name: encode_unchecked(body) for name, body in iter_fixed_responses(chains, "https://site.example")
    }
    for form in (record["address"], record["address"].lower()):
        site[f"v2/contract/{CHAIN}/{form}"] = encode_unchecked(record)
    signatures = collect_signatures([parse_declarations(record["abi"]).encode()], [])
    cache = {one.path: one.body for one in iter_signature_documents(signatures, "")}
    project = tmp_path_factory.mktemp("project")
    write_site(project / "build", site | {"404.html": b"<!doctype html>404"})
    with serve_with_statuary(project) as server:
        yield Deployed(node, record, called, server, cache["signature-database/files/foundry.json"])


def run(tool: str, home: Path, *arguments: str, offline: str = "true") -> str:
    """Run a program of Foundry in a home of its own, where GitHub is a folder with an empty `forge-std`.

    Args:
        offline: `true`: it asks no service for names, and fetches no compiler.
    """
    environment = {
        "HOME": str(home),
        "PATH": os.environ["PATH"],
        "FOUNDRY_DISABLE_NIGHTLY_WARNING": "1",
        "FOUNDRY_OFFLINE": offline,
        "GIT_CONFIG_COUNT": "1",
        "GIT_CONFIG_KEY_0": f"url.file://{home}/github/.insteadOf",
        "GIT_CONFIG_VALUE_0": "https://github.com/",
    }
    done = subprocess.run(
        [program(tool), *arguments],
        capture_output=True,
        text=True,
        env=environment,
        cwd=home,
        check=False,
        timeout=120,
    )
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout + done.stderr


def home_with_explorer(home: Path, deployed: Deployed) -> Path:
    """Configure the site as the explorer of the chain."""
    call = f"http://127.0.0.1:{deployed.site.port}/v2/api?chainid={CHAIN}"
    text = f'[etherscan]\nplinth = {{ key = "any", chain = {CHAIN}, url = "{call}" }}\n'
    (home / "foundry.toml").write_text(text)
    return home


TRACED = f"::initialize({SENDER})"
EMITTED = f"emit Initialized(registrar: {SENDER})"


def test_cast_run_uses_signature_cache_names(deployed, tmp_path):
    command = ("run", deployed.called, "--rpc-url", deployed.rpc)
    without = run("cast", tmp_path, *command)
    assert TRACED not in without
    assert "::c4d66de8(" in without
    cache = tmp_path / ".foundry/cache/signatures"
    cache.parent.mkdir(parents=True, exist_ok=True)
    cache.write_bytes(deployed.cache)
    traces = run("cast", tmp_path, *command)
    assert TRACED in traces
    assert EMITTED in traces


def test_cast_run_uses_explorer_api_names(deployed, tmp_path):
    home = home_with_explorer(tmp_path, deployed)
    command = ("run", deployed.called, "--rpc-url", deployed.rpc, "--etherscan-api-key", "any")
    traces = run("cast", home, *command, offline="false")
    assert f"Catalogue{TRACED}" in traces
    assert EMITTED in traces


def with_compiler(home: Path, version: str) -> Path:
    """Put the compiler where Foundry looks for it, and an empty `forge-std` where it is cloned from."""
    compiler = COMPILERS / "bin" / f"solc-{version}"
    if not compiler.is_file():
        absent(f"the compiler {compiler}", ".ci/install-compilers")
    folder = home / ".local/share/svm" / version
    folder.mkdir(parents=True)
    (folder / compiler.name).write_bytes(compiler.read_bytes())
    (folder / compiler.name).chmod(0o755)
    library = home / "github/foundry-rs/forge-std"
    (library / "src").mkdir(parents=True)
    (library / "src/Test.sol").write_text("// empty\n")
    git = ["git", "-c", "user.name=A", "-c", "user.email=a@example.org"]
    for arguments in (["init", "-q"], ["add", "-A"], ["commit", "-q", "-m", "one"], ["tag", "v1.0.0"]):
        subprocess.run([*git, *arguments], cwd=library, check=True)
    return home


@pytest.mark.parametrize("source", ["etherscan", "sourcify"])
def test_forge_clones_and_verifies_bytecode(source, deployed, tmp_path):
    version = deployed.record["compilation"]["compilerVersion"].partition("+")[0]
    home = with_compiler(home_with_explorer(tmp_path, deployed), version)
    address, site = deployed.record["address"], f"http://127.0.0.1:{deployed.site.port}"
    how = {
        "etherscan": ("--etherscan-api-key", "any"),
        "sourcify": ("--source", "sourcify", "--sourcify-url", f"{site}/v2/contract/{CHAIN}"),
    }
    run(
        "forge",
        home,
        "clone",
        address,
        "cloned",
        "--no-git",
        "--chain",
        CHAIN,
        *how[source],
    )
    [text] = [one["content"] for one in deployed.record["sources"].values()]
    clone = home / "cloned"
    assert text in [file.read_text() for file in clone.rglob("*.sol") if file.is_file()]
    meta = json.loads((clone / ".clone.meta").read_bytes())
    assert meta["creationTransaction"] == deployed.record["deployment"]["transactionHash"]
    with (clone / "foundry.toml").open("a") as file:
        file.write((home / "foundry.toml").read_text())
    verified = run(
        "forge", home, "verify-bytecode", address, "Catalogue", "--root", str(clone),
        "--rpc-url", deployed.rpc, "--etherscan-api-key", "any",
    )  # fmt: skip
    for side in (
        "Creation",
        "Runtime",
    ):  # partial: the clone's paths and settings are its own, and so is its metadata
        assert f"{side} code matched with status partial" in verified
