"""How much of the machine this process may use."""

import os


def available_cpus() -> int:
    """Return how many cores this process may use."""
    cores = len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count()
    return cores or 1
