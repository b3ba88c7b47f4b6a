"""Make the demo networks' contracts: compile, deploy on a local node, anchor, compile again, write `content/contracts`.

    python tests/demo_network/make.py [--content DIR] [--tools DIR] [network.yaml] [maquette.yaml]

The same sources give the same bytes: compilers and EVM are pinned, keys, nonces and times are fixed by
the networks' files. Needs Node, and what `.ci/install-compilers` installs.
"""

import argparse
import json
import re
import shutil
import sys
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path
from typing import Any

import yaml

sys.path.insert(0, str(Path(__file__).parents[1]))

from demo_network.compilers import TOOLS, compile_json, compiler_digest, compilers, run_chain
from statuary.contracts.site_contracts import SiteContracts
from statuary.contracts.sources.contract_source import ContractForm, ContractSource
from statuary.contracts.sources.read_contract import read_contract
from statuary.engine.read_content import read_content
from statuary.extensions.compilers.recompile import RecompileOptions, Recompiler
from statuary.extensions.importing.evidence.chain_evidence import (
    AnchoringNodes,
    anchor_contracts,
    describe_chain_claim,
)
from statuary.extensions.importing.evidence.compile_contract import compile_contract, write_evidence
from statuary.extensions.importing.evidence.ethereum_node import EthereumNode
from statuary.site.document import encode_unchecked
from support.ethereum_node import ethereum_node

HERE = Path(__file__).parent
CONTENT = HERE.parents[1] / "content"

# What a derivation needs of a compiler's output, and no more: the repository keeps it.
SOLIDITY_OUTPUT = [
    "abi",
    "devdoc",
    "userdoc",
    "metadata",
    "storageLayout",
    "transientStorageLayout",
    "evm.bytecode.object",
    "evm.bytecode.sourceMap",
    "evm.bytecode.linkReferences",
    "evm.deployedBytecode.object",
    "evm.deployedBytecode.sourceMap",
    "evm.deployedBytecode.linkReferences",
    "evm.deployedBytecode.immutableReferences",
]
YUL_OUTPUT = [
    name for name in SOLIDITY_OUTPUT if re.match(r"evm\.\w+\.(object|sourceMap|linkReferences)", name)
]
VYPER_OUTPUT = [
    "abi",
    "devdoc",
    "userdoc",
    "layout",
    "evm.bytecode.object",
    "evm.deployedBytecode.object",
    "evm.deployedBytecode.sourceMap",
]
# Vyper maps the creation side too since this release; earlier ones refuse to be asked.
VYPER_WITH_CREATION_MAP = "0.4.0"


@dataclass(frozen=True, kw_only=True)
class Compilation:
    """What one contract is compiled from, and what came out.

    Attributes:
        compiler: `solc` or `vyper`.
        version: as records spell it.
        contract: the fully qualified name.
        input: the compiler's standard JSON.
        output: the compiler's answer, for this contract alone and without warnings.
    """

    compiler: str
    version: str
    contract: str
    input: dict[str, Any]
    output: dict[str, Any]

    @property
    def artifact(self) -> dict[str, Any]:
        """The output's part for the contract."""
        path, name = self.contract.rsplit(":", 1)
        return self.output["contracts"][path][name]


@dataclass(frozen=True, kw_only=True)
class Claim:
    """One contract as its owner would hand it in for verification.

    Attributes:
        contract: what the chain holds of it, as chain.mjs answers it.
        proxy: its kind, and the implementation's address and name; None for a contract that is no proxy.
    """

    match_id: int
    verified_at: datetime
    compilation: Compilation
    contract: dict[str, Any]
    proxy: dict[str, str] | None


def main() -> None:
    options = _options()
    for network in options.networks:
        _make(options, yaml.safe_load((HERE / network).read_text(encoding="utf-8")))


def _make(options: argparse.Namespace, plan: dict[str, Any]) -> None:
    later = {name for name, entry in plan["compilations"].items() if "fill_in" in entry}
    as_deployed = {
        name: _compile(options.tools, entry, deployed=True)
        for name, entry in plan["compilations"].items()
        if name not in later
    }
    network = plan["network"]
    hardfork = network.get("hardfork", "prague")
    with ethereum_node(network["chain_id"], *_genesis(network), hardfork=hardfork) as node:
        chain = run_chain(options.tools, node, _chain_plan(plan, as_deployed))
        _write(options, plan, as_deployed, chain)
        _anchor(options.content, node, plan)
    _compile_again(options.content, options.tools, plan)


def _with_evidence(content: Path, plan: dict[str, Any]) -> list[ContractSource]:
    """Return the network's contracts that have evidence beside them."""
    without = {
        plan["compilations"][verification["contract"]]["contract"].rpartition(":")[2]
        for verification in plan["verifications"]
        if verification.get("evidence") == "none"
    }
    sources = read_content(content).site.content_of(SiteContracts).sources
    records = {source: read_contract(content, source).record for source in sources}
    return [
        source
        for source, record in records.items()
        if source.chain_id == str(plan["network"]["chain_id"])
        and record is not None
        and record["compilation"]["name"] not in without
    ]


def _write(
    options: argparse.Namespace,
    plan: dict[str, Any],
    as_deployed: dict[str, Compilation],
    chain: dict[str, Any],
) -> None:
    later = {name for name, entry in plan["compilations"].items() if "fill_in" in entry}
    addresses = {contract["contract"]: contract["address"] for contract in chain["contracts"]}
    compiled = {
        name: as_deployed[name]
        if name not in later and "deployed_from" not in entry
        else _compile(options.tools, entry, addresses=addresses)
        for name, entry in plan["compilations"].items()
    }
    _write_contracts(options.content / "contracts" / str(plan["network"]["chain_id"]), plan, compiled, chain)


def _genesis(network: dict[str, Any]) -> list[str]:
    """Return the options of the node that its first block depends on."""
    # an epoch of one block makes the last block but two final
    return ["--timestamp", str(_unix(network["genesis"])), "--slots-in-an-epoch", "1", "--order", "fifo"]


def _anchor(content: Path, node: str, plan: dict[str, Any]) -> None:
    """Write the chain's own proofs beside the contracts, as `statuary contract anchor` does."""
    sources = _with_evidence(content, plan)
    for one in anchor_contracts(content, sources, AnchoringNodes(EthereumNode(node))):
        print(one.source.address, *map(describe_chain_claim, one.claims))


def _compile_again(content: Path, tools: Path, plan: dict[str, Any]) -> None:
    """Write the evidence of the compilers beside the contracts, as `statuary contract compile` does.

    The digest is that of the compiler, not of the small program that starts it, which differs from machine to machine.
    """
    recompiler = Recompiler(RecompileOptions(compilers=compilers(tools)))
    for source in _with_evidence(content, plan):
        compiled = compile_contract(content, source, recompiler)
        print(source.address, *(finding.message for finding in compiled.findings))
        record = read_contract(content, source).record
        if compiled.evidence is not None and (compiler := recompiler.find_compiler(record)):
            digest = compiler_digest(tools, compiler)
            write_evidence(content, source, compiled.evidence._replace(compiler_sha256=digest))


def _options() -> argparse.Namespace:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--content", type=Path, default=CONTENT, help="the content folder to write into")
    parser.add_argument(
        "networks", nargs="*", default=["network.yaml", "maquette.yaml"], help="the networks to make"
    )
    parser.add_argument("--tools", type=Path, default=TOOLS, help="where compilers are kept")
    return parser.parse_args()


def _compile(
    tools: Path, entry: dict[str, Any], *, deployed: bool = False, addresses: dict[str, str] | None = None
) -> Compilation:
    standard_input = _standard_input(entry, deployed=deployed, addresses=addresses or {})
    compiler = "vyper" if "vyper" in entry else "solc"
    version, output = compile_json(tools, compiler, entry[compiler], standard_input)
    return Compilation(
        compiler=compiler,
        version=version,
        contract=entry["contract"],
        input=standard_input,
        output=_target_only(output, entry["contract"], _selection(entry)),
    )


def _standard_input(entry: dict[str, Any], *, deployed: bool, addresses: dict[str, str]) -> dict[str, Any]:
    path, name = entry["contract"].rsplit(":", 1)
    instead = entry.get("deployed_from", {}) if deployed else {}
    language = "Vyper" if "vyper" in entry else entry.get("language", "Solidity")
    paths = sorted([path, *entry.get("also", [])])
    return {
        "language": language,
        "sources": {
            source: {"content": _filled_in(HERE / instead.get(source, source), entry, addresses)}
            for source in paths
        },
        "settings": {
            **entry["settings"],
            "outputSelection": {
                path: _selection(entry) if language == "Vyper" else {name: _selection(entry)}
            },
        },
    }


def _filled_in(source: Path, entry: dict[str, Any], addresses: dict[str, str]) -> str:
    """Read a source, an address in place of each of the words that `fill_in` names."""
    text = source.read_text(encoding="utf-8")
    for word, contract in entry.get("fill_in", {}).items():
        text = text.replace(f"{{{word}}}", addresses[contract])
        text = text.replace(f"{{{word} without 0x}}", addresses[contract][2:].lower())
    return text


def _selection(entry: dict[str, Any]) -> list[str]:
    if "vyper" in entry:
        return [
            *VYPER_OUTPUT,
            *(["evm.bytecode.sourceMap"] if entry["vyper"] >= VYPER_WITH_CREATION_MAP else []),
        ]
    return YUL_OUTPUT if entry.get("language") == "Yul" else SOLIDITY_OUTPUT


def _target_only(output: dict[str, Any], contract: str, selection: list[str]) -> dict[str, Any]:
    """Return what was asked of the compiler: old ones also answer what was not (opcodes), all of them warn."""
    path, name = contract.rsplit(":", 1)
    kept: dict[str, Any] = {"contracts": {path: {name: _picked(output["contracts"][path][name], selection)}}}
    if "sources" in output:
        kept["sources"] = {source: {"id": value["id"]} for source, value in output["sources"].items()}
    return kept


def _picked(value: dict[str, Any], names: list[str]) -> dict[str, Any]:
    heads = dict.fromkeys(name.partition(".")[0] for name in names)
    return {
        head: _picked(value[head], rest) if rest else value[head]
        for head in heads
        if head in value
        for rest in [
            [tail for first, _, tail in (name.partition(".") for name in names) if first == head and tail]
        ]
    }


def _chain_plan(plan: dict[str, Any], compilations: dict[str, Compilation]) -> dict[str, Any]:
    names = {compilation.contract: name for name, compilation in compilations.items()}
    network = plan["network"]
    return {
        "network": {**network, **{time: _unix(network[time]) for time in ("genesis", "finalized")}},
        "artifacts": {name: _deployable(compilation, names) for name, compilation in compilations.items()},
        "predeployed": plan["predeployed"],
        "transactions": [{**step, "at": _unix(step["at"])} for step in plan["transactions"]],
    }


def _deployable(compilation: Compilation, names: dict[str, str]) -> dict[str, Any]:
    bytecode = compilation.artifact["evm"]["bytecode"]
    return {
        "abi": compilation.artifact.get("abi"),
        "bytecode": bytecode["object"].removeprefix("0x"),
        "runtime": compilation.artifact["evm"]["deployedBytecode"]["object"].removeprefix("0x"),
        "linkReferences": bytecode.get("linkReferences"),
        "libraryNames": names,
    }


def _unix(moment: datetime) -> int:
    return int(moment.timestamp())


def _write_contracts(
    folder: Path, plan: dict[str, Any], compiled: dict[str, Compilation], chain: dict[str, Any]
) -> None:
    deployed = {contract["contract"]: contract for contract in chain["contracts"]}
    verified = [verification["contract"] for verification in plan["verifications"]]
    if sorted(deployed) != sorted(verified):
        raise SystemExit(f"deployed and verified differ: {sorted(set(deployed) ^ set(verified))}")
    shutil.rmtree(folder, ignore_errors=True)
    for number, verification in enumerate(plan["verifications"], start=plan.get("first_match_id", 1)):
        name = verification["contract"]
        claim = Claim(
            match_id=number,
            verified_at=verification["at"],
            compilation=compiled[name],
            contract=deployed[name],
            proxy=_proxy(deployed[name], deployed),
        )
        workspace = folder / claim.contract["address"]
        _write_workspace(workspace, claim)
        if verification.get("form") == "record":
            _derive_in_place(workspace)
        if submitted := plan["compilations"][name].get("submitted"):
            _replace_sources(workspace.with_suffix(".json"), submitted)
        print(f"{claim.contract['address']}  {name}")


def _proxy(contract: dict[str, Any], deployed: dict[str, dict[str, Any]]) -> dict[str, str] | None:
    """Return what the chain says of a proxy: ERC-1967's slot, or the address inside an EIP-1167 clone."""
    clone = re.fullmatch(r"0x363d3d373d3d3d363d73(.{40})5af43d82803e903d91602b57fd5bf3", contract["runtime"])
    target = f"0x{clone[1]}" if clone else contract["implementation"]
    if target is None:
        return None
    names = {other["address"].lower(): name for name, other in deployed.items()}
    name = names[target.lower()]
    return {
        "type": "EIP1167Proxy" if clone else "EIP1967Proxy",
        "address": deployed[name]["address"],
        "name": name,
    }


def _derive_in_place(workspace: Path) -> None:
    """Replace a workspace by the record that follows from it."""
    content, chain_id, address = workspace.parents[2], workspace.parent.name, workspace.name
    source = ContractSource(
        path=f"contracts/{chain_id}/{address}/contract.yaml",
        chain_id=chain_id,
        address=address,
        form=ContractForm.WORKSPACE,
    )
    read = read_contract(content, source)
    if read.record is None:
        raise SystemExit("\n".join(f"{finding.path}: {finding.message}" for finding in read.findings))
    workspace.with_suffix(".json").write_bytes(encode_unchecked(read.record))
    shutil.rmtree(workspace)


def _replace_sources(record_file: Path, submitted: dict[str, str]) -> None:
    """Put the sources that somebody submitted in place of those that were compiled."""
    record = json.loads(record_file.read_bytes())
    for path, other in submitted.items():
        for part in (record, record["stdJsonInput"]):
            part["sources"][path]["content"] = (HERE / other).read_text(encoding="utf-8")
    record_file.write_bytes(encode_unchecked(record))


def _write_workspace(folder: Path, claim: Claim) -> None:
    folder.mkdir(parents=True)
    (folder / "contract.yaml").write_text(_contract_yaml(claim), encoding="utf-8")
    _write_json(folder / "input.json", claim.compilation.input, indent=2)
    _write_json(folder / "output.json", claim.compilation.output)
    (folder / "runtime.hex").write_text(claim.contract["runtime"] + "\n")
    if claim.contract["creation"]:
        (folder / "creation.hex").write_text(claim.contract["creation"] + "\n")


def _contract_yaml(claim: Claim) -> str:
    compilation, proxy = claim.compilation, claim.proxy
    lines = [
        f"compiler: {{name: {compilation.compiler}, version: {compilation.version}}}",
        f"contract: {compilation.contract}",
        f"verified_at: {claim.verified_at:%Y-%m-%dT%H:%M:%SZ}",
        f"match_id: {claim.match_id}",
    ]
    if claim.contract["deployment"]:
        lines.append("deployment:")
        lines += [f"  {name}: {value}" for name, value in claim.contract["deployment"].items()]
    if proxy:
        lines += ["proxy:", "  is_proxy: true", f"  type: {proxy['type']}", "  implementations:"]
        lines.append(f"    - {{address: {proxy['address']}, name: {proxy['name']}}}")
    return "\n".join(lines) + "\n"


def _write_json(path: Path, value: Any, indent: int | None = None) -> None:
    separators = (",", ":") if indent is None else None
    text = json.dumps(value, ensure_ascii=False, indent=indent, separators=separators)
    path.write_text(text + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
