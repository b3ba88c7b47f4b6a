"""Records of true compilations are believed, and no forgery of what these are about."""

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import orjson
import pytest
import yaml

from statuary.contracts.checks.prove import IDENTITY_CHECKS, prove, run_checks
from statuary.contracts.model.abi import abi_signatures
from statuary.contracts.model.proof import ClaimName, ClaimStatus
from statuary.contracts.sources.parse_record import parse_record_json
from support.forgeries import repeat, target

Record = dict[str, Any]

RECORDS = {
    row["name"]: orjson.dumps(row["record"])
    for row in map(json.loads, Path(__file__).with_name("compilations.jsonl").read_text("utf-8").splitlines())
}
"""Records of contracts that tests/compilations lists, as `statuary contract add` wrote them from a node."""

NAMES = "names-0.8.37"
RETURN = "comment-holds-carriage-return-0.4.24"
LAYOUT = "layout-at-0.8.37"
PLAIN_LAYOUT = "layout-as-names-0.8.30"
ZERO = "selector-zero-0.8.37"
MANY = "selector-zero-among-many-0.8.17"
STEPS = "steps-0.8.26"
GLOBAL = "libraries-global-0.7.4"
FILES = "library-of-two-files-0.8.9"
DELETE = "delete-character-and-others-0.8.20"
WORDS = "vyper-immutables-0.3.9"
ADDED_WORDS = "vyper-immutables-0.3.3"
OLD_WORDS = "vyper-one-immutable-0.3.1"
POLYGON = "proxy-of-polygon-0.6.12"
YUL = "yul-0.8.22"
IMMUTABLES = "immutables-0.6.12"
PARTS = "yul-of-parts-0.8.37"
SHELF = "vyper-shelf-0.4.3"
BARE = "no-metadata-hash-0.8.37"
OLD = "constructor-of-old-name-0.4.26"


def true_record(name: str) -> Record:
    record: Record = orjson.loads(RECORDS[name])
    return record


@pytest.mark.parametrize("name", RECORDS)
def test_genuine_record_is_accepted(name):
    proof = prove(true_record(name))
    assert proof.has_no_errors, proof.findings
    assert proof.verdict is None or proof.verdict.sentences[0].key != "verdict_contradicted"


EVIDENCE = {
    "Solidity": (ClaimStatus.VERIFIED, "metadata_hash"),
    "Vyper": (ClaimStatus.NOT_SHOWN, "no_integrity_hash"),
    "Yul": (ClaimStatus.NOT_SHOWN, "no_hash_written"),
    "Fe": (ClaimStatus.NOT_SHOWN, "no_hash_written"),
}
"""By language: whether a hash in the code of these releases is about the sources, and why."""

OTHER_EVIDENCE = {
    SHELF: (ClaimStatus.VERIFIED, "integrity_hash"),
    BARE: (ClaimStatus.NOT_SHOWN, "no_metadata_hash"),
}
"""The same of contracts that are not like others of their language."""


@pytest.mark.parametrize("name", [*RECORDS, "fe"])
def test_only_compiler_hashes_confirm_sources(name):
    record = true_record(YUL if name == "fe" else name)
    if name == "fe":
        record["compilation"] |= {"language": "Fe", "compiler": "fe", "compilerVersion": "0.26.0"}
        repeat(record)
    claim = prove(record).find_claim(ClaimName.HASHED)
    assert claim is not None
    expected = OTHER_EVIDENCE.get(name, EVIDENCE[record["compilation"]["language"]])
    assert (claim.status, claim.reason.key) == expected


@pytest.mark.parametrize("language", ["Yul", "Fe", "Vyper"])
def test_solidity_metadata_confirms_no_other_language(language):
    """The code ends with the metadata hash of a Solidity contract, whose metadata calls itself that of the language."""
    record, hashed = true_record(WORDS if language == "Vyper" else YUL), true_record(NAMES)
    if language == "Fe":
        record["compilation"] |= {"language": "Fe", "compiler": "fe", "compilerVersion": "0.26.0"}
    digits = hashed["runtimeBytecode"]["cborAuxdata"]["1"]["value"].removeprefix("0x")
    for side in ("creationBytecode", "runtimeBytecode"):
        for member in ("onchainBytecode", "recompiledBytecode"):
            record[side][member] += digits
    path, _ = target(record)
    record["sources"][path]["content"] += f"// {digits}\n"
    record["metadata"] = hashed["metadata"] | {"language": language}
    repeat(record)
    claim = prove(record).find_claim(ClaimName.HASHED)
    assert claim is not None
    assert claim.status is not ClaimStatus.VERIFIED


def settings(record: Record) -> dict[str, Any]:
    held: dict[str, Any] = record["compilation"]["compilerSettings"]
    return held


def renamed(record: Record, name: str) -> None:
    """Give a record's contract another name, wherever a record repeats it."""
    path, _ = target(record)
    record["compilation"] |= {"name": name, "fullyQualifiedName": f"{path}:{name}"}
    if record["metadata"] is not None:
        record["metadata"]["settings"]["compilationTarget"] = {path: name}


def without_hash(record: Record) -> None:
    """Claim no more than a match, which needs no metadata to be pinned."""
    for side in ("creation", "runtime"):
        if record[f"{side}Match"] is not None:
            record[f"{side}Match"] = "match"
    record["match"] = "match"


FORGERIES: list[tuple[str, str, Callable[[Record], object]]] = []


def forgery(*names: str) -> Callable[[Callable[[Record], object]], Callable[[Record], object]]:
    def register(forge: Callable[[Record], object]) -> Callable[[Record], object]:
        FORGERIES.extend((name, forge.__name__.replace("_", " "), forge) for name in names)
        return forge

    return register


# -- names that only comments and strings have


@forgery(NAMES)
def name_in_line_comment(record):
    renamed(record, "Ghost")


@forgery(NAMES)
def name_in_block_comment(record):
    renamed(record, "Phantom")


@forgery(RETURN)
def name_behind_carriage_return_in_comment(record):
    renamed(record, "Ghost2")


@forgery(NAMES, RETURN, LAYOUT)
def name_in_added_comment(record):
    path, _ = target(record)
    record["sources"][path]["content"] += "\n// contract Audited {}\n"
    renamed(record, "Audited")
    without_hash(record)


@forgery(NAMES, LAYOUT)
def name_in_added_string(record):
    path, _ = target(record)
    record["sources"][path]["content"] += "\nstring constant text = 'contract Audited {}';\n"
    renamed(record, "Audited")
    without_hash(record)


@forgery(NAMES, ZERO)
def name_in_assembly(record):
    path, _ = target(record)
    body = "let y := x\ncontract Audited := 1"
    record["sources"][path]["content"] += (
        f"\ncontract Other {{ function f() public {{ assembly {{ {body} }} }} }}\n"
    )
    renamed(record, "Audited")
    without_hash(record)


@forgery(YUL)
def name_of_inner_object(record):
    renamed(record, "runtime")


@forgery(YUL)
def name_of_commented_object(record):
    renamed(record, "Ghost")


# -- immutables and libraries that only comments declare


@forgery(IMMUTABLES)
def immutable_from_comment(record):
    path, _ = target(record)
    text = record["sources"][path]["content"]
    record["sources"][path]["content"] = text.replace(
        "int64 immutable signed", "int64 signed // immutable"
    ) + ("// immutable immutable immutable")
    record["sources"][path]["content"] = record["sources"][path]["content"].replace("bool immutable", "bool")
    without_hash(record)


@forgery(FILES)
def library_from_comment(record):
    path, _ = target(record)
    text = record["sources"][path]["content"]
    record["sources"][path]["content"] = text.replace(
        "library Products", "contract Products /* library Products */"
    )
    without_hash(record)


# -- layouts


@forgery(PLAIN_LAYOUT)
def layout_from_comment(record):
    for variable in record["storageLayout"]["storage"]:
        variable["slot"] = str(int(variable["slot"]) + 5)


@forgery(LAYOUT)
def layout_without_words(record):
    path, _ = target(record)
    text = record["sources"][path]["content"]
    record["sources"][path]["content"] = text.replace("layout\n", "/* layout\n").replace(
        "0x1000 + 2 ** 8 {", "*/ {", 1
    )
    without_hash(record)


# -- settings


@forgery(STEPS)
def optimizer_steps_with_wrong_cleanup(record):
    settings(record)["optimizer"]["details"]["yulDetails"]["optimizerSteps"] += ":"


@forgery(STEPS)
def optimizer_steps_out_of_order(record):
    details = settings(record)["optimizer"]["details"]["yulDetails"]
    details["optimizerSteps"] = details["optimizerSteps"][::-1]


@forgery(STEPS)
def stack_allocation_switched_off(record):
    settings(record)["optimizer"]["details"]["yulDetails"]["stackAllocation"] = False


@forgery(STEPS, ZERO)
def optimizer_partly_disabled(record):
    settings(record)["optimizer"].setdefault("details", {})["cse"] = False


@forgery(STEPS)
def details_left_out(record):
    del settings(record)["optimizer"]["details"]


@forgery(ZERO, STEPS, LAYOUT)
def setting_refused_by_release(record):
    settings(record)["audited"] = True


@forgery(GLOBAL)
def global_library_elsewhere(record):
    settings(record)["libraries"][""]["Sums"] = "0x" + "11" * 20


@forgery(GLOBAL)
def global_library_added(record):
    settings(record)["libraries"][""]["Audited"] = "0x" + "11" * 20


@forgery(FILES)
def library_of_wrong_file(record):
    settings(record)["libraries"]["lib/L.sol"]["Sums"] = "0x2000000000000000000000000000000000000002"


@forgery(GLOBAL)
def libraries_by_path_in_old_metadata(record):
    held = record["metadata"]["settings"]["libraries"]
    record["metadata"]["settings"]["libraries"] = {f"lib/L.sol:{name}": held[name] for name in held}


@forgery(ZERO, STEPS, MANY)
def default_of_wrong_release(record):
    record["metadata"]["settings"]["evmVersion"] = "paris"


# -- selectors


@forgery(LAYOUT, NAMES, STEPS, GLOBAL, IMMUTABLES, POLYGON)
def function_of_selector_zero(record):
    record["abi"].append(
        {
            "type": "function",
            "name": "wycpnbqcyf",
            "inputs": [],
            "outputs": [],
            "stateMutability": "nonpayable",
        }
    )
    record["signatures"] = abi_signatures(record["abi"])
    without_hash(record)


@forgery(MANY)
def second_function_with_zeros(record):
    record["abi"].append(
        {"type": "function", "name": "f", "inputs": [], "outputs": [], "stateMutability": "nonpayable"}
    )
    without_hash(record)


# -- versions


@forgery(ZERO, MANY)
def build_before_release(record):
    version = record["compilation"]["compilerVersion"]
    record["compilation"]["compilerVersion"] = version.replace("+", "-pre.1+")
    record["metadata"]["compiler"]["version"] = record["compilation"]["compilerVersion"]


@forgery(WORDS, YUL)
def build_of_no_release(record):
    record["compilation"]["compilerVersion"] = "0.2.9-pre.1+commit.00000000"


# -- text that metadata escapes


@forgery(DELETE)
def delete_character_left_out(record):
    path, _ = target(record)
    record["sources"][path]["content"] = record["sources"][path]["content"].replace("\x7f", "")
    record["metadata"]["output"] = json.loads(json.dumps(record["metadata"]["output"]).replace("\\u007f", ""))
    record["devdoc"] = record["metadata"]["output"]["devdoc"]


# -- Vyper's immutables


@forgery(WORDS, ADDED_WORDS, OLD_WORDS)
def extra_word_on_chain(record):
    code = record["runtimeBytecode"]
    code["onchainBytecode"] += "33ff" + "00" * 30
    code["transformationValues"]["immutables"]["0"] += "33ff" + "00" * 30


@forgery(WORDS, ADDED_WORDS)
def missing_word_on_chain(record):
    code = record["runtimeBytecode"]
    code["onchainBytecode"] = code["onchainBytecode"][:-64]
    code["transformationValues"]["immutables"]["0"] = code["transformationValues"]["immutables"]["0"][:-64]


@forgery(WORDS, OLD_WORDS)
def words_before_end(record):
    code = record["runtimeBytecode"]
    words = code["transformationValues"]["immutables"]["0"][2:]
    compiled = code["recompiledBytecode"][2:]
    code["onchainBytecode"] = f"0x{compiled[:-2]}{words}{compiled[-2:]}"
    code["transformations"][0]["offset"] -= 1


@forgery(WORDS)
def words_without_constructor(record):
    creation = record["creationBytecode"]
    for member in ("onchainBytecode", "recompiledBytecode"):
        creation[member] = creation[member].replace("61015d610000f3", "6100bd610000f3")


# -- proxies


@forgery(POLYGON)
def wrong_proxy_pattern(record):
    record["proxyResolution"]["proxyType"] = "EIP1967Proxy"


@forgery(POLYGON)
def implementation_of_nobody(record):
    record["proxyResolution"]["implementations"] = [{"address": "0x" + "0" * 40}]


@forgery(POLYGON)
def proxy_of_itself(record):
    record["proxyResolution"]["implementations"] = [{"address": record["address"]}]


@forgery(NAMES, ZERO, WORDS)
def proxy_without_delegation(record):
    record["proxyResolution"] = {
        "isProxy": True,
        "proxyType": "AuditedProxy",
        "implementations": [{"address": "0x1111111111111111111111111111111111111111"}],
    }


@forgery(LAYOUT, STEPS)
def polygon_proxy_without_slot(record):
    record["proxyResolution"] = {
        "isProxy": True,
        "proxyType": "MaticProxy",
        "implementations": [{"address": "0x1111111111111111111111111111111111111111"}],
    }


# -- records that call code by another name than its own


def relabelled(record: Record, language: str, compiler: str, version: str) -> None:
    """Call a record's compilation another one, and claim no more than that other compiler's code can show."""
    without_hash(record)
    record["compilation"] |= {"language": language, "compiler": compiler, "compilerVersion": version}
    record["metadata"] = None
    for side in ("creation", "runtime"):
        record[f"{side}Bytecode"]["cborAuxdata"] = {}


SOLIDITY = (NAMES, LAYOUT, PLAIN_LAYOUT, STEPS, GLOBAL, FILES)


@forgery(*SOLIDITY)
def solidity_called_yul(record):
    relabelled(record, "Yul", "solc", record["compilation"]["compilerVersion"])
    record["abi"] = None


@forgery(NAMES, GLOBAL)
def solidity_called_yul_with_interface(record):
    relabelled(record, "Yul", "solc", record["compilation"]["compilerVersion"])


@forgery(*SOLIDITY)
def solidity_called_old_vyper(record):
    relabelled(record, "Vyper", "vyper", "0.2.16+commit.59e1bdd")


@forgery(NAMES, STEPS)
def solidity_called_vyper(record):
    relabelled(record, "Vyper", "vyper", "0.4.3+commit.bff19ea2")


@forgery(*SOLIDITY)
def solidity_called_fe(record):
    relabelled(record, "Fe", "fe", "0.26.0")


@forgery(*SOLIDITY)
def solidity_called_older_solc(record):
    relabelled(record, "Solidity", "solc", "0.4.6+commit.2dabbdf0")


@forgery(WORDS)
def vyper_called_yul(record):
    relabelled(record, "Yul", "solc", "0.8.30+commit.73712a01")
    record["abi"] = None


@forgery(WORDS)
def vyper_called_older_vyper(record):
    relabelled(record, "Vyper", "vyper", "0.3.3+commit.48e326f0")


@forgery(YUL)
def yul_called_solidity(record):
    relabelled(record, "Solidity", "solc", record["compilation"]["compilerVersion"])


@forgery(*SOLIDITY)
def metadata_of_nobody(record):
    without_hash(record)
    record["metadata"] = None
    record["sources"] = {
        path: {"content": f"{source['content']}// more"} for path, source in record["sources"].items()
    }


@forgery(NAMES, STEPS, GLOBAL)
def other_version_without_auxdata(record):
    without_hash(record)
    record["compilation"]["compilerVersion"] = "0.8.21+commit.d9974bed"
    record["metadata"]["compiler"]["version"] = "0.8.21+commit.d9974bed"
    for side in ("creation", "runtime"):
        record[f"{side}Bytecode"]["cborAuxdata"] = None


@forgery(WORDS, ADDED_WORDS, OLD_WORDS)
def function_unknown_to_vyper(record):
    record["abi"] = [*record["abi"], INVENTED]


@forgery(YUL)
def interface_of_yul(record):
    record["abi"] = [INVENTED]


INVENTED = {
    "type": "function",
    "name": "audited",
    "inputs": [],
    "outputs": [{"name": "", "type": "bool"}],
    "stateMutability": "view",
}


# -- the table of forgeries


def edited(row: Any) -> Callable[[Record], None]:
    """Return what applies a row of forgeries.yaml to a record."""

    def forge(record: Record) -> None:
        if row.get("weak"):
            without_hash(record)
        if "name" in row:
            renamed(record, row["name"])
        for edit in row.get("edits", ()):
            apply(record, edit)

    return forge


def apply(record: Record, edit: Any) -> None:
    """Apply one edit of forgeries.yaml."""
    ((verb, pointer),) = (
        (name, edit[name]) for name in edit if isinstance(edit[name], list) and name != "to"
    )
    *parents, last = (target(record)[0] if key == "$path" else key for key in pointer)
    holder: Any = within(record, parents)
    match verb:
        case "set":
            holder[last] = edit["to"]
        case "remove":
            del holder[last]
        case "add":
            holder[last] = [*holder[last], edit["item"]]
        case "replace":
            holder[last] = holder[last].replace(edit["old"], edit["new"])
        case "copy":
            holder[last] = within(true_record(globals()[edit["from"]]), pointer)


def within(value: Any, keys: list[Any]) -> Any:
    for key in keys:
        value = value[key]
    return value


TABLE = yaml.load(Path(__file__).with_name("forgeries.yaml").read_text("utf-8"), yaml.CSafeLoader)
FORGERIES.extend((globals()[name], row["kind"], edited(row)) for row in TABLE for name in row["of"])
UNKNOWN = {row["kind"] for row in TABLE if row.get("unknown")}
"""The forgeries that need not be rejected: their record is said to be of a kind that is not known here."""

ONCE = {row["kind"] for row in TABLE if row.get("once")}
"""The forgeries that do not repeat what they changed."""


@pytest.mark.parametrize(
    ("name", "kind", "forge"), FORGERIES, ids=lambda value: value if isinstance(value, str) else ""
)
def test_forged_compilation_is_rejected(name, kind, forge):
    record = forged(name, kind, forge)
    assert record != true_record(name)
    assert not is_believed(record, unknown=kind in UNKNOWN)


def forged(name: str, kind: str, forge: Callable[[Record], object]) -> Record:
    """Return a true record after a forgery, which repeats what it changed wherever a record does."""
    record = true_record(name)
    forge(record)
    if kind not in ONCE:
        repeat(record)
    return record


def is_believed(record: Record, *, unknown: bool) -> bool:
    """Return whether a build publishes a record as one whose matches are confirmed."""
    parsed = parse_record_json(orjson.dumps(record), "record.json").record
    if parsed is None or any(result.findings for result in run_checks(record, IDENTITY_CHECKS)):
        return False
    proof = prove(record)
    is_not_known = proof.verdict is not None and proof.verdict.sentences[0].key == "verdict_not_known"
    return proof.has_no_errors and not (unknown and is_not_known)


def test_forgeries_cover_every_compiler():
    assert len({kind for _, kind, _ in FORGERIES}) >= 240
