"""Every entry of a registry's calldata index against the ABI that its own repository has of the contract.

    PYTHONPATH=tests python tests/support/registry_abis.py CLONE [PYTHON]

The registry has no records. Its descriptors of version 1 repeated the ABI of their contracts in `context.contract.abi`,
and the history of its repository has them: an ABI that a descriptor's author wrote, which nothing verifies. So an entry
that passes here fits *the ABI in the repository*, the newest one that names its contract; a proxy's ABI is mostly that of
its implementation. An entry whose contract no version names has nothing to be compared with, and is counted as that.

PYTHON is one that has `erc7730`: the official linter gets the same ABI of the same deployment, one at a time, and no
network. Each difference between the two is counted by its cause; one without a cause is listed, and exits with 1.
"""

import json
import re
import subprocess
import sys
import tempfile
from collections import Counter, defaultdict
from collections.abc import Iterator
from pathlib import Path
from typing import Any, NamedTuple

from statuary.base.findings import Severity
from statuary.base.primitives import InvalidValueError, checksum_address, parse_address
from statuary.base.rules import rule_text
from statuary.extensions.clear_signing.descriptors import SigningFileKind
from statuary.extensions.clear_signing.records import (
    NO_CODE,
    ContractLocation,
    SiteRecords,
    functions_by_selector,
)
from statuary.extensions.clear_signing.rules import DEPLOYMENT_RULES
from statuary.extensions.clear_signing.undisplayed import undisplayed_paths
from statuary.extensions.clear_signing.verify import DeploymentCheck, check_descriptors
from support.registry_rules import copied
from support.requirements import CHECKOUT


class RepositoryAbi(NamedTuple):
    """An ABI in the history of a registry."""

    abi: list[dict[str, Any]]
    path: str
    blob: str


def abis_in(clone: Path) -> dict[str, RepositoryAbi]:
    """Return the newest ABI of each contract in the history of a clone, by its key in the index."""
    abis: dict[str, RepositoryAbi] = {}
    for path, blob, value in _descriptors_in(clone):
        contract = _member(_member(value, "context"), "contract")
        abi = contract.get("abi")
        if not isinstance(abi, list):
            continue
        for deployment in contract.get("deployments") or ():
            key = f"eip155:{deployment.get('chainId')}:{str(deployment.get('address')).strip().lower()}"
            abis.setdefault(key, RepositoryAbi(abi, path, blob))
    return abis


def _member(value: Any, name: str) -> dict[str, Any]:
    inner = value.get(name) if isinstance(value, dict) else None
    return inner if isinstance(inner, dict) else {}


def _descriptors_in(clone: Path) -> Iterator[tuple[str, str, Any]]:
    """Yield every version of every JSON file in the history of the present commit, the newest first."""
    listed = _git(clone, "rev-list", "--objects", "HEAD").decode().splitlines()
    named = [line.partition(" ")[::2] for line in listed]
    blobs = [(blob, path) for blob, path in named if path.endswith(".json") and "test" not in path]
    bodies = _git(clone, "cat-file", "--batch", stdin="\n".join(blob for blob, _ in blobs).encode())
    at = 0
    for blob, path in blobs:
        end = bodies.index(b"\n", at)
        length = int(bodies[at:end].split()[2])
        body, at = bodies[end + 1 : end + 1 + length], end + length + 2
        try:
            yield path, blob, json.loads(body)
        except ValueError:
            continue


def _git(clone: Path, *arguments: str, stdin: bytes = b"") -> bytes:
    return subprocess.run(
        ["git", "-C", str(clone), *arguments], input=stdin, capture_output=True, check=True
    ).stdout


class RepositoryCode(SiteRecords):
    """The ABIs of a repository in place of a site's verified records."""

    def __init__(self, abis: dict[str, RepositoryAbi]) -> None:
        self._codes = {}
        for key, found in abis.items():
            _, chain_id, address = key.split(":")
            try:
                written = checksum_address(parse_address(address))
            except InvalidValueError:
                continue
            own = NO_CODE.own_code._replace(address=written, functions=functions_by_selector(found.abi))
            self._codes[chain_id, address] = own
        self._chains = frozenset(chain_id for chain_id, _ in self._codes)

    def read(self, places: Any) -> None:
        pass

    def has(self, place: ContractLocation) -> bool:
        return place in self._codes


SAME = {
    "Unknown selector": "unknown-function",
    "Invalid display field": "parameter-name-mismatch",
    "Missing display field": "hidden (a fact of the proof)",
    "Missing display format": "withoutFormat (a fact of the proof)",
}
"""What the official linter's titles are called here."""

WHY = {
    (
        "Missing display field",
        "ours",
    ): "it is in a field that is never visible or shows a part, or in a parameter such as tokenPath: shown to them",
    ("Unknown selector", "theirs"): "a view of the ABI: they look at functions that change state alone",
}
"""The causes of differences, each tested on each function."""


SELECTOR = re.compile(r"\b0x[0-9a-f]{8}\b")


def said_by_us(judgement: DeploymentCheck) -> dict[str, set[str]]:
    """Return the selectors of what the rules and the facts of a proof are about, by their name."""
    reading, said = judgement.parsed, defaultdict[str, set[str]](set)
    selectors = {key: function.selector for key, function in reading.functions.items()}
    owners = {} if judgement.deployed_descriptor is None else judgement.deployed_descriptor.owners_by_format
    for finding in judgement.findings:
        key = str(finding.pointer[2]) if len(finding.pointer) > 2 else ""
        said[finding.rule].add(selectors.get(key, key))
    for key, selector in selectors.items():
        if owners[key].function is not None and undisplayed_paths(reading, key):
            said[SAME["Missing display field"]].add(selector)
    code = judgement.code
    if code is not None:
        shown = set(selectors.values())
        every = {
            selector
            for one in code.all_codes
            for selector, items in one.functions.items()
            if any(item.changes_state for item in items)
        }
        said[SAME["Missing display format"]] = every - shown
    return said


def said_by_them(lines: list[list[str]]) -> tuple[dict[str, set[str]], bool, Counter[str]]:
    """Return the selectors of what the official linter says, by our names; whether it stopped; and all else."""
    said, others, stopped = defaultdict[str, set[str]](set), Counter[str](), False
    for level, title, message in lines:
        stopped |= title == "Proxy contract"
        selector = SELECTOR.search(message.replace("(selector: ", " "))
        if title in SAME and selector:
            said[SAME[title]].add(selector[0])
        elif title != "Proxy contract":
            others[f"{level}: {title}"] += 1
    return said, stopped, others


def linted(python: str, clone: Path, abis: dict[str, RepositoryAbi]) -> dict[str, list[list[str]]]:
    """Return what the official linter says of each descriptor at each deployment with an ABI."""
    with tempfile.NamedTemporaryFile("w", suffix=".json") as file:
        json.dump({key: found.abi for key, found in abis.items()}, file)
        file.flush()
        command = [python, str(CHECKOUT / "tests" / "support" / "official_linter.py"), str(clone), file.name]
        done = subprocess.run(command, capture_output=True, check=True)
    return dict(json.loads(done.stdout))


def explained(judgement: DeploymentCheck, title: str, selector: str) -> bool:
    """Return whether the cause of a difference is what `WHY` says."""
    reading, code = judgement.parsed, judgement.code
    if title == "Unknown selector":
        listed = [] if code is None else code.own_code.functions.get(selector, ())
        return bool(listed) and not any(item.changes_state for item in listed)
    key = next(key for key, function in reading.functions.items() if function.selector == selector)
    texts = []
    for field in reading.fields_by_format[key]:
        texts.append(path := str(field.path()))
        for one in (one for one in field.params.values() if isinstance(one, str)):
            texts += [one, f"{path.rpartition('.')[0]}.{one}"]  # a group's fields begin at its path
    named = ["#." + re.sub(r"\.\[[^\]]*\]", "", str(text)).removeprefix("#.") for text in texts]
    for path in undisplayed_paths(reading, key):
        leaf = "#." + path.removesuffix(" (in part)").replace(".[]", "").removeprefix("#.")
        if not any(f"{leaf}.".startswith(f"{name}.") for name in named):
            return False
    return True


def outcome(judgement: DeploymentCheck) -> str:
    """Return the outcome of an entry."""
    severities = {finding.severity for finding in judgement.findings}
    if Severity.ERROR in severities:
        return "failed"
    return "warned" if Severity.WARNING in severities else "passed"


def main(clone: Path, python: str) -> int:
    index: dict[str, str] = json.loads((clone / "index.calldata.json").read_text("utf-8"))
    abis = {key: found for key, found in abis_in(clone).items() if key in index}
    with tempfile.TemporaryDirectory() as made:
        folder = copied(clone, Path(made))
        paths = folder.paths_of_kinds(SigningFileKind.CALLDATA, SigningFileKind.MESSAGES)
        descriptors = check_descriptors(folder, RepositoryCode(abis), paths)
        entries = {
            judgement.deployment.caip10_id: judgement
            for item in descriptors
            for judgement in item.deployments
            if index.get(judgement.deployment.caip10_id) == item.path
        }
        compared = {key: judgement for key, judgement in entries.items() if judgement.code is not None}
        _print_rules(index, entries, compared, abis)
        if not python:
            return 0
        return _print_differences(compared, linted(python, clone, abis))


def _print_rules(
    index: dict[str, str],
    entries: dict[str, DeploymentCheck],
    compared: dict[str, DeploymentCheck],
    abis: dict[str, RepositoryAbi],
) -> None:
    print(f"entries of index.calldata.json: {len(index)}, of {len(set(index.values()))} descriptors")
    print(f"  of descriptors that break no rule by themselves: {len(entries)}")
    print(f"  with an ABI in the repository (unverified, written by an author): {len(compared)}")
    print(f"  without one, so not shown: {len(index) - len(compared)}")
    print(f"  versions of files that the ABIs are from: {len({abis[key].blob for key in compared})}")
    print(f"against these ABIs: {dict(Counter(outcome(judgement) for judgement in compared.values()))}")
    for rule in DEPLOYMENT_RULES:
        name = rule_text(rule)[0]
        counts = Counter[str]()
        for judgement in compared.values():
            severities = {item.severity for item in judgement.findings if item.rule == name}
            counts["failed" if Severity.ERROR in severities else "warned" if severities else "passed"] += 1
        print(f"  {name}: {dict(counts)}")
    same: defaultdict[tuple[str, str], set[str]] = defaultdict(set)
    for key, judgement in compared.items():
        for finding in judgement.findings:
            if finding.severity is Severity.ERROR:
                same[judgement.parsed.descriptor.path, finding.message.replace(key, "KEY")].add(key)
    for (path, message), keys in sorted(same.items()):
        print(f"    {path} at {len(keys)} of its entries: {message[:160]}")


def _print_differences(compared: dict[str, DeploymentCheck], said: dict[str, list[list[str]]]) -> int:
    table: defaultdict[tuple[str, str], Counter[str]] = defaultdict(Counter)
    others, unexplained, stopped_at = Counter[str](), list[str](), 0
    for key, judgement in compared.items():
        ours = said_by_us(judgement)
        lines = said.get(f"{judgement.parsed.descriptor.path} at {key}", [])
        theirs, stopped, more = said_by_them(lines)
        stopped_at += stopped
        others += Counter(more.keys())
        for title, name in SAME.items():
            both = ours.get(name, set()) & theirs.get(name, set())
            table[title, "both"]["functions"] += len(both)
            for side, own, other in (("ours", ours, theirs), ("theirs", theirs, ours)):
                for selector in own.get(name, set()) - other.get(name, set()):
                    is_explained = (title, side) in WHY and explained(judgement, title, selector)
                    cause = WHY[title, side] if is_explained else "unexplained"
                    table[title, side][cause] += 1
                    if not is_explained:
                        unexplained += [f"{title}, {side} alone: {key} {selector}"]
    print(f"the official linter on the same {len(compared)} entries; functions, by what is said of them:")
    print(f"  entries that it takes for proxies and does not compare: {stopped_at}")
    for (title, side), causes in table.items():
        for cause, number in causes.items():
            if number:
                print(f"  {title} / {SAME[title]}: {side} {number} {cause}")
    print("  only theirs, in entries: " + ", ".join(f"{name} {n}" for name, n in sorted(others.items())))
    print("".join(f"  unexplained: {line}\n" for line in unexplained), end="")
    return 1 if unexplained else 0


if __name__ == "__main__":
    sys.exit(main(Path(sys.argv[1]), sys.argv[2] if sys.argv[2:] else ""))
