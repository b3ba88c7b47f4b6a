"""Find and run the compilers on this machine."""

import re
import shutil
from collections.abc import Iterable
from pathlib import Path
from typing import Final, NamedTuple

import orjson

from statuary.base.errors import StatuaryError
from statuary.base.json_values import JsonObject, as_list
from statuary.base.primitives import shorten
from statuary.contracts.model.compiler import find_build_version, is_same_build
from statuary.site.document import encode_unchecked
from statuary.source.parse_json import parse_json_bytes
from statuary.system.programs import ProgramError, RunLimits, run_program

PROGRAMS: Final = {"solc": ("solc", "solcjs"), "vyper": ("vyper", "vyper-json")}
"""The names of programs on `PATH`, by the kind that records name in `compilation.compiler`."""

VERSION_LIMITS: Final = RunLimits(seconds=60)
"""The limits for `--version`; a cold start takes seconds."""

MAX_ERROR_CHARACTERS: Final = 300
"""Characters of a compiler's own message that are shown."""


RELEASE: Final = re.compile(r"v?(\d+\.\d+\.\d+)(\+.*)?")
"""A released version; package registries do not have nightly builds."""


REPLACED: Final = frozenset(("0.8.7", "0.8.14", "0.8.23"))
"""Versions whose npm package contains another compiler; `<version>-fixed` replaces it."""


def install_hint(compiler_name: str, version: str) -> str:
    """Return a hint how to install a compiler version that is missing.

    Args:
        compiler_name: `solc` or `vyper`.
        version: the version, such as `0.8.30+commit.73712a01`.
    """
    release = RELEASE.fullmatch(version)
    if release is None:
        return f"give it with --compiler {compiler_name}=PATH"
    folder = f"{compiler_name}-{release[1]}"
    if compiler_name == "vyper":
        install = f"python3 -m venv {folder} && {folder}/bin/pip install vyper=={release[1]}"
        return f"install it with `{install}` and add --compiler vyper={folder}/bin/vyper"
    package = f"solc@{release[1]}{'-fixed' if release[1] in REPLACED else ''}"
    install = f"npm install --prefix {folder} {package}"
    return f"install it with `{install}` and add --compiler solc={folder}/node_modules/.bin/solcjs"


class CompilerError(StatuaryError):
    """Raised if a compiler cannot be run, fails, or writes no output.

    Attributes:
        is_input_rejected: whether the compiler rejected the input, and would reject it again.
    """

    def __init__(self, message: str, *, is_input_rejected: bool = False) -> None:
        super().__init__(message)
        self.is_input_rejected = is_input_rejected


class Compiler(NamedTuple):
    """A compiler program with its kind and version."""

    kind: str
    path: Path  # the program: `solc`, npm's `solcjs`, `vyper` or `vyper-json`
    version: str  # the version without the platform, such as `0.8.30+commit.73712a01`

    @property
    def name(self) -> str:
        """The compiler with its version, for messages."""
        return f"{self.kind} {self.version}"

    def compile(self, std_json_input: JsonObject, limits: RunLimits) -> JsonObject:
        """Run the compiler, and return its standard JSON output.

        Args:
            std_json_input: the standard JSON input.
            limits: the limits on time and memory of the compiler.

        Raises:
            CompilerError: if the compiler cannot be run, writes no JSON, or reports an error.
        """
        # The program vyper-json has no option `--standard-json`, because its input always is standard JSON.
        options = [] if self.path.name == "vyper-json" else ["--standard-json"]
        try:
            ended = run_program(limits, [self.path, *options], encode_unchecked(std_json_input))
        except ProgramError as error:
            raise CompilerError(str(error)) from None
        output = _parse_output_object(ended.stdout)
        if output is None:
            stderr = ended.stderr.strip()[-MAX_ERROR_CHARACTERS:]
            raise CompilerError(
                f"the compiler exited with code {ended.exit_code} and did not write JSON{stderr and ': '}{stderr}"
            )
        _raise_first_compiler_error(output)
        return output


def detect_compiler(compiler_name: str, program_path: Path) -> Compiler:
    """Run a compiler program to find out its version.

    Args:
        compiler_name: `solc` or `vyper`.
        program_path: the path of the program, or its name on `PATH`.

    Raises:
        CompilerError: if the program cannot be run, or does not print a version.
    """
    on_path = shutil.which(program_path)
    if on_path is None:
        raise CompilerError(f"there is no program {program_path}, or the file is not executable")
    program = Path(on_path).absolute()
    try:
        ended = run_program(VERSION_LIMITS, [program, "--version"])
    except ProgramError as error:
        raise CompilerError(f"{program_path}: {error}") from None
    version = find_build_version(ended.stdout.decode("utf-8", "replace"))
    if not version or ended.exit_code:
        printed = ended.stderr.strip() or ended.stdout[:200].decode("utf-8", "replace")
        raise CompilerError(f"{program_path} --version prints no version: {shorten(printed)}")
    return Compiler(kind=compiler_name, path=program, version=version)


def compilers_on_path() -> list[Compiler]:
    """Find the Solidity and Vyper compilers on `PATH`.

    Programs that do not print a version are ignored.
    """
    compilers = []
    for kind, names in PROGRAMS.items():
        for name in names:
            try:
                compilers.append(detect_compiler(kind, Path(name)))
            except CompilerError:
                continue
    return compilers


def find_compiler(compilers: Iterable[Compiler], compiler_name: str, version: str) -> Compiler | None:
    """Return the first compiler with a given name and version.

    Args:
        compilers: the available compilers.
        compiler_name: the name of the compiler, such as `solc`.
        version: the version, with the commit if it is known.

    Returns:
        The compiler, or None if no compiler has this name and version.
    """
    return next(
        (
            compiler
            for compiler in compilers
            if compiler.kind == compiler_name and is_same_build(version, compiler.version)
        ),
        None,
    )


def _parse_output_object(stdout: bytes) -> JsonObject | None:
    """Parse the JSON object in a compiler's output.

    npm's solc may print a line before it.

    Returns:
        The object, or None if there is none.
    """
    try:
        output = parse_json_bytes(stdout[max(stdout.find(b"{"), 0) :])
    except orjson.JSONDecodeError:
        return None
    return output if isinstance(output, dict) else None


def _raise_first_compiler_error(output: JsonObject) -> None:
    for error in as_list(output.get("errors")):
        if isinstance(error, dict) and error.get("severity", "error") == "error":
            text = str(error.get("formattedMessage") or error.get("message") or "an error").strip()
            raise CompilerError(
                f"the compiler reports errors in the input: {text[:MAX_ERROR_CHARACTERS]}",
                is_input_rejected=True,
            )
