"""Responses of Etherscan that two projects recorded, against what this site would say of the same contracts.

    PYTHONPATH=tests python tests/support/recorded_responses.py FOLDER...

Each FOLDER is a checkout of a project with recorded responses: `services/server/test/helpers/etherscanResponseMocks.ts`
(argotorg/sourcify) or `tests/mock_responses` (ApeWorX/ape-etherscan). Nothing of them is in this repository.

A response is read as `statuary import` reads it, into the record that a verification of the same sources would be; the
body made of that record is compared with the recorded one, member by member. Chain facts that a response states (arguments,
the implementation, the hash of the metadata) are put into the record as they are stated. A table of the members says
what is equal and what differs for which reason; a difference without a reason is listed, and exits with 1.
"""

import json
import re
import subprocess
import sys
import tempfile
from collections import Counter
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any, NamedTuple

from statuary.base.primitives import checksum_address
from statuary.extensions.apis.canonical import CANONICAL_SIGNATURES
from statuary.extensions.apis.etherscan import ANSWERS, UNVERIFIED, make_source_code_result
from statuary.extensions.importing.toolchains.explorer import read_explorer_source
from support.contracts import made_record
from support.edge_runtimes import OFFLINE, deno

MOCKS = "services/server/test/helpers/etherscanResponseMocks.ts"
RESPONSES = "tests/mock_responses"
CANONICAL_FILE = "services/4byte/src/utils/canonical-signatures.json"
LITERAL = re.compile(r"^export const (\w+_RESPONSE) = (\{\n.*?^\});", re.DOTALL | re.MULTILINE)


class Recorded(NamedTuple):
    """A recorded response."""

    name: str
    body: Any


class Difference(NamedTuple):
    """A member of a body that is not the recorded one."""

    member: str
    recorded: Any  # None where the response does not have it
    own: Any
    reason: str  # empty if there is none


def recorded_in(folder: Path) -> Iterator[Recorded]:
    """Yield the responses of a checkout."""
    mocks, responses = folder / MOCKS, folder / RESPONSES
    if mocks.is_file():
        for name, literal in LITERAL.findall(mocks.read_text("utf-8")):
            yield Recorded(name, _evaluated(literal))
    for path in sorted(responses.glob("get_*contract_response*.json")):
        text = path.read_text("utf-8")
        if text.startswith("{{"):
            continue  # it is the source code of the response whose name is shorter
        body = json.loads(text)
        source = path.with_name(f"{path.stem}_source_code.json")
        if source.is_file():
            for result in body["result"]:
                result["SourceCode"] = source.read_text("utf-8")
        yield Recorded(path.name, body)


def _evaluated(literal: str) -> Any:
    """Return the value of an object literal of JavaScript, evaluated without any permission."""
    with tempfile.TemporaryDirectory() as folder:
        script = Path(folder, "literal.js")
        script.write_text(f"console.log(JSON.stringify({literal}));", encoding="utf-8")
        command = [deno(), "run", *OFFLINE, "--no-prompt", script]
        done = subprocess.run(command, capture_output=True, text=True, check=True, timeout=60)
    return json.loads(done.stdout)


def record_of(result: dict[str, str]) -> dict[str, Any]:
    """Return the record of the contract that a result of `getsourcecode` is about."""
    imported = read_explorer_source(result)
    record = made_record("plain")
    source, settings = imported.std_json_input["sources"], imported.std_json_input.get("settings", {})
    implementation = result["Implementation"]
    digest = result["SwarmSource"].rpartition("/")[2]
    return record | {
        "abi": json.loads(result["ABI"]),
        "sources": source,
        "stdJsonInput": imported.std_json_input,
        "compilation": {
            "language": imported.std_json_input["language"],
            "compiler": imported.compiler,
            "compilerVersion": imported.version,
            "compilerSettings": settings,
            "name": imported.fully_qualified_name.rpartition(":")[2],
            "fullyQualifiedName": imported.fully_qualified_name,
        },
        "creationBytecode": record["creationBytecode"]
        | {"transformationValues": {"constructorArguments": f"0x{result['ConstructorArguments']}"}},
        "runtimeBytecode": record["runtimeBytecode"]
        | {"onchainBytecode": f"0x00{_METADATA.format(digest)}" if digest else "0x00"},
        "proxyResolution": {
            "isProxy": result["Proxy"] == "1",
            "proxyType": None,
            "implementations": [{"address": checksum_address(implementation)}] if implementation else [],
        },
    }


_METADATA = "a2646970667358221220{}64736f6c6343000704"


def _json_of(text: str) -> Any:
    """Return the JSON in a member, of the source code without the outer braces; None if there is none."""
    plain = text.strip()
    try:
        return json.loads(plain[1:-1] if plain.startswith("{{") else plain)
    except ValueError:
        return None


def _is_standard(result: dict[str, str]) -> bool:
    return result["SourceCode"].lstrip().startswith("{{")


def _texts(result: dict[str, str]) -> set[str]:
    """Return the texts of the sources, whatever form they have."""
    value = _json_of(result["SourceCode"])
    if not isinstance(value, dict):
        return {result["SourceCode"]}
    return {file["content"] for file in value.get("sources", value).values()}


def _settings(result: dict[str, str]) -> dict[str, Any]:
    settings: dict[str, Any] = _json_of(result["SourceCode"])["settings"]
    return settings


def _has_other_form(recorded: dict[str, str], own: dict[str, str]) -> bool:
    return not _is_standard(recorded) and _texts(recorded) == _texts(own)


def _is_same_input(recorded: dict[str, str], own: dict[str, str]) -> bool:
    return _is_standard(recorded) and _json_of(recorded["SourceCode"]) == _json_of(own["SourceCode"])


def _is_of_source(recorded: dict[str, str], own: dict[str, str]) -> bool:
    licences = {licence for text in _texts(recorded) for licence in SPDX.findall(text)}
    return own["LicenseType"] in licences or (own["LicenseType"] == "" and not licences)


def _has_default_optimizer(_recorded: dict[str, str], own: dict[str, str]) -> bool:
    return own["CompilerType"] == "vyper" and "optimize" not in _settings(own)


def _is_of_settings(recorded: dict[str, str], own: dict[str, str]) -> bool:
    return recorded["EVMVersion"] == "Default" and _settings(own).get("evmVersion") == own["EVMVersion"]


def _is_absent(member: str) -> Callable[[dict[str, str], dict[str, str]], bool]:
    return lambda recorded, _own: not recorded.get(member)


SPDX = re.compile(r"SPDX-License-Identifier:\s*([A-Za-z0-9.+-]+)")

REASONS: tuple[tuple[str, Callable[[dict[str, str], dict[str, str]], bool], str], ...] = (
    ("SourceCode", _is_same_input, "the same standard JSON, in other white space and order"),
    (
        "SourceCode",
        _has_other_form,
        "a record has standard JSON; the texts of the sources are the recorded ones",
    ),
    (
        "LicenseType",
        _is_of_source,
        "recorded is what a person chose, ours is the SPDX identifier of the source",
    ),
    ("OptimizationUsed", _has_default_optimizer, "Vyper optimizes unless it is told not to"),
    ("EVMVersion", _is_of_settings, "recorded without that of the settings"),
    ("CompilerType", _is_absent("CompilerType"), "recorded before the member existed"),
    (
        "CompilerType",
        lambda recorded, _: recorded["CompilerType"] == "solc-j",
        "a record has no other name of solc",
    ),
    ("ContractFileName", _is_absent("ContractFileName"), "recorded without it"),
    ("SimilarMatch", _is_absent("SimilarMatch"), "recorded before the member existed"),
    ("SimilarMatch", lambda _, own: own["SimilarMatch"] == "", "every record here is verified by itself"),
)
"""Members, whether a recorded and an own result differ in them for a reason, and the reason."""

NEVER = {
    "Invalid API Key": "any key is accepted",
    "Max rate limit reached, please use API Key for higher rate limit": "there is no limit",
}
"""Recorded answers that this site never gives."""


def differences(recorded: dict[str, str], own: dict[str, str]) -> Iterator[Difference]:
    """Yield the members of a result that are not the recorded ones, each with its reason."""
    for member in dict.fromkeys((*recorded, *own)):
        if recorded.get(member) != own.get(member):
            reasons = (why for name, holds, why in REASONS if name == member and holds(recorded, own))
            yield Difference(member, recorded.get(member), own.get(member), next(reasons, ""))


def compared(body: Any) -> tuple[int, list[Difference]]:
    """Return how many members of a body are the recorded ones, and those that are not."""
    result = body["result"]
    if isinstance(result, str):
        return 0, [Difference("result", result, None, NEVER.get(result, ""))]
    if result[0]["ABI"] == UNVERIFIED:
        recorded, own = result[0], ANSWERS["getsourcecode"]["result"][0]  # type: ignore[index, call-overload]
    else:
        recorded, own = result[0], make_source_code_result(record_of(result[0]))  # type: ignore[arg-type]
    found = list(differences(recorded, own))  # type: ignore[arg-type]
    return len(recorded.keys() | own.keys()) - len(found), found


def canonical_differences(folder: Path) -> list[Difference]:
    """Return the selectors whose canonical signature is another one than in a checkout of the 4byte service."""
    path = folder / CANONICAL_FILE
    if not path.is_file():
        return []
    recorded = {key: value.get("signature") for key, value in json.loads(path.read_bytes()).items()}
    keys = sorted(recorded.keys() | CANONICAL_SIGNATURES.keys())
    return [
        Difference(key, recorded.get(key), CANONICAL_SIGNATURES.get(key), "")
        for key in keys
        if recorded.get(key) != CANONICAL_SIGNATURES.get(key)
    ]


def main(folders: list[Path]) -> int:
    """Print the table, and return 1 if a difference has no reason or nothing is recorded."""
    rows: list[tuple[str, int, list[Difference]]] = []
    for folder in folders:
        rows += [(name, *compared(body)) for name, body in recorded_in(folder)]
        canonical = canonical_differences(folder)
        if (folder / CANONICAL_FILE).is_file():
            rows.append((CANONICAL_FILE, len(CANONICAL_SIGNATURES) - len(canonical), canonical))
    reasons = Counter((entry.member, entry.reason) for _, _, entries in rows for entry in entries)
    for name, equal, entries in rows:
        print(f"{equal:4} equal {len(entries):4} differ  {name}")
    print()
    for (member, reason), count in sorted(reasons.items()):
        print(f"{count:4}  {member}: {reason or 'WITHOUT A REASON'}")
    for name, _, entries in rows:
        for entry in (entry for entry in entries if not entry.reason):
            print(
                f"{name}: {entry.member} is {str(entry.own)[:200]!r}, recorded {str(entry.recorded)[:200]!r}"
            )
    return int(not rows or any(not entry.reason for _, _, entries in rows for entry in entries))


if __name__ == "__main__":
    sys.exit(main([Path(name) for name in sys.argv[1:]]))
