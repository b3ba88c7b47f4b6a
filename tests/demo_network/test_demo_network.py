"""The site's own contracts say what their makers know of them, and come out of the compilers as they are kept."""

import json
import shutil
from hashlib import sha256
from pathlib import Path

import pytest
import yaml
from click.testing import CliRunner

from demo_network.compilers import TOOLS, compilers
from statuary.base.primitives import parse_instant
from statuary.base.progress import NoProgress
from statuary.cli.main import command
from statuary.contracts.site_contracts import SiteContracts
from statuary.contracts.sources.contract_source import ContractForm, ContractSource
from statuary.contracts.sources.read_contract import read_contract
from statuary.engine.check_site import check_site
from statuary.engine.read_content import read_content
from statuary.extensions.compilers.evidence import record_sha256
from statuary.extensions.compilers.recompile import RecompileOptions, recompile_contracts
from support.requirements import CHECKOUT, absent, require_program
from support.sites import NOW

CONTENT = CHECKOUT / "content"
CHAIN = CONTENT / "contracts" / "748463"
RECORDS = {path.stem: path for path in CHAIN.glob("*.json")}
WORKSPACES = {path.parent.name: path for path in CHAIN.glob("*/contract.yaml")}

# What the network's makers know: how each was compiled and deployed decides what can match.
LEVELS = {
    "WrappedPlinth": ("exact_match", "exact_match"),
    "Lens": ("match", "match"),  # bytecodeHash none
    "Scaffold": ("match", "match"),  # Yul has no metadata
    "NetworkCharter": (None, "exact_match"),  # in the genesis state: no transaction created it
    "CuratorsWallet": ("exact_match", "exact_match"),
    "Faucet": ("exact_match", "exact_match"),
    "Timelock": ("exact_match", "exact_match"),
    "NameRegistry": ("exact_match", "exact_match"),
    "FixedPoint": ("exact_match", "exact_match"),
    "RewardSchedule": ("exact_match", "exact_match"),
    "Staking": ("exact_match", "exact_match"),
    "RevenueSplitter": ("match", "match"),  # deployed from sources with other comments
    "Bridge": ("exact_match", "exact_match"),
    "PedestalHall": ("exact_match", "exact_match"),
    "Pedestal": ("exact_match", "exact_match"),
    "Edition": ("exact_match", "exact_match"),
    "EditionPress": ("exact_match", "exact_match"),
    "EditionClone": (None, "match"),  # the factory writes its own creation code, not the compiler's
    "Catalogue": ("exact_match", "exact_match"),
    "CatalogueProxy": ("exact_match", "exact_match"),
    "PriceFeed": ("exact_match", "match"),  # Vyper 0.4.1 on: an integrity hash, in creation code only
    "Endowment": ("match", "match"),
    "AuctionRoom": ("exact_match", "exact_match"),
}


def read_all():
    records = {}
    for address, path in {**RECORDS, **WORKSPACES}.items():
        form = ContractForm.RECORD if address in RECORDS else ContractForm.WORKSPACE
        source = ContractSource(
            path=str(path.relative_to(CONTENT)), chain_id=CHAIN.name, address=address, form=form
        )
        read = read_contract(CONTENT, source)
        assert not read.findings
        records[read.record["compilation"]["name"]] = read.record
    return records


@pytest.fixture(scope="module")
def records():
    return read_all()


def test_demo_contracts_have_compilation_evidence(records):
    """Claim C is stated by a file for every contract, and the file is about the record as it is."""
    for record in records.values():
        evidence = json.loads((CHAIN / record["address"] / "compilation.json").read_text())
        assert evidence["record"] == record_sha256(record)
        assert (
            evidence["compiler_version"].split("+")[0]
            == record["compilation"]["compilerVersion"].split("+")[0]
        )
        assert {"creationBytecode.recompiledBytecode", "runtimeBytecode.recompiledBytecode"} <= set(
            evidence["members"]
        )


@pytest.fixture(scope="module")
def plan():
    return yaml.safe_load((Path(__file__).parent / "network.yaml").read_text(encoding="utf-8"))


def replayed(side):
    """Apply a side's transformations, by the definition and with no help from the code under test."""
    kinds = {"immutable": "immutables", "library": "libraries"}
    code, values = bytes.fromhex(side["recompiledBytecode"][2:]), side["transformationValues"]
    for step in side["transformations"]:
        value = values[kinds.get(step["reason"], step["reason"])]
        value = bytes.fromhex((value[step["id"]] if isinstance(value, dict) else value)[2:])
        end = step["offset"] + (len(value) if step["type"] == "replace" else 0)
        code = code[: step["offset"]] + value + code[end:]
    return "0x" + code.hex()


def words(*values):
    return [
        "0x" + (value[2:] if isinstance(value, str) else f"{value:x}").rjust(64, "0").lower()
        for value in values
    ]


def test_every_planned_demo_contract_has_record(records, plan):
    assert sorted(records) == sorted(plan["compilations"]) == sorted(LEVELS)
    assert len(RECORDS) >= 5
    assert len(WORKSPACES) >= 14


def test_demo_contracts_have_expected_match_levels(records):
    found = {name: (record["creationMatch"], record["runtimeMatch"]) for name, record in records.items()}
    assert found == LEVELS


@pytest.mark.parametrize("name", sorted(LEVELS))
def test_transformed_recompilation_equals_onchain_bytecode(name, records):
    record = records[name]
    sides = [record["creationBytecode"], record["runtimeBytecode"]]
    matched = [side for side in sides if side["transformations"] is not None]
    assert matched
    for side in matched:
        assert replayed(side) == side["onchainBytecode"]


def test_demo_immutables_match_deployment_arguments(records):
    def immutables(name):
        return sorted(records[name]["runtimeBytecode"]["transformationValues"]["immutables"].values())

    address = {name: record["address"] for name, record in records.items()}
    curator = "0x6FD8F2509993dEE90b2590e4075e78fF17AEBb27"
    assert immutables("Timelock") == sorted(words(address["CuratorsWallet"], curator, 172_800))
    assert immutables("NameRegistry") == sorted(words(address["RevenueSplitter"], 12 * 10**18))
    assert immutables("Pedestal") == sorted(words(address["PedestalHall"], 1))
    assert immutables("EditionPress") == words(address["Edition"])
    assert immutables("Bridge") == sorted(words(1, 2, 10**17))
    [vyper] = immutables("Endowment")
    assert vyper == "0x" + "".join(word[2:] for word in words(1_780_272_000, 1_788_220_800, 1_906_502_400))


def test_demo_libraries_have_call_protection(records):
    def values(name):
        return records[name]["runtimeBytecode"]["transformationValues"]

    address = {name: record["address"].lower() for name, record in records.items()}
    fixed_point = {"contracts/staking/FixedPoint.sol:FixedPoint": address["FixedPoint"]}
    schedule = {"contracts/staking/RewardSchedule.sol:RewardSchedule": address["RewardSchedule"]}
    assert values("FixedPoint") == {"callProtection": address["FixedPoint"]}
    assert values("RewardSchedule") == {"callProtection": address["RewardSchedule"], "libraries": fixed_point}
    assert values("Staking")["libraries"] == {**fixed_point, **schedule}


def test_demo_proxies_list_implementations(records):
    found = {
        name: (resolution["proxyType"], resolution["implementations"][0]["name"])
        for name, record in records.items()
        if (resolution := record["proxyResolution"])["isProxy"]
    }
    assert found == {
        "EditionClone": ("EIP1167Proxy", "Edition"),
        "CatalogueProxy": ("EIP1967Proxy", "Catalogue"),
    }
    for name, (_, implementation) in found.items():
        [named] = records[name]["proxyResolution"]["implementations"]
        assert named["address"] == records[implementation]["address"]


def test_factory_contract_deployer_is_transaction_sender(records):
    keeper = records["PedestalHall"]["deployment"]["deployer"]
    assert records["Pedestal"]["deployment"]["deployer"] == keeper
    runtime = records["Pedestal"]["runtimeBytecode"]["recompiledBytecode"][2:]
    assert runtime in records["PedestalHall"]["creationBytecode"]["recompiledBytecode"]


def test_factory_bytecode_contains_embedded_contract_auxdata(records):
    hall, pedestal = records["PedestalHall"], records["Pedestal"]
    auxdata = hall["creationBytecode"]["cborAuxdata"]
    assert sorted(auxdata) == ["1", "2"]
    assert auxdata["2"]["value"] == pedestal["runtimeBytecode"]["cborAuxdata"]["1"]["value"]


def test_contract_with_transient_storage_has_layout(records):
    layout = records["AuctionRoom"]["transientStorageLayout"]
    assert [entry["label"] for entry in layout["storage"]] == ["locked", "forWhom", "openLot"]


def test_demo_covers_compilers_and_languages(records):
    used = {
        (record["compilation"]["language"], record["compilation"]["compilerVersion"].partition("+")[0])
        for record in records.values()
    }
    assert used == {
        *(("Solidity", version) for version in ("0.4.26", "0.5.17", "0.6.12", "0.8.30", "0.8.37")),
        ("Vyper", "0.3.10"),
        ("Vyper", "0.4.3"),
        ("Yul", "0.8.30"),
    }


def test_demo_record_sources_match_source_files(records):
    here = Path(__file__).parent
    for name, record in records.items():
        if name == "EditionClone":  # its source names the implementation's address
            continue
        for path, source in record["sources"].items():
            assert source["content"] == (here / path).read_text(encoding="utf-8")


@pytest.fixture(scope="module")
def workshop():
    require_program("node", install="install Node.js 20 or later")
    if not (TOOLS / "bin").is_dir():
        absent(f"the demo network's pinned compilers in {TOOLS}", ".ci/install-compilers")
    return RecompileOptions(compilers=compilers(TOOLS))


# one contract for each compiler and language; `statuary check --recompile` does all of them
COMPILED_AGAIN = [
    "WrappedPlinth",
    "Faucet",
    "CuratorsWallet",
    "RewardSchedule",
    "Scaffold",
    "AuctionRoom",
    "PriceFeed",
    "Endowment",
]


@pytest.mark.slow
def test_recompilation_reproduces_demo_contracts(workshop, tmp_path, records):
    wanted = {records[name]["address"] for name in COMPILED_AGAIN}
    shutil.copy(CONTENT / "site.yaml", tmp_path)
    for address in wanted:
        (tmp_path / "contracts" / CHAIN.name).mkdir(parents=True, exist_ok=True)
        for kept in CHAIN.glob(f"{address}*"):  # a record, and the folder of its anchor; or a workspace
            copy = shutil.copytree if kept.is_dir() else shutil.copy
            copy(kept, tmp_path / "contracts" / CHAIN.name / kept.name)
    site = read_content(tmp_path).site
    assert len(site.content_of(SiteContracts).sources) == len(wanted)
    again = recompile_contracts(tmp_path, site, workshop, NoProgress())
    assert (again.compiled, again.identical, again.findings) == (len(wanted), len(wanted), ())


@pytest.mark.slow
def test_recompilation_detects_damaged_source_map(workshop, tmp_path, records):
    content, address = tmp_path / "content", records["WrappedPlinth"]["address"]
    damaged = content / "contracts" / CHAIN.name / address
    shutil.copytree(CHAIN / address, damaged, ignore=shutil.ignore_patterns("anchor.json"))
    for name in ("site.yaml", "components.yaml"):
        shutil.copy(CONTENT / name, content / name)
    output = json.loads((damaged / "output.json").read_text(encoding="utf-8"))
    artifact = output["contracts"]["contracts/wrapped_coin/WrappedPlinth.sol"]["WrappedPlinth"]
    source_map = artifact["evm"]["deployedBytecode"]["sourceMap"]
    artifact["evm"]["deployedBytecode"]["sourceMap"] = source_map.replace("-", "o", 1)
    (damaged / "output.json").write_text(json.dumps(output), encoding="utf-8")
    checked = check_site(content, parse_instant(NOW), NoProgress())
    assert [finding.rule for finding in checked.all_findings] == ["compilation-mismatch"]
    [finding] = recompile_contracts(content, checked.site, workshop, NoProgress()).findings
    assert finding.rule == "recompilation-mismatch"
    assert finding.pointer == ("runtimeBytecode", "sourceMap")
    assert f"the first difference is at character {source_map.index('-')}" in finding.message


STATES = {
    "Canopy": ("contradicted", "Its keeper took the canopy down when the rehearsal ended."),
    "Collection": (
        "contradicted",
        "Somebody submitted a source that promises to give everything back. The code does not.",
    ),
    "Mould": ("contradicted", ""),  # its constructor left other code than the compiled one
    "Sketch": ("not_shown", ""),  # nobody compiled it again or compared it with the chain
}
"""What readers see of the rehearsal's contracts: the verdict, and what the site's author knows."""


@pytest.mark.slow
def test_demo_site_shows_every_verification_status(tmp_path):
    arguments = ["build", "--content", str(CONTENT), "--out", str(tmp_path), "--now", NOW]
    assert CliRunner().invoke(command, arguments).exit_code == 0
    proofs = [json.loads(path.read_bytes()) for path in (tmp_path / "proof").glob("74846?/0x*.json")]
    contracts = {
        (proof["chainId"], proof["address"]): json.loads(
            (tmp_path / f"v2/contract/{proof['chainId']}/{proof['address']}").read_bytes()
        )
        for proof in proofs
    }
    found = {
        contracts[proof["chainId"], proof["address"]]["compilation"]["name"]: (
            proof["verdict"]["status"],
            proof.get("known", {}).get("reason", ""),
        )
        for proof in proofs
        if proof["chainId"] == "748464"
    }
    assert found == STATES
    of_plinth = {proof["verdict"]["status"] for proof in proofs if proof["chainId"] == "748463"}
    assert of_plinth == {"verified_here", "stated_by_a_file"}


def test_trusted_compilation_hashes_have_evidence_files():
    site = yaml.safe_load((CONTENT / "site.yaml").read_text(encoding="utf-8"))
    vouched = set(site["contracts"]["compilations"])
    files = {sha256(path.read_bytes()).hexdigest() for path in CHAIN.glob("*/compilation.json")}
    assert vouched < files
    assert len(vouched) == 14
