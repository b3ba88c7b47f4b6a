"""The compilation of a contract, independent of the tool that made it."""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Final

import orjson

from statuary.base.json_values import Json, JsonObject, as_object, as_text
from statuary.base.primitives import InvalidValueError
from statuary.contracts.model.compiler import find_build_version, is_same_build
from statuary.contracts.model.compiler_evidence import SOLIDITY, SourceHash, compiler_evidence
from statuary.contracts.model.record import RecordValue
from statuary.extensions.compilers.compiler import Compiler, install_hint
from statuary.extensions.compilers.recompilation import recompilation_input
from statuary.extensions.importing.report import NotImportableError
from statuary.extensions.importing.sources import read_json_file, required_object

MAX_NAMES_SHOWN = 8


@dataclass(frozen=True, slots=True, kw_only=True)
class ImportedCompilation:
    """A compiler's standard JSON input and output for a contract.

    Raises:
        NotImportableError: if a part has the wrong type, or the input has no language, sources or settings.
    """

    compiler: str  # `solc` or `vyper`
    version: str  # the version as in records, such as `0.8.30+commit.73712a01`; empty if unknown
    fully_qualified_name: str  # `path:Name`
    std_json_input: JsonObject  # standard JSON input with the text of every source
    std_json_output: JsonObject | None  # None if the contract is not compiled yet
    notes: tuple[str, ...] = ()  # sentences about missing parts

    def __post_init__(self) -> None:
        names: tuple[Json, ...] = (self.version, self.fully_qualified_name)
        if not all(isinstance(text, str) for text in names):
            raise _invalid_compilation_error("the compiler version or the contract name is not text")
        std_json_input = self.std_json_input
        if not isinstance(std_json_input, dict) or not isinstance(std_json_input.get("language"), str):
            raise _invalid_compilation_error("the standard JSON input has no member `language`")
        for member in ("sources", "settings"):
            if not isinstance(std_json_input.get(member), dict):
                raise _invalid_compilation_error(f"the standard JSON input has no valid member `{member}`")
        if not isinstance(self.std_json_output, dict | None):
            raise _invalid_compilation_error("the compiler's output is not a JSON object")

    @property
    def language(self) -> str:
        """The language of the contract, such as `Solidity`."""
        return str(self.std_json_input["language"])

    @property
    def artifact(self) -> JsonObject | None:
        """The part of the compiler's output about this contract, or None."""
        path, _, name = self.fully_qualified_name.rpartition(":")
        try:
            return required_object(self.std_json_output, "contracts", path, name)
        except InvalidValueError:
            return None


def make_compilation_from_record(record: RecordValue) -> ImportedCompilation:
    """Take the compiler, its version and its input from a contract's record.

    The result has no compiler output, so the contract can be compiled again.

    Raises:
        DerivationError: if the fully qualified name in the record is invalid.
    """
    compilation = record["compilation"]
    return ImportedCompilation(
        compiler=compilation["compiler"],
        version=compilation["compilerVersion"],
        fully_qualified_name=compilation["fullyQualifiedName"],
        std_json_input=recompilation_input(record),
        std_json_output=None,
    )


def _invalid_compilation_error(message: str) -> NotImportableError:
    return NotImportableError(message, "compile the project again")


def get_compiler_for_language(language: Json) -> str:
    """Return the compiler for a contract language: `vyper` or `solc`."""
    return "vyper" if language == "Vyper" else "solc"


def iter_deployable_contracts(std_json_output: Json) -> Iterator[str]:
    """Yield the contracts in a compiler's output that can be deployed.

    A contract without bytecode, such as an interface, is left out. Each contract is yielded as its path and
    name, such as `src/Fare.sol:Fare`.

    Args:
        std_json_output: the compiler's standard JSON output.
    """
    for path, contracts in as_object(as_object(std_json_output).get("contracts")).items():
        for name, artifact in as_object(contracts).items():
            code = as_object(as_object(as_object(artifact).get("evm")).get("bytecode"))
            if as_text(code.get("object")).removeprefix("0x"):
                yield f"{path}:{name}"


def choose_contract_name(qualified_names: Iterable[str], contract_name: str | None) -> str:
    """Find the contract that a user selected, as `path:Name`.

    Args:
        qualified_names: the names to choose from, such as `src/Fare.sol:Fare`.
        contract_name: a name with or without its path; None to choose the only contract.

    Raises:
        NotImportableError: if no name or several names match.
    """
    contracts = sorted(qualified_names)
    matching = [name for name in contracts if contract_name in (None, name, name.rpartition(":")[2])]
    if len(matching) == 1:
        return matching[0]
    candidates = matching or contracts
    list_text = ", ".join(candidates[:MAX_NAMES_SHOWN]) + (" …" if len(candidates) > MAX_NAMES_SHOWN else "")
    if not contracts:
        raise NotImportableError(
            "the compiler's output has no contract with bytecode", "check the output for compiler errors"
        )
    if contract_name is None:
        raise NotImportableError(
            f"the compiler's output has {len(contracts)} contracts: {list_text}", "choose one with --contract"
        )
    if not matching:
        raise NotImportableError(f"unknown contract {contract_name!r}", f"the contracts are: {list_text}")
    raise NotImportableError(
        f"{len(matching)} contracts are named {contract_name!r}", f"use one of: {list_text}"
    )


def is_standard_json(value: dict[str, Json]) -> bool:
    """Return whether a JSON object is a compiler's standard JSON input."""
    return isinstance(value.get("language"), str) and isinstance(value.get("sources"), dict)


def read_standard_json(
    std_json_input: dict[str, Json], output_file: Path | None, contract_name: str | None
) -> ImportedCompilation:
    """Combine the standard JSON input and output of a compiler.

    The version of the compiler is left empty.

    Args:
        std_json_input: the compiler's input.
        output_file: the file with the compiler's output; None if there is none.
        contract_name: a name with or without its path; None to choose the only contract.

    Raises:
        NotImportableError: if no contract or several contracts match.
    """
    std_json_output = None if output_file is None else read_json_file(output_file)
    return ImportedCompilation(
        compiler=get_compiler_for_language(std_json_input["language"]),
        version="",
        fully_qualified_name=_find_name_in_input(std_json_input, contract_name)
        if std_json_output is None
        else choose_contract_name(iter_deployable_contracts(std_json_output), contract_name),
        std_json_input={"settings": {}, **std_json_input},
        std_json_output=std_json_output,
    )


def add_compiler_version(compilation: ImportedCompilation, version: str | None) -> ImportedCompilation:
    """Return a copy of a compilation with the version of the compiler.

    If the compiler's output also contains the version, the more precise of the two is used.

    Args:
        compilation: the imported compilation.
        version: the version from the command line, or None.

    Raises:
        NotImportableError: if the two versions contradict each other.
    """
    in_output = compilation.version or find_compiler_version(compilation)
    if version and in_output and not is_same_build(version, in_output):
        raise NotImportableError(
            f"the compiler's output is from {in_output}, not {version}", "leave out --compiler-version"
        )
    longest = max(version or "", in_output, key=len)
    return replace(compilation, version=longest.removeprefix("v"))


def find_compiler_version(compilation: ImportedCompilation) -> str:
    """Find the version of the compiler in its output.

    Returns:
        The version, such as `0.8.30+commit.73712a01`; empty if the output has none. For Vyper, the commit is
        missing.
    """
    metadata = parse_solc_metadata(compilation)
    if metadata is not None:
        return as_text(as_object(metadata.get("compiler")).get("version"))
    return find_build_version(as_text((compilation.std_json_output or {}).get("compiler")))


def parse_solc_metadata(compilation: ImportedCompilation) -> dict[str, Json] | None:
    """Parse the metadata that solc wrote about a contract.

    It lists the compiler, its settings and the hashes of the sources.

    Returns:
        The metadata, or None if it is missing or not a JSON object.
    """
    text = (compilation.artifact or {}).get("metadata")
    try:
        metadata = orjson.loads(text) if isinstance(text, str) and text else None
    except orjson.JSONDecodeError:
        return None
    return metadata if isinstance(metadata, dict) else None


def _find_name_in_input(std_json_input: JsonObject, contract_name: str | None) -> str:
    """Find a contract's name in sources that are not compiled yet.

    Raises:
        NotImportableError: if the name is ambiguous.
    """
    paths = list(as_object(std_json_input["sources"]))
    if contract_name and ":" in contract_name and contract_name.rpartition(":")[0] in paths:
        return contract_name
    if std_json_input["language"] == "Vyper" and (len(paths) == 1 or contract_name):
        # In Vyper, each file is one contract, which is named like the file.
        return choose_contract_name((f"{path}:{Path(path).stem}" for path in paths), contract_name)
    raise NotImportableError(
        "without the compiler's output, you have to name the contract",
        f"add --contract PATH:NAME; PATH is one of {', '.join(paths[:5])}{' …' if len(paths) > 5 else ''}",
    )


DOCUMENTATION: Final = ("devdoc", "userdoc")
"""Outputs that tool chains may omit, and that solc's metadata repeats."""


def add_metadata_documentation(compilation: ImportedCompilation) -> ImportedCompilation:
    """Add the documentation in solc's metadata to the compiler's output.

    If other outputs are missing, the notes of the result name them.

    Raises:
        NotImportableError: if the compiler's output, its version, or solc's metadata is missing.
    """
    hint = f"give the compiler with --compiler {compilation.compiler}=PATH"
    if compilation.std_json_output is None:
        raise NotImportableError(
            "the compiler's output is missing", f"give the output with --output, or {hint}"
        )
    if not compilation.version:
        raise NotImportableError(
            "the compiler's output does not contain its version",
            "add --compiler-version, such as 0.4.3+commit.bff19ea2",
        )
    if compilation.language != SOLIDITY or compilation.artifact is None:
        return compilation
    metadata = parse_solc_metadata(compilation)
    evidence = compiler_evidence(compilation.language, compilation.version)
    if metadata is None and evidence.source_hash is SourceHash.METADATA:
        raise NotImportableError(
            "the compiler's output has no metadata, which ties the sources to the bytecode",
            f"{hint}, or compile with 'metadata' in outputSelection",
        )
    return _note_missing_outputs(_add_documentation(compilation, metadata or {}), hint)


def make_no_compiler_error(
    compiler_name: str, version: str, compilers: Sequence[Compiler]
) -> NotImportableError:
    """Make the error for a compiler version that is not installed.

    Args:
        compiler_name: `solc` or `vyper`.
        version: the required version; empty if unknown.
        compilers: the compilers that are available.
    """
    other_versions = (
        ", ".join(compiler.version for compiler in compilers if compiler.kind == compiler_name) or "none"
    )
    return NotImportableError(
        f"no compiler for {compiler_name} {version or 'of unknown version'} (found: {other_versions})",
        install_hint(compiler_name, version)
        if version
        else f"give it with --compiler {compiler_name}=PATH, or add --compiler-version",
    )


def _add_documentation(compilation: ImportedCompilation, metadata: dict[str, Json]) -> ImportedCompilation:
    outputs = as_object(metadata.get("output"))
    artifact = compilation.artifact or {}
    documentation = {
        name: outputs[name] for name in DOCUMENTATION if name in outputs and name not in artifact
    }
    if not documentation:
        return compilation
    path, _, name = compilation.fully_qualified_name.rpartition(":")
    output = compilation.std_json_output or {}
    contracts = as_object(output.get("contracts"))
    contracts = {**contracts, path: {**as_object(contracts.get(path)), name: {**artifact, **documentation}}}
    return replace(compilation, std_json_output={**output, "contracts": contracts})


def _note_missing_outputs(compilation: ImportedCompilation, hint: str) -> ImportedCompilation:
    artifact = compilation.artifact or {}
    layouts = compiler_evidence(compilation.language, compilation.version).layouts
    missing_members = [name for name in layouts if not artifact.get(name)]
    if not missing_members:
        return compilation
    note = f"the compiler's output has no {' or '.join(missing_members)}, so the record has none; to add it, {hint}"
    return replace(compilation, notes=(*compilation.notes, note))
