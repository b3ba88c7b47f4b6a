"""Real clients of the contract look-up read what is verified, and learn what is not.

What they must read is taken from the content folder: of a workspace from what its maker and the compiler wrote,
of a full record from the record. Nothing of it has been through the code under test.
"""

import json
import re
import shutil
from dataclasses import dataclass, field
from operator import itemgetter
from pathlib import Path
from typing import Any

import pytest
import yaml

from clients.installed import SCRIPTS, installed
from support.real_records import DATA
from support.requirements import CHECKOUT, require_folder

pytestmark = pytest.mark.slow

CONTENT = CHECKOUT / "content"
CHAIN = "748463"
NOW = "2026-11-20T12:00:00Z"
UNVERIFIED = "0x000000000000000000000000000000000000dEaD"


@dataclass(frozen=True, kw_only=True)
class Written:
    """What was written of a contract.

    Attributes:
        chain: the chain's number, as text.
        address: with its EIP-55 checksum.
        match: its match level.
        name: what it is called in its sources.
        path: the source that it is in.
        language: as records spell it.
        version: the compiler's, with its commit.
        settings: the compiler's, without the selection of its output.
        beside_settings: what it was given besides, such as Vyper's overrides of the storage layout.
        abi: None where there is none.
        sources: contents by path.
        creation: the code that the compiler gave, in hex without 0x.
        runtime: its runtime bytecode.
    """

    chain: str
    address: str
    match: str
    name: str
    path: str
    language: str
    version: str
    settings: dict[str, Any]
    beside_settings: dict[str, Any] = field(default_factory=dict)
    abi: list[dict[str, Any]] | None
    sources: dict[str, str]
    creation: str
    runtime: str

    def asked(self) -> list[str]:
        return [self.chain, self.address]


def from_record(file: Path) -> Written:
    record = json.loads(file.read_text(encoding="utf-8"))
    compilation = record["compilation"]
    return Written(
        chain=record["chainId"],
        address=record["address"],
        match=record["match"],
        name=compilation["name"],
        path=compilation["fullyQualifiedName"].rpartition(":")[0],
        language=compilation["language"],
        version=compilation["compilerVersion"],
        settings=compilation["compilerSettings"],
        beside_settings=record.get("additionalInput") or {},
        abi=record["abi"],
        sources={path: source["content"] for path, source in record["sources"].items()},
        creation=(record["creationBytecode"]["recompiledBytecode"] or "0x")[2:],
        runtime=record["runtimeBytecode"]["recompiledBytecode"][2:],
    )


# Deployed from sources with other comments, or by code that says no more of its sources: see tests/demo_network.
NOT_EXACT = {"RevenueSplitter"}


def from_workspace(folder: Path) -> Written:
    maker = yaml.safe_load((folder / "contract.yaml").read_text(encoding="utf-8"))
    given = json.loads((folder / "input.json").read_text(encoding="utf-8"))
    path, _, name = maker["contract"].rpartition(":")
    made = json.loads((folder / "output.json").read_text(encoding="utf-8"))["contracts"][path][name]
    return Written(
        chain=folder.parent.name,
        address=folder.name,
        match="match" if name in NOT_EXACT else "exact_match",
        name=name,
        path=path,
        language=given["language"],
        version=maker["compiler"]["version"],
        settings={key: value for key, value in given["settings"].items() if key != "outputSelection"},
        abi=made["abi"],
        sources={path: source["content"] for path, source in given["sources"].items()},
        creation=unlinked(made["evm"]["bytecode"]["object"].removeprefix("0x")),
        runtime=unlinked(made["evm"]["deployedBytecode"]["object"].removeprefix("0x")),
    )


def unlinked(code: str) -> str:
    """Put zeros where the compiler marks the place of a library's address, as records have them."""
    return re.sub(r"__.{38}", "0" * 40, code)


@pytest.fixture(scope="module")
def demo() -> dict[str, Written]:
    """The contracts of the demo network, by name."""
    folder = CONTENT / "contracts" / CHAIN
    contracts = [
        *(from_record(file) for file in sorted(folder.glob("*.json"))),
        *(from_workspace(file.parent) for file in sorted(folder.glob("*/contract.yaml"))),
    ]
    assert len(contracts) >= 12
    return {contract.name: contract for contract in contracts}


@pytest.fixture(scope="session")
def real_content(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A content folder of nothing but the records that a real server served."""
    install = "put the data folder beside the checkout as ../shared/data"
    records = require_folder(DATA / "contract-records", what="records of a real server", install=install)
    content = tmp_path_factory.mktemp("real")
    for chain in (folder for folder in records.iterdir() if folder.is_dir()):
        shutil.copytree(chain, content / "contracts" / chain.name)
    chains = [{"chain_id": chain.name, "name": chain.name} for chain in (content / "contracts").iterdir()]
    page = {"name": "Records", "url": "https://records.example"}
    (content / "site.yaml").write_text(json.dumps({"page": page, "chains": chains}), encoding="utf-8")
    return content


@pytest.fixture(scope="session")
def real(real_content: Path) -> list[Written]:
    return [from_record(file) for file in sorted(real_content.glob("contracts/*/*.json"))]


@pytest.fixture
def site(request: pytest.FixtureRequest) -> tuple[Path, list[Written]]:
    """A content folder, and the contracts in it."""
    if request.param == "demo network":
        return CONTENT, list(request.getfixturevalue("demo").values())
    return request.getfixturevalue("real_content"), request.getfixturevalue("real")


# The real records are large, and a plain folder gives of them what it gives of any record: all.
on_every_site = pytest.mark.parametrize(
    ("host", "site"),
    [
        ("plain folder", "demo network"),
        ("statuary serve", "demo network"),
        ("statuary serve", "real records"),
    ],
    indirect=True,
)


def with_nothing(contracts: list[Written]) -> list[list[str]]:
    """Return what to ask for: every contract, and one that is not there."""
    return [*(contract.asked() for contract in contracts), [contracts[0].chain, UNVERIFIED]]


# --- whatsabi ---------------------------------------------------------------------------------------------------


@on_every_site
def test_whatsabi_reads_contracts(host, site, tmp_path):
    """It asks for an address as its caller spells it: every other one in lower case here."""
    client = installed("whatsabi")
    content, contracts = site
    requested = with_nothing(contracts)
    requested[::2] = [[chain, address.lower()] for chain, address in requested[::2]]
    with host(content, NOW, NOW) as url:
        *read, nothing = client.ask({"url": url, "contracts": requested}, tmp_path)

    for output in read:
        output["sources"].sort(key=itemgetter("path"))  # their order means nothing
    assert read == [expected_of_whatsabi(contract) for contract in contracts]
    assert nothing["ok"] is False
    assert nothing["sources"] is None
    assert nothing["abi"] == nothing["abiAlone"] == []


def expected_of_whatsabi(contract: Written) -> dict[str, Any]:
    optimizer = contract.settings.get("optimizer", {})
    found = {
        "ok": True,
        "name": contract.name,
        "abi": contract.abi or [],
        "abiAlone": contract.abi or [],
        "compilerVersion": contract.version,
        "evmVersion": contract.settings.get("evmVersion"),
        "runs": optimizer.get("runs"),
        "sources": [{"path": path, "content": text} for path, text in sorted(contract.sources.items())],
    }
    return {name: value for name, value in found.items() if value is not None}


# --- safe-eth-py ------------------------------------------------------------------------------------------------


@on_every_site
def test_safe_eth_py_reads_contracts(host, site, tmp_path):
    client = installed("safe-eth-py")
    content, contracts = site
    with host(content, NOW, NOW) as url:
        request = {"url": url, "contracts": with_nothing(contracts)}
        *read, nothing = client.ask(request, tmp_path)

    assert read == [
        {
            "name": contract.name,
            "abi": contract.abi or [],
            "partial_match": contract.match != "exact_match",
        }
        for contract in contracts
    ]
    assert nothing is None


# --- ape-sourcify -----------------------------------------------------------------------------------------------


@on_every_site
def test_ape_sourcify_reads_contracts(host, site, tmp_path):
    client = installed("ape", "ape-sourcify")
    content, contracts = site
    # Its model of an answer has a list for the ABI and refuses null, which Yul contracts have on any server.
    contracts = [contract for contract in contracts if contract.abi is not None]
    with host(content, NOW, NOW) as url:
        request = {"url": url, "contracts": with_nothing(contracts)}
        read = client.ask(request, tmp_path)

    assert set(read["supported"]) == {True}
    *found, nothing = read["contracts"]
    for contract, output in zip(contracts, found, strict=True):
        assert output["name"] == contract.name
        assert output["source_id"] == contract.path
        settings = contract.settings | contract.beside_settings  # Ape has one place for both
        assert output["compiler"] == [contract.language.lower(), contract.version, settings]
        for item, kept in zip(contract.abi, output["abi"], strict=True):
            written = as_ape_keeps(item)
            assert {member: kept.get(member) for member in written} == written
        # Ape keeps a source as lines, without how each of them ended
        assert lines_of(output["sources"]) == lines_of(contract.sources)
        assert output["runtime_bytecode"].removeprefix("0x") == contract.runtime
    assert nothing is None


def lines_of(sources: dict[str, str]) -> dict[str, list[str]]:
    return {path: text.splitlines() for path, text in sources.items()}


def as_ape_keeps(item: dict[str, Any]) -> dict[str, Any]:
    """Leave out what Ape drops: members that stateMutability replaced, and empty lists."""
    old = ("payable", "constant")
    return {member: value for member, value in item.items() if member not in old and value != []}


# --- crytic-compile ---------------------------------------------------------------------------------------------


@pytest.fixture
def solc(tmp_path: Path) -> dict[str, str]:
    """Put npm's solc where solc-select, which crytic-compile asks for compilers, keeps what it has installed."""
    program = tmp_path / ".solc-select" / "artifacts" / "solc-0.8.30" / "solc-0.8.30"
    program.parent.mkdir(parents=True)
    program.symlink_to(SCRIPTS / "solc.mjs")
    return {"VIRTUAL_ENV": str(tmp_path), "SOLC": str(installed("solc").home)}


COMPILED = {
    "plain folder": ("Timelock", "EditionPress", "CatalogueProxy"),
    "statuary serve": ("CatalogueProxy",),
}
"""Which contracts are compiled again by host: those of one have the same bytes on the other."""


def test_crytic_compile_recompiles_contracts(request, host, demo, solc, tmp_path):
    """From the site to the code on chain: fetched, compiled again by a real compiler, and the same bytes."""
    client = installed("crytic-compile")
    targets = {
        name: f"sourcify-{CHAIN}:{demo[name].address}"
        for name in COMPILED[request.node.callspec.params["host"]]
    }
    nothing = f"sourcify-{CHAIN}:{UNVERIFIED}"
    with host(CONTENT, NOW, NOW) as url:
        read = client.ask({"url": url, "targets": [*targets.values(), nothing]}, tmp_path, solc)

    assert read[nothing] == {
        "refused": f"Contract not verified on Sourcify: chain={CHAIN} address={UNVERIFIED}"
    }
    for name, target in targets.items():
        contract = demo[name]
        made = read[target]["contracts"][name]
        assert made == {"abi": contract.abi, "creation": contract.creation, "runtime": contract.runtime}
        optimizer = contract.settings["optimizer"]
        output = (read[target]["version"], read[target]["optimized"], read[target]["runs"])
        assert output == ("0.8.30", optimizer["enabled"], optimizer["runs"])
    implementation = f"sourcify-{CHAIN}:{demo['Catalogue'].address}"
    for name, target in targets.items():
        assert read[target]["implementations"] == ([implementation] if name == "CatalogueProxy" else [])
