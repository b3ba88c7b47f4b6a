"""The number of CPUs that this process may use."""

import os


def available_cpus() -> int:
    """Return the number of CPUs that this process may use."""
    cores = len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count()
    return cores or 1
