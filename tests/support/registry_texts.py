"""The tests of a registry, rendered by Python and by the browser's module, and counted against the expected texts.

`PYTHONPATH=tests python tests/support/registry_texts.py CHECKOUT` names each difference by its file, its test and its
place. Only files of the checkout are read.
"""

import json
import shutil
import subprocess
import sys
import tempfile
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import Any, NamedTuple

from statuary.base.errors import StatuaryError
from statuary.extensions.clear_signing.descriptors import (
    FOLDERS,
    DescriptorFolder,
    SigningFileKind,
    described_contracts,
)
from statuary.extensions.clear_signing.examples import (
    Chains,
    Descriptors,
    Example,
    calldata_descriptors,
    parse_data_provider,
    rendered_call_json,
    tests_by_descriptor,
)
from statuary.extensions.clear_signing.formats import Token
from support.edge_runtimes import node
from support.requirements import CHECKOUT

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


class RegistryTest(NamedTuple):
    """A test of the registry."""

    path: str  # of the descriptor
    title: str
    example: Example
    provider: dict[str, Any]
    expected: Any

    @property
    def kind(self) -> str:
        return "message" if self.example.call is None else "call"


class Registry:
    """The descriptors of a checkout, copied into a content folder, with their tests."""

    def __init__(self, checkout: Path, content: Path) -> None:
        for folder in FOLDERS:
            shutil.copytree(checkout / folder, content / "clear-signing" / folder)
        self.folder = DescriptorFolder(content)
        self.descriptors = Descriptors(calldata_descriptors(self.folder))

    def tests(self) -> Iterator[RegistryTest]:
        """Yield all tests; one that cannot be read is an error."""
        by_path = tests_by_descriptor(self.folder)
        for path, files in sorted(by_path.items()):
            for file in files:
                written = self.folder.read_json(file.path)["tests"]
                assert len(written) == len(file.examples), file.path
                for case, example in zip(written, file.examples, strict=True):
                    title = case["description"]
                    yield RegistryTest(path, title, example, dict(file.provider), case["expected"])

    def by_python(self, test: RegistryTest) -> Any:
        """Return what Python renders."""
        names = parse_data_provider(test.provider, CHAINS)
        descriptor = self.folder.read_descriptor(test.path)
        return rendered_call_json(test.example.render(descriptor, self.descriptors, names)[1])

    def by_browser(self, tests: list[RegistryTest]) -> list[Any]:
        """Return what the browser's module renders; an error as {"error": …}."""
        paths = self.folder.paths_of_kinds(SigningFileKind.CALLDATA, SigningFileKind.MESSAGES)
        descriptors = {path: self.folder.read_descriptor(path).value for path in paths}
        bound = {
            deployment.caip10_id: path
            for path in self.folder.paths_of_kinds(SigningFileKind.CALLDATA)
            for deployment in described_contracts(self.folder.read_descriptor(path))
        }
        cases = [
            {"descriptor": test.path, "dataProvider": test.provider, **written_example(test.example)}
            for test in tests
        ]
        return rendered_by_browser({"descriptors": descriptors, "bound": bound, "cases": cases}, CHAINS)


def written_example(example: Example) -> dict[str, Any]:
    """Return an example as the browser's module takes it."""
    call = example.call
    if call is None:
        return {"message": example.message, "from": example.sender}
    value = None if call.value is None else str(call.value)
    data = "0x" + call.data.hex()
    return {
        "call": {
            "chainId": str(call.chain_id),
            "to": call.to,
            "data": data,
            "value": value,
            "from": call.sender,
        }
    }


RENDER_ALL = CHECKOUT / "tests" / "extensions" / "clear_signing" / "render_all.mjs"


def rendered_by_browser(request: dict[str, Any], chains: Chains) -> list[Any]:
    """Return what the browser's module renders, run by Node.js."""
    request["chains"] = {
        str(number): {"name": name} | (token._asdict() if token else {})
        for number, (name, token) in chains.items()
    }
    done = subprocess.run(
        [node(), RENDER_ALL], input=json.dumps(request).encode(), capture_output=True, check=False
    )
    assert done.returncode == 0, done.stderr.decode()
    return list(json.loads(done.stdout))


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
    counts: Counter[tuple[str, str, str]] = Counter()
    with tempfile.TemporaryDirectory() as made:
        registry = Registry(checkout, Path(made))
        tests = list(registry.tests())
        for test, in_browser in zip(tests, registry.by_browser(tests), strict=True):
            try:
                in_python = registry.by_python(test)
            except StatuaryError as error:
                in_python = {"error": str(error)}
            for program, rendered in (("Python", in_python), ("browser", in_browser)):
                different = differences(test.expected, rendered)
                counts[program, test.kind, "different" if different else "equal"] += 1
                for line in different:
                    print(f"{program}: {test.path}: {test.title}: {line} {rendered.get('error', '')}")
    for (program, kind, outcome), number in sorted(counts.items()):
        print(f"{program}: {kind}s {outcome}: {number}")


if __name__ == "__main__":
    main(Path(sys.argv[1]))
