"""When the program begins to look for garbage: once it has imported what it needs."""

import gc


def enable_garbage_collection() -> None:
    """Look for garbage from now on, and never among what has been imported, if `__main__` has put that off."""
    if not gc.isenabled():
        gc.freeze()
        gc.enable()
