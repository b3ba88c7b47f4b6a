"""Clients of explorers and signature databases read the demo network from a site: whatsabi, ape-etherscan, Foundry.

Nothing of what they must read has been through the code under test but the record, which other tests compare.
"""

import json
import os
import re
import subprocess
from collections.abc import Iterator
from pathlib import Path
from typing import Any, NamedTuple

import pytest

from clients.installed import installed
from statuary.contracts.model.abi import signature_hash
from support.demo_chain import DemoChain, demo_chain
from support.ethereum_node import COMPILERS
from support.host_servers import project_for, serve_with_statuary
from support.requirements import absent

pytestmark = pytest.mark.slow

CHAIN, UNVERIFIED = "748463", "0x000000000000000000000000000000000000dEaD"
CAST = COMPILERS / "node/node_modules/@foundry-rs/cast-linux-amd64/bin/cast"


class Site(NamedTuple):
    """A served site, and its records by the contract's name."""

    url: str
    records: dict[str, dict[str, Any]]

    @property
    def addresses(self) -> list[str]:
        """All contracts, and one that is not verified."""
        return [*(record["address"] for record in self.records.values()), UNVERIFIED]


@pytest.fixture(scope="module")
def site(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Site]:
    project = project_for(tmp_path_factory)
    listed = json.loads((project / f"build/v2/contracts/{CHAIN}").read_bytes())["results"]
    folder = project / f"build/v2/contract/{CHAIN}"
    records = [json.loads((folder / entry["address"]).read_bytes()) for entry in listed]
    with serve_with_statuary(project) as server:
        named = {record["compilation"]["name"]: record for record in records}
        yield Site(f"http://127.0.0.1:{server.port}", named)


def texts(record: dict[str, Any]) -> dict[str, str]:
    return {path: source["content"] for path, source in record["sources"].items()}


def is_version(read: str, version: str) -> bool:
    """Return whether a client reads a compiler's version: Etherscan has Vyper's without the commit."""
    if read.startswith("vyper:"):
        return read == f"vyper:{version.partition('+')[0]}"
    return read.removeprefix("v") == version


# --- whatsabi ---------------------------------------------------------------------------------------------------

FUNCTIONS = ("serve(address)", "transfer(address,uint256)", "report(uint256)", "unheard()")
EVENTS = ("Served(address,uint256)", "Transfer(address,address,uint256)", "Unheard()")


def test_whatsabi_loaders_read_contracts(site, tmp_path):
    request = {
        "url": site.url,
        "chain": CHAIN,
        "addresses": site.addresses,
        "functions": [signature_hash(text)[:10] for text in FUNCTIONS],
        "events": [signature_hash(text) for text in EVENTS],
    }
    read = installed("whatsabi", "whatsabi-loaders").ask(request, tmp_path)
    assert len(read["contracts"]) == 5
    for name, (*found, nothing) in read["contracts"].items():
        assert (nothing["ok"], nothing["abi"], nothing["abiAlone"]) == (False, [], []), name
        for record, contract in zip(site.records.values(), found, strict=True):
            expect_contract(name, record, contract)
    known = lambda texts: [[] if "nheard" in text else [text] for text in texts]  # noqa: E731
    assert set(read["functions"]) == set(read["events"]) == {"OpenChain", "4byte.directory", "several"}
    assert all(names == known(FUNCTIONS) for names in read["functions"].values())
    assert all(names == known(EVENTS) for names in read["events"].values())


def expect_contract(name: str, record: dict[str, Any], read: dict[str, Any]) -> None:
    abi = record["abi"] or []
    if name in ("Blockscout", "several") and record["abi"] is None:
        assert read["ok"] is False  # both count a contract without an ABI as missing
        return
    compilation = record["compilation"]
    assert (read["ok"], read["name"], read["abi"], read["abiAlone"]) == (
        True,
        compilation["name"],
        abi,
        abi,
    ), name
    assert is_version(read["compilerVersion"], compilation["compilerVersion"]), name
    sources = {one["path"]: one["content"] for one in read["sources"]}
    assert sources == texts(record), name


# --- ape-etherscan ----------------------------------------------------------------------------------------------


@pytest.fixture(scope="module")
def chain() -> Iterator[DemoChain]:
    with demo_chain() as found:
        yield found


def test_ape_etherscan_reads_contracts(site, chain, tmp_path):
    request = {"url": site.url, "node": chain.rpc, "chain": CHAIN, "addresses": site.addresses}
    *read, nothing = installed("ape", "ape-etherscan").ask(request, tmp_path)
    assert nothing["verified"] is False
    assert nothing["found"] == [None, None]
    assert "No data found" in nothing["creations"]
    for record, contract in zip(site.records.values(), read, strict=True):
        expect_of_ape(record, contract)


def expect_of_ape(record: dict[str, Any], read: dict[str, Any]) -> None:
    compilation = record["compilation"]
    assert read["name"] == compilation["name"]
    assert [item.get("name") for item in read["abi"]] == [item.get("name") for item in record["abi"] or []]
    language, version, settings = read["compiler"]
    assert language == compilation["language"]
    assert is_version(version, compilation["compilerVersion"])
    assert {key: value for key, value in settings.items() if key != "outputSelection"} == compilation[
        "compilerSettings"
    ]
    assert {path: text.splitlines() for path, text in read["sources"].items()} == {
        path: text.splitlines() for path, text in texts(record).items()
    }
    implementations = record["proxyResolution"]["implementations"]
    response = read["response"]
    assert response["Proxy"] is record["proxyResolution"]["isProxy"]
    assert response["Implementation"] == (implementations[0]["address"].lower() if implementations else "")
    optimizer = compilation["compilerSettings"].get("optimizer")
    if optimizer and "runs" in optimizer:
        assert (response["OptimizationUsed"], response["Runs"]) == (optimizer["enabled"], optimizer["runs"])
    deployment = record["deployment"]
    if not deployment.get("transactionHash"):
        assert "No data found" in read["creations"]
        return
    [creation] = read["creations"]
    assert creation["contractAddress"] == record["address"].lower()
    assert creation["contractCreator"] == deployment["deployer"].lower()
    assert (creation["txHash"], str(creation["blockNumber"])) == (
        deployment["transactionHash"],
        deployment["blockNumber"],
    )
    assert creation["creationBytecode"] == (record["creationBytecode"]["onchainBytecode"] or "")


# --- foundry-block-explorers, inside of cast ----------------------------------------------------------------------


def cast(home: Path, *arguments: str, fails: bool = False) -> str:
    if not CAST.is_file():
        absent(f"Foundry's cast, {CAST},", ".ci/install-compilers")
    environment = {"HOME": str(home), "PATH": os.environ["PATH"], "FOUNDRY_DISABLE_NIGHTLY_WARNING": "1"}
    done = subprocess.run(
        [CAST, *arguments], capture_output=True, text=True, env=environment, cwd=home, check=False, timeout=60
    )
    assert (done.returncode != 0) is fails, done.stdout + done.stderr
    return done.stderr if fails else done.stdout


SHAPES = ("Faucet", "Staking", "CatalogueProxy", "PriceFeed", "RevenueSplitter")
"""One source, several, a proxy, Vyper, and one whose metadata differs."""

WORDS = ("Faucet", "Staking")
"""Those whose arguments are a word each: cast takes as many words from the end as the constructor has parameters."""


@pytest.fixture
def explorer(site: Site, tmp_path: Path) -> tuple[str, ...]:
    call = f"{site.url}/v2/api?chainid={CHAIN}"
    text = f'[etherscan]\nplinth = {{ key = "any", chain = {CHAIN}, url = "{call}" }}\n'
    (tmp_path / "foundry.toml").write_text(text)
    return ("--chain", CHAIN, "--etherscan-api-key", "any")


@pytest.mark.parametrize("name", SHAPES)
def test_foundry_reads_source_abi_and_creation(name, site, chain, explorer, tmp_path):
    record = site.records[name]
    address = record["address"]
    api = ("--explorer-api-url", f"{site.url}/v2/api?chainid={CHAIN}", "--explorer-url", site.url)
    cast(tmp_path, "source", address, "-d", "sources", *explorer, *api)
    written = {
        str(path.relative_to(tmp_path / "sources" / record["compilation"]["name"])): path.read_text()
        for path in (tmp_path / "sources").rglob("*")
        if path.is_file()
    }
    assert written == texts(record)
    abi = json.loads(cast(tmp_path, "interface", address, "--json", *explorer))
    names = sorted(item["name"] for item in record["abi"] if item["type"] == "function")
    assert sorted(item["name"] for item in abi if item["type"] == "function") == names
    node = ("--rpc-url", chain.rpc)
    creation = cast(tmp_path, "creation-code", address, *explorer, *node)
    assert creation.strip() == record["creationBytecode"]["onchainBytecode"]
    if name in WORDS:
        only = cast(tmp_path, "creation-code", address, "--only-args", *explorer, *node)
        assert only.strip() == record["creationBytecode"]["transformationValues"]["constructorArguments"]


def test_foundry_rejects_yul_source(site, explorer, tmp_path):
    """Its parser knows Solidity and Vyper, whoever sends a standard JSON of another language."""
    address = site.records["Scaffold"]["address"]
    said = cast(tmp_path, "interface", address, *explorer, fails=True)
    assert "did not match any variant" in said


def test_foundry_reports_unverified_contract(site, explorer, tmp_path):
    said = cast(tmp_path, "interface", UNVERIFIED, *explorer, fails=True)
    assert re.search(r"not verified", said, re.IGNORECASE)
