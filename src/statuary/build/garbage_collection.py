"""When garbage collection starts: after the imports."""

import gc
from typing import Final

OBJECTS: Final = 20_000
"""New objects after which the youngest are searched: a record is up to 2,000, and frees them itself."""


def enable_garbage_collection() -> None:
    """Start garbage collection if it has been deferred; imported objects are never scanned."""
    if not gc.isenabled():
        gc.freeze()
        gc.set_threshold(OBJECTS)
        gc.enable()
