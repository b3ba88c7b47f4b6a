"""Complete a compilation: tool chains leave out outputs of the compiler that records have."""

from collections.abc import Sequence
from dataclasses import replace
from hashlib import sha256
from typing import Final

import orjson

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
"""The layouts of a record, with the first solc that writes them."""

DOCUMENTATION: Final = ("devdoc", "userdoc")
"""The outputs that solc's metadata repeats and tool chains leave out."""


def recompile(
    compilation: ImportedCompilation, compilers: Sequence[Compiler], *, whole: bool = False
) -> ImportedCompilation:
    """Compile with a compiler of the same version, and return the compilation with all outputs of a record.

    If the version is unknown, the only compiler of its kind is used.

    Args:
        compilation: the sources, and perhaps an output, which is replaced.
        compilers: the available ones.
        whole: whether to request the outputs of every contract in the sources.

    Raises:
        ContractImportError: if there is no such compiler, or it fails.
    """
    compiler = _choose_compiler(compilation, compilers)
    artifacts = artifacts_of_version(compilation.language, compiler.version)
    try:
        std_json_input = with_output_selection(
            compilation.std_json_input, "*:*" if whole else compilation.fully_qualified_name, artifacts
        )
        output = compiler.compile(std_json_input, RunLimits())
    except CompilerError as error:
        raise ContractImportError(f"{compiler.name}: {error}") from None
    except DerivationError as error:
        raise ContractImportError(str(error), error.hint) from None
    version = compilation.version if "+" in compilation.version else compiler.version
    return replace(compilation, version=version, std_json_output=output)


class CompilerBatch:
    """Compiles contracts one after the other; repeated sources are compiled once, for all of their contracts."""

    def __init__(self) -> None:
        self._key = b""
        self._whole: ImportedCompilation | None = None

    def recompile(
        self, compilation: ImportedCompilation, compilers: Sequence[Compiler]
    ) -> ImportedCompilation:
        """Return what `recompile` returns; raise ContractImportError as `recompile`."""
        key = sha256(orjson.dumps([compilation.version, compilation.std_json_input])).digest()
        if key != self._key:
            self._key, self._whole = key, None
            return recompile(compilation, compilers)
        if self._whole is None:
            try:
                self._whole = recompile(compilation, compilers, whole=True)
            except ContractImportError:
                # such as an output that is too long
                return recompile(compilation, compilers)
        return replace(compilation, version=self._whole.version, std_json_output=self._whole.std_json_output)


def complete_compilation(compilation: ImportedCompilation) -> ImportedCompilation:
    """Return the compilation with the documentation of its metadata, and notes on what is still missing.

    Raises:
        ContractImportError: if something is missing that every record needs.
    """
    hint = f"give the compiler with --compiler {compilation.compiler}=PATH"
    if compilation.std_json_output is None:
        raise ContractImportError("the compiler's output is missing", f"give it with --output, or {hint}")
    if not compilation.version:
        raise ContractImportError(
            "the compiler's output does not contain its version",
            "add --compiler-version, such as 0.4.3+commit.bff19ea2",
        )
    if compilation.language != SOLIDITY or compilation.artifact is None:
        return compilation
    metadata = solc_metadata(compilation)
    if metadata is None and parse_compiler_version(compilation.version) >= METADATA_SINCE:
        raise ContractImportError(
            "the compiler's output has no metadata, which ties the sources to the bytecode",
            f"{hint}, or compile with 'metadata' in outputSelection",
        )
    return _with_notes(_with_documentation(compilation, metadata or {}), hint)


def _choose_compiler(compilation: ImportedCompilation, compilers: Sequence[Compiler]) -> Compiler:
    kind, version = compilation.compiler, compilation.version
    of_kind = [compiler for compiler in compilers if compiler.kind == kind]
    if version and (found := find_compiler(of_kind, kind, version)):
        return found
    if not version and len(of_kind) == 1:
        return of_kind[0]
    raise no_compiler_error(kind, version, of_kind)


def no_compiler_error(kind: str, version: str, compilers: Sequence[Compiler]) -> ContractImportError:
    """Return the error for a version that no compiler has."""
    others = ", ".join(compiler.version for compiler in compilers if compiler.kind == kind) or "none"
    return ContractImportError(
        f"no compiler for {kind} {version or 'of unknown version'} (found: {others})",
        f"give it with --compiler {kind}=PATH" + ("" if version else ", or add --compiler-version"),
    )


def _with_documentation(compilation: ImportedCompilation, metadata: dict[str, Json]) -> ImportedCompilation:
    outputs, artifact = metadata.get("output"), compilation.artifact or {}
    outputs = outputs if isinstance(outputs, dict) else {}
    missing = {name: outputs[name] for name in DOCUMENTATION if name in outputs and name not in artifact}
    if not missing:
        return compilation
    path, _, name = compilation.fully_qualified_name.rpartition(":")
    output = compilation.std_json_output or {}
    contracts = {**output["contracts"], path: {**output["contracts"][path], name: {**artifact, **missing}}}
    return replace(compilation, std_json_output={**output, "contracts": contracts})


def _with_notes(compilation: ImportedCompilation, hint: str) -> ImportedCompilation:
    version, artifact = parse_compiler_version(compilation.version), compilation.artifact or {}
    missing = [name for name, since in LAYOUTS_SINCE.items() if version >= since and not artifact.get(name)]
    if not missing:
        return compilation
    note = f"the compiler's output has no {' or '.join(missing)}, so the record has none; to add it, {hint}"
    return replace(compilation, notes=(*compilation.notes, note))
