"""Compilers on this machine: which version each is, and what it makes of standard JSON."""

import shutil
from collections.abc import Iterable
from pathlib import Path
from typing import Final, NamedTuple

import orjson

from statuary.compilers.run_program import RunError, RunLimits, run_program
from statuary.documents.encode import encode_unchecked
from statuary.domain.contracts.compiler_version import build_version, is_same_build
from statuary.domain.json_values import Json
from statuary.domain.primitives import shorten

PROGRAMS: Final = {"solc": ("solc", "solcjs"), "vyper": ("vyper", "vyper-json")}
"""The programs that are taken from `PATH`, by the kind that records call `compilation.compiler`."""

VERSION_LIMITS: Final = RunLimits(seconds=60)
"""What telling its version may take of a compiler: a cold start, no more."""


class CompilerError(Exception):
    """A compiler that could not be run, or gave no output for an input.

    Attributes:
        is_verdict: whether it refused the input, so that a better machine would not help.
    """

    def __init__(self, message: str, *, is_input_rejected: bool = False) -> None:
        super().__init__(message)
        self.is_input_rejected = is_input_rejected


class Compiler(NamedTuple):
    """A compiler.

    Attributes:
        kind: `solc` or `vyper`.
        path: the program: `solc`, npm's `solcjs`, `vyper` or `vyper-json`.
        version: what it says of itself, without the machine that it was built for.
    """

    kind: str
    path: Path
    version: str

    def compile(self, std_json_input: Json, bounds: RunLimits) -> Json:
        """Return the standard JSON output for an input.

        Raises:
            CompilerFailed: if there is none, or errors are in it.
        """
        # vyper-json speaks nothing else
        options = [] if self.path.name == "vyper-json" else ["--standard-json"]
        try:
            answer = run_program(bounds, [self.path, *options], encode_unchecked(std_json_input))
        except RunError as failed:
            raise CompilerError(str(failed)) from None
        output = _output(answer.output)
        if output is None:
            said = answer.stderr.strip()[-300:]
            raise CompilerError(f"it ended with code {answer.code} and no JSON{said and ': '}{said}")
        _refuse_errors(output)
        return output


def detect_compiler(kind: str, path: Path) -> Compiler:
    """Ask a program which compiler it is.

    Raises:
        CompilerFailed: if it cannot be asked, or does not say.
    """
    program = shutil.which(path)
    if program is None:
        raise CompilerError(f"there is no program {path}, or it may not be run")
    try:
        answer = run_program(VERSION_LIMITS, [Path(program).absolute(), "--version"])
    except RunError as failed:
        raise CompilerError(f"{path}: {failed}") from None
    version = build_version(answer.output.decode("utf-8", "replace"))
    if not version or answer.code:
        said = answer.stderr.strip() or answer.output[:200].decode("utf-8", "replace")
        raise CompilerError(f"{path} does not tell its version: {shorten(said)}")
    return Compiler(kind=kind, path=Path(program).absolute(), version=version)


def compilers_on_path() -> list[Compiler]:
    """Return the compilers that are on `PATH`; programs that do not tell a version are none."""
    found = []
    for kind, names in PROGRAMS.items():
        for name in names:
            program = shutil.which(name)
            try:
                found += [detect_compiler(kind, Path(program))] if program else []
            except CompilerError:
                continue
    return found


def find_compiler(compilers: Iterable[Compiler], kind: str, version: str) -> Compiler | None:
    """Return the first compiler that is of a record's kind and build."""
    return next((one for one in compilers if one.kind == kind and is_same_build(version, one.version)), None)


def _output(answer: bytes) -> Json | None:
    """Return the JSON object in an answer; npm's solc may say a line before it."""
    try:
        output = orjson.loads(answer[max(answer.find(b"{"), 0) :])
    except orjson.JSONDecodeError:
        return None
    return output if isinstance(output, dict) else None


def _refuse_errors(output: Json) -> None:
    errors = output.get("errors")
    for error in errors if isinstance(errors, list) else ():
        if isinstance(error, dict) and error.get("severity", "error") == "error":
            said = str(error.get("formattedMessage") or error.get("message") or "an error").strip()
            raise CompilerError(f"it refuses the input: {said[:300]}", is_input_rejected=True)
