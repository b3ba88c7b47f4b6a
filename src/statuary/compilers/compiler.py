"""The compilers on this machine: their versions, and their output for standard JSON input."""

import shutil
from collections.abc import Iterable
from pathlib import Path
from typing import Final, NamedTuple

import orjson

from statuary.compilers.run_program import RunError, RunLimits, run_program
from statuary.documents.encode import encode_unchecked
from statuary.domain.contracts.compiler_version import build_version, is_same_build
from statuary.domain.errors import StatuaryError
from statuary.domain.json_values import Json
from statuary.domain.primitives import shorten

PROGRAMS: Final = {"solc": ("solc", "solcjs"), "vyper": ("vyper", "vyper-json")}
"""The programs on `PATH`, by their kind in `compilation.compiler`."""

VERSION_LIMITS: Final = RunLimits(seconds=60)
"""The limits for `--version`, a cold start included."""

MAX_ERROR_CHARACTERS: Final = 300
"""Characters of a compiler's own message that are shown."""


class CompilerError(StatuaryError):
    """A compiler cannot be run, or gives no output for an input."""

    def __init__(self, message: str, *, is_input_rejected: bool = False) -> None:
        super().__init__(message)
        # whether the input is invalid, so that a retry would not help
        self.is_input_rejected = is_input_rejected


class Compiler(NamedTuple):
    """A compiler."""

    kind: str
    path: Path  # the program: `solc`, npm's `solcjs`, `vyper` or `vyper-json`
    version: str  # without the platform, `0.8.30+commit.73712a01`

    @property
    def name(self) -> str:
        """Kind and version, for messages."""
        return f"{self.kind} {self.version}"

    def compile(self, std_json_input: Json, limits: RunLimits) -> Json:
        """Return the standard JSON output for an input; raise CompilerError if there is none, or an error."""
        # vyper-json has no such option
        options = [] if self.path.name == "vyper-json" else ["--standard-json"]
        try:
            ended = run_program(limits, [self.path, *options], encode_unchecked(std_json_input))
        except RunError as error:
            raise CompilerError(str(error)) from None
        output = _json_object(ended.stdout)
        if output is None:
            stderr = ended.stderr.strip()[-MAX_ERROR_CHARACTERS:]
            raise CompilerError(
                f"it exited with code {ended.exit_code} and wrote no JSON{stderr and ': '}{stderr}"
            )
        _raise_first_error(output)
        return output


def detect_compiler(kind: str, path: Path) -> Compiler:
    """Return the compiler at a path, or with a name on `PATH`, after reading its version.

    Raises:
        CompilerError: if it cannot be run, or does not print a version.
    """
    found = shutil.which(path)
    if found is None:
        raise CompilerError(f"there is no program {path}, or it is not executable")
    program = Path(found).absolute()
    try:
        ended = run_program(VERSION_LIMITS, [program, "--version"])
    except RunError as error:
        raise CompilerError(f"{path}: {error}") from None
    version = build_version(ended.stdout.decode("utf-8", "replace"))
    if not version or ended.exit_code:
        printed = ended.stderr.strip() or ended.stdout[:200].decode("utf-8", "replace")
        raise CompilerError(f"{path} --version prints no version: {shorten(printed)}")
    return Compiler(kind=kind, path=program, version=version)


def compilers_on_path() -> list[Compiler]:
    """Return the compilers on `PATH`; programs that print no version are left out."""
    found = []
    for kind, names in PROGRAMS.items():
        for name in names:
            try:
                found.append(detect_compiler(kind, Path(name)))
            except CompilerError:
                continue
    return found


def find_compiler(compilers: Iterable[Compiler], kind: str, version: str) -> Compiler | None:
    """Return the first compiler of a kind and build."""
    return next((one for one in compilers if one.kind == kind and is_same_build(version, one.version)), None)


def _json_object(stdout: bytes) -> Json | None:
    """Return the JSON object in an output; npm's solc may print a line before it."""
    try:
        output = orjson.loads(stdout[max(stdout.find(b"{"), 0) :])
    except orjson.JSONDecodeError:
        return None
    return output if isinstance(output, dict) else None


def _raise_first_error(output: Json) -> None:
    errors = output.get("errors")
    for error in errors if isinstance(errors, list) else ():
        if isinstance(error, dict) and error.get("severity", "error") == "error":
            text = str(error.get("formattedMessage") or error.get("message") or "an error").strip()
            raise CompilerError(
                f"it rejects the input: {text[:MAX_ERROR_CHARACTERS]}", is_input_rejected=True
            )
