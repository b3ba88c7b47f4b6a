"""Contracts made for tests: compiler output and on-chain code with every kind of open place, and their records.

The code does nothing but deploy itself; what matters is where its pieces are. All hashes are real: the metadata's is in the
auxdata, the sources' in the metadata.
"""

import json
from dataclasses import dataclass
from typing import Any

import orjson
from sha3 import keccak_256

from statuary.base.primitives import Address, ChainId, Hex, checksum_address, parse_instant
from statuary.contracts.model.derivation import Workspace, WorkspaceDeployment, derive_record
from statuary.contracts.model.metadata_hashes import ipfs_multihash
from statuary.contracts.model.proof import Proof
from statuary.contracts.model.record_with_proof import RecordWithProof

PATH, NAME = "contracts/Made.sol", "Made"
LIBRARIES = {
    "contracts/B.sol:Arithmetic": "aa" * 20,
    "contracts/B.sol:Strings": "bb" * 20,
    "contracts/A.sol:Long": "cc" * 20,
}
IMMUTABLES = {"7": "11" * 32, "12": "00" * 31 + "2a"}
ARGUMENTS = "00" * 31 + "07" + "00" * 31 + "01"
ADDRESS = checksum_address("0x" + "5a" * 20)
DEPLOYER = checksum_address("0x" + "d0" * 20)
SELECTOR = "d7ddd357"
CONSTRUCTOR_BYTES = 14

ABI: list[dict[str, Any]] = [
    {
        "inputs": [
            {"internalType": "uint256", "name": "n", "type": "uint256"},
            {"name": "b", "type": "bool"},
        ],
        "stateMutability": "nonpayable",
        "type": "constructor",
    },
    {
        "anonymous": False,
        "inputs": [{"indexed": True, "name": "who", "type": "address"}],
        "name": "Met",
        "type": "event",
    },
    {"inputs": [], "name": "Refused", "type": "error"},
    {
        "inputs": [{"name": "to", "type": "address"}],
        "name": "meet",
        "outputs": [],
        "stateMutability": "view",
        "type": "function",
    },
]
DEVDOC = {"kind": "dev", "methods": {}, "version": 1, "title": "Ein Prüfling"}
USERDOC = {"kind": "user", "methods": {}, "version": 1}
SETTINGS = {"optimizer": {"runs": 200, "enabled": True}, "evmVersion": "cancun", "libraries": {}}


@dataclass(frozen=True, kw_only=True)
class Features:
    """What a made contract has.

    Attributes:
        libraries: links three libraries, two of them in creation code as well.
        immutables: two, one of them in two places.
        arguments: a constructor that takes a number and a flag.
        is_library: begins with call protection.
        children: how many contracts it creates, each with auxdata of its own.
        auxdata: `ipfs`, `bare` (no hash) or `none`.
        onchain_auxdata: `same`, `other` (another hash), `bare` or `none`.
        has_assembly: whether the compiler's output has its assembly.
    """

    libraries: bool = False
    immutables: bool = False
    arguments: bool = False
    is_library: bool = False
    children: int = 0
    auxdata: str = "ipfs"
    onchain_auxdata: str = "same"
    has_assembly: bool = True


FEATURES = {
    "plain": Features(),
    "libraries": Features(libraries=True),
    "immutables": Features(immutables=True),
    "arguments": Features(arguments=True),
    "library": Features(is_library=True),
    "factory": Features(children=2),
    "everything": Features(libraries=True, immutables=True, arguments=True, children=1),
    "other metadata": Features(libraries=True, arguments=True, onchain_auxdata="other"),
    "no hash": Features(auxdata="bare"),
    "no auxdata": Features(auxdata="none"),
    "shorter on chain": Features(onchain_auxdata="bare"),
    "none on chain": Features(onchain_auxdata="none"),
}


def made_record(name: str = "plain", **changes: Any) -> dict[str, Any]:
    """Return the record of a made contract, as JSON gives it."""
    return orjson.loads(orjson.dumps(derive_record(made_workspace(FEATURES[name], **changes))))


def unjudged(record: dict[str, Any]) -> RecordWithProof:
    """Return a record of which nothing was judged."""
    return RecordWithProof(record, Proof(results=()))


def made_workspace(features: Features, **changes: Any) -> Workspace:
    """Return the workspace of a made contract; `changes` replace its fields."""
    metadata = _metadata(features)
    pieces = [
        _auxdata(orjson.dumps(metadata), features.auxdata),
        *(_child_auxdata(n) for n in range(features.children)),
    ]
    runtime = _Code(features, on_creation=False)
    for piece in pieces[1:]:
        runtime.put("6080604052fe" + piece)
    runtime.put("fe" if pieces[0] else "", pieces[0])
    creation = _Code(features, on_creation=True)
    creation.deploy(runtime)
    workspace = Workspace(
        chain_id=ChainId("31337"),
        address=Address(ADDRESS),
        compiler="solc",
        compiler_version="0.8.30+commit.73712a01",
        fully_qualified_name=f"{PATH}:{NAME}",
        std_json_input={
            "language": "Solidity",
            "sources": {PATH: {"content": source_of(features)}},
            "settings": SETTINGS | _auxdata_settings(features) | {"outputSelection": {"*": {"*": ["*"]}}},
        },
        std_json_output=_output(features, metadata, creation, runtime, pieces),
        onchain_creation=Hex("0x" + _onchain(creation, features) + (ARGUMENTS if features.arguments else "")),
        onchain_runtime=Hex("0x" + _onchain(runtime, features)),
        deployment=WorkspaceDeployment(
            transaction_hash=Hex("0x" + "fe" * 32),
            block_number="12",
            transaction_index="0",
            deployer=Address(DEPLOYER),
        ),
        verified_at=parse_instant("2026-11-02T10:00:00Z"),
        match_id="7",
    )
    return workspace._replace(**changes)


class _Code:
    """Hex digits as a compiler writes them, and where their open places are."""

    def __init__(self, features: Features, *, on_creation: bool) -> None:
        self.digits, self.links, self.immutables = "", [], []
        if on_creation:
            self.put("608060405234601057")
        elif features.is_library:
            self.put("73" + "00" * 20 + "30146080604052")
        else:
            self.put("6080604052")
        for library in list(LIBRARIES)[: 2 if on_creation else 3] if features.libraries else ():
            self.put("73")
            self.links.append((library, len(self.digits) // 2))
            self.put(f"__${keccak_256(library.encode()).hexdigest()[:34]}$__")
        if features.immutables and not on_creation:
            for ast_id in ("12", "7", "7"):
                self.put("7f")
                self.immutables.append((ast_id, len(self.digits) // 2))
                self.put("00" * 32)
        self.put("600256" if on_creation else f"63{SELECTOR}")

    def put(self, *digits: str) -> None:
        self.digits += "".join(digits)

    def deploy(self, other: "_Code") -> None:
        """Append code that copies and returns the other code, and that code."""
        start = len(self.digits) // 2 + CONSTRUCTOR_BYTES
        self.put(f"61{len(other.digits) // 2:04x}8061{start:04x}6000396000f3fe")
        self.links += [(library, place + start) for library, place in other.links]
        self.put(other.digits)

    def link_references(self) -> dict[str, Any]:
        references: dict[str, Any] = {}
        for library, start in sorted(self.links):
            path, _, name = library.rpartition(":")
            references.setdefault(path, {}).setdefault(name, []).append({"start": start, "length": 20})
        return references

    def immutable_references(self) -> dict[str, Any]:
        references: dict[str, Any] = {}
        for ast_id, start in self.immutables:
            references.setdefault(ast_id, []).append({"start": start, "length": 32})
        return references


def source_of(features: Features) -> str:
    """Return a source that declares what the contract has."""
    libraries = [place.rpartition(":")[2] for place in LIBRARIES] if features.libraries else []
    variables = [f"uint256 immutable v{ast_id};" for ast_id in IMMUTABLES] if features.immutables else []
    kind = "library" if features.is_library else "contract"
    lines = [
        "// SPDX-License-Identifier: MIT",
        "pragma solidity ^0.8.30;",
        *(f"library {name} {{}}" for name in libraries),
        f"{kind} {NAME} {{{' '.join(variables)}}}",
    ]
    return "\n".join(lines) + "\n"


def _auxdata_settings(features: Features) -> dict[str, Any]:
    """Return the setting of code that ends without auxdata, or without a hash in it."""
    settings = {"none": {"appendCBOR": False}, "bare": {"bytecodeHash": "none"}}
    return {"metadata": settings[features.auxdata]} if features.auxdata in settings else {}


def _metadata(features: Features) -> dict[str, Any]:
    return {
        "compiler": {"version": "0.8.30+commit.73712a01"},
        "language": "Solidity",
        "output": {"abi": _abi(features), "devdoc": DEVDOC, "userdoc": USERDOC},
        "settings": {
            "compilationTarget": {PATH: NAME},
            "evmVersion": "cancun",
            "libraries": {},
            "metadata": {"bytecodeHash": "ipfs"} | _auxdata_settings(features).get("metadata", {}),
            "optimizer": {"enabled": True, "runs": 200},
            "remappings": [],
        },
        "sources": {
            PATH: {
                "keccak256": "0x" + keccak_256(source_of(features).encode()).hexdigest(),
                "license": "MIT",
                "urls": [],
            }
        },
        "version": 1,
    }


def _abi(features: Features) -> list[dict[str, Any]]:
    return ABI if features.arguments else ABI[1:]


def _auxdata(metadata: bytes, kind: str) -> str:
    if kind == "none":
        return ""
    if kind == "bare":
        return "a164736f6c634300081e000a"
    return f"a264697066735822{ipfs_multihash(_ascii(orjson.loads(metadata))).hex()}64736f6c634300081e0033"


def _ascii(metadata: Any) -> bytes:
    """Spell metadata as solc does, which escapes what is not ASCII."""
    return json.dumps(metadata, separators=(",", ":")).encode()


def _child_auxdata(number: int) -> str:
    return f"a264697066735822{ipfs_multihash(b'child %d' % number).hex()}64736f6c634300081e0033"


def _output(
    features: Features, metadata: Any, creation: _Code, runtime: _Code, pieces: list[str]
) -> dict[str, Any]:
    children = {
        str(n): {".code": [], ".data": {"0": {".auxdata": piece, ".code": []}}}
        for n, piece in enumerate(pieces[1:])
    }
    own = {".auxdata": pieces[0]} if pieces[0] else {}
    assembly = {".code": [], ".data": {"0": own | {".code": [], ".data": children}}}
    evm: dict[str, Any] = {
        "bytecode": {
            "object": creation.digits,
            "sourceMap": "1:2:3:-:0;;",
            "opcodes": "PUSH1",
            "linkReferences": creation.link_references(),
        },
        "deployedBytecode": {
            "object": runtime.digits,
            "sourceMap": "4:5:6:-:0;;",
            "linkReferences": runtime.link_references(),
            "immutableReferences": runtime.immutable_references(),
        },
    }
    contract = {
        "abi": _abi(features),
        "metadata": _ascii(metadata).decode(),
        "devdoc": DEVDOC,
        "userdoc": USERDOC,
        "storageLayout": {"storage": [], "types": None},
        "evm": evm | ({"legacyAssembly": assembly} if features.has_assembly else {}),
    }
    return {"sources": {PATH: {"id": 0, "ast": {}}}, "contracts": {PATH: {NAME: contract}}}


def _onchain(code: _Code, features: Features) -> str:
    """Return code as it is on the chain: linked, with immutables, its own address, and its own auxdata."""
    digits = code.digits
    for library, address in LIBRARIES.items():
        digits = digits.replace(f"__${keccak_256(library.encode()).hexdigest()[:34]}$__", address)
    for ast_id, start in code.immutables:
        digits = digits[: 2 * start] + IMMUTABLES[ast_id] + digits[2 * start + 64 :]
    if features.is_library and digits.startswith("73"):
        digits = "73" + ADDRESS[2:].lower() + digits[42:]
    return _with_auxdata(digits, features)


def _with_auxdata(digits: str, features: Features) -> str:
    own = _auxdata(orjson.dumps(_metadata(features)), features.auxdata)
    match features.onchain_auxdata:
        case "other":
            return digits.replace(own, _auxdata(b'{"other":1}', "ipfs"))
        case "bare":
            return digits.replace(own, _auxdata(b"", "bare"))
        case "none":
            return digits.replace("fe" + own, "")
        case _:
            return digits
