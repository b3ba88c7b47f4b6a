"""Records that claim what is not so, each with what a proof must say of it: never a record that agrees with everything.

A forger writes every member as they like and repeats it wherever a record repeats itself. What the record itself,
public facts or the evidence beside it can disprove is withheld, by the named check. What nothing can disprove stays a
claim: the member is pinned by nothing outside the record.
"""

from collections.abc import Callable
from typing import Any, NamedTuple

from sha3 import keccak_256

from statuary.contracts.model.proof import PinnedBy
from support.forgeries import FAKE, change_sources, repeat, side_of, target

Record = dict[str, Any]
Lie = Callable[[Record], bool]

SOMEONE = "0x" + "11" * 20
CYRILLIC_A = "\u0430"
SWEEP = "33ff"
"""CALLER SELFDESTRUCT."""


class Withheld(NamedTuple):
    """A record that is not published, by a check."""

    check: str


class Warned(NamedTuple):
    """A record that a check warns of."""

    check: str


class Unpinned(NamedTuple):
    """A record that nothing disproves: a member is pinned by no more than this."""

    member: str
    pin: PinnedBy = PinnedBy.CLAIMED


class Unknown(NamedTuple):
    """A record that is published and not confirmed, since a check does not know something."""

    check: str


Verdict = Withheld | Warned | Unpinned | Unknown


class FalseClaim(NamedTuple):
    """A kind of false record."""

    name: str
    verdict: Verdict
    apply: Lie


FALSE_CLAIMS: list[FalseClaim] = []


def false_claim(verdict: Verdict) -> Callable[[Lie], Lie]:
    def register(apply: Lie) -> Lie:
        claim(verdict, apply.__name__.replace("_", " "), apply)
        return apply

    return register


def claim(verdict: Verdict, name: str, apply: Lie) -> None:
    """Add a kind; a record that bears it repeats every member."""
    FALSE_CLAIMS.append(FalseClaim(name, verdict, lambda record: bool(apply(record)) and repeat(record)))


def of_solidity(record: Record) -> bool:
    return record["compilation"]["language"] == "Solidity"


def is_hashed(record: Record) -> bool:
    """Whether the hash of its metadata is in the bytecode of a matching side."""
    return of_solidity(record) and bool(record["metadata"]) and record["match"] == "exact_match"


def has_no_hash(record: Record) -> bool:
    pieces = (record["runtimeBytecode"]["cborAuxdata"] or {}).values()
    return of_solidity(record) and not any(
        hashed in piece["value"] for piece in pieces for hashed in ("69706673", "627a7a72")
    )


# -- names


def named(name: str) -> Lie:
    def apply(record: Record) -> bool:
        path, old = target(record)
        record["compilation"] |= {"name": name, "fullyQualifiedName": f"{path}:{name}"}
        source = record["sources"][path]
        source["content"] = source["content"].replace(old, name)
        if record["metadata"]:
            record["metadata"]["settings"]["compilationTarget"] = {path: name}
        return of_solidity(record)

    return apply


for _kind, _name in {
    "a name with an invisible character": "Safe\u200b",
    "a name with a letter of another alphabet": f"S{CYRILLIC_A}fe",
    "a name that praises": "Safe (audited)",
    "a name that turns the text": "Safe\u202e",
    "a name that begins with a digit": "1Safe",
    "no name": "",
}.items():
    claim(Withheld("invalid-identifier"), _kind, named(_name))


def named_otherwise(name: str, language: str) -> Lie:
    def apply(record: Record) -> bool:
        path, old = target(record)
        record["compilation"] |= {"name": name, "fullyQualifiedName": f"{path}:{name}"}
        source = record["sources"][path]
        source["content"] = source["content"].replace(f'"{old}"', f'"{name}"')
        return bool(record["compilation"]["language"] == language)

    return apply


for _language in ("Vyper", "Yul"):
    for _kind, _name in {
        "an invisible character": "Safe\u200b",
        "a letter of another alphabet": f"S{CYRILLIC_A}fe",
        "letters of another style": "\uff33\uff41\uff46\uff45",
    }.items():
        claim(
            Withheld("deceptive-name"),
            f"a {_language} name with {_kind}",
            named_otherwise(_name, _language),
        )


def item(kind: str, **members: Any) -> Lie:
    def apply(record: Record) -> bool:
        record["abi"] = [*(record["abi"] or []), {"type": kind, "inputs": [], **members}]
        return record["abi"] is not None

    return apply


for _kind, _forge in {
    "a function with a letter of another alphabet": item("function", name=f"p{CYRILLIC_A}y", outputs=[]),
    "an event with an invisible character": item("event", name="Paid\u2060"),
    "an error that begins with a digit": item("error", name="7Wrong"),
    "a function without a name": item("function", name="", outputs=[]),
    "a parameter with markup": item(
        "error", name="Wrong", inputs=[{"name": "<b>owner</b>", "type": "address"}]
    ),
    "a member of a tuple with white space": item(
        "error",
        name="Wrong",
        inputs=[{"name": "a", "type": "tuple", "components": [{"name": "b c", "type": "bool"}]}],
    ),
}.items():
    claim(Withheld("invalid-identifier"), _kind, _forge)

for _kind in ("constructor", "fallback", "receive"):

    def _twice(record: Record, kind: str = _kind) -> bool:
        given = {"type": kind, "stateMutability": "payable"} | (
            {"inputs": []} if kind == "constructor" else {}
        )
        record["abi"] = [*(record["abi"] or []), given, given]
        return True

    claim(Withheld("invalid-abi-item"), f"two items of type {_kind}", _twice)

claim(Withheld("invalid-abi-item"), "an item of an unknown type", item("audit", name="passed"))
claim(Withheld("invalid-abi-item"), "an item without a type that is text", item(7, name="passed"))  # type: ignore[arg-type]


# -- the compiler and the day


def compiled_by(version: str) -> Lie:
    def apply(record: Record) -> bool:
        record["compilation"]["compilerVersion"] = version
        if record["metadata"]:
            record["metadata"]["compiler"]["version"] = version
        return of_solidity(record)

    return apply


for _version in (
    "0.4.99+commit.e67f0147",
    "0.5.18+commit.d19bba13",
    "0.7.7+commit.7338295f",
    "0.3.7+commit.3fc68da5",
):
    claim(
        Withheld("unknown-compiler-release"), f"a release that never was: {_version}", compiled_by(_version)
    )
for _version in ("0.8.30+commit.ab55807c", "0.8.30+commit.12345678", "0.8.28+commit.73712a01"):
    claim(
        Withheld("unknown-compiler-release"), f"a commit of another build: {_version}", compiled_by(_version)
    )
for _version in ("0.8.30-nightly.2025.2.30+commit.73712a01", "0.8.30-nightly.2025.13.1+commit.73712a01"):
    claim(Withheld("unknown-compiler-release"), f"a nightly of no day: {_version}", compiled_by(_version))
for _version in ("9.9.9+commit.audited", "0.8.30+commit.73712a01.audited", "v0.8.30", "0.8.30 (audited)"):
    claim(Withheld("unknown-compiler"), f"no version: {_version}", compiled_by(_version))


@false_claim(Withheld("auxdata-compiler-mismatch"))
def a_version_of_the_future_that_the_bytecode_does_not_name(record):
    pieces = (record["runtimeBytecode"]["cborAuxdata"] or {}).values()
    return bool(pieces) and compiled_by("9.9.9+commit.abcdef12")(record)


@false_claim(Unpinned("compilation.compilerVersion"))
def a_version_of_the_future_where_the_bytecode_names_none(record):
    return not record["runtimeBytecode"]["cborAuxdata"] and compiled_by("9.9.9+commit.abcdef12")(record)


for _day in ("2015-08-01", "2020-01-01", "2025-04-01"):

    def _verified(record: Record, day: str = _day) -> bool:
        record["verifiedAt"] = f"{day}T00:00:00Z"
        return "0.8.30" in record["compilation"]["compilerVersion"]

    claim(Withheld("verified-before-release"), f"verified before the compiler: {_day}", _verified)


@false_claim(Withheld("unknown-compiler"))
def a_compiler_that_praises_itself(record):
    record["compilation"]["compiler"] = "solc (audited)"
    return True


def _names_its_compiler(record: Record) -> bool:
    code = record["runtimeBytecode"]["recompiledBytecode"] or ""
    return "64736f6c63" in code[-80:] or "65767970657283" in (
        record["creationBytecode"]["recompiledBytecode"] or ""
    )


@false_claim(Withheld("relabelled-code"))
def a_compiler_that_the_code_does_not_name(record):
    record["compilation"]["compiler"] = "solx"
    return _names_its_compiler(record)


@false_claim(Withheld("relabelled-code"))
def a_new_language_of_another_compiler(record):
    record["compilation"] |= {"language": "Solar", "compiler": "solar"}
    return _names_its_compiler(record)


@false_claim(Unknown("unknown-compiler"))
def a_compiler_that_nobody_knows(record):
    record["compilation"]["compiler"] = "solx"
    code = record["runtimeBytecode"]["recompiledBytecode"] or ""
    return not of_solidity(record) and "736f6c63" not in code and not _names_its_compiler(record)


@false_claim(Withheld("unknown-compiler"))
def a_language_of_another_compiler(record):
    record["compilation"]["language"] = "Vyper" if of_solidity(record) else "Solidity"
    return record["compilation"]["compiler"] == (
        "solc" if record["compilation"]["language"] == "Vyper" else "vyper"
    )


@false_claim(Withheld("undeclared-contract"))
def yul_as_solidity(record):
    was = record["compilation"]["language"]
    record["compilation"]["language"] = "Solidity"
    return was == "Yul"


@false_claim(Withheld("undeclared-contract"))
def solidity_as_yul(record):
    was, record["compilation"]["language"] = record["compilation"]["language"], "Yul"
    return was == "Solidity"


@false_claim(Withheld("metadata-compilation-mismatch"))
def settings_that_were_not_used(record):
    record["compilation"]["compilerSettings"] |= {"optimizer": {"enabled": True, "runs": 424_242}}
    return is_hashed(record)


@false_claim(Withheld("missing-metadata"))
def settings_that_nothing_pins(record):
    record["compilation"]["compilerSettings"] |= {"optimizer": {"enabled": True, "runs": 424_242}}
    record["metadata"] = None
    return has_no_hash(record)


@false_claim(Withheld("std-json-input-mismatch"))
def an_input_that_solidity_does_not_take(record):
    record["additionalInput"] = {"audited": True}
    return of_solidity(record)


@false_claim(Withheld("library-address-mismatch"))
def a_library_linked_elsewhere_than_the_settings_say(record):
    linked = (record["runtimeBytecode"]["transformationValues"] or {}).get("libraries") or {}
    for name in list(linked)[:1]:
        path, _, library = name.rpartition(":")
        record["compilation"]["compilerSettings"]["libraries"] = {path: {library: SOMEONE}}
    return bool(linked)


# -- where and by whom


@false_claim(Withheld("impossible-deployment"))
def a_contract_that_deploys_itself(record):
    record["deployment"]["deployer"] = record["address"]
    return True


@false_claim(Withheld("impossible-deployment"))
def a_contract_that_deploys_itself_in_lower_case(record):
    record["deployment"]["deployer"] = record["address"].lower()
    return True


@false_claim(Withheld("impossible-deployment"))
def a_deployer_in_the_genesis_block(record):
    record["deployment"] = {
        "transactionHash": None,
        "blockNumber": "-1",
        "transactionIndex": "-1",
        "deployer": SOMEONE,
    }
    return True


@false_claim(Withheld("impossible-deployment"))
def a_transaction_in_the_genesis_block(record):
    record["deployment"] |= {"blockNumber": "-1", "transactionIndex": "0", "deployer": None}
    return True


@false_claim(Withheld("impossible-deployment"))
def a_contract_that_nobody_deployed(record):
    record["deployment"]["deployer"] = "0x" + "0" * 40
    return record["deployment"]["blockNumber"] != "-1"


@false_claim(Withheld("impossible-deployment"))
def a_transaction_of_zeros(record):
    record["deployment"]["transactionHash"] = "0x" + "0" * 64
    return record["deployment"]["blockNumber"] != "-1"


@false_claim(Withheld("impossible-deployment"))
def the_index_of_the_genesis_block_elsewhere(record):
    record["deployment"]["transactionIndex"] = "-1"
    return record["deployment"]["blockNumber"] != "-1"


for _member, _value in {
    "transactionHash": "0x" + "ab" * 32,
    "blockNumber": "1",
    "transactionIndex": "9",
    "deployer": SOMEONE,
}.items():

    def _elsewhere(record: Record, member: str = _member, value: str = _value) -> bool:
        record["deployment"][member] = value
        return True

    claim(Unpinned(f"deployment.{_member}"), f"another {_member}", _elsewhere)


@false_claim(Unpinned("runtimeBytecode.onchainBytecode"))
def the_same_contract_at_another_address(record):
    record["address"] = SOMEONE
    code = record["runtimeBytecode"]["recompiledBytecode"] or ""
    return not code.startswith("0x73" + "00" * 20)


@false_claim(Withheld("call-protection-mismatch"))
def a_library_at_another_address(record):
    record["address"] = SOMEONE
    return (record["runtimeBytecode"]["recompiledBytecode"] or "").startswith("0x73" + "00" * 20)


@false_claim(Unpinned("runtimeBytecode.onchainBytecode"))
def the_same_contract_on_another_chain(record):
    record["chainId"] = "1"
    return True


for _number, _expected in {0: Withheld, 1: Withheld, 10: Withheld, 17: Warned, 256: Warned}.items():

    def _reserved(record: Record, number: int = _number) -> bool:
        record["address"] = f"0x{number:040x}"
        return True

    claim(
        _expected("impossible-code"),
        f"a contract at the EVM's own address {_number:#x}",
        _reserved,
    )


def onchain_runtime(code: str) -> Lie:
    def apply(record: Record) -> bool:
        record["runtimeBytecode"]["onchainBytecode"] = code
        return True

    return apply


for _kind, _code in {
    "an account that delegates": "0xef0100" + "11" * 20,
    "code that the EVM refuses": "0xef6080604052",
    "an object that the settings do not ask for": "0xef000101",
}.items():
    claim(Withheld("impossible-code"), _kind, onchain_runtime(_code))
for _kind, _code in {
    "code that pays the caller": "0x" + SWEEP,
    "a stop": "0x00",
    "a clone": "0x363d3d373d3d3d363d73",
}.items():
    claim(Withheld("runtime-bytecode-mismatch"), f"on the chain is {_kind}", onchain_runtime(_code))


# -- bytecode


def changed(side: str, member: str, change: Callable[[str], str]) -> Lie:
    def apply(record: Record) -> bool:
        code = side_of(record, side)
        if not code[member] or record[f"{side}Match"] is None:
            return False
        code[member] = change(code[member])
        return True

    return apply


def flipped(place: int) -> Callable[[str], str]:
    at = 2 + 2 * place

    def flip(code: str) -> str:
        return f"{code[:at]}{int(code[at : at + 2], 16) ^ 1:02x}{code[at + 2 :]}"

    return flip


for _side in ("creation", "runtime"):
    for _kind, _change in {
        "the first byte": flipped(0),
        "a later byte": flipped(4),
        "the last byte": lambda code: code[:-2] + f"{int(code[-2:], 16) ^ 1:02x}",
        "its end cut": lambda code: code[:-2],
        "nothing left": lambda code: "0x",
    }.items():
        claim(
            Withheld(f"{_side}-bytecode-mismatch"),
            f"{_side} code on the chain changed: {_kind}",
            changed(_side, "onchainBytecode", _change),
        )

claim(
    Withheld("runtime-bytecode-mismatch"),
    "runtime code on the chain goes on",
    changed("runtime", "onchainBytecode", lambda code: code + SWEEP),
)
claim(
    Withheld("runtime-bytecode-mismatch"),
    "runtime code that the compiler did not make",
    changed("runtime", "recompiledBytecode", flipped(0)),
)


@false_claim(Withheld("creation-deploys-other-code"))
def both_runtime_codes_are_the_forgers_own(record):
    """`33ff` before the compiled code, so that the innocent hash of the metadata still ends it."""
    code = record["runtimeBytecode"]
    if record["creationMatch"] is None or code["transformations"] or not is_hashed(record):
        return False
    for member in ("onchainBytecode", "recompiledBytecode"):
        code[member] = "0x" + SWEEP + code[member][2:]
    for piece in code["cborAuxdata"].values():
        piece["offset"] += len(SWEEP) // 2
    return True


@false_claim(Unpinned("runtimeBytecode.recompiledBytecode", PinnedBy.CONSISTENT))
def both_codes_of_both_sides_are_the_forgers_own(record):
    """Only a compiler or the chain can tell: the contract pays the caller, and the record agrees with itself."""
    sides = [record["creationBytecode"], record["runtimeBytecode"]]
    if not of_solidity(record) or record["match"] is None or any(side["transformations"] for side in sides):
        return False
    if not all(side["onchainBytecode"] for side in sides):
        return False
    known = record["runtimeBytecode"]["onchainBytecode"][2:]
    own = known.replace("6080604052", "33ff604052", 1)
    for side in sides:
        for member in ("onchainBytecode", "recompiledBytecode"):
            side[member] = side[member].replace(known, own)
    return own != known


@false_claim(Withheld("overall-match-mismatch"))
def an_exact_match_of_no_side(record):
    record["match"] = "exact_match"
    return "exact_match" not in (record["creationMatch"], record["runtimeMatch"])


@false_claim(Withheld("overstated-match-level"))
def an_exact_match_of_another_auxdata(record):
    steps = record["runtimeBytecode"]["transformations"] or []
    record["runtimeMatch"] = record["match"] = "exact_match"
    return any(step["reason"] == "cborAuxdata" for step in steps)


@false_claim(Withheld("runtime-metadata-hash-mismatch"))
def an_exact_match_without_a_hash(record):
    record["runtimeMatch"] = record["match"] = "exact_match"
    return has_no_hash(record)


@false_claim(Withheld("overall-match-mismatch"))
def a_record_that_verifies_nothing(record):
    for side in ("creation", "runtime"):
        record[f"{side}Match"] = None
        side_of(record, side).update(transformations=None, transformationValues=None)
    record["match"] = None
    return True


# -- transformations


def values_of(record: Record, group: str, side: str = "runtime") -> Record:
    return (side_of(record, side)["transformationValues"] or {}).get(group) or {}


def other_value(group: str, value: str) -> Lie:
    def apply(record: Record) -> bool:
        values = values_of(record, group)
        for name in list(values)[:1]:
            values[name] = value
        return bool(values)

    return apply


claim(
    Withheld("runtime-bytecode-mismatch"),
    "another value of an immutable",
    other_value("immutables", "0x" + "77" * 32),
)
claim(Withheld("runtime-bytecode-mismatch"), "another library", other_value("libraries", SOMEONE))


def other_value_on_the_chain_too(group: str, value: str) -> Lie:
    def apply(record: Record) -> bool:
        values, code = values_of(record, group), record["runtimeBytecode"]
        is_in_both = record["creationMatch"] == "exact_match" and group == "libraries"
        if not values or is_in_both or not of_solidity(record):
            return False
        name = next(iter(values))
        for step in code["transformations"]:
            if step.get("id") == name:
                at, size = 2 + 2 * step["offset"], len(value) - 2
                code["onchainBytecode"] = (
                    code["onchainBytecode"][:at] + value[2:] + code["onchainBytecode"][at + size :]
                )
        values[name] = value
        return True

    return apply


claim(
    Unpinned("runtimeBytecode.onchainBytecode"),
    "another immutable in the value and on the chain",
    other_value_on_the_chain_too("immutables", "0x" + "77" * 32),
)
claim(
    Unpinned("runtimeBytecode.onchainBytecode"),
    "another library in the value and on the chain",
    other_value_on_the_chain_too("libraries", SOMEONE),
)


@false_claim(Withheld("creation-bytecode-mismatch"))
def other_constructor_arguments(record):
    values = record["creationBytecode"]["transformationValues"] or {}
    if "constructorArguments" not in values:
        return False
    values["constructorArguments"] = values["constructorArguments"][:-2] + "77"
    return True


@false_claim(Withheld("invalid-constructor-arguments"))
def constructor_arguments_that_are_no_values(record):
    """The flag is neither 0 nor 1, on the chain too."""
    code = record["creationBytecode"]
    values = code["transformationValues"] or {}
    if record["compilation"]["name"] != "Made" or "constructorArguments" not in values:
        return False
    for holder, member in ((values, "constructorArguments"), (code, "onchainBytecode")):
        holder[member] = holder[member][:-2] + "77"
    return True


def steps_changed(side: str, change: Callable[[list[Record]], object]) -> Lie:
    def apply(record: Record) -> bool:
        steps = side_of(record, side)["transformations"]
        if not steps:
            return False
        change(steps)
        return True

    return apply


def _moved(steps: list[Record]) -> None:
    steps[0]["offset"] += 1


def _of_another_reason(steps: list[Record]) -> None:
    steps[0]["reason"] = "library" if steps[0]["reason"] != "library" else "immutable"


for _kind, _steps in {
    "moved by a byte": _moved,
    "of another reason": _of_another_reason,
    "behind the code": lambda steps: steps[0].update(offset=1_000_000),
    "left out": lambda steps: steps.pop(0),
    "of an unknown type": lambda steps: steps[0].update(type="audit"),
}.items():
    for _side in ("creation", "runtime"):
        _check = "inconsistent-transformations" if "unknown" in _kind else f"{_side}-transformations-mismatch"
        _check = f"{_side}-bytecode-mismatch" if _kind == "behind the code" else _check
        claim(Withheld(_check), f"a {_side} transformation {_kind}", steps_changed(_side, _steps))


# -- sources and metadata


@false_claim(Withheld("metadata-sources-mismatch"))
def another_source_under_the_hash(record):
    record["sources"][target(record)[0]]["content"] += FAKE
    return is_hashed(record)


@false_claim(Withheld("metadata-sources-mismatch"))
def a_line_end_of_another_system(record):
    source = record["sources"][target(record)[0]]
    source["content"] = source["content"].replace("\n", "\r\n")
    return is_hashed(record)


@false_claim(Withheld("runtime-metadata-hash-mismatch"))
def another_source_and_its_hash_in_the_metadata(record):
    change_sources(record)
    return is_hashed(record) and record["runtimeMatch"] == "exact_match"


@false_claim(Withheld("missing-metadata"))
def another_source_where_no_hash_is(record):
    change_sources(record)
    record["metadata"] = None
    return has_no_hash(record)


@false_claim(Unpinned("sources/audit.sol"))
def a_source_more_than_was_compiled(record):
    record["sources"]["audit.sol"] = {"content": "// audited\n"}
    return is_hashed(record)


@false_claim(Withheld("fully-qualified-name-mismatch"))
def a_contract_of_another_file(record):
    path, name = target(record)
    record["compilation"]["fullyQualifiedName"] = f"other/{path}:{name}"
    return True


@false_claim(Withheld("undeclared-contract"))
def a_contract_that_no_source_declares(record):
    path, _ = target(record)
    record["compilation"] |= {"name": "USDC", "fullyQualifiedName": f"{path}:USDC"}
    return of_solidity(record)


@false_claim(Withheld("missing-metadata"))
def the_name_of_another_contract_in_the_source_where_no_hash_is(record):
    path, _ = target(record)
    record["sources"][path]["content"] += "contract USDC {}\n"
    record["compilation"] |= {"name": "USDC", "fullyQualifiedName": f"{path}:USDC"}
    record["metadata"] = None
    return has_no_hash(record)


@false_claim(Withheld("undeclared-contract"))
def a_library_that_is_declared_as_a_contract(record):
    path, name = target(record)
    if not (record["runtimeBytecode"]["recompiledBytecode"] or "").startswith("0x73" + "00" * 20):
        return False
    source = record["sources"][path]
    source["content"] = source["content"].replace(f"library {name}", f"contract {name}")
    return True


@false_claim(Withheld("undeclared-immutable"))
def no_library_in_the_sources(record):
    for source in record["sources"].values():
        source["content"] = source["content"].replace("library ", "contract ")
    return bool(values_of(record, "libraries"))


@false_claim(Withheld("metadata-interface-mismatch"))
def documentation_that_praises(record):
    record["userdoc"] = {"kind": "user", "methods": {}, "version": 1, "notice": "Audited by everyone"}
    return is_hashed(record)


for _member in ("userdoc", "devdoc"):

    def _praise(record: Record, member: str = _member) -> bool:
        record[member] = {"title": "Audited", "notice": "Audited by everyone", "methods": {}, "version": 1}
        record["metadata"] = None
        return has_no_hash(record)

    claim(Withheld("missing-metadata"), f"{_member} that praises where no hash is", _praise)


@false_claim(Withheld("metadata-interface-mismatch"))
def an_interface_without_a_function(record):
    functions = [one for one in record["abi"] or [] if one["type"] == "function"]
    record["abi"] = [one for one in record["abi"] or [] if one not in functions[:1]]
    return is_hashed(record) and bool(functions)


@false_claim(Withheld("missing-metadata"))
def an_interface_without_its_functions_where_no_hash_is(record):
    record["abi"] = [one for one in record["abi"] or [] if one["type"] != "function"]
    record["metadata"] = None
    return has_no_hash(record)


@false_claim(Withheld("missing-selector"))
def a_function_that_the_code_has_not(record):
    item("function", name="rescueFunds", outputs=[], stateMutability="view")(record)
    return has_no_hash(record)


# -- what only the compiler knows


for _member, _value in {
    "sourceMap": "0:1:0:-:0;;",
    "sourceMap of another file": "0:1:9:-:0;;",
}.items():

    def _mapped(record: Record, value: str = _value) -> bool:
        record["runtimeBytecode"]["sourceMap"] = value
        return True

    claim(Unpinned("runtimeBytecode.sourceMap"), f"another {_member}", _mapped)


@false_claim(Unpinned("sourceIds"))
def other_ids_of_sources(record):
    for entry in (record["sourceIds"] or {}).values():
        entry["id"] += 1
    return bool(record["sourceIds"])


@false_claim(Unpinned("storageLayout"))
def a_layout_of_no_variables(record):
    record["storageLayout"] = {"storage": [], "types": {}}
    return of_solidity(record)


@false_claim(Unpinned("storageLayout"))
def a_layout_of_words_in_the_sources(record):
    path, name = target(record)
    record["storageLayout"] = {
        "storage": [
            {
                "astId": 1,
                "contract": f"{path}:{name}",
                "label": "pragma",
                "offset": 0,
                "slot": "0",
                "type": "t_address",
            }
        ],
        "types": {"t_address": {"encoding": "inplace", "label": "address", "numberOfBytes": "20"}},
    }
    return "pragma" in record["sources"][path]["content"] and of_solidity(record)


def laid_out(**changes: str | int) -> Lie:
    def apply(record: Record) -> bool:
        a_layout_of_words_in_the_sources(record)
        record["storageLayout"]["storage"][0] |= changes
        return "pragma" in record["sources"][target(record)[0]]["content"] and of_solidity(record)

    return apply


for _kind, _forge in {
    "a variable in another slot": laid_out(slot="7"),
    "a variable that no source has": laid_out(label="ownerIsMultisig"),
    "a variable of no type": laid_out(type="t_safe"),
    "a variable of no contract": laid_out(contract="audit.sol:Audit"),
    "a variable beyond its slot": laid_out(offset=30),
}.items():
    claim(Withheld("invalid-storage-layout"), _kind, _forge)


def proxied(check: str, **resolution: Any) -> None:
    def apply(record: Record) -> bool:
        record["proxyResolution"] = {
            "isProxy": True,
            "proxyType": "EIP1967Proxy",
            "implementations": [],
        } | resolution
        codes = [str(record[f"{side}Bytecode"]["onchainBytecode"]) for side in ("creation", "runtime")]
        # code that delegates may be of a type that is not known here
        return "f4" not in codes[1] and not any(slot in codes[0] for slot in ("360894", "a3f0ad"))

    claim(Withheld(check), f"a proxy: {', '.join(map(str, resolution.values())) or 'of nothing'}"[:80], apply)


proxied(
    "contradicted-proxy-resolution",
    implementations=[{"address": SOMEONE, "name": "Safe 1.4.1 (audited)"}],
)
proxied("contradicted-proxy-resolution", proxyType="EIP1167Proxy", implementations=[{"address": SOMEONE}])
proxied("contradicted-proxy-resolution", proxyType="AuditedProxy", implementations=[{"address": SOMEONE}])
proxied("incomplete-proxy-resolution")
proxied("incomplete-proxy-resolution", implementations=[{"address": "0x" + "ab" * 20}])
proxied("incomplete-proxy-resolution", isProxy=False, implementations=[{"address": SOMEONE}])


# -- members that the record repeats, changed in one place: without `repeat`


def alone(check: str, name: str, change: Callable[[Record], object]) -> None:
    def apply(record: Record) -> bool:
        change(record)
        return True

    FALSE_CLAIMS.append(FalseClaim(name, Withheld(check), apply))


def output_of(record: Record) -> Record:
    path, name = target(record)
    contract: Record = record["stdJsonOutput"]["contracts"][path][name]
    return contract


def _entry(text: str) -> dict[str, str]:
    digest = "0x" + keccak_256(text.encode()).hexdigest()
    return {"signature": text, "signatureHash4": digest[:10], "signatureHash32": digest}


INPUT, OUTPUT = "std-json-input-mismatch", "std-json-output-mismatch"
alone(INPUT, "other settings in the input", lambda record: record["stdJsonInput"].update(settings={}))
alone(INPUT, "another language in the input", lambda record: record["stdJsonInput"].update(language="Audit"))
alone(INPUT, "other sources in the input", lambda record: record["stdJsonInput"].update(sources={}))
alone(
    OUTPUT,
    "another interface in the output",
    lambda record: output_of(record).update(abi=[{"type": "fallback"}]),
)
alone(OUTPUT, "an audit in the output", lambda record: output_of(record).update(audit="passed"))
alone(
    OUTPUT,
    "other code in the output",
    lambda record: output_of(record)["evm"]["bytecode"].update(object=SWEEP),
)
alone(
    OUTPUT,
    "another contract in the output",
    lambda record: record["stdJsonOutput"]["contracts"].update({"audit.sol": {"Audit": {}}}),
)
alone(
    "abi-signatures-mismatch",
    "a signature that the interface has not",
    lambda record: record["signatures"]["function"].append(_entry("rescueFunds()")),
)
alone(
    "abi-signatures-mismatch",
    "a signature under another hash",
    lambda record: record["signatures"]["event"].append(_entry("Paid()") | {"signature": "Safe()"}),
)
