"""Compiler versions as in records: `0.8.18+commit.87f61d96`, `0.4.1b1+commit.039d3692`, `26.0.0-alpha.12`."""

import re
from functools import lru_cache
from typing import NamedTuple

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
    found = _VERSION.fullmatch(text)
    if found is None:
        return UNKNOWN
    major, minor, patch, _, prerelease, _ = found.groups()
    return CompilerVersion(int(major), int(minor), int(patch), prerelease is None)


SHORTEST_COMMIT = 7
"""Digits of a commit that identify a build: as many as Vyper's wheels have, where records have eight."""

_BUILD = re.compile(
    r"(?P<version>\d+\.\d+\.\d+(?:(?:b|rc)\d+)?(?:-[\w.-]+)?)(?:\+commit\.(?P<commit>[0-9a-f]+))?"
)
"""The part of a version that identifies the compiler; what follows (`.Linux.g++`, `.mod`) is the machine."""


def build_version(text: str) -> str:
    """Return the first compiler version in a text, without its platform; empty if there is none."""
    found = _BUILD.search(text)
    return found[0] if found else ""


def is_same_build(recorded: str, reported: str) -> bool:
    """Return whether a recorded version and a compiler's own version are the same build.

    Versions must be equal, and so must commits if both have one; Vyper 0.3.1 records have none.
    """
    one, other = _BUILD.match(recorded.removeprefix("v")), _BUILD.search(reported)
    if one is None or other is None or one["version"] != other["version"]:
        return False
    commits = one["commit"], other["commit"]
    if None in commits:
        return True
    short, long = sorted(commits, key=len)
    return len(short) >= SHORTEST_COMMIT and long.startswith(short)
