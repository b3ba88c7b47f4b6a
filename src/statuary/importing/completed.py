"""A compilation made complete: what tool chains leave out of the compiler's output, and a record has."""

from collections.abc import Sequence
from dataclasses import replace
from typing import Final

from statuary.domain.contracts.compiler_version import CompilerVersion, compiler_version
from statuary.domain.contracts.recompilation import artifacts_of_version, with_output_selection
from statuary.domain.contracts.workspace import Underivable
from statuary.domain.json_values import Json
from statuary.importing.cannot_import import CannotImport
from statuary.importing.compilation import Compilation
from statuary.importing.standard_json import metadata_of
from statuary.pipeline.bounded import Bounds
from statuary.pipeline.compilers import Compiler, CompilerFailed, compiler_for

SOLIDITY: Final = "Solidity"

FIRST_WITH_METADATA: Final = CompilerVersion(0, 4, 7)

LAYOUTS: Final = {
    "storageLayout": CompilerVersion(0, 5, 13),
    "transientStorageLayout": CompilerVersion(0, 8, 28),
}
"""The layouts that a record has, from the first solc on that writes them."""

DOCUMENTATION: Final = ("devdoc", "userdoc")
"""What solc's metadata repeats."""


def compiled_again(compilation: Compilation, compilers: Sequence[Compiler]) -> Compilation:
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
        output = compiler.compile(asked, Bounds())
    except CompilerFailed as failed:
        raise CannotImport(f"{compiler.kind} {compiler.version}: {failed}") from None
    except Underivable as underivable:
        raise CannotImport(str(underivable), underivable.remedy) from None
    version = compilation.version if "+" in compilation.version else compiler.version
    return replace(compilation, version=version, std_json_output=output)


def completed(compilation: Compilation) -> Compilation:
    """Return the compilation with the documentation that its metadata repeats, and notes on what is wanting still.

    Raises:
        CannotImport: if it lacks what no record can be without.
    """
    remedy = f"give the compiler with --compiler {compilation.compiler}=PATH"
    if compilation.std_json_output is None:
        raise CannotImport("there is no output of the compiler", f"name it with --output, or {remedy}")
    if not compilation.version:
        raise CannotImport(
            "the compiler's output does not say its version",
            "write --compiler-version as the compiler says it, such as 0.4.3+commit.bff19ea2",
        )
    if compilation.language != SOLIDITY or compilation.artifact is None:
        return compilation
    metadata = metadata_of(compilation)
    if metadata is None and compiler_version(compilation.version) >= FIRST_WITH_METADATA:
        raise CannotImport(
            "the compiler's output has no metadata, without which nothing ties the sources to the bytecode",
            f"{remedy}, or compile with 'metadata' in outputSelection",
        )
    return _with_notes(_with_documentation(compilation, metadata or {}), remedy)


def _compiler(compilation: Compilation, compilers: Sequence[Compiler]) -> Compiler:
    kind, version = compilation.compiler, compilation.version
    of_kind = [compiler for compiler in compilers if compiler.kind == kind]
    found = compiler_for(compilers, kind, version) if version else None
    if found is None and not version and len(of_kind) == 1:
        return of_kind[0]
    if found is None:
        there = ", ".join(one.version for one in of_kind) or "none"
        raise CannotImport(
            f"{kind} {version or 'of an unknown version'} is not among the compilers given (there is {there})",
            f"give it with --compiler {kind}=PATH" + ("" if version else ", or say --compiler-version"),
        )
    return found


def _with_documentation(compilation: Compilation, metadata: dict[str, Json]) -> Compilation:
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


def _with_notes(compilation: Compilation, remedy: str) -> Compilation:
    version, artifact = compiler_version(compilation.version), compilation.artifact or {}
    wanting = [name for name, first in LAYOUTS.items() if version >= first and artifact.get(name) is None]
    if not wanting:
        return compilation
    note = (
        f"the compiler's output has no {' and no '.join(wanting)}, nor will the record; to have it, {remedy}"
    )
    return replace(compilation, notes=(*compilation.notes, note))
