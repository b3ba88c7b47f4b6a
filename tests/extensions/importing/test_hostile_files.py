"""Files that are almost what tool chains write: each fault is one message."""

import copy
import json
import random
import shutil
from collections import Counter

import pytest

from statuary.extensions.importing.report import NotImportableError
from statuary.extensions.importing.toolchains.hardhat import read_compilation
from support.imported_projects import (
    FOUNDRY,
    FOUNDRY_WHOLE,
    HARDHAT_2,
    HARDHAT_3,
    added,
    empty_site,
    the_only,
)
from support.tiers import few_by_default

SEEDS = range(40)
NONSENSE = [
    None,
    True,
    0,
    -1,
    2**70,
    1.5,
    "",
    "0x",
    "0xzz",
    "../../etc/passwd",
    "\x00",
    [],
    {},
    [[]],
    {"": {}},
]


def folders():
    """Return, by name, a folder as a tool chain wrote it, the file that is damaged, and the file that is named."""
    build_3 = the_only(HARDHAT_3, "build-info/*[0-9a-f].json")
    fare = "contracts/Fare.sol/Fare"
    return {
        "Hardhat 2 build-info": (HARDHAT_2, the_only(HARDHAT_2, "build-info/*.json"), f"{fare}.json"),
        "Hardhat 2 artifact": (HARDHAT_2, HARDHAT_2 / f"{fare}.json", f"{fare}.json"),
        "Hardhat 2 debug file": (HARDHAT_2, HARDHAT_2 / f"{fare}.dbg.json", f"{fare}.json"),
        "Hardhat 3 build-info": (HARDHAT_3, build_3, f"{fare}.json"),
        "Hardhat 3 output": (HARDHAT_3, build_3.with_suffix(".output.json"), f"{fare}.json"),
        "Hardhat 3 artifact": (HARDHAT_3, HARDHAT_3 / f"{fare}.json", f"{fare}.json"),
        "Foundry artifact": (FOUNDRY, FOUNDRY / "out/Fare.sol/Fare.json", "out/Fare.sol/Fare.json"),
        "Foundry cache": (FOUNDRY, FOUNDRY / "cache/solidity-files-cache.json", "out/Fare.sol/Fare.json"),
        "Foundry list": (FOUNDRY, the_only(FOUNDRY, "out/build-info/*.json"), "out/Fare.sol/Fare.json"),
        "Foundry build-info": (FOUNDRY_WHOLE, the_only(FOUNDRY_WHOLE, "out/build-info/*.json"), ""),
    }


def damaged(value, chance):
    """Return a copy with one to three parts removed, or replaced by nonsense; solc's metadata is one of the parts."""
    value = copy.deepcopy(value)
    for _ in range(chance.randint(1, 3)):
        damage(value, chance)
    return value


def damage(holder, chance):
    """Walk down to some part, turning at random, and spoil it."""
    if not holder:
        return
    key = chance.choice(sorted(holder, key=len) if isinstance(holder, dict) else range(len(holder)))
    inner = holder[key]
    if isinstance(inner, str) and inner.startswith('{"compiler"') and chance.random() < 0.9:
        holder[key] = json.dumps(damaged(json.loads(inner), chance))
    elif isinstance(inner, dict | list) and chance.random() < 0.7:
        damage(inner, chance)
    elif chance.random() < 0.4:
        del holder[key]
    else:
        holder[key] = copy.deepcopy(chance.choice(NONSENSE))


@pytest.mark.parametrize("kind", few_by_default(folders(), 5))
def test_randomly_damaged_build_files_are_rejected(kind, tmp_path):
    original, file, named = folders()[kind]
    project = shutil.copytree(original, tmp_path / "project")
    content = empty_site(tmp_path)
    victim = project / file.relative_to(original)
    text = victim.read_text()
    tool = "foundry" if kind.startswith("Foundry") else "hardhat2"
    outcomes = Counter()
    for seed in SEEDS:
        victim.write_text(json.dumps(damaged(json.loads(text), random.Random(f"{kind} {seed}"))))
        outcomes[outcome(content, tool, project / named if named else victim)] += 1
    assert outcomes["refused"] + outcomes["found wanting"] >= MOSTLY_HARMLESS.get(kind, 5), outcomes


MOSTLY_HARMLESS = {"Hardhat 2 artifact": 1, "Foundry cache": 0, "Foundry list": 1}
"""Files of which little is read."""


def outcome(content, tool, file):
    try:
        found = added(content, tool, "Fare", read_compilation(file, contract_name="Fare"))
    except NotImportableError as cannot:
        return "refused" if str(cannot) else "refused without a word"
    return "taken" if found.verification.is_valid else "found wanting"
