"""Compile the demo network's contracts again and say whether each comes out as it is kept.

    python tests/demo_network/recompile.py [CONTENT] [--tools DIR]

Exit code 1 if any differs. Needs the pinned compilers (see compilers.py).
"""

import argparse
import json
import sys
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import yaml

sys.path.insert(0, str(Path(__file__).parents[1]))

from demo_network.compilers import DEFAULT_TOOLS, solc_compile, vyper_compile

CHAIN = Path(__file__).parents[2] / "content" / "contracts" / "748463"


@dataclass(frozen=True, kw_only=True)
class Kept:
    """A contract in content, in either form.

    Attributes:
        compiler: `solc` or `vyper`.
        version: as records spell it.
        contract: the fully qualified name.
        input: standard JSON, with `outputSelection`.
        creation: the recompiled creation code, hex without `0x`, zeros for libraries.
        runtime: the recompiled runtime code, likewise.
        artifact: what a workspace keeps of the compiler's output for the contract; None for a record.
    """

    compiler: str
    version: str
    contract: str
    input: dict[str, Any]
    creation: str
    runtime: str
    artifact: dict[str, Any] | None


def kept_contracts(chain: Path = CHAIN) -> dict[str, Kept]:
    """Return every contract of a chain's folder, by address."""
    return {
        path.stem: _record(path) if path.suffix == ".json" else _workspace(path)
        for path in sorted(chain.iterdir())
    }


def differences(kept: Kept, tools: Path = DEFAULT_TOOLS) -> list[str]:
    """Compile a contract again and name what came out otherwise; empty if nothing did."""
    compile_ = vyper_compile if kept.compiler == "vyper" else solc_compile
    version, output = compile_(tools, kept.version.partition("+")[0], kept.input)
    path, name = kept.contract.rsplit(":", 1)
    fresh = output["contracts"][path][name]
    found = [] if version == kept.version else [f"compiler version {version}, not {kept.version}"]
    for member, code in (("bytecode", kept.creation), ("deployedBytecode", kept.runtime)):
        if _unlinked(fresh["evm"][member]) != code:
            found.append(f"evm.{member}.object")
    if kept.artifact is not None:
        found += _unlike(kept.artifact, fresh, "")
    return found


def _workspace(folder: Path) -> Kept:
    # text stays text: `0.8.30` and `0x…` are no numbers
    entry = yaml.load((folder / "contract.yaml").read_text(encoding="utf-8"), Loader=yaml.BaseLoader)
    path, name = entry["contract"].rsplit(":", 1)
    artifact = json.loads((folder / "output.json").read_text(encoding="utf-8"))["contracts"][path][name]
    return Kept(
        compiler=entry["compiler"]["name"],
        version=entry["compiler"]["version"],
        contract=entry["contract"],
        input=json.loads((folder / "input.json").read_text(encoding="utf-8")),
        creation=_unlinked(artifact["evm"]["bytecode"]),
        runtime=_unlinked(artifact["evm"]["deployedBytecode"]),
        artifact=artifact,
    )


def _record(file: Path) -> Kept:
    record = json.loads(file.read_bytes())
    compilation = record["compilation"]
    path, name = compilation["fullyQualifiedName"].rsplit(":", 1)
    code = ["evm.bytecode.object", "evm.deployedBytecode.object"]
    links = ["evm.bytecode.linkReferences", "evm.deployedBytecode.linkReferences"]
    selection = {path: code} if compilation["compiler"] == "vyper" else {path: {name: code + links}}
    settings = {**record["stdJsonInput"]["settings"], "outputSelection": selection}
    return Kept(
        compiler=compilation["compiler"],
        version=compilation["compilerVersion"],
        contract=compilation["fullyQualifiedName"],
        input={**record["stdJsonInput"], "settings": settings},
        creation=record["creationBytecode"]["recompiledBytecode"][2:],
        runtime=record["runtimeBytecode"]["recompiledBytecode"][2:],
        artifact=None,
    )


def _unlinked(bytecode: dict[str, Any]) -> str:
    code: str = bytecode["object"].removeprefix("0x")
    for libraries in (bytecode.get("linkReferences") or {}).values():
        for places in libraries.values():
            for place in places:
                start, end = 2 * place["start"], 2 * (place["start"] + place["length"])
                code = code[:start] + "0" * (end - start) + code[end:]
    return code


def _unlike(kept: Any, fresh: Any, place: str) -> list[str]:
    """Name the members of `kept` that `fresh` does not have alike; what is only in `fresh` was not asked for."""
    if isinstance(kept, dict) and isinstance(fresh, dict):
        return [
            line
            for key, value in kept.items()
            for line in _unlike(value, fresh.get(key), f"{place}.{key}" if place else key)
        ]
    return [] if kept == fresh else [place]


def main() -> int:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("chain", type=Path, nargs="?", default=CHAIN, help="the chain's folder in content")
    parser.add_argument("--tools", type=Path, default=DEFAULT_TOOLS, help="where compilers are kept")
    options = parser.parse_args()
    any_differs = False
    for address, kept in kept_contracts(options.chain).items():
        found = differences(kept, options.tools)
        any_differs |= bool(found)
        print(f"{address}  {kept.contract.rsplit(':', 1)[1]}: {', '.join(found) or 'the same'}")
    return int(any_differs)


if __name__ == "__main__":
    raise SystemExit(main())
