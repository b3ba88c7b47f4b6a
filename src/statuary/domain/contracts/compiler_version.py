"""Compiler versions as records spell them: `0.8.18+commit.87f61d96`, `0.4.1b1+commit.039d3692`, `26.0.0-alpha.12`."""

import re
from typing import NamedTuple

_VERSION = re.compile(r"v?(\d{1,6})\.(\d{1,6})\.(\d{1,6})((?:b|rc)\d{1,6})?(-[^+]*)?(\+.*)?", re.DOTALL)


class CompilerVersion(NamedTuple):
    """A version that can be compared as semantic versioning does.

    Vyper's betas and release candidates (`0.4.1b1`) count as the release, as Sourcify counts them; a
    nightly (`0.4.7-nightly…`) comes before it.
    """

    major: int
    minor: int
    patch: int
    released: bool = True


UNKNOWN = CompilerVersion(0, 0, 0, released=False)
"""What a text that is no version counts as: older than everything."""


def compiler_version(text: str) -> CompilerVersion:
    """Read a version, or return `UNKNOWN`."""
    found = _VERSION.fullmatch(text)
    if found is None:
        return UNKNOWN
    major, minor, patch, _, prerelease, _ = found.groups()
    return CompilerVersion(int(major), int(minor), int(patch), prerelease is None)
