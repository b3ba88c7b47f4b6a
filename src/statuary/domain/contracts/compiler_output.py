"""One contract in a compiler's standard JSON output, its bytecode ready to be compared.

Library references are zeroed, as Sourcify stores them. The output has a hash of the library's name
(`__$…$__`, solc from 0.5.0 on) or the name itself (`__Lib.sol:Lib____…`, before).
"""

from collections.abc import Sequence
from typing import NamedTuple

from statuary.domain.contracts.bytecode.code_references import CodeReference, parse_link_references
from statuary.domain.contracts.workspace import STD_JSON_INPUT, STD_JSON_OUTPUT, DerivationError
from statuary.domain.findings import Pointer
from statuary.domain.json_values import Json
from statuary.domain.primitives import InvalidValueError, is_hex_digits, keccak256

BYTECODE_MEMBERS = ("bytecode", "deployedBytecode")

_OLD_NAME_DIGITS = 36


class CompiledCode(NamedTuple):
    """One side of a compiled contract."""

    artifact: dict[str, Json]  # `evm.bytecode` or `evm.deployedBytecode`
    code: bytes  # its bytes, with zeros for libraries
    libraries: tuple[CodeReference, ...]  # their positions


class CompiledContract(NamedTuple):
    """One contract in an output: its part of the JSON, and both sides."""

    artifact: dict[str, Json]
    creation: CompiledCode
    runtime: CompiledCode


def split_name(fully_qualified_name: str) -> tuple[str, str]:
    """Split a fully qualified name at its last colon into path and name.

    Raises:
        DerivationError: if it has no colon.
    """
    path, colon, name = fully_qualified_name.rpartition(":")
    if not colon or not name:
        raise DerivationError(
            f"{fully_qualified_name!r} is not a fully qualified name",
            "write the source's path, a colon and the contract's name",
            ("fully_qualified_name",),
        )
    return path, name


def language_of(std_json_input: Json) -> str:
    """Return `compilation.language` for a standard JSON input: its language, capitalized.

    Raises:
        DerivationError: if the input names no language.
    """
    language = std_json_input.get("language") if isinstance(std_json_input, dict) else None
    if not isinstance(language, str) or not language:
        raise DerivationError(
            "the standard JSON input names no language",
            "use the file that was given to --standard-json",
            (STD_JSON_INPUT, "language"),
        )
    return language.capitalize()


def compiled_contract(std_json_output: Json, path: str, name: str) -> CompiledContract:
    """Return one contract of an output; raise DerivationError if it is not there, or has no bytecode."""
    artifact = std_json_output
    for key in ("contracts", path, name):
        if not isinstance(artifact, dict) or not isinstance(artifact.get(key), dict):
            raise DerivationError(
                f"the compiler's output has no contract {path}:{name}",
                _other_names(std_json_output),
                (STD_JSON_OUTPUT, "contracts"),
            )
        artifact = artifact[key]
    pointer: Pointer = (STD_JSON_OUTPUT, "contracts", path, name, "evm")
    sides = [_compiled_code(artifact.get("evm"), member, pointer) for member in BYTECODE_MEMBERS]
    return CompiledContract(artifact, *sides)


def _other_names(std_json_output: Json) -> str:
    contracts = std_json_output.get("contracts") if isinstance(std_json_output, dict) else None
    if not isinstance(contracts, dict) or not contracts:
        return "the output has no contracts; check it for compiler errors"
    names = [f"{path}:{name}" for path, held in contracts.items() if isinstance(held, dict) for name in held]
    return f"use one of {', '.join(names[:5])}{' …' if len(names) > 5 else ''}"


def _compiled_code(evm: Json, member: str, pointer: Pointer) -> CompiledCode:
    artifact = evm.get(member) if isinstance(evm, dict) else None
    digits = artifact.get("object") if isinstance(artifact, dict) else None
    if not isinstance(artifact, dict) or not isinstance(digits, str) or not digits.removeprefix("0x"):
        raise DerivationError(
            f"the compiler's output has no evm.{member}.object",
            "add it to outputSelection and compile again; interfaces and abstract contracts have none",
            (*pointer, member, "object"),
        )
    try:
        libraries = tuple(parse_link_references(artifact.get("linkReferences")))
        code = unlinked_code(digits.removeprefix("0x"), libraries)
    except InvalidValueError as error:
        raise DerivationError(f"evm.{member}: {error}", error.hint, (*pointer, member)) from None
    return CompiledCode(artifact, code, libraries)


def unlinked_code(digits: str, libraries: Sequence[CodeReference]) -> bytes:
    """Return bytecode with zeros for its libraries.

    Args:
        digits: the compiler's hex text, without `0x`.
        libraries: the references in `linkReferences`.

    Raises:
        InvalidValueError: if a reference has something other than a library's placeholder, or the rest is not
            hex.
    """
    parts, at = [], 0
    for place in sorted(libraries, key=lambda place: place.start):
        start, end = 2 * place.start, 2 * (place.start + place.length)
        if digits[start:end] not in (*library_placeholders(place.id), "0" * (end - start)) or start < at:
            raise InvalidValueError(
                f"byte {place.start} has {digits[start:end]!r}, not the placeholder of {place.id}"
            )
        parts += [digits[at:start], "0" * (end - start)]
        at = end
    whole = "".join([*parts, digits[at:]])
    if not is_hex_digits(whole):
        raise InvalidValueError("the bytecode is not hex, even without its linkReferences")
    return bytes.fromhex(whole)


def library_placeholders(fully_qualified_name: str) -> tuple[str, str]:
    """Return solc's placeholders for a library: from 0.5.0 on, and before."""
    digest = keccak256(fully_qualified_name.encode("utf-8", "surrogatepass")).hex()
    return f"__${digest[:34]}$__", "__" + fully_qualified_name[:_OLD_NAME_DIGITS].ljust(38, "_")
