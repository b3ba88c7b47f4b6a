"""The table of what solc makes of its settings in metadata, from runs of every release.

For a person to run after a release: `PYTHONPATH=tests .venv/bin/python tests/support/solc_settings.py`. The compilers are those of
`.ci/install-releases`. It takes some minutes, and ends with an error if the table does not explain what a release writes.
"""

import json
import random
import subprocess
import sys
from collections.abc import Iterator
from typing import Any

import statuary.contracts.model.solc_settings as module
from statuary.contracts.model.solc_settings import parse_release_row, setting_differences
from support.compilations import FOLDER, INSTALL, RELEASES, release_names
from support.requirements import absent

TABLE = module.TABLE
SOURCE = "contract C {}"
TARGET = {"C.sol": "C"}
ADDRESS = "0x5aAeb6053F3E94C9b9A09f33669435E7Ef1BeAed"

Settings = dict[str, Any]

UNLESS_DEFAULT: dict[str, tuple[Any, list[Settings]]] = {
    "viaIR": (False, [{"viaIR": True}]),
    "metadata.useLiteralContent": (False, [{"metadata": {"useLiteralContent": True}}]),
    "metadata.appendCBOR": (True, [{"metadata": {"appendCBOR": False}}]),
    "debug.revertStrings": ("default", [{"debug": {"revertStrings": "strip"}}]),
    "eofVersion": (None, [{"eofVersion": 1, "evmVersion": "osaka", "viaIR": True}]),
    "experimental": (False, [{"experimental": True}]),
    "viaSSACFG": (False, [{"experimental": True, "viaIR": True, "viaSSACFG": True}]),
}
"""Settings that metadata has only with another value than a default, with that value, and inputs that show it."""

PROBES: dict[str, Settings] = {
    "nothing": {},
    "runs": {"optimizer": {"runs": 1}},
    "large runs": {"optimizer": {"enabled": True, "runs": 2**32}},
    "unset": {"optimizer": {"details": {"cse": True}}},
    "off": {"optimizer": {"enabled": False, "details": {"cse": True}}},
    "on": {"optimizer": {"enabled": True, "details": {"cse": False}}},
    "yul": {"optimizer": {"enabled": False, "details": {"yul": True}}},
    "steps": {
        "optimizer": {"enabled": True, "details": {"yul": True, "yulDetails": {"optimizerSteps": "u"}}}
    },
    "libraries": {"libraries": {"a.sol": {"L": ADDRESS}}},
    "unknown": {"no such setting": True},
} | {f"shows {name}": inputs[0] for name, (_, inputs) in UNLESS_DEFAULT.items()}

KNOWN: Settings = {
    "compilationTarget": TARGET,
    "debug": {},
    "eofVersion": 1,
    "evmVersion": "byzantium",
    "experimental": False,
    "libraries": {},
    "metadata": {},
    "modelChecker": {},
    "optimizer": {},
    "outputSelection": {},
    "parserErrorRecovery": False,
    "remappings": [],
    "stopAfter": "parsing",
    "viaIR": False,
    "viaSSACFG": False,
}
"""Settings that some release takes, each with a value."""


def metadata_of(compiler: str, inputs: list[Settings]) -> list[Settings | str]:
    """Return the settings in the metadata of a contract for each input; or the compiler's error."""
    if not (RELEASES / "node_modules" / compiler).is_dir():
        absent(f"the compiler {compiler} in {RELEASES}", INSTALL)
    given = [
        {
            "language": "Solidity",
            "sources": {"C.sol": {"content": SOURCE}},
            "settings": {**settings, "outputSelection": {"*": {"*": ["metadata"]}}},
        }
        for settings in inputs
    ]
    command = ["node", FOLDER / "compile_all.mjs", RELEASES, compiler]
    done = subprocess.run(command, input=json.dumps(given).encode(), stdout=subprocess.PIPE, check=True)
    return [_settings_or_error(output) for output in json.loads(done.stdout)]


def _settings_or_error(output: Any) -> Settings | str:
    contracts = (output or {}).get("contracts") or {}
    text = contracts.get("C.sol", {}).get("C", {}).get("metadata")
    if not text:
        return " ".join(error["message"] for error in (output or {}).get("errors", [])) or "a crash"
    return json.loads(text)["settings"]


def row_of(compiler: str) -> Settings:
    """Return what the table says of a release."""
    known = list(KNOWN.items())
    told = metadata_of(compiler, [*PROBES.values(), *({name: value} for name, value in known)])
    seen = dict(zip(PROBES, told, strict=False))
    shown = {name: settings for name, settings in seen.items() if isinstance(settings, dict)}
    nothing = shown["nothing"]
    refused = [
        name
        for (name, _), answer in zip(known, told[len(PROBES) :], strict=True)
        if isinstance(answer, str) and f'Unknown key "{name}"' in answer
    ]
    return {
        "always": {
            **{name: nothing[name] for name in ("evmVersion",) if name in nothing},
            **{f"metadata.{name}": value for name, value in nothing.get("metadata", {}).items()},
        },
        "unless_default": {
            name: default
            for name, (default, _) in UNLESS_DEFAULT.items()
            if _has(shown.get(f"shows {name}", {}), name)
        },
        **_optimizer(shown),
        "library_paths": "a.sol:L" in shown["libraries"]["libraries"],
        "runs_need_enabled": shown["runs"]["optimizer"]["runs"] != 1,
        "runs_modulo": 2**32 if shown.get("large runs", {}).get("optimizer", {}).get("runs") == 0 else 0,
        "known": None if "unknown" in shown else sorted(KNOWN.keys() - set(refused)),
    }


def _has(settings: Settings, name: str) -> bool:
    group, _, member = name.rpartition(".")
    return member in (settings.get(group, {}) if group else settings)


def _optimizer(shown: dict[str, Settings]) -> Settings:
    """Return the parts of the optimizer, from metadata with one part changed that no preset changes."""
    row: Settings = {"details": None, "yul_details": {}, "empty_yul_details": False, "cleanup": ""}
    if "details" not in shown.get("on", {}).get("optimizer", {}):
        return row
    presets = [
        shown[name]["optimizer"]["details"] | {"cse": value}
        for name, value in (("unset", False), ("off", False), ("on", True))
    ]
    row["details"] = {name: [one[name] for one in presets] for name in presets[2] if name != "yulDetails"}
    row["yul_details"] = shown["yul"]["optimizer"]["details"]["yulDetails"]
    row["empty_yul_details"] = "yulDetails" in presets[1]
    if "steps" in shown:
        row["cleanup"] = shown["steps"]["optimizer"]["details"]["yulDetails"]["optimizerSteps"].removeprefix(
            "u"
        )
    return row


def random_settings(chance: random.Random) -> Settings:
    """Return settings of any kind, which some release may refuse."""
    settings: Settings = {}
    for name, values in CHOICES.items():
        if chance.random() < 0.25:
            settings[name] = chance.choice(values)
    if chance.random() < 0.7:
        settings["optimizer"] = _random_optimizer(chance)
    return settings


CHOICES: dict[str, list[Any]] = {
    "evmVersion": ["homestead", "byzantium", "istanbul", "london", "paris", "cancun", "osaka"],
    "viaIR": [True, False],
    "remappings": [[], ["b=c", "a=b/", "x:a=b", ":a=b/", "b=c", "x:y:z=q=r", "e="]],
    "libraries": [{}, {"b.sol": {"L": ADDRESS}, "a.sol": {"L": ADDRESS.lower()}}, {"": {"L": ADDRESS}}],
    "metadata": [
        {},
        {"useLiteralContent": True},
        {"useLiteralContent": False},
        {"bytecodeHash": "none"},
        {"bytecodeHash": "ipfs"},
        {"bytecodeHash": "bzzr1", "appendCBOR": False},
        {"appendCBOR": True},
    ],
    "debug": [{}, {"revertStrings": "default"}, {"revertStrings": "strip"}, {"debugInfo": ["*"]}],
    "experimental": [True, False],
    "parserErrorRecovery": [True, False],
    "modelChecker": [{}, {"engine": "none"}],
}

PARTS = (
    "peephole",
    "inliner",
    "jumpdestRemover",
    "orderLiterals",
    "deduplicate",
    "cse",
    "constantOptimizer",
    "yul",
    "simpleCounterForLoopUncheckedIncrement",
)


def _random_optimizer(chance: random.Random) -> Settings:
    optimizer: Settings = {}
    if chance.random() < 0.7:
        optimizer["enabled"] = chance.random() < 0.6
    if chance.random() < 0.5:
        optimizer["runs"] = chance.choice([0, 1, 200, 999_999, 2**32 - 1, 2**32 + 7])
    if chance.random() < 0.7:
        details: Settings = {part: chance.random() < 0.5 for part in PARTS if chance.random() < 0.2}
        if chance.random() < 0.4:
            choices: dict[str, list[Any]] = {
                "stackAllocation": [True, False],
                "optimizerSteps": ["u", "", ":", "u:", " d\nh[xa] ", "dhfo:fDnTOc"],
            }
            details["yulDetails"] = {
                name: chance.choice(values) for name, values in choices.items() if chance.random() < 0.5
            }
        optimizer["details"] = details
    return optimizer


def unexplained(compiler: str, count: int, seed: int) -> Iterator[str]:
    """Yield the random inputs whose metadata the table does not explain, each with the differences."""
    chance = random.Random(seed)
    inputs = [*PROBES.values(), *(random_settings(chance) for _ in range(count))]
    answers = metadata_of(compiler, inputs)
    assert sum(isinstance(answer, dict) for answer in answers) > count // 20, (
        f"{compiler} took nearly nothing"
    )
    for settings, answer in zip(inputs, answers, strict=True):
        if isinstance(answer, dict) and (
            found := setting_differences(answer, settings, compiler.partition("-")[2])
        ):
            yield f"{compiler}: {settings}: {found}"


def main() -> None:
    """Write the table, and check it."""
    rows: dict[str, Settings] = {}
    row: Settings = {}
    names = release_names("solc")
    for compiler in names:
        print(compiler, file=sys.stderr, flush=True)
        found = row_of(compiler)
        parse_release_row(found)
        changes = {name: value for name, value in found.items() if name not in row or row[name] != value}
        if changes or compiler == names[-1]:
            rows[compiler.partition("-")[2]] = changes
        row = found
    lines = [
        f" {json.dumps(version)}: {{"
        + ",".join(f"\n  {json.dumps(name)}: {json.dumps(value)}" for name, value in changes.items())
        + ("\n }" if changes else "}")
        for version, changes in rows.items()
    ]
    TABLE.write_text("{\n" + ",\n".join(lines) + "\n}\n")
    module.clear_table_cache()
    if faults := [fault for compiler in names for fault in unexplained(compiler, 60, seed=1)]:
        sys.exit("\n".join(faults))


if __name__ == "__main__":
    main()
