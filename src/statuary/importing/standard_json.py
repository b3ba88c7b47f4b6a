"""A compiler's own standard JSON, input and output, of solc (Solidity, Yul) and Vyper.

https://docs.soliditylang.org/en/latest/using-the-compiler.html#input-description
https://docs.vyperlang.org/en/stable/compiling-a-contract.html#compiler-input-and-output-json-description
"""

from pathlib import Path

import orjson

from statuary.domain.contracts.compiler_version import build_of, is_same_build
from statuary.domain.json_values import Json
from statuary.importing.cannot_import import CannotImport
from statuary.importing.compilation import Compilation, chosen, compiler_of, deployable
from statuary.importing.given_files import json_file


def is_standard_json(value: dict[str, Json]) -> bool:
    """Say whether a JSON object is a compiler's standard JSON input."""
    return isinstance(value.get("language"), str) and isinstance(value.get("sources"), dict)


def read_standard_json(
    std_json_input: dict[str, Json], output: Path | None, wanted: str | None, version: str | None
) -> Compilation:
    """Return the compilation of one contract.

    Args:
        std_json_input: the input.
        output: the file with the output for it; None to compile it later.
        wanted: the contract's name, fully qualified or not.
        version: the compiler's version, where a person gives it.

    Raises:
        CannotImport: if the contract or the version cannot be told.
    """
    compiler = compiler_of(std_json_input["language"])
    given = {"settings": {}, **std_json_input}
    if output is None:
        return Compilation(
            compiler=compiler,
            version=version or "",
            fully_qualified_name=_named(std_json_input, wanted),
            std_json_input=given,
            std_json_output=None,
        )
    std_json_output = json_file(output)
    name = chosen(deployable(std_json_output), wanted)
    compilation = Compilation(
        compiler=compiler,
        version="",
        fully_qualified_name=name,
        std_json_input=given,
        std_json_output=std_json_output,
    )
    return with_version(compilation, version)


def with_version(compilation: Compilation, given: str | None) -> Compilation:
    """Return a compilation with its compiler's version: what its output says, else what a person gives.

    Raises:
        CannotImport: if the two contradict each other.
    """
    told = compilation.version or told_version(compilation)
    if given and told and not is_same_build(given, told):
        raise CannotImport(
            f"the compiler's output is of {told}, not of {given}", "leave out --compiler-version"
        )
    longest = max(given or "", told, key=len)
    return Compilation(
        compiler=compilation.compiler,
        version=longest.removeprefix("v"),
        fully_qualified_name=compilation.fully_qualified_name,
        std_json_input=compilation.std_json_input,
        std_json_output=compilation.std_json_output,
        notes=compilation.notes,
    )


def told_version(compilation: Compilation) -> str:
    """Return the version that an output tells: solc's metadata does, Vyper's output without the commit."""
    metadata = metadata_of(compilation)
    if metadata is not None:
        compiler = metadata.get("compiler")
        return str(compiler.get("version", "")) if isinstance(compiler, dict) else ""
    named = (compilation.std_json_output or {}).get("compiler")
    return build_of(named) if isinstance(named, str) else ""


def metadata_of(compilation: Compilation) -> dict[str, Json] | None:
    """Return the metadata that solc wrote for the contract; None if the output has none, or it cannot be read."""
    text = (compilation.artifact or {}).get("metadata")
    try:
        metadata = orjson.loads(text) if isinstance(text, str) and text else None
    except orjson.JSONDecodeError:
        return None
    return metadata if isinstance(metadata, dict) else None


def _named(std_json_input: dict[str, Json], wanted: str | None) -> str:
    """Return the fully qualified name of a contract that no output lists."""
    paths = list(std_json_input["sources"])
    if wanted and ":" in wanted and wanted.rpartition(":")[0] in paths:
        return wanted
    if std_json_input["language"] == "Vyper" and (len(paths) == 1 or wanted):
        # a Vyper contract is its file
        return chosen((f"{path}:{Path(path).stem}" for path in paths), wanted)
    raise CannotImport(
        "the compiler's output, which would list its contracts, is not given",
        f"write --contract PATH:NAME with a PATH of {', '.join(paths[:5])}{' …' if len(paths) > 5 else ''}",
    )
