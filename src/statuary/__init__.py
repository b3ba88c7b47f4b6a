"""Statuary: verified contracts and network status, proved and precomputed into static files."""

from typing import TYPE_CHECKING, Any

from statuary.version import VERSION

if TYPE_CHECKING:
    from statuary.extensions.serving.site import open_snapshot

__version__ = VERSION
__all__ = ["__version__", "open_snapshot"]


def __getattr__(name: str) -> Any:
    """Import `open_snapshot` on first use, so that the commands start without it."""
    if name == "open_snapshot":
        from statuary.extensions.serving.site import open_snapshot  # noqa: PLC0415 - that is the point

        return open_snapshot
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
