"""Render the tests of a registry, and count what is equal to the expected texts: `python registry_texts.py CHECKOUT`.

Each difference is named by its file, its test and its place. Only files of the checkout are read.
"""

import json
import shutil
import sys
import tempfile
from collections import Counter
from pathlib import Path
from typing import Any

from statuary.domain.chain.merkle_trie import as_bytes, as_number, decode_list
from statuary.domain.errors import StatuaryError
from statuary.extensions.clear_signing.descriptors import FOLDERS, DescriptorFolder, SigningFileKind
from statuary.extensions.clear_signing.formats import Names, Token
from statuary.extensions.clear_signing.key_types import parse_message_key
from statuary.extensions.clear_signing.reach import DataTypes
from statuary.extensions.clear_signing.render import (
    Call,
    Rendered,
    SignedMessage,
    render_call,
    render_message,
)
from statuary.extensions.clear_signing.values import Leaf, message_value

CURRENCIES = {
    1: ("Ethereum", "ETH"),
    10: ("OP Mainnet", "ETH"),
    56: ("BNB Smart Chain", "BNB"),
    100: ("Gnosis", "xDAI"),
    137: ("Polygon", "POL"),
    143: ("Monad", "MON"),
    146: ("Sonic", "S"),
    169: ("Manta Pacific", "ETH"),
    252: ("Fraxtal", "FRAX"),
    324: ("zkSync", "ETH"),
    480: ("World Chain", "ETH"),
    999: ("HyperEVM", "HYPE"),
    1088: ("Metis", "METIS"),
    1135: ("Lisk", "ETH"),
    1329: ("Sei", "SEI"),
    5000: ("Mantle", "MNT"),
    8453: ("Base", "ETH"),
    34443: ("Mode", "ETH"),
    42161: ("Arbitrum One", "ETH"),
    42220: ("Celo", "CELO"),
    43114: ("Avalanche", "AVAX"),
    59144: ("Linea", "ETH"),
    81457: ("Blast", "ETH"),
    534352: ("Scroll", "ETH"),
    11155111: ("Sepolia", "ETH"),
    17000: ("Holesky", "ETH"),
    560048: ("Hoodi", "ETH"),
}
"""Names and currencies of chains, which tests do not have."""

CHAINS = {number: (name, Token(symbol, 18)) for number, (name, symbol) in CURRENCIES.items()}


def transaction(raw: bytes, sender: str) -> Call:
    """Return an unsigned transaction, or a signed one."""
    items = decode_list(raw if raw[0] >= 0xC0 else raw[1:])
    if raw[0] >= 0xC0:
        chain_id = as_number(items[6]) if len(items) > 6 else 1
        if chain_id > 36 and len(as_bytes(items[-1])) > 8:
            chain_id = (chain_id - 35) // 2
        to, value, data = items[3:6]
    else:
        start = {1: 4, 2: 5, 3: 5, 4: 5}[raw[0]]
        chain_id = as_number(items[0])
        to, value, data = items[start : start + 3]
    return Call(chain_id, "0x" + as_bytes(to).hex(), as_bytes(data), as_number(value), sender)


def names_of(provider: dict[str, Any]) -> Names:
    return Names(
        tokens={
            address.lower(): Token(item["symbol"], item["decimals"])
            for address, item in provider.get("tokens", {}).items()
        },
        addresses={key.lower(): name for key, name in provider.get("addressNames", {}).items()},
        ens={key.lower(): name for key, name in provider.get("ensNames", {}).items()},
        collections={key.lower(): name for key, name in provider.get("nftCollectionNames", {}).items()},
        chains=CHAINS,
        block_times={int(key): value for key, value in provider.get("blockTimestamps", {}).items()},
    )


def as_expected(rendered: Rendered) -> dict[str, Any]:
    """Return what is rendered in the form of `expected`."""
    value = {
        "intent": rendered.intent,
        "owner": rendered.owner,
        "fields": [
            {
                "label": line.label,
                "value": line.value if isinstance(line.value, str) else as_expected(line.value),
            }
            for line in rendered.lines
        ],
    }
    return value | ({"interpolatedIntent": rendered.interpolated} if rendered.interpolated else {})


class Registry:
    """The descriptors of a checkout by deployment."""

    def __init__(self, content: Path) -> None:
        self.folder = DescriptorFolder(content)
        self.calls: dict[str, str] = {}
        for path in self.folder.paths(SigningFileKind.CALLDATA):
            descriptor = self.folder.descriptor(path)
            for item in descriptor.context.get("deployments") or ():
                self.calls[f"{item['chainId']}:{item['address'].strip().lower()}"] = path

    def inner(self, names: Names) -> Any:
        def render(call: Call) -> Rendered | None:
            path = self.calls.get(f"{call.chain_id}:{call.to}")
            if path is None or len(call.data) < 4:
                return None
            try:
                return render_call(self.folder.descriptor(path).value, call, names, render)
            except StatuaryError:
                return None

        return render

    def rendered(self, path: str, case: dict[str, Any], names: Names) -> Rendered:
        descriptor = self.folder.descriptor(path)
        if "rawTx" in case:
            call = transaction(bytes.fromhex(case["rawTx"][2:]), case.get("from", "").lower())
            return render_call(descriptor.value, call, names, self.inner(names))
        data = case["data"]
        key = encode_type(data["primaryType"], data["types"])
        if key not in descriptor.formats:
            raise StatuaryError(f"no format {key[:60]}")
        message = parse_message_key(key)
        types = DataTypes(message.types[message.primary], message.types)
        value = message_value(types.top, data["message"], types)
        domain = data["domain"]
        chain_id = int(str(domain.get("chainId", 0)), 0)
        container = {"chainId": Leaf("uint", chain_id)}
        if "verifyingContract" in domain:
            container["to"] = Leaf("address", bytes.fromhex(domain["verifyingContract"][2:]))
        if case.get("from"):
            container["from"] = Leaf("address", bytes.fromhex(case["from"][2:]))
        return render_message(
            descriptor.value, SignedMessage(key, value, container, chain_id), names, self.inner(names)
        )


def encode_type(primary: str, types: dict[str, Any]) -> str:
    needed, pending = {primary}, [primary]
    while pending:
        for member in types[pending.pop()]:
            base = member["type"].partition("[")[0]
            if base in types and base not in needed:
                needed.add(base)
                pending.append(base)
    ordered = [primary, *sorted(needed - {primary})]
    members = {name: ",".join(f"{item['type']} {item['name']}" for item in types[name]) for name in ordered}
    return "".join(f"{name}({members[name]})" for name in ordered)


def differences(expected: Any, rendered: Any, at: str = "") -> list[str]:
    """Return where two values differ; members that are not expected are not compared."""
    if isinstance(expected, dict) and isinstance(rendered, dict):
        return [
            line
            for key, value in expected.items()
            for line in differences(value, rendered.get(key), f"{at}.{key}")
        ]
    if isinstance(expected, list) and isinstance(rendered, list) and len(expected) == len(rendered):
        pairs = zip(expected, rendered, strict=True)
        return [
            line
            for number, (one, other) in enumerate(pairs)
            for line in differences(one, other, f"{at}[{number}]")
        ]
    return (
        []
        if expected == rendered
        else [f"{at}: expected {str(expected)[:100]!r}, rendered {str(rendered)[:100]!r}"]
    )


def main(checkout: Path) -> None:
    counts: Counter[str] = Counter()
    with tempfile.TemporaryDirectory() as made:
        for folder in FOLDERS:
            shutil.copytree(checkout / folder, Path(made) / "clear-signing" / folder)
        registry = Registry(Path(made))
        for file in sorted((checkout / "registry").glob("*/testsv2/*.tests.json")):
            tests = json.loads(file.read_text("utf-8"))
            path = (file.parent / tests["descriptor"]).resolve().relative_to(checkout.resolve()).as_posix()
            names = names_of(tests.get("dataProvider", {}))
            for case in tests["tests"]:
                kind = "call" if "rawTx" in case else "message"
                try:
                    rendered = as_expected(registry.rendered(path, case, names))
                    found = differences(case["expected"], rendered)
                except (StatuaryError, KeyError) as error:
                    found = [f"not rendered: {error}"]
                counts[kind, "different" if found else "equal"] += 1
                for line in found:
                    print(f"{path}: {case['description']}: {line}")
    for (kind, outcome), number in sorted(counts.items()):
        print(f"{kind}s {outcome}: {number}")


if __name__ == "__main__":
    main(Path(sys.argv[1]))
