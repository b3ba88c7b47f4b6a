"""Records forged to be accepted, by class: each makes a false claim and repeats it wherever a record repeats itself.

A forger has everything but the bytecode on the chain: whatever the record says of it must be the chain's. Each forgery
takes a private copy of a true record, and says whether that record could bear it.
"""

import json
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any

import orjson
from sha3 import keccak_256

from statuary.contracts.model.abi import abi_signatures
from statuary.contracts.model.compiler import parse_compiler_version
from statuary.contracts.model.metadata_hashes import ipfs_multihash

Record = dict[str, Any]
Forge = Callable[[Record], bool]

SOLIDITY_IPFS = "a2646970667358221220"
FAKE = "\n// and all funds go to the deployer\n"


@dataclass(frozen=True)
class Forgery:
    """One way to forge a record.

    Attributes:
        family: the class of forgeries that it belongs to.
    """

    family: str
    name: str
    apply: Forge


FORGERIES: list[Forgery] = []


def forgery(family: str) -> Callable[[Forge], Forge]:
    def register(apply: Forge) -> Forge:
        FORGERIES.append(Forgery(family, apply.__name__.replace("_", " "), apply))
        return apply

    return register


def forged(family: str, name: str, apply: Forge) -> None:
    FORGERIES.append(Forgery(family, name, apply))


# -- what a forger does to make a record agree with itself


def target(record: Record) -> tuple[str, str]:
    path, _, name = record["compilation"]["fullyQualifiedName"].rpartition(":")
    return path, name


def repeat(record: Record) -> bool:
    """Write the record's members once more into the standard JSON input and output, and the signatures."""
    path, name = target(record)
    record["signatures"] = abi_signatures(record["abi"])
    given = {
        "language": record["compilation"]["language"],
        "sources": record["sources"],
        "settings": record["compilation"]["compilerSettings"],
    }
    record["stdJsonInput"] = given | (record.get("additionalInput") or {})
    metadata = record["metadata"]
    contract: Record = {
        "abi": record["abi"],
        "metadata": None if metadata is None else spelled(metadata),
        **{
            member: record.get(member)
            for member in ("userdoc", "devdoc", "storageLayout", "transientStorageLayout")
        },
        "evm": {
            "bytecode": code_output(record["creationBytecode"]),
            "deployedBytecode": code_output(record["runtimeBytecode"]),
        },
    }
    record["stdJsonOutput"] = {"sources": record["sourceIds"], "contracts": {path: {name: contract}}}
    return True


def code_output(side: Record) -> Record:
    members = ("sourceMap", "linkReferences", "immutableReferences")
    code = side["recompiledBytecode"]
    return {"object": code[2:] if code else None, **{key: side[key] for key in members if key in side}}


def spelled(metadata: Any) -> str:
    return json.dumps(metadata, separators=(",", ":"))


def side_of(record: Record, side: str) -> Record:
    return record[f"{side}Bytecode"]


def is_solidity(record: Record) -> bool:
    return record["compilation"]["language"] == "Solidity"


def is_exact(record: Record) -> bool:
    return is_solidity(record) and "exact_match" in (record["creationMatch"], record["runtimeMatch"])


def is_exact_on_both_sides(record: Record) -> bool:
    return is_solidity(record) and record["creationMatch"] == record["runtimeMatch"] == "exact_match"


def withdraw(record: Record, side: str) -> None:
    record[f"{side}Match"] = None
    side_of(record, side).update(transformations=None, transformationValues=None)


def change_sources(record: Record) -> None:
    """Change the text of every source, and its hash in the metadata."""
    for path, source in record["sources"].items():
        source["content"] += FAKE
        listed = ((record["metadata"] or {}).get("sources") or {}).get(path)
        if listed is not None:
            listed["keccak256"] = "0x" + keccak_256(source["content"].encode()).hexdigest()
            listed.pop("content", None)


def put_hex(text: str, place: int, digits: str) -> str:
    return text[: 2 + 2 * place] + digits + text[2 + 2 * place + len(digits) :]


def hex_size(text: str | None) -> int:
    return len(text or "0x") // 2 - 1


def cut_open(record: Record, side: str, places: list[tuple[int, int]]) -> None:
    """Put zeros into the recompiled code of a side, where something is to be filled in."""
    code = side_of(record, side)
    for start, length in places:
        code["recompiledBytecode"] = put_hex(code["recompiledBytecode"], start, "00" * length)


def hex_at(text: str, start: int, length: int) -> str:
    return "0x" + text[2 + 2 * start : 2 + 2 * (start + length)]


# -- metadata


def null_metadata(*, member: bool, output: bool) -> Forge:
    def apply(record: Record) -> bool:
        if not is_exact(record):
            return False
        change_sources(record)
        repeat(record)
        path, name = target(record)
        if member:
            record["metadata"] = None
        if output:
            record["stdJsonOutput"]["contracts"][path][name]["metadata"] = None
        return True

    return apply


forged("metadata nulled", "the metadata and its repetition", null_metadata(member=True, output=True))
forged("metadata nulled", "the metadata alone", null_metadata(member=True, output=False))
forged("metadata nulled", "the repetition alone", null_metadata(member=False, output=True))


@forgery("one side nulled")
def null_the_runtime_match_and_change_the_metadata(record):
    if not is_exact_on_both_sides(record):
        return False
    change_sources(record)
    withdraw(record, "runtime")
    return repeat(record)


@forgery("one side nulled")
def null_the_creation_match_and_change_the_metadata(record):
    if not is_exact_on_both_sides(record):
        return False
    change_sources(record)
    withdraw(record, "creation")
    return repeat(record)


@forgery("one side nulled")
def take_the_runtime_side_away_and_change_the_metadata(record):
    if not is_exact_on_both_sides(record):
        return False
    change_sources(record)
    withdraw(record, "runtime")
    side_of(record, "runtime").update(
        onchainBytecode=None,
        recompiledBytecode=None,
        cborAuxdata={},
        linkReferences={},
        immutableReferences={},
    )
    return repeat(record)


@forgery("metadata changed")
def change_sources_and_metadata(record):
    if not is_exact(record):
        return False
    change_sources(record)
    return repeat(record)


@forgery("metadata changed")
def drop_a_source_from_the_metadata(record):
    if not is_exact(record) or len(record["metadata"]["sources"]) < 2:
        return False
    path = next(path for path in record["metadata"]["sources"] if path != target(record)[0])
    del record["metadata"]["sources"][path]
    record["sources"][path]["content"] += FAKE
    return repeat(record)


@forgery("factory as its child")
def publish_a_factory_as_the_contract_that_it_creates(record):
    """The hash of the child's metadata is among the pieces, as a real factory's is."""
    if not is_exact_on_both_sides(record):
        return False
    pieces = side_of(record, "runtime")["cborAuxdata"]
    if len(pieces) < 2 or len(side_of(record, "creation")["cborAuxdata"]) < 2:
        return False
    change_sources(record)
    digest = ipfs_multihash(spelled(record["metadata"]).encode()).hex()
    own = max(pieces.values(), key=lambda piece: piece["offset"])["value"]
    for side in ("creation", "runtime"):
        for piece in side_of(record, side)["cborAuxdata"].values():
            if piece["value"] != own and "69706673" in piece["value"]:
                other = piece["value"][:20] + digest + piece["value"][20 + 68 :]
                for member in ("onchainBytecode", "recompiledBytecode"):
                    code = side_of(record, side)[member]
                    side_of(record, side)[member] = code.replace(piece["value"][2:], other[2:])
                piece["value"] = other
    return repeat(record)


@forgery("factory as its child")
def publish_made_auxdata_in_front_of_the_own(record):
    """A piece in front of the own one is declared, whose bytes the chain does not have."""
    if not is_exact(record):
        return False
    change_sources(record)
    digest = ipfs_multihash(spelled(record["metadata"]).encode()).hex()
    piece = f"a264697066735822{digest}64736f6c634300081e0033"
    for side in ("creation", "runtime"):
        code = side_of(record, side)
        for member in ("onchainBytecode", "recompiledBytecode"):
            if code[member]:
                code[member] = "0x" + piece + code[member][2:]
    return repeat(record)


# -- Vyper


def vyper_source(text: str, *, extra: str = "", override: bool = False) -> Forge:
    def apply(record: Record) -> bool:
        if record["compilation"]["language"] != "Vyper" or record["creationMatch"] != "exact_match":
            return False
        path, _ = target(record)
        record["sources"][path]["content"] = text + record["sources"][path]["content"]
        if extra:
            record["sources"][extra] = {"content": "x: uint256\n"}
        if override:
            place = {"type": "uint256", "n_slots": 1, "slot": 9}
            record["additionalInput"] = {"storage_layout_overrides": {path: {"x": place}}}
        return repeat(record)

    return apply


for _name, _forge in {
    "behind an import in a docstring": vyper_source('"""\nimport this\n"""\n'),
    "behind an import in a comment": vyper_source("# import this\n"),
    "beside a second source": vyper_source("# changed\n", extra="other.vy"),
    "behind an import of a second source": vyper_source("import other\n", extra="other.vy"),
    "behind an import of nothing": vyper_source("import nothing\n"),
    "behind an import of the compiler's own": vyper_source("from ethereum.ercs import IERC20\n"),
    "behind an import of what the compiler has not": vyper_source("from ethereum.ercs import IERC9999\n"),
    "with an additional input": vyper_source("# changed\n", override=True),
}.items():
    forged("Vyper sources changed", _name, _forge)


# -- transformations


def widen(reason: str, member: str, size: int) -> Forge:
    """Declare a place longer than it can be, so that the bytes in it need not be compiled."""

    def apply(record: Record) -> bool:
        code = side_of(record, "runtime")
        steps = [step for step in code["transformations"] or [] if step["reason"] == reason]
        if not is_solidity(record) or not steps:
            return False
        step = steps[0]
        end = step["offset"] + size
        if end > hex_size(code["onchainBytecode"]):
            return False
        for references in code[member].values():
            lists = references.values() if isinstance(references, dict) else [references]
            for places in lists:
                for place in places:
                    if place["start"] == step["offset"]:
                        place["length"] = size
        cut_open(record, "runtime", [(step["offset"], size)])
        group = "libraries" if reason == "library" else "immutables"
        code["transformationValues"][group][step["id"]] = hex_at(
            code["onchainBytecode"], step["offset"], size
        )
        return repeat(record)

    return apply


for _size in (21, 40, 200):
    forged("library value of any length", f"{_size} bytes", widen("library", "linkReferences", _size))
for _size in (33, 64, 300):
    forged(
        "immutable value of any length", f"{_size} bytes", widen("immutable", "immutableReferences", _size)
    )


def length_on(reason: str, extra: int) -> Forge:
    """Give a step a length that other steps have not, so that it swallows compiled bytes."""

    def apply(record: Record) -> bool:
        code = side_of(record, "runtime")
        steps = [step for step in code["transformations"] or [] if step["reason"] == reason]
        if not steps or steps[-1]["type"] != "replace":
            return False
        size = 20 if reason in ("library", "callProtection") else 32
        start = steps[-1]["offset"] + size
        steps[-1]["length"] = size + extra
        swallowed = code["recompiledBytecode"]
        code["recompiledBytecode"] = swallowed[: 2 + 2 * start] + "5b" * extra + swallowed[2 + 2 * start :]
        for piece in (code["cborAuxdata"] or {}).values():
            piece["offset"] += extra
        return repeat(record)

    return apply


for _reason in ("library", "immutable", "callProtection"):
    for _extra in (1, 16):
        forged("length where none belongs", f"{_reason}, {_extra} bytes", length_on(_reason, _extra))


def arguments_at(place: Callable[[int], int], *, twice: bool = False) -> Forge:
    """Declare a part of the on-chain creation code as constructor arguments."""

    def apply(record: Record) -> bool:
        code = side_of(record, "creation")
        if record["creationMatch"] is None or not is_solidity(record):
            return False
        onchain, size = code["onchainBytecode"], 64
        start = place(hex_size(onchain))
        if start < 0 or any(step["reason"] != "constructorArguments" for step in code["transformations"]):
            return False
        value = hex_at(onchain, start, size)
        code["recompiledBytecode"] = onchain[: 2 + 2 * start] + onchain[2 + 2 * (start + size) :]
        step = {"type": "insert", "reason": "constructorArguments", "offset": start}
        code["transformations"] = [step, step] if twice else [step]
        code["transformationValues"] = {"constructorArguments": value}
        items = [item for item in record["abi"] or [] if item["type"] != "constructor"]
        inputs = [{"name": "a", "type": "bytes32"}, {"name": "b", "type": "bytes32"}]
        record["abi"] = [*items, {"type": "constructor", "inputs": inputs, "stateMutability": "payable"}]
        return repeat(record)

    return apply


forged("arguments out of place", "at byte 0", arguments_at(lambda _: 0))
forged("arguments out of place", "at byte 40", arguments_at(lambda _: 40))
forged("arguments out of place", "in the middle", arguments_at(lambda size: size // 2))
forged("arguments out of place", "twice", arguments_at(lambda _: 40, twice=True))


@forgery("immutable of type insert")
def insert_what_was_not_compiled(record):
    code = side_of(record, "runtime")
    if not is_solidity(record) or record["runtimeMatch"] is None or code["transformations"]:
        return False
    start, size = hex_size(code["onchainBytecode"]) // 3, 32
    onchain = code["onchainBytecode"]
    code["recompiledBytecode"] = onchain[: 2 + 2 * start] + onchain[2 + 2 * (start + size) :]
    code["transformations"] = [{"type": "insert", "reason": "immutable", "offset": start, "id": "1"}]
    code["transformationValues"] = {"immutables": {"1": hex_at(onchain, start, size)}}
    return repeat(record)


@forgery("immutable of type insert")
def insert_an_immutable_behind_the_code(record):
    code = side_of(record, "runtime")
    if not is_solidity(record) or record["runtimeMatch"] is None or code["transformations"]:
        return False
    onchain, size = code["onchainBytecode"], 64
    start = hex_size(onchain) - size
    code["recompiledBytecode"] = onchain[: 2 + 2 * start]
    code["immutableReferences"] = {"0": [{"start": start, "length": size}]}
    code["transformations"] = [{"type": "insert", "reason": "immutable", "offset": start, "id": "0"}]
    code["transformationValues"] = {"immutables": {"0": hex_at(onchain, start, size)}}
    return repeat(record)


def tiled(reason: str, size: int, step: int, *, push: str = "") -> Forge:
    """Declare the code to be one place after another, all filled in from the chain."""

    def apply(record: Record) -> bool:
        code = side_of(record, "runtime")
        if record["runtimeMatch"] is None or code["transformations"]:
            return False
        onchain, total = code["onchainBytecode"], hex_size(code["onchainBytecode"])
        width = size or total
        if push:
            starts = [
                at // 2 for at in range(0, 2 * (total - size), 2) if onchain[2 + at - 2 : 2 + at] == push
            ]
            starts = [one for at, one in enumerate(starts) if not at or one - starts[at - 1] > size]
        else:
            starts = list(range(0, total - width + 1, step or width))[:200]
        if not starts:
            return False
        cut_open(record, "runtime", [(start, width) for start in starts])
        ids = {start: f"{start}" if reason == "immutable" else f"L.sol:L{start}" for start in starts}
        places = {start: [{"start": start, "length": width}] for start in starts}
        if reason == "immutable":
            code["immutableReferences"] = {ids[start]: places[start] for start in starts}
        else:
            code["linkReferences"] = {"L.sol": {f"L{start}": places[start] for start in starts}}
        code["transformations"] = [
            {"type": "replace", "reason": reason, "offset": start, "id": ids[start]} for start in starts
        ]
        group = "immutables" if reason == "immutable" else "libraries"
        values = {ids[start]: hex_at(onchain, start, width) for start in starts}
        code["transformationValues"] = {group: values}
        return repeat(record)

    return apply


forged("code made of open places", "one immutable over all the code", tiled("immutable", 0, 0))
forged("code made of open places", "immutables side by side", tiled("immutable", 32, 32))
forged("code made of open places", "libraries side by side", tiled("library", 20, 20))
forged("code made of open places", "every pushed word an immutable", tiled("immutable", 32, 0, push="7f"))
forged("code made of open places", "every pushed address a library", tiled("library", 20, 0, push="73"))


def auxdata_over(first: Callable[[int], int]) -> Forge:
    """List a stretch of the code as auxdata, and take it over from the chain."""

    def apply(record: Record) -> bool:
        code = side_of(record, "runtime")
        if not is_solidity(record) or record["runtimeMatch"] is None:
            return False
        onchain, total = code["onchainBytecode"], hex_size(code["onchainBytecode"])
        start = first(total)
        value = hex_at(onchain, start, total - start)
        code["recompiledBytecode"] = onchain[: 2 + 2 * start] + "fe" * (total - start)
        code["cborAuxdata"] = {"1": {"offset": start, "value": "0x" + "fe" * (total - start)}}
        code["transformations"] = [{"type": "replace", "reason": "cborAuxdata", "offset": start, "id": "1"}]
        code["transformationValues"] = {"cborAuxdata": {"1": value}}
        record["runtimeMatch"] = "match"
        record["match"] = "exact_match" if record["creationMatch"] == "exact_match" else "match"
        return repeat(record)

    return apply


forged("auxdata over the code", "all of it", auxdata_over(lambda _: 0))
forged("auxdata over the code", "the second half", auxdata_over(lambda total: total // 2))
forged("auxdata over the code", "the last hundred bytes", auxdata_over(lambda total: max(total - 100, 0)))


def foreign_immutables(language: str, compiler: str) -> Forge:
    """Publish a Solidity contract in another language, with undeclared immutables."""

    def apply(record: Record) -> bool:
        code = side_of(record, "runtime")
        if record["runtimeMatch"] is None or record["compilation"]["language"] == language:
            return False
        withdraw(record, "creation")
        record["compilation"] |= {"language": language, "compiler": compiler}
        record["runtimeMatch"] = record["match"] = "match"
        record["metadata"] = None
        size = hex_size(code["onchainBytecode"])
        onchain = code["onchainBytecode"]
        code.update(
            cborAuxdata={},
            linkReferences={},
            recompiledBytecode="0x" + "00" * size,
            immutableReferences={"1": [{"start": 0, "length": size}]},
            transformations=[{"type": "replace", "reason": "immutable", "offset": 0, "id": "1"}],
            transformationValues={"immutables": {"1": onchain}},
        )
        return repeat(record)

    return apply


for _language, _compiler in (("Yul", "solc"), ("Fe", "fe"), ("Huff", "huffc"), ("Vyper", "vyper")):
    forged("immutables of other languages", _language, foreign_immutables(_language, _compiler))


def empty_code(side: str, *, both: bool) -> Forge:
    def apply(record: Record) -> bool:
        code = side_of(record, side)
        level = "match"
        if not both:
            withdraw(record, "runtime" if side == "creation" else "creation")
        record[f"{side}Match"] = record["match"] = level
        if both and record["creationMatch" if side == "runtime" else "runtimeMatch"] == "exact_match":
            record["match"] = "exact_match"
        code.update(onchainBytecode="0x", recompiledBytecode="0x", cborAuxdata={}, linkReferences={})
        code.update(transformations=[], transformationValues={})
        if side == "runtime":
            code["immutableReferences"] = {}
        return repeat(record)

    return apply


forged("nothing on the chain", "an empty runtime side", empty_code("runtime", both=True))
forged("nothing on the chain", "an empty creation side alone", empty_code("creation", both=False))
forged("nothing on the chain", "an empty runtime side alone", empty_code("runtime", both=False))


# -- compilation


def rename(new: str, *, metadata: bool) -> Forge:
    def apply(record: Record) -> bool:
        if record["metadata"] is None or not is_exact(record):
            return False
        path, name = target(record)
        if name == new:
            return False
        record["compilation"] |= {"name": new, "fullyQualifiedName": f"{path}:{new}"}
        if metadata:
            record["metadata"]["settings"]["compilationTarget"] = {path: new}
        return repeat(record)

    return apply


forged("contract renamed", "everywhere but in the metadata", rename("USDC", metadata=False))
forged("contract renamed", "in the metadata too", rename("USDC", metadata=True))


@forgery("contract renamed")
def name_another_contract_of_the_same_source(record):
    path, _ = target(record)
    if not is_exact(record):
        return False
    record["sources"][path]["content"] += "\ncontract USDC {}\n"
    record["compilation"] |= {"name": "USDC", "fullyQualifiedName": f"{path}:USDC"}
    return repeat(record)


def compile_with(**changes: str) -> Forge:
    def apply(record: Record) -> bool:
        compilation = record["compilation"]
        if compilation["compiler"] == "fe" and changes.get("compilerVersion", "").endswith(".0"):
            return False  # Fe's versions have no commit
        new = {key: value.format(version=compilation["compilerVersion"]) for key, value in changes.items()}
        compilation |= new
        return repeat(record)

    return apply


for _name, _changes in {
    "a compiler that nobody knows": {"compiler": "trusted audited solc"},
    "a suffix of the version": {"compilerVersion": "{version}-audited"},
    "a prefix of the version": {"compilerVersion": "audited-{version}"},
    "a version without commit": {"compilerVersion": "99.0.0"},
    "a language that nobody knows": {"language": "Safe Solidity"},
    "a compiler with solc's name in it": {"compiler": "not solc"},
    "an unreadable version": {"compilerVersion": "0.8.x-secure"},
}.items():
    forged("compiler made up", _name, compile_with(**_changes))


def change_settings(**changes: Any) -> Forge:
    def apply(record: Record) -> bool:
        if not is_exact(record):
            return False
        settings = record["compilation"]["compilerSettings"]
        new = {**settings, **changes} if changes else {}
        is_old = parse_compiler_version(record["compilation"]["compilerVersion"]) < (0, 5, 2)
        if is_old and changes.keys() - {"optimizer", "remappings", "libraries"}:
            return False  # these releases ignore settings that they do not know
        if new == settings or (not changes and not settings.get("optimizer", {}).get("enabled")):
            return False
        record["compilation"]["compilerSettings"] = new
        return repeat(record)

    return apply


for _name, _settings in {
    "emptied": {},
    "viaIR added": {"viaIR": True},
    "another optimizer": {"optimizer": {"enabled": True, "runs": 31337}},
    "another EVM": {"evmVersion": "homestead"},
    "a remapping added": {"remappings": ["a=b"]},
    "a library added": {"libraries": {"A.sol": {"L": "0x" + "11" * 20}}},
    "a setting that solc does not have": {"audited": True},
    "literal sources": {"metadata": {"useLiteralContent": True, "bytecodeHash": "none"}},
}.items():
    forged("settings changed", _name, change_settings(**_settings))


def null_member(member: str, value: Any = None) -> Forge:
    def apply(record: Record) -> bool:
        if not is_exact(record) or record[member] in (None, value):
            return False
        record[member] = value
        return repeat(record)

    return apply


for _member in ("devdoc", "userdoc"):
    forged("documentation nulled", f"{_member} null", null_member(_member))
    forged("documentation nulled", f"{_member} empty", null_member(_member, {}))
    forged("documentation nulled", f"{_member} praises", null_member(_member, {"notice": "Audited"}))
forged("interface changed", "no ABI", null_member("abi", []))


@forgery("interface changed")
def add_a_function(record):
    if not is_solidity(record) or not record["abi"]:
        return False
    if record["runtimeBytecode"]["recompiledBytecode"][2:].startswith("73" + "00" * 20):
        return False
    item = {"type": "function", "name": "rescueFunds", "inputs": [], "outputs": [], "stateMutability": "view"}
    record["abi"] = [*record["abi"], item]
    return repeat(record)


def layout(**changes: Any) -> Forge:
    def apply(record: Record) -> bool:
        held = record["storageLayout"]
        if not is_solidity(record) or not held or not held["storage"] or not held["types"]:
            return False
        first = held["storage"][0]
        if "types" in changes:
            held["types"][first["type"]] |= changes["types"]
        else:
            held["storage"][0] = first | changes
        return repeat(record)

    return apply


for _name, _layout in {
    "a variable elsewhere": {"slot": "7"},
    "a variable that no source has": {"label": "ownerIsMultisigWithTimelock"},
    "a type that is not defined": {"type": "t_safe"},
    "an offset beyond the slot": {"offset": 99},
    "a slot that is no number": {"slot": "first"},
    "a type of another size": {"types": {"numberOfBytes": "77"}},
    "an encoding that does not exist": {"types": {"encoding": "safe"}},
}.items():
    forged("layout made up", _name, layout(**_layout))


def repeated_key(text: Callable[[str], str]) -> Forge:
    def apply(record: Record) -> bool:
        if record["metadata"] is None:
            return False
        path, name = target(record)
        held = record["stdJsonOutput"]["contracts"][path][name]
        held["metadata"] = text(held["metadata"])
        return True

    return apply


for _name, _text in {
    "in front": lambda text: '{"language":"Audited",' + text[1:],
    "behind": lambda text: text[:-1] + ',"version":1}',
    "deep inside": lambda text: text.replace('"settings":{', '"settings":{"viaIR":false,"viaIR":true,', 1),
}.items():
    forged("metadata text with repeated keys", _name, repeated_key(_text))


@forgery("creation code made up")
def give_the_runtime_code_as_creation_code(record):
    if record["runtimeMatch"] is None:
        return False
    record["creationBytecode"] = {
        member: record["runtimeBytecode"][member] for member in record["creationBytecode"]
    }
    record["creationMatch"] = record["runtimeMatch"]
    return repeat(record)


def with_constructor(digits: str) -> Forge:
    def apply(record: Record) -> bool:
        if record["runtimeMatch"] is None or record["runtimeBytecode"]["transformations"]:
            return False
        runtime = record["runtimeBytecode"]
        size = len(digits) // 2
        auxdata = {
            number: {**piece, "offset": piece["offset"] + size}
            for number, piece in (runtime["cborAuxdata"] or {}).items()
        }
        record["creationBytecode"].update(
            onchainBytecode="0x" + digits + runtime["onchainBytecode"][2:],
            recompiledBytecode="0x" + digits + runtime["recompiledBytecode"][2:],
            cborAuxdata=auxdata,
            linkReferences={},
            transformations=[],
            transformationValues={},
        )
        record["creationMatch"] = record["runtimeMatch"]
        return repeat(record)

    return apply


forged("creation code made up", "one byte in front", with_constructor("fe"))
forged("creation code made up", "a constructor that returns nothing", with_constructor("60006000f3fe"))


# -- identity and proxies


for _text in ("2024-02-31T00:00:00Z", "0000-01-01T00:00:00Z", "2023-02-29T12:00:00Z", "2024-13-01T00:00:00Z"):
    forged(
        "impossible dates",
        _text,
        lambda record, text=_text: record.update(verifiedAt=text) is None,
    )

OTHER = "0x1111111111111111111111111111111111111111"
for _name, _resolution in {
    "a member missing": {"isProxy": True},
    "no type": {"isProxy": True, "proxyType": None, "implementations": [{"address": OTHER}]},
    "a type that is no text": {
        "isProxy": True,
        "proxyType": 1167,
        "implementations": [{"address": OTHER}],
    },
    "nobody": {
        "isProxy": True,
        "proxyType": "EIP1967Proxy",
        "implementations": [{"address": "0x" + "0" * 40}],
    },
    "implementations of what is no proxy": {
        "isProxy": False,
        "proxyType": None,
        "implementations": [{"address": OTHER}],
    },
    "an address that is none": {
        "isProxy": True,
        "proxyType": "EIP1967Proxy",
        "implementations": [{"address": "0x00"}],
    },
    "nothing": {},
}.items():
    forged(
        "malformed proxies",
        _name,
        lambda record, value=_resolution: record.update(proxyResolution=value) is None,
    )


def forgeries_of(record: bytes) -> Iterator[tuple[Forgery, Record]]:
    """Yield each forgery that a record can bear, with the forged record."""
    for each in FORGERIES:
        copy = orjson.loads(record)
        before = orjson.dumps(copy)
        if each.apply(copy) and orjson.dumps(copy) != before:
            yield each, copy
