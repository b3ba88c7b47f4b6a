"""A compilation made complete: what tool chains leave out of the compiler's output, and a record has."""

from collections.abc import Sequence
from dataclasses import replace
from typing import Final

from statuary.compilers.compiler import Compiler, CompilerError, find_compiler
from statuary.compilers.run_program import RunLimits
from statuary.domain.contracts.compiler_version import CompilerVersion, parse_compiler_version
from statuary.domain.contracts.output_selection import artifacts_of_version, with_output_selection
from statuary.domain.contracts.workspace import DerivationError
from statuary.domain.json_values import Json
from statuary.importing.import_error import ContractImportError
from statuary.importing.imported_compilation import ImportedCompilation
from statuary.importing.standard_json import solc_metadata

SOLIDITY: Final = "Solidity"

METADATA_SINCE: Final = CompilerVersion(0, 4, 7)

LAYOUTS_SINCE: Final = {
    "storageLayout": CompilerVersion(0, 5, 13),
    "transientStorageLayout": CompilerVersion(0, 8, 28),
}
"""The layouts that a record has, from the first solc on that writes them."""

DOCUMENTATION: Final = ("devdoc", "userdoc")
"""What solc's metadata repeats."""


def recompile(compilation: ImportedCompilation, compilers: Sequence[Compiler]) -> ImportedCompilation:
    """Return the compilation with the output of a compiler of its version, which is asked for all that a record has.

    Where the version is not known, the one compiler of its kind is taken.

    Raises:
        CannotImport: if there is no such compiler, or it fails.
    """
    compiler = _compiler(compilation, compilers)
    try:
        asked = with_output_selection(
            compilation.std_json_input,
            compilation.fully_qualified_name,
            artifacts_of_version(compilation.language, compiler.version),
        )
        output = compiler.compile(asked, RunLimits())
    except CompilerError as failed:
        raise ContractImportError(f"{compiler.kind} {compiler.version}: {failed}") from None
    except DerivationError as underivable:
        raise ContractImportError(str(underivable), underivable.hint) from None
    version = compilation.version if "+" in compilation.version else compiler.version
    return replace(compilation, version=version, std_json_output=output)


def complete_compilation(compilation: ImportedCompilation) -> ImportedCompilation:
    """Return the compilation with the documentation that its metadata repeats, and notes on what is wanting still.

    Raises:
        CannotImport: if it lacks what no record can be without.
    """
    hint = f"give the compiler with --compiler {compilation.compiler}=PATH"
    if compilation.std_json_output is None:
        raise ContractImportError("there is no output of the compiler", f"name it with --output, or {hint}")
    if not compilation.version:
        raise ContractImportError(
            "the compiler's output does not say its version",
            "write --compiler-version as the compiler says it, such as 0.4.3+commit.bff19ea2",
        )
    if compilation.language != SOLIDITY or compilation.artifact is None:
        return compilation
    metadata = solc_metadata(compilation)
    if metadata is None and parse_compiler_version(compilation.version) >= METADATA_SINCE:
        raise ContractImportError(
            "the compiler's output has no metadata, without which nothing ties the sources to the bytecode",
            f"{hint}, or compile with 'metadata' in outputSelection",
        )
    return _with_notes(_with_documentation(compilation, metadata or {}), hint)


def _compiler(compilation: ImportedCompilation, compilers: Sequence[Compiler]) -> Compiler:
    kind, version = compilation.compiler, compilation.version
    of_kind = [compiler for compiler in compilers if compiler.kind == kind]
    found = find_compiler(compilers, kind, version) if version else None
    if found is None and not version and len(of_kind) == 1:
        return of_kind[0]
    if found is None:
        there = ", ".join(one.version for one in of_kind) or "none"
        raise ContractImportError(
            f"{kind} {version or 'of an unknown version'} is not among the compilers given (there is {there})",
            f"give it with --compiler {kind}=PATH" + ("" if version else ", or say --compiler-version"),
        )
    return found


def _with_documentation(compilation: ImportedCompilation, metadata: dict[str, Json]) -> ImportedCompilation:
    repeated = metadata.get("output")
    repeated = repeated if isinstance(repeated, dict) else {}
    artifact = compilation.artifact or {}
    wanting = {name: repeated[name] for name in DOCUMENTATION if name in repeated and name not in artifact}
    if not wanting:
        return compilation
    path, _, name = compilation.fully_qualified_name.rpartition(":")
    output = compilation.std_json_output or {}
    contracts = {**output["contracts"], path: {**output["contracts"][path], name: {**artifact, **wanting}}}
    return replace(compilation, std_json_output={**output, "contracts": contracts})


def _with_notes(compilation: ImportedCompilation, hint: str) -> ImportedCompilation:
    version, artifact = parse_compiler_version(compilation.version), compilation.artifact or {}
    wanting = [
        name for name, first in LAYOUTS_SINCE.items() if version >= first and artifact.get(name) is None
    ]
    if not wanting:
        return compilation
    note = f"the compiler's output has no {' and no '.join(wanting)}, nor will the record; to have it, {hint}"
    return replace(compilation, notes=(*compilation.notes, note))
