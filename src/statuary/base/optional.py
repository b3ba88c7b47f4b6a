"""Import optional libraries on use, naming their extra in errors."""

import importlib
from importlib.util import find_spec
from types import ModuleType

from statuary.base.errors import StatuaryError


class MissingExtraError(StatuaryError):
    """A library of an extra is not installed; the hint installs it."""

    def __init__(self, purpose: str, extra: str) -> None:
        from statuary.base.installation import extra_install_command

        super().__init__(
            f"{purpose} needs the extra {extra!r}, which is not installed", extra_install_command(extra)
        )


def import_optional(*names: str, extra: str, purpose: str) -> ModuleType:
    """Import the first of several modules that is installed.

    Args:
        names: modules that can replace each other, the preferred one first.
        extra: the extra of statuary that installs one of the modules.
        purpose: the feature that needs the module, for the error message, such as `the edge module`.

    Raises:
        MissingExtraError: if none of the modules is installed.
    """
    for name in names:
        try:
            return importlib.import_module(name)
        except ImportError:
            continue
    raise MissingExtraError(purpose, extra)


RECOVERING_SENDERS = ("coincurve", "eth_keys")
"""The libraries that recover the sender of a transaction, of the extra `chain`."""


def can_recover_senders() -> bool:
    """Return whether this computer can find the sender of a signed transaction.

    That needs an optional library, which recovers a public key from a signature.
    """
    return any(find_spec(library) for library in RECOVERING_SENDERS)
