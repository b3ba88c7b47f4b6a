"""Check a whole registry by the rules, and compare the indexes: `python registry_rules.py CHECKOUT [LINTER]`.

The registry has no ABIs but those that descriptors of version 1 repeat in `context.contract.abi`; without records on a site, the rules about
verified code have nothing to compare and are not run: the figures are of the rules of a descriptor alone. LINTER is the
official linter's program; it is run without ABIs, which it would fetch.
"""

import shutil
import subprocess
import sys
import tempfile
from collections import Counter, defaultdict
from collections.abc import Iterator
from pathlib import Path

from statuary.base.findings import Severity
from statuary.extensions.clear_signing.descriptors import (
    FOLDERS,
    DescribedContract,
    DescriptorFolder,
    SigningFileKind,
    described_contracts,
)
from statuary.extensions.clear_signing.indexes import encode_calldata_index, encode_messages_index
from statuary.extensions.clear_signing.records import SiteRecords
from statuary.extensions.clear_signing.verdicts import DescriptorVerdict
from statuary.extensions.clear_signing.verification import FolderVerification, verify_folder
from statuary.extensions.clear_signing.verify import type_hashes


class NoRecords(SiteRecords):
    """A site without contracts."""

    def __init__(self) -> None:
        self._chains, self._codes, self._root = frozenset(), {}, Path()


def copied(checkout: Path, made: Path) -> DescriptorFolder:
    """Return the descriptors of a checkout, in a content folder."""
    for folder in FOLDERS:
        shutil.copytree(checkout / folder, made / "clear-signing" / folder)
    return DescriptorFolder(made)


def judged(checkout: Path, made: Path) -> FolderVerification:
    return verify_folder(copied(checkout, made), NoRecords(), with_unverified=True)


def report(folder: FolderVerification, checkout: Path) -> None:
    by_rule: defaultdict[tuple[str, Severity], set[str]] = defaultdict(set)
    for item in folder.descriptors:
        for finding in item.findings:
            by_rule[finding.rule, finding.severity].add(item.path)
        for judgement in item.deployments:
            for finding in judgement.findings:
                by_rule[finding.rule, finding.severity].add(
                    f"{item.path} at {judgement.deployment.caip10_id}"
                )
    readings = [item for item in folder.descriptors if item.is_valid]
    print(
        f"descriptors: {len(folder.descriptors)}, of which {len(readings)} break no rule of a descriptor alone"
    )
    for (rule, severity), paths in sorted(by_rule.items()):
        print(f"  {severity} {rule}: {len(paths)}")
        if severity is Severity.ERROR:
            print("".join(f"    {path}\n" for path in sorted(paths)), end="")
    attested = Counter(item.status for item in folder.attestations)
    print(f"attestations: {dict(attested)}")
    published = [(item, verdict.deployment) for item, verdict in folder.published()]
    print(f"deployments published as not shown: {len(published)}")
    everything = [*published, *_withheld(folder)]
    for name, index in (
        ("index.calldata.json", encode_calldata_index),
        ("index.eip712.json", encode_messages_index),
    ):
        body, theirs = index(published), (checkout / name).read_bytes()
        whole = index(sorted(everything, key=lambda one: one[0].path))
        print(
            f"{name}: {len(body):,} bytes, the registry's {len(theirs):,}: {'equal' if body == theirs else 'different'}; "
            f"with what is withheld for its errors {'equal' if whole == theirs else 'different'}"
        )


def _withheld(folder: FolderVerification) -> Iterator[tuple[DescriptorVerdict, DescribedContract]]:
    """Yield the deployments of descriptors that are withheld for their own errors."""
    for item in folder.descriptors:
        if not item.is_valid:
            descriptor = folder.folder.read_descriptor(item.path)
            is_of_messages = item.kind is SigningFileKind.MESSAGES
            hashes = type_hashes(descriptor) if is_of_messages else {}
            yield from (
                (item._replace(type_hashes=hashes), place) for place in described_contracts(descriptor)
            )


def lint(linter: str, checkout: Path) -> None:
    counts: Counter[str] = Counter()
    for path in sorted((checkout / "registry").glob("*/*.json")):
        if path.name.startswith(("calldata-", "eip712-")):
            command = [linter, "lint", "--skip-abi-validation", str(path)]
            done = subprocess.run(command, check=False, capture_output=True, text=True)
            said = done.stdout + done.stderr
            level = next((word for word in ("error", "warning") if f"{word}:" in said), "passed")
            counts[level] += 1
            if level == "error":
                print(f"  {path.relative_to(checkout)}: {' '.join(said.split())[:300]}")
    print(f"official linter: {dict(counts)}")


def main(arguments: list[str]) -> None:
    checkout = Path(arguments[0])
    with tempfile.TemporaryDirectory() as made:
        report(judged(checkout, Path(made)), checkout)
    if arguments[1:]:
        lint(arguments[1], checkout)


if __name__ == "__main__":
    main(sys.argv[1:])
