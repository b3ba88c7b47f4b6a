"""What the registry's own linter says to each descriptor of a checkout, as JSON: run by the Python that has `erc7730`.

    python official_linter.py CHECKOUT [ABIS] > said.json

It would fetch the ABI of a descriptor's first deployment: here it gets that of ABIS, a JSON object of ABIs by
`eip155:<chain>:<address>`, and none where that has none. No network is used.
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
    def known(chain: int, address: str) -> object:
        abi = abis.get(f"eip155:{chain}:{address.lower()}")
        return None if abi is None else TypeAdapter(list[ABI]).validate_python(abi)

    client.get_contract_abis = known
    client.get_contract_explorer_url = lambda chain, address: SimpleNamespace(__str__=lambda: address)
    linter = MultiLinter([kind() for kind in LINTERS])
    said = {}
    for path in sorted((checkout / "registry").glob("*/*.json")):
        if not path.name.startswith(("calldata-", "eip712-")):
            continue
        out = ListOutputAdder()
        with ExceptionsToOutput(out):
            written = InputERC7730Descriptor.load(path)
            resolved = ERC7730InputToResolved().convert(written, out)
            if resolved is not None:
                linter.lint(written, resolved, out)
        said[path.relative_to(checkout).as_posix()] = [
            [item.level.name.lower(), item.title, item.message] for item in out.outputs
        ]
    json.dump(said, sys.stdout, indent=1)


if __name__ == "__main__":
    main(Path(sys.argv[1]), json.loads(Path(sys.argv[2]).read_text("utf-8")) if sys.argv[2:] else {})
