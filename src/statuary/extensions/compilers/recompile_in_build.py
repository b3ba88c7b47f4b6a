"""Compile records again during a build, or reuse results."""

from collections.abc import Iterable
from pathlib import Path
from typing import NamedTuple

from statuary.base.findings import has_errors
from statuary.base.primitives import InvalidValueError
from statuary.base.reasons import make_reason
from statuary.contracts.model.proof import Recompilation
from statuary.contracts.model.record import RecordValue
from statuary.extensions.compilers.cache import CompilationCache, cache_folder, compiler_file_sha256
from statuary.extensions.compilers.compiler import Compiler, CompilerError, find_compiler, install_hint
from statuary.extensions.compilers.evidence import compilation_evidence
from statuary.extensions.compilers.options import parse_compilers
from statuary.extensions.compilers.recompilation import recompilation_input
from statuary.extensions.compilers.recompile import compare_with_output, compiler_of_record
from statuary.system.programs import RunLimits

MAX_NAME_LENGTH = 80
"""Characters of a compiler's name or version that a proof shows."""

MAX_DIFFERENCE_LENGTH = 300
"""Characters of the first difference that a proof shows."""


class CompilerProgram(NamedTuple):
    """A compiler program with the digest of its file.

    If another program replaces it at the same path, the digest changes, and builds notice.
    """

    kind: str
    path: str
    version: str
    sha256: str


class BuildCompilers(NamedTuple):
    """The compilers of a build, which worker processes receive and run."""

    programs: tuple[CompilerProgram, ...]

    def recompile(self, record: RecordValue) -> Recompilation:
        """Compile a contract's sources again, or use the cached output.

        Returns:
            Evidence that the output is equal to the record, or the reason why there is no evidence.
        """
        kind, version = compiler_of_record(record)
        compilers = (Compiler(program.kind, Path(program.path), program.version) for program in self.programs)
        compiler = find_compiler(compilers, kind, version)
        if compiler is None:
            reason = make_reason(
                "no_compiler", compiler=kind[:MAX_NAME_LENGTH], version=version[:MAX_NAME_LENGTH]
            )
            return Recompilation(reason, hint=install_hint(kind, version))
        try:
            digests = {Path(program.path): program.sha256 for program in self.programs}
            cache = CompilationCache(cache_folder(), digests)
            run = cache.run_unmodified_input(compiler, recompilation_input(record), RunLimits())
        except CompilerError as error:
            if error.is_input_rejected:
                return _contradicted_recompilation(str(error))
            return Recompilation(
                make_reason("recompilation_failed", message=str(error)[:MAX_DIFFERENCE_LENGTH])
            )
        except InvalidValueError as error:
            return _contradicted_recompilation(str(error))
        found = tuple(compare_with_output(record, run.output))
        if has_errors(found):
            return _contradicted_recompilation(
                next(finding.message for finding in found if has_errors([finding]))
            )
        return Recompilation(make_reason("recompiled"), compilation_evidence(record, run, found))


def _contradicted_recompilation(difference: str) -> Recompilation:
    reason = make_reason("compiles_otherwise", difference=difference[:MAX_DIFFERENCE_LENGTH])
    return Recompilation(reason, is_contradicted=True)


def find_build_compilers(option_values: Iterable[str]) -> BuildCompilers:
    """Find the compilers with which a build compiles contracts again.

    Args:
        option_values: the values of `--compiler`, each as `KIND=PATH`; if there are none, `PATH` is searched.

    Raises:
        click.BadParameter: if a value is not `KIND=PATH`, or the program prints no version.
    """
    compilers = parse_compilers(option_values)
    return BuildCompilers(
        tuple(
            CompilerProgram(one.kind, str(one.path), one.version, compiler_file_sha256(one))
            for one in compilers
        )
    )
