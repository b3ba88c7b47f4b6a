"""The check of a contract's record in the reader's browser: the rules of a build, and the page that shows them."""

import gzip
import json
import random
import subprocess
from collections.abc import Iterable, Iterator
from functools import cache
from pathlib import Path
from typing import Any

import orjson
import pytest
from pydantic import TypeAdapter, ValidationError

from contracts.checks.test_compilation_forgeries import FORGERIES as COMPILATION_FORGERIES
from contracts.checks.test_compilation_forgeries import forged
from statuary.base.findings import Severity
from statuary.base.primitives import keccak256
from statuary.contracts.checks.claims import has_different_runtime_code
from statuary.contracts.checks.proof_rule_list import proof_rules
from statuary.contracts.checks.prove import CONTRACT_CHECKS, prove, runtime_mismatch_findings
from statuary.contracts.checks.record_view import RecordView
from statuary.contracts.model.record import Record
from support import damaged_records
from support.browser import browse
from support.browser_rules import LEFT_TO_BUILDS
from support.check_bundle import BUNDLES, CHECK, SMALLER, VIEWER, bundled, smaller
from support.contracts import FEATURES, made_record
from support.damaged_records import DAMAGES
from support.edge_runtimes import OFFLINE, deno
from support.ethereum_node import ask, ethereum_node
from support.forged_records import FALSE_CLAIMS
from support.forgeries import FORGERIES, repeat
from support.random_runs import seeded, times
from support.real_records import DATA, real_records, served_vectors
from support.requirements import CHECKOUT
from support.shared_folders import built_once

pytestmark = pytest.mark.slow

DAMAGED = times(200)
MAX_BUNDLE_BYTES = 16_000

NOW = "2026-11-20T12:00:00Z"
STAKING = "748463/0xEA6137d406d443D5727564D1b014307C88e076b8"
PAGE = f"contracts/{STAKING}.html"


CHECK_ALL = Path(__file__).with_name("check_all.js")
RECORD = TypeAdapter(Record)

Verdicts = dict[str, tuple[str, list[str]]]
"""By the name of a check: its outcome, and the JSON pointers of its errors and warnings."""


def browser_verdicts(records: Iterable[bytes]) -> list[Verdicts]:
    """Return the results of the browser's modules for records."""
    command = [deno(), "run", *OFFLINE, str(CHECK_ALL)]
    done = subprocess.run(command, input=b"\n".join(records), capture_output=True, check=False, timeout=600)
    assert done.returncode == 0, done.stderr.decode()
    return [
        {result["check"]: (result["outcome"], _pointers(result["faults"])) for result in results}
        for results in json.loads(done.stdout)
    ]


def _pointers(faults: list[dict[str, str]]) -> list[str]:
    return sorted({fault["pointer"] for fault in faults if fault["severity"] != "note"})


def build_verdicts(record: bytes) -> Verdicts:
    """Return the results of a build's checks of a record, and the contradiction that only its verdict names."""
    value = orjson.loads(record)
    proof = prove(value)
    differs = runtime_mismatch_findings(value, proof, Severity.ERROR) or (
        has_different_runtime_code(RecordView(value)) and not proof.has_no_errors
    )
    return {
        result.check: (
            result.outcome.value,
            sorted({_json_pointer(f.pointer) for f in result.findings if f.severity is not Severity.NOTE}),
        )
        for result in proof.results
    } | ({"runtime": ("failed", ["/runtimeMatch"])} if differs else {})


def _json_pointer(keys: Iterable[str | int]) -> str:
    return "".join(f"/{str(key).replace('~', '~0').replace('/', '~1')}" for key in keys)


def damage_records(texts: list[tuple[str, bytes]], count: int, seed: int) -> Iterator[tuple[str, bytes]]:
    """Yield records with one damage each: a known kind, a forgery, or any value changed; all still of a record's shape."""
    chance = random.Random(seed)
    damaged_records.STRANGER = orjson.loads(chance.choice(texts)[1])
    made = 0
    while made < count:
        name, text = chance.choice(texts)
        record = orjson.loads(text)
        damage = (_known_damage, _forgery, _any_change)[made % 3](record, chance)
        if damage and orjson.dumps(record) != text and _is_shaped(record):
            made += 1
            yield f"{damage}: {name}", orjson.dumps(record)


def _known_damage(record: dict[str, Any], chance: random.Random) -> str:
    damage = chance.choice(DAMAGES)
    return damage.name if damage.apply(record) else ""


def _forgery(record: dict[str, Any], chance: random.Random) -> str:
    forgery = chance.choice([*FORGERIES, *FALSE_CLAIMS])
    return forgery.name if forgery.apply(record) and repeat(record) else ""


def _any_change(record: dict[str, Any], chance: random.Random) -> str:
    """Change, drop or repeat one value at a random place."""
    holder: Any = record
    key: Any = chance.choice(list(record))
    path = [key]
    while isinstance(holder[key], dict | list) and holder[key] and chance.random() < 0.9:
        holder = holder[key]
        key = chance.choice(list(holder) if isinstance(holder, dict) else range(len(holder)))
        path.append(key)
    changed = _changed(holder[key], chance)
    if changed is None and chance.random() < 0.5:
        del holder[key]
    else:
        holder[key] = changed
    return f"another value at {path}"


def _changed(value: Any, chance: random.Random) -> Any:
    if isinstance(value, bool) or value is None:
        return not value
    if isinstance(value, int):
        return chance.choice([value + 1, 0, -value, float(value)])
    if isinstance(value, str) and value:
        place = chance.randrange(len(value))
        return value[:place] + chance.choice(["", "0", "f", "ab", "A"]) + value[place + 1 :]
    return None


def _is_shaped(record: dict[str, Any]) -> bool:
    try:
        RECORD.validate_python(record)
    except ValidationError:
        return False
    return True


@cache
def records() -> list[tuple[str, bytes]]:
    """Return the made records, the demo network's, and the real ones if they are at hand."""
    made = [(f"made {name}", orjson.dumps(made_record(name))) for name in FEATURES]
    files = sorted((CHECKOUT / "content" / "contracts").glob("*/0x*.json"))
    real = [*real_records(), *served_vectors(doctored=True)] if DATA.is_dir() else []
    return [
        *made,
        *((file.stem, file.read_bytes()) for file in files),
        *((name, orjson.dumps(record)) for name, record in real),
    ]


def differences(cases: list[tuple[str, bytes]]) -> list[tuple[str, str, Any, Any]]:
    """Return where browser and build disagree: record, check, and what each says."""
    found = []
    for (name, text), seen in zip(cases, browser_verdicts(text for _, text in cases), strict=True):
        known = build_verdicts(text)
        assert set(seen) - {"runtime"} == {check.name for check in CONTRACT_CHECKS} - LEFT_TO_BUILDS
        found += [
            (name, check, output, known.get(check))
            for check, output in seen.items()
            if output != known.get(check)
        ]
        found += [(name, "runtime", None, known["runtime"])] if {*known} - {*seen} - LEFT_TO_BUILDS else []
    return found


def test_browser_record_check_matches_build():
    assert len(records()) >= len(FEATURES) + 7  # with those of the demo network
    assert differences(records()) == []


def test_browser_matches_build_on_forged_compilations():
    cases = [
        (f"{kind}: {name}", orjson.dumps(forged(name, kind, forge)))
        for name, kind, forge in COMPILATION_FORGERIES
    ]
    assert len(cases) > 300
    assert differences(cases) == []


def test_browser_matches_build_on_damaged_records():
    damaged = list(damage_records(records(), DAMAGED, seed=17))
    assert len({text for _, text in damaged}) > DAMAGED * 9 / 10
    assert differences(damaged) == []


def test_script_bundles_are_current_and_small():
    for bundle, module in BUNDLES.items():
        assert bundle.read_bytes() == bundled(module), bundle.name
        if "/pages/check/" in module:
            assert len(gzip.compress(bundle.read_bytes(), mtime=0)) < MAX_BUNDLE_BYTES


def test_minified_assets_match_sources():
    assert len(SMALLER) > 8
    for asset, source in SMALLER.items():
        assert asset.read_bytes() == smaller(source), asset.name


@pytest.mark.parametrize(
    "command", [["lint"], ["fmt", "--check", "--line-width=115"]], ids=lambda command: command[0]
)
def test_script_modules_pass_deno_checks(command):
    modules = sorted(map(str, (*CHECK.glob("*.js"), *VIEWER.glob("*.js"))))
    done = subprocess.run(
        [deno(), *command, "--quiet", "--no-config", *modules], capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stdout + done.stderr


@pytest.fixture(scope="module")
def site(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return built_once(tmp_path_factory, CHECKOUT / "content", NOW)


@pytest.fixture(scope="module")
def record(site: Path) -> dict[str, Any]:
    held: dict[str, Any] = orjson.loads((site / "v2" / "contract" / STAKING).read_bytes())
    return held


def with_onchain_code(record: dict[str, Any], code: str) -> dict[str, Any]:
    return record | {"runtimeBytecode": record["runtimeBytecode"] | {"onchainBytecode": code}}


def with_another_byte(record: dict[str, Any]) -> dict[str, Any]:
    """Return a record in which byte 20 of the on-chain runtime bytecode is another one."""
    code = record["runtimeBytecode"]["onchainBytecode"]
    return with_onchain_code(record, f"{code[:42]}{int(code[42:44], 16) ^ 1:02x}{code[44:]}")


def with_returned_code(record: dict[str, Any]) -> dict[str, Any]:
    """Return a record whose constructor returned other code than the compiled one, which it claims no match for."""
    without = {"onchainBytecode": "0x33ff", "transformations": None, "transformationValues": None}
    return record | {"runtimeMatch": None, "runtimeBytecode": record["runtimeBytecode"] | without}


def test_check_button_compares_node_code(site: Path, record: dict[str, Any]) -> None:
    code = record["runtimeBytecode"]["onchainBytecode"]
    with ethereum_node(int(record["chainId"])) as url:
        ask(url, "anvil_setCode", record["address"], code)
        changed = [
            {"record": json.dumps(one)}
            for one in (with_another_byte(record), record | {"chainId": "1"}, with_returned_code(record))
        ]
        published, tampered, other, returned = browse(
            site, "check", path=PAGE, cases=[{"rpc": url}, *changed]
        )

    outcomes = [outcome for outcome, _ in build_verdicts(orjson.dumps(record)).values()]
    left = [line for line in published["lines"] if line["outcome"] == "Not checked here: "]
    passed = published["lines"][: -len(left)]
    assert {line["outcome"] for line in passed} == {"Passed: "}
    assert 20 < len(passed) < outcomes.count("passed")
    assert published["verdict"].startswith(f"Checked in your browser: {len(passed)} passed")
    assert f"Only builds apply {len(left)} more rules" in published["verdict"]
    rules_of_builds = {rule.sentence for rule in proof_rules() if rule.name in LEFT_TO_BUILDS}
    assert {line["rule"] for line in left} == rules_of_builds
    requested = [url for url in published["asked"] if not url.endswith(".svg")]  # the icon may be late
    assert requested == [
        "assets/check.js",
        "assets/record-parts.js",
        "assets/keccak.js",
        f"v2/contract/{STAKING}",
        f"proof/{STAKING}.json",
        "proof/checks.json",
    ]
    assert passed[-1]["rule"].startswith("A Merkle proof leads from a block hash")
    for output in published["nodes"]:  # the chain of the demo network has other blocks than this node
        assert "the code at this address in block" in output
        assert "record\N{RIGHT SINGLE QUOTATION MARK}s, byte for byte." in output
        assert "has a different hash from this site\N{RIGHT SINGLE QUOTATION MARK}s proof: -." in output
    assert published["complaints"] == []

    first = tampered["lines"][0]
    assert tampered["verdict"].startswith("Failed: ")
    assert first["outcome"] == "Failed: "
    assert first["rule"].startswith("The transformations must turn the recompiled runtime bytecode")
    assert first["findings"][0].startswith("/runtimeBytecode/onchainBytecode: byte 20 is 0x")

    rules = [line["rule"] for line in returned["lines"] if line["outcome"] == "Failed: "]
    assert [rule for rule in rules if rule.endswith("on-chain code matches its compiled code.")]
    assert returned["verdict"].startswith("Failed: 2.")  # nor does the chain's own proof lead to that code
    assert "The record fails verification" in returned["verdict"]

    assert other["lines"] == []
    assert other["verdict"].startswith("The published record is for another contract")


def test_browser_compares_record_with_node_bytecode(record: dict[str, Any]) -> None:
    code, address = record["runtimeBytecode"]["onchainBytecode"], record["address"]
    with ethereum_node(int(record["chainId"])) as url:
        assert [text for text, _ in compared(url, record)] == ["empty"]
        ask(url, "anvil_setCode", address, code)
        assert [text for text, _ in compared(url, record)] == ["same"]
        assert compared(url, with_another_byte(record))[0][1]["place"] == 20
        assert compared(url, with_onchain_code(record, code + "00"))[0][1]["place"] == len(code) // 2 - 1
        assert compared(url, record | {"chainId": "1"}) == [
            ["chain", {"chain": record["chainId"], "chainId": "1"}]
        ]
        block = ask(url, "eth_getBlockByNumber", "0x0", False)
        for number, name, output in (
            (0, block["hash"], "known"),
            (0, "0x" + "00" * 32, "foreign"),
            (9, block["hash"], "foreign"),
        ):
            answers = compared(
                url, record, {"number": number, "hash": name}, {"number": number, "hash": name}
            )
            assert [text for text, _ in answers] == ["same", output]


def compared(url: str, record: dict[str, Any], *blocks: dict[str, Any]) -> list[Any]:
    """Return the sentences about a record, each its name and values."""
    script = Path(__file__).with_name("compare_all.js")
    command = [deno(), "run", *OFFLINE, f"--allow-net={url.removeprefix('http://')}", str(script), url]
    stdin = orjson.dumps([record, blocks])
    done = subprocess.run(command, input=stdin, capture_output=True, check=False, timeout=60)
    assert done.returncode == 0, done.stderr.decode()
    (answers,) = json.loads(done.stdout)
    return list(answers)


HEADER = (
    "parentHash",
    "sha3Uncles",
    "miner",
    "stateRoot",
    "transactionsRoot",
    "receiptsRoot",
    "logsBloom",
    "difficulty",
    "number",
    "gasLimit",
    "gasUsed",
    "timestamp",
    "extraData",
    "mixHash",
    "nonce",
    "baseFeePerGas",
    "withdrawalsRoot",
    "blobGasUsed",
    "excessBlobGas",
    "parentBeaconBlockRoot",
    "requestsHash",
)
QUANTITIES = {
    "difficulty",
    "number",
    "gasLimit",
    "gasUsed",
    "timestamp",
    "baseFeePerGas",
    "blobGasUsed",
    "excessBlobGas",
}


def test_altered_node_proof_is_rejected(record: dict[str, Any]) -> None:
    code, address = record["runtimeBytecode"]["onchainBytecode"], record["address"]
    with ethereum_node(int(record["chainId"])) as url:
        ask(url, "anvil_setCode", address, code)
        ask(url, "evm_mine")
        block = ask(url, "eth_getBlockByNumber", "latest", False)
        account = ask(url, "eth_getProof", address, [], block["number"])["accountProof"]
    header = rlp([_bytes(name, block[name]) for name in HEADER if name in block])
    assert f"0x{keccak256(header).hex()}" == block["hash"]
    anchor = {"block": {"hash": block["hash"], "header": f"0x{header.hex()}"}, "account": account}
    assert len(account) > 1, "the trie is only a leaf"

    cases: list[tuple[Any, ...]] = [(anchor, address, code), (anchor, address.lower(), code)]
    chance = seeded(19)
    for _ in range(200):
        place = chance.randrange(len(account) + 3)
        parts = [*account, anchor["block"]["header"], address, code]
        parts[place] = another_digit(parts[place], chance)
        *nodes, head, other_address, other_code = parts
        cases.append(
            ({"block": anchor["block"] | {"header": head}, "account": nodes}, other_address, other_code)
        )
    cases += [
        ({**anchor, "account": account[:-1]}, address, code),
        ({**anchor, "account": []}, address, code),
        (anchor, address, None),
        ({}, address, code),
    ]
    done = subprocess.run(
        [deno(), "run", *OFFLINE, str(Path(__file__).with_name("prove_code.js"))],
        input=b"\n".join(map(orjson.dumps, cases)),
        capture_output=True,
        check=True,
    )
    assert json.loads(done.stdout) == [True, True] + [False] * (len(cases) - 2)


def another_digit(text: str, chance: random.Random) -> str:
    place = chance.randrange(2, len(text))
    return f"{text[:place]}{int(text[place], 16) ^ chance.randrange(1, 16):x}{text[place + 1 :]}"


def _bytes(name: str, text: str) -> bytes:
    data = bytes.fromhex("0" * (len(text) % 2) + text[2:])
    return data.lstrip(b"\0") if name in QUANTITIES else data


def rlp(items: list[bytes]) -> bytes:
    """Return a list of byte strings in RLP."""
    body = b"".join(one if len(one) == 1 and one[0] < 0x80 else _head(one, 0x80) + one for one in items)
    return _head(body, 0xC0) + body


def _head(body: bytes, kind: int) -> bytes:
    if len(body) < 56:
        return bytes((kind + len(body),))
    size = len(body).to_bytes(-(-len(body).bit_length() // 8), "big")
    return bytes((kind + 55 + len(size),)) + size
