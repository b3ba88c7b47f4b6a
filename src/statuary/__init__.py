"""Statuary: verified contracts and network status, proved and precomputed into static files."""

from importlib import import_module
from typing import TYPE_CHECKING, Any

from statuary.version import VERSION

if TYPE_CHECKING:
    from statuary.api import *

__version__ = VERSION
__all__ = [
    "Action",
    "BuildResult",
    "Change",
    "CheckedSite",
    "ClockError",
    "Contract",
    "DamagedLedgerError",
    "DamagedSnapshotError",
    "DocumentNotFoundError",
    "Finding",
    "InvalidValueError",
    "PageStatus",
    "Plan",
    "Position",
    "PublishingError",
    "Severity",
    "Site",
    "SiteComponent",
    "SiteIncident",
    "SiteIncidentUpdate",
    "StatuaryError",
    "UnreachableError",
    "WorkersLostError",
    "__version__",
    "build",
    "check",
    "open_snapshot",
]


def __getattr__(name: str) -> Any:
    """Import the public names on first use, so that the commands start without them."""
    if name in __all__:
        reading = import_module("statuary.extensions.serving.site")  # without all that builds a site
        module = reading if hasattr(reading, name) else import_module("statuary.api")
        return globals().setdefault(name, getattr(module, name))
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")


def __dir__() -> list[str]:
    return sorted({*globals(), *__all__})
