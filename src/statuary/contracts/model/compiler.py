"""Compilers: versions as in records (`0.8.18+commit.87f61d96`, `26.0.0-alpha.12`), and the settings that solc's metadata repeats."""

import re
from collections.abc import Iterator, Mapping
from functools import lru_cache
from typing import Final, NamedTuple

from statuary.base.json_values import Json, as_object

_VERSION = re.compile(r"v?(\d{1,6})\.(\d{1,6})\.(\d{1,6})((?:b|rc)\d{1,6})?(-[^+]*)?(\+.*)?", re.DOTALL)


class CompilerVersion(NamedTuple):
    """A version that compares as in semantic versioning.

    As in Sourcify, Vyper's betas and release candidates (`0.4.1b1`) compare as the release, and a nightly
    (`0.4.7-nightly…`) comes before it.
    """

    major: int
    minor: int
    patch: int
    released: bool = True


UNKNOWN = CompilerVersion(0, 0, 0, released=False)
"""The version of a text that is not one: older than every version."""


@lru_cache(maxsize=256)
def parse_compiler_version(text: str) -> CompilerVersion:
    """Parse a version, or return `UNKNOWN`."""
    match = _VERSION.fullmatch(text)
    if match is None:
        return UNKNOWN
    major, minor, patch, _, prerelease, _ = match.groups()
    return CompilerVersion(int(major), int(minor), int(patch), prerelease is None)


SHORTEST_COMMIT = 7
"""Digits of a commit that identify a build: as many as Vyper's wheels have, where records have eight."""

_BUILD = re.compile(
    r"(?P<version>\d+\.\d+\.\d+(?:(?:b|rc)\d+)?(?:-[\w.-]+)?)(?:\+commit\.(?P<commit>[0-9a-f]+))?"
)
"""The part of a version that identifies the compiler; what follows (`.Linux.g++`, `.mod`) is the machine."""


def build_version(text: str) -> str:
    """Return the first compiler version in a text, without its platform; empty if there is none."""
    match = _BUILD.search(text)
    return match[0] if match else ""


def is_same_build(recorded: str, reported: str) -> bool:
    """Return whether a recorded version and a compiler's own version are the same build.

    Versions must be equal, and so must commits if both have one; Vyper 0.3.1 records have none.
    """
    recorded_match, reported_match = _BUILD.match(recorded.removeprefix("v")), _BUILD.search(reported)
    if (
        recorded_match is None
        or reported_match is None
        or recorded_match["version"] != reported_match["version"]
    ):
        return False
    commits = recorded_match["commit"], reported_match["commit"]
    if None in commits:
        return True
    short, long = sorted(commits, key=len)
    return len(short) >= SHORTEST_COMMIT and long.startswith(short)


DEFAULT_EVM_VERSIONS: Final = (
    (CompilerVersion(0, 8, 32), None),
    (CompilerVersion(0, 8, 31), "osaka"),
    (CompilerVersion(0, 8, 30), "prague"),
    (CompilerVersion(0, 8, 25), "cancun"),
    (CompilerVersion(0, 8, 20), "shanghai"),
    (CompilerVersion(0, 8, 18), "paris"),
    (CompilerVersion(0, 8, 7), "london"),
    (CompilerVersion(0, 8, 5), "berlin"),
    (CompilerVersion(0, 5, 14), "istanbul"),
    (CompilerVersion(0, 5, 5), "petersburg"),
    (CompilerVersion(0, 4, 21), "byzantium"),
)
"""The default EVM version of solc, newest release first; None: not known here."""

UNPINNED_SETTINGS: Final = frozenset(
    {"outputSelection", "stopAfter", "parserErrorRecovery", "modelChecker", "compilationTarget"}
)
"""Settings that change neither bytecode nor metadata."""

COMPARED_SETTINGS: Final = frozenset(
    {
        "optimizer",
        "evmVersion",
        "viaIR",
        "remappings",
        "libraries",
        "metadata",
        "debug",
        "eofVersion",
        "experimental",
        "viaSSACFG",
    }
)
"""Settings that metadata repeats."""

_GROUPS = ("optimizer", "libraries", "metadata", "debug")
_DEFAULT_RUNS = 200


class SettingDifference(NamedTuple):
    """A setting that differs between metadata and input; None where it is absent."""

    name: str
    in_metadata: Json
    in_input: Json


def setting_differences(
    metadata: Mapping[str, Json], settings: Mapping[str, Json], version: str
) -> Iterator[SettingDifference]:
    """Yield the differences between a metadata's `settings` and a standard JSON input's.

    Defaults depend on `version`, the record's `compilation.compilerVersion`.
    """
    metadata_settings, input_settings = _plain_settings(metadata), _plain_settings(settings)
    ignored = _unspecified_optimizer_settings(metadata_settings, input_settings)
    if input_settings["evmVersion"] is None:
        input_settings["evmVersion"] = default_evm_version(version)
        if None in (metadata_settings["evmVersion"], input_settings["evmVersion"]):
            ignored.add(
                "evmVersion"
            )  # older metadata does not name it, and newer defaults are not known here
    for name in metadata_settings:
        if name not in ignored and not _same(metadata_settings[name], input_settings[name]):
            yield SettingDifference(name, metadata_settings[name], input_settings[name])
    for name in sorted(settings.keys() - COMPARED_SETTINGS - UNPINNED_SETTINGS):
        yield SettingDifference(name, None, settings[name])
    for name in _GROUPS:
        if not isinstance(settings.get(name, {}), Mapping):
            yield SettingDifference(name, metadata.get(name), settings[name])


def _unspecified_optimizer_settings(
    settings: Mapping[str, Json], other_settings: Mapping[str, Json]
) -> set[str]:
    """Return optimizer settings that cannot be compared: `details` decide `enabled`, and may be a preset."""
    in_metadata, in_input = settings["optimizer.details"], other_settings["optimizer.details"]
    if isinstance(in_metadata, dict) and isinstance(in_input, dict):
        shared = in_metadata.keys() & in_input.keys()
        same = all(_same(in_metadata[key], in_input[key]) for key in shared)
        return {"optimizer.enabled", "optimizer.details"} if same else {"optimizer.enabled"}
    return {"optimizer.enabled", "optimizer.details"} if in_input is not None else set()


def _same(value: Json, other_value: Json) -> bool:
    return type(value) is type(other_value) and bool(value == other_value)


def default_evm_version(version: str) -> str | None:
    """Return the default EVM version of a release of solc; None if unknown."""
    number = parse_compiler_version(version)
    for since, name in DEFAULT_EVM_VERSIONS:
        if number >= since:
            return name
    return None


def _plain_settings(settings: Mapping[str, Json]) -> dict[str, Json]:
    optimizer, metadata = as_object(settings.get("optimizer")), as_object(settings.get("metadata"))
    debug = as_object(settings.get("debug"))
    return {
        "optimizer.enabled": optimizer.get("enabled", False),
        "optimizer.runs": optimizer.get("runs", _DEFAULT_RUNS),
        "optimizer.details": optimizer.get("details"),
        "evmVersion": settings.get("evmVersion"),
        "viaIR": settings.get("viaIR", False),
        "remappings": _remappings(settings.get("remappings")),
        "libraries": libraries_of(settings.get("libraries")),
        "metadata.bytecodeHash": metadata.get("bytecodeHash", "ipfs"),
        "metadata.useLiteralContent": metadata.get("useLiteralContent", False),
        "metadata.appendCBOR": metadata.get("appendCBOR", True),
        "debug.revertStrings": debug.get("revertStrings", "default"),
        "eofVersion": settings.get("eofVersion"),
        "experimental": settings.get("experimental", False),
        "viaSSACFG": settings.get("viaSSACFG", False),
    }


def _remappings(remappings: Json) -> Json:
    """Return remappings sorted, without the colon of an empty context (`:a=b` is `a=b`)."""
    if not isinstance(remappings, list):
        return [] if remappings is None else remappings
    return sorted({str(remapping).removeprefix(":") for remapping in remappings})


def libraries_of(libraries: Json) -> dict[str, str]:
    """Return lower-case addresses by `path:Library`, from a nested or a flat map."""
    flat: dict[str, str] = {}
    for path, addresses in as_object(libraries).items():
        if isinstance(addresses, dict):
            flat |= {f"{path}:{name}": str(address).lower() for name, address in addresses.items()}
        else:
            flat[path] = str(addresses).lower()
    return flat
