"""Statuary: verified contracts and network status, proved and precomputed into static files."""

from importlib import import_module
from typing import TYPE_CHECKING

from statuary.version import VERSION

if TYPE_CHECKING:
    from statuary.api import *

__version__ = VERSION


def __getattr__(name: str) -> object:
    """Import a public name of `statuary.api` on first use.

    Commands then start without importing them.
    """
    if name == "__all__":
        return [*import_module("statuary.api").__all__, "__version__"]
    if not name.startswith("_"):
        module = import_module(
            "statuary.extensions.serving.site"
        )  # loaded on first use, without the code that builds sites
        value = getattr(module, name, None)
        if getattr(value, "__module__", "") != module.__name__:  # defined elsewhere: not public here
            module = import_module("statuary.api")
            value = getattr(module, name, None) if name in module.__all__ else None
        if value is not None:
            return globals().setdefault(name, value)
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")


def __dir__() -> list[str]:
    return sorted({*globals(), *import_module("statuary.api").__all__})
