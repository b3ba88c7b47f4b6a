"""Records of shapes that no compiler makes: each true record, with one of its parts made large, deep, repeated or of another kind."""

import json
from collections.abc import Callable, Iterator
from contextlib import suppress
from typing import Any, NamedTuple

import orjson

from statuary.base.primitives import checksum_address
from support.contracts import NAME, PATH, made_record
from support.forgeries import repeat

CHAIN = "748463"
Record = dict[str, Any]
Place = tuple[str | int, ...]

MANY = 20_000
"""Members of a part that is made large, in a shape with a name."""

FEW = 1_000
"""Members of every part in turn that is made large."""


class Shape(NamedTuple):
    """A hostile record by name."""

    name: str
    make: Callable[[], Record]


def containers(value: Any, pointer: Place = ()) -> Iterator[tuple[Place, Any]]:
    """Yield the lists and objects of a record that have something in them, and their places."""
    if value and isinstance(value, list | dict):
        yield pointer, value
        for key, part in value.items() if isinstance(value, dict) else enumerate(value):
            yield from containers(part, (*pointer, key))


def at(record: Any, place: Place) -> Any:
    for key in place:
        record = record[key]
    return record


def many(value: Any) -> Any:
    """Return a list or object with many more members like its last one."""
    if isinstance(value, list):
        return [*value, *([value[-1]] * FEW)]
    last = value[list(value)[-1]]
    return {**value, **{f"{number}": last for number in range(FEW)}}


def numbered(value: Any) -> Any:
    """Return a list whose added members differ from one another."""
    text = orjson.dumps(value[-1])
    added = []
    for number in range(FEW):
        one = orjson.loads(text)
        if isinstance(one, dict):
            for key, part in one.items():
                if isinstance(part, str) and key in ("name", "label", "signature", "id"):
                    one[key] = f"{part}{number}"
                if key == "offset" and isinstance(part, int):
                    one[key] = number * 33
        added.append(one)
    return [*value, *added]


def deep(value: Any, levels: int = 200) -> Any:
    """Return a value within as many lists or objects of its kind."""
    for _ in range(levels):
        value = [value] if isinstance(value, list) else {"a": value}
    return value


def other_kind(value: Any) -> Any:
    return {"0": value} if isinstance(value, list) else [value]


CHANGES: dict[str, Callable[[Any], Any]] = {"many": many, "deep": deep, "of the other kind": other_kind}


def changed(name: str, place: Place, change: Callable[[Any], Any], *, repeats: bool) -> Record:
    record = made_record(name)
    at(record, place[:-1])[place[-1]] = change(at(record, place))
    if repeats:
        with suppress(KeyError, TypeError, AttributeError, ValueError, IndexError):
            repeat(record)
    return record


def generic_shapes(name: str) -> Iterator[Shape]:
    """Yield every list and object of a made record, large, deep and of the other kind."""
    for place, value in containers(made_record(name)):
        if not place:
            continue
        changes = CHANGES | ({"many that differ": numbered} if isinstance(value, list) else {})
        for change, apply in changes.items():
            for repeats in (False, True):
                yield Shape(
                    f"{name}: {'.'.join(map(str, place))} {change}{', repeated' if repeats else ''}",
                    lambda place=place, apply=apply, repeats=repeats: changed(
                        name, place, apply, repeats=repeats
                    ),
                )


def abi_function(name: str, parameter: Any) -> Record:
    return {"type": "function", "name": name, "inputs": [parameter], "outputs": [], "stateMutability": "view"}


def with_abi(*items: Any) -> Record:
    record = made_record()
    record["abi"] += items
    repeat(record)
    return record


def selector_of_many_bytes() -> Record:
    record = made_record()
    record["signatures"]["function"][0]["signatureHash4"] = "0x" + "ab" * 200
    return record


def layout(types: Any, storage: Any, sources: Record | None = None) -> Record:
    record = made_record()
    record["sources"] |= sources or {}
    record["storageLayout"] = {"storage": storage, "types": types}
    repeat(record)
    return record


def variable(label: str, kind: str, slot: int) -> Record:
    return {
        "astId": 1,
        "contract": f"{PATH}:{NAME}",
        "label": label,
        "offset": 0,
        "slot": str(slot),
        "type": kind,
    }


WORD = {"t": {"encoding": "inplace", "label": "uint256", "numberOfBytes": "32"}}


def mapping_to_a_list() -> Record:
    kind = {"encoding": "mapping", "key": "t", "label": "mapping(uint256 => uint256)", "numberOfBytes": "32"}
    return layout(WORD | {"m": kind | {"value": ["t"]}}, [variable("values", "m", 0)])


def labels_beside_sources() -> Record:
    sources = {
        f"{number}.sol": {"content": f"contract C{number} {{ uint v; }}\n" * 20} for number in range(1_000)
    }
    return layout(WORD, [variable(f"v{number}", "t", number) for number in range(5_000)], sources)


def structs_within_structs() -> Record:
    types, size = dict(WORD), 32
    for level in range(8):
        of = "t" if not level else f"s{level - 1}"
        members = [variable(f"m{number}", of, number * size // 32) for number in range(10)]
        size *= 10
        types[f"s{level}"] = {
            "encoding": "inplace", "label": f"struct S{level}", "members": members, "numberOfBytes": str(size),
        }  # fmt: skip
    return layout(types, [variable("Made", "s7", 0)])


def tuple_within_tuples(levels: int) -> Record:
    kind: Record = {"type": "uint256", "name": "x"}
    for _ in range(levels):
        kind = {"type": "tuple", "name": "x", "components": [kind]}
    return with_abi(abi_function("deep", kind))


def imports_that_double(modules: int) -> Record:
    record = made_record()
    record["compilation"] |= {
        "language": "Vyper", "compiler": "vyper", "compilerVersion": "0.4.3+commit.bff19ea2", "name": "m0",
        "fullyQualifiedName": "m0.vy:m0",
    }  # fmt: skip
    record["sources"] = {
        f"m{number}.vy": {"content": f"import m{number + 1}\nimport m{number + 1} as other\n"}
        for number in range(modules)
    } | {f"m{modules}.vy": {"content": "x: uint256\n"}}
    repeat(record)
    return record


def many_immutables() -> Record:
    """Return a record with a source map and one place after the other for an immutable."""
    record, count = made_record("immutables"), MANY
    code = "7f" + "00" * 32
    side = record["runtimeBytecode"]
    side["recompiledBytecode"] = side["onchainBytecode"] = f"0x{code * count}"
    side["immutableReferences"] = {"7": [{"start": 33 * place + 1, "length": 32} for place in range(count)]}
    side["transformations"] = [
        {"type": "replace", "reason": "immutable", "offset": 33 * place + 1, "id": "7"}
        for place in range(count)
    ]
    side["transformationValues"] = {"immutables": {"7": "0x" + "00" * 32}}
    side["cborAuxdata"] = {}
    text = next(iter(record["sources"].values()))["content"]
    side["sourceMap"] = ";".join([f"{len(text) - 20}:20:0"] * count)
    repeat(record)
    return record


def libraries_beside_sources() -> Record:
    record = made_record("libraries")
    for side in ("creationBytecode", "runtimeBytecode"):
        references = record[side]["linkReferences"]
        references["many.sol"] = {f"L{n}": [{"start": 0, "length": 20}] for n in range(2_000)}
    record["sources"]["words.sol"] = {"content": "L1000 L1999 " * 20_000}
    repeat(record)
    return record


NAMED = [
    Shape("a selector of 200 bytes", selector_of_many_bytes),
    Shape("a mapping to a list", mapping_to_a_list),
    Shape("imports whose paths double", lambda: imports_that_double(31)),
    Shape("imports deeper than the limit", lambda: imports_that_double(200)),
    Shape("a tuple nested 200 deep", lambda: tuple_within_tuples(200)),
    Shape("a tuple nested 100 deep", lambda: tuple_within_tuples(100)),
    Shape("a tuple nested 420 deep", lambda: tuple_within_tuples(420)),
    Shape("labels beside many sources", labels_beside_sources),
    Shape("structs whose members multiply", structs_within_structs),
    Shape("many immutables", many_immutables),
    Shape("libraries beside many words", libraries_beside_sources),
    Shape("arrays of nothing", lambda: with_abi(abi_function("none", {"type": "tuple[]", "name": "x", "components": []}))),
    Shape("arrays of no length", lambda: with_abi(abi_function("none", {"type": "uint256" + "[0]" * 30, "name": "x"}))),
    Shape("a long array type", lambda: with_abi(abi_function("long", {"type": "uint256" + "[9]" * 5_000, "name": "x"}))),
    Shape("a struct in itself", lambda: layout(
        {"s": {"encoding": "inplace", "label": "struct S", "members": [variable("s", "s", 0)], "numberOfBytes": "32"}},
        [variable("Made", "s", 0)],
    )),
]  # fmt: skip
"""Shapes that once stopped a whole site, or could."""


def at_address(record: Record, number: int) -> tuple[str, bytes]:
    """Return a record of the small site's chain at an address of its own: its path and text."""
    address = checksum_address(f"0x5a{number:038x}")
    if isinstance(record, dict):
        record |= {"chainId": CHAIN, "address": address, "matchId": str(number)}
    text = json.dumps(record, separators=(",", ":"), ensure_ascii=False)
    return f"contracts/{CHAIN}/{address}.json", text.encode("utf-8", "surrogatepass")
