"""Checks of sources, compiler and layouts that do not depend on a hash."""

import re
from collections.abc import Iterator, Mapping
from typing import Final

from statuary.checks.contracts.check import Evidence, NotApplicable, Observation, Violation
from statuary.checks.contracts.record_view import RecordView, as_object, as_text
from statuary.checks.contracts.transformation_checks import is_library
from statuary.domain.contracts.compiler import CompilerVersion, parse_compiler_version
from statuary.domain.contracts.storage_layout import LayoutFault, solidity_layout, vyper_layout_faults
from statuary.domain.json_values import UntypedJson as Json
from statuary.domain.primitives import InvalidValueError

COMPILERS: Final = {"Solidity": "solc", "Yul": "solc", "Vyper": "vyper", "Fe": "fe"}
"""The languages whose records can be checked, each with its compiler."""

_VERSIONS: Final = {
    "solc": re.compile(r"\d+\.\d+\.\d+(-nightly\.\d{4}\.\d{1,2}\.\d{1,2})?\+commit\.[0-9a-f]{7,8}(\.mod)?"),
    "vyper": re.compile(r"\d+\.\d+\.\d+((b|rc|a)\d+)?(\+commit\.[0-9a-f]{7,8})?"),
    "fe": re.compile(r"v?\d+\.\d+\.\d+(-(alpha|beta|rc)(\.\d+)?)?(\+commit\.[0-9a-f]{7,8})?"),
}
_LAYOUTS: Final = ("storageLayout", "transientStorageLayout")
_STARTS_ANYWHERE: Final = CompilerVersion(0, 8, 29)
_LAYOUT_AT: Final = re.compile(r"\blayout\s+at\b")
_KEYWORDS: Final = ("contract", "library", "interface", "object")
_KEYWORD: Final = re.compile(rf"(?<![\w$])({'|'.join(_KEYWORDS)})\s+\"?$")
_KEYWORD_CHARACTERS: Final = 200


def language_and_compiler_are_known(record: RecordView) -> Iterator[Observation]:
    """Language and compiler are a known pair, and the version has that compiler's format."""
    compiler = as_text(record.compilation.get("compiler"))
    yield Evidence({"language": record.language, "compiler": compiler, "version": record.version[:80]})
    known = COMPILERS.get(record.language)
    if known is None or compiler != known:
        yield Violation(
            f"there are no rules for {record.language!r} compiled by {compiler!r}",
            ("compilation", "compiler"),
            f"known pairs: {', '.join(f'{language}/{name}' for language, name in COMPILERS.items())}",
        )
    elif not _VERSIONS[known].fullmatch(record.version):
        yield Violation(
            f"{record.version[:80]!r} is not a version of {known}", ("compilation", "compilerVersion")
        )


def contract_is_declared_in_its_source(record: RecordView) -> Iterator[Observation]:
    """The source in fullyQualifiedName declares the contract: a library if the bytecode is a library's."""
    path, name = record.path_and_name
    text = record.sources.get(path)
    if text is None:
        yield Violation(f"{path!r} is not among the sources", ("compilation", "fullyQualifiedName"))
        return
    if record.language == "Vyper":
        stem = path.rpartition("/")[2].removesuffix(".vy")
        yield Evidence({"module": stem[:80]})
        if stem != name:
            yield Violation(f"{path!r} is not a module {name!r}", ("compilation", "name"))
        return
    kinds = _declared_as(text, name)
    yield Evidence({"declaredAs": ", ".join(sorted(kinds))})
    if not kinds:
        yield Violation(f"{path!r} declares no {name!r}", ("compilation", "name"))
    elif record.language == "Solidity" and is_library(record) and "library" not in kinds:
        yield Violation(
            f"the bytecode is a library's, but {name!r} is not declared as one", ("compilation", "name")
        )


def open_places_are_named_in_the_sources(record: RecordView) -> Iterator[Observation]:
    """Linked libraries are declared in the sources, and so are at least as many immutables as used."""
    for name in sorted(_library_names(record)):
        yield Evidence({"library": name[:80]})
        if not any(_declares_library(record.language, text, name) for text in record.sources.values()):
            yield Violation(
                f"no source declares the library {name[:80]!r}", ("runtimeBytecode", "linkReferences")
            )
    immutables = as_object(record.runtime.value.get("immutableReferences"))
    if not immutables or record.language != "Solidity":
        return
    declared = sum(text.count("immutable") for text in record.sources.values())
    yield Evidence({"immutables": len(immutables)})
    if declared < len(immutables):
        yield Violation(
            f"there are {len(immutables)} immutables, but the sources declare at most {declared}",
            ("runtimeBytecode", "immutableReferences"),
        )


def _library_names(record: RecordView) -> set[str]:
    """Return the names of the linked libraries."""
    listed = [side.parsed_libraries for side in record.sides]
    places = [place for found in listed if not isinstance(found, InvalidValueError) for place in found]
    return {place.id.rpartition(":")[2] for place in places}


def _declares_library(language: str, text: str, name: str) -> bool:
    """Return whether a source declares a library, or in Yul names the symbol to link."""
    if language == "Yul":
        return "linkersymbol" in text and name in text
    return language == "Solidity" and "library" in _declared_as(text, name)


def storage_layout_is_one(record: RecordView) -> Iterator[Observation]:
    """A storage layout defines its types, and places each variable where the compiler's packing does."""
    for member in _LAYOUTS:
        layout = record.value.get(member)
        if not isinstance(layout, dict):
            continue
        yield Evidence({member: len(as_object(layout.get("types", layout)))})
        for fault in _layout_faults(record, layout):
            yield Violation(fault.message, (member, *fault.pointer))


def _layout_faults(record: RecordView, layout: Mapping[str, Json]) -> Iterator[LayoutFault]:
    if record.language == "Vyper":
        yield from vyper_layout_faults(layout)
        return
    if record.language != "Solidity":
        yield LayoutFault(f"{record.language} has no storage layout")
        return
    read = solidity_layout(layout)
    if isinstance(read, LayoutFault):
        yield read
        return
    is_recent = parse_compiler_version(record.version) >= _STARTS_ANYWHERE
    starts_anywhere = is_recent and _places_its_layout(record.sources.get(record.path_and_name[0], ""))
    faults = list(read.faults(may_start_anywhere=starts_anywhere))
    yield from faults
    if faults:
        return
    for number, variable in enumerate(read.variables):
        path = str(variable.get("contract")).rpartition(":")[0]
        if path not in record.sources:
            yield LayoutFault("a variable belongs to no source", ("storage", number, "contract"))
        # an inherited variable may be declared in another file than the contract's
        elif not any(_has_word(record.sources[one], variable["label"]) for one in (path, *record.sources)):
            label = variable["label"][:80]
            yield LayoutFault(f"no source has a variable {label!r}", ("storage", number, "label"))


def _places_its_layout(text: str) -> bool:
    return "layout" in text and _LAYOUT_AT.search(text) is not None


def selectors_are_in_the_code(record: RecordView) -> Iterator[Observation]:
    """Every function of a Solidity contract's ABI has its selector pushed somewhere in the runtime bytecode."""
    code = record.runtime.recompiled
    functions = as_object(record.value.get("signatures")).get("function")
    if record.language != "Solidity" or not code or is_library(record) or not isinstance(functions, list):
        yield NotApplicable("the contract is a library, or no Solidity contract")
        return
    if functions:
        yield Evidence({"functions": len(functions)})
    for place, entry in enumerate(functions):
        selector = as_text(as_object(entry).get("signatureHash4"))[2:]
        try:
            significant = bytes.fromhex(selector).lstrip(b"\0")
        except ValueError:
            continue  # the check of the signatures reports it
        if bytes((0x5F + len(significant),)) + significant not in code:
            yield Violation(
                f"the selector 0x{selector[:8]} of {as_text(entry.get('signature'))[:80]} is not in the bytecode",
                ("signatures", "function", place),
            )


def _declared_as(text: str, name: str) -> set[str]:
    """Return the keywords under which a source declares a name."""
    kinds = set()
    for place in _words_at(text, name):
        before = text[max(place - _KEYWORD_CHARACTERS, 0) : place]
        # most names are elsewhere; the text before them shows that sooner
        if before.rstrip().removesuffix('"').rstrip().endswith(_KEYWORDS) and (
            found := _KEYWORD.search(before)
        ):
            kinds.add(found[1])
    return kinds


def _words_at(text: str, word: str) -> Iterator[int]:
    """Yield the positions of a word in a text, not of parts of longer words."""
    place = text.find(word) if word else -1
    while place >= 0:
        end = place + len(word)
        if not (_is_letter(text[place - 1 : place]) or _is_letter(text[end : end + 1])):
            yield place
        place = text.find(word, end)


def _has_word(text: str, word: str) -> bool:
    return next(_words_at(text, word), None) is not None


def _is_letter(character: str) -> bool:
    return character.isalnum() or character in ("_", "$")
