"""When garbage collection starts: after the imports."""

import gc


def enable_garbage_collection() -> None:
    """Start garbage collection if `__main__` has deferred it; imported objects are never scanned."""
    if not gc.isenabled():
        gc.freeze()
        gc.enable()
