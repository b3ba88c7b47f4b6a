"""Every member of a record whose text reaches a page."""

from collections.abc import Callable
from typing import Any

Damage = Callable[[dict[str, Any], str], None]
Record = dict[str, Any]


def sink(*path: str | int) -> Damage:
    """Return what puts a text into a place of a record."""

    def put(record: Record, text: str) -> None:
        place: Any = record
        for key in path[:-1]:
            place = place[key]
        place[path[-1]] = text

    return put


def source_path(record: Record, text: str) -> None:
    record["sources"] = {f"{text}.sol": {"content": "contract A {}"}}
    record["compilation"]["fullyQualifiedName"] = f"{text}.sol:A"


def source_text(record: Record, text: str) -> None:
    (source,) = record["sources"].values()
    source["content"] = f"// {text}\ncontract A {{ string s = 'é'; }}"


def abi_item(kind: str, member: str) -> Damage:
    def put(record: Record, text: str) -> None:
        item = {"type": kind, "name": "meet", "inputs": [{"name": "to", "type": "address"}], "outputs": []}
        if kind == "error":
            del item["outputs"]
        record["abi"] = [item | {member: text}]

    return put


def parameter(member: str) -> Damage:
    def put(record: Record, text: str) -> None:
        value = {
            "name": "to",
            "type": "tuple",
            "internalType": "struct A",
            "components": [{"name": "x", "type": "bool"}],
        }
        record["abi"] = [
            {"type": "function", "name": "meet", "inputs": [value | {member: text}], "outputs": []}
        ]

    return put


def notice(record: Record, text: str) -> None:
    record["userdoc"] = {"methods": {"meet(address)": {"notice": text}}, "notice": text}
    record["devdoc"] = {"methods": {"meet(address)": {"details": text}}, "title": text}


def storage(member: str) -> Damage:
    def put(record: Record, text: str) -> None:
        variable = {"astId": 1, "contract": "A", "label": "v", "offset": 0, "slot": "0", "type": "t"}
        kind = {"encoding": "inplace", "label": "uint256", "numberOfBytes": "32"}
        record["storageLayout"] = {
            "storage": [variable | ({"label": text} if member == "label" else {})],
            "types": {"t": kind | ({"label": text} if member == "type" else {})},
        }

    return put


def vyper_storage(record: Record, text: str) -> None:
    record["storageLayout"] = {text: {"slot": 0, "type": text, "n_slots": 1}}


def proxy(record: Record, text: str) -> None:
    record["proxyResolution"] = {
        "isProxy": True,
        "proxyType": text,
        "implementations": [{"address": text, "name": text}],
    }


def proxy_error(record: Record, text: str) -> None:
    error = {"customCode": "proxy_resolution_error", "message": text, "errorId": "x"}
    record["proxyResolution"] = {"proxyResolutionError": error}


def transformation(record: Record, text: str) -> None:
    step = record["runtimeBytecode"]["transformations"][0]
    record["runtimeBytecode"]["transformationValues"]["libraries"] = {text: "0x" + "ab" * 20}
    step["id"] = text


RECORD_SINKS: dict[str, Damage] = {
    "name": sink("compilation", "name"),
    "language": sink("compilation", "language"),
    "compiler": sink("compilation", "compiler"),
    "compiler version": sink("compilation", "compilerVersion"),
    "fully qualified name": sink("compilation", "fullyQualifiedName"),
    "setting": sink("compilation", "compilerSettings", "evmVersion"),
    "transaction": sink("deployment", "transactionHash"),
    "block": sink("deployment", "blockNumber"),
    "deployer": sink("deployment", "deployer"),
    "match id": sink("matchId"),
    "source path": source_path,
    "source text": source_text,
    "function name": abi_item("function", "name"),
    "event name": abi_item("event", "name"),
    "error name": abi_item("error", "name"),
    "state mutability": abi_item("function", "stateMutability"),
    "parameter name": parameter("name"),
    "parameter type": parameter("type"),
    "internal type": parameter("internalType"),
    "documentation": notice,
    "storage label": storage("label"),
    "storage type": storage("type"),
    "Vyper's storage": vyper_storage,
    "proxy": proxy,
    "proxy error": proxy_error,
    "transformation id": transformation,
}
