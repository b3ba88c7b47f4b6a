"""Compiler versions, and the libraries in compiler settings.

Records have versions such as `0.8.18+commit.87f61d96` and `26.0.0-alpha.12`.
"""

import re
from functools import lru_cache
from typing import NamedTuple

from statuary.base.json_values import Json, as_object

_VERSION = re.compile(r"v?(\d{1,6})\.(\d{1,6})\.(\d{1,6})((?:b|rc)\d{1,6})?(-[^+]*)?(\+.*)?", re.DOTALL)


class CompilerVersion(NamedTuple):
    """A compiler version that can be compared with others.

    As in Sourcify, Vyper's beta versions and release candidates (`0.4.1b1`) are equal to the release, and a
    nightly build (`0.4.7-nightly…`) comes before the release.
    """

    major: int
    minor: int
    patch: int
    released: bool = True


UNKNOWN = CompilerVersion(0, 0, 0, released=False)
"""The version of a text that is not one: older than every version."""


@lru_cache(maxsize=256)
def parse_compiler_version(version_text: str) -> CompilerVersion:
    """Parse a compiler version into a comparable value.

    Example: '0.8.19+commit.7dd6d404' -> (0, 8, 19)

    Returns:
        The version; `UNKNOWN`, the lowest, for any other string.
    """
    match = _VERSION.fullmatch(version_text)
    if match is None:
        return UNKNOWN
    major, minor, patch, _, prerelease, _ = match.groups()
    return CompilerVersion(int(major), int(minor), int(patch), prerelease is None)


SHORTEST_COMMIT = 7
"""Digits of a commit that identify a build: as many as Vyper's wheels have; records have eight."""

_BUILD = re.compile(
    r"(?P<version>\d+\.\d+\.\d+(?:(?:b|rc)\d+)?(?:-[\w.-]+)?)(?:\+commit\.(?P<commit>[0-9a-f]+))?"
)
"""The part of a version that identifies the compiler; what follows (`.Linux.g++`, `.mod`) is the machine."""


def find_build_version(version_text: str) -> str:
    """Return the first compiler version in a string, without its platform.

    Example: 'Version: 0.8.19+commit.7dd6d404.Linux.g++' -> '0.8.19+commit.7dd6d404'

    Returns:
        The version with its commit, if it has one; empty if the string contains no version.
    """
    match = _BUILD.search(version_text)
    return match[0] if match else ""


def is_same_build(recorded_version: str, reported_version: str) -> bool:
    """Return whether two strings name the same build of a compiler.

    The versions must be equal. If both strings contain a commit, the commits must be equal too. Some records
    of Vyper contain no commit.

    Args:
        recorded_version: the version in a record.
        reported_version: the version that a compiler reports.
    """
    recorded_match = _BUILD.match(recorded_version.removeprefix("v"))
    reported_match = _BUILD.search(reported_version)
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


def library_addresses(libraries_setting: Json) -> dict[str, str]:
    """Return the addresses of libraries from compiler settings.

    Example: {"a.sol": {"Math": "0xAB…"}} -> {"a.sol:Math": "0xab…"}

    Args:
        libraries_setting: the setting `libraries`, either nested by file or flat.
    """
    flat: dict[str, str] = {}
    for path, addresses in as_object(libraries_setting).items():
        if isinstance(addresses, dict):
            flat |= {f"{path}:{name}": str(address).lower() for name, address in addresses.items()}
        else:
            flat[path] = str(addresses).lower()
    return flat
