"""Compile the contracts of an import, several at a time.

Each input and compiler is compiled once.
"""

from collections.abc import Callable, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from dataclasses import replace
from threading import Lock
from typing import Final, Self

from statuary.contracts.model.derivation import DerivationError
from statuary.extensions.compilers.cache import WHOLE, CompilationCache, CompilerRun
from statuary.extensions.compilers.compiler import Compiler, CompilerError, find_compiler
from statuary.extensions.importing.report import NotImportableError
from statuary.extensions.importing.toolchains.compilation import ImportedCompilation, make_no_compiler_error
from statuary.system.programs import RunLimits, stop_all_programs

MAX_REMEMBERED: Final = 8
"""Inputs whose outputs are kept in memory; those of large projects have a hundred megabytes."""

Announce = Callable[[str], None]


class Compilations:
    """Compiles the contracts of an import in worker threads.

    Use the object as a context manager. If the block raises an exception, running compilers are stopped.
    """

    def __init__(
        self,
        compilers: Sequence[Compiler],
        cache: CompilationCache | None = None,
        *,
        workers: int = 1,
        announce: Announce = lambda _: None,
    ) -> None:
        self.compilers = compilers
        self.cache = cache or CompilationCache(None)
        self.announce = announce
        self.workers = workers
        self.pool = ThreadPoolExecutor(workers)
        self.expected: dict[str, set[str]] = {}
        self.runs: dict[str, list[tuple[frozenset[str], Future[CompilerRun]]]] = {}
        self.lock = Lock()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, kind: type[BaseException] | None, *_: object) -> None:
        if kind is not None:
            stop_all_programs()
        self.pool.shutdown(cancel_futures=True)

    def find_compiler(self, compilation: ImportedCompilation) -> Compiler | None:
        """Find an installed compiler that can compile a contract.

        Returns:
            The compiler with the contract's version. If the version is unknown, the only installed compiler
            for the language. None if there is no such compiler, or the choice is ambiguous.
        """
        kind, version = compilation.compiler, compilation.version
        if version:
            return find_compiler(self.compilers, kind, version)
        of_kind = [compiler for compiler in self.compilers if compiler.kind == kind]
        return of_kind[0] if len(of_kind) == 1 else None

    def expect_compilation(self, compilation: ImportedCompilation) -> None:
        """Register a contract that will be compiled later.

        Contracts with the same compiler input are then compiled in a single run instead of one run each.
        """
        if (compiler := self.find_compiler(compilation)) is not None:
            key = self.cache.cache_key(compiler, compilation.std_json_input)
            self.expected.setdefault(key, set()).add(compilation.fully_qualified_name)

    def start_compiling(self, compilation: ImportedCompilation) -> "Future[CompilerRun]":
        """Start compiling a contract in a worker thread.

        Announce contracts with `expect_compilation` first. Contracts with the same compiler input then share
        one run and one future.

        Returns:
            A future with the compiler's output.

        Raises:
            NotImportableError: if no compiler of the required version is available.
        """
        compiler = self.find_compiler(compilation)
        name = compilation.fully_qualified_name
        if compiler is None:
            raise make_no_compiler_error(compilation.compiler, compilation.version, self.compilers)
        key = self.cache.cache_key(compiler, compilation.std_json_input)
        runs = self.runs.setdefault(key, [])
        for names, future in runs:
            if name in names or WHOLE in names:
                return future
        # An earlier run of the compiler left this contract out, because the contract was not registered.
        # Compile all contracts of the input now, so that no third run is needed.
        names = frozenset(self.expected.get(key, ())) | {name} if not runs else frozenset({WHOLE})
        future = self.pool.submit(self._run_compiler, compiler, compilation, names)
        runs.append((names, future))
        ended = [key for key, pairs in self.runs.items() if all(future.done() for _, future in pairs)]
        for old_key in ended[: max(0, len(self.runs) - MAX_REMEMBERED)]:
            del self.runs[old_key]
        return future

    def _run_compiler(
        self, compiler: Compiler, compilation: ImportedCompilation, contract_names: frozenset[str]
    ) -> CompilerRun:
        first_name = compilation.fully_qualified_name
        other_count = len(contract_names) - 1
        other_text = (
            f" and {other_count:,} more"
            if other_count
            else " and all others"
            if WHOLE in contract_names
            else ""
        )
        with self.lock:
            self.announce(f"compiling {first_name}{other_text} with {compiler.name}")
        try:
            return self.cache.run(compiler, compilation.std_json_input, contract_names, RunLimits())
        except CompilerError:
            if contract_names == {first_name}:
                raise
        # Another contract may have caused the failure, for example by too much output. So compile the first
        # contract alone.
        return self.cache.run(compiler, compilation.std_json_input, (first_name,), RunLimits())


def await_compiler_output(
    compilation: ImportedCompilation, run_future: "Future[CompilerRun]"
) -> ImportedCompilation:
    """Wait until a contract is compiled, and add the output to it.

    Returns:
        A copy of `compilation` with the compiler's output.

    Raises:
        NotImportableError: if the compiler failed.
    """
    try:
        run = run_future.result()
    except CompilerError as error:
        raise NotImportableError(f"{compilation.compiler} {compilation.version}: {error}") from None
    except DerivationError as error:
        raise NotImportableError(str(error), error.hint) from None
    version = compilation.version if "+" in compilation.version else run.compiler.version
    return replace(compilation, version=version, std_json_output=run.output)
