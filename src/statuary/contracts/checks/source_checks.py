"""Checks of sources, interface and layouts that need no hash."""

import re
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from functools import cached_property
from operator import is_
from typing import Final

from statuary.base.budget import consume_search_steps, consume_steps
from statuary.base.findings import Pointer, Severity
from statuary.base.json_values import Json, as_object, as_text
from statuary.base.limits import TEXT_OF_A_STEP
from statuary.base.primitives import InvalidValueError, decode_hex_digits, shorten
from statuary.base.rules import check
from statuary.contracts.checks.check import (
    Evidence,
    NotApplicable,
    NotKnown,
    Observation,
    Violation,
    reads_only_compilation,
)
from statuary.contracts.checks.record_view import RecordView, SideView, decode_lowercase_hex, is_same_json
from statuary.contracts.checks.transformation_checks import is_library
from statuary.contracts.model.abi import (
    SIGNATURE_KINDS,
    abi_signatures,
    decode_abi_values,
    signature_with_hashes,
)
from statuary.contracts.model.open_lists import COMPILERS
from statuary.contracts.model.solidity_source import (
    count_immutables,
    find_declaration,
    find_word_offsets,
    yul_object_name,
)
from statuary.contracts.model.storage_layout import (
    LayoutFault,
    find_vyper_layout_faults,
    parse_solidity_layout,
)

_PLAIN_MEMBERS = ("abi", "userdoc", "devdoc", "storageLayout", "transientStorageLayout")

_CODE_MEMBERS = ("sourceMap", "linkReferences", "immutableReferences")

_OUTPUT_MEMBERS = {*_PLAIN_MEMBERS, "metadata", "evm"}

_OVERRIDES = "storage_layout_overrides"

_LAYOUTS: Final = ("storageLayout", "transientStorageLayout")

_SELECTOR_DIGITS: Final = 8

_WORD: Final = re.compile(r"[\w$]+")

_CHARACTERS_OF_A_WORD: Final = 4

_STEPS_OF_SEARCHES: Final = 50_000


@check
@reads_only_compilation
def fully_qualified_name_mismatch(record: RecordView) -> Iterator[Observation]:
    """The `fullyQualifiedName` must be the path of a source, a colon, and the contract's name."""
    path, name = record.qualified_name
    yield Evidence({"path": path, "name": name})
    if name != record.compilation.get("name"):
        yield Violation(
            f"name is {record.compilation.get('name')!r}, but the fully qualified name ends in {name!r}",
            ("compilation", "name"),
        )
    if path not in record.sources:
        yield Violation(f"{path!r} is not among the sources", ("compilation", "fullyQualifiedName"))


@check
@reads_only_compilation
def undeclared_contract(record: RecordView) -> Iterator[Observation]:
    """The source in `fullyQualifiedName` must declare the contract (a library if the code is a library's)."""
    path, name = record.qualified_name
    text = record.sources.get(path)
    if text is None:
        yield Violation(f"{path!r} is not among the sources", ("compilation", "fullyQualifiedName"))
        return
    if record.language not in COMPILERS:
        yield NotKnown("language", record.language, ("compilation", "language"))
        return
    if record.language == "Vyper":
        stem = path.rpartition("/")[2].removesuffix(".vy")
        yield Evidence({"module": stem[:80]})
        if stem != name:
            yield Violation(f"{path!r} is not a module {name!r}", ("compilation", "name"))
        return
    keyword = _declaring_keyword(record, text, name)
    yield Evidence({"declaredAs": keyword})
    if not keyword:
        yield Violation(f"{path!r} does not declare {name!r}", ("compilation", "name"))
    elif record.language == "Solidity" and is_library(record) and keyword != "library":
        yield Violation(
            f"the bytecode is a library's, but {name!r} is not declared as one", ("compilation", "name")
        )


def _declaring_keyword(record: RecordView, source_text: str, contract_name: str) -> str:
    if record.language == "Yul":
        return "object" if yul_object_name(source_text) == contract_name else ""
    declared = find_declaration(source_text, contract_name, record.version)
    return "" if declared is None else declared.keyword


@check
@reads_only_compilation
def undeclared_immutable(record: RecordView) -> Iterator[Observation]:
    """The sources must declare each linked library, and at least as many immutables as the bytecode uses.

    An immutable is a variable whose value the constructor writes into the code.
    """
    if record.language not in COMPILERS:
        return
    for name in sorted(_linked_library_names(record)):
        yield Evidence({"library": name[:80]})
        if not any(_declares_library(record, text, name) for text in record.sources.values()):
            yield Violation(
                f"no source declares the library {name[:80]!r}", ("runtimeBytecode", "linkReferences")
            )
    immutables = as_object(record.runtime.value.get("immutableReferences"))
    if not immutables or record.language != "Solidity":
        return
    declared = sum(count_immutables(text, record.version) for text in record.sources.values())
    yield Evidence({"immutables": len(immutables)})
    if declared < len(immutables):
        yield Violation(
            f"there are {len(immutables)} immutables, but the sources declare at most {declared}",
            ("runtimeBytecode", "immutableReferences"),
        )


def _linked_library_names(record: RecordView) -> set[str]:
    references_of_sides = [side.library_references for side in record.sides]
    places = [
        place
        for references in references_of_sides
        if not isinstance(references, InvalidValueError)
        for place in references
    ]
    return {place.id.rpartition(":")[2] for place in places}


def _declares_library(record: RecordView, source_text: str, library_name: str) -> bool:
    # Yul links libraries without declaring them.
    if record.language == "Yul":
        return "linkersymbol" in source_text and library_name in source_text
    declared = (
        find_declaration(source_text, library_name, record.version) if record.language == "Solidity" else None
    )
    return declared is not None and declared.keyword == "library"


@check
@reads_only_compilation
def std_json_input_mismatch(record: RecordView) -> Iterator[Observation]:
    """The `stdJsonInput` must contain the record's language, sources, settings and layout overrides.

    It is the compiler's input in solc's standard JSON format.
    """
    std_json_input = as_object(record.value.get("stdJsonInput"))
    extra = as_object(record.value.get("additionalInput"))
    # Python's `==` takes 1 and True for equal, but sources contain only strings. A plain comparison is enough
    # here, and fast, because both are usually the same object.
    if std_json_input.get("sources") != record.value.get("sources"):
        yield _difference_violation(("stdJsonInput", "sources"), ("sources",))
    pairs: dict[str, tuple[Json, Pointer]] = {
        "language": (record.compilation.get("language"), ("compilation", "language")),
        "settings": (record.compilation.get("compilerSettings"), ("compilation", "compilerSettings")),
        _OVERRIDES: (extra.get(_OVERRIDES), ("additionalInput", _OVERRIDES)),
    }
    for member, (repeated, pointer) in pairs.items():
        if not is_same_json(std_json_input.get(member), repeated):
            yield _difference_violation(("stdJsonInput", member), pointer)
    for member in sorted(extra.keys() - ({_OVERRIDES} if record.language == "Vyper" else set())):
        yield Violation(
            f"compilers of {record.language} do not accept the input member {member[:80]!r}",
            ("additionalInput", member),
        )
    yield Evidence({"sources": len(record.sources), "members": len(pairs) + 1})


@check
@reads_only_compilation
def std_json_output_mismatch(record: RecordView) -> Iterator[Observation]:
    """The `stdJsonOutput` must contain the record's artifacts, bytecode and source maps, and no more.

    It is the compiler's output in solc's standard JSON format.
    """
    where: Pointer = ("stdJsonOutput", "contracts", *record.qualified_name)
    output = as_object(record.value.get("stdJsonOutput"))
    if not is_same_json(output.get("sources"), record.value.get("sourceIds")):
        yield _difference_violation(("stdJsonOutput", "sources"), ("sourceIds",))
    if record.compiler_output_of_contract is None:
        yield Violation("stdJsonOutput has no contract of the record's fully qualified name", where[:2])
        return
    contracts = as_object(output.get("contracts"))
    if sum(len(as_object(artifact)) for artifact in contracts.values()) != 1 or len(contracts) != 1:
        yield Violation("stdJsonOutput has other contracts too", where[:2])
    for member in sorted(record.compiler_output_of_contract.keys() - _OUTPUT_MEMBERS):
        yield Violation(f"stdJsonOutput has an unknown member {member[:80]!r}", (*where, member))
    artifact = record.compiler_output_of_contract
    yield from _compare_members(_PLAIN_MEMBERS, artifact, where, record.value, ())
    if not _has_same_metadata(record):
        yield _difference_violation((*where, "metadata"), ("metadata",))
    evm = as_object(artifact.get("evm"))
    for side, member in ((record.creation, "bytecode"), (record.runtime, "deployedBytecode")):
        yield from _compare_evm_output(side, as_object(evm.get(member)), (*where, "evm", member))
    yield Evidence({"members": len(_PLAIN_MEMBERS) + 2, "bytecodes": 2})


def _difference_violation(pointer: Pointer, other_pointer: Pointer) -> Violation:
    return Violation(
        f"{'.'.join(map(str, pointer))} is not the same as {'.'.join(map(str, other_pointer))}",
        pointer,
        "write both from one run of the compiler",
    )


def _compare_evm_output(
    side: SideView, evm_output: Mapping[str, Json], pointer: Pointer
) -> Iterator[Violation]:
    recompiled = side.value.get("recompiledBytecode")
    digits = recompiled[2:] if isinstance(recompiled, str) else ""
    if (evm_output.get("object") or "") != digits:
        yield _difference_violation((*pointer, "object"), (side.member, "recompiledBytecode"))
    yield from _compare_members(_CODE_MEMBERS, evm_output, pointer, side.value, (side.member,))


def _compare_members(
    members: Sequence[str],
    compiler_output: Mapping[str, Json],
    output_pointer: Pointer,
    record_members: Mapping[str, Json],
    record_pointer: Pointer,
) -> Iterator[Violation]:
    if all(map(is_, map(compiler_output.get, members), map(record_members.get, members))):
        return  # nearly always the same object, since the parser reuses repeated members
    for member in members:
        if not is_same_json(compiler_output.get(member), record_members.get(member)):
            yield _difference_violation((*output_pointer, member), (*record_pointer, member))


def _has_same_metadata(record: RecordView) -> bool:
    text = as_object(record.compiler_output_of_contract).get("metadata")
    if text is None or record.value.get("metadata") is None:
        return text is None and record.value.get("metadata") is None
    return record.metadata_hashes.compiler_metadata_text is not None


@check
@reads_only_compilation
def abi_signatures_mismatch(record: RecordView) -> Iterator[Observation]:
    """The `signatures` must be those of the ABI's functions, events and errors, with their hashes.

    For example, `transfer(address,uint256)` has the hash 0xa9059cbb….
    """
    expected = abi_signatures(record.value.get("abi"))
    claimed = as_object(record.value.get("signatures"))
    yield Evidence({kind: len(expected[kind]) for kind in SIGNATURE_KINDS})
    if claimed == expected:
        return  # the signatures are equal, even in their order
    for kind in SIGNATURE_KINDS:
        recorded = claimed.get(kind)
        entries = [as_object(entry) for entry in recorded] if isinstance(recorded, list) else []
        yield from _wrong_signatures(kind, {entry["signature"] for entry in expected[kind]}, entries)


def _wrong_signatures(
    kind: str, expected_signatures: set[str], recorded_entries: Sequence[Mapping[str, Json]]
) -> Iterator[Violation]:
    texts = Counter(str(entry.get("signature")) for entry in recorded_entries)
    for text in sorted(expected_signatures - set(texts)):
        yield Violation(f"the {kind} {text} of the ABI has no signature", ("signatures", kind))
    for place, entry in enumerate(recorded_entries):
        text = str(entry.get("signature"))
        if text not in expected_signatures:
            fault = f"the {kind} {shorten(text)} is not in the ABI"
        elif texts[text] > 1:
            fault = f"the {kind} {shorten(text)} is repeated"
        elif dict(entry) != signature_with_hashes(text):
            fault = f"the hashes of {shorten(text)} are wrong"
        else:
            continue
        yield Violation(fault, ("signatures", kind, place))


@check
@reads_only_compilation
def missing_selector(record: RecordView) -> Iterator[Observation]:
    """The runtime bytecode must contain the selector of every function in the ABI.

    A selector is the 4-byte hash that names a function in a call. This applies to languages whose code has selectors.
    Solidity's code pushes a selector or compares it with zero. Vyper's code may have it in a table.
    """
    code = record.runtime.recompiled_code
    functions = as_object(record.value.get("signatures")).get("function")
    has_selectors = _HAS_SELECTOR.get(record.language)
    if has_selectors is None or not code or is_library(record) or not isinstance(functions, list):
        yield NotApplicable("the contract is a library, or its language has no selectors")
        return
    if functions:
        yield Evidence({"functions": len(functions)})
    for place, entry in enumerate(functions):
        selector = as_text(as_object(entry).get("signatureHash4"))[2:]
        if len(selector) != _SELECTOR_DIGITS:
            continue  # the check of the signatures reports the entry
        consume_search_steps(len(code))
        if not has_selectors(selector, code):
            yield Violation(
                f"the selector 0x{selector[:8]} of {as_text(entry.get('signature'))[:80]} is not in the bytecode",
                ("signatures", "function", place),
            )


def _compares_selector(selector: str, code: bytes) -> bool:
    significant = (decode_hex_digits(selector) or b"").lstrip(b"\0")
    if not significant:
        return _COMPARES_WITH_ZERO.search(code) is not None
    push = bytes((_PUSH0 + len(significant),))
    return push + significant in code


def _contains_selector(selector: str, code: bytes) -> bool:
    return (decode_hex_digits(selector) or b"").lstrip(b"\0") in code


_HAS_SELECTOR: Final = {"Solidity": _compares_selector, "Vyper": _contains_selector, "Fe": _contains_selector}
"""Whether code has a selector, by language; Yul and handwritten code have no rule for it."""


_PUSH0: Final = 0x5F

_JUMP_IF: Final = rb"(?:\x60.|\x61..)\x57"
"""PUSH1 or PUSH2, and JUMPI."""

_COMPARES_WITH_ZERO: Final = re.compile(
    # First, the opcode before the comparison: SHR or AND, which extract the selector, or JUMPDEST or JUMPI.
    rb"[\x1c\x16\x5b\x57]\x80(?:\x15|(?:\x60\x00|\x5f)\x14)"
    + _JUMP_IF  # DUP1, ISZERO or a zero and EQ
    + rb"|\x80(?:\x60\x00|\x5f)\x81\x14"
    + _JUMP_IF  # DUP1, a zero, DUP2 EQ
    + rb"|[\x1c\x16]\x90\x81(?:\x15|(?:\x60\x00|\x5f)\x14)"
    + _JUMP_IF  # behind SHR or AND: SWAP1, DUP2 and the comparison
    + rb"|[\x1c\x16](?:\x15)?"
    + _JUMP_IF,  # nothing else is compared with the selector, which is not kept
    re.DOTALL,
)
"""The ways in which solc's code compares a selector with 0x00000000, which it does not push."""


@check
def invalid_constructor_arguments(record: RecordView) -> Iterator[Observation]:
    """Constructor arguments must be the canonical ABI encoding of values of the constructor's types."""
    arguments = decode_lowercase_hex(record.creation.transformation_values.get("constructorArguments"))
    if arguments is None:
        return
    pointer = ("creationBytecode", "transformationValues", "constructorArguments")
    if record.constructor_parameter_types is None:
        yield Violation("the constructor's inputs are of types that cannot be read", pointer)
        return
    yield Evidence({"arguments": len(record.constructor_parameter_types.items), "bytes": len(arguments)})
    try:
        decode_abi_values(record.constructor_parameter_types, arguments)
    except InvalidValueError as error:
        yield Violation(
            f"the arguments are not values for {record.constructor_parameter_types.canonical_name}: {error}",
            pointer,
        )


@check
@reads_only_compilation
def invalid_storage_layout(record: RecordView) -> Iterator[Observation]:
    """A storage layout must define its types, and place each variable where the compiler would.

    The layout gives the slot of each variable of the contract.
    """
    for member in _LAYOUTS:
        layout = record.value.get(member)
        if not isinstance(layout, dict):
            continue
        yield Evidence({member: len(as_object(layout.get("types", layout)))})
        for fault in _layout_faults(record, layout):
            severity = None if fault.is_known else Severity.NOTE
            yield Violation(fault.message, (member, *fault.pointer), severity=severity)


def _layout_faults(record: RecordView, layout: Mapping[str, Json]) -> Iterator[LayoutFault]:
    if record.language == "Vyper":
        yield from find_vyper_layout_faults(layout)
        return
    if record.language != "Solidity":
        yield LayoutFault(f"{record.language} has no storage layout", is_known=record.is_known)
        return
    parsed_layout = parse_solidity_layout(layout)
    if isinstance(parsed_layout, LayoutFault):
        yield parsed_layout
        return
    target, name = record.qualified_name
    may_choose = record.evidence.starts_anywhere
    contract = find_declaration(record.sources.get(target, ""), name, record.version) if may_choose else None
    starts_anywhere = contract is not None and contract.has_custom_layout
    faults = list(parsed_layout.find_faults(may_start_anywhere=starts_anywhere))
    yield from faults
    if faults:
        return
    words = _SourceWords(record.sources)
    for number, variable in enumerate(map(as_object, parsed_layout.variables)):
        path = str(variable.get("contract")).rpartition(":")[0]
        label = as_text(variable.get("label"))
        if path not in record.sources:
            yield LayoutFault("a variable belongs to no source", ("storage", number, "contract"))
        # Search all sources, because an inherited variable may be declared in another file than the contract.
        elif not words.contains_word(label, path):
            yield LayoutFault(f"no source has a variable {label[:80]!r}", ("storage", number, "label"))


class _SourceWords:
    """Searches sources for words, with an index after many searches."""

    def __init__(self, sources: Mapping[str, str]) -> None:
        self._sources = sources
        self._searched = 0

    def contains_word(self, word: str, likely_path: str) -> bool:
        if self._searched > _STEPS_OF_SEARCHES:
            return word in self._all_words
        return any(self._contains(self._sources[source], word) for source in (likely_path, *self._sources))

    def _contains(self, text: str, word: str) -> bool:
        place = next(find_word_offsets(text, word), None)
        self._searched += 1 + (len(text) if place is None else place) // TEXT_OF_A_STEP
        return place is not None

    @cached_property
    def _all_words(self) -> set[str]:
        for text in self._sources.values():
            consume_steps(len(text) // _CHARACTERS_OF_A_WORD)
        return {word for text in self._sources.values() for word in _WORD.findall(text)}
