"""Cache the outputs of compilers on disk.

A file is named by a hash of compiler and input, and holds the digest of its own content: an input whose file
is damaged is compiled again. The folder is `statuary/compilations` in the user's cache folder. The variable
`STATUARY_CACHE` names another folder, or disables the cache if it is empty.
"""

import os
import zlib
from collections.abc import Iterable, Mapping
from hashlib import file_digest, sha256
from pathlib import Path
from types import MappingProxyType
from typing import Final, NamedTuple

import orjson

from statuary.base.files import PublishingError
from statuary.base.json_values import JsonObject, as_list, as_object, as_text
from statuary.extensions.compilers.compiler import Compiler
from statuary.extensions.compilers.recompilation import request_all_outputs
from statuary.site.document import encode_unchecked
from statuary.source.parse_json import parse_json_bytes
from statuary.system.archives import DamagedDataError, inflate_at_most
from statuary.system.files import open_file, read_file
from statuary.system.programs import RunLimits
from statuary.system.writing import atomic_file

VARIABLE: Final = "STATUARY_CACHE"

MAX_BYTES: Final = 2 << 30
"""Bytes of the folder, above which the least recently used files are removed."""

DIGEST_BYTES: Final = 32

WHOLE: Final = "*:*"
"""The name that selects every contract of an input."""


class CompilerRun(NamedTuple):
    """A compiler's output for one input, fresh or from the cache."""

    compiler: Compiler
    compiler_sha256: str  # SHA-256 of the compiler, as hex
    input_sha256: str  # SHA-256 of the standard JSON input, as hex
    output: JsonObject
    is_cached: bool = False  # whether an earlier run compiled the input


def cache_folder() -> Path | None:
    """Return the folder in which compiler outputs are cached.

    Returns:
        The folder, or None if the cache is disabled or the user has no home folder.
    """
    configured_folder = os.environ.get(VARIABLE)
    if configured_folder is not None:
        return Path(configured_folder) if configured_folder else None
    try:
        above = os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache"
    except RuntimeError:  # there is no home folder
        return None
    return Path(above) / "statuary" / "compilations"


LARGEST_OUTPUT = 512 << 20
"""Bytes of an output before compression: a compiler may write a quarter of them."""


def compiler_file_sha256(compiler: Compiler) -> str:
    """Return the SHA-256 of a compiler's program file, as hex."""
    with open_file(compiler.path) as program:
        return file_digest(program, "sha256").hexdigest()


class CompilationCache:
    """Runs compilers, and caches their outputs in a folder.

    Without a folder, nothing is cached.
    """

    def __init__(self, folder: Path | None, digests: Mapping[Path, str] = MappingProxyType({})) -> None:
        self.folder = folder
        self.digests = dict(digests)  # digests of compilers, by path

    def cache_key(self, compiler: Compiler, std_json_input: JsonObject) -> str:
        """Return the name of the cache file for a compiler's input.

        The name does not depend on `outputSelection`, the list of requested outputs.
        """
        settings = {
            name: value
            for name, value in as_object(std_json_input["settings"]).items()
            if name != "outputSelection"
        }
        parts = (
            self._compiler_identity(compiler).encode(),
            encode_unchecked({**std_json_input, "settings": settings}),
        )
        return sha256(b"\0".join(parts)).hexdigest()

    def run_unmodified_input(
        self, compiler: Compiler, std_json_input: JsonObject, limits: RunLimits
    ) -> CompilerRun:
        """Run a compiler on exactly this input, or return its cached output.

        Unlike `run`, it requests only the outputs that the input names.

        Args:
            compiler: the compiler to run.
            std_json_input: the compiler's input in standard JSON.
            limits: the limits on time and memory of the compiler.

        Raises:
            CompilerError: if the compiler cannot be run, writes no output, or reports an error.
        """
        digest = sha256(encode_unchecked(std_json_input)).hexdigest()
        key = sha256(f"{self._compiler_identity(compiler)} {digest}".encode()).hexdigest()
        if (run := self._read_output(key, compiler, [WHOLE])) is not None:
            return run
        output = compiler.compile(std_json_input, limits)
        self._write_output(key, {"names": [WHOLE], "input_sha256": digest, "output": output})
        return CompilerRun(compiler, self._program_digest(compiler), digest, output)

    def run(
        self,
        compiler: Compiler,
        std_json_input: JsonObject,
        qualified_names: Iterable[str],
        limits: RunLimits,
    ) -> CompilerRun:
        """Compile some contracts of an input, or return their cached output.

        All outputs that records contain are requested.

        Args:
            compiler: the compiler to run if no output is cached.
            std_json_input: the standard JSON input.
            qualified_names: the names of the contracts, such as `src/Fare.sol:Fare`.
            limits: the limits on time and memory of the compiler.

        Raises:
            CompilerError: if the compiler cannot be run, writes no output, or reports an error.
            DerivationError: if a name is invalid.
        """
        contract_names = sorted(set(qualified_names))
        key = self.cache_key(compiler, std_json_input)
        if (run := self._read_output(key, compiler, contract_names)) is not None:
            return run
        selected = request_all_outputs(std_json_input, contract_names, compiler.version)
        output = compiler.compile(selected, limits)
        digest = sha256(encode_unchecked(selected)).hexdigest()
        self._write_output(key, {"names": contract_names, "input_sha256": digest, "output": output})
        return CompilerRun(compiler, self._program_digest(compiler), digest, output)

    def _compiler_identity(self, compiler: Compiler) -> str:
        return f"{compiler.kind} {compiler.version} {self._program_digest(compiler)}"

    def _program_digest(self, compiler: Compiler) -> str:
        if compiler.path not in self.digests:
            self.digests[compiler.path] = compiler_file_sha256(compiler)
        return self.digests[compiler.path]

    def _read_output(
        self, cache_key: str, compiler: Compiler, contract_names: list[str]
    ) -> CompilerRun | None:
        if self.folder is None:
            return None
        file = self.folder / cache_key
        try:
            stored = read_file(file)
            body = inflate_at_most(stored[DIGEST_BYTES:], LARGEST_OUTPUT)
            if sha256(body).digest() != stored[:DIGEST_BYTES]:
                return None
            value = as_object(parse_json_bytes(body))
            os.utime(file)
        except (OSError, DamagedDataError, orjson.JSONDecodeError):
            return None
        names = set(map(as_text, as_list(value.get("names"))))
        if not set(contract_names) <= names and WHOLE not in names:
            return None
        digest = as_text(value.get("input_sha256"))
        output = as_object(value.get("output"))
        return CompilerRun(compiler, self._program_digest(compiler), digest, output, is_cached=True)

    def _write_output(self, cache_key: str, output: JsonObject) -> None:
        if self.folder is None:
            return
        body = encode_unchecked(output)
        try:
            self.folder.mkdir(parents=True, exist_ok=True)
            with atomic_file(self.folder / cache_key) as stream:
                stream.write(sha256(body).digest() + zlib.compress(body, 1))
            self._remove_oldest_outputs()
        except (OSError, PublishingError):
            return

    def _remove_oldest_outputs(self) -> None:
        if self.folder is None:
            return
        files = sorted(
            ((file.stat().st_mtime, file.stat().st_size, file) for file in self.folder.iterdir()),
            reverse=True,
        )
        size = 0
        for _, length, file in files:
            size += length
            if size > MAX_BYTES:
                file.unlink(missing_ok=True)
