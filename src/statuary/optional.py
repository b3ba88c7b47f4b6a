"""Libraries that not every site needs: imported when they are used, and told of when they are not there."""

import importlib
from types import ModuleType

from statuary.domain.errors import StatuaryError


class MissingExtraError(StatuaryError):
    """A library of an extra is not installed; the hint is the line that installs it."""

    def __init__(self, purpose: str, extra: str) -> None:
        super().__init__(
            f"{purpose} needs the extra {extra!r}, which is not installed", f'pip install "statuary[{extra}]"'
        )


def optional(*names: str, extra: str, purpose: str) -> ModuleType:
    """Return the first of some modules that is there.

    Args:
        names: the modules, the preferred one first.
        extra: the extra of statuary that brings one of them.
        purpose: what needs it, as the beginning of a sentence.

    Raises:
        MissingExtra: if none is installed.
    """
    for name in names:
        try:
            return importlib.import_module(name)
        except ImportError:
            continue
    raise MissingExtraError(purpose, extra)


def import_zstandard(extra: str = "zstd") -> ModuleType:
    """Return Zstandard: Python's own from 3.14 on, before that the same module from `backports.zstd`.

    Args:
        extra: what to tell to install: `zstd`, or an extra that brings it along.

    Raises:
        MissingExtra: if neither is there.
    """
    return optional("compression.zstd", "backports.zstd", extra=extra, purpose="Zstandard")
