"""What the registry's own linter says to each descriptor of a checkout, as JSON: run by the Python that has `erc7730`.

    python official_linter.py CHECKOUT [ABIS] > said.json

It would fetch the ABI of a descriptor's first deployment, and looks at no other: here it gets none, and what it says is
listed by the descriptor's path; and then that of each deployment in ABIS, a JSON object of ABIs by `eip155:<chain>:<address>`,
one at a time, listed by "<path> at <key>". No network is used.
"""

import json
import sys
from pathlib import Path
from types import SimpleNamespace

from erc7730.common import client
from erc7730.common.output import ExceptionsToOutput, ListOutputAdder
from erc7730.convert.resolved.v2.convert_erc7730_input_to_resolved import ERC7730InputToResolved
from erc7730.lint.v2 import MultiLinter
from erc7730.lint.v2.lint_transaction_type_classifier import ClassifyTransactionTypeLinter
from erc7730.lint.v2.lint_validate_display_fields import ValidateDisplayFieldsLinter
from erc7730.lint.v2.lint_validate_eip712_keys import ValidateEIP712KeysLinter
from erc7730.lint.v2.lint_validate_map_keys import ValidateMapKeysLinter
from erc7730.lint.v2.lint_validate_max_length import ValidateMaxLengthLinter
from erc7730.model.abi import ABI
from erc7730.model.input.v2.descriptor import InputERC7730Descriptor
from pydantic import TypeAdapter

LINTERS = (
    ValidateDisplayFieldsLinter,
    ValidateEIP712KeysLinter,
    ValidateMapKeysLinter,
    ClassifyTransactionTypeLinter,
    ValidateMaxLengthLinter,
)


def main(checkout: Path, abis: dict[str, object]) -> None:
    known: dict[str, object] = {}

    def abi_at(chain: int, address: str) -> object:
        abi = known.get(f"eip155:{chain}:{address.lower()}")
        return None if abi is None else TypeAdapter(list[ABI]).validate_json(json.dumps(abi))

    client.get_contract_abis = abi_at
    client.get_contract_explorer_url = lambda chain, address: SimpleNamespace(__str__=lambda: address)
    said = {}
    for path in sorted((checkout / "registry").glob("*/*.json")):
        if not path.name.startswith(("calldata-", "eip712-")):
            continue
        name = path.relative_to(checkout).as_posix()
        said[name] = lint(path)
        of_abi: dict[str, list[list[str]]] = {}  # what it says depends on nothing else
        for key in sorted(keys_of(path) & abis.keys()):
            known[key], written = abis[key], json.dumps(abis[key])
            if written not in of_abi:
                of_abi[written] = lint(path)
            said[f"{name} at {key}"] = of_abi[written]
            known.clear()
    json.dump(said, sys.stdout, indent=1)


def keys_of(path: Path) -> set[str]:
    """Return the keys of a descriptor's deployments, its includes resolved."""
    with ExceptionsToOutput(ListOutputAdder()):
        contract = getattr(InputERC7730Descriptor.load(path).context, "contract", None)
        listed = [] if contract is None else contract.deployments or []
        return {f"eip155:{item.chainId}:{str(item.address).lower()}" for item in listed}
    return set()


def lint(path: Path) -> list[list[str]]:
    """Return the level, the title and the message of all that the linter says of a descriptor."""
    linter, out = MultiLinter([kind() for kind in LINTERS]), ListOutputAdder()
    with ExceptionsToOutput(out):
        written = InputERC7730Descriptor.load(path)
        resolved = ERC7730InputToResolved().convert(written, out)
        if resolved is not None:
            linter.lint(written, resolved, out)
    return [[item.level.name.lower(), str(item.title), item.message] for item in out.outputs]


if __name__ == "__main__":
    main(Path(sys.argv[1]), json.loads(Path(sys.argv[2]).read_text("utf-8")) if sys.argv[2:] else {})
